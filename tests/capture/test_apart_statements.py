"""Loops that leave elements out: each turn is a piece, with what it writes and what it does not."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import sparsetrace as st
from cases.skipping_loops import SKIPPING
from oracles import assert_same_pattern, dense

pytestmark = pytest.mark.usefixtures("seen_functions")
N = 13
"""More than 2**10 paths."""


def united(take, f, n=N):
    rng, found = np.random.default_rng(2), False
    runs = [(k, first, last) for last in range(n + 1) for first in range(last) for k in (0, 1)]
    if not f.__name__.startswith("read"):
        runs = runs[::3]
    for inside, first, last in runs:
        low = rng.uniform(size=n) < 0.5
        low[first:last] = inside
        low[max(first - 1, 0) : first] = low[last : last + 1] = 1 - inside
        x = np.where(low, rng.choice([0.1, 0.25], n), rng.choice([0.55, 0.8, 0.95], n))
        x += rng.uniform(0, 0.04, n)
        found = found | dense(take(f, x, local=True))
    return found


@pytest.mark.parametrize("name", SKIPPING)
def test_the_pattern_is_what_some_input_needs(name):
    f = SKIPPING[name]
    pattern = st.jacobian_sparsity(f, np.linspace(0.02, 0.98, N))
    assert_same_pattern(pattern, united(st.jacobian_sparsity, f))


@pytest.mark.parametrize("name", SKIPPING)
def test_no_second_derivative_is_missing(name):
    f = SKIPPING[name]

    @functools.wraps(f)
    def total(x):
        return sum(v * (at + 1.0) for at, v in enumerate(f(x)))

    found = st.hessian_sparsity(total, np.linspace(0.02, 0.98, N)).toarray()
    assert not (united(st.hessian_sparsity, total) & ~found.astype(bool)).any()

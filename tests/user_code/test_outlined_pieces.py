"""Pieces of functions that assign variables of functions around them, or that others read later."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import dense

pytestmark = pytest.mark.usefixtures("seen_functions")
N = 16
"""More than 2**10 paths."""


def returning_from_an_if(x):
    total = x[0]

    def add(v):
        nonlocal total
        if v > 0.5:
            total = total + v
            return 0.0
        total = total * v
        return total

    return np.array([add(x[i % 4] * (i + 1)) for i in range(N)])


def returning_nothing(x):
    total = x[0]

    def add(v):
        nonlocal total
        if v > 0.5:
            total = total + v
            return
        total = total * 2.0

    for v in x[1:]:
        for _ in range(4):
            add(v)
    return total


def returning_from_a_loop(x):
    total = x[0]

    def add(v):
        nonlocal total
        for i in range(2):
            if v > i:
                total = total + v
                return 0.0
            total = total * v
        return total

    return np.array([add(x[i % 4] * (i + 1)) for i in range(N)])


def a_rate_that_is_limited(x):
    before = None

    def limited(v):
        nonlocal before
        if before is None:
            before = v
            return v
        if v - before > 1:
            before = before + 1
            return before
        if v - before < -1:
            before = before - 1
            return before
        before = v
        return v

    return np.array([limited(x[i % 4] * (i + 1)) for i in range(N)])


def the_best_so_far(x):
    best = None

    def is_better(v):
        nonlocal best
        if best is None or v > best:
            best = v
            return True
        return False

    for i in range(N):
        is_better(x[i % 4] * (i + 1))
    return best


def counted_and_kept(x):
    count, last = 0, 0.0

    def look(v):
        nonlocal count, last
        if v > 0.5:
            count += 1
            return v
        last = v
        return v * v

    looked = [look(v) for v in x for _ in range(4)]
    return np.array([*looked, last])


def read_by_functions_that_are_kept(x):
    readers = []

    def keep(v):
        kept = 0.0

        def read():
            return kept

        readers.append(read)
        if v > 0.5:
            kept = v
            return v
        kept = v * 2.0
        return 0.0

    for v in x:
        for _ in range(4):
            keep(v)
    return np.array([read() for read in readers])


def read_by_a_function_that_is_returned(x):
    def power(v):
        factor = 1.0
        for i in range(2):
            if v > i:
                factor = v
                return lambda t: factor * t
            factor = factor * v
        return lambda t: factor + t

    return np.array([power(v)(2.0) for v in x for _ in range(4)])


PROGRAMS = [
    *(returning_from_an_if, returning_nothing, returning_from_a_loop, a_rate_that_is_limited),
    *(the_best_so_far, counted_and_kept),
    *(read_by_functions_that_are_kept, read_by_a_function_that_is_returned),
]


def united(detect, f):
    rng = np.random.default_rng(3)
    points = [rng.uniform(low, low + 1.5, 4) for low in (-1.5, -0.5, 0.0, 0.5) for _ in range(10)]
    points += [point * rng.uniform(0, 0.2, 4) for point in points]
    return np.any([dense(detect(f, point, local=True)) for point in points], axis=0)


@pytest.mark.parametrize("detect", [st.jacobian_sparsity, st.lagrangian_hessian_sparsity])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_a_variable_is_after_a_return_is_what_some_path_makes_it(f, detect):
    assert not (united(detect, f) & ~dense(detect(f, np.ones(4)))).any()

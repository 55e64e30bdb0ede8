"""Calls that are looked up say what their rules say."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from arguments import grid, ufuncs
from arguments.expressions import INPUTS, function, tables

import sparsetrace as st
from oracles import dense
from sparsetrace.dispatch import replay
from sparsetrace.structure import leaves

TABLES = {
    "reductions": grid.reductions(),
    "methods": grid.methods(),
    "ufuncs": ufuncs.calls(),
    **tables(),
}
MODES = [
    lambda f, v: st.jacobian_sparsity(f, v),
    lambda f, v: st.jacobian_sparsity(f, v, dependency=True),
    lambda f, v: st.jacobian_sparsity(f, v, constants="structure"),
    lambda f, v: st.lagrangian_hessian_sparsity(f, v),
]


@pytest.fixture(autouse=True)
def _nothing_known():
    replay.forget()
    yield
    replay.forget()


def by_rules(monkeypatch, mode, f, v):
    """The pattern with nothing looked up."""
    with monkeypatch.context() as patched:
        patched.setattr(replay, "answer", lambda *args: replay.UNKNOWN)
        return dense(mode(f, v))


def described(result):
    """What a user can ask of a result; of its memory, whether it is in the order of Fortran."""
    return [
        (type(leaf), np.shape(leaf), getattr(leaf, "dtype", None), leaf.flags.fnc)
        if isinstance(leaf, np.ndarray)
        else (type(leaf), getattr(leaf, "dtype", None))
        for leaf in leaves(result)
    ]


@pytest.mark.parametrize("title", TABLES)
def test_all_calls(title, monkeypatch):
    calls = [call for table in TABLES[title].values() for call, _ in table]
    found, compared = [], 0
    v = np.linspace(0.5, 2.0, INPUTS)
    warnings.simplefilter("ignore")
    for call, mode in zip(calls, itertools.cycle(MODES), strict=False):
        f = function(call)
        try:
            expected = by_rules(monkeypatch, mode, lambda v, f=f: f(v * 1.0), v)
        except Exception:
            continue
        compared += 1
        seen = []

        def third(v, f=f, seen=seen):
            results = [f(v * 1.0) for _ in range(3)]
            seen[:] = map(described, results)
            return results[2]

        try:
            pattern = dense(mode(third, v))
        except Exception as error:
            found.append(f"{call}: {error!r}")
            continue
        if not (pattern == expected).all() or seen[1] != seen[0] or seen[2] != seen[0]:
            found.append(
                f"{call}: {(pattern & ~expected).sum()} more, {(expected & ~pattern).sum()} less"
            )
    assert not found, "\n".join(found)
    assert compared > len(calls) / 2
    assert any(recipe is not None for recipe in replay._RECIPES.values())

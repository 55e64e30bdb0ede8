"""Cases for traced functions, and the one check that they all go through.

Contract: a case is a function of one real array, which calls the NumPy function that
is tested.  The check compares with slow oracles: the Jacobian's pattern, the values
that change in the dependency mode, and the shape and dtype of everything returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from oracles import (
    assert_covers,
    assert_same_pattern,
    dense,
    derivatives_by,
    numerical_jacobian_pattern,
    perturbation_pattern,
)
from sparsetrace.tracing.pytree import leaves

POINTS, FEW = 12, 6


@dataclass(frozen=True)
class Case:
    """One call.

    Attributes
    ----------
    name : str
    f : callable
        Takes an array of shape `shape`.
    shape : int or tuple of int
    low, high : float
        Where the oracle draws the inputs from.
    extra : str
        Why the pattern may claim more than the oracle finds; empty if it may not.
    kind : str
        Why the dtype shown may differ from the one of the values; empty if it may not.
    points : int
        At how many points the oracle looks at most: more than `FEW` where these show too little.
    atol : float
        Changes below this are rounding errors.
    capture : bool
        Whether `jacobian_sparsity` wraps constructors.
    single : bool
        Whether NumPy's result has the same shape in single precision.
    bug : str
        Why the case fails as yet.
    """

    name: str
    f: Callable[[Any], Any]
    shape: Any = 4
    low: float = 0.5
    high: float = 2.0
    extra: str = ""
    kind: str = ""
    points: int = POINTS
    atol: float = 1e-12
    capture: bool = True
    single: bool = True
    bug: str = ""


class Cases(list[Case]):
    """Cases to be checked; calling it adds one."""

    def __call__(self, name: str, f: Callable[[Any], Any], *args: Any, **options: Any) -> None:
        assert name not in {case.name for case in self}, name
        self.append(Case(name, f, *args, **options))

    def parametrize(self) -> Any:
        return pytest.mark.parametrize(
            "case",
            [
                pytest.param(
                    case,
                    id=case.name,
                    marks=[pytest.mark.xfail(strict=True, reason=case.bug)] if case.bug else [],
                )
                for case in self
            ],
        )


def check(case: Case) -> None:
    """Compare the trace of a case with the oracles."""
    check_pattern(case)
    check_local(case)
    check_metadata(case, np.float64)
    if case.single:
        check_metadata(case, np.float32)


def check_pattern(case: Case, *, further: int = 0) -> None:
    """The patterns of a case; where its points show too little, so many are tried."""
    x = np.ones(case.shape)
    few = case.points if case.extra else min(case.points, FEW)
    further = max(further, case.points)
    region = {"low": case.low, "high": case.high, "points": few}
    pattern = dense(st.jacobian_sparsity(case.f, x, capture=case.capture))
    with np.errstate(all="ignore"):
        expected = numerical_jacobian_pattern(case.f, x, atol=case.atol, **region)
        unseen = pattern & ~expected
        if further > few and not case.extra and unseen.any():
            region["points"] = further
            more = numerical_jacobian_pattern(case.f, x, atol=case.atol, among=unseen, **region)
            region["points"] = min(further, POINTS)
            expected |= more
    compare = assert_covers if case.extra else assert_same_pattern
    compare(pattern, expected)
    structure = dense(st.jacobian_sparsity(case.f, x, constants="structure", capture=case.capture))
    assert_covers(structure, pattern)
    values = dense(st.jacobian_sparsity(case.f, x, dependency=True, capture=case.capture))
    assert_covers(values, pattern)
    with np.errstate(all="ignore"):
        changes = perturbation_pattern(case.f, x, **region)
    assert_covers(values, changes)


def check_metadata(case: Case, dtype: Any) -> None:
    """Shapes and dtypes of all leaves, traced and real."""
    shown = Outside()

    def recorded(x: Any) -> Any:
        result = case.f(x)
        shown.extend(_described(result))
        return result

    x = np.random.default_rng(1).uniform(case.low, case.high, case.shape).astype(dtype)
    st.jacobian_sparsity(recorded, x, capture=case.capture)
    with np.errstate(all="ignore"):
        real = _described(case.f(x))
    shown = shown[len(shown) - len(real) :]  # of the last run
    assert [shape for shape, _ in shown] == [shape for shape, _ in real]
    if not case.kind:
        assert [kind for _, kind in shown] == [kind for _, kind in real]


def _described(result: Any) -> list[tuple[tuple[int, ...], str]]:
    found = []
    for leaf in leaves(result):
        if isinstance(leaf, list):
            leaf = np.stack(leaf)
        if not hasattr(leaf, "dtype"):
            leaf = np.asarray(leaf)
        found.append((leaf.shape, leaf.dtype.name))
    return found


def check_local(case: Case) -> None:
    """A local trace loses nothing at its point."""
    x = np.random.default_rng(3).uniform(case.low, case.high, case.shape)
    verify = getattr(case.f, "verify", None)
    local = dense(st.jacobian_sparsity(case.f, x, local=True, capture=case.capture, verify=verify))
    with np.errstate(all="ignore"):
        columns = [
            derivatives_by(case.f, x, index, atol=case.atol)[0] for index in np.ndindex(x.shape)
        ]
    expected = np.stack(columns, axis=1) if columns else local[:, :0]
    assert_covers(local, expected)

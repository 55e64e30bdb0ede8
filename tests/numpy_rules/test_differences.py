"""``np.gradient`` and ``np.trapezoid``: against the oracles, and against NumPy's own code.

The rules answer arrays without constants at constant distances; every other call goes to
NumPy's implementation, call by call.  So both must give the same pattern wherever both can.
"""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.numpy_calls.differences import LEVEL, PARTLY_EVEN, RESTING, UNEVEN, case
from oracles import (
    assert_covers,
    assert_same_pattern,
    dense,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace.numpy_rules import differences
from sparsetrace.operands.implementations import rebound


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


POINTS = {
    "uneven": UNEVEN,
    "partly even": PARTLY_EVEN,
    "backwards": -UNEVEN,
    "resting": RESTING,
    "level": LEVEL,
    "to and fro": np.array([0.0, 1.0, 0.0, 1.0, 3.0, 1.0]),
    "whole": np.array([0, 1, 3, 4, 5, 9]),
    "list": [0, 1, 3, 4, 5, 9],
    "single": PARTLY_EVEN.astype(np.float32),
    "endless": np.array([0.0, 1.0, 2.0, np.inf, np.inf, 9.0]),
    "undefined": np.array([0.0, 1.0, np.nan, 2.0, 3.0, 4.0]),
    "tiny": 1e-200 * PARTLY_EVEN,
    "huge": 1e200 * UNEVEN,
    "number": 0.5,
    "small number": np.float32(0.5),
    "zero": np.float64(0.0),
    "infinite": np.inf,
    "array of no dimensions": np.array(2.0),
}
ARRAYS = {
    "vector": lambda x: x[:6],
    "rows": lambda x: x.reshape(3, 6),
    "columns": lambda x: x.reshape(3, 6).T[:, :2].T,
    "cubes": lambda x: x.reshape(1, 3, 6),
    "part constant": lambda x: np.append(x[:4], [0.0, 1.0]),
    "complex": lambda x: x[:6] * 1j,
    "single": lambda x: x[:6].astype(np.float32),
}
OWN = {"gradient": rebound(np.gradient), "trapezoid": rebound(np.trapezoid)}
RULES = {"gradient": np.gradient, "trapezoid": np.trapezoid}
CALLS = {
    "gradient": lambda run, y, d: run["gradient"](y, d, axis=-1),
    "gradient edge": lambda run, y, d: run["gradient"](y, d, axis=-1, edge_order=2),
    "trapezoid": lambda run, y, d: (
        run["trapezoid"](y, d) if np.ndim(d) else run["trapezoid"](y, dx=d)
    ),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # distances of zero, NaN, infinite ones
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("points", POINTS)
@pytest.mark.parametrize("array", ARRAYS)
def test_the_rules_say_what_the_own_code_says(name, points, array):
    def by_rule(x):
        return CALLS[name](RULES, ARRAYS[array](x), POINTS[points])

    def by_own_code(x):
        return CALLS[name](OWN, ARRAYS[array](x), POINTS[points])

    def total(f):
        return lambda x: np.sum(abs(f(x) * x[0] ** 2)) * x[1]

    x = np.random.default_rng(0).uniform(0.5, 2.0, 18)
    for options in ({}, {"constants": "structure"}, {"dependency": True}, {"local": True}):
        assert_same_pattern(
            st.jacobian_sparsity(by_rule, x, **options),
            st.jacobian_sparsity(by_own_code, x, **options),
        )
    assert_same_pattern(
        st.hessian_sparsity(total(by_rule), x), st.hessian_sparsity(total(by_own_code), x)
    )


def test_common_calls_do_without_the_own_code(monkeypatch):
    """Otherwise the test above compares the own code with itself."""

    def refused(function):
        raise AssertionError(f"{function.__name__} ran NumPy's own code")

    monkeypatch.setattr(differences, "rebound", refused)

    def f(x):
        rows = x.reshape(2, 3)
        return (
            np.trapezoid(x),
            np.trapezoid(x, dx=2),
            np.trapezoid(x, RESTING),
            np.trapezoid(rows, rows_of_points, axis=0),
            np.gradient(x),
            np.gradient(x, 0.5, edge_order=2),
            np.gradient(x, PARTLY_EVEN, edge_order=2),
            *np.gradient(rows, [0.0, 2.0], 3),
        )

    rows_of_points = np.array([[0.0, 1, 2], [1, 2, 4]])
    assert st.jacobian_sparsity(f, np.ones(6)).shape == (4 + 2 + 18 + 12, 6)
    with pytest.raises(AssertionError, match="ran NumPy's own code"):
        st.jacobian_sparsity(lambda x: np.gradient(x, x[0]), np.ones(6))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.gradient(x, UNEVEN) ** 2),
        lambda x: np.sum(np.gradient(x, edge_order=2)[::2] ** 3),
        lambda x: np.trapezoid(x**2, RESTING),
        lambda x: np.trapezoid(x[:4], RESTING[:4]) * x[5],
        lambda x: np.sum(np.gradient(x[:3], x[3]) ** 2),
    ],
)
def test_hessians(f):
    x = np.random.default_rng(2).uniform(0.5, 2.0, 6)
    assert_same_pattern(st.hessian_sparsity(f, x), numerical_hessian_pattern(f, x))
    assert_covers(st.hessian_sparsity(f, x), st.hessian_sparsity(f, x, local=True))


def test_both_are_linear():
    """Alone they have no second derivatives."""

    def f(x):
        return np.trapezoid(x, UNEVEN) + np.sum(np.gradient(x, PARTLY_EVEN, edge_order=2))

    assert st.hessian_sparsity(f, np.ones(6)).nnz == 0


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.gradient(x, axis=1),
        lambda x: np.gradient(x, 1.0, 2.0),
        lambda x: np.gradient(x, [0.0, 1.0]),
        lambda x: np.gradient(x, [[0.0, 1.0]]),
        lambda x: np.gradient(x, edge_order=3),
        lambda x: np.gradient(x[:1]),
        lambda x: np.gradient(x[:2], edge_order=2),
        lambda x: np.gradient(x.reshape(2, 3), [0.0, 1.0]),
        lambda x: np.trapezoid(x, axis=1),
        lambda x: np.trapezoid(x, [0.0, 1.0, 2.0]),
        lambda x: np.trapezoid(x[0]),
    ],
)
def test_wrong_calls_raise_what_numpy_raises(f):
    x = np.linspace(1.0, 2.0, 6)
    with pytest.raises((ValueError, TypeError, IndexError)) as own:
        f(x)
    with pytest.raises(own.type):
        st.jacobian_sparsity(f, x)


def test_the_result_is_an_array_of_its_own():
    """Writing into a gradient leaves the array and the other gradients alone."""

    def f(x):
        rows = x.reshape(2, 3)
        down, along = np.gradient(rows)
        down[...] = 0.0
        along[0] = 0.0
        return rows, along

    pattern = dense(st.jacobian_sparsity(f, np.ones(6)))
    assert_same_pattern(pattern[:6], np.eye(6))
    assert not pattern[6:9].any()
    assert_same_pattern(pattern[9:], [[0, 0, 0, 1, 1, 0], [0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1]])


ARRANGEMENTS = {
    "as it is": lambda x: x,
    "transposed": lambda x: x.T,
    "two axes exchanged": lambda x: x.swapaxes(0, 1),
    "backwards": lambda x: x[:, ::-1],
    "every second": lambda x: x[::2, 1:],
}


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("arrange", ARRANGEMENTS.values(), ids=list(ARRANGEMENTS))
def test_the_memory_order_is_that_of_numpy(arrange, axis):
    """It decides what ``ravel("K")`` gives."""

    def f(x):
        y = arrange(x.reshape(4, 3, 2))
        return np.gradient(y, axis=axis).ravel("K"), np.trapezoid(y, axis=axis).ravel("K")

    x = np.ones(24)
    assert_same_pattern(st.jacobian_sparsity(f, x), numerical_jacobian_pattern(f, x))

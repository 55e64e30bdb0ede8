"""``np.gradient`` and ``np.trapezoid``: against the oracles, and against NumPy's own code.

The rules answer arrays without constants at constant distances; every other call goes to
NumPy's implementation, call by call.  So both must give the same pattern wherever both can.
"""

from __future__ import annotations

import numpy as np
import pytest
from checks import Cases, check

import sparsetrace as st
from oracles import (
    assert_covers,
    assert_same_pattern,
    dense,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace.numpy_rules import differences
from sparsetrace.operands.implementations import rebound

case = Cases()
UNEVEN = np.array([0.0, 0.5, 1.5, 1.75, 3.0, 4.5])
PARTLY_EVEN = np.array([0.0, 1.0, 2.0, 4.0, 6.0, 7.0])
RESTING = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 2.0])
LEVEL = np.zeros(6)
ROWS = np.array([[0.0, 1, 2], [0.0, 2, 5]])
RESTING_ROWS = np.array([[0, 1, 1], [0, 0, 5]])


def grid(x):
    return x.reshape(2, 3)


def block(x):
    return x.reshape(2, 3, 2)


def complexes(x):
    return x[:4] + 1j * x[4:]


case("trapezoid", lambda x: np.trapezoid(x), 6)
case("trapezoid of two", lambda x: np.trapezoid(x), 2)
case("trapezoid of one", lambda x: np.trapezoid(x), 1)
case("trapezoid of no rows", lambda x: np.trapezoid(x[:0].reshape(0, 3)), 3)
case("trapezoid of empty rows", lambda x: np.trapezoid(x[:0].reshape(3, 0)), 3)
case("trapezoid dx", lambda x: np.trapezoid(x, dx=np.float64(0.5)), 4)
case("trapezoid dx zero", lambda x: np.trapezoid(x, dx=0), 4)
case("trapezoid dx array", lambda x: np.trapezoid(x, dx=np.array([1.0, 0.0, 2.0])), 4)
case("trapezoid dx traced", lambda x: np.trapezoid(x[:3], dx=x[3]), 4)
case("trapezoid x", lambda x: np.trapezoid(x, UNEVEN), 6)
case("trapezoid x list", lambda x: np.trapezoid(x, [0, 1, 3]), 3)
case("trapezoid x resting", lambda x: np.trapezoid(x, RESTING), 6)
case("trapezoid x level", lambda x: np.trapezoid(x, LEVEL), 6)
case("trapezoid x unsigned", lambda x: np.trapezoid(x, np.array([5, 2, 2, 2], np.uint8)), 4)
case("trapezoid x of two points", lambda x: np.trapezoid(x, [0.0, 2.0]), 4)
case("trapezoid x traced", lambda x: np.trapezoid([1.0, 3.0, 2.0], x), 3)
case("trapezoid both traced", lambda x: np.trapezoid(x[:3], x[3:]), 6)
case("trapezoid first axis", lambda x: np.trapezoid(grid(x), axis=0), 6)
case("trapezoid middle axis", lambda x: np.trapezoid(block(x), axis=-2), 12)
case("trapezoid axis and x", lambda x: np.trapezoid(block(x), [0.0, 0.0, 1.0], axis=1), 12)
case("trapezoid axis and x of one row", lambda x: np.trapezoid(grid(x), [[0.0], [1.0]], axis=0), 6)
case("trapezoid list of rows of x", lambda x: np.trapezoid(grid(x), ROWS.tolist()), 6)
case("trapezoid rows of x along", lambda x: np.trapezoid(grid(x), ROWS[::-1], axis=1), 6)
case("trapezoid rows of x", lambda x: np.trapezoid(grid(x), ROWS), 6)
case("trapezoid rows of x resting", lambda x: np.trapezoid(grid(x), RESTING_ROWS), 6)
case("trapezoid moving columns", lambda x: np.trapezoid(grid(x), ROWS, axis=0), 6)
case("trapezoid columns of x", lambda x: np.trapezoid(grid(x), RESTING_ROWS, axis=0), 6)
case("trapezoid complex", lambda x: np.trapezoid(complexes(x)), 8)
case("trapezoid complex x", lambda x: np.trapezoid(x, [0.0, 1j, 2.0]), 3)
case("trapezoid of a part constant", lambda x: np.trapezoid(np.append(x, [0.0, 2.0])), 3)
case("trapezoid of constants alone", lambda x: np.trapezoid(np.append(x, [2.0, 2.0])[1:]) * x, 1)
case("trapezoid of opaque elements", lambda x: np.trapezoid(np.append(np.floor(x[:2]), x[2:])), 4)
case("trapezoid whole numbers", lambda x: np.trapezoid((x > 1) * 1), 3)

case("gradient of two", lambda x: np.gradient(x), 2)
case("gradient of three", lambda x: np.gradient(x, edge_order=2), 3)
case("gradient number", lambda x: np.gradient(x, 2), 5)
case("gradient edge", lambda x: np.gradient(x, -0.5, edge_order=2), 6)
case("gradient edge of four", lambda x: np.gradient(x, edge_order=2), 4)
case("gradient points", lambda x: np.gradient(x, UNEVEN), 6)
case("gradient points edge", lambda x: np.gradient(x, UNEVEN, edge_order=2), 6)
case("gradient points backwards", lambda x: np.gradient(x, -UNEVEN, edge_order=2), 6)
case("gradient even points", lambda x: np.gradient(x, [0, 2, 4, 6]), 4)
case("gradient partly even points", lambda x: np.gradient(x, PARTLY_EVEN), 6)
case("gradient partly even edge", lambda x: np.gradient(x, PARTLY_EVEN, edge_order=2), 6)
case("gradient whole points", lambda x: np.gradient(x, np.array([0, 1, 3, 4], np.uint8)), 4)
case("gradient unsigned points", lambda x: np.gradient(x, np.array([1, 0, 255, 99], np.uint8)), 4)
case(
    "gradient points to and fro",
    lambda x: np.gradient(x, [0.0, 1.0, 0.5, 2.0, 1.0], edge_order=2),
    5,
)
case("gradient axes", lambda x: list(np.gradient(grid(x))), 6)
case("gradient axes numbers", lambda x: list(np.gradient(grid(x), 2, 0.5)), 6)
case("gradient axes points", lambda x: list(np.gradient(grid(x), 2, [0.0, 1.0, 3.0])), 6)
case("gradient axes one number", lambda x: list(np.gradient(block(x), 0.5)), 12)
case("gradient middle axis", lambda x: np.gradient(block(x), axis=1, edge_order=2), 12)
case("gradient middle axis points", lambda x: np.gradient(block(x), [0.0, 1, 3], axis=1), 12)
case(
    "gradient middle even points",
    lambda x: np.gradient(x.reshape(2, 6, 1), PARTLY_EVEN, axis=1),
    12,
)
case("gradient chosen axes", lambda x: list(np.gradient(block(x), axis=(2, 0))), 12)
case("gradient transposed", lambda x: list(np.gradient(grid(x).T, 2.0)), 6)
case("gradient backwards", lambda x: np.gradient(x[::-2], 2.0), 6)
case("gradient complex", lambda x: np.gradient(complexes(x), UNEVEN[:4]), 8)
case("gradient of a part constant", lambda x: np.gradient(np.append(x, [0.0, 2.0, 2.0])), 3)
case("gradient of opaque elements", lambda x: np.gradient(np.append(np.floor(x[:2]), x[2:])), 4)
case("gradient whole numbers", lambda x: np.gradient((x > 1) * 1), 3)
case("gradient traced number", lambda x: np.gradient(x[:4], x[4], edge_order=2), 5)
case("gradient traced and constant", lambda x: list(np.gradient(grid(x[:6]), x[6], 2.0)), 7)
case("gradient list", lambda x: np.gradient([x[0], 2.0, x[1], x[2]]), 3)


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

"""Ufuncs and their methods, given lists of traced values."""

from __future__ import annotations

import numpy as np
import pytest
from numpy import sqrt

import sparsetrace as st
from oracles import (
    assert_same_pattern,
    flat_outputs,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace.capture import ufuncs_of_lists
from sparsetrace.user_code.public_names import public_name_in

X = np.array([0.8, 1.7, 2.6, 0.5])
REGION = {"low": 0.3, "high": 3.0, "points": 12}

CALLS = {
    "a number beside a constant": lambda x: np.sqrt([x[0], 2.0]),
    "a name bound early": lambda x: sqrt((x[0], 2.0, x[3])),
    "two lists": lambda x: np.hypot([x[0], 2.0], [x[1], 1]),
    "arrays": lambda x: np.exp([x[:2], x[2:]]),
    "no loop over objects": lambda x: np.logaddexp([x[0], x[1]], x[2]),
    "predicates": lambda x: np.where(np.isfinite([x[0], 2.0]), x[:2], 0.0),
    "a branch on a predicate": lambda x: x[0] * x[1] if not np.any(np.isnan([x[0], x[1]])) else 0,
    "constants alone": lambda x: np.sqrt([1.0, 4.0]) * x[:2] + np.sqrt([x[2], x[3]]),
    "reduce": lambda x: np.add.reduce([x[:2], x[2:]]) ** 2,
    "reduce along an axis": lambda x: np.multiply.reduce((x[:2], x[2:]), axis=1),
    "reduce of numbers": lambda x: np.hypot.reduce([x[0], 1.0, x[2]]),
    "reduce of conditions": lambda x: x * np.logical_and.reduce((x > -1, x < 9, x * x >= 0)),
    "accumulate": lambda x: np.add.accumulate([x[:2], x[2:]]) ** 2,
    "outer": lambda x: np.multiply.outer((x[:1], x[2:3]), x[1]),
    "reduceat": lambda x: np.multiply.reduceat([x[0], x[1], 2.0, x[3]], [0, 2]),
    "out": lambda x: _filled(x),
}


def _filled(x):
    out = np.zeros(2)
    np.add.reduce([x[:2], x[2:] ** 2], out=out)
    np.add.at(out, [0, 0], [x[1] ** 2, 1.0])
    return out


@pytest.mark.parametrize("name", CALLS)
def test_jacobians(name):
    f = CALLS[name]
    assert_same_pattern(st.jacobian_sparsity(f, X), numerical_jacobian_pattern(f, X, **REGION))
    assert_same_pattern(st.jacobian_sparsity(f, X, local=True), jacobian_pattern_at(f, X))


@pytest.mark.parametrize("name", CALLS)
def test_hessians(name):
    f = CALLS[name]
    weights = np.random.default_rng(3).uniform(0.5, 1.5, len(flat_outputs(f(X.copy()))))

    def weighted(x):
        return (weights * flat_outputs(f(x))).sum()

    def traced(x):
        return (weights * np.asarray(f(x)).reshape(-1)).sum()

    wanted = numerical_hessian_pattern(weighted, X, **REGION)
    assert_same_pattern(st.hessian_sparsity(traced, X), wanted)


def test_extrema_follow_the_point():
    def f(x):
        return np.maximum.reduce([x, 2 * x[::-1]])

    assert_same_pattern(st.jacobian_sparsity(f, X), np.eye(4) + np.eye(4)[::-1])
    assert_same_pattern(st.jacobian_sparsity(f, X, local=True), jacobian_pattern_at(f, X))


def test_the_ufunc_passes_for_itself_and_is_back_afterwards():
    def f(x):
        y = np.sqrt([x[0], 2.0])
        assert isinstance(np.sqrt, np.ufunc)
        assert np.sqrt.nin == 1
        assert np.sqrt == sqrt
        return y * np.logaddexp.reduce([x[1], 1.0])

    before = dict(vars(np.ufunc)), np.sqrt
    assert_same_pattern(st.jacobian_sparsity(f, X), [[1, 1, 0, 0], [0, 1, 0, 0]])
    assert (dict(vars(np.ufunc)), np.sqrt) == before
    assert np.sqrt is sqrt


def test_what_fails_in_the_wrapper_of_a_method_bears_the_public_name():
    wrapper = next(patch.replacement for patch in ufuncs_of_lists.patches() if patch.name == "at")
    with pytest.raises(TypeError) as caught:
        wrapper(np.add)
    assert public_name_in([caught.tb.tb_next.tb_frame]) == "np.ufunc.at"


absolute_value = np.absolute


def of_dtype(v):
    """Asks for a dtype: an array of objects would show."""
    assert np.asarray(v).dtype == float
    return v


def arithmetic():
    """Functions made anew: those that the garbage collector was told to skip are not found."""

    def nested(x):
        def inner(a):
            return np.abs([a, x[1]])

        return of_dtype(inner(x[0])) ** 2

    def converted(x):
        """Calls of two kinds that have other names in the same code."""
        return np.float64(x[0]) * of_dtype(np.multiply([x[1], x[2]], 2.0))

    return {
        "absolute": lambda x: of_dtype(np.abs([x[0], x[1]])) ** 2,
        "early": lambda x: of_dtype(absolute_value((x[0], 2.0))) ** 2,
        "two lists": lambda x: of_dtype(np.multiply([x[0], x[1]], [x[2], 3.0])),
        "beside an array": lambda x: of_dtype(np.add([x[0], x[1]], x[2:])) ** 2,
        "where it is largest": lambda x: x[np.argmax(np.abs([of_dtype(x)[0], x[1]]))] * x[3],
        "nested": nested,
        "converted": converted,
        "constants": lambda x: of_dtype(np.add([1.0, 2], 1)) * of_dtype(np.negative([x[0], 1.0])),
    }


@pytest.mark.parametrize("name", arithmetic())
@pytest.mark.parametrize("local", [False, True])
def test_arithmetic_of_lists_where_code_asks_for_a_dtype(name, local):
    f, names = arithmetic()[name], dict(vars(np))
    code = f.__code__
    found = st.jacobian_sparsity(f, X, local=local)
    expected = jacobian_pattern_at(f, X) if local else numerical_jacobian_pattern(f, X, **REGION)
    assert_same_pattern(found, expected)
    assert f.__code__ is code
    assert dict(vars(np)) == names


def test_operators_between_arrays_and_lists_stay_refused():
    def f(x):
        return of_dtype(np.ones(2) * [x[0], x[1]])

    with pytest.raises(st.UnsupportedError, match="an operator between an array and a list"):
        st.jacobian_sparsity(f, X)


class Sums:
    def __init__(self):
        self.values = np.ones(2)


def written():
    """Lists that NumPy makes an array of objects of, or reads: they are taken as arrays."""

    def added(x):
        out = np.zeros(2)
        out += [x[0] ** 2, x[1]]
        out -= (x[2], 1.0)
        return out

    def scaled(x):
        out = np.ones((2, 2))
        out[0] *= [x[0], x[1]]
        out[:, 1] /= [x[2], x[3]]
        return out

    def rows(x):
        out = np.full((2, 2), 3.0)
        out *= [x[:2], x[2:]]
        out **= [2.0, x[0]]
        return out

    sums = Sums()

    def of_an_object(x):
        sums.values[:] = 1.0
        sums.values += [x[0], x[1] * x[2]]
        return sums.values * 2.0

    def as_out(x):
        out = np.zeros(2)
        np.add(out, [x[0], x[1] * x[2]], out=out)
        return out

    def of_arrays(x):
        return np.abs([x[:2] - 4.0, x[2:] * x[1]])

    made = {"added": added, "scaled": scaled, "rows": rows, "of an object": of_an_object}
    return {**made, "as out": as_out, "of arrays": of_arrays}


@pytest.mark.parametrize("name", written())
def test_lists_that_are_written_into_an_array(name):
    f = written()[name]
    assert_same_pattern(st.jacobian_sparsity(f, X), numerical_jacobian_pattern(f, X, **REGION))
    assert_same_pattern(st.jacobian_sparsity(f, X, local=True), jacobian_pattern_at(f, X))


def test_constants_in_a_list_are_written_as_by_numpy():
    def f(x):
        counts = np.zeros(2)
        counts += [1.0, 2.0]
        return x[:2] * counts + type(counts).__name__.startswith("T")

    assert st.jacobian_sparsity(f, X).nnz == 2


def _is_nan(v):
    """Whether a setting is not given: text and None are none of that."""
    try:
        return np.isnan(v)
    except TypeError:
        return False


OPTIONS = {
    "none": None,
    "text": "brief",
    "table": {"a": 1.0},
    "function": np.sin,
    "list": [1.0, None],
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("local", [False, True])
def test_what_a_ufunc_does_not_take_of_constants_may_be_caught(name, local):
    def f(x):
        given = OPTIONS[name]
        return x[:2] if not _is_nan(given) else x[2:]

    assert st.jacobian_sparsity(f, X, local=local).toarray().tolist() == np.eye(2, 4).tolist()


def test_what_a_ufunc_refuses_of_constants_is_the_functions_own_error():
    with pytest.raises(TypeError, match="ufunc 'isnan' not supported"):
        st.jacobian_sparsity(lambda x: x * np.isnan(None), X)


def test_what_it_refuses_of_traced_numbers_is_not_swallowed():
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: x if not _is_nan([x[0], None]) else x[1], X)

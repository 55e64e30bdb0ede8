"""What f returns, and what it fills: arguments given as ``out=``."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from cases.shared import Pair, Record
from oracles import assert_same_pattern, numerical_jacobian_pattern
from sparsetrace import (
    InputError,
    OutputError,
    jacobian_sparsity,
    lagrangian_hessian_sparsity,
    sparse_jacobian,
)


def test_empty_output():
    assert jacobian_sparsity(lambda x: x[:0], np.ones(3)).shape == (0, 3)
    assert jacobian_sparsity(lambda x: [], np.ones(3)).shape == (0, 3)
    assert jacobian_sparsity(lambda x: (), np.ones(3)).shape == (0, 3)
    assert jacobian_sparsity(lambda x: {}, np.ones(3)).shape == (0, 3)


# ------------------------------------------------------------------------- out=
def test_out_is_filled():
    def f(x, out):
        out[0] = x[0] * x[1]
        out[1] = 3.0
        out[2:] = x[1:]

    pattern = jacobian_sparsity(f, np.ones(3), out=np.zeros(4))
    assert_same_pattern(pattern, [[1, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_out_starts_with_its_own_values():
    def f(x, out):
        out *= x  # zeros stay zeros
        out[2] += x[0]

    pattern = jacobian_sparsity(f, np.ones(3), out=np.array([0.0, 2.0, 0.0]))
    assert_same_pattern(pattern, [[0, 0, 0], [0, 1, 0], [1, 0, 0]])
    loose = jacobian_sparsity(f, np.ones(3), out=np.zeros(3), constants="structure")
    assert_same_pattern(loose, [[1, 0, 0], [0, 1, 0], [1, 0, 1]])


def test_nested_out():
    def f(x, out):
        out["b"][...] = x[0]
        out["a"][0][1] = x[1]

    pattern = jacobian_sparsity(f, np.ones(2), out={"a": (np.zeros(2),), "b": np.zeros((2, 1))})
    assert_same_pattern(pattern, [[0, 0], [0, 1], [1, 0], [1, 0]])


def test_out_is_not_changed():
    out = np.zeros(2)
    jacobian_sparsity(lambda x, y: y.fill(x[0]), np.ones(1), out=out)
    assert not out.any()


def test_what_f_returns_beside_out_does_not_count():
    def f(x, out):
        out[:] = x
        return x.sum()

    assert_same_pattern(jacobian_sparsity(f, np.ones(2), out=np.zeros(2)), np.eye(2))


def test_several_arguments_and_out():
    def f(a, b, out):
        np.multiply(a, b, out=out)

    pattern = jacobian_sparsity(f, np.ones(2), np.ones(2), argnums=(0, 1), out=np.empty(2))
    assert_same_pattern(pattern, np.tile(np.eye(2), 2))


@pytest.mark.parametrize("out", ["text", object(), np.array([None])])
def test_out_that_is_no_array(out):
    with pytest.raises(InputError):
        jacobian_sparsity(lambda x, y: None, np.ones(2), out=out)


# ---------------------------------------------------------------------- outputs
OUTPUTS = {
    "an array": (lambda x: 2 * x, np.eye(3)),
    "a scalar": (lambda x: x[0] * x[1], [[1, 1, 0]]),
    "a sum": (np.sum, [[1, 1, 1]]),
    "a matrix": (lambda x: np.outer(x, x), None),
    "a list of scalars": (lambda x: [x[2], x[0]], [[0, 0, 1], [1, 0, 0]]),
    "a tuple": (lambda x: (x[1:], x[0]), np.roll(np.eye(3), -1, axis=0)),
    "a dict": (lambda x: {"b": x[2], "a": x[:2]}, np.roll(np.eye(3), 1, axis=0)),
    "a named tuple": (lambda x: Pair(x[:2], x[2]), np.eye(3)),
    "nested": (lambda x: [(x[0], {"a": [x[1]]}), x[2:]], np.eye(3)),
    "rows": (lambda x: [[x[0], 1.0], [x[1], x[2]]], [[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "rows of two lengths": (lambda x: [[x[0], x[2]], [x[1]]], np.eye(3)[[0, 2, 1]]),
    "a number and a row": (lambda x: [2.0, [x[1], x[0]]], np.eye(3)[[2, 1, 0]] * [[0], [1], [1]]),
    "arrays of one length": (lambda x: [x, x[::-1]], np.vstack([np.eye(3), np.eye(3)[::-1]])),
    "an object array": (lambda x: np.array([x[0], 1.0, x[2]], object), np.diag([1, 0, 1])),
    "a constant": (lambda x: 1.0, np.zeros((1, 3))),
    "a whole number": (lambda x: 1, np.zeros((1, 3))),
    "a constant array": (lambda x: np.ones(2), np.zeros((2, 3))),
    "a list of constants": (lambda x: [1.0, 2], np.zeros((2, 3))),
    "constants among others": (lambda x: [1.0, x[0], np.zeros(1)], [[0] * 3, [1, 0, 0], [0] * 3]),
    "an opaque number": (lambda x: np.argmax(x), np.zeros((1, 3))),
    "a condition": (lambda x: x > 0, np.zeros((3, 3))),
    "whole numbers": (lambda x: np.floor(x), np.zeros((3, 3))),
    "x itself": (lambda x: x, np.eye(3)),
    "a generator made a list": (lambda x: [*(v for v in x)], np.eye(3)),
    "complex numbers": (lambda x: x * 1j, np.eye(3)),
    "no dimensions": (lambda x: x.reshape(3)[1:2].reshape(()), [[0, 1, 0]]),
    "tolist": (lambda x: x.tolist(), np.eye(3)),
    "a range": (lambda x: range(2), np.zeros((2, 3))),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs(name):
    f, expected = OUTPUTS[name]
    pattern = jacobian_sparsity(f, np.array([1.0, 2.0, 3.0]))
    if expected is None:
        expected = numerical_jacobian_pattern(f, np.array([1.0, 2.0, 3.0]))
    assert_same_pattern(pattern, np.array(expected))


@pytest.mark.parametrize(
    "made",
    [
        lambda x: None,
        lambda x: [x[0], None],
        lambda x: "text",
        lambda x: {"a": "text"},
        lambda x: object(),
        lambda x: scipy.sparse.eye_array(3),
        lambda x: (v for v in x),
        lambda x: {1.0, 2.0},
        lambda x: Record(x),
        lambda x: np.array([None]),
        lambda x: np.sin,
        lambda x: Fraction(1, 2),
        lambda x: np.array(["a"]),
        lambda x: map(np.sin, x),
    ],
)
def test_outputs_that_are_no_numbers(made):
    with pytest.raises(OutputError):
        jacobian_sparsity(made, np.ones(3))


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: (x[:2] * x[1:], None), [[1, 1, 0], [0, 1, 1]]),
        (lambda x: Pair("ok", x[:2]), [[1, 0, 0], [0, 1, 0]]),
        (lambda x: {"y": x[1] ** 2, "info": {"text": "ok", "none": None}}, [[0, 1, 0]]),
        (lambda x: (None, [x[2], x[0]], b"raw"), [[0, 0, 1], [1, 0, 0]]),
    ],
)
def test_texts_and_none_beside_numbers_have_no_rows(f, expected, local):
    assert_same_pattern(jacobian_sparsity(f, np.ones(3), local=local), expected)


def test_derivatives_of_what_is_returned_with_a_message():
    derivative = sparse_jacobian(lambda x: (x**2, "ok", None), np.ones(3))
    assert np.allclose(derivative(np.array([1.0, 2.0, 3.0])).toarray(), np.diag([2.0, 4.0, 6.0]))
    pattern = lagrangian_hessian_sparsity(lambda x: (x[:2] * x[1:], "ok", None), np.ones(3))
    assert_same_pattern(pattern, [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize("detect", [jacobian_sparsity, lagrangian_hessian_sparsity])
def test_none_on_some_paths_is_refused_where_the_given_arguments_have_a_number(detect):
    def f(x):
        return x**2, (None if x[0] < 0 else x[1] ** 2)

    with pytest.raises(OutputError, match=r"None as f\[1\]"):
        detect(f, np.ones(3))
    pattern = jacobian_sparsity(f, -np.ones(3))
    assert_same_pattern(pattern, np.eye(3))
    assert "4 values" in pattern.left_out[0]


def test_the_error_for_none_speaks_of_out():
    with pytest.raises(OutputError, match="out="):
        jacobian_sparsity(lambda x: None, np.ones(3))


def test_a_list_that_is_filled():
    def f(x, out):
        out[0] = x[0] * x[1]
        out[2] += x[1]

    out = [0.0, 1.0, 2.0]
    pattern = jacobian_sparsity(f, [1.0, 2.0], out=out)
    assert_same_pattern(pattern, [[1, 1], [0, 0], [0, 1]])
    assert out == [0.0, 1.0, 2.0]


def _with_nothing_elsewhere(x):
    if x[0] > 0.5:
        return None
    if x[1] > 0.5:
        return x[:2]
    return x[1:]


def _unit(v):
    size = np.sqrt(v @ v)
    if size < 1e-3:
        return None
    return v / size


def _fallen_through(x):
    if x[0] > 0.5:
        return x[:2]
    elif x[1] > 0.5:
        return x[1:]


def _by_a_helper(x):
    if _is_small(x):
        return
    return x * x[0]


def _is_small(x):
    return np.max(np.abs(x)) < 1e-3


def _not_converged(x):
    for _ in range(20):
        x = x * 0.5 + x[::-1] * 0.1
        if np.max(np.abs(x)) < 1e-3:
            return x
    return None


@pytest.mark.parametrize(
    "f", [_with_nothing_elsewhere, _unit, _fallen_through, _by_a_helper, _not_converged]
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_path_that_returns_none_has_no_derivative(f, wrapped):
    start = np.array([0.3, 2.5, 0.2])
    pattern = jacobian_sparsity((lambda x: f(x)) if wrapped else f, start)
    assert_same_pattern(pattern, _union_of_paths(f))
    assert any(f"None at {__file__}" in line for line in pattern.left_out)


def _union_of_paths(f):
    """What difference quotients show on all paths that return numbers."""
    rng, result = np.random.default_rng(0), False
    for x in rng.uniform(0.05, 1.0, (60, 3)):
        if f(x) is not None:
            moved = [f(x + 1e-6 * step) - f(x) for step in np.eye(3)]
            result = result | (np.abs(np.transpose(moved)) > 1e-12)
    return result


def test_at_a_point_none_is_an_error():
    with pytest.raises(OutputError, match="returned None"):
        jacobian_sparsity(_unit, np.zeros(3), local=True)
    assert jacobian_sparsity(_unit, np.zeros(3)).nnz == 9


def _handed_on_later(x):
    y = _unit(x)
    return y


def _by_a_flag(x):
    flag = _is_small(np.ones(3)) or len(str(x[0])) > 40
    if x[0] > 0.1:
        if not flag:
            return None
        return x[::-1]
    return x


def _nothing_at_all(x):
    if x[0] > 0:
        return None
    return None


def _nothing_by_type(x):
    if x[0] > 0.5 and type(x) is list:
        return x
    if x[0] <= 0.5:
        return x * 2
    return None


def _nothing_for_a_text(x):
    table = {"1": x * 2, "2": x[::-1]}
    return table.get(str(int(x[1]))) if x[0] > 0.1 else x


@pytest.mark.parametrize(
    "f", [_nothing_by_type, _nothing_for_a_text, _handed_on_later, _by_a_flag, _nothing_at_all]
)
def test_a_path_that_returns_none_is_an_error(f):
    """It may return it for what the text or the type of a traced number is, and for no other."""
    with pytest.raises(OutputError, match="returned None"):
        jacobian_sparsity(f, np.array([0.3, 2.5, 0.2]))

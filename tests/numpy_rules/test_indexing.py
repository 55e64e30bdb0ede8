"""Reading and writing elements: NumPy's own indexing, run on labels, is the reference.

A key that is constant moves elements, so the pattern is read off an array of labels:
element i of the input carries the label i + 1, and 0 means a constant.
"""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

from cases.indexing import ERROR_CASES, IN_PLACE, POINT, READ_CASES, WRITE_CASES, function, writer
from oracles import assert_same_pattern, numerical_jacobian_pattern
from sparsetrace import EscapeError, TracingError, jacobian_sparsity
from sparsetrace.arrays.array import TracedArray


def labels(shape) -> np.ndarray:
    return np.arange(1.0, np.prod(shape, dtype=int) + 1).reshape(shape)


def pattern_of_labels(result, n: int) -> np.ndarray:
    """Which input each element of the result is, as a pattern."""
    flat = np.ravel(result)
    out = np.zeros((len(flat), n), bool)
    for row, label in enumerate(flat.astype(int)):
        if label:
            out[row, label - 1] = True
    return out


def assert_moves(f, shape) -> None:
    """f moves elements (and writes zeros); its pattern is that of the labels it returns."""
    x = labels(shape)
    expected = np.asarray(f(x.copy()))
    pattern = jacobian_sparsity(f, x)
    assert_same_pattern(pattern, pattern_of_labels(expected, x.size))


@pytest.mark.parametrize(("shape", "source"), READ_CASES)
def test_read(shape, source):
    assert_moves(function(source), shape)


@pytest.mark.parametrize(("shape", "source"), READ_CASES)
def test_read_gives_the_kind_of_object_that_numpy_gives(shape, source):
    f = function(source)
    expected = f(labels(shape))
    kinds = Outside()

    def seen(x):
        got = f(x)
        kinds.append((isinstance(got, np.ndarray), np.shape(got), got.dtype))
        return got

    jacobian_sparsity(seen, labels(shape))
    assert kinds == [(isinstance(expected, np.ndarray), np.shape(expected), expected.dtype)]


@pytest.mark.parametrize(("shape", "source"), READ_CASES)
def test_read_shares_memory_where_numpy_does(shape, source):
    """Writing to the result changes x exactly where it does for an ordinary array."""
    f = function(source)

    def write_through(x):
        part = f(x)
        if isinstance(part, np.ndarray):
            part[...] = 0.0
        return x

    assert_moves(write_through, shape)


TARGETS = {
    "a copy": "x.copy()",
    "a product": "1.0 * x",
    "zeros_like": "np.zeros_like(x)",
    "a Fortran copy": "x.copy(order='F')",
    "a slice": "np.concatenate([x.reshape(-1)] * 2)[::2].reshape(x.shape)",
}


@pytest.mark.parametrize("target", ["a copy", "zeros_like"])
@pytest.mark.parametrize(("shape", "line"), WRITE_CASES)
def test_write(shape, line, target):
    assert_moves(writer(line, TARGETS[target]), shape)


@pytest.mark.parametrize("target", ["a product", "a Fortran copy", "a slice"])
def test_writes_into_other_arrays(target):
    for shape, line in WRITE_CASES:
        if ("shape =" in line and target != "a product") or shape == ():
            continue  # NumPy itself cannot
        assert_moves(writer(line, TARGETS[target]), shape)


def test_x_itself_can_be_written():
    def f(x):
        x[1:] = x[:-1]
        x[0] = 0.0
        return x

    point = np.ones(4)
    assert_same_pattern(jacobian_sparsity(f, point), np.eye(4, k=-1))
    np.testing.assert_array_equal(point, np.ones(4))


CANCEL = frozenset(("y -= x[0]", "y /= x"))
"""With y a copy of x: an element minus itself, and over itself, is a constant."""


@pytest.mark.parametrize("target", ["x.copy()", "np.ones_like(x)"])
@pytest.mark.parametrize("line", [line.strip() for line in IN_PLACE])
def test_in_place(line, target):
    f = writer(line, target)
    pattern = jacobian_sparsity(f, np.ones(6))
    expected = numerical_jacobian_pattern(f, np.ones(6), low=-2.0, high=2.0, points=30)
    if line in CANCEL and "copy" in target:
        expected = expected | np.eye(6, dtype=bool)
    assert_same_pattern(pattern, expected)


# ----------------------------------------------------------- conversions on write
def test_whole_numbers_have_no_derivative():
    def f(x):
        y = np.zeros_like(x, dtype=int)
        y[0] = x[0]
        y[1:] += np.floor(x[1:]).astype(int)
        return y * x[0]

    expected = np.zeros((3, 3), bool)
    expected[:, 0] = True
    assert_same_pattern(jacobian_sparsity(f, np.ones(3)), expected)
    assert_same_pattern(
        jacobian_sparsity(f, np.ones(3), dependency=True), expected | np.eye(3, dtype=bool)
    )


def test_conditions_have_no_derivative():
    def f(x):
        y = np.zeros_like(x, dtype=bool)
        y[:2] = x[:2]
        return y * x[2]

    expected = np.zeros((3, 3), bool)
    expected[:2, 2] = True
    assert_same_pattern(jacobian_sparsity(f, np.ones(3)), expected)


@pytest.mark.parametrize(("shape", "source"), ERROR_CASES)
def test_errors_are_numpys_own(shape, source):
    f = function(source)
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whatever NumPy raises
        f(np.ones(shape))
    with pytest.raises(expected.type) as found:
        jacobian_sparsity(f, np.ones(shape))
    assert not isinstance(found.value, TracingError)


@pytest.mark.parametrize(
    "line",
    [
        "y[4] = x[0]",
        "y[:2] = x[:3]",
        "y[[0, 1]] = x[:3]",
        "y[np.arange(4) > 1] = x[:3]",
        "y[np.ones(3, bool)] = x[0]",
        "y[0, 0] = x[0]",
        "y[0] = x[:2]",
        "y.flat[7] = x[0]",
        "y += np.ones(3)",
        "y[:2] += x",
    ],
)
def test_errors_of_writing_are_numpys_own(line):
    f = writer(line, "x.copy()")
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whatever NumPy raises
        f(np.ones(4))
    with pytest.raises(expected.type) as found:
        jacobian_sparsity(f, np.ones(4))
    assert not isinstance(found.value, TracingError)


def test_read_only_arrays_stay_so():
    def f(x):
        y = np.broadcast_to(x, (2, 4))
        y[0] = 0.0
        return y

    with pytest.raises(ValueError, match="read-only"):
        jacobian_sparsity(f, POINT)


def test_another_traces_array_cannot_be_written():
    kept = Outside()
    jacobian_sparsity(lambda x: kept.append(x) or x, POINT)

    def f(x):
        x[0] = kept[0][0]
        return x

    with pytest.raises(TracingError, match="an earlier run"):
        jacobian_sparsity(f, POINT)


def test_elements_of_the_memory_below_are_poison():
    def f(x):
        return np.ndarray.__getitem__(x, 0) + 1.0

    with pytest.raises(EscapeError):
        jacobian_sparsity(f, POINT)


def test_results_are_traced_arrays():
    seen = Outside()

    def f(x):
        seen.extend([x[1:], x[None], x[[0, 1]], x[np.argsort(x)], x[...]])
        return x

    jacobian_sparsity(f, POINT)
    assert all(type(part) is TracedArray for part in seen)

"""Objects with ``__array__`` beside ordinary arrays: operators, ufuncs and functions of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, numerical_jacobian_pattern

M = np.array([[1.0, 2.0], [0.0, 1.0]])
START = np.array([1.2, -0.7, 0.4, 2.1])


class Cell:
    """Holds an array, as the cells of crystals do."""

    def __init__(self, array):
        self.array = np.asarray(array)

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)

    def __mul__(self, other):
        return Cell(self.array * other)


class First(Cell):
    """Operators of arrays leave it to this class what they give."""

    __array_priority__ = 10.0

    def __rmatmul__(self, other):
        return self.array[0] * other[0]


class Crystal:
    def __init__(self, x):
        self.cell = Cell(x.reshape(2, 2))

    def strained(self):
        return M @ self.cell


PROGRAMS = {
    "matmul": lambda x: M @ Cell(x.reshape(2, 2)),
    "matmul with an attribute": lambda x: Crystal(x).strained(),
    "an operator of numbers": lambda x: np.float64(3.0) * Cell(x),
    "its own operator": lambda x: (Cell(x) * 2).array,
    "an operator in its own method": lambda x: np.sin(Cell(x) * x[0]),
    "ufunc of two": lambda x: np.add(M, Cell(x.reshape(2, 2))),
    "reduction": lambda x: np.add.reduce(Cell(x.reshape(2, 2))),
    "function": lambda x: np.linalg.det(Cell(x.reshape(2, 2))),
    "function after an operator": lambda x: [
        np.linalg.det(c) for c in [Cell(M @ Cell(x.reshape(2, 2)))]
    ],
    "sequence": lambda x: np.concatenate([np.cos(Cell(x[:2])), np.stack([Cell(x), x])[0]]),
    "method": lambda x: M.dot(Cell(x.reshape(2, 2))),
    "ordered": lambda x: M @ First(x.reshape(2, 2)),
    "branches": lambda x: M @ Cell(x.reshape(2, 2)) if x[0] > 0 else (M * Cell(x.reshape(2, 2))),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_pattern(name, local):
    f = PROGRAMS[name]
    if name == "branches" and not local:
        expected = numerical_jacobian_pattern(f, START, points=40, low=-1.0, high=1.0)
    else:
        expected = numerical_jacobian_pattern(f, START, points=6, low=0.3, high=1.0)
    assert_same_pattern(st.jacobian_sparsity(f, START, local=local), expected)


class Wrapping(Cell):
    """What NumPy computes of it, it multiplies by another number."""

    def __init__(self, array, factor):
        super().__init__(array)
        self.factor = factor

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return np.asarray(array) * self.factor


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sin(Wrapping(x[:2], x[3])),
        lambda x: np.add(M, Wrapping(x.reshape(2, 2), x[3])),
        lambda x: M @ Wrapping(x.reshape(2, 2), x[3]),
        lambda x: x[:2] * Wrapping(x[:2], x[3]),
    ],
)
def test_a_class_that_wraps_results_itself_is_refused(f, local):
    """Its method may bring in what the arrays do not depend on."""
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(f, START, local=local)


def test_the_class_is_as_before():
    before = dict(vars(Cell))
    st.jacobian_sparsity(PROGRAMS["branches"], START)
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: float(str(float((M @ Cell(x.reshape(2, 2)))[0, 0]))), START)
    assert dict(vars(Cell)) == before


def test_an_error_that_shows_such_an_object_is_named():
    """Its text is asked for once the trace has ended."""

    class Shown(Cell):
        def __repr__(self):
            return str(np.linalg.det(self) > 0)

    def f(x):
        cell = Shown(M @ Shown(x.reshape(2, 2)))
        if np.linalg.det(cell) < 0:
            raise ValueError(cell)
        return cell.array

    pattern = st.jacobian_sparsity(f, START)
    assert_same_pattern(pattern, np.eye(4) + np.eye(4, k=2))
    assert pattern.left_out[0].startswith("ValueError")

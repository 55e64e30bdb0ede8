"""Functions of NumPy's of sparse arrays, each of which it takes for one object."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at, numerical_jacobian_pattern

START = np.array([0.5, 1.5, 0.7])
TABLE = np.array([[1.0, 2.0], [0.0, 3.0]])

BY_OPERATORS = {
    "dot of a constant and a number": lambda a, x: np.dot(a, x[0]),
    "dot of a number and a constant": lambda a, x: np.dot(x[0], a),
    "dot and a number": lambda a, x: np.dot(a * x[0], x[1]),
    "dot and a constant": lambda a, x: np.dot(a * x[0], 2.0),
    "dot of two": lambda a, x: np.dot(a * x[0], a * x[1]),
    "multiply of a constant": lambda a, x: np.multiply(a, x[0]),
    "multiply of a number": lambda a, x: np.multiply(x[0], a),
    "multiply of two": lambda a, x: np.multiply(a * x[0], a.T * x[1]),
    "add": lambda a, x: np.add(a * x[0], a),
    "subtract": lambda a, x: np.subtract(a, a * x[0]),
    "divide of a constant": lambda a, x: np.divide(a, x[0]),
    "divide": lambda a, x: np.divide(a * x[0], x[1]),
    "power": lambda a, x: np.power(a * x[0], 2),
    "square": lambda a, x: np.square(a * x[0]),
}
BY_METHODS = {
    "sum": lambda a, x: np.sum(a * x[0]),
    "sum of columns": lambda a, x: np.sum(a * x[0], axis=0),
    "mean": lambda a, x: np.mean(a * x[0]),
    "max": lambda a, x: np.max(a * x[0]),
    "transpose": lambda a, x: np.transpose(a * x[0]),
    "real": lambda a, x: np.real(a * x[0]),
    "reshape": lambda a, x: np.reshape(a * x[0], (1, 4)),
}
CALLS = BY_OPERATORS | BY_METHODS


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("name", CALLS)
def test_patterns(name, make, local):
    def f(x):
        np.zeros(2) @ np.array([x[0], x[1]])  # in a run with lists for arrays, too
        result = CALLS[name](make(TABLE), x)
        return result.toarray() if sp.issparse(result) else np.asarray(result)

    oracle = jacobian_pattern_at if local else numerical_jacobian_pattern
    assert_same_pattern(st.jacobian_sparsity(f, START, local=local), oracle(f, START))


BESIDE_ARRAYS = {
    "dot": lambda a, x: np.dot(a, x[:2])[0],
    "dot of a row": lambda a, x: np.dot(x[:2], a)[0],
    "dot of a table": lambda a, x: np.dot(a, np.outer(x[:2], x[:2]))[0, 0],
    "multiply": lambda a, x: np.multiply(a, x[:2])[1],
    "multiply of one": lambda a, x: np.multiply(a * x[0], x[1:])[1],
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", BESIDE_ARRAYS)
def test_arrays_of_sparse_arrays_are_refused(name, local):
    """NumPy multiplies the sparse array with each element."""

    def f(x):
        return BESIDE_ARRAYS[name](sp.csr_array(TABLE), x).toarray()

    assert f(START).shape == (2, 2)
    with pytest.raises(st.UnsupportedError, match="for one object"):
        st.jacobian_sparsity(f, START, local=local)

"""An np.matrix of traced elements computes as NumPy's own."""

from __future__ import annotations

import functools
import operator
import re

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.special
from checks import Case, check_local, check_pattern
from outside import Outside

import sparsetrace as st
from cases.matrices import EXACT, LOOSE, REFUSED
from oracles import assert_same_pattern

A = np.arange(9.0).reshape(3, 3) + np.eye(3)
NAMES = {
    "np": np, "A": A, "K": np.asmatrix(A), "C": scipy.sparse.csr_matrix(A),
    "M": lambda x: np.asmatrix(x.reshape(3, 3)), "operator": operator, "functools": functools,
    "scipy": scipy,
}  # fmt: skip
REGION = {"low": 0.5, "high": 2.0}
X = np.random.default_rng(2).uniform(0.5, 2.0, 9)


def program(source):
    """``f(x)`` for an expression, or for lines with a return."""
    body = source.replace("; ", "\n") if "return " in source else f"return {source}"
    scope = dict(NAMES)
    exec("def f(x):\n" + "\n".join("    " + line for line in body.splitlines()), scope)
    return scope["f"]


@pytest.mark.parametrize("source", [*EXACT, *LOOSE])
def test_against_the_oracles(source):
    case = Case(source, program(source), 9, extra=LOOSE.get(source, ""), **REGION)
    check_pattern(case)
    check_local(case)


@pytest.mark.parametrize("source", [*EXACT, *LOOSE])
@pytest.mark.parametrize("local", [False, True])
def test_results_are_matrices_where_those_of_numpy_are(source, local):
    f, seen = program(source), Outside()

    def kind(result):
        return isinstance(result, np.matrix), isinstance(result, np.ndarray), np.shape(result)

    def watched(x):
        result = f(x)
        seen.append(kind(result))
        return result

    st.jacobian_sparsity(watched, X, local=local, verify=False)
    assert seen[0] == kind(f(X.copy()))


@pytest.mark.parametrize("source", REFUSED)
def test_what_may_mean_something_else_is_refused(source):
    for local in (False, True):
        with pytest.raises(st.TracingError, match=re.escape(REFUSED[source])):
            st.jacobian_sparsity(program(source), X, local=local)


def test_hessians():
    f = program("(M(x) * M(x)).trace()[0, 0]")
    g = program("np.trace(x.reshape(3, 3) @ x.reshape(3, 3))")
    for local in (False, True):
        expected = st.hessian_sparsity(g, X, local=local).toarray()
        assert_same_pattern(st.hessian_sparsity(f, X, local=local), expected)


def test_rows_of_a_sparse_matrix_times_an_array():
    """Its sums are matrices of NumPy's, and a product with one is one of matrices."""

    def f(x):
        a = scipy.sparse.csr_matrix((x[:3], ([0, 1, 2], [1, 2, 0])), (3, 3))
        return x[None, 3:6] * a.sum(axis=1), x[3:6, None] * a.sum(axis=0)

    first = np.array([[1, 1, 1, 1, 1, 1, 0, 0, 0]])
    second = [np.eye(9)[3 + i] + np.eye(9)[j] for i in range(3) for j in (2, 0, 1)]
    assert_same_pattern(st.jacobian_sparsity(f, X), np.vstack([first, second]))

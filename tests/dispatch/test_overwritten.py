"""Arguments that a function may overwrite, read afterwards."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import scipy.fftpack
import scipy.linalg
import scipy.signal

import sparsetrace as st
from oracles import assert_covers, numerical_hessian_pattern, numerical_jacobian_pattern

REGULAR = np.asfortranarray(np.triu(np.ones((3, 3))) + 4 * np.eye(3))
POINT = np.array([0.7, -0.4, 1.3])
OF_VECTORS = {
    "solve": lambda b: scipy.linalg.solve(REGULAR, b, overwrite_b=True),
    "by position": lambda b: scipy.linalg.solve(REGULAR, b, False, False, True),
    "solve_triangular": lambda b: scipy.linalg.solve_triangular(REGULAR, b, overwrite_b=True),
    "lu_solve": lambda b: scipy.linalg.lu_solve(
        scipy.linalg.lu_factor(REGULAR), b, overwrite_b=True
    ),
    "dct": lambda b: scipy.fft.dct(b, overwrite_x=True),
    "dct by position": lambda b: scipy.fft.dct(b, 2, None, -1, None, True),
    "dctn": lambda b: scipy.fft.dctn(b, overwrite_x=True),
    "fftpack": lambda b: scipy.fftpack.rfft(b, overwrite_x=True),
    "detrend": lambda b: scipy.signal.detrend(b, overwrite_data=True),
}
OF_MATRICES = {
    "inv": lambda a: scipy.linalg.inv(a, overwrite_a=True),
    "lu_factor": lambda a: scipy.linalg.lu_factor(a, overwrite_a=True),
    "qr": lambda a: scipy.linalg.qr(a, overwrite_a=True),
    "solve": lambda a: scipy.linalg.solve(a, np.ones(3), overwrite_a=True),
}


@pytest.mark.parametrize("name", OF_VECTORS)
def test_vectors(name):
    def f(x):
        b = x.copy()
        OF_VECTORS[name](b)
        return b

    assert_covers(st.jacobian_sparsity(f, POINT), numerical_jacobian_pattern(f, POINT))
    with pytest.raises(st.VerificationError):  # of the values nothing is known
        st.jacobian_sparsity(f, POINT, local=True)


@pytest.mark.parametrize("name", OF_MATRICES)
def test_matrices(name):
    def f(x):
        a = np.asfortranarray(REGULAR + np.outer(x, x[::-1]))
        OF_MATRICES[name](a)
        return a

    assert_covers(st.jacobian_sparsity(f, POINT), numerical_jacobian_pattern(f, POINT))


def test_they_are_not_linear():
    def f(x):
        a = np.asfortranarray(REGULAR + np.diag(x))
        scipy.linalg.inv(a, overwrite_a=True)
        return a[0, 2]

    assert_covers(st.hessian_sparsity(f, POINT), numerical_hessian_pattern(f, POINT))


@pytest.mark.parametrize("options", [{}, {"overwrite_b": False}])
def test_what_may_not_be_overwritten_stays(options):
    def f(x):
        b = x.copy()
        scipy.linalg.solve(REGULAR, b, **options)
        return b

    assert st.jacobian_sparsity(f, POINT).nnz == 3

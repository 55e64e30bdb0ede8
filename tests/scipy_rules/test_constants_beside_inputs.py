"""Results that are constants beside inputs: the numbers of SciPy, or unknown ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage as nd
import scipy.signal as sg
from scipy.spatial import KDTree, cKDTree

from sparsetrace import jacobian_sparsity

CORNERS = np.array([[0.5, 0.6], [3.0, 0.1], [3.1, 3.0], [0.0, 3.05]])
IMAGE = np.arange(12.0).reshape(3, 4) + 1
NUMBERS = np.array([0.5, 0.6, 1.3, 1.4])
ROWS = np.array([[0, 1], [2, 4]])
CALLS = {
    "KDTree.query": lambda b: KDTree(CORNERS).query(b[ROWS], k=3)[0][0],
    "KDTree.query, far": lambda b: np.minimum(
        KDTree(CORNERS).query(b[ROWS], k=3, distance_upper_bound=2.5)[0][0], 9.0
    ),
    "cKDTree.query": lambda b: cKDTree(CORNERS).query(b[ROWS], k=2)[0][0],
    "query of a traced tree": lambda b: KDTree(b[ROWS]).query(CORNERS[:1])[0] * 0 + 1,
    "fourier_gaussian": lambda b: nd.fourier_gaussian(IMAGE, b[[0, 4]])[:, 0],
    "fourier_ellipsoid": lambda b: nd.fourier_ellipsoid(IMAGE, b[[0, 4]])[:, 0],
    "fourier_shift": lambda b: nd.fourier_shift(IMAGE, b[[0, 4]])[:, 0],
    "fourier_uniform": lambda b: nd.fourier_uniform(IMAGE, b[[0, 4]])[:, 0],
    "welch": lambda b: sg.welch(np.r_[b[4], b[:3]], nperseg=4)[1][2:],
}


@pytest.mark.parametrize("name", CALLS)
def test_numbers_are_those_of_scipy_or_unknown(name):
    call = CALLS[name]
    expected = np.asarray(call(np.append(NUMBERS, 1.1)))
    np.testing.assert_allclose(call(np.append(NUMBERS, 2.1)), expected)  # of constants alone

    def function(x):
        table = np.empty(5)
        table[:4], table[4] = NUMBERS, x[0]
        return x[1] * (np.abs(call(table) - expected) <= 1e-9)

    pattern = jacobian_sparsity(function, np.ones(2), verify=False).toarray()
    assert pattern[:, 1].all()


def test_a_distance_that_may_be_zero_is_no_constant():
    def function(x):
        table = np.empty(5)
        table[:4], table[4] = NUMBERS, x[0]
        return x[1] * KDTree(CORNERS).query(table[ROWS], k=2)[0][0]

    pattern = jacobian_sparsity(function, np.ones(2), verify=False).toarray()
    assert pattern[1, 1]

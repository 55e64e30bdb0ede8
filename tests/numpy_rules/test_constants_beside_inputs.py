"""Numbers that are computed of constants beside inputs: those of NumPy, or unknown ones.

A wrong one would cut: `x[0] * (number == what NumPy gives)` lost x[0].
"""

from __future__ import annotations

import numpy as np
import pytest

from sparsetrace import jacobian_sparsity

NUMBERS = np.array([3.0, 1.0, 1.0, 2.0, 0.4, 5.0, -2.5, 0.6, -1.0, 2.0, 0.0, 7.0])
MOST = np.finfo(float).max
S = np.array(
    [[9.0, 1.0, 2.0, 3.0], [1.0, 9.0, 4.0, 1.0], [2.0, 4.0, 9.0, 2.0], [3.0, 1.0, 2.0, 9.0]]
)
CALLS = {
    "round": lambda b: np.round(b),
    "round, decimals": lambda b: np.round(b / 7, 1),
    "round, method": lambda b: (b / 7).round(),
    "argmax of nan": lambda b: np.argmax(np.where(b == 5, np.nan, b)),
    "argmin of nan": lambda b: np.argmin(np.where(b == 5, np.nan, b)),
    "argmax of infinity": lambda b: np.argmax(np.where(b > 4, [MOST, np.inf] * 6, b)),
    "nanargmax": lambda b: np.nanargmax(np.where(b == 7, np.nan, b).reshape(3, 4), axis=1),
    "vecdot": lambda b: np.vecdot(1j * b[:4], b[4:8]),
    "linalg.vecdot": lambda b: np.linalg.vecdot(b[:4] + 1j, 2j * b[4:8]),
    "vecmat": lambda b: np.vecmat(1j * b[:3], b.reshape(3, 4)) if hasattr(np, "vecmat") else b,
    "correlate": lambda b: np.correlate(b[:4], 1j * b[4:7], "full"),
    "correlate, longer": lambda b: np.correlate(1j * b[:2], b[4:9] + 1j, "same"),
    "matmul of whole numbers": lambda b: np.matmul(
        b.reshape(3, 4), b[:4], dtype=int, casting="unsafe"
    ),
    "cholesky": lambda b: np.linalg.cholesky(S + np.diag(b[:4])),
    "cholesky, upper": lambda b: np.linalg.cholesky(S + np.diag(b[:4]), upper=True),
    "qr": lambda b: np.linalg.qr(b.reshape(3, 4))[1],
    "qr, Q": lambda b: np.linalg.qr(b.reshape(4, 3))[0],
    "qr, r": lambda b: np.linalg.qr(b.reshape(4, 3), mode="r"),
    "histogram": lambda b: np.histogram(b, 3, (0, 3), density=True)[0],
    "histogram, weights": lambda b: np.histogram(b, 3, (0, 3), weights=b + 3, density=True)[0],
    "histogramdd": lambda b: np.histogramdd((b, b), (2, 3), ((0, 2), (0, 3)), density=True)[0],
    "histogram2d": lambda b: np.histogram2d(b, b, 2, [(0, 2), (0, 3)], density=True, weights=b)[0],
    "roots": lambda b: np.roots(b[:2]),
    "roots after a negative zero": lambda b: np.roots(np.r_[-b[10], b[:3]]),
    "polymul": lambda b: np.polymul(np.r_[-b[10], b[:3]], b[3:6]),
    "polydiv": lambda b: np.polydiv(np.polymul([1.1, b[4]], [1.3, 0.7]), [1.3, 0.7])[1],
    "emath.sqrt": lambda b: np.emath.sqrt(b),
    "emath.log": lambda b: np.emath.log(b - 8),
    "emath.log2": lambda b: np.emath.log2(-1 - b**2),
    "emath.arccos": lambda b: np.emath.arccos(b),
    "emath.power": lambda b: np.emath.power(b[4:8], b[7]),
    "emath.logn": lambda b: np.emath.logn(b[0], b[6:9]),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_numbers_are_those_of_numpy_or_unknown(name):
    call = CALLS[name]
    with np.errstate(all="ignore"):
        expected = np.asarray(call(NUMBERS))

    def function(x):
        table = np.empty(13)
        table[:12], table[12] = NUMBERS, x[0]
        with np.errstate(all="ignore"):
            found = np.asarray(call(table[:12]))
        same = np.abs(found - expected) <= 1e-9 * (1 + np.abs(expected))
        return x[0] * np.ravel(same | np.isnan(expected))

    pattern = jacobian_sparsity(function, np.ones(1), verify=False)
    assert pattern.shape == (expected.size, 1)
    assert pattern.toarray().all()


def test_a_factor_below_a_constant_block():
    """Of the constants in the factor those are known that no column of the tree leaves out."""

    def function(x):
        matrix = np.empty((5, 5))
        matrix[:4, :4], matrix[4], matrix[:, 4] = S, x[1], x[1]
        matrix[4, 4] = 99.0
        factor = np.linalg.cholesky(matrix)
        return x[0] * (np.abs(factor[:4, :4] - np.linalg.cholesky(S)) < 1e-9).ravel(), factor[4]

    pattern = jacobian_sparsity(function, np.array([1.0, 0.1]), verify=False).toarray()
    assert pattern[:16, 0].all()
    assert not pattern[:16, 1].any()
    assert pattern[16:, 1].all()

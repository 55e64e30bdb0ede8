"""Parts of SciPy's multivariate distributions whose code branches on values, or hides zeros.

Contract: the methods are SciPy's own code, which calls these functions.  A covariance that the
inputs decide has full rank, or is refused at a point where it has not.  What is zero between
blocks of a constant covariance is zero in its inverse too, where rounding leaves something.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln

from sparsetrace.operands.operands import contains_traced, is_uncertain, values_of
from sparsetrace.scipy_rules.linalg.matrix_functions import mirrored
from sparsetrace.scipy_rules.rule_tools import Call, array_of, current, harmless, makes_objects


@harmless("check_finite")
@makes_objects
def _PSD_init(call: Call, self, M, cond, rcond, lower, allow_singular):
    """An eigendecomposition, by which points are whitened, and the determinant."""
    matrix = mirrored(array_of(M), lower=lower)
    self.eps = 0.0
    if current().local:
        plain = object.__new__(type(self))
        call.plainly(plain, values_of(M), cond, rcond, lower, allow_singular=allow_singular)
        if plain.rank < len(matrix):
            call.refuse("the covariance is singular here", "Add a small multiple of np.eye(n).")
        self.eps = plain.eps
    values, vectors = scipy.linalg.eigh(matrix)
    self._M, self._pinv, self.rank = matrix, None, len(matrix)
    self.U, self.V = vectors / np.sqrt(values), np.zeros((len(matrix), 0))
    self.log_pdet = np.linalg.slogdet(matrix)[1]


def multivariate_normal_gen_logpdf(call: Call, self, x, mean, cov_object):
    """A quadratic form, of the second derivatives that the inverse has."""
    covariance, deviation = cov_object.covariance, array_of(x) - array_of(mean)
    if np.ndim(covariance) != 2:
        return call.original(self, x, mean, cov_object)
    precision = _precision(cov_object, covariance)
    square = np.sum(deviation * (deviation @ precision), axis=-1)
    return -0.5 * (cov_object.rank * np.log(2 * np.pi) + cov_object.log_pdet + square)


def _precision(cov_object, covariance) -> Any:
    if contains_traced(covariance):
        return np.linalg.inv(covariance)
    roots = cov_object.whiten(np.eye(len(covariance)))
    return roots @ roots.T * _are_in_a_block(covariance)


def _are_in_a_block(matrix: NDArray[Any]) -> Any:
    """Which rows and columns of a symmetric matrix are connected by entries."""
    _, block = connected_components(matrix != 0, directed=False)
    return np.equal.outer(block, block)


def multivariate_t_gen_logpdf(
    call: Call, self, x, loc, prec_U, log_pdet, df, dim, rank, cov_object=None
):
    """For finite degrees of freedom, where their number is not known."""
    if not is_uncertain(df) and np.isinf(values_of(df)):  # a normal distribution
        known = () if cov_object is None else (cov_object,)
        return call.original(self, x, loc, prec_U, log_pdet, df, dim, rank, *known)
    x, loc, prec_U, df = map(array_of, (x, loc, prec_U, df))
    square = np.sum(((x - loc) @ prec_U) ** 2, axis=-1)
    power = (df + dim) / 2
    factor = gammaln(power) - gammaln(df / 2) - dim / 2 * np.log(df * np.pi) - log_pdet / 2
    return np.squeeze(factor - power * np.log(1 + square / df))[()]


# ---------------------------------------------------------------------- Dirichlet
def _dirichlet_check_parameters(alpha):
    return array_of(alpha)


def _dirichlet_check_input(call: Call, alpha, x):
    """With the last component, which may be left out."""
    x = array_of(x)
    if len(x) == len(alpha):
        return x
    if len(x) + 1 != len(alpha):
        return call.original(np.ones(len(alpha)), np.ones(x.shape))  # its own error
    return np.concatenate([x, 1.0 - np.sum(x, axis=0, keepdims=True)])

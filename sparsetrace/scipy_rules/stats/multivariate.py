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

from sparsetrace.operands.operands import contains_traced, ids_of, is_uncertain, values_of
from sparsetrace.scipy_rules.linalg.matrix_functions import mirrored
from sparsetrace.scipy_rules.points import function_of
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    harmless,
    made,
    makes_objects,
)
from sparsetrace.scipy_rules.special import special_functions
from sparsetrace.scipy_rules.whole import total_of


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


# ---------------------------------------------------------------------- others
def multivariate_normal_gen_cdf(
    call: Call, self, x, mean, cov, maxpts, abseps, releps, lower_limit, rng=None
):
    """By integration: of each point, and of all parameters."""
    x = array_of(x)
    every = made(current(), np.array(total_of(mean, cov, lower_limit)), float)
    points = [x[..., i] for i in range(x.shape[-1])]
    result = function_of([*points, every], [True] * (len(points) + 1), (), float)
    if current().local:
        numbers = (values_of(x), values_of(mean), values_of(cov))
        limit, last = values_of(lower_limit), () if rng is None else (rng,)
        values = call.plainly(self, *numbers, maxpts, abseps, releps, limit, *last)
        result = made(current(), ids_of(current(), result), float, np.reshape(values, result.shape))
    return np.squeeze(result)[()]


def multinomial_gen_process_parameters(call: Call, self, n, p):
    """The last probability is what the others leave, where the sum is not one."""
    p = array_of(p)
    others = 1.0 - np.sum(p[..., :-1], axis=-1)
    eps = np.finfo(np.float64).eps * 10
    last = np.where(np.abs(1 - np.sum(p, axis=-1)) > eps, others, p[..., -1])
    n = np.array(constant(call, n, "a number of trials"), dtype=int)
    p = np.concatenate([p[..., :-1], last[..., None]], axis=-1)
    shape = np.broadcast_shapes(n.shape, p.shape[:-1])
    outside = np.zeros(shape, bool)
    if current().local:
        numbers = np.asarray(values_of(p))
        outside = outside | ((numbers < 0) | (numbers > 1)).any(axis=-1) | (n < 0)
    return n, p, outside


def invwishart_gen_logpdf(self, x, dim, df, log_det_scale, C):
    """Matrices in the last axis of x, and the factor of the scale."""
    logs, traces = [], []
    for i in range(x.shape[-1]):
        logs.append(np.linalg.slogdet(x[:, :, i])[1])
        traces.append(np.trace(np.linalg.solve(x[:, :, i], C @ C.T)))
    log_det_x, trace = np.stack(logs), np.stack(traces)
    return (
        0.5 * df * log_det_scale
        - 0.5 * trace
        - 0.5 * df * dim * np.log(2)
        - 0.5 * (df + dim + 1) * log_det_x
        - special_functions.multigammaln(0.5 * df, dim)
    )

"""``scipy.special``'s functions that are no ufuncs.

Contract: those made of ufuncs are written with them.  Of the others, a result depends on the
arguments at its own place, jointly nonlinear: orders are constants, and the axes of a sequence
of orders stand before those of the points.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.numpy_rules.linear_algebra import union_per_matrix
from sparsetrace.operands.operands import contains_traced, dtype_of, float_dtype, ids_of, values_of
from sparsetrace.scipy_rules.points import function_of
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    current,
    made,
    spread,
)
from sparsetrace.scipy_rules.whole import whole

_INSIDE = 0.5
"""A place at which all of these functions are defined."""


def _ufunc(name: str) -> Any:
    return getattr(sys.modules["scipy.special"], name)


# ------------------------------------------------------------------- made of ufuncs
def comb(N, k, repetition):
    N, k = array_of(N), array_of(k)
    if repetition:  # before SciPy 1.17 also zero where k > N + k - 1
        return np.where((k == 0) & (N >= 0), 1.0, _ufunc("binom")(N + k - 1, k))[()]
    return np.where((k <= N) & (N >= 0) & (k >= 0), _ufunc("binom")(N, k), 0.0)[()]


def perm(N, k):
    N, k = array_of(N), array_of(k)
    return np.where((k <= N) & (N >= 0) & (k >= 0), _ufunc("poch")(N - k + 1, k), 0.0)[()]


def factorial(call, n, extend="zero"):  # SciPy 1.14 has no extend
    given, n = n, array_of(n)
    if extend != "zero":
        return _at_points(call, n, extend=extend)
    result = np.where(n < 0, 0.0, _ufunc("gamma")(n + 1.0))
    return result if isinstance(given, np.ndarray) else result[()]


def multigammaln(a, d):
    a = array_of(a)
    shifted = [_ufunc("loggamma")(a - j / 2.0) for j in range(int(d))]
    return sum(shifted, d * (d - 1) * 0.25 * np.log(np.pi))


def polygamma(n, x):
    n, x = array_of(n), array_of(x)
    scale = (-1.0) ** (n + 1) * _ufunc("gamma")(n + 1.0)
    return np.where(n == 0, _ufunc("psi")(x), scale * _ufunc("zeta")(n + 1.0, x))


def _bessel_derivative(name: str, phase: float) -> Callable[..., Any]:
    """The n-th derivative in z, as a sum of functions of the orders beside v."""

    def rule(v, z, n):
        v, z, n, function = array_of(v), array_of(z), int(n), _ufunc(name)
        total, weight = function(v - n, z), 1.0
        for i in range(1, n + 1):
            weight *= phase * (n - i + 1) / i
            total = total + weight * function(v - n + 2 * i, z)
        return total / 2.0**n

    return rule


jvp, yvp = _bessel_derivative("jv", -1.0), _bessel_derivative("yv", -1.0)
h1vp, h2vp = _bessel_derivative("hankel1", -1.0), _bessel_derivative("hankel2", -1.0)
ivp, kvp = _bessel_derivative("iv", 1.0), _bessel_derivative("kv", 1.0)


# ------------------------------------------------------------------- point by point
def _at_points(call: Call, *args, **options) -> Any:
    """SciPy's function, each result of which depends on the arguments at its own place.

    ``lqn(2, [{0}, {1}])[0]  ->  [[{0}, {1}], [{0}, {1}], [{0}, {1}]]``
    """
    trace = current()
    ids = _joined(*filter(contains_traced, args))
    with np.errstate(all="ignore"):
        sample = call.original(*map(_inside, args), **options)

    def placed(result) -> Any:
        if isinstance(result, tuple):
            return tuple(map(placed, result))
        result = np.asarray(result)
        # copies of scalars fill any shape; orders in an array stand beside the points
        return made(trace, np.broadcast_to(ids, result.shape).copy(), result.dtype)

    return placed(sample)


def _joined(*args) -> Ids:
    """Everything at the same place, jointly nonlinear."""
    trace = current()
    shape = np.broadcast_shapes(*map(np.shape, args))
    ids = [np.broadcast_to(ids_of(trace, x), shape) for x in args]
    return interact_all(trace.graph, np.maximum(trace.graph.union_all(ids), OPAQUE))


def _inside(x) -> Any:
    """Numbers in place of a traced argument, its own where they are known."""
    if not contains_traced(x):
        return x
    if current().local:
        return np.asarray(values_of(x), dtype_of(x))[()]
    return np.full(np.shape(x), _INSIDE, float_dtype(x))[()]


def diric(call, x, n):
    return _at_points(call, x, constant(call, n, "n"))


def factorial2(call, n, extend=None):  # nor do these, whose numbers are whole then
    return _at_points(call, n, **({} if extend is None else {"extend": extend}))


def factorialk(call, n, k, extend=None):
    options = {} if extend is None else {"extend": extend}
    return _at_points(call, n, constant(call, k, "k"), **options)


def lqn(call, n, z):
    return _at_points(call, constant(call, n, "the order"), z)


def lqmn(call, m, n, z):
    return _at_points(call, *constant(call, (m, n), "an order"), z)


def lpn(call, n, z):
    return _at_points(call, constant(call, n, "the order"), z)


def lpmn(call, m, n, z):
    return _at_points(call, *constant(call, (m, n), "an order"), z)


def clpmn(call, m, n, z, type):
    return _at_points(call, *constant(call, (m, n), "an order"), z, type=type)


def lmbda(call, v, x):
    return _at_points(call, constant(call, v, "the order"), x)


pbdv_seq = pbvv_seq = lmbda


def pbdn_seq(call, n, z):
    return _at_points(call, constant(call, n, "the order"), z)


def riccati_jn(call, n, x):
    return _at_points(call, constant(call, n, "the order"), x)


riccati_yn = riccati_jn


def pro_cv_seq(call, m, n, c):
    return _at_points(call, *constant(call, (m, n), "an order"), c)


obl_cv_seq = pro_cv_seq


def spherical_jn(call, n, z, derivative):
    n = array_of(n).astype(int) if contains_traced(n) else n  # SciPy cuts off its fraction
    return _at_points(call, n, z, derivative=derivative)


spherical_yn = spherical_in = spherical_kn = spherical_jn


def MultiUFunc_call(call, self, *args, **kwargs):
    """``legendre_p``, ``sph_harm_y`` and their kin: orders first, then the points."""
    constant(call, tuple(kwargs.values()), "an option")

    def function(*plain, **options) -> Any:
        return call.original(self, *plain, **options)

    return _at_points(Call(call.name, function), *args, **kwargs)


# ----------------------------------------------------------------- nodes and weights
def roots_jacobi(call, n, alpha, beta, mu):
    return _nodes(call, n, alpha, beta, mu=mu)


j_roots = roots_jacobi


def roots_sh_jacobi(call, n, p1, q1, mu):
    return _nodes(call, n, p1, q1, mu=mu)


js_roots = roots_sh_jacobi


def roots_genlaguerre(call, n, alpha, mu):
    return _nodes(call, n, alpha, mu=mu)


la_roots = roots_gegenbauer = cg_roots = roots_genlaguerre


def _nodes(call: Call, n, *parameters, mu: bool) -> Any:
    """All nodes and weights depend on all parameters."""
    constant(call, n, "how many nodes there are")
    trace = current()
    total = trace.graph.union_all([union_per_matrix(trace, x) for x in parameters])
    sample = call.original(n, *(1.5 - 0.5 * i for i, _ in enumerate(parameters)), mu)
    return spread(trace, np.asarray(interact_all(trace.graph, total)), sample)


# ------------------------------------------------------------------- others
def ellip_harm_2(call, h2, k2, n, p, s):
    """Each argument beside the others, as a ufunc."""
    constant(call, (n, p), "a degree")
    return function_of([h2, k2, s], [contains_traced(x) for x in (h2, k2, s)], (), float)


def ellip_normal(call, h2, k2, n, p):
    constant(call, (n, p), "a degree")
    return function_of([h2, k2], [contains_traced(x) for x in (h2, k2)], (), float)


def mathieu_even_coef(call, m, q):
    """As many coefficients as the parameter asks for."""
    constant(call, m, "the order")
    if not current().local:
        call.refuse(
            "how many coefficients there are depends on the values",
            "Take a pattern at a point with local=True.",
        )
    return whole(call, m, q)


mathieu_odd_coef = mathieu_even_coef

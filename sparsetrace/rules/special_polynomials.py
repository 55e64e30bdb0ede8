"""Ufuncs of ``scipy.special``: orthogonal polynomials.

Contract: `sparsetrace.rules.record`.  Of degree 0 they are constant, of degree 1 linear;
those of even degree are even about a centre, those of odd degree odd.  Some degrees below 0
equal one above, with a sign or none: T(-n) = T(n), U(-n) = -U(n-2), P(-n) = P(n-1).  At
x == 1 T and P are 1, whatever the degree is, and U is n + 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sc

from sparsetrace.rules.entries import ufunc
from sparsetrace.rules.predicates import (
    DEGREE,
    POSITIVE,
    PROBABILITY,
    REAL,
    SHAPE,
    UNIT,
    among,
    is_finite_whole,
    is_one_of,
)
from sparsetrace.rules.record import Predicate


def _constant(n: Any, *rest: Any) -> Any:
    return n == 0


def _linear(n: Any, *rest: Any) -> Any:
    return (n == 0) | (n == 1)


@np.errstate(all="ignore")
def _is_odd(n: Any) -> Any:
    return np.fmod(n, 2) == 1


@np.errstate(all="ignore")
def _is_even(n: Any) -> Any:
    return (np.fmod(n, 2) == 0) & (n > 0)


def _even_about(centre: float) -> Predicate:
    return lambda n, *rest: (n == 0) | ((rest[-1] == centre) & _is_even(n))


def _odd_about(centre: float) -> Predicate:
    return lambda n, *rest: _linear(n) | ((rest[-1] == centre) & _is_odd(n))


# --- Chebyshev and Legendre polynomials ------------------------------------------------
# C(x) = 2T(x/2) and S(x) = U(x/2).
_T, _U, _P = (1, -1), (1, -1, -2, -3), (1, -1, -2)
for _function, _domain, _centre, _one, _linear_degrees in (
    (sc.eval_chebyt, UNIT, 0, 1, _T),
    (sc.eval_chebyu, UNIT, 0, 1, _U),
    (sc.eval_chebyc, (-1.8, 1.8), 0, 2, _T),
    (sc.eval_chebys, (-1.8, 1.8), 0, 2, _U),
    (sc.eval_sh_chebyt, PROBABILITY, 0.5, 1, _T),
    (sc.eval_sh_chebyu, PROBABILITY, 0.5, 1, _U),
    (sc.eval_legendre, UNIT, 0, 1, _P),
    (sc.eval_sh_legendre, PROBABILITY, 0.5, 1, _P),
):
    ufunc(
        _function,
        "11",
        domain=(DEGREE, _domain),
        zero={"1": _even_about(_centre)},
        zero2={"11": _odd_about(_centre)},
        cut2={
            "00": lambda n, x, one=_one: x == one,
            "11": lambda n, x, degrees=_linear_degrees: is_one_of(n, *degrees),
        },
    )

# --- Hermite, Laguerre and Gegenbauer polynomials -----------------------------------------
for _function in (sc.eval_hermite, sc.eval_hermitenorm):
    ufunc(
        _function,
        "01",
        domain=(DEGREE, REAL),
        integers="0",
        zero={"1": _even_about(0)},
        zero2={"11": _odd_about(0)},
    )
ufunc(
    sc.eval_laguerre,
    "11",
    domain=(DEGREE, POSITIVE),
    zero={"1": _constant},
    zero2={"11": _linear},
    cut2={"00": lambda n, x: x == 0},
)


# The factor binom(n + a, n) is 0 for whole degrees below 0, here and in Jacobi's.
def _one_or_negative_whole(n: Any, *rest: Any) -> Any:
    return (n == 1) | ((n < 0) & is_finite_whole(n))


# 1 + alpha - x.
ufunc(
    sc.eval_genlaguerre,
    "111",
    domain=(DEGREE, SHAPE, POSITIVE),
    zero={"1 2": _constant},
    zero2=among("12", _linear),
    cut2=among("12", _one_or_negative_whole),
)
# 2 alpha x, and 0 where alpha is 0; at x == 0 those of odd degree are 0 for every alpha, that
# of degree 2 is -alpha; that of degree 0 is 1, but since SciPy 1.18 not at alpha == 0, where
# it has a 0 that stands alone.
ufunc(
    sc.eval_gegenbauer,
    "111",
    domain=(DEGREE, SHAPE, UNIT),
    zero={"1": lambda n, alpha, x: (n == 0) & (alpha != 0), "2": _even_about(0)},
    zero2={
        "11": lambda n, alpha, x: (
            (_odd_about(0)(n, x) & ((n != 0) | (alpha != 0))) | ((n == 2) & (x == 0))
        ),
        "12": lambda n, alpha, x: (n == 0) | ((x == 0) & _is_even(n)),
        "22": lambda n, alpha, x: _odd_about(0)(n, x) | (alpha == 0),
    },
    cut2={
        "00 02": lambda n, alpha, x: alpha == 0,
        "11": lambda n, alpha, x: is_one_of(n, 1, -1),
        "12": lambda n, alpha, x: n == -1,
        "22": lambda n, alpha, x: is_one_of(n, 1, -1) | (alpha == 0),
    },
)

# --- Jacobi polynomials ---------------------------------------------------------------------
# alpha + 1 + (alpha + beta + 2) (x - 1) / 2; at an end of [-1, 1] one parameter has no effect:
# at x == 1 of any degree, at -1 of whole ones.
ufunc(
    sc.eval_jacobi,
    "1111",
    domain=(DEGREE, SHAPE, SHAPE, UNIT),
    zero={"1 2 3": _constant},
    zero2={
        "11": lambda n, alpha, beta, x: _linear(n) | (x == -1),
        "12": lambda n, alpha, beta, x: _linear(n) | (x == 1) | (x == -1),
        "13 23": _constant,
        "22": lambda n, alpha, beta, x: _linear(n) | (x == 1),
        "33": lambda n, alpha, beta, x: _linear(n) | ((alpha == beta) & (x == 0) & _is_odd(n)),
    },
    cut2={
        "02": lambda n, alpha, beta, x: x == 1,
        "11 33": _one_or_negative_whole,
        "12 22": lambda n, alpha, beta, x: _one_or_negative_whole(n) | (x == 1),
        "13 23": lambda n, alpha, beta, x: (n < 0) & is_finite_whole(n),
    },
)
# x - q/(p+1).
ufunc(
    sc.eval_sh_jacobi,
    "1111",
    domain=(DEGREE, (3.0, 5.0), (0.5, 2.5), PROBABILITY),
    zero={"1 2 3": _constant},
    zero2={"11 12": _constant, "13 22 23 33": _linear},
)

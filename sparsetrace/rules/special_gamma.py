"""Ufuncs of ``scipy.special``: the gamma function, its relatives, error functions, integrals.

Contract: `sparsetrace.rules.record`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import special as sc

from sparsetrace.rules.entries import same_as, ufunc
from sparsetrace.rules.predicates import (
    DEGREE,
    POSITIVE,
    PROBABILITY,
    REAL,
    SHAPE,
    UNIT,
    at,
    at_infinities,
    is_finite_whole,
    is_rough,
)
from sparsetrace.rules.record import Guard, Predicate

# --- gamma and its relatives ------------------------------------------------------
ufunc(sc.gamma, "1", domain=POSITIVE)
ufunc(sc.gammaln, "1", domain=POSITIVE)
ufunc(sc.loggamma, "1", domain=POSITIVE)
ufunc(sc.gammasgn, "0")
ufunc(sc.rgamma, "1")
ufunc(sc.psi, "1", domain=POSITIVE)
ufunc(sc.zetac, "1", domain=(1.5, 6.0))
ufunc(sc.beta, "11", domain=SHAPE)
ufunc(sc.betaln, "11", domain=SHAPE)
# 1 and z for m == 0 and 1, 1 and n for k == 0 and 1; and zero by the poles of gamma:
# poch(0, m), poch(-1, m), ..., binom(n, -1), ...
ufunc(
    sc.poch,
    "11",
    domain=SHAPE,
    inside=lambda z, m: z > 0,
    zero={"0": lambda z, m: m == 0},
    zero2={"00": lambda z, m: (m == 0) | (m == 1)},
    cut2={"11": lambda z, m: (z <= 0) & is_finite_whole(z)},
)
ufunc(
    sc.binom,
    "11",
    domain=((4.0, 8.0), SHAPE),
    inside=lambda n, k: n >= 0,
    zero={"0": lambda n, k: k == 0},
    zero2={"00": lambda n, k: (k == 0) | (k == 1)},
    cut2={"00": lambda n, k: (k <= 1) & is_finite_whole(k)},
)


# --- incomplete gamma and beta functions -------------------------------------------
def is_less_by(step: float, x: Any, a: Any) -> Any:
    """True where x == a - step.

    The one difference is exact for small numbers, the other for large ones.
    """
    with np.errstate(all="ignore"):
        return (a - x == step) & (x == a - step)


def starting(end: float, scale: float = 1) -> Mapping[str, Predicate]:
    """Infinite second derivatives of distributions that start as x**(a/scale)."""
    return {
        "01": lambda a, x: (x == end) & (a > 0) & (a <= scale),
        "11": lambda a, x: (x == end) & is_rough(a / scale),
    }


def starting_quantile(function: np.ufunc, end: float, scale: float = 1) -> None:
    """Add the record of such a distribution's quantiles, p**(scale/a) beside this end."""
    ufunc(
        function,
        "11",
        domain=(SHAPE, PROBABILITY),
        inside=lambda a, p: a > 0,
        zero={"0": lambda a, p: p == end},
        zero2={
            "00": lambda a, p: p == end,
            "01": lambda a, p: (p == end) & (a < scale),
            "11": lambda a, p: (p == end) & (2 * a < scale),
        },
        infinite2={
            "01": lambda a, p: (p == end) & (a >= scale),
            "11": lambda a, p: (p == end) & (2 * a > scale) & (a != scale),
        },
    )


# The density x**(a-1) exp(-x) / gamma(a) tends to zero with a; its maximum is at a - 1.
ufunc(
    sc.gammainc,
    "11",
    domain=SHAPE,
    inside=lambda a, x: (a > 0) | (x > 0),
    zero={"0": lambda a, x: x == 0, "1": lambda a, x: ((x == 0) & (a > 1)) | (a == 0)},
    zero2={
        "00": lambda a, x: x == 0,
        "01": lambda a, x: (x == 0) & (a > 1),
        "11": lambda a, x: ((x == 0) & (a > 2)) | (a == 0) | ((x > 0) & is_less_by(1, x, a)),
    },
    infinite2=starting(0),
)
same_as(sc.gammaincc, sc.gammainc)
starting_quantile(sc.gammaincinv, 0)
starting_quantile(sc.gammainccinv, 1)


# Every beta distribution has the quantiles 0 and 1 at its ends.
def _at_an_end(a: Any, b: Any, x: Any) -> Any:
    return (x == 0) | (x == 1)


# x**a at one end, (1-x)**b at the other, times 1/beta(a, b).
def _ends(a_is: Predicate, b_is: Predicate) -> Predicate:
    return lambda a, b, x: ((x == 0) & a_is(a)) | ((x == 1) & b_is(b))


def _above(least: float) -> Predicate:
    return _ends(lambda a: a > least, lambda b: b > least)


def _below(most: float) -> Predicate:
    return _ends(lambda a: a < most, lambda b: b < most)


# Swapping a and b there takes the function to its negative, but for a constant.
def _middle(a: Any, b: Any, x: Any) -> Any:
    return (a == b) & (x == 0.5)


def _uniform(a: Any, b: Any, x: Any) -> Any:
    return (a == 1) & (b == 1)


def _either(*predicates: Predicate) -> Predicate:
    def predicate(*values: Any) -> Any:
        mask = predicates[0](*values)
        for other in predicates[1:]:
            mask = mask | other(*values)
        return mask

    return predicate


def _shapes(a: Any, b: Any, x: Any) -> Any:
    return (a > 0) & (b > 0)


#: Where the second derivative in x is zero, with that of the density or the quantile.
beta_zero2 = _either(_above(2), _middle, _uniform)


def _infinite2_ends(a_is: Predicate, b_is: Predicate) -> Predicate:
    ends = _ends(a_is, b_is)
    return lambda a, b, x: _shapes(a, b, x) & ends(a, b, x)


# The density x**(a-1) (1-x)**(b-1) / beta(a, b).  All weight is at one end where a shape
# is zero.
ufunc(
    sc.betainc,
    "111",
    domain=(SHAPE, SHAPE, PROBABILITY),
    inside=_shapes,
    zero={"0 1": _at_an_end, "2": _above(1)},
    zero2={
        "00 11": _at_an_end,
        "01": _either(_at_an_end, _middle),
        "02 12": _above(1),
        "22": beta_zero2,
    },
    cut2={
        "00 02": lambda a, b, x: b == 0,
        "11 12": lambda a, b, x: a == 0,
        "22": lambda a, b, x: (a == 0) | (b == 0) | _uniform(a, b, x),
    },
    infinite2={
        "02": _infinite2_ends(lambda a: a <= 1, lambda b: b < 1),
        "12": _infinite2_ends(lambda a: a < 1, lambda b: b <= 1),
        "22": _infinite2_ends(is_rough, is_rough),
    },
)
same_as(sc.betaincc, sc.betainc)


def _quantile_infinite2(zero: float, one: float) -> dict[str, Predicate]:
    return {
        "02": lambda a, b, p: ((p == zero) & (a >= 1)) | ((p == one) & (b > 1)),
        "12": lambda a, b, p: ((p == zero) & (a > 1)) | ((p == one) & (b >= 1)),
        "22": lambda a, b, p: (
            ((p == zero) & (a > 0.5) & (a != 1)) | ((p == one) & (b > 0.5) & (b != 1))
        ),
    }


def _exchanged(predicate: Predicate) -> Predicate:
    return lambda a, b, p: predicate(b, a, p)


ufunc(
    sc.betaincinv,
    "111",
    domain=(SHAPE, SHAPE, PROBABILITY),
    inside=_shapes,
    zero={"0 1": _at_an_end},
    zero2={
        "00 11": _at_an_end,
        "01": _either(_at_an_end, _middle),
        "02 12": _below(1),
        "22": _either(_below(0.5), _middle, _uniform),
    },
    infinite2=_quantile_infinite2(0, 1),
)
ufunc(
    sc.betainccinv,
    "111",
    domain=(SHAPE, SHAPE, PROBABILITY),
    inside=_shapes,
    zero={"0 1": _at_an_end},
    zero2={
        "00 11": _at_an_end,
        "01": _either(_at_an_end, _middle),
        "02 12": _exchanged(_below(1)),
        "22": _either(_exchanged(_below(0.5)), _middle, _uniform),
    },
    infinite2=_quantile_infinite2(1, 0),
)

# --- error function, exponential and Fresnel integrals -----------------------------
_at_infinities_and_zero = at(0, np.inf, -np.inf)
ufunc(sc.erf, "1", zero=at_infinities, zero2=_at_infinities_and_zero, guard=Guard.NAN)
same_as(sc.erfc, sc.erf)
same_as(sc.dawsn, sc.erf)
ufunc(sc.erfcx, "1", zero=at(np.inf), zero2=at(np.inf), guard=Guard.NAN)
ufunc(sc.erfi, "1", zero2=at(0))
ufunc(sc.erfinv, "1", domain=UNIT, zero2=at(0), infinite=at(-1, 1))
ufunc(sc.erfcinv, "1", domain=(0.1, 1.9), zero2=at(1), infinite=at(0, 2))
ufunc(sc.wofz, "1")


# A normal density where gamma is 0, with its points of inflection.
def _inflection(x: Any, sigma: Any, gamma: Any) -> Any:
    return (gamma == 0) & (np.abs(x) == sigma)


def _centre(x: Any, sigma: Any, gamma: Any) -> Any:
    return x == 0


ufunc(
    sc.voigt_profile,
    "111",
    domain=(REAL, POSITIVE, POSITIVE),
    inside=lambda x, sigma, gamma: sigma > 0,
    zero={"0": _centre},
    zero2={"00 22": _inflection, "01 02": _centre},
)
ufunc(sc.exp1, "1", domain=POSITIVE)
# exp(x) (1/x - 1/x**2).
ufunc(sc.expi, "1", domain=POSITIVE, zero2=at(1))
# x log x and x**2 log x, of the orders 2 and 3.
ufunc(
    sc.expn,
    "01",
    domain=(DEGREE, POSITIVE),
    integers="0",
    infinite2={"11": lambda n, x: (x == 0) & (n >= 2) & (n < 4)},
)
ufunc(sc.shichi, "1", domain=POSITIVE)
ufunc(sc.sici, "1", domain=POSITIVE)
ufunc(sc.spence, "1", domain=POSITIVE, infinite2=at(0))
ufunc(sc.fresnel, "1", zero2=at(0))
ufunc(sc.modfresnelp, "1")
ufunc(sc.modfresnelm, "1")
ufunc(sc.wrightomega, "1")

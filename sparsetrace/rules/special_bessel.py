"""Ufuncs of ``scipy.special``: Airy, Bessel, Struve, Wright and Kelvin functions.

Contract: `sparsetrace.rules.record`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sc

from sparsetrace.rules.entries import same_as, ufunc
from sparsetrace.rules.predicates import (
    DEGREE,
    ORDER,
    POSITIVE,
    among,
    at,
    is_rough,
)
from sparsetrace.rules.record import NOWHERE, Predicate

# --- Airy functions -------------------------------------------------------------------
ufunc(sc.airy, "1")
# exp(2/3 x**1.5).
ufunc(sc.airye, "1", domain=POSITIVE, infinite2=at(0))
ufunc(sc.itairy, "1", domain=POSITIVE)

# --- Bessel functions of order 0 and 1, and their integrals ------------------------------
ufunc(sc.j0, "1", zero=at(0))
ufunc(sc.j1, "1", zero2=at(0))
ufunc(sc.y0, "1", domain=POSITIVE)
ufunc(sc.y1, "1", domain=POSITIVE)
ufunc(sc.i0, "1", zero=at(0))
ufunc(sc.i0e, "1")
ufunc(sc.i1, "1", zero2=at(0))
ufunc(sc.i1e, "1")
ufunc(sc.k0, "1", domain=POSITIVE)
ufunc(sc.k0e, "1", domain=POSITIVE)
ufunc(sc.k1, "1", domain=POSITIVE)
ufunc(sc.k1e, "1", domain=POSITIVE)
ufunc(sc.iti0k0, "1", domain=POSITIVE, infinite2=at(0))
ufunc(sc.itj0y0, "1", domain=POSITIVE, infinite2=at(0))
# Infinite, which SciPy writes as 1e300.
ufunc(sc.it2i0k0, "1", domain=POSITIVE, infinite2=at(0))
ufunc(sc.it2j0y0, "1", domain=POSITIVE, infinite2=at(0))


# --- Bessel functions of any order --------------------------------------------------------
# Near the origin the functions of order v are (z/2)**v / gamma(v+1), and odd or even for
# whole orders; the scaled ones have kinks there.  At the origin they are 1 for order 0,
# otherwise 0 or inf.
def _of_order_above(least: float) -> Predicate:
    return lambda v, z: (z == 0) & (v > least)


def _of_order_zero_or_above_one(v: Any, z: Any) -> Any:
    return (z == 0) & ((v == 0) | (v > 1))


def _of_order_one_or_above_two(v: Any, z: Any) -> Any:
    return (z == 0) & ((v == 1) | (v > 2))


# jve is jv on the real axis.
def _on_real_axis(v: Any, z: Any) -> Any:
    order = v > 2 if np.iscomplexobj(z) else (v == 1) | (v > 2)
    return (z == 0) & order


for _function, _zero, _zero2 in (
    (sc.jv, _of_order_zero_or_above_one, _of_order_one_or_above_two),
    (sc.iv, _of_order_zero_or_above_one, _of_order_one_or_above_two),
    (sc.jve, _of_order_above(1), _on_real_axis),
    (sc.ive, _of_order_above(1), _of_order_above(2)),
):
    ufunc(
        _function,
        "11",
        domain=(ORDER, POSITIVE),
        zero={"0": _of_order_above(0), "1": _zero},
        zero2={"00": _of_order_above(0), "01": _of_order_above(1), "11": _zero2},
        cut={"0": lambda v, z: z == 0, "1": NOWHERE},
        cut2={"00 11": NOWHERE},
        stepwise="0",
        infinite2={
            "00": lambda v, z: (z == 0) & (v <= 0),
            "01": lambda v, z: (z == 0) & (v <= 1),
            "11": lambda v, z: (z == 0) & is_rough(v),
        },
    )
ufunc(sc.yv, "11", domain=(ORDER, POSITIVE))
ufunc(sc.yve, "11", domain=(ORDER, POSITIVE))
# Even functions of the order.
ufunc(sc.kv, "11", domain=(ORDER, POSITIVE), zero2={"01": lambda v, z: v == 0})
same_as(sc.kve, sc.kv)
ufunc(sc.kn, "01", domain=(DEGREE, POSITIVE), integers="0")
ufunc(sc.yn, "01", domain=(DEGREE, POSITIVE), integers="0")
ufunc(sc.hankel1, "11", domain=(ORDER, POSITIVE))
ufunc(sc.hankel1e, "11", domain=(ORDER, POSITIVE))
ufunc(sc.hankel2, "11", domain=(ORDER, POSITIVE))
ufunc(sc.hankel2e, "11", domain=(ORDER, POSITIVE))
# Near a == 0 a multiple of a**nu; there 1 / (lambda + 1) of order nu == 0, otherwise 0.
ufunc(
    sc.besselpoly,
    "111",
    domain=((0.2, 0.9), POSITIVE, POSITIVE),
    zero2={
        "00": lambda a, lam, nu: _of_order_one_or_above_two(nu, a),
        "01": lambda a, lam, nu: (a == 0) & ((nu == 0) | (nu > 1)),
        "02": lambda a, lam, nu: (a == 0) & (nu > 1),
        **among("12", lambda a, lam, nu: (a == 0) & (nu > 0)),
    },
    cut2={"12 22": lambda a, lam, nu: a == 0},
    infinite2={
        "00": lambda a, lam, nu: (a == 0) & is_rough(nu),
        "01": lambda a, lam, nu: (a == 0) & (nu > 0) & (nu < 1),
        "02": lambda a, lam, nu: (a == 0) & (nu >= 0) & (nu <= 1),
        "12 22": lambda a, lam, nu: (a == 0) & (nu == 0),
    },
)

# --- Wright's Bessel function -----------------------------------------------------------
# The series of x**k / (k! gamma(ak+b)); exp(x) / gamma(b) where a is 0.
ufunc(
    sc.wright_bessel,
    "111",
    domain=POSITIVE,
    zero={"0": lambda a, b, x: x == 0},
    zero2={"00 01": lambda a, b, x: x == 0},
)
if hasattr(sc, "log_wright_bessel"):  # SciPy 1.14 and later
    # x - loggamma(b) where a is 0.
    ufunc(
        sc.log_wright_bessel,
        "111",
        domain=POSITIVE,
        inside=lambda a, b, x: b > 0,
        zero={"0": lambda a, b, x: x == 0},
        zero2={"00 01": lambda a, b, x: x == 0, "12 22": lambda a, b, x: a == 0},
    )

# --- Struve functions ---------------------------------------------------------------------
# Near the origin a multiple of x**(v+1); there 0 above order -1, infinite below.
ufunc(
    sc.struve,
    "11",
    domain=(ORDER, POSITIVE),
    zero={"0": _of_order_above(-1), "1": _of_order_above(0)},
    zero2={
        "00": _of_order_above(-1),
        "01": _of_order_above(0),
        "11": _of_order_zero_or_above_one,
    },
    cut2={"00": lambda v, x: x == 0},
    infinite2={
        "00": lambda v, x: (x == 0) & (v <= -1),
        "01": lambda v, x: (x == 0) & (v <= 0),
        "11": lambda v, x: (x == 0) & is_rough(v + 1),
    },
)
same_as(sc.modstruve, sc.struve)
ufunc(sc.itstruve0, "1", domain=POSITIVE, zero=at(0))
ufunc(sc.it2struve0, "1", domain=POSITIVE, zero2=at(0))
ufunc(sc.itmodstruve0, "1", domain=POSITIVE, zero=at(0))

# --- Kelvin functions -----------------------------------------------------------------------
ufunc(sc.ber, "1", zero=at(0), zero2=at(0))
ufunc(sc.bei, "1", zero=at(0))
ufunc(sc.berp, "1", zero=at(0), zero2=at(0))
ufunc(sc.beip, "1", zero2=at(0))
ufunc(sc.ker, "1", domain=POSITIVE)
# x**2 log x.
ufunc(sc.kei, "1", domain=POSITIVE, infinite2=at(0))
ufunc(sc.kerp, "1", domain=POSITIVE)
ufunc(sc.keip, "1", domain=POSITIVE, infinite2=at(0))
ufunc(sc.kelvin, "1", domain=POSITIVE)

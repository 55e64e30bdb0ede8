"""Ufuncs of ``scipy.special``: hypergeometric functions, Legendre's, and those of wave equations.

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
    REAL,
    SHAPE,
    UNIT,
    among,
    is_one_of,
)

# --- hypergeometric functions ------------------------------------------------------------
ufunc(
    sc.hyp0f1,
    "11",
    domain=(SHAPE, REAL),
    inside=lambda v, z: v > 0,
    zero={"0": lambda v, z: z == 0},
    zero2={"00": lambda v, z: z == 0},
)
# 1 + a/b x + ..., a polynomial for a = 0, -1, ...
ufunc(
    sc.hyp1f1,
    "111",
    domain=(SHAPE, SHAPE, REAL),
    inside=lambda a, b, x: b > 0,
    zero={
        "0": lambda a, b, x: x == 0,
        "1": lambda a, b, x: (x == 0) | (a == 0),
        "2": lambda a, b, x: a == 0,
    },
    zero2={
        "00 01": lambda a, b, x: x == 0,
        "11": lambda a, b, x: (x == 0) | (a == 0),
        "12": lambda a, b, x: a == 0,
        "22": lambda a, b, x: (a == 0) | (a == -1),
    },
)


def _short(a: Any) -> Any:
    return (a == 0) | (a == -1)


# (1-x)**(c-a-b) / (gamma(a) gamma(b)) near x == 1, of a series that does not end.
def _excess(a: Any, b: Any, c: Any) -> Any:
    return 0.0 + c - a - b


def _endless(a: Any) -> Any:
    return (a > 0) | (np.floor(a) != a)


# 1 + ab/c x + ..., as far as the series converges and has no poles in c.
ufunc(
    sc.hyp2f1,
    "1111",
    domain=(SHAPE, SHAPE, SHAPE, UNIT),
    inside=lambda a, b, c, x: (c > 0) & (np.abs(x) < 1),
    zero={
        "0": lambda a, b, c, x: (x == 0) | (b == 0),
        "1": lambda a, b, c, x: (x == 0) | (a == 0),
        "2": lambda a, b, c, x: (x == 0) | (a == 0) | (b == 0),
        "3": lambda a, b, c, x: (a == 0) | (b == 0),
    },
    zero2={
        "00": lambda a, b, c, x: (x == 0) | _short(b),
        "01": lambda a, b, c, x: x == 0,
        "02": lambda a, b, c, x: (x == 0) | (b == 0),
        "03": lambda a, b, c, x: b == 0,
        "11": lambda a, b, c, x: (x == 0) | _short(a),
        "12": lambda a, b, c, x: (x == 0) | (a == 0),
        "13": lambda a, b, c, x: a == 0,
        "22": lambda a, b, c, x: (x == 0) | (a == 0) | (b == 0),
        "23": lambda a, b, c, x: (a == 0) | (b == 0),
        "33": lambda a, b, c, x: _short(a) | _short(b),
    },
    infinite2={
        "00 02": lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 0) & _endless(b),
        "01": lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 0),
        "03": lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 1) & _endless(b),
        "11 12": lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 0) & _endless(a),
        "13": lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 1) & _endless(a),
        "23": lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 1) & _endless(a) & _endless(b),
        "33": lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 2) & _endless(a) & _endless(b),
    },
)
# U(0, b, x) is 1, but SciPy makes it inf at x == 0 where b > 1; U(-1, b, x) is x - b.
# Near x == 0 it is x**(1-b), with a logarithm for b == 0 and b == -1.
ufunc(
    sc.hyperu,
    "111",
    domain=(SHAPE, SHAPE, POSITIVE),
    cut={"1 2": lambda a, b, x: a == 0},
    cut2=among("12", lambda a, b, x: a == -1),
    stepwise="12",
    infinite2={
        "02": lambda a, b, x: (x == 0) & (b >= 0),
        "12": lambda a, b, x: (x == 0) & (b >= 0) & _endless(a),
        "22": lambda a, b, x: (x == 0) & (b >= -1) & _endless(a),
    },
)

# --- Legendre functions and spherical harmonics ---------------------------------------------


# Associated Legendre functions of whole degree have the parity of degree and order; those
# whose order is above the degree are zero.
@np.errstate(all="ignore")
def _legendre(m: Any, v: Any, x: Any) -> Any:
    whole = (v >= 0) & (v + m >= 0) & (np.floor(v) == v)
    odd = np.fmod(v + m, 2) == 1
    return whole & ((m > v) | ((m == 0) & is_one_of(v, 0, 1)) | ((x == 0) & odd))


# (1-x**2)**(m/2), but for the functions of whole degree below m, which are zero.
def _legendre_infinite2(m: Any, v: Any, x: Any) -> Any:
    order = np.abs(m)
    zero = (m > v) & (np.floor(v) == v)
    return (np.abs(x) == 1) & ((order == 1) | (order == 3)) & ~zero


# P(0, x) is 1; P(v, 1) is 1 of order 0, else 0.
ufunc(
    sc.lpmv,
    "011",
    domain=((0.0, 3.0), SHAPE, UNIT),
    integers="0",
    zero2={"22": _legendre},
    cut2={"11": lambda m, v, x: x == 1, "22": lambda m, v, x: is_one_of(v, 0, -1)},
    infinite2={
        "12": lambda m, v, x: ((x == -1) & (np.abs(m) == 1)) | ((x == 1) & (m == 1)),
        "22": _legendre_infinite2,
    },
)
if hasattr(sc, "sph_harm"):  # until SciPy 1.16
    ufunc(
        sc.sph_harm,
        "0011",
        domain=((0.0, 3.0), (3.0, 6.0), POSITIVE, POSITIVE),
        integers="01",
        cut2={
            "22": lambda m, n, theta, phi: (m == 0) | (n == 0) | (phi == 0),
            "23": lambda m, n, theta, phi: (m == 0) | (n == 0),
            "33": lambda m, n, theta, phi: n == 0,
        },
    )

# --- parabolic cylinder functions ------------------------------------------------------------
# The second derivatives are (x*x/4 - v - 1/2) y and (a - x*x/4) y; the other output is y'.
ufunc(sc.pbdv, "11", domain=(ORDER, REAL), zero2={"11": lambda v, x: (v == -0.5) & (x == 0)})
same_as(sc.pbvv, sc.pbdv)
ufunc(sc.pbwa, "11", zero2={"11": lambda a, x: (a == 0) & (x == 0)})

# --- Mathieu functions: whole orders alone ------------------------------------------------
_ANGLE = (0.0, 90.0)
_FROM_ONE = (1.0, 6.0)
ufunc(sc.mathieu_a, "01", domain=(DEGREE, POSITIVE), integers="0")
ufunc(sc.mathieu_b, "01", domain=(_FROM_ONE, POSITIVE), integers="0")
ufunc(sc.mathieu_cem, "011", domain=(DEGREE, POSITIVE, _ANGLE), integers="0")
# Of order 0, zero.
ufunc(
    sc.mathieu_sem,
    "011",
    domain=(_FROM_ONE, POSITIVE, _ANGLE),
    integers="0",
    cut2=among("12", lambda m, q, x: m == 0),
)
# q**(m/2); those of the second kind have a logarithm or a pole.
_FIRST_KIND = {
    "11": lambda m, q, x: (q == 0) & ((m == 1) | (m == 3)),
    "12": lambda m, q, x: (q == 0) & (m == 1),
}
_SECOND_KIND = {"11 12": lambda m, q, x: q == 0}
for _function, _orders, _infinite2 in (
    (sc.mathieu_modcem1, DEGREE, _FIRST_KIND),
    (sc.mathieu_modcem2, DEGREE, _SECOND_KIND),
    (sc.mathieu_modsem1, _FROM_ONE, _FIRST_KIND),
    (sc.mathieu_modsem2, _FROM_ONE, _SECOND_KIND),
):
    _domain = (_orders, POSITIVE, POSITIVE)
    ufunc(_function, "011", domain=_domain, integers="0", infinite2=_infinite2)

# --- spheroidal wave functions: whole orders alone --------------------------------------------
# What x == 0 gives is fixed by the normalisation, whatever c and cv are.  At c == 0 the angular
# function is Legendre's, whatever cv is, and the radial one a constant.
_MNC = ((0.0, 2.0), (2.0, 5.0), POSITIVE)
_OUTSIDE = (1.2, 3.0)
for _function in (sc.pro_cv, sc.obl_cv):
    ufunc(_function, "001", domain=_MNC, integers="01")
for _function in (sc.pro_ang1, sc.obl_ang1):
    _by_x = {"22": lambda m, n, c, x: x == 0}
    ufunc(_function, "0011", domain=(*_MNC, UNIT), integers="01", cut2=_by_x)
for _function, _x in ((sc.pro_rad1, _OUTSIDE), (sc.obl_rad1, POSITIVE)):
    _by_c = {"33": lambda m, n, c, x: c == 0}
    ufunc(_function, "0011", domain=(*_MNC, _x), integers="01", cut2=_by_c)
for _function, _x in ((sc.pro_rad2, _OUTSIDE), (sc.obl_rad2, POSITIVE)):
    ufunc(_function, "0011", domain=(*_MNC, _x), integers="01")
for _function in (sc.pro_ang1_cv, sc.obl_ang1_cv):
    ufunc(
        _function,
        "00111",
        domain=(*_MNC, SHAPE, UNIT),
        integers="01",
        cut2={
            "22 23": lambda m, n, c, cv, x: x == 0,
            "33": lambda m, n, c, cv, x: (x == 0) | (c == 0),
            "34": lambda m, n, c, cv, x: c == 0,
        },
    )
for _function, _x in ((sc.pro_rad1_cv, _OUTSIDE), (sc.obl_rad1_cv, POSITIVE)):
    ufunc(
        _function,
        "00111",
        domain=(*_MNC, SHAPE, _x),
        integers="01",
        cut2=among("34", lambda m, n, c, cv, x: c == 0),
    )
for _function, _x in ((sc.pro_rad2_cv, _OUTSIDE), (sc.obl_rad2_cv, POSITIVE)):
    ufunc(_function, "00111", domain=(*_MNC, SHAPE, _x), integers="01")

"""Ufuncs of ``scipy.special``: continuous distributions, their inverses and parameters.

Contract: `sparsetrace.rules.record`.  Many are distributions of `special_gamma` with other
parameters, and some whose parameters are found by a search between bounds: what these give
without a solution is the end of the search, and cuts nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sc

from sparsetrace.rules.entries import same_as, ufunc
from sparsetrace.rules.predicates import (
    POSITIVE,
    PROBABILITY,
    REAL,
    SHAPE,
    UNIT,
    among,
    at,
    at_infinities,
    is_one_of,
    is_rough,
)
from sparsetrace.rules.record import Guard
from sparsetrace.rules.special_gamma import is_less_by, starting, starting_quantile

# --- normal distribution --------------------------------------------------------------
ufunc(sc.ndtr, "1", zero=at_infinities, zero2=at(0, np.inf, -np.inf), guard=Guard.NAN)
ufunc(sc.log_ndtr, "1", zero=at(np.inf), zero2=at(np.inf), guard=Guard.NAN)
ufunc(sc.ndtri, "1", domain=PROBABILITY, zero2=at(0.5), infinite=at(0, 1))
ufunc(sc.ndtri_exp, "1", domain=(-3.0, -0.1))
# The solutions for the mean and the deviation: x - std ndtri(p) and (x - mean) / ndtri(p).
ufunc(
    sc.nrdtrimn,
    "111",
    "110000",
    domain=(PROBABILITY, POSITIVE, REAL),
    zero2={"00": lambda p, std, x: p == 0.5},
)
ufunc(
    sc.nrdtrisd,
    "111",
    "010110",
    domain=((0.0, 1.0), (0.6, 0.9), (2.0, 3.0)),
    zero2={"11": lambda mn, p, x: (x == mn) & (p != 0.5)},
    infinite2={
        "01 12": lambda mn, p, x: p == 0.5,
        "11": lambda mn, p, x: (p == 0.5) & (x != mn),
    },
)
# An odd function of a, even in h.
ufunc(
    sc.owens_t,
    "11",
    zero={"0": lambda h, a: (h == 0) | (a == 0)},
    zero2={"00 11": lambda h, a: a == 0, "01": lambda h, a: h == 0},
)

# --- chi-square distribution: the gamma distribution of shape v/2 at x/2 ----------------------
# Without degrees of freedom all weight is at 0, and the quantile of 0 is 0: so below.
ufunc(
    sc.chdtr,
    "11",
    domain=(SHAPE, POSITIVE),
    inside=lambda v, x: (v > 0) | (x > 0),
    zero={"0": lambda v, x: x == 0, "1": lambda v, x: (x == 0) & (v > 2)},
    zero2={
        "00": lambda v, x: x == 0,
        "01": lambda v, x: (x == 0) & (v > 2),
        "11": lambda v, x: ((x == 0) & (v > 4)) | (v == 0) | ((x > 0) & is_less_by(2, x, v)),
    },
    infinite2=starting(0, 2),
)
same_as(sc.chdtrc, sc.chdtr)
starting_quantile(sc.chdtri, 1, 2)
ufunc(
    sc.chdtriv,
    "11",
    domain=(PROBABILITY, POSITIVE),
    cut2={"11": lambda p, x: p == 1},
)
ufunc(
    sc.chndtr,
    "111",
    domain=(POSITIVE, SHAPE, POSITIVE),
    inside=lambda x, df, nc: (df > 0) & (nc >= 0),
    zero={"1 2": lambda x, df, nc: x == 0},
    zero2={
        "00": lambda x, df, nc: (x == 0) & (df > 4),
        "01": lambda x, df, nc: (x == 0) & (df > 2),
        "02": lambda x, df, nc: ((x == 0) & (df > 2)) | ((nc == 0) & (x == df)),
        **among("12", lambda x, df, nc: x == 0),
    },
    infinite2={
        "00": lambda x, df, nc: (x == 0) & is_rough(df / 2),
        "01": lambda x, df, nc: (x == 0) & (df > 0) & (df <= 2),
        "02": lambda x, df, nc: (x == 0) & (df > 0) & (df < 2),
    },
)
ufunc(sc.chndtridf, "111", domain=((2.0, 4.0), (0.2, 0.5), POSITIVE))
ufunc(sc.chndtrinc, "111", domain=((4.0, 6.0), (1.0, 2.0), (0.2, 0.5)))
ufunc(
    sc.chndtrix,
    "111",
    domain=(PROBABILITY, SHAPE, POSITIVE),
    cut2=among("12", lambda p, df, nc: p == 0),
    infinite2={
        "00": lambda p, df, nc: (p == 0) & (df > 1) & (df != 2),
        "01": lambda p, df, nc: (p == 0) & (df >= 2),
        "02": lambda p, df, nc: (p == 0) & (df > 2),
    },
)


# --- F distribution -----------------------------------------------------------------------
# Near x == 0 a multiple of x**(m/2); 1 - F(m, n, x) is F(n, m, 1/x).
def _at_zero(m: Any, n: Any, x: Any) -> Any:
    return x == 0


ufunc(
    sc.fdtr,
    "111",
    domain=(SHAPE, SHAPE, POSITIVE),
    inside=lambda m, n, x: (m > 0) & (n > 0),
    zero={"0 1": _at_zero, "2": lambda m, n, x: (x == 0) & (m > 2)},
    zero2={
        "00 11": _at_zero,
        "01": lambda m, n, x: (x == 0) | ((m == n) & (x == 1)),
        "02": lambda m, n, x: (x == 0) & (m > 2),
        "12": lambda m, n, x: (x == 0) & (m >= 2),
        "22": lambda m, n, x: (x == 0) & (m > 4),
    },
    infinite2={
        "02": lambda m, n, x: (x == 0) & (m > 0) & (m <= 2),
        "12": lambda m, n, x: (x == 0) & (m > 0) & (m < 2),
        "22": lambda m, n, x: (x == 0) & is_rough(m / 2),
    },
)
same_as(sc.fdtrc, sc.fdtr)
ufunc(
    sc.fdtri,
    "111",
    domain=(SHAPE, SHAPE, PROBABILITY),
    cut2=among("01", lambda m, n, p: p == 0),
    infinite2={
        "02": lambda m, n, p: (p == 0) & (m >= 2),
        "12": lambda m, n, p: (p == 0) & (m > 2),
        "22": lambda m, n, p: (p == 0) & (m > 1) & (m != 2),
    },
)
ufunc(sc.fdtridfd, "111", domain=((2.0, 4.0), (0.4, 0.6), (1.0, 2.0)))
ufunc(
    sc.ncfdtr,
    "1111",
    domain=(SHAPE, SHAPE, POSITIVE, POSITIVE),
    inside=lambda m, n, nc, x: (m > 0) & (n > 0) & (nc >= 0),
    zero2={
        **among("012", lambda m, n, nc, x: x == 0),
        "01": lambda m, n, nc, x: (x == 0) | ((m == n) & (x == 1) & (nc == 0)),
        "03": lambda m, n, nc, x: (x == 0) & (m > 2),
        "13": lambda m, n, nc, x: (x == 0) & (m >= 2),
        "23": lambda m, n, nc, x: ((x == 0) & (m > 2)) | ((x == 1) & (nc == 0)),
        "33": lambda m, n, nc, x: (x == 0) & (m > 4),
    },
    infinite2={
        "03": lambda m, n, nc, x: (x == 0) & (m > 0) & (m <= 2),
        "13 23": lambda m, n, nc, x: (x == 0) & (m > 0) & (m < 2),
        "33": lambda m, n, nc, x: (x == 0) & is_rough(m / 2),
    },
)
ufunc(
    sc.ncfdtri,
    "1111",
    domain=(SHAPE, SHAPE, POSITIVE, PROBABILITY),
    cut2=among("012", lambda m, n, nc, p: p == 0),
)
ufunc(sc.ncfdtridfd, "1111", domain=((2.0, 4.0), (0.3, 0.4), (0.5, 1.0), (1.0, 2.0)))
ufunc(sc.ncfdtridfn, "1111", domain=((0.12, 0.17), (2.0, 4.0), (0.5, 1.0), (0.25, 0.35)))
ufunc(sc.ncfdtrinc, "1111", domain=((2.0, 4.0), (4.0, 8.0), (0.2, 0.4), (2.0, 3.0)))

# --- gamma distribution of shape b at a x: near 0 a multiple of (a x)**b -----------------------


def _one_is_zero(a: Any, b: Any, x: Any) -> Any:
    return ((a > 0) & (b > 0)) | ((a > 0) & (x > 0)) | ((b > 0) & (x > 0))


ufunc(
    sc.gdtr,
    "111",
    domain=(POSITIVE, SHAPE, POSITIVE),
    inside=_one_is_zero,
    zero={
        "0": lambda a, b, x: (x == 0) | ((a == 0) & (b > 1)),
        "1": lambda a, b, x: x == 0,
        "2": lambda a, b, x: (a == 0) | ((x == 0) & (b > 1)),
    },
    zero2={
        "00": lambda a, b, x: (x == 0) | ((a == 0) & (b > 2)) | (b == 0),
        "01": lambda a, b, x: (x == 0) | ((a == 0) & (b > 1)),
        "02": lambda a, b, x: (((a == 0) | (x == 0)) & (b > 1)) | (b == 0),
        "11": lambda a, b, x: (a == 0) | (x == 0),
        "12": lambda a, b, x: (a == 0) | ((x == 0) & (b > 1)),
        "22": lambda a, b, x: (a == 0) | ((x == 0) & (b > 2)) | (b == 0),
    },
    infinite2={
        "00": lambda a, b, x: (a == 0) & (x > 0) & is_rough(b),
        "01": lambda a, b, x: (a == 0) & (x > 0) & (b > 0) & (b <= 1),
        "02": lambda a, b, x: (a * x == 0) & (a >= 0) & (x >= 0) & (b > 0) & (b < 1),
        "12": lambda a, b, x: (x == 0) & (a > 0) & (b > 0) & (b <= 1),
        "22": lambda a, b, x: (x == 0) & (a > 0) & is_rough(b),
    },
)
same_as(sc.gdtrc, sc.gdtr)
ufunc(
    sc.gdtria,
    "111",
    domain=(PROBABILITY, SHAPE, POSITIVE),
    cut2=among("12", lambda p, b, x: p == 0),
    infinite2={
        "00": lambda p, b, x: (p == 0) & (b > 0.5) & (b != 1),
        "01": lambda p, b, x: (p == 0) & (b >= 1),
        "02": lambda p, b, x: (p == 0) & (b > 1),
    },
)
ufunc(
    sc.gdtrib,
    "111",
    domain=(POSITIVE, PROBABILITY, POSITIVE),
    cut2=among("02", lambda a, p, x: p == 1),
)
ufunc(
    sc.gdtrix,
    "111",
    domain=(POSITIVE, SHAPE, PROBABILITY),
    inside=lambda a, b, p: (a > 0) & (b > 0),
    zero={"0 1": lambda a, b, p: p == 0},
    zero2={
        **among("01", lambda a, b, p: p == 0),
        "02 12": lambda a, b, p: (p == 0) & (b < 1),
        "22": lambda a, b, p: (p == 0) & (b < 0.5),
    },
    infinite2={
        "02": lambda a, b, p: (p == 0) & (b > 1),
        "12": lambda a, b, p: (p == 0) & (b >= 1),
        "22": lambda a, b, p: (p == 0) & (b > 0.5) & (b != 1),
    },
)

# --- beta distribution: all weight is at one end where a shape is zero -----------------------
ufunc(
    sc.btdtria,
    "111",
    domain=(PROBABILITY, SHAPE, PROBABILITY),
    cut2=among("12", lambda p, b, x: p == 1),
)
ufunc(
    sc.btdtrib,
    "111",
    domain=(SHAPE, PROBABILITY, PROBABILITY),
    cut2=among("02", lambda a, p, x: p == 0),
)

# --- Student's distribution: symmetric about 0 -----------------------------------------------
# Not central: ndtr(-nc) at t == 0, whatever the number of degrees of freedom.
ufunc(
    sc.nctdtr,
    "111",
    domain=(SHAPE, REAL, REAL),
    cut2={"00 01": lambda df, nc, t: t == 0},
)
ufunc(sc.nctdtridf, "111", domain=((0.3, 0.4), (0.5, 1.0), (0.5, 1.0)))
ufunc(
    sc.nctdtrinc,
    "111",
    domain=(SHAPE, PROBABILITY, REAL),
    cut2={"00 01": lambda df, p, t: t == 0},
)
ufunc(sc.nctdtrit, "111", domain=(SHAPE, REAL, PROBABILITY))
ufunc(
    sc.stdtr,
    "11",
    domain=(SHAPE, REAL),
    inside=lambda df, t: df > 0,
    zero={"0": lambda df, t: t == 0},
    zero2={"00 11": lambda df, t: t == 0},
)
ufunc(sc.stdtridf, "11", domain=((0.7, 0.85), (1.0, 2.0)))
ufunc(
    sc.stdtrit,
    "11",
    domain=(SHAPE, PROBABILITY),
    inside=lambda df, p: df > 0,
    zero2={"00 11": lambda df, p: p == 0.5},
)


# --- other continuous distributions -----------------------------------------------------------
# The quantiles are (p**lambda - (1-p)**lambda) / lambda, linear for 1 and for 2: uniform
# distributions.  x + 1/lambda is p**lambda / lambda + p - ... at one end of the support.
def _support_ends(x: Any, lam: Any) -> Any:
    return (np.abs(x) * lam == 1) & (lam > 0.5) & (lam < 2)


ufunc(
    sc.tklmbda,
    "11",
    domain=(UNIT, PROBABILITY),
    zero={"1": lambda x, lam: x == 0},
    zero2={
        "00": lambda x, lam: (
            (x == 0) | ((lam == 1) & (np.abs(x) < 1)) | ((lam == 2) & (np.abs(x) < 0.5))
        ),
        "11": lambda x, lam: x == 0,
    },
    cut2={"00": lambda x, lam: is_one_of(lam, 1, 2)},
    infinite2={
        "00": lambda x, lam: _support_ends(x, lam) & (lam != 1),
        "01 11": _support_ends,
    },
)
ufunc(
    sc.kolmogorov,
    "1",
    domain=POSITIVE,
    zero=lambda y: y <= 0,
    zero2=lambda y: y <= 0,
    guard=Guard.NAN,
)
ufunc(sc.kolmogi, "1", domain=PROBABILITY, infinite2=at(1))

"""Ufuncs of ``scipy.special``: convenience functions, information theory.

Contract: `sparsetrace.rules.record`.  Here and in the other modules of ``scipy.special``,
which hold one entry for every ufunc that is a public attribute of it: a whole-number
argument has the letter ``"0"`` only where SciPy gives it no derivative: no loop takes it as
a real number, or the value between two whole numbers is NaN or that of the whole number
below.  Orders and degrees that SciPy continues to the reals have ``"1"``.  The public
``MultiUFunc`` objects (``legendre_p``, ``sph_harm_y``, ...) are no ufuncs and have no entry.
Infinite constants cut nothing of second order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sc

from sparsetrace.rules.enclosures import within
from sparsetrace.rules.entries import same_as, ufunc
from sparsetrace.rules.numpy_arithmetic import (
    POWER_INFINITE2,
    POWER_ZERO2,
    power_by_base,
    power_by_exponent,
)
from sparsetrace.rules.predicates import (
    POSITIVE,
    PROBABILITY,
    REAL,
    UNIT,
    at,
    at_infinities,
    is_rough,
)
from sparsetrace.rules.record import Guard

# --- exponentials, powers, rounding ---------------------------------------------
same_as(sc.cbrt, np.cbrt)
same_as(sc.exp2, np.exp2)
same_as(sc.expm1, np.expm1)
same_as(sc.log1p, np.log1p)
ufunc(sc.exp10, "1", domain=UNIT, zero=at(-np.inf), zero2=at(-np.inf), guard=Guard.NAN)
ufunc(sc.exprel, "1", zero=at(-np.inf), zero2=at(-np.inf), guard=Guard.NAN)
ufunc(sc.cosm1, "1", zero=at(0))
ufunc(
    sc.powm1,
    "11",
    domain=(POSITIVE, REAL),
    zero={"0": power_by_base, "1": power_by_exponent},
    zero2={**POWER_ZERO2, "11": power_by_exponent},
    cut2={"11": lambda x, y: x == 0},
    infinite2={**POWER_INFINITE2, "11": lambda x, y: (x == 0) & (y == 0)},
)
ufunc(
    sc.xlogy,
    "11",
    "011",
    domain=(REAL, POSITIVE),
    zero={"0": lambda x, y: y == 1, "1": lambda x, y: x == 0},
    zero2={"11": lambda x, y: x == 0},
    infinite=lambda x, y: y == 0,
)
ufunc(
    sc.xlog1py,
    "11",
    "011",
    domain=(REAL, POSITIVE),
    zero={"0": lambda x, y: y == 0, "1": lambda x, y: x == 0},
    zero2={"11": lambda x, y: x == 0},
    infinite2={"00 01": lambda x, y: (x == 0) & (y == -1)},
)
ufunc(sc.round, "0")

# --- degrees ------------------------------------------------------------------------


@np.errstate(all="ignore")
def _multiple_of_180(x: Any) -> Any:
    return np.fmod(x, 180.0) == 0


@np.errstate(all="ignore")
def _odd_multiple_of_90(x: Any) -> Any:
    return np.abs(np.fmod(x, 180.0)) == 90


ufunc(sc.sindg, "1", domain=(-180.0, 180.0), zero=_odd_multiple_of_90, zero2=_multiple_of_180)
ufunc(sc.cosdg, "1", domain=(-180.0, 180.0), zero=_multiple_of_180, zero2=_odd_multiple_of_90)
ufunc(sc.tandg, "1", domain=(-80.0, 80.0), zero2=_multiple_of_180)
ufunc(sc.cotdg, "1", domain=(10.0, 170.0), zero2=_odd_multiple_of_90)
ufunc(sc.radian, "111", "000000", domain=((0.0, 180.0), (0.0, 60.0), (0.0, 60.0)))

# --- logistic functions -----------------------------------------------------------
ufunc(
    sc.expit,
    "1",
    zero=at_infinities,
    zero2=at(0, np.inf, -np.inf),
    guard=Guard.NAN,
    enclose=within(0, 1),
)
ufunc(sc.log_expit, "1", zero=at(np.inf), zero2=at(np.inf), guard=Guard.NAN)
ufunc(sc.logit, "1", domain=PROBABILITY, zero2=at(0.5), infinite=at(0, 1))


# --- Box-Cox transformations ------------------------------------------------------
# x**(lambda-1), and at x == 1 every lambda gives zero; (lambda-1) x**(lambda-2),
# x**(lambda-1) log x.  It is x - 1 or x where lambda is 1.
ufunc(
    sc.boxcox,
    "11",
    domain=(POSITIVE, REAL),
    zero={"0": lambda x, lam: (x == 0) & (lam > 1), "1": lambda x, lam: x == 1},
    zero2={
        "00": lambda x, lam: (lam == 1) | ((x == 0) & (lam > 2)),
        "01": lambda x, lam: (x == 1) | ((x == 0) & (lam > 1)),
        "11": lambda x, lam: x == 1,
    },
    infinite=lambda x, lam: x == 0,
)
ufunc(
    sc.boxcox1p,
    "11",
    domain=(POSITIVE, REAL),
    zero={"0": lambda x, lam: (x == -1) & (lam > 1), "1": lambda x, lam: x == 0},
    zero2={
        "00": lambda x, lam: (lam == 1) | ((x == -1) & (lam > 2)),
        "01": lambda x, lam: (x == 0) | ((x == -1) & (lam > 1)),
        "11": lambda x, lam: x == 0,
    },
    infinite2={
        "00": lambda x, lam: (x == -1) & is_rough(lam),
        "01": lambda x, lam: (x == -1) & (lam >= 0) & (lam <= 1),
    },
)
# (1 + lambda y)**(1/lambda) = 1 + y + (1-lambda) y**2 / 2 + ..., and 1 + y where lambda is 1.
ufunc(
    sc.inv_boxcox,
    "11",
    domain=POSITIVE,
    zero={"1": lambda y, lam: y == 0},
    zero2={"00": lambda y, lam: lam == 1, "01 11": lambda y, lam: y == 0},
    infinite2={
        "00": lambda y, lam: (lam * y == -1) & (lam > 0.5) & (lam != 1),
        "01 11": lambda y, lam: (lam * y == -1) & (lam > 0.5),
    },
)
same_as(sc.inv_boxcox1p, sc.inv_boxcox)
# agm(0, y) is 0, but agm(t, t) is t.
ufunc(
    sc.agm,
    "11",
    domain=POSITIVE,
    zero={"0": lambda x, y: (y == 0) & (x != 0), "1": lambda x, y: (x == 0) & (y != 0)},
    zero2={"00": lambda x, y: (y == 0) & (x != 0), "11": lambda x, y: (x == 0) & (y != 0)},
    infinite2={
        "00": lambda x, y: (x == 0) & (y != 0),
        "01": lambda x, y: (x == 0) | (y == 0),
        "11": lambda x, y: (x != 0) & (y == 0),
    },
)


# --- information theory: losses and entropies ------------------------------------------
ufunc(sc.entr, "1", domain=POSITIVE, infinite=at(0))
# log(x/y) and 1 - x/y; x/y**2.
ufunc(
    sc.kl_div,
    "11",
    domain=POSITIVE,
    inside=lambda x, y: y > 0,
    zero={"0 1": lambda x, y: x == y},
    zero2={"11": lambda x, y: x == 0},
    infinite=lambda x, y: (x == 0) | (y == 0),
)
# 0 log(0/y) is 0 for y >= 0, but inf below.
ufunc(
    sc.rel_entr,
    "11",
    domain=POSITIVE,
    inside=lambda x, y: y > 0,
    zero={"1": lambda x, y: x == 0},
    zero2={"11": lambda x, y: x == 0},
    stepwise="1",
    infinite=lambda x, y: (x == 0) | (y == 0),
)
# r**2 / 2 inside, delta (|r| - delta/2) outside.  The first derivatives are continuous at
# |r| == delta: max(|r| - delta, 0), and r clipped to [-delta, delta]; there these jump.
# The loss of r == 0 is 0, but inf for a negative delta.
ufunc(
    sc.huber,
    "11",
    domain=(POSITIVE, REAL),
    zero={
        "0": lambda delta, r: (delta > 0) & (np.abs(r) <= delta),
        "1": lambda delta, r: (delta == 0) | ((r == 0) & (delta > 0)),
    },
    zero2={
        "00 01": lambda delta, r: np.abs(r) < delta,
        "11": lambda delta, r: (delta >= 0) & (np.abs(r) > delta),
    },
    cut={"0": lambda delta, r: r == 0},
    stepwise="0",
)
# With s = hypot(delta, r): zero for every delta where r is; r**3/s**3 and delta**3/s**3.
ufunc(
    sc.pseudo_huber,
    "11",
    domain=(POSITIVE, REAL),
    zero={
        "0": lambda delta, r: (r == 0) & (delta > 0),
        "1": lambda delta, r: (delta == 0) | ((r == 0) & (delta > 0)),
    },
    zero2={
        "00 01": lambda delta, r: (r == 0) & (delta > 0),
        "11": lambda delta, r: (delta == 0) & (r != 0),
    },
    cut={"0": lambda delta, r: r == 0},
    stepwise="0",
)

"""Ufuncs of ``scipy.special``: elliptic integrals and functions.

Contract: `sparsetrace.rules.record`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sc

from sparsetrace.rules.entries import same_as, ufunc
from sparsetrace.rules.predicates import POSITIVE, PROBABILITY, REAL, UNIT, at
from sparsetrace.rules.record import Predicate, pairs

ufunc(sc.ellipe, "1", domain=UNIT, infinite2=at(1))
ufunc(sc.ellipk, "1", domain=UNIT)
ufunc(sc.ellipkm1, "1", domain=PROBABILITY)
# phi for m == 0, and odd in phi.
ufunc(
    sc.ellipkinc,
    "11",
    domain=(REAL, PROBABILITY),
    zero={"1": lambda phi, m: phi == 0},
    zero2={"00": lambda phi, m: (phi == 0) | (m == 0), "01 11": lambda phi, m: phi == 0},
)
# Infinite past a quarter of the period, where cos(phi) changes its sign.
same_as(
    sc.ellipeinc,
    sc.ellipkinc,
    infinite2={(1, 1): lambda phi, m: (m == 1) & (np.abs(phi) > np.pi / 2)},
)
# The parameter enters with u**2.
ufunc(
    sc.ellipj,
    "11",
    domain=(REAL, PROBABILITY),
    zero={"1": lambda u, m: u == 0},
    zero2={"01 11": lambda u, m: u == 0},
)


# --- Carlson's integrals --------------------------------------------------------------
# Of R_G: x**1.5 where one argument is zero, x log x where two are.
def _second_kind(i: int, j: int) -> Predicate:
    def predicate(*xs: Any) -> Any:
        zeros = [(x == 0).astype(int) for x in map(np.asarray, xs)]
        mine = (zeros[i] + zeros[j]) > 0
        return mine if i == j else mine & (sum(zeros) > 1)

    return predicate


# Square roots of the first three arguments.
def _square_roots(i: int, j: int) -> Predicate:
    return lambda *xs: (xs[i] == 0) | ((xs[j] == 0) & (j < 3))


ufunc(sc.elliprc, "11", domain=POSITIVE, infinite2={"00 01": lambda x, y: x == 0})
ufunc(
    sc.elliprd,
    "111",
    domain=POSITIVE,
    infinite2={
        "00 02": lambda x, y, z: x == 0,
        "01": lambda x, y, z: (x == 0) | (y == 0),
        "11 12": lambda x, y, z: y == 0,
    },
)
ufunc(
    sc.elliprf,
    "111",
    domain=POSITIVE,
    infinite2={f"{i}{j}": _square_roots(i, j) for i, j in pairs(3)},
)
ufunc(
    sc.elliprg,
    "111",
    domain=POSITIVE,
    infinite2={f"{i}{j}": _second_kind(i, j) for i, j in pairs(3)},
)
ufunc(
    sc.elliprj,
    "1111",
    domain=POSITIVE,
    infinite2={f"{i}{j}": _square_roots(i, j) for i, j in pairs(4) if i < 3},
)

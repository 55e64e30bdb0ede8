"""Ufuncs of ``scipy.special``: discrete distributions, whose counts SciPy rounds down.

Contract: `sparsetrace.rules.record`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sc

from sparsetrace.rules.entries import same_as, ufunc
from sparsetrace.rules.predicates import POSITIVE, PROBABILITY, among, is_one_of
from sparsetrace.rules.record import Guard, Predicate
from sparsetrace.rules.special_gamma import beta_zero2

# 1 - d and 1 - p, from one observation.
ufunc(
    sc.smirnov,
    "01",
    domain=((2.0, 9.0), PROBABILITY),
    integers="0",
    zero2={"11": lambda n, d: n == 1},
)
ufunc(
    sc.smirnovi,
    "01",
    domain=((2.0, 9.0), PROBABILITY),
    integers="0",
    zero2={"11": lambda n, p: n == 1},
    infinite2={"11": lambda n, p: (p == 0) & (n >= 2)},
)


# Beta distributions of the whole numbers k+1, n-k and n, k+1; SciPy warns of floats.
def _of_counts(predicate: Predicate, *, negative: bool = False) -> Predicate:
    @np.errstate(all="ignore")
    def on_counts(k: Any, n: Any, p: Any) -> Any:
        # Booleans have no difference, unsigned integers no negative one.
        a, b = (n, k + 1) if negative else (k + 1, (n + 1) - (k + 1))
        whole = (np.floor(k) == k) & (np.floor(n) == n) & np.isfinite(n) & np.isfinite(k)
        valid = (k >= 0) & (a > 0) & (negative | (n >= k)) & (p >= 0) & (p <= 1)
        return whole & valid & predicate(a, b, p)

    return on_counts


def _middle_or_uniform(a: Any, b: Any, p: Any) -> Any:
    return ((a == b) & (p == 0.5)) | ((a == 1) & (b == 1))


_TRIALS = ((0.0, 4.0), (5.0, 9.0), PROBABILITY)
# 1 - p or 1, of one trial.
ufunc(
    sc.bdtr,
    "001",
    domain=_TRIALS,
    integers="01",
    zero2={"22": _of_counts(lambda a, b, p: ((b > 0) & beta_zero2(a, b, p)) | (b == 0))},
    cut2={"22": lambda k, n, p: is_one_of(n, 0, 1)},
    guard=Guard.NONE,
)
same_as(sc.bdtrc, sc.bdtr, cut2={(2, 2): lambda k, n, p: (k < 0) | is_one_of(n, 0, 1)})
ufunc(
    sc.bdtri,
    "001",
    domain=_TRIALS,
    integers="01",
    zero2={"22": _of_counts(_middle_or_uniform)},
    cut2={"22": lambda k, n, p: n == 1},
    guard=Guard.NONE,
    infinite2={"22": lambda k, n, y: ((y == 0) & (n > k + 1)) | ((y == 1) & (k >= 1))},
)
# None or all n succeed, with the probability 0 or 1.
ufunc(
    sc.bdtrik,
    "111",
    domain=((0.3, 0.7), (5.0, 9.0), (0.3, 0.7)),
    cut2={
        "00 01": lambda y, n, p: p == 1,
        "11": lambda y, n, p: is_one_of(y, 0, 1) | (p == 1),
        "12 22": lambda y, n, p: is_one_of(y, 0, 1),
    },
)
ufunc(
    sc.bdtrin,
    "111",
    domain=((2.0, 4.0), (0.3, 0.7), (0.3, 0.7)),
    cut2=among("01", lambda k, y, p: p == 1),
)
_SUCCESSES = ((0.0, 4.0), (1.0, 9.0), PROBABILITY)
ufunc(
    sc.nbdtr,
    "001",
    domain=_SUCCESSES,
    integers="01",
    zero2={"22": _of_counts(beta_zero2, negative=True)},
    guard=Guard.NONE,
)
same_as(sc.nbdtrc, sc.nbdtr)
ufunc(
    sc.nbdtri,
    "001",
    domain=_SUCCESSES,
    integers="01",
    zero2={"22": _of_counts(_middle_or_uniform, negative=True)},
    guard=Guard.NONE,
    infinite2={
        "22": lambda k, n, y: (n >= 1) & (((y == 0) & (n > 1)) | ((y == 1) & (k >= 1))),
    },
)
ufunc(
    sc.nbdtrik,
    "111",
    domain=((0.3, 0.7), (3.0, 6.0), (0.3, 0.5)),
    cut2=among("12", lambda y, n, p: y == 0),
)
ufunc(sc.nbdtrin, "111", domain=((2.0, 4.0), (0.3, 0.7), (0.3, 0.7)))


# The gamma distribution of k+1: exp(-m) m**k / k!
def _poisson(k: Any, m: Any) -> Any:
    return (np.floor(k) == k) & (k > 0) & ((m == k) | ((m == 0) & (k > 1)))


ufunc(
    sc.pdtr,
    "01",
    domain=((0.0, 5.0), POSITIVE),
    integers="0",
    zero={"1": lambda k, m: (m == 0) & (k >= 1)},
    zero2={"11": _poisson},
)
same_as(sc.pdtrc, sc.pdtr)
ufunc(sc.pdtri, "01", domain=((0.0, 5.0), PROBABILITY), integers="0")
ufunc(
    sc.pdtrik,
    "11",
    domain=((0.5, 0.9), POSITIVE),
    cut2={"00": lambda p, m: m == 0, "11": lambda p, m: p == 0},
)

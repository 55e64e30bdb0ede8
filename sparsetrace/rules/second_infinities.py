"""Where a ufunc's second derivative is infinite: points at which a local Hessian is not cut.

Contract: at such a point a local trace may not rely on first derivatives that vanished
before it, as the products of them and of the infinite second derivative need not be zero.
Where `sparsetrace.rules.infinities.singular` is true nothing has to be said again; the last
section has ufuncs whose first derivative is infinite as well, and which it does not know.

Predicates are of pairs of inputs, as not every input need vary: at x == 0 ``x**1`` is
smooth, and ``x**y`` is not, as its mixed derivative has log(x).  They compare values and
take no tolerances; at a point that they have too much, the trace runs again for nothing.
Kinks and jumps, with finite second derivatives all around, do not count, and orders and
degrees that are whole numbers by nature are taken as held fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special as sc

__all__ = ["SHARP", "sharp"]

Mask = NDArray[np.bool_]
Pair = tuple[int, int]
Predicate = Callable[..., Any]


def _at(place: float) -> dict[Pair, Predicate]:
    return {(0, 0): lambda x: x == place}


# x**e has an infinite second derivative at 0, and x**e log x an infinite first one.
def _rough(e: Any) -> Any:
    return (e.real > 0) & (e.real < 2) & (e != 1)


def _at_most_one(e: Any) -> Any:
    return (e.real >= 0) & (e.real <= 1)


def _below_one(e: Any) -> Any:
    return (e >= 0) & (e < 1)


_POWER: dict[Pair, Predicate] = {
    (0, 0): lambda x, y: (x == 0) & _rough(y),
    (0, 1): lambda x, y: (x == 0) & _at_most_one(y),
}
# (1 + lambda y)**(1/lambda).
_INV_BOXCOX: dict[Pair, Predicate] = {
    (0, 0): lambda y, lam: (lam * y == -1) & (lam > 0.5) & (lam != 1),
    (0, 1): lambda y, lam: (lam * y == -1) & (lam > 0.5),
    (1, 1): lambda y, lam: (lam * y == -1) & (lam > 0.5),
}


# Distributions that start as x**(a/scale), and their quantiles p**(scale/a).
def _starting(end: float, scale: float = 1) -> dict[Pair, Predicate]:
    return {
        (0, 1): lambda a, x: (x == end) & (a > 0) & (a <= scale),
        (1, 1): lambda a, x: (x == end) & _rough(a / scale),
    }


def _quantile(end: float, scale: float = 1) -> dict[Pair, Predicate]:
    return {
        (0, 1): lambda a, p: (p == end) & (a >= scale),
        (1, 1): lambda a, p: (p == end) & (2 * a > scale) & (a != scale),
    }


# x**a at one end, (1-x)**b at the other, times 1/beta(a, b).
def _beta(a_is: Predicate, b_is: Predicate) -> Predicate:
    return lambda a, b, x: (a > 0) & (b > 0) & (((x == 0) & a_is(a)) | ((x == 1) & b_is(b)))


_BETA: dict[Pair, Predicate] = {
    (0, 2): _beta(_at_most_one, _below_one),
    (1, 2): _beta(_below_one, _at_most_one),
    (2, 2): _beta(_rough, _rough),
}


def _beta_quantile(zero: float, one: float) -> dict[Pair, Predicate]:
    return {
        (0, 2): lambda a, b, p: ((p == zero) & (a >= 1)) | ((p == one) & (b > 1)),
        (1, 2): lambda a, b, p: ((p == zero) & (a > 1)) | ((p == one) & (b >= 1)),
        (2, 2): lambda a, b, p: (
            ((p == zero) & (a > 0.5) & (a != 1)) | ((p == one) & (b > 0.5) & (b != 1))
        ),
    }


_F: dict[Pair, Predicate] = {
    (0, 2): lambda m, n, x: (x == 0) & (m > 0) & (m <= 2),
    (1, 2): lambda m, n, x: (x == 0) & (m > 0) & (m < 2),
    (2, 2): lambda m, n, x: (x == 0) & _rough(m / 2),
}
# The gamma distribution of shape b at a x.
_GAMMA_OF_PRODUCT: dict[Pair, Predicate] = {
    (0, 0): lambda a, b, x: (a == 0) & (x > 0) & _rough(b),
    (0, 1): lambda a, b, x: (a == 0) & (x > 0) & (b > 0) & (b <= 1),
    (0, 2): lambda a, b, x: (a * x == 0) & (a >= 0) & (x >= 0) & (b > 0) & (b < 1),
    (1, 2): lambda a, b, x: (x == 0) & (a > 0) & (b > 0) & (b <= 1),
    (2, 2): lambda a, b, x: (x == 0) & (a > 0) & _rough(b),
}
# z**v near the origin.
_BESSEL: dict[Pair, Predicate] = {
    (0, 0): lambda v, z: (z == 0) & (v <= 0),
    (0, 1): lambda v, z: (z == 0) & (v <= 1),
    (1, 1): lambda v, z: (z == 0) & _rough(v),
}
_STRUVE: dict[Pair, Predicate] = {
    (0, 0): lambda v, x: (x == 0) & (v <= -1),
    (0, 1): lambda v, x: (x == 0) & (v <= 0),
    (1, 1): lambda v, x: (x == 0) & _rough(v + 1),
}


# Carlson's R_G: x**1.5 where one argument is zero, x log x where two are.
def _carlson(i: int, j: int) -> Predicate:
    def predicate(*xs: Any) -> Any:
        zeros = [(x == 0).astype(int) for x in map(np.asarray, xs)]
        mine = (zeros[i] + zeros[j]) > 0
        return mine if i == j else mine & (sum(zeros) > 1)

    return predicate


def _square_roots(*pairs: Pair) -> dict[Pair, Predicate]:
    """Square roots of the first three arguments; the pairs include none of the fourth twice."""

    def predicate(i: int, j: int) -> Predicate:
        return lambda *xs: (xs[i] == 0) | ((xs[j] == 0) & (j < 3))

    return {pair: predicate(*pair) for pair in pairs}


# (1-x**2)**(m/2), but for the functions of whole degree below m, which are zero.
def _legendre(m: Any, v: Any, x: Any) -> Any:
    order = np.abs(m)
    zero = (m > v) & (np.floor(v) == v)
    return (np.abs(x) == 1) & ((order == 1) | (order == 3)) & ~zero


def _support_ends(x: Any, lam: Any) -> Any:
    return (np.abs(x) * lam == 1) & (lam > 0.5) & (lam < 2)


# (1-x)**(c-a-b) / (gamma(a) gamma(b)) near x == 1, of a series that does not end.
def _excess(a: Any, b: Any, c: Any) -> Any:
    return 0.0 + c - a - b


def _endless(a: Any) -> Any:
    return (a > 0) | (np.floor(a) != a)


SHARP: dict[np.ufunc, Mapping[Pair, Predicate]] = {
    np.power: _POWER,
    np.float_power: _POWER,
    np.hypot: {(0, 1): lambda x, y: (x == 0) & (y == 0)},
    sc.powm1: {**_POWER, (1, 1): lambda x, y: (x == 0) & (y == 0)},
    sc.boxcox1p: {
        (0, 0): lambda x, lam: (x == -1) & _rough(lam),
        (0, 1): lambda x, lam: (x == -1) & _at_most_one(lam),
    },
    sc.inv_boxcox: _INV_BOXCOX,
    sc.inv_boxcox1p: _INV_BOXCOX,
    sc.gammainc: _starting(0),
    sc.gammaincc: _starting(0),
    sc.gammaincinv: _quantile(0),
    sc.gammainccinv: _quantile(1),
    sc.betainc: _BETA,
    sc.betaincc: _BETA,
    sc.betaincinv: _beta_quantile(0, 1),
    sc.betainccinv: _beta_quantile(1, 0),
    # x log x and x**2 log x, of the orders 2 and 3.
    sc.expn: {(1, 1): lambda n, x: (x == 0) & (n >= 2) & (n < 4)},
    # exp(2/3 x**1.5).
    sc.airye: _at(0),
    sc.jv: _BESSEL,
    sc.jve: _BESSEL,
    sc.iv: _BESSEL,
    sc.ive: _BESSEL,
    sc.struve: _STRUVE,
    sc.modstruve: _STRUVE,
    sc.besselpoly: {
        (0, 0): lambda a, lam, nu: (a == 0) & _rough(nu),
        (0, 1): lambda a, lam, nu: (a == 0) & (nu > 0) & (nu < 1),
        (0, 2): lambda a, lam, nu: (a == 0) & _at_most_one(nu),
        (1, 2): lambda a, lam, nu: (a == 0) & (nu == 0),
        (2, 2): lambda a, lam, nu: (a == 0) & (nu == 0),
    },
    # x**2 log x.
    sc.kei: _at(0),
    sc.elliprg: {(i, j): _carlson(i, j) for i in range(3) for j in range(i, 3)},
    sc.lpmv: {
        (1, 2): lambda m, v, x: ((x == -1) & (np.abs(m) == 1)) | ((x == 1) & (m == 1)),
        (2, 2): _legendre,
    },
    sc.hyp2f1: {
        (0, 0): lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 0) & _endless(b),
        (0, 1): lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 0),
        (0, 2): lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 0) & _endless(b),
        (0, 3): lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 1) & _endless(b),
        (1, 1): lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 0) & _endless(a),
        (1, 2): lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 0) & _endless(a),
        (1, 3): lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 1) & _endless(a),
        (2, 3): lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 1) & _endless(a) & _endless(b),
        (3, 3): lambda a, b, c, x: (x == 1) & (_excess(a, b, c) <= 2) & _endless(a) & _endless(b),
    },
    # x**(1-b), with a logarithm for b == 0 and b == -1.
    sc.hyperu: {
        (0, 2): lambda a, b, x: (x == 0) & (b >= 0),
        (1, 2): lambda a, b, x: (x == 0) & (b >= 0) & _endless(a),
        (2, 2): lambda a, b, x: (x == 0) & (b >= -1) & _endless(a),
    },
    sc.chdtr: _starting(0, 2),
    sc.chdtrc: _starting(0, 2),
    sc.chdtri: _quantile(1, 2),
    sc.chndtr: {
        (0, 0): lambda x, df, nc: (x == 0) & _rough(df / 2),
        (0, 1): lambda x, df, nc: (x == 0) & (df > 0) & (df <= 2),
        (0, 2): lambda x, df, nc: (x == 0) & (df > 0) & (df < 2),
    },
    sc.chndtrix: {
        (0, 0): lambda p, df, nc: (p == 0) & (df > 1) & (df != 2),
        (0, 1): lambda p, df, nc: (p == 0) & (df >= 2),
        (0, 2): lambda p, df, nc: (p == 0) & (df > 2),
    },
    sc.fdtr: _F,
    sc.fdtrc: _F,
    sc.fdtri: {
        (0, 2): lambda m, n, p: (p == 0) & (m >= 2),
        (1, 2): lambda m, n, p: (p == 0) & (m > 2),
        (2, 2): lambda m, n, p: (p == 0) & (m > 1) & (m != 2),
    },
    sc.ncfdtr: {
        (0, 3): lambda m, n, nc, x: (x == 0) & (m > 0) & (m <= 2),
        (1, 3): lambda m, n, nc, x: (x == 0) & (m > 0) & (m < 2),
        (2, 3): lambda m, n, nc, x: (x == 0) & (m > 0) & (m < 2),
        (3, 3): lambda m, n, nc, x: (x == 0) & _rough(m / 2),
    },
    sc.gdtr: _GAMMA_OF_PRODUCT,
    sc.gdtrc: _GAMMA_OF_PRODUCT,
    sc.gdtria: {
        (0, 0): lambda p, b, x: (p == 0) & (b > 0.5) & (b != 1),
        (0, 1): lambda p, b, x: (p == 0) & (b >= 1),
        (0, 2): lambda p, b, x: (p == 0) & (b > 1),
    },
    sc.gdtrix: {
        (0, 2): lambda a, b, p: (p == 0) & (b > 1),
        (1, 2): lambda a, b, p: (p == 0) & (b >= 1),
        (2, 2): lambda a, b, p: (p == 0) & (b > 0.5) & (b != 1),
    },
    # x + 1/lambda is p**lambda / lambda + p - ... at one end of the support.
    sc.tklmbda: {
        (0, 0): lambda x, lam: _support_ends(x, lam) & (lam != 1),
        (0, 1): _support_ends,
        (1, 1): _support_ends,
    },
    # --- with an infinite first derivative
    sc.cbrt: _at(0),
    sc.xlog1py: {
        (0, 0): lambda x, y: (x == 0) & (y == -1),
        (0, 1): lambda x, y: (x == 0) & (y == -1),
    },
    sc.agm: {
        (0, 0): lambda x, y: (x == 0) & (y != 0),
        (0, 1): lambda x, y: (x == 0) | (y == 0),
        (1, 1): lambda x, y: (x != 0) & (y == 0),
    },
    sc.spence: _at(0),
    sc.iti0k0: _at(0),
    sc.itj0y0: _at(0),
    # Infinite, which SciPy writes as 1e300.
    sc.it2i0k0: _at(0),
    sc.it2j0y0: _at(0),
    sc.keip: _at(0),
    sc.ellipe: _at(1),
    # Past a quarter of the period, where cos(phi) changes its sign.
    sc.ellipeinc: {(1, 1): lambda phi, m: (m == 1) & (np.abs(phi) > np.pi / 2)},
    sc.elliprc: {(0, 0): lambda x, y: x == 0, (0, 1): lambda x, y: x == 0},
    sc.elliprd: {
        (0, 0): lambda x, y, z: x == 0,
        (0, 1): lambda x, y, z: (x == 0) | (y == 0),
        (0, 2): lambda x, y, z: x == 0,
        (1, 1): lambda x, y, z: y == 0,
        (1, 2): lambda x, y, z: y == 0,
    },
    sc.elliprf: _square_roots((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)),
    sc.elliprj: _square_roots(
        (0, 0), (0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2), (2, 3)
    ),
    # q**(m/2); those of the second kind have a logarithm or a pole.
    sc.mathieu_modcem1: {
        (1, 1): lambda m, q, x: (q == 0) & ((m == 1) | (m == 3)),
        (1, 2): lambda m, q, x: (q == 0) & (m == 1),
    },
    sc.mathieu_modsem1: {
        (1, 1): lambda m, q, x: (q == 0) & ((m == 1) | (m == 3)),
        (1, 2): lambda m, q, x: (q == 0) & (m == 1),
    },
    sc.mathieu_modcem2: {(1, 1): lambda m, q, x: q == 0, (1, 2): lambda m, q, x: q == 0},
    sc.mathieu_modsem2: {(1, 1): lambda m, q, x: q == 0, (1, 2): lambda m, q, x: q == 0},
    sc.nrdtrisd: {
        (0, 1): lambda mn, p, x: p == 0.5,
        (1, 1): lambda mn, p, x: (p == 0.5) & (x != mn),
        (1, 2): lambda mn, p, x: p == 0.5,
    },
    sc.kolmogi: _at(1),
    sc.smirnovi: {(1, 1): lambda n, p: (p == 0) & (n >= 2)},
    sc.bdtri: {(2, 2): lambda k, n, y: ((y == 0) & (n > k + 1)) | ((y == 1) & (k >= 1))},
    sc.nbdtri: {(2, 2): lambda k, n, y: (n >= 1) & (((y == 0) & (n > 1)) | ((y == 1) & (k >= 1)))},
}


def sharp(
    ufunc: np.ufunc, values: Sequence[NDArray[Any]], inputs: Collection[int] | None = None
) -> Mask | None:
    """Where a second derivative of the ufunc is infinite; None if nowhere.

    Parameters
    ----------
    ufunc : numpy.ufunc
    values : sequence of ndarray
        One for each input, of any shapes that broadcast.
    inputs : collection of int, optional
        The inputs that vary, all of them by default.

    Returns
    -------
    ndarray of bool or None
        Of the broadcast shape, perhaps read-only.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([0.0, 0.0, 1.0]), np.array([1.0, 1.5, 1.5])
    >>> sharp(np.power, [x, y])
    array([ True,  True, False])
    >>> sharp(np.power, [x, y], inputs=[0])
    array([False,  True, False])
    >>> sharp(np.sin, [x])
    """
    line = SHARP.get(ufunc)
    if line is None:
        return None
    mask: Any = None
    with np.errstate(all="ignore"):
        for (i, j), predicate in line.items():
            if inputs is None or (i in inputs and j in inputs):
                here = predicate(*values)
                mask = here if mask is None else mask | here
    if mask is None or not np.count_nonzero(mask):
        return None
    return np.broadcast_to(mask, np.broadcast_shapes(*(np.shape(x) for x in values)))

"""Local second-order predicates: at which points the second partials of a ufunc vanish.

Contract: a line gives, for pairs (i, j) of a ufunc's inputs, i <= j, a predicate on the
values of all inputs; a pair without one vanishes nowhere (or everywhere, which is for a
global table to say).  A predicate is true only where mathematics makes that second
partial derivative of *every* output zero, whatever floating point makes of it; it
compares values and takes no tolerances.  As in `sparsetrace.rules.zeros`, what it does
not know to be zero is kept, and so are

- points where a first partial derivative jumps: ``hypot`` at the origin, ``huber`` where
  its pieces meet;
- NaN: no point with a NaN among the inputs, or for a value, satisfies a predicate;
- infinities, except where the function is constant beside one or approaches a finite
  value there (``tanh`` at inf, not ``log``).

At the edge of a function's domain the derivative is the one from inside.  An input
outside the pair is held fixed: ``x ** 1`` has no curvature at x == 0, although
``x ** y`` has where y moves as well; `sparsetrace.rules.second_infinities` tells.

Ufuncs without a line keep every second derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special as sc

from sparsetrace.rules.zeros import Guard, confirmed

__all__ = ["FLAT", "Flat", "Pair", "flat"]

Pair = tuple[int, int]
Predicate = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Flat:
    """Where the second partial derivatives of one ufunc vanish: one line of the table.

    Attributes
    ----------
    ufunc : numpy.ufunc
    predicates : mapping of (int, int) to callable
        For pairs of inputs, the lower one first: values of all inputs -> Booleans.
    guard : Guard
        What the predicates leave to be checked.
    """

    ufunc: np.ufunc
    predicates: Mapping[Pair, Predicate]
    guard: Guard

    def __post_init__(self) -> None:
        name = self.ufunc.__name__
        if not self.predicates:
            raise ValueError(f"{name}: a line without a predicate says nothing")
        for i, j in self.predicates:
            if not 0 <= i <= j < self.ufunc.nin:
                raise ValueError(f"{name}: {(i, j)} is no pair of inputs, the lower one first")


FLAT: dict[np.ufunc, Flat] = {}


def flat(ufunc: np.ufunc, pair: Pair, values: Sequence[NDArray[Any]]) -> NDArray[np.bool_] | None:
    """Where one second partial derivative of all outputs is zero.

    Parameters
    ----------
    ufunc : numpy.ufunc
    pair : (int, int)
        Positions of the two inputs, the lower one first; the same twice for a pure one.
    values : sequence of array
        The values of all inputs, of any shapes that broadcast.

    Returns
    -------
    array of bool, or None
        Of the broadcast shape, perhaps read-only; None if the derivative vanishes nowhere.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([0.0, 1.0, np.nan]), np.array([2.0, 2.0, 2.0])
    >>> flat(np.divide, (1, 1), [x, y])
    array([ True, False, False])
    >>> flat(np.divide, (0, 1), [x, y]) is None
    True
    """
    i, j = pair
    if not 0 <= i <= j < ufunc.nin:
        raise IndexError(f"{ufunc.__name__} has no pair of inputs {pair}")
    line = FLAT.get(ufunc)
    if line is None or (predicate := line.predicates.get(pair)) is None:
        return None
    return confirmed(ufunc, predicate(*values), values, line.guard)


def _line(
    ufunc: np.ufunc,
    predicates: Predicate | Mapping[Pair, Predicate],
    guard: Guard = Guard.NAN,
) -> None:
    """Add a line; a second one for the same ufunc object is an error."""
    if ufunc in FLAT:
        raise ValueError(f"{ufunc.__name__} has a line already")
    if not isinstance(predicates, Mapping):
        predicates = {(0, 0): predicates}
    FLAT[ufunc] = Flat(ufunc, predicates, guard)


_sure_line = partial(_line, guard=Guard.NONE)
_finite_line = partial(_line, guard=Guard.FINITE)


def _among(positions: str, predicate: Predicate) -> dict[Pair, Predicate]:
    """One predicate for every pair of these inputs: where they have no effect at all."""
    pairs = combinations_with_replacement([int(letter) for letter in positions], 2)
    return dict.fromkeys(pairs, predicate)


def _at(point: float) -> Predicate:
    return lambda x: x == point


def _at_infinities_and(point: float) -> Predicate:
    # On the real axis: elsewhere erf(z) is infinite at infinity.
    return lambda x: (x == point) | (x == np.inf) | (x == -np.inf)


# --- arithmetic ---------------------------------------------------------------
# -1/y**2 and 2x/y**3.
_line(np.divide, {(0, 1): lambda x, y: np.isinf(y), (1, 1): lambda x, y: (x == 0) | np.isinf(y)})
_line(np.reciprocal, lambda x: np.isinf(x))


# y (y-1) x**(y-2), x**(y-1) (1 + y log x) and x**y log(x)**2.
_POWER: dict[Pair, Predicate] = {
    (0, 0): lambda x, y: (y == 0) | (y == 1) | ((x == 0) & (y.real > 2)),
    (0, 1): lambda x, y: (x == 0) & (y.real > 1),
    (1, 1): lambda x, y: (x == 1) | ((x == 0) & (y.real > 0)),
}
# At x == 1 the exponent's second derivative is zero, but kept: published local patterns
# (README of SparseConnectivityTracer.jl) have it.  A constant 1 is cut all the same.
_KEPT_POWER = {**_POWER, (1, 1): lambda x, y: (x == 0) & (y.real > 0)}
_line(np.power, _KEPT_POWER)
_line(np.float_power, _KEPT_POWER)
_finite_line(sc.powm1, _POWER)


def _one_is_infinite(x: Any, y: Any) -> Any:
    return np.isinf(x) != np.isinf(y)


# With r = hypot(x, y): y*y/r**3 and -x*y/r**3, the first zero also beside an infinite y.
def _hypot(x: Any, y: Any) -> Any:
    return ((y == 0) & (x != 0)) | (np.isinf(y) & ~np.isinf(x))


_line(
    np.hypot,
    {
        (0, 0): _hypot,
        (0, 1): lambda x, y: ((x == 0) != (y == 0)) & ~np.isinf(x) & ~np.isinf(y),
        (1, 1): lambda x, y: _hypot(y, x),
    },
)

# --- exponentials, trigonometry -------------------------------------------------
_sure_line(np.exp, _at(-np.inf))
_sure_line(np.exp2, _at(-np.inf))
_sure_line(np.expm1, _at(-np.inf))


# All are p (1-p) for the share p of exp(x) in exp(x) + exp(y), but for its sign.
def _logaddexp(x: Any, y: Any) -> Any:
    return (x != y) & (x < np.inf) & ((x == -np.inf) | np.isinf(y))


_LOGADDEXP: dict[Pair, Predicate] = {
    (0, 0): _logaddexp,
    (0, 1): lambda x, y: _logaddexp(x, y) & (y < np.inf),
    (1, 1): lambda x, y: _logaddexp(y, x),
}
_line(np.logaddexp, _LOGADDEXP)
_line(np.logaddexp2, _LOGADDEXP)
_sure_line(np.sin, _at(0))
_sure_line(np.tan, _at(0))
_sure_line(np.arcsin, _at(0))
_sure_line(np.arccos, _at(0))
_line(np.arctan, _at_infinities_and(0))
_sure_line(np.sinh, _at(0))
_line(np.tanh, _at_infinities_and(0))
_sure_line(np.arcsinh, _at(0))
_sure_line(np.arctanh, _at(0))


# With the arguments (y, x): -2xy/r**4, (y*y - x*x)/r**4 and 2xy/r**4.
def _on_one_axis(y: Any, x: Any) -> Any:
    return ((y == 0) != (x == 0)) | _one_is_infinite(y, x)


_line(
    np.arctan2,
    {
        (0, 0): _on_one_axis,
        (0, 1): lambda y, x: (
            ((np.abs(y) == np.abs(x)) & (y != 0) & ~np.isinf(y)) | _one_is_infinite(y, x)
        ),
        (1, 1): _on_one_axis,
    },
)

# --- scipy.special: elementary functions -------------------------------------------
_line(sc.exp10, _at(-np.inf))
if sc.exp2 is not np.exp2:
    _line(sc.exp2, _at(-np.inf))
if sc.expm1 is not np.expm1:
    _line(sc.expm1, _at(-np.inf))
_line(sc.exprel, _at(-np.inf))


@np.errstate(all="ignore")
def _multiple_of_180(x: Any) -> Any:
    return np.fmod(x, 180.0) == 0


@np.errstate(all="ignore")
def _odd_multiple_of_90(x: Any) -> Any:
    return np.abs(np.fmod(x, 180.0)) == 90


_finite_line(sc.sindg, _multiple_of_180)
_finite_line(sc.tandg, _multiple_of_180)
_finite_line(sc.cosdg, _odd_multiple_of_90)
_finite_line(sc.cotdg, _odd_multiple_of_90)
_line(sc.expit, _at_infinities_and(0))
_line(sc.log_expit, _at(np.inf))
_finite_line(sc.logit, _at(0.5))
_finite_line(sc.xlogy, {(1, 1): lambda x, y: x == 0})
_finite_line(sc.xlog1py, {(1, 1): lambda x, y: x == 0})


# (lambda-1) x**(lambda-2), x**(lambda-1) log x, and at x == 1 every lambda gives zero.
def _boxcox(x: Any, lam: Any) -> Any:
    return (lam == 1) | ((x == 0) & (lam > 2))


def _boxcox_cross(x: Any, lam: Any) -> Any:
    return (x == 1) | ((x == 0) & (lam > 1))


def _boxcox1p(x: Any, lam: Any) -> Any:
    return (lam == 1) | ((x == -1) & (lam > 2))


def _boxcox1p_cross(x: Any, lam: Any) -> Any:
    return (x == 0) | ((x == -1) & (lam > 1))


_finite_line(sc.boxcox, {(0, 0): _boxcox, (0, 1): _boxcox_cross, (1, 1): lambda x, lam: x == 1})
_finite_line(
    sc.boxcox1p, {(0, 0): _boxcox1p, (0, 1): _boxcox1p_cross, (1, 1): lambda x, lam: x == 0}
)
# 1 + y + (1-lambda) y**2 / 2 + ..., and 1 + y where lambda is 1.
_INV_BOXCOX: dict[Pair, Predicate] = {
    (0, 0): lambda y, lam: lam == 1,
    (0, 1): lambda y, lam: y == 0,
    (1, 1): lambda y, lam: y == 0,
}
_finite_line(sc.inv_boxcox, _INV_BOXCOX)
_finite_line(sc.inv_boxcox1p, _INV_BOXCOX)
_finite_line(
    sc.agm,
    {
        (0, 0): lambda x, y: (y == 0) & (x != 0),
        (1, 1): lambda x, y: (x == 0) & (y != 0),
    },
)

# --- scipy.special: losses and entropies ---------------------------------------------
# x/y**2.
_finite_line(sc.kl_div, {(1, 1): lambda x, y: (x == 0) & (y > 0)})
_finite_line(sc.rel_entr, {(1, 1): lambda x, y: (x == 0) & (y > 0)})


# r**2 / 2 inside, delta (|r| - delta/2) outside; the pieces meet with a jump.
def _huber_inside(delta: Any, r: Any) -> Any:
    return np.abs(r) < delta


_finite_line(
    sc.huber,
    {
        (0, 0): _huber_inside,
        (0, 1): _huber_inside,
        (1, 1): lambda delta, r: (delta >= 0) & (np.abs(r) > delta),
    },
)
# Zero for every delta where r is; with s = hypot(delta, r), r**3/s**3 and delta**3/s**3.
_finite_line(
    sc.pseudo_huber,
    {
        (0, 0): lambda delta, r: (r == 0) & (delta > 0),
        (0, 1): lambda delta, r: (r == 0) & (delta > 0),
        (1, 1): lambda delta, r: (delta == 0) & (r != 0),
    },
)

# --- scipy.special: gamma and beta functions --------------------------------------------
# 1 and z, 1 and n.
_finite_line(sc.poch, {(0, 0): lambda z, m: ((m == 0) | (m == 1)) & (z > 0)})
_finite_line(sc.binom, {(0, 0): lambda n, k: ((k == 0) | (k == 1)) & (n >= 0)})


# x == a - 1; the one difference is exact for small numbers, the other for large ones.
@np.errstate(all="ignore")
def _is_less_by(step: float, x: Any, a: Any) -> Any:
    return (a - x == step) & (x == a - step)


# The density x**(a-1) exp(-x) / gamma(a), its maximum at a - 1, and zero where a is.
_GAMMA: dict[Pair, Predicate] = {
    (0, 0): lambda a, x: (x == 0) & (a > 0),
    (0, 1): lambda a, x: (x == 0) & (a > 1),
    (1, 1): lambda a, x: (
        ((x == 0) & (a > 2)) | ((a == 0) & (x > 0)) | ((x > 0) & _is_less_by(1, x, a))
    ),
}
_finite_line(sc.gammainc, _GAMMA)
_finite_line(sc.gammaincc, _GAMMA)


# p**(1/a) near p == 0.
def _gamma_quantile(end: float) -> dict[Pair, Predicate]:
    return {
        (0, 0): lambda a, p: (p == end) & (a > 0),
        (0, 1): lambda a, p: (p == end) & (a > 0) & (a < 1),
        (1, 1): lambda a, p: (p == end) & (a > 0) & (a < 0.5),
    }


_finite_line(sc.gammaincinv, _gamma_quantile(0))
_finite_line(sc.gammainccinv, _gamma_quantile(1))


# Every beta distribution has the quantiles 0 and 1 at its ends.
def _at_an_end(a: Any, b: Any, x: Any) -> Any:
    return (a > 0) & (b > 0) & ((x == 0) | (x == 1))


def _above(least: float) -> Predicate:
    """Ends at which the power that the distribution starts with is above this one."""
    return lambda a, b, x: (a > 0) & (b > 0) & (((x == 0) & (a > least)) | ((x == 1) & (b > least)))


def _below(most: float) -> Predicate:
    return lambda a, b, x: (a > 0) & (b > 0) & (((x == 0) & (a < most)) | ((x == 1) & (b < most)))


# Swapping a and b there takes the function to its negative, but for a constant.
def _middle(a: Any, b: Any, x: Any) -> Any:
    return (a == b) & (a > 0) & (x == 0.5)


def _at_an_end_or_middle(a: Any, b: Any, x: Any) -> Any:
    return _at_an_end(a, b, x) | _middle(a, b, x)


def _uniform(a: Any, b: Any) -> Any:
    return (a == 1) & (b == 1)


_BETA: dict[Pair, Predicate] = {
    (0, 0): _at_an_end,
    (0, 1): _at_an_end_or_middle,
    (0, 2): _above(1),
    (1, 1): _at_an_end,
    (1, 2): _above(1),
    (2, 2): lambda a, b, x: _above(2)(a, b, x) | _middle(a, b, x) | _uniform(a, b),
}
_finite_line(sc.betainc, _BETA)
_finite_line(sc.betaincc, _BETA)
_finite_line(
    sc.betaincinv,
    {
        (0, 0): _at_an_end,
        (0, 1): _at_an_end_or_middle,
        (0, 2): _below(1),
        (1, 1): _at_an_end,
        (1, 2): _below(1),
        (2, 2): lambda a, b, p: _below(0.5)(a, b, p) | _middle(a, b, p) | _uniform(a, b),
    },
)
_finite_line(
    sc.betainccinv,
    {
        (0, 0): _at_an_end,
        (0, 1): _at_an_end_or_middle,
        (0, 2): lambda a, b, p: _below(1)(b, a, p),
        (1, 1): _at_an_end,
        (1, 2): lambda a, b, p: _below(1)(b, a, p),
        (2, 2): lambda a, b, p: _below(0.5)(b, a, p) | _middle(a, b, p) | _uniform(a, b),
    },
)

# --- scipy.special: error functions, Bessel functions and relatives ------------------------
_line(sc.erf, _at_infinities_and(0))
_line(sc.erfc, _at_infinities_and(0))
_line(sc.erfcx, _at(np.inf))
_finite_line(sc.erfi, _at(0))
_finite_line(sc.erfinv, _at(0))
_finite_line(sc.erfcinv, _at(1))
_line(sc.dawsn, _at_infinities_and(0))
_finite_line(sc.fresnel, _at(0))
# exp(x) (1/x - 1/x**2).
_finite_line(sc.expi, _at(1))
# An odd function of a, even in h.
_finite_line(
    sc.owens_t,
    {
        (0, 0): lambda h, a: a == 0,
        (0, 1): lambda h, a: h == 0,
        (1, 1): lambda h, a: a == 0,
    },
)


# A normal density where gamma is 0, with its points of inflection.
def _inflection(x: Any, sigma: Any, gamma: Any) -> Any:
    return (gamma == 0) & (sigma > 0) & (np.abs(x) == sigma)


def _centre(x: Any, sigma: Any, gamma: Any) -> Any:
    return (x == 0) & (sigma > 0)


_finite_line(
    sc.voigt_profile,
    {(0, 0): _inflection, (0, 1): _centre, (0, 2): _centre, (2, 2): _inflection},
)
_finite_line(sc.j1, _at(0))
_finite_line(sc.i1, _at(0))


# Near the origin the functions of order v are (z/2)**v / gamma(v+1), and odd or even for
# whole orders; the scaled ones have kinks there.
def _of_order_above(least: float) -> Predicate:
    return lambda v, z: (z == 0) & (v > least)


def _of_order_one_or_above_two(v: Any, z: Any) -> Any:
    return (z == 0) & ((v == 1) | (v > 2))


# jve is jv on the real axis.
def _on_real_axis(v: Any, z: Any) -> Any:
    order = v > 2 if np.iscomplexobj(z) else (v == 1) | (v > 2)
    return (z == 0) & order


_BESSEL: dict[Pair, Predicate] = {
    (0, 0): _of_order_above(0),
    (0, 1): _of_order_above(1),
    (1, 1): _of_order_one_or_above_two,
}
_finite_line(sc.jv, _BESSEL)
_finite_line(sc.iv, _BESSEL)
_finite_line(sc.jve, {**_BESSEL, (1, 1): _on_real_axis})
_finite_line(sc.ive, {**_BESSEL, (1, 1): _of_order_above(2)})
# Even functions of the order.
_finite_line(sc.kv, {(0, 1): lambda v, z: v == 0})
_finite_line(sc.kve, {(0, 1): lambda v, z: v == 0})
# Near a == 0 a multiple of a**nu.
_finite_line(
    sc.besselpoly,
    {
        (0, 0): lambda a, lam, nu: _of_order_one_or_above_two(nu, a),
        (0, 1): lambda a, lam, nu: (a == 0) & ((nu == 0) | (nu > 1)),
        (0, 2): lambda a, lam, nu: (a == 0) & (nu > 1),
        **_among("12", lambda a, lam, nu: (a == 0) & (nu > 0)),
    },
)
# Near the origin a multiple of x**(v+1).
_STRUVE: dict[Pair, Predicate] = {
    (0, 0): _of_order_above(-1),
    (0, 1): _of_order_above(0),
    (1, 1): lambda v, x: (x == 0) & ((v == 0) | (v > 1)),
}
_finite_line(sc.struve, _STRUVE)
_finite_line(sc.modstruve, _STRUVE)
_finite_line(sc.it2struve0, _at(0))
_finite_line(sc.ber, _at(0))
_finite_line(sc.berp, _at(0))
_finite_line(sc.beip, _at(0))
# The series of x**k / (k! gamma(ak+b)); exp(x) / gamma(b) where a is 0.
_finite_line(sc.wright_bessel, {(0, 0): lambda a, b, x: x == 0, (0, 1): lambda a, b, x: x == 0})
if hasattr(sc, "log_wright_bessel"):  # SciPy 1.14 and later
    _finite_line(
        sc.log_wright_bessel,
        {
            (0, 0): lambda a, b, x: (x == 0) & (b > 0),
            (0, 1): lambda a, b, x: (x == 0) & (b > 0),
            (1, 2): lambda a, b, x: (a == 0) & (b > 0),
            (2, 2): lambda a, b, x: (a == 0) & (b > 0),
        },
    )
# phi for m == 0, and odd in phi.
_ELLIPTIC: dict[Pair, Predicate] = {
    (0, 0): lambda phi, m: (phi == 0) | (m == 0),
    (0, 1): lambda phi, m: phi == 0,
    (1, 1): lambda phi, m: phi == 0,
}
_finite_line(sc.ellipeinc, _ELLIPTIC)
_finite_line(sc.ellipkinc, _ELLIPTIC)
# The parameter enters with u**2.
_finite_line(sc.ellipj, {(0, 1): lambda u, m: u == 0, (1, 1): lambda u, m: u == 0})

# --- scipy.special: orthogonal and hypergeometric functions --------------------------------


def _of_degree_zero(n: Any, *rest: Any) -> Any:
    return n == 0


def _linear(n: Any, *rest: Any) -> Any:
    return (n == 0) | (n == 1)


@np.errstate(all="ignore")
def _is_odd(n: Any) -> Any:
    return np.fmod(n, 2) == 1


@np.errstate(all="ignore")
def _is_even(n: Any) -> Any:
    return (np.fmod(n, 2) == 0) & (n > 0)


def _odd_about(centre: float) -> Predicate:
    """Polynomials of odd degree are odd about this point, those of degree 1 linear."""
    return lambda n, *rest: _linear(n) | ((rest[-1] == centre) & _is_odd(n))


_finite_line(sc.eval_chebyt, {(1, 1): _odd_about(0)})
_finite_line(sc.eval_chebyu, {(1, 1): _odd_about(0)})
_finite_line(sc.eval_chebyc, {(1, 1): _odd_about(0)})
_finite_line(sc.eval_chebys, {(1, 1): _odd_about(0)})
_finite_line(sc.eval_sh_chebyt, {(1, 1): _odd_about(0.5)})
_finite_line(sc.eval_sh_chebyu, {(1, 1): _odd_about(0.5)})
_finite_line(sc.eval_legendre, {(1, 1): _odd_about(0)})
_finite_line(sc.eval_sh_legendre, {(1, 1): _odd_about(0.5)})
_finite_line(sc.eval_hermite, {(1, 1): _odd_about(0)})
_finite_line(sc.eval_hermitenorm, {(1, 1): _odd_about(0)})
_finite_line(sc.eval_laguerre, {(1, 1): _linear})
# 1 + alpha - x.
_finite_line(sc.eval_genlaguerre, _among("12", _linear))
# 2 alpha x; at x == 0 those of odd degree are 0 for every alpha, that of degree 2 is -alpha;
# that of degree 0 is 1, but since SciPy 1.18 not at alpha == 0.
_finite_line(
    sc.eval_gegenbauer,
    {
        (1, 1): lambda n, alpha, x: (
            (_odd_about(0)(n, x) & ((n != 0) | (alpha != 0))) | ((n == 2) & (x == 0))
        ),
        (1, 2): lambda n, alpha, x: (n == 0) | ((x == 0) & _is_even(n)),
        (2, 2): lambda n, alpha, x: _odd_about(0)(n, x) | (alpha == 0),
    },
)
# (alpha-beta)/2 + (alpha+beta+2) x/2; at an end of [-1, 1] one parameter has no effect.
_finite_line(
    sc.eval_jacobi,
    {
        (1, 1): lambda n, alpha, beta, x: _linear(n) | (x == -1),
        (1, 2): lambda n, alpha, beta, x: _linear(n) | (x == 1) | (x == -1),
        (1, 3): _of_degree_zero,
        (2, 2): lambda n, alpha, beta, x: _linear(n) | (x == 1),
        (2, 3): _of_degree_zero,
        (3, 3): lambda n, alpha, beta, x: _linear(n) | ((alpha == beta) & (x == 0) & _is_odd(n)),
    },
)
# x - q/(p+1).
_finite_line(
    sc.eval_sh_jacobi,
    {
        (1, 1): _of_degree_zero,
        (1, 2): _of_degree_zero,
        (1, 3): _linear,
        (2, 2): _linear,
        (2, 3): _linear,
        (3, 3): _linear,
    },
)


# Associated Legendre functions of whole degree have the parity of degree and order; those
# whose order is above the degree are zero.
@np.errstate(all="ignore")
def _legendre(m: Any, v: Any, x: Any) -> Any:
    whole = (v >= 0) & (v + m >= 0) & (np.floor(v) == v)
    return whole & ((m > v) | ((m == 0) & _linear(v)) | ((x == 0) & _is_odd(v + m)))


_finite_line(sc.lpmv, {(2, 2): _legendre})
_finite_line(sc.hyp0f1, {(0, 0): lambda v, z: (z == 0) & (v > 0)})
# 1 + a/b x + ..., a polynomial for a = 0, -1, ...
_finite_line(
    sc.hyp1f1,
    {
        (0, 0): lambda a, b, x: (x == 0) & (b > 0),
        (0, 1): lambda a, b, x: (x == 0) & (b > 0),
        (1, 1): lambda a, b, x: ((x == 0) | (a == 0)) & (b > 0),
        (1, 2): lambda a, b, x: (a == 0) & (b > 0),
        (2, 2): lambda a, b, x: ((a == 0) | (a == -1)) & (b > 0),
    },
)


# 1 + ab/c x + ..., as far as the series converges and has no poles in c.
def _of_series(c: Any, x: Any) -> Any:
    return (c > 0) & (np.abs(x) < 1)


def _short(a: Any) -> Any:
    return (a == 0) | (a == -1)


_finite_line(
    sc.hyp2f1,
    {
        (0, 0): lambda a, b, c, x: ((x == 0) | _short(b)) & _of_series(c, x),
        (0, 1): lambda a, b, c, x: (x == 0) & _of_series(c, x),
        (0, 2): lambda a, b, c, x: ((x == 0) | (b == 0)) & _of_series(c, x),
        (0, 3): lambda a, b, c, x: (b == 0) & _of_series(c, x),
        (1, 1): lambda a, b, c, x: ((x == 0) | _short(a)) & _of_series(c, x),
        (1, 2): lambda a, b, c, x: ((x == 0) | (a == 0)) & _of_series(c, x),
        (1, 3): lambda a, b, c, x: (a == 0) & _of_series(c, x),
        (2, 2): lambda a, b, c, x: ((x == 0) | (a == 0) | (b == 0)) & _of_series(c, x),
        (2, 3): lambda a, b, c, x: ((a == 0) | (b == 0)) & _of_series(c, x),
        (3, 3): lambda a, b, c, x: (_short(a) | _short(b)) & _of_series(c, x),
    },
)
# The second derivatives are (x*x/4 - v - 1/2) y and (a - x*x/4) y; the other output is y'.
_finite_line(sc.pbdv, {(1, 1): lambda v, x: (v == -0.5) & (x == 0)})
_finite_line(sc.pbvv, {(1, 1): lambda v, x: (v == -0.5) & (x == 0)})
_finite_line(sc.pbwa, {(1, 1): lambda a, x: (a == 0) & (x == 0)})

# --- scipy.special: distributions -------------------------------------------------------------
_line(sc.ndtr, _at_infinities_and(0))
_line(sc.log_ndtr, _at(np.inf))
_finite_line(sc.ndtri, _at(0.5))
# x - std ndtri(p), and (x - mn) / ndtri(p).
_finite_line(sc.nrdtrimn, {(0, 0): lambda p, std, x: p == 0.5})
_finite_line(sc.nrdtrisd, {(1, 1): lambda mn, p, x: (x == mn) & (p != 0.5)})

# The gamma distribution of shape v/2 at x/2.
_CHI_SQUARE: dict[Pair, Predicate] = {
    (0, 0): lambda v, x: (x == 0) & (v > 0),
    (0, 1): lambda v, x: (x == 0) & (v > 2),
    (1, 1): lambda v, x: (
        ((x == 0) & (v > 4)) | ((v == 0) & (x > 0)) | ((x > 0) & _is_less_by(2, x, v))
    ),
}
_finite_line(sc.chdtr, _CHI_SQUARE)
_finite_line(sc.chdtrc, _CHI_SQUARE)
_finite_line(
    sc.chdtri,
    {
        (0, 0): lambda v, p: (p == 1) & (v > 0),
        (0, 1): lambda v, p: (p == 1) & (v > 0) & (v < 2),
        (1, 1): lambda v, p: (p == 1) & (v > 0) & (v < 1),
    },
)
_finite_line(
    sc.chndtr,
    {
        (0, 0): lambda x, df, nc: (x == 0) & (df > 4) & (nc >= 0),
        (0, 1): lambda x, df, nc: (x == 0) & (df > 2) & (nc >= 0),
        (0, 2): lambda x, df, nc: (
            ((x == 0) & (df > 2) & (nc >= 0)) | ((nc == 0) & (x == df) & (df > 0))
        ),
        **_among("12", lambda x, df, nc: (x == 0) & (df > 0) & (nc >= 0)),
    },
)


def _at_zero(a: Any, b: Any, x: Any) -> Any:
    return (x == 0) & (a > 0) & (b > 0)


def _equal_at_one(m: Any, n: Any, x: Any) -> Any:
    return (m == n) & (m > 0) & (x == 1)


# Near x == 0 a multiple of x**(m/2); 1 - F(m, n, x) is F(n, m, 1/x).
_F: dict[Pair, Predicate] = {
    (0, 0): _at_zero,
    (0, 1): lambda m, n, x: _at_zero(m, n, x) | _equal_at_one(m, n, x),
    (0, 2): lambda m, n, x: (x == 0) & (m > 2) & (n > 0),
    (1, 1): _at_zero,
    (1, 2): lambda m, n, x: (x == 0) & (m >= 2) & (n > 0),
    (2, 2): lambda m, n, x: (x == 0) & (m > 4) & (n > 0),
}
_finite_line(sc.fdtr, _F)
_finite_line(sc.fdtrc, _F)
_finite_line(
    sc.ncfdtr,
    {
        **_among("012", lambda m, n, nc, x: _at_zero(m, n, x) & (nc >= 0)),
        (0, 1): lambda m, n, nc, x: (
            (_at_zero(m, n, x) & (nc >= 0)) | (_equal_at_one(m, n, x) & (nc == 0))
        ),
        (0, 3): lambda m, n, nc, x: (x == 0) & (m > 2) & (n > 0) & (nc >= 0),
        (1, 3): lambda m, n, nc, x: (x == 0) & (m >= 2) & (n > 0) & (nc >= 0),
        (2, 3): lambda m, n, nc, x: (
            (n > 0) & (((x == 0) & (m > 2) & (nc >= 0)) | ((x == 1) & (m > 0) & (nc == 0)))
        ),
        (3, 3): lambda m, n, nc, x: (x == 0) & (m > 4) & (n > 0) & (nc >= 0),
    },
)


# The gamma distribution of shape b at a x, near 0 a multiple of (a x)**b.
def _product_is_zero(least: float) -> Predicate:
    return lambda a, b, x: (b > least) & (((x == 0) & (a > 0)) | ((a == 0) & (x > 0)))


_GAMMA_OF_PRODUCT: dict[Pair, Predicate] = {
    (0, 0): lambda a, b, x: _at_zero(a, b, x) | _product_is_zero(2)(a, b, x) | _at_zero(a, x, b),
    (0, 1): lambda a, b, x: _at_zero(a, b, x) | _product_is_zero(1)(a, b, x),
    (0, 2): lambda a, b, x: _product_is_zero(1)(a, b, x) | _at_zero(a, x, b),
    (1, 1): _product_is_zero(0),
    (1, 2): lambda a, b, x: _at_zero(x, b, a) | _product_is_zero(1)(a, b, x),
    (2, 2): lambda a, b, x: _at_zero(x, b, a) | _product_is_zero(2)(a, b, x) | _at_zero(a, x, b),
}
_finite_line(sc.gdtr, _GAMMA_OF_PRODUCT)
_finite_line(sc.gdtrc, _GAMMA_OF_PRODUCT)
_finite_line(
    sc.gdtrix,
    {
        **_among("01", _at_zero),
        (0, 2): lambda a, b, p: _at_zero(a, b, p) & (b < 1),
        (1, 2): lambda a, b, p: _at_zero(a, b, p) & (b < 1),
        (2, 2): lambda a, b, p: _at_zero(a, b, p) & (b < 0.5),
    },
)
# Symmetric about 0.
_finite_line(
    sc.stdtr,
    {(0, 0): lambda df, t: (t == 0) & (df > 0), (1, 1): lambda df, t: (t == 0) & (df > 0)},
)
_finite_line(
    sc.stdtrit,
    {(0, 0): lambda df, p: (p == 0.5) & (df > 0), (1, 1): lambda df, p: (p == 0.5) & (df > 0)},
)
# The quantiles are (p**lambda - (1-p)**lambda) / lambda, linear for 1 and for 2.
_finite_line(
    sc.tklmbda,
    {
        (0, 0): lambda x, lam: (
            (x == 0) | ((lam == 1) & (np.abs(x) < 1)) | ((lam == 2) & (np.abs(x) < 0.5))
        ),
        (1, 1): lambda x, lam: x == 0,
    },
)
_line(sc.kolmogorov, lambda y: y <= 0)
# 1 - d for one observation.
_finite_line(sc.smirnov, {(1, 1): lambda n, d: n == 1})
_finite_line(sc.smirnovi, {(1, 1): lambda n, p: n == 1})


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
    return _middle(a, b, p) | _uniform(a, b)


_sure_line(sc.bdtr, {(2, 2): _of_counts(lambda a, b, p: _BETA[2, 2](a, b, p) | (b == 0))})
_sure_line(sc.bdtrc, {(2, 2): _of_counts(lambda a, b, p: _BETA[2, 2](a, b, p) | (b == 0))})
_sure_line(sc.bdtri, {(2, 2): _of_counts(_middle_or_uniform)})
_sure_line(sc.nbdtr, {(2, 2): _of_counts(_BETA[2, 2], negative=True)})
_sure_line(sc.nbdtrc, {(2, 2): _of_counts(_BETA[2, 2], negative=True)})
_sure_line(sc.nbdtri, {(2, 2): _of_counts(_middle_or_uniform, negative=True)})


# The gamma distribution of k+1.
def _poisson(k: Any, m: Any) -> Any:
    return (np.floor(k) == k) & (k > 0) & ((m == k) | ((m == 0) & (k > 1)))


_finite_line(sc.pdtr, {(1, 1): _poisson})
_finite_line(sc.pdtrc, {(1, 1): _poisson})

"""Local predicates: at which points the partial derivatives of a ufunc vanish.

Contract: a line gives, for every input of a ufunc, a predicate on the values of all
inputs, or None where that partial derivative vanishes nowhere (or everywhere: the
first-order table has the letter ``"0"``).  A predicate is true only where mathematics
makes the partial derivative of *every* output zero, whatever floating point makes of
``1 - tanh(20)**2``; it compares values and takes no tolerances.  What it does not know
to be zero is kept, and so are

- kinks and ties: ``absolute`` and ``hypot`` at the origin, equal arguments of ``maximum``;
- NaN: no point with a NaN among the inputs, or for a value, satisfies a predicate;
- infinities, except where the function is constant beside one (``maximum(x, inf)``) or
  approaches a finite value there (``exp`` at -inf, not ``log`` at inf).

At the edge of a function's domain the derivative is the one from inside.  Where the
function jumps in one argument, its partial derivatives with respect to the others are
taken with that argument held fixed: ``remainder(0, y)`` is 0 for every y.

Predicates are given arrays or scalars of NumPy, at least one of them real or complex,
whose shapes broadcast.  Ufuncs without a line keep every dependency.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any

import numpy as np
from numpy._core import umath
from numpy.typing import NDArray
from scipy import special as sc

__all__ = ["VANISHING", "Guard", "Vanishing", "confirmed", "vanishes"]

Predicate = Callable[..., Any]


class Guard(Enum):
    """Which points `vanishes` keeps although they satisfy a predicate."""

    #: None: where the predicate holds, no input is NaN, and the value is none either.
    NONE = auto()
    #: Those where an input or the value is NaN.
    NAN = auto()
    #: Those where an input or the value is NaN or infinite.
    FINITE = auto()


@dataclass(frozen=True, slots=True)
class Vanishing:
    """Where the partial derivatives of one ufunc vanish: one line of the table.

    Attributes
    ----------
    ufunc : numpy.ufunc
    predicates : tuple of (callable or None)
        One per input: values of all inputs -> Booleans; None for never.
    guard : Guard
        What the predicates leave to be checked.
    """

    ufunc: np.ufunc
    predicates: tuple[Predicate | None, ...]
    guard: Guard

    def __post_init__(self) -> None:
        name = self.ufunc.__name__
        if len(self.predicates) != self.ufunc.nin:
            raise ValueError(f"{name}: one predicate or None per input, {self.ufunc.nin} wanted")
        if not any(self.predicates):
            raise ValueError(f"{name}: a line without a predicate says nothing")


VANISHING: dict[np.ufunc, Vanishing] = {}


def vanishes(
    ufunc: np.ufunc, position: int, values: Sequence[NDArray[Any]]
) -> NDArray[np.bool_] | None:
    """Where the partial derivatives of all outputs with respect to one input are zero.

    Parameters
    ----------
    ufunc : numpy.ufunc
    position : int
        Of the input.
    values : sequence of array
        The values of all inputs, of any shapes that broadcast.

    Returns
    -------
    array of bool, or None
        Of the broadcast shape, perhaps read-only; None if the derivative vanishes nowhere.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, np.nan])
    >>> vanishes(np.maximum, 0, [x, y])
    array([ True, False, False])
    >>> vanishes(np.maximum, 1, [x, y]) is None
    True
    """
    line = VANISHING.get(ufunc)
    if line is None or (predicate := line.predicates[position]) is None:
        return None
    return confirmed(ufunc, predicate(*values), values, line.guard)


def confirmed(
    ufunc: np.ufunc, mask: Any, values: Sequence[NDArray[Any]], guard: Guard
) -> NDArray[np.bool_] | None:
    """What the guard leaves of the points that satisfy a predicate; None if nothing."""
    if not _any(mask):
        return None
    if guard is not Guard.NONE:
        with np.errstate(all="ignore"):
            mask = _known(mask, values, guard)
            # Some special functions take for ever over infinities (hyp1f1).
            if guard is Guard.FINITE and not _any(mask):
                return None
            outputs = ufunc(*values)
            mask = _known(mask, outputs if ufunc.nout > 1 else (outputs,), guard)
        if not _any(mask):
            return None
    if ufunc.nin > 1 and mask.shape != (shape := np.broadcast(*values).shape):
        return np.broadcast_to(mask, shape)
    return np.asarray(mask)


def _any(mask: Any) -> Any:
    # np.count_nonzero is the fastest test of a small array, and slow for a scalar.
    return mask if mask.ndim == 0 else np.count_nonzero(mask)


def _known(mask: Any, values: Sequence[NDArray[Any]], guard: Guard) -> Any:
    for value in values:
        mask = mask & (np.isfinite(value) if guard is Guard.FINITE else value == value)
    return mask


def _line(ufunc: np.ufunc, *predicates: Predicate | None, guard: Guard = Guard.NAN) -> None:
    """Add a line; a second one for the same ufunc object is an error."""
    if ufunc in VANISHING:
        raise ValueError(f"{ufunc.__name__} has a line already")
    VANISHING[ufunc] = Vanishing(ufunc, predicates, guard)


_sure_line = partial(_line, guard=Guard.NONE)
_finite_line = partial(_line, guard=Guard.FINITE)


def _at(point: float) -> Predicate:
    return lambda x: x == point


def _at_either_infinity(x: Any) -> Any:
    return (x == np.inf) | (x == -np.inf)  # off the real axis they are no limits


# --- arithmetic ---------------------------------------------------------------
_line(np.multiply, lambda x, y: y == 0, lambda x, y: x == 0)
_line(np.divide, lambda x, y: np.isinf(y), lambda x, y: (x == 0) | np.isinf(y))
_line(np.reciprocal, _at_either_infinity)
_sure_line(np.square, _at(0))


# The derivative with respect to the divisor is minus the quotient, rounded down for
# remainder and divmod (-1 for 0 < -x < y, not 0), towards zero for fmod.
@np.errstate(all="ignore")
def _quotient_is_below_one(x: Any, y: Any) -> Any:
    return np.floor_divide(x, y) == 0


_sure_line(np.remainder, None, _quotient_is_below_one)
_sure_line(np.divmod, None, _quotient_is_below_one)
_sure_line(np.fmod, None, lambda x, y: np.abs(x) < np.abs(y))


# The derivatives y x**(y-1) and x**y log x; for a complex exponent its real part
# decides whether the power tends to zero with x.
def _power_by_base(x: Any, y: Any) -> Any:
    return (y == 0) | ((x == 0) & (y.real > 1))


def _power_by_exponent(x: Any, y: Any) -> Any:
    return (x == 1) | ((x == 0) & (y.real > 0))


_line(np.power, _power_by_base, _power_by_exponent)
_line(np.float_power, _power_by_base, _power_by_exponent)
_finite_line(sc.powm1, _power_by_base, _power_by_exponent)


# x / hypot(x, y), zero also beside an infinite y.
def _hypot(x: Any, y: Any) -> Any:
    return ((x == 0) & (y != 0)) | (np.isinf(y) & ~np.isinf(x))


_line(np.hypot, _hypot, lambda x, y: _hypot(y, x))


# --- extrema ------------------------------------------------------------------
# Complex numbers compare by their real parts first; a tie of these is a tie.
def _less(x: Any, y: Any) -> Any:
    less = x.real < y.real
    if x.dtype.kind == "c" or y.dtype.kind == "c":
        less = less & (x == x) & (y == y)
    return less


def _greater(x: Any, y: Any) -> Any:
    return _less(y, x)


_sure_line(np.maximum, _less, _greater)
_sure_line(np.fmax, _less, _greater)
_sure_line(np.minimum, _greater, _less)
_sure_line(np.fmin, _greater, _less)
# minimum(maximum(x, low), high): where low > high the answer is high.  The ufunc is
# behind np.clip, and not public.
_CLIP: np.ufunc | None = getattr(umath, "clip", None)
if _CLIP is not None:
    _line(
        _CLIP,
        lambda x, low, high: (x.real < low.real) | (x.real > high.real),
        lambda x, low, high: (low.real < x.real) | (low.real > high.real),
        lambda x, low, high: (high.real > x.real) & (high.real > low.real),
    )
_line(np.heaviside, None, lambda x, h: x != 0)

# --- exponentials, trigonometry -------------------------------------------------
_sure_line(np.exp, _at(-np.inf))
_sure_line(np.exp2, _at(-np.inf))
_sure_line(np.expm1, _at(-np.inf))


# The derivative is the share of exp(x) in exp(x) + exp(y).
def _logaddexp(x: Any, y: Any) -> Any:
    return (x < y) & ((x == -np.inf) | (y == np.inf))


_sure_line(np.logaddexp, _logaddexp, lambda x, y: _logaddexp(y, x))
_sure_line(np.logaddexp2, _logaddexp, lambda x, y: _logaddexp(y, x))
_sure_line(np.cos, _at(0))
_sure_line(np.cosh, _at(0))
_line(np.tanh, _at_either_infinity)
_line(np.arctan, _at_either_infinity)
# d/dy = x/(x*x + y*y) and d/dx = -y/(x*x + y*y) with the arguments (y, x); the
# function has a kink at the origin and jumps where y changes sign beside x < 0.
_line(
    np.arctan2,
    lambda y, x: (y != 0) & ((x == 0) | (np.isinf(x) != np.isinf(y))),
    lambda y, x: ((y == 0) & (x != 0)) | (np.isinf(x) != np.isinf(y)),
)

# --- scipy.special: elementary functions -------------------------------------------
_line(sc.exp10, _at(-np.inf))
if sc.exp2 is not np.exp2:
    _line(sc.exp2, _at(-np.inf))
if sc.expm1 is not np.expm1:
    _line(sc.expm1, _at(-np.inf))
_line(sc.exprel, _at(-np.inf))
_finite_line(sc.cosm1, _at(0))


@np.errstate(all="ignore")
def _multiple_of_180(x: Any) -> Any:
    return np.fmod(x, 180.0) == 0


@np.errstate(all="ignore")
def _odd_multiple_of_90(x: Any) -> Any:
    return np.abs(np.fmod(x, 180.0)) == 90


_finite_line(sc.cosdg, _multiple_of_180)
_finite_line(sc.sindg, _odd_multiple_of_90)
_line(sc.expit, _at_either_infinity)
_line(sc.log_expit, _at(np.inf))
_finite_line(sc.xlogy, lambda x, y: y == 1, lambda x, y: x == 0)
_finite_line(sc.xlog1py, lambda x, y: y == 0, lambda x, y: x == 0)
# x**(lambda-1), and at x == 1 every lambda gives zero.
_finite_line(sc.boxcox, lambda x, lam: (x == 0) & (lam > 1), lambda x, lam: x == 1)
_finite_line(sc.boxcox1p, lambda x, lam: (x == -1) & (lam > 1), lambda x, lam: x == 0)
_finite_line(sc.inv_boxcox, None, lambda y, lam: y == 0)
_finite_line(sc.inv_boxcox1p, None, lambda y, lam: y == 0)
# agm(0, y) is 0, but agm(t, t) is t.
_finite_line(sc.agm, lambda x, y: (y == 0) & (x != 0), lambda x, y: (x == 0) & (y != 0))

# --- scipy.special: losses and entropies ---------------------------------------------
# log(x/y) and 1 - x/y.
_finite_line(sc.kl_div, lambda x, y: (x == y) & (x > 0), lambda x, y: (x == y) & (x > 0))
_finite_line(sc.rel_entr, None, lambda x, y: (x == 0) & (y > 0))
# max(|r| - delta, 0), continuous at |r| == delta, and r clipped to [-delta, delta].
_finite_line(
    sc.huber,
    lambda delta, r: (delta > 0) & (np.abs(r) <= delta),
    lambda delta, r: (delta == 0) | ((r == 0) & (delta > 0)),
)
# delta (s-1)**2 / s and r/s with s = sqrt(1 + (r/delta)**2).
_finite_line(
    sc.pseudo_huber,
    lambda delta, r: (r == 0) & (delta > 0),
    lambda delta, r: (delta == 0) | ((r == 0) & (delta > 0)),
)

# --- scipy.special: gamma and beta functions --------------------------------------------
_finite_line(sc.poch, lambda z, m: (m == 0) & (z > 0), None)
_finite_line(sc.binom, lambda n, k: (k == 0) & (n >= 0), None)


# The density x**(a-1) exp(-x) / gamma(a), which tends to zero with a.
def _gamma_density(a: Any, x: Any) -> Any:
    return ((x == 0) & (a > 1)) | ((a == 0) & (x > 0))


_finite_line(sc.gammainc, lambda a, x: (x == 0) & (a > 0), _gamma_density)
_finite_line(sc.gammaincc, lambda a, x: (x == 0) & (a > 0), _gamma_density)
_finite_line(sc.gammaincinv, lambda a, p: (p == 0) & (a > 0), None)
_finite_line(sc.gammainccinv, lambda a, p: (p == 1) & (a > 0), None)


# Every beta distribution has the quantiles 0 and 1 at its ends.
def _at_an_end(a: Any, b: Any, x: Any) -> Any:
    return (a > 0) & (b > 0) & ((x == 0) | (x == 1))


# The density x**(a-1) (1-x)**(b-1) / beta(a, b).
def _beta_density(a: Any, b: Any, x: Any) -> Any:
    return (a > 0) & (b > 0) & (((x == 0) & (a > 1)) | ((x == 1) & (b > 1)))


_finite_line(sc.betainc, _at_an_end, _at_an_end, _beta_density)
_finite_line(sc.betaincc, _at_an_end, _at_an_end, _beta_density)
_finite_line(sc.betaincinv, _at_an_end, _at_an_end, None)
_finite_line(sc.betainccinv, _at_an_end, _at_an_end, None)

# --- scipy.special: error functions, Bessel functions and relatives ------------------------
_line(sc.erf, _at_either_infinity)
_line(sc.erfc, _at_either_infinity)
_line(sc.erfcx, _at(np.inf))
_line(sc.dawsn, _at_either_infinity)
_finite_line(sc.owens_t, lambda h, a: (h == 0) | (a == 0), None)
_finite_line(sc.voigt_profile, lambda x, sigma, gamma: (x == 0) & (sigma > 0), None, None)
_finite_line(sc.j0, _at(0))
_finite_line(sc.i0, _at(0))


# Near the origin the functions of order v are (z/2)**v / gamma(v+1); the scaled ones
# have a kink there for order 0.
def _at_the_origin(v: Any, z: Any) -> Any:
    return (z == 0) & (v > 0)


def _above_order_one(v: Any, z: Any) -> Any:
    return (z == 0) & (v > 1)


_finite_line(sc.jv, _at_the_origin, lambda v, z: (z == 0) & ((v == 0) | (v > 1)))
_finite_line(sc.iv, _at_the_origin, lambda v, z: (z == 0) & ((v == 0) | (v > 1)))
_finite_line(sc.jve, _at_the_origin, _above_order_one)
_finite_line(sc.ive, _at_the_origin, _above_order_one)
# Near the origin a multiple of x**(v+1).
_finite_line(sc.struve, lambda v, x: (x == 0) & (v > -1), _at_the_origin)
_finite_line(sc.modstruve, lambda v, x: (x == 0) & (v > -1), _at_the_origin)
_finite_line(sc.itstruve0, _at(0))
_finite_line(sc.itmodstruve0, _at(0))
_finite_line(sc.ber, _at(0))
_finite_line(sc.bei, _at(0))
_finite_line(sc.berp, _at(0))
_finite_line(sc.wright_bessel, lambda a, b, x: x == 0, None, None)
if hasattr(sc, "log_wright_bessel"):  # SciPy 1.14 and later
    _finite_line(sc.log_wright_bessel, lambda a, b, x: (x == 0) & (b > 0), None, None)
_finite_line(sc.ellipeinc, None, lambda phi, m: phi == 0)
_finite_line(sc.ellipkinc, None, lambda phi, m: phi == 0)
_finite_line(sc.ellipj, None, lambda u, m: u == 0)

# --- scipy.special: orthogonal and hypergeometric functions --------------------------------


def _of_degree_zero(n: Any, *rest: Any) -> Any:
    return n == 0


def _even_about(centre: float) -> Predicate:
    """Polynomials of even degree are even about this point, those of degree 0 constant."""

    @np.errstate(all="ignore")
    def predicate(n: Any, *rest: Any) -> Any:
        return (n == 0) | ((rest[-1] == centre) & (np.fmod(n, 2) == 0) & (n > 0))

    return predicate


_finite_line(sc.eval_chebyt, None, _even_about(0))
_finite_line(sc.eval_chebyu, None, _even_about(0))
_finite_line(sc.eval_chebyc, None, _even_about(0))
_finite_line(sc.eval_chebys, None, _even_about(0))
_finite_line(sc.eval_sh_chebyt, None, _even_about(0.5))
_finite_line(sc.eval_sh_chebyu, None, _even_about(0.5))
_finite_line(sc.eval_legendre, None, _even_about(0))
_finite_line(sc.eval_sh_legendre, None, _even_about(0.5))
_finite_line(sc.eval_hermite, None, _even_about(0))
_finite_line(sc.eval_hermitenorm, None, _even_about(0))
_finite_line(sc.eval_laguerre, None, _of_degree_zero)
# at alpha == 0 SciPy 1.18 has no 1, but a 0 that stands alone
_finite_line(sc.eval_gegenbauer, None, lambda n, alpha, x: (n == 0) & (alpha != 0), _even_about(0))
_finite_line(sc.eval_genlaguerre, None, _of_degree_zero, _of_degree_zero)
_finite_line(sc.eval_jacobi, None, _of_degree_zero, _of_degree_zero, _of_degree_zero)
_finite_line(sc.eval_sh_jacobi, None, _of_degree_zero, _of_degree_zero, _of_degree_zero)
_finite_line(sc.hyp0f1, lambda v, z: (z == 0) & (v > 0), None)
_finite_line(
    sc.hyp1f1,
    lambda a, b, x: (x == 0) & (b > 0),
    lambda a, b, x: ((x == 0) | (a == 0)) & (b > 0),
    lambda a, b, x: (a == 0) & (b > 0),
)


# 1 + ab/c x + ..., as far as the series converges and has no poles in c.
def _of_series(c: Any, x: Any) -> Any:
    return (c > 0) & (np.abs(x) < 1)


_finite_line(
    sc.hyp2f1,
    lambda a, b, c, x: ((x == 0) | (b == 0)) & _of_series(c, x),
    lambda a, b, c, x: ((x == 0) | (a == 0)) & _of_series(c, x),
    lambda a, b, c, x: ((x == 0) | (a == 0) | (b == 0)) & _of_series(c, x),
    lambda a, b, c, x: ((a == 0) | (b == 0)) & _of_series(c, x),
)

# --- scipy.special: distributions -------------------------------------------------------------
_line(sc.ndtr, _at_either_infinity)
_line(sc.log_ndtr, _at(np.inf))
_finite_line(sc.chdtr, lambda v, x: (x == 0) & (v > 0), lambda v, x: (x == 0) & (v > 2))
_finite_line(sc.chdtrc, lambda v, x: (x == 0) & (v > 0), lambda v, x: (x == 0) & (v > 2))
_finite_line(sc.chdtri, lambda v, p: (p == 1) & (v > 0), None)
_finite_line(
    sc.chndtr,
    None,
    lambda x, df, nc: (x == 0) & (df > 0) & (nc >= 0),
    lambda x, df, nc: (x == 0) & (df > 0) & (nc >= 0),
)


def _at_zero(a: Any, b: Any, x: Any) -> Any:
    return (x == 0) & (a > 0) & (b > 0)


_finite_line(sc.fdtr, _at_zero, _at_zero, lambda m, n, x: (x == 0) & (m > 2) & (n > 0))
_finite_line(sc.fdtrc, _at_zero, _at_zero, lambda m, n, x: (x == 0) & (m > 2) & (n > 0))


# The gamma distribution of shape b at a x, which depends on the product alone.
def _by_factor(a: Any, b: Any, x: Any) -> Any:
    return (b > 0) & (((x == 0) & (a > 0)) | ((a == 0) & (x > 0) & (b > 1)))


_finite_line(sc.gdtr, _by_factor, _at_zero, lambda a, b, x: _by_factor(x, b, a))
_finite_line(sc.gdtrc, _by_factor, _at_zero, lambda a, b, x: _by_factor(x, b, a))
_finite_line(sc.gdtrix, _at_zero, _at_zero, None)
_finite_line(sc.stdtr, lambda df, t: (t == 0) & (df > 0), None)
_finite_line(sc.tklmbda, None, lambda x, lam: x == 0)
_line(sc.kolmogorov, lambda y: y <= 0)
# exp(-m) m**k / k!
_finite_line(sc.pdtr, None, lambda k, m: (m == 0) & (k >= 1))
_finite_line(sc.pdtrc, None, lambda k, m: (m == 0) & (k >= 1))

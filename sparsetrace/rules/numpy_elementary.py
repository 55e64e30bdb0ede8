"""NumPy's ufuncs: exponentials and logarithms, trigonometric and hyperbolic functions.

Contract: `sparsetrace.rules.record`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.rules.enclosures import within
from sparsetrace.rules.entries import same_as, ufunc
from sparsetrace.rules.predicates import POSITIVE, UNIT, at, at_infinities, swapped
from sparsetrace.rules.record import NOWHERE, Guard


# --- exponentials and logarithms ----------------------------------------------
def _exp_by_parts(z: Any) -> Any:
    """``exp(a) cos(b), exp(a) sin(b)``: exp(a) is zero at minus infinity alone."""
    if z.is_real or not z.has_zeros:
        return None
    size = z.real.by(np.exp).known_as(np.where(z.real.known == -np.inf, 0.0, 1.0))
    return size * z.imag.by(np.cos), size * z.imag.by(np.sin)


def _log_by_parts(z: Any) -> Any:
    if z.is_real or not z.has_zeros:
        return None
    return z.real.by(np.hypot, z.imag).by(np.log), z.imag.by(np.arctan2, z.real)


ufunc(
    np.exp,
    "1",
    zero=at(-np.inf),
    zero2=at(-np.inf),
    guard=Guard.NONE,
    enclose=within(0, np.inf),
    parts=_exp_by_parts,
)
ufunc(
    np.exp2,
    "1",
    zero=at(-np.inf),
    zero2=at(-np.inf),
    guard=Guard.NONE,
    enclose=within(0, np.inf),
)
ufunc(np.expm1, "1", zero=at(-np.inf), zero2=at(-np.inf), guard=Guard.NONE)
ufunc(np.log, "1", domain=POSITIVE, infinite=at(0), parts=_log_by_parts)
ufunc(np.log2, "1", domain=POSITIVE, infinite=at(0))
ufunc(np.log10, "1", domain=POSITIVE, infinite=at(0))
ufunc(np.log1p, "1", domain=(-0.8, 3.0), infinite=at(-1))


# The derivative is the share p of exp(x) in exp(x) + exp(y).
def _logaddexp(x: Any, y: Any) -> Any:
    return (x < y) & ((x == -np.inf) | (y == np.inf))


# All second ones are p (1-p), but for their signs.
def _logaddexp2(x: Any, y: Any) -> Any:
    return ((x < y) | (x > y)) & (x < np.inf) & ((x == -np.inf) | np.isinf(y))


# The logarithm of a sum of exp(x) and 0 is x, of that and infinity is infinite.
ufunc(
    np.logaddexp,
    "11",
    zero={"0": _logaddexp, "1": swapped(_logaddexp)},
    zero2={
        "00": _logaddexp2,
        "01": lambda x, y: _logaddexp2(x, y) & (y < np.inf),
        "11": swapped(_logaddexp2),
    },
    cut={"0": lambda x, y: y == np.inf, "1": lambda x, y: x == np.inf},
    cut2={"00": lambda x, y: y == -np.inf, "11": lambda x, y: x == -np.inf},
    guard=Guard.NONE,
)
same_as(np.logaddexp2, np.logaddexp)

# --- trigonometry -------------------------------------------------------------
ufunc(np.sin, "1", zero2=at(0), guard=Guard.NONE, infinite=NOWHERE, enclose=within(-1, 1))
ufunc(np.cos, "1", zero=at(0), guard=Guard.NONE, infinite=NOWHERE, enclose=within(-1, 1))
ufunc(np.tan, "1", domain=(-1.4, 1.4), zero2=at(0), guard=Guard.NONE)
ufunc(
    np.arcsin,
    "1",
    domain=UNIT,
    zero2=at(0),
    guard=Guard.NONE,
    infinite=at(-1, 1),
    enclose=within(-np.pi / 2, np.pi / 2),
)
ufunc(
    np.arccos,
    "1",
    domain=UNIT,
    zero2=at(0),
    guard=Guard.NONE,
    infinite=at(-1, 1),
    enclose=within(0, np.pi),
)
ufunc(
    np.arctan,
    "1",
    zero=at_infinities,
    zero2=at(0, np.inf, -np.inf),
    guard=Guard.NAN,
    infinite=NOWHERE,
    enclose=within(-np.pi / 2, np.pi / 2),
)


# With the arguments (y, x): x/r**2 and -y/r**2; -2xy/r**4, (y*y - x*x)/r**4 and 2xy/r**4.
# The function has a kink at the origin and jumps where y changes sign beside x < 0.
def _one_is_infinite(y: Any, x: Any) -> Any:
    return np.isinf(x) != np.isinf(y)


def _on_one_axis(y: Any, x: Any) -> Any:
    return ((y == 0) != (x == 0)) | _one_is_infinite(y, x)


# Beside a constant zero or infinity the value is 0 or pi, or plus or minus pi/2, by the
# sign of the other argument.
ufunc(
    np.arctan2,
    "11",
    zero={
        "0": lambda y, x: (y != 0) & ((x == 0) | _one_is_infinite(y, x)),
        "1": lambda y, x: ((y == 0) & (x != 0)) | _one_is_infinite(y, x),
    },
    zero2={
        "00 11": _on_one_axis,
        "01": lambda y, x: (
            ((np.abs(y) == np.abs(x)) & (y != 0) & ~np.isinf(y)) | _one_is_infinite(y, x)
        ),
    },
    cut={
        "0": lambda y, x: (x == 0) | np.isinf(x),
        "1": lambda y, x: (y == 0) | np.isinf(y),
    },
    cut2={"00 11": NOWHERE},
    stepwise="01",
    guard=Guard.NAN,
    infinite=lambda y, x: (y == 0) & (x == 0),
    enclose=within(-np.pi, np.pi),
)
ufunc(np.deg2rad, "1", "0", domain=(-180.0, 180.0))
ufunc(np.radians, "1", "0", domain=(-180.0, 180.0))
ufunc(np.rad2deg, "1", "0")
ufunc(np.degrees, "1", "0")

# --- hyperbolic functions -------------------------------------------------------
ufunc(np.sinh, "1", zero2=at(0), guard=Guard.NONE)
ufunc(np.cosh, "1", zero=at(0), guard=Guard.NONE)
ufunc(
    np.tanh,
    "1",
    zero=at_infinities,
    zero2=at(0, np.inf, -np.inf),
    guard=Guard.NAN,
    infinite=NOWHERE,
    enclose=within(-1, 1),
)
ufunc(np.arcsinh, "1", zero2=at(0), guard=Guard.NONE)
ufunc(np.arccosh, "1", domain=(1.2, 4.0), infinite=at(1))
ufunc(np.arctanh, "1", domain=UNIT, zero2=at(0), guard=Guard.NONE, infinite=at(-1, 1))

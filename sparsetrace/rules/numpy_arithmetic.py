"""NumPy's ufuncs: arithmetic, powers and roots, whole numbers.

Contract: `sparsetrace.rules.record`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.rules.enclosures import (
    at_corners,
    increasing,
    magnitude,
    power,
    quotient,
    residue,
    root,
    square,
    within,
)
from sparsetrace.rules.entries import same_as, ufunc
from sparsetrace.rules.predicates import (
    DEGREE,
    POSITIVE,
    REAL,
    at,
    at_infinities,
    is_rough,
    swapped,
)
from sparsetrace.rules.record import NOWHERE, Guard


# --- complex numbers, by their parts ----------------------------------------------
def _sum(x: Any, y: Any) -> Any:
    return x.real + y.real, x.imag + y.imag


def _difference(x: Any, y: Any) -> Any:
    return x.real - y.real, x.imag - y.imag


def _product(x: Any, y: Any) -> Any:
    if x.mixes(y):
        return None
    return x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real


def _square(x: Any) -> Any:
    return _product(x, x)


def _inverse(y: Any) -> Any:
    """``(a - bi) / (a**2 + b**2)``, of numbers brought near 1."""
    scale, real, imag = y.scale, y.real, y.imag
    if scale is not None:
        real, imag = real * scale, imag * scale
    size = real * real + imag * imag
    real, imag = real / size, -imag / size
    return (real, imag) if scale is None else (real * scale, imag * scale)


def _quotient(x: Any, y: Any) -> Any:
    if x.mixes(y):
        return None
    if y.is_real:
        return x.real / y.real, x.imag / y.real
    real, imag = _inverse(y)
    return x.real * real - x.imag * imag, x.real * imag + x.imag * real


def _modulus(z: Any) -> Any:
    return None if z.is_real or not z.has_zeros else z.real.by(np.hypot, z.imag)


def _power(x: Any, y: Any) -> Any:
    return _square(x) if y.is_constant(2) else None


# --- arithmetic -------------------------------------------------------------------
ufunc(np.add, "11", "000", infinite=NOWHERE, enclose=increasing, parts=_sum)
ufunc(np.subtract, "11", "000", infinite=NOWHERE, enclose=at_corners, parts=_difference)
ufunc(
    np.negative, "1", "0", infinite=NOWHERE, enclose=at_corners, parts=lambda z: (-z.real, -z.imag)
)
ufunc(np.positive, "1", "0", infinite=NOWHERE, enclose=increasing, parts=lambda z: (z.real, z.imag))
ufunc(np.absolute, "1", "0", infinite=NOWHERE, enclose=magnitude, parts=_modulus)
ufunc(np.fabs, "1", "0", infinite=NOWHERE, enclose=magnitude)
ufunc(np.conjugate, "1", "0", parts=lambda z: (z.real, -z.imag))
ufunc(
    np.multiply,
    "11",
    "010",
    zero={"0": lambda x, y: y == 0, "1": lambda x, y: x == 0},
    guard=Guard.NAN,
    infinite=NOWHERE,
    enclose=at_corners,
    parts=_product,
)
# 1/y, -x/y**2; -1/y**2, 2x/y**3.
ufunc(
    np.divide,
    "11",
    "011",
    domain=(REAL, POSITIVE),
    zero={"0": lambda x, y: np.isinf(y), "1": lambda x, y: (x == 0) | np.isinf(y)},
    zero2={"01": lambda x, y: np.isinf(y), "11": lambda x, y: (x == 0) | np.isinf(y)},
    cut={"1": lambda x, y: x == 0},
    cut2={"11": NOWHERE},
    guard=Guard.NAN,
    infinite=lambda x, y: y == 0,
    enclose=quotient,
    parts=_quotient,
)
ufunc(
    np.reciprocal,
    "1",
    domain=POSITIVE,
    zero=at_infinities,
    zero2=lambda x: np.isinf(x),
    guard=Guard.NAN,
    infinite=at(0),
    parts=_inverse,
)


# The derivative with respect to the divisor is minus the quotient, rounded down for
# remainder and divmod (-1 for 0 < -x < y, not 0), towards zero for fmod.  The numerator's
# own derivative is 1 whatever the divisor: x - n y with a whole number n, piece by piece.
@np.errstate(all="ignore")
def _quotient_is_below_one(x: Any, y: Any) -> Any:
    return np.floor_divide(x, y) == 0


ufunc(
    np.remainder,
    "11",
    "000",
    domain=((-9.0, 9.0), POSITIVE),
    zero={"1": _quotient_is_below_one},
    cut={"1": lambda x, y: x == 0},
    guard=Guard.NONE,
    infinite=lambda x, y: y == 0,
    enclose=residue,
)
ufunc(
    np.fmod,
    "11",
    "000",
    domain=((-9.0, 9.0), POSITIVE),
    zero={"1": lambda x, y: np.abs(x) < np.abs(y)},
    cut={"1": lambda x, y: x == 0},
    guard=Guard.NONE,
    infinite=lambda x, y: y == 0,
)
ufunc(
    np.divmod,
    ("00", "11"),
    "000",
    domain=((-9.0, 9.0), POSITIVE),
    zero={"1": _quotient_is_below_one},
    cut={"1": lambda x, y: x == 0},
    guard=Guard.NONE,
)
ufunc(np.floor_divide, "00", domain=((-9.0, 9.0), POSITIVE), enclose=quotient)


# --- powers and roots -----------------------------------------------------------
# y x**(y-1) and x**y log x; y (y-1) x**(y-2), x**(y-1) (1 + y log x) and x**y log(x)**2.
# For a complex exponent its real part decides whether the power tends to zero with x.
def power_by_base(x: Any, y: Any) -> Any:
    """Where the derivative of x**y with respect to x is zero."""
    return (y == 0) | ((x == 0) & (y.real > 1))


def power_by_exponent(x: Any, y: Any) -> Any:
    """Where the derivative of x**y with respect to y is zero."""
    return (x == 1) | ((x == 0) & (y.real > 0))


POWER_ZERO2 = {
    "00": lambda x, y: (y == 0) | (y == 1) | ((x == 0) & (y.real > 2)),
    "01": lambda x, y: (x == 0) & (y.real > 1),
}
POWER_INFINITE2 = {
    "00": lambda x, y: (x == 0) & is_rough(y),
    "01": lambda x, y: (x == 0) & (y.real >= 0) & (y.real <= 1),
}
# 1**x is 1 for every x, but 0**x is 0, 1 or inf.  Powers of infinity, and infinite ones,
# are 0, 1 or infinite.  At x == 1 the exponent's second derivative is zero, but kept:
# published local patterns (README of SparseConnectivityTracer.jl) have it.  A constant 1
# is cut all the same.
ufunc(
    np.power,
    "11",
    domain=(POSITIVE, REAL),
    zero={"0": power_by_base, "1": power_by_exponent},
    zero2={**POWER_ZERO2, "11": lambda x, y: (x == 0) & (y.real > 0)},
    cut={"0": lambda x, y: y == 0, "1": lambda x, y: (x == 0) | (x == 1)},
    cut2={"00": lambda x, y: (y == 1) | np.isinf(y), "11": lambda x, y: np.isinf(x)},
    stepwise="1",
    guard=Guard.NAN,
    infinite=lambda x, y: (x == 0) & (y < 1),
    infinite2=POWER_INFINITE2,
    enclose=power,
    parts=_power,
)
same_as(np.float_power, np.power)
ufunc(
    np.square,
    "1",
    zero=at(0),
    guard=Guard.NONE,
    infinite=NOWHERE,
    enclose=square,
    parts=_square,
)
ufunc(np.sqrt, "1", domain=POSITIVE, infinite=at(0), enclose=root)
ufunc(np.cbrt, "1", domain=POSITIVE, infinite=at(0))


# With r = hypot(x, y): x/r, zero also beside an infinite y; y*y/r**3 and -x*y/r**3.
def _hypot(x: Any, y: Any) -> Any:
    return ((x == 0) & (y != 0)) | (np.isinf(y) & ~np.isinf(x))


def _hypot_is_abs(x: Any, y: Any) -> Any:
    return ((y == 0) & (x != 0)) | (np.isinf(y) & ~np.isinf(x))


ufunc(
    np.hypot,
    "11",
    zero={"0": _hypot, "1": swapped(_hypot)},
    zero2={
        "00": _hypot_is_abs,
        "01": lambda x, y: ((x == 0) != (y == 0)) & ~np.isinf(x) & ~np.isinf(y),
        "11": swapped(_hypot_is_abs),
    },
    cut={"0": lambda x, y: np.isinf(y), "1": lambda x, y: np.isinf(x)},
    cut2={"00": lambda x, y: y == 0, "11": lambda x, y: x == 0},
    guard=Guard.NAN,
    infinite=NOWHERE,
    infinite2={"01": lambda x, y: (x == 0) & (y == 0)},
    enclose=within(0, np.inf),
)

# --- whole numbers ----------------------------------------------------------------
ufunc(np.gcd, "00", domain=DEGREE, integers="01")
ufunc(np.lcm, "00", domain=DEGREE, integers="01")
ufunc(np.bitwise_and, "00", domain=DEGREE, integers="01")
ufunc(np.bitwise_or, "00", domain=DEGREE, integers="01")
ufunc(np.bitwise_xor, "00", domain=DEGREE, integers="01")
ufunc(np.invert, "0", domain=DEGREE, integers="0")
ufunc(np.bitwise_count, "0", domain=DEGREE, integers="0")
ufunc(np.left_shift, "00", domain=DEGREE, integers="01")
ufunc(np.right_shift, "00", domain=DEGREE, integers="01")

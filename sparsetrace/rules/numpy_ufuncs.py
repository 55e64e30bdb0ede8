"""First-order rules of NumPy's own ufuncs.

Contract: one line for every ufunc that is a public attribute of ``numpy``,
aliases once, except the gufuncs with core dimensions (``matmul``, ``vecdot``,
``matvec``, ``vecmat``), whose outputs depend on whole vectors.  The form of a
line is that of `sparsetrace.rules.first_order`; its test reads everything from it.
"""

from __future__ import annotations

import numpy as np

from sparsetrace.rules.first_order import Cut, RuleTable
from sparsetrace.rules.predicates import (
    is_infinite,
    is_minus_infinity,
    is_nonzero,
    is_plus_infinity,
    is_zero,
    is_zero_or_infinite,
    is_zero_or_one,
)

__all__ = ["NUMPY_RULES"]

NUMPY_RULES = RuleTable()

_rule = NUMPY_RULES.rule

_REAL = (-3.0, 3.0)
_POSITIVE = (0.2, 3.0)
_UNIT = (-0.95, 0.95)
_INTEGER = (0.0, 6.0)

# --- arithmetic ---------------------------------------------------------------
_rule(np.add, "11", domain=[_REAL, _REAL])
_rule(np.subtract, "11", domain=[_REAL, _REAL])
_rule(
    np.multiply,
    "11",
    domain=[_REAL, _REAL],
    cuts={0: Cut(1, is_zero), 1: Cut(0, is_zero)},
)
_rule(
    np.divide,
    "11",
    domain=[_REAL, _POSITIVE],
    cuts={0: Cut(1, is_infinite), 1: Cut(0, is_zero)},
)
# The derivative with respect to the divisor is minus the quotient, rounded down
# or towards zero; the numerator's own derivative is 1 whatever the divisor.
_rule(np.remainder, "11", domain=[(-9.0, 9.0), _POSITIVE], cuts={1: Cut(0, is_zero)})
_rule(np.fmod, "11", domain=[(-9.0, 9.0), _POSITIVE], cuts={1: Cut(0, is_zero)})
_rule(np.divmod, "00", "11", domain=[(-9.0, 9.0), _POSITIVE], cuts={1: Cut(0, is_zero)})
_rule(np.floor_divide, "00", domain=[(-9.0, 9.0), _POSITIVE])
# 1**x is 1 for every x, but 0**x is 0, 1 or inf.
_rule(
    np.power,
    "11",
    domain=[_POSITIVE, _REAL],
    cuts={0: Cut(1, is_zero), 1: Cut(0, is_zero_or_one, constant=False)},
)
_rule(
    np.float_power,
    "11",
    domain=[_POSITIVE, _REAL],
    cuts={0: Cut(1, is_zero), 1: Cut(0, is_zero_or_one, constant=False)},
)
_rule(np.negative, "1", domain=[_REAL])
_rule(np.positive, "1", domain=[_REAL])
_rule(np.absolute, "1", domain=[_REAL])
_rule(np.fabs, "1", domain=[_REAL])
_rule(np.conjugate, "1", domain=[_REAL])
_rule(np.reciprocal, "1", domain=[_POSITIVE])
_rule(np.square, "1", domain=[_REAL])
_rule(np.sqrt, "1", domain=[_POSITIVE])
_rule(np.cbrt, "1", domain=[_POSITIVE])
_rule(np.hypot, "11", domain=[_REAL, _REAL], cuts={0: Cut(1, is_infinite), 1: Cut(0, is_infinite)})

# --- exponentials and logarithms ----------------------------------------------
_rule(np.exp, "1", domain=[_REAL])
_rule(np.exp2, "1", domain=[_REAL])
_rule(np.expm1, "1", domain=[_REAL])
_rule(np.log, "1", domain=[_POSITIVE])
_rule(np.log2, "1", domain=[_POSITIVE])
_rule(np.log10, "1", domain=[_POSITIVE])
_rule(np.log1p, "1", domain=[(-0.8, 3.0)])
_rule(
    np.logaddexp,
    "11",
    domain=[_REAL, _REAL],
    cuts={0: Cut(1, is_plus_infinity), 1: Cut(0, is_plus_infinity)},
)
_rule(
    np.logaddexp2,
    "11",
    domain=[_REAL, _REAL],
    cuts={0: Cut(1, is_plus_infinity), 1: Cut(0, is_plus_infinity)},
)

# --- trigonometry -------------------------------------------------------------
_rule(np.sin, "1", domain=[_REAL])
_rule(np.cos, "1", domain=[_REAL])
_rule(np.tan, "1", domain=[(-1.4, 1.4)])
_rule(np.arcsin, "1", domain=[_UNIT])
_rule(np.arccos, "1", domain=[_UNIT])
_rule(np.arctan, "1", domain=[_REAL])
# d/dy = x/(x*x + y*y) and d/dx = -y/(x*x + y*y); the value left is 0 or pi, or
# plus or minus pi/2, by the sign of the other argument.
_rule(
    np.arctan2,
    "11",
    domain=[_REAL, _REAL],
    cuts={
        0: Cut(1, is_zero_or_infinite, constant=False),
        1: Cut(0, is_zero_or_infinite, constant=False),
    },
)
_rule(np.sinh, "1", domain=[_REAL])
_rule(np.cosh, "1", domain=[_REAL])
_rule(np.tanh, "1", domain=[_REAL])
_rule(np.arcsinh, "1", domain=[_REAL])
_rule(np.arccosh, "1", domain=[(1.2, 4.0)])
_rule(np.arctanh, "1", domain=[_UNIT])
_rule(np.deg2rad, "1", domain=[(-180.0, 180.0)])
_rule(np.radians, "1", domain=[(-180.0, 180.0)])
_rule(np.rad2deg, "1", domain=[_REAL])
_rule(np.degrees, "1", domain=[_REAL])

# --- extrema ------------------------------------------------------------------
_rule(
    np.maximum,
    "11",
    domain=[_REAL, _REAL],
    cuts={0: Cut(1, is_plus_infinity), 1: Cut(0, is_plus_infinity)},
)
_rule(
    np.fmax,
    "11",
    domain=[_REAL, _REAL],
    cuts={0: Cut(1, is_plus_infinity), 1: Cut(0, is_plus_infinity)},
)
_rule(
    np.minimum,
    "11",
    domain=[_REAL, _REAL],
    cuts={0: Cut(1, is_minus_infinity), 1: Cut(0, is_minus_infinity)},
)
_rule(
    np.fmin,
    "11",
    domain=[_REAL, _REAL],
    cuts={0: Cut(1, is_minus_infinity), 1: Cut(0, is_minus_infinity)},
)

# --- rounding, signs and the parts of a floating-point number ------------------
_rule(np.floor, "0", domain=[_REAL])
_rule(np.ceil, "0", domain=[_REAL])
_rule(np.trunc, "0", domain=[_REAL])
_rule(np.rint, "0", domain=[_REAL])
_rule(np.sign, "0", domain=[_REAL])
_rule(np.signbit, "0", domain=[_REAL])
_rule(np.copysign, "10", domain=[_REAL, _REAL])
_rule(
    np.heaviside,
    "01",
    domain=[_REAL, _REAL],
    cuts={1: Cut(0, is_nonzero)},
    conservative="the second argument is the value at x == 0 alone, a set of measure zero",
)
_rule(np.nextafter, "10", domain=[_REAL, _REAL])
_rule(np.spacing, "0", domain=[_POSITIVE])
_rule(np.modf, "1", "0", domain=[_REAL])
_rule(np.frexp, "1", "0", domain=[_POSITIVE])
# NumPy takes whole numbers alone for the exponent, which have no derivative.
_rule(np.ldexp, "10", domain=[_REAL, (-3.0, 3.0)], integers=(1,))

# --- comparisons, predicates and logic ------------------------------------------
_rule(np.equal, "00", domain=[_REAL, _REAL])
_rule(np.not_equal, "00", domain=[_REAL, _REAL])
_rule(np.less, "00", domain=[_REAL, _REAL])
_rule(np.less_equal, "00", domain=[_REAL, _REAL])
_rule(np.greater, "00", domain=[_REAL, _REAL])
_rule(np.greater_equal, "00", domain=[_REAL, _REAL])
_rule(np.isfinite, "0", domain=[_REAL])
_rule(np.isinf, "0", domain=[_REAL])
_rule(np.isnan, "0", domain=[_REAL])
_rule(np.isnat, "0", domain=[_REAL])
_rule(np.logical_and, "00", domain=[_REAL, _REAL])
_rule(np.logical_or, "00", domain=[_REAL, _REAL])
_rule(np.logical_xor, "00", domain=[_REAL, _REAL])
_rule(np.logical_not, "0", domain=[_REAL])

# --- whole numbers ---------------------------------------------------------------
_rule(np.bitwise_and, "00", domain=[_INTEGER, _INTEGER], integers=(0, 1))
_rule(np.bitwise_or, "00", domain=[_INTEGER, _INTEGER], integers=(0, 1))
_rule(np.bitwise_xor, "00", domain=[_INTEGER, _INTEGER], integers=(0, 1))
_rule(np.invert, "0", domain=[_INTEGER], integers=(0,))
_rule(np.bitwise_count, "0", domain=[_INTEGER], integers=(0,))
_rule(np.left_shift, "00", domain=[_INTEGER, _INTEGER], integers=(0, 1))
_rule(np.right_shift, "00", domain=[_INTEGER, _INTEGER], integers=(0, 1))
_rule(np.gcd, "00", domain=[_INTEGER, _INTEGER], integers=(0, 1))
_rule(np.lcm, "00", domain=[_INTEGER, _INTEGER], integers=(0, 1))

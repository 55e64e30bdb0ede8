"""Second-order rules of NumPy's own ufuncs.

Contract: one line for every ufunc that has a first-order line in
`sparsetrace.rules.numpy_ufuncs`, in the same order.  The form of a line is that of
`sparsetrace.rules.second_order`; its test reads everything from it.
"""

from __future__ import annotations

import numpy as np

from sparsetrace.rules.first_order import Cut
from sparsetrace.rules.predicates import is_infinite, is_minus_infinity, is_one, is_zero
from sparsetrace.rules.second_order import CurvatureTable

__all__ = ["NUMPY_CURVATURES"]

NUMPY_CURVATURES = CurvatureTable()

_curvature = NUMPY_CURVATURES.curvature

# --- arithmetic ---------------------------------------------------------------
_curvature(np.add, "000")
_curvature(np.subtract, "000")
_curvature(np.multiply, "010")
_curvature(np.divide, "011")
# x - n y with a whole number n, piece by piece.
_curvature(np.remainder, "000")
_curvature(np.fmod, "000")
_curvature(np.divmod, "000", "000")
_curvature(np.floor_divide, "000")
# Powers of infinity, and infinite ones, are 0, 1 or infinite.
_POWER = {(0, 0): [Cut(1, is_one), Cut(1, is_infinite)], (1, 1): [Cut(0, is_infinite)]}
_curvature(np.power, "111", cuts=_POWER)
_curvature(np.float_power, "111", cuts=_POWER)
_curvature(np.negative, "0")
_curvature(np.positive, "0")
_curvature(np.absolute, "0")
_curvature(np.fabs, "0")
_curvature(np.conjugate, "0")
_curvature(np.reciprocal, "1")
_curvature(np.square, "1")
_curvature(np.sqrt, "1")
_curvature(np.cbrt, "1")
# hypot(x, 0) is |x|.
_curvature(np.hypot, "111", cuts={(0, 0): [Cut(1, is_zero)], (1, 1): [Cut(0, is_zero)]})

# --- exponentials and logarithms ----------------------------------------------
_curvature(np.exp, "1")
_curvature(np.exp2, "1")
_curvature(np.expm1, "1")
_curvature(np.log, "1")
_curvature(np.log2, "1")
_curvature(np.log10, "1")
_curvature(np.log1p, "1")
# The logarithm of a sum of exp(x) and 0 is x.
_BESIDE_NOTHING = {(0, 0): [Cut(1, is_minus_infinity)], (1, 1): [Cut(0, is_minus_infinity)]}
_curvature(np.logaddexp, "111", cuts=_BESIDE_NOTHING)
_curvature(np.logaddexp2, "111", cuts=_BESIDE_NOTHING)

# --- trigonometry -------------------------------------------------------------
_curvature(np.sin, "1")
_curvature(np.cos, "1")
_curvature(np.tan, "1")
_curvature(np.arcsin, "1")
_curvature(np.arccos, "1")
_curvature(np.arctan, "1")
_curvature(np.arctan2, "111")
_curvature(np.sinh, "1")
_curvature(np.cosh, "1")
_curvature(np.tanh, "1")
_curvature(np.arcsinh, "1")
_curvature(np.arccosh, "1")
_curvature(np.arctanh, "1")
_curvature(np.deg2rad, "0")
_curvature(np.radians, "0")
_curvature(np.rad2deg, "0")
_curvature(np.degrees, "0")

# --- extrema ------------------------------------------------------------------
_curvature(np.maximum, "000")
_curvature(np.fmax, "000")
_curvature(np.minimum, "000")
_curvature(np.fmin, "000")

# --- rounding, signs and the parts of a floating-point number ------------------
_curvature(np.floor, "0")
_curvature(np.ceil, "0")
_curvature(np.trunc, "0")
_curvature(np.rint, "0")
_curvature(np.sign, "0")
_curvature(np.signbit, "0")
_curvature(np.copysign, "000")
_curvature(np.heaviside, "000")
_curvature(np.nextafter, "000")
_curvature(np.spacing, "0")
_curvature(np.modf, "0", "0")
# The mantissa is x / 2**n, piece by piece.
_curvature(np.frexp, "0", "0")
_curvature(np.ldexp, "000")

# --- comparisons, predicates and logic ------------------------------------------
_curvature(np.equal, "000")
_curvature(np.not_equal, "000")
_curvature(np.less, "000")
_curvature(np.less_equal, "000")
_curvature(np.greater, "000")
_curvature(np.greater_equal, "000")
_curvature(np.isfinite, "0")
_curvature(np.isinf, "0")
_curvature(np.isnan, "0")
_curvature(np.isnat, "0")
_curvature(np.logical_and, "000")
_curvature(np.logical_or, "000")
_curvature(np.logical_xor, "000")
_curvature(np.logical_not, "0")

# --- whole numbers ---------------------------------------------------------------
_curvature(np.bitwise_and, "000")
_curvature(np.bitwise_or, "000")
_curvature(np.bitwise_xor, "000")
_curvature(np.invert, "0")
_curvature(np.bitwise_count, "0")
_curvature(np.left_shift, "000")
_curvature(np.right_shift, "000")
_curvature(np.gcd, "000")
_curvature(np.lcm, "000")

"""NumPy's ufuncs: comparisons and logic, extrema, rounding, parts of a number.

Contract: `sparsetrace.rules.record`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy._core import umath

from sparsetrace.rules.enclosures import increasing, step
from sparsetrace.rules.entries import same_as, ufunc
from sparsetrace.rules.predicates import POSITIVE, REAL
from sparsetrace.rules.record import NOWHERE, Guard

# --- comparisons, predicates and logic ------------------------------------------
ufunc(np.equal, "00")
ufunc(np.not_equal, "00")
# Whatever x is, even infinite or NaN, it is not less than -inf, nor greater than inf.
ufunc(np.less, "00", cut={"0": lambda x, y: y == -np.inf, "1": lambda x, y: x == np.inf})
ufunc(np.less_equal, "00")
ufunc(np.greater, "00", cut={"0": lambda x, y: y == np.inf, "1": lambda x, y: x == -np.inf})
ufunc(np.greater_equal, "00")
ufunc(np.isfinite, "0")
ufunc(np.isinf, "0")
ufunc(np.isnan, "0")
ufunc(np.isnat, "0")
ufunc(np.logical_and, "00")
ufunc(np.logical_or, "00")
ufunc(np.logical_xor, "00")
ufunc(np.logical_not, "0")


# --- extrema ------------------------------------------------------------------
# Complex numbers compare by their real parts first; a tie of these is a tie.
def _less(x: Any, y: Any) -> Any:
    less = x.real < y.real
    if x.dtype.kind == "c" or y.dtype.kind == "c":
        less = less & (x == x) & (y == y)
    return less


def _greater(x: Any, y: Any) -> Any:
    return _less(y, x)


ufunc(
    np.maximum,
    "11",
    "000",
    zero={"0": _less, "1": _greater},
    cut={"0": lambda x, y: y == np.inf, "1": lambda x, y: x == np.inf},
    guard=Guard.NONE,
    infinite=NOWHERE,
    enclose=increasing,
)
ufunc(
    np.minimum,
    "11",
    "000",
    zero={"0": _greater, "1": _less},
    cut={"0": lambda x, y: y == -np.inf, "1": lambda x, y: x == -np.inf},
    guard=Guard.NONE,
    infinite=NOWHERE,
    enclose=increasing,
)
same_as(np.fmax, np.maximum)
same_as(np.fmin, np.minimum)
# minimum(maximum(x, low), high): where low > high the answer is high.  The ufunc is
# behind np.clip, and not public.
CLIP: np.ufunc | None = getattr(umath, "clip", None)
if CLIP is not None:
    ufunc(
        CLIP,
        "111",
        "000000",
        domain=(REAL, (-1.5, 0.5), (-0.5, 1.5)),
        zero={
            "0": lambda x, low, high: (x.real < low.real) | (x.real > high.real),
            "1": lambda x, low, high: (low.real < x.real) | (low.real > high.real),
            "2": lambda x, low, high: (high.real > x.real) & (high.real > low.real),
        },
        guard=Guard.NAN,
    )

# --- rounding, signs and the parts of a floating-point number ------------------
ufunc(np.floor, "0", enclose=increasing)
ufunc(np.ceil, "0", enclose=increasing)
ufunc(np.trunc, "0", enclose=increasing)
ufunc(np.rint, "0", enclose=increasing)
ufunc(np.sign, "0", enclose=increasing)
ufunc(np.signbit, "0")
ufunc(np.copysign, "10", "000")
ufunc(
    np.heaviside,
    "01",
    "000",
    zero={"1": lambda x, h: (x < 0) | (x > 0)},
    guard=Guard.NAN,
    conservative="the second argument is the value at x == 0 alone, a set of measure zero",
    enclose=step,
)
ufunc(np.nextafter, "10", "000")
ufunc(np.spacing, "0", domain=POSITIVE)
# The mantissa is x / 2**n, piece by piece.
ufunc(np.modf, ("1", "0"), "0")
ufunc(np.frexp, ("1", "0"), "0", domain=POSITIVE)
# NumPy takes whole numbers alone for the exponent, which have no derivative.
ufunc(np.ldexp, "10", "000", integers="1")

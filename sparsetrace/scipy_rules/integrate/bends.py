"""Functions that are smooth in pieces only, and which piece they are in.

Contract: tables alone.  ``abs(t - x[0])`` bends where its operand changes sign: which of the two
pieces it is, `PIECES` says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["KINKED", "PIECES", "PLACES"]


def _side(a: Any, b: Any) -> Any:
    return np.greater(a, b)


def _sign(a: Any) -> Any:
    return np.greater(a, 0)


def _quotient(a: Any, b: Any) -> Any:
    return np.floor_divide(a, b)


PIECES: dict[np.ufunc, Callable[..., Any]] = {
    np.absolute: _sign,
    np.fabs: _sign,
    np.maximum: _side,
    np.minimum: _side,
    np.fmax: _side,
    np.fmin: _side,
    np.remainder: _quotient,
    np.fmod: _quotient,
    np.divmod: _quotient,
    np.modf: np.trunc,
    np.heaviside: lambda a, _: np.sign(a),
    np.arctan2: lambda a, b: np.equal(a, 0) & np.signbit(b),
    np.copysign: lambda _, b: np.signbit(b),
    np.ldexp: lambda _, b: b,
    np.frexp: lambda a: np.frexp(a)[1],
}
"""Ufuncs that are smooth in pieces, and which piece it is."""
KINKED = frozenset(
    (
        np.max, np.min, np.nanmax, np.nanmin, np.ptp, np.sort, np.partition, np.median,
        np.nanmedian, np.percentile, np.nanpercentile, np.quantile, np.nanquantile, np.nan_to_num,
        np.unwrap, np.linalg.norm,
    )
)  # fmt: skip
"""Functions whose results are linear in pieces."""
PLACES: dict[Callable[..., Any], tuple[int, ...]] = {np.interp: (0, 1, 5)}
"""Which of a function's arguments are places, in which it is linear in pieces: no heights."""

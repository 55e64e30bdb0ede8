"""Where a ufunc's derivative is infinite: points at which the chain rule says nothing.

Contract: at such a point a local trace may not rely on derivatives that vanished before
it.  A ufunc without a line here counts as singular where its result is not finite
although its arguments are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["SINGULAR", "singular"]

Mask = NDArray[np.bool_]


def _at(*places: float) -> Callable[..., Any]:
    def predicate(x: NDArray[Any]) -> Any:
        mask = x == places[0]
        for place in places[1:]:
            mask = mask | (x == place)
        return mask

    return predicate


def _power(x: NDArray[Any], y: NDArray[Any]) -> Any:
    return (x == 0) & (y < 1)


def _both_zero(x: NDArray[Any], y: NDArray[Any]) -> Any:
    return (x == 0) & (y == 0)


def _zero_divisor(x: NDArray[Any], y: NDArray[Any]) -> Any:
    return y == 0


SINGULAR: dict[np.ufunc, Callable[..., Any]] = {
    np.sqrt: _at(0),
    np.cbrt: _at(0),
    np.log: _at(0),
    np.log2: _at(0),
    np.log10: _at(0),
    np.log1p: _at(-1),
    np.reciprocal: _at(0),
    np.arcsin: _at(-1, 1),
    np.arccos: _at(-1, 1),
    np.arccosh: _at(1),
    np.arctanh: _at(-1, 1),
    np.power: _power,
    np.float_power: _power,
    np.divide: _zero_divisor,
    np.remainder: _zero_divisor,
    np.fmod: _zero_divisor,
    np.arctan2: _both_zero,
    special.logit: _at(0, 1),
    special.entr: _at(0),
    special.xlogy: _zero_divisor,
    special.rel_entr: lambda x, y: (x == 0) | (y == 0),
    special.kl_div: lambda x, y: (x == 0) | (y == 0),
    special.boxcox: lambda x, y: x == 0,
    special.ndtri: _at(0, 1),
    special.erfinv: _at(-1, 1),
    special.erfcinv: _at(0, 2),
}
_ALWAYS_FINITE = frozenset(
    (
        np.add,
        np.subtract,
        np.multiply,
        np.negative,
        np.positive,
        np.absolute,
        np.fabs,
        np.maximum,
        np.minimum,
        np.fmax,
        np.fmin,
        np.sin,
        np.cos,
        np.tanh,
        np.arctan,
        np.square,
        np.hypot,
    )
)


def singular(ufunc: np.ufunc, values: Sequence[NDArray[Any]]) -> Mask | None:
    """Where a derivative of the ufunc is infinite; None if nowhere.

    Parameters
    ----------
    ufunc : numpy.ufunc
    values : sequence of ndarray
        One for each input.

    Returns
    -------
    ndarray of bool or None

    Examples
    --------
    >>> import numpy as np
    >>> singular(np.sqrt, [np.array([0.0, 1.0])])
    array([ True, False])
    >>> singular(np.sin, [np.array([0.0, 1.0])])
    """
    if ufunc in _ALWAYS_FINITE:
        return None
    predicate = SINGULAR.get(ufunc)
    if predicate is not None:
        mask: Mask = predicate(*values)
        return mask
    if ufunc.signature is not None or any(v.dtype.kind not in "fc" for v in values):
        return None
    with np.errstate(all="ignore"):
        results = ufunc(*values)
    bad: NDArray[np.bool_] | None = None
    for result in results if isinstance(results, tuple) else (results,):
        if np.asarray(result).dtype.kind in "fc":
            here = ~np.isfinite(result)
            bad = here if bad is None else bad | here
    if bad is None or not bad.any():
        return None
    for value in values:
        bad = bad & np.isfinite(value)
    return bad

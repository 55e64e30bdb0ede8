"""Elementwise arithmetic of masked arrays, as numpy.ma has it, on traced data.

Contract: masks unite, and a function with a domain masks what lies outside of it: where
the inputs decide that, the mask depends on them.  Under a mask that is known lies what
NumPy leaves there, so that ``.data`` loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.ma import core as _core
from numpy.ma import nomask
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.masked.data_and_mask import (
    MaskedData,
    as_traced,
    broadcast_mask,
    full_mask,
    simplified,
    united,
)
from sparsetrace.operands.operands import dtype_of, is_traced, is_uncertain, known_of

__all__ = ["binary", "divide", "outer", "power", "ufunc", "unary"]

core: Any = _core
_TINY = float(np.finfo(float).tiny)
_SAFE_DIVISOR = 1e-100
"""A constant divisor from here on masks quotients of none but absurdly large numbers."""
_SAFE_EXPONENT = 64
"""A whole constant exponent up to here overflows for none but absurdly large numbers."""


def _under(data, mask, below, trace: Trace) -> MaskedData:
    """The result `data` under `mask`, with `below` where it is masked."""
    if mask is nomask:
        return MaskedData(data)
    shape = np.shape(data)
    mask = broadcast_mask(mask, shape)
    dtype = dtype_of(data)
    if below is None or dtype.kind in "biu" or dtype_of(below).kind == "c" != dtype.kind:
        return MaskedData(data, mask)
    if is_traced(mask):
        below = as_traced(trace, below)
        below = np.broadcast_to(below, shape).copy()
        return MaskedData(data, mask, below if below.dtype == dtype else below.astype(dtype))
    if shape and mask.any():
        data = np.where(mask, below, data)
        data = data if data.dtype == dtype else data.astype(dtype)
    return MaskedData(data, mask)


def _fresh(mask) -> Any:
    """A mask of its own; results of one operand share its mask, as NumPy's do."""
    return mask if mask is nomask else mask.copy()


def _not_finite(data) -> Any:
    return simplified(np.logical_not(np.isfinite(data)))


def unary(
    trace: Trace, f: Callable[..., Any], domain, a: MaskedData, *args, **kwargs
) -> MaskedData:
    """``np.ma.f(a)``; without a domain nothing new is masked."""
    with np.errstate(all="ignore"):
        data = f(a.data, *args, **kwargs)
        mask = a.mask
        if domain is not None:
            mask = united(_not_finite(data), simplified(domain(a.data)), full_mask(a))
    return _under(data, mask, a.everything, trace)


def binary(
    trace: Trace, f: Callable[..., Any], a: MaskedData, b: MaskedData, *args, **kwargs
) -> MaskedData:
    """``np.ma.f(a, b)`` of a function without a domain."""
    with np.errstate(all="ignore"):
        data = f(a.data, b.data, *args, **kwargs)
    below = b if f in (np.maximum, np.minimum) else a
    return _under(data, _fresh(united(a.mask, b.mask)), below.everything, trace)


def divide(
    trace: Trace, f: Callable[..., Any], a: MaskedData, b: MaskedData, *args, **kwargs
) -> MaskedData:
    """``np.ma.f(a, b)`` of a division, which masks quotients that are not finite."""
    data, invalid = _quotient(trace, f, a, b, *args, **kwargs)
    return _under(data, united(invalid, full_mask(a), full_mask(b)), a.everything, trace)


def _quotient(
    trace: Trace, f: Callable[..., Any], a: MaskedData, b: MaskedData, *args, **kwargs
) -> tuple[Any, Any]:
    """The quotient, and where it is masked for its own sake."""
    with np.errstate(all="ignore"):
        data = f(a.data, b.data, *args, **kwargs)
        invalid = united(_not_finite(data), _unsafe(a.data, b.data))
    divisor = _constant(trace, b.data)
    if divisor is not None:
        safe = np.isfinite(divisor) & (np.abs(divisor) >= _SAFE_DIVISOR)
        invalid = simplified(np.where(divisor == 0, True, np.where(safe, False, invalid)))
    return data, invalid


def _constant(trace: Trace, data) -> NDArray[Any] | None:
    """The values of an operand that no input changes, if this trace may rely on them."""
    if trace.local or not trace.values or is_uncertain(data):
        return None
    return known_of(trace, data)


def _unsafe(a, b) -> Any:
    """Where numpy.ma does not divide."""
    return simplified(np.greater_equal(np.multiply(np.absolute(a), _TINY), np.absolute(b)))


def power(trace: Trace, a: MaskedData, b: MaskedData) -> MaskedData:
    """``np.ma.power(a, b)``, which masks what is not finite."""
    with np.errstate(all="ignore"):
        data = np.power(a.data, b.data)
        invalid = _not_finite(data)
    exponent = _constant(trace, b.data)
    if exponent is not None:
        natural = (exponent == np.floor(exponent.real)) & (exponent.real >= 0)
        safe = natural & (exponent.real <= _SAFE_EXPONENT)
        invalid = simplified(np.where(safe, False, invalid))
    if not is_traced(invalid) and not invalid.any():
        invalid = nomask
    return _under(data, _fresh(united(a.mask, b.mask, invalid)), a.everything, trace)


def outer(trace: Trace, f: np.ufunc, a: MaskedData, b: MaskedData) -> MaskedData:
    """``np.ma.f.outer(a, b)``."""
    data = f.outer(a.data, b.data)
    if a.mask is nomask and b.mask is nomask:
        return MaskedData(data)
    of_a = full_mask(a).reshape(np.shape(a.data) + (1,) * np.ndim(b.data))
    masks = (broadcast_mask(mask, np.shape(data)) for mask in (of_a, full_mask(b)))
    return MaskedData(data, united(*masks))


def ufunc(trace: Trace, f: np.ufunc, operands: Sequence[MaskedData], **options) -> MaskedData:
    """``np.f(m)``: the masks unite, and the domain that numpy.ma knows of f is masked too."""
    domain = core.ufunc_domain.get(f)
    outside: Any = nomask
    if isinstance(domain, core._DomainSafeDivide):
        data, outside = _quotient(trace, f, *operands, **options)
    else:
        with np.errstate(all="ignore"):
            data = f(*(p.data for p in operands), **options)
            if domain is not None:
                outside = simplified(domain(*(p.data for p in operands)))
    below = None
    if any(p.beneath is not None for p in operands):
        with np.errstate(all="ignore"):
            below = f(*(p.everything for p in operands), **options)
    return _under(data, united(*map(full_mask, operands), outside), below, trace)

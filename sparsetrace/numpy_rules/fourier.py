"""Rules of Fourier transforms.

Contract: an output depends on every element of the axes that it is made from; other
axes are kept apart.  Shapes and dtypes come from a run of the function itself on zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import zeros
from numpy.lib.array_utils import normalize_axis_tuple

from sparsetrace.context import Trace
from sparsetrace.graph.graph import ZERO, Ids
from sparsetrace.operands.axes import along_axis
from sparsetrace.operands.operands import (
    Elements,
    dtype_of,
    ids_of,
    is_traced_array,
)
from sparsetrace.operands.registry import rule_for

__all__: list[str] = []


# ------------------------------------------------------------------------ FFT
def _transform(
    trace: Trace,
    function: Callable[..., Any],
    a,
    lengths,
    axes,
    norm,
    *,
    single: bool,
) -> Elements:
    ids, dtype = ids_of(trace, a), dtype_of(a)
    if function in _OF_REALS and dtype.kind == "c":
        raise TypeError(f"np.fft.{function.__name__}: its operand has to be real")
    options = {"n": lengths, "axis": axes} if single else {"s": lengths, "axes": axes}
    try:
        shape, out_dtype = _sampled(function, ids.shape, dtype, norm, tuple(options.items()))
    except TypeError:  # lists of lengths or axes
        sample = function(zeros(ids.shape, dtype), norm=norm, **options)
        shape, out_dtype = sample.shape, sample.dtype
    over = _transformed_axes(ids.ndim, lengths, axes, single=single)
    if not over and is_traced_array(a):  # the operand itself
        return Elements(ids, dtype, keep_array=True)
    used = _cropped(ids, function, lengths, over)
    united = np.broadcast_to(along_axis(trace, used, over, keepdims=True) if over else used, shape)
    out = np.array(united)
    if not trace.graph.pure and not (used > ZERO).all():
        constant = (used <= ZERO).all(axis=over, keepdims=True)
        if constant.any():
            values = function(trace.graph.known_values(ids, dtype), norm=norm, **options)
            out = np.where(constant, trace.graph.constant(values), out)
    return Elements(out, out_dtype)


# bound early: these names, too, may be exchanged while a trace runs
_OF_REALS = (np.fft.rfft, np.fft.rfft2, np.fft.rfftn, np.fft.ihfft)
_TO_REALS = (np.fft.irfft, np.fft.irfft2, np.fft.irfftn, np.fft.hfft)


@lru_cache(maxsize=256)
def _sampled(
    function: Callable[..., Any],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    norm,
    options: tuple[tuple[str, Any], ...],
) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and dtype of a transform."""
    sample = function(zeros(shape, dtype), norm=norm, **dict(options))
    return sample.shape, sample.dtype


def _transformed_axes(ndim: int, lengths, axes, *, single: bool) -> tuple[int, ...]:
    if single:
        return normalize_axis_tuple(axes, ndim)
    if axes is None:
        count = ndim if lengths is None else len(lengths)
        return tuple(range(ndim - count, ndim))
    return tuple(dict.fromkeys(normalize_axis_tuple(axes, ndim, allow_duplicate=True)))


def _cropped(ids: Ids, function: Callable[..., Any], lengths, over: Sequence[int]) -> Ids:
    """Without the elements that a shorter transform never reads."""
    if lengths is None:
        return ids
    sizes = [lengths] if isinstance(lengths, (int, np.integer)) else list(lengths)
    half = function in _TO_REALS
    for i, (axis, size) in enumerate(zip(over, sizes, strict=False)):
        if size is None or size == -1:
            continue
        last = half and i == len(sizes) - 1
        read = size // 2 + 1 if last else size
        ids = ids[(*(slice(None),) * axis, slice(0, read))]
    return ids


def _one_axis(function: Callable[..., Any]) -> None:
    def rule(trace: Trace, a, n, axis, norm) -> Elements:
        return _transform(trace, function, a, n, axis, norm, single=True)

    rule_for(function)(rule)


def _several_axes(function: Callable[..., Any], default) -> None:
    def rule(trace: Trace, a, s, axes, norm) -> Elements:
        if s is not None and axes is None:
            axes = tuple(range(-len(s), 0))
        return _transform(trace, function, a, s, axes, norm, single=False)

    rule_for(function)(rule)


for _f in (
    np.fft.fft,
    np.fft.ifft,
    np.fft.rfft,
    np.fft.irfft,
    np.fft.hfft,
    np.fft.ihfft,
):
    _one_axis(_f)
for _g in (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2):
    _several_axes(_g, (-2, -1))
for _h in (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn):
    _several_axes(_h, None)

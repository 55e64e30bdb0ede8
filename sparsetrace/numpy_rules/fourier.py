"""Rules of Fourier transforms.

Contract: an output depends on every element of the axes that it is made from, but for the
zeros of ``cos(2 pi j k / n)`` and ``sin(2 pi j k / n)``, by which its parts are made of those of
the input; other axes are kept apart.  Where such a factor is zero depends on the greatest
common divisors of j and n, and of k and n, alone: so elements are united by these first.
Shapes and dtypes come from a run of the function itself on zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import zeros
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.complex_parts import joined, joint, joint_of_all, parts_of
from sparsetrace.graph.graph import ZERO, Ids
from sparsetrace.operands.axes import along_axis
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.operands import Elements, dtype_of, is_traced_array
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
    ids, dtype = moved_ids(trace, a), dtype_of(a)
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
    real, imag = parts_of(trace.graph, used) if dtype.kind == "c" else (used, None)
    total = along_axis(trace, joint(trace.graph, used), over, keepdims=True)
    last_first = function in _OF_REALS
    repeats = []
    for axis in reversed(over) if last_first else over:
        last = axis == over[-1]
        n = _period(function, ids.shape[axis], shape[axis], lengths, over.index(axis), last=last)
        repeats.append((axis, _kernel(n)[2][: shape[axis]]))
        real, imag = _along(trace, real, imag, axis, n, to_real=last and function in _TO_REALS)
    imag_ids = trace.graph.constant(0.0) if imag is None else imag
    out = real
    if out_dtype.kind == "c":
        out = joint_of_all(trace.graph, joined(trace.graph, real, imag_ids), total)
    for axis, rows in repeats:
        out = np.take(out, rows, axis)
    if not trace.graph.pure and not (used > ZERO).all():
        constant = (used <= ZERO).all(axis=over, keepdims=True)
        if constant.any():
            values = function(trace.graph.known_values(ids, dtype), norm=norm, **options)
            out = np.where(constant, trace.graph.constant(values), out)
    return Elements(out, out_dtype)


def _period(
    function: Callable[..., Any], size: int, size_out: int, lengths, place: int, *, last: bool
) -> int:
    """The n of one axis."""
    if not (last and function in _OF_REALS):
        return size_out
    given = lengths if isinstance(lengths, (int, np.integer, type(None))) else lengths[place]
    return size if given is None or given == -1 else int(given)


def _along(
    trace: Trace,
    real: Ids,
    imag: Ids | None,
    axis: int,
    n: int,
    *,
    to_real: bool,
) -> tuple[Ids, Ids | None]:
    """The transform along one axis, one result for each divisor; `imag` is None of real numbers."""
    cosines, sines, row_of = _kernel(n)
    if not trace.values:
        cosines, sines = np.ones_like(cosines), np.ones_like(sines)
    classes = row_of[: real.shape[axis]]
    parts = [real] if imag is None else [real, imag]
    united = [
        _by_class(trace, np.moveaxis(part, axis, -1), classes, len(cosines)) for part in parts
    ]
    results = []
    for number in range(1 if to_real else 2):
        # (a + bi)(cos - i sin) = (a cos + b sin) + (b cos - a sin) i
        masks = [cosines, sines] if number == 0 else [sines, cosines]
        rows = np.concatenate(united, axis=-1)
        columns = np.concatenate(masks[: len(united)], axis=-1)
        out = np.stack([_united(trace, rows[..., mask]) for mask in columns], axis=-1)
        results.append(np.moveaxis(out, -1, axis))
    return results[0], None if to_real else results[1]


def _united(trace: Trace, ids: Ids) -> Ids:
    """The union of a row; of a row that has no elements the sum is zero."""
    if ids.shape[-1]:
        return trace.graph.union_rows(ids)
    return np.full(ids.shape[:-1], trace.graph.zero, np.int32)


def _by_class(trace: Trace, ids: Ids, classes: NDArray[np.intp], count: int) -> Ids:
    """The union of the elements of each class; zero for one without any."""
    return np.stack([_united(trace, ids[..., classes == i]) for i in range(count)], axis=-1)


@lru_cache(maxsize=256)
def _kernel(n: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.intp]]:
    """Where cosine and sine are not zero, by the divisors of n; and to which each number belongs.

    Examples
    --------
    >>> cosines, sines, row_of = _kernel(4)  # the divisors 1, 2 and 4, which stands for 0, too
    >>> row_of
    array([2, 0, 1, 0])
    >>> sines
    array([[ True, False, False],
           [False, False, False],
           [False, False, False]])
    """
    shared = np.gcd(np.arange(n), n)
    divisors, row_of = np.unique(shared, return_inverse=True)
    products = np.multiply.outer(divisors, divisors)
    return 4 * products % (2 * n) != n, 2 * products % n != 0, row_of.reshape(-1)


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

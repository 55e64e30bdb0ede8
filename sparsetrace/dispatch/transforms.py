"""Rules of functions that mix whole axes or whole matrices: FFTs, norms, linear algebra.

Contract: an output depends on every element of the axis or of the matrix it is made
from; leading axes (a batch) are kept apart.  Shapes and dtypes come from a run of
the function itself on harmless numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from sparsetrace.dispatch import reductions
from sparsetrace.dispatch.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
)
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.graph import OPAQUE, ZERO, Graph, Ids

__all__: list[str] = []


# ------------------------------------------------------------------------ FFT
def _transform(
    graph: Graph, function: Callable[..., Any], a: Any, lengths: Any, axes: Any, norm: Any,
    *, single: bool,
) -> Elements:
    ids = ids_of(graph, a)
    options = {"n": lengths, "axis": axes} if single else {"s": lengths, "axes": axes}
    sample = function(np.zeros(ids.shape, dtype_of(a)), norm=norm, **options)
    over = _transformed_axes(ids.ndim, lengths, axes, single=single)
    used = _cropped(ids, function, lengths, over)
    united = np.broadcast_to(
        reductions.along_axis(graph, used, over, keepdims=True) if over else used, sample.shape
    )
    return Elements(np.array(united), sample.dtype)


def _transformed_axes(
    ndim: int, lengths: Any, axes: Any, *, single: bool
) -> tuple[int, ...]:
    if single:
        return normalize_axis_tuple(axes, ndim)
    if axes is None:
        count = ndim if lengths is None else len(lengths)
        return tuple(range(ndim - count, ndim))
    return tuple(dict.fromkeys(normalize_axis_tuple(axes, ndim, allow_duplicate=True)))


def _cropped(ids: Ids, function: Callable[..., Any], lengths: Any, over: Sequence[int]) -> Ids:
    """Without the elements that a shorter transform never reads."""
    if lengths is None:
        return ids
    sizes = [lengths] if isinstance(lengths, (int, np.integer)) else list(lengths)
    half = function in (np.fft.irfft, np.fft.irfft2, np.fft.irfftn, np.fft.hfft)
    for i, (axis, size) in enumerate(zip(over, sizes, strict=False)):
        if size is None or size == -1:
            continue
        last = half and i == len(sizes) - 1
        read = size // 2 + 1 if last else size
        ids = ids[(*(slice(None),) * axis, slice(0, read))]
    return ids


def _one_axis(function: Callable[..., Any]) -> None:
    def rule(
        graph: Graph, a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: None = None
    ) -> Elements:
        return _transform(graph, function, a, n, axis, norm, single=True)

    rule_for(function)(rule)


def _several_axes(function: Callable[..., Any], default: Any) -> None:
    def rule(
        graph: Graph, a: Any, s: Any = None, axes: Any = default, norm: Any = None,
        out: None = None,
    ) -> Elements:
        if s is not None and axes is None:
            axes = tuple(range(-len(s), 0))
        return _transform(graph, function, a, s, axes, norm, single=False)

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
for _f in (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2):
    _several_axes(_f, (-2, -1))
for _f in (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn):
    _several_axes(_f, None)


# ---------------------------------------------------------------------- norms
def _norm(graph: Graph, x: Any, ord: Any, axis: Any, keepdims: bool) -> Elements:  # noqa: A002, FBT001
    ids, kind = ids_of(graph, x), dtype_of(x)
    real = np.empty(0, kind).real.dtype
    dtype = real if real.kind == "f" else np.dtype(float)
    rows, axes = reductions.core_last(ids, axis)
    if len(axes) == 1 and ord == 0 and not graph.dependency:
        graph.pure = False  # the number of non-zeros
        out: Ids = np.full(rows.shape[:-1], OPAQUE, np.int32)
    else:
        out = graph.union_rows(rows)
    if not graph.pure:
        known = (rows <= ZERO).all(axis=-1)
        if known.any():
            values = np.linalg.norm(graph.known_values(ids, kind), ord, axis)
            out = np.where(known, graph.constant(values), out)
    return Elements(np.expand_dims(out, axes) if keepdims and axes else out, dtype)


@rule_for(np.linalg.norm)
def _linalg_norm(
    graph: Graph, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False  # noqa: A002
) -> Elements:
    ids = ids_of(graph, x)
    if axis is None and ord is not None and ids.ndim not in (1, 2):
        raise ValueError("Improper number of dimensions to norm.")
    return _norm(graph, x, ord, axis, bool(keepdims))


@rule_for(np.linalg.vector_norm)
def _vector_norm(
    graph: Graph, x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2  # noqa: A002
) -> Elements:
    if ord == 0 and axis is None:
        x = x.reshape(-1)
    return _norm(graph, x, ord, axis, bool(keepdims))


@rule_for(np.linalg.matrix_norm)
def _matrix_norm(
    graph: Graph, x: Any, /, *, keepdims: Any = False, ord: Any = "fro"  # noqa: A002
) -> Elements:
    return _norm(graph, x, ord, (-2, -1), bool(keepdims))


# ------------------------------------------------------------- linear algebra
def _harmless(x: Any) -> Any:
    """A stand-in of the same shape and dtype: well-conditioned wherever it is a matrix."""
    if not contains_traced(x):
        return x
    shape = np.shape(x)
    kind = dtype_of(x)
    sample = np.ones(shape, kind if kind.kind in "fc" else float)
    if len(shape) >= 2:
        n = min(shape[-2:])
        index = np.arange(n)
        sample = sample * 0.01
        sample[..., index, index] = 1.0 + 0.1 * index
    return sample


def _dense(
    *functions: Callable[..., Any],
    cores: tuple[int, ...] = (2,),
    opaque: bool = False,
) -> None:
    """Outputs depend on the whole of each operand's core, batch by batch."""

    def make(function: Callable[..., Any]) -> Callable[..., Any]:
        def rule(graph: Graph, *args: Any, **kwargs: Any) -> Any:
            samples = [_harmless(x) for x in args]
            result = function(*samples, **kwargs)
            parts: list[Ids] = []
            widths = list(cores)
            if function is np.linalg.solve and np.ndim(args[1]) == 1:
                widths[1] = 1
            for x, core in zip(args, widths, strict=False):
                if contains_traced(x):
                    ids = ids_of(graph, x)
                    lead = ids.shape[: ids.ndim - core]
                    parts.append(graph.union_rows(ids.reshape((*lead, -1))))
            total = graph.union_all(parts)
            if opaque and not graph.dependency:
                total = np.full(total.shape, OPAQUE, np.int32)
            if opaque or (total <= OPAQUE).any():
                graph.pure = False

            def filled(sample: Any) -> Any:
                if isinstance(sample, tuple):
                    items = [filled(s) for s in sample]
                    named = hasattr(sample, "_fields")
                    return type(sample)(*items) if named else tuple(items)
                shape = np.shape(sample)
                lead = total.reshape(total.shape + (1,) * (len(shape) - total.ndim))
                return Elements(
                    np.broadcast_to(lead, shape).copy(), np.asarray(sample).dtype
                )

            return filled(result)

        return rule

    for function in functions:
        rule_for(function)(make(function))


_dense(
    np.linalg.inv,
    np.linalg.pinv,
    np.linalg.det,
    np.linalg.cholesky,
    np.linalg.qr,
    np.linalg.svd,
    np.linalg.svdvals,
    np.linalg.eigh,
    np.linalg.eigvalsh,
    np.linalg.cond,
)
_dense(np.linalg.matrix_rank, opaque=True)
_dense(np.linalg.solve, cores=(2, 2))


@rule_for(np.linalg.slogdet)
def _slogdet(graph: Graph, a: Any) -> Any:
    """The sign has no derivative."""
    ids = ids_of(graph, a)
    total = graph.union_rows(ids.reshape((*ids.shape[:-2], -1)))
    graph.pure = False
    kind = dtype_of(a)
    signs = total.copy()
    if not graph.dependency and kind.kind != "c":
        signs = np.full(total.shape, OPAQUE, np.int32)
    sample = np.linalg.slogdet(_harmless(a))
    return type(sample)(
        Elements(signs, np.asarray(sample[0]).dtype), Elements(total, np.asarray(sample[1]).dtype)
    )


@rule_for(np.linalg.eig)
def _eig(graph: Graph, a: Any) -> Any:
    sample = np.linalg.eig(_harmless(a))
    return type(sample)(*(_complex_batch(graph, a, part) for part in sample))


@rule_for(np.linalg.eigvals)
def _eigvals(graph: Graph, a: Any) -> Elements:
    return _complex_batch(graph, a, np.linalg.eigvals(_harmless(a)))


def _complex_batch(graph: Graph, a: Any, sample: Any) -> Elements:
    """Complex, since whether the eigenvalues are real depends on the values."""
    ids = ids_of(graph, a)
    total = graph.union_rows(ids.reshape((*ids.shape[:-2], -1)))
    lead = total.reshape(total.shape + (1,) * (sample.ndim - total.ndim))
    kind = np.result_type(sample.dtype, np.complex64)
    return Elements(np.broadcast_to(lead, sample.shape).copy(), kind)


@rule_for(np.linalg.lstsq)
def _lstsq(graph: Graph, a: Any, b: Any, rcond: Any = None) -> Any:
    """Solution and residuals per right-hand side; rank and singular values from a alone."""
    x, residuals, rank, singular = np.linalg.lstsq(_harmless(a), _harmless(b), rcond)
    matrix = (
        graph.union_rows(ids_of(graph, a).reshape(-1))
        if contains_traced(a)
        else np.array(OPAQUE, np.int32)
    )
    ids = ids_of(graph, b)
    columns = graph.union(graph.union_rows(ids.T), np.broadcast_to(matrix, ids.shape[1:]))
    graph.pure = False

    def spread(source: Ids, sample: Any) -> Elements:
        return Elements(np.broadcast_to(source, np.shape(sample)).copy(), np.asarray(sample).dtype)

    if not contains_traced(a):
        return spread(columns, x), spread(np.atleast_1d(columns), residuals), rank, singular
    if not residuals.size:
        # whether there are residuals depends on the rank
        residuals = np.empty(0)
    known_rank = Elements(
        np.array(OPAQUE if not graph.dependency else int(matrix), np.int32), np.dtype(np.intp)
    )
    return (
        spread(columns, x),
        spread(np.atleast_1d(columns), residuals),
        known_rank,
        spread(matrix, singular),
    )


@rule_for(np.linalg.tensorsolve)
def _tensorsolve(graph: Graph, a: Any, b: Any, axes: Any = None) -> Elements:
    shape = list(np.shape(a))
    if axes is not None:
        moved = sorted(axes)
        shape = [n for i, n in enumerate(shape) if i not in moved] + [shape[i] for i in axes]
    return _everything(graph, np.empty(tuple(shape[np.ndim(b) :])), (a, b))


@rule_for(np.linalg.tensorinv)
def _tensorinv(graph: Graph, a: Any, ind: int = 2) -> Elements:
    shape = np.shape(a)
    n = int(np.prod(shape[:ind], dtype=int))
    return _everything(graph, np.linalg.tensorinv(np.eye(n).reshape(shape), ind), (a,))


def _everything(graph: Graph, sample: Any, sources: Sequence[Any]) -> Elements:
    flat = [ids_of(graph, x).reshape(-1) for x in sources if is_traced(x) or contains_traced(x)]
    total = graph.union_rows(np.concatenate(flat))
    return Elements(np.broadcast_to(total, sample.shape).copy(), sample.dtype)

"""Functions that unite along axes: reductions, prefix sums, sorts, segment sums.

Contract: a result element depends on every element that goes into it.  A row of
constants is computed; a constant zero factor makes a product zero.

``sum`` over axis 1::

    [[{0}, {1}], [{2}, {}]]  ->  [{0, 1}, {2}]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import arange, array, asarray, empty, full, ones, zeros
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids, filled
from sparsetrace.operands import elementwise, nonlinear
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    constant_values,
    dtype_of,
    ids_of,
    is_uncertain,
    known_of,
    landed,
)
from sparsetrace.rules import FIRST_ORDER

__all__ = [
    "Axis",
    "accumulate",
    "along_axis",
    "at",
    "axes_of",
    "core_last",
    "fold",
    "judge_axis",
    "prefix_unions",
    "reduce",
    "reduceat",
    "scan",
    "segment_union",
    "spread",
    "turns",
    "write_flat",
]

Axis = int | tuple[int, ...] | None

_SHORT = 32
"""Up to this length the prefixes of one dimension are united in one step."""


def judge_axis(axis: Any, ndim: int, by: Callable[..., Any] = np.add.reduce) -> None:
    """NumPy says what `by` takes for an axis: a sum no list, a sort no tuple."""
    if axis is not None and type(axis) is not int:
        by(zeros((1,) * ndim), axis)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...] | None:
    """The axes where NumPy takes a list or an array of them too: medians, quantiles."""
    return None if axis is None else normalize_axis_tuple(axis, ndim)


def core_last(x: NDArray[Any], axis: Axis) -> tuple[NDArray[Any], tuple[int, ...]]:
    """Move `axis` last and flatten it: shape ``(kept..., k)``, and the axes.

    An array of no dimension may name the axis 0 or -1, as in NumPy's own loops.
    """
    judge_axis(axis, x.ndim)
    if axis is not None and x.ndim == 0 and axis != ():
        normalize_axis_tuple(axis, 1)
        axis = None
    if axis is None:
        axes = tuple(range(x.ndim))
        return x.reshape(-1), axes
    axes = normalize_axis_tuple(axis, x.ndim)
    if axes == (x.ndim - 1,):
        return x, axes
    kept = [i for i in range(x.ndim) if i not in axes]
    moved = x.transpose([*kept, *axes])
    shape = tuple(x.shape[i] for i in kept)
    return moved.reshape((*shape, prod(x.shape[i] for i in axes))), axes


def _keep(out: Ids, axes: tuple[int, ...], *, keepdims: bool) -> Ids:
    return np.expand_dims(out, axes) if keepdims and axes else out


def reduce(
    trace: Trace,
    ufunc: np.ufunc,
    x: Any,
    axis: Axis = 0,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Elements:
    """``ufunc.reduce(x, axis, ...)``: the union over the axis."""
    keepdims = bool(keepdims)
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ValueError("reduce only supported for binary functions")
    if where is True and dtype is None and initial is None:
        plain = elementwise.plain_ids(trace, ufunc, x)
        if plain is not None and plain.ndim and (_reorders(ufunc) or plain.ndim == 1):
            rows, axes = core_last(plain, axis)
            return Elements(_keep(trace.graph.union_rows(rows), axes, keepdims=keepdims), FLOAT)
    source = dtype_of(x)
    ids, kind = _converted(trace, ufunc, ids_of(trace, x), source, dtype)
    has_initial = initial is not None
    if where is not True and not has_initial and ufunc.identity is None:
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a "
            "where mask one has to specify 'initial'"
        )
    several = ids.ndim > 1 and (axis is None or (isinstance(axis, tuple) and len(axis) > 1))
    if several and not _reorders(ufunc):
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may "
            "be specified"
        )
    if trace.second_order and not nonlinear.is_linear(ufunc):
        return _reduce_curved(trace, ufunc, ids, source, axis, kind, initial, where, keepdims)
    partials = elementwise.letters(trace, ufunc)[0]
    # one element alone is its own reduction, floor_divide's too
    stays = partials == "00" and kind.kind in "fc"
    inside = ids if not has_initial else np.append(ids, ids_of(trace, initial))
    if stays or partials not in ("11", "00") or _folds(trace, ufunc, inside, source):
        if where is True or not is_uncertain(where):
            return _fold(trace, ufunc, ids, source, axis, kind, initial, where, keepdims=keepdims)
        partials = "11"
    rows, axes = core_last(ids, axis)
    masks = None
    unsure = False
    if where is not True:
        unsure = is_uncertain(where)
        mask = ones(ids.shape, bool) if unsure else known_of(trace, where).astype(bool)
        masks = core_last(np.broadcast_to(mask, ids.shape), axis)[0]
        trace.graph.pure = False
        picked = np.where(masks, rows, ZERO)
    else:
        picked = rows
    out = trace.graph.union_rows(picked) if partials == "11" else _opaque(trace, rows.shape[:-1])
    if has_initial:
        out = trace.graph.union(out, landed(trace, kind, ids_of(trace, initial)))
    if trace.dependency and unsure:
        out = trace.graph.union(
            out, trace.graph.union_rows(core_last(ids_of(trace, where), axis)[0])
        )
    if not trace.graph.pure and not unsure:
        constant_initial = not has_initial or not is_uncertain(initial)
        if constant_initial:
            first = ids_of(trace, initial) if has_initial else None
            _settle_rows(trace, ufunc, rows, masks, out, kind, source, first)
    elif rows.shape[-1] == 0:
        out = _empty_rows(trace, ufunc, out.shape, source, initial, has_initial=has_initial)
    return Elements(_keep(out, axes, keepdims=keepdims), kind)


ASSOCIATIVE = frozenset((np.multiply, np.logaddexp, np.logaddexp2, np.hypot))
"""Nonlinear ufuncs whose reductions may be computed as a tree."""

Combine = Callable[[Any, Any], Any]


def _reduce_curved(
    trace: Trace,
    ufunc: np.ufunc,
    ids: Ids,
    source: np.dtype[Any],
    axis: Axis,
    kind: np.dtype[Any],
    initial: Any,
    where: Any,
    keepdims: bool,
) -> Elements:
    """In a trace of second order: one call after the other, as the elements define it."""
    rows, axes = core_last(ids, axis)
    if where is not True and not is_uncertain(where):
        mask = np.broadcast_to(known_of(trace, where).astype(bool), ids.shape)
        neutral = np.int32(trace.graph.constant_scalar(source.type(ufunc.identity)))
        rows = np.where(core_last(mask, axis)[0], rows, neutral)
    if initial is not None:
        first = np.broadcast_to(ids_of(trace, initial), (*rows.shape[:-1], 1))
        rows = np.concatenate([first, rows], axis=-1)
    if not rows.shape[-1]:
        found = Operand(
            trace, trace.graph.constant(ufunc.reduce(zeros(rows.shape, source), -1)), kind
        )
    else:
        found = fold(ufunc, Operand(trace, rows, source), _called(trace, ufunc))
    return Elements(_keep(array(found._ids), axes, keepdims=keepdims), kind)


def _called(trace: Trace, ufunc: np.ufunc) -> Combine:
    def combine(a: Operand, b: Operand) -> Operand:
        (found,) = elementwise.call(trace, ufunc, (a, b))
        return Operand(trace, found.ids, found.dtype)

    return combine


def fold(ufunc: np.ufunc, rows: Operand, combine: Combine) -> Operand:
    """The last axis combined to one: as a tree if that is the same, else from the left."""
    while rows.shape[-1] > 1 and ufunc in ASSOCIATIVE:
        n = rows.shape[-1]
        pairs = combine(rows.along(0, n - 1, 2), rows.along(1, n, 2))
        rows = pairs if n % 2 == 0 else pairs.joined(rows.along(n - 1, n))
    total = rows.along(0)
    for i in range(1, rows.shape[-1]):
        total = combine(total, rows.along(i))
    return total


def scan(ufunc: np.ufunc, rows: Operand, combine: Combine) -> Operand:
    """Prefixes of the last axis, combined as `fold` does."""
    n = rows.shape[-1]
    if n < 2:
        return rows
    if ufunc not in ASSOCIATIVE:
        prefixes = [rows.along(0)]
        for i in range(1, n):
            prefixes.append(combine(prefixes[-1], rows.along(i)))
        return prefixes[0].stacked(prefixes)
    odd = scan(ufunc, combine(rows.along(0, n - 1, 2), rows.along(1, n, 2)), combine)
    first = rows.along(0, 1)
    even = (
        first if n < 3 else first.joined(combine(odd.along(0, (n - 1) // 2), rows.along(2, n, 2)))
    )
    return even.interleaved(odd)


def _opaque(trace: Trace, shape: tuple[int, ...]) -> Ids:
    trace.graph.pure = False
    return full(shape, OPAQUE, np.int32)


def _empty_rows(
    trace: Trace,
    ufunc: np.ufunc,
    shape: tuple[int, ...],
    source: Any,
    initial: Any,
    *,
    has_initial: bool,
) -> Ids:
    if has_initial:
        return filled(ids_of(trace, initial), shape)
    value = ufunc.reduce(zeros(0, source))
    return filled(trace.graph.constant(value), shape)


def _folds(trace: Trace, ufunc: np.ufunc, ids: Ids, source: np.dtype[Any]) -> bool:
    """Whether a constant inside cuts in a way that only a fold from the left sees."""
    rule = FIRST_ORDER.get(ufunc)
    if trace.graph.pure or not trace.values or rule is None or ufunc is np.multiply:
        return False
    constants = trace.graph.known_values(ids[ids <= ZERO], source)
    return any(bool(cut.vanishes(constants).any()) for cut in rule.cuts.values())


def _settle_rows(
    trace: Trace,
    ufunc: np.ufunc,
    rows: Ids,
    masks: NDArray[np.bool_] | None,
    out: Ids,
    kind: np.dtype[Any],
    source: np.dtype[Any],
    initial: Ids | None,
) -> None:
    """Write the values of rows that are constant whatever the inputs are."""
    counted = ones(rows.shape, bool) if masks is None else masks
    known = ((rows <= ZERO) | ~counted).all(axis=-1)
    if ufunc is np.multiply and trace.values:
        zero = (trace.graph.zeros_among(rows) & counted).any(axis=-1)
        if initial is not None:
            zero |= trace.graph.zeros_among(initial)
        np.copyto(out, ZERO, where=zero & ~known)
    if known.any():
        values = trace.graph.known_values(rows, source)
        options: dict[str, Any] = {} if masks is None else {"where": masks}
        if initial is not None:
            options["initial"] = trace.graph.known_values(initial, source)[()]
        with np.errstate(all="ignore"):
            found = ufunc.reduce(values, axis=-1, **options)
        np.copyto(out, trace.graph.constant(asarray(found, kind)), where=known)


def _converted(
    trace: Trace, ufunc: np.ufunc, ids: Ids, source: np.dtype[Any], dtype: Any
) -> tuple[Ids, np.dtype[Any]]:
    """The ids that go into the loops, and the dtype that comes out; ``dtype=`` may truncate."""
    if dtype is None:
        return ids, _reduced_dtype(ufunc, source, None)
    kind = _reduced_dtype(ufunc, source, np.dtype(dtype))
    return (ids if source.kind in "biu" else landed(trace, kind, ids)), kind


@lru_cache(maxsize=1024)
def _reduced_dtype(
    ufunc: np.ufunc, source: np.dtype[Any], dtype: np.dtype[Any] | None
) -> np.dtype[Any]:
    """As NumPy chooses it; where it has no loop, its error."""
    with np.errstate(all="ignore"):
        return asarray(ufunc.reduce(ones(2, source), dtype=dtype)).dtype


@lru_cache(maxsize=1024)
def _reorders(ufunc: np.ufunc) -> bool:
    """Whether it may be reduced over several axes at once."""
    try:
        ufunc.reduce(ones((1, 1)), axis=(0, 1))
    except ValueError:
        return False
    except TypeError:  # no loop for floats: NumPy will say so
        pass
    return True


def _fold(
    trace: Trace,
    ufunc: np.ufunc,
    ids: Ids,
    source: np.dtype[Any],
    axis: Axis,
    kind: np.dtype[Any],
    initial: Any,
    where: Any,
    *,
    keepdims: bool,
) -> Elements:
    """From the left, one call per position along the axis: for the rare ufuncs."""
    rows, axes = core_last(ids, axis)
    mask = None
    if where is not True:
        mask = np.broadcast_to(known_of(trace, where).astype(bool), ids.shape)
        mask = core_last(mask, axis)[0]
    steps = [Operand(trace, rows[..., i], source) for i in range(rows.shape[-1])]
    if initial is not None:
        first = np.broadcast_to(ids_of(trace, initial), rows.shape[:-1])
        steps.insert(0, Operand(trace, first, source))
    if not steps:
        values = ufunc.reduce(zeros(rows.shape, source), axis=-1)
        return Elements(_keep(trace.graph.constant(values), axes, keepdims=keepdims), kind)
    total = steps[0]
    before = len(steps) - rows.shape[-1]  # under a mask there is an initial one
    for i, step in enumerate(steps[1:]):
        (found,) = elementwise.call(trace, ufunc, (total, step))
        new = found.ids
        if mask is not None:
            new = np.where(mask[..., i + 1 - before], new, total._ids)
        total = Operand(trace, new, found.dtype)
    return Elements(_keep(total._ids.copy(), axes, keepdims=keepdims), kind)


def accumulate(trace: Trace, ufunc: np.ufunc, x: Any, axis: int = 0, dtype: Any = None) -> Elements:
    """``ufunc.accumulate(x, axis)``: element i unites elements 0 to i.

    ``[{0}, {1}, {2}] -> [{0}, {0, 1}, {0, 1, 2}]``
    """
    if dtype is None:
        plain = elementwise.plain_ids(trace, ufunc, x)
        if plain is not None and plain.ndim == 1 and axis in (0, -1):
            return Elements(prefix_unions(trace, plain, 0), FLOAT)
    source = dtype_of(x)
    ids, kind = _converted(trace, ufunc, ids_of(trace, x), source, dtype)
    judge_axis(axis, ids.ndim, np.add.accumulate)
    (axis,) = normalize_axis_tuple(axis, ids.ndim)
    if kind.kind == "b" and source.kind != "b":
        ids = landed(trace, kind, ids)
    rows = np.moveaxis(ids, axis, -1)
    if trace.second_order and not nonlinear.is_linear(ufunc):
        found = scan(ufunc, Operand(trace, rows, source), _called(trace, ufunc))
        return Elements(np.moveaxis(array(found._ids), -1, axis), kind)
    partials = elementwise.letters(trace, ufunc)[0]
    if partials != "11" or _folds(trace, ufunc, ids, source):
        out = _fold_prefixes(trace, ufunc, rows, source)
        return Elements(np.moveaxis(out, -1, axis), kind)
    united = prefix_unions(trace, ids, axis)
    if not trace.graph.pure:
        _settle_prefixes(trace, ufunc, rows, np.moveaxis(united, axis, -1), kind, source)
    return Elements(united, kind)


def prefix_unions(trace: Trace, ids: Ids, axis: int) -> Ids:
    """Element i unites elements 0 to i of the axis, constants as `Graph.union` has them.

    Two unions an element in all, in 2 log2(length) whole-array steps: the prefixes of
    neighbouring pairs are every second prefix, one more union each gives the others
    (Brent & Kung, 1982).
    """
    length = ids.shape[axis]
    if ids.ndim == 1 and 1 < length <= _SHORT and (trace.graph.pure or ids.min() > OPAQUE):
        indptr, columns = _triangle(length)
        out = empty(length, np.int32)
        out[0] = ids[0]
        out[1:] = trace.graph.union_table(indptr, ids[columns])
        return out
    if ids.ndim == 1:
        return _prefixes(trace, ids).copy() if length < 2 else _prefixes(trace, ids)
    # along the first axis the nodes of a step lie side by side, in runs
    first = array(np.moveaxis(ids, axis, 0), order="C")
    return np.moveaxis(_prefixes(trace, first), 0, axis)


@lru_cache(maxsize=_SHORT)
def _triangle(length: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lower triangle without its first row, as CSR index arrays."""
    indptr = zeros(length, np.int64)
    np.cumsum(arange(2, length + 1), out=indptr[1:])
    return indptr, np.tril_indices(length)[1][1:]


def _prefixes(trace: Trace, ids: Ids) -> Ids:
    length = len(ids)
    if length < 2:
        return ids
    odd = _prefixes(trace, trace.graph.union(ids[: length - 1 : 2], ids[1::2]))
    out = empty(ids.shape, np.int32)
    out[0] = ids[0]
    out[1::2] = odd
    if length > 2:
        out[2::2] = trace.graph.union(odd[: (length - 1) // 2], ids[2::2])
    return out


def _fold_prefixes(trace: Trace, ufunc: np.ufunc, rows: Ids, source: np.dtype[Any]) -> Ids:
    out = rows.copy()
    total = Operand(trace, rows[..., 0], source) if rows.shape[-1] else None
    for i in range(1, rows.shape[-1]):
        step = Operand(trace, rows[..., i], source)
        (found,) = elementwise.call(trace, ufunc, (total, step))
        total = Operand(trace, found.ids, found.dtype)
        out[..., i] = found.ids
    return out


def _settle_prefixes(
    trace: Trace,
    ufunc: np.ufunc,
    rows: Ids,
    out: Ids,
    kind: np.dtype[Any],
    source: np.dtype[Any],
) -> None:
    known = np.logical_and.accumulate(rows <= ZERO, axis=-1)
    np.copyto(out, OPAQUE, where=(out <= ZERO) & ~known)
    if ufunc is np.multiply and trace.values:
        zero = np.logical_or.accumulate(trace.graph.zeros_among(rows), axis=-1)
        np.copyto(out, ZERO, where=zero & ~known)
    if known.any():
        with np.errstate(all="ignore"):
            values = ufunc.accumulate(trace.graph.known_values(rows, source), axis=-1)
        np.copyto(out, trace.graph.constant(values.astype(kind)), where=known)


def reduceat(
    trace: Trace, ufunc: np.ufunc, x: Any, indices: Any, axis: int = 0, dtype: Any = None
) -> Elements:
    """``ufunc.reduceat(x, indices, axis)``: the union over each segment."""
    ids, source = ids_of(trace, x), dtype_of(x)
    axis = normalize_axis_index(axis, ids.ndim)
    rows = np.moveaxis(ids, axis, 0)
    starts = asarray(constant_values(indices)).astype(int)
    length = rows.shape[0]
    if starts.size and (starts.min() < 0 or starts.max() >= length):
        raise IndexError(f"index out-of-bounds in {ufunc.__name__}.reduceat [0, {length})")
    stops = np.append(starts[1:], length)
    parts = [
        reduce(trace, ufunc, Operand(trace, rows[lo : max(hi, lo + 1)], source), 0, dtype)
        for lo, hi in zip(starts.tolist(), stops.tolist(), strict=True)
    ]
    if not parts:
        return Elements(zeros((0, *rows.shape[1:]), np.int32), source)
    out = np.stack([part.ids for part in parts])
    return Elements(np.moveaxis(out, 0, axis), parts[0].dtype)


def at(trace: Trace, ufunc: np.ufunc, x: Any, indices: Any, *operands: Any) -> None:
    """``ufunc.at(x, indices, b)``, in place: each target unites itself and its operands.

    ``add.at([{0}, {1}], [0, 0], [{2}, {3}])  ->  [{0, 2, 3}, {1}]``
    """
    ids = x._ids
    places = arange(ids.size).reshape(ids.shape)[indices]
    flat = places.reshape(-1)
    unique = np.unique(flat, return_inverse=False) if flat.size else flat
    if len(unique) == len(flat):
        # a single place must give an array, too
        parts = [Operand(trace, asarray(ids.reshape(-1)[places]), x._dtype), *operands]
        (found,) = elementwise.call(trace, ufunc, parts)
        write_flat(ids, flat, np.broadcast_to(found.ids, places.shape).reshape(-1))
        return
    order = np.argsort(flat, kind="stable")
    target = flat[order]
    if not operands:
        for now in turns(target):
            here = Operand(trace, ids.reshape(-1)[target[now]], x._dtype)
            (found,) = elementwise.call(trace, ufunc, (here,))
            write_flat(ids, target[now], found.ids)
        return
    (operand,) = operands
    added = np.broadcast_to(ids_of(trace, operand), places.shape).reshape(-1)
    old = ids.reshape(-1)[unique]
    elementwise.result_dtypes(ufunc, (x, operand))
    together = elementwise.letters(trace, ufunc) == ("11",)
    together = together and (not trace.second_order or nonlinear.is_linear(ufunc))
    if together and (trace.graph.pure or not ((old <= ZERO).any() or (added <= ZERO).any())):
        write_flat(ids, unique, segment_union(trace, target, unique, added[order], old))
        return
    kind = dtype_of(operand)
    for now in turns(target):  # constants inside
        left = Operand(trace, ids.reshape(-1)[target[now]], x._dtype)
        (found,) = elementwise.call(trace, ufunc, (left, Operand(trace, added[order][now], kind)))
        write_flat(ids, target[now], found.ids)


def turns(target: NDArray[Any]) -> Iterator[NDArray[np.bool_]]:
    """Masks of a sorted array of places: the first mention of each, then the second..."""
    rank = arange(len(target)) - np.searchsorted(target, target, side="left")
    for turn in range(int(rank.max(initial=-1)) + 1):
        yield rank == turn


def segment_union(
    trace: Trace, target: NDArray[Any], unique: NDArray[Any], added: Ids, old: Ids
) -> Ids:
    """What each place holds once its own node has been united with all that are added."""
    counts = np.bincount(np.searchsorted(unique, target), minlength=len(unique)) + 1
    indptr = zeros(len(unique) + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    parents = empty(indptr[-1], np.int32)
    first = zeros(len(parents), bool)
    first[indptr[:-1]] = True
    parents[first] = old
    parents[~first] = added
    traced = parents > OPAQUE
    if not traced.all():
        kept = zeros(len(parents) + 1, np.int64)
        np.cumsum(traced, out=kept[1:])
        indptr, parents = kept[indptr], parents[traced]
    return trace.graph.union_segments(indptr, parents)


def write_flat(ids: Ids, flat: NDArray[Any], new: Ids) -> None:
    """``ids.flat[flat] = new`` through views of any strides."""
    ids[np.unravel_index(flat, ids.shape)] = new


def along_axis(trace: Trace, ids: Ids, axis: Axis, *, keepdims: bool = False) -> Ids:
    """The union over an axis, whatever the function's constants are."""
    rows, axes = core_last(ids, axis)
    return _keep(trace.graph.union_rows(rows), axes, keepdims=keepdims)


def spread(trace: Trace, ids: Ids, axis: Axis, length: int | None = None) -> Ids:
    """Every element of an axis depends on the whole axis (sort, FFT).

    ``[{0}, {1}] -> [{0, 1}, {0, 1}]``, with a new length if one is given.
    """
    total = along_axis(trace, ids, axis, keepdims=True)
    shape = list(ids.shape)
    if axis is None:
        return filled(total, tuple(shape))
    for i in normalize_axis_tuple(axis, ids.ndim):
        shape[i] = ids.shape[i] if length is None else length
    return filled(total, tuple(shape))

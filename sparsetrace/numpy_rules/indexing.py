"""Reading and writing elements, with keys that are constant or themselves depend on the inputs.

Contract: a constant key indexes the id array, by NumPy itself.  A key whose value
depends on the inputs may choose any position, so what is read depends on all candidates,
and what is written is added to all of them::

    x[argmax(x)]          ->  {0, 1, 2}
    y[argmax(x)] = x[0]   ->  every y[i] gains {0}
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import arange, array, asarray, zeros
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.errors import BY_VALUES, ValueDependentError, explain
from sparsetrace.graph.complex_parts import Part, has_parts, joined, part_of, parts_of
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids, highest
from sparsetrace.operands.complex_operands import of_choices
from sparsetrace.operands.memory_order import ordered
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    is_number,
    is_traced,
    is_traced_array,
    is_uncertain,
    known_of,
    shape_of,
)
from sparsetrace.operands.raising import by_numpy
from sparsetrace.operands.refusals import REFUSED
from sparsetrace.operands.ufunc_at import united_into

__all__ = [
    "as_written",
    "chosen",
    "constant_key",
    "expanded",
    "gives_view",
    "has_ellipsis",
    "has_unknown_ends",
    "put",
    "read",
    "refresh",
    "view_of_part",
    "want_bounds",
    "write",
]

_WHOLE = frozenset((int,))
_SIMPLE = frozenset((int, slice, type(None), type(Ellipsis), np.int64, np.intp, np.int32))


def is_simple(key) -> bool:
    """Whether the key surely holds nothing traced."""
    cls = type(key)
    if cls in _SIMPLE:
        return cls is not slice or not has_unknown_ends(key)
    if cls is tuple:
        return all(
            type(k) in _SIMPLE and (type(k) is not slice or not has_unknown_ends(k)) for k in key
        )
    if cls is list:
        return _WHOLE.issuperset(map(type, key))
    return cls is np.ndarray and key.dtype != object


def has_unknown_ends(key: Any) -> bool:
    """Whether it is a slice between numbers that are traced."""
    if type(key) is not slice:
        return False
    return is_traced(key.start) or is_traced(key.stop) or is_traced(key.step)


def constant_key(trace: Trace, key) -> tuple[Any, bool]:
    """The key with traced entries whose values are known replaced; whether any is not known.

    A list or an object array that holds unknown elements becomes one traced array.
    """
    if type(key) is slice:
        return _constant_slice(trace, key) if has_unknown_ends(key) else (key, False)
    if type(key) is tuple:
        # a tuple in a tuple is a list, as NumPy reads it: np.where(m), beside another index
        listed = (list(entry) if type(entry) is tuple else entry for entry in key)
        entries = [constant_key(trace, entry) for entry in listed]
        return tuple(entry for entry, _ in entries), any(unsure for _, unsure in entries)
    if not contains_traced(key):
        return key, False
    if type(key) is list and len(key) == 1 and _is_picked(key[0]):
        key = key[0][None]
    if _is_picked(key):
        return key, True
    if isinstance(key, list) or (isinstance(key, np.ndarray) and not is_traced(key)):
        dtype = dtype_of(key)
        ids = ids_of(trace, key)
    else:
        dtype, ids = key._dtype, key._ids
    if not trace.local and ids.size and highest(ids) > ZERO:
        decided = None if trace.masks is None else trace.masks.known_index(key)
        if decided is not None:
            return decided, False
        if not is_traced(key):
            listed, key = key, trace.wrap(Elements(asarray(ids), dtype, keep_array=True))
            if trace.bounds is not None:
                trace.bounds.note(key, *trace.bounds.of(listed))
        return key, True
    values = known_of(trace, key)
    return (values if values.ndim else values[()]), False


def _is_picked(x: object) -> bool:
    return getattr(type(x), "_is_picked", False) is True


def _constant_slice(trace: Trace, key: slice) -> tuple[slice, bool]:
    """A slice whose ends are decided, where these have few values; else as it is."""
    ends = [end for end in (key.start, key.stop, key.step) if is_traced(end)]
    if trace.local or trace.masks is None or any(dtype_of(end).kind not in "iu" for end in ends):
        return key, False
    want_bounds(trace)
    # of few values, asked for by NumPy, each end is decided
    return key, not all(map(trace.masks.decides_end, ends))


def _is_mask(entry) -> bool:
    return bool(dtype_of(entry).kind == "b")


def expanded(ndim: int, key) -> tuple[Any, ...]:
    """The key as a tuple without ellipsis, one entry per axis of the array (None apart)."""
    entries = key if isinstance(key, tuple) else (key,)
    used = 0
    for entry in entries:
        if entry is None or entry is Ellipsis:
            continue
        masked = not isinstance(entry, (slice, int, np.integer)) and _is_mask(entry)
        used += len(shape_of(entry)) if masked else 1
    fill = (slice(None),) * (ndim - used)
    if any(entry is Ellipsis for entry in entries):
        at = next(i for i, entry in enumerate(entries) if entry is Ellipsis)
        return (*entries[:at], *fill, *entries[at + 1 :])
    return (*entries, *fill)


def has_ellipsis(key) -> bool:
    """Whether the result is an array even if it is one element."""
    return any(entry is Ellipsis for entry in (key if isinstance(key, tuple) else (key,)))


def gives_view(key) -> bool:
    """Whether NumPy gives a view for the key, not a copy: it holds numbers and slices alone."""
    entries = key if isinstance(key, tuple) else (key,)
    return not any(
        is_traced_array(entry) or isinstance(entry, (bool, np.bool_, np.ndarray, list))
        for entry in entries
    )


def chosen(trace: Trace, result: Ids, ids: Ids, key) -> Ids:
    """What ``x[key]`` gave, as the view of x that it is in NumPy: see `put`.

    It is read-only, for whatever else writes into it.
    """
    if not result.ndim and not has_ellipsis(key):
        return result
    own = result.copy("K")
    return _noted(trace, own, own.view(), ids, key)


@dataclass(frozen=True, slots=True)
class _PartView:
    """Stands for a key: the view shows one part of complex elements.

    As in NumPy there are gaps between its elements, so that what copies such an array there
    copies it here: it lies in every second place of its memory, along an axis more, the first or
    the last one.
    """

    part: Part
    axis: int

    def shown(self, memory: Ids) -> Ids:
        """The elements of the view."""
        return memory[0] if self.axis == 0 else memory[..., 0]

    def read(self, trace: Trace, ids: Ids) -> Ids:
        """What it shows of these elements."""
        return part_of(trace.graph, ids, self.part)

    def write(self, trace: Trace, ids: Ids, own: Ids) -> None:
        """Let these elements be what was written into the view."""
        parts = dict(zip(Part, parts_of(trace.graph, ids), strict=True))
        parts[self.part] = own
        put(trace, ids, ..., joined(trace.graph, *parts.values()))


_EVEN, _ODD = (..., slice(None, None, 2)), (..., slice(1, None, 2))


class _RealView:
    """Stands for a key: complex elements as pairs of real ones, ``z.view(float)``."""

    def shown(self, memory: Ids) -> Ids:
        return memory

    def read(self, trace: Trace, ids: Ids) -> Ids:
        pairs = np.stack(parts_of(trace.graph, ids), axis=-1)
        return pairs.reshape(*ids.shape[:-1], 2 * ids.shape[-1])

    def write(self, trace: Trace, ids: Ids, own: Ids) -> None:
        put(trace, ids, ..., joined(trace.graph, own[_EVEN], own[_ODD]))


class _ComplexView:
    """Stands for a key: pairs of real elements as complex ones, ``x.view(complex)``."""

    def shown(self, memory: Ids) -> Ids:
        return memory

    def read(self, trace: Trace, ids: Ids) -> Ids:
        return joined(trace.graph, ids[_EVEN], ids[_ODD])

    def write(self, trace: Trace, ids: Ids, own: Ids) -> None:
        for key, part in zip((_EVEN, _ODD), parts_of(trace.graph, own), strict=True):
            put(trace, ids, key, part)


_VIEWS = (_PartView, _RealView, _ComplexView)


def view_of_pairs(trace: Trace, ids: Ids, *, as_complex: bool) -> Ids:
    """``z.view(float)``, or ``x.view(complex)`` of an array with pairs along its last axis."""
    key: Any = _ComplexView() if as_complex else _RealView()
    memory = np.array(key.read(trace, ids))
    return _noted(trace, memory, memory.view(), ids, key)


def view_of_part(trace: Trace, ids: Ids, part: Part, dtype: np.dtype[Any]) -> Ids:
    """``x.real`` or ``x.imag``, of this dtype, likewise."""
    own = part_of(trace.graph, ids, part)
    in_f_order = ids.flags.f_contiguous and not ids.flags.c_contiguous
    key = _PartView(part, 0 if in_f_order else -1)
    memory = np.empty((2, *ids.shape) if in_f_order else (*ids.shape, 2), np.int32)
    memory = np.asfortranarray(memory) if in_f_order else memory
    view = key.shown(memory)
    view[...] = own if trace.local else trace.graph.rounded(own, dtype)
    return _noted(trace, memory, view, ids, key)


def _noted(trace: Trace, memory: Ids, view: Ids, ids: Ids, key) -> Ids:
    """The view of memory of its own, which shows what `key` says of `ids`; read-only."""
    place = id(memory)
    trace.rows[place] = weakref.ref(memory, lambda _: trace.rows.pop(place, None)), ids, key
    trace.keeps_writes = True
    view.flags.writeable = False
    return view


def put(trace: Trace, ids: Ids, key, value: Ids) -> None:
    """``ids[key] = value``, which lands in views of elements that the inputs choose, or in x."""
    row = None if ids.flags.writeable else trace.rows.get(id(ids.base))
    if row is None:
        ids[key] = value
    else:
        ids.flags.writeable = True
        ids[key] = value
        ids.flags.writeable = False
        _, ids, place = row
        if isinstance(place, _VIEWS):
            place.write(trace, ids, place.shown(row[0]()))
        else:
            write(trace, ids, place, row[0]())
    refresh(trace, ids, row)


def refresh(trace: Trace, ids: Ids, written=None) -> None:
    """After a write into x: views of elements of it that the inputs choose show it too."""
    for row in tuple(trace.rows.values()):
        own, shown, key = row[0](), row[1], row[2]
        if own is not None and row is not written and np.may_share_memory(shown, ids):
            if isinstance(key, _VIEWS):
                key.shown(own)[...] = key.read(trace, shown)
            else:
                own[...] = read(trace, shown, key)


def _unsure(entry) -> bool:
    return contains_traced(entry) and is_uncertain(entry)


def want_bounds(trace: Trace) -> None:
    """Ask for a run in which bounds of values are kept."""
    if trace.name_values is not None:
        trace.name_values()


def read(trace: Trace, ids: Ids, key) -> Ids:
    """``x[key]`` where part of the key depends on the inputs.

    Raises
    ------
    ValueDependentError
        For a mask: how many elements it picks depends on the inputs.
    """
    by_parts = of_choices(trace, lambda x: read(trace, x, key), ids)
    if by_parts is not None:
        return by_parts
    if is_number(key) and 1 <= ids.ndim <= 2 and key._dtype.kind in "iu" and not trace.dependency:
        candidates = ids[_window(trace, key, len(ids))]  # the most frequent case, in few steps
        return trace.graph.union_rows(candidates.T)
    entries = expanded(ids.ndim, key)
    for entry in entries:
        if _unsure(entry) and dtype_of(entry).kind not in "biu":
            raise by_numpy(
                IndexError("arrays used as indices must be of integer (or boolean) type")
            )
        if _unsure(entry) and _is_mask(entry):
            raise ValueDependentError(
                explain(
                    "x[mask]",
                    "the mask depends on the inputs, and with it the shape of the result",
                    "Use np.where(mask, x, 0) or x * mask, which keep the shape.",
                    BY_VALUES,
                )
            )
    try:  # with the lowest place of all: it fails where there is none
        like = ids[tuple(zeros(shape_of(p), int) if _unsure(p) else p for p in entries)]
    except IndexError as error:
        raise by_numpy(error) from None
    candidates = _candidates(trace, ids, entries)
    out = np.broadcast_to(trace.graph.union_rows(candidates), like.shape)
    for entry in entries:
        if trace.dependency and _unsure(entry):
            everything = trace.graph.union_rows(ids_of(trace, entry).reshape(-1))
            out = trace.graph.union(out, np.broadcast_to(everything, like.shape))
    if (out <= OPAQUE).any():
        out = np.where(out <= 0, np.int32(trace.graph.opaque), out)
    return ordered(array(out), like)


def _candidates(trace: Trace, elements: NDArray[Any], entries: tuple[Any, ...]) -> NDArray[Any]:
    """The elements that each element of ``x[key]`` may be, along the last axis.

    Of shape ``(*s, k)``, where s broadcasts to the shape of ``x[key]``: an axis of the index
    along which the choice is the same everywhere has the length 1.
    """
    entries = _positions(entries)
    unsure = [i for i, entry in enumerate(entries) if _unsure(entry)]
    depth = max(len(shape_of(entry)) for entry in entries if not isinstance(entry, slice))
    axis, key = 0, []
    for i, entry in enumerate(entries):
        if entry is not None:
            axis += 1
        if i in unsure:
            places = _window(trace, entry, elements.shape[axis - 1])
            shape = (1,) * (depth + 1 - places.ndim) + places.shape[:-1]
            later = len(unsure) - 1 - unsure.index(i)
            before = (1,) * (len(unsure) - 1 - later)
            key.append(places.reshape(*shape, *before, places.shape[-1], *(1,) * later))
        elif isinstance(entry, np.ndarray):
            key.append(entry.reshape(entry.shape + (1,) * len(unsure)))
        else:
            key.append(entry)
    result = elements[tuple(key)]
    first = _first_of_index(entries) + depth
    result = np.moveaxis(result, range(first, first + len(unsure)), range(-len(unsure), 0))
    return asarray(result.reshape(*result.shape[: -len(unsure)], -1))


def _positions(entries: tuple[Any, ...]) -> tuple[Any, ...]:
    """The entries with lists as arrays, and with constant masks as arrays of positions."""
    out: list[Any] = []
    for entry in entries:
        if entry is None or isinstance(entry, (slice, int, np.integer)) or is_traced(entry):
            out.append(entry)
        elif _is_mask(entry):
            out += np.nonzero(np.atleast_1d(entry))
        else:
            out.append(asarray(entry))
    return tuple(out)


def _first_of_index(entries: tuple[Any, ...]) -> int:
    """At which axis of the result NumPy puts those of index arrays: first, if they stand apart."""
    basic = [entry is None or isinstance(entry, slice) for entry in entries]
    first, last = basic.index(False), len(basic) - basic[::-1].index(False)
    return 0 if any(basic[first:last]) else first


def _window(trace: Trace, index, length: int) -> NDArray[Any]:
    """The positions of an axis that each element of an index may choose, along the last axis."""
    low, high = (-np.inf, np.inf) if trace.bounds is None else trace.bounds.of(index)
    if is_number(index):
        start, last = int(max(low, -length)), int(min(high, length - 1))
        if start > last:
            raise by_numpy(IndexError("index is out of bounds"))
        return arange(length) if last - start + 1 >= length else arange(start, last + 1)
    low, high = np.maximum(low, -length), np.minimum(high, length - 1)
    if not np.size(low) or (low > high).any():
        raise by_numpy(IndexError("index is out of bounds"))
    span = int((high - low).max()) + 1
    if span >= length:
        return arange(length)
    if np.ptp(low) == 0 and np.ptp(high) == 0:
        low, high = low.max(), high.min()
    first = asarray(low, int)[..., None]
    return asarray(np.minimum(first + arange(span), asarray(high, int)[..., None]))


def write(trace: Trace, ids: Ids, key, value: Ids) -> None:
    """``y[key] = value`` where part of the key depends on the inputs.

    Every candidate may keep its own element or take the value.
    """
    if has_parts(trace.graph, ids) or has_parts(trace.graph, value):
        parts = parts_of(trace.graph, ids)
        for old, new in zip(parts, parts_of(trace.graph, value), strict=True):
            write(trace, old, key, new)
        ids[...] = joined(trace.graph, *parts)
        return
    entries = expanded(ids.ndim, key)
    unsure = [entry for entry in entries if _unsure(entry)]
    if any(_is_mask(entry) for entry in unsure):
        _write_masked(trace, ids, entries, unsure, value)
        return
    places = arange(ids.size).reshape(ids.shape)
    like = places[tuple(zeros(shape_of(p), int) if _unsure(p) else p for p in entries)]
    candidates = _candidates(trace, places, entries)
    value = as_written(value, like.shape)
    # where the choice is the same along an axis, each place may take any of that axis
    for axis, length in enumerate(candidates.shape[:-1]):
        if length == 1 < value.shape[axis]:
            united = trace.graph.union_rows(np.moveaxis(value, axis, -1))
            value = np.expand_dims(united, axis)
    added = np.broadcast_to(value[..., None], candidates.shape).reshape(-1)
    order = np.argsort(candidates, axis=None, kind="stable")
    target = candidates.reshape(-1)[order]
    starts = np.flatnonzero(np.diff(target, prepend=-1))
    unique, counts = target[starts], np.diff(starts, append=len(target))
    old = ids.reshape(-1)[unique]
    out = united_into(trace, counts, added[order], old)
    if trace.dependency:
        for entry in unsure:
            chosen = trace.graph.union_rows(ids_of(trace, entry).reshape(-1))
            out = trace.graph.union(out, np.broadcast_to(chosen, out.shape))
    ids[np.unravel_index(unique, ids.shape)] = np.maximum(out, OPAQUE)


def as_written(value: Ids, shape: tuple[int, ...]) -> Ids:
    """The elements as they are assigned to this shape: axes in front may be too many, if short.

    (1, 3) written into (3,)  ->  (3,)
    """
    more = value.ndim - len(shape)
    if more > 0 and value.shape[:more] == (1,) * more:
        value = value.reshape(value.shape[more:])
    return np.broadcast_to(value, shape)


def _write_masked(
    trace: Trace, ids: Ids, entries: tuple[Any, ...], unsure: list[Any], value: Ids
) -> None:
    """``y[mask] = number``, where the mask depends on the inputs."""
    target = tuple(
        item
        for entry in entries
        for item in ((slice(None),) * len(shape_of(entry)) if _unsure(entry) else (entry,))
    )
    if len(unsure) > 1 or value.size != 1:
        raise REFUSED.value_dependent("y[mask] = array")
    old = ids[target]
    out = trace.graph.union(old, np.broadcast_to(value.reshape(()), old.shape))
    if trace.dependency:
        chosen = ids_of(trace, unsure[0])
        if chosen.shape != out.shape:
            chosen = trace.graph.union_rows(chosen.reshape(-1))
        out = trace.graph.union(out, np.broadcast_to(chosen, out.shape))
    ids[target] = np.maximum(out, OPAQUE)

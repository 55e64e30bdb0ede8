"""Reading and writing by masks of unknown values: ``x[m]``, ``y[m] = ...``, ``np.nonzero(m)``.

Contract: a mask becomes the indices of all of its elements, as picked ones; what an index says
that leads out of the array is not read, since in a plain call it would be an error.  A place
that is written keeps its own element or takes that of a candidate that leads there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.arrays.array import TracedArray, pick_by
from sparsetrace.arrays.picked import PickedArray, aligned, along_axis
from sparsetrace.arrays.picks import Pick, meet, refuse
from sparsetrace.arrays.value_names import ValueNames
from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids, highest
from sparsetrace.numpy_rules import indexing
from sparsetrace.operands.complex_operands import elements_of, moved_ids
from sparsetrace.operands.constants import chosen_values, note_choice
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    is_traced,
    is_traced_array,
    shape_of,
)
from sparsetrace.operands.raising import may_raise
from sparsetrace.operands.registry import rule_for

__all__: list[str] = []


def _entries(key: object) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _picks(key: object) -> bool:
    """Whether a key holds a mask of unknown values, or picked indices."""
    return any(
        isinstance(e, PickedArray)
        or _is_unknown_mask(e)
        or _is_unknown_truth(e)
        or indexing.has_unknown_ends(e)
        for e in _entries(key)
    )


def _is_unknown_truth(entry: Any) -> bool:
    """Whether it is a mask without axes: a truth value."""
    return is_traced(entry) and entry._dtype.kind == "b" and not shape_of(entry)


def _with_truths(trace: Trace, key: object, *, decide: bool) -> Any:
    """A key with truth values in place of unknown ones: those of this path.

    Masks without axes have one branch each: there ``x[m]`` has one element or none.
    """
    entries = [
        _truth(trace, e, decide=decide) if _is_unknown_truth(e) else e for e in _entries(key)
    ]
    return tuple(entries) if isinstance(key, tuple) else entries[0]


def _truth(trace: Trace, truth: Any, *, decide: bool) -> Any:
    if trace.masks is None:
        return truth
    pick = Pick(trace, truth)
    known = trace.masks.known(pick)
    if known is None and decide:
        if trace.name_values is not None:
            trace.name_values()  # what is the same truth value is known from the start
        known = trace.masks.decide(trace, pick)
    return truth if known is None else bool(known[0])


def _decided(trace: Trace, key: object) -> Any:
    """A key with masks that are known on this path in place of those that are decided."""
    if trace.masks is None or not trace.masks.places:
        return key
    entries = [_known_mask(trace, e) if _is_unknown_mask(e) else e for e in _entries(key)]
    return tuple(entries) if isinstance(key, tuple) else entries[0]


def _known_mask(trace: Trace, mask: Any) -> Any:
    truths = trace.masks.of(trace, Pick(trace, mask))
    return mask if truths is None else truths.reshape(mask.shape)


def _is_unknown_mask(entry: Any) -> bool:
    return (
        is_traced_array(entry)
        and not isinstance(entry, PickedArray)
        and entry.dtype.kind == "b"
        and entry.ndim > 0
        and entry._ids.size > 0
        and highest(entry._ids) > ZERO
    )


def _without_slices(
    x: TracedArray, key: object
) -> tuple[Any, tuple[Any, ...], Callable[[int], slice] | None]:
    """A view of an array and a key for it, with masks in place of slices of unknown ends.

    And which elements of the view a slice shows that has so many, if one end is known.
    """
    window: list[Any] = []
    masks: list[Any] = []
    run: Callable[[int], slice] | None = None
    axis = 0
    for entry in indexing.expanded(x.ndim, key):
        if indexing.has_unknown_ends(entry):
            run = _first if not is_traced(entry.start) else _last
            run = None if is_traced(entry.start) and is_traced(entry.stop) else run
            first, last, mask = _slice_mask(x._trace, entry, x.shape[axis])
            window.append(slice(first, last))
            masks.append(mask)
        elif is_traced(entry) or not indexing.gives_view(entry):
            refuse("x[i:j, index]", entry)
        else:
            window.append(entry)
            masks += [slice(None)] * (entry is None or isinstance(entry, slice))
        axis += entry is not None
    return x[tuple(window)], tuple(masks), run


def _first(count: int) -> slice:
    return slice(0, count)


def _last(count: int) -> slice:
    return slice(-count, None) if count else slice(0, 0)


def _shown(part: Any, key: tuple[Any, ...], run: Callable[[int], slice] | None) -> Any:
    """A slice of unknown ends: a view, whose candidates are elements of the array itself."""
    result = part[key]
    if part._trace.dependency or not isinstance(result, PickedArray):
        refuse("x[i:j]", result)
    result._candidates = part[...]
    result._candidates._ids.flags.writeable = False  # but through the array
    result._shown, result._pick.run = (part, key), run
    return result


def _slice_mask(trace: Trace, key: slice, length: int) -> tuple[int, int, Any]:
    """Between which places the elements of a slice lie, and which of those are in it.

    ``x[k:]`` has every element from the least place on that k may be, as far as it is below.
    """
    if not (key.step is None or (isinstance(key.step, (int, np.integer)) and key.step == 1)):
        refuse("x[i:j:step]", key.start, key.stop)
    (start, first, _), (stop, _, last) = (
        _end(trace, end, otherwise, length)
        for end, otherwise in ((key.start, 0), (key.stop, length))
    )
    last = max(last, first)
    places = np.arange(first, last)
    return first, last, (places >= start) & (places < stop)


def _end(trace: Trace, end: Any, otherwise: int, length: int) -> tuple[Any, int, int]:
    """An end of a slice, counted from the start, and between which places it lies."""
    if end is None:
        return otherwise, otherwise, otherwise
    if not is_traced(end):
        place = slice(end, None).indices(length)[0]
        return place, place, place
    assert trace.bounds is not None
    low, high = (float(bound) for bound in trace.bounds.of(end))
    if low < 0:  # counted from the end of the array
        return np.add(end, np.multiply(np.less(end, 0), length)), 0, length
    return trace.bounds.same(end), int(min(low, length)), int(min(high, length))


@lru_cache(maxsize=256)
def _like_any(shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """An array of a shape, of one byte: in a tenth of the time of ``np.broadcast_to``."""
    return np.ndarray(shape, bool, bytes(1), 0, (0,) * len(shape))


class _Place:
    """Where a key with a mask leads in an array: the candidates' places, and their pick."""

    def __init__(self, x: TracedArray, key: object) -> None:
        self.x = x
        self.pick: Pick | None = None
        self.unknown = False
        self.entries: list[Any] = []
        self._picked: set[int] = set()
        for entry in indexing.expanded(x.ndim, key):
            if isinstance(entry, PickedArray):
                if entry.dtype.kind not in "iu" or entry.ndim > 1:
                    refuse("an index made of x[mask]", entry)
                self.unknown |= is_traced_array(entry._candidates)
                self._add(entry._pick, [entry._candidates])
            elif _is_unknown_mask(entry):
                axis = sum(e is not None for e in self.entries)
                every = _like_any(x.shape[axis : axis + entry.ndim])
                every[np.zeros(entry.shape, bool)]  # raises NumPy's error for another shape
                self._add(Pick(x._trace, entry), np.nonzero(np.ones(entry.shape, bool)))
            elif np.ndim(entry) or contains_traced(entry):
                masks = [Pick(x._trace, e) for e in _entries(key) if _is_unknown_mask(e)]
                refuse("x[mask] with another index of several elements", *masks, *_entries(key))
            else:
                self.entries.append(entry)

    def _add(self, pick: Pick, indices: Iterable[Any]) -> None:
        if self.pick is not None and not meet(self.x._trace, self.pick, pick):
            refuse("an index with two masks", self.pick, pick)
        self.pick = pick
        for index in indices:
            self._picked.add(len(self.entries))
            self.entries.append(index)

    @property
    def axis(self) -> int:
        """The axis of the mask in what the key gives, counted from the last one."""
        assert self.pick is not None
        shapes = []
        for count in (1, 2):  # only this axis follows the number of indices
            dummy = np.zeros(count, np.intp)
            key = tuple(dummy if i in self._picked else e for i, e in enumerate(self.entries))
            shapes.append(_like_any(self.x.shape)[key].shape)
        differ = [i for i, (a, b) in enumerate(zip(*shapes, strict=True)) if a != b]
        return differ[0] - len(shapes[0])

    def known(self) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Flat places, and for each candidate whether it may be picked and is in the array."""
        assert self.pick is not None
        shape, valid = self.x.shape, self.pick.possible.copy()
        key: list[Any] = []
        axis = 0
        for i, entry in enumerate(self.entries):
            if i in self._picked:
                inside = (entry >= -shape[axis]) & (entry < shape[axis])
                valid &= inside
                entry = np.where(inside, entry, 0)
            key.append(entry)
            axis += entry is not None
        places = np.arange(self.x.size, dtype=np.intp).reshape(shape)[tuple(key)]
        return places, valid


def _mask_of(trace: Trace, truth: Any) -> Any:
    """A truth value as a mask of one element, which has the same name each time."""
    mask: Any = np.atleast_1d(truth)
    if not is_traced_array(truth):
        if trace.names is None:
            trace.name_values_by(ValueNames(truths_alone=True))
        trace.names.name(mask._ids, ("mask", trace.names.of(truth)))
    return mask


def _read(x: TracedArray, key: Any) -> Any:
    """``x[key]`` with masks of unknown values in the key, or picked indices."""
    trace = x._trace
    if any(map(indexing.has_unknown_ends, _entries(key))):
        return _shown(*_without_slices(x, key))
    if _is_unknown_truth(key):
        return x[np.newaxis][_mask_of(trace, key)]
    key = _decided(trace, _with_truths(trace, key, decide=True))
    if not _picks(key):
        return x[key]
    if any(map(_is_unknown_truth, _entries(key))):
        return NotImplemented
    place = _Place(x, key)
    assert place.pick is not None
    axis = place.axis
    if place.unknown:
        return PickedArray._of(trace, place.pick, x[tuple(place.entries)], axis)
    may_raise(trace, partial(IndexError, "index is out of bounds"))
    places, valid = place.known()
    ids = x._ids[np.unravel_index(places, x.shape)]
    if not valid.all():
        ids = np.where(along_axis(valid, axis), ids, np.int32(trace.graph.opaque))
    if trace.dependency:
        ids = trace.graph.union(ids, np.broadcast_to(along_axis(place.pick.ids, axis), ids.shape))
    candidates = trace.wrap(Elements(np.array(ids), x._dtype, keep_array=True))
    if trace.names is not None:
        where = places.tobytes(), valid.tobytes(), places.shape
        trace.names.name(candidates._ids, ("read", trace.names.of_ids(x._ids), *where))
    return PickedArray._of(trace, place.pick, candidates, axis)


def _write(x: TracedArray, key: Any, value: Any) -> Any:
    """``x[key] = value``, the one or the other with elements that a mask picks."""
    trace = x._trace
    if any(map(indexing.has_unknown_ends, _entries(key))):
        part, key, _ = _without_slices(x, key)
        part[key] = value
        return None
    if _is_unknown_truth(key):
        x[np.newaxis][_mask_of(trace, key)] = value
        return None
    key = _decided(trace, _with_truths(trace, key, decide=False))
    if not _picks(key):
        if isinstance(value, PickedArray):
            value = value._any()  # any of them, wherever they come to stand
        x[key] = value
        return None
    if any(map(_is_unknown_truth, _entries(key))):
        if isinstance(value, PickedArray):
            _write_beside_truth(x, key, value)
            return None
        return NotImplemented
    place = _Place(x, key)
    assert place.pick is not None
    if place.unknown:
        x[tuple(place.entries)] = value._any() if isinstance(value, PickedArray) else value
        return None
    may_raise(trace, partial(IndexError, "index is out of bounds"))
    axis = place.axis
    places, valid = place.known()
    if isinstance(value, PickedArray):
        same: bool = value._axis == axis and meet(trace, value._pick, place.pick)
        value = value._candidates if same else value._any()
    else:
        value = aligned(trace, value, axis)
    new = indexing.as_written(moved_ids(trace, value, x._dtype), places.shape)
    if trace.dependency:
        new = trace.graph.union(new, np.broadcast_to(along_axis(place.pick.ids, axis), new.shape))
    inside = np.broadcast_to(along_axis(valid, axis), places.shape)
    note_choice(trace, new)
    _unite(x, places[inside], new[inside])
    indexing.refresh(trace, x._ids)
    return None


def _write_beside_truth(x: TracedArray, key: Any, value: PickedArray) -> None:
    """``x[truth, 0] = y[truth]``: a mask without axes is one along an axis of its own."""
    entries = list(indexing.expanded(x.ndim, key))
    first, *others = (i for i, entry in enumerate(entries) if _is_unknown_truth(entry))
    if others:
        refuse("x[mask] with another index of several elements", value, *entries)
    axis = sum(entry is not None for entry in entries[:first])
    entries[first] = _mask_of(x._trace, entries[first])
    x[(slice(None),) * axis + (np.newaxis,)][tuple(entries)] = value


def _unite(x: TracedArray, places: NDArray[np.intp], new: Ids) -> None:
    """Let each place keep its element or take any of the new ones that lead there."""
    graph = x._trace.graph
    index = np.unravel_index(places, x.shape)
    if len(np.unique(places)) == len(places):
        indexing.put(x._trace, x._ids, index, np.maximum(graph.union(x._ids[index], new), OPAQUE))
        return
    where, first = np.unique(places, return_index=True)
    at = tuple(axis[first] for axis in index)
    joined, owner = np.append(x._ids[at], new), np.append(where, places)
    order = np.argsort(owner, kind="stable")
    joined, owner = joined[order], owner[order]
    traced = joined > OPAQUE
    counts = np.searchsorted(owner[traced], np.append(where, x.size))
    indexing.put(
        x._trace, x._ids, at, graph.union_segments(counts.astype(np.int64), joined[traced])
    )


pick_by(_picks, _read, _write)


# ------------------------------------------------------------------------ NumPy's functions
def _indices(trace: Trace, mask: Any) -> tuple[Any, ...]:
    """``np.nonzero(mask)``."""
    known = chosen_values(trace, mask)
    if known is not None:
        return np.nonzero(known)
    array = mask if is_traced_array(mask) else np.asanyarray(mask)
    truth = array if array.dtype.kind == "b" else np.not_equal(array, 0)
    pick = Pick(trace, truth)
    decided = None if trace.masks is None else trace.masks.of(trace, pick)
    if decided is not None:
        return np.nonzero(decided.reshape(np.shape(truth)))
    places = np.nonzero(np.ones(np.shape(truth), bool))
    return tuple(PickedArray._of(trace, pick, axis, -1) for axis in places)


@rule_for(np.nonzero)
def _nonzero(trace: Trace, a: object) -> Any:
    return _indices(trace, a)


@rule_for(np.flatnonzero)
def _flatnonzero(trace: Trace, a: Any) -> Any:
    return _indices(trace, np.ravel(a))[0]


@rule_for(np.argwhere)
def _argwhere(trace: Trace, a: Any) -> Any:
    if not np.ndim(a):
        return _argwhere(trace, np.atleast_1d(a))[:, :0]
    indices = _indices(trace, a)
    if not isinstance(indices[0], PickedArray):
        return np.transpose(indices)
    candidates = np.stack([axis._candidates for axis in indices], axis=1)
    return PickedArray._of(trace, indices[0]._pick, candidates, -2)


@rule_for(np.extract)
def _extract(trace: Trace, condition: Any, arr: Any) -> Any:
    return _taken(trace, condition, np.ravel(arr), 0)


@rule_for(np.compress, signature="condition, a, axis=None, out=None")
def _compress(trace: Trace, condition: Any, a: Any, axis: Any) -> Any:
    if np.ndim(condition) != 1:
        raise ValueError("condition must be a 1-d array")
    return _taken(trace, condition, np.ravel(a) if axis is None else a, axis or 0)


def _taken(trace: Trace, condition: Any, a: Any, axis: int) -> Any:
    if not is_traced_array(a):
        a = trace.wrap(elements_of(trace, a))
    (index,) = _indices(trace, np.ravel(condition))
    return a[(slice(None),) * normalize_axis_index(axis, a.ndim) + (index,)]

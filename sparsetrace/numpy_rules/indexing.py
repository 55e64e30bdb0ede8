"""Reading and writing elements, with keys that are constant or themselves depend on the inputs.

Contract: a constant key indexes the id array, by NumPy itself.  A key whose value
depends on the inputs may choose any position, so what is read depends on all candidates,
and what is written is added to all of them::

    x[argmax(x)]          ->  {0, 1, 2}
    y[argmax(x)] = x[0]   ->  every y[i] gains {0}
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array, asarray, zeros

from sparsetrace.context import Trace
from sparsetrace.errors import ValueDependentError, explain
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.operands.memory_order import ordered
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_traced_array,
    is_uncertain,
    known_of,
)
from sparsetrace.operands.refusals import REFUSED

__all__ = [
    "chosen",
    "constant_key",
    "expanded",
    "gives_view",
    "has_ellipsis",
    "put",
    "read",
    "refresh",
    "write",
]

_SIMPLE = frozenset((int, slice, type(None), type(Ellipsis), np.int64, np.intp, np.int32))


def is_simple(key) -> bool:
    """Whether the key surely holds nothing traced."""
    cls = type(key)
    if cls in _SIMPLE:
        return True
    if cls is tuple:
        return all(type(k) in _SIMPLE for k in key)
    return cls is np.ndarray and key.dtype != object


def constant_key(trace: Trace, key) -> tuple[Any, bool]:
    """The key with traced entries whose values are known replaced; whether any is not known.

    A list or an object array that holds unknown elements becomes one traced array.
    """
    if not contains_traced(key):
        return key, False
    if getattr(type(key), "_is_picked", False):
        return key, True
    if isinstance(key, tuple):
        entries = [constant_key(trace, entry) for entry in key]
        return tuple(entry for entry, _ in entries), any(unsure for _, unsure in entries)
    if isinstance(key, list) or (isinstance(key, np.ndarray) and not is_traced(key)):
        dtype = dtype_of(key)
        ids = ids_of(trace, key)
    else:
        dtype, ids = key._dtype, key._ids
    if not trace.local and (asarray(ids) > 0).any():
        if not is_traced(key):
            key = trace.wrap(Elements(asarray(ids), dtype, keep_array=True))
        return key, True
    values = known_of(trace, key)
    return (values if values.ndim else values[()]), False


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
        used += np.ndim(entry) if masked else 1
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
    place = id(own)
    trace.rows[place] = weakref.ref(own, lambda _: trace.rows.pop(place, None)), ids, key
    trace.keeps_writes = True
    view = own.view()
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
        write(trace, ids, place, row[0]())
    refresh(trace, ids, row)


def refresh(trace: Trace, ids: Ids, written=None) -> None:
    """After a write into x: views of elements of it that the inputs choose show it too."""
    for row in tuple(trace.rows.values()):
        own, shown, key = row[0](), row[1], row[2]
        if own is not None and row is not written and np.may_share_memory(shown, ids):
            own[...] = read(trace, shown, key)


def _unsure(entry) -> bool:
    return contains_traced(entry) and is_uncertain(entry)


def read(trace: Trace, ids: Ids, key) -> Ids:
    """``x[key]`` where part of the key depends on the inputs.

    Raises
    ------
    ValueDependentError
        For a mask: how many elements it picks depends on the inputs.
    """
    entries = expanded(ids.ndim, key)
    for entry in entries:
        if _unsure(entry) and dtype_of(entry).kind not in "biu":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        if _unsure(entry) and _is_mask(entry):
            raise ValueDependentError(
                explain(
                    "x[mask]",
                    "the mask depends on the inputs, and with it the shape of the result",
                    "Use np.where(mask, x, 0) or x * mask, which keep the shape.",
                )
            )
    dummy = tuple(zeros(np.shape(entry), int) if _unsure(entry) else entry for entry in entries)
    like = ids[dummy]
    shape = like.shape
    wide = tuple(slice(None) if _unsure(entry) else entry for entry in entries)
    plain = all(isinstance(p, (slice, int, np.integer, type(None))) for p in wide)
    if plain and sum(map(_unsure, entries)) == 1:
        out = _read_one_axis(trace, ids, entries, wide)
    else:
        candidates = ids[wide] if plain else ids
        out = np.broadcast_to(trace.graph.union_rows(candidates.reshape(-1)), shape)
    out = np.broadcast_to(out, shape)
    for entry in entries:
        if trace.dependency and _unsure(entry):
            everything = trace.graph.union_rows(ids_of(trace, entry).reshape(-1))
            out = trace.graph.union(out, np.broadcast_to(everything, shape))
    if (out <= OPAQUE).any():
        out = np.where(out <= 0, np.int32(trace.graph.opaque), out)
    return ordered(array(out), like)


def _read_one_axis(trace: Trace, ids: Ids, entries: tuple[Any, ...], wide: tuple[Any, ...]) -> Ids:
    """One uncertain index, everything else basic: the union over that axis alone."""
    position = next(i for i, entry in enumerate(entries) if _unsure(entry))
    axis = sum(1 for entry in entries[:position] if not isinstance(entry, (int, np.integer)))
    index_ndim = np.ndim(entries[position])
    united = trace.graph.union_rows(np.moveaxis(ids[wide], axis, -1))
    # NumPy puts the index's axes where the index stood, or first if an integer stands apart
    others = [i for i, p in enumerate(entries) if isinstance(p, (int, np.integer))]
    apart = any(abs(i - position) > 1 or any(p is None for p in entries) for i in others)
    place = 0 if apart else axis
    shape = united.shape[:place] + (1,) * index_ndim + united.shape[place:]
    return united.reshape(shape)


def write(trace: Trace, ids: Ids, key, value: Ids) -> None:
    """``y[key] = value`` where part of the key depends on the inputs.

    Every candidate may keep its own element or take the value.
    """
    entries = expanded(ids.ndim, key)
    unsure = [entry for entry in entries if _unsure(entry)]
    if len(entries) == 1 or (len(unsure) == 1 and _is_mask(unsure[0])):
        wide = tuple(
            (slice(None),) * np.ndim(entry)
            if _unsure(entry) and _is_mask(entry)
            else (slice(None),)
            if _unsure(entry)
            else (entry,)
            for entry in entries
        )
        target = tuple(item for group in wide for item in group)
        masked = any(_is_mask(entry) for entry in unsure)
    else:
        target = tuple(slice(None) if _unsure(entry) else entry for entry in entries)
        masked = False
    old = ids[target]
    if masked and value.ndim == 0:
        new = np.broadcast_to(value, old.shape)
    elif masked and value.size == 1:
        new = np.broadcast_to(value.reshape(()), old.shape)
    elif masked:
        raise REFUSED.value_dependent("y[mask] = array")
    else:
        new = np.broadcast_to(trace.graph.union_rows(value.reshape(-1)), old.shape)
    out = trace.graph.union(old, new)
    if trace.dependency:
        for entry in unsure:
            chosen = ids_of(trace, entry)
            if not masked or chosen.shape != out.shape:
                chosen = trace.graph.union_rows(chosen.reshape(-1))
            out = trace.graph.union(out, np.broadcast_to(chosen, out.shape))
    ids[target] = np.maximum(out, OPAQUE)

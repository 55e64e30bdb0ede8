"""Rules of functions that write into their first argument.

Contract: where the places are known they depend on the new elements alone; where they are
not, each place that may be written to depends on its old element and on all new ones::

    y = [{0}, {1}];  put(y, argmax(x), {2})  ->  [{0, 2}, {1, 2}]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.numpy_rules.indexing import put
from sparsetrace.operands.complex_operands import of_choices
from sparsetrace.operands.constants import choose, chosen_values, converted_ids
from sparsetrace.operands.operands import (
    contains_traced,
    dtype_of,
    ids_of,
    is_traced_array,
    plain_target,
)
from sparsetrace.operands.prefixes import prefix_unions
from sparsetrace.operands.registry import rule_for

__all__: list[str] = []


def _new(trace: Trace, target, call: str, values) -> Ids:
    """Ids of the values as the target takes them."""
    if not is_traced_array(target):
        raise plain_target(call, target)
    if type(values) in (complex, list, tuple) and not contains_traced(values):
        np.array(values, target._dtype)  # NumPy refuses complex numbers in place of real ones
    return converted_ids(trace, values, target._dtype)


def _changed(trace: Trace, target, change: Callable[[Ids], None]) -> None:
    """The target's ids after a function of NumPy's wrote into them; parts of complex arrays too."""
    if target._ids.flags.writeable:
        change(target._ids)
    else:
        ids = target._ids.copy("K")
        change(ids)
        put(trace, target._ids, ..., ids)


def _check_casting(source, target, casting) -> None:
    """Raise NumPy's error for arrays that the target cannot take; numbers are converted."""
    if isinstance(source, np.ndarray) and not np.can_cast(dtype_of(source), target, casting):
        raise TypeError(
            f"Cannot cast array data from {dtype_of(source)!r} to {np.dtype(target)!r} according "
            f"to the rule {casting!r}"
        )


def _anywhere(trace: Trace, target, new: Ids, chooser) -> None:
    """Every element of the target may have been exchanged for one of `new`."""
    sources = [
        target._ids,
        np.broadcast_to(trace.graph.union_rows(new.reshape(-1)), target._ids.shape),
    ]
    if trace.dependency:
        every = trace.graph.union_rows(ids_of(trace, chooser).reshape(-1))
        sources.append(np.broadcast_to(every, target._ids.shape))
    put(trace, target._ids, ..., _of_any(trace, sources))


def _of_any(trace: Trace, sources: list[Ids]) -> Ids:
    """Any of the elements at each place."""

    def united(*sources: Ids) -> Ids:
        return np.maximum(trace.graph.union_all(sources), OPAQUE)

    result = of_choices(trace, united, *sources)
    return united(*sources) if result is None else result


@rule_for(np.put)
def _put(trace: Trace, a, ind, v, mode) -> None:
    new = _new(trace, a, "np.put", v)
    places = chosen_values(trace, ind)
    if places is None:
        _anywhere(trace, a, new, ind)
    else:
        _changed(trace, a, lambda ids: np.put(ids, places.astype(np.intp), new, mode))


@rule_for(np.place)
def _place(trace: Trace, arr, mask, vals) -> None:
    new = _new(trace, arr, "np.place", vals)
    _check_casting(vals, arr.dtype, "safe")
    known = chosen_values(trace, mask)
    if known is not None:
        _changed(trace, arr, lambda ids: np.place(ids, known, new))
        return
    # a value goes to the place of as many elements as were exchanged before it, or later
    if not new.size or np.size(mask) != arr._ids.size:
        np.place(np.zeros(np.shape(arr)), np.ones(np.shape(mask), bool), np.zeros(new.size))
    candidates = new.reshape(-1)[: arr._ids.size]
    last = np.minimum(np.arange(arr._ids.size), candidates.size - 1)
    sources = [arr._ids, prefix_unions(trace, candidates, 0)[last].reshape(arr._ids.shape)]
    if trace.dependency:
        before = prefix_unions(trace, ids_of(trace, mask).reshape(-1), 0)
        sources.append(before.reshape(arr._ids.shape))
    put(trace, arr._ids, ..., _of_any(trace, sources))


@rule_for(np.putmask, signature="a, /, mask, values")
def _putmask(trace: Trace, a, mask, values) -> None:
    """Element i of the target takes element i of the values, which repeat."""
    new = _new(trace, a, "np.putmask", values)
    _check_casting(values, a.dtype, "safe")
    if np.size(mask) != a._ids.size:
        raise ValueError("putmask: mask and data must be the same size")
    if not new.size:
        return
    if np.shape(mask) != a._ids.shape:
        mask = np.reshape(mask, a._ids.shape)
    new = np.resize(new, a._ids.shape)
    put(trace, a._ids, ..., choose(trace, mask, new, a._ids))


@rule_for(np.put_along_axis)
def _put_along_axis(trace: Trace, arr, indices, values, axis) -> None:
    new = _new(trace, arr, "np.put_along_axis", values)
    if dtype_of(indices).kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    places = chosen_values(trace, indices)
    if places is not None:
        _changed(
            trace,
            arr,
            lambda ids: np.put_along_axis(ids, places.astype(np.intp), new, axis),
        )
        return
    if axis is None:
        _anywhere(trace, arr, new, indices)
        return
    shape = np.shape(indices)
    added = np.moveaxis(np.broadcast_to(new, shape), axis, -1)
    sources = [np.expand_dims(trace.graph.union_rows(added), axis)]
    if trace.dependency:
        chosen = np.moveaxis(ids_of(trace, indices), axis, -1)
        sources.append(np.expand_dims(trace.graph.union_rows(chosen), axis))
    shape = arr._ids.shape
    out = _of_any(trace, [arr._ids, *(np.broadcast_to(p, shape) for p in sources)])
    put(trace, arr._ids, ..., out)


@rule_for(np.fill_diagonal)
def _fill_diagonal(trace: Trace, a, val, wrap) -> None:
    new = _new(trace, a, "np.fill_diagonal", val)
    _changed(trace, a, lambda ids: np.fill_diagonal(ids, new, wrap))


@rule_for(np.copyto, signature="dst, src, casting='same_kind', where=True")
def _copyto(trace: Trace, dst, src, casting, where) -> None:
    ids = _new(trace, dst, "np.copyto", np.asarray(src) if type(src) is complex else src)
    _check_casting(np.asarray(src) if type(src) is complex else src, dst.dtype, casting)
    _check_casting(where, bool, "safe")
    if where is True:
        put(trace, dst._ids, ..., ids)
    else:
        chosen = choose(trace, where, np.broadcast_to(ids, dst._ids.shape), dst._ids)
        put(trace, dst._ids, ..., chosen)

"""Rules of functions whose values decide how long the result is: sets, and trimmed zeros.

Contract: at a point each value of a set depends on the elements, of all operands, that have this
value.  Where the values are not known, a set is what a mask of unknown values picks of the sorted
elements, and so is where each stood before; zeros that are trimmed are refused.

``unique([3, 1, 3]) of [{0}, {1}, {2}]  ->  [{1}, {0, 2}]``
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import nonzero, trim_zeros, unique

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids
from sparsetrace.operands.constants import chosen_values, of_known
from sparsetrace.operands.operands import Elements, dtype_of, ids_of, is_traced, values_of
from sparsetrace.operands.refusals import REFUSED
from sparsetrace.operands.registry import ANYTHING, rule_for
from sparsetrace.operands.steps import note_step

__all__: list[str] = []


def _members(trace: Trace, result, sources: Sequence[Any]) -> Elements:
    """For each value found, the union of the elements of the sources that have it."""
    wanted = np.asarray(result)
    ids: list[Ids] = [ids_of(trace, x).reshape(-1) for x in sources]
    values = [np.asarray(values_of(x)).reshape(-1) for x in sources]
    every, pool = np.concatenate(ids), np.concatenate(values)
    out = [
        trace.graph.union_rows(every[(pool == v) | ((pool != pool) & (v != v))][None])[0]
        for v in wanted.reshape(-1)
    ]
    shaped = np.array(out, np.int32).reshape(wanted.shape)
    return Elements(shaped, wanted.dtype, keep_array=True)


def _rows(trace: Trace, result, x, axis) -> Elements:
    """For each row found, the union of the rows of `x` along the axis that are equal to it.

    Examples
    --------
    Of the rows ``[{0}, {1}]``, ``[{2}, {3}]`` and ``[{4}, {5}]``, of which the first and the last
    are equal, ``np.unique(x, axis=0)`` gives ``[{0, 4}, {1, 5}]`` and ``[{2}, {3}]``.
    """
    ids = np.moveaxis(ids_of(trace, x), axis, 0)
    values = np.moveaxis(np.asarray(values_of(x)), axis, 0)
    wanted = np.moveaxis(np.asarray(result), axis, 0)
    out = np.empty(wanted.shape, np.int32)
    for place, row in enumerate(wanted):
        same = (values == row) | ((values != values) & (row != row))
        alike = ids[same.reshape(len(values), -1).all(axis=1)]
        columns = alike.reshape(len(alike), row.size).T
        out[place] = trace.graph.union_rows(columns).reshape(row.shape)
    return Elements(np.moveaxis(out, 0, axis), np.asarray(result).dtype, keep_array=True)


def _set_rule(function: Callable[..., Any], operands: int) -> None:
    names = ("ar1", "ar2") if operands == 2 else ("ar", "x")
    picks = _PICKED.get(function)

    def rule(trace: Trace, args, kwargs) -> Any:
        is_known = trace.local or kwargs or len(args) != operands
        if picks is not None and not is_known and is_traced(args[0]) and np.size(args[0]):
            return picks(*args)
        if function is unique and not trace.local:
            flags = _flags_of_unique(args, kwargs)
            if flags is not None:
                return _unique_and_more(args[0], **flags)
        if not trace.local:
            return of_known(trace, function, args, kwargs)
        sources = [*args[:operands], *(kwargs[n] for n in names if n in kwargs)]
        plain = {name: values_of(value) for name, value in kwargs.items()}
        result = function(*map(values_of, args), **plain)
        note_step(trace, lambda *a, **k: _sizes(function(*a, **k)), args, _sizes(result), kwargs)
        axis = args[4] if len(args) > 4 else kwargs.get("axis")

        def found(chosen: Any) -> Elements:
            if axis is None:
                return _members(trace, chosen, sources)
            return _rows(trace, chosen, sources[0], axis)

        if isinstance(result, tuple):
            results: list[Any] = [found(result[0]), *[None] * (len(result) - 1)]
            make: Any = type(result)
            return make(*results) if hasattr(result, "_fields") else tuple(results)
        return found(result)

    rule_for(function, signature=ANYTHING)(rule)


def _sizes(found: Any) -> list[int]:
    """How many values were found: more, where values are no longer equal."""
    return [np.size(item) for item in (found if isinstance(found, tuple) else (found,))]


def _sorted(x) -> tuple[Any, Any]:
    """The elements in order, and which of them differ from the one before."""
    in_order = np.sort(x if np.ndim(x) == 1 else np.ravel(x))
    return in_order, np.concatenate([[True], in_order[1:] != in_order[:-1]])


def _unique(ar) -> Any:
    in_order, is_first = _sorted(ar)
    return in_order[is_first]


def _flags_of_unique(args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, bool] | None:
    """What ``np.unique`` of a traced array shall tell beside the set; None if by an axis, say.

    Nobody knows which elements are equal, and so which are NaN.
    """
    flags = dict(zip((*_FLAGS, "axis"), args[1:], strict=False)) | kwargs
    asked = {name: flags.pop(name) for name in _FLAGS if name in flags}
    if type(flags.pop("equal_nan", True)) is not bool:
        return None
    plain = {"axis": None, "sorted": True}
    if any(flags[name] is not plain.get(name, ...) for name in flags):
        return None
    if not args or not is_traced(args[0]) or not np.size(args[0]):
        return None
    return asked if all(type(flag) is bool for flag in asked.values()) else None


_FLAGS = ("return_index", "return_inverse", "return_counts")


def _unique_and_more(ar, return_index=False, return_inverse=False, return_counts=False) -> Any:
    """The set, and beside it where its elements stand first, are found again, and how often.

    Of the sorted elements some are picked. So are their places and their counts.
    """
    in_order, is_first = _sorted(ar)
    result = [in_order[is_first]]
    flat = np.ravel(ar)
    if return_index:
        result.append(np.argsort(flat, kind="stable")[is_first])
    if return_inverse:
        rank = np.argsort(np.argsort(flat, kind="stable"), kind="stable")
        result.append(np.reshape((np.cumsum(is_first) - 1)[rank], np.shape(ar)))
    if return_counts:
        behind = np.searchsorted(in_order, in_order, side="right")
        before = np.searchsorted(in_order, in_order, side="left")
        result.append((behind - before)[is_first])
    return tuple(result) if len(result) > 1 else result[0]


def _setdiff1d(ar1, ar2) -> Any:
    in_order, is_first = _sorted(ar1)
    return in_order[is_first & ~np.isin(in_order, ar2)]


def _intersect1d(ar1, ar2) -> Any:
    in_order, is_first = _sorted(ar1)
    return in_order[is_first & np.isin(in_order, ar2)]


def _union1d(ar1, ar2) -> Any:
    return _unique(np.concatenate((ar1, ar2), axis=None))


def _setxor1d(ar1, ar2) -> Any:
    in_order, is_first = _sorted(np.concatenate((ar1, ar2), axis=None))
    return in_order[is_first & (np.isin(in_order, ar1) != np.isin(in_order, ar2))]


def _named(function: Callable[..., Any], *flags: str) -> Callable[..., Any]:
    """A function that returns a named tuple, by what ``np.unique`` tells beside the set."""
    make = type(function(np.zeros(1)))

    def found(x) -> Any:
        return make(*_unique_and_more(x, **dict.fromkeys(flags, True)))

    return found


_PICKED: dict[Any, Callable[..., Any]] = {
    np.unique: _unique,
    np.unique_values: _unique,
    np.setdiff1d: _setdiff1d,
    np.intersect1d: _intersect1d,
    np.union1d: _union1d,
    np.setxor1d: _setxor1d,
    np.unique_all: _named(np.unique_all, *_FLAGS),
    np.unique_counts: _named(np.unique_counts, "return_counts"),
    np.unique_inverse: _named(np.unique_inverse, "return_inverse"),
}
"""What is called with arrays alone, in a trace where their values are not known."""

for _name in "unique unique_all unique_counts unique_inverse unique_values".split():
    _set_rule(getattr(np, _name), 1)
for _name in "intersect1d setdiff1d setxor1d union1d".split():
    _set_rule(getattr(np, _name), 2)


@rule_for(np.trim_zeros)
def _trim_zeros(trace: Trace, filt, trim, axis=None) -> Elements:
    """The part of the operand that its values leave, as a view."""
    values = chosen_values(trace, filt)
    if values is None:
        raise REFUSED.error(nonzero, "np.trim_zeros")
    values = np.array(values, order="C")
    kept = trim_zeros(values, trim) if axis is None else trim_zeros(values, trim, axis)
    if not kept.size:
        return Elements(np.zeros(kept.shape, np.int32), dtype_of(filt), keep_array=True)
    first = (kept.ctypes.data - values.ctypes.data) // values.itemsize
    starts = np.unravel_index(first, values.shape)
    key: Any = tuple(slice(i, i + n) for i, n in zip(starts, kept.shape, strict=True))
    return Elements(ids_of(trace, filt)[(*key, ...)], dtype_of(filt), keep_array=True)

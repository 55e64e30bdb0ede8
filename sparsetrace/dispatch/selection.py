"""Rules of functions that choose: where, select, piecewise, clip, take, interp.

Contract: a constant condition chooses; one that depends on the inputs may go either
way, so the result unites the candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.dispatch import elementwise, indexing
from sparsetrace.dispatch.moves import pad_constants
from sparsetrace.dispatch.operands import (
    Elements,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_uncertain,
    known_of,
    landed,
    plain_target,
)
from sparsetrace.dispatch.refused import REFUSED
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.graph import OPAQUE, Graph, Ids

__all__: list[str] = []


def _mask(graph: Graph, condition: Any) -> NDArray[np.bool_] | None:
    """The condition's truth values; None if any of them is unknown."""
    if any(is_uncertain(c) for c in _items(condition)):
        return None
    return known_of(graph, condition).astype(bool)


def _items(obj: Any) -> Sequence[Any]:
    return obj if isinstance(obj, (list, tuple)) else (obj,)


def choose(graph: Graph, condition: Any, x: Ids, y: Ids) -> Ids:
    """Ids of ``where(condition, x, y)``."""
    mask = _mask(graph, condition)
    if mask is not None:
        return np.where(mask, x, y)
    shape = np.broadcast_shapes(np.shape(condition), x.shape, y.shape)
    x, y = np.broadcast_to(x, shape), np.broadcast_to(y, shape)
    out = graph.union(x, y)
    if not graph.pure:
        same = (x == y) & (x <= 0)
        np.copyto(out, x, where=same)
    ids = ids_of(graph, condition)
    decided = ids <= 0
    if decided.any():
        truth = graph.known_values(ids, dtype_of(condition)).astype(bool)
        out = np.where(decided, np.where(truth, x, y), out)
    if graph.dependency:
        out = graph.union(out, np.broadcast_to(ids, shape))
    if out.size and (out <= OPAQUE).any():
        graph.pure = False
    return out


@rule_for(np.where)
def _where(graph: Graph, condition: Any, x: Any = None, y: Any = None, /) -> Elements:
    if x is None and y is None:
        raise REFUSED.error(np.nonzero, "np.where(condition)")
    out = choose(graph, condition, ids_of(graph, x), ids_of(graph, y))
    return Elements(out, _weak_result(x, y))


_PYTHON_NUMBERS = (bool, int, float, complex)


def _weak_result(*values: Any) -> np.dtype[Any]:
    """The common dtype; Python numbers give way, as NumPy's promotion has it."""
    kinds = [v if type(v) in _PYTHON_NUMBERS else dtype_of(v) for v in values]
    return np.result_type(*kinds)


@rule_for(np.select)
def _select(graph: Graph, condlist: Any, choicelist: Any, default: Any = 0) -> Elements:
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    shape = np.broadcast_shapes(*(np.shape(c) for c in (*condlist, *choicelist, default)))
    out = np.broadcast_to(ids_of(graph, default), shape)
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        out = choose(graph, condition, ids_of(graph, choice), out)
    return Elements(np.array(np.broadcast_to(out, shape)), _weak_result(*choicelist, default))


@rule_for(np.choose)
def _choose(
    graph: Graph, a: Any, choices: Any, out: None = None, mode: str = "raise"
) -> Elements:
    parts = [ids_of(graph, c) for c in choices]
    dtype = np.result_type(*(dtype_of(c) for c in choices))
    if not contains_traced(a):
        stacked = [np.array(p) for p in np.broadcast_arrays(*parts)]
        return Elements(np.choose(constant_values(a), stacked, mode=mode), dtype)  # type: ignore[call-overload]
    union = graph.union_all(parts)
    if graph.dependency:
        union = graph.union(union, ids_of(graph, a))
    shape = np.broadcast_shapes(np.shape(a), union.shape)
    graph.pure = False
    return Elements(np.maximum(np.broadcast_to(union, shape), OPAQUE), dtype)


@rule_for(np.piecewise)
def _piecewise(
    graph: Graph, x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any
) -> Elements:
    """Every function is called on the whole of x, and the conditions choose."""
    if not isinstance(condlist, (list, tuple)) or (
        len(condlist) and np.ndim(condlist[0]) == 0 and np.ndim(x) != 0
    ):
        condlist = [condlist]
    conditions = list(condlist)
    functions = list(funclist)
    if len(functions) not in (len(conditions), len(conditions) + 1):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or "
            f"{len(conditions) + 1} functions are expected"
        )

    def piece(function: Any) -> Ids:
        value = function(x, *args, **kw) if callable(function) else function
        return ids_of(graph, value)

    shape = np.shape(x)
    if len(functions) == len(conditions) + 1:
        out = np.broadcast_to(piece(functions.pop()), shape)
    else:
        out = np.broadcast_to(graph.constant(0.0), shape)
    # later conditions win, as they do in np.piecewise
    for condition, function in zip(conditions, functions, strict=True):
        out = choose(graph, condition, np.broadcast_to(piece(function), shape), out)
    return Elements(np.array(out), dtype_of(x))


@rule_for(np.clip)
def _clip(
    graph: Graph, a: Any, a_min: Any = np._NoValue, a_max: Any = np._NoValue, out: None = None,
    **options: Any,
) -> Elements:
    low = options.get("min", a_min)
    high = options.get("max", a_max)
    found = Elements(ids_of(graph, a).copy(), dtype_of(a))
    for bound, ufunc in ((low, np.maximum), (high, np.minimum)):
        if bound is not None and bound is not np._NoValue:
            operand = Operand(graph, found.ids, found.dtype)
            (found,) = elementwise.call(graph, ufunc, (operand, bound))
    return found


@rule_for(np.take)
def _take(
    graph: Graph, a: Any, indices: Any, axis: Any = None, out: None = None, mode: str = "raise"
) -> Elements:
    ids = ids_of(graph, a)
    indices, unsure = indexing.constant_key(graph, indices)
    if not unsure:
        return Elements(np.asarray(ids.take(constant_values(indices), axis, mode=mode)), dtype_of(a))  # type: ignore[call-overload]
    if axis is None:
        ids, axis = ids.reshape(-1), 0
    axis = normalize_axis_index(axis, ids.ndim)
    key = (*(slice(None),) * axis, indices)
    return Elements(indexing.read(graph, ids, key), dtype_of(a))


@rule_for(np.take_along_axis)
def _take_along_axis(graph: Graph, arr: Any, indices: Any, axis: Any = -1) -> Any:
    if not (contains_traced(indices) and is_uncertain(indices)):
        fixed, _ = indexing.constant_key(graph, indices)
        moved = np.take_along_axis(ids_of(graph, arr), constant_values(fixed), axis)
        return Elements(moved, dtype_of(arr))
    ids = ids_of(graph, arr)
    if axis is None:
        ids, axis = ids.reshape(-1), 0
    axis = normalize_axis_index(axis, ids.ndim)
    united = graph.union_rows(np.moveaxis(ids, axis, -1))
    shape = np.broadcast_shapes(
        np.shape(indices), tuple(1 if i == axis else n for i, n in enumerate(ids.shape))
    )
    out: Ids = np.maximum(np.broadcast_to(np.expand_dims(united, axis), shape), OPAQUE)
    if graph.dependency:
        out = graph.union(out, ids_of(graph, indices))
    return Elements(out, dtype_of(arr))


@rule_for(np.pad)
def _pad(graph: Graph, array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    ids, dtype = ids_of(graph, array), dtype_of(array)
    if mode == "constant":
        graph.pure = False
        fill = pad_constants(graph, kwargs.pop("constant_values", 0))
        return Elements(np.pad(ids, pad_width, "constant", constant_values=fill, **kwargs), dtype)
    if mode == "empty":
        graph.pure = False
        return Elements(np.pad(ids, pad_width, "constant"), dtype)
    even = kwargs.get("reflect_type", "even") == "even"
    if mode in ("edge", "wrap") or (mode in ("reflect", "symmetric") and even):
        return Elements(np.pad(ids, pad_width, mode, **kwargs), dtype)
    if mode in ("reflect", "symmetric"):
        return Elements(_pad_odd(graph, ids, pad_width, mode), dtype)
    if mode == "linear_ramp":
        return _pad_ramp(graph, ids, pad_width, dtype, **kwargs)
    if mode in ("maximum", "mean", "median", "minimum"):
        return Elements(_pad_statistic(graph, ids, pad_width, **kwargs), dtype)
    raise REFUSED.error(np.pad, f"np.pad(mode={mode!r})")


def _widths(pad_width: Any, ndim: int) -> list[tuple[int, int]]:
    pairs = np.broadcast_to(np.asarray(pad_width, int), (ndim, 2))
    return [(int(a), int(b)) for a, b in pairs]


def _pad_odd(graph: Graph, ids: Ids, pad_width: Any, mode: str) -> Ids:
    """``2 * edge - reflected``: both the edge and the mirrored element."""
    for axis, widths in enumerate(_widths(pad_width, ids.ndim)):
        pairs = [(0, 0)] * ids.ndim
        pairs[axis] = widths
        mirrored = np.pad(ids, pairs, mode)
        edge = np.pad(ids, pairs, "edge")
        inner = [slice(None)] * ids.ndim
        inner[axis] = slice(widths[0], widths[0] + ids.shape[axis])
        out = graph.union(mirrored, edge)
        if max(widths) >= ids.shape[axis]:
            # several reflections: NumPy repeats them from the padded values
            whole = graph.union_rows(np.moveaxis(ids, axis, -1))
            out = np.broadcast_to(np.expand_dims(whole, axis), out.shape).copy()
        out[tuple(inner)] = ids
        ids = out
    return ids


def _pad_ramp(
    graph: Graph, ids: Ids, pad_width: Any, dtype: np.dtype[Any], end_values: Any = 0
) -> Elements:
    ends = ids_of(graph, end_values) if contains_traced(end_values) else None
    for axis, widths in enumerate(_widths(pad_width, ids.ndim)):
        pairs = [(0, 0)] * ids.ndim
        pairs[axis] = widths
        out = np.pad(ids, pairs, "edge")
        if ends is not None:
            fringe = np.ones(out.shape, bool)
            inner = [slice(None)] * out.ndim
            inner[axis] = slice(widths[0], widths[0] + ids.shape[axis])
            fringe[tuple(inner)] = False
            every = graph.union_rows(ends.reshape(-1))
            ramp = graph.union(out, np.broadcast_to(every, out.shape))
            out = np.where(fringe, ramp, out)
        ids = out
    return Elements(ids, dtype)


def _pad_statistic(graph: Graph, ids: Ids, pad_width: Any, stat_length: Any = None) -> Ids:
    """Each side filled with a statistic over `stat_length` elements next to it."""
    lengths = None if stat_length is None else _widths(stat_length, ids.ndim)
    for axis, (before, after) in enumerate(_widths(pad_width, ids.ndim)):
        n = ids.shape[axis]
        left, right = (n, n) if lengths is None else (min(k, n) for k in lengths[axis])
        rows = np.moveaxis(ids, axis, -1)
        head = graph.union_rows(rows[..., :left])[..., None]
        tail = graph.union_rows(rows[..., n - right :])[..., None]
        parts = [np.repeat(head, before, -1), rows, np.repeat(tail, after, -1)]
        ids = np.moveaxis(np.concatenate(parts, axis=-1), -1, axis)
    return ids


@rule_for(np.interp)
def _interp(
    graph: Graph, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Elements:
    """Each result depends on its own x, and on all traced nodes of the table."""
    shape = np.shape(x)
    parts: list[Ids] = []
    if contains_traced(x):
        flat = not contains_traced(fp) and graph.values
        values = None if contains_traced(fp) else constant_values(fp)
        ends = [v for v in (left, right) if v is not None]
        level = (
            flat
            and values is not None
            and values.size > 0
            and bool((values == values.flat[0]).all())
            and not any(contains_traced(v) or np.any(v != values.flat[0]) for v in ends)
        )
        if level:
            graph.pure = False
            return Elements(graph.constant(np.full(shape, values.flat[0])), np.dtype(float))  # type: ignore[union-attr]
        parts.append(ids_of(graph, x))
    for table in (xp, fp, left, right, period):
        if table is not None and contains_traced(table):
            every = graph.union_rows(ids_of(graph, table).reshape(-1))
            parts.append(np.broadcast_to(every, shape))
    out = graph.union_all(parts)
    if not graph.pure:
        out = np.maximum(out, OPAQUE)
    kind = np.result_type(dtype_of(fp), float)
    return Elements(out, kind)


@rule_for(np.copyto)
def _copyto(
    graph: Graph, dst: Any, src: Any, casting: Any = "same_kind", where: Any = True
) -> None:
    if not is_traced(dst):
        raise plain_target("np.copyto", dst)
    ids = landed(graph, dst._dtype, ids_of(graph, src))
    if where is True:
        dst._ids[...] = ids
    else:
        dst._ids[...] = choose(graph, where, np.broadcast_to(ids, dst._ids.shape), dst._ids)

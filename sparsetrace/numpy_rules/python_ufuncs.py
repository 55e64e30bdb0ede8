"""Ufuncs made of Python functions, by ``np.frompyfunc``: called element by element, as NumPy does.

Contract: such a function may use traced values that are not among its arguments, so a record
of its arguments' derivatives would not do.  The Python function behind the ufunc is called
with traced elements; where it cannot be found, the call is refused.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray, empty
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.context import Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.constants import chosen_values
from sparsetrace.operands.memory_order import of_ufunc
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_traced_array,
    landed,
    plain_target,
    values_of,
)
from sparsetrace.operands.refusals import REFUSED
from sparsetrace.rules import RECORDS

__all__ = ["call", "elements", "gathered", "give_objects_by", "is_of_python", "run_each_by"]

_OPTIONS = {
    "reduce": ("axis", "keepdims", "initial"),
    "accumulate": ("axis",),
    "reduceat": ("axis",),
}
Run = Callable[[Trace, Callable[..., Any], tuple[Any, ...]], Any]


def _once(trace: Trace, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return function(*args)


_run: Run = _once
Objects = Callable[[Sequence[Any]], Any]


def _no_objects(column: Sequence[Any]) -> Any:
    return None


_objects: Objects = _no_objects


def run_each_by(run: Run) -> None:
    """Have functions called by `run`, which may run the branches of one element apart."""
    global _run
    _run = run


def is_of_python(ufunc: np.ufunc) -> bool:
    """Whether a ufunc without a rule calls a Python function for each element.

    Examples
    --------
    >>> is_of_python(np.frompyfunc(lambda a, b: a + b, 2, 1)), is_of_python(np.exp2)
    (True, False)
    """
    if ufunc.ntypes != 1 or ufunc in RECORDS or ufunc.signature is not None:
        return False
    return bool(ufunc.types[0] == "O" * ufunc.nin + "->" + "O" * ufunc.nout)


def _refused(ufunc: np.ufunc, what: str, problem: str, remedy: str) -> UnsupportedError:
    return UnsupportedError(explain(f"{ufunc.__name__}{what}", problem, remedy))


def _function(ufunc: np.ufunc) -> Callable[..., Any]:
    """The Python function behind a ufunc: the one callable that it holds."""
    held = [x for x in gc.get_referents(ufunc) if callable(x)]
    if not held:
        raise _refused(
            ufunc,
            "()",
            "it calls a function for each element that cannot be found, and that may use traced "
            "values which are none of its arguments",
            "Call the Python function itself in a loop, or use np.vectorize.",
        )
    result: Callable[..., Any] = held[0]
    return result


def give_objects_by(make: Objects) -> None:
    """Have elements made an array of objects by `make`, which gives None where nobody asks."""
    global _objects
    _objects = make


# ------------------------------------------------------------------------ elements
def elements(trace: Trace, operand, shape: tuple[int, ...]) -> list[Any]:
    """The elements of an operand in C order, as NumPy gives them to a Python function."""
    if contains_traced(operand):
        ids = np.broadcast_to(ids_of(trace, operand), shape).reshape(-1)
        dtype, values = dtype_of(operand), None
        if trace.local:
            values = np.array(np.broadcast_to(values_of(operand), shape), dtype).reshape(-1)
        given: list[Any] = trace.wrap(Elements(ids, dtype, values, keep_array=True)).tolist()
        return given
    return np.broadcast_to(asarray(operand, object), shape).reshape(-1).tolist()


def _given(
    trace: Trace, column: Sequence[Any], shape: tuple[int, ...], inputs: Sequence[Any] = ()
) -> Any:
    """What a ufunc gives of these elements: objects, where it matters."""
    objects = None if not any(map(is_traced, column)) else _objects(column)
    if objects is None:
        return gathered(trace, column, shape, inputs)
    return of_ufunc(objects.reshape(shape), inputs)


def gathered(
    trace: Trace, column: Sequence[Any], shape: tuple[int, ...], inputs: Sequence[Any] = ()
) -> Any:
    """What a function returned for each element as one array; of objects if none is traced."""
    numbers = not any(isinstance(v, (list, tuple)) or np.ndim(v) for v in column)
    if numbers and any(map(is_traced, column)):
        ids = np.array([ids_of(trace, v).reshape(()) for v in column], np.int32).reshape(shape)
        dtype = np.result_type(*map(dtype_of, column))
        points = None
        if trace.local:
            points = np.array([values_of(v) for v in column], dtype).reshape(shape)
            points = of_ufunc(points, inputs)
        ids = of_ufunc(ids, inputs)
        return trace.wrap(Elements(ids, dtype, points, keep_array=True))
    objects = empty(len(column), object)
    for i, item in enumerate(column):
        objects[i] = item
    return of_ufunc(objects.reshape(shape), inputs)


# --------------------------------------------------------------------------- calls
def call(
    trace: Trace, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``ufunc(*inputs)``, or a method of it, an element at a time."""
    function = _function(ufunc)
    options = {k: v for k, v in kwargs.items() if k == "axis" or (v is not None and k != "subok")}
    out = options.pop("out", None)
    known = {
        "reduce": {"axis", "keepdims", "initial"},
        "accumulate": {"axis"},
        "reduceat": {"axis"},
    }
    unknown = [k for k in options if k not in known.get(method, ())]
    if unknown and not (unknown == ["where"] and options["where"] is True):
        raise _refused(
            ufunc,
            f"(..., {unknown[0]}=)",
            "this argument is not traced beside a Python function",
            "Leave it away, and choose among the results with np.where.",
        )
    options.pop("where", None)

    def one(*args) -> Any:
        result = _run(trace, function, args)
        if ufunc.nout > 1 and len(result) != ufunc.nout:
            raise ValueError(f"{ufunc.__name__}: {ufunc.nout} values expected, {len(result)} given")
        return result

    if method == "at":
        _at(trace, ufunc, one, *inputs)
        return None
    if method in ("reduce", "accumulate", "reduceat") and (ufunc.nin != 2 or ufunc.nout != 1):
        raise ValueError(f"{method} only supported for binary functions")
    if method == "__call__":
        results = _called(trace, ufunc, one, inputs)
    elif method == "outer":
        a, b = inputs
        left = a[(..., *(None,) * np.ndim(b))] if np.ndim(a) else a
        results = _called(trace, ufunc, one, (left, b))
    elif method == "reduce":
        results = (_reduce(trace, ufunc, one, *inputs, **options),)
    elif method == "accumulate":
        results = (_accumulate(trace, one, *inputs, **options),)
    else:
        results = (_reduceat(trace, ufunc, one, *inputs, **options),)
    if out is not None:
        targets = out if isinstance(out, tuple) else (out,)
        results = tuple(
            r if t is None else _stored(trace, ufunc, t, r)
            for t, r in zip(targets, results, strict=True)
        )
    return results[0] if len(results) == 1 else results


def _called(
    trace: Trace, ufunc: np.ufunc, one: Callable[..., Any], inputs: tuple[Any, ...]
) -> tuple[Any, ...]:
    inputs = tuple(x if contains_traced(x) else asarray(x, object) for x in inputs)
    shape = np.broadcast_shapes(*(np.shape(x) for x in inputs))
    columns = [elements(trace, x, shape) for x in inputs]
    rows = [one(*row) for row in zip(*columns, strict=True)]
    if not shape and all(not np.ndim(x) for x in inputs):
        return tuple(rows[0]) if ufunc.nout > 1 else (rows[0],)
    if ufunc.nout == 1:
        return (_given(trace, rows, shape, inputs),)
    places = range(ufunc.nout)
    return tuple(_given(trace, [row[i] for row in rows], shape, inputs) for i in places)


def _rows(trace: Trace, x, axis) -> tuple[list[list[Any]], tuple[int, ...]]:
    """The elements along an axis, one list for each place on the others."""
    moved = np.moveaxis(x if contains_traced(x) else asarray(x, object), axis, -1)
    shape = moved.shape
    items = elements(trace, moved, shape)
    n = shape[-1]
    count = len(items) // n if n else int(np.prod(shape[:-1]))
    return [items[i * n : (i + 1) * n] for i in range(count)], shape


def _one_axis(ufunc: np.ufunc, x, axis) -> int:
    dims = np.ndim(x)
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    if axis is None and dims == 1:
        axis = 0
    if axis is None or isinstance(axis, tuple):
        raise _refused(
            ufunc,
            ".reduce",
            "several axes at once are not traced for a Python function",
            "Reduce one axis after the other, or x.reshape(-1).",
        )
    return normalize_axis_index(axis, dims)


def _reduce(
    trace: Trace,
    ufunc: np.ufunc,
    one: Callable[..., Any],
    x,
    axis=0,
    keepdims: bool = False,
    initial=np._NoValue,
) -> Any:
    axis = _one_axis(ufunc, x, axis)
    rows, shape = _rows(trace, x, axis)
    first = [] if initial is np._NoValue else [initial]
    results = []
    for row in rows:
        items = [*first, *row]
        if not items:
            if ufunc.identity is None:
                raise ValueError(f"zero-size array to reduction operation {ufunc.__name__}")
            items = [ufunc.identity]
        total = items[0]
        for item in items[1:]:
            total = one(total, item)
        results.append(total)
    if len(shape) == 1 and not keepdims:
        return results[0]
    result = _given(trace, results, shape[:-1])
    return np.expand_dims(result, axis) if keepdims else result


def _accumulate(trace: Trace, one: Callable[..., Any], x, axis: int = 0) -> Any:
    rows, shape = _rows(trace, x, axis)
    results: list[Any] = []
    for row in rows:
        for i, item in enumerate(row):
            results.append(one(results[-1], item) if i else item)
    return np.moveaxis(_given(trace, results, shape), -1, axis)


def _reduceat(
    trace: Trace, ufunc: np.ufunc, one: Callable[..., Any], x, indices, axis: int = 0
) -> Any:
    rows, shape = _rows(trace, x, axis)
    starts = _chosen(trace, indices, ufunc).astype(int).reshape(-1).tolist()
    stops = [*starts[1:], shape[-1]]
    results = []
    for row in rows:
        for lo, hi in zip(starts, stops, strict=True):
            total = row[lo]
            for item in row[lo + 1 : hi]:
                total = one(total, item)
            results.append(total)
    result = _given(trace, results, (*shape[:-1], len(starts)))
    return np.moveaxis(result, -1, axis)


def _chosen(trace: Trace, indices, ufunc: np.ufunc) -> Any:
    """Indices whose values are known."""
    values = chosen_values(trace, indices)
    if values is None:
        raise REFUSED.value_dependent(ufunc.__name__)
    return values


def _at(
    trace: Trace,
    ufunc: np.ufunc,
    one: Callable[..., Any],
    x,
    indices,
    *operands,
) -> None:
    """In place, one place after the other."""
    if not is_traced_array(x):
        raise plain_target(f"{ufunc.__name__}.at", x)
    key = _chosen(trace, indices, ufunc) if contains_traced(indices) else indices
    places = np.arange(x._ids.size).reshape(x._ids.shape)[key]
    others = [elements(trace, b, places.shape) for b in operands]
    for turn, place in enumerate(places.reshape(-1).tolist()):
        at = np.unravel_index(place, x._ids.shape)
        x[at] = one(x[at], *(b[turn] for b in others))


def _stored(trace: Trace, ufunc: np.ufunc, target, result) -> Any:
    """The result written into ``out=``."""
    if is_traced_array(target):  # NumPy casts objects to floats where it is told to
        target._ids[...] = landed(trace, target._dtype, ids_of(trace, result))
        if trace.local:
            target._values[...] = values_of(result)
        return target
    if target.dtype != object:
        raise plain_target(f"{ufunc.__name__}(..., out=)", target)
    items = elements(trace, result, target.shape)
    for at, item in zip(np.ndindex(target.shape), items, strict=True):
        target[at] = item
    return target

"""Functions that only move elements: NumPy's own function, run on the node ids.

Contract: a move copies, repeats, drops or permutes elements and may fill with zeros;
which goes where depends on shapes and constants alone.  Views stay views, because
NumPy itself makes them of the id array.  A line of the table names the arguments that
hold elements; all others must be constants.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
from numpy import block, broadcast_arrays, insert, meshgrid
from numpy.lib.stride_tricks import sliding_window_view

from sparsetrace.context import Trace
from sparsetrace.errors import BY_VALUES, ValueDependentError, explain
from sparsetrace.graph.graph import Ids
from sparsetrace.numpy_rules.unknown_counts import moved_by_unknown
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.constants import converted, decided_values
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    python_type,
)

__all__ = ["MOVES", "VIEWING", "repeats", "run_move"]

_LINES: list[tuple[Callable[..., Any], str]] = [
    (np.reshape, "a"),
    (np.ravel, "a"),
    (np.transpose, "a"),
    (np.matrix_transpose, "x"),
    (np.linalg.matrix_transpose, "x"),
    (np.swapaxes, "a"),
    (np.moveaxis, "a"),
    (np.rollaxis, "a"),
    (np.expand_dims, "a"),
    (np.squeeze, "a"),
    (np.atleast_1d, "*arys"),
    (np.atleast_2d, "*arys"),
    (np.atleast_3d, "*arys"),
    (np.broadcast_to, "array"),
    (np.broadcast_arrays, "*args"),
    (np.roll, "a"),
    (np.rot90, "m"),
    (np.flip, "m"),
    (np.fliplr, "m"),
    (np.flipud, "m"),
    (np.tile, "A"),
    (np.repeat, "a"),
    (np.resize, "a"),
    (np.diagonal, "a"),
    (np.linalg.diagonal, "x"),
    (np.diag, "v"),
    (np.diagflat, "v"),
    (np.tril, "m"),
    (np.triu, "m"),
    (np.delete, "arr"),
    (np.insert, "arr values"),
    (np.append, "arr values"),
    (np.concatenate, "arrays"),
    (np.stack, "arrays"),
    (np.vstack, "tup"),
    (np.hstack, "tup"),
    (np.dstack, "tup"),
    (np.column_stack, "tup"),
    (np.block, "arrays"),
    (np.split, "ary"),
    (np.array_split, "ary"),
    (np.hsplit, "ary"),
    (np.vsplit, "ary"),
    (np.dsplit, "ary"),
    (np.meshgrid, "*xi"),
    (np.copy, "a"),
    (np.lib.stride_tricks.sliding_window_view, "x"),
    (np.fft.fftshift, "x"),
    (np.fft.ifftshift, "x"),
]
if hasattr(np, "unstack"):  # NumPy 2.1
    _LINES.append((np.unstack, "x"))


_FIRST = frozenset((np.insert, np.delete))
"""Moves whose result has the dtype of the first argument, whatever goes into it."""
_APART = frozenset((np.broadcast_arrays, np.meshgrid, np.atleast_1d, np.atleast_2d, np.atleast_3d))
"""Moves with one result, of its own dtype, for each argument."""


_REARRANGING = frozenset(
    (
        *(np.reshape, np.ravel, np.transpose, np.matrix_transpose, np.linalg.matrix_transpose),
        *(np.swapaxes, np.moveaxis, np.rollaxis, np.expand_dims, np.squeeze, np.broadcast_to),
        *(np.rot90, np.flip, np.fliplr, np.flipud, np.diagonal, np.linalg.diagonal),
        *(np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit),
        sliding_window_view,
        getattr(np, "unstack", None),  # NumPy 2.1
    )
)
"""Moves of one array, the first argument, which add nothing to it."""
VIEWING = _REARRANGING | _APART | {np.diag}
"""Moves whose results may be views of their arguments: what is written into these shows there."""


class _Move:
    """Where the arguments that hold elements stand in a call."""

    __slots__ = ("function", "keywords", "positions", "variadic")

    def __init__(self, function: Callable[..., Any], names: str) -> None:
        self.function = function
        self.variadic = names.startswith("*")
        self.keywords = frozenset(names.lstrip("*").split())
        try:
            parameters = list(inspect.signature(function).parameters)
        except ValueError:  # np.concatenate is compiled, and has no signature
            parameters = names.split()
        self.positions = frozenset(
            i for i, name in enumerate(parameters) if name.lstrip("*") in self.keywords
        )

    def holds(self, position: int) -> bool:
        return self.variadic or position in self.positions


MOVES: dict[Callable[..., Any], _Move] = {f: _Move(f, names) for f, names in _LINES}


# These recursive helpers are functions of the module: a closure that calls itself is a
# reference cycle, and would keep the trace alive until the garbage collector runs.
def _lifted(trace: Trace, function: Callable[..., Any], value, dtypes: list[np.dtype[Any]]) -> Any:
    """Node ids in place of the elements; notes their dtypes."""
    # an empty list is an array of no floats, except where NumPy refuses it
    if isinstance(value, (list, tuple)) and (value or function is block):
        items = [_lifted(trace, function, item, dtypes) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    dtypes.append(dtype_of(value))
    return moved_ids(trace, value)


def _plain(trace: Trace, value, name: str) -> Any:
    """An argument that says which elements move where."""
    if not contains_traced(value):
        return value
    if isinstance(value, tuple):
        return tuple(_plain(trace, item, name) for item in value)
    values = decided_values(trace, value)
    if values is None:
        raise ValueDependentError(
            explain(
                f"np.{name}",
                "an index, a mask or a count depends on the inputs, so which elements "
                "move where does too",
                "Compute it from constants, or use np.where over both outcomes.",
                BY_VALUES,
            )
        )
    return values if values.ndim else values[()]


def _wrapped(trace: Trace, value, dtype: np.dtype[Any], apart: list[np.dtype[Any]] | None) -> Any:
    """`Elements` in place of id arrays; `apart` has a dtype for each result."""
    if isinstance(value, (list, tuple)):
        dtypes = [dtype] * len(value) if apart is None else apart
        items = [_wrapped(trace, item, k, None) for item, k in zip(value, dtypes, strict=True)]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, np.ndarray):
        trace.graph.look_at(value)
        return Elements(value, dtype, keep_array=True)
    if isinstance(value, np.integer):  # of a view without dimensions NumPy makes a number
        return Elements(np.asarray(value), dtype)
    return value


def repeats(ids: Ids) -> bool:
    """Whether one place in memory is several elements, as in windows and broadcast arrays.

    Such an array is read-only: what a rule writes element by element, one of them would
    undo for another.
    """
    extent = sum((n - 1) * abs(step) for n, step in zip(ids.shape, ids.strides, strict=True))
    return bool(ids.size * ids.itemsize > extent + ids.itemsize)


def _slides(ids: Ids, window=None, *rest) -> bool:
    """Whether windows over all axes are asked for, of an array that lies in order."""
    sizes = window if type(window) is tuple else (window,)
    return (
        not rest
        and len(sizes) == ids.ndim
        and ids.flags.c_contiguous
        and all(type(n) is int and 0 <= n <= m for n, m in zip(sizes, ids.shape, strict=True))
    )


def _windows(ids: Ids, window) -> Ids:
    """``sliding_window_view`` in a quarter of its time."""
    sizes = window if type(window) is tuple else (window,)
    places = tuple(m - n + 1 for n, m in zip(sizes, ids.shape, strict=True))
    views: Ids = np.ndarray((*places, *sizes), ids.dtype, ids, 0, ids.strides * 2)
    views.flags.writeable = False
    return views


def _all(value, dtype: np.dtype[Any]) -> Any:
    """Ids, or lists and tuples of them, as elements of one dtype."""
    if isinstance(value, (list, tuple)):
        return type(value)(_all(item, dtype) for item in value)
    # of a view without dimensions NumPy makes a number
    return Elements(np.asarray(value), dtype, keep_array=isinstance(value, np.ndarray))


def _check_casting(dtypes: list[np.dtype[Any]], wanted, casting) -> None:
    """Raise NumPy's error where a ``dtype=`` cannot take the elements."""
    if wanted is None:
        return
    for dtype in dtypes:
        if not np.can_cast(dtype, wanted, casting):
            raise TypeError(
                f"Cannot cast array data from {dtype!r} to {np.dtype(wanted)!r} according to the "
                f"rule {casting!r}"
            )


def run_move(trace: Trace, move: _Move, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run the move on ids.  The result holds `Elements` in place of arrays.

    Raises
    ------
    ValueDependentError
        If an argument that says which elements move where depends on the inputs.
    """
    function, name = move.function, move.function.__name__
    if function in _REARRANGING and args and type(getattr(args[0], "_ids", None)) is np.ndarray:
        x, *rest = args
        if not any(map(contains_traced, rest)) and not any(map(contains_traced, kwargs.values())):
            trace.keeps_writes |= function is sliding_window_view
            if function is sliding_window_view and not kwargs and _slides(x._ids, *rest):
                return Elements(_windows(x._ids, *rest), x._dtype, keep_array=True)
            numpys = not isinstance(x, np.ndarray) and python_type(type(x)) is None
            ids = x._ids[()] if numpys else x._ids  # of a number of its own NumPy makes one
            result = function(ids, *rest, **kwargs)
            if function is sliding_window_view:
                result.flags.writeable = False  # see `repeats`
            return _all(result, x._dtype)
    united = moved_by_unknown(trace, function, args, kwargs)
    if united is not None:
        return united
    dtypes: list[np.dtype[Any]] = []
    moved = [
        _lifted(trace, function, a, dtypes) if move.holds(i) else _plain(trace, a, name)
        for i, a in enumerate(args)
    ]
    options = {
        k: _lifted(trace, function, v, dtypes) if k in move.keywords else _plain(trace, v, name)
        for k, v in kwargs.items()
        if k not in ("dtype", "casting")
    }
    source = dtypes[0] if function in _FIRST else np.result_type(*dtypes)
    wanted = kwargs.get("dtype")
    dtype = source if wanted is None else np.dtype(wanted)
    _check_casting(dtypes, wanted, kwargs.get("casting", "same_kind"))
    if function is insert:
        values = args[2] if len(args) > 2 else kwargs["values"]
        if isinstance(values, complex):
            source.type(values)
    if dtype.kind in "biu" and any(result_dtype.kind not in "biu" for result_dtype in dtypes):
        return _integer_move(trace, move, args, kwargs, dtype)
    if function not in _APART and len({x.kind == "c" for x in (*dtypes, dtype)}) > 1:
        moved = [
            _as_dtype(trace, a, dtype) if move.holds(i) else x
            for i, (a, x) in enumerate(zip(args, moved, strict=True))
        ]
        options = {
            k: _as_dtype(trace, kwargs[k], dtype) if k in move.keywords else v
            for k, v in options.items()
        }
    result = function(*moved, **options)
    if function in (broadcast_arrays, meshgrid, sliding_window_view):
        for ids in result if isinstance(result, (list, tuple)) else (result,):
            if repeats(ids):
                ids.flags.writeable = False
                trace.keeps_writes = True
    apart = None
    if isinstance(result, (list, tuple)) and function in _APART:
        apart = [dtype_of(a) for a in args]
    return _wrapped(trace, result, dtype, apart)


def _as_dtype(trace: Trace, value, dtype: np.dtype[Any]) -> Any:
    """Node ids of elements of which some are complex, in the dtype that all of them get."""
    if isinstance(value, (list, tuple)) and value:
        return type(value)(_as_dtype(trace, item, dtype) for item in value)
    return moved_ids(trace, value, dtype)


def _as_integers(trace: Trace, value, dtype: np.dtype[Any]) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_as_integers(trace, item, dtype) for item in value)
    return Operand(trace, converted(trace, ids_of(trace, value), dtype_of(value), dtype), dtype)


def _integer_move(
    trace: Trace, move: _Move, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: np.dtype[Any]
) -> Any:
    """The move after its elements were converted to whole numbers."""
    moved = tuple(_as_integers(trace, a, dtype) if move.holds(i) else a for i, a in enumerate(args))
    options = {
        k: _as_integers(trace, v, dtype) if k in move.keywords else v
        for k, v in kwargs.items()
        if k not in ("dtype", "casting")
    }
    return run_move(trace, move, moved, options)

"""Functions that only move elements: NumPy's own function, run on the node ids.

Contract: a move copies, repeats, drops or permutes elements and may fill with zeros;
which goes where depends on shapes and constants alone.  Views stay views, because
NumPy itself makes them of the id array.  A line names the arguments that hold
elements; all others must be constants.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.dispatch.operands import (
    Elements,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_uncertain,
    known_of,
    plain_target,
)
from sparsetrace.errors import ValueDependentError, explain
from sparsetrace.graph import OPAQUE, Graph

__all__ = ["MOVES", "run_move"]

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
    (np.compress, "a"),
    (np.extract, "arr"),
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
    (np.unstack, "x"),
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
    (np.fill_diagonal, "a val"),
    (np.put, "a v"),
    (np.place, "arr vals"),
    (np.putmask, "a values"),
    (np.put_along_axis, "arr values"),
]


_TARGETS = frozenset((np.fill_diagonal, np.put, np.place, np.putmask, np.put_along_axis))
"""Moves that write into their first argument."""


class _Move:
    """Where the arguments that hold elements stand in a call."""

    __slots__ = ("function", "keywords", "positions", "variadic")

    def __init__(self, function: Callable[..., Any], names: str) -> None:
        self.function = function
        self.variadic = names.startswith("*")
        self.keywords = frozenset(names.lstrip("*").split())
        try:
            parameters = list(inspect.signature(function).parameters)
        except ValueError:  # np.concatenate, np.putmask: compiled, no signature
            parameters = names.split()
            if function is np.putmask:
                parameters = ["a", "mask", "values"]
        self.positions = frozenset(
            i for i, name in enumerate(parameters) if name.lstrip("*") in self.keywords
        )

    def holds(self, position: int) -> bool:
        return self.variadic or position in self.positions


MOVES: dict[Callable[..., Any], _Move] = {f: _Move(f, names) for f, names in _LINES}


def run_move(graph: Graph, move: _Move, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run the move on ids.  The result holds `Elements` in place of arrays."""
    dtypes: list[np.dtype[Any]] = []
    if move.function in _TARGETS:
        target = args[0] if args else next(v for k, v in kwargs.items() if k in ("a", "arr"))
        if not is_traced(target):
            raise plain_target(f"np.{move.function.__name__}", target)

    def lift(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(map(lift, value)) if type(value) in (list, tuple) else (
                [lift(item) for item in value]
            )
        dtypes.append(dtype_of(value))
        return ids_of(graph, value)

    def plain(value: Any) -> Any:
        if is_traced(value) or (isinstance(value, (list, tuple)) and contains_traced(value)):
            items = [value] if is_traced(value) else value
            if any(is_uncertain(item) for item in items):
                name = move.function.__name__
                raise ValueDependentError(
                    explain(
                        f"np.{name}",
                        "an index, a mask or a count depends on the inputs, so which elements "
                        "move where does too",
                        "Compute it from constants, or use np.where over both outcomes.",
                    )
                )
            return known_of(graph, value)
        return value

    moved = [lift(a) if move.holds(i) else plain(a) for i, a in enumerate(args)]
    wanted = kwargs.get("dtype")
    options = {
        k: lift(v) if k in move.keywords else plain(v)
        for k, v in kwargs.items()
        if k not in ("dtype", "casting")
    }
    result = move.function(*moved, **options)
    dtype = np.dtype(wanted) if wanted is not None else np.result_type(*dtypes)

    def wrapped(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(map(wrapped, value)) if type(value) in (list, tuple) else tuple(
                map(wrapped, value)
            )
        if isinstance(value, np.ndarray):
            if graph.pure and value.size and value.min() <= OPAQUE:
                graph.pure = False
            return Elements(value, dtype, keep_array=True)
        return value

    return wrapped(result)


def pad_constants(graph: Graph, value: Any) -> Any:
    """The fill of ``np.pad`` as ids, nested as NumPy takes it."""
    if isinstance(value, (list, tuple)):
        return tuple(pad_constants(graph, item) for item in value)
    return np.asarray(ids_of(graph, value if is_traced(value) else constant_values(value)))

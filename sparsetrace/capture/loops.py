"""``np.vectorize`` and ``np.ndenumerate``: NumPy's Python-level loops over elements.

Contract: outside of a trace, and on plain arguments, each is the original.  The
function that ``np.vectorize`` calls is taken as pure, element by element, so that the
branches of one element are run apart from those of the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from sparsetrace.branches import Branches
from sparsetrace.capture.session import SESSION
from sparsetrace.dispatch.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    values_of,
)
from sparsetrace.errors import TracingError, UnsupportedError, explain
from sparsetrace.failing import is_genuine
from sparsetrace.graph import CURRENT, Graph
from sparsetrace.raising import may_raise

__all__ = ["by_element", "wrappers"]

_MOST_PATHS = 64
"""Decision paths through one element of ``np.vectorize``."""


def _wrapped_vectorize(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if SESSION.get() is None or self.pyfunc is np._NoValue:
            return original(self, *args, **kwargs)
        if not contains_traced([*args, *kwargs.values()]):
            return original(self, *args, **kwargs)
        if self.signature is not None:
            raise UnsupportedError(
                explain(
                    "np.vectorize(signature=)",
                    "its calls on whole rows are not traced",
                    "Loop over the rows and use np.stack.",
                )
            )
        graph = CURRENT.get()
        assert graph is not None
        places = [place for place in (*range(len(args)), *kwargs) if place not in self.excluded]
        return by_element(graph, self.pyfunc, places, args, kwargs, otypes=self.otypes)

    return call


def by_element(
    graph: Graph,
    function: Callable[..., Any],
    places: Iterable[int | str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    otypes: Any,
) -> Any:
    """What a function of numbers gives for each element of the arguments at `places`.

    The branches of one element are run apart from those of the others.
    """
    places = list(places)
    operands = [args[p] if isinstance(p, int) else kwargs[p] for p in places]
    shape = np.broadcast_shapes(*(ids_of(graph, operand).shape for operand in operands))
    columns = [_elements(graph, operand, shape) for operand in operands]
    rows: list[tuple[Any, ...]] = []
    several = False
    for row in zip(*columns, strict=True):
        values = dict(zip(places, row, strict=True))
        positional = [values.get(i, a) for i, a in enumerate(args)]
        named = {name: values.get(name, v) for name, v in kwargs.items()}
        found = _united_paths(graph, functools.partial(function, *positional, **named))
        several = isinstance(found, tuple)
        rows.append(found if isinstance(found, tuple) else (found,))
    results = []
    for i, column in enumerate(zip(*rows, strict=True)):
        ids = np.array([ids_of(graph, v).reshape(()) for v in column], np.int32).reshape(shape)
        kind = np.result_type(*map(dtype_of, column))
        points = [values_of(v) for v in column] if graph.local else None
        shown = None if points is None else np.array(points, kind).reshape(shape)
        made = graph.wrap(Elements(ids, kind, shown, keep_array=True))
        results.append(made if otypes is None else made.astype(otypes[i]))
    return tuple(results) if several else results[0]


def _elements(graph: Graph, operand: Any, shape: tuple[int, ...]) -> list[Any]:
    if contains_traced(operand):
        ids = np.broadcast_to(ids_of(graph, operand), shape).reshape(-1)
        kind, values = dtype_of(operand), None
        if graph.local:
            values = np.array(np.broadcast_to(values_of(operand), shape), kind).reshape(-1)
        found: list[Any] = graph.wrap(Elements(ids, kind, values, keep_array=True)).tolist()
        return found
    return np.broadcast_to(np.asarray(operand), shape).reshape(-1).tolist()


def _united_paths(graph: Graph, call: Callable[[], Any]) -> Any:
    """What `call` returns, united over the outcomes of its own branches."""
    outer = graph.decide
    if outer is None:
        return call()
    branches = Branches(_MOST_PATHS)
    found: list[Any] = []
    refused: Exception | None = None
    try:
        graph.decide = branches.decide
        while branches.start():
            try:
                found.append(call())
            except TracingError:
                raise
            except Exception as error:
                if not branches.path or not is_genuine(error, branches):
                    raise
                refused = refused or error
    finally:
        graph.decide = outer
    if refused is not None:
        if not found:
            raise refused
        may_raise(graph, functools.partial(_itself, refused))
    if len(found) == 1:
        return found[0]
    if isinstance(found[0], tuple):
        return tuple(_united(graph, column) for column in zip(*found, strict=True))
    return _united(graph, found)


def _itself(error: Exception) -> Exception:
    return error


def _united(graph: Graph, values: Any) -> Any:
    graph.pure = False
    parts = [ids_of(graph, value).reshape(1) for value in values]
    kind = np.result_type(*map(dtype_of, values))
    return graph.wrap(Elements(graph.union_all(parts).reshape(()), kind))


def _wrapped_enumeration(original: Any) -> Any:
    def ndenumerate(arr: Any) -> Any:
        if not is_traced(arr):
            return original(arr)
        return _pairs(arr)

    return ndenumerate


def _pairs(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    yield from zip(np.ndindex(arr.shape), arr.reshape(-1), strict=True)


def wrappers() -> dict[tuple[Any, str], tuple[Any, Any]]:
    """For each owner and name, the original and its wrapper."""
    call = vars(np.vectorize)["__call__"]
    return {
        (np.vectorize, "__call__"): (call, _wrapped_vectorize(call)),
        (np, "ndenumerate"): (np.ndenumerate, _wrapped_enumeration(np.ndenumerate)),
    }

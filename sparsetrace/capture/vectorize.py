"""``np.vectorize`` and ``np.ndenumerate``: NumPy's Python-level loops over elements.

Contract: outside of a trace each is the original.  The branches that a Python function takes
for one element are run apart from those of the others, unless it has side effects.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from sparsetrace.capture import math_module
from sparsetrace.capture.branches import Branches
from sparsetrace.capture.builtin_names import CONVERSIONS
from sparsetrace.capture.genuine_errors import is_genuine
from sparsetrace.capture.patch import Patch
from sparsetrace.capture.session import SESSION
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import TracingError, UnsupportedError, explain
from sparsetrace.numpy_rules.python_ufuncs import elements, gathered, run_each_by
from sparsetrace.operands.operands import Elements, contains_traced, dtype_of, ids_of, is_traced
from sparsetrace.operands.raising import may_raise
from sparsetrace.user_code.effects import has_effects

__all__ = ["by_element", "patches"]

_MOST_PATHS = 64
"""Decision paths through one element of ``np.vectorize``."""


def _wrapped_vectorize(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if SESSION.get() is None or CURRENT.get() is None or self.pyfunc is np._NoValue:
            return original(self, *args, **kwargs)
        if self.signature is None:
            # the function may use traced values that are none of its arguments
            trace = CURRENT.get()
            assert trace is not None
            places = [place for place in (*range(len(args)), *kwargs) if place not in self.excluded]
            asks = self.otypes is None and not self.cache
            return by_element(
                trace, self.pyfunc, places, args, kwargs, otypes=self.otypes, asks_first=asks
            )
        if not contains_traced([*args, *kwargs.values()]):
            return original(self, *args, **kwargs)
        raise UnsupportedError(
            explain(
                "np.vectorize(signature=)",
                "its calls on whole rows are not traced",
                "Loop over the rows and use np.stack.",
            )
        )

    return call


def by_element(
    trace: Trace,
    function: Callable[..., Any],
    places: Iterable[int | str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    otypes: Any,
    asks_first: bool = False,
) -> Any:
    """What a function of numbers gives for each element of the arguments at `places`.

    Every call of the function is made, and none twice; `asks_first` adds the one by which
    ``np.vectorize`` learns how many results there are.
    """
    places = list(places)
    operands = [args[p] if isinstance(p, int) else kwargs[p] for p in places]
    operands = [x if contains_traced(x) else np.asarray(x, object) for x in operands]
    shape = np.broadcast_shapes(*(np.shape(operand) for operand in operands))
    columns = [elements(trace, operand, shape) for operand in operands]

    def called(row: tuple[Any, ...]) -> Any:
        values = dict(zip(places, row, strict=True))
        positional = [values.get(i, a) for i, a in enumerate(args)]
        named = {name: values.get(name, v) for name, v in kwargs.items()}
        return united_paths(trace, function, tuple(positional), named)

    todo = list(zip(*columns, strict=True))
    if not todo and otypes is None:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    if not places:  # all arguments are excluded
        todo = [()]
    if asks_first:
        called(todo[0])
    rows = [called(row) for row in todo]
    several = isinstance(rows[0], tuple) if rows else len(otypes) > 1
    if not several:
        rows = [(row,) for row in rows]
    count = len(rows[0]) if rows else len(otypes)
    results = [
        _typed(trace, otypes, i, gathered(trace, [row[i] for row in rows], shape, operands), rows)
        for i in range(count)
    ]
    return tuple(results) if several else results[0]


def _typed(trace: Trace, otypes: Any, i: int, result: Any, rows: list[Any]) -> Any:
    """One result of ``np.vectorize``: of the type asked for, else of its first element's."""
    if otypes is not None:
        return result if otypes[i] == "O" else result.astype(otypes[i])
    first = rows[0][i]
    if not is_traced(result):
        return result.astype(np.asarray(first).dtype) if not contains_traced(result) else result
    # where the values are not known another branch may have come first
    return result.astype(dtype_of(first)) if trace.local else result


@functools.cache
def _of_math() -> dict[int, Any]:
    """For the builtins that a Python loop may be given itself, what takes traced numbers."""
    stand_ins = {id(patch.original): patch.replacement for patch in math_module.patches()}
    return {**stand_ins, **{id(plain): own for plain, own in CONVERSIONS.items()}}


def united_paths(
    trace: Trace,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """What the function returns, united over the outcomes of its own branches.

    One with side effects is run once: its branches are those of the traced function.
    """
    function = _of_math().get(id(function), function)
    call = functools.partial(function, *args, **(kwargs or {}))
    outer = trace.decide
    if outer is None or trace.local:
        return call()
    branches = Branches(_MOST_PATHS)

    def decide() -> bool:
        if not branches.path and has_effects(function):
            trace.decide = outer
            return outer()
        return branches.decide()

    results: list[Any] = []
    refused: Exception | None = None
    try:
        trace.decide = decide
        while branches.start():
            try:
                results.append(call())
            except TracingError:
                raise
            except Exception as error:
                if not branches.path or not is_genuine(error, branches):
                    raise
                refused = refused or error
    finally:
        trace.decide = outer
    if refused is not None:
        if not results:
            raise refused
        may_raise(trace, functools.partial(_itself, refused))
    if len(results) == 1:
        return results[0]
    if isinstance(results[0], tuple):
        return tuple(_united(trace, column) for column in zip(*results, strict=True))
    return _united(trace, results)


def _itself(error: Exception) -> Exception:
    return error


def _united(trace: Trace, values: Any) -> Any:
    ids = [ids_of(trace, value).reshape(1) for value in values]
    dtype = np.result_type(*map(dtype_of, values))
    return trace.wrap(Elements(trace.graph.union_all(ids).reshape(()), dtype))


run_each_by(united_paths)


def _wrapped_enumeration(original: Any) -> Any:
    def ndenumerate(arr: Any) -> Any:
        if not is_traced(arr):
            return original(arr)
        return _pairs(arr)

    return ndenumerate


def _pairs(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    yield from zip(np.ndindex(arr.shape), arr.reshape(-1), strict=True)


def patches() -> list[Patch]:
    """The calls of ``np.vectorize``, and ``np.ndenumerate``."""
    call = vars(np.vectorize)["__call__"]
    return [
        Patch(np.vectorize, "__call__", call, _wrapped_vectorize(call)),
        Patch(np, "ndenumerate", np.ndenumerate, _wrapped_enumeration(np.ndenumerate)),
    ]

"""``np.vectorize``: NumPy's Python-level loop over elements.

Contract: outside of a trace it is the original.  The branches that a Python function takes
for one element are run apart from those of the others, unless it has side effects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from sparsetrace.arrays.object_array import object_array
from sparsetrace.arrays.picked import PickedArray
from sparsetrace.capture import math_module
from sparsetrace.capture.builtin_names import CONVERSIONS
from sparsetrace.capture.patch import Patch, table
from sparsetrace.capture.paths_apart import run_apart
from sparsetrace.capture.result_unions import Groups, union_of
from sparsetrace.capture.session import SESSION
from sparsetrace.context import CURRENT, Trace
from sparsetrace.numpy_rules.python_ufuncs import (
    elements,
    gathered,
    give_objects_by,
    run_each_by,
)
from sparsetrace.operands.implementations import conversion
from sparsetrace.operands.operands import contains_traced, dtype_of, is_traced
from sparsetrace.operands.raising import may_raise
from sparsetrace.user_code.effects import has_effects

__all__ = ["by_element", "patches"]

_NO_INPUTS = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"


def _wrapped_vectorize(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if SESSION.get() is None or CURRENT.get() is None or self.pyfunc is np._NoValue:
            return original(self, *args, **kwargs)
        # the function may use traced values that are none of its arguments
        trace = CURRENT.get()
        assert trace is not None
        places = [place for place in (*range(len(args)), *kwargs) if place not in self.excluded]
        if self.signature is not None:
            return _by_rows(trace, self, places, args, kwargs)
        named: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
        operands = [named[place] for place in places]
        picked = next((x for x in operands if isinstance(x, PickedArray)), None)
        if picked is not None and not has_effects(self.pyfunc):
            return _of_picked(call, self, picked, dict(zip(places, operands, strict=True)), named)
        asks = self.otypes is None and not self.cache
        return by_element(
            trace, self.pyfunc, places, args, kwargs, otypes=self.otypes, asks_first=asks
        )

    return call


def _of_picked(
    call: Callable[..., Any],
    vectorized: Any,
    picked: PickedArray,
    operands: dict[Any, Any],
    others: dict[Any, Any],
) -> Any:
    """What a function without effects gives for each element that a mask picks."""

    def of_candidates(*candidates: Any) -> Any:
        values = {**others, **dict(zip(operands, candidates, strict=True))}
        positional = [value for place, value in values.items() if isinstance(place, int)]
        named = {place: value for place, value in values.items() if isinstance(place, str)}
        return call(vectorized, *positional, **named)

    if vectorized.otypes is None:
        may_raise(picked._trace, partial(ValueError, _NO_INPUTS))
    return picked.elementwise(of_candidates, operands.values())


def _by_rows(
    trace: Trace,
    vectorized: Any,
    places: list[int | str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """What a function of whole rows gives for each of them: ``signature="(n),(n)->()"``."""
    inputs, outputs = (re.findall(r"\(([^)]*)\)", s) for s in vectorized.signature.split("->"))
    if len(places) != len(inputs):
        raise TypeError(
            f"wrong number of positional arguments: expected {len(inputs)!r}, got {len(places)!r}"
        )
    given = [args[p] if isinstance(p, int) else kwargs[p] for p in places]
    operands = [conversion(x, copy=False) if contains_traced(x) else np.asarray(x) for x in given]
    sizes: dict[str, int] = {}
    counts = [len(_names(core)) for core in inputs]
    for x, core in zip(operands, inputs, strict=True):
        _check_core(x.shape, core, sizes)
    outer = np.broadcast_shapes(
        *(x.shape[: x.ndim - count] for x, count in zip(operands, counts, strict=True))
    )
    spread = [
        np.broadcast_to(x, outer + x.shape[x.ndim - count :])
        for x, count in zip(operands, counts, strict=True)
    ]
    results: list[tuple[Any, ...]] = []
    for index in np.ndindex(*outer):
        row = dict(zip(places, (x[index] for x in spread), strict=True))
        positional = tuple(row.get(i, a) for i, a in enumerate(args))
        named = {name: row.get(name, value) for name, value in kwargs.items()}
        result = united_paths(trace, vectorized.pyfunc, positional, named)
        several = result if isinstance(result, tuple) else (result,)
        if len(several) != len(outputs):
            raise ValueError(
                f"wrong number of outputs from pyfunc: expected {len(outputs)!r}, got "
                f"{len(several)!r}"
            )
        for item, core in zip(several, outputs, strict=True):
            _check_core(np.shape(item), core, sizes, exact=True)
        results.append(several)
    if not results:
        raise ValueError("cannot call `vectorize` with a signature on size 0 inputs here")
    arrays = []
    for i, column in enumerate(zip(*results, strict=True)):
        stacked = np.stack([conversion(item) for item in column])
        stacked = stacked.reshape(outer + stacked.shape[1:])
        if vectorized.otypes is not None:
            stacked = stacked.astype(vectorized.otypes[i])
        arrays.append(stacked)
    return tuple(arrays) if len(arrays) > 1 else arrays[0]


def _names(core: str) -> list[str]:
    return [name.strip() for name in core.split(",") if name.strip()]


def _check_core(
    shape: tuple[int, ...], core: str, sizes: dict[str, int], *, exact: bool = False
) -> None:
    """Raise what NumPy raises where an array's last axes are not those that a signature says."""
    names = _names(core)
    if len(shape) < len(names) or (exact and len(shape) != len(names)):
        raise ValueError(
            f"{len(shape)}-dimensional argument does not have enough dimensions for all core "
            f"dimensions ({core})"
        )
    for name, size in zip(names, shape[len(shape) - len(names) :], strict=True):
        if sizes.setdefault(name, size) != size:
            raise ValueError(
                f"inconsistent size for core dimension {name!r}: {size!r} vs {sizes[name]!r}"
            )


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
    given = [args[p] if isinstance(p, int) else kwargs[p] for p in places]
    operands = [x if contains_traced(x) else np.asarray(x, object) for x in given]
    shape = np.broadcast_shapes(*(np.shape(operand) for operand in operands))
    columns = [elements(trace, operand, shape) for operand in operands]

    def called(row: tuple[Any, ...]) -> Any:
        values = dict(zip(places, row, strict=True))
        positional = [values.get(i, a) for i, a in enumerate(args)]
        named = {name: values.get(name, v) for name, v in kwargs.items()}
        return united_paths(trace, function, tuple(positional), named)

    todo = list(zip(*columns, strict=True))
    if not todo and otypes is None:
        raise ValueError(_NO_INPUTS)
    if not places:  # all arguments are excluded
        todo = [()]
    # NumPy learns the types of the results from a call with numbers of its own
    asked = called(tuple(map(_first_of, given))) if asks_first else None
    rows = [called(row) for row in todo]
    # with one type for the results a tuple is one of them, an object
    several = isinstance(rows[0], tuple) if otypes is None else len(otypes) > 1
    if not several:
        rows = [(row,) for row in rows]
    count = len(rows[0]) if rows else len(otypes)
    firsts = rows[0] if rows else ()
    if asks_first:
        firsts = asked if several else (asked,)
    results = [
        _typed(trace, otypes, i, gathered(trace, [row[i] for row in rows], shape, operands), firsts)
        for i in range(count)
    ]
    return tuple(results) if several else results[0]


def _first_of(x: Any) -> Any:
    """The first element, as a number of NumPy's."""
    array = conversion(x, copy=False) if contains_traced(x) else np.asarray(x)
    return array.reshape(-1)[0]


def _typed(trace: Trace, otypes: Any, i: int, result: Any, firsts: Any) -> Any:
    """One result of ``np.vectorize``: of the type asked for, else of its first element's."""
    if otypes is not None:
        return result.astype(otypes[i]) if is_traced(result) or otypes[i] != "O" else result
    first = firsts[i]
    if not is_traced(result):
        return result.astype(np.asarray(first).dtype) if not contains_traced(result) else result
    # where the values are not known another branch may have come first
    dtype, kinds = dtype_of(first), result.dtype.kind + dtype_of(first).kind
    return result.astype(dtype) if trace.local or kinds in ("ff", "cc") else result


@table
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
    session = SESSION.get()
    reached = dict if session is None else session.functions
    return run_apart(
        trace,
        partial(function, *args, **(kwargs or {})),
        has_effects=lambda: has_effects(function, args, kwargs, reached=reached),
        unite=partial(_united, trace),
    )


def _united(trace: Trace, results: list[Any], /, *, groups: Groups) -> list[Any]:
    """One result for those of all paths: what an array is filled with."""
    groups.members.append([*range(len(results))])
    if isinstance(results[0], tuple):
        return [tuple(union_of(trace, column) for column in zip(*results, strict=True))]
    return [union_of(trace, results)]


def _objects(column: Sequence[Any]) -> Any:
    """The elements as objects, where the function may ask for the dtype of an array."""
    session = SESSION.get()
    return None if session is None or not session.asks_dtypes() else object_array(column)


run_each_by(united_paths)
give_objects_by(_objects)


def patches() -> list[Patch]:
    """The calls of ``np.vectorize``."""
    call = vars(np.vectorize)["__call__"]
    return [Patch(np.vectorize, "__call__", call, _wrapped_vectorize(call))]

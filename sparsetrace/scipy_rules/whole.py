"""Functions that are known by their arguments and results alone: as a whole.

Contract: each number of a result depends on all numbers that the function is given, jointly
nonlinear; or, where it counts and ranks, on none of them.  Shapes come from runs on other
numbers.  What has more structure has a rule of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import (
    contains_traced,
    dtype_of,
    ids_of,
    is_sparse_traced,
    is_traced,
    values_of,
)
from sparsetrace.scipy_rules.rule_tools import MADE, Call, current, sample_of, spread, state_of

__all__ = ["at_point", "ranked", "replaced", "total_of", "whole"]

_FACTORS = (1.0, 0.5, 0.9, 3.0)
"""Samples are tried in turn: some functions take small numbers alone, others large ones."""


def whole(call: Call, *args, **kwargs) -> Any:
    """A function each result of which depends on everything.

    ``f([{0}, {1}], {2})  ->  [{0, 1, 2}, {0, 1, 2}]``
    """
    return spread(current(), total_of(args, kwargs), _sample(call, args, kwargs))


def at_point(call: Call, *args, **kwargs) -> Any:
    """The same for one with as many results as the values say, so at a point alone."""
    if not current().local:
        call.refuse(
            "how many results there are depends on the values",
            "Take a pattern at a point with local=True.",
        )
    return whole(call, *args, **kwargs)


def ranked(call: Call, *args, **kwargs) -> Any:
    """A function that is constant but for jumps: it has no derivative.

    ``f([{0}, {1}])  ->  [{}, {}]``
    """
    trace = current()
    total = total_of(args, kwargs) if trace.dependency else np.int32(trace.graph.opaque)
    return spread(trace, np.asarray(total), _sample(call, args, kwargs))


def total_of(*sources) -> Ids:
    """The union over all traced numbers of arguments, jointly nonlinear."""
    trace = current()
    ids = [trace.graph.union_rows(ids_of(trace, x).reshape(-1)) for x in _traced(sources)]
    if not ids:
        return np.asarray(trace.graph.opaque, np.int32)
    total = np.asarray(trace.graph.union_all(ids), np.int32)
    return interact_all(trace.graph, np.maximum(total, OPAQUE))


def _traced(x) -> Iterator[Any]:
    """The traced arrays and numbers in lists, tuples and dictionaries."""
    if is_traced(x):
        yield x
    elif is_sparse_traced(x):
        yield x.data
    elif state_of(x) is not None:
        _, args, kwargs = vars(x)[MADE]
        shown = [value for name, value in vars(x).items() if name != MADE]
        yield from _traced([item for item in (*args, kwargs, *shown) if item is not x])
    elif isinstance(x, dict):
        for item in x.values():
            yield from _traced(item)
    elif isinstance(x, (list, tuple)):
        for item in x:
            yield from _traced(item)


def _sample(call: Call, args, kwargs) -> Any:
    """What the function returns for the values at the point, or for other numbers.

    Raises
    ------
    UnsupportedError
        In a global trace, if shapes follow from the numbers.
    """
    if current().local:
        return call.plainly(*replaced(args, None), **replaced(kwargs, None))
    results: list[Any] = []
    failures: list[Exception] = []
    with np.errstate(all="ignore"):
        for factor in _FACTORS:
            try:
                options = replaced(kwargs, factor)
                results.append(call.plainly(*replaced(args, factor), **options))
            except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
                failures.append(error)
            if len(results) == 2:
                break
    if not results:
        raise failures[0]
    if len({str(_shapes(result)) for result in results}) > 1:
        call.refuse(
            "the size of its result depends on the values",
            "Take a pattern at a point with local=True.",
        )
    return results[0]


def _shapes(x) -> Any:
    if isinstance(x, (list, tuple)):
        return [_shapes(item) for item in x]
    return np.shape(x)


def _remade(x, factor: float | None) -> Any:
    """An object of a library's, made as it was, of such numbers."""
    call, args, kwargs = vars(x)[MADE]
    options = replaced(kwargs, factor)
    if args and args[0] is x:
        own = object.__new__(type(x))
        call.plainly(own, *replaced(args[1:], factor), **options)
        return own
    return call.plainly(*replaced(args, factor), **options)


def replaced(x, factor: float | None) -> Any:
    """Arguments with numbers in place of the traced ones; their own, if no factor is given."""
    if type(x) is dict:
        return {key: replaced(item, factor) for key, item in x.items()}
    if type(x) in (list, tuple):
        places = np.linspace(0.8, 1.2, len(x))  # different numbers, in ascending order
        return type(x)(
            replaced(item, factor and factor * place)
            for item, place in zip(x, places.tolist(), strict=True)
        )
    if state_of(x) is not None:
        return _remade(x, factor)
    if not contains_traced(x):
        return x
    if factor is None:
        values = np.array(values_of(x))
        return values if values.ndim else values[()]
    if np.ndim(x) > 1 or dtype_of(x).kind not in "fc":
        return sample_of(x) * factor
    count = np.size(x)
    sample = factor * np.linspace(0.4, 0.6, max(count, 1))[:count].astype(dtype_of(x))
    return sample if np.ndim(x) else sample[0]

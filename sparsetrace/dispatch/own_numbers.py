"""Numbers among the results of a global trace: those of the function, or unknown ones.

Contract: a rule may compute another function that depends on the same.  Where an element of
its result is a constant beside dependent ones, the function itself tells the number: it is run
once, on any numbers in place of what depends on the inputs.  Where it has another number than
the rule, or does not take such arguments, the number is unknown.  Zeros of the rule stay where
the function leaves no more than rounding.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.dispatch.bound_rules import Args, Call, Options
from sparsetrace.graph.graph import ZERO
from sparsetrace.numpy_rules.linear_algebra import sample_matrix
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
)

__all__ = ["with_own_numbers"]

_ROUNDING = 1e-9
"""A rule and the function differ by more than that, or by rounding."""
_NOTHING = object()


def with_own_numbers(call: Call, trace: Trace, result: Any, args: Args, kwargs: Options) -> Any:
    """What a rule returned, with the function's own numbers where it has known ones."""
    if trace.graph.pure or not call.name.startswith("scipy."):
        return result
    given = (*args, *kwargs.values())
    if not _has_numbers(result) and not (_has_zeros(result) and _has_numbers(given)):
        return result
    if not all(map(_may_be_replaced, given)):
        return result
    return _compared(trace, result, _own(call, trace, args, kwargs))


def _has_numbers(result: Any) -> bool:
    return any(bool((x._ids < ZERO).any()) for x in _traced_among(result))


def _has_zeros(result: Any) -> bool:
    return any(bool((x._ids == ZERO).any()) for x in _traced_among(result))


def _traced_among(result: Any) -> Iterator[Any]:
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        for item in result:
            yield from _traced_among(item)
    elif is_traced(result) and not getattr(type(result), "_is_picked", False):
        yield result


def _may_be_replaced(x: Any) -> bool:
    """Whether a call with numbers in place of traced elements changes nothing elsewhere."""
    if isinstance(x, (np.random.Generator, np.random.RandomState, random.Random)):
        return False
    if is_traced(x):
        return not getattr(type(x), "_is_picked", False)
    if isinstance(x, (list, tuple)):
        return all(map(_may_be_replaced, x))
    if isinstance(x, dict):
        return all(map(_may_be_replaced, x.values()))
    own = x if isinstance(x, type) else type(x)
    return not hasattr(own, "_at_point") and (not callable(x) or _is_of_a_library(own))


def _is_of_a_library(cls: type) -> bool:
    return cls.__module__.startswith(("scipy.", "numpy"))


def _own(call: Call, trace: Trace, args: Args, kwargs: Options) -> Any:
    """What the function makes of numbers, the constants' own and others; `_NOTHING` if it fails."""
    for matrices in (False, True):
        plain = [_numbers(trace, x, matrices=matrices) for x in args]
        options = {name: _numbers(trace, x, matrices=matrices) for name, x in kwargs.items()}
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return call.plainly(*plain, **options)
        except Exception:
            continue
    return _NOTHING


def _numbers(trace: Trace, x: Any, *, matrices: bool) -> Any:
    """An argument with numbers in place of what depends on the inputs: a copy."""
    if is_traced(x):
        ids, dtype = np.asarray(ids_of(trace, x)), dtype_of(x)
        sample: NDArray[Any] = sample_matrix(x)
        if not matrices or sample.ndim < 2:
            sample = sample * np.linspace(0.31, 0.67, sample.size).reshape(sample.shape)
        known = trace.graph.known_values(ids, dtype)
        array = np.where(ids <= ZERO, known, sample.astype(dtype))
        return array.astype(dtype) if isinstance(x, np.ndarray) else array.astype(dtype)[()]
    if isinstance(x, np.ndarray):
        return x.copy()
    if type(x) in (list, tuple) and (contains_traced(x) or isinstance(x, list)):
        return type(x)(_numbers(trace, item, matrices=matrices) for item in x)
    if type(x) is dict:
        return {key: _numbers(trace, item, matrices=matrices) for key, item in x.items()}
    return x


def _compared(trace: Trace, result: Any, own: Any) -> Any:
    if isinstance(result, (list, tuple)):
        alike = isinstance(own, (list, tuple)) and len(own) == len(result)
        pairs = zip(result, own if alike else [_NOTHING] * len(result), strict=True)
        items = [_compared(trace, item, other) for item, other in pairs]
        kind: Any = type(result)
        return tuple.__new__(kind, items) if hasattr(result, "_fields") else kind(items)
    if isinstance(result, dict):
        others = own if isinstance(own, dict) else {}
        for name, item in result.items():
            result[name] = _compared(trace, item, others.get(name, _NOTHING))
        return result
    if not is_traced(result) or getattr(type(result), "_is_picked", False):
        return result
    return _with_numbers(trace, result, own)


def _with_numbers(trace: Trace, result: Any, own: Any) -> Any:
    """One array of a result, whose numbers the function confirms, corrects or does not."""
    ids, known = result._ids, trace.graph.known_values(result._ids, result._dtype)
    numbers = np.asarray(np.nan if own is _NOTHING else own)
    if numbers.dtype.kind not in "biufc" or numbers.shape != ids.shape:
        numbers = np.full(ids.shape, np.nan)
    constant, zero = ids <= ZERO, trace.graph.zeros_among(ids)
    equal = (numbers == known) | (numbers != numbers) & (known != known)
    if own is _NOTHING:
        equal = np.zeros(ids.shape, bool)
    if bool((equal | ~constant).all()):
        return result
    size = np.abs(numbers[np.isfinite(numbers)])
    largest = size.max() if size.size else 0.0
    with np.errstate(all="ignore"):
        close = np.abs(numbers - known) <= _ROUNDING * np.abs(known)
        kept = equal | zero & (np.abs(numbers) <= _ROUNDING * largest)
    moved = constant & close & ~zero & ~kept & (numbers != 0)
    out = np.where(constant & ~kept, np.int32(trace.graph.opaque), ids)
    if moved.any():
        out = np.where(moved, trace.graph.constant(numbers.astype(result._dtype)), out)
    return trace.wrap(Elements(out, result._dtype, keep_array=isinstance(result, np.ndarray)))

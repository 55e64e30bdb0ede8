"""Calls in a local trace: values are computed beside the dependencies, and tighten them.

Contract: values come from NumPy itself, run on the values of the arguments.  A result
of whole numbers or truth values is then an ordinary array: it has no derivative, and
its values are known.  Where a value makes a partial derivative vanish the dependency is
cut; at ties both sides stay.  Functions without a rule here follow their global rule,
which is always a superset.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import clip, ptp
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.errors import TracingError, UnsupportedError, explain
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.numpy_rules import generalized_ufuncs, local_reductions, python_ufuncs
from sparsetrace.operands.floating import recorded, report
from sparsetrace.operands.memory_order import laid_out, of_ufunc, ordered
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    check_operators,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_traced_array,
    landed,
    plain_target,
    values_of,
)
from sparsetrace.operands.refusals import AT_A_POINT, REFUSED

__all__ = ["function_call", "ufunc_call"]

GlobalRule = Callable[[Trace, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


def _is_whole(result: Any) -> bool:
    """Whether a result holds nothing but whole numbers, truth values and no arrays of reals."""
    if isinstance(result, (list, tuple)):
        return all(_is_whole(item) for item in result)
    if isinstance(result, (np.ndarray, np.generic)):
        return result.dtype.kind in "biuSU"
    return result is None or isinstance(result, (bool, int, str, np.dtype, type))


# -------------------------------------------------------------------- ufuncs
def ufunc_call(
    trace: Trace, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Answer ``__array_ufunc__`` with values."""
    for operand in inputs:
        if is_traced(operand):
            continue
        check_operators(operand)
        known = isinstance(
            operand, (np.ndarray, np.generic, bool, int, float, complex, list, tuple)
        )
        if isinstance(operand, np.ma.MaskedArray) or not known:
            if ufunc is np.matmul and scipy.sparse.issparse(operand):
                continue
            return NotImplemented
    if python_ufuncs.is_of_python(ufunc):
        return python_ufuncs.call(trace, ufunc, method, inputs, kwargs)
    out = kwargs.get("out")
    outs = (out if isinstance(out, tuple) else (out,)) if out is not None else ()
    for target in (*outs, *(inputs[:1] if method == "at" else ())):
        if target is not None and not is_traced_array(target):
            raise plain_target(f"np.{ufunc.__name__}(..., out=)", target)
    plain = {key: value for key, value in kwargs.items() if key != "out"}
    found = None
    if method == "at":
        local_reductions.at(trace, ufunc, *inputs)
    else:
        values = _values(trace, ufunc, method, inputs, plain)
        parts = values if isinstance(values, tuple) else (values,)
        if not outs and not trace.dependency and all(map(_is_whole, parts)):
            return values
        found = _dependencies(trace, ufunc, method, inputs, plain)
    if method == "at":
        with recorded() as errors:
            getattr(ufunc, method)(*(values_of(x) for x in inputs))
        report(trace, ufunc.__name__, errors)
        return None
    results = []
    for i, (ids, part) in enumerate(zip(found or [], parts, strict=True)):
        target = outs[i] if i < len(outs) else None
        array = np.asarray(part)
        if target is None:
            results.append(trace.wrap(Elements(ids, array.dtype, array)))
            continue
        if method not in ("__call__", "outer") and target.shape != array.shape:
            raise ValueError(f"np.{ufunc.__name__}.{method}: out= has the shape {target.shape}")
        where = plain.get("where", True)
        mask = np.broadcast_to(values_of(where), target._ids.shape)
        landing = landed(trace, target._dtype, ids)
        np.copyto(target._ids, landing, where=mask if method == "__call__" else True)
        np.copyto(
            target._values, array, where=mask if method == "__call__" else True, casting="unsafe"
        )
        results.append(target)
    return results[0] if len(results) == 1 else tuple(results)


def _values(
    trace: Trace,
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """The call itself, on values."""
    arguments = [values_of(x) for x in inputs]
    options = {key: values_of(value) for key, value in kwargs.items()}
    where = options.pop("where", True) if method == "__call__" else True
    if ufunc is np.matmul and any(scipy.sparse.issparse(x) for x in arguments):
        return arguments[0] @ arguments[1]
    with recorded() as errors:
        result = getattr(ufunc, method)(*arguments, **options)
    if errors and where is not True:  # which is heeded where the result is stored
        with recorded() as errors:
            getattr(ufunc, method)(*arguments, out=_copies(result), where=where, **options)
    if errors:
        report(trace, ufunc.__name__, errors)
    if where is not True:  # the mask has a part in the memory order
        masked = (*arguments, where)
        if isinstance(result, tuple):
            return tuple(of_ufunc(_numeric(part), masked) for part in map(np.asarray, result))
        return of_ufunc(_numeric(result), masked) if np.ndim(result) else _numeric(result)
    if isinstance(result, tuple):
        return tuple(map(_numeric, result))
    return _numeric(result)


def _numeric(part: Any) -> Any:
    """An object result as floats: of ``np.frompyfunc`` with a rule that the user has stated."""
    if isinstance(part, np.ndarray) and part.dtype == object:
        return part.astype(float)
    return part


def _copies(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(_copies, result))
    return np.array(result)


def _dependencies(
    trace: Trace,
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> list[Ids]:
    if method == "__call__":
        if ufunc.signature is not None:
            return [e.ids for e in generalized_ufuncs.call(trace, ufunc, inputs, dict(kwargs))]
        ids = local_reductions.elementwise(trace, ufunc, inputs)
        where = values_of(kwargs.get("where", True))
        if where is not True:
            # elements that were not computed hold nothing that depends on an input
            ids = [np.where(where, part, np.int32(OPAQUE)) for part in ids]
        return ids
    if method == "outer":
        a, b = inputs
        dims = np.ndim(values_of(b))
        left = Operand(
            trace,
            ids_of(trace, a).reshape(np.shape(a) + (1,) * dims),
            dtype_of(a),
            np.asarray(values_of(a)).reshape(np.shape(a) + (1,) * dims),
        )
        return local_reductions.elementwise(trace, ufunc, (left, b))
    if method == "reduce":
        return [local_reductions.reduce(trace, ufunc, *inputs, **kwargs)]
    if method == "accumulate":
        return [local_reductions.accumulate(trace, ufunc, *inputs, **kwargs)]
    if method == "reduceat":
        return [local_reductions.reduceat(trace, ufunc, *inputs, **kwargs)]
    raise UnsupportedError(
        explain(
            f"np.{ufunc.__name__}.{method}", "this method has no rule", "Call the ufunc itself."
        )
    )


# ----------------------------------------------------------------- functions
_WRITTEN = ("a", "arr", "dst")
"""What the functions that write call the array that they write into."""


def function_call(
    trace: Trace,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    global_rule: GlobalRule,
    place: int | None = None,
) -> Any:
    """Answer ``__array_function__`` with values; `place` is where ``out`` stood, if it did."""
    if function in AT_A_POINT:
        raise REFUSED.error(function, f"np.{function.__name__}")
    rule = local_reductions.RULES.get(function)
    target = kwargs.get("out")
    if target is not None and not is_traced_array(target):
        raise plain_target(f"np.{function.__name__}(..., out=)", target)
    in_place = function in local_reductions.IN_PLACE
    if in_place:
        written = args[0] if args else next((kwargs[k] for k in _WRITTEN if k in kwargs), None)
        if not is_traced_array(written):
            raise plain_target(f"np.{function.__name__}", written)
    options = {key: value for key, value in kwargs.items() if key != "out"}
    if function is ptp and target is not None:
        rule = None  # the maximum is written first, perhaps over elements of its own operand
    try:
        found = None
        if in_place or rule is not None or target is not None:
            # dependencies first: the call may overwrite the values that decide them
            found = (rule or _from_global(function, global_rule))(trace, *args, **options)
        if isinstance(found, Elements) and found.values is not None and target is None:
            found = laid_out(trace, found, function, args, options)
            found.values = ordered(np.asarray(found.values), found.ids)
            return trace.wrap(found)  # the user's functions were run, and not twice
        given = [values_of(x) for x in args]
        named = {key: values_of(value) for key, value in kwargs.items()}
        if place is not None:
            given[place] = named.pop("out")
        with recorded() as errors:
            values = function(*given, **named)
        if errors:
            report(trace, function.__name__, errors)
        if in_place:
            return None
        whole = _is_whole(values) and not isinstance(
            values, str
        )  # of text, see sparsetrace.numbers.text
        if target is None and not trace.dependency and whole:
            return values
        if found is None:
            found = global_rule(trace, function, args, options)
    except TracingError as error:
        if function.__name__ not in str(error):
            error.add_note(f"while tracing np.{function.__name__}")
        raise
    if target is not None and _is_heeded(values, target):
        ids = found.ids if isinstance(found, Elements) else ids_of(trace, found)
        if function is clip and kwargs.get("where", True) is not True:
            ids = np.where(values_of(kwargs["where"]), ids, target._ids)
        target._ids[...] = landed(trace, target._dtype, ids)
        return target
    return _attached(trace, found, values)


def _is_heeded(values: Any, target: Any) -> bool:
    """Whether NumPy wrote into ``out=``: up to 2.4 ``np.fft.ifft2`` and its kin do not."""
    return not isinstance(values, np.ndarray) or np.may_share_memory(values, target._values)


def _from_global(function: Callable[..., Any], global_rule: GlobalRule) -> Callable[..., Any]:
    def rule(trace: Trace, *args: Any, **kwargs: Any) -> Any:
        return global_rule(trace, function, args, kwargs)

    return rule


def _attached(trace: Trace, found: Any, values: Any) -> Any:
    """The rule's ids and NumPy's values, put together piece by piece."""
    if isinstance(found, Elements):
        array: NDArray[Any] = np.asarray(values)
        if array.shape != found.ids.shape:
            raise AssertionError(f"a rule gave shape {found.ids.shape}, not {array.shape}")
        keep = found.keep_array or isinstance(values, np.ndarray)
        return trace.wrap(Elements(found.ids, array.dtype, array, keep_array=keep))
    if isinstance(found, (list, tuple)) and not is_traced(found):
        items = [_attached(trace, f, v) for f, v in zip(found, values, strict=True)]
        if hasattr(found, "_fields"):
            return type(found)(*items)
        return items if isinstance(found, list) else tuple(items)
    if isinstance(found, str) or is_traced(found) or contains_traced(found):
        return found
    return values

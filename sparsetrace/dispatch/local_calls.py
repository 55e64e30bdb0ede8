"""Calls in a local trace: values are computed beside the dependencies.

Contract: values come from NumPy itself, run on the values of the arguments.  A result
of whole numbers or truth values is an ordinary array: it has no derivative, and its values
are known.  The rules are those of other traces; they ask for values where these decide
something, and drop a dependency whose partial derivative is zero at the point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import (
    allclose,
    array_equal,
    array_equiv,
    asarray,
    clip,
    isclose,
    median,
    nan_to_num,
    nanmedian,
    nanpercentile,
    nanquantile,
    percentile,
    piecewise,
    quantile,
)
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.dispatch import lookup
from sparsetrace.dispatch.out_arguments import masked, store
from sparsetrace.errors import TracingError
from sparsetrace.operands.floating import recorded, report
from sparsetrace.operands.memory_order import laid_out, of_ufunc, ordered
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    ids_of,
    is_traced,
    is_traced_array,
    plain_target,
    values_of,
)
from sparsetrace.operands.python_operators import COMPARISONS
from sparsetrace.operands.refusals import AT_A_POINT, REFUSED, name_call
from sparsetrace.operands.steps import note_comparison, note_step
from sparsetrace.user_code.written_arguments import FILLING

__all__ = ["function_call", "is_whole", "of_ufunc_call", "plainly"]

Rule = Callable[..., Any]
"""What gives the ids of a call: for traces of both kinds the same."""


def _is_whole(result: Any) -> bool:
    """Whether a result holds nothing but whole numbers, truth values and no arrays of reals."""
    if isinstance(result, (list, tuple)):
        return all(_is_whole(item) for item in result)
    if isinstance(result, (np.ndarray, np.generic)):
        return result.dtype.kind in "biuSU"
    return result is None or isinstance(result, (bool, int, str, np.dtype, type))


# -------------------------------------------------------------------- ufuncs
def of_ufunc_call(
    trace: Trace,
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    options: dict[str, Any],
    outs: Sequence[Any],
    rule: Rule,
) -> Any:
    """What a ufunc's method gives, with values beside the ids of the rule; without ``out=``."""
    if method == "at":  # ids first: the call overwrites the values that decide them
        rule(trace, (ufunc, method), inputs, options, outs)
        with recorded() as errors:
            getattr(ufunc, method)(*(values_of(x) for x in inputs))
        report(trace, ufunc.__name__, errors, inputs)
        return None
    values = _values(trace, ufunc, method, inputs, options)
    if ufunc in _SAME and method == "__call__":
        _note_alike(trace, inputs)
    arrays = values if isinstance(values, tuple) else (values,)
    if not outs and not trace.dependency and all(map(_is_whole, arrays)):
        _note_step(trace, ufunc, inputs, values)
        if ufunc in _COMPARISONS and method == "__call__":
            note_comparison(trace, *inputs)
        else:
            note_step(trace, getattr(ufunc, method), inputs, values, options)
        return values
    if outs:
        result = rule(trace, (ufunc, method), inputs, options, outs)
    else:
        result = lookup.answered(trace, (ufunc, method), inputs, options, rule)
    several = (result,) if isinstance(result, Elements) else result
    valued = tuple(
        Elements(elements.ids, _dtype_beside(elements, array), array)
        for elements, array in zip(several, map(asarray, arrays), strict=True)
    )
    return valued[0] if isinstance(result, Elements) else valued


def _note_step(trace: Trace, call: Any, operands: Iterable[Any], values: Any) -> None:
    """Let an integral know of an outcome without derivative, which may vary over its variable."""
    if trace.moving is not None:
        trace.moving.note(call, values, [ids_of(trace, x) for x in operands if contains_traced(x)])


_COMPARISONS = frozenset(COMPARISONS.values())
_SAME = frozenset((allclose, array_equal, array_equiv, isclose, np.equal, np.not_equal))


def _note_alike(trace: Trace, operands: Sequence[Any]) -> None:
    """Keep the values of a traced operand that the other operand, a plain one, has as well."""
    if len(operands) < 2 or contains_traced(operands[0]) == contains_traced(operands[1]):
        return
    first, second = (asarray(values_of(operand)) for operand in operands[:2])
    if first.dtype.kind in "fc" and first.shape == second.shape and array_equal(first, second):
        trace.alike.append(first.copy())


def is_whole(
    trace: Trace,
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    options: dict[str, Any],
) -> bool:
    """Whether a call gives whole numbers or truth values, which an ordinary array can hold."""
    if trace.dependency or method == "at":
        return False
    values = _values(trace, ufunc, method, inputs, options)
    return all(map(_is_whole, values if isinstance(values, tuple) else (values,)))


def plainly(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call itself, on values, with targets that are ordinary arrays.

    Raises
    ------
    EscapeError
        Another target is a traced array, which would hold the values alone.
    """
    for target in kwargs["out"]:
        if is_traced_array(target):
            raise plain_target(f"np.{ufunc.__name__}(..., out=)", target)
    options = {key: x if key == "out" else values_of(x) for key, x in kwargs.items()}
    return getattr(ufunc, method)(*map(values_of, inputs), **options)


def _dtype_beside(elements: Elements, array: NDArray[Any]) -> np.dtype[Any]:
    """The values' dtype; a complex one if the ids are those of a complex target, in part."""
    if elements.dtype.kind == "c" and array.dtype.kind != "c":
        return elements.dtype
    return array.dtype


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
    if errors and where is not True:  # the mask is applied where the result is stored
        with recorded() as errors:
            getattr(ufunc, method)(*arguments, out=_copies(result), where=where, **options)
    if errors:
        report(trace, ufunc.__name__, errors, inputs)
    if where is not True:  # the mask has a part in the memory order
        masked = (*arguments, where)
        if isinstance(result, tuple):
            return tuple(of_ufunc(_numeric(item), masked) for item in map(asarray, result))
        return of_ufunc(_numeric(result), masked) if np.ndim(result) else _numeric(result)
    if isinstance(result, tuple):
        return tuple(map(_numeric, result))
    return _numeric(result)


def _numeric(array: Any) -> Any:
    """An object result as floats: of ``np.frompyfunc`` with a rule that the user has stated."""
    if isinstance(array, np.ndarray) and array.dtype == object:
        return array.astype(float)
    return array


def _copies(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(_copies, result))
    return np.array(result)


# ----------------------------------------------------------------- functions
_RULE_FIRST = (
    FILLING
    | {median, nanmedian, nanpercentile, nanquantile, percentile, quantile}  # overwrite_input=
    | {nan_to_num, piecewise}
)
"""Functions that may overwrite the values which decide, or that call the user's functions."""


def function_call(
    trace: Trace,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    rule: Rule,
    place: int | None = None,
) -> Any:
    """Answer ``__array_function__`` with values; `place` is where ``out`` stood, if it did."""
    if function in AT_A_POINT:
        raise REFUSED.error(function, f"np.{function.__name__}")
    target = kwargs.get("out")
    if target is not None and not is_traced_array(target):
        raise plain_target(f"np.{function.__name__}(..., out=)", target)
    options = {key: value for key, value in kwargs.items() if key != "out"}
    try:
        result = None
        if target is not None or function in _RULE_FIRST:
            result = rule(trace, function, args, options)
        if isinstance(result, Elements) and result.values is not None and target is None:
            result = laid_out(trace, result, function, args, options)
            result.values = ordered(asarray(result.values), result.ids)
            return trace.wrap(result)  # the user's functions were run, and not twice
        given = [values_of(x) for x in args]
        named = {key: values_of(value) for key, value in kwargs.items()}
        if place is not None:
            given[place] = named.pop("out")
        with recorded() as errors:
            values = function(*given, **named)
        if errors:
            report(trace, function.__name__, errors, args)
        if function in _SAME:
            _note_alike(trace, args)
        if function in FILLING:
            return None
        # of text, see sparsetrace.numbers.text
        discrete = _is_whole(values) and not isinstance(values, str)
        if target is None and not trace.dependency and discrete:
            _note_step(trace, function, (*args, *kwargs.values()), values)
            note_step(trace, function, args, values, kwargs)
            return values
        if result is None and function in lookup.FUNCTIONS:
            result = lookup.answered(trace, function, args, options, rule)
        elif result is None:
            result = rule(trace, function, args, options)
    except TracingError as error:
        name_call(error, function)
        raise
    if target is not None and _was_written(values, target):
        ids = result.ids if isinstance(result, Elements) else ids_of(trace, result)
        written = Elements(ids, target._dtype, target._values)  # NumPy has written these
        if function is clip and kwargs.get("where", True) is not True:
            written.ids = masked(trace, written, target, kwargs["where"]).ids
        return store(trace, target, written, f"np.{function.__name__}(..., out=)")
    attached = _attached(trace, result, values)
    if trace.moving is not None:
        if isinstance(values, tuple):  # counts, with edges that vary
            whole = tuple(item for item in values if _is_whole(item))
            _note_step(trace, function, (*args, *kwargs.values()), whole)
        trace.moving.of_call(function, (*args, *kwargs.values()), attached)
    return attached


def _was_written(values: Any, target: Any) -> bool:
    """Whether NumPy wrote into ``out=``: up to 2.4 ``np.fft.ifft2`` and its kin do not."""
    return not isinstance(values, np.ndarray) or np.may_share_memory(values, target._values)


def _attached(trace: Trace, result: Any, values: Any) -> Any:
    """The rule's ids and NumPy's values, put together item by item."""
    if isinstance(result, Elements):
        array: NDArray[Any] = asarray(values)
        if array.shape != result.ids.shape:
            raise AssertionError(f"a rule gave shape {result.ids.shape}, not {array.shape}")
        keep = result.keep_array or isinstance(values, np.ndarray)
        return trace.wrap(Elements(result.ids, array.dtype, array, keep_array=keep))
    if isinstance(result, (list, tuple)) and not is_traced(result):
        items = [_attached(trace, f, v) for f, v in zip(result, values, strict=True)]
        if hasattr(result, "_fields"):
            return type(result)(*items)
        return items if isinstance(result, list) else tuple(items)
    if isinstance(result, str) or is_traced(result) or contains_traced(result):
        return result
    return values

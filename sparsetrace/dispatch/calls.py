"""Entry of every intercepted call: which rule answers it, what is done with ``out=``.

Contract: a ufunc goes to the elementwise rules.  A function goes to its own rule; if it has
none and only moves elements, to `array_manipulation`; else to NumPy's own Python code, run on
traced arguments; else it is refused by name.  So are operands of unknown types.
"""

from __future__ import annotations

import inspect
import itertools
import math
import types
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
from numpy import asarray, clip

from sparsetrace.context import Trace
from sparsetrace.dispatch import local_calls, lookup
from sparsetrace.dispatch.out_arguments import (
    JOINS,
    check_casting,
    check_target,
    masked,
    out_position,
    refuse_shared,
    store,
)
from sparsetrace.dispatch.own_targets import own_target
from sparsetrace.errors import TracingError, UnsupportedError, explain
from sparsetrace.numpy_rules import (
    creation,
    differences,
    factorizations,
    fourier,
    generalized_ufuncs,
    histograms,
    in_place,
    indexing,
    interpolation,
    inverses,
    linear_algebra,
    matrix_products,
    norms,
    padding,
    polynomials,
    python_ufuncs,
    quantiles,
    raising_functions,
    reduction_functions,
    selection,
    sets,
    sorting,
    spacing,
    whole_numbers,
)
from sparsetrace.numpy_rules.array_manipulation import MOVES, run_move
from sparsetrace.operands import elementwise, local_arrays, loops, unions
from sparsetrace.operands.complex_operands import moved_operand
from sparsetrace.operands.constants import of_known
from sparsetrace.operands.floating import notice, notice_function
from sparsetrace.operands.implementations import IMPLEMENTED, rebound
from sparsetrace.operands.memory_order import NUMBERS, laid_out, of_ufunc
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    Operand,
    check_operators,
    contains_traced,
    decides_results,
    dtype_of,
    holds_objects,
    ids_of,
    is_traced,
    is_traced_array,
    landed,
    plain_target,
    shape_of,
    values_of,
    wrapped,
)
from sparsetrace.operands.own_arrays import as_operand
from sparsetrace.operands.prefixes import accumulate
from sparsetrace.operands.refusals import name_call, name_of
from sparsetrace.operands.registry import RULES
from sparsetrace.operands.ufunc_at import at, taken_in_turn, unites
from sparsetrace.operands.ufunc_reductions import reduce, reduceat
from sparsetrace.user_code.written_arguments import FILLING

__all__ = ["answer_objects_by", "answer_subclasses_by", "function_call", "ufunc_call"]

_RULE_MODULES = (
    creation,
    differences,
    factorizations,
    histograms,
    inverses,
    linear_algebra,
    spacing,
    interpolation,
    norms,
    sets,
    polynomials,
    sorting,
    padding,
    matrix_products,
    quantiles,
    selection,
    reduction_functions,
    fourier,
    whole_numbers,
    in_place,
)
"""Importing a module of rules registers them; no other module is imported for that alone."""

_WHERE, _NONZERO = np.where, np.nonzero
_WRITING = frozenset(("out", "overwrite_input", "copy"))
"""Options of functions that write into an argument, or may."""
_PLAIN = (np.ndarray, np.generic, bool, int, float, complex, list, tuple)
_CALL_OPTIONS = frozenset(("casting", "order", "subok", "signature", "dtype"))
_COMPARING = frozenset((np.less, np.less_equal, np.greater, np.greater_equal))
_CONVERTING = frozenset(("casting", "signature", "dtype"))


_ASKING: dict[Any, Callable[[tuple[int, ...]], Any]] = {
    np.shape: tuple,
    np.ndim: len,
    np.size: math.prod,
}
"""Functions that ask for the shape of an array alone."""


def _accepts(operand: object) -> bool:
    if is_traced(operand):
        return not getattr(type(operand), "_is_picked", False)
    if isinstance(operand, np.ma.MaskedArray) or getattr(type(operand), "_is_matrix", False):
        return False
    return isinstance(operand, _PLAIN) and not decides_results(operand)


def _is_common(operand: Any) -> bool:
    """Whether an operand is a number, an array of numbers or a traced one: surely to be taken."""
    cls = type(operand)
    if cls is np.ndarray:
        return bool(operand.dtype.kind != "O")
    return cls in NUMBERS or (
        getattr(cls, "_is_traced", False) and not getattr(cls, "_is_picked", False)
    )


def _size(operand: Any) -> int:
    # np.size of a traced array would be a call for a rule
    if type(operand) in NUMBERS:
        return 1
    return int(operand.size if is_traced(operand) else np.size(operand))


def _array_of(operand: object) -> Any:
    """What NumPy itself takes for an array, as one; anything else as it is."""
    return asarray(operand) if type(operand) is range else as_operand(operand)


def ufunc_call(
    trace: Trace,
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any],
    named: bool = False,
) -> Any:
    """Answer ``__array_ufunc__``, and name the result where values have names."""
    if trace.names is not None and not named:
        result = ufunc_call(trace, ufunc, method, inputs, kwargs, named=True)
        trace.names.computed(ufunc, method, inputs, kwargs, result)
        return result
    if not (trace.calm or trace.stateless or trace.local):
        notice(trace, ufunc, inputs)
    if not kwargs and method == "__call__":
        made = local_arrays.at_a_point(trace, ufunc, inputs) if trace.local else None
        if made is not None:
            return trace.wrap(made)
        ids = unions.quick(trace, ufunc, inputs)
        if ids is not None:
            # beside a number the elements lie as those of the other operand
            if ids.ndim > 1 and not (type(inputs[0]) in NUMBERS or type(inputs[-1]) in NUMBERS):
                ids = of_ufunc(ids, inputs)
            return trace.wrapper(trace, ids)  # type: ignore[misc]
    elif method == "__call__" and len(kwargs) == 1 and "out" in kwargs:
        target: Any = kwargs["out"][0] if len(kwargs["out"]) == 1 else None
        if is_traced_array(target) and target._dtype is FLOAT:  # x += y
            made = local_arrays.at_a_point(trace, ufunc, inputs) if trace.local else None
            if made is not None and made.ids.shape == target._ids.shape:
                indexing.put(trace, target._ids, ..., made.ids)
                target._values[...] = made.values
                return target
            ids = unions.quick(trace, ufunc, inputs)
            if ids is not None:
                indexing.put(trace, target._ids, ..., ids)
                return target
        if type(target) is np.ndarray and target.dtype.kind in "fc" and len(inputs) == 2:
            own = own_target(trace, inputs, kwargs["out"])
            if own is not None:
                own_inputs = own, inputs[1]
                return ufunc_call(trace, ufunc, method, own_inputs, {"out": (own,)}, named)
    if ufunc in _COMPARING and method == "__call__":
        trace.compared_numbers(max(map(_size, inputs)))
    common = "out" not in kwargs and all(map(_is_common, inputs))
    if not common:
        for operand in inputs:
            if not _accepts(operand):
                if method == "at" and isinstance(operand, _OF_AXES):
                    continue
                if decides_results(operand):
                    return _beside_subclasses(trace, ufunc, method, inputs, kwargs)
                arrays = tuple(map(_array_of, inputs))
                if any(new is not old for new, old in zip(arrays, inputs, strict=True)):
                    return ufunc_call(trace, ufunc, method, arrays, kwargs, named)
                constant = scipy.sparse.issparse(operand) and not contains_traced(operand)
                if ufunc is np.matmul and constant:
                    continue
                return NotImplemented
    if python_ufuncs.is_of_python(ufunc):
        return python_ufuncs.call(trace, ufunc, method, inputs, kwargs)
    if not common and any(map(holds_objects, (*inputs, *kwargs.get("out", ())))):
        return _of_objects(trace, ufunc, method, inputs, kwargs)
    if not kwargs and method == "__call__" and ufunc.signature is None and not trace.local:
        simple = unions.simple(trace, ufunc, inputs)
        if simple is not None:
            for elements in simple:
                elements.ids = of_ufunc(elements.ids, inputs)
            return wrapped(trace, simple[0] if len(simple) == 1 else tuple(simple))
    out = kwargs.get("out")
    if out is None:
        result = _of_ufunc(trace, ufunc, method, inputs, kwargs, ())
        if method == "at" and trace.rows:
            indexing.refresh(trace, inputs[0]._ids)
        if not trace.local:
            plain = ufunc if method == "__call__" else getattr(ufunc, method)
            result = laid_out(trace, result, plain, inputs, kwargs)
        return wrapped(trace, result)
    outs = out if isinstance(out, tuple) else (out,)
    options = {name: x for name, x in kwargs.items() if name != "out"}
    name = f"np.{ufunc.__name__}(..., out=)"
    for target in outs:
        if target is not None and not is_traced_array(target):
            if trace.local and local_calls.is_whole(trace, ufunc, method, inputs, options):
                return local_calls.plainly(ufunc, method, inputs, kwargs)
            raise plain_target(name, target)
    result = _of_ufunc(trace, ufunc, method, inputs, options, outs)
    exact = method not in ("__call__", "outer")  # these may repeat the result
    where = values_of(options.get("where", True)) if method == "__call__" else True
    results = []
    several = (result,) if isinstance(result, Elements) else result
    for elements, target in itertools.zip_longest(several, outs[: len(several)]):
        if target is None:
            results.append(trace.wrap(_as_large(elements, outs)))
        else:
            check_casting(ufunc, target, elements, options.get("casting", "same_kind"))
            results.append(store(trace, target, elements, name, exact=exact, where=where))
    return results[0] if len(results) == 1 else tuple(results)


def _as_large(elements: Elements, outs: Sequence[Any]) -> Elements:
    """One result of several, repeated as the others' targets ask for: ``np.frexp(v, out)``."""
    targets = [target.shape for target in outs if target is not None]
    shape = np.broadcast_shapes(elements.ids.shape, *targets)
    if shape != elements.ids.shape:
        elements.ids = np.broadcast_to(elements.ids, shape).copy()
        if elements.values is not None:
            elements.values = np.broadcast_to(elements.values, shape).copy()
    return elements


def _of_ufunc(
    trace: Trace,
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    options: dict[str, Any],
    outs: Sequence[Any],
) -> Any:
    """What a ufunc's method gives before it is stored: looked up, or with values at a point."""
    if trace.local:
        return local_calls.of_ufunc_call(trace, ufunc, method, inputs, options, outs, _by_ufunc)
    # what was recorded of a call knows no bounds of indices, and no views of parts
    if (outs and options) or (method == "at" and (trace.rows or trace.names is not None)):
        return _by_ufunc(trace, (ufunc, method), inputs, options, outs)
    return lookup.answered(trace, (ufunc, method), inputs, options, _by_ufunc)


_OF_AXES = (slice, types.EllipsisType, types.NoneType)
"""Indices that are no arrays."""

UfuncCall = Callable[[Trace, np.ufunc, str, tuple[Any, ...], dict[str, Any]], Any]


def _refused(
    trace: Trace, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    for operand in inputs:
        check_operators(operand)
    return NotImplemented


_beside_subclasses: UfuncCall = _refused


def answer_subclasses_by(answer: UfuncCall) -> None:
    """Have ufuncs of constants whose class computes in its own way answered by `answer`."""
    global _beside_subclasses
    _beside_subclasses = answer


def _without_objects(
    trace: Trace, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    return NotImplemented


_of_objects: UfuncCall = _without_objects


def answer_objects_by(answer: UfuncCall) -> None:
    """Have ufuncs of ordinary arrays of objects, beside traced operands, answered by `answer`."""
    global _of_objects
    _of_objects = answer


def _by_ufunc(
    trace: Trace,
    call: tuple[np.ufunc, str],
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any],
    outs: Sequence[Any] = (),
) -> Elements | tuple[Elements, ...] | None:
    """The result of a ufunc's method by its rule; one for each output if there are several."""
    ufunc, method = call
    if method == "at":
        _at(trace, ufunc, inputs)
        return None
    if method == "__call__":
        result = _called(trace, ufunc, inputs, outs, dict(kwargs))
    elif method == "outer":
        result = _outer(trace, ufunc, inputs)
    else:
        return _along(trace, ufunc, method, inputs, kwargs)
    return result[0] if len(result) == 1 else tuple(result)


def _called(
    trace: Trace,
    ufunc: np.ufunc,
    inputs: tuple[Any, ...],
    outs: Sequence[Any],
    kwargs: dict[str, Any],
) -> list[Elements]:
    # a call without options comes from `ufunc_call`, which has tried what is quick
    by_elements = elementwise.call if kwargs or outs else elementwise.general
    where = kwargs.pop("where", True)
    if ufunc.signature is not None:
        result = generalized_ufuncs.call(trace, ufunc, inputs, kwargs)
    elif any(contains_traced(x) for x in inputs):
        result = by_elements(trace, ufunc, inputs)
    else:  # only the target or the mask is traced
        values = ufunc(*inputs)
        result = [
            Elements(trace.graph.constant(v), np.asarray(v).dtype)
            for v in (values if isinstance(values, tuple) else (values,))
        ]
    unknown = set(kwargs) - _CALL_OPTIONS
    if unknown:
        raise TypeError(f"{ufunc.__name__}() got unexpected keyword arguments {sorted(unknown)}")
    if ufunc.signature is None and not trace.local and not _CONVERTING.isdisjoint(kwargs):
        result = _in_loop(trace, ufunc, inputs, outs, kwargs, result)
    if where is not True:
        if trace.local:  # the rules left the dtypes to the caller
            dtypes = loops.result_dtypes(ufunc, inputs)
            result = [Elements(e.ids, dtype) for e, dtype in zip(result, dtypes, strict=True)]
        result = [
            masked(trace, e, outs[i] if i < len(outs) else None, where)
            for i, e in enumerate(result)
        ]
    return result


def _in_loop(
    trace: Trace,
    ufunc: np.ufunc,
    inputs: tuple[Any, ...],
    outs: Sequence[Any],
    kwargs: dict[str, Any],
    result: list[Elements],
) -> list[Elements]:
    """The results of the loop that ``dtype``, ``signature`` and ``casting`` choose.

    Raises
    ------
    TypeError
        Where NumPy raises it too: no such loop, or a conversion that is not allowed.
    """
    options = {key: kwargs[key] for key in _CONVERTING if kwargs.get(key) is not None}
    arguments = [np.zeros((1,) * np.ndim(x), dtype_of(x)) for x in inputs]
    targets = [None if t is None else np.zeros((1,) * np.ndim(t), dtype_of(t)) for t in outs]
    with np.errstate(all="ignore"):
        sample = ufunc(*arguments, **options, **({"out": tuple(targets)} if targets else {}))
    sample = sample if isinstance(sample, tuple) else (sample,)
    wanted = kwargs.get("dtype")
    to_integers = wanted is not None and np.dtype(wanted).kind in "biu"
    return [
        Elements(landed(trace, np.dtype(wanted), e.ids) if to_integers else e.ids, dtype_of(made))
        for e, made in zip(result, sample, strict=True)
    ]


def _outer(trace: Trace, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> list[Elements]:
    a, b = (moved_operand(trace, x) for x in inputs)
    left = a.moved(lambda data: data.reshape(a.shape + (1,) * len(b.shape)))
    return elementwise.call(trace, ufunc, (left, b))


def _along(
    trace: Trace, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Elements:
    kwargs = {name: x for name, x in kwargs.items() if x is not np._NoValue}
    if method == "reduce":
        return reduce(trace, ufunc, *inputs, **kwargs)
    if method == "accumulate":
        return accumulate(trace, ufunc, *inputs, **kwargs)
    if method == "reduceat":
        return reduceat(trace, ufunc, *inputs, **kwargs)
    raise UnsupportedError(
        explain(
            f"np.{ufunc.__name__}.{method}", "this method has no rule", "Call the ufunc itself."
        )
    )


def _at(trace: Trace, ufunc: np.ufunc, inputs: tuple[Any, ...]) -> None:
    target, indices, *operands = inputs
    name = f"np.{ufunc.__name__}.at"
    if not is_traced_array(target):
        raise plain_target(name, target)
    if not trace.local:
        indices, unsure = indexing.constant_key(trace, indices)
        if unsure:
            if operands and unites(trace, ufunc):
                indexing.want_bounds(trace)
                value = landed(trace, target._dtype, ids_of(trace, operands[0]))
            else:
                value = taken_in_turn(trace, ufunc, target, *operands)
            indexing.write(trace, target._ids, indices, value)
            return
    if target._ids.flags.writeable:
        at(trace, ufunc, target, indices, *operands)
    else:  # a view of one part of complex numbers, or of elements that the inputs choose
        own = Operand(trace, target._ids.copy(), target._dtype, target._values)
        at(trace, ufunc, own, indices, *operands)
        indexing.put(trace, target._ids, ..., own._ids)


def function_call(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Answer ``__array_function__``."""
    if trace.is_idle and function in lookup.FUNCTIONS:
        # most calls; as by `_function_call`, which asks for more
        if len(args) <= _most_without_target(function) and "out" not in kwargs:
            known = lookup.answer(trace, function, args, kwargs, _answered)
            if known is lookup.UNKNOWN:
                return _function_call(trace, function, args, kwargs, looked_up=True)
            known = laid_out(trace, known, function, args, kwargs)
            return trace.wrap(known) if type(known) is Elements else wrapped(trace, known)
    elif function in _ASKING and len(args) == 1 and not kwargs and _is_common(args[0]):
        return _ASKING[function](shape_of(args[0]))
    if trace.names is None:
        return _function_call(trace, function, args, kwargs)
    if _may_write(function, args, kwargs):
        trace.names.forget()
    result = _function_call(trace, function, args, kwargs)
    if trace.bounds is not None:
        trace.bounds.by_function(function, args, kwargs, result)
    return result


def _may_write(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function may write into its arguments."""
    if function is _WHERE:
        return False
    # a rule may be that of a function of another package, which a user has registered
    foreign = getattr(function, "__module__", "").partition(".")[0] != "numpy"
    if foreign or function in FILLING or not _WRITING.isdisjoint(kwargs):
        return True
    return len(args) > _harmless(function)


@cache
def _harmless(function: Callable[..., Any]) -> int:
    """How many arguments by position come before the first that makes it write."""
    try:
        parameters = list(inspect.signature(function).parameters)
    except ValueError:
        return 2
    return next((i for i, name in enumerate(parameters) if name in _WRITING), 10**6)


@cache
def _most_without_target(function: Callable[..., Any]) -> int:
    """How many arguments by position leave the target out; -1 if a call asks for more than that."""
    asks = function in raising_functions.RAISING or function is _WHERE
    return -1 if asks else out_position(function)


def _function_call(
    trace: Trace,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    looked_up: bool = False,
) -> Any:
    if deque in map(type, args):
        args = tuple(list(x) if type(x) is deque else x for x in args)
    if function is _WHERE and len(args) == 1 and not kwargs:
        function = _NONZERO
    if function in raising_functions.RAISING:
        raising_functions.fail_alike(trace, function, args, kwargs)
    if not (trace.calm or trace.local or function in MOVES or function in IMPLEMENTED):
        notice_function(trace, function, args)
    position = out_position(function)
    placed = len(args) > position and args[position] is not None
    if not (trace.local or placed or "out" in kwargs):
        # what was recorded of a call knows no bounds of indices, and no views of parts
        known = lookup.UNKNOWN
        if not looked_up and function in lookup.FUNCTIONS:
            if trace.bounds is None:
                known = lookup.answer(trace, function, args, kwargs, _answered)
            elif trace.bounds.are_open((*args, *kwargs.values())):
                known = lookup.answer(trace, function, args, kwargs, _noted, openly=True)
            if known is not lookup.UNKNOWN:
                return wrapped(trace, laid_out(trace, known, function, args, kwargs))
        result = _noted(trace, function, args, kwargs)
        if function not in MOVES:  # which NumPy itself has run on the ids
            result = laid_out(trace, result, function, args, kwargs)
        return wrapped(trace, result)
    if placed:
        kwargs = {**kwargs, "out": args[position]}
        args = (*args[:position], None, *args[position + 1 :])
    refuse_shared(function, kwargs.get("out"), args, kwargs)
    if trace.local and function not in IMPLEMENTED:
        place = position if placed else None
        return local_calls.function_call(trace, function, args, kwargs, _answered, place)
    return _into_target(trace, function, args, dict(kwargs))


def _into_target(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of a call that may have ``out=``."""
    target, where = kwargs.pop("out", None), True
    if target is None:
        return wrapped(trace, _noted(trace, function, args, kwargs))
    if function is clip:
        where = kwargs.pop("where", True)
    if function in JOINS and kwargs.get("dtype") is not None:
        raise TypeError(f"{function.__name__}() only takes `out` or `dtype` as an argument")
    result = _noted(trace, function, args, kwargs)
    if is_traced(result):
        result = Elements(result._ids, result._dtype, result._values)
    call = f"{name_of(function)}(..., out=)"
    if isinstance(result, Elements):
        if is_traced_array(target):
            check_target(function, target, result)
            if where is not True:
                result = masked(trace, result, target, where)
        return store(trace, target, result, call)
    raise UnsupportedError(explain(call, "its result is not an array", "Leave out= away."))


def _noted(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result; an error that does not name the function gets a note that does."""
    try:
        return _answered(trace, function, args, kwargs)
    except TracingError as error:
        name_call(error, function)
        raise


def _answered(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result by the function's rule, or by whatever stands for one."""
    rule = RULES.get(function)
    if rule is not None:
        bound = rule.bind(*args, **kwargs)
        result = rule.handler(trace, *bound)
        if trace.moving is not None:
            trace.moving.of_function(function, bound, result)
        return result
    if function in MOVES:
        return run_move(trace, MOVES[function], args, kwargs)
    if function in IMPLEMENTED:
        return rebound(function)(*args, **kwargs)
    return of_known(trace, function, args, kwargs)

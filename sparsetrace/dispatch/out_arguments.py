"""``out=`` and ``where=``: what NumPy asks of a target, and how a result is written into it.

Contract: a target that is an ordinary array is refused, since it cannot hold what a traced
number depends on.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
from numpy import compress

from sparsetrace.context import Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.graph import Ids
from sparsetrace.numpy_rules import indexing
from sparsetrace.operands.binding import NAMED, parameters_of
from sparsetrace.operands.complex_operands import moved_ids
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    dtype_of,
    ids_of,
    is_traced_array,
    is_uncertain,
    known_of,
    plain_target,
    share_memory,
)
from sparsetrace.operands.refusals import name_of

__all__ = [
    "JOINS",
    "check_casting",
    "check_target",
    "masked",
    "out_position",
    "refuse_shared",
    "store",
]

_REPEATING = frozenset((np.clip, np.fix, np.isneginf, np.isposinf, np.nanmedian))
"""Functions whose target may have more dimensions than the result."""
_PRODUCTS = frozenset((np.dot, np.linalg.multi_dot))
"""Functions whose target must have the very dtype of the result."""
JOINS = frozenset((np.concatenate, np.stack))
"""Functions that take ``out=`` or ``dtype=``, and not both."""
_PIECEWISE = JOINS | {np.ptp, np.choose}
"""Functions that read operands after a part of the target is written: others make copies first."""
_MODES = {np.choose: 3}
"""Where ``mode`` stands among the positions, without which there is a copy."""
_POSITIONS = frozenset((np.argmax, np.argmin, np.nanargmax, np.nanargmin))


# the compiled ones have no signature that could be asked
_OUT_POSITIONS: dict[Callable[..., Any], int] = {np.dot: 2, np.concatenate: 2}


def out_position(function: Callable[..., Any]) -> int:
    """Where ``out`` stands among the function's positions; far behind them if nowhere."""
    result = _OUT_POSITIONS.get(function)
    if result is None:
        try:
            parameters = parameters_of(function)
        except ValueError:
            parameters = []
        positional = [p.name for p in parameters if p.kind != NAMED]
        result = positional.index("out") if "out" in positional else 10**6
        _OUT_POSITIONS[function] = result
    return result


def refuse_shared(
    function: Callable[..., Any], target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """End a call of which the target is written while elements of it are still to be read."""
    if function not in _PIECEWISE or not is_traced_array(target):
        return
    place = _MODES.get(function)
    if place is not None and (*args, *["raise"] * 4)[place] == kwargs.get("mode", "raise"):
        return
    others = (value for name, value in kwargs.items() if name != "out")
    if any(_shares(target, x) for x in (*args, *others)):
        raise UnsupportedError(
            explain(
                f"{name_of(function)}(..., out=)",
                "out= shares memory with an operand, of which NumPy reads elements when they have "
                "been written",
                "Leave out= away, and write the result afterwards: out[...] = result.",
            )
        )


def _shares(target: Any, x: Any) -> bool:
    if is_traced_array(x):
        return share_memory(target, x)
    return isinstance(x, (list, tuple)) and any(_shares(target, item) for item in x)


def check_target(function: Callable[..., Any], target: Any, result: Elements) -> None:
    """What NumPy asks of ``out=``."""
    if target.shape != result.ids.shape and function not in _REPEATING:
        raise ValueError(
            f"output parameter of {function.__name__} has the shape {target.shape}, "
            f"but {result.ids.shape} was expected"
        )
    if function in _PRODUCTS and target.dtype != result.dtype:
        raise ValueError("output array is not acceptable (must have the right datatype)")
    if not np.can_cast(result.dtype, target.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast {function.__name__} output from {result.dtype!r} to {target.dtype!r} "
            "with casting rule 'same_kind'"
        )
    if function in _POSITIONS and target.dtype != result.dtype:
        raise TypeError(f"Cannot cast from {target.dtype!r} to {result.dtype!r}")
    if function is compress and target.dtype != result.dtype:  # NumPy raises its own error
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compress([True], np.zeros(1, result.dtype), out=np.zeros(1, target.dtype))


def check_casting(ufunc: np.ufunc, target: Any, result: Elements, casting: Any) -> None:
    """What NumPy asks of the dtype of ``out=``: a function may go on after its error."""
    if is_traced_array(target) and not np.can_cast(result.dtype, target.dtype, casting):
        raise TypeError(
            f"Cannot cast ufunc {ufunc.__name__!r} output from {result.dtype!r} to "
            f"{target.dtype!r} with casting rule {casting!r}"
        )


def masked(trace: Trace, new: Elements, old: Any, where: Any) -> Elements:
    """Where the mask is false the target's own elements stay (unknown ones without a target)."""
    shape = np.broadcast_shapes(new.ids.shape, np.shape(where))
    if old is None:
        kept: Ids = np.full(shape, trace.graph.opaque, np.int32)
    elif "c" in (new.dtype.kind, dtype_of(old).kind):  # then all of them are as in the target
        kept = moved_ids(trace, old)
        new = Elements(_into(trace, new, dtype_of(old)), dtype_of(old))
    else:
        kept = ids_of(trace, old)
    if is_uncertain(where):
        out = trace.graph.union(np.broadcast_to(new.ids, shape), kept)
        if trace.dependency:
            out = trace.graph.union(out, ids_of(trace, where))
        return Elements(out, new.dtype)
    mask = known_of(trace, where).astype(bool)
    return Elements(np.where(mask, new.ids, kept), new.dtype)


def _into(trace: Trace, result: Elements, dtype: np.dtype[Any]) -> Ids:
    """The ids of a result as elements of an array of this dtype."""
    return moved_ids(trace, Operand(trace, result.ids, result.dtype), dtype)


def store(
    trace: Trace,
    target: Any,
    result: Elements,
    call: str,
    *,
    exact: bool = False,
    where: Any = True,
) -> Any:
    """Write the result into ``out=``, which must be a traced array.

    The ids of the result are `masked` already, so that `where` is of its values alone.

    Raises
    ------
    EscapeError
        If the target is an ordinary array.
    ValueError
        If it is to be of `exact` shape, and is not.
    """
    if not is_traced_array(target):
        raise plain_target(call, target)
    if exact and target.shape != result.ids.shape:
        raise ValueError(
            f"{call}: the shape {target.shape} is not that of the result, {result.ids.shape}"
        )
    indexing.put(trace, target._ids, ..., _into(trace, result, target._dtype))
    if trace.local:
        np.copyto(target._values, result.values, where=where, casting="unsafe")
    return target

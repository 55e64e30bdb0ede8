"""How a SciPy function without a hook of NumPy's is answered for traced arguments.

Contract: a rule takes the call and the function's own arguments, and computes the same
with NumPy functions that have rules, or makes node ids itself.  In a local trace the
values come from SciPy's own function, run on the values of the arguments.  Arguments
that hold constants alone are handed on as ordinary arrays; if all of them do, SciPy
answers.  Whatever a rule does not know is refused by name.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sparsetrace.context import CURRENT, Trace
from sparsetrace.dispatch import lookup
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.graph.interactions import bend
from sparsetrace.numpy_rules import linear_algebra, matrix_products
from sparsetrace.operands.constants import plain_values
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    float_dtype,
    ids_of,
    is_traced,
    values_of,
    wrapped,
)

__all__ = [
    "CONSTANTS",
    "STATE",
    "Call",
    "Line",
    "answer",
    "array_of",
    "constant",
    "current",
    "dense",
    "float_dtype",
    "harmless",
    "lines",
    "made",
    "matrix_along",
    "patterns",
    "spread",
    "state_of",
    "unknown",
    "whole",
]

CONSTANTS = "Compute it from constants, outside of the traced function or in it."


@dataclass(frozen=True, slots=True)
class Call:
    """A function of SciPy's that was given traced arguments."""

    name: str
    """As the user writes it: ``scipy.linalg.solve``."""
    original: Callable[..., Any]

    def refuse(self, problem: str, remedy: str) -> NoReturn:
        """Raise the error of a call that has no rule."""
        raise UnsupportedError(explain(self.name, problem, remedy))


STATE = "_sparsetrace_state"
"""The attribute of objects of SciPy's that were made of traced elements."""


def state_of(holder: Any) -> Any:
    """What holds the traced elements of an object of SciPy's; None of others."""
    return getattr(holder, "__dict__", {}).get(STATE)


@dataclass(frozen=True, slots=True)
class Line:
    """The rule of one function or method.

    ``own_values`` says that in a local trace the rule's result has its values already,
    and that SciPy's own function cannot give them; ``always``, that calls without traced
    arguments are answered too.
    """

    rule: Callable[..., Any]
    own_values: bool = False
    always: bool = False


def current() -> Trace:
    """The trace that runs."""
    trace = CURRENT.get()
    assert trace is not None
    return trace


def answer(call: Call, line: Line, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a call with traced arguments.

    Raises
    ------
    UnsupportedError
        If the rule does not know one of the arguments.
    """
    trace = current()
    if trace.local or line.own_values or line.always:
        return _answered(call, line, args, kwargs)

    def rule(trace: Trace, name: Hashable, args: Any, kwargs: Any) -> Any:
        return _answered(call, line, args, kwargs)

    found = lookup.answered(trace, call.name, args, kwargs, rule)
    return wrapped(trace, found)


def _answered(call: Call, line: Line, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trace = current()
    args = tuple(_settled(trace, x) for x in args)
    kwargs = {name: _settled(trace, x) for name, x in kwargs.items()}
    holds = bool(args) and state_of(args[0]) is not None
    if not line.always and not holds and not contains_traced([*args, *kwargs.values()]):
        return call.original(*args, **kwargs)
    try:
        _signature(line.rule).bind(call, *args, **kwargs)
    except TypeError as error:
        call.refuse(
            f"its rule does not know these arguments ({error})",
            "Leave them out, or wrap the call with sparsetrace.opaque.",
        )
    if line.own_values or holds or not trace.local:
        return line.rule(call, *args, **kwargs)
    plain = [_copied(x) for x in args]
    options = {name: _copied(x) for name, x in kwargs.items()}
    with np.errstate(all="ignore"):
        found = line.rule(call, *args, **kwargs)
    return _with_values(trace, found, call.original(*plain, **options))


@functools.cache
def _signature(rule: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(rule)


def _settled(trace: Trace, x: Any) -> Any:
    """An argument, with plain arrays in place of traced ones that hold constants alone."""
    if is_traced(x):
        values = plain_values(trace, x)
        return x if values is None else values if isinstance(x, np.ndarray) else values[()]
    if type(x) in (list, tuple) and contains_traced(x):
        return type(x)(_settled(trace, item) for item in x)
    return x


def _copied(x: Any) -> Any:
    """The values of an argument at the point, which SciPy may overwrite."""
    values = values_of(x)
    return values.copy() if is_traced(x) and isinstance(values, np.ndarray) else values


def _with_values(trace: Trace, found: Any, values: Any) -> Any:
    """What a rule found, with SciPy's values."""
    if isinstance(found, (list, tuple)):
        items = [_with_values(trace, f, v) for f, v in zip(found, values, strict=True)]
        if hasattr(values, "_fields"):
            return type(values)(*items)
        return items if isinstance(found, list) else tuple(items)
    if not is_traced(found):
        return values
    array = np.asarray(values)
    if array.shape != found._ids.shape:
        raise AssertionError(f"a rule gave shape {found._ids.shape}, not {array.shape}")
    keep = isinstance(values, np.ndarray)
    return trace.wrap(Elements(found._ids, array.dtype, array, keep_array=keep))


# ------------------------------------------------------------------- arguments
def array_of(x: Any) -> Any:
    """``np.asarray(x)`` that keeps traced elements."""
    if is_traced(x):
        return x if isinstance(x, np.ndarray) else x._as_array()
    if not contains_traced(x):
        return np.asarray(x)
    trace = current()
    values = np.array(values_of(x), dtype_of(x)) if trace.local else None
    return trace.wrap(Elements(ids_of(trace, x).copy(), dtype_of(x), values, keep_array=True))


def constant(call: Call, x: Any, what: str, remedy: str = CONSTANTS) -> Any:
    """An argument that must not be traced."""
    if contains_traced(x):
        call.refuse(f"{what} may not depend on the inputs here", remedy)
    return x


def patterns(values: Any) -> NDArray[Any]:
    """Constants whose zeros cut dependencies, or ones where they shall not."""
    values = np.asarray(values)
    return values if current().values else np.ones_like(values)


# --------------------------------------------------------------------- results
def made(trace: Trace, ids: Ids, dtype: Any, values: Any = None, *, scalar: bool = False) -> Any:
    """A traced array of these ids.

    Values of a local trace that are not given are NaN, beside which nothing is cut; the
    result's own come from SciPy.
    """
    if trace.local and values is None:
        values = np.full(ids.shape, np.nan, dtype)
    if trace.graph.pure and ids.size and int(ids.min()) <= OPAQUE:
        trace.graph.pure = False
    return trace.wrap(Elements(ids, np.dtype(dtype), values, keep_array=not scalar))


def unknown(x: Any) -> Any:
    """`x` without known values: what its constants are is not what they seem."""
    if not is_traced(x):
        return x
    trace, ids = x._trace, x._ids
    if trace.graph.pure or not (ids <= ZERO).any():
        return x
    return made(trace, np.maximum(ids, OPAQUE), x._dtype, x._values)


def matrix_along(x: Any, matrix: Any, axis: int = -1) -> Any:
    """Each line of `x` along an axis, multiplied by a scipy.sparse matrix.

    ``matrix_along([{0}, {1}, {2}], [[1, 1, 0], [0, 0, 1]])  ->  [{0, 1}, {2}]``
    """
    trace = x._trace
    ids = np.moveaxis(x._ids, axis, -1)
    lead = ids.shape[:-1]
    count = int(np.prod(lead, dtype=int))
    blocks = _block_diagonal(matrix, count)
    values = None
    if trace.local:
        values = np.moveaxis(x._values, axis, -1)
    flat = Operand(trace, np.ascontiguousarray(ids).reshape(-1), x._dtype)
    found = matrix_products.sparse_matmul(trace, blocks, flat)
    shape = (*lead, matrix.shape[0])
    if values is not None:
        values = np.moveaxis((blocks @ values.reshape(-1)).reshape(shape), -1, axis)
    return made(trace, np.moveaxis(found.ids.reshape(shape), -1, axis), found.dtype, values)


def _block_diagonal(matrix: Any, count: int) -> Any:
    """The matrix `count` times along the diagonal, as CSR."""
    if count == 1:
        return matrix
    m, n = matrix.shape
    starts = np.arange(count, dtype=np.int64)[:, None]
    indices = (matrix.indices + starts * n).reshape(-1)
    indptr = np.append((matrix.indptr[:-1] + starts * matrix.nnz).reshape(-1), count * matrix.nnz)
    return type(matrix)(
        (np.tile(matrix.data, count), indices, indptr), shape=(count * m, count * n)
    )


def whole(x: Any, *others: Any) -> Ids:
    """The union of all elements, per batch item of matrices: over the last two axes."""
    trace = current()
    total = linear_algebra.whole(trace, x)
    for other in others:
        total = trace.graph.union(total, linear_algebra.whole(trace, other))
    return np.asarray(total)


def spread(trace: Trace, total: Ids, sample: Any) -> Any:
    """Arrays of the shapes of a sample, each batch item of them made of one id.

    Whole numbers have no derivative, in arrays and in their own.
    """
    if isinstance(sample, tuple):
        items = [spread(trace, total, part) for part in sample]
        return type(sample)(*items) if hasattr(sample, "_fields") else tuple(items)
    if sample is None:
        return None
    array = np.asarray(sample)
    ids = total.reshape(total.shape + (1,) * (array.ndim - total.ndim))
    if array.dtype.kind not in "fc" and not trace.dependency:
        ids = np.full_like(ids, OPAQUE)
    scalar = not isinstance(sample, np.ndarray)
    filled = np.broadcast_to(ids, array.shape).copy()
    return made(trace, filled, array.dtype, array if trace.local else None, scalar=scalar)


def dense(call: Call, *sources: Any, **options: Any) -> Any:
    """SciPy's function of matrices whose every result depends on the whole of each.

    Shapes come from a run on harmless numbers.
    """
    trace = current()
    total = bend(trace.graph, whole(*sources))
    sample = call.original(*map(harmless, sources), **options)
    return spread(trace, total, sample)


def harmless(x: Any) -> Any:
    """A stand-in for a traced argument, as in NumPy's rules; constants stay."""
    return linear_algebra.harmless(x) if contains_traced(x) else x


def lines(module: str, table: dict[str, Callable[..., Any]], **options: Any) -> dict[str, Line]:
    """Table lines of several functions of one module."""
    return {f"{module}.{name}": Line(rule, **options) for name, rule in table.items()}

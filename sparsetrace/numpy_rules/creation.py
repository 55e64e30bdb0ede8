"""Rules of functions that make arrays, and of questions about arrays.

Contract: none of these results depends on an input, except traced fill values and the
objects that are converted.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.complex_parts import Part, part_of
from sparsetrace.graph.graph import Ids
from sparsetrace.numpy_rules import indexing
from sparsetrace.operands.complex_operands import moved_ids, real_dtype
from sparsetrace.operands.constants import (
    chosen_values,
    converted_ids,
    decided_values,
    known_mask,
)
from sparsetrace.operands.implementations import conversion
from sparsetrace.operands.operands import (
    Elements,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_traced_array,
    promotion_of,
    python_type,
)
from sparsetrace.operands.refusals import REFUSED
from sparsetrace.operands.registry import ANYTHING, rule_for

__all__: list[str] = []


def _like(trace: Trace, prototype, fill: Ids, dtype, order, shape) -> Elements:
    if shape is None:
        template = ids_of(trace, prototype) if is_traced(prototype) else np.asarray(prototype)
        ids = np.empty_like(template, np.int32, order=order, subok=False)
    else:
        ids = np.empty(shape, np.int32)
    ids[...] = fill
    result_dtype = dtype_of(prototype) if dtype is None else np.dtype(dtype)
    return Elements(ids, result_dtype, keep_array=True)


@rule_for(np.zeros_like)
def _zeros_like(trace: Trace, a, dtype, order, shape) -> Elements:
    return _like(trace, a, trace.graph.constant(0.0), dtype, order, shape)


@rule_for(
    np.empty_like,
    signature="prototype, /, dtype=None, order='K', subok=True, shape=None, *, device=None",
)
def _empty_like(trace: Trace, prototype, dtype, order, shape) -> Elements:
    return _like(trace, prototype, trace.graph.constant(0.0), dtype, order, shape)


@rule_for(np.ones_like)
def _ones_like(trace: Trace, a, dtype, order, shape) -> Elements:
    return _like(trace, a, trace.graph.constant(1.0), dtype, order, shape)


@rule_for(np.full_like)
def _full_like(trace: Trace, a, fill_value, dtype, order, shape) -> Elements:
    result_dtype = dtype_of(a) if dtype is None else np.dtype(dtype)
    fill = converted_ids(trace, fill_value, result_dtype)
    return _like(trace, a, fill, result_dtype, order, shape)


@rule_for(np.astype)
def _astype(trace: Trace, x, dtype, copy) -> Any:
    return x.astype(dtype, copy=copy)


@rule_for(np.real)
def _real(trace: Trace, val) -> Any:
    if python_type(type(val)) is not None:
        return val.real
    dtype, keep_array = dtype_of(val), isinstance(val, np.ndarray)
    if dtype.kind != "c":
        return Elements(ids_of(trace, val), dtype, keep_array=keep_array)
    return _part(trace, val, Part.REAL)


@rule_for(np.imag)
def _imag(trace: Trace, val) -> Any:
    if python_type(type(val)) is not None:
        return val.imag
    dtype, keep_array = dtype_of(val), isinstance(val, np.ndarray)
    if dtype.kind != "c":
        ids = ids_of(trace, val)
        nothing = np.full(ids.shape, trace.graph.zero, np.int32)
        nothing.flags.writeable = False  # as in NumPy
        return Elements(nothing, dtype, keep_array=keep_array)
    return _part(trace, val, Part.IMAG)


def _part(trace: Trace, val, part: Part) -> Elements:
    """One part of complex elements; of an array a view."""
    ids, dtype = moved_ids(trace, val), real_dtype(dtype_of(val))
    if not is_traced_array(val):
        return Elements(part_of(trace.graph, ids, part), dtype)
    return Elements(indexing.view_of_part(trace, ids, part, dtype), dtype, keep_array=True)


def _arrays(x) -> Any:
    """A plain stand-in of the same dtype, for questions about types."""
    if is_traced(x):
        strong = python_type(type(x)) is None
        return np.empty((1,) * bool(np.ndim(x)), x._dtype) if strong else promotion_of(x)
    return x


def _shape(x) -> tuple[int, ...]:
    if is_traced(x):
        return tuple(x.shape)
    if isinstance(x, (list, tuple)):
        return (len(x), *_shape(x[0])) if x else (0,)
    return np.shape(x)


@rule_for(np.shape)
def _shape_of(trace: Trace, a) -> tuple[int, ...]:
    return _shape(a)


@rule_for(np.ndim)
def _ndim(trace: Trace, a) -> int:
    return len(_shape(a))


@rule_for(np.size)
def _size(trace: Trace, a, axis) -> int:
    shape = _shape(a)
    if axis is None:
        return prod(shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    return prod(shape[i] for i in normalize_axis_tuple(axes, len(shape)))


@rule_for(np.result_type, signature="*arrays_and_dtypes")
def _result_type(trace: Trace, arrays_and_dtypes) -> np.dtype[Any]:
    return np.result_type(*map(_arrays, arrays_and_dtypes))


@rule_for(np.can_cast, signature="from_, to, casting='safe'")
def _can_cast(trace: Trace, from_, to, casting) -> bool:
    return np.can_cast(dtype_of(from_) if is_traced(from_) else from_, to, casting)


@rule_for(np.min_scalar_type, signature="a, /")
def _min_scalar_type(trace: Trace, a) -> np.dtype[Any]:
    """The array's own type: a smaller one for a number would depend on its value."""
    return dtype_of(a)


@rule_for(np.common_type)
def _common_type(trace: Trace, arrays) -> Any:
    return np.common_type(*map(_arrays, arrays))


@rule_for(np.iscomplexobj)
def _iscomplexobj(trace: Trace, x) -> bool:
    return dtype_of(x).kind == "c"


@rule_for(np.isrealobj)
def _isrealobj(trace: Trace, x) -> bool:
    return dtype_of(x).kind != "c"


@rule_for(np.array_repr)
def _array_repr(trace: Trace, arr) -> str:
    return repr(arr)


@rule_for(np.array_str, np.array2string)
def _array_str(trace: Trace, a) -> str:
    return str(a)


def _memory(x) -> Any:
    return x._ids if is_traced(x) else constant_values(x)


@rule_for(np.shares_memory, signature="a, b, /, max_work=-1")
def _shares_memory(trace: Trace, a, b, max_work) -> bool:
    return np.shares_memory(_memory(a), _memory(b), max_work)


@rule_for(np.may_share_memory, signature="a, b, /, max_work=0")
def _may_share_memory(trace: Trace, a, b, max_work) -> bool:
    return np.may_share_memory(_memory(a), _memory(b), max_work)


# ---------------------------------------------------- indices of a shape
@rule_for(np.diag_indices_from)
def _diag_indices_from(trace: Trace, arr) -> Any:
    return np.diag_indices_from(np.empty(_shape(arr), bool))


@rule_for(np.tril_indices_from)
def _tril_indices_from(trace: Trace, arr, k) -> Any:
    return np.tril_indices_from(np.empty(_shape(arr), bool), k)


@rule_for(np.triu_indices_from)
def _triu_indices_from(trace: Trace, arr, k) -> Any:
    return np.triu_indices_from(np.empty(_shape(arr), bool), k)


@rule_for(np.ix_)
def _ix(trace: Trace, args) -> Any:
    """Constant indices as an ordinary open mesh; numbers as views of the arguments."""
    if any(len(_shape(x)) != 1 for x in args):
        raise ValueError("Cross index must be 1 dimensional")
    result: list[Any] = []
    for i, x in enumerate(args):
        if is_traced_array(x) and (dtype_of(x).kind != "b" or known_mask(trace, x) is None):
            decided = decided_values(trace, x) if dtype_of(x).kind == "b" else None
            if decided is not None:
                result += _one_of_mesh(decided, i, len(args))
                continue
            if dtype_of(x).kind == "b":
                raise REFUSED.value_dependent("np.ix_")
            shape = tuple(-1 if axis == i else 1 for axis in range(len(args)))
            result.append(Elements(x._ids.reshape(shape), x._dtype, keep_array=True))
            continue
        values = chosen_values(trace, x)
        if values is None:
            raise REFUSED.value_dependent("np.ix_")
        result += _one_of_mesh(values, i, len(args))
    return tuple(result)


def _one_of_mesh(values: NDArray[Any], place: int, count: int) -> list[Any]:
    return [np.ix_(*(values if axis == place else [0] for axis in range(count)))[place]]


# ------------------------------------------------- creators with like=
def _constant(trace: Trace, values) -> Any:
    """A new array: of the trace if it holds numbers that may be written later."""
    if values.dtype.kind not in "fc":
        return values
    return Elements(trace.graph.constant(values), values.dtype, keep_array=True)


def _creator(function: Callable[..., Any]) -> None:
    def rule(trace: Trace, args, kwargs) -> Any:
        return _constant(trace, np.asarray(function(*args, **kwargs)))

    rule_for(function, signature=ANYTHING)(rule)


for _name in (
    "zeros ones empty eye identity tri arange fromfunction fromiter frombuffer fromfile "
    "fromstring loadtxt genfromtxt"
).split():
    _creator(getattr(np, _name))


@rule_for(np.full)
def _full(trace: Trace, shape, fill_value, dtype, order) -> Any:
    if not contains_traced(fill_value):
        return _constant(trace, np.full(shape, fill_value, dtype, order))
    fill = conversion(fill_value, dtype)
    ids = np.broadcast_to(ids_of(trace, fill), shape)
    return Elements(ids.copy(), dtype_of(fill), keep_array=True)


def _converter(function: Callable[..., Any], *, copies: bool) -> None:
    def rule(trace: Trace, args, kwargs) -> Any:
        if not contains_traced(args[0]):
            return _constant(trace, function(*args, **kwargs))
        dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
        copy = kwargs.get("copy", copies)
        return conversion(args[0], dtype, copy=bool(copy), ndmin=kwargs.get("ndmin", 0))

    rule_for(function, signature=ANYTHING)(rule)


_converter(np.array, copies=True)
for _name in "asarray asanyarray ascontiguousarray asfortranarray require".split():
    _converter(getattr(np, _name), copies=False)

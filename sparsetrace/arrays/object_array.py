"""Arrays of objects made in a traced function, into which traced numbers are put.

Contract: what NumPy makes of such an array in a plain run is what it makes here, its dtype
included.  Sums, products and comparisons of numbers are done by the rules for arrays, which
take one step for all elements and need no branch; the rest is done by the numbers themselves,
one by one, as by NumPy: a division of Python's numbers raises where one of NumPy's does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
from numpy import broadcast_to
from numpy.typing import NDArray

from sparsetrace.context import CURRENT, Trace
from sparsetrace.dispatch.calls import answer_objects_by, ufunc_call
from sparsetrace.numbers.scalar import as_python
from sparsetrace.operands.complex_operands import elements_of
from sparsetrace.operands.operands import (
    constant_values,
    contains_traced,
    holds_objects,
    is_of_numbers,
    is_ordinary,
    is_traced,
    is_traced_array,
    python_type,
)
from sparsetrace.user_code.written_arguments import FILLING

__all__ = ["ObjectArray", "object_array", "objects_in", "objects_of"]

_BY_RULES = frozenset(
    (
        *(np.add, np.subtract, np.multiply, np.matmul, np.negative, np.positive, np.absolute),
        *(np.maximum, np.minimum, np.less, np.less_equal, np.greater, np.greater_equal),
        *(np.equal, np.not_equal),
    )
)
"""Ufuncs that raise no error for any numbers of Python's."""


class ObjectArray(np.ndarray[Any, Any]):
    """An array of objects, for NumPy and for the user an ordinary one."""

    __class__ = np.ndarray  # type: ignore[assignment]  # what ``isinstance`` and the user are told
    _is_buffer = True

    def __setitem__(self, key: Any, value: Any) -> None:
        if contains_traced(value) and self.dtype == object and not contains_traced(key):
            places: Any = broadcast_to(False, self.shape)[key]  # what is there may be an array
            value = _spread(value, places.ndim)
        super().__setitem__(key, value)

    def put(self, indices: Any, values: Any, mode: Any = "raise") -> None:
        """As ndarray.put."""
        super().put(indices, objects_in(values), mode)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in FILLING and args and type(args[0]) is ObjectArray:
            args = tuple(_operand(objects_in(x)) for x in args)
            options = {name: _operand(objects_in(x)) for name, x in kwargs.items()}
            return function(*args, **options)
        return super().__array_function__(function, types, args, kwargs)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _answered(CURRENT.get(), ufunc, method, inputs, kwargs)

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def _answered(
    trace: Trace | None,
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """The result of a ufunc that has an array of objects among its operands or targets."""
    targets = kwargs.get("out", ())
    if any(getattr(type(x), "_is_picked", False) for x in (*inputs, *targets)):
        return NotImplemented
    if trace is not None and ufunc in _BY_RULES and not targets:
        result = _by_rule(trace, ufunc, method, inputs, kwargs)
        if result is not NotImplemented:
            return result
    if targets:
        kwargs = {**kwargs, "out": tuple(map(_plain, targets))}
    result = getattr(ufunc, method)(*map(_operand, inputs), **kwargs)
    if targets:
        return targets if len(targets) > 1 else targets[0]
    return tuple(map(_watched, result)) if isinstance(result, tuple) else _watched(result)


answer_objects_by(_answered)


def _plain(x: object) -> Any:
    return x.view(np.ndarray) if type(x) is ObjectArray else x


def _operand(x: object) -> Any:
    """What NumPy itself may loop over."""
    if not is_traced(x):
        return _plain(x)
    if is_traced_array(x):
        return _plain(objects_of(x))
    result = np.empty((), object)
    result.fill(x)
    return result


def _watched(x: object) -> Any:
    return x.view(ObjectArray) if type(x) is np.ndarray and x.dtype == object else x


def _by_rule(
    trace: Trace, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of the rule for arrays; `NotImplemented` if the objects are not alike."""
    if method not in ("__call__", "reduce") or not _is_usual(method, kwargs):
        return NotImplemented
    operands: list[Any] = []
    python: set[bool] = set()
    for x in inputs:
        if holds_objects(x) and is_of_numbers(x):
            python.update(python_type(cls) is not None for cls in set(map(type, x.flat)))
            traced = contains_traced(x)
            operands.append(trace.wrap(elements_of(trace, x)) if traced else constant_values(x))
        elif is_traced(x) or _is_numeric(x):
            operands.append(x)
        else:
            return NotImplemented
    if len(python) != 1 or not any(map(is_traced, operands)):
        return NotImplemented
    result = ufunc_call(trace, ufunc, method, tuple(operands), kwargs)
    if not isinstance(result, np.ndarray):
        return as_python(result) if python == {True} else result
    return result if result.dtype == bool else objects_of(result, python=python == {True})


def _is_numeric(x: object) -> bool:
    """Whether an operand is a number, or an ordinary array of numbers."""
    if isinstance(x, np.ndarray):
        return is_ordinary(x) and x.dtype.kind in "biufc"
    return isinstance(x, (np.number, np.bool_, bool, int, float, complex))


def _is_usual(method: str, kwargs: dict[str, Any]) -> bool:
    """Whether a call has no options but those of an ordinary reduction."""
    if method == "__call__":
        return not kwargs
    return kwargs.get("dtype") is None and kwargs.get("where", True) is True


def object_array(items: Sequence[Any], shape: tuple[int, ...] | None = None) -> NDArray[Any]:
    """An array of these objects, with memory of its own; a vector if no shape is given."""
    result = ObjectArray(len(items) if shape is None else shape, object)
    flat = result.view(np.ndarray).reshape(-1)
    for i, item in enumerate(items):
        flat[i] = item
    return result


def objects_of(array: Any, *, python: bool = True) -> NDArray[Any]:
    """An array of objects that holds the elements as numbers of Python's own, or of NumPy's."""
    elements = array.reshape(-1)
    return object_array(elements.tolist() if python else list(elements), array.shape)


def _spread(obj: object, depth: int) -> Any:
    """The same for places in so many dimensions, in each of which an array stays what it is."""
    if not depth or not isinstance(obj, (list, tuple)):
        return objects_in(obj) if depth else obj
    return [_spread(item, depth - 1) for item in obj] if contains_traced(obj) else obj


def objects_in(obj: object) -> Any:
    """The same with arrays of objects in place of traced arrays, also in nested lists."""
    if is_traced_array(obj):
        return objects_of(obj)
    if isinstance(obj, (list, tuple)) and contains_traced(obj):
        return list(map(objects_in, obj))
    return obj

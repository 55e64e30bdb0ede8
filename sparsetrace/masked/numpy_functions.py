"""NumPy's own functions where an argument is a masked array.

Contract: some honour the mask, by the method or the function of ``np.ma`` of the same name or
element by element, some read the data as if there were no mask, and every other one is
refused: what NumPy makes of the mask there is an accident.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.dispatch.function_rules import REGISTERED
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.masked.data_and_mask import masked_data
from sparsetrace.masked.masked_array import MODULE, MaskedTracedArray
from sparsetrace.masked.numpy_ma_functions import rearranged
from sparsetrace.masked.registered import as_masked, by_method
from sparsetrace.operands.binding import Handler

__all__ = ["AS_IN_NUMPY_MA", "BY_ELEMENT", "BY_METHOD", "DATA_ALONE", "FORGETTING", "function_call"]


def _of_numpy(names: str) -> frozenset[Callable[..., Any]]:
    return frozenset(getattr(np, name) for name in names.split())


def _refuse(function: Callable[..., Any]) -> NoReturn:
    name = f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1)
    raise UnsupportedError(
        explain(
            name,
            "NumPy does not define what becomes of the mask there",
            f"Use np.ma.{function.__name__}, if there is one, or {name}(m.filled(value)).",
        )
    )


def _of_one(function: Callable[..., Any], rule: Handler) -> Handler:
    """The rule where the first argument alone is masked."""

    def call(a, *args, **kwargs) -> Any:
        if any(isinstance(x, np.ma.MaskedArray) for x in (*args, *kwargs.values())):
            _refuse(function)
        return rule(a, *args, **kwargs)

    return call


def _without_masks(function: Callable[..., Any]) -> Handler:
    def call(*args, **kwargs) -> Any:
        return function(*map(_data, args), **{key: _data(v) for key, v in kwargs.items()})

    return call


def _masked_again(function: Callable[..., Any]) -> Handler:
    return lambda *args, **kwargs: as_masked(_without_masks(function)(*args, **kwargs))


def _as_in_numpy_ma(function: Callable[..., Any]) -> Handler:
    name = function.__name__
    original = getattr(np.ma, name)
    return lambda *args, **kwargs: REGISTERED[MODULE][name].answer(original, args, kwargs)


BY_METHOD = _of_numpy(
    "all any argmax argmin clip cumprod cumsum diagonal max mean min prod ravel repeat "
    "reshape round squeeze std sum swapaxes take trace transpose var"
)
"""These call the method of the masked array."""

BY_ELEMENT = _of_numpy(
    "array_split atleast_1d atleast_2d atleast_3d dsplit expand_dims flip fliplr flipud "
    "hsplit moveaxis roll rollaxis rot90 split tile vsplit"
)
"""These move elements, and the mask with them."""

DATA_ALONE = frozenset((np.linalg.norm,)) | _of_numpy(
    "broadcast_arrays broadcast_to convolve copy cross einsum interp iscomplexobj "
    "isrealobj min_scalar_type ndim outer result_type select shape size tensordot tril triu vdot "
    "where"
)
"""These read the data under the mask as well, and return ordinary arrays."""

FORGETTING = _of_numpy("column_stack concatenate dot dstack hstack inner stack vstack")
"""These make masked arrays of the data, in which nothing is masked."""

AS_IN_NUMPY_MA = _of_numpy("compress diff empty_like ones_like sort zeros_like")
"""These do as the functions of ``np.ma`` of the same names, whatever rules those have."""


def _average(a, axis=None, weights=None, **options) -> Any:
    if weights is not None:
        _refuse(np.average)
    return as_masked(a).mean(axis, **options)


_RULES: dict[Callable[..., Any], Handler] = {
    np.amax: by_method("max"),
    np.amin: by_method("min"),
    np.argsort: lambda a, axis=-1, **options: as_masked(a).argsort(axis, **options),
    np.around: by_method("round"),
    np.average: _average,
    np.imag: lambda val: val.imag,
    np.real: lambda val: val.real,
}
for _functions, _rule_of in (
    (BY_METHOD, lambda f: _of_one(f, by_method(f.__name__))),
    (BY_ELEMENT, lambda f: _of_one(f, functools.partial(rearranged, f))),
    (DATA_ALONE, _without_masks),
    (FORGETTING, _masked_again),
    (AS_IN_NUMPY_MA, _as_in_numpy_ma),
):
    _RULES.update((function, _rule_of(function)) for function in _functions)


def function_call(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Answer ``__array_function__`` where an argument is a masked array."""
    if _numbers_alone(args):
        return _without_masks(function)(*args, **kwargs)
    if function not in _RULES:
        _refuse(function)
    return _RULES[function](*args, **kwargs)


def _numbers_alone(obj) -> bool:
    """Whether no masked array has dimensions: numbers that may be masked are but numbers."""
    if isinstance(obj, (list, tuple)):
        return all(map(_numbers_alone, obj))
    return not (isinstance(obj, np.ma.MaskedArray) and obj.ndim)


def _data(obj) -> Any:
    if isinstance(obj, (list, tuple)) and not hasattr(obj, "_fields"):
        return type(obj)(map(_data, obj))
    return masked_data(obj).everything if isinstance(obj, np.ma.MaskedArray) else obj


def _array_function(self: MaskedTracedArray, function, types, args, kwargs) -> Any:
    return function_call(self._trace, function, args, kwargs)


MaskedTracedArray.__array_function__ = _array_function  # type: ignore[attr-defined]

"""NumPy's own functions where an argument is a masked array.

Contract: some honour the mask, by the method of the same name or element by element, some
read the data as if there were no mask, and every other one is refused: what NumPy makes
of the mask there is an accident.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.masked.answers import FUNCTIONS, as_masked
from sparsetrace.masked.data_and_mask import parts_of
from sparsetrace.masked.masked_array import MaskedTracedArray
from sparsetrace.masked.numpy_ma_functions import rearranged

__all__ = ["BY_ELEMENT", "BY_METHOD", "DATA_ALONE", "FORGETTING", "function_call"]


def _of_numpy(names: str) -> list[Callable[..., Any]]:
    return [getattr(np, name) for name in names.split()]


BY_METHOD = frozenset(
    _of_numpy(
        "all any argmax argmin clip cumprod cumsum diagonal max mean min prod ravel repeat "
        "reshape round squeeze std sum swapaxes take trace transpose var"
    )
)
"""These call the method of the masked array."""

BY_ELEMENT = frozenset(
    _of_numpy(
        "array_split atleast_1d atleast_2d atleast_3d dsplit expand_dims flip fliplr flipud "
        "hsplit moveaxis roll rollaxis rot90 split tile vsplit"
    )
)
"""These move elements, and the mask with them."""

DATA_ALONE = frozenset(
    _of_numpy(
        "broadcast_arrays broadcast_to convolve copy cross einsum interp iscomplexobj isrealobj "
        "ndim outer result_type select shape size tensordot tril triu vdot where"
    )
) | {np.linalg.norm}
"""These read the data under the mask as well, and return ordinary arrays."""

FORGETTING = frozenset(_of_numpy("column_stack concatenate dot dstack hstack inner stack vstack"))
"""These make masked arrays of the data, in which nothing is masked."""

_OTHERS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.amax: FUNCTIONS["max"],
    np.amin: FUNCTIONS["min"],
    np.around: FUNCTIONS["round"],
    np.average: lambda a, axis=None, **options: as_masked(a).mean(axis, **options),
    np.argsort: lambda a, axis=-1, **options: as_masked(a).argsort(axis, **options),
    np.compress: FUNCTIONS["compress"],
    np.diff: FUNCTIONS["diff"],
    np.empty_like: FUNCTIONS["empty_like"],
    np.imag: lambda val: val.imag,
    np.ones_like: FUNCTIONS["ones_like"],
    np.real: lambda val: val.real,
    np.sort: FUNCTIONS["sort"],
    np.zeros_like: FUNCTIONS["zeros_like"],
}


def function_call(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Answer ``__array_function__`` where an argument is a masked array."""
    if function in DATA_ALONE or _numbers_alone(args):
        return function(*map(_data, args), **{key: _data(v) for key, v in kwargs.items()})
    if function in FORGETTING:
        found = function(*map(_data, args), **{key: _data(v) for key, v in kwargs.items()})
        return as_masked(found)
    others = [*args[1:], *kwargs.values()]
    if not any(isinstance(x, np.ma.MaskedArray) for x in others):
        if function in BY_METHOD:
            return getattr(as_masked(args[0]), function.__name__)(*args[1:], **kwargs)
        if function in BY_ELEMENT:
            return rearranged(function, *args, **kwargs)
    if function in _OTHERS and "weights" not in kwargs:
        return _OTHERS[function](*args, **kwargs)
    name = f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1)
    raise UnsupportedError(
        explain(
            name,
            "NumPy does not define what becomes of the mask there",
            f"Use np.ma.{function.__name__}, if there is one, or {name}(m.filled(value)).",
        )
    )


def _numbers_alone(obj: Any) -> bool:
    """Whether no masked array has dimensions: numbers that may be masked are but numbers."""
    if isinstance(obj, (list, tuple)):
        return all(map(_numbers_alone, obj))
    return not (isinstance(obj, np.ma.MaskedArray) and obj.ndim)


def _data(obj: Any) -> Any:
    if isinstance(obj, (list, tuple)) and not hasattr(obj, "_fields"):
        return type(obj)(map(_data, obj))
    return parts_of(obj).everything if isinstance(obj, np.ma.MaskedArray) else obj


def _array_function(
    self: MaskedTracedArray, function: Any, types: Any, args: Any, kwargs: Any
) -> Any:
    return function_call(self._trace, function, args, kwargs)


MaskedTracedArray.__array_function__ = _array_function  # type: ignore[attr-defined]

"""The one table of what is answered for masked arrays of a trace.

Contract: `ANSWERS` holds the functions of ``np.ma``, those of NumPy's own that take masked
arrays, and methods of ``np.ma.MaskedArray``, each by the function itself; what is not in it
is refused.  An answer takes the function's own arguments, that of a method the array first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.masked.data_and_mask import (
    MaskedData,
    as_traced,
    current_trace,
    is_masked,
    masked_data,
)
from sparsetrace.masked.masked_array import MaskedTracedArray, finished
from sparsetrace.operands.operands import is_traced_array

__all__ = [
    "ANSWERS",
    "METADATA",
    "Answer",
    "answers",
    "as_masked",
    "by_method",
    "derive_functions",
    "traced_masked_data",
]

Answer = Callable[..., Any]

ANSWERS: dict[Callable[..., Any], Answer] = {}
METADATA = frozenset(
    "common_fill_value default_fill_value get_fill_value isMA isMaskedArray isarray "
    "make_mask_descr make_mask_none maximum_fill_value minimum_fill_value".split()
)
"""Functions of ``np.ma`` that need no answer: they look at types, shapes and fill values alone."""

_METHODS: dict[int, list[str]] = {}
for _name, _method in vars(np.ma.MaskedArray).items():
    _METHODS.setdefault(id(_method), []).append(_name)


def answers(*functions: Callable[..., Any], unpack: bool = False) -> Callable[[Answer], Answer]:
    """Register the answer to functions; where one is a method, masked arrays get it as theirs.

    Parameters
    ----------
    *functions : callable
    unpack : bool
        Whether the first argument is given as its data and mask.

    Returns
    -------
    callable
        The decorator, which gives the answer back as it is.  Called through the table, it
        need not make an array: of `MaskedData` the user gets what they stand for.

    Examples
    --------
    >>> np.ma.median in ANSWERS
    True
    """

    def register(answer: Answer) -> Answer:
        call = (_unpacking if unpack else _finishing)(answer)
        call.__name__ = _shown_name(functions[0])
        for function in functions:
            if function in ANSWERS:
                raise ValueError(f"{_shown_name(function)} has an answer already")
            ANSWERS[function] = call
            for name in _METHODS.get(id(function), ()):
                setattr(MaskedTracedArray, name, call)
        return answer

    return register


def _finishing(answer: Answer) -> Answer:
    def call(*args, **kwargs) -> Any:
        result = answer(*args, **kwargs)
        return finished(current_trace(), result) if type(result) is MaskedData else result

    return call


def _unpacking(answer: Answer) -> Answer:
    def call(a, *args, **kwargs) -> Any:
        result = answer(traced_masked_data(a), *args, **kwargs)
        if type(result) is not MaskedData:
            return result
        return finished(a._trace if is_masked(a) else current_trace(), result)

    return call


def by_method(name: str) -> Answer:
    """The answer that a method of masked arrays gives."""

    def call(a, *args, **kwargs) -> Any:
        return getattr(as_masked(a), name)(*args, **kwargs)

    return call


def _shown_name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "a function of numpy.ma")  # objects in older releases


_ALIASES = {
    "anomalies": "anom",
    "innerproduct": "inner",
    "outerproduct": "outer",
    "round_": "round",
    "row_stack": "vstack",
}
"""Functions of ``np.ma`` that are one object in some releases of NumPy, and two in others."""


def derive_functions() -> None:
    """Answer what follows from other answers: functions that are methods too, and aliases."""
    for name in np.ma.__all__:
        function = getattr(np.ma, name)
        is_method = callable(getattr(MaskedTracedArray, name, None))
        if is_method and function not in ANSWERS and name not in METADATA:
            answers(function)(by_method(name))
    for alias, name in _ALIASES.items():
        function = getattr(np.ma, alias, None)
        if function is not None:
            ANSWERS.setdefault(function, ANSWERS[getattr(np.ma, name)])


def traced_masked_data(a) -> MaskedData:
    """The data and mask of an operand, its data as an array."""
    trace, operand = current_trace(), masked_data(a)
    beneath = None if operand.beneath is None else as_traced(trace, operand.beneath)
    return MaskedData(as_traced(trace, operand.data), operand.mask, beneath)


def as_masked(a) -> Any:
    """`a` as a masked array, over the same data where it is traced."""
    if type(a) is MaskedTracedArray:
        return a
    operand = traced_masked_data(a)
    if not is_traced_array(operand.data):  # whole numbers of a local trace
        return np.ma.MaskedArray(operand.data, mask=operand.mask)
    return MaskedTracedArray(current_trace(), operand)

"""How the rules of numpy.ma are registered, and what follows from those written out.

Contract: rules are those of `sparsetrace.dispatch.function_rules`, under ``numpy.ma`` and the
name there: a function's, or ``MaskedArray.sum``.  Each is bound by NumPy's own signature,
names the parameters that it reads, and gets its arguments as they are.  It need not make an
array: of `MaskedData` the user gets what they stand for.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from sparsetrace.dispatch.bound_rules import Call
from sparsetrace.dispatch.function_rules import REGISTERED, register
from sparsetrace.masked.data_and_mask import (
    MaskedData,
    as_traced,
    current_trace,
    is_masked,
    masked_data,
)
from sparsetrace.masked.masked_array import METHOD, MODULE, MaskedTracedArray, finished
from sparsetrace.operands.binding import Handler
from sparsetrace.operands.operands import contains_traced, is_traced_array, plain_target

__all__ = [
    "METADATA",
    "as_masked",
    "by_method",
    "on_data",
    "refuse",
    "register_rest",
    "rule_for",
    "traced_masked_data",
    "written_into",
]

METADATA = frozenset(
    "common_fill_value default_fill_value get_fill_value isMA isMaskedArray isarray "
    "make_mask_descr make_mask_none maximum_fill_value minimum_fill_value".split()
)
"""Functions of ``np.ma`` that need no rule: they look at types, shapes and fill values alone."""

_HARMLESS = "kind order stable subok".split()
"""A rule that does not read these need not: they change no dependency."""


def rule_for(*names: str) -> Callable[[Handler], Handler]:
    """Register a rule for functions of ``numpy.ma``, or methods of its classes.

    Examples
    --------
    >>> "median" in REGISTERED["numpy.ma"], "MaskedArray.sum" in REGISTERED["numpy.ma"]
    (True, True)
    """

    def mark(rule: Handler) -> Handler:
        for name in names:
            if name in REGISTERED.get(MODULE, ()):
                raise ValueError(f"{MODULE}.{name} has a rule already")
            register(MODULE, name, _finishing(rule), harmless=_HARMLESS, as_given=True)
        return rule

    return mark


def _finishing(rule: Handler) -> Handler:
    @functools.wraps(rule)
    def call(*args, **kwargs) -> Any:
        result = rule(*args, **kwargs)
        return finished(current_trace(), result) if type(result) is MaskedData else result

    return call


def on_data(rule: Handler) -> Handler:
    """A rule that takes its first argument as data and mask."""

    @functools.wraps(rule)
    def call(a, *args, **kwargs) -> Any:
        return rule(traced_masked_data(a), *args, **kwargs)

    return call


def register_rest() -> None:
    """Functions that are methods too have those as their rules; all others are refused."""
    rules = REGISTERED[MODULE]
    for name in np.ma.__all__:
        function = getattr(np.ma, name)
        other = isinstance(function, (type, types.ModuleType, np.ma.core._MaskedUFunc))
        of_numpy = hasattr(function, "_implementation")  # has a protocol
        if not callable(function) or other or of_numpy or name in METADATA or name in rules:
            continue
        is_method = METHOD + name in rules or callable(getattr(MaskedTracedArray, name, None))
        rule_for(name)(by_method(name) if is_method else refuse)
    for name in _WRITERS:
        rule_for(METHOD + name)(_refuse_write)


def refuse(call: Call, *arguments, **options) -> NoReturn:
    """The rule of a function that has none."""
    call.refuse(
        "this function has no rule for traced data",
        "Use numpy's function on m.filled(value), and np.where with m.mask.",
    )


def _refuse_write(self, *arguments, **options) -> NoReturn:
    """Raise the error of a write of traced elements into an ordinary array."""
    if isinstance(self, np.ma.MaskedArray):
        self = np.ndarray.view(self, self.baseclass)
    raise plain_target("an assignment to a masked array", self)


_WRITERS = "__setitem__ put __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __ipow__".split()
"""Methods that write into a masked array; one that is ordinary holds no traced elements."""


# ------------------------------------------------------------------------- operands
def traced_masked_data(a) -> MaskedData:
    """The data and mask of an operand, its data as an array."""
    if type(a) is MaskedData:
        return a
    trace, operand = current_trace(), masked_data(a)
    beneath = None if operand.beneath is None else as_traced(trace, operand.beneath)
    return MaskedData(as_traced(trace, operand.data), operand.mask, beneath)


def as_masked(a) -> Any:
    """`a` as a masked array, over the same data where it is traced."""
    if is_masked(a):
        return a
    operand = traced_masked_data(a)
    if not is_traced_array(operand.data):  # whole numbers of a local trace
        return np.ma.MaskedArray(operand.data, mask=operand.mask)
    return MaskedTracedArray(current_trace(), operand)


def written_into(a) -> Any:
    """`a` as a masked array that is about to be changed, which an ordinary array cannot be."""
    return as_masked(a) if contains_traced(a) else _refuse_write(a)


def by_method(name: str, *, of: Callable[[Any], Any] = as_masked) -> Handler:
    """The rule of a function that a method of masked arrays answers."""

    def call(a, *arguments, **options) -> Any:
        return getattr(of(a), name)(*arguments, **options)

    return call

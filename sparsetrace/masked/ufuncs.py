"""Operators and ufuncs of masked arrays, numpy.ma's own ufuncs among them.

Contract: ``+ - * / // **`` and comparisons are those of numpy.ma, all other ufuncs are
NumPy's on masked arrays; both mask what either operand masks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.masked import arithmetic
from sparsetrace.masked.data_and_mask import MaskedData, current_trace, is_masked, masked_data
from sparsetrace.masked.masked_array import MaskedTracedArray, finished
from sparsetrace.masked.registered import as_masked, by_method, rule_for
from sparsetrace.operands.binding import Handler
from sparsetrace.operands.operands import contains_traced
from sparsetrace.operands.python_operators import BINARY, COMPARISONS, UNARY

__all__ = ["binary_call", "ufunc_call"]

_DIVISIONS = frozenset((np.true_divide, np.floor_divide, np.remainder, np.fmod))
_OPTIONS = frozenset(("dtype", "casting", "order", "subok"))
_PLAIN = (np.ndarray, np.generic, bool, int, float, complex, list, tuple)


def _like(*operands) -> Any:
    """The masked array whose fill value the result takes over."""
    return next((x for x in operands if is_masked(x)), None)


def _for_ufuncs(method: str, *classes: str) -> Callable[[Handler], Handler]:
    """Register the rule of a method of numpy.ma's own ufuncs, which are objects."""
    return rule_for(*(f"core.{cls}.{method}" for cls in classes))


@_for_ufuncs("__call__", "_MaskedUnaryOperation")
def _unary_call(self, a, *args, **kwargs) -> Any:
    trace, content = current_trace(), masked_data(a)
    result = arithmetic.unary(trace, self.f, self.domain, content, *args, **kwargs)
    return finished(trace, result, like=_like(a))


@_for_ufuncs("__call__", "_MaskedBinaryOperation", "_DomainedBinaryOperation")
def _binary_call(self, a, b, *args, **kwargs) -> Any:
    return binary_call(self.f, a, b, *args, **kwargs)


@_for_ufuncs("__call__", "_extrema_operation")
def _extrema_call(self, a, b) -> Any:
    return binary_call(self.f, a, b)


def binary_call(f: Callable[..., Any], a, b, *args, **kwargs) -> Any:
    """``np.ma.f(a, b)``."""
    trace = current_trace()
    return finished(trace, _binary(trace, f, a, b, *args, **kwargs), like=_like(a, b))


def _binary(trace: Trace, f: Callable[..., Any], a, b, *args, **kwargs) -> MaskedData:
    if f is np.power:
        return arithmetic.power(trace, masked_data(a), masked_data(b))
    rule = arithmetic.divide if f in _DIVISIONS else arithmetic.binary
    return rule(trace, f, masked_data(a), masked_data(b), *args, **kwargs)


@_for_ufuncs("outer", "_MaskedBinaryOperation", "_extrema_operation")
def _outer(self, a, b) -> MaskedData:
    return arithmetic.outer(current_trace(), self.f, masked_data(a), masked_data(b))


_REDUCING = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}
"""The methods that reduce by a ufunc."""


@_for_ufuncs("reduce", "_MaskedBinaryOperation")
def _reduce(self, target, axis, dtype) -> Any:
    if self.f not in _REDUCING or dtype is not None:
        raise _unanswered(self, "reduce")
    return by_method(_REDUCING[self.f])(target, axis)


@_for_ufuncs("reduce", "_extrema_operation")
def _reduce_extrema(self, target, axis) -> Any:
    if axis is np._NoValue:
        axis = 0 if as_masked(target).ndim == 1 else None
    return by_method(_REDUCING[self.f])(target, axis)


@_for_ufuncs("accumulate", "_MaskedBinaryOperation")
def _accumulate(self, target, axis) -> Any:
    """Of numpy.ma's results none has a mask."""
    if self.f not in (np.add, np.multiply):
        raise _unanswered(self, "accumulate")
    return as_masked(self.f.accumulate(as_masked(target).filled(self.filly), axis))


def _unanswered(operation, method: str) -> UnsupportedError:
    return UnsupportedError(
        explain(
            f"np.ma.{operation.__name__}.{method}",
            "this call has no rule for traced data",
            "Use the methods: m.sum(axis), m.prod(axis), m.max(axis), m.cumsum(axis).",
        )
    )


def ufunc_call(
    trace: Trace, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Answer ``__array_ufunc__`` where an operand is a masked array."""
    for x in inputs:
        if not (contains_traced(x) or isinstance(x, _PLAIN)):
            return NotImplemented
    if not any(isinstance(x, np.ma.MaskedArray) for x in inputs):
        return _refuse(f"np.{ufunc.__name__}(..., out=)", "its target is a masked array")
    if method != "__call__":
        return _refuse(f"np.{ufunc.__name__}.{method}", "numpy forgets the mask there")
    if ufunc.signature is not None or ufunc.nout != 1 or not kwargs.keys() <= _OPTIONS:
        return _refuse(f"np.{ufunc.__name__}", "this call has no rule for masked arrays")
    operands = [masked_data(x) for x in inputs]
    return finished(trace, arithmetic.ufunc(trace, ufunc, operands, **kwargs), like=_like(*inputs))


def _refuse(call: str, problem: str) -> Any:
    raise UnsupportedError(
        explain(call, problem, "Use the function of np.ma, or numpy's on m.filled(value).")
    )


def _array_ufunc(self: MaskedTracedArray, ufunc: np.ufunc, method: str, *inputs, **kwargs) -> Any:
    return ufunc_call(self._trace, ufunc, method, inputs, kwargs)


MaskedTracedArray.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]


def _takes(other) -> bool:
    return contains_traced(other) or isinstance(other, _PLAIN)


def _own(f: np.ufunc, name: str, *, reflected: bool, in_place: bool) -> None:
    """An operator that numpy.ma defines."""

    def forward(self: MaskedTracedArray, other) -> Any:
        return binary_call(f, self, other) if _takes(other) else NotImplemented

    def backward(self: MaskedTracedArray, other) -> Any:
        if not np.ndim(other):  # NumPy's scalars call the ufunc
            return ufunc_call(self._trace, f, "__call__", (other, self), {})
        return binary_call(f, other, self) if _takes(other) else NotImplemented

    def inside(self: MaskedTracedArray, other) -> Any:
        if not _takes(other):
            return NotImplemented
        return self._store(_binary(self._trace, f, self, other))

    setattr(MaskedTracedArray, f"__{name}__", forward)
    if reflected:
        setattr(MaskedTracedArray, f"__r{name}__", backward)
    if in_place:
        setattr(MaskedTracedArray, f"__i{name}__", inside)


def _through(f, name: str) -> None:
    """An operator that goes through the ufunc."""

    def forward(self: MaskedTracedArray, *others) -> Any:
        return ufunc_call(self._trace, f, "__call__", (self, *others), {})

    def backward(self: MaskedTracedArray, other) -> Any:
        return ufunc_call(self._trace, f, "__call__", (other, self), {})

    def inside(self: MaskedTracedArray, other) -> Any:
        result = forward(self, other)
        return result if result is NotImplemented else self._store(masked_data(result))

    setattr(MaskedTracedArray, f"__{name}__", forward)
    if f.nin == 2:
        setattr(MaskedTracedArray, f"__r{name}__", backward)
        setattr(MaskedTracedArray, f"__i{name}__", inside)


_OWN = frozenset("add sub mul truediv floordiv pow".split())
for _name, _ufunc in (BINARY | UNARY).items():
    if _name in _OWN:
        _own(_ufunc, _name, reflected=True, in_place=True)
    else:
        _through(_ufunc, _name)
for _name, _ufunc in COMPARISONS.items():
    _own(_ufunc, _name, reflected=False, in_place=False)
    # of ordinary masked arrays with traced elements
    rule_for(f"MaskedArray.__{_name}__")(lambda self, other, f=_ufunc: binary_call(f, self, other))

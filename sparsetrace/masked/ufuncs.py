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
from sparsetrace.masked.answers import answers, as_masked, by_method
from sparsetrace.masked.data_and_mask import MaskedData, current_trace, masked_data
from sparsetrace.masked.masked_array import MaskedTracedArray, finished
from sparsetrace.operands.operands import contains_traced
from sparsetrace.operands.python_operators import BINARY, COMPARISONS, UNARY

__all__ = ["binary_call", "ufunc_call"]

_DIVISIONS = frozenset((np.true_divide, np.floor_divide, np.remainder, np.fmod))
_OPTIONS = frozenset(("dtype", "casting", "order", "subok"))
_PLAIN = (np.ndarray, np.generic, bool, int, float, complex, list, tuple)


core: Any = np.ma.core


def _like(*operands) -> Any:
    """The masked array whose fill value the result takes over."""
    return next((x for x in operands if type(x) is MaskedTracedArray), None)


@answers(core._MaskedUnaryOperation.__call__)
def _unary_call(operation, a, *args, **kwargs) -> Any:
    trace, content = current_trace(), masked_data(a)
    result = arithmetic.unary(trace, operation.f, operation.domain, content, *args, **kwargs)
    return finished(trace, result, like=_like(a))


@answers(core._MaskedBinaryOperation.__call__, core._DomainedBinaryOperation.__call__)
def _binary_call(operation, a, b, *args, **kwargs) -> Any:
    return binary_call(operation.f, a, b, *args, **kwargs)


@answers(core._extrema_operation.__call__)
def _extrema_call(operation, a, b=None) -> Any:
    if b is None:
        return by_method(_REDUCING[operation.f])(a)
    return binary_call(operation.f, a, b)


def binary_call(f: Callable[..., Any], a, b, *args, **kwargs) -> Any:
    """``np.ma.f(a, b)``."""
    trace = current_trace()
    return finished(trace, _binary(trace, f, a, b, *args, **kwargs), like=_like(a, b))


def _binary(trace: Trace, f: Callable[..., Any], a, b, *args, **kwargs) -> MaskedData:
    if f is np.power:
        return arithmetic.power(trace, masked_data(a), masked_data(b))
    rule = arithmetic.divide if f in _DIVISIONS else arithmetic.binary
    return rule(trace, f, masked_data(a), masked_data(b), *args, **kwargs)


@answers(core._MaskedBinaryOperation.outer, core._extrema_operation.outer)
def _outer(operation, a, b) -> MaskedData:
    return arithmetic.outer(current_trace(), operation.f, masked_data(a), masked_data(b))


_REDUCING = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}
"""The methods that reduce by a ufunc."""


@answers(core._MaskedBinaryOperation.reduce)
def _reduce(operation, target, axis=0, *args, **kwargs) -> Any:
    if operation.f not in _REDUCING or args or kwargs:
        raise _unanswered(operation, "reduce")
    return by_method(_REDUCING[operation.f])(target, axis)


@answers(core._extrema_operation.reduce)
def _reduce_extrema(operation, target, axis=np._NoValue, *args, **kwargs) -> Any:
    if axis is np._NoValue:
        axis = 0 if as_masked(target).ndim == 1 else None
    return _reduce(operation, target, axis, *args, **kwargs)


@answers(core._MaskedBinaryOperation.accumulate)
def _accumulate(operation, target, axis: int = 0) -> Any:
    """Of numpy.ma's results none has a mask."""
    if operation.f not in (np.add, np.multiply):
        raise _unanswered(operation, "accumulate")
    return as_masked(operation.f.accumulate(as_masked(target).filled(operation.filly), axis))


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

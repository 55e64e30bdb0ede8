"""NumPy's own Python implementations, run on traced arguments.

Contract: a function listed here is written in Python and calls functions that do have
rules.  A copy of it runs, in whose globals the array constructors (``asarray``, ``zeros``,
...) keep traced arrays.  NumPy's own modules are not touched.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial.polyutils import trimseq

from sparsetrace.context import CURRENT
from sparsetrace.operands.operands import Elements, contains_traced, dtype_of, is_traced

__all__ = ["IMPLEMENTED", "conversion", "function_named", "rebound", "rebound_method"]

_NAMES = """
angle apply_along_axis apply_over_axes corrcoef diff ediff1d fix isclose
iscomplex isreal kron linalg.cross linalg.matrix_power
linalg.multi_dot logspace poly polyadd polyder polyint
polynomial.polynomial.polygrid2d polynomial.polynomial.polyval2d
polynomial.polynomial.polyvalnd polysub polyval
real_if_close vander
""".split()


def function_named(name: str) -> Any:
    """A function of NumPy's; None where this version has none of that name."""
    result: Any = np
    for attribute in name.split("."):
        result = getattr(result, attribute, None)
    return result


IMPLEMENTED: frozenset[Callable[..., Any]] = frozenset(
    function
    for function in map(function_named, _NAMES)
    if hasattr(function, "_implementation")  # polyval2d: since NumPy 2.3, polyvalnd: since 2.5
)


def conversion(obj: Any, dtype: Any = None, *, copy: Any = True, ndmin: int = 0, **_: Any) -> Any:
    """``np.array`` that keeps traced elements."""
    if not contains_traced(obj):
        values = np.array(obj, dtype, copy=copy, ndmin=ndmin)
        return _traced(values) if copy is True else values  # a new array may be written to
    if is_traced(obj):
        result = obj if isinstance(obj, np.ndarray) else obj._as_array()
        result = result.copy() if copy else result
    elif isinstance(obj, np.ndarray):
        result = np.stack([conversion(item) for item in obj.flat]).reshape(obj.shape)
    else:
        result = np.stack([conversion(item) for item in obj])
    if dtype is not None and np.dtype(dtype) != dtype_of(result):
        result = result.astype(dtype)
    return result[(None,) * (ndmin - result.ndim)] if result.ndim < ndmin else result


def _asarray(obj: Any, dtype: Any = None, order: Any = None, **options: Any) -> Any:
    return conversion(obj, dtype, copy=None if not contains_traced(obj) else False)


def _buffer(make: Callable[..., Any]) -> Callable[..., Any]:
    """A constructor whose float arrays can take traced elements later."""

    def constructor(first: Any, /, *args: Any, **kwargs: Any) -> Any:
        if contains_traced(args):  # np.full(shape, traced)
            fill = conversion(args[0])
            return np.broadcast_to(fill, first).copy()
        return _traced(make(first, *args, **kwargs))

    return constructor


def _traced(values: Any) -> Any:
    """Floats as constants of the trace."""
    trace = CURRENT.get()
    if trace is None or trace.wrapper is None or values.dtype.kind not in "fc":
        return values
    own = values if trace.local else None
    return trace.wrap(Elements(trace.graph.constant(values), values.dtype, own, keep_array=True))


def _untrimmed(seq: Any) -> Any:
    """``polyutils.trimseq``: in a global trace no coefficient counts as zero that is not known."""
    if not is_traced(seq) or seq._trace.local:
        return trimseq(seq)
    rest = np.flatnonzero(~seq._trace.graph.zeros_among(seq._ids))
    return seq[: rest[-1] + 1 if rest.size else 1]


def _buffer_like(make: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a constructor that takes the shape of another array."""
    buffer = _buffer(make)

    def constructor(prototype: Any, /, *args: Any, **kwargs: Any) -> Any:
        return (
            make(prototype, *args, **kwargs)
            if is_traced(prototype)
            else buffer(prototype, *args, **kwargs)
        )

    return constructor


_CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    "array": conversion,
    "asarray": _asarray,
    "asanyarray": _asarray,
    "ascontiguousarray": _asarray,
    "asfortranarray": _asarray,
    "asarray_chkfinite": _asarray,
    "zeros": _buffer(np.zeros),
    "ones": _buffer(np.ones),
    "full": _buffer(np.full),
    "zeros_like": _buffer_like(np.zeros_like),
    "ones_like": _buffer_like(np.ones_like),
    "empty_like": _buffer_like(np.zeros_like),
    # an unwritten element of np.empty holds nothing that a result may use
    "empty": _buffer(np.zeros),
    "trimseq": _untrimmed,
}


class _Namespace(types.ModuleType):
    """A NumPy module in which the constructors are exchanged."""

    def __init__(self, module: types.ModuleType) -> None:
        super().__init__(module.__name__)
        self.__wrapped_module = module

    def __getattr__(self, name: str) -> Any:
        result = _CONSTRUCTORS.get(name)
        if result is None:
            result = getattr(self.__wrapped_module, name)
            if (
                isinstance(result, types.FunctionType)
                and not hasattr(result, "_implementation")
                and result.__module__.startswith("numpy")
            ):
                return rebound_method(result)
        return result


def _converting(original: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's own way to take numbers and arrays alike, given arrays."""

    def converter(*args: Any) -> Any:
        return original(*(_asarray(x) if contains_traced(x) else x for x in args))

    return converter


_MODULES: dict[str, dict[str, Any]] = {}
_REBOUND: dict[Callable[..., Any], Callable[..., Any]] = {}


def _copy_function(function: types.FunctionType, scope: dict[str, Any]) -> types.FunctionType:
    copied = types.FunctionType(
        function.__code__,
        scope,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copied.__kwdefaults__ = function.__kwdefaults__
    return copied


def _scope_of(function: types.FunctionType) -> dict[str, Any]:
    """The globals of the function's module, with constructors and helpers exchanged."""
    original = function.__globals__
    name = original["__name__"]
    scope = _MODULES.get(name)
    if scope is None:
        scope = _MODULES[name] = dict(original)
        for key, value in original.items():
            if key in _CONSTRUCTORS:
                scope[key] = _CONSTRUCTORS[key]
            elif key == "_array_converter":
                scope[key] = _converting(value)
            elif isinstance(value, types.ModuleType) and value.__name__.startswith("numpy"):
                scope[key] = _Namespace(value)
            elif isinstance(value, types.FunctionType) and value.__globals__ is original:
                scope[key] = _copy_function(value, scope)
    return scope


def rebound(function: Callable[..., Any]) -> Callable[..., Any]:
    """The implementation behind a NumPy function, with its constructors exchanged."""
    result = _REBOUND.get(function)
    if result is None:
        inner: Any = function._implementation  # type: ignore[attr-defined]
        result = _REBOUND[function] = _copy_function(inner, _scope_of(inner))
    return result


def rebound_method(function: Any) -> Callable[..., Any]:
    """A plain Python function or method of NumPy's, with its constructors exchanged."""
    result = _REBOUND.get(function)
    if result is None:
        result = _REBOUND[function] = _copy_function(function, _scope_of(function))
    return result

"""Traced arrays of subclasses of ndarray that compute in ways of their own: arrays with units.

Contract: the class's own operators, methods and protocols run, as Python runs them for plain
arrays.  What they ask of ndarray by ``super()`` is answered as ndarray answers it: a ufunc of what
is of no such class is traced; a function of NumPy's that is written in Python is run, one that is
written in C is traced for the plain arrays; a method that is a ufunc's is that ufunc's.  Constants
of such a class become a view of the trace where they meet traced numbers.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache
from types import FunctionType
from typing import Any

import numpy as np
from numpy._core import umath

from sparsetrace.arrays.array import lift_by, traced_array, view_as
from sparsetrace.arrays.own_protocols import has_own, itself, reflected
from sparsetrace.arrays.traced_views import (
    TracedView,
    as_plain,
    as_sample,
    plain_class,
    sampled,
    typed,
    viewed_from,
)
from sparsetrace.context import Trace
from sparsetrace.dispatch.calls import answer_subclasses_by
from sparsetrace.errors import TracingError, UnsupportedError, explain
from sparsetrace.numbers.scalar import Number
from sparsetrace.operands.operands import (
    check_operators,
    decides_results,
    has_own_operators,
    is_traced,
    own_methods,
)

__all__ = ["ComputingView", "method_of_constant"]


_CLIP = vars(umath)["clip"]
"""The ufunc behind ``np.clip``."""


def _is_computing(x: object) -> bool:
    return getattr(type(x), "_computes", False) is True


def _holds_views(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(_holds_views, x))
    if isinstance(x, dict):
        return any(map(_holds_views, x.values()))
    return _is_computing(x)


def _without_views(x: Any) -> Any:
    """Arguments with the plain traced arrays in place of the views."""
    if isinstance(x, (list, tuple)):
        items = map(_without_views, x)
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if isinstance(x, dict):
        return {name: _without_views(item) for name, item in x.items()}
    if _is_computing(x):
        return as_plain(x)
    return x.view(np.ndarray) if decides_results(x) else x


class ComputingView(TracedView):
    """What the classes of these views have in common, behind the user's own."""

    __slots__ = ()
    _computes = True

    # ------------------------------------------------------------- protocols
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """As ndarray's, which a class's own calls for what it has made of its operands."""
        ufunc, out = itself(ufunc), kwargs.get("out", ())
        if any(has_own(x, "__array_ufunc__") for x in (*inputs, *out)):
            return NotImplemented
        call = ufunc if method == "__call__" else getattr(ufunc, method)
        inputs = tuple(_lifted(self._trace, x) for x in inputs)
        views = [x for x in inputs if _is_computing(x)]
        if not views and not any(map(_is_computing, out)):
            return call(*inputs, **kwargs)
        result = call(*_without_views(inputs), **_without_views(kwargs))
        if method == "at":
            return None
        results = result if isinstance(result, tuple) else (result,)
        context = (ufunc, inputs) if method == "__call__" else None
        made = [
            _result(views, item, target, call, inputs, context, place)
            for place, (item, target) in enumerate(
                zip(results, out or (None,) * len(results), strict=True)
            )
        ]
        return tuple(made) if isinstance(result, tuple) else made[0]

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """As ndarray's, which a class's own calls."""
        if any(not issubclass(cls, (np.ndarray, Number)) for cls in types):
            return NotImplemented
        if not (_holds_views(args) or _holds_views(kwargs)):
            return function(*args, **kwargs)
        function = itself(function)
        made = getattr(function, "_implementation", function)
        token = _COMPUTED.set([])
        try:
            sample, computes = sampled(made, args, kwargs, _recording)
            computes = computes or bool(_COMPUTED.get())
        except TracingError:
            raise
        except Exception:  # as what is run does then
            computes = True
        finally:
            _COMPUTED.reset(token)
        if computes:
            return _run(made, args, kwargs)
        result = function(*_without_views(args), **_without_views(kwargs))
        target = kwargs.get("out")
        return as_sample(self, result, sample) if target is None else target

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if return_scalar and not np.ndim(array):
            return array[()]
        if is_traced(array):
            return viewed_from(self, as_plain(array))
        return np.asarray(array).view(self._plain_class)

    # ------------------------------------------------------------- methods
    @property
    def real(self) -> Any:
        return self._as_this(as_plain(self).real)

    @real.setter
    def real(self, value: Any) -> None:
        as_plain(self).real = value

    @property
    def imag(self) -> Any:
        return self._as_this(as_plain(self).imag)

    @imag.setter
    def imag(self, value: Any) -> None:
        as_plain(self).imag = value

    def fill(self, value: Any) -> None:
        """As ndarray.fill."""
        as_plain(self).fill(value)

    def sort(self, *args: Any, **kwargs: Any) -> None:
        """As ndarray.sort."""
        as_plain(self).sort(*args, **kwargs)

    def partition(self, *args: Any, **kwargs: Any) -> None:
        """As ndarray.partition."""
        as_plain(self).partition(*args, **kwargs)


def _run(made: Any, args: Any, kwargs: Any) -> Any:
    """What NumPy's own function gives, which is written in Python."""
    if isinstance(made, FunctionType):
        return made(*args, **kwargs)
    raise UnsupportedError(
        explain(
            f"np.{made.__name__}",
            "it is compiled, and computes by the operators of a subclass of ndarray",
            "Convert the array with np.asarray(x) first.",
        )
    )


_COMPUTED: ContextVar[list[str]] = ContextVar("computed")
"""By which methods of a user's class a function of NumPy's has computed for plain arrays."""


@lru_cache(maxsize=256)
def _recording(cls: Any) -> Any:
    """A class of plain arrays as `cls`, which notes what is computed by its own methods."""

    def recording(name: str) -> Callable[..., Any]:
        own, of_arrays = getattr(cls, name), getattr(np.ndarray, name)

        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = own(self, *args, **kwargs)
            if name == "__array_wrap__":
                is_moved = _holds_same(result, args[0])
            else:
                is_moved = name == "__getitem__" and _holds_same(result, of_arrays(self, *args))
            if not is_moved:
                _COMPUTED.get([]).append(name)
            return result

        return method

    made = {name: recording(name) for name in own_methods(cls)}
    return type(cls.__name__, (cls,), {**made, "__module__": cls.__module__, "_recorded": cls})


def _holds_same(result: Any, array: Any) -> bool:
    """Whether what was made of an array has its elements, no traced ones, and is still noted."""
    cls: Any = type(result)
    if (
        is_traced(result)
        or is_traced(array)
        or (own_methods(cls) and not hasattr(cls, "_recorded"))
    ):
        return False
    return np.array_equal(np.asarray(result), np.asarray(array), equal_nan=True)


# ------------------------------------------------------------------- what a ufunc answers
def _into(out: Any, result: Any) -> Any:
    if out is None:
        return result
    out[...] = result
    return out


def _conj(x: Any) -> Any:
    """As ndarray.conj: real numbers are given back as they are."""
    return np.conjugate(x) if x._dtype.kind == "c" else x


def _cumsum(x: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """As ndarray.cumsum."""
    return _accumulated(np.add, x, axis, dtype, out)


def _cumprod(x: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """As ndarray.cumprod."""
    return _accumulated(np.multiply, x, axis, dtype, out)


def _accumulated(ufunc: np.ufunc, x: Any, axis: Any, dtype: Any, out: Any) -> Any:
    return ufunc.accumulate(x.ravel() if axis is None else x, axis or 0, dtype, out)


def _mean(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = True,
) -> Any:
    """As ndarray.mean."""
    dtype = np.float64 if dtype is None and x._dtype.kind in "biu" else dtype
    total = np.add.reduce(x, axis, dtype=dtype, keepdims=keepdims, where=where)
    return _into(out, _divided(total, _counted(x, axis, keepdims, where)))


def _divided(total: Any, count: Any) -> Any:
    """As NumPy does, whose arrays without dimensions stay arrays."""
    if isinstance(total, np.ndarray):
        return np.true_divide(total, count, out=total, casting="unsafe", subok=False)
    return total / count


def _counted(x: Any, axis: Any, keepdims: Any, where: Any) -> Any:
    """Over how many elements a mean is taken."""
    chosen = np.broadcast_to(where, x.shape)
    return np.add.reduce(chosen, axis, keepdims=keepdims, dtype=np.intp)


def _var(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
) -> Any:
    """As ndarray.var."""
    apart = np.subtract(x, x.mean(axis, dtype, keepdims=True, where=where))
    squares = np.multiply(apart, np.conjugate(apart)).real if x._dtype.kind == "c" else apart**2
    total = np.add.reduce(squares, axis, dtype=dtype, keepdims=keepdims, where=where)
    count = np.maximum(_counted(x, axis, keepdims, where) - ddof, 0)
    return _into(out, _divided(total, count))


def _std(
    x: Any, axis: Any = None, dtype: Any = None, out: Any = None, *args: Any, **kw: Any
) -> Any:
    """As ndarray.std."""
    return _into(out, np.sqrt(x.var(axis, dtype, None, *args, **kw)))


def _round(x: Any, decimals: int = 0, out: Any = None) -> Any:
    """As ndarray.round."""
    if not decimals:
        return _into(out, np.rint(x))
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return _into(out, np.true_divide(np.rint(np.multiply(x, scale)), scale))
    return _into(out, np.multiply(np.rint(np.true_divide(x, scale)), scale))


def _trace(
    x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """As ndarray.trace, which gives numbers in place of arrays without dimensions."""
    result = np.add.reduce(x.diagonal(offset, axis1, axis2), -1, dtype, out)
    is_array = out is None and isinstance(result, np.ndarray) and not result.ndim
    return result.view(np.ndarray)[()] if is_array else result


def _clip(x: Any, min: Any = None, max: Any = None, out: Any = None, **options: Any) -> Any:
    """As ndarray.clip."""
    if min is not None and max is not None:
        return _into(out, _CLIP(x, min, max, **options))
    result = x if min is None else np.maximum(x, min, **options)
    return _into(out, result if max is None else np.minimum(result, max, **options))


def _priority(x: Any) -> float:
    """The priority of plain arrays of the class of a view."""
    found = getattr(plain_class(type(x)), "__array_priority__", 0.0)
    return found if isinstance(found, (int, float)) else 0.0  # of ndarray itself a descriptor


def _result(
    views: list[Any],
    result: Any,
    target: Any,
    call: Callable[..., Any],
    inputs: tuple[Any, ...],
    context: tuple[np.ufunc, tuple[Any, ...]] | None,
    place: int,
) -> Any:
    """One result of a ufunc as NumPy hands it out, which asks the operand of the most priority."""
    if target is not None:
        own = _is_computing(target) and has_own(target, "__array_wrap__")
        return _wrapped(target, target, context, place) if own else target
    wrapping = [x for x in views if has_own(x, "__array_wrap__")]
    if not wrapping:
        return typed(views[0], result, call, inputs, {}) if views else result
    first = max(wrapping, key=_priority)
    if is_traced(result) and not isinstance(result, np.ndarray):
        result = result._as_array()
    array = result if is_traced(result) else np.asarray(result)
    return _wrapped(first, array, context, place)


def _wrapped(
    view: Any, array: Any, context: tuple[np.ufunc, tuple[Any, ...]] | None, place: int
) -> Any:
    """What the class makes of a result; those of before NumPy 2 take fewer arguments."""
    asked = (array, None if context is None else (*context, place), not array.ndim)
    wrap = view.__array_wrap__
    takes = inspect.signature(wrap).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in takes):
        return wrap(*asked)
    return wrap(*asked[: len(takes)])


def _through_ufunc(ufunc: np.ufunc, name: str, options: tuple[str, ...]) -> Callable[..., Any]:
    def method(self: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
        kwargs |= dict(zip(options, args, strict=False))
        return ufunc.reduce(self, axis, **kwargs)

    method.__name__ = name
    method.__doc__ = f"As ndarray.{name}."
    return method


def _through_rule(name: str) -> Callable[..., Any]:
    plain = getattr(np.ndarray, name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        arguments = _without_views(args), _without_views(kwargs)
        result = getattr(as_plain(self), name)(*arguments[0], **arguments[1])
        target = kwargs.get("out")
        return typed(self, result, plain, (self, *args), kwargs) if target is None else target

    method.__name__ = name
    method.__doc__ = f"As ndarray.{name}."
    return method


for _method in (_conj, _cumsum, _cumprod, _mean, _var, _std, _round, _trace, _clip):
    setattr(ComputingView, _method.__name__[1:], _method)
setattr(ComputingView, "conjugate", _conj)  # noqa: B010
_SUMS = ("dtype", "out", "keepdims", "initial", "where")
_EXTREMES = ("out", "keepdims", "initial", "where")
for _name, _ufunc, _options in (
    ("sum", np.add, _SUMS),
    ("prod", np.multiply, _SUMS),
    ("max", np.maximum, _EXTREMES),
    ("min", np.minimum, _EXTREMES),
    ("any", np.logical_or, _EXTREMES),
    ("all", np.logical_and, _EXTREMES),
):
    setattr(ComputingView, _name, _through_ufunc(_ufunc, _name, _options))
for _name in (
    "argmax argmin argpartition argsort choose compress dot nonzero put repeat searchsorted take"
).split():
    setattr(ComputingView, _name, _through_rule(_name))


# ---------------------------------------------------- constants beside traced numbers
def _beside_constants(
    trace: Trace, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A ufunc of traced operands and constant arrays of a class that computes in its own way."""
    for target in kwargs.get("out", ()):
        check_operators(target)
    if method == "__call__" and not kwargs and has_own_operators(inputs[-1]):
        result = reflected(type(inputs[-1]), ufunc, inputs, sys._getframe(1))
        if result is not NotImplemented:
            return result
    lifted = [_lifted(trace, x) for x in inputs]
    return (ufunc if method == "__call__" else getattr(ufunc, method))(*lifted, **kwargs)


def _called_with_views(trace: Trace, function: Any, args: Any, kwargs: Any) -> Any:
    """A function of NumPy's, with views of the trace for constants whose methods it may call."""
    lifted = [_all_lifted(trace, x) for x in args]
    return function(*lifted, **{name: _all_lifted(trace, x) for name, x in kwargs.items()})


def method_of_constant(trace: Trace, array: Any, name: str, args: Any, kwargs: Any) -> Any:
    """A method of ndarray's of a constant array of such a class, beside traced numbers."""
    return getattr(ComputingView, name)(_lifted(trace, array), *args, **kwargs)


def _all_lifted(trace: Trace, x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        items = [_all_lifted(trace, item) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return _lifted(trace, x)


def _lifted(trace: Trace, x: Any) -> Any:
    if not decides_results(x):
        return x
    values = x.view(np.ndarray)
    if values.dtype.kind not in "biufc" or isinstance(x, np.matrix):
        check_operators(x)
    ids = trace.graph.constant(values)
    made = traced_array(trace, ids, values.dtype, values.copy() if trace.local else None)
    try:
        view = view_as(made, type(x))
    except UnsupportedError:
        check_operators(x)
        raise
    view.__dict__ = x.__dict__  # it stands for the object itself
    return view


answer_subclasses_by(_beside_constants)
lift_by(_called_with_views)

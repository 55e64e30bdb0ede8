"""The modules ``math`` and ``cmath`` on traced numbers.

Contract: every function of these that has a derivative, or that maps to a ufunc
without one, is answered by that ufunc, and raises what the function itself does; for
plain numbers each wrapper is the original.
"""

from __future__ import annotations

import cmath
import functools
import itertools
import math
import operator
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from sparsetrace.capture.patch import Patch, named_like, table
from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.numbers.local_numbers import one_at_a_point
from sparsetrace.numbers.python_numbers import TracedPythonFloat
from sparsetrace.numbers.scalar import TracedScalar, as_python
from sparsetrace.operands.constants import plain_values
from sparsetrace.operands.floating import without_state
from sparsetrace.operands.nonlinear import second_order_scalar
from sparsetrace.operands.operands import FLOAT, is_traced, values_of
from sparsetrace.operands.raising import may_be_caught, may_raise, remember
from sparsetrace.operands.unions import unites

__all__ = ["patches"]


def _log(x: Any, base: Any = None) -> Any:
    return np.log(x) if base is None else np.log(x) / np.log(base)


def _hypot(*coordinates: Any) -> Any:
    return functools.reduce(np.hypot, coordinates) if coordinates else 0.0


def _dist(p: Any, q: Any) -> Any:
    return _hypot(*(np.subtract(a, b) for a, b in zip(p, q, strict=True)))


def _prod(values: Any, *, start: Any = 1) -> Any:
    return functools.reduce(operator.mul, values, start)


def _sum_of_products(p: Any, q: Any) -> Any:
    return sum(a * b for a, b in zip(p, q, strict=True))


def _remainder(x: Any, y: Any) -> Any:
    return x - y * np.rint(x / y)


def _isclose(a: Any, b: Any, *, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Any:
    bound = np.maximum(rel_tol * np.maximum(abs(a), abs(b)), abs_tol)
    return abs(a - b) <= bound


def _of_scipy(name: str) -> Callable[..., Any]:
    """A function of ``scipy.special``, which is not imported before somebody calls it."""

    def answer(*args: Any, **kwargs: Any) -> Any:
        return getattr(import_module("scipy.special"), name)(*args, **kwargs)

    return answer


_ANSWERS: dict[str, Callable[..., Any]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "copysign": np.copysign,
    "cos": np.cos,
    "cosh": np.cosh,
    "degrees": np.degrees,
    "dist": _dist,
    "erf": _of_scipy("erf"),
    "erfc": _of_scipy("erfc"),
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "fabs": np.fabs,
    "floor": np.floor,
    "fmod": np.fmod,
    "frexp": np.frexp,
    "fsum": sum,
    "gamma": _of_scipy("gamma"),
    "hypot": _hypot,
    "isclose": _isclose,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "ldexp": np.ldexp,
    "lgamma": _of_scipy("gammaln"),
    "log": _log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "modf": np.modf,
    "nextafter": np.nextafter,
    "pow": np.power,
    "prod": _prod,
    "radians": np.radians,
    "remainder": _remainder,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "sumprod": _sum_of_products,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
    "ulp": np.spacing,
}


def _of_complex(answer: Callable[..., Any]) -> Callable[..., Any]:
    def answer_complex(*args: Any) -> Any:
        return answer(*(np.add(x, 0j) if is_traced(x) else x for x in args))

    return answer_complex


def _polar(z: Any) -> Any:
    return np.absolute(z), np.angle(z)


def _rect(r: Any, phi: Any) -> Any:
    return r * np.cos(phi) + 1j * (r * np.sin(phi))


_COMPLEX_ANSWERS: dict[str, Callable[..., Any]] = {
    **{
        name: _of_complex(_ANSWERS[name])
        for name in (
            "acos acosh asin asinh atan atanh cos cosh exp isfinite isinf isnan log log10 "
            "sin sinh sqrt tan tanh"
        ).split()
    },
    "isclose": _isclose,
    "phase": np.angle,
    "polar": _polar,
    "rect": _rect,
}
_TO_WHOLE = frozenset(("ceil", "floor", "trunc"))
_OVER_ITERABLES = frozenset(("dist", "fsum", "prod", "sumprod"))
_BY_OPERATORS = frozenset(("prod", "sumprod"))
"""Their results are of the type that the items' operators give, NumPy's too."""


_SAMPLES = (-2.5, -1.0, 0.0, 0.5, 1e308, math.inf, -math.inf, math.nan)
"""Between them they meet every domain and range error of every function."""
_OF_SUMS = (
    OverflowError("intermediate overflow in fsum"),
    ValueError("-inf + inf in fsum"),
)


@functools.lru_cache(maxsize=1024)
def _errors(original: Callable[..., Any], *known: Any) -> tuple[Exception, ...]:
    """The errors that a function may raise, one of a type; None stands for unknown arguments."""
    errors: dict[type, Exception] = {}
    for values in itertools.product(*(_SAMPLES if x is None else (x,) for x in known)):
        try:
            original(*values)
        except (ValueError, ArithmeticError) as error:
            errors.setdefault(type(error), type(error)(*error.args))
        except Exception:  # of the arguments that are known; the function's rule says so
            break
    return tuple(errors.values())


_ONE = frozenset((1,))


def _sizes(args: tuple[Any, ...]) -> set[int]:
    return {x.size for x in args if is_traced(x)}


def _fail_alike(
    trace: Trace, original: Callable[..., Any], args: tuple[Any, ...], kwargs: Any
) -> None:
    """Raise what the function raises: at a point itself, else on a path where it is caught."""
    if trace.local or _sizes(args) != _ONE:
        try:
            original(*map(_plain, args), **kwargs)
        except Exception:
            if trace.moving is not None and trace.local:
                trace.moving.has_raised(original, args)
            raise
    elif may_be_caught(trace):
        values = [plain_values(trace, x) if is_traced(x) else x for x in args]
        if all(x is not None for x in values):
            original(*(x.item() if isinstance(x, np.ndarray) else x for x in values), **kwargs)
            return
        for error in _errors(original, *(None if is_traced(x) else x for x in args)):
            may_raise(trace, functools.partial(type(error), *error.args), args)
    else:
        remember(trace, sys._getframe(2))


def _plain(x: Any) -> Any:
    """The number that a traced one stands for; an array as it is in a plain call."""
    if not is_traced(x):
        return x
    if not isinstance(x, np.ndarray):
        return x._value
    if x.size != 1:  # which no function takes
        return np.ones(x.shape)
    return values_of(x).item()


def _as_python(result: Any, name: str) -> Any:
    """The result as a number of Python's own; of an array of one element too."""
    if type(result) is tuple:
        return tuple(_as_python(item, name) for item in result)
    if isinstance(result, np.ndarray):
        result = result.reshape(())[()]
    return as_python(result.astype(np.int64) if name in _TO_WHOLE else result)


_FLOATS = frozenset((TracedPythonFloat, TracedScalar))


def _keeps(trace: Trace, answer: Any, x: Any) -> bool:
    """Whether what a ufunc gives depends on just what its one argument does, an unknown number.

    Without it a call takes three times as long, in a trace of second order ten times.
    """
    return (
        type(x) in _FLOATS
        and x._id > OPAQUE
        and x._dtype is FLOAT
        and not trace.graph.mixed
        and trace.is_quick
        and type(answer) is np.ufunc
        and unites(answer)
    )


def _wrapped(original: Callable[..., Any], answer: Callable[..., Any]) -> Callable[..., Any]:
    name = original.__name__

    @named_like(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        for x in args:
            if is_traced(x):
                trace = x._trace
                frame = sys._getframe(1)
                if x.ndim:
                    float(np.ones(x.shape))  # which NumPy may refuse for one element, too
                if name == "trunc" and isinstance(x, np.ndarray):  # which is no method of arrays
                    original(np.ones(x.shape))
                if (
                    x.size != 1
                    or len(args) > 1
                    or (
                        frame is not trace.lately
                        and (frame.f_back is not trace.unwatched or frame.f_code.co_exceptiontable)
                    )
                ):
                    _fail_alike(trace, original, args, kwargs)
                if len(args) == 1 and not kwargs and _keeps(trace, answer, x):
                    node = x._id
                    if trace.second_order:
                        node = second_order_scalar(trace, answer, node, node)  # type: ignore[arg-type]
                    return TracedPythonFloat(trace, node, FLOAT)
                if trace.local and len(args) == 1 and not kwargs and type(x) in _FLOATS:
                    made = one_at_a_point(TracedPythonFloat, trace, answer, x)
                    if made is not None:
                        return made
                if trace.calm:
                    result = answer(*args, **kwargs)
                else:
                    result = without_state(trace, answer, *args, **kwargs)
                return _as_python(result, original.__name__)
        return original(*args, **kwargs)

    return call


def _wrapped_iterable(
    original: Callable[..., Any], answer: Callable[..., Any]
) -> Callable[..., Any]:
    @named_like(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        lists = [list(x) if hasattr(x, "__iter__") else x for x in args]
        items = [x for values in lists if isinstance(values, list) for x in values]
        first = next(filter(is_traced, items), None)
        if first is None:
            return original(*lists, **kwargs)
        for x in items:
            if isinstance(x, np.ndarray) and x.ndim and original.__name__ != "prod":
                float(np.ones(x.shape))  # which NumPy may refuse for one element, too
        if first._trace.local:
            plain = [list(map(_plain, x)) if isinstance(x, list) else x for x in lists]
            original(*plain, **{key: _plain(x) for key, x in kwargs.items()})
        elif original.__name__ == "fsum":
            for error in _OF_SUMS:
                may_raise(first._trace, functools.partial(type(error), *error.args), items)
        result = without_state(first._trace, answer, *lists, **kwargs)
        name = original.__name__
        return result if name in _BY_OPERATORS else _as_python(result, name)

    return call


@table
def patches() -> list[Patch]:
    """The functions of both modules; some are newer than Python 3.11."""
    made: list[Patch] = []
    for module, answers in ((math, _ANSWERS), (cmath, _COMPLEX_ANSWERS)):
        for name, answer in answers.items():
            original = getattr(module, name, None)
            if original is not None:
                wrap = _wrapped_iterable if name in _OVER_ITERABLES else _wrapped
                made.append(Patch(module, name, original, wrap(original, answer)))
    return made

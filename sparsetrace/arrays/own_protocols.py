"""What stands before a user's class that computes in a way of its own, in the class of its views.

Contract: the class's protocols are asked as NumPy asks them for plain arrays: with the types of
these, with functions as the class's code names them, and reflected operators before those of an
array.  An answer that they do not give is given by nothing else.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from sparsetrace.arrays.array import TracedArray
from sparsetrace.arrays.traced_views import TracedView, plain_class
from sparsetrace.dispatch.sparse_operators import is_operator
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.numbers.scalar import Number
from sparsetrace.operands.operands import computes_as_ndarray
from sparsetrace.operands.python_operators import BINARY, COMPARISONS
from sparsetrace.user_code.callers import called
from sparsetrace.user_code.frames import outside_frame

__all__ = ["has_own", "itself", "overrides", "protocols", "reflected"]


@lru_cache(maxsize=1024)
def overrides(cls: type, name: str) -> bool:
    """Whether a class that computes in a way of its own has a method of its own by this name."""
    own: Any = plain_class(cls)
    if not issubclass(own, np.ndarray) or (own is cls and getattr(cls, "_is_traced", False)):
        return False
    is_other = getattr(own, name) is not getattr(np.ndarray, name)
    return is_other and (own is not cls or not computes_as_ndarray(own))


def has_own(x: object, name: str) -> bool:
    """The same of the class of an object."""
    cls: Any = type(x)
    return overrides(cls, name)


def protocols(cls: Any) -> Iterator[tuple[str, Any]]:
    """What stands before a user's class: what it must not be asked, and what it must answer."""

    def finalize(self: Any, source: object) -> None:
        """The class's own, once the array has its elements."""
        if _is_whole(self):
            cls.__array_finalize__(self, source)

    def by_ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """The class's own, which nothing answers for where it does not."""
        if method == "__call__" and inputs[0] is not self and not kwargs:
            result = reflected(cls, ufunc, inputs, sys._getframe(1))
            if result is not NotImplemented:
                return result
        if not has_ufunc:
            return super(cls, self).__array_ufunc__(ufunc, method, *inputs, **kwargs)
        asked = _as_named(cls.__array_ufunc__, ufunc)
        result = cls.__array_ufunc__(self, asked, method, *inputs, **kwargs)
        if result is not NotImplemented:
            return result
        _only(cls, (*inputs, *kwargs.get("out", ())), f"np.{ufunc.__name__}")
        raise TypeError(
            "operand type(s) all returned NotImplemented from "
            f"__array_ufunc__({ufunc!r}, {method!r}, ...)"
        )

    def by_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """The same for a function of NumPy's."""
        shown = _shown(types)
        asked = _as_named(cls.__array_function__, function)
        result = cls.__array_function__(self, asked, shown, args, kwargs)
        if result is not NotImplemented:
            return result
        _only(cls, shown, f"np.{function.__name__}")
        raise TypeError(
            f"no implementation found for '{function.__module__}.{function.__name__}' on types "
            "that implement __array_function__"
        )

    has_ufunc = overrides(cls, "__array_ufunc__")
    yield "__array_finalize__", finalize
    yield "__array_ufunc__", by_ufunc
    if overrides(cls, "__array_function__"):
        yield "__array_function__", by_function
    if hasattr(cls, "__getattr__"):

        def look_up(self: Any, name: str) -> Any:
            if not _is_whole(self):
                return TracedView.__getattr__(self, name)
            return cls.__getattr__(self, name)

        yield "__getattr__", look_up


def _is_whole(array: Any) -> bool:
    """Whether a view has its elements by now: NumPy asks it before, and of some it never has."""
    try:
        object.__getattribute__(array, "_values")
    except AttributeError:
        return False
    return True


def itself(function: Any) -> Any:
    """A function of NumPy's, for what stands under its name while a trace runs."""
    return getattr(function, "_plain", function)


def _as_named(method: Any, function: Any) -> Any:
    """The function as the code of a class's protocol knows it: ``if function is np.where``.

    It knows it by what stands under the name now, if it names it; and else by what it has kept.
    """
    code, name = getattr(method, "__code__", None), function.__name__
    if code is None or name not in _names(method):
        return function
    module = sys.modules.get(getattr(function, "__module__", None) or "numpy", np)
    for standing in (method.__globals__.get(name), getattr(module, name, None)):
        if standing is not None and itself(standing) is function:
            return standing
    return function


@lru_cache(maxsize=256)
def _names(method: types.FunctionType) -> frozenset[str]:
    """The names in the code of a function, and of those that it calls by a name of its module."""
    found: set[str] = set()
    seen: set[types.CodeType] = set()
    codes = [method.__code__]
    while codes:
        code = codes.pop()
        if code in seen:
            continue
        seen.add(code)
        found.update(code.co_names)
        codes += [x for x in code.co_consts if isinstance(x, types.CodeType)]
        called = (method.__globals__.get(name) for name in code.co_names)
        codes += [x.__code__ for x in called if isinstance(x, types.FunctionType)]
    return frozenset(found)


_COMPARISONS = dict(zip("lt le gt ge eq ne".split(), "gt ge lt le eq ne".split(), strict=True))
_REFLECTED = {ufunc: f"__r{name}__" for name, ufunc in BINARY.items()}
_REFLECTED |= {COMPARISONS[name]: f"__{other}__" for name, other in _COMPARISONS.items()}


def reflected(cls: Any, ufunc: np.ufunc, inputs: Any, frame: types.FrameType) -> Any:
    """What the class's own reflected operator gives, which Python asks before an array's.

    It has not asked yet where the left operand is of a subclass of ndarray too, or of no array's.

    Raises
    ------
    UnsupportedError
        Where nothing tells whether the ufunc was called by an operator or by its name.
    """
    name = _REFLECTED.get(ufunc)
    left: Any = type(inputs[0])
    is_stand_in = getattr(left, "_is_buffer", False) or getattr(left, "_is_traced", False)
    if name is None or len(inputs) != 2 or not is_stand_in or not overrides(cls, name):
        return NotImplemented
    if issubclass(getattr(left, "_plain", object), np.generic) and ufunc in BINARY.values():
        return NotImplemented  # NumPy's numbers do not give way, but where they are compared
    frame = outside_frame(frame)
    if is_operator(frame):
        return getattr(cls, name)(inputs[1], inputs[0])
    if isinstance(called(frame), np.ufunc):
        return NotImplemented
    raise UnsupportedError(
        explain(
            f"np.{ufunc.__name__}, or an operator, beside an array of class {cls.__name__}",
            "the class has an operator of its own, and nothing tells which of both was called",
            "Write the operator itself, or call the ufunc by its name.",
        )
    )


def _shown(types: Any) -> tuple[type, ...]:
    """The types of plain operands, those of numbers apart, which answer no function."""
    plain = [plain_class(cls) for cls in types if not issubclass(cls, Number)]
    return tuple(np.ndarray if cls is TracedArray else cls for cls in dict.fromkeys(plain))


def _only(cls: type, operands: Any, call: str) -> None:
    """Refuse a call in which another class that computes in a way of its own could answer.

    Raises
    ------
    UnsupportedError
    """
    classes = {plain_class(x if isinstance(x, type) else type(x)) for x in operands}
    for other in classes - {cls, *TracedView.__mro__}:
        if issubclass(other, np.ndarray) and not computes_as_ndarray(other):
            raise UnsupportedError(
                explain(
                    call,
                    f"arrays of the classes {cls.__name__} and {other.__name__} meet in it, and "
                    "the first does not answer",
                    "Convert one of them with np.asarray.",
                )
            )

"""What traced arrays of a user's subclass of ndarray have in common.

Contract: the class is made of the user's class, whose attributes and methods come first, and of
`TracedView`.  Which results are objects of the subclass, NumPy says: it is asked with plain arrays
in place of the traced ones.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sparsetrace.arrays.array import Rows, TracedArray, view_as
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.operands import is_traced, own_methods, unwatched, values_of

__all__ = [
    "TracedView",
    "as_plain",
    "as_sample",
    "plain_class",
    "sampled",
    "typed",
    "viewed_from",
]


def as_plain(array: Any) -> Any:
    """A view as the traced array that it shows, and a polynomial as its traced coefficients.

    Anything else is given as it is.
    """
    if type(array) is np.poly1d and is_traced(array.coeffs):
        return array.coeffs
    if getattr(type(array), "_is_view", False) is not True:  # pandas has a property of this name
        return array
    return TracedArray._over(array._trace, array._ids, array._dtype, array._values)


def plain_class(cls: type) -> type:
    """The user's class that a class of traced views is made of; any other class itself."""
    return getattr(cls, "_plain_class", cls)


class TracedView(TracedArray):
    """What classes of traced views have in common."""

    __slots__ = ()
    _is_view = True
    _computes = False
    """Whether operators and functions have a meaning of its own for the class."""
    _plain_class: type

    def _as_this(self, result: object) -> Any:
        """A result as an object of the same class, made of this one."""
        if not is_traced(result) or not isinstance(result, np.ndarray):
            return result
        return viewed_from(self, result)

    def _moved(self, move: Callable[[Any], Any]) -> Any:
        return self._as_this(as_plain(self)._moved(move))

    def __getitem__(self, key: object) -> Any:
        return self._as_this(as_plain(self)[key])

    def astype(self, *args: Any, **kwargs: Any) -> Any:
        """As ndarray.astype."""
        return self._as_this(as_plain(self).astype(*args, **kwargs))

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """As ndarray.view."""
        for wanted in (*args, *kwargs.values()):
            if isinstance(wanted, type) and issubclass(wanted, np.ndarray):
                own = plain_class(wanted)
                if own not in (np.ndarray, TracedArray) and not issubclass(own, np.ma.MaskedArray):
                    return view_as(self, own)
        result = as_plain(self).view(*args, **kwargs)
        kept = not any(isinstance(wanted, type) for wanted in (*args, *kwargs.values()))
        return self._as_this(result) if kept else result

    def __iter__(self) -> Iterator[Any]:
        return iter(Rows(self))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        result = super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        if result is NotImplemented or method == "at":
            return result
        plain = ufunc if method == "__call__" else getattr(ufunc, method)
        return typed(self, result, plain, inputs, kwargs)

    def __array_function__(
        self, function: Callable[..., Any], types: object, args: object, kwargs: object
    ) -> Any:
        result = super().__array_function__(function, types, args, kwargs)
        if result is NotImplemented or result is None:
            return result
        return typed(self, result, function, args, kwargs)


def viewed_from(source: TracedView, array: Any) -> Any:
    """Any traced array as an object of the class of a view, made of that view."""
    result = type(source)._over(array._trace, array._ids, array._dtype, array._values)
    source._plain_class.__array_finalize__(result, source)  # type: ignore[attr-defined]
    return result


def typed(
    source: TracedView, result: Any, function: Callable[..., Any], args: Any, kwargs: Any
) -> Any:
    """A result in the type that NumPy gives it for plain arrays."""
    return as_sample(source, result, plainly(source, function, args, kwargs))


def sampled(
    function: Callable[..., Any], args: Any, kwargs: Any, sample_class: Callable[[type], type]
) -> tuple[Any, bool]:
    """What a call gives for numbers in place of traced ones, in arrays of such classes.

    And whether the result has numbers in attributes that no argument has: they are made of
    elements, or moved like these, as a mask is.
    """
    with np.errstate(all="ignore"):
        numbers = {name: _plain(x, sample_class) for name, x in kwargs.items()}
        values = [_plain(x, sample_class) for x in args]
        kept = {id(x): x for x in _numbers_beside([*values, *numbers.values()])}
        result = function(*values, **numbers)
    return result, any(id(x) not in kept for x in _numbers_beside(result))


def _numbers_beside(x: Any) -> Iterator[Any]:
    """The numbers in attributes of an array, or of those in a sequence."""
    if isinstance(x, (list, tuple)):
        for item in x:
            yield from _numbers_beside(item)
    elif isinstance(x, np.ndarray):
        yield from _numbers_in(list(getattr(x, "__dict__", {}).values()))


def _numbers_in(x: Any) -> Iterator[Any]:
    if isinstance(x, (list, tuple)):
        for item in x:
            yield from _numbers_in(item)
    elif isinstance(x, dict):
        yield from _numbers_in(list(x.values()))
    elif isinstance(x, (np.ndarray, np.generic, float, complex)):
        yield x


def plainly(source: TracedView, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The same, in arrays of the classes of the views.

    Raises
    ------
    UnsupportedError
        If it fails for them.
    """
    try:
        result, is_made = sampled(function, args, kwargs, plain_class)
    except Exception as error:
        raise UnsupportedError(
            explain(
                getattr(function, "__name__", "a function"),
                f"of an array of class {source._plain_class.__name__} it fails for plain numbers "
                f"({type(error).__name__}: {error})",
                "Convert it with np.asarray(x) first.",
            )
        ) from error
    if is_made and source._computes:
        raise UnsupportedError(
            explain(
                getattr(function, "__name__", "a function"),
                f"of an array of class {source._plain_class.__name__} the result has attributes "
                "that are made of elements",
                "Convert it with np.asarray(x) first.",
            )
        )
    return result


def as_sample(source: TracedView, result: Any, sample: Any) -> Any:
    """A result in the type that a call has given for plain arrays."""
    if isinstance(result, (list, tuple)) and isinstance(sample, (list, tuple)):
        pairs = zip(result, sample, strict=True)
        items = [as_sample(source, item, part) for item, part in pairs]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    if isinstance(sample, np.ndarray) and is_traced(result) and not isinstance(result, np.ndarray):
        result = result._as_array()
    if source._computes:
        return _like_sample(result, unwatched(sample))
    if type(sample) is not source._plain_class:
        if isinstance(result, TracedView):  # it was given as ``out=``
            return as_plain(result).copy()
        is_array = isinstance(sample, np.ndarray) and not is_traced(result)
        return np.asarray(result) if is_array else result
    if isinstance(result, TracedView):
        return result
    if is_traced(result):
        return viewed_from(source, result)
    constants = np.asarray(result).view(source._plain_class)
    source._plain_class.__array_finalize__(constants, source)
    return constants


def _like_sample(result: Any, sample: Any) -> Any:
    """A result as an object of the class of a plain one, with what that has beside its elements."""
    if not isinstance(sample, np.ndarray) or isinstance(result, TracedView):
        return result
    if type(sample) is np.ndarray:
        return result if is_traced(result) else np.asarray(result)
    cls: Any = getattr(type(sample), "_recorded", type(sample))
    made = view_as(result, cls) if is_traced(result) else np.asarray(result).view(cls)
    cls.__array_finalize__(made, sample)
    return made


def _plain(x: Any, sample_class: Callable[[type], type]) -> Any:
    """An argument with numbers in place of traced ones, in an array of that class."""
    if isinstance(x, (list, tuple)):
        items = [_plain(item, sample_class) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    cls: Any = type(x)
    if not is_traced(x):
        if not own_methods(cls):
            return unwatched(x)
        return _sample(x, x.view(np.ndarray), cls, sample_class)
    values = values_of(x)
    if values is None:
        values = np.ones(np.shape(x._ids), x._dtype)
    if not isinstance(x, np.ndarray):
        return np.asarray(values)[()]
    if not isinstance(x, TracedView):
        return values.copy()
    if not x._computes:
        return values.copy().view(x._plain_class)
    return _sample(x, values, x._plain_class, sample_class)


def _sample(x: Any, values: Any, cls: Any, sample_class: Callable[[type], type]) -> Any:
    """Numbers in an array of a class, with attributes that nothing else shares.

    A method that remembers what it has computed is not to remember it of these numbers.
    """
    sample = values.copy().view(sample_class(cls))
    cls.__array_finalize__(sample, x)
    attributes = getattr(sample, "__dict__", {})
    attributes.update(_apart(dict(attributes), cls.__module__, {}))
    return sample


def _apart(value: Any, module: str, copies: dict[int, Any]) -> Any:
    """A copy of containers, arrays and objects of a module's classes, and of what they hold."""
    cls: Any = type(value)
    made: Any
    if id(value) in copies:
        return copies[id(value)]
    if cls is dict:
        copies[id(value)] = made = {}
        made.update((key, _apart(item, module, copies)) for key, item in value.items())
    elif cls is list:
        copies[id(value)] = made = []
        made.extend(_apart(item, module, copies) for item in value)
    elif cls is tuple:
        made = tuple(_apart(item, module, copies) for item in value)
    elif cls in (set, np.ndarray):
        copies[id(value)] = made = value.copy()
    elif cls.__module__ == module and type(getattr(value, "__dict__", None)) is dict:
        if is_traced(value) or isinstance(value, (np.ndarray, type)):
            return value
        copies[id(value)] = made = copy.copy(value)
        vars(made).update(_apart(dict(vars(value)), module, copies))
    else:
        return value
    return made

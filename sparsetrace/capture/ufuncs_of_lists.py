"""Ufuncs given lists of traced values: ``np.sqrt([x[0], 2.0])``, ``np.add.reduce([x, y])``.

Contract: for a list NumPy asks no protocol.  It would read the memory of the arrays in it, and has
for many ufuncs no loop over objects that are numbers of Python's.  Once an error shows the need,
such ufuncs, under their names in ``numpy``, and the methods of all ufuncs take arrays in place of
such lists, and of objects that hand one out.  Arithmetic and comparisons of lists of numbers
mostly need no exchange: the names of their ufuncs stay, by which the package itself knows them.
Code that asks for the dtype calls them by other names (`early_names`).
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.capture.numpy_constructors import as_array
from sparsetrace.capture.patch import Patch, class_names, table
from sparsetrace.capture.session import SESSION, is_library
from sparsetrace.numpy_rules.python_ufuncs import is_of_python
from sparsetrace.operands.operands import contains_traced
from sparsetrace.operands.own_arrays import as_operand
from sparsetrace.operands.raising import by_numpy

__all__ = ["MODULE", "STAND_INS", "patches"]

MODULE = "ufuncs of sequences"
"""The name of the group of patches, which is no module's."""

_SEQUENCES = frozenset((list, tuple))
_METHODS = "accumulate at outer reduce reduceat".split()
_TARGETS = {"accumulate": (3,), "at": (0,), "reduce": (3,), "reduceat": (4,)}
"""Where the arrays stand that a method of a ufunc writes into."""


def _called_with_arrays(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result with arrays in place of lists; the targets stay what they are."""
    targets: Any
    if isinstance(function, np.ufunc):
        targets = range(function.nin, len(args))
    else:
        targets = _TARGETS.get(function.__name__, ())
    given = (x if i in targets else as_array(x) for i, x in enumerate(args))
    return function(*given, **{k: x if k == "out" else as_array(x) for k, x in kwargs.items()})


class _Ufunc:
    """A ufunc that takes lists of traced values; it passes for the ufunc itself."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self._plain = ufunc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if SESSION.get() is None or is_library(sys._getframe(1)):
            return self._plain(*args, **kwargs)
        try:
            return _called_with_arrays(self._plain, args, kwargs)
        except TypeError as error:
            if contains_traced((args, [*kwargs.values()])):
                raise
            raise by_numpy(error)  # noqa: B904 - np.isnan(None), as without a trace

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return np.ufunc

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)

    def __eq__(self, other: object) -> bool:
        return self._plain is (other._plain if isinstance(other, _Ufunc) else other)

    def __hash__(self) -> int:
        return hash(self._plain)

    def __repr__(self) -> str:
        return repr(self._plain)


def _is_no_array(x: object) -> bool:
    """Whether this is a list, or an object that hands out an array."""
    return type(x) in _SEQUENCES or as_operand(x) is not x


def _wrapper(plain: Any) -> Any:
    @functools.wraps(plain)
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if type(self) is _Ufunc:  # np.ufunc.at(np.add, ...)
            self = self._plain
        if SESSION.get() is None or not any(map(_is_no_array, args)):
            return plain(self, *args, **kwargs)
        if not isinstance(self, np.ufunc) or is_of_python(self):
            return plain(self, *args, **kwargs)
        return _called_with_arrays(types.MethodType(plain, self), args, kwargs)

    method.__objclass__ = np.ufunc  # type: ignore[attr-defined]
    return method


def _takes_objects(ufunc: np.ufunc) -> bool:
    """Whether a ufunc takes Python's numbers in an array of objects."""
    number = np.array([0.5], dtype=object)
    try:
        with np.errstate(all="ignore"):
            ufunc(*[number] * ufunc.nin)
    except (AttributeError, TypeError):
        return False
    return True


@table
def _of_names() -> tuple[tuple[str, np.ufunc], ...]:
    """The ufuncs of NumPy's that are exchanged, by name; others have the same one."""
    found = ((name, value) for name, value in vars(np).items() if isinstance(value, np.ufunc))
    return tuple(
        (name, value)
        for name, value in found
        if value.signature is None and not _takes_objects(value)
    )


STAND_INS = {ufunc: _Ufunc(ufunc) for ufunc in vars(np).values() if type(ufunc) is np.ufunc}
"""By each ufunc of NumPy's what takes lists as arrays."""


def patches() -> list[Patch]:
    """The methods of ``np.ufunc``, and the ufuncs that take no objects."""
    named = [(name, ufunc, _Ufunc(ufunc)) for name, ufunc in _of_names()]
    made = [Patch(np, name, ufunc, wrapper) for name, ufunc, wrapper in named]
    names = class_names(np.ufunc)
    if names is not None:
        methods = [(name, names.get(name)) for name in _METHODS]
        made += [Patch(names, name, method, _wrapper(method)) for name, method in methods]
    return made

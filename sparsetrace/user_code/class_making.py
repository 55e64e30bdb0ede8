"""What is known of a class without making an object: its operators, and who makes its objects.

Contract: nothing of the user's runs here.
"""

from __future__ import annotations

import abc
import functools
import types
import weakref
from inspect import getattr_static
from typing import Any

from sparsetrace.user_code.seen_names import GONE

__all__ = [
    "METACLASSES",
    "asked",
    "asked_of",
    "is_frozen",
    "is_made_by_python",
    "is_named_tuple",
    "is_operator",
    "is_plain_attribute",
    "is_python",
    "names_in",
    "runs_on_making",
]


def asked_of(cls: weakref.ref[Any]) -> Any:
    """The operators and properties of a class that may be no more."""
    alive = cls()
    return GONE if alive is None else asked(alive)


def names_in(cls: Any) -> frozenset[str]:
    """The names in the code of the operators and properties of a class."""
    return _names_in_code(asked(cls))


@functools.cache
def _names_in_code(asked: tuple[tuple[str, Any], ...]) -> frozenset[str]:
    functions = (getattr(value, "func", value) for _, value in asked)
    codes = (value.__code__ for value in functions if isinstance(value, types.FunctionType))
    return frozenset(name for code in codes for name in code.co_names)


def asked(cls: Any) -> tuple[tuple[str, Any], ...]:
    """The operators and properties of a class of the user's, with the functions that they run."""
    if not cls.__flags__ & _HEAP_TYPE or cls.__module__.partition(".")[0] in _LIBRARIES:
        return ()
    result = []
    for name, value in (item for base in cls.__mro__[:-1] for item in vars(base).items()):
        asked = value.fget if isinstance(value, property) else value
        is_lazy = isinstance(value, functools.cached_property)
        is_run = isinstance(asked, types.FunctionType) and (asked is not value or is_operator(name))
        if is_run and asked.__module__ == "enum":  # it is known what these do
            continue
        if is_lazy or is_run:
            result.append((name, asked))
    return tuple(result)


def is_operator(name: str) -> bool:
    """Whether a function of that name may run because of an operator, or of an attribute read.

    Examples
    --------
    >>> is_operator("__add__"), is_operator("__helper"), is_operator("__init__")
    (True, False, False)
    """
    return name.startswith("__") and name.endswith("__") and name not in _NOT_ASKED


_HEAP_TYPE = 1 << 9
_LIBRARIES = frozenset(
    "abc builtins collections functools numba numpy scipy sparsetrace typing".split()
)
_NOT_ASKED = frozenset(
    """
    __call__ __class_getitem__ __copy__ __deepcopy__ __del__ __delattr__ __delitem__ __enter__
    __exit__ __getnewargs__ __getstate__ __init__ __init_subclass__ __new__ __post_init__
    __format__ __reduce__ __reduce_ex__ __replace__ __repr__ __setattr__ __setitem__ __setstate__
    __str__
    """.split()
)
"""What no operator and no read of an attribute calls, or what is refused for traced numbers."""


METACLASSES = (type, abc.ABCMeta)
_ON_MAKING = ("__array_finalize__", "__getattribute__", "__new__", "__setattr__")
_BASES = (object, dict, list, set, tuple, float, int, complex, str)


def is_made_by_python(cls: type) -> bool:
    """Whether its objects are made by Python's own types, and by functions written in Python."""
    if issubclass(cls, BaseException):
        return True
    made_by = [base.__new__ for base in _BASES], [base.__init__ for base in _BASES]
    return cls.__new__ in made_by[0] and (is_python(cls.__init__) or cls.__init__ in made_by[1])


def runs_on_making(cls: type) -> bool:
    """Whether anything of the user's runs while an object is made, beside ``__init__``.

    What `dataclasses` adds to a frozen class refuses to set an attribute, and does no more.
    """
    return any(
        name in _ON_MAKING and is_python(value) and not (name == "__setattr__" and is_frozen(base))
        for base in cls.__mro__
        for name, value in vars(base).items()
    )


def is_frozen(cls: type) -> bool:
    """Whether `dataclasses` has made a class one whose attributes are set by ``__init__`` alone."""
    return bool(getattr(vars(cls).get("__dataclass_params__"), "frozen", False))


def is_python(value: object) -> bool:
    """Whether what a class holds is a function written in Python."""
    return isinstance(value, (types.FunctionType, staticmethod))


def is_named_tuple(cls: type) -> bool:
    """Whether objects of a class are made by what ``namedtuple`` has generated alone."""
    base = next((c for c in cls.__mro__ if "_fields" in vars(c)), tuple)
    own = ("__init__", "__new__")
    between = cls.__mro__[: cls.__mro__.index(base)]
    return str(getattr(cls.__new__, "__module__", "")).startswith("namedtuple_") and not any(
        name in vars(c) for c in between for name in own
    )


def is_plain_attribute(cls: type, name: str) -> bool:
    """Whether objects keep what is assigned to the attribute, and no function of it runs."""
    own = getattr_static(cls, name, None)
    return isinstance(own, types.MemberDescriptorType) or not hasattr(type(own), "__set__")

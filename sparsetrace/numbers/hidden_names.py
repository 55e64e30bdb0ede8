"""Names that a traced number has and the plain one has not, or the other way round.

Contract: ``hasattr``, ``dir`` and ``v.name`` answer the user's code as the plain number would; what
Python and NumPy look up on the class is there for them.
"""

from __future__ import annotations

import sys
from typing import Any

from sparsetrace.numbers.refused_values import refuse_value
from sparsetrace.user_code.attribute_access import by_numpy, by_users_name, whether_there

__all__ = ["Hidden", "absent", "match"]


def absent(number: Any, name: str) -> AttributeError:
    """The error of a plain number without this attribute."""
    shown = number.__class__
    shown_name = shown.__name__ if shown.__module__ == "builtins" else f"numpy.{shown.__name__}"
    return AttributeError(f"{shown_name!r} object has no attribute {name!r}", name=name, obj=number)


class Hidden:
    """What Python or NumPy look up, on the class or by name, and the user's code must not see."""

    _from = staticmethod(by_users_name)

    def __init__(self, name: str, result: Any) -> None:
        self._name, self._found = name, result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        if self._from(sys._getframe(1)):
            raise absent(instance, self._name)
        bind = getattr(type(self._found), "__get__", None)
        return self._found if bind is None else bind(self._found, instance, type(instance))


class _Refused:
    """What the plain number has, and a traced one has not; it is there for the user's code."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        frame = sys._getframe(1)
        if not by_users_name(frame):
            if self._name == "__buffer__":  # compiled code asks for the bytes, since Python 3.12
                if by_numpy(frame):
                    raise BufferError("a TracedScalar has no bytes")
                refuse_value("a read of bytes")
            raise absent(instance, self._name)
        return None if whether_there(frame) else refuse_value(f"v.{self._name}")


_OF_CLASSES = frozenset(
    "__annotations__ __doc__ __firstlineno__ __module__ __slots__ __static_attributes__ "
    "pattern".split()
)
"""What any class written in Python has, and what is documented as the trace's own."""


def match(cls: type, plain: type) -> None:
    """Make ``hasattr`` answer for the class as for the plain number."""
    has: dict[str, Any] = {}
    for base in reversed(type.mro(cls)[:-1]):
        has.update(vars(base))
    wanted = set(dir(plain))
    for name, item in has.items():
        own = name.startswith("_") and not name.startswith("__")
        if not (own or name in wanted or name in _OF_CLASSES or isinstance(item, Hidden)):
            setattr(cls, name, Hidden(name, item))
    for name in wanted.difference(has, dir(object)):
        setattr(cls, name, _Refused(name))

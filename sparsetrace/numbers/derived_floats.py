"""Traced numbers of classes that derive from ``float``: ``class Degrees(float)``.

Contract: such a number has the attributes and methods that the class defines, `isinstance` and
``type`` give the class, and its operators are those of `TracedPythonFloat` where the class has none
of its own.  A class that the trace could not follow is refused: one that says what the number's
value is, or that uses a name of the trace's own.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from sparsetrace.context import Trace
from sparsetrace.errors import EscapeError, explain, opaque_call
from sparsetrace.numbers.python_numbers import TracedPythonFloat
from sparsetrace.numbers.refused_values import refuse_value
from sparsetrace.numbers.scalar import Number

__all__ = ["DerivedFloat", "as_float", "derived", "is_followed"]

_VALUES = frozenset(
    "__array__ __array_function__ __array_priority__ __array_ufunc__ __ceil__ __class__ "
    "__class_getitem__ __complex__ __float__ __floor__ __getattr__ __getattribute__ __index__ "
    "__init_subclass__ __int__ __setattr__ __set_name__ __trunc__".split()
)
"""What the trace asks a number itself, and how a class is made."""
_LEFT = frozenset(("__dict__", "__weakref__", "__new__", "__slots__", "__module__", "__doc__"))
"""What a class has of Python, or of itself alone."""


class _OfFloat(type(Number)):  # type: ignore[misc]
    """The class of these classes: in calls and tests each is the class that it stands for."""

    _stands_for: type

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], Trace):  # made anew of its parts: the number alone
            return TracedPythonFloat(*args, **kwargs)
        return cls._stands_for(*args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls._stands_for)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(getattr(subclass, "_stands_for", subclass), cls._stands_for)


class DerivedFloat(TracedPythonFloat, metaclass=_OfFloat):
    """A number of a class that derives from ``float``."""

    __slots__ = ()
    _is_bare = False
    _stands_for: type = float

    def __getattr__(self, name: str) -> Any:
        """What was assigned to the class since."""
        cls = type(self)._stands_for
        for base in cls.__mro__:
            if name in vars(base):
                if hasattr(type(vars(base)[name]), "__get__") and base is not float:
                    refuse_value(f"a method {name} that the class has got meanwhile")
                return getattr(cls, name)
        raise AttributeError(f"'{cls.__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: object) -> None:
        if name in _OWN:
            refuse_value(f"an attribute {name}", "a number that has one of this name")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if name in _OWN:
            raise AttributeError(name)
        object.__delattr__(self, name)

    def __copy__(self) -> NoReturn:
        refuse_value("copy")

    def __deepcopy__(self, memo: Any) -> NoReturn:
        refuse_value("deepcopy")

    def __pos__(self) -> Any:
        return as_float(self)


def _names_of(*classes: type) -> Iterator[str]:
    for cls in classes:
        for base in type.__dict__["__mro__"].__get__(cls):
            yield from vars(base)


_INNER = frozenset(
    name
    for name in _names_of(TracedPythonFloat)
    if name.startswith("_") and not name.startswith("__")
) | {"_made_of", "_of_bases", "_stands_for"}
"""The names under which a traced number keeps what it is."""
_OWN = _INNER | frozenset("astype base dtype flat item itemsize ndim pattern shape size T".split())
"""What the trace reads of a number."""


def as_float(number: Any) -> TracedPythonFloat:
    """The number alone, as ``float(number)`` gives it."""
    if type(number) is TracedPythonFloat:
        return number
    return TracedPythonFloat(number._trace, number._id, number._dtype, number._value)


def derived(cls: type, number: TracedPythonFloat) -> Any:
    """What ``float.__new__(cls, number)`` gives.

    Raises
    ------
    EscapeError
        If the trace could not follow what the class does.
    """
    if not is_followed(cls):
        raise EscapeError(
            explain(
                f"{cls.__name__}()",
                "a number of a class that derives from float, which says itself what its value "
                "is, or is made in a way that the trace does not follow",
                "Keep the number as it is, a float.",
                opaque_call(),
            )
        )
    made = object.__new__(_CLASSES[cls])
    for slot, value in zip(
        ("_trace", "_id", "_dtype", "_value"),
        (number._trace, number._id, number._dtype, number._value),
        strict=True,
    ):
        object.__setattr__(made, slot, value)
    return made


_CLASSES: WeakKeyDictionary[type, Any] = WeakKeyDictionary()


def is_followed(cls: type) -> bool:
    """Whether there is a class of traced numbers for one that derives from ``float``."""
    known = _CLASSES.get(cls)
    if known is not None and all(map(_is_unchanged, known._made_of)):
        return True
    own = [base for base in cls.__mro__[:-1] if base is not float]
    begins = getattr(cls, "__init__")  # noqa: B009 - of the class, not of an object
    if begins is not object.__init__ or not all(map(_can_be_followed, own)):
        return False
    try:
        made = _class_for(cls, {})
    except TypeError:  # slots, or bases that do not go together
        return False
    _fill(made, cls)
    made._made_of = [(base, _members_of(base)) for base in own]
    _CLASSES[cls] = made
    return True


def _members_of(base: type) -> dict[str, object]:
    """What a class has that is called, or bound to an object, by name."""
    return {name: item for name, item in vars(base).items() if hasattr(type(item), "__get__")}


def _is_unchanged(known: tuple[type, dict[str, object]]) -> bool:
    base, before = known
    now = _members_of(base)
    return now.keys() == before.keys() and all(now[name] is before[name] for name in now)


def _can_be_followed(base: type) -> bool:
    names = vars(base)
    if type(base) is not type or not base.__flags__ & _MADE_BY_PYTHON:
        return False
    if not _OWN.isdisjoint(names) or not _VALUES.isdisjoint(names):
        return False
    return all(
        _INNER.isdisjoint(code.co_names)
        for item in names.values()
        for function in _functions(item)
        for code in _codes(function.__code__)
    )


_MADE_BY_PYTHON = 1 << 9


def _functions(item: object) -> list[types.FunctionType]:
    held: tuple[Any, ...] = (item,)
    if isinstance(item, (staticmethod, classmethod)):
        held = (item.__func__,)
    elif isinstance(item, property):
        held = item.fget, item.fset, item.fdel
    return [one for one in held if isinstance(one, types.FunctionType)]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _class_for(cls: type, made: dict[type, Any]) -> Any:
    """A class without attributes for one that derives from ``float``, and for its bases."""
    if cls not in made:
        bases = tuple(
            DerivedFloat
            if base is float
            else _class_for(base, made)
            if issubclass(base, float)
            else base
            for base in cls.__bases__
        )
        # of this module: what walks through objects takes it for a number of a trace
        scope = {"_stands_for": cls, "__class__": cls, "__module__": __name__}
        made[cls] = type.__new__(_OfFloat, f"Traced{cls.__name__}", bases, scope)
        made[cls]._of_bases = made
    return made[cls]


def _fill(made: Any, cls: type) -> None:
    """Give classes the attributes of those that they stand for."""
    for plain, traced in made._of_bases.items():
        for name, item in vars(plain).items():
            if name not in _LEFT and not isinstance(item, types.MemberDescriptorType):
                type.__setattr__(traced, name, _for(item, traced, cls, name))
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__[:-1]):
        found.update(vars(base))
    for name, item in found.items():  # of bases that do not derive from float, too
        if isinstance(item, classmethod):
            type.__setattr__(made, name, types.MethodType(item.__func__, cls))


def _for(item: Any, traced: Any, cls: type, name: str) -> Any:
    """An attribute of a class as the class that stands for it has it."""
    if isinstance(item, types.FunctionType):
        return _with_super(item, traced)
    if not hasattr(type(item), "__get__") and not name.startswith("__"):
        return _OfClass(name, traced._stands_for)
    if isinstance(item, staticmethod):
        return staticmethod(_for(item.__func__, traced, cls, name))
    if isinstance(item, classmethod):
        return types.MethodType(item.__func__, cls)
    if type(item) is property:
        return property(
            *(f and _for(f, traced, cls, name) for f in (item.fget, item.fset, item.fdel))
        )
    return item


class _OfClass:
    """An attribute that the class has: what it holds may be another object each time."""

    def __init__(self, name: str, cls: type) -> None:
        self._name, self._cls = name, cls

    def __get__(self, instance: object, owner: object = None) -> Any:
        return getattr(self._cls, self._name)


def _with_super(function: types.FunctionType, traced: Any) -> types.FunctionType:
    """The function with another class behind ``super()``."""
    code = function.__code__
    if "__class__" not in code.co_freevars:
        return function
    cells = tuple(
        types.CellType(traced) if name == "__class__" else cell
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
    )
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, cells
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__qualname__ = function.__qualname__
    return made

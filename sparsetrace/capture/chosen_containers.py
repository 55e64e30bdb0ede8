"""Lists and dictionaries of which the inputs choose one: ``TABLE[0] if v > 0 else TABLE[1]``.

Contract: what is read is read of all of them, at that moment, and is united; so what is written
into one of them later shows.  What is written into the chosen one would have to show in one that
nobody knows: the function is run again, with a path for each.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from sparsetrace.capture.exact_types import shown_as_another
from sparsetrace.capture.session import SESSION
from sparsetrace.errors import UnsupportedError, explain

__all__ = ["ChosenDict", "ChosenList", "sources_of"]

Unite = Callable[[Sequence[Any]], Any]
"""Makes one of several values; None where they cannot be united."""


class _Poison:
    """What C code finds that reads the memory of such a container."""

    __slots__ = ()

    def _used(self, *_: object) -> NoReturn:
        _run_apart()

    __eq__ = __lt__ = __gt__ = __le__ = __ge__ = __ne__ = _used
    __add__ = __radd__ = __mul__ = __rmul__ = __float__ = __bool__ = __index__ = _used
    __hash__ = _used


_POISON = _Poison()


def _run_apart(*_: object, **__: object) -> NoReturn:
    """Run the function again, without such containers."""
    session = SESSION.get()
    if session is not None and session.shares_containers:
        session.shares_containers = False
        session.ask()
    raise UnsupportedError(
        explain(
            "a list or a dictionary that the inputs choose",
            "it is written into, or used after the function has ended",
            "Write into a copy: list(c), dict(c).",
        )
    )


def sources_of(container: Any) -> list[Any]:
    """The containers of which a value is one: itself, if it is not chosen."""
    return list(container._sources) if hasattr(type(container), "_sources") else [container]


def _read(name: str, plain: type) -> Callable[..., Any]:
    """A method that is asked of an ordinary container with what this one holds now."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if name in _OPERATORS and hasattr(args[0], "__array_ufunc__"):
            return NotImplemented  # which an array answers
        args = tuple(a._now() if hasattr(type(a), "_sources") else a for a in args)
        return getattr(plain, name)(self._now(), *args, **kwargs)

    method.__name__ = name
    return method


def _completed(cls: Any) -> Any:
    """Let a class read by its methods, and write by none."""
    plain = cls.__mro__[1]
    for name in vars(plain):
        if name in vars(cls) or name in _KEPT:
            continue
        if callable(getattr(plain, name)):
            setattr(cls, name, _read(name, plain) if name in _READING[plain] else _run_apart)
    cls.__reduce_ex__ = _run_apart
    return shown_as_another(cls)


_KEPT = frozenset(
    """
    __class__ __class_getitem__ __delattr__ __dir__ __doc__ __getattribute__ __getstate__ __hash__
    __init__ __init_subclass__ __new__ __setattr__ __sizeof__ __subclasshook__
    """.split()
)
_OPERATORS = frozenset("__add__ __eq__ __ge__ __gt__ __le__ __lt__ __mul__ __ne__ __rmul__".split())
_READING: dict[type, frozenset[str]] = {
    list: frozenset(
        """
        __add__ __contains__ __eq__ __ge__ __gt__ __le__ __lt__ __mul__ __ne__ __repr__ __reversed__
        __rmul__ copy count index
        """.split()
    ),
    dict: frozenset(
        "__contains__ __eq__ __ne__ __or__ __repr__ __reversed__ __ror__ copy items values".split()
    ),
}


@_completed
class ChosenList(list[Any]):
    """One of several lists of one length."""

    __slots__ = ("_sources", "_unite")

    def __init__(self, sources: list[list[Any]], unite: Unite) -> None:
        super().__init__([_POISON] * len(sources[0]))
        self._sources, self._unite = sources, unite

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return list

    def __len__(self) -> int:
        length = len(self._sources[0])
        if any(len(source) != length for source in self._sources) or list.__len__(self) != length:
            _run_apart()
        return length

    def _now(self) -> list[Any]:
        return [self._item(at) for at in range(len(self))]

    def _item(self, at: Any) -> Any:
        found = self._unite([source[at] for source in self._sources])
        return _run_apart() if found is None else found[0]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice) or hasattr(type(key), "_is_number"):
            return self._now()[key]
        len(self)
        return self._item(key)

    def __iter__(self) -> Iterator[Any]:
        at = 0
        while at < len(self):  # as a list, which may grow meanwhile
            yield self._item(at)
            at += 1

    def __radd__(self, other: Any) -> Any:
        return other + self._now()

    def __copy__(self) -> list[Any]:
        return self._now()

    def __deepcopy__(self, memo: Any) -> list[Any]:
        return copy.deepcopy(self._now(), memo)


@_completed
class ChosenDict(dict[str, Any]):
    """One of several dictionaries with the same keys in the same order."""

    __slots__ = ("_sources", "_unite")

    def __init__(self, sources: list[dict[str, Any]], unite: Unite) -> None:
        super().__init__(dict.fromkeys(sources[0], _POISON))
        self._sources, self._unite = sources, unite

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return dict

    def _keys(self) -> list[str]:
        keys = list(self._sources[0])
        if any(list(source) != keys for source in self._sources) or list(dict.keys(self)) != keys:
            _run_apart()
        return keys

    def _now(self) -> dict[str, Any]:
        return {key: self[key] for key in self._keys()}

    def __getitem__(self, key: Any) -> Any:
        self._keys()
        found = self._unite([source[key] for source in self._sources])
        return _run_apart() if found is None else found[0]

    def get(self, key: Any, default: Any = None) -> Any:
        """As dict.get."""
        return self[key] if key in self._keys() else default

    def keys(self) -> Any:
        """As dict.keys."""
        return dict.fromkeys(self._keys()).keys()

    def __len__(self) -> int:
        return len(self._keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys())

    def __copy__(self) -> dict[str, Any]:
        return self._now()

    def __deepcopy__(self, memo: Any) -> dict[str, Any]:
        return copy.deepcopy(self._now(), memo)

"""Objects of a library's classes that hold traced elements in a state of their own.

Contract: the rules of such an object answer by its state, and not by what else it shows.  So
what it shows is remembered when it is made: once an attribute is another one, or has other
elements, the state is that of no object any more, and asking for it is refused.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sparsetrace.dispatch.bound_rules import Args, Call, Options
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.operands import is_traced

__all__ = ["MADE", "STATE", "attributes_of", "note_made", "state_of"]

STATE = "_sparsetrace_state"
"""The attribute in which an object of a library's class keeps the traced elements it has."""
MADE = "_sparsetrace_made"
"""The attribute in which such an object keeps the call that made it: a `Call` and arguments."""
_SHOWN = "_sparsetrace_shown"
"""The attribute in which it keeps what its other ones were when it was made."""
_INSIDE = "_delegate_to"
"""Since SciPy 1.18 what some objects show is read off another one."""


def state_of(holder: object) -> Any:
    """What holds the traced elements of an object of a library's; None of others.

    Raises
    ------
    UnsupportedError
        If one of its attributes is no more what it was when the object was made.
    """
    attributes = getattr(holder, "__dict__", {})
    state = attributes.get(STATE)
    if state is not None and _SHOWN in attributes:
        _expect_unchanged(holder, attributes[_SHOWN])
    return state


def note_made(call: Call, args: Args, kwargs: Options, result: Any) -> Any:
    """What a rule returned, or the object that it filled, with the call that made it."""
    if type(result) is tuple:
        for place, item in enumerate(result):
            _note(item, Call(call.name, _item_of(call, place)), args, kwargs)
    else:
        _note(args[0] if call.name.endswith(".__init__") else result, call, args, kwargs)
    return result


def _note(holder: object, call: Call, args: Args, kwargs: Options) -> None:
    attributes = getattr(holder, "__dict__", {})
    if attributes.get(STATE) is not None:
        attributes[MADE] = call, args, kwargs
        attributes[_SHOWN] = _shown(holder)


def _item_of(call: Call, place: int) -> Callable[..., Any]:
    """A function that gives one of several results."""
    return lambda *args, **kwargs: call.original(*args, **kwargs)[place]


def attributes_of(holder: object) -> Iterator[tuple[str, Any]]:
    """The attributes of an object, those in slots too, by name."""
    yield from getattr(holder, "__dict__", {}).items()
    cls: Any = type(holder)
    for name in _slots(cls):
        yield name, getattr(holder, name, None)


@functools.lru_cache(1024)
def _slots(cls: Any) -> tuple[str, ...]:
    """The attributes of a class of Python's that are not in a dictionary."""
    if cls.__module__.partition(".")[0] in ("builtins", "numpy", "sparsetrace"):
        return ()
    slots = (vars(base).get("__slots__", ()) for base in cls.__mro__)
    names = (name for names in slots for name in ((names,) if type(names) is str else names))
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _shown(holder: object) -> dict[str, tuple[Any, Any]]:
    """What an object shows: each attribute, and its elements as they are now."""
    found = {
        name: (value, _elements(value, copied=True))
        for name, value in attributes_of(holder)
        if name not in (STATE, MADE, _SHOWN)
    }
    inside = getattr(holder, "__dict__", {}).get(_INSIDE)
    return {**found, **_shown(inside)} if hasattr(inside, "__dict__") else found


def _elements(value: Any, *, copied: bool = False) -> Any:
    """The elements of an array; None of what is none."""
    if is_traced(value):
        elements = np.asarray(value._ids)
    elif isinstance(value, np.ndarray):
        elements = value
    else:
        return None
    return elements.copy() if copied else elements


def _expect_unchanged(holder: object, shown: dict[str, tuple[Any, Any]]) -> None:
    now = dict(attributes_of(holder))
    now = {**now, **dict(attributes_of(now.get(_INSIDE)))}
    for name, (value, elements) in shown.items():
        kept = now.get(name)
        if value is None and name.startswith("_"):  # what a library computes when it is needed
            continue
        if kept is value and (elements is None or _same(_elements(kept), elements)):
            continue
        raise UnsupportedError(
            explain(
                type(holder).__name__,
                f"`{name.lstrip('_')}` of the object was set or written after it was made, and "
                "the trace follows what it was made of",
                "Make a new object of the numbers that it shall have.",
            )
        )


def _same(now: Any, before: Any) -> bool:
    if now.dtype == object:
        return now.shape == before.shape and all(map(operator.is_, now.flat, before.flat))
    return np.array_equal(now, before, equal_nan=now.dtype.kind in "fc")

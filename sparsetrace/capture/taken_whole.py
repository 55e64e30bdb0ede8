"""Calls of which not all paths are run: each number of the result depends on all that is read.

Contract: of a call that changes nothing, and returns numbers on each of its paths.  What it can
reach holds every number that any of its paths may read; where not all of that is found, it may be
any that depends on the inputs.  An error of a path that was not run may be any that the function
would handle.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Hashable
from typing import Any

import numpy as np

from sparsetrace.capture.session import Session
from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.numbers.python_numbers import PythonNumber
from sparsetrace.numbers.scalar import as_python
from sparsetrace.operands.operands import Elements, dtype_of, ids_of, is_traced
from sparsetrace.operands.raising import injected
from sparsetrace.user_code.effects import written_by_user
from sparsetrace.user_code.handlers import handled_types
from sparsetrace.user_code.reach import Walk
from sparsetrace.user_code.returned_kinds import returns_numbers
from sparsetrace.user_code.value_kinds import kinds_of

__all__ = ["Whole"]

Errors = dict[tuple[Any, ...], Exception]
"""Errors of paths by what tells them apart: where they were raised, and what they hold."""


class _Numbers(Walk):
    """A walk that keeps the traced numbers and arrays that it meets."""

    def __init__(self) -> None:
        super().__init__()
        self.traced: list[Any] = []

    def nothing(self, item: object, kind: Any, opaque: bool) -> None:
        cls = type(item)
        if is_traced(item):
            self.traced.append(item)
        elif isinstance(item, np.ndarray) and item.dtype == object:
            self.push(list(np.ndarray.flatten(item)), opaque=False)
        elif cls.__module__.startswith("sparsetrace.") and not getattr(cls, "_is_buffer", False):
            self.found.unknown = True

    def instance(self, item: object, kind: Any, opaque: bool) -> None:
        super().instance(item, kind, False)


def _reached_numbers(trace: Trace, function: object, given: list[Any]) -> Ids | None:
    """The union over all traced numbers that a call may read.

    Parameters
    ----------
    trace : Trace
    function : callable
    given : list
        The arguments.

    Returns
    -------
    ndarray of int32 or None
        Of one element, all inputs if the call may read what is not found; None if it reads none.
    """
    walk = _Numbers()
    walk.push([function, *given], opaque=False)
    walk.run()
    graph = trace.graph
    if walk.found.unknown:
        rows = [graph.union_rows(graph.inputs())]
    elif walk.traced:
        rows = [graph.union_rows(ids_of(trace, x).reshape(-1)) for x in walk.traced]
    else:
        return None
    total = np.asarray(graph.union_all([np.asarray(row) for row in rows]), np.int32).reshape(1)
    return np.maximum(total, OPAQUE)


def _taken_whole(trace: Trace, result: Any, total: Ids) -> Any:
    """Like a result, with each number in it depending on all; None if it is not of numbers.

    A whole number is one that the call was given, and stays.
    """
    if isinstance(result, tuple):
        items = [_taken_whole(trace, item, total) for item in result]
        if any(item is None or type(item) is int for item in items):
            return None
        return tuple.__new__(type(result), items)
    if type(result) is int:
        return result
    is_plain = type(result) in (float, complex, np.float64, np.complex128)
    if not (is_plain or is_traced(result)) or dtype_of(result).kind not in "fc":
        return None
    if not getattr(type(result), "_is_bare", True):
        return None
    if isinstance(result, np.ndarray):
        return None  # another path may have another number of elements
    ids = interact_all(trace.graph, total)
    made = trace.wrap(Elements(ids.reshape(()), dtype_of(result)))
    is_python = type(result) in (float, complex) or isinstance(result, PythonNumber)
    return as_python(made) if is_python else made


def _errors_of_others() -> dict[tuple[Any, ...], Exception] | None:
    """An error of each type that would be handled from here outwards; None if one is not known."""
    found = handled_types(sys._getframe(1))
    if found is None:
        return None
    found.add(Exception)
    return {("of a path not run", cls): injected(_made(cls)) for cls in found}


def _made(cls: type[Exception]) -> Exception:
    try:
        return cls()
    except Exception:
        return cls.__new__(cls)


class Whole:
    """One call that may be taken as a whole.

    Parameters
    ----------
    session : Session
    trace : Trace
    function : function
    args, kwargs
        What it is called with.
    """

    def __init__(
        self,
        session: Session,
        trace: Trace,
        function: types.FunctionType,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self.session, self.trace = session, trace
        self.function, self.args, self.kwargs = function, args, kwargs

    @functools.cached_property
    def _key(self) -> Hashable:
        """Equal for calls that return numbers of the same types; None if that is not known."""
        given = (*self.args, *self.kwargs.values())
        kinds = kinds_of((self.function, *given))
        return None if kinds is None else (kinds, *self.kwargs, *map(type, given))

    def known(self) -> tuple[list[Any], Errors] | None:
        """What to go on with without any run, where a call like this was taken as a whole."""
        known = None if self._key is None else self.session.wholes.get(self._key)
        return None if known is None else self._made(*known)

    def may_be(self) -> bool:
        """Whether there could be anything that stands for all paths."""
        given = [*self.args, *self.kwargs.values()]
        return (
            returns_numbers(self.function, self.args, self.kwargs, written_by_user)
            and _reached_numbers(self.trace, self.function, given) is not None
            and _errors_of_others() is not None
        )

    def of(self, results: list[Any], refused: Errors) -> tuple[list[Any], Errors] | None:
        """What stands for all paths, of what some of them gave; None if that is not known."""
        if not returns_numbers(self.function, self.args, self.kwargs, written_by_user):
            return None
        whole = [x for x in (*self.args, *self.kwargs.values()) if type(x) is int]
        if any(type(result) is int and result not in whole for result in results):
            return None
        if any(type(result) is int for result in results):  # a bound that was given, say
            results = [x for x in results if type(x) is not int] + list(dict.fromkeys(whole))
        made = self._made(results, refused)
        if made is not None and self._key is not None:
            self.session.wholes[self._key] = made
        return made

    def _made(self, results: list[Any], refused: Errors) -> tuple[list[Any], Errors] | None:
        given = [*self.args, *self.kwargs.values()]
        total = _reached_numbers(self.trace, self.function, given)
        errors = _errors_of_others()
        if total is None or errors is None:
            return None
        made = [_taken_whole(self.trace, result, total) for result in results]
        if any(result is None for result in made):
            return None
        code = written_by_user(self.function)
        self.trace.taken_whole.append(
            f"{code.co_qualname} at {code.co_filename}:{code.co_firstlineno}"
        )
        return made, {**refused, **errors}

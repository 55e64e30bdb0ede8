"""Binds a call to a rule by the function's own signature, and refuses what the rule ignores.

Contract: a rule's parameters are named like those parameters of the function that it reads, in
any order; a first one named ``call`` gets what was called.  Wrong arguments raise the
function's own error.  An argument that the rule does not read is refused by name, unless it
has its default or is marked as harmless, which means that it changes no dependency.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from sparsetrace.context import CURRENT
from sparsetrace.dispatch.keeping_functions import some_keep
from sparsetrace.dispatch.lent_numbers import settle
from sparsetrace.errors import InputError, UnsupportedError, explain, opaque_call
from sparsetrace.operands.binding import NOT_GIVEN, Binder, Handler, binder
from sparsetrace.operands.operands import contains_traced

__all__ = [
    "Args",
    "BoundRule",
    "Call",
    "Options",
    "harmless",
    "keeps_parts",
    "makes_objects",
    "writes",
]

Args = tuple[Any, ...]
Options = dict[str, Any]
_EMPTY = inspect.Parameter.empty
_ALL_ARGUMENTS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_REMEDY = "Leave it out."


@dataclass(frozen=True, slots=True)
class Call:
    """A function that was given traced arguments; a rule's parameter ``call`` is this.

    Attributes
    ----------
    name : str
        As the user writes it: ``scipy.linalg.solve``.
    original : callable
        The function itself.
    """

    name: str
    original: Callable[..., Any]

    def plainly(self, *args: Any, **kwargs: Any) -> Any:
        """What the function makes of ordinary arguments, outside of the trace.

        Its own Python code might else make traced buffers, where a run made such before.
        Functions among them are given numbers in place of traced ones, and may keep none.
        """
        self.check_functions(*args, *kwargs.values())
        token = CURRENT.set(None)
        try:
            return self.original(*args, **kwargs)
        finally:
            CURRENT.reset(token)

    def check_functions(self, *given: Any) -> None:
        """Refuse functions that may keep numbers which stand for traced ones."""
        if some_keep(given):
            self.refuse(
                "a function that it calls may keep the numbers that it is given",
                "Pass a function that changes nothing.",
            )

    def refuse(self, problem: str, remedy: str) -> NoReturn:
        """Raise the error of a call that has no rule."""
        raise UnsupportedError(explain(self.name, problem, remedy, opaque_call(self.name)))


def makes_objects(rule: Handler) -> Handler:
    """Mark a rule that makes or fills an object: what it returns is never replaced by values."""
    rule.makes_objects = True  # type: ignore[attr-defined]
    return rule


def keeps_parts(rule: Handler) -> Handler:
    """Mark a rule that computes with complex numbers what the function computes.

    Others, which may compute something of the same dependencies, are given numbers whose
    parts are not told apart.
    """
    rule.keeps_parts = True  # type: ignore[attr-defined]
    return rule


def writes(rule: Handler) -> Handler:
    """Mark a rule that writes into its arguments: it is given those that hold constants too."""
    rule.writes = True  # type: ignore[attr-defined]
    return rule


def harmless(*names: str) -> Callable[[Handler], Handler]:
    """Mark parameters that a rule does not read, because they change no dependency."""

    def mark(rule: Handler) -> Handler:
        rule.harmless = frozenset(names)  # type: ignore[attr-defined]
        return rule

    return mark


class BoundRule:
    """A rule, called with what it reads of the arguments of one function."""

    __slots__ = ("_bind", "_invoke", "_unread", "call", "keeps_parts", "makes_objects", "writes")

    def __init__(self, call: Call, rule: Handler, harmless: frozenset[str]) -> None:
        self.call = call
        self.makes_objects: bool = getattr(rule, "makes_objects", False)
        self.keeps_parts: bool = getattr(rule, "keeps_parts", False)
        self.writes: bool = getattr(rule, "writes", False)
        harmless |= getattr(rule, "harmless", frozenset())
        known = _parameters(call.original)
        wanted = list(inspect.signature(rule).parameters.values())
        takes_call = bool(wanted) and wanted[0].name == "call" and "call" not in (known or ())
        wanted = wanted[takes_call:]
        first = (call,) if takes_call else ()
        self._unread: list[tuple[str, Any]] = []
        self._bind: Binder
        if known is None:  # compiled code that declares no signature: the rule's own holds
            self._bind, self._invoke = _as_given, _given_to(rule, first)
            return
        if any(p.kind in _ALL_ARGUMENTS and p.name not in known for p in wanted):
            check = _reader(call, [])
            self._bind = lambda *args, **kwargs: (check(*args, **kwargs), args, kwargs)[1:]
            self._invoke = _given_to(rule, first)
            return
        read = {parameter.name for parameter in wanted}
        unread = [p for name, p in known.items() if name not in read and name not in harmless]
        self._bind = _reader(call, [*wanted, *unread])
        for parameter in unread:
            if parameter.default is _EMPTY and parameter.kind not in _ALL_ARGUMENTS:
                raise InputError(
                    f"{call.name} needs {parameter.name}, which its rule does not read; name it in "
                    "the rule's parameters, or in harmless= if it changes no dependency"
                )
        self._unread = [(p.name, _default(p)) for p in unread]
        self._invoke = _called_with(rule, first, wanted)

    def __call__(self, args: Args, kwargs: Options) -> Any:
        """What the rule makes of a call."""
        values = self._bind(*args, **kwargs)
        unread = self._unread
        if unread:
            count = len(values) - len(unread)
            for (name, default), value in zip(unread, values[count:], strict=True):
                if value is not default and not _is_equal(value, default):
                    self.call.refuse(f"its rule does not read {name}={value!r}", _REMEDY)
            values = values[:count]
        trace = CURRENT.get()
        if trace is None:
            return self._invoke(values)
        lent, result = len(trace.graph.lent), None
        try:
            result = self._invoke(values)
        finally:
            if len(trace.graph.lent) > lent:
                settle(trace.graph, lent, self.call.name, result)
        return result


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter] | None:
    """The parameters that a function declares; None if it declares none at all."""
    try:
        return dict(inspect.signature(function).parameters)
    except ValueError:
        return None


def _reader(call: Call, wanted: list[inspect.Parameter]) -> Binder:
    """What returns the values of some parameters of a function."""

    def rule() -> None: ...

    place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("call", inspect.Parameter.POSITIONAL_ONLY)]
    # in any order: a binder asks for names, and for the defaults of those that are missing
    parameters += [inspect.Parameter(p.name, place, default=p.default) for p in wanted]
    rule.__signature__ = _AnyOrder(parameters)  # type: ignore[attr-defined]
    try:
        read = binder(call.original, rule)
    except TypeError as error:
        raise InputError(f"{call.name}: {error}") from None
    # the name in the errors for wrong arguments
    read.__qualname__ = getattr(call.original, "__qualname__", call.name)
    return read


class _AnyOrder(inspect.Signature):
    """Parameters of which one with a default may stand before one without."""

    def __init__(self, parameters: list[inspect.Parameter]) -> None:
        super().__init__(parameters, __validate_parameters__=False)


def _default(parameter: inspect.Parameter) -> Any:
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        return ()
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return {}
    if parameter.default is np._NoValue:
        return NOT_GIVEN.get(parameter.name, np._NoValue)
    return parameter.default


def _is_equal(value: Any, default: Any) -> bool:
    """Whether an argument says the same as the default, in doubt not."""
    if contains_traced(value) or isinstance(value, np.ndarray):
        return False
    try:
        return bool(value == default)
    except Exception:
        return False


def _as_given(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    return args, kwargs


def _given_to(rule: Handler, first: Args) -> Callable[[Args], Any]:
    """Calls a rule with all arguments, as they were given."""
    return lambda values: rule(*first, *values[0], **values[1])


def _called_with(
    rule: Handler, first: Args, wanted: list[inspect.Parameter]
) -> Callable[[Args], Any]:
    """Calls a rule with the values of its parameters."""
    kinds = [parameter.kind for parameter in wanted]
    if not any(
        parameter_kind in (*_ALL_ARGUMENTS, inspect.Parameter.KEYWORD_ONLY)
        for parameter_kind in kinds
    ):
        return lambda values: rule(*first, *values)

    def invoke(values: Args) -> Any:
        positional, named = list(first), {}
        for parameter, value in zip(wanted, values, strict=True):
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                named.update(value)
            elif parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        return rule(*positional, **named)

    return invoke

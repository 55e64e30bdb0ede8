"""What takes the place of refused calls, so that a function can be followed past them.

Contract: for `sparsetrace.diagnose` alone.  While `going_on` is active in a context, a call that
is refused there is noted, and gives what it gives for plain numbers: those of the point, in a
global trace any.  Where the result is an array or a number of a trace, it depends on all traced
arguments; so what comes of such a trace is no pattern.  In any other context every refusal is
raised as ever.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, Protocol

import numpy as np

from sparsetrace.arrays.array import TracedArray
from sparsetrace.arrays.flatiter import Flat
from sparsetrace.arrays.layout import Layout
from sparsetrace.capture.escape_errors import at_assignment
from sparsetrace.capture.plain_success import plain_argument
from sparsetrace.context import CURRENT, Trace
from sparsetrace.dispatch import calls
from sparsetrace.dispatch.bound_rules import Call, makes_objects
from sparsetrace.dispatch.function_rules import REGISTERED, FunctionRule, is_given
from sparsetrace.errors import FAILURES, TracingError
from sparsetrace.graph.graph import OPAQUE
from sparsetrace.graph.interactions import interact_all
from sparsetrace.numbers.scalar import NUMBERS, as_python
from sparsetrace.operands.operands import Elements, contains_traced, ids_of
from sparsetrace.operands.poison import POISON
from sparsetrace.user_code.frames import by_user, outside_frame

__all__ = ["answer_always", "going_on", "stand_in_rule"]


class Notes(Protocol):
    """The refusals of a diagnosis."""

    def passes(self, error: TracingError) -> bool:
        """Whether this refusal is to be passed over: it is certain by now that it is one."""

    def note(self, error: TracingError) -> None:
        """Take note that it was."""


_NOTES: ContextVar[Notes | None] = ContextVar("sparsetrace_diagnosis", default=None)
"""The notes of the diagnosis that runs in this context; None where refusals are raised."""
_TO_PLAIN = frozenset(
    "__float__ __int__ __index__ __complex__ __bool__ __hash__ __bytes__ __contains__ __round__ "
    "__trunc__ __floor__ __ceil__".split()
)
"""Conversions whose results Python wants to be numbers: these are constants from there on."""


def _stand_in(
    error: TracingError,
    before: int,
    plain: Callable[..., Any],
    args: Any,
    kwargs: Any,
    *,
    conversion: bool = False,
) -> Any:
    """The result in place of a refused call, of which note is taken; else the error is raised."""
    notes, trace = _NOTES.get(), CURRENT.get()
    asking = outside_frame(sys._getframe(2))
    if notes is None or trace is None or not by_user(asking):
        raise error
    shown = (at_assignment(asking) if conversion else None) or error
    if not notes.passes(shown):
        raise error
    options = {name: x for name, x in kwargs.items() if name != "out"}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            plain_args = [_numbers(x) for x in args]
            result = plain(*plain_args, **{k: _numbers(x) for k, x in options.items()})
        made = _made(trace, result, _every(trace, (*args, *options.values())))
    except Exception:
        raise error from None
    notes.note(shown)
    failures = FAILURES.get()
    if failures is not None:
        del failures[before:]
    return made


def _numbers(x: object) -> Any:
    return plain_argument(x) if is_given(x) or type(x) is np.ndarray else x


def _traced_in(args: Any) -> Iterator[Any]:
    """What is traced among arguments, and in dictionaries among them."""
    for x in args:
        if type(x) is dict:
            yield from _traced_in(x.values())
        elif contains_traced(x):
            yield x


def _every(trace: Trace, args: Any) -> Any:
    """The id of what depends on all that any argument depends on."""
    ids = [ids_of(trace, x).reshape(-1) for x in _traced_in(args)]
    united = trace.graph.union_rows(np.concatenate(ids)) if ids else trace.graph.opaque
    return interact_all(trace.graph, np.maximum(np.asarray(united, np.int32), OPAQUE))


def _made(trace: Trace, result: Any, every: Any) -> Any:
    """A plain result with numbers of the trace in it."""
    if isinstance(result, (list, tuple)):
        items = [_made(trace, item, every) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    if isinstance(result, dict):
        return {key: _made(trace, item, every) for key, item in result.items()}
    array = isinstance(result, np.ndarray)
    if not array and not isinstance(result, (float, complex, np.inexact)):
        return result
    if result.dtype.kind not in "fc" if array else False:
        return result
    numbers = np.asarray(result)
    ids = np.broadcast_to(every, numbers.shape).copy()
    values = numbers if trace.local else None
    made = trace.wrap(Elements(ids, numbers.dtype, values, keep_array=array))
    return made if array or isinstance(result, np.generic) else as_python(made)


def _noted() -> int:
    failures = FAILURES.get()
    return 0 if failures is None else len(failures)


# -------------------------------------------------------------------------- what is guarded
def _guarded_call(original: Callable[..., Any], *, ufunc: bool) -> Callable[..., Any]:
    """`ufunc_call` or `function_call`."""

    @functools.wraps(original)
    def call(trace: Trace, function: Any, *given: Any) -> Any:
        before = _noted()
        try:
            return original(trace, function, *given)
        except TracingError as error:
            method, (args, kwargs) = (given[0], given[1:]) if ufunc else ("__call__", given)
            plain = function if method == "__call__" else getattr(function, method)
            return _stand_in(error, before, plain, args, kwargs)

    return call


def _guarded_answer(original: Callable[..., Any]) -> Callable[..., Any]:
    """`FunctionRule.answer`."""

    @functools.wraps(original)
    def answer(self: FunctionRule, function: Any, args: Any, kwargs: Any) -> Any:
        before = _noted()
        try:
            return original(self, function, args, kwargs)
        except TracingError as error:
            plain = Call(self.name, function).plainly
            return _stand_in(error, before, plain, args, kwargs)

    return answer


def _guarded_method(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def method(self: object, *args: Any, **kwargs: Any) -> Any:
        before = _noted()
        try:
            return original(self, *args, **kwargs)
        except TracingError as error:
            if name in _TO_PLAIN:
                return _number(error, before, self, name, args)
            return _stand_in(error, before, _method_of(name), (self, *args), kwargs)

    return method


def _method_of(name: str) -> Callable[..., Any]:
    def call(self: object, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, name)(*args, **kwargs)

    return call


def _number(error: TracingError, before: int, x: Any, name: str, args: Any) -> Any:
    def plain(x: object, *args: Any) -> Any:
        result[:] = [getattr(1.0 if x is POISON else x, name)(*args)]

    result: list[Any] = []
    _stand_in(error, before, plain, (x, *args), {}, conversion=True)
    return result[0]


def _guards() -> Iterator[tuple[Any, str, Any, Any]]:
    """What is exchanged: owner, name, original and guard."""
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("sparsetrace."):
            for name, ufunc in (("ufunc_call", True), ("function_call", False)):
                original = vars(module).get(name)
                if original is getattr(calls, name) and module is not calls:
                    yield module, name, original, _guarded_call(original, ufunc=ufunc)
    yield FunctionRule, "answer", FunctionRule.answer, _guarded_answer(FunctionRule.answer)
    for cls in (TracedArray, Layout, Flat, *NUMBERS, *_bases_of_numbers(), type(POISON)):
        for name, value in list(vars(cls).items()):
            public = not name.startswith("_") or name in _TO_PLAIN or name in _ELEMENTS
            if isinstance(value, types.FunctionType) and public:
                yield cls, name, value, _guarded_method(value, name)


_ELEMENTS = frozenset(("__getitem__", "__setitem__"))


def _bases_of_numbers() -> set[type]:
    bases = {base for cls in NUMBERS for base in type.__dict__["__mro__"].__get__(cls)}
    return {b for b in bases if b.__module__.startswith("sparsetrace.")}.difference(NUMBERS)


_lock = threading.Lock()
_active = 0
_exchanged: list[tuple[Any, str, Any, Any]] = []


@contextmanager
def going_on(notes: Notes) -> Iterator[None]:
    """A context in which refused calls that are known give stand-ins."""
    global _active
    with _lock:
        if not _active:
            for owner, name, original, guard in _guards():
                setattr(owner, name, guard)
                _exchanged.append((owner, name, original, guard))
        _active += 1
    token = _NOTES.set(notes)
    try:
        yield
    finally:
        _NOTES.reset(token)
        with _lock:
            _active -= 1
            if not _active:
                while _exchanged:
                    owner, name, original, _ = _exchanged.pop()
                    setattr(owner, name, original)


_VARIABLES = "local_dict"
"""The parameter of functions that else take the variables where they are called."""


def _callers_variables(text: object) -> dict[str, Any]:
    """What names in a text stand for in the user's code."""
    frame = outside_frame(sys._getframe(2))
    names = set(re.findall(r"[^\W\d]\w*", text)) if isinstance(text, str) else set()
    return {name: x for name, x in frame.f_locals.items() if name in names} if frame else {}


def answer_always(name: str) -> None:
    """Let the rule of a function that takes the variables of its caller answer all calls of it."""
    module, _, attribute = name.rpartition(".")
    function: Any = getattr(sys.modules.get(module), attribute, None)
    rule = REGISTERED.get(module, {}).get(attribute)
    with suppress(TypeError, ValueError):
        if rule is not None and _VARIABLES in inspect.signature(function).parameters:
            rule.always = True


def stand_in_rule(error: TracingError) -> Callable[..., Any]:
    """A rule for a whole function of a library's whose insides were refused by this error."""

    @makes_objects
    def rule(call: Call, *args: Any, **kwargs: Any) -> Any:
        trace, notes = CURRENT.get(), _NOTES.get()
        if trace is None or notes is None:
            raise error
        if _VARIABLES in inspect.signature(call.original).parameters and args:
            kwargs = {**kwargs, _VARIABLES: kwargs.get(_VARIABLES) or _callers_variables(args[0])}
        if not any(True for _ in _traced_in((*args, *kwargs.values()))):
            return call.original(*args, **kwargs)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            plain = [_numbers(x) for x in args]
            result = call.plainly(*plain, **{name: _numbers(x) for name, x in kwargs.items()})
        notes.note(error)
        return _made(trace, result, _every(trace, (*args, *kwargs.values())))

    return rule

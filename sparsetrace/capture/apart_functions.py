"""Functions whose calls are run apart: their code is exchanged while a trace runs.

Contract: by whatever name a function is called (a global, a closure, a method, an attribute), it
is its code object that runs.  In its place stands a code of the same signature, which hands the
call over (`sparsetrace.capture.paths_apart`); so do functions that the exchanged code makes later.
Sessions that run at the same time share the exchange, and each has its own list of what is run
apart.  The codes are put back when the last session has ended.
"""

from __future__ import annotations

import functools
import gc
import inspect
import threading
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sparsetrace.capture.branches import Branches
from sparsetrace.capture.paths_apart import run_apart
from sparsetrace.capture.result_unions import distinct_results
from sparsetrace.capture.session import SESSION, Session
from sparsetrace.context import CURRENT
from sparsetrace.user_code.effects import has_effects
from sparsetrace.user_code.frames import is_library_code

__all__ = ["exchanging", "more_is_run_apart"]

_lock = threading.RLock()
_sessions = 0
_wanted: dict[int, types.CodeType] = {}
_stand_ins: dict[int, types.CodeType] = {}
"""What stands for a code, its own or one in which other code is exchanged, by its id."""
_originals: dict[int, types.CodeType] = {}
"""The codes that others stand for, by the ids of these."""
_functions: list[tuple[types.FunctionType, types.CodeType]] = []
"""Functions with another code than their own."""

_RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_NOT_CALLED_BY_NAME = frozenset("<module> <listcomp> <setcomp> <dictcomp> <genexpr>".split())


@contextmanager
def exchanging(session: Session) -> Iterator[None]:
    """Around the runs of a trace, which may exchange codes."""
    global _sessions
    with _lock:
        _sessions += 1
    try:
        yield
    finally:
        with _lock:
            _sessions -= 1
            if not _sessions:
                _put_back()
                for known in (_wanted, _stand_ins, _originals):
                    known.clear()


def more_is_run_apart(session: Session) -> bool:
    """Run the functions apart that decide on the paths of which there were too many.

    Returns whether there are any that were not apart before.
    """
    codes: dict[int, types.CodeType] = {}
    for code in _deciding(session.exceeded):
        original = original_of(code)
        if id(original) not in session.apart and _can_be_apart(original):
            codes[id(original)] = original
    exceeded = bool(session.exceeded)
    session.exceeded.clear()
    if not codes:
        opened, session.opens_integers = session.opens_integers, True
        return exceeded and not opened and bool(session.apart)
    session.apart.update(codes)
    with _lock:
        _wanted.update(codes)
        _exchange({code.co_filename for code in _wanted.values()})
    return True


def _deciding(exceeded: list[Branches]) -> Iterator[types.CodeType]:
    """The code of the functions in which branches were decided, but for that which began."""
    for branches in exceeded:
        for routes in branches.routes.values():
            for route in routes:
                yield from route[:-1]


def original_of(code: types.CodeType) -> types.CodeType:
    """The user's own code, for one that may stand for it."""
    return _originals.get(id(code), code)


def _can_be_apart(code: types.CodeType) -> bool:
    return not (
        code.co_flags & _RESUMED or code.co_name in _NOT_CALLED_BY_NAME or is_library_code(code)
    )


# ------------------------------------------------------------------------- codes
def _exchange(filenames: set[str]) -> None:
    """Give every function of these files the code that stands for its own."""
    _put_back()
    _stand_ins.clear()
    for item in gc.get_objects():
        if type(item) is types.FunctionType and item.__code__.co_filename in filenames:
            code = item.__code__
            made = _stand_in(code)
            if made is not code:
                item.__code__ = made
                _functions.append((item, code))


def _put_back() -> None:
    for function, code in _functions:
        function.__code__ = code
    _functions.clear()


def _stand_in(code: types.CodeType) -> types.CodeType:
    """The code with all exchanged in it that is wanted; itself without any."""
    original = original_of(code)
    known = _stand_ins.get(id(original))
    if known is not None:
        return known
    constants = tuple(
        _stand_in(x) if isinstance(x, types.CodeType) else x for x in original.co_consts
    )
    body = original
    if any(a is not b for a, b in zip(constants, original.co_consts, strict=True)):
        body = original.replace(co_consts=constants)
        _originals[id(body)] = original
    made = body
    if id(original) in _wanted:
        made = _handing_over(body, _Apart(original)) or body
        _originals[id(made)] = original
    _stand_ins[id(original)] = made
    _kept.append((original, body, made))
    return made


_kept: list[Any] = []
"""Codes that are known by their ids."""
_CALL = "sparsetrace call"
_NAMES = ("sparsetrace names",)


def _handing_over(code: types.CodeType, call: Callable[..., Any]) -> types.CodeType | None:
    """A code of the same signature that gives ``call(function of the code, args, kwargs)``.

    Its frames count as this package's own.
    """
    flags = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    template = _template(
        code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, flags, code.co_freevars
    )
    if template.co_freevars != code.co_freevars:
        return None
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    placed: dict[Any, Any] = {_CALL: call, _NAMES: names}
    constants = tuple(
        code
        if isinstance(x, types.CodeType)
        else placed.get(x, x)
        if type(x) in (str, tuple)
        else x
        for x in template.co_consts
    )
    return template.replace(
        co_consts=constants,
        co_varnames=code.co_varnames[: template.co_nlocals],
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_firstlineno=code.co_firstlineno,
    )


@functools.lru_cache(maxsize=256)
def _template(
    positional: int, positional_only: int, keywords: int, flags: int, free: tuple[str, ...]
) -> types.CodeType:
    """The code of a function with so many parameters, which calls one nested in it."""
    names = [f"_p{i}" for i in range(positional)]
    only = [f"_k{i}" for i in range(keywords)]
    signature = names[:]
    if positional_only:
        signature.insert(positional_only, "/")
    given = "".join(f"{name}, " for name in names)
    if flags & inspect.CO_VARARGS:
        signature.append("*_args")
        given += "*_args, "
    elif only:
        signature.append("*")
    signature += only
    pairs = "".join(f"{name}, " for name in only)
    extra = "_kwargs" if flags & inspect.CO_VARKEYWORDS else "{}"
    if flags & inspect.CO_VARKEYWORDS:
        signature.append("**_kwargs")
    used = "".join(f"{name}, " for name in free)
    source = (
        f"def outer({', '.join(free)}):\n"
        f" def call({', '.join(signature)}):\n"
        f"  return '{_CALL}'(lambda: ({used}), ({given}), ({pairs}), {_NAMES!r}, {extra})\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # a text is called
        outer = _nested(compile(source, __file__, "exec", dont_inherit=True))
    return _nested(outer)


def _nested(code: types.CodeType) -> types.CodeType:
    return next(x for x in code.co_consts if isinstance(x, types.CodeType))


class _Apart:
    """What a code hands its calls to; without a session that wants it apart it just calls."""

    __slots__ = ("original",)

    def __init__(self, original: types.CodeType) -> None:
        self.original = original

    def __call__(
        self,
        body: types.FunctionType,
        args: tuple[Any, ...],
        values: tuple[Any, ...],
        names: tuple[str, ...],
        extra: dict[str, Any],
    ) -> Any:
        kwargs = {**dict(zip(names, values, strict=True)), **extra} if names else extra
        session, trace = SESSION.get(), CURRENT.get()
        key = id(self.original)
        if session is None or trace is None or key not in session.apart or key in session.inside:
            return body(*args, **kwargs)
        session.inside.add(key)
        try:
            return run_apart(
                trace,
                functools.partial(body, *args, **kwargs),
                has_effects=lambda: has_effects(body, args, kwargs),
                unite=lambda results: distinct_results(
                    trace,
                    results,
                    asks_types=session.asks_types,
                    opens_integers=session.opens_integers,
                ),
            )
        finally:
            session.inside.discard(key)

"""Threads that the traced function starts or gives work to, by `threading` or by a pool.

Contract: they take turns (`sparsetrace.capture.turns`).  What starts a thread, gives it a
task or waits for one passes the turn on; traced values for another process are refused.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any

from sparsetrace.capture.patch import Patch
from sparsetrace.capture.session import SESSION
from sparsetrace.capture.turns import Task, Turns, claimed_turns, known_turns
from sparsetrace.context import CURRENT
from sparsetrace.errors import EscapeError, explain
from sparsetrace.operands.operands import contains_traced

__all__ = ["POOLS", "loaded", "patches", "pool_patches"]

_MACHINERY = frozenset(("asyncio", "concurrent", "multiprocessing"))
"""Packages whose threads wait for tasks or for others; the tasks are passed on, not the threads."""


def _serves_a_library(thread: threading.Thread) -> bool:
    """Whether a thread is a pool's, or of a class of a library's (the monitor of ``tqdm``)."""
    target = getattr(thread, "_target", None)
    if str(getattr(target, "__module__", "")).partition(".")[0] in _MACHINERY:
        return True
    code = getattr(type(thread).run, "__code__", None)
    return target is None and "site-packages" in getattr(code, "co_filename", "")


def _started(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def start(self: threading.Thread) -> Any:
        session = SESSION.get()
        if session is None:
            return original(self)
        if _serves_a_library(self):
            session.need()
            known = known_turns()
            return original(self) if known is None else known.kept(lambda: original(self))
        turns = claimed_turns()
        if turns is None:
            return original(self)
        task = Task(turns)
        run = self.run

        def in_turn() -> None:
            vars(self).pop("run", None)
            task.run(run, (), {}, in_pool=False)

        self.run = in_turn  # type: ignore[method-assign]
        return turns.pass_on(task, lambda: original(self))

    return start


def _joined(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def join(self: threading.Thread, timeout: float | None = None) -> Any:
        turns = known_turns()
        if turns is None or not self.is_alive() or self is threading.current_thread():
            return original(self, timeout)

        def wait(seconds: float) -> bool:
            original(self, seconds)
            return not self.is_alive()

        turns.waiting(wait, None if timeout is None else max(timeout, 0))
        return None

    return join


def _waited(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def wait(self: threading.Condition, timeout: float | None = None) -> Any:
        turns = known_turns()
        if turns is None or (timeout is not None and timeout <= 0):
            return original(self, timeout)
        return turns.waiting(lambda seconds: original(self, seconds), timeout)

    return wait


def _submitted(original: Callable[..., Any]) -> Callable[..., Any]:
    """``ThreadPoolExecutor.submit``: the task is run at once, in a thread of the executor's."""

    @functools.wraps(original)
    def submit(self: object, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        turns = None if CURRENT.get() is None else claimed_turns()
        if turns is None:
            return original(self, function, *args, **kwargs)
        task = Task(turns, ended=lambda future: bool(future.done()))

        def in_turn() -> Any:
            return task.run(function, args, kwargs, in_pool=True)

        return turns.pass_on(task, lambda: original(self, in_turn))

    return submit


def _applied(original: Callable[..., Any]) -> Callable[..., Any]:
    """``ThreadPool.apply_async``, likewise."""

    @functools.wraps(original)
    def apply_async(
        self: object,
        func: object,
        args: object = (),
        kwds: object = {},
        callback: object = None,
        error_callback: object = None,
    ) -> Any:
        turns = _of_threads(self, "multiprocessing.Pool.apply_async", (func, args, kwds))
        if turns is None:
            return original(self, func, args, kwds, callback, error_callback)
        task = Task(turns, ended=lambda result: bool(result.ready()))

        def in_turn(function: Any) -> Any:
            if function is None:
                return None
            return lambda *a, **k: task.run(function, a, k, in_pool=True)

        call, done, failed = map(in_turn, (func, callback, error_callback))
        return turns.pass_on(task, lambda: original(self, call, args, kwds, done, failed))

    return apply_async


def _mapped(original: Callable[..., Any]) -> Callable[..., Any]:
    """``ThreadPool.map`` and its kin: one task for each item, one after the other."""

    @functools.wraps(original)
    def map_async(
        self: Any,
        func: Any,
        iterable: Any,
        mapper: Any,
        chunksize: Any = None,
        callback: Any = None,
        error_callback: Any = None,
    ) -> Any:
        items = iterable if hasattr(iterable, "__len__") else list(iterable)
        turns = _of_threads(self, "multiprocessing.Pool.map", (func, items))
        if turns is None:
            return original(self, func, items, mapper, chunksize, callback, error_callback)
        results = [self.apply_async(_one, (func, item, mapper)) for item in items]

        def gathered() -> list[Any]:
            return [result.get() for result in results]

        return self.apply_async(gathered, (), {}, callback, error_callback)

    return map_async


def _one(func: Any, item: Any, mapper: Any) -> Any:
    """What ``mapper`` (of `multiprocessing.pool`: map or starmap) does with one item."""
    return mapper((func, (item,)))[0]


def _iterated(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def imap(self: Any, func: Any, iterable: Any, chunksize: int = 1) -> Any:
        items = iterable if hasattr(iterable, "__len__") else list(iterable)
        turns = _of_threads(self, "multiprocessing.Pool.imap", (func, items))
        if turns is None:
            return original(self, func, items, chunksize)
        return _Results([self.apply_async(func, (item,)) for item in items])

    return imap


class _Results:
    """What ``imap`` gives: the results in order, an error where its turn comes."""

    def __init__(self, results: list[Any]) -> None:
        self._results = iter(results)

    def __iter__(self) -> _Results:
        return self

    def next(self, timeout: float | None = None) -> Any:
        return next(self._results).get(timeout)

    __next__ = next


def _of_threads(pool: object, call: str, given: object) -> Turns | None:
    """The turns, if a pool is one of threads and called by a traced function."""
    turns = None if CURRENT.get() is None else claimed_turns()
    if turns is not None and not isinstance(pool, sys.modules["multiprocessing.pool"].ThreadPool):
        refuse_traced(call, given)
        return None
    return turns


def _made(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def make(self: object, *args: Any, **kwargs: Any) -> None:
        turns = None if CURRENT.get() is None else claimed_turns()
        original(self, *args, **kwargs)
        if turns is not None:
            turns.pools.append(self)

    return make


def _to_process(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def submit(self: object, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if SESSION.get() is not None:
            refuse_traced("ProcessPoolExecutor.submit", (function, args, kwargs))
        return original(self, function, *args, **kwargs)

    return submit


def _process_started(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def start(self: Any) -> Any:
        if SESSION.get() is not None:
            refuse_traced("multiprocessing.Process", (self._target, self._args, self._kwargs))
        return original(self)

    return start


def refuse_traced(call: str, *given: Any) -> None:
    """Raise an error if traced values are about to go to another process."""
    if any(map(_holds_traced, given)):
        raise EscapeError(
            explain(
                call,
                "traced values would go to another process, where the trace cannot follow them",
                "Use concurrent.futures.ThreadPoolExecutor, or call the function itself.",
            )
        )


def _holds_traced(given: object, depth: int = 4) -> bool:
    """Whether arguments, or what a function closes over, are traced."""
    if depth == 0:
        return False
    if isinstance(given, functools.partial):
        given = (given.func, given.args, given.keywords)
    if isinstance(given, dict):
        given = list(given.values())
    if isinstance(given, (list, tuple, set)):
        return any(_holds_traced(item, depth - 1) for item in given)
    for cell in getattr(given, "__closure__", None) or ():
        try:
            if _holds_traced(cell.cell_contents, depth - 1):
                return True
        except ValueError:  # not filled yet
            continue
    return contains_traced(given)


_WRAPPED: dict[str, tuple[tuple[str, str, Callable[..., Any]], ...]] = {
    "threading": (
        ("Thread", "start", _started),
        ("Thread", "join", _joined),
        ("Condition", "wait", _waited),
    ),
    "concurrent.futures.thread": (("ThreadPoolExecutor", "submit", _submitted),),
    "concurrent.futures.process": (("ProcessPoolExecutor", "submit", _to_process),),
    "multiprocessing.process": (("BaseProcess", "start", _process_started),),
    "multiprocessing.pool": (
        ("Pool", "__init__", _made),
        ("Pool", "apply_async", _applied),
        ("Pool", "_map_async", _mapped),
        ("Pool", "imap", _iterated),
        ("Pool", "imap_unordered", _iterated),
    ),
}
"""Classes and methods by module."""
POOLS = frozenset(_WRAPPED) - {"threading"}
"""The modules with pools of threads or processes."""


def loaded() -> frozenset[str]:
    """Those of them that the program has loaded."""
    return frozenset(POOLS & sys.modules.keys())


def patches() -> list[Patch]:
    """The methods of `threading`."""
    return pool_patches("threading")


def pool_patches(module: str) -> list[Patch]:
    """The methods of a loaded module's classes."""
    made: list[Patch] = []
    for class_name, name, wrap in _WRAPPED[module]:
        owner = getattr(sys.modules[module], class_name)
        original = vars(owner)[name]
        made.append(Patch(owner, name, original, wrap(original)))
    return made

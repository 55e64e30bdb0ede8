"""Threads that the traced function starts or gives work to: one at a time, in a fixed order.

Contract: a graph belongs to one thread at a time, the one whose *turn* it is
(`Graph.thread`).  A thread that starts another, or gives it a task, passes the turn on and
goes on when the other has ended or waits; a thread that waits gives it up.  So threads run
one after the other, which any program must allow for, and the trace is the same each time.
A thread that the trace does not know is refused where it adds to the graph, and an error in
it fails the trace.
"""

from __future__ import annotations

import functools
import io
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable
from contextvars import Context, copy_context
from threading import get_ident
from types import FrameType
from typing import Any

from sparsetrace.capture.session import SESSION, Restart
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import (
    FAILURES,
    RUNNING,
    EscapeError,
    TracingError,
    UnsupportedError,
    ValueDependentError,
    explain,
)
from sparsetrace.graph.graph import Graph
from sparsetrace.operands.operands import contains_traced

__all__ = ["POOLS", "alone", "learner", "loaded", "rows", "wrappers"]

_FREE = 0
"""In place of a thread's number: nobody's turn.  Numbers below it are of tasks not begun."""
_NOBODY = -1
_IDLE = 0.5
"""Seconds without work after which a thread counts as waiting, however it does that."""
_LONGEST = 10.0
"""Seconds that a thread waits for one that works on; both then take turns."""
_SLICE = 0.05
_PREFIX = "sparsetrace"
_tasks = itertools.count(2)
_traces: list[Trace] = []
"""The trace of every run, in any thread; beside `RUNNING`."""
_lock = threading.Lock()
_REMEDY = (
    "Give the work to threads in the traced function itself, by concurrent.futures, "
    "multiprocessing.pool.ThreadPool or threading.Thread and without capture=False; or call "
    "the functions one after the other"
)


class _Watch:
    """Tells a thread that works from one that waits, by the processor time that it takes."""

    def __init__(self) -> None:
        self.thread = _NOBODY
        self.since = self.begun = time.monotonic()
        self.used: float | None = None

    def waits(self, thread: int, native: int | None) -> bool:
        """Whether the thread has done nothing for a while, or works for too long."""
        now = time.monotonic()
        if thread != self.thread:
            self.thread, self.since, self.begun = thread, now, now
            self.used = _time_worked(native)
            return False
        if now - self.since < _IDLE:
            return False
        used, window = _time_worked(native), now - self.since
        if used is None or self.used is None:  # ended, or no such file on this system
            idle = thread not in sys._current_frames() or now - self.begun > 4 * _IDLE
        else:
            idle = used - self.used < 0.1 * window
        self.since, self.used = now, used
        return (idle or now - self.begun > _LONGEST) and not _is_inside(thread)


def _time_worked(native: int | None) -> float | None:
    """The seconds that a thread has computed so far, or waited for a processor.

    None where the system does not say.
    """
    try:
        with io.open(f"/proc/self/task/{native}/schedstat") as file:  # noqa: UP020
            computed, waited = file.read().split()[:2]
    except (OSError, ValueError):
        return None
    return (int(computed) + int(waited)) / 1e9


def _is_inside(thread: int) -> bool:
    """Whether a thread stands in code of this package's, or in NumPy called by it."""
    frame: FrameType | None = sys._current_frames().get(thread)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(_PREFIX + "."):
            return bool(name != __name__)
        if not name.startswith("numpy"):
            return False
        frame = frame.f_back
    return False


class Turns:
    """Whose turn it is among the threads of one run of the function.

    Attributes
    ----------
    raced : bool
        Whether two threads may have gone on at once, after one of them had waited: what
        follows may come in another order the next time.
    ended_by : BaseException or None
        What ended the run in a thread other than the first, which is to raise it.
    pools : list
        Pools made in this run.  One that is left open, as where the run is begun anew, is
        ended with it: its threads would wait for ever once its pipes are gone.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.lock = threading.Lock()
        self.members: set[int] = set()
        self.natives = {get_ident(): threading.get_native_id()}
        self.pools: list[Any] = []
        self.raced = False
        self.closed = False
        self.ended_by: BaseException | None = None

    def mine(self) -> bool:
        return self.trace.graph.thread == get_ident()

    def give_up(self) -> None:
        with self.lock:
            if self.mine():
                self.trace.graph.thread = _FREE

    def _take(self, owner: int) -> bool:
        """Take the turn from a thread that waits; it may have woken up just now."""
        with self.lock:
            if self.trace.graph.thread != owner:
                return False
            self.trace.graph.thread = get_ident()
        while owner > 0 and _is_inside(owner):
            time.sleep(0.001)
        return True

    def claim(self) -> None:
        """Wait until it is the calling thread's turn."""
        watch = _Watch()
        while not self.mine():
            if self.closed:
                raise _refusal("a thread that goes on after the traced function has ended")
            owner = self.trace.graph.thread
            if not (owner == _FREE or watch.waits(owner, self.natives.get(owner))):
                time.sleep(0.0005)
            elif self._take(owner) and self.members - {get_ident()}:
                self.raced = True
        self.check()

    def check(self) -> None:
        """Raise what ended the run in another thread."""
        if self.ended_by is not None:
            raise self.ended_by

    def pass_on(self, task: _Task, schedule: Callable[[], Any]) -> Any:
        """Schedule a task and let it run; go on when it has ended, or waits."""
        self.trace.graph.thread = task.token
        try:
            made = schedule()
            self._regain(task, made)
        finally:
            task.alone = False
            with self.lock:
                if self.trace.graph.thread in (_FREE, task.token):
                    self.trace.graph.thread = get_ident()
        self.check()
        return made

    def kept(self, call: Callable[[], Any]) -> Any:
        """What a call gives that waits for a moment, without giving up the turn."""
        self.trace.graph.thread = _NOBODY
        try:
            return call()
        finally:
            self.trace.graph.thread = get_ident()

    def _regain(self, task: _Task, made: Any) -> None:
        watch, pause = _Watch(), 0.0001
        while True:
            owner = self.trace.graph.thread
            if owner == _FREE or (owner == task.token and task.has_ended(made)):
                return
            if watch.waits(owner, self.natives.get(owner)) and self._take(owner):
                self.raced = True
                return
            if not task.over.acquire(timeout=pause):
                pause = min(2 * pause, 0.005)

    def waiting(self, wait: Callable[[float], bool], timeout: float | None) -> bool:
        """Wait while others have their turns; ``wait(seconds)`` says whether it was long enough."""
        self.give_up()
        self.raced = self.raced or get_ident() in self.members
        failures = FAILURES.get()
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _SLICE if end is None else min(_SLICE, end - time.monotonic())
            if wait(max(left, 0.0)):
                return True
            if end is not None and time.monotonic() >= end:
                return False
            self.check()
            if failures:  # what is waited for may never come
                raise failures[0]


class _Task:
    """A call that is run in another thread, in its turn."""

    def __init__(self, turns: Turns, *, ended: Callable[[Any], bool] | None = None) -> None:
        self.turns = turns
        self.token = -next(_tasks)
        self.alone = True  # the one who passed the turn on waits for nothing but this task
        self.begun = False
        self.over = _Signal()
        self.context = _context()
        self.tracer = sys.gettrace()
        self._ended = ended

    def has_ended(self, made: Any) -> bool:
        return self.begun and (self._ended is None or self._ended(made))

    def run(self, call: Callable[..., Any], args: Any, kwargs: Any, *, in_pool: bool) -> Any:
        return self.context.copy().run(self._run, call, args, kwargs, in_pool)

    def _run(self, call: Callable[..., Any], args: Any, kwargs: Any, in_pool: bool) -> Any:
        turns, me = self.turns, get_ident()
        trace = turns.trace
        turns.members.add(me)
        turns.natives[me] = threading.get_native_id()
        with turns.lock:
            if trace.graph.thread == self.token:
                trace.graph.thread = me
        before = sys.gettrace()
        sys.settrace(self.tracer)
        try:
            # no backend of scipy.fft: setting one in threads that come and go crashes uarray
            return call(*args, **kwargs)
        except Restart as error:
            turns.ended_by = error
            return None
        except TracingError as error:
            if in_pool:
                raise
            turns.ended_by = error
            return None
        finally:
            sys.settrace(before)
            turns.members.discard(me)
            self.begun = True
            with turns.lock:
                if trace.graph.thread == me:
                    trace.graph.thread = self.token if self.alone and in_pool else _FREE
            self.over.release()


class _Signal:
    """Wakes one waiting thread; a plain lock, which no wrapper of this module is asked about."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def acquire(self, timeout: float) -> bool:
        return self._lock.acquire(timeout=timeout)

    def release(self) -> None:
        if self._lock.locked():
            self._lock.release()


def _context() -> Context:
    """What a new thread knows: of the caller's context variables those of the trace alone."""
    found = Context()
    for variable, value in copy_context().items():
        if variable.name.startswith(_PREFIX):
            found.run(variable.set, value)
    return found


def _refusal(what: str) -> UnsupportedError:
    return UnsupportedError(
        explain(
            "a traced operation",
            f"it is done by {what}, and two threads at once would mix up their results",
            _REMEDY + ".",
        )
    )


# ----------------------------------------------------------------------- one run
class alone:
    """One run of the function: its graph belongs to this thread, as long as it passes it on."""

    __slots__ = ("failures", "trace")

    def __init__(self, trace: Trace, failures: list[TracingError]) -> None:
        self.trace, self.failures = trace, failures

    def __enter__(self) -> None:
        trace = self.trace
        if trace.decide is not None:
            trace.decide = _decider(trace, trace.decide)
        trace.graph.other_thread = _of_another_thread
        with _lock:
            RUNNING.append(self.failures)
            _traces.append(trace)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        trace, turns = self.trace, self.trace.turns
        try:
            if turns is not None and kind is None:
                turns.claim()
        finally:
            trace.decide = None
            if turns is not None:
                turns.closed = True
                trace.turns = None
                trace.graph.thread = get_ident()
            with _lock:
                at = -1
                while _traces[at] is not trace:  # other threads may have begun runs since
                    at -= 1
                del RUNNING[at], _traces[at]
            if turns is not None and kind is not None:
                for pool in turns.pools:
                    pool.terminate()
        if kind is None:
            trace.graph.check_order()


def _of_another_thread(graph: Graph) -> None:
    """Called before a thread adds to the graph out of turn."""
    trace = CURRENT.get()
    turns = None if trace is None or trace.graph is not graph else trace.turns
    if turns is None:
        raise _refusal("another thread than the one that the trace runs in")
    turns.claim()


def _decider(trace: Trace, decide: Callable[[], bool]) -> Callable[[], bool]:
    def decided() -> bool:
        if get_ident() != trace.graph.thread:
            _of_another_thread(trace.graph)
        if trace.turns is not None and trace.turns.raced:
            raise ValueDependentError(
                explain(
                    "bool()",
                    "a branch on a traced value after threads have run side by side, in an "
                    "order that may be another one in the next run",
                    "Use np.where, np.maximum or np.clip, take the pattern at a point, or call "
                    "the functions one after the other.",
                )
            )
        return decide()

    return decided


def _in_child() -> None:
    """A forked process holds a copy of every trace, which nobody will look at."""
    for trace in list(_traces):
        if trace.turns is not None:
            trace.turns.closed = True
            trace.turns = None
        trace.graph.thread = _NOBODY
        trace.graph.share()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def _turns() -> Turns | None:
    """Of the trace that runs in this context, as soon as it is this thread's turn."""
    trace = CURRENT.get()
    if trace is None or SESSION.get() is None or trace.graph.other_thread is not _of_another_thread:
        return None
    if trace.turns is None:
        if get_ident() != trace.graph.thread:
            return None
        trace.turns = Turns(trace)
        trace.graph.share()
    found: Turns = trace.turns
    found.claim()
    return found


def _known_turns() -> Turns | None:
    """The same, where threads have been started and it is this thread's turn now."""
    trace = CURRENT.get()
    if trace is None or trace.turns is None or not trace.turns.mine():
        return None
    found: Turns = trace.turns
    return found


# ---------------------------------------------------------------------- wrappers
_MACHINERY = frozenset(("asyncio", "concurrent", "multiprocessing"))
"""Packages whose threads wait for tasks or for others; the tasks are passed on, not the threads."""
_learn: Callable[[], bool] = bool


def learner(learn: Callable[[], bool]) -> None:
    """What exchanges the functions of modules that were loaded during a run."""
    global _learn
    _learn = learn


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
            if _learn():
                session.ask()
            known = _known_turns()
            return original(self) if known is None else known.kept(lambda: original(self))
        turns = _turns()
        if turns is None:
            return original(self)
        task = _Task(turns)
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
        turns = _known_turns()
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
        turns = _known_turns()
        if turns is None or (timeout is not None and timeout <= 0):
            return original(self, timeout)
        return turns.waiting(lambda seconds: original(self, seconds), timeout)

    return wait


def _submitted(original: Callable[..., Any]) -> Callable[..., Any]:
    """``ThreadPoolExecutor.submit``: the task is run at once, in a thread of the executor's."""

    @functools.wraps(original)
    def submit(self: Any, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        turns = None if CURRENT.get() is None else _turns()
        if turns is None:
            return original(self, function, *args, **kwargs)
        task = _Task(turns, ended=lambda future: bool(future.done()))

        def in_turn() -> Any:
            return task.run(function, args, kwargs, in_pool=True)

        return turns.pass_on(task, lambda: original(self, in_turn))

    return submit


def _applied(original: Callable[..., Any]) -> Callable[..., Any]:
    """``ThreadPool.apply_async``, likewise."""

    @functools.wraps(original)
    def apply_async(
        self: Any,
        func: Any,
        args: Any = (),
        kwds: Any = {},  # noqa: B006 - as the original
        callback: Any = None,
        error_callback: Any = None,
    ) -> Any:
        turns = _of_threads(self, "multiprocessing.Pool.apply_async", (func, args, kwds))
        if turns is None:
            return original(self, func, args, kwds, callback, error_callback)
        task = _Task(turns, ended=lambda result: bool(result.ready()))

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
        found = [self.apply_async(_one, (func, item, mapper)) for item in items]

        def gathered() -> list[Any]:
            return [result.get() for result in found]

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


def _of_threads(pool: Any, call: str, given: Any) -> Turns | None:
    """The turns, if a pool is one of threads and called by a traced function."""
    turns = None if CURRENT.get() is None else _turns()
    if turns is not None and not isinstance(pool, sys.modules["multiprocessing.pool"].ThreadPool):
        refuse_traced(call, given)
        return None
    return turns


def _made(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        turns = None if CURRENT.get() is None else _turns()
        original(self, *args, **kwargs)
        if turns is not None:
            turns.pools.append(self)

    return make


def _to_process(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def submit(self: Any, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
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


def _holds_traced(given: Any, depth: int = 4) -> bool:
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


def wrappers() -> dict[tuple[type, str], tuple[Any, Any]]:
    """For each class and method of `threading`, the original and its wrapper."""
    found: dict[tuple[type, str], tuple[Any, Any]] = {}
    for owner, name, wrap in (
        (threading.Thread, "start", _started),
        (threading.Thread, "join", _joined),
        (threading.Condition, "wait", _waited),
    ):
        original = vars(owner)[name]
        found[owner, name] = original, wrap(original)
    return found


POOLS: dict[str, tuple[tuple[str, str, Callable[..., Any]], ...]] = {
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


def loaded() -> set[str]:
    """The modules with pools of threads or processes that the program has loaded."""
    return POOLS.keys() & sys.modules.keys()


def rows(module: str) -> list[tuple[Any, str, Any, Any]]:
    """Owner, name, original and wrapper of what is exchanged with a module."""
    found = []
    for kind, name, wrap in POOLS[module]:
        owner = getattr(sys.modules[module], kind)
        original = vars(owner)[name]
        found.append((owner, name, original, wrap(original)))
    return found

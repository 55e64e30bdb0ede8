"""Whose turn it is among the threads of a traced function: one at a time, in a fixed order.

Contract: a graph belongs to one thread at a time, the one whose *turn* it is
(`Graph.thread`).  A thread that starts another, or gives it a task, passes the turn on and
goes on when the other has ended or waits; a thread that waits gives it up.  So threads run
one after the other, which any program must allow for, and the trace is the same each time.
A thread that the trace does not know is refused where it adds to the graph, and an error in
it fails the trace.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
from collections.abc import Callable
from contextvars import Context, copy_context
from threading import get_ident
from typing import Any

from sparsetrace.capture.known_comparisons import Comparison
from sparsetrace.capture.session import SESSION, Restart
from sparsetrace.capture.thread_activity import Watch, is_inside
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import (
    BY_VALUES,
    FAILURES,
    RUNNING,
    TracingError,
    UnsupportedError,
    ValueDependentError,
    explain,
)
from sparsetrace.graph.graph import Graph

__all__ = ["Task", "Turns", "alone", "claimed_turns", "known_turns"]

_FREE = 0
"""In place of a thread's number: nobody's turn.  Numbers below it are of tasks not begun."""
_NOBODY = -1
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
        while owner > 0 and is_inside(owner):
            time.sleep(0.001)
        return True

    def claim(self) -> None:
        """Wait until it is the calling thread's turn."""
        watch = Watch()
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

    def pass_on(self, task: Task, schedule: Callable[[], Any]) -> Any:
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

    def _regain(self, task: Task, made: object) -> None:
        watch, pause = Watch(), 0.0001
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


class Task:
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

    def has_ended(self, made: object) -> bool:
        return self.begun and (self._ended is None or self._ended(made))

    def run(self, call: Callable[..., Any], args: object, kwargs: object, *, in_pool: bool) -> Any:
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
    context = Context()
    for variable, value in copy_context().items():
        if variable.name.startswith(_PREFIX):
            context.run(variable.set, value)
    return context


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

    def __exit__(self, cls: object, error: object, traceback: object) -> None:
        trace, turns = self.trace, self.trace.turns
        try:
            if turns is not None and cls is None:
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
            if turns is not None and cls is not None:
                for pool in turns.pools:
                    pool.terminate()
        if cls is None:
            trace.graph.check_order()


def _of_another_thread(graph: Graph) -> None:
    """Called before a thread adds to the graph out of turn."""
    trace = CURRENT.get()
    turns = None if trace is None or trace.graph is not graph else trace.turns
    if turns is None:
        raise _refusal("another thread than the one that the trace runs in")
    turns.claim()


def _decider(trace: Trace, decide: Callable[..., bool]) -> Callable[..., bool]:
    def decided(*comparisons: Comparison, among: int = 2) -> bool:
        if get_ident() != trace.graph.thread:
            _of_another_thread(trace.graph)
        if trace.turns is not None and trace.turns.raced:
            raise ValueDependentError(
                explain(
                    "bool()",
                    "a branch on a traced value after threads have run side by side, in an "
                    "order that may be another one in the next run",
                    "Use np.where, np.maximum or np.clip, or call the functions one "
                    "after the other.",
                    BY_VALUES,
                )
            )
        return decide(*comparisons, among=among)

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


def claimed_turns() -> Turns | None:
    """Of the trace that runs in this context, as soon as it is this thread's turn."""
    trace = CURRENT.get()
    if trace is None or SESSION.get() is None or trace.graph.other_thread is not _of_another_thread:
        return None
    if trace.turns is None:
        if get_ident() != trace.graph.thread:
            return None
        trace.turns = Turns(trace)
        trace.graph.share()
    turns: Turns = trace.turns
    turns.claim()
    return turns


def known_turns() -> Turns | None:
    """The same, where threads have been started and it is this thread's turn now."""
    trace = CURRENT.get()
    if trace is None or trace.turns is None or not trace.turns.mine():
        return None
    turns: Turns = trace.turns
    return turns

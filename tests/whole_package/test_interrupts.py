"""Ctrl-C at any moment of a trace: nothing stays exchanged, and nothing runs on."""

from __future__ import annotations

import builtins
import gc
import math
import random
import signal
import sys
import threading
import time
import warnings
import weakref

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.context import CURRENT
from sparsetrace.errors import FAILURES, RUNNING
from sparsetrace.interrupts import deferred, guarded, interruptible

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers there")

WEIGHTS, CALLS = np.ones(3), []
RNG = np.random.default_rng(0)


def steps(x):
    """Keeps state, branches, draws numbers, and changes how errors and warnings are treated."""
    out = np.zeros(3)
    CALLS.append(1)
    WEIGHTS[0] += 1
    for i in range(3):
        out[i] = math.exp(x[i]) - x[i + 1] if x[i] > 0 else x[i]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ratio = np.array([x[0], x[1]]) / x[2]
    return np.concatenate([out, np.sort(ratio), RNG.normal(size=2) * x[:2] * WEIGHTS[0]])


def parts(x):
    return np.array([(lambda v: v * v if v > 1 else max(v, 0.0))(v) for v in x])


def threads(x):
    """Threads that end by themselves: a pool that is interrupted between its locks may not."""
    out = np.zeros(4)

    def negative(i):
        out[i] = -x[i]

    running = [threading.Thread(target=negative, args=(i,)) for i in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return out


CASES = [
    (steps, {}),
    (steps, {"local": True}),
    (parts, {}),
    (threads, {}),
    (steps, {"verify": True}),
]


def busy():
    """How many threads run code of the function or of the package.

    A thread whose start is interrupted while ``threading`` holds a lock of its own waits for
    that lock for ever, with nothing else to do; so it does without a trace.
    """
    count = 0
    for frame in list(sys._current_frames().values()):
        while frame is not None and frame.f_code.co_filename == threading.__file__:
            frame = frame.f_back
        count += frame is not None
    return count


def outside():
    """All that a trace changes meanwhile."""
    modules = (np, math, builtins, np.linalg, random, threading, warnings)
    names = {
        (module.__name__, name): id(value)
        for module in modules
        for name, value in vars(module).items()
    }
    return names, {
        "collector": (gc.get_threshold(), gc.isenabled()),
        "errors": (np.geterr(), np.geterrcall()),
        "filters": list(warnings.filters),
        "tracers": (sys.gettrace(), sys.getprofile()),
        "runs": len(RUNNING),
        "context": (CURRENT.get(), FAILURES.get()),
        "signal": signal.getsignal(signal.SIGINT),
        "state": (WEIGHTS.tolist(), len(CALLS), RNG.bit_generator.state),
        "threads": busy(),
    }


def arrives(_, frame):
    """Interrupt what runs; a moment later in a callback of a weak set, whose error Python drops."""
    if frame is not None and frame.f_code.co_filename == weakref.WeakSet.add.__code__.co_filename:
        signal.setitimer(signal.ITIMER_REAL, 1e-4)
    else:
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def interrupted(monkeypatch):
    """Calls something with an interrupt on its way; whether that arrived."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    alarm = signal.signal(signal.SIGALRM, arrives)

    def call(f, delay):
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                f()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            return True
        return False

    yield call
    signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGALRM, alarm)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_everything_is_as_before(case, interrupted):
    f, options = CASES[case]

    def detect():
        return st.jacobian_sparsity(f, np.linspace(0.5, 2, 4), **options)

    detect()
    start = time.perf_counter()
    expected = detect()
    duration, count = time.perf_counter() - start, 0
    moments, before = random.Random(case), outside()
    for _ in range(12):
        count += interrupted(detect, moments.uniform(1e-6, duration))
        for _ in range(200):
            if busy() == before[1]["threads"]:
                break
            time.sleep(0.002)
        assert outside() == before
        assert np.array_equal(detect().toarray(), expected.toarray())
    assert count


def interrupts(f, *args):
    with pytest.raises(KeyboardInterrupt):
        f(*args)


def test_the_signal_waits_until_all_is_back(interrupted):
    done = []

    @interrupts
    def _():
        with guarded():
            signal.raise_signal(signal.SIGINT)
            done.append("guarded")
            with interruptible():
                done.append("never")

    @interrupts
    def _():
        with guarded(), interruptible():
            with deferred():
                signal.raise_signal(signal.SIGINT)
                done.append("deferred")
            done.append("never")

    assert done == ["guarded", "deferred"]


def test_what_is_put_back_is_not_interrupted_again(interrupted):
    done = []

    @interrupts
    def _():
        with guarded():
            try:
                with interruptible():
                    signal.raise_signal(signal.SIGINT)
            finally:
                signal.raise_signal(signal.SIGINT)
                done.append("put back")

    assert done == ["put back"]


def test_a_handler_of_the_program_is_asked(interrupted):
    asked = []
    signal.signal(signal.SIGINT, lambda *_: asked.append(1))

    def f(x):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        return np.sin(x)

    with guarded():
        signal.raise_signal(signal.SIGINT)
        assert asked == []
        with interruptible():
            assert asked == [1]
    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2
    assert len(asked) >= 1


def test_a_function_may_put_its_own_handler(interrupted):
    def own(number, frame):
        return None

    def f(x):
        signal.signal(signal.SIGINT, own)
        return x

    st.jacobian_sparsity(f, np.ones(2))
    assert signal.getsignal(signal.SIGINT) is own


def test_a_trace_within_a_trace(interrupted):
    def f(x):
        st.jacobian_sparsity(np.sin, np.ones(2))
        signal.raise_signal(signal.SIGINT)
        return x

    before = outside()
    with pytest.raises(KeyboardInterrupt):
        st.jacobian_sparsity(f, np.ones(2))
    assert outside() == before


def test_other_threads_get_no_signals():
    results = []

    def detect():
        results.append(st.jacobian_sparsity(np.sin, np.ones(2)).nnz)

    thread = threading.Thread(target=detect)
    thread.start()
    thread.join()
    assert results == [2]

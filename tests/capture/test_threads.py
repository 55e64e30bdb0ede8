"""Threads in the traced function: right or refused, and nothing hangs."""

from __future__ import annotations

import concurrent.futures
import gc
import multiprocessing
import os
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pytest
import scipy.fft
from numpy.testing import assert_array_equal

import sparsetrace as st
from sparsetrace.capture import patches, threads, turns
from sparsetrace.errors import RUNNING
from sparsetrace.graph.graph import Graph

X = np.array([0.3, -0.7, 1.1, 0.4])
LIMIT = 20.0
pytestmark = pytest.mark.filterwarnings(
    "ignore::RuntimeWarning"
)  # where they are errors, they are decisions


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    assert not RUNNING
    assert not turns._traces
    assert not patches._patched


class Servant(threading.Thread):
    """A thread that was there before the trace, and takes what it is given."""

    def __init__(self):
        super().__init__(daemon=True)
        self.todo, self.done = queue.SimpleQueue(), queue.SimpleQueue()
        self.start()

    def run(self):
        while (call := self.todo.get()) is not None:
            try:
                self.done.put(call())
            except Exception as error:
                self.done.put(error)

    def __call__(self, call):
        self.todo.put(call)
        return self.done.get(timeout=LIMIT)


@pytest.fixture
def servant():
    thread = Servant()
    yield thread
    thread.todo.put(None)
    thread.join(LIMIT)


def rows(x):
    return np.unique(x, axis=0)


def numbers(value, default):
    return default if isinstance(value, Exception) else value


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x + x[::-1],
        np.cumsum,
        lambda x: x[1] if x[0] > 0 else x[2],
        np.unique,
        lambda x: np.asarray(x) * float(x[1]),
        lambda x: [np.outer(x, x), x[0]][1],
    ],
)
def test_a_thread_that_was_there_before_is_refused(servant, work):
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: numbers(servant(lambda: work(x)), x[:1]), X)
    assert st.jacobian_sparsity(np.cumsum, X).nnz == 10


def test_what_adds_nothing_to_the_graph_is_right_in_any_thread(servant):
    def f(x):
        out = x.copy()

        def work():
            out[1:] = np.sin(x[::-1][1:]) * 2
            return out[:2]

        return servant(work), out

    expected = np.eye(4)[[0, 2, 0, 2, 1, 0]]
    assert_array_equal(st.jacobian_sparsity(f, X).toarray(), expected > 0)


def test_single_numbers_added_up_in_another_thread_are_refused(servant):
    f = lambda x: servant(lambda: x[0] * x[1] + x[2])  # noqa: E731
    with pytest.raises(st.TracingError, match="another thread"):
        st.jacobian_sparsity(f, X)


def test_numbers_added_up_in_two_threads_at_once_are_found_out():
    graph = Graph(3)

    class Intruded(list):
        """The other thread adds a node of its own in the middle of this one's."""

        def append(self, value):
            graph._first = first = list(self)
            graph.node_scalar(2, 3)
            graph._first = self
            super().extend(first[len(self) :])
            super().append(value)

    graph._first = Intruded()
    graph.node_scalar(3, 4)
    with pytest.raises(st.TracingError, match="in another thread"):
        list(graph.blocks)


@pytest.mark.slow
@pytest.mark.parametrize("capture", [True, False])
def test_two_threads_that_loop_over_numbers(capture, servant):
    def f(x):
        def loop(total):
            for _ in range(3000):
                for v in x:
                    total = total * v + v
            return total

        servant.todo.put(lambda: loop(x[0]))
        mine = loop(x[1])
        return mine, servant.done.get(timeout=LIMIT)

    try:
        assert st.jacobian_sparsity(f, X, capture=capture).nnz == 8
    except st.TracingError as error:
        if "two threads at once" not in str(error):
            raise


def test_threads_are_refused_without_capture():
    def f(x):
        with ThreadPoolExecutor(2) as pool:
            return np.concatenate(list(pool.map(np.cumsum, (x[:2], x[2:]))))

    assert st.jacobian_sparsity(f, X).nnz == 6
    with pytest.raises(st.TracingError, match=r"another thread.*concurrent\.futures"):
        st.jacobian_sparsity(f, X, capture=False)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_way_out_names_the_line():
    def f(x):
        found = []
        thread = threading.Thread(target=lambda: found.append(np.cumsum(x)))
        thread.start()
        thread.join(LIMIT)
        return found[0] if found else x

    with pytest.raises(st.TracingError, match=r"test_threads\.py:\d+ \(in <lambda>\)"):
        st.jacobian_sparsity(f, X, capture=False)


def test_a_daemon_that_outlives_the_trace_meets_errors():
    gate, errors = threading.Event(), queue.SimpleQueue()

    def f(x):
        def later():
            gate.wait(LIMIT)
            for work in (np.cumsum, lambda y: y[0] * y[1], lambda y: 1.0 if y[0] > 0 else 0.0):
                try:
                    errors.put(work(x))
                except Exception as error:
                    errors.put(error)

        threading.Thread(target=later, daemon=True).start()
        return x * 2

    assert st.jacobian_sparsity(f, X).nnz == 4

    def second(x):
        gate.set()
        found = [errors.get(timeout=LIMIT) for _ in range(3)]
        assert all(isinstance(error, st.TracingError) for error in found), found
        return np.cumsum(x)

    assert st.jacobian_sparsity(second, X).nnz == 10


def test_branches_after_threads_ran_side_by_side_are_refused():
    def f(x):
        todo, done = queue.Queue(), queue.Queue()

        def work():
            while (v := todo.get(timeout=LIMIT)) is not None:
                done.put(v * v)

        workers = [threading.Thread(target=work) for _ in range(2)]
        for w in workers:
            w.start()
        for v in [*x, None, None]:
            todo.put(v)
        total = 0.0
        for _ in x:
            v = done.get(timeout=LIMIT)
            total = total + (v if v > 0.2 else 0.0)
        for w in workers:
            w.join(LIMIT)
        return total

    with pytest.raises(st.ValueDependentError, match="side by side"):
        st.jacobian_sparsity(f, X)
    assert st.jacobian_sparsity(f, X, local=True).nnz == 2


def test_a_lock_held_by_the_one_who_waits_does_not_hang():
    def f(x):
        lock, total = threading.Lock(), [0.0]

        def work(k):
            with lock:
                total[0] = total[0] + x[k] * x[k + 1]

        with ThreadPoolExecutor(1) as pool:
            with lock:
                tasks = [pool.submit(work, k) for k in range(2)]
            concurrent.futures.wait(tasks, timeout=LIMIT)
        return total[0]

    assert st.jacobian_sparsity(f, X).nnz == 3


def test_a_thread_that_polls_does_not_hang():
    def f(x):
        told = []

        def work():
            while len(told) < 2:
                time.sleep(0.001)
            told.append(told[1] * x[1:])

        thread = threading.Thread(target=work)
        thread.start()
        told += [True, x[0] ** 2]
        thread.join(LIMIT)
        return told[2]

    assert st.jacobian_sparsity(f, X).nnz == 6


def test_an_executor_goes_on_after_the_trace():
    pool = ThreadPoolExecutor(1)
    f = lambda x: pool.submit(np.cumsum, x).result(LIMIT)  # noqa: E731
    assert st.jacobian_sparsity(f, X).nnz == 10
    assert_array_equal(f(X), np.cumsum(X))
    pool.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        st.jacobian_sparsity(f, X)


def test_other_threads_use_executors_as_ever():
    inside, done = threading.Event(), threading.Event()
    order = []

    def other():
        assert inside.wait(LIMIT)
        with ThreadPoolExecutor(2) as pool:
            slow = pool.submit(done.wait, LIMIT)
            order.append(pool.submit(os.getpid).result(LIMIT))
            done.set()
            order.append(slow.result(LIMIT))

    thread = threading.Thread(target=other)
    thread.start()

    def f(x):
        inside.set()
        assert done.wait(LIMIT)
        return x

    assert st.jacobian_sparsity(f, X).nnz == 4
    thread.join(LIMIT)
    assert order == [os.getpid(), True]


def test_a_trace_of_its_own_in_a_task():
    def f(x):
        with ThreadPoolExecutor(2) as pool:
            inner = pool.submit(st.jacobian_sparsity, np.cumsum, X).result(LIMIT)
        return x * inner.nnz

    assert st.jacobian_sparsity(f, X).nnz == 4


def test_errors_in_another_thread_count_for_no_finished_trace(servant):
    assert isinstance(servant(lambda: st.jacobian_sparsity(rows, X)), st.TracingError)

    def f(x):
        failed = servant(lambda: st.jacobian_sparsity(rows, X))
        assert isinstance(failed, st.TracingError)
        return x

    assert st.jacobian_sparsity(f, X).nnz == 4


def test_keyboard_interrupt_in_a_thread_of_the_function():
    def f(x):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(exec, "raise KeyboardInterrupt").result(LIMIT)

    with pytest.raises(KeyboardInterrupt):
        st.jacobian_sparsity(f, X)


@pytest.mark.slow
def test_memory_goes_with_the_trace():
    def f(x):
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(np.sin, x))

    st.jacobian_sparsity(f, X)
    gc.collect()
    before = sum(issubclass(type(obj), Graph) for obj in gc.get_objects())
    for _ in range(3):
        st.jacobian_sparsity(f, X)
    gc.collect()
    assert sum(issubclass(type(obj), Graph) for obj in gc.get_objects()) == before


def send(x):
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        return pool.submit(np.cumsum, x).result(LIMIT)


def send_deep(x):
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        try:
            return pool.submit(len, [[{"a": [[[x]]]}]]).result(LIMIT) * x
        except Exception:
            return x[:1]


def send_by_map(x):
    with multiprocessing.Pool(1) as pool:
        return pool.map(np.sum, [x[:2], x[2:]])


def start_process(x):
    process = multiprocessing.Process(target=np.sum, args=(x,))
    process.start()
    process.join(LIMIT)
    return x


@pytest.mark.parametrize("f", [send, send_deep, send_by_map, start_process])
def test_other_processes_are_refused(f):
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(f, X)


def test_constants_may_go_to_other_processes():
    def f(x):
        with concurrent.futures.ProcessPoolExecutor(1) as pool:
            return x * pool.submit(sum, [1.0, 2.0]).result(LIMIT)

    assert st.jacobian_sparsity(f, X).nnz == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_adds_to_no_trace():
    def f(x):
        read, write = os.pipe()
        if not (child := os.fork()):
            try:
                _ = x[0] + x[1]
                os.write(write, b"done")
            except st.TracingError:
                os.write(write, b"refused")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        assert os.read(read, 10) == b"refused"
        os.close(read)
        os.close(write)
        return x

    assert st.jacobian_sparsity(f, X).nnz == 4


def test_modules_loaded_in_the_function(monkeypatch):
    """``from multiprocessing.pool import ThreadPool`` in the function itself."""
    monkeypatch.setattr(threads, "loaded", lambda: frozenset(found))
    found = []

    def f(x):
        from multiprocessing.pool import ThreadPool

        found[:] = ["multiprocessing.pool"]
        with ThreadPool(2) as pool:
            return pool.map(np.sum, [x[:2] ** 2, x[2:]])

    assert st.jacobian_sparsity(f, X).nnz == 4


def test_the_monitor_of_a_library_runs_beside_the_trace():
    scope = {"__name__": "progress", "threading": threading}
    source = """
class Monitor(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.stop = threading.Event()
    def run(self):
        while not self.stop.wait(0.001):
            pass
"""
    exec(compile(source, "/lib/site-packages/progress.py", "exec"), scope)

    def f(x):
        monitor = scope["Monitor"]()
        monitor.start()
        out = x[0] if x[1] > 0 else x[2]
        monitor.stop.set()
        monitor.join(LIMIT)
        return out if x[3] > 0 else x[1]

    assert st.jacobian_sparsity(f, X).nnz == 3


def test_scipy_fft_in_a_thread_is_refused():
    def f(x):
        with ThreadPoolExecutor(1) as pool:
            return np.abs(pool.submit(scipy.fft.fft, x).result(LIMIT))

    for _ in range(20):
        with pytest.raises(st.TracingError):
            st.jacobian_sparsity(f, X)


def test_an_escape_swallowed_in_a_thread():
    """Found by a trace function, which threads of the function's get as well."""

    def f(x):
        found = []

        def work():
            try:
                found.append(Decimal(x[0]))
            except TypeError:
                found.append(0.0)

        before = sys.gettrace()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(LIMIT)
        assert sys.gettrace() is before
        return x * float(found[0])

    with pytest.raises(st.EscapeError, match="in work"):
        st.jacobian_sparsity(f, X)

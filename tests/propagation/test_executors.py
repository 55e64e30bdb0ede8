"""Propagation in other processes: the same to the bit, or an error and nothing."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from at_once import AtOnce, always_used

import sparsetrace as st
from sparsetrace.propagation import executors


@pytest.fixture(autouse=True)
def used():
    with always_used():
        yield


def diffused(x):
    u = x.reshape(30, -1)
    for _ in range(4):
        p = np.pad(u, 1)
        u = u + 0.1 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u)
    return u.ravel()


def summed(x):
    return np.sin(np.cumsum(x)) + x[::-1] * x.mean()


def energy(x):
    return np.sum((x[1:] - x[:-1] ** 2) ** 2) + np.prod(x[:3]) + np.sum(x[:40] * x[-40:])


def same(pattern, other):
    assert (pattern.indices.dtype, pattern.indptr.dtype) == (
        other.indices.dtype,
        other.indptr.dtype,
    )
    np.testing.assert_array_equal(pattern.indices, other.indices)
    np.testing.assert_array_equal(pattern.indptr, other.indptr)


X = np.linspace(0.1, 0.9, 300)
PATTERNS = [
    (st.jacobian_sparsity, diffused),
    (st.jacobian_sparsity, summed),
    (st.hessian_sparsity, energy),
    (st.lagrangian_hessian_sparsity, lambda x: x**2 * x[0]),
]


@pytest.mark.parametrize(("detect", "f"), PATTERNS)
@pytest.mark.parametrize("workers", [1, 2, 7])
def test_the_pattern_is_that_of_one_process(detect, f, workers):
    executor = AtOnce(workers)
    same(detect(f, X, executor=executor), detect(f, X))
    assert executor.tasks


@pytest.mark.parametrize(
    "start", sorted({"spawn", "fork"} & {*multiprocessing.get_all_start_methods()})
)
def test_a_pool_of_processes(start):
    with ProcessPoolExecutor(2, multiprocessing.get_context(start)) as executor:
        for detect, f in PATTERNS[:3]:  # nothing of f is shipped: a lambda will do
            same(detect(lambda x, f=f: f(x), X, executor=executor), detect(f, X))


def test_a_pool_of_threads_and_a_detector():
    with ThreadPoolExecutor(3) as executor:
        detector = st.JacobianDetector(diffused, like=X, executor=executor)
        same(detector(X), st.jacobian_sparsity(diffused, X))


def test_rows_are_shipped_with_what_they_need():
    """Parts of a grid have little in common: the graph is shipped about once."""
    one, many = AtOnce(1), AtOnce(8)
    for executor in (one, many):
        st.jacobian_sparsity(lambda x: x[2:] * x[1:-1] + x[:-2], np.ones(9000), executor=executor)
    assert many.tasks == 8 * one.tasks
    assert many.bytes < 1.6 * one.bytes


def test_small_problems_are_solved_here(monkeypatch):
    monkeypatch.setattr(executors, "_WORTH", 2**18)
    executor = AtOnce()
    st.jacobian_sparsity(diffused, X, executor=executor)
    assert not executor.tasks


def test_a_pattern_that_is_too_large_stays_compressed():
    pattern = st.jacobian_sparsity(summed, X, max_entries=1000, executor=AtOnce())
    assert isinstance(pattern, st.CompressedPattern)
    assert pattern.nnz == 300 * 300
    hessian = st.hessian_sparsity(lambda x: summed(x) @ x, X, max_entries=10, executor=AtOnce())
    assert hessian.nnz == 300 * 300


class Killing(ProcessPoolExecutor):
    """Its workers end before their tasks do."""

    def submit(self, *args, **kwargs):
        future = super().submit(*args, **kwargs)
        for process in list(self._processes.values()):
            os.kill(process.pid, signal.SIGKILL)
        return future


@pytest.mark.skipif(sys.platform == "win32", reason="no signals that end a process")
def test_a_worker_that_is_killed():
    with (
        Killing(1) as executor,
        pytest.raises(
            st.ExecutorError, match=r"Killing did not do its work: Broken.*without executor"
        ),
    ):
        st.jacobian_sparsity(diffused, X, executor=executor)


def test_an_executor_that_was_shut_down():
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(st.ExecutorError, match="after shutdown"):
        st.jacobian_sparsity(diffused, X, executor=executor)


@pytest.mark.parametrize(("detect", "f"), PATTERNS)
def test_a_call_by_a_thread_of_the_executor_itself(detect, f):
    """Its tasks would wait for the thread that waits for them."""
    with ThreadPoolExecutor(2) as executor:
        calls = [executor.submit(detect, f, X, executor=executor) for _ in range(2)]
        for call in calls:
            same(call.result(timeout=60), detect(f, X))


class Late(set):
    """Threads that are counted long after they have started, as on a machine with much to do."""

    def add(self, thread):
        self.kept = [*getattr(self, "kept", []), thread]

    def __len__(self):
        return len(getattr(self, "kept", []))


@pytest.mark.parametrize("prefix", ["", "mine"])
def test_a_thread_of_the_executor_that_it_has_not_counted_yet(prefix):
    with ThreadPoolExecutor(2, prefix) as executor:
        executor._threads = Late()
        calls = [executor.submit(energies, executor) for _ in range(2)]
        for call in calls:
            same(call.result(timeout=60), energies(None))
        executor._threads = set(executor._threads.kept)


def energies(executor):
    return st.hessian_sparsity(energy, X, executor=executor)


class Waiting(Executor):
    """Gives out futures of which the second is interrupted."""

    def __init__(self, error):
        self.futures, self.error = [], error

    def submit(self, task, /, *args, **kwargs):
        future = Future()
        self.futures.append(future)
        if len(self.futures) == 1:
            future.set_result(task(*args))
        if len(self.futures) == 2:
            future.set_exception(self.error)
        return future


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError("in a worker")])
def test_what_waits_is_cancelled(error):
    executor = Waiting(error)
    wanted = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else st.ExecutorError
    with pytest.raises(wanted):
        st.jacobian_sparsity(diffused, X, executor=executor)
    assert len(executor.futures) > 2
    assert all(future.cancelled() for future in executor.futures[2:])


@pytest.mark.parametrize("executor", [3, multiprocessing.Pool, "process"])
def test_what_is_no_executor(executor):
    with pytest.raises(st.InputError, match="ProcessPoolExecutor"):
        st.jacobian_sparsity(diffused, X, executor=executor)


def test_a_cluster_on_this_machine():
    distributed = pytest.importorskip(
        "distributed", reason="pip install 'sparsetrace[distributed]'"
    )
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        executor = client.get_executor()
        for detect, f in PATTERNS[:3]:
            same(detect(f, X, executor=executor), detect(f, X))


def test_loky():
    loky = pytest.importorskip("loky", reason="pip install loky")
    executor = loky.get_reusable_executor(max_workers=2)
    same(st.jacobian_sparsity(diffused, X, executor=executor), st.jacobian_sparsity(diffused, X))
    executor.shutdown()

"""The garbage collector while a trace runs, and after it."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.collector import SELDOM


@pytest.fixture(autouse=True)
def thresholds():
    before, enabled = gc.get_threshold(), gc.isenabled()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)
    (gc.enable if enabled else gc.disable)()


def test_it_runs_seldom_and_then_as_before():
    def f(x):
        assert gc.get_threshold() == (SELDOM, 10, 10)
        assert gc.isenabled()
        assert gc.collect() >= 0
        return x * x

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2
    assert st.hessian_sparsity(lambda x: f(x).sum(), np.ones(2)).nnz == 2
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error(error):
    def f(x):
        raise error

    with pytest.raises(error):
        st.jacobian_sparsity(f, np.ones(2))
    assert gc.get_threshold() == (700, 10, 10)


def test_whoever_disabled_it_keeps_it_so():
    def f(x):
        assert not gc.isenabled()
        return x

    gc.disable()
    st.jacobian_sparsity(f, np.ones(2))
    assert not gc.isenabled()


@pytest.mark.parametrize("chosen", [(0, 10, 10), (10 * SELDOM, 5, 5)])
def test_a_rarer_collection_is_left_alone(chosen):
    def f(x):
        assert gc.get_threshold() == chosen
        return x

    gc.set_threshold(*chosen)
    st.jacobian_sparsity(f, np.ones(2))
    assert gc.get_threshold() == chosen


def test_thresholds_that_the_function_sets_stay():
    st.jacobian_sparsity(lambda x: gc.set_threshold(123, 4, 5) or x, np.ones(2))
    assert gc.get_threshold() == (123, 4, 5)


def test_the_last_of_several_traces_takes_it_back():
    inside, leave = threading.Event(), threading.Event()

    def waits(x):
        inside.set()
        assert leave.wait(10)
        return x

    other = threading.Thread(target=st.jacobian_sparsity, args=(waits, np.ones(2)))
    other.start()
    assert inside.wait(10)
    st.jacobian_sparsity(lambda x: x * st.jacobian_sparsity(np.sin, x.shape).nnz, np.ones(2))
    assert gc.get_threshold() == (SELDOM, 10, 10)
    leave.set()
    other.join()
    assert gc.get_threshold() == (700, 10, 10)


def test_cycles_are_collected_in_a_long_trace():
    def f(x):
        before = gc.get_stats()[0]["collections"]
        for _ in range(3 * SELDOM):
            cycle = []
            cycle.append(cycle)
        assert gc.get_stats()[0]["collections"] >= before + 2
        return x

    st.jacobian_sparsity(f, np.ones(2))

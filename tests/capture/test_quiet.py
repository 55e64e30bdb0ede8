"""Traces in a process in which other threads trace, too, without a break."""

from __future__ import annotations

import concurrent.futures
import threading
import time
from math import sin

import numpy as np
import pytest
import scipy.linalg

import sparsetrace as st
from sparsetrace.capture import quiet
from sparsetrace.capture.quiet import Quiet, wait_for_others


def sines(x):
    time.sleep(0.001)
    return np.array([sin(v) for v in x])


def refused(x):
    time.sleep(0.01)
    return scipy.linalg.bandwidth(np.outer(x, x))


def test_an_error_among_threads_that_put_names_back_all_the_time():
    stop = threading.Event()

    def others():
        count = 0
        while not stop.is_set():
            assert st.jacobian_sparsity(sines, np.ones(3)).nnz == 3
            count += 1
        return count

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        some = [pool.submit(others) for _ in range(2)]
        try:
            with pytest.raises(st.EscapeError, match="bandwidth"):
                st.jacobian_sparsity(refused, np.ones(3))
        finally:
            stop.set()
        assert all(each.result() > 0 for each in some)


def test_others_wait_until_it_is_over():
    order = []

    def other(started):
        started.set()
        wait_for_others()
        order.append("other")

    started = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with Quiet() as mine:
            for _ in range(5):
                mine.disturbed()
            assert mine.is_given()
            waiting = pool.submit(other, started)
            started.wait()
            time.sleep(0.05)
            wait_for_others()  # not for itself
            order.append("mine")
        waiting.result()
    assert order == ["mine", "other"]


def test_others_wait_for_a_while_alone(monkeypatch):
    monkeypatch.setattr(quiet, "_LONGEST", 0.01)
    with concurrent.futures.ThreadPoolExecutor(1) as pool, Quiet() as mine:
        for _ in range(5):
            mine.disturbed()
        pool.submit(wait_for_others).result()
        assert mine.is_given()


def test_one_after_the_other():
    with Quiet() as first, Quiet() as second:
        for each in (first, second):
            for _ in range(5):
                each.disturbed()
        assert first.is_given()
        assert not second.is_given()

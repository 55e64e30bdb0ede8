"""A trace leaves no mark: not on exit, not on errors, not in other threads or traces."""

from __future__ import annotations

import asyncio
import concurrent.futures
import importlib
import math
import sys
import threading

import numpy as np
import pytest
import scipy.fft
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from outside import Outside

import sparsetrace as st
from oracles import assert_same_pattern
from sparsetrace.capture import patches
from sparsetrace.capture.patch import ClassNames
from sparsetrace.capture.session import SESSION
from sparsetrace.context import CURRENT
from sparsetrace.errors import FAILURES


def module_with(source):
    """The globals of a module with this source."""
    scope = {"__name__": "a_users_module", "np": np, "math": math}
    exec(compile(source, "a_users_module.py", "exec"), scope)
    return scope


EARLY = """
from numpy import zeros, asarray
from math import sin

def f(x):
    x = asarray(x)
    out = zeros(2)
    out[0] = sin(float(x[0])) * max(x[1], 0.0)
    return out
"""


def names_of(owner):
    return owner.names if isinstance(owner, ClassNames) else vars(owner)


def everything_wrapped():
    """The names with what they stand for outside of traces, and the scopes that they are in."""
    return [
        (owner if isinstance(owner, dict) else names_of(owner), name, original)
        for owner, name, original, _ in patches._patches()
    ]


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    for scope, name, original in everything_wrapped():
        assert scope[name] is original, name
    assert patches._active == 0
    assert not patches._rebound
    assert not patches._patched
    assert SESSION.get() is None
    assert CURRENT.get() is None
    assert FAILURES.get() is None
    assert sys.gettrace() is None or "sparsetrace" not in repr(sys.gettrace())


def test_wrapped_while_a_trace_runs_and_only_then():
    seen = Outside()

    def f(x):
        seen.extend(scope[name] is original for scope, name, original in rows)
        return x

    rows = everything_wrapped()
    st.jacobian_sparsity(f, np.ones(2))
    assert seen
    assert not any(seen)
    seen.clear()
    st.jacobian_sparsity(f, np.ones(2), capture=False)
    assert all(seen)


def test_module_names_are_restored():
    scope = module_with(EARLY)
    before = dict(scope)
    assert st.jacobian_sparsity(scope["f"], np.ones(2)).nnz == 2
    assert scope == before
    assert list(scope) == list(before)
    assert scope["zeros"] is np.zeros
    assert scope["sin"] is math.sin
    assert "float" not in scope
    assert "max" not in scope


class Odd(Exception):
    pass


@pytest.mark.parametrize(
    "raised", [Odd, ValueError, KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration]
)
def test_everything_is_restored_whatever_ends_the_trace(raised):
    scope = module_with(EARLY)
    before = dict(scope)

    def f(x):
        y = scope["f"](x)
        raise raised("enough") if y is not None else AssertionError

    with pytest.raises(raised):
        st.jacobian_sparsity(f, np.ones(2))
    assert scope == before


def test_an_interrupt_in_the_middle_of_exploring_branches():
    runs = Outside()

    def f(x):
        runs.append(None)
        if x[0] > 0 and len(runs) > 1:
            raise KeyboardInterrupt
        return x

    with pytest.raises(KeyboardInterrupt):
        st.jacobian_sparsity(f, np.ones(2))


@pytest.mark.parametrize(("owner", "name"), [(np, "zeros"), (np.vectorize, "__call__")])
def test_names_that_others_exchanged_are_respected(owner, name, monkeypatch):
    """Also after traces in which NumPy's own stood there, and again when it is put back."""
    real = vars(owner)[name]

    def f(x):
        return x * np.vectorize(lambda v: v + 1)(np.zeros(2))

    def theirs(*args, **kwargs):
        return real(*args, **kwargs)

    st.jacobian_sparsity(f, np.ones(2))
    monkeypatch.setattr(owner, name, theirs)
    found = Outside()
    st.jacobian_sparsity(lambda x: found.append(f(x)) or x, np.ones(2))
    assert found
    assert vars(owner)[name] is theirs
    monkeypatch.undo()
    st.jacobian_sparsity(f, np.ones(2))
    assert vars(owner)[name] is real


def test_what_others_put_in_place_of_a_name_is_called_in_a_trace(monkeypatch):
    real = np.zeros
    monkeypatch.setattr(np, "zeros", lambda *args, **kwargs: real(*args, **kwargs) + 1)
    assert st.jacobian_sparsity(lambda x: x * np.zeros(2), np.ones(2)).nnz == 2
    monkeypatch.undo()
    assert st.jacobian_sparsity(lambda x: x * np.zeros(2), np.ones(2)).nnz == 0


def test_a_module_first_imported_in_a_trace_keeps_no_wrapper(tmp_path, monkeypatch):
    (tmp_path / "imported_late.py").write_text("from numpy import zeros, asarray\n")
    monkeypatch.syspath_prepend(tmp_path)

    def f(x):
        late = importlib.import_module("imported_late")
        out = late.zeros(2)
        out[0] = late.asarray(x)[0]
        return out

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 1
    late = importlib.import_module("imported_late")
    assert late.zeros is np.zeros
    assert late.asarray is np.asarray


# ------------------------------------------------------------------ nested traces
def test_a_trace_inside_of_a_trace():
    def inner(y):
        out = np.zeros(2)
        out[0] = y[0] * y[1]
        return out

    def outer(x):
        before = np.zeros(2)
        pattern = st.jacobian_sparsity(inner, np.ones(2))
        assert pattern.nnz == 2
        before[0] = x[0]
        after = np.zeros(2)
        after[1] = x[1] * pattern.nnz
        return before + after

    assert_same_pattern(st.jacobian_sparsity(outer, np.ones(2)), np.eye(2))


def test_traces_do_not_mix():
    def outer(x):
        return st.jacobian_sparsity(lambda y: y * x, np.ones(2)).nnz * x

    with pytest.raises(st.TracingError, match="two different traces"):
        st.jacobian_sparsity(outer, np.ones(2))
    with pytest.raises(st.InputError, match="another trace"):
        st.jacobian_sparsity(lambda x: st.jacobian_sparsity(np.sin, x).nnz * x, np.ones(2))


def test_a_failed_trace_inside_of_a_trace_may_be_caught():
    def outer(x):
        try:
            st.jacobian_sparsity(lambda y: np.unique(y, axis=0), np.ones(2))
        except st.TracingError:
            return x[::-1]
        return x

    assert_same_pattern(st.jacobian_sparsity(outer, np.ones(2)), np.eye(2)[::-1])


# ------------------------------------------------------------------ threads
def bystander():
    """What a thread that traces nothing sees of NumPy."""
    made = [np.zeros(3), np.ones(2), np.empty(1), np.full(2, 1.0), np.asarray([1.0, 2.0]),
            np.array([1.0]), np.arange(3.0), np.linspace(0, 1, 3)]  # fmt: skip
    made[0][1] = 4.0
    types = {type(a) for a in made}
    types |= {type(sp.eye_array(2, format="csr") @ np.ones(2)), type(scipy.fft.fft(np.ones(4)))}
    return types, type(math.sin(1.0)), made[0].tolist(), max(1, 2), SESSION.get()


def test_a_bystanding_thread_sees_plain_numpy():
    inside, done = threading.Event(), threading.Event()
    results = []

    def f(x):
        out = np.zeros(2)
        out[0] = x[0]
        inside.set()
        assert done.wait(10)
        return out

    def other():
        assert inside.wait(10)
        results.append(bystander())
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 1
    thread.join()
    assert results == [({np.ndarray}, float, [0.0, 4.0, 0.0], 2, None)]


SOURCE = """
from numpy import zeros, asarray
from math import sqrt

def work(x, k):
    x = asarray(x)
    n = len(x)
    out = zeros(n)
    for i in range(n):
        out[i] = sqrt(x[(i + k) % n]) * max(x[i], 1.0) + float(x[i])
    if x[k] > 0:
        out[0] = out[0] + x[k]
    return out
"""


def test_eight_threads_each_with_its_own_function():
    n = 9
    scope = module_with(SOURCE)
    before = dict(scope)
    start = threading.Barrier(8)

    def one(k):
        start.wait()
        found = []
        for _ in range(6):
            found.append(st.jacobian_sparsity(lambda x: scope["work"](x, k), np.ones(n)).toarray())
        return found

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(one, range(8)))
    for k, patterns in enumerate(answers):
        expected = np.eye(n) + np.roll(np.eye(n), k, axis=1)
        expected[0, k] = 1
        for pattern in patterns:
            assert_array_equal(pattern, expected > 0)
    assert scope == before


def test_threads_while_others_come_and_go():
    stop = threading.Event()
    wrong = []

    def watcher():
        while not stop.is_set():
            seen = bystander()
            if seen != ({np.ndarray}, float, [0.0, 4.0, 0.0], 2, None):
                wrong.append(seen)

    thread = threading.Thread(target=watcher)
    thread.start()
    scope = module_with(EARLY)
    for _ in range(50):
        st.jacobian_sparsity(scope["f"], np.ones(2))
    stop.set()
    thread.join()
    assert not wrong


def test_tasks_of_an_event_loop():
    async def traced(k):
        await asyncio.sleep(0)
        pattern = st.jacobian_sparsity(lambda x: np.asarray(x)[k:] ** 2, np.ones(4))
        await asyncio.sleep(0)
        assert SESSION.get() is None
        in_a_thread = await asyncio.to_thread(
            st.jacobian_sparsity, lambda x: np.asarray(x)[k:] ** 2, np.ones(4)
        )
        assert type(np.zeros(2)) is np.ndarray
        return pattern.nnz, in_a_thread.nnz

    async def main():
        return await asyncio.gather(*map(traced, range(4)))

    assert asyncio.run(main()) == [(4, 4), (3, 3), (2, 2), (1, 1)]


# ------------------------------------------------------------------ what outlives a trace
def test_a_buffer_that_outlives_its_trace_is_an_array_of_numbers():
    kept = Outside()

    def f(x):
        kept.append(np.zeros(3))
        return x * kept[-1][0]

    st.jacobian_sparsity(f, np.ones(2))
    (buffer,) = kept
    buffer[1] = 2.0
    buffer.fill(buffer[1])
    buffer += np.arange(3)
    buffer.flat[0] = 7.0
    assert buffer.tolist() == [7.0, 3.0, 4.0]
    assert repr(buffer) == "array([7., 3., 4.])"
    assert np.linalg.norm(buffer) == pytest.approx(math.sqrt(74))
    assert isinstance(np.asarray(buffer), np.ndarray)
    assert np.concatenate([buffer, [1.0]]).sum() == 15.0


def test_a_buffer_that_is_kept_is_made_anew_in_each_run():
    kept = {}

    def f(x):
        work = kept.setdefault("work", np.zeros(2))
        work[0] = x[0]
        return work * 1.0

    for _ in range(2):
        assert st.jacobian_sparsity(f, np.ones(2)).nnz == 1
        assert not kept


def test_a_buffer_of_an_earlier_trace_takes_no_traced_values():
    kept = Outside()

    def f(x):
        if not len(kept):
            kept.append(np.zeros(2))
        kept[0][0] = x[0]
        return kept[0] * 1.0

    for _ in range(2):
        with pytest.raises(st.EscapeError, match="an assignment"):
            st.jacobian_sparsity(f, np.ones(2))
    assert kept[0].tolist() == [0.0, 0.0]


def test_a_traced_array_that_outlives_its_trace_is_refused_later():
    kept = Outside()

    def f(x):
        kept.append(x)
        return kept[0] * x

    st.jacobian_sparsity(f, np.ones(2))
    with pytest.raises(st.TracingError, match="an earlier run of the function left behind"):
        st.jacobian_sparsity(f, np.ones(2))


def test_a_debuggers_trace_function_is_put_back():
    def mine(frame, event, argument):
        return None

    def f(x):
        try:
            return x[0] * x[1]
        except ZeroDivisionError:
            return x[0]

    before = sys.gettrace()
    sys.settrace(mine)
    try:
        st.jacobian_sparsity(f, np.ones(2))
        assert sys.gettrace() is mine
    finally:
        sys.settrace(before)

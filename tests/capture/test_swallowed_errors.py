"""Which functions are watched for errors that they swallow."""

from __future__ import annotations

import concurrent.futures
import contextlib
import queue
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest
import scipy.linalg

import sparsetrace as st
from sparsetrace.capture.swallowed_errors import may_swallow
from sparsetrace.user_code.reach import reached


def escape(x):
    """Hands traced numbers to compiled code, which raises an error of its own."""
    return scipy.linalg.bandwidth(np.outer(x, x))


class Quiet:
    """A context that swallows every error."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


def plain(x):
    return x * 2


def entered(x):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return x * 2


def finished(x):
    for _ in range(2):
        try:
            y = x * 2
        finally:
            z = [1, 2]
            z.pop()
    return y


def nested(x):
    while True:
        with open("/dev/null") as file:
            try:
                return x * len(str(file))
            finally:
                print(end="")


def caught(x):
    try:
        return escape(x)
    except ValueError:
        raise


def caught_bare(x):
    try:
        return escape(x)
    except:  # noqa: E722
        return 0.0


def caught_inside(x):
    try:
        y = x * 2
    finally:
        with contextlib.suppress(Exception):
            escape(x)
    return y


def left_early(x):
    try:
        escape(x)
    finally:
        return x  # noqa: B012


def broken_off(x):
    for _ in range(2):
        try:
            escape(x)
        finally:
            break  # noqa: B012
    return x


def quiet(x):
    with np.errstate(all="ignore"), Quiet():
        escape(x)
    return x * 0


def quiet_by_another_name(x):
    errstate = Quiet
    with errstate():
        escape(x)
    return x * 0


def quiet_object(x):
    context = Quiet()
    with context:
        escape(x)
    return x * 0


async def asynchronous(x):
    with np.errstate(all="ignore"):
        async with x:
            escape(x)


def within(x):
    return [caught(y) for y in (x,)]


@pytest.mark.parametrize("function", [plain, entered, finished, nested])
def test_errors_pass(function):
    assert not may_swallow(reached([function]))


@pytest.mark.parametrize(
    "function",
    [
        *(caught, caught_bare, caught_inside, left_early, broken_off, quiet),
        *(quiet_by_another_name, quiet_object, asynchronous, within),
    ],
)
def test_errors_may_be_swallowed(function):
    assert may_swallow(reached([function]))


SWALLOWING = [caught_bare, left_early, broken_off, quiet, quiet_by_another_name, quiet_object]


@pytest.mark.parametrize("function", SWALLOWING)
def test_a_swallowed_escape_fails_the_trace(function):
    with pytest.raises(st.EscapeError, match="bandwidth"):
        st.jacobian_sparsity(function, np.ones(2))


def test_a_swallowed_error_of_a_library_fails_the_trace():
    def f(x):
        try:
            return escape(x)
        except Exception:
            return x[0]

    with pytest.raises(st.EscapeError):
        st.jacobian_sparsity(f, np.ones(2))


def test_errors_that_are_swallowed_keep_nothing_alive():
    """Arrays of frames that are over would be taken for arrays that somebody still holds."""
    alive = queue.SimpleQueue()

    def failing(x, made):
        local = x * 2
        made.append(weakref.ref(local))
        raise ValueError("no more")

    def f(x):
        made = []
        for _ in range(3):
            with contextlib.suppress(ValueError):
                failing(x, made)
            try:
                failing(x, made)
            except ValueError:
                continue
        alive.put([one() is not None for one in made])
        return x

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2
    assert alive.get() == [False] * 6


def test_what_watched_before_watches_again():
    def watcher(frame, event, argument):
        return None

    before = sys.gettrace()
    sys.settrace(watcher)
    try:
        with contextlib.suppress(st.EscapeError):
            st.jacobian_sparsity(caught_bare, np.ones(2))
        assert sys.gettrace() is watcher
    finally:
        sys.settrace(before)


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="since Python 3.12")
def test_a_trace_inside_a_trace_and_no_tool_left():
    def outer(x):
        try:
            return x * st.jacobian_sparsity(lambda y: y**2, np.ones(2)).nnz
        except ValueError:
            return x

    free = [n for n in range(6) if sys.monitoring.get_tool(n) is None]
    assert st.jacobian_sparsity(outer, np.ones(2)).nnz == 2
    assert [n for n in range(6) if sys.monitoring.get_tool(n) is None] == free
    for number in free:
        sys.monitoring.use_tool_id(number, "another")
    try:
        with pytest.raises(st.EscapeError, match="bandwidth"):
            st.jacobian_sparsity(caught_bare, np.ones(2))
    finally:
        for number in free:
            sys.monitoring.free_tool_id(number)


def test_many_threads_watch_at_once():
    start = threading.Barrier(12)

    def refused(_):
        start.wait()
        with pytest.raises(st.EscapeError, match="bandwidth"):
            st.jacobian_sparsity(caught_bare, np.ones(2))
        return True

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        assert all(pool.map(refused, range(12)))
    assert not hasattr(sys, "monitoring") or "sparsetrace" not in map(
        sys.monitoring.get_tool, range(6)
    )

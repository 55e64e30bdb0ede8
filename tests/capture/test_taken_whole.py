"""Calls with too many paths: all that they may read stands for what they return."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import math
import types
from typing import Any

import numpy as np
import pytest

import sparsetrace as st
from oracles import dense
from sparsetrace.capture import apart_functions, paths_apart

pytestmark = pytest.mark.usefixtures("seen_functions")


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """No patience with calls that may be taken as a whole."""
    monkeypatch.setattr(apart_functions, "_MOST_STEPS", 4000)
    monkeypatch.setattr(paths_apart, "_SPARED_RUNS", 0)


def found(f, a, b, *args):
    """A root between a and b, by steps that depend on one another (after Brent, 1973)."""
    before, here, fb, fh = a, b, f(a, *args), f(b, *args)
    other, fo, step, last = 0.0, 0.0, 0.0, 0.0
    if fb * fh > 0:
        raise ValueError("no sign change")
    for _ in range(60):
        if fb * fh < 0:
            other, fo = before, fb
            last = step = here - before
        if abs(fo) < abs(fh):
            before, here, other = here, other, here
            fb, fh, fo = fh, fo, fh
        half = 0.5 * (other - here)
        if fh == 0 or abs(half) < 1e-9:
            return here
        if abs(last) > 1e-9 and abs(fh) < abs(fb):
            trial = -fh * (here - before) / (fh - fb)
            if abs(2 * trial) < min(abs(last), 3 * abs(half)):
                last, step = step, trial
            else:
                last = step = half
        else:
            last = step = half
        before, fb = here, fh
        if abs(step) > 1e-9:
            here += step
        else:
            here += 1e-9
        fh = f(here, *args)
    raise ArithmeticError("it does not converge")


def jacobian(f, size=6):
    return dense(st.jacobian_sparsity(f, np.linspace(0.2, 0.9, size))).astype(int).tolist()


def test_each_call_depends_on_what_it_is_given():
    def f(x):
        roots = [found(lambda z, a: z**3 - a if z > 0.1 else z - a, 0.0, 5.0, v) for v in x]
        return np.array(roots) * x[0]

    assert np.array_equal(jacobian(f), np.eye(6, dtype=int) | (np.arange(6) == 0))


def test_a_whole_number_that_was_given_may_be_returned():
    def f(x):
        root = found(lambda z: z**3 - x[0] if z > 0.1 else z - x[1], 0, 5)
        return x[2] if isinstance(root, int) else root

    assert jacobian(f, 3) == [[1, 1, 1]]


def test_the_pattern_says_so():
    def f(x):
        return found(lambda z: z**3 - x[0] if z > 0.1 else z - x[1], 0.0, 5.0)

    pattern = st.jacobian_sparsity(f, np.ones(2))
    line = found.__code__.co_firstlineno
    assert pattern.taken_whole == (f"found at {__file__}:{line}",)
    assert st.jacobian_sparsity(np.sin, np.ones(2)).taken_whole == ()


def test_what_is_closed_over_and_attributes_count():
    model = types.SimpleNamespace()

    def f(x):
        box = types.SimpleNamespace(limits=[x[1], {"k": x[2]}])
        local = types.SimpleNamespace(k=x[3])

        def residual(z):
            if z > 0.3:
                return z**3 - x[0] - box.limits[1]["k"]
            return z - local.k

        return np.array([found(residual, -5.0, 5.0), model.scale * x[5]])

    model.scale = 2.0
    assert jacobian(f) == [[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]]  # x is held by the closure


class Shown:
    def __init__(self, limit):
        self.limit = limit

    def __repr__(self):
        return str(vars(self))  # which may be anything


def test_what_is_not_found_may_be_any_input():
    def f(x):
        shown = Shown(x[0])
        root = found(lambda z: z**3 - shown.limit if z > 0.1 else z - shown.limit, 0.0, 5.0)
        return np.array([root, x[2]])

    assert jacobian(f, 3) == [[1, 1, 1], [0, 0, 1]]


def test_products_of_all_of_it_are_in_the_hessian():
    def f(x):
        return (
            found(lambda z, a, b: z**3 - a * b if z > 0.1 else z - a, 0.0, 5.0, x[0], x[1]) + x[2]
        )

    wanted = np.zeros((4, 4), bool)
    wanted[:2, :2] = True
    assert np.array_equal(dense(st.hessian_sparsity(f, np.linspace(0.2, 0.8, 4))), wanted)


def handled(x):
    """Another number for each error that a path may raise."""
    try:
        return found(lambda z, a: z**3 - a if z > 0.1 else z - a, 0.0, 5.0, x[0])
    except ValueError:
        return x[1]
    except ArithmeticError:
        return x[2]


def handled_by_any(x):
    try:
        return found(lambda z, a: z**3 - a if z > 0.1 else z - a, 0.0, 5.0, x[0])
    except:  # noqa: E722
        return x[1] * x[3]


def handled_by_its_name(x):
    try:
        return found(lambda z, a: z**3 - a if z > 0.1 else z - a, 0.0, 5.0, x[0])
    except Exception as error:
        return x[1] if isinstance(error, ValueError) else x[2]


def handled_by_suppress(x):
    with contextlib.suppress(ValueError):
        return found(lambda z, a: z**3 - a if z > 0.1 else z - a, 0.0, 5.0, x[0])
    return x[1]


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (handled, [1, 1, 1, 0, 0, 0]),
        (handled_by_any, [1, 1, 0, 1, 0, 0]),
    ],
)
def test_errors_of_paths_that_are_not_run_are_handled(f, wanted):
    assert jacobian(f) == [wanted]


@pytest.mark.parametrize("f", [handled_by_its_name, handled_by_suppress])
def test_handlers_that_may_do_anything_are_refused(f):
    with pytest.raises(st.ValueDependentError, match="decision paths"):
        st.jacobian_sparsity(f, np.ones(3))


@pytest.mark.parametrize("result", ["None", "True", "[here]", "(here, here)"])
def test_a_call_that_may_return_something_else_is_refused(result):
    source = inspect.getsource(found)
    changed = source.replace('raise ArithmeticError("it does not converge")', f"return {result}")
    assert changed != source
    scope = {}
    exec(changed, scope)

    def f(x):
        root = scope["found"](lambda z: z**3 - x[0] if z > 0.1 else z - x[0], 0.0, 5.0)
        return root if isinstance(root, float) else x[1]

    with pytest.raises(st.ValueDependentError, match="decision paths"):
        st.jacobian_sparsity(f, np.ones(2))


def test_a_call_that_changes_something_is_refused():
    calls = []

    def f(x):
        def residual(z):
            calls.append(None)
            return z**3 - x[0] if z > 0.1 else z - x[1]

        return found(residual, 0.0, 5.0)

    with pytest.raises(st.ValueDependentError, match="decision paths"):
        st.jacobian_sparsity(f, np.ones(2))


def symmetric(x):
    if x < 0:
        return -symmetric(-x)
    return math.exp(-x * x)


def reflected(x, y):
    if x < 0.5:
        return y / reflected(1 - x, y)
    return math.exp(x) * y


def reduced(x, period):
    return reduced(x - period, period) if x > period else math.sin(x)


def last(x, y):
    return x if abs(y) < 1e-3 else last(y * x, y * 0.4)


def even(x, n):
    return x * n if x < 1 else odd(x - 1, n)


def odd(x, n):
    return x - n if x < 1 else even(x - 1, n)


def middle(f, a, b):
    m = 0.5 * (a + b)
    if abs(b - a) < 1e-9:
        return m
    return middle(f, a, m) if f(m) * f(a) < 0 else middle(f, m, b)


VARIABLE: contextvars.ContextVar[Any] = contextvars.ContextVar("VARIABLE", default=1.0)


def scaled(x):
    return scaled(-x) if x < 0 else math.exp(x) * VARIABLE.get()


def with_a_variable(x):
    VARIABLE.set(x[2])
    return scaled(x[0])


def guarded(x):
    try:
        return guarded(-x) if x < 0 else math.exp(x)
    except ZeroDivisionError:
        return x * 2


RECURSIONS = {
    "a variable": (with_a_variable, [[1, 0, 1, 0]]),
    "guarded": (lambda x: guarded(x[0]) * x[1], [[1, 1, 0, 0]]),
    "symmetric": (lambda x: symmetric(x[0]) * x[1], [[1, 1, 0, 0]]),
    "reflected": (lambda x: reflected(x[0], x[1]), [[1, 1, 0, 0]]),
    "reduced": (lambda x: reduced(x[0], x[1]), [[1, 1, 0, 0]]),
    "last": (lambda x: last(x[1], x[3]), [[0, 1, 0, 1]]),
    "even": (lambda x: even(x[0], x[2]), [[1, 0, 1, 0]]),
    "middle": (lambda x: middle(lambda t, c=x[3]: t * t - c, x[0], x[1] + 2), [[1, 1, 0, 1]]),
    "of each": (lambda x: np.array([symmetric(v) for v in x]), np.eye(4)),
}


WHOLE = {"guarded", "middle"}


@pytest.mark.parametrize("name", RECURSIONS)
def test_functions_that_call_themselves_after_a_branch(name):
    f, wanted = RECURSIONS[name]
    pattern = st.jacobian_sparsity(f, np.full(4, 0.7))
    np.testing.assert_array_equal(dense(pattern), wanted)
    assert bool(pattern.taken_whole) is (name in WHOLE)
    assert VARIABLE.get() == 1.0


def test_a_function_that_calls_itself_and_changes_something_is_refused():
    seen = []

    def f(x):
        seen.append(len(x))
        if x.sum() < 0:
            return f(-x)
        return np.sqrt(x)

    with pytest.raises(st.ValueDependentError, match="calls itself again and again"):
        st.jacobian_sparsity(f, np.ones(3))

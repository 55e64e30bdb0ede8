"""Functions that call themselves after a branch: the least fixed point of what they give.

The oracle is the union of the patterns at many points, where each call runs as it stands.
"""

from __future__ import annotations

import math
import types

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, dense, numerical_jacobian_pattern
from sparsetrace.capture import recursion

pytestmark = pytest.mark.usefixtures("seen_functions")
N = 4


@pytest.fixture
def answers(monkeypatch):
    """What calls of a function within itself were answered, by whether they had an answer."""
    found = []
    answer = recursion.Recursion.answer

    def noted(self, *given):
        result = answer(self, *given)
        found.append(result is not None)
        return result

    monkeypatch.setattr(recursion.Recursion, "answer", noted)
    return found


def points(n=N):
    rng = np.random.default_rng(5)
    for _ in range(150):
        yield rng.choice([-2.3, -0.7, 0.15, 0.45, 0.9, 1.6, 2.4], n) + rng.uniform(0, 0.1, n)


def at_many_points(take, f):
    return sum(dense(take(f, x, local=True)) for x in points()) > 0


def symmetric(v):
    return -symmetric(-v) * v if v < 0 else math.sin(v)


def reduced(v, period):
    return reduced(v - period * period - 1, period) + 1 if v > 1 else math.sin(v)


def turned(a, b, c):
    if a > 1:
        return turned(b, c, a - 1.5) * 2
    return a * b


def even(a, b):
    return a * b if a < 0.5 else odd(a - 1, b)


def odd(a, b):
    return a + b if a < 0.5 else even(a - 1, b)


def pair(a, b):
    if a > b:
        return a, b * b
    p, q = pair(b + 1, a)
    return q, p


def swapped(a, b):
    return a if a < 1 else swapped(b - 1, a)


def newton(v, a):
    new = v - (v * v - a) / (2 * v)
    return new if abs(new - v) < 1e-9 else newton(new, a)


def arrays(x, a):
    new = 0.5 * (x + a * a / x)
    return new if np.abs(new - x).max() < 1e-9 else arrays(new, a)


def mirrored(x):
    return mirrored(np.abs(x[::-1])) * 2.0 if x[0] < 0 else np.sqrt(x * x)


def twice(v):
    if v > 1:
        return twice(v - 1) + twice(v / 2)
    return v * v


def refusing(v):
    if v < -4:
        raise ValueError("too small")
    return refusing(v - 1) if v > 1 else math.exp(v)


def three_ways(a, b):
    if a > 2:
        return three_ways(a - 1, b)
    if a > 1:
        return three_ways(b, a - 1)
    return None if a < -2 else a * a


class Model:
    def __init__(self, scale):
        self.scale = scale

    def folded(self, v):
        return self.folded(v - self.scale**2 - 1) if v > 1 else v * self.scale


def nested(v, c):
    def inner(t):
        return inner(t - c * c - 1) if t > 1 else t * c

    return inner(v)


def by_another(v):
    return v if v < 1 else apply(by_another, v)


def apply(g, v):
    return g(v - 1) * v


def through_a_lambda(v):
    return v if v < 1 else (lambda t: through_a_lambda(t - 1))(v) * v


def with_a_number(v, k=2.0):
    return v * k if v < 1 else with_a_number(v - 1, 3.0)


JACOBIANS = {
    "symmetric": lambda x: [symmetric(v) for v in x],
    "reduced": lambda x: [reduced(x[0], x[1]), reduced(x[2], x[2])],
    "turned": lambda x: [turned(x[0], x[1], x[2]), x[3]],
    "mutual": lambda x: [even(x[0], x[1]), odd(x[2], x[3])],
    "pair": lambda x: [*pair(x[0], x[1]), *pair(x[2], x[3])],
    "swapped": lambda x: swapped(x[0], x[1]),
    "the same twice": lambda x: swapped(x[0], x[0]),
    "twice": lambda x: [twice(v) for v in x],
    "refusing": lambda x: [refusing(v) for v in x],
    "mirrored": lambda x: mirrored(x),
    "method": lambda x: [Model(x[0]).folded(x[1]), Model(2.0).folded(x[2])],
    "nested": lambda x: [nested(x[0], x[1]), nested(x[2], 1.0)],
    "by another": lambda x: [by_another(v) for v in x],
    "lambda": lambda x: [through_a_lambda(v) for v in x],
    "with a number": lambda x: [with_a_number(v) for v in x],
}


@pytest.mark.parametrize("name", JACOBIANS)
def test_they_give_what_all_points_give(name, answers):
    f = JACOBIANS[name]
    wanted = at_many_points(st.jacobian_sparsity, lambda x: np.array(f(x)))
    pattern = st.jacobian_sparsity(lambda x: np.array(f(x)), np.full(N, 0.7))
    assert any(answers)
    assert not pattern.taken_whole
    assert_same_pattern(pattern, wanted)


@pytest.mark.parametrize("name", JACOBIANS)
def test_so_do_their_hessians(name, answers):
    def total(x):
        return sum(v * (i + 1.5) for i, v in enumerate(JACOBIANS[name](x)))

    f = total if name not in ("swapped", "the same twice") else JACOBIANS[name]
    wanted = at_many_points(st.hessian_sparsity, f)
    assert_same_pattern(st.hessian_sparsity(f, np.full(N, 0.7)), wanted)
    assert any(answers)


@pytest.mark.parametrize("name", JACOBIANS)
def test_plain_calls_find_no_entry_beside_them(name):
    def f(x):
        return np.array(JACOBIANS[name](x))

    pattern = st.jacobian_sparsity(f, np.full(N, 0.7))
    found = numerical_jacobian_pattern(f, np.full(N, 0.7), points=12, low=-2.0, high=2.0)
    assert_covers(pattern, found)


SOLVERS = {
    "a number from a constant": (lambda x: [newton(1.0, v) for v in x], np.eye(N)),
    "a number": (lambda x: newton(x[0], x[1]), [[1, 1, 0, 0]]),
    "arrays from constants": (lambda x: arrays(np.ones(N), x), np.eye(N)),
    "arrays": (lambda x: arrays(x[::-1], x), np.eye(N) + np.eye(N)[::-1]),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_that_call_themselves_with_the_next_iterate(name, answers):
    f, wanted = SOLVERS[name]
    pattern = st.jacobian_sparsity(f, np.full(N, 0.7))
    np.testing.assert_array_equal(dense(pattern), wanted)
    assert any(answers)


def test_results_of_other_kinds_are_gone_on_with_one_by_one(answers):
    def f(x):
        value = three_ways(x[0], x[1])
        return x[2] if value is None else value

    pattern = st.jacobian_sparsity(f, np.full(N, 0.7))
    np.testing.assert_array_equal(dense(pattern), [[1, 1, 1, 0]])
    assert any(answers)


def test_what_a_mask_picks_is_handed_on(answers):
    def gamma(s, x):
        if s < 0:
            return (gamma(s + 1, x) - x**s) / s
        return np.exp(s) * np.sin(x) if s > 1 else np.cos(x)

    def f(x):
        out = np.zeros(3)
        mask = x[1:] > 0.3
        out[mask] = gamma(x[0], x[1:][mask])
        return out

    pattern = st.jacobian_sparsity(f, np.full(4, 0.7))
    np.testing.assert_array_equal(dense(pattern), np.c_[np.ones(3), np.eye(3)])
    assert any(answers)


def checked(f, answers, *, expected=False):
    """Whatever way is gone, no dependency is lost, or an error says so."""
    wanted = at_many_points(st.jacobian_sparsity, f)
    answers.clear()
    try:
        found = dense(st.jacobian_sparsity(f, np.full(N, 0.7)))
    except st.TracingError:
        found = np.ones(wanted.shape, bool)
    assert_covers(found, wanted)
    assert any(answers) is expected


STATE = types.SimpleNamespace(last=0.0)
ITEMS = []


def keeping(v):
    STATE.last = v
    return keeping(v - 1) if v > 1 else v


def listing(v):
    ITEMS.append(v)
    return listing(v - 1) if v > 1 else v


def filling(v, out):
    out[0] = out[0] + v
    return filling(v - 1, out) if v > 1 else v


def counting(v, seen):
    seen["n"] = seen.get("n", 0) + 1
    return counting(v - 1, seen) if v > 1 else v * seen["n"]


def f_filling(x):
    out = np.zeros(1)
    return np.array([filling(x[0], out), out[0] * x[1]])


def f_listing(x):
    ITEMS.clear()
    return np.array([listing(x[0]) * x[1], sum(ITEMS)])


def f_keeping(x):
    return np.array([keeping(x[0]) * x[1], STATE.last * x[2]])


def f_closing(x):
    last = x[3]

    def inner(v):
        nonlocal last
        last = last * v
        return inner(v - 1) if v > 1 else v

    return np.array([inner(x[0]), last])


CHANGING = {
    "attribute": f_keeping,
    "list": f_listing,
    "array": f_filling,
    "dict": lambda x: np.array([counting(v, {}) for v in x]),
    "variable": f_closing,
}


@pytest.mark.parametrize("name", CHANGING)
def test_calls_that_change_something_are_run(name, answers):
    checked(CHANGING[name], answers)


def guarded(v, w):
    try:
        return guarded(v - 1, w) if v > 1 else risky(v)
    except ZeroDivisionError:
        return w


def risky(v):
    return math.log(1 / v) if v > 0.3 else 1 / v


def test_calls_whose_errors_the_function_handles_are_run(answers):
    checked(lambda x: np.array([guarded(x[0], x[1]), x[2]]), answers)


def by_depth(v, depth):
    return v if v < 1 or depth == 0 else by_depth(v - 1, depth - 1) * v


@pytest.mark.parametrize("depth", [1, 3, 8])
def test_other_constants_make_other_calls(depth, answers):
    checked(lambda x: np.array([by_depth(v, depth) for v in x]), answers)


def same(a, b):
    return same(a + 1.5, b) if a is not b and a < 1 else b


def test_what_is_told_by_identity_is_run(answers):
    checked(lambda x: np.array([same(x[0], x[1]), x[2]]), answers)


def test_a_function_without_an_end_is_refused():
    def endless(v):
        return endless(v - 1) if v > 0 else endless(v + 1)

    with pytest.raises((st.TracingError, RecursionError)):
        st.jacobian_sparsity(lambda x: [endless(v) for v in x], np.ones(2))


def halved(a, b, c):
    m = 0.5 * (a + b)
    if b - a < 1e-12:
        return m
    return halved(a, m, c) if m * m > c else halved(m, b, c)


def test_a_search_that_halves_an_interval_depends_on_what_it_compares():
    pattern = st.jacobian_sparsity(lambda x: [halved(0.0, 3.0, v) for v in x], np.full(3, 0.7))
    np.testing.assert_array_equal(dense(pattern), np.eye(3))
    assert pattern.taken_whole

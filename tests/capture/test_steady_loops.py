"""Loops whose turns change nothing any more: the pattern is that of all turns."""

import functools
import random
import time
from typing import NamedTuple

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.capture import steady_loops
from sparsetrace.tracing import long_loops

START = np.array([0.3, 0.7, 1.1, 0.5])
TURNED = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
TURNS = 42
MEMORY = {"last": 1.0}
SEEN = []


class Tank:
    def __init__(self, level):
        self.level, self.kept = level, []

    def fill(self, more):
        self.level = self.level + more


def mixed(a, b):
    result = np.copy(a)
    result[0] += b[1]
    return result


def lorenz(x):
    state = x[:3]
    for _ in range(TURNS):
        state = state + 0.01 * (x[3] * state[[1, 2, 0]] * state[[2, 0, 1]] - np.sin(state))
    return state


def in_place(x):
    u = x.copy()
    for _ in range(TURNS):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def in_place_of_an_argument(x):
    x = x.copy()
    for _ in range(TURNS):
        x[1:] += x[:-1] * 0.5
    return x


def in_a_buffer(x):
    u = np.zeros(4)
    u[0] = x[1]
    for _ in range(TURNS):
        u[1:] = np.sin(u[:-1]) + x[1:]
    return u


def reversed_each_time(x):
    a, b = x[:2], x[2:]
    for _ in range(TURNS):
        a = a[::-1] * a
    for _ in range(TURNS + 1):
        b = b[::-1] * b[:1]
    return np.concatenate([a, b])


def taking_turns(x):
    old, new = x[:2], x[2:] * 1.0
    for _ in range(TURNS + 1):
        new, old = old * x[:2], new + x[2]
    return np.concatenate([old, new])


def numbers(x):
    a, b = float(x[0]), x[1]
    for _ in range(TURNS):
        a, b = a * 0.5 + b, b * b
    return np.array([a, b])


def items(x):
    parts = [x[0], x[1]]
    table = {"k": x[2]}
    for _ in range(TURNS):
        parts[0] = parts[1] * parts[0]
        table["k"] = table["k"] * parts[0]
    return np.array([*parts, table["k"]])


def nested(x):
    y = x * 1.0
    for _ in range(TURNS):
        for _ in range(9):
            y = y + 0.1 * np.roll(y, 1) ** 2
    return y


def helper(x):
    a, b = x[:2] * 1.0, x[2:]
    for _ in range(TURNS):
        a = mixed(a, b)
    return a


def number_read_later(x):
    y = x * 1.0
    for last in range(TURNS):  # noqa: B007 - read after the loop
        y = np.cos(y) + x[0]
    return y * (last == TURNS - 1)


def with_an_else(x):
    y = x * 1.0
    for _ in range(TURNS):
        y = np.cos(y) + x[1]
    else:
        y = y + x[0]
    return y


WRAPPED = functools.wraps(lorenz)(lambda *arguments, **options: lorenz(*arguments, **options))
STEADY = [
    *(lorenz, in_place, in_place_of_an_argument, in_a_buffer, reversed_each_time, taking_turns),
    *(numbers, items, nested, helper, number_read_later, with_an_else, WRAPPED),
]


# -------------------------------------------------- turns that are not like those before
def by_the_number(x):
    y = x * 0.0
    for i in range(TURNS):
        y = y + x[i % 4] * (i == TURNS - 2)
    return y


def after_a_time(x):
    y, t = x * 1.0, 0.0
    for _ in range(TURNS):
        t += 0.1
        y = np.roll(y, 1) * x[0] if t > 4.0 else np.sin(y)
    return y


def counted(x):
    y, n = x[1:] * 1.0, 2
    for _ in range(TURNS):
        n = n + 1
        y = y * x[0] if n == TURNS - 1 else y * 2.0
    return y


def counted_in_a_list(x):
    y, n = x[1:] * 1.0, [0]
    for _ in range(TURNS):
        n[0] += 1
        y = y * x[0] if n[0] == TURNS - 1 else y * 2.0
    return y


def counted_in_an_array(x):
    y, n = x[1:] * 1.0, np.zeros(2)
    for _ in range(TURNS):
        n[1] += 1
        y = y * x[0] if n[1] == TURNS - 1 else y * 2.0
    return y


def counted_elsewhere(x):
    SEEN.clear()
    y = x[1:] * 1.0
    for _ in range(TURNS):
        SEEN.append(1)
        y = y * x[0] if len(SEEN) == TURNS - 1 else y * 2.0
    return y


def counted_by_an_object(x):
    y, tank = x[1:] * 1.0, Tank(0)
    for _ in range(TURNS):
        tank.fill(1)
        y = y * x[0] if tank.level == TURNS - 1 else y * 2.0
    return y


def counted_by_an_iterator(x):
    y, weights = x[1:] * 1.0, iter([1.0] * (TURNS - 1) + [0.0])
    for _ in range(TURNS):
        y = y * 2.0 + next(weights) * x[0]
    return y


def counted_in_a_closure(x):
    n = 0

    def more(y):
        nonlocal n
        n += 1
        return y * x[0] if n == TURNS - 1 else y * 2.0

    y = x[1:] * 1.0
    for _ in range(TURNS):
        y = more(y)
    return y


def fading(x):
    y, weight = x[1:] * 1.0, np.array([1.0, 1.0, 1.0])
    for _ in range(TURNS):
        weight = np.maximum(weight - 0.025, 0.0)
        y = x[1:] * weight
    return y


def remembered_elsewhere(x):
    MEMORY["last"] = 1.0
    y = x[1:] * 1.0
    for _ in range(TURNS):
        y, MEMORY["last"] = np.sin(y), y[0] + MEMORY["last"]
    return y * MEMORY["last"]


def kept(x):
    y, history = x[:2], []
    for _ in range(6):
        y = y * 2.0
        history.append(y)
    return np.array(history).ravel()


def drawn(x):
    rng = random.Random(3)
    y = x[1:] * 1.0
    for _ in range(TURNS):
        y = y * x[0] if rng.random() < 0.01 else y * 2.0
    return y


def given_away(x):
    def turns():
        y = x * 1.0
        for _ in range(TURNS):
            y = np.sin(y)
            yield y

    return np.array([y[k % 4] for k, y in enumerate(turns())])


def broken_off(x):
    y, t = x[1:] * 1.0, 0
    for _ in range(TURNS):
        t = t + 1
        if t == 30:
            y = y * x[0]
            break
        y = np.sin(y)
    return y


def by_three(x):
    a, b, c = x[0], x[1], x[2]
    for _ in range(TURNS):
        a, b, c = b * 2.0, c * 2.0, a * 2.0
    return np.array([a, b, c])


def in_a_comprehension(x):
    y = x[0] + x[1]
    return np.array([y * y + x[2] for _ in range(TURNS)])


def shifted(x):
    line = np.zeros(TURNS - 4)
    y = x[0]
    for _ in range(TURNS):
        line[1:] = line[:-1].copy()
        line[0] = y
        y = y * 0.5 + line[-1] * x[1]
    return np.array([y, line[0]])


def decided(x):
    y = x[0] * 1.0
    for _ in range(6):
        if y > x[1]:
            y = y * x[2]
    return y * x[:2]


OTHERS = [
    *(by_the_number, after_a_time, counted, counted_in_a_list, counted_in_an_array),
    *(counted_elsewhere, counted_by_an_object, counted_by_an_iterator, counted_in_a_closure),
    *(
        in_a_comprehension,
        fading,
        remembered_elsewhere,
        kept,
        drawn,
        given_away,
        broken_off,
        by_three,
        shifted,
    ),
    decided,
]


# ------------------------------- what others hold too, or what tells itself apart from its equals
def exchanged(first, second, x):
    for _ in range(TURNS):
        first, second = second, first
        np.sin(np.outer(first, x))
    return first


def of_two_arrays_of_the_caller(x):
    left, right = np.zeros(2), np.zeros(2)
    left[:] = right[:] = x[0]
    exchanged(left, right, x)[0] = x[3]
    return np.concatenate([left, right])


def in_a_function_with_a_closure(x):
    rows = np.zeros((2, 2))
    rows[:] = x[0]

    def last():
        old, new = rows
        for _ in range(TURNS):
            old, new = new, old
            np.sin(np.outer(old, x))
        return old

    last()[:] = x[2]
    return rows.reshape(-1)


class Ring:
    def __init__(self, value, after=None):
        self.value, self.after = value, after or self


def walked(node, x):
    for _ in range(TURNS):
        node = node.after
        np.sin(np.outer(x, x))
    return node


def of_two_objects_of_the_caller(x):
    first = Ring(x[0])
    first.after = second = Ring(x[0] * 2, first)
    walked(first, x).value = x[3]
    return np.array([first.value, second.value])


def of_truths_that_were_one(x):
    y = np.sin(x[:3])
    above = [y[0] > 0.5] * 8
    for _ in range(TURNS):
        y = np.sin(y + 1) + np.roll(y, 1)
        above = [*above[1:], y[0] > 0.5]
    return (x[3] if above[0] else 0.0) * (0.0 if above[1] else x[3])


def of_numbers_that_were_one(x):
    y = x * 1.0
    line = [np.sin(x[0])] * 8
    for _ in range(TURNS):
        y = np.sin(y + 1) + np.roll(y, 1)
        line = [*line[1:], np.cos(5 * line[-1])]
    return (x[3] if line[0] > 0.5 else 0.0) * (0.0 if line[1] > 0.5 else x[3])


class Step(NamedTuple):
    count: int
    value: float

    def __repr__(self):
        return "a step"


def counted_in_a_tuple_that_does_not_show_it(x):
    step = Step(0, x[0])
    for _ in range(TURNS):
        step = Step(step.count + 1, step.value * 2.0)
        np.sin(np.outer(x, x))
    return x[1:] * (step.count == TURNS)


class Count(int):
    def __repr__(self):
        return "a count"

    def __add__(self, other):
        return Count(int(self) + other)


def counted_in_a_number_that_does_not_show_it(x):
    count, y = Count(0), x * 1.0
    for _ in range(TURNS):
        count = count + 1
        y = np.sin(y) + np.roll(y, 1)
    return y * (count == TURNS)


TOLD_APART = [
    *(of_two_arrays_of_the_caller, in_a_function_with_a_closure, of_two_objects_of_the_caller),
    *(of_truths_that_were_one, of_numbers_that_were_one),
    *(counted_in_a_tuple_that_does_not_show_it, counted_in_a_number_that_does_not_show_it),
]


@pytest.fixture
def left_out(monkeypatch):
    """How often turns were left out, of loops however short and quick."""
    found = []
    monkeypatch.setattr(long_loops, "_SCALARS", 16)
    monkeypatch.setattr(long_loops, "_FIRST", 50)
    monkeypatch.setattr(steady_loops, "_GAIN", 0)
    monkeypatch.setattr(steady_loops, "_KNOWN", {})
    original = steady_loops._Watch.leave_out

    def leave_out(self, periods):
        found.append(periods)
        original(self, periods)

    monkeypatch.setattr(steady_loops._Watch, "leave_out", leave_out)
    return found


def with_all_turns(detect, f):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_loops, "rebind_range", lambda scope: False)
        patch.setattr(steady_loops, "_KNOWN", {})
        return detect(f, START).toarray()


def squared(f):
    return lambda x: np.sum(f(x) ** 2)


@pytest.mark.parametrize("f", STEADY + OTHERS, ids=lambda f: f.__name__)
def test_the_pattern_is_that_of_all_turns(f, left_out):
    for again in range(2):  # by now its loops are known
        pattern = st.jacobian_sparsity(f, START).toarray()
        assert bool(left_out) == (f in STEADY), again
        assert np.array_equal(pattern, with_all_turns(st.jacobian_sparsity, f))
        left_out.clear()


@pytest.mark.parametrize("f", STEADY + OTHERS, ids=lambda f: f.__name__)
def test_so_is_that_of_the_hessian(f, left_out):
    pattern = st.hessian_sparsity(squared(f), START).toarray()
    assert f in STEADY or not left_out
    assert np.array_equal(pattern, with_all_turns(st.hessian_sparsity, squared(f)))


@pytest.mark.parametrize("turns", [TURNS, TURNS + 1])
@pytest.mark.parametrize("f", TOLD_APART, ids=lambda f: f.__name__)
@pytest.mark.usefixtures("left_out")
def test_what_is_told_apart_after_the_loop_is_what_all_turns_leave(f, turns, monkeypatch):
    monkeypatch.setitem(globals(), "TURNS", turns)
    for detect in (st.jacobian_sparsity, st.lagrangian_hessian_sparsity):
        assert np.array_equal(detect(f, START).toarray(), with_all_turns(detect, f))


def two_steps(x):
    old, new = x * 1.0, x * 2.0
    for _ in range(TURNS):
        old, new = new, 2 * new - old + np.sin(np.roll(new, 1))
    return new


def test_arrays_that_are_carried_on_for_a_turn_are_no_others(left_out):
    assert st.jacobian_sparsity(two_steps, START).nnz == 16
    assert left_out


@pytest.mark.parametrize("f", STEADY, ids=lambda f: f.__name__)
def test_so_it_is_at_a_point_where_all_turns_are_made(f, left_out):
    pattern = st.jacobian_sparsity(f, START, local=True).toarray()
    assert not left_out
    assert not (pattern & ~st.jacobian_sparsity(f, START).toarray()).any()


def test_a_loop_of_a_million_turns_takes_no_time():
    def f(x):
        for _ in range(1_000_000):
            x = x + 0.01 * (x[[1, 2, 0]] * x[[2, 0, 1]] - np.sin(x))
        return x

    begun = time.perf_counter()
    assert st.jacobian_sparsity(f, START[:3], verify=False).nnz == 9
    assert time.perf_counter() - begun < 10  # of all turns it would be twenty


def test_what_is_compared_in_turns_that_are_left_out_is_counted(left_out):
    def root(a):
        low, high = np.zeros(2), np.full(2, 3.0)
        for _ in range(50):
            middle = (low + high) / 2
            is_above = middle**3 > a[0]
            low, high = np.where(is_above, low, middle), np.where(is_above, middle, high)
            unused = a * a[::-1]
        return middle + 0 * unused

    assert st.jacobian_sparsity(root, np.ones(2)).nnz == 2
    assert left_out


def test_range_is_what_it_was_afterwards(left_out):
    st.jacobian_sparsity(lorenz, START)
    assert left_out
    assert "range" not in globals()


ASKING = """
def asking(x):
    numbers = range(3)
    y = x * (1.0 if type(numbers) is range else x[0])
    for _ in range(TURNS):
        y = np.sin(y) + x
    return y
"""


def test_a_module_that_asks_for_the_type_keeps_its_name(left_out):
    scope = {"np": np, "TURNS": TURNS, "__name__": "asking"}
    exec(ASKING, scope)
    assert st.jacobian_sparsity(scope["asking"], START).nnz == 4
    assert not left_out

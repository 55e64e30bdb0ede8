"""Arrays in lists and dictionaries, written in place on one path and replaced on another.

There are so many branches that each is run apart: what its paths have left is united.
"""

from __future__ import annotations

import numpy as np
import pytest

from cases import kept_writes
from oracles import dense, jacobian_pattern_at
from sparsetrace import TracingError, jacobian_sparsity
from sparsetrace.capture.apart_writes import WHOLE, Writes, any_share_memory

P = np.array([0.6, 0.7, 1.2, 0.4, 0.9, 1.1, 0.8, 0.3, 0.5, 0.9])
Q = -P[::-1]
R = P * np.resize([1.0, -1.0, 1.0], 10)


def an_item_and_nothing_else(x):
    rows = [np.zeros(2)]
    for i in range(9):
        if x[i] > 0:
            rows[0][0] += x[i]
        else:
            rows[0] = rows[0] + x[i + 1]
    return rows


def one_array_at_three_places(x):
    rows = [np.zeros(2)] * 3
    for i in range(9):
        if x[i] > 0:
            rows[i % 3][0] += x[i]
        else:
            rows[i % 3] = rows[i % 3] + x[i + 1]
    return rows


def an_item_that_a_name_holds_too(x):
    rows = [np.zeros(2)]
    first = rows[0]
    for i in range(9):
        if x[i] > 0:
            rows[0] = rows[0] + x[i]
        rows[0][1] = x[i + 1]
    return rows, first


def an_item_of_which_there_is_a_view(x):
    rows = {"a": np.zeros(2)}
    lists = [np.zeros(2)]
    seen = rows["a"][1:], lists[0][1:]
    for i in range(9):
        if x[i] > 0:
            rows["a"] = rows["a"] + x[i]
            lists[0] = lists[0] + x[i]
        rows["a"][1] = lists[0][1] = x[i + 1]
    return rows["a"], lists, seen


def items_that_change_places(x):
    rows = [np.zeros(2), np.zeros(2)]
    for i in range(9):
        if x[i] > 0:
            rows[0][0] += x[i]
        else:
            rows[0], rows[1] = rows[1], rows[0]
        rows[1][1] = x[i + 1] * rows[0][0]
    return rows


def lists_within_a_list(x):
    rows = [[0.0, 1.0]] * 2
    for i in range(9):
        if x[i] > 0:
            rows[0][0] += x[i]
        else:
            rows[0] = [v + x[i + 1] for v in rows[1]]
        rows[1][1] = rows[0][0]
    return rows


@pytest.mark.parametrize(
    "f",
    [
        an_item_and_nothing_else,
        one_array_at_three_places,
        an_item_that_a_name_holds_too,
        an_item_of_which_there_is_a_view,
        items_that_change_places,
        lists_within_a_list,
    ],
)
def test_what_is_written_in_place_is_seen_wherever_it_is_held(f, seen_functions):
    found = dense(jacobian_sparsity(f, P, verify=False))
    for x in (P, Q, R):
        missing = jacobian_pattern_at(f, x) & ~found
        assert not missing.any(), np.argwhere(missing).tolist()


@pytest.mark.parametrize("loop", kept_writes.LOOPS)
def test_what_cannot_be_undone_is_done_once(loop):
    def f(x, goes_on=lambda k, x: x[0] * 0.9**k > 0.1):
        given = loop(x, goes_on)
        total = 0.0
        for i in range(12):  # 4,096 paths: the loop is a piece, too
            if x[i % 4] * i > 0.3 * x[0]:
                total = x[i % 4]
        return *given, total

    expected = [
        dense(jacobian_sparsity(lambda x: f(x, lambda k, x: k < turns), np.ones(4)))  # noqa: B023
        for turns in range(6)
    ]
    assert np.array_equal(dense(jacobian_sparsity(f, np.ones(4))), np.any(expected, axis=0))


def a_row_that_each_path_takes(x):
    rows = np.zeros((2, 2))
    for i in range(2):
        if x[i] > x[3]:
            rows[0] += x[3]
    if x[0] * x[1] > x[1]:
        rows[0][1] = x[0]
    else:
        rows[0][1] = x[1]
    return rows


def a_view_or_the_array(x):
    row = np.zeros(3)
    for i in range(2):
        if x[i] > x[3]:
            row[2] += x[3]
    if x[0] * x[1] > x[1]:
        row[:2][1] = x[0]
    else:
        row[1] = x[1]
    return row


def an_expression_in_a_row(x):
    rows = np.zeros((2, 2))
    first, second = not x[3] > x[2], not x[3] > x[1]
    rows[0][1] = max(x[:2], key=lambda v: v * x[1])
    return rows if first or second else rows * x[3]


@pytest.mark.parametrize("max_paths", [3, 4, 6, 12])
@pytest.mark.parametrize(
    "f", [a_row_that_each_path_takes, a_view_or_the_array, an_expression_in_a_row]
)
def test_views_that_paths_make_show_the_same_elements(f, max_paths):
    try:
        found = dense(jacobian_sparsity(f, np.ones(4), verify=False, max_paths=max_paths))
    except TracingError:
        assert max_paths < 12
        return
    rng = np.random.default_rng(0)
    for x in rng.uniform(-2, 2, (40, 4)):
        missing = jacobian_pattern_at(f, x) & ~found
        assert not missing.any(), np.argwhere(missing).tolist()


def copied_or_put(x):
    y = np.zeros(10)
    for i in range(10):
        if x[i] > x[9]:
            np.copyto(y[2:], x[i], where=y[2:] > x[8])
        else:
            np.put(y, [i], x[7])
    return y


def filled_or_placed(x):
    m = np.eye(3)
    for i in range(9):
        if x[i] > x[9]:
            np.fill_diagonal(m, x[i])
        elif x[i] > x[8]:
            np.place(m, m > 0, x[i : i + 1])
        else:
            np.putmask(m, m < x[i], m * x[7])
    return m


class Field:
    def __init__(self):
        self.work = np.zeros(4)

    def step(self, v, w):
        if v > w:
            np.copyto(self.work, v)
        else:
            np.put_along_axis(self.work, np.array([1]), w, 0)


def filled_by_a_method(x):
    field = Field()
    for i in range(9):
        field.step(x[i], x[9])
    return field.work


class Table:
    def __init__(self):
        self.value = 0.0

    def put(self, v, w):
        self.value = v * w


def put_by_a_method(x):
    table = Table()
    for i in range(9):
        if x[i] > x[9]:
            table.put(x[i], x[9])
    return table.value


@pytest.mark.parametrize(
    "f", [copied_or_put, filled_or_placed, filled_by_a_method, put_by_a_method]
)
def test_arrays_that_functions_of_numpys_fill_by_branches(f):
    found = dense(jacobian_sparsity(f, P, verify=False, max_paths=64))
    rng = np.random.default_rng(1)
    for x in rng.uniform(-2, 2, (40, 10)):
        missing = jacobian_pattern_at(f, x) & ~found
        assert not missing.any(), np.argwhere(missing).tolist()


def with_a_history(x):
    """Errors of the turns, in an array of as many as there may be."""
    y, errors = x[:4], np.zeros(150)
    for i in range(150):
        new = np.tanh(y + x[4:8])
        errors[i] = np.abs(new - y)[i % 4]
        if errors[i] < 1e-6:
            break
        y = new
    return errors


def with_two_places_a_turn(x):
    """Elements that are written by some turns, and over those of others, on some paths."""
    left = np.full(40, x[9])
    for i in range(40):
        if x[i % 8] > 0:
            left[i] = x[i % 8]
        else:
            left[39 - i] += x[(i + 1) % 8]
        if left[i] * x[8] < -5.0:
            break
    return left


def read_back(x):
    """Elements that later turns read, once there are many."""
    sums = np.zeros((6, 5))
    for i in range(30):
        sums.flat[i] = sums.flat[i - 1] * x[i % 10]
        sums[i // 5, i % 5] += x[i % 3]
        if sums[i // 5, i % 5] > 1e3:
            return sums
    return sums * x[9]


@pytest.mark.parametrize("f", [with_a_history, with_two_places_a_turn, read_back])
def test_an_array_of_which_many_elements_are_written(f):
    pattern = dense(jacobian_sparsity(f, P))
    for x in (P, Q, R):
        assert not (jacobian_pattern_at(f, x) & ~pattern).any()
    if f is with_a_history:
        expected = np.zeros((150, 10), bool)
        for i, row in enumerate(expected):
            row[[i % 4, 4 + i % 4]] = True
        assert np.array_equal(pattern, expected)


def test_what_was_there_comes_back_however_many_elements_are_written():
    def f(x):
        y = x * 1.0
        writes, own = Writes(None), [int(i) for i in y[:25]._ids]
        for i in range(25):
            writes.note(y, i)
            y[i] = x[(i + 7) % 30] * x[0]
        assert {key for _, key in writes.before} == {WHOLE}
        now = writes.now()[id(y), WHOLE]
        writes.note(y, slice(2, 9))
        y[2:9] = 0.0
        writes.undo()
        assert [int(i) for i in y[:25]._ids] == own
        return now

    pattern = dense(jacobian_sparsity(f, np.ones(30)))
    assert np.array_equal(pattern[25:], np.eye(30, dtype=bool)[25:])
    assert pattern[3].tolist() == [at in (0, 10) for at in range(30)]


@pytest.mark.parametrize("seed", range(20))
def test_whether_any_arrays_share_memory_is_told_as_of_each_pair(seed):
    rng = np.random.default_rng(seed)
    memory = np.zeros((6, 40))
    arrays = [np.ones(3), np.empty(0), memory[0, :0]]
    for begin in rng.integers(0, 40, rng.integers(0, 9)).tolist():
        row, size, step = rng.integers(0, 6), int(rng.integers(0, 9)), rng.choice([1, 3, -1, -2])
        arrays.append(memory[row, begin : begin + size][::step])
    pairs = [(a, b) for i, a in enumerate(arrays) for b in arrays[:i]]
    expected = any(np.may_share_memory(a, b) for a, b in pairs)
    assert any_share_memory(arrays) is expected

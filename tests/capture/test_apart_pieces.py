"""What pieces of code assign, run apart: the union of all paths, in time linear in the branches."""

import enum
import itertools
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np
import pytest
from impatient import impatient

from cases import returning_methods
from oracles import dense
from sparsetrace import ValueDependentError, jacobian_sparsity
from sparsetrace.tracing import driver


class Holder:
    def __init__(self, value):
        self.value, self.count = value, 0


class Guarded:
    """Assigning an attribute does more than that."""

    def __init__(self):
        self.kept, self._limit = [], 1.0

    @property
    def limit(self):
        return self._limit

    @limit.setter
    def limit(self, value):
        self._limit = value
        self.kept.append(value)


def stored_in_a_chain(x):
    n = len(x)
    table = [[0.0] * n for _ in range(n)]
    for i in range(1, n):
        if x[i] < x[i - 1]:
            table[i][i - 1] = table[i - 1][i] = x[i]
        else:
            table[i][i - 1] = table[i - 1][i] = 2.0
    return [number for row in table for number in row]


def swapped(x):
    y = list(x)
    for i in range(len(y) - 1):
        if y[i] > y[i + 1]:
            y[i], y[i + 1] = y[i + 1], y[i]
    return y


def rotated(x):
    y, k = x * 1.0, 0
    for i in range(1, len(y)):
        if y[i] > 0.5:
            y[0], k, y[i] = y[i], k + 0, y[0]
    return y


def named_and_stored(x):
    y, last = list(x), x[0]
    for i in range(1, len(y)):
        if y[i] > y[i - 1]:
            last = y[i] = last * 0.5
    return [*y, last]


def kept_by_an_object(x):
    holder = Holder(x[0])
    for i, number in enumerate(x):
        if number > holder.value:
            holder.value = number
        if number < 0.5:
            holder.value += x[i - 1]
    return [holder.value]


def ended(x):
    out = []
    for number in x:
        z = number
        for _ in range(3):
            z = z - 0.1
            if z < 0.5:
                break
        else:
            z = 0.0
        if z > 1:
            z = 1.0
        out.append(z)
    return out


def ended_by_a_sum(x):
    total, z = 0.0, x[0]
    for number in x:
        k = 0
        while k < 2:
            z = z * number
            k += 1
            if z > 0.5:
                break
        else:
            total = total + number
    return [total, z]


@pytest.mark.parametrize(
    "f",
    [
        stored_in_a_chain,
        swapped,
        rotated,
        named_and_stored,
        kept_by_an_object,
        ended,
        ended_by_a_sum,
    ],
)
def test_assignments(f, seen_functions):
    x = np.linspace(0.1, 0.9, 4)
    with patch.object(driver, "more_is_run_apart", lambda session: False):
        everything = dense(jacobian_sparsity(f, x, max_paths=4096))
    with impatient(1):
        apart = dense(jacobian_sparsity(f, x, max_paths=64))
    assert np.array_equal(everything, apart)
    assert jacobian_sparsity(f, np.linspace(0.1, 0.9, 40)).nnz


# ----------------------------------------------------- arrays in place of those before
def replaced(x):
    y = x * 1.0
    for i in range(3):
        if x[0] > i:
            y = y * x[i]
    return y


def replaced_or_scaled(x):
    y = x * 1.0
    for i in range(3):
        if x[0] > i:  # noqa: SIM108 - as people write it
            y = x * x[3]
        else:
            y = y * 2.0
    return y


def another_list(x):
    y = [x[0], x[1]]
    for i in range(3):
        if x[i] > 0.5:
            y = [x[1], x[i]]
    return y


def in_a_list_of(array):
    return [array]


def with_other_name(x, share=in_a_list_of):
    """What is written through the other name shows in the array, unless it was replaced."""
    y = x * 1.0
    other = share(y)
    for i in range(20):
        if x[0] > i:
            y = x * 2.0
    other[0][0] = x[3]
    return [*y, *other[0]]


def with_view(x):
    return with_other_name(x, lambda array: [array[:2]])


def with_attribute(x):
    holder = Holder(None)

    def share(array):
        holder.value = array
        return [array]

    return [*with_other_name(x, share), *holder.value]


def with_generator(x):
    def shares(array):
        yield array
        yield array

    def share(array):
        several = shares(array)
        next(several)
        return [np.zeros(4), several]

    y = x * 1.0
    other = share(y)
    for i in range(20):
        if x[0] > i:
            y = x * 2.0
    next(other[1])[0] = x[3]
    return y


def with_two_names(x):
    y = z = x * 1.0
    for i in range(20):
        if x[0] > i:
            y = x * 2.0
    z[1] = x[3]
    return y


def put_elsewhere(x):
    y, kept = x * 1.0, [None]
    for i in range(20):
        if x[0] > i:
            kept[0] = y
        else:
            y = x * 2.0
    y[1] = x[3]
    return kept[0] if kept[0] is not None else y


def put_in_a_tuple(x):
    y, pair = x * 1.0, (x * 3.0, x * 4.0)
    for i in range(20):
        if x[0] > i:
            pair, y = (y, x * 5.0), x * 2.0
    y[1] = x[3]
    pair[0][2] = x[3]
    return [*y, *pair[0]]


@pytest.mark.parametrize("f", [replaced, replaced_or_scaled, another_list])
def test_arrays_that_names_alone_hold_are_united(f, seen_functions):
    x = np.linspace(0.1, 0.9, 4)
    with patch.object(driver, "more_is_run_apart", lambda session: False):
        everything = dense(jacobian_sparsity(f, x))
    with impatient(1):
        apart = dense(jacobian_sparsity(f, x, max_paths=1))
    assert np.array_equal(everything, apart)


@pytest.mark.parametrize(
    "f",
    [
        with_other_name,
        with_view,
        with_attribute,
        with_generator,
        with_two_names,
        put_elsewhere,
        put_in_a_tuple,
    ],
)
def test_arrays_with_other_names_are_not(f, seen_functions):
    """Their paths are too many, or nothing is missing."""
    rng = np.random.default_rng(0)
    try:
        pattern = dense(jacobian_sparsity(f, np.linspace(0.1, 0.9, 4)))
    except ValueDependentError:
        return
    for _ in range(12):
        there = dense(jacobian_sparsity(f, rng.uniform(-3.0, 22.0, 4), local=True, verify=False))
        assert not (there & ~pattern).any()


# ------------------------------------------------------- written over on one path alone
def in_a_list(x):
    y = [x * 1.0]
    for i in range(20):
        if x[0] > i:
            y[0] *= 0.0
    return y[0]


def in_a_dictionary(x):
    y = {"a": x * 1.0}
    for i in range(20):
        if x[0] > i:
            y["a"] **= 0
    return y["a"]


def in_an_attribute(x):
    holder = Holder(x * 1.0)
    for i in range(20):
        if x[0] > i:
            holder.value *= 0.0
    return holder.value


def by_its_other_name(x):
    y = [x * 1.0]
    z = y[0]
    for i in range(20):
        if x[0] > i:
            y[0] *= 0.0
    return z


def in_one_row(x):
    y = [x * 1.0, x * 2.0]
    for i in range(20):
        if x[0] > i:
            y[0][0], y[1][2] = x[1], 0.0
    return [*y[0], *y[1]]


@pytest.mark.parametrize(
    "f", [in_a_list, in_a_dictionary, in_an_attribute, by_its_other_name, in_one_row]
)
def test_an_array_that_is_changed_in_place(f, seen_functions):
    """Each path begins with the array as it was, though what holds it holds it still."""
    pattern = dense(jacobian_sparsity(f, np.linspace(0.1, 0.9, 4)))
    for point in (np.linspace(-0.9, -0.1, 4), np.linspace(0.1, 0.9, 4)):
        there = dense(jacobian_sparsity(f, point, local=True))
        assert not (there & ~pattern).any()


class Counting(dict):
    """Storing an item does more than that."""

    stored = 0

    def __setitem__(self, key, value):
        self.stored += 1
        super().__setitem__(key, value)


def test_a_container_that_counts_is_not_undone(seen_functions):
    def f(x):
        table = Counting(a=x * 1.0)
        for number in x:
            if number > 0.5:
                table["a"] *= 2.0
        return table["a"] * (0.0 if table.stored < 3 else x[0])

    pattern = jacobian_sparsity(f, np.linspace(0.1, 0.9, 3))
    assert dense(pattern).astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    with pytest.raises(ValueDependentError):
        jacobian_sparsity(f, np.linspace(0.1, 0.9, 30))


def test_an_attribute_with_a_setter_is_not_undone(seen_functions):
    """What else it does would be left over from paths that were undone."""

    def f(x):
        guarded = Guarded()
        for number in x:
            if number > 0.5:
                guarded.limit = number
        return [guarded.limit, len(guarded.kept) * x[0]]

    pattern = jacobian_sparsity(f, np.linspace(0.1, 0.9, 3))
    assert dense(pattern).astype(int).tolist() == [[1, 1, 1], [1, 0, 0]]
    with pytest.raises(ValueDependentError):
        jacobian_sparsity(f, np.linspace(0.1, 0.9, 30))


def test_too_many_paths_name_the_line_that_branched(seen_functions):
    def f(x):
        kept = []
        for number in x:
            kept.append("up" if number > 0.5 else "down")
        return len(set(kept)) * x

    with pytest.raises(ValueDependentError, match="this line branched most") as raised:
        jacobian_sparsity(f, np.ones(30))
    assert raised.value.filename == __file__
    assert raised.value.lineno == f.__code__.co_firstlineno + 3
    assert "local=True" in str(raised.value)


def test_arrays_that_a_list_alone_holds_are_united(seen_functions):
    """Also with the one before, on a path that has left it where it was."""

    def f(x):
        rows = [np.zeros(2), np.zeros(2)]
        named = {"sum": np.zeros(2)}
        for i in range(len(x)):
            if x[i] > 0:
                rows[i % 2] = rows[i % 2] + x[i]
                named["sum"] = named["sum"] + x[i]
        return rows, named["sum"]

    even = np.arange(40) % 2 == 0
    rows = [even, even, ~even, ~even, even | ~even, even | ~even]
    assert np.array_equal(dense(jacobian_sparsity(f, np.linspace(-1, 1, 40))), rows)


def _total(x):
    total, turns = 0.0, 0

    def add(v):
        nonlocal total, turns
        if v > 0.5:
            total = total + v * x[0]
            turns += 1
        else:
            total = v

    for v in x[1:]:
        add(v)
    return total


def _told(x):
    current, told = 0.0, []

    def add(v):
        nonlocal current
        if v > 0.5:
            current = v
            current = current + doubled()
        else:
            current = doubled() * v
        tell()

    def doubled():
        return current * 2

    def tell():
        told.append(current)

    for v in x:
        add(v)
    return told


def _deeper(x):
    last = 0.0

    def add(at):
        def inner(v):
            nonlocal last
            if v > 0.5:
                last = last * 2
                last = v + last
            else:
                last = 2.0

        if at < len(x):
            inner(x[at])
            add(at + 1)

    add(0)
    return last


def _imported(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.5:
            from math import sin

            out[i] = sin(x[i]) * x[0]
        else:
            import math as m

            out[i] = m.cos(x[i])
    return out


@pytest.mark.parametrize("size", [3, 40])
def test_helpers_assign_names_of_the_function_around_them(size, seen_functions):
    x = np.random.default_rng(0).uniform(size=size)
    assert dense(jacobian_sparsity(_total, x)).all()
    assert dense(jacobian_sparsity(_deeper, x)).all()
    told = dense(jacobian_sparsity(_told, x))
    np.testing.assert_array_equal(told, np.tri(size, dtype=bool))


@pytest.mark.parametrize("size", [3, 40])
def test_imports_in_branches(size, seen_functions):
    expected = np.eye(size, dtype=bool)
    expected[:, 0] = True
    pattern = jacobian_sparsity(_imported, np.random.default_rng(0).uniform(size=size))
    np.testing.assert_array_equal(dense(pattern), expected)


def counted_in_a_handler(x, goes_on):
    k, y = 0, x[3]
    for _ in range(5):
        try:
            k += 1
            y = y * x[k % 3]
        except NameError as error:
            y = len(error.args) * x[0]
        if not goes_on(k, x):
            break
    for i in range(12):  # 4,096 paths: the loop is a piece, too
        if x[i % 4] * i > 0.3 * x[0]:
            y = y + 0.0
    return y


def counted_before_the_end(x, goes_on):
    k, y = 0, x[3]
    while True:
        try:
            y = y * x[k % 3]
        finally:
            k += 1
        if not goes_on(k, x) or k == 5:
            break
    for i in range(12):  # 4,096 paths: the loop is a piece, too
        if x[i % 4] * i > 0.3 * x[0]:
            y = y + 0.0
    return y


@pytest.mark.parametrize("f", [counted_in_a_handler, counted_before_the_end])
def test_a_loop_reads_what_its_last_turn_has_assigned(f, seen_functions):
    x = np.array([1.0, 2.0, 0.5, 3.0])
    expected = [
        dense(jacobian_sparsity(f, x, lambda k, x: k < turns))  # noqa: B023
        for turns in range(6)
    ]
    found = dense(jacobian_sparsity(f, x, lambda k, x: x[0] * 0.9**k > 0.1))
    assert np.array_equal(found, np.any(expected, axis=0))


@pytest.mark.parametrize("f", returning_methods.ALL)
def test_methods_that_return_by_branches(f, seen_functions):
    """From a statement that may return to the end of its function is one piece."""
    x, many = np.linspace(0.4, 1.6, 7), np.linspace(0.4, 1.6, 23)
    with np.errstate(all="ignore"):
        expected = dense(jacobian_sparsity(f, x, max_paths=5_000, verify=False))
        assert np.array_equal(dense(jacobian_sparsity(f, x, max_paths=6, verify=False)), expected)
        found = dense(jacobian_sparsity(f, many, verify=False))
        at_a_point = dense(jacobian_sparsity(f, many, local=True))
    assert not (at_a_point & ~found).any()


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


FACTORS = {Level.LOW: 1.0, Level.HIGH: 3.0}


def level(v):
    return Level.LOW if v < 1.0 else Level.HIGH


def looked_up(x):
    return [FACTORS[level(v)] * v for v in x]


def of_a_generator(x):
    return list(FACTORS[level(v)] * v for v in x)  # noqa: C400


def of_a_dictionary(x):
    return list({k: FACTORS[level(v)] * v for k, v in enumerate(x)}.values())


def within_another(x):
    return [sum(FACTORS[level(v)] * v for v in pair) for pair in itertools.pairwise(x)]


@dataclass
class Flow:
    m: float
    t: float


def heated(flow, q):
    if flow.t > 1.0:
        return replace(flow, t=1.0)
    return replace(flow, m=flow.m * q, t=flow.t + q)


def replaced(x):
    flow = Flow(x[0], x[1])
    for q in x[2:]:
        flow = heated(flow, q)
    return [flow.m, flow.t]


@pytest.mark.parametrize(
    "f", [looked_up, of_a_generator, of_a_dictionary, within_another, replaced]
)
def test_what_a_call_in_a_comprehension_chooses(f):
    x, many = np.linspace(0.2, 1.8, 7), np.linspace(0.2, 1.8, 41)
    expected = dense(jacobian_sparsity(f, x, max_paths=5_000))
    assert np.array_equal(dense(jacobian_sparsity(f, x, max_paths=6)), expected)
    found = dense(jacobian_sparsity(f, many, verify=False))
    assert not (dense(jacobian_sparsity(f, many, local=True)) & ~found).any()

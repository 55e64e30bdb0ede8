"""Loops that may end in several ways: each turn is run apart, and its ends are united."""

import functools
import itertools
import math
import warnings
from contextlib import contextmanager
from queue import SimpleQueue
from unittest.mock import patch

import numpy as np
import pytest
from impatient import impatient

from cases.loop_errors import ERRORS
from cases.loop_iterators import ITERATORS
from cases.loop_modes import DOUBTFUL, MODES, PIECES
from cases.loop_states import STATES
from cases.loops_in_calls import CALLS
from cases.loops_in_states import IN_STATES
from cases.loops_with_arrays import FEW_STATES, MANY_STATES, accepted, of_an_array_outside
from cases.scaling import to_a_tolerance, told_of_in_percent, told_of_where_it_stops
from cases.solver_loops import (
    LOOPS,
    caught,
    clamped,
    continued,
    counted,
    for_each,
    refused,
    returned,
    several,
    total,
    written,
)
from oracles import assert_same_pattern, dense
from sparsetrace import (
    UnsupportedError,
    ValueDependentError,
    hessian_sparsity,
    jacobian_sparsity,
)
from sparsetrace.capture import apart_functions, branches
from sparsetrace.capture.branches import Branches
from sparsetrace.tracing import driver


@pytest.fixture(autouse=True)
def _no_clock(monkeypatch):
    """What is found within the time of a search is another matter than what it takes."""
    monkeypatch.setattr(apart_functions, "_MOST_STEPS", 600_000)


@pytest.mark.parametrize("loop", LOOPS)
def test_nothing_is_missing(loop, seen_functions):
    """All paths of few turns, beside the same run apart."""

    def each(x):
        return [loop(x[0], x[1], 3), loop(x[1], x[2], 3)]

    def total(x):
        return sum(each(x))

    x = np.array([0.5, 1.5, 2.5])
    for take, f in ((jacobian_sparsity, each), (hessian_sparsity, total)):
        everything = dense(take(f, x, max_paths=5000))
        with impatient(1):
            apart = dense(take(f, x, max_paths=5000))
        assert not (everything & ~apart).any()


@pytest.mark.parametrize("loop", [clamped, returned, refused, continued, written])
def test_many_turns_of_many_elements(loop, seen_functions):
    """The ends of one loop alone are as many as `max_paths` allows, and their paths far more."""
    x = np.linspace(0.5, 2.0, 10)
    pattern = dense(jacobian_sparsity(for_each(loop), x, max_paths=64))
    assert np.array_equal(pattern, np.eye(10, dtype=bool))


def test_a_counter_is_read_as_a_number():
    names = [f"turn {k}" for k in range(12)]

    def f(x):
        z, k = x[0], 0
        while z < 5 and k < 11:
            z = z * x[1]
            if z < -5:
                z = -z
            k += 1
        return z * len(names[k]) + math.sin(x[2])

    assert dense(jacobian_sparsity(f, np.ones(3))).tolist() == [[True, True, True]]


def test_a_loop_without_a_limit():
    """Its turns end where another one adds nothing, also where a counter tells them apart."""

    def solve(v):
        z, k = v, 0
        while True:
            d = (z * z - v) / (2 * z)
            if d > 1:
                d = 1.0
            z = z - d
            k += 1
            if abs(d) < 1e-9:
                return z

    pattern = dense(jacobian_sparsity(lambda x: [solve(v) for v in x], np.ones(4)))
    assert np.array_equal(pattern, np.eye(4, dtype=bool))


def test_a_loop_that_never_ends():
    def f(x):
        while True:
            if x[0] > 1:
                x = x * 0.5

    with pytest.raises(ValueDependentError):
        jacobian_sparsity(f, np.ones(4))


def test_a_product_that_grows_turn_by_turn():
    """The first derivatives are the same from the second turn on, the second ones not yet."""

    def f(x):
        a, b, c, p = x[0], x[0] + x[1] + x[2], x[2], x[0] + x[1] + x[2]
        while p < 5:
            if c > 2:
                c = c - x[0]
            p, b, a = p + a, a * c + b, b + c
        return p

    pattern = dense(hessian_sparsity(f, np.ones(3)))
    assert pattern.astype(int).tolist() == [[1, 1, 1], [1, 0, 1], [1, 1, 1]]


def apart(take, f, x, attempts):
    """The pattern after attempts that run a single path; None where it is refused."""
    with impatient(attempts):
        try:
            return dense(take(f, x, max_paths=100))
        except ValueDependentError:
            return None


@pytest.mark.parametrize("f", [*STATES, *IN_STATES, *ITERATORS, *ERRORS, *CALLS])
def test_what_loops_carry(f, seen_functions):
    def total(x):
        return sum(f(x))

    x = np.array([0.3, 0.5, 0.8])
    for take, g in ((jacobian_sparsity, f), (hessian_sparsity, total)):
        with patch.object(driver, "more_is_run_apart", lambda session: False):
            patterns = [dense(take(g, x, max_paths=1000))]
        rng = np.random.default_rng(1)
        for _ in range(6):
            point = rng.uniform(-1.0, 1.5, 3)
            try:
                patterns.append(dense(take(g, point, local=True, verify=False)))
            except (AssertionError, RuntimeError):
                continue
        results = [apart(take, g, x, attempts) for attempts in (1, 2)]
        assert results[0] is not None
        for result in results:
            for pattern in patterns:
                if result is not None and pattern.shape == result.shape:
                    assert not (pattern & ~result).any()


@pytest.mark.parametrize("f", [*FEW_STATES, *MANY_STATES])
def test_arrays_that_turns_keep_or_replace(f):
    """Too many states are refused; what other names show of an array is never lost."""
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        points = [jacobian_sparsity(f, rng.uniform(-1, 3, 3), local=True) for _ in range(40)]
        try:
            pattern = dense(jacobian_sparsity(f, np.ones(3), max_paths=6, verify=False))
        except ValueDependentError:
            pattern = None
    assert f in MANY_STATES or pattern is not None
    for point in points:
        assert pattern is None or not (dense(point) & ~pattern).any()


@pytest.mark.parametrize("f", [accepted, of_an_array_outside])
def test_states_that_keep_an_array_are_as_few_as_the_arrays(f, seen_functions):
    x = np.array([0.3, 0.5, 0.8])
    counts = []
    for turns in (10, 20):
        with counted_paths() as begun:
            jacobian_sparsity(lambda x, turns=turns: f(x, turns), x, verify=False)
        counts.append(len(begun))
    assert counts[1] < 2.5 * counts[0]


def test_a_loop_ends_more_often_than_there_may_be_paths(seen_functions):
    x = np.array([0.3, 0.5, 0.8])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pattern = jacobian_sparsity(to_a_tolerance, x, max_paths=100)
    assert dense(pattern).astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]


@contextmanager
def counted_paths():
    """A list that has an item for every path that is begun, of the function or of a call in it."""
    begun = []

    def start(branches):
        begun.append(None)
        return original(branches)

    original = Branches.start
    with patch.object(Branches, "start", start):
        yield begun


@pytest.mark.parametrize("f", [told_of_in_percent, told_of_where_it_stops])
def test_who_tells_the_user_in_which_turn_it_ended_may_not_know_that(f, seen_functions):
    with counted_paths() as begun, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pattern = jacobian_sparsity(f, np.array([0.3, 0.5, 0.8]))
    assert_same_pattern(pattern, np.eye(3))
    assert len(begun) < 800


@pytest.mark.parametrize("loop", [clamped, counted, caught])
def test_paths_are_in_proportion_to_elements(loop, seen_functions):
    counts = []
    for n in (4, 8):
        with counted_paths() as begun:
            jacobian_sparsity(for_each(loop), np.linspace(0.5, 2.0, n))
        counts.append(len(begun))
    assert counts[1] < 2.2 * counts[0] < 8000


@pytest.mark.parametrize("take", [jacobian_sparsity, hessian_sparsity])
def test_counters_of_several_solves(take, seen_functions):
    """Each solve ends in seven ways: more than `max_paths` together, a crowd of those apart."""

    f = several if take is jacobian_sparsity else total
    with counted_paths() as begun:
        pattern = dense(take(f, np.linspace(0.1, 0.6, 5)))
    assert len(begun) < 20000  # of all paths there are more than 300,000
    expected = [[1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 0, 1, 1, 0], [1, 0, 0, 1, 1]]
    if take is jacobian_sparsity:
        assert pattern.astype(int).tolist() == expected


def test_few_paths_that_take_long_together_are_run_apart(seen_functions, monkeypatch):
    """Sixty ends of one loop are no crowd, but each of them may be reached by many turns."""
    monkeypatch.setattr(branches, "_LONG", 0.0)
    matrix = np.array([[1.0, 0.2, 0.3], [0.1, 2.0, 0.5], [0.4, 0.3, 1.0]])

    def scaled(x, turns=600):
        u = np.ones(3)
        for turn in range(turns):
            v = u * (matrix @ (x / (matrix.T @ u)))
            u = u / v
            if turn % 10 == 1 and np.std(v) < 1e-9:
                break
        return v

    with counted_paths() as begun:
        pattern = jacobian_sparsity(scaled, np.array([0.3, 0.5, 0.8]))
    assert pattern.nnz == 9
    assert len(begun) < 50


def test_few_paths_that_cannot_be_run_apart_are_run_however_long_they_take(monkeypatch):
    monkeypatch.setattr(branches, "_LONG", 0.0)
    kept = SimpleQueue()

    def scaled(x, turns=30):
        u = np.ones(3)
        for turn in range(turns):
            u = np.cos(u * x)
            kept.put(turn)  # an effect that nobody undoes
            if np.std(u) < 1e-9:
                break
        return u

    assert_same_pattern(jacobian_sparsity(scaled, np.array([0.3, 0.5, 0.8])), np.eye(3))


def test_a_clamped_place_in_a_table_keeps_its_bounds(seen_functions):
    tables = {"rows": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}

    def looked_up(x):
        out = []
        for v in x:
            at = int(np.searchsorted([0.2, 0.5, 0.9], v))
            if at == 0:
                at = 1
            elif at == 3:
                at -= 1
            low, high = tables["rows"][at - 1]
            out.append(low + (high - low) * v)
        return out

    x = np.linspace(0.1, 1.0, 12)
    assert_same_pattern(jacobian_sparsity(looked_up, x), np.eye(12))


# ------------------------------------------------------------- loops that become steady
def test_turns_that_add_nothing_stand_for_the_rest(seen_functions):
    def scaled(x, turns=2000):
        u = np.ones(4)
        for i in range(turns):
            before = u
            u = x / (u + x.sum())
            if (u > 1e3).any():
                u = before
                break
            if i % 10 == 0 and np.abs(u - before).sum() < 1e-9:
                break
        return u

    with counted_paths() as begun:
        pattern = dense(jacobian_sparsity(scaled, np.ones(4), max_paths=50))
    assert pattern.all()
    assert len(begun) < 500


def test_a_later_turn_reads_what_no_early_one_did(seen_functions):
    """The number of the turn decides: one turn with any of the numbers sees it."""

    def late(x):
        u = x[0] * 1.0
        for i in range(100):
            if u > 1e3:
                break
            u = u + (x[1] if i == 90 else 0.0) + x[2:][i // 60]
        return [u]

    pattern = dense(jacobian_sparsity(late, np.linspace(0.1, 0.5, 4), max_paths=16))
    assert pattern.astype(int).tolist() == [[1, 1, 1, 1]]


@pytest.mark.parametrize("kind", ["views", "one", "copies"])
def test_arrays_that_share_their_memory(kind, seen_functions):
    """Arrays of equal numbers are not one state if writing into them does not do the same."""

    def swapped(x):
        a = np.zeros(2) + x[0]
        b = a if kind == "one" else a[:] if kind == "views" else a.copy()
        for i in range(40):
            if x[1] > 30:
                break
            b = b.copy() if i == 20 else b
        b[0] = b[0] + x[2]
        return [a[0], b[0]]

    x = np.array([0.3, 0.5, 0.8])
    everything = dense(jacobian_sparsity(swapped, x, max_paths=1000))
    with impatient(1):
        apart = dense(jacobian_sparsity(swapped, x, max_paths=1000))
    assert not (everything & ~apart).any()


def test_a_while_loop_of_arrays(seen_functions):
    def iterated(x):
        u, error = np.ones(3), x.sum()
        while error > 1e-9:
            new = x * u + x[0]
            error = np.abs(new - u).max()
            u = new
        return u

    pattern = dense(jacobian_sparsity(iterated, np.array([0.3, 0.5, 0.8])))
    assert pattern.astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]


def test_the_number_of_the_last_turn_is_known_after_a_whole_loop(seen_functions):
    def last(x):
        u = x[0]
        for i in range(200):
            if u > 1e3:
                return [u, x[1]]
            u = math.sin(u) / (i + 1)
        return [u, x[2:][i - 199]]

    pattern = dense(jacobian_sparsity(last, np.array([0.3, 0.5, 0.8, 1.0]), max_paths=16))
    assert pattern.astype(int).tolist() == [[1, 0, 0, 0], [0, 1, 1, 0]]


def test_an_error_that_names_its_turn(seen_functions):
    """What needs the number's value has the turns one by one."""

    def named(x):
        u = x[0]
        for i in range(60):
            if u < -1e3:
                raise ValueError(f"turn {i:d} of {60 - i:03d}")
            u = math.cos(u) + (x[1] if i > 50 else 0.0)
        return [u]

    pattern = dense(jacobian_sparsity(named, np.array([0.3, 0.5]), max_paths=16))
    assert pattern.astype(int).tolist() == [[1, 1]]


# ------------------------------------------------------------ states that turns may leave
@functools.cache
def _needed(f, n=6):
    """The union of the patterns at many points, of which each number may be on either side."""
    rng = np.random.default_rng(1)
    sides = np.array(list(itertools.product((0.0, 0.45), repeat=n)))
    points = [*(sides + 0.25 + 0.15 * rng.random(sides.shape)), *rng.random((60, n))]
    return np.any([dense(jacobian_sparsity(f, x, local=True)) for x in points], axis=0)


@pytest.mark.parametrize("f", [*MODES, *PIECES])
def test_a_turn_for_each_state(f, seen_functions):
    pattern = dense(jacobian_sparsity(f, np.full(6, 0.45), max_paths=16))
    assert np.array_equal(pattern, _needed(f))


@pytest.mark.parametrize("f", [*MODES, *PIECES])
def test_many_turns_for_each_state(f, seen_functions):
    """Far too many paths, in each of which the states follow one another in another way."""
    assert jacobian_sparsity(f, np.full(20, 0.45)).nnz


@pytest.mark.parametrize("f", DOUBTFUL)
@pytest.mark.parametrize("max_paths", [16, 1024])
def test_states_that_something_else_reads(f, max_paths, seen_functions):
    try:
        pattern = dense(jacobian_sparsity(f, np.full(6, 0.45), max_paths=max_paths))
    except (ValueDependentError, UnsupportedError):
        return
    assert not (_needed(f) & ~pattern).any()


def test_a_state_like_one_before_it_has_written(seen_functions):
    """It leads on, since something else is read from there."""

    def f(x):
        z, mode, y = x[0], 0, np.zeros(6)
        y[1:] = x[1:]
        while z > 1:
            if mode == 0:
                mode = 1
            else:
                mode = 0
                for k in range(5):
                    y[k] = y[k + 1]
            z = z / 2
        return y[:1]

    np.testing.assert_array_equal(
        dense(jacobian_sparsity(f, np.full(6, 0.5))), [[0, 1, 1, 1, 1, 1]]
    )

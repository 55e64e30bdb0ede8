"""Branches of calls and of pieces of code, run apart where all paths together are too many."""

from __future__ import annotations

import functools
import time

import numpy as np
import pytest
from impatient import impatient
from outside import Outside

import sparsetrace as st
from cases import bound_anew, branches_not_united, hidden_effects
from cases import branches_per_element as cases
from cases.branches_not_united import DOUBTFUL
from cases.branches_per_element import EXACT, upwind
from oracles import assert_covers, assert_same_pattern, dense
from sparsetrace.capture import paths_apart
from sparsetrace.capture.branches import Branches
from sparsetrace.capture.effort import Effort

pytestmark = pytest.mark.usefixtures("seen_functions")
N = 14
"""More than 2**10 paths."""


def united_at_points(take, f, n, *, wanted=None):
    """The entries that there are at some of many points, of which the function takes each way.

    At a dozen points, and from there on until all that are wanted have been met.
    """
    rng = np.random.default_rng(0)
    found = False
    for point in range(40):
        if point >= 12 and wanted is not None and np.array_equal(found, dense(wanted)):
            break
        found = found | dense(take(f, rng.uniform(0.01, 0.99, n), local=True))
    return found


def size_for(name):
    return 9 if name == "no result" else N


@pytest.mark.parametrize("name", EXACT)
def test_the_pattern_is_what_some_input_needs(name):
    f, n = EXACT[name], size_for(name)
    pattern = st.jacobian_sparsity(f, np.linspace(0.01, 0.99, n))
    assert_same_pattern(pattern, united_at_points(st.jacobian_sparsity, f, n, wanted=pattern))


@pytest.mark.parametrize("name", EXACT)
def test_the_second_derivatives_are_what_some_input_needs(name):
    f, n = EXACT[name], size_for(name)

    def g(x):
        return np.sum(np.array(f(x)))

    pattern = st.hessian_sparsity(g, np.linspace(0.01, 0.99, n))
    assert_same_pattern(pattern, united_at_points(st.hessian_sparsity, g, n, wanted=pattern))


@functools.cache
def all_together(name):
    """What all paths give, or where that is refused, what some points do."""
    f, x = DOUBTFUL[name], np.linspace(0.1, 0.9, 3)
    try:
        return st.jacobian_sparsity(f, x)
    except st.TracingError:
        return united_at_points(st.jacobian_sparsity, f, 3)


@pytest.mark.parametrize("attempts", [1, 2, 3])
@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_cannot_be_united_is_not_lost(name, attempts):
    f, x = DOUBTFUL[name], np.linspace(0.1, 0.9, 3)
    expected = all_together(name)
    with impatient(attempts):
        try:
            pattern = st.jacobian_sparsity(f, x)
        except (st.TracingError, ValueError):  # an array that is read-only
            return
    assert_covers(pattern, expected)
    assert not branches_not_united.seen
    assert not branches_not_united.memory


@pytest.mark.parametrize("act", hidden_effects.ACTS)
def test_an_effect_that_no_store_shows_is_not_lost(act):
    f, x = hidden_effects.function(act), np.linspace(0.1, 0.9, 3)
    expected = st.jacobian_sparsity(f, x)
    with impatient(1):
        assert_covers(st.jacobian_sparsity(f, x), expected)
    assert expected.nnz >= 6


def test_the_functions_have_their_own_code_again():
    before = [cases.bent.__code__, cases.Model.rate.__code__, cases.if_in_loop.__code__]
    for name in ("methods", "helpers in helpers", "if in a loop"):
        st.jacobian_sparsity(EXACT[name], np.linspace(0, 1, N))
    after = [cases.bent.__code__, cases.Model.rate.__code__, cases.if_in_loop.__code__]
    assert all(map(np.equal, map(id, after), map(id, before)))


def test_two_branches_of_one_call_are_run_together():
    def f(x):
        def g(v, w):
            a = v if v > 0 else 1.0
            return a * w if v > 0 else a

        return [g(v, v + 1) for v in x] + [g(x[0], x[1])]

    pattern = st.jacobian_sparsity(f, np.ones(N)).toarray()
    assert set(np.flatnonzero(pattern[-1])) == {0, 1}


def test_what_a_path_of_a_call_fails_by_is_left_out_and_said():
    pattern = st.jacobian_sparsity(EXACT["checks"], np.ones(200))
    assert_same_pattern(pattern, np.eye(200))
    (line,) = pattern.left_out
    assert line.startswith("ValueError: not for negative numbers at ")


def test_an_error_that_the_caller_catches_is_a_path():
    def f(x):
        out = []
        for v in x:
            try:
                out.append(cases.checked(v))
            except ValueError:
                out.append(x[0] * v)
        return out

    x = np.linspace(0.1, 0.9, 5)
    expected = st.jacobian_sparsity(f, x)
    with impatient(1):
        assert_same_pattern(st.jacobian_sparsity(f, x), expected)
    assert expected.nnz == 9


# ------------------------------------------------------------------------ how long it takes
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(EXACT) - {"no result", "nested twice", "turns"}))
def test_runs_and_decisions_grow_as_the_elements(name, monkeypatch):
    begun = []

    class Noted(Effort):
        def __init__(self):
            super().__init__()
            begun.append(self)

    monkeypatch.setattr("sparsetrace.capture.session.Effort", Noted)
    for n in (25, 200):
        st.jacobian_sparsity(EXACT[name], np.linspace(0, 1, n), verify=False)
    small, large = begun
    assert large.steps < 3000 + 10 * small.steps


def roots(x):
    """A loop with a tolerance for each element."""
    result = np.zeros_like(x)
    for i, v in enumerate(x):
        z, turns = 1.0, 0
        while abs(z * z - v) > 1e-6:
            z = (z + v / z) / 2
            turns += 1
            if turns > 9:
                break
        result[i] = z
    return result


class Pipes:
    """A method around all of the others."""

    def drop(self, flow):
        if flow < 0:
            return -self.drop_of(-flow)
        return self.drop_of(flow)

    def drop_of(self, flow):
        return flow**1.75 if flow > 1e-3 else flow

    def residuals(self, x):
        result = [x[i] - x[i - 1] - self.drop(x[i]) for i in range(1, len(x))]
        return result if len(result) else None


def hurry(monkeypatch):
    monkeypatch.setattr("sparsetrace.capture.apart_functions._MOST_STEPS", 8000)
    monkeypatch.setattr("sparsetrace.capture.apart_functions._RUNS", 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "reach"),
    [(upwind, lambda d: ((d >= -1) & (d <= 2))[:-1]), (roots, lambda d: d == 0)],
    ids=lambda item: getattr(item, "__name__", ""),
)
def test_what_is_in_proportion_to_the_elements_may_take_long(f, reach, monkeypatch):
    hurry(monkeypatch)
    x = np.linspace(0.1, 0.9, 900)
    offsets = np.subtract.outer(np.arange(900), np.arange(900)).T
    pattern = st.jacobian_sparsity(f, x, verify=False)
    assert pattern.taken_whole == ()
    assert_same_pattern(pattern, reach(offsets))


def test_so_may_what_is_within_one_method(monkeypatch):
    hurry(monkeypatch)
    pattern = st.jacobian_sparsity(Pipes().residuals, np.linspace(0.1, 0.9, 900), verify=False)
    offsets = np.subtract.outer(np.arange(900), np.arange(900)).T
    assert_same_pattern(pattern, ((offsets == 0) | (offsets == -1))[1:])


def hopeless(x):
    names = []
    for v in x:
        name = "large" if v > 0.5 else "small"
        names.append(name)
    return [v for v, name in zip(x, names, strict=True) if name == "large"]


def test_the_error_comes_soon_where_the_function_is_slow():
    runs = Outside()

    def f(x):
        runs.append(None)
        time.sleep(0.15)
        return hopeless(x)

    with pytest.raises(st.ValueDependentError) as caught:
        st.jacobian_sparsity(f, np.linspace(0, 1, 60))
    line = hopeless.__code__.co_firstlineno + 3
    assert f"test_paths_apart.py:{line} (in hopeless)" in str(caught.value)
    assert "local=True" in str(caught.value)
    assert len(runs) < 40


def test_twelve_decisions_of_a_slow_function_are_not_all_run():
    runs = Outside()

    def f(x):
        runs.append(None)
        time.sleep(0.02)
        return hopeless(x)

    with pytest.raises(st.ValueDependentError):
        st.jacobian_sparsity(f, np.linspace(0, 1, 16))
    assert len(runs) < 150


@pytest.fixture
def attempts(monkeypatch):
    """The branches of each attempt to run all paths of the traced function."""
    made = []

    class Noted(Branches):
        def __init__(self, max_paths, **options):
            super().__init__(max_paths, **options)
            made.append(self)

    monkeypatch.setattr("sparsetrace.tracing.driver.Branches", Noted)
    return made


def masks_counted(x):
    """A mask that is counted, beside helpers with arrays of their own."""

    def helper(v, w):
        out = np.zeros(2)
        if v > 0.2:
            out[0] = v * w
        else:
            out[1] = v + w
        return out

    mask = np.zeros(6, bool)
    mask[1:4] = x[1:4] > x[:3]
    total = 0.0
    for i in np.nonzero(mask)[0]:
        total = total + x[i] * x[i - 1]
    return np.append(sum(helper(v, x[5 - i]) for i, v in enumerate(x)), total)


def test_arrays_are_united_beside_a_mask_that_is_decided(attempts):
    pattern = st.jacobian_sparsity(masks_counted, np.linspace(0.1, 0.9, 6), verify=False)
    assert_same_pattern(pattern, [[1] * 6, [1] * 6, [1, 1, 1, 1, 0, 0]])
    assert sum(branches.paths for branches in attempts) < 128


def short_first(x):
    """The first path ends early, and the others are more than can be run."""
    if not x[0] > 0:
        return [x[0]]
    return [sum(hopeless(x[1:]), start=x[0])]


def test_too_many_paths_are_told_also_where_the_first_is_short(monkeypatch):
    monkeypatch.setattr("sparsetrace.capture.branches._PATIENCE", 0)
    runs = Outside()

    def f(x):
        runs.append(None)
        return short_first(x)

    with pytest.raises(st.ValueDependentError, match="max_paths=1024"):
        st.jacobian_sparsity(f, np.linspace(0, 1, 15), verify=False)
    assert len(runs) < 100


def test_attempts_in_between_run_no_more_than_a_crowd(attempts, monkeypatch):
    monkeypatch.setattr("sparsetrace.capture.branches._PATIENCE", 10**9)
    with pytest.raises(st.ValueDependentError, match="local=True"):
        st.jacobian_sparsity(short_first, np.linspace(0, 1, 10), verify=False, max_paths=256)
    assert len(attempts) > 2
    assert sum(branches.paths > 140 for branches in attempts) <= 2


def test_a_crowd_is_run_whole_where_nothing_else_has_an_answer():
    def f(x):
        names = "".join("a" if v > 0.5 else "b" for v in x[:8])
        return x[names.count("a") % 8] * x[8]

    assert st.jacobian_sparsity(f, np.linspace(0, 1, 9), verify=False).nnz == 9


@pytest.mark.parametrize("name", bound_anew.BOUND_ANEW)
def test_what_was_harmless_once_may_be_bound_anew(name):
    bind, use = bound_anew.BOUND_ANEW[name]

    def piece(v):
        if v > 0.5:
            return use(v)
        if v > 0.2:
            return -v
        return v * v

    def f(x, later):
        bound_anew.noted.clear()
        bind(bound_anew.doubled)
        total = sum(piece(v) for v in x[:6])
        bind(later)
        total = total + sum(piece(v) for v in x[6:])
        bind(bound_anew.doubled)
        return np.array([total, x[0] * x[1] if bound_anew.noted else x[2]])

    x = np.linspace(0.1, 0.9, 9)
    wanted = np.zeros((2, 9), bool)
    wanted[0] = wanted[1, :3] = True
    assert (
        dense(st.jacobian_sparsity(lambda x: f(x, bound_anew.doubled), x)).sum() == 10
    )  # none is noted
    try:
        pattern = dense(st.jacobian_sparsity(lambda x: f(x, bound_anew.noting), x, verify=False))
    except st.ValueDependentError:
        pass
    else:
        assert np.array_equal(pattern, wanted)


def _marked(x):
    mask = np.zeros(len(x), bool)
    for i in range(len(x)):
        mask[i] = x[i] > 0.5
    y = x.copy()
    y[mask] = x[mask] ** 2
    return y


def _chosen_by_marks(x):
    mask = np.ones((len(x), 2), bool)
    for i in range(len(x)):
        mask[i, 0] &= x[i] > 0.5
        mask[i, 1] = abs(x[i]) >= 0.2
    return np.where(mask.any(axis=1), x**2, x[::-1])


def _looped_by_marks(x):
    mask, y = np.zeros(len(x), bool), np.zeros(len(x))
    for i in range(len(x)):
        mask[i] = x[i] > 0.5
    for i in range(len(x)):
        if mask[i]:
            y[i] = x[i] ** 2
        else:
            y[i] = x[-1 - i]
    return y


@pytest.mark.parametrize("size", [4, 40])
@pytest.mark.parametrize("f", [_marked, _chosen_by_marks, _looped_by_marks])
def test_masks_that_are_written_element_by_element(f, size):
    expected = np.eye(size, dtype=bool)
    if f is not _marked:
        expected |= np.eye(size, dtype=bool)[::-1]
    x = np.random.default_rng(0).uniform(size=size)
    np.testing.assert_array_equal(dense(st.jacobian_sparsity(f, x, verify=False)), expected)


# --------------------------------------------------------------------- in which order paths come
def sizes(x):
    return "".join("l" if v > 1 else "s" for v in (x[0], x[1], x[2]))


def checked_sizes(x):
    for at in range(3):
        if x[at] > 1:
            raise ValueError(f"{at} is too large")
    return "sss"


def of_a_size(x):
    places = [f"{i:03b}".replace("0", "s").replace("1", "l") for i in range(8)]
    return x[3 + places.index(sizes(x))] * x[0]


def of_an_error(x):
    try:
        checked_sizes(x)
    except ValueError as error:
        return x[3 + int(str(error)[0])] * x[0]
    return x[6]


@pytest.mark.parametrize(("f", "count"), [(of_a_size, 9), (of_an_error, 5)])
@pytest.mark.parametrize("patience", range(0, 200, 20))
def test_what_a_call_gives_comes_in_one_order_however_long_it_takes(
    f, count, patience, monkeypatch
):
    """From `patience` on paths are drawn at random: in the middle of the paths around the call."""
    monkeypatch.setattr("sparsetrace.capture.branches._PATIENCE", patience)
    with impatient(1):
        pattern = st.jacobian_sparsity(f, np.ones(11), max_paths=100, verify=False)
    assert pattern.nnz == count


def test_a_result_is_found_again_by_the_paths_that_lead_to_it(monkeypatch):
    check, runs = paths_apart._check, []
    monkeypatch.setattr(paths_apart, "_check", lambda session: (runs.append(1), check(session)))

    def f(x):
        high, low = x[x >= 1.0], x[x < 1.0]  # of four lengths each, on 64 paths
        first = high[0] if len(high) > 2 else x[0]
        return np.array([first, low[0] if len(low) > 2 else x[1]]) * len(x[x < 0.3])

    pattern = st.jacobian_sparsity(f, np.array([0.2, 1.5, 0.7]))
    assert pattern.toarray().tolist() == [[True, False, False], [True, True, False]]
    assert 128 < len(runs) < 1024  # 128 times 64 where all of them are run each time

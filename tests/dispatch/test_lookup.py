"""Calls that are looked up say what their rules say."""

from __future__ import annotations

import gc
import itertools
import warnings
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import numpy as np
import pytest
import scipy.sparse
from expressions import INPUTS, function
from outside import Outside

import sparsetrace as st
from cases.arguments.tables import TABLES
from cases.programs import Writer
from oracles import dense
from sparsetrace.dispatch import lookup, recording
from sparsetrace.graph.graph import Graph
from sparsetrace.operands.registry import RULES
from sparsetrace.tracing.pytree import leaves


def behind_a_look_up(f, v):
    """The pattern where the bounds of all values are kept."""
    return st.jacobian_sparsity(lambda v: (v[int(np.argmax(v))], f(v))[1], v)


MODES = [
    lambda f, v: st.jacobian_sparsity(f, v),
    lambda f, v: st.jacobian_sparsity(f, v, dependency=True),
    lambda f, v: st.jacobian_sparsity(f, v, constants="structure"),
    lambda f, v: st.lagrangian_hessian_sparsity(f, v),
    behind_a_look_up,
]


@pytest.fixture(autouse=True)
def _nothing_known():
    lookup.forget()
    yield
    lookup.forget()


def by_rules(monkeypatch, mode, f, v):
    """The pattern with nothing looked up."""
    with monkeypatch.context() as patched:
        patched.setattr(lookup, "answer", lambda *args, **options: lookup.UNKNOWN)
        return dense(mode(f, v))


def described(result):
    """What a user can ask of a result; of its memory, whether it is in the order of Fortran."""
    return [
        (type(leaf), np.shape(leaf), getattr(leaf, "dtype", None), leaf.flags.fnc)
        if isinstance(leaf, np.ndarray)
        else (type(leaf), getattr(leaf, "dtype", None))
        for leaf in leaves(result)
    ]


_EVERY = 3
"""Of the calls of each function every third is compared: some thousands."""


@pytest.mark.slow
@pytest.mark.parametrize("title", TABLES)
def test_calls_of_all_functions(title, monkeypatch):
    calls = [call for table in TABLES[title].values() for call, _ in table[::_EVERY]]
    found, compared = [], 0
    v = np.linspace(0.5, 2.0, INPUTS)
    warnings.simplefilter("ignore")
    for call, mode in zip(calls, itertools.cycle(MODES), strict=False):
        f = function(call)
        try:
            expected = by_rules(monkeypatch, mode, lambda v, f=f: f(v * 1.0), v)
        except Exception:
            continue
        compared += 1
        seen = Outside()

        def third(v, f=f, seen=seen):
            results = [f(v * 1.0) for _ in range(3)]
            seen.clear()
            seen.extend(map(described, results))
            return results[2]

        try:
            pattern = dense(mode(third, v))
        except Exception as error:
            found.append(f"{call}: {error!r}")
            continue
        if not (pattern == expected).all() or seen[1] != seen[0] or seen[2] != seen[0]:
            found.append(
                f"{call}: {(pattern & ~expected).sum()} more, {(expected & ~pattern).sum()} less"
            )
    assert not found, "\n".join(found)
    assert compared > len(calls) / 2
    assert any(recipe is not None for recipe in lookup._RECIPES.values())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50_003, 50_018))
def test_random_programs(seed, monkeypatch):
    warnings.simplefilter("ignore")
    program = Writer(seed).program()
    f = program.compiled()

    def repeated(x):
        return [f(x), f(x[::-1]), f(x * 2.0), f(x + 1) * x[0]]

    x = np.ones(program.n)
    for mode in (MODES[0], MODES[3], MODES[4]):
        expected = by_rules(monkeypatch, mode, repeated, x)
        assert (dense(mode(repeated, x)) == expected).all()
    assert lookup._RECIPES


# ------------------------------------------------------------------- what is told apart
def patterns(f, n=4, **options):
    return dense(st.jacobian_sparsity(f, np.ones(n), **options)).astype(int).tolist()


def thrice(call):
    """The third result: the first two are by the rule, and recorded."""

    def f(x):
        return [call(x) for _ in range(3)][2]

    return f


def test_constants_are_told_apart():
    for k, wanted in (([1.0, 0.0], [1, 0]), ([0.0, 1.0], [0, 1]), ([1.0, 1.0], [1, 1])):
        assert patterns(thrice(lambda x, k=k: np.dot(x, k)), 2) == [wanted]


def test_indices_with_bounds_are_left_to_the_rule():
    for _ in range(4):
        assert patterns(lambda x: np.take(x, (x[:1] > 1).astype(int) + 1)) == [[0, 1, 1, 0]]


def test_what_has_bounds_is_left_to_the_rule_behind_a_look_up():
    """Of unknown numbers, and of results that have bounds whatever they are made of."""

    def f(x):
        x[int(np.argmax(x))]
        for _ in range(4):
            low = np.clip(x, 0.0, 1.0)
            sums = np.cumsum(x)
        for _ in range(4):
            total = np.sum(low[:1])
            greatest = np.max(low)
        return x[int(low[0])], x[int(total)], x[int(greatest) + 1], x[int(sums[0])]

    assert patterns(f) == [[1, 1, 0, 0]] * 2 + [[0, 1, 1, 0]] + [[1] * 4]


def test_truth_values_of_python():
    seen = Outside()

    def f(x):
        equal = [np.array_equal(x, y) for y in (x * 2, x + 1, x * x)]
        seen.append([isinstance(value, bool) and not hasattr(value, "dtype") for value in equal])
        return [x[0] if value else x[1] * x[2] for value in equal]

    assert patterns(f, 3) == [[1, 1, 1]] * 3
    assert all(map(all, seen))


def test_equal_numbers_of_other_kinds_are_told_apart():
    def f(x):
        for _ in range(3):
            np.resize(x, 3)
        return np.resize(x, 3.0)

    with pytest.raises(TypeError):
        patterns(f)


def test_what_operands_hold_is_told_apart():
    def f(x):
        y = np.zeros_like(x)
        y[0] = x[0]
        z = np.zeros_like(x)
        z[1] = x[1]
        return [[np.cumsum(v) for _ in range(3)][2] for v in (x, y, z)]

    rows = patterns(f, 3)
    assert rows[:3] == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert rows[3:6] == [[1, 0, 0]] * 3
    assert rows[6:] == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]


def test_known_values_among_the_elements():
    def f(x):
        found = []
        for number in (2.0, 0.0, 3.0):
            y = np.full_like(x, number)
            y[0] = x[0]
            found.append([np.multiply.reduce(y) for _ in range(3)][2])
        return found

    assert patterns(f, 2) == [[1, 0], [0, 0], [1, 0]]


def test_operands_that_are_one_and_the_same():
    def f(x):
        y = x * 2.0
        same = [np.where(x > 0, x, y) for _ in range(3)][2]
        other = [np.where(x > 0, x, x[::-1]) for _ in range(3)][2]
        return same, other

    assert patterns(f, 2) == [[1, 0], [0, 1], [1, 1], [1, 1]]


def test_shapes_and_orders_are_told_apart():
    def f(x):
        a = x.reshape(2, 2)
        return [[np.sum(v, axis=0) for _ in range(3)][2] for v in (a, a.T, a[:, ::-1].T, a[::-1])]

    by_rows, by_columns = [[1, 0, 1, 0], [0, 1, 0, 1]], [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert patterns(f) == by_rows + by_columns + by_columns + by_rows


def test_sparse_matrices_are_told_apart():
    def f(x):
        matrices = [scipy.sparse.csr_array(m) for m in (np.eye(2), np.ones((2, 2)))]
        return [[m @ x for _ in range(3)][2] for m in matrices]

    assert patterns(f, 2) == [[1, 0], [0, 1], [1, 1], [1, 1]]


# ------------------------------------------------------------------------- what is written
def test_writes_are_made_again():
    def f(x):
        y = np.zeros_like(x)
        for i in range(3):
            np.add.at(y, [0, 0], x[i : i + 2])
        np.copyto(y, x[::-1], where=[False, True, False, True])
        return y

    assert patterns(f) == [[1, 1, 1, 1], [0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]]


def test_writes_into_an_operand_that_shares_memory():
    def f(x):
        y = x * 1.0
        for _ in range(4):
            np.copyto(y[1:], y[:-1])
        return y

    assert patterns(f) == [[1, 0, 0, 0]] * 4


def test_writes_into_read_only_arrays_are_refused():
    def f(x):
        for i in range(4):
            y = x * 1.0
            if i == 3:
                y.setflags(write=False)
            np.add.at(y, [0, 0], x[:2])
        return y

    plain = np.ones(2)
    plain.setflags(write=False)
    expected = st.EscapeError
    try:
        np.add.at(plain, [0, 0], np.ones(2))  # up to NumPy 2.4 it does not look at the flag
    except ValueError:
        expected = ValueError
    with pytest.raises(expected, match="read-only"):
        patterns(f)


def test_views_stay_views():
    def f(x):
        y = np.zeros((2, 2)) + x[:4].reshape(2, 2)
        for i in range(4):
            np.real_if_close(y).reshape(-1)[i] = x[0]
            np.copy(y)[0] = x[3]
        return y

    assert patterns(f) == [[1, 0, 0, 0]] * 4


def test_results_share_nothing():
    def f(x):
        results = [np.meshgrid(x[:2], x[2:]) for _ in range(4)]
        results[2][0][...] = 0.0
        results[2][1][0] = x[0]
        return results[3]

    wanted = [[1, 0, 0, 0], [0, 1, 0, 0]] * 2 + [[0, 0, 1, 0]] * 2 + [[0, 0, 0, 1]] * 2
    assert patterns(f) == wanted


# ----------------------------------------------------------------------------- what is kept
def test_functions_of_the_users_are_called_each_time():
    called = Outside()

    def g(part):
        called.append(part)
        return part * 2

    def f(x):
        return [np.piecewise(x, [[True, False]], [g, 0.0]) for _ in range(4)][3]

    assert patterns(f, 2) == [[1, 0], [0, 0]]
    assert len(called) == 4


def test_errors_are_raised_each_time():
    def f(x):
        caught = 0
        for _ in range(4):
            try:
                np.cross(x[:3], np.ones(5))
            except ValueError:
                caught += 1
        assert caught == 4
        return x

    assert patterns(f) == np.eye(4, dtype=int).tolist()


def test_a_rule_of_the_users_is_heeded():
    def f(x):
        return [np.trace(x.reshape(2, 2)) for _ in range(3)][2]

    assert patterns(f) == [[1, 0, 0, 1]]
    rule = dict(RULES)
    listed = set(lookup.FUNCTIONS)
    try:
        st.register_rule(np.trace, lambda a: a.sum())
        assert patterns(f) == [[1, 1, 1, 1]]
    finally:
        RULES.clear()
        RULES.update(rule)
        lookup.FUNCTIONS |= listed


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(lookup, "_MOST_SEEN", 8)
    monkeypatch.setattr(lookup, "_MOST_RECIPES", 4)

    def f(x):
        for i in range(20):
            for _ in range(3):
                y = np.dot(x, np.arange(float(i), i + 4))
        return y

    assert patterns(f) == [[1, 1, 1, 1]]
    assert len(lookup._SEEN) <= 8
    assert len(lookup._RECIPES) <= 4


def test_large_operands_are_left_to_the_rules():
    def f(x):
        return [np.cumsum(x) for _ in range(3)][2]

    st.jacobian_sparsity(f, np.ones(1000))
    assert not lookup._SEEN
    st.jacobian_sparsity(f, np.ones(100))  # 5050 parents, where the rule has 200
    (recipe,) = lookup._RECIPES.values()
    assert sum(step.parents.size for step in recipe.steps) < 1000


def test_recordings_leave_no_trace_behind():
    def graphs():
        gc.collect()
        return {id(x) for x in gc.get_objects() if type(x) is Graph}

    def f(x):
        return [np.linalg.solve(x.reshape(2, 2), np.ones(2)) for _ in range(3)][2]

    before = graphs()
    st.jacobian_sparsity(f, np.ones(4))
    assert len(lookup._RECIPES) > 0
    assert graphs() <= before


def test_threads_record_for_each_other():
    def f(x):
        return [np.convolve(x, [1.0, 0.0, 2.0]) for _ in range(50)][49]

    wanted = patterns(lambda x: np.convolve(x, [1.0, 0.0, 2.0]))
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: patterns(f), range(16)):
            assert found == wanted


@pytest.mark.parametrize("error", [None, st.GraphSizeError("too ragged")])
def test_a_call_whose_unions_are_too_large_is_answered_by_its_rule(error, monkeypatch):
    monkeypatch.setattr(recording, "_MOST_MEMBERS", 1)
    if error is not None:
        monkeypatch.setattr(recording, "propagate", Mock(side_effect=error))
    mask = np.arange(12) % 2 == np.arange(12)[:, None] % 3 // 2

    def f(x):
        return [mask @ (x * k) for k in range(1, 5)][3]

    lookup.forget()
    assert (dense(st.jacobian_sparsity(f, np.ones(12))) == mask).all()

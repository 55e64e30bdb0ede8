"""Loops that end by what they compute, beside straight code of each number of turns."""

import itertools

import numpy as np
import pytest

from sparsetrace import EscapeError, ValueDependentError, hessian_sparsity, jacobian_sparsity
from tests.cases import converging_loops as loops

pytestmark = pytest.mark.usefixtures("seen_functions")
X = np.array([1.0, 2.0, 0.5, 3.0])
TURNS = [*range(10), 33, 34]


def by_value(state, x):
    """Goes on until something is small, which for a trace may be at any turn."""
    return np.abs(state).max() > 1e3 * x[0]


def some_turns(number):
    left = iter([True] * number)
    return lambda state, x: next(left, False)


def union_over_turns(patterns):
    return np.logical_or.reduce([pattern.toarray() for pattern in patterns])


def straight(detect, f):
    return union_over_turns(detect(lambda x, n=number: f(x, some_turns(n)), X) for number in TURNS)


@pytest.mark.parametrize("f", loops.TRACED)
def test_as_straight_code_of_any_number_of_turns(f):
    found = jacobian_sparsity(lambda x: f(x, by_value), X).toarray()
    np.testing.assert_array_equal(found, straight(jacobian_sparsity, f))


@pytest.mark.parametrize("f", loops.TRACED)
def test_nothing_is_missing_in_second_order(f):
    def total(x, goes_on):
        return np.sum(f(x, goes_on) ** 2)

    found = hessian_sparsity(lambda x: total(x, by_value), X).toarray()
    assert not (straight(hessian_sparsity, total) & ~found).any()


@pytest.mark.parametrize("f", loops.DOUBTFUL)
def test_nothing_is_missing_where_it_may_be_refused(f):
    try:
        found = jacobian_sparsity(lambda x: f(x, by_value), X).toarray()
    except ValueDependentError:
        return
    assert not (straight(jacobian_sparsity, f) & ~found).any()


def test_many_elements():
    """Two hundred, of which each comes to depend on those before it, one more in each turn."""

    def f(x):
        y = x.copy()
        for _ in range(10_000):
            new = y - 0.01 * y**3
            new[1:] += 0.01 * y[:-1]
            change, y = np.abs(new - y).max(), new
            if change < 1e-9:
                break
        return y

    with np.errstate(all="ignore"):
        assert jacobian_sparsity(f, np.ones(120)).nnz == 120 * 121 // 2


def test_a_list_of_all_states_is_refused():
    def f(x):
        y, kept = x.copy(), []
        while np.abs(y).max() > 1e-3:
            y = y * 0.5
            kept.append(y)
        return kept[len(kept) // 2]

    with pytest.raises(ValueDependentError, match="turns"):
        jacobian_sparsity(f, X)


def counted_to_the_end(x):
    k, y = 0, x.copy()
    while np.abs(y).max() > 1e-9:
        y, k = y * 0.5, k + 1
    return x[min(k, 59)]


def an_index_that_grows(x):
    i, y = int(np.argmax(x[:3])), x[0]
    while y > 1e-9:
        y, i = y * 0.5, min(i + 1, 59)
    return x[i]


def an_item_that_grows(x):
    state, y = {"i": np.argmax(x[:3])}, x[0]
    while y > 1e-9:
        y = y * 0.5
        state["i"] = np.minimum(state["i"] + 1, 59)
    return x[state["i"]]


def in_a_range(x):
    i, y = int(np.argmax(x[:3])), x[0]
    for _ in range(1000):
        if y < 1e-9:
            break
        y, i = y * 0.5, min(i + 1, 59)
    return x[i]


@pytest.mark.parametrize(
    "f", [counted_to_the_end, an_index_that_grows, an_item_that_grows, in_a_range]
)
def test_bounds_of_numbers_grow_with_the_turns(f):
    """An index that later turns move on may be any: not just one that the first turns gave."""
    assert jacobian_sparsity(f, np.full(60, 1e-10)).nnz == 60


def test_a_number_of_all_integers():
    def f(x):
        y = x[0]
        for i in itertools.count():  # noqa: B007
            y = y * 0.5
            if y < 1e-9:
                break
        return x[min(i, 59)]

    assert jacobian_sparsity(f, np.full(60, 1e-10)).nnz == 60


FACTORS = {f"turn {turn}": float(turn == 40) for turn in range(60)}


def by_the_text_of_a_counter(x, goes_on):
    y, k = x[2] * 1.0, 0
    while goes_on(y, x):
        y = y + FACTORS.get(f"turn {k}", 0.0) * x[1]
        k += 1
    return np.array([y])


def by_the_text_of_a_place(x, goes_on):
    y = x[2] * 1.0
    for k in itertools.count():
        if not goes_on(y, x):
            break
        if str(k) == "40":
            y = y + x[1]
    return np.array([y])


def by_the_text_of_a_sum(x, goes_on):
    y, counts = x[2] * 1.0, {"turns": 0}
    while goes_on(y, x):
        y = y + FACTORS.get("turn %d" % (counts["turns"] + 0), 0.0) * x[1]  # noqa: UP031
        counts["turns"] += 1
    return np.array([y])


@pytest.mark.parametrize(
    "f", [by_the_text_of_a_counter, by_the_text_of_a_place, by_the_text_of_a_sum]
)
def test_the_text_of_a_counter_is_that_of_a_number(f):
    expected = union_over_turns(
        jacobian_sparsity(lambda x, n=n: f(x, some_turns(n)), X) for n in (0, 1, 41, 50)
    )
    try:
        found = jacobian_sparsity(
            lambda x: f(x, by_value), X, verify=False, max_paths=100
        ).toarray()
    except (ValueDependentError, EscapeError):
        return
    assert not (expected & ~found).any()


def reported(x, goes_on):
    y, k = x.copy(), 0
    while goes_on(y, x):
        y = 0.5 * y
        k += 1
        if k > 10_000:
            raise RuntimeError(f"no convergence after {k} turns")
    print(f"{k} turns")
    return y


def test_the_text_of_a_counter_may_be_shown():
    found = jacobian_sparsity(lambda x: reported(x, by_value), X).toarray()
    np.testing.assert_array_equal(found, np.eye(4, dtype=bool))


def scaled(v):
    if v is np.ma.masked:
        return v
    return 0.5 * v if v < 0.7 else 0.3 * v


def until_small(x):
    y = x[0]
    while np.abs(y) > 0.1:
        step = scaled(y)
        y = step * 0.3 + scaled(step) * x[1]
    return y


def test_a_comparison_with_masked_tells_no_numbers_apart():
    assert jacobian_sparsity(until_small, np.array([0.9, 0.2, 1.0])).indices.tolist() == [0, 1]

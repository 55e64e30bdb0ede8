"""Global patterns through branches: the union over all paths, or an error that says why not."""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from cases.branching_functions import (
    any_all,
    asserted,
    bool_called,
    bounded_while,
    breaks,
    chained,
    choice_of_function,
    conjunction,
    disjunction,
    early_return,
    elif_chain,
    equality,
    floor_decides,
    if_else,
    matched,
    nested,
    one_sided,
    refused_deeper,
    total,
)
from oracles import assert_same_pattern
from sparsetrace.capture.branches import Branches, OtherDecisions


def columns(f, n=4, **options):
    """The columns of the one row."""
    pattern = st.jacobian_sparsity(f, np.ones(n), **options)
    assert pattern.shape[0] == 1
    return set(pattern.indices.tolist())


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (if_else, {0, 1}),
        (elif_chain, {0, 1, 2, 3}),
        (nested, {0, 2, 3}),
        (conjunction, {1, 2}),
        (disjunction, {1, 2}),
        (chained, {1, 2}),
        (bool_called, {1, 2}),
        (equality, {1, 2}),
        (any_all, {1, 2, 3}),
        (total, {1, 2}),
        (matched, {0, 2, 3}),
        (early_return, {0, 1, 2, 3}),
        (breaks, {0, 1, 2, 3}),
        (bounded_while, {0, 1, 2, 3}),
        (one_sided, {1}),
        (asserted, {2}),
        (refused_deeper, {0, 1}),
        (floor_decides, {1, 2}),
        (choice_of_function, {1}),
    ],
)
def test_the_union_over_all_paths(f, expected):
    assert columns(f) == expected


def test_the_condition_itself_is_followed_in_dependency_mode():
    assert columns(conjunction, dependency=True) == {0, 1, 2}


def test_a_branch_that_chooses_the_buffer():
    def f(x):
        a, b = np.zeros(2), np.zeros(2)
        (a if x[0] > 0 else b)[:] = x[1:3]
        return a, b

    expected = np.zeros((4, 4))
    expected[[0, 1, 2, 3], [1, 2, 1, 2]] = 1
    assert_same_pattern(st.jacobian_sparsity(f, np.ones(4)), expected)


def test_a_buffer_that_is_promoted_on_the_second_path_alone():
    def f(x):
        out = np.zeros(2)
        if x[0] > 0:
            out[1] = x[1]
        return out

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(2)), [[0, 0], [0, 1]])


def test_no_branch_is_needed():
    def f(x):
        y = np.where(x > 0, x, 0) + np.clip(x, 0, 1) + np.maximum(x, 0.5) + abs(x)
        y[x > 1] = 0
        return y * (x > 0), np.select([x > 1], [x]), max(x), min(x)

    assert st.jacobian_sparsity(f, np.ones(3), max_paths=1).nnz == 3 + 3 + 3 + 3


def test_a_loop_that_cannot_be_run_apart_may_take_many_turns():
    """The first try gives it up after a few turns, and a later one takes them all."""

    def f(x):
        seen, y, k = [], x[0] * 1.0, 0
        while k < 40 and np.sum(y) < 9.0:
            seen.append(locals().get("y"))
            y, k = y + x[1], k + 1
        return y * x[2]

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 3


@pytest.mark.parametrize("instead", [0.0, np.nan, (0.0,), np.zeros((2, 3))])
def test_a_path_with_values_of_another_number_but_no_derivative_is_left_out(instead):
    def f(x):
        return instead if np.any(x > 3) else x[:2] * x[2]

    pattern = st.jacobian_sparsity(f, np.ones(3))
    assert_same_pattern(pattern, np.array([[1, 0, 1], [0, 1, 1]]))
    assert pattern.left_out == (f"{np.size(instead)} values without derivatives, in place of 2",)
    assert str(pattern.leaf_of_row(1)) == "f[1]"


@pytest.mark.parametrize(
    ("f", "rows"),
    [
        (lambda x: 0.0 if x[0] > 0 else np.zeros(2), [[0, 0]]),
        (lambda x: x[0] if x[0] > 0 else (x[:2] if x[1] > 0 else np.zeros(3)), [[1, 0]]),
        (lambda x: x[:1] if x[0] > 0 else x, [[1, 0]]),
        (lambda x: [] if x[0] > 0 else x, np.zeros((0, 2))),
    ],
)
def test_which_number_of_values_is_meant_the_arguments_say(f, rows):
    pattern = st.jacobian_sparsity(f, np.ones(2))
    assert_same_pattern(pattern, rows)
    assert pattern.left_out


def test_a_number_of_values_depends_on_the_branch():
    """Which is heeded where values are followed: then no size is without dependencies."""
    pattern = st.jacobian_sparsity(lambda x: 0.0 if x[0] > 0 else x, np.ones(2), dependency=True)
    assert_same_pattern(pattern, [[1, 0]])
    assert pattern.left_out == ("2 values, in place of 1 as for the given arguments",)


def test_an_error_on_every_path_is_the_functions_own():
    def f(x):
        raise ValueError("above" if x[0] > 0 else "below")

    with pytest.raises(ValueError, match="below"):
        st.jacobian_sparsity(f, np.ones(2))


def test_what_one_path_fails_by_is_left_out_and_said():
    def f(x):
        return x[0] if x[0] > 0 else x[7]

    pattern = st.jacobian_sparsity(f, np.ones(2))
    assert pattern.indices.tolist() == [0]
    assert pattern.left_out == (
        "IndexError: index 7 is out of bounds for axis 0 with size 2 at "
        f"{__file__}:{f.__code__.co_firstlineno + 1} (in f)",
    )
    assert st.jacobian_sparsity(np.sin, np.ones(2)).left_out == ()


def asks_for_the_type(x):
    if x[0] > 0:
        if type(x) is not np.ndarray:
            raise TypeError("an array is wanted")
        return x * 2
    return x[::-1]


def asks_for_text(x):
    if x[0] > 0:
        if not str(x[1]).lstrip("-")[0].isdigit():
            raise ValueError("a number is wanted")
        return x * 2
    return x[::-1]


def asks_a_helper(x):
    def fail():
        raise ValueError("memory is wanted")

    if x[0] > 0:
        if not hasattr(x, "__array_interface__"):
            fail()
        return x * 2
    return x[::-1]


@pytest.mark.parametrize("f", [asks_for_the_type, asks_for_text, asks_a_helper])
def test_a_path_that_the_trace_itself_makes_fail_is_not_left_out(f):
    shown = ""
    try:
        pattern = st.jacobian_sparsity(f, np.ones(3))
    except st.TracingError as error:
        shown = str(error) + "".join(error.__notes__)
    else:
        assert_same_pattern(pattern, np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]]))
        assert not pattern.left_out
    assert not shown or ("test_branches.py" in shown and "decisions" in shown)


def test_a_refused_call_on_one_path_is_not_ignored():
    def f(x):
        return x[0] if x[0] > 0 else np.unique(x, axis=0).sum()

    with pytest.raises(st.ValueDependentError, match="unique"):
        st.jacobian_sparsity(f, np.ones(2))


# ------------------------------------------------------------------ too many paths
def line_of(f, offset):
    return f"test_branches.py:{f.__code__.co_firstlineno + offset} (in {f.__name__})"


def newton(x):
    r, y = 1.0, [x[0]]
    while abs(r) > 1e-9:
        r = y[-1] ** 2 - x[1]
        y.append(y[-1] - r / (2 * y[-1]))
    return y[-1]


def bisection(x):
    ends = [x[0], x[1]]
    while True:
        middle = (ends[-2] + ends[-1]) / 2
        if abs(middle) < 1e-9:
            break
        ends.append(middle)
    return ends[-1]


@pytest.mark.parametrize(("f", "offsets"), [(newton, [2]), (bisection, [2, 4])])
def test_a_loop_that_the_inputs_end_is_refused_at_once(f, offsets):
    runs = Outside()

    def counted(x):
        runs.append(None)
        return f(x)

    with pytest.raises(st.ValueDependentError) as caught:
        st.jacobian_sparsity(counted, np.ones(2))
    assert len(runs) < 150
    assert any(line_of(f, offset) in str(caught.value) for offset in offsets)  # of loop or branch
    assert "max_paths" in str(caught.value)


def many(x):
    total = x[0] if x[0] > 1 else 0.0
    for v in x:
        name = "large" if v > 0 else NOTED.append(v) or "small"
        total = total + {"large": v, "small": 0.0}[name]
    return total


NOTED = Outside()


def test_the_line_that_branched_most_is_named():
    with pytest.raises(st.ValueDependentError, match="more than max_paths=64") as caught:
        st.jacobian_sparsity(many, np.ones(8), max_paths=64)
    assert line_of(many, 3) in str(caught.value)
    assert columns(many, 8) == set(range(8))


@pytest.mark.slow
def test_a_long_loop_that_ends_is_traced():
    def f(x):
        y = 0.0
        for v in x:
            if not v < 1:
                return y
            y = y + v
        return y

    def g(x):
        y = 0.0
        for v in x:
            if v > 1:
                return y
            y = y + v
        return y

    n = 150
    assert columns(f, n) == columns(g, n) == set(range(n))
    assert columns(g, n, max_paths=n + 2) == set(range(n))
    with pytest.raises(st.ValueDependentError):
        columns(g, n, max_paths=n // 10)


def test_paths_are_enumerated_once_each():
    branches, found = Branches(max_paths=100), []
    while branches.start():
        outcome = [branches.decide()]
        if outcome[0]:
            outcome += [branches.decide(), branches.decide()]
        found.append(tuple(outcome))
    assert found == [
        (False,),
        (True, False, False),
        (True, False, True),
        (True, True, False),
        (True, True, True),
    ]


def decided(branches, count=2):
    return tuple(branches.decide() for _ in range(count))


def all_ways(branches):
    ways = []
    while branches.start():
        decided(branches)
        ways.append(branches.way())
    return ways


def test_paths_that_were_run_before_are_run_again():
    ways = all_ways(Branches(8))
    again, outcomes = Branches(8, only=ways[1:3]), []
    while again.start():
        outcomes.append(decided(again))
    assert outcomes == [(False, True), (True, False)]


@pytest.mark.parametrize("count", [1, 3])
def test_such_a_path_that_takes_more_or_fewer_decisions_is_refused(count):
    again = Branches(8, only=all_ways(Branches(8))[2:])
    assert again.start()

    def to_the_end():
        decided(again, count)
        again.start()

    with pytest.raises(OtherDecisions, match="did not come to"):
        to_the_end()


@pytest.mark.parametrize("among", [3, 2])
def test_a_run_that_takes_other_decisions_than_the_one_before_is_refused(among):
    branches = Branches(max_paths=100)
    assert branches.start()
    assert not branches.decide(among=2)
    assert not branches.decide()

    def again():  # the same place with three to choose from; or no decision at all
        while branches.start():
            if among == 3:
                branches.decide(among=3)

    with pytest.raises(OtherDecisions, match=r"test_branches.py:\d+ \(in test_a_run"):
        again()


def test_a_function_that_differs_from_call_to_call_is_refused(tmp_path):
    kept = tmp_path / "kept"
    kept.write_bytes(b"01" * 100)
    with kept.open("rb", buffering=0) as file:

        def f(x):
            if file.read(1) == b"0":
                return x[0] if x[1] > 0 else x[2]
            return x[1] if x[2] > 0 else x[3]

        with pytest.raises(st.ValueDependentError, match="from one call to the next"):
            st.jacobian_sparsity(f, np.ones(4))


def test_a_thousand_paths_through_a_cheap_function():
    runs, noted = Outside(), Outside()

    def f(x):
        runs.append(None)
        total = 0.0
        for i in range(10):
            if x[i] > 0:
                noted.append(i)
                total = total + x[i] * x[i + 10]
        return total

    assert columns(f, 20) == set(range(20))
    # some, to see if running calls apart does as well, or loops turn by turn
    assert 2**10 <= len(runs) < 1.2 * 2**10
    runs.clear()
    assert columns(f, 20, max_paths=2**13) == set(range(20))
    assert len(runs) == 2**10


INFINITE = {
    "less than minus infinity": lambda x: x[0] if x[0] < -np.inf else x[1],
    "greater than infinity": lambda x: x[0] if x[0] > np.inf else x[1],
    "of a computed value": lambda x: x[2] if np.exp(x[0]) > np.inf else x[1],
    "the other way round": lambda x: x[0] if -np.inf > x[0] else x[1],
    "of a number of Python's": lambda x: x[0] if x.tolist()[0] < float("-inf") else x[1],
    "all elements": lambda x: x[0] if (x < -np.inf).any() else x[1],
    "a bound of limits": lambda x: np.where(x[:1] < np.array([-np.inf]), x[:1], x[1:2]),
}


@pytest.mark.parametrize("name", INFINITE)
def test_what_no_number_can_be_is_no_branch(name):
    assert columns(INFINITE[name]) == {1}


UNDECIDED = {
    "overflow": lambda x: x[0] if np.exp(x[1]) < np.inf else x[2],
    "nan": lambda x: x[0] if np.log(x[1]) <= np.inf else x[2],
    "equal": lambda x: x[2] if np.exp(x[1]) == np.inf else x[0],
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_an_overflow_and_nan_are_branches(name):
    assert columns(UNDECIDED[name]) == {0, 2}


def test_constants_that_change_later_decide_nothing():
    f = INFINITE["less than minus infinity"]
    assert columns(f, constants="structure") == {0, 1}
    bound = -np.inf
    found = st.jacobian_sparsity(lambda x, b: x[0] if x[0] < b else x[1], np.ones(2), bound)
    assert found.nnz == 2

"""Events of `scipy.integrate.solve_ivp`: times and states at zeros of a function, and of steps.

Their patterns and Hessians are compared with differences by tests/scipy_rules/test_calls.py.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate as sg

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, jacobian_pattern_at

START = np.array([1.2, 2.0, 0.7, 1.5])
EXACT = {"rtol": 1e-10, "atol": 1e-12}


def apart(t, y):
    return [-y[0], -y[1] / 2, 1.0]


def half(t, y):
    return y[0] - 0.5


def stop(t, y):
    return y[0] - 0.5


stop.terminal = True


def solved(x, events, **options):
    return sg.solve_ivp(apart, (0, 5), x[:3], events=events, **EXACT, **options)


def twice(t, y):
    return np.cos(t * y[2])


twice.terminal = 2
AT_A_POINT = {
    "how many": lambda x: len(solved(x, half).t_events[0]) * x[3],
    "none": lambda x: (solved(x, lambda t, y: y[2] + 1).t_events[0], x[0]),
    "in turn": lambda x: np.sum([t * x[3] for t in solved(x, twice).t_events[0]]),
    "the second is the end": lambda x: solved(x, [half, twice]).y[1:, -1],
    "times before the end": lambda x: solved(x, stop, t_eval=[0.0, 0.1, 0.4, 4.0]).y[1],
    "times after the end": lambda x: (np.asarray(solved(x, stop, t_eval=[4.0]).y), x[0]),
    "a list of times": lambda x: solved(x, half, t_eval=[0.0, 0.1, 4.0]).y[:2],
    "of a number outside": lambda x: sg.solve_ivp(
        apart, (0, 5), START[:3], events=lambda t, y: y[0] - x[3] / 4, **EXACT
    ).t_events[0],
}
STEPS = {
    "first times": lambda x: sg.solve_ivp(apart, (x[0], 5), x[1:]).t[:3],
    "last times": lambda x: sg.solve_ivp(apart, (0, x[0]), x[1:]).t[-2:],
    "states": lambda x: sg.solve_ivp(apart, (0, 3), x[:3]).y[:, :-1],
    "times up to an event": lambda x: sg.solve_ivp(apart, (0, 5), x[:3], events=stop).t[:-1],
    "in the equation": lambda x: sg.solve_ivp(lambda t, y: -x[:3] * y, (0, 5), START[:3]).y[:, :-1],
}


@pytest.mark.parametrize("f", AT_A_POINT.values(), ids=AT_A_POINT)
def test_at_a_point(f):
    assert_same_pattern(st.jacobian_sparsity(f, START, local=True), jacobian_pattern_at(f, START))


def test_the_last_step_of_a_solver_that_could_not_go_on():
    def blown_up(x):
        found = sg.solve_ivp(lambda t, y: [y[0] ** 2, -y[1]], (0, 5), x[:2])
        return found.t[-1], found.y[1, -1]

    pattern = st.jacobian_sparsity(blown_up, START, local=True)
    assert pattern.toarray().tolist() == [[True, True, False, False]] * 2


@pytest.mark.parametrize("f", STEPS.values(), ids=STEPS)
def test_steps_depend_on_all_components(f):
    """The last state does not."""
    assert_covers(st.jacobian_sparsity(f, START, local=True), jacobian_pattern_at(f, START))
    pattern = st.jacobian_sparsity(
        lambda x: sg.solve_ivp(apart, (0, 3), x[:3]).y[:, -1], START, local=True
    )
    assert pattern.nnz == 3


def test_a_condition_on_constants_that_may_be_any_number():
    """Nothing in the equation is traced, and the event ends it."""

    def stops(x):
        def condition(t, y):
            return y[0] - x[3] / 4

        condition.terminal = True
        found = sg.solve_ivp(apart, (0, 5), START[:3], events=[condition])
        return found.t[-1], found.y[1, -1]

    for local in (False, True):
        pattern = st.jacobian_sparsity(stops, START, local=local).toarray()
        assert pattern.tolist() == [[False, False, False, True]] * 2


def test_where_there_may_be_none():
    """How many there are is asked, in a branch."""

    def height(x):
        found = solved(x, stop)
        if found.status == 1 and found.t_events[0].size:
            return found.y_events[0][0, 1]
        return found.y[2, -1]

    pattern = st.jacobian_sparsity(height, START).toarray()
    assert pattern.tolist() == [[True, True, True, False]]


@pytest.mark.parametrize(
    "use",
    [
        lambda found: len(found.t_events[0]),
        lambda found: np.mean(found.t_events[0]),
        lambda found: list(found.y_events[0]),
        lambda found: found.t_events[0][:1],
        lambda found: found.y_events[0].shape,
    ],
)
def test_how_many_there_are_is_known_at_a_point_alone(use):
    def f(x):
        use(solved(x, half))
        return x

    with pytest.raises(st.UnsupportedError, match=r"how many events there are.*local=True"):
        st.jacobian_sparsity(f, START)
    assert st.jacobian_sparsity(f, START, local=True).nnz == 4


def test_times_that_come_before_the_end():
    def f(x):
        return solved(x, stop, t_eval=[0.1, 0.2]).y

    with pytest.raises(st.UnsupportedError, match="how many times come before an event"):
        st.jacobian_sparsity(f, START)
    assert st.jacobian_sparsity(f, START, local=True).nnz == 6

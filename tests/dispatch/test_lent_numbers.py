"""What functions keep of the numbers that a solver of SciPy's hands to them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate as si
import scipy.optimize as so
from numpy.testing import assert_array_equal

import sparsetrace as st
from sparsetrace.errors import TracingError, UnsupportedError

X = np.array([0.7, 1.3])


def keeping(solve, read):
    """A function that makes its result of what `solve` has handed to another one."""

    def f(x):
        seen = []
        solve(x, lambda place: seen.append(place) or place)
        return read(seen, x)

    return f


def decay(x, keep):
    si.solve_ivp(lambda t, y: -keep(y) * x[0], [0, 1], [x[1], 1.0])


KEPT = {
    "solve_ivp": keeping(decay, lambda seen, x: seen[-1]),
    "solve_ivp, made of it later": keeping(decay, lambda seen, x: [seen[-1][1] * x[0]]),
    "odeint": keeping(
        lambda x, keep: si.odeint(lambda y, t: -keep(y) * x[0], [x[1]], [0, 1]),
        lambda seen, x: seen[-1],
    ),
    "brentq": keeping(
        lambda x, keep: so.brentq(lambda z: keep(z) - x[0], 0, 9), lambda seen, x: seen[-1]
    ),
    "root": keeping(
        lambda x, keep: so.root(lambda z: keep(z) - x, [1.0, 1.0]), lambda seen, x: seen[-1]
    ),
    "minimize": keeping(
        lambda x, keep: so.minimize(lambda z: ((keep(z) - x) ** 2).sum(), [1.0, 1.0]),
        lambda seen, x: seen[-1],
    ),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("local", [False, True])
def test_results_made_of_what_was_kept_of_a_search_are_refused(name, local):
    with pytest.raises(UnsupportedError, match=r"keeps numbers of the search.*once more there"):
        st.jacobian_sparsity(KEPT[name], X, local=local)


def within(x):
    """A search within another one: what the inner one gives is handed to the outer one."""

    def outer(z):
        return so.brentq(lambda w: w**3 + w - z, -9, 9) - x[0]

    return so.brentq(outer, 0.0, 9.0) * x[1]


def history(x):
    """What is kept for a plot, and not returned."""
    seen, total = [], []
    found = so.root(lambda z: seen.append(z * 2) or z - x, [1.0, 1.0]).x
    total.append(np.sum(seen))
    return found


USED = {
    "in one another": (within, [[1, 1]]),
    "for no result": (history, [[1, 0], [0, 1]]),
    "at the solution": (
        keeping(
            lambda x, keep: so.brentq(lambda z: z - x[0], 0, 9),
            lambda seen, x: [so.brentq(lambda z: z - x[0], 0, 9) * 2],
        ),
        [[1, 0]],
    ),
    "times": (
        keeping(
            lambda x, keep: si.solve_ivp(lambda t, y: -y + keep(t * x[0]), [0, x[1]], [1.0]),
            lambda seen, x: max(seen),
        ),
        [[1, 1]],
    ),
    "times of odeint": (
        keeping(
            lambda x, keep: si.odeint(lambda y, t: -y + keep(t * x[0]), 1.0, [0, x[1]]),
            lambda seen, x: max(seen),
        ),
        [[1, 1]],
    ),
    "places": (
        keeping(lambda x, keep: si.quad(lambda t: keep(t * x[0]), 0, x[1]), lambda s, x: max(s)),
        [[1, 1]],
    ),
    "places between constants": (
        keeping(lambda x, keep: si.quad(lambda t: keep(t * x[0]), 0, 2), lambda s, x: max(s)),
        [[1, 0]],
    ),
}


@pytest.mark.parametrize("name", USED)
@pytest.mark.parametrize("local", [False, True])
def test_what_is_known_of_the_numbers_that_were_handed_over_is_traced(name, local):
    function, expected = USED[name]
    assert_array_equal(st.jacobian_sparsity(function, X, local=local).toarray(), expected)


def test_many_searches_are_told_apart():
    def f(x):
        found, last = [], []
        for i in range(100):
            start = so.brentq(lambda z, i=i: z - x[i % 2] / (i + 1), 0, 9)
            found.append(start)
            last.append(start * 2)
        return np.array(found)[:2] + last[-1]

    assert_array_equal(st.jacobian_sparsity(f, X).toarray(), [[1, 1], [0, 1]])


def grown(x):
    y = x.copy()
    for _ in range(3000):
        y = y[::-1] * x
    return y


def test_a_graph_may_be_flushed_where_nothing_that_is_in_use_was_kept():
    def f(x):
        return grown(so.root(lambda z: z - x, np.ones(2)).x)

    assert_array_equal(st.jacobian_sparsity(f, X, max_memory=20_000).toarray(), np.ones((2, 2)))


def test_a_graph_is_not_flushed_where_something_was_kept():
    def f(x):
        seen = []
        so.root(lambda z: seen.append(z) or z - x, np.ones(2))
        return grown(x) + seen[-1]

    with pytest.raises(TracingError, match=r"numbers of (a solver's|the) search"):
        st.jacobian_sparsity(f, X, max_memory=20_000)
    with pytest.raises(UnsupportedError, match="keeps numbers"):
        st.jacobian_sparsity(f, X)

"""What functions keep of the numbers that a solver of SciPy's hands to them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate as si
import scipy.linalg as sa
import scipy.optimize as so
import scipy.sparse.linalg as sl
import scipy.stats as ss
from numpy.testing import assert_array_equal
from scipy.cluster.hierarchy import linkage
from scipy.optimize import elementwise

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
    "what is least": keeping(
        lambda x, keep: so.minimize(lambda z: keep((z[0] - x[0]) ** 2), x[1]),
        lambda seen, x: [seen[0] + x[0]],
    ),
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("local", [False, True])
def test_results_made_of_what_was_kept_of_a_search_are_refused(name, local):
    with pytest.raises(UnsupportedError, match=r"keeps numbers of the search.*once more there"):
        st.jacobian_sparsity(KEPT[name], X, local=local)


def least(solve):
    """A function that returns how near to 0.3 what it was handed has come."""

    def f(x):
        best = [9.0]

        def keep(place):
            best[0] = min(best[0], np.abs(np.asarray(place) - 0.3).min())
            return place

        solve(x, keep)
        return best[0]

    return f


def square(z):
    return ((z - 2) ** 2).sum()


def cubic(t, y):
    return np.stack([y[1], -y[0]])


MESH, GUESS = np.linspace(0, 1, 5), np.ones((2, 5))
LEAST = {
    "brentq": lambda x, keep: so.brentq(lambda z: keep(z) ** 2 - x[0], 0, 9),
    "brentq between traced ends": lambda x, keep: so.brentq(lambda z: keep(z) - 1, 0, 2 + x[0]),
    "newton": lambda x, keep: so.newton(lambda z: keep(z) ** 2 - x[0], x[1]),
    "fprime": lambda x, keep: so.newton(lambda z: z**2 - x[0], x[1], fprime=lambda z: 2 * keep(z)),
    "fixed_point": lambda x, keep: so.fixed_point(lambda z: np.cos(keep(z)) * x[0], 0.7),
    "secant": lambda x, keep: so.root_scalar(lambda z: keep(z) ** 2 - x[0], x0=0.9, x1=x[1]),
    "both at once": lambda x, keep: so.root_scalar(
        lambda z: (keep(z) ** 2 - x[0], 2 * z), x0=x[1], fprime=True
    ),
    "root": lambda x, keep: so.root(lambda z: keep(z) ** 2 - x[0], [x[1]]),
    "minimize from a traced start": lambda x, keep: so.minimize(lambda z: square(keep(z)), x),
    "jac": lambda x, keep: so.minimize(square, x, jac=lambda z: 2 * (keep(z) - 2)),
    "constraint": lambda x, keep: so.minimize(
        square, x, constraints={"type": "ineq", "fun": lambda z: keep(z)[0] - 1}
    ),
    "constraint of its own kind": lambda x, keep: so.minimize(
        square, x, constraints=so.NonlinearConstraint(lambda z: keep(z)[0], 0, 9), method="SLSQP"
    ),
    "callback": lambda x, keep: so.minimize(square, x, callback=lambda z: [keep(z), None][1]),
    "callback of a result": lambda x, keep: so.minimize(
        square, x, callback=lambda intermediate_result: [keep(intermediate_result.fun), None][1]
    ),
    "callback of a root": lambda x, keep: so.root(
        lambda z: z**3 - x, [1.0, 1.0], method="krylov", callback=lambda z, r: [keep(z), None][1]
    ),
    "callback of newton_krylov": lambda x, keep: so.newton_krylov(
        lambda z: z**3 - x, [1.0, 1.0], callback=lambda z, r: [keep(z), None][1]
    ),
    "curve_fit": lambda x, keep: so.curve_fit(
        lambda t, a, b: keep(a) * t + b, MESH, MESH * x[0], p0=[x[1], 1.0]
    ),
    "least_squares": lambda x, keep: so.least_squares(lambda z: keep(z) ** 2 - 1, x),
    "find_root": lambda x, keep: elementwise.find_root(lambda z: keep(z) ** 3 - 1, (0.0, 2 + x[0])),
    "times of solve_ivp": lambda x, keep: si.solve_ivp(
        lambda t, y: -y * x[0] + 0 * keep(t), (0, 1), [x[1]]
    ),
    "times between traced ends": lambda x, keep: si.solve_ivp(
        lambda t, y: -y + keep(t), (0, x[1]), [1.0]
    ),
    "times of odeint": lambda x, keep: si.odeint(
        lambda y, t: -y * x[0] + 0 * keep(t), [x[1]], [0, 1]
    ),
    "jac of an equation": lambda x, keep: si.solve_ivp(
        lambda t, y: -y * x[0], (0, 1), [x[1]], "BDF", jac=lambda t, y: keep(y)[None] * 0 - x[0]
    ),
    "event": lambda x, keep: si.solve_ivp(
        lambda t, y: -y * x[0], (0, 1), [x[1]], events=lambda t, y: keep(y)[0] - 0.4
    ),
    "time of an event": lambda x, keep: si.solve_ivp(
        lambda t, y: -y * x[0], (0, 1), [x[1]], events=lambda t, y: y[0] - 0.4 * keep(t)
    ),
    "ode": lambda x, keep: (
        si.ode(lambda t, y: -x[0] * y + 0 * keep(t))
        .set_integrator("dopri5")
        .set_initial_value([x[1]], 0)
        .integrate(1.0)
    ),
    "solve_bvp": lambda x, keep: si.solve_bvp(
        lambda t, y: cubic(t, keep(y)), lambda a, b: np.array([a[0] - x[1], b[0]]), MESH, GUESS
    ),
    "mesh of solve_bvp": lambda x, keep: si.solve_bvp(
        lambda t, y: cubic(keep(t), y), lambda a, b: np.array([a[0] - x[1], b[0]]), MESH, GUESS
    ),
    "conditions of solve_bvp": lambda x, keep: si.solve_bvp(
        cubic, lambda a, b: np.array([keep(a)[1] * 0 + a[0] - x[1], b[0]]), MESH, 9 * GUESS
    ),
    "cg": lambda x, keep: sl.cg(
        sl.LinearOperator((2, 2), matvec=lambda v: keep(v) * [2.0, 3.0], dtype=float), x
    ),
    "callback of cg": lambda x, keep: sl.cg(
        np.diag([2.0, 3.0]) + x[0], x, callback=lambda z: [keep(z), None][1]
    ),
    "callback of gmres": lambda x, keep: sl.gmres(
        np.diag([2.0, 3.0]), x, callback=lambda r: [keep(r), None][1], callback_type="pr_norm"
    ),
}
"""What comes of all iterates: no numbers are in the end what they were at the first of them."""


@pytest.mark.parametrize("name", LEAST)
@pytest.mark.parametrize("local", [False, True])
def test_the_least_of_all_that_was_handed_over_is_refused(name, local):
    with pytest.raises(UnsupportedError, match="keeps numbers of the search"):
        st.jacobian_sparsity(least(LEAST[name]), X, local=local)


class Done(Exception):
    """Raised by a function that has seen enough."""


def ending(solve):
    """A function that returns the first number above 0.5 that was handed to another one."""

    def f(x):
        def check(place):
            if place > 0.5:
                raise Done(place)

        try:
            solve(x, check)
        except Done as done:
            return done.args[0]
        return 0.0

    return f


ENDING = {
    "newton": lambda x, check: so.newton(lambda z: check(z) or z**2 - x[0], 0.1),
    "minimize": lambda x, check: so.minimize(lambda z: check(z[0]) or (z[0] - x[0]) ** 2, [0.1]),
    "callback": lambda x, check: so.minimize(
        lambda z: (z[0] - x[0]) ** 4, [0.1], callback=lambda z: check(z[0])
    ),
    "solve_ivp": lambda x, check: si.solve_ivp(
        lambda t, y: [check(t), -y * x[0]][1], (0, 1), [x[1]]
    ),
}


@pytest.mark.parametrize("name", ENDING)
@pytest.mark.parametrize("local", [False, True])
def test_what_an_error_takes_out_of_a_search_is_refused(name, local):
    with pytest.raises(UnsupportedError, match="keeps numbers of the search"):
        st.jacobian_sparsity(ending(ENDING[name]), X, local=local)


def _own(keep):
    class Decay(ss.rv_continuous):
        def _pdf(self, z):
            return np.exp(-keep(z))

    return Decay(a=0)


CALLED = {
    "funm": lambda x, keep: sa.funm(np.diag(x), lambda v: np.exp(keep(v))),
    "sort of schur": lambda x, keep: sa.schur(np.diag(x) + 0.1, sort=lambda a, *b: keep(a) > 0),
    "metric of linkage": lambda x, keep: linkage(x[:, None], metric=lambda a, b: keep(a - b)[0]),
    "density of one's own": lambda x, keep: _own(keep).cdf(x[0]),
}


@pytest.mark.parametrize("name", CALLED)
@pytest.mark.parametrize("local", [False, True])
def test_functions_that_may_keep_what_stands_for_traced_numbers_are_refused(name, local):
    with pytest.raises(UnsupportedError, match="may keep"):
        st.jacobian_sparsity(least(CALLED[name]), X, local=local)


def test_what_solout_is_given_is_refused():
    def f(x):
        seen, problem = [], si.ode(lambda t, y: -x[0] * y).set_integrator("dopri5")
        problem.set_solout(lambda t, y: seen.append(y.copy()))
        return problem.set_initial_value([x[1]], 0).integrate(1.0)

    for local in (False, True):
        with pytest.raises(UnsupportedError, match="solout"):
            st.jacobian_sparsity(f, X, local=local)


def test_searches_among_constants_hand_on_constants():
    def f(x):
        seen = []
        so.brentq(lambda z: seen.append(z) or z**3 - 2, 0, 3)
        so.minimize(lambda z: seen.append(z[0]) or square(z), [1.0], callback=seen.append)
        si.solve_ivp(lambda t, y: seen.append(t) or -y, (0, 1), [1.0])
        return seen[2] * x[0] + seen[-1] * x[1]

    for local in (False, True):
        assert_array_equal(st.jacobian_sparsity(f, X, local=local).toarray(), [[1, 1]])


def test_callbacks_that_count_and_print_stop_nothing(capsys):
    def f(x):
        count = []

        def shown(z):
            count.append(1)
            print(z[0])

        return so.minimize(lambda z: ((z - x) ** 2).sum(), [1.0, 1.0], callback=shown).x

    for local in (False, True):
        assert_array_equal(st.jacobian_sparsity(f, X, local=local).toarray(), np.ones((2, 2)))
    assert capsys.readouterr().out


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


def _first(seen, x):
    return np.ravel(seen[0])[0]


def _row(seen, x):
    return seen[0][0]


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
    "places": (
        keeping(lambda x, keep: si.quad(lambda t: keep(t * x[0]), 0, x[1]), lambda s, x: max(s)),
        [[1, 1]],
    ),
    "places of dblquad": (
        keeping(lambda x, keep: si.dblquad(lambda y, t: keep(t) * y, 0, x[0], 0, 1), _first),
        [[1, 0]],
    ),
    "inner places of dblquad": (
        keeping(
            lambda x, keep: si.dblquad(lambda y, t: keep(y) * t, 0, x[0], 0, lambda t: x[1]), _first
        ),
        [[0, 1]],
    ),
    "inner places along the outer ones": (
        keeping(
            lambda x, keep: si.dblquad(lambda y, t: keep(y), 0, x[0], 0, lambda t: t * x[1]), _first
        ),
        [[1, 1]],
    ),
    "places of nquad": (
        keeping(lambda x, keep: si.nquad(lambda a, b: a * keep(b), [[0, 1], [0, x[1]]]), _first),
        [[0, 1]],
    ),
    "places of cubature": (
        keeping(lambda x, keep: si.cubature(lambda t: keep(t).sum(axis=1), [0, 0], x), _row),
        [[1, 0], [0, 1]],
    ),
    "places of tanhsinh": (
        keeping(lambda x, keep: si.tanhsinh(lambda t: keep(t) ** 2, 0.0, x[1]), _first),
        [[0, 1]],
    ),
    "places of nsum": (
        keeping(lambda x, keep: si.nsum(lambda t: 1 / keep(t) ** 2, x[0] + 1, np.inf), _first),
        [[1, 0]],
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


def test_products_of_an_operator_among_constants_are_constants():
    def f(x):
        seen = []
        scaled = lambda v: seen.append(v[0]) or v * [2.0, 3.0]  # noqa: E731
        found = sl.cg(sl.LinearOperator((2, 2), matvec=scaled, dtype=float), [1.0, 2.0])[0]
        return found[0] * x[0] + seen[-1] * x[1]

    for local in (False, True):
        assert_array_equal(st.jacobian_sparsity(f, X, local=local).toarray(), [[1, 1]])

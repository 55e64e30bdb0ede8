"""Where functions are least: the patterns by hand, since searches end too early for differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize as so
from numpy.testing import assert_array_equal

import sparsetrace as st

START = np.array([1.3, 0.5, 0.7, 0.9])
TIMES = np.arange(4.0)


def squares(x, z):
    """Least where z is made of the first two inputs."""
    return np.sum((z - x[:2]) ** 2)


def both(x):
    return lambda z: (squares(x, z), 2 * (z - x[:2]))


TWO = {  # functions of the first two inputs
    "minimize": lambda x: so.minimize(lambda z: squares(x, z), np.ones(2)).x,
    "minimize, the value": lambda x: so.minimize(lambda z: squares(x, z) + z[0], np.ones(2)).fun,
    "minimize, args": lambda x: so.minimize(lambda z, a: squares(a, z), np.ones(2), (x,)).x,
    "minimize, slope": lambda x: (
        so.minimize(
            lambda z: squares(x, z), np.ones(2), jac=lambda z: 2 * (z - x[:2]), method="L-BFGS-B"
        ).x
    ),
    "minimize, both": lambda x: so.minimize(both(x), np.ones(2), jac=True, method="CG").x,
    "minimize, bounds": lambda x: (
        so.minimize(lambda z: np.sum(z**2), np.ones(2), bounds=[(x[0], 9), (x[1], 9)]).x
    ),
    "minimize, constraints": lambda x: (
        so.minimize(
            lambda z: np.sum(z**2) * x[0],
            np.ones(2),
            constraints=[{"type": "eq", "fun": lambda z, a: z[0] - a, "args": (x[1],)}],
        ).x
    ),
    "minimize, NonlinearConstraint": lambda x: (
        so.minimize(
            lambda z: np.sum(z**2) * x[0],
            np.ones(2),
            method="SLSQP",
            constraints=so.NonlinearConstraint(lambda z: z[0] - x[1], 0, 0),
        ).x
    ),
    "minimize_scalar": lambda x: so.minimize_scalar(lambda z: (z - x[0]) ** 2 + z * x[1]).x,
    "minimize_scalar, bounds": lambda x: (
        so.minimize_scalar(lambda z: (z - 3) ** 2, bounds=(x[0] - 5, x[1])).x
    ),
    "fminbound": lambda x: so.fminbound(lambda z: (z - x[0] * x[1]) ** 2, 0, 3),
    "brent": lambda x: so.brent(lambda z: (z - x[0] * x[1]) ** 2),
    "golden": lambda x: so.golden(lambda z: (z - x[0] * x[1]) ** 2),
    "fmin": lambda x: so.fmin(lambda z: squares(x, z), np.ones(2), disp=0),
    "fmin_bfgs": lambda x: so.fmin_bfgs(lambda z: squares(x, z), np.ones(2), disp=0),
    "fmin_cg": lambda x: so.fmin_cg(lambda z: squares(x, z), np.ones(2), disp=0),
    "fmin_l_bfgs_b": lambda x: so.fmin_l_bfgs_b(
        lambda z: squares(x, z), np.ones(2), approx_grad=True
    )[0],
    "fmin_tnc": lambda x: so.fmin_tnc(both(x), np.ones(2), messages=0)[0],
    "fmin_slsqp": lambda x: so.fmin_slsqp(lambda z: squares(x, z), np.ones(2), disp=0),
    "least_squares": lambda x: so.least_squares(lambda z: z - x[:2] * [1, 2], np.ones(2)).x,
    "least_squares, cost": lambda x: so.least_squares(lambda z, a: z - a, [1.0], args=(x[:2],)).x,
    "leastsq": lambda x: so.leastsq(lambda z: z - x[:2], np.ones(2))[0],
    "curve_fit": lambda x: so.curve_fit(line, TIMES, np.concatenate([x[:2], [0.3, 0.7]]))[0],
    "curve_fit, of a list": lambda x: so.curve_fit(
        lambda t, a, b: a * t + b, [0, 1, 2, 3], [x[0], x[1], 0.3, 0.7]
    )[0],
    "curve_fit, covariance": lambda x: so.curve_fit(
        lambda t, a, b: line(t, a, b) + x[0] * t**2, TIMES, x[1] * TIMES**2 + 1, [1.0, 2.0]
    )[1],
    "curve_fit, weights": lambda x: so.curve_fit(
        line, TIMES, [0.3, 1.5, 1.1, 0.2], sigma=np.concatenate([x[:2], [0.3, 0.7]])
    )[0],
    "curve_fit, how it is sought": lambda x: so.curve_fit(
        line,
        TIMES,
        np.concatenate([x[:1], [0.3, 0.9, 0.7]]),
        bounds=(-9, 9),
        x_scale=[x[3], 1.0],
        loss="soft_l1",
        f_scale=x[1] * 0.05,
    )[0],
    "differential_evolution": lambda x: (
        so.differential_evolution(lambda z: squares(x, z), [(0, 2)] * 2, seed=1, maxiter=3).x
    ),
    "brute": lambda x: so.brute(lambda z: squares(x, z), ((0, 2), (0, 2)), Ns=3),
    "nnls": lambda x: so.nnls(np.eye(4, 2) + 1, np.concatenate([x[:2], [0.3, 0.7]]))[0],
}


def line(t, a, b):
    return a * t + b


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("local", [False, True])
def test_what_a_minimum_depends_on(name, local):
    """On all that the function depends on, also where its slope vanishes."""
    count = np.size(TWO[name](START))
    pattern = st.jacobian_sparsity(TWO[name], START, local=local).toarray()
    np.testing.assert_array_equal(pattern.reshape(count, 4), np.repeat([[1, 1, 0, 0]], count, 0))
    hessian = st.hessian_sparsity(lambda x: np.sum(TWO[name](x)), START, local=local).toarray()
    np.testing.assert_array_equal(hessian, np.pad(np.ones((2, 2)), (0, 2)))


def jacobian(f, x):
    """Differences over more than a search's tolerance."""
    steps = 1e-2 * np.eye(len(x))
    return np.stack([(f(x + h) - f(x - h)) / 2e-2 for h in steps], axis=-1)


def plane(x):
    return lambda z: (z[0] + z[1] - x[0]) ** 2


def unread(x):
    return lambda z: (z[0] - x[0]) ** 2


STARTS = {
    "flat": lambda x: so.minimize(plane(x), x[1:3]).x,
    "flat, fmin_bfgs": lambda x: so.fmin_bfgs(plane(x), [x[1], x[2]], disp=0),
    "flat, least_squares": lambda x: so.least_squares(lambda z: [z[0] + z[1] - x[0]], x[1:3]).x,
    "constrained": lambda x: (
        so.minimize(
            lambda z: 0.0,
            x[1:3],
            method="SLSQP",
            constraints={"type": "eq", "fun": lambda z: z[0] + z[1] - x[0]},
        ).x
    ),
    "unread": lambda x: so.minimize(unread(x), [x[1], x[2]]).x,
    "unread, leastsq": lambda x: so.leastsq(lambda z: [z[0] - x[0], 2 * z[0] - 2], x[1:3])[0],
    "unread, curve_fit": lambda x: so.curve_fit(
        lambda t, a, b: a * t, TIMES, TIMES * x[0], p0=[x[1], x[2]]
    )[0],
    "constant here": lambda x: so.minimize(lambda z: max(z[0] - x[0], 0.0) ** 2, [x[1]]).x,
    "flat, a simplex among the options": lambda x: (
        so.minimize(
            plane(x),
            np.zeros(2),
            method="Nelder-Mead",
            options={"initial_simplex": x[1:] + np.eye(3, 2)},
        ).x
    ),
    "ended early": lambda x: so.minimize(unread(x), [x[1]], method="CG", options={"maxiter": 0}).x,
}
#: A place that is isolated varies by less than a tolerance, which a global pattern cannot know.
ISOLATED = {
    "minimize": lambda x: so.minimize(lambda z: squares(x, z), x[2:]).x,
    "fmin": lambda x: so.fmin(lambda z: squares(x, z), x[2:], disp=0),
    "least_squares": lambda x: so.least_squares(lambda z: z - x[:2] * [1, 2], x[2:]).x,
    "curve_fit": lambda x: so.curve_fit(line, TIMES, np.concatenate([x[:2], [0.3, 0.7]]), p0=x[2:])[
        0
    ],
}


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.filterwarnings("ignore")  # of SciPy's, of what is left open
def test_what_a_function_leaves_open_stays_where_the_search_starts(name, local):
    x = np.array([2.0, 0.7, 0.4])
    wanted = np.abs(jacobian(STARTS[name], x)) > 1e-2
    assert wanted[:, 1:].any()
    pattern = st.jacobian_sparsity(STARTS[name], x, local=local).toarray()
    assert not (wanted & ~pattern.astype(bool)).any()
    if name == "flat":
        assert st.hessian_sparsity(lambda x: STARTS[name](x)[0] * x[1], x, local=local).nnz == 9


@pytest.mark.parametrize("name", ISOLATED)
def test_at_a_point_another_search_tells_that_the_start_does_not_matter(name):
    start = np.array([0.4, 0.9, 0.7, 0.6])
    pattern = st.jacobian_sparsity(ISOLATED[name], start, local=True).toarray()
    assert_array_equal(pattern, [[1, 1, 0, 0], [1, 1, 0, 0]])
    conservative = st.jacobian_sparsity(ISOLATED[name], start).toarray()
    assert_array_equal(conservative, np.ones((2, 4)))


def test_a_least_value_does_not_vary_with_the_start_as_its_place_does():
    pattern = st.jacobian_sparsity(lambda x: so.minimize(plane(x), x[1:]).fun, np.ones(3))
    assert_array_equal(pattern.toarray(), [[1, 0, 0]])


CONSTANT = {
    "minimize": lambda: so.minimize(lambda z: np.sum((z - 2) ** 2), np.ones(2)).x,
    "brent": lambda: so.brent(lambda z: (z - 2) ** 2),
    "curve_fit": lambda: so.curve_fit(line, TIMES, [0.3, 1.5, 1.1, 0.2])[0],
    "fmin_l_bfgs_b": lambda: so.fmin_l_bfgs_b(
        lambda z: np.sum((z - 2) ** 2), np.ones(2), approx_grad=True
    )[0],
}


@pytest.mark.parametrize("name", CONSTANT)
@pytest.mark.parametrize("local", [False, True])
def test_searches_without_traced_numbers_are_those_of_scipy(name, local):
    place = CONSTANT[name]()

    def f(x):
        assert np.array_equal(CONSTANT[name](), place)
        return x * np.sum(place)

    assert st.jacobian_sparsity(f, START, local=local).nnz == 4


def test_what_a_search_ended_with_is_refused():
    for f in (
        lambda x: so.minimize(lambda z: squares(x, z), np.ones(2)).hess_inv[0],
        lambda x: so.fmin(lambda z: squares(x, z), np.ones(2), full_output=True),
        lambda x: so.fsolve(lambda z: z - x[:2], np.ones(2), full_output=True)[1]["fvec"],
    ):
        with pytest.raises(st.UnsupportedError, match=r"^scipy\.optimize\."):
            st.jacobian_sparsity(f, START)


def test_the_state_of_a_search():
    """Whether it was successful is what the plain call says, at a point."""

    def f(x):
        result = so.minimize(lambda z: squares(x, z), np.ones(2))
        assert result.success
        assert result.status == 0
        return result.x

    assert st.jacobian_sparsity(f, START).nnz == 4
    assert st.jacobian_sparsity(f, START, local=True).nnz == 4


# ------------------------------------------------------------ bounds, constraints and data
def away(z):
    return np.sum((z - 3) ** 2)


DATA = {
    "bounds as an object": lambda x: so.minimize(away, np.ones(2), bounds=so.Bounds([0, 0], x[:2])),
    "least squares": lambda x: so.least_squares(
        lambda z: z - 3, np.ones(2), bounds=so.Bounds([-9, -9], x[:2] + 5)
    ),
    "linear constraint": lambda x: so.minimize(
        away, [1, 1], method="SLSQP", constraints=so.LinearConstraint(np.eye(2), -9, x[:2])
    ),
    "several constraints": lambda x: so.minimize(
        away, [1, 1], method="SLSQP", constraints=[so.LinearConstraint(np.eye(2) * x[0], -9, x[1])]
    ),
    "limits of a nonlinear one": lambda x: so.minimize(
        away,
        np.ones(2),
        method="SLSQP",
        constraints=so.NonlinearConstraint(lambda z: z, -np.inf, x[:2]),
    ),
    "linprog": lambda x: so.linprog(-x[:2], A_ub=[[1, 2], [3, 1]], b_ub=[2, 2]),
    "linprog, limits": lambda x: so.linprog([-1, -1], A_ub=np.eye(2) + 1, b_ub=x[:2] + 1),
    "lsq_linear": lambda x: so.lsq_linear(np.eye(3, 2) + 1, np.concatenate([x[:2], [1.0]])),
    "milp": lambda x: so.milp(
        x[:2], bounds=so.Bounds(0, 1), constraints=so.LinearConstraint(np.ones((1, 2)), 1, 2)
    ),
    "milp, constraint": lambda x: so.milp(
        [1, 1],
        bounds=so.Bounds(0, 9),
        constraints=so.LinearConstraint(np.ones((1, 2)) * x[0], x[1], 20),
    ),
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("local", [False, True])
def test_what_is_given_by_numbers(name, local):
    pattern = st.jacobian_sparsity(lambda x: DATA[name](x).x, START, local=local).toarray()
    np.testing.assert_array_equal(pattern, [[1, 1, 0, 0], [1, 1, 0, 0]])
    value = st.jacobian_sparsity(lambda x: DATA[name](x).x.sum(), START, local=local).toarray()
    np.testing.assert_array_equal(value, [[1, 1, 0, 0]])


def test_programs_without_traced_numbers_are_scipys():
    def f(x):
        return x * so.linprog([1, 1], A_ub=[[-1, -1]], b_ub=[-1]).x.sum()

    np.testing.assert_array_equal(st.jacobian_sparsity(f, np.ones(3)).toarray(), np.eye(3))


def costs(x):
    return np.outer(x, x) + np.diag(x)


@pytest.mark.parametrize("columns", [2, 3, 4])
def test_assignment(columns):
    """The cost of each row is one of its row's; which one has no derivative."""

    def f(x):
        matrix = np.vstack([x * k for k in range(1, 4)])[:, :columns]
        return matrix[so.linear_sum_assignment(matrix)]

    x = np.array([0.3, 0.9, 0.5, 0.4])
    count = min(3, columns)
    expected = np.zeros((count, 4), dtype=bool)
    expected[:, :columns] = True
    np.testing.assert_array_equal(st.jacobian_sparsity(f, x).toarray(), expected)
    local = st.jacobian_sparsity(f, x, local=True).toarray()
    matrix = np.vstack([np.arange(4)] * 3)[:, :columns]
    rows = so.linear_sum_assignment(np.vstack([x * k for k in range(1, 4)])[:, :columns])
    np.testing.assert_array_equal(local, np.eye(4, dtype=bool)[matrix[rows]])
    assert not st.jacobian_sparsity(
        lambda x: so.linear_sum_assignment(costs(x))[1] * 1.0, x[:3]
    ).nnz


def _apart(z, a):
    return ((z - a) ** 2).sum()


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (lambda x: {"args": (x[:2],)}, [1, 1, 0]),
        (lambda x: {"args": (1.0,), "bounds": [(3 * x[2], 9), (0, 3)]}, [0, 0, 1]),
        (
            lambda x: {
                "args": (1.0,),
                "constraints": {"type": "ineq", "fun": lambda z: z[0] - 3 * x[2]},
                "method": "SLSQP",
            },
            [0, 0, 1],
        ),
        (
            lambda x: {
                "args": (x[0],),
                "jac": lambda z, a: 2 * (z - a),
                "bounds": so.Bounds([3 * x[2], 0], 9),
            },
            [1, 0, 1],
        ),
    ],
)
def test_options_of_a_search_within_count(options, expected, local):
    def f(x):
        return so.basinhopping(_apart, [1.0, 1.0], niter=2, rng=0, minimizer_kwargs=options(x)).x

    pattern = st.jacobian_sparsity(f, np.array([1.3, 0.8, 0.6]), local=local).toarray()
    assert_array_equal(pattern, [expected] * 2)

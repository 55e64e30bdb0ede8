"""Steps and kinks of integrands and right-hand sides, at places that depend on the inputs."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import integrate, interpolate, ndimage, stats

import sparsetrace as st

POINT = np.array([0.3, 0.6, 0.8])
MODES = [False, True]
TABLE = np.array([0.0, 1.0, 4.0, 9.0])


def integral(integrand):
    return lambda x: np.array(
        [integrate.quad(lambda t: integrand(t, x), 0, 1, epsabs=0.01, limit=10)[0]]
    )


def rows(f, local, point=POINT):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return st.jacobian_sparsity(f, point, local=local).toarray().astype(int).tolist()


def second(f, local):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        pattern = st.hessian_sparsity(lambda x: f(x)[0], POINT, local=local)
        return set(zip(*pattern.toarray().nonzero(), strict=True))


STEPS = {
    "a branch": lambda t, x: 1.0 if t > x[0] else 0.0,
    "where": lambda t, x: np.where(t > x[0], 1.0, 0.0)[()],
    "a truth as a factor": lambda t, x: (t > x[0]) * 2.0,
    "sign": lambda t, x: np.sign(t - x[0]),
    "heaviside": lambda t, x: np.heaviside(t - x[0], 0.5),
    "floor": lambda t, x: np.floor(5 * t * x[0]),
    "a floor of Python's": lambda t, x: float(math.floor(5 * t * x[0])),
    "floor division": lambda t, x: (t + x[0]) // 1.0,
    "a search in a table": lambda t, x: TABLE[np.searchsorted([0.1, 0.5, 0.9], t * x[0])],
    "an integral within": lambda t, x: integrate.quad(lambda s: s if t > x[0] else 0.0, 0, 1)[0],
    "an integral of both": lambda t, x: integrate.quad(
        lambda s: 1.0 if s + t > x[0] else 0.0, 0, 1, limit=5
    )[0],
}


@pytest.mark.parametrize("local", MODES)
@pytest.mark.parametrize("integrand", STEPS.values(), ids=STEPS)
def test_an_integral_depends_on_where_a_step_is(integrand, local):
    assert rows(integral(integrand), local) == [[1, 0, 0]]
    assert second(integral(integrand), local) == {(0, 0)}


LEVELS = interpolate.interp1d([0.0, 0.1, 0.2, 0.9], [0.0, 1.0, 5.0, 2.0], kind="previous")
SPLINE = interpolate.BSpline([0.0, 0.1, 0.2, 1.0], [1.0, 3.0, 0.0], 0)


def is_positive(v):
    try:
        math.log(v)
    except ValueError:
        return 0.0
    return 1.0


def raises(t, x):
    try:
        with np.errstate(invalid="raise"):
            np.sqrt(t - x[0])
    except FloatingPointError:
        return 0.0
    return 1.0


def shared(t, x):
    try:
        return 1.0 / float(t > x[0])
    except ZeroDivisionError:
        return 5.0


def masked(t, x):
    marks = np.zeros(2, bool)
    marks[0] = t > x[0]
    return marks.sum() * 1.0


def stored(t, x):
    counts = np.zeros(2, int)
    counts[0] = 4 * t * x[0]
    return counts[0] * 1.0


ROUNDED = {
    "rounded": lambda t, x: np.round(3 * t * x[0]),
    "rounded to digits": lambda t, x: 4 * round(3 * t * x[0], 1),
    "an array's method": lambda t, x: np.array([3 * t * x[0]]).round()[0],
    "int": lambda t, x: int(4 * t * x[0]) * 1.0,
    "a conversion": lambda t, x: np.array([4 * t * x[0]]).astype(int)[0] * 1.0,
    "an array of whole numbers": lambda t, x: np.array([4 * t * x[0]], dtype=int)[0] * 1.0,
    "written into whole numbers": stored,
    "an index": lambda t, x: np.array([1.0, 2.0, 3.0, 4.0])[int(4 * t * x[0])],
    "a histogram": lambda t, x: np.histogram([t, 0.5], bins=[0, x[0], 1.5])[0][1] * 1.0,
    "a step in a table": lambda t, x: np.interp(t * x[0], [0, 0.1, 0.1, 1], [0.0, 0.0, 1.0, 1.0]),
    "levels": lambda t, x: LEVELS(t * x[0])[()],
    "a spline of degree 0": lambda t, x: SPLINE(t * x[0])[()],
    "the nearest on a grid": lambda t, x: ndimage.map_coordinates(TABLE, [[3 * t * x[0]]], order=0)[
        0
    ],
    "an end of a density": lambda t, x: stats.uniform.pdf(t, x[0], 2.0),
    "a discrete distribution": lambda t, x: stats.poisson.cdf(4 * t * x[0], 2.0),
    "an angle": lambda t, x: np.arctan2(0.0, t - x[0]),
    "the sign of a determinant": lambda t, x: np.linalg.slogdet(np.array([[t - x[0]]]))[0],
    "truths written": masked,
    "a domain error": lambda t, x: is_positive(t - x[0]),
    "a floating-point error": raises,
    "a division by zero": shared,
}


@pytest.mark.parametrize("local", MODES)
@pytest.mark.parametrize("integrand", ROUNDED.values(), ids=ROUNDED)
def test_what_rounds_or_raises_is_a_step(integrand, local):
    assert rows(integral(integrand), local) == [[1, 0, 0]]
    assert second(integral(integrand), local) == {(0, 0)}


def test_how_many_elements_there_are_is_a_step():
    f = integral(lambda t, x: float(len(np.arange(0, t * x[0], 0.1))))
    assert rows(f, local=True) == [[1, 0, 0]]


AT_REST = {
    "a conversion": lambda t, x: int(5 * x[0]) * x[1] * t,
    "rounding": lambda t, x: np.round(3 * x[0]) * x[1],
    "a table": lambda t, x: TABLE[np.searchsorted([0.1, 0.5], x[0])] * x[1] * t,
    "levels": lambda t, x: LEVELS(x[0]) * x[1],
    "a histogram": lambda t, x: np.histogram(x[:1], bins=[0, 0.2, 1])[0][1] * t * x[1],
    "an error": lambda t, x: is_positive(x[0]) * x[1] + t,
    "all by the variable": lambda t, x: x[1] * (np.round(3 * t) + int(3 * t) + LEVELS(0.9 * t)),
}


@pytest.mark.parametrize("local", MODES)
@pytest.mark.parametrize("integrand", AT_REST.values(), ids=AT_REST)
def test_what_rounds_inputs_alone_adds_nothing(integrand, local):
    assert rows(integral(integrand), local) == [[0, 1, 0]]
    assert second(integral(integrand), local) == set()


@pytest.mark.parametrize("local", MODES)
def test_heights_of_a_table_stay_linear(local):
    def f(t, x):
        return np.interp(t, [0.0, 0.4, 1.0], x)

    assert rows(integral(f), local) == [[1, 1, 1]]
    assert second(integral(f), local) == set()


KINKS = {
    "abs": lambda t, x: abs(t - x[0]),
    "minimum": lambda t, x: np.minimum(t, x[0]),
    "min": lambda t, x: min(t, x[0]),
    "clip": lambda t, x: np.clip(t, x[0], 0.8),
    "a maximum of an array": lambda t, x: np.max(np.array([t, x[0], 0.2])),
    "a sum of magnitudes": lambda t, x: np.linalg.norm([t - x[0], 1.0], 1),
    "lines of a table": lambda t, x: interpolate.interp1d([0.0, 0.1, 1.0], [0.0, 1.0, 0.0])(
        t * x[0]
    )[()],
    "the middle of three": lambda t, x: np.sort(np.array([t, x[0], 0.2]))[1],
    "interp": lambda t, x: np.interp(t * x[0], [0.0, 0.1, 1.0], [0.0, 1.0, 0.0]),
}


@pytest.mark.parametrize("local", MODES)
@pytest.mark.parametrize("integrand", KINKS.values(), ids=KINKS)
def test_an_integral_is_nonlinear_in_where_a_kink_is(integrand, local):
    assert rows(integral(integrand), local) == [[1, 0, 0]]
    assert second(integral(integrand), local) == {(0, 0)}


@pytest.mark.parametrize("local", MODES)
def test_what_a_step_multiplies_is_multiplied_with_its_place(local):
    f = integral(lambda t, x: x[1] if t > x[0] else x[2])
    assert rows(f, local) == [[1, 1, 1]]
    pairs = second(f, local)
    assert {(0, 0), (0, 1), (0, 2)} <= pairs
    g = integral(lambda t, x: np.where(t > x[0], x[1], 0.0)[()] + x[2])
    assert rows(g, local) == [[1, 1, 1]]
    assert {(0, 0), (0, 1), (1, 0)} <= second(g, local)


RESTING = {
    "a place that is constant": (lambda t, x: x[1] if t > 0.5 else 0.0, [0, 1, 0], [0, 1, 0]),
    "a branch on an input": (
        lambda t, x: x[1] * t if x[0] > 0.1 else x[2],
        [0, 1, 1],
        [0, 1, 0],
    ),
    "a choice by an input": (
        lambda t, x: np.where(x[0] > 0.1, x[1], x[2])[()] * t,
        [0, 1, 1],
        [0, 1, 0],
    ),
    "a step of an input": (lambda t, x: np.floor(x[0]) + x[1] * t, [0, 1, 0], [0, 1, 0]),
}


@pytest.mark.parametrize(("integrand", "anywhere", "here"), RESTING.values(), ids=RESTING)
def test_what_does_not_move_adds_nothing(integrand, anywhere, here):
    f = integral(integrand)
    assert rows(f, local=False) == [anywhere]
    assert rows(f, local=True) == [here]
    assert second(f, local=False) == second(f, local=True) == set()


@pytest.mark.parametrize("local", MODES)
def test_where_a_number_begins_to_exist(local):
    f = integral(lambda t, x: 0.0 if np.isnan(np.log(t - x[0])) else 1.0)
    assert rows(f, local) == [[1, 0, 0]]
    always = integral(lambda t, x: 0.0 if np.isnan(t * x[0]) else x[1])
    wanted = [1, 1, 0]  # conservative: what is no number anywhere is not known
    assert rows(always, local) == [[0, 1, 0] if local else wanted]


@pytest.mark.parametrize("local", MODES)
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_integrals_over_boxes(dimensions, local):
    options = {"epsabs": 0.1, "limit": 4}

    def f(x):
        def inside(*place):
            return 1.0 if sum(place) > x[0] * (1 + place[-1]) else 0.0

        return np.array([integrate.nquad(inside, [[0, 1]] * dimensions, opts=options)[0]])

    def smooth(x):
        def values(*place):
            return np.sin(place[0]) * x[1]

        return np.array([integrate.nquad(values, [[0, 1]] * dimensions, opts=options)[0]])

    assert rows(f, local) == [[1, 0, 0]]
    assert rows(smooth, local) == [[0, 1, 0]]


def test_at_a_point_a_step_counts_where_it_is_taken():
    f = integral(lambda t, x: x[1] if t > x[0] else 0.0)
    assert rows(f, local=True) == [[1, 1, 0]]
    assert rows(f, local=True, point=np.array([-1.0, 1.0, 0.0])) == [[0, 1, 0]]


@pytest.mark.parametrize("local", MODES)
def test_integrals_over_areas(local):
    def of_values(x):
        return np.array(
            [
                integrate.dblquad(
                    lambda s, t: 1.0 if s > x[0] * t else 0.0, 0, 1, 0, 1, epsabs=0.1
                )[0]
            ]
        )

    def of_limits(x):
        def limit(t):
            return 1.0 if t > x[0] else 0.5

        return np.array([integrate.dblquad(lambda s, t: x[1], 0, 1, 0.0, limit)[0]])

    assert rows(of_values, local) == [[1, 0, 0]]
    assert rows(of_limits, local) == [[1, 1, 0]]


def test_limits_that_move_with_the_place_alone_stay_linear():
    def f(x):
        return np.array([integrate.dblquad(lambda s, t: x[1] * s, 0, 1, 0.0, lambda t: t)[0]])

    assert second(f, local=False) == second(f, local=True) == set()


def test_elements_of_an_integral_are_kept_apart():
    def f(x):
        return integrate.quad_vec(lambda t: np.where(t > x, 1.0, 0.0), 0, 1)[0]

    assert rows(f, local=False) == np.eye(3).astype(int).tolist()
    assert (np.array(rows(f, local=True)) >= np.eye(3)).all()  # conservative: of all elements


@pytest.mark.parametrize("local", MODES)
def test_expectations(local):
    def f(x):
        return np.array([stats.norm.expect(lambda t: 1.0 if t > x[0] else 0.0)])

    assert rows(f, local) == [[1, 0, 0]]


@pytest.mark.skipif(not hasattr(integrate, "cubature"), reason="SciPy 1.15 has added it")
@pytest.mark.parametrize("local", MODES)
def test_cubature(local):
    def f(x):
        found = integrate.cubature(lambda t: np.where(t[:, 0] > x[0], 1.0, 0.0), [0.0], [1.0])
        return np.atleast_1d(found.estimate)

    assert rows(f, local) == [[1, 0, 0]]


@pytest.mark.skipif(not hasattr(integrate, "tanhsinh"), reason="SciPy 1.15 has added it")
@pytest.mark.parametrize("local", MODES)
def test_tanhsinh(local):
    def f(x):
        found = integrate.tanhsinh(lambda t: np.where(t > x[0], 1.0, 0.0), 0.0, 1.0)
        return np.atleast_1d(found.integral)

    assert rows(f, local) == [[1, 0, 0]]


# ---------------------------------------------------------------- differential equations
def solved(slopes):
    def f(x):
        found = integrate.solve_ivp(
            lambda t, y: slopes(t, y, x), (0, 1), [0.2, 0.1], t_eval=[0.0, 1.0]
        )
        return found.y[:, -1]

    return f


def heated(t, y, x):
    return [1.0 if y[0] < x[0] else -1.0, x[1]]


@pytest.mark.parametrize("local", MODES)
def test_a_thermostat_depends_on_its_setting(local):
    assert rows(solved(heated), local)[0][0]
    odeint = rows(
        lambda x: integrate.odeint(heated, [0.2, 0.1], [0.0, 1.0], args=(x,), tfirst=True)[-1],
        local,
    )
    assert odeint[0][0]


@pytest.mark.parametrize("local", MODES)
def test_a_step_in_time(local):
    assert rows(solved(lambda t, y, x: [1.0 if t < x[0] else 0.0, 0.0]), local)[0] == [1, 0, 0]


def test_components_are_kept_apart():
    switched = solved(lambda t, y, x: np.where(y < x[:2], 1.0, -1.0))
    assert rows(switched, local=False) == [[1, 0, 0], [0, 1, 0]]
    assert (np.array(rows(switched, local=True)) >= np.eye(2, 3)).all()


def test_a_branch_on_an_input_is_no_step():
    chosen = solved(lambda t, y, x: [y[0], -y[1] * x[1] if x[2] > 0.5 else y[1]])
    assert rows(chosen, local=False) == rows(chosen, local=True) == [[0, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("local", MODES)
def test_an_event_that_steps(local):
    def f(x):
        def ends(t, y):
            return 1.0 if y[0] > x[0] else -1.0

        ends.terminal = True
        return integrate.solve_ivp(lambda t, y: [1.0], (0, 2), [0.0], events=[ends]).t[-1:]

    def last(x):
        def ends(t, y):
            return 1.0 if y[0] > x[0] else -1.0

        ends.terminal = True
        return np.array(
            [integrate.solve_ivp(lambda t, y: [1.0], (0, 2), [0.0], events=[ends]).t[-1]]
        )

    assert rows(last, local) == [[1, 0, 0]]
    if local:
        assert rows(f, local) == [[1, 0, 0]]


@pytest.mark.parametrize("local", MODES)
def test_a_boundary_value_problem(local):
    def f(x):
        def slopes(t, y):
            return np.vstack([y[1], np.where(t > x[0], 1.0, 0.0)])

        def ends(a, b):
            return np.array([a[0], b[0]])

        return integrate.solve_bvp(slopes, ends, np.linspace(0, 1, 5), np.zeros((2, 5))).sol(0.5)

    assert rows(f, local) == [[1, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("local", MODES)
@pytest.mark.parametrize("integrator", ["vode", "lsoda", "dopri5"])
def test_slopes_that_are_traced_end_no_compiled_code(integrator, local):
    def stepped(x):
        solver = integrate.ode(lambda t, y: [1.0 if t < x[0] else 0.0]).set_integrator(integrator)
        return solver.set_initial_value([0.5], 0.0).integrate(1.0)

    def grown(x):
        solver = integrate.ode(lambda t, y: [x[1] * y[0]]).set_integrator(integrator)
        return solver.set_initial_value([0.5], 0.0).integrate(1.0)

    assert rows(stepped, local) == [[1, 0, 0]]
    assert rows(grown, local) == [[0, 1, 0]]

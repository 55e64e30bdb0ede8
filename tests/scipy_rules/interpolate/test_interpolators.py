"""Interpolators of traced numbers: what they show, and what is set after they were made."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
import scipy.interpolate as si

import sparsetrace as st
from cases.scipy_calls.constants import HEIGHTS, SITES
from oracles import assert_covers, dense, jacobian_pattern_at, numerical_jacobian_pattern

START = np.array([0.61, 1.37, 0.83, 1.12, 0.47, 0.94])
KNOTS = np.array([0, 0, 0, 0, 1, 2, 4, 4, 4, 4.0])
SHOWN = {
    "interp1d, y": lambda x: si.interp1d(SITES, x).y,
    "interp1d, y of rows": lambda x: si.interp1d(SITES[:3], x.reshape(2, 3)).y,
    "interp1d, unsorted": lambda x: si.interp1d(SITES[::-1], x).y,
    "interp1d, fill_value": lambda x: (
        si.interp1d(SITES, HEIGHTS, bounds_error=False, fill_value=(x[0], x[1])).fill_value
    ),
    "interp1d, no fill_value": lambda x: np.isnan(si.interp1d(SITES, x).fill_value) * x[0],
    "CubicSpline, axis": lambda x: si.CubicSpline(np.cumsum(x), HEIGHTS).axis + x[0],
    "PchipInterpolator, axis": lambda x: si.PchipInterpolator(np.cumsum(x), HEIGHTS).axis + x[0],
}

AROUND = {
    kind: lambda x, kind=kind: si.interp1d(SITES, x, kind, fill_value="extrapolate")([-1, 0.2, 9])
    for kind in ("previous", "next")
}
CALLED = {
    "AAA, few terms": lambda x: si.AAA(SITES, x, max_terms=2)([0.3, 1.2]),
    "UnivariateSpline, derivatives at its first abscissa": lambda x: si.UnivariateSpline(
        np.cumsum(x), HEIGHTS, s=0
    ).derivatives(x[0] * 1.0),
}


@pytest.mark.parametrize("kind", AROUND)
def test_no_ordinate_before_the_first_or_behind_the_last(kind):
    f, rows = AROUND[kind], np.zeros((3, 6), bool)
    rows[{"previous": (1, 2), "next": (0, 1)}[kind], {"previous": (0, 5), "next": (0, 1)}[kind]] = 1
    assert np.isnan(f(START)).sum() == 1
    for local in (False, True):
        assert np.array_equal(dense(st.jacobian_sparsity(f, START, local=local)), rows)


@pytest.mark.filterwarnings("ignore:AAA failed")
@pytest.mark.parametrize("name", CALLED)
def test_values_at_a_point(name):
    """They are SciPy's own, which is looked at."""
    f = CALLED[name]
    wanted = jacobian_pattern_at(f, START)
    assert_covers(st.jacobian_sparsity(f, START, local=True, verify=True), wanted)


@pytest.mark.parametrize("name", SHOWN)
def test_what_an_object_shows(name):
    f = SHOWN[name]
    wanted = numerical_jacobian_pattern(f, START, points=2, low=0.3, high=1.5)
    assert np.array_equal(dense(st.jacobian_sparsity(f, START)), wanted)
    assert np.array_equal(dense(st.jacobian_sparsity(f, START, local=True)), wanted)


def _set(make, name, value):
    """A function that sets an attribute of an object before it calls it."""

    def f(x):
        made = make(x)
        setattr(made, name, value(x, getattr(made, name)))
        return made([0.7])

    return f


def _written(make, name):
    """The same for one that writes into an attribute."""

    def f(x):
        made = make(x)
        getattr(made, name)[...] *= x[3]
        return made([0.7])

    return f


MADE = {
    "PPoly": lambda x: si.PPoly(x[:2].reshape(2, 1), [0.0, 3]),
    "BPoly": lambda x: si.BPoly(x[:2].reshape(2, 1), [0.0, 3]),
    "CubicSpline": lambda x: si.CubicSpline(SITES[:3], x[:3]),
    "BSpline": lambda x: si.BSpline(KNOTS, np.append(x[:3], [1.0, 1, 1]), 3),
    "make_interp_spline": lambda x: si.make_interp_spline(SITES[:4], x[[0, 1, 2, 2]]),
}
CHANGED = {
    **{f"{name}, c": _set(made, "c", lambda x, c: c * x[3]) for name, made in MADE.items()},
    **{
        f"{name}, c of": _set(made, "c", lambda x, c: np.ones(1) * c) for name, made in MADE.items()
    },
    **{f"{name}, c written": _written(made, "c") for name, made in MADE.items()},
    "PPoly, x": _set(MADE["PPoly"], "x", lambda x, breaks: breaks * x[3]),
    "BSpline, t": _set(MADE["BSpline"], "t", lambda x, t: t * x[3]),
    "interp1d, fill_value": _set(
        lambda x: si.interp1d(SITES + 1, x, fill_value="extrapolate"),
        "fill_value",
        lambda x, given: (x[3], x[3]),
    ),
    "interp1d, y": _set(lambda x: si.interp1d(SITES, x), "y", lambda x, y: y * x[3]),
    "RegularGridInterpolator, fill_value": _set(
        lambda x: si.RegularGridInterpolator((SITES + 1,), x, bounds_error=False),
        "fill_value",
        lambda x, given: x[3],
    ),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_is_changed_after_an_object_was_made(name):
    """It is refused, or what is called then depends on it."""
    f = CHANGED[name]
    wanted = numerical_jacobian_pattern(f, START, points=1, low=0.3, high=1.5)
    for local in (False, True):
        with contextlib.suppress(st.UnsupportedError):
            assert_covers(st.jacobian_sparsity(f, START, local=local), wanted)


def test_a_changed_attribute_is_named():
    with pytest.raises(st.TracingError, match=r"PPoly.*`x` of the object was set") as caught:
        st.jacobian_sparsity(CHANGED["PPoly, x"], START)
    assert "Make a new object" in str(caught.value)


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("method", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_griddata_of_traced_sites_on_a_line(shape, method, local):
    def f(x):
        at = np.array([0.8, 1.2]).reshape((2,) + (1,) * (len(shape) - 1))
        return si.griddata(x.reshape(shape), x * x[0], at, method=method)

    start = np.array([0.5, 1.5, 0.7, 1.1])
    pattern = st.jacobian_sparsity(f, start, local=local)
    assert_covers(pattern, jacobian_pattern_at(f, start))
    if not local:
        assert_covers(pattern, numerical_jacobian_pattern(f, start[::-1]))

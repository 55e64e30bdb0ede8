"""How often derivatives are checked, at what cost, and what the checks see of the complex step."""

from __future__ import annotations

import operator
import warnings

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.derivatives.check_schedule import CheckSchedule
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.errors import InputError

pytestmark = pytest.mark.fast
POINT = np.array([0.4, 1.2, -0.7, 2.0])


def not_analytic_beyond(x):
    # by a method that no code names
    return np.where(x > 3, operator.methodcaller("__ab" + "s__")(x) ** 3, x**3)


@pytest.mark.parametrize("method", [None, "cs"])
def test_functions_that_are_not_analytic_elsewhere(method):
    start, elsewhere = np.full(4, 1.0), np.full(4, 4.0)
    jacobian = sparse_jacobian(not_analytic_beyond, start, method=method)
    jacobian(start)
    with pytest.warns(st.VerificationWarning, match="not analytic") as warned:
        results = [jacobian(elsewhere) for _ in range(41)]
    assert {one.filename for one in warned} == {__file__}
    if method is None:
        assert jacobian.method == "2-point"
        np.testing.assert_allclose(results[-1].diagonal(), 48.0, rtol=1e-6)


def test_two_calls_for_a_check_of_the_complex_step():
    calls = []

    def f(x):
        calls.append(x.dtype.kind)
        return x * np.roll(x, 1)

    jacobian = sparse_jacobian(f, POINT)
    before = jacobian.nfev
    calls.clear()
    jacobian(POINT + 1.0)
    assert jacobian.nfev - before == jacobian.coloring.num_colors + 2
    assert sorted(calls) == ["c"] * (jacobian.coloring.num_colors + 1) + ["f"]


def test_a_domain_that_ends_beside_the_point_is_no_error():
    def f(x):
        if (x.real < 1).any():
            raise ValueError("beyond the domain")
        return np.sqrt(x - 1) + x

    for method in ("cs", "3-point"):
        jacobian = sparse_jacobian(f, np.full(2, 2.0), method=method, pattern=np.eye(2))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            x = np.full(2, 1.0 + 1e-4)
            np.testing.assert_allclose(jacobian(x).diagonal(), 51.0, rtol=2e-2)


# ------------------------------------------------------------------------------- how often
@pytest.mark.parametrize("colors", [1, 2, 3, 10, 50])
@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("cost", [1, 2, 3, 12])
def test_checks_take_one_call_in_twenty(colors, changes, cost):
    schedule = CheckSchedule(True)
    checks, evaluations = 0, 2000
    for _ in range(evaluations):
        if changes:
            schedule.state_changed()
        schedule.evaluated(colors)
        if schedule.is_due():
            checks += cost
            schedule.passed(cost)
    assert checks <= 0.05 * evaluations * colors + 10 * cost
    assert checks > 2 * cost


@pytest.mark.parametrize("colors", [1, 4])
def test_evaluations_between_checks_take_a_call_a_color(colors):
    jacobian = sparse_jacobian(lambda x: x * x[:colors].sum(), POINT)
    jacobian(POINT)
    pause = 40 // jacobian.coloring.num_colors
    before = jacobian.nfev
    for _ in range(pause - 1):
        jacobian(POINT)
    assert jacobian.nfev - before == (pause - 1) * jacobian.coloring.num_colors


def test_check_is_one_of_three():
    with pytest.raises(InputError, match="check='often'"):
        sparse_jacobian(np.sin, POINT, check="often")

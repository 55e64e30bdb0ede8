"""Components that interpolate in tables: any place in them; at a point the code itself."""

from __future__ import annotations

import numpy as np
import pytest
from openmdao_models import QUIET, om, without_reports  # noqa: F401  # a fixture

import sparsetrace as st
from sparsetrace.solvers.openmdao_component import ComponentFunction, traced_component

pytestmark = [*QUIET, pytest.mark.filterwarnings("ignore:Analysis Error")]

PLACES = np.array([0.15, 0.45, 0.85])
HEIGHTS = np.random.default_rng(0).normal(size=(6, 6))


def _set_up(component):
    problem = om.Problem(reports=False)
    problem.model.add_subsystem("table", component)
    problem.setup()
    problem.final_setup()
    return ComponentFunction(problem.model.table)


def _grid(method, **options):
    component = om.MetaModelStructuredComp(method=method, vec_size=3, **options)
    component.add_input("a", PLACES, np.linspace(0, 1, 6))
    component.add_input("b", PLACES[::-1], np.linspace(0, 1, 6))
    component.add_output("y", 1.0, HEIGHTS)
    return component


def _scattered(**options):
    component = om.MetaModelSemiStructuredComp(method="slinear", vec_size=3, **options)
    component.add_input("a", np.repeat(np.linspace(0, 1, 4), 4))
    component.add_input("b", np.tile(np.linspace(0, 1, 4), 4))
    component.add_output("y", training_data=HEIGHTS[:4, :4].ravel())
    return component


EACH_BY_ITS_OWN = np.tile(np.eye(3, dtype=bool), 2)


@pytest.mark.parametrize("extrapolate", [False, True])
@pytest.mark.parametrize("method", ["slinear", "lagrange2", "lagrange3", "akima", "cubic"])
def test_each_result_depends_on_its_own_place(method, extrapolate):
    model = _set_up(_grid(method, extrapolate=extrapolate))
    pattern = traced_component(model, {})
    np.testing.assert_array_equal(pattern.toarray(), EACH_BY_ITS_OWN)
    assert len(pattern.left_out) == (not extrapolate)


@pytest.mark.parametrize("extrapolate", [False, True])
def test_a_table_that_is_no_grid_and_heights_that_are_inputs(extrapolate):
    model = _set_up(_scattered(extrapolate=extrapolate))
    np.testing.assert_array_equal(traced_component(model, {}).toarray(), EACH_BY_ITS_OWN)
    heights = _set_up(_scattered(extrapolate=extrapolate, training_data_gradients=True))
    pattern = traced_component(heights, {})
    assert pattern.nnz == 3 * (2 + 16)
    at_a_point = traced_component(heights, {"local": True})
    assert (pattern - at_a_point).nnz > 0
    assert (at_a_point - pattern).nnz == 0


def test_nodes_that_are_inputs():
    from openmdao.components.interp_util.interp import InterpND

    def f(x):
        table = InterpND(
            method="slinear", points=(x[:3], np.linspace(0, 1, 4)), values=HEIGHTS[:3, :4]
        )
        return table.interpolate(x[3:])

    at = np.array([0.0, 0.4, 1.0, 0.3, 0.6])
    assert st.jacobian_sparsity(f, at).nnz == 5
    assert st.jacobian_sparsity(f, at, local=True).toarray().tolist() == [[1, 1, 0, 1, 1]]


@pytest.mark.parametrize("local", [False, True])
def test_what_a_function_does_outside_of_the_table_is_followed(local):
    from openmdao.components.interp_util.interp import InterpND
    from openmdao.components.interp_util.outofbounds_error import OutOfBoundsError

    table = InterpND(method="slinear", points=(np.linspace(0, 1, 4),), values=np.arange(4.0) ** 2)

    def f(x):
        try:
            y = table.interpolate(x[:2])
        except OutOfBoundsError:
            y = x[2] * np.ones(2)
        _, slopes = table.interpolate(x[:1] / 2, compute_derivative=True)
        return np.concatenate([y, slopes.ravel()])

    pattern = st.jacobian_sparsity(f, np.array([0.1, 0.2, 0.3]), local=local).toarray()
    everywhere = np.array([[1, 0, 1], [0, 1, 1], [1, 0, 0]], dtype=bool)
    here = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0]], dtype=bool)
    np.testing.assert_array_equal(pattern, here if local else everywhere)

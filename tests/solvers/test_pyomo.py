"""A function as a grey box in a Pyomo model."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from cases.optimisation import HS071_OPTIMUM, HS071_START, hs071, hs071_constraints
from sparsetrace.errors import InputError
from sparsetrace.solvers.pyomo import grey_box


@pytest.fixture
def pyomo():
    return pytest.importorskip("pyomo", reason="needs pyomo (pip install 'sparsetrace[pyomo]')")


def test_without_pyomo_the_extra_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyomo"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyomo", None)
    with pytest.raises(ImportError, match=r"sparsetrace\[pyomo\]"):
        grey_box(hs071_constraints, HS071_START)


@pytest.mark.parametrize("outputs", [False, True])
def test_values_and_derivatives(pyomo, outputs):
    from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock
    from pyomo.environ import ConcreteModel

    box = grey_box(hs071_constraints, HS071_START, outputs=outputs)
    model = ConcreteModel()
    model.box = ExternalGreyBoxBlock(external_model=box)
    assert [model.box.inputs[f"x{i}"].value for i in range(4)] == list(HS071_START)
    x, (first, second) = np.array([1.0, 2.0, 3.0, 4.0]), (3.0, 5.0)
    box.set_input_values(x)
    if outputs:
        assert len(model.box.outputs) == 2
        box.set_output_constraint_multipliers([first, second])
        values, jacobian = box.evaluate_outputs(), box.evaluate_jacobian_outputs()
        hessian = box.evaluate_hessian_outputs()
    else:
        assert box.n_equality_constraints() == 2
        box.set_equality_constraint_multipliers([first, second])
        values = box.evaluate_equality_constraints()
        jacobian = box.evaluate_jacobian_equality_constraints()
        hessian = box.evaluate_hessian_equality_constraints()
    assert np.allclose(values, [24, 30])
    assert np.allclose(jacobian.toarray(), [24 / x, 2 * x])
    whole = first * (24 / np.outer(x, x)) * (1 - np.eye(4)) + second * 2 * np.eye(4)
    assert np.allclose(hessian.toarray(), np.tril(whole), atol=1e-5)
    assert (hessian.row >= hessian.col).all()


def test_values_in_a_buffer_of_the_functions(pyomo):
    room = np.zeros(1)

    def g(x):
        x *= 2
        room[0] = x[0] + x[1]
        return room

    box = grey_box(g, np.ones(2), sparsity={"method": "2-point"})
    box.set_input_values(np.array([1.0, 2.0]))
    values = box.evaluate_equality_constraints()
    box.set_input_values(np.array([5.0, 5.0]))
    assert box.evaluate_equality_constraints().tolist() == [20.0]
    assert values.tolist() == [6.0]


def test_names(pyomo):
    box = grey_box(hs071_constraints, HS071_START, input_names=list("abcd"))
    assert box.input_names() == ["a", "b", "c", "d"]
    assert box.equality_constraint_names() == ["g0", "g1"]
    with pytest.raises(InputError, match="1 names, and there are 2"):
        grey_box(hs071_constraints, HS071_START, result_names=["one"])


def test_hs071_as_a_model_with_a_grey_box(pyomo):
    """Pyomo's objective, our constraints as outputs that it bounds, solved by Ipopt."""
    pytest.importorskip("cyipopt", reason="needs cyipopt (pip install 'sparsetrace[ipopt]')")
    from pyomo import environ as pyo
    from pyomo.contrib.pynumero.asl import AmplInterface
    from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock

    if not AmplInterface.available():
        pytest.skip("needs PyNumero's library (pyomo build-extensions)")
    model = pyo.ConcreteModel()
    box = grey_box(hs071_constraints, HS071_START, outputs=True)
    model.box = ExternalGreyBoxBlock(external_model=box)
    x = [model.box.inputs[f"x{i}"] for i in range(4)]
    for variable in x:
        variable.setlb(1)
        variable.setub(5)
    model.box.outputs["g0"].setlb(25)
    model.sphere = pyo.Constraint(expr=model.box.outputs["g1"] == 40)
    model.value = pyo.Objective(expr=hs071(x))
    solver = pyo.SolverFactory("cyipopt", options={"print_level": 0, "sb": "yes"})
    solver.solve(model)
    assert pyo.value(model.value) == pytest.approx(HS071_OPTIMUM, abs=1e-5)

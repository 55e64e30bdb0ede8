"""OpenMDAO's own beam example, its components without the derivatives that they have by hand."""

from __future__ import annotations

import numpy as np
import pytest
from openmdao_models import QUIET, om, without_reports  # noqa: F401  # a fixture

from sparsetrace.solvers.openmdao import check_declared, declare_sparsity

beam_group = pytest.importorskip("openmdao.test_suite.test_examples.beam_optimization.beam_group")
pytestmark = QUIET
ELEMENTS = 10
COMPONENTS = [name for name in vars(beam_group) if name.endswith("Comp")]


def traced(component):
    """The component with what we declare; an implicit one without a solver of its own, too."""

    class Traced(component):
        def setup_partials(self):
            self.declared = declare_sparsity(self)

    class TracedStates(Traced):
        linearize = om.ImplicitComponent.linearize
        solve_linear = om.ImplicitComponent.solve_linear

        def setup(self):
            super().setup()
            self.linear_solver = om.DirectSolver()

    return TracedStates if issubclass(component, om.ImplicitComponent) else Traced


def optimised():
    problem = om.Problem(
        beam_group.BeamGroup(E=1.0, L=1.0, b=0.1, volume=0.01, num_elements=ELEMENTS)
    )
    problem.driver = om.ScipyOptimizeDriver(optimizer="SLSQP", tol=1e-9, disp=False)
    problem.setup()
    problem.run_driver()
    return problem


def test_the_optimum_is_that_of_derivatives_by_hand(monkeypatch):
    by_hand = optimised()
    lint = {(wrong.component, wrong.is_right): wrong for wrong in check_declared(by_hand)}
    # dense declarations: no derivative is lost, and most are zero
    assert set(lint) == {
        ("local_stiffness_matrix_comp", True),
        ("states_comp", True),
        ("compliance_comp", True),
    }
    assert lint["local_stiffness_matrix_comp", True].extra == 160 * 10 - 160
    for name in COMPONENTS:
        monkeypatch.setattr(beam_group, name, traced(getattr(beam_group, name)))
    ours = optimised()
    np.testing.assert_allclose(ours.get_val("h"), by_hand.get_val("h"), atol=1e-5)
    compliance = "compliance_comp.compliance"
    np.testing.assert_allclose(ours.get_val(compliance), by_hand.get_val(compliance), rtol=1e-8)
    assert check_declared(ours) == []
    assert {pair: part.nnz for pair, part in ours.model.states_comp.declared.items()} == {
        ("d", "K_local"): 16 * ELEMENTS,
        ("d", "d"): 12 * ELEMENTS + 4 + 4,
    }

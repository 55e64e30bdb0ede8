"""What the tests of OpenMDAO's components share; they are skipped where it is not installed."""

from __future__ import annotations

import numpy as np
import pytest

from sparsetrace.solvers.openmdao import declare_sparsity

om = pytest.importorskip(
    "openmdao.api", reason="needs openmdao (pip install 'sparsetrace[openmdao]')"
)
QUIET = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Error loading report plugins"),
]
"""OpenMDAO's warnings about itself."""


@pytest.fixture(autouse=True)
def without_reports(monkeypatch):
    monkeypatch.setenv("OPENMDAO_REPORTS", "0")


def problem_of(*components, **options):
    """A problem of these components, that has run; implicit ones are solved by Newton."""
    problem = om.Problem()
    for number, component in enumerate(components):
        problem.model.add_subsystem(f"c{number}", component)
        if isinstance(component, om.ImplicitComponent):
            component.nonlinear_solver = om.NewtonSolver(solve_subsystems=False, iprint=-1)
            component.linear_solver = om.DirectSolver()
    problem.setup(**options)
    problem.run_model()
    return problem


class Band(om.ImplicitComponent):
    """Equations of which each reads the state before its own."""

    def setup(self):
        self.add_input("a", np.array([1.0, 2.0, 3.0]))
        self.add_output("u", np.ones(3))

    def setup_partials(self):
        declare_sparsity(self)

    def apply_nonlinear(self, inputs, outputs, residuals):
        u, a = outputs["u"], inputs["a"]
        residuals["u"] = u**3 + a * u - 2 * a[::-1]
        residuals["u"][1:] -= 0.1 * u[:-1]

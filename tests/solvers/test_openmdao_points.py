"""OpenMDAO components at complex points, and those that take real numbers alone."""

from __future__ import annotations

import numpy as np
import pytest
from openmdao_models import QUIET, Band, om, problem_of, without_reports  # noqa: F401  # a fixture

from sparsetrace.solvers.openmdao import declare_sparsity

pytestmark = QUIET


class Square(om.ExplicitComponent):
    def setup(self):
        self.add_input("u", np.ones(3))
        self.add_output("y", np.ones(3))

    def setup_partials(self):
        declare_sparsity(self)

    def compute(self, inputs, outputs):
        outputs["y"] = inputs["u"] ** 2


@pytest.mark.filterwarnings("ignore:The following groups have a nonlinear solver")
def test_a_complex_step_through_the_model():
    """OpenMDAO moves the whole model, and asks for derivatives at complex points."""

    class Whole(om.Group):
        def setup(self):
            self.add_subsystem("c0", Band())
            self.add_subsystem("c1", Square())
            self.connect("c0.u", "c1.u")
            self.nonlinear_solver = om.NewtonSolver(solve_subsystems=False, iprint=-1)
            self.linear_solver = om.DirectSolver()

    def totals(by_steps):
        problem = om.Problem()
        problem.model.add_subsystem("whole", Whole())
        if by_steps:
            problem.model.approx_totals(method="cs")
        problem.setup(force_alloc_complex=True)
        problem.run_model()
        return problem.compute_totals(of=["whole.c1.y"], wrt=["whole.c0.a"])

    exact, stepped = totals(False), totals(True)
    for pair, values in exact.items():
        np.testing.assert_allclose(stepped[pair], values, rtol=1e-8, atol=1e-10)
        assert np.abs(values).max() > 0.1


def test_derivatives_at_complex_points():
    """Their imaginary parts are what a complex step of first derivatives is taken for."""
    problem = problem_of(Band())
    component = problem.model.c0
    u, a = np.array([1.0, 2.0, 3.0]) + 1e-30j, np.array([2.0, 1.0, 0.5])
    entries = {("u", "u"): np.zeros(5, dtype=complex), ("u", "a"): np.zeros(5, dtype=complex)}
    component.linearize({"a": a}, {"u": u}, entries)
    expected = np.zeros((3, 3), dtype=complex)
    expected[range(3), range(3)] = 3 * u**2 + a
    expected[range(1, 3), range(2)] = -0.1
    rows, columns = np.nonzero(expected)
    values = expected[rows, columns]
    np.testing.assert_allclose(entries["u", "u"].real, values.real, rtol=1e-8)
    np.testing.assert_allclose(entries["u", "u"].imag, values.imag, rtol=1e-6, atol=1e-36)


class Counting(om.ExplicitComponent):
    """Takes a whole number from its inputs: the complex step would be dropped."""

    def setup(self):
        self.add_input("x", np.array([2.5, 1.0, 3.0]))
        self.add_output("y", np.ones(3))

    def setup_partials(self):
        declare_sparsity(self)

    def compute(self, inputs, outputs):
        outputs["y"] = inputs["x"] ** 2 * int(np.trunc(inputs["x"][0]))


class LaterReal(Counting):
    """Takes complex numbers where it is first linearized, and not beyond."""

    def compute(self, inputs, outputs):
        x = inputs["x"]
        outputs["y"] = [float(v) ** 2 for v in x] if x[0] > 2.6 else x**2


@pytest.mark.parametrize(("component", "factor"), [(Counting, 2), (LaterReal, 1)])
def test_code_that_drops_imaginary_parts_is_differentiated_by_real_ones(component, factor):
    problem = problem_of(component())
    for first in (2.5, 2.7):
        x = np.array([first, 1.5, 3.0])
        problem.set_val("c0.x", x)
        problem.run_model()
        totals = problem.compute_totals(of=["c0.y"], wrt=["c0.x"])["c0.y", "c0.x"]
        np.testing.assert_allclose(totals, np.diag(2 * x * factor), rtol=1e-6, atol=1e-9)


class Beyond(om.ExplicitComponent):
    """Code that takes complex numbers where it is first evaluated."""

    def initialize(self):
        self.options.declare("how")

    def setup(self):
        self.add_input("x", np.ones(4))
        self.add_output("y", np.ones(4))
        declare_sparsity(self)

    def compute(self, inputs, outputs):
        x = inputs["x"]
        outputs["y"] = self.bent(x) if x[0] > 5 else x**3

    def bent(self, x):
        how = self.options["how"]
        if how == "buffer":
            out = np.zeros(4)
            out[:] = x**2
            return out
        return np.abs(x) * x if how == "abs" else x * np.linalg.norm(x)


@pytest.mark.parametrize("how", ["abs", "norm", "buffer"])
def test_imaginary_parts_that_are_lost_at_later_points(how):
    problem = om.Problem()
    problem.model.add_subsystem("beyond", Beyond(how=how))
    problem.setup()
    x = np.array([6.0, -2.0, 3.0, 4.0])
    for point in (np.arange(1.0, 5.0), x, x + 1):
        problem.set_val("beyond.x", point)
        problem.run_model()
        found = problem.compute_totals("beyond.y", "beyond.x")["beyond.y", "beyond.x"]
        expected = np.diag(3 * point**2)
        if point[0] > 5:
            size = np.linalg.norm(point)
            expected = {
                "abs": np.diag(2 * np.abs(point)),
                "norm": size * np.eye(4) + np.outer(point, point) / size,
                "buffer": np.diag(2 * point),
            }[how]
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)

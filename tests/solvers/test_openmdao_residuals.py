"""OpenMDAO components whose residuals have other names than their states."""

from __future__ import annotations

import numpy as np
import pytest
from openmdao_models import QUIET, om, problem_of, without_reports  # noqa: F401  # a fixture

from sparsetrace.errors import InputError
from sparsetrace.solvers.openmdao import check_declared, declare_sparsity

pytestmark = QUIET


class Renamed(om.ImplicitComponent):
    """Two residuals, of which the first belongs to parts of both states."""

    in_setup = True

    def setup(self):
        self.add_input("a", np.array([4.0, 9.0, 16.0]))
        self.add_output("u", np.array([1.0, 2.0]))
        self.add_output("v", np.array([3.0]))
        if self.in_setup:
            self.add_own()

    def add_own(self):
        self.add_residual("last", shape=(1,))
        self.add_residual("first", shape=(2, 1))

    def setup_partials(self):
        self.declared = declare_sparsity(self)

    def apply_nonlinear(self, inputs, outputs, residuals):
        a, u, v = inputs["a"], outputs["u"], outputs["v"]
        residuals["last"] = v**2 - a[2] + 0.1 * u[0]
        residuals["first"][:, 0] = u * [1.0, u[1]] - a[:2]


class RenamedLater(Renamed):
    in_setup = False

    def setup_residuals(self):
        self.add_own()


class RenamedTooEarly(RenamedLater):
    def setup(self):
        super().setup()
        declare_sparsity(self)


@pytest.mark.parametrize("component", [Renamed, RenamedLater])
@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_residuals_of_other_names(component, mode):
    problem = problem_of(component(), mode=mode)
    u, v = problem.get_val("c0.u"), problem.get_val("c0.v")
    np.testing.assert_allclose(u, [4.0, 3.0])
    np.testing.assert_allclose(v**2, 16 - 0.4)
    assert {pair: part.coords()[0].size for pair, part in problem.model.c0.declared.items()} == {
        ("last", "a"): 1,
        ("last", "u"): 1,
        ("last", "v"): 1,
        ("first", "a"): 2,
        ("first", "u"): 2,
    }
    totals = problem.compute_totals(of=["c0.u", "c0.v"], wrt=["c0.a"])
    np.testing.assert_allclose(totals["c0.u", "c0.a"], [[1, 0, 0], [0, 1 / 6, 0]], atol=1e-9)
    by_v = np.array([[-0.1, 0, 1]]) / (2 * v)
    np.testing.assert_allclose(totals["c0.v", "c0.a"], by_v, rtol=1e-7, atol=1e-9)
    assert check_declared(problem) == []


def test_a_wrong_declaration_of_a_residual_is_found():
    class Wrong(Renamed):
        def setup_partials(self):
            for of, wrt, places in [
                ("last", "a", [2]),
                ("last", "v", [0]),
                ("first", "a", [0, 1]),
                ("first", "u", [0]),
            ]:
                rows, ones = range(len(places)), np.ones(len(places))
                self.declare_partials(of, wrt, rows=rows, cols=places, val=ones)

    problem = om.Problem()
    problem.model.add_subsystem("c", Wrong())
    problem.setup()
    problem.final_setup()
    wrong = {(entry.of, entry.wrt): entry for entry in check_declared(problem)}
    assert wrong["first", "u"].missing == ((1, 1),)
    assert wrong["last", "u"].missing == ((0, 0),)
    assert [pair for pair, entry in wrong.items() if not entry.is_right] == [
        ("last", "u"),
        ("first", "u"),
    ]


def test_residuals_that_are_not_known_yet_are_refused():
    with pytest.raises(InputError, match="call declare_sparsity in setup_partials"):
        problem_of(RenamedTooEarly())

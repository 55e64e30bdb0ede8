"""Partial derivatives of OpenMDAO components, declared, computed and compared by their code."""

from __future__ import annotations

from functools import partial

import numpy as np
import openmdao_models
import pytest
from openmdao_models import QUIET, Band, om, without_reports  # noqa: F401  # a fixture

from sparsetrace.errors import InputError, VerificationError, VerificationWarning
from sparsetrace.solvers.openmdao import check_declared, declare_sparsity

pytestmark = QUIET


class Mixed(om.ExplicitComponent):
    """Shapes of every kind, a number, a discrete variable, dict-like methods."""

    def setup(self):
        self.add_input("a", np.arange(6.0).reshape(2, 3))
        self.add_input("s", 2.0, shape=())
        self.add_output("y", np.ones(3))
        self.add_output("z", 1.0)
        self.add_output("kept", 4.0)
        self.add_discrete_input("n", 3)
        self.work = np.zeros(3)

    def setup_partials(self):
        self.declared = declare_sparsity(self)

    def compute(self, inputs, outputs, discrete_inputs, discrete_outputs):
        self.work[:] = inputs["a"].sum(axis=0)
        outputs["y"] = self.work * inputs["s"] ** discrete_inputs["n"]
        outputs["z"][:] = np.sin(inputs.get_val(f"{self.pathname}.a")[5])
        assert {name for name, _ in inputs.items()} == {"a", "s"}
        assert inputs.asarray().shape == (7,)


class Wrong(om.ExplicitComponent):
    """Declares a diagonal, and reads another element."""

    def setup(self):
        self.add_input("x", np.ones(4))
        self.add_output("y", np.ones(4))
        self.add_output("unread", np.ones(4))
        self.declare_partials("y", "x", rows=np.arange(4), cols=np.arange(4))
        self.declare_partials("unread", "x")

    def compute(self, inputs, outputs):
        outputs["y"] = inputs["x"] ** 2
        outputs["y"][0] += inputs["x"][3]

    def compute_partials(self, inputs, partials):
        partials["y", "x"] = 2 * inputs["x"]


class Aside(om.ExplicitComponent):
    """Reads and writes the vectors that it has, and not those that it is given."""

    def setup(self):
        self.add_input("x", np.ones(3))
        self.add_output("y", np.ones(3))

    def setup_partials(self):
        declare_sparsity(self)

    def compute(self, inputs, outputs):
        self._outputs["y"] = self._inputs["x"] ** 2


class Searching(om.ExplicitComponent):
    """Ends a loop by values: refused for every input, traced at points."""

    def setup(self):
        self.add_input("x", np.full(3, 0.5))
        self.add_output("y", np.ones(3))

    def compute(self, inputs, outputs):
        x = inputs["x"]
        count = np.unique(np.round(x, 1), axis=0).size
        outputs["y"] = x**2 * count


problem_of = partial(openmdao_models.problem_of, force_alloc_complex=True)


def worst_error(problem, method="cs"):
    data = problem.check_partials(out_stream=None, method=method)
    errors = [np.abs(v["J_fwd"] - v["J_fd"]).max() for part in data.values() for v in part.values()]
    assert errors
    return max(errors)


def test_explicit_component():
    component = Mixed()
    problem = problem_of(component)
    assert {pair: part.nnz for pair, part in component.declared.items()} == {
        ("y", "a"): 6,
        ("y", "s"): 3,
        ("z", "a"): 1,
    }
    assert worst_error(problem, "fd") < 1e-4  # a real array: the complex step cannot pass it
    assert component.work.dtype == float
    assert type(component._inputs["a"]) is np.ndarray
    assert check_declared(problem) == []


def test_derivatives_follow_discrete_inputs():
    problem = problem_of(Mixed())
    problem.set_val("c0.n", 2)
    problem.run_model()
    assert worst_error(problem, "fd") < 1e-4


def test_implicit_component_converges():
    problem = problem_of(Band())
    assert worst_error(problem) < 1e-12
    u, a = problem.get_val("c0.u"), np.array([1.0, 2.0, 3.0])
    residual = u**3 + a * u - 2 * a[::-1]
    residual[1:] -= 0.1 * u[:-1]
    np.testing.assert_allclose(residual, 0, atol=1e-9)


def test_vectors_that_a_component_has_itself():
    problem = problem_of(Aside())
    problem.set_val("c0.x", [1.0, 2.0, 3.0])
    problem.run_model()
    totals = problem.compute_totals(of=["c0.y"], wrt=["c0.x"])
    np.testing.assert_allclose(totals["c0.y", "c0.x"], np.diag([2.0, 4.0, 6.0]))


def test_expressions():
    class Model(om.Group):
        def setup(self):
            ones = np.ones(3)
            self.add_subsystem("e", om.ExecComp("q = a * b + c[0]", q=ones, a=ones, b=ones, c=ones))

        def configure(self):
            self.declared = declare_sparsity(self.e)

    problem = om.Problem(Model())
    problem.setup()
    problem.run_model()
    declared = problem.model.declared
    np.testing.assert_array_equal(declared["q", "a"].toarray(), np.eye(3, dtype=bool))
    np.testing.assert_array_equal(declared["q", "c"].toarray(), np.eye(3, dtype=bool)[[0, 0, 0]])
    problem.set_val("e.b", [1.0, 2.0, 3.0])
    problem.run_model()
    totals = problem.compute_totals(of=["e.q"], wrt=["e.a", "e.c"])
    np.testing.assert_allclose(totals["e.q", "e.a"], np.diag([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(totals["e.q", "e.c"], np.eye(3)[[0, 0, 0]])
    assert check_declared(problem) == []


def test_wrong_declarations_are_found():
    lost, idle = check_declared(problem_of(Wrong(), Mixed()))
    assert (lost.component, lost.of, lost.wrt) == ("c0", "y", "x")
    assert lost.missing == ((0, 3),)
    assert not lost.is_right
    assert str(lost) == (
        "c0: d y / d x: lacks 1 entries, the first at (0, 3)"
        " (2 colors more than the component needs)"
    )
    assert (idle.of, idle.missing, idle.extra) == ("unread", (), 16)
    assert idle.colors_saved == 2
    assert str(idle).endswith(
        "16 entries more than there are (2 colors more than the component needs)"
    )
    assert idle.is_right


def test_patterns_at_points_are_told():
    component = Searching()
    problem = problem_of(component)
    with pytest.warns(VerificationWarning, match="at 4 points"):
        parts = declare_sparsity(component, partials=False)
    np.testing.assert_array_equal(parts["y", "x"].toarray(), np.eye(3, dtype=bool))
    assert problem.get_val("c0.y").tolist() == [0.25, 0.25, 0.25]


def test_what_is_no_component_is_refused():
    with pytest.raises(InputError, match="neither compute nor"):
        declare_sparsity(object())


def test_a_model_with_a_loop_converges_as_with_hand_written_derivatives():
    class Discipline(om.ExplicitComponent):
        """Sellar's, whose partial derivatives are declared by hand or by its code."""

        def initialize(self):
            self.options.declare("first")
            self.options.declare("by_hand")

        def setup(self):
            self.add_input("z", np.array([5.0, 2.0]))
            self.add_input("other", 1.0)
            self.add_output("own", 1.0)

        def setup_partials(self):
            if not self.options["by_hand"]:
                declare_sparsity(self)
            else:
                self.declare_partials("own", ["z", "other"])
                if not self.options["first"]:
                    self.compute_partials = self.second
                else:
                    self.compute_partials = self.by_first
                self._has_compute_partials = True

        def compute(self, inputs, outputs):
            z1, z2 = inputs["z"]
            y = inputs["other"]
            first = z1**2 + z2 + 1.0 - 0.2 * y
            outputs["own"] = first if self.options["first"] else y**0.5 + z1 + z2

        def by_first(self, inputs, partials):
            partials["own", "z"] = [[2 * inputs["z"][0], 1.0]]
            partials["own", "other"] = -0.2

        def second(self, inputs, partials):
            partials["own", "z"] = [[1.0, 1.0]]
            partials["own", "other"] = 0.5 * inputs["other"] ** -0.5

    def solved(by_hand):
        problem = om.Problem()
        for name, first in (("one", True), ("two", False)):
            problem.model.add_subsystem(
                name, Discipline(first=first, by_hand=by_hand), promotes_inputs=["z"]
            )
        problem.model.connect("one.own", "two.other")
        problem.model.connect("two.own", "one.other")
        problem.model.set_input_defaults("z", np.array([5.0, 2.0]))
        problem.model.nonlinear_solver = om.NewtonSolver(solve_subsystems=False, iprint=-1)
        problem.model.linear_solver = om.DirectSolver()
        problem.setup()
        problem.run_model()
        return problem.get_val("one.own"), problem.model.nonlinear_solver._iter_count

    ours, by_hand = solved(False), solved(True)
    np.testing.assert_allclose(ours[0], by_hand[0], rtol=1e-12)
    assert ours[1] == by_hand[1]


class Coupled(om.ImplicitComponent):
    """An input reaches one state by way of another."""

    def setup(self):
        self.add_input("a", np.array([4.0, 9.0]))
        self.add_output("u", np.ones(2))
        self.add_output("v", 1.0)

    def setup_partials(self):
        declare_sparsity(self)

    def apply_nonlinear(self, inputs, outputs, residuals):
        residuals["u"] = outputs["u"] ** 2 - inputs["a"]
        residuals["v"] = outputs["v"] - outputs["u"].sum()


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_states_are_reached_by_way_of_others(mode):
    problem = problem_of(Coupled(), mode=mode)
    totals = problem.compute_totals(of=["c0.v"], wrt=["c0.a"])
    np.testing.assert_allclose(totals["c0.v", "c0.a"], [[1 / 4, 1 / 6]], rtol=1e-6)


class Chosen(om.ExplicitComponent):
    """A discrete input, or an option, says which element is read."""

    def initialize(self):
        self.options.declare("place", 0)

    def setup(self):
        self.add_input("x", np.array([1.0, 2.0, 3.0]))
        self.add_discrete_input("n", 0)
        self.add_output("y", 1.0)

    def setup_partials(self):
        declare_sparsity(self)

    def compute(self, inputs, outputs, discrete_inputs, discrete_outputs):
        outputs["y"] = inputs["x"][discrete_inputs["n"]] * inputs["x"][self.options["place"]]


@pytest.mark.parametrize("by_option", [False, True])
def test_a_pattern_that_changed_is_no_silent_loss(by_option):
    problem = problem_of(Chosen())
    first = problem.compute_totals(of=["c0.y"], wrt=["c0.x"])["c0.y", "c0.x"]
    np.testing.assert_allclose(first, [[2.0, 0, 0]])
    if by_option:
        problem.model.c0.options["place"] = 2
    else:
        problem.set_val("c0.n", 2)
    problem.run_model()
    with pytest.raises(VerificationError, match="not declared"):
        problem.compute_totals(of=["c0.y"], wrt=["c0.x"])
    if by_option:
        problem.setup()
        problem.run_model()
        again = problem.compute_totals(of=["c0.y"], wrt=["c0.x"])["c0.y", "c0.x"]
        np.testing.assert_allclose(again, [[3.0, 0, 1.0]])


class Free(om.ExplicitComponent):
    """Matrix-free, and writes another shape of the same size."""

    def setup(self):
        self.add_input("x", np.ones((3, 1)))
        self.add_output("y", np.ones(3))

    def compute(self, inputs, outputs):
        outputs["y"] = inputs["x"] ** 2

    def compute_jacvec_product(self, inputs, d_outputs, d_inputs, mode):
        if mode == "fwd":
            d_outputs["y"] += (2 * inputs["x"] * d_inputs["x"]).ravel()


class Raising(om.ExplicitComponent):
    def setup(self):
        self.add_input("x", 1.0)
        self.add_output("y", 1.0)

    def compute(self, inputs, outputs):
        outputs["y"] = inputs["x"] * (2 if inputs.read_only else 1)


def test_what_the_lint_leaves_out():
    problem = problem_of(Free())
    assert check_declared(problem) == []
    parts = declare_sparsity(problem.model.c0, partials=False)
    np.testing.assert_array_equal(parts["y", "x"].toarray(), np.eye(3, dtype=bool))
    with pytest.warns(VerificationWarning, match="c0 is not checked"):
        assert check_declared(problem_of(Raising())) == []

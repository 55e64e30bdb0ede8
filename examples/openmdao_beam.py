"""OpenMDAO's beam, stiffest for its volume, without derivatives by hand.

``python examples/openmdao_beam.py``: each component calls `declare_sparsity` where others declare
their partial derivatives by hand, and `check_declared` finds what is declared wrongly.  Needs
OpenMDAO: ``pip install 'sparsetrace[openmdao]'``.
"""

import importlib.util
import os

import numpy as np
import scipy.sparse

from sparsetrace.solvers.openmdao import check_declared, declare_sparsity

os.environ["OPENMDAO_REPORTS"] = "0"
ELEMENTS = 20
LENGTH, WIDTH, VOLUME = 1.0, 0.1, 0.01
STEP = LENGTH / ELEMENTS
# bending of one element: by the deflections and angles at its two ends
BENDING = np.array(
    [
        [12, 6 * STEP, -12, 6 * STEP],
        [6 * STEP, 4 * STEP**2, -6 * STEP, 2 * STEP**2],
        [-12, -6 * STEP, 12, -6 * STEP],
        [6 * STEP, 2 * STEP**2, -6 * STEP, 4 * STEP**2],
    ]
)
BENDING /= STEP**3
ENDS = 2 * np.arange(ELEMENTS)[:, np.newaxis] + np.arange(4)
LOAD = np.zeros(2 * ELEMENTS + 2)
LOAD[-2] = -1.0


def declared(component, how):
    """By tracing; or as one does without: everything depends on everything, a call for each."""
    if how == "traced":
        declare_sparsity(component)
    else:
        component.declare_partials("*", "*", method="cs")


def components(om, how):
    class Inertia(om.ExplicitComponent):
        def setup(self):
            self.add_input("height", shape=ELEMENTS)
            self.add_output("inertia", shape=ELEMENTS)

        def setup_partials(self):
            declared(self, how)

        def compute(self, inputs, outputs):
            Inertia.calls += 1
            outputs["inertia"] = WIDTH * inputs["height"] ** 3 / 12

    class Bending(om.ImplicitComponent):
        def setup(self):
            self.add_input("inertia", shape=ELEMENTS)
            self.add_output("bent", shape=2 * ELEMENTS + 2)
            self.linear_solver = om.DirectSolver()

        def setup_partials(self):
            declared(self, how)

        def stiffness(self, inertia):
            rows = np.repeat(ENDS, 4, axis=1).ravel()
            columns = np.tile(ENDS, 4).ravel()
            values = (inertia[:, np.newaxis, np.newaxis] * BENDING).ravel()
            size = 2 * ELEMENTS + 2
            return scipy.sparse.coo_array((values, (rows, columns)), shape=(size, size)).tocsr()

        def apply_nonlinear(self, inputs, outputs, residuals):
            Bending.calls += 1
            residuals["bent"] = self.stiffness(inputs["inertia"]) @ outputs["bent"] - LOAD
            residuals["bent"][:2] = outputs["bent"][:2]  # clamped

        def solve_nonlinear(self, inputs, outputs):
            free = self.stiffness(inputs["inertia"])[2:, 2:]
            outputs["bent"][:2] = 0.0
            outputs["bent"][2:] = scipy.sparse.linalg.spsolve(free.tocsc(), LOAD[2:])

    class Result(om.ExplicitComponent):
        def setup(self):
            self.add_input("height", shape=ELEMENTS)
            self.add_input("bent", shape=2 * ELEMENTS + 2)
            self.add_output("volume")
            self.add_output("compliance")

        def setup_partials(self):
            declared(self, how)

        def compute(self, inputs, outputs):
            Result.calls += 1
            outputs["volume"] = np.sum(inputs["height"]) * WIDTH * STEP
            outputs["compliance"] = LOAD @ inputs["bent"]

    return Inertia, Bending, Result


def solved(om, how):
    """The optimised problem, and the calls that it took."""
    problem, classes = om.Problem(), components(om, how)
    for cls in classes:
        cls.calls = 0
        problem.model.add_subsystem(cls.__name__.lower(), cls(), promotes=["*"])
    problem.model.set_input_defaults("height", np.full(ELEMENTS, VOLUME / (WIDTH * LENGTH)))
    problem.model.add_design_var("height", lower=1e-2, upper=10.0)
    problem.model.add_objective("compliance", ref=1e4)
    problem.model.add_constraint("volume", equals=VOLUME, ref=VOLUME)
    problem.driver = om.ScipyOptimizeDriver(optimizer="SLSQP", tol=1e-9, disp=False)
    problem.setup(force_alloc_complex=True)
    problem.run_driver()
    return problem, sum(cls.calls for cls in classes)


def main(om):
    traced, calls = solved(om, "traced")
    dense, calls_of_dense = solved(om, "dense")
    gain = calls_of_dense / calls
    best = traced.get_val("compliance")[0], dense.get_val("compliance")[0]
    print(f"beam: {calls} calls for {calls_of_dense}, {gain:.1f} times fewer,", end=" ")
    print(f"compliance {best[0]:.3f} and {best[1]:.3f}")
    assert gain > 3
    assert np.isclose(*best, rtol=1e-6)
    assert np.allclose(traced.get_val("height"), dense.get_val("height"), atol=1e-4)
    assert check_declared(traced) == []

    # what is wrong in a declaration by hand: the last element does not count
    problem = om.Problem()
    result = components(om, "traced")[2]
    result.calls = 0

    class Wrong(result):
        def setup_partials(self):
            entries = np.arange(ELEMENTS - 1)
            self.declare_partials("volume", "height", rows=np.zeros_like(entries), cols=entries)
            self.declare_partials("compliance", "bent")

    problem.model.add_subsystem("result", Wrong())
    problem.setup()
    problem.final_setup()
    for wrong in check_declared(problem):
        print(wrong)
    assert check_declared(problem)[0].missing == ((0, ELEMENTS - 1),)


if importlib.util.find_spec("openmdao") is None:
    print("beam: OpenMDAO is not installed, pip install 'sparsetrace[openmdao]'")
else:
    import openmdao.api

    main(openmdao.api)

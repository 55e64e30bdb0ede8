"""A pendulum, swung up in two seconds, by four solvers: ``python examples/optimal_control.py``.

Angles, rates and torques at all times are unknowns, and the law of motion is a constraint of
neighboring times (trapezoidal collocation).  Ipopt needs cyipopt: ``pip install
'sparsetrace[ipopt]'``, the sequential quadratic programs OSQP: ``'sparsetrace[osqp]'``.
"""

import importlib.util

import numpy as np
import scipy.optimize

from sparsetrace.solvers import ipopt_problem, minimize, nonlinear_constraint, sqp

QUIET = {"print_level": 0, "sb": "yes"}


# ------------------------------------------------ problem 71 of Hock and Schittkowski, 1981
def objective(x):
    return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]


def constraints(x):
    return np.array([np.prod(x), np.sum(x**2)])


def hs071():
    start, limits = np.array([1.0, 5.0, 5.0, 1.0]), {"lb": 1, "ub": 5, "cl": [25, 40]}
    problem = ipopt_problem(objective, constraints, start, cu=[np.inf, 40], **limits, **QUIET)
    x, info = problem.solve(start)
    print("hs071:", x.round(4), round(info["obj_val"], 4))
    assert info["status"] == 0
    assert np.isclose(info["obj_val"], 17.0140173)


# --------------------------------------------------------------------------- the pendulum
class SwingUp:
    def __init__(self, steps):
        self.step, self.calls = 2.0 / steps, 0
        angle = np.linspace(0, np.pi, steps + 1)
        self.start = np.concatenate([angle, np.full_like(angle, np.pi / 2), np.zeros_like(angle)])

    def effort_terms(self, z):
        torque = z.reshape(3, -1)[2]
        return self.step / 2 * (torque[1:] ** 2 + torque[:-1] ** 2)

    def effort(self, z):
        return self.effort_terms(z).sum()

    def defects(self, z):
        self.calls += 1
        angle, rate, torque = z.reshape(3, -1)
        acceleration = torque - 9.81 * np.sin(angle)
        return np.concatenate(
            [
                angle[1:] - angle[:-1] - self.step / 2 * (rate[1:] + rate[:-1]),
                rate[1:] - rate[:-1] - self.step / 2 * (acceleration[1:] + acceleration[:-1]),
                [angle[0], rate[0], angle[-1] - np.pi, rate[-1]],
            ]
        )


def by_dense_slsqp(swing):
    law = {"type": "eq", "fun": swing.defects}
    options = {"maxiter": 300}
    return scipy.optimize.minimize(
        swing.effort, swing.start, method="SLSQP", constraints=law, options=options
    ).x


def by_slsqp(swing):
    law = {"type": "eq", "fun": swing.defects}
    options = {"maxiter": 300}
    return minimize(
        swing.effort, swing.start, method="SLSQP", constraints=law, options=options,
        terms=swing.effort_terms,
    ).x  # fmt: skip


def by_trust_constr(swing):
    law = nonlinear_constraint(swing.defects, 0, 0, swing.start)
    options = {"gtol": 1e-6, "maxiter": 500}
    return minimize(
        swing.effort, swing.start, constraints=law, options=options, terms=swing.effort_terms
    ).x


def by_osqp(swing):
    return sqp(swing.effort, swing.defects, swing.start, terms=swing.effort_terms).x


def by_ipopt(swing):
    problem = ipopt_problem(
        swing.effort, swing.defects, swing.start, terms=swing.effort_terms, **QUIET
    )
    return problem.solve(swing.start)[0]


def compare(solvers):
    dense = SwingUp(24)
    best = dense.effort(by_dense_slsqp(dense))
    print(f"24 steps: effort {best:.6f}, {dense.calls} calls by dense SLSQP")
    for solver in solvers:
        swing = SwingUp(24)
        effort, calls = swing.effort(solver(swing)), swing.calls
        print(f"    {effort:.6f}, {calls} calls, {dense.calls / calls:.0f} times fewer", end=" ")
        print(solver.__name__.replace("_", " "))
        assert np.isclose(effort, best, rtol=1e-4)
        assert calls < dense.calls / 3


SOLVERS = [by_slsqp, by_trust_constr]
if importlib.util.find_spec("osqp") is None:
    print("osqp is not installed: pip install 'sparsetrace[osqp]'")
else:
    SOLVERS.append(by_osqp)
if importlib.util.find_spec("cyipopt") is None:
    print("cyipopt is not installed: pip install 'sparsetrace[ipopt]'")
else:
    SOLVERS.append(by_ipopt)
    hs071()
    fine = SwingUp(200)
    z = by_ipopt(fine)
    print(f"200 steps: effort {fine.effort(z):.6f}, {z.size} unknowns, {fine.calls} calls by Ipopt")
    assert np.abs(fine.defects(z)).max() < 1e-7
compare(SOLVERS)
print("optimal control: solved")

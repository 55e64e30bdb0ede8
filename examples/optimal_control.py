"""Two problems for Ipopt, with exact derivatives: ``python examples/optimal_control.py``.

Needs cyipopt: ``pip install 'sparsetrace[ipopt]'``.
"""

import importlib.util

import numpy as np

from sparsetrace.solvers.ipopt import ipopt_problem


# ------------------------------------------------ problem 71 of Hock and Schittkowski, 1981
def objective(x):
    return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]


def constraints(x):
    return np.array([np.prod(x), np.sum(x**2)])


def hs071():
    start = np.array([1.0, 5.0, 5.0, 1.0])
    problem = ipopt_problem(
        objective, constraints, start, lb=1, ub=5, cl=[25, 40], cu=[np.inf, 40], **QUIET
    )
    x, info = problem.solve(start)
    print("hs071:", x.round(4), round(info["obj_val"], 4))
    assert info["status"] == 0
    assert np.isclose(info["obj_val"], 17.0140173)


# ------------------------------------------------ a pendulum, swung up in two seconds
STEPS = 200
STEP = 2.0 / STEPS


def effort_terms(z):
    torque = z.reshape(3, STEPS + 1)[2]
    return STEP / 2 * (torque[1:] ** 2 + torque[:-1] ** 2)


def effort(z):
    return effort_terms(z).sum()


def defects(z):
    angle, rate, torque = z.reshape(3, STEPS + 1)
    acceleration = torque - 9.81 * np.sin(angle)
    return np.concatenate(
        [
            angle[1:] - angle[:-1] - STEP / 2 * (rate[1:] + rate[:-1]),
            rate[1:] - rate[:-1] - STEP / 2 * (acceleration[1:] + acceleration[:-1]),
            [angle[0], rate[0], angle[-1] - np.pi, rate[-1]],
        ]
    )


def swing_up():
    angle = np.linspace(0, np.pi, STEPS + 1)
    start = np.concatenate([angle, np.full_like(angle, np.pi / 2), np.zeros_like(angle)])
    problem = ipopt_problem(effort, defects, start, terms=effort_terms, **QUIET)
    z, info = problem.solve(start)
    print(f"swing-up: {z.size} unknowns, effort {info['obj_val']:.4f}")
    assert info["status"] == 0
    assert np.abs(defects(z)).max() < 1e-7


QUIET = {"print_level": 0, "sb": "yes"}
if importlib.util.find_spec("cyipopt") is None:
    print("optimal control: cyipopt is not installed, pip install 'sparsetrace[ipopt]'")
else:
    hs071()
    swing_up()
    print("optimal control: solved")

"""A function of arrays inside of a Pyomo model: ``python examples/grey_box.py``.

A chain of stirred tanks is a NumPy function; Pyomo has it as an external grey box, with its
sparse Jacobian and exact Hessian, beside an objective and a bound of its own.  Needs Pyomo and
cyipopt, ``pip install 'sparsetrace[pyomo,ipopt]'``, and PyNumero's library
(``pyomo build-extensions``).
"""

import importlib.util

import numpy as np
import scipy.optimize

from sparsetrace.solvers.pyomo import grey_box

TANKS = 12


def balances(x):
    """Of the reactant in each tank: fed from the tank before, used up by a reaction of order 2."""
    amounts, flow, volumes = x[:TANKS], x[TANKS], x[TANKS + 1 :]
    before = np.concatenate([[1.0], amounts[:-1]])
    return flow * (before - amounts) - 2.0 * volumes * amounts**2


START = np.concatenate([np.linspace(0.9, 0.3, TANKS), [1.0], np.full(TANKS, 0.2)])


def solved(model):
    import pyomo.environ as pyo

    solver = pyo.SolverFactory("cyipopt", options={"print_level": 0, "sb": "yes", "tol": 1e-9})
    solver.solve(model)
    return np.array([model.tanks.inputs[f"x{i}"].value for i in range(START.size)])


def with_grey_box():
    import pyomo.environ as pyo
    from pyomo.contrib.pynumero.interfaces.external_grey_box import ExternalGreyBoxBlock

    model = pyo.ConcreteModel()
    model.tanks = ExternalGreyBoxBlock(external_model=grey_box(balances, START))
    x = [model.tanks.inputs[f"x{i}"] for i in range(START.size)]
    for variable in x:
        variable.setlb(0.01)
        variable.setub(5.0)
    model.pure = pyo.Constraint(expr=x[TANKS - 1] <= 0.2)
    model.cost = pyo.Objective(
        expr=sum(volume**2 for volume in x[TANKS + 1 :]) - 2.0 * pyo.log(x[TANKS])
    )
    return model


def cost(x):
    return np.sum(x[TANKS + 1 :] ** 2) - 2.0 * np.log(x[TANKS])


def by_dense_slsqp():
    bounds = [(0.01, 5.0)] * START.size
    bounds[TANKS - 1] = (0.01, 0.2)
    law = {"type": "eq", "fun": balances}
    options = {"maxiter": 500, "ftol": 1e-12}
    return scipy.optimize.minimize(
        cost, START, method="SLSQP", bounds=bounds, constraints=law, options=options
    ).x


def is_complete():
    if importlib.util.find_spec("pyomo") is None or importlib.util.find_spec("cyipopt") is None:
        print("grey box: Pyomo or cyipopt is not installed, pip install 'sparsetrace[pyomo,ipopt]'")
        return False
    from pyomo.contrib.pynumero.asl import AmplInterface

    if not AmplInterface.available():
        print("grey box: PyNumero's library is not installed, pyomo build-extensions")
        return False
    return True


if is_complete():
    model = with_grey_box()
    box = model.tanks.get_external_model()
    entries = box.evaluate_jacobian_equality_constraints().nnz
    print(f"grey box: {entries} derivatives of {TANKS * START.size}, exact Hessian")
    x, dense = solved(model), by_dense_slsqp()
    print(f"cost {cost(x):.6f} by Pyomo and Ipopt, {cost(dense):.6f} by dense SLSQP")
    assert np.abs(balances(x)).max() < 1e-7
    assert np.isclose(cost(x), cost(dense), rtol=1e-5)

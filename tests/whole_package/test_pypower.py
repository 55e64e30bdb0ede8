"""AC optimal power flow as PYPOWER computes it, against PYPOWER's own derivatives.

Not a line of PYPOWER is changed.  Its functions write the powers of the generators into the
arrays of the case, and make sparse matrices of their columns and of voltages.  Runs where
PYPOWER is installed: ``pip install pypower``.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from sparsetrace import hessian_sparsity, jacobian_sparsity

api = pytest.importorskip("pypower.api", reason="needs PYPOWER (pip install pypower)")
from pypower import idx_brch, idx_bus, idx_gen  # noqa: E402 - where it is installed
from pypower.opf_args import opf_args2  # noqa: E402
from pypower.opf_consfcn import opf_consfcn  # noqa: E402
from pypower.opf_costfcn import opf_costfcn  # noqa: E402
from pypower.opf_hessfcn import opf_hessfcn  # noqa: E402
from pypower.opf_setup import opf_setup  # noqa: E402

LIMITS = {"apparent power": 0, "active power": 1, "current": 2}
"""PYPOWER's option OPF_FLOW_LIM: what the limits of branches are limits of."""
COLUMNS = {"bus": idx_bus.MU_VMIN, "gen": idx_gen.MU_QMIN, "branch": idx_brch.MU_ANGMAX}
"""The last column of each table of a case, which ``opf`` makes room for."""


def problem(case: str, limit: str) -> SimpleNamespace:
    """What PYPOWER's ``opf`` and its solver make of a case before they call the functions."""
    options = api.ppoption(VERBOSE=0, OUT_ALL=0, OPF_FLOW_LIM=LIMITS[limit])
    tables, options = opf_args2(getattr(api, case)(), options)
    for name, last in COLUMNS.items():
        rows, columns = tables[name].shape
        tables[name] = np.c_[tables[name], np.zeros((rows, max(0, last + 1 - columns)))]
    model = opf_setup(api.ext2int(tables), options)
    model.build_cost_params()
    tables = model.get_ppc()
    admittances = api.makeYbus(tables["baseMVA"], tables["bus"], tables["branch"])
    rates = tables["branch"][:, idx_brch.RATE_A]
    limited = np.flatnonzero((rates != 0) & (rates < 1e10))
    buses, starts, ends = admittances
    arguments = model, buses, starts[limited], ends[limited], options, limited
    x = model.getv()[0]
    x = x + np.random.default_rng(0).uniform(0.1, 0.3, x.shape)

    def constraints(x) -> Any:
        return opf_consfcn(x, *arguments)[:2]

    def cost(x) -> Any:
        return opf_costfcn(x, model)[0]

    flows, balance, by_flows, by_balance = opf_consfcn(x, *arguments)
    weights = {
        "ineqnonlin": np.linspace(1, 2, len(flows)),
        "eqnonlin": np.linspace(1, 2, len(balance)),
    }

    def lagrangian(x) -> Any:
        flows, balance = constraints(x)
        return cost(x) + weights["ineqnonlin"] @ flows + weights["eqnonlin"] @ balance

    return SimpleNamespace(
        x=x,
        model=model,
        arguments=arguments,
        tables=tables,
        constraints=constraints,
        cost=cost,
        lagrangian=lagrangian,
        jacobian=sp.vstack([by_flows.T, by_balance.T]),
        gradient=opf_costfcn(x, model)[1],
        hessian=opf_hessfcn(x, weights, *arguments),
    )


def entries(derivatives) -> Any:
    dense = derivatives.toarray() if sp.issparse(derivatives) else np.atleast_2d(derivatives)
    return abs(dense) > 1e-12


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("case", ["case9", "case30"])
def test_patterns_are_those_of_the_derivatives(case, limit, local):
    given = problem(case, limit)
    before = {name: given.tables[name].copy() for name in COLUMNS}
    pattern = jacobian_sparsity(given.constraints, given.x, local=local)
    assert (pattern.toarray() == entries(given.jacobian)).all()
    pattern = jacobian_sparsity(given.cost, given.x, local=local)
    assert (pattern.toarray() == entries(given.gradient)).all()
    pattern = hessian_sparsity(given.lagrangian, given.x, local=local)
    assert (pattern.toarray() == entries(given.hessian)).all()
    for name, table in before.items():
        assert type(given.tables[name]) is np.ndarray
        assert np.array_equal(given.tables[name], table)


def test_derivatives_that_the_function_computes_are_traced():
    """The gradients that come with the constraints, of which nothing is lost."""
    given = problem("case9", "apparent power")
    weights = np.random.default_rng(1).normal(size=given.jacobian.shape[0])

    def gradient(x) -> Any:
        _, _, by_flows, by_balance = opf_consfcn(x, *given.arguments)
        return sp.hstack([by_flows, by_balance]) @ weights + opf_costfcn(x, given.model)[1]

    wanted = np.zeros((len(given.x),) * 2, bool)
    for j, move in enumerate(1e-6 * np.eye(len(given.x))):
        change = gradient(given.x + move) - gradient(given.x - move)
        wanted[:, j] = abs(change) > 1e-10 * abs(change).max()
    for local in (False, True):
        assert (jacobian_sparsity(gradient, given.x, local=local).toarray() == wanted).all()

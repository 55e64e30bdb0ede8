"""Right-hand sides with branches: a solver takes now one and now another within one solution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

import sparsetrace as st
from oracles import dense

POINT = np.array([0.4, 0.2, 0.7, 0.3])


def slopes(t, y, x):
    """The last component is fed first; only then it feeds the one before it."""
    if y[0] > 0.5:
        return [-1.0, 0.0, x[0]]
    return [0.0, y[2] * x[1], 0.0]


def by_time(t, y, x):
    if t < 1:
        return np.array([0.0, 0.0, x[0]])
    if t < 2:
        return np.array([0.0, x[1] * y[2], 0.0])
    return np.array([y[1], 0.0, 0.0])


def start(x):
    return np.array([1.0 + x[2] ** 2, 0.0, x[3]])


def solved(x):
    return integrate.solve_ivp(slopes, (0, 3), start(x), t_eval=[3.0], args=(x,)).y[:, 0]


def to_the_end(x):
    return integrate.solve_ivp(slopes, (0, 3), start(x), args=(x,)).y[:, -1]


def in_three_phases(x):
    return integrate.solve_ivp(by_time, (0, 3), start(x), t_eval=[3.0], args=(x,)).y[:, 0]


def of_odeint(x):
    return integrate.odeint(lambda y, t: slopes(t, y, x), start(x), [0.0, 3.0])[1]


@pytest.mark.parametrize("f", [solved, to_the_end, of_odeint])
def test_what_one_phase_makes_the_next_one_reads(f):
    row = st.jacobian_sparsity(f, POINT).toarray()[1]
    assert row[[0, 1, 3]].all()
    second = st.lagrangian_hessian_sparsity(f, POINT).toarray()
    assert second[0, 1]
    assert second[1, 3]


def test_so_it_is_through_three_phases():
    pattern = st.jacobian_sparsity(in_three_phases, POINT).toarray()
    assert pattern[0].all()
    assert st.lagrangian_hessian_sparsity(in_three_phases, POINT).toarray()[0, 1]


def test_a_right_hand_side_that_decides_nothing_is_run_a_few_times():
    from queue import SimpleQueue

    runs = SimpleQueue()

    def plain(t, y, x):
        runs.put(1)
        return [-x[0] * y[0]]

    def f(x):
        return integrate.solve_ivp(plain, (0, 1), x[1:2], t_eval=[1.0], args=(x,)).y[:, 0]

    assert st.jacobian_sparsity(f, POINT, verify=False).nnz == 2
    assert runs.qsize() == 2  # once more, since it keeps something


def test_a_solution_between_boundaries_multiplies_what_its_phases_read():
    def f(x):
        def fun(t, y):
            if np.any(t > 0.5):
                return np.vstack([y[1], (x[0] + 1) * y[0]])
            return np.vstack([y[1], x[1] * y[0]])

        def ends(a, b):
            return np.array([a[0] - x[2], b[0] - 1])

        mesh = np.linspace(0, 1, 5)
        return integrate.solve_bvp(fun, ends, mesh, np.ones((2, 5))).sol(0.3)[0]

    assert st.jacobian_sparsity(f, POINT).nnz == 3
    assert st.hessian_sparsity(f, POINT).toarray()[0, 1]


def test_how_far_a_dense_solution_reaches():
    def ends(x, local):
        sol = integrate.solve_ivp(lambda t, y: -y, (0.0, x[0]), x[1:], dense_output=True).sol
        return np.append(sol.t_max, sol.ts[1:] if local else sol.ts[-1])

    x = np.array([1.3, 0.4, 0.7])
    assert dense(st.jacobian_sparsity(ends, x, False, argnums=0)).tolist() == [[1, 0, 0]] * 2
    pattern = dense(st.jacobian_sparsity(ends, x, True, argnums=0, local=True))
    assert pattern[0].tolist() == pattern[-1].tolist() == [1, 0, 0]
    assert (pattern[1:-1] == 1).all()  # the steps between depend on all

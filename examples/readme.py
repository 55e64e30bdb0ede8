"""The examples of SparseConnectivityTracer.jl's README, in NumPy: ``python examples/readme.py``."""

import numpy as np

import sparsetrace as st


def entries(pattern):
    return list(zip(*(part.tolist() for part in pattern.nonzero()), strict=True))


# ---------------------------------------------------------------- a Jacobian
def f(x):
    return np.array([x[0] ** 2, 2 * x[0] * x[1] ** 2, np.sin(x[2])])


jacobian = st.jacobian_sparsity(f, np.ones(3))
print("Jacobian:", entries(jacobian))
assert entries(jacobian) == [(0, 0), (1, 0), (1, 1), (2, 2)]


# ------------------------------------------------------------------ Hessians
def g(x):
    return x[0] + x[1] * x[2] + 1 / x[3] + 1 * x[4]


def h(x):
    return g(x) + x[1] ** x[4]


for function, wanted in (
    (g, [(1, 2), (2, 1), (3, 3)]),
    (h, [(1, 1), (1, 2), (1, 4), (2, 1), (3, 3), (4, 1), (4, 4)]),
):
    hessian = st.hessian_sparsity(function, np.ones(5))
    print("Hessian:", entries(hessian))
    assert entries(hessian) == wanted


# ------------------------------------------------------------- at two points
def branching(x):
    return x[0] ** x[1] if x[1] < x[2] else x[2] * x[3]


for point, wanted in (
    ([1.0, 2, 3, 4], [(0, 0), (0, 1), (1, 0), (1, 1)]),
    ([1.0, 3, 2, 4], [(2, 3), (3, 2)]),
):
    hessian = st.hessian_sparsity(branching, np.array(point), local=True)
    print(f"at {point}:", entries(hessian))
    assert entries(hessian) == wanted

both = st.hessian_sparsity(branching, np.ones(4))
print("at every point:", entries(both))
assert both.nnz == 6

"""Finite volumes with sparse matrices of traced data: ``python examples/finite_volumes.py``.

Diffusion in a plane, div(k(u) grad u) + s, with a conductivity that depends on the solution:
each evaluation makes the matrix of the scheme anew.  Three writings, one pattern: a product
of sparse matrices, an assembly of faces, and one equation for each cell.
"""

import time

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import sparsetrace as st

N = 24  # cells along each side
SPACING = 1 / N
SOURCE = np.full(N * N, 0.5)


def differences(n):
    """From cells to the faces between them, in one dimension."""
    return sp.diags_array([-np.ones(n), np.ones(n)], offsets=[0, 1], shape=(n - 1, n)) / SPACING


GRADIENT = sp.vstack(
    [
        sp.kron(sp.eye_array(N), differences(N)),
        sp.kron(differences(N), sp.eye_array(N)),
    ],
    format="csr",
)
AVERAGE = abs(GRADIENT) * (SPACING / 2)
LEFT, RIGHT = (sp.csr_array(sign / SPACING == GRADIENT).indices for sign in (-1.0, 1.0))


def conductivity(u):
    return 1 + u**2


def by_products(u):
    """The operator as a product of matrices, with the conductivity of faces on a diagonal."""
    faces = sp.diags_array(AVERAGE @ conductivity(u))
    operator = GRADIENT.T @ faces @ GRADIENT
    return operator @ u - SOURCE


def by_assembly(u):
    """The operator from its entries, four for each face; SciPy adds up those of a cell."""
    k = (conductivity(u[LEFT]) + conductivity(u[RIGHT])) / 2 / SPACING**2
    rows = np.concatenate([LEFT, LEFT, RIGHT, RIGHT])
    columns = np.concatenate([LEFT, RIGHT, LEFT, RIGHT])
    operator = sp.coo_matrix((np.concatenate([k, -k, -k, k]), (rows, columns))).tocsr()
    return operator * u - SOURCE


def by_cells(u):
    """One cell after the other, into a buffer."""
    grid = u.reshape(N, N)
    k = conductivity(grid)
    out = np.zeros((N, N))
    for i in range(N):
        for j in range(N):
            for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                if 0 <= a < N and 0 <= b < N:
                    out[i, j] += (k[i, j] + k[a, b]) / 2 * (grid[i, j] - grid[a, b])
    return out.reshape(-1) / SPACING**2 - SOURCE


def one_step(u):
    """An implicit step with the conductivity of the old state: one sparse solve."""
    faces = sp.diags_array(AVERAGE @ conductivity(u))
    system = sp.eye_array(N * N) + 1e-3 * (GRADIENT.T @ faces @ GRADIENT)
    return spl.spsolve(system.tocsc(), u)


u = np.linspace(0.5, 1.5, N * N)
first = None
for residual in (by_products, by_assembly, by_cells):
    start = time.perf_counter()
    pattern = st.jacobian_sparsity(residual, u)
    seconds = time.perf_counter() - start
    print(f"{residual.__name__:11} {pattern!r} in {1e3 * seconds:.0f} ms")
    assert np.allclose(residual(u), by_products(u))
    assert pattern.nnz == 5 * N * N - 4 * N
    assert first is None or (pattern != first).nnz == 0
    first = pattern

step = st.jacobian_sparsity(one_step, u)
print(f"one_step    {step!r}: through the solve, each cell depends on all")
assert step.nnz == (N * N) ** 2

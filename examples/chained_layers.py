"""A chain of six layers, by all of its weights: ``python examples/chained_layers.py``.

``x -> cos(W_k x)``, folded over six 12 x 12 matrices; wanted are the derivatives of the
first output with respect to the matrices, which come as a tuple.
"""

import numpy as np

import sparsetrace as st

WIDTH, LAYERS = 12, 6
START = np.linspace(0.1, 1, WIDTH)


def first_output(matrices):
    state = START
    for matrix in matrices:
        state = np.cos(matrix @ state)
    return state[0]


rng = np.random.default_rng(0)
matrices = tuple(rng.normal(size=(WIDTH, WIDTH)) for _ in range(LAYERS))

gradient = st.jacobian_sparsity(first_output, matrices)
print("gradient:", repr(gradient))
# of the last matrix, the first row alone
assert gradient.nnz == (LAYERS - 1) * WIDTH**2 + WIDTH

hessian = st.hessian_sparsity(first_output, matrices)
print("Hessian:", repr(hessian))
assert hessian.nnz == gradient.nnz**2

# of two layers, every weight that matters meets every other
two = matrices[:2]
small = st.hessian_sparsity(first_output, two)
print("two layers:", repr(small))
assert small.nnz == (WIDTH**2 + WIDTH) ** 2

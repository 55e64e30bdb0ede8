"""A sparse Adagrad step in three writings, one pattern: ``python examples/adagrad.py``.

A gradient that is given for some elements alone is not one with zeros elsewhere: what is
not given stays as it is.  With masks, with indices, or with numpy.ma, the step depends
on the same elements.
"""

import numpy as np

import sparsetrace as st

EPS, RATE = 1e-10, 0.1
PARAM = np.arange(8.0).reshape(2, 4)
STATE = np.full((2, 4), 0.5)
ROWS, COLUMNS = np.array([0, 1, 1]), np.array([2, 0, 2])
GRAD = np.zeros((2, 4))
GRAD[ROWS, COLUMNS] = 3, 4, 5
GIVEN = GRAD != 0


def with_a_mask(param, grad, state):
    state = state + np.where(GIVEN, grad**2, 0)
    step = np.where(GIVEN, grad / (np.sqrt(state) + EPS), 0)
    return param - RATE * step, state


def with_indices(param, grad, state):
    param, state = param.copy(), state.copy()
    values = grad[ROWS, COLUMNS]
    np.add.at(state, (ROWS, COLUMNS), values**2)
    param[ROWS, COLUMNS] -= RATE * values / (np.sqrt(state[ROWS, COLUMNS]) + EPS)
    return param, state


def with_masked_arrays(param, grad, state):
    grad = np.ma.array(grad, mask=~GIVEN)
    state = state + (grad**2).filled(0)
    std = np.ma.sqrt(np.ma.array(state, mask=~GIVEN)) + EPS
    return param - RATE * (grad / std).filled(0), state


first = None
for step in (with_a_mask, with_indices, with_masked_arrays):
    param, state = step(PARAM, GRAD, STATE)
    assert np.allclose(state, [[0.5, 0.5, 9.5, 0.5], [16.5, 0.5, 25.5, 0.5]])
    assert np.allclose(param, [[0, 1, 1.9027, 3], [3.9015, 5, 5.9010, 7]], atol=1e-4)
    pattern = st.jacobian_sparsity(step, PARAM, GRAD, STATE, argnums=(0, 1, 2))
    print(f"{step.__name__:18} {pattern!r}")
    assert first is None or (pattern != first).nnz == 0
    first = pattern

print(first)
# a given element depends on its own param, grad and state; any other on itself
assert first[:8].nnz == 8 + 2 * 3
assert first[8:].nnz == 8 + 3

"""Functions each result of which depends on everything: how many results there are."""

import numpy as np
import pytest
import scipy.signal
import scipy.stats

from sparsetrace import jacobian_sparsity


def leading_zero(x):
    """SciPy leaves the coefficient out, so there is one root."""
    return scipy.signal.tf2zpk(np.concatenate([[0.0], x]), [1.0, 2.0, 3.0])[0]


def zeros_of_a_system(x):
    a, b = np.array([[0.0, 1.0], [-2.0, -3.0]]), np.array([[0.0], [1.0]])
    return scipy.signal.StateSpace(a * x[0], b * x[1], [[1.0, 0.5]], [[0.0]]).zeros


def one_constant_above_all(x):
    """Where it stands a sample in ascending order has none: then other numbers serve."""
    return scipy.stats.rankdata(np.concatenate([[9.0], x])) * x[0]


@pytest.mark.filterwarnings("ignore:Badly conditioned")
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("f", [leading_zero, zeros_of_a_system, one_constant_above_all])
def test_constants_among_traced_elements_count(f, local):
    x = np.array([1.1, 0.9])
    pattern = jacobian_sparsity(f, x, local=local)
    assert pattern.shape == (len(f(x)), 2)
    assert pattern.nnz >= len(f(x))

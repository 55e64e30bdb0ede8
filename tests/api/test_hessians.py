"""Hessian patterns: published ones, and functions of every kind against second differences.

Where `EXTRA` names a function, the pattern claims more than the differences show, for
the reason given; everywhere else the two are equal.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special as sc
from outside import Outside

from cases.hessian_functions import EXTRA, FUNCTIONS
from oracles import assert_same_pattern, dense, numerical_hessian_pattern
from sparsetrace import (
    InputError,
    OutputError,
    SparsityPattern,
    TracingError,
    hessian_sparsity,
    jacobian_sparsity,
    lagrangian_hessian_sparsity,
    opaque,
    register_rule,
)

POINT = np.array([1.3, 0.7, 2.1, 1.6])


def entries(pattern):
    return sorted(zip(*(part.tolist() for part in pattern.nonzero()), strict=True))


# -------------------------------------------------------------------- published
def test_readme_hessians():
    def f(x):
        return x[0] + x[1] * x[2] + 1 / x[3] + 1 * x[4]

    def g(x):
        return f(x) + x[1] ** x[4]

    assert entries(hessian_sparsity(f, np.ones(5))) == [(1, 2), (2, 1), (3, 3)]
    wanted = [(1, 1), (1, 2), (1, 4), (2, 1), (3, 3), (4, 1), (4, 4)]
    assert entries(hessian_sparsity(g, np.ones(5))) == wanted


@pytest.mark.parametrize(
    ("point", "wanted"),
    [([1, 2, 3, 4], [(0, 0), (0, 1), (1, 0), (1, 1)]), ([1, 3, 2, 4], [(2, 3), (3, 2)])],
)
def test_readme_local_hessians(point, wanted):
    def f(x):
        return np.where(x[1] < x[2], x[0] ** x[1], x[2] * x[3])

    def g(x):
        return x[0] ** x[1] if x[1] < x[2] else x[2] * x[3]

    for function in (f, g):
        found = hessian_sparsity(function, np.array(point, float), local=True)
        assert entries(found) == wanted


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def test_rosenbrock():
    pattern = hessian_sparsity(rosenbrock, np.zeros(1000))
    band = abs(np.subtract.outer(np.arange(1000), np.arange(1000))) <= 1
    assert (pattern.toarray() == band).all()
    assert pattern.nnz == 2998


def test_rosenbrock_in_a_loop():
    def loop(x):
        total = 0.0
        for i in range(len(x) - 1):
            total += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
        return total

    assert_same_pattern(
        hessian_sparsity(loop, np.zeros(9)), dense(hessian_sparsity(rosenbrock, np.zeros(9)))
    )


def test_chain_of_layers():
    """Six layers, two wide, with respect to all weights, against the union at points."""
    width, depth = 2, 6
    start = np.linspace(0.3, 1, width)

    def network(flat):
        state = start
        for weights in flat.reshape(depth, width, width):
            state = np.cos(weights @ state)
        return state[0]

    x = np.random.default_rng(0).uniform(0.3, 1.2, depth * width * width)
    wanted = numerical_hessian_pattern(network, x, points=4)
    assert_same_pattern(hessian_sparsity(network, x), wanted)


def test_network_with_biases():
    """12 x 6: what is missing is the last layer's weights with each other's rows."""
    start = np.linspace(0.1, 1, 12)

    def loss(p):
        h = start
        for i in range(6):
            at = i * 156
            h = p[at : at + 144].reshape(12, 12) @ h + p[at + 144 : at + 156]
            if i < 5:
                h = np.tanh(h)
        return np.sum((h - 0.5) ** 2)

    assert hessian_sparsity(loss, np.ones(936)).nnz == 853_788


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    f = FUNCTIONS[name]
    found = dense(hessian_sparsity(f, POINT))
    wanted = numerical_hessian_pattern(f, POINT, points=6, low=0.4, high=2.4)
    if name in EXTRA:
        assert (found >= wanted).all()
        assert (found > wanted).any(), "no longer conservative"
    else:
        assert_same_pattern(found, wanted)
    assert (found == found.T).all()
    at_point = dense(hessian_sparsity(f, POINT, local=True))
    assert (at_point <= found).all()


def test_functions_of_several_determinants():
    pattern = dense(hessian_sparsity(np.linalg.det, np.eye(3)))
    for a, b in np.ndindex(9, 9):
        apart = a // 3 != b // 3 and a % 3 != b % 3
        assert pattern[a, b] == apart


# ------------------------------------------------------------------------- local
@pytest.mark.parametrize(
    ("f", "point", "wanted"),
    [
        (lambda x: x[0] ** 2, [0.0], [(0, 0)]),
        (lambda x: x[0] ** 3, [0.0], []),
        (lambda x: x[0] ** 3, [1.0], [(0, 0)]),
        (lambda x: (x[0] ** 2) ** 2, [0.0], []),
        (lambda x: np.sin(x[0]), [0.0], []),
        (lambda x: np.cos(x[0]), [0.0], [(0, 0)]),
        (lambda x: x[0] * x[1], [0.0, 0.0], [(0, 1), (1, 0)]),
        (lambda x: x[0] * x[0], [0.0], [(0, 0)]),
        (lambda x: np.maximum(x[0], x[1]) ** 2, [1.0, 2.0], [(1, 1)]),
        (lambda x: np.prod(x), [0.0, 0.0, 5.0], [(0, 1), (1, 0)]),
        (lambda x: np.prod(x), [0.0, 0.0, 0.0], []),
        (lambda x: np.cumprod(x)[1], [0.0, 0.0, 5.0], [(0, 1), (1, 0)]),
        (lambda x: x[:1] @ x[1:2], [0.0, 0.0], [(0, 1), (1, 0)]),
        (lambda x: np.linalg.norm(x), [0.0, 2.0], [(0, 0)]),
        (lambda x: np.linalg.norm(x), [0.0, 0.0], [(0, 0), (0, 1), (1, 0), (1, 1)]),
        (lambda x: np.sqrt(x[0] ** 2 + x[1] ** 2), [3.0, 4.0], [(0, 0), (0, 1), (1, 0), (1, 1)]),
        (lambda x: np.where(x > 0, x**2, x).sum(), [1.0, -1.0], [(0, 0)]),
        (lambda x: np.cbrt(x[0] ** 3) * x[1], [0.0, 1.0], [(0, 0), (0, 1), (1, 0)]),
        (lambda x: (x[0] ** 1.5) ** (4 / 3), [0.0], [(0, 0)]),
        (lambda x: np.interp(x[0], [0.0, 1], x[1:]), [0.5, 2, 2], [(0, 1), (0, 2), (1, 0), (2, 0)]),
    ],
)
def test_at_a_point(f, point, wanted):
    assert entries(hessian_sparsity(f, np.array(point), local=True)) == wanted


@pytest.mark.parametrize("name", ["logsumexp", "log_softmax", "softmax"])
def test_at_a_tie_of_all_elements(name):
    """SciPy's own code compares the elements with their maximum, which is no branch."""
    early = getattr(sc, name)
    axes = {"axis": -1}
    for f in (early, lambda x: early(x), lambda x: getattr(sc, name)(x, **axes)):
        for x in (np.zeros(3), np.zeros((2, 3))):
            wanted = lagrangian_hessian_sparsity(f, x)
            found = lagrangian_hessian_sparsity(f, x, local=True)
            assert (found != wanted).nnz == 0
            assert (jacobian_sparsity(f, x, local=True) != jacobian_sparsity(f, x)).nnz == 0


def test_sinc_at_zero():
    point = np.array([0.0, 0.5])
    assert entries(jacobian_sparsity(np.sinc, point, local=True)) == [(1, 1)]
    found = hessian_sparsity(lambda x: np.sinc(x).sum(), point, local=True)
    assert entries(found) == [(0, 0), (1, 1)]


def test_piecewise_of_a_number():
    def f(x):
        return np.piecewise(x[0], [x[0] < 0, x[0] >= 0], [lambda v: v, lambda v: v**2])

    for local in (False, True):
        assert hessian_sparsity(f, np.ones(2), local=local).nnz == 1


# --------------------------------------------------------------------- interface
def test_the_result_is_a_pattern():
    pattern = hessian_sparsity(lambda x: x[0] * x[1], np.ones(3))
    assert type(pattern) is SparsityPattern
    assert pattern.dtype == bool
    assert pattern.shape == (3, 3)
    assert pattern.has_sorted_indices


def test_arguments_in_any_structure():
    def f(parameters, scale):
        return scale * np.sum(parameters["w"] @ np.ones(2) * parameters["b"])

    parameters = {"w": np.ones((2, 2)), "b": np.ones(2)}
    assert entries(hessian_sparsity(f, parameters, 2.0)) == [
        (0, 4), (1, 4), (2, 5), (3, 5), (4, 0), (4, 1), (5, 2), (5, 3)
    ]  # fmt: skip
    assert hessian_sparsity(f, parameters, 2.0, argnums=1).nnz == 0
    both = hessian_sparsity(f, parameters, 2.0, argnums=(0, 1))
    assert both.shape == (7, 7)
    assert both.nnz == 8 + 12


def test_one_number_in_a_list_or_an_array():
    for wrap in (lambda v: [v], lambda v: np.array([[v]]), lambda v: {"loss": v}):
        assert hessian_sparsity(lambda x, w=wrap: w(x[0] * x[1]), np.ones(2)).nnz == 2


def test_several_outputs_are_refused_with_advice():
    with pytest.raises(OutputError, match="lagrangian_hessian_sparsity"):
        hessian_sparsity(lambda x: x**2, np.ones(2))


def test_lagrangian():
    def f(x):
        return [x[0] * x[1], np.sin(x[2:])]

    wanted = [(0, 1), (1, 0), (2, 2), (3, 3)]
    assert entries(lagrangian_hessian_sparsity(f, np.ones(4))) == wanted
    assert lagrangian_hessian_sparsity(lambda x: (), np.ones(2)).nnz == 0

    def fill(x, out):
        out[0] = x[0] * x[1]
        out[1:] = x[1:] ** 2

    assert lagrangian_hessian_sparsity(fill, np.ones(3), out=np.zeros(3)).nnz == 4


def test_lagrangian_of_unused_outputs():
    """What reaches no output adds nothing."""

    def f(x):
        waste = np.prod(x) * np.exp(x)
        return x[0] * x[1] + 0 * waste[0] + np.floor(waste[1])

    assert entries(hessian_sparsity(f, np.ones(3))) == [(0, 1), (1, 0)]


def test_structure_instead_of_values():
    matrix = np.diag([1.0, 0.0])
    assert hessian_sparsity(lambda x: x @ matrix @ x, np.ones(2)).nnz == 1
    assert hessian_sparsity(lambda x: x @ matrix @ x, np.ones(2), constants="structure").nnz == 4


def test_both_outcomes_of_a_branch():
    def f(x):
        return x[0] ** 2 if x[1] > 0 else x[1] * x[2]

    assert entries(hessian_sparsity(f, np.ones(3))) == [(0, 0), (1, 2), (2, 1)]
    assert entries(hessian_sparsity(f, np.ones(3), local=True)) == [(0, 0)]


def test_opaque_functions_are_nonlinear():
    dot = opaque(lambda x: float(sum(v * v for v in x.tolist())), "dense", shape=())
    assert hessian_sparsity(lambda x: dot(x[:2]) + x[2], np.ones(3)).nnz == 4
    cube = opaque(lambda x: np.array([float(v) ** 3 for v in x]), "elementwise")
    assert hessian_sparsity(lambda x: np.sum(cube(x)), np.ones(3)).nnz == 3


def test_registered_ufuncs():
    ufunc = np.frompyfunc(lambda a, b: a * b, 2, 1)
    assert hessian_sparsity(lambda x: ufunc(x[0], x[1]), np.ones(2)).nnz == 2  # by its function
    register_rule(ufunc, "11", seconds="111")
    assert hessian_sparsity(lambda x: ufunc(x[0], x[1]), np.ones(2)).nnz == 4
    register_rule(ufunc, "11", seconds="010")
    assert hessian_sparsity(lambda x: ufunc(x[0], x[1]), np.ones(2)).nnz == 2
    register_rule(ufunc, "10")
    assert hessian_sparsity(lambda x: ufunc(x[0], x[1]), np.ones(2)).nnz == 1
    assert hessian_sparsity(lambda x: ufunc(x[0], x[1]), np.ones(2), local=True).nnz == 1
    with pytest.raises(InputError):
        register_rule(ufunc, "11", seconds="01")


def test_errors_are_those_of_the_jacobian():
    with pytest.raises(TracingError):
        hessian_sparsity(lambda x: np.sum(np.unique(x, axis=0)), np.ones(2))
    with pytest.raises(InputError):
        hessian_sparsity(np.sum, "text")
    with pytest.raises(InputError, match="store"):
        hessian_sparsity(np.sum, np.ones(2), store="set")
    with pytest.raises(OutputError):
        hessian_sparsity(lambda x: None, np.ones(2))


@pytest.mark.parametrize(
    "x",
    [np.ones(3, np.float32), np.ones(3, int), np.ones((3, 2))[:, 0], np.full(3, np.nan), [1, 1, 1]],
)
def test_inputs_of_any_kind(x):
    assert entries(hessian_sparsity(lambda x: x[0] * x[1] + x[2] ** 2, x)) == [
        (0, 1), (1, 0), (2, 2)
    ]  # fmt: skip


def test_complex_inputs():
    def f(z):
        return (z[0] * np.conj(z[1])).real + np.abs(z[2])

    pattern = hessian_sparsity(f, np.ones(3, complex))
    assert entries(pattern) == [(0, 1), (1, 0), (2, 2)]


def test_a_trace_of_first_order_records_nothing():
    graphs = Outside()

    def f(x):
        graphs.append(x._trace)
        return np.sin(x) * x

    jacobian_sparsity(f, np.ones(4))
    assert not graphs[-1].graph.interactions
    assert graphs[-1].graph.size == 6  # no nodes but the inputs

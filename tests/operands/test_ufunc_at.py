"""``ufunc.at`` with many operands for one place, constants among them."""

import numpy as np
import pytest

from oracles import assert_same_pattern, dense, numerical_jacobian_pattern
from sparsetrace import hessian_sparsity, jacobian_sparsity

HUB = np.zeros(3000, int)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "hypot", "logaddexp"])
@pytest.mark.parametrize("local", [False, True])
def test_very_many_into_one(name, local):
    ufunc = getattr(np, name)

    def f(x):
        y = np.ones(2)
        ufunc.at(y, HUB, x)
        return y

    pattern = dense(jacobian_sparsity(f, np.linspace(0.99, 1.01, 3000), local=local))
    if name == "maximum" and local:
        assert pattern[0].nonzero()[0].tolist() == [2999]
    else:
        assert pattern[0].all()
    assert not pattern[1].any()


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "fmin"])
@pytest.mark.parametrize("place", [(5,), (3, 2), (50,)])
def test_constants_among_them(name, place):
    """Constants are folded group by group, in arrays of few places and of many."""
    ufunc, rng = getattr(np, name), np.random.default_rng(len(place))
    index = tuple(rng.integers(0, n, 12) for n in place)
    known = np.where(np.arange(12) % 3 == 0, [0.0, 1.0, 5.0] * 4, np.nan)

    def f(x):
        y = np.zeros(place)
        y[0] = x[0]
        ufunc.at(y, index, np.where(np.isnan(known), x[np.arange(12) % 6], known))
        ufunc.at(y, index, [0.5] * 12)
        return y.ravel() * x[5]

    points = [rng.uniform(0.2, 1.8, 6) for _ in range(60)]
    wanted = np.any([numerical_jacobian_pattern(f, x) for x in points], axis=0)
    pattern = dense(jacobian_sparsity(f, points[0]))
    assert not (wanted & ~pattern).any()
    if name in ("add", "subtract", "multiply"):
        assert_same_pattern(jacobian_sparsity(f, points[0]), wanted)


def test_products_of_a_group():
    """Each factor meets each other one; sums meet nothing."""

    def f(x):
        y = np.ones(3)
        np.multiply.at(y, [0, 0, 0, 1, 1], x)
        np.add.at(y, [2, 2, 2, 2, 2], x)
        return y.sum()

    wanted = np.zeros((5, 5), bool)
    wanted[:3, :3] = wanted[3:, 3:] = True
    np.fill_diagonal(wanted, val=False)
    assert np.array_equal(dense(hessian_sparsity(f, np.ones(5))), wanted)


@pytest.mark.parametrize(
    "factors",
    [
        np.array([16, 16], np.int8),
        np.array([2**32, 2**32]),
        np.array([1e-200, 1e-200]),
        np.array([1e-30, 1e-30], np.float32),
        np.array([1e200, 1e200]),
        np.array([1e200, 1e200, 0.5]),
    ],
)
def test_factors_whose_product_alone_would_be_nothing(factors):
    def f(x):
        y = x.copy()
        np.multiply.at(y, np.zeros(len(factors), int), factors)
        return y

    assert dense(jacobian_sparsity(f, np.ones(2))).tolist() == [[True, False], [False, True]]


def test_constants_alone_have_the_values_of_numpy():
    def f(x):
        y = np.ones(3)
        np.multiply.at(y, [0, 0, 1, 1], np.array([16, 16, 3, 0], np.int8))
        np.maximum.at(y, [2, 2], [4.0, 2.0])
        known = 1.0 if y[0] == 256 and y[1] == 0 and y[2] == 4 else 0.0
        return x[:2] * known

    assert jacobian_sparsity(f, np.ones(3)).nnz == 2


NAMES = ["multiply", "maximum", "minimum", "fmax", "fmin", "hypot", "logaddexp", "logaddexp2"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_at_a_point_groups_give_what_turns_do(name, seed):
    """Zeros and equal values among them, and places that hold something already."""
    ufunc, rng = getattr(np, name), np.random.default_rng(seed)
    target = rng.integers(0, 5, 30)
    values = rng.choice([0.0, 0.5, 1.0, 1.5, 2.0, -1.0], 30, p=[0.05, 0.2, 0.2, 0.25, 0.25, 0.05])

    def grouped(x):
        y = np.ones(5)
        y[:3] = x[:3]
        ufunc.at(y, target, x * 2)
        return y

    def in_turn(x):
        y = np.ones(5)
        y[:3] = x[:3]
        for i, place in enumerate(target):
            y[place] = ufunc(y[place], x[i] * 2)
        return y

    found, wanted = (jacobian_sparsity(f, values, local=True) for f in (grouped, in_turn))
    assert_same_pattern(found, dense(wanted))
    found, wanted = (
        dense(hessian_sparsity(lambda x, f=f: np.sum(f(x) ** 2), values, local=True))
        for f in (grouped, in_turn)
    )
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("values", [[1e-200, 1e-200, 1e300], [1e200, 1e200, 1e-300]])
def test_at_a_point_no_product_of_a_group_is_lost(values):
    def f(x):
        y = np.full(1, 1 / (values[0] * 1e10))
        np.multiply.at(y, [0, 0, 0], x)
        return y

    assert dense(jacobian_sparsity(f, np.array(values), local=True)).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("take", [jacobian_sparsity, hessian_sparsity])
def test_vectors_whose_elements_depend_on_the_same(take, seed):
    """They share the nodes of their sums where these are of the same; groups have any size."""
    rng = np.random.default_rng(seed)
    places = np.sort(rng.integers(0, 5, 7)) if seed % 2 else rng.integers(0, 5, 7)
    weights = rng.uniform(1.0, 2.0, (3, 3))
    start = np.ones(3) if seed % 3 else np.zeros(3)

    def f(x):
        y = np.zeros((5, 3))
        y[1] = start * x[0]
        y[2] = x[:3]
        np.add.at(y, places, (x.reshape(7, 3) ** 2) @ weights)
        np.add.at(y, places[:3], x.reshape(7, 3)[:3])
        return np.sum(y**2 if take is hessian_sparsity else y) if seed > 3 else (y * y).ravel()

    def one(x):
        y = np.asarray(f(x))
        return y if take is jacobian_sparsity else np.sum(y)

    x = np.linspace(0.3, 0.9, 21)
    if take is jacobian_sparsity:
        assert_same_pattern(dense(take(one, x)), numerical_jacobian_pattern(one, x))
    else:
        shown = np.kron(np.eye(7), np.ones((3, 3)))
        assert (dense(take(one, x)) >= shown).all()


@pytest.mark.parametrize(
    "key", [slice(0, 2), slice(None, None, 2), ..., None, (slice(1, 3),), (slice(None), 0), (0,)]
)
@pytest.mark.parametrize("local", [False, True])
def test_indices_that_are_no_arrays(key, local):
    def f(x):
        y = (x * 1.0).reshape(3, 2)
        np.add.at(y, key, x[5] ** 2)
        np.multiply.at(y, key, x[:1])
        return y

    x = np.linspace(0.3, 0.9, 6)
    pattern = jacobian_sparsity(f, x, local=local)
    assert_same_pattern(pattern, numerical_jacobian_pattern(f, x))

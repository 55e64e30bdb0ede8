"""Each benchmark problem, small: what it computes, and the pattern that it must have."""

from __future__ import annotations

import numpy as np
import pytest

from problems import PROBLEMS, SIZES, kernel
from sparsetrace import jacobian_sparsity


def flat(nested) -> np.ndarray:
    parts = nested if isinstance(nested, tuple | list) else [nested]
    return np.concatenate([np.ravel(part) for part in parts])


def numerical_pattern(problem, seed: int) -> np.ndarray:
    """Which central differences differ from zero at a random point."""
    rng = np.random.default_rng(seed)
    wanted = problem.argnums if isinstance(problem.argnums, tuple) else (problem.argnums,)
    point = []
    for argument in problem.arguments:
        leaves = argument if isinstance(argument, tuple) else (argument,)
        drawn = tuple(rng.uniform(0.5, 1.5, size=leaf.shape) for leaf in leaves)
        point.append(drawn if isinstance(argument, tuple) else drawn[0])
    columns = []
    for number in wanted:
        leaves = point[number] if isinstance(point[number], tuple) else (point[number],)
        for leaf in leaves:
            for index in np.ndindex(leaf.shape):
                value, sides = leaf[index], []
                for step in (1e-4, -1e-4):
                    leaf[index] = value + step
                    sides.append(flat(problem.function(*point)))
                leaf[index] = value
                columns.append(sides[0] - sides[1])
    return np.abs(np.transpose(columns)) > 1e-11


def test_every_problem_has_sizes():
    assert PROBLEMS.keys() == SIZES.keys()


@pytest.mark.parametrize("name", PROBLEMS)
def test_pattern(name):
    problem = PROBLEMS[name](SIZES[name][0])
    pattern = jacobian_sparsity(problem.function, *problem.arguments, argnums=problem.argnums)
    assert pattern.shape == problem.shape
    assert pattern.nnz == problem.entries


@pytest.mark.parametrize("name", sorted(PROBLEMS.keys() - {"cosine"}))
def test_pattern_is_the_numerical_one(name):
    problem = PROBLEMS[name](4 if name.startswith("convolution") else SIZES[name][0])
    pattern = jacobian_sparsity(problem.function, *problem.arguments, argnums=problem.argnums)
    union = numerical_pattern(problem, 0) | numerical_pattern(problem, 1)
    np.testing.assert_array_equal(pattern.toarray(), union)


def test_convolutions_compute_the_same():
    image = np.random.default_rng(0).normal(size=(8, 8, 3))
    expected = np.zeros((6, 6, 2))
    for i, j, feature in np.ndindex(expected.shape):
        expected[i, j, feature] = np.sum(image[i : i + 3, j : j + 3] * kernel()[..., feature])
    for name in PROBLEMS:
        if name.startswith("convolution"):
            np.testing.assert_allclose(PROBLEMS[name](8).function(image), expected)

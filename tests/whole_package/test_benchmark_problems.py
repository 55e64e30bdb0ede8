"""Each benchmark problem, small: what it computes, and the pattern that it must have."""

from __future__ import annotations

from functools import partial

import numpy as np
import peer_problems
import peers
import pytest
import scale
import workload_peers
from small_calls import CALLS, calls, microseconds, numpy_microseconds
from workloads import ALL_WORKLOADS, LOOKED_AT, WORKLOADS

from problems import (
    HESSIAN_SIZES,
    HESSIANS,
    PROBLEMS,
    SIZES,
    kernel,
    network,
    swing_up,
)
from sparsetrace import hessian_sparsity, jacobian_sparsity, lagrangian_hessian_sparsity

# Its numerical Hessian takes a second.
TOO_DEAR = {"neural_ode"}


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


def random_like(nested, rng: np.random.Generator):
    """Complex arrays in the same structure, their imaginary parts zero."""
    if isinstance(nested, tuple):
        return tuple(random_like(part, rng) for part in nested)
    return rng.uniform(0.5, 1.5, size=nested.shape).astype(complex)


def all_leaves(nested) -> list[np.ndarray]:
    if isinstance(nested, tuple):
        return [leaf for part in nested for leaf in all_leaves(part)]
    return [nested]


def numerical_hessian_pattern(problem, seed: int) -> np.ndarray:
    """Which central differences of complex-step gradients differ from zero at a random point."""
    point = random_like(problem.arguments, np.random.default_rng(seed))
    places = [(leaf, index) for leaf in all_leaves(point) for index in np.ndindex(leaf.shape)]

    def gradient():
        slopes = []
        for leaf, index in places:
            leaf[index] += 1e-30j
            slopes.append(problem.function(*point).imag / 1e-30)
            leaf[index] = leaf[index].real
        return np.array(slopes)

    rows = []
    for leaf, index in places:
        value, sides = leaf[index], []
        for step in (1e-4, -1e-4):
            leaf[index] = value + step
            sides.append(gradient())
        leaf[index] = value
        rows.append(sides[0] - sides[1])
    return np.abs(rows) > 1e-11


def test_every_problem_has_sizes():
    assert PROBLEMS.keys() == SIZES.keys()
    assert HESSIANS.keys() == HESSIAN_SIZES.keys()
    assert PROBLEMS.keys().isdisjoint(HESSIANS)


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


@pytest.mark.parametrize("name", HESSIANS)
def test_hessian_pattern(name):
    problem = HESSIANS[name](HESSIAN_SIZES[name][0])
    pattern = hessian_sparsity(problem.function, *problem.arguments, argnums=problem.argnums)
    assert pattern.shape == problem.shape
    assert pattern.nnz == problem.entries


@pytest.mark.parametrize("name", HESSIANS)
def test_hessian_pattern_is_the_numerical_one(name):
    make = partial(network, width=3) if name == "network" else HESSIANS[name]
    problem = make(HESSIAN_SIZES[name][0])
    pattern = hessian_sparsity(problem.function, *problem.arguments, argnums=problem.argnums)
    union = numerical_hessian_pattern(problem, 0) | numerical_hessian_pattern(problem, 1)
    np.testing.assert_array_equal(pattern.toarray(), union)
    assert pattern.nnz == problem.entries


@pytest.mark.parametrize(("size", "width"), [(1, 4), (2, 1), (3, 2)])
def test_entries_of_a_network_of_any_size(size, width):
    problem = network(size, width)
    assert hessian_sparsity(problem.function, *problem.arguments).nnz == problem.entries


@pytest.mark.parametrize("name", WORKLOADS)
def test_workload(name):
    load = WORKLOADS[name]
    problem = load.make(load.small)
    sparsity = hessian_sparsity if load.hessian else jacobian_sparsity
    pattern = sparsity(problem.function, *problem.arguments, argnums=problem.argnums)
    assert pattern.shape == problem.shape
    assert pattern.nnz == problem.entries


@pytest.mark.parametrize("name", sorted(WORKLOADS.keys() - TOO_DEAR))
def test_workload_is_the_numerical_one(name):
    load = WORKLOADS[name]
    problem = load.make(load.small)
    numerical = numerical_hessian_pattern if load.hessian else numerical_pattern
    sparsity = hessian_sparsity if load.hessian else jacobian_sparsity
    pattern = sparsity(problem.function, *problem.arguments, argnums=problem.argnums)
    union = numerical(problem, 0) | numerical(problem, 1)
    np.testing.assert_array_equal(pattern.toarray(), union)


def test_every_size_is_measured_in_ascending_order():
    assert LOOKED_AT.keys() <= (PROBLEMS | HESSIANS).keys()
    assert WORKLOADS.keys().isdisjoint(PROBLEMS | HESSIANS)
    for load in ALL_WORKLOADS.values():
        assert list(load.sizes) == sorted(set(load.sizes))


def test_every_workload_has_a_version_of_a_peer():
    assert ALL_WORKLOADS.keys() == (peer_problems.CASADI | workload_peers.CASADI).keys()
    assert ALL_WORKLOADS.keys() >= (peer_problems.ASDEX | workload_peers.ASDEX).keys()


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({}, 0),
        ({"median": 2.0}, 5),  # slower in three sizes, the mean, and growth
        ({"megabytes": 200.0}, 3),
        ({"failure": "over 20 s"}, 9),  # three do not run, are slower; both means, and growth
        ({"entries": 1}, 9),
    ],
)
def test_what_misses_a_target_is_counted(change, missed, monkeypatch, capsys):
    """Ours is ten times as quick as MX, but for the change."""

    def run(name, size, peer, options):
        problem = WORKLOADS[name].make(size)
        seconds = size * (1e-9 if peer == "sparsetrace" else 1e-8)
        result = {"first": seconds, "median": seconds, "megabytes": 100.0}
        result |= {"shape": list(problem.shape), "entries": problem.entries}
        if peer == "sparsetrace":
            result |= change
            if "median" in change:
                result["median"] *= size**2
        return result

    monkeypatch.setattr(peers, "run", run)
    options = peers.parse(["--all", "--workloads", "hub"])
    assert peers.show_all(["sparsetrace", "mx"], options) == missed
    assert capsys.readouterr().out.count("hub 500000") >= 1


def test_entries_at_the_large_sizes():
    assert HESSIANS["rosenbrock"](10**6).entries == 2_999_998
    assert HESSIANS["pendulum"](1000).entries == 27_009
    assert HESSIANS["network"](6).entries == 853_788


def test_lagrangian_with_any_multipliers():
    problem = HESSIANS["pendulum"](5)
    pattern = hessian_sparsity(problem.function, *problem.arguments)
    united = lagrangian_hessian_sparsity(swing_up(5), *problem.arguments)
    np.testing.assert_array_equal(united.toarray(), pattern.toarray())


@pytest.mark.parametrize("group", CALLS)
def test_small_calls(group):
    """NumPy takes each of them, and so does the trace, looked up and by its rule."""
    for call in calls(group):
        assert microseconds(call, repeats=4) > 0
        assert microseconds(call, repeats=2, known=False) > 0
        assert numpy_microseconds(call, repeats=2) > 0


def test_what_scale_prints(monkeypatch, capsys):
    """One line for each size, of a process of its own; what is shipped of what is large."""
    monkeypatch.setattr(scale, "CASES", {"burgers": (30, 100_000)})
    scale.main(["burgers"])
    small, large = capsys.readouterr().out.splitlines()[-2:]
    assert small.startswith("| burgers | 30 | 88 | ")
    assert large.startswith("| burgers | 100,000 | 299,998 | ")
    assert large.endswith(" parts |")

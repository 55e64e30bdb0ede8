"""``np.interp`` among nodes in any order: NumPy's search then finds what it finds."""

from __future__ import annotations

import numpy as np
import pytest

from sparsetrace import jacobian_sparsity

_SIDES = ({}, {"left": 0.0, "right": 0.5}, {"left": 1.5}, {"period": 1.3})


def _tables(seed):
    random = np.random.default_rng(seed)
    places = random.uniform(-0.2, 2.2, random.integers(1, 12))
    nodes = random.uniform(0, 2, random.integers(1, 20))
    if seed % 3 == 0:
        nodes = nodes[np.argsort(-nodes)]
    return places, nodes, random.uniform(0, 2, len(nodes)), _SIDES[seed % len(_SIDES)]


def _differences(function, at):
    """Derivatives by differences, zero where two steps disagree: next to a kink."""
    found = []
    for step in (1e-6, 2.5e-7):
        moves = np.eye(at.size) * step
        columns = [(function(at + move) - function(at - move)) / (2 * step) for move in moves]
        found.append(np.array(columns).T)
    return np.where(np.abs(found[0] - found[1]) < 1e-3 * np.abs(found[0]) + 1e-9, found[0], 0.0)


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("seed", range(24))
def test_no_entry_is_lost_among_nodes_in_any_order(seed, local):
    places, nodes, heights, sides = _tables(seed)
    count, end = len(places), len(places) + len(nodes)
    every = np.concatenate((places, nodes, heights))
    for function, at in (
        (lambda x: np.interp(x, nodes, heights, **sides), places),
        (lambda x: np.interp(places, x, heights, **sides), nodes),
        (lambda x: np.interp(places, nodes, x, **sides), heights),
        (lambda x: np.interp(x[:count], x[count:end], x[end:], **sides), every),
        (
            lambda x: np.array([np.interp(v, x[count:end], x[end:], **sides) for v in x[:count]]),
            every,
        ),
    ):
        pattern = jacobian_sparsity(function, at, local=local).toarray()
        assert not (np.abs(_differences(function, at)) > 1e-6)[~pattern].any()


@pytest.mark.parametrize("seed", range(24))
def test_results_at_known_places_depend_on_the_heights_that_are_read(seed):
    places, nodes, heights, sides = _tables(seed)

    def of_heights(x):
        return np.interp(places, nodes, x, **sides)

    pattern = jacobian_sparsity(of_heights, heights).toarray()
    unit = of_heights(np.zeros(len(nodes)))[:, None]
    read = unit != np.array([of_heights(row) for row in np.eye(len(nodes))]).T
    np.testing.assert_array_equal(pattern, read)

"""The graphs of many paths are given up for their patterns as they come."""

import gc
import weakref

import numpy as np
import pytest
from outside import Outside

from sparsetrace import hessian_sparsity, jacobian_sparsity
from sparsetrace.context import CURRENT
from sparsetrace.tracing import driver


def steps(x):
    y = x * 1.0
    for i in range(3):
        y = y * x + np.roll(y, 1) if x[i] > 0 else np.sin(y) * x
    return y


def energy(x):
    total = x[0] * x[1]
    for i in range(3):
        total = total * x[i] if x[i] > 0 else total + x[i + 1] ** 3
    return total


def ragged(x):
    for i in range(3):
        if x[i] > 0:
            x = x * x[i]
    return x[:2] if x[0] > 1 else x


def fails_on_a_path(x):
    if x[0] > 0:
        raise ValueError("not for positive numbers")
    return x * x[1] if x[1] > 0 else x


@pytest.mark.parametrize("most", [0, 20, 60])
@pytest.mark.parametrize(
    ("detect", "f"),
    [(jacobian_sparsity, steps), (hessian_sparsity, energy), (jacobian_sparsity, fails_on_a_path)],
)
def test_patterns_are_the_same(detect, f, most, monkeypatch):
    x = np.ones(5)
    wanted = detect(f, x)
    monkeypatch.setattr(driver, "_MOST_NODES", most)
    found = detect(f, x)
    assert (found != wanted).nnz == 0
    assert found.left_out == wanted.left_out


@pytest.mark.parametrize("x", [np.ones(5), np.full(5, 2.0)], ids=["five", "two"])
def test_results_of_several_sizes_are_kept_apart(monkeypatch, x):
    wanted = jacobian_sparsity(ragged, x)
    monkeypatch.setattr(driver, "_MOST_NODES", 0)
    found = jacobian_sparsity(ragged, x)
    assert (found != wanted).nnz == 0
    assert found.left_out == wanted.left_out
    assert found.shape == (len(ragged(x)), 5)


def test_no_graph_but_the_first_and_the_last_is_alive(monkeypatch):
    monkeypatch.setattr(driver, "_MOST_NODES", 0)
    graphs = Outside()
    alive = Outside()

    def f(x):
        gc.collect()
        alive.append(sum(graph() is not None for graph in graphs))
        graphs.append(weakref.ref(CURRENT.get().graph))
        return steps(x)

    jacobian_sparsity(f, np.ones(5))
    assert len(graphs) >= 8
    assert max(alive) <= 2

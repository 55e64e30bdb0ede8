"""Products that another product holds are left out: the Hessian is the same without them."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from sparsetrace import hessian_sparsity
from sparsetrace.graph import interactions, liveness
from sparsetrace.graph.graph import OPAQUE, Graph


def everything(monkeypatch, f, *args, **keywords):
    """The Hessian with all products looked at, and how many there are with all and with few."""
    counts = []

    def counted(graph, outputs, pairs=liveness.live_pairs):
        found = pairs(graph, outputs)
        counts.append(sum(len(left) for left, _ in found))
        return found

    with monkeypatch.context() as m:
        m.setattr("sparsetrace.propagation.hessian.live_pairs", counted)
        few = hessian_sparsity(f, *args, **keywords)
        m.setattr(
            liveness, "_not_held", lambda graph, item, squares, inner: [(item.left, item.right)]
        )
        m.setattr(interactions, "MatrixProduct", interactions.Contraction)
        every = hessian_sparsity(f, *args, **keywords)
    assert (few != every).nnz == 0
    return every, counts


ATTENTION = np.random.default_rng(0).uniform(0.5, 1, (4, 4))

PROGRAMS = {
    # of each: the function, the inputs, how many products are left
    "a square of a product": (lambda x: np.sum((x[1:] * x[:-1] + 1) ** 2), 9, 8),
    "a norm of sines": (lambda x: np.sqrt(np.sum(np.sin(x) ** 2)), 9, 1),
    "layers": (lambda x: np.sum(np.tanh(x[:9].reshape(3, 3) @ np.sin(x[9:])) ** 2), 12, 3),
    "attention": (lambda x: np.sum(np.exp(np.outer(x, x) @ ATTENTION)), 4, 16),
    "no square over it": (lambda x: np.sum(x[1:] * x[:-1] * x[0]), 9, 16),
    "number by number": (lambda x: (x[0] * x[1] + x[2] * x[3]) ** 2, 4, 1),
    "a square of some": (lambda x: np.sum(x**3) + (x[0] * x[1]) ** 2 + x[0] * x[2], 5, 7),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_square_holds_is_not_looked_at(name, local, monkeypatch):
    f, n, left = PROGRAMS[name]
    _, counts = everything(monkeypatch, f, np.linspace(0.5, 1, n), local=local)
    if not local:
        assert counts[0] == left
    assert counts[0] <= counts[1]


def test_factors_of_which_the_square_does_not_depend_are_looked_at(monkeypatch):
    """At a point where x[0] is 0 the product does not vary with x[1]."""

    def f(x):
        return np.sin(x[0] * x[1] + x[2])

    found, _ = everything(monkeypatch, f, np.array([0.0, 1.0, 1.0]), local=True)
    assert found.toarray().astype(int).tolist() == [[1, 1, 1], [1, 0, 0], [1, 0, 1]]
    matrices, _ = everything(
        monkeypatch, lambda x: np.sin(x[:2] @ x[2:]) + x[0], np.array([0.0, 0, 1, 1]), local=True
    )
    assert matrices.toarray()[:2, 2:].astype(int).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("seed", range(20))
def test_products_of_which_some_are_in_use(seed):
    """Batches of which each may use other outputs: every pair that these multiply, and no other."""
    rng = np.random.default_rng(seed)
    batch, rows, inner, columns = rng.integers(1, 5, 4).tolist()
    left_batch, right_batch = (batch, 1) if seed % 3 == 1 else (batch, batch)
    size = left_batch * rows * inner + right_batch * inner * columns
    graph = Graph(size + batch * rows * columns, second_order=True)
    ids = graph.inputs()
    left = ids[: left_batch * rows * inner].reshape(left_batch, rows, inner)
    right = ids[left_batch * rows * inner : size].reshape(right_batch, inner, columns)
    out = ids[size:].reshape(batch, rows, columns)
    live = np.zeros(graph.size + 2, bool)
    live[out] = rng.random((batch, rows, columns)) < rng.choice([0.0, 0.3, 0.7])
    found = set()
    for a, b in interactions.Contraction(out, left, right).pairs(graph, live):
        for p, q in zip(a.tolist(), b.tolist(), strict=True):
            found |= set(itertools.product(reached(graph, p), reached(graph, q)))
    wanted = {
        (left[b % left_batch, i, k], right[b % right_batch, k, j])
        for b, i, j in zip(*live[out].nonzero(), strict=True)
        for k in range(inner)
    }
    assert found == wanted


def reached(graph, node):
    parents = [p for p in graph.parents(node) if p > OPAQUE]
    return set().union(*(reached(graph, p) for p in parents)) if parents else {node}


def mixed(rng: random.Random, x, shape):
    """A matrix of numbers that are traced, zero, or neither."""
    out = np.zeros(shape)
    for place in np.ndindex(shape):
        kind = rng.random()
        if kind < 0.7:
            out[place] = x[rng.randrange(len(x))] if kind < 0.5 else 0.5 + kind
    return out


MULTIPLIED = (
    lambda a, b: a @ b,
    lambda a, b: np.einsum("bij,bjk->ik", a, b),
    lambda a, b: a[0] @ b,
    lambda a, b: np.tensordot(a, b, axes=([2], [1])),
    lambda a, b: np.inner(a, b.swapaxes(1, 2)),
    lambda a, b: np.convolve(a.ravel(), b.ravel()),
    lambda a, b: np.vecdot(a[0, 0], b[0].T),
    lambda a, b: (a * (1 + 2j)) @ (b - 1j * b),
)


@pytest.mark.parametrize("seed", range(40))
def test_products_of_matrices_with_constants_among_them(seed, monkeypatch):
    multiplied = MULTIPLIED[seed % len(MULTIPLIED)]

    def f(x):
        rng = random.Random(seed)
        m, k, n = (rng.randint(1, 3) for _ in range(3))
        a, b = mixed(rng, x, (2, m, k)), mixed(rng, np.sin(x) + x[0], (2, k, n))
        y = multiplied(a, b)
        picked = y.real.ravel()[rng.randrange(2) :]
        return np.sum(np.exp(picked)) + np.sum(y.imag)

    everything(monkeypatch, f, np.linspace(0.5, 1, 6))


def many_steps(rng: random.Random, x):
    """The sum of the last of many arrays of a few numbers, some of them constants."""
    buffer = np.zeros(4)
    buffer[1:3] = x[:2]
    arrays = [x[:4], x[4:8], x[2:6], buffer]
    for _ in range(40):
        u, v, k = rng.choice(arrays), rng.choice(arrays), rng.randrange(1, 4)
        steps = (u * v, u + v, np.sin(u), u**2, np.roll(u, k), u * v[k], (u + v) ** 2, u / (2 + v))
        arrays.append(rng.choice(steps))
    return sum(np.sum(y) for y in arrays[-3:])


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_short_products_are_joined_and_none_is_lost(seed, local, monkeypatch):
    def f(x):
        return many_steps(random.Random(seed), x)

    x = np.linspace(0.5, 1, 8)
    joined = hessian_sparsity(f, x, local=local)
    assert joined.nnz
    monkeypatch.setattr(liveness, "_FEW", 10**9)
    assert (joined != hessian_sparsity(f, x, local=local)).nnz == 0
    everything(monkeypatch, f, x, local=local)

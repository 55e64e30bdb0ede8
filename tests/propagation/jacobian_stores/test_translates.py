"""Patterns that are translates of one another."""

from types import SimpleNamespace

import numpy as np
import pytest

from sparsetrace import jacobian_sparsity
from sparsetrace.graph.graph import OPAQUE, Graph
from sparsetrace.passes.simplify import Program, simplify
from sparsetrace.propagation.jacobian_stores import STORES, bitset, column_blocks, translates


def steps(u, count=4):
    for _ in range(count):
        sides = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
        u = u + 0.1 * (sides - 4 * u)
    return u


def bounded_steps(u, count=4):
    """The same with zeros outside."""
    for _ in range(count):
        v = np.pad(u, 1)
        u = u + 0.1 * (v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] - 4 * u)
    return u


def coarsened(u):
    """Down to a grid of a quarter of the points, and back."""
    for _ in range(2):
        u = u[::2] + u[1::2] * np.roll(u[::2], 1)
    for _ in range(2):
        u = np.repeat(u, 2) + np.roll(np.repeat(u, 2), 3)
    return u


def grown(graph, ids, turns=5):
    for _ in range(turns):
        ids = graph.union(graph.union(ids, np.roll(ids, 1)), np.roll(ids, 7))
    return ids


def same(found, program):
    assert found is not None
    wanted = bitset.solve(program)
    return all(a.tolist() == b.tolist() for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize(
    ("f", "shape"), [(steps, (40, 50)), (bounded_steps, (40, 50)), (coarsened, (2048,))]
)
def test_on_grids(monkeypatch, f, shape):
    found = []

    def noted(program):
        found.append(same(translates.solve(program, np.inf), program))
        return bitset.solve(program)

    monkeypatch.setitem(STORES, "auto", noted)
    jacobian_sparsity(f, np.ones(shape))
    assert found == [True]


def test_many_steps_on_a_grid_are_solved_once(monkeypatch):
    """Neither in bits nor in blocks of columns."""
    u = np.ones((240, 240))
    wanted = jacobian_sparsity(lambda u: steps(u, 8), u, store="csr")
    monkeypatch.setattr(column_blocks, "stretches", None)
    monkeypatch.setattr(bitset, "solve", None)
    assert (jacobian_sparsity(lambda u: steps(u, 8), u) != wanted).nnz == 0


def test_they_are_not_sent_to_an_executor():
    u = np.ones((240, 240))
    found = jacobian_sparsity(
        lambda u: steps(u, 8), u, executor=SimpleNamespace(submit=pytest.fail)
    )
    assert found.nnz == 145 * u.size


def test_of_nodes_without_order_there_is_no_answer():
    graph = Graph(5000)
    x = graph.inputs()
    y = graph.union(x, np.random.default_rng(0).permutation(x))
    assert translates.solve(simplify(graph, y), np.inf) is None


def test_a_budget_is_kept():
    graph = Graph(3000)
    program = simplify(graph, grown(graph, graph.inputs()))
    assert translates.solve(program, 10) is None
    assert same(translates.solve(program, 10**7), program)


def test_what_depends_on_nothing():
    """Constants and opaque elements among the parents, also all of them."""
    graph = Graph(100)
    graph.pure = False
    x = graph.inputs()
    holes = x.copy()
    holes[::5] = [0, OPAQUE] * 10
    nothing = np.full(100, OPAQUE, np.int32)
    nothing[3] = x[7]
    base = graph.append_columns([nothing, np.roll(nothing, 1)])
    middle = np.arange(base, base + 100, dtype=np.int32)
    base = graph.append_columns([holes, middle, np.roll(holes, 2)])
    outputs = np.concatenate([np.arange(base, base + 100, dtype=np.int32), nothing, x, middle])
    program = Program(100, graph.blocks, outputs)
    assert same(translates.solve(program, np.inf), program)


@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_in_pieces(monkeypatch, chunk):
    monkeypatch.setattr(translates, "_CHUNK", chunk)
    graph = Graph(60)
    program = simplify(graph, grown(graph, graph.inputs()))
    assert same(translates.solve(program, np.inf), program)


def test_keys_that_are_equal_by_chance_are_told_apart(monkeypatch):
    monkeypatch.setattr(translates, "_FACTORS", (np.uint64(0), np.uint64(0)))
    graph = Graph(60)
    x = graph.inputs()
    program = Program(60, graph.blocks, graph.union(x, np.roll(x, 1)))
    assert translates.solve(program, np.inf) is None


def test_inputs_alone():
    graph = Graph(50)
    x = graph.inputs()
    graph.union(x, np.roll(x, 1))
    found = translates.solve(Program(50, graph.blocks, x[::-1].copy()), np.inf)
    assert found[1].tolist() == list(range(50))[::-1]

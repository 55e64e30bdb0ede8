"""Inputs that go together into all unions."""

import numpy as np
import pytest

from sparsetrace import hessian_sparsity, jacobian_sparsity
from sparsetrace.graph.graph import FIRST_INPUT, Graph
from sparsetrace.passes.simplify import Program, simplify
from sparsetrace.propagation import joint_inputs
from sparsetrace.propagation.jacobian_stores import bitset
from sparsetrace.propagation.joint_inputs import joined, written_out

NODES, FEATURES = 400, 4


def messages(h, senders, receivers):
    """Layers of a network on a graph: all numbers of a node go together."""
    weights = np.full((FEATURES, FEATURES), 0.5)
    for _ in range(2):
        gathered = np.zeros((NODES, FEATURES))
        np.add.at(gathered, receivers, np.tanh(h[senders] @ weights))
        h = np.tanh(h @ weights + gathered)
    return h


@pytest.fixture
def edges():
    rng = np.random.default_rng(0)
    return rng.integers(0, NODES, (2, 3 * NODES))


@pytest.fixture
def columns_solved(monkeypatch):
    """How many inputs the programs have that are solved in bits."""
    counts = []
    solve = bitset.solve

    def counting(program):
        counts.append(program.n_inputs)
        return solve(program)

    monkeypatch.setattr(bitset, "solve", counting)
    return counts


def test_the_numbers_of_a_node_are_one_input(edges, columns_solved):
    x = np.ones((NODES, FEATURES))
    found = jacobian_sparsity(lambda h: messages(h, *edges), x)
    assert columns_solved == [NODES]
    assert (found != jacobian_sparsity(lambda h: messages(h, *edges), x, store="roaring")).nnz == 0


def test_of_a_hessian(edges):
    x = np.ones((NODES, FEATURES))
    found = hessian_sparsity(lambda h: np.sum(messages(h, *edges) ** 2), x)
    other = hessian_sparsity(lambda h: np.sum(messages(h, *edges) ** 2), x, store="roaring")
    assert (found != other).nnz == 0


def test_compressed_patterns_are_told_apart(edges):
    x = np.ones((NODES, FEATURES))
    rows = jacobian_sparsity(lambda h: messages(h, *edges), x, max_entries=10)
    whole = jacobian_sparsity(lambda h: messages(h, *edges), x)
    assert rows.nnz == whole.nnz
    assert (rows.tocsr() != whole.tocsr()).nnz == 0


@pytest.mark.parametrize("used", [[0, 1, 2], [3], [5, 3], [1, 2, 4, 5], [0, 2, 1]])
def test_one_row_tells_inputs_apart(monkeypatch, used):
    """What stands alone in a single row of thousands."""
    n, rows = 6, 4000
    graph = Graph(n)
    table = np.tile(np.arange(FIRST_INPUT, FIRST_INPUT + n, dtype=np.int32), (rows, 1))
    both = np.concatenate([table[0], table[0], table[0, :1]])
    nodes = graph.union_table(np.array([0, n, 2 * n + 1]), both)
    columns = [table[:, 0].copy(), np.random.default_rng(0).choice(nodes, rows)]
    base = graph.append_columns(columns)
    graph.append_rows(np.array([0, len(used)]), np.array(used, np.int32) + 2)
    outputs = np.arange(base, base + rows + 1, dtype=np.int32)
    program = Program(n, graph.blocks, outputs)
    monkeypatch.setattr(joint_inputs, "_LEFT", 100)
    monkeypatch.setattr(joint_inputs, "_PART_OF_NODES", 100)
    fewer, starts = joined(program)
    assert len(starts) < n
    pattern = written_out(n, starts, bitset.solve(fewer))
    for found, wanted in zip(pattern, bitset.solve(program), strict=True):
        assert found.tolist() == wanted.tolist()


def test_inputs_below_one_another_are_apart(monkeypatch):
    """A block of one column: each union is of one input."""
    monkeypatch.setattr(joint_inputs, "_FEWEST_EDGES", 0)
    monkeypatch.setattr(joint_inputs, "_PART_OF_NODES", 10**9)
    monkeypatch.setattr(joint_inputs, "_LEFT", 100)
    graph = Graph(20)
    single = graph.node(graph.inputs()[:10])
    pairs = graph.union_rows(np.random.default_rng(0).permutation(single).reshape(5, 2))
    program = Program(20, graph.blocks, np.append(pairs, graph.union_rows(graph.inputs()[None])))
    fewer, starts = joined(program)
    assert starts.tolist() == list(range(11))
    pattern = written_out(20, starts, bitset.solve(fewer))
    for found, wanted in zip(pattern, bitset.solve(program), strict=True):
        assert found.tolist() == wanted.tolist()


def test_inputs_and_nodes_stay_apart(monkeypatch):
    """The last input has an id one below that of the first node."""
    graph = Graph(4)
    nodes = graph.union_rows(graph.inputs().reshape(2, 2))
    rows = 3000
    chosen = np.random.default_rng(0).choice(nodes, rows)
    base = graph.append_columns([np.full(rows, 5, np.int32), chosen])
    outputs = np.arange(base, base + rows, dtype=np.int32)
    program = Program(4, graph.blocks, outputs)
    monkeypatch.setattr(joint_inputs, "_LEFT", 100)
    fewer, starts = joined(program)
    assert starts.tolist() == [0, 2, 3]
    _, indices = written_out(4, starts, bitset.solve(fewer))
    wanted = [[0, 1, 3] if node == nodes[0] else [2, 3] for node in chosen]
    assert indices.tolist() == [column for row in wanted for column in row]


def test_of_stencils_nothing_is_joined():
    graph = Graph(5000)
    x = graph.inputs()
    y = graph.union(x[1:], x[:-1])
    for _ in range(5):
        y = graph.union(y[1:], y[:-1])
    assert joined(simplify(graph, y)) is None
    assert joined(simplify(graph, y[np.random.default_rng(0).permutation(len(y))])) is None

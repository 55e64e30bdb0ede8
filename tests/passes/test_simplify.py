"""What is made small on the way from graph to program; tests/propagation checks the patterns."""

from __future__ import annotations

import numpy as np

from sparsetrace.graph.graph import Columns, Graph, Rows
from sparsetrace.passes.simplify import simplify
from sparsetrace.propagation.jacobian import propagate


def shifted(graph, x, k):
    m = len(x) - k + 1
    out = x[:m]
    for shift in range(1, k):
        out = graph.union(out, x[shift : shift + m])
    return out


def test_nothing_is_left_of_what_no_output_needs():
    graph = Graph(50)
    x = graph.inputs()
    graph.union(x, x[::-1])
    wanted = graph.union(x[1:], x[:-1])
    graph.union_rows(wanted[None])
    program = simplify(graph, wanted)
    assert [block.size for block in program.blocks] == [49]


def test_blocks_are_cut_to_the_part_that_is_needed():
    graph = Graph(1000)
    x = graph.inputs()
    wide = graph.union(x[1:], x[:-1])
    program = simplify(graph, wide[10:15])
    (block,) = program.blocks
    assert (block.base, block.size) == (wide[10], 5)


def test_rows_that_nobody_needs_are_emptied():
    graph = Graph(300)
    rows = graph.union_rows(graph.inputs().reshape(3, 100))
    (block,) = simplify(graph, rows[1:2]).blocks
    assert isinstance(block, Rows)
    assert np.diff(block.indptr).tolist() == [0, 100, 0]


def test_outputs_that_are_inputs_need_no_blocks():
    graph = Graph(5)
    program = simplify(graph, graph.inputs())
    assert program.blocks == []
    assert program.outputs.tolist() == graph.inputs().tolist()


def test_a_sum_of_shifted_slices_is_one_wide_union():
    graph = Graph(500)
    (block,) = simplify(graph, shifted(graph, graph.inputs(), 27)).blocks
    assert isinstance(block, Columns)
    assert len(block.columns) == 27


def test_flattening_has_an_end():
    graph = Graph(2000)
    program = simplify(graph, shifted(graph, graph.inputs(), 200))
    assert max(len(block.columns) for block in program.blocks) <= 64


def test_a_union_shared_by_many_is_kept():
    graph = Graph(100)
    x = graph.inputs()
    shared = shifted(graph, x, 6)
    many = [graph.union(shared[: 95 - k], x[k:95]) for k in range(3)]
    program = simplify(graph, np.concatenate(many))
    assert any(block.base == shared[0] for block in program.blocks)


def test_a_column_that_comes_twice_is_kept_once():
    graph = Graph(100)
    x = graph.inputs()
    y = graph.union(x[1:], x[:-1])
    z = graph.union(y, x[1:])
    (block,) = simplify(graph, z).blocks
    assert len(block.columns) == 2


def test_a_union_of_equal_parents_is_an_alias():
    graph = Graph(100)
    x = graph.inputs()
    same = graph.union_rows(np.stack([x, x, x], axis=1))
    program = simplify(graph, same)
    assert program.blocks == []
    assert program.outputs.tolist() == x.tolist()


def test_an_element_is_absorbed_by_its_own_reduction():
    graph = Graph(100)
    x = graph.inputs().reshape(10, 10)
    peaks = graph.union_rows(x)
    shifted_down = graph.union(x, np.repeat(peaks[:, None], 10, axis=1))
    program = simplify(graph, shifted_down.reshape(-1))
    assert [block.base for block in program.blocks] == [peaks[0]]
    assert set(program.outputs.tolist()) == set(peaks.tolist())


def test_the_reduction_of_others_absorbs_nothing():
    graph = Graph(100)
    x = graph.inputs().reshape(10, 10)
    peaks = np.roll(graph.union_rows(x), 1)
    out = graph.union(x, np.repeat(peaks[:, None], 10, axis=1))
    _, indices = propagate(graph, out.reshape(-1))
    assert len(indices) == 100 * 11


def test_scalar_code_is_one_block():
    graph = Graph(10)
    total, nodes = 2, []
    for i in range(50):
        total = graph.union_scalar(total, 2 + i % 10)
        nodes.append(total)
    program = simplify(graph, np.array(nodes[-1:], np.int32))
    (block,) = program.blocks
    assert block.sequential
    counts = np.diff(block.indptr)
    assert np.count_nonzero(counts) == 1  # merged into the last one, its only user


def test_tiny_blocks_are_joined():
    graph = Graph(6)
    state = graph.inputs()
    for _ in range(10):
        state = graph.union(state, np.roll(state, 1))
    program = simplify(graph, state)
    assert len(program.blocks) == 1
    assert propagate(graph, state)[0].tolist() == list(range(0, 42, 6))


def test_a_program_leaves_the_graph_as_it_was():
    graph = Graph(50)
    x = graph.inputs()
    y = shifted(graph, x, 5)
    z = graph.union(y, np.broadcast_to(graph.union_rows(y[None]), y.shape))
    before = [(block.base, block.size) for block in graph.blocks]
    first = propagate(graph, z)
    assert [(block.base, block.size) for block in graph.blocks] == before
    again = propagate(graph, z)
    assert all((a == b).all() for a, b in zip(first, again, strict=True))

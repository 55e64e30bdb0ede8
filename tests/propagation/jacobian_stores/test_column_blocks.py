"""Packed bits for stretches of the inputs, beside index rows."""

import numpy as np
import pytest

from sparsetrace import jacobian_sparsity
from sparsetrace.graph.graph import OPAQUE, Columns, Graph, Rows
from sparsetrace.passes.simplify import Program, simplify
from sparsetrace.propagation.jacobian_stores import adaptive, bitset, column_blocks, csr
from sparsetrace.propagation.jacobian_stores.column_blocks import Stretches, solve
from sparsetrace.propagation.jacobian_stores.sizes import TooManyEntries, at_most


def random_program(rng, n):
    """Stencils, scattered sums, picks and reductions, with elements that depend on nothing."""
    graph = Graph(n)
    graph.pure = False
    known = [graph.inputs()]
    for _ in range(rng.integers(2, 9)):
        one, other = (known[i] for i in rng.integers(len(known), size=2))
        size = min(len(one), len(other))
        kind = rng.integers(5)
        if kind == 0:
            made = graph.union(one[:size], np.roll(other[:size], rng.integers(-3, 4)))
        elif kind == 1:
            made = graph.union(one[:size], other[:size][rng.permutation(size)])
        elif kind == 2:
            counts = rng.integers(0, 5, size=rng.integers(1, 60))
            parents = rng.choice(one[one > OPAQUE], size=int(counts.sum())).astype(np.int32)
            made = graph.union_segments(np.append(0, np.cumsum(counts)), parents)
        elif kind == 3:
            made = graph.union_rows(np.resize(one, (4, -(-len(one) // 4))))
        else:
            made = one.copy()
            made[rng.random(len(made)) < 0.2] = rng.choice([0, OPAQUE])
        if (made > OPAQUE).any():
            known.append(made)
    outputs = np.concatenate([known[-1], rng.choice(known[0], 3), [OPAQUE, 0, -1]])
    program = simplify(graph, outputs.astype(np.int32))
    if any(isinstance(block, Rows) and block.sequential for block in program.blocks):
        return random_program(rng, n)
    return program


@pytest.mark.parametrize("seed", range(60))
def test_the_answer_is_that_of_index_rows(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(column_blocks, "_STRETCHES", int(rng.integers(1, 65)))
    monkeypatch.setattr(column_blocks, "_CACHED", int(rng.choice([8, 64, 2**19])))
    program = random_program(rng, int(rng.integers(1, 700)))
    if not program.blocks:
        return
    wanted = csr.solve(program)
    found = Stretches(program)
    for together in (1, 3, 16):
        for one, other in zip(solve(found, together), wanted, strict=True):
            assert (one == other).all(), together


def test_random_programs_have_all_kinds_of_blocks():
    programs = [random_program(np.random.default_rng(seed), 300) for seed in range(60)]
    kinds = {type(block).__name__ for program in programs for block in program.blocks}
    assert kinds == {"Columns", "Rows"}


def steps(u):
    for _ in range(8):
        u = u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1))
    return u


def test_time_steps_are_solved_so(monkeypatch):
    monkeypatch.setattr(adaptive, "_MANY", 0)
    monkeypatch.setattr(adaptive, "LEAST", 0)
    monkeypatch.setattr(bitset, "solve", None)
    monkeypatch.setattr(csr, "read", None)
    u = np.ones((60, 60))
    assert jacobian_sparsity(steps, u).nnz == 3600 * (2 * 8 * 9 + 1)


def test_index_rows_go_on_where_their_entries_are_fewer(monkeypatch):
    monkeypatch.setattr(adaptive, "_MANY", 0)
    monkeypatch.setattr(adaptive, "_DEEP", 0)
    monkeypatch.setattr(adaptive, "_PER_PARENT", 0)
    monkeypatch.setattr(column_blocks, "solve", None)
    asked = []
    stretches = column_blocks.stretches
    monkeypatch.setattr(column_blocks, "stretches", lambda p: asked.append(p) or stretches(p))
    graph = Graph(5000)
    x = graph.inputs()
    y = graph.union(x, x[np.random.default_rng(0).permutation(5000)])
    outputs = graph.union(y, y[::-1])
    program = Program(5000, graph.blocks, outputs)
    monkeypatch.setattr(bitset, "LIMIT", 0)
    assert isinstance(program.blocks[0], Columns)
    assert len(adaptive.solve(program)[1]) > 5000
    assert len(asked) == 1


def test_more_entries_than_wanted_are_told_before_they_are_written():
    program = random_program(np.random.default_rng(1), 300)
    with at_most(10), pytest.raises(TooManyEntries):
        solve(Stretches(program), 1)

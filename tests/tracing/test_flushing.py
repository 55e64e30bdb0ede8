"""Graphs that outgrow their memory while the function runs: the pattern stays the same."""

from __future__ import annotations

import gc
import itertools

import numpy as np
import numpy.ma as ma
import pytest
import scipy.sparse

import sparsetrace as st
from cases.array_programs import Writer
from sparsetrace.graph import graph as graph_module
from sparsetrace.graph.graph import Graph
from sparsetrace.propagation import condense
from sparsetrace.tracing import driver, flushing

N = 6
START = np.linspace(0.3, 1.7, N)


@pytest.fixture(params=[64, 900], ids=["each operation", "some operations"])
def flushes(request, monkeypatch, frozen):
    """A graph is made small after each few operations, in small pieces; how often."""
    count = []
    room = request.param
    flushed = flushing._Flushes._flushed

    def counted(self, graph):
        self._limit = 10**6  # what is in use fits
        before = graph.kept
        flushed(self, graph)
        if graph.kept is not before:
            count.append(len(graph.kept.nodes))
        return room

    monkeypatch.setattr(flushing, "_USUAL", room)
    monkeypatch.setattr(graph_module, "_SCALARS", 8)
    monkeypatch.setattr(condense, "_PIECE", 8)
    monkeypatch.setattr(condense, "_LEAST", 7)
    monkeypatch.setattr(flushing, "_RECENT", 0)
    monkeypatch.setattr(flushing._Flushes, "_flushed", counted)
    return count


@pytest.fixture
def never_again(monkeypatch):
    """No run is made again because a node was missed."""
    forgot = driver.forgot

    def never(graph, outputs):
        assert not forgot(graph, outputs)
        return False

    monkeypatch.setattr(driver, "forgot", never)


def same(one, other):
    return np.array_equal(one.indptr, other.indptr) and np.array_equal(one.indices, other.indices)


def pattern(f, x, **options):
    """The pattern, or the type of the error."""
    try:
        return st.jacobian_sparsity(f, x, **options)
    except st.TracingError as error:
        return type(error)


def assert_same(one, other):
    if isinstance(other, type):
        assert one is other
    else:
        assert same(one, other)


def diffusion(u, steps=8):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def leapfrog(x):
    before, now = x[:3].copy(), x[3:].copy()
    for _ in range(6):
        before, now = now, 2 * now - before + np.roll(now, 1) * 0.1
    return np.concatenate([before, now])


def buffers(x):
    table, total = np.zeros((4, N)), np.zeros(N)
    for i in range(4):
        table[i] = x * x[i] if i else x
        total[i:] += np.cumsum(table[i])[i:]
        x = np.sin(x) + table[i - 1]
    return table, total[::2], np.add.reduce(table, axis=0)


def scalars(x):
    out, kept = [], {}
    for i in range(N):
        kept[i] = x[i] * x[i - 1] + (kept[i - 1] if i else 0.0)
        out.append(kept[i // 2] - float(x[0]))
    return np.array(out)


def branching(x):
    total = np.zeros(2)
    for i in range(3):
        if x[i] > 1:
            total[0] += x[i] * x[i + 1]
        else:
            total[1] = total[0] - x[i + 2]
        x = x[::-1] + np.roll(x, 2)
    return total


def complex_steps(x):
    z = x[:3] + 1j * x[3:]
    for _ in range(5):
        z = z * np.exp(1j * z.real) + np.conj(z[::-1])
        z[0] += z.imag[1]
    return z.real, z.imag[:2], np.abs(z)


def masked_steps(x):
    a = ma.array(x, mask=[0, 1, 0, 0, 1, 0])
    for _ in range(4):
        a = a * a[::-1] + x.mean()
        a[2] = ma.masked
    return a.filled(0.0), a.sum()


def sparse_steps(x):
    matrix = scipy.sparse.diags_array([x[:-1], x], offsets=[1, 0]).tocsr()
    for _ in range(4):
        x = matrix @ x + x[::-1]
    return x


def held_outside_of_arrays(x):
    def steps(y):
        for i in range(N):
            y = y + np.roll(y, 1)
            yield y[i]

    running = steps(x)
    parts = [next(running), next(running)]
    objects = np.array([x[0] * x[1], None], dtype=object)
    pairs = (x[2] * x[3], (x[4] * x[5],))
    later = lambda: pairs[1][0] + objects[0]  # noqa: E731
    for _ in range(5):
        x = np.sin(x * x[::-1])
    return np.array([*parts, *running, pairs[0], later()])


def views(x):
    base = x * x[::-1]
    part = base[1:3]
    del base
    for _ in range(5):
        x = x + np.roll(x, 1)
    part[...] += x[:2]
    return part.base


def matrices(x):
    a = x[:4].reshape(2, 2) + np.eye(2)
    for _ in range(3):
        a = a @ a.T + np.outer(x[:2], x[4:])
        x = np.concatenate([np.linalg.solve(a, x[:2]), x[2:]])
    return a, np.linalg.det(a), x


PROGRAMS = (
    diffusion, leapfrog, buffers, scalars, branching, complex_steps, masked_steps, sparse_steps,
    held_outside_of_arrays, views, matrices,
)  # fmt: skip
MODES = ({}, {"local": True}, {"dependency": True, "constants": "structure"})


@pytest.mark.parametrize("options", MODES, ids=str)
@pytest.mark.parametrize("f", PROGRAMS)
def test_the_same_pattern(f, options, flushes, never_again, monkeypatch):
    found = pattern(f, START, **options)
    count = len(flushes)
    monkeypatch.setattr(flushing, "_MOST_INPUTS", -1)
    assert_same(found, pattern(f, START, **options))
    assert len(flushes) == count
    assert count


@pytest.mark.parametrize("start", range(0, 6, 3))
def test_the_same_pattern_of_random_programs(start, flushes, never_again, monkeypatch):
    for seed in range(start, start + 3):
        program = Writer(seed).program()
        x = np.random.default_rng(seed).uniform(0.3, 0.9, program.n)
        for options in ({}, {"local": True}):
            patterns = []
            for most in (2**13, -1):
                monkeypatch.setattr(flushing, "_MOST_INPUTS", most)
                patterns.append(pattern(program.function, x, **options))
            assert_same(*patterns)
    assert flushes


def test_all_objects_are_looked_at(never_again):
    found = st.jacobian_sparsity(held_outside_of_arrays, START, max_memory=2500)
    assert same(found, st.jacobian_sparsity(held_outside_of_arrays, START))


def test_a_limit_is_kept_to(frozen):
    expected = st.jacobian_sparsity(diffusion, np.zeros(30), 80, static_argnums=1)
    blocks = []

    def f(x):
        for _ in range(80):
            x = diffusion(x, 1)
            blocks.append(len(x._trace.graph.blocks))
        assert x._trace.graph.kept is not None
        assert max(blocks) < 240
        return x

    found = st.jacobian_sparsity(f, np.zeros(30), max_memory=60_000)
    assert same(found, expected)


def test_what_is_in_use_does_not_fit(frozen):
    def f(x):
        steps = [x]
        for _ in range(150):
            steps.append(np.cumsum(steps[-1]))
        return steps[-1] + steps[7]

    assert st.jacobian_sparsity(f, np.zeros(20)).nnz == 210
    with pytest.raises(st.GraphSizeError, match=r"max_memory=20,000 .*elements\)\. Allow more"):
        st.jacobian_sparsity(f, np.zeros(20), max_memory="20 kB")


def test_second_derivatives_need_the_whole_graph():
    def f(x):
        for _ in range(50):
            x = x * x[::-1]
        return x.sum()

    with pytest.raises(st.GraphSizeError, match="second derivatives need all of it"):
        st.hessian_sparsity(f, np.ones(20), max_memory=20_000)
    assert st.hessian_sparsity(f, np.ones(20), max_memory="1 GB").nnz == 40


def test_a_frozen_collector_shows_nothing(flushes):
    def f(x):
        gc.freeze()
        for _ in range(20):
            x = np.cumsum(x) + x[::-1]
        return x

    try:
        assert st.jacobian_sparsity(f, START).nnz == N * N
        with pytest.raises(st.GraphSizeError, match=r"gc\.freeze"):
            st.jacobian_sparsity(f, START, max_memory=10)
    finally:
        gc.unfreeze()
    assert not flushes


def test_a_node_that_was_missed_is_found_out(flushes, monkeypatch):
    missed, again = itertools.count(), []
    held_nodes, forgot = flushing.held_nodes, driver.forgot

    def without(*args):
        found = held_nodes(*args)
        return found[:0] if next(missed) == 3 else found

    monkeypatch.setattr(flushing, "held_nodes", without)

    def noted(*args):
        again.append(forgot(*args))
        return again[-1]

    monkeypatch.setattr(driver, "forgot", noted)
    found = st.jacobian_sparsity(diffusion, START)
    monkeypatch.undo()
    assert again == [True, False]
    assert same(found, st.jacobian_sparsity(diffusion, START))


def test_a_detector_sees_what_was_kept(flushes):
    shift = [1]

    def f(x):
        x = x + np.roll(x, shift[0])
        for _ in range(3):  # the same blocks each time, and all that comes before is given up
            x = x + x[::-1]
        return x

    detect = st.JacobianDetector(f, like=START)
    for k in (1, 2, 3, 1):
        shift[0] = k
        assert same(detect(START), st.jacobian_sparsity(f, START))


@pytest.mark.parametrize("given", ["much", "1 XB", -1, 0, [1], "GB"])
def test_no_amount_of_memory(given):
    with pytest.raises(st.InputError, match="max_memory="):
        st.jacobian_sparsity(np.sin, START, max_memory=given)


def test_gathered_scalars_become_blocks(frozen, monkeypatch):
    monkeypatch.setattr("sparsetrace.graph.graph._SCALARS", 10)
    graph = Graph(2)
    flushing.watch(graph, 10_000)
    node = 2
    for _ in range(1000):
        node = graph.union_scalar(node, 3)
    assert graph.kept is not None
    assert graph.parents(node) in ([2, 3], [node - 1, 3])

"""The dependency graph: ids, constants, and which unions it makes."""

from __future__ import annotations

import numpy as np
import pytest

from sparsetrace.errors import GraphSizeError
from sparsetrace.graph import graph as graph_module
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, ZERO, Columns, Graph, Rows

F8 = np.dtype(float)


def test_ids_of_a_new_graph():
    graph = Graph(3)
    assert graph.pure
    assert graph.size == FIRST_INPUT + 3
    assert graph.inputs().tolist() == [2, 3, 4]
    assert graph.inputs().dtype == np.int32
    assert graph.blocks == []


# -------------------------------------------------------------------- constants
def test_constants_keep_their_values():
    graph = Graph(2)
    ids = graph.constant([[1.5, 0.0], [-2.0, 1.5]])
    assert not graph.pure
    assert ids.shape == (2, 2)
    assert ids.dtype == np.int32
    assert ids[0, 1] == ZERO
    assert (ids <= ZERO).all()
    assert graph.known_values(ids, F8).tolist() == [[1.5, 0.0], [-2.0, 1.5]]


def test_zeros_need_no_room():
    graph = Graph(2)
    assert not graph.constant(np.zeros((3, 4))).any()
    assert graph.constant_scalar(0.0) == graph.constant_scalar(False) == ZERO


def test_negative_zeros_are_told_from_zero():
    graph = Graph(2)
    node = graph.constant_scalar(-0.0)
    assert node < ZERO
    assert node == graph.constant_scalar(-0.0)
    assert np.signbit(graph.known_value(node, F8))
    ids = graph.constant(np.array([0.0, -0.0, 1.0]))
    assert (ids < ZERO).tolist() == [False, True, True]
    assert graph.zeros_among(ids).tolist() == [True, True, False]
    assert np.signbit(graph.known_values(ids, F8)).tolist() == [False, True, False]
    parts = graph.constant(np.array([0j, complex(0.0, -0.0), complex(-0.0, 0.0)]))
    assert (parts < ZERO).tolist() == [False, True, True]


@pytest.mark.parametrize(
    "values",
    [
        np.array([2**53 + 1, -(2**53) - 1, 5]),
        np.array([2**64 - 1, 0], np.uint64),
        np.array([np.nextafter(np.longdouble(1), 2), np.finfo(np.longdouble).max]),
        np.array([np.nextafter(np.longdouble(1), 2) * 1j, 0]),
    ],
)
def test_constants_that_no_double_holds_are_exact(values):
    graph = Graph(2)
    before = graph.constant(np.array([0.5, -0.0]))
    ids = graph.constant(values)
    found = graph.known_values(ids, values.dtype)
    assert found.dtype == values.dtype
    assert (found == values).all()
    assert graph.known_value(int(ids[0]), values.dtype) == values[0]
    assert graph.known_values(before, F8).tolist() == [0.5, 0.0]


def test_rounded_constants():
    graph = Graph(2)
    ids = graph.constant(np.array([0.1, 0.5, np.nan, 1e-60]))
    assert graph.rounded(ids, F8) is ids
    single = graph.rounded(ids, np.dtype(np.float32))
    assert graph.known_values(single, F8)[:2].tolist() == [float(np.float32(0.1)), 0.5]
    assert single[3] == ZERO
    assert graph.rounded(single, np.dtype(np.float32)) is single
    whole = graph.rounded(ids[:2], np.dtype(int))
    assert whole.tolist() == [ZERO, ZERO]


def test_equal_scalars_share_an_id():
    graph = Graph(2)
    assert graph.constant_scalar(2.0) == graph.constant_scalar(2)
    assert graph.constant_scalar(2.0) != graph.constant_scalar(2.5)
    assert graph.known_value(graph.constant_scalar(2.5), F8) == 2.5


def test_not_a_number_is_a_constant_too():
    graph = Graph(1)
    ids = graph.constant([np.nan, np.inf])
    assert (ids < ZERO).all()
    found = graph.known_values(ids, F8)
    assert np.isnan(found[0])
    assert found[1] == np.inf
    assert np.isnan(graph.known_value(graph.constant_scalar(np.nan), F8))


def test_complex_constants_beside_real_ones():
    graph = Graph(1)
    real = graph.constant([1.0, 2.0])
    mixed = graph.constant([1j, 0.0, 3.0])
    assert graph.known_values(real, F8).tolist() == [1.0, 2.0]
    assert graph.known_values(mixed, np.dtype(complex)).tolist() == [1j, 0, 3]
    assert graph.known_value(int(real[1]), F8) == 2.0
    assert graph.constant_scalar(2j) < ZERO


def test_whole_numbers_keep_their_type():
    graph = Graph(1)
    ids = graph.constant([2, 3])
    assert graph.known_values(ids, np.dtype(int)).tolist() == [2, 3]
    assert graph.known_value(int(ids[0]), np.dtype(np.int8)).dtype == np.int8
    assert graph.known_values(graph.constant([True, False]), np.dtype(bool)).tolist() == [
        True,
        False,
    ]


def test_many_constants():
    graph = Graph(1)
    values = np.arange(1.0, 1000.0)
    ids = np.concatenate([graph.constant(part) for part in np.array_split(values, 37)])
    assert graph.known_values(ids, F8).tolist() == values.tolist()


def test_too_many_constants(monkeypatch):
    monkeypatch.setattr(graph_module, "_LIMIT", 100)
    with pytest.raises(GraphSizeError, match="constants"):
        Graph(1).constant(np.ones(200))


# ----------------------------------------------------------------------- unions
def test_a_union_with_itself_is_itself():
    graph = Graph(4)
    x = graph.inputs()
    assert graph.union(x, x).tolist() == x.tolist()
    assert graph.union(x, x.copy()).tolist() == x.tolist()
    assert graph.union_scalar(3, 3) == 3
    assert graph.blocks == []


def test_results_are_the_callers_own():
    graph = Graph(4)
    x = graph.inputs()
    for made in (
        graph.union(x, x),
        graph.union(x, x[::-1]),
        graph.union_all([x]),
        graph.union_all([x, x]),
    ):
        made[:] = 0
    assert x.tolist() == [2, 3, 4, 5]


def test_blocks_keep_private_copies():
    graph = Graph(4)
    x = graph.inputs()
    a, b = x[1:].copy(), x[:-1].copy()
    graph.union(a, b)
    a[:] = b[:] = 0
    (block,) = graph.blocks
    assert [c.tolist() for c in block.columns] == [[3, 4, 5], [2, 3, 4]]


@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 1), (1, 4)), ((4,), (3, 4)), ((), (3,)), ((2, 1, 4), (3, 1)), ((0,), (1,))],
)
def test_unions_broadcast(left, right):
    graph = Graph(40)
    a = graph.inputs()[: int(np.prod(left))].reshape(left)
    b = graph.inputs()[20 : 20 + int(np.prod(right))].reshape(right)
    assert graph.union(a, b).shape == np.broadcast_shapes(left, right)


def test_constants_and_opaque_elements_add_nothing():
    graph = Graph(3)
    x = graph.inputs()
    one = graph.constant_scalar(1.0)
    a = np.array([x[0], x[0], one, OPAQUE, one, ZERO], np.int32)
    b = np.array([x[1], one, x[1], x[2], OPAQUE, one], np.int32)
    out = graph.union(a, b).tolist()
    assert out[0] >= FIRST_INPUT + 3
    assert out[1:] == [x[0], x[1], x[2], OPAQUE, OPAQUE]


def test_repetition_along_an_axis_is_united_once():
    graph = Graph(8)
    x = graph.inputs()
    a = np.repeat(x[:4, None], 5, axis=1)
    b = np.repeat(x[4:, None], 5, axis=1)
    out = graph.union(a, b)
    assert out.shape == (4, 5)
    assert (out == out[:, :1]).all()
    graph.union(a.T.copy(), b.T.copy())
    assert sum(block.size for block in graph.blocks) == 8


def test_unions_along_a_repeated_axis_can_be_written():
    graph = Graph(8)
    x = graph.inputs()
    out = graph.union(np.tile(x, (3, 1)), np.tile(x[::-1], (3, 1)))
    out[0, 0] = ZERO
    assert out[1, 0] != ZERO


def test_unions_of_one_row_are_arrays():
    graph = Graph(2)
    graph.pure = False
    for k in (0, 1, 2):
        out = graph.union_rows(graph.inputs()[:k])
        assert isinstance(out, np.ndarray), k
        assert out.shape == ()


@pytest.mark.parametrize(
    "shape", [(3, 4), (2, 3, 4), (4,), (3, 1), (1, 1), (5, 0), (0, 3), (2, 100)]
)
def test_union_rows(shape):
    graph = Graph(300)
    ids = graph.inputs()[: int(np.prod(shape))].reshape(shape)
    out = graph.union_rows(ids)
    assert np.shape(out) == shape[:-1]
    if shape[-1] == 0:
        assert (out == OPAQUE).all()
    elif shape[-1] == 1:
        assert out.tolist() == ids[..., 0].tolist()


def test_union_rows_with_constants():
    graph = Graph(3)
    x = graph.inputs()
    one = graph.constant_scalar(1.0)
    rows = np.array([[x[0], one, x[1]], [one, x[2], ZERO], [one, OPAQUE, ZERO]], np.int32)
    out = graph.union_rows(rows)
    assert out[0] >= FIRST_INPUT + 3
    assert out[1:].tolist() == [x[2], OPAQUE]


def test_wide_rows_are_kept_as_rows():
    graph = Graph(200)
    graph.union_rows(graph.inputs()[None])
    graph.union_rows(graph.inputs().reshape(100, 2))
    first, second = graph.blocks
    assert isinstance(first, Rows)
    assert isinstance(second, Columns)


def test_union_segments():
    graph = Graph(5)
    x = graph.inputs()
    out = graph.union_segments(np.array([0, 2, 2, 3, 5]), x)
    assert out[1:3].tolist() == [OPAQUE, x[2]]
    (block,) = graph.blocks
    assert block.indptr.tolist() == [0, 2, 4]
    assert block.parents.tolist() == [x[0], x[1], x[3], x[4]]


def test_short_arrays_are_gathered_with_scalars():
    graph = Graph(4)
    x = graph.inputs()
    out = graph.union(x[1:], x[:-1])
    (block,) = graph.blocks
    assert isinstance(block, Columns)  # of one alone
    last = graph.union_scalar(graph.union_scalar(2, 3), int(out[0]))
    shown = graph.union(out[1:], out[:-1])
    assert graph.parents(int(shown[0])) == [out[1], out[0]]
    assert [(block.base, block.size) for block in graph.blocks] == [(6, 3), (9, 4)]
    assert graph.blocks[1].sequential
    assert graph.parents(last) == [9, out[0]]
    assert graph.parents(int(shown[1])) == [out[2], out[1]]


def test_scalars_become_one_block():
    graph = Graph(4)
    total = 2
    for node in (3, 4, 5):
        total = graph.union_scalar(total, node)
    (block,) = graph.blocks
    assert block.sequential
    assert block.size == 3
    assert block.base == 6
    assert total == 8


def test_scalars_before_a_block_are_numbered_before_it():
    graph = Graph(44)
    x = graph.inputs()
    node = graph.union_scalar(2, 3)
    out = graph.union(x[1:], x[:-1])
    later = graph.union_scalar(node, int(out[0]))
    assert node < out.min() < later
    assert [block.base for block in graph.blocks] == [46, 47, 90]


def test_too_many_nodes(monkeypatch):
    monkeypatch.setattr(graph_module, "_LIMIT", 20)
    graph = Graph(10)
    x = graph.inputs()
    with pytest.raises(GraphSizeError, match="in parts"):
        graph.union(x, x[::-1])
    graph = Graph(10)
    for _ in range(20 - graph.size):
        graph.union_scalar(2, 3)
    with pytest.raises(GraphSizeError):
        graph.union_scalar(2, 3)

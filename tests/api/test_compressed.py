"""Patterns that are not written out: the same answers as written ones, or an error that counts."""

from __future__ import annotations

import copy
import pickle
from queue import SimpleQueue

import numpy as np
import pytest
from scipy import sparse

import sparsetrace as st
from sparsetrace import CompressedPattern, SparsityPattern, hessian_sparsity, jacobian_sparsity


def mixed(x):
    """Prefixes, dense rows, shared rows, single entries and none."""
    total = x[::2].sum()
    return np.concatenate([np.cumsum(x), total + x[:4], x[5:] * total, x[:3] ** 2, np.zeros(2)])


FUNCTIONS = {
    "mixed": mixed,
    "cumsum": np.cumsum,
    "mean": lambda x: x - x.mean(),
    "columns": lambda x: np.cumsum(x.reshape(3, 4), axis=0) * x[-1],
    "sorted": np.sort,
    "branches": lambda x: np.cumsum(x) if x[0] > 0 else np.cumsum(x[::-1])[::-1],
}


def both(name, n=12, **options):
    """The same pattern, written out and not."""
    f = FUNCTIONS[name]
    written = jacobian_sparsity(f, np.ones(n), **options)
    compressed = jacobian_sparsity(f, np.ones(n), max_entries=written.nnz - 1, **options)
    assert type(written) is SparsityPattern
    assert type(compressed) is CompressedPattern
    return written, compressed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_that_is_asked_of_a_pattern(name):
    written, compressed = both(name)
    assert compressed.shape == written.shape
    assert compressed.nnz == written.nnz
    assert compressed.density == written.density
    assert compressed.is_dense == written.is_dense
    assert bool(compressed) == bool(written)
    assert compressed.row_counts().tolist() == written.row_counts().tolist()
    assert compressed.column_counts().tolist() == written.column_counts().tolist()
    assert compressed.indptr.tolist() == written.indptr.tolist()
    for i in (0, 3, -1):
        assert compressed.row(i).tolist() == written.row(i).tolist()
    assert compressed.tocsr() == written
    assert str(compressed).partition("\n")[2] == str(written).partition("\n")[2]
    assert compressed.row_leaves == written.row_leaves == compressed.tocsr().row_leaves


KEYS = [
    3,
    -1,
    (2, 5),
    (-1, -2),
    (slice(1, 7), slice(2, 9)),
    (slice(None), 4),
    (slice(9, 2, -2), slice(None, None, -1)),
    (0, slice(3)),
    ([1, 0, 1],),
    ([1, 0, 3], [2, 2, 1]),
    (slice(2, 6), [5, 1]),
    ([1, 0, 3], slice(1, None, 2)),
    (np.arange(12) % 3 == 0, slice(None, None, -1)),
    ([2], slice(8, 12, 5)),
    (np.arange(12) % 3 == 0, slice(None)),
    (Ellipsis, slice(2, 5)),
    slice(4, 4),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_parts(key):
    written, compressed = both("cumsum")
    wanted, found = written[key], compressed[key]
    assert type(found) is type(wanted)
    wanted, found = (p.toarray() if sparse.issparse(p) else p for p in (wanted, found))
    assert np.array_equal(found, wanted)
    assert np.array_equal(found, written.toarray()[key])


@pytest.mark.parametrize("key", [(12, 0), (0, 12), 12, (0, 0, 0)], ids=str)
def test_places_outside(key):
    for pattern in both("cumsum"):
        with pytest.raises(IndexError):
            pattern[key]
    with pytest.raises(IndexError, match="row 12 of 12"):
        pattern.row(12)


@pytest.mark.parametrize("right", ["cumsum", "mean", "sorted", "branches"])
def test_sets_of_entries(right):
    left = jacobian_sparsity(lambda x: np.cumsum(x[::-1]), np.ones(12), max_entries=5)
    plain = left.tocsr()
    written, compressed = both(right)
    for other in (written, compressed, written.toarray()):
        assert (left | other) == (plain | written)
        assert (left & other) == (plain & written)
    for other in (written, compressed):
        for first, second in ((left, other), (plain, compressed)):
            assert (first - second) == (plain - written)
            assert (second - first) == (written - plain)
        assert (left != other) == (plain != other)
        assert compressed == other
    with pytest.raises(ValueError, match="shapes"):
        left | compressed[:2]


def test_large_results_of_set_operations_stay_compressed():
    dense = jacobian_sparsity(lambda x: x - x.mean(), np.ones(100_000))
    lower = jacobian_sparsity(np.cumsum, np.ones(100_000))
    assert (dense | lower) == dense
    assert type(dense - lower) is CompressedPattern
    assert (dense - lower).nnz == 100_000 * 99_999 // 2
    assert type(lower[:90_000]) is CompressedPattern
    assert lower[:90_000].nnz == 90_000 * 90_001 // 2
    assert lower[:, 5].nnz == 99_995
    assert lower[::-1, 1:].row_counts()[[0, -1]].tolist() == [99_999, 0]
    assert lower[[5, 3]].nnz == 10
    with pytest.raises(st.GraphSizeError, match="4,050,045,000 entries"):
        lower[:90_000, ::2]


@pytest.mark.parametrize("again", [copy.copy, pickle.loads, lambda p: p.copy()])
def test_copies(again):
    written, compressed = both("mixed")
    found = again(pickle.dumps(compressed) if again is pickle.loads else compressed)
    assert type(found) is CompressedPattern
    assert found.tocsr() == written
    assert found.row_leaves == written.row_leaves


@pytest.mark.parametrize(
    "asked",
    [
        lambda p: p.indices,
        lambda p: p.toarray(),
        lambda p: p.T,
        lambda p: p + p,
        lambda p: p @ np.ones(12),
        lambda p: p.tril(),
        lambda p: st.coloring.color_columns(p),
        lambda p: p.save("nowhere"),
    ],
)
def test_what_needs_all_entries_says_how_many_there_are(asked):
    _, compressed = both("cumsum")
    with pytest.raises(st.GraphSizeError, match=r"78 entries .*tocsr"):
        asked(compressed)


def test_nobody_makes_one_by_hand():
    with pytest.raises(TypeError, match="SparsityPattern"):
        CompressedPattern([[1]])


def test_leaves():
    def f(x):
        return {"a": np.cumsum(x["u"]), "b": x["u"].sum() + x["v"]}

    x = {"u": np.ones(4), "v": np.ones(3)}
    written, compressed = jacobian_sparsity(f, x), jacobian_sparsity(f, x, max_entries=1)
    assert str(compressed.leaf_of_row(5)) == 'f["b"][1]'
    assert {k: p.toarray().tolist() for k, p in compressed.blocks().items()} == {
        k: p.toarray().tolist() for k, p in written.blocks().items()
    }


def test_f_is_run_once():
    runs = SimpleQueue()  # foreign to Python's data: not put back

    def f(x):
        runs.put(1)
        return x - x.mean()

    assert jacobian_sparsity(f, np.ones(10), max_entries=5).nnz == 100
    assert runs.qsize() == 1


@pytest.mark.parametrize("store", ["auto", "csr", "bitset", "roaring", "intervals", "integers"])
def test_the_choice_is_by_the_number_of_entries_alone(store):
    for most, kind in ((77, CompressedPattern), (78, SparsityPattern)):
        found = jacobian_sparsity(np.cumsum, np.ones(12), store=store, max_entries=most)
        assert type(found) is kind
    with pytest.raises(st.InputError, match="max_entries"):
        jacobian_sparsity(np.cumsum, np.ones(12), max_entries="all")


def test_what_is_not_checked_is_said():
    with pytest.warns(st.VerificationWarning, match="78 entries"):
        jacobian_sparsity(np.cumsum, np.ones(12), max_entries=5, verify=True)


DENSE = {
    "cumsum": (np.cumsum, 100_000, 5_000_050_000),
    "mean": (lambda x: x - x.mean(), 1_000_000, 10**12),
    "fft": (np.fft.fft, 100_000, 10**10),
}
HESSIANS = {
    "cumsum": (lambda x: np.sum(np.cumsum(x) ** 2), 100_000),
    "square": (lambda x: x.sum() ** 2, 1_000_000),
    "logsumexp": (lambda x: np.log(np.sum(np.exp(x))), 100_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DENSE)
def test_dense_by_nature(name):
    f, n, entries = DENSE[name]
    pattern = jacobian_sparsity(f, np.ones(n))
    assert pattern.nnz == entries
    assert pattern.row(n - 1).size == pattern.column_counts()[0] == n
    assert pattern.is_dense == (name != "cumsum")


@pytest.mark.slow
@pytest.mark.parametrize("name", HESSIANS)
def test_hessians_dense_by_nature(name):
    f, n = HESSIANS[name]
    assert hessian_sparsity(f, np.ones(n)).is_dense


def test_hessians_of_several_paths():
    def f(x):
        return x[::2].sum() ** 2 if x[0] > 0 else np.sum(np.cumsum(x[3:]) ** 2)

    written = hessian_sparsity(f, np.ones(12))
    found = hessian_sparsity(f, np.ones(12), max_entries=written.nnz - 1)
    assert type(found) is CompressedPattern
    assert found == written

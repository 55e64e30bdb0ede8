"""The call `jacobian_sparsity`: its result, its options, and several calls at once."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse
from outside import Outside

from cases.shared import BIDIAGONAL, square_plus_next
from oracles import assert_same_pattern
from sparsetrace import InputError, SparsityPattern, TracingError, jacobian_sparsity
from sparsetrace.graph.graph import Graph

STORES = ("auto", "csr", "bitset", "roaring")


# ----------------------------------------------------------------------- result
@pytest.mark.parametrize("store", STORES)
def test_result(store):
    pattern = jacobian_sparsity(square_plus_next, np.ones(4), store=store)
    assert isinstance(pattern, SparsityPattern)
    assert isinstance(pattern, scipy.sparse.csr_array)
    assert pattern.dtype == bool
    assert pattern.shape == (3, 4)
    assert pattern.has_sorted_indices
    assert pattern.has_canonical_format
    assert_same_pattern(pattern, BIDIAGONAL)


# ---------------------------------------------------------------------- argnums
def three(a, b, c):
    return np.stack([a[0] * b[1], b[0] + c, a[1] * c])


ALL_THREE = {
    0: [[1, 0], [0, 0], [0, 1]],
    1: [[0, 1], [1, 0], [0, 0]],
    2: [[0], [1], [1]],
}
ARGUMENTS = (np.ones(2), np.ones(2), 1.0)


@pytest.mark.parametrize(
    ("argnums", "parts"),
    [
        (0, (0,)),
        (1, (1,)),
        (2, (2,)),
        (-1, (2,)),
        (-3, (0,)),
        ((0, 1), (0, 1)),
        ((2, 0), (2, 0)),
        ([0, 1, 2], (0, 1, 2)),
        ((-1, -2), (2, 1)),
        (np.int64(1), (1,)),
        (range(2), (0, 1)),
        (np.array([0, 2]), (0, 2)),
    ],
)
def test_argnums(argnums, parts):
    pattern = jacobian_sparsity(three, *ARGUMENTS, argnums=argnums)
    assert_same_pattern(pattern, np.hstack([ALL_THREE[part] for part in parts]))


def test_no_argnums_gives_no_columns():
    assert jacobian_sparsity(three, *ARGUMENTS, argnums=()).shape == (3, 0)


@pytest.mark.parametrize("argnums", [3, -4, (0, 0), (0, -3), (0, 5), 1.0, "0", None, (0.5,)])
def test_wrong_argnums(argnums):
    with pytest.raises(InputError, match="argnums"):
        jacobian_sparsity(three, *ARGUMENTS, argnums=argnums)


def test_no_arguments():
    with pytest.raises(InputError, match="argnums"):
        jacobian_sparsity(lambda: 1.0)


# ---------------------------------------------------------------------- options
def test_constants_as_structure():
    def f(x):
        return np.array([[0.0, 1.0], [2.0, 0.0]]) @ x + 0.0 * x[0]

    assert_same_pattern(jacobian_sparsity(f, np.ones(2)), [[0, 1], [1, 0]])
    loose = jacobian_sparsity(f, np.ones(2), constants="structure")
    assert_same_pattern(loose, np.ones((2, 2)))


def test_dependency_follows_values():
    def f(x):
        return [np.floor(x[0]), np.sign(x[1]) * x[2], x[0] > 0, 0.0 * x[1]]

    assert_same_pattern(
        jacobian_sparsity(f, np.ones(3)), [[0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    )
    assert_same_pattern(
        jacobian_sparsity(f, np.ones(3), dependency=True),
        [[1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 0, 0]],
    )


@pytest.mark.parametrize(
    "options",
    [
        {"store": "dense"},
        {"store": None},
        {"constants": "none"},
        {"constants": True},
    ],
)
def test_options_that_do_not_exist(options):
    (name,) = options
    with pytest.raises(InputError, match=f"{name}=.*choose"):
        jacobian_sparsity(lambda x: x, np.ones(2), **options)


# ---------------------------------------------------------------- several traces
def test_a_trace_inside_a_trace_on_constants():
    def f(x):
        inner = jacobian_sparsity(square_plus_next, np.ones(4))
        return inner.toarray().astype(float)[:, :3] @ x

    assert_same_pattern(jacobian_sparsity(f, np.ones(3)), BIDIAGONAL[:, :3])


def test_a_trace_inside_a_trace_on_traced_values_is_refused():
    def f(x):
        jacobian_sparsity(square_plus_next, x)
        return x

    with pytest.raises(InputError, match="another trace"):
        jacobian_sparsity(f, np.ones(4))


def test_a_trace_inside_a_trace_cannot_use_the_outer_ones_values():
    def f(x):
        return jacobian_sparsity(lambda y: x * y, np.ones(4)).toarray() @ x

    with pytest.raises(TracingError, match="two different traces"):
        jacobian_sparsity(f, np.ones(4))


def test_values_kept_from_an_earlier_trace_are_refused():
    kept = Outside()
    jacobian_sparsity(lambda x: kept.append(x) or x, np.ones(2))
    with pytest.raises(TracingError, match="an earlier run"):
        jacobian_sparsity(lambda x: x + kept[0], np.ones(2))


def test_threads():
    def work(n):
        for _ in range(5):
            x = np.ones(n)
            pattern = jacobian_sparsity(lambda x: np.cumsum(x * x[::-1])[1:] / x[0], x)
            expected = np.zeros((n - 1, n), bool)
            for i in range(n - 1):
                expected[i, : i + 2] = expected[i, n - 2 - i :] = True
            expected[:, 0] = True
            assert_same_pattern(pattern, expected)
        return n

    sizes = [20, 30, 40, 50, 60, 70, 80, 90]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, sizes)) == sizes


def test_a_failure_in_one_thread_is_not_one_in_another():
    def work(n):
        if n % 2:
            with pytest.raises(TracingError):
                jacobian_sparsity(lambda x: x.tobytes(), np.ones(n))
            return 0
        return jacobian_sparsity(lambda x: np.sin(x), np.ones(n)).nnz

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(1, 33))) == [0 if n % 2 else n for n in range(1, 33)]


def buffered(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] ** 2 if x[i] > 1 else x[i]
    return np.stack([y, np.roll(y, 1), np.concatenate([y[1:], [0.0]])])


@pytest.mark.parametrize(
    ("f", "options"),
    [
        (lambda x: x[1:] * x[:-1], {}),
        (buffered, {}),
        (buffered, {"local": True}),
        (lambda x: np.linalg.solve(np.outer(x, x) + np.eye(3), np.sort(x)), {}),
        (lambda x: np.einsum("i,j->", x, np.cumsum(x)), {"dependency": True}),
    ],
)
def test_memory_goes_with_the_trace(f, options):
    """No reference cycle keeps the graph until the garbage collector runs."""
    jacobian_sparsity(f, np.ones(3), **options)
    gc.collect()
    # NumPy itself keeps the operands of a reduction whose override raised an error
    before = {id(obj) for obj in gc.get_objects() if type(obj) is Graph}
    gc.disable()
    try:
        jacobian_sparsity(f, np.ones(3), **options)
        now = {id(obj) for obj in gc.get_objects() if type(obj) is Graph}
        assert now <= before
    finally:
        gc.enable()

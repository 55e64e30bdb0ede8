"""``np.vectorize``: its function runs for each element apart."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern


def test_vectorize_runs_the_branches_of_each_element_apart():
    g = np.vectorize(lambda v, w: v if v > 0.5 else v * w, otypes=[float])
    pattern = st.jacobian_sparsity(lambda x: g(x[:20], x[20:]), np.ones(40), max_paths=1)
    assert_same_pattern(pattern, np.hstack([np.eye(20), np.eye(20)]))


def test_vectorize_with_outputs_exclusions_and_keywords():
    g = np.vectorize(lambda v, p, k=1: (v**p, k * v), excluded={1, "p"})
    pattern = st.jacobian_sparsity(lambda x: g(x, 2, k=np.array([1.0, 0.0])), np.ones(2))
    assert_same_pattern(pattern, [[1, 0], [0, 1], [1, 0], [0, 0]])


def clipped(row, bound):
    return row if row[0] > bound else row[::-1] * bound


SIGNATURES = {
    "rows to numbers": (np.vectorize(np.sum, signature="(n)->()"), lambda x: x.sum(axis=1)),
    "two outputs": (
        np.vectorize(lambda row: (row[0], row[1:] ** 2), signature="(n)->(),(m)"),
        lambda x: (x[:, 0], x[:, 1:] ** 2),
    ),
    "a branch in each row": (np.vectorize(clipped, signature="(n),()->(n)"), None),
    "matrices": (
        np.vectorize(np.dot, signature="(n),(n)->()", otypes=[float]),
        lambda x: (x * x).sum(axis=1),
    ),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_vectorize_of_whole_rows(name):
    f, same = SIGNATURES[name]

    def called(x):
        rows = x.reshape(3, 2)
        if name == "a branch in each row":
            return f(rows, 0.5)
        return f(rows, rows) if name == "matrices" else f(rows)

    point = np.linspace(0.1, 1.1, 6)
    pattern = st.jacobian_sparsity(called, point, max_paths=1)
    if same is None:
        assert_same_pattern(pattern, np.kron(np.eye(3), np.ones((2, 2))))
    else:
        expected = st.jacobian_sparsity(lambda x: same(x.reshape(3, 2)), point)
        assert_same_pattern(pattern, expected)
    local = st.jacobian_sparsity(called, point, local=True).toarray()
    assert (local <= pattern.toarray()).all()
    assert local.any(axis=1).all()


def test_vectorize_of_rows_raises_as_numpy():
    g = np.vectorize(lambda a, b: a @ b, signature="(n),(n)->()")
    with pytest.raises(ValueError, match="inconsistent size for core dimension"):
        st.jacobian_sparsity(lambda x: g(x, np.ones(3)), np.ones(2))


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("otypes", [[object], [np.ndarray], "O"])
def test_results_of_one_type_are_objects_also_where_they_are_tuples(otypes, local):
    g = np.vectorize(lambda a, b: (a * b, b), excluded=[1], otypes=otypes)

    def f(x):
        assert g(x[0], x[2]).shape == ()
        return np.array(g(x[:2], x[2]).tolist())

    pattern = st.jacobian_sparsity(f, np.ones(3), local=local)
    assert_same_pattern(pattern, [[1, 0, 1], [0, 0, 1], [0, 1, 1], [0, 0, 1]])


def test_an_element_whose_branch_fills_a_defaultdict_stays_on_the_paths_of_the_function():
    def f(x):
        table = collections.defaultdict(float)
        total = np.sum(np.vectorize(lambda v: v + table[0] if v > 1.0 else v)(x[:2]))
        return total * (x[2] if table else x[3])

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(4)), np.ones((1, 4)))


def test_what_a_mask_picks_is_as_tight_as_other_arrays():
    g = np.vectorize(lambda v, w, *, power=2: (v**power if v > 1.0 else w, v))

    def f(x):
        y, mask = x.copy(), x > 0.7
        y[mask], _ = g(y[mask], x[0], power=3)
        return y

    expected = np.eye(20)
    expected[:, 0] = 1
    assert_same_pattern(st.jacobian_sparsity(f, np.linspace(-1, 2, 20), max_paths=1), expected)


def test_what_is_done_where_a_mask_picks_nothing():
    def f(x):
        try:
            return np.vectorize(lambda v: v * v)(x[x > 0.7]).sum()
        except ValueError:
            return x[0]

    only_first = st.jacobian_sparsity(f, np.zeros(20), local=True)
    assert_same_pattern(only_first, np.eye(1, 20))
    assert_same_pattern(st.jacobian_sparsity(f, np.ones(20)), np.ones((1, 20)))


def test_a_function_that_counts_the_elements_that_a_mask_picks_is_refused():
    def f(x):
        seen = []
        np.vectorize(lambda v: seen.append(v) or v)(x[x > 0.7])
        return x[len(seen) % 20]

    with pytest.raises(st.ValueDependentError, match="how many elements the mask"):
        st.jacobian_sparsity(f, np.ones(20))

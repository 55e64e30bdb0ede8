"""Which input or output a column or row is, and parts of a pattern by these names."""

from __future__ import annotations

import pickle
from collections import namedtuple

import numpy as np
import pytest

import sparsetrace as st

pytestmark = pytest.mark.fast
Pair = namedtuple("Pair", "first second")


def nested(state, scale):
    return {"u": state["a"] * scale, "v": [state["b"], state["b"] ** 2], "w": Pair(state["b"], 1.0)}


STATE = {"a": np.ones((2, 3)), "b": 2.0}


@pytest.fixture
def pattern():
    return st.jacobian_sparsity(nested, STATE, np.ones((2, 3)), argnums=(0, 1))


def test_each_row_and_column_has_its_expression(pattern):
    columns = [str(pattern.leaf_of_column(j)) for j in range(pattern.shape[1])]
    assert columns[:7] == [f'state["a"][{i}, {j}]' for i in range(2) for j in range(3)] + [
        'state["b"]'
    ]
    assert columns[7:] == [f"scale[{i}, {j}]" for i in range(2) for j in range(3)]
    rows = [str(pattern.leaf_of_row(i)) for i in range(6, pattern.shape[0])]
    assert rows == ['f["v"][0]', 'f["v"][1]', 'f["w"].first', 'f["w"].second']


def test_places_outside(pattern):
    assert str(pattern.leaf_of_column(-1)) == "scale[1, 2]"
    with pytest.raises(IndexError, match="column 13 of 13"):
        pattern.leaf_of_column(13)
    with pytest.raises(IndexError, match="row -11 of 10"):
        pattern.leaf_of_row(-11)


def test_blocks_cover_the_pattern(pattern):
    blocks = pattern.blocks()
    assert set(blocks) == {
        ('f["u"]', 'state["a"]'),
        ('f["u"]', "scale"),
        ('f["v"]', 'state["b"]'),
        ('f["w"].first', 'state["b"]'),
    }
    assert sum(block.nnz for block in blocks.values()) == pattern.nnz
    np.testing.assert_array_equal(pattern.block('f["u"]', "scale").toarray(), np.eye(6, dtype=bool))
    assert pattern.block(pattern.row_leaves[-1], "scale").nnz == 0
    with pytest.raises(KeyError, match="the leaves are"):
        pattern.block("u", "scale")


def test_copies_keep_leaves_and_parts_do_not(pattern):
    for copied in (pattern.copy(), pickle.loads(pickle.dumps(pattern)), pattern.tril()):
        assert copied.column_leaves == pattern.column_leaves
        assert copied.row_leaves == pattern.row_leaves
    with pytest.raises(ValueError, match="does not come from a trace"):
        pattern[:2].leaf_of_column(0)
    with pytest.raises(ValueError, match="no leaves"):
        st.SparsityPattern(np.eye(2)).block("f", "x")


def test_hessians_have_the_inputs_on_both_sides():
    pattern = st.hessian_sparsity(lambda x, y: x[0] * y[1], np.ones(2), np.ones(3), argnums=(0, 1))
    assert [leaf.name for leaf in pattern.row_leaves] == ["x", "y"]
    assert pattern.row_leaves == pattern.column_leaves
    assert set(pattern.blocks()) == {("x", "y"), ("y", "x")}


def test_functions_without_names():
    class Model:
        def residual(self, u):
            return u * 2

    columns = st.jacobian_sparsity(Model().residual, np.ones(2)).column_leaves
    assert [leaf.name for leaf in columns] == ["u"]
    assert st.jacobian_sparsity(np.sin, np.ones(2)).column_leaves[0].name == "args[0]"
    assert st.jacobian_sparsity(lambda *a: a[0], np.ones(2)).column_leaves[0].name == "args[0]"


def test_paths_with_results_of_one_structure():
    pattern = st.jacobian_sparsity(lambda x: {"y": x[0] * x[1] if x[0] > 0 else x[0]}, np.ones(2))
    assert [leaf.name for leaf in pattern.row_leaves] == ['f["y"]']
    assert pattern.row_leaves[0].shape == ()


# ------------------------------------------------------------------- sets of entries
def random(seed, shape=(6, 7)):
    return np.random.default_rng(seed).random(shape) < 0.4


def test_patterns_as_sets():
    left, right = random(0), random(1)
    a, b = st.SparsityPattern(left), st.SparsityPattern(right)
    for result, expected in (
        (a | b, left | right),
        (a & b, left & right),
        (a - b, left & ~right),
        (a | right, left | right),
        (right & a, left & right),
    ):
        assert type(result) is st.SparsityPattern
        result.check_format(full_check=True)
        assert result.data.dtype == bool
        assert result.data.all()
        np.testing.assert_array_equal(result.toarray(), expected)
    assert a == st.SparsityPattern(left)
    assert a != b
    assert a != st.SparsityPattern(left[:5])
    assert not (a == b)  # noqa: SIM201  # both operators
    assert (a != a.copy()).nnz == 0
    np.testing.assert_array_equal((a != b).toarray(), left ^ right)
    assert a
    assert not a - a
    with pytest.raises(ValueError, match=r"\(6, 7\) and \(2, 2\)"):
        a | np.eye(2)


def test_other_operands_are_scipys():
    a = st.SparsityPattern(random(0))
    difference = a - a.astype(float)
    assert type(difference).__name__ == "csr_array"
    assert type(a) is st.SparsityPattern
    assert (a != a.astype(float)).nnz == 0


@pytest.mark.parametrize("k", [-2, 0, 1])
def test_triangles(k):
    pattern = random(2)
    result = st.SparsityPattern(pattern)
    np.testing.assert_array_equal(result.tril(k).toarray(), np.tril(pattern, k))
    np.testing.assert_array_equal(result.triu(k).toarray(), np.triu(pattern, k))
    assert type(result.tril()) is st.SparsityPattern


def test_coordinates_and_bandwidth():
    pattern = random(3)
    rows, columns = st.SparsityPattern(pattern).coords()
    np.testing.assert_array_equal(np.stack([rows, columns]), np.stack(np.nonzero(pattern)))
    banded = np.tri(5, k=1, dtype=bool) & ~np.tri(5, k=-3, dtype=bool)
    assert st.SparsityPattern(banded).bandwidth == (2, 1)
    assert st.SparsityPattern(np.eye(4, k=2)).bandwidth == (0, 2)
    assert st.SparsityPattern(np.zeros((3, 0))).bandwidth == (0, 0)


def test_html_is_escaped_text():
    html = st.SparsityPattern(np.eye(3))._repr_html_()
    assert html.startswith("<pre")
    assert "3 x 3, 3 entries" in html
    assert html.count("<") == 2

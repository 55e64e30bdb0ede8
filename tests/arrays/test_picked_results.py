"""What masks of many elements pick, as results."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, hessian_pattern_at, jacobian_pattern_at

N = 14
"""More elements than a mask has that is decided."""


def alone(x):
    return x[x > 0]


def extracted(x):
    return np.extract(x > 0, x * x[0])


def compressed(x):
    return np.compress(x > 0, x)


def shifted(x):
    return np.roll(x, 1)[x > 0] * 3


def product(x):
    return x[x > 0.5] * np.roll(x, 2)[x > 0.5] + x[0]


def places(x):
    i = np.nonzero(x > 0)
    return np.sin(x[i])


def ordered(x):
    return np.sort(x[x > 0])


def differences(x):
    return np.diff(x[x > 0])


def rows(x):
    return np.outer(x, x[:3])[x > 0]


def columns(x):
    return np.outer(x[:2], x)[:, x > 0]


def beside_others(x):
    m = x > 0
    return {"picked": x[m], "sum": x[m].sum(), "also": (x * x)[m], "all": x}


def of_a_pick(x):
    y = x[x > -1]
    return y[y < 1] * 2


def prefix(x):
    return x[: np.argmax(x)]


def running(x):
    return np.cumsum(x[x > 0])


def half(x):
    m = x > 0
    m[: N // 2] = False
    return x[m]


CASES = [alone, shifted, product, places, ordered, differences, rows, columns, beside_others]
CASES += [of_a_pick, prefix, running, half, extracted, compressed]


@pytest.mark.parametrize("f", CASES)
def test_nothing_is_missing_wherever_there_are_as_many(f):
    rng = np.random.default_rng(5)
    patterns = {}
    for x in rng.normal(size=(40, N)):
        x += 0.1 * np.sign(x)  # no step crosses a mask
        found = jacobian_pattern_at(f, x)
        if len(found) not in patterns:
            patterns[len(found)] = st.jacobian_sparsity(f, x)
            assert patterns[len(found)].left_out
        assert_covers(patterns[len(found)], found)
    assert len(patterns) > 3


@pytest.mark.parametrize("f", [alone, shifted, places])
def test_nothing_is_there_that_cannot_be(f):
    points = []
    for chosen in itertools.combinations(range(N), 3):
        points.append(np.full(N, -1.0))
        points[-1][list(chosen)] = 1.0
    every = np.any([jacobian_pattern_at(f, x) for x in points], axis=0)
    assert_same_pattern(st.jacobian_sparsity(f, points[0]), every)


def test_the_size_follows_from_the_arguments():
    x = np.linspace(-1, 2, 100)
    pattern = st.jacobian_sparsity(alone, x)
    n = len(alone(x))
    assert pattern.shape == (n, 100)
    assert pattern.nnz == n * (100 - n + 1)


def test_names_of_the_rows():
    x = np.linspace(-1, 1, N)
    assert [leaf.shape for leaf in st.jacobian_sparsity(beside_others, x).row_leaves] == [
        (7,),
        (),
        (7,),
        (N,),
    ]


def test_dependencies_are_also_those_of_the_mask():
    def f(x):
        return x[N:][x[:N] > 0]

    x = np.linspace(-1, 2, 2 * N)
    x[:N] = np.linspace(-1, 1, N)
    plain = st.jacobian_sparsity(f, x).toarray()
    assert not plain[:, :N].any()
    assert st.jacobian_sparsity(f, x, dependency=True).toarray()[:, :N].all()


def test_masks_that_differ_are_refused():
    def f(x):
        return [x[x > 0], x[x > 1]]

    with pytest.raises(st.ValueDependentError, match="how many elements"):
        st.jacobian_sparsity(f, np.linspace(-1, 2, N))


def test_arguments_at_which_the_function_fails():
    def f(x):
        if x[0] > 1:
            raise ValueError("too large")
        return x[x > 0]

    with pytest.raises(st.ValueDependentError, match="how many elements"):
        st.jacobian_sparsity(f, np.full(N, 2.0))


def branches(x):
    return x[x > 0] if x[0] > 0 else x[:2]


@pytest.mark.parametrize(("first", "count"), [(1.0, 5), (-1.0, 2), (1.0, 2)])
def test_on_one_of_several_paths(first, count):
    x = np.full(N, -1.0)
    x[:count] = 1.0
    x[0] = first
    pattern = st.jacobian_sparsity(branches, x)
    assert_covers(pattern, jacobian_pattern_at(branches, x))
    assert pattern.shape == (count, N)


def test_second_order():
    x = np.random.default_rng(1).normal(size=N)
    pattern = st.lagrangian_hessian_sparsity(product, x)
    weights = np.arange(1.0, N + 1)

    def weighted(x):
        return product(x) @ weights[: len(product(x))]

    for seed in range(5):
        point = np.random.default_rng(seed).normal(size=N)
        assert_covers(pattern, hessian_pattern_at(weighted, point))
    assert pattern.nnz == 2 * N


def count(x):
    return (x > 0).sum()


SLICES = {
    "first": (lambda x: x[: count(x)], lambda n, size: slice(0, n)),
    "first_but_one": (lambda x: x[1 : count(x) + 1] ** 2, lambda n, size: slice(1, n + 1)),
    "last": (lambda x: x[len(x) - count(x) :], lambda n, size: slice(size - n, None)),
    "from_the_end": (lambda x: x[: count(x) - len(x) - 1], lambda n, size: slice(0, n - 1)),
    "columns": (lambda x: np.outer([1.0], x)[:, : count(x)], lambda n, size: slice(0, n)),
}
MANY = 80
"""So many that the number of elements is not decided."""


@pytest.mark.parametrize("name", SLICES)
@pytest.mark.parametrize("size", [N, MANY])
@pytest.mark.parametrize("number", [1, 3, 8])
def test_slices_of_unknown_ends_show_what_their_length_says(name, size, number):
    f, shown = SLICES[name]
    x = np.full(size, -1.0)
    x[:number] = 1.0
    pattern = st.jacobian_sparsity(f, x).toarray()
    np.testing.assert_array_equal(pattern, np.eye(size, dtype=bool)[shown(number, size)])


@pytest.mark.parametrize("size", [N, MANY])
def test_a_slice_whose_ends_are_both_unknown(size):
    def f(x):
        k = count(x)
        return x[k : k + 3] * x[0]

    x = np.where(np.arange(size) < 4, 1.0, -1.0)
    assert_covers(st.jacobian_sparsity(f, x), jacobian_pattern_at(f, x))


@pytest.mark.parametrize("size", [N, MANY])
def test_a_slice_beside_all_that_it_shows(size):
    def f(x):
        shown = x[: count(x)]
        return np.sin(shown), shown.sum(), shown * x[0]

    x = np.where(np.arange(size) < 4, 1.0, -1.0)
    pattern = st.jacobian_sparsity(f, x).toarray()
    np.testing.assert_array_equal(pattern[:4], np.eye(4, size))
    assert pattern[4, :4].all()
    assert pattern[5:].sum() == 4 + 3

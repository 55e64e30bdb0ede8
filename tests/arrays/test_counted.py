"""Arrays of as many elements as the inputs decide, where these may be many."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st

N = 70
POINTS = np.random.default_rng(3).normal(size=(4, 2 * N))


def mask(x):
    return x[:N] > 0.1


def rows(x):
    """Three rows of what a mask picks, and how they vary together."""
    m = (x[:N] ** 2 + x[N:] ** 2) > 0.3
    table = np.zeros((2, m.sum()))
    table[0, :] = x[:N][m]
    table[1] = x[N:][m]
    return np.cov(table)[0]


def put_back(x):
    m = mask(x)
    part = np.empty(np.count_nonzero(m))
    part[:] = x[N:][m] * 2.0
    part *= part
    y = np.zeros(N)
    y[m] = part
    return y


def by_limit(x):
    k = np.argmax(x[:N])
    front = np.zeros(k + 1)
    front[:] = x[0]
    return front.sum() * x[1]


def with_limits(x):
    """A count that no mask says: of the first half of what there is."""
    k = np.count_nonzero(mask(x)) // 2 + 3
    return (np.ones(k) * x[N]).max()


def single(x):
    part = np.zeros(np.count_nonzero(mask(x)))
    part[0] = x[1]
    part[1:3] = x[2:4]
    part[-1] += x[-1]
    return part.sum()


def parts(x):
    m = mask(x)
    part = np.zeros(m.sum())
    part[1:] = x[:N][m][:-1]
    return part.max()


def rows_of_parts(x):
    table = np.zeros((np.count_nonzero(mask(x)), 3))
    table[0] = x[:3] ** 2
    table[1:, 1] = x[4]
    table[-2:, :] = x[5:8]
    return (table**2).sum(axis=0)


FUNCTIONS = {
    "rows": rows,
    "put back": put_back,
    "sum": lambda x: (np.ones(mask(x).sum()) * x[:N][mask(x)]).sum(),
    "of the mask by a name": lambda x: [m := mask(x), np.full(m.sum(), x[N])[m[m]] + x[:N][m]][
        1
    ].max(),
    "full": lambda x: (np.full(mask(x).sum(), x[N]) * x[:N][mask(x)]).sum(),
    "of integers": lambda x: (np.zeros(mask(x).sum(), int) + x[:N][mask(x)]).max(),
    "a range": lambda x: (np.arange(mask(x).sum()) * x[:N][mask(x)]).sum(),
    "as Python's number": lambda x: (np.ones(int(mask(x).sum())) * x[:N][mask(x)]).sum(),
    "of another mask": lambda x: (np.ones(mask(x).sum())[:, None] * x[:3]).sum(axis=0),
    "by a place": by_limit,
    "by a number of a mask": with_limits,
    "size": lambda x: np.zeros(mask(x).sum()).size * x[:2],
    "single elements": single,
    "parts": parts,
    "rows of parts": rows_of_parts,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_is_missing(name):
    f = FUNCTIONS[name]
    pattern = st.jacobian_sparsity(f, POINTS[0]).toarray()
    for x in POINTS:
        assert not (st.jacobian_sparsity(f, x, local=True).toarray() & ~pattern).any()


def test_what_the_same_mask_picks_stands_at_the_same_places():
    pattern = st.jacobian_sparsity(put_back, POINTS[0]).toarray()
    assert np.array_equal(pattern, np.eye(N, 2 * N, N, dtype=bool))
    assert st.jacobian_sparsity(FUNCTIONS["sum"], POINTS[0]).nnz == N

    def by_pythons_number(x):
        m, y = mask(x), np.zeros(N)
        part = np.zeros(int(m.sum()))
        part += x[N:][m]
        y[m] = part
        return y

    assert st.jacobian_sparsity(by_pythons_number, POINTS[0]).nnz == N
    assert st.hessian_sparsity(lambda x: (put_back(x) ** 2).sum(), POINTS[0]).nnz == N


def test_what_is_written_to_a_part_meets_the_elements_of_its_columns_alone():
    found = st.jacobian_sparsity(rows_of_parts, POINTS[0]).toarray()
    wanted = np.zeros((3, 2 * N), bool)
    for column, places in enumerate(([0, 5], [1, 4, 6], [2, 7])):
        wanted[column, places] = True
    assert np.array_equal(found, wanted)
    assert st.jacobian_sparsity(single, POINTS[0]).nnz == 4
    assert st.jacobian_sparsity(single, POINTS[0], dependency=True).nnz == N + 1


def filled_one_by_one(x):
    count = (x > 0).sum()
    y = np.zeros(count + 1)
    for i in range(count + 1):
        y[i] = x[i % len(x)] * 2
    return y[0], y.sum()


def first_of_some(x):
    y = np.zeros(np.count_nonzero(x > 0))
    y[0] = x[1]
    return y.sum()


@pytest.mark.parametrize("size", [5, 30])
def test_a_number_of_few_values_is_a_path_each_where_it_is_asked_for(size):
    x = np.linspace(-1.0, 1.0, size)
    pattern = st.jacobian_sparsity(filled_one_by_one, x).toarray()
    assert np.array_equal(pattern, [np.arange(size) == 0, np.ones(size)])
    assert np.array_equal(st.jacobian_sparsity(first_of_some, x).toarray(), [np.arange(size) == 1])


def test_a_mask_that_is_written_after_it_was_counted_picks_others():
    def f(x):
        m = mask(x)
        weights = np.zeros(m.sum())
        weights[:] = x[:N][m]
        count = m.sum()
        m[:-1] = m[1:].copy()
        moved = np.ones(count) * weights  # as many as there were
        y = np.zeros(N)
        y[m] = moved
        return y

    pattern = st.jacobian_sparsity(f, POINTS[0]).toarray()
    for x in POINTS:
        try:
            f(x)
        except ValueError:  # there are more or fewer
            continue
        assert not (st.jacobian_sparsity(f, x, local=True).toarray() & ~pattern).any()


REFUSED = {
    "length": lambda x: [x[0] * 2 for _ in np.zeros(mask(x).sum())],
    "no limit": lambda x: np.zeros(x[:3].astype(int).max()).sum() + x,
    "two counts": lambda x: np.zeros((mask(x).sum(), (~mask(x)).sum())).sum() + x,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_the_number_is_refused(name):
    with pytest.raises(st.ValueDependentError):
        st.jacobian_sparsity(REFUSED[name], POINTS[0])

"""Views of what masks pick, and what is written into these or into the arrays themselves."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import jacobian_pattern_at

N = 70
POINTS = np.random.default_rng(1).normal(size=(4, 2 * N))


def picked(x):
    return x[:N][x[:N] > 0.0]


def table(x):
    return np.zeros((np.count_nonzero(x[:N] > 0.0), 3))


def column_of_all(x):
    p = picked(x)
    view = p[:, None]
    p[:] = x[N:][x[:N] > 0.0]
    return view.sum()


def column_of_one(x):
    p = picked(x)
    view = p.reshape(-1, 1)
    p[0] = x[N]
    return view.sum()


def ellipsis_of_a_part(x):
    p = picked(x)
    view = p[...]
    p[1:3] = [x[N], 2.0]
    return view.sum()


def column_of_rows(x):
    t = table(x)
    column = t[:, 1]
    t[0] = x[N : N + 3]
    t[1, 1] = x[N + 5]
    return column.sum()


def transposed(x):
    t = table(x)
    turned = t.T
    turned[1, 0] = x[N + 5]
    turned[:, 1] = x[N : N + 3]
    return t.sum(axis=0)


def in_place(x):
    p = picked(x)
    view = p[:, None]
    view *= x[N]
    return p.sum()


def by_a_mask_of_a_view(x):
    p = picked(x)
    column = p.reshape(-1, 1)
    column[column > 0.5] = x[N]
    return p.sum()


def real_parts(x):
    p = picked(x) * (1 + 1j)
    view = p.real
    p[:] = x[N]
    return view.sum(), p.imag.sum()


def picked_again(x):
    p = picked(x)
    q = p[p > 1.0]
    q[:] = 0.0
    return p.sum(), q.sum()


def written_after_it_was_picked_again(x):
    p = picked(x)
    q = p[p > 1.0]
    p[:] = 0.0
    return p.sum(), q.sum()


def copies(x):
    p = picked(x)
    others = p.copy(), +p, np.abs(p), p.flatten(), p.astype(float)
    p[:] = 0.0
    return [other.sum() for other in others]


def source(x):
    z = x[:N] * 1.0
    p = z[x[:N] > 0.0]
    z[:] = 0.0
    return p.sum()


def the_other_way(x):
    z = x[:N] * 1.0
    p = z[x[:N] > 0.0]
    p[:] = 0.0
    return z.sum()


FUNCTIONS = [
    *(column_of_all, column_of_one, ellipsis_of_a_part, column_of_rows, transposed, in_place),
    *(by_a_mask_of_a_view, real_parts, picked_again, written_after_it_was_picked_again),
    *(copies, source, the_other_way),
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_views_show_what_is_written_and_copies_do_not(f):
    pattern = st.jacobian_sparsity(f, POINTS[0]).toarray()
    for x in POINTS:
        assert not (jacobian_pattern_at(f, x) & ~pattern).any()


def test_what_is_written_everywhere_is_all_there_is():
    pattern = st.jacobian_sparsity(column_of_all, POINTS[0]).toarray()
    assert np.flatnonzero(pattern).tolist() == list(range(N, 2 * N))


def test_indices_of_which_there_is_a_view_are_not_written():
    def f(x):
        places = np.flatnonzero(x > 0.0)
        view = places[:]
        places[:] = 0
        return x[view].sum()

    with pytest.raises(st.ValueDependentError, match="of which there is a view"):
        st.jacobian_sparsity(f, POINTS[0])

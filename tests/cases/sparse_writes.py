"""Programs that write into sparse arrays, or into what shares memory with them.

Contract: those of `WRITES` are traced; those of `REFUSED` would lose what another array sees of a
write, and end in an error instead.
"""

from __future__ import annotations

import copy
from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp

BAND = sp.csr_array(np.eye(4) + np.eye(4, k=1))
ONES = np.ones(4)
KEPT = BAND.copy()
NAME = "data"
WRITES = {}
REFUSED = {}


def traced(f):
    WRITES[f.__name__] = f
    return f


def refused(f):
    REFUSED[f.__name__] = f
    return f


@refused
def transposed_then_data(x):
    a = BAND.copy()
    b = a.T
    a.data[0] = x[0]
    return b @ ONES


@refused
def transposed_then_item(x):
    a = BAND.copy()
    b = a.T
    a[0, 0] = x[0]
    return b @ ONES


@refused
def data_then_item(x):
    a = BAND.copy()
    d = a.data
    a[0, 0] = x[0]
    return d * 1.0


@refused
def buffer_shared(x):
    d = np.ones(4)
    a = sp.csr_array((d, np.arange(4), np.arange(5)))
    a[1, 1] = x[0]
    return d * 1.0


@traced
def shared_array_written(x):
    d = np.ones(4)
    a = sp.csr_array((d, np.arange(4), np.arange(5)))
    d[1] = x[0]
    return a @ ONES


@traced
def shared_traced_array_written(x):
    d = x * 1.0
    a = sp.csr_array((d, np.arange(4), np.arange(5)))
    d[1] = x[0] * 2
    return a @ ONES


@traced
def data_shared_with_an_array(x):
    d = x * 1.0
    a = sp.csr_array((d, np.arange(4), np.arange(5)))
    a.data[1] = x[0] * 2
    return d


@traced
def items_shared_with_an_array(x):
    d = x * 1.0
    a = sp.csr_array((d, np.arange(4), np.arange(5)))
    a[1, 1] = x[0] * 2
    return d


@traced
def transpose_sees_items(x):
    a = sp.csr_array(np.diag(x))
    b = a.T
    a[0, 0] = x[1]
    return b @ ONES


@traced
def transpose_sees_no_new_entries(x):
    a = sp.csr_array(np.diag(x))
    b = a.T
    a[0, 1] = x[1]
    a[0, 0] = x[2]
    return (b @ ONES, a @ ONES)


@traced
def copies_are_apart(x):
    a = sp.csr_array(np.diag(x))
    b = a.copy()
    a[0, 0] = x[1]
    return b @ ONES


@traced
def shallow_copies_share_data(x):
    a = sp.csr_array(np.diag(x))
    b = copy.copy(a)
    a.data[0] = x[1]
    return b @ ONES


@traced
def conversion_to_the_same(x):
    a = sp.csr_array(np.diag(x))
    b = a.tocsr()
    a[0, 1] = x[1]
    return b @ ONES


@traced
def made_of_the_same_class(x):
    a = sp.csr_array(np.diag(x))
    b = sp.csr_array(a)
    a[0, 0] = x[1]
    return b @ ONES


@traced
def converted_apart(x):
    a = sp.coo_array(np.diag(x))
    b = a.tocsr()
    a.data[0] = x[1]
    return b @ ONES


@traced
def lil_apart(x):
    a = sp.csr_array(np.diag(x))
    b = a.tolil()
    b *= x[3]
    return (a @ ONES, b @ ONES)


@traced
def scaled_in_place(x):
    a = sp.csr_array(np.diag(x))
    b = a
    b *= x[3]
    return a @ ONES


@traced
def added_is_new(x):
    a = sp.csr_array(np.diag(x))
    b = a
    b += a.T
    return (a @ ONES, b @ ONES)


@traced
def lil_added_in_place(x):
    a = sp.lil_array((4, 4))
    b = a
    b += sp.diags_array(x)
    return (a @ ONES, b @ ONES)


@refused
def shared_by_a_transpose_and_scaled(x):
    a = BAND.copy()
    b = a.T
    a *= x[0]
    return (b @ ONES, a @ ONES)


@traced
def reshaped(x):
    a = sp.csr_array(np.diag(x))
    b = a.reshape(1, 16)
    a.data[0] = x[1]
    return b @ np.ones(16)


@traced
def rows_are_copies(x):
    a = sp.csr_array(np.diag(x))
    b = a[1:3]
    a.data[1] = x[0]
    return b @ ONES


@traced
def diagonal_of_dia(x):
    a = sp.diags_array(x)
    b = a
    a.setdiag(x[::-1] * x)
    return b @ ONES


@traced
def diagonal_seen_in_data(x):
    a = sp.diags_array(x)
    d = a.data
    a.setdiag(x[::-1] * x)
    return d


@traced
def padding_of_dia_written(x):
    a = sp.dia_array((np.zeros((2, 4)), [0, 1]), shape=(4, 4))
    a.data[0, :2] = x[:2]
    a.data[1, 1] = 3.0
    return a.tocsr() @ x


@traced
def data_in_a_loop(x):
    a = BAND.copy()
    for i in range(4):
        a.data[i] = x[i] * x[0]
    return a @ ONES


@traced
def two_arrays_from_one_line(x):
    out = []
    for i in range(2):
        a = BAND.copy()
        a.data[i] = x[i]
        out.append(a @ ONES)
    return np.array(out)


@traced
def data_filled_by_a_function(x):

    def fill(d, v):
        d[:2] = v

    a = BAND.copy()
    fill(a.data, x[:2])
    return a @ ONES


@traced
def two_names_of_one(x):
    a = BAND.copy()
    b = a
    b.data[0] = x[0]
    return a @ ONES


@traced
def held_by_an_object(x):
    k = SimpleNamespace()
    k.matrix = BAND.copy()
    k.matrix[0, 0] = x[0]
    return k.matrix @ ONES


@refused
def kept_outside(x):
    KEPT.data[0] = x[0]
    return KEPT @ ONES


@traced
def zeros_eliminated(x):
    a = sp.csr_array((np.stack([x[0], 0.0, x[1]]), [0, 1, 2], [0, 3]))
    a.eliminate_zeros()
    return a.data


@traced
def duplicates_summed(x):
    a = sp.coo_array((x, ([0, 0, 1, 1], [0, 0, 1, 2])), shape=(4, 4))
    a.sum_duplicates()
    return a.data


@traced
def converted_with_duplicates(x):
    a = sp.coo_array((x, ([0, 0, 1, 1], [0, 0, 1, 2])), shape=(4, 4))
    b = a.todia()
    return (a @ ONES, b @ ONES)


@traced
def iterated(x):
    a = sp.csr_matrix(np.outer(x, x))
    return sum(r.sum() for r in a)


@traced
def negated(x):
    a = BAND.copy()
    a.setdiag(-x)
    return (-a).toarray()


@traced
def data_assigned(x):
    a = sp.csr_array(np.outer(x, x))
    a.data = np.where(a.data > 0.3, a.data, 0.0)
    return a @ ONES


@traced
def added_at(x):
    a = BAND.copy()
    np.add.at(a.data, [0, 0, 1], x[:3])
    return a @ ONES


@traced
def copied_into_data(x):
    a = BAND.copy()
    np.copyto(a.data, x[[0, 1, 2, 3, 0, 1, 2]])
    return a @ ONES


@refused
def output_into_data(x):
    a = BAND.copy()
    np.multiply(a.data, x[0], out=a.data)
    return a @ ONES


@traced
def data_filled(x):
    a = BAND.copy()
    a.data.fill(x[0])
    return a @ ONES


@refused
def data_by_getattr(x):
    a = BAND.copy()
    d = getattr(a, NAME)
    d[0] = x[0]
    return a @ ONES


@refused
def lists_of_lil(x):
    a = sp.lil_array((4, 4))
    a[0, 0] = 1.0
    a.data[0][0] = x[0]
    return a.tocsr() @ ONES


@refused
def dictionary_of_dok(x):
    a = sp.dok_array((4, 4))
    a.setdefault((0, 0), x[0])
    return a.tocsr() @ ONES


@traced
def flat_of_data(x):
    a = BAND.copy()
    a.data.flat[0] = x[0]
    return a @ ONES


@traced
def slices_assigned(x):
    a = sp.lil_array((4, 4))
    a[0, :] = x
    a[1:3, 1:3] = np.outer(x[:2], x[2:])
    a[3] = sp.csr_array(x[None])
    return a.tocsr().toarray()


@traced
def copy_before_a_write(x):
    a = sp.lil_matrix((4, 4))
    a[0, 0] = 1.0
    b = a.copy()
    a[1, 1] = x[0]
    return (a + b).toarray()


@traced
def dia_shares_its_rows(x):
    d = x * 1.0
    a = sp.dia_array((d, 0), shape=(4, 4))
    d[0] = x[1]
    return a @ ONES


@traced
def spdiags_shares_its_rows(x):
    d = np.stack([x, x])
    a = sp.spdiags(d, [0, 1], 4, 4)
    d[0, 0] = x[1]
    return a @ ONES


@traced
def coordinates_share_data(x):
    a = sp.csr_array(np.diag(x))
    b = a.tocoo(copy=False)
    a.data[0] = x[1]
    return b @ ONES


@traced
def coordinates_copied(x):
    a = sp.csr_array(np.diag(x))
    b = a.tocoo()
    a.data[0] = x[1]
    return b @ ONES


@traced
def blocks_of_one_share_data(x):
    a = sp.csr_array(np.diag(x))
    b = a.tobsr((1, 1), copy=False)
    a.data[0] = x[1]
    return b @ ONES


@traced
def diagonal_is_a_view(x):
    a = sp.diags_array([x, x[1:]], offsets=[0, 1])
    d = a.diagonal(1)
    e = a.diagonal()
    a.data[1, 2] = x[0] ** 2
    a.data[0, 3] = x[0] ** 2
    return d * 1.0, e * 1.0, a @ ONES


@traced
def diagonal_written(x):
    a = sp.diags_array(x)
    d = a.diagonal()
    try:
        d[0] = x[1]
    except ValueError:  # it is read-only in some releases
        d = d.copy()
    return d, a @ ONES


@traced
def diagonal_of_rows_written(x):
    a = sp.csr_array(np.diag(x))
    d = a.diagonal()
    d[0] = x[1]
    return d, a @ ONES


@traced
def stacked_apart(x):
    a = sp.csr_array(np.diag(x))
    b = sp.hstack([a], format="csr")
    c = sp.bmat([[a]], format="csr")
    a.data[0] = x[1]
    return b @ ONES, c @ ONES


@traced
def negated_apart(x):
    a = sp.csr_array(np.diag(x))
    b, c, d = abs(a), a + 0, a.astype(float)
    a.data[0] = x[1]
    return b @ ONES, c @ ONES, d @ ONES


@traced
def lil_with_traced_data_added_in_place(x):
    a = sp.lil_array(np.diag(x))
    b = a
    b += sp.diags_array(x[1:], offsets=1, shape=(4, 4))
    b -= sp.diags_array(x[:3], offsets=-1, shape=(4, 4))
    return a @ ONES


@traced
def data_assigned_beside_a_transpose(x):
    a = BAND.copy()
    b = a.T
    a.data = np.append(x, x[:3])
    return a @ ONES, b @ x


@traced
def data_of_a_product_in_its_order(x):
    a = sp.diags(x) @ BAND @ sp.diags(x[::-1])
    a.data[0:1] = x[2]
    return a @ x


@traced
def sorted_with_its_transpose(x):
    a = (sp.diags(x) @ BAND @ sp.diags(x[::-1])).tocsr()
    b = a.T
    c = abs(a)  # which sorts the entries of a, and of b
    a.data[0] = x[2]
    return a @ x, b @ x, c @ x

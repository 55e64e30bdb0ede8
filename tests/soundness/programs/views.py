"""Views that NumPy promises: what is written through one is seen in the other."""

from __future__ import annotations

import functools

import numpy as np
import scipy.special
from numpy import ascontiguousarray as contiguous
from numpy.lib.stride_tricks import as_strided
from scipy.spatial.distance import squareform

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

P = np.array([0.3, 0.7, 1.2])
Q = np.array([1.6, -0.2, 0.4])


@program(P, Q, to=PROGRAMS)
def diagonal_by_einsum(x):
    b = np.zeros((3, 3))
    np.einsum("ii->i", b)[...] = x
    return b


@program(P, Q, to=PROGRAMS)
def transposed_by_einsum(x):
    b = np.zeros((2, 3))
    turned = np.einsum("ij->ji", b)
    turned[:, 1] = x**2
    b[0] += x
    return b, turned


@program(P, Q, to=PROGRAMS)
def conjugates_of_real_numbers(x):
    b = np.zeros(3)
    b.conj()[...] = x
    c = x.copy()
    c.conjugate()[0] = x[1] * x[2]
    return b, c, np.conj(c)


@program(P, Q, to=PROGRAMS)
def seen_through_asarray(x):
    b = np.zeros(3)
    a = np.asarray(b)
    a[1:] = x[1:]
    np.asarray(b, dtype=float)[0] = x[2]
    return b


@program(P, Q, to=PROGRAMS)
def seen_through_ascontiguousarray(x):
    b = np.zeros((3, 2))
    np.ascontiguousarray(b)[:, 1] = x
    np.array(b, copy=False)[0, 0] = x[2]
    return b


WORK = np.zeros(3)


@program(P, Q, to=PROGRAMS)
def memory_of_the_module(x):
    np.array(WORK, copy=False)[:] = x
    return WORK * 2


@program(P, Q, to=PROGRAMS, conservative="both parts have one pattern")
def parts_of_complex_numbers(x):
    z = np.zeros(3, complex)
    z.imag[...] = x
    np.real(z)[1:] = x[:2]
    return z.real, z.imag


@program(P, Q, to=PROGRAMS, conservative="both parts have one pattern")
def part_of_one_complex_number(x):
    z = np.zeros((), complex)
    z.imag[...] = x[0]
    z.real[()] = x[1]
    return z.real, z.imag


@program(P, Q, to=PROGRAMS)
def halves(x):
    b = np.zeros(6)
    left, right = np.split(b, 2)
    left[...] = x
    right += x[::-1] ** 2
    return b


@program(P, Q, to=PROGRAMS)
def in_place_through_a_stride(x):
    b = np.ones(6)
    a = b[::2]
    a *= x
    b[1::2] -= a
    return b


@program(P, Q, to=PROGRAMS)
def open_mesh_of_numbers(x):
    rows, columns = np.ix_(x, np.array([1.0, 2.0]))
    return rows * columns


@program(P, Q, to=PROGRAMS)
def repaired_in_place(x):
    b = x / np.array([1.0, 2.0, 4.0])
    np.nan_to_num(b, copy=False, nan=0.0)
    np.atleast_2d(b)[0, 1] = x[0]
    return b


@program(P, Q, to=PROGRAMS)
def transform_over_no_axis(x):
    b = x.reshape(1, 3).copy()
    np.fft.fftn(b, axes=())[0, 0] = x[2]
    return b


@program(P, Q, to=PROGRAMS)
def trimmed_buffer(x):
    b = np.array([0.0, 1.0, 2.0, 0.0])
    inner = np.trim_zeros(b)
    b[1] = x[0]
    inner[1] = x[1]
    return b, inner


@program(P, Q, to=PROGRAMS)
def by_iterator(x):
    b = np.zeros((2, 3))
    for i, _ in np.ndenumerate(b):
        b[i] = x[i[1]] * (i[0] + 1)
    for row in b:
        row += x[0]
    b.flat[4] = x[2]
    b.T[0] = x[1]
    return b


CONTIGUOUS = {"c": np.ascontiguousarray}


@program(P, Q, to=PROGRAMS, refused=("global", "local"))
def converted_by_an_entry_of_a_table(x):
    b = x * 1.0
    CONTIGUOUS["c"](b)[...] = x[::-1]
    return b


class Converter:
    """Keeps a function of NumPy's as an attribute."""

    def __init__(self):
        self.convert = np.ascontiguousarray


KEPT = Converter()


@program(P, Q, to=PROGRAMS)
def converted_by_an_attribute(x):
    b = x * 1.0
    KEPT.convert(b)[...] = x[::-1]
    return b


def flipped(b, values, convert=np.ascontiguousarray):
    convert(b)[...] = values[::-1]
    return b


@program(P, Q, to=PROGRAMS)
def converted_by_a_default_of_the_module(x):
    return flipped(x * 1.0, x)


@program(P, Q, to=PROGRAMS)
def converted_by_a_name_of_the_module(x):
    b = x * 1.0
    contiguous(b)[...] = x[::-1]
    return b


PARTIAL = functools.partial(np.ascontiguousarray, dtype=float)


@program(P, Q, to=PROGRAMS)
def converted_by_a_partial(x):
    b = x * 1.0
    PARTIAL(b)[...] = x[::-1]
    return b


@program(P, Q, to=PROGRAMS)
def converted_by_a_default(x):
    def flipped(b, convert=np.asfortranarray):
        convert(b)[...] = x[::-1]
        return b

    return flipped(np.outer(x, [1.0, 2.0]).T)[0]


@program(P, Q, to=PROGRAMS)
def buffers_in_column_order(x):
    out = np.zeros((2, 2), order="F")
    out.reshape(-1, order="F")[1] = x[0]
    made = np.full((2, 2), x[1], order="F")
    made.ravel(order="F")[2] = x[2]
    like = np.full_like(np.ones((2, 2), order="F"), x[2])
    like.reshape(4, order="F")[0] = x[0] * x[1]
    empty = np.empty_like(made)
    empty.ravel(order="F")[...] = made.ravel(order="F") * 2
    return np.flipud(out), made, like, empty


@program(P, Q, to=PROGRAMS)
def one_of_two_results_cleared(x):
    integral, cosine = scipy.special.sici(x * x)
    integral[...] = 0.0
    return cosine


@program(P, Q, to=PROGRAMS)
def imaginary_parts_of_real_arguments(x):
    return scipy.special.hankel1(1, x).imag, scipy.special.hankel2e(x[0], x[1:]).imag


@program(P, Q, to=PROGRAMS)
def results_of_four_scaled_in_place(x):
    ai, aip, bi, bip = scipy.special.airy(x)
    ai *= 0.0
    bi[1:] = ai[:-1]
    return aip, bi, bip


def _windows(x, k):
    return as_strided(x, (len(x) - k + 1, k), x.strides * 2)


@program(P, Q, to=PROGRAMS)
def windows_by_their_strides(x):
    w = _windows(x, 2)
    return (w[:, 0] * w[:, 1])[-2:] if w.dtype == x.dtype else np.zeros(2)


@program(P, Q, to=PROGRAMS)
def a_matrix_of_distances_from_a_list(x):
    m = squareform(x.tolist())
    return m[0] * x if m.dtype == x.dtype else x * 0


@program(P, Q, to=PROGRAMS)
def read_in_the_order_of_memory(x):
    columns = np.outer(x, [1.0, 2.0]).T
    clipped = np.clip(columns, -9.0, 9.0)
    summed = np.cumsum(np.stack([x, x[::-1]]), axis=-1)
    spread = np.sin(np.broadcast_to(x, (2, 3)))
    turned = np.fft.fft(columns, axis=-1).real
    made = np.add(columns, 1.0, order="C"), np.require(columns, float, "C")
    results = (clipped, summed, np.where(columns > 9.0, 0.0, columns), spread, turned, *made)
    return [r.ravel("K") for r in results]


@program(P, Q, to=PROGRAMS)
def written_through_ravel_where_it_is_no_copy(x):
    columns = np.outer(x, [1.0, 2.0]).T
    results = np.sort(columns, 0), np.clip(columns, -9.0, 9.0), np.cumsum(columns, 1)
    for r in results:
        r.ravel()[...] = 0.0  # of a copy, where the columns lie one after the other
    return results


@program(P, Q, to=PROGRAMS)
def results_of_python_functions_in_the_order_of_memory(x):
    columns = np.outer(x, [1.0, 2.0]).T
    twice = np.vectorize(lambda v: 2 * v)(columns)
    thrice = np.array(np.frompyfunc(lambda v: 3 * v, 1, 1)(columns), float)
    pieces = np.piecewise(columns, [columns > 9.0], [0.0, lambda v: v * v])
    return twice.ravel("K"), thrice.ravel("K"), pieces.ravel("K")


@program(P, Q, to=PROGRAMS, conservative="every row may be the one that is chosen")
def written_through_a_row_that_the_inputs_choose(x):
    rows = np.stack([x, x * 2])
    row = rows[np.argmax(x[:2])]
    row *= x[2]
    row[1] = x[0] * x[1]
    return rows, row


@program(P, Q, to=PROGRAMS, conservative="every row may be the one that is chosen")
def written_through_a_part_of_a_row_that_the_inputs_choose(x):
    rows = np.stack([x, x * 2])
    rows[np.argmax(x[:2])][1:] *= x[0]
    one = rows[np.argmax(x[:2]), 0, ...]
    one[()] = x[2] * x[1]
    return rows


@program(P, Q, to=PROGRAMS, conservative="every row may be the one that is chosen")
def seen_in_a_row_that_the_inputs_choose(x):
    rows = np.stack([x, x * 2])
    row, part = rows[np.argmax(x[:2])], rows[np.argmin(x[:2])][1:]
    rows[:, 0] = x[2] ** 2
    rows[:, 1:] *= x[0]
    early = row.copy(), part.copy()
    np.copyto(rows, x)
    np.add.at(rows, (slice(None), 1), x[0])
    return early, row, part


@program(P, Q, to=PROGRAMS, conservative="every row may be the one that is chosen")
def copies_of_rows_that_the_inputs_choose(x):
    rows = np.stack([x, x * 2]).T
    rows[np.argmax(x)] *= x[1]
    row = rows[np.argmin(x)].copy()
    row += x[0]
    some = rows[np.argsort(x)]
    some[0] = row
    return rows, row, some.ravel("K"), rows[np.array(np.argmin(x))]


@program(P, Q, to=PROGRAMS)
def the_imaginary_part_of_real_numbers_is_read_only(x):
    part = x.imag
    try:
        part[0] = 1.0
    except ValueError:
        return x * x[::-1]
    return part


@program(P, Q, to=PROGRAMS)
def keys_that_flat_does_not_take(x):
    m = x * 1.0
    try:
        return m.flat[None] * 0.0
    except IndexError:
        pass
    m.flat[...] = x[::-1]
    return m


@program(np.arange(8.0) / 5 + 0.3, to=PROGRAMS)
def labels_turned_by_einsum(x):
    cube = (x * x).reshape(2, 2, 2)
    return np.einsum("ijk->kj", cube).ravel("K"), np.einsum("ijk,j->kj", cube, x[:2]).ravel("K")


@program(np.array([1.3, 0.7, 2.1, 0.4]), to=PROGRAMS, conservative="any order may be left")
def a_median_that_sorts_its_operand(x):
    y = x * x
    middle = np.median(y, overwrite_input=True)
    return np.append(y * x, middle)


@program(np.array([1.3, 0.7, 2.1, 0.4]), to=PROGRAMS, conservative="any order may be left")
def a_quantile_that_sorts_its_operand(x):
    y = (x * x).reshape(2, 2)
    levels = np.quantile(y, [0.3, 0.6], axis=0, overwrite_input=True)
    return np.append(y[0] * 2, levels)

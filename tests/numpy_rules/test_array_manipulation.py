"""Functions that only move elements: patterns, and which results are views."""

from __future__ import annotations

import numpy as np
import pytest
from checks import Cases, check

import sparsetrace as st
from oracles import assert_same_pattern, dense, numerical_jacobian_pattern
from sparsetrace.numpy_rules.array_manipulation import MOVES

case = Cases()


def grid(x):
    return x.reshape(2, 3)


def cube(x):
    return x.reshape(2, 2, 3)


case("reshape", lambda x: np.reshape(x, (3, 2), order="F"), 6)
case("reshape minus one", lambda x: np.reshape(x, -1), (2, 3))
case("ravel", lambda x: np.ravel(grid(x), "F"), 6)
case("transpose", lambda x: np.transpose(cube(x), (1, 2, 0)), 12)
case("permute_dims", lambda x: np.permute_dims(cube(x), axes=(-1, 0, 1)), 12)
case("matrix_transpose", lambda x: np.matrix_transpose(cube(x)), 12)
case("linalg.matrix_transpose", lambda x: np.linalg.matrix_transpose(cube(x)), 12)
case("swapaxes", lambda x: np.swapaxes(cube(x), 0, -1), 12)
case("moveaxis", lambda x: np.moveaxis(cube(x), [0, 1], [-1, 0]), 12)
case("rollaxis", lambda x: np.rollaxis(cube(x), 2, 1), 12)
case("expand_dims", lambda x: np.expand_dims(x, (0, -1)), 3)
case("squeeze", lambda x: np.squeeze(x.reshape(1, 3, 1), axis=0), 3)
case("atleast_1d", lambda x: np.atleast_1d(x[0], x), 3)
case("atleast_2d", lambda x: np.atleast_2d(x), 3)
case("atleast_3d", lambda x: np.atleast_3d(x[0], x, grid(x)), 6)
case("broadcast_to", lambda x: np.broadcast_to(x[:, None], (2, 3, 2)), 3)
case("broadcast_arrays", lambda x: list(np.broadcast_arrays(x, x[:, None], 1.0)), 3)
case("roll", lambda x: np.roll(x, 2), 5)
case("roll axes", lambda x: np.roll(grid(x), (1, -1), axis=(0, 1)), 6)
case("roll flat", lambda x: np.roll(grid(x), -2), 6)
case("rot90", lambda x: np.rot90(grid(x), 3, axes=(1, 0)), 6)
case("flip", lambda x: np.flip(cube(x), axis=(0, -1)), 12)
case("flip all", lambda x: np.flip(grid(x)), 6)
case("fliplr flipud", lambda x: (np.fliplr(grid(x)), np.flipud(grid(x))), 6)
case("tile", lambda x: np.tile(grid(x), (2, 1, 2)), 6)
case("repeat", lambda x: np.repeat(grid(x), 2, axis=0), 6)
case("repeat counts", lambda x: np.repeat(x, [0, 2, 1]), 3)
case("repeat flat", lambda x: np.repeat(grid(x), 2), 6)
case("repeat method", lambda x: x.repeat(2), 3)
case("resize", lambda x: np.resize(x, (2, 4)), 3)
case("compress", lambda x: np.compress([True, False, True], grid(x), axis=1), 6)
case("compress flat", lambda x: np.compress([0, 1, 1], grid(x)), 6)
case("compress out", lambda x: np.compress([0, 1, 1], x, out=np.zeros_like(x[:2])), 3)
case("compress method", lambda x: grid(x).compress([0, 1], axis=0), 6)
case("extract", lambda x: np.extract([[1, 0, 1], [0, 0, 1]], grid(x)), 6)
case("diagonal", lambda x: np.diagonal(cube(x), 1, -2, -1), 12)
case("linalg.diagonal", lambda x: np.linalg.diagonal(cube(x), offset=-1), 12)
case("diag of a vector", lambda x: np.diag(x, 1) + 1, 3)
case("diag of a matrix", lambda x: np.diag(grid(x), -1), 6)
case("diagflat", lambda x: np.diagflat(grid(x), k=-1), 6)
case("tril triu", lambda x: (np.tril(cube(x), 1), np.triu(grid(x[:6]), -1)), 12)
case("delete", lambda x: np.delete(x, [0, -1]), 4)
case("delete axis", lambda x: np.delete(grid(x), slice(0, 2), axis=1), 6)
case("delete mask", lambda x: np.delete(x, np.array([True, False, False])), 3)
case("insert", lambda x: np.insert(x, 1, 5.0), 3)
case("insert traced", lambda x: np.insert(x[:3], [0, 2], x[3:]), 5)
case("insert axis", lambda x: np.insert(grid(x), 1, x[:2], axis=1), 6)
case("insert negative", lambda x: np.insert(grid(x[:6]), -1, x[6], axis=0), 7)
case("insert into constants", lambda x: np.insert(np.arange(3.0), 1, x), 2)
case("append", lambda x: np.append(x, [1.0, 2.0]), 3)
case("append axis", lambda x: np.append(np.ones((1, 3)), grid(x), axis=0), 6)
case("append flat", lambda x: np.append(grid(x), x[0]), 6)
case("concatenate", lambda x: np.concatenate([np.zeros(2), x]), 3)
case("concatenate axis", lambda x: np.concatenate((grid(x), np.ones((2, 1))), axis=-1), 6)
case("concatenate flat", lambda x: np.concatenate((grid(x), x), axis=None), 6)
case("concatenate ints", lambda x: np.concatenate([[1, 2], x]), 3)
case("concatenate out", lambda x: np.concatenate([x, x], out=np.zeros_like(np.tile(x, 2))), 3)
case("concatenate dtype", lambda x: np.concatenate([x, x], dtype=complex), 3)
case("concat", lambda x: np.concat([x, x[::-1]]), 3)
case("concatenate an array's rows", lambda x: np.concatenate(grid(x)), 6)
case("stack", lambda x: np.stack([x, np.zeros(3), x[::-1]], axis=-1), 3)
case("stack scalars", lambda x: np.stack([x[2], x[0]]), 3)
case("stack with 1.0", lambda x: np.stack([x[2], 1.0, 0]), 3)
case("stack out", lambda x: np.stack([x, x], out=np.zeros_like(np.stack([x, x]))), 3)
case("vstack", lambda x: np.vstack([x, np.ones((2, 3))]), 3)
case("hstack", lambda x: np.hstack([x, 1.0, x[0]]), 3)
case("hstack dtype", lambda x: np.hstack([x, x], dtype=np.float32, casting="same_kind"), 3)
case("dstack", lambda x: np.dstack((grid(x), grid(x) * 2)), 6)
case("column_stack", lambda x: np.column_stack((x, np.ones((3, 2)))), 3)
case("block", lambda x: np.block([[grid(x), np.ones((2, 1))], [np.zeros((1, 4))]]), 6)
case("block scalars", lambda x: np.block([x[0], 1.0, x[1:]]), 3)
case("split", lambda x: np.split(x, 3), 6)
case("split at", lambda x: np.split(grid(x), [1, 2], axis=1)[1], 6)
case("array_split", lambda x: np.concatenate(np.array_split(x, 3)[::-1]), 5)
case("hsplit vsplit", lambda x: (np.hsplit(grid(x), 3)[1], np.vsplit(grid(x), 2)[1]), 6)
case("dsplit", lambda x: np.dsplit(x.reshape(1, 2, 2), 2)[1], 4)
case("meshgrid", lambda x: list(np.meshgrid(x[:2], x[2:], [1.0, 2.0])), 5)
case("meshgrid ij", lambda x: list(np.meshgrid(x[:2], x[2:], indexing="ij")), 5)
case("meshgrid sparse", lambda x: list(np.meshgrid(x[:2], x[2:], sparse=True, copy=False)), 5)
case("copy", lambda x: np.copy(x), 3)
case("sliding windows", lambda x: np.lib.stride_tricks.sliding_window_view(x, 3), 5)
case(
    "sliding windows axes",
    lambda x: np.lib.stride_tricks.sliding_window_view(grid(x), (2, 2), axis=(0, 1)),
    6,
)
case("sliding windows sum", lambda x: np.lib.stride_tricks.sliding_window_view(x, 2).sum(-1), 4)
case("fftshift", lambda x: np.fft.fftshift(grid(x), axes=1), 6)
case("ifftshift", lambda x: np.fft.ifftshift(x), 5)
case("no elements", lambda x: np.concatenate([x[:0], x, np.roll(x[:0], 1)]), 3)
if hasattr(np, "unstack"):  # NumPy 2.1
    case("unstack", lambda x: np.unstack(grid(x), axis=1)[2], 6)


def changed(x, change, *args, **options):
    y = x.copy()
    change(y, *args, **options)
    return y


case("fill_diagonal", lambda x: changed(x.reshape(3, 3), np.fill_diagonal, 0.0), 9)
case(
    "fill_diagonal wrap", lambda x: changed(x[:8].reshape(4, 2), np.fill_diagonal, x[8:], True), 10
)
case("put", lambda x: changed(grid(x[:6]), np.put, [0, -1], x[6:]), 8)
case("put fewer", lambda x: changed(x, np.put, [0, 2, 3], x[1:3]), 4)
case("put clip", lambda x: changed(x, np.put, 9, 0.0, mode="clip"), 4)
case("put method", lambda x: changed(x, lambda y: y.put([0, 1], [3.0, x[2]])), 3)
case("place", lambda x: changed(x[:4], np.place, np.array([True, False, True, True]), x[4:]), 6)
case("putmask", lambda x: changed(x[:4], np.putmask, [True, False, True, False], x[4:]), 7)
case(
    "putmask keywords",
    lambda x: changed(x, lambda y: np.putmask(y, mask=np.array([True, False]), values=3.0)),
    2,
)
case(
    "put_along_axis",
    lambda x: changed(
        grid(x[:6]), np.put_along_axis, np.array([[1], [0]]), x[6:].reshape(2, 1), axis=-1
    ),
    8,
)
case(
    "put_along_axis flat",
    lambda x: changed(grid(x[:6]), np.put_along_axis, np.array([1, 5]), x[6:], None),
    8,
)
case(
    "put_along_axis opaque",
    lambda x: changed(
        grid(x[:6]),
        np.put_along_axis,
        np.argmax(grid(x[:6]), axis=-1, keepdims=True),
        x[6:].reshape(2, 1),
        -1,
    ),
    8,
    points=60,
)


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


VIEWS = {
    "reshape": lambda x: np.reshape(x, (3, 2)),
    "ravel": np.ravel,
    "transpose": np.transpose,
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "matrix_transpose": np.matrix_transpose,
    "swapaxes": lambda x: np.swapaxes(x, 0, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "rollaxis": lambda x: np.rollaxis(x, 1),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "squeeze": lambda x: np.squeeze(x[:, :1]),
    "atleast_1d": np.atleast_1d,
    "atleast_2d": lambda x: np.atleast_2d(x[0]),
    "atleast_3d": np.atleast_3d,
    "flip": np.flip,
    "fliplr": np.fliplr,
    "flipud": np.flipud,
    "rot90": np.rot90,
    "split": lambda x: np.split(x, 2)[1],
    "array_split": lambda x: np.array_split(x, 2)[0],
    "hsplit": lambda x: np.hsplit(x, 3)[1],
    "real": np.real,
    "x.real": lambda x: x.real,
    "x.view": lambda x: x.view(),
    "x.reshape": lambda x: x.reshape(-1),
    "x.squeeze": lambda x: x[:1].squeeze(),
    "x.ravel": lambda x: x.ravel(),
    "x.flat": lambda x: x.flat,
    "asarray": lambda x: np.asarray(x),
    "astype without a copy": lambda x: np.astype(x, x.dtype, copy=False),
}
COPIES = {
    "copy": np.copy,
    "flatten": lambda x: x.flatten(),
    "ravel of columns": lambda x: np.ravel(x.T),
    "tile": lambda x: np.tile(x, 1),
    "roll": lambda x: np.roll(x, 0),
    "repeat": lambda x: np.repeat(x, 1, axis=0),
    "take": lambda x: np.take(x, [0, 1], axis=0),
    "positive": lambda x: +x,
    "sum over one": lambda x: np.sum(x[:, :1], axis=1),
    "concatenate": lambda x: np.concatenate([x]),
    "sort": np.sort,
    "round": lambda x: np.round(x, 2),
    "astype": lambda x: np.astype(x, x.dtype),
    "clip": lambda x: np.clip(x, None, 9.0),
    "where": lambda x: np.where(np.ones((2, 3), bool), x, x),
    "broadcast and multiply": lambda x: np.broadcast_to(x, (1, 2, 3)) * 1,
    "nan_to_num": np.nan_to_num,
    "interp": lambda x: np.interp(x, [0.0, 3.0], [1.0, 5.0]),
    "mean over one": lambda x: np.mean(x[:, :1], axis=1),
    "median over one": lambda x: np.median(x[:, :1], axis=1),
    "cumsum": lambda x: np.cumsum(x, axis=0),
    "trapezoid": lambda x: np.trapezoid(np.repeat(x[:, :1], 2, 1)),
    "maximum": lambda x: np.maximum(x, x),
    "quantile": lambda x: np.quantile(x[:, :1], 0.5, axis=1),
    "fft": lambda x: np.fft.fft(x[:, :1], axis=1),
    "norm": lambda x: np.linalg.norm(x[:, :1], axis=1),
    "einsum": lambda x: np.einsum("ij,j->ij", x, np.ones(3)),
    "dot": lambda x: np.dot(x[:, :1], np.ones((1, 1))),
    "choose": lambda x: np.choose([0, 0, 0], [x, x]),
    "select": lambda x: np.select([np.ones((2, 3), bool)], [x]),
    "average over one": lambda x: np.average(x[:, :1], axis=1, weights=[1.0]),
    "trace": lambda x: np.trace(x[:, None, :1], axis1=1, axis2=2),
}


def _written(make):
    def f(x):
        y = x.copy()
        view = make(y)
        view[...] = 1.0 if not isinstance(view, type(x.flat)) else [1.0]
        return y

    return f


@pytest.mark.parametrize("name", VIEWS)
def test_writes_through_views_reach_the_base(name):
    x = np.ones((2, 3))
    f = _written(VIEWS[name])
    expected = np.diag((f(2 * x) != 1.0).reshape(-1))
    assert_same_pattern(st.jacobian_sparsity(f, x), expected)
    assert not expected.all()


@pytest.mark.parametrize("name", COPIES)
def test_writes_into_copies_do_not(name):
    x = np.ones((2, 3))
    assert_same_pattern(st.jacobian_sparsity(_written(COPIES[name]), x), np.eye(6))


@pytest.mark.parametrize(
    "f",
    [np.diagonal, lambda x: np.broadcast_to(x, (2, 2)), lambda x: x.diagonal(), np.linalg.diagonal],
)
def test_views_that_numpy_makes_read_only(f):
    def g(x):
        f(x)[...] = 0.0
        return x

    with pytest.raises(ValueError, match="read-only"):
        g(np.ones((2, 2)))
    with pytest.raises(ValueError, match="read-only"):
        st.jacobian_sparsity(g, np.ones((2, 2)))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.roll(x, np.argmax(x)),
        lambda x: np.repeat(x, (x > 0).astype(int)),
        lambda x: np.compress(x > 0, x),
        lambda x: np.extract(x > 0, x),
        lambda x: np.delete(x, np.argmax(x)),
        lambda x: np.insert(x, np.argmax(x), 0),
        lambda x: np.delete(x, [np.argmax(x)]),
    ],
)
def test_moves_by_unknown_amounts_are_refused(f):
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(f, np.ones(3))


def test_a_known_index_in_a_traced_array_moves():
    def f(x):
        return np.roll(x, np.zeros_like(x).astype(int)[0] + 1)

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(3)), np.roll(np.eye(3), 1, axis=0))


def test_each_move_is_tested():
    """By the names of the cases: a move without one is found here."""
    words = set(" ".join(c.name for c in case).split()) | {"sliding_window_view"}
    assert {move.__name__ for move in MOVES} <= words | set("dsplit hsplit".split())


PARTS = {
    "roll": lambda v: np.roll(v, -1),
    "tile": lambda v: np.tile(v, 2),
    "pad": lambda v: np.pad(v, 1, "edge"),
    "insert": lambda v: np.insert(v, 1, v[0]),
    "delete": lambda v: np.delete(v, 0),
    "triu": lambda v: np.triu(v.reshape(2, 2)),
    "repeat": lambda v: np.repeat(v, 2),
    "flip": lambda v: np.flip(v),
    "split": lambda v: np.concatenate(np.split(v, 2)[::-1]),
}


@pytest.mark.parametrize("name", PARTS)
def test_moves_of_a_part_of_a_complex_array(name):
    """The parts' ids are of a class of their own, of which NumPy makes new arrays too."""

    def f(x):
        return PARTS[name]((x * (0.5 + 2j)).imag)

    x = np.arange(1.0, 5)
    for local in (False, True):
        found = st.jacobian_sparsity(f, x, local=local)
        assert_same_pattern(found, numerical_jacobian_pattern(f, x, points=1))


def test_views_of_a_part_write_through():
    def f(x):
        z = x * 1j
        np.reshape(z.imag, (2, 2))[0] = x[3]
        return z.imag

    found = dense(st.jacobian_sparsity(f, np.ones(4)))
    assert found[:2, 3].all()


def test_arrays_made_in_the_shape_of_another_one():
    """``zeros_like(a, shape=...)`` inside NumPy's own code."""

    def f(x):
        return np.apply_along_axis(np.sum, 0, np.resize(x, (2, 2)))

    found = st.jacobian_sparsity(f, np.ones(3))
    assert_same_pattern(found, [[1, 0, 1], [1, 1, 0]])


@pytest.mark.parametrize(
    "view",
    [
        lambda y: np.lib.stride_tricks.sliding_window_view(y, 2, writeable=True),
        lambda y: np.lib.stride_tricks.sliding_window_view(y, window_shape=2, writeable=True),
        lambda y: np.lib.stride_tricks.sliding_window_view(x=y, window_shape=2, writeable=True),
        lambda y: np.broadcast_arrays(y, np.ones((2, 5)))[0],
        lambda y: np.meshgrid(y, np.ones(4), copy=False)[0],
    ],
)
@pytest.mark.parametrize(
    "write",
    [
        lambda windows, x: windows.__setitem__((0, 1), x[4]),
        lambda windows, x: np.add.at(windows, ([0, 1], [1, 0]), x[3:]),
        lambda windows, x: np.copyto(windows, x[4], where=np.ones(windows.shape, bool)),
    ],
)
def test_elements_that_share_a_place_are_read_only(view, write):
    """Written element by element, one would undo what another has taken."""

    def f(x):
        y = x * 1.0
        windows = view(y)
        assert windows.shape[0] in (2, 4)
        with pytest.raises(ValueError, match="read-only"):
            write(windows, x)
        return y

    with pytest.raises(st.EscapeError, match="read-only"):  # NumPy writes there
        st.jacobian_sparsity(f, np.ones(5))


def test_they_cannot_be_made_writeable():
    def g(x):
        windows = np.lib.stride_tricks.sliding_window_view(x * 1.0, 2)
        windows.flags.writeable = True
        windows[0, 1] = x[4]
        return windows

    with pytest.raises(st.EscapeError, match="read-only"):
        st.jacobian_sparsity(g, np.ones(5))

    def f(x):
        np.lib.stride_tricks.sliding_window_view(x, 2).setflags(write=True)
        return x

    with pytest.raises(st.UnsupportedError, match="one and the same place"):
        st.jacobian_sparsity(f, np.ones(5))

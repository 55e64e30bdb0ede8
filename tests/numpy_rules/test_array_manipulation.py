"""Functions that only move elements: patterns, and which results are views."""

from __future__ import annotations

import numpy as np
import pytest
from checks import check

import sparsetrace as st
from cases.numpy_calls.array_manipulation import case
from oracles import assert_covers, assert_same_pattern, dense, numerical_jacobian_pattern
from sparsetrace.numpy_rules.array_manipulation import MOVES


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
        lambda x: np.repeat(x, (x > 0).astype(int)),
        lambda x: np.insert(x, [np.argmax(x)], 0),
    ],
)
def test_moves_by_unknown_amounts_are_refused(f):
    """Of up to 64 values each is a path: tests/cases/decided_indices.py has such moves."""
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(f, np.ones(70))


@pytest.mark.parametrize(
    ("f", "entries"),
    [
        (lambda x: np.roll(x, np.argmax(x)), 70 * 70),
        (lambda x: np.delete(x, np.argmax(x)), 69 * 2),
        (lambda x: np.delete(x, [np.argmax(x)]), 69 * 2),
        (lambda x: np.delete(x, np.argsort(x)[:2]), 68 * 3),
        (lambda x: np.insert(x, np.argmax(x), 0), 68 * 2 + 3),
    ],
)
def test_moves_by_unknown_amounts_that_keep_the_shape(f, entries):
    """Those that have more than 64 values: tests/cases/unknown_counts.py has others."""
    assert st.jacobian_sparsity(f, np.ones(70)).nnz == entries


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.delete(x, np.argpartition(np.abs(x - x.mean()), -2)[-2:]),
        lambda x: np.delete(x**2, [np.argmax(x), np.argmin(x)]).mean(),
        lambda x: np.delete(x.reshape(3, 2), np.argsort(x[:3])[:1], axis=0).ravel(),
        lambda x: np.delete(np.arange(6.0) * x[0], np.argsort(x)[1:3]) * x[1],
        lambda x: np.delete(x, np.flatnonzero(x > 0)).sum(),
        lambda x: np.delete(x, np.argsort(x)[:2][:, None]),
    ],
)
def test_places_that_the_inputs_choose_are_deleted(f):
    start = np.random.default_rng(0).normal(size=6)
    wanted = numerical_jacobian_pattern(f, start, points=300, low=-1.5, high=1.5)
    assert_same_pattern(st.jacobian_sparsity(f, start), wanted)


def test_a_place_that_is_known_beside_one_that_is_not():
    """The one that is known counts as if it might stay, too."""
    f = lambda x: np.delete(x, [0, 1 + np.argmax(x[1:3])])  # noqa: E731
    start = np.random.default_rng(0).normal(size=6)
    wanted = numerical_jacobian_pattern(f, start, points=100, low=-1.5, high=1.5)
    assert_covers(st.jacobian_sparsity(f, start), wanted)


@pytest.mark.parametrize(
    "places", [lambda x: np.argsort(x) + 10, lambda x: x[:2], lambda x: [x[0], 1]]
)
def test_a_place_to_delete_that_is_not_there_is_an_error(places):
    with pytest.raises(IndexError):
        st.jacobian_sparsity(lambda x: np.delete(x, places(x)), np.ones(4))


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

"""Calls of functions that only move elements."""

from __future__ import annotations

import numpy as np
from checks import Cases

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

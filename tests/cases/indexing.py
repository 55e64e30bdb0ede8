"""Expressions that read elements of x, and lines that write elements of y, by keys of all kinds."""

from __future__ import annotations

import numpy as np

M = np.array([True, False, True, True])
READS = {
    (6,): """
        x[2]  x[-1]  x[np.int64(3)]  x[()]  x[...]  x[:]  x[1:4]  x[::2]  x[::-1]  x[4:1:-1]
        x[-2:]  x[10:]  x[3:3]  x[:, None]  x[None]  x[None, :, None]  x[..., None]  x[2, None]
        x[..., 2]  x[2, ...]  x[[0]]  x[[]]  x[[2, 0, 2, -1]]  x[np.array([[0, 1], [2, 3]])]
        x[np.array([], int)]  x[np.array(2)]  x[[0, 1], None]  x[None, [0, 1]]  x[(1,)]
        x[x.shape[0] - 1]  x[np.array([1, 2], np.uint8)]  x[np.array([-1, -6], np.int32)]
        x[np.arange(6) > 2]  x[np.zeros(6, bool)]  x[[True, False] * 3]  x[True]  x[False]
        x[np.True_]  x[None, True]  x[np.array(True)]  x[slice(None, None, -2)]  x[1:5][1:3][::-1]
        x[[0, 1, 2]][[2, 1]]  x[::2][::-1]  x[range(2, 4)]  x[np.arange(3)[:, None] + np.arange(2)]
    """,
    (3, 4): """
        x[1]  x[1, 2]  x[-1, -1]  x[:, 1]  x[1, :]  x[:, ::-1]  x[::2, 1:3]  x[::-1, ::-1]
        x[..., 0]  x[0, ...]  x[None, 1]  x[1, None]  x[:, None, 1]  x[[0, 2]]  x[:, [0, 2]]
        x[[0, 1, 2], [1, 2, 3]]  x[[0, 2], 1]  x[1, [0, 2]]  x[[[0], [2]], [1, 3]]
        x[np.ix_([0, 2], [3, 1])]  x[np.ix_([True, False, True], [1, 2])]  x[:2, [1, 1, 0]]
        x[[1, 0], 1:3]  x[np.arange(12).reshape(3, 4) % 2 == 0]  x[[True, False, True]]
        x[:, M]  x[[True, False, True], 1]  x[[True, True, True], [0, 1, 2]]  x[1:, M]
        x[[0, 2], ::2]  x[None, [0, 1], None, [2, 3]]  x[[0, 1], None, [2, 3]]  x[[], :]  x[:, []]
        x[[], []]  x[0:0]  x[(slice(None), 1)]  x[[-1, -2], [-1, -4]]  x[np.zeros((3, 4), bool)]
        x[np.array([0, 1])[:, None], np.array([0, 1, 2])]  x.T[1]  x.T[[0, 1], [2, 0]]
        x[...]  x[()]  x[..., [0, 1]]  x[[0, 1], ...]  x[np.nonzero(np.eye(3, 4))]
        x[np.where(np.eye(3, 4) == 0)]  x[np.triu_indices(3)]  x[np.diag_indices(3)]
        x[tuple(np.argwhere(np.eye(3, 4)).T)]  x.reshape(2, 6)[1, ::2]  x.ravel()[::5]
    """,
    (2, 3, 4): """
        x[1, 2, 3]  x[1]  x[:, 1]  x[..., 1]  x[0, ..., 2]  x[:, :, ::-2]  x[:, [0, 2], 1]
        x[[0, 1], :, [1, 2]]  x[0, :, [1, 2]]  x[:, [0, 1], [2, 3]]  x[[0, 1], [1, 2]]
        x[:, [[0, 1], [1, 2]]]  x[[0, 1], [0, 1], [0, 1]]  x[:, None, [0, 1], 0]  x[1:, ..., M]
        x[:, np.array([True, False, True])]  x[np.ones((2, 3), bool)]  x[0, np.eye(3, 4) > 0]
        x[np.array([True, False]), :, 1]  x[np.ix_([0, 1], [2, 0], [3])]  x[0][1][2]
        x.transpose(2, 0, 1)[1, 0]  x.swapaxes(0, 2)[::2, 1]  x[[1], :, 2:]  x[..., [0], [1], :]
    """,
    (): "x[()]  x[...]  x[None]  x[None, ...]  x[True]  x[False]  x[..., None]",
    (1,): "x[0]  x[-1]  x[:0]  x[[0, 0, 0]]",
    (0, 3): "x[:]  x[:, 1]  x[[]]  x[..., None]  x.T",
}
READ_CASES = [
    (shape, source)
    for shape, text in READS.items()
    for source in text.split("  ")
    if source.strip()
]


def function(source: str, **scope):
    return eval(f"lambda x: {source.strip()}", {"np": np, "M": M, **scope})


# -------------------------------------------------------------------- writing
WRITES = {
    (6,): """
        y[2] = x[0]
        y[-1] = x[0]
        y[1:4] = x[:3]
        y[::-1] = x
        y[::2] = x[3]
        y[:] = 0.0
        y[...] = x[::-1]
        y[0] = 0.0
        y[[0, 3]] = x[[1, 2]]
        y[[0, 0, 0]] = x[:3]
        y[[2, 2]] = [x[0], 0.0]
        y[[]] = x[0]
        y[np.arange(6) > 3] = x[0]
        y[np.arange(6) > 3] = x[:2]
        y[np.zeros(6, bool)] = x[0]
        y[[True, False] * 3] = 0.0
        y[1:] = y[:-1]
        y[:-1] = y[1:]
        y[::-1] = y
        y[:] = y[::-1]
        y[:3], y[3:] = y[3:], y[:3]
        y[0], y[1] = y[1], y[0]
        y[[0, 1]] = y[[1, 0]]
        y[()] = x[0]
        y[None] = x
        y[:, None] = x[:, None]
        y[1:3] = [x[4], x[5]]
        y[1:3] = (x[4], 0.0)
        y[2:2] = x[0]
        y[True] = x[0]
        y[False] = 0.0
        y[np.array([[0, 1], [2, 3]])] = x[:2]
        y[np.int32(4)] = x[0]
        y[1:3] = np.array([0.0])
        y[1] = np.zeros(1)[0]
        y[1] = x[2:3][0]
        y[1:2] = x[2:3]
        y[:2] = 0
        y[:2] = False
        y.reshape(2, 3)[1] = x[:3]
        y.reshape(2, 3)[:, 1] = 0.0
        y.ravel()[1] = x[0]
        y.flatten()[1] = 0.0
        y.copy()[1] = 0.0
        y.flat[2:5] = x[:3]
        y.flat[[0, 1]] = x[3]
        y.flat[1:6] = x[:2]
        y.flat[-1] = 0.0
        y.flat = x[:2]
        y.fill(0.0)
        y.fill(x[1])
        y.put([0, 1], x[[3, 4]])
        y.put([0, 1, 2, 3], x[[3, 4]])
        y.itemset(0, 0.0) if hasattr(y, 'itemset') else None
        y[::2][1] = x[0]
        y[1:][1:][0] = x[5]
        y.T[0] = x[1]
        np.split(y, 2)[1][0] = x[0]
        np.split(y, 3)[2][:] = 0.0
        np.array_split(y, 4)[1][...] = x[5]
        np.hsplit(y, 2)[0][1:] = 0.0
        np.reshape(y, (3, 2))[0] = 0.0
        np.copyto(y, x[0])
        np.copyto(y, x, where=np.arange(6) > 2)
        np.copyto(y[1:3], 0.0)
        np.put(y, [0, 5], [0.0, x[2]])
        np.place(y, np.arange(6) < 3, x[[4, 5]])
        np.putmask(y, np.arange(6) < 3, x[::-1])
        np.put_along_axis(y, np.array([0, 1]), 0.0, 0)
        y.view()[0] = x[1]
        y.squeeze()[0] = x[1]
        np.ravel(y)[0] = x[1]
        np.atleast_2d(y)[0, 1] = x[2]
        np.expand_dims(y, 0)[0, 1] = x[2]
        y.sort
        y.setflags(write=True)
        y.real[1] = x[0]
        y.shape = (3, 2); y[1] = x[:2]
        y.shape = (2, 3); y[:, 0] = 0.0; y.shape = (6,); y[1] = x[0]
        z = y[1:4]; z.shape = (3, 1); z[2, 0] = x[0]
        a, b = y[:3], y[3:]; a[:] = b; b[0] = x[0]
        for i in range(5): y[i + 1] = y[i]
        for i in range(6): y[i] = 0.0 if i % 2 else x[5 - i]
        for v in y.reshape(3, 2): v[0] = x[0]
    """,
    (3, 4): """
        y[1] = x[0]
        y[1] = 0.0
        y[:, 1] = x[:, 0]
        y[:, 1] = x[0, 0]
        y[1, 2] = x[0, 0]
        y[:] = x[0]
        y[:] = x[:, :1]
        y[::2, 1:3] = x[0, :2]
        y[[0, 2]] = x[[2, 0]]
        y[[0, 2], [1, 3]] = x[0, :2]
        y[[0, 0], [1, 1]] = x[0, 2:]
        y[np.ix_([0, 2], [1, 3])] = x[1, 0]
        y[np.ix_([0, 2], [1, 3])] = x[:2, :2]
        y[:, [0, 2]] = x[:, [3, 1]]
        y[[1, 0], 1:3] = x[:2, :2]
        y[np.eye(3, 4) > 0] = x[0, :3]
        y[np.eye(3, 4) > 0] = 0.0
        y[[True, False, True]] = x[1]
        y[:, M] = x[:, :3]
        y[:, M] = 0.0
        y[[True, False, True], 1] = x[0, 0]
        y[..., -1] = x[..., 0]
        y[None, 1] = x[0]
        y[1:] = y[:-1]
        y[:, 1:] = y[:, :-1]
        y[:, ::-1] = y
        y[:3, :3] = y[:3, :3].T
        y.T[0] = x[:, 1]
        y.T[1, 2] = 0.0
        y.T[:] = x.T[::-1]
        y[1].T[2] = x[0, 0]
        y[::2][1][0] = x[1, 1]
        y[::2][1, 1:] = 0.0
        y.ravel()[5] = x[0, 0]
        y.T.ravel()[5] = 0.0
        y.reshape(-1)[::3] = x[0]
        y.T.reshape(-1)[::3] = x[0]
        y.reshape(2, 6)[1] = 0.0
        y.flat[::5] = x[0, 0]
        y.T.flat[1] = x[2, 2]
        y.T.flat[2:9] = 0.0
        y.swapaxes(0, 1)[0] = x[:, 3]
        y.transpose(1, 0)[0, 1] = 0.0
        np.moveaxis(y, 0, 1)[3] = x[:, 0]
        np.rollaxis(y, 1)[2] = x[:, 0]
        np.flip(y, 0)[0] = x[0]
        np.flipud(y)[0] = x[0]
        np.rot90(y)[0] = 0.0
        np.diagonal(y.copy())
        np.fill_diagonal(y, 0.0)
        np.fill_diagonal(y[:, :3], x[0, :3])
        np.vsplit(y, 3)[1][0, 1] = x[0, 0]
        np.dsplit(y[None], 2)[1][0, 0] = 0.0
        np.broadcast_arrays(y, y)
        np.put_along_axis(y, np.array([[0], [1], [2]]), x[:, 3:], 1)
        np.copyto(y, x[1])
        np.copyto(y, x[:, :1], where=np.eye(3, 4) > 0)
        np.putmask(y, np.eye(3, 4) > 0, x)
        for row in y: row[0] = x[0, 0]
        for i in range(3): y[i, i] = 0.0
        for i, row in enumerate(y): row[:] = x[i, ::-1]
        for j in range(1, 4): y[:, j] = y[:, j - 1]
        y[tuple(np.argwhere(np.eye(3, 4)).T)] = 0.0
        y.shape = (4, 3); y[0] = 0.0
        y.shape = -1; y[7] = 0.0
        y.real = x[0]
        y.squeeze()[2, 2] = 0.0
    """,
    (2, 3, 4): """
        y[1] = x[0]
        y[:, 1] = x[:, 2]
        y[..., 1] = 0.0
        y[:, [0, 2], 1] = x[:, :2, 0]
        y[[0, 1], :, [1, 2]] = x[:, :, 0]
        y[0, :, [1, 2]] = x[0, :, :2].T
        y[:, [0, 1], [2, 3]] = 0.0
        y[0, np.eye(3, 4) > 0] = x[1, 0, :3]
        y[np.ones((2, 3), bool)] = x[0, 0]
        y.transpose(2, 0, 1)[1, 0] = x[0, :, 3]
        y.swapaxes(0, 2)[::2, 1] = 0.0
        y[1:, ..., M] = x[0, 0, 0]
        y.reshape(6, 4)[[0, 5]] = x[0, :2]
        y.reshape(2, -1)[:, 3] = 0.0
        y.diagonal().copy()[0] = 0.0
    """,
    (): """
        y[()] = 0.0
        y[...] = 0.0
        y.fill(0.0)
        y[None] = 0.0
        y[True] = 0.0
        y[False] = 0.0
        y.flat[0] = 0.0
    """,
}
WRITE_CASES = [
    (shape, line.strip())
    for shape, text in WRITES.items()
    for line in text.splitlines()
    if line.strip()
]


def writer(line: str, target: str):
    scope = {"np": np, "M": M}
    exec(f"def f(x):\n    y = {target}\n    {line}\n    return y", scope)
    return scope["f"]


# -------------------------------------------------- arithmetic on views in place
IN_PLACE = """
    y[0] += x[1]
    y[1:] += y[:-1]
    y[:-1] -= y[1:]
    y[::2] *= x[1::2]
    y[1:3] *= 0.0
    y[[0, 1]] += x[4:]
    y[[0, 0]] += x[4:]
    y[y.shape[0] - 1] /= x[0]
    y[np.arange(6) > 2] += x[0]
    y[np.arange(6) > 2] **= 2
    y += x[::-1]
    y -= x[0]
    y *= 2
    y *= np.array([0, 1, 0, 1, 0, 1.0])
    y /= x
    y **= 2
    y //= 2
    y %= 3
    y.reshape(2, 3)[1] += x[:3]
    y.reshape(2, 3)[:, 0] *= x[0]
    y[::-1][:2] += x[:2]
    np.add(y[1:], x[:5], out=y[1:])
    np.add(y[:-1], y[1:], out=y[1:])
    np.multiply(y, 0.0, out=y)
    np.sin(y, out=y)
    np.sin(x[:3], out=y[3:])
    np.add(x, 1.0, out=y, where=np.arange(6) > 2)
    np.add.at(y, [0, 0, 2], x[3:])
    np.add.at(y, [0, 0, 2], x[5])
    np.subtract.at(y, (np.array([1, 2]),), x[:2])
    np.multiply.at(y, [0, 1], [0.0, x[5]])
    np.maximum.at(y, [3], x[0])
    np.negative.at(y, [3])
    np.cumsum(x, out=y)
    np.dot(np.eye(6)[::-1], x, out=y)
    np.clip(x, 0.0, x[0], out=y)
    y[2:4], z = x[:2], y[2:4]; z += x[5]
    a, b = y[:3], y[1:4]; a += b; b *= x[5]
    for i in range(1, 6): y[i] += y[i - 1]
    for i in range(1, 6): y[i] = y[i - 1] * x[i] + y[i]
    for row in y.reshape(3, 2): row += x[0]
    for i in range(4, -1, -1): y[i] -= 0.5 * y[i + 1]
    y[:] = np.where(np.arange(6) % 2, y, y[::-1])
    y[0] = y[0] * 0.0 + x[3]
    y[0] = 2.0; y[1] = y[0] * x[1]; y[2] = y[0] * 3.0
    y[0] = 0.0; y[1] *= y[0]; y[2] += y[1]
    y[:] = 1.0; y *= x; y[2] = 0.0; y *= y[::-1]
""".strip().splitlines()


# --------------------------------------------------- keys that depend on the inputs
POINT = np.array([1.3, 2.1, 0.7, 3.2])
MATRIX = np.array([[1.3, 2.1, 0.7], [3.2, 1.9, 2.6]])

UNSURE_READS = {
    "x[np.argmax(x)]": POINT,
    "x[np.argmin(x)] * x[0]": POINT,
    "x[-np.argmax(x)]": POINT,
    "x[np.argsort(x)]": POINT,
    "x[np.argsort(x)[:2]]": POINT,
    "x[np.argsort(x)][:1]": POINT,
    "x[[np.argmax(x), 0]]": POINT,
    "x[np.floor(np.abs(np.sin(x[0])) * 3.9).astype(int)]": POINT,
    "x[(np.abs(np.sin(x)) * 3.9).astype(int)]": POINT,
    "x[1:][np.argmax(x[1:])]": POINT,
    "x.take(np.argmax(x))": POINT,
    "x[np.argmax(x[:, 0]), 0]": MATRIX.T,
    "x[np.argmax(x[:, 0])]": MATRIX,
    "x[np.argmax(x[:, 0]), 1:]": MATRIX,
    "x[:, np.argmax(x[0])]": MATRIX,
    "x[0, np.argmax(x[0])]": MATRIX,
    "x[..., np.argmax(x[0])]": MATRIX,
    "x[None, np.argmax(x[:, 0])]": MATRIX,
    "x[np.argsort(x[:, 0])]": MATRIX,
    "x[:, np.argsort(x[0])]": MATRIX,
    "x[np.argsort(x[:, 0]), 0]": MATRIX,
    "x[0, np.argsort(x[0])]": MATRIX,
    "x[np.arange(2), np.argmax(x, axis=1)]": MATRIX,
    "x[np.arange(2)[:, None], np.argsort(x, axis=1)]": MATRIX,
    "x[np.argmax(x, axis=0), np.arange(3)]": MATRIX,
    "x[np.argmax(x[:, 0]), np.argmax(x[0])]": MATRIX,
    "x.reshape(2, 1, 3)[np.argmax(x[:, 0]), :, np.argsort(x[0])]": MATRIX,
    "x.reshape(2, 1, 3)[:, 0, np.argsort(x[0])]": MATRIX,
    "x.reshape(2, 1, 3)[0, :, np.argsort(x[0])]": MATRIX,
    "x.reshape(1, 2, 3)[0, np.argsort(x[:, 0]), None]": MATRIX,
    "x.reshape(-1)[np.argmax(x)]": MATRIX,
    "np.take_along_axis(x, np.argsort(x, axis=1), axis=1)": MATRIX,
    "x.flat[np.argmax(x)]": MATRIX,
    "(2 * x)[np.unravel_index(3, x.shape)]": MATRIX,
    "np.array([1.0, 2.0, 3.0, 4.0])[np.argmax(x)] * x": POINT,
    "np.where(x > 0, x, 0.0)[np.argmax(x)]": POINT,
}


UNSURE_WRITES = {
    "y[np.argmax(x)] = x[0]": POINT,
    "y[np.argmax(x)] = 0.0": POINT,
    "y[np.argmax(x)] = 7.0": POINT,
    "y[np.argmax(x)] += x[1]": POINT,
    "y[np.argmax(x)] *= 0.0": POINT,
    "y[[np.argmax(x), 0]] = x[:2]": POINT,
    "y[np.argsort(x)] = x": POINT,
    "y[np.argsort(x)] = np.array([0.0, 1.0, 2.0, 3.0])": POINT,
    "y[np.argsort(x)[:2]] = x[2:]": POINT,
    "y[-np.argmax(x)] = x[1]": POINT,
    "y[x > 0] = 0": POINT,
    "y[x > 0] = 3.0": POINT,
    "y[x > 0] = x[1]": POINT,
    "y[x > 0] = x[1:2]": POINT,
    "y[(x > 0) & (x < 1)] = 0.0": POINT,
    "y[~(x > 0)] = np.inf * 0 + 2.0": POINT,
    "y[1:][x[1:] > 0] = 0.0": POINT,
    "y[np.isnan(x)] = 0.0": POINT,
    "np.copyto(y, 0.0, where=x > 0)": POINT,
    "np.copyto(y, x[::-1], where=x > 0)": POINT,
    "np.putmask(y, x > 0, 0.0)": POINT,
    "y[np.argmax(x[:, 0])] = x[0]": MATRIX,
    "y[np.argmax(x[:, 0])] = x[:1]": MATRIX,
    "y[np.argmax(x[:, 0])] = 0.0": MATRIX,
    "y[:, np.argmax(x[0])] = x[:, 0]": MATRIX,
    "y[0, np.argmax(x[0])] = x[1, 1]": MATRIX,
    "y[np.arange(2), np.argmax(x, axis=1)] = x[:, 0]": MATRIX,
    "y[np.arange(2), np.argmax(x, axis=1)] = 0.0": MATRIX,
    "y[x > 0] = 0.0": MATRIX,
    "y[x[:, 0] > 0] = 0.0": MATRIX,
    "y[x[:, 0] > 0] = x[0]": MATRIX,
    "y[:, x[0] > 0] = 0.0": MATRIX,
    "y[x[:, 0] > 0, 1] = x[0, 0]": MATRIX,
    "y[0, x[0] > 0] = x[1, 1]": MATRIX,
    "y[0, x[0] > 0] = x[:1, 1:2]": MATRIX,
    "y[..., x[0] > 0] = 0.0": MATRIX,
    "y.reshape(-1)[np.argmax(x)] = x[0, 0]": MATRIX,
    "y.flat[np.argmax(x)] = x[0, 0]": MATRIX,
    "y.T[np.argmax(x[0])] = x[:, 0]": MATRIX,
    "y[x > 0] += 1.0": POINT,
    "y[x > 0] *= 2": POINT,
    "y[x > 0] *= x[x > 0]": POINT,
    "y[x > 0] = x[x > 0]": POINT,
    "np.add.at(y, np.argmax(x), x[0])": POINT,
}


# ------------------------------------------------------------------------ errors
ERRORS = {
    (4,): """
        x[4]  x[-5]  x[[0, 4]]  x[[-5]]  x[0, 0]  x[..., 0, 0]  x[np.ones(3, bool)]  x[1.0]
        x[None, 4]  x[np.array([1.0])]  x[np.ones((4, 4), bool)]  x[..., ...]  x['a']  x[{}]
        x.take(4)  x.flat[4]
    """,
    (2, 3): """
        x[2]  x[0, 3]  x[:, 3]  x[[0, 2]]  x[[0, 1], [0, 1, 2]]  x[0, 0, 0]  x[:, np.ones(2, bool)]
        x[[[0, 1], [1]]]  x[np.ones((3, 2), bool)]
    """,
}
ERROR_CASES = [
    (shape, source)
    for shape, text in ERRORS.items()
    for source in text.split("  ")
    if source.strip()
]

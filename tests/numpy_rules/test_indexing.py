"""Reading and writing elements: NumPy's own indexing, run on labels, is the reference.

A key that is constant moves elements, so the pattern is read off an array of labels:
element i of the input carries the label i + 1, and 0 means a constant.
"""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

from oracles import (
    assert_covers,
    assert_same_pattern,
    numerical_jacobian_pattern,
    perturbation_pattern,
)
from sparsetrace import EscapeError, TracingError, ValueDependentError, jacobian_sparsity
from sparsetrace.arrays.array import TracedArray


def labels(shape) -> np.ndarray:
    return np.arange(1.0, np.prod(shape, dtype=int) + 1).reshape(shape)


def pattern_of_labels(result, n: int) -> np.ndarray:
    """Which input each element of the result is, as a pattern."""
    flat = np.ravel(result)
    out = np.zeros((len(flat), n), bool)
    for row, label in enumerate(flat.astype(int)):
        if label:
            out[row, label - 1] = True
    return out


def assert_moves(f, shape) -> None:
    """f moves elements (and writes zeros); its pattern is that of the labels it returns."""
    x = labels(shape)
    expected = np.asarray(f(x.copy()))
    pattern = jacobian_sparsity(f, x)
    assert_same_pattern(pattern, pattern_of_labels(expected, x.size))


# -------------------------------------------------------------------- reading
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


@pytest.mark.parametrize(("shape", "source"), READ_CASES)
def test_read(shape, source):
    assert_moves(function(source), shape)


@pytest.mark.parametrize(("shape", "source"), READ_CASES)
def test_read_gives_the_kind_of_object_that_numpy_gives(shape, source):
    f = function(source)
    expected = f(labels(shape))
    kinds = Outside()

    def seen(x):
        got = f(x)
        kinds.append((isinstance(got, np.ndarray), np.shape(got), got.dtype))
        return got

    jacobian_sparsity(seen, labels(shape))
    assert kinds == [(isinstance(expected, np.ndarray), np.shape(expected), expected.dtype)]


@pytest.mark.parametrize(("shape", "source"), READ_CASES)
def test_read_shares_memory_where_numpy_does(shape, source):
    """Writing to the result changes x exactly where it does for an ordinary array."""
    f = function(source)

    def write_through(x):
        part = f(x)
        if isinstance(part, np.ndarray):
            part[...] = 0.0
        return x

    assert_moves(write_through, shape)


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
TARGETS = {
    "a copy": "x.copy()",
    "a product": "1.0 * x",
    "zeros_like": "np.zeros_like(x)",
    "a Fortran copy": "x.copy(order='F')",
    "a slice": "np.concatenate([x.reshape(-1)] * 2)[::2].reshape(x.shape)",
}


def writer(line: str, target: str):
    scope = {"np": np, "M": M}
    exec(f"def f(x):\n    y = {target}\n    {line}\n    return y", scope)
    return scope["f"]


@pytest.mark.parametrize("target", ["a copy", "zeros_like"])
@pytest.mark.parametrize(("shape", "line"), WRITE_CASES)
def test_write(shape, line, target):
    assert_moves(writer(line, TARGETS[target]), shape)


@pytest.mark.parametrize("target", ["a product", "a Fortran copy", "a slice"])
def test_writes_into_other_arrays(target):
    for shape, line in WRITE_CASES:
        if ("shape =" in line and target != "a product") or shape == ():
            continue  # NumPy itself cannot
        assert_moves(writer(line, TARGETS[target]), shape)


def test_x_itself_can_be_written():
    def f(x):
        x[1:] = x[:-1]
        x[0] = 0.0
        return x

    point = np.ones(4)
    assert_same_pattern(jacobian_sparsity(f, point), np.eye(4, k=-1))
    np.testing.assert_array_equal(point, np.ones(4))


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


CANCEL = frozenset(("y -= x[0]", "y /= x"))
"""With y a copy of x: an element minus itself, and over itself, is a constant."""


@pytest.mark.parametrize("target", ["x.copy()", "np.ones_like(x)"])
@pytest.mark.parametrize("line", [line.strip() for line in IN_PLACE])
def test_in_place(line, target):
    f = writer(line, target)
    pattern = jacobian_sparsity(f, np.ones(6))
    expected = numerical_jacobian_pattern(f, np.ones(6), low=-2.0, high=2.0, points=30)
    if line in CANCEL and "copy" in target:
        expected = expected | np.eye(6, dtype=bool)
    assert_same_pattern(pattern, expected)


# ----------------------------------------------------------- conversions on write
def test_whole_numbers_have_no_derivative():
    def f(x):
        y = np.zeros_like(x, dtype=int)
        y[0] = x[0]
        y[1:] += np.floor(x[1:]).astype(int)
        return y * x[0]

    expected = np.zeros((3, 3), bool)
    expected[:, 0] = True
    assert_same_pattern(jacobian_sparsity(f, np.ones(3)), expected)
    assert_same_pattern(
        jacobian_sparsity(f, np.ones(3), dependency=True), expected | np.eye(3, dtype=bool)
    )


def test_conditions_have_no_derivative():
    def f(x):
        y = np.zeros_like(x, dtype=bool)
        y[:2] = x[:2]
        return y * x[2]

    expected = np.zeros((3, 3), bool)
    expected[:2, 2] = True
    assert_same_pattern(jacobian_sparsity(f, np.ones(3)), expected)


# --------------------------------------------------- keys that depend on the inputs
POINT = np.array([1.3, 2.1, 0.7, 3.2])
MATRIX = np.array([[1.3, 2.1, 0.7], [3.2, 1.9, 2.6]])
EVERY = {"low": -2.0, "high": 2.0, "points": 60}

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


@pytest.mark.parametrize("source", UNSURE_READS)
def test_reads_at_places_that_depend_on_the_inputs(source):
    f, point = function(source), UNSURE_READS[source]
    kinds = Outside()

    def seen(x):
        result = f(x)
        kinds.append(np.shape(result))
        return result

    pattern = jacobian_sparsity(seen, point)
    assert set(kinds) == {np.shape(f(point))}
    assert_covers(pattern, numerical_jacobian_pattern(f, point, **EVERY))
    assert_covers(
        jacobian_sparsity(f, point, dependency=True), perturbation_pattern(f, point, **EVERY)
    )


TIGHT = {
    "x[np.argmax(x)]": (POINT, np.ones((1, 4))),
    "x[1:][np.argmax(x[1:])]": (POINT, [[0, 1, 1, 1]]),
    "x[:, np.argmax(x[0])]": (MATRIX, [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]),
    "x[np.argmax(x[:, 0])]": (MATRIX, np.tile(np.eye(3), 2)),
    "x[0, np.argmax(x[0])]": (MATRIX, [[1, 1, 1, 0, 0, 0]]),
    "x[:, np.argsort(x[0])][1]": (MATRIX, np.tile([[0, 0, 0, 1, 1, 1]], (3, 1))),
}


@pytest.mark.parametrize("source", TIGHT)
def test_such_reads_unite_the_candidates_alone(source):
    point, expected = TIGHT[source]
    assert_same_pattern(jacobian_sparsity(function(source), point), np.array(expected))


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


@pytest.mark.parametrize("target", ["x.copy()", "np.zeros_like(x)", "np.ones_like(x)"])
@pytest.mark.parametrize("line", UNSURE_WRITES)
def test_writes_to_places_that_depend_on_the_inputs(line, target):
    """All entries, or a refusal: never fewer."""
    f, point = writer(line, target), UNSURE_WRITES[line]
    for dependency in (False, True):
        try:
            pattern = jacobian_sparsity(f, point, dependency=dependency)
        except TracingError:
            continue
        oracle = perturbation_pattern if dependency else numerical_jacobian_pattern
        assert_covers(pattern, oracle(f, point, **EVERY))


SURE_ENOUGH = (
    "y[np.argmax(x)] = x[0]",
    "y[np.argmax(x)] = 0.0",
    "y[x > 0] = 0",
    "y[x > 0] = 3.0",
    "y[x > 0] = x[1]",
    "y[np.argsort(x)] = x",
    "y[:, np.argmax(x[0])] = x[:, 0]",
    "y[:, x[0] > 0] = 0.0",
)


@pytest.mark.parametrize("line", SURE_ENOUGH)
def test_such_writes_are_traced(line):
    jacobian_sparsity(writer(line, "x.copy()"), UNSURE_WRITES[line])


def test_a_masked_constant_leaves_a_known_place_unknown():
    """y[x > 0] = 0 does not make y a constant zero: what is multiplied by it still counts."""

    def f(x):
        y = np.ones_like(x)
        y[x > 0] = 0
        return y * x[::-1]

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(4)[::-1])


def test_an_unsure_place_leaves_a_known_value_unknown():
    def f(x):
        y = np.zeros_like(x)
        y[np.argmax(x)] = 1.0
        return y * x[::-1]

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(4)[::-1])


def test_a_constant_read_at_an_unsure_place_is_no_constant():
    def f(x):
        y = np.zeros_like(x)
        y[0] = 1.0
        return y[np.argmax(x)] * x

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(4))


@pytest.mark.parametrize("source", ["x[x > 0]", "x[x > 1][0]", "x[np.isnan(x)]", "x[:, x[0] > 0]"])
def test_a_mask_whose_size_depends_on_the_inputs_is_refused(source):
    point = MATRIX if "," in source else POINT
    with pytest.raises(ValueDependentError, match=r"np\.where"):
        jacobian_sparsity(function(source), point)


def test_a_constant_mask_made_of_traced_arrays_is_no_mask_of_unknowns():
    def f(x):
        y = np.zeros_like(x)
        y[1:3] = 1.0
        return x[y > 0.5]

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(4)[1:3])


def test_a_constant_index_made_of_traced_arrays_is_known():
    def f(x):
        at = np.zeros_like(x, dtype=int)
        at[:] = [3, 0, 0, 1]
        return x[at]

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(4)[[3, 0, 0, 1]])


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


@pytest.mark.parametrize(("shape", "source"), ERROR_CASES)
def test_errors_are_numpys_own(shape, source):
    f = function(source)
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whatever NumPy raises
        f(np.ones(shape))
    with pytest.raises(expected.type) as found:
        jacobian_sparsity(f, np.ones(shape))
    assert not isinstance(found.value, TracingError)


@pytest.mark.parametrize(
    "line",
    [
        "y[4] = x[0]",
        "y[:2] = x[:3]",
        "y[[0, 1]] = x[:3]",
        "y[np.arange(4) > 1] = x[:3]",
        "y[np.ones(3, bool)] = x[0]",
        "y[0, 0] = x[0]",
        "y[0] = x[:2]",
        "y.flat[7] = x[0]",
        "y += np.ones(3)",
        "y[:2] += x",
    ],
)
def test_errors_of_writing_are_numpys_own(line):
    f = writer(line, "x.copy()")
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whatever NumPy raises
        f(np.ones(4))
    with pytest.raises(expected.type) as found:
        jacobian_sparsity(f, np.ones(4))
    assert not isinstance(found.value, TracingError)


def test_read_only_arrays_stay_so():
    def f(x):
        y = np.broadcast_to(x, (2, 4))
        y[0] = 0.0
        return y

    with pytest.raises(ValueError, match="read-only"):
        jacobian_sparsity(f, POINT)


def test_another_traces_array_cannot_be_written():
    kept = Outside()
    jacobian_sparsity(lambda x: kept.append(x) or x, POINT)

    def f(x):
        x[0] = kept[0][0]
        return x

    with pytest.raises(TracingError, match="an earlier run"):
        jacobian_sparsity(f, POINT)


def test_elements_of_the_memory_below_are_poison():
    def f(x):
        return np.ndarray.__getitem__(x, 0) + 1.0

    with pytest.raises(EscapeError):
        jacobian_sparsity(f, POINT)


def test_results_are_traced_arrays():
    seen = Outside()

    def f(x):
        seen.extend([x[1:], x[None], x[[0, 1]], x[np.argsort(x)], x[...]])
        return x

    jacobian_sparsity(f, POINT)
    assert all(type(part) is TracedArray for part in seen)

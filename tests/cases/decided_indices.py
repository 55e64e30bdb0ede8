"""Whole numbers that the inputs choose, as ends of slices, places in plain arrays and counts."""

from __future__ import annotations

import numpy as np
from checks import Cases

case = Cases()
W = np.array([0.5, 2.0, -1.0, 3.0, 1.5, 0.25])
LEVELS = [-0.5, 0.5, 1.5]


def decided(name, size=6, **options):
    return lambda f: case(name, f, size, -1.5, 2.0, points=250, **options)


@decided("counter of truths")
def _counted_truths(x):
    c = np.zeros(6, int)
    c[int(x[0] > 0.1)] += 1
    return x * c


@decided("counter of bins")
def _counted_bins(x):
    c = np.zeros(4, int)
    c[np.searchsorted(LEVELS, x[1])] += 1
    return x[:4] * c


@decided("marked place")
def _marked(x):
    c = np.zeros(4, bool)
    c[np.argmax(x[:4])] = True
    return x[:4] * c


@decided("list of counters")
def _list(x):
    c = [0, 0]
    c[int(x[0] > 0.1)] += 1
    return x * c[0]


@decided("weights")
def _weights(x):
    h = np.zeros(3)
    for k, w in zip(np.digitize(x[:4], LEVELS[:2]), x[:4], strict=True):
        h[k] += w
    return h


@decided("ranks")
def _ranks(x):
    rank = np.empty(3, int)
    rank[np.argsort(x[:3])] = np.arange(3)
    return W[rank] * x[:3]


case("first ones", lambda x: x[: np.argmax(x[:4])].sum(), 6, -1.5, 2.0, points=250)
case("from a place on", lambda x: np.prod(x[np.argmax(x[:3]) :]), 6, -1.5, 2.0, points=250)
case("sum of the rest", lambda x: np.exp(x[np.argmax(x[:3]) :]).sum(), 6, -1.5, 2.0, points=250)
case("mean of the others", lambda x: x[1 + np.searchsorted(LEVELS, x[0]) :].mean(), 6, -1.5, 2.0)
case("at the end", lambda x: x[-1 - int(x[0] > 0) :].sum(), 6, -1.5, 2.0, points=60)
case("in steps", lambda x: x[np.argmax(x[:2]) : 6 : 2].sum(), 6, -1.5, 2.0, points=60)
case("repeated list", lambda x: sum([x[1]] * int(x[0] > 0)) + x[2], 3, -1.5, 2.0, points=60)


@decided("window")
def _window(x):
    k = int(np.argmax(x[:3]))
    return x[k : k + 3] ** 2


@decided("window of another array")
def _window_of_weights(x):
    k = int(np.searchsorted(LEVELS[:2], x[0]))
    return W[k : k + 2] @ x[k : 2 + k]


@decided("product of slices")
def _dot(x):
    k = np.argmax(x[:4])
    return np.dot(x[:k], W[:k] * x[:k])


@decided("written slice")
def _written(x):
    k = np.argmax(x[:4])
    y = np.zeros(6)
    y[:k] = x[:k] ** 2
    y[k:] -= x[k:]
    y[k + 1 :] *= 2.0
    return y


@decided("rows")
def _rows(x):
    a = x.reshape(3, 2)
    k = np.argmax(a[:, 0])
    return a[:k].sum(axis=0)


@decided("around a place")
def _around(x):
    k = np.argmin(np.abs(x[:3] - 0.3))
    low, high = max(k - 1, 0), min(k + 2, 6)
    return x[low:high].sum()


@decided("loop")
def _loop(x):
    total = x[5]
    for i in range(np.argmax(x[:3])):
        total = total + x[i + 2]
    return total


@decided("after a test")
def _after_a_test(x):
    k = np.argmax(x[:3])
    return x[k - 1 : k + 1].sum() if k > 0 else x[5]


@decided("list chosen twice")
def _twice(x):
    flag = bool(x[0] > 0)
    return [x[1], x[2]][flag] * [x[1], x[2]][flag]


def rows(b):
    return b[:, 0] > 0, b[0] > 0


@decided("open mesh")
def _open_mesh(x):
    b, a = x.reshape(2, 3), np.zeros((2, 3))
    mesh = np.ix_(*rows(b))
    a[mesh] = b[mesh] ** 2
    return a


@decided("a mask and its opposite, joined")
def _joined(x):
    m = x[:4] > 0
    return np.concatenate([x[:4][m] ** 2, x[:4][~m]])


@decided("the same place twice")
def _place_twice(x):
    return np.concatenate([x[: np.argmax(x[:4])], x[np.argmax(x[:4]) + 1 :]])


@decided("popped")
def _popped(x):
    numbers = list(x[:4])
    return np.array(numbers[:3]) * numbers.pop(int(np.argmin(x[:3])))


@decided("bins")
def _bins(x):
    return np.bincount(np.digitize(x[:4], LEVELS[:2]), weights=x[:4] ** 2, minlength=4)


case(
    "bins in windows",
    lambda x: np.bincount(np.searchsorted([0.2], x) + np.array([0, 2, 4]), x, 6),
    3,
    -1.5,
    2.0,
    points=60,
)
case(
    "counts in bins",
    lambda x: np.bincount(np.digitize(x, LEVELS), minlength=4) * x,
    4,
    -1.5,
    2.0,
    points=60,
)
case(
    "range of places",
    lambda x: np.sin(x[np.arange(np.argmin(x[:2]), 2 + int(x[3] > 0))]).sum(),
    4,
    -1.5,
    2.0,
    points=60,
)
case("rolled", lambda x: np.roll(x, np.argmax(x[:2])), 4, -1.5, 2.0, points=60)
case("deleted", lambda x: np.delete(x, np.argmax(x[:3])), 4, -1.5, 2.0, points=60)
case("deleted by a mask", lambda x: np.sin(np.delete(x, x > 0)).sum(), 4, -1.5, 2.0, points=60)
case(
    "inserted",
    lambda x: np.insert(x, np.searchsorted(LEVELS, x[0]), x[1] ** 2),
    4,
    -1.5,
    2.0,
    points=60,
)
case(
    "repeated",
    lambda x: np.exp(np.repeat(x, int(x[0] > 0) + 1)).sum(),
    4,
    -1.5,
    2.0,
    points=60,
)


LONG = Cases()
"""Slices whose ends have more values than are told apart: their elements are picked."""
N = 72


def long(name, **options):
    return lambda f: LONG(name, f, N, -1.5, 2.0, points=150, **options)


@long("long slices")
def _long(x):
    k = np.argmax(x)
    return np.append(x[:k].sum(), x[k:].mean()) * np.dot(x[:k], x[:k])


@long("long slices written")
def _long_written(x):
    k = int(np.argmax(x))
    y = np.zeros(N)
    y[:k] = x[:k] ** 2
    y[k:] -= np.exp(x[k:])
    return y


@long("one end without bounds")
def _without_bounds(x):
    k = int(np.floor(x[0] * 8))
    y = 2 * x
    y[k:] *= y[k:]
    return y


@long("rows and columns")
def _long_rows(x):
    a = x.reshape(N, 1) * np.array([1.0, 2.0])
    k = np.searchsorted(np.sort(x), 0.3)
    return a[k:, 1].max() + a[np.newaxis, :k].sum()


@long("a view is written")
def _view_written(x):
    y = x**2
    k = np.argmax(x)
    v = y[:k]
    v[:] = v * x[3]
    v += 1.0
    return y


@long("what a view shows is written")
def _shown_written(x):
    y = x**2
    v = y[: np.argmax(x)]
    y[0] = x[5] * x[6]
    return v.sum()


@decided("a truth as a mask, twice", 2)
def _extrapolated(x):
    v = np.asarray(x[0])
    y = np.empty_like(v)
    y[v < -0.5] = v[v < -0.5] * x[1]
    y[v > 1.5] = 3.0
    inside = np.logical_and(v >= -0.5, v <= 1.5)
    part = np.interp(v[inside], LEVELS, W[:3])
    y[inside] = part if part.size == 1 else np.asarray(part)
    return y


for name, make in {
    "zeros": lambda n, x: np.zeros((2, n)) + x[0],
    "zeros, by a list": lambda n, x: np.zeros([2, n]) + x[0],
    "ones": lambda n, x: np.ones((n, 2)) * x[0],
    "empty": lambda n, x: np.zeros_like(np.empty((2, n))) + x[0],
    "full": lambda n, x: np.full((n, 2), x[0]),
    "by name": lambda n, x: np.zeros(shape=(2, n)) + x[0],
    "broadcast_to": lambda n, x: np.broadcast_to(x[:2, None], (2, n)),
    "broadcast_to, of constants": lambda n, x: np.broadcast_to(2.0, (2, n)) * x[0],
    "pad": lambda n, x: np.pad(x[:2], (0, n)) * x[2],
    "pad, of constants": lambda n, x: np.pad(W[:2], (0, n)) * x[2],
    "pad, of each axis": lambda n, x: np.pad(W[:2, None], ((0, n), (0, 0))) * x[2],
    "reshape": lambda n, x: np.reshape(np.repeat(x[:2], n), (2, n)),
    "resize": lambda n, x: np.resize(W[:2], (2, n)) * x[0],
    "tile": lambda n, x: np.tile(x[:2], (2, n)),
    "tile, of constants": lambda n, x: np.tile(W[:2], (2, n)) * x[0],
}.items():
    case(
        f"shape with a count, {name}",
        lambda x, make=make: make(np.count_nonzero(x[2:5] > 0), x).sum(axis=-1).sum() * x[5],
        6,
        -1.5,
        2.0,
        points=250,
    )


@decided("rows of as many as a mask picks")
def _rows(x):
    mask = x[:3] > 0.1
    rows = np.zeros((2, mask.sum()))
    rows[0, :] = x[:3][mask]
    rows[1] = x[3:][mask]
    return rows[0] @ rows[1], rows.sum(axis=1)[0]

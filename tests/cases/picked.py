"""Calls with elements that a mask of unknown values picks, beside the same with ``np.where``."""

from __future__ import annotations

import numpy as np
import scipy.stats as stats
from checks import Cases

case = Cases()
TWINS = {}
"""What is computed with masks, and the same without, by the name of the case."""
V = np.array([1.0, 0.0, -2.0, 0.5])
HALF = np.array([True, False, True, True])


def twin(name, f, same, shape=4, **options):
    TWINS[name] = f, same, shape
    case(name, f, shape, -1.5, 2.0, points=60, **options)


def assigned(key, value, update=None):
    """``y[key(x)] = value(x)``, or ``update`` of what stood there."""

    def f(x):
        y = x[::-1].copy()
        y[key(x)] = value(x, key(x)) if update is None else update(y[key(x)], value(x, key(x)))
        return y

    return f


def zeros(f):
    def made(x):
        y = np.zeros(x.shape)
        f(x, y)
        return y

    return made


@zeros
def _square_by_indices(x, y):
    i = np.where(x > 0)
    y[i] = x[i] ** 2


@zeros
def _square_by_first(x, y):
    i = np.where(x > 0)[0]
    y[i] = np.sin(x[i]) * V[i]


@zeros
def _two_sides(x, y):
    m = x > 0
    y[m] = np.exp(x[m])
    y[~m] = 2 * x[~m] + 1


@zeros
def _next_one(x, y):
    i = np.flatnonzero(x[:-1] > 0)
    y[i] = x[i + 1] * x[i]


@zeros
def _accumulated(x, y):
    m = x > 0.3
    y[m] += x[m]
    y[m] *= x[m]
    y[m] -= 1.0


@zeros
def _twice(x, y):
    m = x > 0
    positive = x[m]
    large = positive > 1
    positive[large] = np.sin(positive[large])
    y[m] = positive


@zeros
def _subset(x, y):
    i = np.flatnonzero(x > 0)
    j = i[x[i] > 1]
    y[j] = x[j] ** 3


@zeros
def _changed_between(x, y):
    m = x > 0
    picked = x[m]
    m[1] = False
    m[3] = x[3] > 1
    y[m] = 2.0
    y[1] = picked.sum()


@zeros
def _densities(x, y):
    m = x > 0
    y[m] = stats.norm.pdf(x[m], x[0], scale=3.0) + stats.gamma.logcdf(x[m], 2.5, loc=V[m] - 3)


@zeros
def _of_one(x, y):
    v = np.asarray(x[0])
    one = np.ones(v.shape)
    one[v > 0] = v[v > 0] ** 2
    m = v < -1
    one[m] += v[m]
    one[~m] *= 3.0
    y[:] = one * x[1]


@zeros
def _truths_beside_places(x, y):
    """Norms of one vector and of many are masked by the same code: here there is one."""
    norm = np.linalg.norm(x[:2], axis=-1)
    m = norm > 1
    y[m, 0] = np.log(norm[m])
    y[1, m] = norm[m] * x[2]
    y[m, 2:] = (x[m] * x[0])[..., 2:]


POSITIVE = np.greater
twin(
    "truth values beside places",
    _truths_beside_places,
    lambda x: np.where(
        np.linalg.norm(x[:2]) > 1,
        np.append(np.linalg.norm(x[:2]) * np.array([1, x[2]]), x[2:] * x[0]),
        0,
    ),
)
twin(
    "masks without axes",
    _of_one,
    lambda x: np.full(
        4, np.where(x[0] < -1, 1 + x[0], 3 * np.where(x[0] > 0, x[0] ** 2, 1)) * x[1]
    ),
)
twin(
    "densities",
    _densities,
    lambda x: np.where(x > 0, stats.norm.pdf(x, x[0], 3.0) + stats.gamma.logcdf(x, 2.5, V - 3), 0),
)
twin("distinct", lambda x: np.unique(x).sum() * x[0], lambda x: np.sort(x).sum() * x[0])
twin(
    "distinct of two",
    lambda x: np.union1d(x[:2], x[3:])[-1] + np.sum(np.setdiff1d(x, [1.0]) ** 2),
    lambda x: np.sort(x[[0, 1, 3]])[-1] + np.sum(np.sort(x) ** 2),
)
twin(
    "placed",
    zeros(lambda x, y: np.place(y, x > 0, x[x > 0] ** 2)),
    lambda x: np.where(x > 0, x**2, 0),
)
twin("by where", _square_by_indices, lambda x: np.where(x > 0, x**2, 0))
twin("by where[0]", _square_by_first, lambda x: np.where(x > 0, np.sin(x) * V, 0))
twin("two sides", _two_sides, lambda x: np.where(x > 0, np.exp(x), 2 * x + 1))
twin(
    "next one",
    _next_one,
    lambda x: np.append(np.where(x[:-1] > 0, x[1:] * x[:-1], 0), 0 * x[0]),
)
twin("in place", _accumulated, lambda x: np.where(x > 0.3, x * x - 1, 0))
twin("twice", _twice, lambda x: np.where(x > 0, np.where(x > 1, np.sin(x), x), 0))
twin("subset", _subset, lambda x: np.where((x > 0) & (x > 1), x**3, 0))
twin("sum", lambda x: np.sum(x[x > 0]), lambda x: np.sum(np.where(x > 0, x, 0)))
twin("sum of squares", lambda x: (x[x > 0] ** 2).sum(), lambda x: np.sum(np.where(x > 0, x**2, 0)))
twin("product", lambda x: np.prod(x[x > 0]), lambda x: np.prod(np.where(x > 0, x, 1)))
twin("add.reduce", lambda x: np.add.reduce(x[x > 0]), lambda x: np.sum(np.where(x > 0, x, 0)))
twin(
    "weighted",
    lambda x: np.sum(x[x > 0] * V[x > 0]),
    lambda x: np.sum(np.where(x > 0, x * V, 0)),
    extra="two masks are not known to be the same: each element meets any",
)
TWINS.pop("weighted")


def _one_number(x):
    y, m = np.empty_like(x[0]), x[0] > 0
    y[m] = (x[1] / x[0])[m]
    y[m] += x[2][m] ** 2
    y[~m] = x[3]
    return y


def _without_dimensions(x):
    v, y = np.asarray(x[0]), np.zeros(())
    m = v > 0
    if np.any(m):
        y[m] = np.sin(v[m]) * np.asarray(x[1])[m]
    return y


twin(
    "one number",
    _one_number,
    lambda x: np.where(x[0] > 0, x[1] / x[0] + x[2] ** 2, x[3]),
)
twin(
    "an array without dimensions",
    _without_dimensions,
    lambda x: np.where(x[0] > 0, np.sin(x[0]) * x[1], 0),
)
twin("all rows or none", lambda x: np.sum(x[x[0] > 0]), lambda x: np.where(x[0] > 0, sum(x), 0))


def _weighted(x):
    m = x > 0
    return np.sum(x[m] * V[m])


twin("weighted by one mask", _weighted, lambda x: np.sum(np.where(x > 0, x * V, 0)))
twin("dot", lambda x: (lambda m: V[m] @ x[m])(x > 0), lambda x: np.sum(np.where(x > 0, x * V, 0)))
twin(
    "columns",
    lambda x: np.sum(x[:, x[0] > 0], axis=1),
    lambda x: np.sum(np.where(x[0] > 0, x, 0), axis=1),
    (2, 3),
)
twin(
    "rows",
    lambda x: np.sum(x[x[:, 0] > 0], axis=0),
    lambda x: np.sum(np.where(x[:, :1] > 0, x, 0), axis=0),
    (3, 2),
)
twin(
    "rows of rows",
    lambda x: np.sum(x[x[:, 0] > 0].sum(axis=1) ** 2),
    lambda x: np.sum(np.where(x[:, 0] > 0, x.sum(axis=1), 0) ** 2),
    (3, 2),
)
twin(
    "one column of rows",
    lambda x: np.sum(np.exp(x[x[:, 0] > 0, 1])),
    lambda x: np.sum(np.where(x[:, 0] > 0, np.exp(x[:, 1]), 0)),
    (3, 2),
)
twin(
    "matrix",
    lambda x: np.sum(x[x > 0] ** 2),
    lambda x: np.sum(np.where(x > 0, x**2, 0)),
    (2, 3),
)
twin("extract", lambda x: np.sum(np.extract(x > 0, x)), lambda x: np.sum(np.where(x > 0, x, 0)))
twin("compress", lambda x: np.compress(x > 0, x).sum(), lambda x: np.sum(np.where(x > 0, x, 0)))
twin("prefix", lambda x: np.sum(np.cumsum(x[x > 0])), lambda x: np.sum(np.where(x > 0, x, 0)))
twin("constants", lambda x: np.sum(V[x > 0]) * x[0], lambda x: np.sum(np.where(x > 0, V, 0)) * x[0])
twin(
    "distance",
    lambda x: np.linalg.norm(x[x > -1] - x[0]),
    lambda x: np.linalg.norm(np.where(x > -1, x - x[0], 0)),
)

case("mean", lambda x: x[x > -1].mean(), 4, -0.9, 2.0)
case("mean by size", lambda x: x[x > 0].sum() / (1 + x[x > 0].size), 4, -1.5, 2.0, points=60)
case("standard deviation", lambda x: np.std(x[x > -1]), 4, -0.9, 2.0)
case("largest", lambda x: np.max(x[x > -2]), 4, -0.9, 2.0, points=60)
case("smallest", lambda x: x[x > -2].min(), 4, -0.9, 2.0, points=60)
case("median", lambda x: np.median(x[x > -2]), 4, -0.9, 2.0, points=90)


def _beside_another(x):
    """What ``np.where`` gives is a tuple, which code hands on as it is."""
    y, out = x.reshape(2, 2), np.zeros((2, 2))
    rows = np.where(y[:, 0] > 0)
    out[rows, 0] = y[rows, 1] ** 2
    out[[rows[0]], 1] -= y[(rows[0],), 0]
    return out, y[rows, 0].sum()


case("beside another index", _beside_another, 4, -1.5, 2.0, points=60)
case("a tuple in a tuple", lambda x: x.reshape(2, 2)[(0, 1), 1], 4)
case("a tuple of choices", lambda x: x.reshape(2, 2)[(np.argmax(x[:2]),), 0], 4)
case("first", lambda x: x[x > -2][0], 4, -0.9, 2.0, extra="which one is first is not known")
case("sorted", lambda x: np.sum(np.sort(x[x > 0]) ** 2), 4, -1.5, 2.0, points=60)
case("any", lambda x: np.any(x[x > 0] > 1) * x, 4, -1.5, 2.0, points=60)
case("changed between", _changed_between, 4, -1.5, 2.0, points=60)
case("scalar", lambda x: assigned(lambda x: x > 0, lambda x, m: 1.0)(x), 4, -1.5, 2.0, points=60)
case(
    "another mask",
    assigned(lambda x: x > 0.2, lambda x, m: x[x > 0.2]),
    4,
    -1.5,
    2.0,
    points=60,
    extra="two masks are not known to be the same: each element meets any",
)
case(
    "paired by place",
    lambda x: (lambda a, b: np.sum(a[: len(b)] * b))(np.append(x[:2], x[2:]), V),
    4,
)
case("argwhere", lambda x: np.sum(x[np.argwhere(x > 0)[:, 0]]), 4, -1.5, 2.0, points=60)
case(
    "largest of the picked",
    lambda x: (lambda p: p[np.argmax(p)] ** 2)(x[x > -2]),
    4,
    -0.9,
    2.0,
    points=60,
)
case(
    "where within",
    lambda x: (lambda p: np.where(p > 1, p, 2 * p).sum())(x[x > 0]),
    4,
    -1.5,
    2.0,
    points=60,
)
case("clipped", lambda x: np.clip(x[x > 0], 0.5, 1.5).sum(), 4, -1.5, 2.0, points=60)
case(
    "interpolated",
    lambda x: np.interp(x[x > 0], [0.0, 1.0, 2.0], V[:3]).sum(),
    4,
    -1.5,
    2.0,
    points=60,
)
case(
    "table",
    lambda x: np.sum(V[np.searchsorted([0.5, 1.0, 1.5], x[x > 0])] * x[x > 0]),
    4,
    -1.5,
    2.0,
    points=60,
)
case(
    "beside a new axis",
    lambda x: np.sum(x[x > 0][:, None] * x[None, :2], axis=0),
    4,
    -1.5,
    2.0,
    points=60,
)
case(
    "times a matrix",
    lambda x: np.sum((x[x[:, 0] > 0] @ V.reshape(2, 2)) ** 2),
    (3, 2),
    -1.5,
    2.0,
    points=60,
)


def chosen(f):
    """A function of the positive elements, found by a branch for each."""

    def same(x):
        return f(x, [i for i in range(len(x)) if x[i] > 0])

    return same


COUNTING = {
    "the length": (lambda x: len(x[x > 0]) * x, chosen(lambda x, i: len(i) * x)),
    "the shape": (lambda x: x[x > 0].shape[0] * x, chosen(lambda x, i: len(i) * x)),
    "np.shape": (lambda x: np.shape(x[x > 0])[0] * x, chosen(lambda x, i: len(i) * x)),
    "a loop": (lambda x: sum(v**2 for v in x[x > 0]), chosen(lambda x, i: np.sum(x[i] ** 2))),
    "a loop over indices": (
        lambda x: sum(x[j] * x[0] for j in np.where(x > 0)[0]),
        chosen(lambda x, i: np.sum(x[i] * x[0])),
    ),
    "a list": (lambda x: sum(x[x > 0].tolist()), chosen(lambda x, i: np.sum(x[i]))),
    "a part": (lambda x: x[x > 0][1:].sum(), chosen(lambda x, i: x[i][1:].sum())),
    "differences": (lambda x: np.diff(x[x > 0]).sum(), chosen(lambda x, i: np.diff(x[i]).sum())),
    "joined": (
        lambda x: np.concatenate([x[x > 0], x]).sum(),
        chosen(lambda x, i: np.concatenate([x[i], x]).sum()),
    ),
    "another index": (
        lambda x: x.reshape(-1, 1)[x > 0, [0]].sum(),
        chosen(lambda x, i: x[i].sum()),
    ),
    "outer": (
        lambda x: np.outer(x[x > 0], x).sum(),
        chosen(lambda x, i: np.outer(x[i], x).sum()),
    ),
    "in order": (
        lambda x: x[x > 0][np.argsort(x[x > 0])].sum(),
        chosen(lambda x, i: x[i][np.argsort(x[i])].sum()),
    ),
    "a matrix of them": (
        lambda x: np.sum(np.diag(x[x > 0]) @ x[x > 0] ** 2),
        chosen(lambda x, i: np.sum(np.diag(x[i]) @ x[i] ** 2)),
    ),
    "some or none": (
        lambda x: x[x > 0][0] * x[1] if len(x[x > 0]) else 0.0,
        chosen(lambda x, i: x[i][0] * x[1] if len(i) else 0.0),
    ),
}
"""Who asks how many elements a mask picks, and the same with a branch for each element."""
UNCOUNTED = {
    "two masks": lambda x: x.reshape(2, 2)[x[:2] > 0, x[2:] > 0].sum(),
    "a number": lambda x: float(x[x > 0]),
}

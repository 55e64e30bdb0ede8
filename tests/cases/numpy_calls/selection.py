"""Calls of functions that choose: where, select, piecewise, clip, take, pad, interp, copyto."""

from __future__ import annotations

import numpy as np
from checks import Cases

case = Cases()
MASK = np.array([[True, False, True], [False, True, False]])
NEW_CLIP = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


def grid(x):
    return x.reshape(2, 3)


case("where constant", lambda x: np.where(MASK, grid(x), 0), 6)
case("where both", lambda x: np.where(MASK[0], grid(x[:6]), x[6:]), 9)
case("where list", lambda x: np.where([True, False, True], x, [1, 2, 3]), 3)
case("where traced", lambda x: np.where(x > 1, x**2, 3 * x[::-1]), 4, points=30)
case("where traced, one equal constant", lambda x: np.where(x > 1, 1.0, 1.0) * x, 3)
case("where traced broadcast", lambda x: np.where(grid(x) > 1, x[0], 2.0), 6, points=40)
case("where scalar", lambda x: np.where(x[0] > 1, x[1], x[2]), 3, points=30)
case(
    "where some conditions constant",
    lambda x: np.where(np.concatenate([x[:2] > 1, [True, False]]), x, -x[::-1]),
    4,
    points=30,
)
case("where int and float", lambda x: np.where(MASK[0], 1, x), 3)
case("select", lambda x: np.select([x > 1.5, x > 1], [x * 2, x[::-1]], -1), 4, points=60)
case("select constant", lambda x: np.select([MASK[0], MASK[1]], [x * 2, x[::-1]]), 3)
case("select default", lambda x: np.select([MASK[0]], [x], default=x[::-1] ** 2), 3)
case("select mixed", lambda x: np.select([MASK[0], x > 1], [x, x[::-1]], 0), 3, points=40)
case("choose", lambda x: np.choose([0, 1, 1], [x, x[::-1] * 2]), 3)
case("choose array of choices", lambda x: np.choose([1, 0, 1], grid(x)), 6)
case("choose clip", lambda x: np.choose([0, 9, -3], [x, x[::-1]], mode="clip"), 3)
case("choose wrap", lambda x: np.choose([0, 3, -1], [x, x[::-1]], None, "wrap"), 3)
case("choose traced", lambda x: np.choose((x > 1).astype(int), [x, x[::-1]]), 3, points=40)
case("choose method", lambda x: np.choose([[1], [0]], (x, 2.0)), 3)
case(
    "piecewise",
    lambda x: np.piecewise(x, [x > 1, x > 1.5], [lambda t: t**2, np.sin, 0.0]),
    3,
    points=40,
)
case(
    "piecewise constant",
    lambda x: np.piecewise(x, [MASK[0], MASK[1]], [lambda t, k: t * k, lambda t, k: 3 * k], 2.0),
    3,
)
case("piecewise one condition", lambda x: np.piecewise(x, x > 1, [-1, 1]), 3)
case("piecewise default", lambda x: np.piecewise(x, [MASK[0]], [np.exp, np.cos]), 3)
case("piecewise boolean array", lambda x: np.piecewise(x, MASK[0], [np.exp]), 3)
case("piecewise array of conditions", lambda x: np.piecewise(x, MASK, [np.exp, 1, np.sin]), 3)
case(
    "piecewise mixing",
    lambda x: np.piecewise(x, [MASK[0]], [np.cumsum, 0]),
    3,
    extra="each function is called on the whole of x",
)
case(
    "piecewise keyword",
    lambda x: np.piecewise(x, [x > 1], [lambda t, k: t * k, 1], k=2.0),
    3,
    points=40,
)
case("clip", lambda x: np.clip(x, 0.8, 1.5), 3, points=40)
case("clip keywords", lambda x: x.clip(max=1.5), 3)
case("clip method", lambda x: x.clip(0.8, out=np.zeros_like(x)), 3, points=40)
case("clip one sided", lambda x: np.clip(x, None, 1.5), 3)
case("clip traced", lambda x: np.clip(x[:3], x[3], x[4:]), 7, points=60)
case("clip arrays", lambda x: np.clip(grid(x), [0.1, 1.0, 1.9], 2.0), 6, points=40)
case("clip out", lambda x: np.clip(x, 0.8, 1.5, out=np.zeros_like(x)), 3, points=40)
case("clip constant", lambda x: np.clip(1.0, x, 1.5), 3, points=40)
if NEW_CLIP:
    case("clip min and max", lambda x: np.clip(x, min=0.8, max=1.5), 3, points=40)

case("take", lambda x: np.take(x, [2, 0, 2]), 3)
case("take flat", lambda x: np.take(grid(x), [[5, 0], [-1, 2]]), 6)
case("take axis", lambda x: np.take(grid(x), [2, 0], axis=1), 6)
case("take negative axis", lambda x: np.take(grid(x), 1, axis=-2), 6)
case("take scalar", lambda x: np.take(x, 1), 3)
case("take wrap", lambda x: np.take(x, [4, -5], mode="wrap"), 3)
case("take clip", lambda x: np.take(x, [7, -5], 0, None, "clip"), 3)
case("take out", lambda x: np.take(x, [0, 1], out=np.zeros_like(x[:2])), 3)
case("take method", lambda x: grid(x).take([0, 2], axis=1), 6)
case("take by opaque", lambda x: np.take(x[:3], np.argsort(x[3:])), 6, points=60)
case(
    "take by opaque along axis",
    lambda x: np.take(grid(x), np.argmax(x), axis=1, mode="clip"),
    6,
    points=60,
    extra="two of the columns are chosen only with others' help",
)
case("take rows by opaque", lambda x: np.take(grid(x), np.argmax(x[:2]), axis=0), 6, points=60)
case("take_along_axis", lambda x: np.take_along_axis(grid(x), np.array([[1], [0]]), 1), 6)
case(
    "take_along_axis negative",
    lambda x: np.take_along_axis(grid(x), np.array([[1, 0, 1]]), axis=-2),
    6,
)
case("take_along_axis flat", lambda x: np.take_along_axis(grid(x), np.array([3, 1]), None), 6)
case(
    "take_along_axis opaque",
    lambda x: np.take_along_axis(grid(x), np.argsort(grid(x), axis=0), axis=0),
    6,
    points=40,
)
case(
    "take_along_axis opaque flat",
    lambda x: np.take_along_axis(grid(x), np.argsort(x), axis=None),
    6,
    points=100,
    extra="not every order is drawn",
)
case(
    "take_along_axis opaque broadcast",
    lambda x: np.take_along_axis(
        grid(x), np.argmax(x[:3], keepdims=True)[None] * np.ones((1, 2), int), axis=1
    ),
    6,
    points=60,
)

PAIRS = ((1, 2), (0, 1))
for _mode in "edge wrap reflect symmetric linear_ramp maximum minimum mean median empty".split():
    if _mode != "empty":
        case(f"pad {_mode}", lambda x, m=_mode: np.pad(x, 2, m), 4, points=40)
        case(f"pad {_mode} matrix", lambda x, m=_mode: np.pad(grid(x), PAIRS, mode=m), 6, points=60)
        case(f"pad {_mode} wide", lambda x, m=_mode: np.pad(x, (4, 7), m), 3, points=40)
for _mode in "maximum minimum mean median".split():
    case(
        f"pad {_mode} length", lambda x, m=_mode: np.pad(x, (1, 2), m, stat_length=2), 4, points=40
    )
    case(
        f"pad {_mode} lengths",
        lambda x, m=_mode: np.pad(grid(x), 1, m, stat_length=((1, 2), (3, 1))),
        6,
        points=60,
    )
case("pad constant", lambda x: np.pad(grid(x), PAIRS), 6)
case("pad constant values", lambda x: np.pad(x, (1, 2), constant_values=(3.0, 0.0)) ** 2, 3)
case("pad traced values", lambda x: np.pad(x[:3], (1, 2), constant_values=(x[3], 0.0)), 4)
case(
    "pad traced nested values",
    lambda x: np.pad(grid(x[:6]), 1, constant_values=((x[6], 0.0), (1.0, x[7]))),
    8,
)
if np.lib.NumpyVersion(np.__version__) >= "2.3.0":
    case("pad dict", lambda x: np.pad(grid(x), {-1: (1, 2)}), 6)
case("pad mode by position", lambda x: np.pad(x, 1, "constant", constant_values=1), 3)
case("pad ramp ends", lambda x: np.pad(x, (2, 3), "linear_ramp", end_values=(5, -4)), 3)
case("pad ramp traced end", lambda x: np.pad(x[:3], (2, 3), "linear_ramp", end_values=x[3]), 4)
case(
    "pad ramp traced ends",
    lambda x: np.pad(x[:3], (2, 3), "linear_ramp", end_values=(x[3], 1.0)),
    4,
)
case("pad odd", lambda x: np.pad(x, (1, 2), "reflect", reflect_type="odd"), 4)
case("pad odd symmetric", lambda x: np.pad(x, (1, 2), "symmetric", reflect_type="odd"), 4)
case("pad odd matrix", lambda x: np.pad(grid(x), 1, "reflect", reflect_type="odd"), 6)
case(
    "pad odd wide",
    lambda x: np.pad(x, (5, 4), "reflect", reflect_type="odd"),
    3,
    extra="several reflections are taken as the whole axis",
)
case(
    "pad odd wide symmetric",
    lambda x: np.pad(x, (7, 4), "symmetric", reflect_type="odd"),
    3,
    extra="several reflections are taken as the whole axis",
)
case("pad even", lambda x: np.pad(x, (5, 4), "reflect", reflect_type="even"), 3)
case("pad by nothing", lambda x: np.pad(x, 0, "mean"), 3)
case("pad function", lambda x: np.pad(grid(x), 1, _fill_sides), 6)


def _fill_sides(vector, widths, axis, options):
    vector[: widths[0]] = 2 * vector[widths[0]]
    vector[-widths[1] :] = 7.0


NODES = np.array([0.0, 1.0, 1.5, 3.0])
case("interp x", lambda x: np.interp(x, NODES, [1.0, 3.0, 2.0, 4.0]), 3)
case("interp matrix", lambda x: np.interp(grid(x), NODES, [1.0, 3.0, 2.0, 4.0]), 6)
case("interp scalar", lambda x: np.interp(x[0], NODES, [1.0, 3.0, 2.0, 4.0]), 1)
case("interp level", lambda x: np.interp(x, NODES, np.ones(4)), 3)
case("interp fp", lambda x: np.interp([0.5, 2.0, 1.2], NODES, x), 4)
case(
    "interp fp at nodes",
    lambda x: np.interp([0.0, 1.0, 3.0], NODES, x),
    4,
    extra="a node's own value alone is taken as the segment on either side",
)
case("interp fp outside", lambda x: np.interp([-1.0, 9.0], NODES, x), 4)
case("interp fp left right", lambda x: np.interp([-1.0, 9.0, 2.0], NODES, x, left=1, right=2), 4)
case(
    "interp traced left right",
    lambda x: np.interp([-1.0, 9.0, 2.0], NODES, x[:4], left=x[4], right=x[5]),
    6,
)
case("interp fp period", lambda x: np.interp([-0.5, 4.0, 2.0], NODES, x, period=3.5), 4)
case("interp x and fp", lambda x: np.interp(x[:2] * 4 - 2, NODES, x[2:]), 6, points=80)
case("interp all", lambda x: np.interp(x[:2], np.cumsum(x[2:5]) - 1, x[5:]), 8, points=150)
case(
    "interp xp",
    lambda x: np.interp([0.7, 2.5], np.cumsum(x), [1.0, 3.0, 2.0]),
    3,
    points=200,
    low=0.1,
    high=1.2,
)
case("interp x period", lambda x: np.interp(x * 3, NODES, [1.0, 3.0, 2.0, 4.0], period=3.5), 3)
case("interp x left right", lambda x: np.interp(x * 4 - 4, NODES, np.ones(4), left=2.0), 3)
case("interp complex", lambda x: np.interp(x, NODES, 1j * NODES), 3)


def _copied(x, *args, **options):
    y = x.copy()
    np.copyto(y, *args, **options)
    return y


case("copyto", lambda x: _copied(x, x[::-1] * 2), 3)
case("copyto where", lambda x: _copied(x, x[::-1] * 2, where=MASK[0]), 3)
case("copyto traced where", lambda x: _copied(x, x[::-1] * 2, where=x > 1), 3, points=40)
case("copyto constant", lambda x: _copied(x, 3.0, where=[True, False, True]), 3)
case("copyto broadcast", lambda x: _copied(grid(x), x[:3], "same_kind", MASK), 6)

"""Calls of reductions and prefix operations of ufuncs, behind np.sum and its kin."""

from __future__ import annotations

import numpy as np
from checks import Cases

case = Cases()
MASK = np.array([[True, False, True], [True, True, False]])


def grid(x):
    return x.reshape(2, 3)


def mixed(x):
    """Constants, one of them zero, beside the inputs."""
    return np.stack([np.concatenate([np.zeros(1), x[:2]]), np.concatenate([np.ones(2), x[2:3]])])


for (
    _name
) in "sum prod max min amax amin mean std var median ptp nansum nanprod nanmax nanmin".split():
    _f = getattr(np, _name)
    for _axis in (None, 0, 1, -1, -2, (0, 1), (-1, 0), (1,)):
        case(f"{_name} axis={_axis}", lambda x, f=_f, a=_axis: f(grid(x), axis=a), 6, points=30)
    case(f"{_name} keepdims", lambda x, f=_f: f(grid(x), axis=1, keepdims=True), 6, points=40)
    case(f"{_name} keepdims all", lambda x, f=_f: f(grid(x), keepdims=True), 6, points=40)
    _e = "of one element it is zero whatever that is" if _name in ("std", "var", "ptp") else ""
    case(f"{_name} one element", lambda x, f=_f: f(x), 1, extra=_e)
for _name in "nanmean nanstd nanvar nanmedian".split():
    _f = getattr(np, _name)
    for _axis in (None, 0, -1, (0, 1)):
        case(f"{_name} axis={_axis}", lambda x, f=_f, a=_axis: f(grid(x), axis=a), 6, points=30)
    case(f"{_name} keepdims", lambda x, f=_f: f(grid(x), axis=1, keepdims=True), 6, points=40)
for _name in "sum prod max min mean".split():
    _f = getattr(np, _name)
    case(
        f"{_name} of constants and inputs",
        lambda x, f=_f: f(mixed(x), axis=1),
        3,
        points=40,
        low=-3,
        high=3,
    )
    case(
        f"{_name} down constants", lambda x, f=_f: f(mixed(x), axis=0), 3, points=40, low=-3, high=3
    )
    case(
        f"{_name} where",
        lambda x, f=_f: f(
            grid(x),
            axis=0,
            where=MASK,
            **({"initial": 0.1 if f is not np.min else 9.0} if f in (np.max, np.min) else {}),
        ),
        6,
        points=40,
    )
    case(
        f"{_name} where broadcast",
        lambda x, f=_f: f(
            grid(x),
            axis=1,
            where=MASK[:, :1],
            **({"initial": 0.1 if f is not np.min else 9.0} if f in (np.max, np.min) else {}),
        ),
        6,
        points=40,
    )
for _name in "sum prod max min".split():
    _f = getattr(np, _name)
    case(f"{_name} initial", lambda x, f=_f: f(grid(x), axis=0, initial=1.2), 6, points=60)
    case(
        f"{_name} traced initial",
        lambda x, f=_f: f(grid(x[:6]), axis=0, initial=x[6]),
        7,
        points=80,
    )
for _name in "std var".split():
    _f = getattr(np, _name)
    case(f"{_name} where", lambda x, f=_f: f(grid(x), axis=1, where=MASK), 6)
    case(f"{_name} ddof", lambda x, f=_f: f(grid(x), axis=1, ddof=1), 6)
    case(f"{_name} ddof by position", lambda x, f=_f: f(grid(x), 1, None, None, 1, True), 6)
    case(
        f"{_name} given mean",
        lambda x, f=_f: f(grid(x), axis=1, mean=grid(x).mean(axis=1, keepdims=True)),
        6,
    )
    case(
        f"{_name} given constant mean", lambda x, f=_f: f(grid(x), axis=1, mean=np.zeros((2, 1))), 6
    )
    case(f"{_name} correction", lambda x, f=_f: f(grid(x), axis=1, correction=1), 6)
case("mean keepdims by position", lambda x: np.mean(grid(x), 1, None, None, True), 6)
case("sum dtype", lambda x: np.sum(grid(x), axis=0, dtype=np.float64), 6)
case("sum dtype complex", lambda x: np.sum(grid(x), axis=0, dtype=complex), 6)
case("mean dtype", lambda x: np.mean(grid(x), axis=0, dtype=np.float64), 6)
case("var complex", lambda x: np.var(grid(x) * (1 + 2j), axis=0), 6)
case("std complex", lambda x: np.std(grid(x) * (1 + 2j), axis=0), 6)
case("sum of comparison", lambda x: (grid(x) > 1).sum(axis=0), 6)
case("mean of comparison", lambda x: (grid(x) > 1).mean(axis=0), 6)
case("any", lambda x: np.any(grid(x) > 1, axis=0), 6)
case("all keepdims", lambda x: np.all(grid(x) > 1, axis=1, keepdims=True), 6)
case("any where", lambda x: np.any(grid(x) > 1, axis=1, where=MASK), 6)
case("product with a zero", lambda x: np.prod(np.stack([x, np.zeros(4), x])), 4)
case("product over a zero row", lambda x: np.prod(mixed(x), axis=1), 3)
case("sum of no elements", lambda x: np.sum(grid(x)[:, :0], axis=1) + x[:2], 6)
case("product of no elements", lambda x: np.prod(grid(x)[:, :0], axis=1) * x[:2], 6)
case("maximum of no elements with initial", lambda x: np.max(x[:0], initial=0.0) * x[:2], 6)
case("sum over no axes", lambda x: np.sum(grid(x), axis=()), 6)
case("sum of 0 dimensions", lambda x: np.sum(x.reshape(()), axis=None), 1)
case("sum with out", lambda x: np.sum(grid(x), axis=0, out=np.zeros_like(x[:3])), 6)
case("maximum with out", lambda x: np.max(grid(x), 0, np.zeros_like(x[:3])), 6, points=30)
for _name in "cumsum cumprod nancumsum nancumprod".split():
    _f = getattr(np, _name)
    for _axis in (None, 0, 1, -1):
        case(f"{_name} axis={_axis}", lambda x, f=_f, a=_axis: f(grid(x), axis=a), 6)
    case(f"{_name} of constants", lambda x, f=_f: f(np.concatenate([np.ones(2), x])), 3)
    case(f"{_name} after a zero", lambda x, f=_f: f(np.stack([x[0], x[1] * 0, x[2]])), 3)
    case(f"{_name} dtype", lambda x, f=_f: f(x, dtype=np.float64), 3)
for _name in "cumulative_sum cumulative_prod".split():
    if hasattr(np, _name):  # NumPy 2.1
        _f = getattr(np, _name)
        case(f"{_name} one axis", lambda x, f=_f: f(x), 3)
        case(f"{_name} axis", lambda x, f=_f: f(grid(x), axis=0), 6)
        case(f"{_name} initial", lambda x, f=_f: f(grid(x), axis=-1, include_initial=True), 6)
        case(f"{_name} dtype", lambda x, f=_f: f(x, dtype=complex, include_initial=True), 3)
case("add.reduceat", lambda x: np.add.reduceat(x, [0, 2, 1, 5]), 6)
case("add.reduceat axis", lambda x: np.add.reduceat(grid(x), [0, 2], axis=1), 6)
case("multiply.accumulate", lambda x: np.multiply.accumulate(x), 4)
case("maximum.accumulate", lambda x: np.maximum.accumulate(x), 4, points=60)
case("subtract.reduce", lambda x: np.subtract.reduce(x), 4)
case("hypot.reduce", lambda x: np.hypot.reduce(grid(x), axis=1), 6)
case("logaddexp.reduce", lambda x: np.logaddexp.reduce(x), 4)

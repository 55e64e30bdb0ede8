"""Calls of functions that run NumPy's own implementation on traced arguments."""

from __future__ import annotations

import numpy as np
from checks import Cases

case = Cases()
EVEN = "where all steps are equal NumPy reads the first one alone"
STEPS = np.array([0.0, 0.5, 1.5, 2.0])


def grid(x):
    return x.reshape(2, 3)


case("angle", lambda x: np.angle(x[:2] + 1j * x[2:]), 4)
case("angle deg", lambda x: np.angle(x * 1j, deg=True) * x, 2)
case("angle of reals", lambda x: np.angle(x), 3)
case("diff", lambda x: np.diff(x), 4)
case("diff twice", lambda x: np.diff(grid(x), 2, axis=1), 6)
case("diff axis", lambda x: np.diff(grid(x), axis=-2), 6)
case("diff prepend append", lambda x: np.diff(x[:3], prepend=0.0, append=x[3]), 4)
case("diff zero times", lambda x: np.diff(x, 0), 3)
case("ediff1d", lambda x: np.ediff1d(grid(x)), 6)
case("ediff1d ends", lambda x: np.ediff1d(x[:3], to_begin=0.0, to_end=x[3:]), 5)
case("fix", lambda x: np.fix(x) * x, 3)
case("gradient", lambda x: np.gradient(x), 5)
case("gradient step", lambda x: np.gradient(x, 0.5, edge_order=2), 5)
case(
    "gradient coordinates",
    lambda x: np.gradient(x, STEPS),
    4,
    extra="a weight that cancels on an even grid",
)
case("gradient coordinates edge", lambda x: np.gradient(x, STEPS, edge_order=2), 4)
case("gradient even coordinates", lambda x: np.gradient(x, np.arange(4.0)), 4)
case("gradient matrix", lambda x: list(np.gradient(grid(x))), 6)
case("gradient axis", lambda x: np.gradient(grid(x), axis=1), 6)
case("gradient axes", lambda x: list(np.gradient(grid(x), 2.0, [0.0, 1.0, 3.0], axis=(0, 1))), 6)
case("gradient traced step", lambda x: np.gradient(x[:4], x[4]), 5)
case("gradient traced coordinates", lambda x: np.gradient(x[:4], 3 * STEPS + x[4:]), 8, extra=EVEN)
case(
    "gradient traced coordinates edge",
    lambda x: np.gradient(x[:4], 3 * STEPS + x[4:], edge_order=2),
    8,
    points=4,
    extra=EVEN,
)
case("gradient of a constant", lambda x: np.gradient(STEPS**2, 3 * STEPS + x), 4, extra=EVEN)
case("trapezoid", lambda x: np.trapezoid(x), 4)
case("trapezoid step", lambda x: np.trapezoid(grid(x), dx=0.5, axis=0), 6)
case("trapezoid coordinates", lambda x: np.trapezoid(x, STEPS), 4)
case("trapezoid traced coordinates", lambda x: np.trapezoid(x[:3], x[3:]), 6)
case("trapezoid axis coordinates", lambda x: np.trapezoid(grid(x), [0.0, 1.0], axis=-2), 6)
case("unwrap", lambda x: np.unwrap(x), 4, high=12.0)
case("unwrap axis", lambda x: np.unwrap(grid(x), axis=0), 6, high=12.0)
case("unwrap period", lambda x: np.unwrap(x, discont=1.0, period=4), 4, high=12.0)
case("kron", lambda x: np.kron(grid(x), np.eye(2)), 6)
case("cross of two components", lambda x: np.cross(x[:3], x[3:]), 6)
case("sinc", lambda x: np.sinc(x), 3)
case("sinc with zeros", lambda x: np.sinc(np.concatenate([x, np.zeros(1)])), 2)
case("i0", lambda x: np.i0(x), 3)
case("nan_to_num", lambda x: np.nan_to_num(grid(x)), 6)
case("nan_to_num values", lambda x: np.nan_to_num(x, nan=1.0, posinf=9.0), 3)
case(
    "nan_to_num traced value",
    lambda x: np.nan_to_num(x[:2], nan=x[2]),
    3,
    extra="any element may be NaN",
)
case("nan_to_num in place", lambda x: _in_place(x), 3)
case("nan_to_num scalar", lambda x: np.nan_to_num(x[0]), 1)
case("real_if_close", lambda x: np.real_if_close(x), 3)
case("isclose", lambda x: np.isclose(x[:2], x[2:]), 4)
case("isclose constant", lambda x: np.isclose(x, 1.0, rtol=0.2, atol=0.1), 3)
case("iscomplex isreal", lambda x: (np.iscomplex(x), np.isreal(x)), 3)
case("isreal of complex", lambda x: np.isreal(x * 1j), 3)
case("isneginf isposinf", lambda x: (np.isneginf(x), np.isposinf(x)), 3)
case("vander", lambda x: np.vander(x), 3)
case("vander increasing", lambda x: np.vander(x, 4, increasing=True), 3)
case("poly of roots", lambda x: np.poly(x), 3)
case(
    "poly of a matrix",
    lambda x: np.poly(x.reshape(2, 2)),
    4,
    kind="it may be complex",
    extra="the whole of every coefficient",
)
case("polyadd", lambda x: np.polyadd(x[:3], x[3:]), 5)
case("polyadd constant", lambda x: np.polyadd([1.0, 2.0], x), 3)
case("polysub", lambda x: np.polysub(x[:2], x[2:]), 5)
case("polymul", lambda x: np.polymul(x[:2], x[2:]), 5)
case("polymul constant", lambda x: np.polymul([1.0, 0.0, 2.0], x), 3)
case("polydiv", lambda x: np.polydiv(x[:4], x[4:]), 6, single=False)
case("polydiv constant divisor", lambda x: np.polydiv(x, [1.0, 0.0, 2.0]), 5, single=False)
case("polydiv by a number", lambda x: np.polydiv(x, [2.0]), 3)
case("polydiv short", lambda x: np.polydiv(x[:2], x[2:]), 5)
case("polyder", lambda x: np.polyder(x), 4)
case("polyder twice", lambda x: np.polyder(x, m=2), 4)
case("polyint", lambda x: np.polyint(x), 3)
case("polyint constants", lambda x: np.polyint(x[:3], m=2, k=[x[3], 1.0]), 4)
case(
    "polyval of a traced polynomial",
    lambda x: np.polyval(x[:3], [[1.0, 2.0], [0.0, 3.0]]),
    3,
    extra="Horner's scheme multiplies by every point, and by zero too",
)
case("polyval at traced points", lambda x: np.polyval([1.0, 0.0, 2.0], grid(x)), 6)
case("polyval both", lambda x: np.polyval(x[:2], x[2:]), 4)
case("polyval scalar", lambda x: np.polyval(x[:2], x[2]), 3)
case("polyfit", lambda x: np.polyfit([0.0, 1.0, 2.0, 3.0], x, 1), 4)
case(
    "polyfit columns",
    lambda x: np.polyfit([0.0, 1.0, 2.0], grid(x).T, 1),
    6,
    extra="a weight that cancels on an even grid",
)
case("polyfit weights", lambda x: np.polyfit([0.0, 1.0, 2.0, 3.0], x, 1, w=[1.0, 2, 1, 1]), 4)
case("polyfit traced points", lambda x: np.polyfit(3 * STEPS + x[:4], x[4:], 2), 8, points=4)
case(
    "polyfit traced weights", lambda x: np.polyfit([0.0, 1.0, 2.0, 3.0], [1.0, 3, 2, 5], 1, w=x), 4
)
case("linspace", lambda x: np.linspace(x[0], x[1], 5), 2)
case("linspace constant end", lambda x: np.linspace(0.0, x[0], 4, endpoint=False), 1)
case("linspace step", lambda x: np.linspace(x[0], 3.0, 3, retstep=True), 1)
case("linspace arrays", lambda x: np.linspace(x[:2], x[2:], 3, axis=-1), 4)
case("linspace one", lambda x: np.linspace(x[0], x[1], 1), 2)
case("linspace dtype", lambda x: np.linspace(x[0], x[1], 3, dtype=np.float32), 2)
case("logspace", lambda x: np.logspace(x[0], x[1], 4), 2)
case("logspace base", lambda x: np.logspace(0.5, x[0], 3, base=x[1]), 2)
case("geomspace", lambda x: np.geomspace(x[0], x[1], 4), 2)
case("geomspace constant start", lambda x: np.geomspace(1.0, x[0], 4), 1)
case("apply_along_axis", lambda x: np.apply_along_axis(lambda r: r * r.sum(), 1, grid(x)), 6)
case("apply_along_axis number", lambda x: np.apply_along_axis(np.sum, 0, grid(x)), 6)
case(
    "apply_along_axis arguments",
    lambda x: np.apply_along_axis(lambda r, k, n: r[:n] * k, -1, grid(x), 2.0, n=2),
    6,
)
case("apply_along_axis of a vector", lambda x: np.apply_along_axis(np.cumsum, 0, x), 3)
case("apply_along_axis matrix", lambda x: np.apply_along_axis(np.diag, -1, grid(x)), 6)
case("apply_over_axes", lambda x: np.apply_over_axes(np.sum, x.reshape(2, 2, 2), [0, 2]), 8)
case("ix_", lambda x: grid(x)[np.ix_([1, 0], [0, 2])], 6)
case("vectorize", lambda x: np.vectorize(lambda a, b: a * b)(x, 2.0), 3)
if hasattr(np.polynomial.polynomial.polyval2d, "_implementation"):  # NumPy 2.3
    case(
        "polyval2d",
        lambda x: np.polynomial.polynomial.polyval2d(x[:2], x[2:], [[1.0, 2], [3, 4]]),
        4,
    )
    case(
        "polygrid2d",
        lambda x: np.polynomial.polynomial.polygrid2d(x[:2], x[2:], [[1.0, 2], [3, 4]]),
        4,
    )
for _name in "sqrt log log2 log10 arccos arcsin arctanh".split():
    _f = getattr(np.emath, _name)
    case(
        f"scimath.{_name}",
        lambda x, f=_f: f(x),
        3,
        low=0.1,
        high=0.9,
        kind="complex, since it is for some x",
    )
case("scimath.power", lambda x: np.emath.power(x[:2], x[2:]), 4, kind="complex for some x")
case("scimath.power constant", lambda x: np.emath.power(x, 2), 4, kind="complex for some x")
case("scimath.logn", lambda x: np.emath.logn(3.0, x), 4, kind="complex for some x")
case("scimath.sqrt of negatives", lambda x: np.emath.sqrt(-x), 4)


def _in_place(x):
    y = x.copy()
    z = np.nan_to_num(y, copy=False)
    z[0] = 2.0
    return y

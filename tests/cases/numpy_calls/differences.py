"""Calls of ``np.gradient`` and ``np.trapezoid``."""

from __future__ import annotations

import numpy as np
from checks import Cases

case = Cases()
UNEVEN = np.array([0.0, 0.5, 1.5, 1.75, 3.0, 4.5])
PARTLY_EVEN = np.array([0.0, 1.0, 2.0, 4.0, 6.0, 7.0])
RESTING = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 2.0])
LEVEL = np.zeros(6)
ROWS = np.array([[0.0, 1, 2], [0.0, 2, 5]])
RESTING_ROWS = np.array([[0, 1, 1], [0, 0, 5]])


def grid(x):
    return x.reshape(2, 3)


def block(x):
    return x.reshape(2, 3, 2)


def complexes(x):
    return x[:4] + 1j * x[4:]


case("trapezoid", lambda x: np.trapezoid(x), 6)
case("trapezoid of two", lambda x: np.trapezoid(x), 2)
case("trapezoid of one", lambda x: np.trapezoid(x), 1)
case("trapezoid of no rows", lambda x: np.trapezoid(x[:0].reshape(0, 3)), 3)
case("trapezoid of empty rows", lambda x: np.trapezoid(x[:0].reshape(3, 0)), 3)
case("trapezoid dx", lambda x: np.trapezoid(x, dx=np.float64(0.5)), 4)
case("trapezoid dx zero", lambda x: np.trapezoid(x, dx=0), 4)
case("trapezoid dx array", lambda x: np.trapezoid(x, dx=np.array([1.0, 0.0, 2.0])), 4)
case("trapezoid dx traced", lambda x: np.trapezoid(x[:3], dx=x[3]), 4)
case("trapezoid x", lambda x: np.trapezoid(x, UNEVEN), 6)
case("trapezoid x list", lambda x: np.trapezoid(x, [0, 1, 3]), 3)
case("trapezoid x resting", lambda x: np.trapezoid(x, RESTING), 6)
case("trapezoid x level", lambda x: np.trapezoid(x, LEVEL), 6)
case("trapezoid x unsigned", lambda x: np.trapezoid(x, np.array([5, 2, 2, 2], np.uint8)), 4)
case("trapezoid x of two points", lambda x: np.trapezoid(x, [0.0, 2.0]), 4)
case("trapezoid x traced", lambda x: np.trapezoid([1.0, 3.0, 2.0], x), 3)
case("trapezoid both traced", lambda x: np.trapezoid(x[:3], x[3:]), 6)
case("trapezoid first axis", lambda x: np.trapezoid(grid(x), axis=0), 6)
case("trapezoid middle axis", lambda x: np.trapezoid(block(x), axis=-2), 12)
case("trapezoid axis and x", lambda x: np.trapezoid(block(x), [0.0, 0.0, 1.0], axis=1), 12)
case("trapezoid axis and x of one row", lambda x: np.trapezoid(grid(x), [[0.0], [1.0]], axis=0), 6)
case("trapezoid list of rows of x", lambda x: np.trapezoid(grid(x), ROWS.tolist()), 6)
case("trapezoid rows of x along", lambda x: np.trapezoid(grid(x), ROWS[::-1], axis=1), 6)
case("trapezoid rows of x", lambda x: np.trapezoid(grid(x), ROWS), 6)
case("trapezoid rows of x resting", lambda x: np.trapezoid(grid(x), RESTING_ROWS), 6)
case("trapezoid moving columns", lambda x: np.trapezoid(grid(x), ROWS, axis=0), 6)
case("trapezoid columns of x", lambda x: np.trapezoid(grid(x), RESTING_ROWS, axis=0), 6)
case("trapezoid complex", lambda x: np.trapezoid(complexes(x)), 8)
case("trapezoid complex x", lambda x: np.trapezoid(x, [0.0, 1j, 2.0]), 3)
case("trapezoid of a part constant", lambda x: np.trapezoid(np.append(x, [0.0, 2.0])), 3)
case("trapezoid of constants alone", lambda x: np.trapezoid(np.append(x, [2.0, 2.0])[1:]) * x, 1)
case("trapezoid of opaque elements", lambda x: np.trapezoid(np.append(np.floor(x[:2]), x[2:])), 4)
case("trapezoid whole numbers", lambda x: np.trapezoid((x > 1) * 1), 3)

case("gradient of two", lambda x: np.gradient(x), 2)
case("gradient of three", lambda x: np.gradient(x, edge_order=2), 3)
case("gradient number", lambda x: np.gradient(x, 2), 5)
case("gradient edge", lambda x: np.gradient(x, -0.5, edge_order=2), 6)
case("gradient edge of four", lambda x: np.gradient(x, edge_order=2), 4)
case("gradient points", lambda x: np.gradient(x, UNEVEN), 6)
case("gradient points edge", lambda x: np.gradient(x, UNEVEN, edge_order=2), 6)
case("gradient points backwards", lambda x: np.gradient(x, -UNEVEN, edge_order=2), 6)
case("gradient even points", lambda x: np.gradient(x, [0, 2, 4, 6]), 4)
case("gradient partly even points", lambda x: np.gradient(x, PARTLY_EVEN), 6)
case("gradient partly even edge", lambda x: np.gradient(x, PARTLY_EVEN, edge_order=2), 6)
case("gradient whole points", lambda x: np.gradient(x, np.array([0, 1, 3, 4], np.uint8)), 4)
case("gradient unsigned points", lambda x: np.gradient(x, np.array([1, 0, 255, 99], np.uint8)), 4)
case(
    "gradient points to and fro",
    lambda x: np.gradient(x, [0.0, 1.0, 0.5, 2.0, 1.0], edge_order=2),
    5,
)
case("gradient axes", lambda x: list(np.gradient(grid(x))), 6)
case("gradient axes numbers", lambda x: list(np.gradient(grid(x), 2, 0.5)), 6)
case("gradient axes points", lambda x: list(np.gradient(grid(x), 2, [0.0, 1.0, 3.0])), 6)
case("gradient axes one number", lambda x: list(np.gradient(block(x), 0.5)), 12)
case("gradient middle axis", lambda x: np.gradient(block(x), axis=1, edge_order=2), 12)
case("gradient middle axis points", lambda x: np.gradient(block(x), [0.0, 1, 3], axis=1), 12)
case(
    "gradient middle even points",
    lambda x: np.gradient(x.reshape(2, 6, 1), PARTLY_EVEN, axis=1),
    12,
)
case("gradient chosen axes", lambda x: list(np.gradient(block(x), axis=(2, 0))), 12)
case("gradient transposed", lambda x: list(np.gradient(grid(x).T, 2.0)), 6)
case("gradient backwards", lambda x: np.gradient(x[::-2], 2.0), 6)
case("gradient complex", lambda x: np.gradient(complexes(x), UNEVEN[:4]), 8)
case("gradient of a part constant", lambda x: np.gradient(np.append(x, [0.0, 2.0, 2.0])), 3)
case("gradient of opaque elements", lambda x: np.gradient(np.append(np.floor(x[:2]), x[2:])), 4)
case("gradient whole numbers", lambda x: np.gradient((x > 1) * 1), 3)
case("gradient traced number", lambda x: np.gradient(x[:4], x[4], edge_order=2), 5)
case("gradient traced and constant", lambda x: list(np.gradient(grid(x[:6]), x[6], 2.0)), 7)
case("gradient list", lambda x: np.gradient([x[0], 2.0, x[1], x[2]]), 3)

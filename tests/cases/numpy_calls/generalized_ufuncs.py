"""Calls of ufuncs with core dimensions, and their options."""

from __future__ import annotations

import numpy as np
from checks import Cases
from numpy.linalg import _umath_linalg

case = Cases()
M = np.arange(6.0).reshape(2, 3)


def grid(x):
    return x.reshape(2, 3)


def in_place(x):
    y = x.reshape(2, 2).copy()
    y @= np.array([[0.0, 1.0], [2.0, 0.0]])
    return y


case("matmul in place", in_place, 4)
case("matmul axes", lambda x: np.matmul(grid(x), M, axes=[(1, 0), (0, 1), (0, 1)]), 6)
case(
    "matmul axes of the result", lambda x: np.matmul(grid(x), M.T, axes=[(0, 1), (0, 1), (1, 0)]), 6
)
case(
    "matmul axes of a vector",
    lambda x: np.matmul(grid(x), np.arange(2.0), axes=[(1, 0), (0,), (0,)]),
    6,
)
case("vecdot axis", lambda x: np.vecdot(grid(x), M, axis=0), 6)
case("vecdot axes", lambda x: np.vecdot(grid(x), M.T, axes=[1, 0]), 6)
case("vecdot keepdims", lambda x: np.vecdot(grid(x), M, keepdims=True), 6)
case("vecdot keepdims axis", lambda x: np.vecdot(grid(x), M, axis=0, keepdims=True), 6)
case("vecdot list", lambda x: np.vecdot([x[0], 1.0, x[1]], x), 3)
case("det of a batch", lambda x: _umath_linalg.det(x.reshape(2, 2, 2)), 8)
case(
    "inv by axes",
    lambda x: _umath_linalg.inv(
        x.reshape(2, 2, 2) + np.array([[4.0, 0], [0, 4.0]])[:, None], axes=[(0, 2), (0, 2)]
    ),
    8,
)

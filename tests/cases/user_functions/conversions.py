"""Functions that convert and check their arguments first."""

import numbers

import numpy as np


def asarray_first(x):
    x = np.asarray(x, dtype=float)
    return x[1:] * x[:-1]


def array_copy_then_write(x):
    y = np.array(x, copy=True)
    y[0] = 1.0
    return y.cumsum()


def ravel_first(x):
    x = np.atleast_1d(np.asanyarray(x)).ravel()
    return np.ascontiguousarray(x) ** 2


def single_precision(x):
    return np.asarray(x, dtype=np.float32)[::-1] * 2


def require_floats(x):
    x = np.require(x, dtype=float, requirements=["C"])
    return np.array(x, ndmin=2).T @ np.array([1.0])


def array_of_elements(x):
    return np.array([x[0] ** 2, x[1] * x[2], 1.0])


def matrix_of_elements(x):
    rot = np.array([[np.cos(x[0]), -np.sin(x[0])], [np.sin(x[0]), np.cos(x[0])]])
    return rot @ x[1:3]


def float_first(x):
    a = float(x[0])
    b = float(x[1:].sum())
    return a * b, a**2


def checked_type(x):
    if not isinstance(x, np.ndarray) or x.dtype.kind != "f":
        raise TypeError("an array of floats is wanted")
    if x.ndim != 1 or len(x) < 2:
        raise ValueError("at least two numbers")
    return x / np.sqrt(np.sum(x**2))


def checked_elements(x):
    total = 0.0
    for v in x:
        assert np.isscalar(v)
        assert isinstance(v, numbers.Real)
        total = total + v * v
    return total


def items(x):
    a, b, c, d = x.tolist()
    return [a * b, c + x[3].item(), d]


def message(x):
    note = f"first {x[0]:.3f} of {len(x)}: {x}"
    return x * len(note[:3])


def from_generator(x):
    return np.fromiter((v**2 for v in x), dtype=float), np.array(list(map(float, x)))

"""Calls that make arrays after another's shape, convert them, or ask about them."""

from __future__ import annotations

import numpy as np
from checks import Cases

case = Cases()


def grid(x):
    return x.reshape(2, 3)


def written(y, x):
    """The buffer with some elements written."""
    y = y.copy()
    y[..., 1] = x[0]
    return y * x[-1]


for _name in "zeros_like ones_like empty_like".split():
    _f = getattr(np, _name)
    if _name != "empty_like":
        case(f"{_name}", lambda x, f=_f: f(x), 3)
    case(f"{_name} written", lambda x, f=_f: written(f(grid(x)), x)[..., 1:2], 6)
    case(f"{_name} shape", lambda x, f=_f: written(f(x, shape=(2, 2)), x)[..., 1:], 6)
    case(f"{_name} dtype", lambda x, f=_f: written(f(x, dtype=complex), x)[1:2], 6)
    case(f"{_name} int", lambda x, f=_f: f(x, dtype=int).shape[0] * x, 6)
case("zeros_like written and multiplied", lambda x: written(np.zeros_like(x), x), 3)
case("full_like", lambda x: np.full_like(x, 3.0) * x, 3)
case("full_like traced", lambda x: np.full_like(x, x[0]), 3)
case("full_like array", lambda x: np.full_like(grid(x), x[:3]), 6)
case("full_like dtype", lambda x: np.full_like(x, 2, dtype=np.float32), 3)
case("zeros_like order", lambda x: np.zeros_like(grid(x).T, order="C") + 1, 6)
case("astype", lambda x: np.astype(x, np.float32), 3)
case("astype int", lambda x: np.astype(x, int) * x[::-1], 3)
case("astype method", lambda x: x.astype(complex) ** 2, 3)
case("real", lambda x: np.real(x * (1 + 2j)), 3)
case("imag", lambda x: np.imag(x * (1 + 2j)), 3)
case("imag of real", lambda x: np.imag(x) * 3, 3)
case("real of real", lambda x: np.real(x), 3)
case(
    "real of a sum with constants",
    lambda x: np.concatenate([x, np.array([1 + 2j, 3j])]).real * 2,
    2,
)
case("imag of constants", lambda x: np.concatenate([x, np.array([1 + 2j, 3.0])]).imag[2:] * x, 2)
case("shape questions", lambda x: x * np.shape(grid(x))[1] * np.ndim(x) * np.size(grid(x), 1), 6)
case("size", lambda x: x * np.size(x) * x.size * len(x), 6)
case("size axis negative", lambda x: x * np.size(grid(x), axis=-2), 6)
case("result_type", lambda x: np.zeros(2, np.result_type(x, np.float32, 1.0)), 3)
case("result_type of a number", lambda x: np.zeros(2, np.result_type(x[0], 1)), 3)
case("common_type", lambda x: np.zeros(2, np.common_type(x, np.ones(2, np.float32))), 3)
case("questions of type", lambda x: x * np.iscomplexobj(x) + np.isrealobj(x), 3)
case("can_cast", lambda x: x * np.can_cast(x.dtype, complex), 3)
for _name, _make in {
    "zeros": lambda x: np.zeros(2, like=x),
    "ones": lambda x: np.ones((2, 2), like=x),
    "full": lambda x: np.full((2, 2), 3.0, like=x),
    "full traced": lambda x: np.full((2, 2), x[0], like=x),
    "eye": lambda x: np.eye(2, 3, k=1, like=x),
    "identity": lambda x: np.identity(2, like=x),
    "tri": lambda x: np.tri(2, 3, like=x),
    "arange": lambda x: np.arange(1.0, 4.0, like=x),
    "arange of ints": lambda x: np.arange(4, like=x),
    "fromfunction": lambda x: np.fromfunction(lambda i, j: i + j + 1, (2, 2), like=x),
    "fromiter": lambda x: np.fromiter([1.0, 2.0], float, like=x),
    "array": lambda x: np.array([[1.0, 2.0]], like=x),
    "array of elements": lambda x: np.array([x[0], 1.0, x[1] * x[2]], like=x),
    "array ndmin": lambda x: np.array(x, ndmin=2, like=x),
    "asarray": lambda x: np.asarray([x[0], 2.0], like=x),
    "asanyarray": lambda x: np.asanyarray(x, like=x),
    "ascontiguousarray": lambda x: np.ascontiguousarray(grid(x).T, like=x),
    "asfortranarray": lambda x: np.asfortranarray([1.0], like=x),
    "require": lambda x: np.require(x, like=x),
}.items():
    # compiled constructors look themselves up in the module, where the wrappers stand
    case(f"{_name} like", lambda x, f=_make: f(x) * x[-1], 6, capture=False)
case("zeros like, written", lambda x: written(np.zeros(2, like=x), x), 3, capture=False)
case("zeros like, captured", lambda x: np.zeros(2, like=x) * x[0], 3)

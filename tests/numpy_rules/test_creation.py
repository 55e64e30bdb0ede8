"""Arrays made after another's shape, conversions, and questions about arrays."""

from __future__ import annotations

import numpy as np
import pytest
from checks import Cases, check
from outside import Outside

import sparsetrace as st
from oracles import assert_same_pattern

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


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


def test_made_arrays_are_constant():
    def f(x):
        zeros, ones = np.zeros_like(x), np.ones_like(x)
        return zeros * x, (ones - 1) * x, np.zeros_like(x, shape=2) * x[:2]

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 0


def test_questions_have_plain_answers():
    seen = Outside()

    def f(x):
        y = x.reshape(2, 3)
        answers = {
            "shape": np.shape([x, x]),
            "ndim": (np.ndim(y), np.ndim([x[0], x[1]]), np.ndim(x[0])),
            "size": (np.size(y, 0), np.size(x[0])),
            "scalar": np.min_scalar_type(x),
            "cast": np.can_cast(x, np.float32),
            "shares": np.shares_memory(x, y[1]),
            "apart": np.may_share_memory(x, x.copy()),
            "plain": np.shares_memory(x, np.ones(3)),
            "text": (np.array_repr(x[:1]), np.array_str(x[:1]), np.array2string(x[:1])),
            "contiguous": np.isfortran(y.T),
        }
        seen.append(answers)
        return x

    st.jacobian_sparsity(f, np.ones(6))
    answers = seen[0]
    assert all(text.startswith("TracedArray([{0}], value ") for text in answers.pop("text"))
    assert answers == {
        "shape": (2, 6),
        "ndim": (2, 1, 0),
        "size": (2, 1),
        "scalar": np.dtype(float),
        "cast": False,
        "shares": True,
        "apart": False,
        "plain": False,
        "contiguous": True,
    }


def test_a_real_part_is_constant_where_the_number_is():
    def f(x):
        z = np.concatenate([x, np.array([2j])])
        return z[-1:].real * x[0], z[-1:].imag * x[0]

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(1)), [[0], [1]])


def test_indices_from_shapes():
    def f(x):
        a = x.reshape(3, 3)
        return a[np.tril_indices_from(a)], a[np.triu_indices_from(a, 1)], a[np.diag_indices_from(a)]

    pattern = st.jacobian_sparsity(f, np.ones(9))
    assert pattern.indices.tolist() == [0, 3, 4, 6, 7, 8, 1, 2, 5, 0, 4, 8]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.frombuffer(b"12345678", like=x),
        lambda x: np.fromstring("1 2", sep=" ", like=x),
        lambda x: np.loadtxt(["1 2"], like=x),
        lambda x: np.genfromtxt(["1 2"], like=x),
    ],
)
def test_reading_text_like_a_tracer(f):
    """What is read is constant, so that it needs no `like`."""
    assert st.jacobian_sparsity(lambda x: f(x), np.ones(2)).nnz == 0

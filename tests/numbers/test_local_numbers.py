"""Single numbers at a point: as the rules say of arrays of one element, and with NumPy's values."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from sparsetrace.operands.operands import values_of

VALUES = [0.0, -0.0, 0.5, -2.0, 1.0, 3.0, 1e-200, 1e200, 5e-324, np.inf, -np.inf, np.nan]
CONSTANTS = [0.0, 1.0, 2, 2.0, -1.5, 0, 1e200, np.float64(3.0), np.inf, 2**60]
OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": operator.pow,
}
ONES = [
    np.exp, np.sin, np.cos, np.tan, np.log, np.sqrt, np.square, np.tanh, np.arctan, np.arcsin,
    np.log1p, np.expm1, np.cbrt, np.reciprocal, np.negative, np.absolute, np.floor,
]  # fmt: skip


def traced(f, point):
    """The patterns of first and second order, and the value that the trace carries."""
    seen = Outside()

    def kept(x):
        result = f(x)
        seen.append(values_of(result))
        return np.reshape(result, ())

    with np.errstate(all="ignore"):
        jacobian = st.jacobian_sparsity(lambda x: np.stack([kept(x)]), point, local=True)
        hessian = st.hessian_sparsity(kept, point, local=True)
    values = {np.asarray(value, float).tobytes() for value in seen}
    return jacobian.toarray().tolist(), hessian.toarray().tolist(), values


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("a", VALUES)
def test_two_numbers(name, a):
    of = OPERATORS[name]
    for b in VALUES:
        if name == "power" and b == 0.5 and a in (0.0, -np.inf):
            continue  # NumPy takes the square root of an array, and the power of a number
        point = np.array([a, b])
        numbers = traced(lambda x: of(x[0], x[1]), point)
        assert numbers == traced(lambda x: of(x[:1], x[1:]), point), b


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("a", VALUES)
def test_a_number_and_a_constant(name, a):
    of, point = OPERATORS[name], np.array([a, 1.0])
    for constant in CONSTANTS:
        right = traced(lambda x, c=constant: of(x[0], c), point)
        assert right == traced(lambda x, c=constant: of(x[:1], c), point)
        left = traced(lambda x, c=constant: of(c, x[0]), point)
        assert left == traced(lambda x, c=constant: of(c, x[:1]), point)


@pytest.mark.parametrize("ufunc", ONES)
@pytest.mark.parametrize("a", VALUES)
def test_one_number(ufunc, a):
    point = np.array([a, 1.0])
    assert traced(lambda x: ufunc(x[0]), point) == traced(lambda x: ufunc(x[:1]), point)


def test_a_number_with_itself():
    for name, of in OPERATORS.items():
        for a in (0.5, -2.0):
            point = np.array([a])
            numbers = traced(lambda x, of=of: of(x[0], x[0]), point)
            assert numbers == traced(lambda x, of=of: of(x, x), point), name


@pytest.mark.parametrize("name", sorted(OPERATORS.keys() - {"power"}))
def test_errors_are_those_of_a_plain_run(name):
    of = OPERATORS[name]

    def told(x):
        try:
            with np.errstate(all="raise"):
                of(x[0], x[1])
        except FloatingPointError as error:
            return str(error).split(" encountered")[0]
        return ""

    seen = Outside()

    def f(x):
        seen.append(told(x))
        return x

    for a, b in itertools.product(VALUES[1:], VALUES[:6]):
        point = np.array([a, b])
        seen.clear()
        with np.errstate(all="ignore"):
            st.jacobian_sparsity(f, point, local=True)
        assert set(seen) == {told(point)}, (a, b)


def test_pythons_numbers():
    def f(x, y):
        return [x * y + 2.0 * x, x / y - 1, x**2, -x]

    pattern = st.jacobian_sparsity(f, 3.0, 0.5, local=True, argnums=(0, 1))
    assert pattern.toarray().astype(int).tolist() == [[1, 1], [1, 1], [1, 0], [1, 0]]
    flat = st.jacobian_sparsity(f, 0.0, 0.5, local=True, argnums=(0, 1))
    assert flat.toarray().astype(int).tolist() == [[1, 0], [1, 0], [0, 0], [1, 0]]

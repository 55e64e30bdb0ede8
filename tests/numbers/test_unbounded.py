"""Operators of numbers where names and bounds of values are kept: as where they are not."""

import operator

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.operands.unknown_bounds import bounds_of_unknown

N = 4
OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.pow,
    operator.mod,
    operator.floordiv,
]
CONSTANTS = [0.0, -0.0, 1.0, 2, -3.5, True, 10**30, 10**400, np.inf, np.nan, np.float64(2.0)]


@pytest.fixture(autouse=True)
def calm():
    """Nobody notices floating-point errors, which are errors in these tests otherwise."""
    with np.errstate(all="ignore"):
        yield


def named(x):
    """Has values named from here on."""
    return x[int(np.argmax(x))]


def number(x, i, kind):
    return x[i].item() if kind == "python" else x[i]


def patterns(take, calculation):
    """With names and without: of the last results, which are the same calculations."""
    x = np.linspace(0.2, 0.9, N)
    plain = take(calculation, x).toarray()
    behind = take(lambda x: (named(x), calculation(x))[1], x).toarray()
    return plain, behind


@pytest.mark.parametrize("kind", ["numpy", "python"])
@pytest.mark.parametrize("take", [st.jacobian_sparsity, st.hessian_sparsity])
@pytest.mark.parametrize("operate", OPERATORS)
def test_two_numbers(take, operate, kind):
    plain, behind = patterns(take, lambda x: operate(number(x, 0, kind), number(x, 2, kind)))
    assert plain.tolist() == behind.tolist()


@pytest.mark.parametrize("kind", ["numpy", "python"])
def test_comparisons_of_the_same_values_have_one_outcome(kind):
    def f(x):
        named(x)
        v, w = number(x, 0, kind), number(x, 1, kind)
        first = x[2] if v < w else x[3]
        return first if (v < w) == (v < w) else x[0]

    pattern = st.jacobian_sparsity(f, np.linspace(0.2, 0.9, N)).toarray().astype(int)
    assert pattern.tolist()[0][2:] == [1, 1]


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda c: str(c)[:8])
@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("take", [st.jacobian_sparsity, st.hessian_sparsity])
def test_beside_a_constant(take, reflected, constant):
    def calculation(x):
        operands = (constant, x[1]) if reflected else (x[1], constant)
        return operator.mul(*operands) * x[1]

    plain, behind = patterns(take, calculation)
    assert plain.tolist() == behind.tolist()


@pytest.mark.parametrize("constant", CONSTANTS[:-1], ids=lambda c: str(c)[:8])
def test_sums_with_numbers_of_python(constant):
    def calculation(x):
        v = x[1].item()
        try:
            return v * constant + v - constant
        except OverflowError:
            return v

    plain, behind = patterns(st.jacobian_sparsity, calculation)
    assert plain.tolist() == behind.tolist()


@pytest.mark.parametrize("kind", ["numpy", "python"])
def test_bounds_are_kept_where_there_are_any(kind):
    def f(x):
        named(x)
        v = number(x, 0, kind)
        half = int((v**2 / (1.0 + v**2)) * 0 + np.sin(v) * 1.4)  # from -1 to 1
        return x[half + np.arange(1, 3)]

    pattern = st.jacobian_sparsity(f, np.linspace(0.2, 0.9, N)).toarray().astype(int)
    assert pattern.tolist() == [[1, 1, 1, 0], [0, 1, 1, 1]]


def test_a_number_that_has_bounds_keeps_them_in_sums():
    def f(x):
        v = np.sin(x[0])
        named(x)
        w = np.sin(x[1])
        return x[int(w + 1.0)], x[int(1.0 + w * 1.0)], v

    pattern = st.jacobian_sparsity(f, np.linspace(0.2, 0.9, N)).toarray().astype(int)
    assert pattern.tolist() == [[1, 1, 1, 0], [1, 1, 1, 0], [1, 0, 0, 0]]


def test_floating_point_errors_are_seen_behind_names():
    def f(x):
        named(x)
        with np.errstate(all="raise"):
            try:
                return x[0] / x[1]
            except FloatingPointError:
                return x[2]

    pattern = st.jacobian_sparsity(f, np.linspace(0.2, 0.9, N)).toarray().astype(int)
    assert pattern.tolist() == [[1, 1, 1, 0]]


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.subtract, np.divide, np.power, np.hypot])
def test_bounds_of_unknown_numbers_hold(ufunc):
    rng = np.random.default_rng(1)
    values = rng.normal(size=200) * 10.0 ** rng.integers(-3, 4, 200)
    for constant in (-2.5, 0.5, 3.0):
        for operands in ((None, constant), (constant, None), (None, None)):
            low, high = bounds_of_unknown(ufunc, operands, np.dtype(float)) or (-np.inf, np.inf)
            low, high = (np.where(np.isnan(e), s, e) for e, s in ((low, -np.inf), (high, np.inf)))
            with np.errstate(all="ignore"):
                results = ufunc(*(values if o is None else o for o in operands))
            known = results[~np.isnan(results)]
            assert ((low <= known) & (known <= high)).all(), (ufunc, operands)

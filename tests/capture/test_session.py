"""Arrays of whole numbers and truth values that are made inside and take traced values."""

import numpy as np
import pytest
from checks import Cases, check

import sparsetrace as st

case = Cases()
GRID = np.linspace(-1.0, 1.5, 6)
TABLE = np.array([1.0, 4.0, 2.0, 0.5, 3.0, 7.0, 6.0])


def either(x):
    mask = np.zeros(4, bool)
    mask |= x > 1
    mask |= x < -1
    return np.where(mask, x**2, x[::-1])


def full(x):
    mask = np.full(x.shape, False)
    np.logical_or(mask, x > 0.3, out=mask)
    y = np.zeros_like(x)
    y[mask] = np.sin(x[mask])
    return y


def shifted(x):
    mask = np.ones(x.shape, dtype=bool)
    mask[1:] = x[1:] > x[:-1]
    return np.where(mask, x, 1.0)


def looked_up(x):
    places = np.empty(4, dtype=int)
    places[:] = np.searchsorted(GRID, x)
    return TABLE[places] * x


def one_by_one(x):
    best = np.zeros(2, dtype=int)
    for i in range(2):
        best[i] = np.argmax(x[2 * i : 2 * i + 2])
    return np.array([x[best[0]], x[2 + best[1]]])


def counted(x):
    counts = np.zeros(3, dtype=np.int64)
    counts[1] = x[0]
    counts[0] += 2
    return x[1:] * counts


def copied(x):
    mask = np.zeros(4, bool)
    other = mask.copy()
    other[0] = x[0] > 0
    return np.where(other & ~mask, x, 2 * x[1])


case("either", either, 4, -1.5, 2.0, points=40)
case("full", full, 4, -1.5, 2.0, points=40)
case("shifted", shifted, 4, -1.5, 2.0, points=40)
case("looked up", looked_up, 4, -1.5, 2.0, points=40)
case("one by one", one_by_one, 4, -1.5, 2.0, points=40, extra="whole numbers keep no bounds")
case("counted", counted, 4, -1.5, 2.0, points=40, extra="an unknown factor may be any number")
case("copied", copied, 4, -1.5, 2.0, points=40)


@case.parametrize()
def test_against_the_oracles(case):
    check(case)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, int])
def test_what_is_written_has_no_derivative(dtype):
    def f(x):
        y = np.zeros(3, dtype)
        y[1:] = x[1:]
        return y * 1.0

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 0
    rows = st.jacobian_sparsity(f, np.ones(3), dependency=True).toarray()
    assert (rows == np.diag([False, True, True])).all()


def test_constants_in_them_stay_known():
    def f(x):
        n = np.zeros(3, int)
        n[1] = 2
        n[2] = x[0] > 0
        return x[n[1]] * np.ones(n[1]) + n[2]

    assert (st.jacobian_sparsity(f, np.ones(3)).toarray() == [[0, 0, 1], [0, 0, 1]]).all()


def test_without_capture_they_are_refused():
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(either, np.ones(4), capture=False)

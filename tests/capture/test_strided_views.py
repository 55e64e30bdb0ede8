"""Views that ``as_strided`` makes of traced arrays."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from sparsetrace import TracingError, jacobian_sparsity

X = np.random.default_rng(0).uniform(1, 2, 8)


def windows(x):
    return as_strided(x, (3, 2), x.strides * 2)


def every_second(x):
    return windows(x[::2])


def blocks(x):
    return as_strided(x.reshape(2, 4), (2, 2, 2), (32, 16, 8)).sum(axis=2)


def through_the_module(x):
    return np.lib.stride_tricks.as_strided(x, (4,), (16,), writeable=False)


def written_afterwards(x):
    y = x.copy()
    w = windows(y)
    y[0] = x[5]
    return w * 1


def backwards(x):
    return as_strided(x[::-1], (3, 2), (-8, -16))


def repeated(x):
    return as_strided(x, (3, 2), (0, 8))


def before_its_first_element(x):
    return as_strided(x[4:], (5,), (-8,))


def toeplitz(x):
    return as_strided(np.concatenate((x[::-1], x[1:4]))[3:], (4, 4), (-8, 8))


def transposed(x):
    return as_strided(x.reshape(2, 4).T, (8,), (8,))


def in_fortrans_order(x):
    return as_strided(x.reshape(2, 4).T * 2.0, (8,), (8,))


def of_complex_numbers(x):
    return as_strided(x * (1 + 0j), (3, 2), (16, 16)).real


def all_of_one_point(x):
    return as_strided(x[2:3].reshape(()), (3,), (8,))


def nothing(x):
    return np.append(as_strided(x, (0, 2), (8, 8)).ravel(), x[:1])


def written_diagonal(x):
    a = np.zeros((3, 3))
    a[:] = x[:3, None]
    as_strided(a, (3,), (32,))[:] = x[3:6]
    return a


def written_blocks(x):
    a = x.reshape(4, 2).copy()
    b = as_strided(a, (2, 1, 2, 2), (32, 16, 16, 8))
    b[1] = 2 * x[0]
    b[0] += x[5]
    return a


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    "f",
    [
        windows,
        every_second,
        blocks,
        through_the_module,
        written_afterwards,
        backwards,
        repeated,
        before_its_first_element,
        toeplitz,
        transposed,
        in_fortrans_order,
        of_complex_numbers,
        all_of_one_point,
        nothing,
        written_diagonal,
        written_blocks,
    ],
)
def test_views_have_the_elements_of_memory(f, local):
    """They are linear in x, so that unit vectors show what they depend on."""
    expected = np.stack([f(e).ravel() for e in np.eye(8)], axis=1) != 0
    assert np.array_equal(jacobian_sparsity(f, X, local=local).toarray(), expected)


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: as_strided(x[4:], (5,), (8,)),
        lambda x: as_strided(x, (2,), (4,)),
        lambda x: as_strided(x[::-1], (2,), (8,)),
        lambda x: as_strided(x, (2, 2), (-8, 8)),
        lambda x: windows(x).__setitem__(0, 1.0),
        lambda x: as_strided(x, (2, 2), (24, 24)).__iadd__(1.0),
    ],
)
def test_other_views_are_refused(f, local):
    with pytest.raises(TracingError):
        jacobian_sparsity(f, X, local=local)

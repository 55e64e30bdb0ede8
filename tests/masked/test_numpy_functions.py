"""What is assumed of NumPy's functions of masked arrays: they forget, move or heed masks."""

from __future__ import annotations

import numpy as np
import pytest

from sparsetrace.masked import numpy_functions

A = np.ma.array([[3.0, 1.0, 2.0], [5.0, 4.0, 7.0]], mask=[[0, 1, 0], [0, 0, 1]])
ARGUMENTS = {
    np.broadcast_arrays: (A, A.data), np.broadcast_to: (A, (2, 2, 3)), np.convolve: (A[0], [1, 2]),
    np.cross: (A, A.data + 1), np.dot: (A, np.ones(3)), np.einsum: ("ij->i", A),
    np.inner: (A, np.ones(3)), np.interp: (A, [0.0, 9.0], [0.0, 3.0]), np.outer: (A, [1.0]),
    np.select: ([A.data > 2], [A]), np.tensordot: (A, np.ones(3), 1), np.vdot: (A, A.data),
    np.where: (A.data > 2, A, 0.0), np.take: (A, [1], 1), np.repeat: (A, 2), np.compress: ([1], A),
    np.reshape: (A, 6), np.swapaxes: (A, 0, 1), np.clip: (A, 2, 4), np.moveaxis: (A, 0, 1),
    np.roll: (A, 1), np.rollaxis: (A, 1), np.tile: (A, 2), np.split: (A, 2), np.hsplit: (A, 3),
    np.vsplit: (A, 2), np.array_split: (A, 2), np.dsplit: (A.reshape(1, 2, 3), 3),
    np.expand_dims: (A, 0),
    **dict.fromkeys(numpy_functions.FORGETTING - {np.dot, np.inner}, ([A, A],)),
}  # fmt: skip


def plain(arguments):
    return [
        [v.data if isinstance(v, np.ma.MaskedArray) else v for v in a]
        if isinstance(a, list)
        else a.data if isinstance(a, np.ma.MaskedArray) else a
        for a in arguments
    ]  # fmt: skip


def by_name(functions):
    """In an order that is the same in each process."""
    return sorted(functions, key=lambda function: function.__name__)


@pytest.mark.parametrize(
    "function", by_name(numpy_functions.DATA_ALONE | numpy_functions.FORGETTING)
)
def test_functions_of_numpy_that_forget_masks(function):
    arguments = ARGUMENTS.get(function, (A,))
    found = function(*arguments)
    np.testing.assert_equal(np.array(found), np.array(function(*plain(arguments))))
    assert not np.ma.is_masked(found)


@pytest.mark.parametrize("function", by_name(numpy_functions.BY_ELEMENT))
def test_functions_of_numpy_that_move_masks(function):
    arguments = ARGUMENTS.get(function, (A,))
    found, mask = function(*arguments), function(arguments[0].mask, *arguments[1:])
    found, mask = (v if isinstance(v, list) else [v] for v in (found, mask))
    for piece, hidden in zip(found, mask, strict=True):
        np.testing.assert_equal(np.ma.getmaskarray(piece), hidden)


@pytest.mark.parametrize("function", by_name(numpy_functions.BY_METHOD))
def test_functions_of_numpy_that_call_methods(function):
    arguments = ARGUMENTS.get(function, (A,))
    rest = arguments[1:]
    expected = getattr(A, function.__name__)(*rest)
    np.testing.assert_equal(np.ma.filled(function(*arguments), 0), np.ma.filled(expected, 0))

"""Rounding: a step function, unless its steps are finer than any difference of a solver's."""

import math

import numpy as np
import pytest

from sparsetrace import hessian_sparsity, jacobian_sparsity

POINT = np.array([1.234567, 2.345678])
ROUNDED = {
    "np.round": lambda x, digits: np.round(2 * x, digits),
    "np.around with out": lambda x, digits: np.around(2 * x, digits, out=np.empty(2)),
    "the method": lambda x, digits: (2 * x).round(digits),
    "numbers of Python's": lambda x, digits: [round(2 * v, digits) for v in x.tolist()],
    "numbers of NumPy's": lambda x, digits: [round(2 * v, digits) for v in x],
    "complex numbers": lambda x, digits: np.round(x * (1 + 2j), digits),
    "a masked array": lambda x, digits: np.ma.array(2 * x).round(digits).filled(0.0),
}


@pytest.mark.parametrize("local", [False, True], ids=["global", "local"])
@pytest.mark.parametrize("name", ROUNDED)
def test_many_decimals_keep_what_the_number_depends_on(name, local):
    def function(x, digits):
        return ROUNDED[name](x, digits)

    fine = jacobian_sparsity(function, POINT, 11, argnums=0, local=local)
    np.testing.assert_array_equal(fine.toarray(), np.eye(2))
    coarse = jacobian_sparsity(function, POINT, 3, argnums=0, local=local)
    assert coarse.nnz == 0


def test_constants_are_rounded_all_the_same():
    """A factor that is rounded to zero cuts, at any number of decimals."""
    pattern = jacobian_sparsity(lambda x: x * np.round([1e-15, 1.0], 12), POINT)
    np.testing.assert_array_equal(pattern.toarray(), [[0, 0], [0, 1]])


def test_fine_rounding_is_linear():
    pattern = hessian_sparsity(lambda x: np.round(x[0] * x[0], 10) + np.round(x[1], 10), POINT)
    np.testing.assert_array_equal(pattern.toarray(), [[1, 0], [0, 0]])


def significant(x, digits=3):
    return [np.round(v, digits - int(np.floor(np.log10(abs(v)))) - 1) for v in x]


def significant_of_constants(x):
    digits = 2 - math.floor(math.log10(x[0]))
    return np.round([0.0, 123.456], digits) * x[1]


def one_of_few(x):
    return round(x[1], int(np.clip(round(x[0]), 0, 3))) + x[0]


def test_decimals_that_depend_on_the_inputs():
    """There may be many; where there are just a few, a path each."""
    assert jacobian_sparsity(significant, POINT).toarray().astype(int).tolist() == [[1, 0], [0, 1]]
    assert jacobian_sparsity(significant, POINT, local=True).nnz == 0
    constants = jacobian_sparsity(significant_of_constants, POINT)
    assert constants.toarray().astype(int).tolist() == [[0, 0], [0, 1]]
    few = jacobian_sparsity(one_of_few, POINT)
    assert few.toarray().astype(int).tolist() == [[1, 0]]


LEVELS = np.array([1.0, 1, 2, 2, 1, 0, 2, 1, 2, 0])
ORDERS = {
    "a function": np.argsort,
    "a method": lambda a: a.argsort(),
    "of a kind": lambda a: np.argsort(a, kind="heapsort"),
    "stable": lambda a: np.argsort(a, stable=True),
    "whole numbers": lambda a: np.argsort(a.astype(int)),
    "columns": lambda a: np.argsort(np.stack([a, -a], axis=1), axis=0)[:, 1],
    "of many": lambda a: np.argsort(np.tile(a, 20))[:10] % 10,
    "partly": lambda a: np.argpartition(a, 4),
    "of keys": lambda a: np.lexsort((a,)),
}


@pytest.mark.parametrize("name", ORDERS)
def test_equal_constants_are_in_the_order_in_which_the_sort_leaves_them(name):
    def function(x):
        table = np.empty(11)
        table[:10], table[10] = LEVELS, x[0]
        return x[ORDERS[name](table[:10])]

    found = jacobian_sparsity(function, np.ones(10)).toarray()
    np.testing.assert_array_equal(found, np.eye(10)[ORDERS[name](LEVELS)])

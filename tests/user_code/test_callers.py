"""Sets and dicts in which a traced number is looked up: it is compared with each of the keys."""

import numpy as np
import pytest

from sparsetrace import TracingError, jacobian_sparsity

SPECIAL = {0.0, 2.5, float("inf"), float("nan"), "none", None}
TABLE = {0: 2.0, 3: 3.0, 7: 5.0}
LEVELS = {"high": 1.0, 2.5: 4.0}
PAIRS = {(1.0, 2.0): 3.0}
MANY = dict.fromkeys(map(float, range(100)), 1.0)
POINT = np.array([1.25, 2.0, 3.0, 4.0])


class Model:
    def __init__(self):
        self.special = {0.0, 4.0}


MODEL = Model()


def in_a_constant(x):
    return x[1] if x[0] in {0.0, 3.5} else x[2]


def in_a_global(x):
    return x[1] if float(x[0]) not in SPECIAL else x[2]


def in_an_attribute(x):
    return x[1] if x[0] in MODEL.special else x[2]


def in_a_variable(x):
    special = frozenset((1.0, 2.0))
    return sum(x[1] if v in special else v for v in x[:1]) + x[2]


def item(x):
    return TABLE[int(x[0])] * x[1] + x[2]


def item_or_not(x):
    try:
        return TABLE[int(x[0])] * x[1]
    except KeyError as error:
        return x[2] * error.args[0]


def item_of_few_values(x):
    """One of the two is missing, as in a plain run."""
    return {0: 1.0, 2: 3.0}[int(np.clip(x[0], 0.0, 2.0))] * x[1] + x[2]


def with_a_default(x):
    return LEVELS.get(x[0], x[1]) + x[2]


def by_a_method(x):
    get = TABLE.get
    return get(int(x[0]), 0.0) * x[1] + x[2]


def interned(x):
    v = float(x[0])
    return LEVELS.get(v, v) + x[1] + x[2]


EXPECTED = {
    in_a_constant: ([0, 1, 1, 0], [0, 0, 1, 0]),
    in_a_global: ([0, 1, 1, 0], [0, 1, 0, 0]),
    in_an_attribute: ([0, 1, 1, 0], [0, 0, 1, 0]),
    in_a_variable: ([1, 1, 1, 0], [1, 0, 1, 0]),
    item: ([0, 1, 1, 0], None),
    item_or_not: ([0, 1, 1, 0], [0, 0, 1, 0]),
    item_of_few_values: ([0, 1, 1, 0], None),
    with_a_default: ([0, 1, 1, 0], [0, 1, 1, 0]),
    by_a_method: ([0, 1, 1, 0], [0, 0, 1, 0]),
    interned: ([1, 1, 1, 0], [1, 1, 1, 0]),
}
"""Globally and at a point, where that has no item; none of the keys is there."""


@pytest.mark.parametrize("function", EXPECTED, ids=lambda f: f.__name__)
def test_each_key_is_a_branch(function):
    everywhere, at_the_point = EXPECTED[function]
    assert jacobian_sparsity(function, POINT).toarray().astype(int).tolist() == [everywhere]
    if at_the_point is None:
        with pytest.raises(KeyError):
            jacobian_sparsity(function, POINT, local=True)
    else:
        pattern = jacobian_sparsity(function, POINT, local=True)
        assert pattern.toarray().astype(int).tolist() == [at_the_point]


OTHERS = {7: 1.0}


def of_two(x, first=True):
    return (TABLE if first else OTHERS).get(int(x[0]), 0.0) * x[1]


def in_one_of_two(x, first=True):
    return x[1] if x[0] in (SPECIAL if first else MODEL.special) else x[2]


def item_of_two(x, first=True):
    return (TABLE if first else OTHERS)[int(x[0])] * x[1]


def of_pairs(x):
    return PAIRS.get((x[0], x[1]), 0.0) * x[2]


def of_many(x):
    return MANY.get(x[0], 0.0) * x[1]


def kept(x):
    memo = {}
    memo[x[0]] = x[1]
    return memo[x[0]]


def set_by_default(x):
    return {1.0: 2.0}.setdefault(x[0], x[1])


@pytest.mark.parametrize(
    "function", [of_two, in_one_of_two, item_of_two, of_pairs, of_many, kept, set_by_default]
)
def test_what_is_not_known_is_refused(function):
    with pytest.raises(TracingError):
        jacobian_sparsity(function, POINT)


@pytest.mark.parametrize("function", [with_a_default, in_a_global, interned])
def test_a_number_that_is_found_at_a_point_is_refused(function):
    """An earlier call at that point may have put it there."""
    with pytest.raises(TracingError, match="look the number up"):
        jacobian_sparsity(function, np.array([2.5, 2.0, 3.0, 4.0]), local=True)


def test_in_a_constant_at_a_point():
    point = np.array([3.5, 2.0, 3.0, 4.0])
    pattern = jacobian_sparsity(in_a_constant, point, local=True)
    assert pattern.toarray().astype(int).tolist() == [[0, 1, 1, 0]]  # equal at the point alone
    point[0] = 3.0
    pattern = jacobian_sparsity(in_a_constant, point, local=True)
    assert pattern.toarray().astype(int).tolist() == [[0, 0, 1, 0]]


class Quantity:
    def __init__(self, value):
        try:
            hash(value)
        except TypeError:
            value = 0.0
        hash((value, 1))
        self.value = value

    def __hash__(self):
        return hash(self.value)


@pytest.mark.parametrize("local", [False, True])
def test_a_hash_that_nobody_looks_at_may_be_any(local):
    pattern = jacobian_sparsity(lambda x: Quantity(x[1]).value * x[2], POINT, local=local)
    assert pattern.toarray().tolist() == [[False, True, True, False]]
    for f in (lambda x: hash(x[0]), lambda x: [hash(x[0])], lambda x: hash(Quantity(x[0]))):
        with pytest.raises(TracingError, match="hash"):
            jacobian_sparsity(f, POINT, local=local)

"""``range(n)`` and ``np.arange(n)`` with an n of which one bound is known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import sparsetrace as st
from sparsetrace.errors import ValueDependentError

X = np.full(5, 0.6)


def lags(x):
    """As `statsmodels.tsa.stattools.kpss`: the number of lags has a limit, and no least value."""
    n = min(int(np.ceil(x.sum())), 3)
    total = x[0] * 1.0
    for i in range(1, n + 1):
        total = total + x[i] * (1.0 - i / (n + 1.0))
    return total


def limited_by_a_branch(x):
    n = int(np.ceil(x[4]))
    if n > 2:
        n = 2
    return sum(x[i] for i in range(n)) + x[3]


def refused_above(x):
    n = int(np.ceil(x[4]))
    if n > 3:
        raise ValueError("too many")
    total = x[4]
    for i in range(n):
        total = total + x[i]
    return total


def by_minimum(x):
    n = int(np.minimum(np.floor(x.sum()), 4))
    total = x[0]
    for i in range(n):
        total = total * x[i]
    return total


def twice(x):
    n = min(int(np.ceil(x[4])), 2)
    first = [x[i] for i in range(n)]
    return [sum(first) + sum(2 * x[i + 2] for i in range(n)), x[0] if len(first) == 2 else x[1]]


def from_a_name(x):
    begin = 2
    n = min(int(np.ceil(x[4])), 4)
    total = x[0]
    for i in range(begin, n):
        total = total + x[i]
    return total


def of_numpys(x):
    n = min(int(np.ceil(x[4])), 3)
    return np.sum(np.arange(1, n + 1) * x[0]) + np.sum(x[np.arange(n)])


def no_turn(x):
    """Below the start no turn is made, whatever the number is; elsewhere it stays unknown."""
    n = min(int(np.floor(x[0])), 1)
    total = x[1] * n
    for i in range(n):
        total = total + x[i + 2]
    return total


PROGRAMS = {
    lags: [[1, 1, 1, 1, 0]],
    limited_by_a_branch: [[1, 1, 0, 1, 0]],
    refused_above: [[1, 1, 1, 0, 1]],
    by_minimum: [[1, 1, 1, 1, 0]],
    twice: [[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]],
    of_numpys: [[1, 1, 1, 0, 0]],
    from_a_name: [[1, 0, 1, 1, 0]],
    no_turn: [[0, 1, 1, 0, 0]],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_number_of_turns_is_a_path(program):
    assert_array_equal(st.jacobian_sparsity(program, X).toarray(), PROGRAMS[program])
    for scale in (0.1, 0.7, 1.0, 2.0, 3.5):
        try:
            pattern = st.jacobian_sparsity(program, scale * X, local=True).toarray()
        except ValueError:  # the function's own
            continue
        assert not (pattern.astype(bool) & ~np.array(PROGRAMS[program], bool)).any()


UNKNOWN = {
    "no limit": lambda x: sum(x[0] for _ in range(int(np.ceil(x[1])))),
    "a limit that is far": lambda x: sum(x[0] for _ in range(min(int(np.ceil(x[1])), 5000))),
    "a computed start": lambda x: sum(x[0] for _ in range(len(x) - 4, min(int(x[1]), 3))),
    "as the start": lambda x: sum(x[0] for _ in range(min(int(x[1]), 3), 3)),
    "with a step": lambda x: sum(x[0] for _ in range(3, min(int(x[1]), 2), -1)),
    "another function": lambda x: [0.0] * min(int(x[1]), 3),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_ends_of_which_too_little_is_known_are_refused(name):
    with pytest.raises(ValueDependentError, match="an index or a count"):
        st.jacobian_sparsity(UNKNOWN[name], X)

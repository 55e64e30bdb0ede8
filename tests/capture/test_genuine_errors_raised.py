"""A ``raise`` below tests of constants, below the last decision of its path."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import sparsetrace as st
from oracles import dense
from sparsetrace.capture import branches
from sparsetrace.capture import numpy_lists as lists

TYPES = (float, np.ndarray)
"""Asked for by a function, these make each of its errors one that types may have led to."""


def refused_below_a_size(x):
    return in_range(x) * x[0] if isinstance(x, TYPES) else str(x)


def in_range(x):
    if np.any(np.abs(x[1:]) > 90.0):
        if np.size(x) < 5:
            raise ValueError(f"an angle is too large: {x}")
        raise ValueError("an angle of many is too large")
    return x


def refused_unless_quiet(x, quiet=False):
    x = x if isinstance(x, TYPES) else np.asarray(x)
    if np.any(x > 9.0):
        message = "{} is too large".format(x)  # noqa: UP032 (a text by this name)
        if not quiet:
            raise ValueError(message)
    return x * x[0]


def refused_after_a_call(x, zero=np.sin, check=True):
    x = x if isinstance(x, TYPES) else np.asarray(x)
    for v in x[1:]:
        if v == 0.0:
            if check and zero(1.0) != 0:
                raise ValueError("a value at zero is not zero")
            return x
    return x * x[0]


@pytest.mark.parametrize("f", [refused_below_a_size, refused_unless_quiet, refused_after_a_call])
def test_a_raise_below_tests_of_constants_is_left_out(f):
    pattern = st.jacobian_sparsity(f, np.ones(3))
    assert dense(pattern).tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    assert "ValueError" in pattern.left_out[0]


def refused_by_its_text(x):
    shown = str(x[0])
    if x[1] > 0:
        if not shown.lstrip("-")[0].isdigit():
            raise ValueError(f"{shown} is no whole number")
        return x[1]
    return x[0]


def refused_by_its_type(x):
    if x[1] > 0 and not isinstance(x[0], int):
        raise TypeError("no whole number")
    return x[0]


def refused_by_what_its_type_gave(x):
    if x[1] > 0:
        plain = type(x[0]) is int
        if not plain:
            raise ValueError("no whole number")
    return x[0]


@pytest.mark.parametrize(
    "f", [refused_by_its_text, refused_by_its_type, refused_by_what_its_type_gave]
)
def test_a_raise_below_a_test_of_types_is_not(f):
    """A plain number of NumPy's is refused there as well; of others nobody knows."""
    with pytest.raises(st.EscapeError, match="no whole number"):
        st.jacobian_sparsity(f, -np.ones(2))


def asks_afterwards(x):
    y = of_enough(x[x > 0.5])
    return y if isinstance(y, TYPES) else str(y)


def asks_in_a_loop(x):
    y = x
    for _ in range(2):
        y = of_enough(y[y > 0.5])
        y = y * (2.0 if isinstance(y, TYPES) else 1.0)
    return y.sum()


def asks_in_a_handler(x):
    try:
        x = 1.0 / int(x.size > 0) * x
    except ZeroDivisionError:
        x = x if isinstance(x, TYPES) else 1.0
    return of_enough(x[x > 0.5]).sum()


def of_enough(picked):
    if picked.shape[0] < 1:
        raise ValueError("too few elements")
    return picked.sum()[None]


def test_a_test_of_types_that_comes_after_the_error_does_not_count():
    pattern = st.jacobian_sparsity(asks_afterwards, np.ones(3))
    assert dense(pattern).tolist() == [[1, 1, 1]]
    assert "too few elements" in pattern.left_out[0]


@pytest.mark.parametrize("f", [asks_in_a_loop, asks_in_a_handler])
def test_a_test_of_types_that_may_have_come_before_it_does(f):
    with pytest.raises(st.EscapeError, match="too few elements"):
        st.jacobian_sparsity(f, np.ones(3))


def solved(x):
    a = np.diag(x[:2]) if x[2] > 0 else np.full((2, 2), np.nan)
    return np.asarray(scipy.linalg.solve(a, [1.0, 2.0])), isinstance(x, TYPES)


def pair_of(x):
    first, second = x[x > 0.5]
    return first * second


def place_beside(x):
    return np.sin(x)[np.argmax(x[:2]) + (1 if x[2] > 0 else 4)]


@pytest.mark.parametrize(
    ("f", "expected", "shown"),
    [
        (lambda x: solved(x)[0], [[1, 0, 0], [0, 1, 0]], "NaN"),
        (pair_of, [[1, 1, 1]], "values to unpack"),
        (place_beside, [[0, 1, 1]], "out of bounds"),
    ],
)
def test_what_a_plain_call_on_the_path_fails_by_is_left_out(f, expected, shown):
    pattern = st.jacobian_sparsity(f, np.array([0.7, 0.8, 0.3]))
    assert dense(pattern).tolist() == expected
    assert any(shown in line for line in pattern.left_out)


@pytest.mark.parametrize(("module", "own"), [(branches, False), (lists, True)])
def test_a_mistake_of_the_search_is_no_error_of_the_function(module, own):
    scope = {}
    exec(compile("def f(x): return max(())", module.__file__, "exec"), scope)

    def f(x):
        return x if x[0] > 0 else scope["f"](x)

    if own:
        assert st.jacobian_sparsity(f, np.ones(2)).left_out
    else:
        with pytest.raises((ValueError, st.TracingError), match="empty"):
            st.jacobian_sparsity(f, np.ones(2))

"""A ``raise`` below tests of constants, below the last decision of its path."""

from __future__ import annotations

import numpy as np
import pytest

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

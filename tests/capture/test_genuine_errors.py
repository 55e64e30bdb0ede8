"""Errors of the function, of libraries and of the trace are told apart, swallowed or not."""

from __future__ import annotations

import contextlib
import functools
import importlib
import operator
import sys

import numpy as np
import pytest
import scipy.linalg

import sparsetrace as st
from oracles import dense


def test_the_functions_own_errors_pass_unchanged():
    class Mine(Exception):
        pass

    def f(x):
        raise Mine(f"no luck with {type(x)}")

    with pytest.raises(Mine):
        st.jacobian_sparsity(f, np.ones(2))
    with pytest.raises(ValueError, match="reshape"):
        st.jacobian_sparsity(lambda x: x.reshape(3), np.ones(2))
    with pytest.raises(IndexError):
        st.jacobian_sparsity(lambda x: x[5], np.ones(2))


def test_errors_of_libraries_keep_their_cause():
    match = r"scipy\.linalg\.bandwidth at .*test_genuine_errors"
    with pytest.raises(st.EscapeError, match=match) as caught:
        st.jacobian_sparsity(lambda x: scipy.linalg.bandwidth(x.reshape(2, 2)), np.ones(4))
    assert isinstance(caught.value.__cause__, (TypeError, ValueError))


def test_a_path_lost_in_a_library_is_not_ignored():
    def f(x):
        if x[0] > 1.0:
            return scipy.linalg.bandwidth(x.reshape(2, 2))[0]
        return x[:2]

    with pytest.raises(st.EscapeError, match="bandwidth"):
        st.jacobian_sparsity(f, np.ones(4))


def test_what_floats_refuse_too_may_be_caught():
    def f(x):
        try:
            return sum(x[0])
        except TypeError:
            return x[0] * x[1]

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2


def swallowing_method():
    class Solver:
        def __call__(self, x):
            return self.solve(x)

        def solve(self, x):
            try:
                return scipy.linalg.bandwidth(x.reshape(2, 2))
            except (ValueError, TypeError):
                return np.zeros(2)

    return Solver()


def swallowing_context():
    def f(x):
        y = np.zeros(2)
        with contextlib.suppress(Exception):
            y = scipy.linalg.bandwidth(x.reshape(2, 2))
        return y

    return functools.partial(f)


def swallowing_attribute():
    def helper(v):
        try:
            return v.hex()
        except AttributeError:
            return 0.0

    return lambda x: [helper(v) for v in x]


@pytest.mark.parametrize("make", [swallowing_method, swallowing_context, swallowing_attribute])
def test_a_swallowed_escape_fails_the_trace(make):
    with pytest.raises(st.EscapeError):
        st.jacobian_sparsity(make(), np.ones(4))


# ------------------------------------------------------------------------- installed packages
INSTALLED = """
import math

LIMITS = [0.1, 0.4, 1.0]


def between(v):
    for i in range(len(LIMITS)):
        low, high = LIMITS[i], LIMITS[i + 1]
        if low <= v <= high:
            return v * low


def in_season(v, w):
    if v > 1.0:
        factor = w
    elif v < 0.5:
        factor = v
    return factor * v


def searched(v, w):
    step = w
    for _ in range(3):
        if abs(v - step) < 0.1:
            return step * v
        step = step / 2
    raise ValueError("no solution")


def series(t, limit, coefficients):
    if t > limit:
        return t * limit
    return sum(c * t for c in coefficients)


def in_place(v, w):
    try:
        v[v < 0] = 0.0
    except TypeError:
        v = v if v > 0 else 0.0
    return v * w


def told_apart(v, w):
    if v > 0:
        if not isinstance(v, int) and type(v).__name__ != "float64":
            raise ValueError("no number")
        return v * w
    return v


def memory(v, w):
    if v > 0:
        return memoryview(v)[()] * w
    return v


def compiled(v, w):
    if v > 0:
        return routine([v, w])[1]
    return v


def counted(v, w):
    if v > 5:
        return len(v)
    return v * w


def emptied(v, w):
    places = set()
    if v > 5:
        return set(places).union(places).pop() * w
    return v * w


def least(u, v):
    values = [u * 1.0, v * 1.0]
    return [u, v][values.index(min(values))]
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package of somebody else's, where pip puts it."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "somebodys_solver.py").write_text(INSTALLED)
    monkeypatch.syspath_prepend(str(folder))
    yield importlib.import_module("somebodys_solver")
    del sys.modules["somebodys_solver"]


@pytest.mark.parametrize(
    ("name", "count", "error"),
    [
        ("between", 1, "IndexError"),
        ("in_season", 2, "UnboundLocalError"),
        ("searched", 2, "ValueError: no solution"),
        ("series", 3, "TypeError"),
        ("counted", 2, "TypeError"),
        ("emptied", 2, "KeyError"),
        ("least", 2, "is not in list"),
    ],
)
def test_what_a_path_through_a_package_fails_by_is_left_out(installed, name, count, error):
    function, x = getattr(installed, name), np.array([0.3, 0.2, 0.1])
    pattern = st.jacobian_sparsity(lambda x: function(*x[:count]), x)
    expected = [count > 0, count > 1, False]
    assert pattern.toarray().tolist() == [expected]
    assert any(error in line for line in pattern.left_out)


LARGE = np.array([5.0, 6.0, 7.0])


def truth_of_an_array(x):
    if np.sum(x) > 9.0:
        return x if x > 1.0 else -x
    return x * x[0]


def steps_of_a_sign(x):
    return np.arange(1.0, 4.0)[:: int(np.sign(x[0]))] * x


def item_of_a_number(x):
    last = 1.0 if np.sum(x) > 9.0 else x
    try:
        return last[0] * x[1:]
    except TypeError:
        return last * x[:-1]


def length_of_a_number(x):
    last = 3 if np.sum(x) > 9.0 else x
    return x[1:] * len(last)


@pytest.mark.parametrize(
    ("f", "at", "expected", "shown"),
    [
        (truth_of_an_array, LARGE, [[1, 0, 0], [1, 1, 0], [1, 0, 1]], "truth value of an array"),
        (steps_of_a_sign, np.zeros(3), np.eye(3).tolist(), "slice step cannot be zero"),
        (length_of_a_number, LARGE, [[0, 1, 0], [0, 0, 1]], r"has no len\(\)"),
    ],
)
def test_what_arrays_and_plain_numbers_refuse_alike_is_left_out(f, at, expected, shown):
    with pytest.raises((TypeError, ValueError), match=shown):
        f(at)
    pattern = st.jacobian_sparsity(f, np.ones(3))
    assert pattern.toarray().astype(int).tolist() == expected
    assert shown.replace("\\", "") in pattern.left_out[0]


def test_what_a_plain_number_refuses_may_be_caught():
    expected = [[1, 1, 0], [1, 1, 1]]
    assert st.jacobian_sparsity(item_of_a_number, np.ones(3)).toarray().tolist() == expected


def test_an_assignment_to_an_element_of_a_number_fails_as_in_numpy(installed):
    for x in (np.ones(2), np.ones((2, 3))):
        plain = installed.in_place(*x)
        pattern = st.jacobian_sparsity(lambda x: installed.in_place(*x), x)
        assert pattern.shape == (plain.size, x.size)
        assert pattern.nnz == 2 * plain.size


def test_what_a_routine_without_a_frame_fails_by_is_not_left_out(installed):
    """Of compiled code, which has no frame, nobody knows what it makes of traced numbers."""
    installed.routine = operator.itemgetter(2)
    with pytest.raises(st.EscapeError, match="compiled"):
        st.jacobian_sparsity(lambda x: installed.compiled(*x), np.array([-1.0, 1.0]))


@pytest.mark.parametrize("name", ["told_apart", "memory"])
def test_an_error_that_the_trace_makes_in_a_package_is_not_left_out(installed, name):
    function = getattr(installed, name)
    try:
        pattern = st.jacobian_sparsity(lambda x: function(*x), np.ones(2))
    except st.TracingError:
        return
    assert pattern.nnz == 2
    assert not pattern.left_out


def without_shape(x):
    v = float(x[0])
    return np.zeros(v.shape) + v if x[1] > 0 else v * x[2]


def without_method(x):
    return x.remove(3.0) if x[1] > 0 else x[0] * x[2]


def without_name(x):
    return np.the_name_of_old if x[1] > 0 else x[0] * x[2]


def with_a_name_of_old(x):
    return np.NaN * x if x[1] > 0 else x[0] * x[2]  # noqa: NPY201


def sought(v):
    return v if v < 0 else None


def of_none(x):
    return 2.0 * sought(x[1]) * x[0] * x[2] if x[1] > -1 else x[0] * x[2]


def negative_of_none(x):
    return x[0] * -(sought(x[2]) if x[1] > 0 else 1.0)


def logarithm_of_none(x):
    return x[0] * x[2] * np.log10(sought(2.0) if x[1] > 0 else 10.0)


def compared_with_none(x):
    return x[0] * x[2] if (sought(x[1]) if x[1] > 0 else -2.0) < 3.0 else 1.0


@pytest.mark.parametrize(
    ("f", "error", "columns"),
    [
        (without_shape, "AttributeError: 'float' object", [0, 2]),
        (without_method, "AttributeError", [0, 2]),
        (without_name, "AttributeError: module 'numpy'", [0, 2]),
        (with_a_name_of_old, "AttributeError: `np.NaN` was removed", [0, 2]),
        (of_none, "TypeError", [0, 1, 2]),
        (logarithm_of_none, "TypeError: loop of ufunc", [0, 2]),
        (negative_of_none, "TypeError: bad operand", [0, 2]),
        (compared_with_none, "TypeError: '<' not supported", [0, 2]),
    ],
)
def test_what_objects_and_none_lack_on_a_path_is_the_functions_own_failure(f, error, columns):
    pattern = st.jacobian_sparsity(f, np.ones(3))
    assert pattern.indices.tolist() == columns
    assert any(error in line for line in pattern.left_out)


class Outside(Exception):
    pass


def within(x):
    if np.isnan(x).any():
        raise Outside("no number")
    if x[0] > 1:
        raise Outside("too large")
    return x * x[1]


def named_anew(x):
    try:
        return within(x)
    except Outside as error:
        raise RuntimeError(f"{error!s} {type(error)}") from error
    except KeyError:
        return x[0]


def named_by_type(x):
    try:
        return within(x)
    except Outside:
        if isinstance(x[0], np.floating):
            return x * x[2]
        raise RuntimeError("a number of NumPy's is wanted") from None


def test_an_error_that_a_handler_raises_of_the_functions_own_is_its_own():
    pattern = st.jacobian_sparsity(named_anew, np.full(3, 0.5))
    assert dense(pattern).tolist() == [[1, 1, 0], [0, 1, 0], [0, 1, 1]]
    assert len(pattern.left_out) == 2
    assert all("RuntimeError" in line for line in pattern.left_out)
    pattern = st.jacobian_sparsity(named_by_type, np.full(3, 0.5))
    assert dense(pattern).tolist() == [[1, 1, 1], [0, 1, 1], [0, 1, 1]]
    assert not pattern.left_out


def refused_with_a_long_message(x):
    y, turns = x[0], 0
    while abs(y) > 1e-9:
        y, turns = y * x[1], turns + 1
        if turns > 9:
            raise ValueError(f"{y!s} after {turns} turns")
    return y


def refused_far_within(x):
    start = (x, str(x))[0]
    return refused_with_a_long_message(start)


def told_by_its_text(x):
    shown = str(x[1])
    if x[0] > 1:
        return x[2]
    if not shown.lstrip("-")[0].isdigit():
        raise ValueError(f"{shown} is not a number")
    return x[1]


def test_how_a_message_is_made_does_not_count():
    pattern = st.jacobian_sparsity(refused_with_a_long_message, np.full(3, 0.5))
    assert pattern.indices.tolist() == [0, 1]
    assert all("after 10 turns" in line for line in pattern.left_out)
    with pytest.raises(st.EscapeError, match="is not a number"):
        st.jacobian_sparsity(told_by_its_text, np.ones(3))
    with pytest.raises(st.EscapeError, match="after 10 turns"):  # text decides, perhaps
        st.jacobian_sparsity(refused_far_within, np.full(3, 0.01))


def refused_by_a_name(x, test=operator.gt):
    if test(x[0], 1.0):
        name = test.func.__name__ if hasattr(test, "func") else test.__name__
        raise Outside(f"{x[0]} is {name} 1")
    return x * x[1]


def refused_by_a_type(x):
    if x[0] > 1.0:
        if isinstance(x[1], float):
            return x[1] * x[2]
        raise Outside("no number")
    return x[0]


def test_a_test_that_leads_to_the_error_by_both_ways_does_not_count():
    pattern = st.jacobian_sparsity(refused_by_a_name, np.full(3, 0.5))
    assert dense(pattern).tolist() == [[1, 1, 0], [0, 1, 0], [0, 1, 1]]
    assert "is gt 1" in pattern.left_out[0]
    assert st.jacobian_sparsity(refused_by_a_type, np.full(3, 0.5)).indices.tolist() == [0, 1, 2]


def asks_and_lacks(x):
    wanted = x if isinstance(x, list) else 1.0
    return wanted.copied() if x[1] > 0 else x[0]


def test_what_code_lacks_that_asks_for_types_is_not_left_out():
    with pytest.raises(st.EscapeError, match="copied"):
        st.jacobian_sparsity(asks_and_lacks, -np.ones(3))


def picked(x):
    """Rows beside elements: where fewer are picked, their shapes do not fit."""
    rows, elements = np.outer(x[:3], [1.0, 2.0, 3.0]), x[:3]
    chosen = elements > 0.1
    return (rows[chosen] / elements[chosen]).sum() * x


def picked_and_caught(x):
    try:
        return picked(x)
    except ValueError:
        return x * x[3]


def test_shapes_that_do_not_fit_on_a_path_alone():
    x = np.array([0.3, 0.5, 0.8, 0.9])
    pattern = st.jacobian_sparsity(picked, x)
    assert dense(pattern).tolist() == dense(st.jacobian_sparsity(picked, x, local=True)).tolist()
    assert all("broadcast" in line for line in pattern.left_out)
    assert dense(st.jacobian_sparsity(picked_and_caught, x)).all()
    with pytest.raises(ValueError, match="broadcast"):
        st.jacobian_sparsity(lambda x: x[:3] * x[:2], x)


def lengths_that_differ(x):
    places = np.flatnonzero(np.isfinite(x))
    return np.interp(1.5, places, x[~np.isnan(x)])  # an infinite number is in one of them alone


def a_fit_to_nothing(x):
    m = x > 1
    return np.polyfit(np.arange(4.0)[m], x[m], 1) if m.sum() > 2 else np.zeros(2)


@pytest.mark.parametrize("f", [lengths_that_differ, a_fit_to_nothing])
def test_what_numpy_refuses_for_its_shape_is_left_out(f):
    pattern = st.jacobian_sparsity(f, np.ones(4))
    assert pattern.toarray().all()
    assert any("same length" in line or "non-empty" in line for line in pattern.left_out)


def test_what_numpy_takes_is_not_left_out():
    """The error is of the trace alone: the function refuses nothing."""

    def f(x):
        y = x[:2]
        if x[2] > 0:
            y = np.asarray(memoryview(x))[:2]
        return y

    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(f, np.ones(3))


def test_a_call_that_was_made_often_before():
    """Python 3.11 and later stand elsewhere at such a call, within the instruction's cache."""

    def fail():
        raise ValueError("too small")

    def f(x):
        if x[0] > 0.5:
            return x * x[1]
        fail()

    for _ in range(30):
        pattern = st.jacobian_sparsity(f, np.ones(2))
        assert pattern.nnz == 3
        assert "too small" in pattern.left_out[0]


def as_many_written_as_picked(x):
    count = len(x[x > 0])
    y = x * x[0]
    y[:2] = x[:count]
    return y


def as_many_rows_written_as_picked(x):
    y = np.outer(x, x)
    inside = np.flatnonzero(x > 0)
    rows = np.ones((len(inside), 1)) * x
    y[[0, 1]] = rows
    return y[0] * y[1]


def test_what_does_not_fit_where_it_is_written_fails_as_in_numpy():
    """One element, or two, do fit; the path is left out on which none is there, or three are."""
    pattern = st.jacobian_sparsity(as_many_written_as_picked, np.array([1.0, 2.0, -1.0]))
    assert pattern.toarray().tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    assert "could not broadcast input array from shape (3,)" in "".join(pattern.left_out)
    pattern = st.jacobian_sparsity(as_many_rows_written_as_picked, np.array([1.0, 2.0, -1.0]))
    assert pattern.toarray().tolist() == np.eye(3, dtype=bool).tolist()
    assert "could not be broadcast to indexing result" in "".join(pattern.left_out)


def written_under_a_mask(x, count):
    y = x * x[0]
    y[np.array([True, True, False])] = x[:count]
    return y


def stacked(x, count):
    return np.stack([x[:count], x[1:]]).sum() * x[2]


def joined(x, count):
    return np.concatenate([x[:count, None] * x[1:], x[1:][:, None] * np.ones((1, 2))], axis=1)[0]


def reshaped(x, count):
    return x[:count].reshape(2, 1)[0] * x[0]


def multiplied(x, count):
    return x[:count] @ np.eye(2, 3) * x[0]


def dotted(x, count):
    return np.dot(np.eye(2), x[:count]) * x[0]


def assigned_in_two_dimensions(x, count):
    y = x.copy()
    y[np.ones(3, bool)] = x[:1] if count == 2 else x.reshape(1, 3)
    return y[0]


@pytest.mark.parametrize(
    "function",
    [
        *(written_under_a_mask, stacked, joined, reshaped, multiplied, dotted),
        assigned_in_two_dimensions,
    ],
)
def test_what_no_operation_takes_of_so_many_elements_fails_as_in_numpy(function):
    """Two elements fit, one where it is broadcast; the other paths are left out."""
    x = np.array([1.0, 2.0, -1.0])
    pattern = st.jacobian_sparsity(lambda x: function(x, len(x[x > 0])), x)
    expected = dense(st.jacobian_sparsity(lambda x: function(x, 2), x))
    if function is written_under_a_mask:
        expected |= dense(st.jacobian_sparsity(lambda x: function(x, 1), x))
    assert dense(pattern).tolist() == expected.tolist()
    assert pattern.left_out

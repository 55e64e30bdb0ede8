"""What a function fills that it has made itself, and what is not its own."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.user_code.effects import has_effects

WORK = np.zeros(3)
fill = np.copyto


def own(v):
    y = np.zeros(3)
    np.copyto(y, v)
    np.place(y, y > v, [v])
    np.putmask(y[1:], y[1:] > v, 2.0)
    np.put(y, [0], v, mode="clip")
    fill(y, v, where=y > 0)
    m = np.zeros((2, 2))
    np.fill_diagonal(m[:], v)
    np.put_along_axis(m, np.zeros((2, 1), int), v, 1)
    return y, m


def imported_within(v):
    from numpy import copyto

    y = np.zeros(3)
    copyto(y, v)
    return y


def a_global(v):
    np.copyto(WORK, v)


def imported_and_a_global(v):
    from numpy import copyto

    copyto(WORK, v)


def a_keyword(v):
    y = np.zeros(3)
    np.copyto(src=y, dst=v)


def chosen(v):
    y = np.zeros(3)
    np.copyto(y if v is None else WORK, v)


def either(v):
    y = np.zeros(0)
    np.copyto((y.size and y) or WORK, v)


def what_it_was_given(v, y):
    np.put(y, [0], v)


def one_of_two_calls(v):
    y = np.zeros(3)
    return np.copyto(y, v), np.copyto(WORK, y)


def by_another_name(v):
    y = np.zeros(3)
    put = np.copyto
    put(WORK, y + v)


def unpacked(v):
    args = WORK, v
    np.copyto(*args)


def handed_on(v):
    return list(map(np.copyto, [WORK], [v]))


def a_view_that_it_has_not_made(v):
    y = WORK[1:]
    np.copyto(y, v)


@pytest.mark.parametrize("f", [own, imported_within])
def test_what_fills_an_own_array_changes_nothing_else(f):
    assert not has_effects(f)


@pytest.mark.parametrize(
    "f",
    [
        *(a_global, imported_and_a_global, a_keyword, chosen, either, what_it_was_given),
        *(one_of_two_calls, by_another_name, unpacked, handed_on, a_view_that_it_has_not_made),
    ],
)
def test_what_fills_another_array_changes_that(f):
    assert has_effects(f, (0.5, np.zeros(3))[: f.__code__.co_argcount])


@pytest.mark.parametrize("f", [a_global, what_it_was_given])
def test_what_is_undone_is_no_effect(f):
    args = (0.5, np.zeros(3))[: f.__code__.co_argcount]
    assert not has_effects(f, args, undoes=True, undoes_all=True)


def counted_down(v):
    n = len(v)
    total = 0.0
    last = int(v[0])
    while n > last:
        n -= 1
        total += v[n]
    return total


def counted_by_another(v, count):
    n = count(v)
    n -= 1
    return n


def test_numbers_of_pythons_functions_are_its_own():
    assert not has_effects(counted_down, (np.ones(3),))
    assert has_effects(counted_by_another, (np.ones(3), np.asarray))


def test_a_length_that_is_counted_down_is_run_apart():
    def f(x):
        return [np.sum(row[: length(row)] ** 2) for row in x.reshape(-1, 2)]

    def length(row):
        n = len(row)
        while n > 0 and np.all(np.isnan(row[n - 1])):
            n -= 1
        return n

    pattern = st.jacobian_sparsity(f, np.ones(60)).toarray()
    assert np.array_equal(pattern, np.kron(np.eye(30), np.ones((1, 2))).astype(bool))

"""Which functions return numbers on each of their paths, as their bytecode says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sparsetrace.user_code.returned_kinds import number_names, returns_numbers


class Own(Exception):
    pass


def bisected(f, a, b, *args, count=60, full=False):
    fa = f(a, *args)
    xa, xb = a, b
    low = high = middle = a * 1.0
    for i in range(count):
        middle = 0.5 * (xa + xb)
        fm = f(middle, *args)
        if fm == 0.0:
            return middle
        if fa * fm < 0.0:
            xb, high = middle, high + i
        else:
            xa, fa = middle, fm
            low += middle
    if full:
        return middle, low, "text"
    if middle < low:
        raise Own("it does not converge")
    return max(middle, low) if high > 0 else abs(high)


def recursive(v):
    return recursive(v - 1.0) * v if v > 1 else 1.0


def in_handlers(v):
    try:
        return math.log(v)
    except ValueError as error:
        raise Own from error
    except ArithmeticError:
        return -math.inf


def of_items(v, table=(1.0, 2.0)):
    total = table[0]
    for item in table:
        total = total + item * v
    pair = total, np.sqrt(v)
    return pair[1]


def in_tuples(v):
    first, second = (v, math.sin(v)) if v > 0 else (second_of(v), 0.0)
    return (first, second), 2.0


def second_of(v, limit=None):
    if limit is None:
        limit = 1.0
    return limit


def by_keyword(v):
    return second_of(v, limit=v * 2) + second_of(v)


NUMBERS = [bisected, recursive, in_handlers, of_items, in_tuples, second_of, by_keyword]


def falls_through(v):
    if v > 0:
        return v


def never_set(v):
    best = None
    for limit in (1.0, 2.0):
        if v > limit:
            best = limit
    return best


def swapped(v):
    a, b = v, None
    a, b = b, a
    return a


def reassigned(v):
    def change():
        nonlocal v
        v = None

    change()
    return v


def two_lengths(v):
    return (v, v) if v > 0 else (v, v, v)


OTHERS = [
    falls_through,
    never_set,
    swapped,
    reassigned,
    two_lengths,
    lambda v: v > 0,
    lambda v: math.isnan(v),
    lambda v: v or None,
    lambda v: not v,
    lambda v: [v] * 3,
    lambda v: f"{v}",
    lambda v: "a" + v,
    lambda v: np.isnan(v),
    lambda v: math.frexp(v),
    lambda v: v.size,
    lambda v: {"v": v}["v"],
    lambda v: (yield v),
    lambda v: None,
]


def code_of(function):
    return function.__code__


class Traced:
    """Stands for a number that nobody knows, whose truth decides nothing."""

    _is_number = True


@pytest.mark.parametrize("f", NUMBERS, ids=lambda f: f.__name__)
def test_numbers_on_every_path(f):
    args = (math.sin, Traced(), 1.0) if f is bisected else (Traced(),)
    assert returns_numbers(f, args, {}, code_of)


@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f"{f.__name__}-{f.__code__.co_firstlineno}")
def test_something_else_on_a_path(f):
    assert not returns_numbers(f, (Traced(),), {}, code_of)


def test_a_constant_that_is_given_decides():
    given = math.sin, Traced(), 1.0
    assert returns_numbers(bisected, given, {"full": False}, code_of)
    assert not returns_numbers(bisected, given, {"full": True}, code_of)
    assert not returns_numbers(bisected, given, {"full": Traced()}, code_of)


def test_a_function_that_is_given_is_looked_at():
    def call(f, v):
        return f(v)

    assert returns_numbers(call, (recursive, Traced()), {}, code_of)
    assert not returns_numbers(call, (never_set, Traced()), {}, code_of)


def test_names_that_hold_numbers():
    given = {"f": math.sin, "a": Traced(), "b": 1.0, "count": 60, "full": False}
    names = number_names(bisected.__code__, globals(), {}, given, code_of)
    last = names[max(names)]
    assert {"xa", "xb", "low", "middle"} <= last
    assert not last & {"f", "args", "full"}
    in_doubt = number_names(bisected.__code__, globals(), {}, {}, code_of)
    assert "xa" not in in_doubt[max(in_doubt)]

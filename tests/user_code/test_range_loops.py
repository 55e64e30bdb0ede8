"""Loops over ``range(...)`` whose turns do not read the number."""

import sys

import pytest

from sparsetrace.user_code.range_loops import fed_by, loops_in, standing_in


def unread(x, n):
    for _ in range(n):
        x = x * 2
    return x


def read(x, n):
    for i in range(n):
        x = x + i
    return x


def read_in_a_function(x, n):
    for i in range(n):
        x = x + (lambda: i)()
    return x


def read_later(x, n):
    for i in range(n):  # noqa: B007
        x = x * 2
    return x + i


def nested(x, n):
    for k in range(n):
        for _ in range(k):
            x = x * 2
    return x


def unpacked(x, n):
    for i, v in enumerate(range(n)):
        x = x + i + v
    return x


def counted(x, n):
    for _ in reversed(range(n)):
        x = x * 2
    return x


def kept(x, n):
    numbers = range(n)
    while n:
        for _ in numbers:
            x, n = x * 2, n - 1
    return x


def given_away(x, n):
    for _ in range(n):
        x = x * 2
        yield x


def stored_anew(x, n):
    for i in range(n):
        i = 2
        x = x * i
    return x


@pytest.mark.parametrize(
    ("f", "names"),
    [
        (unread, ["_"]),
        (read, []),
        (read_in_a_function, []),
        (read_later, ["i"]),
        (nested, ["_"]),
        (unpacked, []),
        (counted, []),
        (kept, []),
        (given_away, []),
        (stored_anew, []),
    ],
)
def test_loops(f, names):
    assert [loop.number for loop in loops_in(f.__code__)] == names


def test_where_a_frame_stands():
    seen = []

    def noted(numbers):
        seen.append((fed_by(sys._getframe(1)), standing_in(sys._getframe(1))))
        return numbers

    def f(n):
        noted(range(n))
        for _ in range(n):
            noted(0)
        noted(0)

    f(2)
    (loop,) = loops_in(f.__code__)
    assert seen == [(None, None), (None, loop), (None, loop), (None, None)]


def test_the_loop_that_a_call_feeds(monkeypatch):
    seen = []

    def own_range(n):
        seen.append(fed_by(sys._getframe(1)))
        return [0] * n

    monkeypatch.setitem(globals(), "range", own_range)
    unread(1.0, 2)
    read(1.0, 2)
    assert seen == [*loops_in(unread.__code__), None]


def test_another_range_is_none(monkeypatch):
    seen = []

    def f(n):
        for _ in range(n):
            seen.append(standing_in(sys._getframe(0)))

    f(1)
    monkeypatch.setitem(globals(), "range", lambda n: [0] * n)
    f(1)
    assert seen == [*loops_in(f.__code__), None]

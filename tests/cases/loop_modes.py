"""Loops whose turns set a text, a flag or a counter, which they or later ones read.

Contract: nothing here knows of sparsetrace.  All are functions of so many numbers as there are, and
lead to other states by numbers around a half.
"""
# ruff: noqa: B023, E731, SIM108

from __future__ import annotations

import collections
import contextlib
import math

import numpy as np

TABLE = {"up": 2.0, "down": 0.0}


class Kept:
    """What a loop keeps beside its names."""

    def __init__(self):
        self.mode = "a"


def text_in_a_turn(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.5:
            state = "up"
        else:
            state = "down"
        y[i] = x[i - 1] * TABLE[state]
    return y


def negated(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        big = x[i] > 0.5
        small = not big
        if small:
            y[i] = x[i]
        else:
            y[i] = x[i - 1]
    return y


def toggled(x):
    y, found = [], False
    for i in range(len(x)):
        if x[i] > 0.5:
            found = not found
        y.append(x[i] if found else x[i - 1])
    return np.array(y)


def machine(x):
    y, mode = np.zeros(len(x)), "idle"
    for i in range(len(x)):
        if mode == "idle":
            y[i] = x[i]
            if x[i] > 0.6:
                mode = "run"
        elif mode == "run":
            y[i] = x[i - 1]
            if x[i] < 0.4:
                mode = "cool"
        else:
            if x[i] > 0.5:
                mode = "idle"
    return y


def whole_numbers(x):
    y, state = np.zeros(len(x)), 0
    for i in range(len(x)):
        if state == 0:
            y[i] = x[i]
            if x[i] > 0.6:
                state = 1
        elif state == 1:
            y[i] = x[i - 1]
            state = 2 if x[i] > 0.4 else 0
        else:
            state = 0
    return y


def bounded_count(x):
    s, count = 0.0, 0
    for i in range(len(x) - 1):
        count = 0 if x[i] > 0.5 else min(count + 1, 3)
        if count == 3:
            s = s + x[i] * x[i + 1]
    return np.array([s])


def nothing_or_number(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        v = None
        if x[i] > 0.5:
            v = x[i]
        y[i] = x[i - 1] if v is None else v
    return y


def two_flags(x):
    y, p, q = np.zeros(len(x)), False, False
    for i in range(len(x)):
        if x[i] > 0.5:
            p = not p
        if x[i] > 0.3:
            q = not q
        y[i] = x[i] if p == q else x[i - 1]
    return y


def over_a_while(x):
    y, mode, i = np.zeros(len(x)), "a", 0
    while i < len(x):
        if x[i] > 0.5:
            mode = "b" if mode == "a" else "a"
        y[i] = x[i] if mode == "a" else x[i - 1]
        i += 1
    return y


def attribute(x):
    y, kept = np.zeros(len(x)), Kept()
    for i, v in enumerate(x):
        if v > 0.5:
            kept.mode = "b" if kept.mode == "a" else "a"
        y[i] = v if kept.mode == "a" else x[i - 1]
    return y


def item_told_after(x):
    y, named = np.zeros(len(x)), {"mode": "a"}
    for i in range(len(x)):
        if x[i] > 0.5:
            named["mode"] = "b" if named["mode"] == "a" else "c"
        y[i] = x[i] if named["mode"] == "a" else x[i - 1]
    return y if named["mode"] == "c" else y * x[0]


def order_of_keys(x):
    named = {}
    for i in range(len(x)):
        if x[i] > 0.8:
            named["high"] = "yes"
        elif x[i] > 0.5:
            named["high"] = "no"
        named[i] = x[i]
    numbers = [v for v in named.values() if not isinstance(v, str)]
    return np.array([numbers[0], list(named).index(0) * x[1]])


def lengths(x):
    kept = []
    for i in range(len(x)):
        if x[i] > 0.5:
            kept.append(x[i])
    return np.array([sum(kept), len(kept) * x[0]])


def same_list(x):
    y, a = np.zeros(len(x)), [x[0], "p"]
    b = a
    for i in range(len(x)):
        if x[i] > 0.5:
            a[1] = "q"
        elif x[i] > 0.3:
            a[1] = "p"
        y[i] = x[i] if b[1] == "p" else x[i - 1]
    return y


def same_array(x):
    y, r, mode = np.zeros(len(x)), np.zeros(2), "u"
    s = r
    for i in range(len(x)):
        if x[i] > 0.5:
            mode = "d" if mode == "u" else "u"
            s = r
        else:
            s = np.array([x[i], x[i]])
        s[0] = s[0] + x[i - 1]
        y[i] = r[0] + s[1] if mode == "u" else r[1]
    return y


def read_back(x):
    y, up = np.zeros(len(x)), False
    for i in range(len(x)):
        if x[i] > 0.6:
            up = True
        if x[i] < 0.4:
            up = False
        y[i] = y[i - 1] + x[i] if up else x[i - 1]
    return y


def by_identity(x):
    y, first, other = np.zeros(len(x)), object(), object()
    state = first
    for i in range(len(x)):
        if x[i] > 0.5:
            state = other
        elif x[i] > 0.3:
            state = first
        y[i] = x[i] if state is first else x[i - 1]
    return y


def breaks_in_a_state(x):
    y, mode = np.zeros(len(x)), "a"
    for i in range(len(x)):
        if x[i] > 0.5:
            mode = "b" if mode == "a" else "a"
        if x[i] > 0.8 and mode == "b":
            break
        y[i] = x[i] if mode == "a" else x[i - 1]
    return y * x[0] if mode == "b" else y


def returns_in_a_state(x):
    y, kept = np.zeros(len(x)), Kept()
    for i in range(len(x)):
        if x[i] > 0.5:
            kept.mode = "b" if kept.mode == "a" else "a"
        if x[i] > 0.8 and kept.mode == "b":
            return y * x[0]
        y[i] = x[i] if kept.mode == "a" else x[i - 1]
    return y


def shifted_in_every_other_turn(x):
    """Turns that end in a state like one before they have written."""
    z, mode, y = x[0], 0, np.zeros(len(x))
    y[1:] = x[1:]
    for _ in range(2 * len(x)):
        if z < 0.1:
            break
        if mode == 0:
            mode = 1
        else:
            mode = 0
            for k in range(len(x) - 1):
                y[k] = y[k + 1]
        z = z * 0.9
    return y[:1]


# ------------------------------------------------------------- with, match, lists, closures
def in_a_with(x):
    y, s = np.zeros(len(x)), 0.0
    with np.errstate(all="ignore"):
        for i in range(len(x)):
            if x[i] > 0.5:
                s = s + np.sqrt(x[i])
            else:
                s = s * x[i]
            y[i] = s
    return y


def with_in_a_branch(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.5:
            with contextlib.nullcontext(x[i]) as v:
                y[i] = v * v
        else:
            v = x[i - 1]
        y[i] = y[i] + v
    return y


def suppressed(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        with contextlib.suppress(ValueError):
            y[i] = x[i - 1]
            y[i] = math.sqrt(x[i] - 0.5)
    return y


def leaves_a_with(x):
    y, mode = np.zeros(len(x)), "a"
    for i in range(len(x)):
        with np.errstate(all="ignore"):
            if x[i] > 0.9:
                break
            if x[i] > 0.5:
                mode = "b" if mode == "a" else "a"
                continue
            y[i] = x[i] if mode == "a" else x[i - 1]
    return y


def matched(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        match i % 3:
            case 0 if x[i] > 0.5:
                y[i] = x[i]
            case 1 | 2 as k if x[i] > 0.3:
                y[i] = k * x[i - 1]
            case k:
                y[i] = x[i - 2] * k
    return y


def match_in_a_branch(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.5:
            match (i % 2, x[i - 1]):
                case (0, v):
                    y[i] = v
                case _:
                    y[i] = x[i]
        else:
            y[i] = 1.0
    return y


def extended(x):
    out = []
    other = out
    for i in range(len(x)):
        if x[i] > 0.5:
            out += [x[i], 1.0]
        else:
            other.extend([x[i - 1], x[i]])
    return np.array(other)


def read_by_a_function(x):
    y, mode = np.zeros(len(x)), "a"

    def now():
        return mode

    for i in range(len(x)):
        if x[i] > 0.5:
            mode = "b" if now() == "a" else "a"
        y[i] = x[i] if now() == "a" else x[i - 1]
    return y


def made_in_each_turn(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.5:
            w = x[i]
        else:
            w = x[i - 1]

        def scaled(c):
            return w * c

        y[i] = scaled(1.0) + (lambda c: w + c)(2.0)
    return y


def called_later(x):
    functions = []
    for i in range(len(x)):
        if x[i] > 0.5:
            w = x[i]
        else:
            w = x[i - 1]
        functions.append(lambda: w)
    return np.array([function() for function in functions])


def called_within(x):
    y, w = np.zeros(len(x)), 0.0
    now = lambda: w
    for i in range(len(x)):
        if x[i] > 0.5:
            w = x[i]
            y[i] = now()
        else:
            y[i] = now() * x[i]
            w = x[i - 1]
    return y


def generated(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        w = 0.0
        terms = (w * c for c in (1.0, 2.0))
        if x[i] > 0.5:
            w = x[i]
        else:
            w = x[i - 1]
        y[i] = sum(terms)
    return y


MODES = [
    *(text_in_a_turn, negated, toggled, machine, whole_numbers, bounded_count, nothing_or_number),
    *(two_flags, over_a_while, attribute, item_told_after, order_of_keys, lengths, same_list),
    *(same_array, read_back, by_identity, breaks_in_a_state),
    *(returns_in_a_state, shifted_in_every_other_turn),
]
PIECES = [
    *(in_a_with, with_in_a_branch, suppressed, leaves_a_with, matched, match_in_a_branch, extended),
    *(read_by_a_function, made_in_each_turn, called_later, called_within, generated),
]


# ------------------------------------------------------ what has to be lost by none, or refused
def waiting(x):
    """A list that grows while it is gone over."""
    queue, s = [0], 0.0
    for k in queue:
        if x[k] > 0.5 and k + 1 < len(x):
            queue.append(k + 1)
        s = s + x[k]
    return np.array([s])


def items_on_the_way(x):
    """Items that a turn changes for a later one, read by the loop itself."""
    y, modes = np.zeros(len(x)), dict.fromkeys(range(len(x)), "a")
    for k, mode in modes.items():
        if x[k] > 0.5 and k + 1 < len(x):
            modes[k + 1] = "b"
        y[k] = x[k] if mode == "a" else x[k - 1]
    return y


def places_on_the_way(x):
    y, modes = np.zeros(len(x)), ["a"] * len(x)
    for k, mode in enumerate(modes):
        if x[k] > 0.5 and k + 1 < len(x):
            modes[k + 1] = "b"
        y[k] = x[k] if mode == "a" else x[k - 1]
    return y


def history(x):
    y, modes = np.zeros(len(x)), ["a"]
    for i in range(len(x)):
        modes.append("b" if x[i] > 0.5 else "a")
        y[i] = x[i] if modes[-1] == modes[-2] else x[i - 1]
    return y


def flipped_by_a_function(x):
    y, mode = np.zeros(len(x)), "a"

    def flip():
        nonlocal mode
        mode = "b" if mode == "a" else "a"

    for i in range(len(x)):
        if x[i] > 0.5:
            flip()
        y[i] = x[i] if mode == "a" else x[i - 1]
    return y


def written_by_a_function(x):
    y = np.zeros(len(x))
    for i in range(len(x)):

        def put(v):
            y[i] = v

        put(x[i]) if x[i] > 0.5 else put(x[i - 1])
    return y


def caught_around(x):
    y, mode = np.zeros(len(x)), "a"
    try:
        for i in range(len(x)):
            if x[i] > 0.5:
                mode = "b"
            if x[i] > 0.8 and mode == "b":
                raise ValueError
            y[i] = x[i] if mode == "a" else x[i - 1]
    except ValueError:
        return y * x[1] if mode == "b" else y
    return y


def one_word_for_another(x):
    """What a function is called says nothing of what it does."""

    class errstate:
        def __enter__(self):
            return self

        def __exit__(self, cls, error, traceback):
            return cls is ValueError

    s, mode = 0.0, "a"
    with errstate():
        for i in range(len(x)):
            if x[i] > 0.5:
                mode = "b"
            else:
                mode = "c"
            s = s + math.sqrt(x[i] - 0.1)
    return np.array([s, x[0] if mode == "b" else x[1]])


def numbers_by_identity(x):
    y, best = np.zeros(len(x)), x[0]
    first = best
    for i in range(len(x)):
        if x[i] > 0.5:
            best = x[i]
        y[i] = x[i - 1] if best is first else x[i]
    return y


def raises_in_a_state(x):
    y, kept = np.zeros(len(x)), Kept()

    def fill():
        for i in range(len(x)):
            if x[i] > 0.5:
                kept.mode = "b"
            if x[i] > 0.8 and kept.mode == "b":
                raise ValueError
            y[i] = x[i] if kept.mode == "a" else x[i - 1]

    try:
        fill()
    except ValueError:
        return y * x[1] if kept.mode == "b" else y
    return y


def takes_any_error(x):
    """Handlers that would take what is none of theirs, around what cannot be undone."""
    kept = collections.OrderedDict()
    for i in range(len(x)):
        try:
            if x[i] > 0.5:
                kept[i] = x[i]
            else:
                kept[i] = x[i - 1]
        except:  # noqa: E722
            pass
    return np.array([sum(kept.values())])


def suppresses_any_error(x):
    kept = collections.UserList()
    for i in range(len(x)):
        with contextlib.suppress(BaseException):
            if x[i] > 0.5:
                kept.append(x[i])
            else:
                kept.append(x[i - 1])
    return np.array([sum(kept)])


def swallows_any_error(x):
    class Swallowing:
        def __enter__(self):
            return self

        def __exit__(self, cls, error, traceback):
            return True

    kept = collections.OrderedDict()
    for i in range(len(x)):
        with Swallowing():
            kept[i] = x[i] if x[i] > 0.5 else x[i - 1]
            if x[i] < 0.3:
                kept[i] = x[0]
    return np.array([sum(kept.values())])


DOUBTFUL = [
    *(waiting, items_on_the_way, places_on_the_way, history, flipped_by_a_function),
    *(takes_any_error, suppresses_any_error, swallows_any_error),
    *(
        written_by_a_function,
        raises_in_a_state,
        caught_around,
        one_word_for_another,
        numbers_by_identity,
    ),
]

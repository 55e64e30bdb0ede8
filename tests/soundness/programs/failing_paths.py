"""Paths on which the program fails by itself, where others end well."""

from __future__ import annotations

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

SOME = np.array([0.7, -0.4, 1.3])
ALL = np.array([0.7, 0.4, 1.3])
NONE = np.array([-0.7, -0.4, -1.3])
LAST = np.array([-0.7, -0.4, 1.3])
FIRST = np.array([0.7, -0.4, -1.3])
SECOND = np.array([-0.7, 0.4, -1.3])
OTHERS = (
    np.array([0.7, 0.4, -1.3]),
    np.array([-0.7, 0.4, 1.3]),
)
EVERY = (SOME, ALL, LAST, FIRST, SECOND, *OTHERS)


@program(*EVERY, NONE, to=PROGRAMS)
def mean_of_the_positive(x):
    chosen = [v for v in x if v > 0]
    return sum(v**2 for v in chosen) / len(chosen)


@program(*EVERY, NONE, to=PROGRAMS)
def first_of_the_positive(x):
    chosen = [v for v in x if v > 0]
    return chosen[0] * x[2]


@program(*EVERY, NONE, to=PROGRAMS)
def smallest_of_the_positive(x):
    return min([v for v in x if v > 0]) ** 2


@program(*EVERY, NONE, to=PROGRAMS)
def next_of_the_positive(x):
    return next(v for v in x if v > 0) * x[1]


@program(*EVERY, NONE, to=PROGRAMS)
def popped(x):
    chosen = []
    for v in x:
        if v > 0:
            chosen.append(v)
    return chosen.pop() ** 2


@program(*EVERY, NONE, to=PROGRAMS)
def kept_by_name(x):
    kept = {}
    for name, v in zip("abc", x, strict=True):
        if v > 0:
            kept[name] = v
    return kept["b"] * x[0]


@program(SOME, NONE, to=PROGRAMS)
def assigned_on_one_side(x):
    if x[0] > 0:
        scale = x[1]
    return scale * x[2]


@program(*EVERY, NONE, to=PROGRAMS)
def two_to_unpack(x):
    a, b = [v for v in x if v > 0][:2]
    return a * b


@program(*EVERY, NONE, to=PROGRAMS)
def reduced_by_numpy(x):
    return np.stack([v for v in x if v > 0]).max() ** 2


@program(*EVERY, NONE, to=PROGRAMS)
def searched_past_the_end(x):
    i = 0
    while x[i] < 0:
        i += 1
    return x[i] ** 2


@program(SOME, NONE, to=PROGRAMS)
def refused_by_a_helper(x):
    def checked(v, name):
        if not isinstance(name, str):
            raise TypeError("a name is wanted")
        if v < 0:
            raise ValueError(f"{name} = {v} is negative")
        return v

    return checked(x[0], "x") * x[1]


@program(SOME, NONE, to=PROGRAMS)
def an_index_past_an_empty_table(x):
    table = np.array([1.0, 2.0]) if x[0] > 0 else np.array([])
    return table[1] * x[2] ** 2


@program(*EVERY, NONE, to=PROGRAMS)
def the_error_of_one_side_is_caught(x):
    chosen = [v for v in x[:2] if v > 0]
    try:
        return chosen[0] ** 2
    except IndexError:
        return x[2] ** 2


@program(*EVERY, NONE, to=PROGRAMS)
def indexed_by_numbers_that_are_not_whole(x):
    places = np.array([2, 0, 1]) if x[0] > 0 else x / 2
    return (x**2)[places]


@program(*EVERY, NONE, to=PROGRAMS)
def one_axis_too_many(x):
    y = x.reshape(3, 1) if x[0] > 0 else x
    return y[:, 0] ** 2


@program(*EVERY, NONE, to=PROGRAMS)
def places_of_others(x):
    """There may be none of the first, and some of the second."""
    first, second = x[x > 0], x[x < 0]
    both = np.concatenate((first, second))
    return (np.concatenate((first**2, -first)))[np.argsort(both)].sum()


@program(*EVERY, NONE, to=PROGRAMS)
def filled_as_whole_numbers(x):
    found = np.divide(1, 2, out=np.zeros_like(0.0 if x[0] > 0 else 0))
    return found * x


@program(*EVERY, NONE, to=PROGRAMS)
def number_of_several(x):
    return float(x[1] if x[0] > 0 else x[:2]) * x[2]


def within(v, low, high, text=None):
    if v < low or v > high:
        if text is None:
            raise Exception("not in [{}, {}]".format(low, high))  # noqa: UP032
        raise Exception("not in [{}, {}]: {}".format(low, high, text))  # noqa: UP032


@program(*EVERY, NONE, to=PROGRAMS)
def told_how_it_failed(x):
    within(x[0], 0, 1, "of all")
    return x[0] * x[1]

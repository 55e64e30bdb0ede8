"""Loops that end by what they compute, over arrays: as many turns as `goes_on` says.

Each is a function of x and of what says after some turns whether there is another one: by a number
that depends on x for a trace, by the number of turns alone for the straight code beside it.
"""

import itertools

import numpy as np

N = 4


class Model:
    def __init__(self, y):
        self.y, self.turns = y, 0


def fresh(x, goes_on):
    y = x.copy()
    while goes_on(y, x):
        y = y * 0.5
    return y


def counted(x, goes_on):
    y, turns = x.copy(), 0
    while goes_on(y, x):
        y = y - 0.1 * (y * y - x)
        turns += 1
    return y * turns


def in_place(x, goes_on):
    y = x.copy()
    for _ in range(5000):
        if not goes_on(y, x):
            break
        y -= 0.1 * (y * y - x)
    return y


def swapped(x, goes_on):
    y, z = x.copy(), np.zeros(N)
    while goes_on(y, x):
        z[0] = y[0]
        z[1:] = 0.5 * (y[1:] + y[:-1])
        y, z = z, y
    return np.concatenate([y, z])


def element_by_element(x, goes_on):
    y = np.ones(N)
    while True:
        if not goes_on(y, x):
            break
        new = np.empty(N)
        for i in range(N):
            new[i] = x[i] + y[i - 1]
        y = new
    return y


def gauss_seidel(x, goes_on):
    y = np.zeros(N)
    for _ in range(1000):
        for i in range(1, N):
            y[i] = x[i] - 0.5 * y[i - 1]
        if not goes_on(y, x):
            break
    return y


def by_a_flag(x, goes_on):
    y, done = x.copy(), False
    while not done:
        y = 0.5 * (y + x[::-1] / y)
        done = not goes_on(y, x)
    return y


def without_end(x, goes_on):
    y = x[0]
    for turn in itertools.count(1):  # noqa: B007
        y = y * 0.5 + x[1]
        if not goes_on(y, x):
            break
    return np.array([y * turn])


def with_a_history(x, goes_on):
    y, turn = x.copy(), 0
    errors, steps, both = [], [0.0], []
    while goes_on(y, x):
        new = np.cos(y) + np.roll(x, 1)
        errors.append(np.abs(new - y).max())
        steps.extend([turn, y[0]])
        both += [(turn, new)]
        y, turn = new, turn + 1
    return y


def attributes(x, goes_on):
    model = Model(x.copy())
    while goes_on(model.y, x):
        model.y = model.y * 0.5
        model.turns += 1
    return model.y * model.turns


def items(x, goes_on):
    state = {"y": x[0], "n": 0}
    while goes_on(state["y"], x):
        state["y"] = state["y"] * 0.5 + x[1]
        state["n"] += 1
    return np.array([state["y"], state["n"] * x[2]])


def shifted(x, goes_on):
    y = np.zeros(N)
    while goes_on(y, x):
        y[1:] = y[:-1].copy()
        y[0] = x[1]
    return y


def delayed(x, goes_on):
    a = b = c = 0.0
    while goes_on(a, x):
        c, b, a = b, a, x[1]
    return np.array([a, b, c])


def one_before(x, goes_on):
    """What is written through the name of an array of the turn before."""
    y = x.copy()
    old = y
    while goes_on(y, x):
        old = y
        y = y * 0.5
    old[0] = 0.0
    return np.concatenate([y, old])


def one_of_two(x, goes_on):
    """A name that stands for arrays from before the loop by turns, one of which is written."""
    a, b = x * 1.0, x[::-1] * 1.0
    y, first = a, True
    while goes_on(x, x):
        y, first = (b, False) if first else (a, True)
    y[0] = 0.0
    return np.concatenate([a, b])


def held_elsewhere(x, goes_on):
    """An array of the loop that an object from before it holds, where it is written later."""
    model = Model(x * 1.0)
    y = x * 2.0
    while goes_on(y, x):
        model.y = y
        y = y * 0.5
    y[1] = 0.0
    model.y[0] = 0.0
    return np.concatenate([y, model.y])


def through_a_view(x, goes_on):
    y = x.copy()
    tail = y[1:]
    while goes_on(y, x):
        tail[:] = tail[::-1].copy()
        y[0] = y[0] * 0.5
    return y


def two_turns_apart(x, goes_on):
    """What has been written leads on, though the names are as two turns before."""
    mode, y = 0, np.zeros(N)
    y[1:] = x[1:]
    while goes_on(y, x):
        if mode == 0:
            mode = 1
        else:
            mode = 0
            for k in range(N - 1):
                y[k] = y[k + 1]
    return y


def after_some_turns(x, goes_on):
    """The first turns add nothing to what is written, and later ones do."""
    y, kept = x * 1.0, [0.0] * N
    while goes_on(y, x):
        kept.insert(0, y[0])
        kept.pop()
        y = np.roll(y, 1)
    return np.array(kept)


def counters_in_a_range(x, goes_on):
    y, n = np.zeros(N), 0
    for _ in range(3000):
        if not goes_on(y, x):
            break
        y[n % N] = x[n % N]
        n += 1  # noqa: SIM113
    return y


TRACED = [
    *(fresh, counted, in_place, swapped, element_by_element, gauss_seidel, by_a_flag, without_end),
    *(attributes, items, shifted, delayed, one_before, one_of_two, held_elsewhere),
    *(two_turns_apart, with_a_history),
]
DOUBTFUL = [through_a_view, after_some_turns, counters_in_a_range]
"""Traced or refused: nothing may be missing."""

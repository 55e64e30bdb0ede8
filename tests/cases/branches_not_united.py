"""Functions with a branch for each element whose outcomes cannot be united, or not always.

Run apart they give no less than all paths together, or an error.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[[Any], Any]


def itself(a, v):
    return a if v > 0.5 else a * 2


def result_is_written(x):
    y = x * 1.0
    r = itself(y, x[0])
    r[1] = x[2]
    return [*y, *r]


def result_shows(x):
    y = x * 1.0
    r = itself(y, x[0])
    y[1] = x[2]
    return [*r, *y]


def nothing_or(v):
    return 0.0 if v > 0.5 else v


def division_is_caught(x):
    out = []
    for v in x:
        try:
            out.append(1.0 / nothing_or(v))
        except ZeroDivisionError:
            out.append(x[0] * v)
    return out


def whole_or(v):
    return 0 if v > 0.5 else v


def whole_numbers_count(x):
    return [x[0] * v if isinstance(whole_or(v), int) else v for v in x]


def types_count(x):
    return [x[0] * v if type(nothing_or(v)) is float else v for v in x]


seen: list[Any] = []
memory: dict[str, Any] = {}


def notes(v):
    seen.append(v)
    return v if v > 0.5 else v * v


def effects_on_a_list(x):
    seen.clear()
    total = sum(notes(v) for v in x)
    return [total, *seen]


def without_axes(v):
    return np.array(v) if v > 0.5 else np.array(v * v)


def or_a_number(v):
    return np.array(v) if v > 0.5 else v * v


def arrays_without_axes_stay_arrays(x):
    return [
        without_axes(v) if isinstance(without_axes(v), np.ndarray) else x[i - 1]
        for i, v in enumerate(x)
    ]


def arrays_without_axes_are_written(x):
    out = []
    for i, v in enumerate(x):
        w = without_axes(v)
        w[...] = x[i - 1] * w
        out.append(w)
    return out


def arrays_without_axes_are_no_numbers(x):
    return [v if isinstance(or_a_number(v), np.ndarray) else x[i - 1] * v for i, v in enumerate(x)]


class Changing:
    value = 1.0


changing = Changing()


@functools.cache
def of_a_state(n):
    return changing.value * n


def a_cache_of_a_state(x):
    """What one path has left is found in the cache by the next one, or not."""
    out = []
    for i in range(len(x)):
        if x[i] > 0.5:
            changing.value = x[i]
            out.append(of_a_state(i))
        else:
            changing.value = x[i - 1]
            out.append(of_a_state(i))
    return out


def remembers(v):
    if "first" not in memory:
        memory["first"] = v
    return memory["first"] * 2 if v > 0.5 else v


def effects_on_a_dictionary(x):
    memory.clear()
    return [remembers(v) for v in x]


def default_is_kept(v, kept=[]):  # noqa: B006
    kept.append(v)
    return kept[0] if v > 0.5 else v


def counts(x):
    count = 0

    def step(v):
        nonlocal count
        if v > 0.5:
            count += 1
            return v
        return v * count

    return [step(v) for v in x]


class Keeper:
    """Keeps what it was given in a branch."""

    def __init__(self):
        self.last = 1.0

    def step(self, v):
        if v > 0.5:
            self.last = v
        return self.last * v


def attributes(x):
    keeper = Keeper()
    return [keeper.step(v) for v in x]


def attributes_in_a_loop(x):
    keeper = Keeper()
    out = []
    for v in x:
        if v > 0.5:
            keeper.last = v
        out.append(keeper.last)
    return out


def partial_writes(x):
    y = np.zeros(len(x))
    s = 0.0
    for i in range(len(x)):
        try:
            if x[i] > 0.5:
                y[i] = x[i]
                s = x[0] * x[i]
                raise KeyError(i)
            s = s + 1
        except KeyError:
            y[i - 1] = y[i] + s
    return [*y, s]


def two_names_of_an_array(x):
    y = np.zeros(len(x))
    a = y[:2]
    for i in range(len(x)):
        if x[i] > 0.5:
            y[0] = x[i]
            a[1] = x[0] * x[i]
        else:
            a[0] = y[1]
    return [*y, *a]


def two_names_of_a_list(x):
    z = [0.0] * len(x)
    w = z
    for i in range(len(x)):
        if x[i] > 0.5:
            z[0] = x[i]
        else:
            w[0] = z[1]
            w[1] = x[i]
    return z + w


def in_place_on_a_name(x):
    r = x * 1.0
    shown = r[:]
    for v in x:
        if v > 0.5:
            r += v
        else:
            r[0] = v
    return [*r, *shown]


def texts(x):
    names = ["sum" if v > 0.5 else "product" for v in x]
    return [x[0] + v if name == "sum" else x[0] * v for name, v in zip(names, x, strict=True)]


def indices(x):
    items = [x[0], x[1] * x[2]]
    out = []
    for v in x:
        k = 0 if v > 0.5 else 1
        out.append(items[k] * v)
    return out


def recursive(v, depth=2):
    if depth == 0:
        return v
    return recursive(v * 2, depth - 1) if v > 0.5 else recursive(v + 1, depth - 1) * v


def captured(x):
    out = []
    t = x[0]
    read = lambda: t  # noqa: E731
    for v in x:
        if v > 0.5:
            t = v
            out.append(read() * 2)
        else:
            out.append(t)
    return out


def searches(x):
    out = []
    for v in x:
        for k in range(3):
            if v < 0.3 * k:
                out.append(v * k)
                break
        else:
            out.append(x[0])
    return out


def unbound(x):
    out = []
    for v in x:
        if v > 0.5:
            late = v
        try:
            out.append(late)
        except UnboundLocalError:
            out.append(x[1] * v)
    return out


def decided_again(x):
    out = []
    for v in x:
        large = v > 0.5
        if large:
            a = v
        b = v if large else x[0]
        if large:
            b = b * a
        out.append(b)
    return out


def resumed(x):
    def several():
        for v in x:
            if v > 0.5:
                yield v
            else:
                yield v * v

    return list(several())


def walrus(x):
    out = []
    for v in x:
        if (w := v * v) > 0.25:
            out.append(w)
        else:
            out.append(v + w)
    return out


def iterates(x):
    rest = iter(x)

    def g(v, others):
        if v > 0.5:
            return v * sum(u for u, _ in zip(others, range(1), strict=False))
        return v

    return [g(x[0], rest), g(x[1], rest), g(x[2], x)]


class Lazy:
    """Computes what it is asked for once."""

    def __init__(self, x):
        self.x, self.known = x, None

    @property
    def weight(self):
        if self.known is None:
            self.known = self.x[0] if self.x[1] > 0.5 else self.x[2]
        return self.known


def lazily(x):
    lazy = Lazy(x)

    def g(v, source):
        return v * source.weight if v > 0.5 else source.weight

    return [g(v, lazy) for v in x]


class Log:
    """Counts what is added to it."""

    def __init__(self):
        self.count = 0.0

    def __add__(self, v):
        self.count = self.count + v
        return self.count * v


def operators(x):
    log = Log()

    def g(v):
        return log + v if v > 0.5 else v

    return [g(v) for v in x]


def chosen_rows(x):
    k = np.argmax(x[:2])
    m = x.reshape(-1, 1) * np.ones((1, 2))

    def g(v):
        return m[k] if v > 0.5 else m[k] * 2

    row = g(x[0])
    row[0] = x[2]
    return [*m.ravel(), *row]


def orders_of_keys(x):
    out = []
    for v in x:
        d = {}
        if v > 0.5:
            d["a"] = v
            d["b"] = x[0]
        else:
            d["b"] = x[1] * v
            d["a"] = x[2]
        out += list(d.values())
    return out


def fails_without_a_branch(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        try:
            if not y[i - 1] > 0.3:
                y[i] = x[i] * 3
                raise ValueError
        except ValueError:
            y[i] = y[i] * x[i - 1]
    return y


def same_number(x):
    product = x[0] * x[1]

    def g(v):
        return product if v > 0.5 else v

    return [x[2] if g(v) is product else v for v in x]


def same_tuple(x):
    pair = x[0], x[1]

    def g(v):
        return pair if v > 0.5 else (v, v)

    return [x[2] if g(v) is pair else v for v in x]


def same_name(x):
    first = best = x[0]
    for v in x:
        if v > 0.5:
            best = v
    return [x[2] if best is first else best]


DOUBTFUL: dict[str, Function] = {
    f.__name__: f
    for f in (
        a_cache_of_a_state,
        arrays_without_axes_stay_arrays,
        arrays_without_axes_are_written,
        arrays_without_axes_are_no_numbers,
        result_is_written,
        result_shows,
        division_is_caught,
        whole_numbers_count,
        types_count,
        effects_on_a_list,
        effects_on_a_dictionary,
        counts,
        attributes,
        chosen_rows,
        iterates,
        lazily,
        operators,
        orders_of_keys,
        attributes_in_a_loop,
        partial_writes,
        two_names_of_an_array,
        two_names_of_a_list,
        in_place_on_a_name,
        texts,
        indices,
        captured,
        searches,
        unbound,
        decided_again,
        fails_without_a_branch,
        resumed,
        same_name,
        same_number,
        same_tuple,
        walrus,
    )
} | {
    "defaults": lambda x: [default_is_kept(v) for v in x],
    "recursion": lambda x: [recursive(v) for v in x],
}

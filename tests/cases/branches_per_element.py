"""Functions with a branch for each element, as people write them; too many paths to run them all.

`EXACT` gives just what some input needs; what `WIDER` gives has a reason beside it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Function = Callable[[Any], Any]


def bent(v):
    if v > 0.5:
        return v**2
    return -v


def steeper(v):
    return bent(v) if v > 0.7 else 2 * v


def arc(v):
    return math.acos(v) if v < 0.6 else 0


def pair(v, w):
    if v > w:
        return v, 2.0
    return -v, v * w


def early(v):
    if v < 0.2:
        return 0.0
    if v > 0.8:
        return v
    return v * v * 2


def halved(v):
    turns = 0
    while v > 0.5 and turns < 4:
        v = v / 2
        turns += 1
    return v


def checked(v):
    if v < 0:
        raise ValueError("not for negative numbers")
    return v * v


def is_large(v):
    if v > 0.5:  # noqa: SIM103
        return True
    return False


def sign(v):
    return 1 if v > 0.5 else -1


def perhaps(v):
    if v > 0.5:
        return None
    return v * v


def filled(v):
    out = np.zeros(2)
    if v > 0.5:
        out[0] = v
    out[1] += v * v
    return out


def polynomial(v):
    terms = []
    for k in range(3):
        terms.append(v**k)
    if v > 0.5:
        terms.append(1.0)
    else:
        terms.append(v)
    return sum(terms)


def by_keyword(v, *, scale=2.0, **options):
    return scale * v if v > options.get("at", 0.5) else options["other"]


def falls_back(v):
    try:
        return checked(v - 0.5)
    except ValueError:
        return v


class Point(NamedTuple):
    """What a helper returns by name."""

    value: Any
    weight: Any


def named(v):
    return Point(v, 1.0) if v > 0.5 else Point(v**2, v)


class Model:
    """Methods that branch, and call one another."""

    factor = 2.0

    def __init__(self):
        self.table = [1.0, 2.0]

    def rate(self, v, other=1.0):
        if v > 0.5:
            return self.factor * v * other
        return self.table[0] * self.squared(v)

    def squared(self, v):
        return v * v if v < 0.3 else v

    @staticmethod
    def still(v):
        return v if v > 0.5 else 0.0

    @property
    def scaled(self):
        return functools.partial(bent)

    def __call__(self, v):
        return self.rate(v) if v > 0.1 else -v


model = Model()


def listed(x):
    out = []
    for v in x:
        out.append(bent(v))
    return out


def buffered(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = bent(x[i])
    return y


def nested_function(x):
    factor = 3.0

    def inner(v):
        return v * factor if v > 0.5 else factor

    return np.array([inner(v) for v in x])


def nested_twice(x):
    def middle(v):
        def deep(u):
            return u * v if u > v else u

        return deep(v) + deep(2 * v)

    return [middle(v) for v in x]


def a_lambda(x):
    inner = lambda v: v if v > 0.5 else 0.0  # noqa: E731
    return np.array([inner(v) for v in x])


def ternary_in_loop(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = 0 if x[i] > 1 else math.acos(x[i])
    return y


def if_in_loop(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.5:
            y[i] = x[i] ** 2
        else:
            y[i] = -x[i]
    return y


def one_sided(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i]
        if x[i] > 0.5:
            y[i] += x[i] ** 2
    return y


def chain(x):
    out = []
    for v in x:
        if v < 0.2:
            t = 1.0 * v
        elif v < 0.6:
            s = v * v
            t = s + 1
        else:
            t = 0.0
        out.append(t)
    return out


def appended(x):
    out = []
    for v in x:
        if v < 0.5:
            out.append(v)
        else:
            out.append(v * v)
    return out


def rows(x):
    m = np.zeros((len(x), 2))
    for i, v in enumerate(x):
        if v > 0.5:
            m[i, 0] = v
            m[i, 1] = v * v
        else:
            m[i] = v
    return m.ravel()


def keyed(x):
    d = {}
    for i, v in enumerate(x):
        if v > 0.5:
            d[i] = v
        else:
            d[i] = v**3
    return list(d.values())


def of_a_list(x):
    z = [0.0] * len(x)
    for i, v in enumerate(x):
        if v > 0.5:
            z[i] = v
        elif v > 0.2:
            z[i] -= v * v
    return z


def inner_loop(x):
    out = []
    for v in x:
        for k in range(3):
            if k and v < 0.2 * k:
                break
            s = v * k
        out.append(s)
    return out


def conjunction(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.2 and x[i] < 0.7:
            y[i] = x[i]
        else:
            y[i] = x[i] ** 2
    return y


def used_late(x):
    total = 0.0
    for v in x:
        if v > 0.5:
            total += v * v
    return total


def neighbours(x):
    y = np.zeros(len(x) - 1)
    for i in range(len(x) - 1):
        if x[i] > x[i + 1]:
            y[i] = x[i]
        else:
            y[i] = x[i + 1] * x[i]
    return y


EXACT: dict[str, Function] = {
    "comprehension of calls": lambda x: np.array([bent(v) for v in x]),
    "calls appended": listed,
    "calls in a buffer": buffered,
    "map": lambda x: list(map(bent, x)),
    "generator": lambda x: sum(bent(v) for v in x),
    "helpers in helpers": lambda x: [steeper(v) for v in x],
    "domain": lambda x: [arc(v) for v in x],
    "pairs": lambda x: [p * q for p, q in (pair(v, 0.5) for v in x)],
    "early return": lambda x: [early(v) for v in x],
    "turns": lambda x: [halved(v) for v in x],
    "checks": lambda x: [checked(v) for v in x],
    "truth values": lambda x: [v if is_large(v) else 0.0 for v in x],
    "signs": lambda x: [sign(v) * v for v in x],
    "no result": lambda x: [v if (r := perhaps(v)) is None else r for v in x[:9]],
    "own arrays": lambda x: np.concatenate([filled(v) for v in x]),
    "own lists": lambda x: [polynomial(v) for v in x],
    "keywords": lambda x: [by_keyword(v, other=1.0, at=0.4) for v in x],
    "caught inside": lambda x: [falls_back(v) for v in x],
    "named tuples": lambda x: [p.value * p.weight for p in map(named, x)],
    "methods": lambda x: [model.rate(v) for v in x],
    "methods with arguments": lambda x: [model.rate(v, other=2.0) for v in x],
    "bound methods": lambda x: list(map(model.rate, x)),
    "static methods": lambda x: [Model.still(v) for v in x],
    "called objects": lambda x: [model(v) for v in x],
    "properties": lambda x: [model.scaled(v) for v in x],
    "nested function": nested_function,
    "nested twice": nested_twice,
    "lambda": a_lambda,
    "comprehension": lambda x: [v**2 if v > 0.5 else -v for v in x],
    "ternary in a loop": ternary_in_loop,
    "if in a loop": if_in_loop,
    "one-sided": one_sided,
    "elif chain": chain,
    "appended": appended,
    "rows": rows,
    "dictionary": keyed,
    "items of a list": of_a_list,
    "loop inside": inner_loop,
    "conjunction": conjunction,
    "sum": used_late,
    "neighbours": neighbours,
}


# ------------------------------------------------- what cannot be united, or not always
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


DOUBTFUL: dict[str, Function] = {
    f.__name__: f
    for f in (
        result_is_written,
        result_shows,
        division_is_caught,
        whole_numbers_count,
        types_count,
        effects_on_a_list,
        effects_on_a_dictionary,
        counts,
        attributes,
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
        resumed,
        walrus,
    )
} | {
    "defaults": lambda x: [default_is_kept(v) for v in x],
    "recursion": lambda x: [recursive(v) for v in x],
}

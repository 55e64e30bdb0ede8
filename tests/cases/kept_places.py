"""Slots, deques and kinds of dictionaries that branches change, in loops and by methods."""

from __future__ import annotations

import collections
from dataclasses import dataclass

import numpy as np


class Cell:
    __slots__ = ("__weakref__", "count", "last", "level", "rows")

    def __init__(self, level):
        self.level, self.count = level, 0

    def step(self, v):
        if v > 1.0:
            self.level = self.level * v
            self.count += 1
        elif v > 0.7:
            self.level -= v


@dataclass(slots=True)
class Particle:
    place: float
    speed: float = 0.0

    def move(self, v):
        self.place += self.speed
        if self.place > 1.0:
            self.speed = -v
        else:
            self.speed = v * self.place


class Bunch(dict):
    def __getattr__(self, name):
        return self[name]


def slots_in_a_loop(x):
    cell = Cell(x[0])
    for v in x[1:]:
        if v > x[0]:
            cell.level = cell.level + v
        else:
            cell.count = v
    return cell.level, cell.count * x[1]


def slots_by_a_method(x):
    cell = Cell(x[0])
    for v in x[1:]:
        cell.step(v)
    return cell.level


def slots_of_a_dataclass(x):
    particle = Particle(x[0])
    for v in x[1:]:
        particle.move(v)
    return particle.place


def one_object_in_two_places(x):
    cell = Cell(x[0])
    cells = [cell, Cell(x[1]), cell]
    for i in range(2, len(x)):
        if x[i] > 1.0:
            cells[i % 3].level = cells[0].level * x[i]
        else:
            cells[1].level += x[i]
    return cells[0].level, cells[1].level


def an_array_in_a_slot(x):
    cell = Cell(x[0])
    cell.rows = np.zeros(2)
    for v in x[1:]:
        if v > 1.0:
            cell.rows[0] += v
        else:
            cell.rows = cell.rows * v + x[0]
    return cell.rows


def an_object_made_on_each_path(x):
    total = x[0]
    for v in x[1:]:
        if v > 1.0:
            cell = Cell(v)
            cell.level = cell.level * x[0]
            total = total + cell.level
        else:
            cell = Cell(v + x[0])
            cell.step(v)
            total = total - cell.level
    return total


def recent_ones(x):
    recent = collections.deque([0.0, 0.0], maxlen=2)
    for v in x:
        if v > 1.0:
            recent.append(v)
        else:
            recent.appendleft(v * x[0])
    return recent[0], recent[1]


def items_of_a_deque(x):
    recent = collections.deque(x[:3])
    for i in range(3, len(x)):
        if x[i] > 1.0:
            recent[i % 3] = x[i]
        else:
            recent[0] += x[i]
    return list(recent)


class Filter:
    def __init__(self):
        self.taps = collections.deque([0.0] * 3, maxlen=3)

    def push(self, v):
        if v > 1.0:
            self.taps.append(v)
        else:
            self.taps.append(self.taps[-1] * v)


def a_deque_by_a_method(x):
    f = Filter()
    for v in x:
        f.push(v)
    return sum(f.taps)


def arrays_in_a_deque(x):
    rows = collections.deque([np.zeros(2), np.ones(2)])
    for v in x:
        if v > 1.0:
            rows[0][1] = v
        else:
            rows[0] = rows[0] * v + v
    return [*rows]


def items_of_a_bunch(x):
    b = Bunch(a=0.0, b=x[0])
    for v in x[1:]:
        if v > 1.0:
            b["a"] += v
        else:
            b["b"] = v * b.a
    return b.a, b.b


def sums_in_a_defaultdict(x):
    sums = collections.defaultdict(float)
    for i in range(1, len(x)):
        sums[i % 2] += 0.0
    for i in range(1, len(x)):
        if x[i] > 1.0:
            sums[i % 2] += x[i]
        else:
            sums[0] *= x[i] * x[0]
    return sums[0], sums[1]


def counts_of_a_counter(x):
    sums = collections.Counter(a=0, b=0)
    for v in x:
        if v > 1.0:
            sums["a"] += v
        else:
            sums["b"] = v
    return sums["a"], sums["b"]


def longer_and_shorter(x):
    recent = collections.deque()
    for v in x:
        if v > 1.0:
            recent.append(v)
        elif recent:
            recent.popleft()
    return sum(recent) if recent else x[0]


def new_keys_of_a_defaultdict(x):
    sums = collections.defaultdict(float)
    for i in range(len(x)):
        if x[i] > 1.0:
            sums[i % 2] += x[i]
    return [sums[k] for k in sums][-1] if sums else x[0]


def an_empty_slot(x):
    cell = Cell(x[0])
    for v in x[1:]:
        if v > 1.0:
            cell.last = v
    return getattr(cell, "last", x[0])


class Ordered(collections.OrderedDict):
    pass


def an_ordered_dictionary(x):
    places = collections.OrderedDict(a=x[0], b=x[1])
    for v in x[2:]:
        if v > 1.0:
            places["a"] = v
            places.move_to_end("a")
    return next(iter(places.values()))


class Checked:
    __slots__ = ("value",)
    seen = 0

    def __setattr__(self, name, value):
        Checked.seen += 1
        object.__setattr__(self, name, value * 2.0)


def a_slot_behind_a_method(x):
    checked = Checked()
    checked.value = x[0]
    for v in x[1:]:
        if v > 1.0:
            checked.value = v
    return checked.value * Checked.seen


LINEAR = [
    slots_in_a_loop,
    slots_by_a_method,
    slots_of_a_dataclass,
    one_object_in_two_places,
    an_array_in_a_slot,
    an_object_made_on_each_path,
    recent_ones,
    items_of_a_deque,
    a_deque_by_a_method,
    arrays_in_a_deque,
    items_of_a_bunch,
    sums_in_a_defaultdict,
    counts_of_a_counter,
]
"""Which are run in a time in proportion to their steps."""
OTHERS = [
    longer_and_shorter,
    new_keys_of_a_defaultdict,
    an_empty_slot,
    an_ordered_dictionary,
    a_slot_behind_a_method,
]

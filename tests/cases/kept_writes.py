"""Loops of which a turn changes something that is noted nowhere, then what cannot be undone.

Each is a function of x and of what says after some turns whether there is another one, as in
`converging_loops`: nothing is decided before that, and no turn may be run twice.
"""

import collections
import types

import numpy as np

N = 4


class Taker:
    def __init__(self, x):
        self.items, self.taken = list(x) * 9, 0

    def take(self):
        self.taken += 1
        return self.items[self.taken - 1]


class Checked:
    first = None

    @property
    def value(self):
        return self.first

    @value.setter
    def value(self, new):
        if self.first is None:
            self.first = new


class Slotted:
    __slots__ = ("last",)


class Adding:
    def __init__(self):
        self.first = 0.0

    def __iadd__(self, other):
        self.first = self.first or other
        return self


def a_queue(x, goes_on):
    items, kept, k = list(x) * 9, collections.deque(), 0
    while True:
        y = items.pop(0)
        kept.append(y)
        k += 1
        if not goes_on(k, x) or k == 5:
            break
    return kept[0], len(items) * x[3]


def another_queue(x, goes_on):
    taker, kept = Taker(x), collections.deque(maxlen=1)
    for k in range(5):
        kept.extend([taker.take()])
        if not goes_on(k, x):
            break
    return kept[0], taker.taken * x[3]


def an_ordered_dictionary(x, goes_on):
    items, kept = iter(list(x) * 9), collections.OrderedDict()
    for k in range(5):
        y = next(items)
        kept[k] = y
        if not goes_on(k, x):
            break
    return kept[0], x[3]


def a_property(x, goes_on):
    items, kept = list(x) * 9, Checked()
    for k in range(5):
        kept.value = items.pop(0)
        if not goes_on(k, x):
            break
    return kept.value, x[3]


def slots(x, goes_on):
    taker, kept = Taker(x), Slotted()
    for k in range(5):
        y = taker.take()
        kept.last = y
        if k == 0:
            first = kept.last
        if not goes_on(k, x):
            break
    return first, taker.taken * x[3]


def a_namespace(x, goes_on):
    taker, kept = Taker(x), types.SimpleNamespace(y=0.0)
    for k in range(5):
        y = taker.take()
        kept.y += y
        if k == 0:
            first = kept.y
        if not goes_on(k, x):
            break
    return first, taker.taken * x[3]


def an_operator(x, goes_on):
    taker, kept = Taker(x), Adding()
    for k in range(5):
        y = taker.take()
        kept += y
        if not goes_on(k, x):
            break
    return kept.first, taker.taken * x[3]


def two_views(x, goes_on):
    taker, seen = Taker(x), np.zeros(3)
    left, right = seen[:2], seen[1:]
    for k in range(5):
        y = taker.take()
        left[1] = y
        right[0] += y
        if k == 0:
            first = seen[1]
        if not goes_on(k, x):
            break
    return first, taker.taken * x[3]


def an_element_of_objects(x, goes_on):
    taker, kept = Taker(x), np.array([None, None])
    for k in range(5):
        y = taker.take()
        kept[k % 2] = y
        if k == 0:
            first = kept[0]
        if not goes_on(k, x):
            break
    return first, taker.taken * x[3]


def a_part_of_a_list(x, goes_on):
    taker, kept = Taker(x), [0.0, 0.0]
    for k in range(5):
        y = taker.take()
        kept[0:1] = [y]
        if k == 0:
            first = kept[0]
        if not goes_on(k, x):
            break
    return first, taker.taken * x[3]


def within_another_loop(x, goes_on):
    taker, kept = Taker(x), collections.deque()
    for k in range(5):
        for _ in range(2):
            y = taker.take()
            kept.append(y)
        if not goes_on(k, x):
            break
    return kept[0], kept[1], taker.taken * x[3]


def within_a_branch(x, goes_on):
    taker, kept = Taker(x), collections.deque([x[3]])
    for k in range(5):
        if k % 2 == 0:
            y = taker.take()
            kept.append(y)
            if not goes_on(k, x):
                break
    return kept[1], taker.taken * x[3]


LOOPS = [
    *(a_queue, another_queue, an_ordered_dictionary, a_property, slots, a_namespace, an_operator),
    *(two_views, an_element_of_objects, a_part_of_a_list, within_another_loop, within_a_branch),
]

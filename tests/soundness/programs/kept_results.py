"""Results that `functools.lru_cache` holds before the trace, and what has become of them since."""

from __future__ import annotations

import collections
import functools
import types

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
POINT = np.array([0.3, 0.8, 1.7])
OTHER = np.array([1.4, -0.6, 0.2])


def held_in(name, hold, size):
    """A cache of settings, by whatever holds it: two of these were changed after they were made."""

    def make():
        @functools.lru_cache(maxsize=size)
        def settings(name):
            return types.SimpleNamespace(place=0)

        settings("first").place, settings("second").place = 1, 2
        get = hold(settings)

        def f(x):
            y = np.zeros(3)  # the run begins anew once it is written
            y[0] = x[0] + get()("third").place
            second = x[get()("second").place] if x[0] > 0.5 else 0.0
            return y * x[get()("first").place] + second

        return f

    make.__name__ = f"settings_in_{name}_{size}"
    program(POINT, OTHER, to=PROGRAMS, fresh=True)(make)


def in_a_default(cache):
    def get(cache=cache):
        return cache

    return get


def in_a_deque(cache):
    recent = collections.deque([cache])
    return lambda: recent[0]


def in_a_set(cache):
    known = {cache}
    return lambda: next(iter(known))


for size in (None, 1000):
    held_in("a_closure", lambda cache: lambda: cache, size)
    held_in("a_tuple", lambda cache: functools.partial((cache,).__getitem__, 0), size)
    held_in("a_default", in_a_default, size)
    held_in("a_deque", in_a_deque, size)
    held_in("a_set", in_a_set, size)
    held_in("a_partial_call", lambda cache: functools.partial(lambda c: c, cache), size)


def calls(name, size, typed, change):
    """Results told apart by the arguments of their calls."""

    def make():
        @functools.lru_cache(maxsize=size, typed=typed)
        def table(*arguments, **by_name):
            return [0]

        def of_all():
            return [
                table(1),
                table("a"),
                table(1.5, 2),
                table(1, deep=2, wide=3),
                table(),
                table(1.0),
            ]

        change(of_all())
        return lambda x: sum(x[each[0]] ** (2 + i) for i, each in enumerate(of_all()))

    make.__name__ = f"{name}_{size}_{typed}"
    program(POINT, OTHER, to=PROGRAMS, fresh=True)(make)


for size, typed in ((None, False), (None, True), (16, False), (16, True)):
    for place in (0, 3, 5):

        def change(results, place=place):
            results[place][0] = 1
            results[place - 1][0] = 2

        calls(f"result_{place}_changed", size, typed, change)


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_registry_that_others_add_to():
    @functools.cache
    def registry():
        return []

    registry().append(lambda x: x[0] * x[1])
    registry().append(lambda x: x[2] ** 2)
    return lambda x: sum(term(x) for term in registry())


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_table_read_from_what_is_another_by_now():
    held = {"order": [0, 1, 2]}

    @functools.lru_cache
    def order():
        return list(held["order"])

    order()
    held["order"] = [0, 0, 0]
    return lambda x: x[order()] * x[0]


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def settings_of_a_method():
    class Model:
        @functools.lru_cache  # noqa: B019
        def options(self):
            return {"place": 0}

        def value(self, x):
            return x * x[self.options()["place"]]

    model = Model()
    model.options()["place"] = 2
    return model.value


def a_workspace(name, size, *, changed):
    """An array of a cache that the function writes, also by another name."""

    def make():
        @functools.lru_cache(maxsize=size)
        def work(n):
            return np.zeros(n)

        also = work(3)
        also[2] = 1.0

        def f(x):
            changed(also, work(3))[:2] = x[:2] ** 2
            return work(3) * x[2]

        return f

    make.__name__ = f"{name}_{size}"
    program(POINT, OTHER, to=PROGRAMS, fresh=True)(make)


for size in (None, 4):
    a_workspace("a_workspace_by_its_cache", size, changed=lambda also, work: work)
    a_workspace("a_workspace_by_another_name", size, changed=lambda also, work: also)

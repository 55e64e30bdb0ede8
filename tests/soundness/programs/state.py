"""State that one run leaves to the next, and one call to the next."""

from __future__ import annotations

import collections
import functools
import itertools
import random
import types
from dataclasses import dataclass, field

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
POINT = np.array([0.3, 0.8, 1.7])
OTHER = np.array([1.4, -0.6, 0.2])


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_counter_that_decides():
    class Sampler:
        def __init__(self):
            self.k = 0

        def value(self, x):
            self.k += 1
            if x[0] > 0.5:
                self.k += 10
            return x[self.k % 3] * x[1]

    return Sampler().value


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_memo_of_the_last_point():
    class Model:
        def __init__(self):
            self.x = None

        def update(self, x):
            if self.x is None or not np.array_equal(x, self.x):
                self.x = x.copy()
                self.v = np.sin(x) * x[::-1]

        def value(self, x):
            self.update(x)
            return self.v[:2]

    model = Model()
    model.value(np.ones(3))
    return model.value


def remembering(name, hit):
    """A model that was asked for its value at the very point before it is traced there."""

    def make():
        class Model:
            last = key = None

            def value(self, x):
                if self.last is None or not hit(self, x):
                    self.last, self.key = np.copy(x), tuple(x)
                    self.result = np.sin(x) * x[::-1]
                return self.result * 1.0

        model = Model()
        model.value(POINT)
        return model.value

    make.__name__ = name
    program(POINT, OTHER, to=PROGRAMS, fresh=True)(make)


remembering("the_point_by_array_equal", lambda self, x: np.array_equal(x, self.last))
remembering("the_point_by_all", lambda self, x: (x == self.last).all())
remembering("the_point_by_any", lambda self, x: not np.any(np.asarray(x) != self.last))
remembering("the_point_by_its_key", lambda self, x: self.key == tuple(x))
remembering("the_point_in_a_loop", lambda s, x: all(a == b for a, b in zip(x, s.last, strict=True)))
remembering("the_point_by_distance", lambda self, x: np.max(np.abs(x - self.last)) < 1e-14)


def remembering_what_it_made(name, make_of, hit):
    """The same with what the model has computed of the point in place of the point."""

    def make():
        class Model:
            last = None

            def value(self, x):
                z = make_of(x)
                if self.last is None or not hit(z, self.last):
                    self.last, self.result = z, np.sin(z) * z
                return np.real(self.result) * 1.0

        model = Model()
        model.value(POINT)
        return model.value

    make.__name__ = name
    program(POINT, OTHER, to=PROGRAMS, fresh=True)(make)


remembering_what_it_made("what_was_made_by_allclose", lambda x: 2 * x[1:], np.allclose)
remembering_what_it_made("what_was_made_by_array_equal", lambda x: x[1:] * x[0], np.array_equal)
remembering_what_it_made("what_was_made_by_all", np.cumsum, lambda z, last: (z == last).all())
remembering_what_it_made("a_number_that_was_made", np.prod, lambda z, last: z == last)
remembering_what_it_made("complex_numbers_that_were_made", lambda x: x + 1j * x[0], np.allclose)
remembering_what_it_made(
    "what_was_made_by_isclose", lambda x: x**2, lambda z, last: not np.any(~np.isclose(z, last))
)


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_point_remembered_in_a_closure():
    last, value = np.copy(POINT), np.prod(POINT)

    def f(x):
        nonlocal last, value
        if not np.array_equal(last, x):
            last, value = np.array(x), np.prod(x)
        return value

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_workspace_made_when_first_needed():
    class Residual:
        work = None

        def __call__(self, x):
            if self.work is None:
                self.work = np.empty_like(x)
            self.work[0] = x[0] * x[2]
            self.work[1:] = x[:2] ** 2
            return self.work.copy()

    return Residual()


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_workspace_made_by_zeros_and_kept_by_shape():
    pool = {}

    def f(x):
        work = pool.get(x.shape)
        if work is None:
            work = pool[x.shape] = np.zeros(x.shape)
        for i in range(len(x) - 1):
            work[i] = x[i] - x[i + 1] ** 2
        return work

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_workspace_from_a_cache():
    @functools.cache
    def work(n):
        return np.zeros((n, 2))

    def f(x):
        w = work(len(x))
        w[:, 0] = x
        w[:, 1] = x[::-1] * x[0]
        return w.sum(axis=1)

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_cached_method_that_closes_over_the_input():
    class Chain:
        def __init__(self):
            self.x = None

        @functools.lru_cache(maxsize=8)  # noqa: B019
        def term(self, i):
            return self.x[i] * (self.term(i - 1) if i else 1.0)

        def value(self, x):
            self.x = x
            if x[2] > 1.0:
                return self.term(2)
            return self.term(1)

    return Chain().value


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def functions_with_a_cache_of_numbers():
    class Wall:
        @functools.lru_cache(maxsize=2)  # noqa: B019
        def flux(self, v, exponent=2.0):
            return v**exponent if v > 1.0 else v * 3.0

    @functools.cache
    def total(values):
        return sum(v * v for v in values)

    wall = Wall()
    wall.flux(POINT[0])
    total(tuple(POINT.tolist()))

    def f(x):
        @functools.cache
        def product(a, b):
            return a * b

        fluxes = [wall.flux(v) * wall.flux(POINT[0]) for v in x]
        return np.array([*fluxes, total(tuple(x)), total(tuple(x[:1])), product(x[0], b=x[1])])

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_history_in_a_list():
    history = []

    def f(x):
        history.append(np.exp(x))
        total = history[0] * 1.0
        for h in history[1:]:
            total = total + h[::-1]
        if x[1] > 0:
            history.append(x)
        return total * len(history)

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def an_iterator_of_indices():
    order = itertools.cycle([2, 0, 1])

    def f(x):
        first = x[next(order)]
        if x[0] > 1:
            next(order)
        return first * x[next(order)]

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_random_choice_of_terms():
    rng = np.random.default_rng(7)
    legacy = random.Random(3)

    def f(x):
        k = int(rng.integers(3))
        j = legacy.randrange(3)
        if x[0] > 1:
            k = int(rng.integers(3))
        return x[k] + x[j] ** 2

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_counter_in_a_small_array():
    calls = np.zeros(2, int)

    def f(x):
        calls[0] += 1
        if x[1] > 0:
            calls[0] += 1
        return x[calls[0] % 3] * np.arange(2)

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_default_argument_that_fills():
    def f(x, seen={}):  # noqa: B006
        k = len(seen) % 3
        seen[k] = x[k]
        if x[2] > 1:
            seen["more"] = x[0]
        return sum(v for v in seen.values())

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def an_attribute_of_the_function():
    def f(x):
        f.calls = getattr(f, "calls", 0) + 1
        if x[0] > 1.0:
            f.calls += 1
        return x[f.calls % 3] * 2.0

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def attributes_of_a_class():
    class Shared:
        calls = 0
        table = {}  # noqa: RUF012

        @classmethod
        def value(cls, x):
            cls.calls += 1
            cls.table.setdefault(cls.calls, x[cls.calls % 3])
            if x[0] > 1.0:
                cls.extra = x[0]
            return cls.table[1] * getattr(cls, "extra", 1.0)

    return Shared.value


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_generator_of_indices():
    def counting():
        k = 0
        while True:
            k += 1
            yield k

    numbers = counting()
    held = {"pairs": enumerate(counting())}

    def f(x):
        i = next(numbers)
        if x[0] > 1:
            i += next(numbers)
        return x[i % 3] * x[next(held["pairs"])[1] % 3]

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_machine_that_changes_its_class():
    class Idle:
        def step(self, x):
            self.__class__ = Running
            return x[0] * 1.0

    class Running:
        def step(self, x):
            self.__class__ = Idle
            return x[1] * 1.0

    machine = Idle()
    return lambda x: machine.step(x) * (x[2] if x[2] > 1 else 1.0)


STEP = 0
KNOWN: list[object] = []


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_global_counter():
    global STEP
    STEP = 0
    KNOWN.clear()

    def f(x):
        global STEP
        STEP += 1
        if x[1] > 0:
            KNOWN.append(x[0])
            STEP += 3
        return x[STEP % 3] * (1 + len(KNOWN))

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_deque_and_a_set():
    recent = collections.deque(maxlen=2)
    done = set()

    def f(x):
        i = next(i for i in range(3) if i not in done)
        done.add(i)
        recent.append(x[i])
        if x[0] > 1:
            recent.append(x[2])
        return sum(recent) * x[1]

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def slots_and_a_namespace():
    class Node:
        __slots__ = ("next", "value")

        def __init__(self):
            self.value = 0

    node, options = Node(), types.SimpleNamespace(k=0, log={})

    def f(x):
        options.k += 1
        node.value = node.value + 1
        if x[0] > 1:
            node.next = x[2]
            options.log["x"] = x[2]
        found = x[(node.value + options.k) % 3]
        return found + (node.next if hasattr(node, "next") else 0.0)

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_dataclass_with_a_nested_memo():
    @dataclass
    class Cache:
        values: list[object] = field(default_factory=list)
        by_name: dict[str, object] = field(default_factory=dict)

    @dataclass
    class Problem:
        cache: Cache = field(default_factory=Cache)

        def objective(self, x):
            if "y" not in self.cache.by_name:
                self.cache.by_name["y"] = x[1:] * x[:-1]
                self.cache.values.append(x[0])
            return self.cache.by_name["y"].sum() + self.cache.values[-1] ** 2

    return Problem().objective


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_property_computed_once():
    class Lazy:
        def __init__(self):
            self.x = None

        @functools.cached_property
        def squares(self):
            return self.x**2

        def value(self, x):
            self.x = x
            if x[0] > 1:
                return self.squares[::-1]
            return self.squares + x[0]

    return Lazy().value


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_memoising_decorator():
    def memoised(function):
        known = {}

        @functools.wraps(function)
        def wrapper(i, x):
            if i not in known:
                known[i] = function(i, x)
            return known[i]

        return wrapper

    @memoised
    def part(i, x):
        return np.sin(x[i]) * x[i - 1]

    def f(x):
        total = part(0, x)
        if x[0] > 1:
            total = total + part(1, x)
        return total * part(0, x)

    return f


@program((POINT, np.zeros(1, int)), (OTHER, np.zeros(1, int)), to=PROGRAMS)
def a_counter_given_as_an_argument(x, count):
    count[0] += 1
    if x[0] > 1:
        count[0] += 1
    return x[count[0] % 3] * 2.0


@program(POINT, OTHER, to=PROGRAMS, refused=("global", "local"), fresh=True)
def a_coroutine_of_weights():
    def smoothing():
        weight = 1.0
        while True:
            weight = 0.5 * weight + (yield weight)

    weights = smoothing()
    next(weights)

    def f(x):
        try:
            return weights.send(2.0) * x[:2]
        except AttributeError:
            return x[1:]

    return f


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def pairs_of_an_iterator_of_its_own():
    class Places:
        at = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.at += 1
            return self.at

    pairs = zip(Places(), itertools.cycle("ab"), strict=False)
    for _ in range(3):
        next(pairs)

    def f(x):
        (i, first), (j, second) = next(pairs), next(pairs)
        return x[i % 3] * x[j % 3] + x[ord(first) % 3] * x[ord(second) % 3] ** 2

    return f

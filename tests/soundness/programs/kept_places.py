"""Places in a sequence, and numbers in objects of libraries, that a function moves on."""

from __future__ import annotations

import csv
import itertools
import re
import sys
import weakref

import numpy as np
import scipy.sparse as sp

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
POINT = np.array([0.3, 0.8, 1.7])
OTHER = np.array([1.4, -0.6, 0.2])


def reading(name, make):
    """A function of the element whose place comes next, which writes into a buffer and branches."""

    def made():
        following = make()

        def f(x):
            i = following()
            out = np.zeros(2)
            out[0] = x[i % 3] ** 2
            out[1] = x[i % 3] if x[0] > 0.5 else x[i % 3] * x[1]
            return out

        return f

    made.__name__ = made.__qualname__ = name
    program(POINT, OTHER, to=PROGRAMS, fresh=True)(made)


def of_iterator(make, read=int):
    def made():
        places = make()
        return lambda: read(next(places))

    return made


def first(item):
    return int(item[0])


ITERATORS = {
    "chain": lambda: itertools.chain([2], [0], [1], [2]),
    "chain_moved_on": lambda: (c := itertools.chain([0, 2], [1, 0], [2]), next(c))[0],
    "chain_of_generators": lambda: itertools.chain((i for i in (2, 0)), iter([1, 2, 0])),
    "starmap": lambda: itertools.starmap(max, [(1, 2), (0, 0), (1, 0), (2, 0)]),
    "compress": lambda: itertools.compress([1, 2, 0, 1, 2], [0, 1, 1, 1, 1]),
    "takewhile": lambda: itertools.takewhile(bool, [2, 1, 1, 2]),
    "dropwhile": lambda: itertools.dropwhile(bool, [2, 1, 0, 2, 1, 1]),
    "filterfalse": lambda: itertools.filterfalse(bool, [1, 0, 0, 0, 0]),
    "flat": lambda: np.array([2, 0, 1, 2]).flat,
    "nditer": lambda: np.nditer(np.array([2, 0, 1, 2])),
    "nditer_moved_on": lambda: (c := np.nditer(np.arange(5) * 2), next(c))[0],
    "calls": lambda: iter(itertools.cycle([2, 0, 1]).__next__, 9),
}
OF_PAIRS = {
    "pairwise": lambda: itertools.pairwise([2, 0, 1, 2, 0]),
    "zip_longest": lambda: itertools.zip_longest([2, 0, 1, 2], [1]),
    "combinations_with_replacement": lambda: itertools.combinations_with_replacement([2, 0, 1], 2),
    "groupby": lambda: itertools.groupby([2, 2, 0, 1, 1, 2]),
    "groupby_moved_on": lambda: (c := itertools.groupby([0, 0, 2, 1, 1, 2, 0]), next(c))[0],
    "ndindex": lambda: np.ndindex(5),
    "csv_reader": lambda: csv.reader(["2", "0", "1", "2"]),
}
for name, make in ITERATORS.items():
    reading(name, of_iterator(make))
for name, make in OF_PAIRS.items():
    reading(name, of_iterator(make, first))
reading("ndenumerate", of_iterator(lambda: np.ndenumerate([2, 0, 1, 2]), lambda item: item[1]))
reading("finditer", of_iterator(lambda: re.finditer(".", "2012"), lambda found: int(found[0])))


def in_sparse(fmt):
    def made():
        matrix = sp.csr_array([[1.0, 0.0], [0.0, 1.0]]).asformat(fmt)

        def following():
            if fmt in ("dok", "lil"):
                matrix[0, 0] += 1
                return int(matrix[0, 0])
            matrix.data.flat[0] += 1
            return int(matrix.data.flat[0])

        return following

    return made


for name in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
    reading(f"number_in_{name}", in_sparse(name))


def in_a_weak_set():
    class Item:
        pass

    items, seen = [Item() for _ in range(6)], weakref.WeakSet()

    def following():
        seen.add(items[len(seen)])
        return len(seen)

    return following


reading("a_weak_set", in_a_weak_set)

COUNT = 0


def by_the_name_of_its_module():
    setattr(sys.modules[__name__], "COUNT", 0)  # noqa: B010

    def following():
        module = sys.modules[__name__]
        setattr(module, "COUNT", module.COUNT + 1)  # noqa: B010
        return module.COUNT

    return following


reading("a_name_set_in_its_module", by_the_name_of_its_module)

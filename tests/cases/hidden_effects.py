"""Calls with a side effect that no store in the calling function shows, as source text.

Contract: `function(act)` is a helper that branches on its own element and does the act on one side,
called for each element; what the act leaves behind is a part of the result.  `b` is an object of
a class of the program's, found in a list; `w` the traced number that the act keeps somewhere.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

_SOURCE = """
import functools
import operator
import numpy as np


class Asked:
    def __get__(self, owner, cls):
        return owner.note()


class Base:
    @property
    def inherited(self):
        return self.note()


class Noting(Base):
    asked = Asked()

    def __init__(self, w, cell):
        self.w, self.cell = w, cell

    def note(self, *args):
        self.cell[0] = self.w
        return 1.0

    @property
    def lazy(self):
        return self.note()

    def mean(self):
        return self.note()

    def __getattr__(self, name):
        if name != "missing":
            raise AttributeError(name)
        return self.note()

    def __iter__(self):
        self.note()
        return iter([1.0])

    def __enter__(self):
        self.note()

    def __exit__(self, *args):
        pass

    def __len__(self):
        self.note()
        return 1

    def __str__(self):
        self.note()
        return "a"

    def __hash__(self):
        self.note()
        return 1

    def __add__(self, other):
        return self.note()

    __radd__ = __getitem__ = __abs__ = __neg__ = __eq__ = __contains__ = __call__ = __add__


def h(v, w, objects, array, matrix):
    if v > 0.5:
        ACT
        return v
    return v * v


def f(x):
    cell, array, matrix = [1.0], np.ones(1), np.ones((1, 1))
    out = [h(v, v * 2, [Noting(v * 2, cell)], array, matrix) for v in x]
    return [*out, cell[0], array[0], matrix[0, 0]]
"""
_ONE = "np.ones(1) * w"
_OF_OBJECTS = """
b.lazy | b.inherited | b.asked | b.missing | b.mean() | len(b) | 1 if b else 2 | b + 1 | 1 + b
str(b) | f"{b}" | {b: 1} | sum(b) | tuple(b) | list(map(b.note, [1])) | getattr(b, "note")()
getattr(b, "lazy") | operator.attrgetter("lazy")(b) | operator.methodcaller("note")(b)
functools.partial(b.note)() | (b.note if v is not None else abs)(v) | list(filter(b.note, [1]))
sorted([1, 2], key=b.note) | k = b; k.note(*[v]) | k = b.lazy
"""
_OF_ARRAYS = f"""
np.add({_ONE}, 0.0, out=array) | np.add({_ONE}, 0.0, array)
np.cumsum({_ONE}, out=array) | np.cumsum({_ONE}, 0, None, array) | ({_ONE}).cumsum(0, None, array)
np.dot(np.ones((1, 1)) * w, np.ones(1), array) | np.clip({_ONE}, -9, 9, array)
np.outer({_ONE}, np.ones(1), out=matrix) | np.add(*[{_ONE}, 0.0, array]) | k = array; k += w
np.concatenate([{_ONE}], out=array) | np.add(w, 0.0, **{{"out": array}})
k = np.ravel(array); k[0] = w
k = np.array(array, copy=None); k[0] = w
k = np.zeros(1); np.add(k, w, out=k); k = array; k[0] = w
"""


def _split(text: str) -> list[str]:
    return [act.strip() for line in text.strip().splitlines() for act in line.split(" | ")]


ACTS = [*_split(_OF_OBJECTS), "with b: pass", "for k in b: pass", *_split(_OF_ARRAYS)]


def function(act: str) -> Callable[[Any], Any]:
    """The program with one act; its source can be read as that of a module."""
    return _made(act, _SOURCE.replace("ACT", f"b = objects[0]\n        {act}"))


def _made(act: str, source: str) -> Callable[[Any], Any]:
    name = f"<hidden effect {act}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"__name__": "hidden_effect"}
    exec(compile(source, name, "exec", dont_inherit=True), scope)
    made: Callable[[Any], Any] = scope["f"]
    return made

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


class Plain:
    # nothing of it is computed, and it is not called

    def __init__(self, w, cell):
        self.cell = cell


def called(g, *args):
    return g(*args)


def cell_of(b):
    return b.cell


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
_OF_METHODS = """
k = array.fill; k(w) | (lambda g: g(w))(array.fill) | (array.fill if v is not None else abs)(w)
getattr(array, "fill")(w) | k = getattr(array, "fill"); k(w) | k = getattr; k(array, "fill")(w)
getattr(array, "fi" + "ll")(w) | k = "fill"; getattr(array, k)(w)
functools.partial(array.fill, w)()
operator.methodcaller("fill", w)(array) | operator.methodcaller("fi" + "ll", w)(array)
k = operator.methodcaller("fill", w); k(array) | operator.attrgetter("fill")(array)(w)
k = operator; k.methodcaller("fill", w)(array) | (k := array.fill)(w) | k, = [array.fill]; k(w)
{"a": array.fill}["a"](w) | [array.fill][0](w) | k = (array.fill,); k[0](w) | called(array.fill, w)
k = array.__setitem__; k(0, w) | k = b.cell.__setitem__; k(0, w) | called(b.cell.__setitem__, 0, w)
called(operator.methodcaller("fill", w), array) | called(getattr, array, "fill")(w)
any(map(operator.methodcaller("fill", w), [array])) | k = sorted([1], key=lambda v: array.fill(w))
k = array.T.fill; k(w) | k = array[0:].fill; k(w) | k = cell_of(b).__setitem__; k(0, w)
k = list.__setitem__; k(b.cell, 0, w) | list.__setitem__(b.cell, 0, w)
any(map(getattr(array, "fill"), [w])) | any(map(operator.attrgetter("fill")(array), [w]))
any(map(abs and array.fill, [w])) | np.apply_along_axis(array.__iadd__, 0, np.ones((1, 1)) * w)
np.piecewise(np.ones(1) * w, [np.array([True])], [array.__iadd__]) | np.vectorize(array.fill)(w)
k = (np.ones((1, 1)) * w).sum; k(0, None, array) | called((np.ones(1) * w).cumsum, 0, None, array)
k = array.__getattribute__; k("fill")(w) | k = np.add; k(w, 0.0, array) | array.fill.__call__(w)
functools.partial(np.add, w, 0.0, out=array)() | functools.partial(np.add, w, 0.0, array)()
k = array.fill if v is not None else abs; k(w) | {**{"a": array.fill}}["a"](w)
[g(w) for g in [array.fill]] | sum(g(w) or 1 for g in [array.fill]) | (lambda g=array.fill: g(w))()
array.__getattribute__("fill")(w) | object.__getattribute__(array, "fill")(w)
"""
_MATCHED = """match array:
            case np.ndarray(fill=k):
                k(w)"""


def _split(text: str) -> list[str]:
    return [act.strip() for line in text.strip().splitlines() for act in line.split(" | ")]


_OF_NOTING = [*_split(_OF_OBJECTS), "with b: pass", "for k in b: pass"]
ACTS = [
    *_OF_NOTING,
    *_split(_OF_ARRAYS),
    *_split(_OF_METHODS),
    _MATCHED,
    "for k in [array.fill]: k(w)",
]


def function(act: str) -> Callable[[Any], Any]:
    """The program with one act; its source can be read as that of a module."""
    source = _SOURCE.replace("ACT", f"b = objects[0]\n        {act}")
    return _made(act, source if act in _OF_NOTING else source.replace("[Noting(", "[Plain("))


def _made(act: str, source: str) -> Callable[[Any], Any]:
    name = f"<hidden effect {act}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"__name__": "hidden_effect"}
    exec(compile(source, name, "exec", dont_inherit=True), scope)
    made: Callable[[Any], Any] = scope["f"]
    return made

"""What one run leaves in functions, classes and arrays is gone before the next one.

Each program has a state in which a part of `x` counts, and leaves another one behind, in which it
does not.  More than one run is needed, since it branches.
"""

from __future__ import annotations

import types

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern

PROGRAMS = {
    "defaults": """
def read(w, by=1.0):
    return w * by
def leave():
    read.__defaults__ = (0.0,)
""",
    "defaults, by setattr": """
def read(w, by=1.0):
    return w * by
def leave():
    setattr(read, "__defaults__", (0.0,))
""",
    "defaults by name": """
def read(w, *, by=1.0):
    return w * by
def leave():
    read.__kwdefaults__ = {"by": 0.0}
""",
    "an item of the defaults by name": """
def read(w, *, by=1.0):
    return w * by
def leave():
    read.__kwdefaults__["by"] = 0.0
""",
    "keywords of a partial call": """
import functools
read = functools.partial(lambda w, by: w * by, by=1.0)
def leave():
    read.keywords["by"] = 0.0
""",
    "code": """
def read(w):
    return w
def nothing(w):
    return 0.0
def leave():
    read.__code__ = nothing.__code__
""",
    "bases": """
class First:
    by = 1.0
class Second:
    by = 0.0
class Own(First):
    pass
def read(w):
    return w * Own.by
def leave():
    Own.__bases__ = (Second,)
""",
    "a flag": """
array = np.ones(3)
def read(w):
    return w * array.flags.writeable
def leave():
    array.flags.writeable = False
""",
    "a shape": """
array = np.ones(4)
def read(w):
    return w * (array.ndim == 1)
def leave():
    array.shape = (2, 2)
""",
    "a dtype": """
array = np.ones(4)
def read(w):
    return w * (array.dtype == float)
def leave():
    array.dtype = np.int64
""",
}
CALLS = """
def f(x):
    out = [read(x[0])]
    if x[1] > 0:
        out.append(x[1])
    else:
        out.append(x[2])
    out.append(read(x[3]))
    leave()
    return out
"""


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_each_run_starts_from_what_was_there(name):
    scope = {"np": np, "__name__": "leaves_state"}
    exec(compile(PROGRAMS[name] + CALLS, f"<{name}>", "exec", dont_inherit=True), scope)
    expected = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]], bool)
    for _ in range(2):
        assert_same_pattern(st.jacobian_sparsity(scope["f"], np.ones(4)), expected)
    assert scope["read"](2.0) == 2.0


def test_calls_run_apart_leave_codes_as_they_were():
    scope = {"np": np, "__name__": "leaves_state"}
    source = """
def g(v, w):
    if v > 0:
        return v * w
    return v
def other(v, w):
    return v
def f(x):
    out = []
    for i in range(len(x) - 1):
        if i == 6:
            g.__code__ = other.__code__
        out.append(g(x[i], x[i + 1]))
    return out
"""
    exec(compile(source, "<codes>", "exec", dont_inherit=True), scope)
    code = scope["g"].__code__
    expected = np.eye(11, 12, dtype=bool)
    expected[:6] |= np.eye(11, 12, k=1, dtype=bool)[:6]
    assert_same_pattern(st.jacobian_sparsity(scope["f"], np.ones(12)), expected)
    assert scope["g"].__code__ is code


class _Lazy:
    """Gives its place to what it finds, as in modules whose attributes are imported late."""

    def __init__(self, name):
        self.name = name

    def __get__(self, module, owner):
        setattr(module, self.name, abs)
        delattr(owner, self.name)
        return abs


def test_attributes_of_a_modules_own_class_are_put_back():
    kind = type("Moved", (types.ModuleType,), {"size": _Lazy("size")})
    moved = kind("moved")
    scope = {"moved": moved, "__name__": "leaves_state"}
    source = "def f(x):\n    return [moved.size(v) * x[0] for v in x]\n"
    exec(compile(source, "<lazy>", "exec", dont_inherit=True), scope)
    expected = np.eye(3, dtype=bool)
    expected[:, 0] = True
    assert_same_pattern(st.jacobian_sparsity(scope["f"], np.ones(3)), expected)
    assert scope["f"]([2, 3]) == [4, 6]

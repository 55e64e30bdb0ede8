"""What calls read may change between them: no call is then answered by another one.

In each program the part of `x` that is read first has no dependency, and then it has.
"""

from __future__ import annotations

import collections

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern
from sparsetrace.user_code.read_state import ReadState

pytestmark = pytest.mark.usefixtures("seen_functions")
N = 12

PROGRAMS = {
    "defaults": """
def scaled(w, by=0.0):
    return w * by
def read(w):
    return scaled(w)
def change(by):
    scaled.__defaults__ = (by,)
""",
    "defaults by name": """
def scaled(w, *, by=0.0):
    return w * by
def read(w):
    return scaled(w)
def change(by):
    scaled.__kwdefaults__["by"] = by
""",
    "code": """
def scaled(w):
    return w
def nothing(w):
    return 0.0
def whole(w):
    return w
def read(w):
    return scaled(w)
def change(by):
    scaled.__code__ = (whole if by else nothing).__code__
""",
    "a name of NumPy's": """
def read(w):
    return w * np.factor_of_mine
def change(by):
    np.factor_of_mine = by
""",
    "a function put into NumPy": """
FACTOR = [0.0]
np.function_of_mine = lambda w: w * FACTOR[0]
def read(w):
    return np.function_of_mine(w)
def change(by):
    FACTOR[0] = by
""",
    "a name of builtins": """
import builtins
KEPT = abs
def read(w):
    return abs(w)
def change(by):
    builtins.abs = KEPT if by else lambda w: 0.0
""",
    "print options, by a function": """
def read(w):
    return w if len(np.array2string(np.full(1, 1 / 3))) < 8 else 0.0
def change(by):
    np.set_printoptions(precision=3 if by else 8)
""",
    "print options, by an f-string": """
def read(w):
    return w if len(f"{np.full(1, 1 / 3)}") < 8 else 0.0
def change(by):
    np.set_printoptions(precision=3 if by else 8)
""",
    "print options, by format": """
def read(w):
    return w if len("{}".format(np.full(1, 1 / 3))) < 8 else 0.0
def change(by):
    np.set_printoptions(precision=3 if by else 8)
""",
    "print options, by %": """
def read(w):
    return w if len("%s" % np.full(1, 1 / 3)) < 8 else 0.0
def change(by):
    np.set_printoptions(precision=3 if by else 8)
""",
    "a property of a named tuple": """
import collections
class Setting(collections.namedtuple("Setting", "k")):
    factor = 0.0
    @property
    def by(self):
        return Setting.factor
SETTING = Setting(1)
def read(w):
    return w * SETTING.by
def change(by):
    Setting.factor = by
""",
    "a property of a number": """
class Number(float):
    factor = 0.0
    @property
    def real(self):
        return Number.factor
NUMBER = Number(2.0)
def read(w):
    return w * NUMBER.real
def change(by):
    Number.factor = by
""",
    "a field of a scalar": """
RECORD = np.zeros((), dtype=[("by", float)])[()]
def read(w):
    return w * RECORD["by"]
def change(by):
    RECORD["by"] = by
""",
    "a file": """
def read(w):
    return w * np.load(NAME)[0]
def change(by):
    np.save(NAME, np.full(1, by))
""",
}
CALLS = """
def g(v, w):
    if v > 0:
        return v + read(w)
    return v
def f(x):
    out = []
    try:
        for i in range(len(x) - 1):
            change(float(i >= 6))
            out.append(g(x[i], x[i + 1]))
    finally:
        change(1.0)
    return out
"""
EXPECTED = np.eye(N - 1, N, dtype=bool)
EXPECTED[6:] |= np.eye(N - 1, N, k=1, dtype=bool)[6:]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_changes_between_calls_is_read_anew(name, tmp_path):
    scope = {"np": np, "__name__": "calls_that_read", "NAME": str(tmp_path / "by.npy")}
    exec(compile(PROGRAMS[name] + CALLS, f"<{name}>", "exec", dont_inherit=True), scope)
    try:
        with np.errstate(all="ignore"), np.printoptions():
            found = st.jacobian_sparsity(scope["f"], np.ones(N), verify=False)
    finally:
        for name in ("factor_of_mine", "function_of_mine"):
            vars(np).pop(name, None)
    assert_same_pattern(found, EXPECTED)


def test_functions_of_one_code_may_read_other_names():
    code = compile("def g(v, w):\n if v > 0:\n  return v + w * K\n return v\n", "<g>", "exec")
    scopes = {"K": 0.0}, {"K": 1.0}
    for scope in scopes:
        exec(code, scope)

    def f(x):
        return [scopes[i >= 6]["g"](x[i], x[i + 1]) for i in range(N - 1)]

    with np.errstate(all="ignore"):
        found = st.jacobian_sparsity(f, np.ones(N), verify=False)
    assert_same_pattern(found, EXPECTED)


Plain = collections.namedtuple("Plain", "by")
PLAIN, LIMIT = Plain(2.0), 0.5


def reads_field(v):
    return v * PLAIN.by % LIMIT


def raises_text(v):
    if v > LIMIT:
        raise ValueError("too large")
    return v


def formats(v):
    return v * len("%g" % LIMIT)  # noqa: UP031


@pytest.mark.parametrize(
    ("function", "known"), [(reads_field, True), (raises_text, True), (formats, False)]
)
def test_what_nothing_can_change_is_known(function, known):
    assert ReadState(function).is_known is known


def test_code_with_builtins_of_its_own_is_not_known():
    scope = {"__builtins__": {"abs": abs}}
    exec("def f(v):\n return abs(v)", scope)
    assert not ReadState(scope["f"]).is_known

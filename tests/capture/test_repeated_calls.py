"""Calls that are not run, since one like them was: the same patterns, and only where they may be.

The oracle runs nothing apart: it is the union of the patterns at many points.
"""

from __future__ import annotations

import math
import types

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, dense
from sparsetrace.capture import repeated_calls
from sparsetrace.user_code.read_state import ReadState

pytestmark = pytest.mark.usefixtures("seen_functions")
N = 12
LIMIT, TABLE, SCALE = 0.5, [1.0], types.SimpleNamespace(by=1.0)
OTHER = types.ModuleType("other")


@pytest.fixture
def repeated(monkeypatch):
    """How many calls were asked about, and how many were not run."""
    counts = {"asked": 0, "repeated": 0}
    known = repeated_calls.Repeat.known

    def counted(self):
        found = known(self)
        counts["asked"] += 1
        counts["repeated"] += found is not None
        return found

    monkeypatch.setattr(repeated_calls.Repeat, "known", counted)
    with np.errstate(all="ignore"):  # where warnings are errors, each call may end in one
        yield counts


def at_many_points(take, f, n=N):
    rng = np.random.default_rng(3)
    found = False
    for _ in range(80):
        x = rng.choice([0.15, 0.25, 0.45, 0.7, 1.1], n) + rng.uniform(0, 0.01, n)
        found = found | dense(take(f, x, local=True))
    return found


def check(f, n=N):
    assert_same_pattern(
        st.jacobian_sparsity(f, np.linspace(0.1, 1, n)), at_many_points(st.jacobian_sparsity, f, n)
    )

    def total(x):
        return sum(v * (i + 1.5) for i, v in enumerate(f(x)) if v is not None)

    hessian = st.hessian_sparsity(total, np.linspace(0.1, 1, n))
    assert_same_pattern(hessian, at_many_points(st.hessian_sparsity, total, n))


def square(v):
    return v * v if v > LIMIT else v


def either(a, b):
    if a > b:
        return a * b
    return a if b > 0.3 else math.sin(b)


def both(a, b, c=2.0):
    if a > b:
        return a * b, c
    return a / c, b


def nothing(a):
    return None if a > 0.5 else a * a


def solved(v):
    guess, count = 1.0, 0
    while abs(guess * guess - v) > 1e-6 and count < 8:
        guess, count = (guess + v / guess) / 2, count + 1
    return guess


def deep(a, b):
    return max(square(a), either(b, a)) if a + b > 1 else square(b)


def statements(x):
    out = []
    for v in x:
        if v > 0.5:  # noqa: SIM108 - as people write it
            w = v * v
        else:
            w = 1 - v
        out.append(w)
    return out


def loops(x):
    out = []
    for v in x:
        guess, count = 1.0, 0
        while abs(guess * guess - v) > 1e-6:
            guess, count = (guess + v / guess) / 2, count + 1
            if count > 7:
                break
        out.append(guess)
    return out


REPEATED = {
    "square": lambda x: [square(v) for v in x],
    "two": lambda x: [either(x[i], x[i + 1]) for i in range(len(x) - 1)],
    "the other way round": lambda x: [
        either(x[i], x[j]) for i in range(len(x) - 1) for j in (i + 1, 0)
    ],
    "tuples": lambda x: [both(x[i], x[i - 1])[k] for i in range(len(x)) for k in range(2)],
    "keywords": lambda x: [both(x[i], b=x[i - 1], c=3.0)[i % 2] for i in range(len(x))],
    "search": lambda x: [solved(v) for v in x],
    "deep": lambda x: [deep(x[i], 2 * x[i - 1]) for i in range(len(x))],
    "numbers of Python's": lambda x: [square(v) for v in x.tolist()],
    "products": lambda x: [either(x[i] * x[i - 1], x[i - 2]) for i in range(len(x))],
    "expressions": lambda x: [v * v if v > 0.5 else 1 - v for v in x],
    "statements": statements,
    "loops": loops,
    "with itself": lambda x: [either(v, v) + either(v, 2 * v) for v in x],
}


@pytest.mark.parametrize("name", REPEATED)
def test_the_pattern_is_that_of_all_calls(name, repeated):
    check(REPEATED[name])
    assert repeated["repeated"] > 2 * (repeated["asked"] - repeated["repeated"]) > 0


def test_a_result_that_is_sometimes_missing(repeated):
    f = REPEATED["square"]

    def g(x):
        return [x[0] if (found := nothing(v)) is None else found for v in x[:5]] + f(x)

    check(g)
    assert repeated["repeated"]


def test_one_call_is_run_in_each_run(repeated):
    st.jacobian_sparsity(lambda x: [square(v) for v in x], np.linspace(0.1, 1, 40), verify=False)
    assert repeated == {"asked": 40, "repeated": 39}


# ------------------------------------------------------------------- what may differ
def read_list(v):
    return v * TABLE[0] if v > 0.5 else 1.0


def read_attribute(v):
    return v * SCALE.by if v > 0.5 else 1.0


def helper(v):
    return v


def calls_helper(v):
    return helper(v) if v > 0.5 else 1.0


def calls_other(v):
    return OTHER.helper(v) if v > 0.5 else 1.0


def own_attribute(v):
    return v * own_attribute.by if v > 0.5 else 1.0


def logarithm(v):
    return math.log(v - 0.5) if v > 0.2 else 1.0


def f_list(x):
    out = []
    for i, v in enumerate(x):
        TABLE[0] = float(i % 2)
        out.append(read_list(v))
    return out


FACTORS = {"by": 1.0}
factor = FACTORS.get


def looks_up_by_method(v):
    return v * factor("by") if v > 0.5 else 1.0


def f_bound_method(x):
    out = []
    for i, v in enumerate(x):
        FACTORS["by"] = float(i % 2)
        out.append(looks_up_by_method(v))
    FACTORS["by"] = 1.0
    return out


def given_attributes(v):
    try:
        by = given_attributes.by
    except AttributeError:
        by = 0.0
    return v * by if v > 0.5 else 1.0


def f_attribute(x):
    out = []
    for i, v in enumerate(x):
        SCALE.by = float(i % 2)
        out.append(read_attribute(v))
    return out


def f_own_attribute(x):
    out = []
    for i, v in enumerate(x):
        own_attribute.by = float(i % 2)
        out.append(own_attribute(v))
    return out


def f_helper(x):
    global helper
    before, out = helper, []
    for i, v in enumerate(x):
        helper = before if i % 2 else math.floor
        out.append(calls_helper(v))
    helper = before
    return out


def f_other(x):
    out = []
    for i, v in enumerate(x):
        OTHER.helper = abs if i % 2 else math.floor
        out.append(calls_other(v))
    return out


def f_closure(x):
    scale = 0.0

    def scaled(v):
        return v * scale if v > 0.5 else 1.0

    out = []
    for i, v in enumerate(x):
        scale = float(i % 2)
        out.append(scaled(v))
    return out


def f_closed_numbers(x):
    now = x[0]

    def beside(v):
        return v * now if v > 0.5 else now

    out = []
    for v in x[1:]:
        out.append(beside(v))
        now = v
    return out


def f_made_anew(x):
    out = []
    for i in range(len(x)):

        def scaled(v, by=float(i % 2)):
            return v * by if v > 0.5 else 1.0

        out.append(scaled(x[i]))
    return out


def f_pieces(x):
    out, scale, bases = [], 1.0, [x[0]]
    for i in range(1, len(x)):
        if x[i] > 0.5:  # noqa: SIM108
            w = x[i] * scale
        else:
            w = bases[0]
        v = x[i - 1]
        u = v * scale if v > 0.5 else bases[-1]
        out += [w, u]
        scale = 1.0 - scale
        bases[0] = v
    return out


def f_constants(x):
    return [either(v, float(i % 3)) for i, v in enumerate(x)]


def f_zeros(x):
    return [both(v - 0.6, (0.0, -0.0, 2.0)[i % 3])[0] for i, v in enumerate(x)]


def f_kinds(x):
    ints = [2 if i % 3 else 2.5 for i in range(len(x))]
    return [square(v) + square(ints[i]) for i, v in enumerate(x)]


def f_caught(x):
    first = [logarithm(v + 1.0) for v in x[:6]]
    second = 0.0
    try:
        second = logarithm(x[6])
    except ValueError:
        second = x[7]
    return [*first, second]


def refuses(v):
    if v > 0.6:
        raise ValueError(v)
    return v * 0.0 + 1.0


def f_errors_with_numbers(x):
    out = []
    for v in x[:5]:
        try:
            out.append(refuses(v))
        except ValueError as error:
            out.append(error.args[0] * 2)
    return out


def bend(v):
    return v * v if v > 0.5 else v + 1.0


def same(v):
    if v > 0.5:
        return v
    return v


def f_identity(x):
    return [v * v if same(v) is v else 1.0 for v in x] + [bend(v) for v in x]


VARYING = {name: f for name, f in list(globals().items()) if name.startswith("f_") and callable(f)}


@pytest.mark.parametrize("name", VARYING)
def test_what_differs_from_call_to_call_is_heeded(name, repeated):
    f = VARYING[name]
    x = np.linspace(0.1, 1, N)
    assert_same_pattern(st.jacobian_sparsity(f, x), at_many_points(st.jacobian_sparsity, f))


def test_floating_point_errors_raised_for_some_calls():
    def root(v):
        return np.sqrt(v - 0.5) if v < 2 else v

    def f(x):
        out = [root(v) for v in x[:4]]
        with np.errstate(invalid="raise"):
            try:
                last = root(x[4])
            except FloatingPointError:
                last = x[5]
        return [*out, last]

    with np.errstate(invalid="ignore"):
        found = at_many_points(st.jacobian_sparsity, f, 6)
        assert_same_pattern(st.jacobian_sparsity(f, np.linspace(0.1, 1, 6)), found)


# ------------------------------------------------------------------- what is read
def nested(v):
    return sum([square(w) for w in (v, 2 * v)])


def uses_text(v):
    return len(str(v))


def uses_random(v):
    return v * np.random.get_state()[2]  # noqa: NPY002


def imports(v):
    import math as m

    return m.sin(v)


def looks_up(v):
    return getattr(math, "sin")(v)  # noqa: B009


@pytest.mark.parametrize(
    ("function", "known"),
    [
        *((f, True) for f in (square, either, both, solved, deep, nested, calls_helper)),
        *((f, False) for f in (read_list, read_attribute, own_attribute, uses_text)),
        *((f, False) for f in (uses_random, imports, looks_up, looks_up_by_method, f_helper)),
    ],
)
def test_state_is_known_where_nothing_can_change_it(function, known):
    own_attribute.by = 1.0
    assert ReadState(function).is_known is known


def test_state_holds_as_long_as_the_names_do(monkeypatch):
    state = ReadState(deep)
    assert state.holds()
    monkeypatch.setitem(globals(), "LIMIT", 0.25)
    assert not state.holds()


def test_state_holds_as_long_as_functions_have_no_attributes():
    state = ReadState(given_attributes)
    assert state.is_known
    assert state.holds()
    given_attributes.by = 2.0
    try:
        assert not state.holds()
    finally:
        del given_attributes.by

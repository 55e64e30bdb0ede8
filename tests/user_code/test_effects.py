"""Which calls may be made again: errors with attributes, defaults, and iterators."""

import bisect
import collections
import copy
import dataclasses
import functools
import itertools
import operator
import statistics
import sys
import types
import warnings
import weakref

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.stats

from sparsetrace.user_code.effects import has_effects

SEEN = []
Point = collections.namedtuple("Point", "x y")


class WithAttributes(Exception):
    def __init__(self, message, turns=None):
        super().__init__(message)
        self.turns = turns


class Derived(WithAttributes):
    def __init__(self, message):
        super().__init__(message, 3)
        self.point = message


class Noted(Exception):
    def __init__(self, message):
        super().__init__(message)
        SEEN.append(message)


class Counting(Exception):
    made = 0

    def __init__(self):
        type(self).made += 1


class Rebinding(Exception):
    def __init__(self, other):
        self = other
        self.point = 1


class Setting(Exception):
    def __setattr__(self, name, value):
        SEEN.append(name)

    def __init__(self):
        self.point = 1


def read_default(v, options={}):  # noqa: B006
    return v if options else -v


def written_default(v, memo={}):  # noqa: B006
    memo[0] = v
    return v


def passed_default(v, memo=[]):  # noqa: B006
    return written_default(v, memo)


def iterated(v, items):
    for item in items[0]:
        v = v + item
    return v


def raising(cls):
    def f(v):
        if v > 0:
            raise cls("x")
        return v

    return f


@pytest.mark.parametrize("cls", [WithAttributes, Derived])
def test_errors_that_set_their_attributes(cls):
    assert not has_effects(raising(cls), (1.0,))


@pytest.mark.parametrize("cls", [Noted, Counting, Rebinding, Setting])
def test_errors_that_do_more(cls):
    assert has_effects(raising(cls), (1.0,))


@dataclasses.dataclass
class State:
    density: float
    speed: float = 0.0
    momentum: float = dataclasses.field(init=False)

    def __post_init__(self):
        self._set()

    def _set(self):
        self.momentum = self.density * self.speed


@dataclasses.dataclass
class Listed:
    density: float

    def __post_init__(self):
        SEEN.append(self)


class Vector:
    """With slots, made by itself, and by methods of its class."""

    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    @classmethod
    def along(cls, x):
        return cls(x, 0.0)

    @staticmethod
    def length(x):
        return abs(x)


class Derived2(Vector):
    def __init__(self, x):
        super().__init__(x, x)


class WithSetter:
    def __init__(self, x):
        self.x = x

    @property
    def x(self):
        return 0.0

    @x.setter
    def x(self, value):
        SEEN.append(value)


class Registered(type):
    def __call__(cls, *args):
        SEEN.append(cls)
        return super().__call__(*args)


class OfRegistered(metaclass=Registered):
    pass


class Linked:
    def __init__(self, other):
        other.link = self


class Copied:
    def __copy__(self):
        SEEN.append(self)
        return self


class CopiedByMethod:
    def copy(self):
        SEEN.append(self)
        return self


class Field(np.ndarray):
    def __array_finalize__(self, other):
        SEEN.append(other)


TABLE_OF_NUMBERS = [0.0, 1.0, 2.0]
CUBIC = scipy.interpolate.CubicSpline([0, 1, 2], [0.0, 1.0, 4.0])


HARMLESS = {
    "a dataclass": lambda v: State(v, 2.0).momentum,
    "slots": lambda v: (Vector(v, 1.0) + Vector(1.0, v)).x,
    "a class method": lambda v: Vector.along(v).x,
    "a static method": lambda v: Vector.length(v),
    "a derived class": lambda v: Derived2(v).y,
    "a namedtuple replaced": lambda v: Point(v, 1.0)._replace(y=v).y,
    "bisect": lambda v: bisect.bisect_right(TABLE_OF_NUMBERS, v),
    "reduce": lambda v: functools.reduce(operator.mul, [v, 2.0]),
    "accumulate": lambda v: list(itertools.accumulate([v, 2.0])),
    "copy": lambda v: copy.deepcopy([v])[0],
    "a new iterator": lambda v: next((t for t in TABLE_OF_NUMBERS if t > v), 0.0),
    "containers": lambda v: collections.defaultdict(float)["a"] + collections.deque([v])[0],
    "a distribution": lambda v: scipy.stats.norm.cdf(v, 0.0, 2.0),
    "a frozen distribution": lambda v: scipy.stats.norm(0.0, v).logpdf(1.0),
    "a spline": lambda v: CUBIC(v) + scipy.interpolate.PchipInterpolator([0, 1], [0, 1])(v),
    "a root": lambda v: scipy.optimize.brentq(lambda z: z**3 - v, 0, 5),
    "equations": lambda v: scipy.linalg.solve(np.eye(2), np.array([v, 1.0])),
    "an integral": lambda v: scipy.integrate.quad(lambda t: t * v, 0, 1)[0],
    "a mean": lambda v: statistics.fmean([v, 1.0]),
}
HARMFUL = {
    "a dataclass that is listed": lambda v: Listed(v).density,
    "a setter": lambda v: WithSetter(v).x,
    "a metaclass": lambda v: OfRegistered() and v,
    "an attribute of another": lambda v, other: Linked(other) and v,
    "a subclass of arrays": lambda v: np.ones(2).view(Field) * Field(2),
    "a sorted insertion": lambda v: bisect.insort(TABLE_OF_NUMBERS, v),
    "an iterator that is there": lambda numbers, v: next(numbers) * v,
    "an item": lambda v: operator.setitem(TABLE_OF_NUMBERS, 0, v),
    "a draw": lambda v: scipy.stats.norm.rvs(v),
    "overwritten": lambda v, a: scipy.linalg.solve(a, v, overwrite_a=True),
    "overwritten by place": lambda v, a: scipy.linalg.solve(a, v, False, True),
    "steps": lambda v, solver: solver.step(),
    "a function that is integrated": lambda v: scipy.integrate.quad(note, 0, v),
    "a function that is given": lambda f, v: scipy.optimize.brentq(f, 0, v),
    "a factory": lambda v: collections.defaultdict(lambda: note(1.0))["a"] * v,
    "a factory that is given": lambda f, v: collections.defaultdict(f)["a"] * v,
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_libraries_and_classes_make_changes_nothing(name):
    assert not has_effects(HARMLESS[name], (0.5,))


@pytest.mark.parametrize("name", HARMFUL)
def test_what_libraries_and_classes_change(name):
    function = HARMFUL[name]
    code = function.__code__
    others = {
        "f": note,
        "numbers": iter([1.0]),
        "other": types.SimpleNamespace(),
        "a": np.eye(2),
        "solver": None,
    }
    args = [others.get(argument, 0.5) for argument in code.co_varnames[: code.co_argcount]]
    assert has_effects(function, tuple(args))


def test_a_copy_by_a_method_of_its_own_may_change_something():
    reached = {"__copy__": [(Copied.__copy__.__code__, globals())]}
    assert has_effects(lambda v: copy.copy(v), (Copied(),), reached=lambda: reached)


def test_what_a_call_cannot_get_at_does_not_concern_it():
    reached = {"copy": [(CopiedByMethod.copy.__code__, globals())]}

    def branches(v, keep):
        other = v.copy()
        return other if other[0] > keep else -other

    row = np.ones(2)
    assert not has_effects(branches, (row, 0.5), reached=lambda: reached)
    assert has_effects(branches, (row, CopiedByMethod()), reached=lambda: reached)


def test_defaults():
    assert not has_effects(read_default, (1.0,))
    assert has_effects(written_default, (1.0,))
    assert has_effects(passed_default, (1.0,))


@pytest.mark.parametrize("known", [None, {}])
def test_iterators_within_what_is_given(known):
    assert not has_effects(iterated, (1.0, [[2.0]]), known=known)
    assert has_effects(iterated, (1.0, [iter([2.0])]), known=known)
    assert has_effects(iterated, (1.0, ([iter([2.0])],)), known=known)
    assert not has_effects(iterated, (1.0, [[2.0]]), known=known)


def note(v):
    seen.append(v)
    return v


seen = []
TABLE = {"a": note, "b": [note]}


class Noting:
    k = note

    def __call__(self, v):
        return note(v)

    def of_self(self, v):
        self.k = v
        return v


def factory():
    def inner(v):
        seen.append(v)
        return v

    return inner


def called(f, v):
    return f(v)


def of_a_variable(args):
    f = args[0]
    return f(args[1])


def unpacked(args):
    f, v = args
    return f(v)


def handed_on(f, v):
    return called(f, v)


def of_a_loop(fs, v):
    for f in fs:
        v = f(v)
    return v


def of_a_comprehension(fs, v):
    return [f(v) for f in fs]


def of_an_attribute(o, v):
    f = o.f
    return f(v)


def by_getattr(o, v):
    f = getattr(o, "f")  # noqa: B009
    return f(v)


def by_attrgetter(o, v):
    f = operator.attrgetter("f")(o)
    return f(v)


def chosen(f, g, v):
    return (f if v > 0 else g)(v)


def reduced(fs, v):
    return functools.reduce(fs[0], [v, v])


def of_items_of_an_attribute(o, v):
    return o.f[0](v)


def of_a_result_of_an_attribute(o, v):
    return o.pick(0)(v)


def of_a_module(m, v):
    copy = m.copyto
    return copy(v, v)


class Index:
    def __init__(self, f):
        self.f = f

    def pick(self, i):
        return self.f[i]


HANDED = {
    "a variable": (of_a_variable, ((note, 1.0),)),
    "unpacked": (unpacked, ((note, 1.0),)),
    "handed on": (handed_on, (note, 1.0)),
    "a loop": (of_a_loop, ([abs, note], 1.0)),
    "a comprehension": (of_a_comprehension, ([note], 1.0)),
    "an attribute": (of_an_attribute, (types.SimpleNamespace(f=note), 1.0)),
    "getattr": (by_getattr, (types.SimpleNamespace(f=note), 1.0)),
    "attrgetter": (by_attrgetter, (Index(note), 1.0)),
    "a choice": (chosen, (abs, note, 1.0)),
    "map": (lambda fs, v: list(map(fs[0], [v])), ([note], 1.0)),
    "filter": (lambda fs, v: list(filter(fs[0], [v])), ([note], 1.0)),
    "a key": (lambda fs, v: sorted([v], key=fs[0]), ([note], 1.0)),
    "reduce": (reduced, ([lambda a, b: note(a)], 1.0)),
    "stars": (lambda f, *args: f(*args), (note, 1.0)),
    "an item": (lambda fs, v: fs[0](v), ([note], 1.0)),
    "an item of an item": (lambda fs, v: fs[0][0](v), ([[note]], 1.0)),
    "an item of an attribute": (of_items_of_an_attribute, (Index((note,)), 1.0)),
    "a result of a method": (of_a_result_of_an_attribute, (Index((note,)), 1.0)),
    "a table": (lambda v: TABLE["a"](v), (1.0,)),
    "a table of lists": (lambda v: TABLE["b"][0](v), (1.0,)),
    "what a call gives": (lambda v: factory()(v), (1.0,)),
    "an object": (of_a_variable, ((Noting(), 1.0),)),
    "a method": (of_a_variable, ((Noting().of_self, 1.0),)),
    "a partial call": (of_a_variable, ((functools.partial(called, note), 1.0),)),
    "a function that calls one of a table": (of_a_variable, ((lambda v: TABLE["a"](v), 1.0),)),
    "a method of a list": (of_a_variable, (([].append, 1.0),)),
    "random numbers": (of_a_variable, ((np.random.normal, 1.0),)),
    "a function of a module": (of_a_module, (np, np.ones(1))),
    "text that is run": (of_a_variable, ((exec, "1"),)),
    "a class": (of_a_variable, ((type("X", (), {"__init__": lambda s, v: note(v)}), 1.0),)),
}


@pytest.mark.parametrize("name", HANDED)
def test_functions_that_are_handed_on_change_something(name):
    f, args = HANDED[name]
    assert has_effects(f, args)
    assert not seen


@pytest.mark.parametrize("name", ["a variable", "unpacked", "handed on", "a loop", "a choice"])
def test_functions_that_are_handed_on_change_nothing(name):
    def harmless(v):
        return abs(v) * 2

    def other(x):
        if x is note:
            return harmless
        return type(x)(map(other, x)) if isinstance(x, (list, tuple)) else x

    f, args = HANDED[name]
    assert not has_effects(f, other(args))


def said(v):
    if v > 0:
        warnings.warn("large", stacklevel=2)
        print("large")
    return v


def said_into(file, v):
    print("large", file=file)
    return v


def said_with_options(options, v):
    print("large", **options)
    return v


def added(sums, *args):
    return np.einsum("i,i", sums, sums) + np.einsum(*args)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (said, (1.0,)),
        (of_a_variable, ((warnings.warn, "large"),)),
        (functools.partial(print, end=""), ("large",)),
    ],
)
def test_what_is_said_to_the_user_alone(f, args):
    assert has_effects(f, args)
    assert not has_effects(f, args, may_speak=True)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (said_into, (sys.stdout, 1.0)),
        (said_with_options, ({}, 1.0)),
        (of_a_variable, ((print, 1.0),)),
        (lambda f, v: f(v), (functools.partial(print, file=sys.stdout), 1.0)),
        (functools.partial(np.add, out=np.zeros(1)), (1.0, 2.0)),
        (functools.partial(np.add, 1.0, 2.0), (np.zeros(1),)),
        (lambda *args: np.add(*args), (1.0, 2.0, np.zeros(1))),
    ],
)
def test_what_is_written_by_a_keyword_or_a_place(f, args):
    assert has_effects(f, args, may_speak=True)


def test_functions_that_write_by_a_keyword_alone():
    assert not has_effects(added, (np.ones(2), "i,i", np.ones(2), np.ones(2)))
    assert not has_effects(functools.partial(np.einsum, "i,i"), (np.ones(2), np.ones(2)))


def test_what_is_remembered_of_a_call_keeps_nothing_of_it_alive():
    class Value:
        """As a traced number: results are united where nothing else holds them."""

    known = {}

    def call():
        value, other = Value(), Value()
        alive = weakref.ref(value), weakref.ref(other)

        def f(v, given):
            return (v, value, given) if v > 0 else (-v, value, given)

        assert not has_effects(f, (1.0, other), known=known)
        return alive

    assert [reference() for reference in call()] == [None, None]
    assert len(known) == 1


def applied(g, x, out):
    chosen = g or abs  # a name of which it is not known what it stands for
    return chosen(np.sqrt(x), x, x) + np.sum(x, axis=0)


def calling_either(g, x, out):
    return (np.add or g)(g(x), 1, out)


def calling_a_name(g, x, out):
    root = np.sqrt
    return g(root(x, out))


def calling_far_from_the_name(g, x, out):
    return np.add(g(x), 1 if x is None else 2, out)


def calling_by_another(g, x, out):
    return g(np.add)(x, 1, out)


@pytest.mark.parametrize(
    "f",
    [
        *(calling_either, calling_a_name, calling_far_from_the_name, calling_by_another),
    ],
)
def test_functions_that_are_called_where_they_are_loaded_are_held_by_no_name(f):
    args = (lambda v, *others: v, np.ones(2), np.zeros(2))
    assert not has_effects(applied, args)
    assert has_effects(f, args)


@pytest.mark.parametrize(
    ("message", "expected"),
    [("'no x'", False), ("g(x)", False), ("SEEN.append(x)", True), ("say(x)", True)],
)
def test_the_message_of_an_assert_is_no_call_of_what_is_asserted(message, expected):
    scope = {"np": np, "SEEN": SEEN, "say": warnings.warn}
    source = f"def f(g, x):\n    assert x is not None, {message}\n    return g(np.sqrt(x))"
    exec(source, scope)  # this module's own asserts are rewritten
    assert has_effects(scope["f"], (lambda v: v + 1.0, np.ones(2))) is expected


class Folded:
    def __init__(self):
        self.seen = []

    def down(self, v):
        return self.down(v - 1) if v > 1 else v

    def noted(self, v):
        self.seen.append(v)
        return self.noted(v - 1) if v > 1 else v


def test_methods_that_call_themselves():
    folded = Folded()
    assert not has_effects(folded.down, (2.0,))
    assert not has_effects(lambda v: folded.down(v), (2.0,))
    assert has_effects(lambda v: folded.down(v) + folded.noted(v), (2.0,))
    assert has_effects(folded.noted, (2.0,))

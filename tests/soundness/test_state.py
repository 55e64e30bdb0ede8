"""The caller's objects are after a trace as they were before it, however it ended."""

from __future__ import annotations

import collections
import functools
import itertools
import random
import sys
import types
import warnings
from array import array

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace.tracing.state import State, kept_state
from sparsetrace.user_code.reach import reached

COUNT = 0
HELD: list[object] = [1]


class Base:
    __slots__ = ("filled", "later")


class Model(Base):
    """State of every kind that can be put back."""

    shared = 0
    table = {"a": 1}  # noqa: RUF012

    def __init__(self):
        self.filled = [1.0]
        self.space = types.SimpleNamespace(items=[2])
        self.ordered = collections.OrderedDict(u=1, v=2)
        self.default = collections.defaultdict(list, k=[1])
        self.counter = collections.Counter("aab")
        self.recent = collections.deque([1, 2], maxlen=2)
        self.chained = collections.ChainMap({"a": 1}, {"b": [2]})
        self.user = collections.UserDict(a=[1])
        self.done = {1, 2}
        self.bytes = bytearray(b"abc")
        self.compact = array("d", [1.0, 2.0])
        self.calls = np.zeros(3, int)
        self.part = self.calls[1:]
        self.objects = np.array([[1], None, 3], dtype=object)
        self.masked = np.ma.array([1.0, 2.0], mask=[False, True])
        self.rng = np.random.default_rng(0)
        self.numbers = itertools.count()
        self.cycle = itertools.cycle([1, 2, 3])
        self.pairs = enumerate(zip([5, 6], iter([7, 8]), strict=True))
        self.nested = ([{"deep": [1]}],)
        next(self.cycle)

    @functools.lru_cache(maxsize=4)  # noqa: B019
    def term(self, n):
        return [n]

    @functools.cached_property
    def squares(self):
        return [1]

    def change(self, x, memo):
        """Change all of it."""
        global COUNT
        COUNT += 1
        HELD.append(x)
        self.change.__func__.runs = getattr(self.change.__func__, "runs", 0) + 1
        memo["last"] = x
        self.filled.append(x[0])
        self.later = x
        Model.shared += 1
        Model.added = x
        Model.table["b"] = x[1]
        self.space.items = x
        self.space.more = 1
        self.ordered.move_to_end("u")
        self.ordered["w"] = x
        self.default["new"].append(x)
        self.default["k"].append(x)
        self.counter.update("abc")
        self.recent.append(x[0])
        self.chained["c"] = x
        self.chained["b"].append(x)
        self.user["a"].append(x)
        self.user["b"] = x
        self.done.add(3)
        self.done.discard(1)
        self.bytes.append(3)
        self.compact.append(3.0)
        self.calls += 1
        self.part[0] += 7
        self.objects[1] = "changed"
        self.objects[0].append(2)
        self.masked[0] = 5.0
        self.masked.mask[1] = False
        self.nested[0][0]["deep"].append(x)
        self.nested[0].insert(0, x)
        drawn = [self.rng.integers(100), random.random(), next(self.numbers)]
        drawn.append(np.random.rand())  # noqa: NPY002
        self.term(3).append(x)
        return (drawn, next(self.cycle), next(self.pairs), len(self.squares), COUNT)


def described(value, seen=None):
    """All of it, with the identity of what may be changed in place."""
    seen = set() if seen is None else seen
    if isinstance(value, (int, float, str, bytes, type(None))):
        return value
    if id(value) in seen:
        return id(value)
    seen.add(id(value))
    inner = functools.partial(described, seen=seen)
    found = [id(value), type(value).__name__]
    if isinstance(value, dict):
        found += [(inner(k), inner(v)) for k, v in value.items()]
    elif isinstance(value, (list, tuple, collections.deque)):
        found += map(inner, value)
    elif isinstance(value, (set, bytearray, array)):
        found.append(repr(value))
    elif isinstance(value, np.ndarray):
        found.append(repr(value))
        return found
    elif isinstance(value, np.random.Generator):
        found.append(repr(value.bit_generator.state))
    elif isinstance(value, itertools.count):
        found.append(repr(value))
    elif isinstance(value, type):
        found += [(k, id(v), inner(v)) for k, v in vars(value).items()]
    if hasattr(value, "__dict__") and not isinstance(value, type):
        found.append(inner(vars(value)))
    found += [inner(getattr(value, name)) for name in ("filled", "later") if hasattr(value, name)]
    return found


def everything(model, memo):
    return [
        described(model),
        described(Model),
        described(memo),
        described(HELD),
        COUNT,
        Model.change.__dict__,
        Model.term.cache_info(),
        random.getstate(),
        repr(np.random.get_state()),  # noqa: NPY002
    ]


class Odd(Exception):
    pass


def result(x, drawn):
    return x * 2.0


def fails(x, drawn):
    raise Odd


def restarts(x, drawn):
    out = np.zeros(3)
    out[0] = x[0]
    return out


def branches(x, drawn):
    if x[0] > 0 and x[1] > 0:
        return x * 2.0
    return x[::-1] if x[2] > 0 else x


def refused(x, drawn):
    return x * float(np.unique(x)[0])


def interrupted(x, drawn):
    raise KeyboardInterrupt


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("ending", [result, fails, restarts, branches, refused, interrupted])
def test_everything_is_as_before(ending, local):
    model, memo = Model(), {"first": [1]}
    model.term(1)
    before = everything(model, memo)
    runs = []

    def f(x, given):
        drawn = model.change(x, given)
        if "drawn" in f.__dict__:
            raise AssertionError("an attribute of the run before")
        f.drawn = drawn
        runs.append(drawn)
        assert len(runs) == 1
        return ending(x, drawn)

    try:
        st.jacobian_sparsity(f, np.ones(3), memo, local=local)
    except (Odd, st.TracingError, KeyboardInterrupt):
        assert ending in (fails, refused, interrupted)
    assert not runs
    assert not f.__dict__
    after = everything(model, memo)
    for old, new in zip(before, after, strict=True):
        if isinstance(old, tuple) and hasattr(old, "currsize"):
            continue  # a cache may be emptied
        assert old == new


def test_every_run_draws_the_same():
    model, memo = Model(), {}
    state = State([model.change, memo])
    drawn = []
    for _ in range(3):
        with state.run():
            drawn.append(repr(model.change(np.ones(3), memo)))
    assert len(set(drawn)) == 1
    with kept_state(model.change, memo):
        drawn.append(repr(model.change(np.ones(3), memo)))
    drawn.append(repr(model.change(np.ones(3), memo)))
    assert len(set(drawn)) == 1


def test_a_hessian_puts_back_too():
    model, memo = Model(), {}
    before = everything(model, memo)
    st.hessian_sparsity(lambda x: (model.change(x, memo), x[0] * x[1])[1], np.ones(3))
    assert everything(model, memo) == before


def test_nothing_of_the_users_runs_on_the_way():
    class Touchy:
        args = func = 3

        def __init__(self):
            object.__setattr__(self, "data", [1])

        def __getattribute__(self, name):
            raise AssertionError(name)

        def __eq__(self, other):
            raise AssertionError("==")

        __hash__ = None

        def __len__(self):
            raise AssertionError("len")

        def __iter__(self):
            raise AssertionError("iter")

        @property
        def __class__(self):
            raise AssertionError("class")

        @property
        def trouble(self):
            raise AssertionError("property")

    class Meta(type):
        def __getattribute__(cls, name):
            raise AssertionError(name)

    class Odder(metaclass=Meta):
        pass

    class Items(list):
        def __iter__(self):
            raise AssertionError("iter")

        def __len__(self):
            raise AssertionError("len")

        copy = __len__

    class Table(dict):
        keys = values = items = __iter__ = copy = Items.copy

        def __len__(self):
            raise AssertionError("len")

    touchy, items, table = Touchy(), Items([[1]]), Table(a=[1])
    held = [touchy, Odder, items, table]

    def f(x):
        assert held
        return x * 2

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2
    assert [1] in reached([f]).lists


def test_a_cache_of_a_librarys_is_left_alone():
    known = functools.lru_cache(types.FunctionType(
        (lambda n: n).__code__, {"__name__": "numpy.something"}
    ))  # fmt: skip

    def f(x):
        return x * known(2)

    st.jacobian_sparsity(f, np.ones(2))
    assert known.cache_info().currsize == 1


def test_modules_of_the_users_own(monkeypatch):
    module = types.ModuleType("a_users_settings")
    exec("level = 1\nlog = []\ndef raised():\n    global level\n    level += 1", vars(module))
    monkeypatch.setitem(sys.modules, "a_users_settings", module)

    def f(x):
        module.level += 1
        module.raised()
        module.log.append(x)
        module.fresh = x[0]
        setattr(module, "named", x)  # noqa: B010
        return x[module.level % 3] * len(module.log)

    def g(x):
        import a_users_settings as settings

        settings.level += 1
        settings.log.append(x)
        return x[settings.level % 3] * len(settings.log)

    for function, column in ((f, 0), (g, 2)):
        before = dict(vars(module))
        for _ in range(2):
            pattern = st.jacobian_sparsity(function, np.ones(3))
            assert pattern.toarray()[0].nonzero()[0].tolist() == [column]
            assert vars(module) == before
            assert module.log == []


def test_globals_written_by_name_keep_what_a_trace_exchanges():
    source = """
from numpy import zeros
def f(x):
    globals()["seen"] = x
    globals()["count"] = globals().get("count", 0) + 1
    out = zeros(3)
    out[0] = x[count % 3]
    return out
"""
    scope = {"__name__": "a_users_module"}
    exec(compile(source, "a_users_module.py", "exec"), scope)
    before = dict(scope)
    for _ in range(2):
        assert st.jacobian_sparsity(scope["f"], np.ones(3)).toarray()[0].tolist() == [0, 1, 0]
        assert scope == before


@pytest.mark.slow
def test_much_state_is_looked_at_in_bounded_time():
    rows = [[float(i), [i]] for i in range(150_000)]

    def f(x):
        return x * len(rows)

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2
    assert reached([f]).unknown


def test_the_point_is_moved_and_put_back_and_read_before():
    """The argument itself is kept: the run that moves it reads it as it was."""
    x = np.array([0.0, 1.0, 2.0])
    model = types.SimpleNamespace(start=x, key=(0.0, 1.0, 2.0))

    def f(v):
        assert model.start is x
        return v * (1.0 if model.key == tuple(v) else v[0])

    found = st.jacobian_sparsity(f, x, local=True).toarray()
    assert found[:, 0].tolist() == [True, True, True]
    assert found.diagonal().all()
    assert x.tolist() == [0.0, 1.0, 2.0]
    assert model.key == (0.0, 1.0, 2.0)


class Places:
    """An iterator with its place in an attribute."""

    at = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        return self.at


@pytest.mark.parametrize("local", [False, True])
def test_iterators_over_one_of_the_users_own_do_not_move_on(local):
    pairs = zip(Places(), itertools.cycle("ab"), strict=False)

    def f(x):
        return x[next(pairs)[0] % 3]

    for _ in range(4):
        pattern = st.jacobian_sparsity(f, np.ones(3), local=local)
        assert pattern.toarray().tolist() == [[False, True, False]]
    assert [next(pairs) for _ in range(3)] == [(1, "a"), (2, "b"), (3, "a")]


@pytest.mark.parametrize("local", [False, True])
def test_filters_of_warnings_are_those_before_the_call(local):
    """In each run, and in the end."""

    def f(x):
        try:
            warnings.warn("deprecated", UserWarning, stacklevel=1)
            v = x[0]
        except UserWarning:
            v = x[1]
        warnings.simplefilter("error")
        out = np.zeros(1)
        out[0] = v
        if v < 0:
            raise ValueError("negative")
        return out

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = [*warnings.filters]
        pattern = st.jacobian_sparsity(f, np.ones(2), local=local, verify=False)
        assert warnings.filters == before
        assert pattern.toarray().tolist() == [[True, False]]
        with pytest.raises(ValueError, match="negative"):
            st.jacobian_sparsity(f, -np.ones(2), local=True)
        assert warnings.filters == before

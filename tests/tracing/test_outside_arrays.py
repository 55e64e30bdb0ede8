"""Arrays from outside that a traced function writes are afterwards as they were before."""

from __future__ import annotations

import collections
import functools
import pickle
import types

import numpy as np
import pytest
import user_package
from outside import Outside

import sparsetrace as st
from sparsetrace.tracing.all_references import AllReferences

POINT = np.array([0.3, 0.8, 1.7])
GLOBAL = np.full(3, 5.0)


class Model:
    """A buffer in every place that can hold one."""

    shared = np.full(3, 6.0)
    __slots__ = ("__dict__", "slot")

    def __init__(self):
        self.slot = np.full(3, 1.0)
        self.attribute = np.full(3, 2.0)
        self.table = {"item": np.full(3, 3.0)}
        self.rows = [np.full(3, 4.0)]
        self.pair = (np.full(3, 7.0), None)
        self.recent = collections.deque([np.full(3, 8.0)])
        self.call = functools.partial(np.add, np.full(3, 9.0))
        self.space = types.SimpleNamespace(held=np.full(3, 10.0))
        self.whole = np.arange(6.0)
        self.view = self.whole[2:5]
        self.objects = np.array([1.0, None, [2.0]], dtype=object)
        self.large = np.zeros(2**18)

    def arrays(self, local=GLOBAL):
        objects = [GLOBAL, local, self.shared, self.slot, self.attribute, self.table["item"]]
        objects += [self.rows[0], self.pair[0], self.recent[0], self.call.args[0]]
        return [*objects, self.space.held, self.whole, self.view, self.objects, self.large]

    def write(self, x):
        for array in self.arrays()[:-4]:
            array[:] = x * array
        self.view[:] = x
        self.large[:3] = x
        self.objects[0] = x[0]
        self.attribute = self.attribute[::-1]
        self.rows.insert(0, x)
        self.table.clear()
        return self.view


def ends(x, view):
    return view * x


def fails(x, view):
    raise KeyError("of the function's own")


def is_refused(x, view):
    return float(np.unique(view)[0])


def branches(x, view):
    return view if view[0] > view[1] else x


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("ending", [ends, fails, is_refused, branches])
def test_everything_is_as_before(ending, local):
    model = Model()
    before = [(array, array.copy()) for array in model.arrays()]
    kinds = Outside()

    def f(x):
        result = model.write(x)
        kinds.append(repr(model.attribute)[:11])
        return ending(x, result)

    for detect in (st.jacobian_sparsity, st.lagrangian_hessian_sparsity):
        try:
            detect(f, POINT, local=local)
        except (KeyError, st.TracingError):
            assert ending in (fails, is_refused)
        after = model.arrays()
        assert len(after) == len(before)
        for now, (array, values) in zip(after, before, strict=True):
            assert now is array
            assert type(now) is np.ndarray
            assert np.array_equal(now, values)
    assert "TracedArray" in set(kinds)


def test_arguments_are_as_before():
    out, table = np.ones(3), {"a": (np.zeros(2), [np.ones(3)])}

    def f(x, out, table):
        out[1:] = x[:2]
        table["a"][0][0] = x[2]
        table["a"][1][0][:] = out
        return table["a"]

    for options in ({"local": True}, {"static_argnums": (1, 2)}):
        pattern = st.jacobian_sparsity(f, POINT, out, table, **options)
        assert pattern.toarray().astype(int).tolist() == [
            *([0, 0, 1], [0, 0, 0]),
            *([0, 0, 0], [1, 0, 0], [0, 1, 0]),
        ]
        assert out.tolist() == [1, 1, 1]
        assert table["a"][0].tolist() == [0, 0]
        assert table["a"][1][0].tolist() == [1, 1, 1]


def test_numbers_of_arguments_outside_argnums_stay_unknown():
    """In a buffer that begins with what an argument holds, no zero cuts."""
    model = types.SimpleNamespace(work=np.zeros(3))

    def f(x, work):
        scale = model.work[2] * x
        model.work[0] = x[0]
        return scale

    assert st.jacobian_sparsity(f, POINT, model.work, argnums=0).nnz == 3
    assert st.jacobian_sparsity(f, POINT, model.work, static_argnums=1).nnz == 0


def by_elements(model, x, work):
    work[:] = x


def by_a_ufunc(model, x, work):
    np.multiply(x, 2, out=work)


def by_the_other_name(model, x, work):
    model.work[:3] = x


def one_by_one(model, x, work):
    for i in range(3):
        work[i] = x[i]


def after_an_error(model, x, work):
    places = np.zeros(3, dtype=int)
    places[0] = np.argmax(x[:1])  # refused at first
    work[:] = x + places


def by_constants(model, x, work):
    work += 1
    model.work[:3] *= x


@pytest.mark.parametrize("detect", [st.jacobian_sparsity, st.lagrangian_hessian_sparsity])
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    "write", [by_elements, by_a_ufunc, by_the_other_name, one_by_one, after_an_error, by_constants]
)
def test_an_argument_that_the_function_holds_itself_is_one_array(write, local, detect):
    model = types.SimpleNamespace(work=np.zeros(4))

    def f(x, work):
        write(model, x, work)
        return model.work[:3] ** 2 + work[0]

    for argument in (model.work[:3], [model.work[:3]]):
        given = (lambda x, items: f(x, items[0])) if isinstance(argument, list) else f
        pattern = detect(given, POINT, argument, local=local).toarray().astype(int)
        expected = np.eye(3)
        if detect is st.jacobian_sparsity:
            expected[:, 0] = 1
        assert pattern.tolist() == expected.tolist()
        assert model.work.tolist() == [0, 0, 0, 0]


def test_constants_written_into_an_argument_are_seen_where_the_function_holds_it():
    model = types.SimpleNamespace(work=np.zeros(3))

    def f(x, work):
        work += 1
        return model.work * x

    assert st.jacobian_sparsity(f, POINT, model.work).nnz == 3


@pytest.mark.parametrize("items", [[1.0, 2.0], {0: 1.0}, types.SimpleNamespace(a=1.0)])
def test_a_container_that_is_an_argument_and_held_is_refused_once_it_is_written(items):
    is_record = isinstance(items, types.SimpleNamespace)

    def writes(x, given):
        if is_record:
            given.a = x[0]
        else:
            given[0] = x[0]
        return (items.a if is_record else items[0]) * x

    def reads(x, given):
        return (given.a + items.a if is_record else given[0] + items[0]) * x

    with pytest.raises(st.UnsupportedError, match="static_argnums=1"):
        st.jacobian_sparsity(writes, POINT, items)
    assert st.jacobian_sparsity(writes, POINT, items, static_argnums=1).nnz == 5
    assert st.jacobian_sparsity(reads, POINT, items).nnz == 3


def test_identity_is_kept():
    work = np.zeros(3)
    kept = {"a": work, "b": [work, work[1:]]}

    def f(x):
        kept["a"][:] = x
        assert kept["b"][0] is kept["a"] is work
        assert isinstance(work, np.ndarray)
        return kept["b"][1]

    assert st.jacobian_sparsity(f, POINT).toarray().astype(int).tolist() == [[0, 1, 0], [0, 0, 1]]


def test_whole_numbers_are_refused_and_index_a_table_by_traced_ones():
    counts, table = np.zeros(3, int), np.arange(3.0)

    def writes(x):
        counts[:] = x
        return counts

    def reads(x):
        return table[np.argmax(x)] * x[0] + counts[np.argsort(x)[0]]

    with pytest.raises(st.EscapeError):
        st.jacobian_sparsity(writes, POINT)
    assert st.jacobian_sparsity(reads, POINT).toarray().astype(int).tolist() == [[1, 0, 0]]
    assert type(table) is type(counts) is np.ndarray


def test_without_capture_it_is_refused_by_name():
    work = np.zeros(3)

    def f(x):
        work[:] = x
        return work

    with pytest.raises(st.EscapeError, match="array"):
        st.jacobian_sparsity(f, POINT, capture=False)


def test_read_only_arrays_raise_as_they_do():
    work = np.zeros(3)
    work.flags.writeable = False

    def f(x):
        work[:] = x
        return work

    with pytest.raises(ValueError, match="read-only"):
        st.jacobian_sparsity(f, POINT)


REFUSED = {
    "a memoryview": (lambda a: memoryview(a), "refers to it"),
    "an iterator over it": (lambda a: a.flat, "something else, compiled code perhaps"),
    "a weak reference": (lambda a: __import__("weakref").ref(a), "weak references"),
}


@pytest.mark.parametrize("holder", REFUSED)
def test_what_cannot_be_exchanged_is_named(holder):
    make, problem = REFUSED[holder]
    model = types.SimpleNamespace(work=np.zeros(3))
    model.held = make(model.work)

    def f(x):
        model.work[:] = x  # this line
        return model.work

    line = f.__code__.co_firstlineno + 1
    with pytest.raises(st.TracingError, match=problem) as caught:
        st.jacobian_sparsity(f, POINT)
    assert f"test_outside_arrays.py:{line} (in f)" in str(caught.value)
    assert "np.array(a" in str(caught.value)
    assert type(model.work) is np.ndarray


def test_what_others_hold_does_not_matter(monkeypatch):
    """A variable of the caller, a generator of its own, another object, a call with keywords."""
    looked = []
    anywhere = AllReferences.anywhere
    monkeypatch.setattr(
        AllReferences, "anywhere", lambda *args: looked.append(1) or anywhere(*args)
    )
    work = np.zeros(3)
    held = [work]
    generator = (w for w in held)
    model = types.SimpleNamespace(work=work)
    del held[0]

    def f(x):
        model.work[:3] = x
        return model.work

    def called(*args, **options):
        return st.jacobian_sparsity(*args, **options).nnz

    assert called(f, POINT) == called(f, POINT, local=True) == 3
    assert not looked
    other = {"x": [(work,)]}
    assert called(f, POINT) == called(f, POINT, local=True) == 3
    assert looked
    assert other["x"][0][0] is model.work is work
    assert list(generator) == []


def test_a_buffer_in_a_thread_of_the_function():
    from concurrent.futures import ThreadPoolExecutor

    work = np.zeros(3)

    def f(x):
        def fill(i):
            work[i] = x[i] ** 2

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(fill, range(3)))
        return work

    assert st.jacobian_sparsity(f, POINT).toarray().astype(int).tolist() == np.eye(3).tolist()
    assert work.tolist() == [0, 0, 0]


@pytest.mark.parametrize("local", [False, True])
def test_names_that_were_exchanged_before_are_put_back_too(local):
    """State is taken anew between runs, when names of the module are exchanged."""
    source = """
from numpy import asarray, zeros
from math import sin
import user_package
table = {"to array": asarray}
work, count = zeros(3), 0
def f(x):
    global count
    count += 1
    out = zeros(3)
    out[:2] = [sin(x[0]), user_package.smooth(x)[1]]
    work[:] = table["to array"]([x[2]] * 3)
    return out + work
"""
    original = user_package.smooth
    st.register_rule("user_package.smooth", lambda x: x * x)
    scope = {"__name__": "a_users_module"}
    exec(compile(source, "a_users_module.py", "exec"), scope)
    before = dict(scope)
    try:
        for _ in range(2):
            pattern = st.jacobian_sparsity(scope["f"], POINT, local=local, verify=False)
            assert pattern.toarray().astype(int).tolist() == [[1, 0, 1], [0, 1, 1], [0, 0, 1]]
            assert scope.keys() == before.keys()
            assert all(scope[name] is before[name] for name in before)
            assert scope["table"]["to array"] is np.asarray
            assert user_package.smooth is original
    finally:
        st.register_rule("user_package.smooth", None)


@pytest.mark.slow
def test_a_hundred_buffers_take_few_runs():
    buffers = {f"y{i}": np.zeros(2) for i in range(100)}
    runs = Outside()

    def f(x):
        runs.append(1)
        for buffer in buffers.values():
            buffer[0] = x[0]
            x = x[::-1] * buffer[0]
        return list(buffers.values())

    assert st.jacobian_sparsity(f, POINT).shape == (200, 3)
    assert len(runs) < 20


def test_unpickled_arrays_whose_memory_is_that_of_bytes():
    """So are the large arrays of a model that was pickled."""
    model = pickle.loads(pickle.dumps({"a": np.ones(200), "b": [np.ones(200)]}, protocol=4))
    assert type(model["a"].base) is bytes
    part = model["a"][1:3]

    def f(x):
        model["a"][1:] *= x[1]
        model["b"][0][0] = x[2]
        return model["a"][:2], part, model["b"][0][0]

    expected = [[0, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert st.jacobian_sparsity(f, POINT).toarray().astype(int).tolist() == expected
    assert (model["a"] == 1).all()

    held = model["a"].base
    with pytest.raises(st.UnsupportedError, match="something else refers to the bytes"):
        st.jacobian_sparsity(lambda x: f(x)[0] + np.frombuffer(held)[0], POINT)

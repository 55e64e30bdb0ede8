"""Arrays that were there before the call, written in it and read under other names."""

from __future__ import annotations

import collections
import contextvars
import ctypes
import functools
import itertools
import queue
import threading
import types
import weakref
from collections.abc import Callable, MutableMapping
from typing import Any

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
POINT = np.array([0.3, 0.8, 1.7])
BOTH = ("global", "local")
WORK = np.zeros(3)
VARIABLE: contextvars.ContextVar[Any] = contextvars.ContextVar("VARIABLE")
ELSEWHERE: dict[str, Any] = {}


class Model:
    """Whatever the programs give it."""

    shared = np.zeros(3)


def kept(*, refused: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    """A program that writes ``m.a`` and reads it as the decorated function, given `m`, says."""

    def add(alias: Callable[[Any], Callable[[], Any]]) -> Any:
        def make() -> Any:
            m = Model()
            m.a = np.ones(3)
            read = alias(m)

            def f(x):
                m.a[:] = x * x[::-1]
                m.a[0] += m.a[1]
                return read()

            return f

        make.__name__ = alias.__name__
        program(POINT, to=PROGRAMS, fresh=True, refused=refused)(make)
        return alias

    return add


# ------------------------------------------------------------ read under another name
@kept()
def the_array_itself(m):
    return lambda: m.a


@kept()
def a_view_that_was_kept(m):
    m.last = m.a[1:]
    return lambda: m.last * m.last


@kept()
def a_view_backwards_in_a_tuple(m):
    m.views = (m.a[::-1], None)
    return lambda: m.views[0]


@kept()
def a_read_only_view(m):
    m.seen = m.a[1:]
    m.seen.flags.writeable = False
    return lambda: m.seen


@kept()
def rows_that_repeat_it(m):
    m.rows = np.broadcast_to(m.a, (2, 3))
    return lambda: m.rows.sum(axis=0)


@kept()
def what_it_is_a_view_of(m):
    m.whole = np.zeros((2, 3))
    m.a = m.whole[1]
    return lambda: m.whole


@kept()
def what_it_is_a_view_of_alone(m):
    m.a = np.zeros((2, 3))[1]
    return lambda: m.a.base


@kept()
def columns_of_a_matrix(m):
    m.whole = np.zeros((3, 2), order="F")
    m.a, m.b = m.whole.T
    return lambda: m.whole[1:] + m.b[:2, None]


@kept()
def the_base_of_a_view_without_elements(m):
    m.none = m.a[:0]
    return lambda: m.none.base


@kept()
def a_default_argument(m):
    def read(array=m.a, *, again=(m.a,)):
        return array[0] + again[0][1]

    return read


@kept()
def an_attribute_of_a_class(m):
    class Other:
        held = m.a

    return lambda: Other.held


@kept()
def a_slot(m):
    class Other:
        __slots__ = ("held",)

    m.other = Other()
    m.other.held = m.a
    return lambda: m.other.held


@kept()
def a_named_tuple(m):
    m.pair = collections.namedtuple("Pair", "first second")(m.a, 1.0)
    return lambda: m.pair.first * m.pair.second


@kept()
def a_deque(m):
    m.recent = collections.deque([m.a], maxlen=2)
    return lambda: m.recent[0]


@kept()
def a_dict_that_shows_another(m):
    m.names = types.MappingProxyType({"a": m.a})
    return lambda: m.names["a"]


@kept()
def values_of_a_dict(m):
    m.names = {"a": m.a}
    m.values = m.names.values()
    return lambda: next(iter(m.values))


@kept()
def an_argument_of_a_partial_call(m):
    return functools.partial(np.multiply, m.a, 2.0)


@kept()
def an_array_of_objects(m):
    m.objects = np.empty(2, object)
    m.objects[1] = m.a
    return lambda: m.objects[1]


@kept()
def a_name_that_is_computed(m):
    m.other = m.a
    return lambda: getattr(m, "oth" + "er")


@kept()
def a_global_that_only_eval_finds(m):
    ELSEWHERE["list"] = [m.a]
    return lambda: eval("ELSEWHERE['list'][0]")


@kept()
def a_queue(m):
    m.queue = queue.Queue()
    m.queue.put(m.a)

    def read():
        array = m.queue.get()
        m.queue.put(array)
        return array

    return read


@kept()
def what_this_thread_holds(m):
    m.local = threading.local()
    m.local.held = m.a
    return lambda: m.local.held


@kept()
def an_iterator_over_a_list(m):
    m.cycle = itertools.cycle([m.a])
    next(m.cycle)
    return lambda: next(m.cycle)


# --------------------------------------------------- where nothing can take its place
@kept(refused=BOTH)
def a_memoryview(m):
    m.bytes = memoryview(m.a)
    return lambda: np.array([m.bytes[0], m.bytes[1]])


@kept(refused=BOTH)
def its_elements_one_by_one(m):
    m.elements = m.a.flat
    return lambda: m.elements[0] * 1.0


@kept(refused=BOTH)
def a_method_bound_to_it(m):
    m.element = m.a.item
    return lambda: m.element(0) * 1.0


@kept(refused=BOTH)
def a_mean_bound_to_it(m):
    m.mean = m.a.mean
    return lambda: m.mean()


@kept(refused=BOTH)
def a_generator(m):
    def each():
        array = m.a
        while True:
            yield array[0] * 1.0

    m.each = each()
    next(m.each)
    return lambda: next(m.each)


@kept(refused=BOTH)
def an_iterator_that_repeats_it(m):
    m.again = itertools.repeat(m.a)
    return lambda: next(m.again)


@kept(refused=BOTH)
def a_weak_reference(m):
    m.weak = weakref.ref(m.a)
    return lambda: m.weak()


@kept(refused=BOTH)
def a_variable_of_the_context(m):
    VARIABLE.set(m.a)
    return lambda: VARIABLE.get()


@kept(refused=BOTH)
def a_pointer_to_it(m):
    m.pointer = m.a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    return lambda: np.array([m.pointer[0]])


@kept(refused=BOTH)
def an_array_of_ctypes(m):
    m.numbers = np.ctypeslib.as_ctypes(m.a)
    return lambda: np.array([m.numbers[0]])


@kept(refused=BOTH)
def memory_of_bytes(m):
    data = bytearray(24)
    m.a, m.b = np.frombuffer(data), np.frombuffer(data)
    return lambda: m.b


@kept(refused=BOTH)
def windows_over_it(m):
    m.windows = np.lib.stride_tricks.sliding_window_view(m.a, 2)
    return lambda: m.windows.sum(axis=1)


@kept(refused=BOTH)
def a_view_of_other_numbers(m):
    m.complex = np.zeros(3, complex)
    m.a = m.complex.real
    return lambda: m.complex.real


@kept(refused=BOTH)
def a_masked_array_over_it(m):
    m.masked = np.ma.array(m.a, copy=False)
    return lambda: m.masked.data


@kept()
def a_cache_that_returns_it(m):
    @functools.cache
    def array():
        return m.a

    array()
    return array


# ------------------------------------------------------------------ ways of writing
def writing(statement: Callable[[Any, Any], Any]) -> Any:
    """A program of ``statement(m, x)``, where `m` has buffers of several kinds."""

    def make() -> Any:
        m = Model()
        m.work = np.full(5, 2.0)
        m.single = np.full(3, 0.5, np.float32)
        m.wave = np.full(3, 1 + 2j)
        m.total = np.zeros(())
        m.grid = np.ones((3, 4))[:, ::2]
        m.objects = np.empty(3, object)
        m.many = [np.zeros(2) for _ in range(30)]
        return lambda x: statement(m, x)

    make.__name__ = statement.__name__
    program(POINT, to=PROGRAMS, fresh=True)(make)
    return statement


@writing
def a_slice_of_a_buffer(m, x):
    m.work[1:-1] = x
    m.work[0] = m.work[1] ** 2
    return m.work


@writing
def a_sum_into_a_buffer(m, x):
    m.work[:3] += x
    m.work *= x[0]
    return m.work


@writing
def the_target_of_a_ufunc(m, x):
    np.multiply(x, x[::-1], out=m.single)
    return m.single


@writing
def functions_that_write(m, x):
    np.copyto(m.work[:3], x)
    np.put(m.work, [3], x[0])
    np.add.at(m.work, [4, 4], x[:2])
    return m.work


@writing
def methods_that_write(m, x):
    m.total.fill(x[0])
    m.work.put([0, 1], x[:2])
    m.work.flat[2] = x[2]
    return m.work, m.total


@writing
def parts_of_complex_numbers(m, x):
    m.wave.real = x
    m.wave.imag[0] = x[1]
    return np.real(m.wave * m.wave)


@writing
def a_number_without_dimension(m, x):
    for v in x:
        m.total[()] += v * v
    return m.total * 1.0


@writing
def elements_that_are_apart(m, x):
    m.grid[:, 1] = x
    m.grid[0] *= x[2]
    return m.grid


@writing
def an_array_of_objects_from_outside(m, x):
    m.objects[...] = x
    return np.array([float(v) for v in m.objects[::-1]]) * m.objects.astype(float)


@writing
def constants_over_traced_values(m, x):
    m.work[:3] = x
    m.work[1] = 4.0
    m.work[:1] = m.work[1:2]
    return m.work


@writing
def many_buffers_one_after_the_other(m, x):
    for i, buffer in enumerate(m.many):
        buffer[i % 2] = x[i % 3]
    return sum(m.many)


@writing
def a_copy_of_a_buffer(m, x):
    changed = m.work.copy()
    changed[0] = x[1]
    return changed, m.work


@writing
def what_an_earlier_call_left_there(m, x):
    if m.work[0] == 2.0:
        m.work[0], m.work[1] = 3.0, x[0]
        return m.work * x[1]
    return x


@writing
def an_attribute_of_the_class(m, x):
    type(m).shared[:] = x
    return m.shared * x[0]


@program(POINT, to=PROGRAMS)
def a_global_of_the_module(x):
    WORK[0] = x[0] * x[1]
    WORK[1:] = x[1:]
    return WORK * 2


@program(POINT, np.array([-0.4, 0.2, 0.9]), to=PROGRAMS, fresh=True)
def each_path_starts_from_what_was_there():
    work = np.zeros(3)

    def f(x):
        if x[0] > 0:
            work[0] = x[1]
        work[1] += x[2]
        return work.copy()

    return f


@program((POINT, np.ones(3)), to=PROGRAMS, static_argnums=1)
def an_argument_that_is_written(x, out):
    out[1:] = x[:2] ** 2
    return out


# --------------------------------------------------------------- dict-like vectors
class Vector(MutableMapping[str, Any]):
    """One buffer, with views by name."""

    def __init__(self, **shapes: Any) -> None:
        self._data = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()))
        self._views, start = {}, 0
        for name, shape in shapes.items():
            stop = start + int(np.prod(shape))
            self._views[name] = self._data[start:stop].reshape(shape)
            start = stop

    def __getitem__(self, name: str) -> Any:
        return self._views[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._views[name][:] = value

    def __delitem__(self, name: str) -> None:
        raise TypeError("variables stay")

    def __iter__(self) -> Any:
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)

    def asarray(self) -> Any:
        return self._data


@program(POINT, to=PROGRAMS, fresh=True)
def vectors_by_name():
    inputs, outputs = Vector(x=3), Vector(y=(2, 2), z=1)

    def f(x):
        inputs["x"] = x
        outputs["y"][0] = inputs["x"][:2]
        outputs["y"][1, :] = inputs["x"][2] * outputs["y"][0, 0]
        outputs["z"] = np.sum(outputs["y"])
        return outputs.asarray()

    return f


class HandingOut:
    """Gives NumPy its own array."""

    def __init__(self, **arrays: Any) -> None:
        self._arrays = arrays

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._arrays["data"]


@program(POINT, to=PROGRAMS, fresh=True)
def arrays_that_objects_hand_out():
    data = np.zeros(4)
    held, part = HandingOut(data=data), HandingOut(data=data[2:])

    def f(x):
        np.asarray(held)[:2] = x[:2]
        np.array(part)[0] = x[2]  # the method has said that it is a copy
        np.ravel(part)[1] = x[0] * x[1]
        return data, np.sin(held)

    return f

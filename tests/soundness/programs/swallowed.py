"""Errors of compiled and foreign code that a function swallows, wherever the handler is."""

from __future__ import annotations

import contextlib
import datetime
import functools
import importlib
import operator
import select
import struct
import threading
import time
import types
from decimal import Decimal

import numpy as np
import scipy.fft

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
POINT = np.array([0.3, 0.8, 1.7])
NEVER = ("global", "local")
OPS = (np.sinc, np.cov)


def seconds(v):
    """Hands the number to compiled code, which refuses a traced one by a TypeError."""
    return datetime.timedelta(seconds=v).total_seconds()


class Clock:
    """Of which objects are kept in all kinds of places."""

    args = 3

    @property
    def func(self):
        raise RuntimeError("not to be asked for")

    def read(self, v):
        try:
            return datetime.timedelta(seconds=v).total_seconds()
        except TypeError:
            return 0.0


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def in_a_list_of_lists():
    class Plant:
        def __init__(self):
            self.parts = [[1.0, Clock()], [2.0]]

        def value(self, x):
            return x * self.parts[0][1].read(x[0])

    return Plant().value


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def in_a_nested_dict():
    parts = {"clocks": {"first": (Clock(),)}}

    def f(x):
        return x[1:] + parts["clocks"]["first"][0].read(x[0])

    return f


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def in_an_attribute_of_an_attribute():
    top = types.SimpleNamespace(inner=types.SimpleNamespace(clock=Clock()))
    return lambda x: top.inner.clock.read(x[0]) * x


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def in_a_slot():
    class Holder:
        __slots__ = ("clock",)

    holder = Holder()
    holder.clock = Clock()

    def f(x):
        return x[:2] - holder.clock.read(x[2])

    return f


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def as_a_method_in_a_dict():
    table = {"read": Clock().read, "size": len}

    def f(x):
        return [table["read"](v) + x[0] for v in x]

    return f


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def in_a_partial_of_a_partial():
    def guarded(scale, default, v):
        try:
            return scale * seconds(v)
        except TypeError:
            return default

    part = functools.partial(functools.partial(guarded, 2.0), default=1.0)
    steps = [part]
    return lambda x: x * steps[0](v=x[1])


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def by_a_decorator():
    def safe(function):
        def wrapper(*args):
            try:
                return function(*args)
            except Exception:
                return 0.0

        return wrapper

    @safe
    def read(v):
        return seconds(v)

    class Model:
        handlers = (read,)

        def __call__(self, x):
            return x + self.handlers[0](x[0])

    return Model()


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def in_a_generator():
    def guarded(x):
        for v in x:
            try:
                yield seconds(v)
            except TypeError:
                yield 1.0

    return lambda x: x * sum(guarded(x))


quietly = contextlib.suppress


@program(POINT, to=PROGRAMS, refused=NEVER)
def by_suppress_under_another_name(x):
    total = x[0] * 1.0
    with quietly(TypeError):
        total = total + seconds(x[1])
    return total


@contextlib.contextmanager
def ignored(*kinds):
    try:
        yield
    except kinds:
        print(end="")


@program(POINT, to=PROGRAMS, refused=NEVER)
def by_a_context_of_a_generator(x):
    y = x * 2
    with ignored(TypeError):
        y = y + seconds(x[0])
    return y


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def by_an_exit_that_returns_true():
    class Tolerant:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            return error[0] is TypeError

    def f(x):
        y = x * 1.0
        with Tolerant():
            y = y * seconds(x[2])
        return y

    return f


@program(POINT, to=PROGRAMS, refused=NEVER)
def by_a_return_in_finally(x):
    y = x[::-1] * 1.0
    try:
        y = y + seconds(x[0])
    finally:
        return y  # noqa: B012


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def by_a_computed_name():
    class Model:
        def read_seconds(self, v):
            try:
                return seconds(v)
            except TypeError:
                return 0.0

        def value(self, x):
            return x + getattr(self, "_".join(["read", "seconds"]))(x[0])

    return Model().value


@program(POINT, to=PROGRAMS, refused=NEVER)
def in_a_module_found_by_name(x):
    reader = importlib.import_module("soundness.programs.swallowed")
    return x + reader.Clock().read(x[0])


@program(POINT, to=PROGRAMS, refused=NEVER)
def text_that_decimal_refuses(x):
    try:
        rounded = float(Decimal(str(x[0])))
    except Exception:
        rounded = 0.0
    return x * rounded


@program(POINT, to=PROGRAMS, refused=NEVER)
def bytes_that_struct_refuses(x):
    try:
        packed = struct.unpack("d", struct.pack("d", x[0]))[0]
    except struct.error:
        packed = 1.0
    return x * packed


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def an_error_made_of_another():
    class BadInput(Exception):
        pass

    def read(v):
        try:
            return seconds(v)
        except TypeError as error:
            raise BadInput("seconds") from error

    def f(x):
        try:
            return x * read(x[0])
        except BadInput:
            return x * 0.0

    return f


@program(POINT, to=PROGRAMS, refused=NEVER, fresh=True)
def in_a_callable_of_a_registry():
    registry = {}

    def register(function):
        registry[function.__name__] = function
        return function

    @register
    def guarded(v):
        try:
            return seconds(v)
        except (TypeError, ValueError):
            return 1.0

    return lambda x: x * registry["guarded"](x[0])


@program(POINT, to=PROGRAMS, fresh=True)
def an_object_with_attributes_named_as_those_of_partials():
    class Model:
        args = 3
        keywords = None

        def __init__(self):
            self.func = np.ones(2)
            self.__wrapped__ = [1, 2]

        @property
        def trouble(self):
            raise RuntimeError("not to be asked for")

        def __getattr__(self, name):
            raise RuntimeError(f"not to be asked for {name}")

        def value(self, x):
            return x[1:] * self.func

    return Model().value


@program(POINT, to=PROGRAMS, refused=NEVER)
def a_method_of_the_class_itself(x):
    out = x * 1.0
    try:
        np.ndarray.__setitem__(out, 0, x[2])
    except ValueError:
        return x[::-1] * 0
    return out


@program(POINT, to=PROGRAMS)
def masked_functions_in_a_try(x):
    try:
        return np.ma.sin(x)
    except Exception:
        return x * 0


@program(POINT, to=PROGRAMS)
def masked_functions_of_numbers_in_a_try(x):
    try:
        return np.ma.hypot(x[0], x[1])
    except (AttributeError, TypeError):
        return 0.0


@program(POINT, to=PROGRAMS, conservative="which of the steps are whole is not known")
def several_results_beside_a_zero(x):
    try:
        return divmod(np.array([0.0, 1.0, 2.0]), x)
    except TypeError:
        return x * 0, x * 0


@program(np.arange(4.0) + 0.3, to=PROGRAMS)
def one_length_for_several_axes(x):
    m = x.reshape(2, 2)
    try:
        return scipy.fft.fftn(m, 2).real, scipy.fft.ifftn(m, axes=0).real, scipy.fft.dctn(m, s=2)
    except TypeError:
        return m * 0, m * 0, m * 0


@program(POINT, to=PROGRAMS, refused=NEVER)
def a_rule_that_does_not_know_the_call(x):
    try:
        return np.histogramdd(x[0])[1][0]
    except (TypeError, ValueError):
        return np.zeros(11)


@program(POINT, to=PROGRAMS, refused=("global",))
def lists_given_to_a_function_in_a_table(x):
    try:
        return OPS[0](x.tolist())
    except (AttributeError, TypeError):
        return x * 0


@program(POINT, to=PROGRAMS, conservative="which element comes where is not looked at")
def permuted_by_compiled_code(x):
    try:
        return np.random.default_rng(1).permutation(x)
    except ValueError:
        return x * 0


@program(POINT, to=PROGRAMS, refused=NEVER)
def permuted_in_place_by_compiled_code(x):
    y = x.copy()
    try:
        np.random.default_rng(2).permuted(y, out=y)
    except TypeError:
        return y * 0
    return y


def month(v):
    """Takes a float by its layout, and asks any other object for a whole number."""
    return datetime.datetime.fromtimestamp(v, datetime.UTC).month


@program(POINT, to=PROGRAMS, refused=NEVER)
def moments_in_time(x):
    try:
        return month(x[0]) * x
    except TypeError:
        return x[::-1]


@program(POINT, to=PROGRAMS, refused=NEVER)
def moments_in_time_by_map(x):
    with contextlib.suppress(Exception):
        years = [moment.tm_year for moment in map(time.gmtime, x)]
        return x * np.array(years)
    return x[::-1]


@program(POINT, to=PROGRAMS, refused=NEVER)
def a_lock_with_a_timeout(x):
    lock = threading.Lock()
    try:
        lock.acquire(timeout=x[1])
    except TypeError:
        return x[::-1]
    return x * 2


@program(POINT, to=PROGRAMS)
def numbers_that_count_nothing(x):
    found = []
    for ask in (
        lambda v: operator.index(v) + 1,
        lambda v: list(range(v)),
        lambda v: round(1.5, v),
        lambda v: found.insert(v, 0.0),
    ):
        try:
            ask(x[0])
        except TypeError:
            found.append(x[len(found) % 3] * x[1])
    return found


@program(POINT, to=PROGRAMS, refused=NEVER)
def waiting_for_nothing(x):
    try:
        select.select([], [], [], 1e-6 * x[0])
    except TypeError:
        return x[::-1]
    return x * 2


@program(POINT, to=PROGRAMS)
def a_method_that_a_loop_over_objects_looks_for(x):
    try:
        return np.hypot([x[0], x[2]], [x[1], x[0]])
    except AttributeError:
        return np.array([1.0, x[0]])


@program(POINT, to=PROGRAMS)
def such_a_method_of_a_constant(x):
    try:
        return np.arctan2([1.0, x[0]], 2.0)
    except AttributeError:
        return np.array([1.0, x[0]])


@program(POINT, to=PROGRAMS)
def a_method_that_numbers_lack(x):
    try:
        return x[0].hypot(x[1])
    except AttributeError:
        return x[2] * 2

"""Traced objects and truth values that an earlier run or trace left behind."""

from __future__ import annotations

from queue import SimpleQueue

import numpy as np

from soundness.harness import Program, program
from sparsetrace import jacobian_sparsity

PROGRAMS: list[Program] = []
POINT = np.array([0.3, 0.8, 1.7])
OTHER = np.array([1.4, -0.6, 0.2])
GLOBAL = ("global",)
BOTH = ("global", "local")


class Shelf:
    """Keeps one thing where no trace puts anything back: in a queue of compiled code."""

    def __init__(self):
        self._queue = SimpleQueue()

    def swap(self, new):
        old = None if self._queue.empty() else self._queue.get()
        self._queue.put(new)
        return old


def left_behind(make, *, local=False):
    """What a trace that has ended left behind."""
    shelf = Shelf()
    jacobian_sparsity(lambda x: (shelf.swap(make(x)), x)[1], POINT, local=local, verify=False)
    return shelf.swap(None)


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_truth_value_of_the_call_before():
    class Model:
        previous = False

        def value(self, x):
            was, self.previous = self.previous, x[0] > 0.5
            if was:
                return x[::-1] * 1.0
            return x * x

    return Model().value


@program(POINT, OTHER, to=PROGRAMS, fresh=True)
def a_flag_on_an_object():
    class Model:
        def __init__(self):
            self.flag = None

        def value(self, x):
            if self.flag is not None and self.flag:
                return x[0] * x
            self.flag = x[0] > 0
            return x[1] * x

    model = Model()
    jacobian_sparsity(model.value, POINT)
    return model.value


@program(POINT, to=PROGRAMS, refused=GLOBAL, fresh=True)
def a_truth_value_on_a_shelf():
    old = left_behind(lambda x: x[0] > 0.5)

    def f(x):
        if isinstance(x, np.ndarray) and type(x) is np.ndarray and old is None:
            return x
        return x * x if old else x[::-1]

    return f


def traced_by_now(x):
    """Whether this is a run of a trace: plain calls have nothing to do with what is left."""
    return hasattr(x, "patterns")


def old_in(name, use, refused=BOTH):
    """A program that uses what an earlier trace left behind, in traces alone."""

    for local in (False, True):

        def make(local=local):
            old = left_behind(lambda x: x, local=local)
            return lambda x: use(old, x) if traced_by_now(x) else x * 2.0

        make.__name__ = f"{name}_of_a_local_trace" if local else name
        program(POINT, to=PROGRAMS, refused=refused, fresh=True)(make)


old_in("sum_of_two_old_numbers", lambda old, x: np.stack([old[0] + old[1], x[0]]))
old_in("old_alone_returned", lambda old, x: old)
old_in("old_number_times_two_returned", lambda old, x: [x[0], old[0] * 2.0])
old_in("old_array_multiplied", lambda old, x: x if (old * old).shape == (3,) else x[::-1])
old_in("branch_on_old", lambda old, x: x if old[0] > 0.5 else x[::-1])
old_in("truth_of_an_old_number", lambda old, x: x if old[0] else x[::-1])
old_in("any_of_an_old_mask", lambda old, x: x * (old > 0.5).any())
old_in("where_on_an_old_mask", lambda old, x: np.where(old > 0.5, x, x[::-1]))
old_in("old_written_into_a_buffer", lambda old, x: np.concatenate([x, np.array([old[0], 1.0])]))
old_in("old_written_into_new", lambda old, x: [x.__setitem__(0, old[1]), x][1])
old_in("old_as_an_index", lambda old, x: x[np.argmax(old)])
old_in("old_concatenated", lambda old, x: np.concatenate([old, old]))
old_in("old_sorted", lambda old, x: x * len(sorted(old)))
old_in("old_compared_in_a_loop", lambda old, x: sum(x[i] for i in range(3) if old[i] > 0))
old_in("max_of_old_numbers", lambda old, x: x * max(old[0], old[1]))
old_in("old_rounded", lambda old, x: x * round(old[0]))
old_in("old_reduced", lambda old, x: x * bool(old.sum()))

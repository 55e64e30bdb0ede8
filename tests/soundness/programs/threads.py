"""Threads that the traced function starts, or gives work to.

Every wait has a time limit: a program that would hang fails instead.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import functools
import itertools
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
X = np.array([0.3, -0.7, 1.1, 0.4, -1.3, 0.8])
LIMIT = 20.0


def part(piece):
    return np.cumsum(piece) * piece[0]


@program(X, to=PROGRAMS)
def executor_map(x):
    with ThreadPoolExecutor(4) as pool:
        return np.concatenate(list(pool.map(part, np.split(x, 3), timeout=LIMIT)))


def flux(x, i):
    left = x[i - 1] if i else 0.0
    return (x[i] - left) ** 2 if x[i] > 0 else x[i] * left


@program(X[:3], -X[:3], to=PROGRAMS)
def as_completed_with_a_branch_in_each_task(x):
    with ThreadPoolExecutor(max_workers=2) as pool:
        tasks = {pool.submit(flux, x, i): i for i in range(len(x))}
        out = np.zeros(len(x))
        for done in concurrent.futures.as_completed(tasks, timeout=LIMIT):
            out[tasks[done]] = done.result()
    return out


@program(X, to=PROGRAMS)
def executors_in_tasks_of_executors(x):
    def row(i):
        with ThreadPoolExecutor(2) as inner:
            return sum(inner.map(lambda j: x[i] * x[j] if abs(i - j) == 1 else 0.0, range(len(x))))

    with ThreadPoolExecutor(2) as outer:
        return np.array(list(outer.map(row, range(len(x)))))


@program(X, to=PROGRAMS)
def threads_that_write_into_a_shared_buffer(x):
    out = np.empty_like(x)

    def fill(lo, hi):
        for i in range(lo, hi):
            out[i] = x[i] * np.sin(x[-1 - i])

    threads = [threading.Thread(target=fill, args=(k, k + 2)) for k in range(0, len(x), 2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(LIMIT)
    return out


@program(X, to=PROGRAMS)
def a_buffer_made_in_the_thread(x):
    found = {}

    def work(name, k):
        local = np.zeros(len(x))
        local[k:] = x[k:] * x[0]
        local[:k] += np.asarray(x[:k])
        found[name] = local

    threads = [threading.Thread(target=work, args=(f"t{k}", k), daemon=True) for k in (1, 4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(LIMIT)
    return found["t1"] + found["t4"]


@program(X, to=PROGRAMS)
def workers_that_take_from_a_queue(x):
    todo, done = queue.Queue(), queue.Queue()

    def worker():
        while True:
            item = todo.get(timeout=LIMIT)
            if item is None:
                todo.task_done()
                return
            i, v = item
            done.put((i, v * x[i - 1] + x[0]))
            todo.task_done()

    threads = [threading.Thread(target=worker) for _ in range(3)]
    for t in threads:
        t.start()
    for item in enumerate(x):
        todo.put(item)
    for _ in threads:
        todo.put(None)
    todo.join()
    out = [0.0] * len(x)
    while not done.empty():
        i, v = done.get_nowait()
        out[i] = v
    for t in threads:
        t.join(LIMIT)
    return out


@program(X, to=PROGRAMS)
def results_awaited_from_a_queue(x):
    results = queue.Queue(maxsize=2)

    def produce():
        for i in range(len(x) - 1):
            results.put((x[i + 1] - x[i]) ** 3, timeout=LIMIT)
        results.put(None)

    producer = threading.Thread(target=produce)
    producer.start()
    out = []
    while (value := results.get(timeout=LIMIT)) is not None:
        out.append(value * 2)
    producer.join(LIMIT)
    return out


@program(X, to=PROGRAMS)
def thread_pool_map(x):
    with ThreadPool(3) as pool:
        rows = pool.map(lambda i: x[i] * x[: i + 1].sum(), range(len(x)))
        pairs = pool.starmap(lambda a, b: a - b**2, itertools.pairwise(x))
    return rows + pairs


@program(X, to=PROGRAMS)
def thread_pool_apply_async_with_a_callback(x):
    total = np.zeros(3)

    def keep(i, v):
        total[i] = v + x[0]

    pool = ThreadPool(2)
    for i in range(3):
        pool.apply_async(np.multiply, (x[i], x[i + 3]), callback=functools.partial(keep, i))
    pool.close()
    pool.join()
    lazily = ThreadPool(2)
    squares = list(lazily.imap(np.square, x[:2]))
    lazily.terminate()
    return [*total, *squares]


class Solver:
    """A class as people write it: workers, a lock, an accumulator."""

    def __init__(self, workers):
        self.workers, self.lock, self.total = workers, threading.Lock(), 0.0

    class Worker(threading.Thread):
        def __init__(self, solver, values):
            super().__init__(name="worker", daemon=True)
            self.solver, self.values, self.result = solver, values, None

        def run(self):
            self.result = np.prod(self.values)
            with self.solver.lock:
                self.solver.total = self.solver.total + self.result

    def __call__(self, x):
        self.total = 0.0
        threads = [self.Worker(self, p) for p in np.array_split(x, self.workers)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(timeout=LIMIT)
        return [self.total, *(t.result for t in threads)]


@program(X, to=PROGRAMS, fresh=True)
def a_class_of_workers():
    return Solver(3)


@program(X, to=PROGRAMS, refused=("global",))
def an_error_swallowed_in_a_task(x):
    def smooth(v):
        try:
            return np.unique(v, axis=0).sum()
        except Exception:
            return v[0]

    with ThreadPoolExecutor() as pool:
        return pool.submit(smooth, x).result(LIMIT)


@program(X, to=PROGRAMS, refused=("global", "local"))
def a_thread_that_dies_of_a_conversion(x):
    out = [x[1]]

    def work():
        out[0] = x.tobytes()[0] * x[0]

    t = threading.Thread(target=work)
    t.start()
    t.join(LIMIT)
    return out


@program(X, -X, to=PROGRAMS)
def errors_of_the_program_itself_in_futures(x):
    def root(i):
        if i == 2:
            raise LookupError(i)
        return x[i] ** 2

    with ThreadPoolExecutor(2) as pool:
        tasks = [pool.submit(root, i) for i in range(4)]
    done, _ = concurrent.futures.wait(tasks, timeout=LIMIT)
    assert len(done) == 4
    return [x[-1] if t.exception() else t.result() for t in tasks]


@program(X, to=PROGRAMS)
def a_timer(x):
    out = []
    timer = threading.Timer(0.01, lambda: out.append(x[0] * x[1] + x[2]))
    timer.start()
    timer.join(LIMIT)
    return out


@program(X, to=PROGRAMS)
def coroutines_and_to_thread(x):
    async def term(i):
        await asyncio.sleep(0)
        return x[i] * x[i - 1]

    async def main():
        terms = await asyncio.gather(*map(term, range(3)))
        loop = asyncio.get_running_loop()
        summed = await asyncio.wait_for(asyncio.to_thread(part, x[3:]), LIMIT)
        last = await loop.run_in_executor(None, functools.partial(np.prod, x[:2]))
        return [*terms, *summed, last]

    return asyncio.run(main())


@program(X, to=PROGRAMS)
def a_barrier_between_two_tasks(x):
    meet = threading.Barrier(2, timeout=LIMIT)
    half = {}

    def work(i):
        half[i] = x[i] * x[i + 1]
        meet.wait()
        return half[0] + half[1] * x[i + 3]

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, range(2)))


@program(X, to=PROGRAMS)
def initializer_names_callbacks_and_thread_locals(x):
    local, order = threading.local(), []

    def begin(scale):
        local.scale = scale

    def work(v):
        assert threading.current_thread().name.startswith("part")
        return v * local.scale

    with ThreadPoolExecutor(2, "part", initializer=begin, initargs=(2.0,)) as pool:
        task = pool.submit(work, x[::-1])
        task.add_done_callback(lambda t: order.append(t.result() * x))
        last = pool.submit(work, x[0])
    return [order[0].sum(), last.result(), task.result()[1]]


@program(X, to=PROGRAMS)
def a_thread_that_sleeps_until_told(x):
    told, out = threading.Event(), {}

    def work():
        assert told.wait(LIMIT)
        out["y"] = out["x"] * x[1:]

    t = threading.Thread(target=work)
    t.start()
    out["x"] = x[0] ** 2
    told.set()
    t.join(LIMIT)
    return out["y"]


@program(X, to=PROGRAMS)
def context_variables_are_not_inherited(x):
    scale = contextvars.ContextVar("scale", default=0.0)

    def work():
        return x[0] * x[1] + scale.get() * x[2]

    scale.set(2.0)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result(LIMIT), pool.submit(
            contextvars.copy_context().run, work
        ).result(LIMIT)


POOL = ThreadPoolExecutor(2)


@program(X, to=PROGRAMS)
def an_executor_of_the_module(x):
    POOL.submit(time.sleep, 0.0).result(LIMIT)  # its threads are there already
    rows = POOL.map(np.dot, [x[:2], x[2:4]], [x[4:], x[4:]], timeout=LIMIT)
    return sum(rows)


@program(X, -X, to=PROGRAMS, conservative="the results of both outcomes are united")
def the_first_future_that_is_done(x):
    with ThreadPoolExecutor(3) as pool:
        tasks = [pool.submit(np.tanh, x[i] * x[i + 1]) for i in range(3)]
        for t in tasks:
            if t.result(LIMIT) > 0:
                return t.result()
    return x[5]


class Servant(threading.Thread):
    """A thread of the module's own, which no trace has started."""

    def __init__(self):
        super().__init__(daemon=True)
        self.todo, self.done = queue.SimpleQueue(), queue.SimpleQueue()

    def run(self):
        while True:
            work = self.todo.get()
            try:
                self.done.put(work())
            except Exception as error:
                self.done.put(error)

    def __call__(self, work):
        self.todo.put(work)
        found = self.done.get(timeout=LIMIT)
        if isinstance(found, Exception):
            raise found
        return found


SERVANT = Servant()
SERVANT.start()


@program(X, to=PROGRAMS, refused=("global", "local"))
def an_error_swallowed_in_a_thread_of_the_module(x):
    def work():
        try:
            return np.unique(x, axis=0).sum()
        except Exception:
            return x[0]

    return SERVANT(work)


@program(X, to=PROGRAMS, refused=("global", "local"))
def array_operations_in_a_thread_of_the_module(x):
    return SERVANT(lambda: part(x) + x[::-1])

"""Whole Hessians; the stores beside one another; second order beside first."""

from time import perf_counter

import numpy as np

from sparsetrace import hessian_sparsity, jacobian_sparsity

from .internals import Products, bitset_rows, matrix_products, require
from .problems import HESSIAN_SIZES, HESSIANS

BOTH_ORDERS = (jacobian_sparsity, hessian_sparsity)


def best_seconds(function, *args, repetitions=5):
    times = []
    for _ in range(repetitions):
        start = perf_counter()
        function(*args)
        times.append(perf_counter() - start)
    return min(times)


class HessianDetection:
    params = [list(HESSIANS), ["small", "large"]]
    param_names = ["problem", "size"]

    def setup(self, name, size):
        self.problem = HESSIANS[name](HESSIAN_SIZES[name][size == "large"])

    def detect(self):
        problem = self.problem
        return hessian_sparsity(problem.function, *problem.arguments, argnums=problem.argnums)

    def time_detection(self, name, size):
        self.detect()

    def peakmem_detection(self, name, size):
        self.detect()

    def track_entries(self, name, size):
        pattern = self.detect()
        if (pattern.shape, pattern.nnz) != (self.problem.shape, self.problem.entries):
            raise AssertionError(f"{pattern!r} is not what {name} must have")
        return pattern.nnz

    track_entries.unit = "entries"


class ManySteps:
    """A chain of products of a few numbers each, some of them constants: what each step costs."""

    params = ["global", "local"]
    param_names = ["pattern"]

    def setup(self, pattern):
        self.x = np.linspace(0.5, 1.0, 24)

    def time_steps(self, pattern):
        hessian_sparsity(_chain_of_products, self.x, local=pattern == "local")


def _chain_of_products(x):
    u, v = x[:12], np.zeros(12)
    v[:11] = x[12:23]
    for k in range(500):
        v = np.sin(u[k % 12]) * v * (u + k)
    return np.sum(v)


class HessianStores:
    """Each store of gradients with each of Hessians, on a sparse Hessian and a dense one."""

    sizes = {"pendulum": 100, "network": 2}
    # Written out: asv tells the parameters of a commit apart by their number.
    params = [
        list(sizes),
        ["auto", "roaring", "bitset", "csr", "intervals", "integers"],
        ["auto", "csr", "bitset", "roaring", "dict", "intervals"],
    ]
    param_names = ["problem", "store", "hessian_store"]

    def setup(self, name, store, hessian_store):
        self.problem = HESSIANS[name](self.sizes[name])

    def detect(self, store, hessian_store):
        problem = self.problem
        return hessian_sparsity(
            problem.function, *problem.arguments, store=store, hessian_store=hessian_store
        )

    def time_detection(self, name, store, hessian_store):
        self.detect(store, hessian_store)

    def peakmem_detection(self, name, store, hessian_store):
        self.detect(store, hessian_store)

    def track_entries(self, name, store, hessian_store):
        found = self.detect(store, hessian_store).nnz
        if found != self.problem.entries:
            raise AssertionError(f"{found} entries, not {self.problem.entries}")
        return found

    track_entries.unit = "entries"


class HessianOverGradient:
    """One function, by its gradient's pattern and by its Hessian's."""

    def setup(self):
        problem = HESSIANS["pendulum"](HESSIAN_SIZES["pendulum"][1])
        self.call = (problem.function, *problem.arguments)

    def time_gradient(self):
        jacobian_sparsity(*self.call)

    def time_hessian(self):
        hessian_sparsity(*self.call)

    def track_ratio(self):
        # In turn, so that both meet the same noise.
        rounds = [
            [best_seconds(detect, *self.call, repetitions=1) for detect in BOTH_ORDERS]
            for _ in range(20)
        ]
        first, second = np.min(rounds, axis=0)
        return second / first

    track_ratio.unit = "times the gradient's"


def random_cliques(n, count, width):
    """Products of `count` random patterns with themselves."""
    rng = np.random.default_rng(0)
    # Ascending and distinct within each row.
    steps = rng.integers(1, n // width + 1, size=(count, width))
    indices = (np.cumsum(steps, axis=1) - 1).astype(np.int32).reshape(-1)
    none = np.zeros(0, np.int64)
    return Products(n, np.arange(count + 1) * width, indices, np.arange(count), none, none)


class HessianCosts:
    """What hessian_store="auto" compares: nanoseconds for an entry, a word, a cell."""

    def setup(self):
        require(Products, matrix_products, bitset_rows)

    def track_entry(self):
        products = random_cliques(n=100_000, count=50_000, width=8)
        return 1e9 * best_seconds(matrix_products.solve, products) / (50_000 * 36)

    def track_mark(self):
        products = random_cliques(n=1000, count=50_000, width=8)
        return 1e9 * best_seconds(matrix_products.solve, products) / (50_000 * 36)

    def track_word(self):
        products = random_cliques(n=2048, count=20_000, width=64)
        return 1e9 * best_seconds(bitset_rows.solve, products) / (20_000 * 64 * (2048 // 64))

    def track_cell(self):
        products = random_cliques(n=4096, count=1, width=64)
        return 1e9 * best_seconds(bitset_rows.solve, products) / 4096**2

    track_entry.unit = track_mark.unit = track_word.unit = track_cell.unit = "ns"

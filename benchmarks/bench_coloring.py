"""Colorings, and Jacobians from compressed calls: time, and what they cost beside f itself."""

from time import perf_counter

import numpy as np
import scipy.sparse as sp

from sparsetrace import sparse_jacobian
from sparsetrace.coloring import (
    color_acyclic,
    color_bidirectional,
    color_columns,
    color_rows,
    color_star,
)

COLORINGS = {
    "columns": color_columns,
    "rows": color_rows,
    "bidirectional": color_bidirectional,
    "star": color_star,
    "acyclic": color_acyclic,
}


def banded(n, half):
    offsets = range(-half, half + 1)
    return sp.diags_array([np.ones(n - abs(k)) for k in offsets], offsets=list(offsets)).tocsr()


def laplace(n):
    line, one = banded(n, 1), sp.eye_array(n)
    return (sp.kron(line, one) + sp.kron(one, line)).tocsr()


def arrow(n):
    everything = np.arange(n)
    rows = np.concatenate([everything, np.zeros(n, int), everything])
    columns = np.concatenate([everything, everything, np.zeros(n, int)])
    return sp.csr_array((np.ones(3 * n), (rows, columns)), shape=(n, n))


def scattered(n, count):
    random = np.random.default_rng(0)
    rows, columns = np.repeat(np.arange(n), count), random.integers(0, n, n * count)
    return sp.csr_array((np.ones(n * count), (rows, columns)), shape=(n, n))


def brusselator(n):
    """Two species on a periodic grid, one behind the other."""
    line = banded(n, 1).tolil()
    line[0, n - 1] = line[n - 1, 0] = 1
    one = sp.eye_array(n)
    grid = sp.kron(line, one) + sp.kron(one, line)
    both = sp.eye_array(n * n)
    return sp.block_array([[grid, both], [both, grid]]).tocsr()


PATTERNS = {
    "tridiagonal": lambda: banded(100_000, 1),
    "laplace": lambda: laplace(300),
    "arrow": lambda: arrow(10_000),
    "scattered": lambda: scattered(10_000, 5),
    "brusselator": lambda: brusselator(100),
    "pentadiagonal": lambda: banded(1_000_000, 2),
}
MOST = {
    ("tridiagonal", "columns"): 3,
    ("laplace", "columns"): 7,
    ("scattered", "columns"): 11,
    ("brusselator", "columns"): 12,
    ("pentadiagonal", "columns"): 5,
    ("tridiagonal", "star"): 3,
    ("laplace", "star"): 5,
    ("arrow", "star"): 2,
    ("brusselator", "star"): 9,
    ("arrow", "bidirectional"): 3,
}
"""The fewest colors that others find (asdex, CasADi, OpenMDAO, SciPy, igraph)."""


class Coloring:
    params = [list(PATTERNS), list(COLORINGS)]
    param_names = ["pattern", "kind"]

    def setup(self, name, kind):
        if name == "scattered" and kind in ("star", "acyclic"):
            raise NotImplementedError("not symmetric")
        self.pattern = PATTERNS[name]()
        self.pattern.sum_duplicates()

    def time_coloring(self, name, kind):
        COLORINGS[kind](self.pattern)

    def track_colors(self, name, kind):
        coloring = COLORINGS[kind](self.pattern)
        coloring.verify()
        most = MOST.get((name, kind), coloring.num_colors)
        if coloring.num_colors > most:
            raise AssertionError(f"{coloring!r}, and others need {most}")
        return coloring.num_colors

    track_colors.unit = "colors"


class Jacobian:
    """A Jacobian by differences, and as many calls of f at one array."""

    params = ["cs", "3-point", "2-point"]
    param_names = ["method"]

    def setup(self, method):
        n = 100

        def reaction_diffusion(y):
            u, v = y.reshape(2, n, n)

            def diffusion(a):
                across = np.roll(a, 1, 0) + np.roll(a, -1, 0)
                return 200.0 * (across + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a)

            rates = 1 + u * u * v - 4.4 * u + diffusion(u), 3.4 * u - u * u * v + diffusion(v)
            return np.stack(rates).ravel()

        self.f = reaction_diffusion
        self.y = np.random.default_rng(0).random(2 * n * n)
        self.jacobian = sparse_jacobian(self.f, self.y, method=method)
        self.jacobian(self.y)
        before = self.jacobian.nfev
        self.jacobian(self.y)
        self.calls = self.jacobian.nfev - before
        self.point = self.y + 1e-30j if method == "cs" else self.y.copy()

    def time_jacobian(self, method):
        self.jacobian(self.y)

    def time_calls_alone(self, method):
        for _ in range(self.calls):
            self.f(self.point)

    def time_preparation(self, method):
        sparse_jacobian(self.f, self.y, method=method)

    def track_overhead(self, method):
        """What a Jacobian takes beside the calls of f, in parts of these; checks are none of f's.

        Both are measured in turns, as a machine is not always equally fast; f is called at one
        array, which stays in the cache.  Where the system places the arrays in memory moves the
        result by some hundredths from one process to the next.
        """
        return self._overhead(method, lambda: self.jacobian(self.y), lambda: None)

    def track_overhead_of_data(self, method):
        """The same for the values alone, written into an array of the caller's."""
        out = np.empty(self.jacobian.pattern.nnz)
        return self._overhead(method, lambda: self.jacobian.data(self.y, out=out), lambda: None)

    def track_overhead_with_value(self, method):
        """The same for the value of f and the Jacobian; f is called once more, at real numbers."""
        more = {"2-point": lambda: None}.get(method, lambda: self.f(self.y))
        return self._overhead(method, lambda: self.jacobian.value_and_jacobian(self.y), more)

    def _overhead(self, method, evaluate, more):
        ratios = []
        for _ in range(100):
            start = perf_counter()
            evaluate()
            between = perf_counter()
            self.time_calls_alone(method)
            more()
            ratios.append((between - start) / (perf_counter() - between))
        return float(np.median(ratios)) - 1

    track_overhead.unit = "parts of f"
    track_overhead_of_data.unit = "parts of f"
    track_overhead_with_value.unit = "parts of f"

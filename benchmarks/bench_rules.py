"""What one call of a ufunc or function costs while a trace runs, measured from inside of it."""

from time import perf_counter

import numpy as np

from sparsetrace import jacobian_sparsity
from sparsetrace.rules import FIRST_ORDER

# Generalised ufuncs need shapes of their own, and np.isnat takes no numbers.
UFUNCS = {
    ufunc.__name__: ufunc
    for ufunc in FIRST_ORDER
    if ufunc.signature is None and ufunc is not np.isnat
}
# Per element, rules of one form cost the same: the first of each form stands for them.
FORMS = {
    (rule.partials, tuple(rule.cuts)): ufunc.__name__
    for ufunc, rule in reversed(FIRST_ORDER.items())
    if ufunc.__name__ in UFUNCS
}
TABLE = np.cumsum(np.random.default_rng(0).uniform(1, 2, 10))
MATRIX = np.arange(1.0, 31.0).reshape(3, 10)
BANDED = np.eye(10) + np.eye(10, k=1)
FUNCTIONS = {
    "product with zeros": lambda x: x * BANDED[0],
    "matrix with zeros": lambda x: BANDED @ x,
    "norm": np.linalg.norm,
    "sort": np.sort,
    "interp of x": lambda x: np.interp(x, TABLE, TABLE**2),
    "interp of a table": lambda x: np.interp(TABLE + 0.5, TABLE, x),
    "einsum i,i->": lambda x: np.einsum("i,i->", x, x),
    "einsum ij,j->i": lambda x: np.einsum("ij,j->i", MATRIX, x),
    "einsum i,j->ij": lambda x: np.einsum("i,j->ij", x, x),
    "trapezoid": np.trapezoid,
    "trapezoid at points": lambda x: np.trapezoid(x, TABLE),
    "gradient": np.gradient,
    "gradient of second order": lambda x: np.gradient(x, 0.5, edge_order=2),
    "gradient at points": lambda x: np.gradient(x, TABLE),
}


def operands(ufunc: np.ufunc, x: np.ndarray) -> list[np.ndarray]:
    """Pieces of the input, made whole numbers where the ufunc takes no floats."""
    loops = [loop.split("->")[0] for loop in ufunc.types]
    pieces = np.split(x, ufunc.nin)
    return [
        piece if any(loop[i] in "fd" for loop in loops) else (piece > 0) * 1
        for i, piece in enumerate(pieces)
    ]


def seconds_per_call(called, size: int, calls: int, rounds: int) -> float:
    """The mean of the best round of calls, on elements of distinct patterns."""
    best = np.inf
    ufunc = isinstance(called, np.ufunc)

    def function(x):
        nonlocal best
        inputs = operands(called, x) if ufunc else [x]
        for _ in range(rounds):
            start = perf_counter()
            for _ in range(calls):
                called(*inputs)
            best = min(best, (perf_counter() - start) / calls)
        return x[:1]

    jacobian_sparsity(function, np.ones((called.nin if ufunc else 1) * size))
    return best


class Small:
    params = [sorted(UFUNCS)]
    param_names = ["ufunc"]

    def track_microseconds_at_size_10(self, name):
        return 1e6 * seconds_per_call(UFUNCS[name], size=10, calls=20, rounds=10)

    track_microseconds_at_size_10.unit = "us"


class SmallFunctions:
    params = [sorted(FUNCTIONS)]
    param_names = ["call"]

    def track_microseconds_at_size_10(self, name):
        return 1e6 * seconds_per_call(FUNCTIONS[name], size=10, calls=20, rounds=10)

    track_microseconds_at_size_10.unit = "us"


class Large:
    params = [sorted(FORMS.values())]
    param_names = ["ufunc"]

    def track_nanoseconds_per_element_at_size_1e6(self, name):
        return 1e3 * seconds_per_call(UFUNCS[name], size=10**6, calls=1, rounds=3)

    track_nanoseconds_per_element_at_size_1e6.unit = "ns/element"

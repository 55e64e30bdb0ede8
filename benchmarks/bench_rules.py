"""What one call of each ufunc costs while a trace runs, measured from inside of it."""

from time import perf_counter

import numpy as np

from sparsetrace import jacobian_sparsity
from sparsetrace.rules import FIRST_ORDER

UFUNCS = {ufunc.__name__: ufunc for ufunc in FIRST_ORDER if ufunc.signature is None}


def seconds_per_call(ufunc: np.ufunc, size: int, calls: int, rounds: int) -> float:
    """The best round's mean, of calls on traced arrays with distinct patterns."""
    best = np.inf

    def function(x):
        nonlocal best
        operands = [x[i * size : (i + 1) * size] for i in range(ufunc.nin)]
        for _ in range(rounds):
            start = perf_counter()
            for _ in range(calls):
                ufunc(*operands)
            best = min(best, (perf_counter() - start) / calls)
        return x[:1]

    jacobian_sparsity(function, np.ones(ufunc.nin * size))
    return best


class Overhead:
    params = [sorted(UFUNCS)]
    param_names = ["ufunc"]

    def track_microseconds_at_size_10(self, name):
        return 1e6 * seconds_per_call(UFUNCS[name], size=10, calls=20, rounds=10)

    def track_nanoseconds_per_element_at_size_1e6(self, name):
        return 1e3 * seconds_per_call(UFUNCS[name], size=10**6, calls=1, rounds=3)

    track_microseconds_at_size_10.unit = "us"
    track_nanoseconds_per_element_at_size_1e6.unit = "ns/element"

"""What one call of a ufunc or function costs while a trace runs, measured from inside of it."""

from queue import SimpleQueue
from time import perf_counter

import numpy as np
import scipy.special

from sparsetrace import jacobian_sparsity

from .internals import lookup, require
from .small_calls import CALLS, calls, microseconds

# Of NumPy and SciPy, so that asv counts the same ones on every commit.  Generalised ufuncs need
# shapes of their own, and np.isnat takes no numbers.
UFUNCS = {
    function.__name__: function
    for module in (np, scipy.special)
    for function in vars(module).values()
    if isinstance(function, np.ufunc) and function.signature is None and function is not np.isnat
}
# Per element, rules of one form cost the same: one of each form stands for them.
FORMS = """
    add airy betainc copysign divmod ellipj elliprj eval_genlaguerre eval_jacobi expn floor
    floor_divide heaviside hyp1f1 hyp2f1 lpmv mathieu_cem modf multiply negative pbdv poch pro_ang1
    pro_ang1_cv pro_cv radian remainder shichi wright_bessel
    """.split()


def operands(ufunc: np.ufunc, x: np.ndarray) -> list[np.ndarray]:
    """Pieces of the input, made whole numbers where the ufunc takes no floats."""
    loops = [loop.split("->")[0] for loop in ufunc.types]
    pieces = np.split(x, ufunc.nin)
    return [
        piece if any(loop[i] in "fd" for loop in loops) else (piece > 0) * 1
        for i, piece in enumerate(pieces)
    ]


def seconds_per_call(ufunc: np.ufunc, size: int, repeats: int, rounds: int) -> float:
    """The mean of the best round of calls, on elements of distinct patterns."""
    found = SimpleQueue()  # of which a trace puts nothing back

    def function(x):
        inputs = operands(ufunc, x)
        for _ in range(rounds):
            start = perf_counter()
            for _ in range(repeats):
                ufunc(*inputs)
            found.put((perf_counter() - start) / repeats)
        return x[:1]

    jacobian_sparsity(function, np.ones(ufunc.nin * size))
    return min(found.get() for _ in range(found.qsize()))


class Small:
    params = [sorted(UFUNCS)]
    param_names = ["ufunc"]

    def track_microseconds_at_size_10(self, name):
        return 1e6 * seconds_per_call(UFUNCS[name], size=10, repeats=20, rounds=10)

    track_microseconds_at_size_10.unit = "us"


class SmallCalls:
    """Of each group of `small_calls` the slowest call."""

    params = [sorted(CALLS)]
    param_names = ["group"]

    def setup(self, group):
        require(lookup)

    def track_microseconds_looked_up(self, group):
        return max(microseconds(call) for call in calls(group))

    def track_microseconds_by_rule(self, group):
        return max(microseconds(call, known=False) for call in calls(group))

    track_microseconds_looked_up.unit = track_microseconds_by_rule.unit = "us"


class Large:
    params = [FORMS]
    param_names = ["ufunc"]

    def track_nanoseconds_per_element_at_size_1e6(self, name):
        return 1e3 * seconds_per_call(UFUNCS[name], size=10**6, repeats=1, rounds=3)

    track_nanoseconds_per_element_at_size_1e6.unit = "ns/element"

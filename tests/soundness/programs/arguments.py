"""Arguments outside ``argnums``: a global pattern holds whatever their values are."""

from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import scipy.sparse

from soundness.harness import Program, program

PROGRAMS: list[Program] = []
U = np.array([1.5, 2.5, 3.5])
Z = np.zeros(3)
Weights = namedtuple("Weights", "inner outer")


@program((0.0, U), (2.0, U), to=PROGRAMS, argnum=1)
def a_rate_times_the_state(t, u):
    return t * u


@program((U, 0.0), (U, 1.0), (U, 2.5), to=PROGRAMS)
def a_power(x, p):
    return x**p


@program((U, np.zeros((3, 3))), (U, np.arange(1.0, 10.0).reshape(3, 3)), to=PROGRAMS)
def a_matrix(x, A):
    return A @ x


@program((U, Z), (U, Z + 1), to=PROGRAMS)
def a_mask_of_a_threshold(x, t):
    return np.where(t > 0.5, x, x[::-1])


@program((0.0, U), (2.0, U), to=PROGRAMS, argnum=1)
def a_switch_in_time(t, u):
    if t < 1.0:
        return u**2
    return u[::-1] * u


@program(
    (U, Z),
    (U, np.array([2.0, 1.0, 0.0])),
    (U, np.array([1.0, 2.0, 0.0])),
    to=PROGRAMS,
    conservative="any element may be chosen",
)
def an_index_from_numbers(x, t):
    return x[t.astype(int)] * x[np.argmax(t)]


@program((U, np.ones(3)), to=PROGRAMS)
def a_work_array(x, work):
    work[:] = x**2
    work[1:] += work[:-1]
    return work


@program(
    (U, {"a": 0.0, "b": [0.0, 0.0], "n": 2}), (U, {"a": 1.0, "b": [2.0, 3.0], "n": 2}), to=PROGRAMS
)
def a_dictionary_of_parameters(x, p):
    return p["a"] * x + sum(p["b"]) * x[p["n"] - 1] ** 2


@program((U, Weights(Z, 0.0)), (U, Weights(Z + 1, 2.0)), to=PROGRAMS)
def a_named_tuple(x, w):
    return w.outer * np.tanh(w.inner * x)


@program(
    (U, OrderedDict(a=0.0), defaultdict(float, b=0.0)),
    (U, OrderedDict(a=1.0), defaultdict(float, b=2.0)),
    to=PROGRAMS,
)
def dictionaries_of_other_types(x, p, q):
    return p["a"] * x + q["b"] * x[::-1]


@program((U, [0.0, 0.0, 0.0]), (U, [1.0, 2.0, 3.0]), to=PROGRAMS)
def a_loop_over_times(x, times):
    return [t * x[i] for i, t in enumerate(times)]


@program((U, 0.0), to=PROGRAMS, refused=("global",))
def a_count_from_a_number(x, t):
    return np.array([x[i % 3] for i in range(int(t) + 2)])


@program((U, 2.0), to=PROGRAMS, static_argnums=1)
def a_static_count(x, t):
    return np.array([x[i % 3] for i in range(int(t))])


@program((U, Z, Z.copy()), (U, Z + 2, Z + 1), to=PROGRAMS)
def targets_of_ufuncs(x, a, out):
    np.multiply(x, a, out=out)
    np.add.at(out, [0, 0], a[:2])
    return out * x[0]


@program(
    (U, scipy.sparse.csr_array(([0.0, 0.0, 0.0], [1, 2, 0], [0, 1, 2, 3]), shape=(3, 3))),
    (U, scipy.sparse.csr_array(([1.0, 2.0, 3.0], [1, 2, 0], [0, 1, 2, 3]), shape=(3, 3))),
    to=PROGRAMS,
)
def a_sparse_matrix_with_stored_zeros(x, A):
    return A @ x + A.T @ x**2


@program(
    (U, scipy.sparse.csr_array(np.eye(3)), scipy.sparse.csr_array(np.eye(3))),
    (U, scipy.sparse.csr_array(2 * np.eye(3)), scipy.sparse.csr_array(np.eye(3))),
    (U, scipy.sparse.csr_array(0.5 * np.eye(3)), scipy.sparse.csr_array(np.eye(3))),
    to=PROGRAMS,
)
def sparse_matrices_that_cancel(x, A, B):
    rest = A - B
    if rest.diagonal()[0] > 0.5:
        return rest @ x
    return rest @ x[::-1]


@program((U, 0.0, 1.0), (U, -1.0, 4.0), to=PROGRAMS)
def bounds(x, low, high):
    return np.clip(x, low, high) * max(low, 0.5) + (x if low < 0 else 0 * x)


@program((U, 0j), (U, 1 + 2j), to=PROGRAMS)
def a_complex_factor(x, c):
    return (c * x).real


@program((U, np.zeros(3, np.float32), np.float32(0)), (U, np.ones(3, np.float32), 2.0), to=PROGRAMS)
def single_precision(x, a, b):
    return a * x + b * x[::-1]


@program((U, np.array([0.0, 1.0, 2.0]), Z), (U, np.array([0.0, 3.0, 4.0]), U), to=PROGRAMS)
def a_table(x, places, heights):
    return np.interp(x, places, heights) + np.polyval(heights, x[0])


@program(
    (U, np.array([0.0, None, 1.0], object)), (U, np.array([1.0, None, 0.0], object)), to=PROGRAMS
)
def an_array_of_objects(x, maybe):
    return [m * v for m, v in zip(maybe, x, strict=True) if m is not None]


@program((U, np.ma.array(Z, mask=[0, 1, 0])), (U, np.ma.array(U, mask=[0, 1, 0])), to=PROGRAMS)
def masked_weights(x, w):
    return (w * x).filled(0.0)


@program((U, Z), (U, U + 1), to=PROGRAMS)
def a_tolerance_test(x, previous):
    if np.allclose(x, previous) or np.all(previous == 0):
        return x
    return x * previous[::-1] * x[::-1]


@program((U, 2, True, "sum", None), to=PROGRAMS)
def whole_numbers_and_text_decide(x, n, flip, how, extra):
    y = x[:n][::-1] if flip else x
    return getattr(np, how)(y) if extra is None else y


@program(
    (U, scipy.sparse.csr_array(np.eye(3))),
    (U, scipy.sparse.csr_array(2 * np.eye(3))),
    to=PROGRAMS,
)
def the_type_of_a_sparse_matrix(x, A):
    return A @ x if type(A) is scipy.sparse.csr_array else x[::-1]


@dataclass(frozen=True)
class Rates:
    k: float
    weights: list = field(default_factory=lambda: [0.0, 1.0, 0.0])


@program((U, Rates(0.0)), (U, Rates(2.0, [1.0, 0.0, 2.0])), to=PROGRAMS)
def a_dataclass(x, rates):
    return x * rates.k + np.array(rates.weights) * x[::-1]


@program((U, SimpleNamespace(k=0.0, n=2)), (U, SimpleNamespace(k=1.0, n=2)), to=PROGRAMS)
def a_namespace(x, options):
    return x[: options.n] * options.k + (x[2] if options.k > 0.5 else 0.0)

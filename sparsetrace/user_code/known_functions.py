"""Functions and classes of libraries, calls of which change nothing but what they give.

Contract: what is known here is known by name and module, and nothing of it runs.  In doubt nothing
is known.  Some call functions that they are given: those are looked at by who asks.
"""

from __future__ import annotations

import bisect
import collections
import contextlib
import copy
import enum
import functools
import itertools
import operator
import time
import types
import warnings
from typing import Any

__all__ = ["UNKNOWN_EFFECTS", "Known", "is_of_scipy", "known_kind"]

UNKNOWN_EFFECTS = "_sparsetrace_unknown_effects"
"""An attribute of classes whose objects stand for compiled functions, which may write anywhere."""


class Known(enum.Enum):
    """What is known of a call."""

    PURE = enum.auto()
    CALLS = enum.auto()
    """It changes nothing, if the functions do not that it is given."""


_CALLING = (
    *(copy.copy, copy.deepcopy, collections.defaultdict, itertools.accumulate),
    *(itertools.dropwhile, itertools.filterfalse, itertools.groupby, itertools.starmap),
    *(itertools.takewhile, bisect.bisect, bisect.bisect_left, bisect.bisect_right),
)
_MAKING = (
    *(collections.Counter, collections.OrderedDict, collections.deque, types.SimpleNamespace),
    *(contextlib.nullcontext, contextlib.suppress, warnings.catch_warnings),
    *(functools.reduce, itertools.count),  # the first argument of `reduce` is looked at
    *(itertools.chain, itertools.combinations, itertools.combinations_with_replacement),
    *(itertools.compress, itertools.islice, itertools.pairwise, itertools.permutations),
    *(itertools.product, itertools.repeat, itertools.zip_longest),
    *(operator.abs, operator.add, operator.and_, operator.contains, operator.eq, operator.floordiv),
    *(operator.ge, operator.getitem, operator.gt, operator.le, operator.lt, operator.matmul),
    *(operator.mod, operator.mul, operator.ne, operator.neg, operator.not_, operator.or_),
    *(operator.pos, operator.pow, operator.sub, operator.truediv, operator.truth, operator.xor),
    *(time.monotonic, time.monotonic_ns, time.perf_counter, time.perf_counter_ns, time.time),
    *(time.process_time, time.process_time_ns, time.thread_time, time.time_ns),
)
_KINDS: dict[int, Known] = {
    **{id(function): Known.CALLS for function in _CALLING},
    **{id(function): Known.PURE for function in _MAKING},
}
_SCIPYS = {
    **dict.fromkeys(("fft", "interpolate", "linalg", "signal", "stats"), Known.PURE),
    **dict.fromkeys(("integrate", "optimize", "sparse"), Known.CALLS),
}
"""Modules of SciPy's whose functions compute results of their arguments."""
_WITH_STATE = frozenset("BFGS DOP853 LSODA OdeSolver RK23 RK45 Radau SR1 ode complex_ode".split())
_DRAWING = frozenset(
    """
    basinhopping differential_evolution direct dual_annealing eigs eigsh lobpcg onenormest rand
    random random_array svds
    """.split()
)
_MATRICES = ("_array", "_matrix")
"""How the names of classes of sparse matrices end."""
_METHODS = {
    "stats": frozenset(
        """
        __call__ cdf entropy evaluate icdf interval isf logccdf logcdf logpdf logpmf logsf
        mean median moment pdf pmf ppf sf std stats support var
        """.split()
    ),
    "interpolate": frozenset(
        """
        __call__ antiderivative derivative derivatives ev integral integrate partial_derivative
        roots solve
        """.split()
    ),
    "sparse": frozenset(
        """
        astype conj conjugate copy diagonal dot getcol getrow max mean min multiply power sum
        toarray tobsr tocoo tocsc tocsr todense todia todok tolil trace transpose
        """.split()
    ),
}


def known_kind(function: Any) -> Known | None:
    """What is known of calls of a function; None if nothing.

    Examples
    --------
    >>> import scipy.stats
    >>> known_kind(bisect.insort), known_kind(scipy.stats.norm.cdf)
    (None, <Known.PURE: 1>)
    """
    kind = _KINDS.get(id(function))
    if kind is not None:
        return kind
    if getattr(function, "__module__", None) == "statistics":
        return Known.PURE if isinstance(function, types.FunctionType) else None
    if not is_of_scipy(function):
        return None
    is_function = isinstance(function, types.FunctionType)
    return _SCIPYS[_room_of(function)] if is_function else Known.PURE


def is_of_scipy(function: Any) -> bool:
    """Whether this is a function of SciPy's, or a method, that keeps nothing and draws nothing."""
    if isinstance(function, types.MethodType):
        room = _room_of(function.__func__)
        return function.__name__ in _METHODS.get(room, ())
    if isinstance(function, type):
        is_matrix = _room_of(function) == "sparse" and function.__name__.endswith(_MATRICES)
        return is_matrix or _room_of(function) == "interpolate"
    if isinstance(function, types.FunctionType):
        name = function.__name__
        return _room_of(function) in _SCIPYS and not (name in _WITH_STATE or name in _DRAWING)
    cls: Any = type(function)
    return _room_of(cls) in _METHODS and cls.__module__ != "scipy.stats.qmc"


def _room_of(function: Any) -> str:
    """The module of SciPy's that something is of; empty if it is none."""
    parts = (getattr(function, "__module__", None) or "").split(".")
    return parts[1] if parts[0] == "scipy" and len(parts) > 1 else ""

"""What the rule of a SciPy function is made of: all that it needs is imported from here.

Contract: a rule takes those arguments of the function that it reads, and ``call`` if it asks
for the function itself; it computes the same with NumPy functions that have rules, or makes
node ids itself.  Whatever it does not know it refuses by name.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.dispatch.bound_rules import Call, harmless, keeps_parts, makes_objects, writes
from sparsetrace.dispatch.function_rules import current
from sparsetrace.dispatch.held_states import MADE, STATE, state_of
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.numpy_rules import linear_algebra
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    dtype_of,
    float_dtype,
    ids_of,
    is_traced,
    values_of,
)
from sparsetrace.operands.spread import made, spread

__all__ = [
    "CONSTANTS",
    "MADE",
    "STATE",
    "Call",
    "Hidden",
    "array_of",
    "constant",
    "current",
    "dense",
    "float_dtype",
    "harmless",
    "keeps_parts",
    "made",
    "makes_objects",
    "module_outside",
    "patterns",
    "sample_of",
    "spread",
    "state_of",
    "union_of_all",
    "unknown",
    "without_numbers",
    "writes",
]

CONSTANTS = "Compute it from constants, outside of the traced function or in it."


# ------------------------------------------------------------------- arguments
def array_of(x):
    """``np.asarray(x)`` that keeps traced elements."""
    if is_traced(x):
        return x if isinstance(x, np.ndarray) else x._as_array()
    if not contains_traced(x):
        return np.asarray(x)
    trace = current()
    values = np.array(values_of(x), dtype_of(x)) if trace.local else None
    return trace.wrap(Elements(ids_of(trace, x).copy(), dtype_of(x), values, keep_array=True))


def constant(call: Call, x, what: str, remedy: str = CONSTANTS) -> Any:
    """An argument that must not be traced."""
    if contains_traced(x):
        call.refuse(f"{what} may not depend on the inputs here", remedy)
    return x


def patterns(values) -> NDArray[Any]:
    """The constants, whose zeros end dependencies; ones if the trace ignores values."""
    values = np.asarray(values)
    return values if current().values else np.ones_like(values)


class Hidden:
    """Stands for what an object of a library's has besides its state: any use is refused."""

    def __init__(self, *error: str) -> None:
        self._error = error

    def _refuse(self, *_) -> Any:
        raise UnsupportedError(explain(*self._error))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._refuse()

    __getitem__ = __iter__ = __len__ = __array__ = __call__ = __contains__ = _refuse
    __bool__ = __float__ = __int__ = __index__ = __complex__ = __neg__ = __abs__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = (
        _refuse
    )
    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __rpow__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse


def module_outside() -> str:
    """The module of the code that has called a rule."""
    frame: Any = sys._getframe()
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if not name.startswith("sparsetrace."):
            return name
        frame = frame.f_back
    return ""


# --------------------------------------------------------------------- results
def unknown(x):
    """`x` without known values: what its constants are is not what they seem."""
    if not is_traced(x):
        return x
    trace, ids = x._trace, x._ids
    if trace.graph.pure or not (ids <= ZERO).any():
        return x
    return made(trace, np.maximum(ids, OPAQUE), x._dtype, x._values)


def union_of_all(x, *others) -> Ids:
    """The union of all elements, per batch item of matrices: over the last two axes."""
    trace = current()
    total = linear_algebra.union_per_matrix(trace, x)
    for other in others:
        total = trace.graph.union(total, linear_algebra.union_per_matrix(trace, other))
    return np.asarray(total)


def without_numbers(x) -> Any:
    """The same dependencies, of numbers that are unknown where they are not zero.

    For what a rule computes by another function that depends on the same.
    """
    trace = current()
    if trace.local or not is_traced(x):
        return x
    ids = np.where(x._ids < ZERO, np.int32(trace.graph.opaque), x._ids)
    return trace.wrap(Elements(ids, x._dtype, keep_array=isinstance(x, np.ndarray)))


def dense(call: Call, *sources, **options) -> Any:
    """SciPy's function of matrices, each result of which depends on all of their elements.

    Shapes come from a run on well-conditioned matrices.
    """
    call.check_functions(*options.values())
    trace = current()
    total = interact_all(trace.graph, union_of_all(*sources))
    sample = call.original(*map(sample_of, sources), **options)
    return spread(trace, total, sample)


def sample_of(x: Any) -> Any:
    """A stand-in for a traced argument, as in NumPy's rules; constants stay."""
    return linear_algebra.sample_matrix(x) if contains_traced(x) else x

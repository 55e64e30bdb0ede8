"""Calls at a point that depend on what they depend on for every input.

Contract: where all values are finite, the derivatives of a function that is linear in all its
operands together do not depend on them.  Those of one that is linear in each operand are products
of the others, which vanish nowhere if no element is zero.  So what a global trace has recorded of
such a call serves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import count_nonzero, isfinite

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, lowest
from sparsetrace.operands.implementations import function_named
from sparsetrace.operands.operands import FLOAT, OF_NUMBERS, is_traced

__all__ = ["SMALL", "is_alike_everywhere"]


def _functions(names: str) -> set[Any]:
    return set(map(function_named, names.split())) - {None}


_WHERE: Any = np.where
_LINEAR = _functions(
    "append block column_stack concatenate cumsum cumulative_sum dstack hstack linalg.trace mean "
    "roll stack sum tile trace tril triu vstack where"
) | {(ufunc, "outer") for ufunc in (np.add, np.subtract)}
_LINEAR |= {(np.add, method) for method in ("reduce", "accumulate")}
"""Linear in all operands together."""
_OF_ELEMENTS = _functions("cumprod cumulative_prod prod")
_OF_ELEMENTS |= {(np.multiply, method) for method in ("reduce", "accumulate")}
"""Products of the elements of one operand."""
_MULTILINEAR = _functions(
    "convolve correlate cross dot einsum inner linalg.cross linalg.matmul linalg.outer "
    "linalg.tensordot linalg.vecdot outer tensordot vdot"
) | {(np.multiply, "outer"), (np.matmul, "__call__")}
_MULTILINEAR |= {(ufunc, "__call__") for ufunc in _functions("matvec vecdot vecmat")}
"""Linear in each operand."""
_ALL = _LINEAR | _OF_ELEMENTS | _MULTILINEAR
SMALL = 256
"""Operands of more elements are left to the rules, whose cost is little beside them."""


def is_alike_everywhere(
    trace: Trace, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> bool:
    """Whether a call, in a trace at a point, has the dependencies that it has in a global one.

    Parameters
    ----------
    trace : Trace
    call : callable or (numpy.ufunc, str)
        A function, or the method of a ufunc.
    args, kwargs : tuple, dict
    """
    if call not in _ALL or trace.moving is not None or trace.graph.mixed:
        return False
    if call is _WHERE and (len(args) != 3 or is_traced(args[0])):
        return False
    operands = list(_traced((*args, *kwargs.values())))
    may_be_zero = call in _LINEAR or (len(operands) == 1 and call not in _OF_ELEMENTS)
    return all(_is_ordinary(trace, x, may_be_zero=may_be_zero) for x in operands)


def _traced(items: Iterable[Any]) -> Iterator[Any]:
    for x in items:
        cls = type(x)
        if cls in (list, tuple):
            yield from _traced(x)
        elif cls not in OF_NUMBERS and is_traced(x):
            yield x


def _is_ordinary(trace: Trace, x: Any, *, may_be_zero: bool) -> bool:
    """Whether an operand is one of few real numbers, all of which vary and are finite."""
    ids, values = x._ids, x._values
    return (
        x._dtype is FLOAT
        and x._trace is trace
        and 0 < ids.size <= SMALL
        and lowest(ids) > OPAQUE
        and bool(isfinite(values).all())
        and (may_be_zero or count_nonzero(values) == ids.size)
    )

"""Operators between an array and what answers them, of which NumPy asks the array first.

Contract: a sparse array answers as the right operand of an operator (``x * A``), be it SciPy's
own or one with traced data.  A ufunc called by its name takes it for an object: it gives what
the operator gives beside another one and beside a number, and is refused beside an array.
Objects of a class with an ``__array_priority__``, to which NumPy's arrays give way, answer too.
"""

from __future__ import annotations

import dis
import types
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.python_operators import BINARY, of_single_objects

__all__ = ["given_way", "is_operator", "reflected"]

_REFLECTED: dict[np.ufunc, str] = {
    np.add: "__radd__",
    np.subtract: "__rsub__",
    np.multiply: "__rmul__",
    np.true_divide: "__rtruediv__",
    np.matmul: "__rmatmul__",
}


def reflected(
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any],
    frame: types.FrameType,
) -> Any:
    """What a sparse array gives as the right operand of a ufunc.

    Parameters
    ----------
    frame : frame
        The code that calls the ufunc, by its name or by an operator.
    """
    if method == "__call__" and not kwargs and not is_operator(frame):
        pair = inputs * 2 if ufunc is np.square else inputs
        result = NotImplemented
        if len(pair) == 2:
            result = of_single_objects(np.multiply if ufunc is np.square else ufunc, *pair)
        if result is not NotImplemented:
            return result
    sparse = inputs[-1]
    if (
        method != "__call__"
        or kwargs
        or len(inputs) != 2
        or not scipy.sparse.issparse(sparse)
        or ufunc not in _REFLECTED
        or not (is_operator(frame) or ufunc is np.matmul)
    ):
        raise UnsupportedError(
            explain(
                f"np.{ufunc.__name__} of a sparse array",
                "NumPy takes a sparse array for one object",
                "Use operators, methods such as A.multiply(x), or A.toarray().",
            )
        )
    return getattr(sparse, _REFLECTED[ufunc])(inputs[0])


def is_operator(frame: types.FrameType) -> bool:
    """Whether a frame stands at an operator, and not at a call."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] in ("BINARY_OP", "COMPARE_OP")


_OF_OTHERS = {ufunc: f"__r{name}__" for name, ufunc in BINARY.items()}


def given_way(
    ufunc: np.ufunc,
    method: str,
    inputs: tuple[Any, ...],
    kwargs: dict[str, Any],
    frame: types.FrameType,
) -> Any:
    """What an object gives as the right operand of an operator, to which arrays give way.

    `NotImplemented` if there is no such object; the parameters are those of `reflected`.
    """
    name = _OF_OTHERS.get(ufunc)
    if name is None or method != "__call__" or kwargs or len(inputs) != 2:
        return NotImplemented
    cls = type(inputs[1])
    priority = getattr(cls, "__array_priority__", 0)
    if hasattr(cls, "__array_ufunc__") or not priority > 0 or not hasattr(cls, name):
        return NotImplemented
    return getattr(inputs[1], name)(inputs[0]) if is_operator(frame) else NotImplemented

"""Operators between an array and a sparse array, of which NumPy asks the array first.

Contract: a sparse array answers as the right operand of an operator (``x * A``), be it SciPy's
own or one with traced data.  A ufunc called by its name would take it for an object, and is
refused.
"""

from __future__ import annotations

import dis
import types
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.errors import UnsupportedError, explain

__all__ = ["reflected"]

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
    sparse = inputs[-1]
    by_operator = dis.opname[frame.f_code.co_code[frame.f_lasti]] == "BINARY_OP"
    if (
        method != "__call__"
        or kwargs
        or len(inputs) != 2
        or not scipy.sparse.issparse(sparse)
        or ufunc not in _REFLECTED
        or not (by_operator or ufunc is np.matmul)
    ):
        raise UnsupportedError(
            explain(
                f"np.{ufunc.__name__} of a sparse array",
                "NumPy takes a sparse array for one object",
                "Use operators, methods such as A.multiply(x), or A.toarray().",
            )
        )
    return getattr(sparse, _REFLECTED[ufunc])(inputs[0])

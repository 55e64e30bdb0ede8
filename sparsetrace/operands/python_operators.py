"""Python's operators, the ufunc behind each of them, and how a class gets one.

Contract: traced numbers and masked arrays get their operators from this table alone, and ufuncs
compute with objects by it, as NumPy's loops over objects do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

__all__ = ["BINARY", "COMPARISONS", "UNARY", "define", "of_single_objects"]

BINARY: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "matmul": np.matmul,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "divmod": np.divmod,
    "pow": np.power,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
}
COMPARISONS: dict[str, np.ufunc] = {
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
UNARY: dict[str, np.ufunc] = {
    "neg": np.negative,
    "pos": np.positive,
    "abs": np.absolute,
    "invert": np.invert,
}


def define(cls: type, name: str, answer: Callable[[np.ufunc, Any, Any], Any]) -> None:
    """Give a class the operator, and the reflected one unless it is a comparison.

    Parameters
    ----------
    cls : type
    name : str
        A key of `BINARY` or `COMPARISONS`.
    answer : callable
        ``answer(ufunc, left, right)``.

    Examples
    --------
    >>> class Distance:
    ...     pass
    >>> define(Distance, "sub", lambda ufunc, left, right: ufunc.__name__)
    >>> Distance() - 1, 1 - Distance()
    ('subtract', 'subtract')
    """
    reflected = name in BINARY
    ufunc = BINARY[name] if reflected else COMPARISONS[name]

    def forward(self: Any, other: Any) -> Any:
        return answer(ufunc, self, other)

    def backward(self: Any, other: Any) -> Any:
        return answer(ufunc, other, self)

    forward.__name__ = f"__{name}__"
    setattr(cls, f"__{name}__", forward)
    if reflected:
        backward.__name__ = f"__r{name}__"
        setattr(cls, f"__r{name}__", backward)


_OPERATORS = {ufunc: name for name, ufunc in BINARY.items() if ufunc.nout == 1 and name != "matmul"}


def of_single_objects(ufunc: np.ufunc, left: Any, right: Any) -> Any:
    """What a ufunc gives of sparse arrays and numbers, each of which NumPy takes for one object.

    `NotImplemented` where it has no operator, or an operand is an array with dimensions: then
    NumPy makes an array of objects.

    Examples
    --------
    >>> of_single_objects(np.multiply, scipy.sparse.eye_array(2), 3.0).toarray()
    array([[3., 0.],
           [0., 3.]])
    """
    name = _OPERATORS.get(ufunc)
    sparse = [scipy.sparse.issparse(x) for x in (left, right)]
    if name is None or not any(sparse):
        return NotImplemented
    if any(np.ndim(x) for x, is_object in zip((left, right), sparse, strict=True) if not is_object):
        return NotImplemented
    result = getattr(left, f"__{name}__")(right) if sparse[0] else NotImplemented
    if result is NotImplemented and sparse[1]:
        result = getattr(right, f"__r{name}__", lambda other: NotImplemented)(left)
    return result

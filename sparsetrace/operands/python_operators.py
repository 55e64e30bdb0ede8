"""Python's operators, the ufunc behind each of them, and how a class gets one.

Contract: traced numbers and masked arrays get their operators from this table alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["BINARY", "COMPARISONS", "UNARY", "define"]

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

"""Local predicates (being written)."""
from __future__ import annotations
from collections.abc import Sequence
from typing import Any
import numpy as np
from numpy.typing import NDArray
def vanishes(ufunc: np.ufunc, position: int, values: Sequence[NDArray[Any]]) -> NDArray[np.bool_] | None:
    if ufunc is np.multiply:
        return values[1 - position] == 0
    if ufunc in (np.maximum, np.fmax):
        return values[position] < values[1 - position]
    if ufunc in (np.minimum, np.fmin):
        return values[position] > values[1 - position]
    return None

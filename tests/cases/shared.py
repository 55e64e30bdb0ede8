"""A function and containers that tests of several rooms use."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

Pair = namedtuple("Pair", "first second")


@dataclass
class Record:
    value: np.ndarray


def square_plus_next(x):
    return x[:-1] ** 2 + x[1:]


BIDIAGONAL = np.eye(3, 4) + np.eye(3, 4, k=1)

"""Functions and methods as a user's own package has them, for tests that give them rules."""

from __future__ import annotations

import numpy as np
from outside import Outside

CALLS = Outside()
"""Which originals ran, and what they were given."""


def lookup(x, table, order=1, *, fill=0.0):
    """``table[i] x[i]``, from the bytes of an array, which no trace can read."""
    CALLS.append(type(x).__name__)
    numbers = np.frombuffer(np.ascontiguousarray(x, float).tobytes())
    return numbers**order * np.asarray(table) + fill


def smooth(x, width=3, mode="same"):
    """What can be traced through: each output from all inputs, times zero for most."""
    CALLS.append(type(x).__name__)
    return x * 1.0 + (x.sum() - x.sum())


class Model:
    """A linear model with weights."""

    def __init__(self, weights):
        self.weights = weights

    def predict(self, x, scale=1.0):
        CALLS.append(type(x).__name__)
        return np.frombuffer((scale * x * self.weights).tobytes())

    def fit(self, x, log):
        self.weights = np.frombuffer((2 * x).tobytes())
        log.append(len(x))
        return self

    @staticmethod
    def shifted(x, by=1):
        CALLS.append(type(x).__name__)
        return np.frombuffer(np.roll(x, by).tobytes())

    @classmethod
    def doubled(cls, x):
        CALLS.append(f"{cls.__name__} {type(x).__name__}")
        return np.frombuffer((2 * x).tobytes())

    @property
    def size(self):
        return len(self.weights)


class Inherited(Model):
    """Has the methods of its base."""


class Slotted:
    """Has no dictionary of attributes."""

    __slots__ = ("weights",)

    def __init__(self, weights):
        self.weights = np.frombuffer(np.array(weights).tobytes())

    def predict(self, x):
        return np.frombuffer((x * self.weights).tobytes())

"""Functions of numpy.ma, written as expressions or lines, and the names that they use."""

from __future__ import annotations

import pickle
import re

import numpy as np
from numpy.ma import exp as early_exp
from numpy.ma import masked_array as early_class
from numpy.ma import where as early_where

K = np.array([[0, 1, 0, 0], [1, 1, 0, 1], [0, 0, 0, 1]], bool)
L = np.array([[0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]], bool)
"""Masks of which the second leaves a row without valid elements."""
K.setflags(write=False)
L.setflags(write=False)
C = np.arange(1.0, 13).reshape(3, 4)
W = np.array([[1.0, 2, 0, 1], [1, 1, 1, 1], [2, 1, 3, 1]])
ROW = np.array([1.0, 0.0, 2.0, 4.0])

LARGE = {
    "m": "np.ma.array(x, mask=K.copy())",
    "n": "np.ma.array(x[::-1] + 0.25, mask=L.copy())",
    "v": "np.ma.array(x[0], mask=[0, 1, 0, 0])",
}
SMALL = {
    "m": "np.ma.array(x, mask=[0, 1, 0, 0])",
    "y": "x[::-1] + 0.0",
    "g": "np.ma.array(x.reshape(2, 2), mask=[[0, 1], [0, 0]])",
    "h": "np.ma.array(x.reshape(2, 2), mask=[[1, 1], [0, 0]])",
}
"""Variables made of x, which is 3 x 4, or of length 4."""


class Sub(np.ma.MaskedArray):
    pass


NAMES = {
    "np": np, "K": K, "L": L, "C": C, "W": W, "ROW": ROW, "masked": np.ma.masked,
    "constant": np.ma.array(C, mask=L), "early_exp": early_exp, "early_where": early_where,
    "early_class": early_class, "Sub": Sub, "pickle": pickle,
}  # fmt: skip


def program(source: str, variables: dict[str, str] = LARGE):
    """``f(x)`` for an expression, or for lines with a return."""
    body = source.replace("; ", "\n") if "return " in source else f"return {source}"
    names = [name for name in variables if re.search(rf"\b{name}\b", source)]
    lines = [*(f"{name} = {variables[name]}" for name in names), *body.splitlines()]
    scope = dict(NAMES)
    text = "def f(x):\n" + "\n".join("    " + line for line in lines)
    exec(compile(text, "masked_code.py", "exec"), scope)
    return scope["f"]

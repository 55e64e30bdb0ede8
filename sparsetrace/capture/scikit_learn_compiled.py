"""Rules of what scikit-learn has compiled: neighbours, linear models, support vectors.

Contract: nearest neighbours are found by scikit-learn's own code in NumPy, which gives the same
as its trees.  A fit of compiled code depends on everything as a whole, a prediction on its row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.dispatch.bound_rules import Call, makes_objects, writes
from sparsetrace.dispatch.function_rules import FunctionRule, current
from sparsetrace.scipy_rules.rule_tools import spread
from sparsetrace.scipy_rules.whole import total_of

_TREES = ("auto", "ball_tree", "kd_tree")


# ------------------------------------------------------------------------ neighbours
@makes_objects
def is_usable_for(call: Call, cls: type, X: Any, Y: Any, metric: Any) -> bool:
    """Compiled code is not usable for traced points."""
    return False


@makes_objects
def fit_neighbors(call: Call, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Fit to traced points, of which no tree is made."""
    return _exchanged(self, "algorithm", call, args, kwargs)


@makes_objects
def neighbors(call: Call, self: Any, *args: Any, **kwargs: Any) -> Any:
    """The neighbours of traced points: of all distances the smallest, and not those in a tree."""
    return _exchanged(self, "_fit_method", call, args, kwargs)


def _exchanged(self: Any, name: str, call: Call, args: Any, kwargs: Any) -> Any:
    before = getattr(self, name)
    if before not in _TREES:
        return call.original(self, *args, **kwargs)
    setattr(self, name, "brute")
    try:
        return call.original(self, *args, **kwargs)
    finally:
        setattr(self, name, before)


# ------------------------------------------------------------------------ linear models
def _descent(call: Call, *args: Any, **kwargs: Any) -> Any:
    """Weights, gap, tolerance and a number of turns, of everything as a whole."""
    shape = np.shape(_first(args, kwargs))
    return spread(current(), total_of(args, kwargs), (np.zeros(shape), 0.0, 0.0, 1))


_DESCENT = FunctionRule("sklearn.linear_model.enet_path", _descent)


@writes
@makes_objects
def coordinate_descent(call: Call, *args: Any, **kwargs: Any) -> Any:
    """Weights that are found from those given, in whose place they are written."""
    result = _DESCENT.answer(call.original, args, kwargs)
    _first(args, kwargs)[...] = result[0]
    return result


def _first(args: Any, kwargs: Any) -> Any:
    return next(iter(args or kwargs.values()))

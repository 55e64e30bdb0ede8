"""Rules of what scikit-learn has compiled: neighbours, linear models, support vectors, trees.

Contract: nearest neighbours are found by scikit-learn's own code in NumPy, which gives the same
as its trees.  A fit of compiled code depends on everything as a whole, a prediction on its row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.dispatch.bound_rules import Call, makes_objects, writes
from sparsetrace.dispatch.function_rules import FunctionRule, current, holds_traced
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import contains_traced, ids_of, values_of
from sparsetrace.scipy_rules.rule_tools import sample_of, spread
from sparsetrace.scipy_rules.whole import note_ranks, total_of

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


# ------------------------------------------------------------------------ fitted models
def of_rows(call: Call, X: Any, *args: Any, **kwargs: Any) -> Any:  # scikit-learn's name
    """What support vectors make of each row, of all numbers in it."""
    trace, rows = current(), _rows(call, X, args, kwargs)
    if kwargs.get("kernel") not in ("linear", "precomputed") or "proba" in call.name:
        rows = interact_all(trace.graph, np.maximum(rows, OPAQUE))
    return spread(trace, rows, call.original(sample_of(X), *args, **kwargs))


def densities(call: Call, self: Any, X: Any) -> Any:
    """The density at each point, of all of its coordinates."""
    trace = current()
    rows = interact_all(trace.graph, np.maximum(_rows(call, X, (self,), {}), OPAQUE))
    return spread(trace, rows, call.original(self, sample_of(X)))


def steps_of_rows(call: Call, self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
    """What trees make of each row: it is constant but for jumps."""
    note_ranks(call, (self, X, *args), kwargs)
    result = call.original(self, sample_of(X), *args, **kwargs)
    return spread(current(), _step_rows(call, X, (self, *args), kwargs), result)


@writes
@makes_objects
def add_steps(call: Call, estimators: Any, X: Any, scale: Any, out: Any) -> None:
    """Trees, one after the other, whose steps are added to what there is."""
    trace, steps = current(), np.zeros(np.shape(out))
    if trace.local:
        note_ranks(call, (estimators, X, scale, steps.copy()), {})
    call.original(estimators, values_of(X) if trace.local else sample_of(X), scale, steps)
    out[...] = out + spread(trace, _step_rows(call, X, (scale,), {}), steps)


def _step_rows(call: Call, X: Any, args: Any, kwargs: Any) -> Ids:
    rows = _rows(call, X, args, kwargs)
    return rows if current().dependency else np.full_like(rows, current().graph.opaque)


def _rows(call: Call, X: Any, args: Any, kwargs: Any) -> Ids:
    """What each row depends on."""
    others = (*args, *kwargs.values())
    if any(contains_traced(x) or holds_traced(x) for x in others):
        call.refuse("a model of traced numbers has no rule", "Fit it outside of the function.")
    return current().graph.union_rows(ids_of(current(), X))

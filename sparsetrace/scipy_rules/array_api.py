"""Helpers for arrays of any library, and those that evaluate a function under a mask.

Contract: the functions given to them are SciPy's, or of a user's distributions; they are called
with all elements, and the mask chooses among the results.  What they make of the other elements,
NaN and infinities, is in none of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.scipy_rules.rule_tools import Call, harmless, makes_objects, module_outside


def _called(function, arrays):
    """With arrays of one dimension, as elements come that a mask has chosen."""
    with np.errstate(all="ignore"):
        result = function(*map(np.ravel, arrays))
    return np.reshape(np.broadcast_to(result, np.size(arrays[0])), np.shape(arrays[0]))


@makes_objects  # the functions may hold traced values: they are not called with plain ones
def apply_where(cond, args, f1, f2, fill_value):
    """``f1(*args)`` where a condition holds, elsewhere another function or a number."""
    arrays = np.broadcast_arrays(cond, *(args if isinstance(args, (tuple, list)) else (args,)))
    other = fill_value if f2 is None else _called(f2, arrays[1:])
    return np.where(cond, _called(f1, arrays[1:]), other)


@makes_objects
def _lazywhere(cond, arrays, f, fillvalue, f2):
    """The same before SciPy 1.16."""
    return apply_where(cond, arrays, f, f2, fillvalue)


@makes_objects
def _lazyselect(condlist, choicelist, arrays, default):
    arrays = np.broadcast_arrays(*arrays)
    result = np.full(arrays[0].shape, float(default))
    for condition, choice in zip(condlist, choicelist, strict=True):  # the last one decides
        result = np.where(condition, _called(choice, arrays), result)
    return result


def clip(*args, **kwargs):
    """Without the assignments under masks by which array-api-compat does it."""
    given = dict(zip(("x", "min", "max"), args, strict=False)) | kwargs  # before: NumPy's own
    x: Any
    x, low, high = (given.get(name) for name in ("x", "min", "max"))
    return x if low is None is high else np.clip(x, low, high)


def is_lazy_array(x):
    """In a global trace: SciPy then looks at no values, and warns of none.

    Numbers are none: of these SciPy makes arrays first.  Nor is anything for the decorator that
    moves axes, wherever it has the name from: it hands lazy arrays on as they are.
    """
    return np.ndim(x) > 0 and module_outside() != "scipy.stats._axis_nan_policy"


@harmless("a", "nan_policy", "policies", "xp", "xp_omit_okay")
def _contains_nan(call: Call):
    """Of unknown numbers none is NaN: with one among them a result has no derivative."""
    return call.original(np.ones(1))


def solve(x1, x2):
    """NumPy's own, of which array-api-compat has a copy that calls its loops."""
    return np.linalg.solve(x1, x2)

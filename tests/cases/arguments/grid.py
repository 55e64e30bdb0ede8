"""Every combination of arguments that the reductions take, as expressions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

#: Reductions of NumPy that take most of axis, keepdims, out, where, initial and dtype.
REDUCTIONS = """
    all any argmax argmin amax amin average count_nonzero cumprod cumsum cumulative_prod
    cumulative_sum max mean median min nanargmax nanargmin nancumprod nancumsum nanmax nanmean
    nanmedian nanmin nanprod nanstd nansum nanvar prod ptp std sum var
    """.split()
#: Values of each parameter, for an array `m` of shape (3, 4).
VALUES = {
    "axis": ["None", "0", "-1", "(0, 1)", "(-1, 0)", "()", "2"],
    "keepdims": ["True"],
    "where": ["W", "w", "none", "m > 1"],
    "initial": ["1.0", "s"],
    "dtype": ["complex", "np.longdouble"],
    "ddof": ["1"],
    "correction": ["1"],
    "mean": ["np.mean(m, axis=-1, keepdims=True)"],
    "returned": ["True"],
    "overwrite_input": ["True"],
    "include_initial": ["True"],
    "weights": ["K", "K + 1", "m.copy()", "k", "a"],
}
#: ``np.sum(m, axis=0)`` up to the comma.
_METHOD = re.compile(r"^np\.\w+\((m|s|z|t|e2?)(?:, |(?=\)))")
#: Calls whose patterns are conservative, and why.
EXTRA = dict.fromkeys(
    (
        "np.std(m, axis=-1, where=W)",
        "np.nanstd(m, axis=-1, where=W)",
        "m.std(axis=-1, where=W)",
    ),
    "counts under a mask differ; of two numbers it is linear",
)
OTHER_ARRAYS = ("s", "z", "e", "e2", "e3", "[s, v[1], 1.0]")


def reductions() -> dict[str, list[tuple[str, str]]]:
    """The calls of each, and why a pattern may have more entries than needed."""
    found = {}
    for name in REDUCTIONS:
        if hasattr(np, name):  # cumulative_sum: NumPy 2.1
            calls = _calls(name, getattr(np, name))
            found[name] = [(call, EXTRA.get(call, "")) for call in calls]
    return found


def methods() -> dict[str, list[tuple[str, str]]]:
    """The same as methods of arrays, one of them a number."""
    found = {}
    for name in REDUCTIONS:
        if hasattr(np.ndarray, name):
            calls = [_METHOD.sub(rf"\1.{name}(", call) for call in _calls(name, getattr(np, name))]
            calls = [call for call in calls if call[:3] != "np." and "correction" not in call]
            found[name] = [(call, EXTRA.get(call, "")) for call in calls]
    return found


def _calls(name: str, f: Callable[..., Any]) -> Iterator[str]:
    known = [key for key in inspect.signature(f).parameters if key in VALUES]
    yield f"np.{name}(m)"
    for key in known:
        yield from (f"np.{name}(m, {key}={value})" for value in VALUES[key])
    # the aliases and the functions that skip NaN share the rules of the others
    pairs = name not in ("amax", "amin") and not name.startswith("nan")
    for i, a in enumerate(known if pairs else ()):
        for b in known[i + 1 :]:
            left = VALUES[a][2 if a == "axis" else 0]
            yield f"np.{name}(m, {a}={left}, {b}={VALUES[b][0]})"
    for other in OTHER_ARRAYS:
        yield f"np.{name}({other})"
        if "axis" in known:
            for axis in ("0", "-1", "(0, -1)"):
                yield f"np.{name}({other}, axis={axis})"
        for key in ("initial", "dtype", "include_initial"):
            if key in known:
                yield f"np.{name}({other}, {key}={VALUES[key][0]})"
        if "keepdims" in known:
            yield f"np.{name}({other}, axis=0, keepdims=True)"
    if "axis" in known:
        yield f"np.{name}(t, axis=1)"
        yield f"np.{name}(t, axis=-2)"
        yield f"np.{name}(t, axis=(0, -1))"
    if "out" in inspect.signature(f).parameters:
        # accumulations into an array of no dimension end the process, in NumPy 2.4 itself
        full = "cum" in name
        for shape, options in (("12" if full else "()", ""), ("4", ", axis=0"), ("3", ", axis=-1")):
            shape = "(3, 4)" if full and options else shape
            yield f"np.{name}(m{options}, out=np.empty({shape}))"
            yield f"np.{name}(m{options}, out=np.empty({shape}, dtype=complex))"
        place = list(inspect.signature(f).parameters).index("out")
        between = ", None" * (place - 2)
        if name not in ("all", "any"):  # the methods have a dtype there
            yield f"np.{name}(m, -1{between}, np.empty({'(3, 4)' if full else 3}))"
        yield f"np.{name}(m, axis=0, out=np.ones((2, 4))[1])"
        if name != "ptp":  # which writes before it has read: tests/dispatch/test_out_arguments.py
            yield f"np.{name}(m, axis=0, out=a)"
        if not full:
            yield f"np.{name}(m, axis=-1, out=np.empty((4, 3)))"
        yield f"np.{name}(m, axis=0, keepdims=True, out=np.empty((1, 4)))"

"""Rules of a local trace for sets: which values there are is known at the point.

Contract: each value of the result unites the elements that have it, of all operands.

``unique([3, 1, 3]) of [{0}, {1}, {2}]  ->  [{1}, {0, 2}]``
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids
from sparsetrace.numpy_rules.local_reductions import local_rule
from sparsetrace.operands.operands import Elements, ids_of, values_of

__all__: list[str] = []


def _members(trace: Trace, found: Any, sources: Sequence[Any]) -> Elements:
    """For each value found, the union of the elements of the sources that have it."""
    wanted = np.asarray(found)
    ids: list[Ids] = [ids_of(trace, x).reshape(-1) for x in sources]
    values = [np.asarray(values_of(x)).reshape(-1) for x in sources]
    every, pool = np.concatenate(ids), np.concatenate(values)
    out = [
        trace.graph.union_rows(every[(pool == v) | ((pool != pool) & (v != v))][None])[0]
        for v in wanted.reshape(-1)
    ]
    shaped = np.array(out, np.int32).reshape(wanted.shape)
    return Elements(shaped, wanted.dtype, keep_array=True)


def _set_rule(function: Callable[..., Any], operands: int) -> None:
    def rule(trace: Trace, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("axis") is not None:
            return None
        names = ("ar1", "ar2") if operands == 2 else ("ar", "x")
        sources = [*args[:operands], *(kwargs[n] for n in names if n in kwargs)]
        plain = {name: values_of(value) for name, value in kwargs.items()}
        found = function(*map(values_of, args), **plain)
        if isinstance(found, tuple):
            parts: list[Any] = [_members(trace, found[0], sources), *[None] * (len(found) - 1)]
            make: Any = type(found)
            return make(*parts) if hasattr(found, "_fields") else tuple(parts)
        return _members(trace, found, sources)

    local_rule(function)(rule)


for _name in "unique unique_all unique_counts unique_inverse unique_values".split():
    _set_rule(getattr(np, _name), 1)
for _name in "intersect1d setdiff1d setxor1d union1d".split():
    _set_rule(getattr(np, _name), 2)


@local_rule(np.trim_zeros)
def _trim_zeros(trace: Trace, filt: Any, trim: str = "fb", axis: Any = None) -> Elements | None:
    ids, values = ids_of(trace, filt), np.asarray(values_of(filt))
    if ids.ndim != 1:
        return None
    places = np.flatnonzero(values)
    if not len(places):
        return Elements(ids[:0], values.dtype)
    low = int(places[0]) if "f" in trim.lower() else 0
    high = int(places[-1]) + 1 if "b" in trim.lower() else len(ids)
    return Elements(ids[low:high], values.dtype)

"""Functions that SciPy applies to each item of a batch.

Contract: a rule for one item is called once for each, as SciPy calls its function; arguments
without a batch are shared.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.operands.binding import Handler
from sparsetrace.scipy_rules.rule_tools import array_of

__all__ = ["over_batch"]


def over_batch(**axes: int | str) -> Callable[[Handler], Handler]:
    """Let a rule for one item answer batches.

    Parameters
    ----------
    **axes : int or "1|2"
        How many axes one item has, for each parameter that may be a batch: ``"1|2"`` is a vector
        only where the whole argument is one.

    Examples
    --------
    >>> @over_batch(a=2)
    ... def first_rows(a):
    ...     return a[0]
    >>> first_rows(np.arange(8).reshape(2, 2, 2)).tolist()
    [[0, 1], [4, 5]]
    """

    def decorate(rule: Handler) -> Handler:
        names = list(inspect.signature(rule).parameters)
        places = [(names.index(name), count) for name, count in axes.items()]

        @functools.wraps(rule)
        def answer(*args: Any) -> Any:
            given = list(args)
            batches, items = [], []
            for place, count in places:
                array = given[place] = array_of(given[place])
                kept = min(array.ndim, 2 if count == "1|2" else int(count))
                batches.append(array.shape[: array.ndim - kept])
                items.append(array.shape[array.ndim - kept :])
            if not any(batches):
                return rule(*given)
            batch = np.broadcast_shapes(*batches)
            if not math.prod(batch):
                raise ValueError(f"`{rule.__name__}` does not support zero-size batches.")
            for (place, _), item in zip(places, items, strict=True):
                given[place] = np.broadcast_to(given[place], batch + item)
            results = []
            for index in np.ndindex(batch):
                for place, _ in places:
                    args = (*args[:place], given[place][index], *args[place + 1 :])
                results.append(rule(*args))
            if isinstance(results[0], tuple):
                return tuple(_together(parts, batch) for parts in zip(*results, strict=True))
            return _together(results, batch)

        return answer

    return decorate


def _together(results: Any, batch: tuple[int, ...]) -> Any:
    stacked = np.stack(results)
    return stacked.reshape(batch + stacked.shape[1:])

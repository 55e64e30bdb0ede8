"""Which elements a mask picks whose values depend on the inputs, and how a count is refused.

Contract: knows node ids and masks, not what is picked.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from sparsetrace.arrays.value_names import ValueNames
from sparsetrace.context import Trace
from sparsetrace.errors import BY_VALUES, ValueDependentError, explain
from sparsetrace.graph.graph import Ids
from sparsetrace.operands.operands import ids_of
from sparsetrace.user_code.frames import user_location

__all__ = ["Pick", "meet", "refuse"]


class Pick:
    """Which elements a mask picks, known by the name of the mask's values.

    Parameters
    ----------
    trace : Trace
    mask : array of truth values, traced or not
    outer : Pick, optional
        Of the array that is picked from, where that was picked itself.
    """

    __slots__ = ("ids", "name", "outer", "place", "possible")

    def __init__(self, trace: Trace, mask: object, outer: Pick | None = None) -> None:
        if trace.names is None:  # from now on, writes into the mask are heeded
            trace.names = ValueNames()
        ids = np.asarray(ids_of(trace, mask))
        self.name = trace.names.of(mask)
        self.ids: Ids = ids.flatten()
        self.outer = outer
        self.place = user_location()
        self.possible = ~trace.graph.zeros_among(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def is_same(self, other: Pick | None) -> bool:
        """Whether both masks pick the same elements whatever the inputs are."""
        if other is None or self is other:
            return self is other
        outer = self.outer is other.outer or (
            self.outer is not None and self.outer.is_same(other.outer)
        )
        return outer and self.name == other.name


def meet(trace: Trace, pick: Pick, other: Pick) -> bool:
    """Whether two masks are the same.

    Where they seem not to be, a run is asked for in which arrays are named from the start.
    """
    same = pick.is_same(other)
    if not same and trace.name_values is not None:
        trace.name_values()
    return same


def refuse(call: str, pick: Pick | None = None) -> NoReturn:
    """Raise the error of a call that asks how many elements a mask picks, or which."""
    mask = "a mask" if pick is None else f"the mask at {pick.place}"
    raise ValueDependentError(
        explain(
            call,
            f"how many elements {mask} picks depends on the inputs",
            "Use np.where(mask, x, 0), which keeps the shape.",
            BY_VALUES,
        )
    )

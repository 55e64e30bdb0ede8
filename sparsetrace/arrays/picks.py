"""Which elements a mask picks whose values depend on the inputs, and how a count is refused.

Contract: knows node ids and masks, not what is picked.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from sparsetrace.arrays.value_names import apart
from sparsetrace.context import Trace
from sparsetrace.errors import ValueDependentError, explain
from sparsetrace.graph.graph import Ids
from sparsetrace.operands.operands import ids_of, is_traced_array
from sparsetrace.user_code.frames import user_location

__all__ = ["Pick", "meet", "refuse"]


class Pick:
    """Which elements a mask picks: each is a node of its own, and equal nodes are equal values.

    Parameters
    ----------
    trace : Trace
    mask : traced array of truth values
        Its elements become nodes where they are none yet, so that the mask is known again, and
        so are its views and copies.
    outer : Pick, optional
        Of the array that is picked from, where that was picked itself.
    """

    __slots__ = ("ids", "outer", "place", "possible")

    def __init__(self, trace: Trace, mask: Any, outer: Pick | None = None) -> None:
        self.ids: Ids = apart(trace, np.asarray(ids_of(trace, mask)))
        if is_traced_array(mask) and mask._ids.flags.writeable:
            mask._ids[...] = self.ids
        self.ids = self.ids.flatten()
        self.outer = outer
        self.place = user_location()
        self.possible = ~trace.graph.zeros_among(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def is_same(self, other: Pick | None) -> bool:
        """Whether both masks pick the same elements whatever the inputs are."""
        if other is None or self is other:
            return self is other
        same_outer = self.outer is other.outer or (
            self.outer is not None and self.outer.is_same(other.outer)
        )
        return same_outer and np.array_equal(self.ids, other.ids)


def meet(trace: Trace, pick: Pick, other: Pick) -> bool:
    """Whether two masks are the same; where they seem not to be, names are asked for first."""
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
            "Use np.where(mask, x, 0), which keeps the shape; or local=True.",
        )
    )

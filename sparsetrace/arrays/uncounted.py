"""Arrays of any number of elements: ``np.arange(0.0, v, h)`` of numbers that the inputs decide.

Contract: nothing is known of how many elements there are, nor which of them stands where: each may
be any.  What is computed of each element by itself is computed of that one; what does not ask how
many there are (an extreme, a mean) is that of one; all else is refused.  As a result it has as
many as for the given arguments (`picked_results`).
"""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

import numpy as np

from sparsetrace.arrays.picked import ELEMENTWISE, PickedArray
from sparsetrace.arrays.picks import Pick
from sparsetrace.arrays.value_bounds import FEW_VALUES
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import BY_VALUES, ValueDependentError, explain
from sparsetrace.numpy_rules import indexing
from sparsetrace.operands.operands import Elements, is_traced
from sparsetrace.operands.raising import may_raise
from sparsetrace.user_code.frames import Place, user_place

__all__ = ["UncountedArray", "refuse_count", "uncounted_range"]

_OF_ANY_NUMBER = frozenset(
    getattr(np, name)
    for name in "all amax amin any max mean median min nanmax nanmean nanmin".split()
)
"""Reductions that are the element itself where there is one."""
_EXTREMES = (np.fmax, np.fmin, np.logical_and, np.logical_or, np.maximum, np.minimum)
_NDIM = np.ndim
_TOO_LARGE = partial(ValueError, "Maximum allowed size exceeded")


def refuse_count(place: Place | None = None) -> NoReturn:
    """Raise the error of a range that would have to say how many elements it has.

    Parameters
    ----------
    place : Place, optional
        Where it was made; by default where the user's code stands now.
    """
    trace = CURRENT.get()
    raise ValueDependentError(
        explain(
            "np.arange",
            "how many elements it has depends on the inputs",
            "Use start + step * np.arange(n), or np.linspace, with a constant n.",
            "" if trace is not None and trace.local else BY_VALUES,
            place=place,
        )
    )


def uncounted_range(trace: Trace, start: Any, step: Any) -> Any:
    """``np.arange(start, stop, step)`` of any stop.

    Of ``np.arange(x[0], x[1], x[2])[1]`` the pattern is that of ``x[0] + x[2]``.
    """
    may_raise(trace, _TOO_LARGE)
    ids = np.full(1, trace.graph.opaque, np.int32)
    places = trace.wrap(Elements(ids, np.dtype(float), keep_array=True))
    mask = np.full(FEW_VALUES + 1, trace.graph.opaque, np.int32)  # more than are ever decided
    pick = _AnyNumber(trace, trace.wrap(Elements(mask, np.dtype(bool), keep_array=True)))
    return UncountedArray._of(trace, pick, start + places * step, -1)


class _AnyNumber(Pick):
    """How many elements there are, and where that was asked for."""

    __slots__ = ("made_at",)

    def __init__(self, trace: Trace, mask: object) -> None:
        super().__init__(trace, mask)
        self.made_at = user_place()


class UncountedArray(PickedArray):
    """The elements of a range that is long enough; the only candidate may be any of them."""

    __slots__ = ()

    @classmethod
    def _of(cls, trace: Trace, pick: Pick, candidates: Any, axis: int) -> Any:
        if candidates.dtype.kind not in "bcf":  # places, which would be counted
            refuse_count(getattr(pick, "made_at", None))
        return super()._of(trace, pick, candidates, axis)

    def _refuse_count(self) -> NoReturn:
        refuse_count(getattr(self._pick, "made_at", None))

    @property
    def _ids(self) -> NoReturn:  # type: ignore[override]
        self._refuse_count()

    def _count(self, call: str) -> int:
        self._refuse_count()

    @property
    def size(self) -> Any:
        self._refuse_count()

    def __repr__(self) -> str:
        return f"<any number of elements like {self._candidates!r}>"

    __str__ = __repr__

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        of_each = method == "__call__" and ufunc.signature is None and "out" not in kwargs
        if not of_each and not (method == "reduce" and ufunc in _EXTREMES):
            self._refuse_count()
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function not in ELEMENTWISE and function not in _OF_ANY_NUMBER and function is not _NDIM:
            self._refuse_count()
        return super().__array_function__(function, types, args, kwargs)

    def _otherwise(self, function: Any, args: Any, kwargs: Any) -> Any:
        self._refuse_count()

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, PickedArray):
            self._refuse_count()
        if not is_traced(key) and indexing.is_simple(key):
            entries, position = self._entries(key)
            if isinstance(entries[position], slice):  # some of them, of any number
                entries[position] = slice(None)
                key = tuple(entries)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._refuse_count()

    @property
    def T(self) -> Any:
        return self if self.ndim == 1 else self._refuse_count()

    def ravel(self, order: object = "C") -> Any:
        """As ndarray.ravel, of one dimension."""
        return self if self.ndim == 1 else self._refuse_count()

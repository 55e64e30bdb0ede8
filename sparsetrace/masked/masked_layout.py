"""`MaskedLayout`: what a masked array holds, its shape, and copies of it.

Contract: data and mask are moved alike, by the methods of arrays; views of the one go
with views of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.ma import nomask

from sparsetrace.context import Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.masked.data_and_mask import (
    MaskedData,
    as_traced,
    as_type,
    masked_data,
    moved,
)
from sparsetrace.operands.operands import is_traced_array

__all__ = ["MaskedLayout"]


_CLASS = type
"""A method of this module has a parameter of that name."""


class MaskedLayout:
    """The part of masked arrays that moves elements, or changes all of them alike."""

    __slots__ = ("_beneath", "_elements", "_fill", "_hard", "_missing", "_trace")
    _beneath: Any
    _elements: Any
    _fill: Any
    _trace: Trace
    _hard: bool
    _missing: Any

    def __init__(self, trace: Trace, content: MaskedData) -> None:
        self._trace = trace
        self._take(content)
        self._fill = None
        self._hard = False

    def _take(self, content: MaskedData) -> None:
        self._elements, self._missing, self._beneath = content.data, content.mask, content.beneath

    @property
    def _masked_data(self) -> MaskedData:
        return MaskedData(self._elements, self._missing, self._beneath)

    @property
    def _traced_data(self) -> Any:
        """Everything, as NumPy's own functions read it."""
        if self._beneath is not None:
            self._elements[...] = self._masked_data.everything
            self._beneath = None
        return self._elements

    @property
    def data(self) -> Any:
        """The data, with what lies under the mask."""
        return self._traced_data

    def _finished(self, result: MaskedData) -> Any:
        """What the user gets for a result of a method."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        return self._elements.shape  # type: ignore[no-any-return]

    @shape.setter
    def shape(self, shape: object) -> None:
        self._take(moved(self._masked_data, lambda a: a.reshape(shape)))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return self._elements.size  # type: ignore[no-any-return]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._elements.dtype  # type: ignore[no-any-return]

    device = "cpu"

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.itemsize * self.size

    def _alike(self, content: MaskedData) -> Self:
        """Another masked array, with the options of this one."""
        out = type(self)(self._trace, content)
        out._fill, out._hard = self._fill, self._hard
        return out

    def _moved(self, move: Callable[[Any], Any]) -> Any:
        return self._alike(moved(self._masked_data, move))

    def _own_mask(self) -> Any:
        return self._missing if self._missing is nomask else self._missing.copy()

    @property
    def T(self) -> Any:
        return self._moved(lambda a: a.T)

    @property
    def mT(self) -> Any:
        return self._moved(lambda a: a.mT)

    @property
    def real(self) -> Any:
        return self._alike(MaskedData(self._traced_data.real, self._own_mask()))

    @property
    def imag(self) -> Any:
        return self._alike(MaskedData(self._traced_data.imag, self._own_mask()))

    def copy(self, order: object = "C") -> Any:
        return self._alike(moved(self._masked_data, lambda a: a.copy(order)))

    def astype(self, dtype: object, *args: Any, **kwargs: Any) -> Any:
        """As ndarray.astype; a copy of the mask goes with one of the data."""

        def converted(data: object) -> Any:
            return as_traced(self._trace, as_type(data, dtype, *args, **kwargs))

        elements, missing = converted(self._elements), self._missing
        if elements is self._elements:
            return self
        beneath = None if self._beneath is None else converted(self._beneath)
        missing = missing if missing is nomask else missing.copy()
        result = MaskedData(elements, missing, beneath)
        # one without axes stays an array, as by no other method
        return self._alike(result) if is_traced_array(elements) else self._finished(result)

    def view(self, dtype: object = None, type: object = None, fill_value: object = None) -> Any:
        """As MaskedArray.view, to the array itself or to its data."""
        wanted = dtype if type is None else type
        if wanted is np.ndarray:
            return self.data
        is_class = isinstance(wanted, _CLASS) and issubclass(wanted, np.ndarray)
        if is_class and not issubclass(wanted, np.ma.MaskedArray):  # type: ignore[arg-type]
            return self.data.view(wanted)
        if wanted not in (None, np.ma.MaskedArray):
            self._traced_data.view(wanted)
        return self._moved(lambda a: a[...])

    def clip(self, min: object = None, max: object = None, **options: Any) -> Any:
        """As MaskedArray.clip, between bounds that are not masked."""
        bounds = [masked_data(bound) for bound in (min, max)]
        if any(bound.mask is not nomask for bound in bounds) or options.get("out") is not None:
            raise UnsupportedError(
                explain("numpy.ma.clip", "a bound is masked, or out= given", "Use np.ma.where.")
            )
        data = np.clip(self._traced_data, bounds[0].data, bounds[1].data)
        return self._finished(MaskedData(data, self._own_mask()))

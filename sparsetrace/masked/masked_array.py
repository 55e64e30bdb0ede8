"""`MaskedTracedArray`: what passes for a numpy.ma array while a function is traced.

Contract: masked elements count for nothing; where the inputs decide whether an element
is masked, a result unites both outcomes.  It is told apart from NumPy's own class by its
type alone (``isinstance`` is told otherwise), and is no array: code that reaches into
masked arrays past their interface meets an error there, not elements.  Its operators are
added by `sparsetrace.masked.ufuncs`; the methods that it lacks are those that have a rule.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.ma import masked, nomask

from sparsetrace.context import Trace
from sparsetrace.dispatch.function_rules import REGISTERED
from sparsetrace.errors import EscapeError, UnsupportedError, explain
from sparsetrace.masked.data_and_mask import (
    MaskedData,
    as_mask,
    as_traced,
    filled,
    full_mask,
    is_masked,
    known_mask,
    masked_data,
    plain_index,
    simplified,
    united,
)
from sparsetrace.masked.masked_constant import compared_by_identity
from sparsetrace.masked.masked_layout import MaskedLayout
from sparsetrace.numbers.refused_values import refuse_truth, refuse_value
from sparsetrace.numbers.text import numbered, set_text
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    is_traced,
    is_traced_array,
    is_uncertain,
    values_of,
)

__all__ = ["METHOD", "METHODS", "MODULE", "MaskedTracedArray", "NumberOrMasked", "finished", "over"]

MODULE = "numpy.ma"
METHOD = "MaskedArray."
"""What the names of methods begin with under which their rules are registered."""
METHODS = dict(vars(np.ma.MaskedArray))
"""NumPy's own, by name; while a trace runs, others may stand in their places."""


class MaskedTracedArray(MaskedLayout):
    """A masked array of a trace; made by the functions of numpy.ma, not by users.

    Examples
    --------
    >>> import numpy as np, sparsetrace as st
    >>> def f(x):
    ...     m = np.ma.array(x, mask=[False, True, False])
    ...     print(m * x[0])
    ...     return m.filled(0)
    >>> st.jacobian_sparsity(f, np.ones(3)).toarray().astype(int)
    masked TracedArray([{0}, --, {0, 2}], value ...)
    array([[1, 0, 0],
           [0, 0, 0],
           [0, 0, 1]])
    """

    __slots__ = ()
    __array_priority__ = 2e6
    __hash__ = None  # type: ignore[assignment]

    def _finished(self, result: MaskedData) -> Any:
        return finished(self._trace, result, like=self)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What ``isinstance`` is told."""
        return np.ma.MaskedArray

    def _at_point(self) -> Any:
        """An ordinary masked array of the values at the point."""
        data, mask = values_of(self._traced_data).copy(), self._own_mask()
        return np.ma.MaskedArray(data, mask=mask, fill_value=self._fill, hard_mask=self._hard)

    def _with_values(self, values: Any) -> Any:
        """The same dependencies, with the values and the mask of an ordinary array."""
        data = np.ma.getdata(values)
        elements = Elements(self._traced_data._ids, data.dtype, data, keep_array=True)
        return self._finished(MaskedData(self._trace.wrap(elements), np.ma.getmask(values)))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        rule = REGISTERED[MODULE].get(METHOD + name)
        if rule is not None:
            return lambda *args, **kwargs: rule.answer(METHODS[name], (self, *args), kwargs)
        if hasattr(np.ma.MaskedArray, name) and not name.startswith("__"):
            raise UnsupportedError(
                explain(
                    f"numpy.ma.MaskedArray.{name}",
                    "this attribute has no rule for traced data",
                    "Use m.filled(value), or m.data and m.mask.",
                )
            )
        raise AttributeError(f"'MaskedTracedArray' object has no attribute {name!r}")

    # --------------------------------------------------------------- protocols
    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        refuse_value("np.asarray()", "a masked array of a trace")

    @property
    def __array_interface__(self) -> NoReturn:
        self.__array__()

    @property
    def __array_struct__(self) -> NoReturn:
        self.__array__()

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return np

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        refuse_value("pickle", "a masked array of a trace")

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Any:
        return self.copy()

    # ----------------------------------------------------------- data and mask
    @property
    def mask(self) -> Any:
        """The mask itself, as a view: a constant, unless the inputs decide it."""
        if self._missing is nomask:
            return nomask
        asked = is_traced(self._missing) and compared_by_identity("nomask")
        if asked and not bool(np.any(self._missing)):  # then NumPy has none, where it looks
            return nomask
        return self._missing[...]

    @mask.setter
    def mask(self, value: object) -> None:
        given = True if value is masked else as_mask(self._trace, value)
        if self._missing is nomask and given is nomask:
            return
        elements = self._traced_data  # what was masked may show from here on
        if self._missing is nomask:
            self._missing = np.zeros(elements.shape, bool)
        if np.ndim(given):
            given = np.reshape(given, elements.shape)
        if self._hard:
            given = united(self._missing, given)
        self._write_mask(..., given)

    @property
    def _data(self) -> Any:
        _refuse_numpy(sys._getframe(1).f_globals)
        return self.data

    @property
    def _mask(self) -> Any:
        _refuse_numpy(sys._getframe(1).f_globals)
        return self.mask

    @property
    def fill_value(self) -> Any:
        return np.ma.default_fill_value(self.dtype) if self._fill is None else self._fill

    @fill_value.setter
    def fill_value(self, value: object) -> None:
        self._fill = value

    def get_fill_value(self) -> Any:
        return self.fill_value

    def set_fill_value(self, value: object = None) -> None:
        self._fill = value

    @property
    def hardmask(self) -> bool:
        return self._hard

    def harden_mask(self) -> Any:
        self._hard = True
        return self

    def soften_mask(self) -> Any:
        self._hard = False
        return self

    def unshare_mask(self) -> Any:
        if self._missing is not nomask:
            self._missing = self._missing.copy()
        return self

    def shrink_mask(self) -> Any:
        if not is_traced(self._missing) and not np.any(self._missing):
            self._missing = nomask
        return self

    def filled(self, fill_value: object = None) -> Any:
        """The data, with `fill_value` where they are masked."""
        return filled(self._masked_data, self.fill_value if fill_value is None else fill_value)

    def compressed(self) -> Any:
        """The valid elements, in one dimension; the mask must be a constant."""
        mask = known_mask(self._masked_data, "numpy.ma.compressed")
        return self._elements.reshape(-1)[~mask.reshape(-1)]

    # ---------------------------------------------------------------- elements
    def _mask_at(self, key: object) -> Any:
        if self._missing is nomask:
            return nomask
        uncertain = contains_traced(key) and not is_traced(self._missing)
        mask = as_traced(self._trace, self._missing) if uncertain else self._missing
        return mask[key]

    def _make_uncertain(self) -> None:
        """Turn the mask into a traced array."""
        if not is_traced(self._missing):
            if self._missing.base is not None or _holders(self) > _ALONE:
                raise UnsupportedError(
                    explain(
                        "an assignment to a masked array",
                        "it makes the mask depend on the inputs, and something else shares it",
                        "Make a new array (m = m / y for m /= y, np.ma.where for m[i] = v).",
                    )
                )
            self._missing = as_traced(self._trace, self._missing)

    def _write_mask(self, key: Any, value: Any) -> None:
        if self._missing is nomask:
            if value is nomask or (not is_traced(value) and not np.any(value)):
                return
            self._missing = np.zeros(self._elements.shape, bool)
        value = False if value is nomask else value
        if not is_traced(self._missing) and (contains_traced(key) or is_traced(value)):
            if not is_traced(value) and not np.any(value) and not self._missing.any():
                return
            self._make_uncertain()
        self._missing[key] = value
        if is_traced(self._missing) and not is_uncertain(self._missing):
            self._missing = simplified(self._missing)

    def __getitem__(self, key: object) -> Any:
        key = plain_index(key)
        data = self._elements[key]
        beneath = None if self._beneath is None else self._beneath[key]
        chosen = MaskedData(data, self._mask_at(key), beneath)
        return self._alike(chosen) if is_traced_array(data) else finished(self._trace, chosen)

    def __setitem__(self, key: object, value: object) -> None:
        by_masked = isinstance(key, np.ma.MaskedArray)
        key = plain_index(key)
        if value is masked:
            self._write_mask(key, True)
            return
        given = masked_data(value)
        data, mask = given.everything, given.mask
        if is_traced(mask) and not mask.ndim:  # if it is masked, what is there stays
            data = np.where(mask, self._traced_data[key], data)
        if self._hard:
            current = self._mask_at(key)
            if current is not nomask:
                data = np.where(current, self._traced_data[key], data)
                mask = united(current, mask)
        self._elements[key] = data
        if self._beneath is not None:
            self._beneath[key] = data
        if not by_masked or isinstance(value, np.ma.MaskedArray):
            if self._missing is nomask and mask is not nomask:
                self._missing = np.zeros(self.shape, bool)
            self._write_mask(key, mask)

    def _store(self, result: MaskedData) -> Any:
        """Take over the result of an operation in place."""
        self._elements[...] = result.data
        self._beneath = result.beneath
        self._write_mask(..., result.mask)
        return self

    def __len__(self) -> int:
        return len(self._elements)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __contains__(self, item: object) -> bool:
        refuse_truth("whether a masked array contains a value")

    def item(self, *args: Any) -> Any:
        return self._traced_data.item(*args)

    def tolist(self, fill_value: object = None) -> Any:
        """Nested lists of elements, None (or `fill_value`) for those masked."""
        if fill_value is not None:
            return self.filled(fill_value).tolist()
        known_mask(self._masked_data, "numpy.ma.MaskedArray.tolist")
        if not self.ndim:
            return None if self._missing is not nomask and self._missing else self.item()
        if self.ndim > 1:
            return [row.tolist() for row in self]
        return [None if value is masked else value for value in self]

    # ------------------------------------------------------------- conversions
    def __bool__(self) -> bool:
        return bool(self._traced_data)

    def __float__(self) -> NoReturn:
        refuse_value("float()")

    def __int__(self) -> NoReturn:
        refuse_value("int()")

    def __complex__(self) -> NoReturn:
        refuse_value("complex()")

    def __index__(self) -> int:
        return self._traced_data.__index__()  # type: ignore[no-any-return]

    def __round__(self, ndigits: int | None = None) -> Any:
        return self.round(ndigits or 0)

    def __repr__(self) -> str:
        if self._missing is nomask:
            return f"masked {self._elements!r}"
        shown = np.empty(self.shape, object)
        unsure = is_traced(self._missing)
        for at in np.ndindex(self.shape):
            if not unsure and self._missing[at]:
                shown[at] = "--"
            else:
                text = set_text(self._trace, int(self._elements._ids[at]))
                shown[at] = text + "?" * unsure
        text = np.array2string(shown, separator=", ", formatter={"all": str})
        return numbered(self._trace, "masked TracedArray", text)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def fill(self, value: object) -> None:
        """As ndarray.fill, of the data alone."""
        self._traced_data.fill(value)

    def put(self, indices: object, values: object, mode: object = "raise") -> None:
        """As ndarray.put, of the data and the mask."""
        given = masked_data(values)
        self._traced_data.put(plain_index(indices), given.everything, mode=mode)
        if self._missing is nomask and given.mask is nomask:
            return
        mask = full_mask(self._masked_data).copy()
        if is_traced(given.mask) or contains_traced(indices):
            mask = as_traced(self._trace, mask)
        mask.put(plain_index(indices), False if given.mask is nomask else given.mask, mode=mode)
        self._write_mask(..., simplified(mask))


class NumberOrMasked(MaskedTracedArray):
    """A number, or ``np.ma.masked``: which of them, is decided where code asks for a type."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name in _OF_ONE and _asks(sys._getframe(1)):
            return getattr(self.decided(), name)
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_ONE and _asks(sys._getframe(1)):  # it has none, or only arrays have
            return getattr(self.decided(), name)
        return super().__getattr__(name)

    def decided(self) -> Any:
        """The one that it is; both are run."""
        return masked if bool(self._missing) else self._elements[()]

    def _alike(self, content: MaskedData) -> Any:
        if not np.ndim(content.data):
            return _with_options_of(self, NumberOrMasked(self._trace, content))
        if self.decided() is not masked:  # of a number NumPy makes an array without a mask
            return content.data
        return _with_options_of(self, MaskedTracedArray(self._trace, content))


_DIFFER = set(dir(np.ma.MaskedArray)) ^ set(dir(np.float64))
_OF_ONE = {"__class__"}.union(name for name in _DIFFER if not name.startswith("_"))
"""What tells them apart: the type, and what the one has and the other has not."""


def _asks(frame: types.FrameType) -> bool:
    """Whether code that may go on in two ways asks for a type, other than that of numpy.ma."""
    while frame.f_code.co_name == "__instancecheck__" and frame.f_back is not None:
        frame = frame.f_back  # of the stand-in for ``float``, or an abstract class
    name = frame.f_globals.get("__name__", "")
    if name.startswith(MODULE):
        return frame.f_code is np.ma.isMaskedArray.__code__
    return not name.startswith("sparsetrace.")


def _with_options_of(m: MaskedTracedArray, made: MaskedTracedArray) -> MaskedTracedArray:
    made._fill, made._hard = m._fill, m._hard
    return made


def _holders(m: MaskedLayout) -> int:
    """How many references there are to the mask."""
    return sys.getrefcount(m._missing)


_ALONE = _holders(MaskedLayout(None, MaskedData(None, np.zeros(1, bool))))  # type: ignore[arg-type]
"""What `_holders` gives for a mask that nothing else refers to."""


def _refuse_numpy(scope: dict[str, Any]) -> None:
    """Let the user's code read ``m._data``, and stop NumPy's own."""
    if scope.get("__name__", "").startswith(("numpy.", "scipy.")):
        raise EscapeError(
            explain(
                "a function of numpy.ma",
                "it reads traced elements past the interface of masked arrays",
                "Call it as np.ma.f(...), or use numpy's function on m.filled(value).",
            )
        )


def over(trace: Trace, data: object, mask: object = nomask) -> Any:
    """A masked array over `data`, which it shares if they are traced."""
    return MaskedTracedArray(trace, MaskedData(as_traced(trace, data), mask))


def finished(trace: Trace, result: MaskedData, *, like: Any = None) -> Any:
    """What the user's function gets: an array, a number, or ``np.ma.masked``.

    A number that may be masked or not is a `NumberOrMasked`.  If the code that gets it asks
    ``is np.ma.masked``, which no object can answer for itself, both answers are run.
    """
    data, mask = result.data, result.mask
    if not np.ndim(data):
        certain = not is_traced(mask)
        if not certain and compared_by_identity("masked", "masked_singleton"):
            mask, certain = bool(mask), True
        if certain:
            return masked if mask else data[()]
    elif not is_traced(data) and not is_traced(mask):
        return np.ma.MaskedArray(data, mask=mask)
    beneath = None if result.beneath is None else as_traced(trace, result.beneath)
    data = as_traced(trace, data)
    if not is_traced(data):  # whole numbers of a local trace
        return np.ma.MaskedArray(data, mask=mask)
    result = MaskedData(data, mask, beneath)
    if not np.ndim(data):
        number = NumberOrMasked(trace, result)
        return _with_options_of(like, number) if is_masked(like) else number
    return like._alike(result) if is_masked(like) else MaskedTracedArray(trace, result)

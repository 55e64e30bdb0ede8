"""Between which numbers the values of a run lie: what an index may choose is a window of an axis.

Contract: bounds are pairs of floats, or of float64 arrays that broadcast to the value's shape,
infinite where nothing is known; they hold for every input for which the value is a number at all.
Values of real types that float64 holds have some, others none.  What a ufunc makes of bounds is
said by its record (`sparsetrace.rules.enclosures`), what a function makes of them here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import (
    array,
    asarray,
    broadcast_arrays,
    broadcast_to,
    errstate,
    full,
    isfinite,
    isnan,
    maximum,
    minimum,
    trunc,
    where,
)
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from sparsetrace.graph.graph import ZERO, Ids, lowest
from sparsetrace.numpy_rules.array_manipulation import MOVES
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    contains_traced,
    dtype_of,
    is_number,
    is_traced,
    is_traced_array,
)
from sparsetrace.operands.unknown_bounds import enclosed
from sparsetrace.rules import RECORDS
from sparsetrace.rules.enclosures import increasing

if TYPE_CHECKING:
    from sparsetrace.arrays.value_names import Memory, ValueNames

__all__ = ["FEW_VALUES", "Bounds", "ValueBounds"]

End = float | NDArray[np.float64]
Bounds = tuple[End, End]

_NONE: Bounds = (-math.inf, math.inf)
FEW_VALUES = 64
"""So many values of an index may be told apart, each on a path of its own."""
_EXACT = 2.0**53
_NUMBERS = (float, int)
_CLIP, _COUNT, _WHERE = np.clip, np.count_nonzero, np.where
_ADD, _SUM, _RANK = np.add, np.sum, np.linalg.matrix_rank
_ALONG = (np.sum, np.min, np.max, np.amin, np.amax, np.sort, np.cumsum)
_TABLES = {np.searchsorted: 0, np.digitize: 1}
"""Where the argument stands into which the others are placed."""
_MOVING = frozenset((*MOVES, *_ALONG, np.round, np.around))
"""Functions whose results have no bounds where their traced arguments have none."""
_RISING = frozenset((*_MOVING, *_TABLES, np.clip))
"""Functions that rise in all of their traced arguments, or fall in all of them."""
_CHOOSING = frozenset((np.minimum, np.maximum, np.fmin, np.fmax))
"""Ufuncs that give one of their operands."""
_OTHERWISE = frozenset(("out", "dtype", "where", "initial", "sorter"))
"""Options with which they may not."""
_SAME = frozenset(
    (np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.count_nonzero, _RANK, *_TABLES)
)
"""Functions of which it is known that they gave a number before."""
_PLACES: dict[Any, tuple[int, int | None]] = {
    **dict.fromkeys((np.argmax, np.argmin, np.nanargmax, np.nanargmin), (1, None)),
    np.argsort: (1, -1),
    np.argpartition: (2, -1),
}
"""Functions whose results are places along an axis: the position of `axis`, and its default."""


@cache
def _representable(dtype: np.dtype[Any]) -> tuple[float, float]:
    """Between which whole numbers of a type are floats, too."""
    info = np.iinfo(dtype)
    return max(-_EXACT, info.min), min(_EXACT, info.max)


def _is_bounded_type(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biu" or dtype is FLOAT


class ValueBounds:
    """The bounds of one run, kept with the memory that `names` watches.

    Examples
    --------
    >>> import sparsetrace as st
    >>> def f(x):
    ...     i = np.argmax(x[:2])
    ...     return x[i + np.arange(3)]
    >>> st.jacobian_sparsity(f, np.ones(6)).toarray().astype(int)
    array([[1, 1, 0, 0, 0, 0],
           [0, 1, 1, 0, 0, 0],
           [0, 0, 1, 1, 0, 0]])
    """

    def __init__(self, names: ValueNames) -> None:
        self._names = names
        self._numbers: dict[int, tuple[Any, Bounds]] = {}
        self._origins: dict[int, tuple[Any, Any, tuple[Callable[[Any], Any], ...]]] = {}
        self._shifts: dict[int, tuple[Any, Any, int]] = {}
        self._made: dict[Any, Any] = {}
        self._counted: dict[int, tuple[Any, tuple[Hashable, Ids]]] = {}
        self._converted: dict[int, tuple[Any, Any]] = {}
        self._ends: dict[int, Any] = {}

    # ------------------------------------------------------------------- asked
    def of(self, operand: Any) -> Bounds:
        """The bounds of an operand's elements."""
        if not is_traced(operand):
            if not contains_traced(operand):
                return _of_constant(operand)
            if not isinstance(operand, (list, tuple)):
                return _NONE
            ends = [broadcast_arrays(*self.of(item)) for item in operand]
            return array([low for low, _ in ends]), array([high for _, high in ends])
        if getattr(type(operand), "_is_picked", False) or not _is_bounded_type(operand._dtype):
            return _NONE
        if is_number(operand) and operand._dtype.kind in "if" and operand._id > ZERO:
            return self._numbers.get(id(operand), (None, _NONE))[1]
        ids, graph, kind = operand._ids, operand._trace.graph, operand._dtype.kind
        noted = low, high = self._noted(operand, ids)
        if kind in "bu":
            low = _greater(low, 0.0)
            high = _lesser(high, 1.0) if kind == "b" else high
        if not graph.pure and ids.size and lowest(ids) <= ZERO:
            known = asarray(ids <= ZERO)
            values = graph.known_values(ids, FLOAT)
            return where(known, values, low), where(known, values, high)
        return (low, high) if kind in "bu" else noted

    def _noted(self, operand: object, ids: Ids) -> Bounds:
        if not isinstance(operand, np.ndarray):
            return self._numbers.get(id(operand), (None, _NONE))[1]
        memory = self._names.memory(ids)
        if memory.bounds is None or memory.bounded != self._names.state(memory):
            return _NONE
        shown, low, high = memory.bounds
        if type(low) is type(high) is float and shown.size == memory.owner.size:
            return low, high
        return _seen(memory, memory.bounds, ids)

    def _is_open(self, argument: Any) -> bool:
        """Whether nothing is known of what is traced in an argument, or nothing is traced."""
        if type(argument) in (list, tuple):
            return all(map(self._is_open, argument))
        return not contains_traced(argument) or self.of(argument) is _NONE

    def are_open(self, operands: Iterable[Any]) -> bool:
        """Whether nothing is noted of what is traced among operands, all of it real or complex.

        Of constants among their elements more is known, which their ids say.
        """
        for x in operands:
            if isinstance(x, Elements):
                is_open = x.dtype.kind in "fc" and not self._is_noted(x.ids)
            elif isinstance(x, (list, tuple)):
                is_open = self.are_open(x)
            elif not is_traced(x):
                is_open = True
            elif x._dtype.kind not in "fc" or getattr(type(x), "_is_picked", False):
                is_open = False
            else:
                is_open = not (self.is_bounded(x) if is_number(x) else self._is_noted(x._ids))
            if not is_open:
                return False
        return True

    def _is_noted(self, ids: Ids) -> bool:
        """Whether anything is noted of the elements of an array."""
        memory = self._names.memory(ids)
        return memory.bounds is not None and memory.bounded == self._names.state(memory)

    def is_bounded(self, number: object) -> bool:
        """Whether anything is known of a number that is traced."""
        return id(number) in self._numbers

    def origin(self, number: Any) -> tuple[Any, tuple[Callable[[Any], Any], ...]]:
        """The number that a whole number was made of, and what was computed of it, step by step.

        The other operands of each step are constants: where the one number is known, so is the
        other.
        """
        _, root, steps = self._origins.get(id(number), (None, number, ()))
        return root, steps

    def same(self, number: Any) -> Any:
        """The number that another one was converted from, or is itself."""
        root, steps = self.origin(number)
        return number if steps else root

    def shifted(self, number: Any) -> tuple[Any, int]:
        """The number that a whole number is, and what was added to it.

        Comparisons of both with constants are then of one number.
        """
        _, root, shift = self._shifts.get(id(number), (None, number, 0))
        return root, shift

    def counted(self, number: Any) -> tuple[Hashable, Ids] | None:
        """The name and the ids of a mask of one axis, if a number says how many are true there."""
        root, shift = self.shifted(self.same(number))
        return None if shift else self._counted.get(id(root), (None, None))[1]

    def counts_ends(self, number: Any) -> bool:
        """Whether a number tells many ends of a loop apart, or is one from such a number."""
        return id(self.shifted(self.same(number))[0]) in self._ends

    # ------------------------------------------------------------------- noted
    def note_ends(self, number: Any) -> None:
        """Keep that a number has another value for each of many ends, which are one."""
        root, _ = self.shifted(self.same(number))
        self._ends[id(root)] = root

    def note(self, value: Any, low: Any, high: Any, *, one_sided: bool = False) -> None:
        """Keep the bounds of what a call has given, if they say anything.

        Parameters
        ----------
        value
        low, high : array_like
        one_sided : bool
            Whether a whole number with one bound has that one.  It may have wrapped around, unless
            it is one of the operands.
        """
        if low is _NONE[0] and high is _NONE[1]:
            return
        if not is_traced(value) or value._trace.local or not _is_bounded_type(value._dtype):
            return
        if isinstance(low, _NUMBERS) and isinstance(high, _NUMBERS):
            low, high = float(low), float(high)
            ends = _held(low, high, value._dtype, one_sided=one_sided)
            if ends is not None:
                self._keep(value, *ends)
            return
        low, high = asarray(low, float), asarray(high, float)
        low = where(isnan(low), -np.inf, low)
        high = where(isnan(high), np.inf, high)
        if value._dtype.kind in "iu":
            least, most = _representable(value._dtype)
            fits, below = low >= least, high <= most
            if not one_sided:
                fits = below = fits & below
            low, high = where(fits, low, -np.inf), where(below, high, np.inf)
        if not (isfinite(low).any() or isfinite(high).any()):
            return
        self._keep(value, low, high)

    def _keep(self, value: Any, low: End, high: End) -> None:
        if not is_traced_array(value):
            self._numbers[id(value)] = value, (float(low), float(high))
            return
        memory = self._names.memory(value._ids)
        state = self._names.state(memory)
        if memory.bounds is None or memory.bounded != state:  # else it is a view of what is known
            memory.bounds, memory.bounded = (value._ids, low, high), state

    def converted(self, value: Any, made: Any) -> None:
        """Note that a value was converted to the type of another; fractions are cut off."""
        low, high = self.of(value)
        if is_traced(made) and made._dtype.kind in "iu":
            low, high = trunc(low), trunc(high)
        # others wrap around within the numbers that code may use
        is_wide = is_traced(made) and made._dtype == np.int64 and dtype_of(value) != np.uint64
        self.note(made, low, high, one_sided=is_wide)
        if not is_traced_array(value) and is_traced(made) and made._dtype.kind in "biu":
            if value._dtype.kind == "f":  # converted once more it is the same number
                _, value = self._converted.setdefault(id(value), (value, made))
            if value is not made:
                self._note_step(made, value, None)

    def _note_step(self, made: Any, source: Any, step: Callable[[Any], Any] | None) -> None:
        """Keep what a number was made of, if that has few values and none wrapped around."""
        root, steps = self.origin(source)
        ends = [self.of(number) for number in (root, made)]
        are_known = all(map(math.isfinite, (*ends[0], *ends[1])))
        if step is None and made._dtype == source._dtype == np.int64:
            self._shifts[id(made)] = made, *self.shifted(source)
        if are_known and ends[0][1] - ends[0][0] < FEW_VALUES:
            self._origins[id(made)] = made, root, steps if step is None else (*steps, step)

    def _note_shift(self, function: Any, inputs: Sequence[Any], result: Any) -> None:
        """Keep that a whole number is another one and a constant, however many values it has."""
        if function not in (np.add, np.subtract) or result._dtype != np.int64:
            return
        first, second = inputs
        if type(second) is int and first._dtype == np.int64:
            root, shift = self.shifted(first)
            self._shifts[id(result)] = (
                result, root, shift + second if function is np.add else shift - second
            )  # fmt: skip
        elif type(first) is int and function is np.add and second._dtype == np.int64:
            root, shift = self.shifted(second)
            self._shifts[id(result)] = result, root, shift + first

    def moved(self, source: Any, made: Any, move: Callable[[Any], Any]) -> None:
        """Note that elements were moved; views show the memory that is known already.

        What is constant among them is known by its ids, wherever it is.
        """
        if is_traced_array(made) and made._ids.base is not None:
            return
        if is_traced(source) and self._noted(source, source._ids) is _NONE:
            return
        low, high = (broadcast_to(end, np.shape(source)) for end in self.of(source))
        self.note(made, move(low), move(high))

    # ---------------------------------------------------------------- computed
    def by_ufunc(
        self,
        ufunc: np.ufunc,
        method: str,
        inputs: Sequence[Any],
        kwargs: dict[str, Any],
        result: Any,
    ) -> None:
        """Note what a ufunc gave."""
        record = RECORDS.get(ufunc)
        if record is None or record.enclose is None or not is_traced(result):
            return
        if not _is_bounded_type(result._dtype):
            return
        is_call = method == "__call__" and (not kwargs or kwargs.keys() == {"out"})
        lows: list[Any] = []
        highs: list[Any] = []
        if is_call:
            are_numbers = True
            for operand in inputs:
                low, high = self.of(operand)
                lows.append(low)
                highs.append(high)
                are_numbers = are_numbers and type(low) is type(high) is float
            if are_numbers:
                known = enclosed(ufunc, tuple(lows), tuple(highs), result._dtype)
                if known is not None:
                    self.note(result, *known, one_sided=ufunc in _CHOOSING)
                self._note_call(ufunc, inputs, result)
                return
        with errstate(all="ignore"):
            if is_call:
                bounds = record.enclose(ufunc, lows, highs, result._dtype)
                self.note(result, *bounds, one_sided=ufunc in _CHOOSING)
                self._note_call(ufunc, inputs, result)
            elif method in ("reduce", "accumulate") and record.enclose is increasing:
                self._by_rising(getattr(ufunc, method), inputs, kwargs, result)
                if ufunc is _ADD and method == "reduce" and kwargs.keys() <= {"axis"}:
                    self._note_counted(inputs[0], result)

    def _note_counted(self, mask: Any, result: Any) -> None:
        """Keep of which mask a number counts the truths."""
        is_mask = is_traced_array(mask) and mask._dtype.kind == "b" and mask.ndim == 1
        if is_mask and is_number(result) and not getattr(type(mask), "_is_picked", False):
            self._counted[id(result)] = result, (self._names.of(mask), mask._ids.copy())

    def _note_call(self, function: Callable[..., Any], inputs: Sequence[Any], result: Any) -> None:
        """Keep that a whole number was computed of one other, and constants."""
        if not is_traced(result) or is_traced_array(result) or result._dtype.kind not in "iu":
            return
        unknown = [i for i, x in enumerate(inputs) if contains_traced(x)]
        if len(unknown) != 1:
            return
        (place,) = unknown
        source = inputs[place]
        kinds = [x._dtype.kind if is_traced(x) else asarray(x).dtype.kind for x in inputs]
        if is_traced(source) and {*kinds} <= {"i", "u"} and not np.ndim(source):
            before, after = inputs[:place], inputs[place + 1 :]
            self._note_step(result, source, lambda value: function(*before, value, *after))
            self._note_shift(function, inputs, result)

    def by_function(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        result: object,
    ) -> None:
        """Note what a NumPy function gave."""
        if not args or not (is_traced(result) or type(result) in (tuple, list)):
            return
        if function in _PLACES:
            self.note(result, 0, _length(function, args, kwargs) - 1)
        elif function is _COUNT:
            self._note_counted(args[0], result)
            self.note(result, 0, math.prod(np.shape(args[0])))
        elif function is _RANK:
            self.note(result, 0, min((1, *np.shape(args[0]))[-2:]))
        elif function is _WHERE and len(args) == 3:
            (low, high), (least, most) = self.of(args[1]), self.of(args[2])
            low, high = minimum(low, least), maximum(high, most)
            self.note(result, low, high, one_sided=True)
        elif function in _TABLES and contains_traced(args[_TABLES[function]]):
            self.note(result, 0, np.size(args[_TABLES[function]]))
        elif function in _RISING and (function not in _ALONG or len(args) < 3):
            if function in _MOVING and all(map(self._is_open, args)):
                return  # nor is anything known of what it gives
            if function is _SUM and len(args) == 1 and kwargs.keys() <= {"axis"}:
                self._note_counted(args[0], result)
            with errstate(all="ignore"):
                self._by_rising(function, args, kwargs, result)
                if function is _CLIP and not kwargs:
                    self._note_call(function, args, result)
        if function in _SAME and is_traced(result) and not is_traced_array(result):
            self._note_same(function, args, kwargs, result)

    def _note_same(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        result: object,
    ) -> None:
        """Keep that a call gave the number that it gave before, of the same values."""
        if all(isinstance(value, (int, str, type(None))) for value in kwargs.values()):
            known = function, tuple(map(self._names.of, args)), tuple(sorted(kwargs.items()))
            first = self._made.setdefault(known, result)
            if first is not result:
                self._note_step(result, first, None)

    def _by_rising(
        self,
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        result: object,
    ) -> None:
        """Of a function that rises in its traced arguments, or falls in all: from their ends."""
        if _OTHERWISE & kwargs.keys() or any(map(contains_traced, kwargs.values())):
            return
        if any(is_traced(x) and x._dtype.kind == "b" for x in args[1:]):
            return  # a mask that is decided
        move = MOVES.get(function)
        if move is not None and any(
            contains_traced(x) and not move.holds(i) and not _is_decided(x)
            for i, x in enumerate(args)
        ):
            return  # any of its elements may be anywhere
        ends = [function(*(self._end(x, end) for x in args), **kwargs) for end in (False, True)]
        self._note_all(result, *ends)

    def _end(self, argument: Any, upper: bool) -> Any:
        """The lower or upper bounds in place of traced arrays, also of those in lists."""
        if is_traced(argument):
            decided = _decided(argument)
            if decided is not None:
                return decided
            return broadcast_to(self.of(argument)[upper], np.shape(argument))
        if type(argument) in (list, tuple):
            return type(argument)(self._end(item, upper) for item in argument)
        return argument

    def _note_all(self, result: Any, first: Any, second: Any) -> None:
        if type(result) in (list, tuple):
            for item, one, other in zip(result, first, second, strict=True):
                self._note_all(item, one, other)
        elif is_traced(result):
            self.note(result, minimum(first, second), maximum(first, second))


def _decided(argument: Any) -> int | None:
    """A traced whole number on this path, where it is decided there."""
    masks = argument._trace.masks
    return None if masks is None else masks.known_index(argument)


def _is_decided(argument: Any) -> bool:
    return is_traced(argument) and _decided(argument) is not None


def _greater(one: End, other: float) -> End:
    return max(one, other) if isinstance(one, float) else maximum(one, other)


def _lesser(one: End, other: float) -> End:
    return min(one, other) if isinstance(one, float) else minimum(one, other)


def _held(
    low: float, high: float, dtype: np.dtype[Any], *, one_sided: bool
) -> tuple[float, float] | None:
    """The bounds that are known, for all elements of a type; None where there are none."""
    low, high = -math.inf if low != low else low, math.inf if high != high else high
    if dtype.kind in "iu":
        least, most = _representable(dtype)
        fits, below = low >= least, high <= most
        if not one_sided:
            fits = below = fits and below
        low, high = low if fits else -math.inf, high if below else math.inf
    return (low, high) if math.isfinite(low) or math.isfinite(high) else None


def _of_constant(operand: Any) -> Bounds:
    if type(operand) is float or (type(operand) is int and abs(operand) <= _EXACT):
        value = float(operand)
        return value, value
    values = asarray(operand)
    if not _is_bounded_type(values.dtype):
        return _NONE
    values = values.astype(float)
    return values, values


def _length(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> int:
    """How many elements lie along the axis of a call that gives places."""
    position, default = _PLACES[function]
    axis = args[position] if len(args) > position else kwargs.get("axis", default)
    shape = np.shape(args[0])
    return math.prod(shape) if axis is None or not shape else shape[axis]


def _seen(memory: Memory, bounds: tuple[Ids, Any, Any], ids: Ids) -> Bounds:
    """The bounds that one view of some memory has, from those of another view."""
    shown, low, high = bounds
    place = _place(memory, ids)
    if (shown.shape, shown.strides, _place(memory, shown)) == (ids.shape, ids.strides, place):
        return low, high
    ends = []
    for end, unknown in zip((low, high), _NONE, strict=True):
        flat = full(memory.owner.size, unknown)
        _window(memory, flat, shown)[...] = end
        ends.append(_window(memory, flat, ids))
    return ends[0], ends[1]


def _place(memory: Memory, ids: Ids) -> int:
    return (ids.ctypes.data - memory.owner.ctypes.data) // ids.itemsize


def _window(memory: Memory, flat: NDArray[Any], ids: Ids) -> NDArray[Any]:
    """The elements of a flat array that stand where these ids stand in their memory."""
    scale = flat.itemsize // ids.itemsize
    strides = [scale * step for step in ids.strides]
    return as_strided(flat[_place(memory, ids) :], ids.shape, strides)

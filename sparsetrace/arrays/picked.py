"""Elements that a mask picks whose value depends on the inputs: ``x[x > 0]``, ``np.nonzero(m)``.

Contract: how many elements there are is unknown, and which they are.  A `PickedArray` holds a
candidate for every element of the mask, as if all were picked; what is computed of each element
is computed of every candidate, by the rules of other arrays.  Where the picked elements of one
mask meet those of the same mask, candidates meet at their places, so that
``y[m] = x[m] ** 2`` is as tight as ``np.where(m, x ** 2, y)``; elsewhere each may meet any.
Whoever asks how many there are is refused, or the mask is decided where it has few elements:
every other use of its ids raises.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache, partial
from typing import Any, NoReturn
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from sparsetrace.arrays.array import TracedArray
from sparsetrace.arrays.picked_shapes import PickedShape
from sparsetrace.arrays.picks import Pick, decide, meet, refuse
from sparsetrace.arrays.value_bounds import FEW_VALUES
from sparsetrace.context import Trace
from sparsetrace.numbers.scalar import as_python
from sparsetrace.numpy_rules import indexing
from sparsetrace.operands.complex_operands import elements_of, moved_ids
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    is_traced_array,
)
from sparsetrace.operands.poison import frame
from sparsetrace.operands.raising import may_raise
from sparsetrace.operands.refusals import name_of

__all__ = [
    "ELEMENTWISE",
    "PickedArray",
    "aligned",
    "along_axis",
    "answer_by",
    "part_of",
    "stacked",
]


def _functions(names: str) -> frozenset[Callable[..., Any]]:
    return frozenset(getattr(np, name) for name in names.split() if hasattr(np, name))


ELEMENTWISE: dict[Callable[..., Any], tuple[int, ...] | None] = dict.fromkeys(
    _functions(
        "where clip around round real imag angle nan_to_num sinc i0 fix isclose copy iscomplex "
        "isreal zeros_like ones_like full_like empty_like isposinf isneginf"
    )
) | {np.interp: (0,), np.searchsorted: (1,), np.digitize: (0,), np.polyval: (1,)}
"""Functions that compute each element by itself, and the arguments that have such; or all."""
_REDUCTIONS = _functions(
    "sum prod mean std var max min amax amin median any all ptp count_nonzero argmax argmin "
    "nansum nanprod nanmean nanstd nanvar nanmax nanmin nanmedian percentile quantile"
) | {np.linalg.norm}
"""Functions that do not ask in which order the elements come."""
_PLACE = np.place
_REORDERING = _functions("sort flip roll")
_PREFIXES = _functions("cumsum cumprod nancumsum nancumprod")
_PRODUCTS = _functions("dot inner vdot")
_COUNTING = _functions("size ndim shape")
_NOT_OF_NOTHING = _functions("max min amax amin argmax argmin ptp") | {
    np.maximum.reduce,
    np.minimum.reduce,
}
_NO_SCALAR = partial(ValueError, "can only convert an array of size 1 to a Python scalar")
_OUT_OF_BOUNDS = partial(IndexError, "index is out of bounds")
_NOTHING = partial(ValueError, "zero-size array to reduction operation which has no identity")


_HELD_ONCE = 2
"""References to candidates that one array holds, as `sys.getrefcount` counts."""


class PickedArray(TracedArray):
    """The elements of an array that a mask of unknown values picks.

    One axis stands for those that the mask picks among; in the candidates it has the mask's
    size.  It is counted from the last axis, as axes are when arrays broadcast.
    """

    __slots__ = ("_axis", "_candidates", "_family", "_parts", "_pick", "_shown")
    _is_picked = True
    _axis: int
    _candidates: Any
    _family: list[ReferenceType[PickedArray]]
    """The array of which this is a view, and its views; empty if there are none."""
    _parts: list[slice]
    """What parts were taken of it: views, which do not show what is written into it."""
    _pick: Pick
    _shown: tuple[Any, Any] | None
    """Of a slice, which is a view: the array that it shows, and the key."""

    @classmethod
    def _of(cls, trace: Trace, pick: Pick, candidates: Any, axis: int) -> PickedArray:
        array = frame(candidates.shape).view(cls)
        array._trace, array._values = trace, None
        array._pick, array._candidates, array._axis = pick, candidates, axis
        array._shown, array._parts, array._family = None, [], []
        # a dtype of its own, which is not the object that short ways look for
        array._dtype = np.dtype(candidates.dtype, copy=True)
        return array

    @property
    def _ids(self) -> NoReturn:  # type: ignore[override]
        refuse("x[mask], as an array or as a result", self)

    @property
    def flags(self) -> Any:
        """Those of a new array, of however many elements."""
        if self._shown is not None:
            refuse("x[mask].flags of a view", self)
        return np.empty((2,) * self._candidates.ndim).flags

    @property
    def alone(self) -> Any:
        """The candidates, where nothing else sees them or what is written into them."""
        is_part = self._shown is not None or self._parts
        return (
            None if is_part or sys.getrefcount(self._candidates) > _HELD_ONCE else self._candidates
        )

    @property
    def picked_by(self) -> tuple[Hashable, ...]:
        """Equal for arrays of which one mask picks the same elements, along the same axis."""
        return (self._axis, *self._pick.names)

    def of_others(self, candidates: Any) -> PickedArray:
        """The same elements of other candidates."""
        return self._of(self._trace, self._pick, candidates, self._axis)

    # ------------------------------------------------------------ how many there are
    def _count(self, call: str) -> int:
        """How many: a whole number of few values, each of which is a path of its own.

        The masks of few elements are decided instead.
        """
        decide(self)
        if self._trace.masks is None or not len(self._pick) < FEW_VALUES:
            refuse(call, self)
        return operator.index(self._pick.count(self._trace))

    def counted(self, call: str) -> Any:
        """The elements as an array of the trace, of as many as there are; each may be any."""
        return np.repeat(self._any(), self._count(call), axis=self._axis)

    @property  # type: ignore[misc]
    def shape(self) -> tuple[int, ...]:
        count = partial(self._count, "the shape of x[mask]")
        lengths, place = self._candidates.shape, self.ndim + self._axis
        return PickedShape(lengths, place, count, pick=self._pick, trace=self._trace)

    @property
    def size(self) -> Any:
        """How many: an unknown whole number, whose derivative is zero."""
        total = as_python(self._pick.count(self._trace))
        others = self._candidates.size // max(len(self._pick), 1)
        return total if others == 1 else total * others

    def __len__(self) -> int:
        if self._axis == -self.ndim:
            return self._count("len(x[mask])")
        return len(self._candidates)

    def __iter__(self) -> Any:
        if self._axis == -self.ndim:
            return iter(self.counted("a loop over x[mask]"))
        return (self[i] for i in range(len(self)))

    def tolist(self) -> Any:
        """As ndarray.tolist, of as many elements as there are."""
        return self.counted("x[mask].tolist()").tolist()

    def __bool__(self) -> bool:
        refuse("the truth value of x[mask]", self)

    def __repr__(self) -> str:
        return f"<elements of {self._candidates!r} that a mask picks>"

    __str__ = __repr__

    # -------------------------------------------------------------------- candidates
    def _over_candidates(self, move: Callable[[Any], Any]) -> PickedArray:
        """The same elements, moved within each or converted; the axes from the mask's on stay."""
        return self._of(self._trace, self._pick, move(self._candidates), self._axis)

    def _unknown(self) -> Any:
        """The candidates with no value known: a constant may be picked or not."""
        result = _unknown(self._trace, self._candidates)
        if self._trace.dependency:
            apart = np.broadcast_to(along_axis(self._pick.ids, self._axis), result._ids.shape)
            result._ids[...] = self._trace.graph.union(result._ids, apart)
        return result

    def _any(self) -> Any:
        """What each element may be: the union of all candidates, of length 1 along the axis."""
        return _any_along(self._trace, self._unknown(), self._axis)

    def _beside(self, x: object) -> Any:
        """Another operand as it meets the candidates."""
        if isinstance(x, (list, tuple)) and contains_traced(x):
            x = self._trace.wrap(elements_of(self._trace, x))
        if isinstance(x, PickedArray):
            if x._axis != self._axis:
                refuse("an operation on x[mask] and y[mask] along two axes", self, x)
            return x._candidates if meet(self._trace, x._pick, self._pick) else x._any()
        return aligned(self._trace, x, self._axis)

    # --------------------------------------------------------------------- protocols
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if ufunc is np.matmul and method == "__call__" and not kwargs:
            return _product(*inputs)
        if (
            method == "outer"
            and not kwargs
            and not any(isinstance(x, (list, tuple)) for x in inputs)
        ):
            a, b = inputs
            return ufunc(a[(..., *[None] * np.ndim(b))] if np.ndim(a) else a, b)
        if ufunc.signature is not None or method in ("outer", "at", "reduceat"):
            refuse(f"np.{ufunc.__name__}.{method} of x[mask]", *inputs)
        if method == "reduce":
            return self._reduced(ufunc.reduce, inputs[0], {"axis": 0, **kwargs})
        if method == "accumulate":
            return self._along(ufunc.accumulate, inputs[0], kwargs.get("axis", 0), kwargs)
        (out,) = kwargs.pop("out", (None,))
        if any(isinstance(x, PickedArray) for x in kwargs.values()):
            refuse(f"np.{ufunc.__name__}(..., where=x[mask])", *inputs, *kwargs.values())
        result = self.elementwise(partial(ufunc, **kwargs), inputs)
        if out is None:
            return result
        is_picked = isinstance(out, PickedArray)
        out[...] = result if is_picked else result.counted(f"np.{ufunc.__name__}(x[mask], out=)")
        return out

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in ELEMENTWISE:
            places = ELEMENTWISE[function]
            chosen = args if places is None else [args[i] for i in places if i < len(args)]
            held = [x for x in (*args, *kwargs.values()) if isinstance(x, PickedArray)]
            if any(all(x is not y for y in chosen) for x in held):
                return self._otherwise(function, args, kwargs)
            return self.elementwise(partial(_called_at, function, args, kwargs, places), chosen)
        if function is _PLACE:
            return _placed(**_signature(function).bind(*args, **kwargs).arguments)
        if function not in _ANSWERS and args and isinstance(args[0], (list, tuple)):
            rows = stacked(args[0])
            if rows is not None:
                return function(rows, *args[1:], **kwargs)
        picked = args[0] if args else None
        if function in _COUNTING and isinstance(picked, PickedArray):
            return getattr(picked, function.__name__)
        if function in _PRODUCTS and len(args) == 2 and not kwargs:
            return _product(*args)
        if not isinstance(picked, PickedArray) or any(
            map(contains_traced, (*args[1:], *kwargs.values()))
        ):
            return self._otherwise(function, args, kwargs)
        if function in _REORDERING and picked.ndim == 1:
            return picked._over_candidates(lambda x: np.repeat(picked._any(), len(x)))
        options = dict(list(_signature(function).bind(*args, **kwargs).arguments.items())[1:])
        if function in _REDUCTIONS:
            return self._reduced(function, picked, options)
        if function in _PREFIXES:
            return self._along(function, picked, options.get("axis"), kwargs)
        return self._otherwise(function, args, kwargs)

    def _otherwise(self, function: Any, args: Any, kwargs: Any) -> Any:
        """What a function gives that asks for more than a reduction does."""
        every = (*_flat(args), *_flat(kwargs.values()))
        decide(*every)
        answer = _ANSWERS.get(function)
        if answer is not None and _takes(answer, self._trace, *args, **kwargs):
            result = answer(self._trace, *args, **kwargs)
            if result is not NotImplemented:
                return result
        call = f"{name_of(function)} of x[mask]"
        if not any(isinstance(x, PickedArray) for x in every):
            refuse(call, *every)
        return function(
            *_counted(args, call), **dict(zip(kwargs, _counted(kwargs.values(), call), strict=True))
        )

    def elementwise(self, call: Callable[..., Any], inputs: Iterable[Any]) -> Any:
        """What is computed of each element by itself."""
        inputs = list(inputs)
        first = next(x for x in inputs if isinstance(x, PickedArray))
        result = call(*map(first._beside, inputs))
        wrapped = partial(self._of, self._trace, first._pick, axis=first._axis)
        if isinstance(result, tuple):
            return tuple(wrapped(candidates=item) for item in result)
        return wrapped(candidates=result)

    def _reduced(self, reduce: Callable[..., Any], x: PickedArray, options: dict[str, Any]) -> Any:
        axis, ndim = options.get("axis"), x.ndim
        axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        places = {a + ndim if a < 0 else a for a in axes}
        if ndim + x._axis in places:
            if reduce in _NOT_OF_NOTHING:
                may_raise(self._trace, _NOTHING)
            return reduce(x._unknown(), **options)
        behind = 0 if options.get("keepdims") is True else sum(a > ndim + x._axis for a in places)
        result = reduce(x._candidates, **options)
        return self._of(self._trace, x._pick, result, x._axis + behind)

    def _along(self, call: Callable[..., Any], x: PickedArray, axis: Any, options: Any) -> Any:
        """Prefixes: of the picked elements, those of all candidates that come before."""
        if axis is None and x.ndim > 1:
            refuse("a prefix over x[mask] with several axes", x)
        place = 0 if axis is None else axis + x.ndim if axis < 0 else axis
        over = x._unknown() if place == x.ndim + x._axis else x._candidates
        return self._of(self._trace, x._pick, call(over, **options), x._axis)

    # ---------------------------------------------------------------------- elements
    def _entries(self, key: object) -> tuple[list[Any], int]:
        """A key of numbers, slices and None, one entry an axis, and where the mask's stands."""
        entries = list(indexing.expanded(self.ndim, key))
        place, axis = self.ndim + self._axis, -1
        for position, entry in enumerate(entries):
            axis += entry is not None
            if axis == place and entry is not None:
                return entries, position
        raise AssertionError("a key without an entry for the axis of the mask")

    def __getitem__(self, key: Any) -> Any:
        trace = self._trace
        if isinstance(key, PickedArray):
            if key._axis != -1 or self._axis != -self.ndim:
                refuse("x[mask] with an index of several dimensions", self, key)
            if key.dtype.kind == "b" and meet(trace, key._pick, self._pick):
                again = Pick(trace, key._candidates, self._pick)
                candidates = self._candidates  # which are written in place
                if is_traced_array(candidates):
                    candidates = candidates.copy()
                return self._of(trace, again, candidates, self._axis)
            chosen = np.broadcast_to(self._any(), (len(key._pick), *self._candidates.shape[1:]))
            return self._of(trace, key._pick, chosen, self._axis)
        if is_traced(key) and not key.ndim and key.dtype.kind in "iu":  # that of the largest one
            may_raise(trace, _OUT_OF_BOUNDS)
            if self._axis != -self.ndim:
                refuse("x[mask] with an index of several elements", self, key)
            return _chosen_by(trace, key, self._any()[0])
        if _is_of_places(key) and self._axis == -self.ndim:
            decide(self, key)
            may_raise(trace, _OUT_OF_BOUNDS)
            result = np.broadcast_to(self._any()[0], (*np.shape(key), *self._candidates.shape[1:]))
            return _chosen_by(trace, key, result.copy())
        if not indexing.is_simple(key):
            refuse("x[mask] with an index of several elements", self, key)
        entries, position = self._entries(key)
        entry = entries[position]
        if isinstance(entry, (int, np.integer)):  # the first one, the last one: any
            may_raise(trace, _OUT_OF_BOUNDS)
            entries[position] = 0
            return self._any()[tuple(entries)]
        if entry == slice(None, None, -1):
            return np.flip(self) if self.ndim == 1 else refuse("x[mask] in reverse", self)
        if entry != slice(None):
            decide(self)
            entries[position] = slice(None)
            return part_of(self, entry)[tuple(entries)]
        behind = sum(isinstance(e, (int, np.integer)) for e in entries[position + 1 :])
        behind -= sum(e is None for e in entries[position + 1 :])
        part = self._candidates[tuple(entries)]
        return self._view(self._of(trace, self._pick, part, self._axis + behind))

    def _view(self, view: PickedArray) -> PickedArray:
        """A view of this array, into which nothing is written if this is a slice."""
        view._shown = None if self._shown is None else (None, None)
        view._parts = self._parts
        if not self._family:
            self._family.append(ref(self))
        self._family[:] = [one for one in self._family if one() is not None]
        self._family.append(ref(view))
        view._family = self._family
        return view

    def _writable(self) -> Any:
        """The candidates, to be written in place: views show what is written."""
        candidates = self._candidates
        if not (is_traced_array(candidates) and candidates._ids.flags.writeable):
            if any(one() is not None and one() is not self for one in self._family):
                refuse("an assignment to x[mask], of which there is a view,", self)
            self._candidates = candidates = _traced(self._trace, candidates)
        return candidates

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._parts:
            refuse("an assignment to x[mask], of which a part is a view,", self)
        if self._shown is None:
            self._write(key, value)
            return
        # what a slice shows keeps its elements or takes the new ones, and the slice shows that
        source, place = self._shown
        if source is None:
            refuse("an assignment to a part of x[i:j]", self)
        new = self._over_candidates(lambda x: x.copy())
        new._write(key, value)
        source[place] = new

    def _write(self, key: Any, value: Any) -> None:
        if isinstance(key, PickedArray):
            if self._is_beside(key) and np.ndim(value) == 0:
                self._writable()[key._candidates] = value
                return
            if key._axis != -1 or self.ndim != 1:
                refuse("x[mask] with an index of several dimensions", self, key)
            if key.dtype.kind != "b" or not key._pick.is_same(self._pick):
                new = self._any_of(value)
                self._writable()[:] = np.add(self._unknown(), new * 1.0)
                return
            again = Pick(self._trace, key._candidates, self._pick)
            if isinstance(value, PickedArray):
                same = value._axis == -1 and meet(self._trace, value._pick, again)
                value = value._candidates if same else value._any()
            else:
                value = aligned(self._trace, value, -1)
            mask = _unknown(self._trace, key._candidates)
            self._writable()[...] = np.where(mask, value, self._candidates)
            return
        entries, position = self._entries(key)
        if entries[position] == slice(None):
            self._writable()[tuple(entries)] = self._beside(value)
        else:
            self._write_part(entries, position, value)

    def _write_part(self, entries: list[Any], position: int, value: Any) -> None:
        """Let each candidate keep its element or take any of those that are written to a part."""
        decide(self)
        entry, entries[position] = entries[position], slice(None)
        axis = sum(isinstance(e, slice) or e is None for e in entries[:position])
        axis -= sum(isinstance(e, slice) or e is None for e in entries)  # from the last one
        if isinstance(entry, (int, np.integer)):
            may_raise(self._trace, _OUT_OF_BOUNDS)
            value = np.expand_dims(value, axis) if np.ndim(value) >= -axis else value
        if isinstance(value, PickedArray):
            if value._axis != axis:
                refuse("an assignment to a part of x[mask]", self, value)
            value = value._any()
        elif np.ndim(value) >= -axis:
            value = _any_along(self._trace, value, axis)
        part = self._writable()[tuple(entries)]
        new = moved_ids(self._trace, _unknown(self._trace, value), self._dtype)
        graph = self._trace.graph
        if self._trace.dependency:  # which one it is depends on the mask
            new = graph.union(new, graph.union_rows(self._pick.every(self._trace)[None])[0])
        either = graph.union(part._ids, np.broadcast_to(new, part.shape))
        part[...] = self._trace.wrap(Elements(either, self._dtype, keep_array=True))

    def _is_beside(self, mask: PickedArray) -> bool:
        """Whether this is a mask of the same elements, in as many dimensions."""
        return (
            mask.dtype.kind == "b"
            and self.ndim == mask.ndim
            and mask._axis == self._axis
            and mask._candidates.shape == self._candidates.shape
            and mask._pick.is_same(self._pick)
        )

    def _any_of(self, value: object) -> Any:
        if isinstance(value, PickedArray):
            return value._any()
        return _unknown(self._trace, aligned(self._trace, value, self._axis))

    # ----------------------------------------------------------------------- methods
    def astype(self, dtype: object, *args: Any, **kwargs: Any) -> Any:
        """As ndarray.astype."""
        return self._over_candidates(lambda x: x.astype(dtype, *args, **kwargs))

    def copy(self, order: object = "C") -> Any:
        """As ndarray.copy."""
        return self._over_candidates(lambda x: x.copy())

    def item(self, *args: Any) -> Any:
        """As ndarray.item: without a place any element may be the one that is picked."""
        if args or self._candidates.ndim > 1:
            return super().item(*args)
        may_raise(self._trace, _NO_SCALAR)
        return self._any().item()

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """As ndarray.view, for arrays of NumPy's own with as many elements."""
        for wanted in (*args, *kwargs.values()):
            is_class = isinstance(wanted, type) and issubclass(wanted, np.ndarray)
            if not is_class and np.dtype(wanted).itemsize != self._dtype.itemsize:
                self._reinterpreted("ndarray.view")
        return self._view(self._over_candidates(lambda x: x.view(*args, **kwargs)))

    @property  # type: ignore[misc]
    def real(self) -> Any:
        return self._view(np.real(self))

    @property  # type: ignore[misc]
    def imag(self) -> Any:
        return self._view(np.imag(self))

    @property
    def T(self) -> Any:
        if self.ndim != 2:
            return self if self.ndim == 1 else refuse("x[mask].T", self)
        return self._view(self._of(self._trace, self._pick, self._candidates.T, -3 - self._axis))

    def transpose(self, *axes: Any) -> Any:
        """As ndarray.transpose, of one or two dimensions."""
        order = axes[0] if len(axes) == 1 else axes
        places = range(self.ndim) if self.ndim < 3 else ()
        is_kept = order not in (None, ()) and [a % self.ndim for a in np.ravel(order)] == [*places]
        return self[...] if is_kept else self.T

    def ravel(self, order: object = "C") -> Any:
        """As ndarray.ravel, of one dimension, or of one that is longer than 1."""
        if self.ndim == 1:
            return self
        if self._candidates.size != len(self._pick) or order not in ("C", "K"):
            refuse("x[mask].ravel()", self)
        flat = self._candidates.reshape(-1)
        return self._view(self._of(self._trace, self._pick, flat, -1))

    def flatten(self, order: object = "C") -> Any:
        """As ndarray.flatten, of one dimension, or of one that is longer than 1."""
        return self.ravel(order).copy()

    def reshape(self, *shape: Any, **options: Any) -> Any:
        """As ndarray.reshape to ``-1``, ``(-1, 1)`` and ``(1, -1)``, of one dimension."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        if self.ndim != 1 or sorted(wanted)[:1] != [-1] or set(wanted) - {-1, 1}:
            refuse("x[mask].reshape()", self)
        return self[tuple(slice(None) if n == -1 else None for n in wanted)]


# ------------------------------------------------------------------------ candidates
@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _takes(function: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
    """Whether a function has such parameters."""
    try:
        _signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _called_at(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    places: Sequence[int] | None,
    *chosen: Any,
) -> Any:
    """A call with other arguments at some places, all if these are None."""
    given = list(args)
    for i, x in zip(range(len(args)) if places is None else places, chosen, strict=False):
        given[i] = x
    return function(*given, **kwargs)


def _traced(trace: Trace, x: object) -> Any:
    """Candidates as an array of the trace that may be written."""
    ids = np.array(ids_of(trace, x))
    return trace.wrap(Elements(ids, dtype_of(x), keep_array=True))


def _placed(arr: Any, mask: Any, vals: Any) -> None:
    """Write as many as the mask picks; of the same mask they stand at the same places."""
    picked = [x for x in (arr, mask, vals) if isinstance(x, PickedArray)]
    if any(x is not vals for x in picked) or vals.ndim != 1 or np.shape(mask) != np.shape(arr):
        refuse("np.place of x[mask]", *picked)
    trace = vals._trace
    if meet(trace, Pick(trace, mask), vals._pick):
        arr[mask] = vals
    else:
        may_raise(trace, partial(ValueError, "Cannot insert from an empty array!"))
        arr[mask] = vals._any()


def _unknown(trace: Trace, x: object) -> Any:
    ids = np.maximum(ids_of(trace, x), trace.graph.opaque)
    return trace.wrap(Elements(np.asarray(ids), dtype_of(x), keep_array=isinstance(x, np.ndarray)))


def _is_of_places(key: object) -> bool:
    """Whether this is an array or a list of whole numbers."""
    if isinstance(key, list):
        return all(
            isinstance(place, (int, np.integer)) and not isinstance(place, bool) for place in key
        )
    return isinstance(key, np.ndarray) and key.dtype.kind in "iu"


def _chosen_by(trace: Trace, key: Any, result: Any) -> Any:
    """What an index has chosen, which depends on the index as well."""
    if not trace.dependency or not is_traced(key):
        return result
    chosen = np.asarray(ids_of(trace, key))
    ids = ids_of(trace, result)
    chosen = chosen.reshape(chosen.shape + (1,) * (np.ndim(ids) - chosen.ndim))
    either = np.asarray(trace.graph.union(ids, np.broadcast_to(chosen, np.shape(ids))))
    return trace.wrap(Elements(either, dtype_of(result), keep_array=np.ndim(ids) > 0))


def _any_along(trace: Trace, x: object, axis: int) -> Any:
    ids = np.moveaxis(np.asarray(ids_of(trace, x)), axis, -1)
    united = np.moveaxis(trace.graph.union_rows(ids)[..., None], -1, axis)
    return trace.wrap(Elements(np.array(united), dtype_of(x), keep_array=True))


def aligned(trace: Trace, x: Any, axis: int) -> Any:
    """An operand that is not picked, as it meets candidates.

    Where it has a length along their axis, that is the number of the picked ones.
    """
    if np.ndim(x) >= -axis and np.shape(x)[axis] != 1:
        return _any_along(trace, x, axis)
    return x


def _product(a: Any, b: Any) -> Any:
    """``a @ b``, where the axis of a mask is summed over, or is one of the first factor's rows."""
    if np.ndim(a) == 1 == np.ndim(b):
        return np.sum(np.multiply(a, b))
    if isinstance(a, PickedArray) and a._axis < -1 and not isinstance(b, PickedArray):
        columns = np.ndim(b) > 1
        axis = a._axis if columns else a._axis + 1
        return a._of(a._trace, a._pick, a._candidates @ b, axis)
    inner = [
        x for x, axis in ((a, -1), (b, max(-2, -np.ndim(b)))) if getattr(x, "_axis", 0) == axis
    ]
    if len(inner) == 2 and meet(a._trace, a._pick, b._pick):
        return a._unknown() @ b._unknown()
    decide(a, b)
    return np.matmul(*_counted((a, b), "a product with x[mask]"))


_ANSWERS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Of functions that ask which elements stand side by side (`picked_functions`)."""


def answer_by(answers: dict[Callable[..., Any], Callable[..., Any]]) -> None:
    """Let some functions be answered by others, which are given the trace first."""
    _ANSWERS.update(answers)


def stacked(items: Any) -> PickedArray | None:
    """A list of what one mask picks of arrays of one dimension, as an array that has them as rows.

    None for anything else.
    """
    if not isinstance(items, (list, tuple)) or not any(isinstance(x, PickedArray) for x in items):
        return None
    return np.stack(items) if all(np.ndim(x) == 1 for x in items) else None  # type: ignore[return-value]


def _flat(items: Iterable[Any]) -> list[Any]:
    """What is in lists and tuples, one after the other."""
    return [y for x in items for y in (_flat(x) if isinstance(x, (list, tuple)) else [x])]


def _counted(items: Any, call: str) -> list[Any]:
    """The same with arrays of as many elements as are picked."""
    return [
        x.counted(call)
        if isinstance(x, PickedArray)
        else type(x)(_counted(x, call))
        if type(x) in (list, tuple)
        else x
        for x in items
    ]


def part_of(array: PickedArray, part: slice) -> PickedArray:
    """``x[mask][1:]``: elements that may be any, of as many as are left."""
    ends = part.start, part.stop, part.step
    if array._shown is not None or not all(isinstance(e, (int, np.integer)) for e in ends if e):
        refuse("a part of x[mask]", array)
    trace, pick = array._trace, array._pick
    start, stop = (end or 0 for end in ends[:2])
    counts = [len(pick)] if start >= 0 and (part.step or 1) > 0 else range(len(pick) + 1)
    most = max(len(range(*part.indices(count))) for count in counts)
    ids = np.full(most, trace.graph.opaque, np.int32)
    if trace.dependency:
        ids[:] = trace.graph.union_rows(pick.every(trace)[None])[0]
    mask = trace.wrap(Elements(ids, np.dtype(bool), keep_array=True))
    if start >= 0 >= stop and part.step in (None, 1) and trace.names is not None:
        trace.names.name(mask._ids, ("fewer", start - stop, pick.names))
    candidates = np.repeat(array._any(), most, axis=array._axis)
    made = array._of(trace, Pick(trace, mask), candidates, array._axis)
    made._parts = array._parts
    made._parts.append(part)
    return made


def along_axis(values: NDArray[Any], axis: int) -> NDArray[Any]:
    """A vector as it stands along an axis, counted from the last one."""
    return values.reshape(values.shape + (1,) * (-axis - 1))

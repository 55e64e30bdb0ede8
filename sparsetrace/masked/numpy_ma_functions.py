"""The functions of numpy.ma that compute, reduce, join and rearrange.

Contract: as numpy.ma has them, in terms of NumPy's functions on the data and on the mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple
from numpy.ma import masked, nomask

from sparsetrace.masked.answers import FUNCTIONS, answers, as_masked, done, traced_parts
from sparsetrace.masked.axis_reductions import dot, median, sort
from sparsetrace.masked.construction import masked_by
from sparsetrace.masked.data_and_mask import (
    Parts,
    as_mask,
    as_traced,
    filled,
    full_mask,
    known_mask,
    moved,
    parts_of,
    settled,
    shaped,
    united,
)
from sparsetrace.masked.masked_array import MaskedTracedArray, over
from sparsetrace.masked.ufuncs import current_trace, power_call
from sparsetrace.operands.operands import dtype_of, is_traced

__all__ = ["rearranged"]


FUNCTIONS["power"] = lambda a, b, third=None: _power(a, b, third)


def _power(a: Any, b: Any, third: Any) -> Any:
    if third is not None:
        raise np.ma.MaskError("3-argument power not supported.")
    return power_call(a, b)


@answers()
def _where(condition: Any, x: Any = np._NoValue, y: Any = np._NoValue) -> Any:
    if x is np._NoValue or y is np._NoValue:
        if x is not y:
            raise ValueError("Must provide both 'x' and 'y' or neither.")
        return np.nonzero(filled(parts_of(condition), False))
    trace = current_trace()
    chosen, a, b = (parts_of(v) for v in (condition, x, y))
    if x is masked:
        a = Parts(np.zeros((), dtype_of(b.data)), a.mask)
    if y is masked:
        b = Parts(np.zeros((), dtype_of(a.data)), b.mask)
    truth = filled(chosen, False)
    mask = united(_chosen_mask(truth, full_mask(a), full_mask(b)), chosen.mask)
    everything = as_traced(trace, np.where(truth, a.everything, b.everything))
    if is_traced(mask):
        data = as_traced(trace, np.where(truth, *_valid_sides(a, b)))
        return MaskedTracedArray(trace, Parts(data, mask, everything))
    mask = shaped(mask, np.shape(everything)) if mask.any() else nomask
    if not is_traced(everything):
        return np.ma.MaskedArray(everything, mask=mask)
    return MaskedTracedArray(trace, Parts(everything, mask))


def _chosen_mask(truth: Any, first: Any, second: Any) -> Any:
    """The mask of the side that is chosen; where both are alike it does not matter which."""
    chosen = np.where(truth, first, second)
    if is_traced(chosen) and not is_traced(first) and not is_traced(second):
        alike = np.broadcast_to(first == second, np.shape(chosen))
        chosen = np.where(alike, first, chosen)
    return settled(chosen)


def _valid_sides(a: Parts, b: Parts) -> tuple[Any, Any]:
    """The data of both, each with the other's where it is masked: there it is never seen."""
    first, second = a.data, b.data
    if a.mask is not nomask and not is_traced(a.mask) and a.mask.any():
        first = np.where(a.mask, b.data, a.data)
    if b.mask is not nomask and not is_traced(b.mask) and b.mask.any():
        second = np.where(b.mask, a.data, b.data)
    return first, second


@answers("dot")
def _dot(a: Any, b: Any, strict: bool = False, out: Any = None) -> Any:
    return done(dot(current_trace(), traced_parts(a), traced_parts(b), out, strict))


@answers("inner", "innerproduct")
def _inner(a: Any, b: Any) -> Any:
    return done(Parts(np.inner(*(np.atleast_1d(filled(parts_of(v), 0)) for v in (a, b)))))


@answers("outer", "outerproduct")
def _outer(a: Any, b: Any) -> Any:
    left, right = traced_parts(a), traced_parts(b)
    data = np.outer(filled(left, 0), filled(right, 0))
    if left.mask is nomask and right.mask is nomask:
        return done(Parts(data))
    columns = full_mask(left).reshape(-1, 1)
    mask = united(shaped(columns, data.shape), shaped(full_mask(right).reshape(-1), data.shape))
    return done(Parts(data, mask))


def _sliding(name: str) -> None:
    function = getattr(np, name)
    mode_by_default = "full" if name == "convolve" else "valid"

    @answers(name)
    def slide(a: Any, v: Any, mode: str = mode_by_default, propagate_mask: bool = True) -> Any:
        call = f"numpy.ma.{name}"
        parts = [traced_parts(x) for x in (a, v)]
        missing = [known_mask(p, call).astype(int) for p in parts]
        if not propagate_mask:
            data = function(*(filled(p, 0) for p in parts), mode=mode)
            return done(Parts(data, function(*(1 - m for m in missing), mode=mode) == 0))
        data = function(*(p.data for p in parts), mode=mode)
        first, second = missing
        hidden = function(first, np.ones_like(second), mode=mode)
        hidden = hidden + function(np.ones_like(first), second, mode=mode)
        return done(Parts(data, hidden > 0))


_sliding("convolve")
_sliding("correlate")


# ---------------------------------------------------------------- statistics
def _method(name: str, *, masked_argument: int = 0) -> None:
    """A function that is the method of its (first) argument."""

    @answers(name)
    def call(*args: Any, **kwargs: Any) -> Any:
        arguments = list(args)
        a = arguments.pop(masked_argument) if args else kwargs.pop("a")
        return getattr(as_masked(a), name)(*arguments, **kwargs)


for _name in (
    "all anom any argmax argmin argsort clip compressed copy count cumprod cumsum diagonal "
    "harden_mask max mean min prod ptp put ravel repeat reshape soften_mask squeeze std sum "
    "swapaxes take trace transpose var"
).split():
    _method(_name)
_method("compress", masked_argument=1)
FUNCTIONS["product"] = FUNCTIONS["prod"]
FUNCTIONS["anomalies"] = FUNCTIONS["anom"]
FUNCTIONS["amax"], FUNCTIONS["amin"] = FUNCTIONS["max"], FUNCTIONS["min"]
FUNCTIONS["alltrue"] = lambda target, axis=0, dtype=None: as_masked(target).all(axis)
FUNCTIONS["sometrue"] = lambda target, axis=0, dtype=None: as_masked(target).any(axis)


@answers("round", "round_")
def _round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    return as_masked(a).round(decimals, out)


@answers("sort")
def _sort(a: Any, axis: Any = -1, *args: Any, **kwargs: Any) -> Any:
    parts = traced_parts(a)
    if axis is None:
        parts, axis = moved(parts, lambda part: part.reshape(-1)), 0
    return done(sort(current_trace(), parts, axis, *args, **kwargs))


@answers("median")
def _median(a: Any, *args: Any, **kwargs: Any) -> Any:
    return done(median(current_trace(), traced_parts(a), *args, **kwargs))


@answers()
def _average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *,
    keepdims: Any = np._NoValue,
) -> Any:  # fmt: skip
    m = as_masked(a)
    if weights is None:
        found, scale = m.mean(axis, keepdims=keepdims), m.count(axis)
    else:
        factors = as_masked(weights)
        if factors.shape != m.shape:
            factors = _along(factors, m.shape, axis)
        factors = masked_by(m.mask, factors)
        scale = factors.sum(axis, keepdims=keepdims)
        found = (m * factors).sum(axis, keepdims=keepdims) / scale
    if not returned:
        return found
    if np.shape(scale) != np.shape(found):
        scale = np.broadcast_to(scale, np.shape(found)).copy()
    return found, scale


def _along(weights: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Weights given for some axes alone, with the shape of the array."""
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = normalize_axis_tuple(axis, len(shape))
    if weights.shape != tuple(shape[i] for i in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along axis.")
    placed = weights.transpose(*np.argsort(axes).tolist())
    placed = placed.reshape(tuple(n if i in axes else 1 for i, n in enumerate(shape)))
    mask = placed.mask if placed.mask is nomask else shaped(placed.mask, shape)
    return over(current_trace(), np.broadcast_to(placed.data, shape).copy(), mask)


# ------------------------------------------------------------------- assembly
def _joined(name: str) -> None:
    """A function of a sequence of arrays that moves elements."""
    function = getattr(np, name)

    @answers(name)
    def join(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        parts = [traced_parts(a) for a in arrays]
        data = function([p.everything for p in parts], *args, **kwargs)
        if name == "concatenate" and all(p.mask is nomask for p in parts):
            return done(Parts(data))
        mask = settled(function([full_mask(p) for p in parts], *args, **kwargs))
        beneath = None
        if is_traced(mask):
            beneath = data
            data = function([p.data for p in parts], *args, **kwargs)
        return done(Parts(data, mask, beneath))


for _name in "column_stack concatenate dstack hstack stack vstack".split():
    _joined(_name)
FUNCTIONS["row_stack"] = FUNCTIONS["vstack"]


@answers()
def _append(a: Any, b: Any, axis: Any = None) -> Any:
    if axis is None:
        return FUNCTIONS["concatenate"]([as_masked(v).ravel() for v in (a, b)])
    return FUNCTIONS["concatenate"]([a, b], axis)


def rearranged(function: Callable[..., Any], a: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a function that moves elements, or of one that gives several arrays."""
    parts = traced_parts(a)
    data = function(parts.data, *args, **kwargs)
    masks = function(full_mask(parts), *args, **kwargs)
    under = None if parts.beneath is None else function(parts.beneath, *args, **kwargs)
    if isinstance(data, (list, tuple)):
        below = under or [None] * len(data)
        return [done(Parts(d, settled(m), b)) for d, m, b in zip(data, masks, below, strict=True)]
    return done(Parts(data, nomask if parts.mask is nomask else settled(masks), under))


def _rearrangement(name: str) -> None:
    function = getattr(np, name)

    @answers(name)
    def rearrange(a: Any, *args: Any, **kwargs: Any) -> Any:
        return rearranged(function, a, *args, **kwargs)


for _name in "diag diagflat expand_dims resize".split():
    _rearrangement(_name)


@answers()
def _hsplit(a: Any, indices_or_sections: Any) -> Any:
    # numpy.ma makes one array of the pieces
    return rearranged(lambda part: np.stack(np.hsplit(part, indices_or_sections)), a)


def _raised(name: str) -> None:
    function = getattr(np, name)

    @answers(name)
    def raise_dimensions(*arrays: Any) -> Any:
        found = tuple(rearranged(function, a) for a in arrays)
        return found[0] if len(found) == 1 else found


for _name in "atleast_1d atleast_2d atleast_3d".split():
    _raised(_name)


@answers()
def _diff(
    a: Any, /, n: int = 1, axis: int = -1, prepend: Any = np._NoValue, append: Any = np._NoValue
) -> Any:
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    out = as_masked(a)
    ends = []
    for end in (prepend, append):
        if end is not np._NoValue:
            end = as_masked(end)
            if not end.ndim:
                shape = tuple(1 if i == axis % out.ndim else k for i, k in enumerate(out.shape))
                end = over(current_trace(), np.broadcast_to(end.data, shape).copy())
        ends.append(end)
    pieces = [p for p in (ends[0], out, ends[1]) if p is not np._NoValue]
    if len(pieces) > 1 and n:
        out = FUNCTIONS["concatenate"](pieces, axis)
    front = (slice(None),) * (axis % out.ndim)
    for _ in range(n):
        out = out[(*front, slice(1, None))] - out[(*front, slice(None, -1))]
    return out


@answers()
def _ediff1d(arr: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    flat = as_masked(arr).ravel()
    pieces = [flat[1:] - flat[:-1]]
    if to_begin is not None:
        pieces.insert(0, to_begin)
    if to_end is not None:
        pieces.append(to_end)
    if len(pieces) == 1:
        return pieces[0]
    return FUNCTIONS["concatenate"]([as_masked(p).ravel() for p in pieces])


@answers()
def _putmask(a: Any, mask: Any, values: Any) -> None:
    target = as_masked(a)
    chosen = as_mask(current_trace(), filled(parts_of(mask), False))
    found = FUNCTIONS["where"](chosen, values, target)
    target._store(parts_of(found))


@answers()
def _ndenumerate(a: Any, compressed: bool = True) -> Iterator[tuple[tuple[int, ...], Any]]:
    m = as_masked(a)
    known_mask(parts_of(m), "numpy.ma.ndenumerate")
    for at in np.ndindex(m.shape):
        value = m[at]
        if value is not masked:
            yield at, value
        elif not compressed:
            yield at, masked


# ----------------------------------------------------------- rows and columns
@answers()
def _compress_nd(x: Any, axis: Any = None) -> Any:
    parts = traced_parts(x)
    mask = known_mask(parts, "numpy.ma.compress_nd")
    data = parts.everything
    if mask.all() and mask.size:
        return np.zeros(0)
    axes = range(mask.ndim) if axis is None else normalize_axis_tuple(axis, mask.ndim)
    for ax in axes:
        others = tuple(i for i in range(mask.ndim) if i != ax)
        data = data[(slice(None),) * ax + (~mask.any(axis=others),)]
    return data


@answers()
def _compress_rowcols(x: Any, axis: Any = None) -> Any:
    if np.ndim(parts_of(x).data) != 2:
        raise NotImplementedError("compress_rowcols works for 2D arrays only.")
    return _compress_nd(x, axis)


FUNCTIONS["compress_rows"] = lambda a: _compress_rowcols(a, 0)
FUNCTIONS["compress_cols"] = lambda a: _compress_rowcols(a, 1)


@answers()
def _mask_rowcols(a: Any, axis: Any = None) -> Any:
    m = as_masked(a)
    if m.ndim != 2:
        raise NotImplementedError("mask_rowcols works for 2D arrays only.")
    if m.mask is nomask:
        return m
    mask = m.mask
    if not axis:
        mask = united(mask, np.any(m.mask, axis=1, keepdims=True))
    if axis in (None, 1, -1):
        mask = united(mask, np.any(m.mask, axis=0, keepdims=True))
    return over(current_trace(), m.data, mask)


FUNCTIONS["mask_rows"] = lambda a, axis=np._NoValue: _mask_rowcols(a, 0)
FUNCTIONS["mask_cols"] = lambda a, axis=np._NoValue: _mask_rowcols(a, 1)


def _constants_like(name: str) -> None:
    function = getattr(np, name)

    @answers(name)
    def like(a: Any, *args: Any, **kwargs: Any) -> Any:
        parts = traced_parts(a)
        made = function(parts.data, *args, **kwargs)
        mask = parts.mask
        kept = mask is nomask or np.shape(made) != np.shape(mask)
        return done(Parts(made, nomask if kept else mask.copy()))


for _name in "empty_like ones_like zeros_like".split():
    _constants_like(_name)


@answers()
def _masked_all_like(arr: Any) -> Any:
    data = np.zeros_like(traced_parts(arr).data)
    return done(Parts(data, np.ones(np.shape(data), bool)))

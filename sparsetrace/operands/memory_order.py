"""The order in which the elements of a result lie in memory, which is NumPy's.

Contract: `laid_out` moves no element to another index.  It copies a result whose elements lie
in memory in another order than those of the plain call, and leaves alone what shares memory
with an operand.  The order matters to ``r.ravel("K")`` and ``r.reshape(n, order="A")``, and
decides whether ``r.ravel()`` is a view or a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import ge
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
from numpy import asarray, einsum, fft, ndarray, nditer, ones

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids
from sparsetrace.operands.operands import Elements, dtype_of, is_traced, is_traced_array

__all__ = ["NUMBERS", "laid_out", "lies_in", "of_ufunc", "ordered"]

_TURNING = frozenset((einsum, *(getattr(fft, name) for name in fft.__all__)))
"""Functions that give another order for operands that lie in C order."""
_IN_C_ORDER = frozenset(
    (np.dot, np.inner, np.matmul, np.tensordot, np.vecdot, np.linalg.matmul, np.linalg.tensordot)
)
"""Functions that give C order for operands of any order."""
NUMBERS = frozenset((int, float, complex, bool, np.float64))
"""Types of operands that have no part in the order of a result."""


def lies_in(array: Any, order: Any) -> bool:
    """Whether an array that may be taken as it is lies in the order that is asked for."""
    wanted = (order or "K").upper()
    return wanted not in ("C", "F") or bool(array.flags[f"{wanted}_CONTIGUOUS"])


def ordered(ids: Ids, like: Any) -> Ids:
    """The ids in the order in which the elements of `like` lie, if these leave no gaps."""
    steps = [-abs(step) if n > 1 else 0 for step, n in zip(like.strides, like.shape, strict=True)]
    axes = sorted(range(like.ndim), key=steps.__getitem__)
    if ids.transpose(axes).flags.c_contiguous or not like.transpose(axes).flags.c_contiguous:
        return ids
    return ids.transpose(axes).copy("C").transpose(np.argsort(axes))


def of_ufunc(ids: Ids, inputs: Any, order: Any = "K") -> Ids:
    """The ids in the order in which a ufunc that works by element gives its result."""
    if ids.ndim < 2 or type(ids) is not ndarray or not ids.size:
        return ids
    if order == "K" and ids.flags.c_contiguous and all(map(_keeps_c_order, inputs)):
        return ids
    arrays = [x._ids if is_traced(x) else asarray(x) for x in inputs]
    arrays = [a for a in arrays if isinstance(a, ndarray) and a.ndim > 1]
    if (
        order == "K"
        and ids.flags.f_contiguous
        and all(a.flags.f_contiguous and a.shape == ids.shape for a in arrays)
    ):
        return ids
    operands: Any = [*arrays, None]
    flags: Any = [["readonly"]] * len(arrays) + [["writeonly", "allocate"]]
    dtypes = [None] * len(arrays) + [ids.dtype]
    walk = nditer(operands, ["refs_ok"], flags, dtypes, order=order, itershape=ids.shape)
    return ordered(ids, walk.operands[-1])


def laid_out(
    trace: Trace, result: Any, call: Callable[..., Any], args: Any, kwargs: dict[str, Any]
) -> Any:
    """The elements that a rule gave for a call, in the order of the plain call's."""
    if type(result) is Elements:
        ids = result.ids
        if not _has_order(ids) or (ids.flags.c_contiguous and _is_of_c(call, args, kwargs)):
            return result
    several = type(result) in (list, tuple)
    results = list(result) if several else [result]
    if not any(type(e) is Elements and _has_order(e.ids) for e in results):
        return result
    in_c_order = all(e.ids.flags.c_contiguous for e in results if type(e) is Elements)
    if in_c_order and _is_of_c(call, args, kwargs):
        return result
    operands = list(_arrays((*args, *kwargs.values())))
    sample = _sample(call, args, kwargs)
    samples = list(sample) if several and isinstance(sample, (list, tuple)) else [sample]
    if len(samples) != len(results):
        return result
    for e, like in zip(results, samples, strict=True):
        if type(e) is not Elements or not _has_order(e.ids) or type(like) is not ndarray:
            continue
        shape = tuple(min(n, 2) for n in e.ids.shape) if call is einsum else e.ids.shape
        if like.shape == shape and not any(np.may_share_memory(e.ids, a) for a in operands):
            e.ids = ordered(e.ids, like)
    return result


def _is_of_c(call: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> bool:
    """Whether a call gives C order where its rule did."""
    if call in _IN_C_ORDER:
        return True
    if "order" in kwargs or call in _TURNING:
        return False
    return _lie_in_c_order(args) and (not kwargs or _lie_in_c_order(kwargs.values()))


def _lie_in_c_order(operands: Any) -> bool:
    """Whether all arrays among operands do, and in lists of them."""
    for x in operands:
        cls = type(x)
        if cls in (list, tuple):
            if not _lie_in_c_order(x):
                return False
        elif not (_keeps_c_order(x) or all(map(_lies_in_c_order, _arrays((x,))))):
            return False
    return True


def _lies_in_c_order(array: Any) -> bool:
    """Whether the axes come in the order of C, though perhaps with gaps."""
    steps = array.strides
    if len(steps) < 2:
        return True
    if len(steps) == 2:  # the most frequent case
        return bool(steps[0] >= steps[1] >= 0)
    return steps[-1] >= 0 and all(map(ge, steps, steps[1:]))


def _keeps_c_order(x: Any) -> bool:
    """Whether a ufunc, given nothing else, would give its result in C order for this."""
    cls = type(x)
    if cls in NUMBERS:
        return True
    if getattr(cls, "_is_traced", False):
        return getattr(cls, "_is_number", False) or _lies_in_c_order(x._ids)
    return cls is ndarray and _lies_in_c_order(x)


def _has_order(ids: Ids) -> bool:
    shape = ids.shape
    if len(shape) == 2:  # the most frequent case
        return shape[0] > 1 and shape[1] > 1 and type(ids) is ndarray
    return len(shape) > 2 and type(ids) is ndarray and sum(n > 1 for n in shape) > 1


def _arrays(operands: Any) -> Iterator[Any]:
    for x in operands:
        if is_traced_array(x):
            yield x._ids
        elif isinstance(x, ndarray):
            yield x
        elif isinstance(x, (list, tuple)):
            yield from _arrays(x)


def _first(x: Any, *others: Any, **options: Any) -> Any:
    return x


def _sample(call: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """What the plain call makes of arrays of ones that lie as the operands do; None if it fails.

    Its values do not matter, only where they lie.
    """
    layout = _layout_of((*args, *kwargs, *kwargs.values())) if call in _TURNING else None
    if layout is None:
        return _made_of_ones(call, args, kwargs)
    key = call, layout
    known = _SAMPLES.get(key)
    if known is not None:
        return known
    sample = _made_of_ones(call, args, kwargs)
    if isinstance(sample, ndarray) and sample.size <= _LARGE:
        if len(_SAMPLES) >= _MOST_SAMPLES:
            _SAMPLES.clear()
        _SAMPLES[key] = sample
    return sample


_SAMPLES: dict[Any, Any] = {}
_MOST_SAMPLES, _SMALL, _LARGE = 1024, 256, 4096
"""So many are remembered, those alone whose operands and results have no more elements."""
_SHOWN = frozenset((str, int, type(None)))


def _layout_of(operands: Any) -> tuple[Any, ...] | None:
    """How operands lie in memory, and what else decides; None if it cannot be told."""
    key: list[Any] = []
    for x in operands:
        cls = type(x)
        if cls in _SHOWN:
            key.append(x)
        elif cls in (list, tuple):
            key.append(_layout_of(x))
        elif is_traced_array(x) or cls is ndarray:
            array = x if cls is ndarray else x._ids
            if array.size > _SMALL or array.dtype.hasobject:
                return None
            key.append((array.shape, array.strides, x.dtype))
        else:
            return None
        if key[-1] is None and x is not None:
            return None
    return tuple(key)


def _made_of_ones(call: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    try:
        given = [_stand_in(x) for x in args]
        if call is einsum:  # what is summed, and over how much, has no part in the order
            given = [x[(slice(2),) * x.ndim] if type(x) is ndarray else x for x in given]
        named = {name: _stand_in(x) for name, x in kwargs.items()}
        with np.errstate(all="ignore"):
            return call(*given, **named)
    except Exception:  # of numbers that the function would never be given
        return None


def _stand_in(x: Any) -> Any:
    if is_traced_array(x):
        dtype = dtype_of(x)
        steps = [step // 4 * dtype.itemsize for step in x._ids.strides]
        ends = [step * (n - 1) for step, n in zip(steps, x.shape, strict=True)] if x.size else []
        first, last = (sum(e for e in ends if (e < 0) is sign) for sign in (True, False))
        memory = ones((last - first) // dtype.itemsize + 1, dtype)
        return ndarray(x.shape, dtype, memory, -first, steps)
    if is_traced(x):
        return ones((), dtype_of(x))[()]
    if isinstance(x, (list, tuple)):
        return type(x)(map(_stand_in, x)) if type(x) in (list, tuple) else x
    if callable(x) and not isinstance(x, (type, np.ufunc)):
        return _first  # a function of the user's is not run for this
    return x

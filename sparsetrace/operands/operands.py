"""What a rule may know of its arguments: node ids, constant values, the dtype the user sees.

Contract: everything a user passes to NumPy beside a traced array becomes either an
id array or an array of constant values here, or is refused.  Traced objects are
recognised by their `_trace` attribute alone, so that rules need not import them.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array, asarray, zeros
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.errors import EscapeError, TracingError, UnsupportedError, explain, instead_of
from sparsetrace.graph.complex_parts import joint
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids, highest, lowest
from sparsetrace.operands.poison import POISON
from sparsetrace.operands.python_operators import BINARY, COMPARISONS

__all__ = [
    "FLOAT",
    "OF_NUMBERS",
    "ORDINARY",
    "Elements",
    "Operand",
    "answers_functions",
    "check_operators",
    "computes_as_ndarray",
    "constant_values",
    "contains_traced",
    "data_of",
    "decides_results",
    "dtype_of",
    "float_dtype",
    "has_own_operators",
    "holds_objects",
    "ids_of",
    "is_number",
    "is_of_numbers",
    "is_ordinary",
    "is_plain",
    "is_traced",
    "is_traced_array",
    "is_uncertain",
    "known_of",
    "landed",
    "operand_of",
    "own_methods",
    "plain_target",
    "promotion_of",
    "python_type",
    "shape_of",
    "share_memory",
    "unwatched",
    "values_of",
    "wrapped",
]

FLOAT = np.dtype(np.float64)
_MOST_WORK = 10_000
"""Of the question whether arrays with gaps share memory."""
_NUMBERS = (bool, int, float, complex, np.generic)
ORDINARY = frozenset(
    (np.ndarray, np.float64, bool, int, float, complex, str, list, tuple, slice, type(None))
)
"""Types of most of what is not traced; a class is asked for an attribute in ten times as long."""
OF_NUMBERS = ORDINARY - {np.ndarray, list, tuple}
"""Those among them that hold nothing else."""


@dataclass(slots=True)
class Elements:
    """The result of a rule: node ids, and the dtype that the user shall see."""

    ids: Ids
    dtype: np.dtype[Any]
    values: Any = None
    """In a local trace, the elements' values."""
    keep_array: bool = False
    """Whether a result of no dimensions stays an array (a view) or becomes a scalar."""


def wrapped(trace: Trace, result: Any) -> Any:
    """A rule's result as the user's function gets it, lists and tuples of them included."""
    if isinstance(result, Elements):
        return trace.wrap(result)
    if type(result) in (list, tuple):
        return type(result)(wrapped(trace, item) for item in result)
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(wrapped(trace, item) for item in result))
    return result


class Operand:
    """Ids that pass for a traced operand, for rules made of other rules."""

    __slots__ = ("_dtype", "_ids", "_trace", "_values")
    _is_traced = True

    def __init__(
        self, trace: Trace, ids: Ids, dtype: np.dtype[Any], values: NDArray[Any] | None = None
    ) -> None:
        self._trace, self._ids, self._dtype, self._values = trace, ids, dtype, values

    @property
    def shape(self) -> tuple[int, ...]:
        return self._ids.shape

    @property
    def points(self) -> NDArray[Any]:
        """The values, in a trace at a point."""
        if self._values is None:
            raise AssertionError("an operand without values in a trace at a point")
        return self._values

    def _made(self, move: Callable[[Callable[[Operand], Any]], Any]) -> Operand:
        """The same done to ids and values."""
        values = None if self._values is None else move(lambda x: x._values)
        return Operand(self._trace, move(lambda x: x._ids), self._dtype, values)

    def moved(self, move: Callable[[NDArray[Any]], NDArray[Any]]) -> Operand:
        """The same operand with its elements moved."""
        return self._made(lambda read: move(read(self)))

    def along(self, start: int, stop: int | None = None, step: int = 1) -> Operand:
        """One place of the last axis, or with a `stop` a slice of it."""
        at: Any = start if stop is None else slice(start, stop, step)
        return self._made(lambda read: read(self)[..., at])

    def chosen(self, places: NDArray[Any]) -> Operand:
        """The elements where a mask is true, or of an array of places."""
        return self._made(lambda read: read(self)[places])

    def where(self, mask: NDArray[np.bool_], other: Operand) -> Operand:
        """Its elements where a mask is true, the other's where it is false."""
        return self._made(lambda read: np.where(mask, read(self), read(other)))

    def joined(self, other: Operand) -> Operand:
        """With another operand's elements after its own, along the last axis."""
        return self._made(lambda read: np.concatenate([read(self), read(other)], axis=-1))

    def stacked(self, others: Sequence[Operand]) -> Operand:
        """The others side by side, along a new last axis."""
        return self._made(lambda read: np.stack([read(x) for x in others], axis=-1))

    def interleaved(self, other: Operand) -> Operand:
        """Its elements and the other's in turn, along the last axis."""

        def move(read: Callable[[Operand], Any]) -> Any:
            even, odd = read(self), read(other)
            out = np.empty((*even.shape[:-1], even.shape[-1] + odd.shape[-1]), even.dtype)
            out[..., ::2], out[..., 1::2] = even, odd
            return out

        return self._made(move)


def is_traced(obj: object) -> bool:
    """Whether `obj` is a traced array or scalar."""
    cls = type(obj)
    return cls not in ORDINARY and getattr(cls, "_is_traced", False)


def is_number(obj: object) -> bool:
    """Whether `obj` is a traced number, not an array."""
    return getattr(type(obj), "_is_number", False) is True


def shape_of(obj: Any) -> tuple[int, ...]:
    """``np.shape(obj)``, which NumPy would hand over as a call of its own."""
    if is_number(obj):
        return ()
    if is_traced(obj) and not getattr(type(obj), "_is_picked", False):
        return obj._ids.shape  # type: ignore[no-any-return]
    return np.shape(obj)


def is_traced_array(obj: object) -> bool:
    """Whether `obj` is a traced array, into which results can be written."""
    return is_traced(obj) and isinstance(obj, np.ndarray)


def share_memory(a: Any, b: Any) -> bool:
    """Whether two traced arrays have elements in common; in doubt, yes."""
    try:
        return np.shares_memory(a._ids, b._ids, max_work=_MOST_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def is_sparse_traced(obj: object) -> bool:
    """Whether `obj` is a sparse array with traced data (`sparsetrace.scipy_rules.sparse`)."""
    return getattr(type(obj), "_is_sparse_traced", False)


def contains_traced(obj: object) -> bool:
    """Whether `obj` is traced or a masked array, or a list or object array that holds such."""
    cls = type(obj)
    if cls in OF_NUMBERS:
        return False
    if is_traced(obj):
        return True
    if cls is np.ndarray and obj.dtype != object:  # type: ignore[attr-defined]
        return False
    if isinstance(obj, (list, tuple)):
        return any(map(contains_traced, obj))
    if isinstance(obj, np.ndarray) and obj.dtype == object:
        return any(is_traced(item) or is_sparse_traced(item) for item in obj.flat)
    return hasattr(type(obj), "_traced_data")


def holds_objects(obj: object) -> bool:
    """Whether `obj` is an ordinary array of objects."""
    if type(obj) in OF_NUMBERS:
        return False
    return isinstance(obj, np.ndarray) and not is_traced(obj) and obj.dtype == object


def is_of_numbers(array: NDArray[Any]) -> bool:
    """Whether an array of objects holds numbers alone, traced ones among them."""
    return all(map(_is_number, array.flat))


def _is_number(obj: object) -> bool:
    return isinstance(obj, _NUMBERS) or hasattr(type(obj), "_is_number")


def data_of(obj: Any) -> Any:
    """A masked array's traced data, as which NumPy reads it; anything else as it is."""
    return obj._traced_data if hasattr(type(obj), "_traced_data") else obj


def unwatched(x: Any) -> Any:
    """A buffer of constants as the ordinary array that it is; anything else as it is."""
    return x.view(np.ndarray) if getattr(type(x), "_is_buffer", False) else x


def is_ordinary(array: NDArray[Any]) -> bool:
    """Whether an array's type is NumPy's own, and gives its operators no other meaning."""
    cls = type(array)
    return cls in (np.ndarray, np.memmap) or getattr(cls, "_is_buffer", False)


def like_array(example: NDArray[Any], values: NDArray[Any]) -> Any:
    """Values of an ordinary array as an array of the type of another one, and with its attributes.

    Examples
    --------
    >>> class Field(np.ndarray):
    ...     unit = "m"
    >>> field = np.ones(2).view(Field)
    >>> field.unit = "K"
    >>> like_array(field, np.zeros(3)).unit
    'K'
    """
    if is_ordinary(example):
        return values
    made = values.view(type(example))
    vars(made).update(vars(example))
    return made


_OPERATORS = (
    *(f"__{prefix}{name}__" for name in BINARY for prefix in ("", "r")),
    *(f"__{name}__" for name in COMPARISONS),
)
_COMPUTING = (*_OPERATORS, "__array_ufunc__", "__array_function__", "__array_wrap__")


@lru_cache(maxsize=1024)
def _has_own_operators(cls: type) -> bool:
    """Whether a subclass of ndarray computes in a way of its own."""
    if issubclass(cls, np.ma.MaskedArray):  # read as its data, as by NumPy
        return False
    own = [name for name in _COMPUTING if getattr(cls, name) is not getattr(np.ndarray, name)]
    return bool(own) and not (own == ["__array_wrap__"] and _unwraps(cls))


_HARMLESS = frozenset(
    "__array_finalize__ __array_function__ __class_getitem__ __dir__ __format__ __getattribute__ "
    "__hash__ __init__ __init_subclass__ __new__ __reduce__ __reduce_ex__ __repr__ __setattr__ "
    "__setstate__ __str__ __subclasshook__".split()
)
"""What computes nothing, or comes to other methods where it does."""


@lru_cache(maxsize=1024)
def own_methods(cls: Any) -> frozenset[str]:
    """The methods of ndarray's that a user's subclass has in ways of its own: NumPy calls them."""
    is_own = getattr(cls, "_is_traced", False) or getattr(cls, "_is_buffer", False)
    if is_own or not issubclass(cls, np.ndarray) or issubclass(cls, np.ma.MaskedArray):
        return frozenset()
    found = {name: getattr(cls, name) for name in set(dir(np.ndarray)) - _HARMLESS}
    return frozenset(
        name
        for name, method in found.items()
        if isinstance(method, types.FunctionType)
        and method is not getattr(np.ndarray, name)
        and method.__module__.partition(".")[0] != "numpy"  # np.memmap computes as arrays do
    )


def computes_as_ndarray(cls: type) -> bool:
    """Whether operators and functions mean for a subclass of ndarray what they do for arrays."""
    return not _has_own_operators(cls)


@lru_cache(maxsize=1024)
def answers_functions(cls: type) -> bool:
    """Whether a class of plain arrays has an answer of its own to functions of NumPy's."""
    if getattr(cls, "_is_traced", False) or not issubclass(cls, np.ndarray):
        return False
    is_own = getattr(cls, "_is_buffer", False) or issubclass(cls, np.ma.MaskedArray)
    return not is_own and cls.__array_function__ is not np.ndarray.__array_function__


def _unwraps(cls: Any) -> bool:
    """Whether a class makes plain arrays of its results, and changes no element."""
    numbers = np.array([1.5, -2.5])
    try:
        made = unwatched(np.zeros(2).view(cls).__array_wrap__(numbers.copy(), None, False))
    except Exception:
        return False
    return type(made) is np.ndarray and np.array_equal(made, numbers)


def has_own_operators(obj: Any) -> bool:
    """Whether this is an array of constants whose class computes in a way of its own."""
    cls: Any = type(obj)
    if cls is np.ndarray or not isinstance(obj, np.ndarray) or is_ordinary(obj):
        return False
    return not (is_traced(obj) or hasattr(cls, "_traced_data")) and _has_own_operators(cls)


def decides_results(obj: Any) -> bool:
    """The same, or whether what is computed of it has methods that NumPy's functions call."""
    cls: Any = type(obj)
    return has_own_operators(obj) or (not is_traced(obj) and bool(own_methods(cls)))


def check_operators(obj: Any) -> None:
    """Refuse an array whose type gives operators a meaning that the rules do not know.

    NumPy would ask that type first; it is no subclass of a traced array's, and is not asked.
    """
    if has_own_operators(obj):
        cls: Any = type(obj)
        own = "np.matrix" if issubclass(cls, np.matrix) else cls.__name__
        raise UnsupportedError(
            explain(
                f"an operand of type {own}",
                "its type gives operators a meaning of its own, which the trace does not follow",
                "Convert it with np.asarray, and write m @ n for products of matrices.",
            )
        )


def is_plain(trace: Trace, x: Any) -> bool:
    """Whether `x` is a traced float64 array with elements, none of them constant."""
    if not is_traced(x) or trace.local or x._trace is not trace or x._dtype is not FLOAT:
        return False
    ids = x._ids
    if not ids.ndim or not ids.size:
        return False
    return trace.graph.pure or bool(lowest(ids) > OPAQUE)


def is_uncertain(obj: Any) -> bool:
    """Whether `obj` is traced and the value of any of its elements is unknown."""
    if not is_traced(obj) or obj._trace.local:
        return False
    if is_number(obj):
        return bool(obj._id > ZERO)
    ids = obj._ids
    return bool(ids.size) and highest(ids) > ZERO


def values_of(obj: Any) -> Any:
    """`obj` with values in place of traced objects: those at the point of a local trace."""
    if is_traced(obj):
        _ = obj._trace.local  # raises where an earlier run left the object behind
        return obj._values
    if isinstance(obj, (list, tuple)) and contains_traced(obj):
        items = [values_of(item) for item in obj]
        kind: Any = type(obj)
        # some of SciPy's named tuples cannot be made of their items alone
        return tuple.__new__(kind, items) if hasattr(obj, "_fields") else kind(items)
    if isinstance(obj, np.ndarray) and obj.dtype == object and is_of_numbers(obj):
        return array([values_of(item) for item in obj.flat]).reshape(obj.shape)
    data = data_of(obj)
    return obj if data is obj else data._values


def known_of(trace: Trace, obj: Any) -> NDArray[Any]:
    """The values of an argument that is not uncertain."""
    if not contains_traced(obj):
        return constant_values(obj)
    if trace.local:
        return asarray(values_of(obj))
    return trace.graph.known_values(ids_of(trace, obj), dtype_of(obj))


def ids_of(trace: Trace, obj: Any) -> Ids:
    """The node ids of `obj`, constants included; same shape as `obj`.

    Those of complex elements stand for both parts alike (see `complex_operands.moved_ids`).

    Raises
    ------
    TracingError
        If `obj` belongs to another trace.
    UnsupportedError
        If `obj` is neither a number nor an array of numbers.
    """
    if is_traced(obj):
        if obj._trace is not trace:
            _ = obj._trace.local  # raises where an earlier run left the object behind
            raise TracingError(
                explain(
                    "an operation",
                    "its operands belong to two different traces",
                    "Call jacobian_sparsity inside the traced function on constants only.",
                )
            )
        return _without_parts(trace, obj) if trace.graph.mixed else obj._ids
    if isinstance(obj, (list, tuple)):
        if not contains_traced(obj):
            return trace.graph.constant(constant_values(obj))
        items = [ids_of(trace, item) for item in obj]
        return np.stack(items) if items else zeros(0, np.int32)
    data = data_of(obj)
    if data is not obj:
        return ids_of(trace, data)
    values = asarray(obj)
    if values.dtype != object:
        return trace.graph.constant(constant_values(obj))
    if not values.ndim:
        item = values.item()
        return (
            ids_of(trace, item) if is_traced(item) else trace.graph.constant(constant_values(obj))
        )
    item_ids = [ids_of(trace, item) for item in values.flat]
    return array(item_ids, np.int32).reshape(values.shape)


def _without_parts(trace: Trace, obj: Any) -> Ids:
    """The ids of a traced object; of a complex one those that stand for both parts alike."""
    ids: Ids = obj._ids
    if obj._dtype.kind != "c":
        return ids
    result = joint(trace.graph, ids)
    if result is not ids:
        result.flags.writeable = False  # it is no view of the elements
    return result


def operand_of(trace: Trace, x: Any) -> Operand:
    """An argument as an operand, with its values in a trace at a point."""
    values = asarray(values_of(x)) if trace.local else None
    return Operand(trace, ids_of(trace, x), dtype_of(x), values)


def constant_values(obj: Any) -> NDArray[Any]:
    """`obj` as an array of numbers that no trace touches.

    Raises
    ------
    UnsupportedError
        If `obj` is not an array, a number or a nested list of numbers.
    """
    check_operators(obj)
    if isinstance(obj, (np.ndarray, *_NUMBERS, list, tuple, range)):
        values = asarray(obj)
        if values.dtype.kind in "biufc":
            return values
        if values.dtype.kind == "O" and values.ndim == 0:
            obj = values[()]
        elif values.dtype.kind == "O" and is_of_numbers(values):
            return array(values.tolist()).reshape(values.shape)
    if obj is POISON:
        raise EscapeError(
            explain(
                "an object array",
                "it was copied from a traced array by code that the trace does not see",
                "Build it with np.stack, np.concatenate or a list of elements.",
            )
        )
    raise UnsupportedError(
        explain(
            f"an operand of type {getattr(obj, '_shown_type', type(obj)).__name__}",
            "it is not an array of numbers",
            getattr(obj, "_remedy", "")
            or instead_of(type(obj).__module__)
            or "Convert it to an ndarray before the traced function runs.",
        )
    )


def dtype_of(obj: Any) -> np.dtype[Any]:
    """The dtype the user sees; that of the united elements for a nested list."""
    if is_traced(obj):
        return obj._dtype  # type: ignore[no-any-return]
    if type(obj) is float:
        return FLOAT
    data = data_of(obj)
    if data is not obj:
        return dtype_of(data)
    if contains_traced(obj):
        items = obj.flat if isinstance(obj, np.ndarray) else obj
        return np.result_type(*(dtype_of(item) for item in items))
    return constant_values(obj).dtype


def float_dtype(*operands: Any) -> np.dtype[Any]:
    """The dtype that linear algebra computes these in."""
    dtype = np.result_type(*map(dtype_of, operands))
    return dtype if dtype.kind in "fc" else FLOAT


_SAMPLES: dict[type, Any] = {bool: False, int: 0, float: 0.0, complex: 0j}


def python_type(cls: type) -> type | None:
    """The type of Python's own numbers that a class stands for, or is; None for any other.

    Such numbers give way to NumPy's in promotion: ``float32 * float`` is a float32.
    """
    plain = getattr(cls, "_plain", cls)
    return plain if plain in _SAMPLES else None


def promotion_of(obj: Any) -> Any:
    """What ``np.result_type`` is to be asked about an operand: a number of Python's, or a dtype.

    Examples
    --------
    >>> np.result_type(promotion_of(np.float32(1)), promotion_of(1.0))
    dtype('float32')
    """
    plain = python_type(type(obj))
    return dtype_of(obj) if plain is None else _SAMPLES[plain]


def plain_target(call: str, target: Any) -> EscapeError:
    """The error of a write of traced elements into an ordinary array.

    A buffer that was made inside the traced function is traced from birth in another
    run instead.
    """
    if is_traced(target):
        raise TypeError(f"{call}: a number is no target; return arrays must be arrays")
    promote = getattr(target, "_promote", None)
    if promote is not None:
        promote()
    return EscapeError(
        explain(
            call,
            "a traced value was about to be written into an ordinary array, which cannot hold it",
            "Make that array with np.zeros_like(x) or np.empty_like(x), or build the result with "
            "np.stack or np.concatenate.",
        )
    )


def landed(trace: Trace, dtype: np.dtype[Any], ids: Ids) -> Ids:
    """Ids as they are after a conversion to `dtype`.

    Whole numbers have no derivative, and constants become numbers that the dtype can hold.
    """
    if dtype is FLOAT and not trace.graph.mixed:
        return ids
    if dtype.kind in "biu" and not trace.dependency:
        ids = asarray(np.minimum(ids, trace.graph.opaque))
    elif dtype.kind in "biu" and trace.moving is not None:
        ids = trace.moving.converted(ids)
    return ids if trace.local else trace.graph.rounded(ids, dtype)

"""`TracedArray`: an ndarray subclass whose elements are dependency patterns.

Contract: every attribute and method of an ndarray that NumPy's protocols do not intercept
is overridden, here or in `Layout`: it is answered from the node ids, or it raises.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn

import numpy as np
import scipy.sparse

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray
from numpy.typing import NDArray

from sparsetrace import masked
from sparsetrace.arrays.flatiter import Flat
from sparsetrace.arrays.layout import Layout
from sparsetrace.arrays.object_array import objects_of
from sparsetrace.context import Trace
from sparsetrace.dispatch import lookup
from sparsetrace.dispatch.calls import function_call, ufunc_call
from sparsetrace.dispatch.sparse_operators import given_way, reflected
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.complex_parts import joint
from sparsetrace.graph.graph import OPAQUE, Ids, highest
from sparsetrace.numbers.hidden_names import Hidden
from sparsetrace.numbers.refused_values import refuse_value
from sparsetrace.numbers.scalar import (
    Number,
    TracedScalar,
    as_python,
    number,
)
from sparsetrace.numbers.text import array_text
from sparsetrace.numpy_rules import indexing
from sparsetrace.numpy_rules.array_manipulation import repeats
from sparsetrace.operands.complex_operands import moved_ids, real_dtype
from sparsetrace.operands.memory import without_buffer
from sparsetrace.operands.memory_order import lies_in, ordered
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    answers_functions,
    contains_traced,
    is_traced,
    own_methods,
    values_of,
)
from sparsetrace.operands.raising import may_raise
from sparsetrace.operands.refusals import refuse_no_numbers, refuse_resize
from sparsetrace.operands.steps import note_conversion
from sparsetrace.propagation.jacobian import index_sets
from sparsetrace.user_code.attribute_access import whether_there

__all__ = ["Rows", "TracedArray", "lift_by", "traced_array", "view_as", "view_by", "wrap"]


_NARROW = "efF"
_TAKE = np.take
"""Types that hold fewer numbers than the constants' float64."""


def _scalar(trace: Trace, node: int, dtype: np.dtype[Any], value: object = None) -> Any:
    if trace.local:
        # a real number whose derivative was cut stays traced: see `Trace.singular`
        if node <= 0 or (node == OPAQUE and dtype.kind in "biu"):
            return dtype.type(value)
        return number(trace, node, dtype, value)
    if node <= 0:
        return trace.graph.known_value(node, dtype)
    return TracedScalar(trace, node, dtype) if dtype is FLOAT else number(trace, node, dtype)


def wrap(trace: Trace, result: Elements | Ids) -> Any:
    """What the user's function gets for a rule's result, or for the ids of float64 numbers."""
    if isinstance(result, np.ndarray):
        if result.ndim and not trace.graph.mixed:
            return traced_array(trace, result, FLOAT)
        result = Elements(result, FLOAT)
    ids, values = result.ids, result.values
    if trace.local and values is None:
        raise AssertionError("a rule of a local trace gave no values")
    if result.dtype.kind not in "biufc":
        raise AssertionError(f"a rule gave elements of the dtype {result.dtype}")
    mixed = trace.graph.mixed or (result.dtype is not FLOAT and result.dtype.char in _NARROW)
    if mixed:
        if result.dtype.kind != "c":  # a real number has no parts
            ids = joint(trace.graph, ids)
        ids = trace.graph.rounded(ids, result.dtype)
    if ids.ndim == 0 and not result.keep_array:
        return _scalar(trace, int(ids), result.dtype, values)
    if trace.local:
        values = asarray(values)
        if values.ndim > 1:
            ids = ordered(ids, values)  # the rule for the ids may have moved axes about
        if result.dtype.kind in "biu" and not trace.dependency:
            return values  # whole numbers have no derivative, and here their values are known
    return traced_array(trace, ids, result.dtype, values)


def _read(trace: Trace, call: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Elements:
    x, key = args
    return Elements(indexing.read(trace, x._ids, key), x._dtype)


def _write(trace: Trace, call: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    x, key, value = args
    indexing.write(trace, x._ids, key, moved_ids(trace, value, x._dtype))


def _recorded(trace: Trace, call: str, args: tuple[Any, ...], rule: Callable[..., Any]) -> Any:
    """What the rule gives; what was recorded of a call serves where no bounds are known."""
    if trace.names is not None:
        return rule(trace, call, args, {})
    return lookup.answered(trace, call, args, {}, rule)


_OUT_OF_BOUNDS = partial(IndexError, "index is out of bounds")


def _no_picks(key: object) -> bool:
    return False


_picks: Callable[[Any], bool] = _no_picks
_read_picked: Callable[[Any, Any], Any]
_write_picked: Callable[[Any, Any, Any], Any]


def pick_by(
    picks: Callable[[Any], bool],
    read: Callable[[Any, Any], Any],
    write: Callable[[Any, Any, Any], Any],
) -> None:
    """Have keys for which `picks` holds answered by these: masks whose values are unknown.

    They return NotImplemented where a key is none of theirs after all.
    """
    global _picks, _read_picked, _write_picked
    _picks, _read_picked, _write_picked = picks, read, write


_view_as: Callable[[Any, type], Any]


def view_by(made_by: Callable[[Any, type], Any]) -> None:
    """Have views as subclasses of ndarray made by this."""
    global _view_as
    _view_as = made_by


def view_as(array: Any, cls: type) -> Any:
    """A traced array as an object of a subclass of ndarray."""
    return _view_as(array, cls)


_lifted_call: Callable[[Trace, Any, Any, Any], Any]


def lift_by(call: Callable[[Trace, Any, Any, Any], Any]) -> None:
    """Have functions called so, with constants of classes whose methods NumPy's functions call."""
    global _lifted_call
    _lifted_call = call


class TracedArray(Layout):
    """An array of a trace; made by `jacobian_sparsity`, not by users.

    Attributes
    ----------
    patterns : ndarray of pyroaring.BitMap
        For each element, the indices of the inputs that it depends on.

    Examples
    --------
    >>> import numpy as np, sparsetrace as st
    >>> def f(x):
    ...     print(repr(x[1:] - x[:-1]))
    ...     return x[1:] - x[:-1]
    >>> _ = st.jacobian_sparsity(f, np.ones(3))
    TracedArray([{0, 1}, {1, 2}], value ...)
    """

    __slots__ = ()
    __array_priority__ = 1e6
    __class__ = np.ndarray  # what ``isinstance`` and the user are told
    _is_traced = True
    _is_picked = False

    @property
    def patterns(self) -> NDArray[Any]:
        sets = np.empty(self._ids.size, object)
        sets[:] = index_sets(self._trace.graph, self._ids.reshape(-1))
        return sets.reshape(self._ids.shape)

    # -------------------------------------------------------------- protocols
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        result = ufunc_call(self._trace, ufunc, method, inputs, kwargs)
        if result is NotImplemented:
            if any(isinstance(x, np.ma.MaskedArray) for x in inputs):
                return masked.ufunc_call(self._trace, ufunc, method, inputs, kwargs)
            if any(map(scipy.sparse.issparse, inputs)):
                return reflected(ufunc, method, inputs, kwargs, sys._getframe(1))
            return given_way(ufunc, method, inputs, kwargs, sys._getframe(1))
        return result

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        for cls in types:
            if cls is TracedArray or cls is np.ndarray:
                continue
            if not issubclass(cls, (np.ndarray, Number)):
                return NotImplemented
            if issubclass(cls, np.ma.MaskedArray):
                return masked.function_call(self._trace, function, args, kwargs)
            if answers_functions(cls):
                return NotImplemented
            if own_methods(cls):
                return _lifted_call(self._trace, function, args, kwargs)
        if function is _TAKE and len(args) > 1 and getattr(type(args[1]), "_is_picked", False):
            return args[1].__array_function__(function, types, args, kwargs)  # NumPy asks x alone
        result = function_call(self._trace, function, args, kwargs)
        if self._trace.rows and args and isinstance(args[0], TracedArray):  # np.copyto and its kin
            indexing.refresh(self._trace, args[0]._ids)
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """What code asks for by name, in place of ``np.asarray``; NumPy does not."""
        if dtype is None or np.dtype(dtype) == self._dtype:
            return self.copy() if copy else self
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return self.astype(dtype)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if is_traced(array):
            return array
        return asarray(array) if array.dtype != object else self._refuse("__array_wrap__")

    def __dlpack__(self, **options: Any) -> NoReturn:
        self._refuse("DLPack")

    def _bytes(self) -> NoReturn:
        self._refuse("bytes()")

    def __buffer__(self, flags: int) -> NoReturn:
        self._refuse("a memoryview, or what reads the bytes of an array,")

    def _refuse(self, call: str) -> NoReturn:
        refuse_value(call, "a traced array")

    # -------------------------------------------------------------- elements
    def __getitem__(self, key: Any) -> Any:
        if not indexing.is_simple(key):
            if issubclass(type(key), str):
                raise IndexError("only integers, slices and arrays are valid indices")
            key, unsure = indexing.constant_key(self._trace, key)
            if unsure:
                if _picks(key):
                    result = _read_picked(self, key)
                    if result is not NotImplemented:
                        return result
                may_raise(self._trace, _OUT_OF_BOUNDS)
                if self._ids.size and highest(self._ids) > OPAQUE:
                    indexing.want_bounds(self._trace)
                result = _recorded(self._trace, "read", (self, key), _read)
                if indexing.gives_view(key):
                    result.keep_array = indexing.has_ellipsis(key)
                    result.ids = indexing.chosen(self._trace, result.ids, self._ids, key)
                return wrap(self._trace, result)
        ids = self._ids[key]
        values = None if self._values is None else self._values[key]
        if isinstance(ids, np.ndarray):
            result = traced_array(self._trace, ids, self._dtype, values)
        else:
            result = _scalar(self._trace, int(ids), self._dtype, values)
        if self._trace.bounds is not None:
            self._trace.bounds.moved(self, result, lambda ends: ends[key])
        return result

    def __setitem__(self, key: Any, value: Any) -> None:
        trace = self._trace
        self._written()
        if value is None and self._dtype.kind in "fc":
            value = np.nan  # which NumPy makes of it
        if getattr(type(value), "_is_picked", False):
            _write_picked(self, indexing.constant_key(trace, key)[0], value)
            return
        ids = moved_ids(trace, value, self._dtype)
        if not indexing.is_simple(key):
            key, unsure = indexing.constant_key(trace, key)
            if unsure:
                if _picks(key) and _write_picked(self, key, value) is not NotImplemented:
                    return
                may_raise(trace, _OUT_OF_BOUNDS)
                indexing.want_bounds(trace)
                _recorded(trace, "write", (self, key, value), _write)
                indexing.refresh(trace, self._ids)
                return
        indexing.put(trace, self._ids, key, ids)
        if self._values is not None:
            self._values[key] = values_of(value)

    def __iter__(self) -> Iterator[Any]:
        if self._ids.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        if self._values is not None or self._ids.ndim > 1 or self._trace.bounds is not None:
            return iter(Rows(self))
        return iter(_Numbers(self))

    def __contains__(self, item: object) -> bool:
        """Whether an element equals the item, which Python asks for its truth as any other."""
        if item is None or isinstance(item, (str, bytes)):
            return False
        return np.any(self == item)  # type: ignore[return-value]

    def item(self, *args: Any) -> Any:
        """One element, as a number of Python's own."""
        if args and contains_traced(args):
            key = args if len(args) > 1 else args[0]
            return as_python((self if type(key) is tuple else self.reshape(-1))[key])
        return as_python(self._element(*args))

    def _element(self, *args: Any) -> Any:
        value = None if self._values is None else self._values.item(*args)
        result = _scalar(self._trace, self._ids.item(*args), self._dtype, value)
        if self._trace.bounds is not None:
            self._trace.bounds.moved(self, result, lambda ends: ends.item(*args))
        return result

    def tolist(self) -> Any:
        """Nested lists of numbers of Python's own."""
        if self._ids.ndim == 0:
            return self.item()
        return [row.tolist() if isinstance(row, TracedArray) else as_python(row) for row in self]

    # ------------------------------------------------------------ conversions
    def _single(self, call: str) -> Any:
        if self._ids.size != 1:
            raise TypeError("only length-1 arrays can be converted to Python scalars")
        result = self._element()
        if is_traced(result):
            self._refuse(call)
        return result

    def __float__(self) -> float:
        return float(self._single("float()"))

    def __int__(self) -> int:
        return int(self._single("int()"))

    def __complex__(self) -> complex:
        return complex(self._single("complex()"))

    def __index__(self) -> int:
        if self._ids.ndim == 0 and is_traced(self._element()):
            self._element().__index__()
        return self._single("an index").__index__()  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        if self._ids.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        return bool(self._element())

    def __repr__(self) -> str:
        text = np.array2string(
            _shown(self.patterns, self._ids), separator=", ", formatter={"all": str}
        )
        return array_text(self, text)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __copy__(self) -> TracedArray:
        return self.copy("K")  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: object) -> TracedArray:
        return self.copy("K")  # type: ignore[no-any-return]

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self._refuse("pickle")

    __reduce__ = __reduce_ex__

    @property
    def flat(self) -> Any:
        return Flat(self)

    @flat.setter
    def flat(self, value: object) -> None:
        Flat(self).assign(value)

    # ---------------------------------------------------------------- refused
    def _memory(self, name: str) -> Any:
        """Refused, unless all that is asked is whether it is there."""
        return None if whether_there(sys._getframe(2)) else self._refuse(f"x.{name}")

    @property
    def data(self) -> Any:
        return self._memory("data")

    @data.setter
    def data(self, value: object) -> None:
        self._refuse("x.data =")

    @property
    def ctypes(self) -> Any:
        return self._memory("ctypes")

    @property
    def __array_interface__(self) -> Any:
        return self._memory("__array_interface__")

    @property
    def __array_struct__(self) -> Any:
        return self._memory("__array_struct__")

    def __dir__(self) -> list[str]:
        return dir(np.ndarray)

    # ---------------------------------------------------------------- methods
    def fill(self, value: Any) -> None:
        """As ndarray.fill."""
        if np.size(value) != 1:
            raise ValueError("setting an array element with a sequence.")
        self[...] = value

    def resize(self, *shape: Any, refcheck: bool = True) -> None:
        """As ndarray.resize, where the size stays; else views would have to follow."""
        try:
            self.shape = shape[0] if len(shape) == 1 else shape
        except ValueError:
            refuse_resize()

    def astype(
        self,
        dtype: Any,
        order: Any = "K",
        casting: Any = "unsafe",
        subok: Any = True,
        copy: Any = True,
    ) -> Any:
        """As ndarray.astype; whole numbers have no derivative."""
        result_dtype = np.dtype(dtype)
        if result_dtype.kind == "O":
            return objects_of(self)
        refuse_no_numbers(result_dtype)
        if not np.can_cast(self._dtype, result_dtype, casting):
            raise TypeError(
                f"Cannot cast array data from {self._dtype!r} to {result_dtype!r} according to the "
                f"rule {casting!r}"
            )
        if not copy and result_dtype == self._dtype and lies_in(self._ids, order):
            return self
        if self._values is not None:
            values = self._values.astype(result_dtype, order)
            if result_dtype.kind in "biu":
                if self._trace.moving is not None:
                    self._trace.moving.note(result_dtype.kind, values, [self._ids])
                note_conversion(self._trace, self, values)
            result = Elements(
                moved_ids(self._trace, self, result_dtype).copy(order),
                result_dtype,
                values,
                keep_array=True,
            )
            return wrap(self._trace, result)
        ids = moved_ids(self._trace, self, result_dtype).copy(order)
        result = traced_array(self._trace, ids, result_dtype)
        if self._trace.bounds is not None:
            self._trace.bounds.converted(self, result)
        return result

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """As ndarray.view, for the array's own dtype and its parts', or as a masked array."""
        if np.ma.MaskedArray in (*args, *kwargs.values()):
            return masked.as_masked(self._moved(lambda a: a.view()))
        for wanted in (*args, *kwargs.values()):
            if wanted in (np.ndarray, TracedArray):
                continue
            if isinstance(wanted, type) and issubclass(wanted, np.ndarray):
                return _view_as(self, wanted)
            if np.dtype(wanted) == self._dtype:
                continue
            return self._view_of_pairs(np.dtype(wanted))
        return self._moved(lambda a: a.view())

    def _view_of_pairs(self, dtype: np.dtype[Any]) -> Any:
        """Complex elements as pairs of real ones, or pairs as complex ones."""
        kinds = self._dtype.kind + dtype.kind
        real, whole = sorted((self._dtype, dtype), key=lambda each: each.itemsize)
        if kinds not in ("fc", "cf") or real_dtype(whole) != real:
            self._reinterpreted("ndarray.view")
        if not self.shape or self._ids.strides[-1] != self._ids.itemsize:  # NumPy judges these
            np.empty(2 * self.size, self._dtype)[::2].reshape(self.shape).view(dtype)
        np.empty(self.shape, self._dtype).view(dtype)
        ids = indexing.view_of_pairs(self._trace, self._ids, as_complex=dtype.kind == "c")
        values = None if self._values is None else self._values.view(dtype)
        return wrap(self._trace, Elements(ids, dtype, values, keep_array=True))

    def sort(self, axis: int = -1, kind: Any = None, order: Any = None, **kwargs: Any) -> None:
        """In place; every element may become any of its axis."""
        self[...] = np.sort(self, axis, kind, order, **kwargs)

    def partition(self, kth: Any, axis: int = -1, kind: Any = None, order: Any = None) -> None:
        """In place; every element may become any of its axis."""
        self[...] = np.partition(self, kth, axis, kind or "introselect", order)

    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """As ndarray.setflags, for `write`."""
        if write and repeats(self._ids):
            raise UnsupportedError(
                explain(
                    "ndarray.setflags(write=True)",
                    "several of its elements are one and the same place in memory",
                    "Write into the array that it is a view of, or into a copy.",
                )
            )
        if write is not None:
            self._ids.setflags(write=write)

    def to_device(self, device: object, *, stream: object = None) -> TracedArray:
        """The array itself: there is one device."""
        return self


traced_array = TracedArray._over


class Rows:
    """The elements of the first axis, for Python's own iterator, which NumPy's arrays give, too.

    Each is read when it is asked for: the array may be written meanwhile.
    """

    __slots__ = ("_array",)
    _is_of_array = True

    def __init__(self, array: TracedArray) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array._ids)

    def __getitem__(self, place: int) -> Any:
        return self._array[place]


class _Numbers(Rows):
    """The elements of a vector of a global trace."""

    __slots__ = ("_dtype", "_read", "_trace")

    def __init__(self, array: TracedArray) -> None:
        super().__init__(array)
        self._trace, self._dtype, self._read = array._trace, array._dtype, array._ids.item

    def __getitem__(self, place: int) -> Any:
        return _scalar(self._trace, self._read(place), self._dtype)


def _shown(patterns: NDArray[Any], ids: Ids) -> NDArray[Any]:
    """Index sets as text, constants and opaque elements told apart."""
    out = np.empty(ids.shape, object)
    for at in np.ndindex(ids.shape):
        if ids[at] <= 0:
            out[at] = "const"
        elif ids[at] == OPAQUE:
            out[at] = "{}?"
        else:
            out[at] = "{" + ", ".join(map(str, patterns[at])) + "}"
    return out


def _through(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def method(self: TracedArray, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"As ``np.{function.__name__}``."
    return method


for _name in (
    "argmax argmin argpartition argsort cumprod cumsum dot max mean min "
    "nonzero prod repeat searchsorted std sum take trace var round"
).split():
    setattr(TracedArray, _name, _through(getattr(np, _name), _name))


def _compress(self: TracedArray, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """As ``np.compress``."""
    return np.compress(condition, self, axis, out)


def _truth(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(
        self: TracedArray,
        axis: object = None,
        dtype: object = None,
        out: object = None,
        keepdims: object = False,
        *,
        where: object = True,
    ) -> Any:
        return function(self, axis, out, keepdims, where=where)

    method.__name__ = function.__name__
    method.__doc__ = f"As ``np.{function.__name__}``, with a ``dtype`` that has no effect."
    return method


def _choose(self: TracedArray, *choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    """As ``np.choose``; the choices may be given one by one."""
    return np.choose(self, choices[0] if len(choices) == 1 else choices, out, mode)


# np.clip takes these names since NumPy 2.1 only, the method has always taken them
def _clip(
    self: TracedArray, min: Any = None, max: Any = None, out: Any = None, **options: Any
) -> Any:
    """As ``np.clip``."""
    return np.clip(self, min, max, out=out, **options)


def _put(self: TracedArray, indices: Any, values: Any, mode: Any = "raise") -> None:
    """As ``np.put``."""
    np.put(self, indices, values, mode)


def _conjugate(self: TracedArray, out: Any = None) -> Any:
    """As ``np.conjugate``; the method gives real numbers back as they are, not a copy."""
    if self._dtype.kind != "c" and out is None:
        return self
    return np.conjugate(self, out=out)


TracedArray.all = _truth(np.all)
TracedArray.any = _truth(np.any)
TracedArray.choose = _choose
TracedArray.compress = _compress
TracedArray.clip = _clip
TracedArray.put = _put
TracedArray.conj = _conjugate
TracedArray.conjugate = _conjugate


def _refusing(name: str) -> Callable[..., Any]:
    def method(self: TracedArray, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse(f"ndarray.{name}")

    method.__name__ = name
    method.__doc__ = "Refused: it needs the values."
    return method


without_buffer(TracedArray)
if not hasattr(np.ndarray, "__buffer__"):  # before Python 3.12
    del TracedArray.__buffer__
setattr(TracedArray, "__bytes__", Hidden("__bytes__", TracedArray._bytes))  # noqa: B010


for _name in "tobytes tostring tofile dump dumps byteswap getfield setfield".split():
    if hasattr(np.ndarray, _name):  # NumPy 2.3 has no tostring
        setattr(TracedArray, _name, _refusing(_name))

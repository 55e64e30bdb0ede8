"""`TracedArray`: an ndarray subclass whose elements are dependency patterns.

Contract: the visible buffer is a read-only view of one poison object; the node ids
live in `_ids`, an int32 array of the same shape, which NumPy itself slices, reshapes
and assigns, so views share memory as the user expects.  Everything that reaches no
protocol of NumPy's is overridden here: it is answered from the ids, or it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from sparsetrace.dispatch import indexing
from sparsetrace.dispatch.calls import function_call, ufunc_call
from sparsetrace.dispatch.operands import Elements, ids_of, is_traced, landed, values_of
from sparsetrace.errors import EscapeError, UnsupportedError, ValueDependentError, explain
from sparsetrace.graph import OPAQUE, Graph, Ids
from sparsetrace.poison import frame
from sparsetrace.propagate import index_sets
from sparsetrace.scalar import TracedScalar, refuse_truth, refuse_value

__all__ = ["TracedArray", "traced_array", "wrap"]


def traced_array(
    graph: Graph, ids: Ids, dtype: np.dtype[Any], values: NDArray[Any] | None = None
) -> TracedArray:
    """The traced array over these ids; views of `ids` and `values` stay views."""
    array: TracedArray = frame(ids.shape).view(TracedArray)
    array._ids = ids
    array._graph = graph
    array._dtype = dtype
    array._values = values
    return array


def _scalar(graph: Graph, node: int, dtype: np.dtype[Any], value: Any = None) -> Any:
    if graph.local:
        # a real number whose derivative was cut stays traced: see rules/singular.py
        if node <= 0 or (node == OPAQUE and dtype.kind in "biu"):
            return dtype.type(value)
        return TracedScalar(graph, node, dtype, value)
    if node <= 0:
        return graph.known_value(node, dtype)
    return TracedScalar(graph, node, dtype)


def wrap(graph: Graph, found: Elements) -> Any:
    """What the user's function gets for a rule's result."""
    ids, values = found.ids, found.values
    if ids.ndim == 0 and not found.keep_array:
        return _scalar(graph, int(ids), found.dtype, values)
    if graph.local:
        values = np.asarray(values) if values is not None else np.zeros(ids.shape, found.dtype)
        if found.dtype.kind in "biu" and not graph.dependency:
            return values  # whole numbers have no derivative, and here their values are known
    return traced_array(graph, ids, found.dtype, values)


class TracedArray(np.ndarray[Any, Any]):
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
    TracedArray([{0, 1}, {1, 2}])
    """

    __slots__ = ("_dtype", "_graph", "_ids", "_values")
    __array_priority__ = 1e6
    _is_traced = True
    _dtype: np.dtype[Any]
    _graph: Graph
    _ids: Ids
    _values: NDArray[Any] | None

    def __getattr__(self, name: str) -> NoReturn:
        if name in TracedArray.__slots__:
            raise EscapeError(
                explain(
                    "a view of a traced array",
                    "it was made by a routine that the trace does not see",
                    "Use indexing, reshape or a NumPy function on the array itself.",
                )
            )
        raise AttributeError(f"'TracedArray' object has no attribute {name!r}")

    @property
    def patterns(self) -> NDArray[Any]:
        flat = np.empty(self._ids.size, object)
        flat[:] = index_sets(self._graph, self._ids.reshape(-1))
        return flat.reshape(self._ids.shape)

    # -------------------------------------------------------------- protocols
    def __array_ufunc__(  # type: ignore[override]
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        return ufunc_call(self._graph, ufunc, method, inputs, kwargs)

    def __array_function__(  # type: ignore[override]
        self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        for kind in types:
            if not issubclass(kind, (np.ndarray, TracedScalar)) or issubclass(
                kind, np.ma.MaskedArray
            ):
                return NotImplemented
        return function_call(self._graph, function, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:  # type: ignore[override]
        refuse_value("np.asarray()", "a traced array")

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        if is_traced(array):
            return array
        return np.asarray(array) if array.dtype != object else self._refuse("__array_wrap__")

    def __dlpack__(self, **options: Any) -> NoReturn:  # type: ignore[override]
        self._refuse("DLPack")

    def _refuse(self, call: str) -> NoReturn:
        refuse_value(call, "a traced array")

    # -------------------------------------------------------------- elements
    def __getitem__(self, key: Any) -> Any:
        if not indexing.is_simple(key):
            if isinstance(key, str):
                raise IndexError("only integers, slices and arrays are valid indices")
            key, unsure = indexing.constant_key(self._graph, key)
            if unsure:
                found = indexing.read(self._graph, self._ids, key)
                return wrap(self._graph, Elements(found, self._dtype))
        ids = self._ids[key]
        values = None if self._values is None else self._values[key]
        if type(ids) is np.ndarray:
            return traced_array(self._graph, ids, self._dtype, values)
        return _scalar(self._graph, int(ids), self._dtype, values)

    def __setitem__(self, key: Any, value: Any) -> None:
        graph = self._graph
        ids = landed(graph, self._dtype, ids_of(graph, value))
        if not indexing.is_simple(key):
            key, unsure = indexing.constant_key(graph, key)
            if unsure:
                indexing.write(graph, self._ids, key, ids)
                return
        self._ids[key] = ids
        if self._values is not None:
            self._values[key] = values_of(value)

    def __iter__(self) -> Iterator[Any]:
        if self._ids.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        graph, dtype = self._graph, self._dtype
        if self._values is not None or self._ids.ndim > 1:
            return (self[i] for i in range(len(self._ids)))
        return (_scalar(graph, node, dtype) for node in self._ids.tolist())

    def __contains__(self, item: Any) -> bool:
        refuse_truth("whether a traced array contains a value")

    def item(self, *args: Any) -> Any:
        """One element, as `TracedScalar`."""
        value = None if self._values is None else self._values.item(*args)
        return _scalar(self._graph, self._ids.item(*args), self._dtype, value)

    def tolist(self) -> Any:
        """Nested lists of elements."""
        if self._ids.ndim == 0:
            return self.item()
        return [row.tolist() if isinstance(row, TracedArray) else row for row in self]

    # ------------------------------------------------------------ conversions
    def _single(self, call: str) -> Any:
        if self._ids.size != 1:
            raise TypeError("only length-1 arrays can be converted to Python scalars")
        found = self.item()
        if is_traced(found):
            self._refuse(call)
        return found

    def __float__(self) -> float:
        return float(self._single("float()"))

    def __int__(self) -> int:
        return int(self._single("int()"))

    def __complex__(self) -> complex:
        return complex(self._single("complex()"))

    def __index__(self) -> int:
        if self._ids.ndim == 0 and is_traced(self.item()):
            self.item().__index__()
        return self._single("an index").__index__()  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        if self._ids.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        return bool(self.item())

    def __round__(self, ndigits: int | None = None) -> Any:
        return np.round(self, ndigits or 0)

    def __repr__(self) -> str:
        text = np.array2string(
            _shown(self.patterns, self._ids), separator=", ", formatter={"all": str}
        )
        return f"TracedArray({text})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __copy__(self) -> TracedArray:
        return self.copy("K")  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: Any) -> TracedArray:
        return self.copy("K")  # type: ignore[no-any-return]

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self._refuse("pickle")

    __reduce__ = __reduce_ex__  # type: ignore[assignment]

    # -------------------------------------------------------------- metadata
    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        return self._dtype

    @dtype.setter
    def dtype(self, value: Any) -> None:
        self._reinterpreted("x.dtype =")

    @property
    def itemsize(self) -> int:  # type: ignore[override]
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:  # type: ignore[override]
        return self._dtype.itemsize * self._ids.size

    @property
    def strides(self) -> tuple[int, ...]:  # type: ignore[override]
        scale = self._dtype.itemsize
        return tuple(step // 4 * scale for step in self._ids.strides)

    @strides.setter
    def strides(self, value: Any) -> None:
        self._reinterpreted("x.strides =")

    def _reinterpreted(self, call: str) -> NoReturn:
        raise UnsupportedError(
            explain(
                call,
                "it would reinterpret the bytes of traced elements",
                "Use astype, reshape, x.real or x.imag.",
            )
        )

    @property
    def flags(self) -> Any:  # type: ignore[override]
        return self._ids.flags

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return self._ids.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        ids = self._ids.view()
        ids.shape = shape
        np.ndarray.shape.__set__(self, ids.shape)  # type: ignore[attr-defined]
        self._ids = ids
        if self._values is not None:
            values = self._values.view()
            values.shape = ids.shape
            self._values = values

    def _moved(self, move: Callable[[NDArray[Any]], NDArray[Any]]) -> TracedArray:
        """The array with its elements moved; a view where the move makes one."""
        values = None if self._values is None else move(self._values)
        return traced_array(self._graph, move(self._ids), self._dtype, values)

    @property
    def T(self) -> TracedArray:  # type: ignore[override]
        return self._moved(lambda a: a.T)

    @property
    def mT(self) -> TracedArray:  # type: ignore[override]
        return self._moved(lambda a: a.mT)

    @property
    def base(self) -> Any:  # type: ignore[override]
        return (
            None
            if self._ids.base is None
            else self._moved(lambda a: a.base if a.base is not None else a)
        )

    @property
    def real(self) -> Any:  # type: ignore[override]
        return np.real(self) if self._dtype.kind == "c" else self._moved(lambda a: a)

    @real.setter
    def real(self, value: Any) -> None:
        if self._dtype.kind == "c":
            united = self._graph.union(self._ids, ids_of(self._graph, value))
            self._ids[...] = united
            if self._values is not None:
                self._values.real = values_of(value)
        else:
            self[...] = value

    @property
    def imag(self) -> Any:  # type: ignore[override]
        return np.imag(self)

    @imag.setter
    def imag(self, value: Any) -> None:
        if self._dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        self._ids[...] = self._graph.union(self._ids, ids_of(self._graph, value))
        if self._values is not None:
            self._values.imag = values_of(value)

    @property
    def flat(self) -> Any:  # type: ignore[override]
        return _Flat(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        _Flat(self)[:] = value

    @property
    def data(self) -> NoReturn:  # type: ignore[override]
        self._refuse("x.data")

    @data.setter
    def data(self, value: Any) -> None:
        self._refuse("x.data =")

    @property
    def ctypes(self) -> NoReturn:  # type: ignore[override]
        self._refuse("x.ctypes")

    @property
    def __array_interface__(self) -> NoReturn:  # type: ignore[override]
        self._refuse("x.__array_interface__")

    @property
    def __array_struct__(self) -> NoReturn:  # type: ignore[override]
        self._refuse("x.__array_struct__")

    # ---------------------------------------------------- methods that move
    def reshape(self, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
        """As ndarray.reshape."""
        options = {"order": order} if copy is None else {"order": order, "copy": copy}
        return self._moved(lambda a: a.reshape(*shape, **options))

    def transpose(self, *axes: Any) -> Any:
        """As ndarray.transpose."""
        return self._moved(lambda a: a.transpose(*axes))

    def ravel(self, order: Any = "C") -> Any:
        """As ndarray.ravel."""
        return self._moved(lambda a: a.ravel(order))

    def flatten(self, order: Any = "C") -> Any:
        """As ndarray.flatten."""
        return self._moved(lambda a: a.flatten(order))

    def squeeze(self, axis: Any = None) -> Any:
        """As ndarray.squeeze."""
        return self._moved(lambda a: a.squeeze(axis))

    def swapaxes(self, axis1: Any, axis2: Any) -> Any:
        """As ndarray.swapaxes."""
        return self._moved(lambda a: a.swapaxes(axis1, axis2))

    def copy(self, order: Any = "C") -> Any:
        """As ndarray.copy."""
        return self._moved(lambda a: a.copy(order))

    def diagonal(self, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
        """As ndarray.diagonal."""
        return self._moved(lambda a: a.diagonal(offset, axis1, axis2))

    def fill(self, value: Any) -> None:
        """As ndarray.fill."""
        self[...] = value

    def resize(self, *shape: Any, refcheck: bool = True) -> NoReturn:
        """Refused: it changes the array in place, and its views would not follow."""
        raise UnsupportedError(
            explain(
                "ndarray.resize",
                "it would move the elements under views of them",
                "Use np.resize(x, shape), which returns a new array.",
            )
        )

    def astype(  # type: ignore[override]
        self,
        dtype: Any,
        order: Any = "K",
        casting: Any = "unsafe",
        subok: Any = True,
        copy: Any = True,
    ) -> Any:
        """As ndarray.astype; whole numbers have no derivative."""
        kind = np.dtype(dtype)
        if kind.kind not in "biufc":
            raise UnsupportedError(
                explain(f"astype({kind})", "this type holds no numbers", "Keep a float type.")
            )
        if not np.can_cast(self._dtype, kind, casting):
            raise TypeError(
                f"Cannot cast array data from {self._dtype!r} to {kind!r} according to the rule "
                f"{casting!r}"
            )
        if not copy and kind == self._dtype:
            return self
        if self._values is not None:
            found = Elements(
                landed(self._graph, kind, self._ids.copy(order)),
                kind,
                self._values.astype(kind, order),
                keep_array=True,
            )
            return wrap(self._graph, found)
        ids = landed(self._graph, kind, self._ids.copy(order))
        if kind.kind in "biu" and self._dtype.kind not in "biu":
            known = ids < 0
            values = self._graph.known_values(ids[known], self._dtype).astype(kind)
            ids[known] = self._graph.constant(values)
        return traced_array(self._graph, ids, kind)

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """As ndarray.view, for the array's own dtype alone."""
        for wanted in (*args, *kwargs.values()):
            if wanted in (None, np.ndarray, TracedArray) or np.dtype(wanted) == self._dtype:
                continue
            self._reinterpreted("ndarray.view")
        return self._moved(lambda a: a)

    def sort(self, axis: int = -1, kind: Any = None, order: Any = None, **kwargs: Any) -> None:
        """In place; every element may become any of its axis."""
        self[...] = np.sort(self, axis=axis)

    def partition(self, kth: Any, axis: int = -1, kind: Any = None, order: Any = None) -> None:
        """In place; every element may become any of its axis."""
        self[...] = np.partition(self, kth, axis=axis)

    def setflags(self, write: Any = None, align: Any = None, uic: Any = None) -> None:
        """As ndarray.setflags, for `write`."""
        if write is not None:
            self._ids.setflags(write=write)

    def to_device(self, device: Any, *, stream: Any = None) -> TracedArray:
        """The array itself: there is one device."""
        return self


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


class _Flat:
    """``x.flat``: reads, writes and iterates in C order."""

    __slots__ = ("_array", "_iterator", "index")

    def __init__(self, array: TracedArray) -> None:
        self._array = array
        self._iterator: Iterator[Any] | None = None
        self.index = 0

    def __len__(self) -> int:
        return int(self._array._ids.size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._array.reshape(-1))

    def __next__(self) -> Any:
        if self._iterator is None:
            self._iterator = iter(self)
        found = next(self._iterator)
        self.index += 1
        return found

    @property
    def base(self) -> TracedArray:
        return self._array

    @property
    def coords(self) -> tuple[int, ...]:
        return tuple(int(i) for i in np.unravel_index(self.index, self._array._ids.shape))

    def __getitem__(self, key: Any) -> Any:
        found = self._array.reshape(-1)[key]
        return found.copy() if isinstance(found, TracedArray) else found

    def __setitem__(self, key: Any, value: Any) -> None:
        array = self._array
        key, unsure = indexing.constant_key(array._graph, key)
        if unsure:
            raise ValueDependentError(
                explain("x.flat[key] =", "the key depends on the inputs", "Use np.where.")
            )
        places = np.arange(array._ids.size)[key]
        ids = landed(array._graph, array._dtype, ids_of(array._graph, value)).reshape(-1)
        if np.ndim(places):
            ids = np.resize(ids, np.shape(places))
        else:
            ids = ids[0]
        array._ids[np.unravel_index(places, array._ids.shape)] = ids
        if array._values is not None:
            array._values.flat[key] = values_of(value)

    def copy(self) -> Any:
        return self._array.flatten()


def _through(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def method(self: TracedArray, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f"As ``np.{function.__name__}``."
    return method


for _name in (
    "all any argmax argmin argpartition argsort choose clip cumprod cumsum dot max mean min "
    "nonzero prod repeat searchsorted std sum take trace var round"
).split():
    setattr(TracedArray, _name, _through(getattr(np, _name), _name))


def _compress(self: TracedArray, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """As ``np.compress``."""
    return np.compress(condition, self, axis, out)


def _put(self: TracedArray, indices: Any, values: Any, mode: Any = "raise") -> None:
    """As ``np.put``."""
    np.put(self, indices, values, mode)


def _conjugate(self: TracedArray) -> Any:
    """As ``np.conjugate``."""
    return np.conjugate(self)


TracedArray.compress = _compress  # type: ignore[assignment,method-assign]
TracedArray.put = _put  # type: ignore[assignment,method-assign]
TracedArray.conj = _conjugate  # type: ignore[method-assign]
TracedArray.conjugate = _conjugate  # type: ignore[method-assign]


def _refusing(name: str) -> Callable[..., Any]:
    def method(self: TracedArray, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse(f"ndarray.{name}")

    method.__name__ = name
    method.__doc__ = "Refused: it needs the values."
    return method


for _name in "tobytes tofile dump dumps byteswap getfield setfield".split():
    setattr(TracedArray, _name, _refusing(_name))

"""`TracedMatrix`: what passes for an np.matrix of traced elements.

Contract: ``*`` and ``**`` are those of matrices, and what it gives has two dimensions where NumPy's
does.  It is told apart from NumPy's own class by its type alone (``isinstance`` is told otherwise),
and is no array: functions that are not known to mean for a matrix what they do for the array that
it holds are refused by name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from sparsetrace.dispatch.sparse_operators import is_operator
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.user_code.callers import called

__all__ = ["TracedMatrix", "matrix_over", "refuse_matrix"]


class TracedMatrix:
    """An np.matrix over a traced array of two dimensions, whose elements it shares."""

    __slots__ = ("_traced_data",)
    __array_priority__ = 2e6
    _is_matrix = True
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: Any) -> None:
        self._traced_data = array

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What ``isinstance`` is told."""
        return np.matrix

    shape = property(lambda self: self._traced_data.shape)
    size = property(lambda self: self._traced_data.size)
    dtype = property(lambda self: self._traced_data.dtype)
    nbytes = property(lambda self: self._traced_data.nbytes)
    ndim = property(lambda self: 2)
    real = property(lambda self: TracedMatrix(self._traced_data.real))
    imag = property(lambda self: TracedMatrix(self._traced_data.imag))

    def getA(self) -> Any:
        return self._traced_data

    def getA1(self) -> Any:
        return self._traced_data.ravel()

    def getT(self) -> Any:
        return TracedMatrix(self._traced_data.T)

    def getH(self) -> Any:
        return TracedMatrix(self._traced_data.conj().T)

    def getI(self) -> Any:
        rows, columns = self.shape
        inverse = np.linalg.inv if rows == columns else np.linalg.pinv
        return TracedMatrix(inverse(self._traced_data))

    A, A1, T, H, I = map(property, (getA, getA1, getT, getH, getI))  # noqa: E741 - NumPy's name

    # ------------------------------------------------------------------ elements
    def __getitem__(self, key: Any) -> Any:
        chosen = self._traced_data[plain(key)]
        if np.ndim(chosen) > 2:
            refuse_matrix("an index that adds axes")
        if np.ndim(chosen) != 1:
            return matrix_over(chosen)
        by_number = isinstance(key, tuple) and len(key) > 1 and np.isscalar(key[1])
        return TracedMatrix(chosen.reshape((-1, 1) if by_number else (1, -1)))

    def __setitem__(self, key: Any, value: Any) -> None:
        key, value = plain(key), plain(value)
        entries = key if isinstance(key, tuple) else (key,)
        if all(isinstance(entry, (int, np.integer, slice)) for entry in entries):
            target = self[key]
            if type(target) is TracedMatrix:
                target._traced_data[...] = value
                return
        self._traced_data[key] = value

    def __len__(self) -> int:
        return len(self._traced_data)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def tolist(self) -> Any:
        return self._traced_data.tolist()

    def item(self, *args: Any) -> Any:
        return self._traced_data.item(*args)

    def trace(self, *args: Any, **kwargs: Any) -> Any:
        return matrix_over(np.atleast_2d(self._traced_data.trace(*args, **kwargs)))

    def fill(self, value: Any) -> None:
        self._traced_data[...] = value

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        """As ndarray.view, to an array or to a matrix."""
        wanted = dtype if type is None else type
        if wanted in (None, np.matrix):
            return TracedMatrix(self._traced_data[...])
        return self._traced_data.view(wanted)

    # ----------------------------------------------------------------- operators
    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (np.ndarray, list, tuple)):
            return _product(self, np.asmatrix(other))
        if np.isscalar(other) or not hasattr(other, "__rmul__"):
            return TracedMatrix(self._traced_data * other)
        return NotImplemented

    def __rmul__(self, other: Any) -> Any:
        if np.isscalar(other) or not np.ndim(plain(other)):
            return TracedMatrix(other * self._traced_data)
        return _product(other, self)

    def __pow__(self, other: Any) -> Any:
        return TracedMatrix(np.linalg.matrix_power(self._traced_data, other))

    def __imul__(self, other: Any) -> Any:
        self[:] = self * other
        return self

    def __ipow__(self, other: Any) -> Any:
        self[:] = self**other
        return self

    def __copy__(self) -> Any:
        return TracedMatrix(self._traced_data.copy("K"))

    def __deepcopy__(self, memo: object) -> Any:
        return self.__copy__()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        refuse_matrix("pickle")

    def __abs__(self) -> Any:
        return TracedMatrix(abs(self._traced_data))

    def __neg__(self) -> Any:
        return TracedMatrix(-self._traced_data)

    def __pos__(self) -> Any:
        return TracedMatrix(+self._traced_data)

    def __bool__(self) -> bool:
        return bool(self._traced_data)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        frame = sys._getframe(1)
        if method == "__call__" and not kwargs and not any(np.ndim(plain(x)) > 2 for x in inputs):
            if ufunc is np.multiply and is_operator(frame):
                return inputs[1].__rmul__(inputs[0])
            by_name = ufunc not in _OTHERWISE or isinstance(called(frame), np.ufunc)
            if by_name and not (ufunc in _OTHERWISE and is_operator(frame)):
                return matrix_over(ufunc(*map(plain, inputs)))
        refuse_matrix(f"np.{ufunc.__name__}")

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        name = f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1)
        if function in _BY_METHOD and args and isinstance(args[0], np.matrix):
            return getattr(np.asmatrix(args[0]), _BY_METHOD[function])(*args[1:], **kwargs)
        if function not in _ALIKE or kwargs.get("out") is not None:
            refuse_matrix(name)
        result = function(*map(plain, args), **{k: plain(x) for k, x in kwargs.items()})
        return result if function in _ARRAYS else matrix_over(result)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(np.matrix, name):
            raise AttributeError(f"'matrix' object has no attribute {name!r}")
        return refuse_matrix(f"np.matrix.{name}")


_OTHERWISE = frozenset((np.multiply, np.power))
"""Ufuncs that are not what the operators of their names mean for matrices."""


def refuse_matrix(name: str) -> NoReturn:
    """Raise the error of what is not known to mean for a matrix what it does for an array."""
    raise UnsupportedError(
        explain(
            f"{name} of an np.matrix",
            "operators and methods may mean something else for a matrix than for an array",
            "Use np.asarray(m), and m @ n for products; of SciPy csr_array in place of csr_matrix.",
        )
    )


def plain(x: Any) -> Any:
    """An argument with arrays in place of matrices."""
    if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
        return type(x)(map(plain, x))
    if type(x) is TracedMatrix:
        return x._traced_data
    return np.asarray(x) if isinstance(x, np.matrix) else x


def matrix_over(result: Any) -> Any:
    """A result as a matrix; numbers, and what are several results, stay what they are."""
    if isinstance(result, tuple):
        items = [matrix_over(item) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else tuple(items)
    if not np.ndim(result):
        return result
    shape = np.shape(result)
    if len(shape) > 2:  # then axes of one element are left out
        shape = tuple(n for n in shape if n > 1)
    if len(shape) > 2:
        raise ValueError("shape too large to be a matrix.")
    array = result.reshape(shape if len(shape) == 2 else (1, -1))
    return TracedMatrix(array) if hasattr(type(array), "_ids") else np.asmatrix(array)


def _product(left: Any, right: Any) -> Any:
    return matrix_over(np.dot(plain(left), plain(right)))


def _methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    def reduction(name: str) -> Callable[..., Any]:
        def reduce(self: TracedMatrix, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
            kwargs = {**kwargs, "keepdims": True}
            found = getattr(np, name)(self._traced_data, axis, *args, **kwargs)
            return found.reshape(-1)[0] if axis is None else matrix_over(found)

        return reduce

    def of_array(name: str) -> Callable[..., Any]:
        def method(self: TracedMatrix, *args: Any, **kwargs: Any) -> Any:
            return matrix_over(getattr(self._traced_data, name)(*map(plain, args), **kwargs))

        return method

    for name in "all any argmax argmin max mean min prod ptp std sum var".split():
        yield name, reduction(name)
    alike = "astype clip conj conjugate copy cumsum cumprod diagonal dot flatten ravel repeat "
    alike += "reshape round squeeze swapaxes take transpose"
    for name in alike.split():
        yield name, of_array(name)
    operators = "add sub truediv floordiv mod matmul lt le gt ge eq ne".split()
    for name in operators:
        yield f"__{name}__", _operator(name, 0)
        if name not in "lt le gt ge eq ne".split():
            yield f"__r{name}__", _operator(name, 1)
            yield f"__i{name}__", _in_place(name)


def _operator(name: str, place: int) -> Callable[..., Any]:
    ufunc = _UFUNCS[name]

    def operate(self: TracedMatrix, other: Any) -> Any:
        operands = [self, other] if not place else [other, self]
        if not isinstance(other, (np.ndarray, list, tuple)) and not np.isscalar(other):
            return NotImplemented
        return matrix_over(ufunc(*map(plain, operands)))

    return operate


def _in_place(name: str) -> Callable[..., Any]:
    ufunc = _UFUNCS[name]

    def operate(self: TracedMatrix, other: Any) -> Any:
        if not isinstance(other, (np.ndarray, list, tuple)) and not np.isscalar(other):
            return NotImplemented
        ufunc(self._traced_data, plain(other), out=self._traced_data)
        return self

    return operate


_UFUNCS: dict[str, np.ufunc] = {
    "add": np.add, "sub": np.subtract, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "matmul": np.matmul, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
for _name, _method in _methods():
    setattr(TracedMatrix, _name, _method)
for _name in "divmod rdivmod rpow contains float int index complex array".split():
    setattr(TracedMatrix, f"__{_name}__", lambda *_, name=f"__{_name}__", **__: refuse_matrix(name))


def _named(names: str) -> list[Callable[..., Any]]:
    return [getattr(np, name) for name in names.split()]


_BY_METHOD: dict[Callable[..., Any], str] = {
    **{f: f.__name__ for f in _named("all any argmax argmin max mean min prod ptp std sum var")},
    **{f: f.__name__ for f in _named("clip cumprod cumsum repeat reshape round")},
    **{f: f.__name__ for f in _named("squeeze swapaxes take transpose")},
    np.amax: "max", np.amin: "min", np.around: "round",
}  # fmt: skip
"""Functions that call the method of the matrix."""
_ARRAYS = frozenset(_named("copy diag diagonal expand_dims iscomplexobj isrealobj ndim ravel"))
_ARRAYS |= {np.shape, np.size, np.trace, np.tril, np.triu, np.linalg.norm}
"""Functions that give arrays and numbers of matrices, too."""
_ALIKE = _ARRAYS.union(
    _named("concatenate dot hstack imag ones_like real vstack zeros_like"),
    (np.linalg.inv, np.linalg.pinv, np.linalg.det, np.linalg.solve, np.linalg.matrix_power),
)
"""Functions that mean for matrices what they do for arrays."""

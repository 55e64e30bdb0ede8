"""`TracedScalar`: one traced number, as element reads and full reductions give it.

Contract: passes for a float wherever its value is not needed; where it is (``float``,
``bool``, ``int``, an index, a hash of the value) it raises.  Operators take a short
way past the array rules, with the same table and the same result.
"""

from __future__ import annotations

import numbers
from functools import lru_cache
from typing import Any, NoReturn, cast

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array
from pyroaring import BitMap

from sparsetrace.dispatch import elementwise
from sparsetrace.dispatch.calls import function_call, ufunc_call
from sparsetrace.dispatch.curving import curved_beside, curved_scalar
from sparsetrace.dispatch.operands import FLOAT, Elements, landed
from sparsetrace.errors import EscapeError, ValueDependentError, explain
from sparsetrace.graph import OPAQUE, Graph, Ids
from sparsetrace.propagate import index_sets
from sparsetrace.rules import FIRST_ORDER

__all__ = ["TracedScalar", "refuse_truth", "refuse_value"]


@lru_cache(maxsize=1024)
def _unites(ufunc: np.ufunc) -> bool:
    return FIRST_ORDER[ufunc].partials == ("11",)


@lru_cache(maxsize=1024)
def _short(ufunc: np.ufunc) -> bool:
    return FIRST_ORDER[ufunc].partials == ("1",)


def _binary(ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """``ufunc(a, b)``, one of them a traced scalar."""
    kind_a, kind_b = type(a), type(b)
    if kind_a is TracedScalar:
        if kind_b is TracedScalar:
            graph = a._graph
            if (
                a._id > OPAQUE
                and b._id > OPAQUE
                and a._dtype is FLOAT
                and b._dtype is FLOAT
                and b._graph is graph
                and not graph.local
                and _unites(ufunc)
            ):
                if graph.second_order:
                    return TracedScalar(graph, curved_scalar(graph, ufunc, a._id, b._id), FLOAT)
                return TracedScalar(graph, graph.union_scalar(a._id, b._id), FLOAT)
        elif (
            (kind_b is float or kind_b is int)
            and a._id > OPAQUE
            and a._dtype is FLOAT
            and a._graph.values
            and not a._graph.local
            and elementwise.keeps(ufunc, 0, b)
        ):
            if a._graph.second_order:
                return TracedScalar(a._graph, curved_beside(a._graph, ufunc, a._id, 0, b), FLOAT)
            return TracedScalar(a._graph, a._id, FLOAT)
    elif (
        (kind_a is float or kind_a is int)
        and b._id > OPAQUE
        and b._dtype is FLOAT
        and b._graph.values
        and not b._graph.local
        and elementwise.keeps(ufunc, 1, a)
    ):
        if b._graph.second_order:
            return TracedScalar(b._graph, curved_beside(b._graph, ufunc, b._id, 1, a), FLOAT)
        return TracedScalar(b._graph, b._id, FLOAT)
    graph = a._graph if kind_a is TracedScalar else b._graph
    result = ufunc_call(graph, ufunc, "__call__", (a, b), {})
    if result is NotImplemented:
        return NotImplemented
    return result


def refuse_value(call: str, what: str = "a traced number") -> NoReturn:
    """Raise the error of a conversion that needs the value."""
    raise EscapeError(
        explain(
            call,
            f"it needs the value of {what}, and the trace would end there",
            "Keep the number as it is: np.trunc(v) for int(v), f'{v}' for '%g' % v; indices "
            "and counts must come from constants.",
        )
    )


def refuse_truth(what: str) -> NoReturn:
    """Raise the error of a branch on a traced value."""
    raise ValueDependentError(
        explain(
            "bool()",
            f"a branch (if, while, and, or, assert) on {what} depends on the inputs",
            "Use np.where, np.maximum or np.clip, which trace both outcomes.",
        )
    )


class TracedScalar:
    """One number of a trace; made by traced arrays, not by users.

    Attributes
    ----------
    pattern : pyroaring.BitMap
        Indices of the inputs that this number depends on.

    Examples
    --------
    >>> import numpy as np, sparsetrace as st
    >>> def f(x):
    ...     print(repr(x[0] * x[2]))
    ...     return x[0] * x[2]
    >>> _ = st.jacobian_sparsity(f, np.ones(3))
    TracedScalar({0, 2})
    """

    __slots__ = ("_dtype", "_graph", "_id", "_value")
    __array_priority__ = 1e6
    _is_traced = True
    _is_number = True
    shape = ()
    ndim = 0
    size = 1

    def __init__(self, graph: Graph, node: int, dtype: np.dtype[Any], value: Any = None) -> None:
        self._graph = graph
        self._id = node
        self._dtype = dtype
        self._value = value

    @property
    def _values(self) -> Any:
        """The value at the point of a local trace; None in a global one."""
        return None if self._value is None else self._dtype.type(self._value)

    @property
    def _ids(self) -> Ids:
        return array(self._id, np.int32)

    @property
    def pattern(self) -> BitMap:
        return index_sets(self._graph, self._ids)[0]

    def __repr__(self) -> str:
        self._graph.shown = True
        if self._id == OPAQUE:
            return "TracedScalar({}, value depends on the inputs)"
        return f"TracedScalar({{{', '.join(map(str, self.pattern))}}})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    # -------------------------------------------------------------- protocols
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return ufunc_call(self._graph, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return function_call(self._graph, function, args, kwargs)

    @property
    def __array__(self) -> NoReturn:
        """Not there, but asked for wherever an array is about to hold the number as an object."""
        if self._graph.becomes_object is not None:
            self._graph.becomes_object()
        raise AttributeError("__array__")

    def __float__(self) -> float:
        refuse_value("float()")

    def __int__(self) -> int:
        if self._graph.local and not self._graph.dependency:
            return int(self._value)  # truncation has no derivative
        refuse_value("int()")

    def __complex__(self) -> complex:
        refuse_value("complex()")

    def __index__(self) -> int:
        raise ValueDependentError(
            explain(
                "an index or a count",
                "it depends on the inputs, and an ordinary array or range needs its value",
                "Index a traced array with it, or compute it from constants.",
            )
        )

    def __bool__(self) -> bool:
        graph = self._graph
        if graph.local:
            return bool(self._value)
        if graph.decide is None:
            refuse_truth("a traced number")
        graph.conditions.append(self._id)
        return graph.decide()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        refuse_value("pickle")

    def __copy__(self) -> TracedScalar:
        return self

    def __deepcopy__(self, memo: Any) -> TracedScalar:
        return self

    def __hash__(self) -> int:
        raise ValueDependentError(
            explain(
                "hash()",
                "a set, a dict or a cache would look the number up by its value, which depends "
                "on the inputs",
                "Use np.where, or keys made of constants.",
            )
        )

    def hex(self) -> NoReturn:
        """Refused: it needs the value."""
        refuse_value("float.hex()")

    def as_integer_ratio(self) -> NoReturn:
        """Refused: it needs the value."""
        refuse_value("float.as_integer_ratio()")

    # -------------------------------------------------------------- operators
    def __neg__(self) -> Any:
        return np.negative(cast(Any, self))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return np.absolute(cast(Any, self))

    def __invert__(self) -> Any:
        return np.invert(cast(Any, self))

    def __round__(self, ndigits: int | None = None) -> Any:
        return np.round(cast(Any, self), ndigits or 0)

    def __floor__(self) -> Any:
        return np.floor(cast(Any, self))

    def __ceil__(self) -> Any:
        return np.ceil(cast(Any, self))

    def __trunc__(self) -> Any:
        return np.trunc(cast(Any, self))

    def __pow__(self, other: Any, modulo: None = None) -> Any:
        return _binary(np.power, self, other)

    def __rpow__(self, other: Any) -> Any:
        return _binary(np.power, other, self)

    # --------------------------------------------------- the array's attributes
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What ``isinstance`` is told: elements of arrays are ``np.float64``, and floats."""
        return self._dtype.type

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    @property
    def itemsize(self) -> int:
        return self._dtype.itemsize

    nbytes = itemsize

    @property
    def real(self) -> Any:
        return np.real(cast(Any, self))

    @property
    def imag(self) -> Any:
        return np.imag(cast(Any, self))

    @property
    def T(self) -> TracedScalar:
        return self

    def _as_array(self) -> Any:
        """The number as an array without dimensions."""
        values = None if self._value is None else np.array(self._value, self._dtype)
        found = Elements(self._ids, self._dtype, values, keep_array=True)
        return self._graph.wrap(found)

    __iter__ = None  # with __getitem__ alone it would pass for an empty sequence

    def __getitem__(self, key: Any) -> Any:
        """As elements of arrays: ``v[()]``, ``v[...]`` and ``v[None]``, and nothing else."""
        parts = key if isinstance(key, tuple) else (key,)
        if all(part is None or part is Ellipsis for part in parts):
            return self if not parts else self._as_array()[key]
        raise IndexError("invalid index to scalar variable.")

    def item(self, *args: Any) -> TracedScalar:
        return self

    def tolist(self) -> TracedScalar:
        return self

    def copy(self, order: str = "C") -> TracedScalar:
        return self

    def conjugate(self) -> Any:
        return np.conjugate(cast(Any, self))

    conj = conjugate

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        kind = np.dtype(dtype)
        values = None if self._value is None else np.asarray(self._value).astype(kind)
        return self._graph.wrap(Elements(landed(self._graph, kind, self._ids), kind, values))

    def is_integer(self) -> Any:
        return np.equal(np.floor(cast(Any, self)), cast(Any, self))


def _operator(ufunc: np.ufunc, name: str, *, reflected: bool = True) -> None:
    def forward(self: TracedScalar, other: Any) -> Any:
        return _binary(ufunc, self, other)

    def backward(self: TracedScalar, other: Any) -> Any:
        return _binary(ufunc, other, self)

    forward.__name__ = f"__{name}__"
    setattr(TracedScalar, f"__{name}__", forward)
    if reflected:
        backward.__name__ = f"__r{name}__"
        setattr(TracedScalar, f"__r{name}__", backward)


_ufunc: np.ufunc
for _ufunc, _name in (
    (np.add, "add"),
    (np.subtract, "sub"),
    (np.multiply, "mul"),
    (np.true_divide, "truediv"),
    (np.floor_divide, "floordiv"),
    (np.remainder, "mod"),
    (np.divmod, "divmod"),
    (np.bitwise_and, "and"),
    (np.bitwise_or, "or"),
    (np.bitwise_xor, "xor"),
):
    _operator(_ufunc, _name)
for _ufunc, _name in (
    (np.less, "lt"),
    (np.less_equal, "le"),
    (np.equal, "eq"),
    (np.not_equal, "ne"),
    (np.greater, "gt"),
    (np.greater_equal, "ge"),
):
    _operator(_ufunc, _name, reflected=False)


def _unary_method(ufunc: np.ufunc) -> Any:
    def method(self: TracedScalar) -> Any:
        graph, node = self._graph, self._id
        plain = node > OPAQUE and self._dtype is FLOAT and not graph.local
        if plain and graph.second_order and _short(ufunc):
            return TracedScalar(graph, curved_scalar(graph, ufunc, node, node), FLOAT)
        return ufunc_call(graph, ufunc, "__call__", (self,), {})

    method.__name__ = ufunc.__name__
    return method


# NumPy's loops over object arrays look these methods up by the ufunc's name
for _ufunc in FIRST_ORDER:
    _name = _ufunc.__name__
    _of_numpy = getattr(np, _name, None) is _ufunc
    if _of_numpy and _ufunc.nin == _ufunc.nout == 1 and not hasattr(TracedScalar, _name):
        setattr(TracedScalar, _name, _unary_method(_ufunc))


def _array_method(name: str) -> Any:
    def method(self: TracedScalar, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._as_array(), name)(*args, **kwargs)

    method.__name__ = name
    return method


for _name in (
    "all any argmax argmin clip cumprod cumsum fill flatten max mean min prod ptp ravel repeat "
    "reshape round squeeze std sum swapaxes take transpose var"
).split():
    setattr(TracedScalar, _name, _array_method(_name))

numbers.Real.register(TracedScalar)

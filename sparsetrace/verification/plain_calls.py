"""The user's function as a plain function of one vector, called with nothing traced.

Contract: every plain call of the package goes through `plain_call`.  The function gets copies
of the caller's arguments in their own structure, types, dtypes and memory order, whole
numbers as floats, as a trace takes them.  A call that fails, or returns another number of
numbers than the first one did, has no values.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextvars import Context, copy_context
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sparsetrace.arrays.subclass_views import is_viewable
from sparsetrace.capture.session import SESSION
from sparsetrace.context import CURRENT
from sparsetrace.errors import FAILURES, OutputError
from sparsetrace.interrupts import interruptible
from sparsetrace.operands.operands import like_array
from sparsetrace.tracing.arguments import TracedCall
from sparsetrace.tracing.pytree import leaves, named_leaves, named_nones, numeric, rebuilt
from sparsetrace.tracing.unknown_numbers import UnknownArguments

__all__ = ["PlainFunction", "numbers_of", "plain_call", "title"]

Vector = NDArray[Any]
_EPS = float(np.finfo(np.float64).eps)


def plain_call(function: Callable[..., Any], args: list[Any], context: Context) -> Any:
    """``function(*args)`` outside of every trace, without its warnings.

    The context is the caller's, with NumPy's treatment of errors in it.
    """

    def call() -> Any:
        # the check itself may have been called by a traced function
        CURRENT.set(None)
        SESSION.set(None)
        FAILURES.set(None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with interruptible():
                return function(*args)

    return context.copy().run(call)


class PlainFunction:
    """A function and its arguments, as a function of the vector of all traced elements.

    Parameters
    ----------
    traced_call : TracedCall

    Attributes
    ----------
    point : array, shape (n,)
        The arguments' own values.
    sizes : array, shape (n,)
        What counts as a large move of each element.
    eps : float
        The rounding unit of the coarsest number among inputs and outputs.
    calls : int
        How often the function was called.
    failure : str
        Why the last call that failed did so.
    """

    def __init__(self, traced_call: TracedCall) -> None:
        self.function = traced_call.function
        self._given, self._numbers, self._unknown, self._out = traced_call.given
        self._args: tuple[Any, ...] = self._given
        trees = [self._args[i] for i in self._numbers]
        self._leaves = [leaf for tree in trees for leaf in leaves(tree)]
        arrays = [np.array(leaf, _dtype(leaf)).reshape(-1) for leaf in self._leaves]
        dtypes = [array.dtype for array in arrays]
        self.point = np.concatenate(arrays) if arrays else np.zeros(0)
        self.point = self.point.astype(np.result_type(self.point, np.float64))
        self.eps = max([_EPS, *map(_unit, dtypes)])
        self.calls = 0
        self._context = copy_context()
        self._state = traced_call.state
        others = UnknownArguments(
            self._given, [i for i in range(len(self._given)) if i not in self._numbers]
        )
        self._shared = self._state.keep_shared(others.arrays())
        self.failure = ""
        self.n_outputs: int | None = None
        self._result: Any = None
        self._as_lists = any(isinstance(leaf, list) for leaf in self._leaves)

    @cached_property
    def sizes(self) -> Vector:
        leaf_sizes = [_sizes(np.asarray(leaf).reshape(-1)) for leaf in self._leaves]
        return np.concatenate(leaf_sizes) if leaf_sizes else np.zeros(0)

    # ------------------------------------------------------------------ calls
    def first(self, x: Vector) -> Vector | None:
        """As `at`; from now on the function must return so many numbers.

        A function that fails with lists, and works with arrays of the same numbers, is
        given arrays.
        """
        result = self._numbers_at(x)
        if result is None and self._as_lists:
            self._as_lists, reason = False, self.failure
            result = self._numbers_at(x)
            if result is None:
                self._as_lists, self.failure = True, reason
        if result is None:
            return None
        self.n_outputs, self._result = len(result), self.last
        return result

    def at(self, x: Vector) -> Vector | None:
        """All numbers that the function returns at `x`; None if it fails."""
        result = self._numbers_at(x)
        if result is not None and len(result) != self.n_outputs:
            self.failure = f"it returned {len(result)} numbers, and {self.n_outputs} before"
            return None
        return result

    def _numbers_at(self, x: Vector) -> Vector | None:
        self.calls += 1
        try:
            self.last = self.result(x)
            result, eps = numbers_of(self.last)
        except Exception as error:
            self.failure = f"{type(error).__name__}: {error}"
            return None
        self.eps = max(self.eps, eps)
        return result

    def size(self) -> int | None:
        """How many numbers the function returns for the given arguments; None if it fails."""
        first = self.first(self.point)
        return None if first is None else len(first)

    def nones(self) -> frozenset[str]:
        """Where the function returns None among numbers for the given arguments."""
        try:
            return named_nones(self._result_at(self.point), "f")
        except Exception:
            return frozenset()

    def result(self, x: Vector) -> Any:
        """The numbers that the function returns, or fills, at `x`, in their nesting."""
        return numeric(self._result_at(x))

    def _result_at(self, x: Vector) -> Any:
        shared = self._shared and self._args is self._given
        args = list(self._args) if shared else [_copied(arg) for arg in self._args]
        free = iter(self._elements(x))
        for i in self._numbers:
            args[i] = rebuilt(self._args[i], lambda leaf: self._like(leaf, next(free)))
        if self._out is None:
            return self._called(args)
        out = rebuilt(self._out, lambda leaf: np.array(leaf, _dtype(leaf), order="K"))
        self._called([*args, out])
        return out

    def _called(self, args: list[Any]) -> Any:
        """What a first call returns: every call starts from the state that the function is in."""
        with self._state.run():
            result = plain_call(self.function, args, self._context)
            # a buffer of the function's own is put back with its state
            return result if result is None else rebuilt(result, _kept)

    def _elements(self, x: Vector) -> Iterator[Vector]:
        start = 0
        for leaf in self._leaves:
            stop = start + int(np.size(leaf))
            yield x[start:stop]
            start = stop

    def _like(self, leaf: Any, values: Vector) -> Any:
        """The values in the form in which the caller gave the leaf."""
        if isinstance(leaf, complex) and not isinstance(leaf, np.generic):
            return complex(values[0])
        if isinstance(leaf, (bool, int, float)) and not isinstance(leaf, np.generic):
            return float(values[0].real)
        dtype = _dtype(leaf)
        if dtype.kind != "c":
            values = values.real
        if isinstance(leaf, np.generic):
            return dtype.type(values[0])
        if isinstance(leaf, np.ndarray):
            made = np.empty_like(leaf, dtype, subok=False)
            made[...] = values.reshape(leaf.shape)
            return like_array(leaf, made)
        made = values.astype(dtype).reshape(np.shape(leaf))
        return made.tolist() if isinstance(leaf, list) and self._as_lists else made

    def representable(self, x: Vector) -> Vector:
        """The point next to `x` that the leaves' own dtypes can hold."""
        results = []
        for leaf, values in zip(self._leaves, self._elements(x), strict=True):
            dtype = _dtype(leaf)
            taken = values if dtype.kind == "c" else values.real
            results.append(taken.astype(dtype).astype(self.point.dtype))
        return np.concatenate(results) if results else x

    # ------------------------------------------------------------- other arguments
    @property
    def others(self) -> tuple[Any, ...]:
        """The arguments as they are now; to be set to what it was before."""
        return self._args

    @others.setter
    def others(self, args: tuple[Any, ...]) -> None:
        self._args = args

    def vary(self, rng: np.random.Generator, share: float) -> None:
        """Give the numbers in arguments of unknown value other values, by a share of their size."""
        varied = list(self._given)
        for i in self._unknown:
            varied[i] = _varied(varied[i], rng, share)
        self._args = tuple(varied)

    # ------------------------------------------------------------------ names
    def row_name(self, row: int) -> str:
        """The output's element of this number, as an expression: ``[1]["flux"][3]``."""
        return _name(named_leaves(self._result), row)

    def column_name(self, column: int) -> str:
        """The input's element of this number, as an expression: ``args[0]["weights"][1, 2]``."""
        named = (pair for i in self._numbers for pair in named_leaves(self._args[i], f"args[{i}]"))
        return _name(named, column)

    @property
    def title(self) -> str:
        """The function's name and where it is defined."""
        return title(self.function)


def title(function: Callable[..., Any]) -> str:
    """A function's name and where it is defined.

    Examples
    --------
    >>> title(len)
    'len'
    """
    name = getattr(function, "__qualname__", None) or type(function).__name__
    code = getattr(function, "__code__", None)
    where = f" ({code.co_filename}:{code.co_firstlineno})" if code is not None else ""
    return f"{name}{where}"


@lru_cache(maxsize=64)
def _unit(dtype: np.dtype[Any]) -> float:
    """The rounding unit of a dtype."""
    return float(np.finfo(dtype).eps)


def _dtype(leaf: object) -> np.dtype[Any]:
    """The dtype as which a trace takes the leaf: whole numbers stand for floats."""
    dtype = np.asarray(leaf).dtype
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def _sizes(values: Vector) -> Vector:
    """The size of each element; that of its neighbours where it is (nearly) zero."""
    size = np.abs(values).astype(np.float64)
    size[~np.isfinite(size)] = 1.0
    there = size[size > 0]
    usual = float(np.median(there)) if there.size else 1.0
    return np.where(size > 0, np.maximum(size, 1e-3 * usual), usual)


def _varied(arg: Any, rng: np.random.Generator, share: float) -> Any:
    """The argument with other floating-point numbers; what is none of them stays."""
    if type(arg) in (list, tuple):
        return type(arg)(_varied(item, rng, share) for item in arg)
    if isinstance(arg, tuple) and hasattr(arg, "_fields"):
        return type(arg)(*(_varied(item, rng, share) for item in arg))
    if type(arg) is dict:
        return {key: _varied(value, rng, share) for key, value in arg.items()}
    if scipy.sparse.issparse(arg) and hasattr(arg, "data") and arg.dtype.kind in "fc":
        made = arg.copy()
        made.data = _varied(np.asarray(made.data), rng, share)
        return made
    if isinstance(arg, (float, complex, np.inexact)):
        number: Any = arg
        move = share * (float(abs(number)) or 1.0) * rng.uniform(-1.0, 1.0)
        return type(number)(number + move)
    if _is_copied(arg) and arg.dtype.kind in "fc":
        plain = arg.view(np.ndarray)
        width = share * _sizes(plain.reshape(-1)).reshape(arg.shape)
        made = plain.copy(order="K")
        made += (width * rng.uniform(-1.0, 1.0, arg.shape)).astype(arg.dtype)
        return like_array(arg, made)
    return arg


def _copied(arg: Any) -> Any:
    """The argument with its arrays copied, where that is possible without knowing its type."""
    if _is_copied(arg):
        return like_array(arg, arg.view(np.ndarray).copy(order="K"))
    if type(arg) in (list, tuple):
        return type(arg)(_copied(item) for item in arg)
    if type(arg) is dict:
        return {key: _copied(value) for key, value in arg.items()}
    return arg


def _is_copied(arg: Any) -> bool:
    """Whether it is an ordinary array, or of a subclass whose objects can be made anew."""
    cls = type(arg)
    return cls is np.ndarray or (issubclass(cls, np.ndarray) and is_viewable(cls))


def _kept(leaf: object) -> Any:
    """A leaf that nobody else changes."""
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def numbers_of(result: object) -> tuple[Vector, float]:
    """All numbers of a result in one vector, and the rounding unit of the coarsest.

    Examples
    --------
    >>> numbers_of({"a": (1, np.ones(2)), "b": 3})[0]
    array([1., 1., 1., 3.])
    """
    if result is None:
        raise OutputError("the function returned None")
    arrays = [array for leaf in leaves(result) for array in _arrays(leaf)]
    floats = [array if array.dtype.kind in "fc" else array.astype(np.float64) for array in arrays]
    eps = max((_unit(array.dtype) for array in floats), default=0.0)
    numbers = np.concatenate([array.reshape(-1) for array in floats]) if floats else np.zeros(0)
    return numbers.astype(np.result_type(numbers, np.float64), copy=False), eps


def _arrays(leaf: object) -> Iterator[Vector]:
    if isinstance(leaf, np.ma.MaskedArray):
        leaf = leaf.filled(0)  # what is masked carries nothing
    try:
        result = np.asarray(leaf)
    except ValueError:  # a list of lists of several lengths
        if not isinstance(leaf, list):
            raise
        for item in leaf:
            yield from _arrays(item)
        return
    if result.dtype == object:
        result = np.array(result.tolist())
    if result.dtype.kind not in "biufc":
        raise OutputError(f"the function returned a {type(leaf).__name__}, which holds no numbers")
    yield np.asarray(result)


def _name(named: Iterator[tuple[str, Any]], number: int) -> str:
    for name, leaf in named:
        size = int(np.size(leaf)) if not isinstance(leaf, list) else len(numbers_of(leaf)[0])
        if number < size:
            if isinstance(leaf, list):
                return name + _place(leaf, number)
            shape = np.shape(leaf)
            if not shape:
                return name or "the number returned"
            return f"{name}[{', '.join(str(int(i)) for i in np.unravel_index(number, shape))}]"
        number -= size
    return f"{number}"


def _place(items: Any, number: int) -> str:
    """The indices of one number of a nested list, one pair of brackets a level."""
    for at, item in enumerate(items):
        size = len(numbers_of(item)[0])
        if number < size:
            return f"[{at}]" + (_place(item, number) if isinstance(item, list) else "")
        number -= size
    return ""

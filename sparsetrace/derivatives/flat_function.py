"""The user's function as a function of one vector: all elements that are differentiated by.

Contract: the function gets fresh arrays in the structure of its own arguments, and returns
numbers in any structure; their elements come leaf by leaf, in C order within each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.errors import (
    InputError,
    OutputError,
    UnsupportedError,
    explain,
    opaque_call,
)
from sparsetrace.operands.operands import is_traced, like_array
from sparsetrace.tracing.pytree import leaves, named_leaves, numeric, rebuilt

__all__ = ["FlatFunction", "Vector", "flattened", "own"]

Vector = NDArray[Any]
_MOST_BYTES = 4096
"""Arrays of whole numbers up to this size are compared by value, others by identity."""


class FlatFunction:
    """A function, which arguments vary, and the arguments that are given for those left out.

    Parameters
    ----------
    f : callable
    args : tuple
    argnums : int or sequence of int
        Which arguments vary; negative ones count from the end.

    Attributes
    ----------
    args : tuple
        All arguments of the last call.
    calls : int
        How often the function was called.
    """

    def __init__(
        self, f: Callable[..., Any], args: tuple[Any, ...], argnums: int | Sequence[int]
    ) -> None:
        if not callable(f):
            raise InputError(f"the function is {type(f).__name__}, which cannot be called")
        self.function = f
        self.args = args
        numbers = [argnums] if isinstance(argnums, (int, np.integer)) else list(argnums)
        if not numbers or any(not -len(args) <= i < len(args) for i in numbers):
            raise InputError(f"argnums={argnums!r}: the function has {len(args)} arguments")
        self.argnums = [int(i) % len(args) for i in numbers]
        self.calls = 0
        self._plain = self._varies_alone()

    @property
    def is_plain(self) -> bool:
        """Whether one array with one dimension varies."""
        return self._plain

    def _varies_alone(self) -> bool:
        """Whether one array with one dimension varies, as nearly always."""
        first = self.args[self.argnums[0]]
        return len(self.argnums) == 1 and type(first) is np.ndarray and first.ndim == 1

    def take(self, args: tuple[Any, ...]) -> Vector:
        """Keep these arguments for the next calls; the vector of those that vary.

        Arguments that are left out are those of before.  One vector may stand for a nested
        argument.
        """
        if len(args) > len(self.args):
            raise InputError(f"the function has {len(self.args)} arguments, not {len(args)}")
        if self._plain and type(args[0] if args else None) is np.ndarray and self.argnums == [0]:
            x = args[0]
            if x.ndim == 1 and x.dtype == np.float64:
                self.args = args + self.args[len(args) :]
                vector: Vector = x
                return vector
        given = list(args + self.args[len(args) :])
        for i in self.argnums:
            given[i] = self._in_structure(given[i], self.args[i])
        self.args = tuple(given)
        self._plain = self._varies_alone()
        vectors = [np.asarray(leaf).reshape(-1) for leaf in self._leaves()]
        x = np.concatenate(vectors) if vectors else np.zeros(0)
        if any(map(is_traced, self._leaves())):
            raise UnsupportedError(
                explain(
                    "a SparseJacobian or SparseHessian",
                    "it is evaluated by plain calls of its function, and was given traced values",
                    opaque_call(),
                    "Or take it for a constant: of sparsetrace.detach(x), with local=True.",
                )
            )
        if x.dtype.kind not in "biufc":
            raise InputError(f"the arguments hold {x.dtype}, not numbers")
        return x.astype(np.result_type(x, np.float64), copy=False)

    def follow(self, other: FlatFunction) -> None:
        """Take the arguments that another function of the same was given last."""
        self.args, self._plain = other.args, other._plain

    def given(self) -> tuple[Any, ...]:
        """What `give_back` takes, to forget a call."""
        return self.args, self._plain

    def give_back(self, before: tuple[Any, ...]) -> None:
        """Keep the arguments of before."""
        self.args, self._plain = before

    def _leaves(self) -> list[Any]:
        return [leaf for i in self.argnums for leaf in leaves(self.args[i])]

    @staticmethod
    def _in_structure(given: Any, before: Any) -> Any:
        """A vector in the structure of the argument that it stands for."""
        if type(given) is not np.ndarray:
            return given
        if isinstance(before, np.ndarray):
            return like_array(before, given) if given.shape == before.shape else given
        sizes = [np.size(leaf) for leaf in leaves(before)]
        if given.ndim != 1 or given.size != sum(sizes):
            return given
        parts = iter(np.split(given, np.cumsum(sizes)[:-1]))
        return rebuilt(before, lambda leaf: _like(leaf, next(parts)))

    def signature(self, static: Collection[int] = ()) -> tuple[Any, ...]:
        """What the pattern depends on: shapes, and the values that a trace takes as they are.

        Parameters
        ----------
        static : collection of int
            Arguments whose floating-point numbers are taken as they are, too.
        """
        if self._plain and len(self.args) == 1:
            return (self.args[0].shape,)
        varying = [
            (name, np.shape(leaf))
            for i in self.argnums
            for name, leaf in named_leaves(self.args[i])
        ]
        others = [
            (name, *_fixed(leaf, i in static))
            for i, arg in enumerate(self.args)
            if i not in self.argnums
            for name, leaf in named_leaves(arg, f"[{i}]")
        ]
        return (*varying, *others)

    def outside(self) -> list[Any]:
        """The function, and the arguments that hold more than the signature tells."""
        others = [arg for i, arg in enumerate(self.args) if i not in self.argnums]
        return [
            self.function,
            *(
                leaf
                for arg in others
                for _, leaf in named_leaves(arg)
                if not isinstance(leaf, np.ndarray) or leaf.dtype.kind not in "fc"
            ),
        ]

    def result(self, x: Vector) -> Any:
        """What the function returns at `x`, as it returns it."""
        self.calls += 1
        if self._plain:
            if len(self.args) == 1:
                return self.function(x)
            args = list(self.args)
            args[self.argnums[0]] = x
            return self.function(*args)
        sizes = [np.size(leaf) for leaf in self._leaves()]
        parts = iter(np.split(x, np.cumsum(sizes)[:-1]))
        args = list(self.args)
        for i in self.argnums:
            args[i] = rebuilt(self.args[i], lambda leaf: _like(leaf, next(parts)))
        return self.function(*args)

    def __call__(self, x: Vector) -> Vector:
        """All numbers that the function returns at `x`, which it may keep or change."""
        if self._plain and len(self.args) == 1:
            self.calls += 1
            return flattened(self.function(x))
        return flattened(self.result(x))


def flattened(result: Any) -> Vector:
    """All numbers of a result, in one dimension."""
    if type(result) is np.ndarray:
        vector = result if result.ndim == 1 else result.reshape(-1)
    else:
        vectors = [np.asarray(leaf).reshape(-1) for leaf in leaves(numeric(result))]
        vector = np.concatenate(vectors) if vectors else np.zeros(0)
    if vector.dtype.kind not in "biufc":
        raise OutputError(f"the function returned {vector.dtype}, not numbers")
    if vector.dtype.kind not in "fc":  # they have no differences, or not those of numbers
        return vector.astype(np.float64)
    return vector


def own(tree: Any) -> Any:
    """The same with arrays and lists of its own: what other functions write does not change it."""

    def copied(leaf: Any) -> Any:
        if isinstance(leaf, list):
            return [own(item) for item in leaf]
        return leaf.copy() if isinstance(leaf, np.ndarray) else leaf

    return rebuilt(tree, copied)


def _like(leaf: Any, numbers: Vector) -> Any:
    """Numbers in the shape and type of a leaf."""
    if isinstance(leaf, list):
        return numbers.reshape(np.shape(leaf)).tolist()
    if np.ndim(leaf) == 0 and not isinstance(leaf, np.ndarray):
        return numbers[0]
    made = numbers.reshape(np.shape(leaf))
    return like_array(leaf, made) if isinstance(leaf, np.ndarray) else made


def _fixed(leaf: Any, static: bool) -> tuple[Any, ...]:
    """What of an argument that does not vary can change the pattern."""
    if static and isinstance(leaf, (float, complex, np.inexact)):
        return type(leaf), leaf
    if isinstance(leaf, (bool, int, str, bytes, type(None), np.integer, np.bool_)):
        return type(leaf), leaf
    if isinstance(leaf, (float, complex, np.inexact)):
        return (type(leaf),)
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc" and not static:
        return leaf.shape, leaf.dtype
    if isinstance(leaf, np.ndarray) and leaf.nbytes <= _MOST_BYTES and leaf.dtype.kind != "O":
        return leaf.shape, leaf.dtype, leaf.tobytes()
    return (id(leaf),)

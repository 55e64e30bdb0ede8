"""What stands between a user's function and the graph: arguments in, outputs out.

Contract: traced arguments replace the ones named, in the structure they came in; every
number of what the function returned, or filled, becomes one node id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sparsetrace.array import TracedArray, traced_array, wrap
from sparsetrace.dispatch.operands import FLOAT, ids_of, is_traced
from sparsetrace.errors import FAILURES, InputError, OutputError, UnsupportedError
from sparsetrace.graph import Graph, Ids
from sparsetrace.scalar import TracedScalar
from sparsetrace.structure import leaves, rebuilt

__all__ = ["Problem"]


class Problem:
    """A function and its arguments, some of them to be traced.

    Parameters
    ----------
    f : callable
    args : tuple
    argnums : int or sequence of int
    out : array or nested arrays, optional
        For functions that fill an argument.

    Attributes
    ----------
    function : callable
    roots : list
        The function, and the arguments that it is given as they are.
    n_inputs : int

    Raises
    ------
    InputError
        If `argnums` does not fit, or a traced argument holds no numbers.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        argnums: int | Sequence[int],
        out: Any = None,
    ) -> None:
        self.function = f
        self._args, self._out = args, out
        self._numbers = _checked_argnums(argnums, len(args))
        self._trees = [rebuilt(args[i], _checked_leaf) for i in self._numbers]
        self._sizes = [int(np.size(leaf)) for tree in self._trees for leaf in leaves(tree)]
        self.n_inputs = sum(self._sizes)
        self.roots = [f, *(arg for i, arg in enumerate(args) if i not in self._numbers)]

    def point(self) -> list[Any]:
        """The values of the traced arguments, which from now on nobody else can change."""
        self._trees = [rebuilt(tree, _copied_leaf) for tree in self._trees]
        return [leaf for tree in self._trees for leaf in leaves(tree)]

    def graph(self, **options: Any) -> Graph:
        """An empty graph for one run of the function."""
        return Graph(self.n_inputs, wrapper=wrap, **options)

    def run(self, graph: Graph) -> Ids:
        """Call the function; the node ids of everything it returned, or filled."""
        traced = list(self._args)
        places = np.cumsum(self._sizes)[:-1]
        free = iter(np.split(graph.inputs(), places) if self._sizes else [])
        for i, tree in zip(self._numbers, self._trees, strict=True):
            traced[i] = rebuilt(tree, lambda leaf: _seeded(graph, leaf, next(free)))
        return _call(graph, self.function, traced, self._out)


def _checked_argnums(argnums: int | Sequence[int], count: int) -> list[int]:
    try:
        wanted = [argnums] if isinstance(argnums, (int, np.integer)) else list(argnums)
    except TypeError:
        raise InputError(f"argnums={argnums!r}: a whole number or several are wanted") from None
    numbers = []
    for number in wanted:
        if not isinstance(number, (int, np.integer)) or not -count <= number < count:
            raise InputError(f"argnums={argnums!r}: the function was given {count} argument(s)")
        numbers.append(int(number) % count)
    if len(set(numbers)) != len(numbers):
        raise InputError(f"argnums={argnums!r} names an argument twice")
    return numbers


def _checked_leaf(leaf: Any) -> Any:
    """The leaf as a number or an array of numbers."""
    if is_traced(leaf):
        raise InputError("an argument belongs to another trace; nested traces need constants")
    if isinstance(leaf, np.ma.MaskedArray):
        raise InputError("masked arrays cannot be traced as inputs; pass .data and the mask apart")
    if isinstance(leaf, (bool, int, float, complex, np.number, np.bool_)):
        return leaf
    try:
        array = np.asarray(leaf)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"an input of type {type(leaf).__name__} is no array of numbers"
        ) from error
    if array.dtype.kind not in "biufc":
        raise InputError(
            f"an input of type {type(leaf).__name__} (dtype {array.dtype}) is no array of numbers"
        )
    return array


def _copied_leaf(leaf: Any) -> Any:
    return leaf.copy("K") if isinstance(leaf, np.ndarray) else leaf


def _seeded(graph: Graph, leaf: Any, ids: Ids) -> Any:
    """A traced scalar or array in place of the leaf; whole numbers stand for floats."""
    dtype = np.asarray(leaf).dtype
    if dtype.kind not in "fc":
        dtype = FLOAT
    values = np.array(leaf, dtype) if graph.local else None
    if not isinstance(leaf, np.ndarray):
        return TracedScalar(graph, int(ids[0]), dtype, None if values is None else values[()])
    shaped = ids.reshape(leaf.shape)
    if leaf.flags.f_contiguous and not leaf.flags.c_contiguous:
        shaped = np.asfortranarray(shaped)
    else:
        shaped = shaped.copy()
    return traced_array(graph, shaped, dtype, values)


def _call(graph: Graph, f: Callable[..., Any], args: list[Any], out: Any) -> Ids:
    """Call f; the node ids of everything it returned, or filled."""
    if out is None:
        result = f(*args)
    else:
        result = rebuilt(out, lambda leaf: _target(graph, leaf))
        f(*args, result)
    found = [_output_ids(graph, leaf) for leaf in _output_leaves(result)]
    outputs = np.concatenate(found) if found else np.zeros(0, np.int32)
    if graph.dependency and graph.conditions:
        # which values come out depends on what the branches were decided on
        decided = graph.union_rows(np.array(graph.conditions, np.int32))
        outputs = graph.union(outputs, np.broadcast_to(decided, outputs.shape))
    return outputs


def _target(graph: Graph, leaf: Any) -> TracedArray:
    """A traced array to be filled, with the values that it comes with."""
    array = np.asarray(_checked_leaf(leaf))
    dtype = array.dtype if array.dtype.kind in "fc" else FLOAT
    values = np.array(array, dtype) if graph.local else None
    return traced_array(graph, graph.constant(array), dtype, values)


def _output_leaves(result: Any) -> list[Any]:
    if result is None:
        raise OutputError(
            "the function returned None; for one that fills an argument pass that as out="
        )
    return list(leaves(result))


def _output_ids(graph: Graph, leaf: Any) -> Ids:
    if isinstance(leaf, np.ma.MaskedArray):
        leaf = leaf.filled(0)  # what is masked carries nothing
    try:
        return ids_of(graph, leaf).reshape(-1)
    except UnsupportedError as error:
        failures = FAILURES.get()
        if failures is not None:
            failures.remove(error)  # the error that follows says the same of an output
        raise OutputError(
            f"the function returned a {type(leaf).__name__}, which is no array of numbers"
        ) from error

"""What stands between a user's function and the graph: arguments in, outputs out.

Contract: traced arguments replace the ones named, in the structure they came in; every
number of what the function returned, or filled, becomes one node id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array
from numpy.typing import NDArray

from sparsetrace.array import TracedArray, traced_array, wrap
from sparsetrace.dispatch.operands import FLOAT, ids_of, is_traced, values_of
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
    n_inputs : int
    keeps_values : bool
        Whether a run at a point keeps the values that it carried to the outputs.
    values : list of array or None
        Those of the last such run, leaf by leaf.

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
        self._unknown: list[int] = []
        self.keeps_values = False
        self.values: list[NDArray[Any]] | None = None

    @property
    def given(self) -> tuple[tuple[Any, ...], list[int], list[int], Any]:
        """The arguments as the caller gave them, which are traced, which unknown, and `out`.

        A pattern for every input must hold whatever the numbers in unknown arguments are.
        """
        return self._args, self._numbers, self._unknown, self._out

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
        outputs, result = _call(graph, self.function, traced, self._out)
        if self.keeps_values:
            # copied at once: what the function returned may be a buffer of the caller's
            self.values = [_values(leaf) for leaf in leaves(result)]
        return outputs


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
        numbers = np.asarray(leaf)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"an input of type {type(leaf).__name__} is no array of numbers"
        ) from error
    if numbers.dtype.kind not in "biufc":
        raise InputError(
            f"an input of type {type(leaf).__name__} (dtype {numbers.dtype}) is no array of numbers"
        )
    return numbers


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


def _call(graph: Graph, f: Callable[..., Any], args: list[Any], out: Any) -> tuple[Ids, Any]:
    """Call f; the node ids of everything it returned, or filled, and that itself."""
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
    return outputs, result


def _values(leaf: Any) -> NDArray[Any]:
    """A copy of the values that a trace at a point carried to an output."""
    if isinstance(leaf, np.ma.MaskedArray):
        leaf = leaf.filled(0)
    return array(values_of(leaf))


def _target(graph: Graph, leaf: Any) -> TracedArray:
    """A traced array to be filled, with the values that it comes with."""
    target = np.asarray(_checked_leaf(leaf))
    dtype = target.dtype if target.dtype.kind in "fc" else FLOAT
    values = np.array(target, dtype) if graph.local else None
    return traced_array(graph, graph.constant(target), dtype, values)


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

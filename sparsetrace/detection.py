"""`jacobian_sparsity`: run the function once on traced arguments, propagate, return the pattern."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from sparsetrace.array import TracedArray, traced_array, wrap
from sparsetrace.dispatch.operands import FLOAT, ids_of, is_traced
from sparsetrace.errors import (
    FAILURES,
    InputError,
    OutputError,
    UnsupportedError,
    ValueDependentError,
    explain,
)
from sparsetrace.graph import Graph, Ids
from sparsetrace.pattern import SparsityPattern
from sparsetrace.propagate import propagate, united
from sparsetrace.scalar import TracedScalar
from sparsetrace.stores import STORES
from sparsetrace.structure import leaves, rebuilt
from sparsetrace.tracing import trace

__all__ = ["jacobian_sparsity"]


def jacobian_sparsity(
    f: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] = 0,
    store: Literal["auto", "roaring", "bitset", "csr"] = "auto",
    out: Any = None,
    constants: Literal["values", "structure"] = "values",
    dependency: bool = False,
    capture: bool = True,
    max_paths: int = 1024,
    local: bool = False,
) -> SparsityPattern:
    """Sparsity pattern of the Jacobian of a NumPy function, valid for every input.

    Parameters
    ----------
    f : callable
        Called as ``f(*args)``, with the arguments named by `argnums` traced.  It must do
        the same whenever it is called: it runs again for each branch on a traced value,
        and when a buffer of its own turns out to hold traced values.
    *args
        The function's arguments.  A traced one is an array of any shape, a number, a
        list of numbers (taken as an array), or a nested tuple, list, dict or named
        tuple of those.  Its shape and dtype count; its values only if `local`.
    argnums : int or sequence of int
        Which arguments to differentiate by.
    store : {"auto", "csr", "bitset", "roaring"}
        How index sets are held while they are propagated; the answer is the same.
    out : array or nested arrays, optional
        For functions that fill an argument: f is called as ``f(*args, out)``, and the
        rows are the elements of `out`.
    constants : {"values", "structure"}
        With "values" the zeros of constants cut dependencies (``0 * x``, a zero row of
        A in ``A @ x``); with "structure" they do not, for constants that change later.
    dependency : bool
        Follow values rather than derivatives: ``floor(x)`` depends on x, though its
        derivative is zero.

    capture : bool
        Trace through ``np.zeros`` buffers, ``np.asarray``, ``np.array`` of elements,
        the ``math`` module and ``float``, in the function's own code.
    max_paths : int
        Most paths through the branches (``if``, ``while``, ``and``...) on traced values
        that are run and united.

    local : bool
        The pattern at the point given, not for every input: branches, masks, sorting and
        indices follow the values, and derivatives that vanish at the point are cut.  At
        ties (``maximum`` of equal numbers) both sides stay; a comparison exactly at its
        threshold follows the branch that is taken.  Compute it anew when the
        inputs change.

    Returns
    -------
    SparsityPattern, shape (m, n)
        A ``scipy.sparse.csr_array`` of bool.  Row i is the i-th element of the output
        (leaves in order, C order within each), column j the j-th element of the inputs.

    Raises
    ------
    TracingError
        If a dependency could be lost: the message names the call, the line and a way
        out.  It is raised at the end also if the function swallowed it.
    InputError, OutputError
        If the arguments, or what f returned, hold no numbers.

    Notes
    -----
    The counterpart of SparseConnectivityTracer.jl's ``TracerSparsityDetector`` (Hill &
    Dalle, 2025, "Sparser, Better, Faster, Stronger: Sparsity Detection for Efficient
    Automatic Differentiation").

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> def f(x):
    ...     return np.stack([x[0] ** 2, 2 * x[0] * x[1] ** 2, np.sin(x[2])])
    >>> st.jacobian_sparsity(f, np.ones(3)).toarray().astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 0, 1]])
    """
    numbers = _checked_argnums(argnums, len(args))
    if not isinstance(max_paths, (int, np.integer)) or max_paths < 1:
        raise InputError(f"max_paths={max_paths!r}: a positive whole number is wanted")
    if constants not in ("values", "structure"):
        raise InputError(f"constants={constants!r}: choose 'values' or 'structure'")
    if store not in STORES:
        raise InputError(f"store={store!r}: choose one of {', '.join(map(repr, STORES))}")
    checked = [rebuilt(args[i], _checked_leaf) for i in numbers]
    sizes = [int(np.size(leaf)) for tree in checked for leaf in leaves(tree)]

    def new_graph() -> Graph:
        graph = Graph(
            sum(sizes),
            values=constants == "values",
            dependency=bool(dependency),
            local=bool(local),
            wrapper=wrap,
        )
        return graph

    def call(graph: Graph) -> Ids:
        traced = list(args)
        free = iter(np.split(graph.inputs(), np.cumsum(sizes)[:-1]) if sizes else [])
        for i, tree in zip(numbers, checked, strict=True):
            traced[i] = rebuilt(tree, lambda leaf: _seeded(graph, leaf, next(free)))
        return _call(graph, f, traced, out)

    runs = trace(call, new_graph, max_paths=int(max_paths), capture=bool(capture))
    patterns = [propagate(run.graph, run.outputs, store) for run in runs]
    m = len(runs[0].outputs)
    if any(len(run.outputs) != m for run in runs):
        sizes_found = sorted({len(run.outputs) for run in runs})
        raise ValueDependentError(
            explain(
                "a branch",
                f"how many values the function returns depends on it ({sizes_found})",
                "Return arrays of one shape.",
            )
        )
    indptr, indices = united(patterns, sum(sizes)) if len(patterns) > 1 else patterns[0]
    return SparsityPattern.from_csr_parts(indptr, indices, (m, sum(sizes)))


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
    try:
        return ids_of(graph, leaf).reshape(-1)
    except UnsupportedError as error:
        failures = FAILURES.get()
        if failures is not None:
            failures.remove(error)  # the error that follows says the same of an output
        raise OutputError(
            f"the function returned a {type(leaf).__name__}, which is no array of numbers"
        ) from error

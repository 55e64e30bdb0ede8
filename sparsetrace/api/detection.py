"""The sparsity patterns of Jacobians and Hessians: run the function once, propagate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any, Unpack

import numpy as np

from sparsetrace.api.compressed import Found, pattern_of
from sparsetrace.api.leaves import leaves_of_shapes
from sparsetrace.api.options import HessianOptions, JacobianOptions, completed, takes
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.api.result_sizes import of_one_size
from sparsetrace.api.units import bytes_of
from sparsetrace.collector import seldom_collected
from sparsetrace.errors import (
    InputError,
    OutputError,
    SearchError,
    TracingError,
)
from sparsetrace.interrupts import guarded, interruptible
from sparsetrace.progress import reporting
from sparsetrace.propagation.condense import condensed_graph
from sparsetrace.propagation.hessian import hessian_pattern
from sparsetrace.propagation.hessian_stores import HESSIAN_STORES
from sparsetrace.propagation.jacobian import propagate, united
from sparsetrace.propagation.jacobian_stores import STORES
from sparsetrace.tracing.arguments import TracedCall
from sparsetrace.tracing.driver import Run, Solving, Traced, trace
from sparsetrace.verification import PlainFunction, Verification, own_error, title

__all__ = [
    "Patterns",
    "checked",
    "hessian_of",
    "hessian_sparsity",
    "jacobian_of",
    "jacobian_sparsity",
    "lagrangian_hessian_sparsity",
    "traced_runs",
]

Patterns = Callable[[Sequence[Run], Callable[[Run], Found]], list[Found]]
"""Gives the patterns of runs, by the function given or without it."""


def _each_anew(runs: Sequence[Run], solve: Callable[[Run], Found]) -> list[Found]:
    return [solve(run) if run.found is None else run.found for run in runs]


@takes(JacobianOptions)
def jacobian_sparsity(
    f: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] = 0,
    out: object = None,
    **options: Unpack[JacobianOptions],
) -> SparsityPattern:
    """Sparsity pattern of the Jacobian of a NumPy function, valid for every input.

    Parameters
    ----------
    f : callable
        Called as ``f(*args)``, with the arguments named by `argnums` traced.  It must do
        the same whenever it is called: it runs again for each branch on a traced value,
        and when a buffer of its own turns out to hold traced values.
    *args
        The function's arguments.  A traced one is an array of any shape, a number, or a
        nested tuple, list, dict or named tuple of those; its structure stays, a list of
        numbers is a list.  Shape and dtype count; the values only if `local`.
    argnums : int or sequence of int
        Which arguments to differentiate by.  In the others floating-point and complex
        numbers have unknown values (unless `local`): none of them cuts a dependency, and
        a branch on one is run both ways.  Whole numbers, truth values, text, callables,
        other objects and the structure of sparse matrices are taken as they are.
    out : array or nested arrays, optional
        For functions that fill an argument: f is called as ``f(*args, out)``, and the
        rows are the elements of `out`.
    **options
        See `sparsetrace.api.options.JacobianOptions`.

    Returns
    -------
    SparsityPattern, shape (m, n)
        A ``scipy.sparse.csr_array`` of bool.  Row i is the i-th element of the output
        (leaves in order, C order within each), column j the j-th element of the inputs.
        With more than `max_entries` entries it is a `CompressedPattern`.

    Raises
    ------
    TracingError
        If a dependency could be lost: the message names the call, the line and a way
        out.  It is raised at the end also if the function swallowed it.
    VerificationError
        If plain calls contradict the trace; a `TracingError` as well.
    InputError, OutputError
        If the arguments, or what f returned, hold no numbers.
    GraphSizeError
        If even a `CompressedPattern` would not fit.

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
    chosen = checked(jacobian_sparsity, JacobianOptions, options)
    traced_call = TracedCall(f, args, argnums, out, chosen["static_argnums"])
    with guarded(), seldom_collected(), reporting(chosen["progress"]):
        return jacobian_of(traced_call, chosen)


@takes(HessianOptions)
def hessian_sparsity(
    f: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] = 0,
    **options: Unpack[HessianOptions],
) -> SparsityPattern:
    """Sparsity pattern of the Hessian of a NumPy function with one output.

    Parameters
    ----------
    f : callable
        Called as ``f(*args)``, as for `jacobian_sparsity`; returns one number.
    *args, argnums
        As for `jacobian_sparsity`.
    **options
        See `sparsetrace.api.options.HessianOptions`.

    Returns
    -------
    SparsityPattern, shape (n, n)
        A symmetric ``scipy.sparse.csr_array`` of bool; rows and columns are the
        elements of the inputs, leaves in order, C order within each.

    Raises
    ------
    TracingError
        If a dependency could be lost; see `jacobian_sparsity`.
    InputError
        If the arguments hold no numbers.
    OutputError
        If f returns anything but one number; see `lagrangian_hessian_sparsity`.

    Notes
    -----
    Wherever a value is nonlinear in two others, their gradients' patterns are
    multiplied; only what reaches the output through non-zero first derivatives counts.
    That is what carrying a set of pairs in every number gives too (Hill & Dalle, 2025,
    section 3.2).

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> def f(x):
    ...     return x[0] + x[1] * x[2] + 1 / x[3] + 1 * x[4]
    >>> st.hessian_sparsity(f, np.ones(5)).toarray().astype(int)
    array([[0, 0, 0, 0, 0],
           [0, 0, 1, 0, 0],
           [0, 1, 0, 0, 0],
           [0, 0, 0, 1, 0],
           [0, 0, 0, 0, 0]])
    """
    chosen = checked(hessian_sparsity, HessianOptions, options)
    traced_call = TracedCall(f, args, argnums, None, chosen["static_argnums"])
    with guarded(), seldom_collected(), reporting(chosen["progress"]):
        return hessian_of(traced_call, chosen, one_output=True)


@takes(HessianOptions)
def lagrangian_hessian_sparsity(
    f: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] = 0,
    out: object = None,
    **options: Unpack[HessianOptions],
) -> SparsityPattern:
    """Sparsity pattern of the Hessian of ``sum_i w_i f_i(x)``, whatever the weights are.

    It is the union of the Hessians of all outputs, which interior-point optimisers ask
    for: let f return the objective and the constraints together.

    Parameters
    ----------
    f : callable
        Called as ``f(*args)``; returns numbers in any structure.
    *args, argnums, out
        As for `jacobian_sparsity`.
    **options
        See `sparsetrace.api.options.HessianOptions`.

    Returns
    -------
    SparsityPattern, shape (n, n)

    Raises
    ------
    TracingError, InputError, OutputError
        As for `jacobian_sparsity`.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> st.lagrangian_hessian_sparsity(lambda x: (x[0] ** 2, x[1] * x[2]), np.ones(3)).nnz
    3
    """
    chosen = checked(lagrangian_hessian_sparsity, HessianOptions, options)
    traced_call = TracedCall(f, args, argnums, out, chosen["static_argnums"])
    with guarded(), seldom_collected(), reporting(chosen["progress"]):
        return hessian_of(traced_call, chosen, one_output=False)


def jacobian_of(
    traced_call: TracedCall, chosen: Mapping[str, Any], patterns_of: Patterns = _each_anew
) -> SparsityPattern:
    """The pattern of a Jacobian, with all options chosen."""
    try:
        return _checked_jacobian(traced_call, chosen, patterns_of)
    except SearchError as error:
        if chosen["dependency"]:
            raise
        # what is found by halving an interval depends on what its turns compare, at any point
        chosen = {**chosen, "dependency": True, "local": False}
        try:
            pattern = _checked_jacobian(traced_call, chosen, patterns_of)
        except Exception:
            raise error from None
    pattern.taken_whole += (f"{title(traced_call.function)}: {_FOLLOWED}",)
    return pattern


_FOLLOWED = "finds a number by halving an interval; values are followed, as with dependency=True"


def _checked_jacobian(
    traced_call: TracedCall, chosen: Mapping[str, Any], patterns_of: Patterns
) -> SparsityPattern:
    """The pattern that one trace gives."""
    dependency = bool(chosen["dependency"])
    verification = Verification(chosen["verify"], traced_call, local=bool(chosen["local"]))
    how = chosen["store"], chosen["max_entries"], chosen["executor"]

    def solve(run: Run) -> Found:
        graph = condensed_graph(run.trace.graph, run.outputs)
        return propagate(graph, run.outputs, *how)

    solving = _solving(solve, traced_call.n_inputs, chosen["max_entries"], patterns_of)
    runs, *remarks = traced_runs(traced_call, chosen, solving, dependency=dependency)
    with interruptible():
        patterns = patterns_of(runs, solve)
    runs, patterns, left_out = of_one_size(runs, patterns, partial(_own_size, traced_call))
    m, remarks[0] = len(runs[0].outputs), (*remarks[0], *left_out)
    if traced_call.asks_for_size:
        remarks[0] += (f"another number of values than {m}, as for the given arguments",)
    pattern = pattern_of(
        united(patterns, traced_call.n_inputs, chosen["max_entries"]),
        (m, traced_call.n_inputs),
        remarks=remarks,
        row_leaves=leaves_of_shapes(traced_call.result_shapes[m]),
        column_leaves=leaves_of_shapes(traced_call.argument_shapes),
    )
    verification.jacobian(pattern, [run.trace for run in runs], dependency=dependency)
    return pattern


def hessian_of(
    traced_call: TracedCall,
    chosen: Mapping[str, Any],
    patterns_of: Patterns = _each_anew,
    *,
    one_output: bool,
) -> SparsityPattern:
    """The pattern of a Hessian, with all options chosen."""
    most = chosen["max_entries"]
    how = chosen["store"], chosen["hessian_store"], most, chosen["executor"]
    verification = Verification(chosen["verify"], traced_call, local=bool(chosen["local"]))

    def solve(run: Run) -> Found:
        return hessian_pattern(run.trace.graph, run.outputs, *how)

    solving = _solving(solve, traced_call.n_inputs, most, patterns_of)
    if not one_output:
        traced_call.n_results = inf
    runs, *remarks = traced_runs(traced_call, chosen, solving, second_order=True)
    if one_output and any(len(run.outputs) != 1 for run in runs):
        count = max(len(run.outputs) for run in runs)
        raise OutputError(
            f"the function returned {count} numbers, and a Hessian is that of one; for the "
            "Hessian of any weighted sum of them call lagrangian_hessian_sparsity"
        )
    with interruptible():
        patterns = patterns_of(runs, solve)
    n = traced_call.n_inputs
    leaves = leaves_of_shapes(traced_call.argument_shapes)
    pattern = pattern_of(
        united(patterns, n, most),
        (n, n),
        remarks=remarks,
        row_leaves=leaves,
        column_leaves=leaves,
    )
    verification.hessian(pattern, [run.trace for run in runs])
    return pattern


def _own_size(traced_call: TracedCall) -> float | None:
    """How many numbers the function returns for the given arguments; None where it fails."""
    if traced_call.n_results is None:
        traced_call.n_results = PlainFunction(traced_call).size()
    return traced_call.n_results


def _find_nones(traced_call: TracedCall) -> None:
    traced_call.nones = PlainFunction(traced_call).nones()


def _solving(
    solve: Callable[[Run], Found], n: int, most: float, patterns_of: Patterns
) -> Solving | None:
    """How patterns are made as paths come; None where graphs are compared with earlier ones."""
    if patterns_of is not _each_anew:
        return None
    return Solving(solve, lambda patterns: united(patterns, n, most))


def traced_runs(
    traced_call: TracedCall,
    chosen: Mapping[str, Any],
    solving: Solving | None = None,
    **order: bool,
) -> Traced:
    """All paths through the function.

    Parameters
    ----------
    chosen : mapping
        The options of the trace, `TraceOptions`.
    solving : Solving, optional
        See `trace`.
    **order
        What `TracedCall.trace` is told besides: ``dependency`` or ``second_order``.
    """
    local = bool(chosen["local"])
    values = chosen["constants"] == "values"
    traced_call.find_size = partial(_own_size, traced_call)
    traced_call.find_nones = partial(_find_nones, traced_call)
    try:
        return trace(
            traced_call.run,
            partial(traced_call.trace, values=values, local=local, **order),
            function=traced_call.function,
            state=traced_call.state,
            unknown=traced_call.unknown,
            point=traced_call.point() if local else (),
            max_paths=int(chosen["max_paths"]),
            max_memory=bytes_of(chosen["max_memory"]),
            capture=bool(chosen["capture"]),
            solving=solving,
        )
    except TracingError as error:
        traced_call.explain(error, local=local)
        own = own_error(traced_call, error)
        if own is None:
            raise
        raise own from own.__cause__


def checked(function: Callable[..., Any], kind: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a detection, of which a user gave some.

    Raises
    ------
    TypeError
        If a keyword is none of the function's.
    InputError
        If a value is none that it takes.
    """
    chosen = completed(function, kind, given)
    if not given:
        return chosen
    max_paths, constants, store = chosen["max_paths"], chosen["constants"], chosen["store"]
    most = chosen["max_entries"]
    if not isinstance(most, (int, float, np.integer)) or not most >= 0:
        raise InputError(f"max_entries={most!r}: a number of entries is wanted")
    if not isinstance(max_paths, (int, np.integer)) or max_paths < 1:
        raise InputError(f"max_paths={max_paths!r}: a positive whole number is wanted")
    if constants not in ("values", "structure"):
        raise InputError(f"constants={constants!r}: choose 'values' or 'structure'")
    if store not in STORES:
        raise InputError(f"store={store!r}: choose one of {', '.join(map(repr, STORES))}")
    hessian_store = chosen.get("hessian_store", "auto")
    if hessian_store not in HESSIAN_STORES:
        names = ", ".join(map(repr, HESSIAN_STORES))
        raise InputError(f"hessian_store={hessian_store!r}: choose one of {names}")
    bytes_of(chosen["max_memory"])
    executor = chosen["executor"]
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise InputError(
            f"executor={executor!r}: a concurrent.futures.Executor is wanted, as "
            "ProcessPoolExecutor() or dask's client.get_executor()"
        )
    progress = chosen["progress"]
    if not (callable(progress) or progress is None or isinstance(progress, bool)):
        raise InputError(f"progress={progress!r}: True, or a callable of one argument, is wanted")
    return chosen

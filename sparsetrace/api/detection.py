"""The sparsity patterns of Jacobians and Hessians: run the function once, propagate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from sparsetrace.api.leaves import leaves_of_shapes
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.context import Trace
from sparsetrace.errors import InputError, OutputError, TracingError, ValueDependentError, explain
from sparsetrace.propagation.hessian import hessian_pattern
from sparsetrace.propagation.hessian_stores import HESSIAN_STORES
from sparsetrace.propagation.jacobian import propagate, united
from sparsetrace.propagation.jacobian_stores import STORES
from sparsetrace.tracing.arguments import TracedCall
from sparsetrace.tracing.driver import Traced, trace
from sparsetrace.verification import Verification, own_error

__all__ = ["hessian_sparsity", "jacobian_sparsity", "lagrangian_hessian_sparsity", "traced_runs"]

Store = Literal["auto", "roaring", "bitset", "csr"]
HessianStore = Literal["auto", "csr", "bitset", "roaring", "dict"]


def jacobian_sparsity(
    f: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] = 0,
    static_argnums: int | Sequence[int] = (),
    store: Store = "auto",
    out: object = None,
    constants: Literal["values", "structure"] = "values",
    dependency: bool = False,
    capture: bool = True,
    max_paths: int = 1024,
    local: bool = False,
    verify: bool | int | None = None,
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
    static_argnums : int or sequence of int
        Arguments outside `argnums` that are taken as they are, with their values.
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
    verify : bool, int or None
        True, or a number of probes, checks the pattern by plain calls, as
        `check_jacobian_sparsity` does.  Left out (None), a trace at a point compares the
        values that it carried with one plain call, and a function that chooses by values
        a dozen times is called a few times near the point, since it may halve an interval;
        False leaves both out.

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
    VerificationError
        If plain calls contradict the trace; a `TracingError` as well.
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
    _check(store, constants, max_paths)
    traced_call = TracedCall(f, args, argnums, out, static_argnums)
    verification = Verification(verify, traced_call, local=bool(local))

    new_trace = partial(
        traced_call.trace,
        values=constants == "values",
        dependency=bool(dependency),
        local=bool(local),
    )
    runs, left_out = traced_runs(traced_call, new_trace, local, max_paths, capture)
    patterns = [propagate(run.trace.graph, run.outputs, store) for run in runs]
    m = len(runs[0].outputs)
    if any(len(run.outputs) != m for run in runs):
        sizes_found = sorted({len(run.outputs) for run in runs})
        raise ValueDependentError(
            explain(
                "a branch",
                f"how many values the function returns depends on it ({sizes_found})",
                "Return arrays of one shape: np.where(m, x, 0) in place of x[m].",
            )
        )
    indptr, indices = united(patterns, traced_call.n_inputs) if len(patterns) > 1 else patterns[0]
    shape = m, traced_call.n_inputs
    pattern = SparsityPattern.from_csr_parts(
        indptr,
        indices,
        shape,
        left_out=left_out,
        row_leaves=leaves_of_shapes(traced_call.result_shapes),
        column_leaves=leaves_of_shapes(traced_call.argument_shapes()),
    )
    verification.jacobian(pattern, runs[0].trace, dependency=bool(dependency))
    return pattern


def hessian_sparsity(
    f: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] = 0,
    static_argnums: int | Sequence[int] = (),
    local: bool = False,
    store: Store = "auto",
    hessian_store: HessianStore = "auto",
    constants: Literal["values", "structure"] = "values",
    capture: bool = True,
    max_paths: int = 1024,
    verify: bool | int | None = None,
) -> SparsityPattern:
    """Sparsity pattern of the Hessian of a NumPy function with one output.

    Parameters
    ----------
    f : callable
        Called as ``f(*args)``, as for `jacobian_sparsity`; returns one number.
    *args, argnums, static_argnums, store, constants, capture, max_paths, verify
        As for `jacobian_sparsity`; the check is `check_hessian_sparsity`.
    local : bool
        The pattern at the point given: first and second derivatives that vanish there
        are cut.  ``x ** 2`` keeps its second derivative at 0, ``x ** 3`` does not.
    hessian_store : {"auto", "csr", "bitset", "roaring", "dict"}
        How the Hessian's entries are held while they are gathered, chosen apart from
        `store`, which holds those of gradients; the answer is the same.

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
    return _hessian(
        TracedCall(f, args, argnums, None, static_argnums),
        one_output=True,
        local=local,
        store=store,
        hessian_store=hessian_store,
        constants=constants,
        capture=capture,
        max_paths=max_paths,
        verify=verify,
    )


def lagrangian_hessian_sparsity(
    f: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] = 0,
    static_argnums: int | Sequence[int] = (),
    out: object = None,
    local: bool = False,
    store: Store = "auto",
    hessian_store: HessianStore = "auto",
    constants: Literal["values", "structure"] = "values",
    capture: bool = True,
    max_paths: int = 1024,
    verify: bool | int | None = None,
) -> SparsityPattern:
    """Sparsity pattern of the Hessian of ``sum_i w_i f_i(x)``, whatever the weights are.

    It is the union of the Hessians of all outputs, which interior-point optimisers ask
    for: let f return the objective and the constraints together.

    Parameters
    ----------
    f : callable
        Called as ``f(*args)``; returns numbers in any structure.
    *args, argnums, static_argnums, out, local, store, hessian_store
        As for `jacobian_sparsity` and `hessian_sparsity`.
    constants, capture, max_paths, verify
        As for `jacobian_sparsity` and `hessian_sparsity`.

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
    return _hessian(
        TracedCall(f, args, argnums, out, static_argnums),
        one_output=False,
        local=local,
        store=store,
        hessian_store=hessian_store,
        constants=constants,
        capture=capture,
        max_paths=max_paths,
        verify=verify,
    )


def _hessian(
    traced_call: TracedCall,
    *,
    one_output: bool,
    local: bool,
    store: str,
    hessian_store: str,
    constants: str,
    capture: bool,
    max_paths: int,
    verify: bool | int | None,
) -> SparsityPattern:
    _check(store, constants, max_paths)
    if hessian_store not in HESSIAN_STORES:
        names = ", ".join(map(repr, HESSIAN_STORES))
        raise InputError(f"hessian_store={hessian_store!r}: choose one of {names}")
    verification = Verification(verify, traced_call, local=bool(local))

    new_trace = partial(
        traced_call.trace, values=constants == "values", local=bool(local), second_order=True
    )
    runs, left_out = traced_runs(traced_call, new_trace, local, max_paths, capture)
    if one_output and any(len(run.outputs) != 1 for run in runs):
        count = max(len(run.outputs) for run in runs)
        raise OutputError(
            f"the function returned {count} numbers, and a Hessian is that of one; for the "
            "Hessian of any weighted sum of them call lagrangian_hessian_sparsity"
        )
    patterns = [hessian_pattern(run.trace.graph, run.outputs, store, hessian_store) for run in runs]
    n = traced_call.n_inputs
    indptr, indices = united(patterns, n) if len(patterns) > 1 else patterns[0]
    leaves = leaves_of_shapes(traced_call.argument_shapes())
    pattern = SparsityPattern.from_csr_parts(
        indptr, indices, (n, n), left_out=left_out, row_leaves=leaves, column_leaves=leaves
    )
    verification.hessian(pattern, runs[0].trace)
    return pattern


def traced_runs(
    traced_call: TracedCall,
    new_trace: Callable[[], Trace],
    local: bool,
    max_paths: int,
    capture: bool,
) -> Traced:
    """All paths through the function."""
    try:
        with traced_call.explaining(local=bool(local)):
            return trace(
                traced_call.run,
                new_trace,
                function=traced_call.function,
                state=traced_call.state,
                unknown=traced_call.unknown,
                point=traced_call.point() if local else (),
                max_paths=int(max_paths),
                capture=bool(capture),
            )
    except TracingError as error:
        own = own_error(traced_call, error)
        if own is None:
            raise
        raise own from own.__cause__


def _check(store: str, constants: str, max_paths: int) -> None:
    if not isinstance(max_paths, (int, np.integer)) or max_paths < 1:
        raise InputError(f"max_paths={max_paths!r}: a positive whole number is wanted")
    if constants not in ("values", "structure"):
        raise InputError(f"constants={constants!r}: choose 'values' or 'structure'")
    if store not in STORES:
        raise InputError(f"store={store!r}: choose one of {', '.join(map(repr, STORES))}")

"""Ways out for code that cannot be traced: `detach`, `opaque`, `register_rule`.

Contract: outside of a trace `detach` and `opaque` change nothing.  Inside of one they
state a dependency that the tracer cannot see; it is taken at its word.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.context import CURRENT, Trace
from sparsetrace.dispatch import lookup
from sparsetrace.errors import InputError
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import bend
from sparsetrace.operands import elementwise
from sparsetrace.operands.operands import (
    FLOAT,
    Elements,
    contains_traced,
    ids_of,
    is_traced,
    values_of,
)
from sparsetrace.operands.registry import ANYTHING, RULES, rule_for
from sparsetrace.rules import RECORDS, Cut, Record
from sparsetrace.rules.record import nonzero_pairs

__all__ = ["detach", "opaque", "register_rule"]


def detach(x: Any) -> Any:
    """`x` as a constant: nothing computed from the result depends on the inputs through it.

    Parameters
    ----------
    x : array or number

    Returns
    -------
    array or number
        `x` itself outside of a trace.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> st.jacobian_sparsity(lambda x: x[0] * st.detach(x[1]), np.ones(2)).toarray()
    array([[ True, False]])
    """
    if not is_traced(x):
        return x
    trace = x._trace
    if trace.local:
        values = x._values
        return values.copy() if isinstance(values, np.ndarray) else values
    trace.graph.pure = False
    ids = np.full(np.shape(x._ids), OPAQUE, np.int32)
    return trace.wrap(Elements(ids, x._dtype, keep_array=isinstance(x, np.ndarray)))


def opaque(
    f: Callable[..., Any] | None = None,
    pattern: Any = "dense",
    *,
    shape: tuple[int, ...] | None = None,
) -> Any:
    """Let a function that calls foreign code through a trace, with the pattern stated.

    Parameters
    ----------
    f : callable, optional
        Takes arrays or numbers, returns one array or number.  Left out, the result is a
        decorator.
    pattern : {"dense", "elementwise"} or matrix of shape (m, n)
        "dense": every output depends on every traced argument; "elementwise": output i
        on element i of each, after broadcasting.  A matrix (dense or scipy.sparse) says
        which of the n elements of all arguments, one after the other, each of the m
        outputs depends on.
    shape : tuple of int, optional
        Shape of the output.  Without it "dense" calls f on arrays of ones to see it,
        "elementwise" broadcasts, and a matrix gives ``(m,)``.

    Returns
    -------
    callable
        Behaves as `f` outside of a trace, and on constants.

    Raises
    ------
    InputError
        If the pattern is none of these, or does not fit the arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> cube = st.opaque(lambda x: np.array([float(v) ** 3 for v in x]), "elementwise")
    >>> st.jacobian_sparsity(cube, np.ones(3)).nnz
    3
    """
    if f is None:
        return functools.partial(opaque, pattern=pattern, shape=shape)
    if isinstance(pattern, str):
        if pattern not in ("dense", "elementwise"):
            raise InputError(f"pattern={pattern!r}: 'dense', 'elementwise' or a matrix is wanted")
        matrix = None
    else:
        matrix = scipy.sparse.csr_array(pattern)
    function = f

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        trace = CURRENT.get()
        if trace is None or not contains_traced([*args, *kwargs.values()]):
            return function(*args, **kwargs)
        values = None
        if trace.local:
            plain = {key: values_of(value) for key, value in kwargs.items()}
            values = np.asarray(function(*(values_of(x) for x in args), **plain), float)
        traced = [ids_of(trace, x) for x in (*args, *kwargs.values()) if contains_traced(x)]
        if matrix is not None:
            found = _by_matrix(trace, matrix, args, shape)
        elif pattern == "elementwise":
            found = trace.graph.union_all(traced)
        else:
            wanted = shape if values is None else values.shape
            if wanted is None:
                wanted = np.shape(function(*map(_ones_like, args), **kwargs))
            every = trace.graph.union_rows(np.concatenate([ids.reshape(-1) for ids in traced]))
            found = np.broadcast_to(every, wanted).copy()
        if shape is not None and found.shape != shape:
            found = np.broadcast_to(found, shape).copy()
        trace.graph.pure = False
        return trace.wrap(Elements(bend(trace.graph, np.maximum(found, OPAQUE)), FLOAT, values))

    return call


def _ones_like(x: Any) -> Any:
    if not contains_traced(x):
        return x
    ones = np.ones(np.shape(x))
    return ones if isinstance(x, np.ndarray) else float(ones) if not ones.ndim else ones.tolist()


def _by_matrix(
    trace: Trace, matrix: Any, args: Sequence[Any], shape: tuple[int, ...] | None
) -> Ids:
    ids = np.concatenate([ids_of(trace, x).reshape(-1) for x in args])
    if matrix.shape[1] != len(ids):
        raise InputError(f"pattern has {matrix.shape[1]} columns; the arguments have {len(ids)}")
    parents = ids[matrix.indices]
    traced = parents > OPAQUE
    kept = np.zeros(len(parents) + 1, np.int64)
    np.cumsum(traced, out=kept[1:])
    out = trace.graph.union_segments(kept[matrix.indptr], parents[traced])
    return out if shape is None else out.reshape(shape)


def register_rule(
    function: Any,
    rule: str | Sequence[str] | Callable[..., Any],
    *,
    seconds: str | Sequence[str] | None = None,
    cuts: dict[int, Cut] | None = None,
) -> None:
    """Teach the tracer a ufunc of another library, or a NumPy function that it refuses.

    Parameters
    ----------
    function : numpy.ufunc or overridable NumPy function
    rule : str, sequence of str or callable
        For a ufunc, a string an output with a letter an input: ``"1"`` depends on it,
        ``"0"`` has zero derivative.  For a function, another function that computes the
        same with calls that can be traced.
    seconds : str or sequence of str, optional
        For a ufunc, its second derivatives: a string an output with a letter a pair of
        inputs, in the order 00, 01, 11 (for two): ``"1"`` non-zero, ``"0"`` zero.  Left
        out, the ufunc is nonlinear in everything that it depends on.
    cuts : dict of int to Cut, optional
        For a ufunc: when a constant operand makes a dependency vanish.

    Raises
    ------
    InputError
        If the rule does not fit the function, or the function cannot be intercepted.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> step = np.frompyfunc(lambda x, y: y if x > 0 else -y, 2, 1)
    >>> st.register_rule(step, "01")
    >>> st.jacobian_sparsity(lambda x: step(x[0], x[1]), np.ones(2)).toarray()
    array([[False,  True]])
    """
    if isinstance(function, np.ufunc):
        if callable(rule):
            raise InputError("the rule of a ufunc is a string of letters for each output")
        partials = (rule,) if isinstance(rule, str) else tuple(rule)
        if seconds is None:
            second = tuple(map(nonzero_pairs, partials))
        else:
            second = (seconds,) if isinstance(seconds, str) else tuple(seconds)
        try:
            RECORDS[function] = Record(
                function,
                partials,
                second,
                ((-3.0, 3.0),) * function.nin,
                cut=dict(cuts or {}),
                stepwise=frozenset(i for i, cut in (cuts or {}).items() if not cut.constant),
            )
        except ValueError as error:
            raise InputError(str(error)) from error
        elementwise.forget(function)
        lookup.forget()
        return
    if not callable(rule) or not hasattr(function, "_implementation"):
        raise InputError(
            f"{getattr(function, '__name__', function)!r} is no ufunc and no NumPy function that "
            "can be intercepted; wrap it with sparsetrace.opaque"
        )
    equivalent: Callable[..., Any] = rule

    def handler(trace: Trace, args: Any, kwargs: Any) -> Any:
        return equivalent(*args, **kwargs)

    RULES.pop(function, None)
    rule_for(function, signature=ANYTHING)(handler)
    lookup.leave(function)

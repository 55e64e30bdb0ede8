"""The checks as users call them, and as the detection functions do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.context import MANY_CHOICES, Trace
from sparsetrace.errors import GraphSizeError, InputError, SearchError, VerificationError
from sparsetrace.numbers.text import may_decide
from sparsetrace.tracing.arguments import TracedCall
from sparsetrace.verification.carried_values import compare_values
from sparsetrace.verification.hessian_check import HessianCheck
from sparsetrace.verification.input_groups import Pattern
from sparsetrace.verification.jacobian_check import JacobianCheck
from sparsetrace.verification.plain_calls import PlainFunction
from sparsetrace.verification.sampling import DEFAULT_PROBES, Sampling, warn

__all__ = ["Verification", "check_hessian_sparsity", "check_jacobian_sparsity"]

_FEW_PROBES = 4
_OF_TEXTS = (
    " The function makes text of numbers that depend on the inputs (str, repr, an f-string), and "
    "perhaps asks what it says: that of a traced number is not that of its value. Ask the number."
)
_WIDTH = 300.0
"""A search ends at a tolerance, and moves smaller than that look like jumps."""


def check_jacobian_sparsity(
    f: Callable[..., Any],
    pattern: object,
    *args: Any,
    argnums: int | Sequence[int] = 0,
    static_argnums: int | Sequence[int] = (),
    out: object = None,
    local: bool = False,
    dependency: bool = False,
    num_probes: int = DEFAULT_PROBES,
    seed: int | None = 0,
) -> None:
    """Look for entries that a Jacobian's pattern lacks, by plain calls of the function.

    Inputs are moved in groups; an output whose row has no entry in a group must not move.
    One that does is reported, once the move of one input alone has shown a derivative there.
    Nothing is known of how the pattern came about: it may be anyone's.

    Parameters
    ----------
    f : callable
        Called as ``f(*args)``, with nothing traced, and with copies of its arguments.
    pattern : sparse array or array_like, shape (m, n)
        Rows and columns are counted as by `jacobian_sparsity`.
    *args, argnums, static_argnums, out, dependency
        As for `jacobian_sparsity`.
    local : bool
        Whether the pattern is that at the point given.  Otherwise it must hold wherever f
        is defined, and f is called at points near the arguments and far from them.
    num_probes : int
        How often f is called with inputs moved.  At most two calls come on top, so that the
        default makes twelve at any size, unless an entry is found to be missing.
    seed : int or None
        For the random choice of points and groups; None draws another one each time.

    Raises
    ------
    VerificationError
        If an entry is missing: its attributes `row`, `column`, `row_name` and `column_name`
        say which.  Also if f, called twice, returns different numbers.
    InputError
        If the pattern has another shape, or the arguments hold no numbers.

    Warns
    -----
    VerificationWarning
        If outputs could not be checked, because f fails or is not finite at the points tried.

    Notes
    -----
    With k entries a row, ``k + 1`` random directions tell every row that lost an entry, as long
    as there are probes enough (7 entries by default); rows with more of them are tested by
    groups alone, each of which finds an entry with some probability.  Values that code
    discards at every point tried (a branch that is not taken there) are not seen.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> def f(x):
    ...     return x[1:] * x[:-1]
    >>> st.check_jacobian_sparsity(f, st.jacobian_sparsity(f, np.ones(4)), np.ones(4))
    >>> try:
    ...     lost = [[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0]]
    ...     st.check_jacobian_sparsity(f, lost, np.ones(4))
    ... except st.VerificationError as error:
    ...     print(error.row_name, error.column_name)
    [2] args[0][3]
    """
    traced_call = TracedCall(f, args, argnums, out, static_argnums)
    sampling = _sampling(traced_call, num_probes, seed, local=local)
    _check_jacobian(traced_call, pattern, sampling, dependency=dependency)


def check_hessian_sparsity(
    f: Callable[..., Any],
    pattern: object,
    *args: Any,
    argnums: int | Sequence[int] = 0,
    static_argnums: int | Sequence[int] = (),
    out: object = None,
    local: bool = False,
    num_probes: int = DEFAULT_PROBES,
    seed: int | None = 0,
) -> None:
    """Look for entries that a Hessian's pattern lacks, by plain calls of the function.

    Two groups of inputs that have no entry between them are moved apart and together:
    ``f(x + a + b) - f(x + a) - f(x + b) + f(x)`` must be zero.

    Parameters
    ----------
    f : callable
        Returns one number, or several: then the pattern must hold the Hessian of each, as
        that of `lagrangian_hessian_sparsity` does.
    pattern : sparse array or array_like, shape (n, n)
        Symmetric.
    *args, argnums, static_argnums, out, local, num_probes, seed
        As for `check_jacobian_sparsity`.

    Raises
    ------
    VerificationError, InputError
        As for `check_jacobian_sparsity`; `row` and `column` are both inputs.

    Warns
    -----
    VerificationWarning
        As for `check_jacobian_sparsity`.

    Notes
    -----
    A single call tells less of a Hessian than of a Jacobian, which has many rows: an entry far
    from the others is found more often than one beside them, and a few more probes help.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> def f(x):
    ...     return x[0] * x[1] + x[2]
    >>> st.check_hessian_sparsity(f, [[0, 1, 0], [1, 0, 0], [0, 0, 0]], np.ones(3))
    >>> try:
    ...     st.check_hessian_sparsity(f, np.zeros((3, 3)), np.ones(3))
    ... except st.VerificationError as error:
    ...     print(sorted([error.row_name, error.column_name]))
    ['args[0][0]', 'args[0][1]']
    """
    traced_call = TracedCall(f, args, argnums, out, static_argnums)
    _check_hessian(traced_call, pattern, _sampling(traced_call, num_probes, seed, local=local))


def _sampling(
    traced_call: TracedCall,
    num_probes: object,
    seed: int | None,
    *,
    local: bool,
    width: float = 1.0,
) -> Sampling:
    rng = np.random.default_rng(seed)
    probes = checked_probes(num_probes)
    plain = PlainFunction(traced_call)
    return Sampling(plain, local=bool(local), probes=probes, rng=rng, width=width)


def _check_jacobian(
    traced_call: TracedCall, pattern: object, sampling: Sampling, *, dependency: bool
) -> None:
    indptr, indices, shape = _parts(pattern)
    if shape[1] != traced_call.n_inputs:
        raise InputError(
            f"the pattern has {shape[1]} columns, and the arguments named by argnums have "
            f"{traced_call.n_inputs} elements"
        )
    entries = Pattern(indptr, indices, shape, sampling.rng)
    with np.errstate(all="ignore"):
        JacobianCheck(sampling, entries, dependency=bool(dependency)).run()


def _check_hessian(traced_call: TracedCall, pattern: object, sampling: Sampling) -> None:
    indptr, indices, shape = _parts(pattern)
    if shape != (traced_call.n_inputs, traced_call.n_inputs):
        raise InputError(
            f"the pattern has the shape {shape}, and the arguments named by argnums have "
            f"{traced_call.n_inputs} elements"
        )
    with np.errstate(all="ignore"):
        HessianCheck(sampling, Pattern(indptr, indices, shape, sampling.rng)).run()


class Verification:
    """What the keyword `verify` of a detection function asks for.

    Parameters
    ----------
    verify : None, bool or int
        None compares the values of a trace at a point with a plain call; False does nothing;
        True, or a number of probes, checks the pattern as well.
    traced_call : TracedCall
    local : bool

    Raises
    ------
    InputError
        If `verify` is none of these.
    """

    def __init__(self, verify: bool | int | None, traced_call: TracedCall, *, local: bool) -> None:
        if verify is None or isinstance(verify, (bool, np.bool_)):
            self.probes = DEFAULT_PROBES if verify else 0
        else:
            self.probes = checked_probes(verify, "verify")
        self._traced_call, self._local = traced_call, local
        self._off = verify is not None and not self.probes
        traced_call.keeps_values = local and not self._off

    def jacobian(self, pattern: object, traces: Sequence[Trace], *, dependency: bool) -> None:
        """Check what `jacobian_sparsity` found, in these runs."""
        check = partial(_check_jacobian, self._traced_call, pattern, dependency=dependency)
        self._run(check, traces)

    def hessian(self, pattern: object, traces: Sequence[Trace]) -> None:
        """Check what `hessian_sparsity` or `lagrangian_hessian_sparsity` found likewise."""
        self._run(partial(_check_hessian, self._traced_call, pattern), traces)

    def _run(self, check: Callable[[Sampling], None], traces: Sequence[Trace]) -> None:
        trace = traces[0]
        self._values(trace)
        try:
            if self.probes:
                check(_sampling(self._traced_call, self.probes, 0, local=self._local))
            elif not self._off:
                if not self._local and any(map(may_decide, traces)):
                    self._look(check, DEFAULT_PROBES, remedy=_OF_TEXTS)
                if trace.choices >= MANY_CHOICES:
                    # at the point alone
                    self._look(check, _FEW_PROBES, local=True, width=_WIDTH)
        except VerificationError as error:
            if error.column is None or trace.choices < MANY_CHOICES:
                raise
            raise _search_error(error) from None
        except GraphSizeError as error:  # a compressed pattern
            warn(f"not checked by plain calls: {error}")

    def _look(
        self,
        check: Callable[[Sampling], None],
        probes: int,
        *,
        local: bool = False,
        width: float = 1.0,
        remedy: str = "",
    ) -> None:
        """A check that nobody asked for, of a function whose derivatives a trace may lose.

        A number that was found by halving an interval is constant on each path, and has no
        derivative there; but the function it is a value of has one.  And what the text of a
        traced value says is not what that of a number says.

        Raises
        ------
        VerificationError
            If the function has a derivative where the pattern has no entry.
        """
        sampling = _sampling(self._traced_call, probes, 0, local=local, width=width)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(sampling)
        except VerificationError as error:
            if error.column is not None:  # else it answers differently, which nobody asked about
                raise _with_more(error, type(error), remedy) from None

    def _values(self, trace: Trace) -> None:
        if self._traced_call.keeps_values:
            compare_values(self._traced_call, self._traced_call.carried[trace])


def _search_error(error: VerificationError) -> VerificationError:
    """The error of a dependency that was perhaps lost in a search."""
    return _with_more(
        error,
        SearchError,
        " The function chooses by values again and again: a number that "
        "is found by halving an interval is constant on each path. Find it by "
        "scipy.optimize.brentq or newton, whose result depends on what their function "
        "depends on; or, where derivatives on each path are what is wanted, give "
        "verify=False.",
    )


def _with_more(
    error: VerificationError, kind: type[VerificationError], text: str
) -> VerificationError:
    """The same with more text."""
    return kind(
        f"{error}{text}",
        row=error.row,
        column=error.column,
        row_name=error.row_name,
        column_name=error.column_name,
    )


def checked_probes(count: object, name: str = "num_probes") -> int:
    """The number of probes as an int, if it is one."""
    if isinstance(count, (int, np.integer)) and not isinstance(count, bool) and count >= 1:
        return int(count)
    also = " or a truth value" if name == "verify" else ""
    raise InputError(f"{name}={count!r}: a positive whole number{also} is wanted")


def _parts(pattern: Any) -> tuple[Any, Any, tuple[int, int]]:
    """Index arrays of the entries that differ from zero."""
    if not scipy.sparse.issparse(pattern):
        try:
            pattern = np.asarray(pattern)
        except ValueError as error:
            raise InputError(f"the pattern is no matrix: {error}") from error
        if pattern.dtype.kind not in "biufc":
            raise InputError(f"the pattern is no matrix of numbers (dtype {pattern.dtype})")
        pattern = pattern != 0
    if pattern.ndim != 2:
        raise InputError(f"a pattern has two dimensions, not {pattern.ndim}")
    entries = scipy.sparse.csr_array(pattern)
    if not (entries.has_canonical_format and (entries.data.dtype == bool and entries.data.all())):
        entries = scipy.sparse.csr_array(entries, copy=True)
        entries.sum_duplicates()
        entries.eliminate_zeros()
    return entries.indptr, entries.indices, entries.shape

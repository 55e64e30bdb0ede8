"""What Jacobians and Hessians have in common: made once, evaluated often, sparse.

Contract: a derivative is prepared again only where the shapes change, or the values that a
trace takes as they are, among the arguments or elsewhere; its entries always come in the order of
its pattern.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.coloring import Coloring
from sparsetrace.derivatives.check_schedule import Check, CheckSchedule
from sparsetrace.derivatives.compression import Compression
from sparsetrace.derivatives.direction_check import Comparison
from sparsetrace.derivatives.flat_function import FlatFunction, Vector
from sparsetrace.derivatives.methods import METHODS, Bounds, Method, checked_bounds
from sparsetrace.derivatives.outside_state import Change, Difference, OutsideState
from sparsetrace.errors import InputError, VerificationError, VerificationWarning

__all__ = ["SparseDerivative", "written"]

_FIRST_SEED = 2
_MOST_FRUITLESS = 3
"""Traces after changes at one place that gave the pattern of before; changes there are then
followed by checks."""


class SparseDerivative(ABC):
    """A sparse derivative as a function of the point; see `SparseJacobian`, `SparseHessian`."""

    method: Method
    """How differences are taken."""
    coloring: Coloring
    """The coloring whose products the entries are recovered from."""

    def __init__(
        self,
        flat: FlatFunction,
        kinds: tuple[str, ...],
        *,
        method: Method | None = None,
        rel_step: ArrayLike | None = None,
        bounds: object | None = None,
        pattern: object | None = None,
        coloring: Coloring | None = None,
        order: str = "best",
        check: Check = True,
        detection: dict[str, Any],
    ) -> None:
        if method is not None and method not in METHODS:
            raise InputError(f"method={method!r}: choose one of {', '.join(map(repr, METHODS))}")
        if coloring is not None and coloring.kind not in kinds:
            raise InputError(
                f"a coloring of kind {' or '.join(map(repr, kinds))} is needed, "
                f"not {coloring.kind!r}"
            )
        self._flat = flat
        self._wanted_method = method
        self._rel_step, self._given_bounds = rel_step, bounds
        self._given_pattern, self._given_coloring = pattern, coloring
        self._order, self._detection = order, detection
        self._schedule = CheckSchedule(check)
        self._num_checks = 0
        static = detection.get("static_argnums", ())
        numbers = static if isinstance(static, Sequence) else [static]
        self._static = frozenset(int(i) % len(flat.args) for i in numbers)
        self._signature: tuple[Any, ...] | None = None
        self._outside: OutsideState | None = None
        self._is_settled = False
        self._fruitless: dict[Any, int] = {}
        self._are_entries_known = False
        self._moved_entries: list[str] = []

    # --------------------------------------------------------------- what each derivative does
    @abstractmethod
    def _traced(self) -> Any:
        """The pattern at the arguments of the last call."""

    @abstractmethod
    def _colored(self, pattern: Any) -> Coloring:
        """A coloring of the pattern."""

    @abstractmethod
    def _chosen_method(self, x: Vector) -> Method:
        """The method, where the user names none."""

    @abstractmethod
    def _values(self, x: Vector, value: Vector | None = None) -> Vector:
        """The entries at `x`, where the differentiated function has this value."""

    @abstractmethod
    def _compared(self, x: Vector, matrix: csr_array, seed: int) -> Comparison:
        """The matrix beside the function, by a few calls."""

    @abstractmethod
    def _differentiated(self) -> Callable[[Vector], Vector]:
        """The function whose Jacobian this is, at the arguments of the last call."""

    def _functions(self) -> list[Any]:
        """Functions of the user's besides that of the arguments."""
        return []

    def _restructured(self, x: Vector) -> None:  # noqa: B027 (most have nothing to do)
        """What depends on the pattern and the shapes."""

    # ------------------------------------------------------------- what is known beforehand
    def _prepare(self, x: Vector) -> None:
        """Pattern, coloring and method, if they are not those of arguments of these shapes.

        Nor those of what the function reads besides them.
        """
        signature = self._flat.signature(self._static)
        if signature != self._signature:
            self._prepare_anew(x, signature)
        elif self._outside is not None:
            change = self._outside.look()
            if change.difference is not Difference.NONE:
                self._state_changed(x, signature, change)

    def _prepare_anew(self, x: Vector, signature: tuple[Any, ...]) -> None:
        self._signature = None  # until all of it is known
        self._watch()
        known = self._given_coloring
        if known is None:
            pattern = self._given_pattern
            known = self._colored(self._traced() if pattern is None else pattern)
        self._take_coloring(x, known)
        self._bounds: Bounds | None = checked_bounds(self._given_bounds, len(x))
        self.method = self._wanted_method or self._chosen_method(x)
        if self._outside is not None:
            self._outside.settle()
        self._signature = signature

    def _take_coloring(self, x: Vector, coloring: Coloring) -> None:
        if coloring.pattern.shape[1] != len(x):
            raise InputError(
                f"the pattern has {coloring.pattern.shape[1]} columns, and there are "
                f"{len(x)} inputs"
            )
        self.coloring = coloring
        self._compression = Compression(coloring)
        entries = coloring.pattern
        self._template = csr_array(
            (np.zeros(entries.nnz), entries.indices, entries.indptr), entries.shape
        )
        self._template.has_canonical_format = True
        self._schedule.begin()
        self._moved_entries = []
        self._restructured(x)

    # ------------------------------------------------------- what changes besides arguments
    @property
    def _is_traced(self) -> bool:
        return self._given_pattern is None and self._given_coloring is None

    def _watch(self) -> None:
        """Remember what the functions can read besides their arguments."""
        before = self._outside
        if self._is_traced or self._schedule.check:
            self._outside = OutsideState([*self._flat.outside(), *self._functions()])
            self._is_settled = False
            if before is not None:
                self._outside.follow(before)

    def _state_changed(self, x: Vector, signature: tuple[Any, ...], change: Change) -> None:
        """Trace again, or check again where that is not worth a trace."""
        self._schedule.state_changed()
        self._is_settled = False
        if change.difference is not Difference.OTHER:
            return
        self._signature = None  # if the trace fails, so it does the next time
        self._watch()
        if self._is_traced:
            pattern = self._traced()
            before = self.coloring.pattern
            if pattern.shape == before.shape and not lacks(before, pattern):
                self._count_fruitless(change)
            else:
                self._take_coloring(x, self._colored(pattern))
                self._moved_entries = change.names if self._are_entries_known else []
        self._signature = signature

    def _count_fruitless(self, change: Change) -> None:
        """Places whose changes do not change the pattern are worth a check alone, in the end."""
        assert self._outside is not None
        for place, holder in change.places.items():
            self._fruitless[place] = self._fruitless.get(place, 0) + 1
            if self._fruitless[place] >= _MOST_FRUITLESS:
                self._outside.doubt({place: holder})

    def retrace(self) -> None:
        """Trace and color again, at the arguments of the last call.

        For a change that is not seen by itself: of what compiled code, files or large arrays hold
        that the function reads; see the documentation of derivatives.

        Raises
        ------
        InputError
            If the pattern was given, so that there is nothing to trace.
        TracingError
            If a dependency could be lost.

        Examples
        --------
        >>> import numpy as np
        >>> from sparsetrace import sparse_jacobian
        >>> shift = np.array([1])
        >>> jacobian = sparse_jacobian(lambda x: x * np.roll(x, shift[0]), np.ones(4))
        >>> shift[0] = 2
        >>> jacobian.retrace()
        >>> jacobian.cols.reshape(4, 2).tolist()
        [[0, 2], [1, 3], [0, 2], [1, 3]]
        """
        if not self._is_traced:
            raise InputError("the pattern was given: leave pattern= and coloring= out to trace it")
        self._forget()
        self._prepare(self._flat.take(()))

    def _forget(self) -> None:
        """Be prepared anew at the next evaluation, and so all that this one is made of."""
        self._signature = None

    def _at(self, x: Any, args: tuple[Any, ...]) -> Vector:
        """The point as a vector, and everything prepared for it."""
        point = self._flat.take((x, *args))
        self._prepare(point)
        if np.iscomplexobj(point) and self.method == "cs":
            raise InputError("the complex step needs real inputs; choose method='3-point'")
        return point

    def __getstate__(self) -> dict[str, Any]:
        # elsewhere the functions may read something else
        return self.__dict__ | {"_outside": None, "_signature": None, "_fruitless": {}}

    # ------------------------------------------------------------------------- what users call
    def __call__(self, x: Any, *args: Any) -> csr_array:
        """The derivative at `x`, a csr_array with every entry of the pattern."""
        return self._matrix(self._checked_values(self._at(x, args)))

    def data(self, x: Any, *args: Any, out: Vector | None = None) -> Vector:
        """The values of the pattern's entries at `x`, in rows, shape (nnz,).

        Parameters
        ----------
        out : array of shape (nnz,), optional
            Where to write them.
        """
        point = self._at(x, args)
        self._refuse_moved_entries()
        return written(self._checked_values(point), out)

    def _refuse_moved_entries(self) -> None:
        """Values alone say nothing to someone who has rows and columns of before."""
        if self._moved_entries:
            raise VerificationError(
                f"{type(self).__name__}: the pattern is another one since "
                f"{' and '.join(self._moved_entries[:3])} changed. Read rows and cols again "
                "before data; or state the change with retrace()."
            )

    def linear_operator(self, x: Any, *args: Any) -> LinearOperator:
        """The derivative at `x` with products from both sides, as a LinearOperator."""
        return aslinearoperator(self(x, *args))

    @property
    def pattern(self) -> SparsityPattern:
        """Where the derivative may differ from zero."""
        return SparsityPattern(self.coloring.pattern)

    @property
    def rows(self) -> Vector:
        """The row of each entry, in the order of `data`."""
        self._are_entries_known, self._moved_entries = True, []
        return self._compression.rows

    @property
    def cols(self) -> Vector:
        """The column of each entry, in the order of `data`."""
        self._are_entries_known, self._moved_entries = True, []
        return self._compression.columns

    @property
    def nfev(self) -> int:
        """Points at which functions of the user's were evaluated, without those of traces."""
        return self._flat.calls

    def __repr__(self) -> str:
        m, n = self.coloring.pattern.shape
        return (
            f"{type(self).__name__}: {m} x {n}, {self.coloring.pattern.nnz} entries, "
            f"{self._cost()}, method {self.method!r}"
        )

    def _cost(self) -> str:
        count = self.coloring.num_colors
        return f"{count} color{'' if count == 1 else 's'}"

    # ----------------------------------------------------------------------------- evaluation
    def _matrix(self, data: Vector) -> csr_array:
        # not by the constructor, which looks at all of it, and most of that is not in the cache
        pattern = self._template
        matrix = csr_array.__new__(csr_array)
        vars(matrix).update(vars(pattern))
        # the arrays are the caller's own
        matrix.data = data
        matrix.indices, matrix.indptr = pattern.indices.copy(), pattern.indptr.copy()
        return matrix

    def _checked_values(self, x: Vector, value: Vector | None = None) -> Vector:
        before = self.nfev
        values = self._values(x, value)
        self._schedule.evaluated(self.nfev - before)
        if self._schedule.is_due():
            before = self.nfev
            values = self._check(x, values)
            self._schedule.passed(self.nfev - before)
        if not self._is_settled and self._outside is not None:
            self._outside.settle()
            self._is_settled = True
        return values

    def _check(self, x: Vector, values: Vector) -> Vector:
        """The values, if the function agrees; an entry that is missing is an error.

        A function may be analytic where it was prepared, and take absolute values here: the
        values are those of real differences then.
        """
        comparison = self._compared(x, self._matrix(values), _FIRST_SEED + self._num_checks)
        if comparison.missing is not None:
            raise VerificationError(self._about_missing(*comparison.missing))
        self._num_checks += 1
        if comparison.is_analytic or not np.isfinite(x).all():
            return values
        method = self._chosen_method(x)
        if method == "cs":  # a kink, or a function that changes very fast
            return values
        since = self._schedule.evaluations - 1
        unchecked = f" {since} evaluations before this one were not checked." if since else ""
        if self._wanted_method is None:
            self.method = method
            if since:
                self._warn_of_complex_step(f"{method!r} is taken from here on.{unchecked}")
            return self._check(x, self._values(x))
        self._warn_of_complex_step(f"Choose method='3-point'.{unchecked}")
        return values

    @staticmethod
    def _warn_of_complex_step(advice: str) -> None:
        warnings.warn(
            "the complex step and real differences disagree here: the function is not analytic "
            f"(abs, conj, a real buffer), or changes very fast. {advice}",
            VerificationWarning,
            stacklevel=5,
        )

    def _about_missing(self, row: int, column: int) -> str:
        name = type(self).__name__.removeprefix("Sparse")
        lines = [
            f"the {name} has no entry ({row}, {column}), but the function has this derivative: "
            "the pattern is not that of this function"
            + (" at this point." if self._detection.get("local") else ".")
        ]
        if not self._is_traced:
            lines.append("Leave pattern= and coloring= out, so that it is traced.")
        elif self._detection.get("local"):
            lines.append("local=True holds at one point alone.")
        elif not self._schedule.is_first:
            lines.append(
                "What the function reads besides its arguments may have changed: call retrace() "
                "after such a change, or pass it as an argument. "
                f"{self._schedule.evaluations - 1} evaluations before this one were not checked."
            )
        else:
            lines.append(
                "What the function reads besides its arguments may have changed since it was "
                "traced: call retrace() then; else this is an error of the trace."
            )
        return " ".join(lines)

    def _to_compare(
        self, x: Any, args: tuple[Any, ...]
    ) -> tuple[Vector, csr_array, Callable[[Vector], Vector]]:
        """The point, the whole matrix there, and the function whose Jacobian that is."""
        point = self._at(x, args)
        matrix = self._matrix(self._checked_values(point))
        return point, matrix, self._differentiated()

    def _error_scale(self, x: Vector) -> float:
        """The size of what errors are relative to, beside the derivative and its function."""
        return 0.0


def lacks(pattern: csr_array, wanted: csr_array) -> bool:
    """Whether a pattern lacks entries of another one of the same shape."""
    have, want = (csr_array(some, dtype=np.int8) for some in (pattern, wanted))
    have.data[:], want.data[:] = 1, 1
    return bool(((want - have) > 0).nnz)


def written(values: Vector, out: Vector | None) -> Vector:
    """The values, in the array that is given for them."""
    if out is None:
        return values
    if out.shape != values.shape:
        raise InputError(f"out has shape {out.shape}, not {values.shape}")
    out[...] = values
    return out

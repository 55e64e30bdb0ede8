"""What Jacobians and Hessians have in common: made once, evaluated often, sparse.

Contract: entries always come in the order of the pattern; what is handed out is the caller's own.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.derivatives.direction_check import Comparison, beside_within
from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.prepared import PreparedDerivative, alone
from sparsetrace.errors import InputError, VerificationError, VerificationWarning

__all__ = ["SparseDerivative", "written"]

_FIRST_SEED = 2
_SUSPECT = 1e10
"""Where a function is not analytic, rounding divided by the complex step is larger than this."""
_IMAGINARY = 1e20
"""So is an imaginary part of 1e-10 that the function's value itself has."""
_LOOKED_AT = 1024
"""Of more than eight times as many values of a derivative, so many are looked at for that, evenly
spaced and others at each evaluation."""
_NOT_REPEATABLE = (
    "the function gives other values when it is called again with the same arguments, as where it "
    "counts its calls, keeps results of earlier ones or draws random numbers: differences of such "
    "values are no derivatives. Let it depend on its arguments alone, or give check=False"
)

_INCONSISTENT = (
    "along a direction the function changes by far more, or less, than the matrix says, although "
    "no entry is missing: it gives other values when it is called again, its values have errors "
    "that are large beside the steps (choose a larger rel_step=), or a gradient is none, as its "
    "derivative is not symmetric"
)


class SparseDerivative(PreparedDerivative):
    """A sparse derivative as a function of the point; see `SparseJacobian`, `SparseHessian`."""

    # --------------------------------------------------------------- what each derivative does
    @abstractmethod
    def _values(self, x: Vector, value: Vector | None = None) -> Vector:
        """The entries at `x`, where the differentiated function has this value."""

    @abstractmethod
    def _compared(self, x: Vector, matrix: csr_array, seed: int) -> Comparison:
        """The matrix beside the function, by a few calls."""

    @abstractmethod
    def _differentiated(self) -> Callable[[Vector], Vector]:
        """The function whose Jacobian this is, at the arguments of the last call."""

    def _check_functions(self, x: Vector) -> None:
        """Whether what the user gives fits together, before the first check of the derivative."""

    # ------------------------------------------------------------------------- what users call
    @alone
    def __call__(self, x: Any, *args: Any) -> csr_array:
        """The derivative at `x`, a csr_array with every entry of the pattern."""
        return self._matrix(self._checked_values(self._at(x, args)))

    @alone
    def data(self, x: Any, *args: Any, out: Vector | None = None) -> Vector:
        """The values of the pattern's entries at `x`, in rows, shape (nnz,).

        Parameters
        ----------
        out : array of shape (nnz,), optional
            Where to write them; of floating-point numbers, or complex ones where the values are.
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
        return SparsityPattern(self.coloring.pattern.copy())

    @property
    def rows(self) -> Vector:
        """The row of each entry, in the order of `data`."""
        self._are_entries_known, self._moved_entries = True, []
        return self._compression.rows.copy()

    @property
    def cols(self) -> Vector:
        """The column of each entry, in the order of `data`."""
        self._are_entries_known, self._moved_entries = True, []
        return self._compression.columns.copy()

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
        values = self._values_by_any_method(x, value)
        self._schedule.evaluated(self.nfev - before)
        if self.method == "cs" and self._are_suspect(values):
            self._schedule.state_changed()
            values = self._where_defined(x, values)
        if self._schedule.is_due():
            if self._schedule.is_first:
                self._check_functions(x)
            before = self.nfev
            values = self._check(x, values)
            self._schedule.passed(self.nfev - before)
        if not self._is_settled and self._outside is not None:
            self._outside.settle()
            self._is_settled = True
        return values

    def _values_by_any_method(self, x: Vector, value: Vector | None) -> Vector:
        """The values; of real differences, where the function takes no complex numbers here.

        A probe at another point said that it does: it has other paths.
        """
        try:
            return self._values(x, value)
        except Exception:
            if self.method != "cs" or self._wanted_method is not None:
                raise
            method = self._chosen_method(x)
            if method == "cs":
                raise
            self._take_method(method)
            try:
                return self._values(x, value)
            except BaseException:
                self._take_method("cs")
                raise

    def _are_suspect(self, values: Vector) -> bool:
        """Whether some of the values look like rounding divided by the complex step."""
        every = 1 if len(values) <= 8 * _LOOKED_AT else 1 + len(values) // _LOOKED_AT
        some = values[self._schedule.evaluations % every :: every]
        if some @ some < _SUSPECT**2:  # one pass: they are rarely so large
            return False
        return not np.abs(some).max() < _SUSPECT  # nor where it is NaN

    def _where_defined(self, x: Vector, values: Vector) -> Vector:
        """NaN where roots and logarithms have complex values, and no real ones."""
        imaginary = np.abs(values) >= _IMAGINARY
        if not imaginary.any():
            return values
        with np.errstate(all="ignore"):
            return np.where(imaginary & self._undefined(x), np.nan, values)

    def _undefined(self, x: Vector) -> Any:
        """Of each entry, whether the differentiated function is NaN in its row."""
        try:
            return np.isnan(self._differentiated()(x.copy()))[self._compression.rows]
        except Exception:
            return np.False_

    def _check(self, x: Vector, values: Vector) -> Vector:
        """The values, if the function agrees; an entry that is missing is an error.

        A function may be analytic where it was prepared, and take absolute values here: the
        values are those of real differences then.
        """
        comparison = self._compared(x, self._matrix(values), _FIRST_SEED + self._num_checks)
        if not comparison.is_repeatable:
            raise VerificationError(_NOT_REPEATABLE)
        if comparison.missing is not None:
            raise VerificationError(self._about_missing(*comparison.missing))
        if comparison.is_analytic and not comparison.is_consistent:
            self._refuse_inconsistent(x)
        self._num_checks += 1
        if comparison.is_analytic or not np.isfinite(x).all():
            return values
        method = self._chosen_method(x)
        if method == "cs":  # a kink, or a function that changes very fast
            return values
        since = self._schedule.evaluations - 1
        unchecked = f" {since} evaluations before this one were not checked." if since else ""
        if self._wanted_method is None:
            self._take_method(method)
            if since:
                self._warn_of_complex_step(f"{method!r} is taken from here on.{unchecked}")
            return self._check(x, self._values(x))
        self._warn_of_complex_step(f"Choose method='3-point'.{unchecked}")
        return values

    def _refuse_inconsistent(self, x: Vector) -> None:
        """An error where it is so beside the point, too, where no kink is expected.

        Real differences of values with errors are often good enough for a solver: a warning.
        """
        seed = _FIRST_SEED + self._num_checks
        beside = x + beside_within(x, self._bounds)
        try:
            comparison = self._compared(beside, self._matrix(self._values(beside)), seed)
        except Exception:  # the function ends there
            return
        if comparison.is_consistent or not comparison.is_analytic:
            return
        if self.method == "cs":
            raise VerificationError(_INCONSISTENT)
        warnings.warn(_INCONSISTENT, VerificationWarning, stacklevel=6)

    @staticmethod
    def _warn_of_complex_step(advice: str) -> None:
        warnings.warn(
            "the complex step and real differences disagree here: the function is not analytic "
            f"(abs, conj, a real buffer), or changes very fast. {advice}",
            VerificationWarning,
            stacklevel=6,
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


def written(values: Vector, out: Vector | None) -> Vector:
    """The values, in the array that is given for them."""
    if out is None:
        return values
    if out.shape != values.shape:
        raise InputError(f"out has shape {out.shape}, not {values.shape}")
    if out.dtype.kind not in "fc" or not np.can_cast(values.dtype, out.dtype, "same_kind"):
        raise InputError(f"out holds {out.dtype}, and the values are {values.dtype}")
    out[...] = values
    return out

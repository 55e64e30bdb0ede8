"""What Jacobians and Hessians have in common: made once, evaluated often, sparse.

Contract: a derivative is prepared again only where the shapes change, or the values that a
trace takes as they are; its entries always come in the order of its pattern.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.coloring import Coloring
from sparsetrace.derivatives.compression import Compression
from sparsetrace.derivatives.flat_function import FlatFunction, Vector
from sparsetrace.derivatives.methods import METHODS, Bounds, Method, checked_bounds
from sparsetrace.errors import InputError, VerificationError

__all__ = ["SparseDerivative", "written"]


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
        check: bool = True,
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
        self._order, self._check_wanted, self._detection = order, bool(check), detection
        self._signature: tuple[Any, ...] | None = None

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
    def _missing(self, x: Vector, matrix: csr_array) -> tuple[int, int] | None:
        """An entry that the matrix lacks, by a few calls."""

    @abstractmethod
    def _differentiated(self) -> Callable[[Vector], Vector]:
        """The function whose Jacobian this is, at the arguments of the last call."""

    # ------------------------------------------------------------- what is known beforehand
    def _prepare(self, x: Vector) -> None:
        """Pattern, coloring and method, if they are not those of arguments of these shapes."""
        signature = self._flat.signature()
        if signature == self._signature:
            return
        known = self._given_coloring
        if known is None:
            pattern = self._given_pattern
            known = self._colored(self._traced() if pattern is None else pattern)
        if known.pattern.shape[1] != len(x):
            raise InputError(
                f"the pattern has {known.pattern.shape[1]} columns, and there are {len(x)} inputs"
            )
        self.coloring = known
        self._bounds: Bounds | None = checked_bounds(self._given_bounds, len(x))
        self._compression = Compression(known)
        self._signature = signature
        self._to_check = self._check_wanted
        self.method = self._wanted_method or self._chosen_method(x)

    def _at(self, x: Any, args: tuple[Any, ...]) -> Vector:
        """The point as a vector, and everything prepared for it."""
        point = self._flat.take((x, *args))
        self._prepare(point)
        if np.iscomplexobj(point) and self.method == "cs":
            raise InputError("the complex step needs real inputs; choose method='3-point'")
        return point

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
        return written(self._checked_values(self._at(x, args)), out)

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
        return self._compression.rows

    @property
    def cols(self) -> Vector:
        """The column of each entry, in the order of `data`."""
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
        pattern = self.coloring.pattern
        entries = (data, pattern.indices.copy(), pattern.indptr.copy())
        matrix = csr_array(entries, shape=pattern.shape)
        matrix.has_canonical_format = True
        return matrix

    def _checked_values(self, x: Vector, value: Vector | None = None) -> Vector:
        values = self._values(x, value)
        if self._to_check:
            self._check(x, values)
        return values

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

    def _check(self, x: Vector, values: Vector) -> None:
        """Compare with the function along a random direction; name an entry that is missing."""
        missing = self._missing(x, self._matrix(values))
        if missing is not None:
            row, column = missing
            name = type(self).__name__.removeprefix("Sparse")
            raise VerificationError(
                f"the {name} has no entry ({row}, {column}), but the function has this "
                "derivative: the pattern is not that of this function"
                + (" at this point." if self._detection.get("local") else ".")
                + " Leave pattern= and coloring= out, so that it is traced; local=True holds at "
                "one point alone."
            )
        self._to_check = False


def written(values: Vector, out: Vector | None) -> Vector:
    """The values, in the array that is given for them."""
    if out is None:
        return values
    if out.shape != values.shape:
        raise InputError(f"out has shape {out.shape}, not {values.shape}")
    out[...] = values
    return out

"""`SparseLagrangianHessian`: gradients of objective and constraints, weighted and moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, tril
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.derivatives.check_schedule import Check
from sparsetrace.derivatives.direction_check import Comparison
from sparsetrace.derivatives.flat_function import FlatFunction, Vector, flattened
from sparsetrace.derivatives.gradients import (
    GivenJacobian,
    GradientSum,
    TracedJacobian,
)
from sparsetrace.derivatives.methods import Method
from sparsetrace.derivatives.prepared import alone
from sparsetrace.derivatives.sparse_derivative import written
from sparsetrace.derivatives.symmetric import (
    Function,
    SparseHessian,
    SymmetricDerivative,
    gradient_of,
    lower_triangle,
    traced_hessian,
)
from sparsetrace.errors import InputError

__all__ = ["SparseLagrangianHessian"]


class SparseLagrangianHessian(SymmetricDerivative):
    """The Hessian of a Lagrangian; made by `sparse_lagrangian_hessian`.

    ``hessian(x, multipliers, objective_factor=1.0, *args)`` is a csr_array of shape (n, n),
    symmetric or its lower triangle; `rows`, `cols`, `data` and `pattern` are those of the same.
    """

    def __init__(
        self,
        f: Function | None,
        g: Function | None,
        args: tuple[Any, ...],
        *,
        argnums: int | Sequence[int] = 0,
        grad: Function | None = None,
        terms: Function | None = None,
        jac: Function | None = None,
        method: Method | None = None,
        rel_step: ArrayLike | None = None,
        bounds: object | None = None,
        pattern: object | None = None,
        order: str = "best",
        check: Check = True,
        lower: bool = False,
        detection: dict[str, Any],
        **options: Any,
    ) -> None:
        source = f or terms or g or grad
        if source is None:
            raise InputError("there is neither an objective nor a constraint")
        if jac is not None and g is None:
            raise InputError("jac= is the Jacobian of g, which is None")
        self._sources, self._grad, self._jac = (f or terms, g), grad, jac
        self._terms = terms
        self._lower = bool(lower)
        flat = FlatFunction(source, args, argnums)
        objective = gradient_of(grad, terms, flat, method, bounds, order, check, detection)
        constraints: GivenJacobian | TracedJacobian | None = None
        if jac is not None:
            constraints = GivenJacobian(jac, flat)
        elif g is not None:
            constraints = TracedJacobian(
                g,
                flat,
                method=method,
                bounds=bounds,
                order=order,
                check=check,
                detection=detection,
            )
        self._constraints = constraints
        self._sum = None
        if objective is not None or constraints is not None:
            self._sum = GradientSum(objective, constraints)
        self._values_of_f: SparseHessian | None = None
        if f is not None and objective is None:
            self._values_of_f = SparseHessian(
                f,
                args,
                argnums=argnums,
                method=method,
                rel_step=rel_step,
                bounds=bounds,
                pattern=pattern,
                kind="star",
                order=order,
                check=check,
                detection=detection,
            )
        self._placed: tuple[Any, Any] | None = None
        self._weights: tuple[float, Vector | None] = (1.0, None)
        self._counted, self._known_to_count = np.zeros(0, dtype=np.bool_), 0
        super().__init__(
            flat,
            self._sum,
            method=method,
            rel_step=rel_step,
            bounds=bounds,
            pattern=pattern,
            order=order,
            check=check,
            detection=detection,
            **options,
        )
        self._prepare(self._flat.take(args))

    # ------------------------------------------------------------------------- what users call
    @alone
    def __call__(
        self, x: Any, multipliers: Any = (), objective_factor: float = 1.0, *args: Any
    ) -> csr_array:
        """The Hessian of the Lagrangian at `x`, with every entry of the pattern."""
        matrix = self._matrix(self._weighted_values(x, multipliers, objective_factor, args))
        return lower_triangle(matrix) if self._lower else matrix

    @alone
    def data(
        self,
        x: Any,
        multipliers: Any = (),
        objective_factor: float = 1.0,
        *args: Any,
        out: Vector | None = None,
    ) -> Vector:
        """The values of the pattern's entries at `x`, in rows, shape (nnz,).

        Parameters
        ----------
        out : array of shape (nnz,), optional
            Where to write them.
        """
        values = self._weighted_values(x, multipliers, objective_factor, args)
        self._refuse_moved_entries()
        return written(values[self._kept] if self._lower else values, out)

    def lower(
        self, x: Any, multipliers: Any = (), objective_factor: float = 1.0, *args: Any
    ) -> csr_array:
        """The lower triangle at `x`, with every entry of the pattern's."""
        return lower_triangle(self(x, multipliers, objective_factor, *args))

    @alone
    def linear_operator(
        self, x: Any, multipliers: Any = (), objective_factor: float = 1.0, *args: Any
    ) -> LinearOperator:
        """The whole symmetric matrix at `x`, as a LinearOperator."""
        values = self._weighted_values(x, multipliers, objective_factor, args)
        return aslinearoperator(self._matrix(values))

    @property
    def rows(self) -> Vector:
        """The row of each entry, in the order of `data`."""
        return super().rows[self._kept]

    @property
    def cols(self) -> Vector:
        """The column of each entry, in the order of `data`."""
        return super().cols[self._kept]

    @property
    def pattern(self) -> SparsityPattern:
        """Where the matrix that is returned may differ from zero."""
        whole = super().pattern
        return SparsityPattern(tril(whole, format="csr")) if self._lower else whole

    @property
    def nfev(self) -> int:
        """Points at which functions of the user's were evaluated, without those of traces."""
        others = [self._values_of_f.nfev] if self._values_of_f is not None else []
        return super().nfev + sum(others)

    # ----------------------------------------------------------------------------- evaluation
    def _functions(self) -> list[Any]:
        sources = (*self._sources, self._terms, self._grad, self._jac)
        return [function for function in sources if function is not None]

    def _forget(self) -> None:
        super()._forget()
        if self._values_of_f is not None:
            self._values_of_f._forget()

    def _restructured(self, x: Vector) -> None:
        pattern = self.coloring.pattern
        rows, columns = self._compression.rows, self._compression.columns
        self._kept = np.flatnonzero(rows >= columns) if self._lower else np.arange(pattern.nnz)
        if self._values_of_f is not None:
            self._values_of_f.take_from(self._flat, x)
            self._place_values_of_f()

    def _place_values_of_f(self) -> None:
        """Where the objective's entries belong, if either pattern is another one."""
        assert self._values_of_f is not None
        placed = (self._compression, self._values_of_f._compression)
        if placed == self._placed:
            return
        ours, size = self._compression, self.coloring.pattern.shape[1]
        # both are in rows with sorted columns
        keys = ours.rows.astype(np.int64) * size + ours.columns
        wanted = self._values_of_f.rows.astype(np.int64) * size + self._values_of_f.cols
        self._places_of_f = np.searchsorted(keys, wanted)
        if not np.isin(wanted, keys).all():
            row, column = divmod(int(np.setdiff1d(wanted, keys)[0]), size)
            raise InputError(f"the pattern lacks entry ({row}, {column}) of the objective's")
        self._placed = placed

    def _traced(self) -> Any:
        f, g = self._sources
        return traced_hessian((f, g), None if f else self._grad, self._flat, self._detection)

    def _chosen_method(self, x: Vector) -> Method:
        if self._sum is not None:
            return super()._chosen_method(x)
        assert self._values_of_f is not None
        return self._values_of_f.method

    def _weighted_values(
        self, x: Any, multipliers: Any, factor: float, args: tuple[Any, ...]
    ) -> Vector:
        point = self._at(x, args)
        weights = None if self._constraints is None else flattened(multipliers)
        if weights is None and np.size(flattened(multipliers)):
            raise InputError("there are multipliers, and no constraints")
        self._weights = (float(factor), weights)
        if self._sum is None:
            values: Vector = np.zeros(self.coloring.pattern.nnz)
        else:
            self._sum.weigh(*self._weights)
            # weights that are all zero show no entry: the check waits for others
            shows = bool(factor) or (weights is not None and bool(weights.any()))
            self._note_weights(factor, weights)
            values = self._checked_values(point) if shows else self._values(point)
        if self._values_of_f is not None and factor:
            values_of_f = self._values_of_f.at_vector(point, self._flat)
            self._place_values_of_f()
            values[self._places_of_f] += factor * values_of_f
        return values

    def _note_weights(self, factor: float, weights: Vector | None) -> None:
        """Ask for a check where functions count that were weighed with zero before.

        At once where these are as many as all that did, or the last ones; so that is soon over.
        """
        count = np.append(np.zeros(0) if weights is None else weights, factor) != 0
        if len(count) != len(self._counted):
            self._counted = np.zeros(len(count), dtype=np.bool_)
            self._known_to_count = 0
        if not (count > self._counted).any():
            return
        self._counted |= count
        found = int(self._counted.sum())
        if found > 2 * self._known_to_count or found == len(count):
            self._known_to_count = found
            self._schedule.begin()
        else:
            self._schedule.state_changed()

    def _scalar(self, x: Vector) -> Any:
        """What the gradients are those of, without an objective that is known by values."""
        factor, weights = self._weights
        f, g = self._sources
        total: Any = 0.0
        if f is not None and self._values_of_f is None and factor:
            total = factor * self._value_of(f, x.copy()).sum()
        if g is not None:
            total = total + weights @ self._value_of(g, x)
        return total

    def _value_of(self, function: Function, x: Vector) -> Vector:
        before, self._flat.function = self._flat.function, function
        try:
            return self._flat(x)
        finally:
            self._flat.function = before

    def _to_compare(
        self, x: Any, args: tuple[Any, ...]
    ) -> tuple[Vector, csr_array, Callable[[Vector], Vector]]:
        given = (*args, *((), 1.0)[len(args) :])
        values = self._weighted_values(x, given[0], given[1], given[2:])
        return self._at(x, given[2:]), self._matrix(values), self._differentiated()

    def _differentiated(self) -> Callable[[Vector], Vector]:
        gradients = [] if self._sum is None else [self._sum]
        by_values = self._values_of_f
        factor = self._weights[0]

        def gradient(x: Vector) -> Vector:
            total: Vector = np.zeros(len(x))
            for part in gradients:
                total = total + part(x)
            if by_values is not None:
                total = total + factor * by_values._differentiated()(x)
            return total

        return gradient

    def _error_scale(self, x: Vector) -> float:
        if self._values_of_f is None:
            return 0.0
        return abs(self._weights[0]) * self._values_of_f._error_scale(x)

    def _has_values(self) -> bool:
        given = self._grad, self._terms, self._jac
        without_value = self._sources[0] is None and self._grad is not None
        return any(one is not None for one in given) and not without_value

    def _compared(self, x: Vector, matrix: csr_array, seed: int) -> Comparison:
        without_value = self._is_coarse() and self._sources[0] is None and self._grad is not None
        return Comparison() if without_value else super()._compared(x, matrix, seed)

"""What Hessians of functions and of Lagrangians have in common.

Contract: the result is symmetric to the last bit; each pair of inputs is evaluated once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, tril

from sparsetrace.api.detection import jacobian_sparsity, lagrangian_hessian_sparsity
from sparsetrace.coloring import Coloring, color_acyclic, color_star
from sparsetrace.coloring.recovery import transposed_places
from sparsetrace.derivatives.check_schedule import Check
from sparsetrace.derivatives.direction_check import (
    Comparison,
    beside_within,
    compared,
    is_slope,
    takes_complex_numbers,
)
from sparsetrace.derivatives.flat_function import FlatFunction, Vector, own
from sparsetrace.derivatives.gradients import (
    GivenGradient,
    Gradient,
    TracedJacobian,
)
from sparsetrace.derivatives.methods import EXACT, OF_COARSE, Method
from sparsetrace.derivatives.second_differences import (
    first_missing_pair,
    numerical_gradient,
    second_differences,
)
from sparsetrace.derivatives.sparse_derivative import SparseDerivative
from sparsetrace.errors import InputError, OutputError, VerificationError

__all__ = [
    "Function",
    "SparseHessian",
    "SymmetricDerivative",
    "gradient_of",
    "lower_triangle",
    "traced_hessian",
]

Function = Callable[..., Any]
_NO_GRADIENT = (
    "grad=, terms= or jac= do not fit the function: its slope along a direction is far from "
    "theirs. For the Hessian of another function leave this one out"
)


class SymmetricDerivative(SparseDerivative):
    """Second derivatives: of gradients moved by color, of values, or of both."""

    def __init__(
        self,
        like: FlatFunction,
        gradient: Gradient | None,
        *,
        method: Method | None,
        kind: str = "star",
        **options: Any,
    ) -> None:
        if kind not in ("star", "acyclic"):
            raise InputError(f"kind={kind!r}: choose 'star' or 'acyclic'")
        real_outside = gradient is not None and not gradient.takes_complex
        super().__init__(
            like,
            ("star", "acyclic"),
            method=None if method == "cs" and real_outside else method,
            **options,
        )
        self._kind, self._gradient = kind, gradient

    def _colored(self, pattern: Any) -> Coloring:
        color = color_star if self._kind == "star" else color_acyclic
        return color(pattern, self._order)

    def _chosen_method(self, x: Vector) -> Method:
        gradient = self._gradient
        if gradient is None:
            return "cs" if takes_complex_numbers(self._flat, x) else "3-point"
        exact = gradient.takes_complex and takes_complex_numbers(gradient, x)
        return "cs" if exact else "2-point"

    def _values(self, x: Vector, value: Vector | None = None) -> Vector:
        if self._gradient is None:
            return self._pair_values(x)
        while True:
            step, coarse = self._rel_step, self._is_coarse()
            if step is None and coarse:
                step = OF_COARSE[self.method]
            gradient, bounds = self._gradient, self._bounds
            values = self._compression.data(gradient, x, self.method, step, bounds, value)
            if self._is_coarse() == coarse:  # else a gradient has left the complex step
                return values
            value = None

    def _is_coarse(self) -> bool:
        """Whether gradients are differences of values, too inexact for differences as usual."""
        return self._gradient is not None and self._gradient.noise > EXACT

    def _scalar(self, x: Vector) -> Any:
        """The function whose Hessian this is."""
        value = self._flat(x)
        if len(value) != 1:
            raise OutputError(
                f"f returned {len(value)} numbers, and a Hessian is that of one; the function "
                "that returns the terms of a sum is terms="
            )
        if value.dtype.kind == "c" and x.dtype.kind != "c":
            raise OutputError("f returned a complex number, and its Hessian needs real ones")
        return value[0]

    def _pair_values(self, x: Vector) -> Vector:
        """From values alone; each pair once."""
        rows, columns = self._compression.rows, self._compression.columns
        lower = np.flatnonzero(rows >= columns)
        values = np.empty(len(rows))
        values[lower] = second_differences(
            self._scalar, x, rows[lower], columns[lower], self.method, self._rel_step, self._bounds
        )
        upper = np.flatnonzero(rows < columns)
        values[upper] = values[transposed_places(self.coloring.pattern)[upper]]
        return values

    def _forget(self) -> None:
        super()._forget()
        if self._gradient is not None:
            self._gradient.forget()

    def _differentiated(self) -> Callable[[Vector], Vector]:
        if self._gradient is not None:
            return self._gradient
        return lambda x: numerical_gradient(self._scalar, x, self.method)

    def _undefined(self, x: Vector) -> Any:
        if self._gradient is None:
            return np.isnan(self._scalar(x.copy()))
        undefined = super()._undefined(x)
        if undefined.shape:  # an entry may be read from either row
            undefined = undefined | undefined[transposed_places(self.coloring.pattern)]
        return undefined

    def _error_scale(self, x: Vector) -> float:
        # second differences of values have their errors
        return 0.0 if self._gradient is not None else float(abs(self._scalar(x)))

    def _compared(self, x: Vector, matrix: csr_array, seed: int) -> Comparison:
        gradient = self._gradient
        if gradient is not None and not self._is_coarse():
            return compared(gradient, x, matrix, self.method, self._bounds, seed)
        method = "3-point" if gradient is not None else self.method
        missing = first_missing_pair(self._scalar, x, matrix, method, self._bounds, seed)
        return Comparison(missing, method != "cs" or takes_complex_numbers(self._flat, x))

    def _check_functions(self, x: Vector) -> None:
        gradient, bounds = self._gradient, self._bounds
        if gradient is None or not self._has_values():
            return
        try:  # beside the point, too, where no kink is expected
            places = [x, x + beside_within(x, bounds)]
            fits = any(is_slope(self._scalar, gradient(at.copy()), at, bounds) for at in places)
        except Exception:  # the domain ends there
            return
        if not fits:
            raise VerificationError(_NO_GRADIENT)

    def _has_values(self) -> bool:
        """Whether there is a function besides a gradient that the user gives of it."""
        return False

    @property
    def nfev(self) -> int:
        return self._flat.calls + (0 if self._gradient is None else self._gradient.calls)


class SparseHessian(SymmetricDerivative):
    """The Hessian of a function; made by `sparse_hessian`.

    ``hessian(x, *args)`` is a symmetric csr_array of shape (n, n).  Arguments that are left out
    are those of the call before.  Where shapes change, or values that a trace takes as they are,
    the function is traced and colored anew.
    """

    def __init__(
        self,
        f: Function | None,
        args: tuple[Any, ...],
        *,
        argnums: int | Sequence[int] = 0,
        grad: Function | None = None,
        terms: Function | None = None,
        method: Method | None = None,
        bounds: object | None = None,
        order: str = "best",
        check: Check = True,
        detection: dict[str, Any],
        **options: Any,
    ) -> None:
        self._sources = (f, grad, terms)
        source = f or terms or grad
        if source is None:
            raise InputError("the Hessian is that of f, of grad= or of terms=: none is given")
        flat = FlatFunction(source, args, argnums)
        gradient = gradient_of(grad, terms, flat, method, bounds, order, check, detection)
        super().__init__(
            flat,
            gradient,
            method=method,
            bounds=bounds,
            order=order,
            check=check,
            detection=detection,
            **options,
        )
        self._prepare(self._flat.take(args))

    def lower(self, x: Any, *args: Any) -> csr_array:
        """The lower triangle of the Hessian at `x`, with every entry of the pattern's."""
        return lower_triangle(self(x, *args))

    def take_from(self, like: FlatFunction, x: Vector) -> None:
        """Be prepared for the arguments of another function."""
        self._flat.follow(like)
        self._prepare(x)

    def at_vector(self, x: Vector, like: FlatFunction) -> Vector:
        """The entries at all elements that vary, with the arguments of another function."""
        self.take_from(like, x)
        return self._checked_values(x)

    def _functions(self) -> list[Any]:
        return [function for function in self._sources if function is not None]

    def _traced(self) -> Any:
        f, grad, terms = self._sources
        return traced_hessian(
            (f or terms,), None if f or terms else grad, self._flat, self._detection
        )

    def _scalar(self, x: Vector) -> Any:
        # where f is not given, the function is the sum of its terms
        return super()._scalar(x) if self._sources[0] else self._flat(x).sum()

    def _has_values(self) -> bool:
        f, grad, terms = self._sources
        return f is not None and not (grad is None and terms is None)

    def _cost(self) -> str:
        if self._gradient is not None:
            return super()._cost()
        rows, columns = self._compression.rows, self._compression.columns
        return f"{int((rows >= columns).sum())} pairs"


def gradient_of(
    grad: Function | None,
    terms: Function | None,
    flat: FlatFunction,
    method: Method | None,
    bounds: object | None,
    order: str,
    check: Check,
    detection: dict[str, Any],
) -> Gradient | None:
    """The gradient that a user gives, or that of the sum of terms."""
    if grad is not None and terms is not None:
        raise InputError("grad= and terms= are two ways to the gradient: give one")
    if grad is not None:
        return GivenGradient(grad, flat)
    if terms is None:
        return None
    return TracedJacobian(
        terms, flat, method=method, bounds=bounds, order=order, check=check, detection=detection
    )


def traced_hessian(
    functions: tuple[Function | None, ...],
    grad: Function | None,
    flat: FlatFunction,
    detection: dict[str, Any],
) -> csr_array:
    """The union of the Hessians' patterns of functions, and of the Jacobian's of a gradient."""
    given = [function for function in functions if function is not None]
    parts = []
    if given:

        def together(*args: Any) -> Any:
            varying = [
                [own(arg) if i in flat.argnums else arg for i, arg in enumerate(args)]
                for _ in given
            ]
            return [own(f(*its)) for f, its in zip(given, varying, strict=True)]

        traced = given[0] if len(given) == 1 else together
        parts.append(
            lagrangian_hessian_sparsity(traced, *flat.args, argnums=flat.argnums, **detection)
        )
    if grad is not None:
        others = {name: value for name, value in detection.items() if name != "hessian_store"}
        jacobian = jacobian_sparsity(grad, *flat.args, argnums=flat.argnums, **others)
        parts += [jacobian, jacobian.T]
    return sum((part.astype(np.int8) for part in parts[1:]), parts[0].astype(np.int8)).tocsr()


def lower_triangle(matrix: csr_array) -> csr_array:
    """The lower triangle, with entries that are zero, too."""
    return csr_array(tril(matrix, format="csr"))

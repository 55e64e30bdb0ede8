"""Gradients of scalar functions, from whatever the user has: gradients, Jacobians, terms.

Contract: a gradient is a function of one vector; it knows how exact it is, and takes its other
arguments from the function that it belongs to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import issparse

from sparsetrace.derivatives.check_schedule import Check
from sparsetrace.derivatives.flat_function import FlatFunction, Vector, flattened
from sparsetrace.derivatives.jacobian import SparseJacobian
from sparsetrace.derivatives.methods import COARSE, EXACT, Method
from sparsetrace.errors import InputError, OutputError

__all__ = ["GivenGradient", "GivenJacobian", "Gradient", "GradientSum", "TracedJacobian"]


class Gradient(ABC):
    """A gradient as a function of one vector."""

    takes_complex = True
    """Whether it may take complex numbers; a probe shows it then."""

    @property
    def noise(self) -> float:
        """Its error, relative to the function's size."""
        return EXACT

    @abstractmethod
    def __call__(self, x: Vector) -> Vector:
        """The gradient at `x`, shape (n,)."""

    def forget(self) -> None:  # noqa: B027 (most trace nothing)
        """Trace again what is traced, at the next call."""

    @property
    @abstractmethod
    def calls(self) -> int:
        """Points at which the user's function was evaluated."""


class GivenGradient(Gradient):
    """A gradient that the user wrote."""

    def __init__(self, grad: Callable[..., Any], like: FlatFunction) -> None:
        self._flat, self._like = FlatFunction(grad, like.args, like.argnums), like

    def __call__(self, x: Vector) -> Vector:
        self._flat.follow(self._like)
        return self._flat(x)

    @property
    def calls(self) -> int:
        return self._flat.calls


class GivenJacobian(Gradient):
    """The gradient of ``weights @ g(x)``, from a Jacobian of g that the user wrote."""

    def __init__(self, jac: Callable[..., Any], like: FlatFunction) -> None:
        self._flat, self._like = FlatFunction(jac, like.args, like.argnums), like
        self.weights: Vector | None = None

    def __call__(self, x: Vector) -> Vector:
        self._flat.follow(self._like)
        matrix = self._flat.result(x)
        if not issparse(matrix):
            matrix = np.atleast_2d(np.asarray(matrix))
        if matrix.shape[1] != len(x):
            raise OutputError(f"jac returned shape {matrix.shape}, and there are {len(x)} inputs")
        return weighted(matrix, self.weights)

    @property
    def calls(self) -> int:
        return self._flat.calls


class TracedJacobian(Gradient):
    """The gradient of ``weights @ g(x)``, or of the sum, from a compressed Jacobian of g."""

    takes_complex = False

    def __init__(
        self,
        g: Callable[..., Any],
        like: FlatFunction,
        *,
        method: Method | None,
        bounds: object | None,
        order: str,
        check: Check,
        detection: dict[str, Any],
    ) -> None:
        self._like = like
        # the points around x need every entry, and stores of Hessians are none of Jacobians
        others = {k: v for k, v in detection.items() if k not in ("local", "hessian_store")}
        # of real differences the more exact ones: their errors are divided by a step again
        self.jacobian = SparseJacobian(
            g,
            like.args,
            argnums=like.argnums,
            method="cs" if method == "cs" else None,
            real_method="3-point",
            bounds=bounds,
            order=order,
            check=check,
            detection=others,
        )
        self.weights: Vector | None = None

    @property
    def noise(self) -> float:
        return EXACT if self.jacobian.method == "cs" else COARSE

    def __call__(self, x: Vector) -> Vector:
        return weighted(self.jacobian.at_vector(x, self._like), self.weights)

    def forget(self) -> None:
        self.jacobian._forget()

    @property
    def calls(self) -> int:
        return self.jacobian.nfev


class GradientSum(Gradient):
    """``factor * f's gradient + that of the multipliers' product with g``, if there are both."""

    def __init__(
        self, objective: Gradient | None, constraints: GivenJacobian | TracedJacobian | None
    ) -> None:
        self._objective, self._constraints = objective, constraints
        self.factor = 1.0
        parts = [part for part in (objective, constraints) if part is not None]
        self.takes_complex = all(part.takes_complex for part in parts)
        self._parts = parts

    @property
    def noise(self) -> float:
        return max(part.noise for part in self._parts)

    def weigh(self, factor: float, multipliers: Vector | None) -> None:
        """The weights of the next calls."""
        self.factor = factor
        if self._constraints is not None:
            self._constraints.weights = multipliers

    def __call__(self, x: Vector) -> Vector:
        total: Vector = np.zeros(len(x), dtype=x.dtype)
        if self._objective is not None and self.factor:
            total = total + self.factor * self._objective(x.copy())
        if self._constraints is not None:
            total = total + self._constraints(x)
        return total

    def forget(self) -> None:
        for part in self._parts:
            part.forget()

    @property
    def calls(self) -> int:
        return sum(part.calls for part in self._parts)


def weighted(matrix: Any, weights: Vector | None) -> Vector:
    """The sum of a matrix's rows, with weights."""
    m = matrix.shape[0]
    if weights is None:
        weights = np.ones(m)
    if weights.shape != (m,):
        raise InputError(f"there are {m} constraints, and {len(weights)} multipliers")
    return flattened(matrix.T @ weights)

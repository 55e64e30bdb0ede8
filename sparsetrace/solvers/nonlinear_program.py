"""A nonlinear program with all its derivatives, as solvers outside of SciPy ask for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import cleandoc, signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array, csr_array

from sparsetrace.derivatives.flat_function import Vector, flattened
from sparsetrace.derivatives.hessian import sparse_lagrangian_hessian
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.errors import InputError
from sparsetrace.solvers.keywords import (
    Sparsity,
    as_vector,
    gradient_of,
    hessian_keywords,
    jacobian_keywords,
    missing_package,
)

__all__ = ["NonlinearProgram", "solver_of_programs"]


P = ParamSpec("P")
R = TypeVar("R")


class NonlinearProgram:
    """Minimise ``f(x)`` where ``lb <= x <= ub`` and ``cl <= g(x) <= cu``.

    Contract: methods are named, and return what they return, as cyipopt asks it of an object with
    callbacks.  Solvers of programs take these parameters, and list them as they stand here.

    Parameters
    ----------
    f : callable
        The objective, called as ``f(x, *args)``.
    g : callable or None
        The constraints, called likewise; returns numbers in any structure.
    x0 : array_like
        Where both are traced, shape (n,); also the point to start from.
    lb, ub : array_like, optional
        Bounds of the variables: numbers, or one for each.
    cl, cu : array_like, optional
        Bounds of the constraints, 0 by default: equations.
    args : tuple, optional
        The other arguments of f and g.
    grad : callable, optional
        The gradient of f.
    terms : callable, optional
        Called as f; the sum of what it returns is f.  Without both, each gradient takes one call
        of f for each input, and each Hessian one for each pair that interacts in f.
    sparsity : mapping, optional
        Keywords of `sparse_lagrangian_hessian`; those that `sparse_jacobian` knows are passed to
        it, too.
    **options
        The solver's own.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        g: Callable[..., Any] | None,
        x0: ArrayLike,
        lb: ArrayLike | None = None,
        ub: ArrayLike | None = None,
        cl: ArrayLike | None = None,
        cu: ArrayLike | None = None,
        *,
        args: tuple[Any, ...] = (),
        grad: Callable[..., Any] | None = None,
        terms: Callable[..., Any] | None = None,
        sparsity: Sparsity = None,
        **options: Any,
    ) -> None:
        self.options = options
        self._f, self._g, self._args = f, g, args
        self.x0 = start = as_vector(x0)
        self.n = start.size
        self.lb = _side("lb", lb, self.n, -np.inf)
        self.ub = _side("ub", ub, self.n, np.inf)
        keywords = dict(sparsity or {})
        if np.isfinite(self.lb).any() or np.isfinite(self.ub).any():
            keywords.setdefault("bounds", (self.lb, self.ub))
        self._gradient = gradient_of(f, start, args, grad=grad, terms=terms, sparsity=keywords)
        self._jacobian = None
        if g is not None:
            self._jacobian = sparse_jacobian(g, start, args, **jacobian_keywords(keywords))
        self.m = 0 if self._jacobian is None else self._jacobian.pattern.shape[0]
        self.cl = _side("cl", cl, self.m, 0.0)
        self.cu = _side("cu", cu, self.m, 0.0)
        self.equations = np.flatnonzero(self.cl == self.cu)
        self._hessian = sparse_lagrangian_hessian(
            f,
            g,
            start,
            args,
            grad=grad,
            terms=terms,
            lower=True,
            **hessian_keywords(keywords, pattern=True),
        )

    # ---------------------------------------------------------------------- what Ipopt calls
    # functions may write into what they are given, and return a buffer of their own
    def objective(self, x: Vector) -> float:
        return float(flattened(self._f(x.copy(), *self._args))[0])

    def gradient(self, x: Vector) -> Vector:
        return flattened(self._gradient(x.copy(), *self._args)).copy()

    def constraints(self, x: Vector) -> Vector:
        if self._g is None:
            return np.zeros(0)
        return flattened(self._g(x.copy(), *self._args)).copy()

    def jacobianstructure(self) -> tuple[Vector, Vector]:
        if self._jacobian is None:
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        return self._jacobian.rows, self._jacobian.cols

    def jacobian(self, x: Vector) -> Vector:
        if self._jacobian is None:
            return np.zeros(0)
        return self._jacobian.data(x, *self._args)

    def hessianstructure(self) -> tuple[Vector, Vector]:
        return self._hessian.rows, self._hessian.cols

    def hessian(self, x: Vector, multipliers: Vector, objective_factor: float) -> Vector:
        # of no constraints there are no multipliers
        weights = multipliers if self._g is not None else ()
        return self._hessian.data(x, weights, objective_factor, *self._args)

    # ------------------------------------------------------------------------ as matrices
    def jacobian_matrix(self, x: Vector) -> csr_array:
        """The Jacobian of g, shape (m, n)."""
        if self._jacobian is None:
            return csr_array((0, self.n))
        return self._jacobian(x, *self._args)

    def hessian_matrix(self, x: Vector, multipliers: Vector) -> csc_array:
        """The Hessian of the Lagrangian, both triangles."""
        data = self.hessian(x, multipliers, 1.0)
        rows, columns = self.hessianstructure()
        below = rows != columns
        entries = (
            np.concatenate([data, data[below]]),
            (
                np.concatenate([rows, columns[below]]),
                np.concatenate([columns, rows[below]]),
            ),
        )
        return csc_array(entries, shape=(self.n, self.n))

    def violation(self, x: Vector, norm: Callable[..., Any] = np.max) -> float:
        """By how much x is outside of the constraints and bounds, in a norm."""
        values = np.concatenate([self.constraints(x), x])
        lower = np.concatenate([self.cl, self.lb])
        upper = np.concatenate([self.cu, self.ub])
        return float(norm(np.maximum(0.0, np.maximum(lower - values, values - upper))))


def solver_of_programs(
    program: Callable[P, NonlinearProgram], package: str, extra: str
) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Make a solver of a function of ``(program, **options)``: its parameters are the program's.

    Parameters
    ----------
    program : callable
        `NonlinearProgram`: its signature and the description of its parameters are the solver's,
        with the function's own keywords behind them.
    package, extra : str
        What it needs, and the extra that installs it.
    """

    def of(solve: Callable[..., R]) -> Callable[P, R]:
        @wraps(solve)
        def solver(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                import_module(package)
            except ImportError:
                raise missing_package(package, extra) from None
            made = program(*args, **kwargs)
            return solve(made, **made.options)

        shared, own = signature(program), signature(solve)
        parameters = [*list(shared.parameters.values())[:-1], *list(own.parameters.values())[1:]]
        solver.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        if solver.__doc__ is not None and program.__doc__ is not None:  # python -OO has none
            described = cleandoc(program.__doc__).partition("----------\n")[2]
            listed = described.partition("**options\n")[0]
            solver.__doc__ = cleandoc(solver.__doc__).replace("\nprogram\n", f"\n{listed}", 1)
        return solver

    return of


def _side(name: str, bound: ArrayLike | None, size: int, default: float) -> Vector:
    value = np.asarray(default if bound is None else bound, np.float64)
    try:
        return np.broadcast_to(value, (size,)).copy()
    except ValueError:
        raise InputError(
            f"{name} has shape {value.shape}; one number is needed, or {size}"
        ) from None

"""`sparse_hessian` and `sparse_lagrangian_hessian`: Hessians as functions of the point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, tril
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from sparsetrace.api.detection import jacobian_sparsity, lagrangian_hessian_sparsity
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.coloring import Coloring, color_acyclic, color_star
from sparsetrace.coloring.recovery import transposed_places
from sparsetrace.derivatives.direction_check import first_missing, takes_complex_numbers
from sparsetrace.derivatives.flat_function import FlatFunction, Vector, flattened
from sparsetrace.derivatives.gradients import (
    GivenGradient,
    GivenJacobian,
    Gradient,
    GradientSum,
    TracedJacobian,
)
from sparsetrace.derivatives.methods import OF_COARSE, Method
from sparsetrace.derivatives.second_differences import first_missing_pair, second_differences
from sparsetrace.derivatives.sparse_derivative import SparseDerivative, written
from sparsetrace.errors import InputError, OutputError

__all__ = [
    "SparseHessian",
    "SparseLagrangianHessian",
    "sparse_hessian",
    "sparse_lagrangian_hessian",
]

Function = Callable[..., Any]


def sparse_hessian(
    f: Function | None,
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    argnums: int | Sequence[int] = 0,
    grad: Function | None = None,
    terms: Function | None = None,
    method: Method | None = None,
    rel_step: ArrayLike | None = None,
    bounds: object | None = None,
    pattern: object | None = None,
    coloring: Coloring | None = None,
    kind: Literal["star", "acyclic"] = "star",
    order: str = "best",
    check: bool = True,
    **detection: Any,
) -> SparseHessian:
    """The Hessian of a NumPy function as a callable that returns a symmetric sparse array.

    The pattern is traced and colored once.  What is called then depends on what there is:

    ========  =====================================  ========================================
    given     calls for each Hessian                 relative error, about
    ========  =====================================  ========================================
    `grad`    of grad: one a color; two by           rounding, where it takes complex numbers;
              ``"3-point"``, one more by             ``"2-point"`` 1e-8, ``"3-point"`` 1e-10
              ``"2-point"``
    `terms`   as of grad, each of which is one call  ``"2-point"`` 1e-8, ``"3-point"`` 1e-10;
              a color of the terms' Jacobian         1e-5 and 1e-7 without complex numbers
    neither   of f: one a pair of inputs that        ``"cs"`` 1e-8; of f's size:
              interact, and one an input;            ``"2-point"`` 1e-5, ``"3-point"`` 1e-8
              ``"3-point"`` two and two
    ========  =====================================  ========================================

    Parameters
    ----------
    f : callable or None
        Called as ``f(x0, *args)``; returns one number.  None if `grad` or `terms` is there.
    x0 : array, number or nested structure
        A point at which f can be called.
    args : tuple, optional
        The other arguments.
    argnums : int or sequence of int, optional
        Which of ``(x0, *args)`` to differentiate by.
    grad : callable, optional
        The gradient, called as f; its elements in the structure of what varies.
    terms : callable, optional
        Called as f, returns numbers in any structure whose sum is f's: it has a sparse Jacobian.
    method : {"cs", "3-point", "2-point"}, optional
        Of the gradient's differences.  The complex step is chosen if a probe shows that the
        function takes complex numbers; else ``"2-point"``, and ``"3-point"`` for f alone.  With
        `terms` it is the step inside: the differences of the gradients are real.
    rel_step : float or array, optional
        Relative step of the real differences.
    bounds : pair of array_like, or scipy.optimize.Bounds, optional
        Real differences stay within.  Where an input has no room on both sides, an acyclic
        coloring and f alone take two points in place of three.
    pattern : sparse array, array_like, optional
        The sparsity pattern, if it is known; nothing is traced then.
    coloring : Coloring, optional
        Star or acyclic; its pattern is taken.
    kind : {"star", "acyclic"}, optional
        Entries are read from products directly, or by substitution: fewer colors, errors that
        can grow.
    order : str, optional
        As in `sparsetrace.coloring.color_star`.
    check : bool, optional
        At the first evaluation the curvature along a random direction is compared.
    **detection
        Keywords of `hessian_sparsity`: ``constants``, ``max_paths``, ``static_argnums``...

    Returns
    -------
    SparseHessian

    Raises
    ------
    TracingError
        If a dependency could be lost; see `hessian_sparsity`.
    InputError, OutputError
        If arguments or results hold no numbers, or keywords do not fit.
    VerificationError
        At the first evaluation, if the pattern lacks an entry.

    Notes
    -----
    Gebremedhin, Tarafdar, Pothen and Walther 2009, "Efficient computation of sparse Hessians
    using coloring and automatic differentiation".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.derivatives.hessian import sparse_hessian
    >>> def f(x):
    ...     return np.sum(x[1:] * x[:-1] ** 2)
    >>> def gradient(x):
    ...     result = np.zeros_like(x)
    ...     result[1:] = x[:-1] ** 2
    ...     result[:-1] += 2 * x[:-1] * x[1:]
    ...     return result
    >>> hessian = sparse_hessian(f, np.ones(4), grad=gradient)
    >>> hessian(np.arange(4.0)).toarray()
    array([[2., 0., 0., 0.],
           [0., 4., 2., 0.],
           [0., 2., 6., 4.],
           [0., 0., 4., 0.]])
    >>> hessian
    SparseHessian: 4 x 4, 9 entries, 3 colors, method 'cs'
    """
    return SparseHessian(
        f,
        (x0, *args),
        argnums=argnums,
        grad=grad,
        terms=terms,
        method=method,
        rel_step=rel_step,
        bounds=bounds,
        pattern=pattern,
        coloring=coloring,
        kind=kind,
        order=order,
        check=check,
        detection=detection,
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
        step = self._rel_step
        if step is None and self._is_coarse():
            step = OF_COARSE[self.method]
        return self._compression.data(self._gradient, x, self.method, step, self._bounds, value)

    def _is_coarse(self) -> bool:
        """Whether gradients are differences of values, too inexact for differences as usual."""
        return self._gradient is not None and self._gradient.noise > Gradient.noise

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
        rows, columns = self.rows, self.cols
        lower = np.flatnonzero(rows >= columns)
        values = np.empty(len(rows))
        values[lower] = second_differences(
            self._scalar, x, rows[lower], columns[lower], self.method, self._rel_step, self._bounds
        )
        upper = np.flatnonzero(rows < columns)
        values[upper] = values[transposed_places(self.coloring.pattern)[upper]]
        return values

    def _missing(self, x: Vector, matrix: csr_array) -> tuple[int, int] | None:
        if self._gradient is None or self._is_coarse():
            method = "3-point" if self._is_coarse() else self.method
            return first_missing_pair(self._scalar, x, matrix, method, self._bounds)
        return first_missing(self._gradient, x, matrix, self.method, self._bounds)

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
        check: bool = True,
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

    def _traced(self) -> Any:
        f, grad, terms = self._sources
        return traced_hessian(
            (f or terms,), grad if f or terms else None, self._flat, self._detection
        )

    def _scalar(self, x: Vector) -> Any:
        # where f is not given, the function is the sum of its terms
        return super()._scalar(x) if self._sources[0] else self._flat(x).sum()

    def _cost(self) -> str:
        if self._gradient is not None:
            return super()._cost()
        return f"{int((self.rows >= self.cols).sum())} pairs"


def sparse_lagrangian_hessian(
    f: Function | None,
    g: Function | None,
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    argnums: int | Sequence[int] = 0,
    grad: Function | None = None,
    terms: Function | None = None,
    jac: Function | None = None,
    method: Method | None = None,
    rel_step: ArrayLike | None = None,
    bounds: object | None = None,
    pattern: object | None = None,
    coloring: Coloring | None = None,
    kind: Literal["star", "acyclic"] = "star",
    order: str = "best",
    check: bool = True,
    lower: bool = False,
    **detection: Any,
) -> SparseLagrangianHessian:
    """The Hessian of ``objective_factor * f(x) + multipliers @ g(x)``, as a callable.

    The pattern is that of all multipliers together.  The gradient of the constraints' part comes
    from `jac`, or from a Jacobian of g with one call a color; that of f from `grad` or `terms`.
    Where f has neither, its own second derivatives come from values, one evaluation a pair; see
    `sparse_hessian` for their errors.

    Parameters
    ----------
    f : callable or None
        The objective; None for the constraints alone.
    g : callable or None
        The constraints, called as f; returns numbers in any structure.
    x0, args, argnums, grad, terms
        As for `sparse_hessian`.
    jac : callable, optional
        The Jacobian of g, called as g; returns a dense or sparse array of shape (m, n).
    method, rel_step, bounds, pattern, coloring, kind, order, check
        As for `sparse_hessian`.
    lower : bool, optional
        Return the lower triangle alone, as Ipopt takes it.
    **detection
        Keywords of `lagrangian_hessian_sparsity`.

    Returns
    -------
    SparseLagrangianHessian

    Raises
    ------
    TracingError, InputError, OutputError, VerificationError
        As for `sparse_hessian`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.derivatives.hessian import sparse_lagrangian_hessian
    >>> def f(x):
    ...     return x[0] * x[1]
    >>> def g(x):
    ...     return x[1:] ** 2
    >>> hessian = sparse_lagrangian_hessian(f, g, np.ones(3))
    >>> hessian(np.ones(3), [3.0, 5.0], objective_factor=2.0).toarray().round(6)
    array([[ 0.,  2.,  0.],
           [ 2.,  6.,  0.],
           [ 0.,  0., 10.]])
    """
    return SparseLagrangianHessian(
        f,
        g,
        (x0, *args),
        argnums=argnums,
        grad=grad,
        terms=terms,
        jac=jac,
        method=method,
        rel_step=rel_step,
        bounds=bounds,
        pattern=pattern,
        coloring=coloring,
        kind=kind,
        order=order,
        check=check,
        lower=lower,
        detection=detection,
    )


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
        check: bool = True,
        lower: bool = False,
        detection: dict[str, Any],
        **options: Any,
    ) -> None:
        source = f or terms or g or grad
        if source is None:
            raise InputError("there is neither an objective nor a constraint")
        if jac is not None and g is None:
            raise InputError("jac= is the Jacobian of g, which is None")
        self._sources, self._grad = (f or terms, g), grad
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
        self._weights: tuple[float, Vector | None] = (1.0, None)
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
    def __call__(
        self, x: Any, multipliers: Any = (), objective_factor: float = 1.0, *args: Any
    ) -> csr_array:
        """The Hessian of the Lagrangian at `x`, with every entry of the pattern."""
        matrix = self._matrix(self._weighted_values(x, multipliers, objective_factor, args))
        return lower_triangle(matrix) if self._lower else matrix

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
        return written(values[self._kept] if self._lower else values, out)

    def lower(
        self, x: Any, multipliers: Any = (), objective_factor: float = 1.0, *args: Any
    ) -> csr_array:
        """The lower triangle at `x`, with every entry of the pattern's."""
        return lower_triangle(self(x, multipliers, objective_factor, *args))

    def linear_operator(
        self, x: Any, multipliers: Any = (), objective_factor: float = 1.0, *args: Any
    ) -> LinearOperator:
        """The whole symmetric matrix at `x`, as a LinearOperator."""
        values = self._weighted_values(x, multipliers, objective_factor, args)
        return aslinearoperator(self._matrix(values))

    @property
    def rows(self) -> Vector:
        """The row of each entry, in the order of `data`."""
        return self._compression.rows[self._kept]

    @property
    def cols(self) -> Vector:
        """The column of each entry, in the order of `data`."""
        return self._compression.columns[self._kept]

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
    def _prepare(self, x: Vector) -> None:
        before = self._signature
        super()._prepare(x)
        if self._signature == before:
            return
        pattern, size = self.coloring.pattern, len(x)
        rows, columns = self._compression.rows, self._compression.columns
        self._kept = np.flatnonzero(rows >= columns) if self._lower else np.arange(pattern.nnz)
        if self._values_of_f is not None:
            self._values_of_f.take_from(self._flat, x)
            # both are in rows with sorted columns
            keys = rows.astype(np.int64) * size + columns
            wanted = self._values_of_f.rows.astype(np.int64) * size + self._values_of_f.cols
            self._places_of_f = np.searchsorted(keys, wanted)
            if not np.isin(wanted, keys).all():
                row, column = divmod(int(np.setdiff1d(wanted, keys)[0]), size)
                raise InputError(f"the pattern lacks entry ({row}, {column}) of the objective's")

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
            values = self._checked_values(point)
        if self._values_of_f is not None and factor:
            values[self._places_of_f] += factor * self._values_of_f.at_vector(point, self._flat)
        return values

    def _scalar(self, x: Vector) -> Any:
        """What the gradients are those of, without an objective that is known by values."""
        factor, weights = self._weights
        f, g = self._sources
        total: Any = 0.0
        if f is not None and self._values_of_f is None and factor:
            total = factor * self._value_of(f, x).sum()
        if g is not None:
            total = total + weights @ self._value_of(g, x)
        return total

    def _value_of(self, function: Function, x: Vector) -> Vector:
        before, self._flat.function = self._flat.function, function
        try:
            return self._flat(x)
        finally:
            self._flat.function = before

    def _missing(self, x: Vector, matrix: csr_array) -> tuple[int, int] | None:
        without_value = self._is_coarse() and self._sources[0] is None and self._grad is not None
        return None if without_value else super()._missing(x, matrix)


def gradient_of(
    grad: Function | None,
    terms: Function | None,
    flat: FlatFunction,
    method: Method | None,
    bounds: object | None,
    order: str,
    check: bool,
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
            return [function(*args) for function in given]

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

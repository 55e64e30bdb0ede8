"""`sparse_jacobian`: the Jacobian of a function as a function that returns a sparse array."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from sparsetrace.api.detection import jacobian_sparsity
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.coloring import Coloring, color_columns
from sparsetrace.coloring.recovery import row_ids
from sparsetrace.derivatives.direction_check import first_missing, takes_complex_numbers
from sparsetrace.derivatives.flat_function import FlatFunction, Vector, flattened
from sparsetrace.derivatives.methods import (
    COMPLEX_STEP,
    METHODS,
    Bounds,
    Method,
    checked_bounds,
    steps,
)
from sparsetrace.errors import InputError, OutputError, VerificationError

__all__ = ["SparseJacobian", "sparse_jacobian"]


def sparse_jacobian(
    f: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    argnums: int | Sequence[int] = 0,
    method: Method | None = None,
    rel_step: ArrayLike | None = None,
    bounds: object | None = None,
    vectorized: bool = False,
    pattern: object | None = None,
    coloring: Coloring | None = None,
    order: str = "best",
    check: bool = True,
    **detection: Any,
) -> SparseJacobian:
    """The Jacobian of a NumPy function as a callable that returns a sparse array.

    The pattern is traced and its columns are colored once; the function is then called once for
    each color (twice by ``"3-point"``, and once more for its value by ``"2-point"``).

    Parameters
    ----------
    f : callable
        Called as ``f(x0, *args)``; returns numbers in any structure.
    x0 : array, number or nested structure
        A point at which f can be called.
    args : tuple, optional
        The other arguments.
    argnums : int or sequence of int, optional
        Which of ``(x0, *args)`` to differentiate by.
    method : {"cs", "3-point", "2-point"}, optional
        The complex step is exact to rounding.  It is chosen if f takes complex numbers and gives
        the same derivative as real differences along two random directions; else ``"2-point"``.
    rel_step : float or array, optional
        Relative step of the real differences; `scipy.optimize.least_squares` has the same.
    bounds : pair of array_like, or scipy.optimize.Bounds, optional
        Real differences stay within.
    vectorized : bool, optional
        f takes a stack of points, shape (points, n), and returns an array of shape (points, m).
    pattern : sparse array, array_like, optional
        The sparsity pattern, if it is known; nothing is traced then.
    coloring : Coloring, optional
        Of columns; its pattern is taken.
    order : str, optional
        As in `sparsetrace.coloring.color_columns`.
    check : bool, optional
        At the first evaluation one call along a random direction is compared with the Jacobian.
    **detection
        Keywords of `jacobian_sparsity`: ``constants``, ``max_paths``, ``static_argnums``...

    Returns
    -------
    SparseJacobian

    Raises
    ------
    TracingError
        If a dependency could be lost; see `jacobian_sparsity`.
    InputError, OutputError
        If arguments or results hold no numbers, or keywords do not fit.

    Notes
    -----
    Curtis, Powell and Reid 1974, "On the estimation of sparse Jacobian matrices".

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> def f(x):
    ...     return x[1:] ** 2 - x[:-1]
    >>> jacobian = st.sparse_jacobian(f, np.ones(4))
    >>> jacobian(np.arange(4.0)).toarray()
    array([[-1.,  2.,  0.,  0.],
           [ 0., -1.,  4.,  0.],
           [ 0.,  0., -1.,  6.]])
    >>> jacobian
    SparseJacobian: 3 x 4, 6 entries, 2 colors, method 'cs'
    """
    return SparseJacobian(
        f,
        (x0, *args),
        argnums=argnums,
        method=method,
        rel_step=rel_step,
        bounds=bounds,
        vectorized=vectorized,
        pattern=pattern,
        coloring=coloring,
        order=order,
        check=check,
        detection=detection,
    )


class SparseJacobian:
    """The Jacobian of a function, from one call a color; made by `sparse_jacobian`.

    ``jacobian(x, *args)`` is a csr_array of shape (m, n).  Arguments that are left out are those
    of the call before.  Where shapes change, or values that a trace takes as they are, the
    function is traced and colored anew.
    """

    method: Method
    """How differences are taken."""
    coloring: Coloring
    """The coloring of columns."""

    def __init__(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        *,
        argnums: int | Sequence[int],
        method: Method | None,
        rel_step: ArrayLike | None,
        bounds: object | None,
        vectorized: bool,
        pattern: object | None,
        coloring: Coloring | None,
        order: str,
        check: bool,
        detection: dict[str, Any],
    ) -> None:
        if method is not None and method not in METHODS:
            raise InputError(f"method={method!r}: choose one of {', '.join(map(repr, METHODS))}")
        if coloring is not None and coloring.kind != "columns":
            raise InputError(f"differences need a coloring of columns, not {coloring.kind!r}")
        self._flat = FlatFunction(f, args, argnums)
        self._argnums = argnums
        self._wanted_method = method
        self._rel_step, self._given_bounds = rel_step, bounds
        self._vectorized = bool(vectorized)
        self._given_pattern, self._given_coloring = pattern, coloring
        self._order, self._check_wanted, self._detection = order, bool(check), detection
        self._signature: tuple[Any, ...] | None = None
        self._prepare(self._flat.take(args))

    # ------------------------------------------------------------- what is known beforehand
    def _prepare(self, x: Vector) -> None:
        """Pattern, coloring and method, if they are not those of arguments of these shapes."""
        signature = self._flat.signature()
        if signature == self._signature:
            return
        known = self._given_coloring
        if known is None:
            pattern = self._given_pattern
            if pattern is None:
                pattern = self._traced()
            known = color_columns(pattern, self._order)
        if known.pattern.shape[1] != len(x):
            raise InputError(
                f"the pattern has {known.pattern.shape[1]} columns, and there are {len(x)} inputs"
            )
        self.coloring = known
        self._bounds: Bounds | None = checked_bounds(self._given_bounds, len(x))
        rows, columns = row_ids(known.pattern), known.pattern.indices
        self._row_of_entry = rows
        # one product after the other: places in an array of shape (colors, m)
        self._places = known.column_colors[columns] * known.pattern.shape[0] + rows
        self._products = np.empty((known.num_colors, known.pattern.shape[0]))
        self._complex_moves = np.full(len(x), COMPLEX_STEP * 1j)
        self._signature = signature
        self._to_check = self._check_wanted
        if self._wanted_method is not None:
            self.method = self._wanted_method
        else:
            self.method = "cs" if takes_complex_numbers(self._call, x) else "2-point"

    def _traced(self) -> SparsityPattern:
        """The pattern at the arguments of the last call."""
        function = self._flat.function
        if self._vectorized:
            stacked = function

            def function(*args: Any) -> Any:
                return stacked(*(arg[None] if i in numbers else arg for i, arg in enumerate(args)))

            numbers = self._flat.argnums
        return jacobian_sparsity(
            function, *self._flat.args, argnums=self._argnums, **self._detection
        )

    # ------------------------------------------------------------------------- what users call
    def __call__(self, x: Any, *args: Any) -> csr_array:
        """The Jacobian at `x`, a csr_array with every entry of the pattern."""
        return self._matrix(self.data(x, *args))

    def value_and_jacobian(self, x: Any, *args: Any) -> tuple[Any, csr_array]:
        """What f returns at `x`, and the Jacobian there."""
        point = self._at(x, args)
        self._flat.calls += 1
        value = self._flat.result(point.copy()) if not self._vectorized else self._call(point)
        self._flat.calls -= not self._vectorized
        return value, self._matrix(self._data(point, flattened(value)))

    def data(self, x: Any, *args: Any, out: Vector | None = None) -> Vector:
        """The values of the pattern's entries at `x`, in rows, shape (nnz,).

        Parameters
        ----------
        out : array of shape (nnz,), optional
            Where to write them.
        """
        values = self._data(self._at(x, args), None)
        if out is None:
            return values
        if out.shape != values.shape:
            raise InputError(f"out has shape {out.shape}, not {values.shape}")
        out[...] = values
        return out

    def linear_operator(self, x: Any, *args: Any) -> LinearOperator:
        """The Jacobian at `x` with products from both sides, as a LinearOperator."""
        return aslinearoperator(self(x, *args))

    @property
    def pattern(self) -> SparsityPattern:
        """Where the Jacobian may differ from zero."""
        return SparsityPattern(self.coloring.pattern)

    @property
    def rows(self) -> Vector:
        """The row of each entry, in the order of `data`."""
        return self._row_of_entry

    @property
    def cols(self) -> Vector:
        """The column of each entry, in the order of `data`."""
        columns: Vector = self.coloring.pattern.indices
        return columns

    @property
    def nfev(self) -> int:
        """Points at which f was evaluated, without those of traces."""
        return self._flat.calls

    def __repr__(self) -> str:
        m, n = self.coloring.pattern.shape
        return (
            f"SparseJacobian: {m} x {n}, {self.coloring.pattern.nnz} entries, "
            f"{self.coloring.num_colors} colors, method {self.method!r}"
        )

    # ----------------------------------------------------------------------------- evaluation
    def _at(self, x: Any, args: tuple[Any, ...]) -> Vector:
        point = self._flat.take((x, *args))
        self._prepare(point)
        if np.iscomplexobj(point) and self.method == "cs":
            raise InputError("the complex step needs real inputs; choose method='3-point'")
        return point

    def _matrix(self, data: Vector) -> csr_array:
        pattern = self.coloring.pattern
        entries = (data, pattern.indices.copy(), pattern.indptr.copy())
        matrix = csr_array(entries, shape=pattern.shape)
        matrix.has_canonical_format = True
        return matrix

    def _call(self, x: Vector) -> Vector:
        """What the function returns at one point, in one dimension."""
        if not self._vectorized:
            return self._flat(x)
        values: Vector = self._stacked(x[None])[0]
        return values

    def _stacked(self, points: Vector) -> Vector:
        """The same at a stack of points, by one call."""
        self._flat.calls += len(points)
        args = list(self._flat.args)
        args[self._flat.argnums[0]] = points
        values = np.asarray(self._flat.function(*args))
        if values.ndim != 2 or len(values) != len(points):
            raise OutputError(
                f"with vectorized=True f takes points of shape {points.shape} and returns one row "
                f"each, not an array of shape {values.shape}"
            )
        return values

    def _data(self, x: Vector, value: Vector | None) -> Vector:
        exact = self.method == "cs"
        values = self._by_complex_step(x) if exact else self._by_differences(x, value)
        if self._to_check:
            self._to_check = False
            self._check(x, values)
        return values

    def _points(self, x: Vector, moves: Vector) -> Vector:
        """The function where the columns of each color are moved, shape (colors, m).

        Of the complex step, the imaginary parts.  The array is used again by the next call.
        """
        groups, m = self.coloring.groups, self.coloring.pattern.shape[0]
        imaginary = moves.dtype.kind == "c"
        base = x.astype(np.complex128) if imaginary else x
        if self._vectorized and groups:
            points = np.repeat(base[None], len(groups), axis=0)
            for color, group in enumerate(groups):
                points[color, group] += moves[group]
            values = self._sized(self._stacked(points), m)
            return values.imag if imaginary else values
        values = self._products
        for color, group in enumerate(groups):
            point = base.copy()
            point[group] += moves[group]
            result = self._sized(self._flat(point), m)
            if imaginary:
                result = result.imag
            elif result.dtype.kind == "c" and values.dtype.kind != "c":
                values = values.astype(np.complex128)
            values[color] = result
        return values

    @staticmethod
    def _sized(values: Vector, m: int) -> Vector:
        if values.shape[-1] != m:
            raise OutputError(
                f"the function returned {values.shape[-1]} numbers, and {m} when it was traced"
            )
        return values

    def _entries(self, products: Vector) -> Vector:
        values = np.empty(len(self._places), dtype=products.dtype)
        if len(values):
            np.take(products.reshape(-1), self._places, out=values, mode="clip")
        return values

    def _by_complex_step(self, x: Vector) -> Vector:
        with warnings.catch_warnings():
            # a buffer of real numbers would lose the derivative
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            values = self._entries(self._points(x, self._complex_moves))
        values /= COMPLEX_STEP
        return values

    def _by_differences(self, x: Vector, value: Vector | None) -> Vector:
        move = steps(x, self.method, self._rel_step, self._bounds)
        columns = self.coloring.pattern.indices
        one_sided = move.one_sided
        if value is None and (move.second is None or one_sided is not None):
            value = self._call(x.copy())
        first = self._points(x, move.first).copy()
        with np.errstate(divide="ignore", invalid="ignore"):
            if move.second is None:
                differences: Vector = self._entries(first - value) / move.first[columns]
                return differences
            second = self._points(x, move.second)
            differences = self._entries(first - second)
            if one_sided is not None:
                assert value is not None
                ahead = self._entries(4 * first - second) - 3 * value[self._row_of_entry]
                differences = np.where(one_sided[columns], ahead, differences)
            differences /= 2 * move.first[columns]
            return differences

    def _check(self, x: Vector, values: Vector) -> None:
        """Compare with one call along a random direction; name an entry that is missing."""
        missing = first_missing(self._call, x, self._matrix(values), self.method, self._bounds)
        if missing is None:
            return
        row, column = missing
        raise VerificationError(
            f"the Jacobian has no entry ({row}, {column}), but f changes there with the input: "
            "the pattern is not that of this function"
            + (" at this point." if self._detection.get("local") else ".")
            + " Leave pattern= and coloring= out, so that it is traced; local=True holds at one "
            "point alone."
        )

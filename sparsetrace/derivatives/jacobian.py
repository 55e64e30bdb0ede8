"""`sparse_jacobian`: the Jacobian of a function as a function that returns a sparse array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from sparsetrace.api.detection import jacobian_sparsity
from sparsetrace.api.options import JacobianOptions, refuse_unknown, takes
from sparsetrace.coloring import Coloring, color_columns
from sparsetrace.derivatives.check_schedule import Check
from sparsetrace.derivatives.direction_check import (
    Comparison,
    are_close,
    beside_within,
    compared,
    takes_complex_numbers,
)
from sparsetrace.derivatives.flat_function import FlatFunction, Vector, flattened, own
from sparsetrace.derivatives.methods import Method
from sparsetrace.derivatives.prepared import alone
from sparsetrace.derivatives.sparse_derivative import SparseDerivative
from sparsetrace.errors import InputError, OutputError, VerificationError
from sparsetrace.tracing.pytree import leaves, rebuilt

__all__ = ["SparseJacobian", "sparse_jacobian"]


@takes(JacobianOptions)
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
    out: object = None,
    pattern: object | None = None,
    coloring: Coloring | None = None,
    order: str = "best",
    check: Check = True,
    **detection: Unpack[JacobianOptions],
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
    out : array or nested arrays, optional
        For functions that fill an argument: f is called as ``f(x0, *args, out)``, each time with
        copies, which are complex where x0 is.
    pattern : sparse array, array_like, optional
        The sparsity pattern, if it is known; nothing is traced then.
    coloring : Coloring, optional
        Of columns; its pattern is taken.
    order : str, optional
        As in `sparsetrace.coloring.color_columns`.
    check : {True, False, "always"}, optional
        Compare the Jacobian with f along a random direction, by two calls: at the first
        evaluation, and so that checks take no more than one call in twenty; or always.  Where a
        complex step that was chosen by itself may lose imaginary parts elsewhere, it is always.
    **detection
        See `sparsetrace.api.options.JacobianOptions`.

    Returns
    -------
    SparseJacobian

    Raises
    ------
    TracingError
        If a dependency could be lost; see `jacobian_sparsity`.
    InputError, OutputError
        If arguments or results hold no numbers, or keywords do not fit.
    VerificationError
        At an evaluation, if a check shows that the pattern lacks an entry.

    Notes
    -----
    Curtis, Powell and Reid 1974, "On the estimation of sparse Jacobian matrices".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace import sparse_jacobian
    >>> def f(x):
    ...     return x[1:] ** 2 - x[:-1]
    >>> jacobian = sparse_jacobian(f, np.ones(4))
    >>> jacobian(np.arange(4.0)).toarray()
    array([[-1.,  2.,  0.,  0.],
           [ 0., -1.,  4.,  0.],
           [ 0.,  0., -1.,  6.]])
    >>> jacobian
    SparseJacobian: 3 x 4, 6 entries, 2 colors, method 'cs'
    """
    refuse_unknown(sparse_jacobian, JacobianOptions, detection)
    return SparseJacobian(
        f,
        (x0, *args),
        argnums=argnums,
        method=method,
        rel_step=rel_step,
        bounds=bounds,
        vectorized=vectorized,
        out=out,
        pattern=pattern,
        coloring=coloring,
        order=order,
        check=check,
        detection={**detection},
    )


class SparseJacobian(SparseDerivative):
    """The Jacobian of a function, from one call a color; made by `sparse_jacobian`.

    ``jacobian(x, *args)`` is a csr_array of shape (m, n).  Arguments that are left out are those
    of the call before.  Where shapes change, or values that a trace takes as they are, the
    function is traced and colored anew; so it is where such values change that it reads from
    elsewhere.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        *,
        argnums: int | Sequence[int] = 0,
        vectorized: bool = False,
        real_method: Method = "2-point",
        out: object = None,
        **options: Any,
    ) -> None:
        flat = FlatFunction(f, args, argnums)
        if out is not None:
            flat.function = partial(_filled, f, out)
        super().__init__(flat, ("columns",), **options)
        self._f, self._out = f, out
        self._vectorized = bool(vectorized)
        if self._vectorized and out is not None:
            raise InputError("vectorized=True takes a function that returns its results")
        if self._vectorized and not self._flat.is_plain:
            raise InputError(
                "vectorized=True takes one argument of shape (n,): f is given its points as the "
                "rows of one array"
            )
        self._real_method = real_method
        self._prepare(self._flat.take(args))

    @alone
    def value_and_jacobian(self, x: Any, *args: Any) -> tuple[Any, csr_array]:
        """What f returns at `x`, and the Jacobian there."""
        point = self._at(x, args)
        call = self._call if self._vectorized else self._flat.result
        # a copy, as the next calls may write into what this one returned
        value = own(call(point.copy()))
        return value, self._matrix(self._checked_values(point, flattened(value)))

    def at_vector(self, x: Vector, like: FlatFunction) -> csr_array:
        """The Jacobian at all elements that vary, with the arguments of another function."""
        self._flat.follow(like)
        self._prepare(x)
        return self._matrix(self._checked_values(x))

    # ------------------------------------------------------------- what is known beforehand
    def _traced(self) -> Any:
        function, numbers = self._f, self._flat.argnums
        if self._vectorized:
            stacked = function

            def function(*args: Any) -> Any:
                one = (arg[None] if i in numbers else arg for i, arg in enumerate(args))
                return _as_rows(stacked(*one), 1, "(1, n)")

        return jacobian_sparsity(
            function, *self._flat.args, argnums=numbers, out=self._out, **self._detection
        )

    def _colored(self, pattern: Any) -> Coloring:
        return color_columns(pattern, self._order)

    def _chosen_method(self, x: Vector) -> Method:
        return "cs" if takes_complex_numbers(self._call, x) else self._real_method

    # ----------------------------------------------------------------------------- evaluation
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
        return cast("Vector", _as_rows(values, len(points), f"{points.shape}"))

    def _values(self, x: Vector, value: Vector | None = None) -> Vector:
        return self._compression.data(
            self._call if self._vectorized else self._flat,
            x,
            self.method,
            self._rel_step,
            self._bounds,
            value,
            self._stacked if self._vectorized else None,
        )

    def _differentiated(self) -> Callable[[Vector], Vector]:
        return self._call

    def _check_functions(self, x: Vector) -> None:
        if self._vectorized:
            beside = x + beside_within(x, self._bounds)
            if not are_close(self._call(x.copy()).copy(), self._stacked(np.stack([x, beside]))[0]):
                raise VerificationError(
                    "with vectorized=True a row of the results has to depend on its own point "
                    "alone, and it is another one in a stack with other points"
                )

    def _compared(self, x: Vector, matrix: csr_array, seed: int) -> Comparison:
        return compared(self._call, x, matrix, self.method, self._bounds, seed)


def _filled(f: Callable[..., Any], out: object, *args: Any) -> Any:
    """What a function writes into a copy of `out`, which is complex if an argument is."""
    is_complex = any(np.iscomplexobj(leaf) for arg in args for leaf in leaves(arg))
    kinds: tuple[Any, ...] = (np.complex64,) if is_complex else ()
    target = rebuilt(out, lambda leaf: np.array(leaf, np.result_type(np.asarray(leaf), *kinds)))
    f(*args, target)
    return target


def _as_rows(values: Any, count: int, given: str) -> Any:
    """The results at a stack of points, if they are one row each."""
    if np.ndim(values) != 2 or len(values) != count:
        raise OutputError(
            f"with vectorized=True f takes points of shape {given} and returns one row each, "
            f"not an array of shape {np.shape(values)}"
        )
    return values

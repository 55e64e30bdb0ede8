"""`sparse_hessian` and `sparse_lagrangian_hessian`: Hessians as functions of the point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack

from numpy.typing import ArrayLike

from sparsetrace.api.options import HessianOptions, refuse_unknown, takes
from sparsetrace.coloring import Coloring
from sparsetrace.derivatives.check_schedule import Check
from sparsetrace.derivatives.lagrangian import SparseLagrangianHessian
from sparsetrace.derivatives.methods import Method
from sparsetrace.derivatives.symmetric import (
    Function,
    SparseHessian,
)

__all__ = [
    "SparseHessian",
    "SparseLagrangianHessian",
    "sparse_hessian",
    "sparse_lagrangian_hessian",
]


@takes(HessianOptions)
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
    check: Check = True,
    **detection: Unpack[HessianOptions],
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
    check : {True, False, "always"}, optional
        Compare the curvature along a random direction: at the first evaluation, and so that
        checks take no more than one call in twenty; or always.
    **detection
        See `sparsetrace.api.options.HessianOptions`.

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
        At an evaluation, if a check shows that the pattern lacks an entry.

    Notes
    -----
    Gebremedhin, Tarafdar, Pothen and Walther 2009, "Efficient computation of sparse Hessians
    using coloring and automatic differentiation".

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace import sparse_hessian
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
    SparseHessian: 4 x 4, 9 entries, 2 colors, method 'cs'
    """
    refuse_unknown(sparse_hessian, HessianOptions, detection)
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
        detection={**detection},
    )


@takes(HessianOptions)
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
    check: Check = True,
    lower: bool = False,
    **detection: Unpack[HessianOptions],
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
        See `sparsetrace.api.options.HessianOptions`.

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
    >>> from sparsetrace import sparse_lagrangian_hessian
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
    refuse_unknown(sparse_lagrangian_hessian, HessianOptions, detection)
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
        detection={**detection},
    )

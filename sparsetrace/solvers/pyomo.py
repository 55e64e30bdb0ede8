"""Pyomo's external grey-box model (PyNumero): a function of arrays inside of a Pyomo model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_matrix

from sparsetrace.derivatives.flat_function import Vector, flattened
from sparsetrace.derivatives.hessian import sparse_lagrangian_hessian
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.errors import InputError
from sparsetrace.solvers.keywords import (
    Sparsity,
    as_vector,
    hessian_keywords,
    jacobian_keywords,
    missing_package,
)

__all__ = ["grey_box"]


def grey_box(
    g: Callable[..., Any],
    x0: ArrayLike,
    *,
    outputs: bool = False,
    args: tuple[Any, ...] = (),
    input_names: Sequence[str] | None = None,
    result_names: Sequence[str] | None = None,
    sparsity: Sparsity = None,
) -> Any:
    """An `ExternalGreyBoxModel` of the equations ``g(x) == 0``, or of the outputs ``g(x)``.

    Parameters
    ----------
    g : callable
        Called as ``g(x, *args)``; returns numbers in any structure.
    x0 : array_like
        Where g is traced, shape (n,); the first values of the inputs.
    outputs : bool, optional
        What g returns are variables of the Pyomo model, rather than equations.
    args : tuple, optional
        The other arguments.
    input_names, result_names : sequence of str, optional
        ``x0, x1...`` and ``g0, g1...`` by default.
    sparsity : mapping, optional
        Keywords of `sparse_jacobian`; those that `sparse_lagrangian_hessian` knows are passed to
        it, too.

    Returns
    -------
    pyomo.contrib.pynumero.interfaces.external_grey_box.ExternalGreyBoxModel
        For ``ExternalGreyBoxBlock(external_model=...)``; with Jacobian and Hessians.

    Raises
    ------
    ImportError
        If pyomo is not installed: ``pip install 'sparsetrace[pyomo]'``.
    TracingError
        If a dependency could be lost.
    InputError
        If there are more names than inputs or results, or fewer.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.solvers import grey_box
    >>> box = grey_box(lambda x: x[1:] ** 2 - x[:-1], np.ones(3))  # doctest: +SKIP
    >>> box.input_names(), box.equality_constraint_names()  # doctest: +SKIP
    (['x0', 'x1', 'x2'], ['g0', 'g1'])
    """
    try:
        from pyomo.contrib.pynumero.interfaces import external_grey_box
    except ImportError:
        raise missing_package("pyomo", "pyomo") from None
    start, keywords = as_vector(x0), dict(sparsity or {})
    own = jacobian_keywords(keywords, pattern=True)
    jacobian = sparse_jacobian(g, start, args, **own)
    hessian = sparse_lagrangian_hessian(
        None, g, start, args, lower=True, **hessian_keywords(keywords)
    )
    m, n = jacobian.pattern.shape
    columns = _names("input_names", input_names, "x", n)
    rows = _names("result_names", result_names, "g", m)

    class GreyBox(external_grey_box.ExternalGreyBoxModel):  # type: ignore[misc]  # no types
        """What Pyomo asks of the function."""

        def __init__(self) -> None:
            super().__init__()
            self._x: Vector = start
            self._multipliers: Vector = np.zeros(m)

        def input_names(self) -> list[str]:
            return columns

        def equality_constraint_names(self) -> list[str]:
            return [] if outputs else rows

        def output_names(self) -> list[str]:
            return rows if outputs else []

        def finalize_block_construction(self, pyomo_block: Any) -> None:
            for name, value in zip(columns, start, strict=True):
                pyomo_block.inputs[name].set_value(float(value))

        def set_input_values(self, input_values: Vector) -> None:
            self._x = np.array(input_values, np.float64)

        def _set_multipliers(self, values: Vector) -> None:
            self._multipliers = np.array(values, np.float64)

        def _values(self) -> Vector:
            return flattened(g(self._x.copy(), *args)).copy()

        def _jacobian(self) -> coo_matrix:
            entries = jacobian.data(self._x, *args), (jacobian.rows, jacobian.cols)
            return coo_matrix(entries, shape=(m, n))

        def _hessian(self) -> coo_matrix:
            data = hessian.data(self._x, self._multipliers, 0.0, *args)
            return coo_matrix((data, (hessian.rows, hessian.cols)), shape=(n, n))

        # Pyomo asks which of these there are
        if outputs:
            set_output_constraint_multipliers = _set_multipliers
            evaluate_outputs = _values
            evaluate_jacobian_outputs = _jacobian
            evaluate_hessian_outputs = _hessian
        else:
            set_equality_constraint_multipliers = _set_multipliers
            evaluate_equality_constraints = _values
            evaluate_jacobian_equality_constraints = _jacobian
            evaluate_hessian_equality_constraints = _hessian

    return GreyBox()


def _names(keyword: str, names: Sequence[str] | None, letter: str, size: int) -> list[str]:
    if names is None:
        return [f"{letter}{i}" for i in range(size)]
    if len(names) != size:
        raise InputError(f"{keyword} has {len(names)} names, and there are {size}")
    return list(names)

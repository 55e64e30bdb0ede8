"""`check_derivatives`: a Jacobian or Hessian against differences that know nothing of it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from sparsetrace.derivatives.direction_check import Function, direction
from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.methods import Bounds
from sparsetrace.derivatives.sparse_derivative import SparseDerivative
from sparsetrace.errors import InputError, VerificationError

__all__ = ["check_derivatives"]

_FIRST_STEP, _SHRINK, _LEVELS = 2.0**-4, 4.0, 6
_SURE = 10.0
"""Times the error that the differences show among themselves."""


def check_derivatives(
    derivative: SparseDerivative,
    x: Any,
    *args: Any,
    method: Literal["matvec", "dense"] = "matvec",
    num_probes: int = 3,
    seed: int = 0,
    rtol: float | None = None,
    atol: float = 0.0,
) -> float:
    """Compare a sparse derivative with extrapolated real differences of its function.

    Parameters
    ----------
    derivative : SparseJacobian, SparseHessian or SparseLagrangianHessian
        Of a Hessian the differences are those of its gradient; where f is known by values alone,
        each gradient takes n calls.
    x, *args
        What the derivative is called with.
    method : {"matvec", "dense"}
        Products with random vectors, 13 calls each; or every column on its own.
    num_probes : int
        How many random vectors.
    seed : int
        Of the random vectors.
    rtol, atol : float
        Of each element of a product, `rtol` relative to the sum of the sizes of what is added,
        beyond the error that the differences show among themselves.  By default 1e-6 for the
        complex step and three points, 1e-4 for two and for second differences of values (1e-2
        for both).  Where the derivative itself is a real difference, its errors are relative to
        the whole row and to the function's value.

    Returns
    -------
    float
        The largest difference, relative to that size.

    Raises
    ------
    VerificationError
        If an element differs by more; it names the worst one.
    InputError
        If `derivative` is no derivative of this package, or `method` is unknown.

    Notes
    -----
    Richardson 1911: central differences with steps 1/16, 1/64, ..., extrapolated to step 0, of
    which each element takes what changes least.  Where they do not settle, as beside a kink, an
    element is not judged.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace import check_derivatives, sparse_jacobian
    >>> jacobian = sparse_jacobian(lambda x: np.sin(x[1:] * x[:-1]), np.ones(5))
    >>> bool(check_derivatives(jacobian, np.arange(5.0)) < 1e-9)
    True
    """
    if not isinstance(derivative, SparseDerivative):
        raise InputError(f"a derivative of this package is needed, not {type(derivative).__name__}")
    if method not in ("matvec", "dense"):
        raise InputError(f"method={method!r}: choose 'matvec' or 'dense'")
    with derivative._lock:
        return _checked(derivative, x, args, method, num_probes, seed=seed, rtol=rtol, atol=atol)


def _checked(
    derivative: SparseDerivative,
    x: Any,
    args: tuple[Any, ...],
    method: str,
    num_probes: int,
    *,
    seed: int,
    rtol: float | None,
    atol: float,
) -> float:
    """The worst error, if it is small enough."""
    point, matrix, function = derivative._to_compare(x, args)
    bounds = derivative._bounds
    if not all(matrix.shape):
        return 0.0
    if method == "dense":
        vectors = (_unit(point, column) for column in range(len(point)))
    else:
        vectors = (direction(point, [seed, probe]) for probe in range(num_probes))
    scale = derivative._error_scale(point)
    if rtol is None:
        rtol = 1e-4 if scale or derivative.method == "2-point" else 1e-6
        if scale and derivative.method == "2-point":
            rtol = 1e-2
    floor = np.zeros(matrix.shape[0])
    if scale or derivative.method != "cs":
        floor = (
            scale + abs(matrix) @ np.maximum(1.0, np.abs(point)) + np.abs(function(point.copy()))
        )
        if derivative.coloring.kind == "acyclic":
            # by substitution the errors of one row get into others
            floor = np.maximum(floor, floor.max())
    entries = csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
    worst, where, most = 0.0, None, 0.0
    for vector in vectors:
        v = _inside(point, vector, bounds)
        errors, wrong = _errors(function, point, matrix, v, floor, rtol, atol)
        worst = max(worst, float(errors.max()))
        # an entry that is not there makes others wrong, which are recovered without it
        blame = np.where(wrong, np.where(entries @ np.abs(v) == 0, np.inf, errors), 0.0)
        row = int(np.argmax(blame))
        if blame[row] > most:
            where, most = (row, v), float(blame[row])
    if where is not None:
        raise VerificationError(_message(derivative, function, point, matrix, *where, worst))
    return worst


def _unit(x: Vector, column: int) -> Vector:
    vector = np.zeros(len(x))
    vector[column] = max(1.0, abs(x[column]))
    return vector


def _inside(x: Vector, v: Vector, bounds: Bounds | None) -> Vector:
    """The direction, shortened where its largest step would leave the bounds."""
    if bounds is None:
        return v
    room = np.maximum(np.minimum(x - bounds[0], bounds[1] - x), 0.0) / _FIRST_STEP
    result: Vector = np.clip(v, -room, room)
    return result


def _errors(
    function: Function,
    x: Vector,
    matrix: csr_array,
    v: Vector,
    floor: Vector,
    rtol: float,
    atol: float,
) -> tuple[Vector, Vector]:
    """Of each row the relative error of its product, and whether that is certainly too much."""
    with np.errstate(all="ignore"):
        derivative, doubt, finest = _extrapolated(function, x, v)
        difference = np.abs(derivative - matrix @ v)
        size = np.maximum(abs(matrix) @ np.abs(v), np.abs(derivative))
        size = np.maximum(size, floor)
        judged = np.isfinite(difference) & np.isfinite(doubt)
        allowed = rtol * size + atol + _SURE * doubt
        # the finest step alone says so, too: the coarse ones may lie beyond a jump
        wrong = judged & (difference > allowed) & (np.abs(finest - matrix @ v) > allowed)
        sure = judged & (wrong | (doubt <= rtol * size))
        errors = np.where(sure & (size > 0), difference / np.where(size > 0, size, 1.0), 0.0)
    return errors, wrong


def _extrapolated(function: Function, x: Vector, v: Vector) -> tuple[Vector, Vector, Vector]:
    """The derivative along a direction, its doubt, and that of the finest step alone.

    The doubt is how far the estimates next to it lie.
    """
    best, doubt = None, None
    before: list[Vector] = []
    step, bends = _FIRST_STEP, []
    base = function(x.copy()).copy()
    for _ in range(_LEVELS):
        ahead, behind = function(x + step * v).copy(), function(x - step * v)
        bends.append(np.abs(ahead - base + (behind - base)) / step)
        row = [(ahead.astype(np.result_type(ahead, np.float64)) - behind) / (2 * step)]
        # rounding, which smaller steps make larger
        noise = 4 * np.finfo(np.float64).eps * (np.abs(ahead) + np.abs(behind)) / step
        for level, coarser in enumerate(before, 1):
            factor = _SHRINK ** (2 * level)
            row.append((factor * row[-1] - coarser) / (factor - 1))
            change = np.abs(row[-1] - row[-2]) + np.abs(row[-1] - coarser) + noise
            if best is None or doubt is None:
                best, doubt = row[-1], change
            else:
                better = ~(change >= doubt)
                best, doubt = np.where(better, row[-1], best), np.where(better, change, doubt)
        before = row
        step /= _SHRINK
    assert best is not None
    assert doubt is not None
    # at a kink the slopes on both sides differ, however small the step is
    kinked = (bends[-1] > bends[-2] / 2) & (bends[-1] > _SURE * noise)
    return best, np.where(kinked, np.inf, doubt), before[0]


def _message(
    derivative: SparseDerivative,
    function: Function,
    x: Vector,
    matrix: csr_array,
    row: int,
    v: Vector,
    worst: float,
) -> str:
    """What is wrong, with the input that most of the difference in this row comes from."""

    def mismatch(columns: Vector) -> tuple[float, float, float]:
        part = np.zeros(len(x))
        part[columns] = v[columns]
        with np.errstate(all="ignore"):
            value = _extrapolated(function, x, part)[0][row]
        ours = (matrix @ part)[row]
        return abs(value - ours), value, ours

    columns = np.arange(len(x))
    while len(columns) > 1:
        columns = max(np.array_split(columns, 2), key=lambda half: mismatch(half)[0])
    column = int(columns[0])
    _, value, ours = mismatch(columns)
    scale = v[column] or 1.0
    entries = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
    known = f"{ours / scale:.6g}" if column in entries else "no entry"
    return (
        f"{type(derivative).__name__}: the worst entry is ({row}, {column}): {known}, and "
        f"differences give {value / scale:.6g} (relative error of row {row}: {worst:.1e}). Where "
        "the function is smooth there, its pattern or its gradient is wrong; rtol= and atol= say "
        "how much is allowed."
    )

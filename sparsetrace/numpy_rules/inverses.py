"""Rules of solutions, inverses and determinants, as tight as the zeros of the matrix allow.

Contract: element (i, j) of an inverse is zero for every value of the other elements if
no path leads from i to j in the matrix's graph, once its rows are permuted so that no
diagonal element is zero (Duff, Erisman & Reid, "Direct Methods for Sparse Matrices",
2017, chapter 15).  Zeros are constants; whatever is traced counts as non-zero.

``solve(tril(1), [{0}, {1}])  ->  [{0}, {0, 1}]``
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.graph.interactions import bend, interact, multiply
from sparsetrace.numpy_rules.contraction import Factor, contract, flat_batch
from sparsetrace.operands import ufunc_reductions
from sparsetrace.operands.operands import FLOAT, Elements, dtype_of
from sparsetrace.operands.registry import rule_for

__all__ = ["Mask", "inverse_structure", "structural_rank", "within_blocks"]

Mask = NDArray[np.bool_]


# -------------------------------------------------------------------- structure
def inverse_structure(mask: Mask) -> Mask:
    """Which elements of the inverse may be non-zero, for a matrix that is so at `mask`.

    Examples
    --------
    >>> inverse_structure(np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], bool)).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 0, 1]])
    """
    if mask.all():
        return mask
    n = len(mask)
    if mask.diagonal().all():
        return _closure(mask)
    rows = maximum_bipartite_matching(csr_array(mask), perm_type="row")
    if (rows < 0).any():  # singular whatever the values are
        return np.ones((n, n), bool)
    found = np.empty((n, n), bool)
    found[:, rows] = _closure(mask[rows])
    return found


def structural_rank(mask: Mask) -> int:
    """The rank of a matrix that is non-zero at `mask`, for most values of its elements.

    Examples
    --------
    >>> structural_rank(np.array([[1, 1, 1], [1, 0, 0], [1, 0, 0]], bool))
    2
    """
    if mask.all():
        return min(len(mask), len(mask.T))
    return len(np.flatnonzero(maximum_bipartite_matching(csr_array(mask)) >= 0))


def _closure(mask: Mask) -> Mask:
    """Paths in a graph with a loop at every node."""
    count, label = connected_components(csr_array(mask), connection="strong")
    if count == 1:
        return np.ones(mask.shape, bool)
    between = np.zeros((count, count), np.float32)
    row, column = np.nonzero(mask)
    between[label[row], label[column]] = 1
    while True:
        further = np.minimum(between @ between, 1)
        if (further == between).all():
            break
        between = further
    reached: Mask = between[label[:, None], label] > 0
    return reached


def _nonzero(trace: Trace, x: Factor) -> Mask:
    """Where an operand may be non-zero."""
    if not trace.values:
        return np.ones(x.shape, bool)
    mask: Mask = np.zeros(x.shape, bool)
    if x.values is not None:
        mask |= x.values != 0
    if x.ids is not None:
        mask |= x.ids > OPAQUE if trace.local else ~trace.graph.zeros_among(x.ids)
    return mask


def _structures(trace: Trace, matrices: Factor) -> Mask:
    """The structure of the inverse of each matrix of a batch."""
    mask = _nonzero(trace, matrices)
    if mask.all():
        return mask
    known: dict[bytes, Mask] = {}
    found = []
    for one in mask:
        key = one.tobytes()
        if key not in known:
            known[key] = inverse_structure(one)
        found.append(known[key])
    return np.stack(found)


def within_blocks(trace: Trace, a: Any) -> Ids:
    """The elements on a cycle, which eigenvalues depend on; opaque in place of the others."""
    matrices = Factor.of(trace, a)
    (flat,) = _as_batch(matrices.shape[:-2], matrices)
    assert flat.ids is not None
    mask = _nonzero(trace, flat) | np.eye(flat.shape[-1], dtype=bool)
    if mask.all():
        return flat.ids.reshape(matrices.shape)
    reached = np.stack([_closure(one) for one in mask])
    trace.graph.pure = False
    mutual = reached & reached.swapaxes(1, 2)
    return np.where(mutual, flat.ids, np.int32(OPAQUE)).reshape(matrices.shape)


def _constant(trace: Trace, structure: Mask, values: NDArray[Any] | None = None) -> Factor:
    """The inverse's structure as a constant operand; unit values where none are given."""
    if values is None:
        return Factor(trace, None, structure.astype(float), FLOAT)
    tiny = np.finfo(float).tiny
    shown = np.where(structure, np.where(values == 0, tiny, values), 0)
    return Factor(trace, None, shown, shown.dtype)


def _spread(trace: Trace, structure: Mask, ids: Ids) -> Ids:
    """``out[i, c]`` unites the ``ids[k, c]`` for which ``structure[i, k]``."""
    return contract(
        trace, _constant(trace, structure), Factor(trace, ids, _ones(trace, ids), FLOAT)
    )


def _ones(trace: Trace, ids: Ids) -> NDArray[Any] | None:
    return np.ones(ids.shape) if trace.local else None


# -------------------------------------------------------------------- solutions
def _solved(trace: Trace, matrices: Factor, sides: Factor) -> Ids:
    """``(B, n, n)`` and ``(B, n, m)`` -> ``(B, n, m)``."""
    structure = _structures(trace, matrices)
    if matrices.ids is None:
        values = np.linalg.inv(matrices.values)  # type: ignore[arg-type]
        return contract(trace, _constant(trace, structure, values), sides)
    # equation k: sum_l a[k, l] x[l] = b[k], where an x[l] that is zero has no coefficient
    some: Mask = np.matmul(structure, _nonzero(trace, sides))
    rows = contract(trace, Factor(trace, matrices.ids, None, FLOAT), _constant(trace, some))
    opaque = np.full(sides.shape, OPAQUE, np.int32)
    equations = trace.graph.union(rows, opaque if sides.ids is None else sides.ids)
    found = _from_equations(trace, structure, matrices.ids, np.maximum(equations, OPAQUE))
    return found if some.all() else np.where(some, found, np.int32(ZERO))


def _from_equations(trace: Trace, structure: Mask, matrices: Ids, equations: Ids) -> Ids:
    """Each unknown depends on the equations that the inverse's row has."""
    solution = _spread(trace, structure, equations)
    if not trace.second_order:
        return solution
    # an equation multiplies its coefficients with the unknowns
    nonlinear = multiply(trace.graph, equations, matrices, solution)
    return _spread(trace, structure, nonlinear)


def _as_batch(lead: tuple[int, ...], *factors: Factor) -> list[Factor]:
    return [flat_batch(factor, lead) for factor in factors]


@rule_for(np.linalg.solve)
def _solve(trace: Trace, a: Any, b: Any) -> Elements:
    return _solution(trace, Factor.of(trace, a), Factor.of(trace, b), _kind(a, b))


def _solution(trace: Trace, matrices: Factor, sides: Factor, kind: np.dtype[Any]) -> Elements:
    shape = sides.shape
    vector = len(sides.shape) == 1
    if vector:
        sides = sides.moved(lambda data: data[:, None])
    if len(matrices.shape) < 2 or matrices.shape[-1] != matrices.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if matrices.shape[-1] != sides.shape[-2]:
        raise ValueError(
            f"solve: Input operand 1 has a mismatch in its core dimension 0, with shapes "
            f"{matrices.shape} and {shape}"
        )
    lead = np.broadcast_shapes(matrices.shape[:-2], sides.shape[:-2])
    n, m = sides.shape[-2:]
    found = _solved(trace, *_as_batch(lead, matrices, sides))
    size = prod(lead)
    ids = np.broadcast_to(found, (size, n, m)).reshape((*lead, n, m)).copy()
    if ids.size and ids.min() <= OPAQUE:
        trace.graph.pure = False
    return Elements(ids[..., 0] if vector else ids, kind)


@rule_for(np.linalg.tensorsolve)
def _tensorsolve(trace: Trace, a: Any, b: Any, axes: Any = None) -> Elements:
    """The equations of all of b's elements, with the named axes of a moved to its end."""
    tensor, side = Factor.of(trace, a), Factor.of(trace, b)
    order = list(range(len(tensor.shape)))
    for axis in axes or ():
        order.remove(axis)
        order.append(axis)
    tensor = tensor.moved(lambda data: data.transpose(order))
    shape = tensor.shape[len(side.shape) - len(order) :]
    n = prod(shape)
    if prod(tensor.shape) != n**2:
        raise np.linalg.LinAlgError("tensorsolve: prod(a.shape[b.ndim:]) must be the rest's")
    matrix = tensor.moved(lambda data: data.reshape(n, n))
    found = _solution(trace, matrix, side.moved(np.ravel), _kind(a, b))
    return Elements(found.ids.reshape(shape), found.dtype, keep_array=True)


def _kind(*operands: Any) -> np.dtype[Any]:
    kind = np.result_type(*map(dtype_of, operands))
    return kind if kind.kind in "fc" else FLOAT


@rule_for(np.linalg.tensorinv)
def _tensorinv(trace: Trace, a: Any, ind: int = 2) -> Elements:
    tensor = Factor.of(trace, a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    left, right = tensor.shape[:ind], tensor.shape[ind:]
    matrix = tensor.moved(lambda data: data.reshape(prod(right), -1))
    return Elements(_inverse(trace, matrix).reshape((*right, *left)), _kind(a))


@rule_for(np.linalg.inv)
def _inv(trace: Trace, a: Any) -> Elements:
    return Elements(_inverse(trace, Factor.of(trace, a)), _kind(a))


def _inverse(trace: Trace, matrices: Factor) -> Ids:
    shape = matrices.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    (flat,) = _as_batch(shape[:-2], matrices)
    assert flat.ids is not None
    structure = _structures(trace, flat)
    # equation k of column c has the coefficients that meet an element of the inverse
    equations = contract(trace, Factor(trace, flat.ids, None, FLOAT), _constant(trace, structure))
    ids = _from_equations(trace, structure, flat.ids, np.maximum(equations, OPAQUE))
    if not structure.all():
        trace.graph.pure = False
        ids = np.where(structure, ids, np.int32(ZERO))
    return ids.reshape(shape)


# ----------------------------------------------------------------- determinants
def _counting(trace: Trace, a: Any) -> Ids:
    """The elements that the determinant depends on; opaque in place of the others.

    A matrix that is singular for all values has a determinant of zero.
    """
    matrices = Factor.of(trace, a)
    shape = matrices.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    (flat,) = _as_batch(shape[:-2], matrices)
    assert flat.ids is not None
    structure = _structures(trace, flat).swapaxes(1, 2)
    mask = _nonzero(trace, flat)
    if not trace.dependency and not mask.all():
        regular = np.array([structural_rank(one) == shape[-1] for one in mask])
        structure = structure & regular[:, None, None]
    if structure.all():
        return flat.ids.reshape(shape)
    trace.graph.pure = False
    return np.where(structure, flat.ids, np.int32(OPAQUE)).reshape(shape)


def _all_of(trace: Trace, ids: Ids) -> Ids:
    return trace.graph.union_rows(ids.reshape((*ids.shape[:-2], prod(ids.shape[-2:]))))


@rule_for(np.linalg.det)
def _det(trace: Trace, a: Any) -> Elements:
    """Linear in each row and in each column: no element meets one of its own row or column."""
    ids = _counting(trace, a)
    n = ids.shape[-1]
    total = _all_of(trace, ids)
    if trace.second_order and n > 1:
        # all rows below, column by column; then without the element's own column
        below = ufunc_reductions.prefix_unions(trace, ids[..., ::-1, :], ids.ndim - 2)[..., ::-1, :]
        left = ufunc_reductions.prefix_unions(trace, below, ids.ndim - 1)
        right = ufunc_reductions.prefix_unions(trace, below[..., ::-1], ids.ndim - 1)[..., ::-1]
        met = []
        for i, j in np.ndindex(n - 1, n):
            if j > 0:
                met.append((ids[..., i, j], left[..., i + 1, j - 1]))
            if j < n - 1:
                met.append((ids[..., i, j], right[..., i + 1, j + 1]))
        total = interact(trace.graph, total, met, cut=trace.local)
    if total.size and total.min() <= OPAQUE:
        trace.graph.pure = False
    return Elements(total, _kind(a))


def _sum_of_blocks(trace: Trace, a: Any, total: Ids) -> Ids:
    """The logarithm: each strongly connected block by itself, nonlinearly."""
    (flat,) = _as_batch(np.shape(a)[:-2], Factor.of(trace, a))
    assert flat.ids is not None
    structure = _structures(trace, flat)
    if structure.all():
        return bend(trace.graph, total)
    sums = []
    for ids, one in zip(flat.ids, np.broadcast_to(structure, flat.shape), strict=True):
        _, block = np.unique(one, axis=0, return_inverse=True)
        counting = np.where(one.T, ids, np.int32(OPAQUE))
        parts = [counting[:, block.reshape(-1) == i].reshape(-1) for i in range(block.max() + 1)]
        blocks = np.array([trace.graph.union_rows(part[None])[0] for part in parts], np.int32)
        sums.append(trace.graph.union_rows(bend(trace.graph, blocks)[None])[0])
    return np.array(sums, np.int32).reshape(total.shape)


@rule_for(np.linalg.slogdet)
def _slogdet(trace: Trace, a: Any) -> Any:
    """The sign has no derivative, unless it is a complex phase."""
    total = _all_of(trace, _counting(trace, a))
    if trace.second_order:
        total = _sum_of_blocks(trace, a, total)
    kind = _kind(a)
    signs = total
    if not trace.dependency and kind.kind != "c":
        trace.graph.pure = False
        signs = np.full(total.shape, OPAQUE, np.int32)
    sample = np.linalg.slogdet(np.eye(1))
    real = np.empty(0, kind).real.dtype
    parts: Any = (Elements(signs, kind), Elements(total, real))
    return type(sample)(*parts)

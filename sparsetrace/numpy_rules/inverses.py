"""Rules of solutions, inverses and determinants, as tight as the zeros of the matrix allow.

Contract: matrices are read as `square_systems` describes them: by their elements that are
not zero for all inputs, whose zeros decide what solutions depend on.  A determinant depends
on the elements that lie within a component, as all others have a cofactor of zero.

``solve(tril(1), [{0}, {1}])  ->  [{0}, {0, 1}]``
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.graph.graph import ZERO, Ids
from sparsetrace.graph.interactions import interact, interact_all
from sparsetrace.numpy_rules import square_systems
from sparsetrace.numpy_rules.block_triangular import Mask
from sparsetrace.numpy_rules.contraction import Factor, flat_batch
from sparsetrace.numpy_rules.square_systems import SquareMatrices
from sparsetrace.operands.operands import Elements, float_dtype
from sparsetrace.operands.prefixes import prefix_unions
from sparsetrace.operands.registry import rule_for

__all__ = ["square_batch"]


def square_batch(a: Factor) -> Factor:
    """Square matrices with one axis for the batch.

    Raises
    ------
    numpy.linalg.LinAlgError
        If they are not square.
    """
    if len(a.shape) < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return flat_batch(a, a.shape[:-2])


# -------------------------------------------------------------------- solutions
@rule_for(np.linalg.solve)
def _solve(trace: Trace, a, b) -> Elements:
    return _solution(trace, Factor.of(trace, a), Factor.of(trace, b), float_dtype(a, b))


def _solution(trace: Trace, a: Factor, b: Factor, dtype: np.dtype[Any]) -> Elements:
    vector = len(b.shape) == 1
    sides = b.moved(lambda data: data[:, None]) if vector else b
    matrices = square_batch(a)
    n, k = sides.shape[-2:]
    if matrices.shape[-1] != n:
        raise ValueError(
            f"solve: Input operand 1 has a mismatch in its core dimension 0, with shapes "
            f"{a.shape} and {b.shape}"
        )
    lead = np.broadcast_shapes(a.shape[:-2], sides.shape[:-2])
    matrices, sides = flat_batch(a, lead), flat_batch(sides, lead)
    structure = SquareMatrices.of(matrices)
    ids = square_systems.solutions(trace, structure, sides)
    if matrices.ids is None and not trace.local:
        ids = _with_known(trace, ids, matrices, structure, sides)
    ids = np.array(np.broadcast_to(ids, (prod(lead), n, k)).reshape((*lead, n, k)))
    return Elements(ids[..., 0] if vector else ids, dtype)


def _with_known(
    trace: Trace, ids: Ids, matrices: Factor, structure: SquareMatrices, sides: Factor
) -> Ids:
    """Solutions with the values of those that follow from constants alone.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a matrix is singular.
    """
    assert matrices.values is not None
    unknown = sides.unknown()
    if unknown.all():
        if not structure.components.triangular:
            np.linalg.solve(matrices.values, np.zeros((matrices.shape[-1], 1)))
        return ids
    known = structure.beside(sides.known())
    values = np.linalg.solve(matrices.values, known.reshape(*matrices.shape[:2], known.shape[1]))
    values = structure.apart(values, ids.shape)
    certain = ~square_systems.affected(structure, unknown) & (ids != ZERO)
    out = np.array(ids)
    out[certain] = trace.graph.constant(values[certain])
    return out


@rule_for(np.linalg.tensorsolve)
def _tensorsolve(trace: Trace, a, b, axes) -> Elements:
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
    solution = _solution(trace, matrix, side.moved(np.ravel), float_dtype(a, b))
    return Elements(solution.ids.reshape(shape), solution.dtype, keep_array=True)


@rule_for(np.linalg.tensorinv)
def _tensorinv(trace: Trace, a, ind) -> Elements:
    tensor = Factor.of(trace, a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    left, right = tensor.shape[:ind], tensor.shape[ind:]
    matrix = tensor.moved(lambda data: data.reshape(prod(right), -1))
    return Elements(_inverse(trace, matrix).reshape((*right, *left)), float_dtype(a))


@rule_for(np.linalg.inv)
def _inv(trace: Trace, a) -> Elements:
    return Elements(_inverse(trace, Factor.of(trace, a)), float_dtype(a))


def _inverse(trace: Trace, a: Factor) -> Ids:
    structure = SquareMatrices.of(square_batch(a))
    return square_systems.inverses(trace, structure).reshape(a.shape)


# ----------------------------------------------------------------- determinants
def _cofactors(trace: Trace, structure: SquareMatrices) -> Mask:
    """The elements whose cofactor may differ from zero: those that a determinant depends on.

    A matrix that is singular for all values has a determinant of zero.
    """
    form = structure.components
    counting = np.equal(form.of_row[structure.rows], form.of_unknown[structure.columns])
    if form.singular.any() and not trace.dependency:
        counting &= ~form.singular[structure.rows // structure.size]
    return counting


def _all_of(trace: Trace, ids: Ids) -> Ids:
    return trace.graph.union_rows(ids.reshape((*ids.shape[:-2], prod(ids.shape[-2:]))))


@rule_for(np.linalg.det)
def _det(trace: Trace, a) -> Elements:
    """Linear in each row and in each column: no element meets one of its own row or column."""
    matrices = Factor.of(trace, a)
    structure = SquareMatrices.of(square_batch(matrices))
    ids = structure.dense(trace, _cofactors(trace, structure)).reshape(matrices.shape)
    n = ids.shape[-1]
    total = _all_of(trace, ids)
    if trace.second_order and n > 1:
        # all rows below, column by column; then without the element's own column
        below = prefix_unions(trace, ids[..., ::-1, :], ids.ndim - 2)[..., ::-1, :]
        left = prefix_unions(trace, below, ids.ndim - 1)
        right = prefix_unions(trace, below[..., ::-1], ids.ndim - 1)[..., ::-1]
        met = []
        for i, j in np.ndindex(n - 1, n):
            if j > 0:
                met.append((ids[..., i, j], left[..., i + 1, j - 1]))
            if j < n - 1:
                met.append((ids[..., i, j], right[..., i + 1, j + 1]))
        total = interact(trace.graph, total, met, cut=trace.local)
    return Elements(total, float_dtype(a))


def _sums_of_blocks(trace: Trace, structure: SquareMatrices, chosen: Mask) -> Ids:
    """For each matrix the sum of functions of its components, nonlinear in each of them."""
    assert structure.ids is not None
    form = structure.components
    item = np.zeros(form.count, np.int64)
    item[form.of_unknown] = np.arange(len(form.of_unknown)) // structure.size
    owner = form.of_row[structure.rows[chosen]]
    components, blocks = square_systems.unions_by(trace, owner, structure.ids[chosen])
    items, sums = square_systems.unions_by(
        trace, item[components], interact_all(trace.graph, blocks)
    )
    total = np.full(structure.batch, trace.graph.opaque, np.int32)
    total[items] = sums
    return total


@rule_for(np.linalg.slogdet)
def _slogdet(trace: Trace, a) -> Any:
    """The logarithm is a sum over the components, nonlinear in the elements of each.

    The sign has no derivative, unless it is a complex phase.
    """
    matrices = Factor.of(trace, a)
    structure = SquareMatrices.of(square_batch(matrices))
    counting = _cofactors(trace, structure)
    if trace.second_order:
        total = _sums_of_blocks(trace, structure, counting)
    else:
        total = _all_of(trace, structure.dense(trace, counting))
    total = total.reshape(matrices.shape[:-2])
    dtype = float_dtype(a)
    signs = total
    if not trace.dependency and dtype.kind != "c":
        signs = np.full(total.shape, trace.graph.opaque, np.int32)
    sample = np.linalg.slogdet(np.eye(1))
    real = np.empty(0, dtype).real.dtype
    results: Any = (Elements(signs, dtype), Elements(total, real))
    return type(sample)(*results)

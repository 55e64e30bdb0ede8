"""Systems of linear equations with square matrices: what solutions and inverses depend on.

Contract: an unknown depends on the equations of its own component of the block triangular
form (`block_triangular`) and of those that this one reaches, and on no others: that is the
pattern of the inverse of every matrix with these non-zeros, but for accidental zeros
(Gilbert, 1994, "Predicting structure in sparse matrix computations").  An equation has its
right-hand side, and those elements of its row whose unknown is not zero for all inputs.

``[[2, 0], [1, 3]] x = [{0}, {1}]  ->  [{0}, {0, 1}]``
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import Contraction
from sparsetrace.numpy_rules.block_triangular import (
    Components,
    Index,
    Mask,
    block_triangular_form,
)
from sparsetrace.numpy_rules.contraction import Factor

__all__ = [
    "SquareMatrices",
    "affected",
    "differs_from_zero",
    "inverses",
    "may_be_nonzero",
    "solutions",
    "unions_by",
]


def may_be_nonzero(x: Factor) -> Mask:
    """Where an operand is not zero for all inputs (in a local trace: for those near the point).

    Everywhere, in a trace that does not look at values.
    """
    return differs_from_zero(x) if x.trace.values else np.ones(x.shape, bool)


def differs_from_zero(x: Factor) -> Mask:
    """The same, also in a trace in which the zeros of constants cut nothing."""
    trace = x.trace
    if x.ids is None:
        return np.asarray(x.values != 0)
    if trace.local:
        return np.asarray((x.ids > OPAQUE) | (x.values != 0))
    return np.asarray(~trace.graph.zeros_among(x.ids))


# ------------------------------------------------------------------ what a matrix is
@dataclass(frozen=True)
class SquareMatrices:
    """A batch of square matrices, by their elements that are not zero for all inputs.

    Attributes
    ----------
    batch, size : int
        How many matrices, and the rows of each.
    rows, columns : ndarray of int
        Where the elements are, each once, in the block-diagonal matrix of all of them.
    ids : ndarray of int32 or None
        The elements' ids; None if all are constants.
    vanishing : ndarray of bool or None
        Which elements are zero at the point of a local trace; None if none of them is.
    """

    batch: int
    size: int
    rows: Index
    columns: Index
    ids: Ids | None = None
    vanishing: Mask | None = None

    @classmethod
    def of(cls, a: Factor) -> SquareMatrices:
        """Of an operand of shape ``(batch, n, n)``."""
        mask = may_be_nonzero(a)
        batch, size, _ = mask.shape
        rows, columns = np.divmod(np.flatnonzero(mask), max(size, 1))
        if batch > 1:
            columns += rows - rows % size
        return cls(batch, size, rows, columns, *_elements(a, mask))

    @classmethod
    def of_places(
        cls, a: Factor, rows: Index, columns: Index, used: Mask, size: int
    ) -> SquareMatrices:
        """Of one matrix whose elements stand in an operand as some storage scheme has them.

        Element ``a[at]`` has the row ``rows[at]`` and the column ``columns[at]``, where `used`.
        """
        mask = used & may_be_nonzero(a)
        return cls(1, size, rows[mask], columns[mask], *_elements(a, mask))

    @classmethod
    def of_sparse(cls, trace: Trace, a: Any) -> SquareMatrices:
        """Of a constant ``scipy.sparse.coo_array``; what it does not store is zero."""
        a = a.copy()
        a.sum_duplicates()
        rows, columns = a.coords
        if trace.values:
            rows, columns = rows[a.data != 0], columns[a.data != 0]
        return cls(1, a.shape[0], rows, columns)

    @cached_property
    def components(self) -> Components:
        """The components of the unknowns, whatever values the elements have."""
        return block_triangular_form(self.batch, self.size, self.rows, self.columns)

    @cached_property
    def at_point(self) -> Components:
        """The components at the point of a local trace."""
        if self.vanishing is None:
            return self.components
        kept = ~self.vanishing
        return block_triangular_form(self.batch, self.size, self.rows[kept], self.columns[kept])

    def beside(self, sides: NDArray[Any]) -> NDArray[Any]:
        """Sides ``(batch, size, k)`` as those of the block-diagonal matrix.

        Of one matrix and a batch of sides, these stand beside one another.
        """
        count, size, k = sides.shape
        if self.batch == 1:
            return sides.swapaxes(0, 1).reshape(size, count * k)
        return np.broadcast_to(sides, (self.batch, size, k)).reshape(self.batch * size, k)

    def apart(self, solutions: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """Solutions of `beside`, again as those of sides of this shape."""
        batch, size, k = shape
        if self.batch == 1:
            return solutions.reshape(size, batch, k).swapaxes(0, 1)
        return solutions.reshape(self.batch, size, k)

    def dense(self, trace: Trace, chosen: Mask) -> Ids:
        """The ids of the chosen elements in an array of all; opaque in place of the others."""
        assert self.ids is not None
        size = self.size
        out = np.empty(self.batch * size * size, np.int32)
        places = self.rows[chosen] * size + self.columns[chosen] % max(size, 1)
        if len(places) < out.size:
            out.fill(trace.graph.opaque)
        out[places] = self.ids[chosen]
        return out.reshape(self.batch, size, size)

    def on_cycles(self) -> Mask:
        """The elements that lie on a cycle of the matrix's graph, and those on the diagonal."""
        total = self.batch * self.size
        missing = np.ones(total, bool)
        missing[self.rows[self.rows == self.columns]] = False
        loops = np.flatnonzero(missing)
        edges = np.append(self.rows, loops), np.append(self.columns, loops)
        label = block_triangular_form(self.batch, self.size, *edges).of_unknown
        return np.asarray(label[self.rows] == label[self.columns])


def _elements(a: Factor, mask: Mask) -> tuple[Ids | None, Mask | None]:
    """The chosen elements' ids, and which of them are zero at the point of a local trace."""
    if a.ids is None:
        return None, None
    zero = a.values[mask] == 0 if a.trace.local and a.trace.values else None  # type: ignore[index]
    return a.ids[mask], None if zero is None or not zero.any() else zero


# ------------------------------------------------------------------------- solutions
def solutions(trace: Trace, matrices: SquareMatrices, sides: Factor) -> Ids:
    """What the solutions of square systems depend on.

    Parameters
    ----------
    trace : Trace
    matrices : SquareMatrices
    sides : Factor, shape (batch, size, k)
        The right-hand sides, one in each column; its batch or that of the matrices may be 1.

    Returns
    -------
    ndarray of int32, shape (batch, size, k)
        The constant zero where a solution is zero whatever the other elements are.

    Examples
    --------
    >>> from sparsetrace.propagation.jacobian import index_sets
    >>> trace = Trace(2)
    >>> lower = SquareMatrices(1, 2, np.array([0, 1, 1]), np.array([0, 0, 1]))
    >>> sides = Factor(trace, trace.graph.inputs().reshape(1, 2, 1), None, np.dtype(float))
    >>> index_sets(trace.graph, solutions(trace, lower, sides).reshape(-1))
    [BitMap([0]), BitMap([0, 1])]
    """
    ids = np.full(sides.shape, trace.graph.opaque, np.int32) if sides.ids is None else sides.ids
    arguments = matrices.beside(ids), matrices.beside(may_be_nonzero(sides))
    return matrices.apart(_solutions(trace, matrices, *arguments), sides.shape)


def inverses(trace: Trace, matrices: SquareMatrices) -> Ids:
    """What inverses depend on: the solutions for the columns of the identity."""
    identity = Factor(trace, None, np.eye(matrices.size)[None], np.dtype(float))
    return solutions(trace, matrices, identity)


def affected(matrices: SquareMatrices, sides: Mask) -> Mask:
    """Which solutions follow from the marked right-hand sides, both in the shape of the sides."""
    form = matrices.components
    return matrices.apart(_reached(form, matrices.beside(sides))[form.of_unknown], sides.shape)


def _solutions(trace: Trace, matrices: SquareMatrices, sides: Ids, nonzero: Mask) -> Ids:
    """As `solutions`, with the batch in the rows: sides of shape ``(batch * size, k)``."""
    if not sides.size:
        return sides.copy()
    form = matrices.at_point
    some = _nonzero_solutions(matrices, nonzero)
    k = sides.shape[1]
    sources: list[tuple[Index, Ids]] = []
    if matrices.ids is None or sides.max() > OPAQUE:
        sources.append((form.of_row, sides))
    if matrices.ids is not None:
        owner, needed, ids = _coefficients(trace, matrices, form, united=k > 1)
        coefficients = np.broadcast_to(ids[:, None], (len(ids), k))
        if some is not None:  # an unknown that is zero makes its coefficients have no effect
            coefficients = np.where(some[needed], coefficients, np.int32(trace.graph.opaque))
        sources.append((owner, coefficients))
    united = _united(trace, form, sources)
    if matrices.ids is not None and trace.second_order:
        if not len(form.child):  # else the unions are nodes of their own already
            united = np.where(united > OPAQUE, trace.graph.node(united), united)
        factors = united[needed]
        if some is not None:
            factors = np.where(some[needed], factors, np.int32(trace.graph.opaque))
        trace.graph.interactions.append(
            Contraction(united[owner][:, None], ids[:, None, None], factors[:, None])
        )
    if some is not None:
        united = np.where(some, united, np.int32(trace.graph.zero))
    return united[form.of_unknown]


def _coefficients(
    trace: Trace, matrices: SquareMatrices, form: Components, *, united: bool
) -> tuple[Index, Index, Ids]:
    """The elements: whose equations have them, whose unknowns they multiply, and their ids.

    Those of a block, between two components, may be one node.
    """
    assert matrices.ids is not None
    batch, size = matrices.batch, matrices.size
    if len(form.of_row) * size == len(matrices.rows) and form.count == batch:
        item = form.of_row[::size]
        return item, item, trace.graph.union_rows(matrices.ids.reshape(batch, size * size))
    owner, needed = form.of_row[matrices.rows], form.of_unknown[matrices.columns]
    if not united and not trace.second_order:
        return owner, needed, matrices.ids
    block, ids = unions_by(trace, owner.astype(np.int64) * form.count + needed, matrices.ids)
    return *np.divmod(block, form.count), ids


def _nonzero_solutions(matrices: SquareMatrices, nonzero: Mask) -> Mask | None:
    """Which components' solutions may differ from zero, for each right-hand side; None if all."""
    if nonzero.all():
        return None
    result = _reached(matrices.components, nonzero)
    if matrices.vanishing is None:
        return None if result.all() else result
    form = matrices.at_point  # each of its components lies within one of the others
    reached = np.zeros((form.count, nonzero.shape[1]), bool)
    unknown, side = np.nonzero(result[matrices.components.of_unknown])
    reached[form.of_unknown[unknown], side] = True
    return None if reached.all() else reached


def _reached(form: Components, equations: Mask) -> Mask:
    """The components that a marked equation leads to, for each right-hand side."""
    marked = np.zeros((form.count, equations.shape[1]), bool)
    row, side = np.nonzero(equations)
    marked[form.of_row[row], side] = True
    return form.given_on(marked)


def unions_by(trace: Trace, group: Index, ids: Ids) -> tuple[Index, Ids]:
    """The groups in which something is traced, in order, and the union of each."""
    traced = ids > OPAQUE
    group, ids = group[traced], ids[traced]
    order = np.argsort(group, kind="stable")
    group = group[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    return group[first], trace.graph.union_segments(np.append(first, len(group)), ids[order])


def _united(trace: Trace, form: Components, sources: list[tuple[Index, Ids]]) -> Ids:
    """Unions of what each component has of its own, and of its parents' unions.

    Sources are the components that ids belong to, and these in a column for each side; the
    result has the shape ``(count, k)``.
    """
    owner = np.concatenate([owner for owner, _ in sources])
    order = np.argsort(owner, kind="stable")
    ids = np.concatenate([ids for _, ids in sources])[order].T
    k, count = len(ids), form.count
    side = np.arange(0, k * count, count)[:, None]  # its nodes stand together
    traced = ids > OPAQUE
    node, parents = (side + owner[order])[traced], ids[traced]
    counts = np.bincount(node, minlength=k * count)
    if not len(form.child):
        indptr = np.append(0, np.cumsum(counts))
        return trace.graph.union_segments(indptr, parents).reshape(k, count).T
    carried = form.given_on(counts.reshape(k, count).T > 0)
    base = trace.graph.next_block()
    node = np.concatenate([node, (side + form.child).reshape(-1)])
    inherited = (base + side + form.parent).reshape(-1)
    parents = np.concatenate([parents, inherited.astype(np.int32)])
    parents = parents[np.argsort(node, kind="stable")]
    indptr = np.append(0, np.cumsum(np.bincount(node, minlength=k * count)))
    trace.graph.append_rows(indptr, parents, sequential=True)
    nodes = np.arange(base, base + k * count, dtype=np.int32).reshape(k, count).T
    return nodes if carried.all() else np.where(carried, nodes, np.int32(trace.graph.opaque))

"""The contraction that all products come down to: rows times columns, batch by batch.

Contract: an element and those that it is multiplied with are *partners*.  An output depends
on an element unless all its partners are zero for all inputs or, in a local trace, zero at
the point.  Rows with equal partners share a node.

``[[1, 0], [2, 3]] @ [{0}, {1}]  ->  [{0}, {0, 1}]``
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import asarray, count_nonzero, empty, ones, zeros
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.complex_parts import Part, has_parts, joined, joint, part_of
from sparsetrace.graph.graph import OPAQUE, ZERO, Ids, filled, lowest
from sparsetrace.graph.interactions import multiply
from sparsetrace.operands.complex_operands import moved_ids, real_dtype
from sparsetrace.operands.elementwise import combine
from sparsetrace.operands.operands import (
    FLOAT,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
    values_of,
)

__all__ = ["Factor", "contract", "flat_batch", "product_dtype"]


class Factor:
    """One operand of a contraction: ids, values, or in a local trace both."""

    __slots__ = ("dtype", "ids", "trace", "values")

    def __init__(
        self, trace: Trace, ids: Ids | None, values: NDArray[Any] | None, dtype: np.dtype[Any]
    ) -> None:
        self.trace, self.ids, self.values, self.dtype = trace, ids, values, dtype

    @classmethod
    def of(cls, trace: Trace, x, read: Callable[[Trace, Any], Ids] = ids_of) -> Factor:
        """The operand behind an argument; `read` gives its ids."""
        if is_traced(x) or contains_traced(x):
            values = asarray(values_of(x)) if trace.local else None
            return cls(trace, read(trace, x), values, dtype_of(x))
        constant = constant_values(x)
        return cls(trace, None, constant, constant.dtype)

    @classmethod
    def with_parts(cls, trace: Trace, x) -> Factor:
        """The same for a contraction, which knows of the parts of complex numbers."""
        return cls.of(trace, x, moved_ids)

    @property
    def traced(self) -> bool:
        """Whether it carries dependencies."""
        return self.ids is not None

    @property
    def shape(self) -> tuple[int, ...]:
        """The operand's shape."""
        return self.values.shape if self.ids is None else self.ids.shape  # type: ignore[union-attr]

    def moved(self, move: Callable[[NDArray[Any]], NDArray[Any]]) -> Factor:
        """The same operand with its elements moved."""
        ids = None if self.ids is None else move(self.ids)
        values = None if self.values is None else move(self.values)
        return Factor(self.trace, ids, values, self.dtype)

    @property
    def is_alike(self) -> bool:
        """Whether its elements are complex, and their two parts depend on the same inputs."""
        if self.ids is None or self.dtype.kind != "c" or not self.ids.size:
            return False
        return lowest(self.ids) > OPAQUE and not has_parts(self.trace.graph, self.ids)

    def joint(self) -> Factor:
        """The same without parts."""
        ids = None if self.ids is None else joint(self.trace.graph, self.ids)
        return Factor(self.trace, ids, self.values, self.dtype)

    def parts(self) -> tuple[Factor, Factor | None]:
        """The real and the imaginary part; None for one that is zero throughout."""
        if self.dtype.kind != "c":
            return self, None
        real, imag = (self._part(part) for part in Part)
        nowhere = self.ids is None and self.trace.values and not np.any(imag.values)
        return real, None if nowhere else imag

    def _part(self, part: Part) -> Factor:
        ids = None if self.ids is None else part_of(self.trace.graph, self.ids, part)
        values = None if self.values is None else getattr(self.values, part.name.lower())
        return Factor(self.trace, ids, values, real_dtype(self.dtype))

    def partners(self) -> NDArray[np.bool_] | None:
        """Where this operand may be non-zero; None if everywhere."""
        if not self.trace.values:
            return None
        if self.values is not None:
            mask = self.values != 0
        elif self.trace.graph.pure:
            return None
        else:
            mask = ~self.trace.graph.zeros_among(self.ids)  # type: ignore[arg-type]
        return None if count_nonzero(mask) == mask.size else mask

    def known(self) -> NDArray[Any]:
        """Values of constants; zero where unknown."""
        if self.ids is None:
            return self.values  # type: ignore[return-value]
        return self.trace.graph.known_values(self.ids, self.dtype)

    def unknown(self) -> NDArray[np.bool_]:
        """Where the value is not known before the function runs."""
        return zeros(self.shape, bool) if self.ids is None else self.ids > ZERO


def contract(trace: Trace, a: Factor, b: Factor) -> Ids:
    """``(B, M, K) x (B, K, N) -> (B, M, N)``, batch sizes broadcasting."""
    if "c" in (a.dtype.kind, b.dtype.kind):
        if trace.local or not (a.is_alike or b.is_alike):
            return _by_parts(trace, a, b)
        a, b = a.joint(), b.joint()  # both parts of the result depend on the same
    (batch_a, m, _), (batch_b, _, n) = a.shape, b.shape
    shape = (max(batch_a, batch_b) if min(batch_a, batch_b) else 0, m, n)
    since = trace.graph.size
    sides = []
    if a.ids is not None:
        sides.append(_one_side(trace, a.ids, b.partners()))
    if b.ids is not None:
        columns = _one_side(trace, b.ids.swapaxes(1, 2), _swap(a.partners()))
        sides.append(columns.swapaxes(1, 2))
    out = trace.graph.union_all(sides)
    if out.shape != shape:
        out = filled(out, shape)
    if len(sides) == 1:
        np.maximum(out, OPAQUE, out=out)
    bilinear = trace.second_order and a.ids is not None and b.ids is not None
    if bilinear:
        out = multiply(trace.graph, out, a.ids, b.ids, since)  # type: ignore[arg-type]
    if out.size and out.min() <= OPAQUE:
        if trace.local:
            return out
        free = out <= OPAQUE
        certain = free & ~_any_unknown(a, b)
        if certain.any():
            values = np.matmul(a.known(), b.known())
            ids = trace.graph.constant(np.broadcast_to(values, shape)[certain])
            out[certain] = ids
    return out


def _by_parts(trace: Trace, a: Factor, b: Factor) -> Ids:
    """Complex factors: ``(a + bi)(c + di) = (ac - bd) + (ad + bc) i``."""

    def product(p: Factor | None, q: Factor | None) -> Operand | None:
        if p is None or q is None:
            return None
        ids = contract(trace, p, q)
        return Operand(trace, ids, FLOAT, np.full(ids.shape, np.nan) if trace.local else None)

    def total(ufunc: np.ufunc, p: Operand | None, q: Operand | None) -> Ids:
        if p is None or q is None:
            some = q if p is None else p
            return asarray(trace.graph.constant(0.0)) if some is None else some._ids
        return combine(trace, ufunc, p, q)._ids

    (real_a, imag_a), (real_b, imag_b) = a.parts(), b.parts()
    real = total(np.subtract, product(real_a, real_b), product(imag_a, imag_b))
    imag = total(np.add, product(real_a, imag_b), product(imag_a, real_b))
    return joined(trace.graph, real, imag)


def _swap(mask: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    return None if mask is None else mask.swapaxes(1, 2)


def _any_unknown(a: Factor, b: Factor) -> NDArray[np.bool_]:
    """Outputs with a term that is neither constant nor multiplied by a constant zero."""
    live = []
    for x in (a, b):
        partners = x.partners()
        live.append(ones(x.shape, bool) if partners is None else partners)
    total: NDArray[np.bool_] = np.matmul(a.unknown() & live[0], live[1])
    total = total | np.matmul(live[0], b.unknown() & live[1])
    return total


def _one_side(trace: Trace, ids: Ids, partners: NDArray[np.bool_] | None) -> Ids:
    """Unions of the rows of ids ``(B, M, K)`` over the K with a partner ``(B, K, N)``."""
    if partners is None:
        return trace.graph.union_rows(ids)[:, :, None]
    if ids.shape[2] == 1:
        return np.where(partners, ids, np.int32(trace.graph.opaque))
    batch = max(len(ids), len(partners))
    n = partners.shape[2]
    if batch == 1 or len(partners) == 1:
        # equal columns of the partner give equal unions
        first, inverse = _distinct_columns(partners[0])
        if len(first) < n:
            return _one_side(trace, ids, partners[:, :, first])[:, :, inverse]
    out = empty((batch, ids.shape[1], n), np.int32)
    for i in range(batch):  # each batch item has zeros of its own
        here = ids[i if len(ids) > 1 else 0]
        mask = partners[i if len(partners) > 1 else 0]
        out[i] = _masked_rows(trace, here, mask)
    return out


def _distinct_columns(mask: NDArray[np.bool_]) -> tuple[list[int], list[int]]:
    """The places of columns that differ, and for each column which of them it is."""
    packed = np.packbits(mask, axis=0).T
    n, width = packed.shape
    text = packed.tobytes()
    numbers: dict[bytes, int] = {}
    first: list[int] = []
    inverse: list[int] = []
    for column in range(n):
        number = numbers.setdefault(text[column * width : (column + 1) * width], len(numbers))
        if number == len(first):
            first.append(column)
        inverse.append(number)
    return first, inverse


def _masked_rows(trace: Trace, ids: Ids, mask: NDArray[np.bool_]) -> Ids:
    """Unions of rows of ids ``(M, K)`` over the K chosen by each column of ``(K, N)``."""
    m, n = len(ids), mask.shape[1]
    column, row = np.nonzero(mask.T)
    parents = ids[:, row]
    counts = np.bincount(column, minlength=n)
    if trace.graph.pure or (parents.size and lowest(parents) > OPAQUE):
        indptr = zeros(m * n + 1, np.int64)
        np.cumsum(counts if m == 1 else np.tile(counts, m), out=indptr[1:])
        return trace.graph.union_segments(indptr, parents.reshape(-1)).reshape(m, n)
    traced = parents > OPAQUE
    totals = zeros((m, len(row) + 1), np.int64)
    np.cumsum(traced, axis=1, out=totals[:, 1:])
    ends = np.concatenate([[0], np.cumsum(counts)])
    kept = totals[:, ends[1:]] - totals[:, ends[:-1]]
    indptr = zeros(m * n + 1, np.int64)
    np.cumsum(kept.reshape(-1), out=indptr[1:])
    return trace.graph.union_segments(indptr, parents[traced]).reshape(m, n)


def flat_batch(factor: Factor, lead: tuple[int, ...]) -> Factor:
    """With one batch axis; of length 1 if the batch is broadcast as a whole."""
    core = factor.shape[-2:]
    if prod(factor.shape[:-2]) == 1:
        return factor.moved(lambda data: data.reshape((1, *core)))
    shape = (prod(lead), *core)
    return factor.moved(lambda data: np.broadcast_to(data, (*lead, *core)).reshape(shape))


def product_dtype(x, y) -> np.dtype[Any]:
    """The dtype of a product."""
    return np.result_type(dtype_of(x), dtype_of(y))

"""Products summed over an axis: matmul, dot, tensordot, einsum, convolve, sparse ``A @ x``.

Contract: an output depends on an operand's element unless every partner of that
element is a constant zero.  All of them come down to one batched contraction, in
which rows with equal partners share a node: with a dense constant there is one node
per column, not one per output.

``[[1, 0], [2, 3]] @ [{0}, {1}]  ->  [{0}, {0, 1}]``
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sparsetrace.dispatch import elementwise
from sparsetrace.dispatch.operands import (
    FLOAT,
    Elements,
    Operand,
    constant_values,
    contains_traced,
    dtype_of,
    ids_of,
    is_traced,
)
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.graph import OPAQUE, ZERO, Graph, Ids

__all__ = ["contract", "convolve", "dot", "einsum", "matmul", "sparse_matmul", "tensordot"]


class _Factor:
    """One operand of a contraction: ids, or the values of a constant."""

    __slots__ = ("dtype", "graph", "ids", "values")

    def __init__(
        self, graph: Graph, ids: Ids | None, values: NDArray[Any] | None, dtype: np.dtype[Any]
    ) -> None:
        self.graph, self.ids, self.values, self.dtype = graph, ids, values, dtype

    @classmethod
    def of(cls, graph: Graph, x: Any) -> _Factor:
        if is_traced(x) or contains_traced(x):
            return cls(graph, ids_of(graph, x), None, dtype_of(x))
        values = constant_values(x)
        return cls(graph, None, values, values.dtype)

    @property
    def data(self) -> NDArray[Any]:
        return self.ids if self.ids is not None else self.values  # type: ignore[return-value]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    def moved(self, data: NDArray[Any]) -> _Factor:
        """The same operand after its elements were moved."""
        if self.ids is None:
            return _Factor(self.graph, None, data, self.dtype)
        return _Factor(self.graph, data, None, self.dtype)

    def partners(self) -> NDArray[np.bool_] | None:
        """Where this operand may be non-zero; None if everywhere."""
        if not self.graph.values:
            return None
        if self.ids is None:
            mask = self.values != 0
        elif self.graph.pure:
            return None
        else:
            mask = self.ids != ZERO
        return None if mask.all() else mask

    def known(self) -> NDArray[Any]:
        """Values of constants; zero where unknown."""
        if self.ids is None:
            return self.values  # type: ignore[return-value]
        return self.graph.known_values(self.ids, self.dtype)

    def unknown(self) -> NDArray[np.bool_]:
        return np.zeros(self.shape, bool) if self.ids is None else self.ids > ZERO


def contract(graph: Graph, a: _Factor, b: _Factor) -> Ids:
    """``(B, M, K) x (B, K, N) -> (B, M, N)``, batch sizes broadcasting."""
    (batch_a, m, k), (batch_b, _, n) = a.shape, b.shape
    shape = (max(batch_a, batch_b) if min(batch_a, batch_b) else 0, m, n)
    parts = []
    if a.ids is not None:
        parts.append(_one_side(graph, a.ids, b.partners()))
    if b.ids is not None:
        part = _one_side(graph, b.ids.swapaxes(1, 2), _swap(a.partners()))
        parts.append(part.swapaxes(1, 2))
    out = np.broadcast_to(graph.union_all(parts), shape)
    if len(parts) == 1:
        out = np.maximum(out, OPAQUE)
    elif not out.flags.writeable:
        out = out.copy()
    if out.size and out.min() <= OPAQUE:
        graph.pure = False
        free = out <= OPAQUE
        certain = free & ~_any_unknown(a, b)
        if certain.any():
            values = np.matmul(a.known(), b.known())
            ids = graph.constant(np.broadcast_to(values, shape)[certain])
            out[certain] = ids
    return out


def _swap(mask: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    return None if mask is None else mask.swapaxes(1, 2)


def _any_unknown(a: _Factor, b: _Factor) -> NDArray[np.bool_]:
    """Outputs with a term that is neither constant nor multiplied by a constant zero."""
    live = []
    for x in (a, b):
        partners = x.partners()
        live.append(np.ones(x.shape, bool) if partners is None else partners)
    total = np.matmul(a.unknown() & live[0], live[1])
    return total | np.matmul(live[0], b.unknown() & live[1])


def _one_side(graph: Graph, ids: Ids, partners: NDArray[np.bool_] | None) -> Ids:
    """Unions of the rows of ids ``(B, M, K)`` over the K with a partner ``(B, K, N)``."""
    if partners is None:
        return graph.union_rows(ids)[:, :, None]
    if ids.shape[2] == 1:
        return np.where(partners, ids, np.int32(OPAQUE))
    batch = max(len(ids), len(partners))
    n = partners.shape[2]
    if batch == 1 or len(partners) == 1:
        # equal columns of the partner give equal unions
        packed = np.packbits(partners[0], axis=0).T
        distinct, inverse = np.unique(packed, axis=0, return_inverse=True)
        if len(distinct) < n:
            first = np.zeros(len(distinct), int)
            first[inverse.reshape(-1)[::-1]] = np.arange(n)[::-1]
            return _one_side(graph, ids, partners[:, :, first])[:, :, inverse.reshape(-1)]
    out = np.empty((batch, ids.shape[1], n), np.int32)
    for i in range(batch):  # each batch item has zeros of its own
        here = ids[i if len(ids) > 1 else 0]
        mask = partners[i if len(partners) > 1 else 0]
        out[i] = _masked_rows(graph, here, mask)
    return out


def _masked_rows(graph: Graph, ids: Ids, mask: NDArray[np.bool_]) -> Ids:
    """Unions of rows of ids ``(M, K)`` over the K chosen by each column of ``(K, N)``."""
    m, n = len(ids), mask.shape[1]
    column, row = np.nonzero(mask.T)
    parents = ids[:, row]
    counts = np.bincount(column, minlength=n)
    if graph.pure or (parents > OPAQUE).all():
        indptr = np.zeros(m * n + 1, np.int64)
        np.cumsum(np.tile(counts, m), out=indptr[1:])
        return graph.union_segments(indptr, parents.reshape(-1)).reshape(m, n)
    traced = parents > OPAQUE
    totals = np.zeros((m, len(row) + 1), np.int64)
    np.cumsum(traced, axis=1, out=totals[:, 1:])
    ends = np.concatenate([[0], np.cumsum(counts)])
    kept = totals[:, ends[1:]] - totals[:, ends[:-1]]
    indptr = np.zeros(m * n + 1, np.int64)
    np.cumsum(kept.reshape(-1), out=indptr[1:])
    return graph.union_segments(indptr, parents[traced]).reshape(m, n)


def _product_dtype(x: Any, y: Any) -> np.dtype[Any]:
    return np.result_type(dtype_of(x), dtype_of(y))


def matmul(graph: Graph, x: Any, y: Any) -> Elements:
    """``x @ y`` with NumPy's broadcasting; scipy.sparse operands too."""
    for first, second, transposed in ((x, y, False), (y, x, True)):
        if scipy.sparse.issparse(first):
            return sparse_matmul(graph, first, second, transposed=transposed)
    plain = _plain_matmul(graph, x, y)
    if plain is not None:
        return plain
    a, b = _Factor.of(graph, x), _Factor.of(graph, y)
    if not a.shape or not b.shape:
        raise ValueError("matmul: operands must have at least one dimension")
    drop_row, drop_column = len(a.shape) == 1, len(b.shape) == 1
    p = a.data[None, :] if drop_row else a.data
    q = b.data[:, None] if drop_column else b.data
    if p.shape[-1] != q.shape[-2]:
        raise ValueError(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0, with shapes "
            f"{a.shape} and {b.shape}"
        )
    lead = np.broadcast_shapes(p.shape[:-2], q.shape[:-2])
    flat = []
    for factor, data in ((a, p), (b, q)):
        if int(np.prod(data.shape[:-2], dtype=int)) == 1:
            moved = data.reshape((1, *data.shape[-2:]))
        else:
            moved = np.broadcast_to(data, (*lead, *data.shape[-2:])).reshape((-1, *data.shape[-2:]))
        flat.append(factor.moved(moved))
    size = int(np.prod(lead, dtype=int))
    out = contract(graph, *flat)
    if out.shape[0] != size:
        out = np.broadcast_to(out, (size, *out.shape[1:])).copy()
    out = out.reshape((*lead, *out.shape[1:]))
    if drop_row:
        out = out[..., 0, :]
    if drop_column:
        out = out[..., 0]
    return Elements(out, _product_dtype(x, y))


def _is_plain(graph: Graph, x: Any) -> bool:
    """Whether a traced operand is a float64 array with elements, none of them constant."""
    ids = x._ids
    if x._graph is not graph or x._dtype is not FLOAT or not ids.ndim or not ids.size:
        return False
    return graph.pure or bool(np.minimum.reduce(ids, axis=None) > OPAQUE)


def _plain_traced(graph: Graph, x: Any, y: Any) -> Elements | None:
    """Two traced arrays without constants: a row of one and a column of the other."""
    if not _is_plain(graph, x) or not _is_plain(graph, y):
        return None
    a, b = x._ids, y._ids
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        return None
    rows = graph.union_rows(a)
    columns = graph.union_rows(b if b.ndim == 1 else b.swapaxes(-1, -2))
    if b.ndim > 1:
        rows = rows[..., None]
    if a.ndim > 1 and b.ndim > 1:
        columns = columns[..., None, :]
    return Elements(graph.union(rows, columns), FLOAT)


def _plain_matmul(graph: Graph, x: Any, y: Any) -> Elements | None:
    """The common case: a traced array without constants times a matrix without zeros."""
    if is_traced(x) and is_traced(y):
        return _plain_traced(graph, x, y)
    if is_traced(x):
        traced, constant, first = x, y, True
    else:
        traced, constant, first = y, x, False
    if type(constant) is not np.ndarray or constant.dtype is not FLOAT or constant.ndim != 2:
        return None
    ids = traced._ids
    if not _is_plain(graph, traced) or not constant.size:
        return None
    if graph.values and not constant.all():
        return None
    if first:
        if ids.shape[-1] != constant.shape[0]:
            return None
        out = np.repeat(graph.union_rows(ids)[..., None], constant.shape[1], axis=-1)
    elif ids.ndim == 1:
        if ids.shape[0] != constant.shape[1]:
            return None
        out = np.repeat(graph.union_rows(ids)[..., None], constant.shape[0], axis=-1)
    else:
        if ids.shape[-2] != constant.shape[1]:
            return None
        rows = graph.union_rows(ids.swapaxes(-1, -2))
        out = np.repeat(rows[..., None, :], constant.shape[0], axis=-2)
    return Elements(out, FLOAT)


def dot(graph: Graph, x: Any, y: Any) -> Elements:
    """``np.dot``: over the last axis of x and the second-to-last of y."""
    if scipy.sparse.issparse(x) or scipy.sparse.issparse(y):
        return matmul(graph, x, y)
    a, b = _Factor.of(graph, x), _Factor.of(graph, y)
    if not a.shape or not b.shape:
        return elementwise.call(graph, np.multiply, (x, y))[0]
    axis = max(len(b.shape) - 2, 0)
    return tensordot(graph, x, y, ([len(a.shape) - 1], [axis]))


def tensordot(graph: Graph, x: Any, y: Any, axes: Any = 2) -> Elements:
    """``np.tensordot``: over the named axes of both."""
    a, b = _Factor.of(graph, x), _Factor.of(graph, y)
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise ValueError("negative number of axes")
        axes_a, axes_b = list(range(-axes, 0)), list(range(axes))
    else:
        axes_a, axes_b = (list(np.atleast_1d(part)) for part in axes)
    axes_a = [int(i) % max(len(a.shape), 1) for i in axes_a]
    axes_b = [int(i) % max(len(b.shape), 1) for i in axes_b]
    if [a.shape[i] for i in axes_a] != [b.shape[i] for i in axes_b]:
        raise ValueError("shape-mismatch for sum")
    kept_a = [i for i in range(len(a.shape)) if i not in axes_a]
    kept_b = [i for i in range(len(b.shape)) if i not in axes_b]
    lead_a, lead_b = [a.shape[i] for i in kept_a], [b.shape[i] for i in kept_b]
    k = int(np.prod([a.shape[i] for i in axes_a], dtype=int))
    p = a.data.transpose(kept_a + axes_a).reshape(1, int(np.prod(lead_a, dtype=int)), k)
    q = b.data.transpose(axes_b + kept_b).reshape(1, k, int(np.prod(lead_b, dtype=int)))
    out = contract(graph, a.moved(p), b.moved(q))
    return Elements(out.reshape(lead_a + lead_b), _product_dtype(x, y))


def _parse(subscripts: Any, operands: tuple[Any, ...]) -> tuple[list[str], str, list[Any]]:
    """Labels of every operand and of the output, without ellipsis; the operands."""
    if not isinstance(subscripts, str):
        letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

        def spell(sublist: Sequence[Any]) -> str:
            return "".join("..." if i is Ellipsis else letters[i] for i in sublist)

        items = (subscripts, *operands)
        count = len(items) // 2
        operands = tuple(items[2 * i] for i in range(count))
        text = ",".join(spell(items[2 * i + 1]) for i in range(count))
        subscripts = text + ("->" + spell(items[-1]) if len(items) % 2 else "")
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError("einsum: one term in the subscripts for every operand")
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in text]
    shapes = [np.shape(x) for x in operands]
    extra = [len(s) - len(t.replace("...", "")) for s, t in zip(shapes, terms, strict=True)]
    for term, more in zip(terms, extra, strict=True):
        if more < 0 or (more and "..." not in term):
            raise ValueError("einsum: the subscripts do not fit the operands' dimensions")
    widest = max((e for e, t in zip(extra, terms, strict=True) if "..." in t), default=0)
    names = "".join(spare[:widest])
    terms = [
        t.replace("...", names[widest - e :] if "..." in t else "")
        for t, e in zip(terms, extra, strict=True)
    ]
    if arrow:
        output = right.replace("...", names)
    else:
        joined = "".join(terms)
        output = names + "".join(
            sorted(c for c in set(joined) if joined.count(c) == 1 and c not in names)
        )
    return terms, output, list(operands)


class _Term:
    """A factor of an einsum with its labels, no label twice."""

    __slots__ = ("factor", "labels")

    def __init__(self, factor: _Factor, labels: str) -> None:
        data = factor.data
        for label in sorted(set(labels)):
            while labels.count(label) > 1:
                i = labels.index(label)
                j = labels.index(label, i + 1)
                data = np.diagonal(data, 0, i, j)
                labels = labels[:i] + labels[i + 1 : j] + labels[j + 1 :] + label
        self.factor, self.labels = factor.moved(data), labels

    def arranged(self, labels: str, sizes: dict[str, int]) -> NDArray[Any]:
        """Data with axes in this order; labels that are missing have length 1."""
        data = self.factor.data.transpose([self.labels.index(c) for c in labels if c in self.labels])
        shape = [sizes[c] if c in self.labels else 1 for c in labels]
        return data.reshape(shape) if list(data.shape) != shape else data

    def summed(self, graph: Graph, keep: set[str]) -> _Term:
        """With the labels that nobody else needs summed away."""
        gone = [i for i, c in enumerate(self.labels) if c not in keep]
        if not gone:
            return self
        labels = "".join(c for c in self.labels if c in keep)
        order = [self.labels.index(c) for c in labels] + gone
        data = self.factor.data.transpose(order)
        data = data.reshape((*data.shape[: len(labels)], -1))
        if self.factor.ids is None:
            return _Term(self.factor.moved(data.sum(axis=-1)), labels)
        ones = _Factor(graph, None, np.ones((1, data.shape[-1], 1)), np.dtype(float))
        lead = data.shape[:-1]
        rows = self.factor.moved(data.reshape(1, -1, data.shape[-1]))
        return _Term(self.factor.moved(contract(graph, rows, ones).reshape(lead)), labels)


def einsum(graph: Graph, *operands: Any) -> Elements:
    """``np.einsum``, pairwise from the left; a label is summed when nobody needs it more."""
    terms, output, arrays = _parse(operands[0], operands[1:])
    dtype = np.result_type(*(dtype_of(x) for x in arrays))
    todo = [_Term(_Factor.of(graph, x), t) for x, t in zip(arrays, terms, strict=True)]
    sizes: dict[str, int] = {}
    for term in todo:
        for label, size in zip(term.labels, term.factor.shape, strict=True):
            if sizes.setdefault(label, size) != size:
                if 1 not in (sizes[label], size):
                    raise ValueError(f"einsum: label {label!r} has two sizes")
                sizes[label] = max(sizes[label], size)
    todo = [_stretched(term, sizes) for term in todo]
    total = todo.pop(0)
    while todo:
        needed = set(output).union(*(t.labels for t in todo))
        total = _pair(graph, total.summed(graph, needed), todo.pop(0), set(output), todo, sizes)
    total = total.summed(graph, set(output))
    if total.factor.ids is None:
        raise AssertionError("an einsum of constants reached the tracer")
    ids = np.array(total.arranged(output, sizes))
    return Elements(ids, dtype)


def _stretched(term: _Term, sizes: dict[str, int]) -> _Term:
    shape = tuple(sizes[c] for c in term.labels)
    if term.factor.shape == shape:
        return term
    return _Term(term.factor.moved(np.broadcast_to(term.factor.data, shape)), term.labels)


def _pair(
    graph: Graph,
    left: _Term,
    right: _Term,
    output: set[str],
    rest: list[_Term],
    sizes: dict[str, int],
) -> _Term:
    later = output.union(*(t.labels for t in rest))
    right = right.summed(graph, later | set(left.labels))
    left = left.summed(graph, later | set(right.labels))
    shared = [c for c in left.labels if c in right.labels]
    batch = "".join(c for c in shared if c in later)
    inner = "".join(c for c in shared if c not in later)
    rows = "".join(c for c in left.labels if c not in right.labels)
    columns = "".join(c for c in right.labels if c not in left.labels)

    def count(labels: str) -> int:
        return int(np.prod([sizes[c] for c in labels], dtype=int))

    p = left.arranged(batch + rows + inner, sizes)
    q = right.arranged(batch + inner + columns, sizes)
    p = p.reshape(count(batch), count(rows), count(inner))
    q = q.reshape(count(batch), count(inner), count(columns))
    shape = [sizes[c] for c in batch + rows + columns]
    dtype = np.result_type(left.factor.dtype, right.factor.dtype)
    if left.factor.ids is None and right.factor.ids is None:
        factor = _Factor(graph, None, np.matmul(p, q).reshape(shape), dtype)
    else:
        ids = contract(graph, left.factor.moved(p), right.factor.moved(q))
        factor = _Factor(graph, ids.reshape(shape), None, dtype)
    return _Term(factor, batch + rows + columns)


def convolve(graph: Graph, x: Any, y: Any, mode: str = "full") -> Elements:
    """``np.convolve``: output i unites the x[j] whose partner y[i - j] is not zero."""
    dtype = _product_dtype(x, y)
    a, b = _Factor.of(graph, x), _Factor.of(graph, y)
    a, b = a.moved(np.atleast_1d(a.data)), b.moved(np.atleast_1d(b.data))
    if not a.shape[0] or not b.shape[0]:
        raise ValueError("v cannot be empty" if a.shape[0] else "a cannot be empty")
    if len(b.shape[0:]) != 1 or len(a.shape) != 1:
        raise ValueError("object too deep for desired array")
    if b.shape[0] > a.shape[0]:
        a, b = b, a
    k = b.shape[0]
    if a.ids is not None:
        graph.pure = False  # the padding is zeros
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(a.data, k - 1), k)
    out = contract(graph, a.moved(windows[None]), b.moved(b.data[None, ::-1, None]))[0, :, 0]
    n = a.shape[0]
    if mode == "same":
        start = (k - 1) // 2
        out = out[start : start + n]
    elif mode == "valid":
        out = out[k - 1 : n]
    elif mode != "full":
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    return Elements(out, dtype)


def sparse_matmul(graph: Graph, matrix: Any, x: Any, *, transposed: bool = False) -> Elements:
    """``matrix @ x``, or ``x @ matrix`` if `transposed`; matrix a scipy.sparse constant."""
    ids = ids_of(graph, x)
    a = scipy.sparse.csr_array(matrix.T if transposed else matrix)
    if not a.has_canonical_format:
        a = a.copy()
        a.sum_duplicates()
    if graph.values and not a.data.all():
        a = a.copy()
        a.eliminate_zeros()
    columns = ids.swapaxes(0, -1) if transposed and ids.ndim > 1 else ids
    if columns.shape[:1] != (a.shape[1],):
        shapes = (ids.shape, matrix.shape) if transposed else (matrix.shape, ids.shape)
        raise ValueError(f"dimension mismatch: {shapes[0]} @ {shapes[1]}")
    dtype = np.result_type(matrix.dtype, dtype_of(x))
    if columns.ndim == 1:
        return Elements(_sparse_rows(graph, a, columns, dtype_of(x)), dtype)
    flat = columns.reshape(len(columns), -1)
    done = [_sparse_rows(graph, a, flat[:, j], dtype_of(x)) for j in range(flat.shape[1])]
    out = np.stack(done, axis=1) if done else np.zeros((a.shape[0], 0), np.int32)
    out = out.reshape((a.shape[0], *columns.shape[1:]))
    return Elements(out.swapaxes(0, -1) if transposed else out, dtype)


def _sparse_rows(graph: Graph, a: Any, ids: Ids, source: np.dtype[Any]) -> Ids:
    parents = ids[a.indices]
    indptr = a.indptr.astype(np.int64)
    if graph.pure or not ids.size or ids.min() > OPAQUE:
        out = graph.union_segments(indptr, parents)
        unknown = np.zeros(len(out), bool)
    else:
        traced = parents > OPAQUE
        kept = np.zeros(len(parents) + 1, np.int64)
        np.cumsum(traced, out=kept[1:])
        out = graph.union_segments(kept[indptr], parents[traced])
        unsure = np.zeros(len(parents) + 1, np.int64)
        np.cumsum(parents == OPAQUE, out=unsure[1:])
        unknown = np.diff(unsure[indptr]) > 0
    free = (out == OPAQUE) & ~unknown
    if free.any():
        out[free] = graph.constant((a @ graph.known_values(ids, source))[free])
    if (out <= OPAQUE).any():
        graph.pure = False
    return out


@rule_for(np.dot)
def _dot(graph: Graph, a: Any, b: Any, out: None = None) -> Elements:
    return dot(graph, a, b)


@rule_for(np.vdot)
def _vdot(graph: Graph, a: Any, b: Any, /) -> Elements:
    flat = [_Factor.of(graph, x) for x in (a, b)]
    p, q = (f.moved(f.data.reshape(-1)) for f in flat)
    if p.shape != q.shape:
        raise ValueError("vectors have different lengths")
    ids = contract(graph, p.moved(p.data[None, None]), q.moved(q.data[None, :, None]))
    return Elements(ids[0, 0, 0:1].reshape(()), _product_dtype(a, b))


@rule_for(np.inner)
def _inner(graph: Graph, a: Any, b: Any, /) -> Elements:
    if not np.ndim(a) or not np.ndim(b):
        return elementwise.call(graph, np.multiply, (a, b))[0]
    return tensordot(graph, a, b, ([-1], [-1]))


@rule_for(np.outer, np.linalg.outer)
def _outer(graph: Graph, a: Any, b: Any, /, out: None = None) -> Elements:
    flat = [_Factor.of(graph, x) for x in (a, b)]
    p, q = (f.moved(f.data.reshape(-1)) for f in flat)
    ids = contract(graph, p.moved(p.data[None, :, None]), q.moved(q.data[None, None, :]))
    return Elements(ids[0], _product_dtype(a, b))


@rule_for(np.tensordot, np.linalg.tensordot)
def _tensordot(graph: Graph, a: Any, b: Any, axes: Any = 2) -> Elements:
    return tensordot(graph, a, b, axes)


@rule_for(np.einsum)
def _einsum(graph: Graph, *operands: Any, out: None = None, **options: Any) -> Elements:
    return einsum(graph, *operands)


@rule_for(np.einsum_path)
def _einsum_path(graph: Graph, *operands: Any, optimize: Any = "greedy", **options: Any) -> Any:
    plain = [np.zeros(x.shape) if is_traced(x) else x for x in operands]
    return np.einsum_path(*plain, optimize=optimize)


@rule_for(np.linalg.matmul)
def _matmul(graph: Graph, x1: Any, x2: Any, /) -> Elements:
    return matmul(graph, x1, x2)


@rule_for(np.linalg.vecdot)
def _vecdot(graph: Graph, x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    return np.vecdot(x1, x2, axis=axis)


@rule_for(np.convolve)
def _convolve(graph: Graph, a: Any, v: Any, mode: str = "full") -> Elements:
    return convolve(graph, a, v, mode)


@rule_for(np.correlate)
def _correlate(graph: Graph, a: Any, v: Any, mode: str = "valid") -> Elements:
    """``correlate(a, v)[k] = sum_n a[n + k] v[n]``: a convolution with v reversed."""
    reverse = _Factor.of(graph, v)
    data = np.atleast_1d(reverse.data)[::-1]
    kernel = data if reverse.ids is None else Operand(graph, data, reverse.dtype)
    found = convolve(graph, a, kernel, mode)
    if np.size(v) > np.size(a) and mode == "same":
        return _correlate_same(graph, a, v)
    return found


def _correlate_same(graph: Graph, a: Any, v: Any) -> Elements:
    """NumPy swaps the operands of an uneven 'same' correlation and reverses the result."""
    swapped = _correlate(graph, v, a, "same")
    return Elements(swapped.ids[::-1], swapped.dtype)

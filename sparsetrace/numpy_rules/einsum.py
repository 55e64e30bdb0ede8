"""``np.einsum``: pairwise from the left, each label summed as soon as nobody needs it.

Contract: pure index algebra on labels; the dependencies are those of `contraction`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import prod
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import array, concatenate, count_nonzero
from numpy import einsum as remapped
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.graph import Ids, filled
from sparsetrace.numpy_rules.contraction import Factor, contract
from sparsetrace.operands.operands import FLOAT, Elements, dtype_of, is_plain, is_traced

__all__ = ["einsum"]


def _spelled(operands: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Operands with lists of axes, ``einsum(a, [0, 1], b, [1])``, as subscripts."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    def spell(sublist: Sequence[Any]) -> str:
        return "".join("..." if i is Ellipsis else letters[i] for i in sublist)

    count = len(operands) // 2
    text = ",".join(spell(operands[2 * i + 1]) for i in range(count))
    if len(operands) % 2:
        text += "->" + spell(operands[-1])
    return text, [operands[2 * i] for i in range(count)]


def _labels(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[tuple[str, ...], str]:
    """Labels of every operand and of the output, without ellipsis."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ValueError("einsum: one term in the subscripts for every operand")
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in text]
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
    return tuple(terms), output


class _Term:
    """A factor of an einsum with its labels, no label twice."""

    __slots__ = ("factor", "labels")

    def __init__(self, factor: Factor, labels: str) -> None:
        repeated = sorted({c for c in labels if labels.count(c) > 1})
        for label in repeated:
            while labels.count(label) > 1:
                i = labels.index(label)
                j = labels.index(label, i + 1)
                factor = factor.moved(partial(np.diagonal, axis1=i, axis2=j))
                labels = labels[:i] + labels[i + 1 : j] + labels[j + 1 :] + label
        self.factor, self.labels = factor, labels

    def arranged(self, labels: str, shape: tuple[int, ...]) -> Factor:
        """The factor with its axes in the order of `labels`, reshaped."""
        if labels == self.labels:
            return self.factor.moved(lambda data: data.reshape(shape))
        order = [self.labels.index(c) for c in labels]
        return self.factor.moved(lambda data: data.transpose(order).reshape(shape))

    def summed(self, trace: Trace, keep: set[str]) -> _Term:
        """With the labels that nobody else needs summed away."""
        gone = [i for i, c in enumerate(self.labels) if c not in keep]
        if not gone:
            return self
        labels = "".join(c for c in self.labels if c in keep)
        order = [self.labels.index(c) for c in labels] + gone
        moved = self.factor.moved(lambda data: data.transpose(order))
        lead, inner = moved.shape[: len(labels)], moved.shape[len(labels) :]
        count = prod(inner)
        rows = moved.moved(lambda data: data.reshape(1, prod(lead), count))
        values = None if rows.values is None else rows.values.sum(axis=-1).reshape(lead)
        if not rows.traced:
            return _Term(Factor(trace, None, values, self.factor.dtype), labels)
        ones = Factor(trace, None, np.ones((1, count, 1)), np.dtype(float))
        ids = contract(trace, rows, ones).reshape(lead)
        return _Term(Factor(trace, ids, values, self.factor.dtype), labels)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A product of two operands as one contraction: how to arrange each, and the result."""

    axes: tuple[tuple[int, ...], ...]
    shapes: tuple[tuple[int, ...], ...]
    in_order: bool
    """Whether the result has its axes in order already."""

    def left(self, data: NDArray[Any]) -> NDArray[Any]:
        return data.transpose(self.axes[0]).reshape(self.shapes[0])

    def right(self, data: NDArray[Any]) -> NDArray[Any]:
        return data.transpose(self.axes[1]).reshape(self.shapes[1])

    def result(self, ids: Ids) -> Ids:
        if self.in_order:
            return ids.reshape(self.shapes[2])
        return array(ids.reshape(self.shapes[2]).transpose(self.axes[2]))


def _plan(terms: tuple[str, ...], output: str, shapes: tuple[tuple[int, ...], ...]) -> _Plan | None:
    """The plan of two operands, where no label is repeated, stretched or summed alone."""
    if len(terms) != 2 or any(len(set(t)) < len(t) for t in (*terms, output)):
        return None
    a, b = terms
    sizes = dict(zip(a, shapes[0], strict=True))
    if any(sizes.setdefault(c, n) != n for c, n in zip(b, shapes[1], strict=True)):
        return None
    if set(output) - set(sizes) or set(sizes) - set(output) - (set(a) & set(b)):
        return None
    batch = [c for c in a if c in b and c in output]
    inner = [c for c in a if c in b and c not in output]
    rows, columns = [c for c in a if c not in b], [c for c in b if c not in a]

    def count(labels: list[str]) -> int:
        return prod(sizes[c] for c in labels)

    made = [*batch, *rows, *columns]
    order = tuple(made.index(c) for c in output)
    return _Plan(
        (
            tuple(a.index(c) for c in (*batch, *rows, *inner)),
            tuple(b.index(c) for c in (*batch, *inner, *columns)),
            order,
        ),
        (
            (count(batch), count(rows), count(inner)),
            (count(batch), count(inner), count(columns)),
            tuple(sizes[c] for c in made),
        ),
        order == tuple(range(len(order))),
    )


@lru_cache(maxsize=1024)
def _read(
    subscripts: str, shapes: tuple[tuple[int, ...], ...]
) -> tuple[tuple[str, ...], str, _Plan | None]:
    """Labels of every operand and of the output, and the plan if there is one."""
    terms, output = _labels(subscripts, shapes)
    return terms, output, _plan(terms, output, shapes)


def _is_real(x) -> bool:
    """Whether `x` is an ordinary array of float64."""
    return type(x) is np.ndarray and x.dtype is FLOAT


def _plain(trace: Trace, plan: _Plan, a, b) -> Ids | None:
    """The common case: a traced array without constants, and another, or whole rows of numbers.

    Where it is not that, None, and nothing has happened.  Without it a call takes 1.3 to 2.7
    times as long, and ``einsum("i,i->", x, x)`` of a million elements 5.8 times.
    """
    (_, m, inner), (_, _, n) = plan.shapes[:2]
    if _is_real(b) and is_plain(trace, a):
        left = _met(trace, plan.left(a._ids), b, plan.right)
        if left is None:
            return None
        rows = trace.graph.union_rows(left)[:, :, None]
        return plan.result(rows if n == 1 else filled(rows, (*rows.shape[:2], n)))
    if _is_real(a) and is_plain(trace, b):
        right = _met(trace, plan.right(b._ids).swapaxes(1, 2), a, plan.left)
        if right is None:
            return None
        columns = trace.graph.union_rows(right)[:, None]
        return plan.result(columns if m == 1 else filled(columns, (len(columns), m, n)))
    if trace.second_order or not (is_plain(trace, a) and is_plain(trace, b)):
        return None
    left, right = plan.left(a._ids), plan.right(b._ids)
    if inner == 1:
        return plan.result(trace.graph.union(left, right))
    right = right.swapaxes(1, 2)
    if len(left) * m * n == 1:
        return plan.result(
            trace.graph.union_rows(left if a is b else concatenate((left, right), 2))
        )
    rows, columns = trace.graph.union_rows(left), trace.graph.union_rows(right)
    return plan.result(trace.graph.union(rows[:, :, None], columns[:, None]))


def _plain_alone(trace: Trace, labels: str, output: str, x) -> Ids | None:
    """The same for one operand without repeated labels: transposed, and summed (2.6 times)."""
    if len(set(labels)) < len(labels) or not set(output) <= set(labels):
        return None
    if not is_plain(trace, x):
        return None
    order = [labels.index(c) for c in output]
    gone = [i for i in range(len(labels)) if i not in order]
    moved = x._ids.transpose(order + gone)
    if not gone:
        return array(moved)
    return trace.graph.union_rows(moved.reshape(*moved.shape[: len(order)], -1))


def _met(
    trace: Trace,
    ids: Ids,
    constant: NDArray[Any],
    arranged: Callable[[NDArray[Any]], NDArray[Any]],
) -> Ids | None:
    """Those of ids ``(B, M, K)`` whose partners are not zero, where each row has the same."""
    some = count_nonzero(constant)
    if some == constant.size or not trace.values:
        return ids
    if not some or len(ids) > 1 or constant.size != ids.shape[2]:
        return None
    return ids[:, :, arranged(constant).reshape(-1) != 0]


def einsum(trace: Trace, *operands) -> Elements:
    """``np.einsum``, pairwise from the left; a label is summed when nobody needs it more."""
    if isinstance(operands[0], str):
        subscripts, arrays = operands[0], list(operands[1:])
    else:
        subscripts, arrays = _spelled(operands)
    shapes = tuple([x._ids.shape if is_traced(x) else np.shape(x) for x in arrays])
    terms, output, plan = _read(subscripts, shapes)
    if len(arrays) == 1 and is_traced(arrays[0]) and set(terms[0]) <= set(output):
        return _view(subscripts, arrays[0])
    ids = None
    if plan is not None:
        ids = _plain(trace, plan, *arrays)
    elif len(arrays) == 1:
        ids = _plain_alone(trace, terms[0], output, arrays[0])
    if ids is not None:
        return Elements(ids, FLOAT)
    dtype = np.result_type(*(dtype_of(x) for x in arrays))
    if plan is not None:
        p, q = (
            Factor.with_parts(trace, x).moved(move)
            for x, move in zip(arrays, (plan.left, plan.right), strict=True)
        )
        return Elements(plan.result(contract(trace, p, q)), dtype)
    todo = [_Term(Factor.with_parts(trace, x), t) for x, t in zip(arrays, terms, strict=True)]
    sizes: dict[str, int] = {}
    for term in todo:
        for label, size in zip(term.labels, term.factor.shape, strict=True):
            if sizes.setdefault(label, size) != size:
                if 1 not in (sizes[label], size):
                    raise ValueError(f"einsum: label {label!r} has two sizes")
                sizes[label] = max(sizes[label], size)
    unknown = set(output).difference(sizes)
    if unknown:
        raise ValueError(f"einsum: output subscripts {sorted(unknown)} appear in no input")
    todo = [_stretched(term, sizes) for term in todo]
    total = todo.pop(0)
    while todo:
        needed = set(output).union(*(t.labels for t in todo))
        total = _pair(trace, total.summed(trace, needed), todo.pop(0), set(output), todo, sizes)
    total = total.summed(trace, set(output))
    shape = tuple(sizes[c] for c in output)
    ids = total.arranged(output, shape).ids
    if ids is None:
        raise AssertionError("an einsum of constants reached the tracer")
    return Elements(np.array(ids), dtype)


def _view(subscripts: str, x) -> Elements:
    """Nothing is summed: as NumPy makes it, a view of the operand, whatever the dtype asked for."""
    ids = remapped(subscripts, x._ids)
    # of an array without dimensions NumPy makes a number
    return Elements(np.asarray(ids), x._dtype, keep_array=isinstance(ids, np.ndarray))


def _stretched(term: _Term, sizes: dict[str, int]) -> _Term:
    shape = tuple(sizes[c] for c in term.labels)
    if term.factor.shape == shape:
        return term
    stretched = term.factor.moved(lambda data: np.broadcast_to(data, shape))
    return _Term(stretched, term.labels)


def _pair(
    trace: Trace,
    left: _Term,
    right: _Term,
    output: set[str],
    rest: list[_Term],
    sizes: dict[str, int],
) -> _Term:
    later = output.union(*(t.labels for t in rest))
    right = right.summed(trace, later | set(left.labels))
    left = left.summed(trace, later | set(right.labels))
    shared = [c for c in left.labels if c in right.labels]
    batch = "".join(c for c in shared if c in later)
    inner = "".join(c for c in shared if c not in later)
    rows = "".join(c for c in left.labels if c not in right.labels)
    columns = "".join(c for c in right.labels if c not in left.labels)

    def count(labels: str) -> int:
        return prod(sizes[c] for c in labels)

    p = left.arranged(batch + rows + inner, (count(batch), count(rows), count(inner)))
    q = right.arranged(batch + inner + columns, (count(batch), count(inner), count(columns)))
    shape = [sizes[c] for c in batch + rows + columns]
    dtype = np.result_type(left.factor.dtype, right.factor.dtype)
    ids = values = None
    if p.values is not None and q.values is not None:
        values = np.matmul(p.values, q.values).reshape(shape)
    if p.traced or q.traced:
        ids = contract(trace, p, q).reshape(shape)
    return _Term(
        Factor(trace, ids, values if ids is None or trace.local else None, dtype),
        batch + rows + columns,
    )

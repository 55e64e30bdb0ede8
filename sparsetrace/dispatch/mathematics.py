"""Rules of numeric functions of Python: cross products, polynomials, complex domains.

Contract: each is written with the ufuncs and functions that have rules, in NumPy's own
order where that matters; what NumPy decides by looking at values, it decides here in a
way that holds for all inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib import scimath
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.dispatch import reductions
from sparsetrace.dispatch.operands import (
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    values_of,
)
from sparsetrace.dispatch.registry import rule_for
from sparsetrace.dispatch.settled import combined
from sparsetrace.graph import OPAQUE, ZERO, Graph, Ids
from sparsetrace.interactions import bend, interact

__all__: list[str] = []


@rule_for(np.cross)
def _cross(
    graph: Graph,
    a: Any,
    b: Any,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: Any = None,
) -> Any:
    """``cross(a, b)[0] = a[1] * b[2] - a[2] * b[1]``, and so on."""
    if axis is not None:
        axisa = axisb = axisc = axis
    left, right = _components(graph, a, axisa), _components(graph, b, axisb)
    if not {len(left), len(right)} <= {2, 3}:
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    flat = len(left) == len(right) == 2
    left, right = (_three(graph, part) for part in (left, right))

    def product(i: int, j: int) -> Operand:
        found = combined(graph, np.multiply, left[i], right[j])
        return Operand(graph, found.ids, found.dtype)

    def component(i: int, j: int) -> Elements:
        found = combined(graph, np.subtract, product(i, j), product(j, i))
        return found

    if flat:
        return component(0, 1)
    found = [component(1, 2), component(2, 0), component(0, 1)]
    ids = np.stack([part.ids for part in found], axis=-1)
    axisc = normalize_axis_index(axisc, ids.ndim)
    return Elements(np.moveaxis(ids, -1, axisc), found[0].dtype)


def _components(graph: Graph, x: Any, axis: int) -> list[Operand]:
    ids, kind = ids_of(graph, x), dtype_of(x)
    if not ids.ndim:
        raise ValueError("At least one array has zero dimension")
    return [Operand(graph, part, kind) for part in np.moveaxis(ids, axis, 0)]


def _three(graph: Graph, components: list[Operand]) -> list[Operand]:
    zero = Operand(graph, np.asarray(graph.constant(0.0)), components[0]._dtype)
    return [*components, zero] if len(components) == 2 else components


@rule_for(np.unwrap)
def _unwrap(
    graph: Graph, p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi
) -> Elements:
    """Adds multiples of the period, whose number is opaque."""
    ids, kind = ids_of(graph, p), dtype_of(p)
    step = period if type(period) in (int, float) else np.zeros(1, dtype_of(period))
    out_kind = np.result_type(kind, step)
    parts = [ids]
    if graph.dependency:
        prefix = reductions.accumulate(graph, np.add, Operand(graph, ids, kind), axis)
        parts.append(prefix.ids)
    if contains_traced(period):
        parts.append(np.broadcast_to(ids_of(graph, period), ids.shape))
    if graph.dependency and discont is not None and contains_traced(discont):
        parts.append(np.broadcast_to(ids_of(graph, discont), ids.shape))
    graph.pure = False
    return Elements(np.maximum(graph.union_all(parts), OPAQUE), out_kind)


@rule_for(np.sinc)
def _sinc(graph: Graph, x: Any) -> Elements:
    """``sin(pi x) / (pi x)``, and 1 at 0, where the first derivative vanishes alone."""
    ids, kind = ids_of(graph, x), dtype_of(x)
    kind = kind if kind.kind in "fc" else np.dtype(float)
    flat = np.zeros(ids.shape, bool)
    if graph.local and graph.values:
        flat = np.asarray(values_of(x)) == 0
    out = np.maximum(np.where(flat, np.int32(OPAQUE), ids), OPAQUE)
    known = ids <= ZERO
    if not graph.local and known.any():
        graph.pure = False
        out = np.where(known, graph.constant(np.sinc(graph.known_values(ids, kind))), out)
    if graph.second_order:
        out = interact(graph, out, [(ids, ids)], cut=graph.local)
    return Elements(out, kind)


# ------------------------------------------------------------------- polynomials
def _trimmed(graph: Graph, x: Any) -> tuple[Ids, np.dtype[Any]]:
    """Coefficients without leading constant zeros; a traced one is taken as not zero."""
    ids = np.atleast_1d(ids_of(graph, x))
    if ids.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    kept = np.atleast_1d(values_of(x)) if graph.local else ids
    places = np.flatnonzero(kept)
    return (ids[places[0] :] if len(places) else ids[:1] * ZERO), dtype_of(x)


@rule_for(np.polymul)
def _polymul(graph: Graph, a1: Any, a2: Any) -> Any:
    operands = [Operand(graph, *_trimmed(graph, x)) for x in (a1, a2)]
    return _wrapped_convolution(graph, *operands)


def _wrapped_convolution(graph: Graph, a: Operand, b: Operand) -> Elements:
    """``np.convolve`` by its own rule, a term at a time."""
    n = a._ids.size + b._ids.size - 1
    short, long = sorted((a, b), key=lambda x: x._ids.size)
    kind = np.result_type(a._dtype, b._dtype)
    total = Operand(graph, np.zeros(n, np.int32), kind)
    for i in range(short._ids.size):
        factor = Operand(graph, short._ids[i : i + 1], short._dtype)
        term = combined(graph, np.multiply, long, factor)
        placed = np.zeros(n, np.int32)
        placed[i : i + long._ids.size] = term.ids
        found = combined(graph, np.add, total, Operand(graph, placed, kind))
        total = Operand(graph, found.ids, kind)
    return Elements(total._ids, kind)


@rule_for(np.polydiv)
def _polydiv(graph: Graph, u: Any, v: Any) -> tuple[Elements, Elements]:
    """Long division; the remainder has the divisor's length less one."""
    kind = np.result_type(dtype_of(u), dtype_of(v), np.float64 if _whole(u, v) else dtype_of(u))
    rest = np.array(np.atleast_1d(ids_of(graph, u)))
    divisor = Operand(graph, np.atleast_1d(ids_of(graph, v)), kind)
    graph.pure = False
    steps = len(rest) - divisor._ids.size + 1
    quotient = np.zeros(max(steps, 1), np.int32)
    leading = Operand(graph, divisor._ids[:1], kind)
    for k in range(steps):
        head = Operand(graph, rest[k : k + 1], kind)
        factor = combined(graph, np.true_divide, head, leading)
        quotient[k] = factor.ids[0]
        multiplier = Operand(graph, factor.ids, kind)
        term = combined(graph, np.multiply, divisor, multiplier)
        part = slice(k, k + divisor._ids.size)
        rows = Operand(graph, rest[part], kind)
        left = combined(graph, np.subtract, rows, Operand(graph, term.ids, kind))
        rest[part] = left.ids
        rest[k] = ZERO
    if steps > 0:
        rest = rest[min(steps, len(rest) - 1) :]
    return Elements(quotient, kind), Elements(rest, kind)


def _whole(*operands: Any) -> bool:
    return all(dtype_of(x).kind in "biu" for x in operands)


@rule_for(np.roots)
def _roots(graph: Graph, p: Any) -> Elements:
    """Without constant zeros at the ends; a traced coefficient is taken as not zero."""
    ids = ids_of(graph, p)
    if np.ndim(p) != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = np.flatnonzero(np.asarray(values_of(p)) if graph.local else ids)
    if not len(places):
        return Elements(np.zeros(0, np.int32), np.dtype(complex))
    inner = ids[places[0] : places[-1] + 1]
    zeros = len(ids) - 1 - int(places[-1])
    total = bend(graph, graph.union_rows(inner[None]))
    found = np.concatenate([np.repeat(total, len(inner) - 1), np.zeros(zeros, np.int32)])
    graph.pure = False
    return Elements(found, np.dtype(complex))


# -------------------------------------------------------------- complex domains
def _complex_domain(function: Callable[..., Any], ufunc: np.ufunc) -> None:
    """Complex, since the result is for some inputs; it depends on what the ufunc does."""

    def rule(graph: Graph, x: Any) -> Elements:
        found = combined(graph, ufunc, x)
        return Elements(found.ids, np.result_type(found.dtype, np.complex64))

    rule_for(function)(rule)


for _name in "sqrt log log2 log10 arccos arcsin arctanh".split():
    _complex_domain(getattr(scimath, _name), getattr(np, _name))


@rule_for(scimath.power)
def _power(graph: Graph, x: Any, p: Any) -> Elements:
    found = combined(graph, np.power, x, p)
    return Elements(found.ids, np.result_type(found.dtype, np.complex64))


@rule_for(scimath.logn)
def _logn(graph: Graph, n: Any, x: Any) -> Elements:
    """``log(x) / log(n)``."""
    parts = [np.log(value) for value in (x, n)]
    found = combined(graph, np.true_divide, *parts)
    return Elements(found.ids, np.result_type(found.dtype, np.complex64))

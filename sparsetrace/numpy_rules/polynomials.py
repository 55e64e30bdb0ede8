"""Rules of functions that NumPy writes in Python: cross products, polynomials, ``np.emath``.

Contract: each is written with ufuncs and functions that have rules, in NumPy's own order
where that matters.  Where NumPy looks at values, as for leading zeros of a polynomial, the
rule takes the way that is right for all inputs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.lib import scimath
from numpy.lib.array_utils import normalize_axis_index

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, ZERO
from sparsetrace.graph.interactions import interact, interact_all
from sparsetrace.numpy_rules.matrix_products import convolve
from sparsetrace.operands.complex_operands import chosen_ids, moved_operand
from sparsetrace.operands.constants import constants, plain_values
from sparsetrace.operands.elementwise import combine
from sparsetrace.operands.operands import (
    Elements,
    Operand,
    contains_traced,
    dtype_of,
    ids_of,
    known_of,
    operand_of,
    values_of,
)
from sparsetrace.operands.prefixes import accumulate
from sparsetrace.operands.registry import rule_for

__all__: list[str] = []


@rule_for(np.cross)
def _cross(trace: Trace, a, b, axisa, axisb, axisc, axis) -> Any:
    """``cross(a, b)[0] = a[1] * b[2] - a[2] * b[1]``, and so on."""
    if axis is not None:
        axisa = axisb = axisc = axis
    left, right = _components(trace, a, axisa), _components(trace, b, axisb)
    if not len(left) == len(right) == 3:  # NumPy raises; since 2.5 also for vectors of the plane
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.cross(np.zeros(len(left)), np.zeros(len(right)))
    planar = len(left) == len(right) == 2
    left, right = (_three(trace, vector) for vector in (left, right))

    def component(i: int, j: int) -> Elements:
        products = [combine(trace, np.multiply, left[p], right[q]) for p, q in ((i, j), (j, i))]
        result = combine(trace, np.subtract, *products)
        return Elements(result._ids, result._dtype)

    if planar:
        return component(0, 1)
    result = [component(1, 2), component(2, 0), component(0, 1)]
    ids = np.stack([vector.ids for vector in result], axis=-1)
    axisc = normalize_axis_index(axisc, ids.ndim)
    return Elements(np.moveaxis(ids, -1, axisc), result[0].dtype)


def _components(trace: Trace, x, axis: int) -> list[Operand]:
    operand = moved_operand(trace, x)
    if not operand._ids.ndim:
        raise ValueError("At least one array has zero dimension")
    last = operand.moved(lambda data: np.moveaxis(data, axis, -1))
    return [last.along(i) for i in range(last.shape[-1])]


def _three(trace: Trace, components: list[Operand]) -> list[Operand]:
    values = np.zeros(()) if trace.local else None
    zero = Operand(trace, np.asarray(trace.graph.constant(0.0)), components[0]._dtype, values)
    return [*components, zero] if len(components) == 2 else components


@rule_for(np.unwrap)
def _unwrap(trace: Trace, p, discont, axis, period) -> Elements:
    """Adds multiples of the period, whose number is opaque."""
    ids, dtype = ids_of(trace, p), dtype_of(p)
    # on a small array: NumPy raises its own errors
    np.unwrap(np.zeros([min(n, 2) for n in ids.shape], dtype), axis=axis)
    step = period if type(period) in (int, float) else np.zeros(1, dtype_of(period))
    out_dtype = np.result_type(dtype, step)
    sources = [ids]
    if trace.dependency:
        prefix = accumulate(trace, np.add, Operand(trace, ids, dtype), axis)
        sources.append(prefix.ids)
    if contains_traced(period):
        later = np.full(ids.shape, trace.graph.opaque, np.int32)  # the first one stays as it is
        np.moveaxis(later, axis, 0)[1:] = ids_of(trace, period)
        sources.append(later)
    if trace.dependency and discont is not None and contains_traced(discont):
        sources.append(np.broadcast_to(ids_of(trace, discont), ids.shape))
    return Elements(np.maximum(trace.graph.union_all(sources), OPAQUE), out_dtype)


@rule_for(np.sinc)
def _sinc(trace: Trace, x) -> Elements:
    """``sin(pi x) / (pi x)``, and 1 at 0: there the first derivative is zero, the second not."""
    ids, dtype = ids_of(trace, x), dtype_of(x)
    dtype = dtype if dtype.kind in "fc" else np.dtype(float)
    at_maximum = np.zeros(ids.shape, bool)
    if trace.local and trace.values:
        at_maximum = np.asarray(values_of(x)) == 0
    kept = np.where(at_maximum, trace.graph.opaque, ids) if at_maximum.any() else ids
    out = np.maximum(kept, OPAQUE)
    known = ids <= ZERO
    if not trace.local and known.any():
        out = np.where(
            known, trace.graph.constant(np.sinc(trace.graph.known_values(ids, dtype))), out
        )
    if trace.second_order:
        out = interact(trace.graph, out, [(ids, ids)], cut=trace.local)
    return Elements(out, dtype)


@rule_for(np.i0)
def _i0(trace: Trace, x) -> Elements:
    """As the ufunc of SciPy's, which NumPy's writes out as Chebyshev series."""
    operand = operand_of(trace, x)
    if operand._dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    if operand._dtype.kind != "f":
        values = None if operand._values is None else operand._values.astype(float)
        operand = Operand(trace, operand._ids, np.dtype(float), values)
    result = combine(trace, import_module("scipy.special").i0, operand)
    return Elements(result._ids, operand._dtype, keep_array=True)


# ------------------------------------------------------------------- polynomials
def _trimmed(trace: Trace, x) -> Operand:
    """Coefficients without leading constant zeros; a traced one is taken as not zero."""
    result = moved_operand(trace, x).moved(np.atleast_1d)
    if result._ids.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    some = result._values
    places = np.flatnonzero(~trace.graph.zeros_among(result._ids) if some is None else some)
    if len(places):
        return result.moved(lambda data: data[places[0] :])
    return result.moved(lambda data: np.zeros(1, data.dtype))


@rule_for(np.polymul)
def _polymul(trace: Trace, a1, a2) -> Any:
    return convolve(trace, *(_trimmed(trace, x) for x in (a1, a2)))


@rule_for(np.polydiv)
def _polydiv(trace: Trace, u, v) -> tuple[Elements, Elements]:
    """Long division; the remainder has the divisor's length less one, or less."""
    dtype = np.result_type(dtype_of(u), dtype_of(v), np.float64 if _whole(u, v) else dtype_of(u))
    if not trace.local and all(plain_values(trace, x) is not None for x in (u, v)):
        with np.errstate(all="ignore"):
            parts = np.polydiv(*(known_of(trace, x) for x in (u, v)))
        return constants(trace, parts[0]), constants(trace, parts[1])
    rest, divisor = (
        Operand(
            trace,
            np.array(chosen_ids(trace, x, dtype)),
            dtype,
            np.array(values_of(x), dtype) if trace.local else None,
        ).moved(np.atleast_1d)
        for x in (u, v)
    )
    if not rest._ids.size or not divisor._ids.size:
        raise IndexError("polydiv: a polynomial without coefficients")
    width = divisor._ids.size
    steps = rest._ids.size - width + 1
    quotient = np.full(max(steps, 1), trace.graph.zero, np.int32)
    for k in range(steps):
        head = rest.along(k, k + 1)
        factor = combine(trace, np.true_divide, head, divisor.along(0, 1))
        quotient[k] = factor._ids[0]
        term = combine(trace, np.multiply, divisor, factor)
        rows = rest.along(k, k + width)
        left = combine(trace, np.subtract, rows, term)
        rest._ids[k : k + width] = left._ids
        rest._ids[k] = trace.graph.zero
        if rest._values is not None:
            rest._values = rest._values.astype(dtype)
            rest._values[k : k + width] = left._values
            rest._values[k] = 0
    ids = rest._ids
    if steps > 0:
        ids = ids[min(steps, len(ids) - 1) :]
    kept = (
        np.flatnonzero(~trace.graph.zeros_among(ids))
        if not trace.local
        else [len(ids) - _remainder_size(u, v)]
    )
    return Elements(quotient, dtype), Elements(ids[min([*kept, len(ids) - 1]) :], dtype)


def _remainder_size(u, v) -> int:
    """NumPy's remainder is without what is almost zero in front."""
    with np.errstate(all="ignore"):
        return len(np.polydiv(*(np.asarray(values_of(x)) for x in (u, v)))[1])


def _whole(*operands) -> bool:
    return all(dtype_of(x).kind in "biu" for x in operands)


@rule_for(np.roots)
def _roots(trace: Trace, p) -> Elements:
    """Without constant zeros at the ends; a traced coefficient is taken as not zero."""
    ids = ids_of(trace, p)
    if np.ndim(p) != 1:
        raise ValueError("Input must be a rank-1 array.")
    zeros_known = trace.graph.zeros_among(ids)
    places = np.flatnonzero(np.asarray(values_of(p)) if trace.local else ~zeros_known)
    if not len(places):
        return Elements(np.zeros(0, np.int32), np.dtype(float))
    inner = ids[places[0] : places[-1] + 1]
    zeros = len(ids) - 1 - int(places[-1])
    if zeros and (ids[places[-1] + 1 :] > OPAQUE).any():  # at this point alone, in a local trace
        total = interact_all(trace.graph, trace.graph.union_rows(ids[None, places[0] :]))
        return Elements(np.repeat(total, len(inner) - 1 + zeros), np.dtype(complex))
    dtype = dtype_of(p) if dtype_of(p).kind in "fc" else np.dtype(float)
    if len(inner) == 1:
        inner, dtype = inner[:0], np.dtype(float)
    elif len(inner) == 2:
        polynomial = operand_of(trace, p)
        ends = (polynomial.along(places[0] + i, places[0] + i + 1) for i in (1, 0))
        inner = combine(trace, np.negative, combine(trace, np.true_divide, *ends))._ids
    else:
        total = interact_all(trace.graph, trace.graph.union_rows(inner[None]))
        inner, dtype = np.repeat(total, len(inner) - 1), np.result_type(dtype, np.complex64)
    if zeros:
        inner = np.concatenate([inner, np.full(zeros, trace.graph.zero, np.int32)])
    return Elements(np.array(inner), dtype)


# -------------------------------------------------------------- complex domains
def _of_complex(
    trace: Trace, function: Callable[..., Any], result: Any, *operands: Any
) -> Elements:
    """A result of complex dtype, since it is so for some inputs, and for some constants."""
    ids = np.array(result._ids)
    given = [np.broadcast_to(ids_of(trace, x), ids.shape) for x in operands]
    known = np.logical_and.reduce([x <= ZERO for x in given])
    if not (trace.local or trace.graph.pure) and known.any():
        values = (
            trace.graph.known_values(x[known], dtype_of(operand)).astype(complex)
            for x, operand in zip(given, operands, strict=True)
        )
        with np.errstate(all="ignore"):
            ids[known] = trace.graph.constant(function(*values))
    return Elements(ids, np.result_type(result._dtype, np.complex64))


def _complex_domain(function: Callable[..., Any], ufunc: np.ufunc) -> None:
    """The ufunc's dependencies, with constants of its complex domain."""

    def rule(trace: Trace, x) -> Elements:
        return _of_complex(trace, ufunc, combine(trace, ufunc, x), x)

    rule_for(function)(rule)


for _name in "sqrt log log2 log10 arccos arcsin arctanh".split():
    _complex_domain(getattr(scimath, _name), getattr(np, _name))


@rule_for(scimath.power)
def _power(trace: Trace, x, p) -> Elements:
    # made into arrays, so that Python's numbers count in the choice of the dtype
    base, exponent = (y if contains_traced(y) else np.asarray(y) for y in (x, p))
    return _of_complex(trace, np.power, combine(trace, np.power, base, exponent), base, exponent)


@rule_for(scimath.logn)
def _logn(trace: Trace, n, x) -> Elements:
    """``log(x) / log(n)``."""
    logarithms = [np.log(value) for value in (x, n)]
    result = combine(trace, np.true_divide, *logarithms)
    return _of_complex(trace, lambda x, n: np.log(x) / np.log(n), result, x, n)

"""Calls written as expressions, and the one check that they all go through.

Contract: an expression names the arrays of `namespace`, all of them parts of one vector `v`
of twelve inputs, and plain constants.  What NumPy itself does with plain numbers is what the
trace has to do: where NumPy raises, so must the trace; elsewhere shapes, dtypes and patterns
of first and second order are compared with the oracles.
"""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np
from checks import Case, check_local, check_metadata, check_pattern

import sparsetrace as st
from oracles import (
    assert_covers,
    assert_same_pattern,
    dense,
    flat_outputs,
    numerical_hessian_pattern,
)
from sparsetrace.tracing.pytree import leaves

INPUTS = 12
LOW, HIGH = 0.5, 2.0

#: Plain arrays: zeros in K cut dependencies, P has values among those of the inputs.
CONSTANTS = {
    "np": np,
    "K": np.array([[1.0, 0.0, 2.0, 3.0], [0.5, 1.5, 0.0, 0.0], [2.5, 1.0, 1.0, 0.7]]),
    "k": np.array([1.0, 0.0, 2.0, 3.0]),
    "P": np.array([[0.9, 1.1, 1.3, 0.7], [1.6, 0.8, 1.2, 1.4], [1.0, 1.5, 0.95, 1.05]]),
    "W": np.array([[True, False, True, True], [False, True, True, False], [True] * 4]),
    "w": np.array([True, False, True, True]),
    "none": np.zeros((3, 4), dtype=bool),
    "D": np.eye(3),
    "S": np.array([[4.0, 1.0, 0.5], [1.0, 5.0, 0.2], [0.5, 0.2, 6.0]]),
}


#: What expressions see of `v`.
PARTS: dict[str, Callable[[Any], Any]] = {
    "v": lambda v: v,
    "m": lambda v: v.reshape(3, 4),
    "t": lambda v: v.reshape(2, 2, 3),
    "q": lambda v: v[:9].reshape(3, 3),
    "a": lambda v: v[:4],
    "b": lambda v: v[4:8],
    "s": lambda v: v[0],
    "z": lambda v: v[:1].reshape(()),
    "e": lambda v: v[:0],
    "e2": lambda v: v[:0].reshape(0, 3),
    "e3": lambda v: v[:0].reshape(3, 0),
}


def namespace(v: Any) -> dict[str, Any]:
    """The names that expressions use.

    v: the vector itself; m: (3, 4); t: (2, 2, 3); q: (3, 3); a, b: (4,); s: one element;
    z: shape (); e, e2, e3: empty, of shapes (0,), (0, 3) and (3, 0).
    """
    return {**CONSTANTS, **{name: part(v) for name, part in PARTS.items()}}


def function(expression: str) -> Any:
    """The function of `v` that an expression stands for; it makes the parts that this names."""
    named = {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}
    used = {name: part for name, part in PARTS.items() if name in named}
    # one scope for all calls: what a trace exchanges in it is there when the next run comes
    source = f"lambda {', '.join(used)}: ({expression})"
    call = eval(compile(source, f"<{expression}>", "eval"), dict(CONSTANTS))
    made = tuple(used.values())

    def f(v: Any) -> Any:
        result = call(*[part(v) for part in made])
        return result if isinstance(v, st.TracedArray) else _finite(result)

    f.verify = False  # type: ignore[attr-defined]  # what is not finite differs

    return f


def _finite(result: Any) -> Any:
    """Numbers without NaN: means of no element are constant, and no difference of NaN is."""
    if isinstance(result, list | tuple):
        return [_finite(item) for item in result]
    result = np.asarray(result)
    nan = np.isnan(result)
    return np.where(nan, 0, result).astype(result.dtype) if nan.any() else result


def check(expression: str, *, extra: str = "") -> None:
    """Compare a call with what NumPy does, and its patterns with the oracles."""
    f = function(expression)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            f(np.linspace(LOW, HIGH, INPUTS))
    except Exception as error:
        check_error(f, error)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        case = Case(expression, f, INPUTS, LOW, HIGH, extra=extra, points=3 if extra else 1)
        check_pattern(case, further=60)  # what depends on the order of the inputs
        check_local(case)
        check_metadata(case, np.float64)
        check_metadata(case, np.float32)
        check_second_order(f, extra)


_REFUSALS = (TypeError, ValueError, IndexError, ZeroDivisionError, st.TracingError)


def check_error(f: Any, error: Exception) -> None:
    """What NumPy refuses, the trace refuses likewise."""
    v = np.linspace(LOW, HIGH, INPUTS)
    for local in (False, True):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                st.jacobian_sparsity(f, v, local=local)
        except Exception as other:
            if isinstance(other, (type(error), *_REFUSALS)):
                continue
            raise AssertionError(f"NumPy: {error!r}, the trace: {other!r}") from other
        raise AssertionError(f"NumPy: {error!r}, the trace: no error")


def check_second_order(f: Any, extra: str = "") -> None:
    """The Hessian of a weighted sum of all outputs, against second differences."""

    def outputs(v: Any) -> Any:
        found = [np.asanyarray(leaf) for leaf in leaves(f(v))]
        return [part for y in found for part in ((y.real, y.imag) if y.dtype.kind == "c" else (y,))]

    def total(v: Any) -> Any:
        numbers = flat_outputs(f(v))
        weights = _weights(numbers.size)
        if numbers.dtype.kind == "c":
            terms = weights[0] * numbers.real + weights[1] * numbers.imag
        else:
            terms = weights[0] * numbers
        whole = terms.sum()
        return whole if isfinite(whole) else terms[np.isfinite(terms)].sum()

    pattern = dense(st.lagrangian_hessian_sparsity(outputs, np.ones(INPUTS)))
    with np.errstate(all="ignore"):
        if not pattern.any() and _is_straight(total):
            return
    expected = _second_derivatives(total, points=1)
    # more points find what depends on the order of the inputs
    if not extra and (pattern & ~expected).any():
        expected |= _second_derivatives(total, points=60, among=pattern & ~expected)
    compare = assert_covers if extra else assert_same_pattern
    compare(pattern, expected)


@functools.cache
def _weights(size: int) -> Any:
    return 1 + np.random.default_rng(7).random((2, size))


def _is_straight(f: Any) -> bool:
    """Whether a function has no second difference in random directions: then it has none.

    A quick answer for what is linear; at a kink nearby it is wrong, and the oracle is asked.
    """
    generator = np.random.default_rng(11)
    for _ in range(2):
        v = generator.uniform(LOW, HIGH, INPUTS)
        step = 1e-3 * generator.standard_normal(INPUTS)
        below, here, above = f(v - step), f(v), f(v + step)
        if not abs(above - 2 * here + below) <= 1e-12 * (abs(here) + abs(above) + abs(below)):
            return False
    return True


def _second_derivatives(f: Any, **options: Any) -> Any:
    with np.errstate(all="ignore"):
        return numerical_hessian_pattern(f, np.ones(INPUTS), low=LOW, high=HIGH, **options)

"""Rules of Python's ``statistics``, which computes in fractions and asks numbers for theirs.

Contract: the numbers become an array, and the rule is what the function computes of them, with
NumPy's functions; the result is a number of Python's own.  Registered as the rules of SciPy are.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import numpy as np

from sparsetrace.context import CURRENT
from sparsetrace.dispatch.function_rules import register
from sparsetrace.numbers.scalar import as_python
from sparsetrace.operands.complex_operands import elements_of
from sparsetrace.operands.operands import contains_traced

__all__: list[str] = []


def _array(data: Iterable[Any]) -> Any:
    trace, items = CURRENT.get(), list(data)
    assert trace is not None
    return trace.wrap(elements_of(trace, items)) if contains_traced(items) else np.array(items)


def _enough(x: Any, count: int, name: str) -> None:
    if len(x) < count:
        _refuse(f"{name} requires at least {count} data point(s)")


def _refuse(problem: str) -> NoReturn:
    raise sys.modules["statistics"].StatisticsError(problem)


def _mean(call: Any, data: Any) -> Any:
    x = _array(data)
    _enough(x, 1, "mean")
    return as_python(np.sum(x) / len(x))


def _median(call: Any, data: Any) -> Any:
    x = _array(data)
    _enough(x, 1, "median")
    return as_python(np.median(x))


def _ordered(place: Callable[[int], int]) -> Callable[..., Any]:
    def rule(call: Any, data: Any) -> Any:
        x = _array(data)
        _enough(x, 1, "median")
        return as_python(np.sort(x)[place(len(x))])

    return rule


def _spread(less: int, *, root: bool) -> Callable[..., Any]:
    """The mean square about the mean, of so many fewer numbers than there are."""

    def spread(data: Any, centre: Any) -> Any:
        x = _array(data)
        _enough(x, 1 + less, "variance")
        deviations = x - (np.sum(x) / len(x) if centre is None else centre)
        variance = np.sum(deviations**2) / (len(x) - less)
        return as_python(np.sqrt(variance) if root else variance)

    if less:
        return lambda call, data, xbar: spread(data, xbar)
    return lambda call, data, mu: spread(data, mu)


def _geometric_mean(call: Any, data: Any) -> Any:
    return as_python(np.exp(_mean(call, np.log(_array(data)))))


def _harmonic_mean(call: Any, data: Any, weights: Any) -> Any:
    x = _array(data)
    _enough(x, 1, "harmonic_mean")
    given = np.ones(len(x)) if weights is None else _array(weights)
    return as_python(np.sum(given) / np.sum(given / x))


def _deviations(*columns: Any) -> list[Any]:
    arrays = [_array(column) for column in columns]
    if len({len(x) for x in arrays}) > 1:
        _refuse("both inputs must have the same number of data points")
    _enough(arrays[0], 2, "covariance")
    return [x - np.sum(x) / len(x) for x in arrays]


def _covariance(call: object, x: object, y: object) -> Any:
    first, second = _deviations(x, y)
    return as_python(np.sum(first * second) / (len(first) - 1))


def _correlation(call: object, x: object, y: object) -> Any:
    first, second = _deviations(x, y)
    return as_python(np.sum(first * second) / np.sqrt(np.sum(first**2) * np.sum(second**2)))


_RULES: dict[str, Callable[..., Any]] = {
    "correlation": _correlation,
    "covariance": _covariance,
    "geometric_mean": _geometric_mean,
    "harmonic_mean": _harmonic_mean,
    "mean": _mean,
    "median": _median,
    "median_high": _ordered(lambda n: n // 2),
    "median_low": _ordered(lambda n: (n - 1) // 2),
    "pstdev": _spread(0, root=True),
    "pvariance": _spread(0, root=False),
    "stdev": _spread(1, root=True),
    "variance": _spread(1, root=False),
}


def _of_any_iterable(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule behind a look at the numbers: an iterator does not show what it will give."""

    @functools.wraps(rule)
    def looking(call: Any, *args: Any) -> Any:
        given = [list(x) if isinstance(x, Iterable) else x for x in args]
        return rule(call, *given) if contains_traced(given) else call.original(*given)

    return looking


for _name, _rule in _RULES.items():
    register("statistics", _name, _of_any_iterable(_rule), always=True)

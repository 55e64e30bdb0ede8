"""``scipy.integrate``: integrals of functions of one and two variables.

Contract: an integral between constants is a sum of values of the function, so linear in what
the function depends on linearly.  One between traced limits depends on all of it nonlinearly,
as the estimate of the error does.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.graph.reach import Reach
from sparsetrace.operands.operands import contains_traced, ids_of
from sparsetrace.scipy_rules.callbacks import (
    Returned,
    TracedResult,
    at_places,
    of_values,
    place_between,
    reads_arguments_alone,
)
from sparsetrace.scipy_rules.integrate.jumps import moving, varying
from sparsetrace.scipy_rules.kept_state import until_settled
from sparsetrace.scipy_rules.rule_tools import Call, Hidden, array_of, constant, current, made
from sparsetrace.scipy_rules.whole import whole

_OPTIONS = "an option of an integral"


def _results(returned: Returned, limits: list[Any], value=None, error=None) -> Any:
    """The integral and the estimate of its error."""
    trace = current()
    ids = np.asarray(returned.ids)
    traced = [ids_of(trace, x).reshape(-1) for x in limits if contains_traced(x)]
    total = ids
    if traced:
        of_limits = trace.graph.union_rows(np.concatenate(traced))
        ids = total = interact_all(trace.graph, trace.graph.union(ids, of_limits))
    every = trace.graph.union_rows(np.asarray(total).reshape(-1))
    of_error = np.asarray(interact_all(trace.graph, np.maximum(every, OPAQUE)))
    if trace.moving is not None:
        of_error = trace.moving.rested(of_error)
    return (
        _made(ids, returned.dtype, value),
        _made(of_error, np.dtype(float), error),
    )


def _made(ids: Ids, dtype: np.dtype[Any], value) -> Any:
    values = None if value is None else np.asarray(value)
    return made(current(), np.maximum(ids, OPAQUE), dtype, values, scalar=not ids.ndim)


def quad(
    call, func, a, b, args, full_output, epsabs, epsrel, limit, points, weight, wvar, wopts, maxp1,
    limlst, complex_func=False,
):  # fmt: skip
    options = {
        "epsabs": epsabs, "epsrel": epsrel, "limit": limit, "points": points, "weight": weight,
        "wvar": wvar, "wopts": wopts, "maxp1": maxp1, "limlst": limlst,
        "complex_func": complex_func,
    }  # fmt: skip
    constant(call, tuple(options.values()), _OPTIONS)
    return _integral(call, func, a, b, args, full_output, options)


def quad_vec(
    call, f, a, b, epsabs, epsrel, norm, cache_size, limit, workers, points, quadrature,
    full_output, args=(),
):  # fmt: skip
    options = {
        "epsabs": epsabs, "epsrel": epsrel, "norm": norm, "cache_size": cache_size,
        "limit": limit, "workers": workers, "points": points, "quadrature": quadrature,
    }  # fmt: skip
    return _integral(call, f, a, b, args, full_output, options)


def _integral(call: Call, func, a, b, args, full_output, options: dict[str, Any]) -> Any:
    args = args if isinstance(args, tuple) else (args,)
    limits = contains_traced((a, b))
    if not callable(func):
        return call.original(func, a, b, args, full_output=full_output, **options)
    returned, trace = Returned(), current()

    def function(t):
        return func(t, *args)

    between = None if reads_arguments_alone(func) else place_between(a, b)
    if trace.local or not limits:
        plain = of_values(a), of_values(b)
        try:
            with varying(trace) as steps:
                result = call.original(
                    returned.values_only(steps.each(at_places(function, between))), *plain,
                    full_output=full_output, **options,
                )  # fmt: skip
        except TracedResult:
            pass
        else:
            returned.join_steps(steps, result[0])
            if returned.ids is None and not limits:
                return result
            if returned.ids is None:
                returned.ids = np.full(np.shape(result[0]), trace.graph.opaque, np.int32)
            return (*_results(returned, [a, b], *result[:2]), *_how(call, full_output))
    if not contains_traced(args) and reads_arguments_alone(func):
        with suppress(Exception):  # where it takes this number, what it gives is no traced one
            returned.add(np.asarray(function(0.5)))
    if returned.ids is None:

        def once() -> None:
            with moving(trace) as place:
                returned.add(array_of(function(place(between=between))))

        until_settled(once, function)
        returned.add_first(function, np.asarray(returned.ids).shape)
    return (*_results(returned, [a, b]), *_how(call, full_output))


def nquad(call, func, ranges, args, opts, full_output):
    """By SciPy's own code, whose calls of ``quad`` are traced where something traced comes out.

    At a point nothing does of steps; these are noted over all of the box.
    """
    trace, returned = current(), Returned()
    if not trace.local:
        return call.original(func, ranges, args, opts, full_output)
    with varying(trace) as steps:
        value, *others = call.original(steps.each(func), ranges, args, opts, full_output)
    if contains_traced(value):
        returned.add(array_of(value))
    returned.join_steps(steps, value)
    if returned.ids is None:
        return (value, *others)
    value = of_values(value)
    return (_made(returned.ids, returned.dtype, value), *others)


def simpson(call, y, x, dx, axis):
    """Of constant places SciPy's own code; of traced ones all depends on all."""
    if contains_traced(x):
        return whole(call, y, x=x, dx=dx, axis=axis)
    return call.original(y, x=x, dx=dx, axis=axis)


def _how(call: Call, full_output) -> tuple[Any, ...]:
    """What stands for how an integral was found, where it is asked for."""
    if not full_output:
        return ()
    return (Hidden(call.name, "how the integral was found has no rule", "Use the integral alone."),)


def dblquad(call, func, a, b, gfun, hfun, args, epsabs, epsrel):
    args = args if isinstance(args, tuple) else (args,)
    inner = [g if callable(g) else (lambda x, g=g: g) for g in (gfun, hfun)]
    returned, between, trace = Returned(), Returned(), current()

    def function(y, x):
        return func(y, x, *args)

    outer, along = contains_traced((a, b)), place_between(a, b)
    if trace.local or not outer:
        area = _Area(function, inner, along)
        try:
            with varying(trace) as steps:
                result = call.original(
                    returned.values_only(steps.each(area.inside)), of_values(a), of_values(b),
                    *(between.values_only(steps.each(limit)) for limit in area.limits),
                    epsabs=epsabs, epsrel=epsrel,
                )  # fmt: skip
        except TracedResult:
            pass
        else:
            returned.join_steps(steps, result[0])
            return (
                _over_an_area(returned, between, [a, b], *result)
                if (outer or returned.ids is not None or between.ids is not None)
                else result
            )
    reach = Reach(trace.graph)

    def once() -> None:
        with moving(trace) as place:
            x = place(between=along)
            ends = [array_of(limit(x)) for limit in inner]
            for end in ends:
                between.add(end)
            returned.add(array_of(function(place(between=place_between(*ends)), x)))

    until_settled(once, function, *inner)
    returned.add_first(function, ())
    assert between.ids is not None
    read = [reach.of(node) for node in between.ids.reshape(-1).tolist() if node > OPAQUE]
    if all(node == (0, 0) for node in read):  # but the place
        between.ids = None
    return _over_an_area(returned, between, [a, b])


class _Area:
    """The functions of a double integral at a point, which are given places that move.

    Parameters
    ----------
    function : callable
        Of y and x.
    inner : list of callable
        Of x: between which y is.
    along : ndarray of int32 or None
        What x moves with.
    """

    def __init__(self, function, inner, along: Ids | None) -> None:
        self._function, self._along = function, along
        self._across: list[Ids | None] = [None, None]
        """What y moves with, from either of its limits at the last x."""
        self.limits = [self._noted(at, at_places(limit, along)) for at, limit in enumerate(inner)]

    def _noted(self, at: int, limit) -> Any:
        def called(x) -> Any:
            result = limit(x)
            self._across[at] = place_between(result)
            return result

        return called

    def inside(self, y, x) -> Any:
        """The function there."""
        graph = current().graph
        across = [ids for ids in self._across if ids is not None]
        moved = np.asarray(graph.union_all(across)) if across else None
        whole = at_places(
            lambda x: at_places(lambda y: self._function(y, x), moved)(y), self._along
        )
        return whole(x)


def _over_an_area(
    returned: Returned, between: Returned, limits: list[Any], value=None, error=None
) -> Any:
    trace = current()
    if between.ids is not None and (between.ids > OPAQUE).any():
        limits = [*limits, made(trace, between.ids, float)]
    if returned.ids is None:
        returned.ids = np.full((), trace.graph.opaque, np.int32)
    return _results(returned, limits, value, error)

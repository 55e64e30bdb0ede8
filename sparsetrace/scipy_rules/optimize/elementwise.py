"""SciPy's algorithms for many problems at once: roots, integrals, sums and derivatives.

Contract: the function computes element by element, so that each result depends on its own
elements of the arguments, jointly nonlinear, and on what the function reads besides.  A
derivative is looked for without cuts, since what vanishes at a point may grow there.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import contains_traced, dtype_of, ids_of
from sparsetrace.scipy_rules.callbacks import (
    Returned,
    TracedResult,
    at_places,
    lent_number,
    of_values,
    place_between,
    places_between,
    unknown_number,
)
from sparsetrace.scipy_rules.integrate.jumps import moving, varying
from sparsetrace.scipy_rules.iterates import Iterates
from sparsetrace.scipy_rules.kept_state import until_settled
from sparsetrace.scipy_rules.optimize.minima import uncut
from sparsetrace.scipy_rules.rule_tools import Call, Hidden, array_of, current, made


def _plain(
    call: Call,
    f,
    given: list[Any],
    args: tuple[Any, ...],
    options,
    *,
    decides: bool = True,
    within: bool = False,
) -> tuple[Any, bool]:
    """What SciPy finds for values, if these are known, and whether any number was traced.

    With `within`, places are between those that are given, and else iterates of a search.
    """
    returned, traced = Returned(), contains_traced((given, args))
    if traced and not current().local:
        return None, True
    handed = at_places(f, place_between(*given)) if within else Iterates(traced).handed_to(f)
    try:
        found = call.original(
            returned.values_only(handed, keep=False, decides=decides), *map(_values, given),
            args=tuple(map(of_values, args)), **options,
        )  # fmt: skip
    except TracedResult:
        return None, True
    return found, traced or returned.ids is not None


def _values(x) -> Any:
    return tuple(map(of_values, x)) if type(x) in (tuple, list) else of_values(x)


def _result(call: Call, found, linear: str = "", **traced: Ids) -> Any:
    """SciPy's result object, with these of its numbers traced, nonlinear but for one."""
    hidden = Hidden(call.name, "this part of the result has no rule", f"Use {', '.join(traced)}.")
    result = sys.modules["scipy._lib._util"]._RichResult()
    for name, value in () if found is None else found.items():
        is_count = np.asarray(value).dtype.kind in "biu"  # which stays around the point
        result.update({} if name[0] == "_" else {name: value if is_count else hidden})
    for name in ("success", "status", "nfev", "nit"):
        first = next(iter(traced.values()))
        default = np.full(first.shape, name == "success", bool if name == "success" else int)
        result[name] = default[()] if found is None else found.get(name)
    for name, ids in traced.items():
        values = None if found is None else np.asarray(found[name])
        dtype = float if values is None else values.dtype
        ids = np.maximum(ids, OPAQUE)
        ids = ids if name == linear else interact_all(current().graph, ids)
        ids = current().graph.node(ids)  # not what the function may have kept
        result[name] = made(current(), np.asarray(ids), dtype, values, scalar=not ids.ndim)
    return result


def _at(f, place, args: tuple[Any, ...], shape: tuple[int, ...]) -> Ids:
    """What the function depends on at places, element by element, without cuts."""
    trace = current()
    ids, dtype = np.maximum(ids_of(trace, place), OPAQUE), np.result_type(dtype_of(place), float)
    values = np.asarray(of_values(place), dtype) if trace.local else None
    met: list[Ids] = []

    def once() -> None:
        met.append(ids_of(trace, array_of(f(made(trace, ids.copy(), dtype, values), *args))))

    with uncut():
        until_settled(once, f)
    ids = trace.graph.union_all(met)
    return np.asarray(np.broadcast_to(ids, np.broadcast_shapes(ids.shape, shape))).copy()


def _shape(*given) -> tuple[int, ...]:
    return np.broadcast_shapes(*(np.shape(x) for x in given if x is not None))


def _implicit(call: Call, f, init, args, names: tuple[str, ...], options) -> Any:
    """Where a function has a root or is least; with its value there."""
    args = tuple(args) if isinstance(args, tuple | list) else (args,)
    found, is_traced = _plain(call, f, [init], args, options)
    if not is_traced:
        return found
    shape = _shape(*init, *args)
    place = lent_number(shape) if found is None else np.asarray(found.x)
    ids = _at(f, place, args, shape)
    return _result(call, found, "", **dict.fromkeys(names, ids))


def find_root(call, f, init, args, tolerances, maxiter, callback):
    options = {"tolerances": tolerances, "maxiter": maxiter, "callback": callback}
    return _implicit(call, f, init, args, ("x",), options)


def find_minimum(call, f, init, args, tolerances, maxiter, callback):
    options = {"tolerances": tolerances, "maxiter": maxiter, "callback": callback}
    return _implicit(call, f, init, args, ("x", "f_x"), options)


# ------------------------------------------------------------------ derivatives
def derivative(call, f, x, args=(), **options):
    args = tuple(args) if isinstance(args, tuple | list) else (args,)
    found, is_traced = _plain(call, f, [x], args, options)
    if not is_traced:
        return found
    result = _result(call, found, df=_at(f, array_of(x), args, _shape(x, *args)))
    result.x = x
    return result


def jacobian(call, f, x, **options):
    """Each row of what its element of the function depends on."""
    return _of_vectors(call, f, x, "df", options)


def hessian(call, f, x, **options):
    return _of_vectors(call, f, x, "ddf", options)


def _of_vectors(call: Call, f, x, name: str, options) -> Any:
    if contains_traced(x) and not current().local:
        found = None
    else:
        returned = Returned()
        handed = Iterates(contains_traced(x)).handed_to(f)
        try:
            found = call.original(
                returned.values_only(handed, keep=False, decides=True), of_values(x), **options
            )
        except TracedResult:
            found = None
        else:
            if returned.ids is None and not contains_traced(x):
                return found
    ids = _at(f, array_of(x), (), ())
    shape = np.shape(x) if name == "df" else (len(x), *np.shape(x))
    if name == "df" and ids.ndim == np.ndim(x):
        ids, shape = ids[:, None], (len(ids), *shape)
    return _result(call, found, "", **{name: np.broadcast_to(ids, shape)})


# --------------------------------------------------------------------- integrals
def tanhsinh(call, f, a, b, args=(), **options):
    return _summed(call, f, a, b, args, "integral", options)


def nsum(call, f, a, b, args=(), **options):
    return _summed(call, f, a, b, args, "sum", options)


def _summed(call: Call, f, a, b, args, name: str, options) -> Any:
    """Of each element of the limits and arguments; at a point, where SciPy asks for them."""
    args = tuple(args) if isinstance(args, tuple | list) else (args,)
    trace, shape = current(), _shape(a, b, *args)
    with varying(trace, within=True) as steps:
        found, is_traced = _plain(
            call, f, [a, b], args, options, decides=name == "sum", within=True
        )
    if not (is_traced or (name == "integral" and steps.total() is not None)):
        return found
    between = places_between(shape, a, b)
    if not trace.local:
        returned = Returned()

        def once() -> None:
            if name == "sum":  # over numbers from the first on, between which nothing moves
                place = unknown_number(shape) if between is None else made(trace, between, float)
                returned.add(array_of(f(place, *args)))
                return
            with moving(trace) as unknown:
                returned.add(array_of(f(unknown(shape, between=between), *args)))

        until_settled(once, f)
        assert returned.ids is not None
        ids = np.broadcast_to(returned.ids, shape)
    else:
        ids = np.empty(shape, np.int32)
        every = [np.broadcast_to(array_of(x), shape) for x in (a, b, *args)]
        for place in np.ndindex(shape):
            low, high, *given = (x[place] for x in every)
            ids[place] = _met(call, f, low, high, given, name, options)
    if between is not None:
        ids = trace.graph.union(np.maximum(ids, OPAQUE), between)
    linear = name if between is None else ""
    return _result(call, found, linear, **{name: np.asarray(ids), "error": np.asarray(ids)})


def _met(call: Call, f, low, high, given: list[Any], name: str, options) -> int:
    """All that the function depends on where SciPy asks for it, between two numbers."""
    trace, met = current(), [np.asarray(current().graph.opaque, np.int32)]
    moved = at_places(lambda t: f(t, *given), place_between(low, high))

    def called(t, *_) -> Any:
        result = moved(t)
        if contains_traced(result):
            met.append(trace.graph.union_rows(ids_of(trace, result).reshape(-1)))
        return np.broadcast_to(of_values(result), np.shape(t)).copy()

    with varying(trace, within=True) as steps:
        call.original(steps.each(called), of_values(low), of_values(high), **options)
    if name == "integral":
        returned = Returned()
        returned.join_steps(steps, 0.0)
        if returned.ids is not None:
            met.append(returned.ids)
    return int(trace.graph.union_all(met))

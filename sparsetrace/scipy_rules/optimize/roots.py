"""``scipy.optimize``: roots of equations whose residuals depend on traced numbers.

Contract: a root is an implicit function.  Unknowns that the equations join depend on all that
these residuals depend on, jointly nonlinear.  Where the search starts matters to unknowns that no
equation reads, or that have fewer equations than they are, and at a point where another search says
so (`starts`); other roots are taken as isolated: a solver's result varies with the start by less
than its tolerance.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.dispatch.lent_numbers import lend
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import contains_traced, dtype_of, float_dtype, ids_of
from sparsetrace.scipy_rules.callbacks import (
    Returned,
    TracedResult,
    of_jacobian,
    of_values,
    reached,
    unknown_number,
)
from sparsetrace.scipy_rules.iterates import Iterates
from sparsetrace.scipy_rules.kept_state import until_settled
from sparsetrace.scipy_rules.optimize.starts import aside, beside_starts, varies
from sparsetrace.scipy_rules.rule_tools import Call, Hidden, array_of, current, made
from sparsetrace.scipy_rules.whole import total_of


def _root(
    call: Call, function, start, options: dict[str, Any], search, *, is_bracket: bool = False
) -> tuple[Any, Any]:
    """The root, and what SciPy returned, if it was run.

    A bracket says which root it is, and no more.
    """
    trace, returned = current(), Returned()
    iterates = Iterates(contains_traced(start))
    run = returned.values_only(iterates.handed_to(function), keep=False, decides=True)
    others = {name: option for name, option in options.items() if callable(option)}
    for name, option in others.items():
        shown = iterates.shown_to(option)
        options[name] = shown if name == "callback" else of_jacobian(shown)
    found = None
    if trace.local or not contains_traced(start):
        try:
            found = search(run, of_values(start))
        except TracedResult:
            pass
        else:
            if returned.ids is None:
                return None, found
    shape = np.shape(start)
    values = None if found is None else np.asarray(_solution(found)) * 1.0
    if values is not None:
        shape = values.shape
    marks = trace.graph.node(trace.graph.opaques(shape))
    loan = lend(trace.graph, marks)

    def residuals(unknowns: Ids) -> Any:
        z = made(trace, unknowns.copy(), float_dtype(start), values, scalar=not shape)
        return array_of(function(z))

    met: list[Ids] = []

    def once() -> None:
        residual = residuals(marks)
        kinds.append(dtype_of(residual))
        met.append(np.maximum(ids_of(trace, residual), OPAQUE).reshape(-1))
        if found is None:
            for option in others.values():
                iterates.show_once(call, option, shape)

    kinds: list[Any] = [np.dtype(float)]
    until_settled(once, function, *others.values())
    ids = trace.graph.union_all(met)
    together = _joined(reached(trace.graph, marks, ids), marks.size)
    out = _of_groups(ids, together, shape)
    begun = None if is_bracket or not contains_traced(start) else np.asarray(total_of(start))
    where = np.zeros(shape, bool)
    if begun is not None:
        where |= _is_open(together, shape)
        if found is not None and not where.all():
            place, most = aside(of_values(start))
            where |= varies(values, lambda: _solution(search(run, place)), most)
        out = beside_starts(out, begun, where)
    if trace.local and trace.second_order:
        # a product that vanishes to first order here multiplies what the roots depend on
        ids = np.maximum(ids_of(trace, residuals(out)), OPAQUE).reshape(-1)
        out = _of_groups(trace.graph.union(ids, out.reshape(-1)), together, shape)
        if begun is not None:
            out = beside_starts(out, begun, where)
    begins = not contains_traced(start)
    if found is not None and iterates.were_constants(out, loan, begins=begins):
        return None, found
    dtype = np.result_type(*kinds)
    out = trace.graph.node(out)  # not what the function may have kept
    return made(trace, out, dtype, values, scalar=not shape), found


def _of_groups(ids: Ids, together: list[tuple[list[int], list[int]]], shape) -> Ids:
    """For each unknown the union over the equations that it hangs together with."""
    trace = current()
    out = np.full(shape, trace.graph.opaque, np.int32)
    flat = out.reshape(-1)
    for equations, places in together:
        flat[places] = interact_all(trace.graph, trace.graph.union_rows(ids[equations]))
    return out


def _is_open(together: list[tuple[list[int], list[int]]], shape) -> NDArray[np.bool_]:
    """Which unknowns their equations leave open: none reads them, or they are fewer."""
    result = np.ones(shape, bool)
    for equations, places in together:
        result.reshape(-1)[places] = len(equations) < len(places)
    return result


def _solution(found) -> Any:
    for name in ("x", "root"):
        if hasattr(found, name):
            return getattr(found, name)
    return found[0] if isinstance(found, tuple) else found


def _joined(masks: list[int], count: int) -> list[tuple[list[int], list[int]]]:
    """The equations and unknowns that hang together."""
    groups: list[tuple[int, list[int]]] = []
    for equation, mask in enumerate(masks):
        apart, members = [], [equation]
        for other, equations in groups:
            if other & mask:
                mask, members = mask | other, members + equations
            else:
                apart.append((other, equations))
        groups = [*apart, (mask, members)]
    return [
        (sorted(equations), [i for i in range(count) if mask >> i & 1])
        for mask, equations in groups
    ]


def _with_args(function, args) -> Any:
    args = args if isinstance(args, tuple) else (args,)
    return lambda z, *rest: function(z, *args)


def fsolve(
    call, func, x0, args, fprime, full_output, col_deriv, xtol, maxfev, band, epsfcn, factor, diag
):
    options = {
        "fprime": fprime and _with_args(fprime, args), "col_deriv": col_deriv, "xtol": xtol,
        "maxfev": maxfev, "band": band, "epsfcn": epsfcn, "factor": factor, "diag": diag,
        "full_output": full_output,
    }  # fmt: skip
    start = np.atleast_1d(array_of(x0)).reshape(-1)

    def search(function, place):
        return call.original(function, place, **options)

    return _plain(call, _root(call, _with_args(func, args), start, options, search), full_output)


def _plain(call: Call, result: tuple[Any, Any], full_output) -> Any:
    """The root; with ``full_output`` how it was found too, as far as that is no derivative."""
    root, found = result
    if root is None:
        return found
    if not full_output:
        return root
    if call.name.endswith("fsolve"):
        hidden = Hidden(call.name, "what the search ended with has no rule", "Use the root.")
        return (root, hidden, *((1, "") if found is None else found[2:]))
    if np.ndim(root):
        converged = np.ones(np.shape(root), bool) if found is None else found[1]
        return root, converged, ~converged if found is None else found[2]
    return root, _described(None if found is None else found[1], root=root)


def newton(call, func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, full_output, disp):
    args = tuple(args)  # a list does as well, here and in `fixed_point`
    options = {
        "fprime": fprime and _with_args(fprime, args),
        "fprime2": fprime2 and _with_args(fprime2, args),
        "tol": tol, "maxiter": maxiter, "x1": of_values(x1) if current().local else x1,
        "rtol": rtol, "disp": disp, "full_output": full_output,
    }  # fmt: skip

    def search(function, place):
        return call.original(function, place, **options)

    return _plain(call, _root(call, _with_args(func, args), x0, options, search), full_output)


def brentq(call, f, a, b, args, xtol, rtol, maxiter, full_output, disp):
    """The bracket says which root it is."""
    options = {
        "xtol": xtol, "rtol": rtol, "maxiter": maxiter, "disp": disp, "full_output": full_output
    }  # fmt: skip

    def search(function, _):
        return call.original(function, of_values(a), of_values(b), **options)

    start = np.float64(0) if not contains_traced((a, b)) else a if contains_traced(a) else b
    result = _root(call, _with_args(f, args), start, options, search, is_bracket=True)
    return _plain(call, result, full_output)


brenth = bisect = ridder = brentq


def toms748(call, f, a, b, args, k, xtol, rtol, maxiter, full_output, disp):
    chosen = Call(call.name, functools.partial(call.original, k=k))
    return brentq(chosen, f, a, b, args, xtol, rtol, maxiter, full_output, disp)


def root(call, fun, x0, args, method, jac, tol, callback, options):
    jac = _with_args(jac, args) if callable(jac) else jac
    if jac is True:  # it returns both; the roots are those of the first
        both, jac = fun, None

        def fun(z, *rest):
            return both(z, *rest)[0]

    extra = {"jac": jac, "callback": callback}

    def search(function, place):
        return call.original(function, place, method=method, tol=tol, options=options, **extra)

    start = array_of(x0)
    if method.lower() in _OF_ROWS:
        start = np.atleast_1d(start).reshape(-1)
    solution, found = _root(call, _with_args(fun, args), start, extra, search)
    return found if solution is None else _described(found, x=solution)


_OF_ROWS = ("hybr", "lm")
"""Methods of `scipy.optimize.root` to which each place is an array of one dimension."""


def root_scalar(
    call, f, args, method, bracket, fprime, fprime2, x0, x1, xtol, rtol, maxiter, options
):
    if fprime is True or fprime2 is True:  # it returns several; the root is that of the first
        every, args = _with_args(f, args), ()

        def f(z, *rest):
            return every(z)[0]

        def derivative(order: int) -> Any:
            return lambda z: every(z)[order]

        fprime = derivative(1) if fprime is True else fprime
        fprime2 = derivative(2) if fprime2 is True else fprime2
    extra = {
        "fprime": fprime and _with_args(fprime, args),
        "fprime2": fprime2 and _with_args(fprime2, args),
    }

    def search(function, place):
        first = place if contains_traced(x0) else of_values(x0)
        return call.original(
            function, method=method, bracket=of_values(bracket), x0=first,
            x1=of_values(x1), xtol=xtol, rtol=rtol, maxiter=maxiter, options=options, **extra,
        )  # fmt: skip

    traced = [x for x in (x0, x1) if contains_traced(x)]
    start = traced[0] if traced else np.float64(0)
    if contains_traced(bracket):
        start = next(x for x in bracket if contains_traced(x))
    is_bracket = not contains_traced(x0)
    solution, found = _root(call, _with_args(f, args), start, extra, search, is_bracket=is_bracket)
    return found if solution is None else _described(found, root=solution)


def _described(found, **solution) -> Any:
    """SciPy's result object with the root, whether it was found, and in how many steps."""
    result = sys.modules["scipy.optimize"].OptimizeResult(**solution)
    if found is not None:
        plain = (bool, int, str, np.bool_, np.integer)
        result.update((k, v) for k, v in found.items() if isinstance(v, plain) and k not in result)
    elif "root" in result:  # the texts are those of a search that was successful
        steps = dict.fromkeys(("iterations", "function_calls"), _steps(solution["root"]))
        result.update(steps, flag="converged")
    else:
        steps = dict.fromkeys(("nfev", "nit", "njev"), _steps(solution["x"]))
        result.update(steps, status=1, message="")
    success = result.get("success", result.get("converged", True))
    result.update(success=success, converged=success)
    return result


def _steps(place) -> Any:
    """How many steps led to a place: a number without derivative."""
    trace = current()
    if not trace.dependency:
        return unknown_number(dtype=int)
    ids = trace.graph.union_rows(ids_of(trace, place).reshape(-1))
    return made(trace, ids, int, scalar=True)


def fixed_point(call, func, x0, args, xtol, maxiter, method):
    """A root of what the function changes."""
    inner = _with_args(func, tuple(args))
    options = {"xtol": xtol, "maxiter": maxiter, "method": method}

    def search(function, place):
        return call.original(lambda z: function(z) + z, place, **options)

    start = array_of(x0) if np.ndim(x0) else x0
    solution, found = _root(call, lambda z: inner(z) - z, start, {}, search)
    return found if solution is None else solution


def newton_krylov(call, *args, **kwargs):
    """Also of its kin: the function and the start come first."""
    (function, start), rest = args[:2], args[2:]
    extra = {"callback": kwargs.pop("callback", None)}

    def search(residual, place):
        return call.original(residual, place, *rest, **kwargs, **extra)

    solution, found = _root(call, function, array_of(start), extra, search)
    return found if solution is None else solution


anderson = broyden1 = broyden2 = diagbroyden = excitingmixing = linearmixing = newton_krylov

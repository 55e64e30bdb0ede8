"""``scipy.integrate``: boundary value problems, integrals over boxes, and steppers of equations.

Contract: a solution between boundaries is an implicit function: each of its values depends on all
that the right-hand side and the conditions depend on, jointly nonlinear.  Where the search starts
and which nodes it takes does not matter: they change a solution by less than its tolerance.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.dispatch.keeping_functions import may_hand_out
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import contains_traced, dtype_of, ids_of
from sparsetrace.scipy_rules.callbacks import (
    Returned,
    TracedResult,
    at_places,
    lent_number,
    of_jacobian,
    of_values,
    places_between,
)
from sparsetrace.scipy_rules.integrate.equations import T_EVAL, Dense, Problem, Steps
from sparsetrace.scipy_rules.integrate.jumps import moving, varying
from sparsetrace.scipy_rules.iterates import Iterates
from sparsetrace.scipy_rules.kept_state import until_settled
from sparsetrace.scipy_rules.optimize.minima import uncut
from sparsetrace.scipy_rules.rule_tools import (
    Hidden,
    array_of,
    constant,
    current,
    made,
    makes_objects,
)
from sparsetrace.scipy_rules.whole import total_of


class _Met:
    """What functions for SciPy depend on wherever it calls them."""

    def __init__(self, iterates: Iterates) -> None:
        self.totals: list[Ids] = []
        self._iterates = iterates

    def values_only(self, function: Callable[..., Any]) -> Callable[..., Any]:
        handed = self._iterates.handed_to(function)

        def called(*args) -> Any:
            with uncut():
                result = handed(*args)
            if not contains_traced(result):
                return result
            if not current().local:
                raise TracedResult
            self.totals.append(total_of(result))
            return of_values(result)

        return called


def solve_bvp(
    call, fun, bc, x, y, p, S, fun_jac, bc_jac, tol, max_nodes, verbose, bc_tol
):  # fmt: skip
    constant(call, (tol, bc_tol, max_nodes), "an option")
    trace, found, iterates = current(), None, Iterates(contains_traced((x, S)))
    met = _Met(iterates)
    given = {"fun_jac": fun_jac, "bc_jac": bc_jac}
    jacobians = {
        name: of_jacobian(iterates.shown_to(function))
        for name, function in given.items()
        if function is not None
    }
    if trace.local or not contains_traced((x, S)):
        try:
            with varying(trace, within=True) as steps:
                found = call.original(
                    met.values_only(steps.each(fun)), met.values_only(bc), of_values(x),
                    of_values(y), of_values(p), of_values(S), tol=tol, max_nodes=max_nodes,
                    verbose=verbose, bc_tol=bc_tol, **jacobians,
                )  # fmt: skip
        except TracedResult:
            found = None
        else:
            of_steps = steps.total()
            if of_steps is not None:
                met.totals.append(of_steps)
            if not met.totals and not contains_traced((x, S)):
                return found
    (n, m), k = np.shape(y), 0 if p is None else np.size(p)
    if found is None:
        lent = may_hand_out(fun)
        parameters = () if p is None else (lent_number((k,)),)

        def read() -> Any:
            slopes = fun(place((m,), lent=lent), place((n, m), lent=lent), *parameters)
            ends = bc(lent_number((n,)), lent_number((n,)), *parameters)
            return made(trace, np.full(1, total_of((slopes, ends)), np.int32), float)

        returned = Returned()
        beside = {"fun_jac": ((m,), (n, m)), "bc_jac": ((n,), (n,))}
        beside = {k: v for k, v in beside.items() if given[k] and may_hand_out(given[k])}

        with uncut(), moving(trace) as place:

            def once() -> None:
                returned.add_all(read)
                for name, shapes in beside.items():
                    given[name](*map(lent_number, shapes), *parameters)

            until_settled(once, fun, bc, *(given[name] for name in beside))
        assert returned.ids is not None
        met.totals += list(returned.ids)
    total = trace.graph.union_all([*met.totals, total_of((x, S))])
    total = interact_all(trace.graph, np.maximum(np.asarray(total), OPAQUE))
    total = trace.graph.node(total)  # not what the functions may have kept

    def filled(shape: tuple[int, ...], values=None) -> Any:
        return made(trace, np.broadcast_to(total, shape).copy(), float, values)

    result = sys.modules["scipy.integrate._bvp"].BVPResult()
    hidden = Hidden(call.name, "this part of the result has no rule", "Use sol, y and p.")
    result.update(dict.fromkeys(("yp", "rms_residuals", "niter"), hidden))
    result.update(status=0, success=True, message="")
    sol = None if found is None else found.sol
    out = np.broadcast_to(total, (n,)).copy()
    result.sol = Dense(out, out, np.dtype(float), None, sol)
    if found is None:
        result.update(
            x=Steps(call, x[0], x[-1], _SOL), y=Steps(call, filled((n,)), filled((n,)), _SOL)
        )
        result.p = None if p is None else filled((k,))
        return result
    result.update(status=found.status, success=found.success, message=found.message)
    result.x = filled(found.x.shape, found.x) if contains_traced(x) else found.x
    result.y, result.yp = filled(found.y.shape, found.y), filled(found.y.shape, found.yp)
    result.p = None if p is None else filled((k,), found.p)
    return result


_SOL = "Evaluate sol at points of your own."


# ---------------------------------------------------------------- integrals over boxes
def cubature(call, f, a, b, rule, rtol, atol, max_subdivisions, args, workers, points):
    """Between constants linear in what the function depends on linearly."""
    constant(call, (rtol, atol, points), "an option of an integral")
    options = {
        "rule": rule, "rtol": rtol, "atol": atol, "max_subdivisions": max_subdivisions,
        "points": points,
    }  # fmt: skip
    trace, returned, found = current(), Returned(), None
    limits, width = contains_traced((a, b)), np.size(a)
    between = places_between((width,), a, b)
    moved = at_places(lambda x: f(x, *args), between)

    def over_points(x, *_) -> Any:
        """The function's values, summed over points: an integral is a sum of them."""
        result = moved(x)
        if contains_traced(result):
            if not trace.local:
                raise TracedResult
            returned.add(array_of(result).sum(axis=0))
        return of_values(result)

    if trace.local or not limits:
        try:
            with varying(trace, within=True) as steps:
                found = call.original(
                    steps.each(over_points), of_values(a), of_values(b), **options
                )
        except TracedResult:
            found = None
        else:
            returned.join_steps(steps, found.estimate)
            if returned.ids is None and not limits:
                return found
    if found is None:

        def once() -> None:
            with moving(trace) as place:
                points = place((3, width), between=between)
                returned.add(array_of(f(points, *args)).sum(axis=0))

        until_settled(once, f)
    if returned.ids is None:
        returned.ids = np.full(
            np.shape(getattr(found, "estimate", 0.0)), trace.graph.opaque, np.int32
        )
    ids = returned.ids
    if limits:
        joined = np.broadcast_to(total_of((a, b)), ids.shape).copy()
        ids = interact_all(trace.graph, trace.graph.union(ids, joined))
    result = sys.modules["scipy.integrate._cubature"].CubatureResult
    error = interact_all(trace.graph, np.maximum(ids, OPAQUE))
    hidden = Hidden(call.name, "this part of the result has no rule", "Use estimate and error.")

    def estimated(each: Ids, name: str) -> Any:
        values = None if found is None else np.asarray(getattr(found, name))
        return made(trace, np.maximum(each, OPAQUE), float, values, scalar=not each.ndim)

    return result(
        estimate=estimated(ids, "estimate"),
        error=estimated(error, "error"),
        status="converged" if found is None else found.status,
        regions=hidden,
        subdivisions=hidden if found is None else found.subdivisions,
        atol=atol,
        rtol=rtol,
    )


# ------------------------------------------------------------------- steppers
def ode_set_initial_value(call, self, y, t):
    """A traced state, or an ordinary one."""
    if not contains_traced((y, t)):
        return call.original(self, y, t)
    y = np.atleast_1d(array_of(y))
    zeros = np.zeros(y.shape, "complex" if np.iscomplexobj(y) else float)
    call.original(self, zeros if np.iscomplexobj(y) else zeros.real, 0.0)
    self._y, self.t = y * 1.0, t
    return self


@makes_objects
def LSODA_init(call, *args, **kwargs):
    """Its compiled code would be given the state."""
    call.refuse(
        "its compiled code takes no traced state", "Use RK45, or solve_ivp with method='LSODA'."
    )


def ode_integrate(call, self, t, step, relax):
    """From the last time to the next one: as ``solve_ivp``."""
    if step or relax:
        if contains_traced((self._y, self.t, t, self.f_params)):
            call.refuse("single steps have no rule", T_EVAL.replace("t_eval", "t of integrate"))
        return call.original(self, t, step, relax)
    start, before = self._y, self.t
    f, f_params, jac, jac_params = self.f, self.f_params, self.jac, self.jac_params
    problem = Problem(lambda time, y: f(time, y, *f_params), array_of(start))
    times = [ids_of(current(), x).reshape(-1) for x in (before, t) if contains_traced(x)]
    until = current().graph.union_rows(np.concatenate(times)) if times else None

    def solve(right_hand_side, place) -> Any:
        slopes = jac and problem.jacobian(lambda time, y: jac(time, y, *jac_params))
        met: list[TracedResult] = []

        def asked(time, y) -> Any:
            """The slopes; no error passes compiled code, which would go on and ask again."""
            if met:
                return np.zeros(np.shape(y))
            try:
                return right_hand_side(time, y)
            except TracedResult as result:
                met.append(result)
                return np.zeros(np.shape(y))

        end, last = self._integrator.run(
            asked, slopes or (lambda: None), np.array(of_values(place)),
            of_values(before), of_values(t), (), (),
        )  # fmt: skip
        if met:
            raise met[0]
        self.t = last
        return np.array(end)

    out, found = problem.solved(solve, until)
    if out is not None and getattr(self._integrator, "solout", None) is not None:
        call.refuse("what solout is given has no rule", "Use solve_ivp with t_eval.")
    if out is None:
        self._y = found
        return found
    self.t = t
    self._y = made(current(), out, np.result_type(dtype_of(start), float), found)
    return self._y

"""``scipy.integrate``: initial value problems.

Contract: the right-hand side says which component reads which; over many steps a component
depends on all that it can reach, and on what those read besides, jointly nonlinear.  The size
of the steps, which the solver takes from all components, counts as constant at times that are
given: it changes a solution by less than the solver's tolerance.  Where the steps themselves end,
times and states depend on all components.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from sparsetrace.dispatch.keeping_functions import may_hand_out, may_keep
from sparsetrace.dispatch.lent_numbers import lend
from sparsetrace.errors import TracingError
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
    place_between,
    reached,
    unknown_number,
)
from sparsetrace.scipy_rules.integrate.events import POINT, Events
from sparsetrace.scipy_rules.integrate.jumps import moving, varying
from sparsetrace.scipy_rules.iterates import Iterates
from sparsetrace.scipy_rules.kept_state import until_settled
from sparsetrace.scipy_rules.rule_tools import Call, Hidden, array_of, constant, current, made

T_EVAL = "Give the times as t_eval."


class Problem:
    """``y' = function(t, y)`` with traced numbers in the function or at the start."""

    def __init__(self, function: Callable[..., Any], y0) -> None:
        self.function, self.y0 = function, y0
        self.keeps = may_keep(function)
        self.iterates, self.has_events = Iterates(depend=True), False
        self.beside: list[Callable[..., Any]] = []
        """Other functions of times and states, which may keep something: a Jacobian, events."""
        self.start = np.maximum(ids_of(current(), y0), OPAQUE)
        self.marks = current().graph.node(self.start)

    def solved(self, solve: Callable[[Any, Any], Any], times: Ids | None) -> tuple[Any, Any]:
        """The ids of the last state, or None, and what SciPy returned, where it ran."""
        trace, returned = current(), Returned()
        found, y0 = None, of_values(self.y0)
        if not (trace.local or contains_traced(self.y0) or times is not None):
            self.iterates.depend = False
            with suppress(TracedResult):
                return None, solve(returned.values_only(self.function), y0)
        loan = lend(trace.graph, self.marks)
        if trace.local:
            with varying(trace) as steps:
                followed = self._in_time(self._followed(self.marks, returned), times)
                found = solve(steps.each(followed), y0)
            returned.join_steps(steps, self.start)
        else:
            until_settled(lambda: self._each_once(returned, times), self.function, *self.beside)
            returned.add_first(self.function, self.start.shape)
        if returned.ids is None:  # constant slopes
            returned.ids = np.full(self.start.shape, trace.graph.opaque, np.int32)
        out, reads = self._reached(returned, times)
        every = np.append(out, self.start)
        is_known = found is not None and not self.has_events
        if is_known and self.iterates.were_constants(every, loan, begins=times is None):
            return None, found
        if trace.local and trace.second_order:
            # a product that vanishes to first order multiplies what the states depend on
            returned = Returned()
            with varying(trace) as steps:
                solve(steps.each(self._followed(out, returned)), y0)
            returned.join_steps(steps, self.start)
            if returned.ids is not None:
                out = self._united(trace.graph.union(returned.ids, out), reads, times)
        return trace.graph.node(out), found  # not what the function may have kept

    def _each_once(self, returned: Returned, times: Ids | None) -> None:
        self._once(self.marks, returned, times)
        for function in self.beside:
            function(lent_number(), lent_number(self.start.shape))

    def jacobian(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The Jacobian of the function for SciPy, which may keep what it is given."""
        if not current().local and may_hand_out(function):
            self.beside.append(function)
        return of_jacobian(self.iterates.shown_to(function))

    def _in_time(self, followed: Callable[..., Any], times: Ids | None) -> Callable[..., Any]:
        """The function at times that move with their limits, or are lent if it may keep them.

        How long a step is depends on all that its error does.
        """

        def lent(t, y) -> Any:
            return followed(self.iterates.lent(t, times), y)

        if self.keeps:
            return lent
        moved = at_places(followed, times)

        def asked(t, y) -> Any:
            try:
                return moved(t, y)
            except TracingError:
                raise
            except Exception:
                lent(t, y)  # once more: an error may take the time out of SciPy's function
                raise

        return asked

    def _once(self, ids: Ids, returned: Returned, times: Ids | None) -> None:
        trace = current()
        dtype = np.result_type(dtype_of(self.y0), float)

        lent = may_hand_out(self.function)

        with moving(trace) as place:

            def slopes() -> Any:  # at another place in each call
                states = trace.graph.node(ids)
                place(ids.shape, states)
                y = made(trace, states, dtype)
                t = place(between=times, lent=lent)
                return array_of(self.function(t, y)).reshape(-1)

            returned.add_all(slopes)

    def _followed(self, ids: Ids, returned: Returned) -> Any:
        """The function at the states where the solver asks for it."""

        def followed(t, y):
            trace = current()
            flat = np.asarray(y)
            here = np.broadcast_to(ids.reshape(ids.shape + (1,) * (flat.ndim - 1)), flat.shape)
            result = array_of(self.function(t, made(trace, here.copy(), flat.dtype, flat)))
            columns = result.reshape(len(ids), -1)
            for i in range(columns.shape[1]):
                returned.add(columns[:, i])
            return of_values(result)

        return followed

    def _reached(self, returned: Returned, times: Ids | None) -> tuple[Ids, list[list[int]]]:
        trace = current()
        assert returned.ids is not None
        masks = reached(trace.graph, self.marks, returned.ids)
        masks = [mask | 1 << i for i, mask in enumerate(masks)]
        for k in range(len(masks)):  # transitive closure: Warshall (1962)
            through = masks[k]
            masks = [mask | through if mask >> k & 1 else mask for mask in masks]
        reads = [[k for k in range(len(masks)) if mask >> k & 1] for mask in masks]
        return self._united(trace.graph.union(returned.ids, self.start), reads, times), reads

    def _united(self, ids: Ids, reads: list[list[int]], times: Ids | None) -> Ids:
        graph = current().graph
        indptr = np.append(0, np.cumsum([len(row) for row in reads]))
        out = graph.union_segments(indptr, ids[np.concatenate(reads).astype(int)])
        if times is not None:
            out = graph.union(out, np.broadcast_to(times, out.shape))
        return interact_all(graph, np.maximum(out, OPAQUE))


def solve_ivp(
    call, fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, **options
):
    y0 = array_of(y0)
    constant(call, tuple(options.values()), "an option")
    extra = () if args is None else tuple(args)
    global_ = not current().local

    def function(t, y):
        if vectorized and global_ and y.ndim == 1:
            y = y[:, None]
        return fun(t, y, *extra)

    problem = Problem(function, y0)
    if callable(options.get("jac")):
        options["jac"] = problem.jacobian(options["jac"])
    looked_for = None if events is None else Events(events, extra, problem.iterates)
    if looked_for is not None:
        problem.has_events = True
        problem.beside += looked_for.keeping() if global_ else []

    def solve(right_hand_side, start):
        return call.original(
            right_hand_side, tuple(map(of_values, t_span)), start, method, of_values(t_eval),
            dense_output, None if looked_for is None else looked_for.values_only(), vectorized,
            **options,
        )  # fmt: skip

    times = place_between(*t_span)
    if times is None and contains_traced(t_eval):
        times = np.asarray(current().graph.opaque, np.int32)
    out, found = problem.solved(solve, times)
    if out is None:
        return found
    trace, dtype = current(), np.result_type(dtype_of(y0), float)
    result = sys.modules["scipy.integrate"]._ivp.ivp.OdeResult(
        sol=None, t_events=None, y_events=None, status=0, message="", success=True
    )
    if looked_for is not None:
        looked_for.trace(out, dtype, found)
    moves = contains_traced((t_span, t_eval))
    if dense_output:
        first = None if moves else of_values(t_span[0])
        result.sol = Dense(problem.start, out, dtype, first, None if found is None else found.sol)
    if found is not None:
        taken = found.t if t_eval is None else t_eval[: len(found.t)]
        columns = _columns(out, len(found.t), taken)
        if columns and not contains_traced(t_eval) and found.t[0] == of_values(t_span[0]):
            columns[0] = problem.start
        result.update(found, sol=result.sol)
        if looked_for is not None:
            result.update(looked_for.found_at_a_point(found))
        result["t"] = taken
        end = ids_of(trace, t_span[1]) if found.success else _of_all(out)
        last = None
        if looked_for is not None and found.status == 1:
            end, last = looked_for.ended(found, of_values(t_span[0]))
        if dense_output:
            result.sol.ts = _times_of_steps(ids_of(trace, t_span[0]), out, end, found.sol.ts)
        if t_eval is None:
            if last is not None:
                columns[-1] = last
            _move_with_steps(columns, out, has_failed=not found.success)
            result["t"] = _times_of_steps(ids_of(trace, t_span[0]), out, end, found.t)
        if columns:
            result["y"] = made(trace, np.stack(columns, axis=1), dtype, found.y)
        return result
    last_time, last = t_span[-1], out
    if looked_for is not None:
        result.update(looked_for.found_anywhere(call))
        if looked_for.may_end:
            if t_eval is not None:
                call.refuse("how many times come before an event depends on the values", POINT)
            ids, last = looked_for.ended_anywhere(ids_of(trace, last_time))
            last_time = made(trace, np.maximum(ids, OPAQUE), np.dtype(float), scalar=True)
            result["status"] = unknown_number(dtype=int)
    result.update({name: unknown_number(dtype=int) for name in ("nfev", "njev", "nlu")})
    if dense_output:
        result.sol.ts = Steps(call, t_span[0], last_time)
    if t_eval is None:
        first, last = (made(trace, ids.copy(), dtype) for ids in (problem.start, last))
        result.update(y=Steps(call, first, last), t=Steps(call, t_span[0], last_time))
        return result
    t_eval = array_of(t_eval)
    columns = _columns(out, len(t_eval), t_eval)
    if len(t_eval) and not moves and t_eval[0] == t_span[0]:
        columns[0] = problem.start
    result.update(t=t_eval, y=made(trace, np.stack(columns, axis=1), dtype))
    return result


def _times_of_steps(first: Ids, out: Ids, last: Ids, times) -> Any:
    """When each step ends: but for the first and the last time, all components decide."""
    step = _of_all(out)
    if max(np.max(first), np.max(step), np.max(last)) <= OPAQUE:
        return times
    ids = np.full(len(times), step, np.int32)
    ids[-1] = np.maximum(last, OPAQUE)
    ids[0] = np.maximum(first, OPAQUE)
    return made(current(), ids, times.dtype, times)


def _move_with_steps(columns: list[Ids], out: Ids, *, has_failed: bool) -> None:
    """The states between the first and the last, each at the time when a step has ended.

    The last as well where the solver could not go on.
    """
    graph = current().graph
    there = interact_all(graph, graph.union(out, np.full(out.shape, _of_all(out), np.int32)))
    moved = slice(1, None if has_failed else -1)
    columns[moved] = [there] * len(columns[moved])


def _of_all(out: Ids) -> Ids:
    graph = current().graph
    return interact_all(graph, np.asarray(graph.union_rows(out), np.int32))


def _columns(out: Ids, count: int, t_eval) -> list[Ids]:
    """The state at each time, which is traced or not."""
    if not contains_traced(t_eval):
        return [out] * count
    trace = current()
    times = np.maximum(ids_of(trace, t_eval), OPAQUE)
    return [
        interact_all(trace.graph, trace.graph.union(out, np.full(out.shape, time, np.int32)))
        for time in times.tolist()
    ]


class Dense:
    """The solution between the steps: at the first time the start, else all that it reaches.

    Attributes
    ----------
    ts : ndarray, traced array or `Steps`
        When the steps end, of a solution of `solve_ivp`.
    """

    ts: Any

    def __init__(self, start: Ids, out: Ids, dtype, first, plain) -> None:
        self._start, self._out, self._dtype = start, out, dtype
        self._first, self._plain = first, plain

    @property
    def t_min(self) -> Any:
        return np.minimum(self.ts[0], self.ts[-1])

    @property
    def t_max(self) -> Any:
        return np.maximum(self.ts[0], self.ts[-1])

    def __call__(self, t, *order) -> Any:
        trace, t = current(), array_of(t)
        values = None if self._plain is None else np.asarray(self._plain(of_values(t), *order))
        behind = (1,) * t.ndim
        shape = self._out.shape + t.shape
        ids = np.broadcast_to(self._out.reshape(self._out.shape + behind), shape)
        if contains_traced(t):
            places = np.broadcast_to(ids_of(trace, t), shape)
            joined = trace.graph.union(np.ascontiguousarray(ids), np.ascontiguousarray(places))
            ids = interact_all(trace.graph, np.maximum(joined, OPAQUE))
        elif self._first is not None:
            start = self._start.reshape(self._start.shape + behind)
            ids = np.where(np.asarray(t) == self._first, start, ids).astype(np.int32)
        return made(trace, np.maximum(ids, OPAQUE).copy(), self._dtype, values)


class Steps:
    """The states at steps of which nobody knows how many there are: the first and the last."""

    def __init__(self, call: Call, first, last, remedy: str = T_EVAL) -> None:
        self._call, self._first, self._last, self._remedy = call, first, last, remedy

    def __getitem__(self, key) -> Any:
        rows, place = (key[:-1], key[-1]) if isinstance(key, tuple) else ((), key)
        scalar = not np.ndim(self._first)
        if place not in (0, -1) or isinstance(place, bool) or bool(rows) == scalar:
            self._refuse()
        state = self._last if place else self._first
        rows = tuple(row for row in rows if row is not Ellipsis)
        return state[rows] if rows else state

    def _refuse(self, *_) -> Any:
        self._call.refuse("how many steps there are depends on the values", self._remedy)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__array__":
            raise AttributeError(name)
        return self._refuse()

    __len__ = __iter__ = __array__ = __add__ = __radd__ = __mul__ = __rmul__ = _refuse
    __sub__ = __rsub__ = __truediv__ = __neg__ = __matmul__ = __rmatmul__ = __pow__ = _refuse


def odeint(
    call, func, y0, t, args, Dfun, col_deriv, full_output, ml, mu, rtol, atol, tcrit, h0, hmax,
    hmin, ixpr, mxstep, mxhnil, mxordn, mxords, printmessg, tfirst,
):  # fmt: skip
    y0 = np.atleast_1d(array_of(y0))
    options = {
        "col_deriv": col_deriv, "ml": ml, "mu": mu, "rtol": rtol, "atol": atol, "tcrit": tcrit,
        "h0": h0, "hmax": hmax, "hmin": hmin, "ixpr": ixpr, "mxstep": mxstep, "mxhnil": mxhnil,
        "mxordn": mxordn, "mxords": mxords, "printmessg": printmessg,
        "full_output": full_output,
    }  # fmt: skip
    constant(call, tuple(options.values()), "an option")
    args = args if isinstance(args, tuple) else (args,)

    def function(time, y):
        return func(time, y, *args) if tfirst else func(y, time, *args)

    def slope(time, y):
        return Dfun(time, y, *args) if tfirst else Dfun(y, time, *args)

    def solve(right_hand_side, start):
        return call.original(right_hand_side, start, of_values(t), tfirst=True, **options)

    problem = Problem(function, y0)
    if Dfun is not None:
        options["Dfun"] = problem.jacobian(slope)
    out, found = problem.solved(solve, place_between(t))
    if out is None:
        return found
    rows = np.stack([problem.start] + [out] * (len(t) - 1))
    if not full_output:
        return made(current(), rows, float, found)
    how = Hidden(call.name, "how the solution was found has no rule", "Use the solution alone.")
    return made(current(), rows, float, None if found is None else found[0]), how

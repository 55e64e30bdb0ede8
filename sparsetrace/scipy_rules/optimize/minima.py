"""``scipy.optimize``: least values of functions that depend on traced numbers.

Contract: where a function is least is an implicit function of all that its values, its
constraints and its bounds depend on, jointly nonlinear.  There its slope vanishes: what it
depends on is looked for without cuts.  Where the search starts matters along directions in which a
function is flat: in a global trace it may, at a point another search tells (`starts`).
"""

from __future__ import annotations

import copy
import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from sparsetrace.dispatch.lent_numbers import lend
from sparsetrace.graph.graph import Ids
from sparsetrace.operands.operands import contains_traced, ids_of, values_of
from sparsetrace.scipy_rules.callbacks import TracedResult, of_values, unknown_number
from sparsetrace.scipy_rules.iterates import Iterates
from sparsetrace.scipy_rules.kept_state import until_settled
from sparsetrace.scipy_rules.optimize.starts import aside, beside_starts, varies
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    Hidden,
    array_of,
    constant,
    current,
    made,
    makes_objects,
)
from sparsetrace.scipy_rules.whole import ranked, total_of, whole

_OBJECTIVES = ("fun", "func", "f")
_STARTS = ("x0", "brack", "bracket", "initial_simplex", "p0")
_SLOPES = ("jac", "hess", "hessp")
_CONSTRAINTS = ("constraints", "cons")
_WIDTHS = ("bounds", "ranges")
_HIDDEN = ("grad", "hess", "hess_inv", "jac", "lowest_optimization_result", "v", "xl", "funl")
_COUNTS = ("message", "nfev", "nhev", "nit", "njev", "status", "success")


class _Search:
    """A call of SciPy's, with functions that may read traced numbers."""

    def __init__(self, call: Call, args, kwargs) -> None:
        self.call = call
        self._bound = inspect.signature(call.original).bind(*args, **kwargs)
        given = self._bound.arguments
        asks = given.get("full_output") and not call.name.endswith("leastsq")
        if asks or given.get("retall") or given.get("return_all"):
            call.refuse("how it was found has no rule", "Leave full_output and retall out.")
        extra = given.pop("args", ())
        inner = given.get("minimizer_kwargs")
        if isinstance(inner, dict) and "args" in inner:  # of the same function
            given["minimizer_kwargs"] = {k: v for k, v in inner.items() if k != "args"}
            extra = inner["args"]
        self._extra = extra if isinstance(extra, tuple) else (extra,)
        self._keywords = given.pop("kwargs", None) or {}
        self.met_traced = False
        self.objectives: list[Callable[..., Any]] = []
        self.iterates = Iterates(depend=False)
        self.others: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        """What the place is not made of, callback and derivatives, and what these are given too."""
        for name, value in list(given.items()):
            if name == "callback":
                given[name] = self.iterates.shown_to(value)
                self.others.append((value, ()))
            elif callable(value) and not isinstance(value, type):
                function = self._with_extra(value)
                if name in _OBJECTIVES:
                    self.objectives.append(function)
                else:
                    self.others.append((value, self._extra))
                lent = self.iterates.handed_to if name in _OBJECTIVES else self.iterates.shown_to
                given[name] = self._plainly(lent(function))
            elif name in _CONSTRAINTS:
                given[name] = self._constraints(value)
            elif isinstance(value, dict):
                given[name] = {key: self._option(key, part) for key, part in value.items()}
        other = {k: v for k, v in given.items() if k not in _STARTS and not callable(v)}
        self.sources = [part for part in _parts(other.values()) if contains_traced(part)]
        self.start = next((given[name] for name in _STARTS[:1] if name in given), None)
        if isinstance(given.get("options"), dict):
            given["options"] = dict(given["options"])
        places = [(some, name) for some in (given, given.get("options") or {}) for name in _STARTS]
        self.starts = [(some, name) for some, name in places if contains_traced(some.get(name))]
        """Where those stand that depend on inputs."""
        self.iterates.depend = bool(self.starts or self.sources)
        self.from_starts = total_of([some[name] for some, name in self.starts])
        self.width = next((_width(given[name]) for name in _WIDTHS if given.get(name)), None)

    def _with_extra(self, function) -> Callable[..., Any]:
        return lambda *z, **named: function(*z, *self._extra, **self._keywords, **named)

    def _plainly(self, function) -> Callable[..., Any]:
        """The function for SciPy: it gives values, and in a global trace none that are traced."""

        def called(*z, **named) -> Any:
            result = function(*z, **named)
            if not contains_traced(result):
                return result
            if not current().local:
                raise TracedResult
            self.met_traced = True
            return tuple(map(of_values, result)) if type(result) is tuple else of_values(result)

        return called

    def _option(self, name: str, value) -> Any:
        """What a dictionary of options holds, for a search within this one."""
        if name in _CONSTRAINTS:
            return self._constraints(value)
        if not callable(value) or isinstance(value, type):
            return value
        is_slope = name in _SLOPES
        self.others.append((value, self._extra if is_slope else ()))
        function = self._with_extra(value) if is_slope else value
        return self._plainly(self.iterates.shown_to(function))

    def _constraints(self, value) -> Any:
        """Constraints with functions for SciPy; those themselves become objectives."""
        if isinstance(value, (list, tuple)):
            return [self._constraints(item) for item in value]
        if isinstance(value, dict):
            extra = value.get("args", ())
            functions = {
                name: (lambda *z, f=value[name]: f(*z, *extra))
                for name in ("fun", "jac")
                if callable(value.get(name))
            }
            self.objectives.append(functions["fun"])
            plain = {"fun": self._plainly(self.iterates.handed_to(functions["fun"]))}
            if "jac" in functions:
                self.others.append((value["jac"], extra))
                plain["jac"] = self._plainly(self.iterates.shown_to(functions["jac"]))
            return {**value, **plain, "args": ()}
        if callable(getattr(value, "fun", None)):
            self.objectives.append(value.fun)
            value = copy.copy(value)
            value.fun = self._plainly(self.iterates.handed_to(value.fun))
        return value

    def run(self) -> Any:
        """What SciPy finds for the values at the point; None where these are not known."""
        given = self._bound.arguments
        known = current().local or not (self.sources or self.starts)
        if not known:
            return None
        for some in (given, given.get("options") or {}):
            for name, value in some.items():
                if not callable(value) and name != "options":
                    some[name] = _numbers(value)
        try:
            return self.call.original(*self._bound.args, **self._bound.kwargs)
        except TracedResult:
            return None

    def varies(self, found, solution: Callable[[Any], Any]) -> Any:
        """Which numbers of a place that was found vary with the start."""
        if not _has_ended(found):
            return True
        moved = []
        for some, name in self.starts:
            some[name], most = aside(some[name])
            moved.append(most)
        return varies(
            np.asarray(solution(found), float),
            lambda: solution(self.call.original(*self._bound.args, **self._bound.kwargs)),
            max(moved),
        )

    def total(self, shape: tuple[int, ...], place) -> Ids:
        """All that the functions depend on, at a place or at unknown numbers."""
        trace = current()
        ids = trace.graph.node(trace.graph.opaques(shape))
        lend(trace.graph, ids)
        z = made(trace, ids, float, place, scalar=not shape)
        results: list[Any] = []

        def once() -> None:
            with uncut():
                results.extend([function(z) for function in self.objectives])
            if place is None:
                for function, extra in self.others:
                    self.iterates.show_once(self.call, function, shape, extra)

        until_settled(once, *self.objectives, *(function for function, _ in self.others))
        # a node of its own, not what the functions may have kept
        return np.asarray(trace.graph.node(total_of(results, self.sources)))


def _has_ended(found) -> bool:
    """Whether SciPy says of a result that the search has come to its end."""
    return bool(getattr(found, "success", True))


_PARTS = ("A", "lb", "ub")
"""What SciPy's objects for bounds and constraints hold."""


def _parts(values) -> Iterator[Any]:
    """Arguments, and what the bounds and constraints among them hold."""
    for value in values:
        if isinstance(value, dict):
            yield from _parts(value.values())
        elif isinstance(value, list | tuple) and not contains_traced(value):
            yield from _parts(value)
        elif hasattr(value, "lb") and hasattr(value, "ub"):
            yield from (getattr(value, name) for name in _PARTS if hasattr(value, name))
        else:
            yield value


def _width(bounds) -> int | None:
    """How many unknowns there are, if the bounds tell."""
    sides = bounds if not hasattr(bounds, "lb") else (bounds.lb, bounds.ub)
    return len(bounds) if sides is bounds else max(map(np.size, sides))


def _numbers(x) -> Any:
    """Values, of traced numbers in lists, tuples, bounds and constraints too."""
    if isinstance(x, dict):
        return {name: _numbers(value) for name, value in x.items()}
    if isinstance(x, list | tuple):
        return type(x)(map(_numbers, x)) if not hasattr(x, "_fields") else x
    if any(contains_traced(getattr(x, name, None)) for name in _PARTS):
        x = copy.copy(x)
        for name in _PARTS:
            if hasattr(x, name):
                setattr(x, name, of_values(getattr(x, name)))
        return x
    return of_values(x) if contains_traced(x) else x


@contextmanager
def uncut() -> Iterator[None]:
    """Where values end no dependency."""
    trace = current()
    values, trace.values = trace.values, False
    try:
        yield
    finally:
        trace.values = values


class _Found(NamedTuple):
    """What a search has found."""

    place: Any
    """None where nothing is traced."""
    total: Ids
    """The id of all that the least value depends on..."""
    beside: Ids
    """...and of that and the start: what is found on the way there depends on it."""
    result: Any
    """What SciPy returned, if it was run."""


def _found(call: Call, args, kwargs, solution: Callable[[Any], Any]) -> _Found:
    search = _Search(call, args, kwargs)
    found = search.run()
    if found is not None and not (search.met_traced or search.sources or search.starts):
        nothing = np.asarray(current().graph.opaque, np.int32)
        return _Found(None, nothing, nothing, found)
    place = None if found is None else np.asarray(solution(found), float)
    if place is not None:
        shape = place.shape
    elif search.start is not None:
        shape = (np.size(search.start),)
    else:
        shape = () if search.width is None or call.name.endswith("_scalar") else (search.width,)
    total = beside = search.total(shape, place)
    ids = np.broadcast_to(total, shape).copy()
    if search.starts:
        starts = np.asarray(search.from_starts)
        beside = beside_starts(total, starts)
        where = True if found is None else search.varies(found, solution)
        ids = beside_starts(ids, starts, where)
    place = made(current(), ids, float, place, scalar=not shape)
    return _Found(place, total, beside, found)


def _place(call: Call, *given, **named) -> Any:
    """The place alone."""
    place, *_, found = _found(call, given, named, lambda result: result)
    return found if place is None else place


brent = golden = brute = fmin = fmin_bfgs = fmin_cg = fmin_cobyla = fmin_ncg = _place
fmin_powell = fmin_slsqp = fminbound = _place


def _first_of_several(call: Call, *given, **named) -> Any:
    """The place, and how the search went."""
    place, total, beside, found = _found(call, given, named, lambda result: result[0])
    if place is None:
        return found
    if call.name.endswith("leastsq"):
        asked = inspect.signature(call.original).bind(*given, **named).arguments
        if not asked.get("full_output"):
            return place, 1 if found is None else found[1]
        cov = None if found is None else found[1]
        every = np.broadcast_to(beside, (np.size(place),) * 2).copy()
        hidden = Hidden(call.name, "how it was found has no rule", "Use what was found.")
        return place, made(current(), every, float, cov), hidden, "", 1
    if call.name.endswith("fmin_tnc"):
        return (place, 0, 0) if found is None else (place, *found[1:])
    least = made(current(), total.copy(), float, None if found is None else np.asarray(found[1]))
    return place, least[()], {"warnflag": 0} if found is None else found[2]


fmin_l_bfgs_b = fmin_tnc = leastsq = _first_of_several


def _described(call: Call, *given, **named) -> Any:
    """SciPy's result object with the place, the value there, and whether it was found."""
    found = _found(call, given, named, lambda result: result.x)
    return found.result if found.place is None else _result(call, *found)


def _result(call: Call, place: Any, total: Ids, beside: Ids, found: Any) -> Any:
    """SciPy's result object, at a point with what SciPy found; see `_Found`."""
    hidden = Hidden(call.name, "this part of the result has no rule", "Use its x and fun.")
    result = sys.modules["scipy.optimize"].OptimizeResult(dict.fromkeys(_HIDDEN, hidden))
    result.update(success=True, status=0, message="", x=place)
    if found is not None:
        result.update({name: found[name] for name in _COUNTS if name in found})
    slopes = {} if found is None else {name: found.get(name) for name in _HIDDEN}
    if found is None and call.name.endswith("minimize"):
        slopes["jac"] = np.full(np.shape(place), np.nan)
    for name, value in slopes.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            every = np.broadcast_to(beside, value.shape).copy()
            result[name] = made(current(), every, float, None if found is None else value)
    for name in ("fun", "cost", "optimality"):
        if found is None and name != "fun" and not call.name.endswith("least_squares"):
            continue
        if found is not None and name not in found:
            continue
        value = None if found is None else np.asarray(found[name], float)
        if found is None and name == "fun" and call.name.endswith("least_squares"):
            result[name] = hidden
            continue
        shape = () if value is None else value.shape
        ids = np.broadcast_to(total, shape).copy()
        result[name] = made(current(), ids, float, value, scalar=not shape)
    return result


def _of_data(call: Call, *given, **named) -> Any:
    """The least value of a function that is given by its numbers alone."""
    bound = inspect.signature(call.original).bind(*given, **named)
    arguments = bound.arguments
    sources = [part for part in _parts(arguments.values()) if contains_traced(part)]
    found = None
    if current().local or not sources:
        arguments.update({name: _numbers(value) for name, value in arguments.items()})
        found = call.original(*bound.args, **bound.kwargs)
        if not sources:
            return found
        if found.x is None:
            call.refuse("it finds no solution here", "Take a pattern at a point that has one.")
    width = np.size(arguments["c"]) if "c" in arguments else np.shape(arguments["A"])[1]
    total = total_of(sources)
    ids = np.broadcast_to(total, (width,)).copy()
    place = made(current(), ids, float, None if found is None else np.asarray(found.x, float))
    return _result(call, place, total, total, found)


linprog = lsq_linear = milp = _of_data


def linear_sum_assignment(call, cost_matrix, maximize=False) -> Any:
    """Which columns go with the rows has no derivative; the rows are all there are, if they fit."""
    rows, columns = ranked(call, cost_matrix, maximize=maximize)
    height, width = np.shape(cost_matrix)
    return (np.arange(height) if height <= width else rows), columns


@makes_objects
def isotonic_regression(call, y, weights, increasing) -> Any:
    """Means over blocks, which the values choose: at a point those of this one."""
    trace, y = current(), array_of(y)
    hidden = Hidden(call.name, "its blocks depend on the values", "Use its x, or local=True.")
    result = sys.modules["scipy.optimize"].OptimizeResult(weights=hidden, blocks=hidden)
    if not trace.local:
        total = np.broadcast_to(total_of((y, weights)), y.shape).copy()
        result.x = made(trace, total, float)
        return result
    found = call.plainly(of_values(y), weights=of_values(weights), increasing=increasing)
    weights = np.ones(y.shape) if weights is None else array_of(weights)
    pieces = [slice(*ends) for ends in itertools.pairwise(np.asarray(found.blocks).tolist())]
    sums = [weights[piece].sum() for piece in pieces]
    means = [(weights[p] * y[p]).sum() / s for p, s in zip(pieces, sums, strict=True)]
    sizes = [p.stop - p.start for p in pieces]
    x = np.concatenate([np.broadcast_to(m, n) for m, n in zip(means, sizes, strict=True)])
    result.update(found, x=made(trace, ids_of(trace, x).copy(), float, found.x))
    totals = np.stack(sums) if contains_traced(sums) else np.array(sums)
    result.weights = totals if found.weights.shape == (len(sums),) else hidden
    return result


@makes_objects
def quadratic_assignment(call, A, B, method, options) -> Any:
    """Which places go together has no derivative; the sum depends on all elements."""
    trace = current()
    hidden = Hidden(call.name, "how it was found has no rule", "Use its fun and col_ind.")
    result = sys.modules["scipy.optimize"].OptimizeResult(nit=hidden)
    found = None
    if trace.local:
        found = call.plainly(of_values(A), of_values(B), method, options)
        result.update(found)
    else:
        result.col_ind = unknown_number(np.shape(A)[:1], int)
    value = None if found is None else np.asarray(found.fun)
    result.fun = made(trace, np.asarray(total_of((A, B))), float, value, scalar=True)
    return result


basinhopping = differential_evolution = direct = dual_annealing = shgo = _described
least_squares = minimize = minimize_scalar = _described
nnls = whole


_STEPPING = frozenset("x_scale ftol xtol gtol max_nfev maxfev epsfcn factor diag diff_step".split())
"""Options of a fit that say how it is sought, and not what."""


def curve_fit(
    call, f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, bounds, method, jac,
    full_output, nan_policy, kwargs,
):  # fmt: skip
    """The parameters and their covariance depend on all data, and on what the model reads."""
    trace, met = current(), [False]
    if isinstance(xdata, (list, tuple, np.ndarray)):
        xdata = array_of(xdata) * 1.0  # as SciPy: the model may be given a list here

    def model(x, *parameters) -> Any:
        result = handed(x, *parameters)
        if not contains_traced(result):
            return result
        if not trace.local:
            raise TracedResult
        met[0] = True
        return of_values(result)

    constant(call, (bounds, check_finite), "a bound")
    asked = {name: x for name, x in kwargs.items() if name not in _STEPPING}
    sources = [x for x in (xdata, ydata, sigma, *asked.values()) if contains_traced(x)]
    is_known = trace.local or not any(map(contains_traced, (*sources, p0, *kwargs.values())))
    handed = Iterates(bool(sources) or contains_traced(p0)).handed_to(f)
    options = {name: of_values(x) for name, x in kwargs.items()} if is_known else {}
    count = np.size(p0) if p0 is not None else len(inspect.signature(f).parameters) - 1
    start = np.ones(count) if p0 is None else of_values(p0) if trace.local else p0
    found = None

    def fitted(start) -> Any:
        return call.original(
            model, values_of(xdata), values_of(ydata), start, values_of(sigma),
            absolute_sigma, check_finite, bounds, method, jac, nan_policy=nan_policy,
            full_output=full_output,
            **options,
        )  # fmt: skip

    def varies_with_start(parameters) -> bool:
        moved, most = aside(start)
        return bool(varies(parameters, lambda: fitted(moved)[0], most).any())

    if is_known:
        try:
            found = fitted(start)
        except TracedResult:
            pass
        else:
            if not (sources or met[0] or contains_traced(p0)):
                return found
    place = np.full(count, np.nan) if found is None else np.asarray(found[0])
    marks = trace.graph.node(trace.graph.opaques((count,)))
    lend(trace.graph, marks)
    unknown = made(trace, marks, float, place)
    values: list[Any] = []
    with uncut():
        until_settled(lambda: values.append(array_of(f(xdata, *unknown))), f)
    total = trace.graph.node(total_of(values, sources))
    shapes = (count,), (count, count)
    all_ids = [np.broadcast_to(total, shape).copy() for shape in shapes]
    if contains_traced(p0):
        where = found is None or varies_with_start(found[0])
        all_ids = [beside_starts(ids, np.asarray(total_of(p0)), where=where) for ids in all_ids]
    of_values_found = (None, None) if found is None else found[:2]
    results = [
        made(trace, ids, float, value) for ids, value in zip(all_ids, of_values_found, strict=True)
    ]
    if full_output:
        hidden = Hidden(call.name, "how it was found has no rule", "Use what was found.")
        return (*results, hidden, "", 1)
    return results[0], results[1]

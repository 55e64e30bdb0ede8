"""Functions of the user's that SciPy calls: integrands, right-hand sides, residuals.

Contract: such a function may read traced numbers that nobody hands to it.  In a global trace
it is run once, on numbers of unknown value; at a point SciPy runs it, and is given the values of
its results.  Where none of its results is traced, SciPy's function answers by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.dispatch.keeping_functions import may_keep
from sparsetrace.dispatch.lent_numbers import lend
from sparsetrace.errors import BY_VALUES, ValueDependentError, explain
from sparsetrace.graph.graph import OPAQUE, Columns, Graph, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.graph.reach import Reach
from sparsetrace.operands.operands import contains_traced, dtype_of, ids_of, values_of
from sparsetrace.operands.raising import injected
from sparsetrace.scipy_rules.rule_tools import array_of, current, made

__all__ = [
    "Returned",
    "TracedResult",
    "at_places",
    "lent_number",
    "of_jacobian",
    "of_values",
    "place_between",
    "places_between",
    "reached",
    "reads_arguments_alone",
    "unknown_number",
]


_MOST_CALLS = 32


class _Deciding:
    """Notes whether branches of the user's are decided meanwhile, or lets none be."""

    def __init__(self, trace: Trace, *, refuses: bool = False) -> None:
        self.trace, self.has_decided, self.refuses = trace, False, refuses
        self._decide = trace.decide

    def __enter__(self) -> _Deciding:
        if self._decide is not None:
            self.trace.decide = self
        return self

    def __exit__(self, *_: object) -> None:
        self.trace.decide = self._decide

    def __call__(self, *args: Any, **options: Any) -> bool:
        assert self._decide is not None
        self.has_decided = True
        if self.refuses:
            raise injected(TracedResult())
        return self._decide(*args, **options)


class TracedResult(Exception):
    """Raised through SciPy's code where a function returned traced numbers."""


class Returned:
    """What a function returned, as far as it is traced.

    Attributes
    ----------
    ids : ndarray of int32 or None
        The union over all results so far; None where none was traced.
    """

    def __init__(self) -> None:
        self.ids: Ids | None = None
        self.dtype: np.dtype[Any] = np.dtype(float)
        self.first: Any = None
        """What was returned before SciPy was left in a global trace."""

    def add(self, result) -> None:
        """Take another result, of the same shape."""
        trace = current()
        ids = np.maximum(ids_of(trace, result), OPAQUE)
        if trace.moving is not None and not trace.local:
            ids = trace.moving.beside_steps(ids)
            if trace.conditions:  # what it jumps with
                ids = _beside(ids, trace.graph.union_rows(np.array(trace.conditions, np.int32)))
                trace.conditions.clear()
        self.dtype = np.result_type(self.dtype, dtype_of(result))
        self.ids = ids.copy() if self.ids is None else trace.graph.union(self.ids, ids)

    def join_steps(self, steps: Any, result: Any, *, of_all: bool = False) -> None:
        """Let all results, of the shape of SciPy's, depend on steps that vary (`Varying`)."""
        total = steps.total(of_all=of_all)
        if total is not None:
            none = current().graph.opaques(np.shape(result))
            self.ids = _beside(none if self.ids is None else self.ids, total)

    def add_first(self, function: Callable[..., Any], shape: tuple[int, ...]) -> None:
        """Take what the first call gave, too, if later ones may find another state."""
        if self.first is not None and may_keep(function):
            self.add(array_of(self.first).reshape(shape))

    def add_all(self, call: Callable[[], Any]) -> None:
        """Add what a function returns in a global trace, whatever branches it takes between calls.

        A solver calls it again and again, and each time it may decide otherwise.  So it is run
        again where it has decided anything, until that adds nothing: on some path of the
        traced function, then, it has taken each of its own branches once.
        """
        trace, known = current(), None
        reach = Reach(trace.graph)
        for _ in range(_MOST_CALLS):
            with _Deciding(trace) as deciding:
                self.add(call())
            assert self.ids is not None
            found = [reach.of(id_) if id_ > OPAQUE else () for id_ in self.ids.reshape(-1).tolist()]
            if not deciding.has_decided or (found == known and None not in found):
                return
            known = found
        raise ValueDependentError(
            explain(
                "a function that a solver calls",
                f"its branches are told apart by more than {_MOST_CALLS} calls",
                "Use np.where, np.maximum or np.clip instead of if.",
                BY_VALUES,
            )
        )

    def values_only(
        self, function: Callable[..., Any], *, keep: bool = True, decides: bool = False
    ) -> Any:
        """The function for SciPy: it gives values, and its traced results are kept.

        In a global trace these are none, nor may they be decided by branches: unless `decides`.
        """

        def called(*args, **kwargs) -> Any:
            trace = current()
            if trace.local or decides:
                result = function(*args, **kwargs)
            else:
                result = _undecided(trace, function, args, kwargs)
            if not contains_traced(result):
                return result
            if not trace.local:
                self.first = result
                raise TracedResult
            if keep:
                self.add(array_of(result))
            elif self.ids is None:
                self.ids = np.zeros((), np.int32)
            return of_values(result)

        return called


def _undecided(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What a function returns without a branch; `TracedResult` at one, whatever becomes of it."""
    with _Deciding(trace, refuses=True) as deciding:
        try:
            result = function(*args, **kwargs)
        except Exception as error:  # compiled code may raise another one in its place
            if deciding.has_decided and not isinstance(error, TracedResult):
                raise TracedResult from None
            raise
    if deciding.has_decided:
        raise TracedResult
    return result


def of_jacobian(function: Callable[..., Any]) -> Callable[..., Any]:
    """A Jacobian for SciPy: what it depends on and decides changes no solution."""
    values_only: Callable[..., Any] = Returned().values_only(function, keep=False, decides=True)
    return values_only


def _beside(ids: Ids, total: Ids) -> Ids:
    graph = current().graph
    return interact_all(graph, graph.union(ids, np.full(ids.shape, total, np.int32)))


def of_values(x) -> Any:
    """The values of a result at the point."""
    if not contains_traced(x):
        return x
    values = np.asarray(values_of(x))
    return values if values.ndim else values[()]


def reads_arguments_alone(function: Callable[..., Any]) -> bool:
    """Whether a compiled function of a module can reach nothing traced but what it is given."""
    if type(function).__name__ not in _COMPILED_FUNCTIONS:
        return False
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    owner = getattr(function, "__self__", module)
    if module is None or owner not in (None, module) or getattr(function, "__closure__", None):
        return False
    held = vars(module)
    return held.get(function.__name__) is function and not any(map(contains_traced, held.values()))


_COMPILED_FUNCTIONS = ("builtin_function_or_method", "cython_function_or_method")


def unknown_number(shape: tuple[int, ...] = (), dtype=float) -> Any:
    """A number without derivative, of which nothing else is known."""
    trace = current()
    ids = np.full(shape, trace.graph.opaque, np.int32)
    return made(trace, ids, dtype, scalar=not shape)


def lent_number(shape: tuple[int, ...] = ()) -> Any:
    """An unknown number for a function that a solver calls, which depends on what it will find."""
    trace = current()
    marks = trace.graph.node(trace.graph.opaques(shape))
    lend(trace.graph, marks)
    return made(trace, marks, float, scalar=not shape)


def place_between(*limits: Any) -> Ids | None:
    """The id of a place between limits, which moves with those that are traced; else None."""
    trace = current()
    traced = [ids_of(trace, x).reshape(-1) for x in limits if contains_traced(x)]
    return np.asarray(trace.graph.union_rows(np.concatenate(traced))) if traced else None


def places_between(shape: tuple[int, ...], *limits: Any) -> Ids | None:
    """The same for each element of limits of this shape, or which are repeated to it."""
    trace = current()
    traced = [np.broadcast_to(ids_of(trace, x), shape) for x in limits if contains_traced(x)]
    return np.maximum(trace.graph.union_all(traced), OPAQUE) if traced else None


def at_places(function: Callable[..., Any], between: Ids | None) -> Callable[..., Any]:
    """A function for SciPy at a point: it is given places that move with their limits.

    These are the same for all places, or for all of a row, in which there is one of each.
    """
    if between is None or (between <= OPAQUE).all():
        return function

    def called(t, *args: Any) -> Any:
        ids = np.full(np.shape(t), between, np.int32)
        return function(made(current(), ids, float, np.asarray(t), scalar=not ids.ndim), *args)

    return called


def reached(graph: Graph, marks: Ids, ids: Ids) -> list[int]:
    """Which of some nodes each id depends on: the bits of a number.

    Examples
    --------
    >>> g = Graph(3)
    >>> marks = g.node(g.inputs())
    >>> reached(g, marks, g.union(marks[:2], marks[1:]))
    [3, 6]
    """
    masks = {node: 1 << i for i, node in enumerate(marks.reshape(-1).tolist())}
    first = min(masks, default=graph.size)
    if graph.kept is not None and first < graph.kept.end:
        graph.kept.miss(first)
    for block in graph.blocks:
        if block.base + block.size <= first:
            continue
        if isinstance(block, Columns):
            for column in block.columns:
                for node, parent in enumerate(column.tolist(), block.base):
                    mask = masks.get(parent)
                    if mask:
                        masks[node] = masks.get(node, 0) | mask
            continue
        parents, bounds = block.parents.tolist(), block.indptr.tolist()
        for i in range(block.size):
            mask = 0
            for parent in parents[bounds[i] : bounds[i + 1]]:
                mask |= masks.get(parent, 0)
            if mask:
                masks[block.base + i] = masks.get(block.base + i, 0) | mask
    return [masks.get(node, 0) for node in ids.reshape(-1).tolist()]

"""Steps and kinks of an integrand or a right-hand side, at places that depend on the inputs.

Contract: ``1.0 if t > x[0] else 0.0`` has no derivative in ``x[0]`` where it has one, but its
integral over t is smooth in ``x[0]``.  So where what a step is made of moves, with the variable of
integration or with the states, the step depends on all of that, and nonlinearly; a kink, as in
``abs(t - x[0])``, is nonlinear.  In a global trace a node stands for what moves; at a point a
step moves if its outcome is not the same wherever SciPy asks for it.
"""

from __future__ import annotations

import sys
import types
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import unwrap
from numpy.typing import NDArray

from sparsetrace.context import Trace
from sparsetrace.graph.complex_parts import joint
from sparsetrace.graph.graph import OPAQUE, Graph, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    ids_of,
    values_of,
)
from sparsetrace.operands.unions import is_piecewise_constant, unites
from sparsetrace.scipy_rules.rule_tools import current, made
from sparsetrace.user_code.frames import outside_frame

__all__ = ["Moving", "Varying", "moving", "unwatched", "varying"]


def _side(a: Any, b: Any) -> Any:
    return np.greater(a, b)


def _sign(a: Any) -> Any:
    return np.greater(a, 0)


def _quotient(a: Any, b: Any) -> Any:
    return np.floor_divide(a, b)


_PIECES: dict[np.ufunc, Callable[..., Any]] = {
    np.absolute: _sign,
    np.fabs: _sign,
    np.maximum: _side,
    np.minimum: _side,
    np.fmax: _side,
    np.fmin: _side,
    np.remainder: _quotient,
    np.fmod: _quotient,
    np.divmod: _quotient,
    np.modf: np.trunc,
    np.heaviside: lambda a, _: np.sign(a),
    np.arctan2: lambda a, b: np.equal(a, 0) & np.signbit(b),
    np.copysign: lambda _, b: np.signbit(b),
    np.ldexp: lambda _, b: b,
    np.frexp: lambda a: np.frexp(a)[1],
}
"""Ufuncs that are smooth in pieces, and which piece it is."""
_KINKED = frozenset(
    (
        np.max, np.min, np.nanmax, np.nanmin, np.ptp, np.sort, np.partition, np.median,
        np.nanmedian, np.percentile, np.nanpercentile, np.quantile, np.nanquantile, np.nan_to_num,
        np.unwrap, np.linalg.norm,
    )
)  # fmt: skip
"""Functions whose results are linear in pieces."""
_PLACES: dict[Callable[..., Any], tuple[int, ...]] = {np.interp: (0, 1, 5)}
"""Which of a function's arguments are places, in which it is linear in pieces: no heights."""


_ELSE, _STEP = 1, 2


class Moving:
    """What moves in a global trace: nodes that stand for the variables of integration.

    Parameters
    ----------
    graph : Graph

    Examples
    --------
    >>> g = Graph(2)
    >>> m = Moving(g)
    >>> place = m.begin(m.node(()))
    >>> both = g.union_scalar(4, 3)
    >>> m.moves(np.array([2, 4, both])).tolist()
    [False, False, True]
    >>> m.end(place)
    >>> m.moves(np.array([both])).tolist()
    [False]
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._active, self._begun = 0, 2
        self._bits: dict[int, int] = {}
        """Which integrals' variables a node depends on, a bit for each integral; before these
        `_ELSE`, if on anything else, and `_STEP`."""
        self._first = sys.maxsize

    def node(self, shape: tuple[int, ...]) -> Ids:
        """New nodes that depend on nothing else."""
        return self.graph.node(np.full(shape, self.graph.opaque, np.int32))

    def begin(self, nodes: Ids, *, are_states: bool = False) -> int:
        """Let nodes move that nothing has read yet; gives what `end` takes.

        States depend on the inputs, too.
        """
        bit = 1 << self._begun
        self._begun += 1
        self._active |= bit
        for node in nodes.reshape(-1).tolist():
            self._bits[node] = bit | (_ELSE if are_states else 0)
        self._first = min(self._first, *nodes.reshape(-1).tolist(), sys.maxsize)
        return bit

    def end(self, begun: int) -> None:
        """Let them rest: what has been integrated depends on their place no more."""
        self._active &= ~begun

    def rested(self, ids: Ids) -> Ids:
        """The same as nodes that do not move: an error that is small wherever they stand."""
        nodes = self.graph.node(ids)
        self._bits.update(dict.fromkeys(nodes.reshape(-1).tolist(), 0))
        return nodes

    def moves(self, ids: Ids) -> NDArray[np.bool_]:
        """Which elements depend on what moves now, and on something else."""
        ids = joint(self.graph, np.asarray(ids))
        if ids.size == 1:  # most are single numbers
            return np.full(ids.shape, self._moves(ids.item()))
        unique, places = np.unique(ids, return_inverse=True)
        answers = [self._moves(node) for node in unique.tolist()]
        return np.array(answers, bool)[places].reshape(ids.shape)

    def _moves(self, node: int) -> bool:
        bits = self._bits_of(node)
        return bool(bits & _ELSE and bits & self._active)

    def beside_steps(self, ids: Ids) -> Ids:
        """The ids of results, each of which multiplies a step with what it chooses."""
        if not self.graph.second_order:
            return ids
        mask = [bool(self._bits_of(node) & _STEP) for node in ids.reshape(-1).tolist()]
        return self._nonlinear(ids, np.array(mask, bool).reshape(ids.shape), ids)

    def _bits_of(self, node: int) -> int:
        known, waiting = self._bits, [node]
        while waiting:
            at = waiting[-1]
            if at in known:
                waiting.pop()
                continue
            if at < self._first:
                known[at] = _ELSE if at > OPAQUE else 0
                continue
            parents = self.graph.parents(at)
            unknown = [p for p in parents if p not in known]
            if unknown:
                waiting += unknown
                continue
            known[at] = 0
            for parent in parents:
                known[at] |= known[parent]
        return known[node]

    def is_smooth(self, call: Any) -> bool:
        """Whether a call gives what it gives elsewhere: no step, nor, for second order, a kink."""
        if type(call) is not tuple or not isinstance(call[0], np.ufunc):
            return call in ("read", "write")
        return not self.graph.second_order and call[1] == "__call__" and unites(call[0])

    def of_ufunc(
        self, ufunc: np.ufunc, ids_in: Sequence[Any], values_in: Sequence[Any], out: Ids
    ) -> Ids:
        """The ids of a ufunc's result that is followed as a value, where it moves.

        Parameters
        ----------
        ufunc : numpy.ufunc
        ids_in, values_in : sequence
            The operands, which are not asked for here.
        out : ndarray of int32
            The union of all operands.
        """
        if is_piecewise_constant(ufunc):
            return self._step(out, np.minimum(out, self.graph.opaque))
        return self._smooth(out, out) if ufunc in _PIECES and self.graph.second_order else out

    def converted(self, ids: Ids) -> Ids:
        """The ids of whole numbers that others are made."""
        return self._step(ids, np.minimum(ids, self.graph.opaque))

    def placed(self, ids: Ids, place: Any) -> Ids:
        """The ids of places in a table or a density, which is constant or linear in pieces."""
        return self._step(ids, ids) if self.graph.second_order else ids

    def of_call(self, call: Hashable, operands: Sequence[Any], result: Any) -> None:
        """Nothing: the rule has given the ids of all operands."""

    def of_function(self, function: Callable[..., Any], args: Sequence[Any], result: Any) -> None:
        """Make what a function's rule gives nonlinear where it is linear in pieces."""
        bends = function in _KINKED or any(
            self.moves(ids_of(current(), args[i])).any()
            for i in _PLACES.get(function, ())
            if contains_traced(args[i])
        )
        for item in result if isinstance(result, tuple) else (result,):
            if not isinstance(item, Elements):
                continue
            if item.dtype.kind in "biu":
                item.ids = self.converted(item.ids)
            elif bends and self.graph.second_order:
                item.ids = self._smooth(item.ids, item.ids)

    def _smooth(self, out: Ids, resting: Ids) -> Ids:
        """A smooth function of all that it depends on where that moves."""
        return self._nonlinear(out, self.moves(out), resting)

    def _step(self, out: Ids, resting: Ids) -> Ids:
        result = self._smooth(out, resting)
        if self.graph.second_order:
            for node in result[self.moves(result)].tolist():
                self._bits[node] = self._bits_of(node) | _STEP
        return result

    def _nonlinear(self, out: Ids, mask: NDArray[np.bool_], others: Ids) -> Ids:
        if not mask.any():
            return others
        made = interact_all(self.graph, np.where(mask, out, np.int32(self.graph.opaque)))
        return np.where(mask, made, others)


class Varying:
    """What steps a function makes at a point, and whether their outcomes vary between calls.

    Parameters
    ----------
    outer : Varying or None
        That of an integral in whose integrand this one stands.
    within : bool
        Whether outcomes also vary from one element to the next: a call is given many places.
    """

    def __init__(self, outer: Varying | None, *, within: bool) -> None:
        self._outer, self._within = outer, within
        self.calls = 0
        self._resting: set[int] = set() if outer is None else outer._resting
        self._count: Counter[Hashable] = Counter()
        self._seen: dict[Hashable, _Step] = {}
        self._codes: dict[int, types.CodeType] = {}
        """Those which `_seen` knows by their ids, so that no other code gets one of these."""

    def each(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose calls are told apart."""

        def called(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            self._count.clear()
            return function(*args, **kwargs)

        return called

    def rested(self, ids: Ids) -> Ids:
        """The same as nodes whose steps do not count: an error that is small everywhere."""
        nodes = current().graph.node(ids)
        self._resting.update(nodes.reshape(-1).tolist())
        return nodes

    def of_ufunc(
        self, ufunc: np.ufunc, ids_in: Sequence[Any], values_in: Sequence[Any], out: Ids
    ) -> Ids:
        """The ids as they are; notes which piece each element is in."""
        pieces = ufunc if is_piecewise_constant(ufunc) else _PIECES.get(ufunc)
        if pieces is not None:
            with np.errstate(all="ignore"):
                self.note(ufunc, pieces(*values_in), [x for x in ids_in if x is not None])
        return out

    def of_function(self, function: Callable[..., Any], args: Sequence[Any], result: Any) -> None:
        """Note that the result may be in another piece each time."""
        if function is unwrap and contains_traced(args[0]):
            plain = [values_of(x) for x in args]
            self.note(function, unwrap(*plain) - plain[0], [ids_of(current(), args[0])] * 2)
        if not current().second_order:
            return
        places = _PLACES.get(function, (0,) if function in _KINKED else ())
        traced = [args[i] for i in places if contains_traced(args[i])]
        if isinstance(result, Elements):
            for place in traced:
                outcome: Any = np.asarray(values_of(place))
                if function in _KINKED:  # which element is where may change
                    outcome = hash(outcome.tobytes())
                self.note((function, "bends"), outcome, [result.ids])

    def converted(self, ids: Ids) -> Ids:
        """The ids as they are: `note` is told of the values."""
        return ids

    def placed(self, ids: Ids, place: Any) -> Ids:
        """The ids as they are, of places in a table that is linear in pieces."""
        if current().second_order and (ids > OPAQUE).any():
            self.note("bends", np.asarray(values_of(place)), [ids])
        return ids

    def of_call(self, call: Hashable, operands: Sequence[Any], result: Any) -> None:
        """Note results without derivative, which step if equal constants give other ones.

        Parameters
        ----------
        call : hashable
            What was called.
        operands : sequence
            The arguments, traced or not.
        result : object
        """
        trace = current()
        traced = [x for x in operands if contains_traced(x)]
        if not traced:
            return
        constants = _constants(trace, operands)
        for place, item in enumerate(result if isinstance(result, tuple) else (result,)):
            if contains_traced(item):
                ids, values = ids_of(trace, item), np.asarray(values_of(item))
                outcome = np.where(ids > OPAQUE, np.nan, values)
            elif isinstance(item, np.ndarray | np.number) and item.dtype.kind in "biufc":
                ids, outcome = np.zeros(1, np.int32), np.asarray(item)
            else:
                continue
            if (ids <= OPAQUE).any():
                what = call, constants, place
                self.note(what, outcome, [ids_of(trace, x) for x in traced])

    def has_raised(self, what: Hashable, operands: Iterable[Any]) -> None:
        """Remember an error, which is no step if all calls raise it."""
        trace = current()
        ids = [ids_of(trace, x) for x in operands if contains_traced(x)]
        self._raised(self._site(what), ids)

    def _raised(self, site: Hashable, ids: list[Ids]) -> None:
        if self._outer is not None:
            self._outer._raised(site, ids)
        step = self._seen.setdefault((site, "raised"), _Step(True))
        step.raised.add(self.calls)
        for each in ids:
            step.nodes.update(each.reshape(-1).tolist())

    def _site(self, what: Hashable) -> Hashable:
        frame = outside_frame(sys._getframe(2))
        self._codes[id(frame.f_code)] = frame.f_code
        return id(frame.f_code), frame.f_lasti, what

    def note(self, what: Hashable, outcome: Any, operands: Iterable[Ids]) -> None:
        """Remember the outcome of a step, which depends on the operands."""
        of_each = list(operands)
        if of_each:
            self._note(self._site(what), outcome, of_each)

    def _note(self, site: Hashable, outcome: Any, operands: list[Ids]) -> None:
        if self._outer is not None:
            self._outer._note(site, outcome, operands)
        count = self._count[site]
        self._count[site] += 1
        if isinstance(outcome, tuple):
            for at, each in enumerate(outcome):
                self._note_one((site, count, at), each, operands)
        else:
            self._note_one((site, count), outcome, operands)

    def _note_one(self, key: Hashable, outcome: Any, operands: list[Ids]) -> None:
        step = self._seen.get(key)
        if step is None:
            step = self._seen[key] = _Step(outcome)
        if step.is_whole and np.ndim(outcome) == 0:
            step.varies = step.varies or _differ(step.first, outcome)
            for ids in operands:
                step.nodes.update(ids.reshape(-1).tolist())
            return
        step.is_whole = False
        outcome, first = np.asarray(outcome), np.asarray(step.first)
        if outcome.shape != first.shape:
            first = np.full(outcome.shape, np.nan)
        elif self._within:
            first = first.reshape(-1)[:1].reshape((1,) * first.ndim)
        graph, varies = current().graph, _differ(first, outcome)
        if all(ids.shape in ((), outcome.shape) for ids in operands):
            united = np.broadcast_to(graph.union_all(operands), outcome.shape)
            step.nodes.update(united[varies].reshape(-1).tolist())
        elif varies.any():
            for ids in operands:
                step.nodes.update(ids.reshape(-1).tolist())
        step.varies = step.varies or bool(varies.any())

    def _varies(self, step: _Step) -> bool:
        return step.varies or 0 < len(step.raised) < self.calls

    def total(self, *, of_all: bool = False) -> Ids | None:
        """The union of what varying steps, or all, depend on; None where there are none."""
        nodes = set().union(*(x.nodes for x in self._seen.values() if of_all or self._varies(x)))
        known = [node for node in nodes - self._resting if node > OPAQUE]
        if not known:
            return None
        return np.asarray(current().graph.union_rows(np.array(sorted(known), np.int32)))


class _Step:
    """The outcomes of a step in calls of one function: the first, and whether others differ."""

    __slots__ = ("first", "is_whole", "nodes", "raised", "varies")

    def __init__(self, outcome: Any) -> None:
        self.first, self.is_whole = outcome, np.ndim(outcome) == 0
        self.varies = False
        self.nodes: set[int] = set()
        self.raised: set[int] = set()
        """The calls that an error has ended, or its handler."""


def _constants(trace: Trace, operands: Iterable[Any]) -> tuple[Any, ...]:
    """The numbers among operands that no input changes, as something that can be hashed."""
    found: list[Any] = []
    for x in operands:
        if contains_traced(x):
            ids, values = ids_of(trace, x), np.asarray(values_of(x))
            found.append(np.where(ids > OPAQUE, 0, values).tobytes())
        elif isinstance(x, np.ndarray | np.generic | float | int | complex | list | tuple):
            with suppress(TypeError, ValueError):
                found.append(np.asarray(x, complex).tobytes())
    return tuple(found)


def _differ(first: Any, outcome: Any) -> Any:
    """Whether outcomes differ, which NaN does not from NaN."""
    are_numbers = np.equal(first, first) | np.equal(outcome, outcome)
    return np.not_equal(first, outcome) & are_numbers


@contextmanager
def moving(trace: Trace) -> Iterator[Callable[..., Any]]:
    """Follow steps of what moves in a global trace; gives a maker of moving numbers.

    It takes a shape, and the nodes of states, if they have some.

    What branches are decided on is in ``trace.conditions`` until the end.
    """
    if trace.dependency and trace.moving is None:  # all values are followed
        yield lambda shape=(), ids=None: _unknown(trace, shape, ids)
        return
    before = trace.moving, trace.dependency, trace.conditions, trace.is_quick, trace.is_idle
    trace.moving = trace.moving or Moving(trace.graph)
    begun: list[int] = []

    def place(shape: tuple[int, ...] = (), ids: Ids | None = None) -> Any:
        nodes = trace.moving.node(shape) if ids is None else ids
        begun.append(trace.moving.begin(nodes, are_states=ids is not None))
        return _unknown(trace, shape, nodes)

    trace.dependency, trace.conditions = True, []
    if trace.second_order:  # kinks are looked for in all that is computed
        trace.is_quick = trace.is_idle = False
    try:
        yield place
    finally:
        for each in begun:
            trace.moving.end(each)
        trace.moving, trace.dependency, trace.conditions, trace.is_quick, trace.is_idle = before


def _unknown(trace: Trace, shape: tuple[int, ...], ids: Ids | None) -> Any:
    ids = np.full(shape, trace.graph.opaque, np.int32) if ids is None else ids
    return made(trace, ids, float, scalar=not shape)


@contextmanager
def varying(trace: Trace, *, within: bool = False) -> Iterator[Varying]:
    """Watch the steps that a function makes where SciPy calls it: those of a trace at a point."""
    if not trace.local:
        yield Varying(None, within=within)
        return
    before, choices = trace.moving, trace.choices
    steps = trace.moving = Varying(before, within=within)
    try:
        yield steps
    finally:
        trace.moving = before  # what one call compares is no search: all calls compare as much
        trace.choices = choices + (trace.choices - choices) // max(steps.calls, 1)


@contextmanager
def unwatched(trace: Trace) -> Iterator[None]:
    """Leave the steps of another function alone that SciPy calls in between."""
    before = trace.moving
    if trace.local:
        trace.moving = None
    try:
        yield
    finally:
        trace.moving = before

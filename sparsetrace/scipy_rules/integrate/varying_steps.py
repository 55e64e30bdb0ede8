"""Steps at a point, in what SciPy calls again and again: those whose outcomes vary count.

Contract: a step is known by its place in the code, and by how often that was come by in the call.
It moves if its outcome is not the same in all calls.
"""

from __future__ import annotations

import sys
import types
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import unwrap

from sparsetrace.context import Trace
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.operands.operands import Elements, contains_traced, ids_of, values_of
from sparsetrace.operands.unions import is_piecewise_constant
from sparsetrace.scipy_rules.integrate.bends import KINKED, PIECES, PLACES
from sparsetrace.scipy_rules.rule_tools import current
from sparsetrace.user_code.frames import outside_frame

__all__ = ["Varying"]


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
        pieces = ufunc if is_piecewise_constant(ufunc) else PIECES.get(ufunc)
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
        places = PLACES.get(function, (0,) if function in KINKED else ())
        traced = [args[i] for i in places if contains_traced(args[i])]
        if isinstance(result, Elements):
            for place in traced:
                outcome: Any = np.asarray(values_of(place))
                if function in KINKED:  # which element is where may change
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

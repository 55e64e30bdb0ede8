"""Calls of a function within itself: what they give is what the outer call gives, of other numbers.

Contract: of a call that changes nothing, so that all that it can reach is the same for the calls of
its function within it, but for numbers that it hands them.  These are exchanged for ones of which
nothing is known.  First the paths on which it calls itself have no end; then such calls give what
the others gave, with their own numbers in the place of those, until that does not grow any more
(the least fixed point; Tarski, "A lattice-theoretical fixpoint theorem", Pacific J. Math. 5, 1955).
In doubt the calls within it are run as they stand.
"""

from __future__ import annotations

import operator
import sys
import types
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from sparsetrace.arrays.array import TracedArray
from sparsetrace.arrays.picked import PickedArray
from sparsetrace.capture.branches import Enough
from sparsetrace.capture.repeated_calls import holds_text_alone
from sparsetrace.capture.result_unions import owns_memory
from sparsetrace.capture.session import Buffer, Session
from sparsetrace.capture.taken_whole import Errors
from sparsetrace.context import Trace
from sparsetrace.errors import TracingError
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.reach import Reach
from sparsetrace.operands.floating import is_calm
from sparsetrace.operands.operands import Elements, is_traced
from sparsetrace.user_code.handlers import watched_frame
from sparsetrace.user_code.held_values import is_unchanging, value_key
from sparsetrace.user_code.read_state import is_exact

__all__ = ["Recursion", "has_no_end", "within"]

_MOST_ROUNDS = 24
_MOST_RESULTS = 8
"""Results that are told apart."""
_MOST_ELEMENTS = 4096
_MOST_INSIDE = 4
"""Calls of one function in one another that are run apart: of other arguments each."""


class Ends(Protocol):
    """What the paths of a call came to."""

    results: list[Any]
    refused: Errors
    is_undone: bool
    is_taken: bool


_Ends = TypeVar("_Ends", bound=Ends)


class _Made(NamedTuple):
    """What a result is, by the arguments of its call."""

    shown: Hashable
    make: Callable[[Sequence[Any]], Any]
    """The result of a call with other arguments."""


class Recursion:
    """One call, for the calls of its function within it.

    Parameters
    ----------
    session : Session
    trace : Trace
    key : hashable
        The same for all functions made of one code.
    function, args, kwargs

    Attributes
    ----------
    answers : int
        How many calls within it were not run.
    is_off : bool
        Whether those are run as they stand.
    """

    def __init__(
        self,
        session: Session,
        trace: Trace,
        key: Hashable,
        function: types.FunctionType,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self.session, self.trace, self.key, self.function = session, trace, key, function
        self.names = tuple(kwargs)
        self.given = (*args, *kwargs.values())
        self.count = len(args)
        self.answers = 0
        self.is_off = False
        self._now = self.given
        """The arguments, with others in the place of those that calls within it change."""
        self._changing: set[int] = set()
        self._grows = False
        """Whether these have become more in this round."""
        self._known: tuple[list[_Made], Errors] | None = None
        """What the last round came to."""
        self._shown: Hashable = None
        self._places: dict[int, tuple[int, int]] = {}
        """Of nodes of the changing arguments which argument it is, and which element."""
        self._is_pure: bool | None = None
        self._frame: types.FrameType | None = None
        self._fills = 0

    # ---------------------------------------------------------------- around the runs
    def ends(self, run: Callable[[Callable[[], Any]], _Ends]) -> _Ends | None:
        """What all paths of the call come to; None if calls within it are to be run as they stand.

        Parameters
        ----------
        run : callable
            Runs all paths of a call.
        """
        session = self.session
        for _ in range(_MOST_ROUNDS):
            self._begin(sys._getframe(1))
            try:
                found = run(self._call)
            except TracingError:
                if not self.is_off:
                    raise
                return None
            finally:
                session.recursions.remove(self)
                self._frame = None
            if not self.is_off and (found.is_undone or found.is_taken or not self.answers):
                return found
            if self.is_off or self._is_over(found.results, found.refused):
                session.answered -= self.answers
                return None if self.is_off else found
        return None

    def _begin(self, frame: types.FrameType) -> None:
        """Begin a round of runs of all its paths."""
        trace = self.trace
        self.session.recursions.append(self)
        self._now = tuple(
            _anew(trace, value) if at in self._changing else value
            for at, value in enumerate(self.given)
        )
        self._grows, self._frame = False, frame
        self._fills = len(self.session.fills)
        self._reach = Reach(trace.graph)

    def _call(self) -> Any:
        named = dict(zip(self.names, self._now[self.count :], strict=True))
        return self.function(*self._now[: self.count], **named)

    def _is_over(self, results: list[Any], refused: Errors) -> bool:
        """Whether these are all ends of the call; if not, another round is to be run."""
        made = self._made_of(results, refused) if results or refused else None
        if made is None:
            self.is_off = True
            return True
        shown = frozenset(one.shown for one in made), frozenset(refused)
        is_over = not self._grows and shown == self._shown
        self._known, self._shown = (made, refused), shown
        return is_over

    # ------------------------------------------------------------------ calls within it
    def answer(
        self, function: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[list[Any], Errors] | None:
        """What a call within it gives, and its errors; None if that has to be run."""
        changing = None if self.is_off else self._changed(function, args, kwargs)
        if changing is None:
            return None
        is_new = not changing <= self._changing
        has_none = self._grows or is_new or self._known is None
        # of a piece something may have been written that is undone at its ends
        self.is_off = (has_none and self.session.nested[-1].undoes) or not self._may_answer()
        if self.is_off:
            return None
        self.answers += 1
        self.session.answered += 1
        self.trace.stands_for_many()
        self._changing |= changing
        self._grows = self._grows or is_new
        if self._grows or self._known is None:
            return [], {}
        given = (*args, *kwargs.values())
        made, refused = self._known
        return [one.make(given) for one in made], refused

    def differs_in_kind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether a call within it has other arguments than numbers in the place of these."""
        given = (*args, *kwargs.values())
        return not self.is_off and (
            len(given) != len(self.given)
            or tuple(kwargs) != self.names
            or not all(map(_may_stand_for, self.given, given))
        )

    def _changed(
        self, function: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> set[int] | None:
        """The places of the arguments that differ; None if it is another kind of call."""
        given, own = (*args, *kwargs.values()), self.function
        cells, others = own.__closure__ or (), function.__closure__ or ()
        if (
            len(given) != len(self._now)
            or len(args) != self.count
            or tuple(kwargs) != self.names
            or function.__code__ is not own.__code__
            or function.__globals__ is not own.__globals__
            or len(cells) != len(others)
            or not all(map(operator.is_, cells, others))
        ):
            return None
        changed = set()
        for at, (before, now) in enumerate(zip(self._now, given, strict=True)):
            if before is now or _is_equal(before, now):
                continue
            if not _is_alike(self.given[at], now):
                return None
            changed.add(at)
        return changed

    def _may_answer(self) -> bool:
        session, trace = self.session, self.trace
        if self._is_pure is None:
            args, named = self.given[: self.count], self.given[self.count :]
            kwargs = dict(zip(self.names, named, strict=True))
            self._is_pure = not (
                trace.dependency
                or session.asks_identity()
                or session.has_effects(self.function, args, kwargs)
            )
        return (
            self._is_pure
            and trace.texts is None
            and trace.turns is None
            and len(session.fills) == self._fills
            and (is_calm(trace) or trace.raises)
            and self._is_handled_alike(sys._getframe(1))
        )

    def _is_handled_alike(self, frame: types.FrameType | None) -> bool:
        """Whether errors of a call within it are handled where its own are, and nowhere else."""
        inner = watched_frame(frame)
        while frame is not None and frame is not self._frame:
            if frame is inner:
                return False
            frame = frame.f_back
        return frame is not None

    # ---------------------------------------------------------------------- its ends
    def _made_of(self, results: list[Any], refused: Errors) -> list[_Made] | None:
        session = self.session
        if len(session.fills) > self._fills:
            return None
        if not all(map(holds_text_alone, refused.values())):
            return None  # a handler would find the numbers of this call in it
        self._places.clear()
        for at in sorted(self._changing):
            for place, node in enumerate(_nodes_of(self._now[at])):
                self._places.setdefault(node, (at, place))
        made = []
        for result in results:
            one = self._made(result)
            if one is None:
                return None
            made.append(one)
        different = list({one.shown: one for one in made}.values())
        return different if len(different) <= _MOST_RESULTS else None

    def _made(self, result: Any) -> _Made | None:
        cls = type(result)
        if cls is tuple:
            items = [self._made(item) for item in result]
            if any(item is None for item in items):
                return None
            known = [item for item in items if item is not None]
            return _Made(
                (tuple, *(item.shown for item in known)),
                lambda given: tuple(item.make(given) for item in known),
            )
        for at, one in enumerate(self._now):
            if one is result and (is_traced(one) or isinstance(one, np.ndarray)):
                return _Made(("argument", at), operator.itemgetter(at))
        if getattr(cls, "_is_bare", False):
            is_known = result._dtype.kind == "f" or self.trace.bounds is None
            return self._made_number(result) if is_known else None
        if cls is TracedArray:
            return self._made_array(result)
        if cls is PickedArray:
            return self._made_picked(result)
        if cls is np.ndarray or cls is Buffer:
            if result.dtype.hasobject or not owns_memory(result):
                return None
            shown = cls, result.dtype.str, result.shape, result.tobytes()
            return _Made(shown, lambda _: result.copy("K"))
        return _Made((cls, value_key(result)), lambda _: result) if is_exact(result) else None

    def _made_number(self, number: Any) -> _Made | None:
        trace, cls, dtype = self.trace, type(number), number._dtype
        node = self._node(number._id)
        if node is None or number._trace is not trace:
            return None
        return _Made(
            (cls, dtype.str, node), lambda given: cls(trace, _node_of(trace, node, given), dtype)
        )

    def _made_array(self, array: Any) -> _Made | None:
        if not owns_memory(array) or not array.flags.writeable:
            return None
        ids, trace, dtype = array._ids, self.trace, array._dtype
        if ids.size > _MOST_ELEMENTS or dtype.kind != "f":
            return None
        nodes = [self._node(one) for one in ids.reshape(-1).tolist()]
        if any(node is None for node in nodes):
            return None
        order: Literal["C", "F"] = (
            "F" if ids.flags.f_contiguous and not ids.flags.c_contiguous else "C"
        )
        shape = ids.shape

        def make(given: Sequence[Any]) -> Any:
            made = [_node_of(trace, node, given) for node in nodes]
            new = np.array(made, np.int32).reshape(shape).copy(order)
            return trace.wrap(Elements(new, dtype, keep_array=True))

        return _Made((TracedArray, dtype.str, shape, order, tuple(nodes)), make)

    def _made_picked(self, array: PickedArray) -> _Made | None:
        """Of what a mask picks, which is that of an argument that stays."""
        own = [
            one
            for at, one in enumerate(self._now)
            if isinstance(one, PickedArray) and at not in self._changing
        ]
        candidates = array.alone
        if candidates is None or all(one.picked_by != array.picked_by for one in own):
            return None
        made = self._made_array(candidates)
        if made is None:
            return None
        return _Made(
            (PickedArray, array.picked_by, made.shown),
            lambda given: array.of_others(made.make(given)),
        )

    def _node(self, node: int) -> Hashable:
        """What a node depends on and multiplies; None if that is not known."""
        if node <= OPAQUE:
            return node
        found = self._reach.of(node)
        if found is None:
            return None
        older = frozenset(self._places.get(one, one) for one in self._reach.nodes_in(found[0]))
        pairs = frozenset(
            frozenset(self._places.get(one, one) for one in pair)
            for pair in self._reach.pairs_in(found[1])
        )
        return older, pairs


def _node_of(trace: Trace, node: Any, given: Sequence[Any]) -> int:
    """The node that stands for another one where the arguments are these."""
    if isinstance(node, int):
        return node
    graph = trace.graph
    older, pairs = node
    own = {
        one: one if isinstance(one, int) else _nodes_of(given[one[0]])[one[1]]
        for one in {*older, *(one for pair in pairs for one in pair)}
    }
    rows = sorted({own[one] for one in older})
    made = int(graph.union_rows(np.array([rows], np.int32))[0]) if rows else graph.opaque
    if made > OPAQUE:
        made = graph.node_scalar(made, made)
        for pair in pairs:
            left, right = (own[one] for one in (*pair, *pair)[:2])
            graph.scalar_products += (made, left, right)
    return made


def _nodes_of(value: Any) -> list[int]:
    if getattr(type(value), "_is_bare", False):
        return [int(value._id)]
    ids: Ids = value._ids
    return [int(one) for one in ids.reshape(-1)]


def _anew(trace: Trace, value: Any) -> Any:
    """A number or an array of which nothing is known but what it depends on."""
    graph = trace.graph
    if getattr(type(value), "_is_bare", False):
        return type(value)(trace, graph.node_scalar(value._id, value._id), value._dtype)
    return trace.wrap(Elements(graph.node(value._ids), value._dtype, keep_array=True))


def _is_equal(one: Any, other: Any) -> bool:
    if is_traced(one) or is_traced(other) or type(one) is not type(other):
        return False
    return bool(is_unchanging(one) and is_unchanging(other) and value_key(one) == value_key(other))


def _may_stand_for(one: Any, other: Any) -> bool:
    return one is other or _is_equal(one, other) or _is_alike(one, other)


def _is_alike(one: Any, other: Any) -> bool:
    """Whether two are numbers, or arrays of one shape, that each depend on something."""
    cls = type(one)
    if type(other) is not cls:
        return False
    if getattr(cls, "_is_bare", False):
        return bool(
            one._dtype.kind == "f" == other._dtype.kind
            and one._dtype == other._dtype
            and min(one._id, other._id) > OPAQUE
        )
    if cls is not TracedArray or one._dtype.kind != "f" or one._dtype != other._dtype:
        return False
    ids, others = one._ids, other._ids
    return bool(
        ids.shape == others.shape
        and 0 < ids.size <= _MOST_ELEMENTS
        and ids.strides == others.strides
        and min(ids.min(), others.min()) > OPAQUE
        and one.flags.writeable is other.flags.writeable is True
    )


def within(
    session: Session,
    key: Hashable,
    function: types.FunctionType,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[list[Any], Errors] | bool:
    """What a call within one of its function gives, and its errors.

    Or, where that has to be run, whether as a call that calls itself in its turn.
    """
    own: list[Recursion] = [one for one in session.recursions if one.key == key]
    for one in reversed(own):
        known = one.answer(function, args, kwargs)
        if known is not None:
            return known
    return 0 < len(own) < _MOST_INSIDE and own[-1].differs_in_kind(args, kwargs)


def has_no_end(session: Session) -> None:
    """Leave a path on which a function calls itself, where nothing is known of that call yet."""
    branches = session.nested[-1]
    if branches.undoes:
        for one in session.recursions:
            one.is_off = True
    branches.is_cut = True
    raise Enough

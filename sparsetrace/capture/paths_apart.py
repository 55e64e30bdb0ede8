"""The paths of one call, run apart from those of the rest of the traced function.

Contract: a call that changes nothing but its result is run once for each outcome of its own
branches, and what it returns is the union of the results.  So n calls with a branch each take n
times two runs, and not two to the power of n.  Where the results cannot be united the function
goes on with each of them in turn, by a decision of its own; and a call with side effects, or one
that fails in a way of which nobody knows what it means, is run as if it were not apart.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from sparsetrace.capture.apart_writes import CannotUndo
from sparsetrace.capture.branches import Branches, Enough, Way
from sparsetrace.capture.default_items import take_back
from sparsetrace.capture.genuine_errors import described, is_genuine, judged
from sparsetrace.capture.known_comparisons import Comparison
from sparsetrace.capture.recursion import Recursion, has_no_end
from sparsetrace.capture.repeated_calls import Repeat
from sparsetrace.capture.result_unions import Groups, also_depending, distinct_results
from sparsetrace.capture.session import SESSION, Session
from sparsetrace.capture.taken_whole import Errors, Whole
from sparsetrace.context import Trace
from sparsetrace.errors import TracingError
from sparsetrace.operands.raising import is_injected, may_raise
from sparsetrace.user_code.handlers import is_caught
from sparsetrace.user_code.held_values import is_unchanging
from sparsetrace.user_code.value_kinds import MISSING

__all__ = ["Beside", "Errors", "distinct", "gone_on_with", "run_apart"]

_FEW = 8
_MOST_PATHS = 64
"""Paths of one call that are run at least, if there are so many; and at most, if its loops may be
run apart turn by turn."""

_MOST_IN_ONE_ANOTHER = 2
"""The paths of calls in one another, multiplied, are as many times `max_paths` at most."""

_FEW_RUNS = 64
"""Runs of the paths of calls that never take too long."""

_SPARED_RUNS = 256
"""With so many at the most, a call on the first path of all that is around it takes none of the
time of a search: there are as many such calls as in one run of the function."""


class Unite(Protocol):
    """Makes of results, in a list that nothing else holds, those that are to be told apart."""

    def __call__(self, results: list[Any], /, *, groups: Groups) -> list[Any]: ...


class Beside:
    """What a call leaves beside what it returns or raises: it goes on after some of its ends."""

    def __init__(self) -> None:
        self.results: list[Any] = []
        self.refused: Errors = {}

    @property
    def has_any(self) -> bool:
        """Whether there are such ends, each of which is a path."""
        return bool(self.results or self.refused)


def run_apart(
    trace: Trace,
    call: Callable[[], Any],
    *,
    has_effects: Callable[[], bool],
    unite: Unite,
    straight: Callable[[], Any] | None = None,
    leaves: Callable[[], bool] | None = None,
    beside: Beside | None = None,
    put_aside: Callable[[Errors], bool] | None = None,
    states: int = 1,
    whole: Whole | None = None,
    repeat: Repeat | None = None,
    recursion: Recursion | None = None,
) -> Any:
    """What a call gives, united over the outcomes of the branches in it.

    Parameters
    ----------
    trace : Trace
    call : callable
    has_effects : callable
        Whether the call may change anything; asked at its first branch.
    unite : callable
        Says which of the results are to be told apart, and which paths each of these stands for.
    straight : callable, optional
        The call where it is not run apart, if that differs.
    leaves : callable, optional
        Whether an error of the last path leaves behind what was written before it.
    beside : Beside, optional
        Ends to which the call adds on its way.
    put_aside : callable, optional
        Takes errors to where it is gone on without them; whether it does.
    states : int
        Of how many calls in one this is: each has as many paths as one.
    whole : Whole, optional
        Makes of the results of some paths what stands for those of all, where these are too many.
    repeat : Repeat, optional
        Knows what calls like this one gave.
    recursion : Recursion, optional
        Knows what calls of the same function within this one give.
    """
    outer, session = trace.decide, SESSION.get()
    if outer is None or trace.local or trace.turns is not None or session is None:
        return (straight or call)()
    around = session.nested[-1] if session.nested else session.outermost
    place = None if around is None else around.next_call()
    if around is not None and place in around.calls:  # of this run of the function
        known, errors = around.calls[place]
        return gone_on_with(trace, outer, known, errors, put_aside)
    only: list[Way] | None = None
    if around is not None and place in around.chosen and not has_effects():
        only = _chosen(outer, around.chosen[place])
    ready = None if whole is None or only is not None else whole.known()
    if ready is None and only is None and repeat is not None:
        ready = repeat.known()
    if ready is not None:
        return gone_on_with(trace, outer, *ready, put_aside)
    most = max(_MOST_PATHS, session.max_paths) if session.is_patient else _MOST_PATHS
    answered = session.answered

    def run(call: Callable[[], Any]) -> _Paths:
        # pieces also put ends aside on their way, in the order of their paths
        branches = Branches(
            most * states,
            few=_FEW,
            effort=session.effort,
            ends=whole is not None,
            draws=straight is None,
            only=only,
        )
        branches.undoes = straight is not None
        paths = _Paths(
            trace, session, outer, branches, has_effects, straight, leaves, beside or Beside(), only
        )
        paths.run(call, unite, whole)
        return paths

    found = None if recursion is None or only is not None else recursion.ends(run)
    paths = run(call) if found is None else found
    is_recursive = found is not None and recursion is not None and recursion.answers > 0
    results, refused = paths.results, paths.refused
    if only is not None:
        if paths.is_undone or refused or not paths.is_all or len(results) != 1:
            paths.branches.refuse_other()
        return results[0]
    if paths.is_undone:
        results.clear()
        return (straight or call)()
    if around is not None and place is not None:
        ways = [] if is_recursive else paths.ways()
        if ways:
            around.keep_ways(place, ways)
        if session.nested and paths.last() and not session.asks_identity():
            around.calls[place] = results, refused
    if not results and not refused:
        has_no_end(session)
    if repeat is not None and not paths.is_taken and session.answered == answered:
        repeat.keep(results, refused, paths.is_repeatable)
    return gone_on_with(trace, outer, results, refused, put_aside)


class _Paths:
    """The paths of one call, and what they come to.

    Attributes
    ----------
    results : list
        Of the paths that return, united where they are all run.
    refused : dict
        The errors of the others.
    is_undone : bool
        Whether the call has to be run as if it were not apart.
    is_taken : bool
        Whether it was taken as a whole.
    is_all : bool
        Whether `results` and `refused` are all its ends.
    """

    def __init__(
        self,
        trace: Trace,
        session: Session,
        outer: Callable[..., bool],
        branches: Branches,
        has_effects: Callable[[], bool],
        straight: Callable[[], Any] | None,
        leaves: Callable[[], bool] | None,
        beside: Beside,
        only: list[Way] | None,
    ) -> None:
        self.trace, self.session, self.outer, self.branches = trace, session, outer, branches
        self.has_effects, self.straight, self.leaves = has_effects, straight, leaves
        self.beside, self.only = beside, only
        self.results: list[Any] = []
        self.refused: Errors = {}
        self.is_undone = self.is_taken = self.is_all = self.is_kept = False
        self._is_pure = only is not None
        """Whether the call changes nothing, as it was found at its first branch."""
        self._came_by: list[Way] = []
        """The path to each result."""
        self._refused_by: dict[Hashable, list[bool]] = {}
        """Those of the first path to each error."""
        self._order: list[int] = []
        self._groups = Groups(is_one=only is not None)
        self._decide_apart = session.decider(session, branches)
        self._filled = len(session.fills)
        self._decided = None if trace.masks is None else list(trace.masks.decided)

    # ---------------------------------------------------------------- its decisions
    def decide(self, *comparisons: Comparison, among: int = 2) -> bool:
        """The outcome of a branch in the call; of the function's where the call has effects."""
        if not self.branches.path:
            if self._changes():
                self.trace.decide = self.outer
                return self.outer(*comparisons, among=among)
            self._is_pure = True
        return self._decide_apart(*comparisons, among=among)

    def _changes(self) -> bool:
        if self.has_effects():
            return True
        if not self._is_filled():
            return False
        if self.straight is not None:  # nothing has changed that is not undone
            raise CannotUndo
        return True

    def _is_filled(self) -> bool:
        """Whether reading has added items to a ``defaultdict`` meanwhile."""
        return len(self.session.fills) > self._filled

    # ------------------------------------------------------------------- running them
    def run(self, call: Callable[[], Any], unite: Unite, whole: Whole | None) -> None:
        """Run all paths, and unite what they return."""
        trace, session, branches = self.trace, self.session, self.branches
        is_spared = not session.whiles and all(one.paths == 1 for one in session.nested)
        runs, began = session.runs, session.effort.spent()
        conditions = trace.conditions
        if trace.dependency:
            trace.conditions = []
        unwinds, session.unwinds = session.unwinds, False
        try:
            trace.decide = self.decide
            session.nested.append(branches)
            while not self.is_undone and not branches.exceeded and self._path(call, whole):
                pass
            self._as_before()
            if not self.is_undone:
                self._unite(unite, whole)
        finally:
            if trace.dependency:
                conditions += trace.conditions
                trace.conditions = conditions
            trace.decide = self.outer
            session.unwinds = unwinds
            session.nested.pop()
            self.is_kept = self._is_filled()
            if not session.nested:
                session.fills.clear()
            if branches.exceeded:
                session.exceeded.append(branches)
            elif len(self.results) > _FEW:
                session.multiplying.append(branches)
            if not branches.exceeded and is_spared and session.runs - runs <= _SPARED_RUNS:
                session.effort.spare(began)
                session.runs = runs

    def _path(self, call: Callable[[], Any], whole: Whole | None) -> bool:
        """Run the next path; False where there is none."""
        session, branches = self.session, self.branches
        if branches.is_other_again():
            self._begin_anew()
        branches.is_first = whole is not None and not self.results
        try:
            if not branches.start():
                return False
            self._as_before()
            _check(session)
            self.results.append(call())
            self._came_by.append(branches.way())
            if branches.is_cut or branches.exceeded:  # which the call has swallowed
                del self.results[-1], self._came_by[-1]
            self.is_undone = session.unwinds
        except Enough:
            if not (branches.is_cut or branches.exceeded):
                raise
        except TracingError:
            raise
        except Exception as error:
            if branches.is_cut or branches.exceeded:
                return True
            if session.unwinds:
                self.is_undone = True
                return True
            if not branches.path and not self.beside.has_any:
                raise
            self._refuse(error)
        except CannotUndo:
            self.is_undone = True
        finally:
            if branches.path or self.is_undone:
                self.is_undone = take_back(session, self._filled) or self.is_undone
        return True

    def _refuse(self, error: Exception) -> None:
        """Keep the error by which a path ends, if it is known what it means."""
        is_left = self.leaves is not None and self.leaves()
        if not is_genuine(error, self.branches) or (is_left and _is_caught(error)):
            self.is_undone = True
            return
        shown = _told_apart(error)
        self.refused.setdefault(shown, error)
        path = self.branches.path[: self.branches.taken]
        self._refused_by[shown] = min(path, self._refused_by.get(shown, path))

    def _begin_anew(self) -> None:
        self.branches.begin_anew()
        ends = self.results, self._came_by, self.refused, self._refused_by
        for some in (*ends, self.beside.results, self.beside.refused):
            some.clear()

    def _as_before(self) -> None:
        """What a path has decided of masks holds on this path alone."""
        if self._decided is not None:
            self.trace.masks.decided = list(self._decided)

    # ------------------------------------------------------------------- their ends
    def _unite(self, unite: Unite, whole: Whole | None) -> None:
        trace, branches, came_by = self.trace, self.branches, self._came_by
        # paths may be drawn at random, but each path around this one finds the same order
        self._order = sorted(range(len(self.results)), key=lambda at: came_by[at][0])
        results = [self.results[at] for at in self._order]
        self._came_by = [came_by[at] for at in self._order]
        shown = sorted(self.refused, key=self._refused_by.__getitem__)
        refused = {one: self.refused[one] for one in shown}
        self.is_all = not self.beside.has_any
        self.results[:] = [*self.beside.results, *results]
        results.clear()
        self.beside.results.clear()
        self.refused = {**self.beside.refused, **refused}
        if len(self.results) > 1:
            trace.unwatched = trace.lately = None  # frames, which hold what they have returned
            try:
                self.results = unite(self.results, groups=self._groups)
            except CannotUndo:
                self.is_undone = True
        self.is_taken = branches.exceeded
        if self.is_taken:
            _take_whole(branches, self.results, self.refused, whole)
        is_alone = len(self.results) == 1 and not self.refused and self.straight is None
        follows = is_alone and self.only is None and trace.dependency and trace.conditions
        if follows and not self._is_filled() and (self._is_pure or not self.has_effects()):
            # its result is all that they change
            _follow_decisions(trace, self.results)

    def ways(self) -> list[list[Way]]:
        """Of several results of a call without effects the paths to each, as they were run."""
        if len(self.results) < 2 or self.is_taken or self.refused:
            return []
        if not (self._is_pure and self.is_all):
            return []
        place = self._order.__getitem__
        members = self._groups.members
        return [[self._came_by[at] for at in sorted(some, key=place)] for some in members]

    def last(self) -> bool:
        """Whether the results may be given again: nothing can change them, nor was changed."""
        rows = self.results
        if self.straight is not None:
            rows = [row for row, left in self.results if not left]
        is_all = self._is_pure and not self.is_kept and len(rows) == len(self.results)
        return is_all and all(map(_lasts, rows))

    def is_repeatable(self) -> bool:
        """Whether a call like this one would give the same."""
        return not self.is_kept and (self._is_pure or not self.has_effects())


def _follow_decisions(trace: Trace, results: list[Any]) -> None:
    """Let the one result of a call depend on what it has decided: nothing else does then."""
    made = also_depending(trace, results[0], trace.conditions)
    if made is not None:
        results[0], trace.conditions = made, []


def _take_whole(
    branches: Branches,
    results: list[Any],
    refused: Errors,
    whole: Whole | None,
) -> None:
    """Let the results stand for all paths, or refuse the paths as too many."""
    made = whole.of(results, refused) if whole is not None and results else None
    branches.ends = False
    if made is None:
        branches.refuse(branches.problem)
    results[:], errors = made
    refused.update(errors)
    branches.exceeded = False


def _chosen(outer: Callable[..., bool], among: Sequence[Any]) -> Any:
    """One of several, by a decision."""
    at = 0
    while at < len(among) - 1 and outer(among=len(among) - at):
        at += 1
    return among[at]


def gone_on_with(
    trace: Trace,
    outer: Callable[..., bool],
    results: list[Any],
    refused: Errors,
    put_aside: Callable[[Errors], bool] | None,
) -> Any:
    """One of the results, or an error, by a decision where there are several."""
    if refused and (put_aside is None or not put_aside(refused)):
        _raise_again(trace, refused)
    if not results:
        raise judged(next(iter(refused.values())))
    return _chosen(outer, results)


def _lasts(result: object) -> bool:
    """Whether nothing can change a result: it may be given again."""
    if type(result) is tuple:
        return all(map(_lasts, result))
    return is_unchanging(result) or hasattr(type(result), MISSING)


def _check(session: Session) -> None:
    """Refuse calls in one another that have very many paths together."""
    branches = session.nested[-1]
    now = session.effort.spent()
    if branches.paths > 1 and session.loops_until is not None and now > session.loops_until:
        branches.refuse("very many turns of loops")
    session.runs += 1
    if branches.paths > 1 and session.runs > _FEW_RUNS and now > session.calls_until:
        session.hurried = True
        branches.refuse("very many decision paths")
    most = _MOST_IN_ONE_ANOTHER * max(_MOST_PATHS, session.max_paths)
    if branches.paths > 1 and math.prod(b.paths for b in session.nested) > most:
        branches.refuse(f"more than {most} decision paths of calls in one another")


def _told_apart(error: BaseException) -> tuple[Hashable, ...]:
    """What is equal for errors that are alike, also to a handler: what they hold, and where."""
    kept = [value for name, value in vars(error).items() if not name.startswith("_sparsetrace")]
    state = tuple((type(value), value) for value in (*error.args, *kept))
    is_known = all(is_unchanging(value) and not _is_traced(value) for _, value in state)
    others = [_told_apart(e) for e in (error.__cause__, error.__context__) if e is not None]
    return described(error), state if is_known else id(error), *others


def _is_traced(value: object) -> bool:
    if type(value) is tuple:
        return any(map(_is_traced, value))
    return hasattr(type(value), "_is_number")


def _raise_again(trace: Trace, refused: Errors) -> None:
    """Raise each error on a path of its own, if the function would catch it; else leave it out."""
    for (shown, *_), error in refused.items():
        if not is_injected(error):
            trace.left_out.append(shown)
        may_raise(trace, functools.partial(_itself, error))


def _is_caught(error: Exception) -> bool:
    """Whether something from here outwards may go on after the error."""
    return is_caught(type(error), sys._getframe(1))


def distinct(
    session: Session,
    trace: Trace,
    results: list[Any],
    *,
    opens_integers: bool | None = None,
    spare: Mapping[int, int] = MappingProxyType({}),
    groups: Groups | None = None,
) -> list[Any]:
    """The results that the traced function may tell from one another, the others united."""
    return distinct_results(
        trace,
        results,
        asks_types=session.asks_types,
        asks_identity=session.asks_identity,
        opens_integers=session.opens_integers if opens_integers is None else opens_integers,
        opens_truths=lambda: not trace.truths_at_once and session.may_open_truths(),
        spare=spare,
        groups=groups,
    )


def _itself(error: Exception) -> Exception:
    return error

"""Global patterns through branches: both outcomes of every decision are run.

Contract: a path is the list of decisions of one run.  Paths are enumerated, each once: a run
goes one of them and, where no run has been, takes False and leaves True to a later run.  The
pattern of the function is the union over all paths, or an error where there are too many.
Which is known soon: each decision that waits for its other outcome is one more path at least,
and where the first path has many decisions the next ones are drawn at random from those that wait:
their depths tell how many there are.  So they are if that takes long, by the steps of the trace.
`max_paths` of them are run, however long each takes; more are refused after a few.  A run that
meets other decisions on its way than the run before it did would miss the outcome that it was to
see: that is an error (`OtherDecisions`).
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Hashable, Iterator
from operator import itemgetter
from types import CodeType, FrameType
from typing import Any, NoReturn

from sparsetrace.capture.effort import Effort
from sparsetrace.capture.known_comparisons import Comparison, KnownComparisons
from sparsetrace.capture.path_estimates import Evidence, drawn
from sparsetrace.errors import BY_VALUES, ValueDependentError, explain
from sparsetrace.user_code import frames
from sparsetrace.user_code.frames import is_own, outside_frame
from sparsetrace.user_code.handlers import code_map

__all__ = ["Branches", "Enough", "OtherDecisions", "Place", "Way"]

_DEEP = 6
"""Frames that are remembered of a decision."""
_MOST_ROUTES = 4
"""Ways to one line that are remembered."""
_SHOWN = 8
"""Decisions that an error names."""
_PATIENCE = 10_000
"""Steps of a trace after which it is found out, by random paths, if these are too many."""
_SUSPICIOUS = 12
"""Decisions for True at one line, in a row, from which it is tried whether they ever end."""
_LONGEST = 4096
"""New decisions of a path that is run to see any result."""
_DEEPEST = 0.7
"""Of the frames that Python allows so many are taken at most: else a function calls itself anew for
each outcome of a branch, or nearly, as a loop makes another turn."""
_TELLING = 4
"""Random paths whose mean says whether a crowd is far more than `max_paths`."""
_FAR = 2
"""So many times `max_paths` are."""
_TELLING_DECISIONS = 16
"""So many decisions, in paths that were run, tell how long others take."""
_BEGUN = 2
"""Paths that are run before it is asked if there is a crowd."""
_SOME, _LONG = 16, 40_000
"""So many paths that would take more steps together are a crowd, too..."""
_VERY_LONG = 60_000
"""...or so many with those that are spared, where loops may still be run apart..."""
_LONGEST_OF_ALL = 10 * _LONG
"""...or else so many."""

_MOST_KEPT = 200_000
"""Decisions of calls within the paths that are remembered: up to 25 MB."""

Place = tuple[CodeType, int]
Met = tuple[Place, int]
"""Where a decision is taken, and how many there are to choose from."""
Way = tuple[list[bool], list[Met]]
"""The decisions of one path, and where they are taken."""


class OtherDecisions(ValueDependentError):
    """A run takes other decisions than an earlier one did that began with the same outcomes."""


class Enough(BaseException):
    """Unwinds a call of which so many paths were run that the others are not."""


class Branches:
    """Decides branches of one function, run after run.

    Parameters
    ----------
    max_paths : int
    crowd : int, optional
        So many paths are already too many.
    turns : int, optional
        So many turns of a loop that goes on and on are too many; by default `max_paths`.
    few : int
        So many paths and decisions are begun before routes are remembered, which takes time.
    effort : Effort, optional
        The steps of the trace, which these are added to; by default of these branches alone.
    ends : bool
        Whether more than `max_paths` are `Enough`, and no error.
    draws : bool
        Whether paths may be drawn at random once they have taken long.
    may_help : bool
        Whether there may be fewer paths once more is run apart: loops turn by turn.
    only : list of ways, optional
        The paths that are run, where all were run before.

    Attributes
    ----------
    standing : list of code objects and offsets
        Where the frames stood at the last decision of this run, innermost first.
    trail : list of code objects and lines
        Where this run took its decisions.
    routes : dict
        For each place of a decision the places of the frames from there outwards, as far as the
        driver, for some of the ways through other code that led there.
    exceeded : bool
        Whether there were more paths than `max_paths` or, with `crowded`, more than `crowd` and
        probably no more than `max_paths`; with `endless` because of a loop that takes more
        than `turns`, or of a function that `recurses`.  `problem` says which.
    is_unfinished : bool
        Whether that was found on the first path, which has no end yet.
    allows_crowd : bool
        Whether a crowd is run, too: from the beginning, or after it was refused.
    undoes : bool
        Whether what is written on a path is undone after it.
    is_first : bool
        Whether none of the paths has given a result so far that the call is to have whatever the
        number of paths is.
    is_cut : bool
        Whether this path was `Enough`, which had very many decisions.
    is_judged : bool
        Whether it is known if the call around can be taken as a whole, when there are too many.
    is_mixed : bool
        Whether more was run apart from the middle of this path on, so that the function may come
        to other decisions when it is run again.

    Examples
    --------
    >>> branches = Branches(max_paths=8)
    >>> outcomes = []
    >>> while branches.start():
    ...     outcomes.append((branches.decide(), branches.decide()))
    >>> outcomes
    [(False, False), (False, True), (True, False), (True, True)]
    """

    def __init__(
        self,
        max_paths: int,
        *,
        crowd: int | None = None,
        turns: int | None = None,
        few: int = 0,
        effort: Effort | None = None,
        ends: bool = False,
        draws: bool = True,
        may_help: bool = False,
        only: list[Way] | None = None,
    ) -> None:
        self._only = None if only is None else only[::-1]
        self._given = {"crowd": crowd, "turns": turns, "few": few, "effort": effort, "ends": ends}
        self._given["draws"] = self._draws = draws
        self._given["may_help"] = self._may_help = may_help
        self.max_paths = max_paths
        self.turns = max_paths if turns is None else min(turns, max_paths)
        self.effort = Effort() if effort is None else effort
        self._since = self._spared = 0.0
        self._decided = 0
        """The decisions of all paths since then."""
        self.crowd = max_paths if crowd is None else min(crowd, max_paths)
        self._few = few
        self.paths = 0
        self.path: list[bool] = []
        self.taken = 0
        self.standing: list[Place] = []
        self.trail: list[Place] = []
        self.routes: dict[Place, list[tuple[Place, ...]]] = {}
        self.ends, self.problem = ends, ""
        self.undoes = False
        self.is_first = self.is_cut = self.is_mixed = self.is_judged = False
        self.exceeded = self.crowded = self.is_unfinished = False
        self.endless = self.recurses = False
        self.places: defaultdict[Place, int] = defaultdict(int)
        self.here: defaultdict[Place, int] = defaultdict(int)
        self._in_a_row: defaultdict[Place, int] = defaultdict(int)
        """Decisions for True of this run since the last for False."""
        self._resume: list[bool] | None = None
        self.allows_crowd = crowd is None
        self._is_crowd = False
        """Whether there are more paths than `crowd`."""
        self._is_begun = False
        """Whether the next path was begun when these were refused."""
        self._probed: set[Place] = set()
        self.calls: dict[Hashable, Any] = {}
        """What calls within a path gave that are run apart themselves, by `next_call`."""
        self.chosen: dict[Hashable, list[list[Way]]] = {}
        """Of calls that gave several results the ways to each of these, likewise."""
        self._kept = 0
        """The decisions of these."""
        self._count = 0
        """Such calls of this run."""
        self._known = KnownComparisons()
        self._implied: set[int] = set()
        """The decisions of this run that those before them imply."""
        self._waiting: list[tuple[list[bool], list[Met], int, int]] = []
        """Paths, what they met, the place of a decision whose other outcome was not run, and how
        many decisions there are up to that which none before them imply."""
        self._met: list[Met] = []
        """The decisions of this run."""
        self._expected: list[Met] = []
        """Those that it is to meet first, as an earlier run did."""
        self._new_from = 0
        self._behind = 0
        """Paths that are known to be behind those that wait, beside one for each."""
        self._begun_behind = 0
        """Those behind the one that is run next."""
        self._new_waiting = 0
        self._earliest_first = False
        self._random: random.Random | None = None
        """Draws paths, and their decisions, from when it has taken long."""
        self._reached = 0.0
        """The logarithm of the probability that a random path is one of those to come."""
        self._estimates: list[float] = []
        """How many paths were to come, as each random path says."""
        self._evidence: tuple[Evidence, Evidence] | None = None
        """That there are more than `max_paths`, and more than `crowd`."""

    def start(self) -> bool:
        """Begin the next path; False when all were run."""
        if self._is_begun:
            self._is_begun = False
            return True
        decided = self.taken
        if self._resume is not None:  # the last run was one into the depth of a loop
            self.path, self._resume = self._resume, None
            self._expected = self._met[: len(self.path)]
        else:
            if self.paths and self.taken < len(self._expected):
                self._refuse_other(self._expected[self.taken][0])
            if self._only is not None:
                if not self._only:
                    return False
                self.path, self._expected = self._only.pop()
            elif self.paths:
                if self.taken:
                    self._keep_waiting()
                if not self._waiting:
                    return False
                self._take_next()
            self.paths += 1
        self._new_waiting = 0
        self.is_cut = False
        self.again()
        self._check()
        known = self.paths + len(self._waiting) + self._behind + self._begun_behind
        if self.paths > _BEGUN:
            self._decided += decided
        elif self.paths == _BEGUN:  # one path alone needs no clock
            self._since, self._spared = self.effort.taken(), self.effort.spared
        if self.paths > _BEGUN and (known > self.crowd or self._take_long(known)):
            self._is_crowd = True
        if self._is_crowd and self.crowd < self.max_paths:
            self.crowded, self._is_begun = not self._are_far_more(), True
            self.refuse(f"more than {self.crowd} decision paths")
        return True

    def _take_long(self, known: int) -> bool:
        """Whether the paths that are known of would take long together."""
        if self.crowd == self.max_paths or known < _SOME or self._is_crowd:
            return self._is_crowd
        # a path takes as long as it has decisions, and those that wait have these at least
        left = sum(at + 1 for _, _, at, _ in self._waiting) + self._behind + self._begun_behind
        longer = 1 + left / max(self._decided, _TELLING_DECISIONS)
        share = max(known / (self.paths - 2), longer)
        most = _VERY_LONG if self._may_help else _LONGEST_OF_ALL
        if share * (self.effort.taken() - self._since) > most:
            self.effort.note_crowd(self._spared)
            return True
        spent = self.effort.spent() - self._since + self._spared
        return share * spent > _LONG

    def _are_far_more(self) -> bool:
        """Whether random paths say so, if there are a few of them."""
        total = sum(self._estimates)
        return (
            self._is_long()
            and len(self._estimates) >= _TELLING
            and total > _FAR * self.max_paths * len(self._estimates)
        )

    def is_tentative(self) -> bool:
        """Whether the paths were refused on the way of one, and may still be run after all."""
        return self.is_unfinished or (self.endless and self.turns < self.max_paths)

    def allow_crowd(self) -> None:
        """Go on after a crowd was refused, to `max_paths`."""
        self.crowd, self.allows_crowd = self.max_paths, True
        self.crowded = self.exceeded = False

    def _keep_waiting(self) -> None:
        """Let the other outcomes of the new decisions of a path wait for their runs."""
        done, met = self.path[: self.taken], self._met[: self.taken]
        depth = sum(at not in self._implied for at in range(self._new_from))
        for at in range(self._new_from, len(done)):
            if at not in self._implied:
                depth += 1
                self._waiting.append((done, met, at, depth))
                self._behind += _behind(met[at], done[at])
        if self.paths == 1:
            self._earliest_first = 2 ** min(depth, 64) > self.crowd
        if self._evidence is not None:
            self._weigh(depth, *self._evidence)

    def _take_next(self) -> None:
        waiting = self._waiting
        effort = self.effort
        draws = self._draws and self._random is None and effort.may_draw and len(waiting) > 1
        if draws and (self._earliest_first or self._is_long()):
            effort.has_drawn = True
            self._random = random.Random(len(waiting))
            self._evidence = Evidence(self.max_paths), Evidence(self.crowd)
        if self._random is not None:
            place, self._reached = drawn([depth for *_, depth in waiting], self._random)
        else:
            place = 0 if self._earliest_first else -1
        path, met, at, _ = waiting.pop(place)
        self._begun_behind = _behind(met[at], path[at])
        self._behind -= self._begun_behind
        self.path = [*path[:at], not path[at]]
        self._expected = met[: at + 1]
        self._new_from = at + 1

    def _is_long(self) -> bool:
        """Whether there have been so many steps that a crowd may be told from more paths."""
        return self.effort.taken() > _PATIENCE

    def _weigh(self, depth: int, against_most: Evidence, against_crowd: Evidence) -> None:
        """Take the depth of a random path as evidence that there are too many."""
        self._estimates.append(2.0 ** (depth + self._reached))
        for evidence in (against_most, against_crowd):
            evidence.add(depth + self._reached, done=self.paths - 1)
        if against_most.is_enough and self._is_long():
            self.refuse(f"more than max_paths={self.max_paths} decision paths")
        self._is_crowd = self._is_crowd or against_crowd.is_enough

    def again(self) -> None:
        """Run the same path once more, from its beginning."""
        self.effort.steps += 1
        self.taken = 0
        self._met = []
        self.standing.clear()
        self.trail.clear()
        self.here.clear()
        self._in_a_row.clear()
        self._known.clear()
        self._implied.clear()
        self._count = 0
        self.is_mixed = False

    def begin_anew(self) -> None:
        """Forget all paths."""
        self.__init__(self.max_paths, **self._given)  # type: ignore[misc]

    def may_mix(self) -> bool:
        """Whether more can be run apart now: this is the first path, and nothing is decided."""
        return self.paths == 1 and not self.path

    def mix(self) -> None:
        """More is run apart from here on; what calls gave so far is none of the next run's."""
        self.is_mixed = True
        self.calls.clear()
        self.chosen.clear()

    def is_other_again(self) -> bool:
        """Whether the first path is to be run once more, whose decisions may be others then."""
        return self.is_mixed and bool(self.path)

    def next_call(self) -> Hashable:
        """What tells the next call that is run apart from all others, on any path."""
        self._count += 1
        return self._count, tuple(self.path[: self.taken]), self.is_mixed

    def keep_ways(self, call: Hashable, ways: list[list[Way]]) -> None:
        """Remember how a call came to each of its results, unless that is very much already."""
        self._kept += sum(len(path) for one in ways for path, _ in one)
        if self._kept <= _MOST_KEPT:
            self.chosen[call] = ways

    def way(self) -> Way:
        """That of this run."""
        return self.path[: self.taken], self._met[: self.taken]

    def is_new(self) -> bool:
        """Whether the next branch is one that no earlier run decided."""
        return self.taken == len(self.path)

    def decide(self, *comparisons: Comparison, among: int = 2) -> bool:
        """The outcome of the next branch of this run.

        Parameters
        ----------
        *comparisons : tuple
            Those of which this is the outcome.
        among : int
            Of so many one is chosen, by this decision and others after it: False is the first.
        """
        known = map(self._known.outcome, comparisons)
        implied = next((outcome for outcome in known if outcome is not None), None)
        frame = outside_frame(sys._getframe(1))
        place = frame.f_code, frame.f_lineno
        self._meet(place, among)
        self.trail.append(place)
        self.standing = _standing(frame)
        self.here[place] += 1
        is_new = self.taken == len(self.path)
        if (is_new or place not in self.routes) and (
            self.paths > self._few or self.taken >= self._few
        ):
            self._note_route(place, frame)
        if is_new:
            if self._only is not None:
                self._refuse_other(place)
            self.places[place] += 1
            outcome = self._new(place, among) if implied is None else implied
            self.path.append(outcome)
        outcome = self.path[self.taken]
        self._in_a_row[place] = self._in_a_row[place] + 1 if outcome else 0
        if implied is not None:
            self._implied.add(self.taken)
        else:
            for comparison in comparisons:
                self._known.learn(comparison, outcome=outcome)
        self.taken += 1
        self.effort.steps += 1
        return outcome

    def _meet(self, place: Place, among: int) -> None:
        """Note a decision; it is the one that an earlier run met here, if there was one."""
        self._met.append((place, among))
        if self.taken < len(self._expected):
            before, number = self._expected[self.taken]
            if number != among or (place != before and _named(place) != _named(before)):
                self._refuse_other(before)

    def refuse_other(self) -> NoReturn:
        """End the trace because this run came to another end than an earlier one did."""
        self._refuse_other(self._met[-1][0])

    def _refuse_other(self, before: Place) -> NoReturn:
        """End the trace because of other decisions than those of an earlier run."""
        code, line = before
        raise OtherDecisions(
            explain(
                "bool()",
                "run again with the same outcomes of its branches the function did not come to "
                f"that at {code.co_filename}:{line} (in {code.co_name}) as before",
                "What it does depends on something that changes from one call to the next, as a "
                "counter, the time or the order of a set: let it depend on its arguments alone.",
                BY_VALUES,
            )
        )

    def shown(self) -> str:
        """The decisions of this run in words: where each was taken, and its outcome."""
        taken = [
            f"{code.co_filename}:{line} (in {code.co_name}) {outcome}"
            for (code, line), outcome in zip(self.trail, self.path, strict=False)
        ]
        more = f"{len(taken) - _SHOWN} before; " if len(taken) > _SHOWN else ""
        return f"on the path of these decisions: {more}{'; '.join(taken[-_SHOWN:])}"

    def _new(self, place: Place, among: int) -> bool:
        """The outcome of a branch that no run has decided: False, unless to end a loop late.

        A loop that ends on False, ``while abs(r) > tol``, would make its next turn in
        each path; one run that always goes on shows soon whether it ends at all.
        """
        if self.taken >= _SUSPICIOUS and _is_deep():
            if self.is_first:
                self.is_cut = True
                raise Enough
            self.endless = self.recurses = True
            self.refuse("a function calls itself again and again after a branch")
        if self._resume is not None:
            if self.here[place] > self.turns:
                self.endless = True
                most = "max_paths=" if self.turns == self.max_paths else ""
                self.refuse(f"a loop took more than {most}{self.turns} turns")
            return self._in_a_row[place] > 0
        if self.paths == 1 and self.here[place] > self.crowd < self.max_paths:
            self.crowded = self.is_unfinished = True  # as many paths wait already
            self.refuse(f"more than {self.crowd} decision paths")
        is_first = not self._new_waiting
        if is_first and self._in_a_row[place] >= _SUSPICIOUS and place not in self._probed:
            self._probed.add(place)
            self._resume = list(self.path)
            return True
        outcome = self._random is not None and self._random.random() < 0.5
        self._new_waiting += 1 if outcome else among - 1
        self._check()
        return outcome

    def _check(self) -> None:
        """Each new decision has at least one path still to come."""
        if self.is_first:
            if self._new_waiting > _LONGEST:
                self.is_cut = True
                raise Enough
            if self.paths <= self.max_paths:
                return
        known = self.paths + len(self._waiting) + self._behind + self._new_waiting
        if known > self.max_paths:
            self.refuse(f"more than max_paths={self.max_paths} decision paths")

    def _note_route(self, place: Place, frame: FrameType | None) -> None:
        known = self.routes.setdefault(place, [])
        if len(known) < _MOST_ROUTES:
            route = tuple(_places(frame))
            codes = [code for code, _ in route]
            if all([code for code, _ in other] != codes for other in known):
                known.append(route)

    def refuse(self, problem: str) -> NoReturn:
        """End the trace because of too many paths."""
        self.exceeded, self.problem = True, problem
        if self.ends:
            raise Enough
        named: frames.Place | None = None
        if self.places:  # none is met where paths are taken that an earlier search has found
            (code, line), count = max(self.places.items(), key=itemgetter(1))
            named = frames.Place(code.co_filename, line, code.co_name)
            problem += f"; this line branched most ({count} times)"
        raise ValueDependentError(
            explain(
                "bool()",
                problem,
                "Use np.where, np.maximum or np.clip instead of if, or give max_paths=.",
                BY_VALUES,
                place=named,
            )
        )


def _behind(met: Met, outcome: bool) -> int:
    """Paths that are known behind the other outcome of a decision, beside one."""
    _, among = met
    return 0 if outcome else among - 2


def _is_deep() -> bool:
    """Whether calls in one another are about to be too many for Python."""
    left = int(_DEEPEST * sys.getrecursionlimit())
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and left:
        frame = frame.f_back
        left -= 1
    return frame is not None


def _named(place: Place) -> tuple[str, str, int]:
    """What a place shares with the same one in code that was compiled anew."""
    code, line = place
    return code.co_filename, code.co_name, line


def _places(frame: FrameType | None) -> Iterator[Place]:
    """Where the frames stand from this one outwards, as far as the driver."""
    while frame is not None and not (is_own(frame.f_code) and code_map(frame.f_code).is_driver):
        if not is_own(frame.f_code):
            yield frame.f_code, frame.f_lineno
        frame = frame.f_back


def _standing(frame: FrameType | None) -> list[Place]:
    """Where the innermost frames stand, from this one outwards."""
    places: list[Place] = []
    while frame is not None and len(places) < _DEEP:
        places.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return places

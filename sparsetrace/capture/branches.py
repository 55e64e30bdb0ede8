"""Global patterns through branches: both outcomes of every decision are run.

Contract: a path is the list of decisions of one run.  Paths are enumerated, each once: a run
goes one of them and, where no run has been, takes False and leaves True to a later run.  The
pattern of the function is the union over all paths, or an error where there are too many.
Which is known soon: each decision that waits for its other outcome is one more path at least,
and where the first path has many decisions the earliest are tried next, behind which most wait.
If that takes long, by the clock of the whole trace, paths are drawn at random: their depths tell
how many there are.  `max_paths` of them are run, however long each takes; more are refused after a
few.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from types import CodeType, FrameType

from sparsetrace.capture.known_comparisons import Comparison, KnownComparisons
from sparsetrace.errors import BY_VALUES, ValueDependentError, explain
from sparsetrace.user_code.frames import is_own, outside_frame
from sparsetrace.user_code.handlers import code_map

__all__ = ["Branches"]

_DEEP = 6
"""Frames that are remembered of a decision."""
_MOST_ROUTES = 4
"""Ways to one line that are remembered."""
_SHOWN = 8
"""Decisions that an error names."""
_PATIENCE = 0.5
"""Seconds of a trace after which it is found out, by random paths, if these are too many."""
_EVIDENCE = 8
_SUSPICIOUS = 16
"""Decisions at one line in one run from which it is tried whether they ever end."""

Place = tuple[CodeType, int]


class Branches:
    """Decides branches of one function, run after run.

    Attributes
    ----------
    standing : list of code objects and offsets
        Where the frames stood at the last decision of this run, innermost first.
    trail : list of code objects and lines
        Where this run took its decisions.
    routes : dict
        For each place of a decision the code of the frames from there outwards, as far as the
        driver, for some of the ways that led there.
    exceeded : bool
        Whether there were more paths than `max_paths` or, with `crowded`, more than `crowd`; with
        `endless` because of a loop that takes as many turns.

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
        few: int = 0,
        began: float | None = None,
    ) -> None:
        self.max_paths = max_paths
        self.crowd = crowd
        self._few = few
        """So many paths and decisions are begun before routes are remembered, which takes time."""
        self.paths = 0
        self.path: list[bool] = []
        self.taken = 0
        self.standing: list[Place] = []
        self.trail: list[Place] = []
        self.routes: dict[Place, list[tuple[CodeType, ...]]] = {}
        self.exceeded = self.crowded = self.endless = False
        self.places: Counter[Place] = Counter()
        self.here: Counter[Place] = Counter()
        self._resume: list[bool] | None = None
        self._probed: set[Place] = set()
        self._outcomes: dict[Place, bool] = {}
        self._known = KnownComparisons()
        self._implied: set[int] = set()
        """The decisions of this run that those before them imply."""
        self._waiting: deque[tuple[list[bool], int]] = deque()
        """Paths, and the place of the decision for False whose other outcome was not run."""
        self._probe: random.Random | None = None
        self._is_probed = True
        self._evidence = 0.0
        self._began = time.monotonic() if began is None else began
        """When the trace began."""
        self._started = time.monotonic()
        self._new_from = 0
        self._new_waiting = 0
        self._earliest_first = False

    def start(self) -> bool:
        """Begin the next path; False when all were run."""
        if self._resume is not None:  # the last run was one into the depth of a loop
            self.path, self._resume = self._resume, None
        else:
            if self._probe is not None:
                self._weigh()
            elif self.paths:
                self._keep_waiting()
            if self.paths and not self._waiting:
                return False
            if self.crowd is not None and self._is_long(self.crowd):
                self.crowded = True
                self._too_many(f"more than {self.crowd} decision paths")
            if self._is_slow():
                self._begin_probe()
                return True
            if self.paths:
                self._take_next()
        self.paths += 1
        self._new_waiting = self.path[self._new_from :].count(False)
        self.again()
        self._check()
        if self.crowd is not None and self.paths > 2 and len(self._waiting) > self.crowd:
            self.crowded = True
            self._too_many(f"more than {self.crowd} decision paths")
        return True

    def _keep_waiting(self) -> None:
        """Let the other outcomes of the new decisions of a path wait for their runs."""
        done = self.path[: self.taken]
        self._waiting.extend(
            (done, at)
            for at in range(self._new_from, len(done))
            if not done[at] and at not in self._implied
        )
        if self.paths == 1:
            free = len(done) - len(self._implied)
            self._earliest_first = 2 ** min(free, 64) > self.max_paths

    def _take_next(self) -> None:
        path, at = self._waiting.popleft() if self._earliest_first else self._waiting.pop()
        self.path = [*path[:at], True]
        self._new_from = at + 1

    # ---------------------------------------------------------------- how many there are
    def _is_slow(self) -> bool:
        """Whether it is time to find out if the paths will ever end."""
        return (
            self._is_probed and self._earliest_first and time.monotonic() - self._began > _PATIENCE
        )

    def _is_long(self, crowd: int) -> bool:
        """Whether as many paths as the first one lets expect would take too long to wait for."""
        taken = time.monotonic() - self._started
        return self.paths == 1 and self._earliest_first and taken * crowd > _PATIENCE

    def _begin_probe(self) -> None:
        """Run a path whose decisions are drawn at random."""
        self._probe = random.Random(len(self._waiting))
        self.path = []
        self.again()

    def _weigh(self) -> None:
        """Take the depth of a random path as evidence that there are too many.

        2 to the power of its depth is, on average, the number of all paths (Knuth, "Estimating the
        efficiency of backtrack programs", Math. Comp. 29, 1975).  Were there no more than
        `max_paths`, the product of these numbers, each divided by `max_paths`, would ever exceed
        2**8 with a probability of 2**-8 at most (Ville's inequality).
        """
        self._probe = None
        self._evidence += self.taken - len(self._implied) - math.log2(self.max_paths)
        if self._evidence >= _EVIDENCE:
            self._too_many(f"more than max_paths={self.max_paths} decision paths")
        self._is_probed = self._evidence > 0

    def again(self) -> None:
        """Run the same path once more, from its beginning."""
        self.taken = 0
        self.standing.clear()
        self.trail.clear()
        self.here.clear()
        self._outcomes.clear()
        self._known.clear()
        self._implied.clear()

    def is_new(self) -> bool:
        """Whether the next branch is one that no earlier run decided."""
        return self.taken == len(self.path)

    def decide(self, *comparisons: Comparison) -> bool:
        """The outcome of the next branch of this run.

        Parameters
        ----------
        *comparisons : tuple
            Those of which this is the outcome.
        """
        known = map(self._known.outcome, comparisons)
        implied = next((outcome for outcome in known if outcome is not None), None)
        frame = outside_frame(sys._getframe(1))
        place = frame.f_code, frame.f_lineno
        self.trail.append(place)
        self.standing = _standing(frame)
        self.here[place] += 1
        if self.paths > self._few or self.taken >= self._few:
            self._note_route(place, frame)
        if self.taken == len(self.path):
            self.places[place] += 1
            if implied is not None:
                outcome = implied
            elif self._probe is not None:
                outcome = self._probe.random() < 0.5
            else:
                outcome = self._new(place)
                self._new_waiting += not outcome
            self.path.append(outcome)
        outcome = self._outcomes[place] = self.path[self.taken]
        if implied is not None:
            self._implied.add(self.taken)
        else:
            for comparison in comparisons:
                self._known.learn(comparison, outcome=outcome)
        self.taken += 1
        return outcome

    def shown(self) -> str:
        """The decisions of this run in words: where each was taken, and its outcome."""
        taken = [
            f"{code.co_filename}:{line} (in {code.co_name}) {outcome}"
            for (code, line), outcome in zip(self.trail, self.path, strict=False)
        ]
        more = f"{len(taken) - _SHOWN} before; " if len(taken) > _SHOWN else ""
        return f"on the path of these decisions: {more}{'; '.join(taken[-_SHOWN:])}"

    def _new(self, place: Place) -> bool:
        """The outcome of a branch that no run has decided: False, unless to end a loop late.

        A loop that ends on False, ``while abs(r) > tol``, would make its next turn in
        each path; one run that always goes on shows soon whether it ends at all.
        """
        count = self.here[place]
        if self._resume is not None:
            if count > self.max_paths:
                self.endless = True
                self._too_many(f"a loop took more than max_paths={self.max_paths} turns")
            return self._outcomes.get(place, False)
        if count >= _SUSPICIOUS and place not in self._probed and self._outcomes[place]:
            self._probed.add(place)
            self._resume = list(self.path)
            return True
        self._check(added=1)
        return False

    def _check(self, *, added: int = 0) -> None:
        """Each decision for False has at least one path still to come."""
        if self.paths + len(self._waiting) + self._new_waiting + added > self.max_paths:
            self._too_many(f"more than max_paths={self.max_paths} decision paths")

    def _note_route(self, place: Place, frame: FrameType | None) -> None:
        known = self.routes.setdefault(place, [])
        if len(known) < _MOST_ROUTES:
            route = tuple(_codes(frame))
            if route not in known:
                known.append(route)

    def _too_many(self, problem: str) -> None:
        self.exceeded = True
        (code, line), count = self.places.most_common(1)[0]
        where = f"{code.co_filename}:{line} (in {code.co_name})"
        raise ValueDependentError(
            explain(
                "bool()",
                f"{problem}; the line that branched most ({count} times) is {where}",
                "Use np.where, np.maximum or np.clip instead of if, or give max_paths=.",
                BY_VALUES,
            )
        )


def _codes(frame: FrameType | None) -> Iterator[CodeType]:
    """The code that runs in the frames from this one outwards, as far as the driver."""
    while frame is not None and not (is_own(frame.f_code) and code_map(frame.f_code).is_driver):
        if not is_own(frame.f_code):
            yield frame.f_code
        frame = frame.f_back


def _standing(frame: FrameType | None) -> list[Place]:
    """Where the innermost frames stand, from this one outwards."""
    places: list[Place] = []
    while frame is not None and len(places) < _DEEP:
        places.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return places

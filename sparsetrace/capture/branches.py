"""Global patterns through branches: both outcomes of every decision are run.

Contract: a path is the list of decisions of one run.  Paths are enumerated, each once: a run
goes one of them and, where no run has been, takes False and leaves True to a later run.  The
pattern of the function is the union over all paths, or an error where there are too many.
Which is known soon: each decision that waits for its other outcome is one more path at least,
and where the first path has many decisions the earliest are tried next, behind which most wait.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Iterator
from types import CodeType, FrameType

from sparsetrace.errors import ValueDependentError, explain
from sparsetrace.user_code.frames import is_own, outside_frame
from sparsetrace.user_code.handlers import code_map

__all__ = ["Branches"]

_DEEP = 6
"""Frames that are remembered of a decision."""
_MOST_ROUTES = 4
"""Ways to one line that are remembered."""
_SHOWN = 8
"""Decisions that an error names."""
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
        Whether there were more paths than `max_paths`.

    Examples
    --------
    >>> branches = Branches(max_paths=8)
    >>> outcomes = []
    >>> while branches.start():
    ...     outcomes.append((branches.decide(), branches.decide()))
    >>> outcomes
    [(False, False), (False, True), (True, False), (True, True)]
    """

    def __init__(self, max_paths: int) -> None:
        self.max_paths = max_paths
        self.paths = 0
        self.path: list[bool] = []
        self.taken = 0
        self.standing: list[Place] = []
        self.trail: list[Place] = []
        self.routes: dict[Place, list[tuple[CodeType, ...]]] = {}
        self.exceeded = False
        self.places: Counter[Place] = Counter()
        self.here: Counter[Place] = Counter()
        self._resume: list[bool] | None = None
        self._probed: set[Place] = set()
        self._outcomes: dict[Place, bool] = {}
        self._waiting: deque[tuple[list[bool], int]] = deque()
        """Paths, and the place of the decision for False whose other outcome was not run."""
        self._new_from = 0
        self._new_waiting = 0
        self._earliest_first = False

    def start(self) -> bool:
        """Begin the next path; False when all were run."""
        if self._resume is not None:  # the last run was one into the depth of a loop
            self.path, self._resume = self._resume, None
        elif self.paths and not self._next():
            return False
        self.paths += 1
        self._new_waiting = self.path[self._new_from :].count(False)
        self.again()
        self._check()
        return True

    def _next(self) -> bool:
        """Take the next path from those that wait; whether there is one."""
        done = self.path[: self.taken]
        self._waiting.extend((done, at) for at in range(self._new_from, len(done)) if not done[at])
        if not self._waiting:
            return False
        if self.paths == 1:
            self._earliest_first = 2 ** min(len(done), 64) > self.max_paths
        path, at = self._waiting.popleft() if self._earliest_first else self._waiting.pop()
        self.path = [*path[:at], True]
        self._new_from = at + 1
        return True

    def again(self) -> None:
        """Run the same path once more, from its beginning."""
        self.taken = 0
        self.standing.clear()
        self.trail.clear()
        self.here.clear()
        self._outcomes.clear()

    def is_new(self) -> bool:
        """Whether the next branch is one that no earlier run decided."""
        return self.taken == len(self.path)

    def decide(self) -> bool:
        """The outcome of the next branch of this run."""
        frame = outside_frame(sys._getframe(1))
        place = frame.f_code, frame.f_lineno
        self.trail.append(place)
        self.standing = _standing(frame)
        self.here[place] += 1
        if self.taken == len(self.path):
            self.places[place] += 1
            self._note_route(place, frame)
            outcome = self._new(place)
            self._new_waiting += not outcome
            self.path.append(outcome)
        outcome = self._outcomes[place] = self.path[self.taken]
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
                "Use np.where, np.maximum or np.clip instead of if, give max_paths=, or take "
                "the pattern at a point, with local=True.",
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

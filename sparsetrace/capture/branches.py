"""Global patterns through branches: both outcomes of every decision are run.

Contract: a path is the list of decisions of one run.  Paths are enumerated depth
first; a run whose decisions were all made before takes the next one.  The pattern of
the function is the union over all paths, or an error where there are too many.
"""

from __future__ import annotations

import sys
from collections import Counter
from types import CodeType, FrameType

from sparsetrace.errors import BY_VALUES, ValueDependentError, explain
from sparsetrace.user_code.frames import outside_frame

__all__ = ["Branches"]

_DEEP = 6
"""Frames that are remembered of a decision."""
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
        self._resume: list[bool] | None = None
        self._probed: set[Place] = set()
        self._outcomes: dict[Place, bool] = {}
        self.places: Counter[Place] = Counter()
        self.here: Counter[Place] = Counter()

    def start(self) -> bool:
        """Begin the next path; False when all were run."""
        if self._resume is not None:  # the last run was one into the depth of a loop
            self.path, self._resume = self._resume, None
        elif self.paths:
            del self.path[self.taken :]
            while self.path and self.path[-1]:
                self.path.pop()
            if not self.path:
                return False
            self.path[-1] = True
        self.paths += 1
        self.again()
        self._check()
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
            self.path.append(self._new(place))
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
        if self.paths + self.path.count(False) + added > self.max_paths:
            self._too_many(f"more than max_paths={self.max_paths} decision paths")

    def _too_many(self, problem: str) -> None:
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


def _standing(frame: FrameType | None) -> list[Place]:
    """Where the innermost frames stand, from this one outwards."""
    places: list[Place] = []
    while frame is not None and len(places) < _DEEP:
        places.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return places

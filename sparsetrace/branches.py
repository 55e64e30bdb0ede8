"""Global patterns through branches: both outcomes of every decision are run.

Contract: a path is the list of decisions of one run.  Paths are enumerated depth
first; a run whose decisions were all made before takes the next one.  The pattern of
the function is the union over all paths, or an error where there are too many.
"""

from __future__ import annotations

from collections import Counter

from sparsetrace.errors import ValueDependentError, explain, user_location

__all__ = ["Branches"]

_MOST_AT_ONE_LINE = 200
"""Decisions at one line in one run: more is a loop that the inputs end."""


class Branches:
    """Decides branches of one function, run after run.

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
        self.lines: Counter[str] = Counter()
        self.here: Counter[str] = Counter()

    def start(self) -> bool:
        """Begin the next path; False when all were run."""
        if self.paths:
            del self.path[self.taken :]
            while self.path and self.path[-1]:
                self.path.pop()
            if not self.path:
                return False
            self.path[-1] = True
        self.paths += 1
        if self.paths > self.max_paths:
            self._too_many(f"more than max_paths={self.max_paths} decision paths")
        self.again()
        return True

    def again(self) -> None:
        """Run the same path once more, from its beginning."""
        self.taken = 0
        self.here.clear()

    def decide(self) -> bool:
        """The outcome of the next branch of this run."""
        line = user_location()
        self.here[line] += 1
        if self.taken == len(self.path):
            self.lines[line] += 1
            if self.here[line] > _MOST_AT_ONE_LINE:
                self._too_many(f"more than {_MOST_AT_ONE_LINE} decisions in one run")
            self.path.append(False)
        outcome = self.path[self.taken]
        self.taken += 1
        return outcome

    def _too_many(self, problem: str) -> None:
        line, count = self.lines.most_common(1)[0]
        raise ValueDependentError(
            explain(
                "bool()",
                f"{problem}; the line that branched most ({count} times) is {line}",
                "Use np.where, np.maximum or np.clip instead of if, give max_paths=, or take "
                "the pattern at a point.",
            )
        )

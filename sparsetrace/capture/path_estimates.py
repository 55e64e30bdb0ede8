"""How many paths there are, from a few of them that were drawn at random.

Contract: evidence against a limit is never wrong often.  Were there no more paths than the limit,
it would say otherwise with a probability of 2**-8 at most, however long it is asked.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

__all__ = ["Evidence", "drawn"]

_ENOUGH = 8


class Evidence:
    """Evidence that there are more paths than a limit.

    2 to the power of the depth of a random path is, on average, the number of all paths (Knuth,
    "Estimating the efficiency of backtrack programs", Math. Comp. 29, 1975).  Were there no more
    than the limit, such a number divided by the limit would be 1 on average at most, and the
    product of several would ever exceed 2**8 with a probability of 2**-8 at most (Ville's
    inequality).  So would a mean of the products that begin with the first path, the second, and
    so on, of which one begins where the deep paths do.

    Examples
    --------
    >>> evidence = Evidence(limit=1024)
    >>> for _ in range(3):
    ...     evidence.add(14.0, done=0)
    >>> evidence.is_enough
    True
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._product = -math.inf
        """The logarithm to base 2 of the mean of the products."""
        self._count = 0

    def add(self, paths: float, *, done: int) -> None:
        """Take account of a random path.

        Parameters
        ----------
        paths : float
            The logarithm to base 2 of the number of paths to come, as this one tells.
        done : int
            How many were not to come any more.
        """
        self._count += 1
        begin = -math.log2(self._count * (self._count + 1))
        high, low = max(self._product, begin), min(self._product, begin)
        mean = high + math.log2(1 + 2.0 ** (low - high))
        self._product = mean + paths - math.log2(max(self.limit - done, 1))

    @property
    def is_enough(self) -> bool:
        """Whether it is."""
        return self._product >= _ENOUGH


def drawn(depths: Sequence[int], source: random.Random) -> tuple[int, float]:
    """One of the nodes of a tree, as a random path from its root would reach it.

    Returns the place of the node, and the logarithm to base 2 of the probability that a random path
    reaches any of them.  The depth that a path through it has, added to that, tells how many paths
    go through the nodes.

    Examples
    --------
    >>> drawn([1, 2], random.Random(0))
    (1, -0.4150374992788438)
    """
    least = min(depths)
    weights = [2.0 ** (least - depth) for depth in depths]
    (at,) = source.choices(range(len(depths)), weights)
    return at, math.log2(sum(weights)) - least

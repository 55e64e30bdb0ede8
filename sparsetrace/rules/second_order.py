"""The form of a second-order rule: which second derivatives of a ufunc are non-zero.

Contract: as for first-order rules (`sparsetrace.rules.first_order`), nothing here knows of
traced arrays, graphs or stores.  A ufunc without a line is taken as nonlinear in all
arguments jointly, which is always sound.  The letters are those of real arguments: that
``abs(z)`` is nonlinear in a complex z is not in them.

A line reads::

    curvature(np.power, "111", cuts={(0, 0): [Cut(1, is_one)]})

for two arguments the letters stand for the pairs (0, 0), (0, 1) and (1, 1), in the order
of `pairs`; the second derivative in argument 0 is cut where argument 1 is a constant that
satisfies the predicate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from sparsetrace.rules.first_order import Cut

__all__ = ["Curvature", "CurvatureTable", "Pair", "among", "pairs", "united"]

Pair = tuple[int, int]


@cache
def pairs(nin: int) -> tuple[Pair, ...]:
    """The pairs of inputs (i, j) with i <= j, in the order of the letters.

    Examples
    --------
    >>> pairs(3)
    ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    """
    return tuple((i, j) for i in range(nin) for j in range(i, nin))


def among(inputs: str, cut: Cut) -> dict[Pair, list[Cut]]:
    """One cut for all pairs of these inputs.

    Examples
    --------
    >>> from sparsetrace.rules.predicates import is_zero
    >>> list(among("03", Cut(1, is_zero)))
    [(0, 0), (0, 3), (3, 3)]
    """
    positions = [int(letter) for letter in inputs]
    return {(i, j): [cut] for i in positions for j in positions if i <= j}


def united(*mappings: Mapping[Pair, Sequence[Cut]]) -> dict[Pair, list[Cut]]:
    """All cuts of several mappings.

    Examples
    --------
    >>> from sparsetrace.rules.predicates import is_one, is_zero
    >>> cuts = united({(0, 0): [Cut(1, is_zero)]}, among("02", Cut(1, is_one)))
    >>> [(pair, len(found)) for pair, found in cuts.items()]
    [((0, 0), 2), ((0, 2), 1), ((2, 2), 1)]
    """
    found: dict[Pair, list[Cut]] = {}
    for mapping in mappings:
        for pair, cuts in mapping.items():
            found.setdefault(pair, []).extend(cuts)
    return found


@dataclass(frozen=True, slots=True)
class Curvature:
    """Second-order rule of one ufunc: one line of a table.

    Attributes
    ----------
    ufunc : numpy.ufunc
    seconds : tuple of str
        One string per output, one letter per pair of inputs, in the order of `pairs`:
        ``"1"`` the second derivative is non-zero somewhere, ``"0"`` it is zero wherever
        it exists.
    cuts : mapping of (int, int) to sequence of Cut
        For a pair of inputs, when a third operand that is constant makes the second
        derivative of every output vanish.  What the first-order line cuts is not repeated:
        an input that is cut there has no second derivatives either.  The field `constant`
        of a cut is not read.
    conservative : str
        Why the line claims more than the numerical derivatives show; empty if tight.
    domain : sequence of (float, float), optional
        The interval from which tests draw each input; None for those of the first-order
        line.
    """

    ufunc: np.ufunc
    seconds: tuple[str, ...]
    cuts: Mapping[Pair, Sequence[Cut]] = field(default_factory=dict)
    conservative: str = ""
    domain: Sequence[tuple[float, float]] | None = None

    def __post_init__(self) -> None:
        name, nin, nout = self.ufunc.__name__, self.ufunc.nin, self.ufunc.nout
        known = pairs(nin)
        if len(self.seconds) != nout:
            raise ValueError(f"{name}: one string per output, {nout} wanted")
        if any(len(s) != len(known) or set(s) - {"0", "1"} for s in self.seconds):
            raise ValueError(f"{name}: one letter 0 or 1 per pair of inputs, {len(known)} wanted")
        for pair, cuts in self.cuts.items():
            if pair not in known:
                raise ValueError(f"{name}: {pair} is no pair of inputs (i, j) with i <= j")
            if any(cut.operand in pair or not 0 <= cut.operand < nin for cut in cuts):
                raise ValueError(f"{name}: an operand outside the pair {pair} decides on its cut")
        if self.domain is not None and len(self.domain) != nin:
            raise ValueError(f"{name}: one interval per input, {nin} wanted")


class CurvatureTable(Mapping[np.ufunc, Curvature]):
    """Second-order rules keyed by the ufunc object itself; no two lines for one ufunc.

    Examples
    --------
    >>> import numpy as np
    >>> table = CurvatureTable()
    >>> table.curvature(np.multiply, "010")
    >>> table[np.multiply].seconds
    ('010',)
    """

    def __init__(self) -> None:
        self._curvatures: dict[np.ufunc, Curvature] = {}

    def curvature(
        self,
        ufunc: np.ufunc,
        *seconds: str,
        cuts: Mapping[Pair, Sequence[Cut]] | None = None,
        conservative: str = "",
        domain: Sequence[tuple[float, float]] | None = None,
    ) -> None:
        """Add a line; aliases of one ufunc object share it, a second line is an error."""
        if ufunc in self._curvatures:
            raise ValueError(f"{ufunc.__name__} has a second-order rule already")
        self._curvatures[ufunc] = Curvature(ufunc, seconds, dict(cuts or {}), conservative, domain)

    def __getitem__(self, ufunc: np.ufunc) -> Curvature:
        return self._curvatures[ufunc]

    def __iter__(self) -> Iterator[np.ufunc]:
        return iter(self._curvatures)

    def __len__(self) -> int:
        return len(self._curvatures)

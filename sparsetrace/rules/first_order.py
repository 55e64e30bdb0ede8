"""The form of a first-order rule: what a ufunc's output depends on, argument by argument.

Contract: rules know ufuncs, argument positions and the values of constant
operands; they know nothing of traced arrays, graphs or stores.  A ufunc without
a line is taken as depending on every argument, which is always sound.

A line reads::

    rule(np.arctan2, "11", domain=[(-2, 2), (-2, 2)],
         cuts={0: Cut(1, is_zero), 1: Cut(0, is_positive)})

the partial derivatives with respect to both arguments are non-zero somewhere
(``"1"``; ``"0"`` means zero wherever it exists), tests draw the arguments from
these intervals, and the dependency on argument 0 is cut where argument 1 is a
constant that satisfies the predicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cut", "Rule", "RuleTable"]

Predicate = Callable[[NDArray[np.generic]], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Cut:
    """When a constant operand makes a partial derivative vanish for every input.

    Attributes
    ----------
    operand : int
        Position of the argument whose constant value decides.
    vanishes : callable
        Array of constant values -> Boolean array, true where the derivative is zero.
    constant : bool
        Whether the result is then a known constant (``0 * x`` is 0), rather than
        some unknown piecewise constant (``arctan2(x, 0)`` is 0 or pi).
    """

    operand: int
    vanishes: Predicate
    constant: bool = True


@dataclass(frozen=True, slots=True)
class Rule:
    """First-order rule of one ufunc: one line of a table.

    Attributes
    ----------
    ufunc : numpy.ufunc
    partials : tuple of str
        One string per output, one letter per input: ``"1"`` the partial derivative
        is non-zero somewhere, ``"0"`` it is zero wherever it exists.
    domain : sequence of (float, float)
        The interval from which tests draw each input.
    cuts : mapping of int to Cut
        For an input position, when a constant operand cuts its dependency.
    conservative : str
        Why the line claims more than the numerical derivatives show; empty if tight.
    integers : frozenset of int
        Inputs that tests draw as whole numbers (orders, degrees).
    """

    ufunc: np.ufunc
    partials: tuple[str, ...]
    domain: Sequence[tuple[float, float]]
    cuts: Mapping[int, Cut] = field(default_factory=dict)
    conservative: str = ""
    integers: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        name = self.ufunc.__name__
        if len(self.partials) != self.ufunc.nout:
            raise ValueError(f"{name}: one string per output, {self.ufunc.nout} wanted")
        if any(len(p) != self.ufunc.nin or set(p) - {"0", "1"} for p in self.partials):
            raise ValueError(f"{name}: one letter 0 or 1 per input, {self.ufunc.nin} wanted")
        if len(self.domain) != self.ufunc.nin:
            raise ValueError(f"{name}: one interval per input, {self.ufunc.nin} wanted")


class RuleTable(Mapping[np.ufunc, Rule]):
    """Rules keyed by the ufunc object itself; no two lines for one ufunc.

    Examples
    --------
    >>> import numpy as np
    >>> table = RuleTable()
    >>> table.rule(np.sin, "1", domain=[(-3, 3)])
    >>> table[np.sin].partials
    ('1',)
    """

    def __init__(self) -> None:
        self._rules: dict[np.ufunc, Rule] = {}

    def rule(
        self,
        ufunc: np.ufunc,
        *partials: str,
        domain: Sequence[tuple[float, float]],
        cuts: Mapping[int, Cut] | None = None,
        conservative: str = "",
        integers: Sequence[int] = (),
    ) -> None:
        """Add a line; aliases of one ufunc object share it, a second line is an error."""
        if ufunc in self._rules:
            raise ValueError(f"{ufunc.__name__} has a rule already")
        self._rules[ufunc] = Rule(
            ufunc, partials, tuple(domain), dict(cuts or {}), conservative, frozenset(integers)
        )

    def __getitem__(self, ufunc: np.ufunc) -> Rule:
        return self._rules[ufunc]

    def __iter__(self) -> Iterator[np.ufunc]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)

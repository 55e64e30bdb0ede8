"""The record of a ufunc: all that is known of its derivatives, in one entry.

Contract: records know ufuncs, argument positions and values; they know nothing of traced
arrays, graphs or stores.  An entry reads::

    ufunc(
        sc.poch,
        "11",
        domain=SHAPE,
        inside=lambda z, m: z > 0,
        zero={"0": lambda z, m: m == 0},
        zero2={"00": lambda z, m: (m == 0) | (m == 1)},
        cut2={"11": lambda z, m: (z <= 0) & is_finite_whole(z)},
    )

Both first derivatives differ from zero somewhere (``"11"``; ``"0"`` says: zero wherever it
exists), and so do all three second ones, as nothing else is said.  The first derivative in
input 0 is zero where m is 0; the second one in input 0 also where m is 1.

**Predicates** take the values of all inputs and are true only where mathematics makes the
derivative of *every* output zero, whatever floating point makes of ``1 - tanh(20)**2``.
They compare values and take no tolerances; what they do not know to be zero is kept.
They answer two questions.

- *At a point* all values are known.  NaN is kept, and so are kinks, ties and jumps (of the
  first derivatives, for `zero2`): ``absolute`` and ``hypot`` at the origin, equal arguments
  of ``maximum``; and infinities, except where the function is constant beside one
  (``maximum(x, inf)``) or approaches a finite value there (``exp`` at -inf, not ``log`` at
  inf).  `inside` and `guard` leave out what is not regular.  At the edge of a domain the
  derivative is the one from inside.  Where a function jumps in one argument, the others
  see it held fixed: ``remainder(0, y)`` is 0 for every y.
- *Beside constants* the values of the other inputs are unknown, and NaN stands for them: a
  predicate that holds all the same holds for every input.  So ``(x == 0) & (a > 1)`` says
  nothing while a is unknown, and a condition on the domain belongs into `inside`, which is
  asked at points alone.  ``x != 0`` holds of NaN: it may stand beside a condition that does
  not, never alone.  Where this does not give what is known, `cut` and `cut2` say it; of
  NumPy's arithmetic they say it in fewer operations, as it is asked in every call.

The letters are those of real arguments.  Of complex ones `parts` says in real arithmetic what
becomes of their real and imaginary parts::

    ufunc(np.conjugate, "1", "0", parts=lambda z: (z.real, -z.imag))

Where it says nothing, both parts of a result depend on both parts of every argument.

A ufunc without a record is taken as nonlinear in all of its arguments jointly, which
is always sound.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.rules.enclosures import Enclosure

__all__ = [
    "NAN",
    "NOTHING",
    "NOWHERE",
    "Cut",
    "Guard",
    "Interval",
    "Pair",
    "Predicate",
    "Record",
    "nonzero_pairs",
    "pairs",
]

Interval = tuple[float, float]
Mask = NDArray[np.bool_]
Pair = tuple[int, int]
Predicate = Callable[..., Any]

NAN = np.float64(np.nan)
"""Stands for the value of an input that is not known."""
NOTHING: dict[Any, Predicate] = {}
"""Shared by all fields in which nothing is said."""


class Guard(Enum):
    """Which points are kept although they satisfy a predicate."""

    #: None: where a predicate holds, no input is NaN, and the value is none either.
    NONE = auto()
    #: Those where an input or the value is NaN.
    NAN = auto()
    #: Those where an input or the value is NaN or infinite.
    FINITE = auto()


def NOWHERE(*values: Any) -> Any:
    """A predicate that never holds: of `infinite`, that every first derivative is finite."""
    return np.False_


@dataclass(frozen=True, slots=True)
class Cut:
    """When a constant operand makes a derivative vanish, as `register_rule` takes it.

    Attributes
    ----------
    operand : int
        Position of the argument whose constant value decides.
    vanishes : callable
        Array of constant values -> Boolean array, true where the derivative is zero.
        False for NaN.
    constant : bool
        Whether the result is then a known constant (``0 * x`` is 0), rather than
        some unknown piecewise constant (``arctan2(x, 0)`` is 0 or pi).
    """

    operand: int
    vanishes: Callable[[NDArray[Any]], NDArray[np.bool_]]
    constant: bool = True

    def __call__(self, *values: Any) -> NDArray[np.bool_]:
        return self.vanishes(np.asarray(values[self.operand]))


@cache
def pairs(nin: int) -> tuple[Pair, ...]:
    """The pairs of inputs (i, j) with i <= j, in the order of the second-order letters.

    Examples
    --------
    >>> pairs(3)
    ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    """
    return tuple((i, j) for i in range(nin) for j in range(i, nin))


@cache
def nonzero_pairs(letters: str) -> str:
    """The second-order letters that hold if nothing else is said.

    Examples
    --------
    >>> nonzero_pairs("101")
    '101001'
    """
    return "".join(min(letters[i], letters[j]) for i, j in pairs(len(letters)))


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of the derivatives of one ufunc.

    Attributes
    ----------
    ufunc : numpy.ufunc
    first : tuple of str
        One string per output, one letter per input: ``"1"`` the partial derivative
        is non-zero somewhere, ``"0"`` it is zero wherever it exists.
    second : tuple of str
        The same for second derivatives, one letter per pair of inputs, in the order of `pairs`.
    domain : sequence of (float, float)
        The interval from which tests draw each input.
    integers : frozenset of int
        Inputs that tests draw as whole numbers (orders, degrees).
    zero, zero2 : mapping of int or (int, int) to predicate
        For inputs and pairs, where the derivative is zero.
    inside : predicate, optional
        At a point, where `zero` and `zero2` hold: the domain on which the function is regular.
    guard : Guard
        What the predicates leave to be checked at a point.
    cut, cut2 : mapping of int or (int, int) to predicate
        The same beside constants, with NaN for what is unknown, where that does not follow
        from `zero` and `zero2`, or is asked often; in place of these, not in addition.  Of a
        pair, what is said of its inputs need not be repeated.
    stepwise : frozenset of int
        Inputs that constants cut from a result which is still unknown: ``arctan2(x, 0)`` is
        0 or pi.  Of the others it is then the same for every input: ``0 * x`` is 0.
    infinite : predicate, optional
        Where a first derivative is infinite; `NOWHERE` for nowhere.  Left out, where the
        result is not finite although the arguments are, and where `infinite2` holds.
    infinite2 : mapping of (int, int) to predicate
        Where a second derivative is infinite, beyond `infinite`.  By pairs, as not every input
        need vary: at x == 0 ``x**1`` is smooth, and ``x**y`` is not, as its mixed derivative
        has log(x).  Kinks and jumps, with finite derivatives all around, do not count, and
        orders and degrees that are whole numbers by nature are taken as held fixed.
    enclose : callable, optional
        In which interval the results lie (`sparsetrace.rules.enclosures`): which elements an
        index that is made of this ufunc may choose.  Left out, they may be anything.
    parts : callable, optional
        The real and the imaginary part of the result, or a real result alone, of the parts of
        complex arguments (`sparsetrace.operands.complex_operands`); None where the formula
        does not hold.
    conservative, conservative2 : str
        Why the letters of either order claim more than numerical derivatives show; empty if
        they are tight.
    cuts, cuts2 : mapping of int or (int, int) to predicate
        Derived: all predicates that constants are asked by.
    """

    ufunc: np.ufunc
    first: tuple[str, ...]
    second: tuple[str, ...]
    domain: Sequence[Interval]
    integers: frozenset[int] = frozenset()
    zero: Mapping[int, Predicate] = field(default_factory=lambda: NOTHING)
    zero2: Mapping[Pair, Predicate] = field(default_factory=lambda: NOTHING)
    inside: Predicate | None = None
    guard: Guard = Guard.FINITE
    cut: Mapping[int, Predicate] = field(default_factory=lambda: NOTHING)
    cut2: Mapping[Pair, Predicate] = field(default_factory=lambda: NOTHING)
    stepwise: frozenset[int] = frozenset()
    infinite: Predicate | None = None
    infinite2: Mapping[Pair, Predicate] = field(default_factory=lambda: NOTHING)
    enclose: Enclosure | None = None
    parts: Callable[..., Any] | None = None
    conservative: str = ""
    conservative2: str = ""
    cuts: Mapping[int, Predicate] = field(init=False)
    cuts2: Mapping[Pair, Predicate] = field(init=False)

    def __post_init__(self) -> None:
        nin = self.ufunc.nin
        problem = _problem(nin, self.ufunc.nout, self.first, self.second, len(self.domain))
        for i in (*self.zero, *self.cut):
            if not 0 <= i < nin:
                problem = f"{i} is no input"
        for pair in (*self.zero2, *self.cut2, *self.infinite2):
            if pair not in pairs(nin):
                problem = f"{pair} is no pair of inputs (i, j) with i <= j"
        if problem:
            raise ValueError(f"{self.ufunc.__name__}: {problem}")
        # Nothing stands beside a single input, or a mixed pair of two.
        cuts = _asked(self.zero, self.cut) if nin > 1 else NOTHING
        cuts2 = _asked(self.zero2, self.cut2) if nin > 1 else NOTHING
        if nin == 2 and (0, 1) in cuts2:
            del cuts2[0, 1]
        object.__setattr__(self, "cuts", cuts)
        object.__setattr__(self, "cuts2", cuts2)

    # ------------------------------------------------------------ beside constants
    def cut_beside(self, position: int, constant: NDArray[Any]) -> Any:
        """Of two inputs: where the other one, a constant, cuts this one; None if nowhere.

        Examples
        --------
        >>> from sparsetrace.rules import RECORDS
        >>> RECORDS[np.multiply].cut_beside(0, np.array([0.0, 1.0]))
        array([ True, False])
        """
        predicate = self.cuts.get(position)
        if predicate is None:
            return None
        return predicate(constant, NAN) if position else predicate(NAN, constant)

    def cut_by(self, position: int, known: Sequence[Any]) -> Any:
        """Where known values of the other inputs, NaN if unknown, make a derivative zero."""
        predicate = self.cuts.get(position)
        if predicate is None:
            return None
        return predicate(*(NAN if i == position else value for i, value in enumerate(known)))

    def cut2_by(self, pair: Pair, known: Sequence[Any]) -> Any:
        """The same of the second derivative in a pair of inputs."""
        predicate = self.cuts2.get(pair)
        if predicate is None:
            return None
        return predicate(*(NAN if i in pair else value for i, value in enumerate(known)))

    # ------------------------------------------------------------------ at a point
    def zero_at(self, position: int, values: Sequence[NDArray[Any]]) -> Mask | None:
        """Where the partial derivatives of all outputs with respect to one input are zero.

        Parameters
        ----------
        position : int
            Of the input.
        values : sequence of array
            The values of all inputs, of any shapes that broadcast.

        Returns
        -------
        array of bool, or None
            Of the broadcast shape, perhaps read-only; None if nowhere.

        Examples
        --------
        >>> from sparsetrace.rules import RECORDS
        >>> x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, np.nan])
        >>> RECORDS[np.maximum].zero_at(0, [x, y])
        array([ True, False, False])
        >>> RECORDS[np.maximum].zero_at(1, [x, y]) is None
        True
        """
        if not 0 <= position < self.ufunc.nin:
            raise IndexError(f"{self.ufunc.__name__} has no input {position}")
        predicate = self.zero.get(position)
        return None if predicate is None else self._confirmed(predicate(*values), values)

    def zero2_at(self, pair: Pair, values: Sequence[NDArray[Any]]) -> Mask | None:
        """Where one second derivative of all outputs is zero, as `zero_at`.

        Examples
        --------
        >>> from sparsetrace.rules import RECORDS
        >>> x, y = np.array([0.0, 1.0, np.nan]), np.array([2.0, 2.0, 2.0])
        >>> RECORDS[np.divide].zero2_at((1, 1), [x, y])
        array([ True, False, False])
        >>> RECORDS[np.divide].zero2_at((0, 1), [x, y]) is None
        True
        """
        if pair not in pairs(self.ufunc.nin):
            raise IndexError(f"{self.ufunc.__name__} has no pair of inputs {pair}")
        predicate = self.zero2.get(pair)
        return None if predicate is None else self._confirmed(predicate(*values), values)

    def _confirmed(self, mask: Any, values: Sequence[NDArray[Any]]) -> Mask | None:
        """What is left of the points that satisfy a predicate; None if nothing."""
        if not _any(mask):
            return None
        if self.inside is not None:
            mask = mask & self.inside(*values)
            if not _any(mask):
                return None
        if self.guard is not Guard.NONE:
            with np.errstate(all="ignore"):
                mask = _known(mask, values, self.guard)
                # Some special functions take for ever over infinities (hyp1f1).
                if self.guard is Guard.FINITE and not _any(mask):
                    return None
                outputs = self.ufunc(*values)
                mask = _known(mask, outputs if self.ufunc.nout > 1 else (outputs,), self.guard)
            if not _any(mask):
                return None
        if self.ufunc.nin > 1 and mask.shape != (shape := np.broadcast(*values).shape):
            return np.broadcast_to(mask, shape)
        return np.asarray(mask)

    def infinite_at(self, values: Sequence[NDArray[Any]]) -> Mask | None:
        """Where a first derivative is infinite, but for `infinite2`; None if nowhere.

        Examples
        --------
        >>> from sparsetrace.rules import RECORDS
        >>> RECORDS[np.sqrt].infinite_at([np.array([0.0, 1.0])])
        array([ True, False])
        >>> RECORDS[np.sin].infinite_at([np.array([0.0, 1.0])])
        """
        if self.infinite is NOWHERE:
            return None
        if self.infinite is not None:
            mask: Mask = self.infinite(*values)
            return mask
        ufunc = self.ufunc
        if ufunc.signature is not None or any(v.dtype.kind not in "fc" for v in values):
            return None
        with np.errstate(all="ignore"):
            results = ufunc(*values)
        bad: Mask | None = None
        for result in results if isinstance(results, tuple) else (results,):
            if np.asarray(result).dtype.kind in "fc":
                here = ~np.isfinite(result)
                bad = here if bad is None else bad | here
        if bad is None or not bad.any():
            return None
        for value in values:
            bad = bad & np.isfinite(value)
        return bad

    def infinite2_at(
        self, values: Sequence[NDArray[Any]], inputs: Collection[int] | None = None
    ) -> Mask | None:
        """Where a second derivative in these inputs (all of them) is infinite; None if nowhere.

        Examples
        --------
        >>> from sparsetrace.rules import RECORDS
        >>> x, y = np.array([0.0, 0.0, 1.0]), np.array([1.0, 1.5, 1.5])
        >>> RECORDS[np.power].infinite2_at([x, y])
        array([ True,  True, False])
        >>> RECORDS[np.power].infinite2_at([x, y], inputs=[0])
        array([False,  True, False])
        >>> RECORDS[np.sin].infinite2_at([x])
        """
        mask: Any = None
        with np.errstate(all="ignore"):
            for (i, j), predicate in self.infinite2.items():
                if inputs is None or (i in inputs and j in inputs):
                    here = predicate(*values)
                    mask = here if mask is None else mask | here
        if mask is None or not np.count_nonzero(mask):
            return None
        return np.broadcast_to(mask, np.broadcast_shapes(*(np.shape(x) for x in values)))


def _asked(derived: Mapping[Any, Predicate], said: Mapping[Any, Predicate]) -> dict[Any, Predicate]:
    if not derived and not said:
        return NOTHING
    both = {**derived, **said}
    return {key: predicate for key, predicate in both.items() if predicate is not NOWHERE}


@cache
def _problem(
    nin: int, nout: int, first: tuple[str, ...], second: tuple[str, ...], intervals: int
) -> str:
    """What is wrong with a record's letters or its domain; empty if nothing."""
    for letters, number, what in (
        (first, nin, "input"),
        (second, len(pairs(nin)), "pair of inputs"),
    ):
        if len(letters) != nout:
            return f"one string per output, {nout} wanted"
        if any(len(some) != number or set(some) - {"0", "1"} for some in letters):
            return f"one letter 0 or 1 per {what}, {number} wanted"
    return "" if intervals == nin else f"one interval per input, {nin} wanted"


def _any(mask: Any) -> Any:
    # np.count_nonzero is the fastest test of a small array, and slow for a scalar.
    return mask if mask.ndim == 0 else np.count_nonzero(mask)


def _known(mask: Any, values: Sequence[NDArray[Any]], guard: Guard) -> Any:
    for value in values:
        mask = mask & (np.isfinite(value) if guard is Guard.FINITE else value == value)
    return mask

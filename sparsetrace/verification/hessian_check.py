"""A Hessian's pattern against plain calls: groups without an entry between do not interact.

Contract: as for `jacobian_check`.  With groups A and B, and moves a of A and b of B, the mixed
difference ``f(x + a + b) - f(x + a) - f(x + b) + f(x)`` is zero but for rounding where the
pattern has no entry between A and B.  All outputs are looked at, each by itself: a weighted
sum of them would show less.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.verification.input_groups import Mask, Pattern
from sparsetrace.verification.sampling import Sampling

__all__ = ["HessianCheck"]

Vector = NDArray[Any]
_AGREEMENT = 0.1
_CALLS, _FURTHER = 3, 2
"""Calls of one mixed difference beside the base point, and of another with the same b."""
_FEW = 8
"""Inputs of which a pair of groups covers so much that each is moved at another point."""
_SCALES = (1.0, 1 / 8, 1 / 64)
"""Parts of a step at which a mixed difference is tried."""


class HessianCheck:
    """One check of a symmetric pattern.

    Parameters
    ----------
    sampling : Sampling
    pattern : Pattern
    """

    def __init__(self, sampling: Sampling, pattern: Pattern) -> None:
        self.sampling, self.pattern = sampling, pattern

    @property
    def step(self) -> float:
        """The relative size of moves: their product must exceed rounding."""
        order = 0.25 if self.sampling.local else 0.15
        return float(self.sampling.width**0.5 * self.sampling.plain.eps**order)

    def run(self) -> None:
        """Raise a `VerificationError` for an entry that the pattern lost.

        Raises
        ------
        VerificationError
        """
        sampling = self.sampling
        if not sampling.start(None):
            return
        rows = self.pattern.open_rows()
        if not rows.any():
            return
        self._first = sampling.base
        turn = 0
        moving = not sampling.local and self.pattern.shape[0] <= _FEW
        while sampling.left >= _CALLS:
            moved = bool(turn) and moving and self._elsewhere(turn)
            pair = self.pattern.next_pair(turn)
            if pair is None:
                self.pattern.start_over()
                if sampling.local or not (moved or self._elsewhere(turn)):
                    break
                pair = self.pattern.next_pair(turn)
            turn += 1
            if pair is None:
                break
            self._probe(*pair)
        if sampling.left:
            sampling.ask_again()
        sampling.finish(np.ones(len(sampling.values), bool))

    def _elsewhere(self, turn: int) -> bool:
        """Go on at a point far away; False where too few calls are left."""
        sampling = self.sampling
        if sampling.left < 1 + _CALLS + _FURTHER:
            return False
        others = sampling.plain.others
        point = sampling.wide(turn)
        values = sampling.plain.at(point)
        if values is not None and np.isfinite(values).all():
            sampling.base, sampling.values = point, values
        else:
            sampling.plain.others = others
        return True

    def _probe(self, first: Mask, second: Mask) -> None:
        """Move two groups that do not interact, apart and together."""
        sampling, plain = self.sampling, self.sampling.plain
        base = sampling.base
        a = np.where(first, self.step * plain.sizes * sampling.random(), 0)
        b = np.where(second, self.step * plain.sizes * sampling.random(), 0)
        result = self._mixed(base, a, b)
        if result is None:
            return
        mixed, scale = result
        sampling.finite |= np.isfinite(mixed)
        suspects = np.abs(mixed) > self._rounding(scale)
        if not suspects.any():
            return
        if sampling.left > _FURTHER and base is self._first:
            # a function that answers at random interacts with everything
            sampling.ask_again()
        if sampling.left < _FURTHER:
            return
        # half the step to the other side: a second derivative gives minus a half
        there = self._beside(base, -a / 2, b)
        if there is None:
            return
        with np.errstate(invalid="ignore"):
            again = (there[1] - there[0]) - (self._values[1] - sampling.values)
            suspects &= np.abs(mixed + 2 * again) <= _AGREEMENT * np.abs(mixed)
        strength = np.where(suspects, np.abs(mixed) / scale, 0)
        for output in np.argsort(-strength)[:2]:
            if suspects[output]:
                self._confirm(int(output), a, b)

    def _rounding(self, scale: Vector) -> Vector:
        terms = np.sqrt(len(self.sampling.base)) + 16
        return np.asarray(64 * self.sampling.plain.eps * np.minimum(terms, 256) * scale)

    def _mixed(self, point: Vector, a: Vector, b: Vector) -> tuple[Vector, Vector] | None:
        """The mixed differences of all outputs, and the size of what was subtracted."""
        plain, sampling = self.sampling.plain, self.sampling
        start = sampling.values if point is sampling.base else plain.at(point)
        values = [start, plain.at(point + b), *(self._beside(point, a, b) or (None,))]
        known = [value for value in values if value is not None]
        if len(known) < 4:
            return None
        self._values = known
        with np.errstate(invalid="ignore"):
            mixed = (known[3] - known[2]) - (known[1] - known[0])
            scale = np.max(np.abs(known), axis=0)
        mixed = np.where(np.isfinite(scale), mixed, np.nan)
        return mixed, np.asarray(scale + np.finfo(float).tiny)

    def _beside(self, point: Vector, a: Vector, b: Vector) -> tuple[Vector, Vector] | None:
        """What the function returns with a move, without and with the other one."""
        alone, both = self.sampling.plain.at(point + a), self.sampling.plain.at(point + a + b)
        return None if alone is None or both is None else (alone, both)

    # --------------------------------------------------------------- findings
    def _confirm(self, output: int, a: Vector, b: Vector) -> None:
        """Find two inputs that interact, by bisection, and raise if they truly do."""
        point = self.sampling.base
        narrowed = self._narrowed(output, point, a, b)
        if narrowed is None:
            return
        point, a = narrowed
        narrowed = self._narrowed(output, point, b, a)
        if narrowed is None:
            return
        point, b = narrowed
        row, column = int(np.flatnonzero(b)[0]), int(np.flatnonzero(a)[0])
        if not self._is_second_derivative(output, point, a, b):
            return
        plain = self.sampling.plain
        names = plain.column_name(row), plain.column_name(column)
        result = plain.row_name(output)
        of_output = "" if len(self.sampling.values) == 1 else f" of output {result}"
        raise self.sampling.error(
            f"the second derivative{of_output} with respect to inputs {names[0]} (row {row}) and "
            f"{names[1]} (column {column}) is not zero, and the pattern has no entry there",
            row=row,
            column=column,
            row_name=names[0],
            column_name=names[1],
        )

    def _narrowed(
        self, output: int, point: Vector, move: Vector, other: Vector
    ) -> tuple[Vector, Vector] | None:
        """One element of a move that interacts with another move, and from which point on."""
        remaining = self._one(output, point, move, other)
        if remaining is None:
            return None
        columns = np.flatnonzero(move)
        while len(columns) > 1:
            first, second = np.array_split(columns, 2)
            step = np.zeros_like(move)
            step[first] = move[first]
            here = self._one(output, point, step, other)
            if here is None:
                return None
            if np.abs(here) >= np.abs(remaining - here):
                columns, remaining = first, here
                continue
            columns, remaining = second, remaining - here
            if not self.sampling.local:
                point = point + step
        single = np.zeros_like(move)
        single[columns] = move[columns]
        return point, single

    def _one(self, output: int, point: Vector, a: Vector, b: Vector) -> Any:
        result = self._mixed(point, a, b)
        return None if result is None or not np.isfinite(result[0][output]) else result[0][output]

    def _is_second_derivative(self, output: int, point: Vector, a: Vector, b: Vector) -> bool:
        """Whether mixed differences scale with both steps, the same in all quadrants."""
        return any(self._bends(output, point, scale * a, scale * b) for scale in _SCALES)

    def _bends(self, output: int, point: Vector, a: Vector, b: Vector) -> bool:
        result = self._mixed(point, a, b)
        if result is None:
            return False
        first, noise = result[0][output], self._rounding(result[1])[output]
        if not abs(first) > 32 * noise:
            return False
        for scale in (1.0, 0.5, 0.25):
            for sign, turn in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                here = self._one(output, point, sign * scale * a, turn * scale * b)
                if here is None:
                    return False
                scaled = here * (sign * turn) / scale**2
                if abs(scaled - first) > 2 * _AGREEMENT * abs(first):
                    return False
        return True

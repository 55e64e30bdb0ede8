"""A Jacobian's pattern against plain calls: rows without an entry in a group must not move.

Contract: whatever is reported was seen at plain calls that move one input alone, and, for
derivatives, scales as a derivative does: to both sides, over several steps.  What merely
looks so (a jump, a kink at the point, rounding, a derivative that vanishes at the point) is
passed over.

Two tests, each made of whole-array operations:

- Small moves along random directions.  The changes of a row with k entries lie in the span
  of k known vectors, so that k + 1 directions show every row that lost an entry.
- Moves of a group of inputs, of which the rows without an entry in the group must see
  nothing.  It needs no linearity, so it decides also what the first test suspects.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.verification.input_groups import Mask, Pattern, residuals
from sparsetrace.verification.sampling import Sampling

__all__ = ["JacobianCheck"]

Vector = NDArray[Any]
_AGREEMENT = 0.1
"""Difference quotients of a derivative agree this well."""
_JUDGED = 0.8
"""Share of the rows that the first test shall be able to judge, by fewer columns if need be."""


class JacobianCheck:
    """One check of a pattern.

    Parameters
    ----------
    sampling : Sampling
    pattern : Pattern
    dependency : bool
        Whether the pattern is one of values: then any change counts.
    """

    def __init__(self, sampling: Sampling, pattern: Pattern, *, dependency: bool) -> None:
        self.sampling, self.pattern = sampling, pattern
        # at a point even a pattern of values leaves out what vanishes there
        self.any_change = dependency and not sampling.local
        self._turn = 0

    @property
    def step(self) -> float:
        """The relative size of small moves."""
        return float(self.sampling.width * self.sampling.plain.eps**0.4)

    def run(self) -> None:
        """Raise a `VerificationError` for an entry that the pattern lost.

        Raises
        ------
        InputError
            If the function returns another number of numbers than the pattern has rows.
        VerificationError
        """
        sampling = self.sampling
        if not sampling.start(self.pattern.shape[0]):
            return
        sampling.ask_again()
        rows = self.pattern.open_rows()
        if not rows.any():
            return
        heavy = 0
        directions, columns = self._directions()
        if directions:
            self._along(directions, columns)
            heavy = directions if columns.all() else 1
        if not heavy or (self.pattern.counts[rows] >= heavy).any():
            share = 3 if heavy else 4
            until = sampling.left - max(1, sampling.left * share // 6)
            self._groups(heavy, 0 if sampling.local else until)
        if not sampling.local:
            self._elsewhere()
        sampling.finish(rows)

    # ------------------------------------------------------------------- plan
    def _directions(self) -> tuple[int, Mask]:
        """How many random directions to move along, of which columns; 0 if groups do better."""
        pattern = self.pattern
        rows = pattern.open_rows()
        columns = np.ones(pattern.shape[1], bool)
        most = self.sampling.left * (5 if self.any_change else 7) // 10
        wanted = min(most, int(np.quantile(pattern.counts[rows], 0.99, method="higher")) + 1)
        if wanted < 1 or rows.sum() < wanted:
            return 0, columns
        if (pattern.counts[rows] < wanted).mean() < _JUDGED:
            columns = pattern.thinned(wanted - 1)
        judged = rows & (np.diff(pattern.among(columns)[0]) < wanted)
        by_groups = pattern.tested_by_groups(wanted)
        return (wanted if pattern.zeros(judged, columns) > by_groups else 0), columns

    # ----------------------------------------------------------------- probes
    def _along(self, directions: int, columns: Mask) -> None:
        """Move columns along random directions, and look into the rows that do not fit."""
        sampling = self.sampling
        base, values = sampling.base, sampling.values
        moves, changes = [], []
        good = np.isfinite(values)
        for _ in range(directions):
            point, values_there = self._moved(sampling.random() * columns)
            if values_there is None:
                continue
            moves.append(sampling.coordinates(point - base))
            with np.errstate(invalid="ignore"):
                changes.append(values_there - values)
            good &= np.isfinite(values_there)
        if not moves:
            return
        there = np.array(changes)
        there[:, ~good] = 0
        indptr, indices = self.pattern.among(columns)
        sampling.finite |= good
        self.pattern.note_rows(good & (np.diff(indptr) < len(moves)), columns)
        rest = residuals(indptr, indices, np.array(moves), there)
        size = np.sqrt((np.abs(there) ** 2).sum(axis=0))
        eps = sampling.plain.eps
        # of the row's own second derivatives and rounding much less is left
        usual = 100 * self.step * size + 64 * eps * np.sqrt(directions) * np.abs(values)
        excess = np.where(good, rest - usual, 0)
        suspects = np.flatnonzero(excess > 0)
        if not suspects.size:
            return
        order = suspects[np.argsort(-rest[suspects] / size[suspects])]
        for some in (order[:1], order[1:2], order[:8]):
            if sampling.left < 2 or not some.size:
                return
            rows = np.zeros(len(values), bool)
            rows[some] = True
            self._move(self.pattern.outside(rows))

    def _moved(self, direction: Vector) -> tuple[Vector, Vector | None]:
        """A small move from the base point."""
        plain = self.sampling.plain
        point = plain.representable(self.sampling.base + self.step * plain.sizes * direction)
        return point, plain.at(point)

    def _groups(self, heavy: int, until: int) -> None:
        """Move groups of inputs by a little until so many calls are left."""
        while self.sampling.left > max(until, 1):
            group = self.pattern.next_group(heavy)
            if group is None:
                return
            self._move(group)

    def _elsewhere(self) -> None:
        """The same at other points, each far from the last."""
        sampling, plain = self.sampling, self.sampling.plain
        home = sampling.base
        while sampling.left > (0 if self.any_change else 2):
            group = self.pattern.next_group()
            if group is None:
                self.pattern.start_over()
                group = self.pattern.next_group()
            if group is None:
                return
            others = plain.others
            point = sampling.wide(self._turn)
            self._turn += 1
            if self.any_change:
                plain.others = others  # the move is compared with the base point
                self._move(group, point)
                continue
            values = plain.at(point)
            if values is None or not np.isfinite(values).any():
                point = plain.representable((point + home) / 2)
                values = plain.at(point) if sampling.left > 2 else None
            if values is None:
                plain.others = others
            elif sampling.left > 1:
                sampling.base, sampling.values = point, values
                self._move(group)

    def _move(self, group: Mask, point: Vector | None = None) -> None:
        """Move a group by a little, or to another point; its rows must stay."""
        if not group.any():
            return
        sampling, plain = self.sampling, self.sampling.plain
        base, values = sampling.base, sampling.values
        near = base + self.step * plain.sizes * sampling.random()
        target = near if point is None else point
        moved = plain.representable(np.where(group, target, base))
        there = plain.at(moved)
        if there is None:
            return
        good = np.isfinite(values) & np.isfinite(there)
        rows = self.pattern.tested(group) & good
        sampling.finite |= good
        with np.errstate(invalid="ignore"):
            changes = there - values
        sizes = np.maximum(np.abs(values), np.abs(there))
        suspects = rows & (np.abs(changes) > self._rounding(sizes))
        if suspects.any() and not self.any_change:
            suspects &= self._scales(moved - base, changes)
        if suspects.any():
            strength = np.where(suspects, np.abs(changes) / (sizes + np.abs(changes)), 0)
            for row in np.argsort(-strength)[:2]:
                if suspects[row]:
                    self._confirm(int(row), moved - base)
        if point is not None and good.all():
            sampling.base, sampling.values = moved, there

    def _rounding(self, sizes: Vector) -> Vector:
        eps = self.sampling.plain.eps
        if self.any_change:
            return 1e6 * eps * sizes + 64 * eps * float(np.median(sizes))
        return 64 * eps * sizes

    def _scales(self, move: Vector, changes: Vector) -> Mask:
        """Which changes halve, with the other sign, when half the move is undone from the base."""
        sampling = self.sampling
        if sampling.left < 1:
            return np.zeros(len(changes), bool)
        back = sampling.plain.at(sampling.plain.representable(sampling.base - move / 2))
        if back is None:
            return np.zeros(len(changes), bool)
        with np.errstate(invalid="ignore"):
            difference = changes + 2 * (back - sampling.values)
            return np.abs(difference) <= _AGREEMENT * np.abs(changes)

    # --------------------------------------------------------------- findings
    def _confirm(self, row: int, move: Vector) -> None:
        """Find the column that moves the row, by bisection, and raise if it truly does."""
        plain, local = self.sampling.plain, self.sampling.local
        point, value = self.sampling.base, self.sampling.values[row]
        columns = np.flatnonzero(move)
        end = self._value(point + move, row)
        if end is None:
            return
        change = end - value
        while len(columns) > 1:
            first, second = np.array_split(columns, 2)
            step = np.zeros_like(move)
            step[first] = move[first]
            middle = self._value(point + step, row)
            if middle is None:
                return
            here = middle - value
            if np.abs(here) >= np.abs(change - here):
                columns, change = first, here
                continue
            columns, change = second, change - here
            if not local:
                point, value = plain.representable(point + step), middle
        column = int(columns[0])
        if self.any_change:
            size = float(np.abs(move[column]))
        else:
            result = self._derivative(row, column, point)
            if result is None:
                return
            change, size = result
        row_name, column_name = plain.row_name(row), plain.column_name(column)
        raise self.sampling.error(
            f"output {row_name} (row {row}) changes by {np.abs(change):.3g} when input "
            f"{column_name} (column {column}) alone is moved by {size:.3g}, and the pattern has "
            "no entry there",
            row=row,
            column=column,
            row_name=row_name,
            column_name=column_name,
        )

    def _value(self, point: Vector, row: int) -> Any:
        values = self.sampling.plain.at(self.sampling.plain.representable(point))
        return None if values is None or not np.isfinite(values[row]) else values[row]

    def _derivative(self, row: int, column: int, point: Vector) -> tuple[Any, float] | None:
        """A change and its step, if differences scale as those of a derivative do."""
        start = self._value(point, row)
        if start is None:
            return None
        plain = self.sampling.plain
        noise = 100 * plain.eps * abs(start)
        for width in (1, 30, 1000):
            size = self.step * width * plain.sizes[column]
            quotients = [self._quotient(row, column, point, start, size)]
            if quotients[0] is None:
                return None
            if abs(quotients[0]) * size < 16 * noise or not quotients[0]:
                continue
            steps = (-size, size / 2, size / 4, -size / 4)
            quotients += [self._quotient(row, column, point, start, t) for t in steps]
            if any(
                q is None or abs(q - quotients[0]) > _AGREEMENT * abs(quotients[0])
                for q in quotients
            ):
                return None
            # rounded to so many digits, the function is constant over smaller steps still; so is
            # a search that ends at a tolerance, which wide moves look for
            for power in range(2, 6 if self.sampling.width == 1.0 else 2):
                step = size / 4**power
                if abs(quotients[0]) * step < noise:
                    break
                if not self._quotient(row, column, point, start, step):
                    return None
            return quotients[0] * size, size
        return None

    def _quotient(self, row: int, column: int, point: Vector, start: object, step: float) -> Any:
        moved = point.copy()
        moved[column] += step
        moved = self.sampling.plain.representable(moved)
        value = self._value(moved, row)
        actual = moved[column] - point[column]
        return None if value is None or not actual else (value - start) / actual

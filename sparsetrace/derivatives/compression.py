"""From calls of a vector function, one a color, to the entries of its derivative.

Contract: the columns of one color move together; an entry is recovered directly from one
product, or, with an acyclic coloring, by substitution.  Entries come in the pattern's order.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsetrace.coloring import Coloring
from sparsetrace.coloring.recovery import row_ids, transposed_places
from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.methods import COMPLEX_STEP, Bounds, Steps, rounding_unit, steps
from sparsetrace.derivatives.readings import Readings
from sparsetrace.errors import OutputError

__all__ = ["Compression", "real_numbers_refused"]

Function = Callable[[Vector], Vector]
_PER_STEP = 1 / COMPLEX_STEP


def real_numbers_refused() -> warnings.catch_warnings:
    """A context in which a dropped imaginary part is an error: the derivative would be lost."""
    return warnings.catch_warnings(action="error", category=np.exceptions.ComplexWarning)


class Compression:
    """The entries of a derivative from products with the seeds of a coloring.

    Parameters
    ----------
    coloring : Coloring
        Of columns; for a symmetric matrix star or acyclic.
    """

    def __init__(self, coloring: Coloring) -> None:
        self.coloring = coloring
        pattern = coloring.pattern
        self.rows: Vector = row_ids(pattern)
        self.columns: Vector = pattern.indices
        self._groups = [group.astype(np.intp, copy=False) for group in coloring.groups]
        self._widths: Vector | None = None
        self._unit = rounding_unit(np.zeros(0))
        self._direct = coloring.kind != "acyclic"
        if self._direct:
            self._numbers, self._colors, moved = self._direct_places()
            # other integers would be converted at each evaluation
            self._moved = moved.astype(np.intp, copy=False)
            self._known_readings: dict[bool, Readings] = {}

    def _direct_places(self) -> tuple[Vector, Vector, Vector]:
        """Of each entry the product's number and color that it is, and the column that is moved."""
        coloring = self.coloring
        if coloring.kind == "columns":
            return self.rows, coloring.column_colors[self.columns], self.columns
        numbers, colors = np.divmod(coloring.places, max(coloring.num_colors, 1))
        # both triangles are read from the same products: the result is symmetric to the last bit
        upper = self.rows < self.columns
        mirrored = transposed_places(coloring.pattern)
        numbers, colors = (np.where(upper, some[mirrored], some) for some in (numbers, colors))
        return numbers, colors, np.where(numbers == self.rows, self.columns, self.rows)

    def data(
        self,
        function: Function,
        x: Vector,
        method: str,
        rel_step: ArrayLike | None = None,
        bounds: Bounds | None = None,
        value: Vector | None = None,
        stacked: Function | None = None,
    ) -> Vector:
        """The values of all entries at `x`, shape (nnz,).

        Parameters
        ----------
        function : callable
            Of one vector; it may keep or change what it is given.
        value : array, optional
            What it returns at `x`, if that is known.
        stacked : callable, optional
            The same at a stack of points, by one call.
        """
        if not len(self.rows):
            return np.zeros(0)
        if method == "cs":
            with real_numbers_refused():
                return self._imaginary(function, x, stacked)
        if value is None and method == "2-point":
            value = self._sized(function(x.copy())).copy()
        if value is not None:
            self._unit = rounding_unit(value)
        while True:
            unit = self._unit
            move = steps(x, method, rel_step, bounds, unit=unit)
            if not self._direct and move.one_sided is not None:
                # a product holds several columns: it cannot take some of them from one side
                move = steps(x, "2-point", rel_step, bounds, unit=unit)
            values = self._differences(function, x, move, value, stacked)
            self._unit = max(unit, rounding_unit(values))
            if self._unit == unit or rel_step is not None:  # else the steps were too small
                return values

    # ----------------------------------------------------------------------------- the points
    # a result is used and forgotten before the next one, which takes its memory, still in the cache
    def _imaginary(self, function: Function, x: Vector, stacked: Function | None) -> Vector:
        """The entries from imaginary parts, divided by the step."""
        kept = self._room(np.dtype(np.float64))
        if stacked is not None:
            points = np.repeat(x[None] + 0j, len(self._groups), axis=0)
            for color, group in enumerate(self._groups):
                points.imag[color, group] = COMPLEX_STEP
            for color, result in enumerate(self._sized(stacked(points))):
                self._keep_imaginary(kept, color, result)
            return self._entries(kept)
        adders = self._readings(True).adders(kept.dtype, _PER_STEP) if self._direct else []
        for color, group in enumerate(self._groups):
            point = x.astype(np.complex128)  # the function may keep or change it
            point.imag[group] = COMPLEX_STEP
            result = self._sized(function(point))
            if adders and result.dtype == np.complex128 and result.flags.c_contiguous:
                adders[color](result.view(np.float64), kept)
            else:
                self._keep_imaginary(kept, color, result)
            del point, result
        return self._entries(kept)

    def _keep_imaginary(self, kept: Vector, color: int, result: Vector) -> None:
        """What is needed of a complex product: its imaginary part, divided by the step."""
        parts = np.asarray(result.imag * _PER_STEP, np.float64)
        if self._direct:
            self._readings(False).adders(kept.dtype)[color](parts, kept)
        else:
            kept[color] = parts

    def _at_points(
        self, function: Function, x: Vector, moves: Vector, stacked: Function | None
    ) -> Callable[[int], Vector]:
        """The same of real points, each column at its own step."""
        groups, moved = self._groups, x + moves
        if stacked is not None:
            points = np.repeat(x[None], len(groups), axis=0)
            for color, group in enumerate(groups):
                points[color, group] = moved[group]
            # a copy, as it may be a buffer
            results: Callable[[int], Vector] = self._sized(stacked(points)).copy().__getitem__
            return results

        def result_of(color: int) -> Vector:
            point = x.copy()  # the function may keep or change it
            point[groups[color]] = moved[groups[color]]
            return self._sized(function(point))

        return result_of

    def _sized(self, values: Vector) -> Vector:
        m = self.coloring.pattern.shape[0]
        if values.shape[-1] != m:
            raise OutputError(
                f"the function returned {values.shape[-1]} numbers, and the pattern has {m} rows"
            )
        return values

    # --------------------------------------------------------------------------- the entries
    def _readings(self, of_complex: bool) -> Readings:
        """Where entries are read; of complex numbers, seen as pairs of real ones, or of others."""
        readings = self._known_readings.get(of_complex)
        if readings is None:
            numbers = 2 * self._numbers + 1 if of_complex else self._numbers
            readings = Readings(self._colors, numbers, self.coloring.num_colors)
            self._known_readings[of_complex] = readings
        return readings

    def _room(self, dtype: np.dtype[Any]) -> Vector:
        """Zeros for what is kept of the products: entries, or all where they are needed."""
        m, num_colors = self.coloring.pattern.shape[0], self.coloring.num_colors
        return np.zeros(len(self.rows) if self._direct else (num_colors, m), dtype)

    def _keep(self, kept: Vector | None, color: int, product: Vector) -> Vector:
        """What is needed of a real product, beside that of others."""
        if kept is None:
            kept = self._room(product.dtype)
        elif not np.can_cast(product.dtype, kept.dtype):
            kept = kept.astype(np.result_type(product, kept))
        if self._direct:
            product = np.ascontiguousarray(product, kept.dtype)
            self._readings(False).adders(kept.dtype)[color](product, kept)
        else:
            kept[color] = product
        return kept

    def _entries(self, kept: Vector) -> Vector:
        """The pattern's entries, from what was kept."""
        if self._direct:
            return kept
        entries: Vector = self.coloring.decompress(kept.T).data
        return entries

    def _differences(
        self,
        function: Function,
        x: Vector,
        move: Steps,
        value: Vector | None,
        stacked: Function | None,
    ) -> Vector:
        one_sided = move.one_sided
        if value is None and (move.second is None or one_sided is not None):
            value = self._sized(function(x.copy())).copy()
        kept: Vector | None = None
        kept_ahead: Vector | None = None
        with np.errstate(divide="ignore", invalid="ignore"):
            behind = None
            if move.second is not None:
                behind = self._at_points(function, x, move.second, stacked)
            ahead = self._at_points(function, x, move.first, stacked)
            for color in range(len(self._groups)):
                other = value if behind is None else behind(color).copy()  # it may be a buffer
                assert other is not None
                difference = _difference(ahead(color), other)
                kept = self._keep(kept, color, difference)
                if one_sided is not None:
                    # both points lie on one side: 4 f(h) - f(2h) - 3 f(0)
                    assert value is not None
                    three = 4 * difference + 3 * _difference(other, value)
                    kept_ahead = self._keep(kept_ahead, color, three)
            assert kept is not None
            if not self._direct:
                # rows times their own steps: the products of a matrix that is symmetric, too
                scaled = self._entries(kept * move.first)
                scaled /= move.first[self.rows] * move.first[self.columns]
                return scaled if move.second is None else scaled / 2
            differences = kept
            if one_sided is not None:
                assert kept_ahead is not None
                differences = np.where(one_sided[self._moved], kept_ahead, kept)
            width = move.first if move.second is None else 2 * move.first
            if self._widths is None or self._widths.dtype != width.dtype:
                self._widths = np.empty(len(self._moved), width.dtype)
            np.take(width, self._moved, out=self._widths, mode="clip")
            differences /= self._widths
            return differences


def _difference(ahead: Vector, behind: Vector) -> Vector:
    """Of results of a function; whole numbers and truth values have none of their own kind."""
    dtype = np.result_type(ahead, behind)
    result: Vector = np.subtract(ahead, behind, dtype=dtype if dtype.kind in "fc" else np.float64)
    return result

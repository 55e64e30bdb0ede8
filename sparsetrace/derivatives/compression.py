"""From calls of a vector function, one a color, to the entries of its derivative.

Contract: the columns of one color move together; an entry is recovered directly from one
product, or, with an acyclic coloring, by substitution.  Entries come in the pattern's order.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from sparsetrace.coloring import Coloring
from sparsetrace.coloring.recovery import row_ids, transposed_places
from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.methods import COMPLEX_STEP, Bounds, Steps, steps
from sparsetrace.errors import OutputError

__all__ = ["Compression", "real_numbers_refused"]

Function = Callable[[Vector], Vector]


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
        self._products = np.empty((coloring.num_colors, pattern.shape[0]))
        self._direct = coloring.kind != "acyclic"
        if self._direct:
            self._places, self._moved = self._direct_places()

    def _direct_places(self) -> tuple[Vector, Vector]:
        """For each entry its place among products of shape (colors, m), and the moved column."""
        coloring, m = self.coloring, self.coloring.pattern.shape[0]
        if coloring.kind == "columns":
            return coloring.column_colors[self.columns] * m + self.rows, self.columns
        numbers = np.arange(m * coloring.num_colors).reshape(m, coloring.num_colors)
        rows, colors = np.divmod(coloring.decompress(numbers).data, max(coloring.num_colors, 1))
        moved = np.where(rows == self.rows, self.columns, self.rows)
        places = colors * m + rows
        # both triangles are read from the same products: the result is symmetric to the last bit
        upper = self.rows < self.columns
        mirrored = transposed_places(coloring.pattern)
        return np.where(upper, places[mirrored], places), np.where(upper, moved[mirrored], moved)

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
                return self._entries(self._imaginary(function, x, stacked))
        move = steps(x, method, rel_step, bounds)
        if not self._direct and move.one_sided is not None:
            # a product holds several columns: it cannot take some of them from one side
            move = steps(x, "2-point", rel_step, bounds)
        return self._differences(function, x, move, value, stacked)

    # ----------------------------------------------------------------------------- the points
    def _imaginary(self, function: Function, x: Vector, stacked: Function | None) -> Vector:
        """The products with each color's seed: imaginary parts, divided by the step."""
        groups = self.coloring.groups
        if stacked is not None:
            points = np.repeat(x[None] + 0j, len(groups), axis=0)
            for color, group in enumerate(groups):
                points.imag[color, group] = COMPLEX_STEP
            return self._sized(stacked(points)).imag / COMPLEX_STEP
        products = self._products
        for color, group in enumerate(groups):
            point = x.astype(np.complex128)
            point.imag[group] = COMPLEX_STEP
            imaginary = self._sized(function(point)).imag
            np.multiply(imaginary, 1 / COMPLEX_STEP, out=products[color], casting="unsafe")
            del point, imaginary  # the next ones take their memory, which is in the cache
        return products

    def _moved_points(
        self, function: Function, x: Vector, moves: Vector, stacked: Function | None
    ) -> Vector:
        """The function where the columns of each color are moved, shape (colors, m)."""
        groups, m = self.coloring.groups, self.coloring.pattern.shape[0]
        if not groups:
            return np.empty((0, m))
        if stacked is not None:
            points = np.repeat(x[None], len(groups), axis=0)
            for color, group in enumerate(groups):
                points[color, group] += moves[group]
            return self._sized(stacked(points))
        results = []
        for group in groups:
            point = x.copy()
            point[group] += moves[group]
            results.append(self._sized(function(point)).copy())  # it may be given again, changed
        stack = np.stack(results)
        # whole numbers and truth values have no differences of their own kind
        return stack if stack.dtype.kind in "fc" else stack.astype(np.float64)

    def _sized(self, values: Vector) -> Vector:
        m = self.coloring.pattern.shape[0]
        if values.shape[-1] != m:
            raise OutputError(
                f"the function returned {values.shape[-1]} numbers, and the pattern has {m} rows"
            )
        return values

    # --------------------------------------------------------------------------- the entries
    def _entries(self, products: Vector) -> Vector:
        """The pattern's entries, from products of shape (colors, m)."""
        if not self._direct:
            entries: Vector = self.coloring.decompress(products.T).data
            return entries
        values = np.empty(len(self._places), dtype=products.dtype)
        if len(values):
            np.take(products.reshape(-1), self._places, out=values, mode="clip")
        return values

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
        first = self._moved_points(function, x, move.first, stacked)
        second = None
        if move.second is not None:
            second = self._moved_points(function, x, move.second, stacked)
        base = np.zeros(1) if value is None else value
        with np.errstate(divide="ignore", invalid="ignore"):
            if not self._direct:
                # rows times their own steps: the products of a matrix that is symmetric, too
                difference = first - base if second is None else (first - second) / 2
                scaled = self._entries(difference * move.first)
                scaled /= move.first[self.rows] * move.first[self.columns]
                return scaled
            moved = move.first[self._moved]
            if second is None:
                differences = self._entries(first - base)
                differences /= moved
                return differences
            differences = self._entries(first - second)
            if one_sided is not None:
                ahead = self._entries(4 * first - second - 3 * base)
                differences = np.where(one_sided[self._moved], ahead, differences)
            differences /= 2 * moved
            return differences

"""From calls of a vector function, one a color, to the entries of its derivative.

Contract: the columns of one color move together; an entry is recovered directly from one
product, or, with an acyclic coloring, by substitution.  Entries come in the pattern's order.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from sparsetrace.coloring import Coloring
from sparsetrace.coloring.recovery import row_ids, transposed_places
from sparsetrace.derivatives.flat_function import Vector
from sparsetrace.derivatives.methods import COMPLEX_STEP, Bounds, Steps, rounding_unit, steps
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
        self._groups = [group.astype(np.intp, copy=False) for group in coloring.groups]
        self._in_groups = np.concatenate([np.zeros(0, np.intp), *self._groups])
        self._ends = np.cumsum([len(group) for group in self._groups])[:-1]
        # kept, as the system takes back large arrays that are freed, and clears new ones
        self._products = np.empty((coloring.num_colors, pattern.shape[0]))
        self._second: Vector | None = None
        self._widths: Vector | None = None
        self._unit = rounding_unit(np.zeros(0))
        self._direct = coloring.kind != "acyclic"
        if self._direct:
            # other integers would be converted at each evaluation
            self._places, self._moved = (
                some.astype(np.intp, copy=False) for some in self._direct_places()
            )

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
    def _imaginary(self, function: Function, x: Vector, stacked: Function | None) -> Vector:
        """The products with each color's seed: imaginary parts, divided by the step."""
        groups, products = self._groups, self._products
        if stacked is not None:
            points = np.repeat(x[None] + 0j, len(groups), axis=0)
            for color, group in enumerate(groups):
                points.imag[color, group] = COMPLEX_STEP
            imaginary = self._sized(stacked(points)).imag
            np.multiply(imaginary, 1 / COMPLEX_STEP, out=products, casting="unsafe")
            return products
        for group, product in zip(groups, products, strict=True):
            point = x.astype(np.complex128)  # the function may keep or change it
            point.imag[group] = COMPLEX_STEP
            imaginary = self._sized(function(point)).imag
            np.multiply(imaginary, 1 / COMPLEX_STEP, out=product, casting="unsafe")
            del point, imaginary  # the next ones take their memory, which is in the cache
        return products

    def _swept(
        self,
        function: Function,
        x: Vector,
        moves: Vector,
        minus: Vector | None,
        stacked: Function | None,
        products: Vector,
    ) -> Vector:
        """Results where the columns of each color are moved, minus others; shape (colors, m).

        They are written into `products`, if its dtype is theirs.
        """
        moved = np.split((x + moves)[self._in_groups], self._ends) if self._groups else []
        if stacked is not None:
            points = np.repeat(x[None], len(moved), axis=0)
            for color, group in enumerate(self._groups):
                points[color, group] = moved[color]
            results: Iterable[Vector] = self._sized(stacked(points)) if moved else ()
        else:
            results = self._results(function, x, moved)
        for color, result in enumerate(results):
            other = False if minus is None else minus if minus.ndim == 1 else minus[color]
            # whole numbers and truth values have no differences of their own kind
            dtype = np.result_type(result, other)
            if dtype.kind not in "fc":
                dtype = np.dtype(np.float64)
            if not color:
                if products.dtype != dtype:
                    products = np.empty(products.shape, dtype)
            elif not np.can_cast(dtype, products.dtype):
                products = products.astype(np.result_type(products, dtype))
            np.subtract(result, other, out=products[color], dtype=products.dtype)
        return products

    def _results(self, function: Function, x: Vector, moved: Sequence[Vector]) -> Iterator[Vector]:
        for group, values in zip(self._groups, moved, strict=True):
            point = x.copy()  # the function may keep or change it
            point[group] = values
            yield self._sized(function(point))

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
        values: Vector = products.reshape(-1).take(self._places)
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
        ahead: tuple[Vector, Vector] | None = None
        with np.errstate(divide="ignore", invalid="ignore"):
            if move.second is None:
                assert value is not None
                products = self._swept(function, x, move.first, value, stacked, self._products)
            else:
                if self._second is None:
                    self._second = np.empty_like(self._products)
                second = self._swept(function, x, move.second, None, stacked, self._second)
                products = self._swept(function, x, move.first, second, stacked, self._products)
                if one_sided is not None:
                    # both points lie on one side: 4 f(h) - f(2h) - 3 f(0)
                    assert value is not None
                    ahead = (
                        one_sided[self._moved],
                        self._entries(4 * products + 3 * (second - value)),
                    )
            if not self._direct:
                # rows times their own steps: the products of a matrix that is symmetric, too
                scaled = self._entries(products * move.first)
                scaled /= move.first[self.rows] * move.first[self.columns]
                return scaled if move.second is None else scaled / 2
            differences = self._entries(products)
            if ahead is not None:
                differences = np.where(*ahead, differences)
            width = move.first if move.second is None else 2 * move.first
            if self._widths is None or self._widths.dtype != width.dtype:
                self._widths = np.empty(len(self._moved), width.dtype)
            if len(width):
                np.take(width, self._moved, out=self._widths, mode="clip")
            differences /= self._widths
            return differences

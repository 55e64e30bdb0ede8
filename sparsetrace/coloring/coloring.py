"""`Coloring`: colors of rows or columns, and the way from the compressed matrix back."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from sparsetrace.coloring.cliques import sorted_pattern
from sparsetrace.coloring.counting import groups_of, seeds_of, summed
from sparsetrace.coloring.first_fit import Ints
from sparsetrace.coloring.recovery import (
    Substitution,
    check_symmetric,
    direct_by_columns,
    direct_by_rows,
    row_ids,
    substitution,
    transposed_places,
)
from sparsetrace.plotting import axes_or_new

__all__ = ["KINDS", "Coloring"]

KINDS = ("columns", "rows", "bidirectional", "star", "acyclic")
_SYMMETRIC = ("star", "acyclic")
_NO_COLORS = np.zeros(0, dtype=np.intp)


class Coloring:
    """Groups of columns or rows of a sparse matrix that one product evaluates together.

    Parameters
    ----------
    pattern : sparse array, array_like
        Shape (m, n); the stored entries of a sparse array, the nonzeros of a dense one.
    kind : {"columns", "rows", "bidirectional", "star", "acyclic"}
        How the matrix is recovered: from products with columns, with rows, with both; of a
        symmetric matrix directly or by substitution, from products with columns.
    column_colors : array_like of int, optional
        Shape (n,), from 0 on; -1 for columns in no product.  For every kind but ``"rows"``.
    row_colors : array_like of int, optional
        Shape (m,), likewise, for ``"rows"`` and ``"bidirectional"``.

    Raises
    ------
    ValueError
        If a shape does not fit.  Whether the matrix can be recovered is checked by `verify`, and
        before the first `decompress`.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsetrace.coloring import Coloring
    >>> matrix = np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0]])
    >>> coloring = Coloring(matrix, "columns", [0, 1, 0])
    >>> coloring
    Coloring of columns: 2 x 3, 4 entries, 2 colors
    >>> coloring.compress(matrix)
    array([[1., 2.],
           [4., 3.]])
    >>> coloring.decompress(coloring.compress(matrix)).toarray()
    array([[1., 2., 0.],
           [0., 3., 4.]])
    """

    pattern: csr_array
    """The pattern, bool, in rows with sorted columns."""
    kind: str
    column_colors: Ints
    """Shape (n,), -1 where a column is in no product; empty for ``"rows"``."""
    row_colors: Ints
    """Shape (m,), likewise; empty but for ``"rows"`` and ``"bidirectional"``."""
    num_column_colors: int
    num_row_colors: int

    def __init__(
        self,
        pattern: object,
        kind: str,
        column_colors: ArrayLike | None = None,
        row_colors: ArrayLike | None = None,
    ) -> None:
        if kind not in KINDS:
            raise ValueError(f"kind={kind!r} is none of {', '.join(KINDS)}")
        self.pattern = sorted_pattern(pattern)
        if issparse(pattern):  # which others may change
            self.pattern = self.pattern.copy()
        self.kind = kind
        rows, columns = self.pattern.shape
        self.column_colors = _checked("column_colors", column_colors, columns, kind != "rows")
        with_rows = kind in ("rows", "bidirectional")
        self.row_colors = _checked("row_colors", row_colors, rows, with_rows)
        self.num_column_colors = int(self.column_colors.max(initial=-1)) + 1
        self.num_row_colors = int(self.row_colors.max(initial=-1)) + 1

    def verify(self) -> None:
        """Check that every entry is recovered.

        Raises
        ------
        ValueError
            With the first entry that these colors do not recover; if the coloring is a star or
            acyclic one, also if the pattern is not symmetric.

        Examples
        --------
        >>> from sparsetrace.coloring import Coloring
        >>> Coloring([[1, 1], [0, 1]], "columns", [0, 0]).verify()
        Traceback (most recent call last):
        ValueError: these colors do not recover entry (0, 0)
        """
        self._recovery  # noqa: B018

    @property
    def num_colors(self) -> int:
        """Products that the matrix is recovered from."""
        return self.num_column_colors + self.num_row_colors

    @property
    def colors(self) -> Any:
        """The colors of columns or rows; of both, as a pair, if the kind is bidirectional."""
        if self.kind == "bidirectional":
            return self.column_colors, self.row_colors
        return self.row_colors if self.kind == "rows" else self.column_colors

    @cached_property
    def groups(self) -> Any:
        """The columns or rows of each color, a list of arrays; a pair if bidirectional."""
        columns = groups_of(self.column_colors, self.num_column_colors)
        rows = groups_of(self.row_colors, self.num_row_colors)
        if self.kind == "bidirectional":
            return columns, rows
        return rows if self.kind == "rows" else columns

    @property
    def seeds(self) -> Any:
        """One vector a color: shape (n, colors), for rows (m, colors); a pair if bidirectional."""
        columns = seeds_of(self.column_colors, self.num_column_colors)
        rows = seeds_of(self.row_colors, self.num_row_colors)
        if self.kind == "bidirectional":
            return columns, rows
        return rows if self.kind == "rows" else columns

    @property
    def places(self) -> Ints:
        """Of each entry the place of its value among all products, in one dimension.

        Raises
        ------
        ValueError
            If values are recovered by substitution, or not at all.

        Examples
        --------
        >>> from sparsetrace.coloring import Coloring
        >>> Coloring([[1, 1, 0], [0, 1, 1]], "columns", [0, 1, 0]).places
        array([0, 1, 3, 2])
        """
        if isinstance(self._recovery, Substitution):
            raise ValueError("of an acyclic coloring an entry is in several products")
        return self._recovery.copy()

    def compress(self, matrix: Any) -> Any:
        """The products of a matrix with the vectors of all colors.

        Parameters
        ----------
        matrix : array_like or sparse array
            Shape (m, n).

        Returns
        -------
        ndarray or pair of ndarray
            Shape (m, colors) from columns, (colors, n) from rows; both, in this order, if the
            kind is bidirectional.

        Raises
        ------
        ValueError
            If the shape is not that of the pattern.
        """
        if not issparse(matrix):
            matrix = np.asarray(matrix)
        if matrix.shape != self.pattern.shape:
            raise ValueError(f"the matrix is {matrix.shape}, the pattern {self.pattern.shape}")
        products = []
        if self.kind != "rows":
            products.append(summed(matrix, self.column_colors, self.num_column_colors))
        if self.kind in ("rows", "bidirectional"):
            products.append(summed(matrix.T, self.row_colors, self.num_row_colors).T)
        return products[0] if len(products) == 1 else tuple(products)

    def decompress(self, compressed: Any, out: Any = None) -> Any:
        """The matrix, from its products.

        Parameters
        ----------
        compressed : array_like, or pair of array_like
            What `compress` gives; real or complex.
        out : ndarray or csr_array, optional
            Where to write the values: an array of shape (nnz,), in the order of the pattern's
            entries, or a csr_array with the pattern's entries.

        Returns
        -------
        csr_array
            With every entry of the pattern, also those that are zero; `out` if it is given.

        Raises
        ------
        ValueError
            If a shape does not fit, or `out` cannot hold such numbers.
        """
        products = self._flat(compressed)
        if out is None:
            values = np.empty(self.pattern.nnz, dtype=products.dtype)
        else:
            values = out.data if issparse(out) else out
            if issparse(out) and not self._has_entries_of(out):
                raise ValueError("out has other entries than the pattern, or in another order")
            if values.shape != (self.pattern.nnz,):
                raise ValueError(f"out has shape {values.shape}, not ({self.pattern.nnz},)")
            if not np.can_cast(products.dtype, values.dtype, "same_kind"):
                raise ValueError(f"out holds {values.dtype}, and the values are {products.dtype}")
        self._fill(products, values)
        if out is not None:
            return out
        # the arrays of indices are the pattern's own: a change of the one would be of the other
        entries = (values, self.pattern.indices.copy(), self.pattern.indptr.copy())
        result = csr_array(entries, shape=self.pattern.shape)
        result.has_canonical_format = True
        return result

    def _has_entries_of(self, matrix: Any) -> bool:
        """Whether a sparse array stores the pattern's entries, in its order."""
        return (
            matrix.format == "csr"
            and matrix.shape == self.pattern.shape
            and np.array_equal(matrix.indptr, self.pattern.indptr)
            and np.array_equal(matrix.indices, self.pattern.indices)
        )

    def _fill(self, products: NDArray[Any], values: NDArray[Any]) -> None:
        places = self._recovery
        if not isinstance(places, Substitution):
            if values.dtype == products.dtype and values.flags.c_contiguous:
                np.take(products, places, out=values, mode="clip")
            else:
                values[...] = products[places]
            return
        edges = places.solve(products[places.places])
        values[places.off_diagonal] = edges[places.edges]
        diagonal = np.flatnonzero(~places.off_diagonal)
        vertices = self.pattern.indices[diagonal]
        values[diagonal] = products[vertices * self.num_colors + self.column_colors[vertices]]

    def _flat(self, compressed: Any) -> NDArray[Any]:
        """All products in one dimension."""
        rows, columns = self.pattern.shape
        shapes = []
        if self.kind != "rows":
            shapes.append((rows, self.num_column_colors))
        if self.kind in ("rows", "bidirectional"):
            shapes.append((self.num_row_colors, columns))
        given = compressed if len(shapes) == 2 else (compressed,)
        if len(given) != len(shapes):
            raise ValueError("the products of a bidirectional coloring are a pair")
        arrays = [np.asarray(array) for array in given]
        for array, shape in zip(arrays, shapes, strict=True):
            if array.shape != shape:
                raise ValueError(f"the compressed matrix has shape {array.shape}, not {shape}")
        flat = [array.reshape(-1) for array in arrays]
        return flat[0] if len(flat) == 1 else np.concatenate(flat)

    @cached_property
    def _recovery(self) -> Ints | Substitution:
        """For each entry the place of its value among all products, or how values follow."""
        pattern, rows = self.pattern, row_ids(self.pattern)
        height, width = pattern.shape
        if self.kind in _SYMMETRIC:
            check_symmetric(pattern)
        if self.kind == "acyclic":
            result = substitution(pattern, self.column_colors, self.num_colors)
            if result is None:
                raise ValueError(
                    "these colors are not acyclic: a vertex has no color, neighbors have the "
                    "same, or a cycle has two"
                )
            return result
        column_colors, alone = direct_by_columns(pattern, self.column_colors, self.kind)
        places = rows * self.num_column_colors + column_colors
        if self.kind == "star":
            mirrored = transposed_places(pattern)
            places = np.where(alone, places, places[mirrored])
            alone = alone | alone[mirrored]
        elif self.kind != "columns":
            row_colors, alone_rows = direct_by_rows(pattern, self.row_colors)
            offset = height * self.num_column_colors
            places = np.where(alone, places, offset + row_colors * width + pattern.indices)
            alone = alone | alone_rows
        if not alone.all():
            entry = int(np.argmin(alone))
            raise ValueError(
                f"these colors do not recover entry ({rows[entry]}, {pattern.indices[entry]})"
            )
        return places

    def __repr__(self) -> str:
        rows, columns = self.pattern.shape
        name = {"columns": "Coloring of columns", "rows": "Coloring of rows"}.get(
            self.kind, f"{self.kind.capitalize()} coloring"
        )
        colors = f"{self.num_colors} color{'' if self.num_colors == 1 else 's'}"
        if self.kind == "bidirectional":
            colors += f" ({self.num_column_colors} of columns, {self.num_row_colors} of rows)"
        entries = f"{self.pattern.nnz} {'entry' if self.pattern.nnz == 1 else 'entries'}"
        return f"{name}: {rows} x {columns}, {entries}, {colors}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write pattern and colors to a ``.npz`` file.

        Parameters
        ----------
        path : str or path
            The file; ``.npz`` is added if it ends differently.
        """
        np.savez_compressed(
            _npz(path),
            kind=np.array(self.kind),
            shape=np.array(self.pattern.shape),
            indptr=self.pattern.indptr,
            indices=self.pattern.indices,
            column_colors=self.column_colors,
            row_colors=self.row_colors,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote, and check it.

        Raises
        ------
        OSError
            If there is no such file.
        ValueError
            If the file holds no coloring, or one that does not recover its pattern.
        """
        with np.load(_npz(path)) as file:
            missing = {"kind", "shape", "indptr", "indices"} - set(file.files)
            if missing:
                raise ValueError(f"{path} holds no coloring: it has no {', '.join(missing)}")
            indices, indptr = file["indices"], file["indptr"]
            pattern = csr_array(
                (np.ones(len(indices), dtype=np.bool_), indices, indptr), shape=tuple(file["shape"])
            )
            kind = str(file["kind"])
            columns = None if kind == "rows" else file["column_colors"]
            rows = file["row_colors"] if kind in ("rows", "bidirectional") else None
            coloring = cls(pattern, kind, columns, rows)
        coloring.verify()
        return coloring

    def spy(self, ax: Any = None, **kwargs: Any) -> Any:
        """Plot the entries with matplotlib, each in the color that it is recovered from.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to plot; new axes by default.
        **kwargs
            Passed on to `matplotlib.axes.Axes.scatter`.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ImportError
            If `ax` is not given and matplotlib is not installed.
        """
        ax = axes_or_new(ax, "Coloring.spy")
        rows, columns = row_ids(self.pattern), self.pattern.indices
        shown = {"c": self._color_of_entries(), "cmap": "tab20", "marker": "s", "s": 12} | kwargs
        ax.scatter(columns, rows, **shown)
        ax.set(
            xlim=(-0.5, self.pattern.shape[1] - 0.5),
            ylim=(self.pattern.shape[0] - 0.5, -0.5),
            aspect="equal",
            title=f"{self.num_colors} colors",
        )
        return ax

    def _color_of_entries(self) -> Ints:
        """The product that each entry is recovered from; of rows after those of columns."""
        rows, columns = self.pattern.shape
        recovery = self._recovery
        if isinstance(recovery, Substitution):
            by_column: Ints = self.column_colors[self.pattern.indices]
            return by_column
        offset = rows * self.num_column_colors
        from_columns = recovery % max(self.num_column_colors, 1)
        from_rows = self.num_column_colors + (recovery - offset) // max(columns, 1)
        return np.where(recovery < offset, from_columns, from_rows)


def _checked(name: str, colors: ArrayLike | None, size: int, wanted: bool) -> Ints:
    if not wanted:
        if colors is not None:
            raise ValueError(f"this kind of coloring takes no {name}")
        return _NO_COLORS
    if colors is None:
        raise ValueError(f"this kind of coloring needs {name}")
    array = np.asarray(colors)
    if array.shape != (size,):
        raise ValueError(f"{name} has shape {array.shape}, not ({size},)")
    if size and not (np.issubdtype(array.dtype, np.integer) and array.min() >= -1):
        raise ValueError(f"{name} are whole numbers from 0 on, or -1 for none")
    return array.astype(np.intp)


def _npz(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    return name if name.endswith(".npz") else f"{name}.npz"

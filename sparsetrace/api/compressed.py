"""`CompressedPattern`: a pattern with too many entries to be written out.

Contract: it is a `SparsityPattern`, with the same names; its rows are intervals of columns, and
rows that are equal by construction share them.  Counts, rows, parts and set operations work as in
any other.  What needs all the entries (`indices`, and so whatever SciPy computes, colorings,
`spy`, `save`) raises a `GraphSizeError` that says how many there are, and names `tocsr`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from sparsetrace.api.braille import dots_of, drawn
from sparsetrace.api.leaves import Leaf
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.propagation.jacobian import narrow
from sparsetrace.propagation.jacobian_stores.expand import gather_rows
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows, compared
from sparsetrace.propagation.jacobian_stores.sizes import at_most, fits, too_large
from sparsetrace.propagation.jacobian_stores.tables import distinct

__all__ = ["CompressedPattern", "Found", "pattern_of"]

_REMEDY = (
    "Ask for row(i), row_counts(), column_counts() or a part, pattern[a:b]; call tocsr() where all "
    "of them fit into memory; or trace a smaller problem of the same structure. A value that "
    "depends on every input (a mean, a norm) makes each row that uses it dense: make it an "
    "argument of its own, f(x, m) with m = x.mean() passed in"
)


Found = tuple[NDArray[Any], NDArray[Any]] | IntervalRows
"""The rows of a pattern: two index arrays as in a csr_array, or what stays compressed."""


class CompressedPattern(SparsityPattern):
    """A sparsity pattern whose entries are more than `max_entries`, and are not written out.

    Detection gives it in place of a `SparsityPattern`, of which it is a kind.

    Raises
    ------
    GraphSizeError
        By whatever needs all the entries; it says how many there are.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> pattern = st.jacobian_sparsity(lambda x: x - x.mean(), np.ones(1_000_000))
    >>> pattern
    CompressedPattern: 1000000 x 1000000, 1000000000000 entries (100 %)
    >>> pattern.is_dense, pattern.row(3).size, bool(pattern[5, 7])
    (True, 1000000, True)
    >>> pattern[:2, 10:14]
    SparsityPattern: 2 x 4, 8 entries (100 %)
    >>> try:
    ...     pattern.tocsr()
    ... except st.GraphSizeError as error:
    ...     print(str(error)[:47])
    the pattern has 1,000,000,000,000 entries (3725
    """

    _rows: IntervalRows

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise TypeError("a CompressedPattern is made by detection; make a SparsityPattern instead")

    @classmethod
    def of_rows(
        cls,
        rows: IntervalRows,
        *,
        remarks: Sequence[tuple[str, ...]] = ((), ()),
        row_leaves: tuple[Leaf, ...] = (),
        column_leaves: tuple[Leaf, ...] = (),
    ) -> Self:
        """The pattern of these rows; the rest as in `SparsityPattern.from_csr_parts`.

        Examples
        --------
        >>> import numpy as np
        >>> rows = IntervalRows.of_csr(2, np.array([0, 2, 3]), np.array([0, 1, 1]))
        >>> CompressedPattern.of_rows(rows)
        CompressedPattern: 2 x 2, 3 entries (75 %)
        """
        pattern = cls.__new__(cls)
        pattern.__dict__.update(
            SparsityPattern([[True]]).__dict__, _shape=(len(rows.places), rows.n), _rows=rows
        )
        for name in ("indptr", "indices", "data"):
            del pattern.__dict__[name]
        if any(remarks):
            pattern.left_out, pattern.taken_whole = remarks
        pattern.row_leaves, pattern.column_leaves = row_leaves, column_leaves
        return pattern

    # ------------------------------------------------- what needs the entries, and what does not
    def _refuse(self) -> NoReturn:
        raise too_large(self.nnz, "and they are not written out", _REMEDY)

    @property
    def indices(self) -> NDArray[Any]:  # type: ignore[override]
        """Refused: see `row` and `tocsr`.

        Raises
        ------
        GraphSizeError
            Always.
        """
        self._refuse()

    @property
    def data(self) -> NDArray[np.bool_]:  # type: ignore[override]
        """Refused likewise."""
        self._refuse()

    @property
    def indptr(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Where the entries of each row would begin."""
        bounds = np.zeros(self.shape[0] + 1, np.int64)
        np.cumsum(self.row_counts(), out=bounds[1:])
        return bounds

    @property
    def nnz(self) -> int:  # type: ignore[override]
        """How many entries there are."""
        return self._rows.nnz

    def row(self, i: int) -> NDArray[Any]:
        return self._rows.row(self._checked_row(i))

    def row_counts(self) -> NDArray[np.int64]:
        return self._rows.row_counts()

    def column_counts(self) -> NDArray[np.int64]:
        return self._rows.column_counts()

    def tocsr(self, copy: bool = False) -> SparsityPattern:
        """The same pattern with its entries written out.

        Raises
        ------
        GraphSizeError
            If they do not fit into memory.

        Examples
        --------
        >>> import numpy as np
        >>> import sparsetrace as st
        >>> st.jacobian_sparsity(np.cumsum, np.ones(4), max_entries=5).tocsr()
        SparsityPattern: 4 x 4, 10 entries (62.5 %)
        """
        count = self.nnz
        with at_most(np.inf):
            # of four bytes; as many of a truth value, and of eight bytes if there are very many
            if not fits(2 * count if count <= np.iinfo(np.int32).max else 5 * count):
                raise too_large(count, "more than fit into memory", _REMEDY)
        return SparsityPattern.from_csr_parts(
            *narrow(*self._rows.csr()),
            self.shape,
            remarks=(self.left_out, self.taken_whole),
            row_leaves=self.row_leaves,
            column_leaves=self.column_leaves,
        )

    def copy(self) -> Self:
        """The same rows: nothing changes them."""
        return self.of_rows(
            self._rows, row_leaves=self.row_leaves, column_leaves=self.column_leaves
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._rows, self.row_leaves, self.column_leaves)

    # ------------------------------------------------------------------------------------ parts
    def __getitem__(self, key: object) -> Any:
        """As of any pattern; a part with too many entries is compressed, if it is of slices."""
        of_rows, of_columns = _split(key)
        columns = of_columns
        chosen = np.arange(self.shape[0])[of_rows]
        distinct, place = np.unique(chosen, return_inverse=True)
        part = self._rows.chosen(distinct)
        if isinstance(columns, slice) and columns.step in (None, 1):
            low, high, _ = columns.indices(part.n)
            part, columns = part.between(low, high), slice(None)
        elif isinstance(columns, int) and -part.n <= columns < part.n:
            part, columns = part.between(columns % part.n, columns % part.n + 1), 0
        if not fits(part.nnz):
            if not (isinstance(columns, slice) and columns == slice(None) and chosen.ndim):
                raise too_large(part.nnz, "and they are not written out", _REMEDY)
            return CompressedPattern.of_rows(part.chosen(place.reshape(-1)))
        written = SparsityPattern.from_csr_parts(*narrow(*part.csr()), (len(distinct), part.n))
        if isinstance(of_rows, slice):
            at: Any = slice(None, None, -1 if (of_rows.step or 1) < 0 else 1)
        else:
            at = place.reshape(chosen.shape) if chosen.ndim else int(place.reshape(()))
        return written[at, columns]

    # --------------------------------------------------------------------------- sets of entries
    def _of_both(self, other: object, chosen: np.ufunc) -> Any:
        return self._compared(other, chosen, reflected=False)

    def _compared(self, other: object, chosen: np.ufunc, *, reflected: bool) -> Any:
        if not isinstance(other, SparsityPattern):
            try:
                other = SparsityPattern(other)
            except (TypeError, ValueError):
                return NotImplemented
        if self.shape != other.shape:
            raise ValueError(f"patterns of shapes {self.shape} and {other.shape}")
        sides = self._rows, _rows_of(other)
        rows = compared(*(sides[::-1] if reflected else sides), chosen)
        leaves = {"row_leaves": self.row_leaves, "column_leaves": self.column_leaves}
        return pattern_of(narrow(*rows.csr()) if fits(rows.nnz) else rows, self.shape, **leaves)

    # Python asks these first where the left operand is a `SparsityPattern`.
    def __ror__(self, other: object) -> Any:
        return self._of_both(other, np.logical_or)

    def __rand__(self, other: object) -> Any:
        return self._of_both(other, np.logical_and)

    def __rsub__(self, other: object) -> Any:
        if isinstance(other, SparsityPattern):
            return self._compared(other, np.greater, reflected=True)
        return super().__rsub__(other)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, SparsityPattern):
            return super().__eq__(other)
        return self.shape == other.shape and not self._of_both(other, np.logical_xor)

    __hash__ = None

    def __str__(self) -> str:
        if 0 in self.shape:
            return repr(self)
        return f"{self!r}\n{drawn(_dots(self._rows, dots_of(self.shape)))}"


def pattern_of(found: Found, shape: tuple[int, int], **told: Any) -> SparsityPattern:
    """The result of a detection, as a pattern of either kind.

    Parameters
    ----------
    found : tuple of ndarray, or IntervalRows
        CSR index arrays, or rows that are not written out.
    shape : tuple of int
    **told
        Remarks and leaves, as `SparsityPattern.from_csr_parts` takes them.

    Examples
    --------
    >>> import numpy as np
    >>> pattern_of((np.array([0, 2]), np.array([0, 1])), (1, 2))
    SparsityPattern: 1 x 2, 2 entries (100 %)
    """
    if isinstance(found, IntervalRows):
        return CompressedPattern.of_rows(found, **told)
    return SparsityPattern.from_csr_parts(*found, shape, **told)


def _again(
    rows: IntervalRows, row_leaves: tuple[Leaf, ...], column_leaves: tuple[Leaf, ...]
) -> CompressedPattern:
    return CompressedPattern.of_rows(rows, row_leaves=row_leaves, column_leaves=column_leaves)


def _rows_of(pattern: SparsityPattern) -> IntervalRows:
    if isinstance(pattern, CompressedPattern):
        return pattern._rows
    return IntervalRows.of_csr(pattern.shape[1], pattern.indptr, pattern.indices)


def _split(key: object) -> tuple[Any, Any]:
    """What is asked of the rows, and of the columns."""
    pair = list(key) if isinstance(key, tuple) else [key]
    given = [part for part in pair if part is not Ellipsis]
    if len(given) > 2:
        raise IndexError("a pattern has two dimensions")
    place = next((i for i, part in enumerate(pair) if part is Ellipsis), len(given))
    given[place:place] = [slice(None)] * (2 - len(given))
    sides: list[Any] = []
    for part in given:
        if isinstance(part, slice):
            sides.append(part)
        else:
            array = np.asarray(part)
            if array.ndim > 1 and array.dtype == bool:
                raise IndexError("a CompressedPattern takes no matrix of truth values as an index")
            sides.append(array if array.ndim else operator.index(array))
    return sides[0], sides[1]


def _dots(rows: IntervalRows, dots: tuple[int, int]) -> NDArray[np.bool_]:
    """Which blocks of the matrix, cut into a grid of `dots`, hold an entry."""
    high, wide = dots
    of_row = np.arange(len(rows.places)) * high // len(rows.places)
    shown = distinct(of_row * np.int64(len(rows.bounds)) + rows.places, high * len(rows.bounds))
    at, counts = gather_rows(rows.bounds, shown % len(rows.bounds))
    base = np.repeat(shown // len(rows.bounds), counts) * (wide + 1)
    first = rows.starts[at].astype(np.int64) * wide // rows.n
    behind = (rows.stops[at].astype(np.int64) - 1) * wide // rows.n + 1
    changes = np.bincount(base + first, minlength=high * (wide + 1))
    changes -= np.bincount(base + behind, minlength=high * (wide + 1))
    covered: NDArray[np.bool_] = np.cumsum(changes.reshape(high, wide + 1), axis=1)[:, :wide] > 0
    return covered

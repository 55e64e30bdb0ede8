"""`SparsityPattern`: the result, a Boolean sparse array that prints itself.

Contract: a `SparsityPattern` is two-dimensional, of dtype bool, all of its stored
values are true, and each row's indices are sorted without duplicates.  Every
operation that SciPy computes from it gives a plain `scipy.sparse.csr_array` (or
what SciPy gives), because a sum or a product is no pattern; `copy`, indexing,
`copy.copy`, pickle and what is done with patterns as sets of entries (``|``, ``&``, ``-`` of two
patterns, `tril`, `triu`, `block`) give patterns again.  It is not assigned to in place.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import csr_array, load_npz, save_npz

from sparsetrace.api.braille import braille
from sparsetrace.api.counts import Counts
from sparsetrace.api.leaves import Element, Leaf, element_of, leaf_named
from sparsetrace.plotting import axes_or_new

__all__ = ["SparsityPattern"]


def _attributes() -> dict[str, Any]:
    """What SciPy's constructor stores, for a canonical array: the same for all of them."""
    template = csr_array((1, 1), dtype=np.bool_)
    template.has_canonical_format = True
    return {
        name: value
        for name, value in vars(template).items()
        if name not in ("_shape", "data", "indices", "indptr")
    }


class SparsityPattern(Counts, csr_array):  # type: ignore[misc]  # SciPy has no type information
    """The sparsity pattern of a Jacobian: which entries may differ from zero.

    A `scipy.sparse.csr_array` of bool; SciPy takes it wherever it takes a sparse
    array (``jac_sparsity=`` of `scipy.optimize.least_squares` and
    `scipy.integrate.solve_ivp`, `scipy.sparse.csgraph`, arithmetic, ...).

    Parameters
    ----------
    arg1 : sparse array or matrix, array_like, tuple
        Whatever `scipy.sparse.csr_array` takes.  Stored values that differ from
        zero become the entries; of duplicates one such value suffices.
    shape : tuple of int, optional
        Rows and columns, where `arg1` does not tell.
    dtype : dtype, optional
        For compatibility with SciPy: bool is the only possible one.
    copy : bool, optional
        Copy the index arrays even if they could be shared.

    Attributes
    ----------
    left_out : tuple of str
        One line for each decision path that the traced function left by an error of its
        own (``if x[0] < 0: raise ValueError``, an empty list on one side of a branch): the
        error and its place; or on which another number of values comes out than for the given
        arguments.
        The pattern does not hold for inputs that take these paths.
        Copies, parts and what is computed from the pattern have none.
    taken_whole : tuple of str
        One line for each function of which some calls had more paths than were run: what they
        returned is taken to depend on all that they could reach, which may be more than it does.
        And one for a function that finds a number by halving an interval: constant on each path,
        it is taken to depend on what is compared.  And one for a compiled function, at a point:
        what it gives and writes is taken to depend on all of its arguments.
    row_leaves, column_leaves : tuple of Leaf
        The arrays and numbers that the traced function returned, or was given, and which rows
        or columns each has.  Empty where the pattern is no result of a trace, or a part of one.

    Raises
    ------
    ValueError
        If the pattern is not two-dimensional, or `dtype` is not bool.

    Examples
    --------
    >>> import numpy as np
    >>> pattern = SparsityPattern(np.eye(4) + np.eye(4, k=1))
    >>> pattern
    SparsityPattern: 4 x 4, 7 entries (43.8 %)
    >>> print(pattern)
    SparsityPattern: 4 x 4, 7 entries (43.8 %)
    ┌──┐
    │⠙⢦│
    └──┘

    What SciPy computes from it is a plain array; calling the class makes a pattern
    of that again:

    >>> square = pattern @ pattern
    >>> type(square).__name__
    'csr_array'
    >>> SparsityPattern(square)
    SparsityPattern: 4 x 4, 9 entries (56.2 %)
    """

    data: NDArray[np.bool_]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    shape: tuple[int, int]
    has_canonical_format: bool
    left_out: tuple[str, ...] = ()
    taken_whole: tuple[str, ...] = ()
    row_leaves: tuple[Leaf, ...] = ()
    column_leaves: tuple[Leaf, ...] = ()

    def __init__(
        self,
        arg1: object,
        shape: tuple[int, int] | None = None,
        dtype: DTypeLike | None = None,
        copy: bool = False,
    ) -> None:
        if dtype is not None and np.dtype(dtype) != np.bool_:
            raise ValueError(f"the dtype of a sparsity pattern is bool, not {np.dtype(dtype)}")
        super().__init__(arg1, shape=shape, copy=copy)
        if len(self.shape) != 2:
            raise ValueError(f"a sparsity pattern has two dimensions, not {len(self.shape)}")
        if not (self.has_canonical_format and self.data.all()):
            # SciPy would sort and prune the arrays in place: they may be the caller's.
            entries = csr_array(
                (self.data != 0, self.indices.copy(), self.indptr.copy()), shape=self.shape
            )
            entries.sum_duplicates()
            entries.eliminate_zeros()
            self.indptr, self.indices, self.data = entries.indptr, entries.indices, entries.data
            self.has_canonical_format = True
        if self.data.dtype != np.bool_:
            self.data = np.ones(len(self.indices), dtype=np.bool_)

    @classmethod
    def from_csr_parts(
        cls,
        indptr: NDArray[Any],
        indices: NDArray[Any],
        shape: tuple[int, int],
        *,
        remarks: Sequence[tuple[str, ...]] = ((), ()),
        row_leaves: tuple[Leaf, ...] = (),
        column_leaves: tuple[Leaf, ...] = (),
    ) -> Self:
        """Wrap index arrays without checking or copying them.

        Parameters
        ----------
        indptr, indices : array of int32 or int64
            Compressed sparse rows.  The caller vouches that ``indptr`` rises from 0
            to ``len(indices)`` and has ``shape[0] + 1`` elements, and that each row's
            indices are below ``shape[1]``, sorted and without duplicates.
        shape : tuple of int
            Rows and columns.
        remarks : sequence of two tuples of str, optional
            What `left_out` and `taken_whole` shall say.
        row_leaves, column_leaves : tuple of Leaf, optional
            Of the function that was traced.

        Returns
        -------
        SparsityPattern
            It shares the index arrays.

        Examples
        --------
        >>> import numpy as np
        >>> SparsityPattern.from_csr_parts(np.array([0, 2, 3]), np.array([0, 1, 1]), (2, 2))
        SparsityPattern: 2 x 2, 3 entries (75 %)
        """
        if indptr.dtype != indices.dtype:
            # SciPy's compiled routines would convert, and so copy, at every call.
            dtype = np.result_type(indptr, indices)
            indptr, indices = indptr.astype(dtype, copy=False), indices.astype(dtype, copy=False)
        data = np.empty(len(indices), dtype=np.bool_)
        data.fill(True)
        pattern = cls.__new__(cls)
        attributes = pattern.__dict__
        attributes.update(_ATTRIBUTES, _shape=shape, data=data, indices=indices, indptr=indptr)
        if any(remarks):
            attributes["left_out"], attributes["taken_whole"] = remarks
        if row_leaves or column_leaves:
            attributes["row_leaves"], attributes["column_leaves"] = row_leaves, column_leaves
        return pattern

    @property  # type: ignore[misc]  # read-only
    def __class__(self) -> Any:
        """SciPy builds every result as ``self.__class__(...)``; results are no patterns."""
        return csr_array

    def __repr__(self) -> str:
        rows, columns = self.shape
        noun = "entry" if self.nnz == 1 else "entries"
        percent = f"{100 * self.density:.3g} %"
        return f"{type(self).__name__}: {rows} x {columns}, {self.nnz} {noun} ({percent})"

    def __str__(self) -> str:
        picture = braille(self.indptr, self.indices, self.shape)
        return f"{self!r}\n{picture}" if picture else repr(self)

    def __getitem__(self, key: object) -> Any:
        if isinstance(key, tuple) and len(key) == 2 and np.ndim(key[0]) == 1:
            rows, columns = key
            if isinstance(columns, slice) and columns.step not in (None, 1):
                return self[rows][:, columns]  # SciPy reads other elements, or beyond the arrays
        selection = super().__getitem__(key)
        if type(selection) is csr_array and len(selection.shape) == 2:
            return type(self)(selection)
        return selection

    def __setitem__(self, key: object, value: object) -> NoReturn:
        raise TypeError(
            "a SparsityPattern does not support assignment: change the plain array"
            " scipy.sparse.csr_array(pattern, copy=True) instead"
        )

    def setdiag(self, values: ArrayLike, k: int = 0) -> NoReturn:
        """Refused, like every assignment.

        Raises
        ------
        TypeError
            Always.

        Examples
        --------
        >>> SparsityPattern([[1, 0]]).setdiag(1)
        Traceback (most recent call last):
        TypeError: ...
        """
        self[k] = values

    # Without these Python computes the operator and rebinds the name: `p *= 2` is `p = p * 2`.
    def __imul__(self, other: object) -> Any:
        return NotImplemented

    def __itruediv__(self, other: object) -> Any:
        return NotImplemented

    def copy(self) -> Self:
        """A pattern with index arrays of its own.

        Examples
        --------
        >>> SparsityPattern([[1, 0]]).copy()
        SparsityPattern: 1 x 2, 1 entry (50 %)
        """
        return self._with_leaves(self.indptr.copy(), self.indices.copy())

    def _with_leaves(self, indptr: NDArray[Any], indices: NDArray[Any]) -> Self:
        """A pattern of the same rows and columns."""
        return self.from_csr_parts(
            indptr,
            indices,
            self.shape,
            row_leaves=self.row_leaves,
            column_leaves=self.column_leaves,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        leaves = {"row_leaves": self.row_leaves, "column_leaves": self.column_leaves}
        return (
            type(self).from_csr_parts,
            (self.indptr, self.indices, self.shape),
            {name: value for name, value in leaves.items() if value} or None,
        )

    # ----------------------------------------------------------------- sets of entries
    def __or__(self, other: object) -> Any:
        """Entries of either pattern, or of what becomes one of the same shape."""
        return self._of_both(other, np.logical_or)

    def __and__(self, other: object) -> Any:
        """Entries of both."""
        return self._of_both(other, np.logical_and)

    __ror__, __rand__ = __or__, __and__

    def __sub__(self, other: object) -> Any:
        """Entries of the first pattern alone; what is no pattern, SciPy subtracts."""
        if isinstance(other, SparsityPattern):
            return self._of_both(other, np.greater)
        return super().__sub__(other)

    def __eq__(self, other: object) -> Any:
        """Whether two patterns have the same shape and entries; others SciPy compares."""
        if not isinstance(other, SparsityPattern):
            return super().__eq__(other)
        return (
            self.shape == other.shape
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
        )

    def __ne__(self, other: object) -> Any:
        """The entries that one of two patterns has alone; others SciPy compares."""
        if not isinstance(other, SparsityPattern):
            return super().__ne__(other)
        return self.shape != other.shape or self._of_both(other, np.logical_xor)

    def __bool__(self) -> bool:
        """Whether there are entries, as in other sets."""
        return bool(self.nnz)

    __hash__ = None  # type: ignore[assignment]

    def _of_both(self, other: object, chosen: np.ufunc) -> Any:
        """The entries that a comparison of two truth values chooses."""
        if not isinstance(other, SparsityPattern):
            try:
                other = SparsityPattern(other)
            except (TypeError, ValueError):
                return NotImplemented
        if self.shape != other.shape:
            raise ValueError(f"patterns of shapes {self.shape} and {other.shape}")
        counts = csr_array(self).astype(np.int8) + 2 * csr_array(other).astype(np.int8)
        counts.sort_indices()
        counts.data = chosen(counts.data & 1, counts.data & 2 > 0)
        counts.eliminate_zeros()
        return self._with_leaves(counts.indptr, counts.indices)

    def tril(self, k: int = 0) -> SparsityPattern:
        """Entries on and below the k-th diagonal.

        Examples
        --------
        >>> SparsityPattern([[1, 1], [1, 1]]).tril(-1)
        SparsityPattern: 2 x 2, 1 entry (25 %)
        """
        rows, columns = self.coords()
        return self._chosen(columns <= rows + k)

    def triu(self, k: int = 0) -> SparsityPattern:
        """Entries on and above the k-th diagonal, such as the half that OSQP takes.

        Examples
        --------
        >>> SparsityPattern([[1, 1], [1, 1]]).triu().toarray().astype(int)
        array([[1, 1],
               [0, 1]])
        """
        rows, columns = self.coords()
        return self._chosen(columns >= rows + k)

    def _chosen(self, chosen: NDArray[np.bool_]) -> SparsityPattern:
        before = np.concatenate([[0], np.cumsum(chosen)])
        indptr = before[self.indptr].astype(self.indptr.dtype)
        return self._with_leaves(indptr, self.indices[chosen])

    def coords(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Rows and columns of the entries, in rows, as Ipopt takes them.

        Examples
        --------
        >>> rows, columns = SparsityPattern([[0, 1], [1, 1]]).coords()
        >>> rows.tolist(), columns.tolist()
        ([0, 1, 1], [1, 0, 1])
        """
        rows = np.arange(self.shape[0], dtype=self.indices.dtype)
        return np.repeat(rows, np.diff(self.indptr)), self.indices.copy()

    @property
    def bandwidth(self) -> tuple[int, int]:
        """How many diagonals below and above the main one hold entries, as in `solve_banded`.

        Examples
        --------
        >>> SparsityPattern([[1, 1, 1], [0, 1, 1], [0, 1, 1]]).bandwidth
        (1, 2)
        """
        rows, columns = self.coords()
        offsets = columns.astype(np.int64) - rows
        return int(max(-offsets.min(initial=0), 0)), int(offsets.max(initial=0))

    # --------------------------------------------------------------------------- leaves
    def leaf_of_row(self, row: int) -> Element:
        """The output that a row belongs to; its text is the expression that reads it.

        Raises
        ------
        ValueError
            If the pattern is no result of a trace.
        IndexError
            If there is no such row.

        Examples
        --------
        >>> import sparsetrace as st
        >>> pattern = st.jacobian_sparsity(lambda x: {"sum": x["a"] + x["b"]}, {"a": 1.0, "b": 2.0})
        >>> str(pattern.leaf_of_row(0)), str(pattern.leaf_of_column(1))
        ('f["sum"]', 'x["b"]')
        """
        return element_of(self.row_leaves, row, self.shape[0], "row")

    def leaf_of_column(self, column: int) -> Element:
        """The input that a column belongs to; see `leaf_of_row`, which raises the same errors.

        Examples
        --------
        >>> import sparsetrace as st
        >>> x = {"a": [1.0, 2.0], "b": [3.0, 4.0]}
        >>> pattern = st.jacobian_sparsity(lambda x: x["a"][0] * x["b"][1], x)
        >>> str(pattern.leaf_of_column(3))
        'x["b"][1]'
        """
        return element_of(self.column_leaves, column, self.shape[1], "column")

    def block(self, of: str | Leaf, wrt: str | Leaf) -> SparsityPattern:
        """The part of one output by one input.

        Parameters
        ----------
        of, wrt : str or Leaf
            The names of leaves among `row_leaves` and `column_leaves`.

        Raises
        ------
        KeyError
            If there is no such leaf.
        ValueError
            If the pattern is no result of a trace.

        Examples
        --------
        >>> import sparsetrace as st
        >>> pattern = st.jacobian_sparsity(lambda x, y: (x * x, x * y), 1.0, 2.0, argnums=(0, 1))
        >>> pattern.block("f[1]", "y").toarray()
        array([[ True]])
        """
        rows, columns = leaf_named(self.row_leaves, of), leaf_named(self.column_leaves, wrt)
        block: SparsityPattern = self[rows.start : rows.stop, columns.start : columns.stop]
        return block

    def blocks(self) -> dict[tuple[str, str], SparsityPattern]:
        """The parts that hold entries, by the names of output and input.

        Examples
        --------
        >>> import sparsetrace as st
        >>> pattern = st.jacobian_sparsity(lambda x, y: (x * x, x * y), 1.0, 2.0, argnums=(0, 1))
        >>> list(pattern.blocks())
        [('f[0]', 'x'), ('f[1]', 'x'), ('f[1]', 'y')]
        """
        parts = {
            (of.name, wrt.name): self.block(of, wrt)
            for of in self.row_leaves
            for wrt in self.column_leaves
        }
        return {names: part for names, part in parts.items() if part.nnz}

    def _repr_html_(self) -> str:
        """For notebooks: the picture in a fixed-width font."""
        from html import escape  # it takes a millisecond, and notebooks alone need it

        return f"<pre style='line-height: 1.1'>{escape(str(self))}</pre>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the pattern to a ``.npz`` file, which `scipy.sparse.load_npz` reads too.

        Parameters
        ----------
        path : str or path
            The file; ``.npz`` is added if it ends differently.

        Examples
        --------
        >>> import tempfile, os.path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "pattern.npz")
        ...     SparsityPattern([[1, 0], [1, 1]]).save(path)
        ...     SparsityPattern.load(path)
        SparsityPattern: 2 x 2, 3 entries (75 %)
        """
        save_npz(_npz(path), self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a pattern that `save` or `scipy.sparse.save_npz` wrote.

        Parameters
        ----------
        path : str or path
            The file; ``.npz`` is added if it ends differently.

        Returns
        -------
        SparsityPattern
            The entries whose stored value differs from zero.

        Raises
        ------
        OSError
            If there is no such file.
        ValueError
            If the file holds no sparse array.
        """
        return cls(load_npz(_npz(path)))

    def to_mtx(self, path: str | os.PathLike[str]) -> None:
        """Write a Matrix Market file: coordinates from 1, field ``pattern``, general.

        Parameters
        ----------
        path : str or path
            The file.  `scipy.io.mmread` and most sparse matrix software read it.

        Examples
        --------
        >>> import tempfile, os.path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "pattern.mtx")
        ...     SparsityPattern([[0, 1], [1, 0]]).to_mtx(path)
        ...     with open(path) as file:
        ...         print(*(line for line in file if not line.startswith("%")), sep="", end="")
        2 2 2
        1 2
        2 1
        """
        with open(path, "wb") as file:
            if self.nnz:
                import_module("scipy.io").mmwrite(
                    file, csr_array(self), field="pattern", symmetry="general"
                )
            else:  # SciPy would call the field real
                rows, columns = self.shape
                header = "%%MatrixMarket matrix coordinate pattern general"
                file.write(f"{header}\n{rows} {columns} 0\n".encode())

    def spy(self, ax: Any = None, **kwargs: Any) -> Any:
        """Plot the pattern with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to plot; new axes by default.
        **kwargs
            Passed on to `matplotlib.axes.Axes.spy`, such as ``markersize=1``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes with the plot.

        Raises
        ------
        ImportError
            If `ax` is not given and matplotlib is not installed.
        """
        ax = axes_or_new(ax, "SparsityPattern.spy")
        if 0 in self.shape:  # matplotlib warns of axes without an extent
            ax.set(xticks=[], yticks=[])
            return ax
        box = ax.get_window_extent()
        points_per_element = box.width / max(self.shape) * 72 / ax.figure.dpi
        ax.spy(
            self,
            **{"marker": "s", "markersize": min(max(points_per_element, 0.5), 12.0)} | kwargs,
        )
        return ax


_ATTRIBUTES = _attributes()


def _npz(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    return name if name.endswith(".npz") else f"{name}.npz"

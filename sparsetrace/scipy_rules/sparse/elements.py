"""What a sparse array is made of: a constant structure, and elements that may be traced.

Contract: the structure is a matrix of SciPy's whose data are positions of elements, counted
from 1; 0 stands for a zero.  SciPy itself does to structures what moves elements (transposes,
slices, conversions), and says which entries the result of an operation has; where the
elements come from is read from the positions.  Elements are computed by NumPy's functions.

``[[{0}, 0], [0, {1}]]  ->  elements [{0}, {1}] of the structure [[1, 0], [0, 2]]``
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sparsetrace.numpy_rules.contraction import Factor
from sparsetrace.numpy_rules.square_systems import differs_from_zero, may_be_nonzero
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    is_sparse_traced,
    is_traced,
)
from sparsetrace.scipy_rules.impulses import along
from sparsetrace.scipy_rules.rule_tools import current

__all__ = [
    "SparseElements",
    "Term",
    "aligned",
    "elements_of_sparse",
    "gathered",
    "nonzero_among",
    "numbered",
    "placed",
    "places_of",
    "settled",
    "summed",
    "summed_into",
    "traced",
]

ALIGNED = frozenset("csr csc coo dia bsr".split())
"""Formats whose elements are one array, ``A.data``."""


class Term(NamedTuple):
    """Elements that are summed into a sparse array, each with its place in it."""

    places: NDArray[Any]
    """Flat indices into the dense array."""
    elements: Any


class SparseElements:
    """A sparse array as its structure and its elements.

    Attributes
    ----------
    structure : scipy.sparse matrix of float64
        Positions, counted from 1; those of formats in `ALIGNED` are in order.
    elements : ndarray or traced array
        Of the shape of the structure's data; in one dimension for other formats.
    """

    __slots__ = ("elements", "structure")

    def __init__(self, structure, elements) -> None:
        self.structure, self.elements = structure, elements

    @property
    def shape(self) -> tuple[int, ...]:
        return self.structure.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.elements.dtype  # type: ignore[no-any-return]

    @property
    def format(self) -> str:
        return self.structure.format  # type: ignore[no-any-return]

    @property
    def flat(self) -> Any:
        """The elements in one dimension."""
        return self.elements.reshape(-1)

    def positions(self) -> Any:
        """The structure, with 0 for elements that are zero for all inputs."""
        if self.format not in ALIGNED:
            return self.structure.copy()
        if self.format == "dia" and (current().values or is_traced(self.elements)):
            # whose zeros are no entries, for SciPy
            nonzero = nonzero_among(self.flat)
        else:
            nonzero = may_be_nonzero(_factor(self.flat))
        return _with_data(self.structure, self.structure.data * nonzero.reshape(self.data_shape))

    @property
    def data_shape(self) -> tuple[int, ...]:
        return self.structure.data.shape  # type: ignore[no-any-return]

    def ones(self) -> Any:
        """The structure as a matrix of ones, with zeros for elements that are zero."""
        result = self.positions()
        # the order of entries stays: it decides in which order a product has them
        if self.format == "dok":
            for key in list(result.keys()):
                result[key] = 1.0
        elif self.format == "lil":
            result = result.astype(bool).astype(np.float64)
        else:
            result.data = (result.data != 0).astype(np.float64)
        return result

    def entries(self) -> tuple[tuple[NDArray[Any], ...], Any]:
        """Where elements that may differ from zero are, and these; one place may come twice."""
        entries = self.positions().tocoo()
        kept = entries.data != 0
        return tuple(at[kept] for at in entries.coords), gathered(self.flat, entries.data[kept])

    def term(self) -> Term:
        """The elements with their places."""
        coords, elements = self.entries()
        return Term(places_of(coords, self.shape), elements)

    @property
    def repeats(self) -> bool:
        """Whether two elements have one place."""
        if getattr(self.structure, "has_canonical_format", True):
            return False
        ones = _with_data(self.structure, np.ones(self.data_shape))
        return bool((np.diff(np.sort(places_of(ones.tocoo().coords, self.shape))) == 0).any())

    def merged(self) -> SparseElements:
        """The same with no two elements at one place."""
        return self.canonical() if self.repeats else self

    def canonical(self) -> SparseElements:
        """The same after SciPy's ``sum_duplicates``, which also sorts."""
        # ones and not positions: a sum of positions is none
        ones = _with_data(self.structure, np.ones(self.data_shape))
        places = places_of(ones.tocoo().coords, self.shape)
        ones.sum_duplicates()
        return placed(ones, [Term(places, gathered(self.flat, self.structure.tocoo().data))])

    def moved(self, move: Callable[[Any], Any], *, merge: bool = True) -> Any:
        """What a function that moves elements makes of it: the same kind, or an array.

        A result of SciPy's that shares memory with its operand does so here.
        """
        source = self.merged() if merge else self
        positions = source.positions()
        return source._taken(move(positions), positions)

    def converted(self, convert: Callable[[Any], Any]) -> Any:
        """The same in another format: zeros stay entries, but where SciPy drops them."""
        source = self.merged()
        if source.format == "dia":
            return source.moved(convert)
        structure = source.structure.copy()
        return source._taken(convert(structure), structure)

    def _taken(self, result, positions) -> Any:
        """The elements for what SciPy has made of their positions."""
        is_sparse = scipy.sparse.issparse(result)
        if is_sparse and result.format not in ALIGNED:
            return settled(result, self.flat)
        shown = result.data if is_sparse else result
        if (
            self.format in ALIGNED
            and isinstance(shown, np.ndarray)
            and np.may_share_memory(shown, positions.data)
        ):
            elements = self._shared(shown, positions.data)
            if elements is not None and not is_sparse:
                return elements
            if elements is not None:
                return SparseElements(self._with_same_indices(numbered(result)), elements)
        return settled(result, self.flat) if is_sparse else gathered(self.flat, result)

    def _with_same_indices(self, structure) -> Any:
        """A structure that shares the indices, which SciPy sorts together with the data."""
        for name in ("indices", "indptr"):
            own, given = (getattr(x, name, None) for x in (self.structure, structure))
            if own is not None and given is not None and np.array_equal(own, given):
                setattr(structure, name, own)
        return structure

    def _shared(self, shown: NDArray[Any], positions: NDArray[Any]) -> Any:
        """The elements at positions that are a view of all, as a view; None if they are none."""
        if np.array_equal(shown.reshape(-1), positions.reshape(-1)):
            return self.elements.reshape(shown.shape)
        if shown.ndim == 1 and positions.ndim == 2:  # a diagonal, which is a row of the data
            start = shown.__array_interface__["data"][0] - positions.__array_interface__["data"][0]
            row, column = divmod(start // positions.itemsize, positions.shape[1])
            return self.elements[row, column : column + len(shown)]
        return None

    def computed(self, compute: Callable[[Any], Any]) -> SparseElements:
        """The same structure, with other elements."""
        return SparseElements(_alike(self.structure), compute(self.elements))


def _with_data(structure, data: NDArray[Any]) -> Any:
    """A structure with other data, and indices of its own: SciPy may sort them in place."""
    result = structure.copy()
    result.data = data
    return result


def _alike(matrix) -> Any:
    """Another matrix of the same indices, as of ``copy.copy``, which would mark the class."""
    cls: Any = type(matrix)
    result = cls.__new__(cls)
    result.__dict__.update(matrix.__dict__)
    return result


def numbered(matrix) -> Any:
    """A matrix of a format in `ALIGNED` with positions in order as its data.

    It shares the indices, as what the function writes there shall be seen.
    """
    result = _alike(matrix)
    result.data = np.arange(1.0, matrix.data.size + 1).reshape(matrix.data.shape)
    return result


def aligned(structure, flat) -> SparseElements:
    """Elements in the order in which the structure has them."""
    return SparseElements(numbered(structure), gathered(flat, structure.data))


def settled(structure, flat) -> SparseElements:
    """A sparse array of elements that are at the positions that the structure holds."""
    if structure.format in ALIGNED:
        return aligned(structure, flat)
    return SparseElements(structure, flat.copy())


def elements_of_sparse(matrix) -> SparseElements:
    """What a sparse array is made of, traced or not.

    The values of a matrix of which the structure alone is known are opaque.
    """
    if is_sparse_traced(matrix):
        return matrix._parts  # type: ignore[no-any-return]
    unknown = getattr(matrix, "_is_unknown", False)
    if unknown:
        matrix = matrix.copy()
    if matrix.format in ALIGNED:
        elements = matrix.data
        return SparseElements(numbered(matrix), _opaque(elements) if unknown else elements)
    entries = matrix.tocoo()
    positions = numbered(entries)
    return SparseElements(positions.asformat(matrix.format), entries.data)


def _opaque(data: NDArray[Any]) -> Any:
    """Numbers that stand for any others."""
    trace = current()
    ids = np.where(data != 0, np.int32(trace.graph.opaque), np.int32(trace.graph.zero))
    return trace.wrap(Elements(ids, data.dtype, keep_array=True))


def traced(elements) -> Any:
    """Constants as a traced array, into which others can be written."""
    if is_traced(elements):
        return elements
    trace = current()
    values = elements.copy() if trace.local else None
    ids = trace.graph.constant(elements)
    return trace.wrap(Elements(ids, elements.dtype, values, keep_array=True))


def nonzero_among(elements) -> NDArray[np.bool_]:
    """Which elements SciPy makes entries of: those that are not zero for all inputs."""
    return differs_from_zero(_factor(elements))


def _factor(elements) -> Factor:
    """Elements as rules take them; those of a trace that has ended are refused."""
    return Factor.of(elements._trace if is_traced(elements) else current(), elements)


def gathered(flat, positions) -> Any:
    """The elements at these positions, and zeros where they are 0."""
    at = np.asarray(positions).astype(np.int64)
    if at.ndim == 0:
        return flat[int(at) - 1] if at else flat.dtype.type(0)
    if at.all():
        return flat[at - 1]
    return np.concatenate([np.zeros(1, flat.dtype), flat])[at]


def places_of(coords: Sequence[NDArray[Any]], shape: tuple[int, ...]) -> NDArray[Any]:
    """Flat indices."""
    result = np.zeros(len(coords[0]), np.int64)
    for at, size in zip(coords, shape, strict=True):
        result = result * size + at
    return result


def placed(result, terms: Sequence[Term]) -> SparseElements:
    """A sparse array with the entries of `result`: the sums of all that belongs in each.

    ``[1, 1] at 0 and 2, {0} at 0, {1} at 0  ->  [{0, 1}, 0]``
    """
    if result.format not in ALIGNED:
        entries = placed(result.tocoo(), terms)
        return SparseElements(entries.structure.asformat(result.format), entries.flat)
    structure = numbered(result)
    entries = structure.tocoo()
    places = places_of(entries.coords, structure.shape)
    order = np.argsort(places, kind="stable")
    wanted = np.concatenate([term.places for term in terms])
    found = np.searchsorted(places, wanted, sorter=order)
    assert (places[order][found] == wanted).all(), "an entry that SciPy's result has not"
    at = entries.data[order][found].astype(np.int64) - 1
    elements = [term.elements for term in terms]
    flat = elements[0] if len(elements) == 1 else np.concatenate(elements)
    size = structure.data.size
    return SparseElements(structure, summed_into(at, size, flat).reshape(structure.data.shape))


def summed_into(at: NDArray[Any], size: int, elements) -> Any:
    """Elements summed into `size` places, along the first axis: element i into ``at[i]``."""
    if elements.ndim == 1 and (not len(at) or np.bincount(at).max() == 1):
        positions = np.zeros(size, np.int64)
        positions[at] = np.arange(1, len(at) + 1)
        return gathered(elements, positions)
    dtype = elements.dtype if elements.dtype.kind in "fc" else np.dtype(np.int64)
    shape = size, len(at)
    ones = np.ones(len(at), dtype)
    return summed(scipy.sparse.csr_array((ones, (at, np.arange(len(at)))), shape=shape), elements)


def summed(matrix, elements) -> Any:
    """A constant matrix, as CSR, times elements, along their first axis."""
    if is_traced(elements):
        return along(elements, matrix, 0)
    assert not contains_traced(elements)
    return matrix @ elements

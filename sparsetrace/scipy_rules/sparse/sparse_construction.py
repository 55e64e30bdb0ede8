"""Sparse arrays made of traced data: ``csr_array((data, indices, indptr))`` and its kin.

Contract: SciPy's own constructor is given positions in place of the data, and says what the
structure is; where it sums elements that have one place, they are summed here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.scipy_rules.rule_tools import array_of
from sparsetrace.scipy_rules.sparse.classes import assembled, become, known
from sparsetrace.scipy_rules.sparse.elements import (
    SparseElements,
    Term,
    elements_of_sparse,
    nonzero_among,
    numbered,
    placed,
    places_of,
    settled,
)

__all__ = ["constructed"]


def constructed(
    original: Callable[..., None], matrix, args: tuple[Any, ...], options: dict[str, Any]
) -> None:
    """``original(matrix, *args, **options)``, an ``__init__``, with traced data."""
    bound = inspect.signature(original).bind(matrix, *args, **options)
    _, given, *_ = bound.args
    rest = {name: x for name, x in bound.arguments.items() if name not in ("self", "arg1")}
    dtype = rest.pop("dtype", None)
    rest = {name: _known(matrix, x, "its shape depends on the inputs") for name, x in rest.items()}
    cls = type(matrix)

    def build(argument) -> Any:
        return cls(argument, **rest)

    parts = _parts(matrix, build, given)
    if dtype is not None and np.dtype(dtype) != parts.dtype:
        parts = parts.computed(lambda data: data.astype(dtype))
    made = assembled(parts)
    if type(made) is cls:  # nothing of it depends on the inputs
        original(matrix, made)
    else:
        become(matrix, parts)


def _parts(matrix, build: Callable[[Any], Any], given) -> SparseElements:
    if scipy.sparse.issparse(given):
        return _converted(matrix, build, elements_of_sparse(given))
    if isinstance(given, tuple) and len(given) in (2, 3) and not _is_dense(given):
        return _of_parts(matrix, build, given)
    dense = array_of(given)
    if dense.ndim < 2 and not isinstance(matrix, scipy.sparse.sparray):
        dense = np.atleast_2d(dense)
    flat = dense.reshape(-1)
    positions = np.arange(1.0, flat.size + 1) * nonzero_among(flat)
    return settled(build(positions.reshape(dense.shape)), flat)


def _is_dense(given: tuple[Any, ...]) -> bool:
    """Whether a tuple holds the rows of a dense matrix, rather than data and indices."""
    return all(np.ndim(item) == 0 for item in given)


def _converted(matrix, build: Callable[[Any], Any], given: SparseElements) -> SparseElements:
    """Of another sparse array: of the same format, it shares the data unless copied."""
    if matrix.format == given.format:
        result = given.moved(build, merge=False)
    else:
        result = given.converted(build)
    assert isinstance(result, SparseElements)
    return result


def _of_parts(matrix, build: Callable[[Any], Any], given: tuple[Any, ...]) -> SparseElements:
    data, *given_indices = given
    indices = [_known(matrix, x, "its indices depend on the inputs") for x in given_indices]
    data = array_of(data)
    if len(given) == 2 and matrix.format in ("csr", "csc", "bsr"):  # data and coordinates
        ones = np.ones(data.shape)
        result = build((ones, *indices))
        entries = scipy.sparse.coo_array((ones, *indices), shape=result.shape)
        return placed(result, [Term(places_of(entries.coords, result.shape), data.reshape(-1))])
    places = np.arange(1.0, data.size + 1)
    structure = build((places.reshape(data.shape), *indices))
    if np.array_equal(structure.data.reshape(-1), places):  # which SciPy shares, too
        return SparseElements(numbered(structure), data.reshape(structure.data.shape))
    return settled(structure, data.reshape(-1))


def _known(matrix, x, problem: str) -> Any:
    call = f"scipy.sparse.{type(matrix).__name__}"
    return known(x, call, problem, "Let the indices and the shape be constants.")

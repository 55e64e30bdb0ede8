"""Functions of scipy.sparse that make sparse arrays of others, or of diagonals.

Contract: SciPy's own function is given positions in place of all elements, traced or not, and
tells where each is; what it would compute of them is done by `arithmetic`.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.scipy_rules.rule_tools import Call, array_of, constant, keeps_parts, makes_objects
from sparsetrace.scipy_rules.sparse import sparse_arithmetic as arithmetic
from sparsetrace.scipy_rules.sparse.classes import assembled, moved
from sparsetrace.scipy_rules.sparse.elements import (
    ALIGNED,
    elements_of_sparse,
    nonzero_among,
    settled,
)


class _Pool:
    """All elements of several operands, each with a position of its own."""

    def __init__(self) -> None:
        self._elements: list[Any] = []
        self._count = 0

    def _add(self, flat) -> int:
        """The elements' first position, less one."""
        start = self._count
        self._elements.append(flat)
        self._count += flat.size
        return start

    def array(self, x) -> Any:
        """Positions in place of a dense array."""
        x = array_of(x)
        flat = x.reshape(-1)
        start = self._add(flat)
        places = np.arange(start + 1.0, start + 1 + flat.size) * nonzero_among(flat)
        return places.reshape(x.shape)[()]

    def sparse(self, x) -> Any:
        """Positions in place of the elements of a sparse array."""
        parts = elements_of_sparse(x).merged()
        start = self._add(parts.flat)
        positions = parts.positions()
        if positions.format not in ALIGNED:
            positions = positions.tocsr()
        positions.data = np.where(positions.data > 0, positions.data + start, 0.0)
        return positions

    def operand(self, x) -> Any:
        """Positions in place of an operand; None stays."""
        if x is None:
            return None
        if isinstance(x, list):
            return self.array(x).tolist()
        return self.sparse(x) if scipy.sparse.issparse(x) else self.array(x)

    def filled(self, result, dtype=None) -> Any:
        """What SciPy made of positions, with the elements."""
        flat = np.concatenate(self._elements) if self._elements else np.zeros(0)
        if dtype is not None:
            flat = flat.astype(dtype)
        return assembled(settled(result, flat))


# ------------------------------------------------------------------------- diagonals
@keeps_parts
@makes_objects
def diags_array(call, diagonals, offsets, shape, format, dtype):
    constant(call, offsets, "offsets")
    pool = _Pool()
    if np.isscalar(offsets) or not np.ndim(offsets):
        if np.ndim(diagonals[0]) == 0:
            positions: Any = pool.array(diagonals)
        else:
            positions = [pool.array(diagonals[0])]
    else:
        positions = [pool.array(diagonal) for diagonal in diagonals]
    result = call.original(positions, offsets=offsets, shape=shape, format=format, dtype=np.float64)
    return pool.filled(result, dtype if _is_asked(call, dtype) else None)


def _is_asked(call: Call, dtype) -> bool:
    """Whether a dtype was asked for; the default is a placeholder in some releases."""
    default = inspect.signature(call.original).parameters["dtype"].default
    return dtype is not None and dtype is not default


diags = diags_array


# ------------------------------------------------------------------------- blocks
def _joined(call: Call, blocks, format, dtype) -> Any:
    """Of blocks, or of rows of blocks."""
    pool = _Pool()

    def positions(block) -> Any:
        return [pool.operand(x) for x in block] if _is_row(block) else pool.operand(block)

    return pool.filled(call.original(list(map(positions, blocks)), format=format), dtype)


def _is_row(block) -> bool:
    """Whether this is a row of blocks, rather than one of numbers."""
    return isinstance(block, (list, tuple, np.ndarray)) and any(
        x is None or scipy.sparse.issparse(x) or np.ndim(x) == 2 for x in block
    )


@keeps_parts
@makes_objects
def block_array(call, blocks, format, dtype):
    return _joined(call, blocks, format, dtype)


@keeps_parts
@makes_objects
def block_diag(call, mats, format, dtype):
    return _joined(call, mats, format, dtype)


bmat = hstack = vstack = block_array


# ------------------------------------------------------------------------- products
@keeps_parts
@makes_objects
def kron(call, A, B, format):
    a, b = (x if scipy.sparse.issparse(x) else scipy.sparse.coo_matrix(array_of(x)) for x in (A, B))
    parts = arithmetic.kronecker(elements_of_sparse(a), elements_of_sparse(b), call.original)
    result = assembled(parts)
    return result if format is None else result.asformat(format)


@keeps_parts
@makes_objects
def kronsum(call, A, B, format):
    is_array = any(isinstance(x, scipy.sparse.sparray) for x in (A, B))
    A, B = (x if scipy.sparse.issparse(x) else array_of(x) for x in (A, B))
    eye = scipy.sparse.eye_array if is_array else scipy.sparse.eye
    left = scipy.sparse.kron(eye(B.shape[0]), A)
    right = scipy.sparse.kron(B, eye(A.shape[0]))
    return (left + right).asformat(format)


# ------------------------------------------------------------------------- axes, entries
@makes_objects
def expand_dims(call, A, axis):
    return moved(A, lambda structure: call.original(structure, axis=axis))


@makes_objects
def permute_dims(call, A, axes, copy):
    return moved(A, lambda structure: call.original(structure, axes, copy))


@makes_objects
def swapaxes(call, A, axis1, axis2):
    return moved(A, lambda structure: call.original(structure, axis1, axis2))


def find(call, A):
    call.refuse(
        "which elements differ from zero depends on the inputs",
        "Use A.tocoo(), its coords and data.",
    )

"""Sparsity patterns as pictures of braille characters.

Contract: CSR index arrays in, text out.  A character holds 4 x 2 dots; a dot is
set if and only if its block of the matrix holds an entry.  Matrices of up to
``4 * height`` rows and ``2 * width`` columns are drawn one dot per element.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["braille", "dots_of", "drawn"]

# Unicode numbers a cell's dots down the first column, down the second, and then
# along the fourth row, which was added to the script last.
_DOTS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]], dtype="<u4")
_BLANK = 0x2800
# A side is not scaled below this many dots, however elongated the matrix.
_LEAST = 16


def braille(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    shape: tuple[int, int],
    *,
    width: int = 60,
    height: int = 20,
) -> str:
    """Draw a pattern in a frame.

    Parameters
    ----------
    indptr, indices : array of int
        The pattern in compressed sparse rows, as in `scipy.sparse.csr_array`.
    shape : tuple of int
        Rows and columns of the pattern.
    width, height : int
        The largest picture, in characters, without its frame.

    Returns
    -------
    str
        Lines separated by newlines; empty if the pattern has no element.

    Examples
    --------
    >>> import numpy as np
    >>> diagonal = np.arange(8)
    >>> print(braille(np.arange(9), diagonal, (8, 8)))
    ┌────┐
    │⠑⢄⠀⠀│
    │⠀⠀⠑⢄│
    └────┘
    """
    if 0 in shape:
        return ""
    return drawn(_blocks(indptr, indices, shape, dots_of(shape, 4 * height, 2 * width)))


def drawn(dots: NDArray[np.bool_]) -> str:
    """Dots in a frame.

    Examples
    --------
    >>> print(drawn(np.eye(4, dtype=bool)))
    ┌──┐
    │⠑⢄│
    └──┘
    """
    high, wide = -(-dots.shape[0] // 4), -(-dots.shape[1] // 2)
    padded = np.zeros((4 * high, 2 * wide), dtype="<u4")
    padded[: dots.shape[0], : dots.shape[1]] = dots
    cells = np.tensordot(padded.reshape(high, 4, wide, 2), _DOTS, axes=([1, 3], [0, 1]))
    rows = [row.tobytes().decode("utf-32-le") for row in (cells + _BLANK).astype("<u4")]
    rule = "─" * wide
    return "\n".join([f"┌{rule}┐", *(f"│{row}│" for row in rows), f"└{rule}┘"])


def dots_of(
    shape: tuple[int, int], most_rows: int = 80, most_columns: int = 120
) -> tuple[int, int]:
    """How many dots to draw: in the matrix's proportions, within the limits given.

    Examples
    --------
    >>> dots_of((1000, 2000))
    (60, 120)
    """
    m, n = shape
    scale = max(m / most_rows, n / most_columns, 1.0)
    return (
        min(max(round(m / scale), min(m, _LEAST)), most_rows),
        min(max(round(n / scale), min(n, _LEAST)), most_columns),
    )


def _blocks(
    indptr: NDArray[Any], indices: NDArray[Any], shape: tuple[int, int], dots: tuple[int, int]
) -> NDArray[np.bool_]:
    """Which blocks of the matrix, cut into a grid of `dots`, hold an entry."""
    starts, stops = (
        -(-np.arange(count + 1) * size // count) for size, count in zip(shape, dots, strict=True)
    )
    # One table look-up per entry is several times as fast as a division.
    column_to_dot = np.repeat(np.arange(dots[1]), np.diff(stops))
    filled = np.zeros(dots, dtype=np.bool_)
    limits = indptr[starts]
    for row, first, last in zip(filled, limits[:-1], limits[1:], strict=True):
        row[column_to_dot[indices[first:last]]] = True
    return filled

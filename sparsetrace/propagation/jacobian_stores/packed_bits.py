"""Rows of bits, packed into words of 64: what is read from them, and what rows inherit.

Contract: bit ``i % 64`` of word ``i // 64`` of a row stands for input i.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.graph import Ids

__all__ = ["Bits", "counts_of", "inherited", "inputs_of", "joined", "words_for"]

Bits = NDArray[np.uint64]

_EMPTY = 2
"""Words without a bit are left out where less than one in so many has one."""


def words_for(n: int) -> int:
    """The words of a row over so many inputs.

    Examples
    --------
    >>> words_for(64), words_for(65)
    (1, 2)
    """
    return max(1, -(-n // 64))


def counts_of(bits: Bits) -> NDArray[np.int64]:
    """How many bits of each row are set."""
    counts = np.bitwise_count(bits)
    if bits.shape[1] == 1:
        return counts[:, 0].astype(np.int64)
    summed: NDArray[np.int64] = counts.sum(axis=1, dtype=np.int64)
    return summed


def inputs_of(bits: Bits, counts: NDArray[np.int64] | None = None) -> Ids:
    """The inputs whose bits are set, row by row; of how many in each, if that is known.

    Examples
    --------
    >>> inputs_of(np.array([[5, 1], [2, 0]], np.uint64)).tolist()
    [0, 2, 64, 1]
    """
    words, width = bits.reshape(-1), bits.shape[1]
    if _EMPTY * np.count_nonzero(words) < len(words):
        (at,) = words.nonzero()
        words = words[at]
        starts = at % width * 64 - 64 * np.arange(len(at))
        lengths = np.bitwise_count(words)
    else:  # most have a bit: by rows
        starts = np.arange(0, -64 * width * len(bits), -64 * width)
        lengths = counts_of(bits) if counts is None else counts
    (found,) = np.unpackbits(words.view(np.uint8), bitorder="little").view(bool).nonzero()
    found += starts.repeat(lengths)
    return found.astype(np.int32)


def inherited(bits: Bits, child: NDArray[np.integer], parent: NDArray[np.integer]) -> Bits:
    """Rows with all that they inherit: row ``child[i]`` has the bits of row ``parent[i]``, too.

    One after the other, and each row as one whole number: its union with another takes some
    50 ns.

    Parameters
    ----------
    bits : ndarray
        The rows' own bits.
    child, parent : ndarray
        In an order in which a row is complete before others inherit from it.

    Examples
    --------
    >>> inherited(np.array([[1], [2], [0]], np.uint64), np.array([1, 2]), np.array([0, 1])).tolist()
    [[1], [3], [3]]
    """
    size = bits.shape[1] * 8
    if size == 8:
        rows = bits[:, 0].tolist()
    else:
        data = bits.tobytes()
        rows = [int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size)]
    for to, source in zip(child.tolist(), parent.tolist(), strict=True):
        rows[to] |= rows[source]
    return joined(rows, bits.shape[1])


def joined(rows: Sequence[int], words: int) -> Bits:
    """Rows that are whole numbers as rows of so many words.

    Examples
    --------
    >>> joined([5, 2**64], 2).tolist()
    [[5, 0], [0, 1]]
    """
    if words == 1:
        return np.array(rows, np.uint64)[:, None]
    data = b"".join([row.to_bytes(words * 8, "little") for row in rows])
    return np.frombuffer(data, np.uint64).reshape(-1, words)

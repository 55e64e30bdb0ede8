"""Hessian rows as packed bits: the row of input i unites the patterns i is multiplied with."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sparsetrace.errors import GraphSizeError
from sparsetrace.propagation.hessian_stores.outer_products import Products

__all__ = ["bytes_needed", "solve"]

LIMIT = 2**33
"""Most bytes that the rows' bits may take."""
_CHUNK = 2**24
"""Bytes of scratch space."""

Bits = NDArray[np.uint64]


def bytes_needed(products: Products) -> int:
    """Of the Hessian's rows and of the patterns."""
    return (products.n + len(products.indptr)) * max(1, -(-products.n // 64)) * 8


def solve(products: Products) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """The Hessian's pattern as CSR index arrays.

    Raises
    ------
    GraphSizeError
        If the bits would need more than `LIMIT` bytes.
    """
    if bytes_needed(products) > LIMIT:
        raise GraphSizeError(
            f"hessian_store='bitset' would need {bytes_needed(products) / 2**30:.1f} GiB for "
            f"{products.n} inputs; use hessian_store='csr' or 'auto'"
        )
    n, words = products.n, max(1, -(-products.n // 64))
    bits = _packed(products, words)
    out = np.zeros((n, words), np.uint64)
    first = np.concatenate([products.cliques, products.left, products.right])
    second = np.concatenate([products.cliques, products.right, products.left])
    _unite(products, bits, out, first, second)
    return _read(out, n)


def _packed(products: Products, words: int) -> Bits:
    """The patterns' bits, a row each."""
    m = len(products.indptr) - 1
    bits = np.zeros((m, words), np.uint64)
    step = max(1, _CHUNK // (words * 64))
    for lo in range(0, m, step):
        hi = min(lo + step, m)
        start, stop = products.indptr[lo], products.indptr[hi]
        flags = np.zeros((hi - lo, words * 64), bool)
        rows = np.repeat(np.arange(hi - lo), np.diff(products.indptr[lo : hi + 1]))
        flags[rows, products.indices[start:stop]] = True
        bits[lo:hi] = np.packbits(flags, axis=1, bitorder="little").view(np.uint64)
    return bits


def _unite(
    products: Products,
    bits: Bits,
    out: Bits,
    first: NDArray[np.integer],
    second: NDArray[np.integer],
) -> None:
    """``out[i] |= bits[second[k]]`` for every i in the pattern ``first[k]``."""
    counts, starts = products.counts[first], products.indptr[:-1][first]
    ends = np.cumsum(counts)
    step = max(1, _CHUNK // (bits.shape[1] * 8))
    cuts = np.searchsorted(ends, np.arange(step, int(ends[-1]) if len(ends) else 0, step))
    bounds = sorted({0, len(first), *cuts.tolist()})
    for lo, hi in pairwise(bounds):
        some = counts[lo:hi]
        shift = np.cumsum(some) - some
        at = np.arange(int(some.sum())) + np.repeat(starts[lo:hi] - shift, some)
        targets = products.indices[at]
        sources = np.repeat(second[lo:hi], some)
        order = np.argsort(targets, kind="stable")
        targets, sources = targets[order], sources[order]
        begins = np.flatnonzero(np.diff(targets, prepend=-1))
        portion = max(1, step)
        for a in range(0, len(begins), portion):
            group = begins[a : a + portion]
            stop = int(begins[a + portion]) if a + portion < len(begins) else len(targets)
            united = np.bitwise_or.reduceat(
                bits[sources[group[0] : stop]], group - group[0], axis=0
            )
            out[targets[group]] |= united


def _read(out: Bits, n: int) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    indptr = np.zeros(n + 1, np.int64)
    columns: list[NDArray[np.integer]] = []
    step = max(1, _CHUNK // (out.shape[1] * 64))
    for lo in range(0, n, step):
        rows = out[lo : lo + step]
        flags = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little", count=n)
        counts = np.bitwise_count(rows).sum(axis=1, dtype=np.int64)
        indptr[lo + 1 : lo + 1 + len(rows)] = counts
        offset = np.repeat(np.arange(len(rows)) * n, counts)
        columns.append((np.flatnonzero(flags.view(bool)) - offset).astype(np.int32))
    np.cumsum(indptr, out=indptr)
    return indptr, np.concatenate(columns) if columns else np.zeros(0, np.int32)

"""What a few nodes of a graph depend on and multiply, while the graph still grows.

Contract: nodes that are older than a `Reach` stand for themselves; what is told of two nodes is
equal only if no output can tell them apart by the dependencies that it gets from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sparsetrace.graph.graph import OPAQUE, Graph
from sparsetrace.graph.interactions import Products

__all__ = ["Reach"]

_MOST_NODES = 200_000
_MOST_PAIRS = 500_000
"""Pairs of older nodes that are looked up to say what products there are."""


class Reach:
    """What nodes depend on and multiply that are made from now on.

    Parameters
    ----------
    graph : Graph

    Examples
    --------
    >>> g = Graph(3)
    >>> reach = Reach(g)
    >>> a = g.union_scalar(2, 3)
    >>> reach.of(g.union_scalar(a, 2)) == reach.of(g.union_scalar(3, 2))
    True
    >>> reach.of(g.union_scalar(a, 4)) == reach.of(a)
    False
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._first = graph.size
        self._known: dict[int, tuple[int, int]] = {}
        self._older: dict[int, int] = {}
        self._products: dict[int, list[tuple[int, int]]] = {}
        self._pairs: dict[tuple[int, int], int] = {}
        """The bits of products of two older nodes, each of which is given by its own bit."""
        self._times_known: dict[tuple[int, int], int] = {}
        self._looked_up = 0
        self._interactions = len(graph.interactions)
        self._scalar_products = len(graph.scalar_products)
        self._fails = False

    def of(self, node: int) -> tuple[int, int] | None:
        """Two sets of bits: the older nodes, and products of two of them; None if unknown.

        Parameters
        ----------
        node : int
            An id greater than `OPAQUE`.
        """
        self._note_products()
        waiting = [node]
        while waiting and not self._fails:
            at = waiting[-1]
            if at in self._known:
                waiting.pop()
                continue
            if at < self._first:
                self._known[at] = 1 << self._older.setdefault(at, len(self._older)), 0
            else:
                parents = [p for p in self.graph.parents(at) if p > OPAQUE]
                factors = self._products.get(at, ())
                needed = [*parents, *(p for pair in factors for p in pair if p > OPAQUE)]
                unknown = [p for p in needed if p not in self._known and p != at]
                if unknown:
                    waiting += unknown
                    continue
                self._known[at] = self._united(at, parents, factors)
            self._fails = len(self._known) > _MOST_NODES or self._looked_up > _MOST_PAIRS
        return None if self._fails else self._known[node]

    def nodes_in(self, bits: int) -> list[int]:
        """The older nodes in a set that `of` gave."""
        return [node for node, at in self._older.items() if bits >> at & 1]

    def pairs_in(self, bits: int) -> list[tuple[int, int]]:
        """The products of two older nodes in such a set, each once."""
        nodes = list(self._older)
        return [(nodes[i], nodes[j]) for (i, j), at in self._pairs.items() if bits >> at & 1]

    def _united(
        self, node: int, parents: list[int], factors: Sequence[tuple[int, int]]
    ) -> tuple[int, int]:
        nodes = products = 0
        for parent in parents:
            nodes |= self._known[parent][0]
            products |= self._known[parent][1]
        self._known[node] = nodes, products  # which may multiply itself
        for left, right in factors:
            if min(left, right) > OPAQUE:
                here, there = self._known[left][0], self._known[right][0]
                products |= self._times(here, there)
        return nodes, products

    def _note_products(self) -> None:
        """Remember what nodes multiply that were made since the last time."""
        graph = self.graph
        self._fails = self._fails or graph.parts is not None
        for interaction in graph.interactions[self._interactions :]:
            if not isinstance(interaction, Products) or len(interaction.nodes) > _MOST_NODES:
                self._fails = True
                return
            columns = interaction.nodes, interaction.left, interaction.right
            for node, *pair in zip(*(column.tolist() for column in columns), strict=True):
                self._products.setdefault(node, []).append((pair[0], pair[1]))
        triples = graph.scalar_products[self._scalar_products :]
        for node, left, right in zip(triples[::3], triples[1::3], triples[2::3], strict=True):
            self._products.setdefault(node, []).append((left, right))
        self._interactions = len(graph.interactions)
        self._scalar_products = len(graph.scalar_products)

    def _times(self, left: int, right: int) -> int:
        """The products of each of some older nodes with each of others."""
        left, right = max(left, right), min(left, right)
        known = self._times_known.get((left, right))
        if known is not None:
            return known
        products = 0
        for i in _bits_of(left):
            for j in _bits_of(right):
                pair = (i, j) if i >= j else (j, i)
                products |= 1 << self._pairs.setdefault(pair, len(self._pairs))
            self._looked_up += right.bit_count()
            if self._looked_up > _MOST_PAIRS:
                break
        self._times_known[left, right] = products
        return products


def _bits_of(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest

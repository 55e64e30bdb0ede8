"""Numbers that a solver hands to the user's function, and that this may keep: iterates, states.

Contract: while a solver runs, nodes without dependencies stand for what it hands over, since nobody
knows yet what that depends on.  So whatever is made of them is complete in the results of the
solver's rule alone.  What the function keeps of them otherwise, in a list or an attribute, may be
used by nothing that the traced function returns: `refuse_kept` finds that out in the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.graph import Block, Columns, Graph, Ids
from sparsetrace.operands.operands import is_traced
from sparsetrace.user_code.frames import Place, user_place

__all__ = ["Loan", "forget_loans", "lend", "refuse_kept", "settle", "take_back"]

_MOST_PARTS = 1000


@dataclass(slots=True)
class Loan:
    """What one call of a solver has handed over.

    Attributes
    ----------
    parts : list of ndarray of int32
        The nodes that stand for it.
    end : int
        The first node that was made after the call; 0 while it runs.
    results : frozenset of int
        The nodes of its results.
    name : str
        The solver's.
    place : Place or None
        Where it was called.
    """

    parts: list[Ids]
    end: int = 0
    results: frozenset[int] = frozenset()
    name: str = ""
    place: Place | None = None

    @property
    def marks(self) -> Ids:
        """All of these nodes, in one dimension."""
        return np.concatenate([part.reshape(-1) for part in self.parts])


def lend(graph: Graph, marks: Ids, loan: Loan | None = None) -> Loan | None:
    """Note that nodes, which nothing else has, are handed to a function of the user's.

    Parameters
    ----------
    graph : Graph
    marks : ndarray of int32
    loan : Loan, optional
        The one that they are a part of; by default one of their own.

    Returns
    -------
    Loan or None
        What further nodes can be a part of; None as long as there are no nodes.
    """
    marks = np.asarray(marks)
    if not marks.size:
        return loan
    if loan is None:
        graph.lent.append(loan := Loan([marks]))
    else:
        loan.parts.append(marks)
    return loan


def take_back(graph: Graph, loan: Loan | None) -> None:
    """Forget a loan of numbers that depend on nothing: what was kept of them are constants."""
    graph.lent[:] = [other for other in graph.lent if other is not loan]


def settle(graph: Graph, since: int, name: str, result: object) -> None:
    """Note what a rule gives that has lent numbers: all but the first so many loans are its own."""
    nodes = frozenset(node for ids in _ids_in(result) for node in ids.reshape(-1).tolist())
    for loan in graph.lent[since:]:
        if not loan.end:
            loan.end, loan.results, loan.name = graph.size, nodes, name
            loan.place = user_place()


def _ids_in(result: object) -> Iterator[Ids]:
    """The ids of all traced numbers in a result, and those that objects of rules hold."""
    waiting, left = [result], _MOST_PARTS
    while waiting and left:
        part, left = waiting.pop(), left - 1
        if is_traced(part):
            yield part._ids  # type: ignore[attr-defined]
        elif isinstance(part, np.ndarray):
            if part.dtype == np.int32:
                yield part
        elif isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list | tuple):
            waiting += part
        elif type(part).__module__.startswith("sparsetrace.") and hasattr(part, "__dict__"):
            waiting += vars(part).values()


def refuse_kept(graph: Graph, outputs: Ids) -> None:
    """Refuse outputs that were made of lent numbers by another way than the solver's results.

    Examples
    --------
    >>> from sparsetrace.graph.graph import Graph
    >>> g = Graph(1)
    >>> mark = g.node(g.opaques((1,)))
    >>> residual = g.union(mark, g.inputs())
    >>> root = g.node(residual)
    >>> g.lent.append(Loan([mark], g.size, frozenset(root.tolist()), "scipy.optimize.root"))
    >>> refuse_kept(g, g.node(root))
    >>> refuse_kept(g, g.node(residual))
    Traceback (most recent call last):
    ...
    sparsetrace.errors.UnsupportedError: scipy.optimize.root at ...
    """
    loan = _kept_of(graph, outputs)
    if loan is not None:
        raise UnsupportedError(
            explain(
                loan.name,
                "the function that it calls keeps numbers of the search, and a result is made "
                "of them",
                "Compute what is needed from what it returns: call the function once more there.",
                place=loan.place,
            )
        )


def forget_loans(graph: Graph, live: Ids) -> bool:
    """Forget what was lent, if no node that is in use was made of it; says whether it is so."""
    if all(loan.end for loan in graph.lent) and _kept_of(graph, live) is None:
        graph.lent.clear()
        return True
    return False


def _kept_of(graph: Graph, nodes: Ids) -> Loan | None:
    """The loan of which a node was made by another way than its results."""
    loans = [loan for loan in graph.lent if loan.end]
    first = min((int(loan.marks.min()) for loan in loans), default=graph.size)
    later = np.asarray(nodes)[np.asarray(nodes) >= first]
    number = _Kept(graph, loans, first).of(later) if later.size else 0
    return loans[number - 1] if number else None


class _Kept:
    """Which nodes are made of what was kept, and of which loan; each of these by its number."""

    def __init__(self, graph: Graph, loans: list[Loan], first: int) -> None:
        self._first, self._loans = first, loans
        self._ends = np.array([0, *(loan.end for loan in loans)])
        self._lent = np.zeros(graph.size - first, np.int32)
        """The loan that a node is a part of, and may be until it ends..."""
        self._kept = np.zeros(graph.size - first, np.int32)
        """...and that of which something was used later."""
        self._around = [0]
        """The loan within which another one began and ended."""
        for number, loan in enumerate(loans, 1):
            others = (i for i in range(number - 1, 0, -1) if loans[i - 1].end > loan.end)
            self._around.append(next(others, 0))
            self._lent[loan.marks - first] = number
        for block in graph.blocks:
            if block.base + block.size > first:
                self._take(block)

    def of(self, nodes: NDArray[np.integer]) -> int:
        """The loan of which one of some outputs was made by another way than its results."""
        at = nodes - self._first
        used = self._used(self._lent[at], nodes)
        return int(max(self._kept[at].max(initial=0), used.max(initial=0)))

    def _take(self, block: Block) -> None:
        if isinstance(block, Columns):
            nodes = np.arange(block.base, block.base + block.size)
            parents = np.concatenate(block.columns) if block.columns else nodes[:0]
            children = np.tile(nodes, len(block.columns))
        else:
            sizes = np.diff(block.indptr)
            children = np.repeat(np.arange(block.base, block.base + block.size), sizes)
            parents = block.parents
        later = parents >= self._first
        children, parents = children[later], parents[later]
        if not parents.size:
            return
        if not isinstance(block, Columns) and block.sequential:  # one may be made of another
            for child, parent in zip(children.tolist(), parents.tolist(), strict=True):
                self._add(np.array([child]), np.array([parent]))
            return
        self._add(children, parents)

    def _add(self, children: NDArray[np.integer], parents: NDArray[np.integer]) -> None:
        lent = self._lent[parents - self._first]
        is_over = self._ends[lent] <= children
        used = self._used(np.where(is_over, lent, 0), parents)
        at = children - self._first
        np.maximum.at(self._kept, at, self._kept[parents - self._first])
        np.maximum.at(self._kept, at, used)
        np.maximum.at(self._lent, at, np.where(is_over, 0, lent))
        for node in np.unique(children[(lent > 0) & ~is_over]).tolist():
            number = int(self._lent[node - self._first])
            while number and node in self._loans[number - 1].results:
                number = self._around[number]
            self._lent[node - self._first] = number

    def _used(self, lent: NDArray[np.integer], nodes: NDArray[np.integer]) -> NDArray[np.integer]:
        """The loans of nodes that are used, but for results: unknowns that stay as they are."""
        used = lent.copy()
        for at in np.flatnonzero(lent).tolist():
            if int(nodes[at]) in self._loans[int(lent[at]) - 1].results:
                used[at] = 0
        return used

"""What is left of a graph whose older blocks were given up: the patterns of nodes in use.

Contract: ids stay as they were and are never given out anew.  So a node that was taken for one
which nobody knows any more, and is asked for all the same, is found out: `ForgottenNode`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

__all__ = ["ForgottenNode", "Kept"]

_Ids = NDArray[np.int32]


class ForgottenNode(BaseException):
    """A node is asked for that was not kept; the run has to be made again with all nodes.

    No error: code that tries something else after an error shall not see it.
    """


@dataclass(slots=True)
class Kept:
    """The nodes below `end`, whose blocks are gone, as far as anybody may ask for them.

    Attributes
    ----------
    end : int
        The first id that has a block.
    nodes : ndarray of int32
        Ascending.  Every other id below `end`, but those of inputs, stands for nothing.
    row : ndarray of int32
        For each its pattern: a CSR row.
    indptr, parents : ndarray
        The patterns, as ids of inputs.
    missed : list of int
        Nodes that were asked for in vain, now or in those that this one was made of.

    Examples
    --------
    >>> patterns = np.array([0, 2, 3]), np.array([2, 3, 4], np.int32)
    >>> kept = Kept(9, np.array([5, 8], np.int32), np.array([0, 1], np.int32), *patterns)
    >>> kept.parents_of(5), kept.parents_of(8)
    ([2, 3], [4])
    >>> kept.rows_of(np.array([8, 7]))
    Traceback (most recent call last):
    ...
    sparsetrace.graph.kept.ForgottenNode: 7
    """

    end: int
    nodes: _Ids
    row: _Ids
    indptr: NDArray[np.int64]
    parents: _Ids
    missed: list[int] = field(default_factory=list)

    @property
    def nbytes(self) -> int:
        """Memory taken, in bytes."""
        return sum(a.nbytes for a in (self.nodes, self.row, self.indptr, self.parents))

    def miss(self, node: int) -> NoReturn:
        """Raise the error of a node that was not kept."""
        self.missed.append(node)
        raise ForgottenNode(str(node))

    def rows_of(self, ids: NDArray[np.integer]) -> _Ids:
        """The rows of ids that are neither inputs nor constants.

        Raises
        ------
        ForgottenNode
            If one of them was not kept.
        """
        at = np.searchsorted(self.nodes, ids)
        found = np.append(self.nodes, np.int32(-1))[at] == ids
        if not found.all():
            self.miss(int(ids[~found][0]))
        return np.asarray(self.row[at])

    def parents_of(self, node: int) -> list[int]:
        """The inputs that one node depends on, as ids."""
        row = int(self.rows_of(np.array([node]))[0])
        begin, stop = self.indptr[row : row + 2].tolist()
        result: list[int] = self.parents[begin:stop].tolist()
        return result

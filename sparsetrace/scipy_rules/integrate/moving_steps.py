"""Steps in a global trace of what moves while SciPy integrates: nodes stand for it.

Contract: knows graphs and tables of functions.  What depends on such a node, and on anything else,
becomes a smooth and nonlinear function of all that; element by element.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.graph.complex_parts import joint
from sparsetrace.graph.graph import OPAQUE, Graph, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import Elements, contains_traced, ids_of
from sparsetrace.operands.unions import is_piecewise_constant, unites
from sparsetrace.scipy_rules.integrate.bends import KINKED, PIECES, PLACES
from sparsetrace.scipy_rules.rule_tools import current

__all__ = ["Moving"]

_ELSE, _STEP = 1, 2


class Moving:
    """What moves in a global trace: nodes that stand for the variables of integration.

    Parameters
    ----------
    graph : Graph

    Examples
    --------
    >>> g = Graph(2)
    >>> m = Moving(g)
    >>> place = m.begin(m.node(()))
    >>> both = g.union_scalar(4, 3)
    >>> m.moves(np.array([2, 4, both])).tolist()
    [False, False, True]
    >>> m.end(place)
    >>> m.moves(np.array([both])).tolist()
    [False]
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._active, self._begun = 0, 2
        self._bits: dict[int, int] = {}
        """Which integrals' variables a node depends on, a bit for each integral; before these
        `_ELSE`, if on anything else, and `_STEP`."""
        self._first = sys.maxsize

    def node(self, shape: tuple[int, ...]) -> Ids:
        """New nodes that depend on nothing else."""
        return self.graph.node(np.full(shape, self.graph.opaque, np.int32))

    def begin(self, nodes: Ids, *, are_states: bool = False) -> int:
        """Let nodes move that nothing has read yet; gives what `end` takes.

        States depend on the inputs, too.
        """
        bit = 1 << self._begun
        self._begun += 1
        self._active |= bit
        for node in nodes.reshape(-1).tolist():
            self._bits[node] = bit | (_ELSE if are_states else 0)
        self._first = min(self._first, *nodes.reshape(-1).tolist(), sys.maxsize)
        return bit

    def end(self, begun: int) -> None:
        """Let them rest: what has been integrated depends on their place no more."""
        self._active &= ~begun

    def rested(self, ids: Ids) -> Ids:
        """The same as nodes that do not move: an error that is small wherever they stand."""
        nodes = self.graph.node(ids)
        self._bits.update(dict.fromkeys(nodes.reshape(-1).tolist(), 0))
        return nodes

    def moves(self, ids: Ids) -> NDArray[np.bool_]:
        """Which elements depend on what moves now, and on something else."""
        ids = joint(self.graph, np.asarray(ids))
        if ids.size == 1:  # most are single numbers
            return np.full(ids.shape, self._moves(ids.item()))
        unique, places = np.unique(ids, return_inverse=True)
        answers = [self._moves(node) for node in unique.tolist()]
        return np.array(answers, bool)[places].reshape(ids.shape)

    def _moves(self, node: int) -> bool:
        bits = self._bits_of(node)
        return bool(bits & _ELSE and bits & self._active)

    def beside_steps(self, ids: Ids) -> Ids:
        """The ids of results, each of which multiplies a step with what it chooses."""
        if not self.graph.second_order:
            return ids
        mask = [bool(self._bits_of(node) & _STEP) for node in ids.reshape(-1).tolist()]
        return self._nonlinear(ids, np.array(mask, bool).reshape(ids.shape), ids)

    def _bits_of(self, node: int) -> int:
        known, waiting = self._bits, [node]
        while waiting:
            at = waiting[-1]
            if at in known:
                waiting.pop()
                continue
            if at < self._first:
                known[at] = _ELSE if at > OPAQUE else 0
                continue
            parents = self.graph.parents(at)
            unknown = [p for p in parents if p not in known]
            if unknown:
                waiting += unknown
                continue
            known[at] = 0
            for parent in parents:
                known[at] |= known[parent]
        return known[node]

    def is_smooth(self, call: Any) -> bool:
        """Whether a call gives what it gives elsewhere: no step, nor, for second order, a kink."""
        if type(call) is not tuple or not isinstance(call[0], np.ufunc):
            return call in ("read", "write")
        return not self.graph.second_order and call[1] == "__call__" and unites(call[0])

    def of_ufunc(
        self, ufunc: np.ufunc, ids_in: Sequence[Any], values_in: Sequence[Any], out: Ids
    ) -> Ids:
        """The ids of a ufunc's result that is followed as a value, where it moves.

        Parameters
        ----------
        ufunc : numpy.ufunc
        ids_in, values_in : sequence
            The operands, which are not asked for here.
        out : ndarray of int32
            The union of all operands.
        """
        if is_piecewise_constant(ufunc):
            return self._step(out, np.minimum(out, self.graph.opaque))
        return self._smooth(out, out) if ufunc in PIECES and self.graph.second_order else out

    def converted(self, ids: Ids) -> Ids:
        """The ids of whole numbers that others are made."""
        return self._step(ids, np.minimum(ids, self.graph.opaque))

    def placed(self, ids: Ids, place: Any) -> Ids:
        """The ids of places in a table or a density, which is constant or linear in pieces."""
        return self._step(ids, ids) if self.graph.second_order else ids

    def of_call(self, call: Hashable, operands: Sequence[Any], result: Any) -> None:
        """Nothing: the rule has given the ids of all operands."""

    def of_function(self, function: Callable[..., Any], args: Sequence[Any], result: Any) -> None:
        """Make what a function's rule gives nonlinear where it is linear in pieces."""
        bends = function in KINKED or any(
            self.moves(ids_of(current(), args[i])).any()
            for i in PLACES.get(function, ())
            if contains_traced(args[i])
        )
        for item in result if isinstance(result, tuple) else (result,):
            if not isinstance(item, Elements):
                continue
            if item.dtype.kind in "biu":
                item.ids = self.converted(item.ids)
            elif bends and self.graph.second_order:
                item.ids = self._smooth(item.ids, item.ids)

    def _smooth(self, out: Ids, resting: Ids) -> Ids:
        """A smooth function of all that it depends on where that moves."""
        return self._nonlinear(out, self.moves(out), resting)

    def _step(self, out: Ids, resting: Ids) -> Ids:
        result = self._smooth(out, resting)
        if self.graph.second_order:
            for node in result[self.moves(result)].tolist():
                self._bits[node] = self._bits_of(node) | _STEP
        return result

    def _nonlinear(self, out: Ids, mask: NDArray[np.bool_], others: Ids) -> Ids:
        if not mask.any():
            return others
        made = interact_all(self.graph, np.where(mask, out, np.int32(self.graph.opaque)))
        return np.where(mask, made, others)

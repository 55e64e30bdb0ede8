"""Steps and kinks of an integrand or a right-hand side, at places that depend on the inputs.

Contract: ``1.0 if t > x[0] else 0.0`` has no derivative in ``x[0]`` where it has one, but its
integral over t is smooth in ``x[0]``.  So where what a step is made of moves, with the variable of
integration or with the states, the step depends on all of that, and nonlinearly; a kink, as in
``abs(t - x[0])``, is nonlinear.  In a global trace a node stands for what moves; at a point a
step moves if its outcome is not the same wherever SciPy asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.dispatch.lent_numbers import lend
from sparsetrace.graph.graph import Ids
from sparsetrace.scipy_rules.integrate.moving_steps import Moving
from sparsetrace.scipy_rules.integrate.varying_steps import Varying
from sparsetrace.scipy_rules.rule_tools import made

__all__ = ["moving", "unwatched", "varying"]


@contextmanager
def moving(trace: Trace) -> Iterator[Callable[..., Any]]:
    """Follow steps of what moves in a global trace; gives a maker of moving numbers.

    It takes a shape, and the nodes of states, if they have some, or the id of what places
    depend on (`place_between`); with ``lent=True`` a function may keep them.

    What branches are decided on is in ``trace.conditions`` until the end.
    """
    if trace.dependency and trace.moving is None:  # all values are followed
        yield lambda shape=(), ids=None, between=None, lent=False: _unknown(
            trace, shape, _moved(trace, shape, between, lent=lent) if ids is None else ids, lent
        )
        return
    before = trace.moving, trace.dependency, trace.conditions, trace.is_quick, trace.is_idle
    trace.moving = trace.moving or Moving(trace.graph)
    begun: list[int] = []

    def place(
        shape: tuple[int, ...] = (),
        ids: Ids | None = None,
        between: Ids | None = None,
        lent: bool = False,
    ) -> Any:
        ids = _moved(trace, shape, between) if ids is None else ids
        nodes = trace.moving.node(shape) if ids is None else ids
        begun.append(trace.moving.begin(nodes, are_states=ids is not None))
        return _unknown(trace, shape, nodes, lent)

    trace.dependency, trace.conditions = True, []
    if trace.second_order:  # kinks are looked for in all that is computed
        trace.is_quick = trace.is_idle = False
    try:
        yield place
    finally:
        for each in begun:
            trace.moving.end(each)
        trace.moving, trace.dependency, trace.conditions, trace.is_quick, trace.is_idle = before


def _moved(
    trace: Trace, shape: tuple[int, ...], between: Ids | None, *, lent: bool = False
) -> Ids | None:
    """New nodes that depend on the limits of what moves."""
    if between is None:
        return trace.graph.node(trace.graph.opaques(shape)) if lent else None
    return trace.graph.node(np.full(shape, between, np.int32))


def _unknown(trace: Trace, shape: tuple[int, ...], ids: Ids | None, lent: bool) -> Any:
    ids = trace.graph.opaques(shape) if ids is None else ids
    if lent:
        lend(trace.graph, ids)
    return made(trace, ids, float, scalar=not shape)


@contextmanager
def varying(trace: Trace, *, within: bool = False) -> Iterator[Varying]:
    """Watch the steps that a function makes where SciPy calls it: those of a trace at a point."""
    if not trace.local:
        yield Varying(None, within=within)
        return
    before, choices = trace.moving, trace.choices
    steps = trace.moving = Varying(before, within=within)
    try:
        yield steps
    finally:
        trace.moving = before  # what one call compares is no search: all calls compare as much
        trace.choices = choices + (trace.choices - choices) // max(steps.calls, 1)


@contextmanager
def unwatched(trace: Trace) -> Iterator[None]:
    """Leave the steps of another function alone that SciPy calls in between."""
    before = trace.moving
    if trace.local:
        trace.moving = None
    try:
        yield
    finally:
        trace.moving = before

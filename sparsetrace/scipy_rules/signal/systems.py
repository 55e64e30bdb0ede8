"""``scipy.signal``: linear systems of traced numbers, in time.

Contract: the steps are those of SciPy, whose code gives matrices to compiled code by a way that
is not exchanged.  A state depends on the states and the forces before it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.rule_tools import array_of, makes_objects


@makes_objects
def lsim(call, system, U, T, X0, interp):
    """The response of a continuous system."""
    classes = sys.modules["scipy.signal"]
    if isinstance(system, classes.dlti):
        return call.original(system, U, T, X0, interp)
    space = (system if isinstance(system, classes.lti) else classes.lti(*system)).to_ss()
    matrices = space.A, space.B, space.C, space.D
    if not contains_traced((matrices, T)):
        return call.original(space, U, T, X0, interp)
    a, b, c, d = (np.atleast_2d(array_of(matrix)) for matrix in matrices)
    times, expm = np.atleast_1d(array_of(T)), sys.modules["scipy.linalg"].expm
    count, states, inputs = times.shape[0], a.shape[0], b.shape[1]
    forces = None if U is None else array_of(U)
    if forces is not None and not contains_traced(forces) and not np.any(forces):
        forces = None
    if forces is not None and forces.ndim < 2:
        forces = np.atleast_1d(forces)[:, None]
    gaps = np.diff(times)
    regular = contains_traced(times) or (times[0] >= 0 and np.allclose(gaps, gaps[:1]))
    if not regular or (forces is not None and forces.shape != (count, inputs)):
        return call.original(space, U, T, X0, interp)  # raises SciPy's own error
    start = np.broadcast_to(0.0 if X0 is None else array_of(X0), (states,))
    if contains_traced(times) or times[0] != 0:
        start = start @ expm(a.T * times[0])
    steps = [start]
    if count > 1:
        dt = times[1] - times[0]
        now, before, after = _transitions(expm, a * dt, b * dt, forces is not None and interp)
        for i in range(1, count):
            step = steps[-1] @ now
            if forces is not None:
                step = step + forces[i - 1] @ before
                step = step + forces[i] @ after if interp else step
            steps.append(step)
    xout = np.stack(steps)
    yout = xout @ c.T if forces is None else xout @ c.T + forces @ d.T
    return times, np.squeeze(yout), np.squeeze(xout)


def _transitions(expm, a, b, interp: bool) -> tuple[Any, Any, Any]:
    """What a step makes of the state, of the force before it, and of that after it."""
    n, m = b.shape
    blocks = [[a, b], [np.zeros((m, n)), np.zeros((m, m))]]
    if interp:
        blocks[0].append(np.zeros((n, m)))
        blocks[1].append(np.eye(m))
        blocks.append([np.zeros((m, n)), np.zeros((m, m)), np.zeros((m, m))])
    power = expm(np.concatenate([np.concatenate(row, axis=1) for row in blocks]).T)
    now, before = power[:n, :n], power[n : n + m, :n]
    if not interp:
        return now, before, None
    after = power[n + m :, :n]
    return now, before - after, after

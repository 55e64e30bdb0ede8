"""``scipy.spatial.transform.Rotation`` of traced numbers.

Contract: all that is shown of a rotation depends on all numbers that it was made of, jointly
nonlinear, and on those of no other rotation of its stack.  Where the class is compiled (before
SciPy 1.17) nothing is exchanged, and traced numbers are refused.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import ids_of, values_of
from sparsetrace.scipy_rules.rule_tools import (
    STATE,
    Call,
    Hidden,
    array_of,
    constant,
    current,
    made,
    makes_objects,
    state_of,
)


@dataclass(slots=True)
class _Stack:
    """The rotations of an object.

    Attributes
    ----------
    plain : Rotation
        Of the values at the point; of others in a global trace, for the shapes.
    ids : ndarray of int32
        What each rotation depends on.
    """

    plain: Any
    ids: Ids


def _class() -> Any:
    return sys.modules["scipy.spatial.transform"].Rotation


def _filled(holder, call: Call, plain, ids: Ids) -> Any:
    """Make an object one of traced rotations."""
    shape = plain.as_quat().shape[:-1]
    ids = interact_all(current().graph, np.maximum(np.broadcast_to(ids, shape), OPAQUE))
    for name in ("_xp", "_backend", "_single"):
        setattr(holder, name, getattr(plain, name))
    holder._quat = Hidden(call.name, "what it does has no rule", "Use as_matrix().")
    holder.__dict__[STATE] = _Stack(plain, np.asarray(ids))
    return holder


def _rotation(call: Call, plain, ids: Ids) -> Any:
    return _filled(object.__new__(_class()), call, plain, ids)


def _numbers(x) -> Any:
    """Numbers in the place of traced ones: their values, or such as a rotation is made of."""
    if current().local:
        return np.asarray(values_of(x), float)
    shape = np.shape(x)
    if shape[-2:] == (3, 3):
        return np.broadcast_to(np.eye(3), shape)
    return np.linspace(0.1, 0.3, max(int(np.prod(shape)), 1)).reshape(shape)


def _united(ids: Ids, axes: int) -> Ids:
    """The union over the last axes."""
    shape = ids.shape[: ids.ndim - axes]
    return np.asarray(current().graph.union_rows(ids.reshape(*shape, -1)))


def _from(call: Call, x, axes: int, *args, **options) -> Any:
    """A rotation for each of some vectors, or matrices."""
    x = array_of(x)
    plain = call.original(*args, _numbers(x), **options)
    return _rotation(call, plain, _united(ids_of(current(), x), min(axes, x.ndim)))


@makes_objects
def Rotation_init(call, self, quat, normalize, scalar_first):
    x = array_of(quat)
    plain = _class().from_quat(_numbers(x), scalar_first=scalar_first)
    if not normalize:
        call.refuse("normalize=False has no rule", "Leave it out.")
    _filled(self, call, plain, _united(ids_of(current(), x), 1))


@makes_objects
def Rotation_from_quat(call, quat, scalar_first):
    return _from(call, quat, 1, scalar_first=scalar_first)


@makes_objects
def Rotation_from_matrix(call, matrix, assume_valid=False):  # since SciPy 1.17
    return _from(call, matrix, 2)


@makes_objects
def Rotation_from_rotvec(call, rotvec, degrees):
    return _from(call, rotvec, 1, degrees=degrees)


@makes_objects
def Rotation_from_mrp(call, mrp):
    return _from(call, mrp, 1)


@makes_objects
def Rotation_from_euler(call, seq, angles, degrees):
    """Angles of one axis stand for a rotation each."""
    angles = array_of(angles)
    plain = call.original(seq, _numbers(angles), degrees=degrees)
    ids = ids_of(current(), angles)
    if ids.ndim and (len(seq) > 1 or ids.shape[-1] == 1):
        ids = _united(ids, 1)
    return _rotation(call, plain, ids)


# --------------------------------------------------------------- what is shown of them
def _shown(call: Call, self, *args, **options) -> Any:
    state = state_of(self)
    if state is None:
        return call.original(self, *args, **options)
    result = np.asarray(call.original(state.plain, *args, **options))
    ids = state.ids.reshape(state.ids.shape + (1,) * (result.ndim - state.ids.ndim))
    values = result if current().local else None
    filled = np.broadcast_to(ids, result.shape).copy()
    return made(current(), filled, float, values, scalar=not result.ndim)


def Rotation_as_quat(call, self, canonical, scalar_first):
    return _shown(call, self, canonical, scalar_first=scalar_first)


def Rotation_as_matrix(call, self):
    return _shown(call, self)


Rotation_as_mrp = Rotation_magnitude = Rotation_as_matrix


def Rotation_as_rotvec(call, self, degrees):
    return _shown(call, self, degrees=degrees)


def Rotation_as_euler(call, self, seq, degrees):
    return _shown(call, self, seq, degrees=degrees)


def Rotation_apply(call, self, vectors, inverse):
    trace, state = current(), state_of(self)
    vectors = array_of(vectors)
    plain = self if state is None else state.plain
    place = np.asarray(values_of(vectors), float) if trace.local else np.ones(vectors.shape)
    result = call.original(plain, place, inverse)
    ids = _united(ids_of(trace, vectors), 1)
    if state is not None:
        ids = trace.graph.union(*np.broadcast_arrays(ids, state.ids))
        ids = interact_all(trace.graph, np.maximum(ids, OPAQUE))
    ids = np.maximum(np.broadcast_to(np.asarray(ids)[..., None], result.shape), OPAQUE)
    return made(trace, ids.copy(), float, result if trace.local else None)


# ------------------------------------------------------------------- rotations of others
@makes_objects
def Rotation_inv(call, self):
    state = state_of(self)
    return _rotation(call, call.original(state.plain), state.ids)


@makes_objects
def Rotation_mul(call, self, other):
    states = state_of(self), state_of(other)
    if states == (None, None):
        return call.original(self, other)
    pairs = zip((self, other), states, strict=True)
    plain = call.original(*(x if state is None else state.plain for x, state in pairs))
    ids = [state.ids for state in states if state is not None]
    return _rotation(call, plain, current().graph.union_all(list(np.broadcast_arrays(*ids))))


@makes_objects
def Rotation_getitem(call, self, indexer):
    constant(call, indexer, "an index")
    state = state_of(self)
    return _rotation(call, call.original(state.plain, indexer), state.ids[indexer])


def Rotation_len(call, self):
    return len(state_of(self).plain)


@makes_objects
def Rotation_iter(call, self):
    stack = state_of(self)
    return iter([_rotation(call, stack.plain[i], stack.ids[i]) for i in range(len(stack.plain))])


@makes_objects
def Rotation_mean(call, self, weights):
    state = state_of(self)
    constant(call, weights, "a weight")
    if state is None:
        return call.original(self, weights)
    every = current().graph.union_rows(state.ids.reshape(-1))
    return _rotation(call, call.original(state.plain, weights), np.asarray(every))


def Rotation_pow(call, *args, **kwargs):
    call.refuse("it has no rule for traced rotations", "Use as_rotvec() and from_rotvec().")


Rotation_reduce = Rotation_approx_equal = Rotation_as_davenport = Rotation_setitem = Rotation_pow

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
from sparsetrace.operands.operands import contains_traced, ids_of, values_of
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
from sparsetrace.scipy_rules.whole import total_of


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


@makes_objects
def Rotation_pow(call, self, n, modulus):
    constant(call, modulus, "a modulus")
    trace, state = current(), state_of(self)
    plain = self if state is None else state.plain
    ids = [] if state is None else [state.ids]
    if contains_traced(n):
        power = np.asarray(values_of(n))[()] if trace.local else 0.5
        ids.append(np.asarray(ids_of(trace, n)))
    else:
        power = n
    both = trace.graph.union_all(list(np.broadcast_arrays(*ids)))
    return _rotation(call, call.plainly(plain, power), np.asarray(both))


@makes_objects
def Rotation_concatenate(call, rotations):
    if isinstance(rotations, _class()):
        return rotations
    opaque = current().graph.opaque
    stacks, ids = [], []
    for rotation in rotations:
        state = state_of(rotation)
        stacks.append(rotation if state is None else state.plain)
        of_each = np.int32(opaque) if state is None else state.ids
        count = 1 if stacks[-1].single else len(stacks[-1])
        ids.append(np.broadcast_to(of_each, (count,)))
    if all(state_of(rotation) is None for rotation in rotations):
        return call.original(rotations)
    return _rotation(call, call.plainly(stacks), np.concatenate(ids))


@makes_objects
def Rotation_from_davenport(call, axes, order, angles, degrees):
    """Angles about one axis stand for a rotation each."""
    constant(call, order, "an order")
    axes, angles, trace = array_of(axes), array_of(angles), current()
    given = np.asarray(values_of(axes), float) if contains_traced(axes) and trace.local else axes
    if contains_traced(axes) and not trace.local:
        given = np.eye(3)[: axes.shape[0]] if axes.ndim > 1 else np.eye(3)[0]
    plain = call.plainly(given, order, _numbers(angles), degrees)
    ids = ids_of(trace, angles)
    if ids.ndim and (axes.ndim > 1 or ids.shape[-1] == 1):
        ids = _united(ids, 1)
    if contains_traced(axes):
        every = trace.graph.union_rows(ids_of(trace, axes).reshape(-1))
        ids = trace.graph.union(*np.broadcast_arrays(ids, every))
    return _rotation(call, plain, np.asarray(ids))


def Rotation_as_davenport(call, self, axes, order, degrees):
    constant(call, (axes, order), "an axis")
    return _shown(call, self, axes, order, degrees=degrees)


@makes_objects
def Rotation_align_vectors(call, a, b, weights, return_sensitivity):
    """The rotation and the distance that is left; what they are for others gives the shape."""
    if return_sensitivity:
        call.refuse("the sensitivity has no rule", "Leave return_sensitivity out.")
    trace = current()
    total = np.asarray(total_of((a, b, weights)))
    sample = np.random.default_rng(0).uniform(0.5, 1.5, np.shape(a))
    a, b, weights = (
        x
        if not contains_traced(x)
        else np.asarray(values_of(x))
        if trace.local
        else sample[..., : np.shape(x)[-1]]
        for x in (a, b, weights)
    )
    plain, rest = call.plainly(a, b, weights)
    distance = made(trace, total.copy(), float, np.asarray(rest) if trace.local else None)
    return _rotation(call, plain, total), distance


def Rotation_reduce(call, *args, **kwargs):
    call.refuse("it has no rule for traced rotations", "Use as_rotvec() and from_rotvec().")


Rotation_approx_equal = Rotation_setitem = Rotation_reduce


# ------------------------------------------------------------------- between rotations
@dataclass(slots=True)
class _Between:
    """A curve through rotations at times, one of which at least is traced."""

    plain: Any
    times: Any
    ids: Ids


def _through(call: Call, self, times, rotations) -> None:
    trace, state = current(), state_of(rotations)
    if state is None and not contains_traced(times):
        call.original(self, times, rotations)
        return
    stack = rotations if state is None else state.plain
    ids = np.full(len(stack), trace.graph.opaque, np.int32) if state is None else state.ids
    places = np.asarray(values_of(times)) if trace.local else times
    if contains_traced(times):
        every = trace.graph.union_rows(ids_of(trace, array_of(times)).reshape(-1))
        ids = np.asarray(trace.graph.union(*np.broadcast_arrays(ids, every)))
        if not trace.local:
            places = np.arange(float(len(stack)))
    plain = object.__new__(type(self))
    call.plainly(plain, places, stack)
    self.__dict__[STATE] = _Between(plain, times, ids)


@makes_objects
def Slerp_init(call, self, times, rotations):
    _through(call, self, times, rotations)


@makes_objects
def RotationSpline_init(call, self, times, rotations):
    _through(call, self, times, rotations)


def _between(call: Call, self, times, *order, near: bool) -> Any:
    """What a curve gives at times; `near` is whether by the two rotations beside each."""
    trace, state = current(), state_of(self)
    plain = self if state is None else state.plain
    times = array_of(times)
    moves = contains_traced(times)
    if trace.local:
        at = np.asarray(values_of(times))
    elif moves or (state is not None and contains_traced(state.times)):
        at = np.broadcast_to(np.mean(plain.times[:2]), times.shape)
    else:
        at = times
    result = call.plainly(plain, at, *order)
    ids = np.maximum(ids_of(trace, times), OPAQUE)
    if state is not None:
        if near and not moves and not contains_traced(state.times):
            after = np.searchsorted(plain.times, at).clip(1, len(plain.times) - 1)
            before = np.where(plain.times[after] == at, after, after - 1)
            after = np.where(plain.times[before] == at, before, after)
            own = trace.graph.union(state.ids[before], state.ids[after])
        else:
            own = trace.graph.union_rows(state.ids)
        ids = np.asarray(trace.graph.union(*np.broadcast_arrays(ids, own)))
    if isinstance(result, _class()):
        return _rotation(call, result, ids)
    ids = interact_all(trace.graph, np.maximum(ids, OPAQUE))
    filled = np.broadcast_to(ids[..., None], result.shape).copy()
    return made(trace, filled, float, result if trace.local else None)


@makes_objects
def Slerp_call(call, self, times):
    return _between(call, self, times, near=True)


@makes_objects
def RotationSpline_call(call, self, times, order):
    constant(call, order, "an order")
    return _between(call, self, times, order, near=False)

"""``scipy.spatial.transform.RigidTransform`` of traced numbers.

Contract: an object holds its matrices as one traced array, of which each method computes as the
class does; rotations are those of `Rotation`.  Coordinates of other kinds have no rule.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.rule_tools import (
    STATE,
    Call,
    array_of,
    constant,
    makes_objects,
    state_of,
)


@dataclass(slots=True)
class _Transforms:
    """The matrices of an object: one of two axes, or a stack."""

    matrix: Any


class _Namespace:
    """What an object asks to copy a part of its matrices."""

    @staticmethod
    def asarray(array, copy: bool = True) -> Any:
        return array.copy()


def _module() -> Any:
    return sys.modules["scipy.spatial.transform"]


def _filled(holder, matrix) -> Any:
    """Make an object one of these matrices."""
    matrix = array_of(matrix)
    plain = _module().RigidTransform.from_matrix(np.broadcast_to(np.eye(4), matrix.shape))
    holder._single, holder._backend = plain._single, plain._backend
    holder._xp = _Namespace()
    holder._matrix = matrix[None] if plain._single else matrix
    holder.__dict__[STATE] = _Transforms(matrix)
    return holder


def _transform(matrix) -> Any:
    return _filled(object.__new__(_module().RigidTransform), matrix)


def _matrix_of(transform) -> Any:
    state = state_of(transform)
    return transform.as_matrix() if state is None else state.matrix


def _assembled(rotation, translation) -> Any:
    """The matrices of some rotations and translations."""
    translation = array_of(translation)
    shape = np.broadcast_shapes(rotation.shape[:-2], translation.shape[:-1])
    turned = np.broadcast_to(rotation, (*shape, 3, 3))
    moved = np.broadcast_to(translation, (*shape, 3))[..., None]
    last = np.broadcast_to(np.array([0.0, 0.0, 0.0, 1.0]), (*shape, 1, 4))
    return np.concatenate([np.concatenate([turned, moved], axis=-1), last], axis=-2)


def _normalized(matrix) -> Any:
    """As of a matrix that is given: its rotation is made one."""
    rotation = matrix[..., :3, :3]
    return _assembled(_module().Rotation.from_matrix(rotation).as_matrix(), matrix[..., :3, 3])


@makes_objects
def RigidTransform_init(call, self, matrix, normalize, copy):
    constant(call, normalize, "normalize")
    _checked(call, matrix)
    _filled(self, _normalized(array_of(matrix)) if normalize else matrix)


@makes_objects
def RigidTransform_from_matrix(call, matrix):
    _checked(call, matrix)
    return _transform(_normalized(array_of(matrix)))


def _checked(call: Call, matrix) -> None:
    """SciPy's errors for arrays of another shape."""
    shape = np.shape(matrix)
    _module().RigidTransform.from_matrix(
        np.broadcast_to(np.eye(4), shape) if shape[-2:] == (4, 4) else np.zeros(shape)
    )


@makes_objects
def RigidTransform_from_translation(call, translation):
    call.plainly(np.zeros(np.shape(translation)))  # which raises
    return _transform(_assembled(np.eye(3), translation))


@makes_objects
def RigidTransform_from_rotation(call, rotation):
    turned = rotation.as_matrix()
    if not contains_traced(turned):
        return call.original(rotation)
    return _transform(_assembled(turned, np.zeros(3)))


@makes_objects
def RigidTransform_from_components(call, translation, rotation):
    turned = rotation.as_matrix()
    if not contains_traced((turned, translation)):
        return call.original(translation, rotation)
    return _transform(_assembled(turned, translation))


@makes_objects
def RigidTransform_concatenate(call, transforms):
    every = transforms if isinstance(transforms, (list, tuple)) else [transforms]
    matrices = [_matrix_of(transform) for transform in every]
    if not contains_traced(matrices):
        return call.original(transforms)
    if every is not transforms:
        return _transform(matrices[0])
    return _transform(np.concatenate([m if m.ndim > 2 else m[None] for m in matrices]))


# --------------------------------------------------------------- what is shown of them
def RigidTransform_as_matrix(call, self):
    return state_of(self).matrix.copy()


def RigidTransform_apply(call, self, vector, inverse):
    constant(call, inverse, "inverse")
    matrix, vector = _matrix_of(self), array_of(vector)
    call.plainly(
        _module().RigidTransform.from_matrix(np.broadcast_to(np.eye(4), matrix.shape)),
        np.zeros(vector.shape),
    )  # which raises
    rotation, translation = matrix[..., :3, :3], matrix[..., :3, 3]
    if inverse:
        rotation, vector = np.swapaxes(rotation, -1, -2), vector - translation
    turned = (rotation @ vector[..., None])[..., 0]
    return turned if inverse else turned + translation


# ------------------------------------------------------------------ transforms of others
@makes_objects
def RigidTransform_mul(call, self, other):
    if not isinstance(other, _module().RigidTransform):
        return NotImplemented
    pair = [_matrix_of(self), _matrix_of(other)]
    return _transform(pair[0] @ pair[1]) if contains_traced(pair) else call.original(self, other)


@makes_objects
def RigidTransform_inv(call, self):
    matrix = state_of(self).matrix
    rotation = np.swapaxes(matrix[..., :3, :3], -1, -2)
    moved = (rotation @ matrix[..., :3, 3][..., None])[..., 0]
    return _transform(_assembled(rotation, -moved))


@makes_objects
def RigidTransform_getitem(call, self, indexer):
    constant(call, indexer, "an index")
    matrix = state_of(self).matrix
    if matrix.ndim == 2:
        raise TypeError("Single transform is not subscriptable.")
    return _transform(matrix[indexer])


@makes_objects
def RigidTransform_iter(call, self):
    matrix = state_of(self).matrix
    if matrix.ndim == 2:
        raise TypeError("Single transform is not iterable.")
    return iter([_transform(one) for one in matrix])

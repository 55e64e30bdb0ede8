"""``scipy.spatial.transform.RigidTransform`` of traced numbers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.spatial.transform

import sparsetrace as st
from oracles import assert_same_pattern, jacobian_pattern_at, numerical_jacobian_pattern

Rotation = scipy.spatial.transform.Rotation
T = getattr(scipy.spatial.transform, "RigidTransform", None)
pytestmark = pytest.mark.skipif(
    T is None or not hasattr(T, "__reduce__") or not hasattr(T, "_from_raw_matrix"),
    reason="before SciPy 1.17 the class is compiled, or not there",
)
START = np.array([0.5, 1.5, 0.7, 1.1])
TURNED = Rotation.from_rotvec([0.1, 0.2, 0.3])
POINTS = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]])


def _matrix(x):
    return np.array([[1, 0, 0, x[0]], [0, 1, 0, x[1]], [0, 0, 1, x[2]], [0, 0, 0, 1.0]])


def _stack(x):
    return T.from_translation(np.stack([x[:3], x[1:]]))


CALLS = {
    "translation": lambda x: T.from_translation(x[:3]).apply(np.ones(3)),
    "matrix": lambda x: T.from_translation(x[:3]).as_matrix(),
    "points": lambda x: T.from_components([1.0, 2, 3], TURNED).apply(x[:3]),
    "many points": lambda x: T.from_components(x[:3], TURNED).apply(POINTS),
    "back": lambda x: T.from_components(x[:3], TURNED).apply(POINTS[0], inverse=True),
    "rotation": lambda x: T.from_rotation(Rotation.from_rotvec(x[:3])).apply(POINTS[0]),
    "rotation and translation": lambda x: T.from_components(
        x[:3], Rotation.from_rotvec(x[1:])
    ).as_matrix(),
    "components": lambda x: np.append(
        T.from_components(x[:3], TURNED).as_components()[0],
        T.from_components(x[:3], Rotation.from_rotvec(x[1:])).rotation.as_quat(),
    ),
    "product": lambda x: (T.from_translation(x[:3]) * T.from_rotation(TURNED)).as_matrix(),
    "product with a constant": lambda x: (
        (T.from_rotation(TURNED) * T.from_translation(x[:3])).translation
    ),
    "inverse": lambda x: T.from_components(x[:3], TURNED).inv().translation,
    "from a matrix": lambda x: T.from_matrix(_matrix(x)).apply(POINTS[0]),
    "constructor": lambda x: T(_matrix(x), normalize=False).translation,
    "stack": lambda x: _stack(x).apply(POINTS),
    "element": lambda x: _stack(x)[1].apply(POINTS[0]) * len(_stack(x)),
    "loop": lambda x: np.concatenate([t.translation for t in _stack(x)]),
    "concatenated": lambda x: T.concatenate([T.from_translation(x[:3]), T.identity()]).as_matrix()[
        :, 0
    ],
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_patterns(name, local):
    oracle = jacobian_pattern_at if local else numerical_jacobian_pattern
    f = CALLS[name]
    assert_same_pattern(st.jacobian_sparsity(f, START, local=local), oracle(f, START))


REFUSED = {
    "exponential coordinates": lambda x: T.from_translation(x[:3]).as_exp_coords(),
    "of exponential coordinates": lambda x: T.from_exp_coords(np.append(x, x[:2])).as_matrix(),
    "power": lambda x: (T.from_translation(x[:3]) ** 2).as_matrix(),
    "mean": lambda x: _stack(x).mean().as_matrix(),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_rule_is_refused(name, local):
    with pytest.raises(st.TracingError, match="RigidTransform"):
        st.jacobian_sparsity(REFUSED[name], START, local=local)


def test_errors_are_those_of_scipy():
    for f in (
        lambda x: T.from_matrix(x.reshape(2, 2)),
        lambda x: T.from_translation(x[:2]),
        lambda x: T.from_translation(x[:3]).apply(x),
    ):
        with pytest.raises(ValueError, match="Expected"):
            st.jacobian_sparsity(f, START)

"""Images at traced places whose number follows from traced values too: at a point."""

from __future__ import annotations

import numpy as np
import scipy.ndimage as nd

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, jacobian_pattern_at

IMAGE = np.random.default_rng(2).uniform(0.5, 1.5, (4, 4))


def test_rotate_into_a_larger_image():
    """The angle decides the size of the result, and its values as well."""

    def rotated(x):
        return nd.rotate(IMAGE, 90 * x[0], order=1) * x[1]

    point = np.array([0.31, 0.7])
    pattern = st.jacobian_sparsity(rotated, point, local=True)
    assert_covers(pattern, jacobian_pattern_at(rotated, point))
    assert pattern.nnz < pattern.shape[0] * 2


def test_zoom_by_a_traced_factor():
    def zoomed(x):
        return nd.zoom(x[:2], 1 + x[2])

    point = np.array([0.31, 0.7, 0.6])
    assert_same_pattern(
        st.jacobian_sparsity(zoomed, point, local=True), jacobian_pattern_at(zoomed, point)
    )

"""Meshes of traced points, which are known at a point alone."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.spatial as ss

import sparsetrace as st
from oracles import assert_covers, jacobian_pattern_at

START = np.array([1.31, 0.52, 1.67, 0.93, 0.41, 1.12])
CORNERS = np.array([[0, 0], [3, 0.1], [3.1, 3], [0, 3.05]])


def _points(x):
    return np.concatenate([CORNERS, x.reshape(3, 2)])


MESHES = {
    "Delaunay": lambda x: (mesh := ss.Delaunay(_points(x))).points[mesh.simplices[0]],
    "Delaunay, hull": lambda x: _points(x)[ss.Delaunay(_points(x)).convex_hull] * x[0],
    "Voronoi": lambda x: ss.Voronoi(_points(x)).vertices,
    "Voronoi, ridges": lambda x: _points(x)[ss.Voronoi(_points(x)).ridge_points[:2]] * x[1],
    "ConvexHull": lambda x: ss.ConvexHull(_points(x) * x[0]).equations[:, 0],
}


@pytest.mark.parametrize("name", MESHES)
def test_meshes_at_a_point(name):
    f = MESHES[name]
    assert_covers(st.jacobian_sparsity(f, START, local=True), jacobian_pattern_at(f, START))
    with pytest.raises(st.TracingError, match="local=True"):
        st.jacobian_sparsity(f, START)


REFUSED = {
    "transform": lambda x: ss.Delaunay(_points(x)).transform[0],
    "plane_distance": lambda x: ss.Delaunay(_points(x)).plane_distance(CORNERS / 2),
    "lift_points": lambda x: ss.Delaunay(_points(x)).lift_points(CORNERS),
    "find_simplex": lambda x: ss.Delaunay(_points(x)).find_simplex(CORNERS / 2) * x[:4],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_mesh_computes_of_traced_points_is_refused(name):
    for local in (False, True):
        with pytest.raises(st.TracingError, match="scipy"):
            st.jacobian_sparsity(REFUSED[name], START, local=local)

"""Calls of ``scipy.cluster`` and of the shortest ways of ``scipy.sparse.csgraph``."""

from __future__ import annotations

import numpy as np
import scipy.cluster.hierarchy as hierarchy
import scipy.cluster.vq as vq
import scipy.sparse as ss
import scipy.sparse.csgraph as csgraph
import scipy.spatial.distance as distance

CODES = np.array([[0.2, 0.4], [1.5, 1.1], [0.7, 0.6]])


def _graph(x):
    """Weights of the ways from node to node."""
    return np.array([[0.0, x[0], 2.5 * x[1]], [x[2], 0.0, x[3]], [x[1], 0.0, 0.0]])


def _sparse(x):
    places = np.array([0, 0, 1, 1, 2]), np.array([1, 2, 0, 2, 0])
    return ss.csr_array((x[:5] + 0.1, places), shape=(3, 3))


CLUSTERS = {
    "linkage": lambda x: hierarchy.linkage(x.reshape(3, 2), "average")[:, 2],
    "linkage, condensed": lambda x: hierarchy.linkage(x[:3], "complete")[:, 2] * x[3],
    "linkage, joined": lambda x: hierarchy.ward(x.reshape(3, 2))[:, 3] * x[:2],
    "single": lambda x: hierarchy.single(x.reshape(3, 2))[:, 2].sum(),
    "vq": lambda x: vq.vq(x.reshape(3, 2), CODES)[1],
    "vq, codes": lambda x: vq.vq(CODES, x.reshape(3, 2))[1],
    "vq, scalars": lambda x: vq.vq(x[:4], x[4:] + 1)[1],
    "directed_hausdorff": lambda x: distance.directed_hausdorff(x.reshape(3, 2), CODES)[0],
    "shortest_path": lambda x: csgraph.shortest_path(_graph(x)),
    "dijkstra, one": lambda x: csgraph.dijkstra(_graph(x), indices=0)[1:] * x[4],
    "floyd_warshall": lambda x: csgraph.floyd_warshall(_graph(x))[0],
    "johnson": lambda x: csgraph.johnson(_graph(x))[1],
    "bellman_ford, sparse": lambda x: csgraph.bellman_ford(_sparse(x))[2],
}
"""By name: functions of six numbers."""

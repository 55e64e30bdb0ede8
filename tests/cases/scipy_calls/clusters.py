"""Calls of ``scipy.cluster`` and ``scipy.sparse.csgraph``."""

from __future__ import annotations

import numpy as np
import scipy.cluster.hierarchy as hierarchy
import scipy.cluster.vq as vq
import scipy.sparse as ss
import scipy.sparse.csgraph as csgraph
import scipy.spatial.distance as distance

START = np.array([1.31, 0.52, 1.67, 0.93, 0.41, 1.12])
CODES = np.array([[0.2, 0.4], [1.5, 1.1], [0.7, 0.6]])


def _graph(x):
    """Weights of the ways from node to node."""
    return np.array([[0.0, x[0], 2.5 * x[1]], [x[2], 0.0, x[3]], [x[1], 0.0, 0.0]])


def _tree(x):
    return hierarchy.linkage(x.reshape(3, 2), "average")


def _sparse(x):
    places = np.array([0, 0, 1, 1, 2]), np.array([1, 2, 0, 2, 0])
    return ss.csr_array((x[:5] + 0.1, places), shape=(3, 3))


CLUSTERS = {
    "linkage": lambda x: hierarchy.linkage(x.reshape(3, 2), "average")[:, 2],
    "linkage, condensed": lambda x: hierarchy.linkage(x[:3], "complete")[:, 2] * x[3],
    "linkage, joined": lambda x: hierarchy.ward(x.reshape(3, 2))[:, 3] * x[:2],
    "single": lambda x: hierarchy.single(x.reshape(3, 2))[:, 2].sum(),
    "cophenet": lambda x: hierarchy.cophenet(_tree(x)),
    "cophenet, distances": lambda x: hierarchy.cophenet(_tree(START), x[:3])[0],
    "inconsistent": lambda x: hierarchy.inconsistent(_tree(x)),
    "maxRstat": lambda x: hierarchy.maxRstat(_tree(x), hierarchy.inconsistent(_tree(x)), 0),
    "optimal_leaf_ordering": lambda x: hierarchy.optimal_leaf_ordering(
        _tree(x), distance.pdist(x.reshape(3, 2))
    )[:, 2],
    "ranked, fcluster": lambda x: hierarchy.fcluster(_tree(x), 1.0) * x[:3],
    "ranked, cut_tree": lambda x: hierarchy.cut_tree(_tree(x), 2)[1:, 0] + x[:2],
    "ranked, is_valid_linkage": lambda x: hierarchy.is_valid_linkage(_tree(x)) * x[0],
    "ranked, to_mlab_linkage": lambda x: (
        hierarchy.to_mlab_linkage(_tree(x))[:, 1] * hierarchy.num_obs_linkage(_tree(x)) * x[:2]
    ),
    "kmeans": lambda x: vq.kmeans(x.reshape(3, 2), 1, iter=1)[1],
    "kmeans2": lambda x: vq.kmeans2(x.reshape(3, 2), CODES[:1], minit="matrix")[0],
    "vq": lambda x: vq.vq(x.reshape(3, 2), CODES)[1],
    "vq, codes": lambda x: vq.vq(CODES, x.reshape(3, 2))[1],
    "vq, scalars": lambda x: vq.vq(x[:4], x[4:] + 1)[1],
    "directed_hausdorff": lambda x: distance.directed_hausdorff(x.reshape(3, 2), CODES)[0],
    "shortest_path": lambda x: csgraph.shortest_path(_graph(x)),
    "dijkstra, one": lambda x: csgraph.dijkstra(_graph(x), indices=0)[1:] * x[4],
    "floyd_warshall": lambda x: csgraph.floyd_warshall(_graph(x))[0],
    "johnson": lambda x: csgraph.johnson(_graph(x))[1],
    "bellman_ford, sparse": lambda x: csgraph.bellman_ford(_sparse(x))[2],
    "ranked, is_valid_dm": lambda x: (
        x[0] + x[1] * x[0] if distance.is_valid_dm(_graph(x)) else x[:2].sum()
    ),
    "edges, breadth_first_tree": lambda x: csgraph.breadth_first_tree(_sparse(x), 0).toarray(),
    "edges, depth_first_tree": lambda x: csgraph.depth_first_tree(_sparse(x), 0).data,
    "edges, reconstruct_path": lambda x: csgraph.reconstruct_path(
        _graph(x), np.array([-9999, 0, 1])
    ).toarray(),
    "edges, csgraph_from_dense": lambda x: csgraph.csgraph_from_dense(_graph(x)).data,
    "edges, csgraph_to_dense": lambda x: csgraph.csgraph_to_dense(_sparse(x), -1) ** 2,
    "ranked, connected_components": lambda x: csgraph.connected_components(_graph(x))[0] * x[0],
    "ranked, connected_components of sparse": lambda x: x[
        csgraph.connected_components(_sparse(x))[1]
    ],
    "ranked, min_weight_full_bipartite_matching": lambda x: (
        csgraph.min_weight_full_bipartite_matching(_sparse(x))[1] + x[:3]
    ),
}
"""By name: functions of six numbers."""

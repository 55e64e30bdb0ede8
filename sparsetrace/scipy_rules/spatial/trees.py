"""``scipy.spatial``: nearest points, hulls and meshes of traced points.

Contract: which points are near, and which are joined, has no derivative, and is known at a point
alone.  A distance depends on the coordinates of its two points; what a hull is like, on those of
its corners.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import KDTree

from sparsetrace.graph.graph import OPAQUE
from sparsetrace.operands.operands import ids_of, values_of
from sparsetrace.scipy_rules.rule_tools import (
    STATE,
    Call,
    Hidden,
    array_of,
    constant,
    current,
    harmless,
    made,
    makes_objects,
    spread,
    state_of,
    without_numbers,
)
from sparsetrace.scipy_rules.spatial.distance import minkowski_of
from sparsetrace.scipy_rules.whole import ranked, total_of

_LOCAL = "Take a pattern at a point with local=True."
Delaunay_find_simplex = ranked


# ------------------------------------------------------------------------ nearest points
def _refusal(name: str) -> Any:
    def refuse(self, *args, **kwargs) -> Any:
        state_of(self)[0].refuse(f"{name} of a tree of traced points has no rule", "Use query.")

    return refuse


class _TracedTree(KDTree):  # type: ignore[misc]
    """A tree of traced points."""

    data = property(lambda self: state_of(self)[1])
    n = property(lambda self: self.data.shape[0])
    m = property(lambda self: self.data.shape[1])
    size = property(_refusal("size"))
    maxes = property(lambda self: np.max(self.data, axis=0))
    mins = property(lambda self: np.min(self.data, axis=0))

    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=np.inf, workers=1) -> Any:
        """All distances, and of these the smallest."""
        call, points = state_of(self)
        x, n = array_of(x), len(points)
        ranks = _ranks(call, k, eps, p, distance_upper_bound)
        every = without_numbers(minkowski_of(x[..., None, :], points, p))
        order, distances = np.argsort(every, axis=-1), np.sort(every, axis=-1)
        missing = max(max(ranks) - n, 0)
        if missing:
            ends = np.ones((*distances.shape[:-1], missing))
            distances = np.concatenate([distances, np.inf * ends], axis=-1)
            order = np.concatenate([order, (n * ends).astype(int)], axis=-1)
        distances, order = (a[..., np.array(ranks) - 1] for a in (distances, order))
        if distance_upper_bound < np.inf:
            far = distances >= distance_upper_bound
            distances, order = np.where(far, np.inf, distances), np.where(far, n, order)
        return _as_asked(distances, k), _as_asked(order, k)


for _name in "query_ball_point query_ball_tree query_pairs count_neighbors".split():
    setattr(_TracedTree, _name, _refusal(_name))
for _name in ("tree", "indices", "sparse_distance_matrix"):
    setattr(_TracedTree, _name, property(_refusal(_name)))


@harmless("leafsize", "compact_nodes", "copy_data", "balanced_tree")
@makes_objects
def KDTree_init(call, self, data, boxsize):
    if boxsize is not None:
        call.refuse("boxsize= has no rule", "Leave it out.")
    if type(self) is not KDTree:
        call.refuse("a class that inherits from it has no rule", "Use KDTree.")
    points = array_of(data)
    # compiled code that is given this tree finds one of other dimensions, and fails
    call.plainly(self, np.zeros((1, points.shape[-1] + 1)))
    self.__class__ = _TracedTree
    self.__dict__[STATE] = (call, points)


def _of_two_trees(call: Call, self, other, *args, **kwargs) -> Any:
    """Of two trees of constants: compiled code sees no traced points."""
    if state_of(other) is not None:
        call.refuse("a tree of traced points has no rule here", "Use its method query.")
    return call.original(self, other, *args, **kwargs)


KDTree_count_neighbors = KDTree_query_ball_tree = KDTree_sparse_distance_matrix = _of_two_trees


def _ranks(call: Call, k, eps, p, bound) -> list[int]:
    """Of the nearest, the second nearest... which are asked for."""
    constant(call, (k, eps, p, bound), "how many neighbours, and how near,")
    if eps:
        call.refuse("eps= has no rule", "Leave it out.")
    ranks = np.asarray(k)
    return (ranks if ranks.ndim else 1 + np.arange(k)).tolist()  # type: ignore[no-any-return]


def _as_asked(found, k) -> Any:
    """One neighbour of each point has no axis."""
    return found[..., 0] if np.isscalar(k) and k == 1 else found


@harmless("workers")
def KDTree_query(call, self, x, k, eps, p, distance_upper_bound):
    """Of points that are constants.  In a global trace any of them stands for the nearest."""
    if state_of(self) is not None:
        return _TracedTree.query(self, x, k, eps, p, distance_upper_bound)
    ranks, x, trace = _ranks(call, k, eps, p, distance_upper_bound), array_of(x), current()
    points, found = np.asarray(self.data), None
    near = np.zeros((*x.shape[:-1], len(ranks)), int)
    if trace.local:
        found = call.plainly(self, np.array(values_of(x)), ranks, 0.0, p, distance_upper_bound)[1]
        near = np.where(found < len(points), found, 0)
    if self.boxsize is not None:  # which coordinate differs most is not looked at
        p = 2.0
    distances = minkowski_of(x[..., None, :], points[near], p)
    if found is not None:
        distances = np.where(found < len(points), distances, np.inf)
    ids = ids_of(trace, distances)
    if found is None:  # a constant distance is that to another point
        ids = np.maximum(ids, OPAQUE)
        distances = made(trace, ids, float)
    order = made(trace, ids if trace.dependency else np.full_like(ids, trace.graph.opaque), int)
    return _as_asked(distances, k), _as_asked(order, k)


cKDTree_query = KDTree_query
"""The class in C, which KDTree is derived from."""


# ------------------------------------------------------------------------ hulls and meshes
def _at_corners(points, corners) -> Any:
    """What depends on all points with these numbers."""
    return total_of(points[np.unique(corners)])


@makes_objects
def ConvexHull_init(call, self, points, incremental, qhull_options):
    """In a global trace its size alone is known: how many corners it has depends on the points."""
    constant(call, (incremental, qhull_options), "an option")
    trace, points = current(), array_of(points)
    if incremental:
        call.refuse("incremental=True has no rule", "Leave it out.")
    sample = np.random.default_rng(0).normal(size=points.shape)
    call.plainly(self, np.array(values_of(points)) if trace.local else sample, False, qhull_options)
    corners = np.array(self.vertices)
    total = _at_corners(points, corners) if trace.local else total_of(points)
    facets = np.array(self.simplices)
    for name in ("volume", "area"):
        setattr(self, name, spread(trace, total, float(getattr(self, name))))
    if trace.local:
        ids = np.array([_at_corners(points, facet) for facet in facets], np.int32)
        self.equations = spread(trace, ids, self.equations)
    else:
        hidden = Hidden(call.name, "how many facets it has depends on the points", _LOCAL)
        for name in "equations simplices neighbors coplanar good nsimplex _vertices".split():
            setattr(self, name, hidden)
    self._points = points
    self.min_bound, self.max_bound = np.min(points, axis=0), np.max(points, axis=0)


def _mesh(call: Call, self, points, *options) -> Any:
    """Fill a mesh of the points at the point, and give it these; which are joined stays."""
    constant(call, options, "an option")
    if not current().local:
        call.refuse("which points are joined depends on the points", _LOCAL)
    furthest_site, incremental, qhull_options = options
    if incremental:
        call.refuse("incremental=True has no rule", "Leave it out.")
    points = array_of(points)
    call.plainly(self, np.array(values_of(points)), furthest_site, False, qhull_options)
    self._points = points
    self.min_bound, self.max_bound = np.min(points, axis=0), np.max(points, axis=0)
    return points


@makes_objects
def Voronoi_init(call, self, points, furthest_site, incremental, qhull_options):
    points = _mesh(call, self, points, furthest_site, incremental, qhull_options)
    self.vertices = spread(current(), total_of(points), self.vertices)


@makes_objects
def Delaunay_init(call, self, points, furthest_site, incremental, qhull_options):
    """Its simplices and their neighbours; what it computes of points has no rule."""
    _mesh(call, self, points, furthest_site, incremental, qhull_options)
    hidden = Hidden(call.name, "it has no rule for traced points", "Use its simplices.")
    for name in ("equations", "paraboloid_scale", "paraboloid_shift", "_transform"):
        setattr(self, name, hidden)

"""``scipy.sparse.csgraph``: lengths of shortest ways.

Contract: a length depends on all weights; which nodes a way visits has no derivative.
"""

from __future__ import annotations

from sparsetrace.scipy_rules.whole import whole

shortest_path = dijkstra = floyd_warshall = bellman_ford = johnson = whole

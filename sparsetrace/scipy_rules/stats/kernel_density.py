"""``scipy.stats.gaussian_kde``: of traced points, and of traced data, weights and bandwidths.

Contract: an object of traced data holds them, as it does ordinary ones, and computes its
covariance from them.  A density at a point depends on all coordinates of that point, and on
all of the data, nonlinearly.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import contains_traced, ids_of, values_of
from sparsetrace.scipy_rules.rule_tools import Call, array_of, current, made


def gaussian_kde_evaluate(call, self, points):
    return _density(call, self, points)


def gaussian_kde_logpdf(call, self, x):
    return _density(call, self, x)


gaussian_kde_call = gaussian_kde_evaluate


def _density(call: Call, kde, points) -> Any:
    trace = current()
    points = np.atleast_2d(array_of(points))
    if points.shape[0] != kde.d and points.shape == (1, kde.d):
        points = np.reshape(points, (kde.d, 1))
    if points.shape[0] != kde.d:
        raise ValueError(f"points have dimension {len(points)}, dataset has dimension {kde.d}")
    since = trace.graph.size
    held = [x for x in (kde.dataset, kde.weights, kde.cho_cov) if contains_traced(x)]
    count = points.shape[1]
    parts = [np.broadcast_to(np.ravel(ids_of(trace, x)), (count, np.size(x))) for x in held]
    rows = np.concatenate([ids_of(trace, points).T, *parts], axis=1)
    ids = interact_all(trace.graph, trace.graph.union_rows(rows), since)
    values = None
    if trace.local:
        plain = copy.copy(kde)
        vars(plain).update({name: values_of(x) for name, x in vars(kde).items()})
        values = call.plainly(plain, values_of(points))
    return made(trace, ids, float, values)

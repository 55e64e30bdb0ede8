"""``scipy.cluster``: trees of clusters, and the nearest of a table of codes.

Contract: which clusters are joined, and which code is nearest, has no derivative; how far they are
from each other depends on the observations.
"""

from __future__ import annotations

import numpy as np

from sparsetrace.scipy_rules.rule_tools import Call, array_of
from sparsetrace.scipy_rules.whole import ranked, whole


def linkage(call: Call, *args, **kwargs):
    """Each distance depends on all observations."""
    distances = whole(call, *args, **kwargs)
    joined = ranked(call, *args, **kwargs)
    return np.stack([joined[:, 0], joined[:, 1], distances[:, 2], joined[:, 3]], axis=1)


single = complete = average = weighted = centroid = median = ward = linkage


def vq(call: Call, obs, code_book, check_finite=True):
    """The nearest code of each observation, and its distance."""
    obs, codes = array_of(obs), array_of(code_book)
    if obs.ndim != codes.ndim or obs.ndim not in (1, 2):
        raise ValueError("Observation and code_book should have the same rank, 1 or 2")
    if obs.ndim == 1:
        distances = np.abs(obs[:, None] - codes[None, :])
    elif obs.shape[1] != codes.shape[1]:
        raise ValueError("Observation and code_book have different numbers of features")
    else:
        distances = np.sqrt(np.sum((obs[:, None, :] - codes[None, :, :]) ** 2, axis=-1))
    return np.argmin(distances, axis=1), np.min(distances, axis=1)

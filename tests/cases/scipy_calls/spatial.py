"""scipy.spatial.distance: functions of four traced numbers."""

from __future__ import annotations

import numpy as np
import scipy.spatial.distance as sd

from cases.scipy_calls.constants import TABLE

METRICS = {
    **{
        f"cdist, {metric}": lambda x, m=metric: sd.cdist(
            x.reshape(2, 2), [[0.9, 1.1], [0.5, 0.2]], m
        )
        for metric in (
            "euclidean",
            "sqeuclidean",
            "cityblock",
            "chebyshev",
            "cosine",
            "braycurtis",
            "canberra",
        )
    },
    "cdist, minkowski": lambda x: sd.cdist(x[None, :2], x[None, 2:], "minkowski", p=3),
    "cdist, weights": lambda x: sd.cdist(x[None, :2], x[None, 2:], "minkowski", p=2, w=[1.0, 0]),
    "cdist, itself": lambda x: (lambda p: sd.cdist(p, p))(x.reshape(2, 2)),
    "cdist, callable": lambda x: sd.cdist(
        x.reshape(2, 2), [[0.1, 3.0]], lambda u, v: np.abs(u[0] - v[0])
    ),
    "cdist, correlation": lambda x: sd.cdist(x[None, :3], [[0.1, 3.0, 1.0]], "correlation"),
    "cdist, seuclidean": lambda x: sd.cdist(x.reshape(2, 2), [[1.0, 3]], "seuclidean", V=[1.0, 2]),
    "cdist, mahalanobis": lambda x: sd.cdist(
        x.reshape(2, 2), [[1.0, 3]], "mahalanobis", VI=np.eye(2)
    ),
    "cdist, jensenshannon": lambda x: sd.cdist(x[None], [[0.1, 0.2, 0.3, 0.5]], "jensenshannon"),
    "pdist": lambda x: sd.pdist(np.concatenate([x.reshape(2, 2), [[0.2, 1.0]]])),
    "pdist, line": lambda x: sd.pdist(x[:, None]),
    "pdist, seuclidean": lambda x: sd.pdist(
        np.concatenate([x.reshape(2, 2), TABLE[:, :2] + 2]), "seuclidean"
    ),
    "squareform": lambda x: sd.squareform(x[:3]),
    "squareform, back": lambda x: sd.squareform(sd.squareform(x[:3]) * 2.0),
    "euclidean": lambda x: sd.euclidean(x[:2], x[2:]),
    "cosine": lambda x: sd.cosine(x[:2], [1.0, 2.0]),
    "cityblock": lambda x: sd.cityblock(x[:2], x[2:]),
}

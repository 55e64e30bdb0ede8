"""scipy.spatial.distance: functions of four traced numbers."""

from __future__ import annotations

import numpy as np
import scipy.spatial.distance as sd
from scipy.spatial import ConvexHull, Delaunay, KDTree, cKDTree
from scipy.spatial.transform import Rotation, RotationSpline, Slerp

from cases.scipy_calls.constants import TABLE

CORNERS = np.array([[0, 0], [3, 0.1], [3.1, 3], [0, 3.05]])
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
    "chebyshev, weights": lambda x: sd.chebyshev(x[:2], [1.1, 1.2], x[2:]),
    "minkowski, largest of weighted": lambda x: sd.minkowski(x[:2], [1.1, 1.2], np.inf, x[2:]),
    "dice": lambda x: sd.dice(x[:2], x[2:]),
    "dice, weights": lambda x: sd.dice(x[:2], [0.3, 0.8], w=x[2:]),
    "rogerstanimoto": lambda x: sd.rogerstanimoto(x[:2], x[2:]),
    "russellrao": lambda x: sd.russellrao(x[:2], x[2:]),
    "russellrao, weights": lambda x: sd.russellrao(x[:2], [0.3, 0.8], w=x[2:]),
    "sokalsneath": lambda x: sd.sokalsneath(x[:2], x[2:]),
    "yule": lambda x: sd.yule(x[:2], x[2:]),
    "hamming": lambda x: sd.hamming(x[:2], x[2:]) * x[0],
    "hamming, weights": lambda x: sd.hamming([1.0, 0, 1], [1.0, 1, 0], w=x[:3]),
    "jaccard, weights": lambda x: sd.jaccard([1.0, 0, 1], [1.0, 1, 0], w=x[:3]),
    "jensenshannon": lambda x: sd.jensenshannon(x[:2], x[2:], base=2.0),
    "jensenshannon, axis": lambda x: sd.jensenshannon(
        x.reshape(2, 2), [[0.2], [0.9]], axis=0, keepdims=True
    ),
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

NEAR = KDTree(TABLE[:, :2] + 2)
NEAR_IN_C = cKDTree(TABLE[:, :2] + 2)
HULLS = {  # of four numbers
    "query": lambda x: NEAR.query(x.reshape(2, 2))[0],
    "query, two": lambda x: NEAR.query(x[:2], k=2, p=1)[0] * x[2],
    "query, far": lambda x: np.minimum(
        NEAR.query(x.reshape(2, 2), distance_upper_bound=2.5)[0], 9.0
    ),
    "query, which": lambda x: TABLE[NEAR.query(x[:2])[1]] * x[2],
    "cKDTree": lambda x: NEAR_IN_C.query(x.reshape(2, 2), k=2)[0],
    "cKDTree, which": lambda x: TABLE[NEAR_IN_C.query(x[:2])[1]] * x[2],
    "KDTree": lambda x: KDTree(x.reshape(2, 2)).query([[0.9, 1.1], [0.5, 0.2]])[0],
    "KDTree, third": lambda x: KDTree(x.reshape(2, 2)).query([0.9, 1.1], k=[2, 3])[0][:1],
    "ConvexHull": lambda x: [
        (hull := ConvexHull(x[:, None] / 9 + CORNERS)).volume, hull.area * x[0], hull.points[0],
    ],
    "find_simplex": lambda x: Delaunay(CORNERS).find_simplex(x.reshape(2, 2)) + x[:2],
}  # fmt: skip

THREE = Rotation.from_rotvec([[0.1, 0.2, 0.3], [0.5, 0.1, 0.2], [0.3, 0.9, 0.4]])
ROTATIONS = {  # of six numbers
    "from_rotvec": lambda x: Rotation.from_rotvec(x[:3]).as_matrix(),
    "from_rotvec, stack": lambda x: Rotation.from_rotvec(x.reshape(2, 3)).as_quat(),
    "from_euler": lambda x: Rotation.from_euler("xyz", x[:3]).as_rotvec(),
    "from_euler, one axis": lambda x: Rotation.from_euler("z", x[:, None]).magnitude(),
    "from_quat": lambda x: Rotation.from_quat(x[:4]).as_euler("xyz"),
    "from_mrp": lambda x: Rotation.from_mrp(x[:3] / 5).as_rotvec(),
    "from_matrix": lambda x: Rotation.from_matrix(
        Rotation.from_rotvec(x[:3]).as_matrix() + np.diag(x[3:]) / 9
    ).as_rotvec(),
    "Rotation": lambda x: Rotation(x[:4]).as_rotvec(),
    "apply": lambda x: Rotation.from_euler("xyz", x[:3]).apply(x[3:]),
    "apply, constant": lambda x: Rotation.from_rotvec([0.1, 0.2, 0.3]).apply(x.reshape(2, 3)),
    "apply, inverse": lambda x: Rotation.from_rotvec(x.reshape(2, 3)).apply([1, 2, 3], True),
    "mul": lambda x: (Rotation.from_rotvec(x[3:]) * Rotation.from_rotvec(x[:3])).as_mrp(),
    "mul, constant": lambda x: (
        Rotation.from_rotvec([0.1, 0.2, 0.3]) * Rotation.from_rotvec(x[:3])
    ).as_rotvec(),
    "mul, no traced": lambda x: (
        (Rotation.from_rotvec([0.1, 0.2, 0.3]) * Rotation.identity()).as_matrix() @ x[:3]
    ),
    "inv": lambda x: Rotation.from_rotvec(x[:3]).inv().as_quat(),
    "magnitude": lambda x: Rotation.from_rotvec(x.reshape(2, 3)).magnitude(),
    "index": lambda x: Rotation.from_rotvec(x.reshape(2, 3))[1].as_quat(),
    "mean": lambda x: Rotation.from_rotvec(x.reshape(2, 3)).mean().as_quat(),
    "pow": lambda x: (Rotation.from_rotvec(x[:3]) ** 2.5).as_rotvec(),
    "pow, traced": lambda x: (Rotation.from_rotvec([0.1, 0.2, 0.3]) ** x[0]).as_quat() * x[1],
    "concatenate": lambda x: Rotation.concatenate(
        [Rotation.from_rotvec(x[:3]), Rotation.identity(), Rotation.from_rotvec(x[None, 3:])]
    ).as_matrix()[:, 1],
    "from_davenport": lambda x: Rotation.from_davenport(
        [[0, 0, 1], [0, 1, 0]], "extrinsic", x[:2]
    ).as_rotvec(),
    "as_davenport": lambda x: Rotation.from_rotvec(x[:3]).as_davenport(np.eye(3), "extrinsic"),
    "align_vectors": lambda x: [
        Rotation.align_vectors(x.reshape(2, 3), [[1, 0, 0.3], [0, 1, 0.2]])[0].as_quat(),
        Rotation.align_vectors([[1, 0, 0.3], [0, 1, 0.2]], x.reshape(2, 3))[1],
    ],
    "Slerp": lambda x: Slerp([0, 1], Rotation.from_rotvec(x.reshape(2, 3)))([0.3, 1]).as_rotvec(),
    "Slerp, times": lambda x: Slerp([0, 1, 2], THREE)(x[:2]).as_quat() * x[2],
    "Slerp, all": lambda x: Slerp([x[0], x[1] + 2], THREE[:2])(2.0).as_rotvec() * x[2],
    "RotationSpline": lambda x: RotationSpline([0, 1], Rotation.from_rotvec(x.reshape(2, 3)))(
        0.3
    ).as_rotvec(),
    "RotationSpline, rate": lambda x: RotationSpline([0, 1, 2], THREE)(x[0], 1) * x[1],
    "iteration": lambda x: [r.as_quat() for r in Rotation.from_rotvec(x.reshape(2, 3))],
}
if Rotation.__flags__ & 1 << 8:  # compiled, before SciPy 1.17
    ROTATIONS = {name: f for name, f in ROTATIONS.items() if name == "mul, no traced"}

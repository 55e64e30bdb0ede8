"""Problems that optimisers are shown with: plain NumPy code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class LeastSquares:
    """Residuals, where to start, and the other arguments."""

    residuals: Callable[..., Any]
    start: np.ndarray
    args: tuple[Any, ...]


# The functions of SciPy's cookbook, "Large-scale bundle adjustment", as they stand there.
def rotate(points, rot_vecs):
    """Rotate points by given rotation vectors; Rodrigues' formula."""
    theta = np.linalg.norm(rot_vecs, axis=1)[:, np.newaxis]
    with np.errstate(invalid="ignore"):
        v = rot_vecs / theta
        v = np.nan_to_num(v)
    dot = np.sum(points * v, axis=1)[:, np.newaxis]
    cos_theta = np.cos(theta)
    sin_theta = np.sin(theta)
    return cos_theta * points + sin_theta * np.cross(v, points) + dot * (1 - cos_theta) * v


def project(points, camera_params):
    """Convert 3-D points to 2-D by projecting onto images."""
    points_proj = rotate(points, camera_params[:, :3])
    points_proj += camera_params[:, 3:6]
    points_proj = -points_proj[:, :2] / points_proj[:, 2, np.newaxis]
    f = camera_params[:, 6]
    k1 = camera_params[:, 7]
    k2 = camera_params[:, 8]
    n = np.sum(points_proj**2, axis=1)
    r = 1 + k1 * n + k2 * n**2
    points_proj *= (r * f)[:, np.newaxis]
    return points_proj


def fun(params, n_cameras, n_points, camera_indices, point_indices, points_2d):
    """Compute residuals."""
    camera_params = params[: n_cameras * 9].reshape((n_cameras, 9))
    points_3d = params[n_cameras * 9 :].reshape((n_points, 3))
    points_proj = project(points_3d[point_indices], camera_params[camera_indices])
    return (points_proj - points_2d).ravel()


def bundle_adjustment(
    cameras: int, points: int, seed: int, seen: int | None = None
) -> LeastSquares:
    """Cameras before a cloud of points, each of which `seen` cameras see (all by default)."""
    random = np.random.default_rng(seed)
    camera = np.zeros((cameras, 9))
    camera[:, :3] = random.normal(scale=0.1, size=(cameras, 3))
    camera[:, 3:6] = random.normal(scale=0.3, size=(cameras, 3)) - [0, 0, 6]
    camera[:, 6] = 500 + random.normal(scale=10, size=cameras)
    cloud = random.uniform(-1, 1, size=(points, 3))
    seen = cameras if seen is None else seen
    camera_indices = np.concatenate([random.permutation(cameras)[:seen] for _ in range(points)])
    point_indices = np.repeat(np.arange(points), seen)
    images = project(cloud[point_indices], camera[camera_indices])
    images += random.normal(scale=0.5, size=images.shape)
    true = np.concatenate([camera.ravel(), cloud.ravel()])
    sizes = np.concatenate([np.tile([0.01] * 6 + [5, 1e-3, 1e-3], cameras), [0.02] * 3 * points])
    return LeastSquares(
        fun,
        true + sizes * random.normal(size=true.size),
        (cameras, points, camera_indices, point_indices, images),
    )


def rosenbrock_terms(x):
    """The terms of Rosenbrock's function, chained."""
    return 100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2


def rosenbrock(x):
    """Their sum."""
    return rosenbrock_terms(x).sum()


def hs071(x):
    """Problem 71 of Hock and Schittkowski, 1981: the objective."""
    return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]


def hs071_constraints(x):
    """Its constraints: at least 25, and 40."""
    return np.array([np.prod(x), np.sum(x**2)])


HS071_START = np.array([1.0, 5.0, 5.0, 1.0])
HS071_OPTIMUM = 17.0140173


@dataclass(frozen=True)
class SwingUp:
    """A pendulum swung up in two seconds by a torque, by trapezoidal collocation.

    The unknowns are angles, rates and torques at all times.
    """

    steps: int

    @property
    def step(self):
        """Seconds between two times."""
        return 2.0 / self.steps

    @property
    def start(self):
        """Angles along a straight line."""
        angle = np.linspace(0, np.pi, self.steps + 1)
        return np.concatenate([angle, np.full_like(angle, np.pi / 2), np.zeros_like(angle)])

    def effort_terms(self, z):
        """The terms of the objective."""
        torque = z.reshape(3, -1)[2]
        return self.step / 2 * (torque[1:] ** 2 + torque[:-1] ** 2)

    def effort(self, z):
        """The integral of the torque's square."""
        return self.effort_terms(z).sum()

    def defects(self, z):
        """Zero where the motion obeys the law, begins hanging and ends upright, both at rest."""
        angle, rate, torque = z.reshape(3, -1)
        acceleration = torque - 9.81 * np.sin(angle)
        h = self.step / 2
        return np.concatenate(
            [
                angle[1:] - angle[:-1] - h * (rate[1:] + rate[:-1]),
                rate[1:] - rate[:-1] - h * (acceleration[1:] + acceleration[:-1]),
                [angle[0], rate[0], angle[-1] - np.pi, rate[-1]],
            ]
        )

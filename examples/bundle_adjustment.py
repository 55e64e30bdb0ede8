"""Cameras and points from images: ``python examples/bundle_adjustment.py``.

The residuals are those of SciPy's cookbook, "Large-scale bundle adjustment"; there the pattern is
written by hand.  Here one name changes: `least_squares` comes from sparsetrace.
"""

import numpy as np
import scipy.optimize

from sparsetrace.solvers import least_squares

CAMERAS, POINTS = 5, 40


def rotate(points, rotations):
    """Rodrigues' formula."""
    angle = np.linalg.norm(rotations, axis=1)[:, np.newaxis]
    axis = rotations / angle
    along = np.sum(points * axis, axis=1)[:, np.newaxis]
    turned = np.cos(angle) * points + np.sin(angle) * np.cross(axis, points)
    return turned + along * (1 - np.cos(angle)) * axis


def project(points, cameras):
    """Points in space onto images; nine numbers a camera."""
    seen = rotate(points, cameras[:, :3]) + cameras[:, 3:6]
    flat = -seen[:, :2] / seen[:, 2, np.newaxis]
    squared = np.sum(flat**2, axis=1)
    distortion = 1 + cameras[:, 7] * squared + cameras[:, 8] * squared**2
    return flat * (distortion * cameras[:, 6])[:, np.newaxis]


def residuals(unknowns, camera_of, point_of, images):
    global calls
    calls += 1
    cameras = unknowns[: CAMERAS * 9].reshape(CAMERAS, 9)
    points = unknowns[CAMERAS * 9 :].reshape(POINTS, 3)
    return (project(points[point_of], cameras[camera_of]) - images).ravel()


random = np.random.default_rng(0)
cameras = random.normal(size=(CAMERAS, 9)) * [0.1] * 9 + [0, 0, 0, 0, 0, -6, 500, 0, 0]
points = random.uniform(-1, 1, size=(POINTS, 3))
camera_of, point_of = np.repeat(np.arange(CAMERAS), POINTS), np.tile(np.arange(POINTS), CAMERAS)
images = project(points[point_of], cameras[camera_of])
images += random.normal(scale=0.5, size=images.shape)
start = np.concatenate([cameras.ravel(), points.ravel()])
start += 0.01 * random.normal(size=start.size)

options = {"x_scale": "jac", "ftol": 1e-8, "args": (camera_of, point_of, images)}
costs, counts, points_found = [], [], []
for solver in (least_squares, scipy.optimize.least_squares):
    calls = 0
    solution = solver(residuals, start, **options)
    assert solution.success
    costs.append(solution.cost)
    counts.append(calls)
    points_found.append(solution.fun)
    print(f"{solver.__module__}: cost {solution.cost:.3f}, {calls} calls")
difference = np.abs(points_found[0] - points_found[1]).max()
gain = counts[1] / counts[0]
print(f"{gain:.0f} times fewer calls, greatest difference of the residuals {difference:.1e}")
assert np.isclose(*costs, rtol=1e-3)
assert counts[0] < counts[1] / 3

"""scipy.ndimage: functions of four traced numbers."""

from __future__ import annotations

import numpy as np
import scipy.ndimage as nd

from cases.scipy_calls.constants import HEIGHTS, KERNEL, TABLE

ALL_MODES = (
    *("reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror"),
    *("grid-wrap", "wrap"),
)
MIXED = np.array([[1, 1, 2], [2, 1, 0], [2, 1, 2], [0, 1, 2]])
REGIONS = [1, 2, 2, 1]
WHOLE = (10 * TABLE).astype(int)
MODES = ("reflect", "mirror", "nearest", "wrap", "constant")
IMAGES = {
    **{
        f"correlate1d, {mode}": lambda x, m=mode: nd.correlate1d(x, KERNEL, mode=m)
        for mode in MODES
    },
    **{
        f"correlate, {mode}": lambda x, m=mode: nd.correlate(
            x.reshape(2, 2), TABLE[:3, :2] - 0.3, mode=m
        )
        for mode in MODES
    },
    "correlate1d, traced weights": lambda x: nd.correlate1d(x[2:], x[:2], mode="wrap"),
    "convolve, traced weights": lambda x: nd.convolve(TABLE, x.reshape(2, 2), mode="nearest"),
    "correlate1d, origin": lambda x: nd.correlate1d(x, [1.0, 2, 3], origin=1, mode="constant"),
    "correlate1d, even": lambda x: nd.correlate1d(x, [1.0, 2.0], mode="nearest", origin=-1),
    "correlate1d, cval": lambda x: nd.correlate1d(x, [1.0, 2.0], mode="constant", cval=1.0),
    "convolve1d": lambda x: nd.convolve1d(x.reshape(2, 2), [1.0, 0, 3], axis=0),
    "convolve1d, even": lambda x: nd.convolve1d(x, [1.0, 2.0, 0, 3.0], mode="constant"),
    "convolve": lambda x: nd.convolve(x.reshape(2, 2), TABLE[:2, :3], mode="constant"),
    "convolve, axes": lambda x: nd.convolve(x.reshape(2, 2), [1.0, 2, 0], mode="wrap", axes=[1]),
    "gaussian_filter": lambda x: nd.gaussian_filter(x.reshape(2, 2), 0.4, mode="constant"),
    "gaussian_filter, radius": lambda x: nd.gaussian_filter(x, 1.0, radius=1, mode="nearest"),
    "gaussian_filter1d": lambda x: nd.gaussian_filter1d(x, 0.3, order=1, mode="constant"),
    "gaussian_filter1d, second": lambda x: nd.gaussian_filter1d(x, 0.6, order=2, truncate=2),
    "gaussian_laplace": lambda x: nd.gaussian_laplace(x.reshape(2, 2), 0.3),
    "gaussian_gradient_magnitude": lambda x: nd.gaussian_gradient_magnitude(
        x.reshape(2, 2), 0.3, mode="nearest"
    ),
    "uniform_filter": lambda x: nd.uniform_filter(x.reshape(2, 2), (2, 1), mode="constant"),
    "uniform_filter1d": lambda x: nd.uniform_filter1d(x, 3, mode="mirror", origin=-1),
    "sobel": lambda x: nd.sobel(x.reshape(2, 2), axis=0),
    "prewitt": lambda x: nd.prewitt(x.reshape(2, 2), mode="constant"),
    "laplace": lambda x: nd.laplace(x.reshape(2, 2), mode="wrap"),
    "maximum_filter": lambda x: nd.maximum_filter(x.reshape(2, 2), (1, 2)),
    "maximum_filter, footprint": lambda x: nd.maximum_filter(
        x, footprint=[1, 0, 1], mode="nearest"
    ),
    "maximum_filter1d": lambda x: nd.maximum_filter1d(x, 2, mode="constant", cval=0.6),
    "minimum_filter": lambda x: nd.minimum_filter(x, 2, origin=-1),
    "minimum_filter1d": lambda x: nd.minimum_filter1d(x, 3),
    "median_filter": lambda x: nd.median_filter(x, 3),
    "percentile_filter": lambda x: nd.percentile_filter(x, -40, 2),
    "rank_filter": lambda x: nd.rank_filter(x, -1, footprint=[1, 1, 0]),
    "rank_filter, holes": lambda x: nd.rank_filter(
        x, 1, footprint=[1, 0, 1, 1], mode="constant", cval=9.0
    ),
    "rank_filter, reflected four times": lambda x: nd.rank_filter(x[:3], 2, 23),
    **{
        f"rank_filter, repeated, {mode}": lambda x, m=mode: nd.rank_filter(
            x.reshape(2, 2), 1, (7, 2), mode=m, cval=9.0
        )
        for mode in MODES
    },
    "minimum_filter, repeated": lambda x: nd.minimum_filter(
        x[:2], footprint=np.arange(9) % 3, mode="mirror"
    ),
    "correlate, repeated": lambda x: nd.correlate(x[:2], np.arange(1.0, 10.0)),
    "convolve, repeated": lambda x: nd.convolve(x[:2], x[1:], mode="wrap", origin=1),
    "generic_filter, repeated": lambda x: nd.generic_filter(x[:2], lambda v: v[0] * v[-1], 9),
    "grey_dilation, repeated": lambda x: nd.grey_dilation(
        x[:2], structure=np.arange(9.0) / 9, mode="wrap"
    ),
    "map_coordinates": lambda x: nd.map_coordinates(TABLE, x.reshape(2, 2)),
    "map_coordinates, linear": lambda x: nd.map_coordinates(TABLE, x.reshape(2, 2), order=1),
    **{
        f"shift, {mode}": lambda x, m=mode: nd.shift(x.reshape(2, 2), (0.3, 0), mode=m)
        for mode in ALL_MODES
    },
    **{
        f"shift, linear {mode}": lambda x, m=mode: nd.shift(x, 1.4, order=1, mode=m)
        for mode in ALL_MODES
    },
    **{
        f"shift, far {mode}": lambda x, m=mode: nd.shift(x, -2.7, order=2, mode=m)
        for mode in ALL_MODES
    },
    **{
        f"shift, order {order}": lambda x, n=order: nd.shift(x, 0.4, order=n, mode="mirror")
        for order in range(6)
    },
    **{
        f"shift, no prefilter {order}": lambda x, n=order: nd.shift(
            x, 0.5 * (n % 2), order=n, mode="grid-wrap", prefilter=False
        )
        for order in range(2, 6)
    },
    "shift, traced": lambda x: nd.shift(TABLE, x[:2] - 0.6, mode="nearest") * x[2],
    "shift, both": lambda x: nd.shift(x[:3], 4 * x[3] - 4, order=1, mode="mirror"),
    "shift, whole": lambda x: nd.shift(x, 1),
    "zoom": lambda x: nd.zoom(x.reshape(2, 2), 1.5),
    "zoom, linear": lambda x: nd.zoom(x, 2, order=1),
    "zoom, grid": lambda x: nd.zoom(x, 2, order=1, mode="grid-constant", grid_mode=True),
    "zoom, nearest": lambda x: nd.zoom(x, 0.5, order=0, mode="nearest", grid_mode=True),
    "zoom, 1": lambda x: nd.zoom(x, 1),
    "rotate": lambda x: nd.rotate(x.reshape(2, 2), 20, mode="nearest"),
    "rotate, right": lambda x: nd.rotate(x.reshape(2, 2), 90, order=1, mode="nearest"),
    "rotate, stack": lambda x: nd.rotate(
        x.reshape(2, 2, 1), 30, (0, 2), order=1, reshape=False, mode="mirror"
    ),
    "rotate, traced": lambda x: nd.rotate(TABLE, 20 * x[0], reshape=False, mode="mirror") * x[1],
    "affine_transform": lambda x: nd.affine_transform(
        x.reshape(2, 2), [[1, 0.2], [0, 1]], [0.1, 0], mode="mirror", order=1
    ),
    "affine_transform, diagonal": lambda x: nd.affine_transform(x, [0.5], 0.2, output_shape=(5,)),
    "affine_transform, homogeneous": lambda x: nd.affine_transform(
        x.reshape(2, 2), [[1, 0.2, 0.1], [0, 1, 0], [0, 0, 1]], mode="mirror", order=1
    ),
    "affine_transform, traced": lambda x: nd.affine_transform(
        TABLE, x.reshape(2, 2), mode="nearest"
    ),
    "affine_transform, offset": lambda x: nd.affine_transform(
        TABLE, [0.9, 1.1], x[:2] / 3, order=1, mode="mirror"
    ),
    "geometric_transform": lambda x: nd.geometric_transform(
        x.reshape(2, 2), lambda p: (p[1] * 0.9, p[0]), mode="mirror", order=1
    ),
    "geometric_transform, traced": lambda x: nd.geometric_transform(
        TABLE, lambda p: (p[0] * x[0] / 3 + 0.3, p[1] + x[1] / 9), mode="mirror"
    ),
    "map_coordinates, image": lambda x: nd.map_coordinates(x, [[0.5, 1.0, 3.2, 2.9]], mode="wrap"),
    "map_coordinates, complex": lambda x: nd.map_coordinates(x * (1 + 1j), [[0.5, 1.0]]).real,
    "map_coordinates, counts": lambda x: nd.map_coordinates(WHOLE, x.reshape(2, 2)) * x[0],
    "map_coordinates, both": lambda x: nd.map_coordinates(x[:3], x[None, 3:], order=1) * x[0],
    "spline_filter": lambda x: nd.spline_filter(x.reshape(2, 2), 2),
    "spline_filter1d": lambda x: nd.spline_filter1d(x, mode="grid-wrap"),
    "spline_filter1d, linear": lambda x: nd.spline_filter1d(x, 1),
    "map_coordinates, line": lambda x: nd.map_coordinates(HEIGHTS, x[None], order=1),
    "grey_erosion": lambda x: nd.grey_erosion(x.reshape(2, 2), 2),
    "grey_erosion, structure": lambda x: nd.grey_erosion(x, structure=[0.1, 0.3], mode="mirror"),
    "grey_dilation": lambda x: nd.grey_dilation(x.reshape(2, 2), (2, 1), mode="nearest"),
    "grey_dilation, footprint": lambda x: nd.grey_dilation(x, footprint=[1, 1, 0], origin=-1),
    "grey_dilation, structure": lambda x: nd.grey_dilation(
        x, structure=[0.1, 0.3, 0.0], mode="constant", cval=0.9
    ),
    "grey_opening": lambda x: nd.grey_opening(x, 2),
    "grey_closing": lambda x: nd.grey_closing(x, 2, mode="nearest"),
    "white_tophat": lambda x: 2 * nd.white_tophat(x, 2) + 3 * x,
    "black_tophat": lambda x: 2 * nd.black_tophat(x, 2) + 3 * x,
    "morphological_gradient": lambda x: nd.morphological_gradient(x, 2, mode="wrap"),
    "morphological_laplace": lambda x: nd.morphological_laplace(x, 2) + 3 * x,
    "sum_labels": lambda x: nd.sum_labels(x, REGIONS, [1, 2, 3]),
    "mean": lambda x: nd.mean(x, REGIONS, [1, 2]),
    "mean, all": lambda x: nd.mean(x.reshape(2, 2)),
    "variance": lambda x: nd.variance(x, REGIONS, 1),
    "standard_deviation": lambda x: nd.standard_deviation(x, REGIONS),
    "maximum": lambda x: nd.maximum(x, REGIONS, [2, 1]),
    "minimum": lambda x: nd.minimum(x),
    "median": lambda x: nd.median(x, REGIONS, [1]),
    "center_of_mass": lambda x: nd.center_of_mass(x.reshape(2, 2)),
    "center_of_mass, labels": lambda x: np.array(nd.center_of_mass(x, REGIONS, [1, 2])),
    "labeled_comprehension": lambda x: nd.labeled_comprehension(
        x, REGIONS, [1, 2, 3], lambda v: np.sum(v**2), float, 0.5
    ),
    "labeled_comprehension, order": lambda x: nd.labeled_comprehension(
        np.outer(x, [1, 2, 3]), MIXED, [2, 1], lambda v: v[0] * v[1], float, 0
    ),
    "labeled_comprehension, positions": lambda x: nd.labeled_comprehension(
        np.outer(x, [1, 2, 3]), MIXED, [1, 5, 0], lambda v, p: v[0] * v[p.argmax()], float, -1, True
    ),
    "generic_filter": lambda x: nd.generic_filter(x, lambda v: v[0] * v[1] + x[3], 2),
    "generic_laplace": lambda x: nd.generic_laplace(
        x.reshape(2, 2), lambda a, *rest: nd.correlate1d(a, [1, -2, 1], *rest), mode="wrap"
    ),
    "generic_gradient_magnitude": lambda x: nd.generic_gradient_magnitude(
        x.reshape(2, 2), nd.prewitt, mode="constant"
    ),
    "fourier_gaussian": lambda x: nd.fourier_gaussian(x, 0.7),
    "fourier_shift": lambda x: nd.fourier_shift(x.reshape(2, 2), 0.3).real,
    "fourier_uniform": lambda x: nd.fourier_uniform(x, 0.7, n=6),
    **{
        f"{name.__name__}, cval": lambda x, f=name: f(x[:3], 3, mode="constant", cval=x[3])
        for name in (nd.uniform_filter, nd.median_filter, nd.grey_dilation)
    },
    "correlate, cval": lambda x: nd.correlate(
        x[:2, None], [[1.0, 0.0, 2.0]], mode="constant", cval=x[3]
    ),
    "gaussian_filter, sigma": lambda x: nd.gaussian_filter(x[:3], x[3], mode="nearest"),
    "gaussian_filter, sigma radius": lambda x: nd.gaussian_filter(
        TABLE, (x[0], 0.5), radius=1, mode="constant", cval=x[1]
    ),
    "gaussian_laplace, sigma": lambda x: nd.gaussian_laplace(TABLE, x[0]),
    "grey_erosion, traced structure": lambda x: nd.grey_erosion(x[:2], structure=x[2:]),
    "fourier_gaussian, sigma": lambda x: nd.fourier_gaussian(TABLE, x[:2] / 9),
    "fourier_uniform, size": lambda x: nd.fourier_uniform(x[:3], x[3], 4).real,
    "fourier_ellipsoid, size": lambda x: nd.fourier_ellipsoid(TABLE, x[:2]).real,
    "fourier_shift, shift": lambda x: nd.fourier_shift(TABLE[:, :3], x[:2]).imag,
    "shift, cval": lambda x: nd.shift(x[:3], 1.4, order=1, cval=x[3]),
    "map_coordinates, cval": lambda x: nd.map_coordinates(
        HEIGHTS, [[-0.2, 1.5]], order=3, mode="grid-constant", cval=x[0]
    ),
    "generic_filter, closure": lambda x: nd.generic_filter(HEIGHTS, lambda w: w[0] * x[0], 2),
    "labeled_comprehension, closure": lambda x: nd.labeled_comprehension(
        HEIGHTS, [1, 1, 2, 2, 3, 3], [1, 2], lambda v: v.sum() * x[0], float, 0
    ),
    "generic_filter1d": lambda x: nd.generic_filter1d(
        x, lambda line, out: np.copyto(out, line[:-2] * line[1:-1]), 3, mode="constant"
    ),
    "vectorized_filter, repeated": lambda x: nd.vectorized_filter(
        x[:2], lambda v, axis: v.sum(axis), size=19
    ),
    "vectorized_filter": lambda x: nd.vectorized_filter(
        x.reshape(2, 2), np.mean, size=(1, 2), mode="nearest"
    ),
    "vectorized_filter, footprint": lambda x: nd.vectorized_filter(
        x, np.sum, footprint=[True, False, True], mode="constant", cval=1.0
    ),
    "label": lambda x: nd.label(x)[0] * x,
    "binary_dilation": lambda x: nd.binary_dilation(x > 1) * x,
    "distance_transform_edt": lambda x: nd.distance_transform_edt(x > 1) * x,
    "distance_transform_edt, sampling": lambda x: nd.distance_transform_edt([1.0, 1, 0], x[:1]),
    "extrema": lambda x: nd.extrema(x)[:2],
    "extrema, labels": lambda x: nd.extrema(x, REGIONS, [1, 2])[1],
    "maximum_position": lambda x: x * nd.maximum_position(x)[0],
    "histogram": lambda x: x * nd.histogram(x, 0, 2, 4),
    "sum_labels, traced": lambda x: nd.sum_labels(x, x > 1, 1),
}

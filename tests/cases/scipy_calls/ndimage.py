"""scipy.ndimage: functions of four traced numbers."""

from __future__ import annotations

import scipy.ndimage as nd

from cases.scipy_calls.constants import HEIGHTS, KERNEL, TABLE

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
    "map_coordinates": lambda x: nd.map_coordinates(TABLE, x.reshape(2, 2)),
    "map_coordinates, linear": lambda x: nd.map_coordinates(TABLE, x.reshape(2, 2), order=1),
    "map_coordinates, line": lambda x: nd.map_coordinates(HEIGHTS, x[None], order=1),
}

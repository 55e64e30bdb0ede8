"""What ``python -m sparsetrace demo`` shows: two functions, traced as they stand.

Contract: the functions are plain NumPy and know nothing of sparsetrace.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparsetrace.api.detection import jacobian_sparsity
from sparsetrace.api.pattern import SparsityPattern

__all__ = ["brusselator", "convolution", "main"]

Array = NDArray[np.float64]


def convolution(image: Array, kernel: Array) -> Array:
    """Convolutional layer, 'valid', stride 1.

    Parameters
    ----------
    image : array of shape (height, width, channels)
        The inputs.
    kernel : array of shape (rows, columns, channels, features)
        The weights.

    Returns
    -------
    array of shape (height - rows + 1, width - columns + 1, features)
        The layer's outputs.

    Examples
    --------
    >>> convolution(np.ones((4, 4, 3)), np.ones((3, 3, 3, 2))).shape
    (2, 2, 2)
    """
    rows, columns = kernel.shape[:2]
    high, wide = image.shape[0] - rows + 1, image.shape[1] - columns + 1
    taps = [
        image[i : i + high, j : j + wide] @ kernel[i, j]
        for i in range(rows)
        for j in range(columns)
    ]
    total: Array = sum(taps[1:], start=taps[0])
    return total


def brusselator(u: Array, v: Array) -> tuple[Array, Array]:
    """Right-hand side of the 2-D Brusselator on a periodic grid.

    Parameters
    ----------
    u, v : array of shape (n, n)
        The concentrations of the two reactants.

    Returns
    -------
    tuple of two arrays of shape (n, n)
        Their rates of change.

    Examples
    --------
    >>> rates = brusselator(np.ones((6, 6)), np.ones((6, 6)))
    >>> [rate.shape for rate in rates]
    [(6, 6), (6, 6)]
    """

    def laplacian(w: Array) -> Array:
        vertical = np.roll(w, 1, axis=0) + np.roll(w, -1, axis=0)
        horizontal = np.roll(w, 1, axis=1) + np.roll(w, -1, axis=1)
        return (vertical + horizontal - 4 * w) * len(w) ** 2

    reaction = u**2 * v
    return 1 + reaction - 4.4 * u + laplacian(u), 3.4 * u - reaction + laplacian(v)


def _show(title: str, detect: Callable[[], SparsityPattern]) -> None:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        pattern = detect()
        times.append(time.perf_counter() - start)
    print(f"{title}: traced in {1e3 * min(times):.2f} ms (best of {len(times)})")
    print(pattern, end="\n\n")


def main() -> None:
    """Trace both functions and print their patterns."""
    kernel = np.random.default_rng(0).normal(size=(3, 3, 3, 2))
    image, grid = np.zeros((28, 28, 3)), np.zeros((24, 24))
    _show(
        "convolution, 28 x 28 x 3, 3 x 3 kernel, 2 features",
        lambda: jacobian_sparsity(lambda x: convolution(x, kernel), image),
    )
    _show(
        "Brusselator, 24 x 24 grid",
        lambda: jacobian_sparsity(brusselator, grid, grid, argnums=(0, 1)),
    )

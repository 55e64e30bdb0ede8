"""A convolutional layer in four writings, one pattern: ``python examples/convolution.py``.

The layer of SparseConnectivityTracer.jl's README: an image of 28 x 28 pixels and 3
channels, a 3 x 3 kernel, 2 features, no padding.
"""

import time

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

import sparsetrace as st

SIZE, CHANNELS, FEATURES = 28, 3, 2
KERNEL = np.random.default_rng(0).normal(size=(3, 3, CHANNELS, FEATURES))


def taps(image):
    """One shifted product for each number of the kernel, into a buffer."""
    out = np.zeros((SIZE - 2, SIZE - 2, FEATURES))
    for i, j, channel, feature in np.ndindex(KERNEL.shape):
        shifted = image[i : i + SIZE - 2, j : j + SIZE - 2, channel]
        out[:, :, feature] += KERNEL[i, j, channel, feature] * shifted
    return out


def windows(image):
    """One product of all windows with the kernel."""
    every = sliding_window_view(image, (3, 3), axis=(0, 1))
    return np.tensordot(every, KERNEL, axes=([3, 4, 2], [0, 1, 2]))


def named_sums(image):
    every = sliding_window_view(image, (3, 3), axis=(0, 1))
    return np.einsum("hwcij,ijcf->hwf", every, KERNEL)


class Conv:
    """A layer as a class, as people write it."""

    def __init__(self, weights, bias, activation):
        self.weights, self.bias, self.activation = weights, bias, activation

    def __call__(self, image):
        rows, columns, _, features = self.weights.shape
        height, width = image.shape[0] - rows + 1, image.shape[1] - columns + 1
        out = np.empty((height, width, features))
        for i in range(height):
            patch = image[i : i + rows]
            for j in range(width):
                window = patch[:, j : j + columns]
                out[i, j] = np.tensordot(window, self.weights, 3) + self.bias
        return self.activation(out)


layer = Conv(KERNEL, np.zeros(FEATURES), np.tanh)
image = np.zeros((SIZE, SIZE, CHANNELS))
first = None
for write in (taps, windows, named_sums, layer):
    start = time.perf_counter()
    pattern = st.jacobian_sparsity(write, image)
    name = getattr(write, "__name__", type(write).__name__)
    print(f"{name:10} {pattern!r} in {1e3 * (time.perf_counter() - start):.1f} ms")
    assert pattern.shape == (1352, 2352)
    assert pattern.nnz == 36_504
    assert first is None or (pattern != first).nnz == 0
    first = pattern

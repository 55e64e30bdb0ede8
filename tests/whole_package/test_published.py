"""Published patterns: SparseConnectivityTracer.jl's README and performance page, and others.

Hill and Dalle, "Sparser, Better, Faster, Stronger: Sparsity Detection for Efficient
Automatic Differentiation" (2025); indices here are from 0.
"""

from __future__ import annotations

import numpy as np
import pytest

from oracles import assert_same_pattern, numerical_jacobian_pattern
from sparsetrace import jacobian_sparsity


def test_readme_jacobian():
    def f(x):
        return np.stack([x[0] ** 2, 2 * x[0] * x[1] ** 2, np.sin(x[2])])

    pattern = jacobian_sparsity(f, np.ones(3))
    assert_same_pattern(pattern, [[1, 0, 0], [1, 1, 0], [0, 0, 1]])


# ------------------------------------------------------------------ convolution
KERNEL = np.random.default_rng(0).normal(size=(3, 3, 3, 2))


def shifted_products(image):
    """One product of a slice and a number for each tap, channel and feature: 54."""
    h, w, channels = image.shape
    features = []
    for feature in range(KERNEL.shape[3]):
        total = 0.0
        for i in range(3):
            for j in range(3):
                for c in range(channels):
                    tap = KERNEL[i, j, c, feature]
                    total = total + image[i : h - 2 + i, j : w - 2 + j, c] * tap
        features.append(total)
    return np.stack(features, axis=-1)


def windows_and_tensordot(image):
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(0, 1))
    return np.tensordot(windows, KERNEL, axes=([3, 4, 2], [0, 1, 2]))


def windows_and_einsum(image):
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(0, 1))
    return np.einsum("hwcij,ijcf->hwf", windows, KERNEL)


WRITINGS = (shifted_products, windows_and_tensordot, windows_and_einsum)


def convolution_pattern(h, w):
    """Output (y, x, f) depends on every channel of the 3 x 3 pixels from (y, x) on."""
    expected = np.zeros((h - 2, w - 2, 2, h, w, 3), bool)
    for y, x in np.ndindex(h - 2, w - 2):
        expected[y, x, :, y : y + 3, x : x + 3] = True
    return expected.reshape((h - 2) * (w - 2) * 2, h * w * 3)


@pytest.mark.parametrize("f", WRITINGS)
def test_convolution(f):
    pattern = jacobian_sparsity(f, np.ones((28, 28, 3)))
    assert pattern.shape == (1352, 2352)
    assert pattern.nnz == 36_504
    assert_same_pattern(pattern, convolution_pattern(28, 28))


@pytest.mark.parametrize("f", WRITINGS)
def test_the_writings_of_the_convolution_agree(f):
    image = np.random.default_rng(1).normal(size=(6, 7, 3))
    np.testing.assert_allclose(f(image), shifted_products(image))


def test_a_kernel_with_zeros_has_fewer_entries():
    kernel = np.array([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])

    def laplacian(image):
        windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
        return np.einsum("hwij,ij->hw", windows, kernel)

    assert jacobian_sparsity(laplacian, np.ones((10, 10))).nnz == 5 * 64


# ------------------------------------------------------------------- Brusselator
def brusselator(u):
    """The reaction and diffusion of two species on an N x N periodic grid."""
    n = u.shape[1]
    x, y = u

    def laplacian(v):
        around = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1)
        return (around - 4.0 * v) * n**2

    return np.stack(
        [
            1.0 + x**2 * y - 4.4 * x + 10.0 * laplacian(x),
            3.4 * x - x**2 * y + 10.0 * laplacian(y),
        ]
    )


@pytest.mark.parametrize(("n", "entries"), [(6, 432), (24, 6_912), (100, 120_000)])
def test_brusselator(n, entries):
    pattern = jacobian_sparsity(brusselator, np.ones((2, n, n)))
    assert pattern.shape == (2 * n * n, 2 * n * n)
    assert pattern.nnz == entries
    assert (np.diff(pattern.indptr) == 6).all()


def test_brusselator_is_the_numerical_one():
    point = np.random.default_rng(0).uniform(1.0, 2.0, (2, 4, 4))
    pattern = jacobian_sparsity(brusselator, point)
    assert_same_pattern(pattern, numerical_jacobian_pattern(brusselator, point, rtol=1e-8))


# ---------------------------------------------------- cosine similarity, softmax
def similarity(a, b):
    """a: (W, R, B), b: (W, N, B); softmax over the N rows of b, for each column of a."""
    products = np.einsum("wrk,wnk->nrk", a, b)
    norms = np.sqrt((b**2).sum(axis=0))[:, None] * np.sqrt((a**2).sum(axis=0))[None]
    cosine = products / norms
    powers = np.exp(cosine - cosine.max(axis=0))
    return powers / powers.sum(axis=0)


def similarity_pattern(w, r, n, batch):
    of_a = np.zeros((n, r, batch, w, r, batch), bool)
    of_b = np.zeros((n, r, batch, w, n, batch), bool)
    for j, k in np.ndindex(r, batch):
        of_a[:, j, k, :, j, k] = True
        of_b[:, j, k, :, :, k] = True
    rows = n * r * batch
    return np.hstack([of_a.reshape(rows, -1), of_b.reshape(rows, -1)])


def test_similarity_small():
    arguments = np.ones((3, 2, 2)), np.ones((3, 4, 2))
    pattern = jacobian_sparsity(similarity, *arguments, argnums=(0, 1))
    assert_same_pattern(pattern, similarity_pattern(3, 2, 4, 2))


def test_similarity():
    w, r, n, batch = 64, 4, 16, 16
    arguments = np.ones((w, r, batch)), np.ones((w, n, batch))
    pattern = jacobian_sparsity(similarity, *arguments, argnums=(0, 1))
    assert pattern.shape == (1_024, 20_480)
    # each output depends on 64 elements of a and, through the softmax, on 1,024 of b
    assert pattern.nnz == 1_114_112


# ------------------------------------------------------------- a chain of layers
SIZE, LAYERS = 4, 6


def first_output(weights, x):
    for weight in weights:
        x = np.cos(weight @ x)
    return x[0]


def test_chain_of_layers_with_respect_to_all_weights():
    """The first output of six layers: of the last one's weights only the first row counts."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0.5, 1.0, SIZE)
    shape = (LAYERS, SIZE, SIZE)
    pattern = jacobian_sparsity(first_output, tuple(np.ones(shape)), x)
    expected = np.ones(shape, bool)
    expected[-1, 1:] = False
    assert_same_pattern(pattern, expected.reshape(1, -1))
    found = numerical_jacobian_pattern(
        lambda w: first_output(w, x), np.zeros(shape), low=0.5, high=1.0, points=3
    )
    assert_same_pattern(pattern, found)


def test_chain_of_the_published_size():
    weights = tuple(np.ones((6, 12, 12)))
    pattern = jacobian_sparsity(first_output, weights, np.ones(12))
    assert pattern.shape == (1, 864)
    assert pattern.nnz == 5 * 144 + 12


# ------------------------------------------------------------ masked updates
def test_adagrad_step_in_two_writings():
    """Entries without a gradient depend on their own parameter alone."""
    shape, places = (2, 4), ((0, 1, 1), (2, 0, 2))
    mask = np.zeros(shape, bool)
    mask[places] = True

    def dense(param, grad, state):
        full = np.where(mask, grad, 0.0)
        state = state + full**2
        return param - 0.1 * full / (np.sqrt(state) + 1e-10)

    def by_index(param, grad, state):
        state, param = state.copy(), param.copy()
        state[places] += grad[places] ** 2
        param[places] -= 0.1 * grad[places] / (np.sqrt(state[places]) + 1e-10)
        return param

    eye, some = np.eye(8), np.diag(mask.reshape(-1))
    for f in (dense, by_index):
        arguments = np.arange(8.0).reshape(shape), np.ones(shape), np.full(shape, 0.5)
        pattern = jacobian_sparsity(f, *arguments, argnums=(0, 1, 2))
        assert_same_pattern(pattern, np.hstack([eye, some, some]))

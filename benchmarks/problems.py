"""The benchmark problems: plain NumPy functions, each with the entries it must have.

Contract: nothing here knows sparsetrace.  `PROBLEMS` (Jacobians) and `HESSIANS` map a
name to a maker that takes the size, and `SIZES` and `HESSIAN_SIZES` map it to a small
size (for tests) and a large one.  No name is in both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.lib.stride_tricks import sliding_window_view


@dataclass(frozen=True)
class Problem:
    """A function, its arguments, and what the pattern of its Jacobian or Hessian must be.

    Attributes
    ----------
    function : callable
        Plain NumPy code.
    arguments : tuple
        Arguments of the right shapes; their values do not matter.
    shape : tuple of int
        Outputs, inputs; of a Hessian inputs twice, the function having one output.
    entries : int
        Entries of the pattern, counted by hand.
    argnums : int or tuple of int
        The arguments that the derivatives are with respect to.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    shape: tuple[int, int]
    entries: int
    argnums: int | tuple[int, ...] = 0


def kernel(channels: int = 3, features: int = 2) -> np.ndarray:
    """Weights of the convolutional layer; none of them is zero."""
    return np.random.default_rng(0).uniform(0.5, 1.5, size=(3, 3, channels, features))


def _convolution(layer: Callable[[Any, Any], Any], size: int) -> Problem:
    weights, out = kernel(), size - 2
    return Problem(
        lambda image: layer(image, weights),
        (np.zeros((size, size, 3)),),
        shape=(2 * out**2, 3 * size**2),
        entries=2 * out**2 * 27,
    )


def convolution_scalars(size: int) -> Problem:
    """One shifted product for each of the kernel's 54 numbers."""

    def layer(image, weights):
        rows, columns, channels, features = weights.shape
        high, wide = image.shape[0] - rows + 1, image.shape[1] - columns + 1
        planes = []
        for feature in range(features):
            plane = 0.0
            for i in range(rows):
                for j in range(columns):
                    for channel in range(channels):
                        shifted = image[i : i + high, j : j + wide, channel]
                        plane = plane + weights[i, j, channel, feature] * shifted
            planes.append(plane)
        return np.stack(planes, axis=-1)

    return _convolution(layer, size)


def convolution_taps(size: int) -> Problem:
    """One matrix product for each of the kernel's nine taps."""

    def layer(image, weights):
        rows, columns = weights.shape[:2]
        high, wide = image.shape[0] - rows + 1, image.shape[1] - columns + 1
        return sum(
            image[i : i + high, j : j + wide] @ weights[i, j]
            for i in range(rows)
            for j in range(columns)
        )

    return _convolution(layer, size)


def convolution_windows(size: int) -> Problem:
    """One product of all windows with the kernel."""

    def layer(image, weights):
        windows = sliding_window_view(image, weights.shape[:2], axis=(0, 1))
        return np.tensordot(windows, weights, axes=([3, 4, 2], [0, 1, 2]))

    return _convolution(layer, size)


def convolution_einsum(size: int) -> Problem:
    """All windows with the kernel, as a sum over named indices."""

    def layer(image, weights):
        windows = sliding_window_view(image, weights.shape[:2], axis=(0, 1))
        return np.einsum("hwcij,ijcf->hwf", windows, weights)

    return _convolution(layer, size)


def brusselator(size: int) -> Problem:
    """Reaction and diffusion of two concentrations on a periodic grid."""

    def rates(u, v):
        def laplacian(w):
            sides = np.roll(w, 1, 0) + np.roll(w, -1, 0) + np.roll(w, 1, 1) + np.roll(w, -1, 1)
            return (sides - 4 * w) * size**2

        reaction = u**2 * v
        return 1 + reaction - 4.4 * u + laplacian(u), 3.4 * u - reaction + laplacian(v)

    grid, n = np.zeros((size, size)), 2 * size**2
    return Problem(rates, (grid, grid), shape=(n, n), entries=6 * n, argnums=(0, 1))


def burgers(size: int) -> Problem:
    """Burgers' equation on a line, zero at both ends."""

    def rate(u):
        padded = np.concatenate([np.zeros(1), u, np.zeros(1)])
        left, middle, right = padded[:-2], padded[1:-1], padded[2:]
        diffusion = 0.01 * (left - 2 * middle + right) * (size + 1) ** 2
        return diffusion - middle * (right - left) * (size + 1) / 2

    return Problem(rate, (np.zeros(size),), shape=(size, size), entries=3 * size - 2)


def softmax(size: int) -> Problem:
    """Every output depends on every input."""

    def function(x):
        powers = np.exp(x - np.max(x))
        return powers / np.sum(powers)

    return Problem(function, (np.zeros(size),), shape=(size, size), entries=size**2)


def cosine(size: int) -> Problem:
    """Pairwise cosine similarities in `size` batches, with a softmax over the memory."""
    slots, width, heads = 16, 64, 4

    def weights(keys, memory):
        products = np.einsum("wrb,wnb->nrb", keys, memory)
        key_norms = np.sqrt(np.sum(keys**2, axis=0))
        memory_norms = np.sqrt(np.sum(memory**2, axis=0))
        similarity = products / (memory_norms[:, None, :] * key_norms[None, :, :])
        powers = np.exp(similarity - np.max(similarity, axis=0))
        return powers / np.sum(powers, axis=0)

    outputs = slots * heads * size
    return Problem(
        weights,
        (np.ones((width, heads, size)), np.ones((width, slots, size))),
        shape=(outputs, width * (heads + slots) * size),
        entries=outputs * (width + width * slots),
        argnums=(0, 1),
    )


def chain(size: int) -> Problem:
    """The first output of a network of `size` layers, by all its weight matrices."""
    width = 12
    start = np.linspace(0.1, 1, width)

    def network(matrices):
        state = start
        for matrix in matrices:
            state = np.cos(matrix @ state)
        return state[0]

    matrices = tuple(np.full((width, width), 0.5) for _ in range(size))
    # Of the last matrix the first row alone matters.
    return Problem(
        network,
        (matrices,),
        shape=(1, size * width**2),
        entries=(size - 1) * width**2 + width,
    )


def laplacian_matrix(size: int) -> sp.csr_array:
    """The five-point Laplacian on a grid of ``size`` x ``size`` points."""
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(size, size))
    identity = sp.eye_array(size)
    return sp.csr_array(sp.kron(identity, line) + sp.kron(line, identity))


def laplacian(size: int) -> Problem:
    """A SciPy sparse matrix times a nonlinear function, on a square grid."""
    matrix, n = laplacian_matrix(size), size**2
    return Problem(lambda x: matrix @ x**2, (np.zeros(n),), shape=(n, n), entries=5 * n - 4 * size)


def recurrence(size: int) -> Problem:
    """A loop over single numbers, each of which depends on all that went before."""

    def function(x):
        state, states = 1.0, []
        for i in range(size):
            state = np.sin(state * x[i])
            states.append(state)
        return states

    return Problem(function, (np.ones(size),), shape=(size, size), entries=size * (size + 1) // 2)


PROBLEMS: dict[str, Callable[[int], Problem]] = {
    "convolution_scalars": convolution_scalars,
    "convolution_taps": convolution_taps,
    "convolution_windows": convolution_windows,
    "convolution_einsum": convolution_einsum,
    "brusselator": brusselator,
    "burgers": burgers,
    "softmax": softmax,
    "cosine": cosine,
    "chain": chain,
    "laplacian": laplacian,
    "recurrence": recurrence,
}

SIZES: dict[str, tuple[int, int]] = {
    "convolution_scalars": (8, 28),
    "convolution_taps": (8, 28),
    "convolution_windows": (8, 28),
    "convolution_einsum": (8, 28),
    "brusselator": (6, 100),
    "burgers": (10, 1_000_000),
    "softmax": (10, 2000),
    "cosine": (2, 16),
    "chain": (2, 6),
    "laplacian": (4, 1000),
    "recurrence": (10, 1000),
}


def rosenbrock(size: int) -> Problem:
    """The chained Rosenbrock function: tridiagonal."""

    def function(x):
        return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    return Problem(function, (np.zeros(size),), shape=(size, size), entries=3 * size - 2)


def swing_up(steps: int) -> Callable[[Any], Any]:
    """Cost and defects of the swing-up of a pendulum on a cart, by Hermite-Simpson collocation.

    The function takes angle, speed and force at each of ``steps + 1`` knots, one after
    the other in a vector.
    """
    knots, step = steps + 1, 2 / steps

    def acceleration(q, w, u):
        sine, cosine = np.sin(q), np.cos(q)
        push = cosine * (u + 0.1 * w**2 * sine) / 1.1
        return (9.81 * sine - push) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))

    def cost_and_defects(z):
        q, w, u = z[:knots], z[knots : 2 * knots], z[2 * knots :]
        a = acceleration(q, w, u)
        q0, w0, u0, a0 = q[:-1], w[:-1], u[:-1], a[:-1]
        q1, w1, u1, a1 = q[1:], w[1:], u[1:], a[1:]
        q_middle = (q0 + q1) / 2 + step / 8 * (w0 - w1)
        w_middle = (w0 + w1) / 2 + step / 8 * (a0 - a1)
        a_middle = acceleration(q_middle, w_middle, (u0 + u1) / 2)
        angle_defects = q1 - q0 - step / 6 * (w0 + 4 * w_middle + w1)
        speed_defects = w1 - w0 - step / 6 * (a0 + 4 * a_middle + a1)
        return step * np.sum(u**2), angle_defects, speed_defects

    return cost_and_defects


def multipliers(steps: int) -> np.ndarray:
    """Of the two defects of each step; none of them is zero."""
    return np.random.default_rng(0).uniform(0.5, 1.5, size=(2, steps))


def pendulum(size: int) -> Problem:
    """Lagrangian of `swing_up`: the two knots of a step are coupled fully."""
    outputs, (of_angle, of_speed) = swing_up(size), multipliers(size)

    def lagrangian(z):
        cost, angle_defects, speed_defects = outputs(z)
        return cost + np.sum(of_angle * angle_defects) + np.sum(of_speed * speed_defects)

    knots = size + 1
    n = 3 * knots
    # Blocks of 3 x 3: one for each knot, and two for each step.
    return Problem(lagrangian, (np.zeros(n),), shape=(n, n), entries=9 * knots + 18 * size)


def network(size: int, width: int = 12) -> Problem:
    """Loss of a network of `size` layers with biases, by all its weights.

    Dense but for the last layer, whose rows meet in nothing but the sum of squares.
    """
    start = np.linspace(0.1, 1, width)

    def loss(layers):
        state = start
        for matrix, bias in layers[:-1]:
            state = np.tanh(matrix @ state + bias)
        matrix, bias = layers[-1]
        return np.sum((matrix @ state + bias - 0.5) ** 2)

    layers = tuple((np.full((width, width), 0.5), np.zeros(width)) for _ in range(size))
    row, layer = width + 1, width * (width + 1)
    n = size * layer
    entries = n**2 - (layer**2 - width * row**2)
    return Problem(loss, (layers,), shape=(n, n), entries=entries)


def scalar_loop(size: int) -> Problem:
    """A number gathered in a loop over elements: tridiagonal, and linear in the first."""

    def function(x):
        total = 0.0
        for i in range(size - 1):
            total += x[i] * x[i + 1] ** 2
        return total

    return Problem(function, (np.zeros(size),), shape=(size, size), entries=3 * (size - 1))


def log_sum_exp(size: int) -> Problem:
    """Dense: one operation couples every input with every other."""

    def function(x):
        highest = np.max(x)
        return highest + np.log(np.sum(np.exp(x - highest)))

    return Problem(function, (np.zeros(size),), shape=(size, size), entries=size**2)


def product(size: int) -> Problem:
    """Linear in each input, and in no two of them: all but the diagonal."""
    return Problem(np.prod, (np.ones(size),), shape=(size, size), entries=size**2 - size)


HESSIANS: dict[str, Callable[[int], Problem]] = {
    "rosenbrock": rosenbrock,
    "pendulum": pendulum,
    "network": network,
    "scalar_loop": scalar_loop,
    "log_sum_exp": log_sum_exp,
    "product": product,
}

HESSIAN_SIZES: dict[str, tuple[int, int]] = {
    "rosenbrock": (10, 1_000_000),
    "pendulum": (5, 1000),
    "network": (2, 6),
    "scalar_loop": (10, 10_000),
    "log_sum_exp": (10, 2000),
    "product": (10, 2000),
}

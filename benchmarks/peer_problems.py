"""The problems as the peers' users would write them, in CasADi and in JAX for asdex.

Contract: nothing here imports a peer.  `CASADI` maps the name of a problem to a maker
that takes CasADi, its type of symbols (MX or SX) and the size and returns the detection;
`ASDEX` maps it to one that takes JAX, its NumPy and the size, and returns what makes the
function anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

if __package__:  # asv imports every module here
    from .problems import kernel, laplacian_matrix, multipliers
else:
    from problems import kernel, laplacian_matrix, multipliers


def casadi_convolution(ca, symbols, size):
    weights, out = kernel(), size - 2

    def detect():
        x = symbols.sym("x", 3 * size**2)
        planes = [ca.reshape(part, size, size) for part in ca.vertsplit(x, size**2)]
        outputs = []
        for feature in range(weights.shape[3]):
            plane = 0
            for i, j, channel in np.ndindex(weights.shape[:3]):
                shifted = planes[channel][i : out + i, j : out + j]
                plane = plane + weights[i, j, channel, feature] * shifted
            outputs.append(ca.vec(plane))
        return ca.jacobian_sparsity(ca.vertcat(*outputs), x)

    return detect


def casadi_brusselator(ca, symbols, size):
    def laplacian(w):
        up, down = ca.vertcat(w[1:, :], w[0, :]), ca.vertcat(w[-1, :], w[:-1, :])
        left, right = ca.horzcat(w[:, 1:], w[:, 0]), ca.horzcat(w[:, -1], w[:, :-1])
        return (up + down + left + right - 4 * w) * size**2

    def detect():
        x = symbols.sym("x", 2 * size**2)
        u, v = (ca.reshape(part, size, size) for part in ca.vertsplit(x, size**2))
        reaction = u**2 * v
        rates = (1 + reaction - 4.4 * u + laplacian(u), 3.4 * u - reaction + laplacian(v))
        return ca.jacobian_sparsity(ca.vertcat(*map(ca.vec, rates)), x)

    return detect


def casadi_burgers(ca, symbols, size):
    def detect():
        u = symbols.sym("u", size)
        padded = ca.vertcat(0, u, 0)
        left, middle, right = padded[:-2], padded[1:-1], padded[2:]
        diffusion = 0.01 * (left - 2 * middle + right) * (size + 1) ** 2
        rate = diffusion - middle * (right - left) * (size + 1) / 2
        return ca.jacobian_sparsity(rate, u)

    return detect


def casadi_softmax(ca, symbols, size):
    def detect():
        x = symbols.sym("x", size)
        powers = ca.exp(x - ca.mmax(x))
        return ca.jacobian_sparsity(powers / ca.sum1(powers), x)

    return detect


def casadi_cosine(ca, symbols, size):
    slots, width, heads = 16, 64, 4

    def detect():
        keys = [symbols.sym(f"keys{i}", width, heads) for i in range(size)]
        memory = [symbols.sym(f"memory{i}", width, slots) for i in range(size)]
        outputs = []
        for key, stored in zip(keys, memory, strict=True):
            norms = ca.mtimes(ca.sqrt(ca.sum1(stored**2)).T, ca.sqrt(ca.sum1(key**2)))
            similarity = ca.mtimes(stored.T, key) / norms
            for column in ca.horzsplit(similarity):
                powers = ca.exp(column - ca.mmax(column))
                outputs.append(powers / ca.sum1(powers))
        inputs = keys + memory
        function = ca.Function("weights", inputs, [ca.vertcat(*outputs)])
        # Block by block, which is quicker than slices of one long symbol.
        return ca.horzcat(*(function.jac_sparsity(0, i) for i in range(len(inputs))))

    return detect


def casadi_laplacian(ca, symbols, size):
    matrix = ca.DM(laplacian_matrix(size).tocsc())

    def detect():
        x = symbols.sym("x", size**2)
        return ca.jacobian_sparsity(ca.mtimes(matrix, x**2), x)

    return detect


def casadi_chain(ca, symbols, size):
    start = ca.DM(np.linspace(0.1, 1, 12))

    def detect():
        x = symbols.sym("x", size * 144)
        state = start
        for part in ca.vertsplit(x, 144):
            state = ca.cos(ca.mtimes(ca.reshape(part, 12, 12).T, state))
        return ca.jacobian_sparsity(state[0], x)

    return detect


def casadi_hessian(ca, symbols, function, size):
    def detect():
        x = symbols.sym("x", size)
        # Three times as quick as ca.hessian, or more: that builds the Hessian's expression too.
        return ca.jacobian_sparsity(ca.gradient(function(x), x), x)

    return detect


def casadi_rosenbrock(ca, symbols, size):
    def function(x):
        return ca.sumsqr(10 * (x[1:] - x[:-1] ** 2)) + ca.sumsqr(1 - x[:-1])

    return casadi_hessian(ca, symbols, function, size)


def casadi_pendulum(ca, symbols, size):
    knots, step = size + 1, 2 / size
    of_angle, of_speed = map(ca.DM, multipliers(size))

    def acceleration(q, w, u):
        sine, cosine = ca.sin(q), ca.cos(q)
        push = cosine * (u + 0.1 * w**2 * sine) / 1.1
        return (9.81 * sine - push) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))

    def lagrangian(z):
        q, w, u = z[:knots], z[knots : 2 * knots], z[2 * knots :]
        a = acceleration(q, w, u)
        q0, w0, u0, a0 = q[:-1], w[:-1], u[:-1], a[:-1]
        q1, w1, u1, a1 = q[1:], w[1:], u[1:], a[1:]
        q_middle = (q0 + q1) / 2 + step / 8 * (w0 - w1)
        w_middle = (w0 + w1) / 2 + step / 8 * (a0 - a1)
        a_middle = acceleration(q_middle, w_middle, (u0 + u1) / 2)
        angle_defects = q1 - q0 - step / 6 * (w0 + 4 * w_middle + w1)
        speed_defects = w1 - w0 - step / 6 * (a0 + 4 * a_middle + a1)
        defects = ca.dot(of_angle, angle_defects) + ca.dot(of_speed, speed_defects)
        return step * ca.sumsqr(u) + defects

    return casadi_hessian(ca, symbols, lagrangian, 3 * knots)


def casadi_network(ca, symbols, size):
    start = ca.DM(np.linspace(0.1, 1, 12))
    cuts = [place for layer in range(size) for place in (156 * layer, 156 * layer + 144)]

    def loss(x):
        parts, state = ca.vertsplit(x, [*cuts, 156 * size]), start
        for layer in range(size):
            matrix, bias = ca.reshape(parts[2 * layer], 12, 12).T, parts[2 * layer + 1]
            state = ca.mtimes(matrix, state) + bias
            if layer < size - 1:
                state = ca.tanh(state)
        return ca.sumsqr(state - 0.5)

    return casadi_hessian(ca, symbols, loss, 156 * size)


def asdex_convolution(jax, jnp, size):
    weights = jnp.asarray(kernel().astype(np.float32))
    layout = ("NHWC", "HWIO", "NHWC")
    return lambda: (
        lambda image: jax.lax.conv_general_dilated(
            image, weights, (1, 1), "VALID", dimension_numbers=layout
        )
    )


def asdex_brusselator(jax, jnp, size):
    def make():
        def laplacian(w):
            sides = jnp.roll(w, 1, 0) + jnp.roll(w, -1, 0) + jnp.roll(w, 1, 1) + jnp.roll(w, -1, 1)
            return (sides - 4 * w) * size**2

        def rates(u, v):
            reaction = u**2 * v
            return 1 + reaction - 4.4 * u + laplacian(u), 3.4 * u - reaction + laplacian(v)

        return rates

    return make


def asdex_burgers(jax, jnp, size):
    def make():
        def rate(u):
            padded = jnp.concatenate([jnp.zeros(1), u, jnp.zeros(1)])
            left, middle, right = padded[:-2], padded[1:-1], padded[2:]
            diffusion = 0.01 * (left - 2 * middle + right) * (size + 1.0) ** 2
            return diffusion - middle * (right - left) * (size + 1) / 2

        return rate

    return make


def asdex_softmax(jax, jnp, size):
    def make():
        def function(x):
            powers = jnp.exp(x - jnp.max(x))
            return powers / jnp.sum(powers)

        return function

    return make


def asdex_cosine(jax, jnp, size):
    def make():
        def weights(keys, memory):
            products = jnp.einsum("wrb,wnb->nrb", keys, memory)
            key_norms = jnp.sqrt(jnp.sum(keys**2, axis=0))
            memory_norms = jnp.sqrt(jnp.sum(memory**2, axis=0))
            similarity = products / (memory_norms[:, None, :] * key_norms[None, :, :])
            powers = jnp.exp(similarity - jnp.max(similarity, axis=0))
            return powers / jnp.sum(powers, axis=0)

        return weights

    return make


def asdex_laplacian(jax, jnp, size):
    # asdex has no rule for JAX's sparse matrices: products, gathered and scattered.
    matrix = laplacian_matrix(size).tocoo()
    rows, columns = (matrix.row.astype(np.int32), matrix.col.astype(np.int32))
    values = matrix.data.astype(np.float32)
    return lambda: lambda x: jnp.zeros(size**2).at[rows].add(values * (x**2)[columns])


def asdex_chain(jax, jnp, size):
    start = jnp.linspace(0.1, 1, 12)

    def make():
        def network(matrices):
            state = start
            for matrix in matrices:
                state = jnp.cos(matrix @ state)
            return state[0]

        return network

    return make


def asdex_rosenbrock(jax, jnp, size):
    def make():
        def function(x):
            return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

        return function

    return make


def asdex_pendulum(jax, jnp, size):
    knots, step = size + 1, 2 / size
    of_angle, of_speed = map(jnp.asarray, multipliers(size))

    def acceleration(q, w, u):
        sine, cosine = jnp.sin(q), jnp.cos(q)
        push = cosine * (u + 0.1 * w**2 * sine) / 1.1
        return (9.81 * sine - push) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))

    def make():
        def lagrangian(z):
            q, w, u = z[:knots], z[knots : 2 * knots], z[2 * knots :]
            a = acceleration(q, w, u)
            q0, w0, u0, a0 = q[:-1], w[:-1], u[:-1], a[:-1]
            q1, w1, u1, a1 = q[1:], w[1:], u[1:], a[1:]
            q_middle = (q0 + q1) / 2 + step / 8 * (w0 - w1)
            w_middle = (w0 + w1) / 2 + step / 8 * (a0 - a1)
            a_middle = acceleration(q_middle, w_middle, (u0 + u1) / 2)
            angle_defects = q1 - q0 - step / 6 * (w0 + 4 * w_middle + w1)
            speed_defects = w1 - w0 - step / 6 * (a0 + 4 * a_middle + a1)
            defects = jnp.sum(of_angle * angle_defects) + jnp.sum(of_speed * speed_defects)
            return step * jnp.sum(u**2) + defects

        return lagrangian

    return make


def asdex_network(jax, jnp, size):
    start = jnp.linspace(0.1, 1, 12)

    def make():
        def loss(layers):
            state = start
            for matrix, bias in layers[:-1]:
                state = jnp.tanh(matrix @ state + bias)
            matrix, bias = layers[-1]
            return jnp.sum((matrix @ state + bias - 0.5) ** 2)

        return loss

    return make


CASADI: dict[str, Callable[..., Any]] = {
    "convolution_scalars": casadi_convolution,
    "convolution_windows": casadi_convolution,
    "brusselator": casadi_brusselator,
    "burgers": casadi_burgers,
    "softmax": casadi_softmax,
    "cosine": casadi_cosine,
    "laplacian": casadi_laplacian,
    "chain": casadi_chain,
    "rosenbrock": casadi_rosenbrock,
    "pendulum": casadi_pendulum,
    "network": casadi_network,
}

ASDEX: dict[str, Callable[..., Any]] = {
    "convolution_scalars": asdex_convolution,
    "convolution_windows": asdex_convolution,
    "brusselator": asdex_brusselator,
    "burgers": asdex_burgers,
    "softmax": asdex_softmax,
    "cosine": asdex_cosine,
    "laplacian": asdex_laplacian,
    "chain": asdex_chain,
    "rosenbrock": asdex_rosenbrock,
    "pendulum": asdex_pendulum,
    "network": asdex_network,
}

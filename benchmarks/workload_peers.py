"""The workloads as the peers' users would write them; `peer_problems` says how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

if __package__:  # asv imports every module here
    from .peer_problems import casadi_hessian
    from .workloads import (
        LEVELS,
        STEPS,
        Exchanger,
        bundle_graph,
        cell_edges,
        graph,
        graph_weights,
        lstm_weights,
        triangles,
    )
else:
    from peer_problems import casadi_hessian
    from workloads import (
        LEVELS,
        STEPS,
        Exchanger,
        bundle_graph,
        cell_edges,
        graph,
        graph_weights,
        lstm_weights,
        triangles,
    )


def jacobian_of(ca, symbols, function, size):
    def detect():
        x = symbols.sym("x", size)
        return ca.jacobian_sparsity(function(x), x)

    return detect


def adder(ca, targets, size):
    """The matrix that adds each number up at its target, as CasADi's users scatter."""
    ones, places = np.ones(len(targets)), np.arange(len(targets))
    return ca.DM(sp.csc_array((ones, (targets, places)), shape=(size, len(targets))))


def casadi_hub(ca, symbols, size):
    add = adder(ca, np.zeros(size, dtype=int), size)
    return jacobian_of(ca, symbols, lambda x: ca.mtimes(add, ca.sin(x)), size)


def casadi_hub_energy(ca, symbols, size):
    return casadi_hessian(ca, symbols, lambda x: ca.sum1((x[1:] - x[0]) ** 4), size + 1)


def casadi_volumes(ca, symbols, size):
    left, right = cell_edges(size)
    balance = adder(ca, right, size**2) - adder(ca, left, size**2)
    left, right = left.tolist(), right.tolist()

    def function(u):
        a, b = u[left], u[right]
        return ca.mtimes(balance, (a**2 + b**2) * (a - b))

    return jacobian_of(ca, symbols, function, size**2)


def casadi_elements(ca, symbols, size):
    n, corners = (size + 1) ** 2, triangles(size).T
    adders, corners = [adder(ca, corner, n) for corner in corners], corners.tolist()

    def function(u):
        values = [u[corner] for corner in corners]
        middle = sum(values) / 3
        factor = 1 + middle**2
        parts = zip(adders, values, strict=True)
        return sum(ca.mtimes(add, factor * (value - middle)) for add, value in parts)

    return jacobian_of(ca, symbols, function, n)


def casadi_multigrid(ca, symbols, size):
    def sides(u):
        return ca.vertcat(u[-1], u[:-1]) + ca.vertcat(u[1:], u[0])

    def smooth(u, b):
        return u + 0.3 * (b - 2 * u - u**3 + sides(u))

    def cycle(u, b, level):
        u = smooth(u, b)
        if level:
            residual = b - 2 * u - u**3 + sides(u)
            coarse = (residual[::2] + residual[1::2]) / 2
            n = coarse.shape[0]
            u = u + cycle(ca.DM.zeros(n), coarse, level - 1)[np.repeat(np.arange(n), 2).tolist()]
        return smooth(u, b)

    return jacobian_of(ca, symbols, lambda b: cycle(0.1 * b, b, LEVELS - 1), size)


def casadi_forces(ca, symbols, size):
    masses = ca.DM(np.linspace(1, 2, size)).T

    def function(x):
        parts = ca.vertsplit(x, size)
        away = [ca.repmat(part.T, size, 1) - ca.repmat(part, 1, size) for part in parts]
        square = sum(part**2 for part in away) + 0.01
        factor = ca.repmat(masses, size, 1) / square**1.5
        return ca.vertcat(*(ca.sum2(part * factor) for part in away))

    return jacobian_of(ca, symbols, function, 3 * size)


def casadi_body_energy(ca, symbols, size):
    first, second = (part.tolist() for part in np.triu_indices(size, 1))

    def function(x):
        square = sum((part[first] - part[second]) ** 2 for part in ca.vertsplit(x, size))
        return ca.sum1(1 / ca.sqrt(square + 0.01))

    return casadi_hessian(ca, symbols, function, 3 * size)


def casadi_explicit_steps(ca, symbols, size):
    def step(u):
        up, down = ca.vertcat(u[1:, :], u[0, :]), ca.vertcat(u[-1, :], u[:-1, :])
        left, right = ca.horzcat(u[:, 1:], u[:, 0]), ca.horzcat(u[:, -1], u[:, :-1])
        return u + 0.1 * (up + down + left + right - 4 * u) + 0.01 * (u - u**3)

    def function(x):
        u = ca.reshape(x, size, size)
        for _ in range(STEPS):
            u = step(u)
        return ca.vec(u)

    return jacobian_of(ca, symbols, function, size**2)


def casadi_stencil(ca, symbols, size):
    outside = size**3
    places = np.pad(np.arange(outside).reshape((size,) * 3), 1, constant_values=outside)
    neighbours = [
        places[i : i + size, j : j + size, k : k + size].ravel().tolist()
        for i, j, k in np.ndindex(3, 3, 3)
    ]

    def function(u):
        padded = ca.vertcat(u, 0)
        return sum(ca.tanh(padded[places] - 2 * u) for places in neighbours)

    return jacobian_of(ca, symbols, function, size**3)


def casadi_graph_network(ca, symbols, size):
    senders, receivers = graph(size)
    gather = adder(ca, receivers, size)
    of_sender, of_receiver, of_node = map(ca.DM, graph_weights())
    senders, receivers = senders.tolist(), receivers.tolist()

    def function(x):
        h = ca.reshape(x, size, 4)
        for _ in range(3):
            messages = ca.mtimes(h[senders, :], of_sender) + ca.mtimes(h[receivers, :], of_receiver)
            h = ca.tanh(ca.mtimes(h, of_node) + ca.mtimes(gather, ca.tanh(messages)))
        return ca.vec(h)

    return jacobian_of(ca, symbols, function, 4 * size)


def casadi_branches(ca, symbols, size):
    def function(x):
        state, states = x[0], []
        for i in range(size):
            state = ca.if_else(state > x[i], state * x[i + 1], ca.sin(state) + x[i + 1])
            states.append(state)
        return ca.vertcat(*states)

    return jacobian_of(ca, symbols, function, size + 1)


def casadi_method(ca, symbols, size):
    losses = ca.DM(Exchanger(size).losses)

    def function(u):
        flux = (1 + 0.1 * ((u[1:] + u[:-1]) / 2) ** 2) * (u[1:] - u[:-1])
        flux = ca.vertcat(0, flux, 0)
        return flux[1:] - flux[:-1] - losses * (u**4 - 1)

    return jacobian_of(ca, symbols, function, size)


def casadi_gauss_seidel(ca, symbols, size):
    def function(x):
        elements = symbols.elements(x) if symbols is ca.SX else ca.vertsplit(x)
        u = {(i, j): elements[i * size + j] for i in range(size) for j in range(size)}
        for i in range(size):
            for j in range(size):
                sides = [u.get(place, 0) for place in ((i - 1, j), (i + 1, j), (i, j - 1))]
                u[i, j] = (sum(sides) + u.get((i, j + 1), 0) + 1) / 4
        return ca.vertcat(*u.values())

    return jacobian_of(ca, symbols, function, size**2)


def casadi_lorenz(ca, symbols, size):
    rates = ca.DM([10.0, 28.0, 2.7])

    def step(state):
        turned, other = ca.vertcat(state[1:], state[0]), ca.vertcat(state[2], state[:2])
        return state + 0.01 * (rates * turned * other - ca.sin(state))

    def steps(state):
        for _ in range(size):
            state = step(state)
        return state

    def folded():
        # Loops of many steps are written as one function that is called again and again.
        state = symbols.sym("state", 3)
        return ca.Function("step", [state], [step(state)]).fold(size).jac_sparsity(0, 0)

    return folded if symbols is ca.MX else jacobian_of(ca, symbols, steps, 3)


def casadi_lstm(ca, symbols, size):
    by_input, by_state = map(ca.DM, lstm_weights())

    def function(sequence):
        state, cell, states = ca.DM.zeros(16), ca.DM.zeros(16), []
        for x in ca.vertsplit(sequence, 8):
            gates = ca.mtimes(by_input, x) + ca.mtimes(by_state, state)
            opened, kept, shown, new = ca.vertsplit(gates, 16)
            opened, kept, shown = (1 / (1 + ca.exp(-part)) for part in (opened, kept, shown))
            cell = kept * cell + opened * ca.tanh(new)
            state = shown * ca.tanh(cell)
            states.append(state)
        return ca.vertcat(*states)

    return jacobian_of(ca, symbols, function, 8 * size)


def casadi_gaussian_process(ca, symbols, size):
    places = ca.DM(np.linspace(0, 1, 10))

    def function(xy):
        x, y = ca.vertsplit(xy, size)
        wide = ca.repmat(x.T, size, 1)
        kernel = ca.exp(-((wide.T - wide) ** 2)) + 0.1 * ca.DM.eye(size)
        near = ca.exp(-((ca.repmat(places, 1, size) - ca.repmat(x.T, 10, 1)) ** 2))
        return ca.mtimes(near, ca.solve(kernel, y))

    return jacobian_of(ca, symbols, function, 2 * size)


def casadi_cumulated(ca, symbols, size):
    return jacobian_of(ca, symbols, ca.cumsum, size)


def casadi_centred(ca, symbols, size):
    return jacobian_of(ca, symbols, lambda x: x - ca.sum1(x) / size, size)


def casadi_fourier(ca, symbols, size):
    def detect():
        # CasADi has no FFT: the matrix of the cosines, none of which vanishes but by rounding.
        matrix = ca.DM(np.cos(np.outer(np.arange(size), np.arange(size)) * 2 * np.pi / size) + 2)
        x = symbols.sym("x", size)
        return ca.jacobian_sparsity(ca.mtimes(matrix, x), x)

    return detect


def casadi_bundle(ca, symbols, size):
    camera, point = bundle_graph(size)
    cameras, points = int(camera.max()) + 1, int(point.max()) + 1
    seen = ca.DM(np.random.default_rng(0).uniform(0.5, 1.5, size=(size, 2)))
    camera, point = camera.tolist(), point.tolist()

    def cross(a, b):
        return [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]

    def cost(x):
        of_cameras, of_points = ca.vertsplit(x, [0, 9 * cameras, 9 * cameras + 3 * points])
        by_camera = [part[camera] for part in ca.vertsplit(of_cameras, cameras)]
        place = [part[point] for part in ca.vertsplit(of_points, points)]
        once = cross(by_camera[:3], place)
        twice = cross(by_camera[:3], once)
        x, y, z = (sum(parts) for parts in zip(place, once, twice, by_camera[3:6], strict=True))
        focal, k1, k2 = by_camera[6:]
        x, y = -x / z, -y / z
        square = x**2 + y**2
        factor = focal * (1 + k1 * square + k2 * square**2)
        return ca.sumsqr(x * factor - seen[:, 0]) + ca.sumsqr(y * factor - seen[:, 1])

    return casadi_hessian(ca, symbols, cost, 9 * cameras + 3 * points)


def casadi_neural_ode(ca, symbols, size):
    start, wanted = ca.DM(np.linspace(0.1, 1, 4)), ca.DM(np.linspace(1, 2, 4))

    def loss(x):
        first, bias, second, offset = ca.vertsplit(x, [0, 64, 80, 144, 148])
        first, second = ca.reshape(first, 16, 4), ca.reshape(second, 4, 16)

        def rate(y):
            return ca.mtimes(second, ca.tanh(ca.mtimes(first, y) + bias)) + offset

        y, total = start, 0
        for _ in range(size):
            a = rate(y)
            b = rate(y + 0.05 * a)
            c = rate(y + 0.05 * b)
            d = rate(y + 0.1 * c)
            y = y + 0.1 / 6 * (a + 2 * b + 2 * c + d)
            total += ca.sumsqr(y - wanted)
        return total

    return casadi_hessian(ca, symbols, loss, 148)


def casadi_sums(ca, symbols, size):
    return casadi_hessian(ca, symbols, lambda x: ca.sumsqr(ca.cumsum(x)), size)


def casadi_outer(ca, symbols, size):
    def function(x):
        return ca.sum1(ca.sum2(ca.sin(ca.mtimes(x, x.T))))

    return casadi_hessian(ca, symbols, function, size)


def casadi_log_sum_exp(ca, symbols, size):
    return casadi_hessian(ca, symbols, ca.logsumexp, size)


CASADI: dict[str, Callable[..., Any]] = {
    "hub": casadi_hub,
    "volumes": casadi_volumes,
    "elements": casadi_elements,
    "multigrid": casadi_multigrid,
    "forces": casadi_forces,
    "explicit_steps": casadi_explicit_steps,
    "stencil": casadi_stencil,
    "graph_network": casadi_graph_network,
    "branches": casadi_branches,
    "method": casadi_method,
    "gauss_seidel": casadi_gauss_seidel,
    "lorenz": casadi_lorenz,
    "lstm": casadi_lstm,
    "gaussian_process": casadi_gaussian_process,
    "cumulated": casadi_cumulated,
    "centred": casadi_centred,
    "fourier": casadi_fourier,
    "hub_energy": casadi_hub_energy,
    "bundle": casadi_bundle,
    "body_energy": casadi_body_energy,
    "neural_ode": casadi_neural_ode,
    "sums": casadi_sums,
    "outer": casadi_outer,
    "log_sum_exp": casadi_log_sum_exp,
}


def asdex_hub(jax, jnp, size):
    where = np.zeros(size, dtype=np.int32)
    return lambda: lambda x: jnp.zeros(size).at[where].add(jnp.sin(x))


def asdex_hub_energy(jax, jnp, size):
    return lambda: lambda x: jnp.sum((x[1:] - x[0]) ** 4)


def asdex_volumes(jax, jnp, size):
    left, right = cell_edges(size)

    def make():
        def function(u):
            flux = (u[left] ** 2 + u[right] ** 2) * (u[left] - u[right])
            return jnp.zeros(u.shape).at[left].add(-flux).at[right].add(flux)

        return function

    return make


def asdex_elements(jax, jnp, size):
    corners, n = triangles(size), (size + 1) ** 2

    def make():
        def function(u):
            values = u[corners]
            middle = jnp.sum(values, axis=1, keepdims=True) / 3
            return jnp.zeros(n).at[corners].add((1 + middle**2) * (values - middle))

        return function

    return make


def asdex_forces(jax, jnp, size):
    masses = np.linspace(1, 2, size)

    def make():
        def function(x):
            away = x[None, :, :] - x[:, None, :]
            square = jnp.sum(away**2, axis=2) + 0.01
            return jnp.sum(away * (masses / square**1.5)[:, :, None], axis=1)

        return function

    return make


def asdex_body_energy(jax, jnp, size):
    first, second = np.triu_indices(size, 1)

    def make():
        def function(x):
            return jnp.sum(1 / jnp.sqrt(jnp.sum((x[first] - x[second]) ** 2, axis=1) + 0.01))

        return function

    return make


def asdex_explicit_steps(jax, jnp, size):
    def make():
        def function(u):
            for _ in range(STEPS):
                sides = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0)
                sides = sides + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
                u = u + 0.1 * (sides - 4 * u) + 0.01 * (u - u**3)
            return u

        return function

    return make


def asdex_stencil(jax, jnp, size):
    def make():
        def function(u):
            padded, total = jnp.pad(u, 1), 0.0
            for i, j, k in np.ndindex(3, 3, 3):
                total = total + jnp.tanh(padded[i : i + size, j : j + size, k : k + size] - 2 * u)
            return total

        return function

    return make


def asdex_graph_network(jax, jnp, size):
    senders, receivers = graph(size)
    of_sender, of_receiver, of_node = map(jnp.asarray, graph_weights())

    def make():
        def function(h):
            for _ in range(3):
                messages = jnp.tanh(h[senders] @ of_sender + h[receivers] @ of_receiver)
                h = jnp.tanh(h @ of_node + jnp.zeros(h.shape).at[receivers].add(messages))
            return h

        return function

    return make


def asdex_branches(jax, jnp, size):
    def make():
        def function(x):
            state, states = x[0], []
            for i in range(size):
                state = jnp.where(state > x[i], state * x[i + 1], jnp.sin(state) + x[i + 1])
                states.append(state)
            return jnp.stack(states)

        return function

    return make


def asdex_method(jax, jnp, size):
    losses = jnp.asarray(Exchanger(size).losses)

    def make():
        def function(u):
            flux = (1 + 0.1 * ((u[1:] + u[:-1]) / 2) ** 2) * (u[1:] - u[:-1])
            flux = jnp.pad(flux, 1)
            return flux[1:] - flux[:-1] - losses * (u**4 - 1)

        return function

    return make


def asdex_lorenz(jax, jnp, size):
    rates = jnp.array([10.0, 28.0, 2.7])

    def make():
        def step(state, _):
            turned, other = jnp.roll(state, -1), jnp.roll(state, 1)
            return state + 0.01 * (rates * turned * other - jnp.sin(state)), None

        return lambda state: jax.lax.scan(step, state, length=size)[0]

    return make


def asdex_cumulated(jax, jnp, size):
    return lambda: jnp.cumsum


def asdex_centred(jax, jnp, size):
    return lambda: lambda x: x - x.mean()


def asdex_sums(jax, jnp, size):
    return lambda: lambda x: jnp.sum(jnp.cumsum(x) ** 2)


def asdex_outer(jax, jnp, size):
    return lambda: lambda x: jnp.sum(jnp.sin(jnp.outer(x, x)))


def asdex_log_sum_exp(jax, jnp, size):
    return lambda: jax.nn.logsumexp


ASDEX: dict[str, Callable[..., Any]] = {
    "hub": asdex_hub,
    "hub_energy": asdex_hub_energy,
    "volumes": asdex_volumes,
    "elements": asdex_elements,
    "forces": asdex_forces,
    "body_energy": asdex_body_energy,
    "explicit_steps": asdex_explicit_steps,
    "stencil": asdex_stencil,
    "graph_network": asdex_graph_network,
    "branches": asdex_branches,
    "method": asdex_method,
    "lorenz": asdex_lorenz,
    "cumulated": asdex_cumulated,
    "centred": asdex_centred,
    "sums": asdex_sums,
    "outer": asdex_outer,
    "log_sum_exp": asdex_log_sum_exp,
}

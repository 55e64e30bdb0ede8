"""Problems that nobody tuned for, in the sizes at which time and memory may grow badly.

Contract: nothing here knows sparsetrace.  `WORKLOADS` maps a name to its maker, a size for
tests, the sizes to measure, ascending, and whether the Hessian is asked for.  `ALL_WORKLOADS`
adds the problems of `problems`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

if __package__:  # asv imports every module here
    from .problems import HESSIANS, PROBLEMS, Problem
else:
    from problems import HESSIANS, PROBLEMS, Problem

STEPS = 20
LEVELS = 4


def hub(size: int) -> Problem:
    """All edges end in one node."""

    def function(x):
        nodes = np.zeros(size)
        np.add.at(nodes, np.zeros(size, dtype=int), np.sin(x))
        return nodes

    return Problem(function, (np.zeros(size),), shape=(size, size), entries=size)


def hub_energy(size: int) -> Problem:
    """Energies of edges to one node, gathered there: an arrow."""

    def function(x):
        nodes = np.zeros(2, dtype=x.dtype)
        np.add.at(nodes, np.zeros(size, dtype=int), (x[1:] - x[0]) ** 4)
        return np.sum(nodes)

    n = size + 1
    return Problem(function, (np.zeros(n),), shape=(n, n), entries=n + 2 * size)


def cell_edges(size: int) -> tuple[np.ndarray, np.ndarray]:
    """The two cells of each edge, on ``size`` x ``size`` cells that are numbered at random."""
    rng = np.random.default_rng(0)
    cells = rng.permutation(size**2).reshape(size, size)
    edges = np.concatenate(
        [
            np.stack([cells[1:].ravel(), cells[:-1].ravel()], axis=-1),
            np.stack([cells[:, 1:].ravel(), cells[:, :-1].ravel()], axis=-1),
        ]
    )
    edges = rng.permutation(edges)
    return edges[:, 0].copy(), edges[:, 1].copy()


def volumes(size: int) -> Problem:
    """Finite volumes: a flux through each edge, taken from one cell and given to the other."""
    left, right = cell_edges(size)

    def function(u):
        flux = (u[left] ** 2 + u[right] ** 2) * (u[left] - u[right])
        rates = np.zeros(u.shape)
        np.add.at(rates, left, -flux)
        np.add.at(rates, right, flux)
        return rates

    n = size**2
    return Problem(function, (np.zeros(n),), shape=(n, n), entries=n + 2 * len(left))


def triangles(size: int) -> np.ndarray:
    """The three nodes of each triangle: a square of ``size`` x ``size`` cells, each cut in two."""
    nodes = np.arange((size + 1) ** 2).reshape(size + 1, size + 1)
    a, b, c, d = (
        part.ravel() for part in (nodes[:-1, :-1], nodes[:-1, 1:], nodes[1:, :-1], nodes[1:, 1:])
    )
    return np.concatenate([np.stack([a, b, d], axis=-1), np.stack([a, d, c], axis=-1)])


def elements(size: int) -> Problem:
    """Finite elements on triangles, their residuals added up at the nodes."""
    corners, n = triangles(size), (size + 1) ** 2

    def function(u):
        values = u[corners]
        middle = np.sum(values, axis=1, keepdims=True) / 3
        residuals = (1 + middle**2) * (values - middle)
        nodes = np.zeros(n)
        np.add.at(nodes, corners, residuals)
        return nodes

    edges = 2 * size * (size + 1) + size**2
    return Problem(function, (np.zeros(n),), shape=(n, n), entries=n + 2 * edges)


def multigrid(size: int) -> Problem:
    """A V-cycle of `LEVELS` grids on a periodic line, for a nonlinear equation."""

    def smooth(u, b):
        return u + 0.3 * (b - 2 * u - u**3 + np.roll(u, 1) + np.roll(u, -1))

    def cycle(u, b, level):
        u = smooth(u, b)
        if level:
            residual = b - 2 * u - u**3 + np.roll(u, 1) + np.roll(u, -1)
            coarse = (residual[::2] + residual[1::2]) / 2
            u = u + np.repeat(cycle(np.zeros(len(coarse)), coarse, level - 1), 2)
        return smooth(u, b)

    def function(b):
        return cycle(0.1 * b, b, LEVELS - 1)

    # How far each point reaches repeats every eight points: 54 on the average, or all.
    return Problem(function, (np.zeros(size),), shape=(size, size), entries=size * min(size, 54))


def bundle_graph(size: int) -> tuple[np.ndarray, np.ndarray]:
    """The camera and the point of each observation: three cameras see each point."""
    cameras = max(3, size // 300)
    point, turn = np.divmod(np.arange(size), 3)
    return (point + turn) % cameras, point


def bundle(size: int) -> Problem:
    """Cost of bundle adjustment: nine numbers of each camera, three of each point."""
    camera, point = bundle_graph(size)
    seen = np.random.default_rng(0).uniform(0.5, 1.5, size=(size, 2))

    def function(cameras, points):
        rotation, move = cameras[camera, 0:3], cameras[camera, 3:6]
        focal, k1, k2 = cameras[camera, 6:7], cameras[camera, 7:8], cameras[camera, 8:9]
        place = points[point]
        turned = place + np.cross(rotation, place) + np.cross(rotation, np.cross(rotation, place))
        place = turned + move
        image = -place[:, :2] / place[:, 2:3]
        square = np.sum(image**2, axis=1, keepdims=True)
        image = image * focal * (1 + k1 * square + k2 * square**2)
        return np.sum((image - seen) ** 2)

    cameras, points = int(camera.max()) + 1, int(point.max()) + 1
    n = 9 * cameras + 3 * points
    return Problem(
        function,
        (np.ones((cameras, 9)), np.ones((points, 3))),
        shape=(n, n),
        entries=81 * cameras + 9 * points + 54 * size,
        argnums=(0, 1),
    )


def forces(size: int) -> Problem:
    """Gravity between all bodies."""
    masses = np.linspace(1, 2, size)

    def function(x):
        away = x[None, :, :] - x[:, None, :]
        square = np.sum(away**2, axis=2) + 0.01
        return np.sum(away * (masses / square**1.5)[:, :, None], axis=1)

    n = 3 * size
    return Problem(function, (np.zeros((size, 3)),), shape=(n, n), entries=n**2)


def body_energy(size: int) -> Problem:
    """Energy of all pairs of bodies."""
    first, second = np.triu_indices(size, 1)

    def function(x):
        return np.sum(1 / np.sqrt(np.sum((x[first] - x[second]) ** 2, axis=1) + 0.01))

    n = 3 * size
    return Problem(function, (np.zeros((size, 3)),), shape=(n, n), entries=n**2)


def neural_ode(size: int) -> Problem:
    """Loss along a path of `size` Runge-Kutta steps, by the weights of the right-hand side."""
    states, hidden = 4, 16
    start, wanted = np.linspace(0.1, 1, states), np.linspace(1, 2, states)

    def function(first, bias, second, offset):
        def rate(y):
            return second @ np.tanh(first @ y + bias) + offset

        y, loss = start, 0.0
        for _ in range(size):
            a = rate(y)
            b = rate(y + 0.05 * a)
            c = rate(y + 0.05 * b)
            d = rate(y + 0.1 * c)
            y = y + 0.1 / 6 * (a + 2 * b + 2 * c + d)
            loss = loss + np.sum((y - wanted) ** 2)
        return loss

    arguments = (
        np.full((hidden, states), 0.5),
        np.zeros(hidden),
        np.full((states, hidden), 0.5),
        np.zeros(states),
    )
    n = sum(argument.size for argument in arguments)
    return Problem(function, arguments, shape=(n, n), entries=n**2, argnums=(0, 1, 2, 3))


def sums(size: int) -> Problem:
    """Squares of all partial sums."""
    return Problem(
        lambda x: np.sum(np.cumsum(x) ** 2), (np.zeros(size),), (size, size), entries=size**2
    )


def outer(size: int) -> Problem:
    """All products of two inputs."""
    return Problem(
        lambda x: np.sum(np.sin(np.outer(x, x))), (np.zeros(size),), (size, size), entries=size**2
    )


def explicit_steps(size: int) -> Problem:
    """Twenty explicit steps of reaction and diffusion on a periodic square."""

    def function(u):
        for _ in range(STEPS):
            sides = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
            u = u + 0.1 * (sides - 4 * u) + 0.01 * (u - u**3)
        return u

    away = np.minimum(np.arange(size), size - np.arange(size))
    reached = int(np.count_nonzero(away[:, None] + away <= STEPS))
    n = size**2
    return Problem(function, (np.zeros((size, size)),), shape=(n, n), entries=n * reached)


def stencil(size: int) -> Problem:
    """All 27 neighbours in a cube, zero outside."""

    def function(u):
        padded, total = np.pad(u, 1), 0.0
        for i, j, k in np.ndindex(3, 3, 3):
            total = total + np.tanh(padded[i : i + size, j : j + size, k : k + size] - 2 * u)
        return total

    n = size**3
    return Problem(function, (np.zeros((size,) * 3),), (n, n), entries=(3 * size - 2) ** 3)


def graph(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each of ``3 * size`` edges starts and ends: a random graph."""
    rng = np.random.default_rng(0)
    return rng.integers(0, size, 3 * size), np.tile(np.arange(size), 3)


def graph_weights() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of the sender, the receiver and the node itself; none of them is zero."""
    return tuple(np.random.default_rng(1).uniform(0.02, 0.1, size=(3, 4, 4)))


def graph_network(size: int) -> Problem:
    """Three layers of messages along the edges of a graph."""
    senders, receivers = graph(size)
    of_sender, of_receiver, of_node = graph_weights()

    def function(h):
        for _ in range(3):
            messages = np.tanh(h[senders] @ of_sender + h[receivers] @ of_receiver)
            gathered = np.zeros(h.shape)
            np.add.at(gathered, receivers, messages)
            h = np.tanh(h @ of_node + gathered)
        return h

    ones = np.ones(len(senders), dtype=np.int64)
    step = sp.csr_array((ones, (receivers, senders)), shape=(size, size)) + sp.eye_array(size)
    n = 4 * size
    return Problem(function, (np.zeros((size, 4)),), (n, n), entries=16 * (step @ step @ step).nnz)


def branches(size: int) -> Problem:
    """One ``if`` after the other, each on the state that the one before left."""

    def function(x):
        state, states = x[0], []
        for i in range(size):
            if state > x[i]:  # noqa: SIM108 - as people write it
                state = state * x[i + 1]
            else:
                state = np.sin(state) + x[i + 1]
            states.append(state)
        return states

    return Problem(function, (np.ones(size + 1),), (size, size + 1), entries=size * (size + 3) // 2)


class Exchanger:
    """A model as classes have it: parameters and methods that call one another."""

    def __init__(self, size):
        self.size, self.losses, self.calls = size, np.linspace(0.1, 0.2, size), 0

    def conductance(self, u):
        with np.errstate(all="ignore"):
            return 1 + 0.1 * u**2

    def flux(self, u):
        try:
            return self.conductance((u[1:] + u[:-1]) / 2) * (u[1:] - u[:-1])
        finally:
            self.calls += 1

    def loss(self, u):
        return self.losses * (u**4 - 1)

    def residual(self, u):
        flux = np.concatenate([np.zeros(1), self.flux(u), np.zeros(1)])
        return flux[1:] - flux[:-1] - self.loss(u)


def method(size: int) -> Problem:
    """A method of an object."""
    return Problem(Exchanger(size).residual, (np.zeros(size),), (size, size), entries=3 * size - 2)


def gauss_seidel(size: int) -> Problem:
    """One sweep over a square, element by element, zero outside."""

    def function(u):
        u = np.pad(u, 1)
        for i in range(1, size + 1):
            for j in range(1, size + 1):
                u[i, j] = (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + 1) / 4
        return u[1:-1, 1:-1]

    end = np.minimum(np.arange(size) + 2, size)
    entries = int(end.sum()) ** 2 - size**2 - (size - 1) ** 2
    n = size**2
    return Problem(function, (np.zeros((size, size)),), shape=(n, n), entries=entries)


def lorenz(size: int) -> Problem:
    """Many small steps of three numbers, eight calls each."""
    rates = np.array([10.0, 28.0, 2.7])

    def function(state):
        for _ in range(size):
            state = state + 0.01 * (rates * state[[1, 2, 0]] * state[[2, 0, 1]] - np.sin(state))
        return state

    return Problem(function, (np.ones(3),), shape=(3, 3), entries=9)


def lstm_weights() -> tuple[np.ndarray, np.ndarray]:
    """Four gates of 16 numbers, by 8 inputs and by the state; none of them is zero."""
    rng = np.random.default_rng(0)
    return rng.uniform(0.1, 0.5, size=(64, 8)), rng.uniform(0.1, 0.5, size=(64, 16))


def lstm(size: int) -> Problem:
    """The states of a recurrent layer after each of `size` steps, by its inputs."""
    by_input, by_state = lstm_weights()

    def function(sequence):
        state, cell, states = np.zeros(16), np.zeros(16), []
        for x in sequence:
            gates = by_input @ x + by_state @ state
            opened, kept, shown = (1 / (1 + np.exp(-part)) for part in np.split(gates[:48], 3))
            cell = kept * cell + opened * np.tanh(gates[48:])
            state = shown * np.tanh(cell)
            states.append(state)
        return np.stack(states)

    return Problem(
        function,
        (np.zeros((size, 8)),),
        shape=(16 * size, 8 * size),
        entries=128 * size * (size + 1) // 2,
    )


def gaussian_process(size: int) -> Problem:
    """What a Gaussian process predicts at ten places, by places and values of its data."""
    places = np.linspace(0, 1, 10)

    def function(x, y):
        kernel = np.exp(-((x[:, None] - x) ** 2)) + 0.1 * np.eye(size)
        return np.exp(-((places[:, None] - x) ** 2)) @ np.linalg.solve(kernel, y)

    arguments = (np.linspace(0, 1, size), np.ones(size))
    return Problem(function, arguments, (10, 2 * size), entries=20 * size, argnums=(0, 1))


def cumulated(size: int) -> Problem:
    """All partial sums."""
    return Problem(np.cumsum, (np.zeros(size),), (size, size), entries=size * (size + 1) // 2)


def centred(size: int) -> Problem:
    """Each number less the mean of all."""
    return Problem(lambda x: x - x.mean(), (np.zeros(size),), (size, size), entries=size**2)


def fourier(size: int) -> Problem:
    """Each frequency depends on all numbers."""
    return Problem(np.fft.fft, (np.zeros(size),), (size, size), entries=size**2)


@dataclass(frozen=True)
class Workload:
    """A maker of problems, a size for tests, those to measure, and which derivative it is."""

    make: Callable[[int], Problem]
    small: int
    sizes: tuple[int, ...]
    hessian: bool = False


WORKLOADS: dict[str, Workload] = {
    "hub": Workload(hub, 10, (3000, 30_000, 500_000)),
    "volumes": Workload(volumes, 4, (55, 170, 548)),
    "elements": Workload(elements, 3, (40, 120, 400)),
    "multigrid": Workload(multigrid, 32, (512, 4096, 32_768)),
    "forces": Workload(forces, 4, (50, 150, 500)),
    "explicit_steps": Workload(explicit_steps, 5, (32, 96, 300)),
    "stencil": Workload(stencil, 3, (20, 40, 80)),
    "graph_network": Workload(graph_network, 8, (200, 2000, 20_000)),
    "branches": Workload(branches, 4, (4, 10)),
    "method": Workload(method, 10, (30, 1000)),
    "gauss_seidel": Workload(gauss_seidel, 4, (16, 48, 128)),
    "lorenz": Workload(lorenz, 10, (300, 3000, 30_000)),
    "lstm": Workload(lstm, 3, (20, 60)),
    "gaussian_process": Workload(gaussian_process, 5, (30, 100)),
    "cumulated": Workload(cumulated, 10, (1000, 10_000, 100_000)),
    "centred": Workload(centred, 10, (1000, 10_000, 100_000)),
    "fourier": Workload(fourier, 10, (1000, 10_000, 100_000)),
    "hub_energy": Workload(hub_energy, 10, (5000, 50_000, 500_000), hessian=True),
    "bundle": Workload(bundle, 3, (300, 3000, 30_000), hessian=True),
    "body_energy": Workload(body_energy, 3, (50, 150), hessian=True),
    "neural_ode": Workload(neural_ode, 2, (10,), hessian=True),
    "sums": Workload(sums, 10, (300, 1000, 3000), hessian=True),
    "outer": Workload(outer, 10, (300, 1000, 3000), hessian=True),
}

# The problems of `problems`, from sizes of every day to large ones.
LOOKED_AT = {
    "convolution_scalars": (28, 112, 224),
    "convolution_windows": (28, 112, 224),
    "brusselator": (6, 100, 320),
    "burgers": (30, 1000, 100_000, 1_000_000),
    "softmax": (100, 500, 2000),
    "cosine": (2, 8, 16),
    "laplacian": (32, 316, 1000),
    "chain": (2, 6, 18),
    "rosenbrock": (30, 1000, 100_000, 1_000_000),
    "pendulum": (10, 100, 1000),
    "network": (2, 4, 6),
    "log_sum_exp": (100, 2000, 20_000),
}
ALL_WORKLOADS: dict[str, Workload] = WORKLOADS | {
    name: Workload((PROBLEMS | HESSIANS)[name], sizes[0], sizes, hessian=name in HESSIANS)
    for name, sizes in LOOKED_AT.items()
}

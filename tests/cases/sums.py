"""Sums, constraints and networks with gradients and Hessians written by hand."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosenbrock_terms(x):
    return np.concatenate([10 * (x[1:] - x[:-1] ** 2), 1 - x[:-1]]) ** 2


def rosenbrock_gradient(x):
    gradient, rest = np.zeros_like(x), x[1:] - x[:-1] ** 2
    gradient[1:] += 200 * rest
    gradient[:-1] -= 400 * rest * x[:-1] + 2 * (1 - x[:-1])
    return gradient


def rosenbrock_hessian(x):
    n, i = len(x), np.arange(len(x) - 1)
    values = (1200 * x[:-1] ** 2 - 400 * x[1:] + 2, np.full(n - 1, 200.0), *[-400 * x[:-1]] * 2)
    places = ((i, i), (i + 1, i + 1), (i, i + 1), (i + 1, i))
    rows, columns = np.concatenate(places, axis=1)
    return csr_array((np.concatenate(values), (rows, columns)), shape=(n, n))


class Collocation:
    """A pendulum that is swung by a torque, by trapezoidal collocation.

    The angles, velocities and torques at all times are the unknowns; each step has an equation
    for the angle and one for the velocity.
    """

    def __init__(self, steps, duration=2.0):
        self.steps, self.step = steps, duration / steps
        self.size = 3 * (steps + 1)

    def objective(self, z):
        _, _, torque = z.reshape(3, -1)
        return self.step * np.sum(torque**2)

    def gradient(self, z):
        gradient = np.zeros_like(z)
        gradient[2 * (self.steps + 1) :] = 2 * self.step * z[2 * (self.steps + 1) :]
        return gradient

    def constraints(self, z):
        angle, velocity, torque = z.reshape(3, -1)
        force = torque - np.sin(angle) - 0.1 * velocity**2
        return np.stack(
            [
                np.diff(angle) - self.step / 2 * (velocity[1:] + velocity[:-1]),
                np.diff(velocity) - self.step / 2 * (force[1:] + force[:-1]),
            ]
        )

    def jacobian(self, z):
        angle, velocity, _ = z.reshape(3, -1)
        n, h = self.steps + 1, self.step / 2
        result = np.zeros((2 * self.steps, self.size), dtype=z.dtype)
        k = np.arange(self.steps)
        for side, sign in ((0, -1), (1, 1)):
            result[k, k + side] = sign
            result[k, n + k + side] = -h
            result[self.steps + k, k + side] = h * np.cos(angle[k + side])
            result[self.steps + k, n + k + side] = sign + h * 0.2 * velocity[k + side]
            result[self.steps + k, 2 * n + k + side] = -h
        return result

    def hessian(self, z, multipliers, factor):
        angle, _, _ = z.reshape(3, -1)
        of_velocity = multipliers[self.steps :] * self.step / 2
        weights = np.append(of_velocity, 0) + np.append(0, of_velocity)
        torque = np.full(self.steps + 1, 2 * self.step * factor)
        return np.diag(np.concatenate([-np.sin(angle) * weights, 0.2 * weights, torque]))


class PowerFlow:
    """Active power into the buses of a ring with chords, from angles and voltages."""

    def __init__(self, buses, seed=0):
        random = np.random.default_rng(seed)
        start = np.concatenate([np.arange(buses), np.arange(0, buses, 3)])
        end = np.concatenate([np.roll(np.arange(buses), -1), (np.arange(0, buses, 3) + 7) % buses])
        admittance = np.zeros((buses, buses), dtype=complex)
        for i, j in zip(start, end, strict=True):
            line = 1 / (random.uniform(0.01, 0.05) + 1j * random.uniform(0.05, 0.2))
            admittance[[i, j], [j, i]] -= line
            admittance[[i, j], [i, j]] += line
        self.buses = buses
        self.rows, self.columns = np.nonzero(admittance)
        values = admittance[self.rows, self.columns]
        self.real, self.imaginary = values.real, values.imag

    def power(self, z):
        angle, voltage = z.reshape(2, -1)
        i, j = self.rows, self.columns
        turn = angle[i] - angle[j]
        flow = self.real * np.cos(turn) + self.imaginary * np.sin(turn)
        result = np.zeros(self.buses, dtype=z.dtype)
        np.add.at(result, i, voltage[i] * voltage[j] * flow)
        return result

    def hessian(self, z, multipliers):
        n = self.buses
        angle, voltage = z.reshape(2, -1)
        result = np.zeros((2 * n, 2 * n))
        for i, j, g, b in zip(self.rows, self.columns, self.real, self.imaginary, strict=True):
            turn, weight = angle[i] - angle[j], multipliers[i]
            flow, slope = g * np.cos(turn) + b * np.sin(turn), b * np.cos(turn) - g * np.sin(turn)
            vi, vj = n + i, n + j
            for row, sign in ((i, 1), (j, -1)):
                for column, other in ((i, 1), (j, -1)):
                    result[row, column] -= weight * sign * other * voltage[i] * voltage[j] * flow
                for v, rest in ((vi, voltage[j]), (vj, voltage[i])):
                    result[row, v] += weight * sign * rest * slope
                    result[v, row] += weight * sign * rest * slope
            result[vi, vj] += weight * flow
            result[vj, vi] += weight * flow
        return result

"""Calls that NumPy takes and a trace once answered by errors of its own inner workings."""

from __future__ import annotations

import numpy as np

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

P = np.array([0.3, 0.7, 1.2, -0.4])
Q = np.array([1.6, -0.2, 0.4, 0.9])

TIMES = np.array([0.0, 0.5, 1.0])
TABLE = np.array([1.0, 2.0, 3.0, 4.0])
GRID = np.arange(12.0).reshape(4, 3)


@program(P, Q, to=PROGRAMS)
def nothing_appended(x):
    kept = []
    return np.append(x, kept), np.concatenate([x**2, []]), np.hstack([[], x, np.array([])])


@program(P, Q, to=PROGRAMS)
def nothing_inserted(x):
    return np.insert(x, 1, []), np.append(x.reshape(2, 2), np.zeros((0, 2)), axis=0)


@program(P, Q, to=PROGRAMS)
def square_least_squares(x):
    matrix = np.array([[2.0, 1.0], [0.5, 3.0]])
    return np.linalg.lstsq(matrix, x.reshape(2, 2))[0]


@program(P, Q, to=PROGRAMS)
def wide_least_squares(x):
    matrix = np.array([[1.0, 2.0, 3.0], [3.0, 4.0, 6.0]])
    solution, residuals, rank, _ = np.linalg.lstsq(matrix, x.reshape(2, 2), rcond=None)
    return solution * rank, residuals


@program(P, Q, to=PROGRAMS)
def traced_square_matrix(x):
    return np.linalg.lstsq(x.reshape(2, 2) + 2 * np.eye(2), np.eye(2) + x[0], rcond=None)[0]


@program(P, Q, to=PROGRAMS)
def looked_up_by_interval(x):
    return TABLE[np.searchsorted(TIMES, x)] * x


@program(P, Q, to=PROGRAMS)
def looked_up_by_rank(x):
    return TABLE[np.argsort(x)] * x + TABLE[np.argmax(x)], GRID[np.argsort(x), 0] * x


@program(P, Q, to=PROGRAMS)
def looked_up_by_whole_part(x):
    return GRID[:, 0][(np.abs(x) * 2).astype(int)] + x**2


class Model:
    weights = np.array([0.5, 1.5, 2.5, 3.5])


@program(P, Q, to=PROGRAMS)
def looked_up_in_a_class(x):
    return Model.weights[np.argsort(x)] @ x


def _closure():
    weights = np.array([0.5, 1.5, 2.5, 3.5])

    def weighed(x):
        return weights[np.argsort(x)] @ x

    return weighed


@program(P, Q, to=PROGRAMS, fresh=True)
def looked_up_in_a_closure():
    return _closure()


class Material:
    """A table of stiffnesses, by strain."""

    def __init__(self):
        self.stiffness = np.array([3.0, 2.0, 1.0, 0.5])

    def stress(self, strain):
        return self.stiffness[np.digitize(strain, TIMES)] * strain


MATERIAL = Material()


@program(P, Q, to=PROGRAMS)
def looked_up_in_an_object(x):
    return MATERIAL.stress(x)


@program(P, Q, to=PROGRAMS)
def looked_up_in_a_list_of_tables(x):
    return [TABLE][0][np.argsort(x)] * x


@program(P, Q, to=PROGRAMS, conservative="an index that is not known may be out of bounds")
def failing_look_up_is_caught(x):
    try:
        return (TABLE + 0)[:4][np.argsort(x)] * x[1]
    except IndexError:
        return x[:1] * np.ones(4)

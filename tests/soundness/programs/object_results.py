"""Results that NumPy makes of objects, or of mixed lists: floats all the same."""

from __future__ import annotations

import numpy as np
from numpy import select

from soundness.harness import Program, program

PROGRAMS: list[Program] = []

P = np.array([0.3, 0.7, 1.2, -0.4])
Q = np.array([1.6, -0.2, 0.4, 0.9])
MASK = np.array([True, False, False, True])


@program(P, Q, to=PROGRAMS, conservative="no trace knows that one of the conditions holds")
def selected_beside_the_input(x):
    return np.concatenate([np.select([x < 0.5, x >= 0.5], [0.0, 1.0], x), x])


@program(P, Q, to=PROGRAMS)
def constant_conditions(x):
    return np.select([MASK], [1.0], x) * x[0]


@program(P, Q, to=PROGRAMS)
def bound_by_name(x):
    steps = select([MASK, ~MASK], [0.0, 2.0], default=x)
    return np.append(x, steps), np.stack([steps, x]).sum(axis=0)


@program(P, Q, to=PROGRAMS)
def default_is_one_number(x):
    return np.hstack([np.select([x > 0.5], [x], x[0]), 3 * x])


@program(P, Q, to=PROGRAMS)
def whole_numbers_beside_floats(x):
    return np.where(MASK, 1, x), np.choose([0, 1, 0, 1], [2, x]), np.where(MASK, x[1], 0)


@program(P, Q, to=PROGRAMS)
def lists_of_both(x):
    return np.array([1, x[0], 2]), np.concatenate([[1, 2], x[:2]]), np.stack([0, x[3]])


@program(P, Q, to=PROGRAMS)
def like_whole_numbers(x):
    counts = np.arange(4)
    kept = np.full_like(counts, 0, dtype=float)
    kept[:] = x
    return kept * counts, np.zeros_like(counts) + x


@program(P, Q, to=PROGRAMS)
def pieces(x):
    return np.piecewise(x, [x < 0.5], [lambda v: v * x[3], 1])


NEIGHBOURS = "which elements stand beside each other in a piece is unknown"


@program(P, Q, np.array([0.1, 0.2, 0.3, 0.4]), to=PROGRAMS, conservative=NEIGHBOURS)
def pieces_turned_round(x):
    return np.piecewise(x, [x < 0.5], [lambda v: v[::-1] * 1.0, 0.0])


@program(P, Q, np.array([0.1, 0.2, 0.3, 0.4]), to=PROGRAMS, conservative=NEIGHBOURS)
def differences_within_pieces(x):
    return np.piecewise(x, [x < 0.5], [lambda v: np.diff(v, append=1.0), lambda v: v * v[0]])


@program(P, Q, np.array([0.1, 0.2, 0.3, 0.4]), to=PROGRAMS)
def pieces_of_two_axes(x):
    grid = x.reshape(2, 2)
    return np.piecewise(grid, [grid < 0.5], [lambda v: v * (v.sum() + 3.0), 7.0])


@program(P, Q, np.array([9.0, 1.0, 2.0, 3.0]), np.array([-1.0, 1.0, 2.0, 3.0]), to=PROGRAMS)
def pieces_of_constants(x):
    places = np.arange(4.0)
    return np.piecewise(places, [places < x[0]], [lambda v: v * x[1], lambda v: v.sum() * x[2]])


@program(P, Q, to=PROGRAMS)
def array_of_objects(x):
    table = np.array([1.0, x[0] ** 2, x[1]], dtype=object)
    return (table + 1).sum(), (table * x[2]).sum(), np.array(table, float) * x[3]


@program(P, Q, to=PROGRAMS)
def filled_with_objects(x):
    cells = np.empty(3, object)
    cells[0], cells[1], cells[2] = x[0], x[1] * x[2], 2.0
    return np.concatenate([cells, x]).astype(float)


@program(P, Q, to=PROGRAMS)
def told_by_dtype(x):
    product = x * np.array(x[::-1], dtype=object)
    return product.astype(float) if product.dtype == object else np.zeros(4)


@program(P, Q, to=PROGRAMS)
def divided_by_a_number_of_pythons(x):
    try:
        return x[0] + (1.0 / np.array([x[1], 1.0], dtype=object)).sum()
    except ZeroDivisionError:
        return x[2]


@program(P, Q, to=PROGRAMS)
def rounded_beside_floats(x):
    return np.concatenate([np.rint(x), x]), np.floor(x) * x, np.sign(x) + x


@program(P, Q, to=PROGRAMS)
def seen_in_views_of_objects(x):
    """Where NumPy's functions are given lists, too: these take arrays of objects for numbers."""
    objects = np.array(x, dtype=object)
    mean = np.mean([x[0], x[1]])
    np.asarray(objects)[0] = x[1] * x[2]
    np.ravel(objects)[1] = x[0] * mean
    np.atleast_2d(np.flip(objects))[0, 0] = x[0] * x[1]
    np.array(objects, copy=None)[1] *= x[2]
    square = np.reshape(x.astype(object), (2, 2))
    diagonal = np.diag(square)
    np.swapaxes(square, 0, 1)[1, 0] = x[2]
    np.split(square, 2)[1][0, 1] = x[1] ** 2
    square[0, 0] = x[2] * x[0]
    return objects.astype(float), square.astype(float), diagonal.astype(float)


@program(P, Q, to=PROGRAMS)
def arrays_that_are_objects_replaced(x):
    first, second = x[:2] * 1.0, x[2:] * 2.0
    held = np.empty(1, object)
    held[0] = first
    held[0] += x[2]
    held[0][1] *= x[3]
    pair = np.empty(2, object)
    pair[:] = [first, first]
    pair[1][0] -= x[3]
    pair[0] = second
    pair[0][0] = x[1]
    pair[1:] = [second]
    pair[1][1] *= x[0]
    return held[0], list(pair), first, second

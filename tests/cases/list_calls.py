"""Calls that are given lists and tuples of numbers of `x`, three numbers."""

from __future__ import annotations

from collections import deque

import numpy as np

MATRIX = np.array([[3.0, 1.0], [0.5, 2.0]])

#: Results are arrays of floats, as NumPy's are.
FUNCTIONS = """
    np.mean([x[0], x[1]])
    np.mean(deque([x[0], x[2]]))
    np.std(deque(x, maxlen=2))
    np.stack(deque([x, 2 * x]))
    np.concatenate(deque([x[:2], [x[2], 1.0]]))
    np.mean([x[:2], x[1:3]], axis=0)
    np.sum((x[0], x[2]))
    np.sum([x[:2], x[1:3]], axis=0)
    np.prod([x[0], 2.0, x[1]])
    np.std([x[0], x[1], 0.3])
    np.median([x[0], x[1], x[2]])
    np.percentile([x[0], x[1]], 50)
    np.nansum([x[0], x[1]])
    np.cumsum([x[0], x[1]])
    np.exp(np.cumsum([x[0], x[1]]))
    np.sort([x[0], x[1]])
    np.clip([x[0], x[1]], 0.6, 1.9)
    np.average([x[0], x[1]], weights=[1.0, 0.0])
    np.average([1.0, 2.0], weights=[x[0], x[1]])
    np.linalg.norm([x[0], x[1]])
    np.linalg.solve(MATRIX, [x[0], x[1]])
    np.linalg.det([[x[0], x[1]], [x[2], 1.0]])
    np.linalg.inv([[x[0], 0.0], [0.0, x[1]]])
    np.cross([x[0], x[1], 0.0], [1.0, 2.0, 3.0])
    np.outer([x[0], x[1]], [1.0, 0.0])
    np.kron([x[0], x[1]], [1.0, 2.0])
    np.dot(MATRIX, [x[0], x[1]])
    np.einsum("i,i", [x[0], x[1]], [1.0, 0.0])
    np.convolve([x[0], x[1]], [1.0, 2.0])
    np.fft.fft([x[0], x[1], x[2]]).real
    np.interp([x[0], x[1]], [0.0, 1.0, 2.0], [1.0, 3.0, 2.0])
    np.interp(1.3, [0.0, 1.0, 2.0], [x[0], x[1], x[2]])
    np.trapezoid([x[0], x[1], x[2]])
    np.diff([x[0], x[1], x[2]])
    np.gradient([x[0], x[1], x[2]])
    np.polyval([x[0], x[1]], 2.0)
    np.concatenate([[x[0], x[1]], [x[2]], (1.0,)])
    np.vstack([[x[0], x[1]], [1.0, 2.0]])
    np.column_stack([[x[0], x[1]], [x[2], x[0]]])
    np.select([[True, False]], [[x[0], x[1]]], [x[2], x[2]])
    np.where([True, False], [x[0], x[1]], [0.0, 1.0])
    np.append([x[0]], [x[1]])
    np.insert([x[0], x[1]], 1, x[2])
    np.reshape([x[0], x[1]], (2, 1))
    np.transpose([[x[0], x[1]]])
    np.diag([x[0], x[1]])
    np.tile([x[0], x[1]], 2)
    np.repeat([x[0], x[1]], 2)
    np.roll([x[0], x[1]], 1)
    np.full(2, [x[0], x[1]])
    np.broadcast_to([x[0], x[1]], (2, 2))
    np.mean(np.exp([x[0], x[1]]))
    np.poly1d([0.0, x[0], 1.0, x[2]])(x[1])
    (np.poly1d(x) * np.poly1d([1.0, x[0]]) + x[1]).deriv().coeffs
    (np.poly1d(x) / [x[1], 1.0])[1].coeffs
    np.polyval(np.poly1d(x), 2.0) + np.asarray(np.poly1d([x[0], 1.0]))
    np.polymul(np.poly1d(x), [1.0, 2.0])(0.5) + np.polydiv(np.poly1d(x), [x[0], 1.0])[0][0]
    np.polyval(np.poly1d(x[:2]), np.poly1d(x[1:])).coeffs
    """.strip().splitlines()

#: Ufuncs and operators hand nothing over: their arrays hold traced numbers as objects.
OBJECTS = """
    np.exp([x[0], x[1]])
    np.maximum([x[0], x[1]], 0.7)
    np.multiply([x[0], x[1]], [0.0, 1.0])
    [x[0], x[1]] * np.ones(2)
    np.ones(2) + (x[0], x[1])
    MATRIX @ [x[0], x[1]]
    np.array([1.0, 2.0]) @ [x[0], x[1]]
    """.strip().splitlines()


def traced(call):
    names = {"np": np, "MATRIX": MATRIX, "deque": deque}
    return eval(f"lambda x: {call.strip()}", names)

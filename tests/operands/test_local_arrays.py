"""Arrays at a point whose elements are not special: as the rules say, in patterns and values."""

from __future__ import annotations

import itertools
import math
import operator

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from sparsetrace.operands import elementwise, local_arrays
from sparsetrace.operands.operands import values_of

VALUES = [0.0, 0.5, -2.0, 1e-200, 1e200, 5e-324, np.inf, np.nan]
ORDINARY = np.array([0.5, -1.5, 2.0])
OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    np.maximum,
    np.power,
    np.hypot,
    np.arctan2,
    np.logaddexp,
]
FUNCTIONS = [np.sin, np.sqrt, np.exp, np.absolute, np.arcsin, np.cbrt, np.square, np.negative]


def both_ways(monkeypatch, f, point):
    """Patterns and values by the shorter way, and by the rules."""
    found = []
    for is_short in (True, False):
        with monkeypatch.context() as m, np.errstate(all="ignore"):
            if not is_short:
                m.setattr(local_arrays, "at_a_point", lambda *_: None)
                m.setattr(elementwise, "at_a_point", lambda *_: None)
            seen = Outside()

            def kept(x, seen=seen):
                result = f(x)
                seen.append(values_of(result))
                return result

            jacobian = st.jacobian_sparsity(kept, point, local=True).toarray().tolist()
            hessian = st.hessian_sparsity(lambda x: np.sum(kept(x)), point, local=True)
            values = {np.asarray(value).tobytes() for value in seen}
            found.append((jacobian, hessian.toarray().tolist(), values))
    return found


@pytest.mark.parametrize("of", [*OPERATORS, operator.iadd, operator.imul])
def test_special_elements_beside_ordinary_ones(of, monkeypatch):
    for a, b in itertools.product(VALUES, VALUES):
        point = np.array([a, 0.5, b, -1.5])
        short, ruled = both_ways(monkeypatch, lambda x: of(x[:2], x[2:]), point)
        assert short == ruled, (a, b)


@pytest.mark.parametrize("of", FUNCTIONS)
@pytest.mark.parametrize("special", [*VALUES, 1.0, np.pi / 2])
def test_functions_of_one_number(of, special, monkeypatch):
    for f in (of, lambda x: of(of(x) * x[::-1])):
        short, ruled = both_ways(monkeypatch, f, np.array([0.5, special, -0.25]))
        assert short == ruled


@pytest.mark.parametrize("of", OPERATORS)
@pytest.mark.parametrize("constant", [0.0, 1.0, 3, 2**60, np.inf, np.array([1.0, 0.0, -2.0])])
def test_constants(of, constant, monkeypatch):
    for f in (lambda x: of(x, constant), lambda x: of(constant, x)):
        short, ruled = both_ways(monkeypatch, f, ORDINARY)
        assert short == ruled


SHAPES = {
    "columns first": lambda x: np.asfortranarray(x.reshape(3, 2)) * x.reshape(3, 2),
    "transposed": lambda x: x.reshape(2, 3).T * x.reshape(3, 2),
    "rows": lambda x: x.reshape(3, 2) + x[:2],
    "a number": lambda x: x[0] * x[1:],
    "itself": lambda x: x - x,
    "strides": lambda x: x[::2] * x[1::2],
    "constants within": lambda x: np.append(x[:2], 0.0) * x[3:],
    "no dimensions": lambda x: np.cross(x[:3], x[3:]) * x[0].reshape(()),
    "a number of Python's": lambda x: np.hypot(x[:3], float(x[3])) * math.sin(x[4]),
    "into an operand": lambda x: operator.imul(x.copy()[:4], x[2:]),
    "constants into it": lambda x: np.add(np.ones(2), 3.0, out=x.copy()[:2]) * x[:2],
    "into a column": lambda x: operator.iadd(x.reshape(3, 2).copy(), x[:1]),
    "zeros within": lambda x: np.sin(np.append(x[:2], 0.0) * x[3:]) * x[:3],
    "chosen elements": lambda x: np.maximum(x[:3], x[3:] * 0.5) * np.minimum(x[::2], 1.0),
    "an array of one": lambda x: x[:1] * x[1:2] / x[2:3],
    "floats of 32 bits": lambda x: x.astype(np.float32) * x,
    "complex": lambda x: ((x + 1j) * x).real,
    "whole numbers": lambda x: x * np.arange(1, 7),
    "a product over it": lambda x: (x * x + 1.0) / (x * x[::-1]),
}


@pytest.mark.parametrize("f", SHAPES.values(), ids=SHAPES)
def test_layouts_and_types(f, monkeypatch):
    short, ruled = both_ways(monkeypatch, f, np.linspace(0.5, 2.0, 6))
    assert short == ruled


def test_most_calls_go_the_shorter_way(monkeypatch):
    answers = Outside()

    def watched(*args, original=local_arrays.at_a_point):
        result = original(*args)
        answers.append(result is not None)
        return result

    monkeypatch.setattr(local_arrays, "at_a_point", watched)
    st.jacobian_sparsity(lambda x: x * x + 2.0 * x, ORDINARY, local=True)
    assert list(answers) == [True, True, True]


def test_errors_are_told():
    def f(x):
        with np.errstate(all="raise"):
            try:
                return x / (x - x[0])
            except FloatingPointError:
                return x[::-1] * 1.0

    pattern = st.jacobian_sparsity(f, ORDINARY, local=True).toarray()
    assert pattern.astype(int).tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]

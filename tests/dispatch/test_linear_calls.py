"""Linear functions at a point are looked up: with the patterns and values of their rules."""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from sparsetrace.dispatch import lookup
from sparsetrace.operands.operands import values_of

CONSTANT = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0], [1.0, -1.0, 1.0]])
CALLS = {
    "sum along an axis": lambda u, v, a: np.sum(a, axis=0),
    "sum of the rest": lambda u, v, a: np.sum(u, initial=v[0]) * v,
    "mean": lambda u, v, a: u.mean() * v,
    "cumulated": lambda u, v, a: np.cumsum(a, 1)[0] + np.multiply.accumulate(u),
    "a number times a vector": lambda u, v, a: np.dot(u, v) * u,
    "matrix and vector": lambda u, v, a: a @ u + u @ a.T,
    "matrices": lambda u, v, a: (a @ a)[1],
    "a constant matrix": lambda u, v, a: CONSTANT @ u + np.dot(v, CONSTANT),
    "outer": lambda u, v, a: np.outer(u, v)[1] + np.multiply.outer(v, v)[0],
    "einsum": lambda u, v, a: np.einsum("ij,j,i->i", a, u, u),
    "cross": lambda u, v, a: np.cross(u, v) + np.cross(CONSTANT[0], v),
    "convolved": lambda u, v, a: np.convolve(u, v)[1:4] + np.correlate(v, CONSTANT[0], "same"),
    "product": lambda u, v, a: np.prod(a, axis=0) + np.multiply.reduce(a, 1),
    "chosen": lambda u, v, a: np.where([True, False, True], u, v) + np.where(u > v, u, v),
    "joined": lambda u, v, a: np.concatenate([u[:1], np.stack([u, v])[:, 1]]),
    "parts of a matrix": lambda u, v, a: np.trace(a) * u + np.tril(a)[1],
    "a buffer with constants": lambda u, v, a: np.sum(np.append(a, [0.0, 1.0]).reshape(-1, 1)) * u,
    "float32": lambda u, v, a: np.dot(u.astype(np.float32), v) * u,
    "complex": lambda u, v, a: np.dot(u * 1j, v).imag * u,
}
POINTS = {
    "ordinary": np.linspace(0.5, 2.0, 9),
    "with zeros": np.array([0.0, 1.0, -1.0, 2.0, 0.0, 0.5, 0.0, 1.0, 3.0]),
    "not finite": np.array([np.inf, 1.0, -1.0, 2.0, np.nan, 0.5, 0.0, 1.0, 3.0]),
    "small": np.array([1e-200, 1.0, -1e-200, 2.0, 1e-320, 0.5, -0.0, 1.0, 3.0]),
}


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("point", POINTS.values(), ids=POINTS)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_as_by_the_rules(call, point, monkeypatch):
    found = []
    for is_short in (True, False):
        with monkeypatch.context() as m:
            if not is_short:
                m.setattr(lookup, "is_alike_everywhere", lambda *_: False)
            seen = Outside()

            def f(x, seen=seen):
                result = [call(x[:3], x[3:6], x.reshape(3, 3)) for _ in range(3)]
                seen.append(values_of(result[-1]))
                return result[-1]

            jacobian = st.jacobian_sparsity(f, point, local=True).toarray().tolist()
            hessian = st.hessian_sparsity(lambda x: np.sum(f(x)), point, local=True)
            values = {np.asarray(value).tobytes() for value in seen}
            found.append((jacobian, hessian.toarray().tolist(), values))
    assert found[0] == found[1]


def test_calls_of_nonzero_operands_are_looked_up(monkeypatch):
    answers = Outside()

    def watched(*args, original=lookup.is_alike_everywhere):
        answers.append(original(*args))
        return answers[-1]

    monkeypatch.setattr(lookup, "is_alike_everywhere", watched)
    point = np.array([0.5, 2.0, 1.0])
    st.jacobian_sparsity(lambda x: x @ x + np.sum(x) + np.prod(x), point, local=True)
    point[0] = 0.0
    st.jacobian_sparsity(lambda x: x @ x + np.sum(x) + np.prod(x), point, local=True)
    assert list(answers) == [True, True, True, False, True, False]

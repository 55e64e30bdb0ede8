"""Where f takes complex numbers at one point, and loses their imaginary parts at another."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from sparsetrace.derivatives.hessian import sparse_hessian
from sparsetrace.derivatives.imaginary_parts import may_lose_imaginary_parts
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.errors import VerificationError
from sparsetrace.user_code.reach import reached

pytestmark = pytest.mark.fast
HERE = np.array([0.3, 1.2, -2.0, 0.7])
BEYOND = np.array([6.0, 1.1, -2.3, 3.0])
size = np.abs


class Model:
    def __init__(self):
        self.measure = np.linalg.norm

    def __call__(self, x):
        return x * self.measure(x)


def into_a_buffer(x):
    out = np.zeros(4)
    for i in range(4):
        out[i] = x[i] * x[0]
    return out


BEYOND_A_BRANCH = {
    "abs": lambda x: np.abs(x) * x,
    "under another name": lambda x: size(x) * x,
    "of Python": lambda x: np.array([abs(v) * v for v in x]),
    "real": lambda x: x * x.real,
    "conj": lambda x: np.conj(x) * x[::-1],
    "norm": lambda x: x * np.linalg.norm(x),
    "an attribute": Model(),
    "vdot": lambda x: x * np.vdot(x, x),
    "sign": lambda x: x + np.sign(x),
    "variance": lambda x: x * x.var(),
    "parts": lambda x: np.exp(1j * x).imag,
    "eigenvalues": lambda x: np.linalg.eigvalsh(np.outer(x, x) + np.diag(np.arange(4.0))),
    "a buffer": into_a_buffer,
    "math": lambda x: np.array([math.sin(v) for v in x]),
    "no complex numbers": lambda x: np.hypot(x, x[0]),
}


def differences(f, x):
    h = 1e-6 * np.eye(len(x))
    return np.array([(f(x + step) - f(x - step)) / 2e-6 for step in h]).T


@pytest.mark.parametrize("name", BEYOND_A_BRANCH)
def test_what_a_branch_hides_from_the_probe(name):
    beyond = BEYOND_A_BRANCH[name]

    def f(x):
        return beyond(x) if x[0] > 5 else x**2

    jacobian = sparse_jacobian(f, HERE)
    assert jacobian.method == "cs"
    jacobian(HERE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (HERE + 0.5, BEYOND, BEYOND + 0.1, HERE):
            np.testing.assert_allclose(
                jacobian(x).toarray(), differences(f, x), rtol=1e-5, atol=1e-6
            )
    assert jacobian.method == "2-point"


@pytest.mark.parametrize("hidden", [np.abs, np.real, np.sign])
def test_what_a_mask_hides_from_the_probe(hidden):
    def f(x):
        return np.where(x > 5, 3 * hidden(x), x**2)

    jacobian = sparse_jacobian(f, HERE)
    for x in (HERE, HERE + 0.5, BEYOND):
        np.testing.assert_allclose(jacobian(x).toarray(), differences(f, x), rtol=1e-5, atol=1e-6)


def test_a_function_that_fails_itself_keeps_the_complex_step():
    def f(x):
        if (x.real > 5).any():
            raise ValueError("beyond the domain")
        return x**2

    jacobian = sparse_jacobian(f, HERE)
    with pytest.raises(ValueError, match="beyond the domain"):
        jacobian(BEYOND)
    assert jacobian.method == "cs"
    assert jacobian(HERE).diagonal().tolist() == (2 * HERE).tolist()


def test_other_functions_are_not_doubted():
    def f(x):
        return np.where(x > 0, np.sqrt(np.maximum(x, 1)), np.clip(x, -1, 1)) @ np.eye(4)

    assert not may_lose_imaginary_parts(reached([f]))
    jacobian = sparse_jacobian(f, HERE)
    jacobian(HERE)
    before = jacobian.nfev
    jacobian(HERE)
    assert jacobian.nfev - before == jacobian.coloring.num_colors


@pytest.mark.parametrize(
    ("f", "x", "inside"),
    [
        (np.sqrt, [-1.0, 4.0], 0.25),
        (np.log, [-1.0, 4.0], 0.25),
        (np.arccos, [-1.5, 0.0], -1.0),
        (lambda x: np.power(x, 1.5), [-1.0, 4.0], 3.0),
    ],
)
def test_functions_without_a_real_value_have_no_derivative(f, x, inside):
    jacobian = sparse_jacobian(f, np.array([0.5, 0.25]), method="cs")
    with np.errstate(all="ignore"):
        for _ in range(3):
            np.testing.assert_allclose(jacobian(np.array(x)).diagonal(), [np.nan, inside])


@pytest.mark.parametrize("by", ["grad", "values"])
def test_hessians_without_a_real_value(by):
    def f(x):
        return np.sum(np.sqrt(x) * x[::-1])

    def grad(x):
        return x[::-1] / (2 * np.sqrt(x)) + np.sqrt(x[::-1])

    given = {"grad": grad} if by == "grad" else {"method": "cs"}
    hessian = sparse_hessian(f, np.ones(2), **given)
    hessian(np.ones(2))
    with np.errstate(all="ignore"):
        assert np.isnan(hessian(np.array([-1.0, 1.0])).data).all()


def test_a_pattern_at_a_point_is_checked_elsewhere():
    def f(x):
        return x * x[0] if x[0] > 5 else x * 1.0

    jacobian = sparse_jacobian(f, HERE, local=True)
    for _ in range(3):
        jacobian(HERE)
    with pytest.raises(VerificationError, match="local=True holds at one point alone"):
        jacobian(BEYOND)

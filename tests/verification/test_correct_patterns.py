"""The check by plain calls: correct patterns are never reported."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import sparsetrace as st
from cases import array_programs, programs
from cases.user_functions import SHAPES, TRACED
from problems import HESSIAN_SIZES, HESSIANS, PROBLEMS, SIZES

pytestmark = pytest.mark.filterwarnings("error::sparsetrace.VerificationWarning")


def check_every_mode(f, x):
    """Nothing is reported; the trace itself may refuse the function."""
    for detect in (st.jacobian_sparsity, st.lagrangian_hessian_sparsity):
        for local in (False, True):
            options = [{}] if detect is not st.jacobian_sparsity else [{}, {"dependency": True}]
            for option in options:
                try:
                    detect(f, x, local=local, verify=True, **option)
                except st.VerificationError:
                    raise
                except st.TracingError:
                    pass


@pytest.mark.parametrize(("name", "f"), TRACED, ids=[name for name, _ in TRACED])
def test_user_code_is_not_reported(name, f):
    shape = SHAPES.get(name, 4)
    for x in (np.ones(shape), np.random.default_rng(0).uniform(0.5, 2.0, shape)):
        try:
            f(x.copy())
        except Exception:
            return
        check_every_mode(f, x)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_are_not_reported(seed):
    program = programs.Writer(seed).program()
    x = np.random.default_rng(seed).uniform(-1.5, 1.5, program.n)
    check_every_mode(program.compiled(), x)


@pytest.mark.parametrize("seed", range(30))
def test_random_jacobians_are_not_reported(seed):
    program = array_programs.Writer(seed).program()
    x = np.random.default_rng(seed).uniform(-2.0, 2.0, program.n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        check_every_mode(program.function, x)


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems_are_not_reported(name):
    problem = PROBLEMS[name](SIZES[name][0])
    for options in ({}, {"local": True}, {"dependency": True}):
        pattern = st.jacobian_sparsity(
            problem.function, *problem.arguments, argnums=problem.argnums, verify=True, **options
        )
        assert pattern.shape == problem.shape


@pytest.mark.parametrize("name", HESSIANS)
def test_problems_with_hessians_are_not_reported(name):
    problem = HESSIANS[name](HESSIAN_SIZES[name][0])
    for local in (False, True):
        pattern = st.hessian_sparsity(
            problem.function,
            *problem.arguments,
            argnums=problem.argnums,
            local=local,
            verify=True,
        )
        assert pattern.shape == problem.shape


CAREFUL = {
    "floor": (np.floor, [0.5, 1.5]),
    "floor-at-a-jump": (np.floor, [1.0, 2.0]),
    "rounded": (lambda x: np.round(x, 8), [0.123456, 3.3]),
    "rounded-finely": (lambda x: np.round(x, 3) + x[::-1], [0.1, 2.0]),
    "steps": (lambda x: np.floor(1000 * x) * x[::-1], [0.1234, 0.77]),
    "square-at-zero": (lambda x: x**2, [0.0, 1.0]),
    "cube-at-zero": (lambda x: x**3 + x[::-1], [0.0, 0.0]),
    "product-at-zero": (lambda x: x[0] * x[1] ** 2, [1.0, 0.0]),
    "kink": (lambda x: np.maximum(x, 0.5), [0.5, 1.0]),
    "kink-of-abs": (np.abs, [0.0, 1.0]),
    "threshold": (lambda x: x[1] if x[0] > 0.5 else x[2], [0.5, 1.0, 2.0]),
    "one-sided": (lambda x: np.where(x > 0, x, 0.0), [0.0, 1.0]),
    "sign": (lambda x: np.sign(x) * x[0], [0.0, -1.0]),
    "cancelled": (lambda x: x - x + 1e8, [0.3, 4.0]),
    "cut": (lambda x: x * [0.0, 1.0], [2.0, 3.0]),
    "ties": (lambda x: np.sort(x), [1.0, 1.0, 2.0]),
    "single-precision": (lambda x: np.float32(2) * x[::-1], np.ones(3, np.float32)),
    "complex": (lambda x: x * x[::-1].conj(), np.array([1 + 2j, 3 - 1j])),
    "sum-of-large": (lambda x: np.array([(x + 1e10).sum(), x[0]]), [0.1, 0.2, 0.3]),
}


@pytest.mark.parametrize("name", CAREFUL)
def test_jumps_kinks_and_rounding_are_not_reported(name):
    f, x = CAREFUL[name][0], np.asarray(CAREFUL[name][1])
    for local in (False, True):
        for dependency in (False, True):
            pattern = st.jacobian_sparsity(f, x, local=local, dependency=dependency, verify=40)
            assert pattern.shape == (np.size(f(x)), x.size)
        pattern = st.lagrangian_hessian_sparsity(f, x, local=local, verify=40)
        assert pattern.shape == (x.size, x.size)


def test_a_jump_is_a_dependency():
    pattern = np.zeros((2, 2))
    st.check_jacobian_sparsity(np.floor, pattern, np.array([0.5, 1.5]))
    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(np.floor, pattern, np.array([0.5, 1.5]), dependency=True)


def test_a_vanishing_derivative_counts_elsewhere():
    st.check_jacobian_sparsity(np.square, [[0]], np.zeros(1), local=True)
    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(np.square, [[0]], np.zeros(1))


def test_other_branches_are_visited():
    def f(x):
        try:
            return math.log(x[0])
        except ValueError:
            return x[1]

    for seed in range(10):
        with pytest.raises(st.VerificationError):
            st.check_jacobian_sparsity(f, [[1, 0]], np.array([0.3, 0.7]), seed=seed)
    st.check_jacobian_sparsity(f, [[1, 0]], np.array([0.3, 0.7]), local=True)


def test_floating_point_errors_are_treated_as_by_the_caller():
    def f(x):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            root = np.sqrt(x[0])
        return x[1] if seen else root

    def g(x):
        try:
            return np.sqrt(x[0])
        except FloatingPointError:
            return x[1]

    with pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(f, [[1, 0]], np.ones(2))
    with np.errstate(all="raise"), pytest.raises(st.VerificationError):
        st.check_jacobian_sparsity(g, [[1, 0]], np.ones(2))
    with np.errstate(all="ignore"):
        st.check_jacobian_sparsity(g, [[1, 0]], np.ones(2))
        st.check_jacobian_sparsity(f, [[1, 0]], np.ones(2))

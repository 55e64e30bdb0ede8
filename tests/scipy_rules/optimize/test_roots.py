"""What a search for a root tells beside the root."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize as so
from numpy.testing import assert_array_equal

import sparsetrace as st
from oracles import assert_same_pattern

X = np.array([0.3, 0.8, 0.5])


def full(find):
    return lambda x: find(lambda z: z**3 - x[0], 0.0, 9.0, full_output=True)


SEARCHES = {
    "bisect": full(so.bisect),
    "brenth": full(so.brenth),
    "ridder": full(so.ridder),
    "toms748": full(so.toms748),
    "newton": lambda x: so.newton(lambda z: z**3 - x[0], 1.0, full_output=True),
    "root_scalar": lambda x: [
        (r := so.root_scalar(lambda z: z**3 - x[0], bracket=(0, 9))).root,
        r,
    ],
}


OPEN = {
    "unread": lambda x: so.root(lambda z: [z[0] - x[0], z[0] - x[0]], x[1:], method="lm").x,
    "unread, newton_krylov": lambda x: so.newton_krylov(
        lambda z: np.stack([z[0] - x[0], 0 * x[0]]), x[1:]
    ),
    "fewer equations": lambda x: so.newton(lambda z: np.stack([z[0] - x[0], 0.0]), x[1:]),
}
SINGULAR = {
    "one equation twice": lambda x: (
        so.root(lambda z: [z[0] + z[1] - x[0], 2 * (z[0] + z[1] - x[0])], x[1:], method="lm").x
    ),
    "fixed_point of all": lambda x: so.fixed_point(lambda z: z + 0 * x[0], x[1:]),
}


@pytest.mark.parametrize("name", [*OPEN, *SINGULAR])
@pytest.mark.parametrize("local", [False, True])
@pytest.mark.filterwarnings("ignore")  # of SciPy's, of what is left open
def test_unknowns_that_equations_leave_open_stay_where_the_search_starts(name, local):
    find = {**OPEN, **SINGULAR}[name]
    pattern = st.jacobian_sparsity(find, X, local=local).toarray()
    differences = [find(X + h) - find(X - h) for h in 1e-3 * np.eye(3)]
    missing = (np.abs(np.stack(differences, axis=-1)) > 1e-4) & ~pattern.astype(bool)
    # globally equations are taken as independent: see "What cannot be seen"
    assert missing.any() == (name in SINGULAR and not local)


ALONE = {
    "newton": lambda x: so.newton(lambda z: z**3 - x[0], x[1]),
    "root": lambda x: so.root(lambda z: z**3 - x[:1], x[1:2]).x,
    "of complex numbers": lambda x: np.imag(so.newton(lambda z: z**2 + x[0], x[1] * 1j)),
    "root_scalar": lambda x: so.root_scalar(lambda z: z**3 - x[0], x0=x[1], x1=x[2]).root,
    "brentq": lambda x: so.brentq(lambda z: z**3 - x[0], x[1] - 9, x[2] + 9),
}


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("local", [False, True])
def test_a_root_alone_does_not_depend_on_the_start(name, local):
    pattern = st.jacobian_sparsity(ALONE[name], X, local=local).toarray()
    assert_array_equal(pattern.reshape(-1), [1, 0, 0])


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("local", [False, True])
def test_steps_have_no_derivative(name, local):
    def f(x):
        root, how = SEARCHES[name](x)
        assert how.converged
        assert how.flag == "converged"
        return root * x[1], how.root, how.iterations * x[2], how.function_calls, how.iterations

    expected = [[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert_same_pattern(st.jacobian_sparsity(f, X, local=local), expected)
    if not local:
        steps = st.jacobian_sparsity(lambda x: f(x)[3:], X, dependency=True)
        assert_same_pattern(steps, [[1, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize("local", [False, True])
def test_steps_of_several_equations(local):
    def f(x):
        found = so.root(lambda z: z**3 - x[:2], np.ones(2))
        return found.x, found.nfev * x[2], found.success * x[2]

    expected = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert_same_pattern(st.jacobian_sparsity(f, X, local=local), expected)
    assert isinstance(so.root(lambda z: z - 1, [2.0]).nfev, int)


def test_values_at_the_point_are_those_of_the_search():
    found = SEARCHES["bisect"](X)[1]

    def f(x):
        root, how = SEARCHES["bisect"](x)
        told = how.iterations, how.function_calls, how.method, how.flag
        assert told == (found.iterations, found.function_calls, "bisect", "converged")
        return root

    assert_same_pattern(st.jacobian_sparsity(f, X, local=True), [[1, 0, 0]])


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(("method", "axes"), [("hybr", 1), ("lm", 1), ("df-sane", 0)])
def test_roots_from_a_number_have_the_axes_that_scipy_gives_them(method, axes, local):
    def f(x):
        found = so.root(lambda z: z**3 - x[0], 0.6, method=method)
        assert np.ndim(found.x) == axes
        return found.x.reshape(-1)[0] * x[1]

    assert_same_pattern(st.jacobian_sparsity(f, X, local=local), [[1, 1, 0]])


def test_roots_from_a_matrix_are_a_vector():
    def f(x):
        return so.root(lambda z: z**3 - x[:2], np.ones((1, 2))).x

    assert f(X).shape == (2,)
    assert_same_pattern(st.jacobian_sparsity(f, X), [[1, 0, 0], [0, 1, 0]])


def test_a_complex_root_has_its_imaginary_part_at_a_point():
    def f(x):
        root = so.newton(lambda z: z**2 + x[0], 1.3j)
        return np.where(np.imag(root) > 0.5, x[1], x[2])

    assert_array_equal(st.jacobian_sparsity(f, X, local=True).toarray(), [[0, 1, 0]])


def test_whole_numbers_beside_many_integrals():
    def f(x):
        found = scipy.integrate.tanhsinh(lambda t, a: a * np.exp(t), 0.0, x, args=(x,))
        return found.integral, found.maxlevel * x, found.status + x

    pattern = st.jacobian_sparsity(f, X, local=True)
    assert_same_pattern(pattern, np.tile(np.eye(len(X)), (3, 1)))

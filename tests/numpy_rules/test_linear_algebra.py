"""Solutions, inverses, determinants and factorizations against numerical derivatives.

Both orders, both ways: nothing missing, and nothing extra unless `EXTRA` says why.
"""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

from oracles import (
    assert_covers,
    assert_same_pattern,
    dense,
    flat_outputs,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace import jacobian_sparsity, lagrangian_hessian_sparsity

RNG = np.random.default_rng(1)
LOWER = np.tril(RNG.uniform(0.5, 1.5, (4, 4))) + 2 * np.eye(4)
DIAGONAL = np.diag([1.0, 2, 3, 4])
BLOCKS = np.kron(np.eye(2), RNG.uniform(0.5, 1, (2, 2)) + 2 * np.eye(2))
PERMUTED = LOWER[[2, 0, 3, 1]]
THREE = np.eye(3)


def lower(x):
    matrix = np.zeros((3, 3))
    matrix[np.tril_indices(3)] = x[:6]
    return matrix + 2 * np.eye(3)


def blocks(x):
    matrix = np.zeros((3, 3))
    matrix[:2, :2] = x[:4].reshape(2, 2)
    matrix[2, 2] = x[4]
    return matrix + 2 * np.eye(3)


def square(x):
    return x.reshape(3, 3)


def banded(x):
    return np.diag(x[:4] + 1) + 0.7 * (np.diag(x[4:7], -1) + np.diag(x[4:7], 1))


CASES = {
    "solve, lower": (lambda x: np.linalg.solve(LOWER, x), 4),
    "solve, upper": (lambda x: np.linalg.solve(LOWER.T, x), 4),
    "solve, diagonal": (lambda x: np.linalg.solve(DIAGONAL, x), 4),
    "solve, blocks": (lambda x: np.linalg.solve(BLOCKS, x.reshape(4, 2)), 8),
    "solve, permuted": (lambda x: np.linalg.solve(PERMUTED, x), 4),
    "solve, batch": (lambda x: np.linalg.solve(np.stack([LOWER, DIAGONAL]), x.reshape(2, 4, 1)), 8),
    "solve, one side": (lambda x: np.linalg.solve(np.stack([LOWER, DIAGONAL]), x[:, None]), 4),
    "solve, traced": (lambda x: np.linalg.solve(x[:4].reshape(2, 2) + 2 * np.eye(2), x[4:]), 6),
    "solve, traced lower": (lambda x: np.linalg.solve(lower(x), x[6:]), 9),
    "solve, traced lower, constant side": (lambda x: np.linalg.solve(lower(x), np.ones(3)), 6),
    "solve, traced blocks": (lambda x: np.linalg.solve(blocks(x), x[5:].reshape(3, 1)), 8),
    "solve, constants among the sides": (
        lambda x: np.linalg.solve(LOWER, np.concatenate([[1.0, 2], x])),
        2,
    ),
    "inv": (lambda x: np.linalg.inv(square(x) + 2 * THREE), 9),
    "inv, lower": (lambda x: np.linalg.inv(lower(x)), 6),
    "inv, blocks": (lambda x: np.linalg.inv(blocks(x)), 5),
    "inv, batch": (lambda x: np.linalg.inv(x.reshape(2, 2, 2) + 2 * np.eye(2)), 8),
    "tensorinv": (lambda x: np.linalg.tensorinv(x.reshape(2, 1, 2) + np.eye(2)[:, None], ind=2), 4),
    "det": (lambda x: np.linalg.det(square(x)), 9),
    "det, lower": (lambda x: np.linalg.det(lower(x)), 6),
    "det, blocks": (lambda x: np.linalg.det(blocks(x)), 5),
    "det, batch": (lambda x: np.linalg.det(x.reshape(2, 2, 2)), 8),
    "det of one": (lambda x: np.linalg.det(x.reshape(1, 1)), 1),
    "slogdet": (lambda x: np.linalg.slogdet(square(x) + 2 * THREE)[1], 9),
    "slogdet, blocks": (lambda x: np.linalg.slogdet(blocks(x))[1], 5),
    "slogdet, batch": (lambda x: np.linalg.slogdet(x.reshape(2, 2, 2))[1], 8),
    "cholesky": (lambda x: np.linalg.cholesky(square(x) @ square(x).T + THREE), 9),
    "cholesky, one triangle": (lambda x: np.linalg.cholesky(3 * THREE + square(x)), 9),
    "cholesky, upper": (lambda x: np.linalg.cholesky(3 * THREE + square(x), upper=True), 9),
    "cholesky, banded": (lambda x: np.linalg.cholesky(banded(x)), 7),
    "cholesky, batch": (lambda x: np.linalg.cholesky(x.reshape(2, 2, 2) + 2 * np.eye(2)), 8),
    "qr": (lambda x: np.linalg.qr(x.reshape(3, 2)), 6),
    "qr, R": (lambda x: np.linalg.qr(x.reshape(3, 2), mode="r"), 6),
    "qr, complete": (lambda x: np.linalg.qr(x.reshape(3, 2), mode="complete"), 6),
    "qr, wide": (lambda x: np.linalg.qr(x.reshape(2, 3)), 6),
    "qr, batch": (lambda x: np.linalg.qr(x.reshape(2, 3, 2)), 12),
    "eigvalsh": (lambda x: np.linalg.eigvalsh(square(x) + np.diag([1.0, 2, 4])), 9),
    "eigvalsh, U": (lambda x: np.linalg.eigvalsh(square(x) + np.diag([1.0, 2, 4]), UPLO="U"), 9),
    "eigh": (lambda x: np.linalg.eigh(square(x) + np.diag([1.0, 2, 4])).eigenvalues, 9),
    "svdvals": (lambda x: np.linalg.svd(x.reshape(2, 2), compute_uv=False), 4),
    "pinv": (lambda x: np.linalg.pinv(x.reshape(3, 2)), 6),
    "lstsq": (lambda x: np.linalg.lstsq(LOWER[:, :2], x)[0], 4),
    "lstsq, residuals": (lambda x: np.linalg.lstsq(LOWER[:, :2], x)[1], 4),
    "lstsq, traced": (lambda x: np.linalg.lstsq(x[:6].reshape(3, 2), x[6:])[0], 9),
    "tensorsolve": (lambda x: np.linalg.tensorsolve(LOWER.reshape(4, 2, 2), x), 4),
    "matrix_power": (lambda x: np.linalg.matrix_power(lower(x), 2), 6),
    "matrix_power, negative": (lambda x: np.linalg.matrix_power(lower(x), -1), 6),
    "multi_dot": (lambda x: np.linalg.multi_dot([lower(x), square(x), np.ones((3, 1))]), 9),
    "cond": (lambda x: np.linalg.cond(x.reshape(2, 2) + 2 * np.eye(2)), 4),
    "norm, nuclear": (lambda x: np.linalg.norm(x.reshape(2, 2), "nuc"), 4),
    "norm, spectral": (lambda x: np.linalg.norm(x.reshape(2, 2), 2), 4),
    "norm, Frobenius": (lambda x: np.linalg.norm(x.reshape(2, 2)), 4),
}
EXTRA = {
    "qr, wide": "in two dimensions the second basis vector follows from the first",
    "tensorsolve": "taken as a whole, whatever zeros the tensor has",
    "lstsq, residuals": "of one output, whose second derivatives are small",
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name):
    f, n = CASES[name]
    x = np.random.default_rng(5).uniform(0.5, 1.5, n)
    compare = assert_covers if name in EXTRA else assert_same_pattern
    found = jacobian_sparsity(f, x)
    wanted = numerical_jacobian_pattern(f, x, points=5)
    compare(found, wanted)
    at_point = dense(jacobian_sparsity(f, x, local=True))
    assert (at_point <= dense(found)).all()
    assert_covers(
        at_point, numerical_jacobian_pattern(f, x, points=1, low=None, high=None) & at_point
    )
    weights = np.random.default_rng(11).uniform(0.5, 1.5, len(flat_outputs(f(x))))
    hessian = lagrangian_hessian_sparsity(f, x)
    second = numerical_hessian_pattern(lambda y: weights @ flat_outputs(f(y)).real, x, points=8)
    compare(hessian, second)
    assert (dense(lagrangian_hessian_sparsity(f, x, local=True)) <= dense(hessian)).all()


def test_a_diagonal_matrix_is_elementwise():
    pattern = jacobian_sparsity(
        lambda x: np.linalg.solve(np.diag(np.arange(1.0, 200)), x), np.ones(199)
    )
    assert (pattern.toarray() == np.eye(199, dtype=bool)).all()


def test_the_zeros_of_constants_may_change():
    """With ``constants="structure"`` no zero is heeded."""
    pattern = jacobian_sparsity(
        lambda x: np.linalg.solve(LOWER, x), np.ones(4), constants="structure"
    )
    assert pattern.nnz == 16


def test_structures_of_inverses():
    """Against the inverses of random matrices with these zeros."""
    rng = np.random.default_rng(7)
    for _ in range(200):
        n = int(rng.integers(1, 7))
        mask = rng.random((n, n)) < rng.uniform(0.2, 0.9)
        mask[np.arange(n), rng.permutation(n)] = True
        nonzero = np.zeros((n, n), bool)
        for _ in range(3):
            values = np.where(mask, rng.uniform(0.5, 2, (n, n)), 0)
            nonzero |= np.abs(np.linalg.inv(values)) > 1e-12
        pattern = jacobian_sparsity(lambda x, a=values: np.linalg.solve(a, x), np.ones(n))
        assert_same_pattern(pattern, nonzero)


def test_a_singular_structure_is_dense():
    def f(x):
        a = np.zeros((2, 2))
        a[:, 0] = x[:2]
        return np.linalg.solve(a, x[2:])

    assert dense(jacobian_sparsity(f, np.ones(4))).all()


def lower_of(x, n):
    matrix = np.zeros((n, n))
    matrix[np.tril_indices(n)] = x
    return matrix


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("order", [1, 2])
def test_batches_are_solved_item_by_item(order, seed):
    """Each matrix of a batch has zeros of its own, some of them at the point alone."""
    rng = np.random.default_rng(seed)
    batch, n, k = rng.integers(1, 4, 3)
    masks = rng.random((batch, n, n)) < 0.5
    for mask in masks:
        mask[np.arange(n), rng.permutation(n)] = True
    values = np.where(masks, rng.uniform(0.5, 1.5, masks.shape), 0) + 0.0
    traced = masks & (rng.random(masks.shape) < 0.7)
    sides = rng.uniform(0.5, 1.5, (batch, n, k)) * (rng.random((batch, n, k)) < 0.7)
    start = np.concatenate([values[traced], sides.ravel()])
    start[rng.random(len(start)) < 0.1] = 0
    size = int(traced.sum())

    def together(x):
        a, b = np.zeros(masks.shape), x[size:].reshape(sides.shape) * (sides != 0)
        a[...] = np.where(traced, 0, values)
        a[traced] = x[:size]
        return a, b

    def apart(x):
        a, b = together(x)
        return np.stack([np.linalg.solve(one, side) for one, side in zip(a, b, strict=True)])

    weights = rng.uniform(0.5, 1.5, sides.shape)

    def pattern(solve, **options):
        if order == 1:
            return dense(jacobian_sparsity(solve, start, **options))
        return dense(
            lagrangian_hessian_sparsity(lambda x: (weights * solve(x)).sum(), start, **options)
        )

    def at_once(x):
        return np.linalg.solve(*together(x))

    assert_same_pattern(pattern(at_once), pattern(apart))
    assert_same_pattern(
        pattern(at_once, constants="structure"), pattern(apart, constants="structure")
    )
    if all(np.linalg.matrix_rank(one) == n for one in together(start)[0]):
        assert_same_pattern(pattern(at_once, local=True), pattern(apart, local=True))


def test_solutions_of_zero():
    """An unknown that is zero for all inputs makes its coefficients count nothing."""

    def f(x):
        return np.linalg.solve(lower_of(x, 3), np.array([0.0, 1.0, 2.0]))

    wanted = [[0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 1, 1]]
    x = np.arange(1.0, 7)
    assert_same_pattern(jacobian_sparsity(f, x), wanted)
    assert_same_pattern(numerical_jacobian_pattern(f, x, points=3), wanted)


def test_a_solution_that_is_zero_at_the_point_has_a_derivative():
    """Whether it is zero for all inputs is read of all elements, not of those at the point."""

    def f(x):
        return np.linalg.solve(np.stack([[1.0, 0.0], [x[0], 1.0]]), np.array([1.0, 0.0]))

    assert_same_pattern(jacobian_sparsity(f, np.zeros(1), local=True), [[0], [1]])


def test_elements_that_vanish_at_the_point():
    def f(x):
        return np.linalg.inv(lower_of(x, 2))

    x = np.array([1.0, 0.0, 2.0])
    wanted = [[1, 0, 0], [0, 0, 0], [0, 1, 1], [0, 0, 1]]  # and not x[0] in the third
    assert_same_pattern(jacobian_sparsity(f, x, local=True), wanted)
    hessian = lagrangian_hessian_sparsity(f, x, local=True)
    assert_same_pattern(hessian, [[1, 1, 0], [1, 0, 1], [0, 1, 1]])


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("upper", [False, True])
def test_full_cholesky_factors(n, upper):
    """Of full matrices and of those whose one zero says that they are not, alike but there."""
    shift = n * np.eye(n)
    holes = np.ones((n, n))
    holes[-1, 0] = holes[0, -1] = 0

    def f(x, mask):
        return np.linalg.cholesky(x.reshape(n, n) * mask + shift, upper=upper)

    x = np.random.default_rng(3).uniform(0.5, 1.5, n * n)
    weights = np.random.default_rng(4).uniform(0.5, 1.5, (n, n))
    for mask in (np.ones((n, n)), holes):

        def factor(x, mask=mask):
            return f(x, mask)

        def total(x, mask=mask):
            return (weights * f(x, mask)).sum()

        wanted = numerical_jacobian_pattern(factor, x, points=3)
        second = numerical_hessian_pattern(total, x, points=4)
        for local in (False, True):
            assert_same_pattern(jacobian_sparsity(factor, x, local=local), wanted)
            assert_same_pattern(lagrangian_hessian_sparsity(total, x, local=local), second)


def test_a_cholesky_factor_of_constants_with_an_accidental_zero():
    """``L[2, 1]`` is zero, though columns 0 and 1 of the matrix would fill it."""
    block = np.array([[4.0, 2, 2], [2, 5, 1], [2, 1, 6]])
    assert abs(np.linalg.cholesky(block)[2, 1]) < 1e-15

    def f(x):
        a = np.zeros((5, 5))
        a[:3, :3] = block
        a[3, [0, 1, 3]] = x[:3]
        a[4, [1, 4]] = x[3:]
        return np.linalg.cholesky(a)

    x = np.array([1.0, 2, 8, 1, 9])
    assert_same_pattern(jacobian_sparsity(f, x), numerical_jacobian_pattern(f, x, points=3))


FACTORS = {
    "an accidental zero": [[2, 0, 0, 0], [1, 2, 0, 0], [1, 0, 2, 0], [1, 1, 1, 2]],
    "zero but for a term": [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [-1, 1, 1, 1]],
    "banded": [[2, 0, 0, 0], [1, 2, 0, 0], [0, 1, 2, 0], [0, 0, 1, 2]],
}


@pytest.mark.parametrize("name", FACTORS)
def test_cholesky_factors_at_a_point(name):
    """What leads to a zero of the factor is asked of all columns; numbers are those of NumPy."""
    top = np.array(FACTORS[name], float)
    n = len(top) + 1
    factor = np.zeros((n, n))
    factor[:-1, :-1] = top
    factor[-1, -2:] = 1, 2
    matrix = factor @ factor.T
    mask = np.tril(matrix != 0)

    def f(x):
        a = np.zeros((n, n))
        a[mask] = x
        return np.linalg.cholesky(a)

    x = matrix[mask]
    assert np.allclose(f(x), factor)
    steps = 1e-5 * np.eye(len(x))
    slopes = np.array([(f(x + step) - f(x - step)).ravel() / 2e-5 for step in steps]).T
    assert_covers(jacobian_sparsity(f, x, local=True), np.abs(slopes) > 1e-6)


def test_what_numpy_refuses_is_refused():
    for f in (
        lambda x: np.linalg.inv(x.reshape(2, 3)),
        lambda x: np.linalg.det(x.reshape(2, 3)),
        lambda x: np.linalg.solve(x.reshape(2, 3), np.ones(2)),
        lambda x: np.linalg.cholesky(x.reshape(2, 3)),
    ):
        with pytest.raises(np.linalg.LinAlgError):
            jacobian_sparsity(f, np.ones(6))
    with pytest.raises(ValueError, match="mismatch"):
        jacobian_sparsity(lambda x: np.linalg.solve(LOWER, x), np.ones(3))


def test_values_of_constants_stay_known():
    """``x[2] * 0`` in the solution of a constant system is cut."""

    def f(x):
        found = np.linalg.solve(np.diag([1.0, 2.0]), np.stack([0.0 * x[0], x[1]]))
        return found[0] * x

    assert jacobian_sparsity(f, np.ones(2)).nnz == 0


@pytest.mark.filterwarnings("ignore:The 'economic' option:DeprecationWarning")
@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (2, 3, 2)])
def test_the_old_names_of_a_factorization(shape):
    """A compact one, which has the shape of the matrix."""

    def f(x):
        return np.linalg.qr(x.reshape(shape), mode="economic").ravel()

    x = RNG.uniform(0.5, 1.5, 12)
    assert_same_pattern(jacobian_sparsity(f, x), numerical_jacobian_pattern(f, x))


TURNED = np.eye(3)[[1, 2, 0]]
EIGENVALUES = {
    "one number": lambda x: np.linalg.eigvals(x[:1, None]),
    "vectors of one number": lambda x: np.linalg.eig(x[:1, None])[1] * x[1],
    "triangular": lambda x: np.linalg.eigvals(np.array([[x[0], x[1]], [0, x[2]]])),
    "turned": lambda x: np.linalg.eigvals(TURNED @ np.triu(np.outer(x[:3], x[1:])) @ TURNED.T),
    "several": lambda x: np.linalg.eigvals(x.reshape(4, 1, 1)),
    "complex numbers": lambda x: np.linalg.eigvals(x[:1, None] * 1j),
    "two numbers": lambda x: np.linalg.eigvals(np.array([[x[0], x[1]], [-x[2], x[3]]])),
}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", EIGENVALUES)
def test_eigenvalues_of_matrices_without_cycles_are_real(name, local):
    seen, start = Outside(), np.array([0.5, 1.5, 0.7, 1.1])

    def f(x):
        values = EIGENVALUES[name](x)
        seen.append(values.dtype)
        return values.real

    f(start)
    pattern = jacobian_sparsity(f, start, local=local)
    plain, *traced = seen
    assert set(traced) == {plain}
    assert_covers(pattern, numerical_jacobian_pattern(f, start))

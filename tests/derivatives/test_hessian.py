"""`sparse_hessian` and `sparse_lagrangian_hessian` against Hessians written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from cases.sums import (
    Collocation,
    PowerFlow,
    rosenbrock,
    rosenbrock_gradient,
    rosenbrock_hessian,
    rosenbrock_terms,
)
from sparsetrace.api.detection import hessian_sparsity
from sparsetrace.coloring import color_columns, color_star
from sparsetrace.derivatives.hessian import sparse_hessian, sparse_lagrangian_hessian
from sparsetrace.errors import InputError, OutputError, VerificationError

POINT = np.random.default_rng(0).normal(size=200)
HAND = rosenbrock_hessian(POINT).toarray()
GRAD, TERMS = {"grad": rosenbrock_gradient}, {"terms": rosenbrock_terms}
PAIRS = 399
# what is given, the method; star or acyclic; relative error; calls: of gradients, of each
SOURCES = [
    (GRAD, "cs", "star", 1e-15, 3),
    (GRAD, "cs", "acyclic", 1e-14, 2),
    (GRAD, "2-point", "star", 1e-7, 4),
    (GRAD, "2-point", "acyclic", 1e-6, 3),
    (GRAD, "3-point", "star", 1e-9, 6),
    (GRAD, "3-point", "acyclic", 1e-9, 4),
    (TERMS, "2-point", "star", 1e-7, 4 * 2),
    (TERMS, "3-point", "star", 1e-9, 6 * 2),
    (TERMS, "3-point", "acyclic", 1e-9, 4 * 2),
    ({}, "cs", "star", 1e-7, PAIRS + 200),
    ({}, "2-point", "star", 1e-3, PAIRS + 200 + 1),
    ({}, "3-point", "star", 1e-6, 2 * 199 + 2 * 200 + 1),
]


def names(value):
    return "+".join(value) or "values" if isinstance(value, dict) else None


def error(matrix, expected):
    return np.abs(matrix.toarray() - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize(("given", "method", "kind", "tolerance", "calls"), SOURCES, ids=names)
def test_rosenbrock(given, method, kind, tolerance, calls):
    hessian = sparse_hessian(rosenbrock, POINT, method=method, kind=kind, check=False, **given)
    before = hessian.nfev
    matrix = hessian(POINT)
    assert hessian.nfev - before == calls
    assert error(matrix, HAND) < tolerance
    np.testing.assert_array_equal(matrix.toarray(), matrix.toarray().T)
    assert hessian.coloring.num_colors == (3 if kind == "star" else 2)
    assert hessian.method == method


@pytest.mark.parametrize(
    ("given", "method"), [(GRAD, "cs"), (TERMS, "2-point"), ({}, "cs")], ids=names
)
def test_method_is_chosen(given, method):
    assert sparse_hessian(rosenbrock, POINT, **given).method == method


def test_real_buffers_take_no_complex_step():
    def gradient(x):
        result = np.zeros(len(x))
        result[:] = rosenbrock_gradient(x)
        return result

    def terms(x):
        result = np.zeros(2 * len(x) - 2)
        result[:] = rosenbrock_terms(x)
        return result

    hessian = sparse_hessian(rosenbrock, POINT, grad=gradient)
    assert hessian.method == "2-point"
    assert error(hessian(POINT), HAND) < 1e-6
    hessian = sparse_hessian(lambda x: np.sum(terms(x)), POINT)
    assert hessian.method == "3-point"
    assert error(hessian(POINT), HAND) < 1e-5
    hessian = sparse_hessian(rosenbrock, POINT, terms=terms)
    assert error(hessian(POINT), HAND) < 1e-4
    hessian = sparse_hessian(rosenbrock, POINT, terms=terms, method="3-point")
    assert error(hessian(POINT), HAND) < 1e-6


def test_complex_step_at_a_minimum():
    hessian = sparse_hessian(rosenbrock, np.ones(4), **TERMS)
    assert error(hessian(np.ones(4)), rosenbrock_hessian(np.ones(4)).toarray()) < 1e-7


@pytest.mark.parametrize("given", [GRAD, TERMS], ids=names)
def test_without_the_function(given):
    hessian = sparse_hessian(None, POINT, **given)
    assert hessian.pattern.nnz == hessian_sparsity(rosenbrock, POINT).nnz
    assert error(hessian(POINT), HAND) < 1e-6


@pytest.mark.parametrize("given", [GRAD, {}], ids=names)
@pytest.mark.parametrize("method", ["2-point", "3-point"])
@pytest.mark.parametrize("kind", ["star", "acyclic"])
def test_bounds_are_respected(given, method, kind):
    x = POINT[:12].copy()
    lower, upper = x - np.repeat([0.0, 1.0, 1e-7], 4), x + 1.0

    def inside(function):
        def checked(z):
            if isinstance(z, np.ndarray) and type(z) is np.ndarray:
                assert (z >= lower).all()
                assert (z <= upper).all()
            return function(z)

        return checked

    wrapped = {name: inside(function) for name, function in given.items()}
    hessian = sparse_hessian(
        inside(rosenbrock) if not given else None,
        x,
        method=method,
        kind=kind,
        bounds=(lower, upper),
        pattern=rosenbrock_hessian(x) != 0,
        **wrapped,
    )
    assert error(hessian(x), rosenbrock_hessian(x).toarray()) < 2e-3


@pytest.mark.parametrize("given", [GRAD, TERMS, {}], ids=names)
@pytest.mark.parametrize("method", [None, "2-point", "3-point"])
def test_wrong_pattern_is_told(given, method):
    pattern = hessian_sparsity(rosenbrock, POINT).toarray()
    pattern[7, 8] = pattern[8, 7] = False
    hessian = sparse_hessian(rosenbrock, POINT, pattern=pattern, method=method, **given)
    with pytest.raises(VerificationError, match=r"no entry \((7, 8|8, 7)\)"):
        hessian(POINT)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["star", "acyclic"])
def test_random_sums(seed, kind):
    random = np.random.default_rng(seed)
    n, m = 25, 20
    triples, weights = random.integers(n, size=(m, 3)), random.normal(size=m)

    def terms(x):
        a, b, c = x[triples.T]
        return weights * np.sin(a) * b**2 * np.exp(c / 3)

    def expected(x):
        result = np.zeros((n, n))
        for weight, (i, j, k) in zip(weights, triples, strict=True):
            a, b, c = x[i], x[j], x[k]
            s, co, e = np.sin(a), np.cos(a), np.exp(c / 3)
            local = [
                [-s * b**2 * e, 2 * co * b * e, co * b**2 * e / 3],
                [2 * co * b * e, 2 * s * e, 2 * s * b * e / 3],
                [co * b**2 * e / 3, 2 * s * b * e / 3, s * b**2 * e / 9],
            ]
            np.add.at(result, np.ix_([i, j, k], [i, j, k]), weight * np.array(local))
        return result

    x = random.normal(size=n)
    for given in ({"terms": terms}, {}):
        hessian = sparse_hessian(lambda x: np.sum(terms(x)), x, kind=kind, **given)
        assert error(hessian(x), expected(x)) < 1e-6


def test_nested_arguments():
    def f(parts, scale):
        return scale * parts["u"][0, 0] * parts["w"] ** 2 + np.sum(parts["u"] ** 2)

    def gradient(parts, scale):
        u = 2 * parts["u"]
        u[0, 0] += scale * parts["w"] ** 2
        return {"u": u, "w": 2 * scale * parts["u"][0, 0] * parts["w"]}

    point = {"u": np.array([[1.0, 2.0], [3.0, 4.0]]), "w": -2.0}
    expected = np.diag([2.0, 2, 2, 2, 10])
    expected[0, 4] = expected[4, 0] = -20
    for given in ({"grad": gradient}, {}):
        hessian = sparse_hessian(f, point, (3.0,), **given)
        np.testing.assert_allclose(hessian(point, 5.0).toarray(), expected, atol=1e-5)
        np.testing.assert_allclose(
            hessian(np.array([1.0, 2, 3, 4, -2])).toarray(), expected, atol=1e-5
        )


@pytest.mark.parametrize("given", [GRAD, TERMS, {}], ids=names)
def test_other_shapes_are_traced_anew(given):
    hessian = sparse_hessian(rosenbrock, np.ones(4), **given)
    assert error(hessian(POINT), HAND) < 1e-6
    assert hessian(np.ones(4)).shape == (4, 4)


def test_data_rows_columns_lower_and_operator():
    hessian = sparse_hessian(rosenbrock, POINT, **GRAD)
    matrix = np.zeros((200, 200))
    out = np.empty(hessian.pattern.nnz)
    matrix[hessian.rows, hessian.cols] = hessian.data(POINT, out=out)
    np.testing.assert_allclose(matrix, HAND, rtol=1e-14)
    np.testing.assert_allclose(hessian.lower(POINT).toarray(), np.tril(HAND), rtol=1e-14)
    operator = hessian.linear_operator(POINT)
    np.testing.assert_allclose(operator.matvec(POINT), HAND @ POINT)
    np.testing.assert_allclose(operator.rmatvec(POINT), HAND @ POINT)


@pytest.mark.parametrize(
    "given", [{"grad": lambda x: np.ones(3)}, {"terms": lambda x: x}, {}], ids=names
)
def test_linear_functions_have_no_entries_and_no_calls(given):
    hessian = sparse_hessian(np.sum, np.ones(3), check=False, **given)
    before = hessian.nfev
    assert hessian(np.ones(3)).nnz == 0
    assert hessian.nfev == before


def test_refusals():
    with pytest.raises(InputError, match="none is given"):
        sparse_hessian(None, POINT)
    with pytest.raises(InputError, match="two ways"):
        sparse_hessian(rosenbrock, POINT, **GRAD, **TERMS)
    with pytest.raises(InputError, match="kind='columns'"):
        sparse_hessian(rosenbrock, POINT, kind="columns")
    with pytest.raises(InputError, match="'star' or 'acyclic' is needed, not 'columns'"):
        sparse_hessian(rosenbrock, POINT, coloring=color_columns(HAND))
    with pytest.raises(OutputError, match="terms="):
        sparse_hessian(rosenbrock_terms, POINT, method="cs")(POINT)
    assert sparse_hessian(rosenbrock, POINT, coloring=color_star(HAND), **GRAD)(POINT).nnz == 598


SWING = Collocation(200)
STATE = np.random.default_rng(1).normal(size=SWING.size)
MULTIPLIERS = np.random.default_rng(2).normal(size=400)
OF_SWING = {"grad": SWING.gradient, "jac": SWING.jacobian}


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(
    ("given", "method", "tolerance"),
    [
        (OF_SWING, "cs", 1e-14),
        (OF_SWING, "3-point", 1e-8),
        ({"grad": SWING.gradient}, "2-point", 1e-5),
        ({"grad": SWING.gradient}, "3-point", 1e-8),
        ({"terms": lambda z: SWING.step * z[402:] ** 2}, "3-point", 1e-8),
        ({"jac": SWING.jacobian}, "cs", 1e-6),
        ({}, "2-point", 1e-3),
    ],
    ids=names,
)
def test_collocation(given, method, tolerance, lower):
    hessian = sparse_lagrangian_hessian(
        SWING.objective, SWING.constraints, STATE, method=method, lower=lower, **given
    )
    expected = SWING.hessian(STATE, MULTIPLIERS, 0.5)
    matrix = hessian(STATE, MULTIPLIERS, 0.5)
    assert np.abs(matrix.toarray() - expected).max() < tolerance
    assert hessian.method == method
    values = hessian.data(STATE, MULTIPLIERS, 0.5)
    np.testing.assert_array_equal(values, matrix.data)
    np.testing.assert_array_equal(matrix.toarray()[hessian.rows, hessian.cols], values)
    assert hessian.pattern.nnz == 3 * 201


def test_calls_of_a_lagrangian():
    counts = dict.fromkeys(("gradient", "jacobian"), 0)

    def gradient(z):
        counts["gradient"] += 1
        return SWING.gradient(z)

    def jacobian(z):
        counts["jacobian"] += 1
        return SWING.jacobian(z)

    hessian = sparse_lagrangian_hessian(
        SWING.objective, SWING.constraints, STATE, grad=gradient, jac=jacobian, check=False
    )
    counts.update(gradient=0, jacobian=0)
    before = hessian.nfev
    hessian(STATE, MULTIPLIERS)
    colors = hessian.coloring.num_colors
    assert counts == {"gradient": colors, "jacobian": colors}
    assert hessian.nfev - before == 2 * colors


@pytest.mark.parametrize("kind", ["star", "acyclic"])
def test_power_flow(kind):
    network = PowerFlow(30)
    random = np.random.default_rng(3)
    z = np.concatenate([random.normal(scale=0.2, size=30), random.uniform(0.9, 1.1, 30)])
    multipliers = random.normal(size=30)
    expected = network.hessian(z, multipliers)
    hessian = sparse_lagrangian_hessian(None, network.power, z, kind=kind, method="3-point")
    assert error(hessian(z, multipliers), expected) < 1e-8
    np.testing.assert_allclose(
        hessian.lower(z, multipliers).toarray(), np.tril(expected), atol=1e-8 * abs(expected).max()
    )
    assert error(sparse_lagrangian_hessian(None, network.power, z)(z, multipliers), expected) < 1e-6


def test_objective_alone():
    hessian = sparse_lagrangian_hessian(rosenbrock, None, POINT, **GRAD)
    assert error(hessian(POINT, objective_factor=0.25), HAND / 4) < 1e-14
    assert error(sparse_lagrangian_hessian(rosenbrock, None, POINT)(POINT), HAND) < 1e-6
    with pytest.raises(InputError, match="no constraints"):
        hessian(POINT, np.ones(3))


def test_other_arguments_of_a_lagrangian():
    hessian = sparse_lagrangian_hessian(
        lambda x, a: a * x[0] ** 2, lambda x, a: x[1:] ** 2 * a, np.ones(3), (1.0,)
    )
    result = hessian(np.ones(3), [1.0, 2.0], 1.0, 3.0)
    np.testing.assert_allclose(result.toarray(), np.diag([6.0, 6.0, 12.0]), atol=1e-5)
    result = hessian.linear_operator(np.ones(3), [1.0, 2.0]).matvec(np.ones(3))
    np.testing.assert_allclose(result, [6.0, 6.0, 12.0], atol=1e-5)


def test_refusals_of_a_lagrangian():
    with pytest.raises(InputError, match="neither"):
        sparse_lagrangian_hessian(None, None, POINT)
    with pytest.raises(InputError, match="g, which is None"):
        sparse_lagrangian_hessian(rosenbrock, None, POINT, jac=SWING.jacobian)
    hessian = sparse_lagrangian_hessian(SWING.objective, SWING.constraints, STATE)
    with pytest.raises(InputError, match="400 constraints, and 3 multipliers"):
        hessian(STATE, np.ones(3))


def test_wrong_pattern_of_a_lagrangian_is_told():
    pattern = hessian_sparsity(SWING.objective, STATE)
    hessian = sparse_lagrangian_hessian(
        SWING.objective, SWING.constraints, STATE, pattern=pattern, **OF_SWING
    )
    with pytest.raises(VerificationError, match=r"no entry \((\d+), \1\)"):
        hessian(STATE, MULTIPLIERS)


def test_check_waits_for_multipliers():
    pattern = hessian_sparsity(SWING.objective, STATE)
    hessian = sparse_lagrangian_hessian(
        None, SWING.constraints, STATE, pattern=pattern, jac=SWING.jacobian
    )
    assert not hessian(STATE, np.zeros(400), 0.0).data.any()
    with pytest.raises(VerificationError, match=r"no entry"):
        hessian(STATE, MULTIPLIERS, 0.0)


def test_functions_that_change_their_argument():
    def spoiled(function):
        def changed(x):
            result = function(x)
            x[...] = 0
            return result

        return changed

    x = np.arange(1.0, 5.0)
    pattern = rosenbrock_hessian(x)
    given = {
        "grad": spoiled(rosenbrock_gradient),
        "jac": spoiled(lambda x: np.diag(2 * x)),
    }
    hessian = sparse_lagrangian_hessian(
        spoiled(rosenbrock), spoiled(np.square), x, pattern=pattern, **given
    )
    expected = pattern.toarray() + 2 * np.diag(x)
    for _ in range(2):
        np.testing.assert_allclose(hessian(x, x).toarray(), expected, rtol=1e-13)
    np.testing.assert_array_equal(x, np.arange(1.0, 5.0))
    by_values = sparse_hessian(spoiled(rosenbrock), x, pattern=pattern)
    assert error(by_values(x), pattern.toarray()) < 1e-6


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.parametrize("given", [GRAD, TERMS, {}], ids=names)
def test_inputs_of_other_kinds(given, dtype):
    x = np.array([1, -2, 3, 2], dtype=dtype)
    hessian = sparse_hessian(rosenbrock, x, **given)
    assert error(hessian(x), rosenbrock_hessian(x.astype(float)).toarray()) < 1e-6


def test_no_inputs():
    hessian = sparse_hessian(np.sum, np.zeros(0))
    assert hessian(np.zeros(0)).shape == (0, 0)


@pytest.mark.parametrize("given", [GRAD, TERMS, {}], ids=names)
def test_nan_raises_nothing(given):
    x = np.ones(4)
    x[0] = np.nan
    hessian = sparse_hessian(rosenbrock, np.ones(4), **given)
    result = hessian(x).toarray()
    assert np.isnan(result[0, 0])
    if "grad" in given:
        np.testing.assert_allclose(result[3, 3], 200)


def test_complex_points_are_refused():
    with pytest.raises(InputError, match="real inputs"):
        sparse_hessian(rosenbrock, POINT, **GRAD)(POINT + 1j)


def test_functions_that_write_into_what_they_are_given():
    """What the objective writes is not what the constraints read, and a buffer is that of both."""
    room = np.zeros(1)

    def f(x):
        value = x[0] * x[1]
        x[:] = 7.0
        room[0] = value
        return room

    def g(x):
        room[0] = x[2] * x[3]
        x *= 2
        return room

    point = np.array([1.0, 2.0, 3.0, 4.0])
    entries = sparse_lagrangian_hessian(f, g, point)(point, [5.0], 3.0).toarray()
    np.testing.assert_allclose(entries[[2, 0], [3, 1]], [5.0, 3.0], atol=1e-4)
    assert point.tolist() == [1.0, 2.0, 3.0, 4.0]

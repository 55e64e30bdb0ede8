"""The numerical oracle on functions whose patterns are plain, and its messages."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from oracles import (
    assert_covers,
    assert_same_pattern,
    hessian_pattern_at,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
    perturbation_pattern,
)


def test_smooth_function() -> None:
    found = numerical_jacobian_pattern(
        lambda x: np.array([x[0] ** 2, 2 * x[0] * x[1] ** 2, np.sin(x[2])]), np.zeros(3)
    )
    np.testing.assert_array_equal(found, np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]], bool))


def test_inputs_and_outputs_in_c_order() -> None:
    found = numerical_jacobian_pattern(lambda x: x.T, np.zeros((2, 3)))
    expected = np.eye(6)[np.arange(6).reshape(2, 3).T.ravel()]
    np.testing.assert_array_equal(found, expected != 0)


def test_nested_outputs_in_order() -> None:
    found = numerical_jacobian_pattern(
        lambda x: {"b": (x[2], [1.0]), "a": x[:2] * 1j}, [1.0, 2.0, 3.0]
    )
    expected = [[0, 0, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]]
    np.testing.assert_array_equal(found, np.array(expected, bool))


def test_jumps_have_a_value_but_no_derivative() -> None:
    def f(x):
        return np.floor(x) + (x > 0) + np.argsort(x)

    x = np.array([0.0, 0.05, -0.02])
    assert not numerical_jacobian_pattern(f, x, points=20).any()
    assert perturbation_pattern(f, x).all()


def test_kinks_unite_over_points() -> None:
    found = numerical_jacobian_pattern(np.max, np.zeros(4), points=40)
    np.testing.assert_array_equal(found, np.ones((1, 4), bool))


def test_rounding_errors_are_no_entries() -> None:
    def cancelling(x):
        return np.array([(x - x.mean()).sum(), np.exp(x).sum() / np.exp(x).sum(), 1e3 + x[0] * 0])

    for oracle in (numerical_jacobian_pattern, perturbation_pattern):
        assert not oracle(cancelling, np.linspace(0.1, 7.0, 9), points=20).any()


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e12])
def test_small_and_large_derivatives(scale: float) -> None:
    assert numerical_jacobian_pattern(lambda x: scale * x, [1.0]).all()
    assert numerical_jacobian_pattern(lambda x: scale * x, [1e6]).all()


def test_in_place_functions_do_not_disturb_the_point() -> None:
    def f(x):
        x *= 2.0
        return x[:1]

    for oracle in (numerical_jacobian_pattern, perturbation_pattern):
        np.testing.assert_array_equal(oracle(f, [1.0, 2.0]), [[True, False]])


def test_interval() -> None:
    def f(x):
        return np.maximum(x, 5.0)

    assert not numerical_jacobian_pattern(f, [0.0]).any()
    assert numerical_jacobian_pattern(f, [0.0], low=6.0, high=7.0).all()
    with pytest.raises(ValueError, match="both of low and high"):
        numerical_jacobian_pattern(f, [0.0], low=6.0)


def test_infinities_are_constants_and_nan_is_no_evidence() -> None:
    assert not numerical_jacobian_pattern(lambda x: np.maximum(x, np.inf), [0.0]).any()
    with pytest.raises(ValueError, match=r"not finite at any of 5 points: entries 1: \(0, 0\)"):
        numerical_jacobian_pattern(lambda x: x * np.nan, [0.0])


def test_outputs_that_hold_no_numbers() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        numerical_jacobian_pattern(lambda x: (x, None), [0.0])


def test_no_inputs() -> None:
    assert numerical_jacobian_pattern(lambda x: np.ones(3), np.zeros(0)).shape == (3, 0)


def test_missing_entries_come_first() -> None:
    pattern = csr_array(np.array([[1, 1], [0, 0]]))
    with pytest.raises(AssertionError) as caught:
        assert_same_pattern(pattern, [[1, 0], [0, 1]])
    lines = str(caught.value).splitlines()
    assert lines[0] == "MISSING (a lost dependency): 1: (1, 1)"
    assert lines[1] == "extra: 1: (0, 1)"


def test_covering_allows_extra_entries_alone() -> None:
    assert_covers([[1, 1]], [[1, 0]])
    assert_same_pattern([[1, 0]], [[1, 0]])
    with pytest.raises(AssertionError, match="MISSING"):
        assert_covers([[0, 1]], [[1, 0]])
    with pytest.raises(AssertionError, match=r"shape \(1, 2\), expected \(2, 1\)"):
        assert_covers([[1, 1]], [[1], [0]])


def test_jacobian_at_the_point_needs_both_sides() -> None:
    def f(x):
        v, w = x
        return np.array([v**2, np.maximum(v, 0), np.abs(v), v + 2 * np.abs(v), 3 * v, v * w])

    found = jacobian_pattern_at(f, [0.0, 2.0])
    np.testing.assert_array_equal(found[:, 0], [False, False, False, False, True, True])
    assert not found[:, 1].any()


def hessian_of_one_point(f, n, at=None, **options):
    """The same entries by both oracles, where all second derivatives are constants."""
    x = np.linspace(0.3, 1.7, n) if at is None else np.array(at)
    found = numerical_hessian_pattern(f, x, **options)
    np.testing.assert_array_equal(hessian_pattern_at(f, x), found)
    np.testing.assert_array_equal(found, found.T)
    return found


def test_hessian_of_a_smooth_function() -> None:
    found = hessian_of_one_point(lambda x: x[0] + x[1] * x[2] + 1 / x[3] + 2 * x[4], 5)
    expected = np.zeros((5, 5), bool)
    expected[1, 2] = expected[2, 1] = expected[3, 3] = True
    np.testing.assert_array_equal(found, expected)


def test_hessian_of_dense_functions() -> None:
    for f in (np.linalg.norm, np.prod, lambda x: np.log(np.exp(x).sum())):
        entries = ~np.eye(4, dtype=bool) if f is np.prod else np.ones((4, 4), bool)
        np.testing.assert_array_equal(hessian_of_one_point(f, 4), entries)


def test_hessian_by_elements_of_a_matrix() -> None:
    found = hessian_of_one_point(lambda x: x[0, 1] * x[1, 0], 4, at=[[1.0, 2.0], [3.0, 4.0]])
    assert np.argwhere(found).tolist() == [[1, 2], [2, 1]]


def test_piecewise_linear_functions_have_no_second_derivatives() -> None:
    def f(x):
        y = np.sort(np.abs(x)) + np.maximum(x, x[::-1]) + np.floor(3 * x) + np.clip(x, -0.05, 0.02)
        return (y * np.arange(1.0, 4.0)).sum() + (x > 0).sum() + np.interp(x[0], [0, 0.1], [0, 7])

    for start in (np.zeros(3), np.array([0.001, -0.0004, 0.0]), np.linspace(0.33, 0.34, 3)):
        assert not numerical_hessian_pattern(f, start, points=200, seed=1).any()
        assert not hessian_pattern_at(f, start).any()


@pytest.mark.parametrize("kink", [0.0, 1e-4, 3e-4, 5e-4, 9e-4, 1e-3, 2e-3])
@pytest.mark.parametrize("power", [0, 1, 2])
@pytest.mark.parametrize("side", [1, -1])
def test_kinks_near_the_point_are_no_second_derivatives(kink, power, side) -> None:
    def hinge(x):
        return np.maximum(side * x[0] - kink, 0) ** power

    assert not hessian_pattern_at(hinge, [0.0]).any()
    assert not hessian_pattern_at(lambda x: hinge(x) * x[1], [0.0, 1.0]).any()


def test_kinks_at_the_point() -> None:
    assert not hessian_pattern_at(lambda x: np.abs(x[0]) * x[1], [0.0, 1.0]).any()
    assert not hessian_pattern_at(lambda x: x[0] ** 2 + 0.9 * x[0] * np.abs(x[0]), [0.0]).any()
    assert hessian_pattern_at(lambda x: np.abs(x[0]) * x[1], [0.01, 1.0])[0, 1]


@pytest.mark.parametrize(
    "f", [np.sin, np.tan, lambda v: v**3, lambda v: v**4, lambda v: v * np.abs(v)]
)
def test_second_derivatives_that_vanish_at_the_point(f) -> None:
    assert not hessian_pattern_at(lambda x: f(x[0]), [0.0]).any()
    assert numerical_hessian_pattern(lambda x: f(x[0]), [0.0]).all()


def test_rounding_errors_are_no_second_derivatives() -> None:
    functions = (
        lambda x: (x - x.mean()).sum(),
        lambda x: np.exp(x).sum() / np.exp(x).sum() + 1e3 * x.sum(),
        lambda x: np.log(np.exp(x)).sum() + np.sqrt(x**2).sum(),
        lambda x: (1e6 + x**2).sum() - (1e6 + x * x).sum() + x[0],
        lambda x: np.cos(x[0]) ** 2 + np.sin(x[0]) ** 2,
        lambda x: 1e8 * x.sum() + 1e-3 * x[0],
    )
    for f in functions:
        assert not numerical_hessian_pattern(f, np.linspace(0.1, 7.0, 6), points=50).any()


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e12])
def test_small_and_large_second_derivatives(scale: float) -> None:
    assert numerical_hessian_pattern(lambda x: scale * x[0] ** 2, [1.0]).all()
    assert numerical_hessian_pattern(lambda x: scale * x[0] ** 2, [1e6]).all()
    assert numerical_hessian_pattern(lambda x: x[0] * x[1] * scale, [3.0, 5.0])[0, 1]


def test_hessian_entries_asked_for() -> None:
    def f(x):
        return np.prod(x)

    among = np.zeros((3, 3), bool)
    among[0, 2] = among[1, 1] = True
    expected = [[False, False, True], [False, False, False], [True, False, False]]
    for found in (
        numerical_hessian_pattern(f, np.ones(3), among=among),
        hessian_pattern_at(f, np.ones(3), among=among),
    ):
        np.testing.assert_array_equal(found, expected)
    assert not numerical_hessian_pattern(f, np.ones(3), among=np.zeros((3, 3))).any()


def test_hessian_in_an_interval_and_over_points() -> None:
    def f(x):
        return np.max(x) ** 2

    assert not numerical_hessian_pattern(lambda x: np.maximum(x[0], 5.0) ** 2, [0.0]).any()
    assert numerical_hessian_pattern(lambda x: np.maximum(x[0], 5) ** 2, [0.0], low=6, high=7).all()
    np.testing.assert_array_equal(
        numerical_hessian_pattern(f, np.ones(4), points=40), np.eye(4, dtype=bool)
    )


def test_hessian_of_what_is_not_one_number() -> None:
    for f in (lambda x: x, lambda x: x[0] * 1j, lambda x: (x[0], x[1])):
        with pytest.raises(ValueError, match="one real number is wanted"):
            numerical_hessian_pattern(f, [1.0, 2.0])
    with pytest.raises(ValueError, match="not finite at any of 5 points: entries 1"):
        numerical_hessian_pattern(lambda x: x[0] * np.inf, [1.0])


def test_hessian_of_no_inputs() -> None:
    assert numerical_hessian_pattern(lambda x: 1.0, np.zeros(0)).shape == (0, 0)
    assert hessian_pattern_at(np.sum, np.zeros(0)).shape == (0, 0)


def test_functions_in_place_do_not_disturb_second_differences() -> None:
    def f(x):
        x *= x
        return x[0]

    np.testing.assert_array_equal(numerical_hessian_pattern(f, [1.0, 2.0]), [[1, 0], [0, 0]])

"""The numerical oracle on functions whose patterns are plain, and its messages."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from oracles import (
    assert_covers,
    assert_same_pattern,
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

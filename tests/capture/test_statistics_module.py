"""Python's ``statistics`` over traced numbers."""

import statistics
from statistics import mean as average

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, numerical_jacobian_pattern

W = [1.0, 2.0, 0.5, 3.0]
CALLS = {
    "mean": lambda x: statistics.mean(x),
    "mean of a list": lambda x: statistics.mean([x[0], 1.0, x[2]]),
    "mean of a generator": lambda x: statistics.mean(v * v for v in x[:2]),
    "bound early": lambda x: average(x[1:]),
    "fmean": lambda x: statistics.fmean(x),
    "median": lambda x: statistics.median(x),
    "median_low": lambda x: statistics.median_low(x),
    "median_high": lambda x: statistics.median_high(list(x)),
    "variance": lambda x: statistics.variance(x),
    "variance about": lambda x: statistics.variance(x[:2], x[2]),
    "pvariance": lambda x: statistics.pvariance(x, mu=1.0),
    "stdev": lambda x: statistics.stdev(x),
    "pstdev": lambda x: statistics.pstdev(x),
    "geometric_mean": lambda x: statistics.geometric_mean(x),
    "harmonic_mean": lambda x: statistics.harmonic_mean(x),
    "harmonic_mean weighted": lambda x: statistics.harmonic_mean(x, weights=W),
    "covariance": lambda x: statistics.covariance(x, W),
    "correlation": lambda x: statistics.correlation(x, W),
}


@pytest.mark.parametrize("name", CALLS)
def test_against_the_oracles(name):
    f, point = CALLS[name], np.array([0.7, 1.3, 0.9, 1.9])
    expected = numerical_jacobian_pattern(f, point, low=0.5, high=2.0, points=40)
    assert_same_pattern(st.jacobian_sparsity(f, point), expected)
    local = st.jacobian_sparsity(f, point, local=True).toarray()
    assert_covers(expected, local)
    assert (local.any()) == expected.any()


@pytest.mark.parametrize("name", ["variance", "stdev", "geometric_mean", "correlation"])
def test_hessians(name):
    pattern = st.hessian_sparsity(CALLS[name], np.array([0.7, 1.3, 0.9, 1.9]))
    assert pattern.toarray().all()


def test_the_result_is_a_number_of_pythons():
    seen = Outside()

    def f(x):
        result = statistics.mean(x)
        seen.append(isinstance(result, float) and type(result) is float)
        return result

    st.jacobian_sparsity(f, np.ones(3))
    assert seen
    assert all(seen)


def test_too_few_numbers():
    with pytest.raises(statistics.StatisticsError):
        st.jacobian_sparsity(lambda x: statistics.stdev(x[:1]), np.ones(3))

"""Every method of every univariate distribution of SciPy's, against differences.

Contract: what a trace claims of a method is compared with differences at many points, both ways;
where it claims more, `EXTRA` says why.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.stats as ss
from measured_distributions import (
    CONTINUOUS,
    DISCRETE,
    METHODS,
    QUANTILES,
    case_of,
    is_slow,
    measured,
)
from outside import Outside
from scipy.stats import _continuous_distns, _discrete_distns

import sparsetrace as st
from sparsetrace.operands.operands import values_of

EXTRA = {
    "boltzmann.logsf": "a second derivative is too small for differences",
    "ncf.ppf": "a second derivative is too small for differences",
    "ncf.isf": "a second derivative is too small for differences",
}


@pytest.fixture(autouse=True)
def without_warnings():
    """erlang takes any number, and warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def test_the_list_is_complete():
    names = {*_continuous_distns._distn_names, *_discrete_distns._distn_names}
    assert names - {"trapz"} <= set(METHODS)  # an old name of trapezoid, up to SciPy 1.15


@pytest.mark.parametrize("name", METHODS)
def test_derivatives(name):
    found, reasons = {}, {}
    for method in METHODS[name]:
        slow = is_slow(name, method)
        case = case_of(name, method, 3 if slow else 24)
        x = case.start()

        def f(x, case=case):
            return case(*x)

        first = st.jacobian_sparsity(f, x).toarray()[0].astype(bool)
        second = st.hessian_sparsity(f, x).toarray().astype(bool)
        if slow:
            assert first.all(), method
            assert second.all(), method
            continue
        local = st.jacobian_sparsity(f, x, local=True).toarray()[0].astype(bool)
        assert (local == first).all(), method
        local = st.hessian_sparsity(f, x, local=True).toarray().astype(bool)
        assert (local == second).all(), method
        wanted, wanted2 = measured(case)
        assert not (wanted & ~first).any(), method
        assert not (wanted2 & ~second).any(), method
        moved = np.isin(np.arange(len(x)), case.moved)
        extra = np.argwhere(moved & first & ~wanted).tolist()
        extra += np.argwhere(np.triu(np.outer(moved, moved) & second & ~wanted2)).tolist()
        if extra:
            found[f"{name}.{method}"] = extra
        if f"{name}.{method}" in EXTRA:
            reasons[f"{name}.{method}"] = EXTRA[f"{name}.{method}"]
    assert found.keys() == reasons.keys(), found


@pytest.mark.parametrize("name", METHODS)
def test_outside_of_the_support(name):
    """At a point a constant: no derivative, and the value of a plain call."""
    distribution = getattr(ss, name)
    shapes = ({**CONTINUOUS, **DISCRETE})[name]
    low, high = map(float, distribution.support(*shapes))
    outside = np.array([low - 2.5, high + 2.5, np.nan])
    outside = outside[~np.isinf(outside)]
    for method in METHODS[name]:
        points = np.array([-0.5, 1.5, np.nan]) if method in QUANTILES else outside
        seen = Outside()

        def f(v, method=method, points=points, seen=seen):
            result = getattr(distribution, method)(points + v[0], *shapes, loc=v[1])
            seen.append(values_of(result))
            return result

        pattern = st.jacobian_sparsity(f, np.zeros(2), local=True, verify=False)
        assert not pattern.nnz, method
        plain = getattr(distribution, method)(points, *shapes)
        np.testing.assert_array_equal(seen[-1], plain)

"""scikit-learn's metrics, kernels and fitted models are traced, past its checks of arguments."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st

pytest.importorskip("sklearn", reason="needs scikit-learn")

from sklearn import cluster, metrics
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.svm import SVR

from cases.scikit_learn import (
    CASES,
    EXTRA,
    EXTRA_AT,
    GIVEN,
    OTHERS,
    POINTS,
    SELDOM,
    START,
    TARGETS,
)
from oracles import (
    assert_covers,
    assert_same_pattern,
    flat_outputs,
    hessian_pattern_at,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
"""On some paths scikit-learn warns of the values: probabilities that do not sum to one."""


@pytest.mark.parametrize("name", CASES)
def test_jacobian(name):
    f = CASES[name]
    wanted = numerical_jacobian_pattern(
        f, START, points=60 if name in SELDOM else 6, low=-1.5, high=1.5
    )
    compare = assert_covers if name in EXTRA else assert_same_pattern
    compare(st.jacobian_sparsity(f, START), wanted)


@pytest.mark.parametrize("name", CASES)
def test_jacobian_at_a_point(name):
    f = CASES[name]
    compare = assert_covers if name in EXTRA_AT else assert_same_pattern
    compare(st.jacobian_sparsity(f, START, local=True), jacobian_pattern_at(f, START))


@pytest.mark.parametrize("name", CASES)
def test_hessian(name):
    f = CASES[name]
    weights = np.random.default_rng(1).uniform(0.5, 1.5, len(flat_outputs(f(START))))

    def weighted(x):
        result = f(x)
        several = result if isinstance(result, tuple) else (result,)
        return np.sum(np.concatenate([np.ravel(each) for each in several]) * weights)

    wanted = numerical_hessian_pattern(weighted, START, points=3, low=-1.5, high=1.5)
    assert_covers(st.hessian_sparsity(weighted, START), wanted)
    at_point = hessian_pattern_at(weighted, START)
    assert_covers(st.hessian_sparsity(weighted, START, local=True), at_point)


def test_an_infinity_at_the_point_is_scikit_learns_own_error():
    with pytest.raises(ValueError, match="infinity"):
        st.jacobian_sparsity(
            lambda x: metrics.mean_squared_error(GIVEN, x / 0.0), START, local=True
        )


def test_lengths_that_differ_are_scikit_learns_own_error():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        st.jacobian_sparsity(lambda x: metrics.mean_squared_error(GIVEN, x[1:]), START)


def test_compiled_code_is_refused_by_its_public_name():
    with pytest.raises(st.EscapeError) as caught:
        st.jacobian_sparsity(lambda x: SVR().fit(POINTS[:6], x).predict(OTHERS), START)
    assert caught.value.call == "sklearn.svm.SVR.fit"
    assert any("sparsetrace.opaque(g)" in way for way in caught.value.remedies)


def test_compiled_functions_are_taken_as_a_whole_at_a_point():
    def f(x):
        return cluster.k_means(x.reshape(6, 1), 2, n_init=1, random_state=0)[0]

    found = st.jacobian_sparsity(f, START, local=True)
    assert_covers(found, jacobian_pattern_at(f, START))
    assert any("compiled" in line for line in found.taken_whole)


def test_what_needs_the_order_of_values_is_refused_globally():
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: metrics.roc_auc_score([0, 1, 0, 1, 1, 0], x), START)


def test_a_model_of_traced_points_is_refused_by_name():
    """Its support vectors would be those of other numbers."""
    model = SVR().fit(POINTS, TARGETS)

    def f(x):
        model.support_vectors_ = model.support_vectors_ + x[:3]
        return model.predict(OTHERS)

    with pytest.raises(st.TracingError, match="libsvm"):
        st.jacobian_sparsity(f, START)


def test_trees_where_they_step_at_the_point():
    """The pattern at a point holds on both sides of a step."""
    estimator = HistGradientBoostingRegressor(min_samples_leaf=1, max_iter=10)
    model = estimator.fit(np.array([[0.0], [1.0]]), [0.0, 1.0])

    def f(x):
        return np.where(model.predict(x[:1].reshape(1, 1)) > 0.5, x[1], x[2])

    for first, expected in ((0.4, [0, 0, 1]), (0.5, [0, 1, 1]), (0.6, [0, 1, 0])):
        pattern = st.jacobian_sparsity(f, np.array([first, 1.0, 2.0]), local=True)
        assert_same_pattern(pattern, [expected])

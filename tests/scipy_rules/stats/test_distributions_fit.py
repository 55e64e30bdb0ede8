"""``fit`` of continuous distributions, by the data and by parameters that are fixed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as ss

import sparsetrace as st

X = np.array([1.1, 0.8, 1.9, 0.35, 1.4, 2.2])
NAMES = """
    cauchy gamma gennorm gumbel_l gumbel_r halflogistic laplace logistic lognorm norm pareto
    powerlaw rayleigh skewnorm t uniform weibull_min
"""


def rows(f, **options):
    return st.jacobian_sparsity(f, X, **options).toarray().astype(int).sum(axis=1).tolist()


@pytest.mark.parametrize("name", NAMES.split())
def test_all_parameters_depend_on_all_data(name):
    distribution = getattr(ss, name)
    assert rows(distribution.fit) == [6] * (distribution.numargs + 2)
    assert rows(lambda x: distribution.fit(x, floc=0.1)[-2:])[0] == 0


def test_fixed_parameters_are_what_they_are():
    def fitted(x):
        shape, loc, scale = ss.gamma.fit(x[:4], 2.0, floc=x[4] / 9, scale=x[5])
        return shape, loc, scale * 2.0

    for local in (False, True):
        found = st.jacobian_sparsity(fitted, X, local=local).toarray().astype(int)
        assert found.tolist() == [[1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 1, 0], [1, 1, 1, 1, 1, 0]]
    assert rows(lambda x: ss.gamma.fit(X, fa=x[0], fscale=2)) == [1, 1, 0]


def test_where_a_search_begins_counts_as_in_minimize():
    assert rows(lambda x: ss.gamma.fit(X, x[1], loc=x[0])) == [2, 2, 2]
    assert rows(lambda x: ss.t.fit(X, 2.0, floc=0.1, scale=x[0])) == [1, 0, 1]


def test_a_point_of_a_maximum_at_the_border():
    """Where equations of their own tell that the least number alone is the location."""
    assert rows(ss.lognorm.fit, local=True) == [6, 1, 6]
    assert rows(ss.uniform.fit, local=True) == [1, 2]


def test_censored_data_count():
    def fitted(x):
        return ss.expon.fit(ss.CensoredData(x[:3], right=x[3:5]), floc=0)

    assert rows(fitted, local=True) == [0, 5]


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"foo": 1}, TypeError, "Unknown arguments"),
        ({"f0": 1, "fa": 2}, ValueError, "multiple keyword arguments"),
        ({"f0": 1, "floc": 0, "fscale": 1}, ValueError, "All parameters fixed"),
    ],
)
def test_wrong_calls_fail_as_in_scipy(options, error, text, local):
    with pytest.raises(error, match=text):
        st.jacobian_sparsity(lambda x: ss.gamma.fit(x, **options), X, local=local)


def test_a_density_of_the_users_may_read_more():
    depth = []

    class Tilted(ss.rv_continuous):
        def _pdf(self, x):
            return np.exp(-x / depth[0]) / depth[0]

    tilted = Tilted(a=0.0, name="tilted")

    def fitted(x):
        depth[:] = [x[5]]
        return tilted.fit(x[:5], floc=0)

    with pytest.raises(st.TracingError, match="methods that use traced numbers"):
        st.jacobian_sparsity(fitted, X)

"""Random numbers with traced parameters, of generators that the function makes or holds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.stats as ss
from outside import Outside

import sparsetrace as st
from oracles import (
    assert_covers,
    assert_same_pattern,
    flat_outputs,
    hessian_pattern_at,
    jacobian_pattern_at,
)
from sparsetrace.operands.operands import values_of

POINT = np.array([0.7, 1.2, 0.4, 0.9])


def rng():
    return np.random.default_rng(3)


def older():
    return np.random.RandomState(3)


def _again(generator, x):
    """Normal numbers, of which it keeps every other for the next call."""
    return generator.normal() * x + generator.normal(x[::-1], 0.5)


TIGHT = {
    "normal": lambda x: rng().normal(x[:2], x[2:]),
    "normal, size": lambda x: rng().normal(x[0], scale=x[1], size=(2, 2)),
    "uniform": lambda x: rng().uniform(0.0, x),
    "laplace": lambda x: rng().laplace(x, 2.0),
    "exponential": lambda x: rng().exponential(x) * rng().random(),
    "gamma": lambda x: rng().gamma(2.0, x),
    "lognormal": lambda x: rng().lognormal(x[:2], x[2:]),
    "weibull": lambda x: rng().weibull(x),
    "triangular": lambda x: rng().triangular(0.0, x[0], 2.0 + x[1]),
    "poisson": lambda x: rng().poisson(x) * x,
    "multivariate_normal": lambda x: rng().multivariate_normal(x[:2], np.eye(2)),
    "multivariate_normal, by names": lambda x: rng().multivariate_normal(
        size=2, cov=np.eye(2), mean=x[:2]
    ),
    "dirichlet": lambda x: rng().dirichlet(x, size=2),
    "RandomState, normal": lambda x: older().normal(x[:2], x[2:]),
    "RandomState, normal again": lambda x: _again(older(), x),
    "RandomState, gamma": lambda x: older().gamma(x, 2.0),
    "RandomState, dirichlet": lambda x: older().dirichlet(alpha=x),
    "RandomState, multivariate_normal": lambda x: older().multivariate_normal(x[:2], np.eye(2)),
    "rvs of scipy.stats": lambda x: ss.gamma.rvs(x, random_state=3),
    "rvs of a vector": lambda x: ss.multivariate_normal(x[:2], np.eye(2)).rvs(random_state=3),
    "resampled": lambda x: ss.gaussian_kde(np.arange(4.0)).resample(2, seed=3)[0] * x[:2],
}
ANY = {
    "choice": lambda x: rng().choice(x, size=2),
    "permutation": lambda x: rng().permutation(x),
    "multivariate_normal, covariance": lambda x: rng().multivariate_normal(
        [0.0, 0.0], np.diag(x[:2])
    ),
}


@pytest.mark.parametrize("name", [*TIGHT, *ANY])
def test_patterns(name):
    """At a point the values are those of a plain call."""
    f, seen = {**TIGHT, **ANY}[name], Outside()

    def kept(x):
        found = f(x)
        seen.append(values_of(found))
        return found

    compared = assert_same_pattern if name in TIGHT else assert_covers
    wanted = jacobian_pattern_at(f, POINT)
    compared(st.jacobian_sparsity(kept, POINT, local=True, verify=False), wanted)
    np.testing.assert_allclose(flat_outputs(seen[-1]), flat_outputs(f(POINT)))
    assert_covers(st.jacobian_sparsity(f, POINT), wanted)
    assert_covers(
        st.hessian_sparsity(lambda x: np.sum(f(x)), POINT),
        hessian_pattern_at(lambda x: np.sum(f(x)), POINT),
    )


def test_what_is_chosen_may_be_any_element():
    for f in ANY.values():
        assert st.jacobian_sparsity(f, POINT).toarray()[:, :2].all()


def test_generators_of_others():
    """They stand where they stood, and are themselves again."""

    class Model:
        def __init__(self):
            self.rng = np.random.default_rng(1)

        def noisy(self, x):
            return self.rng.normal(x, 0.1) * self.rng.random()

    model = Model()
    held, before = model.rng, model.rng.bit_generator.state
    for local in (False, True):
        assert st.jacobian_sparsity(model.noisy, POINT, local=local, verify=False).nnz == 4
    assert model.rng is held
    assert type(held) is np.random.Generator
    assert held.bit_generator.state == before


def test_older_generators_of_others():
    """They keep a normal number for the next call, and stand where they stood."""

    class Model:
        def __init__(self):
            self.rng = np.random.RandomState(1)
            self.rng.normal()

        def noisy(self, x):
            assert isinstance(self.rng, np.random.RandomState)
            return self.rng.normal(x, 0.1) * self.rng.random_sample()

    model = Model()
    held, before = model.rng, model.rng.get_state(legacy=False)
    for local in (False, True):
        assert st.jacobian_sparsity(model.noisy, POINT, local=local, verify=False).nnz == 4
    after = held.get_state(legacy=False)
    assert model.rng is held
    assert type(held) is np.random.RandomState
    assert (after["gauss"], after["state"]["pos"]) == (before["gauss"], before["state"]["pos"])
    np.testing.assert_array_equal(after["state"]["key"], before["state"]["key"])


def test_generators_say_that_they_are_numpys():
    def f(x):
        generator = rng()
        told = type(generator) is np.random.Generator and isinstance(generator, np.random.Generator)
        return x * 2 if told and generator.__class__ is np.random.Generator else x[:1]

    assert_same_pattern(st.jacobian_sparsity(f, POINT), np.eye(4))


def test_what_older_generators_say_of_their_class():
    before = np.random.RandomState

    def f(x):
        generator = np.random.RandomState(3)
        assert isinstance(generator, np.random.RandomState)
        assert isinstance(generator, before)
        assert type(generator) is np.random.RandomState
        assert issubclass(np.random.RandomState, before)
        assert not isinstance(x, np.random.RandomState)
        copied = pickle.loads(pickle.dumps(generator))
        return copied.random_sample(4) * x + len(repr(generator))

    assert_same_pattern(st.jacobian_sparsity(f, POINT), np.eye(4))
    assert np.random.RandomState is before


def test_the_functions_of_numpy_random():
    before = np.random.normal

    def f(x):
        np.random.seed(1)  # noqa: NPY002
        return np.random.normal(x, 2.0) + np.random.uniform(x[::-1], 3.0)  # noqa: NPY002

    assert_same_pattern(st.jacobian_sparsity(f, POINT, local=True), jacobian_pattern_at(f, POINT))
    assert np.random.normal == before


def test_refused_by_name():
    for f in (
        lambda x: rng().choice(4, p=x / x.sum()) * x,
        lambda x: rng().permuted(x, out=np.zeros(4)),
        lambda x: rng().standard_gamma(x, dtype=np.float64),
    ):
        with pytest.raises(st.UnsupportedError, match=r"np\.random"):
            st.jacobian_sparsity(f, POINT)

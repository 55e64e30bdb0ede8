"""Distributions of a user's, those made of traced numbers, and how often a function runs."""

from __future__ import annotations

from queue import SimpleQueue

import numpy as np
import pytest
import scipy.stats as ss
from measured_distributions import case_of, measured

import sparsetrace as st
from oracles import assert_same_pattern, numerical_jacobian_pattern
from sparsetrace.scipy_rules.stats import vanishing

START = np.array([0.5, 0.8, 1.2, 2.0])


def decaying(rate):
    """A distribution whose density reads a number from outside of its arguments."""

    class Decaying(ss.rv_continuous):
        def _pdf(self, x):
            return rate * np.exp(-rate * x)

    return Decaying(a=0)


class Kept(ss.rv_continuous):
    """The same with an attribute."""

    def __init__(self, rate):
        super().__init__(a=0)
        self.rate = rate

    def _pdf(self, x):
        return self.rate * np.exp(-self.rate * x)

    def _updated_ctor_param(self):
        return {"rate": self.rate}


@pytest.mark.parametrize("make", [decaying, Kept])
def test_a_density_may_use_traced_numbers(make):
    def density(x):
        return make(x[0]).logpdf(x[1:])

    wanted = numerical_jacobian_pattern(density, START)
    assert_same_pattern(st.jacobian_sparsity(density, START), wanted)


def integrated(x):
    return decaying(x[0]).cdf(x[1:])


def integrated_attribute(x):
    return Kept(x[0]).sf(x[1:])


def of_counts(x):
    return ss.rv_histogram((x, np.arange(5.0))).pdf(0.5)


def of_probabilities(x):
    return ss.rv_discrete(values=([1, 2, 3], [x[0] / 2, x[0], 1 - 1.5 * x[0]])).pmf(1)


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    "f", [integrated, integrated_attribute, of_counts, of_probabilities], ids=lambda f: f.__name__
)
def test_what_scipy_computes_from_traced_numbers_is_refused(f, local):
    with pytest.raises(st.UnsupportedError, match=r"^scipy\.stats\.rv_.* as shapes, loc or scale"):
        st.jacobian_sparsity(f, START, local=local)


def likelihoods(x):
    data = np.linspace(0.1, 2.0, 9)
    return sum(ss.gamma.nnlf([x[i], 0, x[i + 1]], data) for i in range(0, len(x), 2))


def statistics(x):
    groups = x.reshape(-1, 4)
    return [
        [ss.gmean(g), ss.hmean(g), ss.skew(g), ss.pearsonr(g, START)[0], ss.zscore(g)[0]]
        for g in groups
    ]


@pytest.mark.parametrize("f", [likelihoods, statistics])
def test_nothing_branches(f):
    """A global trace runs the function once for all values, but for names that are exchanged."""
    runs = SimpleQueue()

    def counted(x):
        runs.put(1)
        return f(x)

    pattern = st.jacobian_sparsity(counted, np.linspace(0.5, 2.0, 40) ** 2, verify=False)
    assert runs.qsize() <= 3
    assert not pattern.left_out


def test_unknown_parameters():
    """Of arguments outside of argnums no value is known."""

    def density(loc, scale, x):
        return ss.expon.logpdf(x, loc, scale).sum()

    arguments = (0.5, 1.0, START)
    assert st.jacobian_sparsity(density, *arguments, argnums=2).nnz == 4
    assert st.hessian_sparsity(density, *arguments, argnums=2).nnz == 0
    assert st.hessian_sparsity(density, *arguments, argnums=(1, 2)).nnz == 9


def test_a_wrong_entry_is_found(monkeypatch):
    """What the table says is compared with differences, not with itself."""
    case = case_of("gamma", "logpdf")
    first, second = measured(case)
    assert first.all()
    assert second.all()
    monkeypatch.setitem(vanishing._WRITTEN, "gamma", {"logpdf": "x*a"})
    vanishing._zeros.cache_clear()
    vanishing._derivatives.cache_clear()
    claimed = st.hessian_sparsity(lambda x: ss.gamma.logpdf(x[0], x[1]), case.start()).toarray()
    vanishing._zeros.cache_clear()
    vanishing._derivatives.cache_clear()
    assert (second & ~claimed).tolist() == [[False, True], [True, False]]

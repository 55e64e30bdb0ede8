"""Results that are constants beside inputs: the numbers of SciPy, or unknown ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage as nd
import scipy.signal as sg
import scipy.special as sc
import scipy.stats as ss
from scipy.linalg import blas
from scipy.spatial import KDTree, cKDTree

from sparsetrace import jacobian_sparsity

CORNERS = np.array([[0.5, 0.6], [3.0, 0.1], [3.1, 3.0], [0.0, 3.05]])
IMAGE = np.arange(12.0).reshape(3, 4) + 1
NUMBERS = np.array([0.5, 0.6, 1.3, 1.4])
ROWS = np.array([[0, 1], [2, 4]])


class Waited(ss.rv_continuous):
    def _logpdf(self, x):
        return np.log(x)

    def _pdf(self, x):
        return x


waited = Waited(a=0.0, b=1.0, name="waited")


def written(routine, *args):
    """What stands in the last argument after a call that writes it."""
    routine(*args)
    return args[-1]


CALLS = {
    "KDTree.query": lambda b: KDTree(CORNERS).query(b[ROWS], k=3)[0][0],
    "KDTree.query, far": lambda b: np.minimum(
        KDTree(CORNERS).query(b[ROWS], k=3, distance_upper_bound=2.5)[0][0], 9.0
    ),
    "cKDTree.query": lambda b: cKDTree(CORNERS).query(b[ROWS], k=2)[0][0],
    "query of a traced tree": lambda b: KDTree(b[ROWS]).query(CORNERS[:1])[0] * 0 + 1,
    "fourier_gaussian": lambda b: nd.fourier_gaussian(IMAGE, b[[0, 4]])[:, 0],
    "fourier_ellipsoid": lambda b: nd.fourier_ellipsoid(IMAGE, b[[0, 4]])[:, 0],
    "fourier_shift": lambda b: nd.fourier_shift(IMAGE, b[[0, 4]])[:, 0],
    "fourier_uniform": lambda b: nd.fourier_uniform(IMAGE, b[[0, 4]])[:, 0],
    "istft": lambda b: sg.istft(
        b[[0, 1, 2, 4]].reshape(2, 2, 1) * (1 + 1j), window="boxcar", nperseg=2, boundary=False
    )[1][0],
    "istft, factors": lambda b: sg.istft(
        np.stack([b[[0, 1, 3]], b[[1, 2, 4]]])[..., None] * (1 + 1j),
        window="boxcar",
        nperseg=4,
        boundary=False,
    )[1][0],
    "logpdf outside of the support": lambda b: waited.logpdf(b - 1.0)[:2],
    "pdf outside of the support": lambda b: waited.pdf(b - 1.0)[:2],
    "density of a user's": lambda b: waited.logpdf(b)[:2],
    "hmean": lambda b: ss.hmean(np.stack([b[:2] - 1, b[[2, 4]]]), axis=1)[0],
    "gmean": lambda b: ss.gmean(np.stack([b[:2] - 1, b[[2, 4]]]), axis=1)[0],
    "poisson.mean": lambda b: ss.poisson.mean(b - 1)[:2],
    "binom.var": lambda b: ss.binom.var(3, b)[:4],
    "gamma.stats": lambda b: ss.gamma.stats(b[:3] - 1, scale=b[4], moments="k"),
    "axpy, written": lambda b: written(blas.daxpy, b[:2], b[2:4].copy()),
    "scal, written": lambda b: written(blas.dscal, 2.0, b[2:4].copy()),
    "copy, written": lambda b: written(blas.dcopy, b[:2], b[2:4].copy()),
    "swap, written": lambda b: written(blas.dswap, b[:2].copy(), b[2:4].copy()),
    "polygamma": lambda b: sc.polygamma(2, b)[:4],
    "multigammaln": lambda b: sc.multigammaln(b + 1, 2)[:4],
    "welch": lambda b: sg.welch(np.r_[b[4], b[:3]], nperseg=4)[1][2:],
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CALLS)
def test_numbers_are_those_of_scipy_or_unknown(name):
    call = CALLS[name]
    expected = np.asarray(call(np.append(NUMBERS, 1.1)))
    np.testing.assert_allclose(call(np.append(NUMBERS, 2.1)), expected)  # of constants alone

    def function(x):
        table = np.empty(5)
        table[:4], table[4] = NUMBERS, x[0]
        same = np.isclose(call(table), expected, rtol=1e-9, atol=0, equal_nan=True)
        return x[1] * same

    pattern = jacobian_sparsity(function, np.ones(2), verify=False).toarray()
    assert pattern[:, 1].all()


def test_a_distance_that_may_be_zero_is_no_constant():
    def function(x):
        table = np.empty(5)
        table[:4], table[4] = NUMBERS, x[0]
        return x[1] * KDTree(CORNERS).query(table[ROWS], k=2)[0][0]

    pattern = jacobian_sparsity(function, np.ones(2), verify=False).toarray()
    assert pattern[1, 1]


def test_a_constant_that_a_routine_has_written_is_the_new_one():
    def function(x):
        table = np.empty(3)
        table[:2], table[2] = [0.0, 2.0], x[0]
        y = table[:2].copy()
        blas.daxpy(np.ones(2), y)
        return x[1] * y

    pattern = jacobian_sparsity(function, np.ones(2), verify=False).toarray()
    assert pattern[:, 1].all()


def test_zeros_of_a_rule_stay():
    def function(x):
        table = np.zeros(4)
        table[0], table[3] = x[0], 1.0
        return nd.correlate1d(table.reshape(2, 2), [0.5, 1.0, 0.0], mode="constant") * x[1]

    pattern = jacobian_sparsity(function, np.ones(2), verify=False).toarray()
    assert pattern[:, 1].tolist() == [True, True, False, True]


def test_generators_are_not_asked_for_more():
    def function(x):
        table = np.zeros(4)
        table[:2], table[2:] = x, [1.0, 2.0]
        generator = np.random.default_rng(3)
        drawn = ss.norm.rvs(loc=table, random_state=generator)
        states.append(generator.random())
        return drawn

    states: list[float] = []
    jacobian_sparsity(function, np.ones(2), verify=False)
    function(np.ones(2))
    assert len(set(states)) == 1

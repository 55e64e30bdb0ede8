"""Picked elements of masks that are too large to be decided, in functions that ask for more."""

from __future__ import annotations

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, perturbation_pattern

SIZE = 12
TIMES = np.arange(float(SIZE))
POINTS = np.random.default_rng(0).uniform(-1.5, 2.0, (200, SIZE))


def _fit(x):
    m = x > 0
    design = np.column_stack([x[m], np.ones(len(x[m]))])
    return np.linalg.solve(design.T @ design + np.eye(2), design.T @ TIMES[m])


def _drawn(x):
    y, m = x.copy(), x > 0
    y[m] = np.random.default_rng(1).uniform(1.0, 2.0, np.count_nonzero(m)) * x[0]
    return y


def _written_after(x):
    p = x[x > 0]
    q = p[1:].copy()
    q[:] = q**2
    return q.sum() + p.sum()


CALLS = {
    "the length": lambda x: len(x[x > 0]) * x,
    "the shape": lambda x: x[x > 0].shape[0] * x[:2],
    "the length of a part": lambda x: len(x[x > 0][x[x > 0] < 1]) * x,
    "a loop": lambda x: sum(v**2 for v in x[x > 0]),
    "a list": lambda x: sum(x[x > 0].tolist()),
    "a loop over places": lambda x: sum(TIMES[i] * x[i] for i in np.flatnonzero(x > 0)),
    "differences": lambda x: np.diff(x[x > 0]).sum() ** 2,
    "parts": lambda x: (x[x > 0][1:] * x[x > 0][:-1]).sum(),
    "joined": lambda x: np.concatenate([x[x > 0], x[x < -1]]).sum(),
    "joined with constants": lambda x: (np.append(x[x > 0], [-1.0, 0.5]) ** 2).max(),
    "side by side": lambda x: np.hstack((x[x > 0], x[:2])).mean(),
    "between picked points": lambda x: np.interp(x[0], x[x > 0], TIMES[x > 0]),
    "an integral": lambda x: np.trapezoid(x[x > 0] ** 2, TIMES[x > 0]),
    "a mean with weights": lambda x: np.average(x[x > 0], weights=TIMES[x > 0] + 1),
    "covariances": lambda x: np.cov(x[x > 0], TIMES[x > 0])[0],
    "correlation": lambda x: np.corrcoef(x[x > 0], x[::-1][x > 0])[0, 1],
    "a fit": lambda x: np.polyfit(TIMES[x > 0], x[x > 0], 1) if np.sum(x > 0) > 3 else x[:2],
    "least squares": lambda x: np.linalg.lstsq(np.vander(TIMES[x > 0], 2), x[x > 0], rcond=1)[0],
    "normal equations": _fit,
    "options": lambda x: (
        np.concatenate([x[x > 0], x[:2]], dtype=float).sum()
        + np.concatenate([np.atleast_1d(x[x > 0], x[:2])[0], x[:2]], axis=None).sum()
    ),
    "outer": lambda x: np.subtract.outer(x, x[x > 0]).sum(axis=1),
    "outer from the left": lambda x: np.outer(x[x > 0], x[:2]).sum(axis=0),
    "rows": lambda x: (np.stack([x[x > 0], x[::-1][x > 0]]) ** 2).sum(axis=1),
    "one column": lambda x: x[np.argwhere(x > 0).ravel()].sum(),
    "as many zeros": lambda x: (np.zeros(x[x > 0].shape) + x[0]).sum(),
    "as many random numbers": _drawn,
    "places": lambda x: x[x > 0][[0, 1]] if np.sum(x > 0) > 2 else x[:2],
    "taken": lambda x: (
        np.take(x, np.flatnonzero(x > 0)).sum() * np.take(x * x, np.where(x > 1)[0]).sum()
    ),
    "taken rows": lambda x: np.take(x.reshape(6, 2), np.flatnonzero(x[:6] > 0), axis=0).sum(axis=0),
    "in order": lambda x: (x[x > 0][np.argsort(x[x > 0])] ** 2).sum(),
    "a matrix of them": lambda x: np.sum(np.diag(x[x > 0]) @ x[x > 0] ** 2),
    "no rule": lambda x: np.sum(np.kron(x[x > 0], x[:2])),
    "a copy of a part": _written_after,
}


LOOSE = {
    "a loop over places": "which place goes with which element is forgotten",
    "places": "the first of all is not the last",
}
"""Where more is claimed than there is, and why."""
FEW = (
    "the length|the shape|the length of a part|a loop|a list|a loop over places|"
    "as many random numbers|options|normal equations|a matrix of them|no rule"
).split("|")
"""What is traced where the elements are few: each number of them is on a path of its own."""


@pytest.mark.filterwarnings("ignore:Degrees of freedom|divide by zero|invalid value")
@pytest.mark.parametrize("name", CALLS)
def test_jacobians(name):
    f = CALLS[name]
    derivatives = np.any(
        [st.jacobian_sparsity(f, x, local=True, verify=False).toarray() for x in POINTS], axis=0
    )
    check = assert_covers if name in LOOSE else assert_same_pattern
    check(st.jacobian_sparsity(f, np.ones(SIZE)), derivatives)


@pytest.mark.parametrize("name", CALLS)
def test_values(name):
    f = CALLS[name]
    changes = perturbation_pattern(f, np.ones(SIZE), low=-1.5, high=2.0, points=30)
    assert_covers(st.jacobian_sparsity(f, np.ones(SIZE), dependency=True), changes)


@pytest.mark.parametrize("name", CALLS)
def test_of_many_elements(name):
    f = CALLS[name]
    if name in FEW:
        with pytest.raises(st.ValueDependentError):
            st.jacobian_sparsity(f, np.ones(SIZE * 6))
    else:
        assert st.jacobian_sparsity(f, np.ones(SIZE)).nnz


def test_elements_that_may_be_the_same_are_compared():
    """The first and the second are told apart by nothing that is known of them."""

    def f(x):
        picked = x[x > 0]
        if len(picked) < 2:
            return 0.0
        listed = picked.tolist()
        return x[0] if picked[0] < picked[1] or listed[0] == listed[1] else x[1]

    assert st.jacobian_sparsity(f, np.ones(SIZE)).nnz == 2


def test_what_is_written_shows_in_no_part():
    def f(x):
        picked = x[x > 0]
        part = picked[1:]
        picked[:] = 1.0
        return part.sum()

    with pytest.raises(st.ValueDependentError, match="of which a part is a view"):
        st.jacobian_sparsity(f, np.ones(SIZE))


def test_a_call_that_fails_of_nothing_is_caught():
    def f(x):
        try:
            return np.interp(1.0, x[x > 0], x[x > 0])
        except ValueError:
            return x[0] * x[1]

    def g(x):
        try:
            return np.polyfit(TIMES[x > 1], x[x > 1], 1)[0]
        except TypeError:
            return x[0] * x[1]

    hessian = st.hessian_sparsity(f, np.ones(SIZE))
    assert hessian.toarray()[0, 1]
    assert_covers(st.jacobian_sparsity(g, np.ones(SIZE)), np.ones((1, SIZE)))

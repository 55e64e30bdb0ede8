"""Zeros of constants that change later cut nothing: ``constants="structure"``."""

from __future__ import annotations

import functools
import math
import warnings

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial.distance
import scipy.special
import scipy.stats

from cases.constants_that_change import CALLS
from oracles import dense, flat_outputs, hessian_pattern_at, jacobian_pattern_at
from sparsetrace import TracingError, jacobian_sparsity, lagrangian_hessian_sparsity

POINT = np.array([0.4, 1.6, 0.9, 1.3, 0.7])


def zeros():
    return {
        "C": np.zeros(5),
        "M": np.zeros((5, 5)),
        "I": np.eye(5),
        "B3": np.array([[0.0] * 5, [1.0] * 5, [0.0] * 5]),
        "E": np.eye(5)[0],
        "c": 0.0,
        "cf": np.float64(0),
        "L": [0.0, 0.0],
    }


def others(seed):
    some = functools.partial(np.random.default_rng(seed).uniform, 0.2, 0.9)
    return {
        "C": some(5),
        "M": some((5, 5)),
        "I": 3 * np.eye(5) + some((5, 5)) / 3,
        "B3": np.array([[0.1] * 5, [2.0] * 5, [0.2] * 5]) + some((3, 5)) / 20,
        "E": some(5),
        "c": 0.3,
        "cf": np.float64(0.4),
        "L": [0.3, 0.4],
    }


def function(source, constants):
    return eval(f"lambda x: {source}", {"np": np, "scipy": scipy, "math": math, **constants})


def shown(source, order):
    """What plain calls show with two sets of other constants."""
    found = None
    for seed in (0, 1):
        f = function(source, others(seed))
        if order == "jacobian":
            pattern = jacobian_pattern_at(f, POINT)
        else:
            weights = np.random.default_rng(1).uniform(0.5, 2, len(flat_outputs(f(POINT))))
            pattern = hessian_pattern_at(
                lambda v, f=f, weights=weights: weights @ np.real(flat_outputs(f(v))), POINT
            )
        found = pattern if found is None else found | pattern
    return found


@pytest.mark.parametrize("source", CALLS.strip().splitlines())
@pytest.mark.parametrize("order", ["jacobian", "hessian"])
def test_zeros_of_constants_cut_nothing(source, order):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = shown(source, order)
        detect = jacobian_sparsity if order == "jacobian" else lagrangian_hessian_sparsity
        for local in (False, True):
            f = function(source, zeros())
            try:
                pattern = detect(f, POINT, constants="structure", local=local, verify=False)
            except TracingError:  # what is refused loses nothing
                continue
            missing = wanted & ~dense(pattern)
            assert not missing.any(), f"local={local}: missing {np.argwhere(missing).tolist()}"

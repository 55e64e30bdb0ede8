"""First fit, in both loops and by definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from cases.sparse_matrices import random_pattern
from sparsetrace.coloring import first_fit

pytestmark = pytest.mark.fast


def test_first_fit_is_the_same_in_both_loops(monkeypatch):
    module = first_fit
    assert module.compiled_loop() is not None
    rng = np.random.default_rng(5)
    for _ in range(30):
        cliques = sp.csr_array(random_pattern(rng, symmetric=False))
        order = rng.permutation(cliques.shape[1])
        compiled = module.first_fit(cliques, order)
        with monkeypatch.context() as patch:
            patch.setattr(module, "compiled_loop", lambda: None)
            np.testing.assert_array_equal(module.first_fit(cliques, order), compiled)


def test_first_fit_by_definition():
    rng = np.random.default_rng(6)
    for _ in range(30):
        pattern = random_pattern(rng, symmetric=False)
        order = rng.permutation(pattern.shape[1])
        expected = np.full(pattern.shape[1], -1)
        for column in order:
            conflicts = (pattern & pattern[:, [column]]).any(axis=1)
            taken = set(expected[pattern[conflicts].any(axis=0)].tolist())
            expected[column] = next(c for c in itertools.count() if c not in taken)
        np.testing.assert_array_equal(first_fit.first_fit(sp.csr_array(pattern), order), expected)

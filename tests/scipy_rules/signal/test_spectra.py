"""Transforms along axes, whose factors may be of very different sizes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal as ss

import sparsetrace as st


@pytest.mark.parametrize("local", [False, True])
def test_no_factor_of_a_chirp_is_taken_for_zero(local):
    """Those of the first output are 1, and of the last one up to ``2**49``."""
    pattern = st.jacobian_sparsity(lambda x: ss.czt(x, w=2.0).real, np.ones(8), local=local)
    assert pattern.nnz == 64


def test_parts_of_factors_that_are_zero_are_cut():
    """``exp(-2 pi i n k / 4)`` is real or imaginary."""
    pattern = st.jacobian_sparsity(lambda x: ss.czt(x).imag, np.ones(4)).toarray()
    n = np.arange(4)
    assert pattern.tolist() == (n[:, None] * n % 2 == 1).tolist()


def test_a_long_chirp_depends_on_all():
    pattern = st.jacobian_sparsity(lambda x: abs(ss.czt(x, 3, a=1.5)), np.ones(600))
    assert pattern.nnz == 1800

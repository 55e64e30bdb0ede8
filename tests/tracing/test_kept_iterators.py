"""Caches that a function keeps, where it cannot be told what they hold."""

from __future__ import annotations

import functools
import gc

import numpy as np
import pytest

import sparsetrace as st


@pytest.mark.parametrize("maxsize", [None, 4])
def test_a_cache_that_cannot_be_read_is_refused(maxsize, monkeypatch):
    @functools.lru_cache(maxsize)
    def settings(name):
        return {"name": name, "scale": 1.0}

    settings("a")["scale"] = 2.0

    def f(x):
        return x * settings("a")["scale"]

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2
    found = gc.get_referents

    def nothing_of_it(*some):
        return [] if any(one is settings for one in some) else found(*some)

    monkeypatch.setattr(gc, "get_referents", nothing_of_it)
    with pytest.raises(st.UnsupportedError, match=r"settings.*cache_clear\(\)"):
        st.jacobian_sparsity(f, np.ones(2))
    settings.cache_clear()
    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 2

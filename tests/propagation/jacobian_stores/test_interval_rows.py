"""Rows of intervals, written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sparsetrace.propagation.jacobian_stores import interval_rows
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows


@pytest.mark.parametrize("in_order", [False, True])
def test_rows_that_share_a_set_are_copied(in_order, monkeypatch):
    rng = np.random.default_rng(0)
    for _ in range(50):
        m, n, count = rng.integers(1, (8, 20, 30))
        sets = rng.random((m, n)) < 0.6
        bounds = np.append(0, np.cumsum(sets.sum(axis=1)))
        rows = IntervalRows.of_csr(n, bounds, np.nonzero(sets)[1].astype(np.int32))
        places = rng.integers(0, m, count, dtype=np.int32)
        rows = replace(rows, places=np.sort(places) if in_order else places)
        for large in (1, 2**14):  # copied where rows share sets, and never
            monkeypatch.setattr(interval_rows, "_LARGE", large)
            indptr, indices = rows.csr()
            assert (np.diff(indptr) == sets[rows.places].sum(axis=1)).all()
            assert (indices == np.nonzero(sets[rows.places])[1]).all()

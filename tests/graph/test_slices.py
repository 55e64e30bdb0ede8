"""Long id arrays, looked at a slice at a time."""

from __future__ import annotations

import numpy as np
import pytest

from sparsetrace.graph import slices as module
from sparsetrace.graph.slices import counts_up, slices


@pytest.mark.parametrize("count", range(1, 9))
def test_slices_make_up_the_whole(monkeypatch, count):
    monkeypatch.setattr(module, "_SLICE_SIZE", 3)
    every = list(range(count))
    assert [i for some in slices(count) for i in every[some]] == every


@pytest.mark.parametrize("count", range(1, 9))
def test_counts_up_sees_each_place(monkeypatch, count):
    monkeypatch.setattr(module, "_SLICE_SIZE", 3)
    ids = np.arange(5, 5 + count, dtype=np.int32)
    assert counts_up(ids)
    for i in range(count if count > 1 else 0):
        changed = ids.copy()
        changed[i] += 1
        assert not counts_up(changed)

"""Runs of translates, against the definition: inside a run each column grows by its step."""

from __future__ import annotations

import numpy as np
import pytest

from sparsetrace.propagation.jacobian_stores.runs import Runs, find_runs, split_runs


def written_out(runs: Runs) -> np.ndarray:
    """The columns that a run table stands for, element by element."""
    rows = []
    for value, step, length in zip(runs.values, runs.steps, runs.lengths.tolist(), strict=True):
        rows += [value + step * k for k in range(length)]
    return np.array(rows).T


def assert_stands_for(runs: Runs, columns) -> None:
    assert runs.starts[0] == 0
    assert (np.diff(runs.starts) == runs.lengths[:-1]).all()
    assert runs.lengths.sum() == len(columns[0])
    np.testing.assert_array_equal(written_out(runs), np.stack(columns))


def column(*pieces) -> np.ndarray:
    return np.concatenate([np.asarray(piece, np.int32) for piece in pieces]).astype(np.int32)


UP = np.arange(10, 30)
CASES = {
    "one run": [column(UP)],
    "two columns": [column(UP), column(UP + 50)],
    "different steps": [column(UP), column(UP * 2), column(UP[::-1]), column([7] * 20)],
    "a break in one": [column(UP), column(UP[:11], UP[11:] + 5)],
    "breaks in both": [column(UP[:8], UP[8:] + 9), column(UP[:13], UP[13:] + 1)],
    "constant": [column([3] * 20)],
    "wrapped around": [column(np.roll(UP, 1)), column(np.roll(UP, -1))],
    "falling": [column(UP[::-1])],
    "repeated rows": [column(*[np.arange(5, 11)] * 5)],
    "crossing": [column(np.repeat([4, 5, 6], 6)), column(np.tile(np.arange(20, 26), 3))],
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("stacked", [True, False])
def test_runs_stand_for_the_columns(monkeypatch, name, stacked):
    if not stacked:
        monkeypatch.setattr("sparsetrace.propagation.jacobian_stores.runs._STACKED", 0)
    columns = CASES[name]
    runs = find_runs(columns)
    assert runs is not None
    assert_stands_for(runs, columns)


def test_runs_of_one_element_do_not_grow():
    runs = find_runs([column(UP, [99], UP)])
    assert runs is not None
    assert (runs.steps[runs.lengths == 1] == 0).all()


def test_short_runs_do_not_pay():
    assert find_runs([column(np.random.default_rng(0).permutation(40))]) is None
    assert find_runs([column(UP[:7])]) is None
    assert find_runs([column([1])]) is None


def test_single():
    assert Runs(np.arange(2), np.ones(2, int), np.zeros((2, 1), int), np.zeros((2, 1), int)).single
    found = find_runs([column(UP)])
    assert found is not None
    assert not found.single


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("boundaries", [[15], [12, 20], [9], [31], [10], [29], [30], [25, 26]])
def test_split_runs_cross_no_boundary(monkeypatch, name, boundaries):
    monkeypatch.setattr("sparsetrace.propagation.jacobian_stores.runs._COARSE", 1)
    columns = CASES[name]
    runs = find_runs(columns)
    assert runs is not None
    bounds = np.array(boundaries, np.int64)
    split = split_runs(runs, columns, bounds, len(columns[0]))
    if split is None:
        return
    assert_stands_for(split, columns)
    last = split.values + split.steps * (split.lengths[:, None] - 1)
    np.testing.assert_array_equal(
        np.searchsorted(bounds, split.values, side="right"),
        np.searchsorted(bounds, last, side="right"),
    )


def test_random_splits(monkeypatch):
    monkeypatch.setattr("sparsetrace.propagation.jacobian_stores.runs._COARSE", 1)
    rng = np.random.default_rng(0)
    checked = 0
    for _ in range(300):
        m, width = int(rng.integers(8, 40)), int(rng.integers(1, 4))
        columns = []
        for _ in range(width):
            steps = np.repeat(rng.integers(-3, 4), m)
            breaks = rng.random(m) < 0.1
            steps[breaks] = rng.integers(-30, 30, int(breaks.sum()))
            columns.append((500 + np.cumsum(steps)).astype(np.int32))
        runs = find_runs(columns)
        if runs is None:
            continue
        assert_stands_for(runs, columns)
        bounds = np.unique(rng.integers(400, 600, 5))
        split = split_runs(runs, columns, bounds, m)
        if split is None:
            continue
        checked += 1
        assert_stands_for(split, columns)
        last = split.values + split.steps * (split.lengths[:, None] - 1)
        sides = [np.searchsorted(bounds, ends, side="right") for ends in (split.values, last)]
        np.testing.assert_array_equal(*sides)
    assert checked > 50


def test_too_many_boundaries_do_not_pay():
    columns = [column(np.arange(100))]
    runs = find_runs(columns)
    assert runs is not None
    assert split_runs(runs, columns, np.arange(0, 100, 2), 100) is None
    assert split_runs(runs, columns, np.array([200]), 100) is runs

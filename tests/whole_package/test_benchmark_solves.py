"""The solves that are benchmarked end where SciPy alone ends, with fewer calls."""

from __future__ import annotations

import numpy as np
import pytest
from bench_solves import SOLVES, Counted

from sparsetrace import solvers


@pytest.mark.parametrize("name", SOLVES)
def test_solve(name):
    solve, function, scipys = SOLVES[name]
    ours, plain = Counted(function), Counted(function)
    np.testing.assert_allclose(solve(ours, solvers), solve(plain, scipys), rtol=1e-3, atol=1e-3)
    assert ours.calls < plain.calls / 1.5

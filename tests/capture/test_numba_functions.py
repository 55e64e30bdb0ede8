"""Functions that numba compiles while a trace runs, and after it."""

from __future__ import annotations

import subprocess
import sys

import pytest

FIRST_COMPILED = """
import math, sys
import numba, numpy as np, sparsetrace as st

@numba.njit
def power(a, n):
    return a**n

@numba.njit
def weight(x):
    return math.sin(x[0]) * power(x[0], 3)

K = np.full(3, 0.5)

def f(x):
    return x * weight(K)

print(st.jacobian_sparsity(f, np.ones(3), local=sys.argv[1] == "local").nnz)
print(f(np.ones(3)).round(3).tolist())
print(numba.njit(lambda v: math.cos(v) * power(v, 2))(0.0))
"""


@pytest.mark.parametrize("mode", ["global", "local"])
def test_what_is_first_compiled_in_a_trace(mode):
    pytest.importorskip("numba")
    code = [sys.executable, "-c", FIRST_COMPILED, mode]
    run = subprocess.run(code, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == ["3", "[0.06, 0.06, 0.06]", "0.0"]

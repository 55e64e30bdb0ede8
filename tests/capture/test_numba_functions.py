"""Functions that numba compiles while a trace runs, and after it."""

from __future__ import annotations

import contextlib
import importlib
import subprocess
import sys

import numpy as np
import pytest

import sparsetrace as st

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


FIRST_IMPORTED = """
import math, sys
import numpy as np, sparsetrace as st

def f(x):
    import numba
    out = np.zeros(3)

    @numba.njit
    def power(a, out):
        for i in range(len(a)):
            out[i] = math.exp(np.abs(a[i])) ** 3

    weights = numba.njit(lambda n: np.all(np.ones(n) > 0) * np.linspace(0, 1, n))(3)
    power(x, out)
    return out * weights

paths = len(sys.meta_path)
print(st.jacobian_sparsity(f, np.ones(3), local=sys.argv[1] == "local").indices.tolist())
print(f(np.zeros(3)).tolist(), len(sys.meta_path) == paths)
import numba
print(numba.__spec__.loader.__class__.__module__.partition(".")[0])
"""


@pytest.mark.parametrize("mode", ["global", "local"])
def test_first_imported_by_the_traced_function(mode):
    pytest.importorskip("numba")
    code = [sys.executable, "-c", FIRST_IMPORTED, mode]
    run = subprocess.run(code, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[:2] == ["[1, 2]", "[0.0, 0.5, 1.0] True"]
    assert "sparsetrace" not in run.stdout


def test_a_module_that_cannot_be_imported_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)

    def f(x):
        with contextlib.suppress(ImportError):
            importlib.import_module("numba")
        return x * x[0]

    assert st.jacobian_sparsity(f, np.ones(2)).nnz == 3

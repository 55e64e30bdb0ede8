"""``scipy.fft``: its transforms by their rules."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.fft
from outside import Outside

import sparsetrace as st
from oracles import assert_covers, assert_same_pattern, numerical_jacobian_pattern
from sparsetrace.operands.operands import values_of

TRANSFORMS = [
    lambda x: scipy.fft.fft(x).real,
    lambda x: scipy.fft.ifft(x, n=3).imag,
    lambda x: scipy.fft.fft2(x.reshape(2, 3)),
    lambda x: scipy.fft.rfftn(x.reshape(2, 3), s=(2, 2)),
    lambda x: scipy.fft.hfft(x),
    lambda x: scipy.fft.dct(x),
    lambda x: scipy.fft.dct(x[:3], 2),
    lambda x: scipy.fft.idct(x, type=3, norm="ortho"),
    lambda x: scipy.fft.dst(x, n=8),
    lambda x: scipy.fft.dct(x.reshape(2, 3), axis=0),
    lambda x: scipy.fft.dctn(x.reshape(2, 3)),
    lambda x: scipy.fft.idstn(x.reshape(2, 3), axes=[1], s=[2]),
    lambda x: scipy.fft.fftshift(x),
    lambda x: scipy.fft.hfft2(x.reshape(2, 3)),
    lambda x: scipy.fft.hfftn(x.reshape(2, 3), s=(2, 4), axes=(0, 1)),
    lambda x: scipy.fft.hfftn(x.reshape(2, 3), axes=[1]),
    lambda x: scipy.fft.ihfft2(x.reshape(2, 3)).real,
    lambda x: scipy.fft.ihfftn(x.reshape(2, 3), s=[4], axes=[1], norm="ortho").imag,
    lambda x: scipy.fft.hfftn(x.reshape(2, 3), s=(2, 3), norm="ortho"),
    lambda x: scipy.fft.ihfft2(x.reshape(2, 3)).imag,
    lambda x: scipy.fft.ihfftn(x.reshape(2, 3), axes=[0]).real,
    lambda x: scipy.fft.fht(x, 0.1, 0.5),
    lambda x: scipy.fft.ifht(x[:3], 0.1, 0.5, offset=x[3], bias=x[4]),
]


@pytest.mark.parametrize("f", TRANSFORMS)
def test_transforms_of_scipy(f):
    pattern = st.jacobian_sparsity(f, np.ones(6))
    expected = numerical_jacobian_pattern(f, np.ones(6))
    assert_covers(pattern, expected)
    assert f(np.ones(6)).size == pattern.shape[0]


def test_cosine_transforms_have_the_zeros_of_their_matrix():
    f = scipy.fft.dct
    expected = numerical_jacobian_pattern(f, np.ones(3))
    assert not expected.all()
    assert_same_pattern(st.jacobian_sparsity(f, np.ones(3)), expected)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("name", ["hfft2", "hfftn", "ihfft2", "ihfftn"])
def test_values_of_symmetric_transforms(name, norm):
    """At a point they are those of SciPy."""
    seen = Outside()
    x = np.random.default_rng(1).normal(size=(3, 4))

    def f(x):
        result = getattr(scipy.fft, name)(x, norm=norm)
        seen.append(values_of(result))
        return result.real

    st.jacobian_sparsity(f, x, local=True)
    np.testing.assert_allclose(seen[0], getattr(scipy.fft, name)(x, norm=norm), atol=1e-14)


LAZY = """
import sys
import numpy as np, sparsetrace as st

def f(x):
    from scipy.fft import rfft
    return rfft(x).real

def g(x):
    import scipy
    return scipy.fftpack.fft(x).real

h = {"f": f, "g": g}[sys.argv[1]]
assert "scipy.fft" not in sys.modules
print(st.jacobian_sparsity(h, np.ones(4), local=sys.argv[2] == "local").nnz)
import scipy.fft
print(scipy.fft.fft(np.ones(2)).real.tolist())
"""


@pytest.mark.parametrize("mode", ["global", "local"])
@pytest.mark.parametrize("name", ["f", "g"])
def test_loaded_by_the_function_itself(name, mode):
    code = [sys.executable, "-c", LAZY, name, mode]
    run = subprocess.run(code, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    # the odd rows depend on two elements each: cos(pi / 2) is a zero
    assert run.stdout.splitlines() == [{"f": "10", "g": "12"}[name], "[2.0, 0.0]"]

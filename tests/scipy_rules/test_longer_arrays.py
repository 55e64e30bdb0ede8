"""Filters, images and splines of arrays that are longer than what they look at."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.interpolate as si
import scipy.ndimage as nd
import scipy.signal as ss

import sparsetrace as st
from cases.scipy_calls.constants import TABLE
from oracles import assert_same_pattern


def linear_pattern(f, n, tolerance):
    """The non-zeros of a linear function, by unit inputs."""
    zero = np.ravel(f(np.zeros(n)))
    columns = [np.ravel(f(unit)) - zero for unit in np.eye(n)]
    table = np.stack(columns, axis=1)
    return np.abs(table) > tolerance * np.abs(table).max()


LONG = {
    "savgol_filter": lambda x: ss.savgol_filter(x, 5, 2),
    "savgol_filter, wrap": lambda x: ss.savgol_filter(x, 7, 2, mode="wrap"),
    "savgol_filter, mirror": lambda x: ss.savgol_filter(x, 3, 1, deriv=1, mode="mirror"),
    "filtfilt": lambda x: ss.filtfilt([0.5, 0.3, 0.1], 1.0, x, padlen=3),
    "lfilter": lambda x: ss.lfilter([0, 1.0, 0.4], [1.0, -0.5], x),
    "lfilter, third": lambda x: ss.lfilter([1.0], [1.0, 0, 0, 0.5], x),
    "lfilter, irregular": lambda x: ss.lfilter([1.0, 0, 0.3], [1.0, 0, 0, 0.5], x),
    "detrend": lambda x: ss.detrend(x, bp=[20, 30]),
    "upfirdn": lambda x: ss.upfirdn([1.0, 2.0, 0, 0.5, 1.0], x, 3, 2),
    "fftconvolve": lambda x: ss.fftconvolve(x, np.arange(70.0) % 3, "same"),
    "gaussian_filter": lambda x: nd.gaussian_filter(x.reshape(5, -1), (0.3, 0.8), mode="mirror"),
    "sobel": lambda x: nd.sobel(x.reshape(5, -1), mode="mirror"),
    "laplace": lambda x: nd.laplace(x.reshape(5, -1), mode=["wrap", "nearest"]),
    "correlate": lambda x: nd.correlate(x.reshape(5, -1), TABLE - 0.5, mode="reflect"),
    "correlate, wrap": lambda x: nd.correlate(
        x.reshape(5, -1), TABLE[:3] - 0.5, mode="wrap", origin=(1, -1)
    ),
    "correlate, window longer than an axis": lambda x: nd.correlate(
        x.reshape(2, -1), np.arange(-4.0, 5.0)[:, None] * [1.0, -1.0], mode="reflect"
    ),
    "convolve, cval": lambda x: nd.convolve(
        x.reshape(5, -1), TABLE[:2, :3] - 0.5, mode="constant", cval=1.0
    ),
    "CubicSpline": lambda y: si.CubicSpline(np.arange(50.0), y)(np.linspace(0, 9, 19)),
}


@pytest.mark.parametrize("name", LONG)
def test_longer_arrays(name):
    f = LONG[name]
    tolerance = 0 if name in ("lfilter", "CubicSpline") else 1e-13  # these decay
    wanted = linear_pattern(f, 50, tolerance)
    assert_same_pattern(st.jacobian_sparsity(f, np.ones(50)), wanted)


def test_a_response_that_vanishes_by_underflow():
    pattern = st.jacobian_sparsity(lambda x: ss.lfilter([1.0], [1.0, -0.1], x), np.ones(500))
    assert pattern.nnz == 500 * 501 // 2
    assert not ss.lfilter([1.0], [1.0, -0.1], np.eye(500)[0]).all()


def test_a_response_that_overflows():
    with np.errstate(all="ignore"):
        assert np.isnan(ss.lfilter([1.0], [1.0, 2.0, 4.0], np.eye(2000)[0])).any()
        pattern = st.jacobian_sparsity(
            lambda x: ss.lfilter([1.0], [1.0, 2.0, 4.0], x), np.ones(2000)
        )
    assert pattern[[1999]].nnz >= 2 * 1999 // 3


WINDOWS = {
    "welch": (lambda x: ss.welch(x, nperseg=16)[1], 9 * 60),
    "stft": (lambda x: ss.stft(x, nperseg=16, boundary=None)[2], 9 * 7 * 16),
    "hilbert": (lambda x: ss.hilbert(x).imag, 60 * 60),
    "periodogram": (lambda x: ss.periodogram(x, detrend=False)[1], 31 * 60),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_without_a_matrix(name, monkeypatch):
    """Where a window is too long for unit impulses, each frequency depends on all of it."""
    f, most = WINDOWS[name]
    exact = st.jacobian_sparsity(f, np.ones(60))
    monkeypatch.setattr("sparsetrace.scipy_rules.signal.spectra.LARGEST", 4)
    dense = st.jacobian_sparsity(f, np.ones(60))
    assert dense.nnz >= exact.nnz == (exact.multiply(dense)).nnz
    assert exact.nnz <= dense.nnz <= most

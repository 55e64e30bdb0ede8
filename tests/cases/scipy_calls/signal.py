"""scipy.signal: functions of four traced numbers."""

from __future__ import annotations

import numpy as np
import scipy.signal as ss

from cases.scipy_calls.constants import KERNEL, SOS, TABLE, A, B

SIGNAL = {
    "convolve": lambda x: ss.convolve(x, KERNEL),
    "convolve, same": lambda x: ss.convolve(x, KERNEL, "same"),
    "convolve, valid": lambda x: ss.convolve(KERNEL[:2], x, "valid"),
    "convolve, direct": lambda x: ss.convolve(x[:2], KERNEL, "same", "direct"),
    "convolve, both": lambda x: ss.convolve(x[:2], x[2:]),
    "convolve, planes": lambda x: ss.convolve(x.reshape(2, 2), KERNEL[None, :2]),
    "correlate": lambda x: ss.correlate(x, KERNEL[1:]),
    "correlate, same": lambda x: ss.correlate(x, [1.0, 2.0], "same", "direct"),
    "correlate, valid": lambda x: ss.correlate(KERNEL[1:], x, "valid"),
    "fftconvolve": lambda x: ss.fftconvolve(x, KERNEL, "same"),
    "fftconvolve, axis": lambda x: ss.fftconvolve(x.reshape(2, 2), TABLE[:2, :2], axes=1),
    "fftconvolve, axis same": lambda x: ss.fftconvolve(
        x.reshape(2, 2), TABLE[:2, :3][:, [0, 1]], "same", axes=[0]
    ),
    "oaconvolve": lambda x: ss.oaconvolve(x, [1.0, 2.0]),
    "convolve2d": lambda x: ss.convolve2d(x.reshape(2, 2), [[1.0, 0.0, 2.0]]),
    "convolve2d, wrap": lambda x: ss.convolve2d(
        x.reshape(2, 2), np.ones((2, 3)), "same", boundary="wrap"
    ),
    "convolve2d, symm": lambda x: ss.convolve2d(x.reshape(2, 2), TABLE[:2, :2], boundary="symm"),
    "convolve2d, fill": lambda x: ss.convolve2d(
        x.reshape(2, 2), TABLE[:3, :2], "same", fillvalue=2.0
    ),
    "correlate2d": lambda x: ss.correlate2d(x.reshape(2, 2), TABLE[:2, :2], "same"),
    "correlate2d, valid": lambda x: ss.correlate2d(x.reshape(2, 2), TABLE[:3, :2], "valid"),
    "lfilter": lambda x: ss.lfilter(B, A, x),
    "lfilter, delayed": lambda x: ss.lfilter([0, 1.0], [1.0, -0.5], x),
    "lfilter, finite": lambda x: ss.lfilter(KERNEL, 2.0, x),
    "lfilter, comb": lambda x: ss.lfilter([1.0], [1.0, 0, 0.5], x),
    "lfilter, cancelling": lambda x: ss.lfilter([1.0, -0.5], [1.0, -0.5], x),
    "lfilter, axis": lambda x: ss.lfilter([1.0], [1.0, 0.5], x.reshape(2, 2), axis=0),
    "lfilter, traced b": lambda x: ss.lfilter(x[:2], [1.0, 0.5], x[2:]),
    "lfilter, traced a": lambda x: ss.lfilter([1.0], [1.0, x[0]], x[1:]),
    "lfilter, traced a[0]": lambda x: ss.lfilter([1.0], x[:1], x[1:]),
    "lfilter, state": lambda x: ss.lfilter([1.0], [1.0, 0.5], x[:3], zi=x[3:]),
    "lfilter, two states": lambda x: ss.lfilter(B, A, x[:2], zi=x[2:]),
    "sosfilt": lambda x: ss.sosfilt(SOS, x),
    "filtfilt": lambda x: ss.filtfilt(B, A, x, padlen=2),
    "filtfilt, finite": lambda x: ss.filtfilt([0.5, 0.5], 1.0, x, padtype=None),
    "sosfiltfilt": lambda x: ss.sosfiltfilt(SOS, x, padlen=1),
    "savgol_filter": lambda x: ss.savgol_filter(np.concatenate([x, x[::-1]]), 5, 2),
    "savgol_filter, slope": lambda x: ss.savgol_filter(x, 3, 1, deriv=1, mode="nearest"),
    "savgol_filter, cval": lambda x: ss.savgol_filter(x, 3, 1, mode="constant", cval=1.0),
    "detrend": lambda x: ss.detrend(x),
    "detrend, constant": lambda x: ss.detrend(x, type="constant"),
    "detrend, pieces": lambda x: ss.detrend(np.concatenate([x, x[:2] * 2]), bp=3),
    "upfirdn": lambda x: ss.upfirdn([1.0, 2.0, 0.5], x, 2, 3),
    "upfirdn, traced": lambda x: ss.upfirdn(x[:2], x[2:], 3, 2),
    "resample_poly": lambda x: ss.resample_poly(x, 1, 2),
    **{
        f"resample_poly, {padtype}": lambda x, p=padtype: ss.resample_poly(x, 2, 3, padtype=p)
        for padtype in ("line", "maximum", "mean", "median", "minimum")
    },
    "medfilt": lambda x: ss.medfilt(x, 3),
    "order_filter": lambda x: ss.order_filter(x, [1, 0, 1], 1),
}

LONGER = {  # of six numbers
    "hilbert": lambda x: ss.hilbert(x).imag,
    "hilbert, rows": lambda x: ss.hilbert(x.reshape(2, 3), 4, axis=0).imag,
    "hilbert2": lambda x: abs(ss.hilbert2(x.reshape(2, 3))),
    "resample": lambda x: ss.resample(x, 9),
    "resample, times": lambda x: ss.resample(x.reshape(3, 2), 4, np.arange(3.0))[0],
    "resample, window": lambda x: ss.resample(x.reshape(2, 3), 2, axis=1, window="hamming"),
    "decimate": lambda x: ss.decimate(np.concatenate([x, x, x, x, x]), 2),
    "decimate, finite": lambda x: ss.decimate(x, 2, n=4, ftype="fir"),
    "czt": lambda x: abs(ss.czt(x, 3)),
    "zoom_fft": lambda x: abs(ss.zoom_fft(x, [0.1, 0.5], 3)),
    "cspline1d": lambda x: ss.cspline1d(x),
    "cspline1d, smooth": lambda x: ss.cspline1d(x, 0.5),
    "qspline1d": lambda x: ss.qspline1d(x),
    "cspline1d_eval": lambda x: ss.cspline1d_eval(x, np.array([0.5, 2.0, 3.3, -1.0])),
    "qspline1d_eval": lambda x: ss.qspline1d_eval(x, np.array([0.5, 2.0])),
    "welch": lambda x: ss.welch(x, nperseg=4)[1],
    "welch, median": lambda x: ss.welch(x, 2.0, "boxcar", 3, 1, average="median")[1],
    "welch, rows": lambda x: ss.welch(x.reshape(3, 2), nperseg=3, axis=0, detrend=False)[1],
    "welch, complex": lambda x: ss.welch(
        x[:3] + 1j * x[3:], nperseg=3, return_onesided=False, detrend="linear"
    )[1],
    "periodogram": lambda x: ss.periodogram(x)[1],
    "periodogram, nfft": lambda x: ss.periodogram(x, window="hamming", nfft=4)[1],
    "periodogram, longer": lambda x: ss.periodogram(x[:4], nfft=7, detrend=False)[1],
    "csd": lambda x: abs(ss.csd(x[:4], x[2:], nperseg=3)[1]),
    "csd, median": lambda x: abs(ss.csd(x[:5], x[1:], nperseg=3, average="median")[1]),
    "coherence": lambda x: ss.coherence(x, 1 / x, nperseg=3)[1][1:],
    "spectrogram": lambda x: ss.spectrogram(x, nperseg=4)[2],
    "spectrogram, complex": lambda x: ss.spectrogram(x, nperseg=4, mode="complex")[2].real,
    "spectrogram, magnitude": lambda x: ss.spectrogram(x, nperseg=4, mode="magnitude")[2][1:],
    "stft": lambda x: abs(ss.stft(x, nperseg=4)[2][1]),
    "stft, even": lambda x: ss.stft(x, nperseg=3, boundary="even")[2].real,
    "stft, odd": lambda x: abs(ss.stft(x, nperseg=4, boundary="odd", padded=False)[2][1]),
    "stft, constant": lambda x: abs(
        ss.stft(x.reshape(2, 3), nperseg=3, boundary="constant", axis=1)[2][:, 1]
    ),
    "stft, no boundary": lambda x: (
        ss.stft(x.reshape(3, 2), nperseg=2, boundary=None, axis=0)[2].real
    ),
    "istft": lambda x: ss.istft(x.reshape(3, 2) * (1 + 1j), nperseg=4)[1],
    "istft, times first": lambda x: ss.istft(
        x.reshape(2, 3) * (1 + 1j),
        window="boxcar",
        nperseg=4,
        time_axis=0,
        freq_axis=1,
        boundary=False,
    )[1],
}

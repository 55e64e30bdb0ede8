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

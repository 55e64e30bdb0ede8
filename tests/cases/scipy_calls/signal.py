"""scipy.signal: functions of four traced numbers."""

from __future__ import annotations

import numpy as np
import scipy.signal as ss

from cases.scipy_calls.constants import HEIGHTS, KERNEL, SITES, SOS, TABLE, A, B

SHORT = ss.ShortTimeFFT(np.array([0.5, 1.0, 0.5]), 2, 1.0)
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
    "hilbert2, vector": lambda x: np.real(ss.hilbert2(x)),
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
    "lfilter, state, traced a": lambda x: ss.lfilter([1.0, 0.3], [2.0, x[0]], x[1:3], zi=x[3:]),
    "lfilter, state, traced b": lambda x: ss.lfilter(x[:2], [1.0, 0.5, 0.2], x[1:], zi=[0.1, x[2]]),
    "lfilter, state, axis": lambda x: ss.lfilter(
        [1.0], [1.0, x[0]], x.reshape(2, 2), axis=0, zi=np.ones((1, 2))
    ),
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
    "deconvolve": lambda x: ss.deconvolve(x, [1.0, 0.5]),
    "deconvolve, divisor": lambda x: ss.deconvolve([1.0, 2.0, 0.5], x[:2] + 1),
    "lfiltic": lambda x: ss.lfiltic(B, A, x[:2], x[2:]),
    "lfiltic, coefficients": lambda x: ss.lfiltic(x[:2], [2.0, x[2]], [0.3], [0.7]),
    "vectorstrength": lambda x: ss.vectorstrength(x[:3], x[3] + 1),
    "vectorstrength, periods": lambda x: ss.vectorstrength(x, [2.0, 3.0])[0],
    "wiener": lambda x: ss.wiener(x),
    "wiener, noise": lambda x: ss.wiener(x.reshape(2, 2), (1, 2), 0.02),
    "sawtooth": lambda x: ss.sawtooth(3 * x) * x,
    "sawtooth, width": lambda x: ss.sawtooth(3 * x[:2], x[2:] / 2),
    "square": lambda x: ss.square(3 * x, 0.3) * x,
    "chirp": lambda x: ss.chirp(x[:2], x[2], 2.0, x[3]),
    "gausspulse": lambda x: ss.gausspulse(x, 1.5),
    "sweep_poly": lambda x: ss.sweep_poly(x, np.poly1d([1.0, 2.0])),
    "normalize": lambda x: ss.normalize([x[0], 1.0], [0.0, x[1], x[2]]),
    "butter": lambda x: ss.butter(1, x[0] / 2, output="sos") * x[1],
    "butter, frequencies": lambda x: ss.butter(1, x[0] + 1, fs=9 + x[1])[0] * x[2],
    "firwin, fs": lambda x: ss.firwin(3, (1, 25), fs=60 + 9 * x[0]) * x[1],
    "butter, band": lambda x: ss.butter(1, [x[0], x[1] + 3], fs=20.0, btype="band")[0] * x[2],
    "firwin": lambda x: ss.firwin(4, x[0] / 2),
    "zpk2tf": lambda x: ss.zpk2tf(x[:2], x[2:3], x[3])[0],
    "lp2lp_zpk": lambda x: ss.lp2lp_zpk(x[:1], -x[1:3], 1.0, x[3])[1],
    "bilinear_zpk": lambda x: ss.bilinear_zpk(x[:1], -x[1:2], x[2], 1.5)[2],
    "freqz": lambda x: abs(ss.freqz(x[:2], [1.0, x[2] / 9], 3)[1]),
    "freqz, frequencies": lambda x: abs(ss.freqz(B, A, x)[1]),
    "freqs": lambda x: abs(ss.freqs(x[:1], x[1:3], [1.0, 2.0])[1]),
    "kaiser": lambda x: ss.windows.kaiser(4, x[0]) * x[1],
    "general_cosine": lambda x: ss.windows.general_cosine(4, x[:2]),
    "lombscargle": lambda x: ss.lombscargle(SITES[:4], x, [1.0, 2.0]),
    "lombscargle, times": lambda x: ss.lombscargle(x, KERNEL[[0, 2, 2, 0]], [1.5]),
    "lombscargle, frequencies": lambda x: ss.lombscargle(SITES[:4], KERNEL[[0, 2, 2, 0]], x),
    "CZT": lambda x: abs(ss.CZT(4, 3)(x)),
    "ZoomFFT": lambda x: abs(ss.ZoomFFT(4, [0.1, 0.3])(x)),
    "ShortTimeFFT.stft": lambda x: abs(SHORT.stft(x)[1]),
    "ShortTimeFFT.spectrogram": lambda x: SHORT.spectrogram(x),
    "ShortTimeFFT.istft": lambda x: SHORT.istft(x.reshape(2, 2)[:, [0, 1, 0]] * (1 + 1j), k1=4),
    "ShortTimeFFT of a traced window": lambda x: abs(ss.ShortTimeFFT(x[:3], 2, 1.0).stft(SITES)[1]),
    "dlsim": lambda x: ss.dlsim(([1.0], [1.0, 0.2], 1.0), x)[1],
    "lsim": lambda x: ss.lsim(([1.0], [1.0, 2.0]), x, SITES[[0, 1, 1, 1]] * [0, 1, 2, 3])[1],
    "csd, constant": lambda x: abs(ss.csd(x, SITES[:4], nperseg=3)[1]),
    "cspline1d_eval, places": lambda x: ss.cspline1d_eval(ss.cspline1d(SITES), x),
    "order_filter": lambda x: ss.order_filter(x, [1, 0, 1], 1),
    "sosfilt, coefficients": lambda x: ss.sosfilt([[1.0, x[0], 0.5, 1.0, x[1], 0.2]], x[2:]),
    "sosfilt, state": lambda x: ss.sosfilt([[1.0, 0.3, 0.5, 1.0, 0.4, 0.2]], x[:2], zi=x[None, 2:]),
    "sosfiltfilt, coefficients": lambda x: ss.sosfiltfilt(
        [[1.0, x[0], 0.5, 1.0, 0.4, 0.2]], HEIGHTS[:3], padlen=1
    ),
    "filtfilt, coefficients": lambda x: ss.filtfilt(x[:1], [1.0, x[1]], HEIGHTS[:3], padlen=1),
    "savgol_filter, delta": lambda x: ss.savgol_filter(x[:3], 3, 1, deriv=1, delta=x[3]),
    "savgol_filter, traced cval": lambda x: ss.savgol_filter(
        x[:2], 3, 1, mode="constant", cval=x[3]
    ),
    "savgol_coeffs": lambda x: ss.savgol_coeffs(4, 2, deriv=1, delta=x[0]),
    "savgol_coeffs, place": lambda x: ss.savgol_coeffs(3, 2, pos=x[0]),
    "resample_poly, window": lambda x: ss.resample_poly(HEIGHTS[:3], 3, 2, window=("kaiser", x[0])),
    "upfirdn, symmetric": lambda x: ss.upfirdn([1.0, 2.0, 3.0], x[:2], mode="symmetric")[1:3],
    "convolve2d, traced fill": lambda x: ss.convolve2d(TABLE, [[1.0, 0.0, 2.0]], fillvalue=x[0]),
    "correlate2d, traced fill": lambda x: ss.correlate2d(x[:2, None], x[None, 2:3], fillvalue=x[3]),
    "gauss_spline": lambda x: ss.gauss_spline(x, 3),
    "sepfir2d": lambda x: ss.sepfir2d(TABLE, x[:3], x[1:]),
    "sepfir2d, image": lambda x: ss.sepfir2d(x.reshape(2, 2), [2.0], [1.0]),
    "symiirorder1": lambda x: ss.symiirorder1(np.tile(HEIGHTS, 9), x[0] / 5, 0.3)[:3],
    "cspline2d": lambda x: ss.cspline2d(np.tile(HEIGHTS * x[0], (36, 6)), x[1])[:2, :2],
    "peak_prominences": lambda x: ss.peak_prominences(x * [0, 1, 9, 1], [2])[0],
    "tukey": lambda x: ss.windows.tukey(7, x[0] / 1.5)[1:3] * x[1],
    "get_window, tukey": lambda x: ss.get_window(("tukey", x[0] / 1.5), 5),
    "ellipap": lambda x: ss.ellipap(2, x[0], 20 + x[1])[2],
    "place_poles": lambda x: (
        ss.place_poles(
            np.array([[0.0, 1.0], [1.0, 2.0]]) * x[0], np.array([[1.0], [0.5]]), -np.cumsum(x[1:3])
        ).gain_matrix
    ),
    "response of a system": lambda x: ss.lsim(
        ([[-1.0, 0.0], [x[0], -2.0]], [[1.0], [x[1]]], np.eye(2), np.zeros((2, 1))),
        [0.0, *x[2:]],
        [0.0, 0.5, 1.0],
    )[1],
    "response of a system, held": lambda x: ss.lsim(
        (x[:1], [1.0, x[1]]), x[2:], [0.5, 1.0], X0=[0.3], interp=False
    )[1],
    "response to an impulse": lambda x: ss.impulse((x[:1], [1.0, x[1]]), T=[0.0, 0.5, 1.0])[1],
    "response to a step": lambda x: ss.TransferFunction(x[:1], [1.0, x[1]]).step(N=3),
}

PEAKS = {  # at a point of six numbers
    "argrelextrema": lambda x: x[ss.argrelextrema(x, np.greater)],
    "argrelmax": lambda x: x[ss.argrelmax(x, order=2)[0]],
    "argrelmin": lambda x: x[ss.argrelmin(x, mode="wrap")[0]] * x[0],
    "find_peaks": lambda x: ss.find_peaks(x, height=0, threshold=0)[1],
    "find_peaks, prominence": lambda x: ss.find_peaks(x, prominence=x[0] / 9)[1]["prominences"],
    "find_peaks, width": lambda x: ss.find_peaks(x, width=0, rel_height=0.4)[1],
    "peak_prominences": lambda x: ss.peak_prominences(x, [2])[0],
    "peak_widths": lambda x: ss.peak_widths(x[:5], [2], rel_height=x[5] / 2),
    "peak_widths, data": lambda x: ss.peak_widths(
        x[:5], [2], prominence_data=(x[5:], np.array([1]), np.array([4]))
    ),
    "find_peaks_cwt": lambda x: x[ss.find_peaks_cwt(x, [1.0])],
    "iirdesign": lambda x: ss.iirdesign(x[1] / 2, 0.8, 1.0, 20.0)[0],
    "unique_roots": lambda x: ss.unique_roots(x[:3])[0],
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
    "csd, one and several": lambda x: ss.csd(x[:2], x[2:].reshape(2, 2), nperseg=2)[1].real,
    "coherence, several and one": lambda x: ss.coherence(
        np.outer([1.0, 2.0], 1 / x[:4]), x[2:], nperseg=2, noverlap=1
    )[1],
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
    "istft, several": lambda x: ss.istft(
        x.reshape(2, 3, 1) * (1 + 1j), window="boxcar", nperseg=4, boundary=False
    )[1],
    "istft, times first": lambda x: ss.istft(
        x.reshape(2, 3) * (1 + 1j),
        window="boxcar",
        nperseg=4,
        time_axis=0,
        freq_axis=1,
        boundary=False,
    )[1],
    "istft, fs": lambda x: ss.istft(
        x[:4].reshape(2, 2) * (1 + 1j), x[4], "boxcar", nperseg=2, scaling="psd"
    ),
    "istft, window": lambda x: ss.istft(
        x[:4].reshape(2, 2) * (1 + 1j), 1.0, ("kaiser", x[5]), nperseg=2
    )[1],
    "welch, fs": lambda x: ss.welch(SITES, x[0], nperseg=4),
    "welch, window": lambda x: ss.welch(SITES, window=("kaiser", x[0]), nperseg=4)[1],
    "csd, fs": lambda x: ss.csd(SITES, HEIGHTS, x[0], nperseg=4, detrend=False)[1].real,
    "csd, frequencies": lambda x: ss.csd(SITES, HEIGHTS, x[0], nperseg=4)[0],
    "csd, lengths": lambda x: abs(ss.csd(x, SITES[:4], nperseg=4)[1]),
    "periodogram, fs": lambda x: ss.periodogram(x[:3], x[3], scaling="spectrum"),
    "spectrogram, fs": lambda x: ss.spectrogram(SITES, x[0], nperseg=4)[1:],
    "spectrogram, magnitude fs": lambda x: ss.spectrogram(
        SITES, x[0], nperseg=4, mode="magnitude", detrend=False
    )[2],
    "spectrogram, phase": lambda x: ss.spectrogram(x, nperseg=4, noverlap=3, mode="phase")[2][1:2],
    "stft, fs": lambda x: ss.stft(x[:4], x[4], nperseg=2, scaling="psd")[2].real,
    "stft, window": lambda x: ss.stft(SITES, window=x[:3], nperseg=3, boundary=None)[2].real,
    "coherence, window": lambda x: ss.coherence(SITES, HEIGHTS, window=x[:3])[1][:1],
    "resample, spectrum": lambda x: ss.resample(x[:3], 4, domain="freq").real,
    "resample, shape": lambda x: ss.resample(SITES, 4, window=("kaiser", x[0])),
    "resample, traced times": lambda x: ss.resample(SITES, 4, x)[1],
    "czt, ratio": lambda x: abs(ss.czt(x[:3], 2, np.exp(-1j * x[3]), x[4])),
    "zoom_fft, range": lambda x: abs(ss.zoom_fft(SITES, x[:2] / 2, 3, fs=x[2] + 3)),
    "cspline1d, traced": lambda x: ss.cspline1d(SITES, x[0]),
    "cspline1d_eval, spacing": lambda x: ss.cspline1d_eval(SITES, [0.5, 1.5], x[0] + 1, x[1] - 1),
}

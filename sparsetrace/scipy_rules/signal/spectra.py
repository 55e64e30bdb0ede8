"""``scipy.signal``'s spectra: of windows of a signal, and of the whole of it.

Contract: the spectrum of a window is linear in the window's samples; its matrix is taken from
unit impulses, where it is not too large, and has no zeros else.  Powers are products of such
spectra.  Frequencies and times are multiples of the sampling frequency and of its inverse.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from sparsetrace.operands.operands import contains_traced, dtype_of, is_traced
from sparsetrace.scipy_rules.impulses import LARGEST, along, dense_along, linear
from sparsetrace.scipy_rules.points import polynomial_of
from sparsetrace.scipy_rules.rule_tools import Call, array_of, constant, without_numbers
from sparsetrace.scipy_rules.whole import unknown_of, whole, whole_if_traced

_ROUNDING = 1e-14
_OF_ANGLES = 1e-12
"""A power of a number on the unit circle is off by so much, beside its size."""
_SEGMENT = 256
"""The length of a window that is not told, in SciPy."""


@dataclass(slots=True)
class _Windows:
    """How a signal is cut into windows, and what is done to each."""

    window: Any
    nperseg: int
    noverlap: int
    nfft: Any
    detrend: Any
    return_onesided: bool

    @classmethod
    def of(cls, call: Call, n: int, options: dict[str, Any]) -> _Windows:
        """From the options of a function, as SciPy fills them in for a signal of length n."""
        for name, option in options.items():
            if name != "window":
                constant(call, option, name)
        window, detrend = options["window"], options["detrend"]
        if callable(detrend):
            call.refuse("a function as detrend has no rule", "Use 'constant' or 'linear'.")
        if isinstance(window, str | tuple):
            nperseg = min(int(options["nperseg"] or _SEGMENT), n)
        else:
            nperseg = len(window)
        if contains_traced(window):
            window = (
                sys.modules["scipy.signal"].get_window(window, nperseg)
                if isinstance(window, str | tuple)
                else array_of(window)
            )
        noverlap = options["noverlap"]
        noverlap = nperseg // 2 if noverlap is None else int(noverlap)
        onesided = bool(options["return_onesided"])
        return cls(window, nperseg, noverlap, options["nfft"], detrend, onesided)

    def spectra(self, x) -> Any:
        """Along the last axis: frequencies before times."""
        starts = np.arange(0, x.shape[-1] - self.nperseg + 1, self.nperseg - self.noverlap)
        segments = x[..., starts[:, None] + np.arange(self.nperseg)]
        window, detrend, scale = self.window, self.detrend, None
        if contains_traced(window):  # what a constant one does, and the norm of this one
            if detrend:
                segments = sys.modules["scipy.signal"].detrend(segments, type=detrend)
            segments, detrend, scale = segments * window, False, unknown_of(window)
            window = "boxcar"
        is_complex = dtype_of(segments).kind == "c"

        def function(signal):
            return sys.modules["scipy.signal"].stft(
                signal * (1.0 + 0j) if is_complex else signal,
                window=window,
                nperseg=self.nperseg,
                noverlap=0,
                nfft=self.nfft,
                detrend=detrend,
                return_onesided=self.return_onesided and not is_complex,
                boundary=None,
                padded=False,
            )[2][..., 0]

        if not is_traced(segments):
            result = function(segments)
        elif self.nperseg > LARGEST:
            count = len(function(np.zeros(self.nperseg)))
            result = dense_along(segments * (1.0 + 1.0j), -1, count)
        else:
            result = linear(segments, function, segments.ndim - 1, tolerance=_ROUNDING)
        # a scale that is a constant is left out
        result = without_numbers(result) if scale is None else result * scale
        return np.swapaxes(result, -1, -2)


def _last(x, axis: int) -> tuple[Any, int]:
    """The signal's axis last, and its number."""
    x = array_of(x)
    axis = normalize_axis_index(axis, x.ndim)
    return np.moveaxis(x, axis, -1), axis


def _power(z, other=None) -> Any:
    if other is not None:
        return np.conj(z) * other
    return np.real(z) ** 2 + np.imag(z) ** 2


def _frequencies(call: Call, *signals, fs, window, **options) -> Any:
    """Frequencies, and times: from a run on zeros, which also checks the arguments."""
    zeros = (np.zeros(np.shape(x), dtype_of(x)) for x in signals)
    if contains_traced(window):
        window = "boxcar" if isinstance(window, str | tuple) else np.ones(len(window))
    rate = 1.0 if contains_traced(fs) else fs
    with np.errstate(all="ignore"):
        places = call.plainly(*zeros, fs=rate, window=window, **options)[:-1]
    if rate is fs:
        return places
    return places[0] * fs, *(times / fs for times in places[1:])


def _density(power, fs, scaling: str) -> Any:
    """Powers by frequency, where a sampling frequency of which they depend is traced."""
    return power / fs if contains_traced(fs) and scaling == "density" else power


def _averaged(powers, average: str) -> Any:
    return np.median(powers, axis=-1) if average == "median" else np.mean(powers, axis=-1)


def welch(
    call, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
):
    options = {
        "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft,
        "detrend": detrend, "return_onesided": return_onesided,
    }  # fmt: skip
    (f,) = _frequencies(call, x, fs=fs, scaling=scaling, axis=axis, average=average, **options)
    x, axis = _last(x, axis)
    z = _Windows.of(call, x.shape[-1], options).spectra(x)
    power = _density(_averaged(_power(z), average), fs, scaling)
    return f, np.moveaxis(power, -1, axis)


def csd(
    call,
    x,
    y,
    fs,
    window,
    nperseg,
    noverlap,
    nfft,
    detrend,
    return_onesided,
    scaling,
    axis,
    average,
):
    options = {
        "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft,
        "detrend": detrend, "return_onesided": return_onesided,
    }  # fmt: skip
    (f,) = _frequencies(call, x, y, fs=fs, scaling=scaling, axis=axis, average=average, **options)
    first, second = _pair(call, x, y, axis)
    windows = _Windows.of(call, first.shape[-1], options)
    products = _power(windows.spectra(first), windows.spectra(second))
    if average == "median":  # of the two parts, each by itself
        result = np.median(np.real(products), axis=-1) + 1j * np.median(np.imag(products), axis=-1)
    else:
        result = np.mean(products, axis=-1)
    return f, np.moveaxis(_density(result, fs, scaling), -1, axis)


def _pair(call: Call, x, y, axis: int) -> tuple[Any, Any]:
    """Two signals, the shorter one with zeros behind it; over the other axes they broadcast."""
    if axis >= 0 and np.ndim(x) != np.ndim(y):  # versions of SciPy differ
        call.refuse("one signal has more axes than the other", "Give both as many, x[:, None].")
    (first, _), (second, _) = _last(x, axis), _last(y, axis)
    n = max(first.shape[-1], second.shape[-1])
    first, second = (_with_zeros(s * 1.0, 0, n - s.shape[-1]) for s in (first, second))
    return first, second


def coherence(call, x, y, fs, window, nperseg, noverlap, nfft, detrend, axis):
    options = {
        "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft,
        "detrend": detrend,
    }  # fmt: skip
    (f,) = _frequencies(call, x, y, fs=fs, axis=axis, **options)
    first, second = _pair(call, x, y, axis)
    windows = _Windows.of(call, first.shape[-1], {**options, "return_onesided": True})
    a, b = windows.spectra(first), windows.spectra(second)
    cross = _power(np.mean(_power(a, b), axis=-1))
    result = cross / np.mean(_power(a), axis=-1) / np.mean(_power(b), axis=-1)
    return f, np.moveaxis(result, -1, axis)


def periodogram(call, x, fs, window, nfft, detrend, return_onesided, scaling, axis):
    options = {"window": window, "detrend": detrend, "return_onesided": return_onesided}
    (f,) = _frequencies(call, x, fs=fs, nfft=nfft, scaling=scaling, axis=axis, **options)
    x, axis = _last(x, axis)
    constant(call, nfft, "nfft")
    n = x.shape[-1]
    if nfft is not None and nfft < n:
        x, n, nfft = x[..., :nfft], int(nfft), None
    options["window"] = "boxcar" if window is None else window
    whole = {**options, "nperseg": n, "noverlap": 0, "nfft": nfft}
    z = _Windows.of(call, n, whole).spectra(x)
    return f, np.moveaxis(_density(_power(z)[..., 0], fs, scaling), -1, axis)


def spectrogram(
    call, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, mode
):
    options = {
        "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft,
        "detrend": detrend, "return_onesided": return_onesided,
    }  # fmt: skip
    f, t = _frequencies(call, x, fs=fs, scaling=scaling, axis=axis, mode=mode, **options)
    x, axis = _last(x, axis)
    windows = _Windows.of(call, x.shape[-1], options)
    if noverlap is None:
        windows.noverlap = windows.nperseg // 8
    z = np.moveaxis(windows.spectra(x), -2, axis)
    if mode == "psd":
        return f, t, _density(_power(z), fs, scaling)
    if mode in ("angle", "phase"):
        angles = np.angle(z)
        return f, t, np.unwrap(angles, axis=-1) if mode == "phase" else angles
    z = _density(z, np.sqrt(fs), scaling)
    return f, t, z if mode == "complex" else np.abs(z)


# ---------------------------------------------------------------- and their inverse
def stft(
    call, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, boundary, padded, axis,
    scaling="spectrum",
):  # fmt: skip
    options = {
        "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft,
        "detrend": detrend, "return_onesided": return_onesided,
    }  # fmt: skip
    f, t = _frequencies(
        call, x, fs=fs, boundary=boundary, padded=padded, axis=axis, scaling=scaling, **options
    )
    x, axis = _last(x, axis)
    windows = _Windows.of(call, x.shape[-1], options)
    n = windows.nperseg
    x = _extended(x, boundary, n // 2)
    if padded:
        step = n - windows.noverlap
        x = _with_zeros(x, 0, (-(x.shape[-1] - n) % step) % n)
    z = np.moveaxis(windows.spectra(x), -2, axis)
    return f, t, z / np.sqrt(fs) if scaling == "psd" and contains_traced(fs) else z


def _with_zeros(x, before: int, behind: int) -> Any:
    sides = [np.zeros((*x.shape[:-1], count)) for count in (before, behind)]
    return np.concatenate([sides[0], x, sides[1]], axis=-1)


def _extended(x, boundary: str | None, count: int) -> Any:
    if boundary is None or not count:
        return x
    if boundary == "zeros":
        return _with_zeros(x, count, count)
    if boundary == "constant":
        ends = np.repeat(x[..., :1], count, -1), np.repeat(x[..., -1:], count, -1)
    else:
        ends = x[..., count:0:-1], x[..., -2 : -(count + 2) : -1]
        if boundary == "odd":
            ends = 2 * x[..., :1] - ends[0], 2 * x[..., -1:] - ends[1]
    return np.concatenate([ends[0], x, ends[1]], axis=-1)


def istft(
    call, Zxx, fs, window, nperseg, noverlap, nfft, input_onesided, boundary, time_axis, freq_axis,
    scaling="spectrum",
):  # fmt: skip
    """Linear in the real and in the imaginary parts."""
    given = array_of(Zxx)
    z = np.moveaxis(given, (freq_axis, time_axis), (-2, -1))
    rate, fs = fs, 1.0 if contains_traced(fs) else fs
    if contains_traced(window):
        z = z * unknown_of(window)
        window = "boxcar" if isinstance(window, str | tuple) else np.ones(len(window))
    shape, lead = z.shape[-2:], z.shape[:-2]
    size = shape[0] * shape[1]
    options = {
        "fs": fs, "window": window, "nperseg": nperseg, "noverlap": noverlap, "nfft": nfft,
        "input_onesided": input_onesided, "boundary": boundary, "scaling": scaling,
    }  # fmt: skip
    for name, option in options.items():
        constant(call, option, name)
    t, sample = call.original(np.zeros(shape, complex), **options)
    if lead:  # of several signals, how many times SciPy gives is not that of one
        t, _ = call.original(
            np.zeros(given.shape, complex), **options, time_axis=time_axis, freq_axis=freq_axis
        )
    if rate is not fs:
        t = t / rate
        if scaling == "psd":
            z = z * np.sqrt(rate)
        if not is_traced(z):  # a constant spectrum, at known times or not
            return t, call.original(z, **options, time_axis=-1, freq_axis=-2)[1]
    flat = z.reshape(*lead, size)
    if size > 2 * LARGEST:
        x = dense_along(flat, -1, len(sample))
    else:
        units = np.eye(size).reshape(size, *shape)
        parts = [np.abs(call.original(units * unit, **options)[1]) for unit in (1.0, 1.0j)]
        matrix = parts[0] + parts[1]
        matrix[matrix <= _ROUNDING * matrix.max(axis=1, keepdims=True)] = 0
        x = along(flat, scipy.sparse.csr_array(matrix.T), -1)
    if input_onesided:
        x = np.real(x)
    time, frequency = (axis % given.ndim for axis in (time_axis, freq_axis))
    return t, np.moveaxis(x, -1, time - (frequency < time))


# -------------------------------------------------------------- of the whole signal
def _linear(call: Call, x, axis: int, *args, is_complex: bool = False, **options) -> Any:
    """A linear function along an axis."""
    for option in (*args, *options.values()):
        constant(call, option, "an option")
    x = array_of(x)
    axis = normalize_axis_index(axis, x.ndim)

    def function(signal):
        return call.original(signal, *args, axis=-1, **options)

    n = x.shape[axis]
    if n <= LARGEST:
        return linear(x, function, axis, tolerance=_ROUNDING)
    count = len(function(np.zeros(n)))
    return dense_along(x * (1.0 + 1.0j) if is_complex else x, axis, count)


def hilbert(call, x, N, axis):
    return _linear(call, x, axis, N, is_complex=True)


def hilbert2(call, x, N, axes=(-2, -1)):  # SciPy before 1.17 has no axes
    x, axes = np.atleast_2d(array_of(x)), tuple(axes)
    shape = x.shape[axes[0]], x.shape[axes[1]]
    shape = shape if N is None else (int(N),) * 2 if np.ndim(N) == 0 else tuple(N)
    return np.fft.ifft2(np.fft.fft2(x, shape, axes), axes=axes)


def resample(call, x, num, t, axis, window, domain):
    if callable(window):
        constant(call, window.__defaults__ or (), "the window")
    if domain != "time" or contains_traced(window):
        y = whole(call, x, int(num), None, axis, window, domain)
    elif contains_traced(x):
        y = _linear(call, x, axis, int(num), window=window)
    else:
        y = call.original(x, int(num), axis=axis, window=window)
    if t is None:
        return y
    n = np.shape(x)[axis]
    return y, np.arange(num) * (t[1] - t[0]) * n / float(num) + t[0]


def decimate(call, x, q, n, ftype, axis, zero_phase):
    return _linear(call, x, axis, q, n=n, ftype=ftype, zero_phase=zero_phase)


def czt(call, x, m, w, a, axis):
    """``sum of x[n] a^-n w^(n k)``: no factor is zero, but parts of them are."""
    x, axis = _last(x, axis)
    n = x.shape[-1]
    m = n if m is None else int(m)
    w = np.exp(-2j * np.pi / m) if w is None else w
    places = np.arange(n)
    if contains_traced((w, a)):
        result = (x * a**-places) @ w ** np.multiply.outer(places, np.arange(m))
    elif max(n, m) > LARGEST:
        result = dense_along(x * (1.0 + 1.0j), -1, m)
    else:
        a, w = complex(a), complex(w)
        factors = a ** -places[:, None] * w ** np.multiply.outer(places, np.arange(m))
        result = x @ _without_rounding(factors)
    return np.moveaxis(result, -1, axis)


def _without_rounding(z: NDArray[Any]) -> NDArray[Any]:
    """Complex numbers without a part that is a rounding error beside the other."""
    small = _OF_ANGLES * np.abs(z)
    real, imag = (np.where(np.abs(part) <= small, 0, part) for part in (z.real, z.imag))
    return real + 1j * imag


def zoom_fft(call, x, fn, m, fs, endpoint, axis):
    first, last = (0.0, fn) if np.size(fn) == 1 else fn
    m = np.shape(x)[axis] if m is None else int(m)
    steps = max(m - 1, 1) if endpoint else m
    w, a = (np.exp(factor * 2j * np.pi / fs) for factor in ((first - last) / steps, first))
    return czt(call, x, m, w, a, axis)


@whole_if_traced("lamb")
def cspline1d(call, signal, lamb):
    return _by_units(call, signal, lambda unit: call.original(unit, lamb))


qspline1d = cspline1d


def _by_units(call: Call, x, function) -> Any:
    """A linear function of one axis alone."""
    x = array_of(x)
    if x.ndim != 1:
        call.refuse("it is given more than one signal", "Loop over them and use np.stack.")
    rows = [function(unit) for unit in np.eye(len(x))]
    return along(x, scipy.sparse.csr_array(np.array(rows).T), -1)


def cspline1d_eval(call, cj, newx, dx, x0):
    if contains_traced((newx, dx, x0)):
        newx = (array_of(newx) - x0) / dx
        if contains_traced(cj):
            return polynomial_of([newx, cj.sum() * unknown_of()], [2, 1], float)
        degree = 2 if call.name.endswith("qspline1d_eval") else 3
        return polynomial_of([array_of(newx)], [degree], float)
    places = np.asarray(newx, float)
    result = _by_units(call, cj, lambda unit: call.original(unit, places.reshape(-1), dx, x0))
    return result.reshape(places.shape)


qspline1d_eval = cspline1d_eval

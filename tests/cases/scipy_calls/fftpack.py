"""scipy.fftpack: functions of four traced numbers."""

from __future__ import annotations

import numpy as np
import scipy.fftpack as sf

FFTPACK = {
    "fft": lambda x: abs(sf.fft(x)[1:2]),
    "fft, longer": lambda x: sf.fft(x.reshape(2, 2), 3, axis=0).real,
    "ifft": lambda x: sf.ifft(x * (1 + 2j)).real,
    "fft2": lambda x: sf.fft2(x.reshape(2, 2)).real,
    "ifftn": lambda x: sf.ifftn(x.reshape(2, 2), axes=1).real,
    "rfft": lambda x: sf.rfft(x),
    "rfft, rows": lambda x: sf.rfft(x.reshape(2, 2), 4, axis=0),
    "irfft": lambda x: sf.irfft(x, 5),
    "dct": lambda x: sf.dct(x, 3),
    "idst": lambda x: sf.idst(x, norm="ortho"),
    "dctn": lambda x: sf.dctn(x.reshape(2, 2)),
    "diff": lambda x: sf.diff(x, 2),
    "diff, odd": lambda x: sf.diff(x[:3], period=2.0),
    "shift": lambda x: sf.shift(x, np.pi / 2),
    "shift, between": lambda x: sf.shift(x, 0.3),
    "tilbert": lambda x: sf.tilbert(x, 0.5),
    "itilbert": lambda x: sf.itilbert(x, 0.5),
    "hilbert": lambda x: sf.hilbert(x),
    "ihilbert": lambda x: sf.ihilbert(x),
    "cs_diff": lambda x: sf.cs_diff(x, 0.5, 0.6),
    "sc_diff": lambda x: sf.sc_diff(x, 0.5, 0.6),
    "ss_diff": lambda x: sf.ss_diff(x, 0.5, 0.6),
    "cc_diff": lambda x: sf.cc_diff(x, 0.5, 0.6),
    "shift, traced": lambda x: sf.shift(x[:3], x[3]),
    "shift, traced both": lambda x: sf.shift(x[:2].repeat([3, 2]), x[2] / 3, x[3]),
    "cc_diff, signal": lambda x: sf.cc_diff(x[:3], x[3], 3 - x[3]),
    "diff, period": lambda x: sf.diff([0.3, 0.1, 0.9, 0.4], period=x[0]),
    "tilbert, traced": lambda x: sf.tilbert([0.3, 0.1, 0.9], x[0], 6 + x[1]),
    "cc_diff, traced": lambda x: sf.cc_diff([0.3, 0.1, 0.9, 0.7, 0.2], x[0], x[1]),
}

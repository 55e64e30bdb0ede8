"""Functions that cannot be traced; each must be refused with a way out."""

import numpy as np
import scipy.linalg
import scipy.ndimage
import scipy.signal

BYTES = np.frombuffer(bytearray(32))
LOOKUP = [float(i) for i in range(100)]


def newton(x):
    steps = [x[0]]
    while abs(steps[-1] ** 2 - x[1]) > 1e-8:
        steps.append((steps[-1] + x[1] / steps[-1]) / 2)
    return steps[-1]


def counted_mask(x):
    every = np.concatenate([x] * 40)
    return every[: len(every[every > 1.0])].sum()


def python_lookup(x):
    return LOOKUP[int(x[0])] * x[1]


def global_array(x):
    BYTES[0] = x[0]
    return BYTES.sum()


def band_width(x):
    return scipy.linalg.bandwidth(x.reshape(2, 2))


def swallowed(x):
    try:
        return scipy.linalg.bandwidth(x.reshape(2, 2))
    except Exception:
        return np.zeros(2)


def repeated(x):
    return scipy.ndimage.iterate_structure(x, 2)


def peaks(x):
    return scipy.signal.find_peaks_cwt(x, [1.0]) * x[0]

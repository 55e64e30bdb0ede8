"""Transforms, moves and reductions of whole arrays."""

import numpy as np
import scipy.fft
from scipy import special
from scipy.optimize import rosen, rosen_der


def spectrum(x):
    return np.abs(scipy.fft.fft(x)) ** 2


def cosine(x):
    return scipy.fft.dct(x, norm="ortho")


def low_pass(x):
    c = scipy.fft.rfft(x)
    c[2:] = 0
    return scipy.fft.irfft(c, n=len(x))


def scipy_rosen(x):
    return rosen(x)


def scipy_rosen_gradient(x):
    return rosen_der(x)


def log_sum_exp(x):
    return special.logsumexp(x), special.softmax(x)


def statistics(x):
    return x.mean(), x.std(), x.max() - x.min(), np.median(x)


def moving_average(x):
    return np.convolve(x, [0.5, 0.0, 0.5], mode="valid")


def on_grids(x):
    y, z = np.mgrid[-x[0] : 3 * x[0] : 3j, 0.0 : x[1] : 2j]
    u, v = np.ogrid[: x[1] : 3j, 0:2]
    return y * z, u + x[2] * v, np.mgrid[: x[2] : 4j]


def assembled(x):
    return np.r_[x[:1], 2.0, x[1:] ** 2], np.c_[x, x[::-1]], np.append(x, 1.0)

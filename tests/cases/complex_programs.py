"""Complex arithmetic on three numbers each: steps from which random programs are made.

A step is an expression, of one complex vector ``z`` and another, ``w``, of a real one ``r``
and another, ``s``; constants are in `CONSTANTS`.  It gives a complex or a real vector of three.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as sl
import scipy.ndimage as nd
import scipy.signal as ss
import scipy.sparse as sp

CONSTANTS: dict[str, Any] = {
    **{"np": np, "sl": sl, "nd": nd, "ss": ss, "sp": sp},
    "at": ([0, 1, 2], [1, 2, 0]),
    "A": np.array([[0.0, 1.3, 0.0], [0.7, 0.0, -0.4], [0.0, 0.0, 2.0]]),
    "C": np.array([[0.3j, 0.0, 1.1], [0.0, 0.5 - 0.2j, 0.0], [0.9, 0.0, -0.6j]]),
    "Y": sp.csr_array(np.array([[1.0j, 0.0, 0.4], [0.0, 0.7, 0.0], [0.2 + 0.1j, 0.0, 0.0]])),
    "B": sp.csr_array(np.array([[0.0, 0.0, 0.8], [0.3, 0.5, 0.0], [0.0, 1.7, 0.0]])),
    "c": np.array([1.2j, 0.4, 0.3 - 0.8j]),
    "d": np.array([0.0, 0.9, -0.2]),
    "M": np.array([True, False, True]),
}

TO_COMPLEX = """
z + w; z - w; z * w; z / (w + 4); -z; +z; z.conj(); np.conjugate(w); z + r; r - z; z * r; r * z
z / (r + 4); 1 / (z + 5); r / (z + 4); z * 1j; 2 * z; z * (0.5 - 1j); z * c; z / c; c / (z + 4)
z * d; d - z; r + 1j * s; r * 1j; 1j * r - 2; r * c; r / c; r + c; np.exp(1j * r); np.exp(z / 9)
np.log(z + 9); np.sqrt(z + 9); np.sin(z); z ** 2; (z + 5) ** -1; np.square(z); np.reciprocal(z + 5)
C @ z; z @ C; A @ z; C @ r; Y @ z; B @ z; Y @ r; (Y * z).toarray()[0]
B.multiply(r).toarray()[0] * 1j
np.dot(C, z); np.einsum('ij,j->i', C, z); np.einsum('i,i->i', z, w); np.outer(z, w)[:, 1]
np.outer(z, r)[1]; np.tensordot(C, w, 1); np.inner(C, z); np.kron(z, [1j])[:3]
np.convolve(z, [1j, 2])[:3]; np.convolve(z, r)[1:4]; np.correlate(z, [1j, 0.5, 0], 'same')
np.vdot(z, w) * c; np.vecdot(z, w) * c; np.cumsum(z); np.sum(z) * c; z.mean() + w; z[::-1]
np.roll(z, 1); np.flip(w); z[[2, 0, 1]]; np.take(z, [1, 1, 0]); np.where(M, z, w)
np.where(M, z, r); np.where(r > 1, z, w); np.where(r > 1, z, 1j); np.where(r > 1, r, z)
np.select([r > 1, s > 1], [z, w], 0.5j); np.choose([0, 1, 0], [z, w])
np.concatenate([z[:2], r[:1]])
np.hstack([r[:1], w[1:]]); np.stack([z, w])[:, 0].repeat(2)[:3]; np.append(z[1:], 2j)
np.insert(z[:2], 1, r[0]); np.tile(z[:1], 3); z.reshape(3, 1)[:, 0]; np.fft.fft(z); np.fft.fft(r)
np.fft.ifft(z); np.fft.rfft(np.append(r, s[:1]))[:3]; np.fft.fft2(np.outer(r, [1, 2]))[:, 0]
r.astype(complex) + w; np.array([z[0], r[1], w[2]]); np.stack([z[0], 1j * z[1], 0.5 * r[0]])
np.interp(d, [-1, 0, 2], z); np.trapezoid(np.outer(z, w), axis=0); np.gradient(z) + w
np.diff(z, prepend=1j); np.ediff1d(z, to_begin=r[0]); np.pad(z[:1], 1, constant_values=2j)
np.polyval([1j, 0.5], z); np.polymul(z[:2], w[:2]); np.linspace(z[0], w[1], 3); np.cross(z, w)
np.nan_to_num(z); np.add.outer(z[:1], w)[0]; np.multiply.outer(r[:1], w)[0]
np.add.reduceat(z, [0, 1, 2]); np.add.accumulate(z); np.subtract.reduce(np.stack([z, w]))
np.prod(np.stack([z, w]), 0)
z[0] * w + z[1]; w[2] * 1j + r; z[0] * c; np.linalg.solve(C + 3 * np.eye(3), z)
np.asarray(z, np.complex64).astype(complex) * w; np.round(z, 3) + w; np.maximum(r, 0) * z
written(z, r); both_written(r, s); one_written(z, s); added_at(z, w); put(z, r)
mask_written(z, w, r); np.stack([r, s], -1).view(complex)[:, 0]; pairs_written(z, r)
pairs_of_a_buffer(r); complex_written(r, w); turned(z.copy().view(float)).view(np.complex128)
buffer(z, r); by_elements(r, s); viewed(z, r); from_python(r, s); out_given(z, r); picked(z, r)
"""

TO_REAL = """
z.real; z.imag; np.real(w); np.imag(z * w); np.abs(z); np.angle(z + 4); (z * w.conj()).real; r * s
(z * z.conj()).real; np.abs(z) ** 2; np.hypot(z.real, w.imag); (C @ z).imag; (z * 1j).imag
np.real(z * np.conj(C @ z)); (z / (w + 5)).real; np.fft.irfft(z, 3); np.fft.fft(r).imag; r + s
np.sum(z.real) + r; np.array([v.imag for v in z]); np.array([(v * 2j).real for v in z]); r[::-1]
np.real_if_close(z.real); np.where(r > 1, z.real, w.imag); (Y @ z).real; (B @ z).imag; np.sin(r)
np.fft.hfft(z, 3); abs(z[0]) + r; (1 / (z + 5)).imag; (z * 1).view(float)[1:4]
np.stack([z, w]).view("f8").reshape(2, 3, 2)[1, :, 1]; (z[:2] * 2).view(float)[1:]
(z * 1).astype(np.complex64).view(np.float32)[:3]; complex_read(r, s)
"""

SCIPY = """
ss.convolve(z, w); ss.fftconvolve(z, [1j, 2]); ss.correlate(z, [1j, 2]); ss.hilbert(x)
ss.lfilter([1, 0.5j], [1, 0.3], z); ss.lfilter([1, 0.5], [1, 0.3j], x); ss.upfirdn([1, 1j], r)
ss.sosfilt([[1, 0.5, 0, 1, 0.2, 0]], z); ss.filtfilt([1, 0.5], [1.0], z, padlen=1); ss.detrend(z)
sl.toeplitz(z); sl.circulant(z); nd.convolve1d(z, [1, 2.0, 0]); nd.gaussian_filter1d(z, 1.0)
sp.diags_array(z) @ c; sp.csr_array((z, at)) @ w; (sp.csr_array((z, at)) * 1j).toarray()
sp.csr_array((z, at)).conj().T.toarray(); sp.csr_array((z, at)).imag.toarray() * 1j
(sp.csr_array((z, at)) + sp.csr_array((r, at))).toarray(); sp.kron(sp.csr_array((z, at)), [[1j]])
(sp.csr_array((z, at)) @ sp.csr_array(C)).toarray(); z @ sp.csr_array(C); Y.dot(z)
sp.block_array([[sp.diags_array(z), sp.diags_array(r)]]).toarray(); abs(sp.csr_array((z, at)))
np.ma.sum(np.ma.array(z, mask=[0, 1, 0])) * c; np.ma.array(z * 1j, mask=[0, 0, 1]).filled(0)
np.ma.cumsum(np.ma.array(z, mask=[0, 1, 0])).filled(0)
"""
COVERED = """
np.histogram([0.1, 0.2, 0.9], [0, 0.5, 1], weights=z)[0]; np.polyfit([0, 1, 2], z, 1)
np.linalg.inv(np.outer(z, w) + 9 * np.eye(3)); np.linalg.qr(np.outer(z, w) + C)[0]; np.var(z) * c
np.linalg.cholesky(np.outer(z, z.conj()) + 9 * np.eye(3)); np.geomspace(z[0], w[0], 3); z ** r
np.cumprod(z); np.roots([1, z[0], 1 + z[1]]); np.cov(np.stack([z, w])); np.vander(z); np.sinc(z)
np.polydiv(r, z[:2])[1]; np.emath.log(r - 2); np.emath.sqrt(r - 2); ss.resample(z, 5); ss.czt(z)
ss.stft(x, nperseg=4)[2]; ss.csd(x, x[::-1] ** 2, nperseg=4)[1]
ss.istft(np.outer(z, w), nperseg=4)[1]
sl.solve(C + np.diag(z) + 3 * np.eye(3), w); sl.expm(np.diag(z)); np.sort_complex(z); np.median(z)
sl.sqrtm(np.outer(z, w) + 9 * np.eye(3)); np.frompyfunc(lambda a: a * 1j, 1, 1)(z).astype(complex)
"""


def pairs_written(z, r):
    """What is written into either view shows in the other, and in what both are views of."""
    y = z * 2
    pairs = y.view(float)
    pairs[1::2] = r
    y[0] += 1j
    pairs[2] *= 3
    y.real[2] = 0.0
    return y + pairs[4]


def pairs_of_a_buffer(r):
    y = np.zeros(3, complex)
    y.view(float)[[0, 3, 5]] = r
    return y


def complex_written(r, w):
    pairs = np.append(r, r)
    y = pairs.view(complex)
    y[1:] = w[:2]
    y *= 1j
    pairs[0] = 0.0
    return y + pairs[4]


def complex_read(r, s):
    y = np.stack([r, s], -1).view(complex)[:, 0] * 1j
    return y.imag + y.view(float)[0]


def turned(u):
    """Complex numbers as a solver keeps them, as pairs of real ones."""
    return (1j * u.view(complex)).view(float) + np.array([0.0, 1.0] * 3)


def written(z, r):
    y = z * 2
    y.real = r
    return y


def both_written(r, s):
    y = np.empty(3, complex)
    y.real, y.imag = r, s
    return y


def one_written(z, s):
    y = z.copy()
    y.imag[1:] = s[:2]
    y.real[0] *= 3
    return y


def added_at(z, w):
    y = z * 1.0
    np.add.at(y, [0, 0, 2], w)
    return y


def put(z, r):
    y = z + 0
    np.put(y, [2], r[:1])
    np.put(y.imag, [0], r[1:2])
    return y


def mask_written(z, w, r):
    y = z.copy()
    np.putmask(y, r > 1, w)
    np.copyto(y, r, where=[False, True, False])
    return y


def buffer(z, r):
    y = np.zeros((2, 3), complex)
    y[0] = z
    y[1, 1:] = 1j * r[1:]
    return y[0] + y[1]


def by_elements(r, s):
    y = np.zeros(3, complex)
    for i in range(3):
        y[i] = complex(r[i], s[2 - i])
    return y


def viewed(z, r):
    y = z.copy()
    part = y.imag
    y[0] = 2j * r[0]
    part[2] = r[2]
    return y + 1j * part[::-1]


def from_python(r, s):
    values = [a.item() + 1j * b.item() for a, b in zip(r, s, strict=True)]
    return np.array([v.conjugate() * (2 - 1j) / v.real if i else v for i, v in enumerate(values)])


def out_given(z, r):
    y = np.zeros_like(z)
    np.multiply(r, 1j, out=y)
    np.add(y, z, out=y, where=[True, False, True])
    return y


def picked(z, r):
    return np.where(r > 1, z, 0).sum() + z[np.argmax(r)] * np.array([1, 1j, 0])


CONSTANTS.update(
    (f.__name__, f)
    for f in (written, both_written, one_written, added_at, put, mask_written, buffer)
)
CONSTANTS.update((f.__name__, f) for f in (pairs_written, pairs_of_a_buffer, complex_written))
CONSTANTS.update((f.__name__, f) for f in (complex_read, turned))
CONSTANTS.update((f.__name__, f) for f in (by_elements, viewed, from_python, out_given, picked))


def steps(text: str) -> list[str]:
    """The expressions of one of the lists above."""
    return [step.strip() for step in text.replace("\n", ";").split(";") if step.strip()]


def program(lines: list[str], result: str) -> Callable[[Any], Any]:
    """The function that runs these lines, on six numbers."""
    codes = [compile(line, "<step>", "exec") for line in lines]
    value = compile(result, "<result>", "eval")

    def run(x: Any) -> Any:
        scope = {
            **CONSTANTS,
            "x": x,
            "r": x[:3],
            "s": x[3:],
            "z": x[1:4] * 0.6 - 1j * x[5:2:-1],
            "w": 2j * x[4:1:-1] + 0.3,
        }
        for code in codes:
            exec(code, scope)
        return eval(value, scope)

    return run


def random_program(seed: int, length: int = 4) -> tuple[list[str], str]:
    """Lines that assign, and what is returned."""
    rng = random.Random(seed)
    lines = []
    for _ in range(length):
        if rng.random() < 0.7:
            lines.append(f"{rng.choice('zw')} = {rng.choice(steps(TO_COMPLEX))}")
        else:
            lines.append(f"{rng.choice('rs')} = {rng.choice(steps(TO_REAL))}")
    return lines, rng.choice(["(z.real, z.imag)", "(r, w.imag)", "(z * w).real", "np.append(r, s)"])

"""Calls of Fourier transforms, norms and linear algebra."""

from __future__ import annotations

import numpy as np
from checks import Cases

case = Cases()
VANISHES = "a cosine that vanishes; complex numbers would not"
CANCELS = "a weight that cancels on an even grid"
COMPLEX = "whether it is real depends on the values"


def grid(x):
    return x.reshape(2, 3)


def square(x, n=3):
    return x.reshape(n, n) + 4 * np.eye(n)


def batch(x):
    return x.reshape(2, 2, 2) + 4 * np.eye(2)


for _name in "fft ifft rfft irfft hfft ihfft".split():
    _f = getattr(np.fft, _name)
    _e = VANISHES if _name in ("irfft", "hfft") else ""
    case(_name, lambda x, f=_f: f(x), 5, extra=_e)
    case(f"{_name} axis", lambda x, f=_f: f(grid(x), axis=0, norm="ortho"), 6)
    case(f"{_name} shorter", lambda x, f=_f: f(grid(x), n=2), 6)
    case(f"{_name} longer", lambda x, f=_f: f(grid(x), 5, -1), 6)
    case(f"{_name} batch", lambda x, f=_f: f(x.reshape(2, 3, 2), axis=-2), 12, extra=_e)
    case(
        f"{_name} then real",
        lambda x, f=_f: f(x).real,
        4,
        extra="the parts of a complex number share one pattern",
    )
for _name in "fft ifft irfft hfft".split():
    _f = getattr(np.fft, _name)
    case(
        f"{_name} of complex numbers",
        lambda x, f=_f: f(x[:3] + 1j * x[3:]),
        6,
        extra="parts that the transform drops belong to the number",
    )
for _name in "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split():
    _f = getattr(np.fft, _name)
    _e = VANISHES if _name in ("irfft2", "irfftn") else ""
    case(_name, lambda x, f=_f: f(x.reshape(2, 2, 3)), 12, extra=_e)
    case(f"{_name} axes", lambda x, f=_f: f(x.reshape(2, 2, 3), axes=(0, -1)), 12, extra=_e)
    case(
        f"{_name} shape", lambda x, f=_f: f(x.reshape(2, 2, 3), s=(1, 4), axes=(1, 2)), 12, extra=_e
    )
    case(f"{_name} one axis", lambda x, f=_f: f(grid(x), axes=[0]), 6)
for _name in "fftfreq rfftfreq".split():
    _f = getattr(np.fft, _name)
    case(_name, lambda x, f=_f: f(x.size, 0.5)[:2] * x[:2], 4)
case("fft of constants and inputs", lambda x: np.fft.fft(np.concatenate([np.ones(2), x])), 2)
case("fft of rows of constants", lambda x: np.fft.fft(np.stack([np.ones(3), x]), axis=1)[0] * x, 3)
case("fft out", lambda x: np.fft.fft(x, out=np.zeros_like(x, dtype=complex)), 3)

for _ord in (None, 2, 1, 3, 0.5, np.inf, -np.inf, -1, 0):
    _p = {"points": 40} if _ord in (np.inf, -np.inf) else {}
    case(f"norm {_ord}", lambda x, o=_ord: np.linalg.norm(x, o), 3, **_p)
    case(f"norm {_ord} axis", lambda x, o=_ord: np.linalg.norm(grid(x), o, axis=0), 6, **_p)
    if _ord is not None:
        case(
            f"vector_norm {_ord}",
            lambda x, o=_ord: np.linalg.vector_norm(grid(x), ord=o, axis=1, keepdims=True),
            6,
            **_p,
        )
        case(
            f"vector_norm {_ord} all",
            lambda x, o=_ord: np.linalg.vector_norm(grid(x), ord=o),
            6,
            **_p,
        )
for _ord in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
    _p = {"points": 40} if _ord in (1, -1, np.inf, -np.inf) else {"points": 4}
    case(f"matrix norm {_ord}", lambda x, o=_ord: np.linalg.norm(grid(x), o), 6, **_p)
    case(
        f"matrix norm {_ord} axes",
        lambda x, o=_ord: np.linalg.norm(x.reshape(2, 2, 2), o, axis=(0, 2)),
        8,
        **_p,
    )
    if _ord is not None:
        case(
            f"matrix_norm {_ord}",
            lambda x, o=_ord: np.linalg.matrix_norm(x.reshape(2, 2, 2), ord=o, keepdims=True),
            8,
            **_p,
        )
case("norm keepdims", lambda x: np.linalg.norm(grid(x), axis=1, keepdims=True), 6)
case("norm keepdims all", lambda x: np.linalg.norm(grid(x), keepdims=True), 6)
case("norm of 3 dimensions", lambda x: np.linalg.norm(x.reshape(2, 2, 2)), 8)
case("norm of complex", lambda x: np.linalg.norm(x * (1 + 1j)), 3)
case(
    "norm with zeros",
    lambda x: np.linalg.norm(np.stack([np.concatenate([x, np.zeros(2)]), np.ones(4)]), axis=1),
    2,
)
case("vector_norm axes", lambda x: np.linalg.vector_norm(x.reshape(2, 2, 2), axis=(0, 2)), 8)

for _name in "inv pinv det cond svdvals".split():
    _f = getattr(np.linalg, _name)
    case(_name, lambda x, f=_f: f(square(x)), 9, points=4)
    case(f"{_name} batch", lambda x, f=_f: f(batch(x)), 8, points=4)
case("inv of a scalar's matrix", lambda x: np.linalg.inv(x[0] * np.eye(2) + np.ones((2, 2))), 2)
case("pinv wide", lambda x: np.linalg.pinv(grid(x)), 6, points=4)
for _p in (1, np.inf, "fro"):
    case(f"cond {_p}", lambda x, p=_p: np.linalg.cond(square(x, 2), p), 4)
case("slogdet", lambda x: np.linalg.slogdet(square(x, 2)), 4)
case("slogdet batch", lambda x: tuple(np.linalg.slogdet(batch(x))), 8)
case("matrix_rank", lambda x: np.linalg.matrix_rank(batch(x)), 8)
case("matrix_rank of a vector", lambda x: np.linalg.matrix_rank(x), 3)
case(
    "cholesky",
    lambda x: np.linalg.cholesky(square(x, 2) * 3 + square(x, 2).T * 3),
    4,
    extra="the triangle's zeros are taken as dense",
)
case("cholesky batch", lambda x: np.linalg.cholesky(batch(x)), 8, extra="whole matrices")
case("qr", lambda x: np.linalg.qr(square(x)), 9, points=4, extra="whole matrices")
case("qr r", lambda x: np.linalg.qr(x.reshape(3, 2), mode="r"), 6, extra="whole matrices")
case(
    "qr complete", lambda x: np.linalg.qr(x.reshape(3, 2), "complete").Q, 6, extra="whole matrices"
)
case("svd", lambda x: np.linalg.svd(grid(x)), 6, points=4)
case("svd reduced", lambda x: np.linalg.svd(x.reshape(2, 3, 2), full_matrices=False), 12, points=4)
case("svd values", lambda x: np.linalg.svd(grid(x), compute_uv=False), 6)
case("eigh", lambda x: np.linalg.eigh(square(x, 2)), 4, extra="one triangle is never read")
case(
    "eigvalsh upper",
    lambda x: np.linalg.eigvalsh(square(x, 2), UPLO="U"),
    4,
    extra="one triangle is never read",
)
case("eig", lambda x: np.linalg.eig(square(x, 2)), 4, kind=COMPLEX)
case("eigvals batch", lambda x: np.linalg.eigvals(batch(x)), 8, kind=COMPLEX)
case("solve", lambda x: np.linalg.solve(square(x[:4], 2), x[4:]), 6)
case("solve constant matrix", lambda x: np.linalg.solve(np.array([[2.0, 1], [1, 3]]), x), 2)
case("solve constant right", lambda x: np.linalg.solve(square(x, 2), [1.0, 2.0]), 4)
case("solve columns", lambda x: np.linalg.solve(square(x[:4], 2), x[4:].reshape(2, 3)), 10)
case("solve batch", lambda x: np.linalg.solve(batch(x[:8]), x[8:].reshape(2, 2, 1)), 12)
case(
    "solve batch broadcast",
    lambda x: np.linalg.solve(np.array([[2.0, 1], [1, 3]]), x.reshape(2, 2, 1)),
    4,
)
case("solve batch with a vector", lambda x: np.linalg.solve(batch(x[:8]), x[8:]), 10)
case(
    "solve one matrix, batch of right sides",
    lambda x: np.linalg.solve(square(x[:4], 2), x[4:].reshape(2, 2, 1)),
    8,
)
case("lstsq", lambda x: np.linalg.lstsq(x[:6].reshape(3, 2), x[6:])[0], 9, points=4)
case(
    "lstsq constant matrix",
    lambda x: np.linalg.lstsq(np.array([[1.0, 0], [1, 1], [1, 2]]), x, rcond=None)[:2],
    3,
    extra=CANCELS,
)
case(
    "lstsq columns",
    lambda x: np.linalg.lstsq(np.array([[1.0, 0], [1, 1], [1, 2]]), x.reshape(3, 2))[:2],
    6,
    extra=CANCELS,
)
case(
    "lstsq constant right side",
    lambda x: np.linalg.lstsq(x.reshape(3, 2), [1.0, 2.0, 4.0]),
    6,
    points=4,
)
case("lstsq singular values", lambda x: np.linalg.lstsq(x[:4].reshape(2, 2), x[4:]), 6, points=4)
case(
    "tensorsolve",
    lambda x: np.linalg.tensorsolve(
        (x[:16] + 4 * np.eye(4).reshape(-1)).reshape(2, 2, 4), x[16:].reshape(2, 2)
    ),
    20,
    points=2,
)
case(
    "tensorsolve axes",
    lambda x: np.linalg.tensorsolve(
        (x[:4] + 4 * np.eye(2).reshape(-1)).reshape(1, 2, 2), x[4:], axes=(0,)
    ),
    6,
)
case("tensorinv", lambda x: np.linalg.tensorinv(square(x, 4).reshape(2, 2, 4)), 16, points=2)
case("tensorinv ind", lambda x: np.linalg.tensorinv(square(x, 2).reshape(2, 2, 1), ind=1), 4)
case("matrix_power", lambda x: np.linalg.matrix_power(square(x, 2), 3), 4)
case("matrix_power zero", lambda x: np.linalg.matrix_power(square(x, 2), 0) * x[0], 4)
case("matrix_power one", lambda x: np.linalg.matrix_power(batch(x), 1), 8)
case("matrix_power negative", lambda x: np.linalg.matrix_power(square(x, 2), -2), 4)
case("multi_dot", lambda x: np.linalg.multi_dot([x[:2], grid(x[2:8]), x[8:]]), 11)
case(
    "multi_dot four",
    lambda x: np.linalg.multi_dot([grid(x), np.ones((3, 2)), grid(x), np.array([0.0, 1, 0])]),
    6,
)

"""Calls of products summed over axes: dot, matmul, einsum, tensordot, convolve and their kin."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from checks import Cases

case = Cases()
Z = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
CUBE = np.arange(12.0).reshape(2, 2, 3)


def grid(x):
    return x.reshape(2, 3)


def mixed(x):
    """(2, 3): a zero, a constant, and inputs."""
    return np.stack([np.concatenate([np.zeros(1), x[:2]]), np.concatenate([x[2:4], np.ones(1)])])


case("dot vectors", lambda x: np.dot(x[:3], x[3:]), 6)
case("dot constant", lambda x: np.dot(x, [1.0, 0.0, 2.0]), 3)
case("dot matrix vector", lambda x: np.dot(Z, x), 3)
case("dot vector matrix", lambda x: np.dot(x, Z), 2)
case("dot matrices", lambda x: np.dot(grid(x[:6]), x[6:].reshape(3, 2)), 12)
case("dot cubes", lambda x: np.dot(CUBE, x.reshape(2, 3, 1)), 6)
case("dot cube vector", lambda x: np.dot(x.reshape(2, 2, 3), [0.0, 1.0, 1.0]), 12)
case("dot scalar", lambda x: np.dot(2.0, x), 3)
case("dot zero", lambda x: np.dot(0.0, x), 3)
case("dot out", lambda x: np.dot(grid(x), x[:3], out=np.ones_like(x[:2])), 6)
case("dot method", lambda x: x.dot(np.eye(3)), 3)
case("dot mixed", lambda x: np.dot(mixed(x), np.ones(3)), 4)
case("dot mixed both", lambda x: np.dot(mixed(x), mixed(x).T), 4)
case("dot ints", lambda x: np.dot(np.arange(6).reshape(2, 3), x), 3)
case("vdot", lambda x: np.vdot(grid(x), Z), 6)
case("vdot complex", lambda x: np.vdot(x * 1j, x), 3)
case("inner", lambda x: np.inner(grid(x), Z), 6)
case("inner vectors", lambda x: np.inner(x[:3], x[3:]), 6)
case("inner scalar", lambda x: np.inner(x, 2.0), 3)
case("outer", lambda x: np.outer(x[:2], x[2:]), 5)
case("outer constant", lambda x: np.outer([0.0, 1.0], grid(x)), 6)
case("outer out", lambda x: np.outer(x, [1.0, 0.0, 2.0], out=np.ones_like(x[:, None] * x)), 3)
case("linalg.outer", lambda x: np.linalg.outer(x, x), 3)
case("matmul", lambda x: np.matmul(grid(x[:6]), x[6:].reshape(3, 2)), 12)
case("matmul batch", lambda x: CUBE @ x.reshape(2, 3, 1), 6)
case("matmul broadcast", lambda x: x.reshape(3, 1, 1, 2) @ CUBE, 6)
case("matmul vector", lambda x: x @ CUBE, 2)
case("matmul out", lambda x: np.matmul(Z, x, out=np.ones_like(x[:2])), 3)
case("matmul mixed", lambda x: mixed(x) @ mixed(x).T, 4)
case("linalg.matmul", lambda x: np.linalg.matmul(Z, x), 3)
case("vecdot", lambda x: np.vecdot(grid(x), Z), 6)
case("vecdot axis", lambda x: np.vecdot(grid(x), Z, axis=0), 6)
case("linalg.vecdot", lambda x: np.linalg.vecdot(grid(x), Z, axis=0), 6)
if hasattr(np, "matvec"):  # NumPy 2.2
    case("matvec", lambda x: np.matvec(CUBE, x), 3)
    case("vecmat", lambda x: np.vecmat(x, CUBE), 2)
case("kron", lambda x: np.kron(x[:2], x[2:]), 5)
case("kron constant", lambda x: np.kron(Z, x.reshape(1, 2)), 2)
case("kron constant second", lambda x: np.kron(x, Z), 2)
case("cross", lambda x: np.cross(x[:3], x[3:]), 6)
case("cross constant", lambda x: np.cross(x, [1.0, 0.0, 0.0]), 3)
case("cross axes", lambda x: np.cross(grid(x).T, np.array([[1.0, 2], [3, 4], [5, 6]]), axis=0), 6)
case("cross axisc", lambda x: np.cross(grid(x), grid(x)[::-1], axisc=0), 6)
case("linalg.cross", lambda x: np.linalg.cross(grid(x), np.array([0.0, 0.0, 1.0])), 6)

for _axes in (0, 1, 2, ([1], [1]), (0, 0), ([0, 1], [0, 1]), ((1, 0), (1, 0)), ([-1], [-1])):
    case(f"tensordot {_axes}", lambda x, a=_axes: np.tensordot(grid(x), Z if a != 1 else Z.T, a), 6)
case("tensordot both", lambda x: np.tensordot(grid(x[:6]), grid(x[6:]), axes=([1], [1])), 12)
case("tensordot cube", lambda x: np.tensordot(CUBE, x.reshape(3, 2), ([2, 0], [0, 1])), 6)
case("linalg.tensordot", lambda x: np.linalg.tensordot(Z, grid(x), axes=2), 6)

for _text in (
    "ij,ij->",
    "ij,ij",
    "ij,ij->ij",
    "ij,kj",
    "ij,kj->ki",
    "ij,ik->jk",
    "ij,ij->j",
    "i...,i...->...",
    "...j,...j->...",
    "...,...",
    "ij,k...->ik...",
    "ij , kj -> ik",
):
    case(f"einsum {_text}", lambda x, t=_text: np.einsum(t, grid(x), Z), 6)
    case(f"einsum {_text} both", lambda x, t=_text: np.einsum(t, grid(x[:6]), grid(x[6:])), 12)
for _text in ("ii", "ii->i", "ij->ji", "ij", "ji", "ij->", "i...->...", "...j"):
    case(f"einsum {_text}", lambda x, t=_text: np.einsum(t, x.reshape(3, 3)), 9)
case("einsum repeated", lambda x: np.einsum("iji,j->i", x.reshape(2, 3, 2), [1.0, 0, 2]), 12)
case("einsum three", lambda x: np.einsum("i,ij,j->", x[:2], Z, x[2:]), 5)
case(
    "einsum three traced",
    lambda x: np.einsum("ij,jk,kl->il", grid(x[:6]), x[6:12].reshape(3, 2), grid(x[12:])),
    18,
    points=3,
)
case(
    "einsum four",
    lambda x: np.einsum("i,j,k,ijk->", [1.0, 0.0], x[:2], x[2:], CUBE, optimize=True),
    5,
)
case("einsum diagonal of a product", lambda x: np.einsum("ij,ji->i", grid(x), Z.T), 6)
case("einsum interleaved", lambda x: np.einsum(grid(x), [0, 1], Z, [0, 1], [0]), 6)
case("einsum interleaved implicit", lambda x: np.einsum(grid(x), [0, 1], Z, [2, 1]), 6)
case(
    "einsum interleaved ellipsis",
    lambda x: np.einsum(grid(x), [Ellipsis, 1], Z, [Ellipsis, 1], [Ellipsis]),
    6,
)
case("einsum out", lambda x: np.einsum("ij->j", grid(x), out=np.ones_like(x[:3])), 6)
case("einsum broadcast", lambda x: np.einsum("ij,ij->ij", grid(x), np.array([[1.0], [0.0]])), 6)
case("einsum broadcast ellipsis", lambda x: np.einsum("...i,...i", x.reshape(2, 1, 3), Z), 6)
case("einsum mixed", lambda x: np.einsum("ij,kj->ik", mixed(x), mixed(x)), 4)
case("einsum outer", lambda x: np.einsum("i,j", x[:2], [0.0, 1.0, 2.0]), 2)
case("einsum of traced scalars", lambda x: np.einsum(",i->i", x[0], x[1:]), 4)
case("einsum dtype", lambda x: np.einsum("i,i", x, x, dtype=np.float64), 3)

for _mode in "full same valid".split():
    for _k in (1, 2, 3, 5, 6):
        _v = np.array([1.0, 0.0, 2.0, 3.0, 0.0, 1.0])[:_k]
        for _f in (np.convolve, np.correlate):
            _n = _f.__name__
            case(f"{_n} {_mode} {_k}", lambda x, f=_f, v=_v, m=_mode: f(x, v, m), 4)
            case(f"{_n} {_mode} {_k} first", lambda x, f=_f, v=_v, m=_mode: f(v, x, m), 4)
            case(
                f"{_n} {_mode} {_k} both",
                lambda x, f=_f, k=_k, m=_mode: f(x[:k], x[k:], mode=m),
                _k + 3,
            )
case("convolve mixed", lambda x: np.convolve(np.concatenate([[0.0, 1.0], x]), [1.0, 2.0]), 3)
case("correlate default", lambda x: np.correlate(x, [1.0, 0.0]), 4)
case("correlate complex", lambda x: np.correlate(x * 1j, x, "full"), 3)

A = scipy.sparse.csr_array(Z)
case("sparse matrix", lambda x: A @ x, 3)
case("sparse matrix transposed", lambda x: x @ A, 2)
case("sparse matrix times matrix", lambda x: A @ x.reshape(3, 2), 6)
case("sparse matrix times no rows", lambda x: A[:, :0] @ x[:0].reshape(0, 2) + x[0], 3)

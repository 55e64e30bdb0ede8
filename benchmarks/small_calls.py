"""What one NumPy call on ten elements costs while a trace runs: by the rule, and looked up.

    python benchmarks/small_calls.py            # the slowest call of each group
    python benchmarks/small_calls.py --all      # every call, NumPy's own time beside it
    python benchmarks/small_calls.py --behind   # behind a look-up by a value: bounds are kept

A call is answered by its rule the first time; from the third time on it is looked up
(`sparsetrace.dispatch.lookup`).  Each is timed inside a traced function, best of many.
"""

from __future__ import annotations

import sys
from queue import SimpleQueue
from time import perf_counter
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse

from sparsetrace import jacobian_sparsity

if __package__:  # asv imports every module here
    from .internals import lookup
else:
    from internals import lookup

CONSTANTS = {
    "np": np,
    "linalg": scipy.linalg,
    "K": np.arange(1.0, 11.0),
    "Z": np.array([0.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 0.0, 1.0, 2.0]),
    "W": np.array([1.0, 0.0, 2.0]),
    "M": np.arange(1.0, 31.0).reshape(3, 10),
    "B": np.eye(10) + np.eye(10, k=1),
    "A": np.arange(1.0, 11.0).reshape(2, 5),
    "S": np.eye(3) + np.ones((3, 3)),
    "T": scipy.sparse.csr_array(np.eye(10) + np.eye(10, k=1)),
    "b": np.arange(10) > 4,
    "I": np.array([0, 0, 3]),
    "D": np.array([0, 2, 3]),
}
"""Constants: Z, W, B and T with zeros, b a mask, I with a place that repeats."""


def operands(x: Any) -> dict[str, Any]:
    """Arrays of a trace: the mask c and the index i depend on it, z and d are written into."""
    return {
        **{"x": x, "y": x * 2 + 1, "z": x * 1.0, "n": -x, "c": x > 0, "s": x[0], "t": x[1]},
        **{"i": np.argmax(x), "p": x[:3], "r": x[3:6], "X": x.reshape(2, 5) * 1.0},
        **{"Q": x[:9].reshape(3, 3) + CONSTANTS["S"], "d": x[:9].reshape(3, 3) * 1.0},
    }


ROUNDS = 20
"""Machines are slow for a while; of so many rounds through all calls the best counts."""

CALLS = {
    "elementwise": """
        x*x; x*K; x*Z; x+1; -x; x**2; np.exp(x); np.abs(x); np.sign(x); np.square(x); x>0
        np.maximum(x, y); np.hypot(x, y); np.logaddexp(x, y); np.float_power(x, 2); np.isnan(x)
        np.isfinite(x); np.heaviside(x, 0.0); np.frexp(x); np.modf(x); np.divmod(x, 3.0)
        np.sinc(x); np.i0(x); np.fix(x); np.round(x); np.nan_to_num(x); np.angle(x); np.real(x)
        np.imag(x); np.unwrap(x); np.isclose(x, 1.0); np.clip(x, 0, 1); np.clip(x, y, 2); s*t
        np.real_if_close(x); s+1.0; s**2; -s; np.sin(s); max(s, t); int(s); s>0
        """,
    "products": """
        x@x; M@x; B@x; x@B; T@x; X@X.T; X@A.T; np.dot(x, K); np.dot(x, Z); np.dot(B, x); x.dot(Z)
        np.inner(x, K); np.inner(x, Z); np.outer(x, K); np.outer(x, Z); np.outer(x, x)
        np.kron(x, [1.0, 2.0]); np.kron(x, W); np.kron(x, x); np.tensordot(x, K, 1)
        np.tensordot(M, x, 1); np.tensordot(B, x, 1); np.tensordot(X, X, ([1], [1]))
        np.tensordot(X, A, 2); np.einsum('ij,j->i', M, x); np.einsum('ij,j->i', B, x)
        np.einsum('i,i->', x, x); np.einsum('i,j->ij', x, x); np.einsum('ij,kj->ik', X, X)
        np.vecdot(x, x); np.vecdot(x, Z); np.linalg.multi_dot([B, B, x])
        np.linalg.matrix_power(Q, 2); np.convolve(x, [1.0, 2.0]); np.convolve(x, W)
        np.convolve(x, W, 'same'); np.convolve(x, x); np.convolve(K, x, 'valid')
        np.correlate(x, [1.0, 2.0]); np.correlate(x, W); np.add.outer(x, y)
        np.cross(p, r); np.cross(p, K[:3]); np.cross(p, W); np.linalg.cross(p, r)
        """,
    "reductions": """
        np.sum(x); x.sum(); np.sum(X, axis=0); np.mean(x); np.mean(X, 0); np.std(x); np.var(x)
        np.var(X, 0); np.prod(x); np.max(x); np.min(X, axis=1); np.ptp(x); np.cumsum(x)
        np.cumprod(x); np.average(x); np.average(x, weights=K); np.average(x, weights=Z)
        np.median(x); np.quantile(x, 0.3); np.quantile(x, [0.3, 0.5]); np.percentile(x, 30)
        np.nanmean(x); np.nansum(x); np.nanmax(x); np.nanmedian(x); np.nanstd(x); np.nanvar(x)
        np.nanquantile(x, 0.3); np.cov(X); np.corrcoef(X); np.any(c); np.all(c)
        np.count_nonzero(c); np.argmax(x); np.nanargmax(x); np.allclose(x, 1.0)
        np.array_equal(x, y); np.trace(Q); np.add.reduceat(x, [0, 3, 5]); np.add.accumulate(x)
        np.apply_over_axes(np.sum, X, [0]); np.bincount(I, p); np.histogram(x, K)
        np.histogram(x, 5); np.histogram_bin_edges(x, 5)
        """,
    "selections": """
        np.where(c, x, 0.0); np.where(b, x, K); np.where(c, x, n); np.select([c, b], [x, y], 0.0)
        np.select([b, ~b], [x, n], 0.0); np.choose(D % 2, [p, r])
        np.piecewise(x, [c], [np.sin, 0.0]); np.piecewise(x, [b], [np.sin, 0.0]); x[D]; x[b]
        x[i]; np.take(x, D); np.take_along_axis(x, D, 0); np.compress(b, x)
        np.extract(b, x); np.searchsorted(K, x); np.digitize(x, K); np.sort(x); np.argsort(x)
        np.partition(x, 3); np.lexsort((x, y)); np.interp(x, K, K); np.interp(K, K, x)
        np.interp(x, K, y)
        """,
    "writes": """
        z.__setitem__(D, p); z.__setitem__(slice(0, 3), p); z.__setitem__(b, x[:5])
        z.__setitem__(D, z[D] + p); np.put_along_axis(z, D, p, 0); np.place(z, b, x)
        np.put(z, D, x); np.putmask(z, b, x); np.copyto(z, x); np.copyto(z, x, where=b)
        np.add.at(z, I, p); np.add.at(z, D, p); np.add.at(z, I, 1.0); np.fill_diagonal(d, p)
        """,
    "moves": """
        np.concatenate([x, y]); np.stack([x, y]); np.vstack([x, y]); np.hstack([x, y])
        np.dstack([x, y]); np.column_stack([x, y]); np.block([[x, y]]); np.append(x, 1.0)
        np.insert(x, 1, 2.0); np.delete(x, 1); np.roll(x, 1); np.roll(X, 1, axis=1); np.flip(x)
        np.rot90(X); np.pad(x, 1); np.pad(x, 1, 'edge'); np.pad(x, 1, 'wrap')
        np.pad(X, 1, 'reflect'); np.reshape(x, (2, 5)); x.T; np.transpose(X); x[::-1]
        np.swapaxes(X, 0, 1); np.moveaxis(X, 0, 1); np.expand_dims(x, 0); np.squeeze(x[None])
        np.broadcast_to(x, (2, 10)); np.repeat(x, 2); np.tile(x, 2); np.resize(x, 12); x.copy()
        np.ravel(X); np.atleast_2d(x); np.split(x, 2); np.array_split(x, 3); np.hsplit(x, 2)
        np.meshgrid(p, r); np.diag(x); np.diag(Q); np.diagonal(Q); np.tril(Q); np.triu(Q)
        np.lib.stride_tricks.sliding_window_view(x, 3); x.astype(float); x.flatten()
        np.fft.fftshift(x)
        """,
    "differences": """
        x[1:] - x[:-1]; np.diff(x); np.diff(x, 2); np.ediff1d(x); np.gradient(x)
        np.gradient(x, K); np.gradient(X, axis=0); np.trapezoid(x); np.trapezoid(x, K)
        np.trapezoid(K, x); np.vander(x, 3); np.polyval([1.0, 2.0, 3.0], x); np.polyval(x, 2.0)
        np.polyfit(K, x, 2); np.polymul(x, x); np.polyder(x); np.roots(x)
        """,
    "transforms": """
        np.fft.fft(x); np.fft.rfft(x); np.fft.ifft(x); np.fft.irfft(x); np.fft.fft2(X)
        np.fft.fftn(X); np.fft.hfft(x)
        """,
    "linear algebra": """
        np.linalg.norm(x); np.linalg.norm(X, axis=1); np.linalg.norm(x, 1); np.linalg.norm(Q, 2)
        np.linalg.norm(x, np.inf); np.linalg.vector_norm(x); np.linalg.matrix_norm(Q)
        np.linalg.det(Q); np.linalg.slogdet(Q); np.linalg.inv(Q); np.linalg.solve(Q, p)
        np.linalg.solve(S, p); np.linalg.cholesky(Q); np.linalg.qr(Q); np.linalg.eigh(Q)
        np.linalg.eigvalsh(Q); np.linalg.eig(Q); np.linalg.svd(Q); np.linalg.pinv(Q)
        np.linalg.lstsq(Q, p); np.linalg.cond(Q); np.linalg.tensorsolve(S, p)
        linalg.solve_triangular(Q, p); linalg.cho_solve((S, True), p); linalg.solve(S, p)
        linalg.expm(Q)
        """,
    "constructors": """
        np.zeros(10); np.eye(3); np.linspace(0.0, 1.0, 5); np.linspace(s, t, 10)
        np.logspace(s, t, 10); np.geomspace(s, t, 10); np.zeros_like(x); np.ones_like(x)
        np.full_like(x, 2.0); np.full(10, s); np.array([s, t, 1.0]); np.asarray(x); np.copy(x)
        """,
}
"""Calls of one operation each, by what kind of operation it is."""


def calls(group: str) -> list[str]:
    """The calls of a group, as expressions."""
    parts = CALLS[group].replace("\n", ";").split(";")
    return [part.strip() for part in parts if part.strip()]


def _best(call: Any, repeats: int) -> float:
    best = np.inf
    for _ in range(repeats):
        start = perf_counter()
        call()
        best = min(best, perf_counter() - start)
    return 1e6 * best


def microseconds(
    expression: str, *, repeats: int = 40, known: bool = True, behind: bool = False
) -> float:
    """The best time of a call inside a trace, in microseconds.

    Parameters
    ----------
    expression : str
    repeats : int
    known : bool
        Whether calls made before are looked up, or answered by their rules each time.
    behind : bool
        Whether a look-up by a value comes first: the bounds of all values are kept then.
    """
    names = dict(CONSTANTS)
    # Made outside: of code that a traced function makes nothing is known, and np.allclose would
    # then decide at each call what it gives.
    call = eval(compile(f"lambda: {expression}", "<call>", "eval"), names)
    found: SimpleQueue[float] = SimpleQueue()  # of which a trace puts nothing back

    def function(x: Any) -> Any:
        if not hasattr(x, "patterns"):
            return x  # a plain call: many comparisons look like a search, of which there is one
        if behind:
            x[int(np.argmax(x))]
        names.update(operands(x))
        found.put(_best(call, repeats))
        return x

    original = lookup.answer
    if not known:
        lookup.answer = lambda *args, **options: lookup.UNKNOWN
    try:
        jacobian_sparsity(function, np.linspace(0.1, 1.0, 10))
    finally:
        lookup.answer = original
    while found.qsize() > 1:  # of earlier runs
        found.get()
    return found.get()


def numpy_microseconds(expression: str, repeats: int = 40) -> float:
    """The best time of the same call on plain numbers, in microseconds."""
    x = np.linspace(0.1, 1.0, 10)
    return _best(eval(f"lambda: {expression}", {**CONSTANTS, **operands(x)}), repeats)


def main() -> None:
    everything, behind = "--all" in sys.argv, "--behind" in sys.argv
    known: dict[str, float] = {}
    for _ in range(ROUNDS):
        for group in CALLS:
            for call in calls(group):
                known[call] = min(known.get(call, np.inf), microseconds(call, behind=behind))
    print(f"{'looked up':>10} {'by rule':>9} {'NumPy':>7}   us")
    for group in CALLS:
        print(group)
        slowest = sorted(calls(group), key=known.__getitem__, reverse=True)
        for call in slowest if everything else slowest[:3]:
            rule = min(microseconds(call, known=False, behind=behind) for _ in range(3))
            plain = min(numpy_microseconds(call) for _ in range(3))
            print(f"{known[call]:10.1f} {rule:9.1f} {plain:7.1f}   {call}")
    over = sum(time > 15 for time in known.values())
    print(f"{over} of {len(known)} calls take more than 15 us")


if __name__ == "__main__":
    main()

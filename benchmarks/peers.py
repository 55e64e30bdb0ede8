"""Sparsity detection beside CasADi (MX) and asdex (JAX): ``python benchmarks/peers.py``.

Each (problem, peer) runs in a process of its own, one at a time, and each repetition
traces a function made anew.  The table shows the median of the repetitions after the
first, the peak of memory above what the imports and inputs take, and how many times
sparsetrace's median that is.  Each peer's version is written as its users would write it.
The peers come with the extra, ``pip install "sparsetrace[bench]"``; those that are
missing are left out.  Needs a Unix.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

if __package__:  # asv imports every module here
    from .problems import PROBLEMS, kernel, laplacian_matrix
else:
    from problems import PROBLEMS, kernel, laplacian_matrix

# What is measured: a title, the problem, its size.
CASES: dict[str, tuple[str, str, int]] = {
    "convolution": ("convolution 28x28x3, 54 scalar taps", "convolution_scalars", 28),
    "windows": ("convolution 28x28x3, windows", "convolution_windows", 28),
    "brusselator": ("Brusselator, 100 x 100", "brusselator", 100),
    "burgers": ("Burgers, 1e6 points", "burgers", 10**6),
    "softmax": ("softmax of 2000", "softmax", 2000),
    "cosine": ("cosine similarities, 16 batches", "cosine", 16),
    "laplacian": ("sparse Laplacian @ x**2, 1e6", "laplacian", 1000),
    "chain": ("chain of six 12x12 layers", "chain", 6),
}

# Detect once; then (rows, columns), entries of what was detected.
Runner = tuple[Callable[[], Any], Callable[[Any], tuple[tuple[int, int], int]]]


def run_sparsetrace(name: str, size: int) -> Runner:
    from sparsetrace import jacobian_sparsity

    problem = PROBLEMS[name](size)

    def detect():
        # A new function object, as for the peers: nothing can be remembered.
        return jacobian_sparsity(
            lambda *arguments: problem.function(*arguments),
            *problem.arguments,
            argnums=problem.argnums,
        )

    return detect, lambda pattern: (pattern.shape, pattern.nnz)


def run_casadi(name: str, size: int) -> Runner:
    import casadi as ca

    detect = {
        "convolution_scalars": casadi_convolution,
        "convolution_windows": casadi_convolution,
        "brusselator": casadi_brusselator,
        "burgers": casadi_burgers,
        "softmax": casadi_softmax,
        "cosine": casadi_cosine,
        "laplacian": casadi_laplacian,
        "chain": casadi_chain,
    }[name](ca, size)
    return detect, lambda pattern: (tuple(pattern.shape), pattern.nnz())


def casadi_convolution(ca, size):
    weights, out = kernel(), size - 2

    def detect():
        x = ca.MX.sym("x", 3 * size**2)
        planes = [ca.reshape(part, size, size) for part in ca.vertsplit(x, size**2)]
        outputs = []
        for feature in range(weights.shape[3]):
            plane = 0
            for i, j, channel in np.ndindex(weights.shape[:3]):
                shifted = planes[channel][i : out + i, j : out + j]
                plane = plane + weights[i, j, channel, feature] * shifted
            outputs.append(ca.vec(plane))
        return ca.jacobian_sparsity(ca.vertcat(*outputs), x)

    return detect


def casadi_brusselator(ca, size):
    def laplacian(w):
        up, down = ca.vertcat(w[1:, :], w[0, :]), ca.vertcat(w[-1, :], w[:-1, :])
        left, right = ca.horzcat(w[:, 1:], w[:, 0]), ca.horzcat(w[:, -1], w[:, :-1])
        return (up + down + left + right - 4 * w) * size**2

    def detect():
        x = ca.MX.sym("x", 2 * size**2)
        u, v = (ca.reshape(part, size, size) for part in ca.vertsplit(x, size**2))
        reaction = u**2 * v
        rates = (1 + reaction - 4.4 * u + laplacian(u), 3.4 * u - reaction + laplacian(v))
        return ca.jacobian_sparsity(ca.vertcat(*map(ca.vec, rates)), x)

    return detect


def casadi_burgers(ca, size):
    def detect():
        u = ca.MX.sym("u", size)
        padded = ca.vertcat(0, u, 0)
        left, middle, right = padded[:-2], padded[1:-1], padded[2:]
        diffusion = 0.01 * (left - 2 * middle + right) * (size + 1) ** 2
        rate = diffusion - middle * (right - left) * (size + 1) / 2
        return ca.jacobian_sparsity(rate, u)

    return detect


def casadi_softmax(ca, size):
    def detect():
        x = ca.MX.sym("x", size)
        powers = ca.exp(x - ca.mmax(x))
        return ca.jacobian_sparsity(powers / ca.sum1(powers), x)

    return detect


def casadi_cosine(ca, size):
    slots, width, heads = 16, 64, 4

    def detect():
        keys = [ca.MX.sym(f"keys{i}", width, heads) for i in range(size)]
        memory = [ca.MX.sym(f"memory{i}", width, slots) for i in range(size)]
        outputs = []
        for key, stored in zip(keys, memory, strict=True):
            norms = ca.mtimes(ca.sqrt(ca.sum1(stored**2)).T, ca.sqrt(ca.sum1(key**2)))
            similarity = ca.mtimes(stored.T, key) / norms
            for column in ca.horzsplit(similarity):
                powers = ca.exp(column - ca.mmax(column))
                outputs.append(powers / ca.sum1(powers))
        symbols = keys + memory
        function = ca.Function("weights", symbols, [ca.vertcat(*outputs)])
        # Block by block, which is quicker than slices of one long symbol.
        return ca.horzcat(*(function.jac_sparsity(0, i) for i in range(len(symbols))))

    return detect


def casadi_laplacian(ca, size):
    matrix = ca.DM(laplacian_matrix(size).tocsc())

    def detect():
        x = ca.MX.sym("x", size**2)
        return ca.jacobian_sparsity(ca.mtimes(matrix, x**2), x)

    return detect


def casadi_chain(ca, size):
    start = ca.DM(np.linspace(0.1, 1, 12))

    def detect():
        x = ca.MX.sym("x", size * 144)
        state = start
        for part in ca.vertsplit(x, 144):
            state = ca.cos(ca.mtimes(ca.reshape(part, 12, 12).T, state))
        return ca.jacobian_sparsity(state[0], x)

    return detect


def run_asdex(name: str, size: int) -> Runner:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import asdex
    import jax
    import jax.numpy as jnp

    problem = PROBLEMS[name](size)
    make = {
        "convolution_scalars": asdex_convolution,
        "convolution_windows": asdex_convolution,
        "brusselator": asdex_brusselator,
        "burgers": asdex_burgers,
        "softmax": asdex_softmax,
        "cosine": asdex_cosine,
        "laplacian": asdex_laplacian,
        "chain": asdex_chain,
    }[name](jax, jnp, size)
    arguments = jax.tree.map(jnp.asarray, problem.arguments)
    if name.startswith("convolution"):
        arguments = (arguments[0][None],)

    def detect():
        return asdex.jacobian_sparsity(make(), *arguments, argnums=problem.argnums)

    return detect, lambda pattern: (tuple(pattern.shape), pattern.nnz)


def asdex_convolution(jax, jnp, size):
    weights = jnp.asarray(kernel().astype(np.float32))
    layout = ("NHWC", "HWIO", "NHWC")
    return lambda: (
        lambda image: jax.lax.conv_general_dilated(
            image, weights, (1, 1), "VALID", dimension_numbers=layout
        )
    )


def asdex_brusselator(jax, jnp, size):
    def make():
        def laplacian(w):
            sides = jnp.roll(w, 1, 0) + jnp.roll(w, -1, 0) + jnp.roll(w, 1, 1) + jnp.roll(w, -1, 1)
            return (sides - 4 * w) * size**2

        def rates(u, v):
            reaction = u**2 * v
            return 1 + reaction - 4.4 * u + laplacian(u), 3.4 * u - reaction + laplacian(v)

        return rates

    return make


def asdex_burgers(jax, jnp, size):
    def make():
        def rate(u):
            padded = jnp.concatenate([jnp.zeros(1), u, jnp.zeros(1)])
            left, middle, right = padded[:-2], padded[1:-1], padded[2:]
            diffusion = 0.01 * (left - 2 * middle + right) * (size + 1.0) ** 2
            return diffusion - middle * (right - left) * (size + 1) / 2

        return rate

    return make


def asdex_softmax(jax, jnp, size):
    def make():
        def function(x):
            powers = jnp.exp(x - jnp.max(x))
            return powers / jnp.sum(powers)

        return function

    return make


def asdex_cosine(jax, jnp, size):
    def make():
        def weights(keys, memory):
            products = jnp.einsum("wrb,wnb->nrb", keys, memory)
            key_norms = jnp.sqrt(jnp.sum(keys**2, axis=0))
            memory_norms = jnp.sqrt(jnp.sum(memory**2, axis=0))
            similarity = products / (memory_norms[:, None, :] * key_norms[None, :, :])
            powers = jnp.exp(similarity - jnp.max(similarity, axis=0))
            return powers / jnp.sum(powers, axis=0)

        return weights

    return make


def asdex_laplacian(jax, jnp, size):
    # asdex has no rule for JAX's sparse matrices: products, gathered and scattered.
    matrix = laplacian_matrix(size).tocoo()
    rows, columns = (matrix.row.astype(np.int32), matrix.col.astype(np.int32))
    values = matrix.data.astype(np.float32)
    return lambda: lambda x: jnp.zeros(size**2).at[rows].add(values * (x**2)[columns])


def asdex_chain(jax, jnp, size):
    start = jnp.linspace(0.1, 1, 12)

    def make():
        def network(matrices):
            state = start
            for matrix in matrices:
                state = jnp.cos(matrix @ state)
            return state[0]

        return network

    return make


PEERS: dict[str, Callable[[str, int], Runner]] = {
    "sparsetrace": run_sparsetrace,
    "casadi": run_casadi,
    "asdex": run_asdex,
}


def memory_megabytes() -> tuple[float, float]:
    """Memory of this process in use now, and its peak; the peak twice where /proc is missing.

    Linux's ``ru_maxrss`` would start at what the parent had in use.
    """
    try:
        with open("/proc/self/status") as file:
            fields = dict(line.split(":", 1) for line in file)
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
        return peak, peak
    now, peak = (int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return now, peak


def guard(megabytes: float) -> None:
    """End this process when it takes too much memory."""
    while memory_megabytes()[0] < megabytes:
        time.sleep(0.1)
    print(f"over {megabytes:g} MB", file=sys.stderr, flush=True)
    os._exit(1)


def measure(case: str, peer: str, options: argparse.Namespace) -> None:
    """In the child: detect repeatedly and print what was measured as JSON."""
    threading.Thread(target=guard, args=(options.memory,), daemon=True).start()
    _, name, size = CASES[case]
    detect, describe = PEERS[peer](name, size)
    gc.collect()
    (before, _), times = memory_megabytes(), []
    for repetition in range(options.repetitions):
        start = time.perf_counter()
        pattern = detect()
        times.append(time.perf_counter() - start)
        if not repetition:
            shape, entries = describe(pattern)
        del pattern
        if times[-1] > options.slow:
            break
    result = {
        "median": statistics.median(times[1:] or times),
        "first": times[0],
        "megabytes": memory_megabytes()[1] - before,
        "shape": shape,
        "entries": int(entries),
    }
    print(json.dumps(result))


def run(case: str, peer: str, options: argparse.Namespace) -> dict[str, Any]:
    """In the parent: measure in a child process; ``failure`` says what went wrong."""
    command = [sys.executable, __file__, "--child", case, peer]
    for name in ("repetitions", "slow", "memory"):
        command += [f"--{name}", str(getattr(options, name))]
    try:
        child = subprocess.run(
            command, capture_output=True, text=True, timeout=options.timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return {"failure": f"over {options.timeout:g} s"}
    if child.returncode:
        return {"failure": (child.stderr.strip().splitlines() or ["no message"])[-1][:60]}
    return json.loads(child.stdout.splitlines()[-1])


def cell(result: dict[str, Any], ours: dict[str, Any] | None, expected: int) -> str:
    if "failure" in result:
        return result["failure"]
    text = f"{1e3 * result['median']:.3g} ms, {result['megabytes']:.0f} MB"
    if ours is not None and "failure" not in ours:
        text += f" ({result['median'] / ours['median']:.1f} x)"
    if result["entries"] != expected:
        text += f", {result['entries']} entries"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--repetitions", type=int, default=6, help="in each process")
    parser.add_argument("--slow", type=float, default=5.0, help="s; no repetition after such a one")
    parser.add_argument("--timeout", type=float, default=180.0, help="s for one process")
    parser.add_argument("--memory", type=float, default=4000.0, help="MB for one process")
    parser.add_argument("--child", nargs=2, metavar=("CASE", "PEER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        measure(*options.child, options)
        return
    peers = []
    for peer in options.peers:
        if importlib.util.find_spec(peer) is None:
            print(f'{peer} is not installed (pip install "sparsetrace[bench]"): left out')
        else:
            peers.append(peer)
    if not peers:
        return
    print(f"| problem | entries | {' | '.join(peers)} |")
    print("|---|---:|" + "---|" * len(peers))
    for case in options.cases:
        title, name, size = CASES[case]
        entries = PROBLEMS[name](size).entries
        results = {peer: run(case, peer, options) for peer in peers}
        ours = results.get("sparsetrace")
        cells = [
            cell(result, None if peer == "sparsetrace" else ours, entries)
            for peer, result in results.items()
        ]
        print(f"| {title} | {entries} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

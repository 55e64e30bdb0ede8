"""Sparsity detection beside CasADi (MX) and asdex (JAX): ``python benchmarks/peers.py``.

Each (problem, peer) runs in a process of its own, one at a time, and each repetition
traces a function made anew.  The table shows the median of the repetitions after the
first, the peak of memory above what the imports and inputs take, and how many times
sparsetrace's median that is.  `peer_problems` has the peers' versions.
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

if __package__:  # asv imports every module here
    from .peer_problems import ASDEX, CASADI
    from .problems import HESSIANS, PROBLEMS
else:
    from peer_problems import ASDEX, CASADI

    from problems import HESSIANS, PROBLEMS

ALL_PROBLEMS = PROBLEMS | HESSIANS

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
    "rosenbrock": ("Rosenbrock Hessian, 1e6", "rosenbrock", 10**6),
    "pendulum": ("pendulum Lagrangian Hessian, 1000 steps", "pendulum", 1000),
    "network": ("network loss Hessian, 12x6", "network", 6),
}

# Detect once; then (rows, columns), entries of what was detected.
Runner = tuple[Callable[[], Any], Callable[[Any], tuple[tuple[int, int], int]]]


def run_sparsetrace(name: str, size: int) -> Runner:
    from sparsetrace import hessian_sparsity, jacobian_sparsity

    problem = ALL_PROBLEMS[name](size)
    sparsity = hessian_sparsity if name in HESSIANS else jacobian_sparsity

    def detect():
        # A new function object, as for the peers: nothing can be remembered.
        return sparsity(
            lambda *arguments: problem.function(*arguments),
            *problem.arguments,
            argnums=problem.argnums,
        )

    return detect, lambda pattern: (pattern.shape, pattern.nnz)


def run_casadi(name: str, size: int) -> Runner:
    import casadi

    return CASADI[name](casadi, size), lambda pattern: (tuple(pattern.shape), pattern.nnz())


def run_asdex(name: str, size: int) -> Runner:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import asdex
    import jax
    import jax.numpy as jnp

    problem = ALL_PROBLEMS[name](size)
    sparsity = asdex.hessian_sparsity if name in HESSIANS else asdex.jacobian_sparsity
    make = ASDEX[name](jax, jnp, size)
    arguments = jax.tree.map(jnp.asarray, problem.arguments)
    if name.startswith("convolution"):
        arguments = (arguments[0][None],)

    def detect():
        return sparsity(make(), *arguments, argnums=problem.argnums)

    return detect, lambda pattern: (tuple(pattern.shape), pattern.nnz)


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
    seconds = result["median"]
    duration = f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"
    text = f"{duration}, {result['megabytes']:.0f} MB"
    if ours is not None and "failure" not in ours:
        text += f" ({seconds / ours['median']:.1f} x)"
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
        entries = ALL_PROBLEMS[name](size).entries
        results = {peer: run(case, peer, options) for peer in peers}
        ours = results.get("sparsetrace")
        cells = [
            cell(result, None if peer == "sparsetrace" else ours, entries)
            for peer, result in results.items()
        ]
        print(f"| {title} | {entries} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

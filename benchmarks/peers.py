"""Sparsity detection beside CasADi (MX, SX) and asdex (JAX): ``python benchmarks/peers.py``.

Each (problem, size, peer) runs in a process of its own, one at a time, within limits of time and
memory, and each repetition traces a function made anew.  The table shows the median of the
repetitions after the first, the peak of memory above what the imports and inputs take, and
how many times sparsetrace's median that is.  `peer_problems` and `workload_peers` have the
peers' versions.  Times are of the processor, of all threads of the process, since others on the
machine lengthen every other time; ``--clock wall`` takes what a user waits for, which is less
where a peer has several threads (asdex compiles in some).
``--all`` takes each workload in all of its sizes, shows first calls too, and
ends with what misses the targets and exit status 1 where something does.
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
import time
from collections.abc import Callable
from typing import Any

if __package__:  # asv imports every module here
    from . import peer_problems, workload_peers
    from .workloads import ALL_WORKLOADS
else:
    import peer_problems
    import workload_peers
    from workloads import ALL_WORKLOADS

CASADI = peer_problems.CASADI | workload_peers.CASADI
ASDEX = peer_problems.ASDEX | workload_peers.ASDEX

# What is shown without --all: a title, the problem, its size.
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
Result = dict[str, Any]


def run_sparsetrace(name: str, size: int) -> Runner:
    from sparsetrace import hessian_sparsity, jacobian_sparsity

    problem = ALL_WORKLOADS[name].make(size)
    sparsity = hessian_sparsity if ALL_WORKLOADS[name].hessian else jacobian_sparsity

    def detect():
        # A new function object, as for the peers: nothing can be remembered.
        return sparsity(
            lambda *arguments: problem.function(*arguments),
            *problem.arguments,
            argnums=problem.argnums,
        )

    return detect, lambda pattern: (pattern.shape, pattern.nnz)


def run_casadi(symbols: str, name: str, size: int) -> Runner:
    import casadi

    detect = CASADI[name](casadi, getattr(casadi, symbols), size)
    return detect, lambda pattern: (tuple(pattern.shape), pattern.nnz())


def run_asdex(name: str, size: int) -> Runner:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import asdex
    import jax
    import jax.numpy as jnp

    problem = ALL_WORKLOADS[name].make(size)
    sparsity = asdex.hessian_sparsity if ALL_WORKLOADS[name].hessian else asdex.jacobian_sparsity
    make = ASDEX[name](jax, jnp, size)
    arguments = jax.tree.map(jnp.asarray, problem.arguments)
    if name.startswith("convolution"):
        arguments = (arguments[0][None],)

    def detect():
        return sparsity(make(), *arguments, argnums=problem.argnums)

    return detect, lambda pattern: (tuple(pattern.shape), pattern.nnz)


# Of each peer its package, the problems that it has a version of, and how it is run.
PEERS: dict[str, tuple[str, Any, Callable[[str, int], Runner]]] = {
    "sparsetrace": ("sparsetrace", ALL_WORKLOADS, run_sparsetrace),
    "mx": ("casadi", CASADI, lambda name, size: run_casadi("MX", name, size)),
    "sx": ("casadi", CASADI, lambda name, size: run_casadi("SX", name, size)),
    "asdex": ("asdex", ASDEX, run_asdex),
}
OURS, *OTHERS = PEERS

CLOCKS = {"cpu": time.process_time, "wall": time.perf_counter}

# What --all asks for.
LATER, FIRST, GROWTH = 8.0, 5.0, 1.1
# Above this many times the best peer's time, a peer is left out of larger sizes.
HOPELESS = 30


def memory_megabytes(process: int | str = "self") -> tuple[float, float]:
    """Memory of a process in use now, and its peak; our own peak twice where /proc is missing.

    Linux's ``ru_maxrss`` would start at what the parent had in use.
    """
    try:
        with open(f"/proc/{process}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        now, peak = (int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    except (OSError, KeyError):  # or a process that is over
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
        return peak, peak
    return now, peak


def forget_peak() -> None:
    """Let the peak of memory start again at what is in use now, where Linux can."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass


def measure(name: str, size: int, peer: str, options: argparse.Namespace) -> None:
    """In the child: detect repeatedly, and print after each time what was measured, as JSON."""
    detect, describe = PEERS[peer][2](name, size)
    gc.collect()
    forget_peak()
    (before, _), times, clock = memory_megabytes(), [], CLOCKS[options.clock]
    while len(times) < options.repetitions or (sum(times) < 0.3 and len(times) < 100):
        start = clock()
        pattern = detect()
        times.append(clock() - start)
        if len(times) == 1:
            shape, entries = describe(pattern)
        del pattern
        result = {
            "median": statistics.median(times[1:] or times),
            "first": times[0],
            "megabytes": memory_megabytes()[1] - before,
            "shape": shape,
            "entries": int(entries),
        }
        print(json.dumps(result), flush=True)
        if len(times) > 1 and sum(times) > options.slow:
            break


def run(name: str, size: int, peer: str, options: argparse.Namespace) -> Result:
    """In the parent: measure in a child process; ``failure`` says what went wrong."""
    if name not in PEERS[peer][1]:
        return {"failure": "-"}
    command = [sys.executable, __file__, "--child", name, str(size), peer]
    for option in ("repetitions", "slow", "clock"):
        command += [f"--{option}", str(getattr(options, option))]
    end, failure = time.monotonic() + options.timeout, ""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        while child.poll() is None and not failure:
            time.sleep(0.02)
            if time.monotonic() > end:
                failure = f"over {options.timeout:g} s"
            elif memory_megabytes(child.pid)[0] > options.memory:
                failure = f"over {options.memory:g} MB"
        child.kill()
        output, errors = child.communicate()
    lines = output.splitlines()
    if lines and not failure.endswith("MB"):
        return json.loads(lines[-1])
    return {"failure": failure or (errors.strip().splitlines() or ["no message"])[-1][:100]}


def duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def cell(result: Result, ours: Result | None, expected: int) -> str:
    if "failure" in result:
        return result["failure"]
    seconds = result["median"]
    text = f"{duration(seconds)}, {result['megabytes']:.0f} MB"
    if ours is not None and "failure" not in ours:
        text += f" ({seconds / ours['median']:.1f} x)"
    if result["entries"] != expected:
        text += f", {result['entries']} entries"
    return text


def show_cases(peers: list[str], options: argparse.Namespace) -> None:
    print(f"| problem | entries | {' | '.join(peers)} |")
    print("|---|---:|" + "---|" * len(peers))
    for case in options.cases:
        title, name, size = CASES[case]
        entries = ALL_WORKLOADS[name].make(size).entries
        results = {peer: run(name, size, peer, options) for peer in peers}
        cells = [
            cell(result, None if peer == OURS else results.get(OURS), entries)
            for peer, result in results.items()
        ]
        print(f"| {title} | {entries} | {' | '.join(cells)} |", flush=True)


def numbers(result: Result) -> str:
    if "failure" in result:
        return result["failure"]
    times = f"{duration(result['first'])}, {duration(result['median'])}"
    return f"{times}, {result['megabytes']:.0f} MB"


def sizes_of(name: str, peers: list[str], options: argparse.Namespace):
    """For each size of a workload the problem's title, entries, and what each peer took."""
    left_out: dict[str, Result] = {}
    for size in ALL_WORKLOADS[name].sizes:
        problem = ALL_WORKLOADS[name].make(size)
        expected = list(problem.shape), problem.entries
        del problem
        results = {peer: left_out.get(peer) or run(name, size, peer, options) for peer in peers}
        for result in results.values():
            if "failure" not in result and (result["shape"], result["entries"]) != expected:
                result["failure"] = f"{result['entries']} entries of {result['shape']}"
        ran = [r["median"] for p, r in results.items() if p != OURS and "failure" not in r]
        for peer, result in results.items():
            if peer != OURS and "failure" in result:
                left_out[peer] = result
            elif peer != OURS and result["median"] > HOPELESS * min(ran):
                left_out[peer] = {"failure": f"{HOPELESS} times slower at a smaller size"}
        yield size, expected[1], results


def show_all(peers: list[str], options: argparse.Namespace) -> int:
    """Print each workload beside the best peer, then what misses the targets; how much does."""
    slower: list[tuple[float, str]] = []
    heavier: list[tuple[float, str]] = []
    failed: list[str] = []
    later: list[float] = []
    first: list[float] = []
    growths: list[tuple[float, str]] = []
    print("| problem | entries | first, later, memory | best peer | first | later | memory |")
    print("|---|---:|---|---|---:|---:|---:|")
    for name in options.workloads:
        costs = []
        for size, entries, results in sizes_of(name, peers, options):
            title, ours = f"{name} {size}", results[OURS]
            others = {p: r for p, r in results.items() if p != OURS and "failure" not in r}
            if "failure" in ours:
                failed.append(f"{title}: {ours['failure']}")
                costs.append((entries, size, float("nan")))
            else:
                costs.append((entries, size, ours["median"]))
            ratios = ["", "", ""]
            best = min(others, key=lambda peer: others[peer]["median"], default="")
            if others and "failure" in ours:
                # At the least as many times slower as the limit is.
                slower.append((others[best]["median"] / options.timeout, title))
                later.append(slower[-1][0])
                first.append(min(r["first"] for r in others.values()) / options.timeout)
            elif others:
                later.append(others[best]["median"] / ours["median"])
                first.append(min(r["first"] for r in others.values()) / ours["first"])
                weight = max(ours["megabytes"], 1) / max(others[best]["megabytes"], 1)
                ratios = [f"{first[-1]:.2f}", f"{later[-1]:.2f}", f"{weight:.2f}"]
                if later[-1] < 1:
                    slower.append((later[-1], title))
                if weight > 1:
                    heavier.append((weight, title))
            peer = f"{best}: {numbers(others[best])}" if best else "none runs"
            cells = [title, str(entries), numbers(ours), peer, *ratios]
            print(f"| {' | '.join(cells)} |", flush=True)
        if len(costs) > 2:
            (few, small, quick), (many, large, slow) = costs[-2:]
            by = many / few if many != few else large / small
            growths.append((slow / quick / by, name))
    misses = [
        ("do not run here", failed),
        ("slower than the best peer", [f"{t}: {r:.2f}" for r, t in sorted(slower)]),
        ("more memory than it", [f"{t}: {r:.1f}" for r, t in sorted(heavier, reverse=True)]),
        # NaN, of a size that does not run, is a miss too.
        (
            f"time an entry grows by more than {GROWTH}",
            [f"{t}: {r:.2f}" for r, t in sorted(growths, reverse=True) if not r <= GROWTH],
        ),
    ]
    for what, ratios, target in (("later", later, LATER), ("first", first, FIRST)):
        if ratios:
            mean = statistics.geometric_mean(ratios)
            print(f"\nGeometric mean of {what} calls over {len(ratios)} cases: {mean:.2f}")
            misses.append(
                (f"mean of {what} calls below {target:g}", [f"{mean:.2f}"] * (mean < target))
            )
    for what, cases in misses:
        if cases:
            print(f"\nMissed: {what} ({len(cases)})\n  " + "\n  ".join(cases))
    return sum(len(cases) for _, cases in misses)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--all", action="store_true", help="every workload in all of its sizes")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument(
        "--workloads", nargs="+", choices=ALL_WORKLOADS, default=list(ALL_WORKLOADS)
    )
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS))
    parser.add_argument("--repetitions", type=int, default=6, help="in each process")
    parser.add_argument("--slow", type=float, default=5.0, help="s; no third one after so many")
    parser.add_argument("--clock", choices=CLOCKS, default="cpu", help="cpu: of all threads")
    parser.add_argument("--timeout", type=float, help="s for one process; 20 with --all, else 180")
    parser.add_argument("--memory", type=float, default=4000.0, help="MB for one process")
    parser.add_argument(
        "--child", nargs=3, metavar=("PROBLEM", "SIZE", "PEER"), help=argparse.SUPPRESS
    )
    options = parser.parse_args(arguments)
    if options.timeout is None:
        options.timeout = 20.0 if options.all else 180.0
    return options


def main() -> None:
    options = parse()
    if options.child:
        name, size, peer = options.child
        measure(name, int(size), peer, options)
        return
    peers = []
    for peer in options.peers:
        if importlib.util.find_spec(PEERS[peer][0]) is None:
            print(f'{peer} is not installed (pip install "sparsetrace[bench]"): left out')
        else:
            peers.append(peer)
    if options.all:
        sys.exit(1 if show_all(peers, options) else 0)
    elif peers:
        show_cases(peers, options)


if __name__ == "__main__":
    main()

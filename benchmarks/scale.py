"""What an input and an entry cost from small to large: ``python benchmarks/scale.py``.

Each size runs in a process of its own, and the first call is what counts.  The last columns say
what an executor of eight workers is sent, all parts together.  docs/scale.md has the figures.
"""

from __future__ import annotations

import argparse
import pickle
from concurrent.futures import Executor, Future
from typing import Any

if __package__:  # asv imports every module here
    from . import peers
    from .workloads import ALL_WORKLOADS
else:
    import peers
    from workloads import ALL_WORKLOADS

CASES = {
    "burgers": (100_000, 1_000_000, 10_000_000),
    "laplacian": (316, 1000, 3162),
    "volumes": (170, 548, 1732),
    "rosenbrock": (100_000, 1_000_000, 10_000_000),
}
SHIPPED = 1_500_000
"""Most inputs for which it is measured what is shipped."""


class Counting(Executor):
    """Eight workers, in this process."""

    num_workers = 8

    def __init__(self) -> None:
        self.bytes = self.tasks = 0

    def submit(self, task: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.tasks += 1
        self.bytes += len(pickle.dumps((task, args, kwargs), pickle.HIGHEST_PROTOCOL))
        future: Future[Any] = Future()
        future.set_result(task(*args, **kwargs))
        return future


def shipped(name: str, size: int) -> Counting:
    """What an executor is given of a problem."""
    from sparsetrace import hessian_sparsity, jacobian_sparsity

    problem = ALL_WORKLOADS[name].make(size)
    detect = hessian_sparsity if ALL_WORKLOADS[name].hessian else jacobian_sparsity
    counting = Counting()
    detect(problem.function, *problem.arguments, argnums=problem.argnums, executor=counting)
    return counting


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", default=list(CASES), help=", ".join(CASES))
    parser.add_argument("--memory", type=float, default=12_000, help="most megabytes")
    chosen = parser.parse_args(arguments)
    once = ["--repetitions=1", "--slow=0", "--timeout=120", f"--memory={chosen.memory}"]
    options = peers.parse(once)
    print("| problem | inputs | entries | first call | ns an entry | bytes an entry | shipped |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in chosen.cases:
        for size in CASES[name]:
            result = peers.run(name, size, "sparsetrace", options)
            if "failure" in result:
                print(f"| {name} | {size} | {result['failure']} |")
                continue
            entries, inputs = result["entries"], result["shape"][1]
            sent = ""
            if inputs <= SHIPPED:
                counting = shipped(name, size)
                sent = "nothing"
                if counting.tasks:
                    sent = f"{counting.bytes / inputs:.0f} bytes an input, {counting.tasks} parts"
            print(
                f"| {name} | {inputs:,} | {entries:,} | {peers.duration(result['first'])} "
                f"| {1e9 * result['first'] / entries:.0f} "
                f"| {1e6 * result['megabytes'] / entries:.0f} | {sent} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

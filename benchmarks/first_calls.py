"""What a small function takes in a new process: the import, the first call, and later ones.

    python benchmarks/first_calls.py
    python benchmarks/first_calls.py --beside ../another/checkout

Each process traces one function of 30 inputs; the table shows the least of so many processes and,
since most of a first call is code that is run for the first time, their lower quartile.  With
another checkout beside this one both take turns.  Compile the packages before
(``python -m compileall -q sparsetrace``), or each import does so.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = str(Path(__file__).resolve().parents[1])
COLUMNS = "import", "first", "second", "later"
CHILD = """
from gc import collect
from time import process_time
import numpy as np
import scipy.sparse
times = [process_time()]
import sparsetrace
times.append(process_time())
def neighbours(x):
    return np.sin(x[1:]) * x[:-1]
x = np.ones(30)
took = []
collect()
for _ in range(300):
    start = process_time()
    sparsetrace.jacobian_sparsity(neighbours, x)
    took.append(process_time() - start)
print(times[1] - times[0], took[0], took[1], min(took))
"""


def milliseconds(tree: str) -> list[float]:
    """The times of one process."""
    environment = {**os.environ, "PYTHONPATH": tree}
    done = subprocess.run(
        [sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, check=True
    )
    return [1e3 * float(time) for time in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--beside", action="append", default=[], help="another checkout")
    parser.add_argument("--processes", type=int, default=20, help="for each")
    options = parser.parse_args()
    trees = [str(Path(tree).resolve()) for tree in options.beside] + [HERE]
    taken: dict[str, list[list[float]]] = {tree: [] for tree in trees}
    for _ in range(options.processes):
        for tree in trees:
            taken[tree].append(milliseconds(tree))
    print(f"{'least, lower quartile (ms)':30}" + "".join(f"{name:>16}" for name in COLUMNS))
    for tree, rows in taken.items():
        columns = [sorted(column) for column in zip(*rows, strict=True)]
        cells = [f"{column[0]:.3g}, {column[len(column) // 4]:.3g}" for column in columns]
        print(f"{tree[-30:]:30}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()

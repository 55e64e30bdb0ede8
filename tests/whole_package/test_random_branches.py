"""Random programs that branch on each element: run apart, beside all paths and plain calls.

The first attempts of a trace are given a single path, so that the branches of calls, and of pieces
of code, are run apart in the last.  The pattern then holds every entry of the one that all paths
give together, where nothing is run apart, and of those at points.

Run ``python tests/whole_package/test_random_branches.py 1000`` for more programs, ``START`` as a
second number to begin elsewhere, and ``loops`` for programs that iterate.
"""

from __future__ import annotations

import linecache
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

if __name__ == "__main__":  # as a script; pytest has these folders from pyproject.toml
    TESTS = Path(__file__).parents[1]
    sys.path[:0] = [str(TESTS), str(TESTS / "support")]

import numpy as np
import pytest
from impatient import impatient

from cases.branching_programs import SIZE, Writer
from cases.looping_programs import LoopWriter
from oracles import dense
from sparsetrace import TracingError, hessian_sparsity, jacobian_sparsity
from sparsetrace.capture import apart_loops
from sparsetrace.tracing import driver

PROGRAMS, BATCH = 8, 4
POINTS = 12
ALL_PATHS = 48
MOST_PATHS = 800
"""For what all paths give together."""


def made(seed: int, writer: type[Any] = Writer) -> tuple[str, Callable[[Any], Any]]:
    """A program, and its function; the source can be read as that of a module."""
    source = writer(seed).source()
    name = f"<{writer.__name__} {seed}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"__name__": "branching_program"}
    exec(compile(source, name, "exec", dont_inherit=True), scope)
    return source, scope["f"]


def numbers(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: sum(f(x))


def tried(take: Callable[..., Any], f: Callable[[Any], Any], x: Any, **options: Any) -> Any:
    """A pattern; the error of a trace in its place, and None for one of the program's own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return dense(take(f, x, verify=False, **options))
        except TracingError as error:
            return error
        except Exception:
            return None


def nothing_apart(session: Any) -> bool:
    """In place of what runs more apart."""
    return False


def checked(seed: int, writer: type[Any] = Writer) -> Counter[str]:
    """What became of the two orders of one program; missing entries raise."""
    source, f = made(seed, writer)
    result: Counter[str] = Counter()
    rng = np.random.default_rng(seed)
    for order, take, g in (
        ("jacobian", jacobian_sparsity, f),
        ("hessian", hessian_sparsity, numbers(f)),
    ):
        x = np.linspace(0.1, 0.9, SIZE)
        with patch.object(driver, "more_is_run_apart", nothing_apart):
            everything = tried(take, g, x, max_paths=MOST_PATHS)
        patterns = [everything]
        for _ in range(POINTS):
            patterns.append(tried(take, g, rng.uniform(-0.5, 1.2, SIZE), local=True))
        for attempts in (1, 2, 3):
            settled = patch.object(apart_loops, "_SETTLED", seed % 4)  # soon, to meet its ends
            with impatient(attempts), settled:
                apart = tried(take, g, x, max_paths=ALL_PATHS)
            if not isinstance(apart, np.ndarray):
                result[f"{order} {attempts} {type(apart).__name__}"] += 1
                continue
            for pattern in patterns:
                if isinstance(pattern, np.ndarray) and pattern.shape == apart.shape:
                    lost = np.argwhere(pattern & ~apart).tolist()
                    assert not lost, f"{order} {attempts} of {seed} lacks {lost}\n{source}"
            same = isinstance(everything, np.ndarray) and np.array_equal(everything, apart)
            result[f"{order} {attempts} {'equal' if same else 'more'}"] += 1
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("writer", "start"),
    [*((Writer, start) for start in range(0, PROGRAMS, BATCH)), (LoopWriter, 3), (LoopWriter, 7)],
)
def test_nothing_is_missing(writer, start):
    seen = Counter()
    for seed in range(start, start + BATCH):
        seen += checked(seed, writer)
    assert seen["jacobian 1 equal"]
    assert seen["hessian 1 equal"]


if __name__ == "__main__":
    written_by = LoopWriter if "loops" in sys.argv else Writer
    count, first = (*[int(text) for text in sys.argv[1:] if text.isdigit()], 0)[:2]
    total: Counter[str] = Counter()
    for number in range(first, first + count):
        try:
            began = time.perf_counter()
            total += checked(number, written_by)
            print(number, round(time.perf_counter() - began, 1), flush=True)
        except AssertionError as error:
            print(error, flush=True)
            total["lost"] += 1
    print(dict(total))

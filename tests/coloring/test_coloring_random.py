"""Random patterns: colorings by definition, and matrices recovered from their products.

Run ``python tests/coloring/test_coloring_random.py 10000`` for so many patterns, half of them
symmetric, each in every kind; ``SEED`` as a second number for others.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

if __name__ == "__main__":  # as a script; pytest has these folders from pyproject.toml
    TESTS = Path(__file__).parents[1]
    sys.path[:0] = [str(TESTS), str(TESTS / "support")]

import numpy as np
import pytest
from colorings import GENERAL, SYMMETRIC, check_general, check_symmetric

from cases.sparse_matrices import random_pattern
from sparsetrace.coloring.orders import ORDERS

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", GENERAL)
def test_random_patterns(kind, order):
    rng = np.random.default_rng([ORDERS.index(order), list(GENERAL).index(kind)])
    for _ in range(40):
        check_general(random_pattern(rng, symmetric=False), kind, order, rng)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", SYMMETRIC)
def test_random_symmetric_patterns(kind, order):
    rng = np.random.default_rng([ORDERS.index(order), list(SYMMETRIC).index(kind)])
    for _ in range(40):
        check_symmetric(random_pattern(rng, symmetric=True), kind, order, rng)


def main(count, seed):
    """Check so many patterns in all kinds, one order after the other; say what was checked."""
    rng = np.random.default_rng(seed)
    checked = Counter()
    for number in range(count):
        order, symmetric = ORDERS[number // 2 % len(ORDERS)], number % 2 == 1
        pattern = random_pattern(rng, symmetric=symmetric)
        check = check_symmetric if symmetric else check_general
        for kind in SYMMETRIC if symmetric else GENERAL:
            coloring = check(pattern, kind, order, rng)
            checked[kind] += 1
            checked["colors"] += coloring.num_colors
    print(f"{count} patterns:", ", ".join(f"{size} {kind}" for kind, size in checked.items()))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)

"""Random NumPy programs against numerical derivatives: no entry may be missing.

Programs are text, made line by line while they run on random numbers, so that every
line works and stays finite.  The numerical pattern is a lower bound (a maximum may
always take the same side at the points drawn), so entries beyond it are counted and
reported, and only missing ones are errors.

Run ``python tests/whole_package/test_random_programs.py 20000`` to try more programs.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":  # as a script; pytest has these folders from pyproject.toml
    TESTS = Path(__file__).parents[1]
    sys.path[:0] = [str(TESTS), str(TESTS / "support")]

import numpy as np
import pytest

from cases.array_programs import HIGH, LOW, Writer
from oracles import assert_covers, dense, numerical_jacobian_pattern
from sparsetrace import TracingError, jacobian_sparsity

PROGRAMS = 200
BATCH = 20


@dataclass
class Tally:
    programs: int = 0
    refused: int = 0
    entries: int = 0
    extra: int = 0

    def __str__(self) -> str:
        share = 100 * self.extra / max(1, self.entries)
        return (
            f"{self.programs} programs, {self.refused} refused, {self.entries} entries, "
            f"{self.extra} ({share:.1f} %) more than numerical derivatives show"
        )


def check(seed: int, tally: Tally) -> None:
    """Raises AssertionError, with the program, if an entry is missing."""
    program = Writer(seed).program()
    tally.programs += 1
    start = np.random.default_rng(seed).uniform(LOW, HIGH, program.n)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            pattern = dense(jacobian_sparsity(program.function, start))
        except TracingError as error:
            tally.refused += 1
            if tally.refused <= 20 and __name__ == "__main__":
                print(f"seed {seed} refused: {str(error)[:150]}")
            return
        f = program.function
        try:
            expected = numerical_jacobian_pattern(
                f, start, points=3, seed=seed, low=LOW, high=HIGH, rtol=1e-7, atol=1e-9
            )
        except ValueError:
            return  # not finite somewhere
    tally.entries += int(pattern.sum())
    tally.extra += int((pattern & ~expected).sum())
    try:
        assert_covers(pattern, expected)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {error}\n{program.text}") from None


@pytest.mark.parametrize("start", range(0, PROGRAMS, BATCH))
def test_no_entry_is_missing(start):
    tally = Tally()
    for seed in range(start, start + BATCH):
        check(seed, tally)
    assert tally.refused <= BATCH // 4
    assert tally.extra <= 0.6 * tally.entries  # few points are drawn: see above


def test_programs_are_of_some_length():
    lengths = [len(Writer(seed).program().text.splitlines()) for seed in range(50)]
    assert min(lengths) >= 5
    assert sum(lengths) > 50 * 12


def main(count: int) -> int:
    tally, wrong = Tally(), 0
    for seed in range(count):
        try:
            check(seed, tally)
        except Exception as error:
            wrong += 1
            print(f"seed {seed}: {type(error).__name__}: {str(error)[:2000]}\n")
    print(f"{tally}; {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else PROGRAMS))

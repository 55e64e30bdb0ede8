"""Random programs against numerical second derivatives: no entry may be missing.

The numerical pattern is a lower bound (a maximum may always take the same side at the
points drawn), so entries beyond it are counted and reported, and only missing ones are
errors, in the gradient's pattern and in the Hessian's.

Run ``python tests/whole_package/test_random_hessians.py 20000 [SEED]`` to try more programs:
all that is missing is printed, as a program from which every line that does not matter is gone.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # as a script; pytest has these folders from pyproject.toml
    TESTS = Path(__file__).parents[1]
    sys.path[:0] = [str(TESTS), str(TESTS / "support")]

import numpy as np
import pytest
from numpy.typing import NDArray

from cases.programs import HIGH, LOW, Program, Writer, shrunk
from oracles import (
    dense,
    hessian_pattern_at,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace import TracingError, hessian_sparsity, jacobian_sparsity

PROGRAMS, LOCAL_PROGRAMS, BATCH = 300, 50, 25
POINTS = 3
FULL = 5
"""The extra entries of every fifth program are counted: that takes more evaluations."""
GRADIENT = {"rtol": 1e-8, "atol": 1e-10}
HESSIAN = {"rtol": 1e-11, "atol": 1e-11}
STORES = ("auto", "csr", "bitset", "roaring")
HESSIAN_STORES = (*STORES, "dict")

Detector = Callable[..., Any]


@dataclass
class Count:
    """Entries of the patterns, and those that the numerical ones do not show."""

    entries: int = 0
    extra: int = 0

    def add(self, pattern: NDArray[np.bool_], expected: NDArray[np.bool_]) -> None:
        self.entries += int(pattern.sum())
        self.extra += int((pattern & ~expected).sum())

    @property
    def share(self) -> float:
        return self.extra / max(1, self.entries)


@dataclass
class Tally:
    programs: int = 0
    refused: int = 0
    not_finite: int = 0
    gradient: Count = field(default_factory=Count)
    hessian: Count = field(default_factory=Count)

    def __str__(self) -> str:
        counts = [
            f"{name}: {count.extra} of {count.entries} entries ({count.share:.2%}) are extra"
            for name, count in (("gradient", self.gradient), ("Hessian", self.hessian))
        ]
        start = f"{self.programs} programs, {self.refused} refused, {self.not_finite} not finite"
        return "; ".join([start, *counts])


def defined(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Not a number where f raises: shapes may differ beside the point of a local pattern."""

    def numbers(x: NDArray[Any]) -> Any:
        try:
            return f(x)
        except (ArithmeticError, IndexError, ValueError):
            return np.nan

    return numbers


def missing(
    program: Program,
    seed: int,
    tally: Tally | None = None,
    *,
    x: NDArray[Any] | None = None,
    jacobian: Detector = jacobian_sparsity,
    hessian: Detector = hessian_sparsity,
) -> str:
    """What the patterns of a program lack; empty if nothing.

    Parameters
    ----------
    program : Program
    seed : int
        Of the points at which derivatives are taken, and of the stores.
    tally : Tally, optional
        Where extra entries are counted, if that is wanted.
    x : ndarray, optional
        The point of local patterns; global ones without it.
    jacobian, hessian : callable
        The detectors under test.
    """
    start = np.zeros(program.n) if x is None else x
    f = program.compiled()
    numbers = defined(f)
    local = {"local": x is not None}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        gradient = dense(jacobian(f, start.copy(), store=STORES[seed % 4], **local))
        stores = {"store": STORES[seed // 4 % 4], "hessian_store": HESSIAN_STORES[seed % 5]}
        curved = dense(hessian(f, start.copy(), **stores, **local))
        if x is None:
            drawn = {"points": POINTS, "seed": seed, "low": LOW, "high": HIGH}
            first, among = np.zeros_like(gradient), None if tally else ~curved
            if tally or not gradient.all():
                first = numerical_jacobian_pattern(numbers, start, **drawn, **GRADIENT)
            second = numerical_hessian_pattern(numbers, start, **drawn, **HESSIAN, among=among)
        else:
            first = jacobian_pattern_at(numbers, x, **GRADIENT)
            second = hessian_pattern_at(numbers, x, **HESSIAN)
    if tally:
        tally.gradient.add(gradient, first)
        tally.hessian.add(curved, second)
    found = []
    if (curved != curved.T).any():
        found.append("the Hessian's pattern is not symmetric")
    for name, lost in (("gradient", first & ~gradient), ("Hessian", second & ~curved)):
        if lost.any():
            found.append(f"{name}: MISSING {np.argwhere(lost).tolist()}")
    return "; ".join(found)


def check(seed: int, tally: Tally, *, local: bool = False) -> None:
    """Raises AssertionError, with the program, if an entry is missing."""
    writer = Writer(seed, local=local)
    program = writer.program()
    x = writer.x if local else None
    tally.programs += 1
    try:
        lost = missing(program, seed, tally if local or seed % FULL == 0 else None, x=x)
    except TracingError as error:
        tally.refused += 1
        if __name__ == "__main__":
            print(f"seed {seed} refused: {' '.join(str(error).split())[:200]}")
        return
    except Exception as error:
        if "not finite at any" not in str(error):
            error.add_note(f"seed {seed}\n{program.source}")
            raise
        tally.not_finite += 1
        return
    if lost:
        raise AssertionError(f"seed {seed}: {lost}\n{program.source}")


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, PROGRAMS, BATCH))
def test_no_entry_is_missing(start):
    tally = Tally()
    for seed in range(start, start + BATCH):
        check(seed, tally)
    assert tally.refused + tally.not_finite <= BATCH // 5
    assert tally.gradient.entries
    assert tally.hessian.entries


@pytest.mark.parametrize("start", range(0, LOCAL_PROGRAMS, BATCH))
def test_no_entry_is_missing_at_the_point(start):
    tally = Tally()
    for seed in range(start, start + BATCH):
        check(seed, tally, local=True)
    assert tally.refused + tally.not_finite <= BATCH // 5
    assert tally.hessian.entries > tally.hessian.extra


def test_a_deleted_entry_is_reported():
    gradients = hessians = 0
    for seed in range(10):
        program = Writer(seed).program()
        drawn = {"points": POINTS, "seed": seed, "low": LOW, "high": HIGH}
        f, start = defined(program.compiled()), np.zeros(program.n)
        first = np.argwhere(numerical_jacobian_pattern(f, start, **drawn, **GRADIENT))
        second = np.argwhere(numerical_hessian_pattern(f, start, **drawn, **HESSIAN))
        assert not missing(program, seed)
        if len(first):
            less = without(jacobian_sparsity, *first[seed % len(first)])
            assert "gradient: MISSING" in missing(program, seed, jacobian=less)
            gradients += 1
        if len(second):
            less = without(hessian_sparsity, *second[seed % len(second)])
            assert "Hessian: MISSING" in missing(program, seed, hessian=less)
            hessians += 1
    assert gradients >= 5
    assert hessians >= 5


def without(detector: Detector, i: int, j: int) -> Detector:
    """A detector that loses one entry, and its mirror image if there is one."""

    def detect(*args: Any, **kwargs: Any) -> NDArray[np.bool_]:
        pattern = dense(detector(*args, **kwargs))
        pattern[i, j] = False
        if len(pattern) > 1:
            pattern[j, i] = False
        return pattern

    return detect


def test_an_unsymmetric_pattern_is_reported():
    program = Program(3, (), ("x[0] * x[1]",))

    def detect(*args, **kwargs):
        return np.triu(dense(hessian_sparsity(*args, **kwargs)))

    assert "not symmetric" in missing(program, 0, hessian=detect)


def test_programs_differ_and_are_of_some_length():
    programs = [Writer(seed).program() for seed in range(60)]
    lengths = [len(program.lines) for program in programs]
    assert min(lengths) >= 4
    assert max(lengths) > 40
    assert {program.n for program in programs} == set(range(3, 9))
    sources = [program.source for program in programs]
    assert len(set(sources)) == len(sources)
    assert Writer(7).program().source == sources[7]


def test_shrinking_keeps_what_matters():
    lines = ("v0 = x * 2", "v1 = x[0] * x[1]", "v2 = v1 + v0[2]", "v3 = v0 ** 2")
    program = Program(3, lines, ("v2", "v3.sum()"))

    def fails(candidate: Program) -> bool:
        return bool(hessian_sparsity(candidate.compiled(), np.ones(3)).toarray()[0, 1])

    less = shrunk(program, fails)
    assert fails(less)
    assert less.lines == ("v0 = x * 2", "v1 = x[0] * x[1]", "v2 = v1 + v0[2]")
    assert less.terms == ("v2",)


def shrunk_source(seed: int, error: Exception, *, local: bool) -> str:
    """The failing program, as small as it gets while it fails in the same way."""
    writer = Writer(seed, local=local)
    x = writer.x.copy() if local else None

    def fails(candidate: Program) -> bool:
        candidate.compiled()(writer.x.copy())
        try:
            return bool(missing(candidate, seed, x=x))
        except Exception as other:
            return type(other) is type(error) and str(other)[:20] == str(error)[:20]

    at = f"x = np.array({writer.x.tolist()})  # local\n" if local else ""
    return f"{at}{shrunk(writer.program(), fails).source}"


def main(count: int, first: int = 0) -> int:
    wrong = 0
    for local in (False, True):
        tally = Tally()
        for seed in range(first, first + (count // 3 if local else count)):
            try:
                check(seed, tally, local=local)
            except Exception as error:
                wrong += 1
                name = f"{'local ' if local else ''}{type(error).__name__}"
                print(f"seed {seed}: {name}: {str(error).splitlines()[0][:300]}")
                print(shrunk_source(seed, error, local=local), flush=True)
        print(f"{'local' if local else 'global'}: {tally}")
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) if len(sys.argv) > 1 else main(PROGRAMS))

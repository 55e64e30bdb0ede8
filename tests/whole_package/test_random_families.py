"""Random programs of the families in which dependencies get lost, against numerical derivatives.

A program is traced for every input and at one point, in first and in second order, one
after the other in one process.  Each trace holds every entry that plain calls show, or
raises a `TracingError`; an exception of another kind is an error where plain calls work.

Run ``python tests/whole_package/test_random_families.py 10000 --jobs 2`` for more programs,
``--kinds try,threads`` for some families, ``--start N`` to go on: what is missing is printed,
as a program from which every line that does not matter is gone.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # as a script; pytest has these folders from pyproject.toml
    TESTS = Path(__file__).parents[1]
    sys.path[:0] = [str(TESTS), str(TESTS / "support")]

import numpy as np
import pytest
from numpy.typing import NDArray

from cases.program_families import FAMILIES
from cases.programs import HIGH, LOW, Program, Writer, shrunk
from oracles import (
    dense,
    hessian_pattern_at,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace import TracingError, hessian_sparsity, jacobian_sparsity

PROGRAMS, BATCH, CHUNK = 112, 16, 20
POINTS = 3
PATHS = 128
SHRINK = 40
"""So many different findings of one process are made smaller; that takes long."""
SHRINKING = 30
"""So many seconds at most for each."""
SECONDS = 240
"""No program takes longer: after that the process ends, and says where it stands."""
GRADIENT = {"rtol": 1e-7, "atol": 1e-9}
HESSIAN = {"rtol": 1e-9, "atol": 1e-9}
MODES = ("global", "local")
ORDERS = ("jacobian", "hessian")
STORES = ("auto", "csr", "bitset", "roaring")


def families_of(seed: int, kinds: Sequence[str] = ()) -> tuple[str, ...]:
    """One to three families for a seed; the first goes round through all asked for."""
    names = list(kinds or FAMILIES)
    chosen = random.Random(f"families {seed}").sample(names, min(len(names), 3))
    several = (names[seed % len(names)], *chosen[: (seed // len(names)) % 3])
    return tuple(dict.fromkeys(several))


def numbers(f: Callable[[Any], Any]) -> Callable[[NDArray[Any]], Any]:
    """Not a number where f raises an error."""

    def call(x: NDArray[Any]) -> Any:
        try:
            return f(x.copy())
        except Exception:
            return np.nan

    return call


@dataclass(frozen=True)
class Case:
    """A program and the point at which it is traced."""

    seed: int
    program: Program
    x: NDArray[Any]

    @classmethod
    def of(cls, seed: int, kinds: Sequence[str] = ()) -> Case:
        writer = Writer(seed, families=families_of(seed, kinds))
        x = writer.x.copy()
        return cls(seed, writer.program(), x)

    def traced(self, order: str, mode: str, f: Callable[..., Any]) -> NDArray[np.bool_]:
        """The pattern of one trace."""
        detect = jacobian_sparsity if order == "jacobian" else hessian_sparsity
        x = self.x.tolist() if self.program.as_list else self.x.copy()
        args = (x,) if self.program.u is None else (x, self.program.u.copy())
        store = STORES[self.seed % len(STORES)]
        options = {"store": store, "max_paths": PATHS, "local": mode == "local"}
        return dense(detect(f, *args, **options))

    def known(self, order: str, mode: str, found: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The entries that plain calls show; as far as possible only those that were not found."""
        if mode == "local":
            f = numbers(self.program.plain(self.program.u))
            if order == "jacobian":
                return jacobian_pattern_at(f, self.x, **GRADIENT)
            return hessian_pattern_at(f, self.x, **HESSIAN, among=~found)
        result = np.zeros_like(found)
        if found.all():
            return result
        drawn: dict[str, Any] = {"points": POINTS, "low": LOW, "high": HIGH}
        for u in self.others():
            f = numbers(self.program.plain(u))
            for points in range(POINTS):
                drawn = {"points": 1, "seed": 1000 * self.seed + points, "low": LOW, "high": HIGH}
                among = ~found & ~result
                try:
                    if order == "jacobian":
                        result |= numerical_jacobian_pattern(
                            f, self.x, **drawn, **GRADIENT, among=among
                        )
                    else:
                        result |= numerical_hessian_pattern(
                            f, self.x, **drawn, **HESSIAN, among=among
                        )
                except ValueError:  # not finite there
                    continue
        return result

    def others(self) -> Iterator[NDArray[Any] | None]:
        """The second argument, which in a global pattern may be any."""
        yield self.program.u
        if self.program.u is not None:
            rng = np.random.default_rng(self.seed)
            for _ in range(2):
                yield rng.uniform(-1, 1, self.program.u.shape)

    def outcomes(self) -> Iterator[tuple[str, str, str]]:
        """Mode, order and outcome of each trace: empty if all is well."""
        f = self.program.compiled()
        for mode in MODES:
            for order in ORDERS:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    yield mode, order, self.outcome(order, mode, f)

    def outcome(self, order: str, mode: str, f: Callable[..., Any]) -> str:
        try:
            found = self.traced(order, mode, f)
        except TracingError as error:
            return f"refused: {type(error).__name__}: {error}"
        except Exception as error:
            if self.fails():
                return ""
            return f"foreign: {type(error).__name__}: {error}"
        if not found.size:
            return ""
        lost = self.known(order, mode, found) & ~found
        return f"MISSING {np.argwhere(lost).tolist()}" if lost.any() else ""

    def fails(self) -> bool:
        """Whether a plain call fails at the point as well."""
        try:
            self.program.plain(self.program.u)(self.x.copy())
        except Exception:
            return True
        return False

    def smaller(self, mode: str, order: str, outcome: str) -> Program:
        """The program without what it fails in the same way without."""
        kind, end = kind_of(outcome), time.monotonic() + SHRINKING

        def fails(candidate: Program) -> bool:
            case = Case(self.seed, candidate, self.x)
            if time.monotonic() > end or case.fails():
                return False
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return kind_of(case.outcome(order, mode, candidate.compiled())) == kind

        # alone, if it fails alone: not only as the second trace of the same function
        return shrunk(self.program, fails) if fails(self.program) else self.program


def kind_of(outcome: str) -> str:
    """Of which kind an outcome is, without names and numbers of its own."""
    if outcome.startswith("MISSING"):
        return "MISSING"
    text = re.sub(r" at \S+:\d+ \(in [^)]*\)", "", outcome)
    return re.sub(r"[-\d.]+", "#", text)[:70]


@dataclass
class Tally:
    """What became of the traces."""

    programs: int = 0
    traces: int = 0
    refused: int = 0
    missing: int = 0
    foreign: int = 0
    of: Counter[str] = field(default_factory=Counter)
    by_family: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    reports: dict[str, str] = field(default_factory=dict)

    def __iadd__(self, other: Tally) -> Tally:
        for name in ("programs", "traces", "refused", "missing", "foreign"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("of", "by_family", "reasons"):
            getattr(self, name).update(getattr(other, name))
        self.reports.update(other.reports)
        return self

    def __str__(self) -> str:
        counts = f"{self.missing} MISSING, {self.foreign} foreign, {self.refused} refused"
        lines = [f"{self.programs} programs, {self.traces} traces: {counts}"]
        lines += [
            f"  {name}: " + ", ".join(
                f"{self.by_family[name, what]} {what}"
                for what in ("MISSING", "foreign", "refused")
            ) + f" in {count} programs"
            for name, count in sorted(self.of.items())
        ]  # fmt: skip
        lines += [f"  {count} x {why}" for why, count in self.reasons.most_common(40)]
        return "\n".join(lines)


def run(start: int, count: int, kinds: Sequence[str] = (), *, shrink: bool = False) -> Tally:
    """Trace the programs of the seeds from `start`."""
    tally = Tally()
    for seed in range(start, start + count):
        if shrink:
            faulthandler.dump_traceback_later(SECONDS, exit=True)
        case = Case.of(seed, kinds)
        tally.programs += 1
        tally.of.update(case.program.families)
        for mode, order, outcome in case.outcomes():
            tally.traces += 1
            if not outcome:
                continue
            what = outcome.partition(":")[0].partition(" ")[0]
            setattr(tally, what.lower(), getattr(tally, what.lower()) + 1)
            tally.by_family.update((name, what) for name in case.program.families)
            if what == "refused":
                tally.reasons[kind_of(outcome)] += 1
                continue
            program = case.program
            if shrink and len(tally.reports) < SHRINK:
                program = case.smaller(mode, order, outcome)
            lines = "\n".join(program.lines)
            label = f"{mode} {kind_of(outcome)} {re.sub('[0-9]+', '#', lines)[:60]}"
            at = f"# x = np.array({case.x.tolist()})" + (
                "" if program.u is None else f", u = np.array({program.u.tolist()})"
            )
            text = f"seed {seed}, {mode} {order}: {outcome[:300]}\n{at}\n{program.source}"
            tally.reports.setdefault(label, text)
    if shrink:
        faulthandler.cancel_dump_traceback_later()
    return tally


READY: tuple[str, ...] = tuple(FAMILIES)
"""Families that nothing is lost of; of the others the tests ask only that they run."""


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, PROGRAMS, BATCH))
def test_nothing_is_lost(start):
    tally = run(start, BATCH, READY)
    assert not tally.missing + tally.foreign, "\n".join(tally.reports.values())
    assert tally.refused <= tally.traces // 2


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_makes_programs_that_run(name):
    lines: set[str] = set()
    for seed in range(6):
        case = Case.of(seed, (name,))
        assert not case.fails(), case.program.source
        assert case.program.source == Case.of(seed, (name,)).program.source
        lines.update(case.program.lines)
    assert len(lines) > 20


def test_a_plain_call_begins_with_a_fresh_state():
    program = Program(
        3, ("v0 = s0.read(x)",), ("v0",), {}, {}, ("state",), ("s0 = Counter()",)
    )  # fmt: skip
    plain, f = program.plain(), program.compiled()
    x = np.arange(3.0)
    assert [plain(x), plain(x)] == [1.0, 1.0]
    assert [f(x), f(x)] == [1.0, 2.0]


def test_what_is_lost_is_reported_and_made_smaller():
    lines = ("v0 = x * 2", "v1 = float(str(x[1] > 2) == 'True') * x[0]", "v2 = v0[0] + v0[2]")
    program = Program(3, lines, ("v2", "v1"), {}, {"v0": (3,)}, ("types",))
    case = Case(0, program, np.array([1.0, 3.0, 1.0]))
    outcomes = {mode: what for mode, order, what in case.outcomes() if order == "jacobian"}
    lossy = [mode for mode, what in outcomes.items() if what.startswith("MISSING")]
    for mode in lossy:
        less = case.smaller(mode, "jacobian", outcomes[mode])
        assert less.terms == ("v1",)
        assert less.lines == lines[1:2]


def _chunk(task: tuple[int, int, tuple[str, ...]]) -> tuple[int, Tally]:
    start, count, kinds = task
    return start, run(start, count, kinds, shrink=True)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=PROGRAMS)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--kinds", default="", help=", ".join(FAMILIES))
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args(arguments)
    kinds = tuple(filter(None, given.kinds.split(",")))
    assert set(kinds) <= set(FAMILIES), f"--kinds: of {', '.join(FAMILIES)}"
    end = given.start + given.count
    tasks = [(at, min(CHUNK, end - at), kinds) for at in range(given.start, end, CHUNK)]
    total, begun = Tally(), time.perf_counter()
    if given.jobs == 1:
        done: Any = map(_chunk, tasks)
    else:
        pool = multiprocessing.get_context("spawn").Pool(given.jobs)
        done = pool.imap(_chunk, tasks)
    for _, tally in done:
        for label, text in tally.reports.items():
            if label not in total.reports:
                print(f"{text}\n", flush=True)
        total += tally
    seconds = time.perf_counter() - begun
    print(f"{total}\n{total.programs / seconds:.1f} programs/s")
    return 1 if total.missing + total.foreign else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

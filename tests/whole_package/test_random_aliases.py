"""Random programs in which arrays have several names, against plain calls.

Run ``python tests/whole_package/test_random_aliases.py 3000 --start N`` for more of them.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # as a script; pytest has these folders from pyproject.toml
    TESTS = Path(__file__).parents[1]
    sys.path[:0] = [str(TESTS), str(TESTS / "support")]

import numpy as np
import pytest

from cases.alias_programs import TURNS, AliasProgram, programs
from oracles import dense, jacobian_pattern_at
from sparsetrace import TracingError, jacobian_sparsity

COUNT, BATCH = 104, 13
POINTS = 4
N = TURNS + 2


def outcome(program: AliasProgram) -> str:
    """What is wrong with the traces of a program: empty if nothing is."""
    rng = np.random.default_rng(program.seed)
    points = rng.uniform(-1, 1, (POINTS, N))
    plain = program.compiled()
    try:
        known = [jacobian_pattern_at(lambda x: plain(x.copy()), x) for x in points]
    except Exception:
        return "fails"
    for local in (False, True):
        try:
            found = dense(
                jacobian_sparsity(program.compiled(), points[0], local=local, verify=False)
            )
        except TracingError as error:
            return f"refused: {type(error).__name__}: {error}"
        except Exception as error:
            return f"FOREIGN {type(error).__name__}: {error}"
        wanted: Any = known[0] if local else np.any(known, axis=0)
        if found.shape != wanted.shape:
            return f"SHAPE {found.shape}, not {wanted.shape}"
        if (wanted & ~found).any():
            return f"MISSING {np.argwhere(wanted & ~found).tolist()}, local={local}"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, COUNT, BATCH))
def test_nothing_is_lost(start):
    outcomes = {program: outcome(program) for program in programs(start, BATCH)}
    wrong = [f"{what}\n{one.source}" for one, what in outcomes.items() if what[:1].isupper()]
    assert not wrong, "\n".join(wrong)
    refused = [what for what in outcomes.values() if what]
    assert len(refused) <= BATCH // 2, "\n".join(refused)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=COUNT)
    parser.add_argument("--start", type=int, default=0)
    given = parser.parse_args(arguments)
    kinds: Counter[str] = Counter()
    warnings.simplefilter("ignore")
    for program in programs(given.start, given.count):
        what = outcome(program)
        kinds[what.partition(" ")[0]] += 1
        if what[:1].isupper() or what.startswith("refused"):
            print(f"seed {program.seed}: {what[:300]}\n{program.source}", flush=True)
    print(dict(kinds))
    return 1 if any(kind[:1].isupper() for kind in kinds) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

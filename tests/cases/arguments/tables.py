"""All calls of NumPy's functions that are tested with each of their arguments.

Contract: text alone.  `TABLES` gives, by title and function, calls as expressions over the
names of `expressions.namespace`, each with the reason why its pattern may have more entries
than needed, empty if it may not.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import NumpyVersion

from cases.arguments import grid, ufuncs

__all__ = ["TABLES"]

_FUNCTION = re.compile(r"\bnp\.([\w.]+)\(")
_METHOD = re.compile(r"(?<!\bnp)\.([a-zA-Z]\w*)")

Table = dict[str, list[tuple[str, str]]]
"""For each function: its calls, and why their patterns may have more entries than needed."""


def tables() -> dict[str, Table]:
    """The calls in calls/*.txt that this NumPy has, by file and function.

    A line reads ``call  # extra: why``; a second note, ``# since: 2.1.0``, says which
    release of NumPy first takes these arguments.
    """
    folder = Path(__file__).parent / "calls"
    return {path.stem: table(path.read_text()) for path in sorted(folder.glob("*.txt"))}


def table(text: str) -> Table:
    """Calls by the function that each names first, else by its first method."""
    found: Table = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        call, *notes = line.split("  # ")
        said = dict(note.split(": ", 1) for note in notes)
        name = _name(call)
        if _is_present(name) and NumpyVersion(np.__version__) >= said.get("since", "2.0.0"):
            found.setdefault(name, []).append((call, said.get("extra", "")))
    return found


def _name(call: str) -> str:
    function = _FUNCTION.search(call)
    if function is not None:
        return function.group(1)
    method = _METHOD.search(call)
    return "operators" if method is None else f"ndarray.{method.group(1)}"


def _is_present(name: str) -> bool:
    """Whether this NumPy has the function, such that it can be traced."""
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part, None)
    if name.endswith(("val2d", "grid2d", "valnd")):  # they hand over since NumPy 2.3 and 2.5
        return hasattr(found, "_implementation")
    return found is not None or name == "operators"


TABLES: dict[str, Table] = {
    "reductions": grid.reductions(),
    "methods": grid.methods(),
    "ufuncs": ufuncs.calls(),
    **tables(),
}

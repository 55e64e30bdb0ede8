"""What a completeness test says of a function without a rule: the file to write it in.

Contract: nothing is listed here.  The file is the one that has the rules of most functions
beside which NumPy defines the one that lacks its own.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from sparsetrace.operands.registry import RULES

ROOT = next(p for p in Path(__file__).resolve().parents if (p / "CONTRIBUTING.md").is_file())
FUNCTION, UFUNC, SCIPY = "Add a NumPy function", "Add a ufunc", "Add a SciPy function"
"""Headings of CONTRIBUTING.md."""


def advice(what: str, place: str, heading: str) -> str:
    return f'{what} has no rule: write it in {place} (CONTRIBUTING.md, "{heading}")'


def for_functions(functions: Iterable[object]) -> str:
    """A line for each function of NumPy's that no table names."""
    return "\n".join(
        advice(f"{f.__module__}.{f.__name__}", _place(f), FUNCTION)
        for f in sorted(functions, key=lambda f: (f.__module__, f.__name__))
    )


def for_ufuncs(ufuncs: Iterable[np.ufunc]) -> str:
    """A line for each ufunc of NumPy's or of scipy.special without a record."""
    public = {value for value in vars(np).values() if isinstance(value, np.ufunc)}
    lines = []
    for ufunc in sorted(ufuncs, key=lambda ufunc: ufunc.__name__):
        owner, prefix = ("numpy", "numpy") if ufunc in public else ("scipy.special", "special")
        place = f"the module of its topic among sparsetrace/rules/{prefix}_*.py"
        lines.append(advice(f"{owner}.{ufunc.__name__}", place, UFUNC))
    return "\n".join(lines)


def for_scipy(names: Iterable[str]) -> str:
    """A line for each name, as in ``scipy.signal.lfilter``, that has no rule where it should."""
    lines = []
    for name in sorted(names):
        topic = name.removeprefix("scipy.").partition(".")[0]
        folder = "linalg" if topic == "sparse" else topic
        lines.append(advice(name, f"a module of sparsetrace/scipy_rules/{folder}/", SCIPY))
    return "\n".join(lines)


def _place(function: object) -> str:
    """The module of most functions from the same file of NumPy's; the first three, if none has."""
    home = _file_of(function)
    modules = Counter(
        rule.handler.__module__.rpartition(".")[2]
        for known, rule in RULES.items()
        if home and _file_of(known) == home
    )
    if not modules:
        return "the module of its topic in sparsetrace/numpy_rules/"
    (first, count), *others = modules.most_common(3)
    if 2 * count > modules.total():
        return f"sparsetrace/numpy_rules/{first}.py"
    names = ", ".join(f"{name}.py" for name in (first, *(name for name, _ in others)))
    return f"the module of its topic in sparsetrace/numpy_rules/ ({names}, ...)"


def _file_of(function: object) -> str | None:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code and code.co_filename

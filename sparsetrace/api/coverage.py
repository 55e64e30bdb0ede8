"""Which function of NumPy is answered how: the page docs/coverage.md.

Contract: read off the tables that answer the calls, so that the page cannot differ from
what happens.  ``python -m sparsetrace coverage`` prints it.
"""

from __future__ import annotations

import importlib
import textwrap
from collections.abc import Callable, Container
from typing import Any

import numpy as np
from numpy.testing.overrides import get_overridable_numpy_array_functions
from scipy import special

import sparsetrace.dispatch.calls  # noqa: F401  (imports every module of rules)
from sparsetrace.numpy_rules.array_manipulation import MOVES
from sparsetrace.operands.implementations import IMPLEMENTED
from sparsetrace.operands.refusals import REFUSED, TEXTS
from sparsetrace.operands.registry import RULES
from sparsetrace.rules import RECORDS

__all__ = ["classes", "page"]

Function = Callable[..., Any]

_SUBMODULES = "fft linalg strings char lib.recfunctions lib.scimath polynomial".split()
"""Modules that register functions only once they are imported."""


def _known() -> list[Function]:
    """As NumPy lists them: constructors with ``like=`` may be there twice."""
    for module in _SUBMODULES:
        importlib.import_module(f"numpy.{module}")
    return [_public(f) for f in get_overridable_numpy_array_functions()]


def _public(function: Function) -> Function:
    """The function that is handed over: for ``np.eye(..., like=x)`` that is ``np.eye``."""
    result = (
        getattr(np, function.__name__, function) if function.__module__ == "numpy" else function
    )
    return result


def _name(function: Function) -> str:
    return f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1)


def classes() -> dict[str, list[str]]:
    """The functions that hand over to other array types, by how they are answered.

    Examples
    --------
    >>> "np.roll" in classes()["move"]
    True
    """
    local = {f for f in REFUSED if f in RULES}
    members: dict[str, Container[Function]] = {
        "rule": set(RULES) - local,
        "move": MOVES,
        "NumPy's own code": IMPLEMENTED,
        "at a point": local,
        "text": TEXTS,
        "refused": set(REFUSED) - local - TEXTS,
    }
    known = _known()
    return {
        title: sorted(_name(function) for function in known if function in some)
        for title, some in members.items()
    }


def _recorded(module: object) -> int:
    """How many of a module's public ufuncs have a record."""
    named = (getattr(module, name) for name in dir(module) if not name.startswith("_"))
    return len({f for f in named if isinstance(f, np.ufunc)}.intersection(RECORDS))


_MEANINGS = {
    "rule": "a rule of its own, first and second order",
    "move": "NumPy itself, run on the node ids: it only moves elements",
    "NumPy's own code": "NumPy's own Python code, run on traced arrays",
    "at a point": "traced with `local=True`; for every input refused where somebody asks for the "
    "result's shape or truth, which depends on the values",
    "text": "constant: takes text, which carries no dependency; refused where a traced number is "
    "handed to it",
    "refused": "refused by name, with a way out",
}


def page() -> str:
    """The page as Markdown."""
    result = classes()
    total = sum(map(len, result.values()))
    traced = total - len(result["refused"])
    lines = [
        "# Coverage",
        "",
        "Made by `python -m sparsetrace coverage`, from the tables that answer the calls; a test",
        "compares the two.",
        "",
        f"NumPy {'.'.join(np.__version__.split('.')[:2])} has {total} functions that hand over to "
        "other array types (`numpy.fft`,",
        "`numpy.linalg`, `numpy.strings` and `numpy.lib` included). "
        f"{traced} of them are traced or constant.",
        "",
        "| class | functions | meaning |",
        "|---|---:|---|",
    ]
    lines += [f"| {title} | {len(result[title])} | {_MEANINGS[title]} |" for title in result]
    lines += [
        "",
        f"Ufuncs: {_recorded(np)} of NumPy and {_recorded(special)} of `scipy.special` have a "
        "record of their derivatives, first and",
        "second; `matmul`, `matvec`, `vecmat` and `vecdot` have rules. Any other ufunc depends on",
        "all of its arguments, nonlinearly.",
    ]
    for title, names in result.items():
        lines += ["", f"## {title[0].upper()}{title[1:]}", ""]
        if title == "refused":
            lines += _reasons(names)
        else:
            shown = sorted(set(names))
            text = ", ".join(f"`{name.removeprefix('np.')}`" for name in shown)
            lines += textwrap.wrap(text, 96, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def _reasons(names: list[str]) -> list[str]:
    by_reason: dict[tuple[str, ...], list[str]] = {}
    reasons = {_name(f): reason for f, reason in REFUSED.items()}
    for name in names:
        by_reason.setdefault(reasons[name], []).append(f"`{name.removeprefix('np.')}`")
    rows = [
        f"| {', '.join(some)} | {why} | {' '.join(ways)} |"
        for (why, *ways), some in by_reason.items()
    ]
    return ["| function | why | instead |", "|---|---|---|", *rows]

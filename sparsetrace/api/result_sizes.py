"""How many values a function returns, where that depends on its inputs.

Contract: a Jacobian has one shape.  Where paths return different numbers of values, the pattern
is that of all inputs for which there are as many as at the given arguments; the other paths are
named.  Nothing is lost silently: with another number of values the function shows itself that
the pattern is not that of such an input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from sparsetrace.api.compressed import Found
from sparsetrace.errors import BY_VALUES, ValueDependentError, explain
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows
from sparsetrace.tracing.driver import Run

__all__ = ["of_one_size"]


def of_one_size(
    runs: list[Run], patterns: list[Found], own_size: Callable[[], float | None]
) -> tuple[list[Run], list[Found], tuple[str, ...]]:
    """The runs that returned as many values as the function does, and a line for the others.

    ``if not np.all(ok): return np.nan`` returns one number where the function returns an array
    elsewhere, but no derivative: then those with derivatives are meant.

    Parameters
    ----------
    runs : list of Run
    patterns : list of Found
        What each has found.
    own_size : callable
        Tells how many values the function returns for the given arguments; None where it fails.

    Raises
    ------
    ValueDependentError
        If no run returned as many values as the function does at the given arguments.
    """
    found = [len(run.outputs) for run in runs]
    if len(set(found)) == 1:
        return runs, patterns, ()
    with_entries = {
        size for size, pattern in zip(found, patterns, strict=True) if _entries_of(pattern)
    }
    size: float | None = None
    if len(with_entries) == 1 and all(found):
        (size,) = with_entries
    else:
        size = own_size()
        if size not in found:
            _refuse(found)
    lines = tuple(_line(other, size, other in with_entries) for other in sorted({*found} - {size}))
    kept = [at for at, count in enumerate(found) if count == size]
    return [runs[at] for at in kept], [patterns[at] for at in kept], lines


def _entries_of(found: Found) -> int:
    return found.nnz if isinstance(found, IntervalRows) else len(found[1])


def _line(other: int, size: float | None, has_derivatives: bool) -> str:
    if has_derivatives:
        return f"{other} values, in place of {size} as for the given arguments"
    return f"{other} values without derivatives, in place of {size}"


def _refuse(found: list[int]) -> NoReturn:
    raise ValueDependentError(
        explain(
            "a branch",
            f"how many values the function returns depends on it ({sorted(set(found))})",
            "Return arrays of one shape: np.where(m, x, 0) in place of x[m].",
            BY_VALUES,
        )
    )

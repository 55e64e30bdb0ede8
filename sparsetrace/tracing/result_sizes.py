"""How many values a function returns on each of its paths: as many wherever it has derivatives."""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

from sparsetrace.errors import BY_VALUES, ValueDependentError, explain

__all__ = ["refuse_sizes"]


def refuse_sizes(sizes: Collection[int]) -> NoReturn:
    """Refuse a function whose results with derivatives differ in number."""
    raise ValueDependentError(
        explain(
            "a branch",
            f"how many values the function returns depends on it ({sorted(set(sizes))})",
            "Return arrays of one shape: np.where(m, x, 0) in place of x[m].",
            BY_VALUES,
        )
    )

"""Functions that are refused, each with its reason and a way out.

Contract: no pattern is ever guessed.  A function that no table names, as one from a newer
release of NumPy, is refused too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.lib import recfunctions

from sparsetrace.errors import (
    BY_VALUES,
    TracingError,
    UnsupportedError,
    ValueDependentError,
    explain,
    opaque_call,
)

__all__ = [
    "AT_A_POINT",
    "REFUSED",
    "TEXTS",
    "name_call",
    "name_of",
    "refuse_no_numbers",
    "refuse_resize",
]

_FILE = (
    "it writes the values to a file, and traced elements have none",
    "Save plain arrays, after the trace.",
)
_DATES = ("it works on dates", "Compute it from constants, outside of the traced function.")
_SETS = (
    "how many distinct values there are depends on the inputs",
    "Use np.sort, which keeps the shape; constants, for a fixed set of indices.",
    BY_VALUES,
)

_TEXT = ("it works on text", "Build text outside of the traced function.")
_RECORDS = (
    "it works on structured arrays, whose fields the trace does not follow",
    "Use one array for each field.",
)

_FILES = "save savez savez_compressed savetxt"
_CALENDAR = "busday_count busday_offset is_busday datetime_as_string"
_SET_OPERATIONS = (
    "unique unique_all unique_counts unique_inverse unique_values intersect1d setdiff1d "
    "setxor1d union1d"
)
_STRINGS = """
capitalize center decode encode expandtabs ljust lower mod multiply partition replace rjust
rpartition swapcase title translate upper zfill join rsplit split splitlines
"""
_CHAR = "equal greater greater_equal less less_equal not_equal"
_FIELDS = """
append_fields apply_along_fields assign_fields_by_name drop_fields find_duplicates join_by
merge_arrays rec_append_fields rec_drop_fields rec_join recursive_fill_fields rename_fields
repack_fields require_fields stack_arrays structured_to_unstructured
unstructured_to_structured
"""


def _overridable(module: Any, names: str) -> list[Callable[..., Any]]:
    """The functions of these names that hand over to other array types.

    Which of the text functions do changes from release to release.
    """
    result = (getattr(module, name, None) for name in names.split())
    return [f for f in result if f is not None and hasattr(f, "_implementation")]


_REASONS: dict[Callable[..., Any], tuple[str, ...]] = {
    getattr(np, name): reason
    for names, reason in (
        (_FILES, _FILE),
        (_CALENDAR, _DATES),
        (_SET_OPERATIONS, _SETS),
    )
    for name in names.split()
}
_REASONS |= dict.fromkeys(_overridable(np.strings, _STRINGS), _TEXT)
_REASONS |= dict.fromkeys(_overridable(np.char, _STRINGS + _CHAR), _TEXT)
_REASONS |= dict.fromkeys(_overridable(recfunctions, _FIELDS), _RECORDS)
TEXTS = frozenset(_overridable(np.strings, _STRINGS) + _overridable(np.char, _STRINGS + _CHAR))
"""Functions of text, which see a traced number only where they take a count or a width."""


AT_A_POINT = TEXTS | {getattr(np, name) for name in _FILES.split()}
"""Refused in local traces too: what is read back from text and files depends on nothing."""


def name_of(function: Callable[..., Any]) -> str:
    """As the user writes it.

    Examples
    --------
    >>> name_of(np.linalg.inv)
    'np.linalg.inv'
    """
    return f"{function.__module__}.{function.__name__}".replace("numpy", "np", 1)


def name_call(error: Exception, function: Callable[..., Any]) -> None:
    """A note that names the function, on an error that does not."""
    name = name_of(function)
    if name not in str(error):
        error.add_note(f"while tracing {name}")


class _Refused(dict[Callable[..., Any], tuple[str, ...]]):
    """Reason and ways out by function; makes the error for any function."""

    def error(self, function: Callable[..., Any], name: str) -> TracingError:
        if function in self:
            problem, *remedies = self[function]
            return ValueDependentError(explain(name, problem, *remedies))
        return UnsupportedError(
            explain(
                name,
                "this function has no rule, and without one a dependency could be lost",
                "Write it with functions that have one, or report it.",
                opaque_call(name),
            )
        )

    def value_dependent(self, name: str) -> TracingError:
        return ValueDependentError(
            explain(
                name,
                "an index or a mask depends on the inputs",
                "Use np.where over the candidates, or indices computed from constants.",
                BY_VALUES,
            )
        )


REFUSED = _Refused(_REASONS)


def refuse_resize() -> NoReturn:
    """Refuse to change an array in place: its views would not follow."""
    raise UnsupportedError(
        explain(
            "ndarray.resize",
            "it would move the elements under views of them",
            "Use np.resize(x, shape), which returns a new array.",
        )
    )


def refuse_no_numbers(dtype: np.dtype[Any]) -> None:
    """Refuse ``astype`` of what a trace does not follow: dates, text, records."""
    if dtype.kind not in "biufc":
        problem = "this type holds no numbers"
        raise UnsupportedError(explain(f"astype({dtype})", problem, "Keep a float type."))

"""Whether code may lose imaginary parts on a way that it does not go at one point.

Contract: a probe of the complex step sees one path and one choice of each element.  Names tell
what other paths may do: a function whose code names nothing of this kind raises an error where
it cannot take complex numbers, or is as analytic everywhere as it is there.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from sparsetrace.user_code.reach import Reached

__all__ = ["may_lose_imaginary_parts"]

_FUNCTIONS = (np.ufunc, type(np.linalg.norm), types.FunctionType, types.BuiltinFunctionType)
_NAMES = frozenset(
    # parts, sizes and conjugates of numbers
    "abs absolute __abs__ abs2 real imag angle sign conj conjugate H getH real_if_close "
    # products and moments that take conjugates
    "vdot vecdot var std nanvar nanstd cov corrcoef correlate norm vector_norm matrix_norm "
    # decompositions that do, or whose values are real
    "cholesky cho_factor qr svd svdvals eigh eigvalsh eigh_tridiagonal lstsq pinv pinvh cond "
    "slogdet polar ldl null_space orth irfft irfft2 irfftn hfft "
    # questions that complex numbers answer otherwise
    "iscomplex isreal iscomplexobj isrealobj".split()
)


def may_lose_imaginary_parts(found: Reached) -> bool:
    """Whether any code may call a function that drops imaginary parts without an error.

    In doubt, yes.

    Parameters
    ----------
    found : Reached
        What the function can reach.
    """
    return found.unknown or any(
        name in _NAMES or _name_of(value) in _NAMES for name, value in _named(found)
    )


def _named(found: Reached) -> Iterator[tuple[str, Any]]:
    """What the user's code names, and what it has under names of its own."""
    for code, scope in found.codes:
        if not code.foreign:
            for name in code.names:
                yield name, scope.get(name)
    for cell in found.cells:
        with suppress(ValueError):  # it is empty
            yield "", cell.cell_contents
    for _, _, attributes in found.objects:
        yield from (("", value) for value in [*attributes.values()])


def _name_of(value: Any) -> str | None:
    return value.__name__ if isinstance(value, _FUNCTIONS) else None

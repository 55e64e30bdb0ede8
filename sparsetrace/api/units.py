"""Amounts that users write as text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from sparsetrace.errors import InputError

__all__ = ["bytes_of"]

_SIZE = re.compile(r"\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


def bytes_of(given: Any) -> int | None:
    """An amount of memory in bytes; None stays None.

    Raises
    ------
    InputError
        If it is no amount.

    Examples
    --------
    >>> bytes_of("1.5 GB"), bytes_of("64KiB"), bytes_of(1e6), bytes_of(None)
    (1500000000, 65536, 1000000, None)
    """
    if given is None:
        return None
    try:
        if isinstance(given, str):
            number, unit, binary = _SIZE.fullmatch(given).groups()  # type: ignore[union-attr]
            power = " kmgt".index(unit.lower() or " ")
            return int(float(number) * (1024 if binary else 1000) ** power)
        if isinstance(given, (int, float, np.integer)) and given > 0 and given is not True:
            return int(given)
    except (AttributeError, ValueError, OverflowError):
        pass
    raise InputError(f"max_memory={given!r}: bytes are wanted, or text like '1.5 GB'")

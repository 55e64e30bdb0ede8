"""Traces whose first attempts find too many paths, so that the last runs branches apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from sparsetrace.capture.branches import Branches
from sparsetrace.tracing import driver


@contextmanager
def impatient(attempts: int) -> Iterator[None]:
    """Within it so many attempts of one trace may run a single path each."""
    left = attempts

    def limited(max_paths: int, **options: Any) -> Branches:
        nonlocal left
        left -= 1
        return Branches(max_paths if left < 0 else 1, effort=options.get("effort"))

    with patch.object(driver, "Branches", limited):
        yield

"""The examples in the pages of docs/ run as they stand there."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["derivatives", "how-it-works", "scale"])
def test_page(name):
    page = Path(__file__).parents[2] / "docs" / f"{name}.md"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, attempted = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert attempted > 5
    assert not failed

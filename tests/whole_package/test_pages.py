"""The examples in the pages of docs/ run as they stand there."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_the_page_on_how_it_works():
    page = Path(__file__).parents[2] / "docs" / "how-it-works.md"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, attempted = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert attempted > 10
    assert not failed

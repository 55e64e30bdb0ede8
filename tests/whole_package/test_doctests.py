"""The examples in the docstrings, of the package that is installed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import sparsetrace

MODULES = [
    "sparsetrace",
    *(
        module.name
        for module in pkgutil.walk_packages(sparsetrace.__path__, "sparsetrace.")
        if not module.name.endswith("__main__")
    ),
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, capsys):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=flags)
    assert not failed, capsys.readouterr().out


def test_the_main_module_has_examples():
    from sparsetrace.api import pattern

    assert doctest.testmod(pattern).attempted > 5

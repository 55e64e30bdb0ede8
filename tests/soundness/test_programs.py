"""Every program of tests/soundness/programs holds each entry, or is refused."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from soundness import programs
from soundness.harness import MODES, ORDERS, check

FAMILIES = sorted(module.name for module in pkgutil.iter_modules(programs.__path__))
ALL = [
    pytest.param(program, id=f"{family}-{program.name}")
    for family in FAMILIES
    for program in importlib.import_module(f"soundness.programs.{family}").PROGRAMS
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("program", ALL)
def test_nothing_is_lost(program, order, mode):
    check(program, order, mode)


@pytest.mark.parametrize("family", FAMILIES)
def test_there_are_six_of_each_family(family):
    module = importlib.import_module(f"soundness.programs.{family}")
    if hasattr(module, "NEEDS"):
        pytest.importorskip(module.NEEDS)
    assert len(module.PROGRAMS) >= 6

"""The list of SciPy's functions, the rules that it names, and the functions that they answer."""

from __future__ import annotations

import functools
import importlib.util
import types

from sparsetrace import scipy_rules
from sparsetrace.dispatch.function_rules import REGISTERED


def test_every_name_has_a_rule_and_every_rule_a_name():
    """SciPy's functions are listed once, and the rules are found by their names."""
    listed: dict[str, set[str]] = {}
    for module, topics in scipy_rules.RULES.items():
        for topic, names in topics.items():
            rules = importlib.import_module(f"sparsetrace.scipy_rules.{topic}")
            for name in names.split():
                rule = getattr(rules, scipy_rules.rule_name(name), None)
                assert callable(rule), f"{topic} has no rule for {module}.{name}"
                listed.setdefault(topic, set()).add(scipy_rules.rule_name(name))
    for topic, names in listed.items():
        rules = importlib.import_module(f"sparsetrace.scipy_rules.{topic}")
        public = {
            name
            for name, value in vars(rules).items()
            if isinstance(value, types.FunctionType) and value.__module__ == rules.__name__
        }
        unlisted = {name for name in public - names if not name.startswith("_")} - HELPERS
        assert not unlisted, f"{topic}: name {unlisted} in sparsetrace/scipy_rules/__init__.py"


HELPERS = set(
    "bernstein coordinates_of full_convolution is_operator minkowski_of mirrored solution solved "
    "stand_for toeplitz_of uncut units_of window_of".split()
)
"""Functions of modules of rules that are no rules, but used by others."""


def _is_there(module):
    """Whether this release of SciPy has a module."""
    try:
        importlib.import_module(module)
    except ModuleNotFoundError:
        return False
    return True


def test_rules_read_parameters_that_scipy_has():
    """Each rule is bound to its function, as a first call does it."""
    known = set()
    for module, rules in REGISTERED.items():
        found = module in scipy_rules.RULES and _is_there(module)
        for name, rule in rules.items() if found else ():
            owner = getattr(importlib.import_module(module), name.partition(".")[0], None)
            if isinstance(owner, type) and owner.__flags__ & 1 << 8:
                continue  # compiled: Rotation, before SciPy 1.17
            original = functools.reduce(
                lambda holder, part: getattr(holder, part, None),
                name.split("."),
                importlib.import_module(module),
            )
            original = getattr(original, "__func__", original)  # of a class method
            if original is not None:  # not every release has every function
                assert rule.bound(original).call.original is original
                known.add(rule.name)
    assert {"scipy.linalg.solve", "scipy.interpolate.CubicSpline.__init__"} <= known
    assert len(known) > 130

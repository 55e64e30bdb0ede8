"""Python lists and tuples of traced numbers, given to NumPy."""

from __future__ import annotations

import ast
import operator
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from numpy.testing.overrides import get_overridable_numpy_array_functions
from outside import Outside

import sparsetrace as st
from cases.list_calls import FUNCTIONS, OBJECTS, traced
from oracles import (
    assert_covers,
    assert_same_pattern,
    jacobian_pattern_at,
    numerical_jacobian_pattern,
)


@pytest.mark.parametrize("call", FUNCTIONS + OBJECTS)
def test_patterns(call):
    f = traced(call)
    x = np.array([0.8, 1.7, 1.1])
    expected = numerical_jacobian_pattern(f, x, low=0.5, high=2.0, points=12)
    assert_same_pattern(st.jacobian_sparsity(f, x), expected)
    assert_covers(st.jacobian_sparsity(f, x, local=True), jacobian_pattern_at(f, x))


@pytest.mark.parametrize("call", FUNCTIONS)
def test_results_are_arrays_of_floats(call):
    f = traced(call)
    shown = Outside()

    def noted(x):
        result = f(x)
        # not by name: code that names it gets no arrays of objects at all
        shown.append((np.shape(result), operator.attrgetter("dty" + "pe")(result)))
        return result

    x = np.array([0.8, 1.7, 1.1])
    st.jacobian_sparsity(noted, x)
    assert shown[-1] == (np.shape(f(x)), np.asarray(f(x)).dtype)


def test_what_has_no_lists_is_run_once():
    runs = Outside()

    def f(x):
        runs.append(None)
        return np.mean(x) * x[0] + np.sum(x[1:])

    st.jacobian_sparsity(f, np.ones(3))
    assert len(runs) == 1


def test_names_are_restored():
    before = np.mean, np.linalg.norm
    st.jacobian_sparsity(lambda x: np.mean([x[0], x[1]]), np.ones(3))
    assert (np.mean, np.linalg.norm) == before


def test_hessians():
    pattern = st.hessian_sparsity(lambda x: np.mean([x[0] * x[1], x[2] ** 2]), np.ones(3))
    assert pattern.toarray().astype(int).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


# ------------------------------------------------- what the package itself makes of the names
OVERRIDABLE = get_overridable_numpy_array_functions()


def is_exchanged(text):
    """Whether ``np.linalg.norm`` names a function that is exchanged."""
    try:
        found = attrgetter(text.removeprefix("np."))(np)
    except (AttributeError, TypeError):
        return False
    return text.startswith("np.") and callable(found) and found in OVERRIDABLE


def functions_by_name(tree):
    """Lines in functions that compare or look up ``np.f``, which may be exchanged by then."""
    found = Outside()

    def visit(node, inside):
        looks_up = isinstance(node, ast.Call) and ast.unparse(node.func) in LOOK_UPS
        if inside and (looks_up or isinstance(node, (ast.Compare, ast.Subscript))):
            parts = node.args if looks_up else list(ast.iter_child_nodes(node))
            parts = [*parts, *(item for part in parts for item in getattr(part, "elts", ()))]
            found.extend(
                f"{node.lineno}: {ast.unparse(node)}"
                for part in parts
                if isinstance(part, ast.Attribute) and is_exchanged(ast.unparse(part))
            )
        for child in ast.iter_child_nodes(node):
            inner = isinstance(node, (ast.FunctionDef, ast.Lambda))
            decorator = inner and child in getattr(node, "decorator_list", ())
            visit(child, inside or (inner and not decorator))

    visit(tree, inside=False)
    return found


PACKAGES = "rules operands numpy_rules dispatch masked arrays scipy_rules capture".split()
LOOK_UPS = ("rebound", "REFUSED.error")


@pytest.mark.parametrize("package", PACKAGES)
def test_functions_are_compared_with_names_bound_early(package):
    folder = Path(st.__file__).parent / package
    found = {
        path.name: functions_by_name(ast.parse(path.read_text()))
        for path in sorted(folder.rglob("*.py"))
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_comparison_by_name_is_found():
    source = "def f(g):\n    return g is np.mean or g in (np.std, np.var)"
    assert len(functions_by_name(ast.parse(source))) == 3

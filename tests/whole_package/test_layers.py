"""Which module may import which: one way only, as the design draws it."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest

import sparsetrace

ROOT = Path(sparsetrace.__file__).parent
ORDER = (
    "user_code errors rules graph passes propagation context operands numpy_rules dispatch "
    "numbers masked arrays scipy_rules capture tracing verification api"
).split()
"""Rooms from the bottom up.  Propagation needs the graph alone, so it stands low."""
LAYER = {name: level for level, name in enumerate(ORDER)}
GRAPH_ONLY = frozenset(("graph", "passes", "propagation"))
"""These know nodes and index sets, and nothing of NumPy functions or traced arrays."""
RULES_ONLY = frozenset(("rules",))
"""Rules know ufuncs and constants, and nothing of traced arrays, graphs or stores."""
ENTRIES = frozenset(("__init__", "__main__"))


def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in sorted(ROOT.rglob("*.py"))
    }


def imported(path: Path, *, inside_functions: bool) -> set[str]:
    """The package's own modules that a file imports, as dotted names below the package."""
    found = set()
    tree = ast.parse(path.read_text())
    nested = {
        inner
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        if (node in nested) != inside_functions:
            continue
        names = []
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == "sparsetrace" and rest:
                found.add(rest)
    return found


def layer_name(module: str) -> str:
    return module.partition(".")[0]


@pytest.mark.parametrize("module", modules())
def test_imports_point_one_way(module):
    if layer_name(module) in ENTRIES:
        return
    mine = layer_name(module)
    assert mine in LAYER, f"{module} is in no layer; add it to ORDER"
    for other in imported(modules()[module], inside_functions=False):
        theirs = layer_name(other)
        if theirs == mine:
            continue
        assert theirs in LAYER, f"{module} imports {other}"
        assert LAYER[theirs] <= LAYER[mine], f"{module} imports {other}, a later layer"


@pytest.mark.parametrize("module", [m for m in modules() if layer_name(m) in GRAPH_ONLY])
def test_stores_and_propagation_know_the_graph_alone(module):
    known = {layer_name(m) for m in imported(modules()[module], inside_functions=False)}
    assert known <= GRAPH_ONLY | {"errors"}


@pytest.mark.parametrize("module", [m for m in modules() if layer_name(m) in RULES_ONLY])
def test_rules_know_no_graph(module):
    known = {layer_name(m) for m in imported(modules()[module], inside_functions=False)}
    assert known <= RULES_ONLY | {"errors"}


@pytest.mark.parametrize("module", modules())
def test_no_private_name_of_another_room_is_used(module):
    tree = ast.parse(modules()[module].read_text())
    private: list[str] = []
    modules_of_others: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        package, _, rest = node.module.partition(".")
        if package == "sparsetrace" and layer_name(rest) != layer_name(module):
            names = [alias.name for alias in node.names]
            private += [name for name in names if name.startswith("_")]
            modules_of_others.update(n for n in names if f"{rest}.{n}".strip(".") in modules())
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in modules_of_others:
            private += [node.attr] if node.attr.startswith("_") else []
    assert not private


@pytest.mark.parametrize("module", modules())
def test_no_module_imports_inside_functions(module):
    """Optional packages are none of the package's own."""
    assert not imported(modules()[module], inside_functions=True)


def test_every_layer_exists():
    for name in LAYER:
        assert find_spec(f"sparsetrace.{name}") is not None, f"no module {name}; drop it from ORDER"


def test_only_declared_packages_are_imported():
    allowed = {"numpy", "scipy", "pyroaring", "sparsetrace", "matplotlib"}
    for module, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in names:
                package = name.partition(".")[0]
                origin = find_spec(package)
                standard = origin is not None and "site-packages" not in str(origin.origin)
                assert package in allowed or standard, f"{module} imports {name}"

"""Which module may import which: one way only, as the design draws it; tests laid out likewise."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import sparsetrace

ROOT = Path(sparsetrace.__file__).parent
ORDER = (
    "collector interrupts progress plotting coloring user_code errors rules graph passes "
    "propagation context operands numpy_rules dispatch numbers masked arrays scipy_rules capture "
    "tracing verification api derivatives solvers"
).split()
"""Rooms from the bottom up.  Propagation needs the graph alone, so it stands low."""
LAYER = {name: level for level, name in enumerate(ORDER)}
GRAPH_ONLY = frozenset(("graph", "passes", "propagation"))
"""These know nodes and index sets, and nothing of NumPy functions or traced arrays."""
RULES_ONLY = frozenset(("rules",))
"""Rules know ufuncs and constants, and nothing of traced arrays, graphs or stores."""
ENTRIES = frozenset(("__init__", "__main__"))


@functools.cache
def modules() -> dict[str, Path]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for path in sorted(ROOT.rglob("*.py"))
    }


def imported(path: Path, *, inside_functions: bool) -> set[str]:
    """The package's own modules that a file imports, as dotted names below the package."""
    return _imported(path)[inside_functions]


@functools.cache
def _imported(path: Path) -> tuple[set[str], set[str]]:
    """Those that it imports itself, and those that are imported inside of its functions."""
    found: tuple[set[str], set[str]] = set(), set()
    tree = ast.parse(path.read_text())
    nested = {
        inner
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == "sparsetrace" and rest:
                found[node in nested].add(rest)
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
    assert known <= GRAPH_ONLY | {"errors", "progress"}


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
    allowed = {"numpy", "scipy", "pyroaring", "sparsetrace", "matplotlib", "numba"}
    allowed |= {"cyipopt", "openmdao", "osqp", "pyomo", "sksundae"}  # in functions of solvers/
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


# ------------------------------------------------------- ids that stand for no node
WITHOUT_NODE = frozenset(("OPAQUE", "ZERO"))
BELOW_RULES = GRAPH_ONLY | RULES_ONLY


def written_by_hand(source: str) -> list[int]:
    """Lines that use the ids without a node for more than a comparison or a lower bound."""
    tree = ast.parse(source)
    allowed: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            allowed.update((node.left, *node.comparators))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "np.maximum":
            allowed.update(node.args)
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id in WITHOUT_NODE and node not in allowed
    ]


@pytest.mark.parametrize("module", [m for m in modules() if layer_name(m) not in BELOW_RULES])
def test_who_writes_an_id_without_a_node_asks_the_graph_for_it(module):
    """Then the graph knows that it is no longer pure: `Graph.opaque`, `zero`, `constant`."""
    assert written_by_hand(modules()[module].read_text()) == []


def test_an_id_without_a_node_written_by_hand_is_found():
    assert written_by_hand("ids = np.where(flat, OPAQUE, ids)") == [1]
    assert written_by_hand("known = np.maximum(ids, OPAQUE) > ZERO") == []


# ------------------------------------------------------------------------ tests
TESTS = Path(__file__).parents[1]
WITHOUT_ROOM = frozenset("cases support soundness whole_package".split())
"""Folders of tests/ that are no room's: data, helpers, and tests of the package as a whole."""
TOPICS = {
    "api": "hessians local",
    "arrays": "masked views",
    "capture": "isolation raising user_functions ways_out",
    "masked": "adagrad programs refusals",
    "numpy_rules": "arguments axes constants kinds statistics",
    "operands": "where",
    "propagation": "hessian_stores interleaving stores",
    "rules": "cuts infinities letters records second_zeros zeros",
    "scipy_rules": "calls constants longer_arrays names refusals",
    "tracing": "outputs",
    "verification": "correct_patterns planted_holes searches texts",
}
"""What test modules are named after, besides the modules of the room."""
MOST_LINES = 600
_CHECKS = re.compile("_?(assert|check|compare|fail$|raises$|warns$)")
"""How functions that raise AssertionError are named."""


def files(*suffixes: str) -> list[str]:
    """The files of tests/, as paths below it."""
    paths = [path for path in sorted(TESTS.rglob("*")) if path.suffix in suffixes]
    return [path.relative_to(TESTS).as_posix() for path in paths]


def misplaced(paths: Iterable[str]) -> Iterator[str]:
    """What is not where the package's rooms say, with the reason."""
    for path in paths:
        if path == "conftest.py":  # that of pytest
            continue
        folder, _, file = path.rpartition("/")
        room = folder.partition("/")[0]
        is_test = file.startswith("test_")
        if room in WITHOUT_ROOM:
            if is_test == (room in ("cases", "support")) and room != "soundness":
                yield f"{path}: tests and what they use stand apart"
            continue
        if not folder or not (ROOT / folder).is_dir():
            yield f"{path}: sparsetrace/ has no such room"
            continue
        if not is_test:
            yield f"{path}: tests alone; cases go to tests/cases, helpers to tests/support"
            continue
        names = {name.stem for name in (ROOT / folder).rglob("*")}
        names.update(TOPICS.get(room, "").split())
        named = file.removeprefix("test_").removesuffix(".py")
        if not any(f"{named}_".startswith(f"{name}_") for name in names):
            yield f"{path}: named after no module of the room; rename it, or add it to TOPICS"


def without_assertion(source: str) -> list[str]:
    """The tests of a module that assert nothing, neither themselves nor by its own helpers."""
    functions = {
        node.name: node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)
    }

    def asserts(function: ast.FunctionDef, *callers: str) -> bool:
        for node in ast.walk(function):
            if isinstance(node, ast.Assert):
                return True
            if isinstance(node, ast.Call):
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if _CHECKS.match(called):
                    return True
                own = functions.get(called)
                if own and called not in callers and asserts(own, *callers, called):
                    return True
        return False

    tests = [name for name in functions if name.startswith("test_")]
    return [name for name in tests if not asserts(functions[name], name)]


def test_tests_are_laid_out_as_the_package_is():
    assert WITHOUT_ROOM.isdisjoint(ORDER)
    assert list(misplaced(files(".py"))) == []


def test_what_is_misplaced_is_found():
    wrong = (
        "test_graph.py", "cases/test_graph.py", "support/test_oracles.py", "graph/oracles.py",
        "whole_package/cases.py", "no_room/test_graph.py", "graph/linalg/test_graph.py",
        "graph/test_masks.py", "graph/test_graphs.py",
    )  # fmt: skip
    right = (
        "conftest.py", "graph/test_graph.py", "graph/test_graph_sizes.py",
        "scipy_rules/linalg/test_calls.py",
    )  # fmt: skip
    assert [said.partition(":")[0] for said in misplaced([*right, *wrong])] == list(wrong)


@pytest.mark.parametrize("path", files(".py", ".pyx", ".txt"))
def test_files_of_tests_are_short(path):
    lines = (TESTS / path).read_text().count("\n")
    assert lines <= MOST_LINES, f"{path} has {lines} lines; split it by topic"


@pytest.mark.parametrize("path", [path for path in files(".py") if "/test_" in path])
def test_every_test_asserts_something(path):
    assert without_assertion((TESTS / path).read_text()) == []


def test_a_test_that_asserts_nothing_is_found():
    source = """
def helper(x):
    helper(x)
    for_each(lambda y: other(y))

def other(x):
    with pytest.raises(ValueError):
        x()

def run(x):
    return x + 1

def test_itself(): assert 1 + 1 == 2
def test_by_a_helper(): helper(3)
def test_by_an_oracle(): oracles.assert_covers(1, 2)
def test_in_the_traced_function():
    def f(x):
        assert x.ndim == 1
    trace(f)

def test_nothing(): run(3)
def test_nothing_at_all(): pass
"""
    assert without_assertion(source) == ["test_nothing", "test_nothing_at_all"]

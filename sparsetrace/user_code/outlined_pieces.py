"""How a piece of code reads once it is a function of its own; `outlining` says which pieces are.

Contract: a text constant that begins with `PREFIX` stands for an object that is called, and says
what it is and where the piece begins.  These are, with their arguments:

``expression(function)``
    the value of a conditional expression, which the function gives
``statement(function, *values)``
    the values of the local names that a statement assigns, which the function takes and gives
``store(value, container, key)``, ``update(operator, value, container, key)``
    ``container[key] = value``, and ``+=`` and its kin
``change(operator, old, value)``
    the new value of a name for ``name += value``
``append(container, value)``
    ``container.append(value)``
``unbound``
    no call: the value of a name that has none
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["PREFIX", "Place", "assigned", "is_outlinable", "rewritten"]

PREFIX = "_sparsetrace_"
Place = tuple[int, int]
"""A line and a column."""
_REFUSED = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
    *(ast.Global, ast.Nonlocal, ast.Delete, ast.Return, ast.Yield, ast.YieldFrom, ast.Await),
    *(ast.AsyncFor, ast.AsyncWith, ast.With, ast.Match, ast.TryStar),
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.While)
_SEES_NAMES = frozenset("__class__ dir eval exec locals super vars".split())


# -------------------------------------------------------------------- what can be outlined
def is_outlinable(node: ast.AST, function: ast.AST | None) -> bool:
    """Whether a node of a function's scope can become a function of its own."""
    if function is None:
        return False
    names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
    if not names.isdisjoint(_SEES_NAMES):
        return False
    inside = list(ast.walk(node))
    if isinstance(node, ast.expr):
        refused = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
        return not any(isinstance(n, refused) for n in inside)
    if any(isinstance(n, _REFUSED) for n in inside) or _leaves_loop(node):
        return False
    shared = _declared(function) | _captured(function, set(inside))
    targets = [t for n in inside for t in _targets(n)]
    return shared.isdisjoint(assigned(node)) and all(map(_can_be_assigned, targets))


def _leaves_loop(node: ast.AST) -> bool:
    """Whether a ``break`` or ``continue`` goes on outside of the node."""
    if isinstance(node, (ast.Break, ast.Continue)):
        return True
    if isinstance(node, _LOOPS):
        return any(map(_leaves_loop, node.orelse))
    return any(map(_leaves_loop, ast.iter_child_nodes(node)))


def _declared(function: ast.AST) -> set[str]:
    """The names that a function assigns elsewhere than in its own scope."""
    return {
        name
        for n in ast.walk(function)
        if isinstance(n, (ast.Global, ast.Nonlocal))
        for name in n.names
    }


def _captured(function: ast.AST, inside: set[ast.AST]) -> set[str]:
    """The names that functions within a function may read, now or later."""
    return {
        name.id
        for n in ast.walk(function)
        if n is not function
        and (
            isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            or (isinstance(n, ast.GeneratorExp) and n not in inside)
        )
        for name in ast.walk(n)
        if isinstance(name, ast.Name)
    }


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        several = len(node.targets) > 1
        return [
            ast.Starred(t) if several and isinstance(t, ast.Subscript) else t for t in node.targets
        ]
    if isinstance(node, (ast.AugAssign, ast.For)):
        return [node.target]
    if isinstance(node, ast.AnnAssign):
        return [node.target] if node.value is not None else []
    return []


def _can_be_assigned(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return all(isinstance(x, ast.Name) for x in target.elts)
    if isinstance(target, ast.Subscript):
        return _is_plain(target.value)
    return isinstance(target, ast.Name)


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression can be evaluated again: ``y``, ``self.work``, ``tables[0]``."""
    if isinstance(node, ast.Attribute):
        return _is_plain(node.value)
    if isinstance(node, ast.Subscript):
        return _is_plain(node.value) and isinstance(node.slice, (ast.Constant, ast.Name))
    return isinstance(node, ast.Name)


def assigned(node: ast.AST) -> list[str]:
    """The local names that a statement assigns, in order."""
    result: dict[str, None] = {}

    def visit(at: ast.AST, *, inner: bool) -> None:
        if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Store) and not inner:
            result[at.id] = None
        if isinstance(at, ast.NamedExpr):
            result[at.target.id] = None
        if isinstance(at, ast.ExceptHandler) and at.name:
            result[at.name] = None
        if isinstance(at, ast.Lambda):
            return
        for child in ast.iter_child_nodes(at):
            visit(child, inner=inner or isinstance(at, _COMPREHENSIONS))

    visit(node, inner=False)
    return list(result)


# ----------------------------------------------------------------------- how it then reads
def rewritten(tree: ast.Module, chosen: Sequence[ast.AST]) -> ast.Module:
    """The module with the chosen nodes outlined."""
    result: ast.Module = _Outliner(set(chosen)).visit(tree)
    return result


def _mark(what: str, node: Any) -> ast.Constant:
    return ast.Constant(f"{PREFIX}{what} {node.lineno} {node.col_offset}")


def _call(what: str, node: object, *args: ast.expr) -> ast.Call:
    return ast.Call(_mark(what, node), list(args), [])


def _name(name: str, ctx: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, ctx or ast.Load())


def _arguments(*names: str, default: ast.expr | None = None) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(name) for name in names],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[] if default is None else [default],
    )


class _Outliner(ast.NodeTransformer):
    def __init__(self, chosen: set[ast.AST]) -> None:
        self.chosen = chosen
        self.depth = 0
        """How many outlined statements the current node is in."""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            depth, self.depth = self.depth, 0
            result = self._visited(node)
            self.depth = depth
            return result
        return self._visited(node)

    def _visited(self, node: ast.AST) -> Any:
        if node not in self.chosen:
            return super().visit(node)
        if isinstance(node, ast.IfExp):
            inner: Any = super().generic_visit(node)
            function = ast.Lambda(_arguments(PREFIX, default=ast.Constant(None)), inner)
            return _located(_call("expression", node, function), node)
        assert isinstance(node, ast.stmt)
        names = assigned(node)
        self.depth += 1
        inner = super().visit(node)
        self.depth -= 1
        return [_located(x, node) for x in _statement(node, names, inner)]

    # ----------------------------------------------------------- inside of a statement
    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        target = node.targets[0]
        if not self.depth or not isinstance(target, ast.Subscript):
            return node
        call = _call("store", node, node.value, _loaded(target.value), _key(target.slice))
        return _located(ast.Expr(call), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not self.depth:
            return node
        operation = ast.Constant(type(node.op).__name__)
        if isinstance(node.target, ast.Subscript):
            container, key = _loaded(node.target.value), _key(node.target.slice)
            call = _call("update", node, operation, node.value, container, key)
            return _located(ast.Expr(call), node)
        assert isinstance(node.target, ast.Name)
        call = _call("change", node, operation, _name(node.target.id), node.value)
        return _located(ast.Assign([_name(node.target.id, ast.Store())], call), node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        self.generic_visit(node)
        call = node.value
        if (
            self.depth
            and isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "append"
            and len(call.args) == 1
            and not call.keywords
            and _is_plain(call.func.value)
        ):
            return _located(ast.Expr(_call("append", node, call.func.value, call.args[0])), node)
        return node


_FAR = 9999
"""A column where nothing of the user's is: what is called is told by its column in the source."""


def _located(made: Any, node: Any) -> Any:
    """The node with the line of another in all its parts that have none."""
    for part in ast.walk(made):
        located = isinstance(part, (ast.expr, ast.stmt, ast.arg, ast.keyword, ast.ExceptHandler))
        if located and not hasattr(part, "lineno"):
            part.lineno = part.end_lineno = node.lineno  # type: ignore[attr-defined]
            part.col_offset = part.end_col_offset = _FAR  # type: ignore[attr-defined]
    return made


def _loaded(node: ast.expr) -> ast.expr:
    result = copy.deepcopy(node)
    for part in ast.walk(result):
        if hasattr(part, "ctx"):
            part.ctx = ast.Load()
    return result


def _key(node: ast.expr) -> ast.expr:
    """The key of a subscript as a value."""
    if isinstance(node, ast.Slice):
        parts = [x or ast.Constant(None) for x in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Constant(f"{PREFIX}slice 0 0"), parts, [])
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_key(x) for x in node.elts], ast.Load())
    return node


def _statement(node: ast.stmt, names: list[str], inner: object) -> Iterator[ast.stmt]:
    """The statements in place of one: its function, the call, and the names that it gives."""
    body = inner if isinstance(inner, list) else [inner]
    function = f"{PREFIX}body"
    before = [f"{PREFIX}before_{name}" for name in names]
    after = [f"{PREFIX}after_{name}" for name in names]
    for name, held in zip(names, before, strict=True):
        yield _read(name, held, node)
    values = ast.Tuple([_name(held) for held in after], ast.Load())
    yield ast.FunctionDef(
        name=function,
        args=_arguments(*names),
        body=[
            *(_forget(name, node) for name in names),
            *body,
            *(_read(name, held, node) for name, held in zip(names, after, strict=True)),
            ast.Return(values),
        ],
        decorator_list=[],
        **({"type_params": []} if sys.version_info >= (3, 12) else {}),  # type: ignore[arg-type]
    )
    call = _call("statement", node, _name(function), *map(_name, before))
    if not names:
        yield ast.Expr(call)
        return
    targets = ast.Tuple([_name(name, ast.Store()) for name in names], ast.Store())
    yield ast.Assign([targets], call)
    for name in names:
        yield _forget(name, node)
    yield ast.Delete([_name(held, ast.Del()) for held in (*before, function)])


def _read(name: str, held: str, node: ast.stmt) -> ast.stmt:
    """``held = name``, where the name may have no value."""
    missing = ast.Assign([_name(held, ast.Store())], _mark("unbound", node))
    return ast.Try(
        body=[ast.Assign([_name(held, ast.Store())], _name(name))],
        handlers=[ast.ExceptHandler(_name("NameError"), None, [missing])],
        orelse=[],
        finalbody=[],
    )


def _forget(name: str, node: ast.stmt) -> ast.stmt:
    """Let the name have no value where it had none."""
    test = ast.Compare(_name(name), [ast.Is()], [_mark("unbound", node)])
    return ast.If(test, [ast.Delete([_name(name, ast.Del())])], [])

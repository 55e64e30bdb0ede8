"""The local names that a statement assigns, and which of them anything else reads.

Contract: of the syntax tree of a function.  In doubt a name is read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = [
    *("added_to", "assigned", "assigned_anew", "captured", "forgotten", "name_of", "names_of"),
    "only_added_to",
]

_READING_ALL = frozenset(
    """
    all any array dict extend fromiter frozenset fsum join list max min prod set sorted sum tuple
    update
    """.split()
)
"""Functions and methods that have read a generator expression to its end when they return."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.While)
_NAMING = (
    ast.ExceptHandler,
    ast.FunctionDef,
    ast.MatchAs,
    ast.MatchMapping,
    ast.MatchStar,
    ast.alias,
)
"""What gives a name to something else than an assignment does."""


def assigned(node: ast.AST) -> list[str]:
    """The local names that a statement assigns, in order."""
    result: dict[str, None] = {}

    def visit(at: ast.AST, *, inner: bool) -> None:
        if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Store) and not inner:
            result[at.id] = None
        if isinstance(at, ast.NamedExpr):
            result[at.target.id] = None
        if isinstance(at, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and at.name:
            result[at.name] = None
        if isinstance(at, ast.MatchMapping) and at.rest:
            result[at.rest] = None
        if isinstance(at, ast.FunctionDef):
            result[at.name] = None
        if isinstance(at, ast.alias):
            result[_imported_as(at)] = None
        if isinstance(at, (ast.Lambda, ast.FunctionDef)):
            return
        for child in ast.iter_child_nodes(at):
            visit(child, inner=inner or isinstance(at, _COMPREHENSIONS))

    visit(node, inner=False)
    return list(result)


def _imported_as(imported: ast.alias) -> str:
    return imported.asname or imported.name.partition(".")[0]


def forgotten(tree: ast.Module, chosen: Sequence[ast.AST]) -> dict[ast.AST, set[str]]:
    """The names of each chosen loop that nothing reads once it has ended.

    And of each other statement those that it assigns for itself: it reads none that it has not
    assigned before, and nothing else reads them.
    """
    statements = {node for node in chosen if isinstance(node, ast.stmt)}
    result: dict[ast.AST, set[str]] = {}
    for function in ast.walk(tree):  # from the outer ones to the inner ones
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            read_later = captured(function)
            for node in statements.intersection(ast.walk(function)):
                if isinstance(node, _LOOPS):
                    result[node] = _unread(function, node) - read_later
                else:
                    unread = _unread_outside(function, node) - _read_first([node], set())
                    result[node] = unread - read_later
    return result


def captured(function: ast.AST) -> set[str]:
    """The names that functions within a function may read, now or later."""
    read_at_once = {
        argument
        for n in ast.walk(function)
        if isinstance(n, ast.Call) and name_of(n.func) in _READING_ALL
        for argument in n.args
    }
    return {
        name.id
        for n in ast.walk(function)
        if n is not function
        and (
            isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            or (isinstance(n, ast.GeneratorExp) and n not in read_at_once)
        )
        for name in ast.walk(n)
        if isinstance(name, ast.Name)
    }


def name_of(function: ast.expr) -> str | None:
    """The name by which a function or method is called."""
    return getattr(function, "id", None) or getattr(function, "attr", None)


def _unread_outside(function: ast.AST, node: ast.AST) -> set[str]:
    """The names that a node assigns and nothing else in a function reads."""
    names = set(assigned(node))
    for other in set(ast.walk(function)) - set(ast.walk(node)):
        names -= _read_by(other)
        if isinstance(other, (ast.Global, ast.Nonlocal)):
            names.difference_update(other.names)
    return names


def _read_by(node: ast.AST) -> set[str]:
    """The name that a node itself reads, if it does."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
        return {node.id}
    return set()


def _reads(*nodes: ast.AST | None) -> set[str]:
    """The names that are read anywhere in some nodes."""
    return {name for node in nodes if node for n in ast.walk(node) for name in _read_by(n)}


def _read_first(statements: Sequence[ast.AST], done: set[str]) -> set[str]:
    """The names that statements may read before they have assigned them.

    Parameters
    ----------
    statements : sequence of statements
    done : set of str
        Those that are assigned before; what the statements assign on each way is added.
    """
    result: set[str] = set()
    for node in statements:
        ways: list[tuple[Sequence[ast.AST], set[str]]] = []
        if isinstance(node, ast.If):
            result |= _reads(node.test) - done
            ways = [(node.body, set(done)), (node.orelse, set(done))]
        elif isinstance(node, ast.Try):
            ways = [([*node.body, *node.orelse], set(done))]
            ways += [(x.body, done | ({x.name} if x.name else set())) for x in node.handlers]
            result |= _reads(*(x.type for x in node.handlers)) - done
            result |= _read_first(node.finalbody, set(done))
        elif isinstance(node, _LOOPS):
            first = [node.iter] if isinstance(node, ast.For) else [node.test]
            result |= _reads(*first) - done
            targets = {n.id for n in names_of(node.target)} if isinstance(node, ast.For) else set()
            result |= _read_first(node.body, done | targets) | _read_first(node.orelse, set(done))
        elif isinstance(node, ast.With):
            result |= _reads(*node.items) - done
            targets = {
                n.id for x in node.items if x.optional_vars for n in names_of(x.optional_vars)
            }
            ways = [(node.body, done | targets)]
            ways.append(([], set(done)))  # an error may go no further
        elif isinstance(node, ast.Match):
            result |= (
                _reads(node.subject, *(y for x in node.cases for y in (x.pattern, x.guard))) - done
            )
            ways = [(x.body, set(done)) for x in node.cases]
            ways.append(([], set(done)))
        elif isinstance(node, ast.FunctionDef):
            result |= _reads(node) - done
            done.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            done.update(map(_imported_as, node.names))
        elif isinstance(node, ast.Assign):
            result |= _reads(node) - done
            done.update(n.id for t in node.targets for n in names_of(t))
        else:
            result |= _reads(node) - done
        for body, before in ways:
            result |= _read_first(body, before)
        if ways:
            done |= set.intersection(*(before for _, before in ways))
    return result


def _unread(function: ast.AST, loop: Any) -> set[str]:
    ending = {n for statement in loop.orelse for n in ast.walk(statement)}
    inside = set(ast.walk(loop)) - ending
    names = set(assigned(loop))
    repeated = False
    for node in set(ast.walk(function)) - inside:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            names.discard(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names.discard(node.target.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            names.difference_update(node.names)
        elif isinstance(node, (*_LOOPS, ast.AsyncFor)) and loop in ast.walk(node):
            repeated = True
    return names & _set_before(function, loop) if repeated else names


def _set_before(function: ast.AST, loop: Any) -> set[str]:
    """Names that have been assigned anew each time when a loop that is in another one begins."""
    targets: list[ast.AST] = []
    for node in ast.walk(function):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and loop in block:
                before = block[: block.index(loop)]
                targets += [t for n in before if isinstance(n, ast.Assign) for t in n.targets]
    result = {n.id for t in targets for n in names_of(t)}
    if isinstance(loop, ast.For):
        read = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
        ending = {n.id for x in loop.orelse for n in ast.walk(x) if isinstance(n, ast.Name)}
        result |= {n.id for n in names_of(loop.target)} - read - ending
    return result


def assigned_anew(loop: Any) -> set[str]:
    """Names that every turn assigns before it reads them."""
    result: set[str] = set()
    first = loop.iter if isinstance(loop, ast.For) else loop.test
    seen = {n.id for n in ast.walk(first) if isinstance(n, ast.Name)}
    if isinstance(loop, ast.For):
        result.update(n.id for n in names_of(loop.target) if n.id not in seen)
    for statement in loop.body:
        simple = isinstance(statement, ast.Assign)
        targets = [n for t in statement.targets for n in names_of(t)] if simple else []
        seen |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and n not in targets}
        result.update(n.id for n in targets if n.id not in seen)
        seen |= {n.id for n in targets}
    return result


def only_added_to(function: Any) -> frozenset[str]:
    """The names of lists that a function makes and adds items to, and that nothing ever reads.

    As a history of what a loop has computed is often kept, and is not always used.
    """
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return frozenset()
    made: set[str] = set()
    harmless: set[ast.AST] = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            new = [name for name, value in _pairs(node) if isinstance(value, ast.List)]
            made.update(name.id for name in new)
            harmless.update(new)
        elif isinstance(node, ast.stmt):
            harmless.update(filter(None, [added_to(node)]))
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node not in harmless:
            made.discard(node.id)
        elif isinstance(node, ast.arg):
            made.discard(node.arg)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            made.difference_update(node.names)
        elif isinstance(node, ast.ClassDef):
            return frozenset()  # whose names are others
    naming = [x for x in ast.walk(function) if isinstance(x, _NAMING) and x is not function]
    others = {name for x in naming for name in assigned(x)}
    return frozenset(made).difference(others, captured(function))


def _pairs(node: ast.Assign | ast.AnnAssign) -> Iterator[tuple[ast.Name, ast.expr | None]]:
    """Names with what is assigned to them alone, where each has an expression of its own."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if len(targets) > 1:
        return
    (target,), values = targets, node.value
    if isinstance(target, ast.Name):
        yield target, values
    elif isinstance(target, ast.Tuple) and isinstance(values, ast.Tuple):
        parts = [*target.elts, *values.elts]
        if len(target.elts) == len(values.elts) and not any(
            isinstance(x, ast.Starred) for x in parts
        ):
            for name, value in zip(target.elts, values.elts, strict=True):
                if isinstance(name, ast.Name):
                    yield name, value


def added_to(statement: ast.stmt) -> ast.Name | None:
    """The name to which a statement adds items, by ``append``, ``extend`` or ``+=``."""
    if isinstance(statement, ast.AugAssign):
        is_name = isinstance(statement.op, ast.Add) and isinstance(statement.target, ast.Name)
        return statement.target if is_name else None  # type: ignore[return-value]
    call = statement.value if isinstance(statement, ast.Expr) else None
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("append", "extend")
        and isinstance(call.func.value, ast.Name)
        and len(call.args) == 1
        and not isinstance(call.args[0], ast.Starred)
        and not call.keywords
    ):
        return call.func.value
    return None


def names_of(target: ast.AST) -> list[ast.Name]:
    """The names in the target of an assignment, in order: ``i, (a, b)`` has three."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for item in target.elts for name in names_of(item)]
    return [target] if isinstance(target, ast.Name) else []

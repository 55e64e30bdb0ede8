"""How a piece of code reads once it is a function of its own; `outlining` says which pieces are.

Contract: a text constant that begins with `PREFIX` stands for an object that is called, and says
what it is and where the piece begins.  These are, with their arguments:

``expression(function)``
    the value of a conditional expression, or of what a comprehension gives for each element, which
    the function gives
``statement(function, probe, *values)``, ``ended(function, probe, *values)``
    the values of the local names that a statement assigns, which the function takes and gives; or
    one of a loop and its ``else``.  The probe is held by as many as a value that only these hold
``tail(function, probe, *values)``
    what a function returns from a statement on to its end, in a tuple, behind the values of those
    names that other functions read, too, or own; the values are of the names that are assigned
    there, these first
``loop(function, probe, *values)``
    what a statement gives of a loop, then how it ended (``break``, ``return``, or ``ended`` where
    it has an ``else``), and what it returns; the function also takes what stands for this run of
    the loop
``turn(loop, targets, function, *values)``
    the same of one turn of that loop, which also ends by `NEXT`; of a ``for`` loop the first names
    are its targets, so many, and of a ``while`` loop that number is None
``over(loop, iterable, counts, indexes)``
    what a ``for`` loop goes over in this run of it, instead of the iterable; ``counts`` says if
    its turns read that, ``indexes`` if it may end early and something is indexed with that then
``store(value, container, key)``, ``update(operator, value, container, key)``
    ``container[key] = value``, and ``+=`` and its kin
``assign(value, owner, name)``, ``modify(operator, value, owner, name)``
    the same of an attribute, ``owner.name``
``change(operator, old, value)``
    the new value of a name for ``name += value``
``append(container, value)``, ``appendleft(container, value)``, ``extend(container, value)``
    ``container.append(value)``, ``container.appendleft(value)``, ``container.extend(value)``
``fill(function, array, *values)``, ``fill_part(function, container, key, *values)``
    ``function(array, *values)``, ``function(container[key], *values)``, where that is `np.copyto`
    or one of its kin, by its name
``unbound``
    no call: the value of a name that has none
``template``
    no call: a text before ``%``; the text itself stands behind the place, in hexadecimal digits
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from sparsetrace.user_code.assigned_names import (
    added_to,
    assigned,
    assigned_anew,
    captured,
    forgotten,
    names_of,
    only_added_to,
)
from sparsetrace.user_code.written_arguments import FILLING

__all__ = ["NEXT", "PREFIX", "Outlinable", "Place", "given_name", "rewritten"]

PREFIX = "_sparsetrace_"
Place = tuple[int, int]
"""A line and a column."""
NEXT = "next"
"""How a turn ends that is followed by another one, if there is any."""
_BREAK, _ENDED, _RETURN = "break", "ended", "return"
_REFUSED = (
    *(ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Global, ast.Nonlocal, ast.Delete, ast.Return, ast.Yield, ast.YieldFrom, ast.Await),
    *(ast.AsyncFor, ast.AsyncWith, ast.TryStar),
)
_YIELDS = (ast.Yield, ast.YieldFrom)
_LOOPS = (ast.For, ast.While)
_FILLING = frozenset(function.__name__ for function in FILLING)
_SEES_NAMES = frozenset("__class__ dir eval exec locals super vars".split())


# -------------------------------------------------------------------- what can be outlined
class Outlinable:
    """What of functions can become functions of their own: each is looked at once, unchanged."""

    def __init__(self) -> None:
        self._shared: dict[ast.AST, set[str] | None] = {}
        """The names that a function shares with others; None if code reads them as a whole."""
        self._yields: dict[ast.AST, bool] = {}
        self._can_be: dict[tuple[ast.AST, bool], bool] = {}

    def is_outlinable(self, node: ast.AST, function: ast.AST | None) -> bool:
        """Whether a node of a function's scope can become a function of its own."""
        if function is None or self._shared_names(function) is None:
            return False
        if isinstance(node, ast.expr):
            refused = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
            return not any(isinstance(n, refused) for n in ast.walk(node))
        returns = isinstance(node, _LOOPS) and not _skips_endings(node)
        return self._is_outlinable(node, function, returns=returns)

    def tail_from(self, node: ast.AST, function: ast.AST | None) -> list[ast.stmt]:
        """The statements from one that may return to the end of a function, if they can become one.

        None of them where it is not a statement of the function itself, or something follows yet.
        """
        if not isinstance(function, ast.FunctionDef) or node not in function.body:
            return []
        if not any(isinstance(n, ast.Return) for n in _own_nodes(node)):
            return []
        if function not in self._yields:
            own = (n for x in function.body for n in _own_nodes(x))
            self._yields[function] = any(isinstance(n, _YIELDS) for n in own)
        if self._yields[function] or self._shared_names(function) is None:
            return []
        tail = function.body[function.body.index(node) :]
        return tail if all(self._is_outlinable(x, function, returns=True) for x in tail) else []

    def _shared_names(self, function: ast.AST) -> set[str] | None:
        if function not in self._shared:
            names = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
            shared = _shared(function) if names.isdisjoint(_SEES_NAMES) else None
            self._shared[function] = shared
        return self._shared[function]

    def _is_outlinable(self, node: ast.AST, function: ast.AST, *, returns: bool) -> bool:
        """The same for a statement, in which there may be ``return`` or not."""
        known = self._can_be.get((node, returns))
        if known is None:
            shared = self._shared_names(function) or set()
            known = self._can_be[node, returns] = _can_be_outlined(node, shared, returns=returns)
        return known


def _can_be_outlined(node: ast.AST, shared: set[str], *, returns: bool) -> bool:
    """Whether a statement can be, in which there may be ``return`` or not."""
    inside = list(_own_nodes(node))
    if any(isinstance(n, _REFUSED) and not (returns and isinstance(n, ast.Return)) for n in inside):
        return False
    if _leaves_loop(node) or any(map(_assigns_in_function, ast.walk(node))):
        return False
    if not all(isinstance(x.context_expr, ast.Call) for x in inside if isinstance(x, ast.withitem)):
        return False  # of a call it is known what is entered
    targets = [t for n in inside for t in _targets(n)]
    return shared.isdisjoint(assigned(node)) and all(map(_can_be_assigned, targets))


def _shared(function: ast.AST) -> set[str]:
    """The names that a function assigns for others, or others assign for it."""
    own = _declared_itself(function)
    return _declared(function, ast.Global) | (_declared(function, ast.Nonlocal) - own)


def _assigns_in_function(node: ast.AST) -> bool:
    """Whether this is a function in which, or in the defaults of which, ``:=`` assigns."""
    return isinstance(node, (ast.FunctionDef, ast.Lambda)) and any(
        isinstance(x, ast.NamedExpr) for x in ast.walk(node)
    )


def _skips_endings(loop: ast.AST) -> bool:
    """Whether something is done in a loop after a ``break`` or ``return``, where that stands."""
    return any(
        isinstance(n, ast.Try) and (n.finalbody or any(h.name for h in n.handlers))
        for n in ast.walk(loop)
    )


def _leaves_loop(node: ast.AST) -> bool:
    """Whether a ``break`` or ``continue`` goes on outside of the node."""
    if isinstance(node, (ast.Break, ast.Continue)):
        return True
    if isinstance(node, _LOOPS):
        return any(map(_leaves_loop, node.orelse))
    return any(map(_leaves_loop, ast.iter_child_nodes(node)))


def _declared(function: ast.AST, *kinds: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    """The names that a function, or one within it, assigns elsewhere than in its own scope."""
    return {name for n in ast.walk(function) if isinstance(n, kinds) for name in n.names}


def _declared_itself(function: ast.AST) -> set[str]:
    """The names of functions around it that a function assigns, not one within it."""
    body: Any = getattr(function, "body", [])
    own = [n for x in body for n in _own_nodes(x)] if isinstance(body, list) else []
    return {name for n in own if isinstance(n, ast.Nonlocal) for name in n.names}


def _targets(node: ast.AST) -> list[ast.expr]:
    """What a node assigns; what may be a name alone is a starred expression where it is none."""
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, ast.AugAssign):
        return [node.target]
    if isinstance(node, ast.For):
        return [_only_names(node.target)]
    if isinstance(node, ast.withitem):
        return [_only_names(node.optional_vars)] if node.optional_vars is not None else []
    if isinstance(node, ast.AnnAssign):
        return [_only_names(node.target)] if node.value is not None else []
    return []


def _only_names(target: ast.expr) -> ast.expr:
    return target if _is_of_names(target) else ast.Starred(target)


def _is_of_names(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return all(map(_is_of_names, target.elts))
    return isinstance(target, ast.Name)


def _can_be_assigned(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple):
        return all(map(_can_be_assigned, target.elts))
    if isinstance(target, ast.Subscript):
        return _is_plain(target.value)
    if isinstance(target, ast.Attribute):
        is_private = target.attr.startswith("__")  # another name within a class
        return _is_plain(target.value) and not is_private
    return isinstance(target, ast.Name)


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression can be evaluated again: ``y``, ``self.work``, ``tables[0]``."""
    if isinstance(node, ast.Attribute):
        return _is_plain(node.value)
    if isinstance(node, ast.Subscript):
        return _is_plain(node.value) and _is_arithmetic(node.slice)
    return isinstance(node, ast.Name)


def _is_arithmetic(node: ast.expr) -> bool:
    """Whether an expression is one of names and constants: ``i``, ``0``, ``i - 1``."""
    if isinstance(node, ast.BinOp):
        return _is_arithmetic(node.left) and _is_arithmetic(node.right)
    if isinstance(node, ast.UnaryOp):
        return _is_arithmetic(node.operand)
    return isinstance(node, (ast.Constant, ast.Name))


# ----------------------------------------------------------------------- how it then reads
def rewritten(
    tree: ast.Module, chosen: Sequence[ast.AST], tails: Mapping[ast.AST, ast.AST]
) -> ast.Module:
    """The module with the chosen nodes outlined, and the ends of functions.

    Parameters
    ----------
    tree : Module
    chosen : sequence of nodes
    tails : mapping
        The first statements of such ends, and the function of each.
    """
    unread = forgotten(tree, chosen)
    for node in sorted(tails, key=lambda node: node.lineno, reverse=True):  # type: ignore[attr-defined]
        body: list[ast.AST] = tails[node].body  # type: ignore[attr-defined]
        tail = _Tail()
        tail.body = body[body.index(node) :]
        body[body.index(node) :] = [ast.copy_location(tail, node)]
    result: ast.Module = _Outliner(set(chosen), unread, _filling_in(tree)).visit(tree)
    return result


class _Tail(ast.stmt):
    """The end of a function, from some statement on; none of Python's own nodes."""

    _fields = ("body",)
    body: list[ast.AST]


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
    def __init__(
        self,
        chosen: set[ast.AST],
        forgotten: dict[ast.AST, set[str]],
        filling: frozenset[str],
    ) -> None:
        self.chosen, self.forgotten, self.filling = chosen, forgotten, filling
        self.depth = 0
        """How many outlined statements the current node is in."""
        self.function: ast.AST | None = None
        """The function that the current node is in."""
        self.captured: set[str] = set()
        """The names of the current function that functions in it may read, now or later."""
        self.unread: frozenset[str] = frozenset()
        """Those of lists in the current function that nothing reads: nothing is added to them."""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            before = self.depth, self.captured, self.unread, self.function
            self.depth, self.captured = 0, captured(node) | _declared_itself(node)
            self.unread, self.function = only_added_to(node), node
            result = self._visited(node)
            self.depth, self.captured, self.unread, self.function = before
            return result
        return self._visited(node)

    def _visited(self, node: ast.AST) -> Any:
        if isinstance(node, _Tail):
            return [_located(x, node) for x in self._tail(node)]
        if node not in self.chosen:
            return super().visit(node)
        if isinstance(node, ast.expr):
            inner: Any = super().generic_visit(node)
            function = ast.Lambda(_arguments(PREFIX, default=ast.Constant(None)), inner)
            return _located(_call("expression", node, function), node)
        assert isinstance(node, ast.stmt)
        if isinstance(node, _LOOPS) and not _skips_endings(node):
            return [_located(x, node) for x in self._loop(node)]
        # a loop may read what it has assigned in the turn before: all its names come in
        own = set() if isinstance(node, _LOOPS) else self.forgotten.get(node, set())
        names = [name for name in assigned(node) if name not in own]
        self.depth += 1
        inner = super().visit(node)
        self.depth -= 1
        return [_located(x, node) for x in self._statement(node, names, inner)]

    def _tail(self, node: Any) -> Iterator[ast.stmt]:
        """The statements in place of those from one on to the end of a function."""
        names = sorted(assigned(node), key=lambda name: name not in self.captured)
        self.depth += 1
        inner: Any = super().generic_visit(node)
        self.depth -= 1
        giving = _Giving(node, [name for name in names if name in self.captured])
        body = [y for x in (*inner.body, ast.Return(None)) for y in giving.given(x)]
        yield from self._piece("tail", node, names, body)
        yield ast.Return(_name(_VALUE))

    def _loop(self, node: Any) -> Iterator[ast.stmt]:
        """A loop; with its ``else`` it is a piece again, whose ends are united."""
        if not node.orelse or any(isinstance(n, ast.Return) for n in _own_nodes(node)):
            yield from self._turns(node)
            return
        names, unread = assigned(node), self.forgotten.get(node, set())
        self.depth += 1
        body = list(self._turns(node))
        self.depth -= 1
        yield from self._piece("ended", node, names, [*body, *_leaving(node, names, None, unread)])

    def _statement(self, node: ast.stmt, names: list[str], inner: object) -> Iterator[ast.stmt]:
        """The statements in place of one: its function, the call, and the names that it gives."""
        body = inner if isinstance(inner, list) else [inner]
        return self._piece("statement", node, names, [*body, *_leaving(node, names)])

    def _piece(
        self, what: str, node: ast.stmt, names: list[str], body: list[ast.stmt]
    ) -> Iterator[ast.stmt]:
        return _piece(what, node, names, body, self.captured)

    def _turns(self, node: Any) -> Iterator[ast.stmt]:
        """A loop, and each turn in it; what its ``else`` does comes after it."""
        orelse, node.orelse = node.orelse, []
        names = assigned(node)
        unread = self.forgotten.get(node, set())
        anew = unread & assigned_anew(node)
        ended = _ENDED if orelse else _BREAK
        counts = isinstance(node, ast.For) and _uses_targets(node)
        indexes = self.function is not None and _indexes_later(self.function, node)
        self.depth += 1
        inner: Any = super().generic_visit(node)
        self.depth -= 1
        returns = any(isinstance(n, ast.Return) for n in _own_nodes(inner))
        local = [name for name in names if name not in self.captured]
        body = [y for x in inner.body for y in _endings(x, node, names, unread, anew, local)]
        if isinstance(inner, ast.While):
            done = _leaving(node, names, ended, unread)
            body.insert(0, ast.If(inner.test, [ast.Pass()], list(done)))
            inner.test = ast.Constant(True)
        else:
            told = ast.Constant(counts), ast.Constant(indexes)
            inner.iter = _call("over", node, _name(_LOOP), inner.iter, *told)
        turn = self._piece("turn", node, names, [*body, *_leaving(node, names, NEXT, anew)])
        ending = _leaving(node, names, _name(_HOW), unread, _name(_VALUE))
        inner.body = [*turn, ast.If(_is(_HOW, ast.NotEq(), NEXT), list(ending), [])]
        yield from self._piece("loop", node, names, [inner, *_leaving(node, names, ended, unread)])
        if returns:
            yield ast.If(_is(_HOW, ast.Eq(), _RETURN), [ast.Return(_name(_VALUE))], [])
        if orelse:
            module: Any = self.generic_visit(ast.Module(orelse, []))
            yield ast.If(_is(_HOW, ast.Eq(), _ENDED), module.body, [])

    # ----------------------------------------------------------- inside of a statement
    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        if not self.depth or all(isinstance(_only_names(t), ast.Name) for t in node.targets):
            return node
        if len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
            return _located(_assigned(node.targets[0], node.value, node), node)
        held = f"{PREFIX}held"
        made: list[ast.stmt] = [ast.Assign([_name(held, ast.Store())], node.value)]
        for target in node.targets:
            made += _taken_apart(target, held, node)
        made.append(ast.Delete([_name(held, ast.Del())]))
        return [_located(statement, node) for statement in made]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if not self.depth:
            return node
        operation = ast.Constant(type(node.op).__name__)
        target = node.target
        if self._adds_to_unread(node):
            return _located(ast.Expr(_items(node.value)), node)
        if isinstance(target, ast.Name):
            call = _call("change", node, operation, _name(target.id), node.value)
            return _located(ast.Assign([_name(target.id, ast.Store())], call), node)
        what = "modify" if isinstance(target, ast.Attribute) else "update"
        call = _call(what, node, operation, node.value, *_parts(target))
        return _located(ast.Expr(call), node)

    def _adds_to_unread(self, node: ast.stmt) -> bool:
        """Whether a statement of a piece adds items to a list that nothing reads."""
        name = added_to(node) if self.depth else None
        return name is not None and name.id in self.unread

    def _fills(self, call: ast.Call) -> bool:
        """Whether a call is one of NumPy's that fills its first argument, by its name."""
        by_place = bool(call.args) and not isinstance(call.args[0], ast.Starred)
        return by_place and ast.unparse(call.func) in self.filling

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            text = node.left.value
            if isinstance(text, str) and "%" in text:
                mark = _mark("template", node)
                mark.value = f"{mark.value!s} {text.encode().hex()}"
                node.left = ast.copy_location(mark, node.left)
        return node

    def visit_Expr(self, node: ast.Expr) -> Any:
        self.generic_visit(node)
        call: Any = node.value
        if self._adds_to_unread(node):
            (item,) = call.args
            return _located(ast.Expr(item if call.func.attr == "append" else _items(item)), node)
        if (
            self.depth
            and isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in ("append", "appendleft", "extend")
            and len(call.args) == 1
            and not isinstance(call.args[0], ast.Starred)
            and not call.keywords
            and _is_plain(call.func.value)
        ):
            made = _call(call.func.attr, node, call.func.value, call.args[0])
            return _located(ast.Expr(made), node)
        if self.depth and isinstance(call, ast.Call) and self._fills(call):
            first, *others = call.args
            if isinstance(first, ast.Subscript) and _is_plain(first.value):
                made = _call("fill_part", node, call.func, *_parts(first), *others)
            else:
                made = _call("fill", node, call.func, *call.args)
            made.keywords = call.keywords
            return _located(ast.Expr(made), node)
        return node


def _filling_in(tree: ast.Module) -> frozenset[str]:
    """How a module calls functions of NumPy's that fill their first argument, by its imports."""
    result: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [x.asname or x.name for x in node.names if x.name == "numpy"]
            result.update(f"{module}.{name}" for module in modules for name in _FILLING)
        elif isinstance(node, ast.ImportFrom) and node.module == "numpy":
            result.update(x.asname or x.name for x in node.names if x.name in _FILLING)
            result |= _FILLING if any(x.name == "*" for x in node.names) else set()
    return frozenset(result)


def _items(value: ast.expr) -> ast.expr:
    """What goes over the items of a value, and does nothing with them."""
    return ast.List([ast.Starred(value, ast.Load())], ast.Load())


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


def _taken_apart(target: ast.expr, held: str, node: ast.stmt) -> list[ast.stmt]:
    """The assignments to one target of what a name holds, item by item."""
    if not isinstance(target, ast.Tuple):
        return [_assigned(target, _name(held), node)]
    parts = [f"{held}_{at}" for at in range(len(target.elts))]
    several = ast.Tuple([_name(part, ast.Store()) for part in parts], ast.Store())
    made: list[ast.stmt] = [ast.Assign([several], _name(held))]
    for part, inner in zip(parts, target.elts, strict=True):
        made += _taken_apart(inner, part, node)
    return [*made, ast.Delete([_name(part, ast.Del()) for part in parts])]


def _assigned(target: ast.expr, value: ast.expr, node: ast.stmt) -> ast.stmt:
    """One assignment to a name, an element or an attribute."""
    if isinstance(target, ast.Name):
        return ast.Assign([target], value)
    what = "assign" if isinstance(target, ast.Attribute) else "store"
    return ast.Expr(_call(what, node, value, *_parts(target)))


def _parts(target: Any) -> tuple[ast.expr, ast.expr]:
    """What holds an element or an attribute, and its key or name."""
    key = ast.Constant(target.attr) if isinstance(target, ast.Attribute) else _key(target.slice)
    return _loaded(target.value), key


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


_HOW, _VALUE, _LOOP = f"{PREFIX}how", f"{PREFIX}value", f"{PREFIX}loop"
_PROBE = f"{PREFIX}probe"
_WHOLE = ("statement", "ended", "tail")
"""Pieces that do not say how they ended."""
_PROBED = (*_WHOLE, "loop")
"""Pieces that are given a probe."""


def _piece(
    what: str,
    node: ast.stmt,
    names: list[str],
    body: list[ast.stmt],
    captured_names: Container[str],
) -> Iterator[ast.stmt]:
    """The function of a piece, which gives names and perhaps how it ended, and its call.

    Names that other functions read, too, stay those of the function around; what they stand for
    when it begins, they stand for again when it has ended.
    """
    function = f"{PREFIX}body"
    before = [f"{PREFIX}before_{name}" for name in names]
    shared = [name for name in names if name in captured_names]
    given = [given_name(name) if name in shared else name for name in names]
    given += [_LOOP] if what == "loop" else []
    if shared:
        again = [x for name in shared for x in _given_again(name, node)]
        body = [y for x in body for y in _Leaving(again).left(x)]
        body = [ast.Nonlocal(shared), *copy.deepcopy(again), *body]
    if what in _PROBED and names:
        before.insert(0, f"{_PROBE}_before")
        yield ast.Assign([_name(_PROBE, ast.Store())], ast.List([], ast.Load()))
        yield _read(_PROBE, before[0], node)
    for name, held in zip(names, before[-len(names) :], strict=True):
        yield _read(name, held, node)
    yield ast.FunctionDef(
        name=function,
        args=_arguments(*given),
        body=[
            *body[: 1 if shared else 0],
            *(_forget(name, node) for name in names if name not in shared),
            *body[1 if shared else 0 :],
        ],
        decorator_list=[],
        **({"type_params": []} if sys.version_info >= (3, 12) else {}),  # type: ignore[arg-type]
    )
    first = [_name(_LOOP), ast.Constant(_targets_of(node))] if what == "turn" else []
    nothing = [ast.Constant(None)] if what in _PROBED and not names else []
    call = _call(what, node, *first, _name(function), *nothing, *map(_name, before))
    left = shared if what == "tail" else names
    results = [*left, *([] if what in ("statement", "ended") else [_HOW, _VALUE])]
    if what == "tail":
        results.remove(_HOW)
    if not results:
        yield ast.Expr(call)
        return
    targets = ast.Tuple([_name(name, ast.Store()) for name in results], ast.Store())
    yield ast.Assign([targets], call)
    for name in left:
        yield _forget(name, node)
    if what == "tail":
        return
    probe = [_PROBE] if what in _PROBED and names else []
    yield ast.Delete([_name(held, ast.Del()) for held in (*before, *probe, function)])


def given_name(name: str) -> str:
    """The parameter of a piece for a name that it shares with the function around it."""
    return f"{PREFIX}given_{name}"


def _given_again(name: str, node: ast.stmt) -> list[ast.stmt]:
    """Let a name stand for what it was given as."""
    return [ast.Assign([_name(name, ast.Store())], _name(given_name(name))), _forget(name, node)]


class _Giving(ast.NodeTransformer):
    """Lets what is returned be given in a tuple, behind what names are then."""

    def __init__(self, node: ast.stmt, names: list[str]) -> None:
        self.node, self.names = node, names

    def given(self, statement: ast.stmt) -> list[ast.stmt]:
        result = self.visit(statement)
        return result if isinstance(result, list) else [result]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        value = node.value or ast.Constant(None)
        if not self.names:
            return ast.copy_location(ast.Return(ast.Tuple([value], ast.Load())), node)
        made: list[Any] = [ast.Assign([_name(_VALUE, ast.Store())], value)]
        made += _leaving(self.node, self.names)
        made[-1].value.elts.append(_name(_VALUE))
        place = node if node.value else self.node
        return [_located(ast.copy_location(x, place), place) for x in made]


class _Leaving(ast.NodeTransformer):
    """Does something before each ``return`` of a piece, after what it gives is computed."""

    def __init__(self, before: list[ast.stmt]) -> None:
        self.before = before

    def left(self, statement: ast.stmt) -> list[ast.stmt]:
        result = self.visit(statement)
        return result if isinstance(result, list) else [result]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        held = f"{PREFIX}left"
        assert node.value is not None
        made = ast.Assign([_name(held, ast.Store())], node.value)
        return [made, *copy.deepcopy(self.before), ast.Return(_name(held))]


def _targets_of(loop: ast.stmt) -> int | None:
    """How many names a ``for`` loop assigns itself; None for a ``while`` loop."""
    if not isinstance(loop, ast.For):
        return None
    return sum(isinstance(n, ast.Name) for n in names_of(loop.target))


def _uses_targets(loop: ast.For) -> bool:
    """Whether the turns of a loop read the names that it assigns itself, or assign them anew."""
    own = {n.id for n in names_of(loop.target) if isinstance(n, ast.Name)}
    return any(isinstance(n, ast.Name) and n.id in own for x in loop.body for n in ast.walk(x))


def _indexes_later(function: ast.AST, loop: Any) -> bool:
    """Whether a ``for`` loop may end early, and something is indexed with its own names then."""
    if not isinstance(loop, ast.For) or not any(isinstance(n, ast.Break) for n in _own_nodes(loop)):
        return False
    own = {n.id for n in names_of(loop.target) if isinstance(n, ast.Name)}
    return any(
        isinstance(n, ast.Subscript)
        and n.lineno > (loop.end_lineno or 0)
        and any(isinstance(part, ast.Name) and part.id in own for part in ast.walk(n.slice))
        for n in ast.walk(function)
    )


def _leaving(
    node: ast.stmt,
    names: list[str],
    how: str | ast.expr | None = None,
    unread: Container[str] = (),
    value: ast.expr | None = None,
) -> Iterator[ast.stmt]:
    """The end of a piece, which gives names, but for those that nothing reads, and how it ends."""
    items: list[ast.expr] = []
    for name in names:
        if name in unread:
            items.append(_mark("unbound", node))
        else:
            yield _read(name, f"{PREFIX}after_{name}", node)
            items.append(_name(f"{PREFIX}after_{name}"))
    if how is not None:
        items += [ast.Constant(how) if isinstance(how, str) else how, value or ast.Constant(None)]
    yield ast.Return(ast.Tuple(items, ast.Load()))


def _is(name: str, operator: ast.cmpop, text: str) -> ast.Compare:
    return ast.Compare(_name(name), [operator], [ast.Constant(text)])


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A node and those in it, but for those of functions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.Lambda)):
            yield from _own_nodes(child)


def _endings(
    statement: ast.stmt,
    node: ast.stmt,
    names: list[str],
    unread: Container[str],
    anew: Container[str],
    local: Container[str],
) -> list[ast.stmt]:
    """A statement of a turn with what ends the turn, as it reads in a function.

    Nothing reads local names once that has returned, unless other functions do, too.
    """
    result = _Endings(node, names, unread, anew, local).visit(statement)
    return result if isinstance(result, list) else [result]


class _Endings(ast.NodeTransformer):
    def __init__(
        self,
        node: ast.stmt,
        names: list[str],
        unread: Container[str],
        anew: Container[str],
        local: Container[str],
    ) -> None:
        self.node, self.names, self.unread, self.anew = node, names, unread, anew
        self.local = local
        self.depth = 0
        """How many loops within the turn the current node is in."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return node

    def visit_For(self, node: ast.For) -> Any:
        return self._inner(node)

    def visit_While(self, node: ast.While) -> Any:
        return self._inner(node)

    def _inner(self, node: Any) -> Any:
        orelse, node.orelse = node.orelse, []
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        module: Any = self.generic_visit(ast.Module(orelse, []))
        node.orelse = module.body
        return node

    def visit_Break(self, node: ast.Break) -> Any:
        if self.depth:
            return node
        return self._left(node, _leaving(node, self.names, _BREAK, self.unread))

    def visit_Continue(self, node: ast.Continue) -> Any:
        if self.depth:
            return node
        return self._left(node, _leaving(node, self.names, NEXT, self.anew))

    def visit_Return(self, node: ast.Return) -> Any:
        if node.value is None or all(name in self.local for name in self.names):
            return self._left(node, _leaving(node, self.names, _RETURN, self.local, node.value))
        made = ast.Assign([_name(_VALUE, ast.Store())], node.value)  # it may change the names
        left = _leaving(node, self.names, _RETURN, self.local, _name(_VALUE))
        return self._left(node, iter([made, *left]))

    def _left(self, node: ast.stmt, made: Iterator[ast.stmt]) -> list[ast.stmt]:
        return [_located(x, node) for x in made]


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

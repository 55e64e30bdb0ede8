"""Statements and expressions that branch, made functions of their own, from the source.

Contract: an ``if``, a conditional expression, a loop, or what a comprehension gives for each
element becomes a function nested in the one where it stands, and a call of it by a stand-in that
the caller of this module provides.  So does each turn of such a loop, which says how it ended.  The
function takes and returns the local names that are assigned in it; what it writes into arrays,
lists, dictionaries and attributes goes through the stand-in.  A statement of a function that may
return becomes one together with all that comes after it.  Lines stay as they are.  A piece that
does more than that (``yield``, a ``return`` that is not in a loop or in a statement of the function
itself) is left alone, as is code whose source is not what runs.
"""

from __future__ import annotations

import ast
import linecache
import types
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sparsetrace.user_code.assigned_names import assigned, name_of
from sparsetrace.user_code.handlers import HARMLESS
from sparsetrace.user_code.identity_tests import is_renamed, renamed_like
from sparsetrace.user_code.outlined_pieces import PREFIX, Outlinable, Place, rewritten

__all__ = ["COMPREHENSIONS", "Outlined", "outlined"]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.While)
COMPREHENSIONS = frozenset("<listcomp> <setcomp> <dictcomp> <genexpr>".split())
"""Names of code that runs as a part of the function where it stands."""
_SHORT = 4
"""Statements in a ``try`` that is outlined as a whole."""
_COMPOUND = (ast.If, *_LOOPS, ast.Try, ast.With, ast.Match)


StandIn = Callable[..., Any]
"""Gives what stands in a piece: what it is (see `outlined_pieces`), its file, place and text."""


class Outlined(NamedTuple):
    """Code objects in which pieces are functions of their own."""

    codes: dict[types.CodeType, types.CodeType]
    """By those that they stand for."""
    places: frozenset[Place]
    """Where the pieces begin."""


def outlined(
    lines: Mapping[types.CodeType, set[int]],
    stand_in: StandIn,
    *,
    before: frozenset[Place],
    loops: bool = False,
    around: bool = False,
) -> Outlined | None:
    """Outline what branches at some lines of some codes of one file.

    Parameters
    ----------
    lines : dict
        Where each code decides.
    stand_in : callable
    before : set of places
        What was outlined before, and is again.
    loops : bool
        Whether to outline loops alone, around what decides.
    around : bool
        Whether those around these loops, too.

    Returns
    -------
    Outlined or None
        None where nothing else can be outlined, or the source is not that of the codes.
    """
    filename = next(iter(lines)).co_filename
    wanted = frozenset(line for some in lines.values() for line in some)
    text = "".join(linecache.getlines(filename))
    plan = _planned(filename, text, frozenset(lines), wanted, before, loops, around)
    if plan is None:
        return None
    new = _functions_in(_filled(plan.made, stand_in, filename))
    codes = {
        code: new[key]
        for key, code in plan.old.items()
        if key in new and new[key].co_freevars == code.co_freevars
    }
    for code, plain in plan.renamed.items():
        if plain in codes:
            codes[code] = renamed_like(codes[plain], code) or codes[plain]
    return Outlined(codes, plan.places)


class _Plan(NamedTuple):
    """What of a file is outlined, and the code of that without its stand-ins."""

    made: types.CodeType
    old: dict[tuple[str, int], types.CodeType]
    renamed: dict[types.CodeType, types.CodeType]
    places: frozenset[Place]


@lru_cache(maxsize=64)
def _planned(
    filename: str,
    text: str,
    codes: frozenset[types.CodeType],
    lines: frozenset[int],
    before: frozenset[Place],
    loops: bool,
    around: bool,
) -> _Plan | None:
    """What is outlined of a text, which takes a quarter of a detection by few paths."""
    try:
        tree = ast.parse(text, filename)
        tree.body = [x for x in tree.body if _is_needed(x, lines, before)]
        old = _functions_in(_compiled(tree, filename))
    except (SyntaxError, ValueError, RecursionError):
        return None
    renamed = _renamed(old, codes)
    if not codes <= set(old.values()) | renamed.keys():
        return None  # the source is not what runs
    choice = _Choice(tree, lines, before, loops=loops, around=around)
    places = frozenset(map(_place, (*choice.chosen, *choice.tails)))
    if places <= before:
        return None
    try:
        made = _compiled(
            ast.fix_missing_locations(rewritten(tree, choice.chosen, choice.tails)), filename
        )
    except (SyntaxError, ValueError, RecursionError):
        return None
    return _Plan(made, old, renamed, places)


def _renamed(
    old: Mapping[tuple[str, int], types.CodeType], wanted: Iterable[types.CodeType]
) -> dict[types.CodeType, types.CodeType]:
    """Codes in which calls have other names, with those of the source."""
    result: dict[types.CodeType, types.CodeType] = {}
    for code in wanted:
        plain = old.get((code.co_qualname, code.co_firstlineno), code)
        if plain != code and is_renamed(plain, code):
            result[code] = plain
    return result


def _is_needed(node: ast.stmt, lines: frozenset[int], before: frozenset[Place]) -> bool:
    """Whether a statement of a module holds what is outlined, or changes how that is compiled."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return True  # calls of what is imported are compiled in another way
    return _is_around(node, lines.union(line for line, _ in before))


def _is_around(node: ast.AST, lines: Iterable[int]) -> bool:
    """Whether a node, with its decorators, or something in it stands at one of some lines."""
    first = getattr(node, "lineno", None)
    if first is None:  # arguments, the items of a ``with``
        return True
    first = min([first, *(x.lineno for x in getattr(node, "decorator_list", ()))])
    last: int = getattr(node, "end_lineno", None) or first
    return any(first <= line <= last for line in lines)


def _walk_around(node: ast.AST, line: int) -> Iterator[ast.AST]:
    """Like `ast.walk`, without what stands at other lines alone."""
    waiting = deque([node])
    while waiting:
        node = waiting.popleft()
        waiting.extend(x for x in ast.iter_child_nodes(node) if _is_around(x, (line,)))
        yield node


def _compiled(tree: ast.Module, filename: str) -> types.CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # texts are called, until they are filled
        return compile(tree, filename, "exec", dont_inherit=True)


def _place(node: Any) -> Place:
    return node.lineno, node.col_offset


def _functions_in(code: types.CodeType) -> dict[tuple[str, int], types.CodeType]:
    """The functions by their names and lines, but for those of which there are several."""
    result: dict[tuple[str, int], types.CodeType] = {}
    several = set()
    for one in _nested(code):
        if (
            one.co_varnames[:1] == (PREFIX,)
            or one.co_name.startswith(PREFIX)
            or one.co_name in COMPREHENSIONS
        ):
            continue
        key = _own_name(one), one.co_firstlineno
        if key in result:
            several.add(key)
        result[key] = one
    return {key: one for key, one in result.items() if key not in several}


def _own_name(code: types.CodeType) -> str:
    """What a code is called where nothing is outlined around it."""
    parts = code.co_qualname.split(".<locals>.")
    return ".<locals>.".join(part for part in parts if not part.startswith(PREFIX))


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _nested(constant)


def _filled(
    code: types.CodeType, stand_in: StandIn, filename: str, name: str = ""
) -> types.CodeType:
    """The code with the stand-ins in place of the texts that name them."""
    own = code.co_name.startswith(PREFIX) or code.co_varnames[:1] == (PREFIX,)
    name = name if own else code.co_name

    def filled(constant: object) -> Any:
        if isinstance(constant, types.CodeType):
            return _filled(constant, stand_in, filename, name)
        if type(constant) is tuple:  # of constants alone
            return tuple(map(filled, constant))
        if type(constant) is str and constant.startswith(PREFIX):
            what, line, column, *text = constant.removeprefix(PREFIX).split()
            place = int(line), int(column)
            return stand_in(what, filename, place, *(bytes.fromhex(x).decode() for x in text))
        return constant

    return code.replace(co_consts=tuple(map(filled, code.co_consts)), co_name=name)


class _Choice:
    """The nodes that are outlined for some lines: the innermost that can be, or all around it."""

    def __init__(
        self,
        tree: ast.Module,
        lines: frozenset[int],
        before: frozenset[Place],
        *,
        loops: bool,
        around: bool,
    ) -> None:
        self.around = around
        self.types = _LOOPS if loops else (ast.IfExp, ast.stmt)
        some = lines.union(line for line, _ in before)
        nodes = [x for y in tree.body if _is_around(y, some) for x in ast.walk(y)]
        self.parents: dict[ast.AST, ast.AST] = dict.fromkeys(tree.body, tree)
        self.parents.update((child, node) for node in nodes for child in ast.iter_child_nodes(node))
        self._source = Outlinable()
        self.chosen: list[ast.AST] = []
        self.tails: dict[ast.AST, ast.AST] = {}
        """Statements from which on to its end a function is outlined, with that."""
        for node in nodes:
            can_be = isinstance(node, (ast.stmt, ast.IfExp)) or self._is_element(node)
            if can_be and _place(node) in before:
                self._add(node)
        for line in sorted(lines):
            for node in self._deciding(tree, line):
                self._choose(node)

    def _deciding(self, tree: ast.Module, line: int) -> list[ast.AST]:
        """The statements and expressions whose tests are at a line."""
        tests: list[ast.AST] = []
        simple: list[ast.AST] = []
        for node in _walk_around(tree, line):
            if any(_spans(test, line) for test in _tests_of(node)):
                tests.append(node)
            elif (
                isinstance(node, ast.stmt)
                and not isinstance(node, (*_COMPOUND, *_FUNCTIONS, ast.ClassDef))
                and _spans(node, line)
            ):
                simple.append(node)
        return tests or self._elements(simple, line) or simple

    def _elements(self, statements: list[ast.AST], line: int) -> list[ast.AST]:
        """What comprehensions at a line compute for each element by a call, which may decide."""
        return [
            node
            for statement in statements
            for node in ast.walk(statement)
            if self._is_element(node)
            and _spans(node, line)
            and any(isinstance(n, ast.Call) for n in ast.walk(node))
        ]

    def _is_element(self, node: ast.AST) -> bool:
        """Whether a node is what a comprehension gives for each of its elements."""
        at = self.parents.get(node)
        if isinstance(at, ast.DictComp):
            return node is at.value
        return isinstance(at, (ast.ListComp, ast.GeneratorExp)) and node is at.elt

    def _choose(self, node: ast.AST) -> None:
        """Outline a node or, where it cannot be, the innermost around it that can."""
        at: ast.AST | None = self._whole(node)
        while at is not None and not isinstance(at, (*_FUNCTIONS, ast.ClassDef, ast.Module)):
            if (isinstance(at, self.types) or (at is node and self._is_element(at))) and (
                at in self.chosen
                or (
                    self._source.is_outlinable(at, self._function(at))
                    and not self._is_cut_short(at)
                )
            ):
                self._add(at)
                if not self.around:
                    return
            if self.types is not _LOOPS and self._source.tail_from(at, self._function(at)):
                self._add(at)
                return
            at = self.parents.get(at)

    def _is_cut_short(self, node: ast.AST) -> bool:
        """Whether an error leaves names behind that the node had assigned, and goes on near it."""
        at = self.parents.get(node)
        while at is not None and not isinstance(at, (*_FUNCTIONS, ast.ClassDef)):
            if isinstance(at, (ast.Try, ast.TryStar)) or (
                isinstance(at, ast.With) and not all(map(_lets_pass, at.items))
            ):
                return isinstance(node, ast.stmt) and bool(assigned(node))
            at = self.parents.get(at)
        return False

    def _whole(self, node: ast.AST) -> ast.AST:
        """The outermost of conditional expressions in one another, the ``if`` of an ``elif``.

        And the short ``try`` or ``with`` around a statement, an error in which is one of its paths
        then.
        """
        parent = self.parents.get(node)
        if (
            isinstance(parent, (ast.Try, ast.With))
            and _is_short(parent)
            and node in parent.body
            and self.types is not _LOOPS
            and self._source.is_outlinable(parent, self._function(parent))
        ):
            return parent
        if isinstance(node, ast.IfExp):
            outer: ast.AST | None = parent
            while isinstance(outer, (ast.expr, ast.keyword)):
                if isinstance(outer, ast.IfExp):
                    return self._whole(outer)
                if isinstance(outer, (ast.Lambda, ast.ListComp, ast.GeneratorExp)):
                    break
                outer = self.parents.get(outer)
        if isinstance(node, ast.If) and isinstance(parent, ast.If) and parent.orelse == [node]:
            return self._whole(parent)
        return node

    def _function(self, node: ast.AST) -> ast.AST | None:
        """The function in whose scope a statement stands; None outside of any."""
        at = self.parents.get(node)
        while at is not None and not isinstance(at, (*_FUNCTIONS, ast.ClassDef)):
            at = self.parents.get(at)
        return None if isinstance(at, ast.ClassDef) else at

    def _add(self, node: ast.AST) -> None:
        function = self._function(node)
        if function is None or node in self.chosen:
            return
        if self._source.tail_from(node, function):
            self.tails[node] = function
        if isinstance(node, _LOOPS) or node not in self.tails:
            self.chosen.append(node)


_PASSING = frozenset(x.__name__ for x in HARMLESS)


def _lets_pass(item: ast.withitem) -> bool:
    """Whether, by its name, an error passes what is entered; where it does not, that is refused."""
    call = item.context_expr
    return isinstance(call, ast.Call) and name_of(call.func) in _PASSING


def _tests_of(node: ast.AST) -> list[ast.AST]:
    """What decides how a statement or an expression that branches goes on."""
    if isinstance(node, ast.Match):
        patterns = [x.pattern for x in node.cases]
        return [node.subject, *patterns, *(x.guard for x in node.cases if x.guard is not None)]
    return [node.test] if isinstance(node, (ast.If, ast.IfExp, ast.While)) else []


def _is_short(node: ast.Try | ast.With) -> bool:
    """Whether a ``try`` or ``with`` holds a few simple statements and nothing else."""
    return len(node.body) <= _SHORT and not any(isinstance(x, _COMPOUND) for x in node.body)


def _spans(node: Any, line: int) -> bool:
    return bool(node.lineno <= line <= node.end_lineno)

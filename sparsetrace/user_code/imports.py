"""Which modules the ``import`` statements of a function give it.

Contract: reads code objects and what is loaded; imports nothing itself.
"""

from __future__ import annotations

import dis
import importlib.util
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sparsetrace.user_code.handlers import instructions_of

__all__ = ["Import", "import_at", "imports_in"]

_IMPORTS = "IMPORT_NAME"


class Import(NamedTuple):
    """One statement, as ``from ..package import name``.

    Examples
    --------
    >>> def function():
    ...     from os import path
    >>> (statement,) = imports_in([function.__code__])
    >>> statement, statement.module({}).__name__
    (Import(name='os', level=0, names=('path',)), 'os')
    >>> Import("path", 1, ()).full_name({"__package__": "os"})
    'os.path'
    """

    name: str
    level: int
    """The dots before the name."""
    names: tuple[str, ...]
    """What is taken from the module; all there is for ``*``."""

    def full_name(self, scope: dict[str, Any]) -> str:
        """The name of the module for code in a module with these names; empty if it has none."""
        if not self.level:
            return self.name
        try:
            package = scope.get("__package__") or _package(scope)
            return importlib.util.resolve_name("." * self.level + self.name, package)
        except (ImportError, TypeError, AttributeError):
            return ""

    def module(self, scope: dict[str, Any]) -> types.ModuleType | None:
        """The module, if it is loaded."""
        return sys.modules.get(self.full_name(scope))

    def given(self, scope: dict[str, Any]) -> types.ModuleType | None:
        """The module that the statement gets: of ``import a.b`` that is ``a``."""
        name = self.full_name(scope)
        return sys.modules.get(name if self.names else name.partition(".")[0])

    def loads(self, scope: dict[str, Any]) -> bool:
        """Whether the statement may load a module that is not loaded yet."""
        module = self.module(scope)
        if module is None:
            return True
        own = object.__getattribute__(module, "__dict__")
        return any(name not in own and name != "*" for name in self.names)


def _package(scope: dict[str, Any]) -> str:
    name = str(scope.get("__name__", ""))
    return name if "__path__" in scope else name.rpartition(".")[0]


def import_at(steps: Sequence[dis.Instruction], at: int) -> Import:
    """The statement of an instruction that imports a module."""
    level, names = (steps[place].argval for place in (at - 2, at - 1))
    return Import(str(steps[at].argval), int(level or 0), tuple(names or ()))


def imports_in(codes: Iterable[types.CodeType]) -> Iterator[Import]:
    """The statements in some codes."""
    for code in codes:
        steps = instructions_of(code)
        yield from (import_at(steps, i) for i, s in enumerate(steps) if s.opname == _IMPORTS)

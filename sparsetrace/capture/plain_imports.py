"""Modules that are imported with NumPy's own names, also where a traced function is the first to.

Contract: such a module notes functions by their identity as it is loaded, in tables that no trace
can put back.  The import system asks the finder here first, while a trace runs; the import itself
is done by whoever made the finder, with all names put back.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Callable, Collection
from importlib.abc import Loader
from importlib.machinery import ModuleSpec

__all__ = ["Finder"]


class Finder:
    """Finds some modules, once each, by a function that imports them by name.

    Parameters
    ----------
    names : collection of str
        Of top-level modules.
    import_plainly : callable
        Given a name, it returns the module, or None where it cannot be imported.
    """

    def __init__(
        self, names: Collection[str], import_plainly: Callable[[str], types.ModuleType | None]
    ) -> None:
        self.names, self.import_plainly = names, import_plainly

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """What the import system asks for each module that is not loaded yet."""
        if name not in self.names:
            return None
        self.leave()
        try:
            module = self.import_plainly(name)
        finally:
            self.enter()
        return None if module is None else importlib.util.spec_from_loader(name, _Loaded(module))

    def enter(self) -> None:
        """Be asked, if there is anything left to be found."""
        if not self.names <= sys.modules.keys():  # type: ignore[operator]
            sys.meta_path.insert(0, self)

    def leave(self) -> None:
        """Be asked no more."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)


class _Loaded(Loader):
    """The loader of a module that is there already."""

    def __init__(self, module: types.ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return self.module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__ = self.spec

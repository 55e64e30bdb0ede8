"""Whether code asks ``value is np.ma.masked`` or ``mask is np.ma.nomask``.

No object can answer that for itself.

Contract: looks at the functions that run now, and at those beside them in their modules;
what the comparison calls by another name is not seen.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Iterator
from functools import cache
from typing import Any

__all__ = ["compared_by_identity", "functions_in"]

_OUTERMOST = "sparsetrace.tracing.arguments"
_LIBRARIES = ("numpy.", "scipy.", "sparsetrace.")


def compared_by_identity(*names: str) -> bool:
    """Whether traced code, as far as it can be seen from here, compares one of these by ``is``.

    Examples
    --------
    >>> compared_by_identity("masked")
    False
    """
    frame: types.FrameType | None = sys._getframe(1)
    seen: set[int] = set()
    while frame is not None:
        scope = frame.f_globals
        name = scope.get("__name__", "")
        if name == _OUTERMOST:
            return False
        if not name.startswith(_LIBRARIES):
            if _compares(frame.f_code, names) or (
                id(scope) not in seen and _any_compares(scope, names)
            ):
                return True
            seen.add(id(scope))
        frame = frame.f_back
    return False


def _any_compares(scope: dict[str, Any], names: tuple[str, ...]) -> bool:
    return any(
        _compares(function.__code__, names)
        for function in functions_in(scope)
        if not str(getattr(function, "__module__", "")).startswith(_LIBRARIES)
    )


def functions_in(scope: dict[str, Any]) -> Iterator[Any]:
    """What has code among the values of a module, and in the classes that it holds."""
    for value in list(scope.values()):
        for item in list(vars(value).values()) if isinstance(value, type) else (value,):
            if isinstance(getattr(item, "__code__", None), types.CodeType):
                yield item


@cache
def _compares(code: types.CodeType, names: tuple[str, ...]) -> bool:
    if set(names).intersection((*code.co_names, *code.co_freevars, *code.co_varnames)) and any(
        step.opname == "IS_OP" for step in dis.get_instructions(code)
    ):
        return True
    return any(_compares(c, names) for c in code.co_consts if isinstance(c, types.CodeType))

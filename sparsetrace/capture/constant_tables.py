"""Ordinary arrays from outside that a function indexes by traced values: ``table[argsort(x)]``.

Contract: NumPy asks no protocol for it, and says that the index is no integer.  The array is
then found by the name under which it was indexed, and exchanged there for a view that
answers: a union over constants, which depends on the inputs with zero derivative.
"""

from __future__ import annotations

import dis
import gc
import types
from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np

from sparsetrace.capture.session import Buffer
from sparsetrace.user_code.callers import subscripted
from sparsetrace.user_code.frames import is_own

__all__ = ["indexed"]

_SUBSCRIPTS = frozenset(("BINARY_SUBSCR", "BINARY_OP"))


class _Contents(MutableMapping[str, Any]):
    """A closure's cell as a scope of one name."""

    def __init__(self, cell: types.CellType) -> None:
        self._cell = cell

    def __getitem__(self, name: str) -> Any:
        return self._cell.cell_contents

    def __setitem__(self, name: str, value: Any) -> None:
        self._cell.cell_contents = value

    def __delitem__(self, name: str) -> None:
        del self._cell.cell_contents

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 1


def indexed(traceback: types.TracebackType | None) -> list[tuple[Any, str, Any]]:
    """Scope, name and stand-in of the array at whose indexing an error arose.

    Parameters
    ----------
    traceback : traceback or None
        Of the error; the innermost frame outside of this package is looked at.
    """
    innermost = None
    while traceback is not None:
        if not is_own(traceback.tb_frame.f_code):
            innermost = traceback
        traceback = traceback.tb_next
    if innermost is None:
        return []
    frame = innermost.tb_frame
    if dis.opname[frame.f_code.co_code[innermost.tb_lasti]] not in _SUBSCRIPTS:
        return []
    owner, kind, name, table = subscripted(frame, innermost.tb_lasti)
    if type(table) is not np.ndarray or table.dtype.kind not in "biufc":
        return []
    stand_in = table.view(Buffer)
    if owner is not None:
        scope = getattr(owner, "__dict__", {})
        return [(scope, name, stand_in)] if scope.get(name) is table else []
    if kind == "LOAD_GLOBAL":
        return [(frame.f_globals, name, stand_in)] if name in frame.f_globals else []
    if kind == "LOAD_DEREF":
        cells = [c for c in gc.get_referrers(table) if isinstance(c, types.CellType)]
        return [(_Contents(cell), name, stand_in) for cell in cells]
    return []

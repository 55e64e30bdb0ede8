"""Ordinary arrays from outside that a function indexes by traced values: ``table[argsort(x)]``.

Contract: NumPy asks no protocol for it, and says that the index is no integer.  The array is
then found by the name under which it was indexed, and exchanged there for a view that
answers: a union over constants, which depends on the inputs with zero derivative.
"""

from __future__ import annotations

import dis
import functools
import gc
import types
from typing import Any

import numpy as np

from sparsetrace.capture.patch import Patch, Place
from sparsetrace.capture.session import Buffer
from sparsetrace.user_code.callers import subscripted
from sparsetrace.user_code.frames import is_own

__all__ = ["patches"]

_SUBSCRIPTS = frozenset(("BINARY_SUBSCR", "BINARY_OP"))


def patches(traceback: types.TracebackType | None) -> list[Patch]:
    """What stands for the array at whose indexing an error arose, wherever its name finds it.

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
    owner, operation, name, table = subscripted(frame, innermost.tb_lasti)
    if type(table) is not np.ndarray or table.dtype.kind not in "biufc":
        return []
    stand_in = table.view(Buffer)
    if owner is None and operation == "LOAD_DEREF":
        cells = [c for c in gc.get_referrers(table) if isinstance(c, types.CellType)]
        return [Patch(_contents(cell), name, table, stand_in) for cell in cells]
    if owner is None and operation == "LOAD_GLOBAL":
        scope: Any = frame.f_globals
    else:
        scope = getattr(owner, "__dict__", {})
    if scope.get(name) is not table:
        return []
    return [Patch(owner if isinstance(owner, type) else scope, name, table, stand_in)]


def _contents(cell: types.CellType) -> Place:
    read = functools.partial(getattr, cell, "cell_contents")
    return Place(read, functools.partial(setattr, cell, "cell_contents"))

"""``numpy.ma``, whose functions ask no protocol.

Contract: its functions and methods have rules like those of any other package, and are
exchanged like those (`capture.registered_functions`); here is what is peculiar to them.
Masked float arrays made in the traced function are watched buffers, as those of ``np.zeros``
are.  Few functions use masked arrays: the names are exchanged once one is made of traced
elements, or an error shows that the function uses numpy.ma, and it runs again.  (Every other
call of numpy.ma's own functions with traced elements raises: they find no numbers there.)
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.ma import core as _core
from numpy.ma import nomask

from sparsetrace.capture.patch import Patch
from sparsetrace.capture.session import SESSION, holds_traced, is_library
from sparsetrace.context import CURRENT
from sparsetrace.dispatch.bound_rules import Args, BoundRule, Options
from sparsetrace.dispatch.function_rules import REGISTERED, FunctionRule
from sparsetrace.errors import EscapeError, UnsupportedError, explain
from sparsetrace.masked import MODULE, constructed
from sparsetrace.masked.masked_constant import functions_in
from sparsetrace.operands.operands import is_traced

__all__ = ["are_used", "patches"]

core: Any = _core
_LIBRARIES = ("numpy.", "scipy.", "sparsetrace.")
_MAKERS = frozenset(
    "arange array asanyarray asarray empty empty_like identity masked_all masked_all_like "
    "ones ones_like zeros zeros_like".split()
)
"""Functions whose arrays may be written into."""


class _Maker(FunctionRule):
    """The rule of a function that makes arrays, of which those of constants are watched."""

    __slots__ = ("_of_traced",)

    def __init__(self, of_traced: FunctionRule) -> None:
        super().__init__(of_traced.name, "", always=True)
        self._of_traced = of_traced

    def bound(self, original: Callable[..., Any]) -> BoundRule:
        return self._of_traced.bound(original)

    def answer(self, original: Callable[..., Any], args: Args, kwargs: Options) -> Any:
        if holds_traced(args, kwargs):
            return self._of_traced.answer(original, args, kwargs)
        return _watched(original(*args, **kwargs), args, sys._getframe(2))  # behind the wrapper


for _name in _MAKERS:
    REGISTERED[MODULE][_name] = _Maker(REGISTERED[MODULE][_name])


def _watched(made: Any, args: tuple[Any, ...], frame: types.FrameType) -> Any:
    """A new float array as the user's code gets it: plain until a tracer is written."""
    session, trace = SESSION.get(), CURRENT.get()
    if session is None or trace is None or is_library(frame) or type(made) is not core.MaskedArray:
        return made
    own = np.ndarray.view(made, np.ndarray)
    if any(isinstance(a, np.ndarray) and np.may_share_memory(a, own) for a in args):
        return made
    data = session.buffer(own, frame)
    if data is own:
        return made
    if is_traced(data) and trace.local:
        data._values[...] = own
    return core.MaskedArray(
        data, mask=made.mask, fill_value=made.fill_value, hard_mask=made.hardmask
    )


# ------------------------------------------------------------------- the class
def patches() -> list[Patch]:
    """How masked arrays are made, which alone is exchanged from the start."""
    original = vars(core.MaskedArray)["__new__"]
    return [Patch(core.MaskedArray, "__new__", original, _new(original.__func__))]


def _new(original: Any) -> Any:
    @functools.wraps(original)
    def new(cls: type, data: Any = None, mask: Any = nomask, *args: Any, **kwargs: Any) -> Any:
        session = SESSION.get()
        if session is None or not holds_traced((data, mask, *args), kwargs):
            return original(cls, data, mask, *args, **kwargs)
        session.need(MODULE)
        if cls is not core.MaskedArray:
            raise UnsupportedError(
                explain(
                    f"a masked array of class {cls.__name__}",
                    "subclasses have no rule for traced data",
                    "Use np.ma.MaskedArray itself.",
                )
            )
        if sys._getframe(1).f_globals.get("__name__", "").startswith("numpy."):
            raise EscapeError(
                explain(
                    "a function of numpy.ma",
                    "it was bound by name before the trace began",
                    "Call it as np.ma.f(...).",
                )
            )
        return constructed(data, mask, *args, **kwargs)

    return staticmethod(new)


# --------------------------------------------------------------- whether it is used
def are_used(traceback: types.TracebackType | None) -> bool:
    """Whether an error passed through numpy.ma, or through a module that uses it.

    Where it passed through no module of the user's, what was returned was at fault.
    """
    seen: set[int] = set()
    outside = True
    while traceback is not None:
        frame, traceback = traceback.tb_frame, traceback.tb_next
        scope = frame.f_globals
        name = scope.get("__name__", "")
        if name.startswith(MODULE):
            return True
        if name.startswith(_LIBRARIES):
            continue
        outside = False
        if _mentions(frame.f_code) or (id(scope) not in seen and _is_used_by(scope)):
            return True
        seen.add(id(scope))
    return outside


def _is_used_by(scope: dict[str, Any]) -> bool:
    if any(_mentions(function.__code__) for function in functions_in(scope)):
        return True
    for value in list(scope.values()):
        module = getattr(value, "__module__", None) or getattr(value, "__name__", None)
        if isinstance(module, str) and module.startswith(MODULE):
            return True
    return False


@cache
def _mentions(code: types.CodeType) -> bool:
    if "ma" in code.co_names:
        return True
    return any(_mentions(c) for c in code.co_consts if isinstance(c, types.CodeType))

"""``numpy.ma``, whose functions ask no protocol.

Contract: a call without traced arguments is NumPy's own.  With them it is answered, or
refused by name.  Masked float arrays made in the traced function are watched buffers, as
those of ``np.zeros`` are.  Few functions use masked arrays: the names are exchanged once
one is made of traced elements, or an error shows that the function uses numpy.ma, and it
runs again.  (Every other call of numpy.ma's own functions with traced elements raises: they
find no numbers there.)
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NoReturn

import numpy as np
from numpy.ma import core as _core
from numpy.ma import nomask

from sparsetrace.capture.patch import Patch
from sparsetrace.capture.session import SESSION, answering, holds_traced, is_library
from sparsetrace.context import CURRENT
from sparsetrace.errors import EscapeError, UnsupportedError, explain
from sparsetrace.masked import ANSWERS, METADATA, by_method, constructed
from sparsetrace.masked.masked_constant import functions_in
from sparsetrace.operands.operands import is_traced, plain_target

__all__ = ["MODULE", "are_used", "later_patches", "patches"]

MODULE = "numpy.ma"

core: Any = _core
_LIBRARIES = ("numpy.", "scipy.", "sparsetrace.")
_MAKERS = frozenset(
    "arange array asanyarray asarray empty empty_like identity masked_all masked_all_like "
    "ones ones_like zeros zeros_like".split()
)
"""Functions whose arrays may be written into."""


def _function(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    answer = ANSWERS.get(original)

    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        session = SESSION.get()
        if session is None:
            return original(*args, **kwargs)
        if not holds_traced(args, kwargs):
            result = original(*args, **kwargs)
            return _watched(result, args, sys._getframe(1)) if name in _MAKERS else result
        if answer is None:
            raise UnsupportedError(
                explain(
                    f"np.ma.{name}",
                    "this function has no rule for traced data",
                    "Use numpy's function on m.filled(value), and np.where with m.mask.",
                )
            )
        return answer(*args, **kwargs)

    wrapper._captures = True  # type: ignore[attr-defined]
    return wrapper


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


def _refuse_write(target: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise the error of a write of traced elements into an ordinary masked array."""
    raise plain_target("an assignment to a masked array", np.ndarray.view(target, target.baseclass))


_COMPARISONS = "eq ne lt le gt ge"
_IN_PLACE = "iadd isub imul itruediv ifloordiv ipow"
_WRITERS = ("__setitem__", "put", *(f"__{name}__" for name in _IN_PLACE.split()))
_READERS = ("dot", "filled", *(f"__{name}__" for name in _COMPARISONS.split()))


_UFUNCS = (
    core._MaskedUnaryOperation,
    core._MaskedBinaryOperation,
    core._DomainedBinaryOperation,
    core._extrema_operation,
)
"""The classes of numpy.ma's own ufuncs."""


def later_patches() -> Iterator[Patch]:
    """All else: the functions of ``np.ma``, its ufuncs, and what ordinary masked arrays do."""
    for name in np.ma.__all__:
        original = getattr(np.ma, name)
        other = isinstance(original, (type, types.ModuleType, *_UFUNCS))
        if callable(original) and not other and name not in METADATA:
            yield Patch(np.ma, name, original, _function(name, original))
    for cls in _UFUNCS:
        for name, method in vars(cls).items():
            if type(method) is types.FunctionType and method in ANSWERS:
                yield Patch(cls, name, method, answering(method, ANSWERS[method]))
    for name in _READERS:
        method = vars(core.MaskedArray)[name]
        yield Patch(core.MaskedArray, name, method, answering(method, by_method(name)))
    for name in _WRITERS:
        method = vars(core.MaskedArray)[name]
        yield Patch(core.MaskedArray, name, method, answering(method, _refuse_write))


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

"""Functions that numba compiles: traced through the Python source that they were made from.

Contract: machine code reads and writes memory, and a traced array has none.  While a trace
runs, the calls of numba's compiled functions, wherever they are kept, run the Python source
for traced arguments, and the machine code for all others.  Where the source does something
else than what was compiled (declared types, numba's own containers), the call is refused.
numba itself is never imported.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sparsetrace.capture.builtin_names import CONVERSIONS
from sparsetrace.capture.numba_source import (
    closes_over_traced,
    fits,
    gives,
    name_of,
    package_of,
    refuse,
    run_source,
)
from sparsetrace.capture.numba_ufuncs import by_rows, elementwise
from sparsetrace.capture.patch import ABSENT, Patch
from sparsetrace.capture.session import SESSION, Buffer, holds_traced, is_library
from sparsetrace.context import CURRENT
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands import memory
from sparsetrace.user_code.frames import is_own

__all__ = ["MODULE", "load_tables", "loaded", "patches"]

MODULE = "numba"


def loaded() -> frozenset[str]:
    """Of numba alone: whether the program has loaded it, and with it its compiled functions."""
    known = MODULE in memory.COMPILERS and sys.modules.get(MODULE) and _classes() is not None
    return frozenset((MODULE,)) if known else frozenset()


def _classes() -> tuple[type, type, type, type] | None:
    names = (
        ("numba.core.dispatcher", "Dispatcher"),
        ("numba.np.ufunc.dufunc", "DUFunc"),
        ("numba.np.ufunc.gufunc", "GUFunc"),
        ("numba.stencils.stencil", "StencilFunc"),
    )
    classes = [getattr(sys.modules.get(module), name, None) for module, name in names]
    return None if None in classes else tuple(classes)  # type: ignore[return-value,unused-ignore]


def patches() -> Iterator[Patch]:
    """The calls of what numba compiles, and where its compiler looks names up."""
    classes = _classes()
    assert classes is not None
    load_tables()
    wrapped = (_compiled, elementwise, by_rows, _refused)
    for owner, wrap in zip(classes, wrapped, strict=True):
        original = owner.__call__  # type: ignore[operator,unused-ignore]
        yield Patch(owner, "__call__", original, wrap(original))
    context = sys.modules["numba.core.typing.context"].BaseContext
    original = context._lookup_global
    yield Patch(context, "_lookup_global", original, _by_originals(original))
    # what compiled functions return is made at the call of one: see `called_directly`
    yield Patch(classes[0], "_captures", ABSENT, True)


def load_tables() -> None:
    """Let numba list the functions that it knows, by identity, before any of them is exchanged.

    It does so when it first compiles something.  Where that were in a trace, it would know what
    stands in for the functions of `math`, and no code of the program could be compiled any more.
    """
    if sys.modules.get(MODULE) is None:  # of an import that failed
        return
    target = sys.modules["numba.core.registry"].cpu_target
    for context in (target.typing_context, target.target_context):
        context.refresh()


def _by_originals(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let numba compile what it meets while a trace runs: it knows functions by identity."""

    def _lookup_global(self: object, value: object) -> Any:
        plain = next((plain for plain, own in CONVERSIONS.items() if value is own), None)
        if plain is not None:
            value = plain
        elif type(value) is types.FunctionType and is_own(value.__code__):
            value = getattr(value, "_plain", getattr(value, "__wrapped__", value))
        return original(self, value)

    return _lookup_global


def _compiled(original: Callable[..., Any]) -> Callable[..., Any]:
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if CURRENT.get() is None:
            return original(self, *args, **kwargs)
        if holds_traced(args, kwargs) or closes_over_traced(self.py_func):
            return _through_source(self, args, kwargs)
        result = original(self, *args, **kwargs)
        return _watched(result, (*args, *kwargs.values()), sys._getframe(1))

    return __call__


def _watched(result: object, args: tuple[Any, ...], frame: types.FrameType) -> Any:
    """New arrays that machine code returned, as buffers: traced values may be written into them."""
    session = SESSION.get()
    if session is None or is_library(frame):
        return result
    if type(result) is tuple:
        # one call makes one buffer: of several, none could be told from the others
        return tuple(_view_of_buffer(item, args) for item in result)
    if type(result) is not np.ndarray or not _is_fresh(result, args):
        return _view_of_buffer(result, args)
    return session.buffer(result, frame)


def _is_fresh(result: object, args: tuple[Any, ...]) -> bool:
    """Whether nothing else can be a view of the memory of a returned array."""
    plain = (bool, int, float, complex, str, type(None), np.generic)
    for arg in args:
        if isinstance(arg, np.ndarray):
            if np.may_share_memory(arg, result):
                return False
        elif not isinstance(arg, plain):
            return False  # a jitclass or a typed list may hold it
    return True


def _view_of_buffer(result: object, args: tuple[Any, ...]) -> Any:
    if type(result) is not np.ndarray or result.dtype.kind not in "fc":
        return result
    for arg in args:
        if isinstance(arg, Buffer) and np.may_share_memory(arg, result):
            view = result.view(Buffer)
            view._sites = arg._sites
            return view
    return result


def _through_source(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the Python source of a compiled function gives."""
    function = self.py_func
    scope = function.__globals__
    if "__name__" not in scope:  # numba wrote the source itself, for a class
        function = _method(function, args)
    call = name_of(function)
    if package_of(function.__globals__) == "numba":
        refuse(call, "numba's own functions and containers take numbers alone")
    if self.locals:
        refuse(call, "its variables have declared types, which its Python source does not heed")
    if self._can_compile:
        return run_source(call, self, function, args, kwargs)
    declared = [signature for signature in self.nopython_signatures if fits(signature, args)]
    if not declared:
        refuse(call, _CHANGED)
    result = run_source(call, self, function, args, kwargs)
    if not any(gives(signature.return_type, result) for signature in declared):
        refuse(call, _CHANGED)
    return result


_CHANGED = "its declared types are not float64 or complex128, and change the values"


def _method(function: Any, args: tuple[Any, ...]) -> Any:
    """The method of a ``jitclass`` behind the function that numba wrote to call it."""
    numba_type = getattr(type(args[0]), "_numba_type_", None) if args else None
    methods = getattr(numba_type, "jit_methods", {})
    names = function.__code__.co_names
    if function.__name__ == "method" and len(names) == 1 and names[0] in methods:
        return methods[names[0]].py_func
    refuse("a numba jitclass", "its attributes hold numbers, and were given traced ones")


def _refused(original: Callable[..., Any]) -> Callable[..., Any]:
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if CURRENT.get() is None or not holds_traced(args, kwargs):
            return original(self, *args, **kwargs)
        kernel = self.kernel_ir.func_id.func
        raise UnsupportedError(
            explain(
                f"the numba stencil {kernel.__qualname__}",
                "its kernel is compiled, and not traced",
                "Write it with slices: a[:-2] - 2 * a[1:-1] + a[2:].",
            )
        )

    return __call__

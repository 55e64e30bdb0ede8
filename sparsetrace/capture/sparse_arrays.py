"""Arrays and matrices of scipy.sparse that are made of traced data, or operated with them.

Contract: the constructors of all classes and the operators of constant arrays ask whether an
argument is traced, and call the original where none is.  Constant arrays that are written to
become traced ones if they were made in the function; others are refused.  Few functions need
the operators: they are exchanged once a sparse array is made of traced data, or an error comes
out of scipy.sparse, whose own code can do nothing with traced arrays.
"""

from __future__ import annotations

import dis
import importlib
import itertools
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.capture.exact_types import shown_as_another
from sparsetrace.capture.patch import ABSENT, Patch, named_like
from sparsetrace.capture.session import SESSION, holds_traced, is_library
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.operands import contains_traced, is_sparse_traced, is_traced

__all__ = ["MODULE", "are_used", "later_patches", "patches", "rule", "sparse_classes"]

MODULE = "operators of scipy.sparse"
"""The name of the group of patches, which is no module's."""

_OPERATORS = (
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ multiply dot maximum "
    "minimum power __getitem__"
).split()
"""What gives a new array."""
_WRITERS = "__setitem__ setdiag __imul__ __itruediv__".split()
_PUBLIC = [
    getattr(scipy.sparse, f"{format}_{kind}")
    for format in "bsr coo csc csr dia dok lil".split()
    for kind in ("array", "matrix")
]


def rule(name: str) -> Any:
    """A function of the rules for sparse arrays, which are imported when one is needed."""
    return getattr(importlib.import_module("sparsetrace.scipy_rules.sparse"), name)


def sparse_classes() -> set[type]:
    """Every scipy.sparse class, those without a public name included."""
    every = {base for cls in _PUBLIC for base in cls.__mro__}
    return {cls for cls in every if cls.__module__.startswith("scipy.sparse")}


# ------------------------------------------------------------------------- constructors
_serials = itertools.count()
_serial_of: weakref.WeakKeyDictionary[Trace, int] = weakref.WeakKeyDictionary()
_MADE_IN = "_sparsetrace_run"
"""The attribute that says in which run a constant array was made."""


def _serial(trace: Trace) -> int:
    if trace not in _serial_of:
        _serial_of[trace] = next(_serials)
    return _serial_of[trace]


def _constructor(original: Callable[..., None]) -> Callable[..., None]:
    @named_like(original)
    def init(self: object, *args: Any, **kwargs: Any) -> None:
        trace = CURRENT.get()
        if trace is None:
            original(self, *args, **kwargs)
        elif holds_traced(args, kwargs):
            session = SESSION.get()
            if session is not None:
                session.install(MODULE)
            rule("constructed")(original, self, args, kwargs)
        else:
            original(self, *args, **kwargs)
        if trace is not None and not is_sparse_traced(self):
            self.__dict__[_MADE_IN] = _serial(trace)

    return init


def _operator(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    @named_like(original)
    def method(self: object, *args: Any, **kwargs: Any) -> Any:
        if CURRENT.get() is None or not holds_traced(args, kwargs):
            return original(self, *args, **kwargs)
        return rule("operated")(name, self, *args, **kwargs)

    return method


def _writer(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    @named_like(original)
    def method(self: object, *args: Any, **kwargs: Any) -> Any:
        trace = CURRENT.get()
        if trace is None or not holds_traced(args, kwargs):
            return original(self, *args, **kwargs)
        _become_traced(self, trace)
        return getattr(self, name)(*args, **kwargs)

    return method


def _become_traced(matrix: object, trace: Trace, *, anew: bool = False) -> None:
    """Let a constant array that is written to be a traced one, if the function has made it.

    What shares its data sees what is written there, but not data that are assigned `anew`.
    """
    problem = ""
    if vars(matrix).get(_MADE_IN) != _serial(trace):
        problem = "it was made outside of the traced function, and would keep traced values"
    elif not anew and any(holders > _ALONE for holders in _holders(vars(matrix))):
        problem = "another array shares its data, and would not see what is written"
    if problem:
        call = f"a write to a {type(matrix).__name__}"
        remedy = "Write to a copy, A = A.copy(), or assign all of it: A.data = values."
        raise UnsupportedError(explain(call, problem, remedy))
    rule("made_into")(matrix)


def _holders(attributes: dict[str, Any]) -> Iterator[int]:
    """How many references there are to each object that holds elements."""
    for name in ("data", "_dict"):
        if name in attributes:
            held = attributes[name]
            yield sys.getrefcount(held)
            if isinstance(held, np.ndarray):
                if held.base is not None:
                    base = held.base
                    yield sys.getrefcount(base)
                if held.dtype == object:  # the rows of a lil_array
                    yield from map(sys.getrefcount, held.flat)


_ALONE = max(_holders({"data": np.zeros(1)}))
"""What `_holders` gives for what nothing else refers to."""


def _data() -> property:
    """``A.data`` of constant arrays: watched in the user's code, which may write into it."""

    def get(self: Any) -> Any:
        attributes = vars(self)
        if "data" not in attributes:
            raise AttributeError("data")
        trace, session = CURRENT.get(), SESSION.get()
        if trace is None or session is None:
            return attributes["data"]
        frame = sys._getframe(1)
        if is_library(frame) or dis.opname[frame.f_code.co_code[frame.f_lasti]] != "LOAD_ATTR":
            return attributes["data"]
        shown = session.watched(attributes["data"], frame)
        if not is_traced(shown):
            return shown
        _become_traced(self, trace)
        return self.data

    def put(self: Any, value: Any) -> None:
        trace = CURRENT.get()
        if trace is not None and contains_traced(value):
            _become_traced(self, trace, anew=True)
            self.data = value
        else:
            vars(self)["data"] = value

    return property(get, put)


def patches() -> Iterator[Patch]:
    """The constructors of all classes, which alone are exchanged from the start."""
    for owner in _owners(*(cls.__name__ for cls in _PUBLIC)):
        original = vars(owner)["__init__"]
        yield Patch(owner, "__init__", original, _constructor(original))


def _owners(*names: str) -> set[type]:
    """The classes in which the constructors of these are defined."""
    classes = [getattr(scipy.sparse, name) for name in names]
    return {next(c for c in cls.__mro__ if "__init__" in vars(c)) for cls in classes}


def later_patches() -> Iterator[Patch]:
    """The operators of constant arrays, and their methods that write."""
    for cls in _PUBLIC:
        shown_as_another(rule("traced_class")(cls))
    for cls in sparse_classes():
        for names, wrap in ((_OPERATORS, _operator), (_WRITERS, _writer)):
            for name in names:
                original = vars(cls).get(name)
                if callable(original):
                    yield Patch(cls, name, original, wrap(original, name))
    for owner in _owners("csr_array", "coo_array", "dia_array", "bsr_array"):
        yield Patch(owner, "data", ABSENT, _data())


def are_used(traceback: types.TracebackType | None) -> bool:
    """Whether an error came out of scipy.sparse, or of code that may write into ``A.data``."""
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_globals.get("__name__", "").startswith("scipy.sparse."):
            return True
        if "data" in frame.f_code.co_names and not is_library(frame):
            return True
        traceback = traceback.tb_next
    return False

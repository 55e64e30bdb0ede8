"""Compiled functions that read memory, given traced arrays at a point: Cython's and pythran's.

Contract: where an error comes out of a call of one in a trace at a point, another function stands
for it in the next run, under all names that modules have for it.  That takes calls with traced
arguments as a whole: each number of a result, and each element of an array that is written into,
depends on all of them, jointly nonlinear.  All other calls are left to the function itself.
Methods of objects keep state, and stay as they are; so do functions of Python's own and of NumPy.
In a global trace such calls are refused: no numbers but the user's own are safe to run them on.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sparsetrace.capture import registered_functions
from sparsetrace.capture.compiled_arguments import Arguments, GivenUp
from sparsetrace.capture.compiled_calls import Outcome, Seen, seen
from sparsetrace.capture.library_functions import gives_address, is_of_library, library_of
from sparsetrace.capture.patch import Patch, named_like
from sparsetrace.context import CURRENT, Trace
from sparsetrace.dispatch.function_rules import is_given
from sparsetrace.errors import (
    TracingError,
    instead_of,
)
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.numbers.scalar import as_python
from sparsetrace.operands.operands import ids_of, is_traced, plain_target
from sparsetrace.operands.raising import injected
from sparsetrace.operands.spread import spread
from sparsetrace.user_code.callers import called_at, drops_result
from sparsetrace.user_code.frames import is_cythons, is_own
from sparsetrace.user_code.known_functions import UNKNOWN_EFFECTS
from sparsetrace.user_code.public_names import public_name

__all__ = ["is_compiled", "patches"]

_CYTHONS = frozenset(("cython_function_or_method", "fused_cython_function"))
_NAMES = ("__doc__", "__module__", "__name__", "__qualname__")
_KEPT = frozenset(("numba", "numpy", "scipy", "sparsetrace"))
"""Packages whose own modules keep their names, and whose code calls what it likes."""


# ------------------------------------------------------------------- which ones
def is_compiled(function: Any) -> bool:
    """Whether this is a function of a compiled module, of no object, that may be taken as a whole.

    Examples
    --------
    >>> import math
    >>> is_compiled(math.sin), is_compiled(np.dot), is_compiled(is_compiled)
    (False, False, False)
    """
    if is_of_library(function):
        return library_of(function) is not None
    if type(function).__name__ not in _CYTHONS:
        owner = getattr(function, "__self__", None)
        if type(function) is not types.BuiltinFunctionType or type(owner) is not types.ModuleType:
            return False
    module = getattr(function, "__module__", None)
    if not isinstance(module, str) or registered_functions.wrapper_of(function) is not None:
        return False
    package = module.partition(".")[0]
    if package in ("numpy", "sparsetrace") or package in sys.stdlib_module_names:
        return False
    return not instead_of(package)


def patches(error: BaseException | None) -> list[Patch]:
    """What stands for the compiled function that an error came out of, wherever modules name it.

    Of a table of functions, ``kernels[kind](x)``, for all that are in it.
    """
    found = _called_by_error(error)
    if type(found) is dict:
        items = [(key, value) for key, value in found.items() if is_compiled(value)]
        return [Patch(found, key, value, Compiled(value)) for key, value in items]
    if found is None:
        return []
    stand_in = Compiled(found)
    return [
        Patch(scope, name, found, stand_in)
        for scope in _scopes(found)
        for name, value in list(scope.items())
        if value is found
    ]


def _scopes(function: Any) -> Iterator[dict[str, Any]]:
    own = function.__module__
    if is_of_library(function):
        yield vars(library_of(function))
    for name, module in list(sys.modules.items()):
        if type(module) is types.ModuleType and (
            name == own or name.partition(".")[0] not in _KEPT
        ):
            yield vars(module)


def _called_by_error(error: BaseException | None) -> Any:
    """The compiled function, called by Python code, that an error came out of; None if none.

    Or the table that holds it.
    """
    entry = _innermost(error)
    if entry is None:
        return None
    function = called_at(entry.tb_frame, entry.tb_lasti)
    is_table = type(function) is dict and any(map(is_compiled, function.values()))
    return function if is_table or is_compiled(function) else None


def _innermost(error: BaseException | None) -> types.TracebackType | None:
    """The innermost entry of a traceback that is of Python code of others; None without."""
    traceback = error.__traceback__ if isinstance(error, Exception) else None
    found = None
    while traceback is not None:
        frame = traceback.tb_frame
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        code = frame.f_code
        if not (is_own(code) or is_cythons(code) or package in _KEPT):
            found = traceback
        traceback = traceback.tb_next
    return found


# ---------------------------------------------------------------- what stands there
class Compiled:
    """Stands for a compiled function while a trace runs.

    Parameters
    ----------
    original : callable
    """

    def __init__(self, original: Any) -> None:
        own = {name: getattr(original, name, None) for name in _NAMES}
        vars(self).update(own, _original=original, __wrapped__=original)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        original = self._original
        trace = CURRENT.get()
        if trace is None or not trace.local:
            return original(*args, **kwargs)
        if not any(map(is_given, args)) and not any(map(is_given, kwargs.values())):
            return original(*args, **kwargs)
        dropped = drops_result(sys._getframe(1))
        try:
            return _taken_whole(original, trace, args, kwargs, dropped=dropped)
        except GivenUp:
            pass
        return original(*args, **kwargs)

    def __getitem__(self, types: Any) -> Any:
        """The function for some types of arguments, of one that is compiled for several."""
        found = self._original[types]
        return Compiled(found) if is_compiled(found) else found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._original, name, value)

    def __eq__(self, other: object) -> bool:
        return bool(self._original == getattr(other, "__wrapped__", other))

    def __hash__(self) -> int:
        return hash(self._original)

    def __repr__(self) -> str:
        return repr(self._original)


setattr(Compiled, UNKNOWN_EFFECTS, True)


def _name(original: Any) -> str:
    """What users call it."""
    return original.__name__ if is_of_library(original) else public_name(original)


def _dropping(original: Any) -> Callable[..., None]:
    """The function where nobody asks for its result."""

    @named_like(original)
    def without_result(*args: Any, **kwargs: Any) -> None:
        original(*args, **kwargs)

    return without_result


def _taken_whole(
    original: Any,
    trace: Trace,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    dropped: bool,
) -> Any:
    given = Arguments(trace, args, kwargs)
    if trace.moving is not None:
        raise GivenUp
    name, function = _name(original), original
    if is_of_library(original) and gives_address(original):
        if not dropped:
            raise GivenUp
        function = _dropping(original)
    found = _seen(function, given)
    if given.share_memory(found.written):
        raise GivenUp  # what the copies hold now is not what the arrays would
    for place in found.written:
        target = given.arrays[place]
        if not is_traced(target) and not _keeps_numbers(trace, target):
            raise plain_target(name, target)
    trace.at_a_step |= found.is_at_step and not trace.dependency
    line = f"{name}: compiled, taken to depend on all of its arguments"
    if line not in trace.taken_whole:
        trace.taken_whole.append(line)
    total = _total(given)
    for place in found.written:
        target, values = given.arrays[place], found.outcome.copies.arrays[place]
        if is_traced(target):
            target[...] = spread(trace, total, values)
        else:
            np.copyto(target.view(np.ndarray), values)
    return _made(found.outcome, given, trace, total)


def _total(given: Arguments) -> Ids:
    """The union over all traced numbers of arguments, jointly nonlinear."""
    graph = given.trace.graph
    ids = [graph.union_rows(ids_of(given.trace, x).reshape(-1)) for x in given.traced]
    total = np.asarray(graph.union_all(ids), np.int32)
    return interact_all(graph, np.maximum(total, OPAQUE))


def _keeps_numbers(trace: Trace, target: Any) -> bool:
    """Whether what is written into an ordinary array are numbers that are known."""
    return not trace.dependency and target.dtype.kind in "biu"


def _seen(function: Any, given: Arguments) -> Seen:
    try:
        return seen(function, given)
    except (GivenUp, TracingError):
        raise
    except Exception as error:
        injected(error)  # the function's own, of the values at the point
        raise


def _made(outcome: Outcome, given: Arguments, trace: Trace, total: Ids) -> Any:
    """The result, each number in which depends on all."""

    def made(x: Any) -> Any:
        if x is None:
            return None
        for place, array in enumerate(outcome.copies.arrays):
            if x is array:
                return given.arrays[place]
        if type(x) in (tuple, list):
            return type(x)(map(made, x))
        if type(x) is dict:
            return {key: made(item) for key, item in x.items()}
        if isinstance(x, (np.ndarray, np.generic)):
            return spread(trace, total, x)
        return as_python(spread(trace, total, x))

    return made(outcome.result)

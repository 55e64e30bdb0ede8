"""Whether a call that failed in a trace succeeds for plain numbers.

Contract: an error that a rule of the trace raises and NumPy or SciPy do not is the
trace's own, whatever its words: a handler in the traced function would take it for
theirs.  In doubt the error is the function's.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from sparsetrace.errors import text_of
from sparsetrace.operands.operands import is_traced
from sparsetrace.user_code.public_names import public_name

__all__ = ["answered", "fails_plainly", "plain_argument", "succeeds_plainly"]

_NAMES = ("function", "ufunc", "original", "method")
"""What the entries of the package call the function that they answer."""
_OTHERS = frozenset(("sparsetrace.capture.threads", "sparsetrace.capture.turns"))
"""What is handed functions of the user's to run, and answers none."""
_TAKEN = (bool, bytes, complex, float, int, np.dtype, np.generic, slice, str, type)


class _Unknown(Exception):
    """An argument that cannot be made plain, or that the call could change."""


def succeeds_plainly(frames: Iterable[types.FrameType]) -> bool:
    """Whether the outermost call that the package answered works for plain numbers.

    Parameters
    ----------
    frames : iterable of frames
        Those of libraries and of the package in the traceback of an error, outermost first.
    """
    call = _outermost(frames)
    return call is not None and _works(*call)


def fails_plainly(error: Exception, frames: Iterable[types.FrameType]) -> bool:
    """Whether that call fails by the same error for plain numbers of the same shapes.

    For two kinds of numbers, so that it is not for what they are.
    """
    for function, *given in _calls(frames):
        with suppress(_Unknown):
            numbers = [plain_argument(given, below=below) for below in (False, True)]
            return all(_fails_by(error, function, *each) for each in numbers)
    return False


def _fails_by(error: Exception, function: Callable[..., Any], args: Any, kwargs: Any) -> bool:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            function(*args, **kwargs)
    except Exception as failure:
        return type(failure) is type(error) and text_of(failure) == text_of(error)
    return False


def answered(frames: Iterable[types.FrameType]) -> str | None:
    """The name of that function; None if the package answered none."""
    call = _outermost(frames)
    return None if call is None else public_name(call[0])


Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def _outermost(frames: Iterable[types.FrameType]) -> Call | None:
    return next(_calls(frames), None)


def _calls(frames: Iterable[types.FrameType]) -> Iterator[Call]:
    for frame in frames:
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith("sparsetrace.") and module not in _OTHERS:
            call = _call(frame.f_locals)
            if call is not None:
                yield call


def _call(scope: dict[str, Any]) -> Call | None:
    """The function that is answered where these are the variables, and its arguments."""
    function = next((scope[name] for name in _NAMES if callable(scope.get(name))), None)
    args, kwargs = scope.get("args", scope.get("inputs")), scope.get("kwargs")
    if function is None or type(args) is not tuple or type(kwargs) is not dict:
        return None
    if isinstance(function, np.ufunc):
        function = getattr(function, scope.get("method", "__call__"))
    return function, args, kwargs


def _works(function: Callable[..., Any], args: object, kwargs: object) -> bool:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            function(*plain_argument(args), **plain_argument(kwargs))
    except Exception:
        return False
    return True


def plain_argument(x: Any, *, below: bool = False) -> Any:
    """The argument with numbers in place of traced ones, and copies of arrays.

    Parameters
    ----------
    x
    below : bool
        Whether those that are not known are below 1, and fall.
    """
    if is_traced(x):
        return _numbers(x, below=below)
    if x is None or x is Ellipsis or isinstance(x, _TAKEN):
        return x
    if type(x) in (list, tuple):
        return type(x)(plain_argument(item, below=below) for item in x)
    if type(x) is dict:
        return {key: plain_argument(item, below=below) for key, item in x.items()}
    if isinstance(x, np.ndarray) and x.dtype != object and not isinstance(x, np.ma.MaskedArray):
        return _copy(x, x)
    raise _Unknown


def _copy(values: Any, like: Any) -> Any:
    """A copy that may be written into where the array may be."""
    copy = np.array(values)
    copy.flags.writeable = like.flags.writeable
    return copy


def _numbers(x: Any, *, below: bool) -> Any:
    """Those of a local trace; else such as most calls take: positive, in order, all different."""
    if isinstance(x, (np.ma.MaskedArray, np.matrix)) or getattr(type(x), "_is_picked", False):
        raise _Unknown
    values, ids = x._values, x._ids
    if values is None:
        shape, dtype = np.shape(ids), x._dtype
        integers = dtype.kind in "biu"
        places = np.arange(np.size(ids)).reshape(shape)
        values = np.zeros(shape) if integers else 1.0 + np.sqrt(places)
        values = (1 / (1 + values) if below else values).astype(dtype)
    return _copy(values, ids) if isinstance(x, np.ndarray) else np.asarray(values)[()]

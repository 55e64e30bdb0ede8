"""Floating-point errors that the traced function may notice: ``np.errstate``, warnings.

Contract: at a point, what NumPy finds goes to the state that the function has set, as in
a plain call.  In a global trace an operation that may meet such an error is a decision,
if the function would see it: an exception that it catches, a warning that it records
or turns into an exception, a call of its own handler.  Elsewhere nothing happens;
`Trace.calm` says so to the operations, which then do not ask.
"""

from __future__ import annotations

import functools
import itertools
import sys
import types
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
from numpy import add, array, errstate, geterr, geterrcall

from sparsetrace.context import CURRENT, Trace
from sparsetrace.operands.raising import decides, may_be_caught, may_raise
from sparsetrace.user_code.frames import outside_frame
from sparsetrace.user_code.handlers import is_caught

__all__ = [
    "begin",
    "is_calm",
    "notice",
    "notice_function",
    "recorded",
    "report",
    "shows_warnings",
    "silently",
    "watchers",
    "without_state",
]

_KINDS = {
    "divide by zero": "divide",
    "overflow": "over",
    "underflow": "under",
    "invalid value": "invalid",
}
"""NumPy's words for each error, and its keyword of ``np.errstate``."""
_FLAGS = {"divide by zero": 1, "overflow": 2, "underflow": 4, "invalid value": 8}
_SAMPLES = (-2.5, -1.0, 0.0, 0.5, 1e-308, 1e308, np.inf, -np.inf, np.nan)
"""Arguments among which every floating-point error of every ufunc is met."""
_ALL = tuple(_KINDS)
_MOST_ARGUMENTS = 3
_COMPUTING = frozenset(
    "around average cond convolve correlate cov cross cumprod cumsum cumulative_prod "
    "cumulative_sum det dot eig eigh eigvals eigvalsh einsum geomspace gradient i0 inner interp "
    "inv linspace log log10 log2 logn lstsq matmul matrix_norm mean median nancumprod nancumsum "
    "nanmean nanmedian nanpercentile nanprod nanquantile nanstd nansum nanvar norm outer "
    "percentile piecewise pinv polydiv polyfit polymul power prod ptp qr quantile roots round "
    "sinc slogdet solve std sum svd svdvals tensordot tensorinv tensorsolve trace trapezoid "
    "unwrap var vdot vecdot vector_norm cholesky histogram fft fft2 fftn hfft ifft ifft2 ifftn "
    "ihfft irfft irfft2 irfftn rfft rfft2 rfftn".split()
)
"""Functions of NumPy's that compute with elements; the others move, compare or count them."""


_TOLD = frozenset(("call", "log"))
"""What the function's own state may do with an error, other than to raise it or to warn."""


def begin(trace: Trace) -> None:
    """Remember who sees warnings when a run begins: those are not the function's own."""
    trace.ambient = *_shown_by(), warnings.filters


def _ambient(trace: Trace) -> Any:
    if trace.ambient is None:  # a trace that no driver began
        begin(trace)
    return trace.ambient


def _shown_by() -> tuple[Any, Any]:
    return getattr(warnings, "_showwarnmsg_impl", None), warnings.showwarning


# ------------------------------------------------------------------ at a point
class recorded:
    """Within it NumPy's floating-point errors are gathered, for `report`.

    Examples
    --------
    >>> import numpy as np
    >>> with recorded() as found:
    ...     _ = np.float64(1.0) / np.float64(0.0)
    >>> found
    ['divide by zero']
    """

    __slots__ = ("_found", "_state")

    def __enter__(self) -> list[str]:
        self._found: list[str] = []
        self._state = errstate(all="call", call=self._note)
        self._state.__enter__()
        return self._found

    def _note(self, error: str, flag: int) -> None:
        self._found.append(error)

    def __exit__(self, *error: object) -> None:
        self._state.__exit__(None, None, None)
        if self._found:  # a loop over objects, from which the call may come, would see them too
            add(0.0, 0.0)


def report(trace: Trace, name: str, result: Sequence[str], operands: Iterable[Any] = ()) -> None:
    """Do what the function's own state says about the errors that a call has met, at a point."""
    if trace.stateless:
        return
    state = geterr()
    for error in result:
        text = f"{error} encountered in {name}"
        action = state[_KINDS[error]]  # type: ignore[literal-required]
        if action == "raise":
            if trace.moving is not None:
                trace.moving.has_raised(name, operands)
            raise FloatingPointError(text)
        if action == "call":
            _call(error)
        elif action == "log":
            _log(text)
        elif action == "warn" and _is_seen(trace, text):
            _warn(text)


def without_state(trace: Trace, compute: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a ufunc computes in place of Python, which ignores ``np.errstate``."""
    before, trace.stateless = trace.stateless, True
    try:
        return compute(*args, **kwargs)
    finally:
        trace.stateless = before


def _call(error: str) -> None:
    receiver = geterrcall()
    if callable(receiver):
        receiver(error, _FLAGS[error])


def _log(text: str) -> None:
    receiver: Any = geterrcall()
    if receiver is not None:
        receiver.write(f"Warning: {text}\n")


def _is_seen(trace: Trace, text: str) -> bool:
    """Whether the function sees a warning: as an error of its own making, or in its own list."""
    action = _action(text)
    if action == "error":
        own = warnings.filters is not _ambient(trace)[2]
        return own or is_caught(RuntimeWarning, sys._getframe(1))
    return action != "ignore" and _shown_by() != _ambient(trace)[:2]


def _warn(text: str, registry: dict[Any, Any] | None = None) -> None:
    """Emit NumPy's warning, as from the line of the function that made the call."""
    frame = outside_frame(sys._getframe(1))
    if registry is None:
        registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(
        text, RuntimeWarning, frame.f_code.co_filename, frame.f_lineno, _module(frame), registry
    )


def _module(frame: types.FrameType) -> str:
    return frame.f_globals.get("__name__") or "<unknown>"


def _action(text: str) -> str:
    """What the filters say of a warning of NumPy's from the line that runs."""
    frame = outside_frame(sys._getframe(1))
    for action, message, category, module, lineno in warnings.filters:
        if (
            issubclass(RuntimeWarning, category)
            and (message is None or message.match(text))
            and (module is None or module.match(_module(frame)))
            and lineno in (0, frame.f_lineno)
        ):
            return action
    return getattr(warnings, "defaultaction", "default")


# ------------------------------------------------------------ in a global trace
def notice(trace: Trace, ufunc: np.ufunc, inputs: Sequence[Any]) -> None:
    """Make a decision of each error that a ufunc may meet, if the function would notice it."""
    if ufunc.types and not ufunc.types[0].strip("O->"):
        return  # a Python function for each element, which raises errors of its own
    known = (x if type(x) in (int, float) else None for x in inputs)
    _notice(trace, ufunc.__name__, partial(_met_by, ufunc, *known), inputs)


def notice_function(trace: Trace, function: Callable[..., Any], args: Sequence[Any]) -> None:
    """The same for a function of NumPy's that computes with elements."""
    if function.__name__ in _COMPUTING:
        _notice(trace, function.__name__, lambda: _ALL, args)


def is_calm(trace: Trace) -> bool:
    """Whether nobody would notice a floating-point error now."""
    if not trace.calm:
        _notice(trace, "", tuple, ())
    return trace.calm


def _notice(
    trace: Trace, name: str, met: Callable[[], tuple[str, ...]], inputs: Sequence[Any]
) -> None:
    if not (trace.raises and _shown_by() == _ambient(trace)[:2]):
        actions = set(geterr().values())
        warns = "warn" in actions
        lasts = _EVENTS and CURRENT.get() is trace and not trace.local and _installed()
        if warns and not actions & {"raise", *_TOLD} and not _watches_warnings(trace):
            trace.calms(lasts)
            return
        if actions <= {"ignore", "print"}:
            trace.calms(lasts)
            return
        shown = warns and _shown_by() != _ambient(trace)[:2]
        trace.raises = lasts and not (shown or actions & _TOLD)
        if trace.stateless:
            return
        if not (shown or actions & _TOLD or may_be_caught(trace)):
            return  # all that may come is an error that ends the function
    elif trace.stateless or not may_be_caught(trace):
        return
    state = geterr()
    raised = warned = False
    for error in met():
        text = f"{error} encountered in {name}"
        action = state[_KINDS[error]]  # type: ignore[literal-required]
        if action == "raise" and not raised:
            raised = True  # one decision for all kinds: one handler takes them
            may_raise(trace, partial(FloatingPointError, text), inputs)
        elif action == "call" and decides(trace, text, inputs):
            _call(error)
        elif action == "log" and decides(trace, text, inputs):
            _log(text)
        elif action == "warn" and not warned:
            warned = _may_warn(trace, text, inputs)


def _watches_warnings(trace: Trace) -> bool:
    """Whether the function may see a warning of NumPy's."""
    if _shown_by() != _ambient(trace)[:2]:
        return True
    return any(
        entry[0] == "error" and issubclass(RuntimeWarning, entry[2]) for entry in warnings.filters
    )


def shows_warnings(trace: Trace) -> bool:
    """Whether warnings are shown to the user, and seen by nothing of the function's."""
    if _shown_by() != _ambient(trace)[:2]:
        return False
    for action, message, category, module, lineno in warnings.filters:
        if action == "error":
            return False
        if (message, category, module, lineno) == (None, Warning, None, 0):
            break  # those behind are asked no more
    return True


def _may_warn(trace: Trace, text: str, inputs: Sequence[Any]) -> bool:
    """A decision between a warning and none; whether none is left to make for this call."""
    action = _action(text)
    if action == "ignore":
        return False
    if action == "error":
        may_raise(trace, partial(RuntimeWarning, text), inputs)
        return True
    if _shown_by() == _ambient(trace)[:2]:
        return False
    # one of each kind in its list is what the function may ask about
    listed = getattr(_shown_by()[0], "__self__", None)
    known = isinstance(listed, list) and any(text == str(one.message) for one in listed)
    if not known and decides(trace, text, inputs):
        _warn(text, {})
    return True


@functools.lru_cache(maxsize=1024)
def _met_by(ufunc: np.ufunc, *known: float | None) -> tuple[str, ...]:
    """The errors that a ufunc meets between samples of its unknown arguments."""
    if ufunc.signature is not None or len(known) != ufunc.nin or ufunc.nin > _MOST_ARGUMENTS:
        return _ALL
    combinations = itertools.product(*(_SAMPLES if x is None else (float(x),) for x in known))
    with recorded() as errors:
        try:
            ufunc(*array(list(combinations)).T)
        except TypeError:  # no loop for floats
            return _ALL
    return tuple(error for error in _ALL if error in errors)


# ------------------------------------------------ when the state of the function changes
class _Watched:
    """Stands for the context variable in which NumPy's Python code keeps its state."""

    def __init__(self, variable: Any) -> None:
        self._variable = variable
        self._before: dict[int, tuple[Any, bool]] = {}
        self.get = variable.get

    def set(self, value: Any) -> Any:
        token = self._variable.set(value)
        trace = CURRENT.get()
        if trace is not None and not trace.local:
            if len(self._before) >= _MOST_HELD:  # tokens of np.seterr, which nothing resets
                self._before.clear()
            self._before[id(token)] = token, trace.calm
            trace.calms(False)
        return token

    def reset(self, token: Any) -> None:
        self._variable.reset(token)
        _, calm = self._before.pop(id(token), (None, False))
        trace = CURRENT.get()
        if trace is not None and not trace.local:
            trace.calms(calm)


def _changed(original: Callable[[], None]) -> Callable[[], None]:
    def mutated() -> None:
        original()
        trace = CURRENT.get()
        if trace is not None and not trace.local:
            trace.calms(False)

    return mutated


_CONFIG: Any = sys.modules.get("numpy._core._ufunc_config")
_MOST_HELD = 1000
_STATE = "_extobj_contextvar"
_MUTATED = "_filters_mutated"
_EVENTS = hasattr(_CONFIG, _STATE) and hasattr(warnings, _MUTATED)


def _installed() -> bool:
    return type(getattr(_CONFIG, _STATE)) is _Watched


def _in_silence(function: Callable[..., Any], *args: Any) -> Any:
    with errstate(all="ignore"):
        return function(*args)


def _without_errors() -> Callable[..., Any]:
    """`silently`, in a sixth of the time of ``np.errstate`` where NumPy keeps its state so."""
    if not _EVENTS:
        return _in_silence
    state = getattr(_CONFIG, _STATE)
    put, put_back, silence = state.set, state.reset, _in_silence(state.get)

    def silently(function: Callable[..., Any], *args: Any) -> Any:
        token = put(silence)
        try:
            return function(*args)
        finally:
            put_back(token)

    return silently


silently = _without_errors()
"""``silently(f, *args)`` is ``f(*args)`` without floating-point errors."""


def watchers() -> list[tuple[Any, str, Any, Any]]:
    """What tells a trace of new states: owner, name, original and replacement of each."""
    if not _EVENTS:
        return []
    state, mutated = getattr(_CONFIG, _STATE), getattr(warnings, _MUTATED)
    return [
        (_CONFIG, _STATE, state, _Watched(state)),
        (warnings, _MUTATED, mutated, _changed(mutated)),
    ]

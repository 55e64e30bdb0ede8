"""The one driver that runs the user's function: as often as it takes, and no more.

Contract: three reasons run it again: an allocation site that must be traced from birth,
a name that a module bound early, and a branch whose other outcome was not seen.  All
of them end: sites and names are finite, paths are bounded.  A failure that was raised
during a run fails the trace, also if the function swallowed it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

from sparsetrace.arrays.picks import Masks
from sparsetrace.arrays.value_names import ValueNames
from sparsetrace.capture.apart_functions import exchanging, more_is_run_apart, run_nothing_apart
from sparsetrace.capture.branches import Branches
from sparsetrace.capture.escape_errors import explained
from sparsetrace.capture.genuine_errors import described, is_genuine
from sparsetrace.capture.known_comparisons import Comparison
from sparsetrace.capture.numpy_lists import refuse_objects
from sparsetrace.capture.patches import (
    capturing,
    changes,
    disturbances,
    exchange_methods,
    exchange_sequences,
    exchange_watched,
    exchanged_again,
    putting_back,
    rebind,
    rebind_callers,
    rebind_orderings,
)
from sparsetrace.capture.session import Restart, Session
from sparsetrace.capture.swallowed_errors import must_watch, watching
from sparsetrace.capture.turns import alone
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import FAILURES, EscapeError, TracingError, muted
from sparsetrace.graph.graph import Ids
from sparsetrace.operands.floating import begin
from sparsetrace.operands.poison import overwritten, repaired
from sparsetrace.operands.raising import is_injected
from sparsetrace.tracing.finished import finish
from sparsetrace.tracing.outside_arrays import OutsideArrays
from sparsetrace.tracing.state import State
from sparsetrace.tracing.unknown_numbers import UnknownArguments
from sparsetrace.user_code.attribute_access import calls_numpy
from sparsetrace.user_code.frames import outside_frame

__all__ = ["Run", "Traced", "trace"]

_CROWD = 100
"""Paths that wait, from which it is tried whether running calls apart does as well."""
_MOST_RUNS = 200
"""Runs of one path; each but the last has learned of a site or a name."""


@dataclass(slots=True)
class Run:
    """The trace of one path through the function, and the node ids that it returned."""

    trace: Trace
    outputs: Ids


class Traced(NamedTuple):
    """The runs of the paths that ended well, and a line for each that ended in an error."""

    runs: list[Run]
    left_out: tuple[str, ...]


def trace(
    call: Callable[[Trace], Ids],
    new_trace: Callable[[], Trace],
    *,
    function: Callable[..., Any],
    state: State,
    unknown: UnknownArguments,
    point: Sequence[Any] = (),
    max_paths: int,
    capture: bool,
) -> Traced:
    """Run ``call`` in a fresh trace for every decision path.

    Parameters
    ----------
    call : callable
        Runs the user's function in a trace; the ids of its outputs.
    new_trace : callable
        Makes an empty trace.
    function : callable
        The user's function itself.
    state : State
        What it keeps from one call to the next, and can reach.
    unknown : UnknownArguments
        Of the arguments, those whose numbers a global trace does not know.
    point : sequence
        In a local trace, the values of the traced arguments.  Where the function keeps a
        copy of them from an earlier call, it would take its results from there: it is run
        once more with the copy moved.
    max_paths : int
    capture : bool

    Raises
    ------
    TracingError
        The first failure of any run.
    Exception
        What the function itself raised, if it did so on every path.
    """
    session = _session(state, max_paths) if capture else None
    outside = OutsideArrays(state, unknown)
    watch = must_watch(state.reached)
    with muted(), nullcontext() if session is None else capturing(session, function):
        if session is not None:
            exchange_watched(state.watched())
            if state.reached.multiplies():
                exchange_methods()
        result = _united_runs(call, new_trace, session, max_paths, state, outside, watch=watch)
        with state.moved_from(point) as moved:
            if moved:
                size = len(result.runs[0].outputs)
                moved_runs = _beside(call, new_trace, session, max_paths, state, outside, size)
                result.runs.extend(moved_runs)
    return result


def _session(state: State, max_paths: int) -> Session:
    session = Session(max_paths)
    session.decider = _decider
    session.asks_types = functools.cache(state.reached.tells_numbers_apart)
    session.functions = functools.cache(state.reached.by_names)
    session.asks_identity = functools.cache(state.reached.tells_objects_apart)
    return session


def _united_runs(
    call: Callable[[Trace], Ids],
    new_trace: Callable[[], Trace],
    session: Session | None,
    max_paths: int,
    state: State,
    outside: OutsideArrays,
    *,
    watch: bool,
) -> Traced:
    """The runs of all paths; where these are too many, with the branches of calls run apart.

    Where there are many, and each call has one path that does not end in an error, running them
    apart gives the same much sooner.
    """
    once = functools.partial(
        _all_paths, call, new_trace, session, state=state, outside=outside, watch=watch
    )
    if session is None:
        return _attempts(once, session, max_paths)
    with exchanging(session):
        apart: Traced | None = None
        try:
            apart = _attempts(once, session, max_paths, crowd=_CROWD)
        except Exception:
            if not session.crowded:
                raise
        else:
            if not (session.crowded and session.united):
                return apart
        run_nothing_apart(session)
        return _attempts(once, session, max_paths, otherwise=apart)


def _attempts(
    once: Callable[[Branches], Traced | None],
    session: Session | None,
    max_paths: int,
    *,
    crowd: int | None = None,
    otherwise: Traced | None = None,
) -> Traced:
    """The runs of all paths, with more run apart as long as these are too many.

    Parameters
    ----------
    crowd : int, optional
        So many paths that wait are already too many; the session knows if that was the reason.
    otherwise : Traced, optional
        The runs of all paths with as much run apart as there is, if that is known.
    """
    began = None if session is None else session.began
    while True:
        branches = Branches(max_paths, crowd=crowd, began=began)
        try:
            result = once(branches)
        except TracingError:
            if session is not None and branches.exceeded:
                session.exceeded.append(branches)
                session.crowded = session.crowded or branches.crowded
                if otherwise is not None:
                    return otherwise
            if session is None or not more_is_run_apart(session):
                raise
            continue
        if result is not None:
            return result


def _beside(
    call: Callable[[Trace], Ids],
    new_trace: Callable[[], Trace],
    session: Session | None,
    max_paths: int,
    state: State,
    outside: OutsideArrays,
    size: int,
) -> list[Run]:
    """Runs with moved state; none where the function cannot do without what it was."""
    try:
        branches = Branches(max_paths)
        result = _all_paths(
            call, new_trace, session, branches, state=state, outside=outside, watch=True
        )
    except TracingError:
        raise  # what it remembers may be all that the first run has seen
    except Exception:
        return []
    return [run for run in (result.runs if result else ()) if len(run.outputs) == size]


def _all_paths(
    call: Callable[[Trace], Ids],
    new_trace: Callable[[], Trace],
    session: Session | None,
    branches: Branches,
    *,
    state: State,
    outside: OutsideArrays,
    watch: bool,
) -> Traced | None:
    """One run per path; None where names were exchanged after the first decision.

    With ``max`` exchanged there are fewer branches, with a mask decided more: paths from before
    and after, also where another thread did it, cannot be enumerated together.
    """
    runs: list[Run] = []
    left_out: list[str] = []
    own: Exception | None = None
    before = _learned(session)
    while branches.start():
        try:
            runs.append(_path(call, new_trace, session, branches, state, outside, watch=watch))
            left_out += runs[-1].trace.left_out
        except TracingError as error:
            if branches.path and _learned(session) != before:
                return None
            _note(error, branches)
            raise
        except Exception as error:
            _note(error, branches)
            # a path on which the function refuses its inputs has no derivative
            if not _is_refusal(error, branches):
                shown = _refused(error, branches)
                if shown is error:
                    raise
                raise shown from error
            if own is None or is_injected(own):
                own = error
            if not is_injected(error):
                left_out.append(described(error))
        if branches.path and _learned(session) != before:
            return None
    if not runs:
        assert own is not None
        raise explained(own) from own.__cause__
    return Traced(runs, tuple(dict.fromkeys(left_out)))


def _learned(session: Session | None) -> tuple[int, int]:
    """What changes with what a function is found to branch on."""
    return changes(), 0 if session is None else len(session.decided_masks)


def _refused(error: Exception, branches: Branches) -> Exception:
    """The error that ends a trace in place of one that the function itself raised."""
    if not branches.trail or isinstance(error, TracingError):
        return error
    shown = EscapeError(
        f"{described(error)}: on this path alone, and perhaps because a traced object is not what "
        "the code expects. Test values rather than types, or leave the test out; if the function "
        "shall refuse such inputs, raise ValueError directly below the test of their values."
    )
    _note(shown, branches)
    return shown


def _note(error: Exception, branches: Branches) -> None:
    """Say by which decisions the function came to an error."""
    if branches.trail:
        error.add_note(branches.shown())


def _decider(session: Session, branches: Branches) -> Callable[..., bool]:
    """Decides a branch, unless the name of a builtin that branches can be exchanged first."""

    def decide(*comparisons: Comparison) -> bool:
        if branches.is_new():
            asking = outside_frame(sys._getframe(1))
            # NumPy compares traced numbers in an array of objects, which can be one of the trace
            if rebind_orderings(asking) or (calls_numpy(asking) and exchange_sequences()):
                session.ask()
        return branches.decide(*comparisons)

    return decide


def _as_arrays(session: Session, state: State) -> Callable[[], None]:
    """Runs again with lists taken as arrays, unless they already are.

    Also with functions exchanged that the code on the way here has bound early.  A ufunc is
    never exchanged: what it makes of a list stays an array of objects.
    """

    def exchange() -> None:
        asking = sys._getframe(2)
        if exchange_sequences() or rebind_callers(asking):
            session.ask()
        elif state.reached.asks_dtypes():
            refuse_objects(asking)

    return exchange


def _is_refusal(error: Exception, branches: Branches) -> bool:
    """Whether the function refuses its inputs on this path, and may not on others."""
    if not branches.path or isinstance(error, TracingError):
        return False
    return is_genuine(error, branches)


def _path(
    call: Callable[[Trace], Ids],
    new_trace: Callable[[], Trace],
    session: Session | None,
    branches: Branches,
    state: State,
    outside: OutsideArrays,
    *,
    watch: bool,
) -> Run:
    """One decision path, run again while there is something to learn."""
    uncut = named = False

    def singular() -> None:
        nonlocal uncut
        uncut = True
        raise Restart

    def name_values() -> None:
        nonlocal named
        named = True
        raise Restart

    for _ in range(_MOST_RUNS):
        branches.again()
        if session is not None:
            outside.prepare(session)
        before = changes(), disturbances()
        trace = new_trace()
        trace.truths_at_once = state.reached.compares_truths()
        begin(trace)
        if uncut:
            trace.values = False
        elif trace.local and trace.values:
            trace.singular = singular
        asked = session is not None and session.decided_masks
        if named or asked or (not trace.local and outside.holds_arguments):
            trace.names = ValueNames()
        elif not trace.local:
            trace.name_values = name_values
        if session is not None and not trace.local:
            trace.masks = Masks(session.decided_masks, session.ask)
        trace.decide = branches.decide if session is None else session.decider(session, branches)
        trace.becomes_object = None if session is None else _as_arrays(session, state)
        failures: list[TracingError] = []
        failed, current = FAILURES.set(failures), CURRENT.set(trace)
        error: BaseException | None = None
        outputs: Ids | None = None
        try:
            with (
                watching(active=watch) as escapes,
                exchanged_again(),
                state.run(),
                outside.exchanged(trace, session),
                putting_back(),
                alone(trace, failures),
            ):
                outputs = call(trace)
        except Restart:
            pass
        except Exception as raised:
            error = raised
        finally:
            written = outside.written_arguments()
            trace.unwatched = trace.lately = None
            CURRENT.reset(current)
            FAILURES.reset(failed)
            finish(trace)
        if repaired():
            failures.insert(0, overwritten())
        if (uncut and trace.values) or (named and trace.name_values is not None):
            continue
        if session is not None and session.restart_due:
            session.restart_due = False
            continue
        failures += [
            escape
            for caught, escape in escapes
            if caught is not error and not _is_refusal(caught, branches)
        ]
        if failures:
            # the first failure is the cause; what followed may be a consequence
            cause: BaseException | None = failures[0]
        else:
            cause = error
        if cause is None:
            assert outputs is not None
            if outside.share(written, session):
                continue
            return Run(trace, outputs)
        if session is not None:
            rebind(cause)
            rebind(error)
            exchange_sequences()
            if (changes(), disturbances()) != before or outside.watch(cause):
                cause = None  # it holds the frames of the run, and what they refer to
                continue
            if session.buffer_all(cause):
                cause = None
                continue
        if isinstance(cause, Exception) and _is_refusal(cause, branches):
            raise cause
        shown = explained(cause, later=error, trace=trace)
        if shown is not cause:
            raise shown from cause
        if error is not None and cause is not error:
            raise cause from error
        raise cause
    raise TracingError(f"the function still asks for another run after {_MOST_RUNS} of them")

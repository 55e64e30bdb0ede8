"""The one driver that runs the user's function: as often as it takes, and no more.

Contract: three reasons run it again: an allocation site that must be traced from birth,
a name that a module bound early, and a branch whose other outcome was not seen.  All
of them end: sites and names are finite, paths are bounded.  A failure that was raised
during a run fails the trace, also if the function swallowed it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sparsetrace.arrays.picks import Masks
from sparsetrace.arrays.value_names import ValueNames
from sparsetrace.capture.apart_functions import (
    begin_path,
    begin_search,
    exchanging,
    more_is_run_apart,
    refuse_text_of_counters,
    run_nothing_apart,
    some_are_taken_whole,
    way_of,
)
from sparsetrace.capture.branches import Branches, OtherDecisions
from sparsetrace.capture.effort import Effort
from sparsetrace.capture.escape_errors import explained
from sparsetrace.capture.genuine_errors import described, is_genuine, returns_nothing
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
)
from sparsetrace.capture.quiet import Quiet, wait_for_others
from sparsetrace.capture.session import Restart, Session
from sparsetrace.capture.swallowed_errors import must_watch, watching
from sparsetrace.capture.turns import alone
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import FAILURES, EscapeError, NothingReturned, TracingError, muted
from sparsetrace.graph.graph import Ids
from sparsetrace.graph.kept import ForgottenNode
from sparsetrace.interrupts import interruptible, warnings_kept
from sparsetrace.operands.floating import begin
from sparsetrace.operands.poison import overwritten, repaired
from sparsetrace.operands.raising import is_injected
from sparsetrace.progress import report
from sparsetrace.tracing.finished import finish
from sparsetrace.tracing.flushing import forgot, watch
from sparsetrace.tracing.long_loops import look_for_loops
from sparsetrace.tracing.outside_arrays import OutsideArrays
from sparsetrace.tracing.session_hooks import lists_as_arrays, new_session
from sparsetrace.tracing.state import State
from sparsetrace.tracing.unknown_numbers import UnknownArguments

__all__ = ["Run", "Solving", "Traced", "trace"]

_CROWD = 128
_CROWD_OF = 8
"""More than so many paths, or than such a part of `max_paths`, are run apart if they can be."""
_TURNS = 32
"""Loops that take more turns than so many are run apart if they can be."""
_MOST_NODES = 2**19
"""From so many nodes on the graphs of paths are given up for their patterns."""
_MOST_RUNS = 200
"""Runs of one path; each but the last has learned of a site or a name."""
_SIGNS = (1.0, -1.0)
"""To which sides of a point a function is looked at."""


@dataclass(slots=True)
class Run:
    """The trace of one path through the function, and the node ids that it returned.

    `found` is its pattern, united with those of other paths, where it is known already.
    """

    trace: Trace
    outputs: Ids
    found: Any = None


class Solving(NamedTuple):
    """How patterns are made of runs, and united."""

    solve: Callable[[Run], Any]
    united: Callable[[list[Any]], Any]


class Traced(NamedTuple):
    """The runs of the paths that ended well, and a line for each that ended in an error.

    And one for each function of which calls were taken as a whole.
    """

    runs: list[Run]
    left_out: tuple[str, ...]
    taken_whole: tuple[str, ...]


def trace(
    call: Callable[[Trace], Ids],
    new_trace: Callable[[], Trace],
    *,
    function: Callable[..., Any],
    state: State,
    unknown: UnknownArguments,
    point: Sequence[Any] = (),
    max_paths: int,
    max_memory: int | None = None,
    capture: bool,
    solving: Solving | None = None,
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
    max_memory : int or None
        Bytes that the graph of a run may take; see `sparsetrace.tracing.flushing`.
    capture : bool
    solving : Solving, optional
        By which the graphs of very many nodes are given up as paths come.

    Raises
    ------
    TracingError
        The first failure of any run.
    Exception
        What the function itself raised, if it did so on every path.
    """
    session = new_session(state, max_paths) if capture else None
    outside = OutsideArrays(state, unknown)
    watched = must_watch(state.reached)
    with muted(), nullcontext() if session is None else capturing(session, function):
        if session is not None:
            if state.reached.watched:
                exchange_watched(state.watched())
            if state.reached.multiplies:
                exchange_methods()
        runs = _Runs(
            call,
            new_trace,
            session,
            max_paths,
            state,
            outside,
            function=function,
            watch=watched,
            max_memory=max_memory,
            solving=solving,
        )
        result = runs.united()
        kept = [*point, *(values for run in result.runs for values in run.trace.alike)]
        if kept:
            with state.moved_from(kept) as moved:
                if moved:
                    result.runs.extend(runs.beside(len(result.runs[0].outputs)))
        if any(run.trace.at_a_step for run in result.runs):
            result.runs.extend(runs.aside(len(result.runs[0].outputs)))
    return result


@dataclass(slots=True)
class _Begun:
    """The runs of some paths, and the errors in which others ended."""

    branches: Branches
    runs: list[Run] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    taken_whole: list[str] = field(default_factory=list)
    own: Exception | None = None
    paths: int = 0
    nodes: int = 0
    """Of the graphs that are still there."""


class _Runs:
    """The runs of one traced function.

    Parameters
    ----------
    call, new_trace, state
        See `trace`.
    session : Session or None
        None without capture.
    outside : OutsideArrays
    function : callable
        The user's function itself.
    watch : bool
        Whether errors that the function swallows are to be noticed.
    max_memory : int or None
    solving : Solving or None
    """

    def __init__(
        self,
        call: Callable[[Trace], Ids],
        new_trace: Callable[[], Trace],
        session: Session | None,
        max_paths: int,
        state: State,
        outside: OutsideArrays,
        *,
        function: Callable[..., Any],
        watch: bool,
        max_memory: int | None,
        solving: Solving | None,
    ) -> None:
        self.call = call
        self.new_trace = new_trace
        self.session = session
        self.max_paths = max_paths
        self.state = state
        self.outside = outside
        self.function = function
        self.watch, self.named = watch, False
        self.max_memory = max_memory
        self.solving = solving
        self.are_a_crowd = False
        """Whether the paths are a crowd, and not too many, where nothing is run apart."""
        self.sign = 0.0
        """To which side the inputs are moved."""
        self.are_refused = False
        """Whether these are known to be more than `max_paths`."""
        self.in_vain: dict[Hashable, tuple[Branches, int]] = {}
        """Attempts with nothing run apart that had too many paths, by what was known then; and
        how many they have run."""

    def united(self) -> Traced:
        """The runs of all paths; where these are many, with the branches of calls run apart.

        Many are a crowd, or more than `max_paths`.  Calls that have too many all the same, or take
        very long, are taken as a whole if that can be.
        """
        session = self.session
        if session is None:
            return self._unhurried()
        with exchanging():
            try:
                return self._each_way(session)
            except Exception as error:
                refusal, is_left = error, session.hurried and self.are_a_crowd
                if not some_are_taken_whole(session):
                    raise
            try:
                return self._attempts(session, with_crowds=True)
            except Exception:
                if not is_left:
                    raise refusal from None
            run_nothing_apart(session)
            return self._unhurried(session.effort)

    def _each_way(self, session: Session) -> Traced:
        """The runs of all paths, of the whole of a crowd where calls apart have no answer."""
        try:
            return self._attempts(session)
        except Exception:
            if session.hurried or not session.crowded or not self.are_a_crowd:
                raise
        run_nothing_apart(session)
        return self._attempts(session, with_crowds=True)

    def _attempts(self, session: Session, *, with_crowds: bool = False) -> Traced:
        """The runs of all paths, with more run apart as long as these are too many.

        Parameters
        ----------
        session : Session
        with_crowds : bool
            Whether crowds are run, too: with nothing run apart, and with all that can be.  So are
            the latter where there are too many paths with nothing run apart.
        """
        crowd = max(_CROWD, self.max_paths // _CROWD_OF)
        limit = None if with_crowds and not session.takes_whole else crowd
        turns = _TURNS
        begun: _Begun | None = None
        crowds: set[Hashable] = set()
        """The ways of running things apart on which the paths are a crowd."""
        begin_search(session)
        while True:
            if begun is None:
                own = Branches(
                    self.max_paths,
                    crowd=limit,
                    turns=turns,
                    effort=session.effort,
                    may_help=bool(session.apart) and session.loops_until is None,
                )
                begun = _Begun(own)
            is_new = not (begun.paths or session.apart)
            known = self.in_vain.get((limit, turns, _known(session))) if is_new else None
            if known is not None:
                begun.branches, begun.paths = known
            branches = begun.branches
            session.are_too_many = False
            try:
                if known is not None:  # it would come to that again
                    branches.refuse(branches.problem)
                result = self.all_paths(begun)
            except TracingError as error:
                if isinstance(error, OtherDecisions) and session.begins_in_order():
                    begun = None
                    begin_search(session)
                    continue
                ran_all = branches.exceeded and branches.allows_crowd and begun.paths > crowd
                session.ran_all = bool(ran_all and session.apart and not session.exceeded)
                if branches.exceeded:
                    session.exceeded.append(branches)
                if branches.crowded:
                    session.crowded = True
                    crowds.add(way_of(session))
                if not session.apart and branches.exceeded and not branches.is_tentative():
                    self.in_vain[limit, turns, _known(session)] = branches, begun.paths
                if not session.apart and branches.exceeded:
                    self.are_refused |= not branches.crowded and not branches.endless
                    self.are_a_crowd = branches.crowded and not self.are_refused
                    with_crowds = with_crowds or not branches.crowded
                    session.may_try = session.may_try or not branches.crowded
                if more_is_run_apart(session):
                    key = way_of(session)
                    limit, begun = None if with_crowds and key in crowds else crowd, None
                elif session.is_over() and (session.apart or not branches.crowded):
                    raise
                elif branches.endless and branches.turns < self.max_paths:
                    turns, begun = self.max_paths, None
                elif with_crowds and branches.crowded and (session.apart or not self.are_refused):
                    session.crowded, limit = False, None
                    begun = None if branches.is_unfinished or known is not None else begun
                    branches.allow_crowd()
                    self.in_vain.clear()
                elif branches.exceeded and session.buffer_truths():
                    limit, begun, self.are_refused = crowd, None, False
                    begin_search(session)
                else:
                    raise
            else:
                if result is not None:
                    return result
                begun, self.are_refused = None, False  # what was learned may leave fewer

    def beside(self, size: int) -> list[Run]:
        """Runs with moved state; none where the function cannot do without what it was."""
        self.watch = True
        try:
            result = self._unhurried()
        except TracingError:
            raise  # what it remembers may be all that the first run has seen
        except Exception:
            return []
        return [run for run in result.runs if len(run.outputs) == size]

    def aside(self, size: int) -> list[Run]:
        """Runs at a point aside, in a piece of the function; none where it has no value there."""
        for self.sign in _SIGNS:
            try:
                result = self._unhurried()
            except TracingError:
                raise  # of the point itself the piece may have all derivatives
            except Exception:
                continue
            return [run for run in result.runs if len(run.outputs) == size]
        return []

    def _unhurried(self, effort: Effort | None = None) -> Traced:
        """The runs of all paths, however many these are; with an effort before, in random order."""
        while (result := self.all_paths(_Begun(Branches(self.max_paths, effort=effort)))) is None:
            pass
        return result

    def all_paths(self, begun: _Begun) -> Traced | None:
        """One run per path; None where they are to be begun anew.

        Which is where names were exchanged after the first decision: with ``max`` exchanged there
        are fewer branches, with a mask decided more, and paths from before and after, also where
        another thread did it, cannot be enumerated together.
        """
        branches, runs, left_out = begun.branches, begun.runs, begun.left_out
        before = _learned(self.session)
        while not branches.is_other_again() and branches.start():
            try:
                report("paths", begun.paths)
                with Quiet() as quiet:
                    run = self._path(branches, quiet)
                begun.paths += 1
                left_out += run.trace.left_out
                begun.taken_whole += run.trace.taken_whole
                runs.append(run)
                runs[0].trace.choices = max(runs[0].trace.choices, run.trace.choices)
            except TracingError as error:
                if branches.path and _learned(self.session) != before:
                    return None
                _note(error, branches)
                # a path on which the function returns None has no derivative
                nothing = isinstance(error, NothingReturned) and returns_nothing(branches)
                if not nothing:
                    raise
                begun.own = begun.own or error
                left_out.append(nothing)
            except Exception as error:
                _note(error, branches)
                # a path on which the function refuses its inputs has no derivative
                if not _is_refusal(error, branches):
                    shown = _refused(error, branches)
                    if shown is error:
                        raise
                    raise shown from error
                if begun.own is None or is_injected(begun.own):
                    begun.own = error
                if not is_injected(error):
                    left_out.append(described(error))
            else:
                self._give_up_graphs(begun)
            if branches.path and _learned(self.session) != before:
                return None
        if branches.is_other_again():
            return None
        if not runs:
            assert begun.own is not None
            raise explained(begun.own) from begun.own.__cause__
        return Traced(runs, tuple(dict.fromkeys(left_out)), tuple(dict.fromkeys(begun.taken_whole)))

    def _give_up_graphs(self, begun: _Begun) -> None:
        """Unite the patterns of the paths so far, where their graphs have very many nodes.

        The first graph stays, and so do those of paths with another number of results.
        """
        runs = begun.runs
        begun.nodes += runs[-1].trace.graph.size
        if self.solving is None or len(runs) < 2 or begun.nodes <= _MOST_NODES:
            return
        first = runs[0]
        same = [run for run in runs if len(run.outputs) == len(first.outputs)]
        with interruptible():
            for run in same:
                if run.found is None:
                    run.found = self.solving.solve(run)
            first.found = self.solving.united([run.found for run in same])
        runs[1:] = [run for run in runs if len(run.outputs) != len(first.outputs)]
        begun.nodes = sum(run.trace.graph.size for run in runs)

    def _path(self, branches: Branches, quiet: Quiet) -> Run:
        """One decision path, run again while there is something to learn."""
        session, state, outside = self.session, self.state, self.outside
        uncut = whole = False

        def singular() -> None:
            nonlocal uncut
            uncut = True
            raise Restart

        def name_values(learn: Callable[[], object] | None = None) -> None:
            self.named = True
            raise Restart(learn)

        for _ in range(_MOST_RUNS):
            wait_for_others()
            branches.again()
            if session is not None:
                outside.prepare(session)
                begin_path(session, branches, of_many=session.takes_whole or branches.allows_crowd)
            before = changes(), disturbances()
            trace = self.new_trace()
            local = trace.local  # once it is finished, it tells nothing
            trace.aside = self.sign
            trace.truths_at_once = state.reached.compares_truths()
            begin(trace)
            if not whole:
                watch(trace.graph, self.max_memory)
            if session is not None and not trace.local:
                look_for_loops(trace.graph, session, self.function)
            if uncut:
                trace.values = False
            elif trace.local and trace.values:
                trace.singular = singular
            asked = session is not None and session.decided_masks
            if self.named or asked or (not trace.local and outside.holds_arguments):
                trace.name_values_by(ValueNames())
            elif not trace.local:
                trace.name_values = name_values
            if session is not None and not trace.local:
                trace.masks = Masks(session.decided_masks, session.ask)
            if session is not None:
                trace.functions = session.functions
            trace.decide = (
                branches.decide if session is None else session.decider(session, branches)
            )
            trace.becomes_object = None if session is None else lists_as_arrays(session, state)
            failures: list[TracingError] = []
            failed, current = FAILURES.set(failures), CURRENT.set(trace)
            error: BaseException | None = None
            outputs: Ids | None = None
            learn: Callable[[], object] | None = None
            # one path alone leaves nothing to be searched
            timed = session if branches.paths > 1 and session and not session.pace else None
            began = 0.0 if timed is None else timed.effort.spent()
            try:
                with (
                    watching(active=self.watch) as escapes,
                    exchanged_again(),
                    state.run(),
                    warnings_kept(),
                    outside.exchanged(trace, session),
                    putting_back(),
                    alone(trace, failures),
                    interruptible(),
                ):
                    outputs = copy_context().run(self.call, trace)  # with variables of its own
            except Restart as restart:
                learn = restart.learn
            except ForgottenNode:
                pass
            except Exception as raised:
                error = raised
            finally:
                written = outside.written_arguments()
                trace.unwatched = trace.lately = None
                CURRENT.reset(current)
                FAILURES.reset(failed)
                finish(trace)
            if learn is not None:
                learn()
                continue
            if forgot(trace.graph, outputs):
                whole = True
                continue
            if repaired():
                failures.insert(0, overwritten())
            if (uncut and trace.values) or (self.named and trace.name_values is not None):
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
                if session is not None:
                    refuse_text_of_counters(session, trace)
                if timed is not None:
                    timed.pace = timed.effort.spent() - began
                return Run(trace, outputs)
            if session is not None and not branches.is_tentative():
                for each in dict.fromkeys((cause, error)):
                    rebind(each, local=local)
                exchange_sequences()
                is_other, is_disturbed = changes() != before[0], disturbances() != before[1]
                if is_disturbed:
                    quiet.disturbed()
                if is_other or is_disturbed or outside.watch(cause):
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


def _learned(session: Session | None) -> Hashable:
    """What changes with what a function is found to branch on."""
    return changes(), session and (len(session.decided_masks), session.buffered)


def _known(session: Session) -> Hashable:
    """The same, and what else may change what a function comes to that is run as it stands."""
    return _learned(session), len(session.promoted), session.effort.may_draw


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


def _is_refusal(error: Exception, branches: Branches) -> bool:
    """Whether the function refuses its inputs on this path, and may not on others."""
    if not branches.path or isinstance(error, TracingError):
        return False
    return is_genuine(error, branches)

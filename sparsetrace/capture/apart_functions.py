"""Functions whose calls are run apart: their code is exchanged while a trace runs.

Contract: by whatever name a function is called (a global, a closure, a method, an attribute), it
is its code object that runs.  In its place stands a code of the same signature, which hands the
call over (`sparsetrace.capture.paths_apart`); so do functions that the exchanged code makes later.
Sessions that run at the same time share the exchange, and each has its own list of what is run
apart.  The codes are put back when the last session has ended.
"""

from __future__ import annotations

import functools
import gc
import inspect
import math
import threading
import types
import warnings
from collections.abc import Callable, Hashable, Iterator
from itertools import compress, repeat
from operator import is_
from typing import Any

from sparsetrace.capture.apart_pieces import stand_in
from sparsetrace.capture.branches import Branches, Place
from sparsetrace.capture.paths_apart import distinct, gone_on_with, run_apart
from sparsetrace.capture.recursion import Recursion, has_no_end, within
from sparsetrace.capture.repeated_calls import repeats_in
from sparsetrace.capture.session import SESSION, Session
from sparsetrace.capture.taken_whole import Whole
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import BY_VALUES, FAILURES, TracingError, ValueDependentError, explain
from sparsetrace.numbers.text import may_decide
from sparsetrace.user_code.effects import HANDED, OUTLINED
from sparsetrace.user_code.frames import is_library_code
from sparsetrace.user_code.outlining import COMPREHENSIONS, outlined

__all__ = [
    "begin_path",
    "begin_search",
    "exchanging",
    "is_original",
    "more_is_run_apart",
    "refuse_text_of_counters",
    "run_nothing_apart",
    "some_are_taken_whole",
    "way_of",
]

_lock = threading.RLock()
_sessions = 0
_wanted: dict[int, types.CodeType] = {}
_stand_ins: dict[int, types.CodeType] = {}
"""What stands for a code, its own or one in which other code is exchanged, by its id."""
_originals: dict[int, types.CodeType] = {}
"""The codes that others stand for, by the ids of these."""
_outlined: dict[tuple[str, types.CodeType], types.CodeType] = {}
"""By file and code the code in which pieces are functions of their own."""
_places: dict[str, frozenset[tuple[int, int]]] = {}
"""Where these pieces begin, by file."""
_deciding: set[types.CodeType] = set()
"""The codes that these pieces were looked for in."""
_owners: dict[int, types.CodeType] = {}
"""The user's code that the code of a piece is of, by the ids of those."""
_functions: list[tuple[types.FunctionType, types.CodeType]] = []
"""Functions with another code than their own."""
_bodies: dict[int, types.FunctionType] = {}
"""Those that run what calls that are run apart stand for, as long as they may be called again."""

_MOST_STEPS = 14_000
"""Steps after which a search for what to run apart is given up: usually 0.7 seconds."""
_LOOPS_OF_IT = 0.6
"""The part of them for which loops are run apart turn by turn."""
_RUNS = 5
"""So many runs of the function are added to either, however long one takes."""
_RESUMED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class exchanging:
    """Around the runs of a trace, which may exchange codes."""

    __slots__ = ()

    def __enter__(self) -> None:
        global _sessions
        with _lock:
            _sessions += 1

    def __exit__(self, *error: object) -> None:
        global _sessions
        with _lock:
            _sessions -= 1
            if not _sessions:
                _forget()


def more_is_run_apart(session: Session) -> bool:
    """Run the functions apart that decide on the paths of which there were too many.

    Returns whether there are any that were not apart before; or loops that are not run apart any
    more, which did not help.
    """
    are_too_many = session.are_too_many = bool(session.exceeded)
    if session.until == math.inf:
        session.runs, session.until = 0, session.effort.spent() + _steps(session)
        session.calls_until = session.until
    if session.hurried or session.effort.spent() > session.until or session.is_over():
        return False
    session.attempts += 1
    if not _is_late(session) and _more_is_run_apart(session):
        return True
    if not are_too_many or session.loops_until is None:
        return False
    run_nothing_apart(session)
    session.may_try = False
    session.loops_until, session.leaves_loops, session.is_patient = None, True, True
    return True


def _is_late(session: Session) -> bool:
    return session.loops_until is not None and session.effort.spent() > session.loops_until


def _more_is_run_apart_from_here(session: Session) -> bool:
    """The same in the middle of a run, for the next call; `session.exceeded` stays if not."""
    if session.outermost is None:
        return False
    around = (session.outermost, *session.nested)
    if not all(branches.may_mix() for branches in around):
        return False
    if session.until == math.inf or session.hurried or session.effort.spent() > session.until:
        return False
    if session.is_over():
        return False
    exceeded = session.exceeded[:]
    if _is_late(session) or not _more_is_run_apart(session):
        session.exceeded[:] = exceeded
        return False
    for branches in around:
        branches.mix()
    return True


def way_of(session: Session) -> Hashable:
    """Equal where the same is run apart, in the same way."""
    opens = session.opens_integers, session.opens_truths, session.opens_counters
    loops = session.loops_until is None, session.leaves_loops, session.is_patient
    return frozenset(session.apart), *opens, *loops, session.takes_whole, session.takes_snapshots


def begin_search(session: Session) -> None:
    """Begin to search for what to run apart."""
    session.searches += 1
    session.until = session.calls_until = math.inf
    session.hurried = False


def refuse_text_of_counters(session: Session, trace: Trace) -> None:
    """Refuse a run that asks what the text of a counter says which a loop has made unknown.

    Raises
    ------
    ValueDependentError
        After which the counters of loops stay known.
    """
    opens = session.opened or session.opens_integers
    if opens and may_decide(trace, unknown=True):
        told = "it asks what the text of a number says that counts the turns of a loop"
        raise ValueDependentError(explain("str()", told, BY_VALUES))


def begin_path(session: Session, branches: Branches, *, of_many: bool) -> None:
    """Begin a path of the function; one of many has its own time for the calls in it."""
    session.outermost, session.repeats, session.unwinds = branches, None, False
    if of_many:
        session.runs, session.calls_until = 0, session.effort.spent() + _steps(session)


def _steps(session: Session) -> float:
    """What a search may do; those after the first come after what was in vain."""
    steps = _MOST_STEPS / 2 if session.takes_whole else _MOST_STEPS
    runs = _RUNS if session.searches == 1 else _RUNS / 2
    return steps + runs * session.pace


def some_are_taken_whole(session: Session) -> bool:
    """Run functions apart once more, and of calls with too many paths just some.

    Returns whether there were too many.
    """
    if session.takes_whole or session.ran_all or not session.are_too_many:
        return False
    if not (session.may_take_whole or session.hurried or session.leaves_loops):
        return False
    run_nothing_apart(session)
    session.takes_whole, session.leaves_loops, session.is_patient = True, True, False
    session.loops_until = None
    session.attempts = 0
    session.effort.rest()
    return True


def _more_is_run_apart(session: Session) -> bool:
    exceeded, multiplying = session.exceeded[:], session.multiplying[:]
    session.exceeded.clear()
    session.multiplying.clear()
    if session.takes_whole:
        return bool(exceeded) and _more_functions(session, exceeded)
    if session.tries_integers and not session.hurried and _more_pieces(session, exceeded):
        return True  # where a number that nobody knows is an index or is compared
    if exceeded and session.opens_integers and _opens_truths(session):
        return True
    if session.tries_integers:  # they have to be known after all, on however many paths
        session.tries_integers = session.opens_integers = session.opens_truths = False
        return True
    if exceeded and session.needs_snapshots and not session.takes_snapshots:
        session.takes_snapshots = True
        return True
    if session.opened and not exceeded:  # the number of turns has to be known after all
        session.opens_counters = session.opened = False
        return True
    session.opened = False
    hurried = not session.is_patient and any(x.max_paths < session.max_paths for x in exceeded)
    if not exceeded:
        return False
    if not hurried and any(branches.endless for branches in exceeded):
        recurses = any(branches.recurses for branches in exceeded)
        if recurses and _more_functions(session, exceeded):
            return True
        if session.leaves_loops or not _more_pieces(session, exceeded, loops=True):
            return False
        session.loops_until = _late(session)
        return True
    if _more_functions(session, exceeded):
        return True
    tried = session.leaves_loops or session.loops_until is not None
    if not tried and _more_pieces(session, multiplying, loops=True):
        session.loops_until = _late(session)
        return True
    if hurried:
        more = _more_pieces(session, exceeded, loops=True)
        if more:
            session.loops_until = math.inf
        elif session.loops_until is not None:
            session.loops_until = _late(session)
        session.is_patient = not more
        return True
    if _more_pieces(session, exceeded):
        return True
    if not tried and _more_pieces(session, exceeded, loops=True):
        session.loops_until = _late(session)
        return True
    if not session.leaves_loops and _more_pieces(session, exceeded, loops=True, around=True):
        session.loops_until = _late(session)
        return True
    if session.opens_integers or not session.apart or (session.crowded and not session.may_try):
        return False
    session.opens_integers, session.tries_integers = True, session.crowded
    session.may_try = session.differs_in_truths = False
    return True


def _opens_truths(session: Session) -> bool:
    """Let truth values be unknown, too, if these alone tell results apart."""
    more = session.differs_in_truths and not session.opens_truths
    session.opens_truths = session.opens_truths or more
    return more


def _late(session: Session) -> float:
    """Until when loops are run apart from now on."""
    now = session.effort.spent()
    return now + _LOOPS_OF_IT * max(session.until - now, 0.0)


def run_nothing_apart(session: Session) -> None:
    """Let the function run as it stands again."""
    session.apart.clear()
    session.exceeded.clear()
    session.crowded = session.opened = session.takes_snapshots = session.needs_snapshots = False
    session.is_patient = session.leaves_loops
    session.may_try = True
    with _lock:
        if _sessions == 1:
            _forget()


def _forget() -> None:
    _put_back()
    for known in (_wanted, _stand_ins, _originals, _outlined, _places, _deciding, _owners):
        known.clear()
    _kept.clear()


def _more_functions(session: Session, exceeded: list[Branches]) -> bool:
    codes: dict[Hashable, types.CodeType] = {}
    if session.reads_frames():
        return False
    for route in _routes(exceeded):
        for code, _ in route[:-1]:  # the last is what the paths are counted of
            original = original_of(code)
            if id(code) in _owners or id(original) in session.apart or not _can_be_apart(original):
                continue
            codes[id(original)] = original
    if codes:
        session.apart.update(codes)
        with _lock:
            _wanted.update((id(code), code) for code in codes.values())
            _exchange(session)
    return bool(codes)


def _more_pieces(
    session: Session, exceeded: list[Branches], *, loops: bool = False, around: bool = False
) -> bool:
    """Outline the statements and expressions that decide, or the loops around them alone.

    These may be in the functions that call the one that decides, too.
    """
    lines: dict[str, dict[types.CodeType, set[int]]] = {}
    if session.reads_frames():
        return False
    for route in _routes(exceeded):
        line = None
        for code, at in route:
            line = at if line is None else line
            if code.co_name not in COMPREHENSIONS:
                owner = _owners.get(id(code)) or original_of(code)
                if not is_library_code(owner):
                    lines.setdefault(owner.co_filename, {}).setdefault(owner, set()).add(line)
                if not around:
                    break
                line = None
    more = False
    with _lock:
        for filename, some in lines.items():
            before = _places.get(filename, frozenset())
            _deciding.update(some)
            made = outlined(some, stand_in, before=before, loops=loops, around=around)
            places = before if made is None else made.places
            if made is not None:
                _places[filename] = places
                _outlined.update(((filename, code), new) for code, new in made.codes.items())
            for place in places:
                if (filename, place) not in session.apart:
                    session.apart[filename, place] = place
                    more = True
        if more:
            _exchange(session)
    return more


def _routes(exceeded: list[Branches]) -> Iterator[tuple[Place, ...]]:
    """Where the frames stood when branches were decided, from there outwards."""
    for branches in exceeded:
        for routes in branches.routes.values():
            yield from routes


def original_of(code: types.CodeType) -> types.CodeType:
    """The user's own code, for one that may stand for it."""
    return _originals.get(id(code), code)


def is_original(code: types.CodeType) -> bool:
    """Whether a code is the user's, and none that stands for it until the runs have ended."""
    return id(code) not in _originals and id(code) not in _owners


def _can_be_apart(code: types.CodeType) -> bool:
    return not (
        code.co_flags & _RESUMED
        or code.co_name in {"<module>", *COMPREHENSIONS}
        or is_library_code(code)
    )


# ------------------------------------------------------------------------- codes
def _exchange(session: Session) -> None:
    """Give every function of the files concerned the code that stands for its own."""
    _put_back()
    _stand_ins.clear()
    filenames = {code.co_filename for code in _wanted.values()} | _places.keys()
    functions = session.reached_functions() if _sessions == 1 else ()
    own = [item for item in functions if item.__code__.co_filename in filenames]
    for item in [*own, *_bodies.values()] if _are_all(own) else _functions_there_are():
        code = item.__code__
        if code.co_filename in filenames:
            made = _stand_in(code)
            if made is not code:
                item.__code__ = made
                _functions.append((item, code))


def _are_all(functions: list[types.FunctionType]) -> bool:
    """Whether these are all functions that are run apart: no run makes others of such code."""
    codes = {item.__code__ for item in functions}
    made = {code for around in codes for code in _nested_codes(around)}
    wanted = set(_wanted.values())
    other = {code for _, code in _outlined}  # and those around them, which need not be called
    return codes >= wanted | _deciding and made.isdisjoint(wanted | other)


def _functions_there_are() -> Iterator[types.FunctionType]:
    """All functions; most objects are none: without a step in Python for each."""
    objects = gc.get_objects()
    return compress(objects, map(is_, map(type, objects), repeat(types.FunctionType)))


def _put_back() -> None:
    for function, code in _functions:
        function.__code__ = code
    _functions.clear()


def _stand_in(code: types.CodeType) -> types.CodeType:
    """The code with all exchanged in it that is wanted; itself without any."""
    original = original_of(code)
    known = _stand_ins.get(id(original))
    if known is not None:
        return known
    base = _outlined.get((original.co_filename, original), original)
    if base is not original:
        base = base.replace(co_consts=(*base.co_consts, _Outlined(original)))
        _note_origins(original)
        for piece in _nested_codes(base):
            if id(piece) not in _originals:
                _owners[id(piece)] = original
    constants = tuple(_stand_in(x) if isinstance(x, types.CodeType) else x for x in base.co_consts)
    body = base
    if any(a is not b for a, b in zip(constants, base.co_consts, strict=True)):
        body = base.replace(co_consts=constants)
    _note_copy(original, base, body)
    made = body
    if id(original) in _wanted:
        made = _handing_over(body, _Apart(original)) or body
        _originals[id(made)] = original
    _stand_ins[id(original)] = made
    _kept.append((original, base, body, made))
    return made


def _note_copy(original: types.CodeType, base: types.CodeType, body: types.CodeType) -> None:
    """Remember whose code a copy is."""
    if body is not original:
        if id(original) in _owners:
            _owners[id(body)] = _owners[id(original)]
        else:
            _originals[id(body)] = _originals[id(base)] = original


def _note_origins(original: types.CodeType) -> None:
    """Remember what the outlined codes of functions in a function stand for."""
    for code in _nested_codes(original):
        new = _outlined.get((code.co_filename, code))
        if new is not None:
            _originals[id(new)] = code


def _nested_codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _nested_codes(constant)


_kept: list[Any] = []
"""Codes that are known by their ids."""
_CALL = "sparsetrace call"
_NAMES = ("sparsetrace names",)


def _handing_over(code: types.CodeType, call: Callable[..., Any]) -> types.CodeType | None:
    """A code of the same signature that gives ``call(function of the code, args, kwargs)``.

    Its frames count as this package's own.
    """
    flags = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    template = _template(
        code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, flags, code.co_freevars
    )
    if template.co_freevars != code.co_freevars:
        return None
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    placed: dict[Any, Any] = {_CALL: call, _NAMES: names}
    constants = tuple(
        code
        if isinstance(x, types.CodeType)
        else placed.get(x, x)
        if type(x) in (str, tuple)
        else x
        for x in template.co_consts
    )
    return template.replace(
        co_consts=constants,
        co_varnames=code.co_varnames[: template.co_nlocals],
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_firstlineno=code.co_firstlineno,
    )


@functools.lru_cache(maxsize=256)
def _template(
    positional: int, positional_only: int, keywords: int, flags: int, free: tuple[str, ...]
) -> types.CodeType:
    """The code of a function with so many parameters, which calls one nested in it."""
    names = [f"_p{i}" for i in range(positional)]
    only = [f"_k{i}" for i in range(keywords)]
    signature = names[:]
    if positional_only:
        signature.insert(positional_only, "/")
    given = "".join(f"{name}, " for name in names)
    if flags & inspect.CO_VARARGS:
        signature.append("*_args")
        given += "*_args, "
    elif only:
        signature.append("*")
    signature += only
    pairs = "".join(f"{name}, " for name in only)
    extra = "_kwargs" if flags & inspect.CO_VARKEYWORDS else "{}"
    if flags & inspect.CO_VARKEYWORDS:
        signature.append("**_kwargs")
    used = "".join(f"{name}, " for name in free)
    source = (
        f"def outer({', '.join(free)}):\n"
        f" def call({', '.join(signature)}):\n"
        f"  return '{_CALL}'(lambda: ({used}), ({given}), ({pairs}), {_NAMES!r}, {extra})\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # a text is called
        outer = next(_nested_codes(compile(source, __file__, "exec", dont_inherit=True)))
    return next(_nested_codes(outer))


class _Outlined:
    """A constant of a code with pieces that are functions: the code that it was."""

    def __init__(self, original: types.CodeType) -> None:
        setattr(self, OUTLINED, original)


class _Apart:
    """What a code hands its calls to; without a session that wants it apart it just calls."""

    def __init__(self, original: types.CodeType) -> None:
        self.original = original
        setattr(self, HANDED, original)

    def __call__(
        self,
        body: types.FunctionType,
        args: tuple[Any, ...],
        values: tuple[Any, ...],
        names: tuple[str, ...],
        extra: dict[str, Any],
    ) -> Any:
        kwargs = {**dict(zip(names, values, strict=True)), **extra} if names else extra
        session, trace = SESSION.get(), CURRENT.get()
        key = id(self.original)
        if session is None or trace is None or key not in session.apart:
            return body(*args, **kwargs)
        is_inside = key in session.inside
        known = within(session, key, body, args, kwargs) if is_inside else True
        if known is False or trace.decide is None:
            return body(*args, **kwargs)
        if known is not True:
            if not any(known):
                has_no_end(session)
            return gone_on_with(trace, trace.decide, *known, None)
        whole = Whole(session, trace, body, args, kwargs)
        before = _Before(session, trace)
        while True:
            session.inside.add(key)
            _bodies[id(body)] = body
            try:
                return run_apart(
                    trace,
                    functools.partial(body, *args, **kwargs),
                    has_effects=lambda: session.has_effects(body, args, kwargs),
                    unite=functools.partial(distinct, session, trace),
                    whole=whole if session.takes_whole else None,
                    repeat=repeats_in(session, trace).of(key, body, args, kwargs),
                    recursion=Recursion(session, trace, key, body, args, kwargs),
                )
            except TracingError:
                if not before.have_more_paths():
                    raise
                has_effects = session.has_effects(body, args, kwargs)
                if has_effects or not _more_is_run_apart_from_here(session):
                    _judge(session, whole)
                    raise
            finally:
                if not is_inside:
                    session.inside.discard(key)
                _bodies.pop(id(body), None)
            before.put_back()


def _judge(session: Session, whole: Whole) -> None:
    """Note whether the innermost call with too many paths could be taken as a whole."""
    last = session.exceeded[-1]
    if not last.is_judged:
        last.is_judged, session.may_take_whole = True, whole.may_be()


class _Before:
    """What a call had found that is begun once more, with more run apart in it."""

    def __init__(self, session: Session, trace: Trace) -> None:
        self.session, self.trace = session, trace
        self.exceeded = len(session.exceeded)
        self.decided = None if trace.masks is None else list(trace.masks.decided)
        self.lists = [*self._notes()]
        self.lengths = list(map(len, self.lists))

    def _notes(self) -> Iterator[list[Any]]:
        yield from (self.trace.left_out, self.trace.taken_whole, self.trace.conditions)
        failures = FAILURES.get()
        if failures is not None:
            yield failures

    def have_more_paths(self) -> bool:
        """Whether calls within this one had too many paths, or this one had."""
        return len(self.session.exceeded) > self.exceeded

    def put_back(self) -> None:
        for notes, length in zip(self.lists, self.lengths, strict=True):
            del notes[length:]
        if self.decided is not None:
            self.trace.masks.decided = self.decided[:]
        self.trace.unwatched = self.trace.lately = None  # frames, with what they hold

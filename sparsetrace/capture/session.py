"""What one call of `jacobian_sparsity` has learned about the code that it traces.

Contract: a session belongs to one context (thread or task) and lives as long as the
call, over all its runs of the function.  It knows which allocation sites must return
traced arrays, and asks for another run when it learns of a new one.
"""

from __future__ import annotations

import functools
import math
import sys
import types
from collections.abc import Callable, Hashable, Sequence, ValuesView
from contextvars import ContextVar
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sparsetrace.arrays.object_array import ObjectArray
from sparsetrace.capture.branches import Branches
from sparsetrace.capture.effort import Effort
from sparsetrace.capture.flat_buffers import FlatBuffer
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import (
    INDEX,
    EscapeError,
    UnsupportedError,
    ValueDependentError,
    explain,
)
from sparsetrace.numpy_rules.indexing import has_unknown_ends
from sparsetrace.operands.floating import shows_warnings
from sparsetrace.operands.operands import Elements, contains_traced
from sparsetrace.operands.refusals import refuse_resize
from sparsetrace.user_code.callers import called_by_text, called_directly
from sparsetrace.user_code.effects import Known, has_effects

__all__ = [
    "SESSION",
    "Buffer",
    "Outside",
    "Restart",
    "Session",
    "Site",
    "answering",
    "holds_traced",
    "is_column_major",
    "is_library",
    "traced_constants",
]

Site = tuple[types.CodeType, int]
"""A code object and the offset of the call in it."""


class Restart(BaseException):
    """Unwinds the traced function, which is then run again with more known.

    Not an ``Exception``, so that the function's own handlers let it pass.

    Parameters
    ----------
    learn : callable, optional
        Called before that, outside of the run.
    """

    def __init__(self, learn: Callable[[], object] | None = None) -> None:
        super().__init__()
        self.learn = learn


def _deciding(session: Session, branches: Branches) -> Callable[..., bool]:
    return branches.decide


def _in_doubt(**_asked: bool) -> bool:
    return True


class Outside:
    """Memory of arrays that were there before the call, in the place of an allocation site.

    Attributes
    ----------
    name : str
        What the arrays are to the user.
    problem : str or None
        Why they cannot be traced.
    """

    def __init__(self) -> None:
        self.name = "an array"
        self.problem: str | None = None


_FLOATS = "fcO"
_ATTEMPTS = 4
"""Ways to run things apart that are tried however long they take."""
_VERY_LONG = 7
"""So many times as long as that all attempts may take, if there was more than one."""
_ALL_KINDS = _FLOATS + "biu"


class Session:
    """Promoted allocation sites, and whether another run is due.

    Attributes
    ----------
    promoted : set of sites and Outside
        Where arrays are made that must be traced from birth, and those made before.
    decided_masks : set of str
        The places of masks that are decided, since somebody asked how many elements they pick;
        and `INDEX`, where whole numbers are that index what is not traced.
    buffered : str
        The kinds of dtypes of which arrays can be traced from birth, if anything is written: those
        of whole numbers and truth values, too, from the first error on.
    restart_due : bool
        Whether the run that is being left is to be followed by another one.
    max_paths : int
        The paths of the function, or of a call in it that is run apart, at most.
    effort : Effort
        How much the search of paths has done.
    decider : callable
        Gives what decides the branches of a path (`tracing.session_hooks`).
    exceeded : list of Branches
        Those of which there were too many.
    multiplying : list of Branches
        Those of calls that have many results, with each of which it is gone on.
    apart : dict
        What is run apart: code objects by their ids, and pieces of code by their places;
        `inside` has the keys of those that are being run, and `nested` their branches, within
        those of the function, `outermost`.
    writes : Writes or None
        What the innermost piece has written (`capture.apart_writes`).
    unwinds : bool
        Whether a path that is being run cannot be undone, and is being left.
    crowded : bool
        Whether calls were run apart where the paths were many, and perhaps not too many.
    takes_snapshots, needs_snapshots : bool
        Whether pieces that call functions which change objects are run apart, by a comparison of
        all that they reach (`capture.snapshots`); and whether there are any, while none are.
    effects : dict
        Which calls have side effects, as far as it is known.
    functions : callable
        Gives the functions that the traced one can reach, by their names.
    shares_containers : bool
        Whether lists and dictionaries that others hold are united, too: none is written into.
    opens_integers : bool
        Whether different whole numbers that such a call returns become an unknown one.
    opens_truths, differs_in_truths : bool
        Whether different truth values do, too; and whether nothing else told some results apart.
    may_try, tries_integers : bool
        Whether that may be tried where the paths are perhaps not too many, and is being tried.
    is_patient : bool
        Whether such a call has `max_paths`, too, because no loop in it can be run apart.
    loops_until : float or None
        Until when loops are run apart turn by turn, by `effort`; None before any is.
    leaves_loops : bool
        Whether they are not any more: then calls and branches alone are run apart.
    opens_counters : bool
        Whether those do that loops with many ends leave; `opened` whether any did.
    are_too_many : bool
        Whether too many paths were the last error.
    ran_all : bool
        Whether the last attempt has run as many paths of the function itself as may be, and no
        call in it had too many.
    pace : float
        What one path of the function takes, by `effort`.
    searches : int
        How many searches for what to run apart were begun.
    until : float
        When the search for what to run apart is given up that is under way, by `effort`.
    attempts : int
        The ways to run things apart that were tried; no more where some have taken long
        (`is_over`).
    calls_until : float
        The same for calls that are run apart: where many paths of the function are run, each may
        do as much for them.
    runs : int
        The runs of paths of such calls up to then, so far.
    whiles : int
        How many ``while`` loops are being run turn by turn, whose turns are in no such proportion.
    hurried : bool
        Whether a call was given up in it, which takes very many runs: it may be taken as a whole
        instead.
    takes_whole : bool
        Whether of calls with too many paths only some are run (`capture.taken_whole`); `wholes`
        has what these gave, and `may_take_whole` says if the last could be one of them.
    repeats : Repeats or None
        What calls gave in this run that may be made with other numbers (`capture.repeated_calls`).
    recursions : list of Recursion
        Calls that are being run, for the calls of their functions within them; `answered` says how
        many of these were not run (`capture.recursion`).
    renamed : dict
        By their ids, codes in whose functions calls have other names (`capture.early_names`).
    asks_types : callable
        Whether the function may tell numbers of Python's from NumPy's, and ints from floats; with
        ``arrays=True``, numbers from arrays without axes.
    asks_dtypes : callable
        Whether it may ask for the dtype of an array.
    asks_identity : callable
        Whether it may tell an object from an equal one.
    reads_frames : callable
        Whether it may read the variables of its callers: then nothing is run apart.
    fills : list of (defaultdict, key)
        Items that reading has added where calls are run apart.
    reached_functions : callable
        The functions of the user's own that may be called; none where there may be others.
    """

    buffered, makes_truths = _FLOATS, False
    restart_due = False
    install: Callable[[str | None], bool] = bool
    """Exchanges a group of patches; whether it was not before (`capture.patches`)."""
    set_backend: Callable[[], bool] = bool
    """Sets the backend of ``scipy.fft``, if that is loaded; whether it was not before."""
    decider: Callable[[Session, Branches], Callable[..., bool]] = staticmethod(_deciding)
    outermost: Branches | None = None
    writes: Any = None
    unwinds = False
    crowded = False
    takes_snapshots = needs_snapshots = False
    functions: Callable[[], dict[str, Any]] = dict
    shares_containers = True
    opens_integers = False
    opens_truths = differs_in_truths = False
    may_try = tries_integers = False
    is_patient = False
    loops_until: float | None = None
    leaves_loops = False
    opens_counters, opened = True, False
    find_size: Callable[[], object] | None = None
    are_too_many = takes_whole = ran_all = False
    searches = 0
    may_take_whole = True
    repeats: Any = None
    pace, until, calls_until = 0.0, math.inf, math.inf
    runs, whiles, hurried = 0, 0, False
    attempts = 0
    answered = 0
    asks_types: Callable[..., bool] = staticmethod(_in_doubt)
    asks_dtypes: Callable[[], bool] = staticmethod(_in_doubt)
    asks_identity: Callable[[], bool] = staticmethod(_in_doubt)
    reads_frames: Callable[[], bool] = staticmethod(_in_doubt)
    reached_functions: Callable[[], Sequence[types.FunctionType]] = tuple

    def __init__(self, max_paths: int = 1) -> None:
        self.promoted: set[Site | Outside] = set()
        self.decided_masks: set[str] = set()
        self.max_paths = max_paths
        self.effort = Effort()
        self.exceeded: list[Branches] = []
        self.multiplying: list[Branches] = []
        self.apart: dict[Hashable, Any] = {}
        self.inside: set[Hashable] = set()
        self.nested: list[Branches] = []
        self.fills: list[tuple[Any, Any]] = []
        self.recursions: list[Any] = []
        self.effects: Known = {}
        self.stdout = sys.stdout
        self.wholes: dict[Hashable, Any] = {}
        self.renamed: dict[int, types.CodeType] = {}

    def has_effects(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        *,
        undoes: bool = False,
        undoes_all: bool = False,
    ) -> bool:
        """Whether a call may change anything but its result (`effects.has_effects`)."""
        trace = CURRENT.get()
        is_heard = sys.stdout is self.stdout and trace is not None and shows_warnings(trace)
        known, reached = self.effects, self.functions
        return has_effects(
            function,
            args,
            kwargs,
            undoes=undoes,
            undoes_all=undoes_all,
            may_speak=is_heard,
            known=known,
            reached=reached,
        )

    def may_open_truths(self) -> bool:
        """Whether results that truth values alone tell apart become one, of one nobody knows."""
        self.differs_in_truths = True
        return self.opens_truths

    def is_over(self) -> bool:
        """Whether no other way is tried to run things apart, since several have taken long."""
        most = 1 if self.takes_whole else _ATTEMPTS
        if self.attempts >= most and self.effort.is_exhausted(self.max_paths):
            return True
        return self.attempts > 1 and self.effort.is_exhausted(self.max_paths, times=_VERY_LONG)

    def begins_in_order(self) -> bool:
        """Begin the search anew, with no paths in a random order; False if none were.

        What calls that are run apart give may come in another order then, and be united otherwise:
        the function seems to decide something else where it is run again.
        """
        effort = self.effort
        if not effort.has_drawn:
            return False
        effort.may_draw = effort.has_drawn = False
        effort.begin_anew()
        return True

    def need(self, group: str | None = None) -> None:
        """Ask for a run with more functions exchanged, unless they are.

        Parameters
        ----------
        group : str, optional
            The name of a group of patches; by default those of all modules loaded by now.
        """
        if self.install(group):
            self.ask()

    def ask(self) -> NoReturn:
        """Leave this run of the function; what was learned makes the next one differ."""
        self.restart_due = True
        raise Restart

    def buffer_all(self, error: BaseException) -> bool:
        """After some errors, let arrays of whole numbers be traced from birth, and indices decided.

        Returns whether there is another run to be made of that.
        """
        is_index = isinstance(error, ValueDependentError) and error.call == INDEX
        if not (is_index or isinstance(error, (EscapeError, IndexError))):
            return False
        before = self.buffered, len(self.decided_masks)
        self.buffered = _ALL_KINDS
        if is_index:
            self.decided_masks.add(INDEX)
        return before != (self.buffered, len(self.decided_masks))

    def buffer_truths(self) -> bool:
        """After too many paths, let the truth values that arrays were made for be traced there.

        Returns whether there is another run to be made of that.
        """
        before = self.buffered
        if self.makes_truths:
            self.buffered = _ALL_KINDS
        return before != self.buffered

    def promote(self, sites: frozenset[Site | Outside]) -> None:
        """Ask for a run in which these sites return traced arrays from birth.

        Returns where that was done before: the array comes from an earlier run.

        Raises
        ------
        UnsupportedError
            If it is one from outside of the function that cannot be traced.
        """
        if not sites <= self.promoted:
            self.promoted |= sites
            self.ask()
        for site in sites:
            if isinstance(site, Outside) and site.problem is not None:
                raise UnsupportedError(
                    explain(
                        f"a write into {site.name}",
                        f"a traced value cannot be written into this array, because {site.problem}",
                        "Make the array in the traced function, or a copy: np.array(a).",
                    )
                )

    def buffer(self, values: object, frame: types.FrameType) -> Any:
        """A new float array as the user's code gets it: plain until a tracer is written."""
        known = called_directly(frame) or called_by_text(frame)
        return self.watched(values, frame) if known else values

    def watched(self, values: Any, frame: types.FrameType) -> Any:
        """The same for an array that user's code gets where a frame stands."""
        if type(values) not in (np.ndarray, Buffer):
            return values
        if values.dtype.kind not in self.buffered:
            self.makes_truths = self.makes_truths or values.dtype.kind == "b"
            return values
        if values.dtype.kind == "O":
            return values.view(ObjectArray)
        site = frame.f_code, frame.f_lasti
        trace = CURRENT.get()
        if site in self.promoted and trace is not None and trace.wrapper is not None:
            return traced_constants(trace, values.view(np.ndarray))
        buffer = values.view(Buffer)
        buffer._sites = frozenset((site,)) | getattr(values, "_sites", frozenset())
        return buffer


def traced_constants(trace: Trace, plain: NDArray[Any]) -> Any:
    """A traced array of constants, laid out in memory as the ordinary one."""
    ids = trace.graph.constant(plain)
    if is_column_major(plain):  # what is a view of the one is a view of the other
        ids = ids.copy("F")
    elements = Elements(ids, plain.dtype, keep_array=True)
    elements.values = plain.copy("K") if trace.local else None
    return trace.wrap(elements)


def is_column_major(array: Any) -> bool:
    """Whether an array lies in memory column by column."""
    return bool(array.flags.f_contiguous and not array.flags.c_contiguous)


SESSION: ContextVar[Session | None] = ContextVar("sparsetrace_session", default=None)
"""The session of the trace that runs in this context; None outside of one."""


def holds_traced(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether any argument of a call is traced."""
    return any(map(contains_traced, args)) or any(map(contains_traced, kwargs.values()))


def answering(original: Callable[..., Any], answer: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is answered where an argument is traced, and else is the original."""

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if SESSION.get() is None or not holds_traced(args, kwargs):
            return original(*args, **kwargs)
        return answer(*args, **kwargs)

    return call


_PURE = frozenset(
    (
        "scipy.cluster.vq",
        "scipy.integrate._ivp.base",
        "scipy.integrate._ivp.bdf",
        "scipy.integrate._ivp.common",
        "scipy.integrate._ivp.rk",
        "scipy.integrate._quadrature",
        "scipy.interpolate._pade",
        "scipy.interpolate._rbf",
        "scipy.linalg._special_matrices",
        "scipy.optimize._lbfgsb_py",
        "scipy.optimize._numdiff",
        "scipy.optimize._optimize",
        "scipy.signal._czt",
        "scipy.signal._filter_design",
        "scipy.signal._lti_conversion",
        "scipy.signal._ltisys",
        "scipy.signal._polyutils",
        "scipy.signal._short_time_fft",
        "scipy.signal._spectral_py",
        "scipy.signal._waveforms",
        "scipy.signal.windows._windows",
        "scipy.sparse.csgraph._laplacian",
        "scipy.sparse.linalg._interface",
        "scipy.spatial._geometric_slerp",
        "scipy.spatial._kdtree",
        "scipy.spatial._procrustes",
        "scipy.special._logsumexp",
        "scipy.stats._axis_nan_policy",
        "scipy.stats._binned_statistic",
        "scipy.stats._continuous_distns",
        "scipy.stats._covariance",
        "scipy.stats._discrete_distns",
        "scipy.stats._distn_infrastructure",
        "scipy.stats._distribution_infrastructure",
        "scipy.stats._entropy",
        "scipy.stats._kde",
        "scipy.stats._morestats",
        "scipy.stats._multivariate",
        "scipy.stats._new_distributions",
        "scipy.stats._probability_distribution",
        "scipy.stats._quantile",
        "scipy.stats._stats_mstats_common",
        "scipy.stats._stats_py",
        "scipy.stats._variation",
        "scipy.stats.contingency",
    )
)
"""Modules of SciPy's that are written in NumPy calls, and can be traced through."""
_SHARED = ("scipy._lib", "scipy._external")
_SEQUENCES = frozenset((list, tuple))
_COMPILED = frozenset(("jax", "numba", "pandas", "tensorflow", "torch"))


@functools.lru_cache(maxsize=4096)
def _is_of_library(module: str) -> bool:
    """Whether a module that is none of SciPy's is a library's in this sense."""
    return module.startswith(("numpy.", "sparsetrace.")) or module.partition(".")[0] in _COMPILED


def is_library(frame: types.FrameType) -> bool:
    """Whether a frame is of a library, whose arrays go to NumPy or to compiled code.

    SciPy asks an array for its dtype, and then has compiled code read its memory: it gets
    what the original functions give, of which compiled code knows that it holds objects.
    """
    name = frame.f_globals.get("__name__", "")
    if not name.startswith("scipy."):
        return _is_of_library(name)
    caller: types.FrameType | None = frame
    while caller is not None and name.startswith(_SHARED):
        caller = caller.f_back
        name = "" if caller is None else caller.f_globals.get("__name__", "")
    return name.startswith("scipy.") and name not in _PURE


def _chooses(key: object) -> bool:
    """Whether a key depends on the inputs."""
    entries = key if type(key) is tuple else (key,)
    return contains_traced(key) or any(map(has_unknown_ends, entries))


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    """An operator that writes: of a list NumPy makes an array of objects, and asks no protocol."""
    plain = getattr(np.ndarray, name)

    @functools.wraps(plain)
    def operator(self: Buffer, other: Any) -> Any:
        if type(other) in _SEQUENCES and contains_traced(other):
            self._promote()
        return plain(self, other)

    return operator


class Buffer(np.ndarray[Any, Any]):
    """A float array made inside a traced function; holds numbers as any other array.

    Writing a traced value into it, or indexing it by one, runs the function again with
    the array traced from birth.  Arrays made from it inherit its allocation sites.
    """

    __class__ = np.ndarray  # type: ignore[assignment]  # what ``isinstance`` and the user are told
    _is_buffer = True
    _sites: frozenset[Site | Outside] = frozenset()

    def __array_finalize__(self, source: object) -> None:
        sites = getattr(source, "_sites", None)
        if sites:
            self._sites = sites

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Numbers where NumPy gives numbers: a subclass would get arrays without dimensions."""
        if return_scalar and not array.ndim:
            return array.view(np.ndarray)[()]
        return super().__array_wrap__(array, context, return_scalar)

    def _promote(self) -> None:
        """Another run, with this array traced from birth."""
        session = SESSION.get()
        if session is not None and self._sites:
            session.promote(self._sites)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        # leave calls with traced arguments to the traced array
        if any(getattr(cls, "_is_traced", False) for cls in types):
            return NotImplemented
        result = super().__array_function__(function, types, args, kwargs)
        session = SESSION.get()
        kinds = _FLOATS if session is None else session.buffered
        if (
            not isinstance(result, np.ndarray)
            or getattr(type(result), "_is_traced", False)
            or result.dtype.kind not in kinds
            or (result.dtype.kind == "O")
        ):
            return result
        made = result if isinstance(result, Buffer) else result.view(Buffer)
        made._sites = made._sites or _sites_of((args, kwargs.values()))
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        if contains_traced(value) or _chooses(key):
            self._promote()
        super().__setitem__(key, value)

    def __getitem__(self, key: Any) -> Any:
        if _chooses(key):
            if not any(isinstance(site, Outside) for site in self._sites):
                self._promote()
            trace = CURRENT.get()
            if trace is not None:  # a table from outside, which is only read
                return traced_constants(trace, self.view(np.ndarray))[key]
        return super().__getitem__(key)

    __iadd__ = _in_place("__iadd__")
    __isub__ = _in_place("__isub__")
    __imul__ = _in_place("__imul__")
    __itruediv__ = _in_place("__itruediv__")
    __ifloordiv__ = _in_place("__ifloordiv__")
    __imod__ = _in_place("__imod__")
    __ipow__ = _in_place("__ipow__")
    __imatmul__ = _in_place("__imatmul__")

    def fill(self, value: object) -> None:
        """As ndarray.fill."""
        if contains_traced(value):
            self._promote()
        super().fill(value)

    def resize(self, *shape: Any, refcheck: bool = True) -> None:
        """As ndarray.resize, where the size stays; it shows the memory of another array."""
        try:
            self.shape = shape[0] if len(shape) == 1 else shape
        except ValueError:
            refuse_resize()

    def put(self, indices: Any, values: Any, mode: Any = "raise") -> None:
        """As ndarray.put."""
        if contains_traced(values) or contains_traced(indices):
            self._promote()
        super().put(indices, values, mode)

    @property
    def base(self) -> Any:
        """As ndarray.base, of the array that was made a buffer."""
        base: Any = super().base
        if type(base) is np.ndarray:
            base = base.base
        return base.view(Buffer)._from(self) if type(base) is np.ndarray else base

    @property
    def real(self) -> Any:
        """As ndarray.real."""
        return self.view(np.ndarray).real.view(Buffer)._from(self)

    @real.setter
    def real(self, value: Any) -> None:
        if contains_traced(value):
            self._promote()
        self.view(np.ndarray).real = value

    @property
    def imag(self) -> Any:
        """As ndarray.imag."""
        return self.view(np.ndarray).imag.view(Buffer)._from(self)

    @imag.setter
    def imag(self, value: Any) -> None:
        if contains_traced(value):
            self._promote()
        self.view(np.ndarray).imag = value

    def _from(self, source: Buffer) -> Buffer:
        """Take over the allocation sites of the buffer that this view shows."""
        self._sites = source._sites
        return self

    @property
    def flat(self) -> Any:
        return FlatBuffer(self)

    @flat.setter
    def flat(self, value: object) -> None:
        FlatBuffer(self)[:] = value

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()

    def __repr__(self) -> str:
        return repr(self.view(np.ndarray))


def _sites_of(arguments: object) -> frozenset[Site | Outside]:
    """Where the buffers among the arguments were made."""
    if isinstance(arguments, Buffer):
        return arguments._sites
    if isinstance(arguments, (list, tuple, ValuesView)):
        return frozenset().union(*map(_sites_of, arguments))
    return frozenset()

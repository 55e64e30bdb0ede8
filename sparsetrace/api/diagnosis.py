"""Every refusal of a function in one list: `diagnose`.

Contract: what is found is a list of refusals, never a pattern.  Past a refused call the function
is followed with a stand-in for its result, which depends on everything that the call was given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Unpack

from sparsetrace.api.detection import traced_runs
from sparsetrace.api.extension import register_rule
from sparsetrace.api.options import JacobianOptions, completed, takes
from sparsetrace.capture.stand_ins import answer_always, going_on, stand_in_rule
from sparsetrace.context import CURRENT
from sparsetrace.errors import Explanation, InputError, TracingError, muted
from sparsetrace.interrupts import guarded
from sparsetrace.tracing.arguments import TracedCall

__all__ = ["Diagnosis", "Refusal", "diagnose"]

_MOST_TIMES = 10_000
"""How often one refusal is passed over in a run: a loop may wait for what no stand-in gives."""

_HOLDERS = {
    "pandas": "pandas.Series.__init__ pandas.DataFrame.__init__",
    "xarray": "xarray.DataArray.__init__ xarray.Dataset.__init__",
}
"""What objects of packages are made by that hold traced values until a method fails of them."""

Key = tuple[str, str | None, int | None]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refused call, at one line.

    Attributes
    ----------
    call : str
        As users write it: ``np.unique``.
    filename, lineno : str and int, or None
        Where it stands.
    problem : str
        Why it is refused.
    remedies : tuple of str
        The ways out, the one that is most often wanted first.
    times : int
        How often it was met in one run of the function.
    passed : bool
        Whether the function could be followed past it.
    """

    call: str
    filename: str | None
    lineno: int | None
    problem: str
    remedies: tuple[str, ...]
    times: int
    passed: bool

    def __str__(self) -> str:
        place = f" at {self.filename}:{self.lineno}" if self.filename else ""
        times = f", {self.times} times" if self.times > 1 else ""
        lines = [f"{self.call or 'the trace'}{place}{times}", self.problem, *self.remedies]
        if not self.passed:
            lines.append("The function could not be followed past this one.")
        return "\n    ".join(lines)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `diagnose` found; its text lists the refusals.

    Attributes
    ----------
    refusals : tuple of Refusal
        In the order in which the function came to them.
    complete : bool
        Whether the function was followed to its end.
    stopped_by : str
        The error of the function's own that ended it before, if one did: a stand-in may not be
        what it expects.
    at_a_point : bool
        Whether some of it was followed for the values given alone.
    """

    refusals: tuple[Refusal, ...]
    complete: bool
    at_a_point: bool
    stopped_by: str = ""

    def __len__(self) -> int:
        return len(self.refusals)

    def __iter__(self) -> Iterator[Refusal]:
        return iter(self.refusals)

    def __str__(self) -> str:
        if not self.refusals:
            return "nothing is refused"
        count = len(self.refusals)
        lines = [f"{count} call{'s are' if count > 1 else ' is'} refused:"]
        lines += [f"{i}. {refusal}" for i, refusal in enumerate(self.refusals, 1)]
        if self.at_a_point:
            lines.append("From the call that could not be passed the values given were followed.")
        if not self.complete:
            why = f": the function ended with {self.stopped_by}" if self.stopped_by else ""
            lines.append(f"What comes after the last one is not known{why}.")
        return "\n".join(lines)


@takes(JacobianOptions)
def diagnose(
    f: Callable[..., Any],
    *args: Any,
    argnums: int | Sequence[int] = 0,
    out: object = None,
    **options: Unpack[JacobianOptions],
) -> Diagnosis:
    """List all calls of a function that `jacobian_sparsity` refuses, not the first one alone.

    The function is followed past a refused call with a stand-in for its result: an array of the
    shape that the call gives for plain numbers, which depends on everything that it was given.
    Where that cannot be done, the function is followed for the values given (``local=True``), and
    the list says so.

    Parameters
    ----------
    f : callable
    *args, argnums, out
        As for `jacobian_sparsity`.
    **options
        As for `jacobian_sparsity`; `store` and `verify` have no effect, as no pattern is made.

    Returns
    -------
    Diagnosis
        Print it, or go through its `refusals`.

    Raises
    ------
    InputError
        If the arguments hold no numbers.
    Exception
        What the function itself raises for these arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> def f(x):
    ...     count = np.unique(x, axis=0).size
    ...     return x.astype("U5").size * x + count * float.fromhex(x.tolist()[0].hex())
    >>> for refusal in st.diagnose(f, np.ones(3)):
    ...     print(refusal.call, refusal.lineno, refusal.remedies[0])
    np.unique 2 Use np.sort, which keeps the shape; constants, for a fixed set of indices.
    astype(<U5) 3 Keep a float type.
    float.hex() 3 Keep the number as it is: v for np.float64(v), np.trunc(v) for int(v); indices \
and counts must come from constants.
    """
    chosen = completed(diagnose, JacobianOptions, options)
    dependency, is_local = bool(chosen["dependency"]), bool(chosen["local"])

    def follow(notes: _Notes, *, local: bool) -> bool:
        def run() -> None:
            traced_call = TracedCall(f, args, argnums, out, chosen["static_argnums"])
            with guarded(), going_on(notes):
                traced_runs(traced_call, {**chosen, "local": local}, dependency=dependency)

        return notes.followed(run)

    notes = _Notes()
    try:
        complete = follow(notes, local=is_local)
        at_a_point = not (complete or is_local)
        if at_a_point:
            complete = follow(notes, local=True)
    finally:
        notes.take_back()
    return Diagnosis(notes.refusals(), complete, at_a_point, "" if complete else notes.stopped_by)


class _Notes:
    """The refusals so far, and how each is passed over in the next run."""

    def __init__(self) -> None:
        self._errors: dict[Key, TracingError] = {}
        self._times: Counter[tuple[Key, int]] = Counter()
        self._known: set[Key] = set()
        self._not_passed: set[Key] = set()
        self._stand_ins: list[str] = []
        self._trace, self._run = CURRENT.get(), 0
        self.stopped_by = ""

    def passes(self, error: TracingError) -> bool:
        """Whether a trace has ended with this refusal: it had learned all that it could."""
        key = _key(error)
        return key in self._known and self._times[key, self._run] < _MOST_TIMES

    def note(self, error: TracingError) -> None:
        """Count it, by the run of the function that is under way."""
        self._errors.setdefault(_key(error), error)
        if CURRENT.get() is not self._trace:
            self._trace = CURRENT.get()
            self._run += 1
        self._times[_key(error), self._run] += 1

    def followed(self, run: Callable[[], None]) -> bool:
        """Whether the function was followed to its end, after as many runs as that took."""
        while True:
            try:
                run()
            except InputError:
                raise
            except TracingError as error:
                self._errors.setdefault(_key(error), error)
                if not self._pass_over(error):
                    self._not_passed.add(_key(error))
                    return False
            except Exception as error:
                if not self._errors:
                    raise
                self.stopped_by = f"{type(error).__name__}: {error}"
                return False
            else:
                return True

    def _pass_over(self, error: TracingError) -> bool:
        """Have the call passed over in the next run; whether there is still a way to do it."""
        if _key(error) not in self._known:
            self._known.add(_key(error))
            return True
        holders = _HOLDERS.get(error.call.partition(".")[0], "").split()
        for name in (error.call, f"{error.call}.__init__", *holders):
            if "." in error.call and name not in self._stand_ins:
                self._stand_ins.append(name)
                with muted(), suppress(Exception):  # not all can be exchanged
                    register_rule(name, stand_in_rule(error))
                    answer_always(name)
                    return True
        return False

    def take_back(self) -> None:
        """Give the functions their own rules again."""
        for name in self._stand_ins:
            with suppress(InputError):
                register_rule(name, None)

    def refusals(self) -> tuple[Refusal, ...]:
        most: dict[Key, int] = {}
        for (key, _), count in self._times.items():
            most[key] = max(count, most.get(key, 0))
        return tuple(
            Refusal(
                error.call,
                error.filename,
                error.lineno,
                _problem(error),
                error.remedies,
                most.get(key, 1),
                key not in self._not_passed,
            )
            for key, error in self._errors.items()
        )


def _key(error: TracingError) -> Key:
    return error.call, error.filename, error.lineno


def _problem(error: TracingError) -> str:
    text = error.args[0] if error.args else ""
    return text.problem if isinstance(text, Explanation) else str(text)

"""What the session of a trace asks the driver's side: how a branch is decided, what is reached.

Contract: whoever finds here that another run would show more asks the session for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from sparsetrace.capture.branches import Branches
from sparsetrace.capture.known_comparisons import Comparison
from sparsetrace.capture.numpy_lists import refuse_objects
from sparsetrace.capture.patches import (
    exchange_sequences,
    rebind_callers,
    rebind_orderings,
    rebind_ufuncs,
)
from sparsetrace.capture.session import Session
from sparsetrace.tracing.state import State
from sparsetrace.user_code.attribute_access import calls_numpy
from sparsetrace.user_code.frames import outside_frame

__all__ = ["lists_as_arrays", "new_session"]


def new_session(state: State, max_paths: int) -> Session:
    """The session of a function that keeps this state."""
    session = Session(max_paths)
    session.decider = _decider
    asks_types = _Once(state.reached.tells_numbers_apart)
    asks_arrays = _Once(state.reached.tells_arrays_apart)
    session.asks_types = lambda arrays=False: asks_arrays() if arrays else asks_types()
    session.asks_dtypes = _Once(state.reached.asks_dtypes)
    session.functions = _Once(state.reached.by_names)
    session.reads_frames = _Once(state.reached.reads_frames)
    session.reached_functions = state.reached.all_functions
    session.asks_identity = _Once(state.reached.tells_objects_apart)
    return session


class _Once:
    """The answer of a function, which is called when somebody first asks; few traces ask."""

    __slots__ = ("_answer", "_ask")

    def __init__(self, ask: Callable[[], Any]) -> None:
        self._ask: Callable[[], Any] | None = ask
        self._answer: Any = None

    def __call__(self) -> Any:
        ask = self._ask
        if ask is not None:
            self._answer = ask()
            self._ask = None
        return self._answer


def _decider(session: Session, branches: Branches) -> Callable[..., bool]:
    """Decides a branch, unless the name of a builtin that branches can be exchanged first."""

    def decide(*comparisons: Comparison, among: int = 2) -> bool:
        if branches.is_new():
            asking = outside_frame(sys._getframe(1))
            # NumPy compares traced numbers in an array of objects, which can be one of the trace
            if rebind_orderings(asking) or (calls_numpy(asking) and exchange_sequences()):
                session.ask()
        return branches.decide(*comparisons, among=among)

    return decide


def lists_as_arrays(session: Session, state: State) -> Callable[[], None]:
    """Runs again with lists taken as arrays, unless they already are.

    Also with functions exchanged that the code on the way here has bound early.  What arithmetic
    makes of a list stays an array of objects, unless code asks for its dtype.
    """

    def exchange() -> None:
        asking = sys._getframe(2)
        if exchange_sequences() or rebind_callers(asking):
            session.ask()
        elif state.reached.asks_dtypes():
            if rebind_ufuncs(asking):
                session.ask()
            refuse_objects(asking)

    return exchange

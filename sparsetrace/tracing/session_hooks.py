"""What the session of a trace asks the driver's side: how a branch is decided, what is reached.

Contract: whoever finds here that another run would show more asks the session for it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

from sparsetrace.capture.branches import Branches
from sparsetrace.capture.known_comparisons import Comparison
from sparsetrace.capture.numpy_lists import refuse_objects
from sparsetrace.capture.patches import exchange_sequences, rebind_callers, rebind_orderings
from sparsetrace.capture.session import Session
from sparsetrace.tracing.state import State
from sparsetrace.user_code.attribute_access import calls_numpy
from sparsetrace.user_code.frames import outside_frame

__all__ = ["lists_as_arrays", "new_session"]


def new_session(state: State, max_paths: int) -> Session:
    """The session of a function that keeps this state."""
    session = Session(max_paths)
    session.decider = _decider
    session.asks_types = functools.cache(state.reached.tells_numbers_apart)
    session.functions = functools.cache(state.reached.by_names)
    session.asks_identity = functools.cache(state.reached.tells_objects_apart)
    return session


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


def lists_as_arrays(session: Session, state: State) -> Callable[[], None]:
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

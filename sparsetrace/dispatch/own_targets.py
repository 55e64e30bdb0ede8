"""Ordinary arrays that go on as traced ones where an operator writes into them: ``w *= x``.

Contract: that makes no difference where nothing but the name holds the array which the operator
is given and assigns again.  Its references are counted, and compared with those of another array
that a name alone holds, in the same call.  In doubt there are others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any
from weakref import getweakrefcount

import numpy as np

from sparsetrace.context import Trace
from sparsetrace.operands.operands import Elements
from sparsetrace.user_code.bytecode import standing_at
from sparsetrace.user_code.frames import is_own
from sparsetrace.user_code.handlers import instructions_of

__all__ = ["own_target"]

_OPERATORS = "+= -= *= /= //= %= **=".split()
"""Those of which the call has no further arguments."""
_NAMES = ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL")


class _Counted(BaseException):
    """Ends a call that was made to count the references to its target."""


_COUNTING: ContextVar[list[int] | None] = ContextVar("sparsetrace_counting", default=None)


def _probe(operator: str) -> Callable[[Any, Any], None]:
    """Applies an operator to an array that a name alone holds."""
    scope: dict[str, Any] = {"ndarray": np.ndarray}
    made = "w = ndarray(like.shape, like.dtype)"
    exec(f"def probe(like, other):\n    {made}\n    w {operator} other", scope)
    return scope["probe"]  # type: ignore[no-any-return]


_PROBES = {operator: _probe(operator) for operator in _OPERATORS}


def own_target(trace: Trace, inputs: tuple[Any, ...], out: tuple[Any]) -> Any:
    """What stands for the target of a call from now on: a traced array that begins as it is.

    None where the call is by no operator that assigns to a name, or something else holds the array.
    """
    count = sys.getrefcount(out[0])
    counting = _COUNTING.get()
    if counting is not None:
        counting.append(count)
        raise _Counted
    array = out[0]
    if inputs[0] is not array or array.base is not None or getweakrefcount(array):
        return None
    operator = _operator()
    if operator is None or count != _count_of_one(operator, array, inputs[1]):
        return None
    elements = Elements(trace.graph.constant(array), array.dtype, keep_array=True)
    elements.values = array.copy("K") if trace.local else None
    return trace.wrap(elements)


def _operator() -> str | None:
    """The operator of the innermost frame that is not of this package, if it assigns to a name."""
    frame = sys._getframe(2)
    while frame.f_back is not None and is_own(frame.f_code):
        frame = frame.f_back
    steps = instructions_of(frame.f_code)
    at = standing_at(steps, frame.f_lasti)
    if steps[at].opname != "BINARY_OP" or steps[at].argrepr not in _PROBES:
        return None
    after = next(step for step in steps[at + 1 :] if step.opname != "CACHE")
    return steps[at].argrepr if after.opname in _NAMES else None


def _count_of_one(operator: str, array: Any, other: Any) -> int:
    """How many references there are to an array in such a call, if one name holds it."""
    found: list[int] = []
    token = _COUNTING.set(found)
    try:
        _PROBES[operator](array, other)
    except _Counted:
        pass
    finally:
        _COUNTING.reset(token)
    return found[0] if found else 0

"""The errors of what needs the value of a traced number.

Contract: messages alone; whoever meets the need asks for one of these.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from sparsetrace.errors import EscapeError, ValueDependentError, explain, opaque_call

__all__ = ["refuse_digits", "refuse_truth", "refuse_value"]

_ALL_WHOLE = 2.0**52
"""From here on every float is a whole number: ``int(v)`` is no step, but the number itself.

So are the digits of a float read, ``int(math.frexp(v)[0] * 2**53)``, as mpmath does.
"""


def refuse_value(call: str, what: str = "a traced number") -> NoReturn:
    """Raise the error of a conversion that needs the value."""
    raise EscapeError(
        explain(
            call,
            f"it needs the value of {what}, and the trace would end there",
            "Keep the number as it is: v for np.float64(v), np.trunc(v) for int(v); indices "
            "and counts must come from constants.",
            opaque_call(),
        )
    )


def refuse_digits(number: Any) -> None:
    """Refuse ``int(v)`` at a point where it is the float itself, and no step of it."""
    trace = number._trace
    if not trace.local or trace.dependency or number.dtype.kind != "f":
        return
    if _ALL_WHOLE <= abs(number._values) < np.inf:
        refuse_value("int()")


def refuse_truth(what: str) -> NoReturn:
    """Raise the error of a branch on a traced value."""
    raise ValueDependentError(
        explain(
            "bool()",
            f"a branch (if, while, and, or, assert) on {what} depends on the inputs",
            "Use np.where, np.maximum or np.clip, which trace both outcomes.",
        )
    )

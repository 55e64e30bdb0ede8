"""The table of functions that have a rule of their own, keyed by the function object.

Contract: a handler gets the trace and the call's own arguments; it returns
`Elements`, or lists and tuples of them, or anything that holds no dependency.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["RULES", "Handler", "rule_for"]

Handler = Callable[..., Any]

RULES: dict[Callable[..., Any], Handler] = {}


def rule_for(*functions: Callable[..., Any]) -> Callable[[Handler], Handler]:
    """Register the decorated handler for these functions; a second one is an error."""

    def register(handler: Handler) -> Handler:
        for function in functions:
            if function in RULES:
                raise ValueError(f"{function.__name__} has a rule already")
            RULES[function] = handler
        return handler

    return register

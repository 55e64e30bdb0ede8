"""The rules of functions: which handler answers a function, and how its arguments get there.

Contract: a handler's parameters after the first are named like those parameters of the
function that it reads, and no others; see `sparsetrace.operands.binding`.  A handler returns
`Elements`, or lists and tuples of them, or anything that holds no dependency.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sparsetrace.operands.binding import ANYTHING, Binder, Handler, binder

__all__ = ["ANYTHING", "RULES", "Handler", "Rule", "rule_for"]


class Rule:
    """The rule of one function: its handler behind the function's own signature.

    ``rule.handler(trace, *rule.bind(*args, **kwargs))`` is the answer to a call.  The signature
    is read at the first one, since most rules are never asked for.

    Parameters
    ----------
    function : callable
    handler : callable
    declared : str, optional
        The function's signature where it declares none itself, or `ANYTHING`.
    """

    __slots__ = ("bind", "declared", "function", "handler")

    def __init__(
        self, function: Callable[..., Any], handler: Handler, declared: str | None = None
    ) -> None:
        self.function, self.handler, self.declared = function, handler, declared
        self.bind: Binder = self._bind_first

    def _bind_first(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        return self.bound()(*args, **kwargs)

    def bound(self) -> Binder:
        """The binder of the function's arguments to the handler's."""
        self.bind = binder(self.function, self.handler, self.declared)
        return self.bind

    def __call__(self, trace: Any, /, *args: Any, **kwargs: Any) -> Any:
        """What the handler makes of a call of the function."""
        return self.handler(trace, *self.bind(*args, **kwargs))


RULES: dict[Callable[..., Any], Rule] = {}


def rule_for(
    *functions: Callable[..., Any], signature: str | None = None
) -> Callable[[Handler], Handler]:
    """Register the decorated handler for these functions; a second one is an error.

    Parameters
    ----------
    *functions : callable
    signature : str, optional
        The functions' signature, where a supported release of NumPy declares none; or
        `ANYTHING`, for a handler that gets `args` and `kwargs` as they are.

    Examples
    --------
    >>> import math
    >>> @rule_for(math.dist, signature="p, q, /")
    ... def _dist(trace, q):
    ...     return q
    >>> RULES.pop(math.dist)(None, [0.0], [1.0])
    [1.0]
    """

    def register(handler: Handler) -> Handler:
        for function in functions:
            if function in RULES:
                raise ValueError(f"{function.__name__} has a rule already")
            RULES[function] = Rule(function, handler, signature)
        return handler

    return register

"""A call's arguments as a rule reads them, bound by the called function's own signature.

Contract: a handler's parameters after the first are named like those parameters of the
function that it reads, and no others.  Defaults, and the errors for wrong arguments, are
the function's; a handler has a default for what a supported release, or one of several
functions that share the handler, does not have.  ``*args`` of the function arrive as one
tuple, ``**kwargs`` as one dictionary.  Where NumPy has a value that says "not given",
`keepdims` arrives as False, `where` as True, `initial` and `mean` as None; ``out=`` never
arrives, since it is dealt with before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["ANYTHING", "NOT_GIVEN", "Binder", "Handler", "binder"]

Handler = Callable[..., Any]
Binder = Callable[..., tuple[Any, ...]]

ANYTHING = "*args, **kwargs"
"""The signature that stands for any: a handler gets the call as it was made."""
_ABSENT = np._NoValue
NOT_GIVEN: dict[str, Any] = {"keepdims": False, "where": True, "initial": None, "mean": None}
"""What stands for "not given" where NumPy's functions have a value of their own for it."""
_GIVEN = {
    name: f"{value!r} if {name} is _ABSENT else " + (f"bool({name})" if value is False else name)
    for name, value in NOT_GIVEN.items()
}
_EMPTY = inspect.Parameter.empty
_SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def binder(function: Callable[..., Any], handler: Handler, declared: str | None = None) -> Binder:
    """A function of the signature of `function` that returns what `handler` reads.

    Parameters
    ----------
    function : callable
        Whose calls are bound.
    handler : callable
        Its first parameter is the trace; each other one that `function` does not have (an
        older release may lack it) gets the handler's default.
    declared : str, optional
        The signature where the function itself declares none, as some of NumPy's functions
        in C do not before NumPy 2.4; or `ANYTHING`, whatever the function declares.

    Raises
    ------
    TypeError
        If the handler names a parameter that the function lacks, and gives no default.

    Examples
    --------
    >>> import numpy as np
    >>> read = binder(np.cumsum, lambda trace, dtype, axis: None)
    >>> read([1, 2], axis=0)
    (None, 0)
    >>> read([1, 2], axes=0)
    Traceback (most recent call last):
    ...
    TypeError: cumsum() got an unexpected keyword argument 'axes'...
    """
    name = getattr(function, "__name__", "function")  # numpy.ma had objects without one
    scope: dict[str, Any] = {"_ABSENT": _ABSENT}
    known, header = _declared(function, declared, scope)
    read = []
    for wanted in list(inspect.signature(handler).parameters.values())[1:]:
        if wanted.name in known:
            read.append(_GIVEN.get(wanted.name, wanted.name))
        elif wanted.default is not _EMPTY and wanted.kind not in _SEVERAL:
            scope[f"_handler_{wanted.name}"] = wanted.default
            read.append(f"_handler_{wanted.name}")
        else:
            code = handler.__code__
            raise TypeError(
                f"{name} has no parameter {wanted.name!r}, which its rule reads: "
                f"{code.co_filename}:{code.co_firstlineno}"
            )
    label = name if name.isidentifier() else "function"
    exec(f"def {label}({header}): return ({''.join(f'{item}, ' for item in read)})", scope)
    return scope[label]  # type: ignore[no-any-return]


def _declared(
    function: Callable[..., Any], declared: str | None, scope: dict[str, Any]
) -> tuple[set[str], str]:
    """The names of the parameters, and the head of a function that has them.

    Defaults are put into `scope`: not all of them have a text of their own.
    """
    parameters = list(_signature(function, declared).parameters.values())
    plain = []
    for parameter in parameters:
        default = parameter.default
        if default is not _EMPTY:
            scope[f"_default_{parameter.name}"] = default
            default = _Named(f"_default_{parameter.name}")
        plain.append(parameter.replace(annotation=_EMPTY, default=default))
    header = str(inspect.Signature(plain))[1:-1]
    return {parameter.name for parameter in parameters}, header


def _signature(function: Callable[..., Any], declared: str | None) -> inspect.Signature:
    if declared != ANYTHING:
        try:
            return inspect.signature(function)
        except ValueError:
            if declared is None:
                raise TypeError(f"{function.__name__} declares no signature: state it") from None
    scope: dict[str, Any] = {"np": np}
    exec(f"def function({declared}): pass", scope)
    return inspect.signature(scope["function"])


class _Named:
    """A default value that is shown by the name under which it is found."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

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
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "ANYTHING",
    "NAMED",
    "NOT_GIVEN",
    "Binder",
    "Handler",
    "Parameter",
    "binder",
    "parameters_of",
]

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
_FIRST_ONLY, _ANY, _REST, NAMED, _REST_NAMED = range(5)
"""The kinds of parameters, as `inspect.Parameter.kind` has them."""
_SEVERAL = (_REST, _REST_NAMED)


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
    parameters = _parameters(function, declared)
    known = {parameter.name for parameter in parameters}
    read = []
    for wanted in _parameters(handler, None)[1:]:
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
    header = _header(parameters, scope)
    exec(f"def {label}({header}): return ({''.join(f'{item}, ' for item in read)})", scope)
    return scope[label]  # type: ignore[no-any-return]


class Parameter(NamedTuple):
    """As `inspect.Parameter`, which takes twenty times as long to make."""

    name: str
    kind: int
    default: Any


def _header(parameters: list[Parameter], scope: dict[str, Any]) -> str:
    """The head of a function that has these parameters.

    Defaults are put into `scope`: not all of them have a text of their own.
    """
    parts = []
    before = _ANY
    for name, kind, default in parameters:
        if before == _FIRST_ONLY != kind:
            parts.append("/")
        if kind == NAMED and before not in (NAMED, _REST):
            parts.append("*")
        text = {_REST: "*", _REST_NAMED: "**"}.get(kind, "") + name
        if default is not _EMPTY:
            scope[f"_default_{name}"] = default
            text += f"=_default_{name}"
        parts.append(text)
        before = kind
    if before == _FIRST_ONLY:
        parts.append("/")
    return ", ".join(parts)


def _parameters(function: Callable[..., Any], declared: str | None) -> list[Parameter]:
    """The parameters of a function; those declared where it has no signature, or any."""
    if declared == ANYTHING:
        return [Parameter("args", _REST, _EMPTY), Parameter("kwargs", _REST_NAMED, _EMPTY)]
    try:
        return parameters_of(function)
    except ValueError:
        if declared is None:
            raise TypeError(f"{function.__name__} declares no signature: state it") from None
    scope: dict[str, Any] = {"np": np}
    exec(f"def function({declared}): pass", scope)
    return _of_code(scope["function"])


def parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    """The parameters of a function, as `inspect.signature` finds them.

    Raises
    ------
    ValueError
        If it is written in C, and declares none.

    Examples
    --------
    >>> [parameter.name for parameter in parameters_of(np.flip)]
    ['m', 'axis']
    """
    plain: Any = function
    while not isinstance(plain, types.FunctionType) and hasattr(plain, "__wrapped__"):
        plain = plain.__wrapped__
    if isinstance(plain, types.FunctionType) and not hasattr(plain, "__wrapped__"):
        return _of_code(plain)
    return _of_signature(inspect.signature(function))


def _of_signature(signature: inspect.Signature) -> list[Parameter]:
    return [Parameter(p.name, int(p.kind), p.default) for p in signature.parameters.values()]


def _of_code(function: types.FunctionType) -> list[Parameter]:
    """The parameters of a function in Python, as its code has them."""
    code = function.__code__
    if hasattr(function, "__signature__"):
        return _of_signature(inspect.signature(function))
    names = code.co_varnames
    count, named = code.co_argcount, code.co_kwonlyargcount
    defaults = function.__defaults__ or ()
    first = count - len(defaults)
    found = [
        Parameter(
            names[at],
            _FIRST_ONLY if at < code.co_posonlyargcount else _ANY,
            defaults[at - first] if at >= first else _EMPTY,
        )
        for at in range(count)
    ]
    at = count + named
    if code.co_flags & inspect.CO_VARARGS:
        found.append(Parameter(names[at], _REST, _EMPTY))
        at += 1
    by_name = function.__kwdefaults__ or {}
    found += [Parameter(n, NAMED, by_name.get(n, _EMPTY)) for n in names[count : count + named]]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        found.append(Parameter(names[at], _REST_NAMED, _EMPTY))
    return found

"""Rules of functions that NumPy's protocols do not intercept, such as SciPy's and numpy.ma's.

Contract: the registry knows functions by their module and name, and imports neither the module
nor the rule before it is needed.  Arguments that hold constants alone are handed on as ordinary
arrays; if all of them do, the function itself answers.  In a local trace the values come from
the function itself, run on the values of the arguments; in a global one `own_numbers` compares
numbers of constants with it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from sparsetrace.context import CURRENT, Trace
from sparsetrace.dispatch import lookup
from sparsetrace.dispatch.bound_rules import Args, BoundRule, Call, Options
from sparsetrace.dispatch.filled_outputs import filled, without_output
from sparsetrace.dispatch.held_states import STATE, attributes_of, note_made
from sparsetrace.dispatch.overwritten import heed_overwriting
from sparsetrace.dispatch.own_numbers import with_own_numbers
from sparsetrace.errors import TracingError, UnsupportedError, explain
from sparsetrace.operands.binding import Handler
from sparsetrace.operands.constants import plain_values
from sparsetrace.operands.operands import (
    Elements,
    contains_traced,
    dtype_of,
    ids_of,
    is_sparse_traced,
    is_traced,
    is_traced_array,
    values_of,
    wrapped,
)
from sparsetrace.operands.raising import by_numpy

__all__ = [
    "OVERRIDDEN",
    "REGISTERED",
    "FunctionRule",
    "current",
    "holds_traced",
    "is_given",
    "override",
    "register",
]


def current() -> Trace:
    """The trace that runs."""
    trace = CURRENT.get()
    assert trace is not None
    return trace


def is_given(argument: object) -> bool:
    """Whether an argument is traced, or a list, tuple or dictionary that holds such."""
    if type(argument) is dict:
        return any(map(is_given, argument.values()))
    return contains_traced(argument)


def holds_traced(holder: object) -> bool:
    """Whether an object was made of traced elements, or has them as attributes."""
    if is_traced(holder) or is_sparse_traced(holder):
        return False  # which is an argument like others
    return any(name == STATE or is_given(value) for name, value in attributes_of(holder))


# ------------------------------------------------------------------- the registry
class FunctionRule:
    """The rule of one function or method.

    Parameters
    ----------
    name : str
        The function's dotted name; it is shown as users write it, ``np.ma.median``.
    rule : callable or str
        The rule, or where it is: ``"package.module:name"``, imported when it is needed.
    harmless : iterable of str
        Parameters that the rule does not read, and that change no dependency.
    always : bool
        Whether calls without traced arguments are answered too.
    recorded : bool
        Whether the rule asks of its arguments only what `lookup` describes in a key.
    as_given : bool
        Whether the rule gets arguments as they are, to write into them or to share their
        elements, and its results bring their own values, as those of numpy.ma's rules do.
    fills : bool
        Whether a parameter ``output`` may be an array to fill, or a type of numbers.
    """

    __slots__ = (
        "_as_given",
        "_bound",
        "_fills",
        "_harmless",
        "_recorded",
        "_rule",
        "always",
        "name",
    )

    def __init__(
        self,
        name: str,
        rule: Handler | str,
        harmless: Iterable[str] = (),
        *,
        always: bool = False,
        recorded: bool = False,
        as_given: bool = False,
        fills: bool = False,
    ) -> None:
        self.name = name.replace("numpy.", "np.", 1) if name.startswith("numpy.") else name
        self.always, self._as_given, self._fills = always, as_given, fills
        self._rule, self._harmless, self._recorded = rule, frozenset(harmless), recorded
        self._bound: BoundRule | None = None

    def bound(self, original: Callable[..., Any]) -> BoundRule:
        """The rule behind the signature of a function, which is read once."""
        if self._bound is None or self._bound.call.original is not original:
            rule = self._rule
            if isinstance(rule, str):
                module, _, attribute = rule.partition(":")
                rule = getattr(importlib.import_module(module), attribute)
            self._bound = BoundRule(Call(self.name, original), rule, self._harmless)
        return self._bound

    def answer(self, original: Callable[..., Any], args: Args, kwargs: Options) -> Any:
        """The result of a call with traced arguments.

        Raises
        ------
        UnsupportedError
            If an argument that the rule does not read is not the default.
        TypeError
            If the function does not take these arguments.
        """
        if any(getattr(type(x), "_is_matrix", False) for x in (*args, *kwargs.values())):
            self._refuse_matrix()
        asked = without_output(original, args, kwargs) if self._fills else None
        if asked is not None:
            return filled(asked[0], self._in_type(original, asked[1]))
        trace, bound = current(), self.bound(original)
        if trace.names is not None:
            _forget_overwritten(trace, self._recorded, (*args, *kwargs.values()))
        if self._as_given:
            return bound(args, kwargs)
        result = self._answer(trace, bound, args, kwargs)
        if trace.moving is not None:
            trace.moving.of_call(self.name, (*args, *kwargs.values()), result)
        heed_overwriting(trace, original, args, kwargs)
        return result

    def _refuse_matrix(self) -> None:
        """Refuse an np.matrix, but for functions that take it for the array that it holds."""
        if not self.name.startswith(("scipy.linalg", "scipy.sparse")):
            raise UnsupportedError(
                explain(
                    f"{self.name} of an np.matrix",
                    "operators may mean something else for a matrix than for an array there",
                    "Use np.asarray(m).",
                )
            )

    def _answer(self, trace: Trace, bound: BoundRule, args: Args, kwargs: Options) -> Any:
        if trace.local or self.always or bound.makes_objects or not self._recorded:
            return self._answered(trace, bound, args, kwargs)

        def rule(trace: Trace, name: Hashable, args: Args, kwargs: Options) -> Any:
            return self._answered(trace, bound, args, kwargs)

        return wrapped(trace, lookup.answered(trace, self.name, args, kwargs, rule))

    def _in_type(self, original: Callable[..., Any], given: inspect.BoundArguments) -> Any:
        """The result in the type that was asked for by ``output=``."""
        dtype, plain, trace = given.arguments["output"], None, current()
        if dtype.kind != "f":
            if trace.local:  # rounded on the way
                values = {name: _copied(x) for name, x in given.arguments.items()}
                plain = self.bound(original).call.plainly(**values)
            given.arguments["output"] = np.dtype(float)
        result = self.answer(original, given.args, given.kwargs).astype(dtype)
        if plain is None:
            return result
        return _with_values(self.bound(original).call, trace, result, plain)

    def _answered(self, trace: Trace, bound: BoundRule, args: Args, kwargs: Options) -> Any:
        if not bound.writes:
            args = tuple(_with_constants_plain(trace, x) for x in args)
            kwargs = {name: _with_constants_plain(trace, x) for name, x in kwargs.items()}
        if trace.graph.parts is not None and not bound.keeps_parts:
            args = tuple(_without_parts(trace, x) for x in args)
            kwargs = {name: _without_parts(trace, x) for name, x in kwargs.items()}
        holds = bool(args) and holds_traced(args[0])
        if not self.always and not holds and not any(map(is_given, (*args, *kwargs.values()))):
            try:
                return bound.call.original(*args, **kwargs)
            except Exception as error:  # of constants, as in a plain call on this path
                raise by_numpy(error)  # noqa: B904
        if bound.makes_objects:
            return note_made(bound.call, args, kwargs, bound(args, kwargs))
        if self.always or holds or (bound.writes and not trace.local):
            return bound(args, kwargs)
        if not trace.local:
            return with_own_numbers(bound.call, trace, bound(args, kwargs), args, kwargs)
        plain = [_copied(x) for x in args]
        options = {name: _copied(x) for name, x in kwargs.items()}
        with np.errstate(all="ignore"):
            result = bound(args, kwargs)
        if any(map(holds_traced, args)):  # filled by the rule: the function would fill it anew
            return result
        return _with_values(bound.call, trace, result, bound.call.plainly(*plain, **options))


REGISTERED: dict[str, dict[str, FunctionRule]] = {}
"""The rules by module, and by the name in it: ``REGISTERED["scipy.linalg"]["solve"]``."""


def register(module: str, name: str, rule: Handler | str, **options: Any) -> FunctionRule:
    """Give a function of a module, or a method of a class in it, a rule.

    Parameters
    ----------
    module : str
        It need not be loaded, and is not imported.
    name : str
        ``"lookup"`` or ``"Model.predict"``.
    rule : callable or str
    **options
        As those of `FunctionRule`.
    """
    registered = FunctionRule(f"{module}.{name}", rule, **options)
    REGISTERED.setdefault(module, {})[name] = registered
    return registered


OVERRIDDEN: dict[tuple[str, str], FunctionRule | None] = {}
"""What a user has given a rule: module, name in it, and the rule that it had before."""


def override(module: str, name: str, rule: FunctionRule | None) -> bool:
    """Put a rule of a user's in the place of what is registered, or None to take it back.

    Returns whether a user's rule stood there before.
    """
    rules, key = REGISTERED.setdefault(module, {}), (module, name)
    known = key in OVERRIDDEN
    if rule is not None:
        OVERRIDDEN.setdefault(key, rules.get(name))
        rules[name] = rule
    elif known:
        before = OVERRIDDEN.pop(key)
        if before is None:
            del rules[name]
        else:
            rules[name] = before
    return known


# ------------------------------------------------------------------- arguments, results
def _forget_overwritten(trace: Trace, arrays_alone: bool, args: Iterable[Any]) -> None:
    """End the names of arrays that a function may overwrite: its arguments, or any at all."""
    for x in args:
        if is_traced(x):
            if is_traced_array(x) and not getattr(type(x), "_is_picked", False):
                trace.names.written(x._ids)
        elif type(x) in (list, tuple):
            _forget_overwritten(trace, arrays_alone, x)
        elif type(x) is dict:
            _forget_overwritten(trace, arrays_alone, x.values())
        elif not arrays_alone or holds_traced(x):
            trace.names.forget()


def _with_constants_plain(trace: Trace, x: Any) -> Any:
    """An argument, with plain arrays in place of traced ones that hold constants alone."""
    if is_traced(x):
        if getattr(type(x), "_is_picked", False):
            return x
        values = plain_values(trace, x)
        return x if values is None else values if isinstance(x, np.ndarray) else values[()]
    if type(x) in (list, tuple) and contains_traced(x):
        return type(x)(_with_constants_plain(trace, item) for item in x)
    if type(x) is dict:
        return {key: _with_constants_plain(trace, item) for key, item in x.items()}
    return x


def _without_parts(trace: Trace, x: Any) -> Any:
    """An argument, with complex numbers whose real and imaginary parts are not told apart."""
    if is_traced(x) and dtype_of(x).kind == "c":
        ids = ids_of(trace, x)
        if ids is not x._ids:
            kept = isinstance(x, np.ndarray)
            return trace.wrap(Elements(ids.copy("K"), x._dtype, x._values, keep_array=kept))
    elif type(x) in (list, tuple) and contains_traced(x):
        return type(x)(_without_parts(trace, item) for item in x)
    elif type(x) is dict:
        return {key: _without_parts(trace, item) for key, item in x.items()}
    return x


def _copied(x: Any) -> Any:
    """The values of an argument at the point, which the function may overwrite."""
    if type(x) is dict:
        return {key: _copied(item) for key, item in x.items()}
    if type(x) is list:
        return [_copied(item) for item in x]
    if hasattr(type(x), "_at_point"):  # a masked or a sparse array of a trace
        return x._at_point()
    values = values_of(x)
    return values.copy("K") if is_traced(x) and isinstance(values, np.ndarray) else values


def _with_values(call: Call, trace: Trace, result: Any, values: Any) -> Any:
    """What a rule returned, with the function's own values."""
    if isinstance(result, (list, tuple)):
        if not isinstance(values, (list, tuple)) or len(values) != len(result):
            raise _differs(call, f"{len(result)} results", values)
        pairs = zip(result, values, strict=True)
        items = [_with_values(call, trace, item, value) for item, value in pairs]
        if hasattr(values, "_fields"):
            return type(values)(*items)
        return items if isinstance(result, list) else tuple(items)
    if isinstance(result, dict):
        if not isinstance(values, dict) or values.keys() != result.keys():
            raise _differs(call, "a dictionary", values)
        return {key: _with_values(call, trace, result[key], values[key]) for key in result}
    masked = hasattr(type(result), "_with_values")
    if not masked and not is_traced(result):
        # numbers are the function's own; of what another object holds nothing is known
        return values if np.isscalar(result) or isinstance(result, np.ndarray) else result
    array = np.asarray(values)
    if array.shape != np.shape(result):
        raise _differs(call, f"an array of shape {np.shape(result)}", values)
    if masked:
        return result._with_values(values)
    keep = isinstance(values, np.ndarray)
    return trace.wrap(Elements(result._ids, array.dtype, array, keep_array=keep))


def _differs(call: Call, given: str, values: Any) -> TracingError:
    is_array = isinstance(values, (np.ndarray, np.generic, float, int, complex))
    own = f"an array of shape {np.shape(values)}" if is_array else f"a {type(values).__name__}"
    return TracingError(
        explain(
            call.name,
            f"its rule returned {given}, and the function itself {own}",
            "Let the rule return what the function returns.",
        )
    )

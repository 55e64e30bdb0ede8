"""Whether a function returns numbers on all of its paths: what its bytecode says.

Contract: in doubt it does not.  Nothing of the user's runs here.  A test of a constant that the
call is given decides what is looked at.  What an operator makes is taken for a number.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sparsetrace.user_code.handlers import code_map, exception_table, instructions_of
from sparsetrace.user_code.held_values import UNKNOWN, attribute
from sparsetrace.user_code.value_kinds import cells_of

__all__ = ["number_names", "returns_numbers"]


class _Held(NamedTuple):
    """A value that is known."""

    value: Any


class _Items(NamedTuple):
    """A tuple."""

    kinds: tuple[Any, ...]


_NUMBER, _OTHER, _LIST, _NULL, _WHOLE = "number", "other", "list", "null", "range"
Kind = Any
"""One of these, a `_Held` or an `_Items`; None where nothing has come yet."""

_DEEPEST = 8
"""Calls in one another that are looked at."""
_MOST_STEPS = 100_000
"""Instructions that are looked at, counted as often as they are."""
_OF_NUMBERS: frozenset[Any] = frozenset((abs, max, min, float, pow, round, sum))
_CHOOSING = frozenset((max, min, sum))
_TRUTHS = frozenset("isclose isfinite isinf isnan signbit".split())
_SEVERAL = frozenset("divmod frexp modf".split())
_BITWISE = frozenset("& | ^ &= |= ^= @ @=".split())
_ENDS = ("RAISE", "RERAISE")
_JUMPS = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")
_NULL_IS_LAST = sys.version_info >= (3, 13)
_METHODS_ARE_ATTRIBUTES = sys.version_info >= (3, 12)


def returns_numbers(
    function: object, args: Sequence[Any], kwargs: Mapping[str, Any], code_of: Callable[..., Any]
) -> bool:
    """Whether a call returns a number, or a tuple of as many numbers, on each of its paths.

    Parameters
    ----------
    function : callable
    args, kwargs
        What it is called with.
    code_of : callable
        Gives the code of a function that its user has written.

    Examples
    --------
    >>> def middle(a, b, count=None):
    ...     for _ in range(9 if count is None else count):
    ...         m = (a + b) / 2
    ...         if m > 0:
    ...             b = m
    ...         else:
    ...             a = m
    ...     return a
    >>> returns_numbers(middle, (0.5, 1.0), {}, lambda f: f.__code__)
    True
    >>> returns_numbers(lambda v: v if v > 0 else None, (0.5,), {}, lambda f: f.__code__)
    False
    """
    kinds = [_Held(x) for x in args]
    named = {name: _Held(x) for name, x in kwargs.items()}
    return _are_numbers(_Calls(code_of).returned(function, kinds, named))


def number_names(
    code: types.CodeType,
    scope: dict[str, Any],
    cells: dict[str, Any],
    given: Mapping[str, Any],
    code_of: Callable[..., Any],
) -> dict[int, frozenset[str]]:
    """The local names that hold numbers, by the instructions before which they do.

    Parameters
    ----------
    code : code
    scope : dict
        The globals of its module.
    cells, given : dict
        What variables of its closure and its arguments hold, as far as that is known.
    code_of : callable
        Gives the code of a function that its user has written.
    """
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    kinds = dict.fromkeys(names, _OTHER) | {name: _Held(x) for name, x in given.items()}
    body = _Body(_Calls(code_of), code, scope, cells, kinds)
    try:
        body.kind()
    except (IndexError, KeyError, ValueError):
        return {}  # instructions of another version of Python
    return {
        at: frozenset(name for name, kind in held.items() if _is_number(kind))
        for at, (_, held) in body.states.items()
    }


def _are_numbers(kind: Kind) -> bool:
    if isinstance(kind, _Items):
        return all(map(_are_numbers, kind.kinds))
    return _is_number(kind)


def _is_number(kind: Kind) -> bool:
    if not isinstance(kind, _Held):
        return bool(kind == _NUMBER)
    value = kind.value
    if isinstance(value, (bool, np.bool_)):
        return False
    return hasattr(type(value), "_is_number") or isinstance(value, (int, float, complex, np.number))


def _joined(first: Kind, second: Kind) -> Kind:
    """The kind of what is of the one or of the other."""
    if first is None or second is None:
        return second if first is None else first
    if _is_same(first, second):
        return first
    if _is_number(first) and _is_number(second):
        return _NUMBER
    first, second = _as_items(first), _as_items(second)
    if not isinstance(first, _Items) or not isinstance(second, _Items):
        return _OTHER
    if len(first.kinds) != len(second.kinds):
        return _OTHER
    return _Items(tuple(map(_joined, first.kinds, second.kinds)))


def _is_same(first: Kind, second: Kind) -> bool:
    if isinstance(first, _Held) or isinstance(second, _Held):
        both = isinstance(first, _Held) and isinstance(second, _Held)
        return both and first.value is second.value
    if isinstance(first, _Items) and isinstance(second, _Items):
        return len(first.kinds) == len(second.kinds) and all(
            map(_is_same, first.kinds, second.kinds)
        )
    return bool(first == second)


def _as_items(kind: Kind) -> Kind:
    if isinstance(kind, _Held) and type(kind.value) is tuple:
        return _Items(tuple(map(_Held, kind.value)))
    return kind


def _key(kind: Kind) -> Any:
    if isinstance(kind, _Held):
        return "held", id(kind.value)
    return ("items", *map(_key, kind.kinds)) if isinstance(kind, _Items) else kind


class _Calls:
    """What functions return that call one another."""

    def __init__(self, code_of: Callable[..., Any]) -> None:
        self.code_of = code_of
        self.inside: list[types.CodeType] = []
        self.left = _MOST_STEPS
        self._known: dict[Any, Kind] = {}
        self._is_cut = False

    def returned(
        self, function: object, args: Sequence[Kind], kwargs: Mapping[str, Kind] | None
    ) -> Kind:
        """The kind of what a call returns; None if it returns never."""
        if isinstance(function, types.MethodType):
            args, function = [_Held(function.__self__), *args], function.__func__
        if isinstance(function, types.FunctionType) and _stands_in(function):
            function = getattr(function, "_plain", function.__wrapped__)  # type: ignore[attr-defined]
        if not isinstance(function, types.FunctionType):
            return _made_by(function, args)
        code = self.code_of(function)
        if code.co_flags & _RESUMED or len(self.inside) > _DEEPEST:
            return _OTHER
        if code in self.inside:
            self._is_cut = True
            return None  # what the other returns decides
        given = _bound(function, code, args, kwargs)
        key = id(function), tuple(map(_key, given.values()))
        if key in self._known:
            return self._known[key][0]
        outer, self._is_cut = self._is_cut, False
        self.inside.append(code)
        try:
            result = _Body(
                self, code, function.__globals__, dict(cells_of(function)), dict(given)
            ).kind()
        except (IndexError, KeyError, ValueError):
            result = _OTHER  # instructions of another version of Python
        finally:
            self.inside.pop()
        if not self._is_cut or not self.inside:
            self._known[key] = result, function, given  # which keep their ids
        self._is_cut = outer or (self._is_cut and bool(self.inside))
        return result


_RESUMED = 0x20 | 0x80 | 0x200
"""Generators and coroutines."""


def _bound(
    function: types.FunctionType,
    code: types.CodeType,
    args: Sequence[Kind],
    kwargs: Mapping[str, Kind] | None,
) -> dict[str, Kind]:
    """The kinds of arguments by their names."""
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if kwargs is None:
        return dict.fromkeys(names, _OTHER)
    defaults = function.__defaults__ or ()
    first = code.co_argcount - len(defaults)
    result: dict[str, Kind] = dict.fromkeys(names, _OTHER)
    result |= {n: _Held(x) for n, x in zip(names[first : code.co_argcount], defaults, strict=True)}
    result |= {name: _Held(x) for name, x in (function.__kwdefaults__ or {}).items()}
    result |= zip(names[: code.co_argcount], args, strict=False)
    return result | {name: kind for name, kind in kwargs.items() if name in names}


def _stands_in(function: types.FunctionType) -> bool:
    """Whether a function stands for one of Python's or NumPy's while a trace runs."""
    module = str(function.__globals__.get("__name__", ""))
    return module.startswith("sparsetrace.") and hasattr(function, "__wrapped__")


def _made_by(function: object, args: Sequence[Kind]) -> Kind:
    """What a known function makes of such arguments."""
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", None)
    if function is range:
        return _WHOLE
    if name in _SEVERAL or name in _TRUTHS or name.startswith("logical_"):
        return _OTHER
    if function is float or module in ("math", "cmath"):
        return _NUMBER
    if isinstance(function, np.ufunc):
        is_known = function.nout == 1 and not _compares(function)
    else:
        is_known = function in _OF_NUMBERS
        if function in _CHOOSING and not all(map(_are_numbers, args)):
            return _OTHER
    if None in args:
        return None
    return _NUMBER if is_known and all(map(_may_be_number, args)) else _OTHER


def _may_be_number(kind: Kind) -> bool:
    """Whether a value of this kind is a number, for all that is known."""
    return kind == _OTHER or _is_number(kind)


def _compares(ufunc: Any) -> bool:
    return any(types.endswith("->?") for types in ufunc.types if types.startswith("d"))


State = tuple[list[Kind], dict[str, Kind]]
"""What is on the stack, and what the local names hold."""


class _Body:
    """One function: the kinds of what is on its stack, and of what its names hold."""

    def __init__(
        self,
        calls: _Calls,
        code: types.CodeType,
        scope: dict[str, Any],
        cells: dict[str, Any],
        given: dict[str, Kind],
    ) -> None:
        self.calls, self.code, self.scope, self.cells = calls, code, scope, cells
        self.steps = instructions_of(code)
        self.places = code_map(code).places
        self.names = given
        self.states: dict[int, State] = {}
        """What is known before each instruction that is reached."""
        self.result: Kind = None
        self.keywords: tuple[str, ...] = ()
        inner = [x for x in code.co_consts if isinstance(x, types.CodeType)]
        self.shared = {
            str(step.argval)
            for one in inner
            for step in dis.get_instructions(one)
            if step.opname in ("STORE_DEREF", "DELETE_DEREF")
        }
        """Variables that functions in this one may assign."""

    def kind(self) -> Kind:
        """What it returns; None if it returns never."""
        self.states = {0: ([], self.names)}
        todo = [0]
        handlers = exception_table(self.code)
        while todo:
            self.calls.left -= 1
            if self.calls.left < 0:
                raise ValueError("very many instructions")
            at = todo.pop()
            step = self.steps[at]
            stack, before = list(self.states[at][0]), self.states[at][1]
            self.names = dict(before)
            for place, after in self._after(at, step, stack):
                self._reach(place, after, self.names, todo)
            for start, end, target, depth in handlers:
                if start <= step.offset < end:
                    for names in (before, self.names):
                        self._reach(self.places[target], [_OTHER] * (depth + 1), names, todo)
        return self.result

    def _reach(self, at: int, stack: list[Kind], names: dict[str, Kind], todo: list[int]) -> None:
        """Go on at an instruction, unless it has been reached with the like of it."""
        known = self.states.get(at)
        if known is None:
            self.states[at] = stack, dict(names)
            todo.append(at)
            return
        if len(known[0]) != len(stack):
            raise ValueError("two depths of one stack")
        merged = list(map(_joined, known[0], stack))
        every = {name: _joined(known[1].get(name), kind) for name, kind in names.items()}
        every = {**known[1], **every}
        if all(map(_is_same, merged, known[0])) and all(
            name in known[1] and _is_same(known[1][name], kind) for name, kind in every.items()
        ):
            return
        self.states[at] = merged, every
        todo.append(at)

    def _after(
        self, at: int, step: dis.Instruction, stack: list[Kind]
    ) -> list[tuple[int, list[Kind]]]:
        """Where it goes on after an instruction, with which stack."""
        name = step.opname
        if name.startswith("RETURN_"):
            if name == "RETURN_GENERATOR":
                raise ValueError("a generator")
            kind = _Held(step.argval) if name == "RETURN_CONST" else stack.pop()
            self.result = _joined(self.result, kind)
            return []
        if name.startswith(_ENDS):
            return []
        if name in _JUMPS:
            return [(self.places[step.argval], stack)]
        if "_IF_" in name:
            return self._branch(at, step, stack)
        if name == "FOR_ITER":
            gone = self._by_effect(step, list(stack), jump=True)
            return [(at + 1, [*stack, self._item(stack[-1])]), (self.places[step.argval], gone)]
        rule = getattr(self, f"_{name.lower()}", None)
        if rule is not None:
            rule(step, stack)
        else:
            stack = self._by_effect(step, stack)
        return [(at + 1, stack)]

    def _by_effect(
        self, step: dis.Instruction, stack: list[Kind], *, jump: bool = False
    ) -> list[Kind]:
        """The stack after an instruction of which only the depth is known."""
        argument = step.arg if step.opcode >= dis.HAVE_ARGUMENT else None
        depth = len(stack) + dis.stack_effect(step.opcode, argument, jump=jump)
        kept = stack[: max(0, min(depth, len(stack)) - 3)]
        return kept + [_OTHER] * (depth - len(kept))

    def _branch(
        self, at: int, step: dis.Instruction, stack: list[Kind]
    ) -> list[tuple[int, list[Kind]]]:
        name, target = step.opname, self.places[step.argval]
        if name.startswith("JUMP_IF_"):  # of ``and`` and ``or``: the value stays where it jumps
            return [(target, list(stack)), (at + 1, stack[:-1])]
        tested = stack.pop()
        ways = [(target, list(stack)), (at + 1, list(stack))]
        if not isinstance(tested, _Held) or hasattr(type(tested.value), "_is_number"):
            return ways
        if name.endswith("NONE"):
            jumps = (tested.value is None) is not name.endswith("NOT_NONE")
        elif tested.value is None or isinstance(tested.value, (bool, int, float, str)):
            jumps = bool(tested.value) is name.endswith("TRUE")
        else:
            return ways
        return ways[:1] if jumps else ways[1:]

    @staticmethod
    def _item(iterated: Kind) -> Kind:
        """What an iterator gives."""
        iterated = _as_items(iterated)
        if isinstance(iterated, _Items):
            result = None
            for kind in iterated.kinds:
                result = _joined(result, kind)
            return _OTHER if result is None else result
        return _NUMBER if iterated == _WHOLE else _OTHER

    # ----------------------------------------------------------------- names and constants
    def _load_const(self, step: dis.Instruction, stack: list[Kind]) -> None:
        stack.append(_Held(step.argval))

    _load_small_int = _load_const

    def _load_fast(self, step: dis.Instruction, stack: list[Kind]) -> None:
        stack.append(self.names.get(step.argval))

    _load_fast_check = _load_fast_borrow = _load_fast

    def _store_fast(self, step: dis.Instruction, stack: list[Kind]) -> None:
        self.names[step.argval] = stack.pop()

    _store_deref = _store_fast

    def _load_deref(self, step: dis.Instruction, stack: list[Kind]) -> None:
        name = step.argval
        if name in self.shared:
            stack.append(_OTHER)
        elif name in self.code.co_freevars:
            known = self.cells.get(name, UNKNOWN)
            stack.append(_OTHER if known is UNKNOWN else _Held(known))
        else:
            stack.append(self.names.get(name))

    def _load_global(self, step: dis.Instruction, stack: list[Kind]) -> None:
        builtins = self.scope.get("__builtins__", {})
        builtins = builtins if isinstance(builtins, dict) else vars(builtins)
        value = self.scope.get(step.argval, builtins.get(step.argval, UNKNOWN))
        kind = _OTHER if value is UNKNOWN else _Held(value)
        if (step.arg or 0) & 1:
            stack += [kind, _NULL] if _NULL_IS_LAST else [_NULL, kind]
        else:
            stack.append(kind)

    def _load_attr(self, step: dis.Instruction, stack: list[Kind]) -> None:
        owner = stack.pop()
        value = UNKNOWN
        if isinstance(owner, _Held) and isinstance(owner.value, types.ModuleType):
            value = attribute(owner.value, step.argval)
        stack.append(_OTHER if value is UNKNOWN else _Held(value))
        if step.opname == "LOAD_METHOD" or (_METHODS_ARE_ATTRIBUTES and (step.arg or 0) & 1):
            stack.append(_NULL)

    _load_method = _load_attr

    # ------------------------------------------------------------------------- the stack
    def _nop(self, step: dis.Instruction, stack: list[Kind]) -> None:
        pass

    _resume = _precall = _make_cell = _copy_free_vars = _not_taken = _delete_fast = _nop

    def _push_null(self, step: dis.Instruction, stack: list[Kind]) -> None:
        stack.append(_NULL)

    def _pop_top(self, step: dis.Instruction, stack: list[Kind]) -> None:
        stack.pop()

    _pop_except = _pop_top

    def _copy(self, step: dis.Instruction, stack: list[Kind]) -> None:
        stack.append(stack[-(step.arg or 1)])

    def _swap(self, step: dis.Instruction, stack: list[Kind]) -> None:
        other = -(step.arg or 1)
        stack[-1], stack[other] = stack[other], stack[-1]

    def _to_bool(self, step: dis.Instruction, stack: list[Kind]) -> None:
        if not isinstance(stack[-1], _Held):
            stack[-1] = _OTHER

    def _get_iter(self, step: dis.Instruction, stack: list[Kind]) -> None:
        pass

    # ------------------------------------------------------------------------- operators
    def _binary_op(self, step: dis.Instruction, stack: list[Kind]) -> None:
        right, left = stack.pop(), stack.pop()
        if step.argrepr == "[]":
            stack += [left, right]
            self._binary_subscr(step, stack)
            return
        if left is None or right is None:
            stack.append(None)
            return
        plain = _may_be_number(left) and _may_be_number(right)
        stack.append(_NUMBER if plain and step.argrepr not in _BITWISE else _OTHER)

    def _compare_op(self, step: dis.Instruction, stack: list[Kind]) -> None:
        del stack[-2:]
        stack.append(_OTHER)

    _is_op = _contains_op = _compare_op

    def _unary_negative(self, step: dis.Instruction, stack: list[Kind]) -> None:
        if stack[-1] is not None:
            stack[-1] = _NUMBER if _is_number(stack[-1]) else _OTHER

    def _binary_subscr(self, step: dis.Instruction, stack: list[Kind]) -> None:
        key, owner = stack.pop(), _as_items(stack.pop())
        kind: Kind = _OTHER
        if isinstance(owner, _Items) and isinstance(key, _Held) and type(key.value) is int:
            kind = owner.kinds[key.value]
        elif isinstance(owner, _Items):
            kind = self._item(owner)
        elif isinstance(owner, _Held) and type(owner.value) is list:
            kind = self._item(_Items(tuple(map(_Held, owner.value))))
        stack.append(kind)

    def _build_tuple(self, step: dis.Instruction, stack: list[Kind]) -> None:
        count = step.arg or 0
        items = tuple(stack[len(stack) - count :])
        del stack[len(stack) - count :]
        stack.append(_Items(items))

    def _build_list(self, step: dis.Instruction, stack: list[Kind]) -> None:
        del stack[len(stack) - (step.arg or 0) :]
        stack.append(_LIST)

    def _unpack_sequence(self, step: dis.Instruction, stack: list[Kind]) -> None:
        owner, count = _as_items(stack.pop()), step.arg or 0
        if isinstance(owner, _Items) and len(owner.kinds) == count:
            stack += reversed(owner.kinds)
        else:
            stack += [_OTHER] * count

    # ----------------------------------------------------------------------------- calls
    def _kw_names(self, step: dis.Instruction, stack: list[Kind]) -> None:
        self.keywords = self.code.co_consts[step.arg or 0]

    def _call(self, step: dis.Instruction, stack: list[Kind]) -> None:
        names, self.keywords = self.keywords, ()
        self._called(step.arg or 0, names, stack)

    def _call_kw(self, step: dis.Instruction, stack: list[Kind]) -> None:
        names = stack.pop()
        self._called(step.arg or 0, names.value if isinstance(names, _Held) else ("",), stack)

    def _called(self, count: int, names: tuple[str, ...], stack: list[Kind]) -> None:
        start = len(stack) - count
        args, callee = stack[start:], stack[start - 2 : start]
        del stack[start - 2 :]
        known = [kind for kind in callee if kind != _NULL]
        if len(known) != 1 or not isinstance(known[0], _Held) or "" in names:
            stack.append(_OTHER)
            return
        given = args[: count - len(names)]
        named = dict(zip(names, args[count - len(names) :], strict=True))
        if not isinstance(known[0].value, (types.FunctionType, types.MethodType)) and named:
            stack.append(_OTHER)
            return
        stack.append(self.calls.returned(known[0].value, given, named))

    def _call_function_ex(self, step: dis.Instruction, stack: list[Kind]) -> None:
        if (step.arg or 0) & 1 or stack[-1] == _NULL:
            stack.pop()
        stack.pop()
        two = [stack.pop(), stack.pop()]
        known = [kind for kind in two if isinstance(kind, _Held)]
        function = known[0].value if len(known) == 1 else None
        is_own = isinstance(function, (types.FunctionType, types.MethodType))
        stack.append(self.calls.returned(function, (), None) if is_own else _OTHER)

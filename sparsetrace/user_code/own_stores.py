"""Whether what a function stores into is its own, as far as its bytecode tells.

Contract: in doubt it is not.  Its own are its variables, what it has made itself, and the object
that it is there to make.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import (
    Chain,
    callee_at,
    chain_ending_at,
    is_loaded_to_be_called,
    loaded_first,
)
from sparsetrace.user_code.class_making import is_plain_attribute
from sparsetrace.user_code.held_values import PACKAGES, UNKNOWN, HeldValues, stored
from sparsetrace.user_code.known_functions import is_of_scipy
from sparsetrace.user_code.returned_kinds import number_names
from sparsetrace.user_code.written_arguments import (
    hands_keywords,
    is_filling,
    keywords_at,
    keywords_to_write,
    method_keywords_to_write,
    method_writes,
    writes_by_position,
    written_keyword,
)

__all__ = [
    "BETWEEN",
    "FILLS",
    "HANDED",
    "OUTLINED",
    "PURE_METHODS",
    "WRITES",
    "OwnStores",
    "code_by_user",
    "is_told_to_write",
    "may_write",
    "written_by_user",
]

_OF_KEYWORDS = 4
"""Instructions that give a call a tuple and a dictionary of another one's items."""
_OF_MERGE = 2
"""Instructions that add a dictionary of keywords to those of a call."""
_ITEM_READS = frozenset("BINARY_SUBSCR BINARY_SLICE".split())
PURE_METHODS = frozenset(
    """
    _asdict _replace all any argmax argmin astype capitalize casefold cdf clip conj conjugate copy
    count cumprod cumsum diagonal dot endswith flatten format get index is_integer isalnum isalpha
    isdigit isf isidentifier item items join keys logcdf logpdf logpmf logsf lower lstrip max mean
    min pdf pmf ppf prod ravel removeprefix removesuffix reshape round rsplit rstrip sf split
    splitlines squeeze startswith std strip sum take title toarray tobsr tocoo tocsc tocsr todense
    todia todok tolil tolist trace transpose upper values var
    """.split()
)
"""Of numbers, arrays, text, lists, dictionaries and distributions."""
BETWEEN = frozenset("CACHE NOP PRECALL PUSH_NULL".split())
_BEFORE_CODE = frozenset("BUILD_TUPLE CACHE LOAD_CLOSURE LOAD_FAST NOP PUSH_NULL".split())

HANDED = "_sparsetrace_handed"
"""An attribute of a constant, in code that stands for a function's: the code that it calls."""
OUTLINED = "_sparsetrace_outlined"
"""An attribute of a constant, in code with pieces that are functions: the code that it was."""
WRITES = "_sparsetrace_writes"
"""An attribute of functions that stand in code for stores into arrays, lists and dictionaries."""
FILLS = "first"
"""Its value where such a function calls its first argument, one of NumPy's that fills an array."""


def written_by_user(function: types.FunctionType, *, undoes: bool = False) -> types.CodeType:
    """The code that a function's hands its calls over to; where nothing is undone, as it was."""
    return code_by_user(function.__code__, undoes=undoes)


def code_by_user(code: types.CodeType, *, undoes: bool = False) -> types.CodeType:
    """The same of the code that a function has, or had."""
    handed = next((getattr(x, HANDED) for x in code.co_consts if hasattr(x, HANDED)), code)
    if undoes:
        return handed
    return next((getattr(x, OUTLINED) for x in handed.co_consts if hasattr(x, OUTLINED)), handed)


class OwnStores(HeldValues):
    """The instructions of one function, and which of them store into what is its own.

    Attributes
    ----------
    makes : type or None
        The class, if the function's first argument is an object of it that is being made.
    """

    makes: type | None = None

    def _is_of_a_new_iterator(self, at: int) -> bool:
        """Whether ``next`` is called for a generator expression that stands there."""
        after = (s for s in self.steps[at + 1 :] if s.opname not in _BEFORE_CODE)
        step = next(after, None)
        return isinstance(getattr(step, "argval", None), types.CodeType) and (
            step.argval.co_name == "<genexpr>"  # type: ignore[union-attr]
        )

    @functools.cached_property
    def number_names(self) -> dict[int, frozenset[str]]:
        """The names that hold numbers, which no operator changes, before each instruction."""
        cells, given = self.cells | self.imported, self.given
        return number_names(self.code, self.scope, cells, given, written_by_user)

    # --------------------------------------------------------------- what is stored into
    def _is_of_what_is_made(self, at: int) -> bool:
        name = self.steps[at - 1].argval
        if self.makes is None or (name,) != self._what_is_made():
            return False
        return is_plain_attribute(self.makes, str(self.steps[at].argval))

    def _sets_what_is_made(self, at: int) -> bool:
        """Whether ``object.__setattr__``, which is loaded there, is called for what is made.

        So do classes whose objects are not to be changed once they are made.
        """
        given = [step for step in self.steps[at + 1 : at + 6] if step.opname not in BETWEEN][:2]
        return (
            self.makes is not None
            and is_loaded_to_be_called(self.steps, at)
            and len(given) == 2
            and given[0].opname.startswith("LOAD_FAST")
            and (given[0].argval,) == self._what_is_made()
            and isinstance(given[1].argval, str)
            and given[1].opname == "LOAD_CONST"
            and is_plain_attribute(self.makes, given[1].argval)
        )

    def _what_is_made(self) -> tuple[str, ...]:
        """The name of what is being made, unless it is bound anew."""
        own = self.code.co_varnames[:1]
        return () if own and own[0] in self.stores else own

    def _is_own_item(self, at: int) -> bool:
        """Whether an item is stored into what the function has made itself."""
        chain = loaded_first(self.steps, at)
        if len(chain) != 1 or not chain[0][0].startswith("LOAD_FAST"):
            return False
        made = self.made(str(chain[0][1]), at)
        start = self.steps[at].positions
        deeper = start is None or any(
            step.opname in _ITEM_READS
            and step.positions is not None
            and step.positions[0::2] == start[0::2]
            and step.positions[1::2] < start[1::2]
            for step in self.steps[:at]
        )
        return made == "array" or (made is not None and not deeper)

    def _fills_own(self, at: int) -> bool:
        """Whether what is loaded there, and fills its first argument, is given an own array."""
        call = next((i for i in range(at + 1, len(self.steps)) if self._is_called_at(i, at)), None)
        first = next((i for i in self._after(at) if i != call), None)
        if call is None or first is None or not self.steps[first].opname.startswith("LOAD_FAST"):
            return False
        start = self.steps[first].positions
        is_whole = start is not None and not any(
            step.opname not in _ITEM_READS
            and (step.positions is None or step.positions[::2] == start[::2])
            for step in self.steps[first + 1 : call]
        )
        return is_whole and self.made(str(self.steps[first].argval), at) == "array"

    def _is_called_at(self, call: int, at: int) -> bool:
        """Whether a call is of what is loaded there, and is given arguments by place."""
        step = self.steps[call]
        if not step.opname.startswith("CALL") or step.opname == "CALL_FUNCTION_EX":
            return False
        chain = callee_at(self.steps, call)
        count = int(step.arg or 0) - len(keywords_at(self.code, self.steps, call))
        return bool(chain) and count > 0 and self._place_of(chain, call) == at

    def _after(self, at: int) -> Iterator[int]:
        """The instructions after one that do something."""
        return (i for i in range(at + 1, len(self.steps)) if self.steps[i].opname not in BETWEEN)

    def _fills_by(self, at: int) -> bool:
        """Whether the function that a stand-in calls, which is loaded there, fills an array."""
        first = next(self._after(at))
        return is_filling(self.value(chain_ending_at(self.steps, self._end_of_chain(first))[0]))

    def _is_filled_by(self, first: int) -> bool:
        """Whether a chain of names that begins there loads what such a stand-in calls."""
        before = next((s for s in self.steps[:first][::-1] if s.opname not in BETWEEN), None)
        return before is not None and getattr(before.argval, WRITES, None) == FILLS

    def _is_own_operand(self, at: int) -> bool:
        """Whether an operator that may change its left side has a number or its own array there."""
        after = next((s for s in self.steps[at + 1 :] if s.opname not in BETWEEN), None)
        if after is None:
            return False
        for name in stored(after):
            return self.made(name, at) is not None or name in self.number_names.get(at, ())
        if after.opname == "SWAP":  # an item, which `_is_own_item` looks at, too
            chain = loaded_first(self.steps, at)
            return len(chain) == 1 and self.made(str(chain[0][1]), at) == "array"
        return False

    def _is_looked_at(self, at: int) -> bool:
        """Whether what is called without a name stands in the code itself.

        It is what a comprehension makes a function of, or was put there by an exchange of code.
        """
        place = self.steps[at].positions
        own = [s for s in self.steps[:at] if s.positions is not None and place is not None]
        return any(
            s.positions == place
            if s.opname == "MAKE_FUNCTION"
            else s.opname == "LOAD_CONST" and callable(s.argval) and s.positions[::2] == place[::2]  # type: ignore[index]
            for s in own
        )

    def _writes_nothing(self, at: int, chain: Chain, *, by_keywords: bool) -> bool:
        """Whether a call, if it is one of NumPy's, writes into no argument but the function's.

        Parameters
        ----------
        at, chain
        by_keywords : bool
            Whether it is given a dictionary of keywords of which nothing is known.
        """
        step, name, value = self.steps[at], str(chain[-1][1]), self.value(chain)
        if value is print:
            named = hands_keywords(self.steps, at)
            return not named and "file" not in keywords_at(self.code, self.steps, at)
        if value is not UNKNOWN and not _is_of_numpy(value):
            return True
        if step.opname == "CALL_FUNCTION_EX":  # by *args, and perhaps **kwargs
            if by_keywords and self._keywords_to_write(chain):
                return False
            return value is UNKNOWN or not writes_by_position(value, self._count_by_place(at))
        keywords = keywords_at(self.code, self.steps, at)
        written = written_keyword(name, keywords)
        if written is not None:
            last = [s for s in self.steps[at - 4 : at] if s.opname.startswith("LOAD_FAST")]
            return (
                written == "out" == keywords[-1]
                and bool(last)
                and self.made(str(last[-1].argval), at) == "array"
            )
        count = int(step.arg or 0) - len(keywords)
        if value is not UNKNOWN:
            return not writes_by_position(value, count)
        is_method = chain[-1][0] in ("LOAD_ATTR", "LOAD_METHOD")
        return not (is_method and name in PURE_METHODS and method_writes(name, count))

    def _keywords_to_write(self, chain: Chain) -> frozenset[str]:
        """The keywords that tell what a name stands for what to write into."""
        value = self.value(chain)
        if value is not UNKNOWN:
            return keywords_to_write(value) if _is_of_numpy(value) else frozenset()
        is_method = chain[-1][0] in ("LOAD_ATTR", "LOAD_METHOD")
        name = str(chain[-1][1])
        is_pure = is_method and name in PURE_METHODS
        return method_keywords_to_write(name) if is_pure else frozenset()

    def _count_by_place(self, at: int) -> int:
        """How many arguments a call with a dictionary of keywords is given by their place.

        At the most; these stand before the dictionary, in a tuple of their own.
        """
        steps = [step for step in self.steps[:at] if step.opname not in BETWEEN]
        if len(steps) < _OF_KEYWORDS:
            return sys.maxsize
        before, made, _, merged = steps[-_OF_KEYWORDS:]
        is_known = (made.opname, made.arg, merged.opname) == ("BUILD_MAP", 0, "DICT_MERGE")
        if is_known and before.opname == "BUILD_TUPLE":
            return int(before.arg or 0)
        is_constant = is_known and before.opname == "LOAD_CONST"
        return len(before.argval) if is_constant and type(before.argval) is tuple else sys.maxsize

    def _hands_on_keywords(self, at: int) -> bool:
        """Whether the keywords that a call is given are all that the function was given."""
        code, steps = self.code, [step for step in self.steps[:at] if step.opname not in BETWEEN]
        if not code.co_flags & inspect.CO_VARKEYWORDS or len(steps) < _OF_MERGE:
            return False
        count = code.co_argcount + code.co_kwonlyargcount
        name = code.co_varnames[count + bool(code.co_flags & inspect.CO_VARARGS)]
        merge, held = steps[-1], steps[-2]
        is_merged = merge.opname == "DICT_MERGE" and held.opname.startswith("LOAD_FAST")
        return is_merged and held.argval == name and name not in self.stores

    def _place_of(self, chain: Chain, at: int) -> int:
        """Where the instructions end that load what is called."""
        name = chain[-1][1]
        return max(
            i
            for i, step in enumerate(self.steps[:at])
            if step.argval == name and step.opname.startswith("LOAD")
        )

    def _end_of_chain(self, at: int) -> int:
        while self.steps[at + 1].opname in ("LOAD_ATTR", "LOAD_METHOD"):
            at += 1
        return at


def _is_of_numpy(function: object) -> bool:
    if is_of_scipy(function):
        return True
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, np.ufunc) or module == "numpy" or module.startswith(PACKAGES)


def may_write(function: object) -> bool:
    """Whether a function may write into what it is given where its place alone says so."""
    if function is print or is_filling(function):
        return True
    return _is_of_numpy(function) and writes_by_position(function, sys.maxsize)  # type: ignore[arg-type]


def is_told_to_write(partial: functools.partial[Any]) -> bool:
    """Whether what a partial call is given, or may be given yet, says what to write into."""
    function = partial.func
    name = getattr(function, "__name__", "")
    if function is print:
        return "file" in partial.keywords
    return _is_of_numpy(function) and (
        written_keyword(name, tuple(partial.keywords)) is not None
        or writes_by_position(function, sys.maxsize)
    )

"""What is read of a piece of code once, whoever reaches it: names, stores, what it may ask.

Contract: no code of the user's runs.  In doubt the answer is yes.
"""

from __future__ import annotations

import dis
import itertools
import opcode
import sys
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsetrace.user_code.bytecode import text_argument
from sparsetrace.user_code.handlers import CodeMap, code_map, instructions_of
from sparsetrace.user_code.imports import Import, imports_in

__all__ = [
    "OWN",
    "Code",
    "code_of",
    "is_foreign",
    "is_of_dataclass",
    "nested",
    "tells_arrays_apart",
    "tells_numbers_apart",
]

OWN = ("numpy", "scipy", "sparsetrace")
_WIDESPREAD = frozenset(
    "IPython PIL _pytest bokeh jax jinja2 markupsafe matplotlib networkx numba packaging pandas "
    "panel plotly pluggy pytest sympy tensorflow torch tornado xarray yaml".split()
)
"""Libraries whose modules are neither searched nor put back."""
_DOUBTFUL = frozenset(
    "globals locals vars exec eval compile __import__ import_module attrgetter "
    "__subclasses__ __dict__ __builtins__ modules entry_points suppress".split()
)
"""Names by which code reaches functions, or swallows errors, unseen."""
_GETATTR = ("LOAD_GLOBAL", "getattr")
_IMPORTS = frozenset(("import_module", "__import__", "modules"))
_WRITES_GLOBALS = frozenset(("globals", "exec"))
_ASKS_DTYPES = frozenset(
    "can_cast common_type dtype isdtype issubdtype itemsize min_scalar_type nbytes "
    "result_type".split()
)
_WRITES_ATTRIBUTES = frozenset(("setattr", "delattr", "vars", "__dict__"))
_CHANGES_FUNCTIONS = _WRITES_ATTRIBUTES | frozenset(
    ("__bases__", "__code__", "__defaults__", "__kwdefaults__")
)


def is_foreign(module: object, filename: str = "") -> bool:
    """Whether a module is a library's: of Python, NumPy, SciPy, or a widespread one."""
    package = module.partition(".")[0] if isinstance(module, str) else ""
    if package == "__main__":
        return False
    if package in OWN or package in sys.stdlib_module_names:
        return True
    return package in _WIDESPREAD and (not filename or "site-packages" in filename)


@dataclass(slots=True, eq=False)
class Code:
    """What is the same whenever a piece of code is looked at, nested functions included."""

    code: types.CodeType
    foreign: bool
    names: tuple[str, ...]
    imports: tuple[Import, ...]
    global_stores: tuple[str, ...]
    attribute_stores: tuple[str, ...]
    modules: tuple[str, ...]
    """Modules that may be imported by their names, as text."""
    doubtful: bool
    """Whether it may call functions that it does not name."""
    finds_attributes: bool
    """Whether it reads attributes of which it computes the names."""
    writes_globals: bool
    writes_attributes: bool
    """Whether it may write names that it does not store by an instruction."""
    changes_functions: bool
    """Whether it may give functions other defaults or code, or classes other bases."""
    asks_dtypes: bool
    """Whether it may ask an array for its dtype."""
    compares_truths: bool
    """Whether it compares with True or False by identity, as ``case True`` does."""
    multiplies: bool
    """Whether it may call the method ``dot`` of an array, and not just ``np.dot``."""
    handlers: Any = None
    """What `sparsetrace.capture.swallowed_errors` found out about its exception handlers."""


_CODES: dict[int, Code] = {}
_MOST_CODES = 32_768
_IMPORT = frozenset((opcode.opmap["IMPORT_NAME"],))
_STORE_GLOBAL = frozenset((opcode.opmap["STORE_GLOBAL"], opcode.opmap["DELETE_GLOBAL"]))
_STORE_ATTR = frozenset((opcode.opmap["STORE_ATTR"], opcode.opmap["DELETE_ATTR"]))
_IS = opcode.opmap["IS_OP"]
_EXTENDED_ARG = opcode.opmap["EXTENDED_ARG"]


def code_of(code: types.CodeType, scope: dict[str, Any]) -> Code:
    """What is known of a code object, in a module with these names."""
    known = _CODES.get(id(code))  # by identity: code objects compare their bytes
    if known is None or known.code is not code:
        if len(_CODES) >= _MOST_CODES:
            _CODES.clear()
        known = _CODES[id(code)] = _read(code, scope)
    return known


def _read(code: types.CodeType, scope: dict[str, Any]) -> Code:
    codes = list(nested(code))
    names = frozenset(name for one in codes for name in one.co_names)
    told = _names_told(codes) if "getattr" in names else frozenset()
    finds_attributes = told is None
    names |= told or frozenset()
    written = [(one, one.co_code) for one in codes]  # which is made whenever it is asked for
    present = frozenset().union(*(operations[::2] for _, operations in written))

    def operands(of: frozenset[int]) -> tuple[str, ...]:
        if of.isdisjoint(present):
            return ()
        return tuple(dict.fromkeys(name for one in written for name in _operands(*one, of)))

    return Code(
        code,
        is_foreign(scope.get("__name__"), code.co_filename),
        tuple(sorted(names)),
        tuple(imports_in(codes)) if not _IMPORT.isdisjoint(present) else (),
        operands(_STORE_GLOBAL),
        operands(_STORE_ATTR),
        tuple(_texts(codes)) if not names.isdisjoint(_IMPORTS) else (),
        not names.isdisjoint(_DOUBTFUL),
        finds_attributes,
        not names.isdisjoint(_WRITES_GLOBALS),
        not names.isdisjoint(_WRITES_ATTRIBUTES),
        not names.isdisjoint(_CHANGES_FUNCTIONS),
        not names.isdisjoint(_ASKS_DTYPES),
        _IS in present and any(map(_compares_truths, codes)),
        "dot" in names and any(_multiplies(one, scope) for one in codes),
    )


def nested(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and those of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from nested(constant)


def _names_told(codes: Iterable[types.CodeType]) -> frozenset[str] | None:
    """The names that `getattr` is given as constant text; None if it is used otherwise, too."""
    result: set[str | None] = set()
    for code in codes:
        if "getattr" not in code.co_names:
            continue
        steps = instructions_of(code)
        calls = [at for at, chain in code_map(code).calls_of_globals if chain == (_GETATTR,)]
        loads = sum(step.argval == "getattr" for step in steps)
        result.update(text_argument(steps, at) for at in calls)
        if len(calls) < loads:
            return None
    return None if None in result else frozenset(filter(None, result))


def _compares_truths(code: types.CodeType) -> bool:
    if _IS not in code.co_code[::2] or not any(isinstance(x, bool) for x in code.co_consts):
        return False
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    return any(
        after.opcode == _IS and before.opname == "LOAD_CONST" and isinstance(before.argval, bool)
        for before, after in itertools.pairwise(steps)
    )


def _multiplies(code: types.CodeType, scope: dict[str, Any]) -> bool:
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    return any(
        step.argval == "dot"
        and step.opname in ("LOAD_ATTR", "LOAD_METHOD")
        and type(scope.get(str(before.argval))) is not types.ModuleType
        for before, step in itertools.pairwise(steps)
    )


def _texts(codes: list[types.CodeType]) -> Iterator[str]:
    for code in codes:
        yield from (text for text in code.co_consts if isinstance(text, str))


def _operands(code: types.CodeType, operations: bytes, of: frozenset[int]) -> Iterator[str]:
    """The names that instructions of these kinds work on."""
    if of.isdisjoint(operations[::2]):
        return
    argument = 0
    for operation, low in zip(operations[::2], operations[1::2], strict=True):
        argument = argument << 8 | low
        if operation in of:
            yield code.co_names[argument]
        if operation != _EXTENDED_ARG:
            argument = 0


_TYPES = frozenset("type __class__ singledispatch".split())
_ATTRIBUTE_TESTS = frozenset("hasattr getattr".split())
_OF_NUMPY_ALONE = frozenset(dir(np.float64)).symmetric_difference(dir(float))
_MATCHES = dis.opmap["MATCH_CLASS"]
_TYPE_TESTS = frozenset("isinstance issubclass".split())
_WHOLE_TYPES = frozenset("int Integral Rational integer signedinteger generic".split())


def tells_numbers_apart(code: types.CodeType, scope: dict[str, Any]) -> bool:
    """Whether code may tell numbers of one type from equal ones of another."""
    for one in nested(code):
        names = frozenset(one.co_names)
        if not _TYPES.isdisjoint(names) and not _asks_own_class(one):
            return True
        asks = not _TYPE_TESTS.isdisjoint(names) or _MATCHES in one.co_code[::2]
        if asks and not _WHOLE_TYPES.isdisjoint(names):
            return True
        if not _ATTRIBUTE_TESTS.isdisjoint(names) and not _OF_NUMPY_ALONE.isdisjoint(
            x for x in one.co_consts if isinstance(x, str)
        ):
            return True
        if one.co_exceptiontable and _catches(code_map(one), scope):
            return True
    return False


def is_of_dataclass(code: types.CodeType) -> bool:
    """Whether `dataclasses` has made a method: it compares what the user's code never sees.

    As ``self is other`` in ``__eq__``, since Python 3.13, and in ``__init__`` an argument with what
    stands for one that is not given.
    """
    return code.co_filename == "<string>" and code.co_qualname.startswith("__create_fn__.<locals>.")


def _asks_own_class(code: types.CodeType) -> bool:
    """Whether code asks for no class but that of the object whose method it is, by its name.

    Methods that `dataclasses` has made compare with it, which no number is of.
    """
    if is_of_dataclass(code):
        return True
    around, _, _ = code.co_qualname.rpartition(".")
    if not around or around.endswith("<locals>") or not code.co_argcount:
        return False
    own = code.co_varnames[0]
    steps = [
        step for step in instructions_of(code) if step.opname not in ("NOP", "PRECALL", "PUSH_NULL")
    ]

    def is_own(step: dis.Instruction) -> bool:
        return step.opname.startswith("LOAD_FAST") and step.argval == own

    stores = any(step.opname.startswith("STORE_FAST") and step.argval == own for step in steps)
    return not stores and all(
        (step.argval == "__class__" and is_own(steps[at - 1]))
        or (step.argval == "type" and is_own(steps[at + 1]) and steps[at + 2].arg == 1)
        for at, step in enumerate(steps)
        if step.opname.startswith("LOAD_") and step.argval in _TYPES
    )


_OF_ONE_TYPE_OF_NUMBERS = (ZeroDivisionError, OverflowError, AttributeError, UnboundLocalError)
"""Errors that numbers of one type, or no number, raise alone."""
_ARRAY_TYPES = _WHOLE_TYPES | frozenset(
    """
    Complex Hashable Iterable Number Real Sized Sequence complex complexfloating float float64
    floating inexact isscalar ndarray number
    """.split()
)
_OF_ONE_KIND = frozenset(dir(np.float64)).symmetric_difference(dir(np.ndarray))


def tells_arrays_apart(code: types.CodeType, scope: dict[str, Any]) -> bool:
    """Whether code may tell a number from an array without axes."""
    for one in nested(code):
        names = frozenset(one.co_names)
        asks = not _TYPE_TESTS.isdisjoint(names) or _MATCHES in one.co_code[::2]
        if "isscalar" in names or (asks and not _ARRAY_TYPES.isdisjoint(names)):
            return True
        if not _ATTRIBUTE_TESTS.isdisjoint(names) and not _OF_ONE_KIND.isdisjoint(
            x for x in one.co_consts if isinstance(x, str)
        ):
            return True
        if one.co_exceptiontable and _catches(code_map(one), scope, (TypeError,)):
            return True
    return False


def _catches(
    known: CodeMap, scope: dict[str, Any], errors: Iterable[Any] = _OF_ONE_TYPE_OF_NUMBERS
) -> bool:
    """Whether a handler may be for an error that only some values raise."""
    return any(known.outcome(start, error, scope)[0] for start in known.starts for error in errors)

"""``"%.3f" % v``: Python's old formatting, which would ask traced numbers for their values.

Contract: where an error shows that code formats a traced number so, the constants of that code
that are such templates are exchanged for equal ones, whose text of a traced number is that of
``f"{v:.3f}"``: no other number's, and none that could be read.  What is formatted of plain
values is what it was.
"""

from __future__ import annotations

import dis
import functools
import gc
import logging
import re
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from sparsetrace.capture.apart_functions import is_original
from sparsetrace.capture.apart_pieces import format_by
from sparsetrace.capture.exact_types import shown_as_another
from sparsetrace.capture.patch import Patch, Place
from sparsetrace.capture.session import SESSION
from sparsetrace.numbers.text import formatted_text
from sparsetrace.operands.operands import is_traced
from sparsetrace.user_code.bytecode import instructions, standing_at
from sparsetrace.user_code.object_kinds import CLASS_DICT

__all__ = ["Template", "code_patches", "logging_patches", "patches"]

_SPECIFIERS = re.compile(
    r"%(?P<key>\([^()]*\))?[-#0 +]*(?P<width>\*|\d+)?"
    r"(?:\.(?P<precision>\*|\d+)?)?[hlL]?(?P<kind>.)",
    re.DOTALL,
)
_NUMBERS = frozenset("diouxXeEfFgG")
"""The conversions that ask a number for its value."""


class Template(str):
    """A text that formats traced numbers as ``format`` does; a ``str`` by its type, too.

    Examples
    --------
    >>> Template("%d of %5.1f") % (2, 3)
    '2 of   3.0'
    """

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return str

    def __mod__(self, values: Any) -> str:
        text, plain = str(self), str.__str__(self)
        if isinstance(values, tuple):
            if any(map(is_traced, values)):
                text, values = _with_texts(plain, values)
        elif is_traced(values):
            text, values = _with_texts(plain, (values,))
        elif isinstance(values, dict) and any(map(is_traced, values.values())):
            text, values = _with_named_texts(plain, values)
        return str.__mod__(text, values)


shown_as_another(Template)
format_by(Template)


def _with_texts(template: str, values: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The template and its values, with texts in place of traced numbers."""
    pieces: list[str] = []
    given = list(values)
    at = end = 0
    for found in _SPECIFIERS.finditer(template):
        pieces.append(template[end : found.start()])
        end = found.end()
        specifier = found.group()
        kind = found["kind"]
        if kind != "%":
            at += (found["width"] == "*") + (found["precision"] == "*")
            if at < len(given) and kind in _NUMBERS and is_traced(given[at]):
                text = _text_of(given[at])
                if text is not None and "*" not in specifier:
                    given[at], specifier = text, "%s"
            at += 1
        pieces.append(specifier)
    return "".join([*pieces, template[end:]]), tuple(given)


def _with_named_texts(template: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The same for values by their names, each of which may be shown in several ways."""
    given = dict(values)

    def shown(found: re.Match[str]) -> str:
        name = (found["key"] or "")[1:-1]
        value = values.get(name)
        text = _text_of(value) if found["kind"] in _NUMBERS and is_traced(value) else None
        if text is None:
            return found.group()
        given[f"{name} "] = text  # of a name that no template has beside the other
        return f"%({name} )s"

    return _SPECIFIERS.sub(shown, template), given


def _text_of(value: Any) -> str | None:
    """The text of a traced number, or of an array without dimensions; None for larger ones."""
    if not isinstance(value, np.ndarray):
        return formatted_text(value)
    return formatted_text(value[()]) if value.ndim == 0 else None


# --------------------------------------------------------------------------- records
_MESSAGE = logging.LogRecord.getMessage


def _message(self: logging.LogRecord) -> str:
    given = self.args.values() if isinstance(self.args, dict) else self.args or ()
    if any(map(is_traced, given)):
        return Template(self.msg) % self.args
    return _MESSAGE(self)


def logging_patches() -> list[Patch]:
    """How records make their messages: ``log.info("%g", v)``, which swallows what goes wrong."""
    return [Patch(logging.LogRecord, "getMessage", _MESSAGE, _message)]


# ------------------------------------------------------------------ constants of code
def patches(error: BaseException | None) -> list[Patch]:
    """Templates in the code that an error passed through where that was formatting.

    A function that each run makes anew has them in the code that makes it.
    """
    frames: list[types.FrameType] = []
    is_formatting = False
    traceback = None if error is None else error.__traceback__
    while traceback is not None:
        frames.append(traceback.tb_frame)
        is_formatting = _formats(traceback.tb_frame.f_code, traceback.tb_lasti)
        formats, traceback = is_formatting, traceback.tb_next
        if formats and (traceback is None or _is_ours(traceback.tb_frame)):
            return _patches_in(frames)
    return []


def _is_ours(frame: types.FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "sparsetrace"


def _formats(code: types.CodeType, offset: int) -> bool:
    """Whether code stands at ``a % b``."""
    if dis.opname[code.co_code[offset]] != "BINARY_OP":
        return False
    steps = instructions(code)
    return steps[standing_at(steps, offset)].argrepr in ("%", "%=")


def _patches_in(frames: list[types.FrameType]) -> list[Patch]:
    session = SESSION.get()
    tried = {} if session is None else session.renamed
    inner = frames[-1]
    scope, names = inner.f_globals, inner.f_code.co_names
    found = [
        Patch(scope, name, scope[name], Template(scope[name]))
        for name in names
        if _is_template(scope.get(name))
    ]
    for frame in reversed(frames):
        code = frame.f_code
        if id(code) in tried or not is_original(code):
            continue
        changed = _with_templates(code)
        own = [] if changed is None else list(code_patches(code, changed, frame.f_globals))
        if own:
            tried[id(code)] = code
            return found + own
    return found


def _is_template(value: object) -> bool:
    return type(value) is str and "%" in value


def _with_templates(code: types.CodeType) -> types.CodeType | None:
    """The code, and that in it, with templates in place of the texts that may be such."""
    are_formatted = _formatted(code)
    constants = [
        (_with_templates(value) or value)
        if isinstance(value, types.CodeType)
        else Template(value)
        if _is_template(value) and (are_formatted is None or at in are_formatted)
        else value
        for at, value in enumerate(code.co_consts)
    ]
    if all(new is old for new, old in zip(constants, code.co_consts, strict=True)):
        return None
    return code.replace(co_consts=tuple(constants))


def _formatted(code: types.CodeType) -> set[int] | None:
    """Which constants stand before a ``%``; None if a name does, which may be any of them."""
    steps = instructions(code)
    loads = {_start(step): step for step in steps if step.opname == "LOAD_CONST"}
    found: set[int] = set()
    for step in steps:
        if step.argrepr not in ("%", "%=") or step.opname != "BINARY_OP":
            continue
        load = loads.get(_start(step))
        if load is None or load.arg is None or not _is_template(load.argval):
            return None
        found.add(load.arg)
    return found


def _start(step: dis.Instruction) -> tuple[int | None, int | None]:
    place = step.positions
    return (None, None) if place is None else (place.lineno, place.col_offset)


def code_patches(
    code: types.CodeType, changed: types.CodeType, scope: dict[str, Any]
) -> Iterator[Patch]:
    """Another code for the functions that have this one.

    What the garbage collector was told to skip (`gc.freeze`) is found by the module's globals.
    """
    functions = {}
    for function in (*gc.get_referrers(code), *_functions_in(scope)):
        if type(function) is types.FunctionType and function.__code__ is code:
            functions[id(function)] = function
    for function in functions.values():
        held = Place(
            functools.partial(getattr, function, "__code__"),
            functools.partial(setattr, function, "__code__"),
        )
        yield Patch(held, "", code, changed)


def _functions_in(scope: dict[str, Any]) -> Iterator[Any]:
    """The functions that a module has, and its classes as methods."""
    for value in list(scope.values()):
        if issubclass(type(value), type):
            for method in list(CLASS_DICT(value).values()):
                yield method.__func__ if type(method) in (classmethod, staticmethod) else method
        else:
            yield value

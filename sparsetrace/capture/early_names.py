"""Names that modules bound before a trace began: ``from numpy import zeros``, ``float``, ``max``.

Contract: they are looked for where an error, a branch or a list has shown that they matter,
in the modules of the code on the way there.  What is found is given as patches, in place of
the module's own name; modules of NumPy's, of numba's and of this package keep theirs.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from sparsetrace.capture import (
    array_methods,
    local_conversions,
    registered_functions,
    ufuncs_of_lists,
)
from sparsetrace.capture.apart_functions import is_original
from sparsetrace.capture.builtin_names import CONVERSIONS, NUMPY_CONVERSIONS
from sparsetrace.capture.orderings import ORDERINGS
from sparsetrace.capture.patch import ABSENT, Patch, Place
from sparsetrace.capture.session import SESSION
from sparsetrace.capture.text_templates import code_patches
from sparsetrace.user_code import identity_tests
from sparsetrace.user_code.reach import WATCHED

__all__ = [
    "callers",
    "conversion_patches",
    "ordering_patches",
    "passed",
    "patches",
    "stand_in_for",
    "ufunc_patches",
    "watched_patches",
]

_KEPT = frozenset(("numba", "numpy", "sparsetrace"))
"""Packages whose own modules keep the names that they bound."""
_DRIVER = "sparsetrace.tracing.arguments"


def _is_searched(frame: types.FrameType) -> bool:
    return frame.f_globals.get("__name__", "").partition(".")[0] not in _KEPT


def passed(error: BaseException | None) -> list[types.FrameType]:
    """The frames that an error passed through, outermost first."""
    frames: list[types.FrameType] = []
    traceback = None if error is None else error.__traceback__
    while traceback is not None:
        frames.append(traceback.tb_frame)
        traceback = traceback.tb_next
    return list(filter(_is_searched, frames))


def callers(frame: types.FrameType | None) -> list[types.FrameType]:
    """The frames from this one out to the driver."""
    frames: list[types.FrameType] = []
    while frame is not None and frame.f_globals.get("__name__") != _DRIVER:
        frames.append(frame)
        frame = frame.f_back
    return list(filter(_is_searched, frames))


def _scopes(frames: Iterable[types.FrameType]) -> list[dict[str, Any]]:
    """The globals of the frames, each once."""
    return list({id(frame.f_globals): frame.f_globals for frame in frames}.values())


_CLONE = "array_api_compat.numpy"
"""How the name of a module ends that has all of NumPy's functions under their own names."""


def _clones(frames: Iterable[types.FrameType]) -> list[dict[str, Any]]:
    """What such modules hold that code has as a variable: ``xp.ones(n)``."""
    values = [x for f in frames for x in (*f.f_locals.values(), *f.f_globals.values())]
    modules = [x for x in values if type(x) is types.ModuleType and x.__name__.endswith(_CLONE)]
    return list({id(module): vars(module) for module in modules}.values())


def patches(frames: Iterable[types.FrameType], exchanged: Mapping[int, Patch]) -> Iterator[Patch]:
    """The functions that are exchanged elsewhere, under the names that the frames' modules have.

    Parameters
    ----------
    frames : iterable of frames
    exchanged : mapping
        The patches of these functions, by the id of the original.
    """
    frames = list(frames)
    for scope in _scopes(frames) + _clones(frames):
        for name, value in list(scope.items()):
            replacement = stand_in_for(value, exchanged)
            if replacement is not value:
                yield Patch(scope, name, value, replacement)


def stand_in_for(value: Any, exchanged: Mapping[int, Patch]) -> Any:
    """What is called in place of one of these functions; anything else is given as it is."""
    bound = isinstance(value, types.MethodType)  # logpdf = scipy.stats.norm.logpdf
    function = value.__func__ if bound else value
    patch = exchanged.get(id(function))
    if patch is None or patch.original is not function:
        return value
    return types.MethodType(patch.replacement, value.__self__) if bound else patch.replacement


# ------------------------------------------------------------------- builtins
def conversion_patches(
    frames: list[types.FrameType], error: BaseException | None
) -> Iterator[Patch]:
    """``float``, ``int`` and ``complex`` in modules whose code on the way to an error names them.

    So are NumPy's types that these modules have under a name of their own.

    Where code compares one by identity with what is not ``type(v)``, it is exchanged in those
    functions alone that do nothing but call it; without such, the error says so.
    """
    for plain, stand_in in CONVERSIONS.items():
        yield from _conversion_patches(plain, stand_in, frames, error)
    calls = list(_call_patches(frames, _NEW_NAMES, NUMPY_CONVERSIONS))
    yield from calls
    session = SESSION.get()
    if not calls and session is not None:
        calls = list(local_conversions.patches(frames, NUMPY_CONVERSIONS, session.renamed))
        yield from calls
    if not calls:  # the type itself is handed on: dtype = PRECISION, and dtype(v)
        for plain, stand_in in NUMPY_CONVERSIONS.items():
            yield from _alias_patches(plain, stand_in, frames, error)


_NEW_NAMES = {
    name: identity_tests.new_name(name)
    for name, value in vars(np).items()
    if isinstance(value, type) and value in NUMPY_CONVERSIONS
}
"""By the names of types in NumPy the names of their stand-ins, which no code has."""
_UFUNC_NAMES = {
    name: identity_tests.new_name(name)
    for name, value in vars(np).items()
    if isinstance(value, np.ufunc)
}


def ufunc_patches(frame: types.FrameType) -> list[Patch]:
    """The ufuncs that code calls by name, by other names there: those take lists as arrays.

    Of a function that each run makes anew, that is done in the code that makes it.
    """
    names, stand_ins = _UFUNC_NAMES, ufuncs_of_lists.STAND_INS
    own = list(_call_patches([frame], names, stand_ins))
    return own or list(_call_patches(callers(frame), names, stand_ins))


def _call_patches(
    frames: list[types.FrameType], names: Mapping[str, str], stand_ins: Mapping[Any, Any]
) -> Iterator[Patch]:
    """``np.float64(v)`` in code on the way to an error: it calls the stand-in by another name.

    Parameters
    ----------
    frames : list of frames
    names : mapping
        By what NumPy calls it, the name of each stand-in.
    stand_ins : mapping
        By what is called.
    """
    session = SESSION.get()
    tried = {} if session is None else session.renamed
    for code, scope in {frame.f_code: frame.f_globals for frame in frames}.items():
        if id(code) in tried or not is_original(code):
            continue  # a function that each run makes anew, or what stands for one in this run
        new_names: dict[tuple[str, ...], str] = {}
        for name, value in list(scope.items()):
            if value is np:
                new_names.update(((name, of), new) for of, new in names.items())
            elif isinstance(value, (type, np.ufunc)) and value in stand_ins:
                new_names[name,] = identity_tests.new_name(name)
        renamed = identity_tests.with_calls_by(code, new_names.get)
        exchanged = [] if renamed is None else list(code_patches(code, renamed, scope))
        if not exchanged:
            continue
        tried[id(code)] = code
        yield from exchanged
        for name, *attributes in new_names:
            owner = vars(np) if attributes else scope
            plain = owner[attributes[0] if attributes else name]
            new_name = new_names[name, *attributes]
            yield Patch(owner, new_name, ABSENT, stand_ins[plain])


def _alias_patches(
    plain: type, stand_in: type, frames: list[types.FrameType], error: BaseException | None
) -> list[Patch]:
    """A type of NumPy's under names of modules, unless one compares it by identity."""
    patches = []
    for scope in _scopes(frames):
        names = [name for name, value in list(scope.items()) if value is plain]
        for name in {plain.__name__, *names} if names else ():
            asking = identity_tests.compared(scope, name, exchanged=True, with_types=True)
            if asking is not None:
                if error is not None:
                    _say_once(error, asking, name)
                return []
        patches += [Patch(scope, name, plain, stand_in) for name in names]
    return patches


def _conversion_patches(
    plain: type, stand_in: type, frames: list[types.FrameType], error: BaseException | None
) -> list[Patch]:
    own = plain.__name__
    naming = [f for f in frames if own in f.f_code.co_names or _has_alias(f.f_globals, plain)]
    scopes = [s for s in _scopes(naming) if s.get(own) is not stand_in]
    if not scopes:
        return []
    # a type that one module asks for may be compared in the one that called it
    ids = set(map(id, scopes))
    for scope in _scopes(frames):
        asking = identity_tests.compared(scope, own, exchanged=id(scope) in ids)
        if asking is not None:
            patches = _in_functions(plain, stand_in, naming)
            if error is not None and not patches:
                _say_once(error, asking, own)
            return patches
    return [
        Patch(scope, name, plain, stand_in)
        for scope in scopes
        for name in (own, *(name for name, value in scope.items() if value is plain))
    ]


def _in_functions(plain: type, stand_in: type, frames: list[types.FrameType]) -> list[Patch]:
    """The exchange in the code of functions: there the type is called by another name."""
    name = plain.__name__
    new_name = identity_tests.new_name(name)
    patches = []
    for code, scope in {frame.f_code: frame.f_globals for frame in frames}.items():
        renamed = identity_tests.with_calls_of(code, name, new_name)
        if renamed is None:
            continue
        exchanged = list(code_patches(code, renamed, scope))
        patches += exchanged
        if exchanged:
            patches.append(Patch(scope, new_name, ABSENT, stand_in))
    return patches


def _has_alias(scope: dict[str, Any], plain: type) -> bool:
    """Whether a module has bound the type under another name."""
    return any(value is plain for value in list(scope.values()))


def _say_once(error: BaseException, asking: str, name: str) -> None:
    note = (
        f"{name}(v) is not traced here, because {asking} compares {name} by identity ('is {name}') "
        f"with what is not type(v): write isinstance(v, {name}), type(v) is {name} or '== {name}' "
        "there"
    )
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def ordering_patches(frame: types.FrameType) -> list[Patch]:
    """``max``, ``min`` and ``sorted`` in a module that is about to branch in one."""
    scope, named = frame.f_globals, frame.f_code.co_names
    return [
        Patch(scope, name, ABSENT, stand_in)
        for name, stand_in in ORDERINGS.items()
        if name in named and name not in scope
    ]


# ---------------------------------------------------------------- conversions
_MEMORY = "array asarray ascontiguousarray asfortranarray require".split()
"""Conversions whose original shows the memory of a traced array, and raises no error.

What is written into the copy that they make would be lost, and its bytes could be read.
"""
_BUFFERS = "empty full ones zeros".split()
"""What makes an array in which a traced value may be written."""
WATCHED.update(id(getattr(np, name)) for name in (*_MEMORY, *_BUFFERS))


def watched_patches(places: Iterable[tuple[Callable[[Any], None], Any]]) -> list[Patch]:
    """These conversions, functions with a user's rule and bound methods of ordinary arrays.

    That is wherever the function holds them: in containers, as defaults, in closures.

    Parameters
    ----------
    places : iterable of pairs
        How to assign to each, and the function that is there.
    """
    return [
        Patch(Place(functools.partial(_same, function), assign), "", function, _stand_in(function))
        for assign, function in places
    ]


def _stand_in(function: Any) -> Any:
    """What is exchanged for a function while a trace runs."""
    if isinstance(getattr(function, "__self__", None), np.ndarray):
        return array_methods.bound_to_array(function)
    wrapper = registered_functions.wrapper_of(function)
    return getattr(np, function.__name__) if wrapper is None else wrapper


def _same(item: object) -> Any:
    return item

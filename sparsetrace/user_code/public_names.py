"""The name by which users know a function: ``scipy.stats.zscore``, wherever it is defined.

Contract: reads modules that are loaded and runs none of their code.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable
from typing import Any

from sparsetrace.user_code.frames import is_own

__all__ = ["public_name", "public_name_in"]


def public_name(function: Any) -> str:
    """The dotted name of a function, by way of the public module that shows it.

    Examples
    --------
    >>> import scipy.stats, numpy as np
    >>> public_name(scipy.stats.zscore), public_name(np.linalg.inv)
    ('scipy.stats.zscore', 'np.linalg.inv')
    >>> public_name(np.ndarray.sort)
    'np.ndarray.sort'
    """
    owner = getattr(function, "__objclass__", None)
    module = getattr(function, "__module__", None) or getattr(owner, "__module__", None)
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    if not isinstance(name, str):
        return repr(function)
    if "<locals>" in name:
        name = str(getattr(function, "__name__", name))
    if not isinstance(module, str) or module in ("builtins", "__main__"):
        return name
    return _short(_shown(module, name) or f"{module}.{name}")


def public_name_in(frames: Iterable[types.FrameType]) -> str:
    """That of the outermost of these frames whose function a public module shows.

    A decorator's wrapper is known by the function that it wraps, a method by its object's class.
    """
    frames = list(frames)
    for frame in frames:
        module = str(frame.f_globals.get("__name__", ""))
        shown = _wrapping(frame) or _method(frame) or _shown(module, _qualified(frame))
        if shown:
            return _short(shown)
    frame = frames[0]
    module = str(frame.f_globals.get("__name__", "?"))
    return _short(f"{module}.{_qualified(frame)}")


def _short(name: str) -> str:
    name = f"np.{name[6:]}" if name.startswith("numpy.") else name
    return name.removesuffix(".__init__").removesuffix(".__call__")


def _qualified(frame: types.FrameType) -> str:
    """The name of a frame's function in its module; of one in another function the other's."""
    module = str(frame.f_globals.get("__name__", ""))
    name = frame.f_code.co_qualname.removeprefix(f"{module}.")  # Cython says the module too
    return name.partition(".<locals>")[0]


def _method(frame: types.FrameType) -> str | None:
    """The name of a method by the class of its object; None of other functions."""
    code = frame.f_code
    if not code.co_argcount:
        return None
    of = frame.f_locals.get(code.co_varnames[0])
    if is_own(code) and "_plain" in getattr(of, "__dict__", {}):
        return public_name(vars(of)["_plain"])
    if code.co_name == "__new__" and isinstance(of, type):
        return public_name(getattr(of, "_plain", of))  # what a stand-in is called by
    return _of_class(type(of), code.co_name, code)


def _of_class(cls: type, name: str, code: types.CodeType) -> str | None:
    """The name of a method by a class whose objects have it; None if they have another one."""
    defined = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), 0)
    if getattr(getattr(defined, "__func__", defined), "__code__", None) is not code:
        return None
    return _shown(cls.__module__, f"{cls.__qualname__}.{name}", of=cls)


def _wrapping(frame: types.FrameType) -> str | None:
    """The public name of what a wrapper, in whose frame we are, stands for."""
    if "<locals>" not in frame.f_code.co_qualname:
        return None
    values, names = list(frame.f_locals.values()), frame.f_code.co_varnames
    first = frame.f_locals.get(names[0]) if names else None
    of = first[0] if type(first) is tuple and first else first  # of *args
    for value in values:
        if isinstance(value, types.MethodDescriptorType) and is_own(frame.f_code):
            return f"{value.__objclass__.__module__}.{value.__qualname__}"
        if isinstance(value, types.FunctionType):
            shown = _of_class(type(of), value.__name__, frame.f_code)
            if shown is not None:
                return shown
            shown = _shown(str(value.__module__), value.__qualname__)
            if shown and getattr(_value(shown), "__code__", None) is frame.f_code:
                return shown
    return None


def _shown(module: str, name: str, of: type | None = None) -> str | None:
    """The dotted name in the public module with the shortest name; None where none has such a name.

    A method that a class inherits is not among what that class itself holds: `of` is the class.
    """
    public = ".".join(part for part in module.split(".") if not part.startswith("_"))

    def held_by(package: str) -> Any:
        shown = f"{package}.{name}"
        return _value(shown if of is None else shown.rpartition(".")[0])

    parts = public.split(".")
    packages = [".".join(parts[:n]) for n in range(1, len(parts) + 1)]
    held = {package: held_by(package) for package in packages if package in sys.modules}
    wanted = next((x for x in (of, held_by(module), held_by(public)) if x is not None), None)
    nearest = next((p for p, item in held.items() if item is wanted is not None), None)
    if nearest is None and of is None and held.get(public) is not None:
        nearest = public  # where something stands for it now
    return None if nearest is None else f"{nearest}.{name}"


def _value(name: str) -> Any:
    """What a dotted name stands for, by what modules and classes hold; None if nothing."""
    parts = name.split(".")
    at = next((n for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in sys.modules), 0)
    value: Any = sys.modules.get(".".join(parts[:at]))
    for part in parts[at:]:
        value = getattr(value, "__dict__", {}).get(part)
    return value

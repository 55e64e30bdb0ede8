"""Whose code a frame or a file is: the user's, a library's, or this package's.

Contract: told by files and never by the names of modules, since what ``exec`` made is the
user's, whatever its module is called.  Two questions are answered elsewhere, because more
counts there: whether an error is a library's doing (`sparsetrace.capture.escape_errors`,
where installed code may be the user's own), and who gets a plain array
(`sparsetrace.capture.session`).
"""

from __future__ import annotations

import os
import sys
import types
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy

__all__ = [
    "STANDARD",
    "Place",
    "by_user",
    "is_cythons",
    "is_library_code",
    "is_library_file",
    "is_own",
    "outside_entries",
    "outside_frame",
    "place_of",
    "user_frame",
    "user_location",
    "user_place",
]


def _folder(path: str) -> str:
    """As the files of code are named, which is as the module was found: `"../lib"` stays."""
    return os.path.dirname(path) + os.sep


PACKAGE = os.path.dirname(_folder(__file__)[:-1]) + os.sep
"""The folder of this package."""
STANDARD = _folder(os.__file__)
"""The folder of Python's own modules, in which installed ones have one too."""
_CYTHON = (
    ".pyx",
    ".pxd",
    ".pxi",
    ".pyx.tp",
    ".pxi.tp",
    ".pxi.in",
    "<stringsource>",
    "View.MemoryView",
)
"""How the names of files end whose frames are those of Cython."""
_LIBRARIES = (_folder(np.__file__), _folder(scipy.__file__), PACKAGE, "<frozen ")
_COMPILED = tuple(
    f"{os.sep}{name}{os.sep}"
    for name in ("jax", "numba", "pandas", "sklearn", "tensorflow", "torch")
)
"""Installed packages that are largely compiled."""


@lru_cache(maxsize=4096)
def is_library_file(name: str) -> bool:
    """Whether a file is Python's, NumPy's, SciPy's, or of a library that is largely compiled.

    Examples
    --------
    >>> is_library_file(np.__file__), is_library_file("model.py")
    (True, False)
    """
    if name.startswith(_LIBRARIES) or name.endswith(_CYTHON):
        return True
    if "site-packages" in name or "dist-packages" in name:
        return any(word in name for word in _COMPILED)
    return name.startswith(STANDARD)


def is_library_code(code: types.CodeType) -> bool:
    """The same of the file that code came from."""
    return is_library_file(code.co_filename)


def is_own(code: types.CodeType) -> bool:
    """Whether code is this package's."""
    return code.co_filename.startswith(PACKAGE)


def is_cythons(code: types.CodeType) -> bool:
    """Whether code is none: what stands in a traceback for the source of compiled code.

    It has no names, whatever Cython calls the file.
    """
    if code.co_filename.endswith(_CYTHON):
        return True
    return not (code.co_names or code.co_consts or code.co_varnames)


def by_user(frame: types.FrameType) -> bool:
    """Whether code of the user's runs in a frame, or has called compiled code there."""
    return not is_library_file(frame.f_code.co_filename)


def outside_frame(frame: types.FrameType) -> types.FrameType:
    """The innermost frame, from this one outwards, that is not of this package."""
    result: types.FrameType | None = frame
    while result is not None and is_own(result.f_code):
        frame, result = result, result.f_back
    return frame if result is None else result


def outside_entries(error: BaseException) -> list[types.TracebackType]:
    """The entries of the traceback, outermost first, those of the driver left out."""
    result: list[types.TracebackType] = []
    traceback = error.__traceback__
    while traceback is not None:
        result.append(traceback)
        traceback = traceback.tb_next
    while result and is_own(result[0].tb_frame.f_code):
        del result[0]
    return result


def user_frame(frame: types.FrameType | None = None) -> types.FrameType | None:
    """The innermost frame of the user's code; None without.

    Parameters
    ----------
    frame : frame, optional
        Where to start looking outwards; the caller by default.
    """
    frame = frame or sys._getframe(1)
    while frame is not None and not by_user(frame):
        frame = frame.f_back
    return frame


class Place(NamedTuple):
    """A line of code: its file, its number, and the function that it stands in.

    Examples
    --------
    >>> str(Place("model.py", 12, "f"))
    'model.py:12 (in f)'
    """

    filename: str
    lineno: int
    function: str

    def __str__(self) -> str:
        return f"{self.filename}:{self.lineno} (in {self.function})"


def place_of(entry: types.TracebackType) -> Place:
    """Where the code of an entry of a traceback stands."""
    code = entry.tb_frame.f_code
    return Place(code.co_filename, entry.tb_lineno, code.co_name)


def user_place(frame: types.FrameType | None = None) -> Place | None:
    """Where the innermost frame of the user's code stands; None without."""
    frame = user_frame(frame or sys._getframe(1))
    if frame is None:
        return None
    return Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def user_location() -> str:
    """The same in words.

    Returns
    -------
    str
        ``'file.py:12 (in f)'``, or ``'an unknown place'`` if no frame qualifies.

    Examples
    --------
    >>> ":1 (in" in user_location()
    True
    """
    return str(user_place(sys._getframe(1)) or "an unknown place")

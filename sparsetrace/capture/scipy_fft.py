"""``scipy.fft`` on traced arrays, by its backend protocol (``scipy.fft.set_backend``).

Contract: the backend is set for the tracing thread while the trace runs, and for runs after one
that has loaded the module.  The Fourier transforms go to the rules of ``np.fft``; the cosine and
sine transforms are products with their matrix, whose zeros count.  What has no rule is refused by
name.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import numpy as np

from sparsetrace.dispatch.function_rules import current
from sparsetrace.dispatch.overwritten import heed_overwriting
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.operands import contains_traced, is_traced

__all__ = ["Backend"]

_FOURIER = frozenset(
    "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split()
)
_HERMITIAN = frozenset("hfft2 ihfft2 hfftn ihfftn".split())
_TRIGONOMETRIC = frozenset("dct idct dst idst dctn idctn dstn idstn".split())
_DROPPED = ("overwrite_x", "workers", "plan")
_LARGEST_MATRIX = 512
_ZERO = 1e-10
"""Entries of a transform's matrix below this are rounding errors of zeros."""


class _Backend:
    """What ``scipy.fft.set_backend`` takes."""

    __ua_domain__ = "numpy.scipy.fft"

    @staticmethod
    def __ua_function__(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not contains_traced([*args, *kwargs.values()]):
            return NotImplemented
        result = _transformed(method.__name__, args, kwargs)
        heed_overwriting(current(), method, args, kwargs)
        return result


def _transformed(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if name in _FOURIER:
        return _fourier(name, *args, **kwargs)
    if name in _HERMITIAN:
        return _hermitian(name, *args, **kwargs)
    if name in _TRIGONOMETRIC:
        return _trigonometric(name, *args, **kwargs)
    raise UnsupportedError(
        explain(
            f"scipy.fft.{name}",
            "this transform has no rule, and without one a dependency could be lost",
            "Write it with scipy.fft.fft, or as a product with its matrix.",
        )
    )


def _hermitian(name: str, x: object, *args: Any, **kwargs: Any) -> Any:
    """Transforms of several axes, of which the last one has half of a Hermitian sequence."""
    options = _options(name, args, kwargs)
    array = _array(x)
    ends = (-2, -1) if name.endswith("2") else range(-array.ndim, 0)
    *axes, last = options.get("axes", tuple(ends))
    *lengths, length = options.get("s", (None,) * (len(axes) + 1))
    norm = options.get("norm")
    others: dict[str, Any] = {"axes": tuple(axes), "norm": norm}
    if None not in lengths:
        others["s"] = tuple(lengths)
    if name.startswith("i"):
        array = np.fft.ihfft(array, length, last, norm)
        return np.fft.ifftn(array, **others) if axes else array
    array = np.fft.fftn(array, **others) if axes else array
    return np.fft.hfft(array, length, last, norm)


def _options(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a transform by the names that NumPy has for them."""
    several = name.endswith(("2", "n"))
    names = ("s" if several else "n", "axes" if several else "axis", "norm", *_DROPPED[:2])
    options = dict(zip(names, args, strict=False)) | kwargs
    options = {k: v for k, v in options.items() if k not in _DROPPED and v is not None}
    for key in {"s", "axes"}.intersection(options):
        options[key] = _several(options[key])
    if "s" in options and "axes" not in options:
        options["axes"] = tuple(range(-len(options["s"]), 0))
    return options


def _fourier(name: str, x: object, *args: Any, **kwargs: Any) -> Any:
    options = _options(name, args, kwargs)
    result = getattr(np.fft, name)(_array(x), **options)
    return result if result.flags.c_contiguous else result.copy()  # as SciPy lays it out


def _several(x: object) -> Any:
    """Lengths or axes, of which SciPy takes one alone as well."""
    return (x,) if isinstance(x, (int, np.integer)) else x


def _trigonometric(name: str, x: object, *args: Any, **kwargs: Any) -> Any:
    several = name.endswith("n")
    names = ("type", "s" if several else "n", "axes" if several else "axis", "norm")
    options = dict(zip((*names, *_DROPPED[:2]), args, strict=False)) | kwargs
    array = _array(x)
    axes, lengths = options.get(names[2]), options.get(names[1])
    if not several:
        axes, lengths = [-1 if axes is None else axes], [lengths]
    elif axes is None:
        count = array.ndim if lengths is None else len(_several(lengths))
        axes = range(array.ndim - count, array.ndim)
    axes = list(np.atleast_1d(axes))
    lengths = [None] * len(axes) if lengths is None else _several(lengths)
    kept = ("type", "norm", "orthogonalize")
    wanted: dict[str, Any] = {k: options[k] for k in kept if k in options}
    single = getattr(sys.modules["scipy.fft"], name.removesuffix("n"))
    for axis, length in zip(axes, lengths, strict=True):
        array = _along(single, array, int(axis), length, wanted)
    return array


def _along(single: Any, array: Any, axis: int, length: Any, options: dict[str, Any]) -> Any:
    moved = np.moveaxis(array, axis, -1)
    size = moved.shape[-1]
    n = size if length is None else int(length)
    if n <= _LARGEST_MATRIX and size <= _LARGEST_MATRIX:
        matrix = single(np.eye(size), n=n, axis=-1, **options)
        matrix[np.abs(matrix) < _ZERO * np.abs(matrix).max()] = 0.0
        result = moved @ matrix
    else:
        total = moved[..., :n].sum(axis=-1, keepdims=True)
        result = np.repeat(total, n, axis=-1)
    return np.moveaxis(result, -1, axis)


def _array(x: Any) -> Any:
    return x if is_traced(x) else np.stack([np.asarray(item) for item in x])


class Backend(AbstractContextManager["Backend"]):
    """The backend of this thread, set as soon as the program has loaded ``scipy.fft``."""

    __slots__ = ("_is_set", "_stack")

    def __init__(self) -> None:
        self._stack, self._is_set = ExitStack(), False

    def __enter__(self) -> Backend:
        self.set()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def set(self) -> bool:
        """Set it, if the module is loaded by now; whether it was not before."""
        module = sys.modules.get("scipy.fft")
        if self._is_set or module is None:
            return False
        self._stack.enter_context(module.set_backend(_Backend))
        self._is_set = True
        return True

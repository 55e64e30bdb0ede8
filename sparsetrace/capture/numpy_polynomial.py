"""``numpy.polynomial`` with traced coefficients: its Python code, run on traced arrays.

Contract: its functions and classes ask no protocol, and make arrays of floats of what
they are given.  Calls with traced numbers run copies that make traced arrays instead.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

from numpy import polynomial
from numpy.polynomial import polyutils

from sparsetrace.capture.patch import Patch
from sparsetrace.capture.session import answering
from sparsetrace.operands.implementations import rebound_method

__all__ = ["patches"]

_CLASSES = (
    polynomial.Polynomial,
    polynomial.Chebyshev,
    polynomial.Legendre,
    polynomial.Hermite,
    polynomial.HermiteE,
    polynomial.Laguerre,
)


def _function(original: Callable[..., Any]) -> Callable[..., Any]:
    def copied(*args: Any, **kwargs: Any) -> Any:
        return rebound_method(original)(*args, **kwargs)

    call = answering(original, copied)
    call._captures = True  # type: ignore[attr-defined]
    return call


def patches() -> Iterator[Patch]:
    """The functions of ``numpy.polynomial``, and the methods of its classes that are the same."""
    wrappers: dict[Any, Any] = {}
    modules = [getattr(polynomial, c.__module__.rpartition(".")[2]) for c in _CLASSES]
    for module in (*modules, polyutils):
        for name in module.__all__:
            original = getattr(module, name)
            if isinstance(original, types.FunctionType) and original.__module__ == module.__name__:
                wrappers[original] = _function(original)
                yield Patch(module, name, original, wrappers[original])
    for cls in _CLASSES:
        for name, method in vars(cls).items():
            if isinstance(method, staticmethod) and method.__func__ in wrappers:
                yield Patch(cls, name, method, staticmethod(wrappers[method.__func__]))

"""``numpy.polynomial`` with traced coefficients: its Python code, run on traced arrays.

Contract: its functions and classes ask no protocol, and make arrays of floats of what
they are given.  Calls with traced numbers run copies that make traced arrays instead.
``np.poly1d`` keeps a traced leading coefficient, as these classes do: it is zero at few points.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy import polynomial
from numpy.polynomial import polyutils

from sparsetrace.capture import numpy_constructors
from sparsetrace.capture.patch import Patch
from sparsetrace.capture.session import SESSION, answering
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.operands.implementations import rebound_method
from sparsetrace.operands.operands import is_traced

__all__ = ["of_coefficients", "patches", "poly1d_patches"]

_CLASSES = (
    polynomial.Polynomial,
    polynomial.Chebyshev,
    polynomial.Legendre,
    polynomial.Hermite,
    polynomial.HermiteE,
    polynomial.Laguerre,
)


_POLYVAL, _ROOTS = np.polyval, np.roots


def _function(original: Callable[..., Any]) -> Callable[..., Any]:
    def copied(*args: Any, **kwargs: Any) -> Any:
        return rebound_method(original)(*args, **kwargs)

    call = answering(original, copied)
    call._captures = True  # type: ignore[attr-defined]
    return call


def poly1d_patches(group: str) -> list[Patch]:
    """What ``np.poly1d`` calls, and what NumPy asks it for, given one in place of an array.

    Parameters
    ----------
    group : str
        The group of patches that hands over its coefficients.
    """
    module: Any = sys.modules[np.poly1d.__init__.__globals__["__name__"]]
    trim, divide, as_array = module.trim_zeros, module.polydiv, np.poly1d.__array__

    def trim_zeros(filt: Any, *args: Any, **kwargs: Any) -> Any:
        filt = numpy_constructors.as_array(filt)
        if not is_traced(filt) or filt._trace.local:
            return trim(filt, *args, **kwargs)
        rest = np.flatnonzero(~filt._trace.graph.zeros_among(filt._ids))
        return filt[rest[0] if rest.size else len(filt) :]

    def __array__(self: Any, *args: Any, **kwargs: Any) -> Any:
        session = SESSION.get()
        if session is not None and is_traced(self.coeffs):
            session.need(group)
            raise UnsupportedError(
                explain(
                    "np.poly1d in place of an array",
                    "its coefficients depend on the inputs",
                    "Use its coeffs.",
                )
            )
        return as_array(self, *args, **kwargs)

    return [
        Patch(vars(module), "trim_zeros", trim, trim_zeros),  # there alone, by no other name
        Patch(module, "polydiv", divide, lambda u, v: of_coefficients(divide, (u, v), {})),
        Patch(np.poly1d, "__array__", as_array, __array__),
    ]


def of_coefficients(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What a function gives of polynomials, ``np.poly1d``: by their coefficients."""
    if function is _POLYVAL and type(args[1]) is np.poly1d:
        composed = np.poly1d(0.0)
        for coefficient in getattr(args[0], "coeffs", args[0]):
            composed = composed * args[1] + coefficient
        return composed
    result = function(*(getattr(x, "coeffs", x) for x in args), **kwargs)
    if type(result) is tuple:
        return tuple(map(np.poly1d, result))
    return result if function in (_POLYVAL, _ROOTS) else np.poly1d(result)


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

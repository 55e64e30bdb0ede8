"""NumPy's functions given Python lists of traced numbers: ``np.mean([x[0], x[1]])``.

Contract: for a list NumPy asks no protocol; it would make an array of objects of it, and
compute with these.  The functions are exchanged once a traced number was about to become
an element of such an array, and the trace runs again.  Functions without lists pay nothing.
"""

from __future__ import annotations

import dis
import sys
import types
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.testing.overrides import get_overridable_numpy_array_functions

from sparsetrace.capture import numpy_constructors, numpy_polynomial
from sparsetrace.capture.numpy_constructors import SHAPES, as_array, decided_counts
from sparsetrace.capture.patch import Patch, named_like
from sparsetrace.capture.session import SESSION, is_library
from sparsetrace.context import CURRENT, Trace
from sparsetrace.dispatch.calls import function_call
from sparsetrace.dispatch.out_arguments import out_position
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.numpy_rules.array_manipulation import VIEWING
from sparsetrace.numpy_rules.python_ufuncs import is_of_python
from sparsetrace.operands.operands import (
    answers_functions,
    contains_traced,
    holds_objects,
    is_of_numbers,
    is_sparse_traced,
    own_methods,
)
from sparsetrace.user_code.callers import called
from sparsetrace.user_code.frames import by_user

__all__ = [
    "MODULE",
    "answers_itself",
    "called_with_arrays",
    "later_patches",
    "patches",
    "refuse_objects",
]

MODULE = "numpy of sequences"
"""The name of the group of patches, which is no module's."""

_FIRST = ((0,), ("arrays", "tup", "keys", "sample"))
_OF_ARRAYS: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    **dict.fromkeys("column_stack concatenate dstack histogramdd hstack lexsort".split(), _FIRST),
    **dict.fromkeys("multi_dot stack vstack".split(), _FIRST),
    "choose": ((1,), ("choices",)),
    "piecewise": ((1, 2), ("condlist", "funclist")),
    "select": ((0, 1), ("condlist", "choicelist")),
}
"""Which arguments of a function are several arrays in one sequence: positions, and names."""

_OF_POLYNOMIALS = frozenset(
    (np.polyadd, np.polyder, np.polydiv, np.polyint, np.polymul, np.polysub, np.polyval, np.roots)
)
"""What takes ``np.poly1d`` for an array of coefficients, and gives one again where it can."""

_DECIDING = ("_is_matrix", "_is_view")
_METHODS = {"around": "round"}
"""The methods that functions of other names call where an object has them."""
_SELECT = np.select
_LEFT = frozenset("astype block copyto fill_diagonal place put put_along_axis putmask".split())
"""What takes no lists, finds traced numbers within them, or writes into its argument."""


def _holds_others(x: Any) -> bool:
    """Whether this is an array of objects that are no numbers: arrays, or text."""
    return holds_objects(x) and not is_of_numbers(x)


def _is_no_view(x: Any) -> bool:
    """Whether this holds traced elements, and NumPy's own views of it would hold no objects."""
    return not holds_objects(x) and contains_traced(x)


def _arrays(x: Any) -> Any:
    if _holds_others(x):
        return list(x)
    x = list(x) if type(x) is deque else x
    return type(x)(map(as_array, x)) if type(x) in (list, tuple) else x


def answers_itself(x: object) -> bool:
    """Whether NumPy hands a call over to this operand, or one in a list, before traced arrays."""
    if isinstance(x, (list, tuple)):
        return any(map(answers_itself, x))
    if isinstance(x, np.ma.MaskedArray) or getattr(type(x), "_is_picked", False):
        return True
    if is_sparse_traced(x):  # by its methods, or as one object
        return True
    cls: Any = type(x)
    if any(getattr(cls, name, False) is True for name in _DECIDING):
        return True
    return answers_functions(cls) or bool(own_methods(cls))


def called_with_arrays(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What a function of NumPy's gives, with arrays in place of lists of traced numbers.

    NumPy does not look at all arguments before it hands a call over.
    """
    if function in _OF_POLYNOMIALS and any(type(x) is np.poly1d for x in args):
        return numpy_polynomial.of_coefficients(function, args, kwargs)
    if function in VIEWING and not any(map(_is_no_view, (*args, *kwargs.values()))):
        return function(*args, **kwargs)
    places, names = _OF_ARRAYS.get(function.__name__, ((), ()))
    shape_at, shape_names = SHAPES.get(function.__name__, (None, ()))
    by = _METHODS.get(function.__name__, function.__name__)

    def operand(x: Any, place: int | str) -> Any:
        if place == shape_at or place in shape_names:
            return decided_counts(x)
        if place == target or place == "out":  # what is written into another array would be lost
            return x
        return _arrays(x) if place in places or place in names else as_array(x, by)

    target = out_position(function)
    args = tuple(operand(x, i) for i, x in enumerate(args))
    kwargs = {k: operand(x, k) for k, x in kwargs.items()}
    every = (*args, *kwargs.values())
    if any(map(_holds_others, every)):
        return function(*args, **kwargs)
    if any(map(answers_itself, every)) or not contains_traced(every):
        return function(*args, **kwargs)
    return function_call(trace, function, args, kwargs)


def _function(original: Callable[..., Any]) -> Callable[..., Any]:
    @named_like(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        trace = CURRENT.get()
        if trace is None or SESSION.get() is None or is_library(sys._getframe(1)):
            return original(*args, **kwargs)
        return called_with_arrays(trace, original, args, kwargs)

    call._captures = True  # type: ignore[attr-defined]
    return call


def patches() -> list[Patch]:
    """``np.select`` and ``np.poly1d``, which are exchanged from the start.

    NumPy hands a call over for its conditions and choices alone, and would make an array of
    objects of a traced default.
    """
    polynomials = numpy_polynomial.poly1d_patches(MODULE)
    return [Patch(np, "select", _SELECT, _function(_SELECT)), *polynomials]


def refuse_objects(frame: types.FrameType) -> None:
    """Raise where a ufunc makes an array of objects of a list of traced numbers.

    Parameters
    ----------
    frame : frame
        Of the code that runs the ufunc, by its name or by an operator.
    """
    operation = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    if operation in ("BINARY_OP", "COMPARE_OP"):
        name = "an operator between an array and a list"
    elif operation.startswith(("CALL", "PRECALL")):
        function = called(frame)
        ufunc = getattr(function, "__self__", function)
        if not isinstance(ufunc, np.ufunc) or is_of_python(ufunc):
            return
        name = f"np.{ufunc.__name__} of a list"
    else:
        return
    if by_user(frame):
        raise UnsupportedError(
            explain(
                name,
                "NumPy makes an array of objects of traced numbers in a list, and some code here "
                "asks for a dtype",
                "Make an array of the list first: np.array([a, b]).",
            )
        )


def later_patches() -> list[Patch]:
    """All other functions, exchanged once a list is given to one."""
    taken = {_SELECT, *(patch.original for patch in numpy_constructors.patches())}
    wanted = get_overridable_numpy_array_functions() - taken
    made: list[Patch] = []
    wrappers: dict[Any, Any] = {}
    for module in (np, np.linalg, np.fft, np.lib.scimath, np.lib.stride_tricks):
        for name, original in vars(module).items():
            if callable(original) and original in wanted and original.__name__ not in _LEFT:
                wrapper = wrappers.setdefault(original, _function(original))
                made.append(Patch(module, name, original, wrapper))
    return [*made, *numpy_polynomial.patches()]

"""The classes of sparse arrays with traced data, and how objects of them are made.

Contract: for each class of SciPy's there is a subclass (`traced_class`) whose objects hold
`SparseElements` alone.  Its methods come from the other modules of this folder, which register
them (`methods`); every other attribute and method of SciPy's is refused by name, so that none
of SciPy's code that reads elements is inherited.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

import numpy as np
import scipy.sparse

from sparsetrace.arrays.matrices import TracedMatrix
from sparsetrace.errors import UnsupportedError, ValueDependentError, explain
from sparsetrace.operands.constants import chosen_values
from sparsetrace.operands.operands import (
    contains_traced,
    is_sparse_traced,
    is_traced,
    values_of,
)
from sparsetrace.scipy_rules.rule_tools import current
from sparsetrace.scipy_rules.sparse.elements import (
    ALIGNED,
    SparseElements,
    elements_of_sparse,
    gathered,
    traced,
)

__all__ = [
    "assembled",
    "become",
    "dense_result",
    "known",
    "made_into",
    "methods",
    "moved",
    "operated",
    "refuse",
    "refuse_dependent",
    "traced_class",
    "values_at_point",
]

_METHODS: dict[str, Any] = {}
"""What the classes have of this package's, by name."""
_DENSE = "Use A.toarray(), or functions of A.data."


def methods(holder: type) -> type:
    """Decorate a class whose attributes are to be those of all sparse arrays with traced data."""
    _METHODS.update({name: x for name, x in vars(holder).items() if name not in _OF_EVERY_CLASS})
    return holder


_OF_EVERY_CLASS = frozenset(
    "__module__ __doc__ __dict__ __weakref__ __annotations__ __firstlineno__ "
    "__static_attributes__ __qualname__ __slots__".split()
)


def operated(name: str, matrix, *args, **options) -> Any:
    """What a method gives for a matrix of SciPy's own, as for one with traced data."""
    return _METHODS[name](matrix, *args, **options)


# ------------------------------------------------------------------------- refusals
def refuse(call: str, problem: str, remedy: str = _DENSE) -> NoReturn:
    """Raise the error of what has no rule."""
    raise UnsupportedError(explain(call, problem, remedy))


def refuse_dependent(call: str, problem: str, remedy: str = _DENSE) -> NoReturn:
    """Raise the error of what the values decide."""
    raise ValueDependentError(explain(call, problem, remedy))


def known(x, call: str, problem: str, remedy: str = _DENSE) -> Any:
    """Indices or a shape, where all that is traced in them is constant.

    As in a column of an array into which traced values were written elsewhere.
    """
    if not contains_traced(x):
        return x
    if isinstance(x, (list, tuple)):
        return type(x)(known(item, call, problem, remedy) for item in x)
    values = chosen_values(current(), x)
    if values is None:
        refuse_dependent(call, problem, remedy)
    return values if values.ndim else values[()]


def _refusing(cls: type, name: str) -> Callable[..., NoReturn]:
    def method(self, *args, **kwargs) -> NoReturn:
        refuse(_entry(f"{cls.__name__}.{name}"), "it has no rule for traced data")

    return method


def _entry(method: str) -> str:
    """The function of SciPy's that the user's code has called, if it was not this method."""
    frame: Any = sys._getframe(2)
    name = method
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("scipy."):
            public = ".".join(step for step in module.split(".") if not step.startswith("_"))
            name = f"{public}.{frame.f_code.co_name}"
        elif not module.startswith("sparsetrace."):
            break
        frame = frame.f_back
    return name


# ------------------------------------------------------------------------- the classes
_FROM_STRUCTURE = (
    "indices indptr coords row col offsets blocksize rows has_canonical_format "
    "has_sorted_indices maxprint _shape _shape_as_2d"
).split()
_KEPT = frozenset(
    "__init__ __new__ __getattribute__ __init_subclass__ __class_getitem__ format _format "
    "_allow_nd _swap _bsr_container _coo_container _csc_container _csr_container _dia_container "
    "_dok_container _lil_container _container _ascontainer".split()
)
"""What SciPy's classes have, and does not look at elements."""


def _of_structure(name: str) -> property:
    def get(self) -> Any:
        return getattr(self._parts.structure, name)

    def put(self, value) -> None:
        refuse(f"A.{name} =", "the structure is kept", "Make a new array.")

    return property(get, put)


def _methods_of(empty: object) -> dict[str, Any]:
    """The methods of `_METHODS` that such an object of SciPy's has: ``hasattr`` tells."""
    private = {name for name in _METHODS if name.startswith("_")} - {"__getitem__", "__setitem__"}
    return {name: x for name, x in _METHODS.items() if name in private or hasattr(empty, name)}


@cache
def _made_class(cls) -> Any:
    if not cls.__module__.startswith("scipy.sparse"):
        refuse(
            f"traced data in a {cls.__name__}",
            "a subclass may compute in a way of its own",
            "Use the classes of scipy.sparse.",
        )
    empty = cls((1, 1))
    namespace = _methods_of(empty)
    namespace |= {"__module__": __name__, "_is_sparse_traced": True}
    for name in _FROM_STRUCTURE:
        if hasattr(empty, name):
            namespace[name] = _of_structure(name)
    for name in dir(cls):
        static = inspect.getattr_static(cls, name)
        if name in _KEPT or name in namespace or static is vars(object).get(name):
            continue
        if isinstance(static, property):
            namespace[name] = property(_refusing(cls, name))
        elif callable(static) or isinstance(static, (staticmethod, classmethod)):
            namespace[name] = _refusing(cls, name)
    namespace["__class__"] = property(lambda self: cls)  # what ``isinstance`` is told
    return type(cls.__name__, (cls,), namespace)


def traced_class(cls: type) -> Any:
    """The subclass of one of SciPy's classes whose objects have traced data.

    Raises
    ------
    UnsupportedError
        For classes that are not SciPy's own.
    """
    return _made_class(cls)


# ------------------------------------------------------------------------- objects of them
def assembled(result) -> Any:
    """What the function gets: a sparse array of `SparseElements`, or an array as it is."""
    if not isinstance(result, SparseElements):
        return result
    if not is_traced(result.elements):
        return _plain(result, result.elements)
    cls = traced_class(type(result.structure))
    made = cls.__new__(cls)
    made.__dict__["_parts"] = result
    return made


def moved(matrix, move: Callable[[Any], Any], *, merge: bool = True) -> Any:
    """What a function that moves elements makes of a sparse array with traced data."""
    return assembled(matrix._parts.moved(move, merge=merge))


def become(matrix, parts: SparseElements) -> None:
    """Let a matrix, of SciPy's own or with traced data, be made of these from now on."""
    if not is_sparse_traced(matrix):
        cls = traced_class(type(matrix))
        matrix.__dict__.clear()
        matrix.__class__ = cls
    matrix.__dict__["_parts"] = parts


def made_into(matrix) -> None:
    """Let a constant array be one with traced data, of the same elements."""
    parts = elements_of_sparse(matrix)
    become(matrix, SparseElements(parts.structure, traced(parts.elements)))


def _plain(parts: SparseElements, elements) -> Any:
    """SciPy's own matrix, of elements that are not traced."""
    result = parts.structure.copy()
    if parts.format in ALIGNED:
        result.data = np.array(elements).reshape(parts.data_shape)
        return result
    entries = result.tocoo()
    entries.data = gathered(np.asarray(elements).reshape(-1), entries.data)
    return entries.asformat(parts.format)


def values_at_point(matrix) -> Any:
    """The matrix of values that a sparse array has in a trace at a point."""
    return _plain(matrix._parts, values_of(matrix._parts.elements))


def dense_result(matrix, array) -> Any:
    """A dense result of a method, in place of an np.matrix if SciPy's own is one."""
    if isinstance(matrix, scipy.sparse.sparray) or not np.ndim(array):
        return array
    return TracedMatrix(array)

"""``scipy.sparse.linalg``: iterations, also with a ``LinearOperator`` that reads traced numbers.

Contract: sums over all equations make the steps, so that each number depends on everything:
that the solution of a system that falls apart does not, holds for the exact one alone.  What an
operator depends on is asked of one product with unknown numbers.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from sparsetrace.graph.graph import Ids
from sparsetrace.operands.operands import contains_traced, ids_of, is_sparse_traced, values_of
from sparsetrace.scipy_rules.callbacks import of_values
from sparsetrace.scipy_rules.iterates import Iterates
from sparsetrace.scipy_rules.kept_state import until_settled
from sparsetrace.scipy_rules.linalg.matrix_functions import expm as dense_expm
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    Hidden,
    array_of,
    current,
    made,
    module_outside,
)
from sparsetrace.scipy_rules.whole import total_of

_MATRICES = ("A", "B", "M", "M1", "M2", "Minv", "OPinv")


class _Iteration:
    """A call with matrices and operators.

    Attributes
    ----------
    total : array or None
        The id of all that it depends on; None if nothing is traced.
    """

    def __init__(self, call: Call, given, named) -> None:
        self.call, self._iterates = call, Iterates(depend=True)
        self._met: list[Any] = []
        """What products depend on where SciPy asks for them, at a point."""
        self._bound = inspect.signature(call.original).bind(*given, **named)
        self.arguments = self._bound.arguments
        sources, by_scipy = [], _is_called_by_scipy()
        reads: list[Any] = []
        for name, value in self.arguments.items():
            if name in _MATRICES and is_operator(value) and not by_scipy:
                read = functools.partial(self._read, value, reads)
                until_settled(read, value.matvec, self.arguments.get("callback"))
            elif is_sparse_traced(value) or contains_traced(value):
                sources.append(value)
        self.total: Ids | None = None
        if sources or any(map(contains_traced, reads)):
            total = current().graph.node(total_of(sources, reads))
            if sources or not self._iterates.were_constants(total, begins=True):
                self.total = total

    def _read(self, operator, reads: list[Any]) -> None:
        reads += _reads(operator, self._iterates)

    def show(self, shape: tuple[int, ...]) -> None:
        """Call the callback, in a global trace: with a solution, or with the norm of a residual."""
        is_place = self.arguments.get("callback_type", "x") == "x"
        wanted = shape if is_place and not self.call.name.endswith("gmres") else ()
        self._iterates.show_once(self.call, self.arguments.get("callback"), wanted)

    def original(self) -> Any:
        return self.call.original(*self._bound.args, **self._bound.kwargs)

    def found(self) -> Any:
        """What SciPy returns for the values at the point; None in a global trace."""
        if not current().local:
            return None
        for name, value in self.arguments.items():
            if name == "callback":
                self.arguments[name] = self._iterates.shown_to(value)
            elif is_operator(value):
                self.arguments[name] = self._plain_operator(value)
            elif is_sparse_traced(value):
                self.arguments[name] = value._at_point()
            elif contains_traced(value):
                self.arguments[name] = np.array(values_of(value))
        found = self.original()
        if self._met:
            before = made(current(), np.asarray(self.total), float, scalar=True)
            self.total = current().graph.node(total_of(self._met, before))
        return found

    def _plain_operator(self, operator) -> Any:
        """An operator that gives values; of its dtype SciPy asks by a product of its own."""

        def plainly(product: Callable[[Any], Any]) -> Callable[[Any], Any]:
            handed = self._iterates.handed_to(product)

            def called(v) -> Any:
                result = handed(v)
                if contains_traced(result):
                    self._met.append(made(current(), total_of(result), float, scalar=True))
                return of_values(result)

            return called

        return sys.modules["scipy.sparse.linalg"].LinearOperator(
            operator.shape,
            matvec=plainly(operator.matvec),
            rmatvec=plainly(operator.rmatvec),
            dtype=operator.dtype if operator.dtype != object else float,
        )

    def spread(self, shape: tuple[int, ...], value=None, dtype: Any = float) -> Any:
        """An array that depends on everything."""
        if value is not None:
            shape, dtype = np.shape(value), np.asarray(value).dtype
        ids = np.broadcast_to(np.asarray(self.total), shape).copy()
        known = None if value is None else np.asarray(value)
        return made(current(), ids, dtype, known, scalar=not shape)


def _is_called_by_scipy() -> bool:
    """Whether it is a step of another function of SciPy's, whose operators read plain numbers."""
    return module_outside().startswith("scipy.")


def is_operator(x) -> bool:
    if x is None or scipy.sparse.issparse(x) or is_sparse_traced(x) or isinstance(x, np.ndarray):
        return False
    return callable(getattr(x, "matvec", None))


def _reads(operator, iterates: Iterates) -> list[Any]:
    """What an operator makes of unknown numbers."""
    results = []
    rows, columns = operator.shape
    products: list[tuple[Callable[[Any], Any], int]] = [(operator.matvec, columns)]
    products.append((operator.rmatvec, rows))
    for product, count in products:
        place = np.linspace(0.5, 1.5, count)
        try:
            results.append(product(iterates.lent(place)))
        except NotImplementedError:  # it has no adjoint
            continue
    return results


def _solution(call: Call, *given, **named) -> Any:
    """The solution, and whether it was found."""
    iteration = _Iteration(call, given, named)
    if iteration.total is None:
        return iteration.original()
    found = iteration.found()
    if found is not None:
        return iteration.spread((), found[0]), found[1]
    b = array_of(iteration.arguments["b"])
    iteration.show(np.shape(b))
    return iteration.spread(np.shape(b), dtype=np.result_type(b.dtype, float)), 0


bicg = bicgstab = cg = cgs = gcrotmk = gmres = lgmres = minres = qmr = tfqmr = _solution


def _least_squares(call: Call, *given, **named) -> Any:
    """The solution, and numbers that say how it was found."""
    iteration = _Iteration(call, given, named)
    if iteration.total is None:
        return iteration.original()
    found = iteration.found()
    if found is not None:
        return tuple(
            item if isinstance(item, int) else iteration.spread((), item) for item in found
        )
    hidden = Hidden(call.name, "how the solution was found has no rule", "Use the first result.")
    count = 9 if call.name.endswith("lsqr") else 7
    return (iteration.spread((iteration.arguments["A"].shape[1],)), *[hidden] * count)


lsqr = lsmr = _least_squares


def _eigenpairs(call: Call, *given, **named) -> Any:
    """Eigenvalues and vectors, or the values alone."""
    iteration = _Iteration(call, given, named)
    if iteration.total is None:
        return iteration.original()
    found = iteration.found()
    if found is not None:
        if isinstance(found, tuple):
            return tuple(iteration.spread((), item) for item in found)
        return iteration.spread((), found)
    arguments = iteration.arguments
    dtype = float if call.name.endswith("eigsh") else complex
    k, n = int(arguments.get("k", 6)), arguments["A"].shape[0]
    if len(arguments["A"].shape) != 2:
        call.refuse("it is of more than one matrix", "Loop over them and use np.stack.")
    if k >= n - (dtype is complex):  # of so many SciPy computes all
        k = n
    values = iteration.spread((k,), dtype=dtype)
    if not arguments.get("return_eigenvectors", True):
        return values
    return values, iteration.spread((n, k), dtype=dtype)


eigs = eigsh = _eigenpairs


def lobpcg(call, *given, **named):
    """As many eigenvalues and vectors as it starts from; its history has no rule."""
    iteration = _Iteration(call, given, named)
    arguments = iteration.arguments
    functions = [x for name in ("A", "B", "M") if callable(x := arguments.get(name))]
    if iteration.total is None or any(not is_operator(f) for f in functions):
        return iteration.original()
    if arguments.get("retLambdaHistory") or arguments.get("retResidualNormsHistory"):
        call.refuse("its history has no rule", "Leave retLambdaHistory and its like out.")
    shape = np.shape(arguments["X"])
    found = iteration.found()
    if found is not None:
        return tuple(iteration.spread((), item) for item in found)
    return iteration.spread(shape[1:]), iteration.spread(shape)


def svds(call, *given, **named):
    iteration = _Iteration(call, given, named)
    if iteration.total is None:
        return iteration.original()
    found = iteration.found()
    if found is not None:
        items = found if isinstance(found, tuple) else (found,)
        results = [None if item is None else iteration.spread((), item) for item in items]
        return tuple(results) if isinstance(found, tuple) else results[0]
    arguments = iteration.arguments
    rows, columns = arguments["A"].shape
    k, wanted = int(arguments.get("k", 6)), arguments.get("return_singular_vectors", True)
    values = iteration.spread((k,))
    if wanted is False:
        return values
    left = iteration.spread((rows, k)) if wanted in (True, "u") else None
    return left, values, iteration.spread((k, columns)) if wanted in (True, "vh") else None


def expm(call, A):
    """Along chains of non-zeros; of a sparse array a sparse one."""
    if not scipy.sparse.issparse(A):
        return dense_expm(A)
    dense, trace = dense_expm(A.toarray()), current()
    if trace.local:
        values = call.plainly(values_of(A)).toarray()
        dense = made(trace, ids_of(trace, dense), values.dtype, values)
    return A.__class__(dense)

"""What is known of a derivative before it is evaluated: pattern, coloring, method, bounds.

Contract: a derivative is prepared again only where the shapes change, or the values that a
trace takes as they are, among the arguments or elsewhere.  One thread at a time works with it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import wraps
from threading import RLock
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from sparsetrace.coloring import Coloring
from sparsetrace.derivatives.check_schedule import Check, CheckSchedule
from sparsetrace.derivatives.compression import Compression
from sparsetrace.derivatives.flat_function import FlatFunction, Vector
from sparsetrace.derivatives.methods import (
    METHODS,
    Bounds,
    Method,
    checked_bounds,
    checked_rel_step,
)
from sparsetrace.derivatives.outside_state import Change, Difference, OutsideState
from sparsetrace.errors import InputError

__all__ = ["PreparedDerivative", "alone"]

_MOST_FRUITLESS = 3
"""Traces after changes at one place that gave the pattern of before; changes there are then
followed by checks."""

F = TypeVar("F", bound=Callable[..., Any])


def alone(method: F) -> F:
    """A method of a derivative during which no other thread works with it.

    Where it fails, arguments that are left out later are not those of this call.
    """

    @wraps(method)
    def locked(self: PreparedDerivative, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            before = self._flat.given()
            try:
                return method(self, *args, **kwargs)
            except BaseException:
                self._flat.give_back(before)
                raise

    return locked  # type: ignore[return-value]  # of the same parameters


class PreparedDerivative(ABC):
    """Pattern, coloring and method of a derivative, and when they are found anew."""

    method: Method
    """How differences are taken."""
    coloring: Coloring
    """The coloring whose products the entries are recovered from."""

    def __init__(
        self,
        flat: FlatFunction,
        kinds: tuple[str, ...],
        *,
        method: Method | None = None,
        rel_step: ArrayLike | None = None,
        bounds: object | None = None,
        pattern: object | None = None,
        coloring: Coloring | None = None,
        order: str = "best",
        check: Check = True,
        detection: dict[str, Any],
    ) -> None:
        if method is not None and method not in METHODS:
            raise InputError(f"method={method!r}: choose one of {', '.join(map(repr, METHODS))}")
        if coloring is not None and coloring.kind not in kinds:
            raise InputError(
                f"a coloring of kind {' or '.join(map(repr, kinds))} is needed, "
                f"not {coloring.kind!r}"
            )
        self._lock = RLock()
        if coloring is not None:
            try:
                coloring.verify()
            except ValueError as error:
                raise InputError(f"coloring=: {error}") from None
        self._flat = flat
        self._wanted_method = method
        self._rel_step, self._given_bounds = rel_step, bounds
        self._given_pattern, self._given_coloring = pattern, coloring
        self._order, self._detection = order, detection
        self._schedule = CheckSchedule(check)
        self._num_checks = 0
        static = detection.get("static_argnums", ())
        numbers = static if isinstance(static, Sequence) else [static]
        self._static = frozenset(int(i) % len(flat.args) for i in numbers)
        self._signature: tuple[Any, ...] | None = None
        self._outside: OutsideState | None = None
        self._is_settled = False
        self._fruitless: dict[Any, int] = {}
        self._are_entries_known = False
        self._moved_entries: list[str] = []

    # --------------------------------------------------------------- what each derivative does
    @abstractmethod
    def _traced(self) -> Any:
        """The pattern at the arguments of the last call."""

    @abstractmethod
    def _colored(self, pattern: Any) -> Coloring:
        """A coloring of the pattern."""

    @abstractmethod
    def _chosen_method(self, x: Vector) -> Method:
        """The method, where the user names none."""

    def _functions(self) -> list[Any]:
        """Functions of the user's besides that of the arguments."""
        return []

    def _restructured(self, x: Vector) -> None:  # noqa: B027 (most have nothing to do)
        """What depends on the pattern and the shapes."""

    # ------------------------------------------------------------- what is known beforehand
    def _prepare(self, x: Vector) -> None:
        """Pattern, coloring and method, if they are not those of arguments of these shapes.

        Nor those of what the function reads besides them.
        """
        signature = self._flat.signature(self._static)
        if signature != self._signature:
            self._prepare_anew(x, signature)
        elif self._outside is not None:
            change = self._outside.look()
            if change.difference is not Difference.NONE:
                self._state_changed(x, signature, change)

    def _prepare_anew(self, x: Vector, signature: tuple[Any, ...]) -> None:
        self._signature = None  # until all of it is known
        self._watch()
        known = self._given_coloring
        if known is None:
            pattern = self._given_pattern
            known = self._colored(self._traced() if pattern is None else pattern)
        self._take_coloring(x, known)
        self._bounds: Bounds | None = checked_bounds(self._given_bounds, len(x))
        checked_rel_step(self._rel_step, len(x))
        self._take_method(self._wanted_method or self._chosen_method(x))
        if self._outside is not None:
            self._outside.settle()
        self._signature = signature

    def _take_method(self, method: Method) -> None:
        """From here on; it is doubted where what is known of one point is not enough elsewhere."""
        self.method = method
        may_lose = self._outside is not None and self._outside.may_lose_imaginary_parts
        is_probed = method == "cs" and self._wanted_method is None
        self._schedule.is_doubtful = (is_probed and may_lose) or bool(self._detection.get("local"))

    def _take_coloring(self, x: Vector, coloring: Coloring) -> None:
        if coloring.pattern.shape[1] != len(x):
            raise InputError(
                f"the pattern has {coloring.pattern.shape[1]} columns, and there are "
                f"{len(x)} inputs"
            )
        self.coloring = coloring
        self._compression = Compression(coloring)
        entries = coloring.pattern
        self._template = csr_array(
            (np.zeros(entries.nnz), entries.indices, entries.indptr), entries.shape
        )
        self._template.has_canonical_format = True
        self._schedule.begin()
        self._moved_entries = []
        self._restructured(x)

    # ------------------------------------------------------- what changes besides arguments
    @property
    def _is_traced(self) -> bool:
        return self._given_pattern is None and self._given_coloring is None

    def _watch(self) -> None:
        """Remember what the functions can read besides their arguments."""
        before = self._outside
        if self._is_traced or self._schedule.check:
            self._outside = OutsideState([*self._flat.outside(), *self._functions()])
            self._is_settled = False
            if before is not None:
                self._outside.follow(before)

    def _state_changed(self, x: Vector, signature: tuple[Any, ...], change: Change) -> None:
        """Trace again, or check again where that is not worth a trace."""
        self._schedule.state_changed()
        self._is_settled = False
        if change.difference is not Difference.OTHER:
            return
        self._signature = None  # if the trace fails, so it does the next time
        self._watch()
        if self._is_traced:
            pattern = self._traced()
            before = self.coloring.pattern
            if pattern.shape == before.shape and not lacks(before, pattern):
                self._count_fruitless(change)
            else:
                self._take_coloring(x, self._colored(pattern))
                self._moved_entries = change.names if self._are_entries_known else []
        self._signature = signature

    def _count_fruitless(self, change: Change) -> None:
        """Places whose changes do not change the pattern are worth a check alone, in the end."""
        assert self._outside is not None
        for place, holder in change.places.items():
            self._fruitless[place] = self._fruitless.get(place, 0) + 1
            if self._fruitless[place] >= _MOST_FRUITLESS:
                self._outside.doubt({place: holder})

    @alone
    def retrace(self) -> None:
        """Trace and color again, at the arguments of the last call.

        For a change that is not seen by itself: of what compiled code, files or large arrays hold
        that the function reads; see the documentation of derivatives.

        Raises
        ------
        InputError
            If the pattern was given, so that there is nothing to trace.
        TracingError
            If a dependency could be lost.

        Examples
        --------
        >>> import numpy as np
        >>> from sparsetrace import sparse_jacobian
        >>> shift = np.array([1])
        >>> jacobian = sparse_jacobian(lambda x: x * np.roll(x, shift[0]), np.ones(4))
        >>> shift[0] = 2
        >>> jacobian.retrace()
        >>> jacobian.cols.reshape(4, 2).tolist()
        [[0, 2], [1, 3], [0, 2], [1, 3]]
        """
        if not self._is_traced:
            raise InputError("the pattern was given: leave pattern= and coloring= out to trace it")
        self._forget()
        self._prepare(self._flat.take(()))

    def _forget(self) -> None:
        """Be prepared anew at the next evaluation, and so all that this one is made of."""
        self._signature = None

    def _at(self, x: Any, args: tuple[Any, ...]) -> Vector:
        """The point as a vector, and everything prepared for it."""
        point = self._flat.take((x, *args))
        self._prepare(point)
        if np.iscomplexobj(point) and self.method == "cs":
            raise InputError("the complex step needs real inputs; choose method='3-point'")
        return point

    # ------------------------------------------------------------------------------- copies
    def __getstate__(self) -> dict[str, Any]:
        # elsewhere the functions may read something else
        state = self.__dict__ | {"_outside": None, "_signature": None, "_fruitless": {}}
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = RLock()

    def __copy__(self) -> Self:
        """One of the same function and arguments, with a state of its own."""
        with self._lock:
            flat = self._flat
            shared = [flat.function, flat.args, *flat.args, *self._functions()]
            return deepcopy(self, {id(one): one for one in shared})

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        with self._lock:
            result = type(self).__new__(type(self))
            memo[id(self)] = result
            result.__setstate__(deepcopy(self.__getstate__(), memo))
            return result


def lacks(pattern: csr_array, wanted: csr_array) -> bool:
    """Whether a pattern lacks entries of another one of the same shape."""
    have, want = (csr_array(some, dtype=np.int8) for some in (pattern, wanted))
    have.data[:], want.data[:] = 1, 1
    return bool(((want - have) > 0).nnz)

"""Programs with the points at which they are compared with plain calls.

Contract: a program is one function as its users write it.  Traced in any mode, order and
store, and however often, it gives a pattern that holds every entry which plain calls
show, or raises a `TracingError`; which of the two is written beside it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oracles import dense, flat_outputs, hessian_pattern_at, jacobian_pattern_at
from sparsetrace import TracingError, jacobian_sparsity, lagrangian_hessian_sparsity

__all__ = ["MODES", "ORDERS", "STORES", "Program", "check", "program"]

MODES = ("global", "local")
ORDERS = ("jacobian", "hessian")
STORES = ("csr", "bitset", "roaring")
_NEAR = 3
"""Further points that are drawn near each of those given, for global patterns."""


@dataclass(frozen=True)
class Program:
    """One program; see `program` for the fields."""

    name: str
    make: Callable[[], Callable[..., Any]]
    points: tuple[tuple[Any, ...], ...]
    argnum: int
    refused: frozenset[str]
    conservative: str | None
    options: dict[str, Any]

    def traced(self, order: str, mode: str, point: tuple[Any, ...], store: str) -> Any:
        """The pattern that a trace gives, as a dense array."""
        detect = jacobian_sparsity if order == "jacobian" else lagrangian_hessian_sparsity
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as users run it; where they are errors is shown too
            pattern = detect(
                self.make(),
                *point,
                argnums=self.argnum,
                local=mode == "local",
                store=store,
                **self.options,
            )
        return dense(pattern)

    def plain(self, point: tuple[Any, ...]) -> Callable[[Any], Any]:
        """The program as a function of the traced argument alone, fresh at each call."""
        like = point[self.argnum]

        def f(x: Any) -> Any:
            given = x.tolist() if isinstance(like, list) else x
            given = type(like)(x) if isinstance(like, float) else given
            given = of_type(like, given)
            args = [np.copy(a) if type(a) is np.ndarray else a for a in point]
            args[self.argnum] = given
            with np.errstate(**np.geterr()):  # a program may change it
                return self.make()(*args)

        return f

    def true_pattern(self, order: str, mode: str, point: tuple[Any, ...]) -> Any:
        """The entries that plain calls show; None where the function fails there."""
        if mode == "local":
            return self._at(order, point)
        found = None
        rng = np.random.default_rng(0)
        for given in self.points:
            x = np.asarray(given[self.argnum], float)
            for near in range(_NEAR + 1):
                moved = x + 0.05 * near * rng.uniform(-1, 1, x.shape)
                args = list(given)
                args[self.argnum] = self._like(given[self.argnum], moved)
                pattern = self._at(order, tuple(args), found)
                if pattern is not None:
                    found = pattern if found is None else found | pattern
        return found

    @staticmethod
    def _like(given: Any, moved: Any) -> Any:
        """The numbers in the form in which the argument was given."""
        if isinstance(given, (list, float)):
            return np.float64(moved) if type(given) is np.float64 else moved.tolist()
        return of_type(given, moved)

    def _at(self, order: str, point: tuple[Any, ...], found: Any = None) -> Any:
        """The entries shown at a point; those found before need not be among them."""
        f, x = self.plain(point), np.asarray(point[self.argnum], float)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                size = len(flat_outputs(f(x.copy())))
                others = None if found is None else ~found
                if order == "jacobian":
                    return jacobian_pattern_at(f, x, among=others)
                weights = np.random.default_rng(1).uniform(0.5, 2.0, size)
                return hessian_pattern_at(lambda v: weights @ flat_outputs(f(v)), x, among=others)
            except Exception:
                return None


def of_type(given: Any, numbers: Any) -> Any:
    """Numbers as an array of the subclass of ndarray of which the argument was given, if any."""
    cls = type(given)
    is_subclass = issubclass(cls, np.ndarray) and cls is not np.ndarray
    return numbers.view(cls) if is_subclass and isinstance(numbers, np.ndarray) else numbers


def program(
    *points: Any,
    to: list[Program],
    argnum: int = 0,
    refused: Sequence[str] = (),
    conservative: str | None = None,
    fresh: bool = False,
    **options: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the decorated function to the programs of a module.

    Parameters
    ----------
    *points : array, or tuple of arguments
        Where to look: between them every branch of the program is taken.  The trace is
        taken at each of them.
    to : list
        The module's `PROGRAMS`.
    argnum : int
        The argument that is traced.
    refused : sequence of {"global", "local"}
        The modes in which a `TracingError` is the answer, and must come.
    conservative : str, optional
        Why the pattern of a Jacobian may hold more than plain calls show.
    fresh : bool
        The decorated function makes the program: one with a state of its own.
    **options
        Keywords of the detection.
    """
    many = tuple(p if isinstance(p, tuple) else (p,) for p in points)

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        make = function if fresh else lambda: function
        name = function.__name__
        assert all(name != p.name for p in to), f"two programs are named {name}"
        to.append(Program(name, make, many, argnum, frozenset(refused), conservative, options))
        return function

    return add


def check(subject: Program, order: str, mode: str) -> None:
    """Trace the program at every point, and compare with plain calls.

    Three times in a row, on each of the stores; a global trace at further points once, on one of
    them in turn.
    """
    known = None
    everywhere = mode == "global" and mode in subject.refused  # whatever the point is
    for number, point in enumerate(subject.points[:1] if everywhere else subject.points):
        if known is None or mode == "local":
            known = subject.true_pattern(order, mode, point)
        stores = STORES
        if mode in subject.refused:  # what is refused comes to no store
            stores = STORES[:1]
        elif mode == "global" and number:
            stores = (STORES[number % len(STORES)],)
        for store in stores:
            if mode in subject.refused:
                try:
                    found = subject.traced(order, mode, point, store)
                except TracingError as error:
                    text = str(error)
                    assert len(text) > 40, f"no call, line or way out: {text}"
                    continue
                raise AssertionError(f"not refused; a pattern of {found.sum()} entries")
            if known is None:
                _fails_alike(subject, order, mode, point, store)
                continue
            found = subject.traced(order, mode, point, store)
            missing = known & ~found
            assert not missing.any(), f"{store}: missing {np.argwhere(missing).tolist()}"
            if order == "jacobian" and subject.conservative is None:
                extra = found & ~known
                assert not extra.any(), f"{store}: extra {np.argwhere(extra).tolist()}"


def _fails_alike(
    subject: Program, order: str, mode: str, point: tuple[Any, ...], store: str
) -> None:
    """Where a plain call raises, a trace raises the same error."""
    try:
        subject.plain(point)(np.asarray(point[subject.argnum], float))
    except Exception as error:
        wanted = type(error)
    else:
        raise AssertionError("plain calls fail near the point, and not at it: move the point")
    try:
        subject.traced(order, mode, point, store)
    except (wanted, TracingError):
        return
    raise AssertionError(f"a plain call raises {wanted.__name__}; the trace does not")

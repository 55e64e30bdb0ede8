"""Detectors: one function traced again and again, for arguments that are alike.

Contract: a call returns what `jacobian_sparsity` or `hessian_sparsity` would, or raises the same.
The function runs each time, and what it can reach is looked at each time, since either may have
changed.  What is kept is what the last trace recorded: where the next one records the same, its
pattern is the same, and nothing is propagated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack

from sparsetrace.api.compressed import Found
from sparsetrace.api.detection import checked, hessian_of, jacobian_of
from sparsetrace.api.options import HessianOptions, JacobianOptions, takes
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.collector import seldom_collected
from sparsetrace.errors import InputError
from sparsetrace.graph.recorded import Recorded, recorded
from sparsetrace.interrupts import guarded
from sparsetrace.progress import reporting
from sparsetrace.tracing.arguments import TracedCall
from sparsetrace.tracing.driver import Run

__all__ = ["HessianDetector", "JacobianDetector"]


class _Memory:
    """The patterns of the last call's paths, and what they were computed from."""

    def __init__(self) -> None:
        self._known: list[tuple[Recorded, Found]] = []

    def patterns(self, runs: Sequence[Run], solve: Callable[[Run], Found]) -> list[Found]:
        """The patterns of runs; those of the last call where the same was recorded."""
        known, now = self._known, list[tuple[Recorded, Found]]()
        for i, run in enumerate(runs):
            record = recorded(run.trace.graph, run.outputs)
            if i < len(known) and record.is_same(known[i][0]):
                now.append(known[i])
            else:
                now.append((record.copied(), solve(run)))
        self._known = now
        return [_own(pattern) for _, pattern in now]


def _own(pattern: Found) -> Found:
    """A copy of the arrays, which a user may change; nobody changes what is compressed."""
    if not isinstance(pattern, tuple):
        return pattern
    indptr, indices = pattern
    return indptr.copy(), indices.copy()


class _Detector:
    """What both detectors have in common.

    Parameters
    ----------
    f : callable
    like : object
        What each call is given: the argument, or a tuple of all arguments.
    argnums : int or sequence of int
    out : array or nested arrays, optional
    chosen : dict
        All options.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        like: Any,
        argnums: int | Sequence[int],
        out: object,
        chosen: dict[str, Any],
    ) -> None:
        self._f, self._argnums, self._out, self._chosen = f, argnums, out, chosen
        self._memory = _Memory()
        args = like if type(like) is tuple else (like,)
        self._count = len(args)
        self._shapes = self._traced_call(args).argument_shapes

    def _traced_call(self, args: tuple[Any, ...]) -> TracedCall:
        static = self._chosen["static_argnums"]
        return TracedCall(self._f, args, self._argnums, self._out, static)

    def _pattern(self, traced_call: TracedCall) -> SparsityPattern:
        raise NotImplementedError

    def __call__(self, *args: Any) -> SparsityPattern:
        """The pattern for arguments of the shapes that were given at first.

        Raises
        ------
        InputError
            If there are more or fewer arguments, or a traced one has another shape.
        TracingError, OutputError
            As for the function that this class stands for.
        """
        if len(args) != self._count:
            raise InputError(f"{len(args)} arguments, where like= says {self._count}")
        traced_call = self._traced_call(args)
        shapes = traced_call.argument_shapes
        if shapes != self._shapes:
            raise InputError(
                f"arguments {_shown(shapes)}, where like= says {_shown(self._shapes)}: make a "
                "detector for each"
            )
        with guarded(), seldom_collected(), reporting(self._chosen["progress"]):
            return self._pattern(traced_call)


def _shown(shapes: list[tuple[str, tuple[int, ...]]]) -> str:
    return ", ".join(f"{name} of shape {shape}" for name, shape in shapes)


class JacobianDetector(_Detector):
    """The sparsity pattern of one function's Jacobian, again and again.

    Parameters
    ----------
    f : callable
        As for `jacobian_sparsity`.  It is run in each call: between them it may change, and
        so may what it reads.
    like : object
        What a call is given: the argument, or a tuple of all arguments.  The arguments of
        calls have these shapes; their values may differ.
    argnums : int or sequence of int
        As for `jacobian_sparsity`.
    out : array or nested arrays, optional
        As for `jacobian_sparsity`.
    **options
        See `sparsetrace.api.options.JacobianOptions`.

    Raises
    ------
    InputError
        If the arguments hold no numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> detect = st.JacobianDetector(lambda x: x[1:] * x[:-1], like=np.ones(3), local=True)
    >>> detect(np.array([1.0, 2.0, 3.0])).nnz, detect(np.array([1.0, 0.0, 3.0])).nnz
    (4, 2)
    """

    def __init__(
        self,
        f: Callable[..., Any],
        *,
        like: Any,
        argnums: int | Sequence[int] = 0,
        out: object = None,
        **options: Unpack[JacobianOptions],
    ) -> None:
        super().__init__(f, like, argnums, out, checked(JacobianDetector, JacobianOptions, options))

    def _pattern(self, traced_call: TracedCall) -> SparsityPattern:
        return jacobian_of(traced_call, self._chosen, self._memory.patterns)


class HessianDetector(_Detector):
    """The sparsity pattern of one function's Hessian, again and again.

    Parameters
    ----------
    f : callable
        As for `hessian_sparsity`; see `JacobianDetector`.
    like : object
        What a call is given: the argument, or a tuple of all arguments.
    argnums : int or sequence of int
        As for `hessian_sparsity`.
    out : array or nested arrays, optional
        As for `lagrangian_hessian_sparsity`.
    lagrangian : bool
        Whether f has several outputs, and the pattern is that of any weighted sum of them, as
        `lagrangian_hessian_sparsity` gives it.
    **options
        See `sparsetrace.api.options.HessianOptions`.

    Raises
    ------
    InputError
        If the arguments hold no numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsetrace as st
    >>> detect = st.HessianDetector(lambda x: x[0] * x[1] + x[2] ** 2, like=np.ones(3))
    >>> detect(np.zeros(3)).nnz
    3
    """

    def __init__(
        self,
        f: Callable[..., Any],
        *,
        like: Any,
        argnums: int | Sequence[int] = 0,
        out: object = None,
        lagrangian: bool = False,
        **options: Unpack[HessianOptions],
    ) -> None:
        self._one_output = not lagrangian
        super().__init__(f, like, argnums, out, checked(HessianDetector, HessianOptions, options))

    def _pattern(self, traced_call: TracedCall) -> SparsityPattern:
        return hessian_of(
            traced_call, self._chosen, self._memory.patterns, one_output=self._one_output
        )


for _detector, _kind in ((JacobianDetector, JacobianOptions), (HessianDetector, HessianOptions)):
    takes(_kind)(_detector)

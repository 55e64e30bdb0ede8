"""The trace that runs: what it asks of the code it follows, and the graph that it fills.

Contract: a `Trace` holds the modes of one run, what the run has decided, and the callbacks
by which it asks for another one.  The nodes themselves are in its `Graph`, which knows
nothing of these.  Rules are given the trace, and add nodes to ``trace.graph``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from sparsetrace.graph.graph import Graph, Ids

__all__ = ["CURRENT", "MANY_CHOICES", "Trace"]


MANY_CHOICES = 24
"""What a function's choices count to where it is looked at as one that may halve an interval."""
_FEW = 1000
"""Numbers that cost little to be compared again by a plain call."""


class Trace:
    """One run of the traced function over `n_inputs` inputs.

    Parameters
    ----------
    n_inputs : int
    values : bool
        Whether the zeros of constants cut dependencies (``0 * x``).
    dependency : bool
        Whether to follow values rather than derivatives (``floor(x)`` depends on x).
    local : bool
        Whether values are carried along.
    second_order : bool
        Whether nonlinear results get nodes of their own and record what they multiply.
    wrapper : callable, optional
        Turns the result of a rule into what the user's function gets.

    Attributes
    ----------
    graph : Graph
        The nodes.
    decide : callable or None
        Gives the outcome of the next branch on a traced value; None refuses branches.
    choices : int
        How often numbers were compared, and how often many of them were chosen that have no
        derivative: a search that halves an interval is made of that.  See `compared_numbers`.
    conditions : list of int
        The ids that branches were decided on.
    truths_at_once : bool
        Whether a truth value of Python's own is decided as soon as it is made, because some
        code compares it with True or False by identity.
    singular : callable or None
        In a local trace, called where a derivative is infinite: asks for a run in which
        nothing is cut.
    becomes_object : callable or None
        Called where an array is about to hold a traced number as an object: asks for a run
        in which lists of traced numbers are taken as arrays.
    compared : tuple or None
        The last comparison of a number with a constant: its result, the number, the ufunc and the
        constant.
    alike : list of array
        The values, at a point, that were compared with the very same numbers: those may be what
        the function remembers of an earlier call there.
    at_a_step : bool
        Whether the point was seen to lie where pieces of the function meet, in a local trace
        (`sparsetrace.operands.steps`); `aside` is the sign by which the inputs of a run are moved
        from there into one of the pieces, or zero.
    calm : bool
        Whether operations need no look at floating-point errors that the function would notice;
        `raises` says that it would notice them as exceptions alone;
        `ambient` is who saw warnings when the run began;
        `unwatched` and `lately` are frames from which outwards no error is caught; and
        `stateless` says that ufuncs compute what Python would, which ignores ``np.errstate``.
    is_quick : bool
        Whether operators of numbers may leave out what is kept of values: neither these nor names.
    is_idle : bool
        Whether it is calm and quick: operators of numbers give nodes, and do no more.
    keeps_writes : bool
        Whether an array is read-only here that NumPy lets be written, since several of its
        elements are one place, or the inputs choose which elements it shows.
    left_out : list of str
        A line for each error that a path of a call ended in that was run apart.
    taken_whole : list of str
        A line for each function of which calls had too many paths (`capture.taken_whole`), or
        which is compiled (`capture.compiled_functions`).
    names : object or None
        Which arrays hold the same values (`sparsetrace.arrays.value_names`): from the first mask
        on that picks elements, or from the start.
    bounds : object or None
        Between which numbers values lie (`sparsetrace.arrays.value_bounds`): in runs that keep
        them, and name all values, from the start.
    functions : callable
        Gives the functions that operators and attributes of any object may run, by their names.
    masks : object or None
        Which masks are decided by branches (`sparsetrace.arrays.picks`); None where none may be.
    moving : object or None
        What moves in the integrand that runs (`sparsetrace.scipy_rules.integrate.jumps`).
    name_values : callable or None
        Asks for a run with `names` and `bounds` from the start: two masks met that may be the same,
        or an index depends on the inputs.  It may be given what is called before that run.
    rows : dict
        Views of elements that the inputs choose, by the identity of their ids: a weak reference
        to these, the ids of the array that is shown, and the key.
    texts : object or None
        What has been shown of the traced values as text (`sparsetrace.numbers.text`).
    turns : object or None
        Whose turn it is among the function's threads (`sparsetrace.capture.threads`).

    Examples
    --------
    >>> trace = Trace(3, second_order=True)
    >>> trace.graph.inputs()
    array([2, 3, 4], dtype=int32)
    """

    __slots__ = (
        "__weakref__",
        "alike",
        "ambient",
        "aside",
        "at_a_step",
        "becomes_object",
        "bounds",
        "calm",
        "choices",
        "compared",
        "conditions",
        "decide",
        "dependency",
        "functions",
        "graph",
        "is_idle",
        "is_quick",
        "keeps_writes",
        "lately",
        "left_out",
        "local",
        "masks",
        "moving",
        "name_values",
        "names",
        "raises",
        "rows",
        "second_order",
        "singular",
        "stateless",
        "taken_whole",
        "texts",
        "truths_at_once",
        "turns",
        "unwatched",
        "values",
        "wrapper",
    )

    def __init__(
        self,
        n_inputs: int,
        *,
        values: bool = True,
        dependency: bool = False,
        local: bool = False,
        second_order: bool = False,
        wrapper: Callable[[Trace, Any], Any] | None = None,
    ) -> None:
        self.graph = Graph(n_inputs, local=local, second_order=second_order)
        self.values = values
        self.dependency = dependency
        self.local = local
        self.second_order = second_order
        self.wrapper = wrapper
        self.decide: Callable[..., bool] | None = None
        self.alike: list[Any] = []
        self.at_a_step, self.aside = False, 0.0
        self.compared: tuple[Any, Any, Any, float] | None = None
        self.choices = 0
        self.functions: Callable[[], dict[str, Any]] = dict
        self.conditions: list[int] = []
        self.left_out: list[str] = []
        self.taken_whole: list[str] = []
        self.truths_at_once = False
        self.singular: Callable[[], None] | None = None
        self.becomes_object: Callable[[], None] | None = None
        self.calm = self.is_idle = self.raises = False
        self.ambient: Any = None
        self.unwatched: Any = None
        self.lately: Any = None
        self.stateless = False
        self.keeps_writes = False
        self.names: Any = None
        self.bounds: Any = None
        self.is_quick = not local
        self.masks: Any = None
        self.moving: Any = None
        self.name_values: Callable[..., None] | None = None
        self.rows: dict[int, tuple[Any, Ids, Any]] = {}
        self.texts: Any = None
        self.turns: Any = None

    def name_values_by(self, names: Any) -> None:
        """Have values named from now on, and their bounds kept: no operation leaves that out."""
        self.names, self.bounds = names, names.bounds
        self.is_quick = self.is_idle = False

    def calms(self, calm: bool) -> None:
        """Note whether operations need no look at floating-point errors from now on."""
        self.calm, self.is_idle = calm, calm and self.is_quick
        self.raises = False

    def compared_numbers(self, size: int) -> None:
        """Count a comparison.

        Of many numbers only those count, and half, whose result cannot be followed further: at
        a point, where it is plain.  Elsewhere what they choose is counted.
        """
        if size <= _FEW:
            self.choices += 2
        elif self.local:
            self.choices += 1

    def decided_on(self, ids: Ids) -> None:
        """Note what a branch is decided on, in an integrand only what moves there."""
        if self.moving is not None and not self.local:
            ids = ids[self.moving.moves(ids)]
        self.conditions += ids.reshape(-1).tolist()

    def stands_for_many(self) -> None:
        """Count a turn of a loop, or a call, that is run for many: each may compare numbers."""
        self.choices += MANY_CHOICES

    def wrap(self, result: Any) -> Any:
        """What the user's function gets for a rule's result, or for the ids of float64 numbers."""
        assert self.wrapper is not None
        return self.wrapper(self, result)


CURRENT: ContextVar[Trace | None] = ContextVar("sparsetrace_trace", default=None)
"""The trace that runs in this context; None outside of one."""

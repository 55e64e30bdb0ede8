"""A call of a user's function, traced: arguments in, outputs out.

Contract: traced arguments replace the ones named, in the structure they came in, and in a
global trace unknown ones the others (`sparsetrace.tracing.unknown_numbers`); every number
of what the function returned, or filled, becomes one node id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse

# bound early: while a trace runs, the names in ``numpy`` itself are wrapped for user code
from numpy import arange, array, empty_like
from numpy.typing import NDArray

from sparsetrace.arrays.array import TracedArray, traced_array, wrap
from sparsetrace.arrays.picked_results import of_size
from sparsetrace.arrays.picks import decide
from sparsetrace.arrays.subclass_views import is_viewable, seeded_like
from sparsetrace.capture.patches import refresh_registered, stand_in_for
from sparsetrace.capture.session import SESSION, Restart
from sparsetrace.context import Trace
from sparsetrace.dispatch.lent_numbers import refuse_kept
from sparsetrace.errors import (
    FAILURES,
    EscapeError,
    GraphSizeError,
    InputError,
    NothingReturned,
    OutputError,
    TracingError,
    UnsupportedError,
    instead_of,
)
from sparsetrace.graph.graph import FIRST_INPUT, Ids
from sparsetrace.numbers.python_numbers import seeded_number
from sparsetrace.operands.operands import (
    FLOAT,
    ids_of,
    is_ordinary,
    is_traced,
    like_array,
    values_of,
)
from sparsetrace.operands.steps import aside
from sparsetrace.tracing.pytree import leaves, like, named_leaves, named_nones, numeric, rebuilt
from sparsetrace.tracing.state import State
from sparsetrace.tracing.unknown_numbers import UnknownArguments

__all__ = ["TracedCall"]


class TracedCall:
    """A function and its arguments, some of them to be traced.

    Parameters
    ----------
    f : callable
    args : tuple
    argnums : int or sequence of int
    out : array or nested arrays, optional
        For functions that fill an argument.
    static_argnums : int or sequence of int
        Arguments that a global trace takes as they are, with their values.

    Attributes
    ----------
    function : callable
    state : State
        That of the function and of the arguments that it is given as they are.
    unknown : UnknownArguments
        Those that a global trace takes for unknown.
    n_inputs : int
    argument_shapes : list of tuple
        For each traced leaf the expression that reads it, and its shape.
    result_shapes : dict of list of tuple
        For each leaf of a result the expression that reads it, and its shape; by how many numbers
        the result had.
    n_results : float or None
        How many numbers the function returns for the given arguments, where somebody found out;
        infinite for as many as there may be.
    asks_for_size : bool
        Whether a run returned what masks pick, and did not know that number.
    find_size : callable
        Finds it, outside of a run.
    nones : set of str or None
        Where the function returns None among numbers for the given arguments, once that is known.
    find_nones : callable
        Finds it, outside of a run.
    keeps_values : bool
        Whether a run at a point keeps the values that it carried to the outputs.
    carried : mapping of Graph to list of array
        Those of each such run, leaf by leaf.

    Raises
    ------
    InputError
        If `argnums` does not fit, or a traced argument holds no numbers.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        args: tuple[Any, ...],
        argnums: int | Sequence[int],
        out: object = None,
        static_argnums: int | Sequence[int] = (),
    ) -> None:
        self.function = f
        self._args, self._out = args, out
        self._numbers = _checked_argnums("argnums", argnums, len(args))
        static = _checked_argnums("static_argnums", static_argnums, len(args))
        if not set(static).isdisjoint(self._numbers):
            raise InputError(
                f"static_argnums={static_argnums!r} names an argument that argnums={argnums!r} "
                "names too: what is differentiated by cannot be static"
            )
        taken = [*self._numbers, *static]
        self._unknown = [i for i in range(len(args)) if i not in taken]
        self.unknown = UnknownArguments(args, self._unknown)
        self._exchanged: set[int] = set()
        self._trees = [_checked(args[i]) for i in self._numbers]
        _check_attributes(args, self._trees)
        self.argument_shapes = list(self._named_shapes())
        self._sizes = [prod(shape) for _, shape in self.argument_shapes]
        self.n_inputs = sum(self._sizes)
        refresh_registered()  # their functions are looked for in what the function reaches
        others = [arg for i, arg in enumerate(args) if i not in self._numbers]
        self.state = State([f, *others], args, self._trees)
        self.result_shapes: dict[int, list[tuple[str, tuple[int, ...]]]] = {}
        self.n_results: float | None = None
        self.asks_for_size = False
        self.find_size: Callable[[], object] | None = None
        self.nones: frozenset[str] | None = None
        self.find_nones: Callable[[], object] | None = None
        self.keeps_values = False
        self.carried: WeakKeyDictionary[Trace, list[NDArray[Any]]] = WeakKeyDictionary()

    def point(self) -> list[Any]:
        """The values of the traced arguments, which from now on nobody else can change."""
        self._trees[:] = [rebuilt(tree, _copied_leaf) for tree in self._trees]
        found = (leaf for tree in self._trees for leaf in leaves(tree))
        return [leaf.view(np.ndarray) if isinstance(leaf, np.ndarray) else leaf for leaf in found]

    @property
    def given(self) -> tuple[tuple[Any, ...], list[int], list[int], Any]:
        """The arguments as the caller gave them, which are traced, which unknown, and `out`.

        A pattern for every input must hold whatever the numbers in unknown arguments are.
        """
        return self._args, self._numbers, self._unknown, self._out

    def trace(self, **options: Any) -> Trace:
        """An empty trace for one run of the function."""
        return Trace(self.n_inputs, wrapper=wrap, **options)

    def run(self, trace: Trace) -> Ids:
        """Call the function; the node ids of everything it returned, or filled."""
        given = list(self._args)
        if self._unknown and not trace.local:
            arguments = self.unknown.stand_ins(trace)
            for i, argument in zip(self._unknown, arguments, strict=True):
                if argument is not given[i]:
                    self._exchanged.add(i)
                given[i] = argument
        free = pairwise(accumulate(self._sizes, initial=FIRST_INPUT))
        for i, tree in zip(self._numbers, self._trees, strict=True):
            given[i] = rebuilt(tree, lambda leaf: _seeded(trace, leaf, *next(free)))
        session = SESSION.get()
        if session is not None:
            session.find_size = self.find_size if self.n_results is None else None
        function = self.function if session is None else stand_in_for(self.function)
        outputs, result = _call(trace, function, given, self._out, self._sized)
        shapes = [(name, _shape(leaf)) for name, leaf in named_leaves(result, "f")]
        self.result_shapes[len(outputs)] = shapes
        if self.keeps_values and not trace.aside:
            # copied at once: what the function returned may be a buffer of the caller's
            self.carried[trace] = [_values(leaf) for leaf in leaves(result)]
        return outputs

    def _sized(self, trace: Trace, result: object) -> Any:
        """The result, with so many elements of what masks pick as it has for these arguments."""
        if result is None or type(result) is TracedArray:  # as most are
            return result
        result = self._of_numbers(result)
        every = list(leaves(result))
        if not any(getattr(type(leaf), "_is_picked", False) for leaf in every):
            return result
        if not all(_is_run(leaf) for leaf in every):
            decide(*every)
        is_new, self.asks_for_size = not self.asks_for_size, True
        if self.n_results is None and is_new:
            raise Restart(self.find_size)
        if self.n_results is None:  # nobody could tell
            return result
        sized = iter(of_size(trace, every, self.n_results))
        return rebuilt(result, lambda _: next(sized))

    def _of_numbers(self, result: object) -> Any:
        """The result without texts, and without None where the function itself returns that.

        Elsewhere it may come of what a traced number is: of its type, or of its text.
        """
        found = numeric(result)
        if found is result:
            return result
        nones = named_nones(result, "f")
        if nones and self.nones is None and self.find_nones is not None:
            raise Restart(self.find_nones)
        if others := nones - (self.nones or frozenset()):
            raise OutputError(
                f"the function returned None as {min(others)}, and not for the given arguments. "
                "Return np.nan, or an empty array"
            )
        return found

    def _named_shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        code = getattr(self.function, "__code__", None)
        names = code.co_varnames[: code.co_argcount] if code is not None else ()
        if getattr(self.function, "__self__", None) is not None:
            names = names[1:]
        for i, tree in zip(self._numbers, self._trees, strict=True):
            name = names[i] if i < len(names) else f"args[{i}]"
            for place, leaf in named_leaves(tree, name):
                yield place, _shape(leaf)

    def explain(self, error: TracingError, *, local: bool) -> None:
        """Let an error of the trace name the ways out that only this call can tell.

        They are those for arguments whose values it did not know, and for values that it does.
        """
        if isinstance(error, (InputError, OutputError, GraphSizeError)):
            return
        if local and isinstance(error, EscapeError):
            error.add_remedy(_AS_A_CONSTANT)
        numbers = sorted(self._exchanged)
        if numbers:
            error.add_remedy(_unknown_arguments(numbers))


_AS_A_CONSTANT = (
    "Or hand over sparsetrace.detach(v), if nothing that comes of it shall depend on the inputs."
)


def _unknown_arguments(numbers: list[int]) -> str:
    several = f"({', '.join(map(str, numbers))})" if len(numbers) > 1 else str(numbers[0])
    return (
        f"If it is because a global pattern does not know the values of arguments outside "
        f"argnums: static_argnums={several} takes them as they are."
    )


def _checked_argnums(name: str, argnums: int | Sequence[int], count: int) -> list[int]:
    try:
        wanted = [argnums] if isinstance(argnums, (int, np.integer)) else list(argnums)
    except TypeError:
        raise InputError(f"{name}={argnums!r}: a whole number or several are wanted") from None
    numbers = []
    for number in wanted:
        if not isinstance(number, (int, np.integer)) or not -count <= number < count:
            raise InputError(f"{name}={argnums!r}: the function was given {count} argument(s)")
        numbers.append(int(number) % count)
    if len(set(numbers)) != len(numbers):
        raise InputError(f"{name}={argnums!r} names an argument twice")
    return numbers


# ------------------------------------------------------------------------ traced arguments
_REAL = frozenset((float, int, bool))
"""Python's numbers that a traced float64 stands for."""


def _checked(tree: object) -> Any:
    """A traced argument with each leaf checked."""
    try:
        return rebuilt(tree, _checked_leaf)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"an input of type {type(tree).__name__} cannot be made anew with traced numbers in "
            "it; pass tuples, lists or dicts, and let the function make it of them"
        ) from error


def _checked_leaf(leaf: object) -> Any:
    """The leaf: a number, an array of numbers, or a list of numbers or of such lists."""
    if type(leaf) in _REAL:
        return leaf
    if is_traced(leaf):
        raise InputError("an argument belongs to another trace; nested traces need constants")
    if isinstance(leaf, list):
        return like(leaf, [_checked_leaf(item) for item in leaf])
    if isinstance(leaf, np.ma.MaskedArray):
        raise InputError("masked arrays cannot be traced as inputs; pass .data and the mask apart")
    name = type(leaf).__name__
    if isinstance(leaf, (bool, int, float, complex, np.number, np.bool_)):
        if type(leaf) is complex or type(leaf).__module__ == "numpy":
            return leaf
        raise InputError(
            f"an input of type {name} is a number with a type of its own, and the function may ask "
            f"for the type; pass a float, and let the function make a {name} of it"
        )
    if not isinstance(leaf, np.ndarray):
        raise InputError(
            f"an input of type {name} is no array of numbers; pass its numbers in arrays (of "
            "np.asarray), floats, lists, tuples or dicts, and let the function make it of them"
        )
    if leaf.dtype.kind not in "biufc":
        raise InputError(f"an input of type {name} (dtype {leaf.dtype}) is no array of numbers")
    if not (is_ordinary(leaf) or is_viewable(type(leaf))):
        raise InputError(
            f"an input of type {name}: its layout, or its metaclass, may mean something that the "
            "trace does not follow; pass np.asarray(x), and write the function for plain arrays"
        )
    return leaf


def _check_attributes(args: tuple[Any, ...], trees: list[Any]) -> None:
    """Refuse arrays whose attributes show the memory of what is traced: they would not move."""
    traced = [leaf for tree in trees for leaf in leaves(tree) if isinstance(leaf, np.ndarray)]
    for leaf in (leaf for arg in args for leaf in leaves(arg)):
        if not isinstance(leaf, np.ndarray) or is_ordinary(leaf) or is_traced(leaf):
            continue
        held = leaves(list(getattr(leaf, "__dict__", {}).values()))
        arrays = [x for x in held if isinstance(x, np.ndarray)]
        if any(np.may_share_memory(x, y) for x in arrays for y in traced):
            raise InputError(
                f"an input of type {type(leaf).__name__} has an attribute that shows the memory of "
                "what is traced; let the function make it of a plain array"
            )


def _shape(leaf: Any) -> tuple[int, ...]:
    if isinstance(leaf, list):
        return (len(leaf), *_shape(leaf[0])) if leaf else (0,)
    return tuple(getattr(leaf, "shape", ()))


def _copied_leaf(leaf: object) -> Any:
    if not isinstance(leaf, np.ndarray):
        return leaf
    return like_array(leaf, leaf.view(np.ndarray).copy("K"))


def _seeded(trace: Trace, leaf: object, first: int, end: int) -> Any:
    """A traced array, number or list of numbers in place of the leaf, with these ids."""
    if isinstance(leaf, list):
        return _numbers(trace, leaf, iter(range(first, end)))
    if not isinstance(leaf, np.ndarray):
        return _seeded_number(trace, first, leaf)
    dtype = leaf.dtype if leaf.dtype.kind in "fc" else FLOAT
    values = np.array(leaf, dtype) if trace.local else None
    if values is not None and trace.aside:
        values = aside(values, trace.aside, first)
    ids = arange(first, end, dtype=np.int32)
    if leaf.ndim != 1 or not leaf.size:
        ids = _as_copied(leaf, ids.reshape(leaf.shape))
    return seeded_like(leaf, traced_array(trace, ids, dtype, values))


def _as_copied(array: NDArray[Any], ids: Ids) -> Ids:
    """The ids in memory of their own, in the order in which a copy of an array lies there."""
    made = empty_like(array, np.int32, subok=False)
    made[...] = ids
    return made


def _is_run(leaf: Any) -> bool:
    """Whether it is known which elements a leaf has once their number is."""
    is_picked = getattr(type(leaf), "_is_picked", False)
    return not is_picked or (leaf._pick.run is not None and leaf._pick.outer is None)


def _numbers(trace: Trace, items: list[Any], nodes: Iterator[int]) -> list[Any]:
    """A list of traced numbers in place of a list of numbers; nested ones likewise."""
    return like(  # type: ignore[no-any-return]
        items,
        [
            _numbers(trace, item, nodes)
            if isinstance(item, list)
            else _seeded_number(trace, next(nodes), item)
            for item in items
        ],
    )


def _seeded_number(trace: Trace, node: int, number: Any) -> Any:
    """A traced number in place of one; whole numbers stand for floats."""
    dtype = FLOAT
    if type(number) not in _REAL:
        own = np.asarray(number).dtype
        dtype = own if own.kind in "fc" else FLOAT
    value: Any = dtype.type(number) if trace.local else None
    if value is not None and trace.aside:
        value = aside(np.asarray(value), trace.aside, node)[()]
    return seeded_number(trace, node, number, dtype, value)


# ---------------------------------------------------------------------------------- outputs
def _call(
    trace: Trace,
    f: Callable[..., Any],
    args: list[Any],
    out: object,
    sized: Callable[[Trace, object], Any],
) -> tuple[Ids, Any]:
    """Call f; the node ids of everything it returned, or filled, and that itself."""
    if out is None:
        result = sized(trace, f(*args))
    else:
        result = rebuilt(out, lambda leaf: _target(trace, leaf))
        f(*args, result)
    output_ids = [_output_ids(trace, leaf) for leaf in _output_leaves(result)]
    outputs = np.concatenate(output_ids) if output_ids else np.zeros(0, np.int32)
    if trace.dependency and trace.conditions:
        # which values come out depends on what the branches were decided on
        decided = trace.graph.union_rows(np.array(trace.conditions, np.int32))
        outputs = trace.graph.union(outputs, np.broadcast_to(decided, outputs.shape))
    if trace.graph.lent:
        refuse_kept(trace.graph, outputs)
    return outputs, result


def _values(leaf: object) -> NDArray[Any]:
    """A copy of the values that a trace at a point carried to an output."""
    if isinstance(leaf, np.ma.MaskedArray):
        leaf = leaf.filled(0)
    return array(values_of(leaf))


def _target(trace: Trace, leaf: object) -> TracedArray | list[Any]:
    """A traced array to be filled, with the values that it comes with, or a list of numbers."""
    result = _checked_leaf(leaf)
    if isinstance(result, list):
        return result
    target = np.asarray(result)
    dtype = target.dtype if target.dtype.kind in "fc" else FLOAT
    values = np.array(target, dtype) if trace.local else None
    return traced_array(trace, _as_copied(target, trace.graph.constant(target)), dtype, values)


def _output_leaves(result: object) -> list[Any]:
    if result is None:
        raise NothingReturned(
            "the function returned None; for one that fills an argument pass that as out="
        )
    return list(leaves(result))


def _output_ids(trace: Trace, leaf: object) -> Ids:
    if isinstance(leaf, np.ma.MaskedArray):
        leaf = leaf.filled(0)  # what is masked carries nothing
    try:
        return ids_of(trace, leaf).reshape(-1)
    except (UnsupportedError, EscapeError) as error:
        instead = instead_of(type(leaf).__module__)
        if isinstance(error, EscapeError) and not instead:
            raise
        failures = FAILURES.get()
        if failures is not None:
            failures.remove(error)  # the error that follows says the same of an output
        sparse = scipy.sparse.issparse(leaf)
        raise OutputError(
            f"the function returned a {leaf.__class__.__name__}, which is no array of numbers"
            + ("; return A.toarray(), or A.data" if sparse else "")
            + (f". {instead}" if instead else "")
        ) from error

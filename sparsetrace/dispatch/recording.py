"""What one call appends to a graph, recorded for calls of the same kind.

Contract: the rule runs in a trace of its own, whose inputs are the operands' elements.  What
it leaves there (blocks, interactions, results, operands written into) is kept as *places*,
indices into a table: first the operands' nodes, then the new ones, then `ZERO`, `OPAQUE`, and
the constants.
Operands with the same nodes are recorded as one, all others as if they had no node in common;
a recipe holds for operands that share some of their nodes, too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, fields
from operator import ge
from typing import Any

import numpy as np

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
from numpy import arange, array, asarray, concatenate, copyto, zeros
from numpy.typing import NDArray

from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import FAILURES, GraphSizeError
from sparsetrace.graph.complex_parts import joined, parts_of
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, ZERO, Block, Columns, Graph, Ids
from sparsetrace.graph.interactions import Contraction, MatrixProduct, Products
from sparsetrace.operands.complex_operands import real_dtype
from sparsetrace.operands.operands import Elements, is_traced, python_type
from sparsetrace.propagation.jacobian import propagate
from sparsetrace.propagation.jacobian_stores.interval_rows import IntervalRows

__all__ = ["Literal", "Recipe", "Result", "Rule", "Step", "recorded"]

Rule = Callable[[Trace, Any, tuple[Any, ...], dict[str, Any]], Any]
"""Answers a call: the trace, the call, its arguments by position and by name."""

Places = NDArray[np.intp]

_MOST_PLACES = 4096
"""The most parents that a recipe may have, and the most elements of results."""
_MOST_MEMBERS = 2**22
"""The most entries of all unions together that equal ones are looked for among."""
_FEW = 16
"""So many parents, beside half as many again as the rule's own blocks, direct unions may have.

A direct union names operands' elements, without the nodes in between that the rule made."""
_NARROW = 8
"""Unions of up to this many nodes each are kept as columns."""


class _NoRecipe(Exception):
    """The call's results cannot be made anew each time."""


@dataclass(slots=True)
class Step:
    """One block; parents by their places, column by column if there is no `indptr`."""

    parents: Places
    size: int
    indptr: NDArray[np.int64] | None = None
    sequential: bool = False


@dataclass(slots=True)
class Result:
    """One array among a call's results."""

    places: Places
    dtype: np.dtype[Any]
    keep_array: bool
    axes: tuple[int, ...] | None
    """How they are to be transposed, where the result is not in C order."""
    fresh: int
    """Where it consists of new nodes, in their order: the first of them; else -1."""
    imag: Places | None = None
    """Of a complex array, the places of its imaginary part; `places` are those of the real one."""
    of_python: bool = False
    """Whether it is a number of Python's own."""
    new: Ids | None = None
    """Where it consists of new nodes in another order, or some again: which of them."""


@dataclass(slots=True)
class Literal:
    """A result that holds nothing traced."""

    value: Any


@dataclass(slots=True)
class Recipe:
    """What a call appends, writes and returns.

    ``own`` says that all parents are nodes of the operands, ``settles`` that constants or
    opaque elements (no derivative) are among the places; ``choices`` are what the rule counted.
    ``is_open`` says whether nothing is known of the bounds of its results where nothing is known
    of its operands'; None until a run that keeps bounds has asked.
    """

    steps: list[Step]
    count: int
    own: bool
    settles: bool
    constants: NDArray[Any] | None
    interactions: list[tuple[type, list[Places]]]
    scalar_products: Places | None
    results: Any
    writes: list[tuple[int, Places]]
    choices: int = 0
    is_open: bool | None = None


def recorded(
    trace: Trace, call: Hashable, args: tuple[Any, ...], kwargs: dict[str, Any], rule: Rule
) -> Recipe | None:
    """The recipe of a call; None if there is none."""
    operands = [ids for x in (*args, *kwargs.values()) for ids in _ids_within(x)]
    size = sum(ids.size for ids in operands)
    own = Trace(
        size,
        values=trace.values,
        dependency=trace.dependency,
        second_order=trace.second_order,
        wrapper=trace.wrapper,
    )
    own.graph.pure = trace.graph.pure  # which the rule may ask for
    own.name_values = _refused  # the bounds of values are not in the key
    copies = _Copies(own, trace)
    given = tuple(copies.of(x) for x in args)
    named = {name: copies.of(x) for name, x in kwargs.items()}
    before = [array(ids) for ids in (*copies.inputs, *copies.complex)]
    plain = [array(x) for x in copies.constants]
    current, failed = CURRENT.set(own), FAILURES.set(None)
    try:
        result = rule(own, call, given, named)
    except Exception:  # the call is then answered by the rule, which says so itself
        return None
    finally:
        CURRENT.reset(current)
        FAILURES.reset(failed)
    if any(x.tobytes() != y.tobytes() for x, y in zip(plain, copies.constants, strict=True)):
        return None
    after = [*copies.inputs, *copies.complex]
    written = [i for i, (x, y) in enumerate(zip(before, after, strict=True)) if (x != y).any()]
    if written and written[-1] >= len(copies.inputs):
        return None
    arrays: list[Elements] = []
    try:
        outline = _outline(result, arrays)
        if not _are_new(arrays, after):
            return None
        recipe = _written_down(own.graph, size, arrays, outline, copies.inputs, written)
        if recipe is not None:
            recipe.choices = own.choices
        return recipe
    except _NoRecipe:
        return None


def _refused() -> None:
    raise _NoRecipe


# -------------------------------------------------------------------------- operands
def _ids_within(x: Any) -> Iterator[Ids]:
    if is_traced(x):
        yield from (x._ids,) * (2 if x._dtype.kind == "c" else 1)
    elif type(x) in (list, tuple):
        for item in x:
            yield from _ids_within(item)


class _Copies:
    """Arguments as the recording gets them: each traced element an input of its own.

    Operands that hold the same nodes hold the same inputs.  `inputs` are their ids in the
    order of the operands' memory, those of both parts of complex ones, whose own ids are in
    `complex`; `constants` are the plain arrays.
    """

    def __init__(self, own: Trace, trace: Trace) -> None:
        self._own, self._trace = own, trace
        self._next = FIRST_INPUT
        self._first: dict[bytes, int] = {}
        self.inputs: list[Ids] = []
        self.complex: list[Ids] = []
        self.constants: list[NDArray[Any]] = []

    def of(self, x: Any) -> Any:
        """The copy of one argument."""
        if is_traced(x):
            ids: Ids = x._ids
            turned = ids.ndim > 1 and not is_c_like(ids)
            fresh = self._of_elements(ids.T if turned else ids, x._dtype)
            if python_type(type(x)) is not None:
                return type(x)(self._own, int(fresh), x._dtype)
            # a result of no dimensions that an array keeps stays an array
            kept = isinstance(x, np.ndarray)
            return self._own.wrap(Elements(fresh.T if turned else fresh, x._dtype, keep_array=kept))
        if type(x) in (list, tuple):
            return type(x)(self.of(item) for item in x)
        if isinstance(x, np.ndarray):
            self.constants.append(array(x))
            return self.constants[-1]
        return x

    def _of_elements(self, ids: Ids, dtype: np.dtype[Any]) -> Ids:
        if dtype.kind != "c":
            return self._inputs(ids, dtype)
        parts = parts_of(self._trace.graph, ids)
        fresh = joined(self._own.graph, *(self._inputs(part, real_dtype(dtype)) for part in parts))
        self.complex.append(fresh)
        return fresh

    def _inputs(self, ids: Ids, dtype: np.dtype[Any]) -> Ids:
        own = self._own.graph
        start = self._first.setdefault(ids.tobytes(), self._next)
        made = arange(start, start + ids.size, dtype=np.int32).reshape(ids.shape)
        self._next += ids.size
        self.inputs.append(made)
        free = ids > OPAQUE
        if not free.all():
            known_ids = asarray(np.minimum(ids, own.opaque))
            known = known_ids < ZERO
            if known.any():
                known_ids[known] = own.constant(self._trace.graph.known_values(ids[known], dtype))
            copyto(made, known_ids, where=~free)
        return made


def is_c_like(ids: Ids) -> bool:
    """Whether the axes come in the order of C, though perhaps with gaps."""
    if ids.flags.c_contiguous:
        return True
    steps = [abs(step) for step in ids.strides]
    return all(map(ge, steps, steps[1:]))


# --------------------------------------------------------------------------- results
def _outline(result: Any, arrays: list[Elements]) -> Any:
    """The results with each array replaced by its number in `arrays`."""
    if is_traced(result):
        of_python = python_type(type(result)) is not None
        result = Elements(result._ids, result._dtype, keep_array=isinstance(result, np.ndarray))
        if of_python:
            arrays.append(result)
            return _OfPython(len(arrays) - 1)
    if isinstance(result, Elements):
        arrays.append(result)
        return len(arrays) - 1
    if type(result) in (list, tuple) or hasattr(type(result), "_fields"):
        return (type(result), [_outline(item, arrays) for item in result])
    if type(result) is np.ndarray and not result.dtype.hasobject:
        return Literal(result.copy())
    if result is None or isinstance(result, (bool, int, float, complex, str, np.generic)):
        return Literal(result)
    raise _NoRecipe


def _are_new(arrays: list[Elements], inputs: list[Ids]) -> bool:
    """Whether the results are neither views of an operand nor of each other."""
    seen = list(inputs)
    for item in arrays:
        ids = item.ids
        if not isinstance(ids, np.ndarray):
            continue
        if type(ids) is not np.ndarray or not ids.flags.writeable:
            return False
        if any(np.may_share_memory(ids, other) for other in seen):
            return False
        seen.append(ids)
    return True


@dataclass(slots=True)
class _OfPython:
    """Stands in an outline for a number of Python's own."""

    at: int


def _with_results(outline: Any, results: list[Result]) -> Any:
    if isinstance(outline, _OfPython):
        result = results[outline.at]
        result.fresh, result.new, result.of_python = -1, None, True
        return result
    if isinstance(outline, int):
        return results[outline]
    if isinstance(outline, Literal):
        return outline
    cls, items = outline
    return (cls, [_with_results(item, results) for item in items])


# ---------------------------------------------------------------------- writing down
class _Table:
    """The places of a recording's ids.

    Parameters
    ----------
    own : Graph
    size : int
        How many elements the operands have.
    count : int
        How many new nodes there are.
    places : ndarray of int
        Of the ids from `FIRST_INPUT` on.

    Attributes
    ----------
    first_new, special : int
        The places of the first new node, and of zero.
    settles : bool
        Whether places of constants or opaque elements were asked for.
    """

    def __init__(self, own: Graph, size: int, count: int, places: Places) -> None:
        self._own = own
        self.first_new = size
        self.special = size + count
        zero_and_opaque = [self.special, self.special + 1]
        self._places = concatenate([zero_and_opaque, places]).astype(np.intp)
        self._constants: dict[int, int] = {}
        self.settles = False

    def of(self, ids: Ids) -> Places:
        """Places of ids, of their shape."""
        result = asarray(self._places[np.maximum(ids, ZERO)])
        if (ids <= OPAQUE).any():
            self.settles = True
            for node in np.unique(ids[ids < ZERO]).tolist():
                number = self._constants.setdefault(node, len(self._constants))
                result[ids == node] = self.special + 2 + number
        return result

    def constants(self) -> NDArray[Any] | None:
        """The values of the constants among the places given out."""
        if not self._constants:
            return None
        if self._own.wide:
            raise _NoRecipe
        return array([self._own._table[-node] for node in self._constants])


def _written_down(
    own: Graph,
    size: int,
    arrays: list[Elements],
    outline: Any,
    inputs: list[Ids],
    written: list[int],
) -> Recipe | None:
    parts = [_parts(own, e) for e in arrays]
    kept = [asarray(ids) for both in parts for ids in both] + [inputs[i] for i in written]
    if sum(ids.size for ids in kept) > _MOST_PLACES:
        return None
    blocks = own.blocks
    edges = sum(
        b.size * len(b.columns) if isinstance(b, Columns) else len(b.parents) for b in blocks
    )
    ids = concatenate([ids.reshape(-1) for ids in (*kept, _NONE)])
    most = min(_MOST_PLACES, edges + edges // 2 + _FEW)
    flattened = None if own.second_order else _flattened(own, size, ids, most)
    if flattened is not None:
        steps, count, places = flattened
        table = _Table(own, size, count, places)
    elif edges > _MOST_PLACES:
        return None
    else:
        count, places = own.size - FIRST_INPUT - size, arange(own.size - FIRST_INPUT)
        table = _Table(own, size, count, places)
        steps = [_step(block, table) for block in blocks]
    interactions = [_multiplied(x, table) for x in own.interactions]
    products = array(own.scalar_products, np.int32)
    results = [_result(e, both, table) for e, both in zip(arrays, parts, strict=True)]
    return Recipe(
        steps=steps,
        count=count,
        own=flattened is not None,
        interactions=interactions,
        scalar_products=table.of(products) if len(products) else None,
        results=_with_results(outline, results),
        writes=[(i, table.of(inputs[i])) for i in written],
        constants=table.constants(),
        settles=table.settles,
    )


_NONE = zeros(0, np.int32)


def _flattened(own: Graph, size: int, ids: Ids, most: int) -> tuple[list[Step], int, Places] | None:
    """The nodes among `ids` as unions of the operands' elements, each union once.

    At most one step, how many new nodes it has, and the places of all nodes; None if there
    would be more than `most` parents.
    """
    nodes = np.unique(ids[ids >= FIRST_INPUT + size])
    places = arange(own.size - FIRST_INPUT)
    current = CURRENT.set(None)  # what is exchanged of NumPy's is not for this
    try:
        found = propagate(own, nodes, most=_MOST_MEMBERS)
    except GraphSizeError:
        return None
    finally:
        CURRENT.reset(current)
    if isinstance(found, IntervalRows):
        return None
    starts, members = found[0], found[1].astype(np.intp)
    counts = starts[1:] - starts[:-1]
    if not counts.all():
        raise _NoRecipe  # of constants alone
    given = members[starts[:-1]]
    number_of: dict[bytes, int] = {}
    united: list[Places] = []
    bounds = starts.tolist()
    for at in np.flatnonzero(counts > 1).tolist():
        item: Places = members[bounds[at] : bounds[at + 1]]
        number = number_of.setdefault(item.tobytes(), len(united))
        if number == len(united):
            united.append(item)
        given[at] = size + number
    places[nodes - FIRST_INPUT] = given
    if not united:
        return [], 0, places
    lengths = array([len(item) for item in united])
    if int(lengths.sum()) > most:
        return None
    if lengths.min() == lengths.max() <= min(_NARROW, len(united)):
        step = Step(np.ascontiguousarray(np.stack(united).T), len(united))
    else:
        indptr = zeros(len(united) + 1, np.int64)
        np.cumsum(lengths, out=indptr[1:])
        step = Step(concatenate(united), len(united), indptr)
    return [step], len(united), places


def _step(block: Block, table: _Table) -> Step:
    if isinstance(block, Columns):
        return Step(table.of(np.stack(block.columns)), block.size)
    return Step(table.of(block.parents), block.size, block.indptr, block.sequential)


def _multiplied(result: Any, table: _Table) -> tuple[type, list[Places]]:
    """An interaction as its type and the places of its arrays, equal ones one and the same."""
    if type(result) not in (Products, Contraction, MatrixProduct):
        raise _NoRecipe
    given = [getattr(result, field.name) for field in fields(result)]
    made: dict[int, Places] = {}
    return type(result), [made.setdefault(id(ids), table.of(ids)) for ids in given]


def _parts(own: Graph, result: Elements) -> tuple[Ids, ...]:
    """The ids of a result; of a complex one those of its parts."""
    if result.dtype.kind != "c":
        return (result.ids,)
    if result.ids.ndim > 1 and not is_c_like(result.ids):
        raise _NoRecipe
    return parts_of(own, result.ids)


def _result(result: Elements, parts: tuple[Ids, ...], table: _Table) -> Result:
    if len(parts) == 2:
        real, imag = map(table.of, parts)
        return Result(real, result.dtype, result.keep_array, None, -1, imag)
    places = table.of(asarray(result.ids))
    axes = None
    if places.ndim > 1 and not is_c_like(result.ids):
        order = sorted(range(places.ndim), key=lambda i: -abs(result.ids.strides[i]))
        axes = tuple(np.argsort(order).tolist())
        places = array(places.transpose(order), order="C")
    in_order = places.reshape(-1)
    fresh, new = -1, None
    first = table.first_new
    if in_order.size and first <= in_order.min() and in_order.max() < table.special:
        if (np.diff(in_order) == 1).all():
            fresh = int(in_order[0]) - first
        else:
            new = asarray(places - first, np.int32)
    return Result(places, result.dtype, result.keep_array, axes, fresh, new=new)

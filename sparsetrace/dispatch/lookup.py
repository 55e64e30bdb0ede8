"""A cache of calls on small arrays: the outcome of a known call is looked up.

Contract: what a call makes of its operands' nodes depends on the call, on the operands'
shapes and dtypes, and on the constants among them; not on which nodes they are.  That is the
key.  A call whose key comes a second time is recorded, as a `Recipe`; from then on the recipe
is followed.  Calls that a key cannot describe are left to the rules.  Complex operands and
results stand for two each, their real and their imaginary parts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
import scipy.sparse

# bound early: while a trace runs, the names in ``numpy`` itself may be wrapped for user code
from numpy import arange, array, asarray, concatenate, frombuffer

from sparsetrace.context import Trace
from sparsetrace.dispatch.linear_calls import SMALL, is_alike_everywhere
from sparsetrace.dispatch.recording import Literal, Recipe, Result, Rule, Step, is_c_like, recorded
from sparsetrace.graph.complex_parts import joined, parts_of
from sparsetrace.graph.graph import FIRST_INPUT, OPAQUE, ZERO, Graph, Ids, lowest
from sparsetrace.operands.implementations import function_named
from sparsetrace.operands.operands import Elements, is_traced

__all__ = ["FUNCTIONS", "UNKNOWN", "answer", "answered", "forget", "leave"]


_NAMES = """
all allclose amax amin angle any append apply_along_axis apply_over_axes argmax argmin argpartition
argsort around array_equal array_equiv average bincount block choose clip column_stack
concatenate convolve copy copyto corrcoef correlate count_nonzero cov cross cumprod cumsum
cumulative_prod cumulative_sum delete diagflat diff digitize dot dstack ediff1d einsum fix
geomspace gradient histogram histogram2d histogram_bin_edges histogramdd hstack i0 inner insert
interp isclose iscomplex isin isneginf isposinf isreal kron lexsort linspace logspace max mean
median meshgrid min nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian
nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar outer pad partition percentile
piecewise poly polyadd polyder polydiv polyfit polyint polymul polysub polyval prod ptp putmask
quantile repeat resize roll roots round searchsorted select sinc sort sort_complex stack std sum
take take_along_axis tensordot tile trace trapezoid tril triu unwrap vander var vdot vstack where
fft.fft fft.fft2 fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ifftshift
fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftn
lib.scimath.arccos lib.scimath.arcsin lib.scimath.arctanh lib.scimath.log lib.scimath.log10
lib.scimath.log2 lib.scimath.logn lib.scimath.power lib.scimath.sqrt
linalg.cholesky linalg.cond linalg.cross linalg.det linalg.eig linalg.eigh linalg.eigvals
linalg.eigvalsh linalg.inv linalg.lstsq linalg.matmul linalg.matrix_norm linalg.matrix_power
linalg.matrix_rank linalg.multi_dot linalg.norm linalg.outer linalg.pinv linalg.qr linalg.slogdet
linalg.solve linalg.svd linalg.svdvals linalg.tensordot linalg.tensorinv linalg.tensorsolve
linalg.trace linalg.vecdot linalg.vector_norm polynomial.polynomial.polygrid2d
polynomial.polynomial.polyval2d polynomial.polynomial.polyvalnd
"""
FUNCTIONS = set(map(function_named, _NAMES.split())) - {None}
"""Functions that return new arrays, or write into an argument, and whose rules cost more."""

UNKNOWN = object()
"""Says that the call is to be answered by its rule."""

_LARGE = 256
"""Constants of more elements are not compared."""
_MOST_SEEN, _MOST_RECIPES = 8192, 2048
"""How many calls are remembered: that they were made, and what they do."""

_RECIPES: dict[Hashable, Recipe | None] = {}
_SEEN: set[int] = set()
"""Hashes of the calls made so far; if two are equal, one call is recorded early."""


def forget() -> None:
    """Drop everything: a rule has changed."""
    _RECIPES.clear()
    _SEEN.clear()


def leave(function: Any) -> None:
    """Leave a function to its rule from now on: one of a user's may do anything."""
    FUNCTIONS.discard(function)
    forget()


def answered(
    trace: Trace, call: Hashable, args: tuple[Any, ...], kwargs: dict[str, Any], rule: Rule
) -> Any:
    """What ``rule(trace, call, args, kwargs)`` returns: looked up if it is known."""
    known = UNKNOWN
    if not trace.local or is_alike_everywhere(trace, call, args, kwargs):
        known = answer(trace, call, args, kwargs, rule)
    return rule(trace, call, args, kwargs) if known is UNKNOWN else known


def answer(
    trace: Trace,
    call: Hashable,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    rule: Rule,
    *,
    openly: bool = False,
) -> Any:
    """What ``rule(trace, call, args, kwargs)`` returns, if that is known; else `UNKNOWN`.

    Of a local trace only where the outcome does not depend on the values.

    Parameters
    ----------
    trace, call, args, kwargs, rule
    openly : bool
        Whether the run keeps bounds of values, and nothing is known of the operands'.  The rule
        then answers once more, and shows whether the results have any.
    """
    if trace.moving is not None and not trace.moving.is_smooth(call):
        return UNKNOWN
    described: list[Any] = [call, trace.values, trace.dependency, trace.second_order]
    nodes: list[Any] = []
    if not _describes(trace, args, described, nodes):
        return UNKNOWN
    if kwargs:
        described += (_NAMED, *kwargs)
        if not _describes(trace, kwargs.values(), described, nodes):
            return UNKNOWN
    if len(nodes) == 1:
        table = nodes[0]
        if table.ndim != 1:
            table = table.reshape(-1)
    elif not nodes:
        return UNKNOWN
    else:
        given = [ids.tobytes() for ids in nodes]
        table = frombuffer(b"".join(given), np.int32)
        if len(set(given)) < len(given):  # operands that are one and the same need no union
            first: dict[bytes, int] = {}
            described.append(_SAME)
            described += [first.setdefault(ids, i) for i, ids in enumerate(given)]
    if not trace.graph.pure and table.size:
        least = lowest(table)
        if least <= OPAQUE:
            described += (_CONSTANTS, np.minimum(table, _FIRST_INPUT).tobytes())
            if least < ZERO:
                if trace.graph.wide:
                    return UNKNOWN
                described.append(trace.graph.known_values(table, _COMPLEX).tobytes())
    key = tuple(described)
    recipe = _RECIPES.get(key)
    if recipe is None:
        if key in _RECIPES:
            return UNKNOWN
        mark = hash(key)
        if mark not in _SEEN:
            if len(_SEEN) >= _MOST_SEEN:
                _SEEN.clear()
            _SEEN.add(mark)
            return UNKNOWN
        if len(_RECIPES) >= _MOST_RECIPES:
            _RECIPES.clear()
        recipe = _RECIPES[key] = recorded(trace, call, args, kwargs, rule)
        if recipe is None:
            return UNKNOWN
    if recipe.writes and (openly or _overlap(recipe, nodes)):
        return UNKNOWN
    if openly and not recipe.is_open:
        return _once_more(trace, recipe, rule(trace, call, args, kwargs))
    return _followed(trace, recipe, nodes, table)


def _once_more(trace: Trace, recipe: Recipe, result: Any) -> Any:
    """A rule's result, which shows whether a call's results have bounds."""
    if recipe.is_open is None:
        recipe.is_open = trace.bounds.are_open((result,))
    return result


# ------------------------------------------------------------------------------- key
_NAMED, _SAME, _CONSTANTS, _ITSELF, _FORTRAN, _INTS = "name same constants itself F ints".split()
"""Tags in a key, before entries other than a type and a value."""
_COMPLEX = np.dtype(complex)
_FIRST_INPUT = array(FIRST_INPUT, np.int32)

How = Callable[[Trace, Any, list[Any], list[Any]], bool]
"""Appends to the key what a rule may ask of an argument, and its nodes; False if it cannot."""


def _describes(trace: Trace, items: Iterable[Any], key: list[Any], nodes: list[Any]) -> bool:
    """Whether all of some arguments can be described; then they are."""
    for x in items:  # noqa: SIM110 - a generator takes twice as long
        if not (_HOW.get(type(x)) or _how(x))(trace, x, key, nodes):
            return False
    return True


def _traced(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    ids: Ids = x._ids
    if ids.size > SMALL or x._trace is not trace:
        return False
    shape, dtype = ids.shape, x._dtype
    key += (type(x), shape, dtype)
    if len(shape) < 2 or is_c_like(ids):
        if dtype.kind == "c":
            nodes += parts_of(trace.graph, ids)
        else:
            nodes.append(ids)
        return True
    if dtype.kind == "c":
        return False
    key.append(_FORTRAN)
    nodes.append(ids.T)
    return is_c_like(ids.T)


def _plain(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    key += (type(x), x)
    return True


def _float(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    key += (float, x) if x else (float, str(x))  # 0.0 equals -0.0
    return True


def _shown(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    key += (type(x), str(x))
    return True


def _array(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    if x.size > _LARGE or x.dtype.hasobject:
        return False
    if x.ndim < 2 or x.flags.c_contiguous:
        key += (np.ndarray, x.shape, x.dtype, x.tobytes())
        return True
    key += (np.ndarray, x.shape, x.dtype, _FORTRAN, x.T.tobytes())
    return bool(x.flags.f_contiguous)


def _number(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    key += (type(x), x.dtype, x.tobytes())
    return not x.dtype.hasobject


def _parts(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    if len(x) > SMALL:
        return False
    if {int}.issuperset(map(type, x)):
        key += (type(x), _INTS, tuple(x))
        return True
    key += (type(x), len(x))
    return _describes(trace, x, key, nodes)


def _slice(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    key.append(slice)
    return _parts(trace, (x.start, x.stop, x.step), key, nodes)


def _sparse(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    if x.nnz > _LARGE:
        return False
    key += (type(x), x.shape)
    return _parts(trace, [getattr(x, attribute) for attribute in _SPARSE[type(x)]], key, nodes)


def _itself(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    key += (_ITSELF, x)
    return True


def _unknown(trace: Trace, x: Any, key: list[Any], nodes: list[Any]) -> bool:
    return False


_COMPRESSED = ("data", "indices", "indptr")
_SPARSE: dict[type, tuple[str, ...]] = {
    scipy.sparse.csr_array: _COMPRESSED,
    scipy.sparse.csr_matrix: _COMPRESSED,
    scipy.sparse.csc_array: _COMPRESSED,
    scipy.sparse.csc_matrix: _COMPRESSED,
    scipy.sparse.coo_array: ("data", "coords"),
    scipy.sparse.coo_matrix: ("data", "coords"),
    scipy.sparse.dia_array: ("data", "offsets"),
    scipy.sparse.dia_matrix: ("data", "offsets"),
}
"""The parts that a sparse matrix consists of."""
_HOW: dict[type, How] = {
    **dict.fromkeys((bool, int, str, type(None), type(Ellipsis)), _plain),
    **dict.fromkeys((list, tuple), _parts),
    **dict.fromkeys((np.ufunc, type(np.sum), type(np._NoValue), type), _itself),
    **dict.fromkeys(_SPARSE, _sparse),
    float: _float,
    complex: _shown,
    slice: _slice,
    np.ndarray: _array,
}
"""How arguments of each type are described; of NumPy's and the package's own as they come."""


def _how(x: Any) -> How:
    cls = type(x)
    if getattr(cls, "_is_picked", False):
        return _unknown
    if is_traced(x):
        _HOW[cls] = _traced
    elif getattr(cls, "_is_buffer", False):
        _HOW[cls] = _array
    elif isinstance(x, np.dtype):
        _HOW[cls] = _itself
    elif isinstance(x, np.generic) and cls.__module__ == "numpy":
        _HOW[cls] = _number
    elif getattr(cls, "_is_unknown", False) and cls.__base__ in _SPARSE:
        _SPARSE[cls] = _SPARSE[cls.__base__]
        _HOW[cls] = _sparse
    else:
        return _unknown
    return _HOW[cls]


# ------------------------------------------------------------------------- following


def _overlap(recipe: Recipe, nodes: list[Any]) -> bool:
    """Whether an operand that is written into shares memory with another."""
    return any(
        np.may_share_memory(nodes[i], other)
        for i, _ in recipe.writes
        for j, other in enumerate(nodes)
        if i != j
    )


def _followed(trace: Trace, recipe: Recipe, nodes: list[Any], table: Ids) -> Any:
    trace.choices += recipe.choices
    graph, results = trace.graph, recipe.results
    if recipe.own and type(results) is Result and not recipe.writes:
        if results.fresh >= 0:
            start = _append(graph, recipe.steps[0], table) + results.fresh
            shape = results.places.shape
            ids = arange(start, start + results.places.size, dtype=np.int32)
            return _elements(results, ids if len(shape) == 1 else ids.reshape(shape))
        if results.new is not None:
            return _elements(results, results.new + _append(graph, recipe.steps[0], table))
    base = graph.next_block() if recipe.count else 0
    table = _all_ids(trace, recipe, table, base)
    for step in recipe.steps:
        _append(graph, step, table)
    for cls, places in recipe.interactions:
        taken = {id(at): table[at] for at in places}  # equal arrays stay one and the same
        trace.graph.interactions.append(cls(*(taken[id(at)] for at in places)))
    if recipe.scalar_products is not None:
        trace.graph.scalar_products += table[recipe.scalar_products].tolist()
    result = _made(trace, results, table)
    for i, written in recipe.writes:
        nodes[i][...] = table[written]
    return result


def _append(graph: Graph, step: Step, table: Ids) -> int:
    """The first new node of a step."""
    parents = table[step.parents]
    if step.indptr is None:
        return graph.append_columns(list(parents))
    return graph.append_rows(step.indptr, parents, sequential=step.sequential)


def _all_ids(trace: Trace, recipe: Recipe, operands: Ids, base: int) -> Ids:
    """Every id that a recipe may name, by its place."""
    tables: list[Any] = [operands]
    if recipe.count:
        tables.append(arange(base, base + recipe.count, dtype=np.int32))
    if recipe.settles:
        tables.append(trace.graph.zero_and_opaque)
        if recipe.constants is not None:
            tables.append(trace.graph.lasting_constants(recipe.constants))
    return concatenate(tables) if len(tables) > 1 else operands


def _made(trace: Trace, results: Any, table: Ids) -> Any:
    if type(results) is Result:
        ids = asarray(table[results.places])
        if results.imag is not None:
            ids = joined(trace.graph, ids, asarray(table[results.imag]))
        made = _elements(results, ids)
        return trace.wrap(made).item() if results.of_python else made
    if type(results) is Literal:
        value = results.value
        return value.copy() if isinstance(value, np.ndarray) else value
    cls, items = results
    result = [_made(trace, item, table) for item in items]
    return cls(*result) if hasattr(cls, "_fields") else cls(result)


def _elements(result: Result, ids: Ids) -> Elements:
    if result.axes is not None:
        ids = ids.transpose(result.axes)
    return Elements(ids, result.dtype, keep_array=result.keep_array)

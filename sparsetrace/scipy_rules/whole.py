"""Functions that are known by their arguments and results alone: as a whole.

Contract: each number of a result depends on all numbers that the function is given, jointly
nonlinear; or, where it counts and ranks, on none of them.  Shapes come from runs on other
numbers.  What has more structure has a rule of its own.
"""

from __future__ import annotations

import copy
import functools
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sparsetrace.graph.graph import OPAQUE, ZERO, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.masked.data_and_mask import is_masked, masked_data
from sparsetrace.operands.binding import Handler
from sparsetrace.operands.operands import (
    contains_traced,
    dtype_of,
    ids_of,
    is_sparse_traced,
    is_traced,
    values_of,
)
from sparsetrace.operands.steps import note_step
from sparsetrace.scipy_rules.rule_tools import (
    MADE,
    Call,
    array_of,
    current,
    made,
    makes_objects,
    sample_of,
    spread,
    state_of,
)

__all__ = [
    "at_point",
    "note_ranks",
    "ranked",
    "ranked_object",
    "replaced",
    "sample_of_call",
    "total_of",
    "unknown_of",
    "whole",
    "whole_if_traced",
    "whole_object",
    "with_data",
]

_FACTORS = (1.0, 0.5, 0.9, 3.0)
"""Samples are tried in turn: some functions take small numbers alone, others large ones."""
_LARGER = (31.7, 3171.3, 317133.7)
"""Then one argument is larger than the others, as a sampling frequency is beside a cutoff; none is
a whole number, as a count would be."""
_APART = (1.0, 0.47)
_FAILURES = (ValueError, ArithmeticError, np.linalg.LinAlgError)


def whole(call: Call, *args, **kwargs) -> Any:
    """A function each result of which depends on everything.

    ``f([{0}, {1}], {2})  ->  [{0, 1, 2}, {0, 1, 2}]``
    """
    return spread(current(), total_of(args, kwargs), sample_of_call(call, *args, **kwargs))


def whole_if_traced(*names: str) -> Callable[[Handler], Handler]:
    """Mark parameters of a rule beside which, if they are traced, it does not hold.

    Then each result depends on everything.
    """

    def mark(rule: Handler) -> Handler:
        signature = inspect.signature(rule)

        @functools.wraps(rule)
        def answered(call: Call, *args, **kwargs) -> Any:
            options = signature.bind(call, *args, **kwargs).arguments
            if not contains_traced([options.get(name) for name in names]):
                return rule(call, *args, **kwargs)
            del options["call"]
            more = options.pop("kwargs", {})
            return whole(call, **options, **more)

        return answered

    return mark


def at_point(call: Call, *args, **kwargs) -> Any:
    """The same for one with as many results as the values say, so at a point alone."""
    if not current().local:
        call.refuse(
            "how many results there are depends on the values",
            "Take a pattern at a point with local=True.",
        )
    return whole(call, *args, **kwargs)


def ranked(call: Call, *args, **kwargs) -> Any:
    """A function that is constant but for jumps: it has no derivative.

    ``f([{0}, {1}])  ->  [{}, {}]``
    """
    trace = current()
    note_ranks(call, args, kwargs)
    total = total_of(args, kwargs) if trace.dependency else np.int32(trace.graph.opaque)
    return spread(trace, np.asarray(total), sample_of_call(call, *args, **kwargs))


@makes_objects
def whole_object(call: Call, *args, **kwargs) -> Any:
    """A function whose result has attributes, each of which depends on everything."""
    return _filled(sample_of_call(call, *args, **kwargs), total_of(args, kwargs), ())


def ranked_object(*chosen: str) -> Any:
    """The rule of a test that ranks: attributes that are `chosen` among the data depend on all.

    So does what an object keeps for its methods.
    """

    @makes_objects
    def rule(call: Call, *args, **kwargs) -> Any:
        trace, total = current(), total_of(args, kwargs)
        note_ranks(call, args, kwargs)
        ranks = total if trace.dependency else np.full_like(total, trace.graph.opaque)
        return _filled(sample_of_call(call, *args, **kwargs), total, chosen, ranks)

    return rule


def note_ranks(call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Note, at a point, ranks and counts that are others nearby, as of equal numbers."""
    trace = current()
    if trace.local:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome = call.original(
                *values_of(args), **{k: values_of(v) for k, v in kwargs.items()}
            )
            note_step(trace, call.original, args, outcome, kwargs)


def _filled(sample: Any, total: Ids, chosen: tuple[str, ...], ranks: Ids | None = None) -> Any:
    """A named tuple or an object like the sample, with traced numbers for its own."""
    trace = current()

    def made(name: str, value: Any) -> Any:
        if isinstance(value, bool | str) or np.asarray(value).dtype.kind not in "biufc":
            return value
        of_data = ranks is None or name in chosen or name.startswith("_")
        return spread(trace, np.asarray(total if of_data else ranks), value)

    if isinstance(sample, tuple):
        extra = getattr(sample, "_extra_fields", ())
        names = getattr(sample, "_fields", [""] * len(sample))
        items = [made(name, item) for name, item in zip(names, sample, strict=False)]
        if not hasattr(sample, "_fields"):
            return tuple(items)
        return type(sample)(*items, **{name: made(name, getattr(sample, name)) for name in extra})
    if isinstance(sample, dict):
        return {name: made("", item) for name, item in sample.items()}
    if isinstance(sample, np.ndarray) or not hasattr(sample, "__dict__"):
        return made("", sample)
    result = copy.copy(sample)
    for name, value in vars(sample).items():
        object.__setattr__(result, name, made(name, value))
    return result


def total_of(*sources) -> Ids:
    """The union over all traced numbers of arguments, jointly nonlinear."""
    trace = current()
    ids = [trace.graph.union_rows(ids_of(trace, x).reshape(-1)) for x in _traced(sources)]
    if not ids:
        return np.asarray(trace.graph.opaque, np.int32)
    total = np.asarray(trace.graph.union_all(ids), np.int32)
    return interact_all(trace.graph, np.maximum(total, OPAQUE))


def unknown_of(*sources) -> Any:
    """A factor of which nothing is known but that it depends on everything in the sources."""
    return made(current(), total_of(*sources), float, scalar=True)


def _traced(x) -> Iterator[Any]:
    """The traced arrays and numbers in lists, tuples, dictionaries and masked arrays."""
    if is_masked(x):
        parts = masked_data(x)
        if is_traced(parts.mask):
            yield parts.mask
            yield parts.everything
        else:
            yield parts.data if parts.mask is np.ma.nomask else parts.data[~parts.mask]
    elif is_traced(x):
        yield x
    elif isinstance(x, np.ndarray) and contains_traced(x):
        yield array_of(x)
    elif is_sparse_traced(x):
        yield with_data(x).data
    elif state_of(x) is not None:
        _, args, kwargs = vars(x)[MADE]
        shown = [value for name, value in vars(x).items() if name != MADE]
        yield from _traced([item for item in (*args, kwargs, *shown) if item is not x])
    elif isinstance(x, dict):
        for item in x.values():
            yield from _traced(item)
    elif isinstance(x, (list, tuple)):
        for item in x:
            yield from _traced(item)


def sample_of_call(call: Call, *args, **kwargs) -> Any:
    """What the function returns for the values at the point, or for other numbers.

    Raises
    ------
    UnsupportedError
        In a global trace, if shapes follow from the numbers.
    """
    if current().local:
        return _of_numbers(call, call.plainly(*replaced(args, None), **replaced(kwargs, None)))
    results: list[Any] = []
    failures: list[Exception] = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are about numbers that are not the user's
        # beside constants among traced elements others may be in no order that a function takes
        for known in (True, False) if _has_known((args, kwargs)) else (False,):
            for own_args, own_kwargs in _of_one_size(args, kwargs, known=known):
                try:
                    results.append(call.plainly(*own_args, **own_kwargs))
                except _FAILURES as error:
                    failures.append(error)
                if len(results) == 2:
                    break
            if results:
                break
        for pair in _with_one_larger(args, kwargs) if not results else ():
            try:
                results = [call.plainly(*own_args, **own_kwargs) for own_args, own_kwargs in pair]
            except _FAILURES:
                continue
            break
    if not results:
        raise failures[0]
    if len({str(_shapes(result)) for result in results}) > 1:
        call.refuse(
            "the size of its result depends on the values",
            "Take a pattern at a point with local=True.",
        )
    return _of_numbers(call, results[0])


def _of_one_size(
    args: tuple[Any, ...], kwargs: dict[str, Any], *, known: bool
) -> Iterator[tuple[Any, Any]]:
    """Arguments with numbers in place of the traced ones."""
    for factor in _FACTORS:
        options = replaced(kwargs, factor, known=known)
        yield replaced(args, factor, known=known), options


def _has_known(sources: Any) -> bool:
    """Whether there are constants among the elements of traced arrays."""
    trace = current()
    return not trace.graph.pure and any(
        bool((ids_of(trace, x) <= ZERO).any()) for x in _traced(sources)
    )


def _with_one_larger(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[list[tuple[Any, Any]]]:
    """The same, one argument being larger than the others: two samples of no number in common."""
    for larger in _LARGER:
        for name in (*range(len(args)), *kwargs):
            pair = []
            for factor in _APART:
                several = replaced(list(args), factor)
                options = replaced(kwargs, factor)
                if isinstance(name, int):
                    several[name] = replaced(args[name], larger * factor)
                else:
                    options[name] = replaced(kwargs[name], larger * factor)
                pair.append((several, options))
            yield pair


def _of_numbers(call: Call, result: Any) -> Any:
    """A result, unless it is an array of arrays, which have no ids here."""
    if isinstance(result, np.ndarray) and result.dtype == object:
        call.refuse("its result is an array of objects", "Call it with samples of one length.")
    return result


def with_data(matrix) -> Any:
    """A sparse array of traced data in a format that has an array of its elements."""
    return matrix.tocsr() if matrix.format in ("dok", "lil") else matrix


def _shapes(x) -> Any:
    if isinstance(x, (list, tuple)):
        return [_shapes(item) for item in x]
    return np.shape(x)


def _remade(x, factor: float | None, *, known: bool) -> Any:
    """An object of a library's, made as it was, of such numbers."""
    call, args, kwargs = vars(x)[MADE]
    options = replaced(kwargs, factor, known=known)
    if args and args[0] is x:
        own = object.__new__(type(x))
        call.plainly(own, *replaced(args[1:], factor, known=known), **options)
        return own
    return call.plainly(*replaced(args, factor, known=known), **options)


def replaced(x, factor: float | None, *, known: bool = False) -> Any:
    """Arguments with numbers in place of the traced ones; their own, if no factor is given.

    What is known of an array in a trace for all inputs, its constants, may be kept.
    """
    if type(x) is dict:
        return {key: replaced(item, factor, known=known) for key, item in x.items()}
    if type(x) in (list, tuple):
        places = np.linspace(0.8, 1.2, len(x))  # different numbers, in ascending order
        return type(x)(
            replaced(item, factor and factor * place, known=known)
            for item, place in zip(x, places.tolist(), strict=True)
        )
    if state_of(x) is not None:
        return _remade(x, factor, known=known)
    if not contains_traced(x):
        return x
    if is_sparse_traced(x) and factor is not None:
        x = with_data(x)
        made = x._parts.structure.astype(dtype_of(x.data))
        made.data = replaced(x.data, factor, known=known).reshape(made.data.shape)
        return made
    if is_masked(x):
        if factor is None:
            return x._at_point()
        parts = masked_data(x)
        mask = np.ma.nomask if is_traced(parts.mask) else parts.mask
        return np.ma.array(replaced(parts.everything, factor, known=known), mask=mask)
    if factor is None:
        values = np.array(values_of(x))
        return values if values.ndim else values[()]
    if np.ndim(x) > 1 or dtype_of(x).kind not in "fc":
        sample = np.asarray(sample_of(x) * factor)
    else:
        count = np.size(x)
        sample = factor * np.linspace(0.4, 0.6, max(count, 1))[:count].astype(dtype_of(x))
    if known:
        trace = current()
        ids = ids_of(trace, x).reshape(sample.shape)
        constant = ids <= ZERO
        sample = np.where(constant, trace.graph.known_values(ids, sample.dtype), sample)
    return sample if np.ndim(x) else sample.reshape(-1)[0]

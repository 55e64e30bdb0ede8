"""Random numbers with traced parameters: ``rng.normal(x, s)``, ``rng.choice(x)``.

Contract: what is drawn does not depend on the inputs, and what is made of it does, as in
``loc + scale * z``.  Other distributions are functions of their parameters, element by element;
whole numbers have no derivative.  What is chosen or put in another order may be any element, since
the next call draws another one.  Compiled code draws from numbers alone: generators that the
function makes or holds, and the functions of ``np.random``, are exchanged for those that let it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from sparsetrace.capture.exact_types import shown_as_another
from sparsetrace.capture.numpy_constructors import as_array, decided_counts
from sparsetrace.capture.patch import Patch, named_like
from sparsetrace.capture.session import SESSION, holds_traced, is_library
from sparsetrace.context import CURRENT, Trace
from sparsetrace.errors import UnsupportedError, explain
from sparsetrace.graph.graph import OPAQUE, Ids
from sparsetrace.graph.interactions import interact_all
from sparsetrace.operands.operands import Elements, contains_traced, ids_of, is_traced, values_of

__all__ = ["TracedGenerator", "patches", "sharing"]

_PARAMETERS: dict[str, str] = {
    **dict.fromkeys("normal laplace logistic gumbel".split(), "loc=0.0 scale=1.0"),
    **dict.fromkeys("exponential rayleigh".split(), "scale=1.0"),
    **dict.fromkeys("weibull pareto power zipf".split(), "a"),
    **dict.fromkeys("standard_t chisquare".split(), "df"),
    **dict.fromkeys("geometric logseries".split(), "p"),
    **dict.fromkeys("binomial negative_binomial".split(), "n p"),
    "uniform": "low=0.0 high=1.0",
    "gamma": "shape scale=1.0",
    "standard_gamma": "shape",
    "lognormal": "mean=0.0 sigma=1.0",
    "triangular": "left mode right",
    "vonmises": "mu kappa",
    "wald": "mean scale",
    "noncentral_chisquare": "df nonc",
    "f": "dfnum dfden",
    "noncentral_f": "dfnum dfden nonc",
    "beta": "a b",
    "poisson": "lam=1.0",
}
"""The parameters of each distribution, with their defaults."""
_WHOLE_NUMBERS = frozenset("binomial geometric logseries negative_binomial poisson zipf".split())


def _current() -> Trace:
    trace = CURRENT.get()
    assert trace is not None
    return trace


def _array(x: Any) -> Any:
    x = as_array(x)
    return x if isinstance(x, np.ndarray) else x._as_array() if is_traced(x) else np.asarray(x)


def _made_of(
    trace: Trace, ids: Ids, dtype: Any, values: Any = None, *, scalar: bool = False
) -> Any:
    """A traced array, or number, of these ids; beside values that are not known nothing is cut."""
    if trace.local and values is None:
        values = np.full(ids.shape, np.nan)
    return trace.wrap(Elements(ids, np.dtype(dtype), values, keep_array=not scalar))


def _drawn(
    name: str, draw: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Numbers of a distribution with traced parameters."""
    defaults = dict(entry.partition("=")[::2] for entry in _PARAMETERS[name].split())
    given = dict(zip((*defaults, "size"), args, strict=False)) | kwargs
    size = decided_counts(given.pop("size", None))
    if set(given) - set(defaults):
        raise _refusal(name, "dtype and out have no rule")
    if not holds_traced((), given):
        return draw(**given, size=size)
    operands = [_array(given.get(key, float(value or "nan"))) for key, value in defaults.items()]
    shape = np.broadcast_shapes(*(operand.shape for operand in operands))
    if size is not None:
        shape = np.broadcast_shapes(shape, (size,) if np.ndim(size) == 0 else tuple(size))
    trace, values = _current(), None
    if trace.local:
        values = np.asarray(draw(*(np.asarray(values_of(x)) for x in operands), size=size))
    else:  # the generator goes on as in a plain call
        with suppress(ValueError):
            draw(*np.linspace(0.2, 0.6, len(operands)), size=shape)
    if name in _WHOLE_NUMBERS and not trace.dependency:
        ids = np.full(shape, trace.graph.opaque, np.int32)
        return _made_of(trace, ids, np.int64, values, scalar=not shape)
    unknown = np.full(shape, trace.graph.opaque, np.int32)
    z = _made_of(trace, unknown, float)
    if name == "uniform":
        result = operands[0] + (operands[1] - operands[0]) * z
    elif _PARAMETERS[name].startswith("loc"):
        result = operands[0] + operands[1] * z
    elif _PARAMETERS[name] == "scale=1.0":
        result = operands[0] * z
    else:
        every = [np.broadcast_to(np.maximum(ids_of(trace, x), OPAQUE), shape) for x in operands]
        joined = interact_all(trace.graph, np.asarray(trace.graph.union_all([*every, z._ids])))
        result = _made_of(trace, joined, float)
    dtype = np.int64 if name in _WHOLE_NUMBERS else float
    ids = np.broadcast_to(np.maximum(ids_of(trace, result), OPAQUE), shape).copy()
    return _made_of(trace, ids, dtype, values, scalar=not shape)


def _refusal(name: str, problem: str) -> UnsupportedError:
    remedy = "Draw plain numbers, and scale them: loc + scale * rng.standard_normal(n)."
    return UnsupportedError(explain(f"np.random: {name}", problem, remedy))


def _picked(
    name: str, draw: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Elements of an array, any of which may come next time; at a point those of this time."""
    source, *rest = args if args else (kwargs.pop("a", kwargs.pop("x", None)),)
    if contains_traced((rest, list(kwargs.values()))) or "out" in kwargs:
        raise _refusal(name, "out, and probabilities and sizes of the inputs, have no rule")
    trace, array = _current(), _array(source)
    places = np.arange(array.size).reshape(array.shape)
    found = np.asarray(draw(places, *rest, **kwargs))
    every = trace.graph.union_rows(np.maximum(ids_of(trace, array), OPAQUE).reshape(-1))
    values = np.asarray(values_of(array)).reshape(-1)[found] if trace.local else None
    ids = np.broadcast_to(np.asarray(every), found.shape).copy()
    return _made_of(trace, ids, array.dtype, values, scalar=not found.ndim)


def _normals(
    name: str, draw: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``multivariate_normal``: the mean, and what depends on all of the covariance."""
    rest = args[2:]
    given = dict(zip(("mean", "cov"), args, strict=False))
    mean, cov = (given.get(name, kwargs.pop(name, None)) for name in ("mean", "cov"))
    if contains_traced((rest, list(kwargs.values()))):
        raise _refusal(name, "sizes may not depend on the inputs")
    trace, n = _current(), len(mean)
    plain = (values_of(mean), values_of(cov)) if trace.local else (np.zeros(n), np.eye(n))
    found = np.asarray(draw(*map(np.asarray, plain), *rest, **kwargs))
    every = trace.graph.union_rows(np.maximum(ids_of(trace, cov), OPAQUE).reshape(-1))
    joined = interact_all(trace.graph, np.asarray(every))
    ids = np.broadcast_to(joined, found.shape).copy()
    result = _array(mean) + _made_of(trace, np.maximum(ids, OPAQUE), float)
    return _made_of(trace, ids_of(trace, result).copy(), float, found if trace.local else None)


def _parts_of_one(
    name: str, draw: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``dirichlet``: each part depends on all parameters."""
    given = dict(zip(("alpha", "size"), args, strict=False)) | kwargs
    alpha, size = _array(given["alpha"]), decided_counts(given.get("size"))
    trace = _current()
    found = draw(np.array(values_of(alpha)) if trace.local else np.ones(alpha.shape), size=size)
    every = trace.graph.union_rows(np.maximum(ids_of(trace, alpha), OPAQUE).reshape(-1))
    joined = interact_all(trace.graph, np.asarray(every))
    ids = np.broadcast_to(joined, found.shape).copy()
    return _made_of(trace, ids, float, found if trace.local else None)


_METHODS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_PARAMETERS, _drawn),
    "dirichlet": _parts_of_one,
    **dict.fromkeys(("choice", "permutation", "permuted"), _picked),
    "multivariate_normal": _normals,
}


def _tracing(name: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    """A function of ``np.random`` that takes traced parameters."""

    @named_like(draw)
    def call(*args: Any, **kwargs: Any) -> Any:
        if CURRENT.get() is None or not holds_traced(args, kwargs):
            return draw(*args, **kwargs)
        return _METHODS[name](name, draw, args, kwargs)

    call._captures = True  # type: ignore[attr-defined]
    return call


@shown_as_another
class TracedGenerator(np.random.Generator):
    """A generator that takes traced parameters while a trace runs."""

    __class__: Any = property(lambda self: np.random.Generator)


_STATES: Any = np.random.RandomState


class _Kind(type):
    """The class of `TracedState`, which stands for ``np.random.RandomState`` in tests of types."""

    def __instancecheck__(cls, instance: object) -> bool:
        if cls is TracedState:
            return isinstance(instance, _STATES)
        return super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if cls is TracedState:
            return issubclass(subclass, _STATES)
        return super().__subclasscheck__(subclass)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is TracedState and SESSION.get() is None:  # in another thread
            return _STATES(*args, **kwargs)
        return super().__call__(*args, **kwargs)


class TracedState(_STATES, metaclass=_Kind):  # type: ignore[misc]
    """A generator of NumPy's older kind that takes traced parameters while a trace runs."""


TracedState.__module__, TracedState.__qualname__ = _STATES.__module__, _STATES.__qualname__
TracedState.__name__ = _STATES.__name__


def _method(cls: type, name: str) -> Callable[..., Any]:
    original = getattr(cls, name)

    @named_like(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _tracing(name, functools.partial(original, self))(*args, **kwargs)

    method._captures = True  # type: ignore[attr-defined]
    return method


for _cls in (TracedGenerator, TracedState):
    for _name in _METHODS:
        if hasattr(_cls, _name):
            setattr(_cls, _name, _method(_cls.__bases__[0], _name))


def sharing(generator: Any) -> Any:
    """A generator that takes traced parameters, and draws what another one would draw next."""
    if type(generator) is np.random.Generator:
        return TracedGenerator(generator.bit_generator)
    made = type.__call__(TracedState, generator._bit_generator)
    made.set_state(generator.get_state(legacy=False))  # of normal numbers it keeps every other
    return made


def _made(original: Callable[..., Any]) -> Callable[..., Any]:
    @named_like(original)
    def default_rng(*args: Any, **kwargs: Any) -> Any:
        made_here = original(*args, **kwargs)
        if SESSION.get() is None or is_library(sys._getframe(1)):
            return made_here
        return sharing(made_here) if type(made_here) is np.random.Generator else made_here

    return default_rng


def patches() -> list[Patch]:
    """What makes generators, and the functions that draw from the global one."""
    module: Any = np.random
    functions = [name for name in _METHODS if hasattr(module, name)]
    return [
        Patch(module, "default_rng", module.default_rng, _made(module.default_rng)),
        Patch(module, "RandomState", _STATES, TracedState),
        *(
            Patch(module, name, getattr(module, name), _tracing(name, getattr(module, name)))
            for name in functions
        ),
    ]

"""Functions compiled by ``numba.vectorize`` and ``numba.guvectorize``, run on traced arrays.

Contract: the Python source is run once for each element, or for each place of the loop; what
a declared type would change is left to the machine code, which refuses traced arrays.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.capture.numba_source import (
    closes_over_traced,
    keeps,
    name_of,
    refuse,
    run_source,
)
from sparsetrace.capture.session import holds_traced, traced_constants
from sparsetrace.capture.vectorize import by_element
from sparsetrace.context import CURRENT
from sparsetrace.operands.operands import dtype_of, is_traced

__all__ = ["by_rows", "elementwise"]

_CORE = re.compile(r"\(([^()]*)\)")


def elementwise(original: Callable[..., Any]) -> Callable[..., Any]:
    """The calls of what ``numba.vectorize`` makes."""

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        trace = CURRENT.get()
        if trace is None:
            return original(self, *args, **kwargs)
        if not (holds_traced(args, kwargs) or closes_over_traced(self._dispatcher.py_func)):
            return original(self, *args, **kwargs)
        function, inputs = self._dispatcher.py_func, args[: self.nin]
        out = args[self.nin :] or _as_tuple(kwargs.pop("out", ()))
        if kwargs:
            refuse(name_of(function), f"its keyword {next(iter(kwargs))} is not traced")
        otypes = _loop(self) if self.types else None
        sizes = [np.size(x) for x in inputs]
        if (self.types and otypes is None) or not all(sizes):
            if not self.types:
                refuse(name_of(function), "it was given an array without elements")
            return self.ufunc(*inputs, **({"out": out} if out else {}))

        def element(*numbers: Any) -> Any:
            return run_source(name_of(function), self._dispatcher, function, numbers, {})

        results = by_element(trace, element, range(len(inputs)), inputs, {}, otypes=otypes)
        return _delivered(results, out)

    return __call__


def _as_tuple(out: object) -> tuple[Any, ...]:
    return out if isinstance(out, tuple) else () if out is None else (out,)


def _loop(ufunc: Any) -> str | None:
    """The results' types of the compiled loop that takes traced numbers; None if it casts them.

    NumPy takes the first loop that every argument fits in.
    """
    for loop in ufunc.types:
        inputs, _, outputs = loop.partition("->")
        if all(code in "dDgG" for code in inputs):
            return str(outputs) if set(inputs) == {"d"} else None
    return None


def _delivered(results: object, out: tuple[Any, ...]) -> Any:
    """Results written where they were asked for; of no dimensions, as numbers."""
    results = results if isinstance(results, tuple) else (results,)
    if out:
        for target, result in zip(out, results, strict=True):
            target[...] = result
        results = out
    else:
        results = tuple(result[()] if result.ndim == 0 else result for result in results)
    return results if len(results) > 1 else results[0]


def by_rows(original: Callable[..., Any]) -> Callable[..., Any]:
    """The calls of what ``numba.guvectorize`` makes."""

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        trace = CURRENT.get()
        if trace is None or not holds_traced(args, kwargs):
            return original(self, *args, **kwargs)
        builder = self.gufunc_builder
        cores = [_CORE.findall(side) for side in builder.signature.split("->")]
        names = [[_dimensions(core) for core in side] for side in cores]
        inputs = args[: len(names[0])]
        out = args[len(names[0]) :] or _as_tuple(kwargs.pop("out", ()))
        call = name_of(builder.py_func)
        if kwargs or builder.writable_args:
            refuse(call, "keywords and writable arguments of guvectorize are not traced")
        declared = [types for types in map(_args, builder._sigs) if all(map(keeps, types))]
        if not self.is_dynamic and not declared:
            return self.ufunc(*inputs, **({"out": out} if out else {}))
        if not out and self.is_dynamic:
            raise TypeError(f"too few arguments for function {self.__name__!r}")
        scalars = [not hasattr(argument, "dtype") for argument in declared[0]] if declared else []
        outputs = _targets(trace, call, inputs, out, names)
        run = functools.partial(run_source, call, self._dispatcher, builder.py_func)
        _fill_rows(run, inputs, outputs, names, scalars)
        return _delivered(tuple(outputs), out)

    return __call__


def _args(signature: Any) -> tuple[Any, ...]:
    return tuple(getattr(signature, "args", signature))


def _dimensions(core: str) -> list[str]:
    return [name.strip() for name in core.split(",") if name.strip()]


def _targets(
    trace: Any, call: str, inputs: Any, out: tuple[Any, ...], names: list[list[list[str]]]
) -> list[Any]:
    """A traced array for each output, filled with what is to be overwritten."""
    sizes: dict[str, int] = {}
    loops = []
    for x, core in zip(inputs, names[0], strict=True):
        shape = np.shape(x)
        if len(shape) < len(core):
            refuse(call, "an argument has too few dimensions")
        outer = len(shape) - len(core)
        loops.append(shape[:outer])
        for name, size in zip(core, shape[outer:], strict=True):
            if sizes.setdefault(name, size) != size:
                refuse(call, f"its arguments differ in the dimension {name}")
    loop = np.broadcast_shapes(*loops)
    outputs = []
    for at, core in enumerate(names[1]):
        if out:
            kept = np.shape(out[at])[len(np.shape(out[at])) - len(core) :]
            shape, content = loop + kept, out[at]
        else:
            if not sizes.keys() >= set(core):
                refuse(call, "the shape of its result is not that of its arguments")
            shape, content = loop + tuple(sizes[name] for name in core), 0.0
        dtype = dtype_of(content) if out else np.dtype(float)
        if dtype.kind not in "fc":
            refuse(call, f"it writes into an array of {dtype}")
        output = traced_constants(trace, np.zeros(shape, dtype))
        output[...] = content
        outputs.append(output)
    return outputs


def _fill_rows(
    run: Callable[..., Any],
    inputs: Any,
    outputs: list[Any],
    names: list[list[list[str]]],
    scalars: list[bool],
) -> None:
    """Run the source of a ``guvectorize`` function once for each place of the loop."""
    cores = [len(core) for core in names[0]]
    outer = outputs[0].ndim - len(names[1][0])
    loop = outputs[0].shape[:outer]
    spread = [_spread(x, loop, core) for x, core in zip(inputs, cores, strict=True)]
    for place in itertools.product(*map(range, loop)):
        row = []
        for at, (x, core) in enumerate(zip(spread, cores, strict=True)):
            number = not core and (not scalars or scalars[at])
            row.append(x[place] if core or number else x[(*place, None)])
        results = [
            output[place] if core else output[(*place, None)]
            for output, core in zip(outputs, names[1], strict=True)
        ]
        run((*row, *results), {})


def _spread(x: Any, loop: tuple[int, ...], core: int) -> Any:
    shape = np.shape(x)
    inner = shape[len(shape) - core :]
    return np.broadcast_to(x if is_traced(x) else np.asarray(x), loop + inner)

"""Functions that numba compiles: traced through the Python source that they were made from.

Contract: machine code reads and writes memory, and a traced array has none.  While a trace
runs, the calls of numba's compiled functions, wherever they are kept, run the Python source
for traced arguments, and the machine code for all others.  Where the source says something
else than what was compiled (declared types, numba's own containers), the call is refused.
numba itself is never imported.
"""

from __future__ import annotations

import functools
import itertools
import re
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from sparsetrace.capture.builtin_names import TracedFloat
from sparsetrace.capture.patch import ABSENT, Patch
from sparsetrace.capture.session import SESSION, Buffer, is_library
from sparsetrace.capture.vectorize import by_element
from sparsetrace.context import CURRENT
from sparsetrace.errors import EscapeError, TracingError, UnsupportedError, explain
from sparsetrace.operands import memory
from sparsetrace.operands.operands import Elements, contains_traced, dtype_of, is_traced
from sparsetrace.user_code.frames import is_own

__all__ = ["MODULE", "loaded", "patches"]

MODULE = "numba"


_CONFUSED = (AttributeError, NameError, NotImplementedError, TypeError)
"""Errors that compiled code does not raise by itself: the compiler refuses what may raise them."""
_REMEDY = (
    "Call its Python source in the traced function (kernel.py_func), with float64 values, or write "
    "it with NumPy functions"
)
_FLOATS = ("float64", "complex128")
_CORE = re.compile(r"\(([^()]*)\)")


def loaded() -> frozenset[str]:
    """Of numba alone: whether the program has loaded it, and with it its compiled functions."""
    known = MODULE in memory.COMPILERS and MODULE in sys.modules and _classes() is not None
    return frozenset((MODULE,)) if known else frozenset()


def _classes() -> tuple[type, type, type, type] | None:
    names = (
        ("numba.core.dispatcher", "Dispatcher"),
        ("numba.np.ufunc.dufunc", "DUFunc"),
        ("numba.np.ufunc.gufunc", "GUFunc"),
        ("numba.stencils.stencil", "StencilFunc"),
    )
    classes = [getattr(sys.modules.get(module), name, None) for module, name in names]
    return None if None in classes else tuple(classes)  # type: ignore[return-value,unused-ignore]


def patches() -> Iterator[Patch]:
    """The calls of what numba compiles, and where its compiler looks names up."""
    classes = _classes()
    assert classes is not None
    wrapped = (_compiled, _elementwise, _by_rows, _refused)
    for owner, wrap in zip(classes, wrapped, strict=True):
        original = owner.__call__  # type: ignore[operator,unused-ignore]
        yield Patch(owner, "__call__", original, wrap(original))
    context = sys.modules["numba.core.typing.context"].BaseContext
    original = context._lookup_global
    yield Patch(context, "_lookup_global", original, _by_originals(original))
    # what compiled functions return is made at the call of one: see `called_directly`
    yield Patch(classes[0], "_captures", ABSENT, True)


def _by_originals(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let numba compile what it meets while a trace runs: it knows functions by identity."""

    def _lookup_global(self: Any, value: Any) -> Any:
        if value is TracedFloat:
            value = float
        elif type(value) is types.FunctionType and is_own(value.__code__):
            value = getattr(value, "__wrapped__", value)
        return original(self, value)

    return _lookup_global


def _holds_traced(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return contains_traced(args) or any(map(contains_traced, kwargs.values()))


_MOST_NESTED = 5


def _closes_over_traced(function: Any, depth: int = _MOST_NESTED) -> bool:
    """Whether a function made in the traced one has traced values in its closure."""
    for cell in function.__closure__ or ():
        value = cell.cell_contents if _is_filled(cell) else None
        if contains_traced(value):
            return True
        inner = getattr(value, "py_func", None) or value
        if depth and type(inner) is types.FunctionType and _closes_over_traced(inner, depth - 1):
            return True
    return False


def _refuse(call: str, problem: str) -> NoReturn:
    raise UnsupportedError(explain(call, problem, _REMEDY + "."))


# -------------------------------------------------------------- jit and njit
def _compiled(original: Callable[..., Any]) -> Callable[..., Any]:
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if CURRENT.get() is None:
            return original(self, *args, **kwargs)
        if _holds_traced(args, kwargs) or _closes_over_traced(self.py_func):
            return _through_source(self, args, kwargs)
        result = original(self, *args, **kwargs)
        return _watched(result, (*args, *kwargs.values()), sys._getframe(1))

    return __call__


def _watched(result: Any, args: tuple[Any, ...], frame: types.FrameType) -> Any:
    """New arrays that machine code returned, as buffers: traced values may be written into them."""
    session = SESSION.get()
    if session is None or is_library(frame):
        return result
    if type(result) is tuple:
        # one call makes one buffer: of several, none could be told from the others
        return tuple(_view_of_buffer(item, args) for item in result)
    if type(result) is not np.ndarray or not _is_fresh(result, args):
        return _view_of_buffer(result, args)
    return session.buffer(result, frame)


def _is_fresh(result: Any, args: tuple[Any, ...]) -> bool:
    """Whether nothing else can be a view of the memory of a returned array."""
    plain = (bool, int, float, complex, str, type(None), np.generic)
    for arg in args:
        if isinstance(arg, np.ndarray):
            if np.may_share_memory(arg, result):
                return False
        elif not isinstance(arg, plain):
            return False  # a jitclass or a typed list may hold it
    return True


def _view_of_buffer(result: Any, args: tuple[Any, ...]) -> Any:
    if type(result) is not np.ndarray or result.dtype.kind not in "fc":
        return result
    for arg in args:
        if isinstance(arg, Buffer) and np.may_share_memory(arg, result):
            view = result.view(Buffer)
            view._sites = arg._sites
            return view
    return result


def _through_source(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the Python source of a compiled function gives."""
    function = self.py_func
    scope = function.__globals__
    if "__name__" not in scope:  # numba wrote the source itself, for a class
        function = _method(function, args)
    call = _name(function)
    if _package(function.__globals__) == "numba":
        _refuse(call, "numba's own functions and containers take numbers alone")
    if self.locals:
        _refuse(call, "its variables have declared types, which its Python source does not heed")
    if not self._can_compile and not any(_fits(s, args) for s in self.nopython_signatures):
        _refuse(call, "its declared types are not float64 or complex128, and change the values")
    return _run(call, self, function, args, kwargs)


def _package(scope: dict[str, Any]) -> str:
    return str(scope.get("__name__", "")).partition(".")[0]


def _name(function: Any) -> str:
    return f"the compiled function {getattr(function, '__qualname__', function)}"


def _method(function: Any, args: tuple[Any, ...]) -> Any:
    """The method of a ``jitclass`` behind the function that numba wrote to call it."""
    kind = getattr(type(args[0]), "_numba_type_", None) if args else None
    methods = getattr(kind, "jit_methods", {})
    names = function.__code__.co_names
    if function.__name__ == "method" and len(names) == 1 and names[0] in methods:
        return methods[names[0]].py_func
    _refuse("a numba jitclass", "its attributes hold numbers, and were given traced ones")


def _run(call: str, dispatcher: Any, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    replaced = _replaced(dispatcher, function)
    if replaced:
        _refuse(call, f"it calls {replaced}, of which numba compiles another source (overload)")
    try:
        return function(*args, **kwargs)
    except TracingError:
        raise
    except _CONFUSED as error:
        problem = (
            "its Python source, which is traced in place of the machine code, raised "
            f"{type(error).__name__}: {error}"
        )
        # with the frames of the source, in which early-bound names are exchanged
        found = EscapeError(explain(call, problem, "Write it with NumPy functions."))
        raise found.with_traceback(error.__traceback__) from error


_REPLACED: weakref.WeakKeyDictionary[Any, str | None] = weakref.WeakKeyDictionary()


def _replaced(dispatcher: Any, function: Any) -> str | None:
    """A function that the source calls, and that the compiler finds another source for."""
    if function not in _REPLACED:
        context = dispatcher.targetdescr.typing_context
        context.refresh()
        todo, seen = [function], {function}
        found = None
        while todo and found is None:
            for value in set(_called(todo.pop())) - seen:
                seen.add(value)
                todo.append(value)
                if _has_overload(context, value):
                    found = value.__qualname__
        _REPLACED[function] = found
    return _REPLACED[function]


def _called(function: Any) -> Iterator[types.FunctionType]:
    """The plain functions that a function names, in its module, in others and in a closure."""
    names = set(_names(function.__code__))
    held = [function.__globals__.get(name) for name in names]
    held += [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    modules = [value for value in held if type(value) is types.ModuleType]
    held += [vars(module).get(name) for module in modules for name in names]
    for value in held:
        if type(value) is types.FunctionType and _package(value.__globals__) not in _KNOWN:
            yield value


_KNOWN = ("numba", "numpy", "scipy", "sparsetrace")
"""What their functions give is what numba makes of them."""


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _has_overload(context: Any, function: types.FunctionType) -> bool:
    templates = getattr(context._lookup_global(function), "templates", ())
    sources = [getattr(template, "_overload_func", None) for template in templates]
    # register_jitable compiles the function's own source
    return any(
        source is not None and source.__module__ != "numba.core.extending" for source in sources
    )


# ------------------------------------------------------------ declared types
def _fits(signature: Any, args: tuple[Any, ...]) -> bool:
    """Whether declared types leave the values of the arguments and of the result as they are."""
    for declared, arg in zip(signature.args, args, strict=False):
        if is_traced(arg) or isinstance(arg, (list, tuple)):
            if not _keeps(declared):
                return False
        elif isinstance(arg, float) and str(declared).startswith(("int", "uint")):
            return False
    return _keeps(signature.return_type)


def _keeps(declared: Any) -> bool:
    """Whether a declared type holds every value of a traced number."""
    for inner in getattr(declared, "types", None) or (declared,):  # of tuples
        inner = getattr(inner, "dtype", inner)
        if str(inner) not in (*_FLOATS, "none"):
            return False
    return True


# ------------------------------------------------- vectorize and guvectorize
def _elementwise(original: Callable[..., Any]) -> Callable[..., Any]:
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        trace = CURRENT.get()
        if trace is None:
            return original(self, *args, **kwargs)
        if not (_holds_traced(args, kwargs) or _closes_over_traced(self._dispatcher.py_func)):
            return original(self, *args, **kwargs)
        function, inputs = self._dispatcher.py_func, args[: self.nin]
        out = args[self.nin :] or _as_tuple(kwargs.pop("out", ()))
        if kwargs:
            _refuse(_name(function), f"its keyword {next(iter(kwargs))} is not traced")
        kinds = _loop(self) if self.types else None
        sizes = [np.size(x) for x in inputs]
        if (self.types and kinds is None) or not all(sizes):
            if not self.types:
                _refuse(_name(function), "it was given an array without elements")
            return self.ufunc(*inputs, **({"out": out} if out else {}))

        def element(*numbers: Any) -> Any:
            return _run(_name(function), self._dispatcher, function, numbers, {})

        found = by_element(trace, element, range(len(inputs)), inputs, {}, otypes=kinds)
        return _delivered(found, out)

    return __call__


def _as_tuple(out: Any) -> tuple[Any, ...]:
    return out if isinstance(out, tuple) else () if out is None else (out,)


def _loop(ufunc: Any) -> str | None:
    """The results' types of the compiled loop that takes traced numbers; None if it casts them.

    NumPy takes the first loop that every argument fits in.
    """
    for kinds in ufunc.types:
        inputs, _, outputs = kinds.partition("->")
        if all(kind in "dDgG" for kind in inputs):
            return str(outputs) if set(inputs) == {"d"} else None
    return None


def _delivered(found: Any, out: tuple[Any, ...]) -> Any:
    """Results written where they were asked for; of no dimensions, as numbers."""
    results = found if isinstance(found, tuple) else (found,)
    if out:
        for target, result in zip(out, results, strict=True):
            target[...] = result
        results = out
    else:
        results = tuple(result[()] if result.ndim == 0 else result for result in results)
    return results if len(results) > 1 else results[0]


def _by_rows(original: Callable[..., Any]) -> Callable[..., Any]:
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        trace = CURRENT.get()
        if trace is None or not _holds_traced(args, kwargs):
            return original(self, *args, **kwargs)
        builder = self.gufunc_builder
        cores = [_CORE.findall(side) for side in builder.signature.split("->")]
        names = [[_dimensions(core) for core in side] for side in cores]
        inputs = args[: len(names[0])]
        out = args[len(names[0]) :] or _as_tuple(kwargs.pop("out", ()))
        call = _name(builder.py_func)
        if kwargs or builder.writable_args:
            _refuse(call, "keywords and writable arguments of guvectorize are not traced")
        declared = [kinds for kinds in map(_args, builder._sigs) if all(map(_keeps, kinds))]
        if not self.is_dynamic and not declared:
            return self.ufunc(*inputs, **({"out": out} if out else {}))
        if not out and self.is_dynamic:
            raise TypeError(f"too few arguments for function {self.__name__!r}")
        scalars = [not hasattr(kind, "dtype") for kind in declared[0]] if declared else []
        targets = _targets(trace, call, inputs, out, names)
        run = functools.partial(_run, call, self._dispatcher, builder.py_func)
        _fill_rows(run, inputs, targets, names, scalars)
        return _delivered(tuple(targets), out)

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
            _refuse(call, "an argument has too few dimensions")
        outer = len(shape) - len(core)
        loops.append(shape[:outer])
        for name, size in zip(core, shape[outer:], strict=True):
            if sizes.setdefault(name, size) != size:
                _refuse(call, f"its arguments differ in the dimension {name}")
    loop = np.broadcast_shapes(*loops)
    targets = []
    for at, core in enumerate(names[1]):
        if out:
            kept = np.shape(out[at])[len(np.shape(out[at])) - len(core) :]
            shape, content = loop + kept, out[at]
        else:
            if not sizes.keys() >= set(core):
                _refuse(call, "the shape of its result is not that of its arguments")
            shape, content = loop + tuple(sizes[name] for name in core), 0.0
        kind = dtype_of(content) if out else np.dtype(float)
        if kind.kind not in "fc":
            _refuse(call, f"it writes into an array of {kind}")
        values = np.zeros(shape, kind) if trace.local else None
        ids = trace.graph.constant(np.zeros(shape, kind))
        target = trace.wrap(Elements(ids, kind, values, keep_array=True))
        target[...] = content
        targets.append(target)
    return targets


def _fill_rows(
    run: Callable[..., Any],
    inputs: Any,
    targets: list[Any],
    names: list[list[list[str]]],
    scalars: list[bool],
) -> None:
    """Run the source of a ``guvectorize`` function once for each place of the loop."""
    cores = [len(core) for core in names[0]]
    outer = targets[0].ndim - len(names[1][0])
    loop = targets[0].shape[:outer]
    spread = [_spread(x, loop, core) for x, core in zip(inputs, cores, strict=True)]
    for place in itertools.product(*map(range, loop)):
        row = []
        for at, (x, core) in enumerate(zip(spread, cores, strict=True)):
            number = not core and (not scalars or scalars[at])
            row.append(x[place] if core or number else x[(*place, None)])
        results = [
            target[place] if core else target[(*place, None)]
            for target, core in zip(targets, names[1], strict=True)
        ]
        run((*row, *results), {})


def _spread(x: Any, loop: tuple[int, ...], core: int) -> Any:
    shape = np.shape(x)
    inner = shape[len(shape) - core :]
    return np.broadcast_to(x if is_traced(x) else np.asarray(x), loop + inner)


def _refused(original: Callable[..., Any]) -> Callable[..., Any]:
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if CURRENT.get() is None or not _holds_traced(args, kwargs):
            return original(self, *args, **kwargs)
        kernel = self.kernel_ir.func_id.func
        raise UnsupportedError(
            explain(
                f"the numba stencil {kernel.__qualname__}",
                "its kernel is compiled, and not traced",
                "Write it with slices: a[:-2] - 2 * a[1:-1] + a[2:].",
            )
        )

    return __call__

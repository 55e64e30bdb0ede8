"""A component of OpenMDAO as a function of one vector, and its pattern.

Contract: a component runs on vectors that look like OpenMDAO's, and is as before afterwards.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsetrace.api.detection import jacobian_sparsity
from sparsetrace.api.options import JacobianOptions
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.errors import InputError, TracingError, VerificationWarning
from sparsetrace.solvers import openmdao_tables as openmdao_tables

__all__ = ["ComponentFunction", "Layout", "Pair", "component_classes", "traced_component"]

_POINTS = 4
"""Where the pattern for every input cannot be had, patterns at so many points are united."""

Pair = tuple[str, str]
"""The names of an output, residual or state, and of what it is differentiated by."""


def component_classes() -> tuple[Any, Any, Any]:
    """OpenMDAO's explicit and implicit components, and independent variables."""
    try:
        from openmdao.api import ExplicitComponent, ImplicitComponent, IndepVarComp
    except ImportError as error:
        raise ImportError("this needs openmdao: pip install 'sparsetrace[openmdao]'") from error
    return ExplicitComponent, ImplicitComponent, IndepVarComp


class Layout:
    """Names, shapes and places of the variables in a vector."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.names, self.shapes = list(shapes), dict(shapes)
        self.places: dict[str, slice] = {}
        start = 0
        for name, shape in self.shapes.items():
            size = int(np.prod(shape, dtype=np.intp))
            self.places[name] = slice(start, start + size)
            start += size
        self.size = start


def _variables(component: Any, kind: str) -> tuple[Layout, NDArray[Any]]:
    """The inputs or outputs of a component, and their values."""
    names, metadata = component._var_rel_names[kind], component._var_rel2meta
    for name in names:
        if metadata[name]["shape"] is None:
            raise InputError(
                f"the shape of {name!r} is not known yet: call declare_sparsity in "
                "setup_partials, where it is"
            )
    layout = Layout({name: tuple(metadata[name]["shape"]) for name in names})
    vector: Any = getattr(component, f"_{kind}s", None)
    is_current = vector is not None and all(
        name in vector and np.shape(vector[name]) == shape for name, shape in layout.shapes.items()
    )
    if not is_current:  # not set up yet, or set up anew
        vector = {name: metadata[name]["val"] for name in names}
    values = np.zeros(layout.size)
    for name, shape in layout.shapes.items():
        value = np.array(vector[name], dtype=np.float64)
        values[layout.places[name]] = np.broadcast_to(value, shape).ravel()
    return layout, values


def _residuals(component: Any, outputs: Layout) -> Layout:
    """Residuals have the names and shapes of the outputs, unless the component adds its own."""
    declared = component._declared_residuals
    own = {name: tuple(meta["shape"]) for name, meta in declared.items()}
    if not own:
        if type(component).setup_residuals is not component_classes()[1].setup_residuals:
            raise InputError(
                f"{type(component).__name__} adds its residuals in setup_residuals: call "
                "declare_sparsity in setup_partials, which comes after it"
            )
        return outputs
    residuals = Layout(own)
    if residuals.size != outputs.size:
        raise InputError(
            f"{type(component).__name__} has {residuals.size} residuals and {outputs.size} outputs"
        )
    return residuals


class Vector(Mapping[str, Any]):
    """Looks like a vector of OpenMDAO's; its variables are views of one array."""

    def __init__(self, buffer: Any, layout: Layout) -> None:
        self._buffer, self._layout = buffer, layout

    def __getitem__(self, name: str) -> Any:
        view = self._buffer[self._layout.places[name]]
        shape = self._layout.shapes[name]
        return view.reshape(shape) if shape else view[0]

    def __setitem__(self, name: str, value: Any) -> None:
        place, shape = self._layout.places[name], self._layout.shapes[name]
        view = self._buffer[place].reshape(shape or (1,))
        if np.shape(value) != view.shape and np.size(value) == view.size:
            value = np.reshape(value, view.shape)
        view[...] = value

    def set_var(self, name: str, value: Any, idxs: Any = None, flat: bool = False) -> None:
        if idxs is None:
            self[name] = value
        else:
            place, shape = self._layout.places[name], self._layout.shapes[name]
            self._buffer[place].reshape(-1 if flat else shape or (1,))[idxs] = value

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout.names)

    def __len__(self) -> int:
        return len(self._layout.names)

    def get_val(self, name: str, flat: bool = True) -> Any:
        name = name.rpartition(".")[2]  # OpenMDAO wants the whole path here
        return self._buffer[self._layout.places[name]] if flat else self[name]

    def set_val(self, value: Any, idxs: Any = slice(None)) -> None:
        self._buffer[idxs] = value

    def asarray(self, copy: bool = False) -> Any:
        return self._buffer.copy() if copy else self._buffer

    _get_data = asarray  # not public, but OpenMDAO's own examples call it

    @property
    def _data(self) -> Any:
        """Not public either."""
        return self._buffer

    @_data.setter
    def _data(self, value: Any) -> None:
        self._buffer[...] = value


@contextmanager
def _vectors_of_its_own(component: Any, vectors: list[Vector]) -> Iterator[None]:
    """The vectors that a component has besides those that it is given, for as long as it runs."""
    names = ("_inputs", "_outputs", "_residuals")
    exchanged: dict[str, Any] = dict(zip(names, vectors, strict=False))
    if hasattr(component, "_exprs"):  # an ExecComp runs its expressions on arrays of its own
        from openmdao.components.exec_comp import _IODict

        exchanged["_manual_decl_partials"] = True
        exchanged["_iodict"] = _IODict(vectors[-1], vectors[0], component._constants)
    before = {name: getattr(component, name, None) for name in exchanged}
    vars(component).update(exchanged)
    try:
        yield
    finally:
        vars(component).update(before)


class _Discrete(dict[str, Any]):
    """Discrete variables, of which a run keeps its own."""


class ComponentFunction:
    """A component as a function of one vector: of inputs, and of states if it is implicit."""

    def __init__(self, component: Any) -> None:
        explicit, implicit, _ = component_classes()
        self.component = component
        self.is_implicit = isinstance(component, implicit)
        if not isinstance(component, (explicit, implicit)):
            raise InputError(f"{type(component).__name__} has neither compute nor apply_nonlinear")
        self.inputs, self._input_values = _variables(component, "input")
        self.outputs, self._output_values = _variables(component, "output")
        self.results = _residuals(component, self.outputs) if self.is_implicit else self.outputs
        self.discrete: Any = None

    @property
    def start(self) -> NDArray[Any]:
        """The inputs' values, and the states' behind them."""
        states = [self._output_values] if self.is_implicit else []
        return np.concatenate([self._input_values, *states])

    @property
    def before(self) -> NDArray[Any]:
        """What outputs or residuals hold before a run."""
        return np.zeros(self.results.size) if self.is_implicit else self._output_values

    def fill(self, component: Any, x: Any, results: Any) -> None:
        """Run the component; `results` are its outputs or residuals."""
        count = self.inputs.size
        vectors = [Vector(x[:count], self.inputs)]
        if self.is_implicit:
            vectors.append(Vector(x[count:], self.outputs))
        vectors.append(Vector(results, self.results))
        run = component.apply_nonlinear if self.is_implicit else component.compute
        with _vectors_of_its_own(component, vectors):
            run(*vectors, *self._discrete())

    def settings(self) -> bytes:
        """Discrete inputs and options, as far as they can be told apart."""
        discrete = [variable for kind in self._discrete() for variable in kind.items()]
        options = list(self.component.options.items())
        return b";".join(_told(name, value) for name, value in (*discrete, *options))

    def _discrete(self) -> tuple[Any, ...]:
        known = self.component._var_discrete
        if not (known["input"] or known["output"]):
            return ()
        given = self.discrete or {}
        values = [
            _Discrete({name: data["val"] for name, data in known[kind].items()})
            for kind in ("input", "output")
        ]
        values[0].update(given)
        return tuple(values)

    def run(self, x: NDArray[Any]) -> NDArray[Any]:
        """The outputs or residuals at `x`, real or complex."""
        results = self.before.astype(np.result_type(x, np.float64))
        self.fill(self.component, x, results)
        return results

    def columns(self) -> Iterator[tuple[str, slice]]:
        """Inputs, then states, and their columns."""
        yield from self.inputs.places.items()
        if self.is_implicit:
            for name, place in self.outputs.places.items():
                yield name, slice(place.start + self.inputs.size, place.stop + self.inputs.size)

    def parts(self, pattern: Any, rows_of: Layout, *, every: bool = False) -> dict[Pair, Any]:
        """The pattern of each pair that has entries, or of every one; rows by either layout."""
        parts = {
            (of, wrt): pattern[rows, columns]
            for of, rows in rows_of.places.items()
            for wrt, columns in self.columns()
        }
        return {pair: part for pair, part in parts.items() if every or part.nnz}


def traced_component(model: ComponentFunction, detection: JacobianOptions) -> SparsityPattern:
    """The pattern for every input; where that cannot be had, the union of those at some points."""
    start, component = model.start, model.component

    def fill(x: Any, out: Any) -> None:
        model.fill(component, x, out)  # named here, so that a trace looks at what it holds

    try:
        return jacobian_sparsity(fill, start, out=model.before, **detection)
    except TracingError as error:
        random = np.random.default_rng(0)
        sizes = np.maximum(1.0, np.abs(start))
        points = [start, *(start + 0.1 * sizes * random.uniform(-1, 1, (_POINTS - 1, len(start))))]
        at_a_point: JacobianOptions = {**detection, "local": True}
        patterns = [
            jacobian_sparsity(fill, point, out=model.before, **at_a_point) for point in points
        ]
        name = model.component.pathname or type(model.component).__name__
        warnings.warn(
            f"{name} is not traced for every input, but at {_POINTS} points, whose union may lack "
            f"entries that others have: {error}",
            VerificationWarning,
            stacklevel=3,
        )
        union: SparsityPattern = reduce(or_, patterns)
        return union


def _told(name: str, value: Any) -> bytes:
    try:
        return pickle.dumps((name, value))
    except Exception:  # what cannot be pickled is told by its identity
        return pickle.dumps((name, id(value)))

"""OpenMDAO: the partial derivatives of a component, declared and computed from its own code.

Contract: a component runs on vectors that look like OpenMDAO's, and is as before afterwards.
Rows and columns of each pair (of, wrt) are in C order, as `declare_partials` takes them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array

from sparsetrace.api.detection import jacobian_sparsity
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.coloring import color_columns
from sparsetrace.derivatives.jacobian import SparseJacobian, sparse_jacobian
from sparsetrace.errors import InputError, TracingError, VerificationWarning

__all__ = ["DeclaredPartials", "check_declared", "declare_sparsity"]

_POINTS = 4
"""Where the pattern for every input cannot be had, patterns at so many points are united."""

Pair = tuple[str, str]


def declare_sparsity(
    component: Any, *, partials: bool = True, **detection: Any
) -> dict[Pair, SparsityPattern]:
    """Declare the partial derivatives that a component has, by tracing it.

    To be called in `setup_partials`, or at the end of `setup`, or before ``problem.final_setup()``
    of a component that is set up.  Each pair of an output (or residual) and an input (or state)
    with entries is declared by rows and columns.

    Parameters
    ----------
    component : ExplicitComponent or ImplicitComponent
        Its `compute`, or `apply_nonlinear`, is run on vectors that look like OpenMDAO's.
    partials : bool, optional
        Let the component compute its partial derivatives, too: from one call a color, by the
        complex step where its code takes complex numbers.  With False only the sparsity is
        declared, for a component that has `compute_partials` or `linearize` of its own.  An
        ExecComp differentiates itself, within what is declared.
    **detection
        Keywords of `jacobian_sparsity`.

    Returns
    -------
    dict of (of, wrt) to SparsityPattern
        What was declared.

    Raises
    ------
    TracingError
        If a dependency could be lost, at points too.
    InputError
        If it is no component of these kinds.

    Warns
    -----
    VerificationWarning
        Where the pattern for every input cannot be had: the patterns at several points are united
        then, and may lack entries that other points have.

    Examples
    --------
    ::

        class Lift(om.ExplicitComponent):
            def setup(self):
                self.add_input("speed", shape=100)
                self.add_output("lift", shape=100)

            def setup_partials(self):
                declare_sparsity(self)

            def compute(self, inputs, outputs):
                outputs["lift"] = 0.6 * inputs["speed"] ** 2
    """
    model = _Model(component)
    pattern = _traced(model, detection)
    parts = model.parts(pattern)
    own = {"method": "cs"} if hasattr(component, "_exprs") else {}
    for (of, wrt), part in parts.items():
        rows, columns = part.coords()
        component.declare_partials(of, wrt, rows=rows, cols=columns, **own)
    if partials and not own:
        _Partials(model, pattern, parts).install()
    return parts


@dataclass(frozen=True)
class DeclaredPartials:
    """What a component declares beside what its code does, for one pair."""

    component: str
    of: str
    wrt: str
    missing: tuple[tuple[int, int], ...]
    """Entries that the code has and the declaration lacks: derivatives that OpenMDAO loses."""
    extra: int
    """Entries that are declared and always zero."""
    colors_saved: int
    """Colors of columns that the component needs fewer than what it declares."""

    @property
    def is_right(self) -> bool:
        """Whether no derivative is lost."""
        return not self.missing

    def __str__(self) -> str:
        text = f"{self.component}: d {self.of} / d {self.wrt}"
        if self.missing:
            text += f": lacks {len(self.missing)} entries, the first at {self.missing[0]}"
        if self.extra:
            text += f": {self.extra} entries more than there are"
        if self.colors_saved > 0:
            text += f" ({self.colors_saved} colors more than the component needs)"
        return text


def check_declared(model: Any, **detection: Any) -> list[DeclaredPartials]:
    """Compare what the components of a model declare with what their code does.

    Parameters
    ----------
    model : Problem or System
        After ``problem.final_setup()``.
    **detection
        Keywords of `jacobian_sparsity`.

    Returns
    -------
    list of DeclaredPartials
        One for each pair that is declared otherwise than the code has it, pairs that lose
        derivatives first.  Components that cannot be traced are named by warnings; those without
        code of their own are left out.

    Raises
    ------
    ImportError
        If openmdao is not installed: ``pip install 'sparsetrace[openmdao]'``.

    Examples
    --------
    ::

        for wrong in check_declared(problem):
            print(wrong)
    """
    system = getattr(model, "model", model)
    results = []
    for component in _components(system):
        try:
            results += _compared(_Model(component), detection)
        except TracingError as error:
            warnings.warn(
                f"{component.pathname} is not checked: {error}", VerificationWarning, stacklevel=2
            )
    return sorted(results, key=lambda result: result.is_right)


def _components(system: Any) -> Iterator[Any]:
    try:
        from openmdao.api import ExplicitComponent, ImplicitComponent, IndepVarComp
    except ImportError as error:
        raise ImportError("this needs openmdao: pip install 'sparsetrace[openmdao]'") from error
    for component in system.system_iter(include_self=True, recurse=True):
        is_explicit = isinstance(component, ExplicitComponent)
        method, base = ("compute", ExplicitComponent)
        if not is_explicit:
            method, base = ("apply_nonlinear", ImplicitComponent)
        if not isinstance(component, base) or isinstance(component, IndepVarComp):
            continue
        if getattr(type(component), method) is not getattr(base, method):
            yield component


def _compared(model: _Model, detection: Mapping[str, Any]) -> list[DeclaredPartials]:
    component = model.component
    if not model.inputs.size or not model.results.size:
        return []
    whole = _traced(model, dict(detection))
    traced = model.parts(whole, every=True)
    known = {pair: _declared(component, *pair, part.shape) for pair, part in traced.items()}
    columns = [wrt for wrt, _ in model.columns()]
    blocks = [[known[of, wrt] for wrt in columns] for of in model.results.names]
    saved = color_columns(block_array(blocks)).num_colors - color_columns(whole).num_colors
    results = []
    for (of, wrt), pattern in traced.items():
        declared = known[of, wrt]
        missing = tuple(zip(*((pattern - declared).coords()), strict=True))
        extra = (declared - pattern).nnz
        if missing or extra:
            places = tuple((int(row), int(column)) for row, column in missing)
            results.append(DeclaredPartials(component.pathname, of, wrt, places, extra, saved))
    return results


def _declared(component: Any, of: str, wrt: str, shape: tuple[int, int]) -> SparsityPattern:
    """The entries that a component declares for a pair; all of them where it names none."""
    prefix = f"{component.pathname}." if component.pathname else ""
    known = component._subjacs_info.get((prefix + of, prefix + wrt))
    if known is None or not known.get("dependent", True):
        return SparsityPattern(np.zeros(shape, dtype=np.bool_))
    if known.get("diagonal"):
        return SparsityPattern(np.eye(*shape, dtype=np.bool_))
    rows, columns = known.get("rows"), known.get("cols")
    if rows is None:
        return SparsityPattern(np.ones(shape, dtype=np.bool_))
    entries = np.zeros(shape, dtype=np.bool_)
    entries[rows, columns] = True
    return SparsityPattern(entries)


# ------------------------------------------------------------------------- vectors of a component
class _Layout:
    """Names, shapes and places of the variables in a vector, and their values."""

    def __init__(self, component: Any, kind: str) -> None:
        self.names: list[str] = list(component._var_rel_names[kind])
        metadata = component._var_rel2meta
        vector: Any = getattr(component, f"_{kind}s", None)
        if vector is None or any(name not in vector for name in self.names):  # not set up yet
            vector = {name: metadata[name]["val"] for name in self.names}
        values = {name: np.array(vector[name], dtype=np.float64) for name in self.names}
        self.shapes = {name: tuple(metadata[name]["shape"]) for name in self.names}
        self.places: dict[str, slice] = {}
        start = 0
        for name in self.names:
            size = int(np.prod(self.shapes[name], dtype=np.intp))
            self.places[name] = slice(start, start + size)
            start += size
        self.size = start
        self.values = np.zeros(start)
        for name in self.names:
            self.values[self.places[name]] = np.broadcast_to(
                values[name], self.shapes[name]
            ).ravel()


class _Vector(Mapping[str, Any]):
    """Looks like a vector of OpenMDAO's; its variables are views of one array."""

    def __init__(self, buffer: Any, layout: _Layout) -> None:
        self._buffer, self._layout = buffer, layout

    def __getitem__(self, name: str) -> Any:
        view = self._buffer[self._layout.places[name]]
        shape = self._layout.shapes[name]
        return view.reshape(shape) if shape else view[0]

    def __setitem__(self, name: str, value: Any) -> None:
        place, shape = self._layout.places[name], self._layout.shapes[name]
        view = self._buffer[place].reshape(shape or (1,))
        view[...] = value if np.ndim(value) or not shape else np.asarray(value)

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


@contextmanager
def _vectors_of_its_own(component: Any, vectors: list[_Vector]) -> Iterator[None]:
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


class _Model:
    """A component as a function of one vector: of inputs, and of states if it is implicit."""

    def __init__(self, component: Any) -> None:
        self.component = component
        self.is_implicit = hasattr(component, "apply_nonlinear") and not hasattr(
            component, "compute"
        )
        if not (self.is_implicit or hasattr(component, "compute")):
            raise InputError(f"{type(component).__name__} has neither compute nor apply_nonlinear")
        self.inputs = _Layout(component, "input")
        self.results = _Layout(component, "output")
        self.discrete: Any = None

    @property
    def start(self) -> NDArray[Any]:
        """The inputs' values, and the states' behind them."""
        parts = (
            [self.inputs.values, self.results.values] if self.is_implicit else [self.inputs.values]
        )
        return np.concatenate(parts)

    def fill(self, component: Any, x: Any, results: Any) -> None:
        """Run the component; `results` are its outputs or residuals."""
        count = self.inputs.size
        vectors = [_Vector(x[:count], self.inputs)]
        if self.is_implicit:
            vectors.append(_Vector(x[count:], self.results))
        vectors.append(_Vector(results, self.results))
        run = component.apply_nonlinear if self.is_implicit else component.compute
        with _vectors_of_its_own(component, vectors):
            run(*vectors, *self._discrete())

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
        before = np.zeros_like(self.results.values) if self.is_implicit else self.results.values
        results = before.astype(np.result_type(x, np.float64))
        self.fill(self.component, x, results)
        return results

    def columns(self) -> Iterator[tuple[str, slice]]:
        """Inputs, then states, and their columns."""
        yield from self.inputs.places.items()
        if self.is_implicit:
            for name, place in self.results.places.items():
                yield name, slice(place.start + self.inputs.size, place.stop + self.inputs.size)

    def parts(
        self, pattern: SparsityPattern, *, every: bool = False
    ) -> dict[Pair, SparsityPattern]:
        """The pattern of each pair that has entries, or of every one."""
        parts = {
            (of, wrt): pattern[rows, columns]
            for of, rows in self.results.places.items()
            for wrt, columns in self.columns()
        }
        return {pair: part for pair, part in parts.items() if every or part.nnz}


def _traced(model: _Model, detection: dict[str, Any]) -> SparsityPattern:
    """The pattern for every input; where that cannot be had, the union of those at some points."""
    results = np.zeros(model.results.size) if model.is_implicit else model.results.values
    options = {"out": results, **detection}
    start, component = model.start, model.component

    def fill(x: Any, out: Any) -> None:
        model.fill(component, x, out)  # named here, so that a trace looks at what it holds

    try:
        return jacobian_sparsity(fill, start, **options)
    except TracingError as error:
        random = np.random.default_rng(0)
        sizes = np.maximum(1.0, np.abs(start))
        points = [start, *(start + 0.1 * sizes * random.uniform(-1, 1, (_POINTS - 1, len(start))))]
        patterns = [
            jacobian_sparsity(fill, point, **{**options, "local": True}) for point in points
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


# ---------------------------------------------------------------------------------- derivatives
class _Partials:
    """The partial derivatives of a component, from one call a color."""

    def __init__(
        self, model: _Model, pattern: SparsityPattern, parts: Mapping[Pair, SparsityPattern]
    ) -> None:
        self._model, self._pattern = model, pattern
        self._jacobian: SparseJacobian | None = None
        numbers = pattern.astype(np.int64)
        numbers.data = np.arange(pattern.nnz)
        columns = dict(model.columns())
        self._places = {
            (of, wrt): numbers[model.results.places[of], columns[wrt]].data for of, wrt in parts
        }

    def install(self) -> None:
        """Let the component compute its derivatives so."""
        component = self._model.component
        if self._model.is_implicit:
            component.linearize = self.linearize
            component._has_linearize = True
        else:
            component.compute_partials = self.compute_partials
            component._has_compute_partials = True

    def compute_partials(self, inputs: Any, partials: Any, discrete_inputs: Any = None) -> None:
        """Fill the partial derivatives of outputs by inputs, as OpenMDAO asks for it."""
        self._fill(self._vector(inputs, self._model.inputs), partials, discrete_inputs)

    def linearize(
        self,
        inputs: Any,
        outputs: Any,
        jacobian: Any,
        discrete_inputs: Any = None,
        discrete_outputs: Any = None,
    ) -> None:
        """Fill the partial derivatives of residuals by inputs and states."""
        model = self._model
        x = [self._vector(inputs, model.inputs), self._vector(outputs, model.results)]
        self._fill(np.concatenate(x), jacobian, discrete_inputs)

    @staticmethod
    def _vector(values: Any, layout: _Layout) -> NDArray[Any]:
        parts = [np.ravel(values[name]) for name in layout.names]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _fill(self, x: NDArray[Any], partials: Any, discrete: Any) -> None:
        self._model.discrete = None if discrete is None else dict(discrete.items())
        if self._jacobian is None:
            run: Callable[..., Any] = self._model.run
            self._jacobian = sparse_jacobian(run, x, pattern=self._pattern)
        data = self._jacobian.data(x)
        for pair, places in self._places.items():
            partials[pair] = data[places]

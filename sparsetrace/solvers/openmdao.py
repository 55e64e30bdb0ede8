"""OpenMDAO: the partial derivatives of a component, declared and computed from its own code.

Contract: a component runs on vectors that look like OpenMDAO's, and is as before afterwards.
Rows and columns of each pair (of, wrt) are in C order, as `declare_partials` takes them.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, csr_array, eye_array

from sparsetrace.api.options import JacobianOptions, refuse_unknown, takes
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.coloring import color_columns
from sparsetrace.derivatives.jacobian import SparseJacobian
from sparsetrace.derivatives.methods import Method
from sparsetrace.errors import VerificationError, VerificationWarning
from sparsetrace.solvers.openmdao_component import (
    ComponentFunction,
    Layout,
    Pair,
    component_classes,
    traced_component,
)

__all__ = ["DeclaredPartials", "check_declared", "declare_sparsity"]


@takes(JacobianOptions)
def declare_sparsity(
    component: Any, *, partials: bool = True, **detection: Unpack[JacobianOptions]
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
        See `sparsetrace.api.options.JacobianOptions`.

    Returns
    -------
    dict of (of, wrt) to SparsityPattern
        What was declared.

    Raises
    ------
    TracingError
        If a dependency could be lost, at points too.
    InputError
        If it is no component of these kinds, or has inputs or residuals that are not known yet.

    Notes
    -----
    Code that takes no complex numbers, or drops their imaginary parts, is differentiated by real
    differences; so is all code at complex points, where OpenMDAO takes a complex step itself.

    Where discrete inputs or options are others at a later linearization, the component is traced
    again; entries that were not declared raise a `VerificationError`.

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
    refuse_unknown(declare_sparsity, JacobianOptions, detection)
    model = ComponentFunction(component)
    pattern = traced_component(model, detection)
    own = {"method": "cs"} if hasattr(component, "_exprs") else {}
    # of an implicit component the empty ones too: OpenMDAO takes what is not declared for a proof
    # that an output does not depend on an input, and it may do so by way of other states
    declared = model.parts(pattern, model.outputs, every=model.is_implicit)
    if model.results is not model.outputs:
        _ByOutputs.install(component, declared)
    for (of, wrt), part in declared.items():
        rows, columns = part.coords()
        component.declare_partials(of, wrt, rows=rows, cols=columns, **own)
    if partials and not own:
        _Partials(model, pattern, detection).install()
    return model.parts(pattern, model.results)


class _ByOutputs:
    """Declarations by the names of outputs, of a component whose residuals have names of their own.

    OpenMDAO keeps them by outputs, and would take ours for names of residuals; its translation
    from those joins no patterns without values.
    """

    def __init__(self, component: Any) -> None:
        self._pairs: set[Pair] = set()
        self._by_residuals = component._resolve_partials_patterns
        above: Any = super(component_classes()[1], component)
        self._by_outputs = above._resolve_partials_patterns

    @classmethod
    def install(cls, component: Any, pairs: Collection[Pair]) -> None:
        """Let the component take these pairs as they are; once, however often it is set up."""
        resolve = vars(component).get("_resolve_partials_patterns")
        if not isinstance(resolve, cls):
            resolve = component._resolve_partials_patterns = cls(component)
        resolve._pairs = set(pairs)

    def __call__(self, of: Any, wrt: Any, meta: Any) -> None:
        is_ours = (of, wrt) in self._pairs
        (self._by_outputs if is_ours else self._by_residuals)(of, wrt, meta)


@dataclass(frozen=True)
class DeclaredPartials:
    """What a component declares beside what its code does, for one pair; see `check_declared`.

    Its text is a line for a log.

    Examples
    --------
    >>> print(DeclaredPartials("wing", "lift", "speed", ((0, 3),), extra=0, colors_saved=0))
    wing: d lift / d speed: lacks 1 entries, the first at (0, 3)
    """

    component: str
    """Its path in the model."""
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


@takes(JacobianOptions)
def check_declared(model: Any, **detection: Unpack[JacobianOptions]) -> list[DeclaredPartials]:
    """Compare what the components of a model declare with what their code does.

    Parameters
    ----------
    model : Problem or System
        After ``problem.final_setup()``.
    **detection
        See `sparsetrace.api.options.JacobianOptions`.

    Returns
    -------
    list of DeclaredPartials
        One for each pair that is declared otherwise than the code has it, pairs that lose
        derivatives first.  Components that cannot be traced are named by warnings; those without
        code of their own, and matrix-free ones, are left out.

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
    refuse_unknown(check_declared, JacobianOptions, detection)
    system = getattr(model, "model", model)
    results = []
    for component in _components(system):
        if component.matrix_free:
            continue
        try:
            results += _compared(ComponentFunction(component), detection)
        except Exception as error:  # what its own code raises, too
            warnings.warn(
                f"{component.pathname} is not checked: {error}", VerificationWarning, stacklevel=2
            )
    return sorted(results, key=lambda result: result.is_right)


def _components(system: Any) -> Iterator[Any]:
    explicit, implicit, independent = component_classes()
    for component in system.system_iter(include_self=True, recurse=True):
        if isinstance(component, independent):
            continue
        for base, method in ((explicit, "compute"), (implicit, "apply_nonlinear")):
            if isinstance(component, base):
                if getattr(type(component), method) is not getattr(base, method):
                    yield component
                break


def _compared(model: ComponentFunction, detection: JacobianOptions) -> list[DeclaredPartials]:
    component = model.component
    if not model.inputs.size or not model.results.size:
        return []
    whole = traced_component(model, detection)
    traced = model.parts(whole, model.results, every=True)
    # OpenMDAO keeps what is declared by the names of outputs, whatever residuals are called
    blocks = [
        [
            _declared(component, of, wrt, (rows.stop - rows.start, columns.stop - columns.start))
            for wrt, columns in model.columns()
        ]
        for of, rows in model.outputs.places.items()
    ]
    known = SparsityPattern(csr_array(block_array(blocks)))
    saved = color_columns(known).num_colors - color_columns(whole).num_colors
    results = []
    for ((of, wrt), pattern), declared in zip(
        traced.items(), model.parts(known, model.results, every=True).values(), strict=True
    ):
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
        return SparsityPattern(csr_array(shape, dtype=np.bool_))
    if known.get("diagonal"):
        return SparsityPattern(eye_array(*shape, dtype=np.bool_))
    rows, columns = known.get("rows"), known.get("cols")
    if rows is None:
        return SparsityPattern(np.ones(shape, dtype=np.bool_))
    entries = np.ones(len(rows), dtype=np.bool_), (rows, columns)
    return SparsityPattern(csr_array(entries, shape=shape))


# ---------------------------------------------------------------------------------- derivatives
class _Partials:
    """The partial derivatives of a component, from one call a color."""

    def __init__(
        self,
        model: ComponentFunction,
        pattern: SparsityPattern,
        detection: JacobianOptions,
    ) -> None:
        self._model, self._pattern, self._detection = model, pattern, detection
        self._by_calls: dict[Method | None, SparseJacobian] = {}
        self._settings = model.settings()
        numbers = pattern.astype(np.int64)
        numbers.data = np.arange(pattern.nnz)
        parts = model.parts(numbers, model.outputs)
        self._places = {pair: part.data for pair, part in parts.items()}

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
        x = [self._vector(inputs, model.inputs), self._vector(outputs, model.outputs)]
        self._fill(np.concatenate(x), jacobian, discrete_inputs)

    def _follow_settings(self) -> None:
        """Trace again where discrete inputs or options are others; what is declared must hold."""
        settings = self._model.settings()
        if settings == self._settings:
            return
        pattern = traced_component(self._model, self._detection)
        lost = pattern - self._pattern
        if lost:
            raise VerificationError(
                f"{self._model.component.pathname} has {lost.nnz} partial derivatives that were "
                "not declared, because a discrete input or an option has changed since: call "
                "problem.setup() again after a change of an option, give add_discrete_input the "
                "value of a discrete input, or declare them by hand"
            )
        self._by_calls, self._settings = {}, settings

    @staticmethod
    def _vector(values: Any, layout: Layout) -> NDArray[Any]:
        parts = [np.ravel(values[name]) for name in layout.names]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _fill(self, x: NDArray[Any], partials: Any, discrete: Any) -> None:
        self._model.discrete = None if discrete is None else dict(discrete.items())
        self._follow_settings()
        data = self._values(x)
        # the jacobian of a component whose residuals have their own names holds that of outputs
        of_outputs = getattr(partials, "_jac", partials)
        for pair, places in self._places.items():
            values = data[places]
            # at complex points OpenMDAO has room for real values at times: then Newton's steps are
            # those of the real part, and end at the same point
            of_outputs[pair] = values if np.iscomplexobj(of_outputs[pair]) else values.real

    def _values(self, x: NDArray[Any]) -> NDArray[Any]:
        """All entries; by real differences where the complex step is of no use."""
        if np.iscomplexobj(x):
            if x.imag.any():
                return self._jacobian(x, "3-point").data(x)
            x = x.real
        return self._jacobian(x, None).data(x)

    def _jacobian(self, x: NDArray[Any], method: Method | None) -> SparseJacobian:
        if method not in self._by_calls:
            self._by_calls[method] = _ComponentJacobian(self._model, x, self._pattern, method)
        return self._by_calls[method]


class _ComponentJacobian(SparseJacobian):
    """That of a component; what decides how to take it is the component's own code."""

    def __init__(
        self,
        model: ComponentFunction,
        x: NDArray[Any],
        pattern: SparsityPattern,
        method: Method | None,
    ) -> None:
        self._classes = [
            cls
            for cls in type(model.component).__mro__
            if not cls.__module__.startswith("openmdao.")
        ]
        super().__init__(
            model.run,
            (x,),
            method=method,
            real_method="3-point",
            pattern=pattern,
            detection={},
        )

    def _functions(self) -> list[Any]:
        held = [value for cls in self._classes for value in vars(cls).values()]
        return [value for value in held if isinstance(value, types.FunctionType)]

"""Sparsity patterns of Jacobians and Hessians, from NumPy functions that nobody rewrote."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sparsetrace.collector import grown_old, seldom_collected

with seldom_collected():  # a third of the time that importing takes
    from sparsetrace import scipy_rules as _scipy_rules  # noqa: F401  # registers its rules
    from sparsetrace.api.compressed import CompressedPattern
    from sparsetrace.api.detection import (
        hessian_sparsity,
        jacobian_sparsity,
        lagrangian_hessian_sparsity,
    )
    from sparsetrace.api.detectors import HessianDetector, JacobianDetector
    from sparsetrace.api.extension import detach, opaque, register_rule
    from sparsetrace.api.pattern import SparsityPattern
    from sparsetrace.arrays.array import TracedArray
    from sparsetrace.capture import exact_types as _exact_types
    from sparsetrace.capture import numpy_testing as _numpy_testing  # noqa: F401  # likewise
    from sparsetrace.capture import patches as _patches
    from sparsetrace.capture import scikit_learn as _scikit_learn  # noqa: F401  # likewise
    from sparsetrace.capture import statistics_module as _statistics_module  # noqa: F401  # likewise
    from sparsetrace.capture import strided_views as _strided_views  # noqa: F401  # likewise
    from sparsetrace.errors import (
        EscapeError,
        ExecutorError,
        GraphSizeError,
        InputError,
        OutputError,
        TracingError,
        UnsupportedError,
        ValueDependentError,
        VerificationError,
        VerificationWarning,
    )
    from sparsetrace.numbers.scalar import TracedScalar
    from sparsetrace.verification import check_hessian_sparsity, check_jacobian_sparsity

    _exact_types.look_at_modules()
    _patches.prepare()
    grown_old()

if TYPE_CHECKING:
    from sparsetrace import coloring, solvers
    from sparsetrace.api.diagnosis import Diagnosis, Refusal, diagnose
    from sparsetrace.derivatives.check import check_derivatives
    from sparsetrace.derivatives.hessian import sparse_hessian, sparse_lagrangian_hessian
    from sparsetrace.derivatives.jacobian import sparse_jacobian

__all__ = [
    "CompressedPattern",
    "Diagnosis",
    "EscapeError",
    "ExecutorError",
    "GraphSizeError",
    "HessianDetector",
    "InputError",
    "JacobianDetector",
    "OutputError",
    "Refusal",
    "SparsityPattern",
    "TracedArray",
    "TracedScalar",
    "TracingError",
    "UnsupportedError",
    "ValueDependentError",
    "VerificationError",
    "VerificationWarning",
    "check_derivatives",
    "check_hessian_sparsity",
    "check_jacobian_sparsity",
    "coloring",
    "detach",
    "diagnose",
    "hessian_sparsity",
    "jacobian_sparsity",
    "lagrangian_hessian_sparsity",
    "opaque",
    "register_rule",
    "solvers",
    "sparse_hessian",
    "sparse_jacobian",
    "sparse_lagrangian_hessian",
]

__version__ = "0.1.0"

_LATER = {
    "Diagnosis": "sparsetrace.api.diagnosis",
    "Refusal": "sparsetrace.api.diagnosis",
    "check_derivatives": "sparsetrace.derivatives.check",
    "coloring": "sparsetrace.coloring",
    "diagnose": "sparsetrace.api.diagnosis",
    "solvers": "sparsetrace.solvers",
    "sparse_hessian": "sparsetrace.derivatives.hessian",
    "sparse_jacobian": "sparsetrace.derivatives.jacobian",
    "sparse_lagrangian_hessian": "sparsetrace.derivatives.hessian",
}
"""Names that are imported when they are first used: patterns need neither them nor what they do."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_LATER[name])
    value = module if _LATER[name].endswith(f".{name}") else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})

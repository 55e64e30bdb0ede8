"""Sparsity patterns of Jacobians and Hessians, from NumPy functions that nobody rewrote."""

from sparsetrace import coloring
from sparsetrace import scipy_rules as _scipy_rules  # noqa: F401  # registers its rules
from sparsetrace.api.detection import (
    hessian_sparsity,
    jacobian_sparsity,
    lagrangian_hessian_sparsity,
)
from sparsetrace.api.diagnosis import Diagnosis, Refusal, diagnose
from sparsetrace.api.extension import detach, opaque, register_rule
from sparsetrace.api.pattern import SparsityPattern
from sparsetrace.arrays.array import TracedArray
from sparsetrace.capture import scikit_learn as _scikit_learn  # noqa: F401  # likewise
from sparsetrace.capture import statistics_module as _statistics_module  # noqa: F401  # likewise
from sparsetrace.derivatives.jacobian import sparse_jacobian
from sparsetrace.errors import (
    EscapeError,
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

__all__ = [
    "Diagnosis",
    "EscapeError",
    "GraphSizeError",
    "InputError",
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
    "sparse_jacobian",
]

__version__ = "0.1.0"

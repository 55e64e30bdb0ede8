"""Patterns checked by plain calls of the function: a check that knows nothing of traces.

Contract: a finding is certain, no finding is a matter of probability.  `checks` is what others
use; `input_groups` chooses which inputs are moved, `sampling` where, `jacobian_check` and
`hessian_check` judge what changed, `carried_values` compares the values of a trace at a point,
`plain_calls` alone calls the function, and `own_errors` tells what it raises by itself.
"""

from sparsetrace.verification.checks import (
    Verification,
    check_hessian_sparsity,
    check_jacobian_sparsity,
)
from sparsetrace.verification.own_errors import own_error
from sparsetrace.verification.plain_calls import PlainFunction, title

__all__ = [
    "PlainFunction",
    "Verification",
    "check_hessian_sparsity",
    "check_jacobian_sparsity",
    "own_error",
    "title",
]

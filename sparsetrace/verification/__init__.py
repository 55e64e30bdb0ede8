"""Patterns checked by plain calls of the function: a check that knows nothing of traces.

Contract: a finding is certain, no finding is a matter of probability.  `checks` is what others
use; `groups` chooses what is moved, `sampling` where, `jacobian` and `hessian` judge what
changed, `carried` compares the values of a trace at a point, and `plain` alone calls the
function.
"""

from sparsetrace.verification.checks import (
    Verification,
    check_hessian_sparsity,
    check_jacobian_sparsity,
)

__all__ = ["Verification", "check_hessian_sparsity", "check_jacobian_sparsity"]

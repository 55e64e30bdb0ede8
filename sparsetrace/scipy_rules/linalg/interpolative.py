"""``scipy.linalg.interpolative``: decompositions of low rank, each number of which depends on all.

Contract: a rank that is given is the caller's; one that a tolerance decides is known at a point
alone.
"""

from __future__ import annotations

from typing import Any

from sparsetrace.scipy_rules.rule_tools import Call
from sparsetrace.scipy_rules.whole import at_point, whole

__all__ = [
    "estimate_rank",
    "estimate_spectral_norm",
    "estimate_spectral_norm_diff",
    "id_to_svd",
    "interp_decomp",
    "svd",
]

estimate_spectral_norm = estimate_spectral_norm_diff = id_to_svd = whole
estimate_rank = at_point


def svd(call: Call, A, eps_or_k, rand=True, rng=None) -> Any:
    """Of so many singular values, or down to a tolerance."""
    return (whole if eps_or_k >= 1 else at_point)(call, A, eps_or_k, rand, rng)


interp_decomp = svd

"""Functions of ``scipy.special`` made of gamma functions."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from sparsetrace.scipy_rules.rule_tools import Call, array_of, constant


def multigammaln(call: Call, a, d):
    a, d = array_of(a), int(constant(call, d, "d"))
    shifts = np.arange(d).reshape((d,) + (1,) * a.ndim) / 2
    return np.sum(gammaln(a - shifts), axis=0) + d * (d - 1) / 4 * np.log(np.pi)

"""Expressions of `v`, whose results are numbers for some kinds of `v`, and arrays for others."""

from __future__ import annotations

import math

import numpy as np
import scipy.special as ss

OF_ANY = """
v.squeeze(); v.reshape(v.shape); v.transpose(); v.view(); v.T; v.copy(); v.ravel(); v.take(0)
v.sum(); v.mean(); v.std(); v.prod(); v.max(); v.ptp if 0 else v.min(); v.any(); v.all(); v.round()
-v; abs(v); v * 2; 2 / v; v > 0; (v > 0) * 1.0; divmod(v, 2); v ** 2; v + 1j; (v + 1j).real
np.sum(v); np.mean(v); np.average(v); np.median(v); np.var(v); np.prod(v); np.any(v > 0); np.ptp(v)
np.nansum(v); np.nanmean(v); np.squeeze(v); np.exp(v); np.floor(v); np.clip(v, 0, 1); np.frexp(v)
np.maximum(v, 0); np.hypot(v, v); np.where(v > 0, v, 0); np.select([v > 0], [v]); np.isnan(v)
np.logical_not(v > 0); np.kron(v, 2); np.multiply.reduce(np.array([v])); np.add.outer(v, v)
np.tensordot(np.ravel(v), np.ravel(v), 1); np.linalg.tensordot(np.ravel(v), np.ravel(v), axes=1)
np.dot(np.ravel(v), np.ravel(v)); np.inner(v, v); np.array([v]).sum(); np.array([v]) @ [1.0]
ss.factorial(v); ss.comb(v, 2); ss.perm(v, 2); ss.gamma(v); np.polyval([1, 2], v)
"""
EXPRESSIONS = [e.strip() for line in OF_ANY.strip().splitlines() for e in line.split(";")]

KINDS = {
    "element": lambda x: x[0] * 1,
    "no dimension": lambda x: np.asarray(x[0] * 1),
    "array": lambda x: x[:1] * 1,
    "constant without dimensions": lambda x: np.full((), 0.7),
    "constant array": lambda x: np.full(1, 0.7),
    "single": lambda x: x.astype(np.float32)[0],
}
OF_ONE_ELEMENT = "math.sqrt(v); math.pow(v, 2); math.hypot(v, v); math.floor(v)".split("; ")


def evaluated(source, v):
    """The result, or the type of the error that it ends with."""
    try:
        return eval(source, {"np": np, "ss": ss, "math": math, "v": v})
    except TypeError:
        return TypeError

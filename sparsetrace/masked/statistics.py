"""Covariances and polynomial fits of numpy.ma.

Contract: as numpy.ma has them, in terms of NumPy's functions and of masked arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.ma import masked, nomask

from sparsetrace.dispatch.bound_rules import Call
from sparsetrace.masked.construction import constructed, masked_by
from sparsetrace.masked.data_and_mask import (
    as_mask,
    current_trace,
    filled,
    full_mask,
    known_mask,
    masked_data,
    united,
)
from sparsetrace.masked.masked_array import over
from sparsetrace.masked.numpy_ma_functions import concatenated
from sparsetrace.masked.registered import as_masked, rule_for, traced_masked_data

__all__: list[str] = []


def _variables(x, y, rowvar, allow_masked) -> tuple[Any, bool]:
    """All variables in one array of two dimensions; whether each is a row of it."""
    first = as_masked(constructed(x, ndmin=2, copy=True, dtype=float))
    arrays = [first]
    by_row = bool(rowvar) or first.shape[0] == 1
    if y is not None:
        second = as_masked(constructed(y, ndmin=2, dtype=float))
        arrays = [first, second]
        if second.shape == first.shape:  # what one lacks, neither has
            common = united(*(m.mask for m in arrays))
            arrays = [as_masked(masked_by(common, m)) for m in arrays]
    if not allow_masked:
        for m in arrays:
            if known_mask(masked_data(m), "np.ma.cov").any():
                raise ValueError("Cannot process masked data.")
    if len(arrays) == 1:
        return first, by_row
    return as_masked(concatenated(arrays, 0 if by_row else 1)), by_row


@rule_for("cov")
def _cov(call: Call, x, y, rowvar, bias, allow_masked, ddof) -> Any:
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be an integer")
    m, by_row = _variables(x, y, rowvar, allow_masked)
    if m.ndim > 2:
        call.refuse("it is of more than two axes", "Reshape it to two.")
    if not by_row:
        m = m.T
    centred = filled(masked_data(m - m.mean(axis=1, keepdims=True)), 0)
    valid = np.logical_not(full_mask(masked_data(m))).astype(float)
    count = valid @ valid.T - ((not bias) if ddof is None else ddof)
    too_few = as_mask(current_trace(), count <= 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        data = (centred @ centred.conj().T) / count
    return over(current_trace(), data, too_few).squeeze()


@rule_for("corrcoef")
def _corrcoef(call: Call, x, y, rowvar, allow_masked) -> Any:
    covariance = _cov(call, x, y, rowvar, False, allow_masked, None)
    if not covariance.ndim:
        return masked
    deviations = np.ma.sqrt(covariance.diagonal())
    return covariance / (deviations.reshape(-1, 1) * deviations)


@rule_for("polyfit")
def _polyfit(call: Call, x, y, deg, rcond, full, w, cov) -> Any:
    points, values = traced_masked_data(x), traced_masked_data(y)
    if values.data.ndim not in (1, 2):
        raise TypeError("Expected a 1D or 2D array for y!")
    masks = [known_mask(points, call.name), known_mask(values, call.name)]
    if values.data.ndim == 2:
        masks[1] = np.logical_or.reduce(masks[1], axis=1)
    weights = None
    if w is not None:
        given = traced_masked_data(w)
        if given.data.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if given.data.shape[0] != values.data.shape[0]:
            raise TypeError("expected w and y to have the same length")
        masks.append(known_mask(given, call.name))
        weights = given.data
    kept = ~np.logical_or.reduce(masks)
    if weights is not None:
        weights = weights[kept]
    return np.polyfit(points.data[kept], values.data[kept], deg, rcond, full, weights, cov)


@rule_for("vander")
def _vander(x, n) -> Any:
    operand = traced_masked_data(x)
    powers = np.vander(operand.data, n)
    if operand.mask is nomask:
        return powers
    return np.where(np.reshape(operand.mask, (-1, 1)), 0, powers)

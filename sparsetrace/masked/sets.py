"""Sets and comparisons of whole arrays, as numpy.ma has them.

Contract: without masked elements, a set is that of NumPy's function; with some it is refused,
since where these come depends on the release of NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.dispatch.bound_rules import Call
from sparsetrace.masked.data_and_mask import MaskedData, known_mask, masked_data, united
from sparsetrace.masked.registered import rule_for, traced_masked_data
from sparsetrace.operands.operands import is_traced

__all__: list[str] = []


def _plain(call: Call, a) -> Any:
    """The data of an operand, in which nothing may be masked."""
    operand = traced_masked_data(a)
    if is_traced(operand.mask) or known_mask(operand, call.name).any():
        call.refuse(
            "where masked elements come in a set depends on the release of NumPy",
            "Call NumPy's function on m.compressed(), or on m.filled(value).",
        )
    return operand.data


@rule_for("unique")
def _unique(call: Call, ar1, return_index, return_inverse) -> Any:
    found = np.unique(_plain(call, ar1), return_index, return_inverse)
    if not isinstance(found, tuple):
        return MaskedData(found)
    return np.ma.asarray(found[0]), *found[1:]


@rule_for("union1d")
def _union1d(call: Call, ar1, ar2) -> MaskedData:
    return MaskedData(np.union1d(_plain(call, ar1), _plain(call, ar2)))


def _two_sets(name: str, function: Callable[..., Any]) -> None:
    @rule_for(name)
    def of_two(call: Call, ar1, ar2, assume_unique) -> MaskedData:
        operands = _plain(call, ar1), _plain(call, ar2)
        return MaskedData(function(*operands, True) if assume_unique else function(*operands))


for _name in "intersect1d setdiff1d setxor1d".split():
    _two_sets(_name, getattr(np, _name))


@rule_for("in1d")
def _in1d(call: Call, ar1, ar2, assume_unique, invert) -> MaskedData:
    elements = np.ravel(_plain(call, ar1))
    return MaskedData(np.isin(elements, _plain(call, ar2), assume_unique, invert))


@rule_for("isin")
def _isin(call: Call, element, test_elements, assume_unique, invert) -> MaskedData:
    operands = _plain(call, element), _plain(call, test_elements)
    return MaskedData(np.isin(*operands, assume_unique, invert))


# ---------------------------------------------------------- comparisons of all elements
@rule_for("allequal")
def _allequal(a, b, fill_value) -> Any:
    first, second = masked_data(a), masked_data(b)
    mask = united(first.mask, second.mask)
    if mask is np.ma.nomask:
        return np.all(first.everything == second.everything)
    return fill_value and np.all(np.where(mask, True, first.everything == second.everything))


@rule_for("allclose")
def _allclose(a, b, masked_equal, rtol, atol) -> Any:
    first, second = masked_data(a), masked_data(b)
    near = np.isclose(first.everything, second.everything, rtol, atol)
    mask = united(first.mask, second.mask)
    return np.all(near if mask is np.ma.nomask else np.where(mask, masked_equal, near))

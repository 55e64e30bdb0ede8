"""``scipy.ndimage``: regions of images and distances to them.

Contract: they are found by which elements differ from zero, and have no derivative in these.
Distances have one in the spacing of the elements.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.ndimage.neighbours import OUTPUTS
from sparsetrace.scipy_rules.rule_tools import Call
from sparsetrace.scipy_rules.whole import ranked, whole

_WRITTEN = ("output", "distances", "indices")


def _found(call: Call, *args, **kwargs) -> Any:
    options = inspect.signature(call.original).bind(*args, **kwargs).arguments
    if any(isinstance(options.get(name), np.ndarray) for name in _WRITTEN):
        call.refuse("an array to be filled has no rule", OUTPUTS)
    rule = whole if contains_traced(options.get("sampling")) else ranked
    return rule(call, *args, **kwargs)


label = watershed_ift = histogram = _found
binary_erosion = binary_dilation = binary_opening = binary_closing = _found
binary_fill_holes = binary_hit_or_miss = binary_propagation = _found
distance_transform_bf = distance_transform_cdt = distance_transform_edt = _found

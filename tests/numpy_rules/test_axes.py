"""What each function takes for an axis is what NumPy takes: lists, truth values, too many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sparsetrace import jacobian_sparsity

POINT = np.arange(6.0).reshape(2, 3) + 0.5
AXES = [[0], [0, 1], np.array([0]), np.array(0), 0.0, "a", True, (0,), (0, 0), 5, (True,)]
BEFORE_AXIS: dict[str, tuple[Any, ...]] = {
    "percentile": (50,),
    "quantile": (0.5,),
    "nanquantile": (0.5,),
    "roll": (1,),
    "take": ([0],),
    "repeat": (2,),
    "delete": ([0],),
    "insert": (0, 1.0),
    "append": (np.ones((2, 3)),),
    "partition": (1,),
    "argpartition": (1,),
    "array_split": (1,),
}
NAMES = [
    *"sum prod max min all any mean std var ptp average median count_nonzero nansum".split(),
    *"nanmean nanstd nanmax nanmin nanprod nanmedian argmax argmin nanargmax".split(),
    *"cumsum cumprod nancumsum sort argsort gradient diff trapezoid squeeze".split(),
    *"expand_dims flip linalg.norm linalg.vector_norm fft.fft fft.fftn".split(),
    *BEFORE_AXIS,
]


def outcome(call: Callable[[], Any]) -> str:
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "a result"


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_an_axis_is_judged_as_numpy_judges_it(name, local):
    function: Any = np
    for part in name.split("."):
        function = getattr(function, part)

    for axis in AXES:

        def f(x, axis=axis):
            result = function(x, *BEFORE_AXIS.get(name, ()), axis=axis)
            return result[0] * 1.0 if isinstance(result, list | tuple) else result * 1.0

        plain = outcome(lambda: f(POINT))
        traced = outcome(lambda: jacobian_sparsity(f, POINT, local=local))
        if traced != "UnsupportedError":  # a call may be refused for what it computes
            assert traced == plain, axis

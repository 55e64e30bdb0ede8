"""The rules of every known ufunc, in one look-up for each order.

Contract: `FIRST_ORDER` and `SECOND_ORDER` unite the tables of NumPy and
``scipy.special``, keyed by the ufunc object.  No ufunc has a line in both tables of
an order; one that has a line in none is taken as depending on every argument, and as
nonlinear in all of them jointly.

Examples
--------
>>> import numpy as np
>>> FIRST_ORDER[np.copysign].partials
('10',)
>>> SECOND_ORDER[np.divide].seconds
('011',)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from sparsetrace.rules.first_order import Cut, Rule
from sparsetrace.rules.numpy_ufuncs import NUMPY_RULES
from sparsetrace.rules.second_numpy import NUMPY_CURVATURES
from sparsetrace.rules.second_order import Curvature
from sparsetrace.rules.second_special import SPECIAL_CURVATURES
from sparsetrace.rules.special_ufuncs import SPECIAL_RULES

__all__ = ["FIRST_ORDER", "SECOND_ORDER", "Curvature", "Cut", "Rule"]

_Line = TypeVar("_Line", Rule, Curvature)


def _united(*tables: Mapping[np.ufunc, _Line]) -> dict[np.ufunc, _Line]:
    united: dict[np.ufunc, _Line] = {}
    for table in tables:
        twice = [ufunc.__name__ for ufunc in table if ufunc in united]
        if twice:
            raise ValueError(f"rules in two tables: {', '.join(twice)}")
        united.update(table)
    return united


FIRST_ORDER: dict[np.ufunc, Rule] = _united(NUMPY_RULES, SPECIAL_RULES)
SECOND_ORDER: dict[np.ufunc, Curvature] = _united(NUMPY_CURVATURES, SPECIAL_CURVATURES)

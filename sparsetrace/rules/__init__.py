"""First-order rules of every known ufunc, in one look-up.

Contract: `FIRST_ORDER` unites the tables of NumPy and ``scipy.special``, keyed
by the ufunc object.  No ufunc has a line in both; one that has a line in none is
taken as depending on every argument.

Examples
--------
>>> import numpy as np
>>> FIRST_ORDER[np.copysign].partials
('10',)
"""

from __future__ import annotations

import numpy as np

from sparsetrace.rules.numpy_ufuncs import NUMPY_RULES
from sparsetrace.rules.special import SPECIAL_RULES
from sparsetrace.rules.table import Cut, Rule, RuleTable

__all__ = ["FIRST_ORDER", "Cut", "Rule"]


def _united(*tables: RuleTable) -> dict[np.ufunc, Rule]:
    united: dict[np.ufunc, Rule] = {}
    for table in tables:
        twice = [ufunc.__name__ for ufunc in table if ufunc in united]
        if twice:
            raise ValueError(f"rules in two tables: {', '.join(twice)}")
        united.update(table)
    return united


FIRST_ORDER: dict[np.ufunc, Rule] = _united(NUMPY_RULES, SPECIAL_RULES)

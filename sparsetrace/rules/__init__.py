"""What is known of every ufunc: one record each, in a module for each of their topics.

Contract: `RECORDS` has an entry for each ufunc that is a public attribute of ``numpy`` or
``scipy.special``, aliases once, but for those with core dimensions (``matmul``, ``vecdot``,
``matvec``, ``vecmat``), whose outputs depend on whole vectors.  `sparsetrace.rules.record`
says what a record holds; `sparsetrace.rules.entries` when each topic is imported.

Examples
--------
>>> import numpy as np
>>> RECORDS[np.copysign].first
('10',)
>>> RECORDS[np.divide].second
('011',)
"""

from __future__ import annotations

from sparsetrace.rules import numpy_arithmetic, numpy_comparisons, numpy_elementary
from sparsetrace.rules.entries import RECORDS, record_of
from sparsetrace.rules.record import NAN, Cut, Pair, Record, pairs

__all__ = [
    "NAN",
    "RECORDS",
    "Cut",
    "Pair",
    "Record",
    "numpy_arithmetic",
    "numpy_comparisons",
    "numpy_elementary",
    "pairs",
    "record_of",
]

"""Ways out of a trace: expressions and function bodies of `x`, four numbers.

Contract: pure tables.  Each entry runs on plain numbers; traced, it either gives a
pattern with every entry, or raises an error of sparsetrace's.  Which of the two may
change as the trace learns to follow more, so the tables do not say.
"""

from __future__ import annotations

from cases.escapes.bodies import BODIES
from cases.escapes.numpy_expressions import NUMPY
from cases.escapes.python_expressions import PYTHON
from cases.escapes.scipy_expressions import SCIPY

__all__ = ["BODIES", "EXPRESSIONS"]

EXPRESSIONS = PYTHON + NUMPY + SCIPY

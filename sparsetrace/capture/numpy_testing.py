"""``np.testing.assert_allclose`` and its kin in traced functions.

Contract: where an assertion fails there is no derivative, unless the function would catch the
error: then it goes on both ways.  At a point the functions themselves look at the values.
Registered as the rules of SciPy are; ``numpy.testing`` is not imported for it.
"""

from __future__ import annotations

from functools import partial

from sparsetrace.dispatch.bound_rules import harmless
from sparsetrace.dispatch.function_rules import current, register
from sparsetrace.operands.raising import may_raise

__all__: list[str] = []

_PARAMETERS = (
    "a b x y actual desired rtol atol equal_nan err_msg verbose strict decimal significant maxulp "
    "dtype nulp val msg"
).split()
_NAMES = (
    "assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal "
    "assert_array_almost_equal_nulp assert_array_equal assert_array_less assert_array_max_ulp "
    "assert_equal"
).split()


@harmless(*_PARAMETERS)
def _asserted() -> None:
    may_raise(current(), partial(AssertionError, "the values differ"))


for _name in _NAMES:
    register("numpy.testing", _name, _asserted)

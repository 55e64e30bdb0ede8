"""``scipy.interpolate``: what else objects with traced elements are asked for.

Contract: each result depends on all that the object was made of, and on all that its method is
given.  Where the values say how many results there are (roots, knots that are chosen), they are
known at a point alone.
"""

from __future__ import annotations

from typing import Any

from sparsetrace.scipy_rules.interpolate.fits import Fit, stand_for
from sparsetrace.scipy_rules.rule_tools import makes_objects, state_of
from sparsetrace.scipy_rules.whole import at_point, whole

AAA_poles = AAA_residues = AAA_roots = at_point
PPoly_roots = PPoly_solve = UnivariateSpline_roots = sproot = at_point
KroghInterpolator_derivative = KroghInterpolator_derivatives = whole
BarycentricInterpolator_derivative = BivariateSpline_integral = whole


@makes_objects
def RectBivariateSpline_partial_derivative(call, self, dx, dy):
    state = state_of(self)
    plain = call.plainly(state.plain, dx, dy)
    made = Fit(state.name, state.ordinates, state.linear, plain)
    return stand_for(object.__new__(type(plain)), made)


def _of_fit(call, self, *args, **kwargs) -> Any:
    """As many as there are knots, which the ordinates choose if they are smoothed."""
    state = state_of(self)
    known = isinstance(state, Fit) and state.linear
    return (whole if known else at_point)(call, self, *args, **kwargs)


UnivariateSpline_get_coeffs = UnivariateSpline_get_knots = _of_fit
SmoothBivariateSpline_get_coeffs = SmoothBivariateSpline_get_knots = _of_fit
UnivariateSpline_get_residual = SmoothBivariateSpline_get_residual = whole

"""OpenMDAO's interpolation in tables, for any place in them: a rule in place of its searches.

Contract: a result depends on the coordinates of its own place and on the whole table, smoothly;
outside of the table it raises what OpenMDAO raises, on a path of its own.  At a point the code
itself is traced, which reads the values around the place alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.api.extension import register_rule
from sparsetrace.capture.genuine_errors import judged
from sparsetrace.context import CURRENT

__all__: list[str] = []


def _interpolated(call: Any, self: Any, xi: Any) -> Any:
    """As `InterpND._interpolate`, and that of tables that are no grid."""
    trace = CURRENT.get()
    if trace is None or trace.local:
        return call.original(self, xi)
    places = np.atleast_2d(xi)
    axes = self.grid.T if isinstance(self.grid, np.ndarray) else self.grid
    ends = np.array([(np.min(axis), np.max(axis)) for axis in axes]).T
    if not self.extrapolate and np.any((places < ends[0]) | (places > ends[1])):
        from openmdao.components.interp_util.outofbounds_error import OutOfBoundsError

        raise judged(OutOfBoundsError("out of bounds", 0, np.nan, *ends[:, 0]))
    table = np.sum(self.values) + sum(map(np.sum, axes))
    result = np.exp(np.sum(places, axis=1) + table)
    self._d_dx, self._d_dvalues = result[:, None] * np.exp(places), None
    return result


for _name in ("interp.InterpND", "interp_semi.InterpNDSemi"):
    register_rule(f"openmdao.components.interp_util.{_name}._interpolate", _interpolated)

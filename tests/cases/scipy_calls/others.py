"""scipy.integrate: functions of four traced numbers."""

from __future__ import annotations

import scipy.integrate

OTHERS = {
    "trapezoid": lambda x: scipy.integrate.trapezoid(x, [0, 1, 3, 4]),
    "simpson": lambda x: scipy.integrate.simpson(x, dx=0.1),
    "cumulative_trapezoid": lambda x: scipy.integrate.cumulative_trapezoid(x, initial=0),
    "fixed_quad": lambda x: scipy.integrate.fixed_quad(lambda t: x[0] * t**2, 0, 1)[0],
}

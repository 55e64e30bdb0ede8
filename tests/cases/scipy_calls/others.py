"""scipy.special and scipy.integrate: functions of four traced numbers."""

from __future__ import annotations

import scipy.integrate
import scipy.special

OTHERS = {
    "logsumexp": scipy.special.logsumexp,
    "logsumexp, axis": lambda x: scipy.special.logsumexp(x.reshape(2, 2), axis=1),
    "softmax": scipy.special.softmax,
    "log_softmax": lambda x: scipy.special.log_softmax(x.reshape(2, 2), axis=0),
    "multigammaln": lambda x: scipy.special.multigammaln(x + 2, 3),
    "multigammaln of a number": lambda x: scipy.special.multigammaln(x[0] + 2, 3),
    "trapezoid": lambda x: scipy.integrate.trapezoid(x, [0, 1, 3, 4]),
    "simpson": lambda x: scipy.integrate.simpson(x, dx=0.1),
    "cumulative_trapezoid": lambda x: scipy.integrate.cumulative_trapezoid(x, initial=0),
    "fixed_quad": lambda x: scipy.integrate.fixed_quad(lambda t: x[0] * t**2, 0, 1)[0],
}

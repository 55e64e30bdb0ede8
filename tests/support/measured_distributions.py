"""Numerical derivatives of the methods of SciPy's univariate distributions.

Contract: the distributions and their shapes are those of SciPy's own tests, so that new ones are
measured as soon as there are some.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.stats as ss
from measured_ufuncs import derivative, second_derivative
from scipy.stats._distr_params import distcont, distdiscrete

from sparsetrace.rules import pairs

OWN_SHAPES = {
    "kappa4": (0.3, 0.2),  # SciPy takes 0, where it is another distribution
    "levy_stable": (1.8, -0.5),
}
CONTINUOUS = {name: shapes for name, shapes in reversed(distcont) if isinstance(name, str)}
CONTINUOUS |= OWN_SHAPES
DISCRETE = {name: shapes for name, shapes in reversed(distdiscrete) if isinstance(name, str)}
QUANTILES = ("ppf", "isf")
NUMERIC = ("cdf", "logcdf", "sf", "logsf", *QUANTILES)
METHODS = {
    **dict.fromkeys(CONTINUOUS, ("pdf", "logpdf", *NUMERIC)),
    **dict.fromkeys(DISCRETE, ("pmf", "logpmf", *NUMERIC)),
}
#: Those that SciPy finds by quadrature or in another slow way: not measured, all is claimed.
SLOW = {
    "gausshyper": NUMERIC,
    "genhyperbolic": NUMERIC,
    "geninvgauss": NUMERIC,
    "ksone": METHODS["ksone"],
    "kstwo": METHODS["kstwo"],
    "irwinhall": METHODS["irwinhall"],
    "levy_stable": METHODS["levy_stable"],
    "norminvgauss": NUMERIC,
    "studentized_range": METHODS["studentized_range"],
    "vonmises": NUMERIC,
}


@dataclass
class Case:
    """A method as a function of its point and shapes, and where it is measured."""

    function: Callable[..., Any]
    points: list[Any]
    domain: list[tuple[float, float]]
    moved: list[int]
    """The arguments that are no whole numbers."""
    nout: int = 1

    @property
    def ufunc(self):
        return self

    def __call__(self, *arguments):
        return self.function(*arguments)

    def start(self):
        return np.array([values[len(values) // 3] for values in self.points])


def is_whole(distribution, shapes, i):
    """Whether a shape has to be a whole number, and there is no derivative between two."""
    moved = [np.asarray(shape) + 1e-3 * (i == j) for j, shape in enumerate(shapes)]
    return not np.all(distribution._argcheck(*moved))


def is_slow(name, method):
    """Whether SciPy is slow, as where it searches for a quantile by bisection."""
    cls = type(getattr(ss, name))
    searches = name in CONTINUOUS and cls._ppf is ss.rv_continuous._ppf
    uses = method in QUANTILES or getattr(cls, f"_{method}") in (
        ss.rv_continuous._logcdf,
        ss.rv_continuous._logsf,
    )
    return (searches and uses) or method in SLOW.get(name, ())


def case_of(name, method, count=24):
    distribution = getattr(ss, name)
    shapes = (DISCRETE if name in DISCRETE else CONTINUOUS)[name]
    if name == "poisson_binom":
        (shapes,) = shapes

    def function(x, *arguments):
        if name == "poisson_binom":
            arguments = [np.stack(arguments, axis=-1)]
        return getattr(distribution, method)(x, *arguments)

    rng = np.random.default_rng(3)
    whole = [is_whole(distribution, shapes, i) for i in range(len(shapes))]
    drawn = [
        np.full(count, float(shape)) if whole[i] else shape * rng.uniform(0.95, 1.05, count)
        for i, shape in enumerate(shapes)
    ]
    points = np.sort([0.02, 0.98, *rng.uniform(0.06, 0.94, count - 2)])
    if method not in QUANTILES:
        at = drawn if name != "poisson_binom" else [np.stack(drawn, axis=-1)]
        points = distribution.ppf(points, *at)
    widths = [0.5 * np.ptp(points), *(0.5 * abs(float(shape)) for shape in shapes)]
    moved = [] if name in DISCRETE else [0]
    moved += [1 + i for i in range(len(shapes)) if not whole[i]]
    return Case(function, [points, *drawn], [(0.0, width) for width in widths], moved)


def measured(case):
    """The first and second derivatives that differ from zero at any of the points."""
    n = len(case.points)
    first, second = np.zeros(n, bool), np.zeros((n, n), bool)
    for i in case.moved:
        first[i] = derivative(case, case.points, i)[0][0].any()
    for i, j in pairs(n):
        if i in case.moved and j in case.moved:
            second[i, j] = second[j, i] = second_derivative(case, case.points, (i, j))[0][0].any()
    return first, second

"""Which derivatives of SciPy's distributions vanish everywhere.

Contract: an entry is the method of one distribution, without location and scale.  ``x`` alone
says that the first derivative in the point is zero, ``x*b`` that the second one in the point
and the shape ``b`` is; of points that are probabilities (``ppf``, ``isf``) that is ``q``.  What
is not listed differs from zero somewhere: the tests compare all of it with differences.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from typing import Any

__all__ = ["Derivatives", "derivatives_of", "shape_names"]

_WRITTEN = {
    "bernoulli": {"pmf cdf sf": "p*p"},
    "burr": {"logcdf": "d*d"},
    "burr12": {"logsf": "d*d"},
    "expon": {"logpdf logsf": "x*x"},
    "exponweib": {"logcdf": "a*a"},
    "genexpon": {"logsf": "a*a a*b b*b a*c"},
    "genlogistic": {"logcdf": "c*c"},
    "gompertz": {"logsf": "c*c"},
    "laplace": {"logpdf": "x*x"},
    "laplace_asymmetric": {"logpdf": "x*x"},
    "loguniform": {"logpdf": "x*a x*b", "logcdf": "x*b", "logsf": "x*a"},
    "lomax": {"logsf": "c*c"},
    "mielke": {"logcdf": "k*k"},
    "pareto": {"logsf": "b*b"},
    "planck": {"logsf": "lambda_*lambda_"},
    "poisson_binom": {"pmf cdf sf": "p*p"},
    "powerlaw": {"logcdf": "a*a"},
    "powerlognorm": {"logsf": "c*c"},
    "powernorm": {"logsf": "c*c"},
    "trapezoid": {"pdf": "x*x", "logpdf": "x*c x*d"},
    "triang": {"pdf": "x*x", "logpdf": "x*c"},
    "truncexpon": {"logpdf": "x*x x*b", "logcdf": "x*b"},
    "truncnorm": {"logpdf": "x*a x*b", "logcdf": "x*b", "logsf": "x*a"},
    "truncpareto": {"logpdf logcdf": "x*c"},
    "truncweibull_min": {"logpdf": "x*a x*b", "logcdf": "x*b", "logsf": "x*a"},
    "uniform": {"pdf logpdf": "x", "cdf sf": "x*x", "ppf isf": "q*q"},
    "rv_histogram": {"pdf logpdf": "x", "cdf sf": "x*x", "ppf isf": "q*q"},
}


@dataclass(frozen=True, slots=True)
class Derivatives:
    """Which derivatives of a method differ from zero, in the point and in the shapes.

    Attributes
    ----------
    varying : tuple of bool
        For the point and for each shape, whether the first one does.
    vanishing : frozenset of (int, int)
        The pairs of those that vary, in which the second one is zero.
    """

    varying: tuple[bool, ...]
    vanishing: frozenset[tuple[int, int]]


def shape_names(distribution) -> list[str]:
    """The names of the shapes: ``['a', 'b']`` of ``scipy.stats.beta``."""
    return (distribution.shapes or "").replace(",", " ").split()


def derivatives_of(distribution, method: str, count: int, *, discrete: bool) -> Derivatives:
    """What is known of a method of a distribution with so many shapes.

    Nothing discrete varies with its point, and no quantile of it with anything.
    """
    names = shape_names(distribution)
    names = (names + names[-1:] * count)[:count]  # one name for several, of poisson_binom
    cls = next(c for c in type(distribution).__mro__ if c.__module__.startswith("scipy."))
    return _derivatives(cls, method, tuple(names), discrete)


@functools.lru_cache(1024)
def _derivatives(cls: type, method: str, names: tuple[str, ...], discrete: bool) -> Derivatives:
    quantile = method in ("ppf", "isf")
    zero = _zeros().get((cls, method), frozenset())
    point = "q" if quantile else "x"
    all_names = (point, *names)
    varying = [name not in zero and not (discrete and quantile) for name in all_names]
    varying[0] &= not discrete
    vanishing = frozenset(
        (i, j)
        for j, second in enumerate(all_names)
        for i, first in enumerate(all_names[: j + 1])
        if (first == second) is (i == j) and f"{first}*{second}" in zero
    )
    return Derivatives(tuple(varying), vanishing)


@functools.cache
def _zeros() -> dict[tuple[type, str], frozenset[str]]:
    """What is written above, by the distributions' classes; not all releases have all of them."""
    stats = sys.modules["scipy.stats"]
    found: dict[tuple[type, str], frozenset[str]] = {}
    for name, entries in _WRITTEN.items():
        named = getattr(stats, name, None)
        cls: Any = named if isinstance(named, type) else type(named)
        for methods, text in entries.items():
            found |= {(cls, method): frozenset(text.split()) for method in methods.split()}
    return found

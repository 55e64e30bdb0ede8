"""The methods of univariate distributions: densities, distribution functions, quantiles, fits.

Contract: a result depends on its own elements of the point, the shapes, ``loc`` and ``scale``.
Location and scale enter as SciPy writes them, ``(x - loc) / scale``; `standardized` has the
function of that point and of the shapes.  Where an argument is invalid or lies outside of the
support a result is constant: a global pattern does not count that, a local one does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from sparsetrace.operands.operands import is_uncertain, values_of
from sparsetrace.scipy_rules.points import function_of
from sparsetrace.scipy_rules.rule_tools import Call, array_of, current, sample_of, spread
from sparsetrace.scipy_rules.stats.standardized import Standard
from sparsetrace.scipy_rules.whole import total_of

_QUANTILES = ("ppf", "isf")


def _method(name: str, point: str, *, discrete: bool = False) -> Callable[..., Any]:
    """The rule of a method, whose first argument is called so."""

    def rule(call: Call, self, x, *args, **kwds):
        shapes, loc, scale = self._parse_args(*args, **kwds)
        standard = Standard(call, self, name, discrete)
        x, loc, scale, *shapes = map(array_of, (x, loc, scale, *shapes))
        if name in _QUANTILES:
            inside = _is_valid(self, shapes, scale) & standard.is_inside(x, shapes)
            result = standard(x, shapes, inside) * scale + loc
        else:
            x = (x - loc) / scale
            inside = _is_valid(self, shapes, scale) & standard.is_inside(x, shapes)
            result = standard(x, shapes, inside)
            if name == "pdf":
                result = result / scale
            elif name == "logpdf":
                result = result - np.log(scale)
        return _where_inside(inside, result, 0.0)

    parameters = list(inspect.signature(rule).parameters.values())
    parameters[2] = parameters[2].replace(name=point)
    rule.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return rule


def _is_valid(distribution, shapes, scale) -> Any:
    """Where the shapes and the scale are valid, as far as the trace knows values."""
    if not current().local:
        return np.True_
    with np.errstate(all="ignore"):
        valid = np.asarray(distribution._argcheck(*map(values_of, shapes)), bool)
        return valid & (np.asarray(values_of(scale)) > 0)


def _where_inside(inside, result, otherwise: float) -> Any:
    """The result, at a point a constant where it is not `inside`; a number if it is one."""
    if current().local:
        result = np.where(inside, result, otherwise)
    return result[()] if not np.ndim(result) else result


rv_continuous_pdf, rv_continuous_logpdf = _method("pdf", "x"), _method("logpdf", "x")
rv_continuous_cdf, rv_continuous_logcdf = _method("cdf", "x"), _method("logcdf", "x")
rv_continuous_sf, rv_continuous_logsf = _method("sf", "x"), _method("logsf", "x")
rv_continuous_ppf, rv_continuous_isf = _method("ppf", "q"), _method("isf", "q")
rv_discrete_pmf = _method("pmf", "k", discrete=True)
rv_discrete_logpmf = _method("logpmf", "k", discrete=True)
rv_discrete_cdf = _method("cdf", "k", discrete=True)
rv_discrete_logcdf = _method("logcdf", "k", discrete=True)
rv_discrete_sf = _method("sf", "k", discrete=True)
rv_discrete_logsf = _method("logsf", "k", discrete=True)
rv_discrete_ppf = _method("ppf", "q", discrete=True)
rv_discrete_isf = _method("isf", "q", discrete=True)


def _of_levy() -> Callable[..., Any]:
    """Where alpha is 1, the location depends on all parameters, and the result has one axis."""

    def rule(self, x, *args, **kwds):
        shapes, loc, scale = self._parse_args(*args, **kwds)
        x, loc, scale, *shapes = map(array_of, (x, loc, scale, *shapes))
        alpha = None if is_uncertain(shapes[0]) else np.asarray(values_of(shapes[0]))
        if alpha is not None and np.any(alpha == 1) and self._parameterization() == "S1":
            x = np.reshape(x, -1)[0] if np.size(x) == 1 else np.reshape(x, -1)
        operands = [x, *shapes, loc, scale]
        result = function_of(operands, [True] * len(operands), (), np.dtype(float))
        inside = _is_valid(self, shapes, scale)
        if current().local:
            inside = inside & ~np.isnan(values_of(x))
        return _where_inside(inside, result, 0.0)

    return rule


levy_stable_gen_pdf, levy_stable_gen_cdf = _of_levy(), _of_levy()


# ----------------------------------------------------------------------------- fit
_FIT_OPTIONS = frozenset(("loc", "method", "optimizer", "scale"))


def rv_continuous_fit(call: Call, self, data, *args, **kwds):
    """Parameters that are not fixed depend on all data, on the fixed ones and on where it begins.

    A search stays where it started along a direction in which the likelihood is flat.
    """
    if not type(self).__module__.startswith("scipy."):
        return call.original(self, data, *args, **kwds)  # its density may read anything
    shapes = (self.shapes or "").replace(",", " ").split()
    names: list[tuple[str, ...]] = [("floc",), ("fscale",)]
    names[:0] = [(f"f{place}", f"f{name}", f"fix_{name}") for place, name in enumerate(shapes)]
    given = [[kwds[name] for name in each if kwds.get(name) is not None] for each in names]
    known = _FIT_OPTIONS.union(*names)
    if not kwds.keys() <= known or len(args) > self.numargs or not given.count([]) > 0:
        return call.original(self, sample_of(data), *args, **kwds)  # which says so
    if any(len(values) > 1 for values in given):
        return call.original(self, sample_of(data), *args, **kwds)
    trace = current()
    starts = [*args, kwds.get("loc"), kwds.get("scale")]
    total = total_of(_parts(data), given, starts)
    found = iter(spread(trace, total, np.zeros(given.count([]))))
    return tuple(values[0] if values else next(found) for values in given)


def _own_fit(call: Call, self, data, *args, **kwds):
    """That of a class with equations of its own, whose solution a global trace need not follow."""
    if current().local:
        return call.original(self, data, *args, **kwds)
    return rv_continuous_fit(call, self, data, *args, **kwds)


gumbel_l_gen_fit = gumbel_r_gen_fit = halflogistic_gen_fit = logistic_gen_fit = _own_fit
lognorm_gen_fit = pareto_gen_fit = powerlaw_gen_fit = rayleigh_gen_fit = _own_fit
truncpareto_gen_fit = _own_fit


def _parts(data) -> Any:
    """The data, also those of which only bounds are known."""
    if not hasattr(data, "_uncensored"):
        return data
    return [data._uncensored, data._left, data._right, data._interval]


# ----------------------------------------------------------------- what fit minimises
def rv_continuous_nnlf(call, self, theta, x):
    """The negative log-likelihood, of discrete distributions too."""
    return _likelihood(call, self, theta, x, all_inside=True)


def rv_continuous_penalized_nnlf(call, self, theta, x):
    """The same, with a penalty that is constant for what lies outside of the support."""
    return _likelihood(call, self, theta, x, all_inside=False)


rv_discrete_penalized_nnlf = rv_continuous_penalized_nnlf


def _likelihood(call: Call, distribution, theta, x, *, all_inside: bool) -> Any:
    loc, scale, shapes = distribution._unpack_loc_scale(theta)
    loc, scale, *shapes = map(array_of, (loc, scale, *shapes))
    if not np.all(_is_valid(distribution, shapes, scale)):
        return np.inf
    discrete, all_terms_inside = hasattr(distribution, "pmf"), True

    def terms(method: str, points) -> Any:
        nonlocal all_terms_inside
        standard = Standard(call, distribution, method, discrete)
        points = (array_of(points) - loc) / scale
        inside = standard.is_inside(points, shapes)
        all_terms_inside &= bool(np.all(inside))
        return _where_inside(inside, standard(points, shapes, inside), 0.0)

    density = "logpmf" if discrete else "logpdf"
    if not hasattr(x, "_uncensored"):
        total = len(x) * np.log(scale) - np.sum(terms(density, x), axis=0)
        return total if all_terms_inside or not all_inside else np.inf
    low, high = x._interval.T
    parts = [
        terms(density, x._uncensored),
        terms("logcdf", x._left),
        terms("logsf", x._right),
        np.log(terms("cdf", high) - terms("cdf", low)),
    ]
    count = len(x) - x.num_censored()
    return count * np.log(scale) - sum(np.sum(part) for part in parts if np.size(part))

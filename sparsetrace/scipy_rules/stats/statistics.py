"""Statistics whose code in SciPy branches on the values; all others are traced through it.

Contract: a result depends on all elements of its sample.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

import numpy as np

from sparsetrace.operands.operands import contains_traced, ids_of, values_of
from sparsetrace.scipy_rules.points import function_of
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    current,
    harmless,
    made,
    makes_objects,
)
from sparsetrace.scipy_rules.whole import ranked, ranked_object, whole, whole_object


def _mean(a, axis, weights, *, keepdims: bool):
    if weights is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    weights = array_of(weights)
    if weights.ndim < np.ndim(a) and weights.ndim == 1:
        places = [1] * np.ndim(a)
        places[axis] = -1
        weights = np.reshape(weights, places)
    total = np.sum(weights + 0.0 * np.ones(np.shape(a)), axis=axis, keepdims=keepdims)
    return np.sum(weights * a, axis=axis, keepdims=keepdims) / total


@harmless("dtype", "nan_policy")
def hmean(a, axis, weights, keepdims):
    return 1.0 / _mean(1.0 / array_of(a), axis, weights, keepdims=keepdims)


@harmless("dtype", "nan_policy")
def pmean(a, p, axis, weights, keepdims):
    a = array_of(a)
    if contains_traced(p):
        return _mean(a**p, axis, weights, keepdims=keepdims) ** (1 / p)
    if p == 0:
        return np.exp(_mean(np.log(a), axis, weights, keepdims=keepdims))
    return _mean(a ** float(p), axis, weights, keepdims=keepdims) ** (1 / p)


def _moment(call: Call, *args, **kwargs):
    """A moment about a centre, of which skewness and others are made: at any precision."""
    given = inspect.signature(call.original).bind(*args, **kwargs).arguments
    a, order, axis, mean = (given.get(name) for name in ("a", "order", "axis", "mean"))
    if "center" in given or order == 0 or (order == 1 and mean is None):
        return call.original(*args, **kwargs)  # constants, and SciPy 1.18, which does not branch
    a = array_of(a)
    centre = np.mean(a, axis=axis, keepdims=True) if mean is None else mean
    result = np.mean((a - centre) ** order, axis=axis)
    return result if np.ndim(result) else result[()]


def _own_values(results, values) -> Any:
    """The results with SciPy's values, in a local trace."""
    trace = current()
    return [
        made(trace, ids_of(trace, result), float, np.asarray(value), scalar=not np.ndim(value))
        if trace.local
        else result
        for result, value in zip(results, values, strict=True)
    ]


@makes_objects
def pearsonr(call: Call, x, y, alternative, axis=0):
    """A correlation, and a probability that is a function of it."""
    local = current().local
    x, y = array_of(x), array_of(y)
    points = [values_of(v) if local else np.random.default_rng(0).random(v.shape) for v in (x, y)]
    plain = call.plainly(*points, alternative=alternative, axis=axis)
    offs = [v - np.mean(v, axis=axis, keepdims=True) for v in (x, y)]
    sums = [np.sum(v**2, axis=axis) for v in offs]
    r = np.sum(offs[0] * offs[1], axis=axis) / np.sqrt(sums[0] * sums[1])
    if plain._n == 2:  # one or minus one
        r = np.sign(r)
    results = [r, function_of([r], [plain._n > 2], (), np.dtype(float))]
    results = [v if np.ndim(v) else v[()] for v in _own_values(results, plain)]
    fields = {"statistic": results[0], "pvalue": results[1], "x": x, "y": y}
    names = list(inspect.signature(type(plain).__init__).parameters)[1:]
    return type(plain)(**{name: fields.get(name, getattr(plain, f"_{name}", 0)) for name in names})


@harmless("nan_policy")
@makes_objects
def linregress(call: Call, x, y, alternative, axis=0):  # SciPy 1.16 has no axis
    """A line through points, linear in y where x is constant."""
    x, y = np.broadcast_arrays(array_of(x), array_of(y))
    if axis is None:
        x, y = x.ravel(), y.ravel()
    elif x.ndim > 1:
        last = tuple(np.atleast_1d(axis).tolist())
        x, y = (np.moveaxis(v, last, range(-len(last), 0)) for v in (x, y))
        x, y = (v.reshape(*v.shape[: v.ndim - len(last)], -1) for v in (x, y))
    n = x.shape[-1]
    x_mean, y_mean = np.mean(x, axis=-1), np.mean(y, axis=-1)
    x_off, y_off = x - x_mean[..., None], y - y_mean[..., None]
    x_sum, y_sum = np.sum(x_off**2, axis=-1), np.sum(y_off**2, axis=-1)
    slope = np.sum(x_off * y, axis=-1) / x_sum
    r = np.sum(x_off * y_off, axis=-1) / np.sqrt(x_sum * y_sum)
    results = [slope, y_mean - slope * x_mean, r, *np.zeros((3, *x.shape[:-1]))]
    if n > 2:
        error = np.sqrt((1 - r**2) * y_sum / x_sum / (n - 2))
        results[3] = function_of([r], [True], (), np.dtype(float))
        results[4:] = error, error * np.sqrt(x_sum / n + x_mean**2)
    points: Any = ([0, 1, 2], [0, 1, 3])  # any, to learn of which type the result is
    options = {} if x.ndim == 1 else {"axis": -1}
    if current().local:
        points = values_of(x), values_of(y)
    elif options:
        points = np.random.default_rng(0).random((2, *x.shape))
    plain = call.plainly(*points, alternative=alternative, **options)
    results = _own_values(results, (*plain, plain.intercept_stderr))
    return type(plain)(*results[:5], intercept_stderr=results[5])


# ---------------------------------------------------------------------- ranks, and wholes
ansari = brunnermunzel = friedmanchisquare = kendalltau = kruskal = mannwhitneyu = mood = ranked
chatterjeexi = rankdata = ranksums = spearmanr = weightedtau = wilcoxon = ranked
shapiro = whole
anderson_ksamp = cramervonmises_2samp = fligner = page_trend_test = somersd = ranked_object()
ks_2samp = ranked_object("statistic_location")
median_test = ranked_object("median")
chi2_contingency = dunnett = poisson_means_test = whole_object
epps_singleton_2samp = siegelslopes = whole_object
discrepancy = geometric_discrepancy = update_discrepancy = whole
kruskalwallis = ranked
kendalltau_seasonal = ks_twosamp = ranked_object("statistic_location")
f_oneway = obrientransform = pointbiserialr = theilslopes = whole_object
hdmedian = hdquantiles = hdquantiles_sd = mjci = mquantiles_cimj = trimmed_mean_ci = whole


def plotting_positions(call: Call, data, alpha=0.4, beta=0.4):
    """``(rank - alpha) / (n + 1 - alpha - beta)``."""
    if not contains_traced((alpha, beta)):
        return ranked(call, data, alpha, beta)
    ranks = ranked(call, data, 0, 1) if contains_traced(data) else call.plainly(data, 0, 1)
    n = np.size(data)
    return (ranks * n - alpha) / (n + 1 - alpha - beta)


meppf = plotting_positions


@makes_objects
def kstest(call: Call, rvs, cdf, *args, **kwargs):
    """Two samples are ranked; a sample beside a distribution is traced through SciPy's code."""
    if any(callable(v) or isinstance(v, str) for v in (rvs, cdf)):
        return call.original(rvs, cdf, *args, **kwargs)
    return ks_2samp(call, rvs, cdf, *args, **kwargs)


@harmless("nan_policy")
@makes_objects
def cramervonmises(call: Call, rvs, cdf, args=()):
    """A sum of squares beside a named distribution, and a probability that is a function of it."""
    if not isinstance(cdf, str):
        return call.original(rvs, cdf, args)
    sample = array_of(rvs)
    count = np.size(sample)
    expected = (2 * np.arange(1, count + 1) - 1) / (2 * count)
    found = getattr(sys.modules["scipy.stats"], cdf).cdf(np.sort(sample), *args)
    statistic = 1 / (12 * count) + np.sum((expected - found) ** 2)
    point: Any = (np.linspace(0.4, 0.6, count), "norm")  # any, for the type of the result
    if current().local:
        point = values_of(sample), cdf, tuple(map(values_of, args))
    plain = call.plainly(*point)
    results = statistic, function_of([statistic], [True], (), np.dtype(float))
    statistic, probability = _own_values(results, (plain.statistic, plain.pvalue))
    return type(plain)(statistic=statistic, pvalue=probability)


def scale(sample, l_bounds, u_bounds, reverse):
    """Points of the unit cube in a box, or back."""
    sample, low, high = map(array_of, (sample, l_bounds, u_bounds))
    return (sample - low) / (high - low) if reverse else sample * (high - low) + low


def rv_generic_stats(call: Call, self, *args, **kwds):
    """Moments of each element, as far as a distribution has formulas for them."""
    shapes, loc, scale, moments = self._parse_args_stats(*args, **kwds)
    shapes, loc, scale = tuple(map(array_of, shapes)), array_of(loc), array_of(scale)
    options = {"moments": moments} if self._stats_has_moments else {}
    with np.errstate(all="ignore"):
        mean, variance, skewness, kurtosis = self._stats(*shapes, **options)
    by_name = {"m": mean, "v": variance, "s": skewness, "k": kurtosis}
    wanted = [by_name[name] for name in "mvsk" if name in moments]
    if any(moment is None for moment in wanted):
        return call.original(self, *args, **kwds)
    shape = np.broadcast_shapes(*(np.shape(v) for v in (*shapes, loc, scale)))
    valid = contains_traced(shapes) or self._argcheck(*shapes)
    valid = valid & (True if contains_traced(scale) else scale > 0)
    results = []
    for name in "mvsk":
        if name in moments:
            value = array_of(by_name[name])
            scaled = {"m": lambda v: v * scale + loc, "v": lambda v: v * scale * scale}
            if not contains_traced(value):
                value = np.where(valid, value, np.nan)
            result = np.broadcast_to(scaled.get(name, lambda v: v)(value), shape)
            results.append(result.copy() if shape else result[()])
    return results[0] if len(results) == 1 else tuple(results)

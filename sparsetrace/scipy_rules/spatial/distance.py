"""``scipy.spatial.distance``: distances between points, composed from NumPy functions.

Contract: a distance depends on the coordinates of its two points; that of a point from
itself is zero.  `cdist` and `pdist` have no rule with metrics of truth values; alone these take
numbers, too, of which they are rational functions.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.rule_tools import (
    Call,
    array_of,
    constant,
    harmless,
)
from sparsetrace.scipy_rules.whole import ranked, whole

Metric = Callable[..., Any]
directed_hausdorff = whole


def minkowski_of(u, v, p=2, w=None):
    size = abs(u - v)
    if not contains_traced(p):
        if p <= 0:
            raise ValueError("p must be greater than 0")
        if p == np.inf:
            return np.max(size if w is None else size * (w != 0), axis=-1)
    if contains_traced((p, w)):
        return _power_mean(size, p, w)
    if w is not None:
        size, w = size[..., w != 0], w[w != 0]
    if size.shape[-1] == 1:  # a root of a single power
        return size[..., 0] * (1.0 if w is None else w[0] ** (1 / p))
    return np.sum(size if w is None else w * size, axis=-1) if p == 1 else _power_mean(size, p, w)


def _power_mean(size, p, w):
    powers = size**p
    return np.sum(powers if w is None else w * powers, axis=-1) ** (1.0 / p)


def _euclidean(u, v, w=None):
    return minkowski_of(u, v, 2, w)


def _sqeuclidean(u, v, w=None):
    squares = (u - v) ** 2
    return np.sum(squares if w is None else w * squares, axis=-1)


def _cityblock(u, v, w=None):
    return minkowski_of(u, v, 1, w)


def _chebyshev(u, v, w=None):
    return minkowski_of(u, v, np.inf, w)


def _cosine(u, v, w=None):
    weights = 1.0 if w is None else w
    uv, uu, vv = (np.sum(weights * (a * b), axis=-1) for a, b in ((u, v), (u, u), (v, v)))
    return 1.0 - uv / np.sqrt(uu * vv)


def _correlation(u, v, w=None, centered: bool = True) -> Any:
    if not centered:
        return _cosine(u, v, w)
    weights = np.ones(u.shape[-1]) if w is None else np.asarray(w)
    weights = weights / weights.sum()
    u, v = (x - np.sum(x * weights, axis=-1, keepdims=True) for x in (u, v))
    return _cosine(u, v, weights)


def _braycurtis(u, v, w=None):
    terms = [x if w is None else w * x for x in (abs(u - v), abs(u + v))]
    return np.sum(terms[0], axis=-1) / np.sum(terms[1], axis=-1)


def _canberra(u, v, w=None):
    terms = abs(u - v) / (abs(u) + abs(v))
    return np.sum(terms if w is None else w * terms, axis=-1)


def _seuclidean(u, v, V):
    return _euclidean(u, v, 1 / V)


def _mahalanobis(u, v, VI):
    difference = u - v
    return np.sqrt(np.sum((difference @ VI) * difference, axis=-1))


def _jensenshannon(p, q, base=None):
    p, q = (x / np.sum(x, axis=-1, keepdims=True) for x in (p, q))
    mean = (p + q) / 2.0
    terms = scipy.special.rel_entr(p, mean) + scipy.special.rel_entr(q, mean)
    total = np.sum(terms, axis=-1)
    return np.sqrt((total if base is None else total / np.log(base)) / 2.0)


_METRICS: dict[str, Metric] = {
    "braycurtis": _braycurtis,
    "canberra": _canberra,
    "chebyshev": _chebyshev,
    "cityblock": _cityblock,
    "correlation": _correlation,
    "cosine": _cosine,
    "euclidean": _euclidean,
    "jensenshannon": _jensenshannon,
    "mahalanobis": _mahalanobis,
    "minkowski": minkowski_of,
    "seuclidean": _seuclidean,
    "sqeuclidean": _sqeuclidean,
}
_ALIASES = {
    "chebychev": "chebyshev", "cheby": "chebyshev", "cheb": "chebyshev", "ch": "chebyshev",
    "cblock": "cityblock", "cb": "cityblock", "c": "cityblock", "manhattan": "cityblock",
    "co": "correlation", "cos": "cosine", "euclid": "euclidean", "eu": "euclidean",
    "e": "euclidean", "js": "jensenshannon", "mahal": "mahalanobis",
    "mi": "minkowski", "m": "minkowski", "pnorm": "minkowski", "se": "seuclidean",
    "s": "seuclidean", "sqe": "sqeuclidean", "sqeuclid": "sqeuclidean",
}  # fmt: skip
_NAMED = "Use 'euclidean', or another metric of numbers."


def _metric(call: Call, metric, points: list[Any], options: dict[str, Any]) -> Metric:
    """The distance of vectors along the last axis, its options bound."""
    if not isinstance(metric, str):
        return _callable(metric, options)
    name = metric.lower().removeprefix("test_")
    name = _ALIASES.get(name, name)
    function = _METRICS.get(name)
    if function is None:
        call.refuse(f"metric={metric!r} has no rule", _NAMED)
    options = {name: _as_array(name, x) for name, x in options.items()}
    constant(call, options.get("w"), "a weight")
    if name == "seuclidean" and options.get("V") is None:
        options["V"] = np.var(np.concatenate(points), axis=0, ddof=1)
    if name == "mahalanobis" and options.get("VI") is None:
        options["VI"] = np.linalg.inv(np.cov(np.concatenate(points).T)).T
    return functools.partial(function, **options)


def _as_array(name: str, x) -> Any:
    """Weights and variances as arrays."""
    return array_of(x) if name in ("w", "V", "VI") and x is not None else x


def _callable(metric: Callable[..., Any], options: dict[str, Any]) -> Metric:
    """A function of two vectors, called for each pair."""

    def function(u, v):
        u, v = np.broadcast_arrays(u, v)
        distances = [metric(u[at], v[at], **options) for at in np.ndindex(u.shape[:-1])]
        return np.stack(
            [np.asarray(d) if not contains_traced(d) else d for d in distances]
        ).reshape(u.shape[:-1])

    return function


def _points(x, name: str) -> Any:
    x = array_of(x)
    if x.ndim != 2:
        raise ValueError(f"{name} must be a 2-dimensional array.")
    return x


def _no_target(call: Call, out) -> None:
    if out is not None:
        call.refuse("out= has no rule", "Leave it out, and write out[...] = the result.")


def cdist(call, XA, XB, metric, out, kwargs):
    _no_target(call, out)
    a, b = _points(XA, "XA"), _points(XB, "XB")
    if a.shape[1] != b.shape[1]:
        raise ValueError("XA and XB must have the same number of columns")
    function = _metric(call, metric, [a, b], kwargs)
    if XA is XB and isinstance(metric, str):
        return _square(_condensed(a, function), len(a))
    return function(a[:, None], b[None])


def pdist(call, X, metric, out, kwargs):
    _no_target(call, out)
    x = _points(X, "X")
    return _condensed(x, _metric(call, metric, [x], kwargs))


def _condensed(x, function: Metric) -> Any:
    first, second = np.triu_indices(len(x), 1)
    return function(x[first], x[second])


def _square(v, n: int) -> Any:
    """The symmetric matrix of a condensed one."""
    place = np.full((n, n), len(v))
    first, second = np.triu_indices(n, 1)
    place[first, second] = place[second, first] = np.arange(len(v))
    return np.append(v, 0.0)[place]


@harmless("checks")  # whether the matrix is symmetric
def squareform(X, force):
    x = array_of(X)
    if x.ndim == 1 and force.lower() != "tovector":
        n = int(np.ceil(np.sqrt(len(x) * 2))) if len(x) else 1
        if n * (n - 1) != len(x) * 2:
            raise ValueError("Incompatible vector size.")
        return _square(x, n)
    if x.ndim == 2 and x.shape[0] == x.shape[1] and force.lower() != "tomatrix":
        return x[np.triu_indices(len(x), 1)]
    raise ValueError("a condensed vector or a square matrix is wanted")


@harmless("name", "warning")
def is_valid_dm(call, D, tol, throw):
    """Whether it is symmetric with zeros on its diagonal: what the values decide."""
    if throw:
        call.refuse("whether it raises an error depends on the values", "Leave throw out.")
    return ranked(call, D, tol)


def _single(metric: Metric) -> Callable[..., Any]:
    """The distance of two vectors; it reads what the metric does."""
    signature = inspect.signature(metric)
    names = list(signature.parameters)[2:]

    def rule(u, v, *options):
        u, v = array_of(u), array_of(v)
        if u.ndim != 1 or v.ndim != 1:
            raise ValueError("Input vector should be 1-D.")
        return metric(u, v, *map(_as_array, names, options))

    rule.__signature__ = signature  # type: ignore[attr-defined]
    return rule


braycurtis, canberra, chebyshev = _single(_braycurtis), _single(_canberra), _single(_chebyshev)
cityblock, correlation, cosine = _single(_cityblock), _single(_correlation), _single(_cosine)
euclidean, mahalanobis = _single(_euclidean), _single(_mahalanobis)
minkowski, seuclidean = _single(minkowski_of), _single(_seuclidean)
sqeuclidean = _single(_sqeuclidean)


# ------------------------------------------------ dissimilarities of truth values
def _correspondences(u, v, w) -> tuple[Any, Any, Any, Any]:
    """How many are false and false, false and true, true and false, true and true."""
    u, v = (array_of(x) * 1.0 for x in (u, v))
    not_u, not_v = 1.0 - u, 1.0 - v
    if w is not None:
        u, not_u = array_of(w) * u, array_of(w) * not_u
    pairs = (not_u, not_v), (not_u, v), (u, not_v), (u, v)
    ff, ft, tf, tt = (np.sum(a * b) for a, b in pairs)
    return ff, ft, tf, tt


def dice(u, v, w):
    _, ft, tf, tt = _correspondences(u, v, w)
    return (tf + ft) / (2.0 * tt + tf + ft)


def rogerstanimoto(u, v, w):
    ff, ft, tf, tt = _correspondences(u, v, w)
    return 2.0 * (tf + ft) / (tt + ff + 2.0 * (tf + ft))


def russellrao(u, v, w):
    tt = _correspondences(u, v, w)[3]
    count = float(len(u)) if w is None else np.sum(array_of(w))
    return (count - tt) / count


def sokalsneath(u, v, w):
    _, ft, tf, tt = _correspondences(u, v, w)
    return 2.0 * (tf + ft) / (tt + 2.0 * (tf + ft))


def yule(u, v, w):
    ff, ft, tf, tt = _correspondences(u, v, w)
    half = tf * ft
    return np.where(half == 0, 0.0, 2.0 * half / (tt * ff + half))[()]


def hamming(u, v, w):
    differ = array_of(u) != array_of(v)
    if w is None:
        return np.mean(differ)
    w = array_of(w)
    return np.sum(differ * (w / np.sum(w)))


def jaccard(u, v, w):
    u, v = array_of(u) != 0, array_of(v) != 0
    weights = 1.0 if w is None else array_of(w)
    unequal, nonzero = np.sum(weights * (u ^ v)), np.sum(weights * (u | v))
    return np.where(nonzero == 0, 0.0, unequal / nonzero)[()]


def jensenshannon(p, q, base, axis, keepdims):
    p, q = (np.moveaxis(array_of(x), axis, -1) for x in (p, q))
    result = _jensenshannon(p, q, base)
    return np.expand_dims(result, axis) if keepdims else result

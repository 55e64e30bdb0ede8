"""Calls of averages, order statistics, sorting, counting, histograms."""

from __future__ import annotations

import numpy as np
from checks import Cases

case = Cases()
ANY_ORDER = "the numbers drawn do not come in every order"


def grid(x):
    return x.reshape(2, 3)


W = np.array([[1.0, 0.0, 2.0], [0.5, 1.0, 0.0]])

case("average", lambda x: np.average(grid(x)), 6)
case("average axis", lambda x: np.average(grid(x), axis=1), 6)
case("average axes keepdims", lambda x: np.average(grid(x), axis=(0, 1), keepdims=True), 6)
case("average returned", lambda x: np.average(grid(x), axis=0, returned=True), 6)
case("average weights", lambda x: np.average(grid(x), weights=W), 6)
case("average weights axis", lambda x: np.average(grid(x), axis=1, weights=W), 6)
case("average weights of one axis", lambda x: np.average(grid(x), axis=1, weights=[1, 0, 2]), 6)
case("average weights of one axis, negative", lambda x: np.average(grid(x), -2, W[:, 0] * 2), 6)
case("average weights returned", lambda x: np.average(grid(x), 1, [1, 0, 2], True), 6)
case("average weights keepdims", lambda x: np.average(grid(x), axis=0, weights=W, keepdims=True), 6)
case("average traced weights", lambda x: np.average(W, axis=1, weights=grid(x)), 6)
case("average traced weights of one axis", lambda x: np.average(W, axis=1, weights=x), 3)
case("average both", lambda x: np.average(grid(x[:6]), axis=0, weights=x[6:]), 8)
case("average list weights", lambda x: np.average(x[:3], weights=[x[3], 1.0, 0.0]), 4)
case(
    "average weights over two axes",
    lambda x: np.average(x.reshape(2, 2, 2), axis=(0, 1), weights=np.array([[1.0, 0], [2, 3]])),
    8,
)

case("median even", lambda x: np.median(x), 4, points=40)
case("median overwrite", lambda x: np.median(grid(x), 1, None, True, True), 6, points=40)
case(
    "median of constants and inputs",
    lambda x: np.median(np.concatenate([np.ones(2), x])),
    3,
    points=40,
)
case("median of two axes", lambda x: np.median(x.reshape(2, 2, 2), axis=(0, 2)), 8, points=60)
for _name in "quantile percentile nanquantile nanpercentile".split():
    _f = getattr(np, _name)
    _k = 1 if "quantile" in _name else 100
    case(f"{_name}", lambda x, f=_f, k=_k: f(x, 0.3 * k), 4, points=40)
    case(f"{_name} axis", lambda x, f=_f, k=_k: f(grid(x), 0.3 * k, axis=-1), 6, points=40)
    case(
        f"{_name} levels",
        lambda x, f=_f, k=_k: f(grid(x), np.array([0.2, 0.6]) * k, axis=0),
        6,
        points=30,
    )
    case(
        f"{_name} traced level",
        lambda x, f=_f, k=_k: f(x[:3], x[3] * k),
        4,
        points=40,
        low=0.05,
        high=0.95,
    )
for _name in "quantile percentile".split():
    _f = getattr(np, _name)
    _k = 1 if "quantile" in _name else 100
    case(
        f"{_name} grid of levels",
        lambda x, f=_f, k=_k: f(
            grid(x), np.array([[0.2, 0.6], [0.3, 0.9]]) * k, axis=1, keepdims=True
        ),
        6,
        points=60,
    )
    case(
        f"{_name} axes",
        lambda x, f=_f, k=_k: f(x.reshape(2, 2, 2), [0.5 * k], axis=(0, 2)),
        8,
        points=60,
    )
    case(f"{_name} method", lambda x, f=_f, k=_k: f(x, 0.4 * k, method="lower"), 4, points=60)
case(
    "quantile weights",
    lambda x: np.quantile(x, 0.4, method="inverted_cdf", weights=np.array([1.0, 2.0, 1.0])),
    3,
    points=60,
)
case(
    "quantile weights axis",
    lambda x: np.quantile(
        grid(x), [0.4, 0.6], axis=1, method="inverted_cdf", weights=np.array([1.0, 2.0, 1.0])
    ),
    6,
    points=60,
)
case(
    "quantile keepdims all",
    lambda x: np.quantile(grid(x), [0.4, 0.6], keepdims=True),
    6,
    points=100,
)

for _name in "sort partition".split():
    _sorter = getattr(np, _name)
    _kth = (1,) if _name == "partition" else ()

    def _f(x, *args, f=_sorter, extra=_kth, **kw):
        return f(x, *extra, *args, **kw)

    _e = ANY_ORDER if _name == "partition" else ""
    case(f"{_name}", lambda x, f=_f: f(grid(x)), 6, points=60, extra=_e)
    case(f"{_name} axis 0", lambda x, f=_f: f(grid(x), axis=0), 6, points=60)
    case(f"{_name} axis -2", lambda x, f=_f: f(grid(x), axis=-2), 6, points=60)
    case(f"{_name} flat", lambda x, f=_f: f(grid(x), axis=None), 6, points=100, extra=ANY_ORDER)
    case(
        f"{_name} of constants and inputs",
        lambda x, f=_f: f(np.concatenate([np.ones(1), x])),
        2,
        points=60,
        extra=_e,
    )
case("sort kind", lambda x: np.sort(x, -1, "stable"), 3, points=60)
case("sort of one", lambda x: np.sort(x.reshape(3, 1)), 3)
case("sort in place", lambda x: _in_place(x, lambda y: y.sort()), 3, points=60)
case("sort in place axis", lambda x: _in_place(grid(x), lambda y: y.sort(axis=0)), 6, points=60)
case("partition in place", lambda x: _in_place(x, lambda y: y.partition(1)), 3, points=60)
case("sort_complex", lambda x: np.sort_complex(x), 3, points=60)


def _in_place(x, change):
    y = x.copy()
    change(y)
    return y


for _name in "argsort argmax argmin nanargmax nanargmin count_nonzero".split():
    _f = getattr(np, _name)
    case(f"{_name} axis", lambda x, f=_f: f(grid(x), axis=0) * x[:3], 6)
    case(f"{_name} last axis", lambda x, f=_f: f(grid(x), axis=-1), 6)
    case(f"{_name} flat", lambda x, f=_f: f(grid(x), axis=None), 6)
    if _name != "argsort":
        case(f"{_name} keepdims", lambda x, f=_f: f(grid(x), axis=0, keepdims=True), 6)
        case(f"{_name} keepdims all", lambda x, f=_f: f(grid(x), keepdims=True), 6)
case("argpartition", lambda x: np.argpartition(grid(x), 1, axis=0), 6)
case("argpartition flat", lambda x: np.argpartition(grid(x), 1, axis=None), 6)
case("count_nonzero axes", lambda x: np.count_nonzero(grid(x), axis=(0, 1)), 6)
case(
    "count_nonzero of constants",
    lambda x: np.count_nonzero(np.stack([np.zeros_like(x), np.ones_like(x)]), axis=1) * x[:2],
    3,
)
case("searchsorted", lambda x: np.searchsorted(np.array([0.7, 1.1]), x), 3)
case("searchsorted right", lambda x: np.searchsorted(x, np.array([[0.7, 1.1]]), "right"), 3)
case("searchsorted scalar", lambda x: np.searchsorted(x, 1.0) * x[0], 3)
case("searchsorted both", lambda x: x[:2].searchsorted(x[2:]), 4)
case("digitize", lambda x: np.digitize(grid(x), np.array([0.7, 1.1])), 6)
case("digitize right", lambda x: np.digitize(x, [0.7, 1.1], right=True), 3)
case("digitize traced bins", lambda x: np.digitize([0.6, 0.9], np.sort(x)), 3)
case("lexsort", lambda x: np.lexsort(grid(x)), 6)
case("lexsort keys", lambda x: np.lexsort((x[:3], x[3:])), 6)
case("lexsort axis", lambda x: np.lexsort(x.reshape(2, 2, 2), axis=0), 8)
case("isin", lambda x: np.isin(grid(x), [0.7, 1.1]), 6)
case("isin invert", lambda x: np.isin(x[:2], x[2:], invert=True), 4)
case("round", lambda x: np.round(grid(x), 1), 6)
case("round to tens", lambda x: np.around(x, decimals=-1), 4)
case("round method", lambda x: grid(x).round(2) * x[0], 6)
case("round of constants", lambda x: np.round(np.concatenate([[0.4], x]), 0)[0] * x, 3)
case("round out", lambda x: np.round(x, 1, out=np.ones_like(x)), 3)

case("trace", lambda x: np.trace(x.reshape(3, 3)), 9)
for _k in (-2, -1, 1, 2):
    case(f"trace offset {_k}", lambda x, k=_k: np.trace(x.reshape(3, 3), offset=k), 9)
case("trace axes", lambda x: np.trace(x.reshape(2, 3, 2), 0, 0, 2), 12)
case("trace negative axes", lambda x: np.trace(x.reshape(2, 3, 2), axis1=-1, axis2=0), 12)
case("trace dtype", lambda x: np.trace(x.reshape(2, 2), dtype=complex), 4)
case("trace method", lambda x: x.reshape(2, 2).trace(1), 4)
case("linalg.trace", lambda x: np.linalg.trace(x.reshape(3, 2, 2), offset=1), 12)
case("ptp axis", lambda x: np.ptp(grid(x), axis=0, keepdims=True), 6, points=40)

case("bincount", lambda x: np.bincount([0, 2, 2, 1], x), 4)
case("bincount minlength", lambda x: np.bincount([0, 2, 2], weights=x, minlength=5), 3)
case(
    "bincount of some constants",
    lambda x: np.bincount([0, 0, 2], np.concatenate([np.zeros(1), x])),
    2,
)
case(
    "histogram weights",
    lambda x: np.histogram([0.1, 0.5, 0.6, 0.95, 1.0], bins=4, range=(0, 1), weights=x)[0],
    5,
)
case(
    "histogram weights density",
    lambda x: np.histogram([0.1, 0.5, 0.6, 0.95], bins=3, weights=x, density=True)[0],
    4,
)
case(
    "histogram weights beyond the range",
    lambda x: np.histogram([0.1, 0.5, 9.0], [0, 0.4, 0.9], weights=x),
    3,
)
case("histogram bins", lambda x: np.histogram(x, [0.4, 1.0, 3.0])[0], 4)
case("histogram range", lambda x: np.histogram(x, 3, (0, 3)), 4)
case(
    "histogram free",
    lambda x: np.histogram(x, 3),
    4,
    points=40,
    extra="an edge inside may be any of the elements' combinations",
)
case("histogram density", lambda x: np.histogram(x, [0.4, 1.0, 3.0], density=True)[0], 4)
case(
    "histogram traced values and weights",
    lambda x: np.histogram(x[:3], [0.4, 1.0, 3.0], weights=x[3:])[0],
    6,
    points=40,
)
case("histogram traced bins", lambda x: np.histogram([0.6, 0.9, 1.8], np.sort(x)), 3, points=40)
case("histogram_bin_edges", lambda x: np.histogram_bin_edges(x, 3), 4, points=40)
case("histogram_bin_edges range", lambda x: np.histogram_bin_edges(x, 3, (0, 1)), 4)
case("histogram_bin_edges given", lambda x: np.histogram_bin_edges(x, [0.0, 1.0, 2.0]), 4)
case(
    "histogramdd bins",
    lambda x: np.histogramdd(x.reshape(3, 2), bins=[[0.0, 1, 2], [0.0, 0.7, 3]])[0],
    6,
)
case(
    "histogramdd weights",
    lambda x: np.histogramdd(np.array([[0.1, 0.2], [0.6, 0.1], [0.9, 0.9]]), bins=2, weights=x)[0],
    3,
)
case(
    "histogram2d weights",
    lambda x: np.histogram2d(
        [0.1, 0.6, 0.9], [0.2, 0.1, 0.9], bins=[2, 3], range=[(0, 1), (0, 1)], weights=x
    )[0],
    3,
)
case(
    "histogram2d", lambda x: np.histogram2d(x[:3], x[3:], bins=[2, 3], range=[(0, 3), (0, 3)])[0], 6
)

case("cov", lambda x: np.cov(grid(x)), 6, points=4)
case("cov columns", lambda x: np.cov(grid(x), rowvar=False), 6)
case("cov two", lambda x: np.cov(x[:3], x[3:], bias=True), 6)
case("cov ddof", lambda x: np.cov(grid(x), ddof=0), 6)
case("cov one variable", lambda x: np.cov(x), 4)
case("cov frequencies", lambda x: np.cov(grid(x), fweights=[1, 2, 1]), 6)
case("cov weights", lambda x: np.cov(grid(x), aweights=[1.0, 2.0, 1.0]), 6)
case("cov traced weights", lambda x: np.cov(grid(x[:6]), aweights=x[6:]), 9)
case(
    "corrcoef", lambda x: np.corrcoef(x.reshape(2, 4)), 8, extra="the diagonal is one whatever x is"
)
case(
    "corrcoef two",
    lambda x: np.corrcoef(x[:4], x[4:]),
    8,
    extra="the diagonal is one whatever x is",
)

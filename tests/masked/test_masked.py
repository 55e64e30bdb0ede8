"""numpy.ma over traced data: what is masked carries nothing, and nothing else is lost."""

from __future__ import annotations

import copy
import pickle
import re
import threading
import types

import numpy as np
import pytest
from checks import Case, check, check_local, check_metadata
from numpy.ma import exp as early_exp
from numpy.ma import masked_array as early_class
from numpy.ma import where as early_where
from outside import Outside

import sparsetrace as st
from oracles import (
    assert_covers,
    assert_same_pattern,
    dense,
    hessian_pattern_at,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace.capture import numpy_ma
from sparsetrace.masked import FUNCTIONS, MaskedTracedArray, numpy_functions

K = np.array([[0, 1, 0, 0], [1, 1, 0, 1], [0, 0, 0, 1]], bool)
L = np.array([[0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]], bool)
"""Masks of which the second leaves a row without valid elements."""
K.setflags(write=False)
L.setflags(write=False)
C = np.arange(1.0, 13).reshape(3, 4)
W = np.array([[1.0, 2, 0, 1], [1, 1, 1, 1], [2, 1, 3, 1]])
ROW = np.array([1.0, 0.0, 2.0, 4.0])


LARGE = {
    "m": "np.ma.array(x, mask=K.copy())",
    "n": "np.ma.array(x[::-1] + 0.25, mask=L.copy())",
    "v": "np.ma.array(x[0], mask=[0, 1, 0, 0])",
}
SMALL = {
    "m": "np.ma.array(x, mask=[0, 1, 0, 0])",
    "y": "x[::-1] + 0.0",
    "g": "np.ma.array(x.reshape(2, 2), mask=[[0, 1], [0, 0]])",
    "h": "np.ma.array(x.reshape(2, 2), mask=[[1, 1], [0, 0]])",
}
"""Variables made of x, which is 3 x 4, or of length 4."""
NAMES = {
    "np": np, "K": K, "L": L, "C": C, "W": W, "ROW": ROW, "masked": np.ma.masked,
    "constant": np.ma.array(C, mask=L), "early_exp": early_exp, "early_where": early_where,
    "early_class": early_class,
}  # fmt: skip


def program(source: str, variables: dict[str, str] = LARGE):
    """``f(x)`` for an expression, or for lines with a return."""
    body = source.replace("; ", "\n") if "return " in source else f"return {source}"
    names = [name for name in variables if re.search(rf"\b{name}\b", source)]
    lines = [*(f"{name} = {variables[name]}" for name in names), *body.splitlines()]
    scope = dict(NAMES)
    text = "def f(x):\n" + "\n".join("    " + line for line in lines)
    exec(compile(text, "masked_code.py", "exec"), scope)
    return scope["f"]


EXACT = """
m
m.filled(0)
m.filled(x[0, 0])
m.filled()
np.ma.filled(m, 2.0)
np.ma.filled(x, 2.0)
m.data
np.ma.getdata(m)
np.ma.masked_array(x, K).data * 2
np.ma.MaskedArray(x, mask=K)
early_class(x, mask=K)
np.ma.array(m, mask=L)
np.ma.array(m, mask=L, keep_mask=False)
np.ma.array(x, mask=[True])
np.ma.array(x, mask=True)
np.ma.array(x, mask=K.ravel())
np.ma.array(x, mask=K, copy=True, dtype=float, order="F", ndmin=3)
np.ma.array(x, mask=K, fill_value=7.0).filled()
np.ma.array([x[0, 0], x[0, 1], 3.0], mask=[0, 1, 0])
np.ma.array([m[0], m[1]]) * 2
np.ma.asarray(m)
np.ma.asanyarray(x)
np.ma.asarray(x)
x.view(np.ma.MaskedArray) * 2
m.view(np.ndarray)
m.view()
np.asarray(m)
np.array(m) * 2
np.asanyarray(m) * 2
np.ma.copy(m)
m.copy()
np.ma.zeros_like(m) + x
np.ma.ones_like(m) * m
np.ma.empty_like(m) * 0 + x
np.ma.masked_all_like(x)
np.ma.masked_where(K, x)
np.ma.masked_where(K, n)
np.ma.masked_where(C > 4, x)
np.ma.masked_where(np.ma.greater(constant, 4), x)
np.ma.masked_equal(constant, 2) * x
np.ma.fix_invalid(m)

m + 1
1 - m
m + n
m - n
m * n
n * m
x * m
m * x
m * C
C * m
m * constant
constant * m
constant * x
x * constant
constant - x
x - constant
x[0, 0] * constant
constant * x[0, 0]
constant + m[0, 0]
m * masked
x * masked
m * ROW
m * 0
m[0, 0] * n
m / 2
m / C
x[[1, 2, 0]] / m
m / n
2 / m
m / ROW
constant / x
x / constant
m // 2.0
m // n
m % 2.0
m ** 2
m ** 3.5
m ** n
2 ** m
m ** -1
-m
+m
abs(m)
m.sum() * m
np.sqrt(m)
np.exp(m) * n
np.add(m, x)
np.add(x, m)
np.add(x, constant)
np.multiply(m, ROW)
np.divide(C, m)
np.hypot(m, 2.0)
np.arctan2(n, m)
np.divide(m, ROW)
np.ma.sqrt(m)
np.ma.sqrt(x)
np.ma.sqrt(x[0, 0])
np.ma.log(m)
np.ma.log2(m)
np.ma.log10(m)
np.ma.exp(m)
early_exp(m)
np.ma.sin(m)
np.ma.cos(n)
np.ma.tan(m / 8)
np.ma.sinh(m)
np.ma.cosh(m)
np.ma.tanh(m)
np.ma.arcsin(m / 8)
np.ma.arccos(m / 8)
np.ma.arctan(m)
np.ma.arcsinh(m)
np.ma.arccosh(m + 1)
np.ma.arctanh(m / 8)
np.ma.absolute(m)
np.ma.fabs(m)
np.ma.negative(m)
np.ma.conjugate(m)
np.ma.floor(m)
np.ma.around(m)
np.ma.add(m, n)
np.ma.add(x, m)
np.ma.subtract(x, constant)
np.ma.multiply(m, n)
np.ma.multiply(m, 0)
np.ma.divide(m, n)
np.ma.true_divide(m, ROW)
np.ma.floor_divide(m, 2.0)
np.ma.remainder(m, 2.0)
np.ma.fmod(m, 2.0)
np.ma.power(m, n)
np.ma.power(m, 2)
np.ma.hypot(m, n)
np.ma.arctan2(m, n)
np.ma.multiply.outer(v, v)
np.ma.add.reduce(m, 0)
np.ma.add.reduce(v)
np.ma.multiply.reduce(m, 1)
np.ma.add.accumulate(v)

m > 1
(m > n).filled(False)
np.ma.where(K, x, n)
np.ma.where(K, x, masked)
np.ma.where(L, masked, m)
np.ma.where(L, n, 0.0).filled(1)
np.ma.where(C > 6, x, constant)
np.ma.where(np.ma.array(C > 6, mask=K), m, n)
early_where(K, n, m)
np.where(K, m, 0)
np.where(K, x, constant)
constant < x
(constant < x).mask * x
np.ma.logical_and(m > 1, n > 1)

m[0]
m[0, 0]
m[0, 1]
m[1:, ::2]
m[[0, 2]]
m[~K]
m[K]
m[m.mask] * 1
[v for v in m[0]]
[float(i) for i in m.shape] + [m.ndim, m.size, len(m)]
m.T
m.reshape(4, 3)
m.ravel()
m.flatten()
m.transpose(1, 0)
m.swapaxes(0, 1)
m[:1].squeeze()
m.repeat(2, axis=0)
m.take([0, 2], axis=1)
m.diagonal()
m.compress([1, 0, 1], axis=0)
m.compressed()
m.round(1)
m.astype(float)
m.real
m.tolist(0.0)
[value for row in m.tolist() for value in row if value is not None]
np.ma.reshape(m, (2, 6))
np.ma.ravel(m)
np.ma.transpose(m)
np.ma.swapaxes(m, 0, 1)
np.ma.squeeze(m[:1])
np.ma.expand_dims(m, 1)
np.ma.repeat(m, 2)
np.ma.take(m, [0, 1], 0)
np.ma.diagonal(m)
np.ma.diag(v)
np.ma.diag(m)
np.ma.diagflat(v)
np.ma.resize(v, (2, 6))
np.ma.compress([0, 1, 1], m, axis=0)
np.ma.compressed(m)
np.ma.round(m, 1)
np.ma.round_(m, 1)
np.ma.atleast_1d(m)
np.ma.atleast_2d(v)
np.ma.atleast_3d(v, m)
np.ma.hsplit(m, 2)
np.ma.concatenate([m, x, constant])
np.ma.concatenate([x, x])
np.ma.concatenate([m, n], axis=1)
np.ma.stack([m, n])
np.ma.vstack([m, x])
np.ma.row_stack([m, x])
np.ma.hstack([m, n])
np.ma.dstack([m, n])
np.ma.column_stack([v, x[1]])
np.ma.append(m, v)
np.ma.append(m, x, axis=0)
np.ma.diff(m)
np.ma.diff(m, 2, axis=0)
np.ma.diff(v, prepend=0.0, append=x[0, :1])
np.ma.ediff1d(m)
np.ma.ediff1d(v, to_end=x[0, 0], to_begin=1.0)
np.ma.compress_rows(v.reshape(2, 2))
np.ma.compress_cols(v.reshape(2, 2))
np.ma.compress_rowcols(v.reshape(2, 2))
np.ma.compress_nd(v)
np.ma.mask_rows(v.reshape(2, 2))
np.ma.mask_cols(v.reshape(2, 2))
np.ma.mask_rowcols(v.reshape(2, 2))
[value for _, value in np.ma.ndenumerate(m)]
[m.flatten()[part].sum() for part in np.ma.clump_unmasked(m.ravel())]
[m.flatten()[part].data.sum() for part in np.ma.clump_masked(m.ravel())]
[m.flatten()[part].sum() for part in np.ma.flatnotmasked_contiguous(m)]
[m[part, i].sum() for i, parts in enumerate(np.ma.notmasked_contiguous(m, 0)) for part in parts]
m.flatten()[np.ma.flatnotmasked_edges(m)]
np.ma.notmasked_edges(m, 0)[0][0] * m[0, 0]

m.sum()
m.sum(axis=0)
n.sum(axis=1)
n.sum(axis=1, keepdims=True)
n.sum(axis=1).filled(x[0, 0])
m.sum(axis=(0, 1))
m.prod()
n.prod(axis=1)
m.mean()
m.mean(axis=0)
n.mean(axis=1)
n.mean(axis=1).filled(x[0, 0])
n.var(axis=1).filled(x[0, 0])
n.mean(axis=-1, keepdims=True)
m.var()
m.var(axis=0, ddof=1)
n.var(axis=1)
m.std()
n.std(axis=1)
m.cumsum()
m.cumsum(axis=1)
m.cumprod(axis=0)
m.trace()
m.anom()
n.anom(axis=1)
m.dot(n.T)
m.count() * m
m.count(axis=0) * x
(m > 1).any()
(m > 1).all(axis=0)
np.ma.sum(m)
np.ma.sum(x)
np.ma.sum(n, axis=1)
np.ma.prod(m, axis=0)
np.ma.product(m)
np.ma.mean(m, axis=1)
np.ma.mean(x, 0)
np.ma.var(n)
np.ma.std(n, axis=1)
np.ma.cumsum(m)
np.ma.cumprod(v)
np.ma.trace(m)
np.ma.anom(m)
np.ma.anomalies(m)
np.ma.count(m, axis=1) * 1.0 + x[:, 0]
np.ma.count_masked(m, 0) * x
np.ma.all(m > 1)
np.ma.any(m > 1, axis=1)
np.ma.alltrue(m > 1)
np.ma.sometrue(m > 1)
np.ma.average(m)
np.ma.average(m, axis=0)
np.ma.average(m, weights=W)
np.ma.average(m, axis=1, weights=ROW)
np.ma.average(m, axis=0, weights=W, returned=True)
np.ma.average(C, axis=1, weights=n)
np.ma.average(m, axis=1, keepdims=True)
np.ma.dot(m, n.T)
np.ma.dot(m, ROW)
np.ma.dot(v, v)
np.ma.dot(m, n.T, strict=True)
constant.dot(x.T)
np.ma.inner(m, n)
np.ma.innerproduct(v, v)
np.ma.outer(v, v)
np.ma.outerproduct(v, ROW)
np.ma.convolve(v, [1.0, 2.0])
np.ma.convolve(v, [1.0, 2.0], propagate_mask=False)
np.ma.correlate(v, x[1, :2])

np.sum(m)
np.mean(n, axis=1)
np.std(n, axis=1)
np.var(m)
np.prod(m)
np.cumsum(m)
np.average(m, axis=0)
np.reshape(m, 12)
np.transpose(m)
np.ravel(m)
np.flip(m)
np.roll(m, 1)
np.tile(m, 2)
np.rot90(m)
np.moveaxis(m, 0, 1)
np.expand_dims(m, 0)
np.split(m, 3)
np.diff(m)
np.diff(constant) * x[:, 1:]
np.around(m, 1)
np.take(m, [1, 3], axis=1)
np.compress([1, 0, 1], m, axis=0)
np.repeat(m, 2)
np.real(m)
np.zeros_like(m) + x
np.ones_like(m) * x
np.dot(m, ROW)
np.einsum("ij,ij->i", m, x)
np.linalg.norm(m)
np.outer(v, ROW)
np.concatenate([m, x])
np.stack([v, v * 2])
np.broadcast_to(v, (2, 4))
np.tril(m)
np.copy(m)
np.interp(ROW, [0.0, 1.0, 2.0, 3.0], v)

np.ma.getmask(m) * x
np.ma.getmaskarray(x) * 1.0 + x
m.mask * x
np.ma.mask_or(m.mask, K) * x
np.ma.make_mask(m.mask) * x
np.ma.is_masked(m) * x
np.ma.is_mask(m > 1) * x
np.ma.isMaskedArray(m) * x
isinstance(m, np.ma.MaskedArray) * x
np.ma.shape(m)[0] * x
np.ma.ndim(m) * x
np.ma.size(m) * x
(m[0, 1] is masked) * x
m.fill_value * 0 + x
m.get_fill_value() * x
m.harden_mask() * 1
m.soften_mask().hardmask * x
""".strip().splitlines()
"""Expressions with constant masks; the pattern equals the numerical one."""

STATEMENTS = """
m += n; return m
m -= 2 * x; return m
m *= n; return m.filled(x[0, 0])
m /= 2; return m
m **= 2; return m
m %= 2.0; return m
y = x.copy(); m = np.ma.array(y, mask=K.copy()); m *= n; return y
y = np.ma.zeros(4); y[0] = x[0, 0]; y[2:] = x[1, 2:]; return y * x[2]
y = np.ma.ones(4); y[0] = x[0, 0]; return y * x[2]
y = np.ma.masked_all((3, 4)); y[0] = x[0]; y[1, 1] = 2.0; return y * x
y = np.ma.masked_all_like(C); y[1] = m[1]; return y
y = np.ma.empty((3, 4)); y[...] = m; return y
y = np.ma.array([1.0, 2, 3, 4], mask=[0, 0, 1, 0]); y[1:3] = x[0, 1:3]; return y * x[1]
y = np.ma.array(np.zeros(4), mask=[1, 0, 0, 0]); y[1:] += x[0, 1:]; return y
y = np.ma.zeros(4); y += 1; return y * x[0]
y = np.ma.zeros(4); y += v; return y
m.put([1, 2, 3], [5.0, x[0, 0], 7.0]); return m
y = np.ma.zeros(4); y.put([1, 2], x[0, :2]); return y
np.ma.put(m, [1, 2], v[:2]); return m
np.ma.putmask(m, K, n); return m
m[0] = masked; m[2, 1] = masked; return m
m[0, 1] = 3.0; m[1] = x[2]; return m
m[1:] = n[1:]; return m
y = np.ma.array(x); y[1] = v; return y
y = m[1:]; y[0] = x[0]; return m
y = m.T; y[2] = masked; return m
m[K] = 1.0; return m
m[np.ma.array(C, mask=K) > 4] = 2.0; return m
m.harden_mask(); m[...] = 2 * x; return m
m.harden_mask(); m[C > 4] = 2.0; return m
m.mask = L; return m
m.mask = np.ma.nomask; return m
m.mask = True; return m, x[0]
m.mask[0, 0] = True; return m
y = m + n; y.mask = False; return y
k = K.copy(); y = np.ma.array(x, mask=k); y[0, 1] = 1.0; return k * x
k = K.copy(); y = np.ma.masked_where(k, x); y[0, 1] = 1.0; return k * x
y = np.ma.exp(m); y[0, 1] = 1.0; return m
y = np.ma.exp(m); y.unshare_mask(); y[0, 1] = 1.0; return m
y = m.clip(0, 9); y[0, 1] = 1.0; return m
y = m.real; y[0, 1] = 2.0; return m
m.shape = (4, 3); return m
m.fill_value = 3.0; return m.filled()
m.set_fill_value(3.0); np.ma.set_fill_value(m, 2.0); return m.filled()
total = sum(value for value in m.ravel() if value is not masked); return total
np.ma.harden_mask(m); m[0] = 1.0; np.ma.soften_mask(m); return m
y = m.copy(); y.sort(axis=0); return y.count(axis=0) * x
""".strip().splitlines()
"""Assignments, operators in place, attributes that are set."""

ORDERED = """
np.maximum(m, y)
np.ma.maximum(m, y)
np.ma.maximum(m, y).data
np.ma.maximum(m, 1.1)
np.ma.minimum(x, m[0])
np.ma.maximum.reduce(m)
np.ma.minimum.reduce(g, 1)
np.ma.minimum.outer(m, m)
np.where((m > 1).filled(False), m, 0)
np.ma.where(m > 1, m, y)
np.ma.where(m > 1, m, y).filled(x[0])
m.clip(0.8, 1.5)
np.ma.clip(x, 0.8, y)
m.max()
g.max(axis=1)
h.max(axis=1, keepdims=True)
g.min(axis=0)
m.min(fill_value=1.2)
m.ptp()
np.ma.max(m)
np.ma.max(x)
np.ma.min(h, axis=1)
np.ma.amax(m)
np.ma.amin(m)
np.ma.ptp(h, axis=1)
np.ma.sort(m)
np.ma.sort(g, axis=0)
np.ma.sort(g, axis=None)
np.ma.sort(m, endwith=False)
np.ma.sort(x)
np.sort(m)
z = m.copy(); z.sort(); return z
np.ma.median(m)
np.ma.median(g, axis=0)
np.ma.median(h, axis=1)
np.ma.median(h)
np.ma.median(g, axis=1, keepdims=True)
np.ma.median(x)
np.max(g, axis=0)
np.amin(m)
np.clip(m, 0.8, 1.5)
x[np.ma.argmax(m)]
x[np.ma.argmin(m)]
x[m.argmin()]
x[np.ma.argsort(m)]
x[np.argsort(m)]
np.ma.ediff1d(np.ma.sort(m))
np.ma.masked_where(x > 1, x)
np.ma.masked_where(x > 1, x).filled(y)
np.ma.masked_where(x > 1, x).filled(0).sum()
np.ma.masked_where(x > 1, m)
np.ma.masked_greater(x, 1)
np.ma.masked_greater(x, y)
np.ma.masked_greater_equal(m, 1)
np.ma.masked_less(m, 1).filled(y)
np.ma.masked_less_equal(m, 1)
np.ma.masked_equal(m, 1)
np.ma.masked_not_equal(np.floor(x), 1) * x
np.ma.masked_inside(x, 0.8, 1.2)
np.ma.masked_outside(m, 0.8, 1.2)
np.ma.masked_invalid(m)
np.ma.masked_invalid(x).filled(y)
np.ma.masked_values(x, 1.0)
np.ma.masked_object(m, 1.0)
np.ma.fix_invalid(x)
np.ma.array(x, mask=x > 1)
np.ma.array(x, mask=x > 1).mask * y
np.ma.array(x, mask=x > 1) + y
np.ma.array(x, mask=x > 1).data
np.ma.array(C[0], mask=x > 1) * y
np.ma.array(x, mask=x > 1).sum()
np.ma.array(x, mask=x > 1).mean()
np.ma.array(x, mask=x > 1).var()
np.ma.array(x, mask=x > 1).max()
np.ma.array(x, mask=x > 1).cumsum()
np.ma.array(x, mask=x > 1).count() * x
np.ma.array(x, mask=x > 1)[0]
np.ma.array(x, mask=x > 1)[1:] * 2
np.ma.median(np.ma.array(x, mask=x > 1))
np.ma.median(np.ma.array(C[0], mask=x > 1)) * x
np.ma.sort(np.ma.array(x, mask=x > 1))
np.ma.dot(np.ma.array(x, mask=x > 1), y)
np.ma.average(np.ma.array(x, mask=x > 1), weights=y)
np.ma.concatenate([np.ma.array(x, mask=x > 1), m])
np.ma.stack([np.ma.array(x, mask=x > 1), m]).T
np.stack([np.ma.array(x, mask=x > 1).sum(), x[0]])
np.ma.where(x > 1, m, masked)
np.ma.where(x > 1, m, y).filled(0)[1]
np.ma.where(x > 1, y, m).filled(0)[1]
np.ma.where(x > 1, m, y).data
np.ma.where(x > 1, masked, y).filled(x[::-1])
np.ma.log(x - 1)
np.ma.log(x - 1).filled(y)
np.ma.sqrt(x - 1).data
np.ma.sqrt(x - 1).sum()
np.ma.arcsin(x).filled(0)
(1 / np.ma.array(np.floor(x - 0.5))).filled(x)
np.ma.divide(x, np.floor(y))
np.ma.divide(x, 1.5e-308).filled(y)
np.ma.power(x - 1, 0.5).filled(y)
(m ** 0.5).mask * x
x[m > 1] if False else m
np.ma.is_masked(np.ma.masked_greater(x, 1)) * x
[x[0] if v is masked else v for v in np.ma.masked_greater(x, 1)]
[x[0] if np.ma.masked_greater(x, 1).sum() is masked else 0]
t = np.ma.masked_greater(x, 1); t[0] = y[1]; return t
t = np.ma.array(x); t[0] = np.ma.masked_greater(y, 1)[0]; return t.data
t = np.ma.array(x); t[0] = np.ma.masked_greater(y, 1)[0]; return t.filled(x[1])
t = np.ma.masked_greater(x, 1); t[x > 0.7] = y[0]; return t
t = np.ma.masked_greater(x, 1); t.mask = np.ma.nomask; return t
t = np.ma.masked_greater(x, 1) * 0; t.mask = False; return t + y
t = np.ma.array(x); t[y > 1] = masked; return t.filled(y)
t = np.ma.array(x); t /= np.floor(y); return t.filled(y)
t = np.ma.array(x, mask=[0, 1, 0, 0]); t /= y; return t
t = np.ma.array(x, mask=x > 1); t += m; return t
t = np.ma.array(x, mask=x > 1); t.put([0, 1], y[:2]); return t
t = m.copy(); t[1:] = np.ma.masked_greater(y, 1)[1:]; return t.filled(x)
t = np.ma.zeros(4); t[np.ma.argmax(m)] = y[0]; return t + x[1]
out = np.zeros(4); out[0] = np.ma.masked_greater(x, 1.9).sum(); return out + y
out = np.zeros(4); out[:] = m; return out
out = np.zeros(4); out += m.filled(1); return out
""".strip().splitlines()
"""Sources whose results the order or the size of the inputs decides: four of them."""


@pytest.mark.parametrize("source", [s for s in (*EXACT, *STATEMENTS) if s])
def test_constant_masks(source):
    f = program(source)
    region = {"low": 0.5, "high": 2.0, "points": 2}
    with np.errstate(all="ignore"):
        expected = numerical_jacobian_pattern(f, np.ones((3, 4)), atol=1e-12, **region)
    assert_same_pattern(st.jacobian_sparsity(f, np.ones((3, 4))), expected)
    for options in ({"constants": "structure"}, {"dependency": True}):
        assert_covers(st.jacobian_sparsity(f, np.ones((3, 4)), **options), expected)
    case = Case(source, f, (3, 4), kind="those of np.ma")
    check_local(case)
    check_metadata(case, np.float64)


ANY_INDEX = "an index that depends on the inputs may be any of the axis"
FINITE = "the inputs drawn are finite, and positive"
EXTRA = {
    "x[np.ma.argmax(m)]": ANY_INDEX,
    "x[m.argmin()]": ANY_INDEX,
    "x[np.ma.argmin(m)]": ANY_INDEX,
    "x[np.ma.argsort(m)]": ANY_INDEX,
    "x[np.argsort(m)]": ANY_INDEX,
    "t = np.ma.zeros(4); t[np.ma.argmax(m)] = y[0]; return t + x[1]": ANY_INDEX,
    "t = np.ma.array(x); t[0] = np.ma.masked_greater(y, 1)[0]; return t.filled(x[1])": (
        "if the number is masked, what was there stays beneath it"
    ),
    "np.ma.masked_invalid(x).filled(y)": FINITE,
    "(m ** 0.5).mask * x": FINITE,
    "np.ma.sort(np.ma.array(x, mask=x > 1))": "seldom are all of the inputs drawn below 1",
}


@pytest.mark.parametrize("source", ORDERED)
def test_values_decide(source):
    f = program(source, SMALL)
    reason = EXTRA.get(source, "")
    check(Case(source, f, 4, points=20, kind="those of np.ma", single=False, extra=reason))


# ------------------------------------------------------------------------ at a point
AT_A_POINT = """
np.ma.masked_where(x > 1, x).filled(y)
np.ma.masked_where(x > 1, x).compressed()
np.ma.array(x, mask=x > 1) * y
np.ma.sqrt(x - 1).filled(y)
np.ma.divide(x, 1.5e-308).filled(y)
(m / np.floor(y)).filled(x[0])
m.max()
np.ma.median(m)
np.ma.sort(m)
np.ma.where(x > y, m, y)
[x[0] if v is masked else v for v in np.ma.masked_greater(x, 1)]
t = np.ma.array(x); t /= np.floor(y); return t.filled(y)
t = np.ma.array(x); t[y > 1] = masked; return t
m.tolist(0)
(m > 1) * x
np.ma.masked_greater(x, 1).count() * x
np.ma.argmax(m) * x
""".strip().splitlines()


@pytest.mark.parametrize("source", AT_A_POINT)
def test_at_a_point_masks_are_known(source):
    f = program(source, SMALL)
    for seed in range(4):
        x = np.random.default_rng(seed).uniform(0.5, 2.0, 4)
        assert_same_pattern(st.jacobian_sparsity(f, x, local=True), jacobian_pattern_at(f, x))


# --------------------------------------------------------------------------- Hessians
CURVED = """
m.sum() ** 2
np.ma.sum(m * y)
np.ma.sum(m ** 3)
np.ma.sum(m / y)
m.var()
m.std()
m.prod()
m.mean() * m.sum()
np.ma.dot(m, y * x)
(m * y).filled(x).sum()
np.ma.sum(np.ma.sqrt(m) * g.ravel())
np.ma.sum(np.ma.log(x) * m)
np.ma.sum(np.ma.masked_greater(x, 1) ** 2)
np.ma.masked_greater(x, 1).filled(x[0] * x[3]).sum()
np.ma.where(x > 1, x ** 2, m * y).sum()
np.ma.cumsum(m * x).sum()
np.ma.average(m, weights=y)
np.ma.median(m ** 2)
np.ma.sum(np.ma.hypot(m, y))
m *= y; return m.sum()
t = np.ma.zeros(4); t[0] = x[0] * x[1]; t[1] = masked; t[2] = x[2] ** 2; return t.sum()
np.sum(np.exp(m))
""".strip().splitlines()


@pytest.mark.parametrize("source", CURVED)
@pytest.mark.parametrize("local", [False, True])
def test_hessians(source, local):
    f = program(source, SMALL)
    x = np.array([0.6, 1.4, 0.8, 1.7])
    pattern = dense(st.hessian_sparsity(f, x, local=local))
    if local:
        expected = hessian_pattern_at(f, x)
    else:
        expected = numerical_hessian_pattern(f, x, low=0.5, high=2.0, points=8)
    compare = assert_covers if "median" in source and not local else assert_same_pattern
    compare(pattern, expected)


# ---------------------------------------------------------------------------- Adagrad
PARAM = np.arange(8.0).reshape(2, 4)
STATE = np.full((2, 4), 0.5)
PLACES = (np.array([0, 1, 1]), np.array([2, 0, 2]))
GRAD = np.zeros((2, 4))
GRAD[PLACES] = 3.0, 4.0, 5.0
SPECIFIED = GRAD != 0
EPS, CLR = 1e-10, 0.1


def adagrad_with_a_mask(param, grad, state_sum):
    given = np.where(SPECIFIED, grad, 0.0)
    state_sum = state_sum + given**2
    std = np.sqrt(state_sum, where=SPECIFIED, out=np.ones(grad.shape)) + EPS
    return param - CLR * given / std, state_sum


def adagrad_by_index(param, grad, state_sum):
    param, state_sum = param.copy(), state_sum.copy()
    values = grad[PLACES]
    np.add.at(state_sum, PLACES, values**2)
    param[PLACES] -= CLR * values / (np.sqrt(state_sum[PLACES]) + EPS)
    return param, state_sum


def adagrad_with_masked_arrays(param, grad, state_sum):
    grad = np.ma.masked_array(grad, mask=~SPECIFIED)
    state_sum = state_sum + (grad**2).filled(0)
    std = np.ma.sqrt(np.ma.masked_array(state_sum, mask=~SPECIFIED)) + EPS
    return param - CLR * (grad / std).filled(0), state_sum


ADAGRAD = (adagrad_with_a_mask, adagrad_by_index, adagrad_with_masked_arrays)


@pytest.mark.parametrize("step", ADAGRAD)
def test_adagrad_gives_the_published_values(step):
    param, state_sum = step(PARAM, GRAD, STATE)
    assert state_sum.tolist() == [[0.5, 0.5, 9.5, 0.5], [16.5, 0.5, 25.5, 0.5]]
    assert np.round(param, 4).tolist() == [[0, 1, 1.9027, 3], [3.9015, 5, 5.9010, 7]]


@pytest.mark.parametrize("step", ADAGRAD)
def test_adagrad_has_one_pattern(step):
    every, given, none = np.eye(8), np.diag(SPECIFIED.ravel()), np.zeros((8, 8))
    expected = np.block([[every, given, given], [none, given, every]])
    pattern = st.jacobian_sparsity(step, PARAM, GRAD, STATE, argnums=(0, 1, 2))
    assert_same_pattern(pattern, expected)
    found = numerical_jacobian_pattern(lambda x: step(*x), np.ones((3, 2, 4)), low=0.5, high=2.0)
    assert_same_pattern(pattern, found)
    local = st.jacobian_sparsity(step, PARAM, GRAD, STATE, argnums=(0, 1, 2), local=True)
    assert_same_pattern(local, expected)


@pytest.mark.parametrize("step", ADAGRAD)
def test_adagrad_steps_have_one_hessian(step):
    def loss(x):
        param, state_sum = step(*x)
        return np.sum(param**2) + np.sum(state_sum)

    x = np.ones((3, 2, 4))
    expected = numerical_hessian_pattern(loss, x, low=0.5, high=2.0, points=2)
    assert_same_pattern(st.hessian_sparsity(loss, x), expected)


# ----------------------------------------------------------------------------- where=
WHERE = {
    "a target": lambda x: np.sqrt(x, where=K, out=np.zeros((3, 4))),
    "a traced target": lambda x: np.multiply(x, 2.0, where=K, out=x[::-1].copy()),
    "two operands": lambda x: np.add(x, x[::-1], where=K, out=np.ones((3, 4))),
    "sum": lambda x: np.sum(x, where=K),
    "sum along an axis": lambda x: x.sum(axis=0, where=~K),
    "prod": lambda x: np.prod(x, axis=1, where=~L),
    "mean": lambda x: np.mean(x, axis=1, where=~K),
    "var": lambda x: np.var(x, where=~K),
    "std": lambda x: np.std(x, where=~L),
    "max": lambda x: np.max(x[:2, :2], where=~K[:2, :2], initial=0.0),
    "any": lambda x: np.any(x > 1, where=K) * x,
    "reduce": lambda x: np.add.reduce(x, axis=1, where=K),
    "a target by index": lambda x: np.negative(x[0], where=K[0], out=np.zeros((2, 4))[1]),
}


@pytest.mark.parametrize("name", WHERE)
@pytest.mark.parametrize("local", [False, True])
def test_what_where_leaves_out_carries_nothing(name, local):
    f = WHERE[name]
    x = np.random.default_rng(5).uniform(0.5, 2.0, (3, 4))
    expected = numerical_jacobian_pattern(f, x, low=0.5, high=2.0, points=20)
    pattern = dense(st.jacobian_sparsity(f, x, local=local))
    if local and name == "max":  # one element is the greatest
        assert pattern.sum() == 1
        assert_covers(expected, pattern)
    else:
        assert_same_pattern(pattern, expected)


@pytest.mark.parametrize("local", [False, True])
def test_elements_that_were_not_computed_carry_nothing(local):
    """Without out= their values are whatever the memory held."""
    f = lambda x: np.sqrt(x, where=K)  # noqa: E731
    expected = np.diag(K.ravel())
    assert_same_pattern(st.jacobian_sparsity(f, np.ones((3, 4)), local=local), expected)


# ---------------------------------------------------------------------------- refusals
REFUSED = {
    "np.ma.cov(m)": "np.ma.cov",
    "np.ma.corrcoef(m)": "np.ma.corrcoef",
    "np.ma.polyfit(x[0], v, 1)": "np.ma.polyfit",
    "np.ma.unique(m)": "np.ma.unique",
    "np.ma.in1d(v, x[0])": "np.ma.in1d",
    "np.ma.allclose(m, n)": "np.ma.allclose",
    "np.ma.choose([0, 1], [v[:2], x[0, :2]])": "np.ma.choose",
    "np.ma.apply_along_axis(np.sum, 0, m)": "np.ma.apply_along_axis",
    "np.ma.vander(v)": "np.ma.vander",
    "np.ma.mr_[v, 1.0]": "flat",
    "np.ma.sum(m, out=np.zeros(()))": "out=",
    "np.ma.less.reduce": "",
    "np.ma.hypot.reduce(m)": "np.ma.hypot.reduce",
    "np.ma.hypot.accumulate(m)": "np.ma.hypot.accumulate",
    "m.flat": "flat",
    "m.resize(2, 6)": "resize",
    "m.tobytes()": "tobytes",
    "m.searchsorted(1.0)": "searchsorted",
    "m @ x.T": "np.matmul",
    "x @ m.T": "np.matmul",
    "np.add.reduce(m)": "np.add.reduce",
    "np.add(x, m, where=K)": "np.add",
    "np.add(m, 1, out=m)": "np.add",
    "divmod(m, 2)": "np.divmod",
    "np.median(m)": "np.median",
    "np.linalg.inv(m[:2, :2])": "np.linalg.inv",
    "np.average(m, weights=W)": "np.average",
    "np.clip(x, m, 2.0)": "np.clip",
    "m.clip(n, 2.0)": "clip",
    "float(m[0, 0] + np.ma.masked_greater(x, 1)[0, 0])": "float",
    "np.ma.masked_greater(x, 1).compressed()": "compressed",
    "np.ma.masked_greater(x, 1).tolist()": "tolist",
    "np.ma.compress_rows(np.ma.masked_greater(x, 1))": "compress_nd",
    "np.ma.masked_where(K, m, copy=False)": "masked_where",
    "np.ma.var(m, mean=1.0)": "mean=",
    "np.ma.sort(m, fill_value=1.0)": "fill_value",
    "m.astype('O')": "astype",
    "m.view(np.int64)": "view",
    "1.0 in m": "bool",
    "np.ma.nonzero(m)": "np.ma.nonzero",
    "np.ma.where(m > 1)": "nonzero",
    "Sub(x, mask=K)": "class Sub",
    "pickle.dumps(m)": "pickle",
    "np.fromiter(m.ravel(), float)[:2] if 0 else np.asarray(m, dtype=object)": "",
    "m.no_such_thing": None,
}


class Sub(np.ma.MaskedArray):
    pass


NAMES |= {"Sub": Sub, "pickle": pickle}


@pytest.mark.parametrize("source", REFUSED)
def test_refused_by_name(source):
    wanted = REFUSED[source]
    if wanted is None:
        with pytest.raises(AttributeError, match="no_such_thing"):
            st.jacobian_sparsity(program(source), np.ones((3, 4)))
        return
    with pytest.raises(st.TracingError) as caught:
        st.jacobian_sparsity(program(source), np.ones((3, 4)))
    assert wanted in str(caught.value)


def test_shared_masks_that_inputs_would_decide():
    """In place, NumPy would change the mask given as well: there is no constant left."""

    def f(x):
        mask = np.zeros(3, bool)
        m = np.ma.array(x, mask=mask)
        m /= x[0]
        return m.filled(x[1]) * mask

    with pytest.raises(st.UnsupportedError, match=r"m = m / y"):
        st.jacobian_sparsity(f, np.ones(3))
    local = st.jacobian_sparsity(f, np.ones(3), local=True)
    assert not local.nnz


def test_a_view_is_told_apart_from_a_mask_of_ones_own():
    def f(x, *, keep):
        m = np.ma.array(x.copy(), mask=[True, False, False])
        part = m[1:] if keep else None
        m.mask  # noqa: B018 - a view that is let go
        m /= np.floor(x[::-1])
        return m.filled(x[1]), part

    x = np.array([1.5, 2.5, 3.5])
    pattern = st.jacobian_sparsity(lambda x: f(x, keep=False)[0], x)
    assert_same_pattern(pattern, [[0, 1, 0], [0, 1, 0], [0, 1, 1]])
    with pytest.raises(st.UnsupportedError, match="shares it"):
        st.jacobian_sparsity(lambda x: f(x, keep=True)[0], x)


def test_inputs_that_are_masked_are_refused():
    with pytest.raises(st.InputError, match="masked"):
        st.jacobian_sparsity(np.ma.sum, np.ma.array([1.0, 2.0], mask=[0, 1]))


# ------------------------------------------------------------------ what is exchanged
def functions_of_numpy_ma():
    kinds = (type, types.ModuleType, np.ma.core._MaskedUFunc)
    values = {name: getattr(np.ma, name) for name in np.ma.__all__}
    return {name: f for name, f in values.items() if callable(f) and not isinstance(f, kinds)}


def test_every_function_is_answered_or_refused():
    exchanged = {name for owner, name, *_ in numpy_ma.rows() if owner is np.ma}
    assert exchanged == set(functions_of_numpy_ma()) - numpy_ma._METADATA
    assert set(FUNCTIONS) & set(np.ma.__all__) <= exchanged
    missing = set(FUNCTIONS) - set(np.ma.__all__)
    assert missing <= {"get_data", "get_mask"}


def test_every_answer_is_tested():
    sources = "\n".join([*EXACT, *STATEMENTS, *ORDERED, *CURVED])
    called = set(re.findall(r"np\.ma\.(\w+)\(", sources))
    assert not set(FUNCTIONS) - called - {"get_data", "get_mask"}
    used = set(re.findall(r"\.(\w+)\b", sources))
    own = {name for name in dir(MaskedTracedArray) if not name.startswith("_")}
    assert not own - used - {"mT", "imag", "item", "itemsize", "nbytes", "dtype", "device"}


def test_metadata_of_masked_arrays():
    def f(x):
        m = np.ma.array(x.reshape(2, 2), mask=[[0, 1], [0, 0]])
        assert (m.dtype, m.itemsize, m.nbytes, m.ndim) == (np.dtype(float), 8, 32, 2)
        assert m.mT.shape == (2, 2)
        assert m.device == "cpu"
        assert m.item(2) is not None
        assert repr(m).startswith("masked TracedArray([[{0}, --],\n [{2}, {3}]], value ")
        assert f"{np.ma.array(x)}".startswith("masked TracedArray([{0}, {1}, {2}, {3}], value ")
        unsure = str(np.ma.masked_greater(x, 1))
        assert unsure.startswith("masked TracedArray([{0}?, {1}?, {2}?, {3}?], value ")
        assert m.fill_value == 1e20
        assert m[0, 1] is np.ma.masked
        assert isinstance(m.mask, np.ndarray)
        assert m.mask.tolist() == [[False, True], [False, False]]
        assert np.ma.array(x).mask is np.ma.nomask
        assert np.ma.isMaskedArray(m)
        assert copy.deepcopy(m).shape == copy.copy(m).shape == (2, 2)
        with pytest.raises(np.ma.MaskError):
            np.ma.array(x, mask=[0, 1])
        with pytest.raises(np.ma.MaskError):
            np.ma.power(m, 2, 3)
        with pytest.raises(IndexError):
            np.ma.masked_where([True], x)
        return m.imag

    assert not st.jacobian_sparsity(f, np.ones(4)).nnz


def test_numpy_ma_is_left_alone_without_need():
    seen = Outside()

    def f(x):
        seen.append(np.ma.sum)
        constants = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
        return x * constants.sum() + np.ma.where(constants > 1, constants, 0.0).filled(0)

    original = np.ma.sum
    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 3
    assert seen == [original]


def test_everything_is_put_back():
    before = {(owner, name): vars(owner)[name] for owner, name, *_ in numpy_ma.rows()}
    new = vars(np.ma.MaskedArray)["__new__"]
    st.jacobian_sparsity(lambda x: np.ma.array(x, mask=K), np.ones((3, 4)))
    with pytest.raises(st.UnsupportedError):
        st.jacobian_sparsity(lambda x: np.ma.cov(np.ma.array(x)), np.ones(3))
    assert all(vars(owner)[name] is found for (owner, name), found in before.items())
    assert vars(np.ma.MaskedArray)["__new__"] is new
    assert early_exp is np.ma.exp


def test_other_threads_get_numpys_own():
    found = Outside()

    def elsewhere():
        m = np.ma.zeros(3)
        m[1] = np.ma.masked
        found.append((type(m), (m + 1).sum(), np.ma.where([1, 0, 0], m, 2.0).tolist()))

    def f(x):
        m = np.ma.array(x, mask=[0, 1, 0])
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        return m.sum()

    assert st.jacobian_sparsity(f, np.ones(3)).nnz == 2
    assert found[-1] == (np.ma.MaskedArray, 2.0, [0.0, 2.0, 2.0])


def test_constants_stay_numpys_own():
    def f(x):
        m = np.ma.array(x, mask=[0, 1, 0])
        constants = np.ma.array([1.0, 2.0, 3.0], mask=[0, 0, 1])
        assert type(constants * 2) is np.ma.MaskedArray
        assert type(np.ma.masked_greater(constants, 1)) is np.ma.MaskedArray
        assert constants.dot(constants) == 5.0
        assert (constants < 2).filled(True).tolist() == [True, False, True]
        return m * constants

    assert_same_pattern(st.jacobian_sparsity(f, np.ones(3)), np.diag([1, 0, 0]))


def test_a_masked_array_from_outside_takes_no_traced_values():
    outside = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])

    def f(x):
        outside[0] = np.ma.array(x)[0]
        return outside

    def g(x):
        m = np.ma.array(outside)
        m += np.ma.array(x)
        return m

    for function in (f, g):
        with pytest.raises(st.EscapeError, match="ordinary array"):
            st.jacobian_sparsity(function, np.ones(3))
    assert outside.tolist() == [1.0, None, 3.0]


def test_a_number_that_may_be_masked_and_its_identity():
    """``is np.ma.masked`` cannot be answered by an object: both outcomes are run."""
    missing = np.ma.masked

    def first(x):
        for value in np.ma.masked_greater(x, 1):
            if value is not np.ma.masked:
                return value
        return x[0] * x[2]

    def second(x):
        return helper(np.ma.masked_greater(x, 1).sum(), x)

    def helper(total, x):
        return x[2] if total is missing else total

    x = np.ones(3)
    assert_same_pattern(st.jacobian_sparsity(first, x), [[1, 1, 1]])
    assert st.jacobian_sparsity(second, x).nnz == 3
    with pytest.raises(st.ValueDependentError, match="max_paths"):
        st.jacobian_sparsity(
            lambda x: [v if v is not np.ma.masked else 0.0 for v in np.ma.masked_greater(x, 1)],
            np.ones(12),
        )


def test_masked_elements_under_every_mode():
    def f(x):
        m = np.ma.array(x, mask=[0, 1, 0])
        return (m * [0.0, 1.0, 2.0]).filled(0)

    def nnz(**options):
        return st.jacobian_sparsity(f, np.ones(3), **options).nnz

    assert nnz() == nnz(local=True) == nnz(dependency=True) == 1
    assert nnz(constants="structure") == 2


# ----------------------------------------------------- what is assumed of numpy.ma
def test_the_classes_of_numpy_ma():
    core = np.ma.core
    kinds = (
        core._MaskedUnaryOperation,
        core._MaskedBinaryOperation,
        core._DomainedBinaryOperation,
        core._extrema_operation,
    )
    operations = [f for f in vars(np.ma).values() if isinstance(f, core._MaskedUFunc)]
    assert len(operations) > 40
    assert all(isinstance(f, kinds) for f in operations)
    assert all("__call__" in vars(kind) for kind in kinds)
    assert {type(domain).__name__ for domain in core.ufunc_domain.values()} == {
        "NoneType", "_DomainCheckInterval", "_DomainGreater", "_DomainGreaterEqual",
        "_DomainSafeDivide", "_DomainTan",
    }  # fmt: skip


A = np.ma.array([[3.0, 1.0, 2.0], [5.0, 4.0, 7.0]], mask=[[0, 1, 0], [0, 0, 1]])
ARGUMENTS = {
    np.broadcast_arrays: (A, A.data), np.broadcast_to: (A, (2, 2, 3)), np.convolve: (A[0], [1, 2]),
    np.cross: (A, A.data + 1), np.dot: (A, np.ones(3)), np.einsum: ("ij->i", A),
    np.inner: (A, np.ones(3)), np.interp: (A, [0.0, 9.0], [0.0, 3.0]), np.outer: (A, [1.0]),
    np.select: ([A.data > 2], [A]), np.tensordot: (A, np.ones(3), 1), np.vdot: (A, A.data),
    np.where: (A.data > 2, A, 0.0), np.take: (A, [1], 1), np.repeat: (A, 2), np.compress: ([1], A),
    np.reshape: (A, 6), np.swapaxes: (A, 0, 1), np.clip: (A, 2, 4), np.moveaxis: (A, 0, 1),
    np.roll: (A, 1), np.rollaxis: (A, 1), np.tile: (A, 2), np.split: (A, 2), np.hsplit: (A, 3),
    np.vsplit: (A, 2), np.array_split: (A, 2), np.dsplit: (A.reshape(1, 2, 3), 3),
    np.expand_dims: (A, 0),
    **dict.fromkeys(numpy_functions.FORGETTING - {np.dot, np.inner}, ([A, A],)),
}  # fmt: skip


def plain(arguments):
    return [
        [v.data if isinstance(v, np.ma.MaskedArray) else v for v in a]
        if isinstance(a, list)
        else a.data if isinstance(a, np.ma.MaskedArray) else a
        for a in arguments
    ]  # fmt: skip


def by_name(functions):
    """In an order that is the same in each process."""
    return sorted(functions, key=lambda function: function.__name__)


@pytest.mark.parametrize(
    "function", by_name(numpy_functions.DATA_ALONE | numpy_functions.FORGETTING)
)
def test_functions_of_numpy_that_forget_masks(function):
    arguments = ARGUMENTS.get(function, (A,))
    found = function(*arguments)
    np.testing.assert_equal(np.array(found), np.array(function(*plain(arguments))))
    assert not np.ma.is_masked(found)


@pytest.mark.parametrize("function", by_name(numpy_functions.BY_ELEMENT))
def test_functions_of_numpy_that_move_masks(function):
    arguments = ARGUMENTS.get(function, (A,))
    found, mask = function(*arguments), function(arguments[0].mask, *arguments[1:])
    found, mask = (v if isinstance(v, list) else [v] for v in (found, mask))
    for piece, hidden in zip(found, mask, strict=True):
        np.testing.assert_equal(np.ma.getmaskarray(piece), hidden)


@pytest.mark.parametrize("function", by_name(numpy_functions.BY_METHOD))
def test_functions_of_numpy_that_call_methods(function):
    arguments = ARGUMENTS.get(function, (A,))
    rest = arguments[1:]
    expected = getattr(A, function.__name__)(*rest)
    np.testing.assert_equal(np.ma.filled(function(*arguments), 0), np.ma.filled(expected, 0))

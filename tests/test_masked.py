"""numpy.ma over traced data: what is masked carries nothing, and nothing else is lost."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from dispatch.checks import Case, check
from numpy.ma import exp as early_exp
from numpy.ma import masked_array as early_class
from numpy.ma import where as early_where

import sparsetrace as st
from oracles import (
    assert_covers,
    assert_same_pattern,
    dense,
    flat_outputs,
    hessian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)
from sparsetrace.capture import masks
from sparsetrace.masked import FUNCTIONS, MaskedTracedArray, numpy_functions

K = np.array([[0, 1, 0, 0], [1, 1, 0, 1], [0, 0, 0, 1]], bool)
L = np.array([[0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]], bool)
"""Masks of which the second leaves a row without valid elements."""
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

BODIES = {
    "iadd": "m += n\nreturn m",
    "isub": "m -= 2 * x\nreturn m",
    "imul": "m *= n\nreturn m.filled(x[0, 0])",
    "itruediv": "m /= 2\nreturn m",
    "ipow": "m **= 2\nreturn m",
    "imod": "m %= 2.0\nreturn m",
    "in place, seen by the data": "y = x.copy()\nm = np.ma.array(y, mask=K)\nm *= n\nreturn y",
    "masked zeros": "out = np.ma.zeros(4)\nout[0] = x[0, 0]\nout[2:] = x[1, 2:]\nreturn out * x[2]",
    "masked ones": "out = np.ma.ones(4)\nout[0] = x[0, 0]\nreturn out * x[2]",
    "all masked": "out = np.ma.masked_all((3, 4))\nout[0] = x[0]\nout[1, 1] = 2.0\nreturn out * x",
    "all masked as the first": "out = np.ma.masked_all_like(C)\nout[1] = m[1]\nreturn out",
    "empty": "out = np.ma.empty((3, 4))\nout[...] = m\nreturn out",
    "array of constants": "out = np.ma.array([1.0, 2, 3, 4], mask=[0, 0, 1, 0])\nout[1] = x[0, 1]\n"
    "out[2] = x[0, 2]\nreturn out * x[1]",
    "over zeros": "out = np.ma.array(np.zeros(4), mask=[1, 0, 0, 0])\nout[1:] += x[0, 1:]\nreturn out",
    "an unwatched buffer": "out = np.ma.zeros(4)\nout += 1\nreturn out * x[0]",
    "adding to a buffer": "out = np.ma.zeros(4)\nout += v\nreturn out",
    "put": "m.put([1, 2, 3], [5.0, x[0, 0], 7.0])\nreturn m",
    "put in a buffer": "out = np.ma.zeros(4)\nout.put([1, 2], x[0, :2])\nreturn out",
    "np.ma.put": "np.ma.put(m, [1, 2], v[:2])\nreturn m",
    "np.ma.putmask": "np.ma.putmask(m, K, n)\nreturn m",
    "mask an element": "m[0] = masked\nm[2, 1] = masked\nreturn m",
    "unmask an element": "m[0, 1] = 3.0\nm[1] = x[2]\nreturn m",
    "write a masked array": "m[1:] = n[1:]\nreturn m",
    "write under a nomask": "y = np.ma.array(x)\ny[1] = v\nreturn y",
    "write through a view": "y = m[1:]\ny[0] = x[0]\nreturn m",
    "mask through a view": "y = m.T\ny[2] = masked\nreturn m",
    "write by a boolean mask": "m[K] = 1.0\nreturn m",
    "write by a masked condition": "m[np.ma.array(C, mask=K) > 4] = 2.0\nreturn m",
    "write to a hard mask": "m.harden_mask()\nm[...] = 2 * x\nreturn m",
    "write by a hard mask": "m.harden_mask()\nm[C > 4] = 2.0\nreturn m",
    "set the mask": "m.mask = L\nreturn m",
    "unset the mask": "m.mask = np.ma.nomask\nreturn m",
    "mask all": "m.mask = True\nreturn m, x[0]",
    "write into the mask": "m.mask[0, 0] = True\nreturn m",
    "the mask of a sum": "y = m + n\ny.mask = False\nreturn y",
    "a mask that is shared": "k = K.copy()\ny = np.ma.array(x, mask=k)\ny[0, 1] = 1.0\nreturn k * x",
    "a condition that is not": "k = K.copy()\ny = np.ma.masked_where(k, x)\ny[0, 1] = 1.0\nreturn k * x",
    "the mask of np.ma.exp": "y = np.ma.exp(m)\ny[0, 1] = 1.0\nreturn m",
    "unshared": "y = np.ma.exp(m)\ny.unshare_mask()\ny[0, 1] = 1.0\nreturn m",
    "shape": "m.shape = (4, 3)\nreturn m",
    "fill value": "m.fill_value = 3.0\nreturn m.filled()",
    "set fill value": "m.set_fill_value(3.0)\nnp.ma.set_fill_value(m, 2.0)\nreturn m.filled()",
    "a number": "total = 0.0\nfor value in m.ravel():\n    if value is not masked:\n        total = total + value\nreturn total",
    "harden as a function": "np.ma.harden_mask(m)\nm[0] = 1.0\nnp.ma.soften_mask(m)\nreturn m",
    "local sort": "y = m.copy()\ny.sort(axis=0)\nreturn y.count(axis=0) * x",
}  # fmt: skip

ORDERED = """
np.maximum(m, y)
np.ma.maximum(m, y)
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
np.ma.where(x > 1, masked, y).filled(x[::-1])
np.ma.log(x - 1)
np.ma.log(x - 1).filled(y)
np.ma.sqrt(x - 1).data
np.ma.sqrt(x - 1).sum()
np.ma.arcsin(x).filled(0)
(1 / np.ma.array(np.floor(x - 0.5))).filled(x)
np.ma.divide(x, np.floor(y))
np.ma.power(x - 1, 0.5).filled(y)
(m ** 0.5).mask * x
x[m > 1] if False else m
np.ma.is_masked(np.ma.masked_greater(x, 1)) * x
[x[0] if v is masked else v for v in np.ma.masked_greater(x, 1)]
[x[0] if np.ma.masked_greater(x, 1).sum() is masked else 0]
t = np.ma.masked_greater(x, 1); t[0] = y[1]; return t
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


LARGE_SOURCES = {s: s for s in EXACT if s.strip()} | BODIES


@pytest.mark.parametrize("name", LARGE_SOURCES)
def test_constant_masks(name):
    f = program(LARGE_SOURCES[name])
    check(Case(name, f, (3, 4), points=2, kind="those of np.ma", single=False))


ANY_INDEX = "an index that depends on the inputs may be any of the axis"
FINITE = "the inputs drawn are finite, and positive"
EXTRA = {
    "x[np.ma.argmax(m)]": ANY_INDEX,
    "x[m.argmin()]": ANY_INDEX,
    "x[np.ma.argsort(m)]": ANY_INDEX,
    "x[np.argsort(m)]": ANY_INDEX,
    "t = np.ma.zeros(4); t[np.ma.argmax(m)] = y[0]; return t + x[1]": ANY_INDEX,
    "np.ma.masked_invalid(x).filled(y)": FINITE,
    "(m ** 0.5).mask * x": FINITE,
    "np.ma.sort(np.ma.array(x, mask=x > 1))": "seldom are all of the inputs drawn below 1",
}


@pytest.mark.parametrize("source", ORDERED)
def test_values_decide(source):
    f = program(source, SMALL)
    reason = EXTRA.get(source, "")
    check(Case(source, f, 4, points=20, kind="those of np.ma", single=False, extra=reason))

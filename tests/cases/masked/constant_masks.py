"""Lines whose masks are constant; their names are those of `programs.LARGE`.

Contract: text alone.
"""

from __future__ import annotations

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
np.where(np.ma.getmaskarray(np.ma.empty_like(m)), 0, x)
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
m.shrink_mask() * 2
np.ma.array(x, mask=False).shrink_mask().mask * x
m.fill_value * 0 + x
np.ma.allequal(m, x, fill_value=False) * x
np.ma.vander(v)
np.ma.vander(x[0], 2)
np.ma.polyfit(C[0], v, 1)
np.ma.polyfit(v, x[1], 1)
np.ma.polyfit(ROW, np.ma.array(x.T, mask=K.T), 0)
np.ma.polyfit(ROW, v, 1, full=True)[1]
np.ma.polyfit(ROW, x[:2].T, 1, w=v)
np.ma.choose([0, 1], [v[:2], x[0, :2]])
np.ma.choose(np.ma.array([0, 1, 2, 0], mask=[1, 0, 0, 0]), [v, x[1], masked])
np.ma.choose([2, 3, 0, 0], [v, x[1]], mode="wrap")
np.ma.choose([-2, 3, 0, 0], [v, x[1]], mode="clip")
np.ma.apply_along_axis(np.ma.sum, 0, m)
np.ma.apply_along_axis(np.ma.cumsum, 1, n)
np.ma.apply_along_axis(lambda row: row[:2] * row[3], 1, n)
np.ma.apply_along_axis(lambda row: np.ma.outer(row, row[:2]), 0, m).shape[0] * x
np.ma.apply_along_axis(lambda row, k, by=1.0: row * k / by, -1, x, 3.0, by=2.0)
np.ma.apply_over_axes(np.ma.sum, m, [0, 1])
np.ma.apply_over_axes(np.ma.mean, n, -1)
np.ma.apply_over_axes(lambda a, axis: a.sum(axis, keepdims=True), x, (0,))
np.ma.cov(v)
np.ma.cov(x[0], bias=True)
np.ma.cov(x, ddof=0).diagonal()
np.ma.cov(v, x[1])
np.ma.cov(v, x[1], rowvar=False, bias=True)
np.ma.corrcoef(v, x[1])[0, 1]
np.ma.corrcoef(x[:2].T, rowvar=False)[1, 0]
np.ma.cov(x, allow_masked=False)
np.ma.corrcoef(v)
m.get_fill_value() * x
m.harden_mask() * 1
m.soften_mask().hardmask * x
m * np.min_scalar_type(m).itemsize
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
m = m.copy(); m.fill(3.0); m[0] = x[0, 0]; return m
m = m.copy(); m.fill(x[0, 0]); return m
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

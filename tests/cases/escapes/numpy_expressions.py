"""Ways out of a trace by functions of NumPy: expressions of `x`, four numbers."""

from __future__ import annotations

NUMPY = r"""
np.asarray(x)
np.asarray(x) * 2
np.asarray(x) + x
np.asarray(x)[0]
np.asarray(x)[1:]
np.asarray(x)[1:] * 2
np.asarray(x).sum()
np.asarray(x).astype(float)
np.asarray(x) == 1
bool(np.asarray(x)[0])
np.asarray(x).copy()
np.asarray(x).tolist()
np.asarray(x).T
np.asarray(x).reshape(2, 2)
np.concatenate([np.asarray(x), np.asarray(x)])
np.concatenate([np.asarray(x), x])
np.stack([np.asarray(x), x])
np.where(True, np.asarray(x), x)
np.where(x > 0, np.asarray(x), 0.0)
np.sort(np.asarray(x))
np.max(np.asarray(x))
np.argmax(np.asarray(x)) * x
np.asarray(x).mean()
np.asarray(x).view(float)
np.asarray(x).view(np.int64)
np.asarray(x).tobytes()
np.asarray(x, dtype=float)
np.asarray(x, dtype=object)
np.array(x)
np.array(x, dtype=float)
np.array(x) * 2
np.array(x)[0] + 1
np.array([x[0], x[1]])
np.array([x[0], x[1]], dtype=float)
np.array([x, x])
np.array([x, x], dtype=float)
np.array([x[:2], x[2:]]).sum()
np.array([[x[0], 1.0], [2.0, x[1]]]) @ np.ones(2)
np.asanyarray(x, dtype=float)
np.ascontiguousarray(x)
np.ascontiguousarray(x) * 2
np.asfortranarray(x) * 2
np.require(x, dtype=float) * 2
np.asarray_chkfinite(x)
np.float64(x[0])
np.float64(x)
np.float32(x[0])
np.int64(x[0])
np.bool_(x[0])
np.complex128(x[0])
np.str_(x[0])
np.fromiter(x, float)
np.fromiter((v for v in x), float)
np.fromiter((v for v in x), object)
np.frombuffer(x)
np.fromfunction(lambda i: x[i], (4,), dtype=int)
np.lib.stride_tricks.as_strided(x, (2,), (8,))
np.lib.stride_tricks.as_strided(x, (2,), (8,)) * 2
np.lib.stride_tricks.as_strided(x[::2], (2,), (16,)) * 2
[v for v in np.nditer(x)]
[v * 2 for v in np.nditer(x)]
[v * 2 for v in np.nditer([x, x])]
[v * 2 for v in np.nditer(x, flags=['refs_ok'])]
[v * 2 for v in np.nditer([x, None], flags=['refs_ok'])]
np.vectorize(math.sin)(x)
np.vectorize(lambda v: v * 2)(x)
np.vectorize(lambda v: v * 2, otypes=[float])(x)
np.save('/dev/null', x)
np.savez('/dev/null', x)
np.savetxt('/dev/null', x)
np.savez_compressed('/dev/null', a=x)
x if np.any(x > 0) else 2 * x
x if np.allclose(x, 1) else 2 * x
x if np.array_equal(x, x) else 2 * x
x if np.isclose(x[0], 1) else 2 * x
np.array2string(x)
np.array_str(x)
[v for _, v in np.ndenumerate(x)]
sum(v for _, v in np.ndenumerate(x))
[v * 2 for _, v in np.ndenumerate(np.asarray(x))]
[x[i] for i in np.ndindex(x.shape)]
x.view(np.int64)
x.view(np.float32)
x.view(np.complex128)
x.view(np.recarray)
x.view(np.matrix) * 2
x.view(np.ndarray) * 2
x.view(type=np.ndarray) * 2
np.ma.array(x)
np.ma.masked_array(x, mask=[0, 1, 0, 0])
np.ma.masked_where(x > 2, x)
np.ma.masked_array(x, mask=[0, 1, 0, 0]) * 2
np.ma.array(x).filled(0)
np.ma.array(x).sum()
np.ma.masked_invalid(x)
np.ma.sqrt(x)
np.ma.array(X) * x
x * np.ma.array(X)
x[0] * np.ma.array(X)
np.ma.sum(x)
np.matrix(x)
np.matrix(x) * 2
np.asmatrix(x)
np.asmatrix(x) * 2
np.matrix(np.eye(4)) @ x
np.matrix(np.eye(4)) * x
np.bmat([[np.diag(x), np.eye(4)]])
np.rec.array(x)
np.rec.fromarrays([x, x])
np.rec.fromarrays([x, x], dtype=[('a', float), ('b', float)])['a']
np.testing.assert_allclose(x, x) or x * 0
np.testing.assert_array_equal(x, x) or x * 0
np.testing.assert_array_less(0, x) or x * 0
np.testing.assert_almost_equal(x[0], x[0]) or x * 0
np.testing.assert_equal(x, x) or x * 0
np.random.default_rng(0).normal(x)
np.random.default_rng(0).normal(x[0])
np.random.default_rng(0).normal(0, x[0])
np.random.normal(x)
np.random.default_rng(0).choice(x)
np.random.default_rng(0).choice(4, p=x / x.sum())
np.random.default_rng(0).multivariate_normal(x, np.eye(4))
np.random.default_rng(0).poisson(x)
np.random.choice(x)
np.random.choice(x, 2)
np.random.default_rng(0).dirichlet(x)
np.random.default_rng(0).choice(x, 2)
np.random.default_rng(0).uniform(0, x)
np.random.seed(int(0)) or np.random.exponential(x)
np.zeros(x[0])
np.arange(x[0] + 0.5)
np.arange(0, x[0] + 0.25, .5)
np.linspace(0, 1, x[0])
np.linspace(0, x[0], 3)
np.full(3, x[0])
np.full(3, x[0], dtype=float)
np.full(4, x)
np.ones(4) * x.item(0)
np.eye(4, k=x[0])
np.identity(x[0])
np.tri(x[0])
np.diag(x).item((0, 0))
np.poly1d(x)
np.poly1d(x)(2.)
np.poly1d([1., 2.])(x)
np.poly1d([1., 2.])(x[0])
np.polynomial.Polynomial(x)(2.)
np.polynomial.Polynomial([1., 2.])(x)
np.polynomial.polynomial.polyval(x, [1., 2.])
np.polynomial.polynomial.polyval(2.0, x)
np.polynomial.chebyshev.chebval(x, [1., 2., 3.])
np.polynomial.legendre.legval(2.0, x)
np.linalg.solve(np.diag(x), np.ones(4))
np.linalg.norm(x)
np.char.add(x, 'a')
np.datetime64(x[0])
np.datetime64(int(x[0]), "us")
np.timedelta64(int(x[0]), "us") / np.timedelta64(1, "s")
np.isscalar(x[0]) * x
np.iscomplexobj(x) * x
np.isrealobj(x) * x
np.array_repr(x)
np.array_split(np.asarray(x), 2)[0] * 2
np.bincount(x)
np.bincount(np.arange(4), weights=x)
np.histogram(x)[1]
np.histogram(np.arange(3.), weights=x[:3])[0]
np.histogram(np.arange(3.), bins=x)[0]
np.digitize(x, [1., 2.])
np.digitize([1.5], x)
np.searchsorted(x, 2.)
np.interp(1.5, np.arange(4.), x)
np.interp(1.5, x, np.arange(4.))
np.interp(x, np.arange(4.), np.arange(4.))
np.piecewise(x, [x > 2, x <= 2], [lambda v: v, lambda v: 2 * v])
np.select([x > 2], [x], 0.)
np.apply_along_axis(lambda v: v * 2, 0, x)
np.apply_along_axis(lambda v: float(v[0]), 0, x)
np.einsum('i->', x)
np.einsum('i->', np.asarray(x))
np.dot(np.asarray(x), np.ones(4))
np.dot(np.asarray(x), x)
np.asarray(x) @ np.ones(4)
np.asarray(x) @ x
np.ones((4, 4)) @ np.asarray(x)
np.linalg.solve(np.eye(4), np.asarray(x))
np.fft.fft(np.asarray(x))
np.nan_to_num(np.asarray(x))
np.clip(np.asarray(x), 0, 1)
np.isnan(np.asarray(x))
np.isfinite(np.asarray(x))
np.exp(np.asarray(x))
np.cumsum(np.asarray(x))
np.diff(np.asarray(x))
np.roll(np.asarray(x), 1)
np.roll(np.asarray(x), 1) * 1.0
np.asarray(x).dot(np.ones(4))
np.asarray(x).all()
np.asarray(x).nonzero()
np.count_nonzero(np.asarray(x)) * x
np.asarray(x).argmax() * x
np.asarray(x).argsort() * x
np.asarray(x).real
np.asarray(x).item(0)
np.asarray(x).round()
list(np.asarray(x))
sum(np.asarray(x))
[v for v in np.asarray(x).flat]
float(np.asarray(x)[0])
np.asarray(x).data
np.asarray(x)[...]
np.asarray(x)[[0, 1]]
np.asarray(x)[x > 0]
np.asarray(x).take([0])
np.array_equal(np.asarray(x), X) * x
np.shares_memory(x, x) * x
np.may_share_memory(x, x) * x
np.copy(x)
np.copy(np.asarray(x))
type('A', (np.ndarray,), {})((4,)) * x
np.ndarray.__add__(x, x)
np.ndarray.sum(x)
np.ndarray.astype(x, float)
np.ndarray.tolist(x)
np.ndarray.copy(x)
np.ndarray.__getitem__(x, 0)
np.ndarray.reshape(x, (2, 2))
np.ndarray.__array__(x)
np.ndarray.view(x, np.ndarray)
np.ndarray.mean(x)
np.ndarray.item(x, 0)
np.ndarray.take(x, [0])
np.ndarray.flatten(x)
np.ndarray.dot(x, np.ones(4))
np.from_dlpack(x) * 2
np.ones(4)[x > 0]
np.ones(4)[np.argmax(x)]
np.ones(4)[np.argsort(x)]
np.arange(4)[np.argmax(x)] * x
[10, 20, 30, 40][np.argmax(x)] * x
[10, 20, 30, 40][np.sum(x > 0)] * x
x[0:np.argmax(x)]
x[np.argmax(x):]
np.ones(4)[:np.argmax(x)]
np.split(x, [np.argmax(x)])
np.roll(x, np.argmax(x))
np.repeat(x, np.argmax(x))
np.take(np.ones(4), np.argmax(x))
np.take(np.arange(4.), [np.argmax(x)])
np.tile(x, x[0])
np.reshape(x, (x[0], -1))
x.reshape(np.sum(x > 0), -1)
np.ufunc.at(np.add, np.zeros(4), [0], x[0])
np.add.at(np.zeros(4), [0, 1], x[:2])
np.add.at(x, np.argmax(x), 1.0)
np.add(x, x, out=np.zeros(4))
np.add(x, x, np.zeros(4))
np.add(x, x, out=(np.zeros(4),))
np.sum(x, out=np.zeros(()))
np.cumsum(x, out=np.zeros(4))
np.dot(x, x, out=np.zeros(()))
np.clip(x, 0, 1, out=np.zeros(4))
np.take(x, [0, 1], out=np.zeros(2))
np.concatenate([x, x], out=np.zeros(8))
np.stack([x, x], out=np.zeros((2, 4)))
np.matmul(np.eye(4), x, out=np.zeros(4))
np.einsum('i,i->', x, x, out=np.zeros(()))
np.add(1.0, 2.0, out=x[:1]) + x[0]
np.add(np.ones(4), 1.0, where=x > 0)
np.compress(x > 0, x)
np.extract(x > 1.5, x)
np.delete(x, np.argmax(x))
np.unique(x, axis=0)
np.nonzero(x)
np.argwhere(x > 0)
np.where(x > 0)
np.flatnonzero(x)
np.void(x)
np.object_(x[0])
int(np.floor(x[0])) * x
np.float64(x[0] > 0) * x
np.asarray(list(x))
np.asarray(tuple(x), dtype=float)
np.asarray([float(v) for v in x])
np.asarray(x.tolist())
np.asarray(x[0])
np.asarray(x[0]) * 2
np.asarray(x[0], dtype=float)
np.array(x[0])
np.array(x[0]) * 2
np.array(x[0])[()]
np.array([x[0], 2.0]) * 2
np.array([x[0], 2.0]).sum()
np.array([x[0], 2.0]).astype(float)
np.array([x[0], 2.0]) @ np.ones(2)
np.array([x[0], 2.0], dtype=object).astype(float)
np.asarray([x[0], x[1]])[0]
np.asarray([x[0], x[1]]).max()
np.sort(np.asarray([x[0], x[1]]))
np.sin(np.array([x[0], x[1]]))
np.exp(np.asarray([x[0], 1.0]))
np.dot(np.array([x[0], x[1]]), np.array([x[0], 2.]))
np.linalg.norm(np.array([x[0], x[1]]))
np.linalg.solve(np.array([[x[0], 0.], [0., 1.]]), np.ones(2))
np.linalg.inv(np.array([[x[0], 0.], [0., 1.]]))
np.floor(np.array([x[0], 1.0]))
np.sign(np.array([x[0], 1.0])) * 1.0
np.array([x[0], 1.0]) > 0
np.array([x[0], 1.0]) == np.array([x[0], 1.0])
np.isnan(np.array([x[0], 1.0]))
np.arctan2(np.array([x[0], 1.0]), np.array([x[1], 1.0]))
np.where(np.array([x[0], 1.0]) > 0, 1.0, 2.0)
np.array([x[0], 1.0]).tolist()
np.array([x[0], 1.0])[::-1] * x[:2]
np.array([x[0], 1.0]).std()
np.array([x[0], 1.0]).argmax() * x
np.array([x[0], 1.0]).clip(0, 1)
np.array([x[0], 1.0]).round()
np.round(np.array([x[0], 1.0]), 2)
np.interp(np.array([x[0], 1.0]), np.arange(3.), np.arange(3.))
np.fft.fft(np.array([x[0], 1.0]))
np.array([x[0], 1.0]).tobytes()
np.sqrt([x[0], x[1]])
np.sum([x[0], x[1]])
np.mean(list(x))
np.max([x[0], 2.0])
np.sin(x.tolist())
np.dot(list(x), list(x))
np.linalg.norm(list(x))
np.linalg.norm([x[0], x[1]])
np.prod([x[0], x[1]])
np.cross([x[0], x[1], x[2]], [1., 0., 0.])
np.diff(list(x))
np.hypot(*x[:2])
np.trapezoid(list(x))
np.multiply.reduce(list(x))
np.add.reduce([x[0], x[1]])
np.add.accumulate(list(x))
np.fix(x)
np.result_type(x)
np.can_cast(x[0], np.float32) * x if False else x * (np.result_type(x[0], np.float32) == float)
np.min_scalar_type(x[0])
np.shape(x) * 2
np.ndim(x) * x
np.size(x[0]) * x
np.broadcast(x, x).shape * 2
[a * b for a, b in np.broadcast(x, X)]
[a for a, b in np.broadcast(x, X)]
np.broadcast(x[0], X).shape
""".strip().splitlines()
"""One expression a line."""

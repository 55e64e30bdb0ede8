"""Ways out of a trace: expressions and function bodies of `x`, four numbers.

Contract: a pure table.  Each entry runs on plain numbers; traced, it either gives a
pattern with every entry, or raises an error of sparsetrace's.  Which of the two may
change as the trace learns to follow more, so the table does not say.
"""

# ruff: noqa: E501 - one entry a line, whatever its length
from __future__ import annotations

EXPRESSIONS = r"""
float(x[0])
int(x[0])
bool(x[0])
complex(x[0])
operator.index(x[0])
int(x[:1])
complex(x[:1])
bool(x[:1])
[1,2,3][x[0]]
list(range(10))[x[1]]
range(x[0])
{x[0]: 1}[1.0] * x
{x[0], x[1]}
hash(x)
hash(x[0])
math.sin(x[0])
math.sqrt(x[0])
math.floor(x[0])
math.fsum(x)
math.hypot(x[0], x[1])
math.isclose(x[0], x[1])
math.prod(x)
math.pow(x[0],2)
math.dist(x, x)
cmath.exp(x[0])
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
struct.pack('d', x[0])
struct.pack('4d', *x)
json.dumps(x[0])
json.dumps(x.tolist())
json.dumps(list(x))
arr.array('d', x)
arr.array('d', list(x))
bytes(x)
bytearray(x)
memoryview(x)
x.tobytes()
x.data
x.ctypes
x.ctypes.data
x.__array_interface__
x.__array_struct__
x.tofile('/dev/null')
x.dump('/dev/null')
x.dumps()
pickle.dumps(x)
pickle.dumps(x[0])
pickle.loads(pickle.dumps(x))
copy.deepcopy(x)
copy.copy(x)
copy.deepcopy(x[0])
copy.deepcopy([x, x[0]])[1]
np.save('/dev/null', x)
np.savez('/dev/null', x)
np.savetxt('/dev/null', x)
np.savez_compressed('/dev/null', a=x)
scipy.linalg.solve(np.diag(x), np.ones(4))
scipy.linalg.inv(np.diag(x))
scipy.linalg.norm(x)
scipy.linalg.expm(np.diag(x))
scipy.linalg.toeplitz(x)
scipy.linalg.lu_factor(np.diag(x))
scipy.linalg.solve_banded((0,0), x[None], np.ones(4))
scipy.linalg.block_diag(x, x)
scipy.linalg.det(np.diag(x))
scipy.linalg.cho_factor(np.diag(x))
scipy.interpolate.interp1d(x, np.ones(4))(1.5)
scipy.interpolate.interp1d(np.arange(4.), x)(1.5)
scipy.interpolate.CubicSpline(np.arange(4.), x)(1.5)
scipy.interpolate.CubicSpline(np.arange(4.), np.arange(4.))(x)
scipy.interpolate.PchipInterpolator(np.arange(4.), x)(.5)
scipy.interpolate.RegularGridInterpolator((np.arange(4.),), x)([[1.5]])
scipy.interpolate.BSpline(np.arange(8.), x, 3)(3.5)
scipy.interpolate.UnivariateSpline(np.arange(4.), x)(1.)
scipy.interpolate.splev(x, scipy.interpolate.splrep(np.arange(5.), np.arange(5.)))
scipy.optimize.root(lambda y: y - x[:1], [0.]).x
scipy.optimize.brentq(lambda y: y - x[0], 0, 5)
scipy.optimize.minimize(lambda y: ((y - x)**2).sum(), np.zeros(4)).x
scipy.optimize.least_squares(lambda y: y - x, np.zeros(4)).x
scipy.optimize.fsolve(lambda y: y - x[0], 0.)
scipy.optimize.nnls(np.eye(4), x)[0]
scipy.signal.convolve(x, np.ones(2))
scipy.signal.fftconvolve(x, np.ones(2))
scipy.signal.lfilter([1.], [1., .5], x)
scipy.signal.savgol_filter(x, 3, 1)
scipy.signal.correlate(x, np.ones(2))
scipy.signal.detrend(x)
scipy.signal.medfilt(x, 3)
scipy.signal.hilbert(x)
scipy.signal.convolve2d(np.outer(x, x), np.ones((2,2)))
scipy.ndimage.gaussian_filter(x, 1.)
scipy.ndimage.convolve(x, np.ones(3))
scipy.ndimage.shift(x, 1.)
scipy.ndimage.map_coordinates(np.ones(4), [x])
scipy.ndimage.uniform_filter(x, 3)
scipy.ndimage.laplace(x)
scipy.integrate.odeint(lambda y, t: -y, x, np.linspace(0, 1, 3))
scipy.integrate.solve_ivp(lambda t, y: -y, (0, 1), x).y
scipy.integrate.solve_ivp(lambda t, y: -y*x, (0, 1), np.ones(4)).y
scipy.integrate.quad(lambda t: t * x[0], 0, 1)[0]
scipy.integrate.quad(lambda t: t, 0, x[0])[0]
scipy.integrate.simpson(x)
scipy.integrate.trapezoid(x)
scipy.integrate.cumulative_trapezoid(x)
scipy.integrate.cumulative_simpson(x, dx=1.0)
scipy.integrate.romb(np.append(x, 1.))
scipy.integrate.fixed_quad(lambda t: t * x[0], 0, 1)[0]
scipy.stats.norm.pdf(x)
scipy.stats.norm.logpdf(x, 0., 1.)
scipy.stats.norm.cdf(x)
scipy.stats.zscore(x)
scipy.stats.gmean(x)
scipy.stats.skew(x)
scipy.stats.pearsonr(x, np.arange(4.))[0]
scipy.stats.rankdata(x)
scipy.stats.gaussian_kde(x)(0.5)
scipy.stats.multivariate_normal.logpdf(x, np.zeros(4), np.eye(4))
scipy.spatial.distance.cdist(x[:, None], x[:, None])
scipy.spatial.distance.pdist(x[:, None])
scipy.spatial.distance.euclidean(x, np.ones(4))
scipy.spatial.cKDTree(x[:, None]).query([[0.5]])[0]
scipy.spatial.transform.Rotation.from_rotvec(x[:3]).as_matrix()
scipy.spatial.transform.Rotation.from_quat([0,0,0,1]).apply(x[:3])
scipy.fft.fft(x)
scipy.fft.dct(x)
scipy.fft.rfft(x)
scipy.sparse.csr_array(np.diag(x))
scipy.sparse.diags(x)
scipy.sparse.diags_array(x)
scipy.sparse.diags([x], [0]) @ np.ones(4)
scipy.sparse.csr_matrix((x, (np.arange(4), np.arange(4))), shape=(4, 4)) @ np.ones(4)
scipy.sparse.coo_array((x, (np.arange(4), np.arange(4))), shape=(4, 4)).toarray()
scipy.sparse.eye_array(4) * x
scipy.sparse.eye_array(4) + x
scipy.sparse.eye_array(4).multiply(x)
scipy.sparse.eye_array(4, format='csr').dot(x)
scipy.sparse.eye_array(4, format='csr') * x[0]
x[0] * scipy.sparse.eye_array(4, format='csr')
scipy.sparse.eye_array(4, format='csr') / x[0]
x * scipy.sparse.eye_array(4, format='csr')
x @ scipy.sparse.eye_array(4, format='csr')
np.add(x, scipy.sparse.eye(4))
np.multiply(scipy.sparse.eye(4), x)
scipy.sparse.linalg.spsolve(scipy.sparse.eye(4, format='csc'), x)
scipy.sparse.linalg.splu(scipy.sparse.eye(4, format='csc')).solve(x)
scipy.sparse.linalg.factorized(scipy.sparse.eye(4, format='csc'))(x)
scipy.sparse.linalg.aslinearoperator(np.eye(4)) @ x
scipy.sparse.linalg.aslinearoperator(scipy.sparse.eye(4, format='csc')).matvec(x)
scipy.sparse.linalg.LinearOperator((4, 4), matvec=lambda v: 2 * v) @ x
scipy.sparse.linalg.cg(np.eye(4), x)[0]
scipy.sparse.linalg.norm(scipy.sparse.diags(x))
scipy.sparse.linalg.expm_multiply(scipy.sparse.eye(4, format='csc'), x)
scipy.sparse.kron(scipy.sparse.eye(2), np.diag(x))
scipy.special.logsumexp(x)
scipy.special.softmax(x)
scipy.special.log_softmax(x)
scipy.special.comb(x, 2)
scipy.special.factorial(x)
scipy.special.eval_legendre(2, x)
scipy.special.lambertw(x)
scipy.special.polygamma(1, x)
scipy.special.multigammaln(x[3], 2)
sorted(x)
sorted(x, reverse=True)[0]
list(x).index(x[0])
min(x)
max(x)
max(x[0], x[1])
min(x[0], 1.0)
max(x, key=lambda v: v)
x[0] in [1.0, 2.0]
x[0] in x
1.0 in x
1.0 in list(x)
1.0 in x.tolist()
list(x).count(1.0)
list(x) == [1., 2., 3., 4.]
tuple(x) == (1., 2., 3., 4.)
x[0] and x[1]
x[0] or x[1]
not x[0]
1.0 if x[0] else 2.0
x if x[0] > 0 else x * 2
x if (x > 0).all() else 2 * x
x if np.any(x > 0) else 2 * x
x if 0 < x[0] < 2 else 2 * x
any(x)
all(x)
any(x > 0)
all(v > 0 for v in x)
x if np.allclose(x, 1) else 2 * x
x if np.array_equal(x, x) else 2 * x
x if np.isclose(x[0], 1) else 2 * x
sum(1 for v in x if v > 0) * x
statistics.mean(x)
statistics.stdev(x)
statistics.fmean(list(x))
statistics.median(list(x))
fractions.Fraction(x[0])
decimal.Decimal(x[0])
fractions.Fraction(1, 2) * x[0]
x[0] * fractions.Fraction(1, 2)
x * fractions.Fraction(1, 2)
decimal.Decimal('0.5') * x[0]
x * decimal.Decimal('0.5')
bisect.bisect([1., 2.], x[0])
heapq.nlargest(1, x)
heapq.nsmallest(2, list(x))
functools.reduce(lambda a, b: a if a > b else b, x)
''.join(map(str, x))
float(str(x[0]))
float(f'{x[0]:.3f}')
float('%f' % x[0])
float('{:g}'.format(x[0]))
'%d' % x[0]
'%.3f' % x[0]
float(repr(x[0]))
np.array2string(x)
np.array_str(x)
[v for _, v in np.ndenumerate(x)]
sum(v for _, v in np.ndenumerate(x))
[v * 2 for _, v in np.ndenumerate(np.asarray(x))]
[x[i] for i in np.ndindex(x.shape)]
x.view(np.int64)
x.view(np.float32)
x.view('f4')
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
np.arange(x[0])
np.arange(0, x[0], .5)
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
x.__array__()
x.__array__(float)
x.__dlpack__()
np.from_dlpack(x)
x.getfield(float)
x.byteswap()
x.to_device('cpu')
x.__array_namespace__().asarray(x)
x.setflags(write=True) or x
x[0].hex()
x[0].as_integer_ratio()
x[0].is_integer() * x
np.ones(4)[x > 0]
np.ones(4)[np.argmax(x)]
np.ones(4)[np.argsort(x)]
np.arange(4)[np.argmax(x)] * x
[10, 20, 30, 40][np.argmax(x)] * x
[10, 20, 30, 40][np.sum(x > 0)] * x
x[0:np.argmax(x)]
x[np.argmax(x):]
x[slice(None, x[0])]
np.ones(4)[:np.argmax(x)]
np.split(x, [np.argmax(x)])
np.roll(x, np.argmax(x))
np.repeat(x, np.argmax(x))
np.take(np.ones(4), np.argmax(x))
np.take(np.arange(4.), [np.argmax(x)])
np.tile(x, x[0])
np.reshape(x, (x[0], -1))
x.reshape(np.sum(x > 0), -1)
x.repeat(x[0])
round(x[0])
round(x[0], 2)
divmod(x[0], 2)
abs(x[0])
math.trunc(x[0])
math.ceil(x[0])
math.copysign(1.0, x[0])
math.isnan(x[0])
math.gcd(x[0], 2)
math.comb(x[0], 2)
math.factorial(x[0])
math.log(x[0], 2)
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
np.extract(x > 1, x)
x[x > 1]
np.delete(x, np.argmax(x))
np.unique(x)
set(x)
frozenset(x)
dict(zip(x, x))
dict.fromkeys(x)
np.nonzero(x)
np.argwhere(x > 0)
np.where(x > 0)
np.flatnonzero(x)
np.void(x)
np.object_(x[0])
ctypes.c_double(x[0])
(ctypes.c_double * 4)(*x)
int(np.floor(x[0])) * x
int(x[0] > 0) * x
float(x[0] > 0) * x
np.float64(x[0] > 0) * x
str(x[0]) == '1.0' or x
x[0].__float__()
x[0].__index__()
operator.length_hint(x) * x
operator.truth(x[0])
operator.contains(x, 1.)
next(iter(x))
list(reversed(x))
len(x) * x
len(x[0])
iter(x[0])
list(x[0])
list(map(float, x))
list(map(math.sin, x))
list(filter(lambda v: v > 0, x))
list(filter(None, x))
list(itertools.takewhile(lambda v: v > 0, x))
list(itertools.accumulate(x, max))
list(itertools.accumulate(x))
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
scipy.linalg.norm(np.asarray(x))
scipy.constants.convert_temperature(x, 'C', 'K')
scipy.stats.linregress(np.arange(4.), x).slope
scipy.stats.entropy(x)
scipy.stats.beta.pdf(.5, x, x)
scipy.interpolate.lagrange(np.arange(4.), x)(1.5)
scipy.optimize.curve_fit(lambda t, a: a * t, np.arange(4.), x)[0]
scipy.optimize.bisect(lambda t: t - x[0], 0., 10.)
scipy.optimize.approx_fprime(x, lambda v: (v**2).sum())
scipy.integrate.nquad(lambda t: t * x[0], [[0, 1]])[0]
scipy.linalg.lapack.dgesv(np.eye(4), x)
scipy.linalg.blas.ddot(x, x)
scipy.linalg.blas.daxpy(x, np.zeros(4))
""".strip().splitlines()
"""One expression a line."""

BODIES = r"""
p = np.zeros(4); p[0] = x[0]; return p
p = np.zeros(4); p[:] = x; return p
p = np.zeros(4); p[...] = x; return p
p = np.zeros(4); p[1:3] = x[1:3]; return p
p = np.zeros(4); p[[0, 1]] = x[:2]; return p
p = np.zeros(4); p[p == 0] = x; return p
p = np.zeros(4); p += x; return p
p = np.zeros(4); p[0] += x[0]; return p
p = np.zeros(4); p[1:] += x[1:]; return p
p = np.zeros(4); p -= x[0]; return p
p = np.ones(4); p *= x; return p
p = np.ones((4, 4)); p @= np.diag(x); return p
p = np.zeros(4); np.copyto(p, x); return p
p = np.zeros(4); np.copyto(p, x[0]); return p
p = np.zeros(4); p.fill(x[0]); return p
p = np.zeros(4); np.put(p, [0], x[0]); return p
p = np.zeros(4); p.put([0], x[0]); return p
p = np.zeros(4); p.put([0], x[:1]); return p
p = np.zeros(4); np.place(p, p == 0, x); return p
p = np.zeros(4); np.putmask(p, p == 0, x); return p
p = np.zeros(4); np.put_along_axis(p, np.array([0]), x[:1], 0); return p
p = np.zeros((4, 4)); np.fill_diagonal(p, x); return p
p = np.zeros((4, 4)); np.fill_diagonal(p, x[0]); return p
p = np.zeros(4); p.flat[0] = x[0]; return p
p = np.zeros(4); p.flat = x; return p
p = np.zeros(4); p.flat[:] = x; return p
p = np.zeros(4); p.real = x; return p
p = np.zeros(4, complex); p.imag = x; return p
p = np.zeros(4); p[np.argmax(x)] = 1.0; return p
p = np.zeros(4); p[x > 0] = 1.0; return p
p = np.zeros(4); p[int(0)] = np.floor(x[0]); return p
p = np.zeros(4, object); p[:] = x; return p
p = np.empty(4, object); p[:] = x; return p * 2
p = np.empty(4, object); p[0] = x; return p[0]
p = np.empty(4, object); p[1:3] = x[1:3]; return [p[1], p[2]]
p = np.empty(4, object); np.copyto(p, x); return p
p = np.zeros(4, object); p += x; return p
p = np.zeros(4, object); np.add(p, x, out=p); return p
p = np.zeros(1, [('a', float)]); p['a'] = x[0]; return p['a']
p = [0.0] * 4; p[0] = x[0]; return p
p = arr.array('d', [0.0]); p[0] = x[0]; return np.array(p)
p = np.zeros(4).tolist(); p[1] = x[1]; return np.array(p)
p = np.zeros(4); p[0] = float(x[0]); return p
p = np.zeros(4); v = memoryview(p); v[0] = x[0]; return p
p = np.zeros(4); p.data[0] = x[0]; return p
p = np.zeros(4); it = np.nditer([p, x], op_flags=[['readwrite'], ['readonly']]); return p
p = np.zeros(4)\nfor a, b in np.nditer([p, x], op_flags=[['readwrite'], ['readonly']], flags=['refs_ok']): a[...] = b\nreturn p
p = np.zeros(4)\nfor i, v in enumerate(x): p[i] = v\nreturn p
p = np.zeros(4)\nfor i in range(4): p[i] = math.sin(x[i])\nreturn p
p = np.ma.zeros(4); p[0] = x[0]; return p
p = np.matrix(np.zeros(4)); p[0, 0] = x[0]; return p
p = scipy.sparse.lil_array((4, 4)); p[0, 0] = x[0]; return p.toarray()
p = scipy.sparse.dok_array((4, 4)); p[0, 0] = x[0]; return p.toarray()
p = scipy.sparse.eye(4, format='csr'); p.data[:] = x; return p @ np.ones(4)
p = scipy.sparse.eye(4, format='csr'); p.data = x; return p @ np.ones(4)
p = scipy.sparse.eye(4, format='csr'); p.setdiag(x); return p @ np.ones(4)
try: float(x[0])\nexcept Exception: pass\nreturn x * 0
try: float(x[0])\nexcept: pass\nreturn x * 0
try: float(x[0])\nexcept BaseException: pass\nreturn x * 0
try: return np.asarray(x) * 2\nexcept Exception: return x * 0
try: return math.sin(x[0])\nexcept TypeError: return np.sin(x[0])
try: p = np.zeros(4); p[0] = x[0]; return p\nexcept ValueError: return x * 0
try:\n  if x[0] > 0: return x[0]\nexcept Exception: return x[1]
with contextlib.suppress(Exception): float(x[0])\nreturn x * 0
while x[0] > 0: return x\nreturn 2 * x
assert x[0] > 0\nreturn x
assert (x > 0).all()\nreturn x
if x[0]: return x\nreturn 2 * x
if x[0] == 1.0: return x\nreturn 2 * x
if x.sum() > 0: return x\nreturn 2 * x
if not x.any(): return x\nreturn 2 * x
if np.isnan(x).any(): return x\nreturn 2 * x
if x[0] is None: return x\nreturn 2 * x
if x.dtype == float: return x\nreturn 2 * x
match x[0]:\n  case 1.0: return x\n  case _: return 2 * x
match x[0]:\n  case 0: return x\n  case float(): return 2 * x\nreturn 3 * x
a, b, c, d = x; return float(a)
for i in range(int(x[0])): pass\nreturn x
n = round(x[0]); return [1, 2, 3][n] * x
n = int(np.round(x[0])); return x * n
y = x.copy(); y.resize(2, 2); return y
y = x.copy(); y.dtype = np.int64; return y
y = x.copy(); y.dtype = np.float32; return y
y = x.copy(); y.strides = (0,); return y
y = x.copy(); y.data = b''; return y
y = np.asarray(x); y[0] = 1.0; return y
y = np.array(x); y[0] = 1.0; return y
y = np.array(x); y[:] = 1.0; return y
y = np.array(x); y[:] = 1.0; return y + x
y = np.asarray(x); y += 1; return y
y = x.tolist(); y.sort(); return y
y = list(x); y.sort(); return y
d = {}; d[x[0]] = 1; return d[x[0]] * x
@functools.lru_cache\ndef g(v): return 2 * v\nreturn g(x[0])
@functools.lru_cache\ndef g(v): return 2.0\nreturn g(x[0]) * x[0]
@np.vectorize\ndef g(v): return v if v > 0 else -v\nreturn g(x)
@np.vectorize\ndef g(v): return 1.0\nreturn g(x) * 2
import threading; out = []; t = threading.Thread(target=lambda: out.append(x * 2)); t.start(); t.join(); return out[0]
import threading; out = []; t = threading.Thread(target=lambda: out.append(catch(lambda: float(x[0])))); t.start(); t.join(); return x * 0
import threading; out = []; t = threading.Thread(target=lambda: catch(lambda: float(x[0]))); t.start(); t.join(); return x * 0
from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as p: return list(p.map(lambda v: 2 * v, x))
g = (v for v in x); return np.array(list(g))
GLOBAL.append(x[0]); return x
out = np.zeros_like(x, subok=False); out[:] = x; return out
out = np.empty_like(np.asarray(x)); out[:] = x; return out
out = np.zeros_like(np.asarray(x)); out[:] = x; return out
out = np.zeros_like(np.asarray(x)); out[0] = x[0]; return out
out = np.zeros_like(np.asarray(x), dtype=float); out[0] = x[0]; return out
out = np.zeros(x.shape, x.dtype); out[:] = x; return out
out = np.full_like(np.ones(3), x[0]); return out
out = np.array(x, copy=True); return out * out
out = np.array([x[0]] * 3); out[1] = 2.0; return out
class A:\n  def __init__(s, v): s.v = v\n  def __mul__(s, o): return s.v * o\n  __rmul__ = __mul__\nreturn A(2.0) * x
class A:\n  def __init__(s, v): s.v = v\n  def __array__(s, dtype=None, copy=None): return np.full(4, s.v)\nreturn x * A(2.0)
class A:\n  def __float__(s): return 2.0\nreturn x * A()
class A(np.ndarray): pass\nreturn x * np.ones(4).view(A)
class A(np.ndarray):\n  def __array_finalize__(s, o): pass\nreturn x.view(A) * 2
class A(np.ndarray): pass\nreturn np.asarray(x).view(A) * 2
""".strip().splitlines()
"""One function body a line; ``\\n`` stands for the end of a line."""

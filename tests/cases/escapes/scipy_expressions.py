"""Ways out of a trace by functions of SciPy: expressions of `x`, four numbers."""

from __future__ import annotations

SCIPY = r"""
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
scipy.linalg.norm(np.asarray(x))
scipy.constants.convert_temperature(x, 'C', 'K')
scipy.stats.linregress(np.arange(4.), x).slope
scipy.stats.entropy(x)
scipy.stats.beta.pdf(.5, x, x)
scipy.interpolate.lagrange(np.arange(4.), x)(1.5)
scipy.optimize.curve_fit(lambda t, a: a * t, np.arange(4.), x)[0]
scipy.optimize.curve_fit(lambda t, a: a * t, np.arange(4.), x, 0.5)[0]
scipy.optimize.bisect(lambda t: t - x[0], 0., 10.)
scipy.optimize.approx_fprime(x, lambda v: (v**2).sum())
scipy.integrate.nquad(lambda t: t * x[0], [[0, 1]])[0]
scipy.linalg.lapack.dgesv(np.eye(4), x)
scipy.linalg.blas.ddot(x, x)
scipy.linalg.blas.daxpy(x, np.zeros(4))
""".strip().splitlines()
"""One expression a line."""

"""Calls of constants that are zero at first, and other numbers later.

`C` has five elements, `M` five rows, `I` is the identity and `B3` its bands, `E` has one element
that differs from zero, `c` and `cf` are numbers and `L` is a list.
"""

from __future__ import annotations

CALLS = """
x*C
C*x*x[::-1]
x@M
M@x
M.T@x*x[0]
np.dot(M,x)
M.dot(x)
np.einsum('ij,j->i',M,x)
np.einsum('ij,i,j->',M,x,x)
x@M@x
np.tensordot(M,x,1)
np.kron(x,C)[:7]
np.outer(x,C)[0]
np.outer(C,x)[:,1]
np.convolve(x,C)
np.correlate(x,C,'full')
np.inner(M,x)
np.vdot(C,x)
np.cross(x[:3],C[:3])
np.average(x,weights=C+1)
np.average(x,weights=E)
x**C
x**(C+1)
np.power(x,C+2)
(C+1)**x
(C+1.0)**x*x[0]
np.float_power(x,C)
x*c
c*x[0]*x[1]+x[2]
x*cf+x[0]
np.multiply(x,C,out=np.zeros(5))
np.sum(x*C)
np.polyval(C,x)
np.polyval(C,x[0])*x[1]
np.polynomial.Polynomial(C)(x)
np.polynomial.chebyshev.chebval(x,C)
np.polynomial.polynomial.polyval2d(x,x[::-1],M)
np.interp(x,np.arange(5.)-1,C)
np.interp(np.arange(5.)/2,np.arange(5.),x+C)
np.linalg.solve(I,x)
np.linalg.solve(I.T,x)
np.linalg.inv(I)@x
scipy.linalg.solve(I,x)
scipy.linalg.solve_triangular(I,x,lower=True)
scipy.linalg.solve_banded((1,1),B3,x)
scipy.linalg.lu_solve(scipy.linalg.lu_factor(I),x)
scipy.linalg.cho_solve((I,True),x)
scipy.linalg.toeplitz(C)@x
scipy.linalg.toeplitz(C,x)[1]
scipy.linalg.circulant(C)@x
scipy.linalg.matmul_toeplitz(C,x)
scipy.linalg.solve_toeplitz(C+np.eye(5)[0]*9,x)
scipy.linalg.block_diag(M,x)[-1]
scipy.linalg.expm(M)@x
scipy.linalg.expm(np.diag(x)*0.1+M)[0]
scipy.linalg.cho_factor(np.diag(x+3)+M*M.T)[0][0]
np.linalg.det(np.diag(x)+M)
np.linalg.inv(np.diag(x+9)+M)
np.linalg.eigvalsh(np.diag(x)+M+M.T)
np.linalg.norm(x*C)
np.linalg.matrix_power(np.diag(x)+M,2)
np.linalg.multi_dot([M,M,x])
np.linalg.lstsq(I,x,rcond=None)[0]
np.linalg.pinv(I)@x
np.linalg.cholesky(np.diag(x+9)+M+M.T)
np.linalg.qr(np.diag(x+9)+M)[1]
scipy.signal.lfilter(C,[1.,.5],x)
scipy.signal.lfilter([1.],np.r_[1.,C],x)
scipy.signal.convolve(x,C)
scipy.signal.fftconvolve(x,C)
scipy.signal.oaconvolve(x,C)
scipy.signal.correlate(x,C)
scipy.signal.filtfilt(np.r_[1.,C[:1]],[1.],x,padlen=1)
scipy.signal.sosfilt(np.r_[1.,C[:2],1,C[2:4]][None],x)
scipy.signal.upfirdn(C,x)
scipy.signal.savgol_filter(x,3,1)*C
scipy.signal.resample_poly(x,1,1,window=C)
scipy.ndimage.convolve1d(x,C)
scipy.ndimage.correlate1d(x,C)
scipy.ndimage.correlate(x,C)
scipy.ndimage.convolve(np.diag(x),M)[2]
scipy.special.xlogy(C,x+2)
scipy.special.xlog1py(C,x+2)
scipy.special.rel_entr(x+2,C+1)
scipy.special.hyp2f1(C[0],2.,3.,x/9)
scipy.special.hyp1f1(C[0],2.,x)
scipy.special.jv(C,x+2)
scipy.special.eval_legendre(C,x/9)
scipy.special.binom(x+3,C)
scipy.special.poch(x+2,C)
scipy.special.betainc(C+1,C+1,x/9+.3)
scipy.special.gammainc(C+1,x+2)
scipy.special.lpmv(0,C,x/9)
scipy.special.huber(C+1,x)
scipy.special.pseudo_huber(C+1,x)
scipy.special.boxcox(x+2,C)
scipy.special.boxcox1p(x+2,C)
scipy.special.inv_boxcox(x,C)
scipy.special.ellipkinc(x,C)
scipy.special.expi(x+2)*C
scipy.special.logsumexp(x,b=C+1)
scipy.special.logsumexp(x,b=E)
scipy.special.softmax(x*C)
scipy.interpolate.CubicSpline(np.arange(5.),C)(x+2)
scipy.interpolate.interp1d(np.arange(5.),C,fill_value='extrapolate')(x+2)
scipy.interpolate.PPoly(M,np.arange(6.))(x+2)
scipy.interpolate.BSpline(np.arange(8.),C[:4],3)(x+3.5)
scipy.interpolate.PchipInterpolator(np.arange(5.),C)(x+2)
scipy.interpolate.Akima1DInterpolator(np.arange(5.),C)(x+2)
scipy.interpolate.RegularGridInterpolator((np.arange(5.),np.arange(5.)),M,bounds_error=False,fill_value=None)(np.c_[x+1,x+2])
scipy.interpolate.BarycentricInterpolator(np.arange(5.),C)(x+2)
scipy.interpolate.make_interp_spline(np.arange(5.),C)(x+2)
scipy.interpolate.RBFInterpolator(np.arange(5.)[:,None],C)(x[:,None])
scipy.sparse.csr_array(np.ones((5,5)))@x*C
scipy.sparse.diags_array(C)@x
scipy.sparse.csr_array((C,(np.arange(5),np.arange(5))))@x
scipy.sparse.csr_array((C,(np.arange(5),np.arange(5)))).multiply(x).toarray()
np.trapezoid(x,C)
np.trapezoid(x,C+np.arange(5.))
scipy.integrate.simpson(x,x=C+np.arange(5.))
scipy.integrate.cumulative_trapezoid(x,C)
np.diff(x*C)
np.fft.rfft(x*C).real
np.where(x>0,x*C,x)
np.maximum(x,C)*x
np.clip(x,-1-C,1+C)
np.hypot(x,C)
np.arctan2(x,C)
np.arctan2(C,x)
np.copysign(x,C+.1)
np.fmod(x,C+1)
np.mod(x,C+1)*C
np.logaddexp(x,C)*C
x/(C+1)
C/x
(x+C)**2
x+C*1e-3*x[::-1]
x*np.abs(C)
x*np.sin(C)
x*(C@C)
x*C.sum()
x*C.mean()
x*C.max()
x*np.linalg.norm(C)
x*(C*2)[0]
x*C[0]*x[1]
x*float(C[0])
x*math.sin(C[0])
x*C.tolist()[0]
sum(a*b for a,b in zip(x,C))
sum(a*b for a,b in zip(x,C.tolist()))
sum(map(lambda a,b:a*b,x,C))
np.array([v*C[i] for i,v in enumerate(x)])
np.array([v**C[i] for i,v in enumerate(x)])
[math.pow(x[0],C[0]),x[1]**L[0],x[2]*L[1]]
np.vectorize(lambda a,b:a*b)(x,C)
np.frompyfunc(lambda a,b:a*b,2,1)(x,C).astype(float)
np.apply_along_axis(lambda r:r*C,0,x)
np.piecewise(x,[x>0],[lambda v:v*c,lambda v:v*2])
np.add.reduce(x*C)
np.multiply.reduce(np.r_[x[:2],C[:1]])
np.multiply.accumulate(np.r_[x[:2],C[:1],x[2:]])
np.prod(np.r_[x[:2],C])
np.cumprod(np.r_[x[:2],C[:1],x[2:3]])
np.multiply.outer(x,C)[1]
np.vecdot(x,C)
np.cov(x,C)
np.cov(x,aweights=C+1)
np.corrcoef(x,C)
np.histogram(np.arange(5.),weights=x*C)[0]
np.bincount([0,1,1,2,0],weights=x*C)
np.ma.array(x,mask=[0,1,0,0,1])*C
np.ma.dot(M,x)
np.ma.average(np.ma.array(x),weights=C+1)
np.asmatrix(M)@x
(x*1j*C).imag
((x+1j*C)*(x+1j*C)).imag
np.abs(x+1j*C)
np.angle(x+1j*C)
((C+1j*C)*x).real
np.conj(x+1j*C).imag*x
scipy.spatial.distance.cdist(x[:,None],C[:,None]).ravel()
scipy.spatial.distance.euclidean(x,C)
scipy.spatial.distance.minkowski(x,C,3)
scipy.spatial.distance.sqeuclidean(x,C)*C[0]
scipy.spatial.distance.mahalanobis(x,C,M+M.T)
scipy.spatial.distance.pdist(np.c_[x,C])
scipy.stats.norm.pdf(x,C,1+C)
scipy.stats.norm.cdf(x,scale=1+C)
scipy.stats.skewnorm.pdf(x,C)
scipy.stats.genextreme.pdf(x/9,C)
scipy.stats.genpareto.pdf(x+2,C)
scipy.stats.t.pdf(x,C+3)
scipy.stats.gamma.pdf(x+2,C+1)
scipy.stats.beta.pdf(x/9+.5,C+1,C+1)
scipy.stats.multivariate_normal.pdf(x,C,np.eye(5)+M@M.T)
scipy.stats.pearsonr(x,C+np.arange(5))[0]
scipy.optimize.rosen(x*C)
scipy.optimize.root(lambda z:z*I.diagonal()+M@z-x,np.zeros(5)).x
scipy.optimize.brentq(lambda z:z-x[0]-C[0]*x[1],-99,99)
scipy.optimize.fsolve(lambda z:I@z-x,np.zeros(5))
scipy.integrate.quad(lambda t:x[0]*t+C[0]*x[1]*t,0,1)[0]
scipy.integrate.quad(lambda t:x[0]*t*c+x[1],0,1)[0]
scipy.integrate.solve_ivp(lambda t,y:-x*y+M@y*.1,(0,1),np.ones(5)).y[:,-1]
scipy.integrate.odeint(lambda y,t:-x*y+M@y*.1,np.ones(5),[0,1.])[-1]
scipy.integrate.solve_ivp(lambda t,y:-y,(0,1),x*C).y[:,-1]
scipy.fft.dct(x*C)
np.nansum(x*C)
np.where(np.isnan(C),0,x*C)
x.dot(C)
x.dot(M)
C.dot(x)*x[0]
np.matmul(M,x[:,None])[:,0]
np.block([[M],[x[None]*C]])[-1]
x*np.zeros(5)+x[::-1]*0.0*C
np.tril(M)@x
np.triu(M,1)@x
(M*np.eye(5))@x
np.diag(C)@x
np.diag(M)*x
M[0]*x
M[:,1]@x
np.sum(M*x,axis=1)
np.sum(M*x[:,None]*x,axis=0)
(x[:,None]*M).trace()
np.rot90(M)@x
np.round(C)*x
C.astype(np.float32)*x
C.copy()*x
np.asarray(C.tolist())*x
np.add(C,C)*x
np.interp(x, np.arange(5.0) - 1, C) * x[0]
np.gradient(x * x, C + np.arange(5.0) * 2)[0]
scipy.sparse.diags_array(C).multiply(x).toarray()
x @ scipy.sparse.diags_array([C, C[1:]], offsets=[0, 1])
(scipy.sparse.diags_array([C, C[1:]], offsets=[0, -1]) @ scipy.sparse.diags_array(x)).toarray()
scipy.signal.sosfiltfilt(np.r_[1.0, C[:2], 1, 0, 0][None], x, padlen=2)
"""

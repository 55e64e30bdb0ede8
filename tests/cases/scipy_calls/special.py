"""scipy.special's functions that are no ufuncs: of four traced numbers."""

from __future__ import annotations

import numpy as np
import scipy.special as sc

SPECIAL = {
    "logsumexp": lambda x: sc.logsumexp(x),
    "logsumexp, axis": lambda x: sc.logsumexp(x.reshape(2, 2), axis=1),
    "softmax": lambda x: sc.softmax(x),
    "log_softmax": lambda x: sc.log_softmax(x.reshape(2, 2), axis=0),
    "comb": lambda x: sc.comb(x + 3, 3),
    "comb, number": lambda x: sc.comb(5, x),
    "comb, repetition below one": lambda x: sc.comb(x / 4, 2.5, repetition=True),
    "comb, repetition": lambda x: sc.comb(x[:2] + 3, 2 + x[2:], repetition=True),
    "perm": lambda x: sc.perm(x + 3, 2),
    "factorial": lambda x: sc.factorial(x),
    "multigammaln": lambda x: sc.multigammaln(x + 3, 3),
    "multigammaln of a number": lambda x: sc.multigammaln(x[0] + 3, 3),
    "polygamma": lambda x: sc.polygamma(1, x),
    "polygamma, orders": lambda x: sc.polygamma([[0], [2]], x),
    "diric": lambda x: sc.diric(x, 3),
    "jvp": lambda x: sc.jvp(1, x),
    "jvp, second": lambda x: sc.jvp(x[:2], x[2:], 2),
    "yvp": lambda x: sc.yvp(1, x, 2),
    "h1vp": lambda x: sc.h1vp(1, x).imag,
    "h2vp": lambda x: sc.h2vp(1, x).imag,
    "ivp": lambda x: sc.ivp(x[:1], x[1:]),
    "kvp": lambda x: sc.kvp(2, x, 2),
    "lqn": lambda x: sc.lqn(2, x[0] / 3),
    "lqn, points": lambda x: sc.lqn(1, x / 3)[0],
    "lqmn": lambda x: sc.lqmn(1, 2, x[0] / 3)[0],
    "lmbda": lambda x: sc.lmbda(2, x[0])[0][1:],
    "pbdv_seq": lambda x: sc.pbdv_seq(2, x[0])[0],
    "pbvv_seq": lambda x: sc.pbvv_seq(2, x[0])[0],
    "pbdn_seq": lambda x: abs(sc.pbdn_seq(2, x[0])[0]),
    "riccati_jn": lambda x: sc.riccati_jn(2, x[0])[0],
    "riccati_yn": lambda x: sc.riccati_yn(2, x[3])[1],
    "spherical_jn": lambda x: sc.spherical_jn(2, x),
    "spherical_jn, slope": lambda x: sc.spherical_jn(2, x, derivative=True),
    "spherical_yn": lambda x: sc.spherical_yn([[0], [1]], x),
    "spherical_in": lambda x: sc.spherical_in(1, x),
    "spherical_kn": lambda x: sc.spherical_kn(1, x),
    "spherical_jn, orders": lambda x: sc.spherical_jn(x[:2] + 2.3, x[2:]),
    "spherical_yn, a whole order": lambda x: sc.spherical_yn(x[0].astype(int), x),
    "roots_jacobi": lambda x: sc.roots_jacobi(2, x[0], x[1]),
    "roots_genlaguerre": lambda x: sc.roots_genlaguerre(3, x[0]),
    "roots_gegenbauer": lambda x: sc.roots_gegenbauer(2, x[0]),
    "roots_sh_jacobi": lambda x: sc.roots_sh_jacobi(2, x[0] + 2, x[1] + 1)[0],
    "constants beside": lambda x: sc.spherical_jn(1, np.append(x, 0.0)),
}

if hasattr(sc, "legendre_p"):  # since SciPy 1.15
    SPECIAL |= {
        # which end the process in SciPy 1.14
        "pro_cv_seq": lambda x: sc.pro_cv_seq(1, 3, x[0]),
        "obl_cv_seq": lambda x: sc.obl_cv_seq(1, 3, x[1]),
        "factorial2": lambda x: sc.factorial2(x, extend="complex"),
        "factorialk": lambda x: sc.factorialk(x, 3, extend="complex"),
        "factorial, complex": lambda x: sc.factorial(x, extend="complex"),
        "legendre_p": lambda x: sc.legendre_p(2, x / 2),
        "legendre_p, slope": lambda x: sc.legendre_p(4, x / 2, diff_n=1),
        "legendre_p_all": lambda x: sc.legendre_p_all(3, x / 2)[:, 2:],
        "assoc_legendre_p": lambda x: sc.assoc_legendre_p(2, 1, x / 2),
        "sph_harm_y": lambda x: sc.sph_harm_y(2, 1, x[:2], x[2:]).real,
        "sph_harm_y, order 0": lambda x: sc.sph_harm_y(1, 0, x[:2], x[2:]).real,
        "sph_legendre_p": lambda x: sc.sph_legendre_p(2, 1, x),
    }
else:
    SPECIAL |= {
        "lpn": lambda x: sc.lpn(3, x[0] / 2)[0][2:],
        "lpmn": lambda x: sc.lpmn(1, 2, x[0] / 2)[0][1, 1:],
        "clpmn": lambda x: abs(sc.clpmn(1, 2, x[0] / 2)[0][1, 2:]),
    }

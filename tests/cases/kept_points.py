"""Points at which the records say less than could be known, and why."""

from __future__ import annotations

import numpy as np
from measured_ufuncs import SINCE_SCIPY_1_18
from scipy import special
from ufunc_points import Predicate, among, everywhere

SEARCHED = (
    "btdtria btdtrib bdtrik bdtrin chdtriv chndtridf chndtrinc chndtrix fdtridfd gdtria gdtrib "
    "nbdtrik nbdtrin ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtridf nctdtrinc nctdtrit "
    "pdtrik stdtridf"
).split()
SPHEROIDAL = (
    "pro_cv obl_cv pro_ang1 obl_ang1 pro_rad1 obl_rad1 pro_rad2 obl_rad2 pro_ang1_cv "
    "obl_ang1_cv pro_rad1_cv obl_rad1_cv pro_rad2_cv obl_rad2_cv"
).split()
MODIFIED_MATHIEU = "mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 mathieu_modsem2".split()

#: Simple points where a second derivative is zero, as far as one can see, and is kept.
KEPT: dict[np.ufunc, tuple[Predicate, str]] = {
    np.hypot: (lambda x, y: (x == 0) & (y == 0), "the first derivatives jump"),
    np.power: (lambda x, y: x == 1, "published local patterns have it"),
    np.float_power: (lambda x, y: x == 1, "published local patterns have it"),
    special.agm: (lambda x, y: (x == 0) & (y == 0), "agm(t, t) is t: they jump"),
    special.huber: (lambda d, r: (d == 0) & (r == 0), "zero for delta 0 alone"),
    special.pseudo_huber: (lambda d, r: (d == 0) & (r == 0), "zero for delta 0 alone"),
    special.poch: (lambda z, m: z <= 0, "among the poles of the gamma function"),
    special.binom: (lambda n, k: k < 0, "zeros that end at poles of the gamma function"),
    special.gammaincinv: (lambda a, p: a == 0, "no distribution"),
    special.gammainccinv: (lambda a, p: a == 0, "no distribution"),
    special.chdtri: (lambda v, p: v == 0, "no distribution"),
    special.betainc: (lambda a, b, x: (a == 0) | (b == 0), "no distribution"),
    special.betaincc: (lambda a, b, x: (a == 0) | (b == 0), "no distribution"),
    special.voigt_profile: (
        lambda x, sigma, gamma: (sigma <= 0) | (gamma < 0),
        "widths are positive",
    ),
    special.jv: (lambda v, z: v < 0, "negative orders are finite if whole, among infinities"),
    special.jve: (lambda v, z: v < 0, "negative orders are finite if whole, among infinities"),
    special.iv: (lambda v, z: v < 0, "negative orders are finite if whole, among infinities"),
    special.besselpoly: (lambda a, lam, nu: nu < 0, "infinite, unless whole"),
    special.wright_bessel: (
        lambda a, b, x: ((a == 0) & (b == 0)) | among((2, 0, 1))(a, b, x),
        "zero for these two parameters alone; and a derivative that is small by chance",
    ),
    special.elliprc: (among((0, -1)), "a principal value"),
    special.eval_jacobi: (lambda n, *rest: n == 2, "roots of a polynomial in the parameters"),
    special.eval_sh_jacobi: (lambda n, *rest: n > 0, "roots of a polynomial in the parameters"),
    special.hyp1f1: (lambda a, b, x: b <= 0, "among the poles in b"),
    special.hyp2f1: (
        lambda *values: (
            (values[2] <= 0)
            | (np.abs(values[3]) >= 1)
            | among((-1, 1, 0.5, 0.5), (1, -1, 0.5, 0.5))(*values)
        ),
        "outside of the series; and a derivative that is small by chance",
    ),
    special.hyperu: (everywhere, "SciPy's own derivatives contradict polynomials of degree 0"),
    special.mathieu_cem: (lambda m, q, x: (m == 0) & (q == 0), "constant for q == 0 alone"),
    special.mathieu_sem: (lambda m, q, x: m == 0, "no such function"),
    special.chndtr: (
        lambda x, df, nc: (df == 0) | among((0, 2, 2))(x, df, nc),
        "no distribution; and a root of a polynomial in the parameters",
    ),
    special.fdtri: (lambda m, n, p: p == 0, "NaN in SciPy 1.14"),
    **(
        {}
        if SINCE_SCIPY_1_18
        else {special.nrdtrisd: (lambda mn, p, x: p == 0.5, "no distribution")}
    ),
    special.gdtr: (
        lambda a, b, x: (a < 0) | (a * x == 0) | (a * x == b) | (a * x == b - 1),
        "no distribution; roots where a rounded product would have to be compared",
    ),
    special.gdtrc: (
        lambda a, b, x: (a < 0) | (a * x == 0) | (a * x == b) | (a * x == b - 1),
        "no distribution; roots where a rounded product would have to be compared",
    ),
    special.gdtrix: (lambda a, b, p: (a < 0) | (b == 0), "no distribution"),
    special.ncfdtr: (lambda m, n, nc, x: nc == 2, "roots of a polynomial in the parameters"),
    special.nctdtr: (
        lambda df, nc, t: (t == 0) | among((0.5, 0.5, 1))(df, nc, t),
        "SciPy 1.14 is coarse there; and a derivative that is small by chance",
    ),
    special.tklmbda: (lambda x, lam: np.abs(x) * lam >= 1, "from the ends of the support"),
    **{
        getattr(special, name): (everywhere, "found by a search between bounds")
        for name in SEARCHED
    },
    **{
        getattr(special, name): (everywhere, "whole parities at parameter 0") for name in SPHEROIDAL
    },
    **{
        getattr(special, name): (lambda m, q, x: q == 0, "no such function")
        for name in MODIFIED_MATHIEU
    },
}

KINKS = "maximum minimum fmax fmin remainder fmod divmod modf frexp arctan2".split()
#: Points where second differences grow although nobody says so.
UNSAID: dict[np.ufunc, tuple[Predicate, str]] = {
    **{getattr(np, name): (everywhere, "kinks and jumps") for name in KINKS},
    special.poch: (lambda z, m: (z <= 0) & (z + m <= 0), "among the poles of the gamma function"),
    special.beta: (lambda a, b: a + b == 0, "among the poles of the gamma function"),
    special.betaln: (lambda a, b: a + b == 0, "among the poles of the gamma function"),
    special.hyp1f1: (lambda a, b, x: b <= 0, "among the poles in b"),
    special.hyp2f1: (lambda a, b, c, x: (c <= 0) | (x >= 1), "outside of the series"),
    special.betainc: (lambda a, b, x: (a == 0) | (b == 0), "no distribution"),
    special.betaincc: (lambda a, b, x: (a == 0) | (b == 0), "no distribution"),
    special.chndtr: (lambda x, df, nc: df == 0, "no distribution"),
    special.huber: (lambda delta, r: delta == 0, "infinite for negative deltas alone"),
    special.pseudo_huber: (lambda delta, r: delta == 0, "infinite for negative deltas alone"),
    special.voigt_profile: (lambda x, sigma, gamma: sigma == 0, "SciPy is coarse for small sigma"),
    **(
        {
            special.eval_gegenbauer: (lambda n, alpha, x: (n == 0) & (alpha == 0), "a value alone"),
            special.eval_jacobi: (lambda n, alpha, beta, x: alpha == -1, "coarse beside -1"),
        }
        if SINCE_SCIPY_1_18
        else {}
    ),
    special.modfresnelm: (lambda x: x == 0, "SciPy jumps where the function does not"),
    special.pbvv: (everywhere, "SciPy is coarse"),
    special.besselpoly: (lambda a, lam, nu: nu < 0, "infinite, unless whole"),
    special.tklmbda: (among((0.5, 2)), "a kink"),
}

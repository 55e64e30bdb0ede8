"""Second-order rules of the ufuncs of ``scipy.special``.

Contract: one line for every ufunc that has a first-order line in
`sparsetrace.rules.special_ufuncs`, in the same order.  The form of a line is that of
`sparsetrace.rules.second_order`; its test reads everything from it.

Some cuts are of pairs in which even a first derivative vanishes beside the constant,
where the first-order line does not say so.  Infinite constants cut nothing here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special as sc

from sparsetrace.rules.first_order import Cut, Predicate
from sparsetrace.rules.predicates import is_one, is_zero, is_zero_or_one
from sparsetrace.rules.second_order import CurvatureTable, among, united

__all__ = ["SPECIAL_CURVATURES"]

SPECIAL_CURVATURES = CurvatureTable()

_curvature = SPECIAL_CURVATURES.curvature


def _equals(*constants: float) -> Predicate:
    """True where the operand is one of these."""

    def predicate(values: NDArray[Any]) -> NDArray[np.bool_]:
        mask = values == constants[0]
        for constant in constants[1:]:
            mask = mask | (values == constant)
        return np.asarray(mask)

    return predicate


def _is_negative(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(values < 0)


def _is_negative_whole(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray((values < 0) & (values == np.rint(values)) & np.isfinite(values))


def _is_one_or_negative_whole(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray((values == 1) | _is_negative_whole(values))


def _is_whole_below_one(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray((values == 0) | _is_negative_whole(values))


# --- gamma and its relatives ------------------------------------------------------
_curvature(sc.gamma, "1")
_curvature(sc.gammaln, "1")
_curvature(sc.loggamma, "1")
_curvature(sc.gammasgn, "0")
_curvature(sc.rgamma, "1")
_curvature(sc.psi, "1")
_curvature(sc.zetac, "1")
# z and n; and zero by the poles of gamma: poch(0, m), poch(-1, m), ..., binom(n, -1), ...
_curvature(sc.poch, "111", cuts={(0, 0): [Cut(1, is_one)], (1, 1): [Cut(0, _is_whole_below_one)]})
_curvature(sc.beta, "111")
_curvature(sc.betaln, "111")
_curvature(sc.binom, "111", cuts={(0, 0): [Cut(1, _is_one_or_negative_whole)]})
_curvature(sc.gammainc, "111")
_curvature(sc.gammaincc, "111")
_curvature(sc.gammaincinv, "111")
_curvature(sc.gammainccinv, "111")
# All weight is at one end where a shape is zero.
_WITHOUT_SHAPE = united(among("12", Cut(0, is_zero)), among("02", Cut(1, is_zero)))
_curvature(sc.betainc, "111111", cuts=_WITHOUT_SHAPE)
_curvature(sc.betaincc, "111111", cuts=_WITHOUT_SHAPE)
_curvature(sc.betaincinv, "111111")
_curvature(sc.betainccinv, "111111")

# --- elementary functions, rounding off and step by step ----------------------------
_curvature(sc.cbrt, "1")
_curvature(sc.exp2, "1")
_curvature(sc.exp10, "1")
_curvature(sc.expm1, "1")
_curvature(sc.exprel, "1")
_curvature(sc.log1p, "1")
_curvature(sc.cosm1, "1")
_curvature(sc.sindg, "1")
_curvature(sc.cosdg, "1")
_curvature(sc.tandg, "1")
_curvature(sc.cotdg, "1")
_curvature(sc.radian, "000000")
_curvature(sc.round, "0")
_curvature(sc.expit, "1")
_curvature(sc.log_expit, "1")
_curvature(sc.logit, "1")
_curvature(sc.powm1, "111", cuts={(0, 0): [Cut(1, is_one)], (1, 1): [Cut(0, is_zero)]})
_curvature(sc.xlogy, "011")
_curvature(sc.xlog1py, "011")
# x - 1, x, y + 1 and y where lambda is 1.
_LINEAR_AT_ONE = {(0, 0): [Cut(1, is_one)]}
_curvature(sc.boxcox, "111", cuts=_LINEAR_AT_ONE)
_curvature(sc.boxcox1p, "111", cuts=_LINEAR_AT_ONE)
_curvature(sc.inv_boxcox, "111", cuts=_LINEAR_AT_ONE)
_curvature(sc.inv_boxcox1p, "111", cuts=_LINEAR_AT_ONE)
_curvature(sc.agm, "111")

# --- losses and entropies ---------------------------------------------------------
_curvature(sc.entr, "1")
# y where x is 0.
_curvature(sc.kl_div, "111", cuts={(1, 1): [Cut(0, is_zero)]})
_curvature(sc.rel_entr, "111")
_curvature(sc.huber, "111")
_curvature(sc.pseudo_huber, "111")

# --- error function, exponential and Fresnel integrals -----------------------------
_curvature(sc.erf, "1")
_curvature(sc.erfc, "1")
_curvature(sc.erfcx, "1")
_curvature(sc.erfi, "1")
_curvature(sc.erfinv, "1")
_curvature(sc.erfcinv, "1")
_curvature(sc.dawsn, "1")
_curvature(sc.wofz, "1")
_curvature(sc.voigt_profile, "111111")
_curvature(sc.exp1, "1")
_curvature(sc.expi, "1")
_curvature(sc.expn, "001")
_curvature(sc.shichi, "1", "1")
_curvature(sc.sici, "1", "1")
_curvature(sc.spence, "1")
_curvature(sc.fresnel, "1", "1")
_curvature(sc.modfresnelp, "1", "1")
_curvature(sc.modfresnelm, "1", "1")
_curvature(sc.wrightomega, "1")

# --- Airy, Bessel and Kelvin functions ------------------------------------------------
_curvature(sc.airy, "1", "1", "1", "1")
_curvature(sc.airye, "1", "1", "1", "1")
_curvature(sc.itairy, "1", "1", "1", "1")
_curvature(sc.j0, "1")
_curvature(sc.j1, "1")
_curvature(sc.y0, "1")
_curvature(sc.y1, "1")
_curvature(sc.i0, "1")
_curvature(sc.i0e, "1")
_curvature(sc.i1, "1")
_curvature(sc.i1e, "1")
_curvature(sc.k0, "1")
_curvature(sc.k0e, "1")
_curvature(sc.k1, "1")
_curvature(sc.k1e, "1")
_curvature(sc.jv, "111")
_curvature(sc.jve, "111")
_curvature(sc.yv, "111")
_curvature(sc.yve, "111")
_curvature(sc.iv, "111")
_curvature(sc.ive, "111")
_curvature(sc.kv, "111")
_curvature(sc.kve, "111")
_curvature(sc.kn, "001")
_curvature(sc.yn, "001")
_curvature(sc.hankel1, "111")
_curvature(sc.hankel1e, "111")
_curvature(sc.hankel2, "111")
_curvature(sc.hankel2e, "111")
_curvature(sc.it2i0k0, "1", "1")
_curvature(sc.it2j0y0, "1", "1")
_curvature(sc.iti0k0, "1", "1")
_curvature(sc.itj0y0, "1", "1")
# At a == 0: 1 / (lambda + 1) of order nu == 0, otherwise 0.
_curvature(sc.besselpoly, "111111", cuts={(1, 2): [Cut(0, is_zero)], (2, 2): [Cut(0, is_zero)]})
_curvature(sc.wright_bessel, "111111")
if hasattr(sc, "log_wright_bessel"):  # SciPy 1.14 and later
    # x - loggamma(b) where a is 0.
    _curvature(
        sc.log_wright_bessel, "111111", cuts={(1, 2): [Cut(0, is_zero)], (2, 2): [Cut(0, is_zero)]}
    )
# At the origin: 0 above order -1, infinite below.
_curvature(sc.struve, "111", cuts={(0, 0): [Cut(1, is_zero)]})
_curvature(sc.modstruve, "111", cuts={(0, 0): [Cut(1, is_zero)]})
_curvature(sc.itstruve0, "1")
_curvature(sc.it2struve0, "1")
_curvature(sc.itmodstruve0, "1")
_curvature(sc.ber, "1")
_curvature(sc.bei, "1")
_curvature(sc.berp, "1")
_curvature(sc.beip, "1")
_curvature(sc.ker, "1")
_curvature(sc.kei, "1")
_curvature(sc.kerp, "1")
_curvature(sc.keip, "1")
_curvature(sc.kelvin, "1", "1", "1", "1")

# --- elliptic integrals and functions -------------------------------------------------
_curvature(sc.ellipe, "1")
_curvature(sc.ellipk, "1")
_curvature(sc.ellipkm1, "1")
_curvature(sc.ellipeinc, "111", cuts={(0, 0): [Cut(1, is_zero)]})
_curvature(sc.ellipkinc, "111", cuts={(0, 0): [Cut(1, is_zero)]})
_curvature(sc.ellipj, "111", "111", "111", "111")
_curvature(sc.elliprc, "111")
_curvature(sc.elliprd, "111111")
_curvature(sc.elliprf, "111111")
_curvature(sc.elliprg, "111111")
_curvature(sc.elliprj, "1111111111")

# --- orthogonal polynomials: of degree 1, linear ------------------------------------------
# Some degrees below 0 equal one above, with a sign or none: T(-n) = T(n), U(-n) = -U(n-2),
# P(-n) = P(n-1).  At x == 1 T and P are 1, whatever the degree is, and U is n + 1.
_T = {(0, 0): [Cut(1, is_one)], (1, 1): [Cut(0, _equals(1, -1))]}
_U = {(0, 0): [Cut(1, is_one)], (1, 1): [Cut(0, _equals(1, -1, -2, -3))]}
_P = {(0, 0): [Cut(1, is_one)], (1, 1): [Cut(0, _equals(1, -1, -2))]}
_curvature(sc.eval_chebyt, "111", cuts=_T)
_curvature(sc.eval_chebyu, "111", cuts=_U)
# C(x) = 2T(x/2) and S(x) = U(x/2).
_curvature(sc.eval_chebyc, "111", cuts={**_T, (0, 0): [Cut(1, _equals(2))]})
_curvature(sc.eval_chebys, "111", cuts={**_U, (0, 0): [Cut(1, _equals(2))]})
_curvature(sc.eval_sh_chebyt, "111", cuts=_T)
_curvature(sc.eval_sh_chebyu, "111", cuts=_U)
_curvature(sc.eval_legendre, "111", cuts=_P)
_curvature(sc.eval_sh_legendre, "111", cuts=_P)
_curvature(sc.eval_laguerre, "111", cuts={(0, 0): [Cut(1, is_zero)], (1, 1): [Cut(0, is_one)]})
# 1 + a - x; the factor binom(n + a, n) is 0 for whole degrees below 0, here and in Jacobi's.
_curvature(sc.eval_genlaguerre, "111111", cuts=among("12", Cut(0, _is_one_or_negative_whole)))
# 2ax, and 0 where a is 0.
_curvature(
    sc.eval_gegenbauer,
    "111111",
    cuts=united(
        {(1, 1): [Cut(0, is_one)], (2, 2): [Cut(0, is_one)]},
        among("12", Cut(0, _equals(-1))),
        among("02", Cut(1, is_zero)),
    ),
)
# a + 1 + (a + b + 2) (x - 1) / 2; at x == 1 the value is that factor, of any b.
_curvature(
    sc.eval_jacobi,
    "1111111111",
    cuts=united(
        {(3, 3): [Cut(0, is_one)]},
        among("12", Cut(0, is_one)),
        among("123", Cut(0, _is_negative_whole)),
        {(i, 2): [Cut(3, is_one)] for i in (0, 1, 2)},
    ),
)
# x - q / (p + 1).
_curvature(
    sc.eval_sh_jacobi,
    "1111111111",
    cuts=united({(1, 3): [Cut(0, is_one)]}, among("23", Cut(0, is_one))),
)
_curvature(sc.eval_hermite, "001", cuts={(1, 1): [Cut(0, is_one)]})
_curvature(sc.eval_hermitenorm, "001", cuts={(1, 1): [Cut(0, is_one)]})

# --- hypergeometric, Legendre and parabolic cylinder functions ---------------------------
_curvature(sc.hyp0f1, "111")
# Polynomials of degree 0 and 1: 1 - x/b, 1 - bz/c and x - b.
_curvature(sc.hyp1f1, "111111", cuts={(1, 1): [Cut(0, is_zero)], (2, 2): [Cut(0, _equals(-1))]})
_curvature(
    sc.hyp2f1,
    "1111111111",
    cuts=united(
        among("12", Cut(0, is_zero)),
        among("023", Cut(1, is_zero)),
        {
            (0, 0): [Cut(1, _equals(-1))],
            (1, 1): [Cut(0, _equals(-1))],
            (3, 3): [Cut(0, _equals(-1)), Cut(1, _equals(-1))],
        },
    ),
)
_curvature(sc.hyperu, "111111", cuts=among("12", Cut(0, _equals(-1))))
# P(0, x) is 1; P(v, 1) is 1 of order 0, else 0.
_curvature(sc.lpmv, "000111", cuts={(1, 1): [Cut(2, is_one)], (2, 2): [Cut(1, _equals(0, -1))]})
if hasattr(sc, "sph_harm"):  # until SciPy 1.16
    _curvature(
        sc.sph_harm,
        "0000000111",
        cuts=united(
            {(2, 2): [Cut(0, is_zero), Cut(3, is_zero)], (2, 3): [Cut(0, is_zero)]},
            among("23", Cut(1, is_zero)),
        ),
    )
_curvature(sc.pbdv, "111", "111")
_curvature(sc.pbvv, "111", "111")
_curvature(sc.pbwa, "111", "111")

# --- Mathieu and spheroidal wave functions: whole orders alone ----------------------------
_curvature(sc.mathieu_a, "001")
_curvature(sc.mathieu_b, "001")
_curvature(sc.mathieu_cem, "000111", "000111")
# Of order 0, zero.
_curvature(sc.mathieu_sem, "000111", "000111", cuts=among("12", Cut(0, is_zero)))
_curvature(sc.mathieu_modcem1, "000111", "000111")
_curvature(sc.mathieu_modcem2, "000111", "000111")
_curvature(sc.mathieu_modsem1, "000111", "000111")
_curvature(sc.mathieu_modsem2, "000111", "000111")
_curvature(sc.pro_cv, "000001")
_curvature(sc.obl_cv, "000001")
# What x == 0 gives is fixed by the normalisation, whatever c and cv are.  At c == 0 the angular
# function is Legendre's, whatever cv is, and the radial one a constant.
_curvature(sc.pro_ang1, "0000000111", "0000000111", cuts={(2, 2): [Cut(3, is_zero)]})
_curvature(sc.obl_ang1, "0000000111", "0000000111", cuts={(2, 2): [Cut(3, is_zero)]})
_curvature(sc.pro_rad1, "0000000111", "0000000111", cuts={(3, 3): [Cut(2, is_zero)]})
_curvature(sc.obl_rad1, "0000000111", "0000000111", cuts={(3, 3): [Cut(2, is_zero)]})
_curvature(sc.pro_rad2, "0000000111", "0000000111")
_curvature(sc.obl_rad2, "0000000111", "0000000111")
_ANGULAR_CV = united(
    among("23", Cut(4, is_zero)), {(3, 3): [Cut(2, is_zero)], (3, 4): [Cut(2, is_zero)]}
)
_curvature(sc.pro_ang1_cv, "000000000111111", "000000000111111", cuts=_ANGULAR_CV)
_curvature(sc.obl_ang1_cv, "000000000111111", "000000000111111", cuts=_ANGULAR_CV)
_curvature(sc.pro_rad1_cv, "000000000111111", "000000000111111", cuts=among("34", Cut(2, is_zero)))
_curvature(sc.obl_rad1_cv, "000000000111111", "000000000111111", cuts=among("34", Cut(2, is_zero)))
_curvature(sc.pro_rad2_cv, "000000000111111", "000000000111111")
_curvature(sc.obl_rad2_cv, "000000000111111", "000000000111111")

# --- distributions: continuous ---------------------------------------------------------
_curvature(sc.ndtr, "1")
_curvature(sc.log_ndtr, "1")
_curvature(sc.ndtri, "1")
_curvature(sc.ndtri_exp, "1")
# The solutions for the mean and the deviation: x - std ndtri(p) and (x - mean) / ndtri(p).
_curvature(sc.nrdtrimn, "110000")
_curvature(sc.nrdtrisd, "010110")
_curvature(sc.owens_t, "111")
# Without degrees of freedom all weight is at 0, and the quantile of 0 is 0: so below.
_curvature(sc.chdtr, "111", cuts={(1, 1): [Cut(0, is_zero)]})
_curvature(sc.chdtrc, "111", cuts={(1, 1): [Cut(0, is_zero)]})
_curvature(sc.chdtri, "111")
_curvature(sc.chdtriv, "111", cuts={(1, 1): [Cut(0, is_one)]})
_curvature(sc.chndtr, "111111")
_curvature(sc.chndtridf, "111111")
_curvature(sc.chndtrinc, "111111")
_curvature(sc.chndtrix, "111111", cuts=among("12", Cut(0, is_zero)))
_curvature(sc.fdtr, "111111")
_curvature(sc.fdtrc, "111111")
_curvature(sc.fdtri, "111111", cuts=among("01", Cut(2, is_zero)))
_curvature(sc.fdtridfd, "111111")
_GDTR = united({(1, 1): [Cut(0, is_zero)]}, among("02", Cut(1, is_zero)))
_curvature(sc.gdtr, "111111", cuts=_GDTR)
_curvature(sc.gdtrc, "111111", cuts=_GDTR)
_curvature(sc.gdtria, "111111", cuts=among("12", Cut(0, is_zero)))
_curvature(sc.gdtrib, "111111", cuts=among("02", Cut(1, is_one)))
_curvature(sc.gdtrix, "111111")
# All weight is at one end where a shape is zero.
_curvature(sc.btdtria, "111111", cuts=among("12", Cut(0, is_one)))
_curvature(sc.btdtrib, "111111", cuts=among("02", Cut(1, is_zero)))
_curvature(sc.ncfdtr, "1111111111", cuts=among("012", Cut(3, is_zero)))
_curvature(sc.ncfdtri, "1111111111", cuts=among("012", Cut(3, is_zero)))
_curvature(sc.ncfdtridfd, "1111111111")
_curvature(sc.ncfdtridfn, "1111111111")
_curvature(sc.ncfdtrinc, "1111111111")
# ndtr(-nc) at t == 0, whatever the number of degrees of freedom.
_curvature(sc.nctdtr, "111111", cuts={(0, 0): [Cut(2, is_zero)], (0, 1): [Cut(2, is_zero)]})
_curvature(sc.nctdtridf, "111111")
_curvature(sc.nctdtrinc, "111111", cuts={(0, 0): [Cut(2, is_zero)], (0, 1): [Cut(2, is_zero)]})
_curvature(sc.nctdtrit, "111111")
_curvature(sc.stdtr, "111")
_curvature(sc.stdtridf, "111")
# The median is 0.
_curvature(sc.stdtrit, "111", cuts={(0, 0): [Cut(1, _equals(0.5))]})
# Uniform distributions.
_curvature(sc.tklmbda, "111", cuts={(0, 0): [Cut(1, _equals(1, 2))]})
_curvature(sc.kolmogorov, "1")
_curvature(sc.kolmogi, "1")

# --- distributions: discrete, whose counts SciPy rounds down ----------------------------------
# 1 - d and 1 - p, from one observation.
_curvature(sc.smirnov, "001", cuts={(1, 1): [Cut(0, is_one)]})
_curvature(sc.smirnovi, "001", cuts={(1, 1): [Cut(0, is_one)]})
# 1 - p or 1, of one trial.
_curvature(sc.bdtr, "000001", cuts={(2, 2): [Cut(1, is_zero_or_one)]})
_curvature(sc.bdtrc, "000001", cuts={(2, 2): [Cut(0, _is_negative), Cut(1, is_zero_or_one)]})
_curvature(sc.bdtri, "000001", cuts={(2, 2): [Cut(1, is_one)]})
# None or all n succeed, with the probability 0 or 1.
_curvature(
    sc.bdtrik,
    "111111",
    cuts=united(among("12", Cut(0, is_zero_or_one)), among("01", Cut(2, is_one))),
)
_curvature(sc.bdtrin, "111111", cuts=among("01", Cut(2, is_one)))
_curvature(sc.nbdtr, "000001")
_curvature(sc.nbdtrc, "000001")
_curvature(sc.nbdtri, "000001")
_curvature(sc.nbdtrik, "111111", cuts=among("12", Cut(0, is_zero)))
_curvature(sc.nbdtrin, "111111")
_curvature(sc.pdtr, "001")
_curvature(sc.pdtrc, "001")
_curvature(sc.pdtri, "001")
_curvature(sc.pdtrik, "111", cuts={(0, 0): [Cut(1, is_zero)], (1, 1): [Cut(0, is_zero)]})

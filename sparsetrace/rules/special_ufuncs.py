"""First-order rules of the ufuncs of ``scipy.special``.

Contract: one line for every ufunc that is a public attribute of
``scipy.special``, aliases once.  The form of a line is that of
`sparsetrace.rules.first_order`; its test reads everything from it.

A whole-number argument has the letter ``"0"`` only where SciPy gives it no
derivative: no loop takes it as a real number, or the value between two whole
numbers is NaN or that of the whole number below.  Orders and degrees that SciPy
continues to the reals have ``"1"``.  The public ``MultiUFunc`` objects
(``legendre_p``, ``sph_harm_y``, ...) are no ufuncs and have no line.
"""

from __future__ import annotations

from scipy import special as sc

from sparsetrace.rules.first_order import Cut, RuleTable
from sparsetrace.rules.predicates import is_one, is_zero, is_zero_or_one

__all__ = ["GENERALISED", "SPECIAL_RULES"]

#: Ufuncs of ``scipy.special`` with core dimensions, which have no line: none.
GENERALISED: tuple[str, ...] = ()

SPECIAL_RULES = RuleTable()

_rule = SPECIAL_RULES.rule

_REAL = (-3.0, 3.0)
_POSITIVE = (0.3, 3.0)
_UNIT = (-0.9, 0.9)
_PROBABILITY = (0.1, 0.9)
_SHAPE = (0.5, 4.0)
_ORDER = (0.0, 4.0)
_DEGREE = (0.0, 6.0)

# --- gamma and its relatives ------------------------------------------------------
_rule(sc.gamma, "1", domain=[_POSITIVE])
_rule(sc.gammaln, "1", domain=[_POSITIVE])
_rule(sc.loggamma, "1", domain=[_POSITIVE])
_rule(sc.gammasgn, "0", domain=[_REAL])
_rule(sc.rgamma, "1", domain=[_REAL])
_rule(sc.psi, "1", domain=[_POSITIVE])
_rule(sc.zetac, "1", domain=[(1.5, 6.0)])
_rule(sc.poch, "11", domain=[_SHAPE, _SHAPE], cuts={0: Cut(1, is_zero)})
_rule(sc.beta, "11", domain=[_SHAPE, _SHAPE])
_rule(sc.betaln, "11", domain=[_SHAPE, _SHAPE])
_rule(sc.binom, "11", domain=[(4.0, 8.0), _SHAPE], cuts={0: Cut(1, is_zero)})
_rule(sc.gammainc, "11", domain=[_SHAPE, _SHAPE], cuts={0: Cut(1, is_zero), 1: Cut(0, is_zero)})
_rule(sc.gammaincc, "11", domain=[_SHAPE, _SHAPE], cuts={0: Cut(1, is_zero), 1: Cut(0, is_zero)})
_rule(sc.gammaincinv, "11", domain=[_SHAPE, _PROBABILITY], cuts={0: Cut(1, is_zero)})
_rule(sc.gammainccinv, "11", domain=[_SHAPE, _PROBABILITY], cuts={0: Cut(1, is_one)})
_rule(
    sc.betainc,
    "111",
    domain=[_SHAPE, _SHAPE, _PROBABILITY],
    cuts={0: Cut(2, is_zero_or_one), 1: Cut(2, is_zero_or_one)},
)
_rule(
    sc.betaincc,
    "111",
    domain=[_SHAPE, _SHAPE, _PROBABILITY],
    cuts={0: Cut(2, is_zero_or_one), 1: Cut(2, is_zero_or_one)},
)
_rule(
    sc.betaincinv,
    "111",
    domain=[_SHAPE, _SHAPE, _PROBABILITY],
    cuts={0: Cut(2, is_zero_or_one), 1: Cut(2, is_zero_or_one)},
)
_rule(
    sc.betainccinv,
    "111",
    domain=[_SHAPE, _SHAPE, _PROBABILITY],
    cuts={0: Cut(2, is_zero_or_one), 1: Cut(2, is_zero_or_one)},
)

# --- elementary functions, rounding off and step by step ----------------------------
_rule(sc.cbrt, "1", domain=[_POSITIVE])
_rule(sc.exp2, "1", domain=[_REAL])
_rule(sc.exp10, "1", domain=[_UNIT])
_rule(sc.expm1, "1", domain=[_REAL])
_rule(sc.exprel, "1", domain=[_REAL])
_rule(sc.log1p, "1", domain=[(-0.8, 3.0)])
_rule(sc.cosm1, "1", domain=[_REAL])
_rule(sc.sindg, "1", domain=[(-180.0, 180.0)])
_rule(sc.cosdg, "1", domain=[(-180.0, 180.0)])
_rule(sc.tandg, "1", domain=[(-80.0, 80.0)])
_rule(sc.cotdg, "1", domain=[(10.0, 170.0)])
_rule(sc.radian, "111", domain=[(0.0, 180.0), (0.0, 60.0), (0.0, 60.0)])
_rule(sc.round, "0", domain=[_REAL])
_rule(sc.expit, "1", domain=[_REAL])
_rule(sc.log_expit, "1", domain=[_REAL])
_rule(sc.logit, "1", domain=[_PROBABILITY])
_rule(sc.powm1, "11", domain=[_POSITIVE, _REAL], cuts={0: Cut(1, is_zero), 1: Cut(0, is_one)})
_rule(sc.xlogy, "11", domain=[_REAL, _POSITIVE], cuts={0: Cut(1, is_one), 1: Cut(0, is_zero)})
_rule(sc.xlog1py, "11", domain=[_REAL, _POSITIVE], cuts={0: Cut(1, is_zero), 1: Cut(0, is_zero)})
_rule(sc.boxcox, "11", domain=[_POSITIVE, _REAL], cuts={1: Cut(0, is_one)})
_rule(sc.boxcox1p, "11", domain=[_POSITIVE, _REAL], cuts={1: Cut(0, is_zero)})
_rule(sc.inv_boxcox, "11", domain=[_POSITIVE, _POSITIVE], cuts={1: Cut(0, is_zero)})
_rule(sc.inv_boxcox1p, "11", domain=[_POSITIVE, _POSITIVE], cuts={1: Cut(0, is_zero)})
_rule(sc.agm, "11", domain=[_POSITIVE, _POSITIVE], cuts={0: Cut(1, is_zero), 1: Cut(0, is_zero)})

# --- losses and entropies ---------------------------------------------------------
_rule(sc.entr, "1", domain=[_POSITIVE])
_rule(sc.kl_div, "11", domain=[_POSITIVE, _POSITIVE])
# 0 log(0/y) is 0 for y >= 0, but inf below.
_rule(
    sc.rel_entr,
    "11",
    domain=[_POSITIVE, _POSITIVE],
    cuts={1: Cut(0, is_zero, constant=False)},
)
# The loss of r == 0 is 0, but inf for a negative delta.
_rule(
    sc.huber,
    "11",
    domain=[_POSITIVE, _REAL],
    cuts={0: Cut(1, is_zero, constant=False), 1: Cut(0, is_zero)},
)
_rule(
    sc.pseudo_huber,
    "11",
    domain=[_POSITIVE, _REAL],
    cuts={0: Cut(1, is_zero, constant=False), 1: Cut(0, is_zero)},
)

# --- error function, exponential and Fresnel integrals -----------------------------
_rule(sc.erf, "1", domain=[_REAL])
_rule(sc.erfc, "1", domain=[_REAL])
_rule(sc.erfcx, "1", domain=[_REAL])
_rule(sc.erfi, "1", domain=[_REAL])
_rule(sc.erfinv, "1", domain=[_UNIT])
_rule(sc.erfcinv, "1", domain=[(0.1, 1.9)])
_rule(sc.dawsn, "1", domain=[_REAL])
_rule(sc.wofz, "1", domain=[_REAL])
_rule(sc.voigt_profile, "111", domain=[_REAL, _POSITIVE, _POSITIVE])
_rule(sc.exp1, "1", domain=[_POSITIVE])
_rule(sc.expi, "1", domain=[_POSITIVE])
_rule(sc.expn, "01", domain=[_DEGREE, _POSITIVE], integers=(0,))
_rule(sc.shichi, "1", "1", domain=[_POSITIVE])
_rule(sc.sici, "1", "1", domain=[_POSITIVE])
_rule(sc.spence, "1", domain=[_POSITIVE])
_rule(sc.fresnel, "1", "1", domain=[_REAL])
_rule(sc.modfresnelp, "1", "1", domain=[_REAL])
_rule(sc.modfresnelm, "1", "1", domain=[_REAL])
_rule(sc.wrightomega, "1", domain=[_REAL])

# --- Airy, Bessel and Kelvin functions ------------------------------------------------
_rule(sc.airy, "1", "1", "1", "1", domain=[_REAL])
_rule(sc.airye, "1", "1", "1", "1", domain=[_POSITIVE])
_rule(sc.itairy, "1", "1", "1", "1", domain=[_POSITIVE])
_rule(sc.j0, "1", domain=[_REAL])
_rule(sc.j1, "1", domain=[_REAL])
_rule(sc.y0, "1", domain=[_POSITIVE])
_rule(sc.y1, "1", domain=[_POSITIVE])
_rule(sc.i0, "1", domain=[_REAL])
_rule(sc.i0e, "1", domain=[_REAL])
_rule(sc.i1, "1", domain=[_REAL])
_rule(sc.i1e, "1", domain=[_REAL])
_rule(sc.k0, "1", domain=[_POSITIVE])
_rule(sc.k0e, "1", domain=[_POSITIVE])
_rule(sc.k1, "1", domain=[_POSITIVE])
_rule(sc.k1e, "1", domain=[_POSITIVE])
# At the origin: 1 for order 0, otherwise 0 or inf.
_rule(sc.jv, "11", domain=[_ORDER, _POSITIVE], cuts={0: Cut(1, is_zero, constant=False)})
_rule(sc.jve, "11", domain=[_ORDER, _POSITIVE], cuts={0: Cut(1, is_zero, constant=False)})
_rule(sc.yv, "11", domain=[_ORDER, _POSITIVE])
_rule(sc.yve, "11", domain=[_ORDER, _POSITIVE])
_rule(sc.iv, "11", domain=[_ORDER, _POSITIVE], cuts={0: Cut(1, is_zero, constant=False)})
_rule(sc.ive, "11", domain=[_ORDER, _POSITIVE], cuts={0: Cut(1, is_zero, constant=False)})
_rule(sc.kv, "11", domain=[_ORDER, _POSITIVE])
_rule(sc.kve, "11", domain=[_ORDER, _POSITIVE])
_rule(sc.kn, "01", domain=[_DEGREE, _POSITIVE], integers=(0,))
_rule(sc.yn, "01", domain=[_DEGREE, _POSITIVE], integers=(0,))
_rule(sc.hankel1, "11", domain=[_ORDER, _POSITIVE])
_rule(sc.hankel1e, "11", domain=[_ORDER, _POSITIVE])
_rule(sc.hankel2, "11", domain=[_ORDER, _POSITIVE])
_rule(sc.hankel2e, "11", domain=[_ORDER, _POSITIVE])
_rule(sc.it2i0k0, "1", "1", domain=[_POSITIVE])
_rule(sc.it2j0y0, "1", "1", domain=[_POSITIVE])
_rule(sc.iti0k0, "1", "1", domain=[_POSITIVE])
_rule(sc.itj0y0, "1", "1", domain=[_POSITIVE])
_rule(sc.besselpoly, "111", domain=[(0.2, 0.9), _POSITIVE, _POSITIVE])
_rule(sc.wright_bessel, "111", domain=[_POSITIVE, _POSITIVE, _POSITIVE], cuts={0: Cut(2, is_zero)})
if hasattr(sc, "log_wright_bessel"):  # SciPy 1.14 and later
    _rule(
        sc.log_wright_bessel,
        "111",
        domain=[_POSITIVE, _POSITIVE, _POSITIVE],
        cuts={0: Cut(2, is_zero)},
    )
_rule(sc.struve, "11", domain=[_ORDER, _POSITIVE])
_rule(sc.modstruve, "11", domain=[_ORDER, _POSITIVE])
_rule(sc.itstruve0, "1", domain=[_POSITIVE])
_rule(sc.it2struve0, "1", domain=[_POSITIVE])
_rule(sc.itmodstruve0, "1", domain=[_POSITIVE])
_rule(sc.ber, "1", domain=[_REAL])
_rule(sc.bei, "1", domain=[_REAL])
_rule(sc.berp, "1", domain=[_REAL])
_rule(sc.beip, "1", domain=[_REAL])
_rule(sc.ker, "1", domain=[_POSITIVE])
_rule(sc.kei, "1", domain=[_POSITIVE])
_rule(sc.kerp, "1", domain=[_POSITIVE])
_rule(sc.keip, "1", domain=[_POSITIVE])
_rule(sc.kelvin, "1", "1", "1", "1", domain=[_POSITIVE])

# --- elliptic integrals and functions -------------------------------------------------
_rule(sc.ellipe, "1", domain=[_UNIT])
_rule(sc.ellipk, "1", domain=[_UNIT])
_rule(sc.ellipkm1, "1", domain=[_PROBABILITY])
_rule(sc.ellipeinc, "11", domain=[_REAL, _PROBABILITY], cuts={1: Cut(0, is_zero)})
_rule(sc.ellipkinc, "11", domain=[_REAL, _PROBABILITY], cuts={1: Cut(0, is_zero)})
_rule(
    sc.ellipj,
    "11",
    "11",
    "11",
    "11",
    domain=[_REAL, _PROBABILITY],
    cuts={1: Cut(0, is_zero)},
)
_rule(sc.elliprc, "11", domain=[_POSITIVE, _POSITIVE])
_rule(sc.elliprd, "111", domain=[_POSITIVE, _POSITIVE, _POSITIVE])
_rule(sc.elliprf, "111", domain=[_POSITIVE, _POSITIVE, _POSITIVE])
_rule(sc.elliprg, "111", domain=[_POSITIVE, _POSITIVE, _POSITIVE])
_rule(sc.elliprj, "1111", domain=[_POSITIVE, _POSITIVE, _POSITIVE, _POSITIVE])

# --- orthogonal polynomials: of degree 0, a constant ------------------------------------
_rule(sc.eval_chebyt, "11", domain=[_DEGREE, _UNIT], cuts={1: Cut(0, is_zero)})
_rule(sc.eval_chebyu, "11", domain=[_DEGREE, _UNIT], cuts={1: Cut(0, is_zero)})
_rule(sc.eval_chebyc, "11", domain=[_DEGREE, (-1.8, 1.8)], cuts={1: Cut(0, is_zero)})
_rule(sc.eval_chebys, "11", domain=[_DEGREE, (-1.8, 1.8)], cuts={1: Cut(0, is_zero)})
_rule(sc.eval_sh_chebyt, "11", domain=[_DEGREE, _PROBABILITY], cuts={1: Cut(0, is_zero)})
_rule(sc.eval_sh_chebyu, "11", domain=[_DEGREE, _PROBABILITY], cuts={1: Cut(0, is_zero)})
_rule(sc.eval_legendre, "11", domain=[_DEGREE, _UNIT], cuts={1: Cut(0, is_zero)})
_rule(sc.eval_sh_legendre, "11", domain=[_DEGREE, _PROBABILITY], cuts={1: Cut(0, is_zero)})
_rule(sc.eval_laguerre, "11", domain=[_DEGREE, _POSITIVE], cuts={1: Cut(0, is_zero)})
_rule(
    sc.eval_genlaguerre,
    "111",
    domain=[_DEGREE, _SHAPE, _POSITIVE],
    cuts={1: Cut(0, is_zero), 2: Cut(0, is_zero)},
)
_rule(
    sc.eval_gegenbauer,
    "111",
    domain=[_DEGREE, _SHAPE, _UNIT],
    cuts={1: Cut(0, is_zero), 2: Cut(0, is_zero)},
)
_rule(
    sc.eval_jacobi,
    "1111",
    domain=[_DEGREE, _SHAPE, _SHAPE, _UNIT],
    cuts={1: Cut(0, is_zero), 2: Cut(0, is_zero), 3: Cut(0, is_zero)},
)
_rule(
    sc.eval_sh_jacobi,
    "1111",
    domain=[_DEGREE, (3.0, 5.0), (0.5, 2.5), _PROBABILITY],
    cuts={1: Cut(0, is_zero), 2: Cut(0, is_zero), 3: Cut(0, is_zero)},
)
_rule(sc.eval_hermite, "01", domain=[_DEGREE, _REAL], integers=(0,), cuts={1: Cut(0, is_zero)})
_rule(sc.eval_hermitenorm, "01", domain=[_DEGREE, _REAL], integers=(0,), cuts={1: Cut(0, is_zero)})

# --- hypergeometric, Legendre and parabolic cylinder functions ---------------------------
_rule(sc.hyp0f1, "11", domain=[_SHAPE, _REAL], cuts={0: Cut(1, is_zero)})
_rule(
    sc.hyp1f1,
    "111",
    domain=[_SHAPE, _SHAPE, _REAL],
    cuts={0: Cut(2, is_zero), 1: Cut(2, is_zero), 2: Cut(0, is_zero)},
)
_rule(
    sc.hyp2f1,
    "1111",
    domain=[_SHAPE, _SHAPE, _SHAPE, _UNIT],
    cuts={0: Cut(3, is_zero), 1: Cut(3, is_zero), 2: Cut(3, is_zero), 3: Cut(0, is_zero)},
)
# U(0, b, x) is 1, but SciPy makes it inf at x == 0 where b > 1.
_rule(
    sc.hyperu,
    "111",
    domain=[_SHAPE, _SHAPE, _POSITIVE],
    cuts={1: Cut(0, is_zero, constant=False), 2: Cut(0, is_zero, constant=False)},
)
_rule(sc.lpmv, "011", domain=[(0.0, 3.0), _SHAPE, _UNIT], integers=(0,))
if hasattr(sc, "sph_harm"):  # until SciPy 1.16
    _rule(
        sc.sph_harm,
        "0011",
        domain=[(0.0, 3.0), (3.0, 6.0), _POSITIVE, _POSITIVE],
        integers=(0, 1),
    )
_rule(sc.pbdv, "11", "11", domain=[_ORDER, _REAL])
_rule(sc.pbvv, "11", "11", domain=[_ORDER, _REAL])
_rule(sc.pbwa, "11", "11", domain=[_REAL, _REAL])

# --- Mathieu and spheroidal wave functions: whole orders alone ----------------------------
_rule(sc.mathieu_a, "01", domain=[_DEGREE, _POSITIVE], integers=(0,))
_rule(sc.mathieu_b, "01", domain=[(1.0, 6.0), _POSITIVE], integers=(0,))
_rule(sc.mathieu_cem, "011", "011", domain=[_DEGREE, _POSITIVE, (0.0, 90.0)], integers=(0,))
_rule(sc.mathieu_sem, "011", "011", domain=[(1.0, 6.0), _POSITIVE, (0.0, 90.0)], integers=(0,))
_rule(sc.mathieu_modcem1, "011", "011", domain=[_DEGREE, _POSITIVE, _POSITIVE], integers=(0,))
_rule(sc.mathieu_modcem2, "011", "011", domain=[_DEGREE, _POSITIVE, _POSITIVE], integers=(0,))
_rule(sc.mathieu_modsem1, "011", "011", domain=[(1.0, 6.0), _POSITIVE, _POSITIVE], integers=(0,))
_rule(sc.mathieu_modsem2, "011", "011", domain=[(1.0, 6.0), _POSITIVE, _POSITIVE], integers=(0,))
_PROLATE = ((0.0, 2.0), (2.0, 5.0), _POSITIVE)
_rule(sc.pro_cv, "001", domain=_PROLATE, integers=(0, 1))
_rule(sc.obl_cv, "001", domain=_PROLATE, integers=(0, 1))
_rule(sc.pro_ang1, "0011", "0011", domain=[*_PROLATE, _UNIT], integers=(0, 1))
_rule(sc.obl_ang1, "0011", "0011", domain=[*_PROLATE, _UNIT], integers=(0, 1))
_rule(sc.pro_rad1, "0011", "0011", domain=[*_PROLATE, (1.2, 3.0)], integers=(0, 1))
_rule(sc.obl_rad1, "0011", "0011", domain=[*_PROLATE, _POSITIVE], integers=(0, 1))
_rule(sc.pro_rad2, "0011", "0011", domain=[*_PROLATE, (1.2, 3.0)], integers=(0, 1))
_rule(sc.obl_rad2, "0011", "0011", domain=[*_PROLATE, _POSITIVE], integers=(0, 1))
_rule(sc.pro_ang1_cv, "00111", "00111", domain=[*_PROLATE, _SHAPE, _UNIT], integers=(0, 1))
_rule(sc.obl_ang1_cv, "00111", "00111", domain=[*_PROLATE, _SHAPE, _UNIT], integers=(0, 1))
_rule(sc.pro_rad1_cv, "00111", "00111", domain=[*_PROLATE, _SHAPE, (1.2, 3.0)], integers=(0, 1))
_rule(sc.obl_rad1_cv, "00111", "00111", domain=[*_PROLATE, _SHAPE, _POSITIVE], integers=(0, 1))
_rule(sc.pro_rad2_cv, "00111", "00111", domain=[*_PROLATE, _SHAPE, (1.2, 3.0)], integers=(0, 1))
_rule(sc.obl_rad2_cv, "00111", "00111", domain=[*_PROLATE, _SHAPE, _POSITIVE], integers=(0, 1))

# --- distributions: continuous ---------------------------------------------------------
_rule(sc.ndtr, "1", domain=[_REAL])
_rule(sc.log_ndtr, "1", domain=[_REAL])
_rule(sc.ndtri, "1", domain=[_PROBABILITY])
_rule(sc.ndtri_exp, "1", domain=[(-3.0, -0.1)])
_rule(sc.nrdtrimn, "111", domain=[_PROBABILITY, _POSITIVE, _REAL])
_rule(sc.nrdtrisd, "111", domain=[(0.0, 1.0), (0.6, 0.9), (2.0, 3.0)])
_rule(sc.owens_t, "11", domain=[_REAL, _REAL], cuts={0: Cut(1, is_zero)})
_rule(sc.chdtr, "11", domain=[_SHAPE, _POSITIVE], cuts={0: Cut(1, is_zero)})
_rule(sc.chdtrc, "11", domain=[_SHAPE, _POSITIVE], cuts={0: Cut(1, is_zero)})
_rule(sc.chdtri, "11", domain=[_SHAPE, _PROBABILITY], cuts={0: Cut(1, is_one)})
_rule(sc.chdtriv, "11", domain=[_PROBABILITY, _POSITIVE])
_rule(
    sc.chndtr,
    "111",
    domain=[_POSITIVE, _SHAPE, _POSITIVE],
    cuts={1: Cut(0, is_zero), 2: Cut(0, is_zero)},
)
_rule(sc.chndtridf, "111", domain=[(2.0, 4.0), (0.2, 0.5), _POSITIVE])
_rule(sc.chndtrinc, "111", domain=[(4.0, 6.0), (1.0, 2.0), (0.2, 0.5)])
_rule(sc.chndtrix, "111", domain=[_PROBABILITY, _SHAPE, _POSITIVE])
_rule(
    sc.fdtr,
    "111",
    domain=[_SHAPE, _SHAPE, _POSITIVE],
    cuts={0: Cut(2, is_zero), 1: Cut(2, is_zero)},
)
_rule(
    sc.fdtrc,
    "111",
    domain=[_SHAPE, _SHAPE, _POSITIVE],
    cuts={0: Cut(2, is_zero), 1: Cut(2, is_zero)},
)
_rule(sc.fdtri, "111", domain=[_SHAPE, _SHAPE, _PROBABILITY])
_rule(sc.fdtridfd, "111", domain=[(2.0, 4.0), (0.4, 0.6), (1.0, 2.0)])
_rule(
    sc.gdtr,
    "111",
    domain=[_POSITIVE, _SHAPE, _POSITIVE],
    cuts={0: Cut(2, is_zero), 1: Cut(2, is_zero), 2: Cut(0, is_zero)},
)
_rule(
    sc.gdtrc,
    "111",
    domain=[_POSITIVE, _SHAPE, _POSITIVE],
    cuts={0: Cut(2, is_zero), 1: Cut(2, is_zero), 2: Cut(0, is_zero)},
)
_rule(sc.gdtria, "111", domain=[_PROBABILITY, _SHAPE, _POSITIVE])
_rule(sc.gdtrib, "111", domain=[_POSITIVE, _PROBABILITY, _POSITIVE])
_rule(
    sc.gdtrix,
    "111",
    domain=[_POSITIVE, _SHAPE, _PROBABILITY],
    cuts={0: Cut(2, is_zero), 1: Cut(2, is_zero)},
)
_rule(sc.btdtria, "111", domain=[_PROBABILITY, _SHAPE, _PROBABILITY])
_rule(sc.btdtrib, "111", domain=[_SHAPE, _PROBABILITY, _PROBABILITY])
_rule(sc.ncfdtr, "1111", domain=[_SHAPE, _SHAPE, _POSITIVE, _POSITIVE])
_rule(sc.ncfdtri, "1111", domain=[_SHAPE, _SHAPE, _POSITIVE, _PROBABILITY])
_rule(sc.ncfdtridfd, "1111", domain=[(2.0, 4.0), (0.3, 0.4), (0.5, 1.0), (1.0, 2.0)])
_rule(sc.ncfdtridfn, "1111", domain=[(0.12, 0.17), (2.0, 4.0), (0.5, 1.0), (0.25, 0.35)])
_rule(sc.ncfdtrinc, "1111", domain=[(2.0, 4.0), (4.0, 8.0), (0.2, 0.4), (2.0, 3.0)])
_rule(sc.nctdtr, "111", domain=[_SHAPE, _REAL, _REAL])
_rule(sc.nctdtridf, "111", domain=[(0.3, 0.4), (0.5, 1.0), (0.5, 1.0)])
_rule(sc.nctdtrinc, "111", domain=[_SHAPE, _PROBABILITY, _REAL])
_rule(sc.nctdtrit, "111", domain=[_SHAPE, _REAL, _PROBABILITY])
_rule(sc.stdtr, "11", domain=[_SHAPE, _REAL], cuts={0: Cut(1, is_zero)})
_rule(sc.stdtridf, "11", domain=[(0.7, 0.85), (1.0, 2.0)])
_rule(sc.stdtrit, "11", domain=[_SHAPE, _PROBABILITY])
_rule(sc.tklmbda, "11", domain=[_UNIT, _PROBABILITY], cuts={1: Cut(0, is_zero)})
_rule(sc.kolmogorov, "1", domain=[_POSITIVE])
_rule(sc.kolmogi, "1", domain=[_PROBABILITY])

# --- distributions: discrete, whose counts SciPy rounds down ----------------------------------
_rule(sc.smirnov, "01", domain=[(2.0, 9.0), _PROBABILITY], integers=(0,))
_rule(sc.smirnovi, "01", domain=[(2.0, 9.0), _PROBABILITY], integers=(0,))
_rule(sc.bdtr, "001", domain=[(0.0, 4.0), (5.0, 9.0), _PROBABILITY], integers=(0, 1))
_rule(sc.bdtrc, "001", domain=[(0.0, 4.0), (5.0, 9.0), _PROBABILITY], integers=(0, 1))
_rule(sc.bdtri, "001", domain=[(0.0, 4.0), (5.0, 9.0), _PROBABILITY], integers=(0, 1))
_rule(sc.bdtrik, "111", domain=[(0.3, 0.7), (5.0, 9.0), (0.3, 0.7)])
_rule(sc.bdtrin, "111", domain=[(2.0, 4.0), (0.3, 0.7), (0.3, 0.7)])
_rule(sc.nbdtr, "001", domain=[(0.0, 4.0), (1.0, 9.0), _PROBABILITY], integers=(0, 1))
_rule(sc.nbdtrc, "001", domain=[(0.0, 4.0), (1.0, 9.0), _PROBABILITY], integers=(0, 1))
_rule(sc.nbdtri, "001", domain=[(0.0, 4.0), (1.0, 9.0), _PROBABILITY], integers=(0, 1))
_rule(sc.nbdtrik, "111", domain=[(0.3, 0.7), (3.0, 6.0), (0.3, 0.5)])
_rule(sc.nbdtrin, "111", domain=[(2.0, 4.0), (0.3, 0.7), (0.3, 0.7)])
_rule(sc.pdtr, "01", domain=[(0.0, 5.0), _POSITIVE], integers=(0,))
_rule(sc.pdtrc, "01", domain=[(0.0, 5.0), _POSITIVE], integers=(0,))
_rule(sc.pdtri, "01", domain=[(0.0, 5.0), _PROBABILITY], integers=(0,))
_rule(sc.pdtrik, "11", domain=[(0.5, 0.9), _POSITIVE])

"""scipy.stats: distributions of one number and of several, statistics, kernel densities."""

from __future__ import annotations

import numpy as np
import scipy.stats as ss
from scipy.stats import qmc

DATA = np.array([0.35, 0.8, 1.1, 1.45])
COUNTS = np.array([0, 1, 3])
LINES = np.array([[0.0, 1], [1, 3], [2, 4]])
MORE = np.array([[0.2, 0.5, 0.9, 1.2, 1.6], [0.1, 0.8, 0.3, 1.1, 0.7]])


class Tilted(ss.rv_continuous):
    """With a density alone: all else is SciPy's numerical work."""

    def _pdf(self, x, c):
        return 0.25 * (1 + c * (x - 2))


class Waited(ss.rv_continuous):
    """With more methods, one of which branches on each element."""

    def _cdf(self, x, c):
        return np.where(x < 1, 0.5 * x**c, 1 - 0.5 * np.exp(c * (1 - x)))

    def _logpdf(self, x, c):
        return np.where(x < 1, np.log(0.5 * c) + (c - 1) * np.log(x), np.log(0.5 * c) + c - c * x)


class Falling(ss.rv_continuous):
    """Without shapes."""

    def _pdf(self, x):
        return np.exp(-x)


class Counted(ss.rv_discrete):
    def _pmf(self, k, p):
        return p * (1 - p) ** k


CUSTOM = ss.rv_discrete(values=([1, 2], [0.3, 0.7]))
tilted, waited, falling = Tilted(a=0, b=4), Waited(a=0), Falling(a=0)
counted = Counted(a=0)
line_logpdf = ss.gamma.logpdf

DISTRIBUTIONS = {
    "norm pdf, loc": lambda x: ss.norm.pdf(x, loc=x[0] / 4),
    "norm logpdf, all": lambda x: ss.norm.logpdf(x[:2], x[2], x[3]),
    "norm logpdf, table": lambda x: ss.norm.logpdf(MORE[:, :4], x, x[:2, None]),
    "norm cdf, scale": lambda x: ss.norm.cdf(DATA, 0, x),
    "norm of one number": lambda x: ss.norm.pdf(x[0], scale=x[1]) * x[2],
    "expon logpdf, loc and scale": lambda x: ss.expon.logpdf(x[:2] + 2, x[2], x[3]),
    "expon logsf": lambda x: ss.expon.logsf(x),
    "uniform pdf, all": lambda x: ss.uniform.pdf(1.0, x[:2] / 4, x[2:] + 1),
    "uniform cdf": lambda x: ss.uniform.cdf(1.0, x[:2] / 4, x[2:] + 1),
    "uniform ppf": lambda x: ss.uniform.ppf(x[:2] / 2, x[2], 3),
    "gamma by keywords": lambda x: ss.gamma.logpdf(x[:2], a=x[2], scale=x[3]),
    "gamma bound early": lambda x: line_logpdf(x, 2.0),
    "beta sf": lambda x: ss.beta.sf(x / 2, x[0], 2.0),
    "t isf": lambda x: ss.t.isf(x[:2] / 2, 3.0, x[2:], 2.0),
    "laplace logpdf": lambda x: ss.laplace.logpdf(x[:2] - 2, x[2], x[3]),
    "lognorm, shapes of each": lambda x: ss.lognorm.logcdf(DATA, x, scale=x[::-1]),
    "vonmises logpdf": lambda x: ss.vonmises.logpdf(x[:2], x[2], x[3]),
    "genpareto frozen": lambda x: ss.genpareto(x[0], loc=-x[1], scale=x[2]).logpdf(DATA),
    "kappa4 frozen": lambda x: ss.kappa4(-x[0], -x[1]).pdf(x[2:]),
    "norm frozen, ppf": lambda x: ss.norm(x[0], x[1]).ppf(x[2:] / 2),
    "gamma median and interval": lambda x: [
        ss.gamma(x[0], scale=x[1]).median(),
        *ss.gamma(x[2]).interval(0.9),
    ],
    "levy_stable cdf": lambda x: ss.levy_stable.cdf(x[:1], 1.5, 0.3, x[1], x[2]),
    "levy_stable cdf, alpha 1": lambda x: ss.levy_stable.cdf(x[0], 1.0, 0.3, x[1], x[2]),
    "poisson logpmf": lambda x: ss.poisson.logpmf([1, 2, 4, 5], x),
    "poisson at traced counts": lambda x: ss.poisson.pmf(np.floor(3 * x), x[0]),
    "binom pmf": lambda x: ss.binom.pmf([1, 2, 3, 4], 5, x / 2),
    "nbinom frozen, cdf": lambda x: ss.nbinom(x[0], x[1] / 2).cdf([1, 2]),
    "bernoulli pmf": lambda x: ss.bernoulli.pmf([0, 1, 1, 0], x / 2),
    "poisson_binom pmf": lambda x: ss.poisson_binom.pmf([1, 2], x / 2),
    "custom counts": lambda x: CUSTOM.pmf(np.floor(x[:2]) + 1) * x[2],
    "histogram pdf": lambda x: ss.rv_histogram(np.histogram(MORE)).pdf(x[:2]) * x[2],
    "histogram cdf": lambda x: ss.rv_histogram(np.histogram(MORE)).cdf(x),
    "norm nnlf": lambda x: ss.norm.nnlf([x[0], x[1]], DATA),
    "norm nnlf of data": lambda x: ss.norm.nnlf([0.3, 1.2], x),
    "gamma nnlf": lambda x: ss.gamma.nnlf(np.stack([x[0], -x[1], x[2]]), DATA),
    "poisson nnlf": lambda x: ss.poisson.nnlf([x[0], 0], COUNTS),
    "norm, what fit minimises": lambda x: ss.norm._penalized_nnlf(x[:2], DATA),
    "gamma, what fit minimises": lambda x: ss.gamma._reduce_func((2.0, 0.0, 1.0), {"floc": 0})[1](
        x[:2], DATA
    ),
    "gamma fit, floc": lambda x: ss.gamma.fit(0.5 + x * x[0], floc=x[1] / 9),
    "expon, censored": lambda x: ss.expon._penalized_nnlf(
        [-x[0], x[1]], ss.CensoredData([0.5], left=[0.9], right=[1.4], interval=[[0.3, 0.7]])
    ),
    "poisson, what fit minimises": lambda x: ss.poisson._penalized_nnlf([x[0], 0], COUNTS),
    "own density": lambda x: tilted.logpdf(x[:2], x[2] / 4, loc=-x[3]),
    "own density, cdf": lambda x: tilted.cdf(x[:2], x[2] / 4),
    "own density, sf": lambda x: tilted.sf(1.0, 0.3, -x[:2], 2.0),
    "own density, ppf": lambda x: tilted.ppf(x[:2] / 2, x[2] / 4),
    "own density without shapes": lambda x: falling.pdf(x[:2] - 0.6, loc=x[2] / 9, scale=x[3]),
    "own branches": lambda x: waited.logpdf(x[:3], x[3] + 1),
    "own branches, logsf": lambda x: waited.logsf(x[:3], x[3] + 1),
    "own branches, frozen isf": lambda x: waited(x[0] + 1).isf(x[1:] / 2),
    "own branches, nnlf": lambda x: waited.nnlf([x[0] + 1, 0, x[1]], DATA),
    "own counts": lambda x: counted.logpmf([1, 2, 3, 4], x / 2),
    "own counts, cdf": lambda x: counted.cdf([1, 2, 3, 4], x / 2),
}

if hasattr(ss, "Normal"):  # since SciPy 1.15
    gamma = ss.make_distribution(ss.gamma)
    DISTRIBUTIONS |= {
        "Normal pdf": lambda x: ss.Normal(mu=x[0], sigma=x[1]).pdf(x[2:]),
        "Normal logpdf": lambda x: ss.Normal().logpdf(x),
        "Normal cdf": lambda x: ss.Normal(mu=x[0], sigma=1.5).cdf(x[1]),
        "Normal icdf": lambda x: ss.Normal(mu=x[0], sigma=x[1]).icdf(0.3),
        "Normal, shifted": lambda x: (ss.Normal() * x[0] + x[1]).logpdf(0.5),
        "Uniform logpdf": lambda x: ss.Uniform(a=x[0] / 9, b=x[1] + 2).logpdf(1.0),
        "Mixture": lambda x: ss.Mixture(
            [ss.Normal(mu=x[0], sigma=x[1]), ss.Normal()], weights=[0.3, 0.7]
        ).pdf(0.5),
        "make_distribution": lambda x: gamma(a=x[0]).logpdf(x[1]),
    }

STATISTICS = {
    "poisson mean": lambda x: ss.poisson.mean(x),
    "binom var": lambda x: ss.binom.var(5, x / 2),
    "gamma stats": lambda x: ss.gamma.stats(x[:2], scale=x[2], moments="mvsk"),
    "norm var": lambda x: ss.norm.var(x[0], x[1]),
    "expon fit": lambda x: ss.expon.fit(x)[1],
    "boxcox": lambda x: ss.boxcox(x, 0.5),
    "binned_statistic": lambda x: ss.binned_statistic([0, 1, 2, 3], x, bins=2)[0],
    "binned_statistic, sum": lambda x: ss.binned_statistic([0, 1, 2, 3], x**2, "sum", bins=3)[0],
    "binned_statistic_2d": lambda x: ss.binned_statistic_2d([0, 1, 0, 1], [0, 1, 1, 0], x, bins=2)[
        0
    ],
    "anderson_ksamp": lambda x: ss.anderson_ksamp([x, DATA + 9], variant="midrank").statistic * x,
    "chi2_contingency": lambda x: ss.chi2_contingency(99 * x.reshape(2, 2))[:2],
    "cramervonmises": lambda x: ss.cramervonmises(x[:3], "norm", args=(x[3], 1.5)).statistic,
    "cramervonmises_2samp": lambda x: ss.cramervonmises_2samp(x, DATA).pvalue * x,
    "discrepancy": lambda x: qmc.discrepancy(x.reshape(2, 2) / 2, method="L2-star"),
    "dunnett": lambda x: ss.dunnett(x[:2], control=DATA[:2], rng=1).statistic,
    "epps_singleton_2samp": lambda x: ss.epps_singleton_2samp(MORE[0], np.append(x, 0.7)).statistic,
    "fligner": lambda x: ss.fligner(x[:3], DATA).statistic * x,
    "geometric_discrepancy": lambda x: qmc.geometric_discrepancy(x.reshape(2, 2) / 2),
    "hdquantiles": lambda x: ss.mstats.hdquantiles(x, [0.5]),
    "hdquantiles, masked": lambda x: ss.mstats.hdquantiles(np.ma.array(x, mask=[0, 1, 0, 0])),
    "ks_2samp": lambda x: ss.ks_2samp(x, DATA).pvalue * x,
    "ks_2samp, location": lambda x: ss.ks_2samp(x, DATA + 9).statistic_location,
    "kstest": lambda x: ss.kstest(x, DATA).statistic * x,
    "median_test": lambda x: ss.median_test(x, DATA).pvalue * x,
    "mjci": lambda x: ss.mstats.mjci(x, [0.5]),
    "mstats kendalltau_seasonal": lambda x: (
        ss.mstats.kendalltau_seasonal(np.outer(DATA, x))["chi2 total"] * x
    ),
    "mstats rankdata": lambda x: ss.mstats.rankdata(x) * x,
    "mstats spearmanr": lambda x: ss.mstats.spearmanr(x, DATA).statistic * x,
    "mstats theilslopes": lambda x: ss.mstats.theilslopes(x, DATA).slope,
    "page_trend_test": lambda x: ss.page_trend_test(np.vstack([x, DATA])).statistic * x,
    "pmean, power": lambda x: ss.pmean(x[:3], x[3]),
    "poisson_means_test": lambda x: ss.poisson_means_test(3, 5 * x[0], 5, 4 * x[1]).pvalue,
    "scale": lambda x: qmc.scale(x.reshape(2, 2) / 2, x[:2] / 9, x[2:] + 2),
    "shapiro, masked": lambda x: ss.shapiro(np.ma.array(x)).statistic,
    "siegelslopes": lambda x: ss.siegelslopes(x, DATA).slope,
    "somersd": lambda x: ss.somersd(x, DATA).statistic * x,
    "trimmed_mean_ci": lambda x: ss.mstats.trimmed_mean_ci(x, (0.01, 0.01)),
    "update_discrepancy": lambda x: qmc.update_discrepancy(
        x[:2] / 2, [[0.2, 0.4], [0.6, 0.9]], x[2]
    ),
    "rankdata": lambda x: ss.rankdata(x) * x,
    "mstats kendalltau": lambda x: ss.mstats.kendalltau(x, DATA**2).statistic * x,
    "mstats mannwhitneyu": lambda x: ss.mstats.mannwhitneyu(x, DATA)[0] * x,
    "gmean of one number": lambda x: ss.gmean(x[0]) ** 2 * x[1],
    "spearmanr": lambda x: ss.spearmanr(x, DATA**2).statistic * x + x,
    "shapiro": lambda x: ss.shapiro(x).statistic,
    "zscore": ss.zscore,
    "zscore, axis": lambda x: ss.zscore(np.vstack([x[:2], x[2:], MORE[0, :2]]), axis=0, ddof=1),
    "gzscore": ss.gzscore,
    "zmap": lambda x: ss.zmap(x[:1], x[1:]),
    "gmean": ss.gmean,
    "gmean, weights": lambda x: ss.gmean(x, weights=DATA),
    "gmean, keepdims": lambda x: ss.gmean(x.reshape(2, 2), axis=None, keepdims=True),
    "hmean": lambda x: ss.hmean(x.reshape(2, 2), axis=0),
    "hmean, weights": lambda x: ss.hmean(x, weights=DATA),
    "pmean": lambda x: ss.pmean(x, 2.5),
    "pmean, 0": lambda x: ss.pmean(x.reshape(2, 2), 0, axis=1, weights=[0.3, 0.7]),
    "gstd": ss.gstd,
    "sem": ss.sem,
    "tmean": ss.tmean,
    "tmean, limits": lambda x: ss.tmean(x, (0.2, 1.9)),
    "tvar, limits": lambda x: ss.tvar(x, (0.2, 1.9)),
    "variation": ss.variation,
    "skew": ss.skew,
    "skew, bias": lambda x: ss.skew(np.append(x, 0.7), bias=False),
    "kurtosis": lambda x: ss.kurtosis(np.hstack([x.reshape(2, 2), MORE[:, 1:3]]), axis=1),
    "kurtosis, bias": lambda x: ss.kurtosis(np.append(x, DATA[:2]), fisher=False, bias=False),
    "moment": lambda x: ss.moment(x, 2),
    "moment, 1": lambda x: ss.moment(x, 1) + x[0],
    "moment, centre": lambda x: ss.moment(x[:3], 3, center=x[3]),
    "moments": lambda x: ss.moment(x, [2, 3]),
    "describe": lambda x: [ss.describe(x).mean, ss.describe(x).variance, *ss.describe(x).minmax],
    "entropy": ss.entropy,
    "entropy, relative": lambda x: ss.entropy(x[:2], x[2:], base=2),
    "pearsonr": lambda x: ss.pearsonr(x, DATA**2).statistic,
    "pearsonr of both": lambda x: ss.pearsonr(np.append(x[:2], 0.1), np.append(x[2:], 0.6)),
    "linregress in y": lambda x: ss.linregress([0, 1, 2, 3], x)[:2],
    "linregress, all": lambda x: (lambda r: [*r, r.intercept_stderr])(ss.linregress(DATA**2, x)),
    "linregress, raveled": lambda x: np.ravel(ss.linregress([0, 1, 2, 3], x))[:2],
    "linregress, lines": lambda x: ss.linregress(LINES, np.stack([x[:2], x[2:], [1, 2]]))[:2],
    "mode, columns": lambda x: ss.mode(x.reshape(2, 2)).mode,
    "plotting_positions": lambda x: ss.mstats.plotting_positions(x[:2], x[2], x[3]),
    "linregress in x": lambda x: ss.linregress(x, DATA[::-1]).slope,
    "ttest_1samp": lambda x: ss.ttest_1samp(x, 0.3),
    "ttest_ind": lambda x: ss.ttest_ind(x, DATA).statistic,
    "boxcox_llf": lambda x: ss.boxcox_llf(0.5, x),
    "kernel density": lambda x: ss.gaussian_kde(MORE[0])(x),
    "kernel density, pdf": lambda x: ss.gaussian_kde(MORE[0], 0.4).pdf(x),
    "kernel density, logpdf": lambda x: ss.gaussian_kde(MORE).logpdf(x.reshape(2, 2)),
    "kernel density, a point": lambda x: ss.gaussian_kde(MORE)(x[:2]) * x[2],
    "kernel density of data": lambda x: ss.gaussian_kde(x)([0.7, 1.3]),
    "kernel density of both": lambda x: ss.gaussian_kde(x[:3], "silverman").logpdf(x[3:]),
    "kernel density, weights": lambda x: ss.gaussian_kde(MORE[:, :4], weights=x)([0.7, 1.3]),
    "kernel density, bandwidth": lambda x: ss.gaussian_kde(MORE[0], x[0])(x[1:]),
}

BLOCKS = np.array([[2.0, 0, 0.5], [0, 1.2, 0], [0.5, 0, 1.5]])
MEAN = np.array([0.5, 1.0, 0.7])


def factored(v):
    """A covariance from six numbers."""
    root = np.zeros((3, 3))
    root[np.tril_indices(3)] = v
    return root @ root.T + np.eye(3)


def two(p):
    """The probabilities of two outcomes."""
    return np.stack([p / 2, 1 - p / 2])


mvn, mvt = ss.multivariate_normal, ss.multivariate_t

if hasattr(ss, "chatterjeexi"):  # since SciPy 1.15
    STATISTICS["chatterjeexi"] = lambda x: ss.chatterjeexi(x, DATA).statistic * x
MULTIVARIATE = {
    "normal cdf": lambda x: mvn.cdf(x[:2], MEAN[:2], BLOCKS[1:, 1:]),
    "normal cdf, one dimension": lambda x: mvn.cdf(x[:3, None], x[3], x[4]),
    "invwishart logpdf": lambda x: ss.invwishart.logpdf(factored(x), 5, BLOCKS),
    "invwishart logpdf, scale": lambda x: ss.invwishart.logpdf(BLOCKS, 5, factored(x)),
    "multinomial logpmf": lambda x: ss.multinomial.logpmf([1, 2, 1], 4, x[:3] / np.sum(x[:3])),
    "multinomial pmf, trials": lambda x: ss.multinomial.pmf([[1, 3], [2, 2]], 4, two(x[0])),
    "normal logpdf": lambda x: mvn.logpdf(x[:3], MEAN, BLOCKS),
    "normal pdf, mean": lambda x: mvn.pdf(MEAN, x[:3], BLOCKS),
    "normal logpdf, many": lambda x: mvn.logpdf(x.reshape(2, 3), MEAN, BLOCKS),
    "normal logpdf, one dimension": lambda x: mvn.logpdf(x[:3], x[3], x[4]),
    "normal logpdf, scalar": lambda x: mvn.logpdf(x[:3], cov=x[3] * np.eye(3)),
    "normal logpdf, variances": lambda x: mvn.logpdf(MEAN, x[:3], x[3:]),
    "normal logpdf, covariance": lambda x: mvn.logpdf(MEAN, -MEAN, factored(x)),
    "normal logpdf, singular": lambda x: mvn.logpdf(
        np.stack([x[0], x[0]]), cov=np.ones((2, 2)), allow_singular=True
    ),
    "normal frozen": lambda x: mvn(x[3:], BLOCKS).logpdf(x[:3]),
    "normal frozen, covariance": lambda x: mvn(MEAN, x[0] * BLOCKS).pdf(x[1:4]),
    "normal, of a Covariance": lambda x: mvn.logpdf(
        x[:3], MEAN, ss.Covariance.from_diagonal([1.0, 2.0, 3.0])
    ),
    "normal, of a precision": lambda x: mvn.logpdf(
        x[:3], MEAN, ss.Covariance.from_precision(BLOCKS)
    ),
    "t logpdf": lambda x: mvt.logpdf(x[:3], x[3:], BLOCKS, 4),
    "t pdf, df": lambda x: mvt.pdf(x[:3], MEAN, BLOCKS, x[3]),
    "t logpdf, normal": lambda x: mvt.logpdf(x[:3], MEAN, BLOCKS, np.inf),
    "t frozen, shape": lambda x: mvt(MEAN, factored(x), 4).logpdf(np.zeros(3)),
    "dirichlet logpdf": lambda x: ss.dirichlet.logpdf(x[:3] / np.sum(x[:3]), [1.5, 2, 3]),
    "dirichlet pdf, last left out": lambda x: ss.dirichlet.pdf(x[:2] / 9, x[3:]),
    "dirichlet frozen": lambda x: ss.dirichlet(x[:3]).logpdf([0.2, 0.3, 0.5]),
    "wishart logpdf": lambda x: ss.wishart.logpdf(factored(x), 5, BLOCKS),
    "wishart logpdf, scale": lambda x: ss.wishart.logpdf(BLOCKS, 5, factored(x)),
    "wishart frozen": lambda x: ss.wishart(5, BLOCKS).logpdf(factored(x)),
    "wishart logpdf, df": lambda x: ss.wishart.logpdf(BLOCKS, x[0] + 3, BLOCKS) * x[1],
    "matrix_normal logpdf": lambda x: ss.matrix_normal.logpdf(
        x.reshape(3, 2), rowcov=BLOCKS, colcov=np.eye(2)
    ),
}

"""Maximum likelihood with ``scipy.stats``: ``python examples/maximum_likelihood.py``.

Groups of measurements, each with a mean and a scale of its own; the means vary about a common
one.  The Hessian of the negative log-likelihood, whose inverse holds the standard errors, couples
each mean with its scale and with the two common parameters, and nothing else.
"""

import numpy as np
from scipy import optimize, stats

import sparsetrace as st

GROUPS, EACH = 20, 15
rng = np.random.default_rng(4)
true_means = rng.normal(5.0, 2.0, GROUPS)
data = stats.t.rvs(8, loc=true_means, scale=0.7, size=(EACH, GROUPS), random_state=rng)


def negative_log_likelihood(theta):
    means, log_scales = theta[: 2 * GROUPS].reshape(2, GROUPS)
    common_mean, log_spread = theta[-2:]
    within = stats.t(8, loc=means, scale=np.exp(log_scales)).logpdf(data)
    between = stats.norm.logpdf(means, loc=common_mean, scale=np.exp(log_spread))
    return -np.sum(within) - np.sum(between)


start = np.concatenate([data.mean(axis=0), np.log(data.std(axis=0)), [data.mean(), 0.0]])
pattern = st.hessian_sparsity(negative_log_likelihood, start)
print(repr(pattern))
assert pattern.nnz == 8 * GROUPS + 4

fit = optimize.minimize(negative_log_likelihood, start, method="L-BFGS-B")
calls = 0


def value(theta):
    global calls
    calls += 1
    return negative_log_likelihood(theta)


hessian, steps = np.zeros(pattern.shape), 1e-3 * np.eye(len(start))
for i, j in np.argwhere(pattern.toarray()):
    if i <= j:
        signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        terms = [a * b * value(fit.x + a * steps[i] + b * steps[j]) for a, b in signs]
        hessian[i, j] = hessian[j, i] = sum(terms) / (4 * 1e-3**2)
errors = np.sqrt(np.diag(np.linalg.inv(hessian)))
print(f"standard error of the common mean: {errors[-2]:.3f}, by {calls} calls")
assert calls == 4 * (pattern.nnz + len(start)) // 2
assert np.all(np.abs(fit.x[:GROUPS] - true_means) < 5 * errors[:GROUPS])

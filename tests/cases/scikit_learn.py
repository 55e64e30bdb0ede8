"""Functions of scikit-learn as users call them, of six numbers each.

``EXTRA`` names those whose global pattern claims more than difference quotients show, with the
reason.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn import metrics, preprocessing
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostRegressor,
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    MultiTaskLasso,
    PoissonRegressor,
    Ridge,
    lasso_path,
)
from sklearn.metrics import pairwise
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity, KNeighborsRegressor, NearestNeighbors
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR, NuSVR, OneClassSVM
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.extmath import row_norms, softmax

_RNG = np.random.default_rng(0)
POINTS = _RNG.normal(size=(12, 3))
TARGETS = POINTS @ [1.0, 2.0, 3.0] + _RNG.normal(size=12)
CLASSES = (TARGETS > 0).astype(int)
START = np.array([0.7, -0.4, 1.3, 0.2, -1.1, 0.5])
GIVEN = np.array([0.3, 1.2, -0.6, 0.8, 0.1, -0.9])
LABELS = np.array([0, 1, 0, 1, 1, 0])
WEIGHTS = np.array([0.5, 1.0, 1.5, 0.7, 0.3, 0.9])
OTHERS = np.array([[0.3, -0.2, 0.9], [1.1, 0.4, -0.5]])


def _rows(x):
    return x.reshape(2, 3)


def _probabilities(x):
    return 1 / (1 + np.exp(-x))


def _evaluated(kernel, x):
    return kernel(_rows(x), OTHERS)


def _transformed(transformer, x):
    return transformer.transform(_rows(x))


def _predicted(model, x):
    return model.predict(_rows(x))


def _asked(model, method, x):
    return getattr(model, method)(_rows(x))


def _scaled(model, x):
    """Steps, which have no derivative, times what has one."""
    return model.predict(_rows(x)) * x[:2]


def _called(module, names, argument, *before):
    """Each function of these names, with the numbers as its last argument."""
    return {
        name: partial(lambda f, x: f(*before, argument(x)), getattr(module, name))
        for name in names.split()
    }


_SCORES = """
    mean_squared_error root_mean_squared_error mean_absolute_error r2_score max_error
    median_absolute_error mean_absolute_percentage_error explained_variance_score
    d2_absolute_error_score mean_pinball_loss
"""
_OF_POSITIVE = """
    mean_squared_log_error mean_poisson_deviance mean_gamma_deviance d2_tweedie_score
"""
_KERNELS = """
    rbf_kernel linear_kernel polynomial_kernel sigmoid_kernel laplacian_kernel cosine_similarity
    cosine_distances euclidean_distances manhattan_distances paired_euclidean_distances
    paired_manhattan_distances nan_euclidean_distances
"""
_COVARIANCES = (
    kernels.RBF([1.0, 2.0, 3.0]),
    kernels.Matern(nu=1.5),
    kernels.RationalQuadratic(),
    kernels.ConstantKernel(2.0) * kernels.DotProduct() + kernels.WhiteKernel(),
)
_TRANSFORMERS = (
    preprocessing.StandardScaler(),
    preprocessing.MinMaxScaler(),
    preprocessing.RobustScaler(),
    preprocessing.MaxAbsScaler(),
    preprocessing.PolynomialFeatures(2),
    preprocessing.Normalizer(),
    preprocessing.PowerTransformer(),
    PCA(2),
)
_MODELS = (
    LinearRegression(),
    PoissonRegressor(),
    KernelRidge(kernel="rbf"),
    GaussianProcessRegressor(optimizer=None),
    MLPRegressor(hidden_layer_sizes=(4,), solver="lbfgs", activation="tanh", max_iter=5000),
    make_pipeline(preprocessing.StandardScaler(), Ridge()),
)
_VECTORS = (
    (SVR(), "predict"),
    (SVR(kernel="linear"), "predict"),
    (NuSVR(kernel="poly"), "predict"),
    (OneClassSVM(), "score_samples"),
)
_CLASSIFIERS = (
    (SVC(), "decision_function"),
    (SVC(), "predict"),
    (RandomForestClassifier(5, random_state=0), "predict_proba"),
    (DecisionTreeClassifier(random_state=0), "predict"),
    (HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2), "predict_proba"),
)
_TREES = (
    DecisionTreeRegressor(random_state=0),
    RandomForestRegressor(5, random_state=0),
    ExtraTreesRegressor(5, random_state=0),
    GradientBoostingRegressor(n_estimators=5, init=LinearRegression(), random_state=0),
    AdaBoostRegressor(n_estimators=3, random_state=0),
    HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=2),
)
_CLASSIFIER = LogisticRegression().fit(POINTS, CLASSES)
_DISCRIMINANT = LinearDiscriminantAnalysis().fit(POINTS, CLASSES)
_BAYES = GaussianNB().fit(POINTS, CLASSES)
_MIXTURE = GaussianMixture(2, random_state=0).fit(POINTS)
_NEAREST = KNeighborsRegressor(2, weights="distance", algorithm="kd_tree").fit(POINTS, TARGETS)
_BALLS = NearestNeighbors(n_neighbors=2, algorithm="ball_tree").fit(POINTS)
_DENSITY = KernelDensity().fit(POINTS)
_PROCESS = GaussianProcessRegressor(kernels.RBF(), optimizer=None)


def _one_after_the_other(x):
    """Arrays of whole numbers in the last turn into traced ones what the first has branched on."""
    weighted = metrics.root_mean_squared_error(GIVEN, x, sample_weight=[1, 2, 1, 1, 0, 1])
    score, probabilities = metrics.r2_score(GIVEN, x), _probabilities(x[: len(LABELS)])
    return score, weighted, metrics.log_loss(LABELS, probabilities)


CASES = {
    "one after the other": _one_after_the_other,
    **_called(metrics, _SCORES, np.asarray, GIVEN),
    **_called(metrics, _OF_POSITIVE, np.exp, np.abs(GIVEN)),
    **_called(metrics, "log_loss brier_score_loss", _probabilities, LABELS),
    **_called(pairwise, _KERNELS, _rows, OTHERS),
    **{str(kernel): partial(_evaluated, kernel) for kernel in _COVARIANCES},
    **{type(m).__name__: partial(_transformed, m.fit(POINTS)) for m in _TRANSFORMERS},
    **{
        f"{type(model).__name__}.predict": partial(_predicted, model.fit(POINTS, np.abs(TARGETS)))
        for model in _MODELS
    },
    "a number that must lie in a range": lambda x: metrics.mean_pinball_loss(
        GIVEN, x, alpha=x[0] / 2
    ),
    "swapped": lambda x: metrics.mean_squared_error(x, GIVEN),
    "weighted": lambda x: metrics.mean_squared_error(GIVEN, x, sample_weight=WEIGHTS),
    "raw values": lambda x: metrics.r2_score(OTHERS, _rows(x), multioutput="raw_values"),
    "log_loss of two columns": lambda x: metrics.log_loss(
        [0, 1, 1], np.stack([_probabilities(x[:3]), 1 - _probabilities(x[:3])], axis=1)
    ),
    "hinge_loss": lambda x: metrics.hinge_loss(LABELS, x),
    "haversine_distances": lambda x: pairwise.haversine_distances(x.reshape(3, 2), OTHERS[:, :2]),
    "haversine_distances of its own": lambda x: metrics.pairwise.haversine_distances(
        x.reshape(3, 2)
    ),
    "chi2_kernel": lambda x: pairwise.chi2_kernel(np.exp(_rows(x)), np.abs(OTHERS)),
    "rbf_kernel of its own": lambda x: pairwise.rbf_kernel(_rows(x)),
    "pairwise_distances": lambda x: metrics.pairwise_distances(_rows(x), OTHERS),
    "pairwise_kernels": lambda x: metrics.pairwise_kernels(_rows(x), OTHERS, metric="rbf"),
    "softmax": lambda x: softmax(_rows(x)),
    "row_norms": lambda x: row_norms(_rows(x), squared=True),
    "davies_bouldin_score": lambda x: metrics.davies_bouldin_score(x.reshape(6, 1), LABELS),
    "auc": lambda x: metrics.auc(np.arange(6.0), x),
    "decision_function": lambda x: _CLASSIFIER.decision_function(_rows(x)),
    "predict_proba": lambda x: _CLASSIFIER.predict_proba(_rows(x)),
    "predict_log_proba": lambda x: _DISCRIMINANT.predict_log_proba(_rows(x)),
    "naive Bayes": lambda x: _BAYES.predict_proba(_rows(x)),
    "mixture": lambda x: _MIXTURE.score_samples(_rows(x)),
    "standard deviation": lambda x: _PROCESS.fit(POINTS, TARGETS).predict(
        _rows(x), return_std=True
    ),
    "fitted to traced targets": lambda x: Ridge().fit(POINTS[:6], x).predict(POINTS[6:8]),
    "fitted to traced points": lambda x: preprocessing.StandardScaler().fit_transform(
        x.reshape(3, 2)
    ),
    "process of traced targets": lambda x: _PROCESS.fit(POINTS[:6], x).predict(POINTS[6:8]),
    "KNeighborsRegressor.predict": lambda x: _NEAREST.predict(_rows(x)),
    "kneighbors by a tree of balls": lambda x: _BALLS.kneighbors(_rows(x))[0],
    "kneighbors of traced points": lambda x: (
        NearestNeighbors(n_neighbors=2).fit(x.reshape(6, 1)).kneighbors(OTHERS[:2, :1])[0]
    ),
    "pairwise_distances_argmin_min": lambda x: metrics.pairwise_distances_argmin_min(
        _rows(x), OTHERS
    )[1],
    "lasso_path": lambda x: lasso_path(POINTS[:6], x, alphas=[0.01, 0.001])[1],
    "MultiTaskLasso": lambda x: MultiTaskLasso(alpha=0.001).fit(POINTS[:3], x.reshape(3, 2)).coef_,
    **{
        f"{type(model).__name__}.{method} {i}": partial(_asked, model.fit(POINTS, TARGETS), method)
        for i, (model, method) in enumerate(_VECTORS)
    },
    **{
        f"{type(model).__name__}.{method}": partial(_asked, model.fit(POINTS, CLASSES), method)
        for model, method in _CLASSIFIERS
    },
    **{
        f"{type(model).__name__} of trees": partial(_scaled, model.fit(POINTS, TARGETS))
        for model in _TREES
    },
    "KernelDensity": lambda x: _DENSITY.score_samples(_rows(x)),
    "inverse_transform": lambda x: PCA(2).fit(POINTS).inverse_transform(x.reshape(3, 2)),
}

SELDOM = ("max_error", "kneighbors of traced points")
"""Of these few inputs show all dependencies."""

EXTRA_AT = {
    "haversine_distances of its own": "x - x of a point and itself",
    "lasso_path": "compiled code is taken as a whole",
    "MultiTaskLasso": "compiled code is taken as a whole",
}
EXTRA = EXTRA_AT

"""Rules of scikit-learn's: its check for NaN and infinities, and metrics that are compiled.

Contract: scikit-learn is not imported.  What it writes in NumPy is traced as the user's own code;
a rule stands only where it asks for the values of all elements, or calls compiled code.
Registered as the rules of SciPy are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsetrace.capture.session import traced_constants
from sparsetrace.dispatch.bound_rules import Call, harmless, makes_objects
from sparsetrace.dispatch.function_rules import current, register
from sparsetrace.operands.operands import is_traced

__all__: list[str] = []

_OPTIONS = "xp allow_nan msg_dtype estimator_name input_name".split()


@harmless(*_OPTIONS)
def _assert_all_finite(X: object) -> None:  # scikit-learn's name
    """Nothing: where an element is NaN or infinite there is no derivative.

    In a trace at a point the function itself is run on the values, and raises.
    """


@makes_objects
def _validate_parameter_constraints(
    call: Call, parameter_constraints: Any, params: dict[str, Any], caller_name: str
) -> None:
    """The same for all but traced numbers: out of its range a number has no derivative.

    In a trace at a point the function itself is run on the values, and raises.
    """
    known = {
        name: value
        for name, value in params.items()
        if not is_traced(value) or isinstance(value, np.ndarray)
    }
    call.original(parameter_constraints, known, caller_name)


def _chi2_kernel_fast(call: Any, X: Any, Y: Any, result: Any) -> None:
    total = X[:, None, :] + Y[None, :, :]
    difference = X[:, None, :] - Y[None, :, :]
    quotient = np.where(total != 0, difference**2 / np.where(total != 0, total, 1.0), 0.0)
    result[...] = -np.sum(quotient, axis=2)


def _haversine_distances(X: Any, Y: Any) -> Any:
    x, y = np.atleast_2d(X)[:, None, :], np.atleast_2d(X if Y is None else Y)[None, :, :]
    squares = np.sin((x - y) / 2) ** 2
    scale = np.cos(x[..., 0]) * np.cos(y[..., 0])
    return 2 * np.arcsin(np.sqrt(squares[..., 0] + scale * squares[..., 1]))


@harmless("sample_weight", "percentile_rank", "average", "xp")
def _weighted_percentile(call: Call, array: Any, percentile_rank: Any) -> Any:
    """Any element of a column: which one it is, the weights decide."""
    if np.ndim(percentile_rank):
        call.refuse("several percentiles have no rule", "Ask for one after the other.")
    return np.sum(array, axis=0)


@makes_objects
def _assembled(call: Call, *args: Any, **kwargs: Any) -> Any:
    """The function itself, which asks masks of traced values of its arrays of constants too."""

    def traceable(x: object) -> Any:
        plain = isinstance(x, np.ndarray) and not is_traced(x) and x.dtype.kind in "fc"
        return traced_constants(current(), np.asarray(x)) if plain else x

    return call.original(*map(traceable, args), **{k: traceable(x) for k, x in kwargs.items()})


register("sklearn.utils.validation", "_assert_all_finite", _assert_all_finite)
register(
    "sklearn.utils._param_validation",
    "validate_parameter_constraints",
    _validate_parameter_constraints,
)
register("sklearn.utils.stats", "_weighted_percentile", _weighted_percentile)
register("sklearn.metrics.pairwise", "_chi2_kernel_fast", _chi2_kernel_fast, as_given=True)
for _module in ("sklearn.metrics.pairwise", "sklearn.metrics"):
    register(_module, "haversine_distances", _haversine_distances)
for _name in ("_assemble_fraction_of_explained_deviance", "_assemble_r2_explained_variance"):
    register("sklearn.metrics._regression", _name, _assembled)

_COMPILED = "sparsetrace.capture.scikit_learn_compiled:{}"
for _module, _names, _rule in (
    (
        "metrics._pairwise_distances_reduction._dispatcher",
        "BaseDistancesReductionDispatcher.is_usable_for",
        "is_usable_for",
    ),
    ("neighbors._base", "NeighborsBase._fit", "fit_neighbors"),
    (
        "neighbors._base",
        "KNeighborsMixin.kneighbors RadiusNeighborsMixin.radius_neighbors",
        "neighbors",
    ),
    (
        "linear_model._cd_fast",
        "enet_coordinate_descent enet_coordinate_descent_gram enet_coordinate_descent_multi_task",
        "coordinate_descent",
    ),
    ("neighbors._kde", "KernelDensity.score_samples", "densities"),
    ("svm._libsvm", "decision_function predict predict_proba", "of_rows"),
    (
        "tree._classes",
        "BaseDecisionTree.apply BaseDecisionTree.predict DecisionTreeClassifier.predict_proba",
        "steps_of_rows",
    ),
    (
        "ensemble._forest",
        "BaseForest.apply ForestClassifier.predict_proba ForestRegressor.predict",
        "steps_of_rows",
    ),
    (
        "ensemble._hist_gradient_boosting.gradient_boosting",
        "BaseHistGradientBoosting._raw_predict",
        "steps_of_rows",
    ),
    ("ensemble._gradient_boosting", "predict_stages", "add_steps"),
):
    for _name in _names.split():
        register(f"sklearn.{_module}", _name, _COMPILED.format(_rule))

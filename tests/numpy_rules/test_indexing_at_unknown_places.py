"""Keys that depend on the inputs: every place that may be meant is, or the call is refused."""

from __future__ import annotations

import numpy as np
import pytest
from outside import Outside

from cases.indexing import MATRIX, POINT, UNSURE_READS, UNSURE_WRITES, function, writer
from oracles import (
    assert_covers,
    assert_same_pattern,
    numerical_jacobian_pattern,
    perturbation_pattern,
)
from sparsetrace import TracingError, jacobian_sparsity

EVERY = {"low": -2.0, "high": 2.0, "points": 60}


@pytest.mark.parametrize("source", UNSURE_READS)
def test_reads_at_places_that_depend_on_the_inputs(source):
    f, point = function(source), UNSURE_READS[source]
    kinds = Outside()

    def seen(x):
        result = f(x)
        kinds.append(np.shape(result))
        return result

    pattern = jacobian_sparsity(seen, point)
    assert set(kinds) == {np.shape(f(point))}
    assert_covers(pattern, numerical_jacobian_pattern(f, point, **EVERY))
    assert_covers(
        jacobian_sparsity(f, point, dependency=True), perturbation_pattern(f, point, **EVERY)
    )


TIGHT = {
    "x[np.argmax(x)]": (POINT, np.ones((1, 4))),
    "x[1:][np.argmax(x[1:])]": (POINT, [[0, 1, 1, 1]]),
    "x[:, np.argmax(x[0])]": (MATRIX, [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]),
    "x[np.argmax(x[:, 0])]": (MATRIX, np.tile(np.eye(3), 2)),
    "x[0, np.argmax(x[0])]": (MATRIX, [[1, 1, 1, 0, 0, 0]]),
    "x[:, np.argsort(x[0])][1]": (MATRIX, np.tile([[0, 0, 0, 1, 1, 1]], (3, 1))),
}


@pytest.mark.parametrize("source", TIGHT)
def test_such_reads_unite_the_candidates_alone(source):
    point, expected = TIGHT[source]
    assert_same_pattern(jacobian_sparsity(function(source), point), np.array(expected))


@pytest.mark.parametrize("target", ["x.copy()", "np.zeros_like(x)", "np.ones_like(x)"])
@pytest.mark.parametrize("line", UNSURE_WRITES)
def test_writes_to_places_that_depend_on_the_inputs(line, target):
    """All entries, or a refusal: never fewer."""
    f, point = writer(line, target), UNSURE_WRITES[line]
    for dependency in (False, True):
        try:
            pattern = jacobian_sparsity(f, point, dependency=dependency)
        except TracingError:
            continue
        oracle = perturbation_pattern if dependency else numerical_jacobian_pattern
        assert_covers(pattern, oracle(f, point, **EVERY))


SURE_ENOUGH = (
    "y[np.argmax(x)] = x[0]",
    "y[np.argmax(x)] = 0.0",
    "y[x > 0] = 0",
    "y[x > 0] = 3.0",
    "y[x > 0] = x[1]",
    "y[np.argsort(x)] = x",
    "y[:, np.argmax(x[0])] = x[:, 0]",
    "y[:, x[0] > 0] = 0.0",
)


@pytest.mark.parametrize("line", SURE_ENOUGH)
def test_such_writes_are_traced(line):
    f, point = writer(line, "x.copy()"), UNSURE_WRITES[line]
    assert_covers(jacobian_sparsity(f, point), numerical_jacobian_pattern(f, point, **EVERY))


def test_a_masked_constant_leaves_a_known_place_unknown():
    """y[x > 0] = 0 does not make y a constant zero: what is multiplied by it still counts."""

    def f(x):
        y = np.ones_like(x)
        y[x > 0] = 0
        return y * x[::-1]

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(4)[::-1])


def test_an_unsure_place_leaves_a_known_value_unknown():
    def f(x):
        y = np.zeros_like(x)
        y[np.argmax(x)] = 1.0
        return y * x[::-1]

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(4)[::-1])


def test_a_constant_read_at_an_unsure_place_is_no_constant():
    def f(x):
        y = np.zeros_like(x)
        y[0] = 1.0
        return y[np.argmax(x)] * x

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(4))


@pytest.mark.parametrize("source", ["x[x > 0]", "x[x != 0.5]", "x[:, x[0] > 0]"])
def test_what_a_mask_picks_has_the_size_that_it_has_for_the_arguments(source):
    f = function(source)
    point = MATRIX if "," in source else POINT
    pattern = jacobian_sparsity(f, point)
    assert_covers(pattern, jacobian_sparsity(f, point, local=True))
    assert pattern.left_out


def test_a_constant_mask_made_of_traced_arrays_is_no_mask_of_unknowns():
    def f(x):
        y = np.zeros_like(x)
        y[1:3] = 1.0
        return x[y > 0.5]

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(4)[1:3])


def test_a_constant_index_made_of_traced_arrays_is_known():
    def f(x):
        at = np.zeros_like(x, dtype=int)
        at[:] = [3, 0, 0, 1]
        return x[at]

    assert_same_pattern(jacobian_sparsity(f, POINT), np.eye(4)[[3, 0, 0, 1]])

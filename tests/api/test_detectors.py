"""Detectors give what the functions they stand for would, call after call."""

from __future__ import annotations

import inspect
import threading

import numpy as np
import pytest
from scipy import sparse

import sparsetrace as st
from sparsetrace.api import detectors


def residual(x):
    y = np.roll(x, 1) * x
    return np.where(x > 0, y, x[::-1]) + np.cumsum(x)[3] * x


def loss(x):
    return np.sum(residual(x) ** 2) + x[0] * x[1] * x[2]


def points():
    rng = np.random.default_rng(0)
    return [*rng.integers(-1, 2, (6, 5)).astype(float), np.ones(5), np.ones(5), np.zeros(5)]


@pytest.mark.parametrize("options", [{}, {"local": True}, {"store": "csr"}, {"capture": False}])
def test_the_same_as_without_one(options):
    jacobian = st.JacobianDetector(residual, like=np.ones(5), **options)
    hessian = st.HessianDetector(loss, like=np.ones(5), **options)
    lagrangian = st.HessianDetector(residual, like=np.ones(5), lagrangian=True, **options)
    for x in points():
        assert jacobian(x) == st.jacobian_sparsity(residual, x, **options)
        assert hessian(x) == st.hessian_sparsity(loss, x, **options)
        assert lagrangian(x) == st.lagrangian_hessian_sparsity(residual, x, **options)


def test_nothing_is_propagated_twice(monkeypatch):
    counts = []
    real = detectors.recorded
    monkeypatch.setattr(detectors, "recorded", lambda *args: counts.append(1) or real(*args))
    solved = []
    for name in ("propagate", "hessian_pattern"):
        plain = getattr(st.api.detection, name)

        def counted(*args, plain=plain):
            solved.append(1)
            return plain(*args)

        monkeypatch.setattr(st.api.detection, name, counted)
    for detect in (
        st.JacobianDetector(residual, like=np.ones(5)),
        st.HessianDetector(loss, like=np.ones(5)),
        st.JacobianDetector(lambda x: x * x if x[0] > 0 else x[::-1], like=np.ones(5)),
    ):
        solved.clear()
        first = detect(np.ones(5))
        once = len(solved)
        assert once in (1, 2)
        assert detect(np.zeros(5)) == first
        assert len(solved) == once
    assert counts


def test_what_changes_between_calls_is_seen():
    weights = np.array([1.0, 0.0, 1.0])
    settings = {"shift": 1}

    helper = np.size

    def f(x):
        return weights * np.roll(x, settings["shift"]) + helper(x)

    detect = st.JacobianDetector(f, like=np.ones(3))
    assert detect(np.ones(3)).nnz == 2
    weights[1] = 1.0
    assert detect(np.ones(3)).nnz == 3
    settings["shift"] = 2
    assert detect(np.ones(3)) == st.jacobian_sparsity(f, np.ones(3))

    helper = np.sum
    assert detect(np.ones(3)).nnz == 9


def test_memory_that_the_trace_shares_with_the_function_may_change():
    """What was recorded may be the very arrays of a matrix."""
    matrix = sparse.csr_array((np.ones(3), np.array([0, 1, 2]), np.array([0, 1, 2, 3])))
    rows = np.array([0, 1, 2], np.int32)
    wide = matrix.copy()
    wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)

    def f(x):
        return np.concatenate([matrix @ x, wide @ x, x[rows], sparse.diags_array(x) @ x])

    detect = st.JacobianDetector(f, like=np.ones(3))
    hessian = st.HessianDetector(lambda x: np.sum(f(x) ** 2), like=np.ones(3))
    assert detect(np.ones(3)) == st.jacobian_sparsity(f, np.ones(3))
    assert hessian(np.ones(3)).nnz == 3
    for array in (matrix.indptr, wide.indptr):
        array[1:3] = 2, 3
        assert detect(np.ones(3)) == st.jacobian_sparsity(f, np.ones(3))
        hessians = hessian(np.ones(3)), st.hessian_sparsity(lambda x: np.sum(f(x) ** 2), np.ones(3))
        assert hessians[0] == hessians[1]
    for array in (matrix.indices, wide.indices, rows):
        array[:] = 2, 1, 0
        assert detect(np.ones(3)) == st.jacobian_sparsity(f, np.ones(3))


def test_the_number_of_paths_may_change():
    options = {"deep": False}

    def f(x):
        if options["deep"]:
            return x * x if x[0] > 0 else x[::-1]
        return x

    detect = st.JacobianDetector(f, like=np.ones(3))
    assert detect(np.ones(3)).nnz == 3
    options["deep"] = True
    assert detect(np.ones(3)).nnz == 5
    options["deep"] = False
    assert detect(np.ones(3)).nnz == 3


def test_patterns_share_nothing():
    detect = st.JacobianDetector(residual, like=np.ones(5))
    first = detect(np.ones(5))
    first.indices[:] = 0
    assert detect(np.ones(5)) == st.jacobian_sparsity(residual, np.ones(5))


def test_several_arguments():
    def f(t, x, parameters):
        return t * x * parameters["a"]

    detect = st.JacobianDetector(f, like=(0.0, np.ones(3), {"a": np.ones(3)}), argnums=(1, 2))
    assert detect(1.0, np.ones(3), {"a": np.zeros(3)}).nnz == 6
    with pytest.raises(st.InputError, match="2 arguments, where like= says 3"):
        detect(1.0, np.ones(3))
    with pytest.raises(st.InputError, match="make a detector for each"):
        detect(1.0, np.ones(4), {"a": np.zeros(4)})


def test_an_argument_that_is_filled():
    def f(x, out):
        out[:] = x * x[0]

    out = np.empty(3)
    assert st.JacobianDetector(f, like=np.ones(3), out=out)(np.ones(3)).nnz == 5


def test_an_error_leaves_the_detector_as_it_was():
    fails = []

    def f(x):
        if fails:
            raise ValueError("no")
        return x * x

    detect = st.JacobianDetector(f, like=np.ones(3))
    assert detect(np.ones(3)).nnz == 3
    fails.append(1)
    with pytest.raises(ValueError, match="no"):
        detect(np.ones(3))
    fails.clear()
    assert detect(np.ones(3)).nnz == 3


def test_threads_share_a_detector():
    detect = st.JacobianDetector(residual, like=np.ones(5), local=True)
    wanted = [st.jacobian_sparsity(residual, x, local=True) for x in points()]
    wrong = []

    def work():
        for x, pattern in zip(points(), wanted, strict=True):
            if detect(x) != pattern:
                wrong.append(x)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("detector", "function"),
    [
        (st.JacobianDetector, st.jacobian_sparsity),
        (st.HessianDetector, st.lagrangian_hessian_sparsity),
    ],
)
def test_all_keywords_are_taken(detector, function):
    def keywords(f):
        parameters = inspect.signature(f).parameters.values()
        return {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}

    assert keywords(detector) - {"like", "lagrangian"} == keywords(function)
    with pytest.raises(TypeError, match="did you mean 'max_paths'"):
        detector(loss, like=np.ones(5), max_path=3)


def test_values_of_keywords_are_checked_at_once():
    with pytest.raises(st.InputError, match="store="):
        st.JacobianDetector(residual, like=np.ones(5), store="none")
    with pytest.raises(st.InputError, match="hessian_store="):
        st.HessianDetector(loss, like=np.ones(5), hessian_store="none")
    with pytest.raises(st.OutputError, match="one"):
        st.HessianDetector(residual, like=np.ones(5))(np.ones(5))


def test_patterns_that_stay_compressed_are_found_again():
    x = np.ones(100)
    detector = st.JacobianDetector(np.cumsum, like=x, max_entries=1000)
    for _ in range(2):
        pattern = detector(x)
        assert isinstance(pattern, st.CompressedPattern)
        assert pattern.nnz == 5050
    assert detector(x) == st.jacobian_sparsity(np.cumsum, x)

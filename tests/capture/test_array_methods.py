"""Methods of ordinary arrays, given traced operands."""

from __future__ import annotations

import importlib
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from outside import Outside

import sparsetrace as st
from cases.array_methods import CONSERVATIVE, EXACT, M, function
from oracles import (
    assert_covers,
    assert_same_pattern,
    flat_outputs,
    jacobian_pattern_at,
    numerical_hessian_pattern,
    numerical_jacobian_pattern,
)

X = np.array([0.8, 1.7, 2.6])
REGION = {"low": 0.5, "high": 3.0, "points": 12}


@pytest.mark.parametrize("call", EXACT)
def test_jacobians(call):
    f = function(call)
    assert_same_pattern(st.jacobian_sparsity(f, X), numerical_jacobian_pattern(f, X, **REGION))
    assert_same_pattern(st.jacobian_sparsity(f, X, local=True), jacobian_pattern_at(f, X))


@pytest.mark.parametrize("call", EXACT)
def test_hessians(call):
    f = function(call)
    weights = np.random.default_rng(3).uniform(0.5, 1.5, len(flat_outputs(f(X.copy()))))

    def squared(x):
        return (weights * flat_outputs(f(x)) ** 2).sum() if len(weights) else 0.0 * x[0]

    def traced(x):
        result = np.asarray(f(x)).reshape(-1)
        return (weights * result**2).sum() if len(weights) else 0.0 * x[0]

    wanted = numerical_hessian_pattern(squared, X, **REGION)
    assert_same_pattern(st.hessian_sparsity(traced, X), wanted)
    assert_covers(st.hessian_sparsity(traced, X, local=True), wanted)


@pytest.mark.parametrize("call", CONSERVATIVE)
def test_what_other_values_would_give_is_claimed(call):
    f = function(call)
    assert_covers(st.jacobian_sparsity(f, X), numerical_jacobian_pattern(f, X, **REGION))
    assert_covers(st.jacobian_sparsity(f, X, local=True), jacobian_pattern_at(f, X))


def test_values_are_carried():
    with pytest.raises(ZeroDivisionError):
        st.jacobian_sparsity(lambda x: 1 / int(M.dot(x)[0] > 100), X, local=True)
    pattern = st.jacobian_sparsity(lambda x: x[1] if M.dot(x)[0] > 4 else x[2], X, local=True)
    assert pattern.toarray().tolist() == [[False, True, False]]


def test_what_calls_dot_is_run_once():
    runs = Outside()

    def f(x):
        runs.append(None)
        return M.dot(x)

    st.jacobian_sparsity(f, X)
    assert len(runs) == 1


def test_a_large_matrix_is_not_made_of_objects():
    matrix = np.random.default_rng(0).normal(size=(1000, 1000))
    tracemalloc.start()
    try:
        st.jacobian_sparsity(lambda x: matrix[:2].dot(x), np.ones(1000))
        tracemalloc.reset_peak()
        st.jacobian_sparsity(lambda x: matrix.dot(x), np.ones(1000))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 25 * matrix.size  # a million objects take 32 bytes each


# ------------------------------------------------------------------ nothing is left behind
METHODS = dict(vars(np.ndarray))


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    assert dict(vars(np.ndarray)) == METHODS
    assert M.dot(np.ones(3)).tolist() == [3.0, 7.0, 11.0]


def test_an_error_puts_the_methods_back():
    def f(x):
        raise KeyError(M.dot(x).size)

    with pytest.raises(KeyError):
        st.jacobian_sparsity(f, X)
    assert np.ndarray.dot is METHODS["dot"]


def test_code_and_bound_methods_are_as_before():
    module = sys.modules["cases.array_methods"]
    before = module.decorated.__code__, module.apply, module.doubled.func, module.KEPT.of_slot
    for call in ("decorated(x)", "apply(x)", "doubled(x)", "KEPT.of_slot(x)", "by_default(x)"):
        st.jacobian_sparsity(function(call), X)
    after = module.decorated.__code__, module.apply, module.doubled.func, module.KEPT.of_slot
    assert all(a is b for a, b in zip(before, after, strict=True))
    assert type(module.by_default.__defaults__[0]) is type(M.dot)


def test_other_threads_see_plain_methods():
    results, go, done = Outside(), threading.Event(), threading.Event()

    def other():
        go.wait(10)
        results.append((type(M.dot(X)), M.dot(X).tolist(), M.max()))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()

    def f(x):
        y = M.dot(x)
        go.set()
        assert done.wait(10)
        return y

    st.jacobian_sparsity(f, X)
    thread.join()
    assert results == [(np.ndarray, M.dot(X).tolist(), 6.0)]


def test_threads_of_the_function_are_traced():
    def f(x):
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(M.dot, [x, x**2]))

    assert_same_pattern(st.jacobian_sparsity(f, X), np.vstack([M, M]) != 0)


def test_an_installed_package_is_traced(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "a_package_of_products.py").write_text(
        "import numpy as np\n"
        "class Model:\n"
        "    def __init__(self, matrix):\n"
        "        self.matrix = matrix\n"
        "    def residual(self, x):\n"
        "        return self.matrix.dot(x) * self.matrix[0:1].dot(x)\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    model = importlib.import_module("a_package_of_products").Model(M)
    wanted = numerical_jacobian_pattern(model.residual, X)
    assert_same_pattern(st.jacobian_sparsity(model.residual, X), wanted)


def test_a_module_imported_in_the_trace_keeps_no_replacement(tmp_path, monkeypatch):
    (tmp_path / "a_module_with_dot.py").write_text("import numpy as np\ndot = np.ndarray.dot\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def f(x):
        return importlib.import_module("a_module_with_dot").dot(M, x)

    assert_same_pattern(st.jacobian_sparsity(f, X), M != 0)
    assert sys.modules["a_module_with_dot"].dot is METHODS["dot"]


# --------------------------------------------------------------------------- refused
def test_without_capture_it_is_refused():
    with pytest.raises(st.EscapeError, match=r"test_array_methods.py:\d+ .in"):
        st.jacobian_sparsity(lambda x: M.dot(x), X, capture=False)


def test_a_matrix_class_is_refused_by_name():
    matrix = np.asmatrix(M)
    with pytest.raises(st.UnsupportedError, match=r"np\.matrix.*np\.asarray"):
        st.jacobian_sparsity(lambda x: matrix.dot(x), X)


@pytest.mark.parametrize("size", [3, 9, 90])
def test_places_that_a_mask_picks(size):
    table = np.arange(1.0, size + 1)

    def f(x):
        return table.take(np.nonzero(x > 1)[0]).sum()

    def g(x):
        return np.sum(table.take(np.nonzero(x > 1)[0]) * x[x > 1])

    counts = [st.jacobian_sparsity(h, np.ones(size)).nnz for h in (f, g)]
    assert counts == [0, size]


def test_masked_operands_are_refused():
    with pytest.raises(st.EscapeError, match="masked array"):
        st.jacobian_sparsity(lambda x: M.dot(np.ma.array(x, mask=[0, 1, 0])), X)


def test_a_wrong_shape_is_numpys_error():
    with pytest.raises(ValueError, match=r"not aligned|core dimension"):
        st.jacobian_sparsity(lambda x: M.dot(x[:2]), X)


def test_a_method_bound_inside_of_a_tuple_is_refused():
    kept = (M.dot,)
    with pytest.raises(st.EscapeError, match=r"test_array_methods.py:\d+"):
        st.jacobian_sparsity(lambda x: kept[0](x), X)

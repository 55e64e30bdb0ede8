"""Functions with a rule are exchanged while a trace runs, for the function that is traced alone."""

from __future__ import annotations

import functools
import math
import subprocess
import sys
import threading
import types

import numpy as np
import pytest
import scipy.linalg as sl
import scipy.optimize as so
import scipy.signal as ss
from outside import Outside
from scipy.interpolate import CubicSpline

import sparsetrace as st
from cases.scipy_calls.constants import FULL
from cases.scipy_calls.every import START
from oracles import assert_same_pattern
from sparsetrace.capture import registered_functions
from sparsetrace.capture.patch import ClassNames
from sparsetrace.dispatch.function_rules import REGISTERED, register


def everything():
    for module in registered_functions.loaded():
        for owner, name, original, _ in registered_functions.patches(module):
            yield owner, name, original


def stands(owner, name):
    return owner.names[name] if isinstance(owner, ClassNames) else vars(owner)[name]


@pytest.mark.parametrize("ending", ["result", "error"])
def test_everything_is_restored(ending):
    before = [(owner, name, stands(owner, name)) for owner, name, _ in everything()]

    def f(x):
        np.ma.array(x)  # numpy.ma is exchanged once it is used
        sl.blas.dnrm2(x)  # so are these, and those of LAPACK
        assert sum(stands(owner, name) is not found for owner, name, found in before) == len(before)
        if ending == "error":
            raise KeyError
        return sl.solve(FULL, x)

    if ending == "error":
        with pytest.raises(KeyError):
            st.jacobian_sparsity(f, np.ones(4))
    else:
        st.jacobian_sparsity(f, np.ones(4))
    assert all(stands(owner, name) is found for owner, name, found in before)


def test_names_bound_early():
    scope = {"np": np, "FULL": FULL, "__name__": "early"}
    exec(
        "from scipy.linalg import solve_triangular as tri\n"
        "from scipy.signal import lfilter\n"
        "from scipy.interpolate import CubicSpline, make_interp_spline\n"
        "def f(x):\n"
        "    y = lfilter([1.0], [1.0, 0.5], tri(FULL, x, lower=True))\n"
        "    return CubicSpline([0, 1, 2, 3], y)([0.0, 0.5]), make_interp_spline(range(4), y).c\n",
        scope,
    )
    bound = dict(scope)
    pattern = st.jacobian_sparsity(scope["f"], np.ones(4))
    assert pattern[[0]].nnz == 1
    assert pattern[[1]].nnz == 4
    assert scope == bound


class Solver:
    def __init__(self, find):
        self.find = find


def test_functions_held_elsewhere():
    """In dictionaries, attributes, defaults, and as arguments of helpers."""
    solver, table = Solver(so.brentq), {"bisect": so.bisect, "solve": sl.solve}

    def search(find, v):
        return find(lambda z: z**3 - v, 0.0, 9.0)

    def f(x, ridder=so.ridder):
        y = table["solve"](FULL, x)
        return search(solver.find, x[0]), search(table["bisect"], y[0]), search(ridder, x[1])

    for local in (False, True):
        pattern = st.jacobian_sparsity(f, np.ones(4), local=local).toarray()
        np.testing.assert_array_equal(pattern, np.array([[1, 0, 0, 0], [1] * 4, [0, 1, 0, 0]]))
    assert solver.find is so.brentq is not registered_functions.wrapper_of(so.brentq)
    assert f.__defaults__ == (so.ridder,)


def masked_mean(a, *, anomalies=np.ma.anom):
    """A default of a keyword, held from before."""
    return anomalies(a)


DIRECT = {
    sl.inv: [[2.0, 1.0], [0.5, 3.0]],
    sl.svdvals: [[2.0, 1.0], [0.5, 3.0]],
    so.rosen: [0.5, 1.5, 2.5],
    math.sin: 0.5,
    math.hypot: (0.5, 1.5),
    np.ma.ravel: [[2.0, 1.0], [0.5, 3.0]],
    np.ma.core.ravel: [0.5, 1.5],
    np.ma.anom: [0.5, 1.5, 2.5],
    np.ma.extras.mask_cols: [[2.0, 1.0], [0.5, 3.0]],
    np.ma.outer: ([0.5, 1.5], [2.5, 3.5]),
    np.ma.masked_inside: ([0.5, 1.5, 2.5], 1.0, 2.0),
    np.ma.hstack: [[0.5, 1.5], [2.5, 3.5]],
    masked_mean: [0.5, 1.5, 2.5],
    CubicSpline([0, 1, 2, 3], [0.0, 1.0, 5.0, 2.0]).derivative(): 0.5,
    functools.partial(np.ma.cov, bias=True): [0.5, 1.5, 2.5],
}


@pytest.mark.parametrize("function", DIRECT, ids=lambda f: getattr(f, "__name__", str(type(f))))
@pytest.mark.parametrize("local", [False, True])
def test_a_function_that_is_traced_itself(function, local):
    """It has no caller whose names could be exchanged."""
    given = DIRECT[function]
    args = [np.array(a) if np.ndim(a) else a for a in (given if type(given) is tuple else (given,))]
    expected = st.jacobian_sparsity(
        lambda *args: called(function, *args), *args, argnums=tuple(range(len(args))), local=local
    )
    found = st.jacobian_sparsity(function, *args, argnums=tuple(range(len(args))), local=local)
    assert_same_pattern(found, expected.toarray())
    assert found.nnz


def called(function, *args):
    """By the names of their modules, where these can be exchanged."""
    if function is masked_mean:
        return np.ma.anom(*args)
    if isinstance(function, functools.partial):
        return np.ma.cov(*args, **function.keywords)
    module = getattr(function, "__module__", "")
    if module.startswith("numpy.ma"):
        return getattr(np.ma, function.__name__)(*args)
    for owner in (sl, so, math):
        if getattr(owner, getattr(function, "__name__", ""), None) is not None:
            return getattr(owner, function.__name__)(*args)
    return function(*args)


LAZY = """
import sys
from queue import SimpleQueue
import numpy as np
import sparsetrace as st

assert not {"scipy.signal", "scipy.ndimage", "scipy.interpolate"} & set(sys.modules)
runs = SimpleQueue()

def f(x):
    runs.put(1)
    import scipy.signal
    from scipy.interpolate import interp1d
    y = scipy.signal.lfilter([1.0], [1.0, 0.5], x)
    return interp1d([0, 1, 2], y)([0.5, 1.5])

assert st.jacobian_sparsity(lambda x: x, np.ones(3)).nnz == 3
assert "scipy.signal" not in sys.modules
assert not [name for name in sys.modules if name.startswith("sparsetrace.scipy_rules.")]
print(st.jacobian_sparsity(f, np.ones(3)).toarray().astype(int).tolist(), runs.qsize())
import scipy.signal
from scipy.signal import lfilter
print(lfilter.__module__, lfilter([1.0], [1.0, 0.5], [1.0, 0.0]).tolist())
print(hasattr(lfilter, "__wrapped__") and "registered_functions" in lfilter.__code__.co_filename)
"""


def test_modules_loaded_by_the_function_itself():
    run = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    first, second, third = run.stdout.splitlines()
    assert first == "[[1, 1, 0], [1, 1, 1]] 2"
    assert second == "scipy.signal._signaltools [1.0, -0.5]"
    assert third == "False"


def test_other_threads_see_plain_scipy():
    found = Outside()

    def f(x):
        thread = threading.Thread(target=lambda: found.append(sl.solve(FULL, np.ones(4))))
        thread.start()
        thread.join()
        return sl.solve(FULL, x)

    assert st.jacobian_sparsity(f, np.ones(4)).nnz == 16
    assert type(found[0]) is np.ndarray
    np.testing.assert_array_equal(found[0], sl.solve(FULL, np.ones(4)))


def test_constants_go_to_scipy_as_they_are():
    seen = Outside()

    def f(x):
        kernel = np.zeros(2)
        kernel[0] = 1.0
        matrix = np.zeros((2, 2))
        matrix[0, 0], matrix[1, 1] = x[0], 1.0  # traced from birth in another run
        seen.append(ss.convolve(kernel, [1.0, 2.0]))
        seen.append(sl.solve(matrix[1:, 1:], np.ones(1)))
        buffer = np.zeros(2)
        buffer[:] = x
        return sl.solve(matrix, buffer), ss.convolve(buffer, kernel, "valid")

    pattern = st.jacobian_sparsity(f, np.ones(2))
    assert_same_pattern(pattern, [[1, 0], [0, 1], [0, 1]])
    assert all(type(value) is np.ndarray for value in seen[-2:])


def test_values_at_the_point_decide_branches():
    def f(x):
        y = sl.solve(FULL, x)
        z = ss.lfilter([1.0], [1.0, 0.5], x)
        return x[0] if y[0] > 0 and z[1] < z[0] else x[1]

    assert (sl.solve(FULL, START[:4])[0] > 0) is np.True_
    assert_same_pattern(st.jacobian_sparsity(f, START[:4], local=True), [[1, 0, 0, 0]])


def test_without_capture_scipy_is_left_alone():
    with pytest.raises(st.TracingError):
        st.jacobian_sparsity(lambda x: sl.solve(FULL, x), np.ones(4), capture=False)


_PACKAGE = """
class Model:
    def predict(self, x):
        return [float(v) for v in x]
    @classmethod
    def scaled(cls, x):
        return [2 * float(v) for v in x]
    @staticmethod
    def twice(x):
        return [2 * float(v) for v in x]
def f(x):
    y = Model().predict(x) + Model.scaled(x)
    return y if x[0] > 0 else y + Model.twice(x)[::-1]
"""


def test_methods_with_a_rule_have_it_in_every_run(monkeypatch):
    """What a run leaves in a class is put back after it, and the rules stay there."""
    module = types.ModuleType("package_of_models")
    exec(compile(_PACKAGE, "<package>", "exec", dont_inherit=True), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(REGISTERED, module.__name__, {})
    for name in ("predict", "scaled", "twice"):
        register(module.__name__, f"Model.{name}", lambda call, *args: 2 * args[-1])
    before = dict(vars(module.Model))
    pattern = st.jacobian_sparsity(module.f, np.ones(3))
    assert_same_pattern(pattern, np.fliplr(np.eye(3)) + np.eye(3))
    assert dict(vars(module.Model)) == before

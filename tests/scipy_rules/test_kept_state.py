"""Functions that solvers call, and that keep something from one call to the next."""

from __future__ import annotations

import collections
import enum
import itertools

import numpy as np
import pytest
import scipy.integrate as si
import scipy.optimize as so
import scipy.sparse.linalg as sl
from numpy.testing import assert_array_equal

import sparsetrace as st
from sparsetrace.errors import UnsupportedError

X = np.array([1.3, 0.8, 0.6])


def counted(solve):
    """A function whose `factor` is the first input in a few calls, and the second one later."""

    def f(x):
        calls = [0]

        def factor():
            calls[0] += 1
            return x[0] if calls[0] < 4 else x[1]

        return solve(x, factor)

    return f


class Model:
    """Attributes in place of items."""

    calls = 0

    def __init__(self, x):
        self.x, self.is_late = x, False

    def slopes(self, t, y):
        self.calls += 1
        self.is_late = self.calls > 5
        return -y * (self.x[1] if self.is_late else self.x[0])


def switched(x):
    """What an event has set is read by the right-hand side."""
    mode = [0.0]

    def event(t, y):
        mode[0] = x[1] if y[0] < 0.8 else 0.0
        return y[0] - 0.5

    return si.solve_ivp(lambda t, y: mode[0] - y * x[0], (0, 1), [1.0], events=event).y[0, -1]


def of_a_jacobian(x):
    gain = [1.0]

    def jac(t, y):
        gain[0] = x[1]
        return [[-x[0]]]

    slopes = lambda t, y: -y * x[0] * gain[0]  # noqa: E731
    return si.solve_ivp(slopes, (0, 1), [1.0], "BDF", jac=jac).y[0, -1]


def of_a_callback(x):
    gain = [1.0]

    def callback(z):
        gain[0] = x[1]

    weighed = lambda z: gain[0] * (z[0] - x[0]) ** 2 + z[0] ** 2  # noqa: E731
    return so.minimize(weighed, [0.1], callback=callback).x[0]


class Mode(enum.Enum):
    EARLY = 1
    LATE = 2


def of_a_mode(x):
    """The mode is read before it is set."""
    mode, calls = [Mode.EARLY], [0]

    def integrand(t):
        factor = x[0] if mode[0] is Mode.EARLY else x[1]
        calls[0] += 1
        mode[0] = Mode.LATE if calls[0] > 5 else Mode.EARLY
        return t * factor

    return si.quad(integrand, 0, 1)[0]


def in_a_variable(x):
    calls = 0

    def residual(z):
        nonlocal calls
        calls += 1
        return z**2 - (x[0] if calls < 3 else x[1])

    return so.brentq(residual, 0, 9)


TRACED = {
    "quad": (counted(lambda x, factor: si.quad(lambda t: t * factor(), 0, 1)[0]), [1, 1, 0]),
    "dblquad": (
        counted(lambda x, factor: si.dblquad(lambda y, t: t * factor(), 0, 1, 0, 1)[0]),
        [1, 1, 0],
    ),
    "inner limit": (
        counted(lambda x, factor: si.dblquad(lambda y, t: t, 0, 1, 0, lambda t: factor())[0]),
        [1, 1, 0],
    ),
    "cubature": (
        counted(lambda x, factor: si.cubature(lambda t: t[:, 0] * factor(), [0], [1]).estimate),
        [1, 1, 0],
    ),
    "tanhsinh": (
        counted(lambda x, factor: si.tanhsinh(lambda t: t * factor(), 0.0, 1.0).integral),
        [1, 1, 0],
    ),
    "solve_ivp": (
        counted(lambda x, factor: si.solve_ivp(lambda t, y: -y * factor(), (0, 1), [1.0]).y[0, -1]),
        [1, 1, 0],
    ),
    "odeint": (
        counted(lambda x, factor: si.odeint(lambda y, t: -y * factor(), [1.0], [0, 1])[-1]),
        [1, 1, 0],
    ),
    "brentq": (
        counted(lambda x, factor: so.brentq(lambda z: z**2 - factor(), 0, 9)),
        [1, 1, 0],
    ),
    "minimize": (
        counted(lambda x, factor: so.minimize(lambda z: (z[0] - factor()) ** 2, [1.0]).x),
        [1, 1, 0],
    ),
    "curve_fit": (
        counted(
            lambda x, factor: so.curve_fit(
                lambda t, a: a * t * factor(), np.arange(3.0), np.arange(3.0), p0=[1.0]
            )[0]
        ),
        [1, 1, 0],
    ),
    "cg": (
        counted(
            lambda x, factor: sl.cg(
                sl.LinearOperator((1, 1), matvec=lambda v: 2 * v * factor(), dtype=float), [1.0]
            )[0]
        ),
        [1, 1, 0],
    ),
    "attributes": (
        lambda x: si.solve_ivp(Model(x).slopes, (0, 1), [1.0]).y[0, -1],
        [1, 1, 0],
    ),
    "event": (switched, [1, 1, 0]),
    "jac": (of_a_jacobian, [1, 1, 0]),
    "callback": (of_a_callback, [1, 1, 0]),
    "variable": (in_a_variable, [1, 1, 0]),
}


@pytest.mark.parametrize("name", TRACED)
def test_what_a_later_call_may_read_counts_in_a_global_pattern(name):
    function, expected = TRACED[name]
    assert_array_equal(st.jacobian_sparsity(function, X).toarray(), [expected])


def test_counts_and_histories_that_nothing_reads_add_nothing():
    def f(x):
        calls, history = 0, []

        def slopes(t, y):
            nonlocal calls
            calls += 1
            history.append(y)
            return -y * x[0]

        end = si.solve_ivp(slopes, (0, 1), x[1:2]).y[0, -1]
        assert len(history) > 0
        return end if calls < 1000 else -end

    for local in (False, True):
        assert_array_equal(st.jacobian_sparsity(f, X, local=local).toarray(), [[1, 1, 0]])


@pytest.mark.parametrize("solve", ["quad", "solve_ivp", "odeint", "dblquad"])
def test_first_calls_that_prepare_something_are_followed(solve):
    def f(x):
        known = {}

        def factor():
            if "scale" not in known:
                known["scale"] = x[1] * 2
                return x[2]
            return x[0] * known["scale"]

        if solve == "quad":
            return si.quad(lambda t: t * factor(), 0, 1)[0]
        if solve == "dblquad":
            return si.dblquad(lambda y, t: t * factor(), 0, 1, 0, 1)[0]
        if solve == "odeint":
            return si.odeint(lambda y, t: -y * factor(), [1.0], [0, 1])[-1]
        return si.solve_ivp(lambda t, y: -y * factor(), (0, 1), [1.0]).y[0, -1]

    assert_array_equal(st.jacobian_sparsity(f, X).toarray(), [[1, 1, 1]])


class Remembering:
    """Keeps a list whose last numbers tell later calls apart, in some way."""

    def __init__(self, x):
        self.x, self.items, self.turned = x, [0.0] * 4, collections.deque(range(8))

    def appended(self, t):
        self.items.append(self.items[-1] + 0.1)
        return t * self.x[int(self.items[-1] > 0.45)]

    def rotated(self, t):
        self.turned.rotate(1)
        return t * self.x[int(self.turned[0] > 4)]

    def popped(self, t):
        if self.items:
            self.items.pop()
            return t * self.x[0]
        return t * self.x[1]

    def replaced(self, t):
        self.items = [*self.items, 1.0]
        return t * self.x[int(sum(self.items) > 5)]


@pytest.mark.parametrize("way", ["appended", "rotated", "popped", "replaced"])
def test_lists_that_go_on_changing_lose_nothing(way):
    def f(x):
        return si.quad(getattr(Remembering(x), way), 0, 1)[0]

    if way in ("appended", "rotated"):
        assert st.jacobian_sparsity(f, X).toarray()[0, :2].all()
    else:
        with pytest.raises(UnsupportedError, match="from one call to the next"):
            st.jacobian_sparsity(f, X)


def test_a_mode_that_calls_set_to_and_fro_is_refused():
    with pytest.raises(UnsupportedError, match=r"from one call to the next"):
        st.jacobian_sparsity(of_a_mode, X)
    assert st.jacobian_sparsity(of_a_mode, X, local=True).nnz == 2


def test_a_log_of_constants_is_no_memory():
    def f(x):
        log = []
        return si.quad(lambda t: log.append("asked") or log.append(1.0) or t * x[0], 0, 1)[0]

    assert_array_equal(st.jacobian_sparsity(f, X).toarray(), [[1, 0, 0]])


@pytest.mark.parametrize("name", ["text", "array", "length", "iterator"])
def test_other_state_that_goes_on_changing_is_refused(name):
    def f(x):
        text, array, items = {"": ""}, np.zeros(2), []
        numbers = itertools.cycle([1.0, 2.0])

        def integrand(t):
            if name == "text":
                text[""] += "a"
                return t * x[int(text[""] == "aaaa")]
            if name == "array":
                array[0] += 1.0
                return t * x[int(array[0] > 3)]
            if name == "length":
                items.append(t)
                return t * x[int(len(items) > 3)]
            return t * x[0] * next(numbers)

        return si.quad(integrand, 0, 1)[0]

    with pytest.raises(UnsupportedError, match=r"from one call to the next.*local=True"):
        st.jacobian_sparsity(f, X)
    if name != "iterator":  # whose integral SciPy warns of
        assert st.jacobian_sparsity(f, X, local=True).nnz

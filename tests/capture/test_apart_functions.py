"""Calls with too many paths that are begun once more, with more run apart in them."""

from __future__ import annotations

import contextlib
import sys

import numpy as np
import pytest

import sparsetrace as st
from oracles import assert_same_pattern, dense
from sparsetrace.capture import apart_functions
from sparsetrace.capture.branches import Branches
from sparsetrace.tracing import driver

pytestmark = pytest.mark.usefixtures("seen_functions")
N = 14


@pytest.fixture
def runs(monkeypatch):
    """How often the traced function was begun."""
    begun = []
    begin = driver.begin_path

    def counted(*args, **kwargs):
        begun.append(1)
        return begin(*args, **kwargs)

    monkeypatch.setattr(driver, "begin_path", counted)
    return begun


def square(v):
    return v * v if v > 0.5 else v


def many(x):
    """Too many paths, unless its pieces are run apart."""
    total = 0.0
    for i in range(len(x) - 1):
        if x[i] > 0.5:  # noqa: SIM108
            total = total + x[i] * x[i + 1]
        else:
            total = total + x[i]
    return total


def swallows(x):
    try:
        return many(x)
    except Exception:
        return x[0]


def hopeless(x):
    text = "".join("a" if v > 0.5 else "b" for v in x)
    return x[0] if hash(text) % 3 else x[1]


def first_calls(x):
    return [*(square(v) for v in x), many(x[:12]), many(x[1:])]


def decides_before(x):
    first = x[0] if x[1] > 0.5 else 2.0
    return [first, *(square(v) for v in x), many(x)]


def decides_after(x):
    out = [*(square(v) for v in x), many(x)]
    if out[-1] > 6:
        return [*out, x[0] * x[2]]
    return [*out, x[1] if x[3] > 0.5 else 0.0]


def decides_in_helper(x):
    def inner(v):
        found = many(v)
        if found > 6:
            return found * v[0]
        return found if v[1] > 0.5 else v[2]

    return [*(square(v) for v in x), inner(x[:13]), inner(x[1:])]


FUNCTIONS = {
    f.__name__: f for f in (first_calls, decides_before, decides_after, decides_in_helper, swallows)
}


def united(f):
    rng, found = np.random.default_rng(1), False
    for _ in range(60):
        found = found | dense(
            st.jacobian_sparsity(f, rng.choice([0.2, 0.8], N) + rng.uniform(0, 0.1, N), local=True)
        )
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("errors", ["warn", "ignore"])
def test_the_pattern_is_what_some_input_needs(name, errors):
    f = FUNCTIONS[name]
    with np.errstate(all=errors):
        assert_same_pattern(st.jacobian_sparsity(f, np.linspace(0.1, 1, N)), united(f))


def without_hope(x):
    return [*(square(v) for v in x), hopeless(np.concatenate([x, x, x]))]


@pytest.mark.parametrize("f", [first_calls, without_hope])
def test_the_function_is_not_begun_anew_for_what_a_call_needs(f, runs, monkeypatch):
    def count():
        runs.clear()
        with contextlib.suppress(st.ValueDependentError):
            st.jacobian_sparsity(f, np.linspace(0.1, 1, N), verify=False)
        return len(runs)

    here = count()
    monkeypatch.setattr(apart_functions, "_more_is_run_apart_from_here", lambda session: False)
    assert here < count()


def test_the_error_names_the_line_of_the_call():
    with pytest.raises(st.ValueDependentError, match=r"in <genexpr>.*local=True") as caught:
        st.jacobian_sparsity(without_hope, np.linspace(0.1, 1, N))
    assert caught.value.lineno == hopeless.__code__.co_firstlineno + 1


def test_the_first_path_is_run_again_where_its_decisions_may_be_others():
    branches = Branches(8)
    assert branches.start()
    assert branches.may_mix()
    branches.mix()
    assert not branches.is_other_again()
    branches.decide()
    assert branches.is_other_again()
    assert not branches.may_mix()
    branches.begin_anew()
    outcomes = []
    while branches.start():
        outcomes.append(branches.decide())
    assert outcomes == [False, True]


def _reads_its_callers(v):
    return v * sys._getframe(1).f_locals["k"]


def reads_variables_of_callers(x):
    out = []
    for i, v in enumerate(x):
        k = x[i - 1]
        out.append(_reads_its_callers(v) if v > 0.5 else v + k * 0)
    return np.array(out)


@pytest.mark.parametrize("n", [3, 12])
def test_nothing_is_run_apart_where_variables_of_callers_are_read(n):
    """Few paths are run as they are; many are refused, whose frames would be others."""
    if n > 10:
        with pytest.raises(st.ValueDependentError, match="max_paths"):
            st.jacobian_sparsity(reads_variables_of_callers, np.full(n, 0.45))
        return
    pattern = dense(st.jacobian_sparsity(reads_variables_of_callers, np.full(n, 0.45)))
    assert pattern.tolist() == (np.eye(n) + np.roll(np.eye(n), -1, axis=1) > 0).tolist()

"""How far a detection has come, told to a callable or shown on standard error."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest

import sparsetrace as st
from sparsetrace import progress
from sparsetrace.progress import Progress, asked


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(progress, "_FIRST", 0.0)
    monkeypatch.setattr(progress, "_NEXT", 0.0)
    monkeypatch.setattr("sparsetrace.tracing.flushing._REPORTED", 0)


def steps(x):
    for _ in range(20):
        x = np.roll(x, 1) + x
    return x


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("store", ["auto", "csr", "bitset", "roaring", "intervals", "integers"])
def test_phases_of_a_jacobian(store):
    told = []
    pattern = st.jacobian_sparsity(steps, np.ones(60), store=store, progress=told.append)
    assert pattern.nnz == 60 * 21
    assert {"tracing", "paths", "propagation"} <= {each.phase for each in told}
    assert all(type(each) is Progress for each in told)
    assert all(each.total is None or 0 <= each.done <= each.total for each in told)
    recorded = [each.done for each in told if each.phase == "tracing"]
    assert len(recorded) > 10
    assert recorded == sorted(recorded)


def test_phases_of_a_hessian():
    told = []
    for function in (st.hessian_sparsity, st.lagrangian_hessian_sparsity):
        pattern = function(lambda x: steps(x).prod(), np.ones(30), progress=told.append)
        assert pattern.nnz == 30 * 30
    assert {"tracing", "Hessian"} <= {each.phase for each in told}


def test_a_graph_is_made_small_all_the_same():
    told, f = [], lambda x: steps(steps(steps(x)))
    pattern = st.jacobian_sparsity(f, np.ones(8), progress=told.append, max_memory=20_000)
    assert pattern.nnz == 64
    assert told


def test_paths_are_counted():
    def f(x):
        return sum(v if v > 0 else v * v for v in x)

    told = []
    st.JacobianDetector(f, like=np.ones(3), progress=told.append)(np.ones(3))
    assert max(each.done for each in told if each.phase == "paths") >= 1


def test_a_callable_runs_outside_of_the_trace():
    from sparsetrace.context import CURRENT

    traces = []
    st.jacobian_sparsity(steps, np.ones(5), progress=lambda _: traces.append(CURRENT.get()))
    assert set(traces) == {None}


def test_an_error_of_the_callable_ends_it():
    def stop(told):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        st.jacobian_sparsity(steps, np.ones(5), progress=stop)
    assert not asked()


def test_seldom_and_not_at_first(monkeypatch):
    monkeypatch.setattr(progress, "_FIRST", 1e6)
    told = []
    st.jacobian_sparsity(steps, np.ones(5), progress=told.append)
    assert told == []


def test_the_bar_is_erased(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    st.jacobian_sparsity(steps, np.ones(30), progress=True)
    shown = sys.stderr.getvalue()
    assert shown.endswith("\r\033[K")
    assert "\n" not in shown
    assert "propagation   0 % ···" in shown


def test_no_bar_without_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    st.jacobian_sparsity(steps, np.ones(30), progress=True)
    assert sys.stderr.getvalue() == "sparsetrace: paths 0\n"
    monkeypatch.setattr(sys, "stderr", None)
    st.jacobian_sparsity(steps, np.ones(30), progress=True)


@pytest.mark.parametrize("given", [1, "yes", 0.5])
def test_what_is_none(given):
    with pytest.raises(st.InputError, match="progress="):
        st.jacobian_sparsity(steps, np.ones(5), progress=given)


def test_nobody_is_told_anything_by_default(capsys):
    st.jacobian_sparsity(steps, np.ones(5))
    st.jacobian_sparsity(steps, np.ones(5), progress=None)
    assert capsys.readouterr() == ("", "")
    assert not asked()


def test_the_phases_are_documented():
    source = "".join(path.read_text() for path in Path(st.__file__).parent.rglob("*.py"))
    for phase in ("tracing", "paths", "propagation", "rows", "Hessian"):
        assert f'``"{phase}"``' in Progress.__doc__
        assert source.count(f'"{phase}"') > 1
